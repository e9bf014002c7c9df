// What goes over the play socket, without the socket: ids of commands, merge patches, rows of settled bets.
//   newId()                    an id for a command; later ones sort after earlier ones
//   idsFor()                   ids for what a form sends: sending the same again does nothing twice
//   merge(view, patch)         the view after a change (JSON merge patch, RFC 7396)
//   lineOf(row)                a settled bet by name
// Pure: nothing here touches the page.

/**
 * A settled bet by name, with its explanation where somebody asked for it.
 * @typedef {Omit<import("./types").ExplainedLine, "why" | "clauses"> & {player?: string, why?: string,
 *   clauses?: string[]}} Line
 */
/**
 * A player's own view, the lines of the last round by name.
 * @typedef {Omit<import("./types").SeatView, "last"> & {last?: (Omit<import("./types").LastRound, "lines"> &
 *   {lines: Line[]}) | null}} SeatView
 */

let last = 0;

/** A unique command id that sorts by time. */
export function newId() {
  last = Math.max(last + 1, Date.now());
  const noise = crypto.getRandomValues(new Uint32Array(2));
  return `${last.toString(36).padStart(9, "0")}-${noise[0].toString(36)}${noise[1].toString(36)}`;
}

/**
 * Ids by what is asked: whoever presses again after an answer was lost sends the same id, and whoever has changed
 * something in between another.
 * @returns {(what: unknown) => string}
 */
export function idsFor() {
  /** @type {Map<string, string>} */
  const known = new Map();
  return (what) => {
    const text = JSON.stringify(what);
    const id = known.get(text) ?? newId();
    known.set(text, id);
    return id;
  };
}

/**
 * A value with a JSON merge patch applied (RFC 7396). The value itself is not changed.
 * @param {any} value
 * @param {any} patch
 * @returns {any}
 */
export function merge(value, patch) {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const made = value !== null && typeof value === "object" && !Array.isArray(value) ? { ...value } : {};
  for (const [name, each] of Object.entries(patch)) {
    if (each === null) delete made[name];
    else made[name] = merge(made[name], each);
  }
  return made;
}

/**
 * A settled bet by name; the server sends it as a row to save bytes.
 * @param {any} row
 * @returns {Line}
 */
export function lineOf(row) {
  if (!Array.isArray(row)) return row;
  const [player, box, stake, at_risk, pays, winnings, returned] = row;
  return { player, box, stake, at_risk, pays, winnings, returned };
}
