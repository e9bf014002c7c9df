// The felt of the dealer's desk: everybody's chips, lights, boxes over a limit; and what may be done about a box.
//   const felt = new DeskFelt(host, desk, () => draw()); felt.draw(view, crew); felt.boxes();

import { Cloth } from "../felt/cloth.js";
import { boxName } from "../lib/boxes.js";
import { GROUPS } from "../lib/commands.js";
import { h } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { money } from "../lib/money.js";
import { betsOn } from "../lib/round.js";
import { dialog } from "../lib/shell.js";
import { actionButton } from "./actions.js";
import { ask } from "./ask.js";

/** @typedef {import("./actions.js").Desk} Desk */
/** @typedef {import("../lib/types").PublicView} View */
/** @typedef {import("../lib/types").CrewView} Crew */

/** What lies in a box, and what the crew may do about it. @param {Desk} desk @param {string} box */
async function showBox(desk, box) {
  const { view } = desk.table;
  if (!view) return;
  const bets = betsOn(view, box);
  const headroom = view.room?.[box];
  const chosen = await dialog(boxName(box), (/** @type {(answer: string | null) => void} */ close) => [
    bets.length
      ? h(
          "table",
          null,
          h(
            "tbody",
            null,
            ...bets.map(([player, amount]) =>
              h("tr", null, h("th", { scope: "row" }, player), h("td", { class: "number" }, money(amount))),
            ),
          ),
        )
      : h("p", { class: "muted" }, t("deal.empty-box")),
    typeof headroom === "number" &&
      h("p", { class: "muted" }, headroom > 0 ? t("play.room", { amount: money(headroom) }) : t("play.full")),
    h(
      "div",
      { class: "row" },
      ...GROUPS["deal.box"].map((action) => actionButton(desk, action, { run: () => close(action) })),
    ),
  ]);
  if (chosen) await ask(desk, chosen, { box, lies_on: box, player: bets[0]?.[0] }, { round: view.round.number });
}

/** The felt of a dealer's table. */
export class DeskFelt {
  /**
   * @param {HTMLElement} host
   * @param {Desk} desk
   * @param {() => void} drawn the felt has been loaded
   */
  constructor(host, desk, drawn) {
    this.desk = desk;
    this.cloth = new Cloth(host, { label: t("play.felt"), onPick: (box) => void showBox(desk, box) }, { drawn });
  }

  /** The boxes of the layout; until its sheet has been loaded, those that the table knows. */
  boxes() {
    return this.cloth.layout?.boxes ?? Object.keys(this.desk.table.view?.room ?? {});
  }

  /** @param {string} box */
  _words(box) {
    const total = this.desk.table.view?.totals[box];
    return total ? `${boxName(box)}${t("list.comma")}${money(total)}` : boxName(box);
  }

  /**
   * @param {View} view
   * @param {Crew | null} crew
   */
  draw(view, crew) {
    if (!view.set_up) return;
    void this.cloth.follow(view.set_up);
    const { felt } = this.cloth;
    if (!felt) return;
    const { round } = view;
    const over = round.phase === "between-rounds";
    const collected = round.phase === "collected";
    const lit = new Set(round.lit);
    const paid = new Set((crew?.payouts ?? []).filter((each) => each.returned > 0).map((each) => each.box));
    felt.chips(over ? {} : view.totals, { denominations: view.set_up.denominations });
    felt.light(lit.size && !over ? round.lit : null);
    felt.mark("picked", crew?.losers?.map((each) => each.box) ?? []);
    felt.mark("over", crew?.breaches?.map((each) => each.box) ?? []);
    felt.markChips("lost", (box) => collected && !paid.has(box));
    felt.markChips("won", (box) => collected && lit.has(box));
    felt.names((box) => this._words(box));
  }
}
