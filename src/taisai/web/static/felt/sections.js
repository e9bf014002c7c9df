// Parts of a large felt, each a tap away. In English they have the names that the book gives them; in other languages a
// part is called by the kinds of bets that it has.
//   sectionName(felt, section)   sectionButtons(felt)

import { kindOf } from "../lib/boxes.js";
import { h } from "../lib/dom.js";
import { has, language, t } from "../lib/i18n.js";

/**
 * What a part of a felt is called.
 * @param {import("./felt.js").Felt} felt
 * @param {string} section
 */
export function sectionName(felt, section) {
  const kinds = [...felt.boxes.keys()].filter((box) => felt.sectionOf(box) === section).map(kindOf);
  const named = [...new Set(kinds)].map((kind) => `kind.${kind}`);
  return language() === "en" || !named.every(has) ? section : named.map((each) => t(each)).join(t("list.comma"));
}

/**
 * Buttons that bring a part of a large felt into view, one for each section that it has.
 * @param {import("./felt.js").Felt} felt
 */
export function sectionButtons(felt) {
  return felt.sections.map((name) => h("button", { onclick: () => felt.showSection(name) }, sectionName(felt, name)));
}
