// Parts of a large felt, each a tap away: totals, combinations, singles.

import { kindOf, SECTIONS } from "../lib/boxes.js";
import { h } from "../lib/dom.js";
import { t } from "../lib/i18n.js";

/**
 * Buttons that bring a part of a large felt into view, one for each section that it has.
 * @param {import("./felt.js").Felt} felt
 */
export function sectionButtons(felt) {
  const kinds = new Set([...felt.boxes.keys()].map(kindOf));
  return SECTIONS.filter(([, some]) => some.some((kind) => kinds.has(kind))).map(([name, some]) =>
    h("button", { onclick: () => felt.showSection(some) }, t(`section.${name}`)),
  );
}
