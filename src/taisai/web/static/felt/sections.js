// Parts of a large felt, each a tap away, by the names that the book gives them.

import { h } from "../lib/dom.js";

/**
 * Buttons that bring a part of a large felt into view, one for each section that it has.
 * @param {import("./felt.js").Felt} felt
 */
export function sectionButtons(felt) {
  return felt.sections.map((name) => h("button", { onclick: () => felt.showSection(name) }, name));
}
