// The result of a round, bet by bet, with explanations; and the player's own rounds as replays (R6, R26).
// Enters: rounds of /api/me/rounds. Leaves: elements. Every amount is the server's.

import { mountFelt } from "../felt/felt.js";
import { get, part } from "../lib/api.js";
import { boxName, kindOf } from "../lib/boxes.js";
import { diceRow, Tumbler } from "../lib/dice.js";
import { h } from "../lib/dom.js";
import { t, tn, voidWhy } from "../lib/i18n.js";
import { dateTime, money, signed } from "../lib/money.js";
import { totalOf } from "../lib/rolls.js";
import { baize, clauseLinks, dialog, showRefusal } from "../lib/shell.js";
import { fairPanel } from "./fair.js";

/** @typedef {import("../lib/types").RoundReplay} RoundReplay */
/** @typedef {import("../lib/messages.js").Line} Line */
/** @typedef {import("../lib/types").SetUpState} SetUp */

const REVEAL_MS = 1800;

/** Whether the history is being loaded: two taps must open it once. */
let asking = false;

/**
 * The player's own rounds, newest first.
 * @param {number} count
 * @returns {Promise<RoundReplay[]>}
 */
export function ownRounds(count) {
  return get(`/api/me/rounds?count=${count}`);
}

/**
 * What a box needs to win.
 * @param {string} box
 */
export function needs(box) {
  const what = box.split(":")[1] ?? "";
  return t(`needs.${kindOf(box)}`, { n: kindOf(box) === "total" ? what : [...what].join("-") });
}

/**
 * Why a bet won or lost, in the reader's language.
 * @param {RoundReplay} round
 * @param {Line} line
 */
function why(round, line) {
  if (round.reversed) return t("result.void-later", { n: round.number, why: voidWhy(round.void) });
  if (round.void) return t("result.void", { why: voidWhy(round.void) });
  const dice = (round.dice ?? []).join("-");
  const won = line.pays !== null && line.winnings > 0;
  const words = t(line.pays === 0 ? "result.pushed" : won ? "result.won" : "result.lost", {
    box: boxName(line.box),
    needs: needs(line.box),
    dice,
  });
  const part =
    line.at_risk < line.stake ? ` ${t("result.part", { at_risk: money(line.at_risk), stake: money(line.stake) })}` : "";
  return words + part;
}

/**
 * The result of a bet in figures.
 * @param {RoundReplay} round
 * @param {Line} line
 */
function figures(round, line) {
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
        line.why &&
          h("p", { class: "muted house-words" }, `${t("result.house-words")}: `, h("q", { lang: "en" }, line.why)),
      );
    }),
  );
}

/**
 * What went back when a settled round was void afterwards, and what is owed.
 * @param {import("../lib/types").AfterVoid} after
 */
function afterVoid({ got, gave, owes, is_owed }) {
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

/**
 * Show the player's own rounds, each with its bets, marked as replays.
 * @param {SetUp} setUp
 */
export async function showHistory(setUp) {
  if (asking) return;
  asking = true;
  /** @type {RoundReplay[]} */
  let rounds;
  try {
    rounds = await ownRounds(50);
  } catch (refusal) {
    showRefusal(refusal);
    return;
  } finally {
    asking = false;
  }
  await dialog(
    t("history.title"),
    () => [
      h("p", { class: "muted" }, rounds.length ? tn("history.words", rounds.length) : t("history.none")),
      ...rounds.map((round) => {
        const replay = h("div", { class: "replay" });
        const proofs = h("div", { role: "status" });
        return h(
          "details",
          { class: "past" },
          h("summary", null, h("span", { class: "tag" }, t("history.round", { n: round.number })), headline(round)),
          h(
            "p",
            { class: "muted" },
            dateTime(round.ended_at),
            " · ",
            t("history.funds", {
              before: round.funds_before === null ? "–" : money(round.funds_before),
              after: round.funds_after === null ? "–" : money(round.funds_after),
            }),
          ),
          h("p", null, t("history.sums", { staked: money(round.staked), returned: money(round.returned) })),
          lines(round, setUp.book),
          round.commitment &&
            fairPanel({
              mine: round.contribution,
              commitment: round.commitment,
              opening: round.opening,
              all: round.contributions,
            }),
          h("button", { onclick: () => void playBack(replay, round, setUp).catch(showRefusal) }, t("history.replay")),
          h(
            "button",
            { "data-action": "proofs", onclick: () => void showProofs(proofs, round).catch(showRefusal) },
            t("history.proofs"),
          ),
          proofs,
          replay,
        );
      }),
    ],
    { class: "wide" },
  );
}

/**
 * Offer the proof of each bet of a round, and of how it was settled.
 * @param {HTMLElement} host
 * @param {RoundReplay} round
 */
async function showProofs(host, round) {
  /** @type {import("../lib/types").ProofEntry[]} */
  const found = await get(`/api/me/proofs?round=${round.number}`);
  host.replaceChildren(
    h("p", { class: "muted" }, t(found.length ? "history.proofs-words" : "history.no-proofs")),
    h(
      "ul",
      { class: "lines" },
      ...found.map((each) =>
        h(
          "li",
          null,
          h(
            "a",
            {
              class: "button",
              "data-proof": each.kind,
              href: `/api/tables/${part(round.table)}/receipts/${each.seq}`,
              download: `taisai-${round.table}-${each.seq}.json`,
            },
            t("history.save-proof"),
          ),
          " ",
          each.box ? boxName(each.box) : h("span", { lang: "en" }, each.kind),
          h("span", { class: "muted" }, ` ${dateTime(each.at)}`),
        ),
      ),
    ),
    h("p", null, h("a", { href: "/verify" }, t("nav.verify"))),
  );
}

/**
 * Replay a round: chips, dice, lights. It is labelled as a replay.
 * @param {HTMLElement} host
 * @param {RoundReplay} round
 * @param {SetUp} setUp
 */
async function playBack(host, round, setUp) {
  const dice = h("div", null);
  const cloth = h("div", { class: "felt-scroll" });
  host.replaceChildren(h("p", { class: "tag warn" }, t("history.is-replay", { n: round.number })), dice, cloth);
  const tumbler = new Tumbler(dice);
  const options = {
    book: setUp.book,
    layout: setUp.layout,
    palette: baize(),
    label: t("history.is-replay", { n: round.number }),
  };
  const stakes = Object.fromEntries(round.lines.map((line) => [line.box, line.stake]));
  const how = { own: true, denominations: setUp.denominations };
  (await mountFelt(cloth, options)).chips(stakes, how);
  if (!round.dice) return;
  tumbler.tumble();
  const shown = round.dice;
  await new Promise((go) => setTimeout(go, REVEAL_MS));
  tumbler.show(shown);
  const felt = await mountFelt(cloth, { ...options, dice: shown.join("-") });
  felt.chips(stakes, how);
  const won = round.lines.filter((line) => line.winnings > 0).map((line) => line.box);
  felt.markChips("lost", (box) => !won.includes(box));
}
