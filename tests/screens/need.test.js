// What the pit looks at first (pit/need.js).

import "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { byNeed, needOf, nightOf, totalsOf, winsOf } from "../../src/taisai/web/static/pit/need.js";

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

test("a report is summed for each currency, and its wins are series by period", () => {
  const zero = { rounds: 1, voided: 0, reversed: 0, staked: 10, returned: 5, win: 5, drop: 20, fills: 0, credits: 0 };
  const rows = [
    { ...zero, span: "2026-02", table: "A" },
    { ...zero, span: "2026-01", table: "A", win: -3 },
    { ...zero, span: "2026-01", table: "N", drop: 0 },
  ];
  const currencyOf = (/** @type {string} */ table) => (table === "N" ? "NZD" : "SGD");
  const totals = totalsOf(rows, currencyOf);
  assert.deepEqual(
    totals.map(({ currency, rounds, win, drop, hold }) => [currency, rounds, win, drop, hold]),
    [
      ["SGD", 2, 2, 40, 0.05],
      ["NZD", 1, 5, 0, null],
    ],
  );
  assert.deepEqual(winsOf(rows, currencyOf), [
    [
      "SGD",
      [
        ["2026-01", -3],
        ["2026-02", 5],
      ],
    ],
    ["NZD", [["2026-01", 5]]],
  ]);
});
