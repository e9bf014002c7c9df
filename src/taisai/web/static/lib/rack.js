// The display rack: what a chip of each colour in use is worth (`nz-division-9` §3.4(a), (b)).
//   rackOf(view)            a list, or null while no colour is out
//   rackOf(view, true)      with whose chips they are

import { h } from "./dom.js";
import { t } from "./i18n.js";
import { money } from "./money.js";

/**
 * Colours in use, each with the value of its chips and a marker of the colour.
 * @param {import("./types").PublicView} view
 * @param {boolean} [named] also whose they are
 */
export function rackOf(view, named = false) {
  const inUse = Object.entries(view.seats).flatMap(([player, { colour, value }]) =>
    colour ? [{ player, colour, value }] : [],
  );
  if (!inUse.length) return null;
  return h(
    "ul",
    { class: "rack", "aria-label": t("rack.title") },
    ...inUse.map(({ player, colour, value }) =>
      h(
        "li",
        { "data-colour": colour },
        h("span", { class: "marker", "aria-hidden": "true", style: { background: colour } }),
        t("deal.colour-at", { colour, value: money(value) }),
        named && h("span", { class: "muted" }, ` ${player}`),
      ),
    ),
  );
}
