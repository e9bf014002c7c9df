// What the screens show of a round: its bets, its dice until the next round opens, the countdown. Pure.

/** @typedef {import("./types").RoundView} Round */
/** @typedef {import("./types").Until} Until */
/** @typedef {{round: number, dice: number[], lit: string[]}} Rolled */

/** Seconds left that are announced to people who do not see the countdown. */
const SPOKEN_S = [10, 5];
/** How long the bar of a step outside the betting runs, in microseconds. */
const STEP_US = 4e6;
const SOON_S = 5;

/**
 * Dice and lights to show: those of the round, which stay after it has ended until the next one opens.
 * @param {Rolled | null} shown what was shown before
 * @param {Round} round
 * @returns {Rolled | null}
 */
export function rolledIn(shown, round) {
  if (round.dice) {
    const known = shown?.round === round.number ? shown.lit : [];
    return { round: round.number, dice: round.dice, lit: round.lit.length ? round.lit : known };
  }
  return round.phase === "betting" || round.phase === "bets-closed" ? null : shown;
}

/**
 * Whether the dice are tumbling: an automatic dealer says so; at a dealer's table they tumble until uncovered.
 * @param {{mode: string, until: Until | null}} table
 * @param {Round} round
 */
export function isTumbling({ mode, until }, round) {
  return until?.what === "tumbling" || (mode !== "automatic" && round.phase === "bets-closed" && round.tumbles > 0);
}

/**
 * The countdown to the next step: whole seconds while bets are open, the share of time left, and whether to
 * announce the seconds.
 * @param {Until | null} until
 * @param {Round} round
 * @param {number} now in microseconds
 */
export function countdown(until, round, now) {
  if (!until || until.at === null) return null;
  const betting = round.phase === "betting";
  const left = Math.max(0, until.at - now);
  const whole = Math.max(1e6, betting ? until.at - round.opened_at : STEP_US);
  const seconds = Math.ceil(left / 1e6);
  return {
    seconds: betting ? seconds : null,
    share: Math.min(1, left / whole),
    soon: betting && left < SOON_S * 1e6,
    spoken: betting && SPOKEN_S.includes(seconds),
  };
}

/**
 * Everybody's bets on a box: as they are placed, or as they were fixed at the close.
 * @param {Pick<import("./types").PublicView, "round" | "stakes">} view
 * @param {string} box
 * @returns {[player: string, amount: number][]}
 */
export function betsOn({ round, stakes }, box) {
  if (round.phase !== "betting") return round.bets.filter((bet) => bet[1] === box).map((bet) => [bet[0], bet[2]]);
  return Object.entries(stakes)
    .filter(([, each]) => each[box])
    .map(([player, each]) => [player, each[box]]);
}

/**
 * Everybody's bets by box, in the order of the seats.
 * @param {Pick<import("./types").PublicView, "round" | "stakes">} view
 */
export function betsByBox({ round, stakes }) {
  /** @type {Record<string, [player: string, amount: number][]>} */
  const found = {};
  const lay = (/** @type {string} */ player, /** @type {string} */ box, /** @type {number} */ amount) =>
    amount && (found[box] ??= []).push([player, amount]);
  if (round.phase !== "betting") for (const [player, box, amount] of round.bets) lay(player, box, amount);
  else
    for (const [player, boxes] of Object.entries(stakes))
      for (const [box, amount] of Object.entries(boxes)) lay(player, box, amount);
  return found;
}
