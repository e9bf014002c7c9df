// Roads and shares of the completed rounds, beside the felt; loaded after the table is drawn.
//   drawPast(host, view.results)

import { bead, drawRoad } from "../board/road.js";
import { shares, sidesOf } from "../board/roads.js";
import { h, put } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { number, percent } from "../lib/money.js";

const COLUMNS = 14;

/**
 * @param {HTMLElement} host
 * @param {import("../lib/types").PublicView["results"]} results
 */
export function drawPast(host, results) {
  const rolls = results.flatMap((each) => (each.dice && !each.void ? [each.dice] : []));
  const size = h("div", { class: "road" });
  const parity = h("div", { class: "road" });
  const told = shares(rolls).map(([side, share]) =>
    h("li", null, bead(side), " ", h("b", { class: "number" }, share === null ? "–" : percent(share, 0))),
  );
  put(
    host,
    h("h3", null, t("board.size-road")),
    size,
    h("h3", null, t("board.parity-road")),
    parity,
    h("ul", { class: "shares" }, ...told),
    h("p", { class: "muted" }, t("board.of", { n: number(rolls.length) }), ". ", t("board.prevails")),
  );
  const sides = rolls.map(sidesOf);
  drawRoad(
    size,
    sides.map((each) => each.size),
    { columns: COLUMNS },
  );
  drawRoad(
    parity,
    sides.map((each) => each.parity),
    { columns: COLUMNS },
  );
}
