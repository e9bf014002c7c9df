// Forms of commands and keys of the dealer's desk, from the declared commands (deal/forms.js, deal/keys.js).

import { STATIC } from "./browser.js";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { commandOf, differing, fieldsOf, presetsOf, typedFaces } from "../../src/taisai/web/static/deal/forms.js";
import { commandOfKey, SEAT_CODE_KEY } from "../../src/taisai/web/static/deal/keys.js";
import { COMMANDS, GROUPS } from "../../src/taisai/web/static/lib/commands.js";

const TEXTS = JSON.parse(readFileSync(new URL("texts/en.json", STATIC), "utf-8"));
/** Every group that a screen of the crew shows. */
const SHOWN = Object.keys(GROUPS).filter((group) => !group.startsWith("play."));

test("a form asks for the declared fields, in their order, and not for what programs fill in", () => {
  assert.deepEqual(
    fieldsOf("correct-bet").map(({ name }) => name),
    ["player", "lies_on", "belongs_on", "amount", "ground"],
  );
  assert.deepEqual(
    fieldsOf("uncover").map(({ name }) => name),
    ["dice"],
  );
  assert.deepEqual(fieldsOf("set-limits"), []);
  assert.deepEqual(fieldsOf("collect"), []);
});

test("every command on a screen, every field of its form and every choice has a text", () => {
  const wanted = SHOWN.flatMap((group) => GROUPS[group]).flatMap((action) => [
    `deal.do.${action}`,
    ...fieldsOf(action)
      .filter(({ widget }) => widget !== "number" && widget !== "check-item")
      .flatMap(({ name, choices = [] }) => [
        ...(action === "set-up" || action === "check-item" ? [] : [`deal.field.${name}`]),
        ...choices.map((choice) => `deal.choice.${name}.${choice}`),
      ]),
  ]);
  assert.deepEqual(
    wanted.filter((key) => !(key in TEXTS)),
    [],
  );
});

test("every command with a form declares widgets that the form can show", () => {
  const source = readFileSync(new URL("deal/fields.js", STATIC), "utf-8");
  const shown = new Set([...source.matchAll(/case "([a-z-]+)":/g)].map(([, widget]) => widget));
  for (const widget of ["name", "text"]) shown.add(widget); // a plain line of text
  const elsewhere = new Set(["press", "check-item"]); // their buttons say everything
  const missing = SHOWN.flatMap((group) => GROUPS[group])
    .filter((action) => !elsewhere.has(action))
    .flatMap((action) => fieldsOf(action).filter(({ widget }) => !shown.has(widget)));
  assert.deepEqual(missing, []);
});

test("a form starts with the dice as they lie", () => {
  const round = { number: 7, dice: [1, 2, 4] };
  assert.deepEqual(presetsOf("amend-entry", round), { dice: [1, 2, 4] });
  assert.deepEqual(presetsOf("resolve-interruption", round), { readable: [1, 2, 4], dice: [1, 2, 4] });
  assert.deepEqual(presetsOf("resolve-interruption", { number: 7 }), { readable: [], dice: undefined });
  assert.deepEqual(presetsOf("correct-dice", round), {}); // what is on record is wrong
  assert.deepEqual(presetsOf("interrupt", round), {});
});

test("the faces in which two readings differ", () => {
  assert.deepEqual([differing([1, 2, 5], [4, 2, 1]), differing([4, 2, 1], [1, 2, 5])], [[5], [4]]);
  assert.deepEqual([differing([2, 2, 2], [2, 1, 2]), differing([1, 2, 4], [4, 2, 1])], [[2], []]);
});

test("faces are read as people type them", () => {
  for (const text of ["1-2-4", "124", "1 2 4", " 1, 2 and 4 "]) assert.deepEqual(typedFaces(text), [1, 2, 4], text);
  assert.deepEqual(typedFaces("7890"), []);
});

test("a command leaves out what was left empty, and keeps no, zero and none", () => {
  const values = [
    ["note", undefined],
    ["sound", false],
    ["times", 0],
    ["readable", []],
  ];
  assert.deepEqual(commandOf("inspect-dice", values), { do: "inspect-dice", sound: false, times: 0, readable: [] });
});

test("each key of the desk belongs to one command", () => {
  const keys = Object.values(COMMANDS)
    .map(({ key }) => key)
    .filter(Boolean);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(keys.includes(SEAT_CODE_KEY), false);
  assert.deepEqual(["v", "a", "x", "n"].map(commandOfKey), ["report", "pay-all", "reject-excess", "sit-down"]);
  assert.deepEqual([commandOfKey("z"), commandOfKey("")], [undefined, undefined]);
});
