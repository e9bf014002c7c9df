// Amounts, times and shares in the reader's locale.
// Enters: whole minor units, microseconds since 1970, fractions. Leaves: text. Nothing is computed with money here.
//   setCurrency("SGD")   once a table is known;  money(2500) -> "$25";  chip(100000) -> "1K" for a chip's face

import { locale } from "./i18n.js";

let currency = "";
let digits = 2;
/** @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();

/** The currency of the table on screen. @param {string} code */
export function setCurrency(code) {
  if (code === currency) return;
  currency = code;
  digits =
    new Intl.NumberFormat("en", { style: "currency", currency: code }).resolvedOptions().maximumFractionDigits ?? 2;
  formats.clear();
}

/**
 * @param {string} name
 * @param {Intl.NumberFormatOptions} options
 */
function format(name, options) {
  let found = formats.get(name);
  if (!found) formats.set(name, (found = new Intl.NumberFormat(locale(), options)));
  return found;
}

/**
 * An amount with its currency; cents only where there are some.
 * @param {number} minor
 * @param {string} [code] another currency than the table's
 */
export function money(minor, code) {
  if (code) setCurrency(code);
  const whole = minor % 10 ** digits === 0;
  const places = whole ? 0 : digits;
  /** @type {Intl.NumberFormatOptions} */
  const options = currency
    ? {
        style: "currency",
        currency,
        currencyDisplay: "narrowSymbol",
        minimumFractionDigits: places,
        maximumFractionDigits: places,
      }
    : { minimumFractionDigits: places, maximumFractionDigits: places };
  return format(`money${places}`, options).format(minor / 10 ** digits);
}

/** An amount with a sign, for what a round brought. @param {number} minor */
export function signed(minor) {
  return (minor > 0 ? "+" : "") + money(minor);
}

/** The face of a chip: short, without currency. @param {number} minor */
export function chip(minor) {
  const value = minor / 10 ** digits;
  if (value >= 1_000_000) return `${Math.floor(value / 100_000) / 10}M`;
  if (value >= 10_000) return `${Math.floor(value / 1000)}K`;
  if (value >= 1000) return `${Math.floor(value / 100) / 10}K`;
  return Number.isInteger(value) ? String(value) : value.toFixed(digits);
}

/** A plain number. @param {number} value */
export function number(value) {
  return format("number", {}).format(value);
}

/**
 * A share as per cent.
 * @param {number} value 0 to 1
 * @param {number} [places]
 */
export function percent(value, places = 1) {
  return format(`percent${places}`, {
    style: "percent",
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  }).format(value);
}

/** The time of day. @param {number} micros */
export function time(micros) {
  return new Intl.DateTimeFormat(locale(), { timeStyle: "medium" }).format(micros / 1000);
}

/** Date and time. @param {number} micros */
export function dateTime(micros) {
  return new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "medium" }).format(micros / 1000);
}

/** An amount as people type it (25, 2.50), in minor units; null when it is none. @param {string} text */
export function typedMoney(text) {
  const found = /^(\d{1,12})(?:[.,](\d+))?$/.exec(text.trim().replace(/\s/g, ""));
  if (!found || (found[2] ?? "").length > digits) return null;
  return Number(found[1]) * 10 ** digits + Number((found[2] ?? "").padEnd(digits, "0") || 0);
}

/** An amount as people type it: without a currency. @param {number} minor */
export function plainMoney(minor) {
  const whole = minor % 10 ** digits === 0;
  return (minor / 10 ** digits).toFixed(whole ? 0 : digits);
}
