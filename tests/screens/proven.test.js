// How far the journal is proven, in words (pit/proven.js).

import "./browser.js";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { loadTexts } from "../../src/taisai/web/static/lib/i18n.js";
import { provenWords } from "../../src/taisai/web/static/pit/proven.js";

const card = {
  state: "running",
  position: 1234,
  done: 1234,
  total: 1234,
  proven_at: 5e6,
  findings: 0,
  not_checked: {},
  fault: "",
  now: 0,
};

before(loadTexts);

test("the line names the record, the seconds since, findings and what could not be checked", () => {
  assert.match(provenWords(card, 12e6), /^Proven up to record 1,234, 7 seconds ago · /);
  assert.match(provenWords({ ...card, not_checked: { snapshots: 2, records: 3 } }, 12e6), /5 things could not be/);
});

test("before the first look, and when it cannot go on, the line says so instead", () => {
  assert.equal(provenWords({ ...card, state: "off", proven_at: 0 }, 12e6), "No audit runs beside the tables");
  assert.match(provenWords({ ...card, state: "failed", fault: "the database is away" }, 12e6), /database is away/);
});
