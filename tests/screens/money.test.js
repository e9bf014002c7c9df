// Amounts as they are printed and typed (lib/money.js).

import "./browser.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import * as m from "../../src/taisai/web/static/lib/money.js";

beforeEach(() => m.setCurrency("SGD"));

test("cents are printed only where there are some", () => {
  assert.equal(m.money(2500), "$25");
  assert.equal(m.money(2550), "$25.50");
  assert.equal(m.money(-2550), "-$25.50");
  assert.equal(m.money(123_456_700), "$1,234,567");
});

test("a currency has as many digits as it has", () => {
  assert.equal(m.money(2500, "JPY"), "¥2,500");
  assert.equal(m.money(2500, "KWD"), "KWD\u00a02.500");
  assert.equal(m.money(2500, ""), "25");
});

test("a currency that is given does not become the page's own", () => {
  m.money(2500, "JPY");
  assert.equal(m.money(2500), "$25");
});

test("a result has a sign", () => {
  assert.deepEqual([500, 0, -500].map(m.signed), ["+$5", "$0", "-$5"]);
});

test("the face of a chip is short", () => {
  const faces = [50, 100, 2500, 99_900, 100_000, 250_000, 1_000_000, 2_550_000, 100_000_000, 250_000_000].map(m.chip);
  assert.deepEqual(faces, ["0.50", "1", "25", "999", "1K", "2.5K", "10K", "25K", "1M", "2.5M"]);
});

/** Read amounts as somebody does whose browser has this locale. */
function as(locale, cases) {
  const had = navigator.languages;
  navigator.languages = [locale];
  try {
    for (const [text, amount] of cases) assert.equal(m.typedMoney(text), amount, `${locale} ${JSON.stringify(text)}`);
  } finally {
    navigator.languages = had;
  }
}

test("an amount is read as people type it and as it is printed", () => {
  as("en-SG", [
    ["25", 2500],
    ["2.50", 250],
    ["2.5", 250],
    ["0.05", 5],
    ["0", 0],
    ["1,500", 150_000],
    ["1,500.50", 150_050],
    ["1,234,567", 123_456_700],
    ["$1,500", 150_000],
    ["$ 25", 2500],
    ["SGD 25", 2500],
    [" 1 000 ", 100_000],
    ["1\u00a0000", 100_000],
    ["１，５００", 150_000],
    ["２５", 2500],
  ]);
});

test("a mark that parts thousands never begins cents", () => {
  as("en-SG", [
    ["10,00", null],
    ["2,5", null],
    ["1,50", null],
    ["1,5000", null],
    [",500", null],
    ["1,,500", null],
    ["1,500,00", null],
    ["15,00.50", null],
    ["1,500 000", null],
    ["1.500", null],
    ["1.500,50", null],
  ]);
});

test("where a comma begins cents, a point parts thousands", () => {
  as("en-DE", [
    ["10,00", 1000],
    ["2,5", 250],
    ["1.500", 150_000],
    ["1.500,50", 150_050],
    ["1.50", null],
    ["10.00", null],
    ["1,500", null],
    ["1,500.50", null],
  ]);
});

test("thousands are parted as the locale parts them", () => {
  as("en-IN", [
    ["12,34,567", 123_456_700],
    ["1,234,567", 123_456_700],
    ["1,23,4567", null],
  ]);
  as("en-CH", [["1’500", 150_000]]);
});

test("what is not an amount of the currency is refused, never rounded", () => {
  for (const text of ["", "a lot", "-5", "1.005", "1.", ".5", "1e3", "5$x", "$", "1.2.3", "1234567890123", "5 5"])
    assert.equal(m.typedMoney(text), null, text);
  assert.equal(m.typedMoney("2.5", "JPY"), null);
  assert.equal(m.typedMoney("2500", "JPY"), 2500);
  assert.equal(m.typedMoney("¥2,500", "JPY"), 2500);
  assert.equal(m.typedMoney("2.505", "KWD"), 2505);
});

test("what is printed is read as the same amount, in every locale", () => {
  const had = navigator.languages;
  for (const locale of ["en-SG", "en-IN", "en-ZA", "zh-CN", "zh-TW"])
    for (const amount of [5, 2500, 150_000, 150_050, 123_456_789]) {
      navigator.languages = [locale];
      assert.equal(m.typedMoney(m.money(amount)), amount, `${locale} ${m.money(amount)}`);
      assert.equal(m.typedMoney(m.plainMoney(amount)), amount, locale);
      navigator.languages = had;
    }
});

test("no amount is lost between typing and printing", () => {
  for (const code of ["SGD", "JPY", "KWD", ""])
    for (const amount of [0, 1, 5, 10, 99, 100, 101, 250, 2500, 123_456_789, 99_999_999_999])
      assert.equal(m.typedMoney(m.plainMoney(amount, code), code), amount, `${amount} ${code}`);
});

test("shares and times follow the reader's locale", () => {
  assert.equal(m.percent(0.0278, 2), "2.78%");
  assert.equal(m.percent(0.05), "5.0%");
  assert.equal(m.number(12_345), "12,345");
  assert.match(m.time(1_700_000_000_000_000), /\d:\d\d:\d\d/);
});

test("where currencies stand side by side, dollars are told apart", () => {
  assert.deepEqual(
    [m.namedMoney(500, "SGD"), m.namedMoney(-550, "NZD"), m.namedMoney(500, "JPY")],
    ["S$5", "-NZ$5.50", m.money(500, "JPY")],
  );
});
