// Names, odds and limits of boxes, as the reader sees them (lib/boxes.js).

import { answers } from "./browser.js";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  boxesNamed,
  boxName,
  caseText,
  clausesOf,
  kindName,
  kindOf,
  layoutOf,
  limitOf,
  limitText,
  needs,
  payText,
  raisedWords,
  signOf,
} from "../../src/taisai/web/static/lib/boxes.js";
import { setCurrency } from "../../src/taisai/web/static/lib/money.js";
import { loadTexts, voidWhy } from "../../src/taisai/web/static/lib/i18n.js";

/** What a book calls its boxes, as the house answers. */
const WORDS = {
  boxes: {
    small: { name: "Small", needs: "a total from 4 to 10 without a triple" },
    big: { name: "Big", needs: "a total from 11 to 17 without a triple" },
    "double:2": { name: "Double 2", needs: "2 on at least two dice" },
    "total:4": { name: "Total 4", needs: "a total of 4" },
    "total:9": { name: "Total 9", needs: "a total of 9" },
    "total:17": { name: "Total 17", needs: "a total of 17" },
    "red-once": { name: "Red once", needs: "red on exactly one die" },
  },
  kinds: { small: "Small", big: "Big", total: "Totals", "red-once": "Red once" },
  faces: [],
  reasons: { "no-game": "the dice were not read" },
};

before(async () => {
  await loadTexts();
  answers.set("/api/books/B/layouts/L?lang=en", { name: "B/L", pay: [], words: WORDS });
  await layoutOf("B", "L");
});

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

test("a box has the name that its book gives it, and its own id until the layout has been loaded", () => {
  assert.deepEqual(["small", "total:9", "red-once"].map(boxName), ["Small", "Total 9", "Red once"]);
  assert.deepEqual([boxName("alley:12"), needs("alley:12"), kindName("alley")], ["alley:12", "alley:12", "alley"]);
  assert.deepEqual([needs("red-once"), kindName("total")], ["red on exactly one die", "Totals"]);
});

test("a reason of the book's own is told in the book's words", () => {
  assert.equal(voidWhy("no-game"), "the dice were not read");
  assert.equal(voidWhy("bad-light"), "bad light");
});

test("a row says itself when it pays, by its own words before anything else", () => {
  const of = (more) => caseText(row(["hi"], 1, { on: "", ...more }));
  assert.equal(of({ on: "two of them", when: "n({1, 2}) == 2" }), "two of them");
  assert.deepEqual(
    [of({ dice: 2 }), of({ when: "total == 9" }), of({ totals: [5, 6] }), of({})],
    ["two dice", "total == 9", "totals 5, 6", ""],
  );
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
