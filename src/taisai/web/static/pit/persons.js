// Who stands behind the ids in the records, and the right to be forgotten; for shift managers and administrators.
// Enters: /api/persons?name=. Leaves: what identified somebody is erased; the records stay.

import { formDialog } from "../deal/dialogs.js";
import { refused } from "../deal/lock.js";
import { get, part, post } from "../lib/api.js";
import { h, labelled, put } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { dateTime } from "../lib/money.js";

/** @type {import("./pit.js").Open} */
export async function open(host) {
  const name = h("input", { name: "person", required: true, maxlength: 64, autocomplete: "off" });
  const found = h("div", { "aria-live": "polite" });

  /** @param {import("../lib/types").PersonFound} person */
  async function erase(person) {
    const reason = h("input", { name: "reason", required: true, maxlength: 200, autocomplete: "off" });
    await formDialog(
      t("pit.erase-who", { who: person.name }),
      [h("p", null, t("pit.erase-words")), labelled(t("deal.reason"), reason)],
      t("pit.erase"),
      () => post(`/api/persons/${part(person.id)}/erase`, { reason: reason.value.trim() }),
    );
    await look();
  }
  /** @param {import("../lib/types").PersonFound} person */
  const row = (person) =>
    h(
      "tr",
      null,
      h("td", null, h("code", null, person.id)),
      h("td", null, person.erased ? t("pit.erased") : person.name),
      h("td", null, dateTime(person.at)),
      h("td", null, !person.erased && h("button", { onclick: () => void erase(person) }, t("pit.erase"))),
    );
  async function look() {
    try {
      /** @type {import("../lib/types").PersonFound[]} */
      const persons = await get(`/api/persons?name=${part(name.value.trim())}`);
      put(
        found,
        persons.length
          ? h("table", { class: "wide" }, h("tbody", null, ...persons.map(row)))
          : h("p", { class: "muted" }, t("pit.nobody-found")),
      );
    } catch (error) {
      refused(error);
    }
  }
  const form = h(
    "form",
    { class: "panel" },
    h("h2", null, t("pit.part.persons")),
    h("p", { class: "muted" }, t("pit.persons-words")),
    labelled(t("pit.person"), name),
    h("p", { class: "row" }, h("button", { class: "main" }, t("pit.look"))),
    found,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void look();
  });
  put(host, form);
}
