// A form in a dialog that stays open while it is refused, and says why.
//   const made = await formDialog(t("pit.add-staff"), [rows], t("pit.add-staff"), () => post("/api/staff", ...))

import { Refusal } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { dialog, refusalWords } from "../lib/shell.js";
import { stopped } from "./lock.js";

/**
 * Show a form and send it; resolves with the answer, or null when the form was left.
 * @template T
 * @param {string} title
 * @param {import("../lib/dom.js").Child[]} rows
 * @param {string} action the words of its button
 * @param {() => Promise<T>} send
 * @param {{class?: string}} [how] the class of its button
 * @returns {Promise<T | null>}
 */
export function formDialog(title, rows, action, send, how = {}) {
  const fault = h("p", { class: "fault", role: "alert", hidden: true });
  const submit = h("button", { class: how.class ?? "main", type: "submit" }, action);
  return dialog(title, (/** @type {(answer: T | null) => void} */ close) => {
    const form = h(
      "form",
      { class: "ask" },
      ...rows,
      fault,
      h("p", { class: "row" }, submit, h("button", { type: "button", onclick: () => close(null) }, t("cancel"))),
    );
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      submit.disabled = true;
      fault.hidden = true;
      try {
        close(await send());
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (stopped(error)) return; // the lock covers the form, which is as it was when the lock opens
        fault.textContent = refusalWords(error);
        fault.hidden = false;
      } finally {
        submit.disabled = false;
      }
    });
    queueMicrotask(() => /** @type {HTMLElement | null} */ (form.querySelector("input, select"))?.focus());
    return [form];
  });
}
