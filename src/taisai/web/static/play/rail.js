// The player's rail: chips, undo, clear, rebet, double, history, favourite bets; or how to sit down.
//   const rail = new Rail(ui, table, bets, {chosen: () => guide.did("chip")}); rail.draw(setUp); rail.value(setUp)

import { chipColour } from "../felt/chips.js";
import { post, remember, sit } from "../lib/api.js";
import { boxName } from "../lib/boxes.js";
import { h, labelled, put } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { chip as chipFace, money } from "../lib/money.js";
import { keep, pref } from "../lib/prefs.js";
import { dialog, showRefusal } from "../lib/shell.js";

/** @typedef {import("../lib/types").SetUpState} SetUp */
/** @typedef {import("./bets.js").Bets} Bets */

/** @param {SetUp} setUp */
async function showHistory(setUp) {
  const history = await import("./history.js");
  await history.showHistory(setUp);
}

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
    /** What a guest sits down with; 0 until the server has said so, or where there are no guests. */
    this.guestChips = 0;
    /** Whether a seat was asked for and the table does not know us yet: two taps must seat one guest. */
    this.sitting = false;
    this._drawn = "";
    this._favourites = "";
  }

  /** The amount of one touch. @param {SetUp} setUp */
  value(setUp) {
    if (this.colour(setUp)) return this._seat?.value ?? 0;
    return setUp.denominations[this.place] ?? setUp.denominations[0];
  }

  /** The player's seat, once they have one. */
  get _seat() {
    return this.table.view?.seats[this.bets.player];
  }

  /** How many kinds of chips the player has to choose from: behind the table's own, those of their colour. */
  count(/** @type {SetUp} */ setUp) {
    return setUp.denominations.length + (this._seat?.colour ? 1 : 0);
  }

  /** The colour of the chosen chip; null for value chips. @param {SetUp} setUp */
  colour(setUp) {
    return this.place === setUp.denominations.length ? (this._seat?.colour ?? null) : null;
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
    const again = this._mayBuy();
    const broke = this._broke();
    const { colour, value: worth } = this._seat ?? {};
    const chips = [denominations, currency, colour, worth, this.place];
    const now = JSON.stringify([chips, can, bets.player, this.demo, again, broke]);
    if (now === this._drawn) return;
    this._drawn = now;
    const focused = document.activeElement?.getAttribute("data-action");
    if (!bets.player) {
      put(this.ui.rail, this._seatPanel());
      return;
    }
    const button = (/** @type {"undo" | "clear" | "rebet" | "double"} */ what, /** @type {() => unknown} */ act) =>
      h(
        "button",
        { "data-action": what, "aria-keyshortcuts": what[0], disabled: !can[what], onclick: act },
        t(`play.${what}`),
      );
    put(
      this.ui.rail,
      h(
        "div",
        { class: "chips-rail", role: "radiogroup", "aria-label": t("play.chips") },
        ...denominations.map((value, place) => this._chip(value, place, this.count(setUp))),
        colour && this._chip(worth ?? 0, denominations.length, this.count(setUp), colour),
      ),
      h(
        "div",
        { class: "actions" },
        button("undo", () => void bets.undo()),
        button("clear", () => void bets.clear()),
        button("rebet", () => void bets.rebet()),
        button("double", () => void bets.double()),
        h("button", { "data-action": "history", onclick: () => void showHistory(setUp) }, t("play.history")),
        again && !broke && this._againButton(),
        h("button", { "data-action": "leave", onclick: () => void this._leave() }, t("play.leave")),
      ),
      broke &&
        h(
          "div",
          { class: "notice broke" },
          h("p", { role: "status" }, t(again ? "play.broke-demo" : "play.broke")),
          again && this._againButton(),
        ),
    );
    if (focused) this._focus(focused);
  }

  /** Press a button of the rail, if it can be pressed now. @param {string} action */
  press(action) {
    /** @type {HTMLElement | null} */ (this.ui.rail.querySelector(`[data-action="${action}"]:not(:disabled)`))?.click();
  }

  /** @param {string} action */
  _focus(action) {
    /** @type {HTMLElement | null} */ (this.ui.rail.querySelector(`[data-action="${action}"]`))?.focus();
  }

  /**
   * @param {number} value
   * @param {number} place
   * @param {number} count
   * @param {string} [colour] the player's own chips, which have no value printed on them
   */
  _chip(value, place, count, colour) {
    const chosen = place === this.place;
    return h(
      "button",
      {
        class: `rail-chip rail-${chipColour(place)}`,
        role: "radio",
        "data-action": `chip-${place}`,
        "aria-checked": String(chosen),
        tabindex: chosen ? "0" : "-1",
        "data-colour": colour ?? null,
        "aria-label": colour ? t("deal.colour-at", { colour, value: money(value) }) : money(value),
        style: colour ? { background: colour } : {},
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

  // ---------------------------------------------------------------- play chips

  /** Whether the server sells a guest another set of play chips: they hold less than half of one. */
  _mayBuy() {
    const { seat } = this.table;
    return seat !== null && this.guestChips > 0 && seat.funds + seat.on_felt < Math.floor(this.guestChips / 2);
  }

  /** Whether the player has no chips left: the server sells more to a guest, the dealer to everybody else. */
  _broke() {
    const { seat } = this.table;
    return seat !== null && seat.funds + seat.on_felt === 0;
  }

  _againButton() {
    return h(
      "button",
      { class: "main", "data-action": "again", onclick: () => void this._buy() },
      t("play.again", { amount: money(this.guestChips) }),
    );
  }

  /** Leave the table, with everything that is in hand; asked first. */
  async _leave() {
    const sure = await dialog(t("play.leave"), (/** @type {(answer: boolean | null) => void} */ close) => [
      h("p", null, t("play.leave-words", { amount: money(this.bets.purse().funds) })),
      h(
        "p",
        { class: "row" },
        h("button", { class: "main", "data-action": "leave-now", onclick: () => close(true) }, t("play.leave")),
        h("button", { onclick: () => close(null) }, t("cancel")),
      ),
    ]);
    if (!sure) return;
    try {
      await this.table.do({ do: "leave-table", player: this.bets.player });
      remember(null); // leaving has ended the session
      location.href = "/";
    } catch (refusal) {
      showRefusal(refusal, this.table.view?.set_up?.book);
    }
  }

  async _buy() {
    try {
      await post("/api/me/chips");
    } catch (refusal) {
      showRefusal(refusal);
    }
  }

  // ---------------------------------------------------------------- sitting down

  /** How to sit down, for those who only watch. */
  _seatPanel() {
    if (this.demo) {
      const nickname = h("input", {
        name: "player",
        autocomplete: "nickname",
        maxlength: 64,
        value: pref("nickname", ""),
      });
      const guest = h(
        "form",
        { class: "sit" },
        h("p", null, t("play.watching")),
        labelled(t("play.nickname"), nickname),
        h("button", { class: "main", "data-action": "sit" }, t("play.sit-demo")),
      );
      guest.addEventListener("submit", (event) => {
        event.preventDefault();
        const named = nickname.value.trim().replace(/\s+/g, "-");
        keep("nickname", named);
        void this._sit({ guest_at: this.table.name, ...(named ? { player: named } : {}) });
      });
      return guest;
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
      const { alsoAt } = await import("../lib/seats.js");
      if (!(await alsoAt(this.table.name))) return;
      await sit(how);
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
    const input = h("input", { value: first, maxlength: 40, autofocus: true });
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
