// The odds of every box: a sortable table and a heat map on the felt, whose rows and boxes highlight each other (R7).
// Below them, a set of bets over every roll (odds-bets.js). Enters: /odds?layout=B/L, perhaps &bets=small=100.
// Every figure is the server's, and exact; nothing is computed here.

import { mountFelt } from "../felt/felt.js";
import { part } from "../lib/api.js";
import { boxName, layoutOf, payText } from "../lib/boxes.js";
import { $, h, put, query } from "../lib/dom.js";
import { locale, t } from "../lib/i18n.js";
import { number, percent } from "../lib/money.js";
import { baize, clauseLinks, startPage } from "../lib/shell.js";
import { betsPanel } from "./odds-bets.js";
import { books, exactly, knownLayout, layoutChoice, sections, subNav } from "./parts.js";

/** @typedef {import("../lib/types").BoxSheet} BoxOdds */

await startPage({ title: "nav.rules", nav: "rules" });
const all = await books();
const name = knownLayout(all, query("layout"));
const [book, layout] = name.split("/");
const sheet = await layoutOf(book, layout);
const { odds } = sheet;
const order = new Map(odds.map((each, place) => [each.box, place]));

/** What each column sorts by. @type {Record<string, (each: BoxOdds) => number>} */
const COLUMNS = {
  box: (each) => order.get(each.box) ?? 0,
  pays: (each) => Number(each.pays[each.pays.length - 1].pays),
  ways: (each) => each.ways,
  return: (each) => each.return.value,
  edge: (each) => each.edge.value,
  variance: (each) => each.variance.value,
};

/** @type {import("../felt/felt.js").Felt | null} */
let felt = null;
const feltHost = h("div", { class: "felt-scroll" });
const pointed = h("p", { class: "pointed", "aria-hidden": "true" }, t("rules.point"));
const sheetOf = new Map(odds.map((each) => [each.box, each]));
const body = h("tbody");
let sorted = "box";
let up = true;
/** @type {Map<string, HTMLTableRowElement>} */
const rows = new Map(odds.map((each) => [each.box, row(each)]));

/** @param {BoxOdds} each */
function row(each) {
  const made = h(
    "tr",
    { "data-box": each.box },
    h(
      "th",
      { scope: "row" },
      h(
        "button",
        { class: "link", onclick: () => felt?.focus(each.box), onfocus: () => link(each.box, false) },
        boxName(each.box),
      ),
    ),
    h(
      "td",
      { class: "pays", title: payText(sheet, each.box) },
      t("odds.to-1", { n: each.pays.map((one) => one.pays).join(" / ") }),
    ),
    h(
      "td",
      { class: "number" },
      each.out_of === 216 ? `${each.ways} ` : `${each.ways} / ${each.out_of} `,
      h("span", { class: "exact" }, each.probability.exact),
      " ",
      percent(each.probability.value, 2),
    ),
    h(
      "td",
      { class: "number" },
      ...exactly(each.return),
      each.below_75 && h("div", null, h("span", { class: "tag warn" }, t("rules.below-75"))),
    ),
    h("td", { class: "number" }, ...exactly(each.edge)),
    h("td", { class: "number", title: each.variance.exact }, number(Math.round(each.variance.value * 1000) / 1000)),
    h("td", null, clauseLinks(book, each.clauses)),
  );
  made.addEventListener("pointerenter", () => link(each.box, false));
  made.addEventListener("pointerleave", () => link(null, false));
  return made;
}

/**
 * A box with its house edge and return.
 * @param {string} box
 */
function edgeOf(box) {
  const each = sheetOf.get(box);
  return each
    ? t("rules.box-edge", {
        box: boxName(box),
        edge: percent(each.edge.value, 2),
        return: percent(each.return.value, 2),
      })
    : boxName(box);
}

/**
 * Highlight a row and its box.
 * @param {string | null} box
 * @param {boolean} scroll bring the row into view
 */
function link(box, scroll) {
  felt?.mark("picked", box === null ? [] : [box]);
  pointed.textContent = box === null ? t("rules.point") : edgeOf(box);
  for (const [each, made] of rows) made.classList.toggle("linked", each === box);
  const host = body.closest(".odds-table");
  const made = box === null ? undefined : rows.get(box);
  if (!scroll || !made || !host || host.scrollHeight <= host.clientHeight) return;
  const top = made.offsetTop - host.clientHeight / 2;
  host.scrollTo({ top });
}

const heads = Object.keys(COLUMNS).map((column) =>
  h(
    "th",
    { scope: "col", class: column === "box" || column === "pays" ? "" : "number", "data-column": column },
    h(
      "button",
      { class: "sort", onclick: () => sort(column) },
      t(`rules.col-${column}`),
      h("span", { class: "arrow", "aria-hidden": "true" }),
    ),
  ),
);

/** @param {string} column */
function sort(column) {
  up = sorted === column ? !up : column === "box" || column === "edge" || column === "variance";
  sorted = column;
  place();
}

function place() {
  const key = COLUMNS[sorted];
  const way = up ? 1 : -1;
  const ordered = [...odds].sort((one, two) => way * (key(one) - key(two)) || COLUMNS.box(one) - COLUMNS.box(two));
  body.append(...ordered.map((each) => /** @type {HTMLTableRowElement} */ (rows.get(each.box))));
  for (const head of heads) {
    const mine = head.dataset.column === sorted;
    head.setAttribute("aria-sort", mine ? (up ? "ascending" : "descending") : "none");
    $(".arrow", head).textContent = mine ? (up ? " ▲" : " ▼") : "";
  }
}

const partsHost = h("div");
const betsHost = h("section", { class: "panel", id: "bets", "aria-labelledby": "bets-title" });
const low = odds.filter((each) => each.below_75).length;
put(
  $("#main"),
  h(
    "div",
    { class: "wrap wide rules" },
    subNav("odds", name),
    h(
      "div",
      { class: "row top-row" },
      h("h1", null, t("rules.odds-title", { layout: name })),
      layoutChoice(t("rules.layout"), all, name, (chosen) => (location.href = `/odds?layout=${chosen}`)),
    ),
    h(
      "div",
      { class: "odds" },
      h(
        "section",
        { class: "panel", "aria-label": t("rules.heat") },
        h("h2", null, t("rules.heat")),
        h("p", { class: "muted" }, t("rules.heat-words")),
        partsHost,
        feltHost,
        pointed,
      ),
      h(
        "section",
        { class: "panel", "aria-labelledby": "table-title" },
        h("h2", { id: "table-title" }, t("rules.table")),
        h(
          "p",
          { class: "muted" },
          t("rules.table-words"),
          " ",
          low > 0 ? t("rules.below-count", { n: low }) : t("rules.below-none"),
        ),
        h(
          "div",
          { class: "scroll odds-table", tabindex: "0", role: "region", "aria-labelledby": "table-title" },
          h(
            "table",
            { lang: locale() },
            h("thead", null, h("tr", null, ...heads, h("th", { scope: "col" }, t("rules.clause")))),
            body,
          ),
        ),
      ),
    ),
    betsHost,
  ),
);
felt = await mountFelt(feltHost, {
  book,
  layout,
  palette: baize(),
  heat: true,
  label: t("rules.heat"),
  name: edgeOf,
  onPick: (box) => {
    link(box, true);
    $("button", /** @type {HTMLElement} */ (rows.get(box))).focus();
  },
  onPoint: (box) => link(box, box !== null),
});
// The drawing is the same for everybody; its legend is put into the reader's words here.
const legend = felt.svg.querySelectorAll(".legend text");
for (const [place, words] of [t("rules.legend"), t("rules.legend-words")].entries())
  if (legend[place]) legend[place].textContent = words;
put(partsHost, sections(felt));
place();
await betsPanel(betsHost, { book: part(book), layout: part(layout), boxes: new Set(sheet.boxes) });
