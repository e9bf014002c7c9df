// The form of a command, in a dialog: its fields, and the reason and the second person where the table asks for them.
//   await ask(desk, "buy-in", {player: "ann"})       true when it was done
//   askButton(desk, "buy-in", {for: "ann"}, {player: "ann"})
// What a command asks for is declared (lib/commands.js). Whether it needs a second person now is the server's word
// (`crew.needs`), and so is every refusal.

import { Refusal } from "../lib/api.js";
import { COMMANDS } from "../lib/commands.js";
import { h, labelled, put } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { newId } from "../lib/messages.js";
import { OF_A_ROUND } from "../lib/of-a-round.js";
import { clauseLinks, dialog, refusalWords } from "../lib/shell.js";
import { act, actionButton, actionName, refuse, whyNot } from "./actions.js";
import { makeField } from "./fields.js";
import { commandOf, differing, fieldsOf } from "./forms.js";

/** @typedef {import("./actions.js").Desk} Desk */
/** @typedef {import("../lib/dom.js").Child} Child */
/**
 * @typedef {object} AskOptions
 * @property {Child[]} [words]                        shown above the fields
 * @property {() => Record<string, any>} [values]     values of fields that `words` asks for
 * @property {number} [round]                         the round it is meant for, if not the one on screen
 */

/**
 * Ask for what a command needs, and send it. Resolves when the dialog has gone: true when the command was done.
 * @param {Desk} desk
 * @param {string} action
 * @param {Record<string, any>} [preset]
 * @param {AskOptions} [how]
 * @returns {Promise<boolean>}
 */
export async function ask(desk, action, preset = {}, how = {}) {
  const why = whyNot(desk, action);
  if (why) {
    refuse(desk, why);
    return false;
  }
  if (!fieldsOf(action).length && !desk.crew()?.needs[action]) return (await act(desk, { do: action })) !== null;
  return new CommandForm(desk, action, preset, how).show();
}

/**
 * A button that asks for what a command needs; null when the command does not belong to this post.
 * @param {Desk} desk
 * @param {string} action
 * @param {Omit<import("./actions.js").ButtonOptions, "run">} [how]
 * @param {Record<string, any>} [preset]
 */
export function askButton(desk, action, how = {}, preset = {}) {
  return actionButton(desk, action, { ...how, run: () => void ask(desk, action, preset) });
}

/** The second person of an authorisation: they type their own login and password. @param {string[]} roles */
function secondPerson(roles) {
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
    value: () => ({
      login: login.value.trim(),
      password: password.value,
      role: /** @type {import("../lib/types").Role} */ (role.value),
    }),
  };
}

/**
 * The dialog of one command. A command that has been sent cannot be taken back, so the dialog stays until it is
 * answered. Sent again unchanged, it goes out under the same id, so that it is done once.
 */
class CommandForm {
  /**
   * @param {Desk} desk
   * @param {string} action
   * @param {Record<string, any>} preset
   * @param {AskOptions} how
   */
  constructor(desk, action, preset, how) {
    this.desk = desk;
    this.table = desk.table;
    this.action = action;
    this.how = how;
    this.round = how.round ?? desk.table.view?.round.number ?? 0;
    this.fields = fieldsOf(action).map((field) => ({
      name: field.name,
      ...makeField(desk, field, preset[field.name]),
    }));
    /** The reason, once it is needed. @type {HTMLInputElement | null} */
    this.reason = null;
    /** @type {ReturnType<typeof secondPerson> | null} */
    this.second = null;
    this.extra = h("div", null);
    this.fault = h("p", { class: "fault", role: "alert", hidden: true });
    this.submit = h("button", { class: "main", type: "submit" }, actionName(action));
    this.cancel = h("button", { type: "button", onclick: () => this.close(null) }, t("cancel"));
    this.form = h(
      "form",
      { class: "ask", "data-ask": action },
      h("p", { class: "muted nature" }, t(`nature.${COMMANDS[action].nature}`)),
      ...(how.words ?? []),
      this._record(),
      this._call(),
      ...this.fields.map((each) => each.row),
      this.extra,
      this.fault,
      h("p", { class: "row" }, this.submit, this.cancel),
    );
    this.busy = false;
    /** Why the form cannot be sent now. */
    this.hindrance = "";
    /** What was sent last, and its id. */
    this.sent = { content: "", id: "" };
    /** @type {(answer: boolean | null) => void} */
    this.close = () => {};
    const needed = desk.crew()?.needs[action];
    if (needed) this._needMore(needed.second);
  }

  /** Show the dialog until the command is done or the form is left. */
  async show() {
    const follow = () => this._follow();
    const stop = [this.table.on("change", follow), this.table.on("state", follow)];
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!this.busy) void this._send();
    });
    const done = await dialog(actionName(this.action), (/** @type {(answer: boolean | null) => void} */ close) => {
      this.close = close;
      this._follow();
      queueMicrotask(() =>
        /** @type {HTMLElement} */ (this.form.querySelector("input, select, textarea") ?? this.submit).focus(),
      );
      return [this.form];
    });
    for (const each of stop) each();
    return done === true;
  }

  /** What is on record, and where it differs from the dice: for those who put it right. */
  _record() {
    const { dice, entered } = this.table.view?.round ?? {};
    if (this.action === "correct-dice" && dice) return h("p", null, t("deal.on-record", { dice: dice.join("-") }));
    if (this.action !== "amend-entry" || !dice || !entered) return null;
    const wrong = differing(entered, dice).join(", ");
    const right = differing(dice, entered).join(", ");
    return h("p", null, t("deal.entry-differs", { entered: entered.join("-"), dice: dice.join("-"), wrong, right }));
  }

  /** What the dealer calls when the round is void. */
  _call() {
    const call = this.action === "report" ? this.desk.crew()?.procedure?.void_call : "";
    return call ? h("p", { class: "muted" }, t("deal.void", { call })) : null;
  }

  /** Ask for a reason, and for a second person if one of some roles must authorise it. @param {string[]} roles */
  _needMore(roles) {
    this.reason ??= h("input", { name: "reason", autocomplete: "off", required: true, maxlength: 500 });
    this.second = roles.length ? secondPerson(roles) : null;
    put(this.extra, labelled(t("deal.reason"), this.reason), this.second?.row);
  }

  /** @param {...Child} words */
  _tell(...words) {
    put(this.fault, ...words);
    this.fault.hidden = !this.fault.textContent;
  }

  /** Follow the table: a lost connection or another round keeps the form from being sent. */
  _follow() {
    const { table } = this;
    if (table.state === "left" && !this.busy) return this.close(null);
    let now = "";
    if (table.state === "lost") now = t("connection.lost");
    else if (OF_A_ROUND.has(this.action) && table.view?.round.number !== this.round) now = t("code.round-over");
    if (now !== this.hindrance) this._tell((this.hindrance = now));
    this.submit.disabled = this.busy || now !== "";
    this.cancel.disabled = this.busy;
    this.form.closest("dialog")?.setAttribute("aria-busy", String(this.busy));
  }

  async _send() {
    this.busy = true;
    this._tell();
    this._follow();
    try {
      const values = this.fields.map((each) => /** @type {[string, any]} */ ([each.name, each.value()]));
      const command = { ...commandOf(this.action, values), ...this.how.values?.() };
      const more = {
        ...(this.reason ? { reason: this.reason.value.trim() } : {}),
        ...(this.second ? { second: this.second.value() } : {}),
      };
      const content = JSON.stringify([...new FormData(this.form)]);
      if (content !== this.sent.content) this.sent = { content, id: newId() };
      const done = await this.table.do(command, more, { id: this.sent.id, round: this.round });
      this.desk.acted?.(done.seq);
      this.close(true);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this._refused(error);
    } finally {
      this.busy = false;
      this._follow();
    }
  }

  /** @param {Refusal} refusal */
  _refused(refusal) {
    const { desk, table, action } = this;
    if (desk.stopped?.(refusal)) {
      // The lock covers the form, which is as it was when the lock opens.
      if (refusal.code !== "locked") this.close(null);
      return;
    }
    if (table.state === "left") return refuse(desk, refusal);
    if (["second-person-needed", "reason-needed", "contradicted"].includes(refusal.code))
      this._needMore(desk.crew()?.needs[action]?.second ?? COMMANDS[action].second ?? []);
    this._tell(refusalWords(refusal), " ", clauseLinks(table.view?.set_up?.book ?? "", refusal.clauses));
  }
}
