// Names, odds and limits of boxes, as the reader sees them (lib/boxes.js).

import "./browser.js";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  boxesNamed,
  boxName,
  clausesOf,
  kindOf,
  limitOf,
  limitText,
  payText,
  raisedWords,
  signOf,
} from "../../src/taisai/web/static/lib/boxes.js";
import { setCurrency } from "../../src/taisai/web/static/lib/money.js";
import { loadTexts } from "../../src/taisai/web/static/lib/i18n.js";

before(loadTexts);

const row = (boxes, pays, more = {}) => ({ bet: "", boxes, pays, dice: null, totals: null, clauses: [], ...more });
const LAYOUT = {
  pay: [
    row(["small"], 1, { clauses: ["4.1"] }),
    row(["single:1"], 1, { dice: 1, clauses: ["4.2"] }),
    row(["single:1"], 2, { dice: 2, clauses: ["4.2", "4.3"] }),
    row(["single:1"], 3, { dice: 3, clauses: ["4.3"] }),
    row(["field"], 1, { totals: [5, 6] }),
    row(["field"], 2, { totals: [4] }),
  ],
};
const SET_UP = {
  limits: {
    unit: 100,
    default: { min: 500, max: 50_000 },
    kinds: { total: { min: 100, max: 2000 } },
    differential: {},
  },
};

test("a box is named by its kind and its faces", () => {
  const names = ["small", "total:9", "single:6", "pair:13", "triple:2", "three:124"].map(boxName);
  assert.deepEqual(names, ["Small", "Total 9", "Single 6", "Combination 1-3", "Triple 2", "Three dice 1-2-4"]);
  assert.equal(boxName("total:12"), "Total 12");
});

test("the kind of a box is what stands before the colon", () => {
  assert.equal(kindOf("any-triple"), "any-triple");
  assert.equal(kindOf("total:9"), "total");
});

test("odds are told once when they are the same, and case by case when they are not", () => {
  assert.equal(payText(LAYOUT, "small"), "1 to 1");
  assert.equal(payText(LAYOUT, "single:1"), "1 to 1 on one die, 2 to 1 on two dice, 3 to 1 on three dice");
  assert.equal(payText(LAYOUT, "field"), "1 to 1 on totals 5, 6, 2 to 1 on totals 4");
});

test("a clause that several rows cite is named once", () => {
  assert.deepEqual(clausesOf(LAYOUT, "single:1"), ["4.2", "4.3"]);
});

test("a kind without limits of its own has those of the table", () => {
  assert.deepEqual(limitOf(SET_UP, "total:9"), { min: 100, max: 2000 });
  assert.deepEqual(limitOf(SET_UP, "small"), { min: 500, max: 50_000 });
});

test("the sign has one line for all kinds that share the table's limits", () => {
  assert.deepEqual(signOf(SET_UP, ["small", "big", "total:4", "total:5"]), [
    { words: "Small, Big", limit: { min: 500, max: 50_000 } },
    { words: "Totals", limit: { min: 100, max: 2000 } },
  ]);
  assert.deepEqual(signOf(SET_UP, ["total:4"]), [{ words: "Totals", limit: { min: 100, max: 2000 } }]);
});

test("a group of boxes has its line on the sign, and a maximum for each player says so", () => {
  const each = { min: 100, max: 1000, per: "player" };
  const kinds = { "total:4/17": each, "big/small": { min: 200, max: 9000 } };
  const setUp = { limits: { ...SET_UP.limits, kinds } };
  assert.deepEqual(boxesNamed("double:1/2/big"), ["double:1", "double:2", "big"]);
  assert.equal(limitOf(setUp, "total:17"), each);
  assert.deepEqual(limitOf(setUp, "big"), { min: 200, max: 9000 });
  assert.deepEqual(limitOf(setUp, "total:9"), { min: 500, max: 50_000 });
  assert.deepEqual(
    signOf(setUp, ["small", "big", "total:4", "total:9"]).map(({ words }) => words),
    ["Totals", "Total 4, Total 17", "Big, Small"],
  );
  setCurrency("SGD");
  assert.match(limitText(each), /1(\.00)? to .*10(\.00)? for each player$/);
  assert.match(limitText(setUp.limits.default), /to/);
});

test("what a draw raised is told between the close and the dice", () => {
  const raised = [
    { box: "total:4", pays: 100 },
    { box: "double:2", pays: 18 },
  ];
  assert.equal(
    raisedWords({ phase: "bets-closed", raised }),
    "Raised in this round: Total 4 100 to 1 · Double 2 18 to 1",
  );
  assert.equal(raisedWords({ phase: "announced", raised }), "");
  assert.equal(raisedWords({ phase: "bets-closed", raised: [] }), "");
});
