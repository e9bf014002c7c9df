// Dice with pips.
//   dieFace(5)                          a flat die as SVG, with a name for screen readers; dieFace(5, 24) in pixels
//   const tumbler = new Tumbler(host);  three cubes under a dome
//   tumbler.cover(); tumbler.tumble(); tumbler.show([1, 3, 6]);
// Ones and fours are red, as on Asian dice. With reduced motion nothing moves; the words for screen readers stay.

import { h, put, s } from "./dom.js";
import { t } from "./i18n.js";

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

/**
 * The pips of a face.
 * @param {number} face
 */
function pips(face) {
  const red = face === 1 || face === 4;
  return PIPS[face].map(([x, y]) =>
    s("circle", { cx: x, cy: y, r: face === 1 ? 15 : 9.5, class: red ? "pip red" : "pip" }),
  );
}

/**
 * A flat die.
 * @param {number} face
 * @param {number} [size] in pixels; without, the style sheet decides
 * @returns {SVGSVGElement}
 */
export function dieFace(face, size) {
  return s(
    "svg",
    { viewBox: "0 0 100 100", class: "die", role: "img", "aria-label": String(face), width: size, height: size },
    s("rect", { x: 3, y: 3, width: 94, height: 94, rx: 20, class: "die-body" }),
    ...pips(face),
  );
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
        ...[1, 2, 3, 4, 5, 6].map((face) =>
          h(
            "div",
            { class: `cube-side cube-side-${face}` },
            s("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" }, ...pips(face)),
          ),
        ),
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
    this.cover();
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
    this._stand("shown", t("dice.show", { dice: dice.join("-") }));
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
