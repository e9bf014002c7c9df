// The player's own rounds as replays, each with its bets and proofs (R6, R26); loaded when somebody asks for it.
//   await showHistory(setUp)
// Enters: rounds of /api/me/rounds. Leaves: a dialog. Every amount is the server's.

import { mountFelt } from "../felt/felt.js";
import { get, part } from "../lib/api.js";
import { boxName } from "../lib/boxes.js";
import { Tumbler } from "../lib/dice.js";
import { h } from "../lib/dom.js";
import { t, tn } from "../lib/i18n.js";
import { dateTime, money } from "../lib/money.js";
import { baize, dialog, showRefusal } from "../lib/shell.js";
import { fairPanel } from "./fair.js";
import { headline, lines, ownRounds } from "./result.js";

/** @typedef {import("../lib/types").RoundReplay} RoundReplay */
/** @typedef {import("../lib/types").SetUpState} SetUp */

const REVEAL_MS = 1800;

/** Whether the history is being loaded: two taps must open it once. */
let asking = false;

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
