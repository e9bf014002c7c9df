// Dice with pips.
//   dieFace(5)                          a flat die as SVG, with a name for screen readers; dieFace(5, 24) in pixels
//   const tumbler = new Tumbler(host);  three cubes under a dome
//   tumbler.cover(); tumbler.tumble(); tumbler.show([1, 3, 6]);
// Ones and fours are red, as on Asian dice. With reduced motion nothing moves; the words for screen readers stay.

import { h, put, s } from "./dom.js";
import { t } from "./i18n.js";

/** A picture is drawn in a square of 100 and lies within the rim of its die. */
const PICTURE = "translate(14 14) scale(.72)";

/** Where the pips are, in hundredths. @type {Record<number, [number, number][]>} */
const PIPS = {
  1: [[50, 50]],
  2: [
    [26, 26],
    [74, 74],
  ],
  3: [
    [26, 26],
    [50, 50],
    [74, 74],
  ],
  4: [
    [26, 26],
    [74, 26],
    [26, 74],
    [74, 74],
  ],
  5: [
    [26, 26],
    [74, 26],
    [50, 50],
    [26, 74],
    [74, 74],
  ],
  6: [
    [26, 24],
    [74, 24],
    [26, 50],
    [74, 50],
    [26, 76],
    [74, 76],
  ],
};

/** The faces of the book in use; none for dice with pips. @type {readonly import("./types").FaceSheet[]} */
let faces = [];
/** @type {Set<Tumbler>} */
const tumblers = new Set();

/** The dice have these faces from now on. @param {readonly import("./types").FaceSheet[]} own */
export function wear(own) {
  if (JSON.stringify(own) === JSON.stringify(faces)) return;
  faces = own;
  for (const each of tumblers) each.paint();
  for (const die of document.querySelectorAll("svg.die[data-face]")) paint(/** @type {SVGSVGElement} */ (die));
}

/** Paint the face of a flat die. @param {SVGSVGElement} die */
function paint(die) {
  const face = Number(die.dataset.face);
  die.setAttribute("aria-label", faceName(face));
  die.replaceChildren(s("rect", { x: 3, y: 3, width: 94, height: 94, rx: 20, class: "die-body" }), ...pips(face));
}

/** What a face is called. @param {number} face */
export function faceName(face) {
  return faces[face - 1]?.name ?? String(face);
}

/**
 * What is painted on a face: its picture, or pips.
 * @param {number} face
 */
function pips(face) {
  const { colour, picture } = faces[face - 1] ?? { colour: null, picture: [] };
  const fill = `pip ${colour ?? (face === 1 || face === 4 ? "red" : "black")}`;
  if (picture.length)
    return picture.map((d) => s("path", { d, class: fill, "fill-rule": "evenodd", transform: PICTURE }));
  return PIPS[face].map(([x, y]) => s("circle", { cx: x, cy: y, r: face === 1 ? 15 : 9.5, class: fill }));
}

/**
 * A flat die.
 * @param {number} face
 * @param {number} [size] in pixels; without, the style sheet decides
 * @returns {SVGSVGElement}
 */
export function dieFace(face, size) {
  const look = { viewBox: "0 0 100 100", class: "die", role: "img", "data-face": face, width: size, height: size };
  const die = /** @type {SVGSVGElement} */ (s("svg", look));
  paint(die);
  return die;
}

/**
 * A roll as flat dice in a row.
 * @param {number[]} dice
 * @param {number} [size]
 */
export function diceRow(dice, size) {
  return h("span", { class: "dice-row" }, ...dice.map((face) => dieFace(face, size)));
}

/** Three cubes under a dome: covered, tumbling, or shown. */
export class Tumbler {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    this._cubes = [0, 1, 2].map(() =>
      h(
        "div",
        { class: "cube" },
        ...[1, 2, 3, 4, 5, 6].map((face) => h("div", { class: `cube-side cube-side-${face}`, "data-side": face })),
      ),
    );
    this._words = h("span", { class: "visually-hidden" });
    host.classList.add("tumbler");
    put(
      host,
      h("div", { class: "dome", "aria-hidden": "true" }),
      h(
        "div",
        { class: "cubes", "aria-hidden": "true" },
        ...this._cubes.map((cube) => h("div", { class: "cube-place" }, cube)),
      ),
      h("div", { class: "plate", "aria-hidden": "true" }),
      this._words,
    );
    this.paint();
    tumblers.add(this);
    this.cover();
  }

  /** Paint the faces on the cubes. */
  paint() {
    for (const cube of this._cubes)
      for (const side of /** @type {Iterable<HTMLElement>} */ (cube.children))
        put(side, s("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" }, ...pips(Number(side.dataset.side))));
  }

  /** Covered and still. */
  cover() {
    this._stand("covered", t("dice.covered"));
  }

  /** Covered and tumbling. */
  tumble() {
    this._stand("tumbling", t("dice.tumbling"));
  }

  /**
   * Uncovered, as they lie.
   * @param {number[]} dice
   */
  show(dice) {
    dice.forEach((face, place) => (this._cubes[place].dataset.face = String(face)));
    this._stand("shown", t("dice.show", { dice: dice.map(faceName).join("-") }));
  }

  /**
   * @param {string} how
   * @param {string} words
   */
  _stand(how, words) {
    if (this.host.dataset.dice === how && this._words.textContent === words) return;
    this.host.dataset.dice = how;
    this._words.textContent = words;
  }
}
