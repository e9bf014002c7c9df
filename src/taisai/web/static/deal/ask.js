// The form of a command, in a dialog: its fields, and the reason and the second person where the table asks for them.
//   await ask(desk, "buy-in", {player: "ann"})       true when it was done
//   askButton(desk, "buy-in", {for: "ann"}, {player: "ann"})
// What a command asks for is declared (lib/commands.js). Whether it needs a second person now is the server's word
// (`crew.needs`), and so is every refusal.

import { Refusal } from "../lib/api.js";
import { t } from "../lib/i18n.js";
import { act, actionButton, refuse, whyNot } from "./actions.js";
import { fieldsOf } from "./forms.js";

/** @typedef {import("./actions.js").Desk} Desk */
/** @typedef {import("../lib/dom.js").Child} Child */
/**
 * @typedef {object} AskOptions
 * @property {Child[]} [words]                        shown above the fields
 * @property {() => Record<string, any>} [values]     values of fields that `words` asks for
 * @property {number} [round]                         the round it is meant for, if not the one on screen
 */

/**
 * Ask for what a command needs, and send it. Resolves when the dialog has gone: true when the command was done.
 * @param {Desk} desk
 * @param {string} action
 * @param {Record<string, any>} [preset]
 * @param {AskOptions} [how]
 * @returns {Promise<boolean>}
 */
export async function ask(desk, action, preset = {}, how = {}) {
  const why = whyNot(desk, action);
  if (why) {
    refuse(desk, why);
    return false;
  }
  if (!fieldsOf(action).length && !desk.crew()?.needs[action]) return (await act(desk, { do: action })) !== null;
  try {
    const { CommandForm } = await form();
    // Meanwhile the table may have been left, or the button pressed again.
    if (desk.table.state === "left" || document.querySelector("dialog[open]:not(.lock)")) return false;
    return await new CommandForm(desk, action, preset, how).show();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    refuse(desk, new Refusal({ code: "offline", sentence: t("connection.lost") })); // the module could not be fetched
    return false;
  }
}

/** The forms, fetched when somebody begins to work. */
const form = () => import("./form.js");
for (const each of ["pointerdown", "keydown"])
  addEventListener(each, () => void form().catch(() => null), { once: true });

/**
 * A button that asks for what a command needs; null when the command does not belong to this post.
 * @param {Desk} desk
 * @param {string} action
 * @param {Omit<import("./actions.js").ButtonOptions, "run">} [how]
 * @param {Record<string, any>} [preset]
 */
export function askButton(desk, action, how = {}, preset = {}) {
  return actionButton(desk, action, { ...how, run: () => void ask(desk, action, preset) });
}
