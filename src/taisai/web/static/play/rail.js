// The player's rail: chips, undo, clear, rebet, double, history, favourite bets; or how to sit down.
//   const rail = new Rail(ui, table, bets, {chosen: () => guide.did("chip")}); rail.draw(setUp); rail.value(setUp)

import { chipColour } from "../felt/chips.js";
import { post, remember } from "../lib/api.js";
import { boxName } from "../lib/boxes.js";
import { h, labelled, put } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { chip as chipFace, money } from "../lib/money.js";
import { keep, pref } from "../lib/prefs.js";
import { dialog, showRefusal } from "../lib/shell.js";
import { showHistory } from "./result.js";

/** @typedef {import("../lib/types").SetUpState} SetUp */
/** @typedef {import("./bets.js").Bets} Bets */

/** Chips and buttons under the felt. */
export class Rail {
  /**
   * @param {{rail: HTMLElement, favourites: HTMLElement}} ui
   * @param {import("../lib/table.js").Table} table
   * @param {Bets} bets
   * @param {{chosen: () => void}} tell
   */
  constructor(ui, table, bets, tell) {
    this.ui = ui;
    this.table = table;
    this.bets = bets;
    this.tell = tell;
    /** The chosen chip, by its place among the table's denominations. */
    this.place = pref("chip", 1);
    /** Whether guests may sit down with play chips. */
    this.demo = true;
    /** Whether a seat was asked for and the table does not know us yet: two taps must seat one guest. */
    this.sitting = false;
    this._drawn = "";
    this._favourites = "";
  }

  /** The amount of one touch. @param {SetUp} setUp */
  value(setUp) {
    return setUp.denominations[this.place] ?? setUp.denominations[0];
  }

  /** @param {SetUp} setUp */
  draw(setUp) {
    this._drawFavourites();
    const { bets } = this;
    const mine = Object.keys(bets.stakes()).length > 0;
    const can = {
      undo: bets.open && bets.done.length > 0,
      clear: bets.open && mine,
      rebet: bets.open && !mine && bets.last().length > 0,
      double: bets.open && mine,
    };
    const { denominations, currency } = setUp;
    const now = JSON.stringify([denominations, currency, this.place, can, bets.player !== "", this.demo]);
    if (now === this._drawn) return;
    this._drawn = now;
    const focused = document.activeElement?.getAttribute("data-action");
    if (!bets.player) {
      put(this.ui.rail, this._seatPanel());
      return;
    }
    const button = (/** @type {"undo" | "clear" | "rebet" | "double"} */ what, /** @type {() => unknown} */ act) =>
      h("button", { "data-action": what, disabled: !can[what], onclick: act }, t(`play.${what}`));
    put(
      this.ui.rail,
      h(
        "div",
        { class: "chips-rail", role: "radiogroup", "aria-label": t("play.chips") },
        ...setUp.denominations.map((value, place) => this._chip(value, place, setUp.denominations.length)),
      ),
      h(
        "div",
        { class: "actions" },
        button("undo", () => void bets.undo()),
        button("clear", () => void bets.clear()),
        button("rebet", () => void bets.rebet()),
        button("double", () => void bets.double()),
        h("button", { "data-action": "history", onclick: () => void showHistory(setUp) }, t("play.history")),
      ),
    );
    if (focused) this._focus(focused);
  }

  /** @param {string} action */
  _focus(action) {
    /** @type {HTMLElement | null} */ (this.ui.rail.querySelector(`[data-action="${action}"]`))?.focus();
  }

  /**
   * @param {number} value
   * @param {number} place
   * @param {number} count
   */
  _chip(value, place, count) {
    const chosen = place === this.place;
    return h(
      "button",
      {
        class: `rail-chip rail-${chipColour(place)}`,
        role: "radio",
        "data-action": `chip-${place}`,
        "aria-checked": String(chosen),
        tabindex: chosen ? "0" : "-1",
        "aria-label": money(value),
        onclick: () => this.choose(place),
        onkeydown: (/** @type {KeyboardEvent} */ event) => this._key(event, place, count),
      },
      h("span", null, chipFace(value)),
    );
  }

  /** @param {number} place */
  choose(place) {
    this.place = place;
    keep("chip", place);
    this.tell.chosen();
    const setUp = this.table.view?.set_up;
    if (setUp) this.draw(setUp);
  }

  /**
   * @param {KeyboardEvent} event
   * @param {number} place
   * @param {number} count
   */
  _key(event, place, count) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    this.choose((place + step + count) % count);
    this._focus(`chip-${this.place}`);
  }

  // ---------------------------------------------------------------- sitting down

  /** How to sit down, for those who only watch. */
  _seatPanel() {
    if (this.demo) {
      const sit = () => void this._sit({ guest_at: this.table.name });
      return h(
        "div",
        { class: "sit" },
        h("p", null, t("play.watching")),
        h("button", { class: "main", "data-action": "sit", onclick: sit }, t("play.sit-demo")),
      );
    }
    const code = h("input", { name: "code", required: true, autocomplete: "off", maxlength: 32 });
    const player = h("input", { name: "player", autocomplete: "nickname", maxlength: 64 });
    const made = h(
      "form",
      { class: "sit" },
      h("p", null, t("play.code-words")),
      labelled(t("play.code"), code),
      labelled(t("play.name"), player),
      h("button", { class: "main" }, t("home.sit")),
    );
    made.addEventListener("submit", (event) => {
      event.preventDefault();
      const named = player.value.trim();
      void this._sit({ code: code.value.trim(), ...(named ? { player: named } : {}) });
    });
    return made;
  }

  /** @param {Record<string, string>} how */
  async _sit(how) {
    if (this.sitting) return;
    this.sitting = true;
    try {
      remember((await post("/api/seat", how)).me);
      const known = new Promise((resolve) => {
        const stop = this.table.on("hello", () => resolve(stop()));
      });
      this.table.rejoin();
      await known;
    } catch (refusal) {
      showRefusal(refusal);
    } finally {
      this.sitting = false;
    }
  }

  // ---------------------------------------------------------------- favourites

  _drawFavourites() {
    const { bets } = this;
    const all = bets.favourites();
    const mine = Object.keys(bets.stakes()).length > 0;
    const now = JSON.stringify([all, mine, bets.open, this.table.view?.set_up?.currency]);
    if (now === this._favourites) return;
    this._favourites = now;
    put(
      this.ui.favourites,
      h("h2", null, t("favourites.title")),
      all.length
        ? h("ul", { class: "favourites" }, ...all.map((each) => this._favourite(each)))
        : h("p", { class: "muted" }, t("favourites.none")),
      h("button", { disabled: !mine, onclick: () => void this._save() }, t("favourites.save")),
    );
  }

  /** @param {import("./bets.js").Favourite} each */
  _favourite(each) {
    const words = Object.entries(each.bets).map(([box, amount]) => `${boxName(box)} ${money(amount)}`);
    const remove = () => {
      this.bets.forgetFavourite(each.name);
      this._drawFavourites();
    };
    return h(
      "li",
      null,
      h("button", { disabled: !this.bets.open, onclick: () => void this.bets.use(each) }, each.name),
      h("span", { class: "muted" }, words.join(t("list.comma"))),
      h("button", { class: "x", "aria-label": t("favourites.remove", { name: each.name }), onclick: remove }, "×"),
    );
  }

  async _save() {
    const chosen = this.bets.stakes();
    const first = t("favourites.name", { n: this.bets.favourites().length + 1 });
    const input = h("input", { value: first, maxlength: 40 });
    const called = await dialog(t("favourites.save"), (/** @type {(answer: string | null) => void} */ close) => [
      labelled(t("favourites.label"), input),
      h(
        "p",
        { class: "row" },
        h("button", { class: "main", onclick: () => close(input.value.trim()) }, t("favourites.keep")),
        h("button", { onclick: () => close(null) }, t("cancel")),
      ),
    ]);
    if (called) this.bets.save(called, chosen);
    this._drawFavourites();
  }
}
