// Keys of the dealer's desk: Enter or Space for the next step, 1 to 6 for faces, a letter for other commands.
// The letters are declared with the commands (lib/commands.js) and stand on their buttons.

import { COMMANDS, GROUPS } from "../lib/commands.js";
import { h } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { actionName } from "./actions.js";

/** The key for a seat code, which is not a command of the table. */
export const SEAT_CODE_KEY = "k";

/** Commands of some groups that have a key. @param {...import("../lib/commands.js").Group} groups */
function keyed(...groups) {
  return groups.flatMap((group) => GROUPS[group]).filter((action) => COMMANDS[action].key);
}

/** The command of a key, or undefined. @param {string} key */
export function commandOfKey(key) {
  return Object.keys(COMMANDS).find((action) => key && COMMANDS[action].key === key);
}

/** Every key, and what it does. */
export function keysList() {
  const row = (/** @type {string} */ action) => [COMMANDS[action].key?.toUpperCase() ?? "", actionName(action)];
  const rows = [
    ["Enter", t("deal.key.next")],
    ["1–6", t("deal.key.faces")],
    ["⌫", t("deal.key.back")],
    ...keyed("deal.pay", "deal.players").map(row),
    [SEAT_CODE_KEY.toUpperCase(), t("deal.seat-code")],
    ...keyed("deal.trouble").map(row),
  ];
  return h(
    "dl",
    { class: "key-list" },
    ...rows.map(([key, words]) => h("div", null, h("dt", null, h("kbd", null, key)), h("dd", null, words))),
  );
}

/**
 * @typedef {object} KeyActions
 * @property {HTMLElement} next               the large button
 * @property {() => void} step                takes the next step
 * @property {(face: number) => void} type
 * @property {() => void} back
 * @property {() => void} seatCode
 * @property {(action: string) => boolean} run   a command by its key; whether there was something to do
 */

/** Listen to the keys of the page. @param {KeyActions} actions */
export function listenToKeys({ next, step, type, back, seatCode, run }) {
  /** What had the focus last, unless somebody has pointed elsewhere since. @type {EventTarget | null} */
  let focused = null;
  addEventListener("focusin", (event) => (focused = event.target));
  addEventListener("pointerdown", () => (focused = null));
  addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]") || target.closest("input, select, textarea")) return;
    const key = event.key.toLowerCase();
    if (key === "enter" || key === " ") {
      if (target !== next && target !== document.body && !target.closest(".keypad")) return;
      event.preventDefault();
      // The button that had the focus may be gone: the key was meant for it, not for the next step.
      if (target === document.body && focused instanceof Node && !focused.isConnected) next.focus();
      else step();
      return;
    }
    const action = commandOfKey(key);
    if (/^[1-6]$/.test(key)) type(Number(key));
    else if (key === "backspace") back();
    else if (key === SEAT_CODE_KEY) (event.preventDefault(), seatCode());
    else if (action && run(action)) event.preventDefault();
  });
}
