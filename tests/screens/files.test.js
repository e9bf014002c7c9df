// Rows as CSV: quoted where they must be, and never a formula.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.js";
import { csvOf } from "../../src/taisai/web/static/pit/files.js";

test("commas, quotes and line breaks are quoted; what a program would take for a formula is made text", () => {
  assert.equal(
    csvOf([
      ["a,b", 'say "no"', 3],
      ["=1+1", "two\nlines", "-5"],
    ]),
    '"a,b","say ""no""",3\r\n\'=1+1,"two\nlines",\'-5\r\n',
  );
});
