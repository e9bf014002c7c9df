// A player's bets: place, raise, withdraw, undo, clear, rebet, double, favourites.
//   const bets = new Bets(table, {refused: (refusal, box, amount) => ..., changed: () => ...});
//   bets.place("small", 500); bets.withdraw("small"); bets.undo(); bets.clear(); bets.rebet(); bets.double();
//   bets.stakes()      own chips by box, including commands without an answer
// Whether a bet is accepted is the table's decision: no limit or payout is computed here.

import { Refusal } from "../lib/api.js";
import { keep, pref } from "../lib/prefs.js";
import { drawn } from "./fair.js";

/** @typedef {import("../lib/table.js").Table} Table */
/**
 * @typedef {{box: string, amount: number, colour?: string | null}} Move  a positive amount was placed, a negative one
 * withdrawn; `colour` where it is in chips of the player's colour
 */
/** @typedef {{name: string, bets: Record<string, number>}} Favourite */

const FAVOURITES_MOST = 12;

/** The bets of the player at this screen. */
export class Bets {
  /**
   * @param {Table} table
   * @param {{refused: (refusal: Refusal, box: string, amount: number) => void, changed: () => void}} tell
   */
  constructor(table, tell) {
    this.table = table;
    this.tell = tell;
    /** What can be undone: a list of moves for each thing the player did. @type {Move[][]} */
    this.done = [];
    /** Sent, and not yet in the view. @type {Set<Move & {seq: number | null}>} */
    this.coming = new Set();
    /** Commands without an answer. @type {Set<Promise<unknown>>} */
    this.asked = new Set();
    /** Whose bets these are, and of which round. */
    this._of = "";
    /** What this browser brings to the virtual dice of the round. */
    this.contribution = "";
  }

  /** The player's name, or "". */
  get player() {
    return this.table.you?.player ?? "";
  }

  /** Whether chips may be moved now. */
  get open() {
    return this.table.view?.round.phase === "betting" && this.table.view.phase === "open" && this.player !== "";
  }

  /** The round on screen. */
  get round() {
    return this.table.view?.round.number;
  }

  /** Own chips as the table has them. @returns {Record<string, number>} */
  standing() {
    return this.table.view?.stakes[this.player] ?? {};
  }

  /** Own chips, including moves that are not in the view yet. @returns {Record<string, number>} */
  stakes() {
    const found = { ...this.standing() };
    for (const move of this.coming) {
      if (move.seq !== null && move.seq <= this.table.seq) this.coming.delete(move);
      else found[move.box] = (found[move.box] ?? 0) + move.amount;
    }
    for (const [box, amount] of Object.entries(found)) if (amount <= 0) delete found[box];
    return found;
  }

  /** Boxes with chips of which the table has not said yet that they stand. */
  get unsure() {
    return new Set([...this.coming].filter((move) => move.seq === null).map((move) => move.box));
  }

  /** What is in hand and on the felt, with moves that are not in the view yet: it follows the chip at once. */
  purse() {
    const { funds, on_felt: onFelt } = this.table.seat ?? { funds: 0, on_felt: 0 };
    if (!this.open) return { funds, onFelt };
    const placed = Object.values(this.stakes()).reduce((sum, each) => sum + each, 0);
    return { funds: funds + onFelt - placed, onFelt: placed };
  }

  /** Bets of the last round played. @returns {Move[]} */
  last() {
    return (this.table.seat?.last?.lines ?? []).map(({ box, stake }) => ({ box, amount: stake }));
  }

  /** Forget what could be undone when the round or the player is another, also after reconnecting. */
  follow() {
    const now = `${this.round} ${this.player}`;
    if (now === this._of) return;
    this._of = now;
    this.contribution = drawn();
    this.done = [];
    this.coming.clear();
  }

  /**
   * Place a bet or raise it.
   * @param {string} box
   * @param {number} amount
   * @param {string | null} [colour] in chips of the player's colour
   */
  place(box, amount, colour = null) {
    return this._all([{ box, amount, colour }]);
  }

  /**
   * Withdraw all chips of a box.
   * @param {string} box
   */
  async withdraw(box) {
    if (!(await this._answered())) return false;
    const amount = this.stakes()[box];
    return amount ? this._all([{ box, amount: -amount }]) : false;
  }

  /** Withdraw everything. */
  async clear() {
    if (!(await this._answered())) return false;
    return this._all(Object.entries(this.stakes()).map(([box, amount]) => ({ box, amount: -amount })));
  }

  /** Place the bets of the last round again. */
  rebet() {
    return this._all(this.last());
  }

  /** Double every bet. */
  async double() {
    if (!(await this._answered())) return false;
    return this._all(Object.entries(this.stakes()).map(([box, amount]) => ({ box, amount })));
  }

  /** Wait until everything asked so far is answered; false if the round is over by then. */
  async _answered() {
    const { round } = this;
    while (this.asked.size) await Promise.allSettled([...this.asked]);
    return this.round === round;
  }

  /** Undo the last thing. */
  async undo() {
    if (!(await this._answered())) return false;
    const group = this.done.pop();
    if (!group) return false;
    const back = group.map(({ box, amount }) => ({ box, amount: -amount })).reverse();
    return this._all(back, false);
  }

  /**
   * Make several moves one after the other; the first refusal ends them.
   * @param {Move[]} moves
   * @param {boolean} [undoable]
   * @returns {Promise<boolean>}
   */
  _all(moves, undoable = true) {
    const answer = this._each(moves, undoable);
    this.asked.add(answer);
    return answer.finally(() => {
      this.asked.delete(answer);
      this.tell.changed();
    });
  }

  /**
   * @param {Move[]} moves
   * @param {boolean} undoable
   */
  async _each(moves, undoable) {
    /** @type {Move[]} */
    const made = [];
    const { round } = this;
    for (const move of moves) {
      if (!(await this._one(move, round))) break;
      made.push(move);
    }
    if (undoable && made.length && this.round === round) this.done.push(made);
    return made.length === moves.length;
  }

  /**
   * @param {Move} move
   * @param {number} [round] the round it is meant for: when its turn comes, the table may be in another
   * @returns {Promise<boolean>}
   */
  async _one({ box, amount, colour }, round) {
    /** @type {Move & {seq: number | null}} */
    const coming = { box, amount, seq: null };
    this.coming.add(coming);
    this.tell.changed();
    try {
      const { player } = this;
      const virtual = this.table.view?.round.commitment;
      const brought = virtual ? { contribution: (this.contribution ||= drawn()) } : {};
      const action =
        amount > 0
          ? { do: "place-bet", player, box, amount, ...(colour ? { colour } : {}), ...brought }
          : { do: "withdraw-bet", player, box, amount: -amount };
      coming.seq = (await this.table.do(action, {}, { round })).seq;
      return true;
    } catch (error) {
      this.coming.delete(coming);
      if (!(error instanceof Refusal)) throw error;
      this.tell.refused(error, box, amount);
      return false;
    }
  }

  // ---------------------------------------------------------------- favourites

  /** Where favourites of this layout are stored. */
  get _shelf() {
    const setUp = this.table.view?.set_up;
    return `favourites.${setUp?.book}/${setUp?.layout}`;
  }

  /** Bets saved in this browser for this layout. @returns {Favourite[]} */
  favourites() {
    return pref(this._shelf, /** @type {Favourite[]} */ ([]));
  }

  /**
   * Save bets under a name.
   * @param {string} name
   * @param {Record<string, number>} bets
   */
  save(name, bets) {
    const others = this.favourites().filter((each) => each.name !== name);
    keep(this._shelf, [...others, { name, bets }].slice(-FAVOURITES_MOST));
  }

  /** @param {string} name */
  forgetFavourite(name) {
    keep(
      this._shelf,
      this.favourites().filter((each) => each.name !== name),
    );
  }

  /** Place saved bets. @param {Favourite} favourite */
  use(favourite) {
    return this._all(Object.entries(favourite.bets).map(([box, amount]) => ({ box, amount })));
  }
}

/**
 * What the other players have in each box.
 * @param {import("../lib/types").PublicView["stakes"]} stakes
 * @param {string} player
 */
export function othersOn(stakes, player) {
  /** @type {Record<string, number>} */
  const found = {};
  for (const [who, boxes] of Object.entries(stakes)) {
    if (who === player) continue;
    for (const [box, amount] of Object.entries(boxes)) found[box] = (found[box] ?? 0) + amount;
  }
  return found;
}

/**
 * What a round returned to a player, by box; nothing if their last round was another.
 * @param {import("../lib/messages.js").SeatView | null} seat
 * @param {number} round
 * @returns {Record<string, number>}
 */
export function paidBack(seat, round) {
  if (seat?.last?.number !== round) return {};
  return Object.fromEntries(
    seat.last.lines.filter((each) => each.returned > 0).map((each) => [each.box, each.returned]),
  );
}
