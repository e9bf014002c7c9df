// The four stages of a drill as forms: call the result, collect, pay, judge irregularities.
//   stageForm("pay", exercise)     elements; what is chosen or typed goes into the exercise

import { boxName } from "../lib/boxes.js";
import { h, labelled } from "../lib/dom.js";
import { language, t, tn } from "../lib/i18n.js";
import { chip, money } from "../lib/money.js";
import { keyOf, payable } from "./answers.js";

/** @typedef {import("./drill.js").Exercise} Exercise */
/** @typedef {import("./drill.js").Bet} Bet */

/** The stages in their order. */
export const STAGES = ["call", "collect", "pay", "cases"];

/**
 * The form of a stage.
 * @param {string} stage
 * @param {Exercise} exercise
 */
export function stageForm(stage, exercise) {
  const forms = { call: calling, collect: collecting, pay: paying, cases: judging };
  return forms[/** @type {keyof typeof forms} */ (stage)](exercise);
}

/** How the result is called: by a button, or typed. @param {Exercise} exercise */
function calling(exercise) {
  const typed = h("input", {
    name: "call",
    "data-key": "call",
    value: exercise.drill.calls.includes(exercise.call) ? "" : exercise.call,
    autocomplete: "off",
    lang: "en",
    oninput: () => {
      exercise.call = typed.value;
      exercise.ui.work.querySelectorAll(".choice").forEach((each) => each.setAttribute("aria-pressed", "false"));
    },
  });
  return [
    h(
      "div",
      { class: "choices", role: "group", "aria-label": t("train.ask-call") },
      ...exercise.drill.calls.map((each) =>
        h(
          "button",
          {
            type: "button",
            class: "choice",
            lang: "en",
            "data-key": each,
            "aria-pressed": String(each === exercise.call),
            onclick: () => ((exercise.call = each), exercise.draw()),
          },
          each,
        ),
      ),
    ),
    labelled(t("train.type-call"), typed),
  ];
}

/** Which boxes lose. @param {Exercise} exercise */
function collecting(exercise) {
  const boxes = Object.keys(exercise.totals);
  return [
    h("p", { class: "muted" }, t("train.tap-losers")),
    h(
      "div",
      { class: "choices boxes", role: "group", "aria-label": t("train.ask-collect") },
      ...boxes.map((box) =>
        h(
          "button",
          {
            type: "button",
            class: "choice",
            "data-key": box,
            "aria-pressed": String(exercise.collected.has(box)),
            onclick: () => exercise.pick(box),
          },
          boxName(box),
        ),
      ),
    ),
    h("p", { role: "status", class: "muted" }, tn("train.picked", exercise.collected.size)),
  ];
}

/** What each winner is paid, and what of collected bets is returned. @param {Exercise} exercise */
function paying(exercise) {
  const { drill } = exercise;
  const lines = payable(drill, exercise.collected);
  const field = (/** @type {Bet} */ bet) => {
    const key = keyOf(bet);
    const back = exercise.collected.has(bet.box);
    const input = h("input", {
      inputmode: "decimal",
      autocomplete: "off",
      "data-key": key,
      name: key,
      value: exercise.amounts.get(key) ?? "",
      placeholder: "0",
      "aria-label": t(back ? "train.give-back-to" : "train.pay-to", {
        player: bet.player,
        box: boxName(bet.box),
        stake: exercise.stakeOf(bet),
      }),
      onfocus: () => (exercise.into = input),
      oninput: () => exercise.amounts.set(key, input.value),
    });
    return h(
      "label",
      { class: `pay-line ${back ? "back" : ""}` },
      h(
        "span",
        null,
        h("strong", null, bet.player),
        ` ${boxName(bet.box)}`,
        h("br"),
        h("span", { class: "muted" }, `${exercise.stakeOf(bet)} · ${t(back ? "train.give-back" : "train.pay")}`),
      ),
      input,
    );
  };
  const rail = h(
    "div",
    { class: "row rail", role: "group", "aria-label": t("train.chips") },
    ...drill.denominations.map((each, place) =>
      h(
        "button",
        {
          type: "button",
          class: `chip-button rail-${place}`,
          "aria-label": t("train.add-chip", { amount: money(each) }),
          onclick: () => exercise.addChip(each),
        },
        chip(each),
      ),
    ),
    h("button", { type: "button", onclick: () => exercise.addChip(null) }, t("play.clear")),
  );
  return [
    h("p", { class: "muted" }, t(drill.limits ? "train.pay-words-limits" : "train.pay-words")),
    lines.length > 0 ? rail : h("p", null, t("train.nobody-to-pay")),
    ...[...lines].sort((one, two) => one.player.localeCompare(two.player)).map(field),
  ];
}

/** What the book says about irregularities. @param {Exercise} exercise */
function judging(exercise) {
  return exercise.drill.situations.map((each) =>
    h(
      "fieldset",
      { class: "case" },
      h("legend", null, caseText(each.id, each.text)),
      ...each.choices.map((choice) =>
        h(
          "label",
          { class: "option" },
          h("input", {
            type: "radio",
            name: each.id,
            value: choice.id,
            "data-key": `${each.id}|${choice.id}`,
            checked: exercise.cases[each.id] === choice.id,
            onchange: () => (exercise.cases[each.id] = choice.id),
          }),
          h("span", null, thenText(choice.id, choice.text)),
        ),
      ),
    ),
  );
}

/** The words of an irregularity; in English they are the server's. @param {string} id @param {string} english */
export function caseText(id, english) {
  return language() === "en" ? english : t(`train.case-${id}`);
}

/** The words of an answer. @param {string} id @param {string} english */
export function thenText(id, english) {
  return language() === "en" && english ? english : t(`train.then-${id}`);
}
