// Drawings of felts, made by the server, as elements of this page.
//   const svg = await drawnFelt({book, layout, palette: "green"})     a fresh copy; its ids are its own
//   await winnersOf("rws-tai-sai-v6", "C", [1, 3, 6])                 the boxes that win, read off the drawing
// A drawing is parsed as a document and only drawing elements are kept: no script, no listener, no outside link.

import { getOnce, part, Refusal } from "../lib/api.js";
import { language } from "../lib/i18n.js";

const SHAPES = "svg g defs symbol use rect circle ellipse line path polygon polyline";
const WORDS = "text tspan title desc lineargradient radialgradient stop clippath";
const ALLOWED = new Set(`${SHAPES} ${WORDS}`.split(" "));

let made = 0;

/**
 * @typedef {object} Wanted
 * @property {string} book
 * @property {string} layout
 * @property {string} [palette]    green or red
 * @property {boolean} [heat]      coloured by house edge
 * @property {string} [dice]       lit for a roll, as 1-3-6
 */

/**
 * The drawing of a layout.
 * @param {Wanted} wanted
 * @returns {Promise<SVGSVGElement>}
 */
export async function drawnFelt(wanted) {
  const svg = parsed(await textOf(wanted));
  made += 1;
  if (made > 1) renameIds(svg, `felt${made}-`);
  return svg;
}

/**
 * The boxes that win on a roll, as the server draws them: for books without lights.
 * @param {string} book
 * @param {string} layout
 * @param {number[]} dice
 */
export async function winnersOf(book, layout, dice) {
  const text = await textOf({ book, layout, dice: dice.join("-") });
  return [...text.matchAll(/class="box lit" data-box="([^"]+)"/g)].map(([, box]) => box);
}

/** @param {Wanted} wanted @returns {Promise<string>} */
function textOf({ book, layout, palette, heat, dice }) {
  const asked = new URLSearchParams({ lang: language() });
  if (palette) asked.set("palette", palette);
  if (heat) asked.set("heat", "true");
  if (dice) asked.set("dice", dice);
  return getOnce(`/api/books/${part(book)}/layouts/${part(layout)}/felt.svg?${asked}`);
}

/**
 * A drawing as an element of this page; everything that is not drawing is dropped.
 * @param {string} text
 * @returns {SVGSVGElement}
 */
function parsed(text) {
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
 * Give a drawing ids of its own: two felts on a page must not share any.
 * @param {SVGSVGElement} svg
 * @param {string} prefix
 */
function renameIds(svg, prefix) {
  for (const each of svg.querySelectorAll("*")) {
    for (const { name, value } of [...each.attributes]) {
      if (name === "id") each.setAttribute(name, value.replace(/^felt-/, prefix));
      else if (value.includes("#felt-")) each.setAttribute(name, value.replaceAll("#felt-", `#${prefix}`));
    }
  }
}
