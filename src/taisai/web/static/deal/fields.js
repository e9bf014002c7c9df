// The fields of a command's form as inputs, one kind for each widget that a command declares.
//   const {row, value} = makeField(desk, {name: "amount", widget: "money", required: true}, 500)
// `value()` is undefined for what was left empty, and throws a Refusal for an amount that cannot be read.

import { Refusal } from "../lib/api.js";
import { boxName } from "../lib/boxes.js";
import { h, labelled } from "../lib/dom.js";
import { t, voidWhy } from "../lib/i18n.js";
import { money, plainMoney, typedMoney } from "../lib/money.js";
import { typedFaces } from "./forms.js";

/** @typedef {import("./actions.js").Desk} Desk */
/** @typedef {import("../lib/commands.js").Field} Field */
/** @typedef {{value: () => any, row: HTMLElement}} Input */

/** @param {string} name */
function fieldName(name) {
  return t(`deal.field.${name}`);
}

/**
 * A choice of one.
 * @param {Field} field
 * @param {[value: string, words: string][]} choices
 * @param {string} [now]
 * @returns {Input}
 */
function choiceInput({ name, required }, choices, now = "") {
  const all = required ? choices : [["", t("deal.none")], ...choices];
  const input = h(
    "select",
    { name, required },
    ...all.map(([value, words]) => h("option", { value, selected: value === now }, words)),
  );
  return { value: () => input.value || undefined, row: labelled(fieldName(name), input) };
}

/**
 * A line of text.
 * @param {Field} field
 * @param {Record<string, any>} attributes
 * @param {(text: string) => any} [read]
 * @returns {Input}
 */
function textInput({ name, required, longest, pattern }, attributes, read = (text) => text) {
  const given = { name, autocomplete: "off", required, maxlength: longest, pattern };
  const input = h("input", { ...given, ...attributes });
  return { value: () => read(input.value.trim()), row: labelled(fieldName(name), input) };
}

/**
 * An amount of money.
 * @param {Field} field
 * @param {number} [now]
 */
function moneyInput(field, now) {
  const attributes = { inputmode: "decimal", class: "number", value: now === undefined ? "" : plainMoney(now) };
  return textInput(field, attributes, (text) => {
    if (!text && !field.required) return undefined;
    const found = typedMoney(text);
    if (found !== null) return found;
    const sentence = t("deal.bad-amount", { field: fieldName(field.name) });
    throw new Refusal({ code: "bad-value", sentence, field: field.name });
  });
}

/**
 * How many chips of each denomination.
 * @param {Field} field
 * @param {Desk} desk
 * @param {Record<string, number>} [now]
 * @param {number} [expected]  what the books say that is there: the difference is shown while it is counted
 * @returns {Input}
 */
function countInput({ name }, desk, now = {}, expected = undefined) {
  const chips = desk.table.view?.set_up?.denominations ?? [];
  const inputs = chips.map((chip) =>
    h("input", {
      name: `${name}-${chip}`,
      type: "number",
      min: 0,
      inputmode: "numeric",
      value: now[chip] ?? "",
      placeholder: "0",
    }),
  );
  const rows = chips.map((chip, place) =>
    h(
      "label",
      { class: "count-row" },
      h("span", { class: "number" }, money(chip)),
      h("span", { "aria-hidden": "true" }, "×"),
      inputs[place],
    ),
  );
  const value = () => Object.fromEntries(chips.map((chip, place) => [chip, Number(inputs[place].value || 0)]));
  const total = h("p", { class: "count-total", role: "status" });
  const add = () => {
    const sum = chips.reduce((whole, chip, place) => whole + chip * Number(inputs[place].value || 0), 0);
    const off = expected === undefined ? 0 : sum - expected;
    total.classList.toggle("fault", off !== 0);
    total.textContent =
      expected === undefined
        ? t("deal.count-total", { sum: money(sum) })
        : t(off ? (off < 0 ? "deal.count-short" : "deal.count-over") : "deal.count-right", {
            sum: money(sum),
            expected: money(expected),
            off: money(Math.abs(off)),
          });
  };
  const row = h("fieldset", { class: "count" }, h("legend", null, fieldName(name)), ...rows, total);
  row.addEventListener("input", add);
  add();
  return { value, row };
}

/** Values that are their own names. @param {string[]} values @returns {[string, string][]} */
const asTheyAre = (values) => values.map((value) => [value, value]);

/**
 * A fact in the reader's language, with what follows from it.
 * @param {{fact: string, then: string[]}} fact
 */
function factWords({ fact, then }) {
  return `${voidWhy(fact)}: ${then.map((each) => t(`rules.then-${each}`)).join("; ")}`;
}

/**
 * What somebody attests: yes or no, and neither is filled in for them.
 * @param {Field} field
 * @returns {Input}
 */
function answerInput({ name }) {
  const input = h(
    "select",
    { name, required: true },
    h("option", { value: "" }, ""),
    h("option", { value: "yes" }, t("deal.yes")),
    h("option", { value: "no" }, t("deal.no")),
  );
  return { value: () => input.value === "yes", row: labelled(fieldName(name), input) };
}

/**
 * An amount for each of some players; below zero, what they pay.
 * @param {Field} field
 * @param {string[]} players
 * @returns {Input}
 */
function amountsInput({ name }, players) {
  const inputs = players.map((player) =>
    h("input", { name: `${name}-${player}`, inputmode: "decimal", class: "number" }),
  );
  const value = () => {
    const named = players.flatMap((player, place) => {
      const text = inputs[place].value.trim();
      const found = typedMoney(text.replace(/^-/, ""));
      if (text && found === null)
        throw new Refusal({ code: "bad-value", sentence: t("deal.bad-amount", { field: player }), field: name });
      return text ? [[player, text.startsWith("-") ? -Number(found) : Number(found)]] : [];
    });
    return named.length ? Object.fromEntries(named) : undefined;
  };
  const rows = players.map((player, place) => labelled(player, inputs[place]));
  return { value, row: h("fieldset", { class: "count" }, h("legend", null, fieldName(name)), ...rows) };
}

/**
 * The input of a field.
 * @param {Desk} desk
 * @param {Field} field
 * @param {any} [preset]
 * @param {string} [action] the command that it is for
 * @returns {Input}
 */
export function makeField(desk, field, preset, action = "") {
  const { name } = field;
  const view = desk.table.view;
  const crew = desk.crew();
  switch (field.widget) {
    case "player": {
      const seats = Object.entries(view?.seats ?? {}).filter(([, seat]) => seat.present || preset);
      return choiceInput(field, asTheyAre(seats.map(([player]) => player)), preset);
    }
    case "box":
      return choiceInput(
        field,
        desk.boxes().map((box) => [box, boxName(box)]),
        preset,
      );
    case "colour":
      return choiceInput(field, asTheyAre(Object.keys(view?.set_up?.colours ?? {})), preset);
    case "dice-set": {
      const sets = Object.entries(crew?.dice_sets ?? {}).filter(([, set]) => !set.retired_at);
      return choiceInput(field, asTheyAre(sets.map(([set]) => set)), preset);
    }
    case "any-dice-set":
      return choiceInput(field, asTheyAre(Object.keys(crew?.dice_sets ?? {})), preset);
    case "dispute": {
      const open = Object.entries(crew?.disputes ?? {}).filter(([, each]) => !each.resolution);
      return choiceInput(
        field,
        open.map(([id, each]) => [id, `${id}: ${each.player}, ${each.claim}`]),
        preset,
      );
    }
    case "choice":
      return choiceInput(
        field,
        (field.choices ?? []).map((choice) => [choice, t(`deal.choice.${name}.${choice}`)]),
        preset,
      );
    case "fact":
      return choiceInput(
        field,
        (crew?.procedure?.facts ?? []).map((each) => [each.fact, factWords(each)]),
        preset,
      );
    case "held-fact":
      return choiceInput(
        field,
        (crew?.held ?? []).map((each) => [each.fact, `${voidWhy(each.fact)}: ${each.by.id} ${each.note}`]),
        preset,
      );
    case "clauses":
      return textInput(
        { ...field, longest: undefined },
        { placeholder: "5.8, 5.9", value: (preset ?? []).join(", ") },
        (text) => text.split(/[\s,;]+/).filter(Boolean),
      );
    case "amounts":
      return amountsInput(field, Object.keys(view?.seats ?? {}));
    case "yes-no": {
      // What somebody vouches for is never ticked for them.
      if (field.required || field.default === true) return answerInput(field);
      const input = h("input", { type: "checkbox", name, checked: preset ?? false });
      return {
        value: () => input.checked,
        row: h("label", { class: "field switch" }, input, h("span", null, fieldName(name))),
      };
    }
    case "count":
      return countInput(field, desk, preset, action === "close-table" ? crew?.float : undefined);
    case "money":
      return moneyInput(field, preset);
    case "dice":
      return textInput(
        field,
        {
          inputmode: "numeric",
          pattern: "[^1-6]*([1-6][^1-6]*){3}",
          placeholder: "1-2-4",
          value: preset ? preset.join("-") : "",
        },
        (text) => (text ? typedFaces(text) : undefined),
      );
    case "faces":
      // None is an answer too: no die can be read.
      return textInput(
        { ...field, required: false, longest: undefined },
        { inputmode: "numeric", placeholder: "1-2-4", value: (preset ?? []).join("-") },
        typedFaces,
      );
    case "round":
    case "times":
      return textInput(
        field,
        {
          type: "number",
          min: field.min,
          value: preset ?? (field.widget === "times" ? crew?.procedure?.tumbles_min : view?.round.number) ?? "",
        },
        Number,
      );
    case "long-text": {
      const input = h("textarea", { name, rows: 3, required: field.required, maxlength: field.longest });
      return { value: () => input.value.trim(), row: labelled(fieldName(name), input) };
    }
    default:
      return textInput(field, { value: preset ?? "" });
  }
}
