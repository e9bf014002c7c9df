// What the pages about rules, odds and comparison share.
//   await books()                           all rule books in brief; fetched once
//   subNav("odds", "rws-tai-sai-v6/A")      links between the three pages
//   layoutChoice(label, all, now, chosen)   a choice of layout, as BOOK/LAYOUT
//   sections(felt)                          buttons that bring a part of a large felt into view
//   exactly({exact, value})                 a percentage, and the exact fraction

import { sectionButtons } from "../felt/sections.js";
import { getOnce, part } from "../lib/api.js";
import { h, labelled } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { percent } from "../lib/money.js";

/**
 * @typedef {{id: string, title: string, version: string, operator: string, jurisdiction: string, digest: string,
 *   layouts: string[]}} BookCard
 */
/** @typedef {import("../lib/types").Exact} Exact */

/** @returns {Promise<BookCard[]>} */
export function books() {
  return getOnce("/api/books");
}

/**
 * Every layout, as BOOK/LAYOUT.
 * @param {BookCard[]} all
 */
export function layoutNames(all) {
  return all.flatMap((book) => book.layouts.map((layout) => `${book.id}/${layout}`));
}

/**
 * The layout that was asked for, or a default.
 * @param {BookCard[]} all
 * @param {string} wanted
 */
export function knownLayout(all, wanted) {
  const names = layoutNames(all);
  return names.includes(wanted) ? wanted : names.includes("rws-tai-sai-v6/C") ? "rws-tai-sai-v6/C" : names[0];
}

/**
 * Links between the pages.
 * @param {"rules" | "odds" | "compare"} now
 * @param {string} layout as BOOK/LAYOUT
 */
export function subNav(now, layout) {
  const book = layout.split("/")[0];
  const pages = [
    ["rules", `/rules?book=${part(book)}`],
    ["odds", `/odds?layout=${layout}`],
    ["compare", `/compare?one=${layout}`],
  ];
  return h(
    "nav",
    { class: "sub-nav", "aria-label": t("rules.pages") },
    ...pages.map(([name, href]) =>
      h("a", { class: "button", href, "aria-current": name === now ? "page" : null }, t(`rules.page-${name}`)),
    ),
  );
}

/**
 * A choice of layout.
 * @param {string} label
 * @param {BookCard[]} all
 * @param {string} now
 * @param {(layout: string) => void} chosen
 */
export function layoutChoice(label, all, now, chosen) {
  const select = h(
    "select",
    { onchange: () => chosen(select.value) },
    ...all.map((book) =>
      h(
        "optgroup",
        { label: `${book.title}, ${book.version}` },
        ...book.layouts.map((layout) => {
          const name = `${book.id}/${layout}`;
          return h("option", { value: name, selected: name === now }, `${name}`);
        }),
      ),
    ),
  );
  return labelled(label, select);
}

/**
 * Buttons that bring a part of a large felt into view; null if it has one part only.
 * @param {import("../felt/felt.js").Felt} felt
 */
export function sections(felt) {
  const buttons = sectionButtons(felt);
  if (buttons.length < 2) return null;
  return h("div", { class: "felt-parts", role: "group", "aria-label": t("play.sections") }, ...buttons);
}

/**
 * A percentage, and the exact fraction.
 * @param {Exact} share
 * @param {number} [places]
 */
export function exactly(share, places = 2) {
  return [
    h("span", { class: "number" }, percent(share.value, places)),
    " ",
    h("span", { class: "exact" }, share.exact),
  ];
}

/** The id of a clause on the page. @param {string} clause */
export function anchor(clause) {
  return `clause-${clause.replace(/\s+/g, "_")}`;
}
