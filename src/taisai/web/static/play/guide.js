// A guide for newcomers: four steps, each completed by doing it. It is shown once.
//   const guide = new Guide(host); guide.did("chip" | "bet" | "dice" | "result");

import { h, put } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { keep, pref } from "../lib/prefs.js";

const STEPS = ["chip", "bet", "dice", "result"];

/** A card that says what to do next. */
export class Guide {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    this.step = pref("guided", false) ? STEPS.length : 0;
    this.draw();
  }

  /** Start over. */
  again() {
    keep("guided", null);
    this.step = 0;
    this.draw();
  }

  /**
   * A step was completed. What the table does by itself does not complete a step of the player.
   * @param {string} what
   */
  did(what) {
    const place = STEPS.indexOf(what);
    if (place < this.step || this.step >= STEPS.length) return;
    if (place > STEPS.indexOf("bet") && this.step <= STEPS.indexOf("bet")) return;
    this.step = place + 1;
    if (this.step < STEPS.length) this.draw();
    else setTimeout(() => this.end(), 12000);
  }

  /** Close the guide for good. */
  end() {
    this.step = STEPS.length;
    keep("guided", true);
    this.draw();
  }

  draw() {
    this.host.hidden = this.step >= STEPS.length;
    document.body.dataset.guide = STEPS[this.step] ?? "";
    if (this.host.hidden) return;
    const name = STEPS[this.step];
    put(
      this.host,
      h(
        "ol",
        { class: "guide-steps", "aria-hidden": "true" },
        ...STEPS.map((_, place) =>
          h("li", { class: place < this.step ? "past" : place === this.step ? "now" : "" }, place + 1),
        ),
      ),
      h(
        "div",
        { class: "guide-words", role: "status" },
        h("strong", null, t(`guide.${name}`)),
        h("p", null, t(`guide.${name}-words`)),
      ),
      h("button", { class: "quiet", onclick: () => this.end() }, t("guide.skip")),
    );
  }
}
