// The dealer's hand beneath the felt: put down or take back chips for a player, and show where a moved bet lay.
//   const hand = new Hand(host, desk, marks); hand.draw(); hand.touched("small") -> whether the touch was for the hand
// Found bets: pick the player, pick the chip, touch the box. A moved bet: touch where it lies, touch where it lay.
// Enters: the crew's view and touches of the felt. Leaves: commands; nothing is decided here.

import { chipColour } from "../felt/chips.js";
import { boxName } from "../lib/boxes.js";
import { h, say } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { chip, money } from "../lib/money.js";
import { betsOn } from "../lib/round.js";
import { dialog, redraw, toast } from "../lib/shell.js";
import { act, actionButton, whyNot } from "./actions.js";
import { ask } from "./ask.js";

/** @typedef {import("./actions.js").Desk} Desk */

const WAYS = ["felt", "call", "staff"];

/** What the dealer holds: a player's chips, or a bet that was moved. */
export class Hand {
  /**
   * @param {HTMLElement} host
   * @param {Desk} desk
   * @param {import("./seats.js").SeatMarks} marks
   */
  constructor(host, desk, marks) {
    this.desk = desk;
    this.marks = marks;
    this.player = "";
    this.chip = 0;
    this.way = WAYS[0];
    this.back = false;
    /** Where a moved bet lies, once it is touched; null when none is being moved. @type {{box: string} | null} */
    this.moved = null;
    this.rail = h("div", { class: "hand-rail" });
    this.words = h("p", { class: "hand-words", role: "status" });
    host.append(this.rail, this.words);
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !document.querySelector("dialog[open]") && (this.player || this.moved)) this.free();
    });
  }

  /** Hold nothing. */
  free() {
    Object.assign(this, { player: "", back: false, moved: null });
    this.draw();
  }

  /** @param {Partial<Pick<Hand, "player" | "chip" | "way" | "back" | "moved">>} what */
  hold(what) {
    Object.assign(this, what);
    this.draw();
  }

  get _betting() {
    return this.desk.table.view?.round.phase === "betting";
  }

  /** The chips that the player may bet with: those of the table, or those of their colour. */
  _chips() {
    const { view } = this.desk.table;
    const seat = view?.seats[this.player];
    const own = seat?.colour ? [{ value: seat.value, colour: seat.colour }] : [];
    return [...own, ...(view?.set_up?.denominations ?? []).map((value) => ({ value, colour: "" }))];
  }

  draw() {
    const { view } = this.desk.table;
    if (!view?.set_up) return;
    const players = Object.entries(view.seats).filter(([name, seat]) => seat.present || view.stakes[name]);
    if (this.player && !players.some(([name]) => name === this.player)) this.player = "";
    if (this.moved && whyNot(this.desk, "correct-bet")) this.moved = null;
    const betting = this._betting && whyNot(this.desk, "place-bet") === null;
    if (!betting) Object.assign(this, { player: "", back: false });
    const chips = this._chips();
    if (!chips.some(({ value }) => value === this.chip)) this.chip = chips[0]?.value ?? 0;
    redraw(
      this.rail,
      players.length > 0 &&
        h(
          "div",
          { class: "hand-players", role: "group", "aria-label": t("deal.players") },
          ...players.map(([name]) => this._player(name, betting)),
        ),
      this.player && this._tools(chips),
      actionButton(this.desk, "correct-bet", {
        for: "hand",
        class: this.moved ? "held" : "",
        run: () => this.hold({ moved: this.moved ? null : { box: "" }, player: "" }),
      }),
    );
    say(this.words, this._hint(betting));
  }

  /** @param {string} name @param {boolean} betting */
  _player(name, betting) {
    return h(
      "button",
      {
        class: "hand-player",
        "data-action": "hold",
        "data-for": name,
        "aria-pressed": betting ? String(name === this.player) : null,
        "aria-disabled": betting ? null : "true",
        onclick: () =>
          this._betting && this.hold({ player: this.player === name ? "" : name, moved: null, back: false }),
      },
      this.marks.badge(name),
      h("span", null, name),
    );
  }

  /** @param {{value: number, colour: string}[]} chips */
  _tools(chips) {
    const way = h(
      "select",
      {
        "aria-label": t("deal.field.how"),
        "data-action": "way",
        onchange: () => this.hold({ way: way.value }),
      },
      ...WAYS.map((each) => h("option", { value: each, selected: each === this.way }, t(`deal.choice.how.${each}`))),
    );
    return [
      h(
        "div",
        { class: "hand-chips", role: "group", "aria-label": t("deal.field.count") },
        ...chips.map(({ value, colour }, place) =>
          h(
            "button",
            {
              class: `hand-chip chip-${chipColour(place)}`,
              "data-action": "chip",
              "data-for": colour || value,
              "aria-pressed": String(value === this.chip),
              "aria-label": colour ? t("deal.colour-at", { colour, value: money(value) }) : money(value),
              style: colour ? { background: colour } : null,
              onclick: () => this.hold({ chip: value }),
            },
            h("span", null, chip(value)),
          ),
        ),
      ),
      way,
      h(
        "button",
        {
          "data-action": "take-back",
          "aria-pressed": String(this.back),
          class: this.back ? "held" : "",
          onclick: () => this.hold({ back: !this.back }),
        },
        t("deal.take-back"),
      ),
      h("button", { class: "quiet", "data-action": "free", onclick: () => this.free() }, t("deal.hand-done")),
    ];
  }

  /** @param {boolean} betting */
  _hint(betting) {
    const amount = money(this.chip);
    if (this.moved)
      return this.moved.box ? t("deal.moved-lay", { box: boxName(this.moved.box) }) : t("deal.moved-lies");
    if (this.player && this.back) return t("deal.hand-back", { player: this.player, amount });
    if (this.player) return t("deal.hand-bet", { player: this.player, amount });
    return betting ? t("deal.hand-pick") : "";
  }

  /** A box was touched. @param {string} box @returns {boolean} whether it was for the hand */
  touched(box) {
    if (this.moved) void this._move(box);
    else if (this.player && this._betting) void this._lay(box);
    else return false;
    return true;
  }

  /** @param {string} box */
  async _lay(box) {
    const { player, chip: amount, back } = this;
    const colour = this._chips().find(({ value }) => value === amount)?.colour;
    const done = back
      ? await act(this.desk, { do: "withdraw-bet", player, box, amount })
      : await act(this.desk, { do: "place-bet", player, box, amount, how: this.way, ...(colour ? { colour } : {}) });
    if (done)
      say(this.words, t(back ? "deal.took" : "deal.laid", { player, amount: money(amount), box: boxName(box) }));
  }

  /** @param {string} box */
  async _move(box) {
    const { view } = this.desk.table;
    if (!view || !this.moved) return;
    if (!this.moved.box) {
      if (!betsOn(view, box).length) toast(t("deal.empty-box"));
      else this.hold({ moved: { box } });
      return;
    }
    const lies_on = this.moved.box;
    this.free();
    if (box === lies_on) return;
    const bets = betsOn(view, lies_on);
    const bet = bets.length > 1 ? await this._whose(lies_on, bets) : bets[0];
    if (!bet) return;
    const [player, amount] = bet;
    await ask(this.desk, "correct-bet", { player, lies_on, belongs_on: box, amount }, { round: view.round.number });
  }

  /**
   * Several players have chips there: whose were moved?
   * @param {string} box
   * @param {[string, number][]} bets
   * @returns {Promise<[string, number] | null>}
   */
  _whose(box, bets) {
    return dialog(t("deal.whose", { box: boxName(box) }), (close) => [
      h(
        "div",
        { class: "row" },
        ...bets.map((bet) =>
          h(
            "button",
            { "data-action": "whose", "data-for": bet[0], onclick: () => close(bet) },
            this.marks.badge(bet[0]),
            bet[0],
            " ",
            h("span", { class: "number" }, money(bet[1])),
          ),
        ),
      ),
    ]);
  }
}
