// Stacks of chips and arrow keys on the felt (felt/chips.js, felt/felt.js).

import "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { discsOf } from "../../src/taisai/web/static/felt/chips.js";
import { neighbourOf } from "../../src/taisai/web/static/felt/felt.js";

const CHIPS = [100, 500, 2500, 10_000];

test("a stack has the fewest chips, the most valuable at the bottom", () => {
  assert.deepEqual(discsOf(13_200, CHIPS), [3, 2, 1, 0, 0]);
  assert.deepEqual(discsOf(13_200, [...CHIPS].reverse()), [3, 2, 1, 0, 0]);
  assert.deepEqual(discsOf(100, CHIPS), [0]);
});

test("a tall stack is cut, and an amount that no chip makes is one chip", () => {
  assert.equal(discsOf(1_000_000, CHIPS).length, 6);
  assert.deepEqual(discsOf(50, CHIPS), [0]);
  assert.deepEqual(discsOf(500, []), [0]);
});

/** Boxes of ten by ten in rows of three, numbered 0 to 8. */
const GRID = Array.from({ length: 9 }, (_, n) => ({
  x: (n % 3) * 12,
  y: Math.floor(n / 3) * 12,
  width: 10,
  height: 10,
}));

test("arrows lead to the next box in their direction, and nowhere past the edge", () => {
  const steps = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];
  assert.deepEqual(
    steps.map((key) => neighbourOf(GRID, 4, key)),
    [3, 5, 1, 7],
  );
  assert.deepEqual(
    steps.map((key) => neighbourOf(GRID, 0, key)),
    [-1, 1, -1, 3],
  );
});

test("straight ahead is preferred to nearer but aside", () => {
  const places = [
    { x: 0, y: 0, width: 10, height: 10 },
    { x: 12, y: 12, width: 10, height: 10 },
    { x: 40, y: 0, width: 10, height: 10 },
  ];
  assert.equal(neighbourOf(places, 0, "ArrowRight"), 2);
});

test("Home and End lead to the first and the last box; other keys nowhere", () => {
  assert.deepEqual(
    ["Home", "End", "a"].map((key) => neighbourOf(GRID, 4, key)),
    [0, 8, -1],
  );
});
