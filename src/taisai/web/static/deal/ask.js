// Actions of the crew: buttons that are greyed with the table's own reason, and forms that ask for the details.
//   actionButton(desk, "void-round", {key: "v"})     greyed while the table would refuse it; why, on hover or focus
//   await ask(desk, "buy-in", {player: "ann"})       a dialog: fields, reason, the second person if needed
//   await act(desk, {do: "collect"})                        without a dialog
// A desk is {table, crew, layout, acted}: the live table, the crew's view (what may be done, and why not), the boxes.
// What needs another person is the server's word (`crew.needs`), and so is every refusal.

import { Refusal } from "../lib/api.js";
import { boxName } from "../lib/boxes.js";
import { h, put } from "../lib/dom.js";
import { has, t } from "../lib/i18n.js";
import { money, plainMoney, typedMoney } from "../lib/money.js";
import { clauseLinks, dialog, refusalWords, showRefusal } from "../lib/shell.js";
import { newId } from "../lib/messages.js";
import { OF_A_ROUND } from "../lib/table.js";

/** @typedef {import("../lib/table.js").Table} Table */
/** @typedef {import("../lib/types").Crew} Crew */
/** @typedef {import("../lib/dom.js").Child} Child */
/**
 * @typedef {object} Desk
 * @property {Table} table
 * @property {() => Crew | null} crew
 * @property {() => string[]} boxes                        of the layout
 * @property {(refusal: Refusal) => boolean} [stopped]     told of every refusal; true when it was dealt with (a lock)
 * @property {(seq: number) => void} [acted]               something was done; its record
 */
/** @typedef {{value: () => any, row: HTMLElement}} Field */

/** What each action asks for; "?" marks what may be left out. @type {Record<string, Record<string, string>>} */
const FORMS = {
  "sit-down": { player: "name" },
  "leave-table": { player: "player" },
  "walk-away": { player: "player" },
  "buy-in": { player: "player", amount: "amount" },
  "bring-chips": { player: "player", amount: "amount" },
  "cash-out": { player: "player", amount: "amount" },
  "take-colour": { player: "player", colour: "colour", value: "amount", amount: "amount" },
  "turn-in-colour": { player: "player" },
  "settle-debt": { player: "player", amount: "amount" },
  "place-bet": { how: "how", player: "player", box: "box", amount: "amount", colour: "colour?" },
  "withdraw-bet": { player: "player", box: "box", amount: "amount?" },
  "advise-minimum": { player: "player", box: "box" },
  "reject-excess": { box: "box" },
  tumble: { times: "times" },
  uncover: { dice: "dice" },
  "amend-entry": { dice: "dice" },
  "report-lights": { fault: "text" },
  "void-round": { why: "void", announced: "yes" },
  interrupt: { cause: "text" },
  "resolve-interruption": { readable: "faces", dice: "dice?" },
  "correct-bet": { player: "player", lies_on: "box", belongs_on: "box", amount: "amount" },
  "rule-on-line": { player: "player", box: "box", honoured: "yes" },
  "reverse-rounds": { rounds: "rounds" },
  rule: { matter: "text", decision: "long" },
  "note-error": { round: "round", what: "text" },
  "open-dispute": { dispute: "name", player: "player", round: "round", claim: "text" },
  "resolve-dispute": { dispute: "dispute", resolution: "long" },
  "suspend-table": { cause: "text" },
  "resume-table": { by: "mending", note: "text" },
  "count-float": { count: "count" },
  fill: { count: "count" },
  credit: { count: "count" },
  "close-table": { count: "count" },
  "receive-dice": { dice_set: "name" },
  "seal-dice": { dice_set: "set", seal: "name" },
  "inspect-dice": { sound: "yes", note: "text?" },
  "retire-dice": { dice_set: "set", note: "text?" },
  "test-run": { dice: "dice", lit_correctly: "yes" },
};

/**
 * The name of an action, for people; a void with the call of the table's book.
 * @param {string} action
 * @param {Desk} [desk]
 */
export function actionName(action, desk) {
  const call = action === "void-round" ? desk?.crew()?.procedure?.void_call : undefined;
  return call ? t("deal.void", { call }) : t(`deal.do.${action}`);
}

/**
 * Why an action cannot be begun now; null when it may be tried, undefined when it is not this post's.
 * @param {Desk} desk
 * @param {string} action
 * @returns {Refusal | null | undefined}
 */
export function whyNot(desk, action) {
  const move = desk.crew()?.moves[action];
  return move ? new Refusal(move) : move;
}

/**
 * A button for an action; null when it is not this post's. `for` tells it from others for the same action.
 * @param {Desk} desk
 * @param {string} action
 * @param {{key?: string, for?: string, preset?: Record<string, any>, class?: string, words?: Child, run?: () => void}}
 *   [how]
 */
export function actionButton(desk, action, how = {}) {
  const why = whyNot(desk, action);
  if (why === undefined) return null;
  const run = how.run ?? (() => void ask(desk, action, how.preset));
  const made = h(
    "button",
    {
      class: how.class ?? "",
      "data-action": action,
      "data-for": how.for ?? null,
      "aria-disabled": why ? "true" : null,
      "data-why": why ? refusalWords(why) : null,
      "aria-keyshortcuts": how.key ?? null,
      onclick: () => {
        const now = whyNot(desk, action);
        if (now) refuse(desk, now);
        else run();
      },
    },
    how.words ?? actionName(action, desk),
    how.key && h("kbd", { "aria-hidden": "true" }, how.key.toUpperCase()),
  );
  if (why) made.append(h("span", { class: "visually-hidden" }, `: ${refusalWords(why)}`));
  return made;
}

/**
 * @param {Desk} desk
 * @param {Refusal} why
 */
export function refuse(desk, why) {
  showRefusal(why, desk.table.view?.set_up?.book ?? "");
}

/**
 * Do something at once; a refusal is shown. Without a connection nothing is begun: it would be done later, unseen.
 * @param {Desk} desk
 * @param {{do: string, [key: string]: any}} action
 */
export async function act(desk, action) {
  try {
    if (desk.table.state === "lost") throw new Refusal({ code: "lost", sentence: t("connection.lost") });
    const done = await desk.table.do(action);
    desk.acted?.(done.seq);
    return done;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (!desk.stopped?.(error)) refuse(desk, error);
    return null;
  }
}

/** Half the width of a reason beside its button, and how near to the window's edge it may come. */
const HALF_PX = 125;

/** Shift the reason of a greyed button so that it is all in the window. @param {Event} event */
function shift(event) {
  const found = /** @type {HTMLElement | null} */ (
    event.target instanceof Element ? event.target.closest("[data-why]") : null
  );
  if (!found) return;
  const { left, right } = found.getBoundingClientRect();
  const middle = (left + right) / 2;
  const wanted = Math.min(Math.max(middle, HALF_PX), innerWidth - HALF_PX);
  found.style.setProperty("--shift", `${Math.round(wanted - middle)}px`);
}
addEventListener("pointerover", shift);
addEventListener("focusin", shift);

// ---------------------------------------------------------------- fields

/**
 * @param {string} words
 * @param {HTMLElement} input
 * @returns {HTMLElement}
 */
function labelled(words, input) {
  return h("label", { class: "field" }, h("span", null, words), input);
}

/**
 * A choice of one.
 * @param {string} name
 * @param {[string, string][]} choices
 * @param {string} [now]
 * @param {boolean} [optional]
 * @returns {Field}
 */
function choiceField(name, choices, now = "", optional = false) {
  const all = optional ? [["", t("deal.none")], ...choices] : choices;
  const input = h(
    "select",
    { name, required: !optional },
    ...all.map(([value, words]) => h("option", { value, selected: value === now }, words)),
  );
  return { value: () => input.value || undefined, row: labelled(fieldName(name), input) };
}

/** @param {string} name */
function fieldName(name) {
  return t(`deal.field.${name}`);
}

/**
 * A line of text.
 * @param {string} name
 * @param {Record<string, any>} attributes
 * @param {(text: string) => any} [read]
 * @returns {Field}
 */
function textField(name, attributes, read = (text) => text) {
  const input = h("input", { name, autocomplete: "off", required: true, ...attributes });
  return { value: () => read(input.value.trim()), row: labelled(fieldName(name), input) };
}

/** Faces as they are typed: 1-2-4, 124, 1 2 4. @param {string} text */
function faces(text) {
  return (text.match(/[1-6]/g) ?? []).map(Number);
}

/**
 * How many chips of each denomination.
 * @param {string} name
 * @param {Desk} desk
 * @param {Record<string, number>} [preset]
 * @returns {Field}
 */
function countField(name, desk, preset = {}) {
  const chips = desk.table.view?.set_up?.denominations ?? [];
  const inputs = chips.map((chip) =>
    h("input", {
      name: `${name}-${chip}`,
      type: "number",
      min: 0,
      inputmode: "numeric",
      value: preset[chip] ?? "",
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
  return { value, row: h("fieldset", { class: "count" }, h("legend", null, fieldName(name)), ...rows) };
}

/**
 * The field of a kind.
 * @param {Desk} desk
 * @param {string} name
 * @param {string} kind
 * @param {any} preset
 * @returns {Field}
 */
function makeField(desk, name, kind, preset) {
  const optional = kind.endsWith("?");
  const view = desk.table.view;
  const crew = desk.crew();
  const pairs = (/** @type {string[]} */ values) =>
    /** @type {[string, string][]} */ (values.map((value) => [value, value]));
  switch (kind.replace("?", "")) {
    case "player":
      return choiceField(
        name,
        pairs(
          Object.entries(view?.seats ?? {})
            .filter(([, seat]) => seat.present || preset)
            .map(([player]) => player),
        ),
        preset,
      );
    case "box":
      return choiceField(
        name,
        desk.boxes().map((box) => [box, boxName(box)]),
        preset,
      );
    case "colour":
      return choiceField(name, pairs(Object.keys(view?.set_up?.colours ?? {})), preset, optional);
    case "set":
      return choiceField(
        name,
        pairs(
          Object.entries(crew?.dice_sets ?? {})
            .filter(([, set]) => !set.retired_at)
            .map(([set]) => set),
        ),
        preset,
      );
    case "dispute":
      return choiceField(
        name,
        Object.entries(crew?.disputes ?? {})
          .filter(([, each]) => !each.resolution)
          .map(([id, each]) => [id, `${id}: ${each.player}, ${each.claim}`]),
        preset,
      );
    case "how":
      return choiceField(
        name,
        ["call", "felt", "staff"].map((how) => [how, t(`deal.how.${how}`)]),
        preset,
      );
    case "mending":
      return choiceField(
        name,
        ["mended", "procedure"].map((how) => [how, t(`deal.mending.${how}`)]),
        preset,
      );
    case "void":
      return choiceField(
        name,
        (crew?.procedure?.voids ?? []).map((each) => [each.reason, voidName(each.reason, each.summary)]),
        preset,
      );
    case "yes": {
      const input = h("input", { type: "checkbox", name, checked: preset ?? true });
      return {
        value: () => input.checked,
        row: h("label", { class: "field switch" }, input, h("span", null, fieldName(name))),
      };
    }
    case "count":
      return countField(name, desk, preset);
    case "amount":
      return textField(
        name,
        {
          inputmode: "decimal",
          required: !optional,
          value: preset === undefined ? "" : plainMoney(preset),
          class: "number",
        },
        (text) => {
          if (!text && optional) return undefined;
          const found = typedMoney(text);
          if (found === null)
            throw new Refusal({
              code: "bad-value",
              sentence: t("deal.bad-amount", { field: fieldName(name) }),
              field: name,
            });
          return found;
        },
      );
    case "dice":
      return textField(
        name,
        {
          inputmode: "numeric",
          required: !optional,
          pattern: "[^1-6]*([1-6][^1-6]*){3}",
          placeholder: "1-2-4",
          value: preset ? preset.join("-") : "",
        },
        (text) => (text ? faces(text) : undefined),
      );
    case "faces":
      return textField(
        name,
        { inputmode: "numeric", required: false, placeholder: "1-2-4", value: (preset ?? []).join("-") },
        faces,
      );
    case "rounds":
      return textField(name, { placeholder: "12, 13", pattern: "[0-9 ,]+", value: preset ?? "" }, (text) =>
        (text.match(/\d+/g) ?? []).map(Number),
      );
    case "round":
    case "times":
      return textField(
        name,
        {
          type: "number",
          min: name === "times" ? 0 : 1,
          value: preset ?? (name === "times" ? crew?.procedure?.tumbles_min : view?.round.number) ?? "",
        },
        Number,
      );
    case "long": {
      const input = h("textarea", { name, rows: 3, required: true, maxlength: 2000 });
      return { value: () => input.value.trim(), row: labelled(fieldName(name), input) };
    }
    case "name":
      return textField(name, { maxlength: 64, pattern: "[A-Za-z0-9][A-Za-z0-9._@\\-]*", value: preset ?? "" });
    default:
      return textField(name, { maxlength: 500, required: !optional, value: preset ?? "" });
  }
}

/**
 * Why a round is void, in the reader's language.
 * @param {string} reason
 * @param {string} summary the book's words
 */
export function voidName(reason, summary) {
  return has(`void.${reason}`) ? t(`void.${reason}`) : summary;
}

// ---------------------------------------------------------------- the dialog

/**
 * Who authorises beside the one who asks: his own login and password, typed by himself.
 * @param {string[]} roles
 */
export function secondPerson(roles) {
  const login = h("input", { name: "second-login", autocomplete: "off", required: true, maxlength: 64 });
  const password = h("input", {
    name: "second-password",
    type: "password",
    autocomplete: "new-password",
    required: true,
  });
  const role = h(
    "select",
    { name: "second-role" },
    ...roles.map((each) => h("option", { value: each }, t(`post.${each}`))),
  );
  return {
    row: h(
      "fieldset",
      { class: "second" },
      h("legend", null, t("deal.second")),
      h("p", { class: "muted" }, t("deal.second-words")),
      labelled(t("people.post"), role),
      labelled(t("people.login"), login),
      labelled(t("people.password"), password),
    ),
    value: () => ({ login: login.value.trim(), password: password.value, role: role.value }),
  };
}

/**
 * Ask for what an action needs, and do it. Resolves when the dialog is gone: true when it was done.
 * What is on its way cannot be taken back: until the answer has come, the dialog stays. The same asked again goes out
 * under the same id, so that it is done once.
 * @param {Desk} desk
 * @param {string} action
 * @param {Record<string, any>} [preset]
 * @param {{send?: (action: any, more: any, how: {id: string, round?: number}) => Promise<any>,
 *   fixed?: Record<string, any>, words?: Child[], round?: number}} [how]
 *   `fixed` is not asked for; `round` is the one it is meant for, if it is not the one on screen
 * @returns {Promise<boolean>}
 */
export async function ask(desk, action, preset = {}, how = {}) {
  const why = whyNot(desk, action);
  if (why) {
    refuse(desk, why);
    return false;
  }
  const { table } = desk;
  const needed = desk.crew()?.needs[action];
  const wanted = Object.entries(FORMS[action] ?? {}).filter(([name]) => !(how.fixed && name in how.fixed));
  const fields = wanted.map(([name, kind]) => ({ name, ...makeField(desk, name, kind, preset[name]) }));
  if (!fields.length && !needed) return (await act(desk, { do: action, ...how.fixed })) !== null;
  const round = how.round ?? table.view?.round.number ?? 0;
  const send = how.send ?? ((one, two, three) => table.do(one, two, three));
  const reason = h("input", { name: "reason", autocomplete: "off", required: true, maxlength: 500 });
  const extra = h("div", null);
  let second = /** @type {ReturnType<typeof secondPerson> | null} */ (null);
  let withReason = false;
  const needMore = (/** @type {string[]} */ roles) => {
    withReason = true;
    second = roles.length ? secondPerson(roles) : null;
    put(extra, labelled(t("deal.reason"), reason), second?.row);
  };
  if (needed) needMore(needed.second);
  const fault = h("p", { class: "fault", role: "alert", hidden: true });
  const tell = (/** @type {Child[]} */ ...words) => {
    put(fault, ...words);
    fault.hidden = !fault.textContent;
  };
  const submit = h("button", { class: "main", type: "submit" }, actionName(action, desk));
  let id = "";
  let asked = "";
  let busy = false;
  let hindrance = "";
  let look = () => {};
  const stop = [table.on("change", () => look()), table.on("state", () => look())];
  const answer = await dialog(actionName(action, desk), (close) => {
    const cancel = h("button", { type: "button", onclick: () => close(null) }, t("cancel"));
    const form = h(
      "form",
      { class: "ask", "data-ask": action },
      ...(how.words ?? []),
      ...fields.map((each) => each.row),
      extra,
      fault,
      h("p", { class: "row" }, submit, cancel),
    );
    look = () => {
      if (table.state === "left" && !busy) return close(null);
      let now = "";
      if (table.state === "lost") now = t("connection.lost");
      else if (OF_A_ROUND.has(action) && table.view?.round.number !== round) now = t("code.round-over");
      if (now !== hindrance) tell((hindrance = now));
      submit.disabled = busy || now !== "";
      cancel.disabled = busy;
      form.closest("dialog")?.setAttribute("aria-busy", String(busy));
    };
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (busy) return;
      busy = true;
      tell();
      look();
      try {
        /** @type {any} */
        const made = { do: action, ...how.fixed };
        for (const each of fields) {
          const value = each.value();
          if (value !== undefined) made[each.name] = value;
        }
        const more = {
          ...(withReason ? { reason: reason.value.trim() } : {}),
          ...(second ? { second: second.value() } : {}),
        };
        const content = JSON.stringify([...new FormData(form)]);
        if (content !== asked) [asked, id] = [content, newId()];
        const done = await send(made, more, { id, round });
        desk.acted?.(done.seq);
        close(true);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (desk.stopped?.(error)) return error.code === "locked" ? undefined : close(null); // the lock covers it
        if (table.state === "left") return refuse(desk, error);
        if (error.code === "second-person-needed" || error.code === "reason-needed")
          needMore(desk.crew()?.needs[action]?.second ?? ["supervisor", "pit-manager", "shift-manager"]);
        tell(refusalWords(error), " ", clauseLinks(table.view?.set_up?.book ?? "", error.clauses));
      } finally {
        busy = false;
        look();
      }
    });
    look();
    queueMicrotask(() => /** @type {HTMLElement} */ (form.querySelector("input, select, textarea") ?? submit).focus());
    return [form];
  });
  for (const each of stop) each();
  return answer === true;
}
