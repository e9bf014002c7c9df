// Parts of a large felt, each a tap away, by the names that the drawing has in the reader's language.
//   sectionButtons(felt)

import { h } from "../lib/dom.js";

/**
 * Buttons that bring a part of a large felt into view, one for each section that it has.
 * @param {import("./felt.js").Felt} felt
 */
export function sectionButtons(felt) {
  return felt.sections.map((name) => h("button", { onclick: () => felt.showSection(name) }, name));
}
