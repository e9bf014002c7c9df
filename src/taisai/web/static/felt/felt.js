// A felt on screen: the server's drawing of a layout, with boxes as buttons, chips and lights.
//   const felt = await mountFelt(host, {book, layout, palette, name: (box) => "...", onPick: (box) => ...});
//   felt.chips({small: 500}, {own: true, denominations})   stacks on boxes; own at the right, others' at the left
//   felt.light(["small"]); felt.light(null)                 winners glow and the rest is dimmed; null ends it
//   felt.mark("full", boxes)                                a class on exactly these boxes
//   felt.names((box) => "...")                              new accessible names (stakes changed)
//   felt.sections -> ["Totals", ...]; felt.showSection("Totals")   scrolls a part of a large felt into view
// One box is in the tab order; arrow keys move to the nearest box in that direction.

import { s } from "../lib/dom.js";
import { stackOf } from "./chips.js";
import { drawnFelt } from "./drawing.js";

/** @typedef {{x: number, y: number, width: number, height: number}} Place */
/**
 * @typedef {import("./drawing.js").Wanted & {
 *   label?: string,
 *   name?: (box: string) => string,
 *   onPick?: (box: string, event: Event) => void,
 *   onPoint?: (box: string | null) => void,
 * }} FeltOptions
 *   `label` is the accessible name of the whole felt, `name` gives that of a box. Without `onPick`, boxes are not
 *   buttons. `onPoint` is told which box is hovered or focused; null is none.
 */

/**
 * Draw a felt into an element.
 * @param {HTMLElement} host
 * @param {FeltOptions} options
 * @returns {Promise<Felt>}
 */
export async function mountFelt(host, options) {
  const svg = await drawnFelt(options);
  host.replaceChildren(svg);
  return new Felt(host, svg, options);
}

/** Steps of the arrow keys. @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * Which of some places a key leads to from one of them: the nearest in the direction of an arrow, the first by Home,
 * the last by End; -1 when it leads nowhere.
 * @param {Place[]} places
 * @param {number} from
 * @param {string} key
 */
export function neighbourOf(places, from, key) {
  if (key === "Home") return 0;
  if (key === "End") return places.length - 1;
  const toward = ARROWS[key];
  if (!toward) return -1;
  const middle = (/** @type {Place} */ each) => [each.x + each.width / 2, each.y + each.height / 2];
  const [x, y] = middle(places[from]);
  let best = -1;
  let least = Infinity;
  places.forEach((each, place) => {
    const [dx, dy] = [middle(each)[0] - x, middle(each)[1] - y];
    const along = dx * toward[0] + dy * toward[1];
    const across = Math.abs(dx * toward[1]) + Math.abs(dy * toward[0]);
    // Straight ahead counts for more than near.
    if (place !== from && along > 1 && along + across * 3 < least) {
      least = along + across * 3;
      best = place;
    }
  });
  return best;
}

/** A felt on screen. */
export class Felt {
  /**
   * @param {HTMLElement} host
   * @param {SVGSVGElement} svg
   * @param {FeltOptions} options
   */
  constructor(host, svg, options) {
    this.host = host;
    this.svg = svg;
    this.options = options;
    /** Every area with its box; some layouts have a box on either side. @type {[string, SVGGElement][]} */
    this.areas = [...svg.querySelectorAll("g.box[data-box]")].map((each) => {
      const area = /** @type {SVGGElement} */ (each);
      return [area.dataset.box ?? "", area];
    });
    /** The first area of each box. @type {Map<string, SVGGElement>} */
    this.boxes = new Map([...this.areas].reverse());
    /** @type {Map<Element, Place>} */
    this._places = new Map();
    this._lit = "";
    this._layers = { others: s("g", { class: "chips others" }), own: s("g", { class: "chips own" }) };
    svg.append(this._layers.others, this._layers.own);
    const glow = svg.querySelector("linearGradient[id$='-lit'], linearGradient[id='felt-lit']");
    this._litFill = glow ? `url(#${glow.id})` : "#ffcf3f";
    if (options.onPick) this._makeButtons();
    else if (options.label) svg.setAttribute("aria-label", options.label);
  }

  // ---------------------------------------------------------------- buttons

  _makeButtons() {
    this.svg.setAttribute("role", "group");
    this.svg.setAttribute("aria-label", this.options.label ?? "");
    this.svg.querySelector(":scope > title")?.remove();
    this.areas.forEach(([, area], place) => {
      area.setAttribute("role", "button");
      area.setAttribute("tabindex", place === 0 ? "0" : "-1");
    });
    this.names();
    this.svg.addEventListener("click", (event) => this._pick(event));
    this.svg.addEventListener("keydown", (event) => this._key(event));
    const point = (/** @type {Event} */ event) => this.options.onPoint?.(this._boxOf(event));
    this.svg.addEventListener("pointerover", point);
    this.svg.addEventListener("focusin", (event) => {
      const area = this._areaOf(event);
      if (area) this._rove(area);
      point(event);
    });
    this.svg.addEventListener("pointerleave", () => this.options.onPoint?.(null));
  }

  /** @param {Event} event @returns {SVGGElement | null} */
  _areaOf(event) {
    return /** @type {Element} */ (event.target).closest("g.box");
  }

  /** @param {Event} event */
  _boxOf(event) {
    return this._areaOf(event)?.dataset.box ?? null;
  }

  /** @param {Event} event */
  _pick(event) {
    const box = this._boxOf(event);
    if (box) this.options.onPick?.(box, event);
  }

  /** @param {KeyboardEvent} event */
  _key(event) {
    const area = this._areaOf(event);
    if (!area) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this._pick(event);
      return;
    }
    const areas = this.areas.map(([, each]) => each);
    const places = areas.map((each) => this.placeOf(each));
    const to = areas[neighbourOf(places, areas.indexOf(area), event.key)];
    if (to) {
      event.preventDefault();
      this._rove(to);
      to.focus();
    }
  }

  /** Put the focus on a box. @param {string} box */
  focus(box) {
    const area = this.boxes.get(box);
    if (!area) return;
    this._rove(area);
    area.focus();
  }

  /** Make one area the one in the tab order. @param {SVGGElement} area */
  _rove(area) {
    for (const [, each] of this.areas) {
      const wanted = each === area ? "0" : "-1";
      if (each.getAttribute("tabindex") !== wanted) each.setAttribute("tabindex", wanted);
    }
  }

  /**
   * Set the accessible names, which are also the tooltips.
   * @param {(box: string) => string} [name]
   */
  names(name = this.options.name) {
    if (!name) return;
    this.options.name = name;
    for (const [box, each] of this.areas) {
      const words = name(box);
      if (each.getAttribute("aria-label") === words) continue;
      each.setAttribute("aria-label", words);
      const title = each.querySelector(":scope > title");
      if (title) title.textContent = words;
    }
  }

  // ---------------------------------------------------------------- looks

  /**
   * Where a box is, in the units of the drawing.
   * @param {string} box
   */
  place(box) {
    return this.placeOf(this.boxes.get(box) ?? this.svg);
  }

  /** Where an area is, in the units of the drawing. @param {SVGGraphicsElement} area */
  placeOf(area) {
    let found = this._places.get(area);
    if (!found) {
      const ground = /** @type {SVGGraphicsElement | null} */ (area.querySelector(":scope > .ground"));
      const { x, y, width, height } = (ground ?? area).getBBox();
      found = { x, y, width, height };
      if (width) this._places.set(area, found);
    }
    return found;
  }

  /**
   * The areas of some boxes lie elsewhere than they are printed: chips follow them. Others lie as printed.
   * @param {Map<string, Place>} places
   */
  moved(places) {
    this._places.clear();
    for (const [box, area] of this.areas) {
      const place = places.get(box);
      if (place) this._places.set(area, place);
    }
    for (const layer of Object.values(this._layers)) layer.replaceChildren();
  }

  /**
   * Light the boxes that win and dim the rest; null ends it.
   * @param {string[] | null} lit
   */
  light(lit) {
    const now = lit === null ? "" : lit.join(" ") || "-";
    if (now === this._lit) return;
    this._lit = now;
    for (const [box, each] of this.areas) {
      const wins = lit !== null && lit.includes(box);
      each.classList.toggle("lit", wins);
      each.classList.toggle("dim", lit !== null && !wins);
      const ground = each.querySelector(".ground");
      if (!ground) continue;
      const plain = ground.getAttribute("data-fill") ?? ground.getAttribute("fill") ?? "";
      ground.setAttribute("data-fill", plain);
      ground.setAttribute("fill", wins ? this._litFill : plain);
    }
  }

  /**
   * Set a class on exactly these boxes.
   * @param {string} name
   * @param {Iterable<string>} boxes
   */
  mark(name, boxes) {
    const marked = new Set(boxes);
    for (const [box, each] of this.areas) each.classList.toggle(name, marked.has(box));
  }

  /**
   * Replace the chips on the boxes; stacks that stay the same are not drawn again.
   * @param {Record<string, number>} stakes
   * @param {{own?: boolean, denominations?: number[]}} [how]
   */
  chips(stakes, { own = false, denominations = [] } = {}) {
    const layer = own ? this._layers.own : this._layers.others;
    /** @type {Map<string, SVGGElement>} */
    const lying = new Map(
      [...layer.children].map((each) => {
        const stack = /** @type {SVGGElement} */ (each);
        return [stack.dataset.area ?? "", stack];
      }),
    );
    this.areas.forEach(([box, area], place) => {
      const amount = stakes[box];
      const before = lying.get(String(place));
      if (!amount) return;
      lying.delete(String(place));
      if (before?.dataset.amount === String(amount)) return;
      const made = stackOf(this.placeOf(area), amount, { own, denominations });
      Object.assign(made.dataset, { box, area: String(place) });
      if (before) before.replaceWith(made);
      else layer.append(made);
    });
    for (const each of lying.values()) each.remove();
  }

  /**
   * Set a class on the stacks of some boxes: the style sheet moves "won" and "lost".
   * @param {string} name
   * @param {(box: string) => boolean} which
   */
  markChips(name, which) {
    for (const layer of Object.values(this._layers)) {
      for (const each of layer.children) {
        each.classList.toggle(name, which(/** @type {SVGGElement} */ (each).dataset.box ?? ""));
      }
    }
  }

  // ---------------------------------------------------------------- large felts on small screens

  /** The parts of the felt by the names that the book gives them, in its order. */
  get sections() {
    return [...new Set(this.areas.map(([, area]) => area.dataset.section ?? ""))];
  }

  /** The part of the felt that a box belongs to. @param {string} box */
  sectionOf(box) {
    return this.boxes.get(box)?.dataset.section;
  }

  /**
   * Scroll a part of the felt into view.
   * @param {string} section
   */
  showSection(section) {
    const boxes = [...this.boxes.keys()].filter((box) => this.sectionOf(box) === section);
    this.mark("near", boxes);
    const frame = this.svg.viewBox.baseVal;
    const scale = this.svg.clientWidth / frame.width;
    const places = boxes.map((box) => this.place(box));
    if (!places.length) return;
    const left = Math.min(...places.map((each) => each.x));
    const top = Math.min(...places.map((each) => each.y));
    this.host.scrollTo({ left: (left - frame.x) * scale - 8, top: (top - frame.y) * scale - 8, behavior: "smooth" });
  }
}
