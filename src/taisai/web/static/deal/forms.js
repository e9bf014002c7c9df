// The forms of commands, without the page: what is asked for, what is filled in already, how typed text is read.
// Enters: the declared commands (lib/commands.js) and what people type. Leaves: commands. Pure.

import { COMMANDS } from "../lib/commands.js";

/** @typedef {import("../lib/commands.js").Field} Field */

/** Widgets that a general form does not show: programs fill them in, or a form of their own does. */
const NOT_ASKED = new Set(["nobody", "set-up"]);

/** What names look like: of players, tables, sets of dice, logins. */
export const NAME_PATTERN = fieldsOf("sit-down")[0].pattern ?? "";

/** The fields that a command's form asks for. @param {string} action @returns {Field[]} */
export function fieldsOf(action) {
  return (COMMANDS[action].fields ?? []).filter(({ widget }) => !NOT_ASKED.has(widget));
}

/**
 * What a form starts with, from the round on screen.
 * @param {string} action
 * @param {{number: number, dice?: number[] | null} | undefined} round
 * @returns {Record<string, any>}
 */
export function presetsOf(action, round) {
  const dice = round?.dice ?? undefined;
  if (action === "amend-entry") return { dice };
  if (action === "resolve-interruption") return { readable: dice ?? [], dice };
  return {};
}

/**
 * Faces of one reading that another does not have, whatever their order: [1, 2, 5] beside [1, 2, 4] has a 5.
 * @param {number[]} one
 * @param {number[]} other
 */
export function differing(one, other) {
  const left = [...other];
  return one.filter((face) => {
    const place = left.indexOf(face);
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
}

/** Faces as people type them: 1-2-4, 124, 1 2 4. @param {string} text */
export function typedFaces(text) {
  return (text.match(/[1-6]/g) ?? []).map(Number);
}

/** What a form sends without asking: a dispute without a name is numbered by the table. */
const SENT_ALONG = /** @type {Record<string, Record<string, any>>} */ ({ "open-dispute": { dispute: "" } });

/**
 * A command from the values of its form; what was left empty is left out.
 * @param {string} action
 * @param {[string, any][]} values
 * @returns {{do: string, [key: string]: any}}
 */
export function commandOf(action, values) {
  return {
    do: action,
    ...SENT_ALONG[action],
    ...Object.fromEntries(values.filter(([, value]) => value !== undefined)),
  };
}
