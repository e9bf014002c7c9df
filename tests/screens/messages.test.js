// Ids of commands, merge patches, rows of settled bets (lib/messages.js).

import "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { lineOf, merge, newId } from "../../src/taisai/web/static/lib/messages.js";

test("ids are unique and sort in the order in which they were made", () => {
  const ids = Array.from({ length: 1000 }, newId);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual([...ids].sort(), ids);
});

// The examples of RFC 7396, appendix A.
const EXAMPLES = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];
for (const [value, patch, result] of EXAMPLES)
  test(`${JSON.stringify(value)} patched with ${JSON.stringify(patch)}`, () => {
    const before = structuredClone(value);
    assert.deepEqual(merge(value, patch), result);
    assert.deepEqual(value, before, "the old view is left as it was");
  });

test("parts that a patch does not name are shared with the old view", () => {
  const view = { round: { number: 1 }, seats: { ann: {} } };
  assert.equal(merge(view, { round: { number: 2 } }).seats, view.seats);
});

test("a row becomes a settled bet by name, and a named one stays", () => {
  const line = { player: "ann", box: "small", stake: 500, at_risk: 500, pays: 1, winnings: 500, returned: 1000 };
  assert.deepEqual(lineOf(["ann", "small", 500, 500, 1, 500, 1000]), line);
  assert.equal(lineOf(line), line);
});
