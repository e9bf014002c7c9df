// The words of a clause; loaded when somebody opens one. At a table they stand beside it, with the rows of the pay
// table that cite the clause; elsewhere, and where there is no room beside, in a dialog.
//   await showClause("rws-tai-sai-v6", "3.4")
// A page with room has an element #beside, whose data-layout names the layout that is played.

import { getOnce, part, Refusal } from "./api.js";
import { boxName, layoutOf, payCase } from "./boxes.js";
import { h, put } from "./dom.js";
import { t } from "./i18n.js";
import { clauseLabel, dialog } from "./shell.js";

/** @typedef {import("./types").EntrySheet} EntrySheet */

const MOST_BOXES = 6;

/**
 * The words of a clause.
 * @param {string} book
 * @param {string} clause
 */
export async function showClause(book, clause) {
  /** @type {EntrySheet[]} */
  let found = [];
  try {
    if (!/^R\d+$/.test(clause)) found = await getOnce(`/api/books/${part(book)}/clauses/${part(clause)}`);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  const title = `${book} ${clauseLabel(clause)}`;
  const content = [
    ...found.map((each) =>
      h(
        "section",
        { class: "clause", lang: "en" },
        h("h3", null, clauseLabel(each.id)),
        each.question && h("p", { class: "question" }, each.question),
        h("p", null, each.reading ?? each.summary ?? ""),
      ),
    ),
    !found.length && h("p", null, /^R\d+$/.test(clause) ? t("clause.standard") : t("clause.none")),
  ];
  const link = h("p", null, h("a", { href: `/rules?book=${part(book)}&clause=${part(clause)}` }, t("clause.book")));
  const beside = document.getElementById("beside");
  const room = beside !== null && getComputedStyle(beside).position !== "fixed";
  if (!beside || !room) return void (await dialog(title, () => [...content, link]));
  const rows = await rowsOf(book, beside.dataset.layout ?? "", clause);
  const from = document.activeElement;
  const close = () => {
    beside.hidden = true;
    put(beside);
    if (from instanceof HTMLElement) from.focus({ preventScroll: true });
  };
  const heading = h("h2", { tabindex: "-1" }, title);
  put(
    beside,
    h(
      "div",
      { class: "sheet-top" },
      heading,
      h("button", { class: "x", "aria-label": t("close"), onclick: close }, "×"),
    ),
    ...content,
    rows,
    link,
  );
  beside.onkeydown = (event) => event.key === "Escape" && close();
  beside.hidden = false;
  beside.scrollIntoView({ block: "nearest" });
  heading.focus({ preventScroll: true });
}

/**
 * The rows of the pay table that cite a clause.
 * @param {string} book
 * @param {string} layout
 * @param {string} clause
 */
async function rowsOf(book, layout, clause) {
  const sheet = layout ? await layoutOf(book, layout).catch(() => null) : null;
  const rows = sheet?.pay.filter((row) => row.clauses.includes(clause)) ?? [];
  if (!rows.length) return null;
  const boxes = (/** @type {string[]} */ all) => {
    const named = all.slice(0, MOST_BOXES).map(boxName).join(t("list.comma"));
    return all.length > MOST_BOXES ? t("clause.more-boxes", { boxes: named, n: all.length - MOST_BOXES }) : named;
  };
  return h(
    "table",
    { class: "clause-rows" },
    h("caption", null, t("clause.rows")),
    h(
      "tbody",
      null,
      ...rows.map((row) => h("tr", null, h("th", { scope: "row" }, boxes(row.boxes)), h("td", null, payCase(row)))),
    ),
  );
}
