// What the stage shows of a round (lib/round.js).

import assert from "node:assert/strict";
import { test } from "node:test";
import { betsOn, countdown, isTumbling, rolledIn } from "../../src/taisai/web/static/lib/round.js";

const round = (phase, more = {}) => ({ number: 7, phase, opened_at: 0, tumbles: 0, dice: null, lit: [], ...more });
const S = 1e6;

test("dice and lights stay after the round until the next one opens", () => {
  const shown = rolledIn(null, round("entered", { dice: [1, 2, 4], lit: ["small"] }));
  assert.deepEqual(shown, { round: 7, dice: [1, 2, 4], lit: ["small"] });
  assert.equal(rolledIn(shown, round("between-rounds")), shown);
  assert.equal(rolledIn(shown, round("betting", { number: 8 })), null);
  assert.equal(rolledIn(shown, round("bets-closed", { number: 8 })), null);
});

test("winners that were found for a table without lights stay for their round only", () => {
  const shown = { round: 7, dice: [1, 2, 4], lit: ["small"] };
  assert.deepEqual(rolledIn(shown, round("collected", { dice: [1, 2, 4] })).lit, ["small"]);
  assert.deepEqual(rolledIn(shown, round("announced", { number: 8, dice: [6, 6, 5] })).lit, []);
});

test("the dice tumble when the automatic dealer says so, or after a dealer has started them", () => {
  assert.equal(isTumbling({ mode: "automatic", until: { what: "tumbling", at: 1 } }, round("bets-closed")), true);
  assert.equal(isTumbling({ mode: "automatic", until: null }, round("bets-closed", { tumbles: 3 })), false);
  assert.equal(isTumbling({ mode: "dealer", until: null }, round("bets-closed", { tumbles: 3 })), true);
  assert.equal(isTumbling({ mode: "dealer", until: null }, round("bets-closed")), false);
});

test("seconds are counted while bets are open, and announced at ten and five", () => {
  const until = { what: "betting", at: 30 * S };
  const at = (now) => countdown(until, round("betting"), now * S);
  assert.deepEqual(at(0), { seconds: 30, share: 1, soon: false, spoken: false });
  assert.deepEqual(at(15), { seconds: 15, share: 0.5, soon: false, spoken: false });
  assert.deepEqual([at(19.9).seconds, at(19.9).spoken], [11, false]);
  assert.deepEqual([at(20).seconds, at(20).spoken], [10, true]);
  assert.deepEqual([at(25.5).seconds, at(25.5).soon, at(25.5).spoken], [5, true, true]);
  assert.deepEqual([at(40).seconds, at(40).share], [0, 0]);
});

test("other steps have a bar and no seconds; a step without an end has neither", () => {
  assert.deepEqual(countdown({ what: "lit", at: 10 * S }, round("entered"), 8 * S), {
    seconds: null,
    share: 0.5,
    soon: false,
    spoken: false,
  });
  assert.equal(countdown({ what: "waiting", at: null }, round("betting"), 0), null);
  assert.equal(countdown(null, round("betting"), 0), null);
});

test("bets on a box are those placed while betting is open, and those fixed at the close afterwards", () => {
  const stakes = { ann: { small: 500 }, bob: { big: 300 } };
  const bets = [
    ["ann", "small", 400, 400],
    ["bob", "big", 300, 200],
  ];
  assert.deepEqual(betsOn({ stakes, round: { phase: "betting", bets: [] } }, "small"), [["ann", 500]]);
  assert.deepEqual(betsOn({ stakes, round: { phase: "bets-closed", bets } }, "big"), [["bob", 300]]);
});
