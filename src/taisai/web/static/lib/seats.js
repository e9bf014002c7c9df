// The seats of this browser: one at each table, each with its own purse.
//   if (await alsoAt("TS-C")) ...                     asks before a second seat; true when there is none yet
//   seatLink(seat)                                    the way to a seat, with what is in its purse

import { part, seats } from "./api.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { money } from "./money.js";
import { dialog } from "./shell.js";

/** @typedef {import("./types").SeatCard} SeatCard */

/** @param {SeatCard} seat */
export function seatLink({ table, funds, on_felt, currency }) {
  const purse = money(funds + on_felt, currency);
  const label = t("seats.to", { table, amount: purse });
  return h(
    "a",
    { class: "button seat-link", href: `/play?table=${part(table)}`, "data-seat": table, "aria-label": label },
    h("b", null, table),
    h("span", { class: "number" }, purse),
  );
}

/**
 * Ask whoever has a seat whether they want another at this table.
 * @param {string} table
 * @returns {Promise<boolean>}
 */
export async function alsoAt(table) {
  const others = (await seats().catch(() => [])).filter((each) => each.table !== table);
  if (!others.length) return true;
  const sure = await dialog(t("seats.second"), (/** @type {(answer: boolean | null) => void} */ close) => [
    h("p", null, t("seats.second-words", { table })),
    h("p", { class: "row" }, ...others.map(seatLink)),
    h(
      "p",
      { class: "row" },
      h(
        "button",
        { class: "main", "data-action": "second-seat", onclick: () => close(true) },
        t("home.sit-at", { table }),
      ),
      h("button", { onclick: () => close(null) }, t("cancel")),
    ),
  ]);
  return sure === true;
}
