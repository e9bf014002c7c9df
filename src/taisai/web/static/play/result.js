// The result of a round, bet by bet, with explanations (R6).
// Enters: rounds of /api/me/rounds. Leaves: elements. Every amount is the server's.

import { get } from "../lib/api.js";
import { boxName, needs } from "../lib/boxes.js";
import { diceRow, faceName } from "../lib/dice.js";
import { h } from "../lib/dom.js";
import { t, voidWhy } from "../lib/i18n.js";
import { money, signed } from "../lib/money.js";
import { totalOf } from "../lib/rolls.js";
import { clauseLinks } from "../lib/shell.js";

/** @typedef {import("../lib/types").RoundReplay} RoundReplay */
/** @typedef {import("../lib/messages.js").Line} Line */

/**
 * The player's own rounds, newest first.
 * @param {number} count
 * @returns {Promise<RoundReplay[]>}
 */
export function ownRounds(count) {
  return get(`/api/me/rounds?count=${count}`);
}

/**
 * Why a bet won or lost, in the reader's language.
 * @param {RoundReplay} round
 * @param {Line} line
 */
function why(round, line) {
  if (round.reversed) return t("result.void-later", { n: round.number, why: voidWhy(round.void) });
  if (round.void) return t("result.void", { why: voidWhy(round.void) });
  const dice = (round.dice ?? []).map(faceName).join("-");
  const won = line.pays !== null && line.winnings > 0;
  const words = t(line.pays === 0 ? "result.pushed" : won ? "result.won" : "result.lost", {
    box: boxName(line.box),
    needs: needs(line.box),
    dice,
  });
  return `${words} ${share(line)}`.trim();
}

/** Why less than the whole stake was at risk, if so. @param {Line} line */
function share({ box, over, at_risk, stake }) {
  if (at_risk === stake) return "";
  const amounts = { at_risk: money(at_risk), stake: money(stake) };
  if (!over) return t("result.part", amounts);
  return t(`result.over-${over.rule}`, {
    ...amounts,
    box: boxName(box),
    limit: money(over.limit),
    opposite: over.opposite ? boxName(over.opposite) : "",
    placed: money(over.placed_opposite),
  });
}

/**
 * The result of a bet in figures.
 * @param {RoundReplay} round
 * @param {Line} line
 */
export function figures(round, line) {
  if (round.void) return t("result.back", { amount: money(round.reversed ? line.stake : line.returned) });
  if (line.pays === 0) return t("result.back", { amount: money(line.returned) });
  if (line.pays === null || line.winnings === 0) return t("result.stake-lost", { stake: money(line.at_risk) });
  return t("result.stake-won", {
    stake: money(line.at_risk),
    odds: t("odds.to-1", { n: line.pays }),
    winnings: money(line.winnings),
    returned: money(line.returned),
  });
}

/**
 * Every bet of a round.
 * @param {RoundReplay} round
 * @param {string} book
 */
export function lines(round, book) {
  return h(
    "ul",
    { class: "lines" },
    ...round.lines.map((line) => {
      const won = line.winnings > 0;
      return h(
        "li",
        { class: round.void ? "" : won ? "won" : "lost" },
        h(
          "div",
          { class: "line-top" },
          h("span", { class: "mark", "aria-hidden": "true" }, round.void ? "↩" : won ? "✓" : "✕"),
          h("strong", null, boxName(line.box)),
          h("span", { class: "number" }, figures(round, line)),
        ),
        h("p", { class: "muted" }, why(round, line), " ", clauseLinks(book, line.clauses ?? [])),
      );
    }),
  );
}

/**
 * What went back when a settled round was void afterwards, and what is owed.
 * @param {import("../lib/types").AfterVoid} after
 */
export function afterVoid({ got, gave, owes, is_owed }) {
  const parts = [
    got && t("result.you-got", { amount: money(got) }),
    gave && t("result.you-gave", { amount: money(gave) }),
    owes && t("result.you-owe", { amount: money(owes) }),
    is_owed && t("result.you-are-owed", { amount: money(is_owed) }),
  ];
  return parts.filter(Boolean).join("; ");
}

/**
 * A round in one line: dice, total, net result.
 * @param {RoundReplay} round
 */
export function headline(round) {
  const sum = totalOf(round.dice ?? []);
  return h(
    "div",
    { class: "headline" },
    round.dice
      ? [diceRow(round.dice), h("strong", { class: "number" }, sum)]
      : h("strong", null, t("result.void-short")),
    round.reversed && h("strong", { class: "tag bad" }, t("result.void-short")),
    round.after_void && h("span", { class: "muted" }, afterVoid(round.after_void)),
    h("span", { class: `net number ${round.net > 0 ? "up" : round.net < 0 ? "down" : ""}` }, signed(round.net)),
  );
}
