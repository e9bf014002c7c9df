// The marks of a drill: what was right, what was wrong, and the clauses behind it.
// Enters: the answer of /api/training/mark. Leaves: elements; every figure and verdict is the server's.

import { boxName, needs } from "../lib/boxes.js";
import { faceName } from "../lib/dice.js";
import { h } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { money } from "../lib/money.js";
import { clauseLinks } from "../lib/shell.js";
import { clock } from "./answers.js";
import { caseText, thenText } from "./stages.js";

/** @typedef {{given: string, right: string, correct: boolean, clauses: string[]}} CallMark */
/** @typedef {{box: string, loses: boolean, collected: boolean, correct: boolean, clauses: string[]}} BoxMark */
/**
 * @typedef {{player: string, box: string, stake: number, at_risk: number, pays: number | null, winnings: number,
 *   returned: number, due: number, given: number, correct: boolean,
 *   chips: Record<string, number>, clauses: string[]}} PaymentMark
 */
/** @typedef {CallMark & {id: string, text: string}} SituationMark */
/**
 * @typedef {object} Marks
 * @property {number} right
 * @property {number} asked
 * @property {number} percent
 * @property {boolean} passed
 * @property {number} seconds
 * @property {number} par_s
 * @property {boolean} in_time
 * @property {string[]} lit
 * @property {CallMark} call
 * @property {BoxMark[]} boxes
 * @property {PaymentMark[]} payments
 * @property {SituationMark[]} situations
 * @property {{box: string, capacity: number, steps: string[], clauses: string[]}[]} shares
 */
/**
 * @param {Marks} marks
 * @param {import("./drill.js").Drill} drill
 * @param {any} book
 */
export function marksPanel(marks, drill, book) {
  /** @type {Map<string, string>} */
  const said = new Map(
    [...book.clauses, ...book.interpretations].map((each) => [each.id, each.summary ?? each.reading]),
  );
  const dice = drill.dice.map(faceName).join("-");

  /**
   * One mark; a mistake quotes its clauses, each of them once on the page.
   * @param {{correct: boolean, clauses: string[]}} mark
   * @param {string} title
   * @param {...import("../lib/dom.js").Child} inside
   */
  function line(mark, title, ...inside) {
    const news = mark.correct ? [] : mark.clauses.filter((clause) => said.has(clause));
    const words = news.map((clause) => h("q", { lang: "en" }, said.get(clause) ?? ""));
    for (const clause of news) said.delete(clause);
    return h(
      "li",
      { class: mark.correct ? "right" : "wrong" },
      h(
        "div",
        { class: "mark-top" },
        h("span", { class: "sign-mark", "aria-hidden": "true" }, mark.correct ? "✓" : "✕"),
        h("strong", null, title),
        h("span", { class: `tag ${mark.correct ? "good" : "bad"}` }, t(mark.correct ? "train.right" : "train.wrong")),
      ),
      ...inside,
      h("p", { class: "because" }, clauseLinks(drill.book, mark.clauses), ...words),
    );
  }

  /** @param {string} box @param {boolean} wins */
  const why = (box, wins) => t(wins ? "result.won" : "result.lost", { box: boxName(box), needs: needs(box), dice });

  /** @param {PaymentMark} each */
  function payment(each) {
    const counted =
      each.due === 0
        ? t("train.due-nothing")
        : each.pays === null
          ? t("train.due-back", { at_risk: money(each.at_risk), stake: money(each.stake), due: money(each.due) })
          : t("train.due", {
              at_risk: money(each.at_risk),
              odds: t("odds.to-1", { n: each.pays }),
              due: money(each.due),
            });
    const chips = Object.entries(each.chips)
      .reverse()
      .map(([value, count]) => `${count} × ${money(Number(value))}`)
      .join(" + ");
    return line(
      each,
      `${each.player}: ${boxName(each.box)}`,
      h("p", { class: "number" }, counted, !each.correct && ` ${t("train.you-gave", { amount: money(each.given) })}`),
      each.at_risk < each.stake &&
        each.pays !== null &&
        h("p", { class: "muted" }, t("result.part", { at_risk: money(each.at_risk), stake: money(each.stake) })),
      each.due > 0 && h("p", { class: "muted" }, t("train.in-chips", { chips })),
    );
  }

  const paid = marks.payments.filter((each) => each.due || each.given);
  return h(
    "div",
    { class: "marks" },
    h("h2", { tabindex: "-1" }, t(marks.passed ? "train.passed" : "train.not-passed")),
    h(
      "div",
      { class: "score" },
      h("strong", { class: `percent ${marks.passed ? "good" : "bad"}` }, `${marks.percent} %`),
      h(
        "span",
        null,
        t("train.score", { right: marks.right, asked: marks.asked }),
        h("br"),
        h(
          "span",
          { class: `tag ${marks.in_time ? "good" : "warn"}` },
          t(marks.in_time ? "train.in-time" : "train.late", {
            time: clock(marks.seconds),
            par: clock(marks.par_s),
          }),
        ),
      ),
    ),
    h("p", { class: "muted" }, t("train.seed"), ": ", h("code", { class: "seed" }, drill.seed)),
    h("h3", null, t("train.stage-call")),
    h(
      "ul",
      { class: "verdicts", "data-part": "call" },
      line(
        marks.call,
        marks.call.right,
        !marks.call.correct && h("p", null, t("train.you-called", { call: marks.call.given || "–" })),
      ),
    ),
    h("h3", null, t("train.stage-collect")),
    h(
      "ul",
      { class: "verdicts", "data-part": "collect" },
      ...marks.boxes.map((each) =>
        line(
          each,
          boxName(each.box),
          h("p", null, why(each.box, !each.loses)),
          !each.correct && h("p", null, t(each.collected ? "train.wrongly-collected" : "train.not-collected")),
        ),
      ),
    ),
    h("h3", null, t("train.stage-pay")),
    paid.length > 0
      ? h("ul", { class: "verdicts", "data-part": "pay" }, ...paid.map(payment))
      : h("p", { class: "muted" }, t("train.nobody-to-pay")),
    marks.shares.length > 0 && h("h3", null, t("train.shares")),
    marks.shares.length > 0 && h("p", { class: "muted" }, t("train.shares-words")),
    ...marks.shares.map((each) =>
      h(
        "details",
        { class: "share" },
        h("summary", null, boxName(each.box)),
        clauseLinks(drill.book, each.clauses),
        h("ol", { lang: "en" }, ...each.steps.map((step) => h("li", null, step))),
      ),
    ),
    h("h3", null, t("train.stage-cases")),
    h(
      "ul",
      { class: "verdicts", "data-part": "cases" },
      ...marks.situations.map((each) => {
        const asked = drill.situations.find((one) => one.id === each.id);
        const given = asked?.choices.find((choice) => choice.id === each.given);
        return line(
          each,
          caseText(each.id, asked?.text ?? ""),
          h("p", null, thenText(each.right, each.text)),
          !each.correct && h("p", null, t("train.you-said", { answer: given ? thenText(given.id, given.text) : "–" })),
        );
      }),
    ),
  );
}
