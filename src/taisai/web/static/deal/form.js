// The dialog of one command: its fields, a reason and a second person where the table asks for them.
//   await new CommandForm(desk, "buy-in", {player: "ann"}, {}).show()     true when it was done
// The second person types their own password here, or is asked at their own screen (requests).

import { get, part, post, Refusal } from "../lib/api.js";
import { COMMANDS } from "../lib/commands.js";
import { h, labelled, put } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { newId } from "../lib/messages.js";
import { OF_A_ROUND } from "../lib/of-a-round.js";
import { clauseLinks, dialog, refusalWords } from "../lib/shell.js";
import { actionName, gravity, refuse } from "./actions.js";
import { makeField } from "./fields.js";
import { commandOf, differing, fieldsOf } from "./forms.js";

/** @typedef {import("./actions.js").Desk} Desk */
/** @typedef {import("../lib/dom.js").Child} Child */
/** @typedef {import("./ask.js").AskOptions} AskOptions */
/** @typedef {import("../lib/types").RequestCard} RequestCard */

/** Commands whose effect can be looked at first. */
const FORESEEN = new Set(
  "report correct-dice amend-entry rule set-limits close-table resolve-interruption correct-bet attest".split(" "),
);
/** How often the asker's screen looks whether somebody has answered. */
const LOOK_MS = 1000;

/**
 * The second person of an authorisation: they type their own login and password, or are asked at their own screen.
 * @param {string[]} roles
 * @param {() => void} elsewhere
 */
function secondPerson(roles, elsewhere) {
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
      h("button", { type: "button", "data-action": "ask-elsewhere", onclick: elsewhere }, t("request.ask")),
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
export class CommandForm {
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
      ...makeField(desk, field, preset[field.name], action),
    }));
    /** The reason, once it is needed. @type {HTMLInputElement | null} */
    this.reason = null;
    /** @type {ReturnType<typeof secondPerson> | null} */
    this.second = null;
    this.extra = h("div", null);
    this.fault = h("p", { class: "fault", role: "alert", hidden: true });
    this.submit = h("button", { class: gravity(action) || "main", type: "submit" }, actionName(action));
    /** What would be recorded, once somebody has asked. */
    this.shown = h("div", { class: "foreseen", role: "status" });
    this.foresee = h(
      "button",
      { type: "button", "data-action": "preview", onclick: () => void this._preview() },
      t("deal.preview"),
    );
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
      this.shown,
      this.fault,
      h("p", { class: "row" }, this.submit, FORESEEN.has(action) && this.foresee, this.cancel),
    );
    this.busy = false;
    /** What a second person was asked for, while they have not answered. @type {RequestCard | null} */
    this.asked = null;
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
    if (this.asked) void this._withdraw(this.asked);
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
    this.second = roles.length ? secondPerson(roles, () => void this._askElsewhere()) : null;
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
    this.submit.disabled = this.busy || now !== "" || this.asked !== null;
    this.cancel.disabled = this.busy;
    this.form.closest("dialog")?.setAttribute("aria-busy", String(this.busy));
  }

  /** The command as it is filled in, under an id that stays while it says the same. */
  _command() {
    const values = this.fields.map((each) => /** @type {[string, any]} */ ([each.name, each.value()]));
    const command = { ...commandOf(this.action, values), ...this.how.values?.() };
    const content = JSON.stringify([...new FormData(this.form)]);
    if (content !== this.sent.content) this.sent = { content, id: newId() };
    return command;
  }

  async _send() {
    this.busy = true;
    this._tell();
    this._follow();
    try {
      const command = this._command();
      const more = {
        ...(this.reason ? { reason: this.reason.value.trim() } : {}),
        ...(this.second ? { second: this.second.value() } : {}),
      };
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

  /** Show what would be recorded: who gets or owes what. Nothing is done. */
  async _preview() {
    this._tell();
    put(this.shown);
    try {
      const asked = { t: "do", id: newId(), do: this._command(), round: this.round };
      const events = await post(`/api/tables/${part(this.table.name)}/preview`, asked);
      const { eventName, eventSaid } = await import("../pit/events.js");
      const currency = this.table.view?.set_up?.currency ?? "";
      put(
        this.shown,
        h("h3", null, t("deal.preview-words")),
        ...events.map((/** @type {any} */ each) =>
          h(
            "div",
            null,
            h("strong", null, eventName(each.event)),
            h("dl", { class: "said" }, ...eventSaid(each, currency)),
          ),
        ),
      );
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this._refused(error);
    }
  }

  // ---------------------------------------------------------------- asking a second person at their own screen

  /** Where requests of this table are. */
  get _requests() {
    return `/api/tables/${part(this.table.name)}/requests`;
  }

  /** Ask for exactly this command; the second person sees it at their own screen. */
  async _askElsewhere() {
    const own = [...this.form.elements].filter((each) => !each.closest(".second"));
    if (this.busy || own.some((each) => each instanceof HTMLInputElement && !each.reportValidity())) return;
    this.busy = true;
    this._tell();
    this._follow();
    try {
      const command = this._command();
      const reason = this.reason?.value.trim() ?? "";
      const asked = { t: "do", id: this.sent.id, do: command, reason, round: this.round };
      this._wait(await post(this._requests, asked));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this._refused(error);
    } finally {
      this.busy = false;
      this._follow();
    }
  }

  /** Show that somebody is asked, until they answer. @param {RequestCard} card */
  _wait(card) {
    this.asked = card;
    const words = h("p", { role: "status", class: "asked" });
    const hidden = [...this.form.querySelectorAll(".field, .count, .second")];
    for (const each of hidden) /** @type {HTMLElement} */ (each).inert = true;
    this.extra.append(words);
    const look = async () => {
      if (!this.asked || !this.form.isConnected) return;
      const left = Math.max(0, Math.ceil((card.expires_at - this.table.now()) / 1e6));
      const roles = card.roles.map((/** @type {string} */ each) => t(`post.${each}`)).join(t("request.or"));
      words.textContent = t("request.waiting", { roles, s: left });
      const now = await get(`${this._requests}/${part(card.id)}`).catch(() => null);
      if (!this.asked) return;
      if (!now || now.fate === "waiting") return void setTimeout(() => void look(), LOOK_MS);
      this.asked = null;
      words.remove();
      for (const each of hidden) /** @type {HTMLElement} */ (each).inert = false;
      if (now.fate === "approved") {
        this.desk.acted?.(now.seq);
        return this.close(true);
      }
      this.sent = { content: "", id: "" };
      this._tell(t(`request.${now.fate}`, { who: now.answered_by, note: now.note || now.sentence }));
      this._follow();
    };
    void look();
  }

  /** Nobody waits for an answer any more. @param {RequestCard} card */
  async _withdraw(card) {
    this.asked = null;
    await post(`${this._requests}/${part(card.id)}/withdraw`).catch(() => null);
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
