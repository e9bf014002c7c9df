// Commands of the crew as buttons, greyed with the table's own reason while it would refuse them.
//   actionButton(desk, "report", {keyed: true})        greyed while refused; the reason shows on hover and focus
//   await act(desk, {do: "collect"})                   sends a command that needs no form
// A desk is a live table with the crew's view of it. Who may do what, and why not, is the server's word (`crew.moves`).

import { Refusal } from "../lib/api.js";
import { COMMANDS } from "../lib/commands.js";
import { h } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { refusalWords, showRefusal } from "../lib/shell.js";

/** @typedef {import("../lib/table.js").Table} Table */
/** @typedef {import("../lib/types").CrewView} Crew */
/** @typedef {import("../lib/dom.js").Child} Child */
/**
 * @typedef {object} Desk
 * @property {Table} table
 * @property {() => Crew | null} crew
 * @property {() => string[]} boxes                        of the layout
 * @property {boolean} [keyed]                             commands have keys here, which their buttons show
 * @property {(refusal: Refusal) => boolean} [stopped]     told of every refusal; true when it was dealt with (a lock)
 * @property {(seq: number) => void} [acted]               a command was recorded, under this number
 */
/**
 * @typedef {object} ButtonOptions
 * @property {() => void} run
 * @property {string} [for]        tells it from other buttons for the same command
 * @property {boolean} [keyed]     shows the command's key, where it has one
 * @property {string} [class]
 * @property {Child} [words]       instead of the command's name
 */

/** What cannot be taken back, or stops the game: its buttons look so. */
const GRAVE = new Set(
  "report interrupt suspend-table close-table retire-dice rule correct-dice amend-entry walk-away".split(" "),
);

/** The look of a command's button. @param {string} action */
export function gravity(action) {
  return GRAVE.has(action) ? "grave" : "";
}

/** The name of a command, for people. @param {string} action */
export function actionName(action) {
  return t(`deal.do.${action}`);
}

/**
 * Why a command cannot be begun now; null when it may be tried, undefined when it does not belong to this post.
 * @param {Desk} desk
 * @param {string} action
 * @returns {Refusal | null | undefined}
 */
export function whyNot(desk, action) {
  const move = desk.crew()?.moves[action];
  return move ? new Refusal(move) : move;
}

/**
 * A button for a command; null when it does not belong to this post.
 * @param {Desk} desk
 * @param {string} action
 * @param {ButtonOptions} how
 */
export function actionButton(desk, action, how) {
  const why = whyNot(desk, action);
  if (why === undefined) return null;
  const key = (desk.keyed && how.keyed && COMMANDS[action].key) || "";
  return h(
    "button",
    {
      class: how.class ?? gravity(action),
      "data-action": action,
      "data-for": how.for ?? null,
      "aria-disabled": why ? "true" : null,
      "data-why": why ? refusalWords(why) : null,
      "aria-keyshortcuts": key || null,
      onclick: () => {
        const now = whyNot(desk, action);
        if (now) refuse(desk, now);
        else how.run();
      },
    },
    how.words ?? actionName(action),
    key ? h("kbd", { "aria-hidden": "true" }, key.toUpperCase()) : null,
    why && h("span", { class: "visually-hidden" }, `: ${refusalWords(why)}`),
  );
}

/**
 * Show a refusal, its clauses one tap away.
 * @param {Desk} desk
 * @param {Refusal} why
 */
export function refuse(desk, why) {
  showRefusal(why, desk.table.view?.set_up?.book ?? "");
}

/**
 * Send a command; a refusal is shown. Nothing is begun without a connection: it would be done later, unseen.
 * @param {Desk} desk
 * @param {{do: string, [key: string]: any}} action
 */
export async function act(desk, action) {
  try {
    if (desk.table.state === "lost") throw new Refusal({ code: "lost", sentence: t("connection.lost") });
    const done = await desk.table.do(action);
    desk.acted?.(done.seq);
    return done;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (!desk.stopped?.(error)) refuse(desk, error);
    return null;
  }
}

/** Half the width of a tooltip: its middle stays at least this far from the window's edges. */
const HALF_PX = 125;

/** Shift the tooltip of a greyed button so that all of it is inside the window. @param {Event} event */
function shift(event) {
  const found = /** @type {HTMLElement | null} */ (
    event.target instanceof Element ? event.target.closest("[data-why]") : null
  );
  if (!found) return;
  const { left, right } = found.getBoundingClientRect();
  const middle = (left + right) / 2;
  const wanted = Math.min(Math.max(middle, HALF_PX), innerWidth - HALF_PX);
  found.style.setProperty("--shift", `${Math.round(wanted - middle)}px`);
}
addEventListener("pointerover", shift);
addEventListener("focusin", shift);
