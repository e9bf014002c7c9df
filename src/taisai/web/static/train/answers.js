// The trainee's answers to a drill, without the page. Pure.
//   typedAmount("1,250.50") -> 125050; nothing typed is 0; null is not an amount
//   paymentsOf(drill, collected, amounts)   what is handed over for each bet, or the bet whose amount cannot be read

import { plainMoney, typedMoney } from "../lib/money.js";

/** @typedef {import("./drill.js").Drill} Drill */
/** @typedef {import("./drill.js").Bet} Bet */

/** Minutes and seconds. @param {number} seconds */
export function clock(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** The key of a bet among the typed amounts. @param {Bet} bet */
export function keyOf(bet) {
  return `${bet.player}|${bet.box}`;
}

/**
 * An amount as trainees type it, in minor units; nothing typed is nothing paid.
 * @param {string} text
 */
export function typedAmount(text) {
  return text.trim() ? typedMoney(text) : 0;
}

/**
 * A typed amount after a chip was added to it; null takes everything away.
 * @param {string} text
 * @param {number | null} chip
 */
export function withChip(text, chip) {
  return chip === null ? "" : plainMoney((typedAmount(text) ?? 0) + chip);
}

/**
 * Bets that the trainee pays: those not collected. Where limits apply, collected bets may have a part to give back.
 * @param {Drill} drill
 * @param {Set<string>} collected
 */
export function payable(drill, collected) {
  return drill.bets.filter((bet) => drill.limits || !collected.has(bet.box));
}

/**
 * What the trainee hands over for each bet; `wrong` is the first bet whose amount cannot be read.
 * @param {Drill} drill
 * @param {Set<string>} collected
 * @param {Map<string, string>} amounts
 */
export function paymentsOf(drill, collected, amounts) {
  /** @type {{player: string, box: string, amount: number}[]} */
  const payments = [];
  for (const bet of payable(drill, collected)) {
    const amount = typedAmount(amounts.get(keyOf(bet)) ?? "");
    if (amount === null) return { payments, wrong: bet };
    payments.push({ player: bet.player, box: bet.box, amount });
  }
  return { payments, wrong: null };
}
