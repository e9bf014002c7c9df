// The felt: a layout drawn by the server, made touchable.
//   const felt = await mountFelt(host, {book, layout, palette, name: (box) => "...", onPick: (box) => ...});
//   felt.chips({small: 500}, {own: true, denominations})   stacks on boxes; own at the right, the others' at the left
//   felt.light(["small"]); felt.light(null)                 winners glow and the rest is dimmed; null is daylight
//   felt.mark("full", boxes)                                a class on exactly these boxes
//   felt.names((box) => "...")                              accessible names anew (stakes changed)
//   await winnersOf(book, layout, [1, 3, 6])                 the boxes that win, for books without lights
//   felt.showSection(["total"])                             scroll a part of a large felt into sight
// The SVG is read as a document and only drawing elements are taken over: no script, no listener, no link to
// elsewhere. Boxes are buttons: one of them is in the tab order, arrow keys go to the nearest in that direction.

import { Refusal } from "./api.js";
import { kindOf } from "./boxes.js";
import { s } from "./dom.js";
import { chip } from "./money.js";

const SHAPES = "svg g defs symbol use rect circle ellipse line path polygon polyline";
const WORDS = "text tspan title desc lineargradient radialgradient stop clippath";
const ALLOWED = new Set(`${SHAPES} ${WORDS}`.split(" "));
/** Chips of a rail: a colour each, cheapest first; the number on it says the same. */
export const CHIP_COLOURS = ["chip-0", "chip-1", "chip-2", "chip-3", "chip-4", "chip-5", "chip-6", "chip-7"];
const LAYERS_MOST = 6;
const OWN_X = 0.74;
const OTHERS_X = 0.26;

let mounted = 0;
/** @type {Map<string, Promise<string>>} */
const drawings = new Map();

/**
 * @typedef {object} FeltOptions
 * @property {string} [book]
 * @property {string} [layout]
 * @property {string} [url]        another drawing than that of book and layout
 * @property {string} [palette]    green or red
 * @property {boolean} [heat]      coloured by house edge
 * @property {string} [dice]       lit for a roll, as 1-3-6
 * @property {string} [label]      the accessible name of the whole
 * @property {(box: string) => string} [name]    the accessible name of a box
 * @property {(box: string, event: Event) => void} [onPick]   without it boxes are no buttons
 * @property {(box: string | null) => void} [onPoint]         a box is pointed at or has the focus; null is none
 */

/**
 * Draw a felt into an element.
 * @param {HTMLElement} host
 * @param {FeltOptions} options
 * @returns {Promise<Felt>}
 */
export async function mountFelt(host, options) {
  const asked = new URLSearchParams();
  if (options.palette) asked.set("palette", options.palette);
  if (options.heat) asked.set("heat", "true");
  if (options.dice) asked.set("dice", options.dice);
  const { book = "", layout = "" } = options;
  const drawn = `/api/books/${encodeURIComponent(book)}/layouts/${encodeURIComponent(layout)}/felt.svg`;
  const svg = read(await drawing(`${options.url ?? drawn}?${asked}`));
  mounted += 1;
  if (mounted > 1) rename(svg, `felt${mounted}-`);
  host.replaceChildren(svg);
  return new Felt(host, svg, options);
}

/**
 * The boxes that win on a roll, as the house draws them: for tables whose book has no lights.
 * @param {string} book
 * @param {string} layout
 * @param {number[]} dice
 */
export async function winnersOf(book, layout, dice) {
  const path = `/api/books/${encodeURIComponent(book)}/layouts/${encodeURIComponent(layout)}/felt.svg`;
  const text = await drawing(`${path}?dice=${dice.join("-")}`);
  return [...text.matchAll(/class="box lit" data-box="([^"]+)"/g)].map(([, box]) => box);
}

/** @param {string} url */
function drawing(url) {
  let found = drawings.get(url);
  if (!found) {
    found = fetch(url, { credentials: "same-origin" })
      .then((response) => {
        if (!response.ok)
          throw new Refusal({ code: "broken", sentence: "The felt could not be drawn." }, response.status);
        return response.text();
      })
      .catch((error) => {
        throw error instanceof Refusal ? error : new Refusal({ code: "offline", sentence: "The felt did not come." });
      });
    drawings.set(url, found);
    found.catch(() => drawings.delete(url));
  }
  return found;
}

/**
 * A drawing as an element of this page; whatever is not drawing is left away.
 * @param {string} text
 * @returns {SVGSVGElement}
 */
function read(text) {
  const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (root.localName !== "svg") throw new Refusal({ code: "broken", sentence: "The felt could not be drawn." });
  for (const each of [root, ...root.querySelectorAll("*")]) {
    if (!ALLOWED.has(each.localName.toLowerCase())) {
      each.remove();
      continue;
    }
    for (const { name, value } of [...each.attributes]) {
      const outward = /href$/i.test(name) && !value.startsWith("#");
      if (/^on/i.test(name) || name === "style" || outward) each.removeAttribute(name);
    }
  }
  return /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.importNode(root, true)));
}

/**
 * Other ids than those of the felts before: two on a page must not share them.
 * @param {SVGSVGElement} svg
 * @param {string} prefix
 */
function rename(svg, prefix) {
  for (const each of svg.querySelectorAll("*")) {
    for (const { name, value } of [...each.attributes]) {
      if (name === "id") each.setAttribute(name, value.replace(/^felt-/, prefix));
      else if (value.includes("#felt-")) each.setAttribute(name, value.replaceAll("#felt-", `#${prefix}`));
    }
  }
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
    /** Every area of the cloth with its box: some layouts have a box on either side. @type {[string, SVGGElement][]} */
    this.areas = [...svg.querySelectorAll("g.box[data-box]")].map((each) => {
      const area = /** @type {SVGGElement} */ (each);
      return [area.dataset.box ?? "", area];
    });
    /** The first area of each box. @type {Map<string, SVGGElement>} */
    this.boxes = new Map([...this.areas].reverse());
    /** @type {Map<Element, {x: number, y: number, width: number, height: number}>} */
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
    const to = this._neighbour(area, event.key);
    if (to) {
      event.preventDefault();
      this._rove(to);
      to.focus();
    }
  }

  /**
   * The nearest area in the direction of an arrow key.
   * @param {SVGGElement} area
   * @param {string} key
   * @returns {SVGGElement | null}
   */
  _neighbour(area, key) {
    const all = this.areas.map(([, each]) => each);
    if (key === "Home") return all[0];
    if (key === "End") return all[all.length - 1];
    const toward = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    if (!toward) return null;
    const from = this._placeOf(area);
    let best = null;
    let least = Infinity;
    for (const each of all) {
      if (each === area) continue;
      const to = this._placeOf(each);
      const dx = to.x + to.width / 2 - from.x - from.width / 2;
      const dy = to.y + to.height / 2 - from.y - from.height / 2;
      const along = dx * toward[0] + dy * toward[1];
      const across = Math.abs(dx * toward[1]) + Math.abs(dy * toward[0]);
      if (along > 1 && along + across * 3 < least) {
        least = along + across * 3;
        best = each;
      }
    }
    return best;
  }

  /** Put the focus on a box. @param {string} box */
  focus(box) {
    const area = this.boxes.get(box);
    if (!area) return;
    this._rove(area);
    area.focus();
  }

  /** One area is in the tab order. @param {SVGGElement} area */
  _rove(area) {
    for (const [, each] of this.areas) {
      const wanted = each === area ? "0" : "-1";
      if (each.getAttribute("tabindex") !== wanted) each.setAttribute("tabindex", wanted);
    }
  }

  /**
   * Accessible names, and what a mouse sees on hover.
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
   * Where a box lies, in the units of the drawing.
   * @param {string} box
   */
  place(box) {
    return this._placeOf(this.boxes.get(box) ?? this.svg);
  }

  /** @param {SVGGraphicsElement} area */
  _placeOf(area) {
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
   * Winners glow, the rest steps back; null is daylight.
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
   * Exactly these boxes have a class.
   * @param {string} name
   * @param {Iterable<string>} boxes
   */
  mark(name, boxes) {
    const marked = new Set(boxes);
    for (const [box, each] of this.areas) each.classList.toggle(name, marked.has(box));
  }

  /**
   * Chips on boxes, in place of those that lay there.
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
      const made = this._stack(box, area, amount, own, denominations);
      made.dataset.area = String(place);
      if (before) before.replaceWith(made);
      else layer.append(made);
    });
    for (const each of lying.values()) each.remove();
  }

  /**
   * Say what becomes of stacks: "won" and "lost" move by the style sheet.
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

  /**
   * @param {string} box
   * @param {SVGGElement} area
   * @param {number} amount
   * @param {boolean} own
   * @param {number[]} denominations
   */
  _stack(box, area, amount, own, denominations) {
    const place = this._placeOf(area);
    const room = Math.min(place.width, place.height);
    const r = Math.max(13, Math.min(own ? 30 : 22, room * (own ? 0.3 : 0.22)));
    const wide = place.width > r * 3.4;
    const x = place.x + place.width * (wide ? (own ? OWN_X : OTHERS_X) : own ? 0.62 : 0.36);
    const y = place.y + place.height - r * 1.15;
    const discs = layers(amount, denominations).map(({ colour }, level) => {
      const up = -level * r * 0.22;
      return s(
        "g",
        {
          class: `chip ${own ? CHIP_COLOURS[colour % CHIP_COLOURS.length] : "chip-other"}`,
          transform: `translate(0 ${up.toFixed(1)})`,
        },
        s("circle", { r, class: "chip-rim" }),
        s("circle", { r: r * 0.84, class: "chip-dash", "stroke-width": (r * 0.3).toFixed(1) }),
        s("circle", { r: r * 0.68, class: "chip-inlay" }),
      );
    });
    const face = chip(amount);
    const top = -(discs.length - 1) * r * 0.22;
    const size = r * (face.length > 3 ? 0.56 : face.length > 2 ? 0.66 : 0.8);
    const words = s(
      "text",
      { class: "chip-face", y: (top + size * 0.36).toFixed(1), "font-size": size.toFixed(1) },
      face,
    );
    return s(
      "g",
      {
        class: "stack",
        "data-box": box,
        "data-amount": amount,
        transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
      },
      s(
        "g",
        { class: "stack-in" },
        s("ellipse", { class: "stack-shadow", cy: r * 0.25, rx: r * 1.08, ry: r }),
        ...discs,
        words,
      ),
    );
  }

  // ---------------------------------------------------------------- large felts on small screens

  /**
   * Scroll the boxes of some kinds into sight.
   * @param {string[]} kinds
   */
  showSection(kinds) {
    const boxes = [...this.boxes.keys()].filter((box) => kinds.includes(kindOf(box)));
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

/**
 * The chips of a stack, largest at the bottom; a long one is cut.
 * @param {number} amount
 * @param {number[]} denominations
 * @returns {{colour: number}[]}
 */
function layers(amount, denominations) {
  const found = [];
  let left = amount;
  const values = [...denominations].sort((one, two) => one - two);
  for (let place = values.length - 1; place >= 0; place -= 1) {
    while (left >= values[place] && found.length < LAYERS_MOST) {
      found.push({ colour: place });
      left -= values[place];
    }
  }
  return found.length ? found : [{ colour: 0 }];
}
