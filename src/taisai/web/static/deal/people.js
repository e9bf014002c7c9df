// Players at the table, as the crew sees them: chips in hand, colour, bets; and what may be done for each.
// Enters: the crew's view. Leaves: elements, commands and seat codes.

import { part, post, Refusal } from "../lib/api.js";
import { boxName } from "../lib/boxes.js";
import { GROUPS } from "../lib/commands.js";
import { diceRow } from "../lib/dice.js";
import { h, labelled } from "../lib/dom.js";
import { t, voidWhy } from "../lib/i18n.js";
import { money, time, typedMoney } from "../lib/money.js";
import { rackOf } from "../lib/rack.js";
import { betsByBox } from "../lib/round.js";
import { dialog, roundLink } from "../lib/shell.js";
import { actionButton } from "./actions.js";
import { ask, askButton } from "./ask.js";
import { NAME_PATTERN } from "./forms.js";
import { SEAT_CODE_KEY } from "./keys.js";

/** @typedef {import("./actions.js").Desk} Desk */

const DISPUTES_SHOWN = 5;

/**
 * A player's bets, as they lie.
 * @param {import("../lib/types").PublicView} view
 * @param {string} player
 */
function betsOf(view, player) {
  const bets = Object.entries(betsByBox(view)).flatMap(([box, each]) =>
    each.filter(([whose]) => whose === player).map(([, amount]) => /** @type {[string, number]} */ ([box, amount])),
  );
  if (!bets.length || view.round.phase === "between-rounds") return null;
  return h(
    "ul",
    { class: "boxes" },
    ...bets.map(([box, amount]) => h("li", null, boxName(box), " ", h("strong", { class: "sum-of" }, money(amount)))),
  );
}

/**
 * The round before, with the way to all that is known of it.
 * @param {import("../lib/types").PublicView} view
 */
export function lastRound(view) {
  const last = view.results.at(-1);
  if (!last) return null;
  return h(
    "section",
    { class: "panel last-round", "aria-label": t("deal.last-round") },
    h("h2", null, t("deal.last-round")),
    h(
      "p",
      { class: "row" },
      h("strong", { class: "number" }, last.number),
      last.dice && diceRow(last.dice, 30),
      last.void
        ? h("span", { class: "tag bad" }, t("result.void", { why: voidWhy(last.void) }))
        : h("span", { lang: "en" }, last.call),
      last.reversed && h("span", { class: "tag bad" }, t("pit.reversed")),
      roundLink(view.table, last.number),
    ),
  );
}

/**
 * The disputes of the table, with their answers.
 * @param {Desk} desk
 */
export function disputesPanel(desk) {
  const all = Object.entries(desk.crew()?.disputes ?? {})
    .reverse()
    .slice(0, DISPUTES_SHOWN);
  if (!all.length) return null;
  return h(
    "section",
    { class: "panel" },
    h("h2", null, t("deal.disputes")),
    h(
      "ul",
      { class: "rows" },
      ...all.map(([id, each]) =>
        h(
          "li",
          { "data-dispute": id },
          h("strong", null, id),
          ` · ${each.player} · `,
          roundLink(desk.table.name, each.round, t("history.round", { n: each.round })),
          h("p", null, each.claim),
          each.resolution
            ? h("p", { class: "answer" }, each.resolution)
            : h("p", { class: "muted" }, t("deal.dispute-open")),
        ),
      ),
    ),
  );
}

/**
 * The list of players.
 * @param {Desk} desk
 * @param {import("./seats.js").SeatMarks} [marks] their numbers and colours on the felt
 */
export function playersPanel(desk, marks) {
  const crew = desk.crew();
  const view = desk.table.view;
  if (!crew || !view) return null;
  const seats = Object.entries(view.seats).filter(
    ([name, seat]) => seat.present || crew.funds[name] || crew.debts[name] || view.stakes[name],
  );
  return h(
    "section",
    { class: "panel players" },
    h(
      "div",
      { class: "sheet-top" },
      h("h2", null, t("deal.players")),
      h(
        "div",
        { class: "row" },
        ...GROUPS["deal.players"].map((action) => askButton(desk, action, { keyed: true })),
        h(
          "button",
          {
            "aria-keyshortcuts": desk.keyed ? SEAT_CODE_KEY : null,
            "data-action": "seat-code",
            onclick: () => void seatCode(desk),
          },
          t("deal.seat-code"),
          desk.keyed ? h("kbd", { "aria-hidden": "true" }, SEAT_CODE_KEY.toUpperCase()) : null,
        ),
      ),
    ),
    rackOf(view, true),
    seats.length === 0 && h("p", { class: "muted" }, t("deal.no-players")),
    h(
      "ul",
      { class: "people-list" },
      ...seats.map(([name, seat]) =>
        h(
          "li",
          { "data-player": name },
          h(
            "button",
            { class: "person", "data-action": "player", "data-for": name, onclick: () => void onePlayer(desk, name) },
            marks?.badge(name),
            h("strong", null, name),
            !seat.present && h("span", { class: "tag" }, t("deal.gone")),
            seat.colour &&
              h("span", { class: "tag" }, t("deal.colour-at", { colour: seat.colour, value: money(seat.value) })),
            h("span", { class: "number grow" }, money(crew.funds[name] ?? 0)),
            crew.debts[name] && h("span", { class: "tag bad" }, t("deal.owes", { amount: money(crew.debts[name]) })),
          ),
          askButton(desk, "buy-in", { for: name }, { player: name }),
          marks && betsOf(view, name),
        ),
      ),
    ),
  );
}

/**
 * Show what may be done for one player.
 * @param {Desk} desk
 * @param {string} player
 */
async function onePlayer(desk, player) {
  const view = desk.table.view;
  const round = view?.round.number;
  const bets = Object.entries(view?.stakes[player] ?? {});
  const colours = Object.keys(view?.set_up?.colours ?? {}).length > 0;
  const offered = GROUPS["deal.player"].filter((action) =>
    action.endsWith("-colour") ? colours : action !== "settle-debt" || Boolean(desk.crew()?.debts[player]),
  );
  const chosen = await dialog(player, (/** @type {(answer: string | null) => void} */ close) => [
    h("p", { class: "muted" }, t("deal.in-hand", { amount: money(desk.crew()?.funds[player] ?? 0) })),
    bets.length > 0 &&
      h(
        "ul",
        { class: "boxes" },
        ...bets.map(([box, amount]) =>
          h("li", null, h("strong", null, boxName(box)), " ", h("span", { class: "number" }, money(amount))),
        ),
      ),
    h("div", { class: "row" }, ...offered.map((action) => actionButton(desk, action, { run: () => close(action) }))),
  ]);
  if (chosen) await ask(desk, chosen, { player, box: bets[0]?.[0] }, { round });
}

/**
 * Create a code for one seat, to be given to a player.
 * @param {Desk} desk
 */
export async function seatCode(desk) {
  const { formDialog } = await import("./dialogs.js");
  const player = h("input", {
    name: "player",
    autocomplete: "off",
    maxlength: 64,
    pattern: NAME_PATTERN,
  });
  const amount = h("input", { name: "buy_in", inputmode: "decimal", autocomplete: "off" });
  const made = await formDialog(
    t("deal.seat-code"),
    [
      h("p", { class: "muted" }, t("deal.seat-code-words")),
      labelled(t("deal.field.player"), player),
      labelled(t("deal.do.buy-in"), amount),
    ],
    t("deal.seat-code-make"),
    () => {
      const name = player.value.trim();
      const buyIn = amount.value.trim() ? typedMoney(amount.value) : 0;
      if (buyIn === null) {
        const sentence = t("deal.bad-amount", { field: t("deal.do.buy-in") });
        throw new Refusal({ code: "bad-value", sentence, field: amount.name });
      }
      const wish = { ...(name ? { player: name } : {}), ...(buyIn ? { buy_in: buyIn } : {}) };
      return post(`/api/tables/${part(desk.table.name)}/seat-codes`, wish);
    },
  );
  if (!made) return;
  await dialog(t("deal.seat-code"), (close) => [
    h("p", { class: "seat-code number" }, made.code),
    h("p", null, t("deal.seat-code-until", { time: time(made.expires_at), who: made.player || t("deal.anybody") })),
    h("p", { class: "row" }, h("button", { class: "main", onclick: () => close(null) }, t("close"))),
  ]);
}
