// The keypad of the dealer's desk: buttons of the entry terminal, or the faces of the dice that are uncovered next.
//   const entry = new Entry(host, desk, () => drawNext()); entry.type(4); entry.back(); entry.follow(); entry.draw();

import { dieFace } from "../lib/dice.js";
import { h, put } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { act } from "./actions.js";

/** @typedef {import("./actions.js").Desk} Desk */

/** Faces typed before the dice are uncovered, and what the terminal shows. */
export class Entry {
  /**
   * @param {HTMLElement} host
   * @param {Desk} desk
   * @param {() => void} changed other faces are typed
   */
  constructor(host, desk, changed) {
    this.host = host;
    this.desk = desk;
    this.changed = changed;
    /** @type {number[]} */
    this.faces = [];
    /** The round in which the faces were typed. */
    this._round = 0;
    this._drawn = "";
  }

  /** Whether all three faces are typed. */
  get complete() {
    return this.faces.length === 3;
  }

  /** Whether uncovering the dice is the next step. */
  get _uncovering() {
    return this.desk.crew()?.next?.do === "uncover";
  }

  /** Whether the table has an entry terminal that is in use. @param {string[]} phases when */
  _terminal(...phases) {
    const phase = this.desk.table.view?.round.phase ?? "";
    return Boolean(this.desk.crew()?.procedure?.terminal) && phases.includes(phase);
  }

  /** A face was typed or touched. @param {number} face */
  type(face) {
    if (this._terminal("uncovered", "announced")) {
      // Without `acted`: a button of the terminal does not change the next step, so no step waits for its record.
      void act({ ...this.desk, acted: undefined }, { do: "press", number: face });
    } else if (this._uncovering) {
      this._round = this.desk.table.view?.round.number ?? 0;
      this._set([...this.faces, face].slice(-3));
    }
  }

  /** Take the last face back. */
  back() {
    this._set(this.faces.slice(0, -1));
  }

  /** @param {number[]} faces */
  _set(faces) {
    this.faces = faces;
    this.draw();
    this.changed();
  }

  /** Drop faces that were typed for other dice: the round was void, or is over. */
  follow() {
    if (!this._uncovering || this.desk.table.view?.round.number !== this._round) this.faces = [];
  }

  draw() {
    const { host, desk } = this;
    const round = desk.table.view?.round;
    const terminal = this._terminal("uncovered", "announced", "entered");
    const uncovering = this._uncovering && desk.table.mode !== "automatic";
    const shown = terminal ? (round?.entered ?? round?.pressed ?? []) : this.faces;
    const now = JSON.stringify([terminal, uncovering, round?.phase, shown]);
    if (now === this._drawn) return;
    this._drawn = now;
    const focused = /** @type {HTMLElement | null} */ (
      host.contains(document.activeElement) ? document.activeElement : null
    );
    host.hidden = !terminal && !uncovering;
    if (host.hidden) return put(host);
    put(
      host,
      h("h2", null, t(terminal ? "deal.terminal" : "deal.faces")),
      h(
        "div",
        { class: "slots", role: "status", "aria-label": shown.length ? shown.join("-") : t("deal.nothing") },
        ...[0, 1, 2].map((place) =>
          h(
            "span",
            { class: "slot", "aria-hidden": "true" },
            shown[place] ? (terminal ? String(shown[place]) : dieFace(shown[place])) : "",
          ),
        ),
      ),
      (uncovering || round?.phase !== "entered") && this._keypad(uncovering),
    );
    const face = focused?.dataset.face;
    if (face) /** @type {HTMLElement | null} */ (host.querySelector(`[data-face="${face}"]`))?.focus();
  }

  /** @param {boolean} uncovering */
  _keypad(uncovering) {
    return h(
      "div",
      { class: "keypad" },
      ...[1, 2, 3, 4, 5, 6].map((face) =>
        h(
          "button",
          { "data-face": face, "aria-label": t("deal.face", { n: face }), onclick: () => this.type(face) },
          String(face),
        ),
      ),
      uncovering &&
        h("button", { "data-face": "back", "aria-label": t("deal.key.back"), onclick: () => this.back() }, "⌫"),
    );
  }
}
