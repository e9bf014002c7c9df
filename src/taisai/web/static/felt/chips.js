// Chips on the felt, as SVG: a stack of discs with its amount on top.
//   stackOf(place, 2500, {own: true, denominations: [100, 500]})

import { s } from "../lib/dom.js";
import { chip } from "../lib/money.js";

const COLOURS = 8;
const DISCS_MOST = 6;

/**
 * The number of a denomination's colour in the style sheet (chip-0, rail-0), cheapest first. The amount on the chip
 * says the same.
 * @param {number} place among the table's denominations
 */
export function chipColour(place) {
  return place % COLOURS;
}

/**
 * The discs of a stack, bottom first, as places among the denominations in ascending order. A tall stack is cut.
 * @param {number} amount
 * @param {number[]} denominations
 * @returns {number[]}
 */
export function discsOf(amount, denominations) {
  const found = [];
  let left = amount;
  const values = [...denominations].sort((one, two) => one - two);
  for (let place = values.length - 1; place >= 0; place -= 1) {
    while (left >= values[place] && found.length < DISCS_MOST) {
      found.push(place);
      left -= values[place];
    }
  }
  return found.length ? found : [0];
}

/**
 * A stack in a box: own chips at its right, those of others at its left.
 * @param {{x: number, y: number, width: number, height: number}} place where the box is
 * @param {number} amount
 * @param {{own: boolean, denominations: number[]}} how
 */
export function stackOf(place, amount, { own, denominations }) {
  const shorter = Math.min(place.width, place.height);
  const r = Math.max(13, Math.min(own ? 30 : 22, shorter * (own ? 0.3 : 0.22)));
  const wide = place.width > r * 3.4;
  const x = place.x + place.width * (wide ? (own ? 0.74 : 0.26) : own ? 0.62 : 0.36);
  const y = place.y + place.height - r * 1.15;
  const discs = discsOf(amount, denominations).map((colour, level) =>
    s(
      "g",
      {
        class: `chip chip-${own ? chipColour(colour) : "other"}`,
        transform: `translate(0 ${(-level * r * 0.22).toFixed(1)})`,
      },
      s("circle", { r, class: "chip-rim" }),
      s("circle", { r: r * 0.84, class: "chip-dash", "stroke-width": (r * 0.3).toFixed(1) }),
      s("circle", { r: r * 0.68, class: "chip-inlay" }),
    ),
  );
  const face = chip(amount);
  const top = -(discs.length - 1) * r * 0.22;
  const size = r * (face.length > 3 ? 0.56 : face.length > 2 ? 0.66 : 0.8);
  return s(
    "g",
    { class: "stack", "data-amount": amount, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` },
    s(
      "g",
      { class: "stack-in" },
      s("ellipse", { class: "stack-shadow", cy: r * 0.25, rx: r * 1.08, ry: r }),
      ...discs,
      s("text", { class: "chip-face", y: (top + size * 0.36).toFixed(1), "font-size": size.toFixed(1) }, face),
    ),
  );
}
