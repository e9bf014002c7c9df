// A record of the journal in the reader's words: what happened, and each of its particulars, amounts as money.
//   eventName("bet-placed");  eventSaid(entry.what, "SGD") -> [<dt>, <dd>, ...];  eventText(...) as one line

import { h } from "../lib/dom.js";
import { has, t } from "../lib/i18n.js";
import { boxName } from "../lib/boxes.js";
import { money } from "../lib/money.js";
import { valueWords } from "./said.js";

const MONEY = new Set([
  ...["amount", "value", "stake", "at_risk", "winnings", "returned", "staked", "minimum", "expected", "drop"],
  ...["in_colour", "given_back", "taken", "owed", "owing"],
]);
const BOXES = new Set(["box", "lies_on", "belongs_on"]);
const DICE = new Set(["dice", "before", "after", "readable"]);
/** Particulars that only programs read: they stand in the record itself. */
const UNSAID = new Set([
  ...["event", "digest", "commitment", "opening", "nonce", "contribution", "contributions", "form", "expected_216"],
  ...["deviation", "farthest", "bell", "capacity", "closes_at", "lit", "flags"],
]);

/** The name of what happened. @param {string} kind */
export function eventName(kind) {
  return has(`event.${kind}`) ? t(`event.${kind}`) : kind;
}

/**
 * One particular.
 * @param {string} name
 * @param {any} value
 * @param {string} currency
 * @returns {string}
 */
function words(name, value, currency) {
  if (DICE.has(name) && Array.isArray(value)) return value.join("-");
  if (typeof value === "number" && MONEY.has(name)) return money(value, currency);
  if (BOXES.has(name) && typeof value === "string") return value ? boxName(value) : "";
  if (name === "bets")
    return value
      .map((/** @type {any} */ each) => `${each.player}: ${boxName(each.box)} ${money(each.stake, currency)}`)
      .join("; ");
  if (name === "losses")
    return value
      .map((/** @type {any} */ [who, box, amount]) => `${who}: ${boxName(box)} ${money(amount, currency)}`)
      .join("; ");
  if (name === "handed") {
    const all = Array.isArray(value[0]) ? value : [value];
    return all
      .map((/** @type {any} */ [who, box, amount]) => `${who}: ${boxName(box)} ${money(amount, currency)}`)
      .join("; ");
  }
  if (name === "lines")
    return value
      .map(
        (/** @type {any} */ each) =>
          `${each.player}: +${money(each.given_back ?? 0, currency)} −${money(each.taken ?? 0, currency)}`,
      )
      .join("; ");
  if (name === "limits" || ((name === "before" || name === "after") && value.default))
    return valueWords("limits", value, currency);
  return valueWords(name, value, currency);
}

/**
 * The particulars of an event, by name.
 * @param {Record<string, any>} what
 * @param {string} currency
 * @returns {[string, string][]}
 */
export function particulars(what, currency) {
  return Object.entries(what).flatMap(([name, value]) => {
    if (UNSAID.has(name) || value === null || value === "" || (Array.isArray(value) && !value.length)) return [];
    const label = has(`event.field.${name}`)
      ? t(`event.field.${name}`)
      : has(`deal.field.${name}`)
        ? t(`deal.field.${name}`)
        : name;
    const said = words(name, value, currency);
    return said ? [/** @type {[string, string]} */ ([label, said])] : [];
  });
}

/**
 * The particulars as elements.
 * @param {Record<string, any>} what
 * @param {string} currency
 */
export function eventSaid(what, currency) {
  return particulars(what, currency).flatMap(([label, said]) => [h("dt", null, label), h("dd", null, said)]);
}

/**
 * An event in one line, for files.
 * @param {Record<string, any>} what
 * @param {string} currency
 */
export function eventText(what, currency) {
  return particulars(what, currency)
    .map(([label, said]) => `${label}: ${said}`)
    .join("; ");
}
