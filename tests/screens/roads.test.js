// Roads, counts and shares of the board (board/roads.js, lib/rolls.js).

import assert from "node:assert/strict";
import { test } from "node:test";
import { faceCounts, roadOf, shares, sidesOf, totalCounts } from "../../src/taisai/web/static/board/roads.js";
import { called, isTriple, totalOf } from "../../src/taisai/web/static/lib/rolls.js";

const FACES = [1, 2, 3, 4, 5, 6];
const ALL = FACES.flatMap((one) => FACES.flatMap((two) => FACES.map((three) => [one, two, three])));
const count = (of, wanted) => ALL.filter((dice) => of(dice) === wanted).length;

test("a roll has a total and is called in ascending order", () => {
  assert.equal(totalOf([6, 1, 3]), 10);
  assert.equal(called([6, 1, 3]), "1-3-6");
  assert.equal(isTriple([4, 4, 4]), true);
  assert.equal(isTriple([4, 4, 5]), false);
});

test("over all 216 rolls each side has its known number of ways", () => {
  const size = (dice) => sidesOf(dice).size;
  const parity = (dice) => sidesOf(dice).parity;
  assert.deepEqual([count(size, "big"), count(size, "small"), count(size, "triple")], [105, 105, 6]);
  assert.deepEqual([count(parity, "odd"), count(parity, "even"), count(parity, "triple")], [105, 105, 6]);
});

test("a road begins a column when the side changes, and a triple joins the column before it", () => {
  assert.deepEqual(roadOf(["big", "big", "triple", "big", "small", "triple", "big"], 6), [
    ["big", "big", "triple", "big"],
    ["small", "triple"],
    ["big"],
  ]);
  assert.deepEqual(roadOf(["triple", "small", "big"], 6), [["triple", "small"], ["big"]]);
  assert.deepEqual(roadOf([], 6), []);
});

test("a full column is followed by another of the same side", () => {
  assert.deepEqual(
    roadOf(Array(8).fill("odd"), 3).map((column) => column.length),
    [3, 3, 2],
  );
});

test("totals and faces are counted over all rolls", () => {
  const totals = new Map(totalCounts(ALL));
  assert.deepEqual([totals.get(3), totals.get(10), totals.get(11), totals.get(18)], [1, 27, 27, 1]);
  assert.deepEqual(
    faceCounts(ALL).map(([, times]) => times),
    Array(6).fill(108),
  );
});

test("shares are of all rolls, and there are none before the first", () => {
  assert.deepEqual(
    Object.fromEntries(
      shares([
        [1, 2, 4],
        [6, 6, 6],
        [5, 5, 6],
        [4, 4, 4],
      ]),
    ),
    {
      big: 0.25,
      small: 0.25,
      triple: 0.5,
      odd: 0.25,
      even: 0.25,
    },
  );
  assert.deepEqual(
    shares([]).map(([, share]) => share),
    Array(5).fill(null),
  );
});
