// One drill from the first look to its marks.
// Enters: a drill of /api/training/drill. Leaves: answers for /api/training/mark, and the marks on screen. No payout is
// computed here: chips that the trainee taps are added up, and everything else is the server's.

import { mountFelt } from "../felt/felt.js";
import { getOnce, part, post, Refusal } from "../lib/api.js";
import { boxesNamed, boxName, kindName, limitText } from "../lib/boxes.js";
import { diceRow } from "../lib/dice.js";
import { $, h, put, say } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { money, setCurrency } from "../lib/money.js";
import { baize, showRefusal, toast } from "../lib/shell.js";
import { sections } from "../rules/parts.js";
import { clock, paymentsOf, withChip } from "./answers.js";
import { marksPanel } from "./marks.js";
import { STAGES, stageForm } from "./stages.js";

/** @typedef {import("../felt/felt.js").Felt} Felt */
/** @typedef {{player: string, box: string, stake: number, chips: number}} Bet */
/** @typedef {{id: string, text: string, choices: {id: string, text: string}[]}} Situation */
/**
 * @typedef {object} Drill
 * @property {string} book
 * @property {string} layout
 * @property {string} digest
 * @property {number} level
 * @property {string} seed
 * @property {string} currency
 * @property {number[]} denominations
 * @property {import("../lib/types").TableLimits | null} limits
 * @property {{name: string, colour: string, value: number}[]} players
 * @property {Bet[]} bets
 * @property {number[]} dice
 * @property {string[]} calls
 * @property {Situation[]} situations
 * @property {number} par_s
 */
/**
 * @typedef {object} Next what comes after a drill
 * @property {(seed: string) => void} leave
 * @property {(seed: string, level: number) => void} again
 * @property {(marks: import("./marks.js").Marks, drill: Drill) => void} marked
 */

const main = $("#main");

/** One drill from the first look to its marks. */
export class Exercise {
  /**
   * @param {Drill} drill
   * @param {Next} next
   */
  constructor(drill, next) {
    this.drill = drill;
    this.next = next;
    this.stage = 0;
    this.call = "";
    /** @type {Set<string>} */
    this.collected = new Set();
    /** Typed amounts by player and box. @type {Map<string, string>} */
    this.amounts = new Map();
    /** @type {Record<string, string>} */
    this.cases = {};
    this.begun = performance.now();
    /** Whether the answers are being marked: two taps must hand them in once. */
    this.finishing = false;
    /** @type {HTMLInputElement | null} */
    this.into = null;
    /** @type {Felt | null} */
    this.felt = null;
    this.ui = {
      steps: h("ol", { class: "stages", "aria-label": t("train.stages") }),
      time: h("span", { class: "number time", role: "timer", "aria-label": t("train.time") }),
      felt: h("div", { class: "felt-scroll" }),
      parts: h("div"),
      work: h("section", { class: "panel work", "aria-live": "off" }),
      bets: h("section", { class: "panel", "aria-label": t("train.bets") }),
    };
    setCurrency(drill.currency);
    /** @type {Record<string, number>} */
    this.totals = {};
    for (const { box, stake } of drill.bets) this.totals[box] = (this.totals[box] ?? 0) + stake;
  }

  async run() {
    const { drill, ui } = this;
    put(
      main,
      h(
        "div",
        { class: "wrap wide train" },
        h(
          "div",
          { class: "row drill-top" },
          h("h1", null, t("train.drill", { layout: `${drill.book}/${drill.layout}`, n: drill.level })),
          h("span", { class: "dice-shown" }, diceRow(drill.dice)),
          ui.time,
          h("button", { class: "quiet", onclick: () => this.leave() }, t("train.leave")),
        ),
        ui.steps,
        h(
          "div",
          { class: "drill" },
          h("div", { class: "felt-side" }, ui.parts, ui.felt, sign(drill), ui.bets),
          ui.work,
        ),
      ),
    );
    this.drawBets();
    this.draw();
    this.felt = await mountFelt(ui.felt, {
      book: drill.book,
      layout: drill.layout,
      palette: baize(),
      label: t("play.felt"),
      name: (box) => this.nameOf(box),
      onPick: (box) => this.pick(box),
    });
    put(ui.parts, sections(this.felt));
    this.felt.chips(this.totals, { own: true, denominations: drill.denominations });
    const first = drill.bets.length ? this.felt.sectionOf(drill.bets[0].box) : undefined;
    if (first && ui.felt.scrollWidth > ui.felt.clientWidth) this.felt.showSection(first);
    this.begun = performance.now();
    const tick = () => {
      if (!ui.time.isConnected) return clearInterval(timer);
      say(ui.time, t("train.clock", { now: clock(this.seconds), par: clock(drill.par_s) }));
      ui.time.classList.toggle("late", this.seconds > drill.par_s);
      return undefined;
    };
    const timer = setInterval(tick, 500);
    tick();
  }

  get seconds() {
    return Math.round((performance.now() - this.begun) / 1000);
  }

  leave() {
    this.next.leave(this.drill.seed);
  }

  /** @param {string} box */
  nameOf(box) {
    const here = this.drill.bets.filter((bet) => bet.box === box).map((bet) => `${bet.player} ${this.stakeOf(bet)}`);
    if (!here.length) return boxName(box);
    const taken = this.collected.has(box) ? `${t("list.comma")}${t("train.collected")}` : "";
    return `${boxName(box)}: ${here.join(t("list.comma"))}${taken}`;
  }

  /** A bet as it lies: an amount, or chips of a colour. @param {Bet} bet */
  stakeOf(bet) {
    const player = this.drill.players.find((each) => each.name === bet.player);
    return bet.chips && player
      ? t("train.colour-chips", {
          n: bet.chips,
          colour: t(`train.colour-${player.colour}`),
          value: money(player.value),
        })
      : money(bet.stake);
  }

  /** @param {string} box */
  pick(box) {
    if (STAGES[this.stage] !== "collect") return;
    if (!(box in this.totals)) {
      toast(t("train.nothing-there", { box: boxName(box) }));
      return;
    }
    if (!this.collected.delete(box)) this.collected.add(box);
    this.showCollected();
    this.draw();
  }

  showCollected() {
    this.felt?.mark("picked", this.collected);
    this.felt?.markChips("taken", (box) => this.collected.has(box));
    this.felt?.names();
    this.drawBets();
  }

  drawBets() {
    const { drill } = this;
    put(
      this.ui.bets,
      h("h2", null, t("train.bets")),
      h(
        "ul",
        { class: "players" },
        ...drill.players.map((player) => {
          const mine = drill.bets.filter((bet) => bet.player === player.name);
          return (
            mine.length > 0 &&
            h(
              "li",
              null,
              h("strong", { class: player.colour ? `colour ${player.colour}` : "" }, player.name),
              h(
                "ul",
                null,
                ...mine.map((bet) =>
                  h(
                    "li",
                    { class: this.collected.has(bet.box) ? "taken" : "" },
                    h("span", null, boxName(bet.box)),
                    h("span", { class: "number" }, this.stakeOf(bet)),
                  ),
                ),
              ),
            )
          );
        }),
      ),
    );
  }

  // ---------------------------------------------------------------- stages

  draw() {
    const name = STAGES[this.stage];
    put(
      this.ui.steps,
      ...STAGES.map((each, place) =>
        h(
          "li",
          { "aria-current": place === this.stage ? "step" : null, class: place < this.stage ? "done" : "" },
          t(`train.stage-${each}`),
        ),
      ),
    );
    const last = this.stage === STAGES.length - 1;
    const focused = document.activeElement?.getAttribute("data-key");
    const form = h(
      "form",
      null,
      h("h2", null, t(`train.ask-${name}`)),
      ...stageForm(name, this),
      h(
        "div",
        { class: "row onward" },
        this.stage > 0 && h("button", { type: "button", onclick: () => this.go(this.stage - 1) }, t("train.back")),
        h("button", { class: "main big", type: "submit" }, last ? t("train.finish") : t("train.next")),
      ),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (last) void this.finish();
      else this.go(this.stage + 1);
    });
    put(this.ui.work, form);
    if (focused) /** @type {HTMLElement | null} */ (form.querySelector(`[data-key="${CSS.escape(focused)}"]`))?.focus();
  }

  /** @param {number} stage */
  go(stage) {
    this.stage = stage;
    this.draw();
    /** @type {HTMLElement | null} */ (this.ui.work.querySelector("input, button.choice, button.main"))?.focus({
      preventScroll: true,
    });
  }

  /**
   * Add a chip to the amount that is being typed; null takes everything away.
   * @param {number | null} value
   */
  addChip(value) {
    const input = this.into?.isConnected
      ? this.into
      : /** @type {HTMLInputElement | null} */ (this.ui.work.querySelector(".pay-line input"));
    if (!input) return;
    this.into = input;
    input.value = withChip(input.value, value);
    this.amounts.set(input.name, input.value);
  }

  /** Hand the answers in and show the marks. */
  async finish() {
    if (this.finishing) return;
    const { drill, seconds } = this;
    const { payments, wrong } = paymentsOf(drill, this.collected, this.amounts);
    if (wrong) {
      this.go(STAGES.indexOf("pay"));
      toast(t("train.not-an-amount", { player: wrong.player, box: boxName(wrong.box) }), { kind: "bad" });
      return;
    }
    this.finishing = true;
    try {
      const answers = { call: this.call, collected: [...this.collected], payments, situations: this.cases, seconds };
      const [marks, book] = await Promise.all([
        post("/api/training/mark", {
          layout: `${drill.book}/${drill.layout}`,
          level: drill.level,
          seed: drill.seed,
          digest: drill.digest,
          answers,
        }),
        getOnce(`/api/books/${part(drill.book)}`),
      ]);
      this.done(marks, book);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      showRefusal(error);
    } finally {
      this.finishing = false;
    }
  }

  /**
   * @param {import("./marks.js").Marks} marks
   * @param {any} book
   */
  done(marks, book) {
    const { drill, ui } = this;
    this.next.marked(marks, drill);
    this.stage = STAGES.length;
    put(ui.steps);
    ui.work.parentElement?.classList.add("marked");
    ui.time.remove();
    this.collected.clear();
    this.showCollected();
    this.felt?.light(marks.lit);
    const again = (/** @type {string} */ seed, /** @type {number} */ level) => () => this.next.again(seed, level);
    put(
      ui.work,
      marksPanel(marks, drill, book),
      h(
        "div",
        { class: "row onward" },
        h("button", { onclick: again(drill.seed, drill.level) }, t("train.same-again")),
        h("button", { class: "main big", onclick: again("", drill.level) }, t("train.another")),
        marks.passed &&
          drill.level < 4 &&
          h("button", { class: "main", onclick: again("", drill.level + 1) }, t("train.next-level")),
        h("button", { onclick: () => this.leave() }, t("train.to-start")),
      ),
    );
    ui.work.scrollIntoView({ block: "nearest" });
    $("h2", ui.work).focus();
  }
}

/** The sign at the table. @param {Drill} drill */
function sign(drill) {
  const { limits } = drill;
  if (!limits) return null;
  return h(
    "section",
    { class: "panel sign", "aria-label": t("play.limits") },
    h("h2", null, t("play.limits")),
    h(
      "dl",
      null,
      ...Object.entries(limits.kinds).flatMap(([kind, each]) => [
        h(
          "dt",
          null,
          boxesNamed(kind)
            .map((each) => (each.includes(":") ? boxName(each) : kindName(each)))
            .join(t("list.comma")),
        ),
        h("dd", { class: "number" }, limitText(each)),
      ]),
      h("dt", null, t("play.limit-default")),
      h("dd", { class: "number" }, limitText(limits.default)),
      ...Object.entries(limits.differential).flatMap(([pair, amount]) => [
        h("dt", null, t("play.differential", { pair: t(`pair.${pair}`) })),
        h("dd", { class: "number" }, money(amount)),
      ]),
    ),
  );
}
