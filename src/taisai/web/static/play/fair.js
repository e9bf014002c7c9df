// Virtual dice as a player can check them: their own part, the house's sealed part, and from the close everybody's.
//   fairPanel({mine, commitment, opening, all})      a list of what is known of a round
//   drawn()                                          16 fresh bytes of this browser, as 32 hexadecimal digits

import { h } from "../lib/dom.js";
import { t } from "../lib/i18n.js";

const BYTES = 16;

/** What this browser brings to the virtual dice of a round: from its own generator, not from the house. */
export function drawn() {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return [...bytes].map((each) => each.toString(16).padStart(2, "0")).join("");
}

/**
 * What is known of the virtual dice of a round.
 * @param {{mine: string, commitment: string, opening: string, all: readonly string[]}} round
 */
export function fairPanel({ mine, commitment, opening, all }) {
  const row = (/** @type {string} */ name, /** @type {string} */ value, /** @type {string} */ otherwise = "–") =>
    h("div", null, h("dt", null, name), h("dd", { class: value ? "hex" : "muted" }, value || otherwise));
  return h(
    "dl",
    { class: "fair" },
    row(t("fair.mine"), mine, t("fair.mine-none")),
    row(t("fair.house"), commitment),
    row(t("fair.opening"), opening, t("fair.opening-later")),
    opening && row(t("fair.all"), all.join(" ")),
  );
}
