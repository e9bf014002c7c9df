// What the pit looks at first: the night in sums, and the tables in the order in which they need somebody. Pure.
//   nightOf(cards) -> [{currency, win, drop, hold, exposure}, ...];  needOf(card) -> 0, 1 or 2;  byNeed(cards)
// Sums are of the server's figures, each currency by itself.

/** @typedef {import("../lib/types").PitCard} PitCard */

/** Alerts that mean that play stands still, or that the record is in doubt. */
export const GRAVE = new Set([
  ...["broken", "interrupted", "suspended", "count-differs", "audit-finding"],
  ...["log-behind", "log-failed", "witness-refused", "cosignatures-overdue"],
]);

/**
 * The shifts of tonight, one sum for each currency.
 * @param {PitCard[]} cards
 */
export function nightOf(cards) {
  const found = new Map();
  for (const card of cards) {
    if (!card.currency) continue;
    const sum = found.get(card.currency) ?? { currency: card.currency, win: 0, drop: 0, exposure: 0 };
    sum.win += card.win;
    sum.drop += card.drop;
    sum.exposure += card.exposure?.loss ?? 0;
    found.set(card.currency, sum);
  }
  return [...found.values()].map((each) => ({ ...each, hold: each.drop ? each.win / each.drop : null }));
}

/**
 * How much a table needs somebody: 2 when play stands still, 1 when somebody should look, 0 otherwise.
 * @param {PitCard} card
 */
export function needOf(card) {
  if (card.broken || card.interrupted || card.suspended) return 2;
  return card.disputes || card.flags.length || card.dice_health?.alarm ? 1 : 0;
}

/**
 * Tables that need somebody first, then those that are open, then by name.
 * @param {PitCard[]} cards
 */
export function byNeed(cards) {
  const rank = (/** @type {PitCard} */ card) => needOf(card) * 2 + (card.phase === "open" ? 1 : 0);
  return [...cards].sort((one, two) => rank(two) - rank(one) || one.table.localeCompare(two.table));
}

/** What of a report is summed. */
export const SUMS = ["rounds", "voided", "reversed", "staked", "returned", "win", "drop", "fills", "credits"];

/**
 * The rows of a report in sums, one for each currency, with the hold of the sums.
 * @param {Record<string, any>[]} rows
 * @param {(table: string) => string} currencyOf
 * @returns {Record<string, any>[]}
 */
export function totalsOf(rows, currencyOf) {
  /** @type {Map<string, Record<string, any>>} */
  const found = new Map();
  for (const row of rows) {
    const currency = currencyOf(row.table);
    const sum = found.get(currency) ?? { currency, ...Object.fromEntries(SUMS.map((each) => [each, 0])) };
    for (const each of SUMS) sum[each] += row[each];
    found.set(currency, sum);
  }
  return [...found.values()].map((each) => ({ ...each, hold: each.drop ? each.win / each.drop : null }));
}

/**
 * Wins by period, one series for each currency, the oldest first.
 * @param {Record<string, any>[]} rows
 * @param {(table: string) => string} currencyOf
 * @returns {[currency: string, bars: [span: string, win: number][]][]}
 */
export function winsOf(rows, currencyOf) {
  /** @type {Map<string, Map<string, number>>} */
  const found = new Map();
  for (const row of rows) {
    const series = found.get(currencyOf(row.table)) ?? new Map();
    series.set(row.span, (series.get(row.span) ?? 0) + row.win);
    found.set(currencyOf(row.table), series);
  }
  return [...found].map(([currency, series]) => [currency, [...series].sort(([one], [two]) => one.localeCompare(two))]);
}
