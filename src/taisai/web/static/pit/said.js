// A command in the reader's words: each of its fields by name, amounts as money, boxes and players by their names.
//   said({do: "amend-entry", dice: [1, 2, 4]}, "SGD") -> [<dt>, <dd>, ...]

import { boxName } from "../lib/boxes.js";
import { h } from "../lib/dom.js";
import { has, t, voidWhy } from "../lib/i18n.js";
import { money, number } from "../lib/money.js";

const MONEY = new Set(["amount", "value"]);
const BOXES = new Set(["box", "lies_on", "belongs_on"]);
const DICE = new Set(["dice", "readable"]);

/**
 * One value.
 * @param {string} name
 * @param {any} value
 * @param {string} currency
 * @returns {string}
 */
export function valueWords(name, value, currency) {
  if (typeof value === "boolean") return t(value ? "deal.yes" : "deal.no");
  if (typeof value === "number") return MONEY.has(name) ? money(value, currency) : number(value);
  if (BOXES.has(name)) return boxName(value);
  if (name === "fact") return voidWhy(value);
  if (DICE.has(name)) return value.length ? value.join("-") : t("deal.none");
  if (typeof value === "string") return has(`deal.choice.${name}.${value}`) ? t(`deal.choice.${name}.${value}`) : value;
  if (name === "limits") return limitsWords(value, currency);
  if (Array.isArray(value)) return value.map((each) => valueWords("", each, currency)).join(t("list.comma"));
  return Object.entries(value)
    .map(([key, each]) =>
      name === "count" ? `${number(each)} × ${money(Number(key), currency)}` : `${key} ${money(each, currency)}`,
    )
    .join(t("list.comma"));
}

/**
 * Limits as the sign has them.
 * @param {any} limits
 * @param {string} currency
 */
function limitsWords(limits, currency) {
  const words = (/** @type {any} */ { min, max }) =>
    t("home.limits", { min: money(min, currency), max: money(max, currency) });
  const kinds = Object.entries(limits.kinds ?? {}).map(([kind, each]) => `${kind}: ${words(each)}`);
  return [words(limits.default), ...kinds].join("; ");
}

/**
 * The fields of a command.
 * @param {Record<string, any>} command
 * @param {string} currency
 */
export function said(command, currency) {
  return Object.entries(command)
    .filter(([name, value]) => name !== "do" && value !== null && value !== "")
    .flatMap(([name, value]) => [
      h("dt", null, has(`deal.field.${name}`) ? t(`deal.field.${name}`) : name),
      h("dd", null, valueWords(name, value, currency)),
    ]);
}
