// A player's bets: what was asked, what was answered, what can be undone (play/bets.js).

import { stored } from "./browser.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Refusal } from "../../src/taisai/web/static/lib/api.js";
import { Bets, othersOn, paidBack } from "../../src/taisai/web/static/play/bets.js";

/** A table that takes every command down; the test answers. */
class FakeTable {
  you = { player: "ann" };
  seat = null;
  seq = 10;
  asked = [];
  view = {
    phase: "open",
    round: { number: 1, phase: "betting" },
    stakes: {},
    set_up: { book: "rws-tai-sai-v6", layout: "C" },
  };

  do(action, _more, { round }) {
    return new Promise((resolve, reject) => this.asked.push({ action, round, resolve, reject }));
  }

  /** Answer the oldest command; the view has it at once unless `told` is false. */
  async done({ told = true } = {}) {
    const { action, resolve } = this.asked.shift();
    const seq = this.seq + 1;
    if (told) {
      this.seq = seq;
      const mine = { ...this.view.stakes.ann };
      mine[action.box] = (mine[action.box] ?? 0) + (action.do === "place-bet" ? action.amount : -action.amount);
      this.view = { ...this.view, stakes: { ann: mine } };
    }
    resolve({ seq });
    await settled();
  }

  async refuse(code) {
    this.asked.shift().reject(new Refusal({ code, sentence: code }));
    await settled();
  }

  nextRound() {
    this.view = { ...this.view, round: { number: this.view.round.number + 1, phase: "betting" }, stakes: {} };
  }
}

/** Let everything that waits on a promise go on. */
const settled = () => new Promise((go) => setImmediate(go));

let table, bets, refused;

beforeEach(() => {
  stored.clear();
  table = new FakeTable();
  refused = [];
  bets = new Bets(table, {
    refused: (refusal, box, amount) => refused.push([refusal.code, box, amount]),
    changed() {},
  });
  bets.follow();
});

/** Place a bet and have it answered. */
async function placed(box, amount) {
  const answer = bets.place(box, amount);
  await table.done();
  return answer;
}

test("a bet lies on the felt while it is on its way, and is counted once when it has come", async () => {
  const answer = bets.place("small", 500);
  assert.deepEqual([bets.standing(), bets.stakes()], [{}, { small: 500 }]);
  await table.done({ told: false });
  assert.deepEqual([bets.standing(), bets.stakes()], [{}, { small: 500 }]);
  table.seq = 11;
  table.view = { ...table.view, stakes: { ann: { small: 500 } } };
  assert.deepEqual(bets.stakes(), { small: 500 });
  assert.equal(await answer, true);
});

test("a refused bet leaves the felt, is told, and cannot be undone", async () => {
  const answer = bets.place("small", 5);
  await table.refuse("under-minimum");
  assert.equal(await answer, false);
  assert.deepEqual(bets.stakes(), {});
  assert.deepEqual(refused, [["under-minimum", "small", 5]]);
  assert.equal(await bets.undo(), false);
});

test("undo takes back the last thing done, as a whole and in reverse", async () => {
  await placed("small", 500);
  await placed("big", 300);
  const doubled = bets.double();
  await settled();
  await table.done();
  await table.done();
  assert.equal(await doubled, true);
  assert.deepEqual(bets.stakes(), { small: 1000, big: 600 });
  void bets.undo();
  await settled();
  assert.deepEqual(
    table.asked.map(({ action }) => [action.do, action.box, action.amount]),
    [["withdraw-bet", "big", 300]],
  );
  await table.done();
  await table.done();
  assert.deepEqual(bets.stakes(), { small: 500, big: 300 });
  void bets.undo();
  await settled();
  await table.done();
  assert.deepEqual(bets.stakes(), { small: 500 });
});

test("an undo is not undone by the next one", async () => {
  await placed("small", 500);
  void bets.undo();
  await settled();
  await table.done();
  assert.equal(bets.done.length, 0);
});

test("doubling waits for what was asked before, and is for all of it", async () => {
  void bets.place("small", 500);
  const doubled = bets.double();
  await settled();
  assert.equal(table.asked.length, 1);
  await table.done();
  assert.deepEqual(
    table.asked.map(({ action }) => action.amount),
    [500],
  );
  await table.done();
  assert.equal(await doubled, true);
  assert.deepEqual(bets.stakes(), { small: 1000 });
});

test("several bets end with the first that is refused; those before it can be undone", async () => {
  table.seat = {
    last: {
      lines: [
        { box: "small", stake: 500 },
        { box: "big", stake: 900 },
        { box: "odd", stake: 5 },
      ],
    },
  };
  const rebet = bets.rebet();
  await table.done();
  await table.refuse("over-maximum");
  assert.equal(await rebet, false);
  assert.deepEqual([table.asked.length, bets.stakes()], [0, { small: 500 }]);
  void bets.undo();
  await settled();
  assert.deepEqual(table.asked[0].action, { do: "withdraw-bet", player: "ann", box: "small", amount: 500 });
});

test("every one of several bets is for the round in which they were asked for", async () => {
  await placed("small", 500);
  await placed("big", 500);
  void bets.double();
  await settled();
  table.asked[0].resolve({ seq: 12 });
  table.asked.shift();
  table.nextRound();
  await settled();
  assert.deepEqual(
    table.asked.map(({ round }) => round),
    [1],
  );
});

test("in another round nothing of the last can be undone, cleared or doubled", async () => {
  await placed("small", 500);
  const cleared = bets.place("big", 500).then(() => bets.clear());
  table.nextRound();
  bets.follow();
  assert.equal(bets.done.length, 0);
  table.asked.shift().resolve({ seq: 12 });
  assert.equal(await cleared, true);
  assert.equal(table.asked.length, 0);
});

test("an undo that waits for an answer does nothing once its round is over", async () => {
  await placed("small", 500);
  void bets.place("big", 500);
  const undone = bets.undo();
  table.nextRound();
  bets.follow();
  table.asked.shift().resolve({ seq: 12 });
  assert.equal(await undone, false);
  assert.equal(table.asked.length, 0);
});

test("withdrawing takes all of a box, and nothing of an empty one", async () => {
  await placed("small", 500);
  await placed("small", 300);
  void bets.withdraw("small");
  await settled();
  assert.deepEqual(table.asked[0].action, { do: "withdraw-bet", player: "ann", box: "small", amount: 800 });
  await table.done();
  assert.equal(await bets.withdraw("small"), false);
});

test("chips move only while bets are open and a player sits here", () => {
  assert.equal(bets.open, true);
  table.view.round.phase = "bets-closed";
  assert.equal(bets.open, false);
  table.view.round.phase = "betting";
  table.you = null;
  assert.deepEqual([bets.open, bets.player, bets.stakes()], [false, "", {}]);
});

test("favourites are kept for their layout, a dozen at most, and replaced by name", async () => {
  for (let each = 1; each <= 13; each += 1) bets.save(`bets ${each}`, { small: each });
  bets.save("bets 5", { big: 5 });
  const kept = bets.favourites();
  assert.equal(kept.length, 12);
  assert.deepEqual(kept.at(-1), { name: "bets 5", bets: { big: 5 } });
  assert.equal(
    kept.some((each) => each.name === "bets 1"),
    false,
  );
  bets.forgetFavourite("bets 5");
  assert.equal(bets.favourites().length, 11);
  table.view = { ...table.view, set_up: { book: "rws-tai-sai-v6", layout: "A" } };
  assert.deepEqual(bets.favourites(), []);
});

test("a favourite is placed box by box", async () => {
  void bets.use({ name: "lucky", bets: { "total:9": 500, small: 100 } });
  await table.done();
  await table.done();
  assert.deepEqual(bets.stakes(), { "total:9": 500, small: 100 });
});

test("the others' chips are added up box by box", () => {
  const stakes = { ann: { small: 500 }, bob: { small: 100, big: 200 }, cat: { small: 50 } };
  assert.deepEqual(othersOn(stakes, "ann"), { small: 150, big: 200 });
  assert.deepEqual(othersOn({}, "ann"), {});
});

test("what a round returned is shown for that round only, box by box", () => {
  const line = (box, returned) => ({ box, returned });
  const seat = { last: { number: 7, lines: [line("small", 1000), line("big", 0)] } };
  assert.deepEqual(paidBack(seat, 7), { small: 1000 });
  assert.deepEqual(paidBack(seat, 8), {});
  assert.deepEqual(paidBack(null, 7), {});
});

test("to virtual dice every round's bets bring 16 bytes of this browser, the same all round", async () => {
  table.view.round.commitment = "c0".repeat(32);
  bets.follow();
  void bets.place("small", 500);
  await settled();
  const first = table.asked[0].action.contribution;
  assert.match(first, /^[0-9a-f]{32}$/);
  await table.done();
  void bets.place("big", 500);
  await settled();
  assert.equal(table.asked[0].action.contribution, first);
  await table.done();
  table.nextRound();
  table.view.round.commitment = "c1".repeat(32);
  bets.follow();
  void bets.place("small", 500);
  await settled();
  assert.notEqual(table.asked[0].action.contribution, first);
});

test("to dice that people can see a bet brings nothing", async () => {
  bets.follow();
  void bets.place("small", 500);
  await settled();
  assert.ok(!("contribution" in table.asked[0].action));
});

test("a bet in the player's colour is asked for in that colour", async () => {
  void bets.place("small", 500, "red");
  await settled();
  assert.deepEqual(table.asked[0].action, { do: "place-bet", player: "ann", box: "small", amount: 500, colour: "red" });
  await table.done();
  void bets.undo();
  await settled();
  assert.deepEqual(table.asked[0].action, { do: "withdraw-bet", player: "ann", box: "small", amount: 500 });
});
