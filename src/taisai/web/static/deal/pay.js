// Collecting and paying: losing boxes, then each payment with the arithmetic that a dealer checks.
// Enters: the crew's view. Leaves: elements. Every figure is the server's; nothing is computed here.

import { chipColour } from "../felt/chips.js";
import { boxName } from "../lib/boxes.js";
import { h } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { chip as chipFace, money } from "../lib/money.js";
import { clauseLinks } from "../lib/shell.js";
import { act, actionButton } from "./actions.js";

/** @typedef {import("./actions.js").Desk} Desk */
/** @typedef {import("../lib/types").Payout} Payout */

/**
 * Losing boxes, to be collected.
 * @param {Desk} desk
 */
export function losersPanel(desk) {
  const losers = desk.crew()?.losers ?? [];
  if (!losers.length) return null;
  return h(
    "section",
    { class: "panel losers" },
    h("h2", null, t("deal.losers")),
    h(
      "ul",
      { class: "boxes" },
      ...losers.map((each) =>
        h(
          "li",
          null,
          h("strong", null, boxName(each.box)),
          " ",
          h("span", { class: "number" }, money(each.amount)),
          h("span", { class: "muted" }, each.players.join(t("list.comma"))),
        ),
      ),
    ),
  );
}

/**
 * Chips to hand over, by denomination.
 * @param {Payout} each
 * @param {number[]} denominations
 */
function chips(each, denominations) {
  return h(
    "span",
    { class: "hand-over" },
    ...Object.entries(each.chips).map(([value, count]) => {
      const place = Math.max(0, denominations.indexOf(Number(value)));
      return h(
        "span",
        { class: "chip-count" },
        h("b", { class: "number" }, count),
        h("span", { "aria-hidden": "true" }, "×"),
        h("span", { class: `chip-disc chip-${chipColour(place)}` }, h("span", null, chipFace(Number(value)))),
      );
    }),
  );
}

/**
 * Payments box by box, player by player.
 * @param {Desk} desk
 */
export function payoutsPanel(desk) {
  const crew = desk.crew();
  const due = (crew?.payouts ?? []).filter((each) => each.returned > 0);
  if (!due.length) return null;
  const paying = desk.table.view?.round.phase === "collected";
  const now = paying ? due.find((each) => !each.done) : undefined;
  const denominations = desk.table.view?.set_up?.denominations ?? [];
  return h(
    "section",
    { class: "panel payouts" },
    h(
      "div",
      { class: "sheet-top" },
      h("h2", null, t(paying ? "deal.payouts" : "deal.payouts-soon")),
      paying && actionButton(desk, "pay-all", { keyed: true, run: () => void act(desk, { do: "pay-all" }) }),
    ),
    h(
      "ol",
      { class: "pay-list" },
      ...due.map((each) =>
        h(
          "li",
          { class: each.done ? "paid" : "", "aria-current": each === now ? "step" : null },
          h(
            "div",
            { class: "pay-top" },
            h("strong", null, boxName(each.box)),
            h("span", { class: "player" }, each.player),
            each.done && h("span", { class: "tag good" }, t("deal.paid")),
          ),
          h(
            "p",
            { class: "sum number" },
            each.pays === null || each.pays === 0
              ? t("deal.sum-back", { returned: money(each.returned) })
              : t("deal.sum", {
                  stake: money(each.at_risk),
                  odds: t("odds.to-1", { n: each.pays }),
                  winnings: money(each.winnings),
                  whole: money(each.stake),
                  returned: money(each.returned),
                }),
          ),
          !each.done && chips(each, denominations),
        ),
      ),
    ),
  );
}

/**
 * Boxes over a limit and bets under the minimum, while betting is open.
 * @param {Desk} desk
 */
export function breachesPanel(desk) {
  const breaches = desk.crew()?.breaches ?? [];
  if (!breaches.length) return null;
  const book = desk.table.view?.set_up?.book ?? "";
  return h(
    "section",
    { class: "panel breaches" },
    h("h2", null, t("deal.breaches")),
    h(
      "ul",
      { class: "breach-list" },
      ...breaches.map((each) => {
        const over = each.player === null;
        const action = over ? "reject-excess" : "advise-minimum";
        const run = () =>
          void act(desk, over ? { do: action, box: each.box } : { do: action, box: each.box, player: each.player });
        const which = `${each.box} ${each.player ?? ""}`;
        return h(
          "li",
          { "data-breach": which },
          h(
            "div",
            { class: "grow" },
            h("strong", null, boxName(each.box)),
            " ",
            t(over ? `deal.over.${each.rule}` : "deal.under", {
              amount: money(each.amount),
              player: each.player ?? "",
            }),
            " ",
            clauseLinks(book, each.clauses),
          ),
          actionButton(desk, action, { for: which, run }),
        );
      }),
    ),
  );
}
