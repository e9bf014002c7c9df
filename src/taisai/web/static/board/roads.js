// Statistics of the board: roads, counts and shares of completed rounds. Pure: dice in, numbers out.

import { isTriple, totalOf } from "../lib/rolls.js";

/** @typedef {readonly number[]} Dice */
/** @typedef {"big" | "small" | "odd" | "even" | "triple"} Side */
/** @typedef {{total: number, size: Side, parity: Side}} Sides */

/** The sides of a road, in the order in which the board lists their shares. @type {Side[]} */
const SIDES = ["big", "small", "triple", "odd", "even"];

/** On which side of each road a roll falls; a triple is on neither. @param {Dice} dice @returns {Sides} */
export function sidesOf(dice) {
  const total = totalOf(dice);
  if (isTriple(dice)) return { total, size: "triple", parity: "triple" };
  return { total, size: total > 10 ? "big" : "small", parity: total % 2 ? "odd" : "even" };
}

/**
 * The columns of a road: a new one begins when the side changes or the column is full. A triple joins the column
 * before it.
 * @param {Side[]} sides oldest first
 * @param {number} rows how long a column may be
 * @returns {Side[][]}
 */
export function roadOf(sides, rows) {
  /** @type {Side[][]} */
  const columns = [];
  for (const side of sides) {
    const column = columns[columns.length - 1];
    const head = column?.find((each) => each !== "triple");
    const same = column && (side === "triple" || head === undefined || head === side);
    if (same && column.length < rows) column.push(side);
    else columns.push([side]);
  }
  return columns;
}

/** How often each total came, from 3 to 18. @param {Dice[]} rolls @returns {[number, number][]} */
export function totalCounts(rolls) {
  const totals = rolls.map(totalOf);
  return Array.from({ length: 16 }, (_, place) => [place + 3, totals.filter((each) => each === place + 3).length]);
}

/** How often each face came. @param {Dice[]} rolls @returns {[number, number][]} */
export function faceCounts(rolls) {
  const faces = rolls.flat();
  return [1, 2, 3, 4, 5, 6].map((face) => [face, faces.filter((each) => each === face).length]);
}

/**
 * The share of rolls on each side; null when there are none.
 * @param {Dice[]} rolls
 * @returns {[Side, number | null][]}
 */
export function shares(rolls) {
  const sides = rolls.map(sidesOf);
  const count = (/** @type {Side} */ side) => sides.filter((each) => each.size === side || each.parity === side).length;
  return SIDES.map((side) => [side, sides.length ? count(side) / sides.length : null]);
}
