// What the player is told about a box: the line above the rail, accessible names, refusals and what would be allowed.
//   const line = new BoxLine(host, {table, bets, cloth}); line.point("small"); line.draw();
//   boxWords(seen, "small")                      "Small, 1 to 1, your bet $5, room for $95 more"
//   showBetRefusal(seen, refusal, "small", 500)  why, which clause, and a button for what would be allowed
// Limits, odds and headroom are the server's: nothing is computed here.

import { boxName, clausesOf, limitOf, limitText, needs, payText } from "../lib/boxes.js";
import { h, put } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { money } from "../lib/money.js";
import { clauseLinks, refusalWords, showRefusal, toast } from "../lib/shell.js";

/**
 * @typedef {object} Seen
 * @property {import("../lib/table.js").Table} table
 * @property {import("./bets.js").Bets} bets
 * @property {import("../felt/cloth.js").Cloth} cloth
 */

/** Texts for a bet over a limit: the box takes some more, or is full. @type {Record<string, [string, string]>} */
const OVER = {
  "over-maximum": ["play.over-maximum", "play.full-maximum"],
  "over-differential": ["play.over-differential", "play.full-differential"],
};

/**
 * How much more a box takes; undefined when only the player's chips limit it.
 * @param {Seen} seen
 * @param {string} box
 */
export function headroomOf({ table }, box) {
  const left = [table.view?.room?.[box], table.seat?.room[box]].filter((each) => typeof each === "number");
  return left.length ? Math.min(...left) : undefined;
}

/** @param {Seen} seen @param {string} box */
function headroomWords(seen, box) {
  const headroom = headroomOf(seen, box);
  if (headroom === undefined) return "";
  return headroom > 0 ? t("play.room", { amount: money(headroom) }) : t("play.full");
}

/** The accessible name of a box. @param {Seen} seen @param {string} box */
export function boxWords(seen, box) {
  const { layout } = seen.cloth;
  if (!layout) return boxName(box);
  const mine = seen.bets.stakes()[box];
  const words = [
    boxName(box),
    payText(layout, box),
    mine ? t("play.your-bet", { amount: money(mine) }) : "",
    headroomWords(seen, box),
  ];
  return words.filter(Boolean).join(t("list.comma"));
}

/**
 * Say why the table refused a bet.
 * @param {Seen} seen
 * @param {import("../lib/api.js").Refusal} refusal
 * @param {string} box
 * @param {number} amount
 */
export function showBetRefusal(seen, refusal, box, amount) {
  const setUp = seen.table.view?.set_up;
  if (!setUp) return showRefusal(refusal);
  const { bets } = seen;
  const limit = limitOf(setUp, box);
  const headroom = headroomOf(seen, box);
  const offer = (/** @type {number} */ allowed) =>
    h("button", { onclick: () => void bets.place(box, allowed) }, t("play.place", { amount: money(allowed) }));
  let words = refusalWords(refusal);
  const more = [];
  if (refusal.code === "under-minimum") {
    words = t("play.under-minimum", { box: boxName(box), min: money(limit.min) });
    if (amount > 0 && !bets.standing()[box]) more.push(offer(limit.min));
  } else if (headroom !== undefined && refusal.code in OVER) {
    const [some, none] = OVER[refusal.code];
    words = t(headroom > 0 ? some : none, { box: boxName(box), max: money(limit.max), room: money(headroom) });
    if (headroom > 0 && amount > headroom) more.push(offer(headroom));
  } else if (refusal.code === "not-enough-chips") {
    words = t("code.not-enough-chips");
  }
  if (refusal.clauses.length) more.push(clauseLinks(setUp.book, refusal.clauses));
  toast(words, { kind: "bad", more });
}

/** The line about the box that was touched or pointed at last. */
export class BoxLine {
  /**
   * @param {HTMLElement} host
   * @param {Seen} seen
   */
  constructor(host, seen) {
    this.host = host;
    this.seen = seen;
    /** @type {string | null} */
    this.box = null;
    this._drawn = "";
  }

  /** @param {string} box */
  point(box) {
    if (this.box === box) return;
    this.box = box;
    this.draw();
  }

  draw() {
    const { box, host, seen } = this;
    const { table, bets, cloth } = seen;
    const { layout } = cloth;
    const setUp = table.view?.set_up;
    if (!layout || !setUp) return;
    const mine = box ? bets.stakes()[box] : 0;
    const now = JSON.stringify([box, mine, box && table.view?.room?.[box], bets.open, setUp.currency]);
    if (now === this._drawn) return;
    this._drawn = now;
    if (!box) return put(host, h("p", { class: "muted" }, t("play.touch")));
    const limit = limitOf(setUp, box);
    put(
      host,
      h(
        "div",
        { class: "info-words" },
        h("strong", null, boxName(box)),
        h("span", { class: "odds" }, payText(layout, box)),
        h("span", null, limitText(limit)),
        h("span", { class: "headroom" }, headroomWords(seen, box)),
        mine ? h("b", null, t("play.your-bet", { amount: money(mine) })) : null,
        h("span", { class: "muted" }, t("play.needs", { needs: needs(box) })),
        clauseLinks(setUp.book, clausesOf(layout, box)),
      ),
      mine && bets.open ? h("button", { onclick: () => void bets.withdraw(box) }, t("play.withdraw")) : null,
    );
  }
}
