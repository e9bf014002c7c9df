// The sheet of the player's keys.
//   showKeys(() => guide.again())   the sheet; loaded when somebody asks for it

import { h } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { dialog } from "../lib/shell.js";

/** @param {() => void} guide shows the first steps again */
export function showKeys(guide) {
  const row = (/** @type {string} */ keys, /** @type {string} */ words) =>
    h(
      "tr",
      null,
      h("th", { scope: "row" }, ...keys.split(" ").map((each) => h("kbd", null, each))),
      h("td", null, words),
    );
  return dialog(t("keys.title"), (close) => [
    h(
      "table",
      { class: "keys" },
      h(
        "tbody",
        null,
        row("1 2 3 …", t("keys.chip")),
        row("← ↑ ↓ →", t("keys.move")),
        row("Enter", t("keys.bet")),
        row("Delete", t("play.withdraw")),
        row("U", t("play.undo")),
        row("C", t("play.clear")),
        row("R", t("play.rebet")),
        row("D", t("play.double")),
        row("H", t("play.history")),
        row("S", t("keys.say")),
        row("?", t("keys.title")),
      ),
    ),
    h(
      "p",
      { class: "row" },
      h("button", { onclick: () => (close(null), guide()) }, t("guide.again")),
      h("button", { class: "main", onclick: () => close(null) }, t("close")),
    ),
  ]);
}
