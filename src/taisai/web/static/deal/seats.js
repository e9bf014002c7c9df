// Whose chips are whose on the dealer's felt: every player has a number and a colour, kept while they are at the table.
//   const marks = new SeatMarks(); marks.follow(view.seats); marks.of("ann") -> {n: 1, hue: 1}; marks.badge("ann")
//   const chips = new SeatChips(marks); chips.draw(felt, betsByBox(view), (player, box) => "paid")
// A player is told by number and colour, never by colour alone. Enters: bets by box. Leaves: SVG and elements.

import { h, s } from "../lib/dom.js";
import { chip } from "../lib/money.js";

/** @typedef {import("../felt/felt.js").Felt} Felt */

/** How many colours there are; players after them take them again, under numbers of their own. */
export const HUES = 8;
/** Stacks that are drawn in one box; the rest is counted. */
const SHOWN = 6;
const DISCS = 3;

/** Numbers and colours of the players at a table. */
export class SeatMarks {
  constructor() {
    /** @type {Map<string, number>} */
    this._numbers = new Map();
  }

  /** Who sits has the lowest number that was free; who has gone leaves it. @param {Iterable<string>} players */
  follow(players) {
    const here = new Set(players);
    for (const each of this._numbers.keys()) if (!here.has(each)) this._numbers.delete(each);
    for (const each of here) {
      if (this._numbers.has(each)) continue;
      const taken = new Set(this._numbers.values());
      let n = 1;
      while (taken.has(n)) n += 1;
      this._numbers.set(each, n);
    }
  }

  /** @param {string} player */
  of(player) {
    const n = this._numbers.get(player) ?? 0;
    return { n, hue: ((Math.max(n, 1) - 1) % HUES) + 1 };
  }

  /** The player's number on their colour. @param {string} player */
  badge(player) {
    const { n, hue } = this.of(player);
    return h("span", { class: `seat-badge seat-${hue}`, "aria-hidden": "true" }, n || "–");
  }
}

/**
 * Where stacks stand in a box: side by side at its foot, in two rows where one has no room.
 * @param {{x: number, y: number, width: number, height: number}} place
 * @param {number} count
 * @returns {{x: number, y: number, r: number}[]}
 */
export function standsIn(place, count) {
  const wanted = Math.max(12, Math.min(24, Math.min(place.width, place.height) * 0.24));
  const inOneRow = place.width / (2.1 * count);
  const rows = inOneRow >= Math.min(wanted, 15) || count < 2 ? 1 : 2;
  const columns = Math.ceil(count / rows);
  const r = Math.max(8, Math.min(wanted, place.width / (2.1 * columns), place.height / (2.4 * rows)));
  const step = Math.min(place.width / columns, r * 2.5);
  const left = place.x + (place.width - step * columns) / 2;
  return Array.from({ length: count }, (_, at) => ({
    x: left + step * ((at % columns) + 0.5),
    y: place.y + place.height - r * 1.15 - Math.floor(at / columns) * r * 2.25,
    r,
  }));
}

/** Everybody's stacks on a felt, each in its player's colour, with the amount on top and the number beside it. */
export class SeatChips {
  /** @param {SeatMarks} marks */
  constructor(marks) {
    this.marks = marks;
    this._layer = s("g", { class: "chips seats" });
    this._drawn = "";
  }

  /**
   * @param {Felt} felt
   * @param {Record<string, [player: string, amount: number][]>} bets by box
   * @param {(player: string, box: string) => string} look a class for a stack
   */
  draw(felt, bets, look) {
    if (this._layer.ownerSVGElement !== felt.svg) {
      felt.svg.append(this._layer);
      this._drawn = "";
    }
    const stacks = felt.areas.flatMap(([box, area], at) => this._box(felt, box, area, at, bets[box] ?? [], look));
    const now = JSON.stringify(stacks.map((each) => each.key));
    if (now === this._drawn) return;
    this._drawn = now;
    this._layer.replaceChildren(...stacks.map((each) => each.make()));
  }

  /**
   * @param {Felt} felt
   * @param {string} box
   * @param {SVGGElement} area
   * @param {number} at
   * @param {[player: string, amount: number][]} bets
   * @param {(player: string, box: string) => string} look
   */
  _box(felt, box, area, at, bets, look) {
    const shown = bets.length > SHOWN ? bets.slice(0, SHOWN - 1) : bets;
    const left = bets.length - shown.length;
    const stands = standsIn(felt.placeOf(area), shown.length + (left ? 1 : 0));
    const found = shown.map(([player, amount], place) => {
      const { n, hue } = this.marks.of(player);
      const kind = look(player, box);
      return {
        key: [at, box, player, amount, n, kind],
        make: () => seatStack(stands[place], { box, player, amount, n, hue, kind }),
      };
    });
    if (left)
      found.push({
        key: [at, box, "", left, 0, ""],
        make: () => {
          const { x, y, r } = stands[shown.length];
          return s("text", { class: "seat-more", x, y: y + r * 0.4, "font-size": r }, `+${left}`);
        },
      });
    return found;
  }
}

/**
 * @param {{x: number, y: number, r: number}} stand
 * @param {{box: string, player: string, amount: number, n: number, hue: number, kind: string}} what
 */
function seatStack({ x, y, r }, { box, player, amount, n, hue, kind }) {
  const face = chip(amount);
  const size = r * (face.length > 3 ? 0.62 : face.length > 2 ? 0.74 : 0.92);
  const discs = Array.from({ length: DISCS }, (_, level) =>
    s(
      "g",
      { class: "chip", transform: `translate(0 ${(-level * r * 0.16).toFixed(1)})` },
      s("circle", { r, class: "chip-rim" }),
      s("circle", { r: r * 0.72, class: "chip-inlay" }),
    ),
  );
  const top = -(DISCS - 1) * r * 0.16;
  return s(
    "g",
    {
      class: `stack seat-stack seat-${hue} ${kind}`,
      "data-box": box,
      "data-player": player,
      "data-amount": amount,
      transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
    },
    s(
      "g",
      { class: "stack-in" },
      ...discs,
      s("text", { class: "chip-face", y: (top + size * 0.36).toFixed(1), "font-size": size.toFixed(1) }, face),
      s("circle", { class: "seat-mark", cx: (r * 0.8).toFixed(1), cy: (top - r * 0.75).toFixed(1), r: r * 0.5 }),
      s(
        "text",
        {
          class: "seat-number",
          x: (r * 0.8).toFixed(1),
          y: (top - r * 0.75 + r * 0.24).toFixed(1),
          "font-size": (r * 0.68).toFixed(1),
        },
        n || "",
      ),
    ),
  );
}
