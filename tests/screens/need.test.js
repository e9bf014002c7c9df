// What the pit looks at first (pit/need.js).

import "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { byNeed, needOf, nightOf } from "../../src/taisai/web/static/pit/need.js";

/** @param {string} table @param {Record<string, any>} [more] @returns {any} */
const card = (table, more = {}) => ({
  table,
  phase: "open",
  currency: "SGD",
  win: 0,
  drop: 0,
  flags: [],
  disputes: 0,
  broken: "",
  interrupted: "",
  suspended: "",
  dice_health: null,
  ...more,
});

test("each currency is summed by itself, and the hold is of the sums", () => {
  const cards = [
    card("A", { win: 300, drop: 1000, exposure: { staked: 5, loss: 50 } }),
    card("B", { win: -100, drop: 1000 }),
    card("C", { currency: "NZD", win: 7, drop: 0 }),
    card("D", { currency: null }),
  ];
  assert.deepEqual(nightOf(cards), [
    { currency: "SGD", win: 200, drop: 2000, exposure: 50, hold: 0.1 },
    { currency: "NZD", win: 7, drop: 0, exposure: 0, hold: null },
  ]);
});

test("tables that stand still come first, then those that somebody should look at, closed ones last", () => {
  const cards = [
    card("A", { phase: "closed" }),
    card("B"),
    card("C", { disputes: 1 }),
    card("D", { suspended: "lights" }),
    card("E", { dice_health: { alarm: true } }),
  ];
  assert.deepEqual(
    byNeed(cards).map((each) => each.table),
    ["D", "C", "E", "B", "A"],
  );
  assert.deepEqual(byNeed(cards).map(needOf), [2, 1, 1, 0, 0]);
});
