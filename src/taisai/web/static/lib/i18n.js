// Texts, in the reader's language.
//   await loadTexts()                      before anything is drawn
//   t("play.undo")                         a text; t("play.room", {amount: "$5"}) fills {amount}
//   tn("play.bets", 3)                     "play.bets.one" or "play.bets.other", {n} filled
//   translate(root)                        fills elements with data-t="key", data-t-label="key" (aria-label)
//   has("code.over-maximum")               whether there is such a text
// One catalogue per language: en.json, zh-Hans.json, zh-Hant.json; keys are flat, sorted, and the same in all
// (tests/web/test_texts.py). `python tools/texts.py merge FILE` adds texts to all of them at once.

import { keep, pref } from "./prefs.js";

/** @type {Record<string, string>} */
export const LANGUAGES = { en: "English", "zh-Hans": "简体中文", "zh-Hant": "繁體中文" };

/** @type {Record<string, string>} */
let texts = {};
let chosen = "en";

/** The language in use: en, zh-Hans or zh-Hant. */
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
  return low.startsWith("en") ? "en" : "";
}

/** Load the catalogue of the language chosen before, else of the browser's, else English. */
export async function loadTexts() {
  const wished = pref("language", "");
  chosen = wished in LANGUAGES ? wished : ((navigator.languages ?? []).map(fit).find(Boolean) ?? "en");
  const response = await fetch(`/static/texts/${chosen}.json`);
  texts = await response.json();
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

/** Why a round is void: in the reader's language, or in the book's own word. @param {string} reason */
export function voidWhy(reason) {
  return has(`void.${reason}`) ? t(`void.${reason}`) : reason.replaceAll("-", " ");
}

/**
 * A text with its values filled in. A missing key shows itself (a test finds it).
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values) {
  const text = texts[key] ?? key;
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
