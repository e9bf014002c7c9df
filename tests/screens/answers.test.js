// A trainee's answers to a drill (train/answers.js).

import "./browser.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { setCurrency } from "../../src/taisai/web/static/lib/money.js";
import { clock, payable, paymentsOf, typedAmount, withChip } from "../../src/taisai/web/static/train/answers.js";

beforeEach(() => setCurrency("SGD"));

const bet = (player, box) => ({ player, box, stake: 500, chips: 0 });
const DRILL = { limits: null, bets: [bet("ann", "small"), bet("ann", "big"), bet("bob", "small")] };

test("time is shown in minutes and seconds", () => {
  assert.deepEqual([0, 9, 61, 600].map(clock), ["0:00", "0:09", "1:01", "10:00"]);
});

test("amounts are read with and without signs and separators", () => {
  const typed = {
    "": 0,
    " ": 0,
    25: 2500,
    "2.50": 250,
    "2,5": null,
    "$1,250.50": 125_050,
    "1'000": 100_000,
    "12,500": 1_250_000,
  };
  for (const [text, amount] of Object.entries(typed)) assert.equal(typedAmount(text), amount, text);
  for (const text of ["a lot", "1.005", "-5", "1.2.3"]) assert.equal(typedAmount(text), null, text);
});

test("chips add up on what is typed; what cannot be read counts as nothing", () => {
  assert.equal(withChip(withChip(withChip("", 2500), 2500), 50), "50.50");
  assert.equal(withChip("a lot", 100), "1");
  assert.equal(withChip("50", null), "");
});

test("collected bets are paid nothing, unless limits apply and a part goes back", () => {
  const collected = new Set(["big"]);
  assert.deepEqual(
    payable(DRILL, collected).map(({ box }) => box),
    ["small", "small"],
  );
  assert.equal(payable({ ...DRILL, limits: {} }, collected).length, 3);
});

test("every payment has an amount, and what was not typed is nothing", () => {
  const { payments, wrong } = paymentsOf(DRILL, new Set(["big"]), new Map([["ann|small", "5"]]));
  assert.equal(wrong, null);
  assert.deepEqual(payments, [
    { player: "ann", box: "small", amount: 500 },
    { player: "bob", box: "small", amount: 0 },
  ]);
});

test("the first bet whose amount cannot be read is named", () => {
  const { wrong } = paymentsOf(
    DRILL,
    new Set(),
    new Map([
      ["ann|big", "lots"],
      ["bob|small", "?"],
    ]),
  );
  assert.equal(wrong, DRILL.bets[1]);
});
