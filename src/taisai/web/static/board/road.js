// A road as columns of beads, for the board and for the side of the player's felt.
//   drawRoad(host, sides, {columns: 40})
// Enters: the sides of completed rounds, oldest first. Leaves: elements; each bead has its letter: colour is not all.

import { h, put } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { roadOf } from "./roads.js";

const ROWS = 6;

/** A side of a road as a bead. @param {import("./roads.js").Side} side */
export function bead(side) {
  return h("span", { class: `bead ${side}`, title: t(`board.${side}`) }, t(`board.${side}-short`));
}

/**
 * Draw a road, scrolled to its end.
 * @param {Element} host
 * @param {import("./roads.js").Side[]} sides
 * @param {{columns: number}} how
 */
export function drawRoad(host, sides, { columns }) {
  put(
    host,
    ...roadOf(sides, ROWS)
      .slice(-columns)
      .map((column) => h("div", { class: "column" }, ...column.map(bead))),
  );
  host.scrollLeft = host.scrollWidth;
}
