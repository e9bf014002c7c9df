// Parts of a large felt, each a tap away, by the names that the drawing has in the reader's language. A book that says
// none in that language has them in English: such a part is called by the kinds of bets that it has.
//   sectionName(felt, section)   sectionButtons(felt)

import { kindName, kindOf } from "../lib/boxes.js";
import { h } from "../lib/dom.js";
import { language, t } from "../lib/i18n.js";

/** The letters of the books' own words. */
const ENGLISH = /^[ -~]+$/;

/**
 * What a part of a felt is called.
 * @param {import("./felt.js").Felt} felt
 * @param {string} section
 */
export function sectionName(felt, section) {
  if (language() === "en" || !ENGLISH.test(section)) return section;
  const kinds = [...felt.boxes.keys()].filter((box) => felt.sectionOf(box) === section).map(kindOf);
  return [...new Set(kinds)].map(kindName).join(t("list.comma"));
}

/**
 * Buttons that bring a part of a large felt into view, one for each section that it has.
 * @param {import("./felt.js").Felt} felt
 */
export function sectionButtons(felt) {
  return felt.sections.map((name) => h("button", { onclick: () => felt.showSection(name) }, sectionName(felt, name)));
}
