// The words of a clause, in a dialog; loaded when somebody opens one.
//   await showClause("rws-tai-sai-v6", "3.4")

import { getOnce, part, Refusal } from "./api.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { clauseLabel, dialog } from "./shell.js";

/**
 * The words of a clause.
 * @param {string} book
 * @param {string} clause
 */
export async function showClause(book, clause) {
  let found = [];
  try {
    if (!/^R\d+$/.test(clause)) found = await getOnce(`/api/books/${part(book)}/clauses/${part(clause)}`);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  await dialog(`${book} ${clauseLabel(clause)}`, () => [
    ...found.map((/** @type {import("./types").EntrySheet} */ each) =>
      h(
        "section",
        { class: "clause", lang: "en" },
        h("h3", null, clauseLabel(each.id)),
        each.question && h("p", { class: "question" }, each.question),
        h("p", null, each.reading ?? each.summary ?? ""),
      ),
    ),
    !found.length && h("p", null, /^R\d+$/.test(clause) ? t("clause.standard") : t("clause.none")),
    h("p", null, h("a", { href: `/rules?book=${part(book)}&clause=${part(clause)}` }, t("clause.book"))),
  ]);
}
