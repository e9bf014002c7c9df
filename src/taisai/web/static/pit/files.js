// What stands on the screen as a file of the reader's own.
//   saveCsv("journal.csv", [["Record", "What"], [1, "Bet placed"]]);  saveJson("journal.json", records)

import { h } from "../lib/dom.js";

/** What a program of tables would take for a formula is made text. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Rows as CSV (RFC 4180).
 * @param {(string | number)[][]} rows
 */
export function csvOf(rows) {
  const cell = (/** @type {string | number} */ value) => {
    const text = typeof value === "string" && FORMULA.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/**
 * @param {string} name
 * @param {string} text
 * @param {string} type
 */
function save(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** @param {string} name @param {(string | number)[][]} rows */
export function saveCsv(name, rows) {
  save(name, `\ufeff${csvOf(rows)}`, "text/csv;charset=utf-8");
}

/** @param {string} name @param {unknown} what */
export function saveJson(name, what) {
  save(name, `${JSON.stringify(what, null, 1)}\n`, "application/json");
}
