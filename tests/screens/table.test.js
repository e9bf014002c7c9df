// A table over its socket: views, commands in doubt, rounds (lib/table.js).

import { Socket } from "./browser.js";
import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Refusal } from "../../src/taisai/web/static/lib/api.js";
import { Table } from "../../src/taisai/web/static/lib/table.js";

const VIEW = { round: { number: 7, phase: "betting" }, stakes: {} };
let table;

/** Connect, or come back, as the house answers: the view first, and the answer to a ping when all has been said. */
function live({ view = VIEW, seq = 10 } = {}) {
  const socket = Socket.latest;
  socket.open();
  socket.say({ t: "hello", you: { id: "ann", role: "player", player: "ann" }, mode: "dealer", now: Date.now() * 1000 });
  socket.say({ t: "snapshot", view, seq, until: null });
  socket.say({ t: "pong", now: Date.now() * 1000 });
  return socket;
}

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  Socket.all.length = 0;
  table = new Table("TS-C");
  table.connect();
});
afterEach(() => {
  table.close();
  mock.timers.reset();
});

test("changes follow a snapshot, and listeners are told what changed", () => {
  const heard = [];
  table.on("change", (what) => heard.push(what));
  const socket = live();
  socket.say({ t: "change", after: 10, seq: 11, patch: { stakes: { ann: { small: 500 } } }, told: [{ event: "e" }] });
  assert.deepEqual(table.view.stakes, { ann: { small: 500 } });
  assert.equal(table.seq, 11);
  assert.deepEqual(heard, [
    { patch: {}, told: [] },
    { patch: { stakes: { ann: { small: 500 } } }, told: [{ event: "e" }] },
  ]);
});

test("a change that does not follow is not applied: a snapshot is asked for, unless it is an old one", () => {
  const socket = live();
  socket.say({ t: "change", after: 12, seq: 13, patch: { stakes: { ann: {} } }, told: [] });
  assert.deepEqual([table.seq, table.view], [10, VIEW]);
  assert.deepEqual(socket.sent.at(-1), { t: "watch" });
  const asked = socket.sent.length;
  socket.say({ t: "change", after: 8, seq: 9, patch: { stakes: {} }, told: [] });
  assert.equal(socket.sent.length, asked);
});

test("a command is answered under its id", async () => {
  const socket = live();
  const done = table.do({ do: "open-dispute" });
  const { id } = socket.commands[0];
  socket.say({ t: "done", id: "somebody else's", seq: 1 });
  assert.equal(table.waiting, 1);
  socket.say({ t: "done", id, seq: 12, repeated: false });
  assert.equal((await done).seq, 12);
  assert.equal(table.waiting, 0);
});

test("a refusal names its code, its clauses and what is allowed", async () => {
  const socket = live();
  const answer = table.do({ do: "place-bet" });
  const { id } = socket.commands[0];
  socket.say({ t: "refused", id, code: "over-maximum", sentence: "Too much.", clauses: ["3.4"], allowed: "5" });
  await assert.rejects(answer, (error) => {
    assert.ok(error instanceof Refusal);
    assert.deepEqual([error.code, error.clauses, error.allowed], ["over-maximum", ["3.4"], "5"]);
    return true;
  });
});

test("a command of a round names the round on screen, or the one it was meant for; others name none", () => {
  const socket = live();
  void table.do({ do: "place-bet" });
  void table.do({ do: "place-bet" }, {}, { round: 6 });
  void table.do({ do: "buy-in" });
  assert.deepEqual(
    socket.commands.map((each) => each.round),
    [7, 6, undefined],
  );
  assert.equal("round" in socket.commands[2], false);
  for (const { id } of socket.commands) socket.say({ t: "done", id, seq: 11 });
});

test("a command in doubt is sent again under the same id, and for the same round, after coming back", async () => {
  const first = live();
  const done = table.do({ do: "place-bet", amount: 500 });
  first.close();
  assert.equal(table.state, "lost");
  mock.timers.tick(1000);
  const second = live({ view: { ...VIEW, round: { number: 8 } }, seq: 20 });
  assert.notEqual(second, first);
  assert.deepEqual(second.commands, first.commands);
  assert.equal(second.commands[0].round, 7);
  second.say({ t: "done", id: first.commands[0].id, seq: 11, repeated: true });
  assert.equal((await done).repeated, true);
});

test("a command made while the connection is lost goes out once, when it is back", async () => {
  live().close();
  const done = table.do({ do: "place-bet" });
  mock.timers.tick(1000);
  const socket = live();
  assert.equal(socket.commands.length, 1);
  socket.say({ t: "done", id: socket.commands[0].id, seq: 11 });
  await done;
});

test("coming back asks for what happened after the last record seen", () => {
  live({ seq: 42 }).close();
  mock.timers.tick(1000);
  assert.equal(Socket.latest.url, "ws://house.test/play/TS-C?after=42");
});

test("each failed attempt waits longer than the one before, up to a bound", () => {
  const waits = [];
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const before = Socket.all.length;
    Socket.latest.close();
    let waited = 0;
    for (; Socket.all.length === before; waited += 50) mock.timers.tick(50);
    waits.push(waited);
  }
  assert.ok(waits[0] <= 350, `${waits}`);
  assert.ok(waits[9] > 5000 && waits[9] <= 10_050, `${waits}`);
});

test("a table that was left answers nothing more, and says so", async () => {
  live();
  const waiting = table.do({ do: "buy-in" });
  table.close();
  await assert.rejects(waiting, { code: "offline" });
  await assert.rejects(table.do({ do: "buy-in" }), { code: "offline" });
});

test("settled bets of the own seat have names", () => {
  const socket = live();
  const row = ["ann", "small", 500, 500, 1, 500, 1000];
  socket.say({ t: "seat", seat: { player: "ann", last: { number: 6, lines: [row] } } });
  assert.equal(table.seat.last.lines[0].winnings, 500);
});
