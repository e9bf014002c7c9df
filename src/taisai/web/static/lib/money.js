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
  const key = `${locale()} ${name}`;
  let found = formats.get(key);
  if (!found) formats.set(key, (found = new Intl.NumberFormat(locale(), options)));
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

/** How dollars are told apart where several stand beside each other. @type {Record<string, string>} */
const DOLLARS = { SGD: "S$", NZD: "NZ$", AUD: "A$", USD: "US$", HKD: "HK$", CAD: "C$", TWD: "NT$" };

/**
 * An amount where currencies stand side by side: S$5, NZ$5.
 * @param {number} minor
 * @param {string} code
 */
export function namedMoney(minor, code) {
  const sign = DOLLARS[code];
  return sign ? money(minor, code).replace("$", () => sign) : money(minor, code);
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

/** How the reader's locale parts thousands and writes the decimal mark. */
function marks() {
  const parts = new Intl.NumberFormat(locale(), { useGrouping: true }).formatToParts(1234567.5);
  const mark = (/** @type {string} */ type) => parts.find((each) => each.type === type)?.value.normalize("NFKC") ?? "";
  return { group: mark("group"), decimal: mark("decimal") };
}

/**
 * Whether digits are parted into thousands as people part them: all by the same mark, in threes or as the locale does.
 * @param {string} whole
 * @param {string} group
 */
function isGrouped(whole, group) {
  const parted = /^\d{1,3}(?:(\D)\d{3}(?:\1\d{3})*)?$/.exec(whole);
  if (parted) return !parted[1] || parted[1] === group || /[\s'’]/.test(parted[1]);
  return whole === number(Number(whole.replace(/\D/g, ""))).normalize("NFKC");
}

/**
 * An amount as people type it or as it is printed here (25, 2.50, 1,500, $1,500), in minor units; null if it is none.
 * A mark that parts thousands in the reader's locale never begins cents: where 1,500 is fifteen hundred, 10,00 is no
 * amount.
 * @param {string} text
 * @param {string} [code] another currency than the table's
 */
export function typedMoney(text, code = currency) {
  const places = digitsOf(code);
  const { group, decimal } = marks();
  const symbols = ["$", "¥", "￥", code, code && money(0, code).replace(/[\d\s]/g, "")].filter(Boolean);
  let plain = text.normalize("NFKC").trim();
  const symbol = symbols.find((each) => plain.startsWith(each.normalize("NFKC")));
  if (symbol) plain = plain.slice(symbol.normalize("NFKC").length).trim();
  const point = group === "." ? decimal : `.${decimal}`;
  const found = new RegExp(`^(\\d[^${point}]*?)(?:[${point}](\\d+))?$`).exec(plain);
  if (!found || (found[2] ?? "").length > places) return null;
  const [, whole, cents = ""] = found;
  if (!/^\d{1,12}$/.test(whole) && !isGrouped(whole, group)) return null;
  const digitsOnly = whole.replace(/\D/g, "");
  if (digitsOnly.length > 12) return null;
  return Number(digitsOnly) * 10 ** places + Number(cents.padEnd(places, "0") || 0);
}

/**
 * An amount as people type it, without a currency.
 * @param {number} minor
 * @param {string} [code] another currency than the table's
 */
export function plainMoney(minor, code = currency) {
  const whole = minor % unitsOf(code) === 0;
  return (minor / unitsOf(code)).toFixed(whole ? 0 : digitsOf(code)).replace(".", marks().decimal);
}
