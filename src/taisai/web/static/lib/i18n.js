// Texts, in the reader's language.
//   await loadTexts()                      before anything is drawn
//   t("play.undo")                         a text; t("play.room", {amount: "$5"}) fills {amount}
//   tn("play.bets", 3)                     "play.bets.one" or "play.bets.other", {n} filled
//   translate(root)                        fills elements with data-t="key", data-t-label="key" (aria-label)
//   has("code.over-maximum")               whether there is such a text
//   const other = await textsIn("zh-Hans") a look-up in a second language, for screens that speak two
// One catalogue per language, en.json, zh-Hans.json, ...: keys are flat, sorted, and the same in all
// (tests/web/test_texts.py). `python tools/texts.py merge FILE` adds texts to all of them at once. A new
// language is one more file: the server writes into every page which there are, by the `language.name` of each.

import { keep, pref } from "./prefs.js";

/** What each language calls itself, by its code. @type {Record<string, string>} */
export const LANGUAGES = JSON.parse(document.documentElement.dataset.languages ?? '{"en": "English"}');

/** @type {Record<string, string>} */
let texts = {};
let chosen = "en";

/** The language in use, by its code. */
export function language() {
  return chosen;
}

/** For Intl: the browser's own locale if its language is the one in use, so that amounts and times look familiar. */
export function locale() {
  const own = (navigator.languages ?? []).find((each) => fit(each) === chosen);
  return own ?? chosen;
}

/**
 * The catalogue that fits a language tag, or "".
 * @param {string} tag
 */
function fit(tag) {
  const low = tag.toLowerCase();
  if (low.startsWith("zh")) return /hant|-tw|-hk|-mo/.test(low) ? "zh-Hant" : "zh-Hans";
  return Object.keys(LANGUAGES).find((code) => low === code || low.startsWith(`${code}-`)) ?? "";
}

/** @param {string} code @returns {Promise<Record<string, string>>} */
async function catalogue(code) {
  return (await fetch(`/static/texts/${code}.json`)).json();
}

/**
 * A look-up in another language, which shows what the catalogue has and fills nothing else.
 * @param {string} code
 * @returns {Promise<typeof t>}
 */
export async function textsIn(code) {
  const others = await catalogue(code);
  return (key, values) => filled(others[key] ?? key, values);
}

/** Load the catalogue of the language chosen before, else of the browser's, else English. */
export async function loadTexts() {
  const wished = pref("language", "");
  chosen = wished in LANGUAGES ? wished : ((navigator.languages ?? []).map(fit).find(Boolean) ?? "en");
  texts = await catalogue(chosen);
  document.documentElement.lang = chosen;
}

/**
 * Choose a language and reload the page.
 * @param {string} code
 */
export function setLanguage(code) {
  keep("language", code);
  location.reload();
}

/** @param {string} key */
export function has(key) {
  return key in texts;
}

/** What books say of reasons of their own. @type {Record<string, string>} */
const reasons = {};

/** Learn what a book says of its reasons for a void. @param {Record<string, string>} words */
export function learnReasons(words) {
  Object.assign(reasons, words);
}

/** Why a round is void: in the reader's language, or as the book says it. @param {string} reason */
export function voidWhy(reason) {
  return has(`void.${reason}`) ? t(`void.${reason}`) : (reasons[reason] ?? reason.replaceAll("-", " "));
}

/**
 * A text with its values filled in. A missing key shows itself (a test finds it).
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values) {
  return filled(texts[key] ?? key, values);
}

/**
 * @param {string} text
 * @param {Record<string, string | number>} [values]
 */
function filled(text, values) {
  return values
    ? text.replace(/\{([a-z_]+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole))
    : text;
}

/**
 * A text that depends on a number.
 * @param {string} key
 * @param {number} n
 * @param {Record<string, string | number>} [values]
 */
export function tn(key, n, values) {
  const form = `${key}.${new Intl.PluralRules(chosen).select(n)}`;
  return t(has(form) ? form : `${key}.other`, { n, ...values });
}

/**
 * Fill the texts of markup.
 * @param {ParentNode} [root]
 */
export function translate(root = document) {
  for (const each of root.querySelectorAll("[data-t]")) each.textContent = t(each.getAttribute("data-t") ?? "");
  for (const each of root.querySelectorAll("[data-t-label]")) {
    each.setAttribute("aria-label", t(each.getAttribute("data-t-label") ?? ""));
  }
}
