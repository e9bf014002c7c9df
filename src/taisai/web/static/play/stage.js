// The stage of the player's screen: dice, lights, the dealer's call, the countdown.
//   const stage = new Stage(ui, table, () => draw()); stage.draw(view, felt); stage.hear(told); stage.tick();

import { winnersOf } from "../felt/drawing.js";
import { raisedWords } from "../lib/boxes.js";
import { faceName, Tumbler } from "../lib/dice.js";
import { say } from "../lib/dom.js";
import { language, t, voidWhy } from "../lib/i18n.js";
import { signed } from "../lib/money.js";
import { called, totalOf } from "../lib/rolls.js";
import { countdown, isTumbling, rolledIn } from "../lib/round.js";
import { clauseLinks, toast } from "../lib/shell.js";
import { sound, speak } from "../lib/sound.js";
import { countTo, show } from "./count.js";

/** @typedef {import("../lib/types").PublicView} View */
/** @typedef {import("../lib/types").Announcement} Told */
/** @typedef {import("../lib/round.js").Rolled} Rolled */

/** @typedef {"call" | "original" | "cited" | "outcome" | "said" | "spoken" | "seconds" | "bar" | "dice"} Part */

/** Phases in which the result is known, so that a table with lights would have them on. @type {string[]} */
const RESULT_KNOWN = ["announced", "entered", "collected", "between-rounds"];

/** Dice, call and countdown. */
export class Stage {
  /**
   * @param {Record<Part, HTMLElement>} ui
   * @param {import("../lib/table.js").Table} table
   * @param {() => void} changed the winners of a round are known
   */
  constructor(ui, table, changed) {
    this.ui = ui;
    this.table = table;
    this.changed = changed;
    this.tumbler = new Tumbler(ui.dice);
    /** @type {Rolled | null} */
    this.rolled = null;
    this._spoken = -1;
  }

  /** The boxes that are lit. */
  get lit() {
    return this.rolled?.lit ?? [];
  }

  /**
   * @param {View} view
   * @param {import("../felt/felt.js").Felt | null} felt
   */
  draw(view, felt) {
    const { round } = view;
    this.rolled = rolledIn(this.rolled, round);
    const ended = view.results.find((each) => each.number === this.rolled?.round);
    if (this.rolled && ended?.void) this.rolled.lit = [];
    else if (this.rolled && !this.lit.length && view.set_up && RESULT_KNOWN.includes(round.phase))
      void this._light(this.rolled, view.set_up);
    const tumbling = isTumbling(this.table, round);
    if (this.rolled && !tumbling) this.tumbler.show(this.rolled.dice);
    else if (tumbling) this.tumbler.tumble();
    else this.tumbler.cover();
    felt?.light(this.lit.length ? this.lit : null);
    felt?.svg.classList.toggle("closed", round.phase !== "betting");
    document.body.dataset.phase = round.phase;
    if (round.interrupted) this._call(t("stage.interrupted"));
    else if (view.held.length) this._call(t("stage.held", { why: voidWhy(view.held[0]) }));
    else if (view.suspended) this._call(t("stage.suspended"));
    else if (view.phase !== "open") this._call(t("stage.not-open"));
    else if (this.ui.call.textContent === "" || !["betting", "announced"].includes(round.phase)) this._phase(view);
  }

  /**
   * Under a book without lights the screen lights the winners, as the server draws them.
   * @param {Rolled} rolled
   * @param {import("../lib/types").SetUpState} setUp
   */
  async _light(rolled, setUp) {
    const won = await winnersOf(setUp.book, setUp.layout, rolled.dice).catch(() => []);
    if (this.rolled?.round !== rolled.round || this.lit.length || !won.length) return;
    this.rolled.lit = won;
    this.changed();
  }

  /**
   * What the round brought the player, where the dice are: counted up for eyes, said once for ears.
   * @param {(net: string) => string} words
   * @param {number} net
   * @param {string} [said] the same with every bet, for those who do not see the felt
   */
  outcome(words, net, said = "") {
    const { outcome } = this.ui;
    outcome.className = `outcome number ${net > 0 ? "up" : net < 0 ? "down" : ""}`;
    if (net > 0) countTo(outcome, net, (amount) => words(signed(amount)));
    else show(outcome, net, (amount) => words(signed(amount)));
    document.body.classList.toggle("won", net > 0);
    say(this.ui.said, said);
  }

  /** What the table is doing, where no call says it. @param {View} view */
  _phase(view) {
    const { round } = view;
    const stage = this.table.until?.what;
    if (round.phase === "announced" || round.phase === "entered") this._result(view);
    else if (round.phase !== "between-rounds" || !this.rolled)
      this._call(raisedWords(round) || t(stage ? `stage.${stage}` : `phase.${round.phase}`));
  }

  /** The dealer's call of the result. @param {View} view */
  _result(view) {
    const { dice, call } = view.round;
    this._call(t("play.result", { dice: called(dice ?? [], faceName), total: totalOf(dice ?? []) }), call);
  }

  /**
   * Show what the dealer says: in the reader's language, and as it is said at the table.
   * @param {string} words
   * @param {string} [original]
   */
  _call(words, original = "") {
    say(this.ui.call, language() === "en" && original ? original : words);
    say(this.ui.original, language() === "en" ? "" : original);
    this.ui.cited.replaceChildren();
  }

  /** Calls and sounds of what has just happened. @param {Told[]} told */
  hear(told) {
    for (const each of told) {
      switch (each.event) {
        case "bets-opened":
          this.rolled = null;
          this.outcome(() => "", 0);
          this._call(t("phase.betting"), each.call);
          speak(language() === "en" ? each.call : t("phase.betting"));
          break;
        case "bets-closed":
          if (each.bell) sound("bell");
          this._call(t("phase.bets-closed"), each.call);
          speak(language() === "en" ? each.call : t("phase.bets-closed"));
          break;
        case "dice-tumbled":
          sound("rattle");
          break;
        case "result-announced":
          if (this.table.view) this._result(this.table.view);
          speak(this.ui.call.textContent ?? "");
          break;
        case "fact-recorded":
          if (each.fact === "lights-fault") toast(t("play.lights-fault"), { kind: "bad" });
          else if (!each.attested) this._call(t("stage.held", { why: voidWhy(each.fact) }));
          break;
        case "round-reversed": {
          const words = t("result.void-later", { n: each.round, why: voidWhy(each.why) });
          toast(words, { kind: "bad", more: [clauseLinks(this.table.view?.set_up?.book ?? "", each.clauses ?? [])] });
          break;
        }
        case "round-voided": {
          this._call(t("result.void", { why: voidWhy(each.why) }), each.call);
          this.ui.cited.replaceChildren(clauseLinks(this.table.view?.set_up?.book ?? "", each.clauses ?? []));
          speak(this.ui.call.textContent ?? "");
          break;
        }
      }
    }
  }

  /** Move the countdown; called several times a second. */
  tick() {
    const { ui, table } = this;
    const now = table.view && table.state === "live" ? countdown(table.until, table.view.round, table.now()) : null;
    say(ui.seconds, String(now?.seconds ?? ""));
    ui.bar.style.transform = `scaleX(${(now?.share ?? 0).toFixed(3)})`;
    // What was said is taken away, or the same words would not be heard again in the next round.
    if (!now?.seconds) say(ui.spoken, "");
    if (!now) return;
    ui.bar.classList.toggle("soon", now.soon);
    const spoken = now.spoken ? (now.seconds ?? -1) : -1;
    if (spoken !== -1 && spoken !== this._spoken) say(ui.spoken, t("play.seconds-left", { n: spoken }));
    this._spoken = spoken;
  }
}
