// The felt of the dealer's desk: everybody's chips, lights, boxes over a limit; and what may be done about a box.
//   const felt = new DeskFelt(host, desk, () => draw()); felt.draw(view, crew); felt.boxes();

import { Cloth } from "../felt/cloth.js";
import { boxName } from "../lib/boxes.js";
import { GROUPS } from "../lib/commands.js";
import { h } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { money } from "../lib/money.js";
import { betsByBox, betsOn } from "../lib/round.js";
import { dialog } from "../lib/shell.js";
import { actionButton } from "./actions.js";
import { ask } from "./ask.js";
import { SeatChips } from "./seats.js";

/** @typedef {import("./actions.js").Desk} Desk */
/** @typedef {import("../lib/types").PublicView} View */
/** @typedef {import("../lib/types").CrewView} Crew */

/** @param {{player: string, box: string}} bet */
const keyOf = ({ player, box }) => `${player} ${box}`;

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
   * @param {import("./seats.js").SeatMarks} marks
   * @param {{drawn: () => void, touched: (box: string) => boolean}} tell  the felt has been loaded; a box was touched
   */
  constructor(host, desk, marks, { drawn, touched }) {
    this.desk = desk;
    this.chips = new SeatChips(marks);
    const onPick = (/** @type {string} */ box) => void (touched(box) || showBox(desk, box));
    this.cloth = new Cloth(host, { label: t("play.felt"), onPick }, { drawn });
  }

  /** The boxes of the layout; until its sheet has been loaded, those that the table knows. */
  boxes() {
    return this.cloth.layout?.boxes ?? Object.keys(this.desk.table.view?.room ?? {});
  }

  /** @param {string} box */
  _words(box) {
    const { view } = this.desk.table;
    const bets = view ? betsOn(view, box) : [];
    return [boxName(box), ...bets.map(([player, amount]) => `${player} ${money(amount)}`)].join(t("list.comma"));
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
    const due = new Set((crew?.payouts ?? []).filter((each) => each.returned > 0).map(keyOf));
    const paid = new Set((crew?.payouts ?? []).filter((each) => each.done).map(keyOf));
    const look = (/** @type {string} */ player, /** @type {string} */ box) => {
      if (!collected) return "";
      const key = keyOf({ player, box });
      return due.has(key) ? (paid.has(key) ? "paid" : "won") : "lost";
    };
    this.chips.draw(felt, over ? {} : betsByBox(view), look);
    felt.light(lit.size && !over ? round.lit : null);
    felt.mark("picked", crew?.losers?.map((each) => each.box) ?? []);
    felt.mark("over", crew?.breaches?.map((each) => each.box) ?? []);
    felt.names((box) => this._words(box));
  }
}
