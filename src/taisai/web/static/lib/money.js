// Amounts, times and shares in the reader's locale.
// Enters: whole minor units, microseconds since 1970, fractions. Leaves: text. Nothing is computed with money here.
//   setCurrency("SGD")   once a table is known;  money(2500) -> "$25";  chip(100000) -> "1K" for a chip's face
//   money(2500, "JPY")   another currency than the page's, which stays as it is

import { locale } from "./i18n.js";

let currency = "";
/** @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();
/** @type {Map<string, number>} */
const digits = new Map([["", 2]]);

/** The currency of the table on screen. @param {string} code */
export function setCurrency(code) {
  currency = code;
}

/** How many minor units make a whole one. @param {string} code */
function unitsOf(code) {
  return 10 ** digitsOf(code);
}

/** How many digits a currency has after the point. @param {string} code */
function digitsOf(code) {
  let found = digits.get(code);
  if (found === undefined) {
    const made = new Intl.NumberFormat("en", { style: "currency", currency: code });
    digits.set(code, (found = made.resolvedOptions().maximumFractionDigits ?? 2));
  }
  return found;
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
 * An amount with its currency; cents are printed only if there are any.
 * @param {number} minor
 * @param {string} [code] another currency than the table's; "" is none that is known
 */
export function money(minor, code = currency) {
  const whole = minor % unitsOf(code) === 0;
  const places = whole ? 0 : digitsOf(code);
  /** @type {Intl.NumberFormatOptions} */
  const options = code
    ? {
        style: "currency",
        currency: code,
        currencyDisplay: "narrowSymbol",
        minimumFractionDigits: places,
        maximumFractionDigits: places,
      }
    : { minimumFractionDigits: places, maximumFractionDigits: places };
  return format(`money${code}${places}`, options).format(minor / unitsOf(code));
}

/** An amount with a sign, for the result of a round. @param {number} minor */
export function signed(minor) {
  return (minor > 0 ? "+" : "") + money(minor);
}

/** The face of a chip: short, without currency. @param {number} minor */
export function chip(minor) {
  const value = minor / unitsOf(currency);
  if (value >= 1_000_000) return `${Math.floor(value / 100_000) / 10}M`;
  if (value >= 10_000) return `${Math.floor(value / 1000)}K`;
  if (value >= 1000) return `${Math.floor(value / 100) / 10}K`;
  return Number.isInteger(value) ? String(value) : value.toFixed(digitsOf(currency));
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

/**
 * An amount as people type it (25, 2.50), in minor units; null if it is not one.
 * @param {string} text
 * @param {string} [code] another currency than the table's
 */
export function typedMoney(text, code = currency) {
  const places = digitsOf(code);
  const found = /^(\d{1,12})(?:[.,](\d+))?$/.exec(text.trim().replace(/\s/g, ""));
  if (!found || (found[2] ?? "").length > places) return null;
  return Number(found[1]) * 10 ** places + Number((found[2] ?? "").padEnd(places, "0") || 0);
}

/**
 * An amount as people type it, without a currency.
 * @param {number} minor
 * @param {string} [code] another currency than the table's
 */
export function plainMoney(minor, code = currency) {
  const whole = minor % unitsOf(code) === 0;
  return (minor / unitsOf(code)).toFixed(whole ? 0 : digitsOf(code));
}
