// Two layouts side by side, box by box: what differs, and what only one of them has.
// Enters: /compare?one=B/L&two=B/L. Every figure is the server's.

import { get, part } from "../lib/api.js";
import { boxName, layoutOf } from "../lib/boxes.js";
import { $, h, put, query } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { percent } from "../lib/money.js";
import { startPage, toggle } from "../lib/shell.js";
import { books, knownLayout, layoutChoice, layoutNames, subNav } from "./parts.js";

/** @typedef {import("../lib/types").Exact} Exact */
/** @typedef {{pays: {pays: number, ways: number}[], return: Exact, edge: Exact, below_75: boolean}} Side */
/** @typedef {{box: string, one: Side | null, two: Side | null, differs: boolean}} Pair */

await startPage({ title: "nav.rules", nav: "rules" });
const all = await books();
const one = knownLayout(all, query("one"));
const other =
  layoutNames(all).find((each) => each !== one && each.split("/")[0] === one.split("/")[0]) ?? layoutNames(all)[0];
const two = layoutNames(all).includes(query("two")) ? query("two") : other;
/** @type {Pair[]} */
const pairs = await get(`/api/compare?one=${part(one)}&two=${part(two)}`);
for (const name of [two, one]) await layoutOf(.../** @type {[string, string]} */ (name.split("/")));

/** @param {Pair} pair */
const kind = (pair) => (!pair.two ? "only-one" : !pair.one ? "only-two" : pair.differs ? "differs" : "same");

/** @param {string} first @param {string} second */
const go = (first, second) => (location.href = `/compare?one=${first}&two=${second}`);

/** @param {Side | null} side */
function cells(side) {
  if (!side) return [h("td", { class: "number none" }, "–"), h("td", { class: "number none" }, "–")];
  return [
    h("td", { class: "number" }, t("odds.to-1", { n: side.pays.map((each) => each.pays).join(" / ") })),
    h(
      "td",
      { class: "number" },
      percent(side.edge.value, 2),
      " ",
      h("span", { class: "exact" }, side.edge.exact),
      side.below_75 && h("div", null, h("span", { class: "tag warn" }, t("rules.below-75"))),
    ),
  ];
}

const rows = pairs.map((pair) =>
  h(
    "tr",
    { class: kind(pair), "data-box": pair.box },
    h(
      "th",
      { scope: "row" },
      boxName(pair.box),
      h("div", null, h("span", { class: `tag ${kind(pair) === "same" ? "" : "warn"}` }, t(`rules.${kind(pair)}`))),
    ),
    ...cells(pair.one),
    ...cells(pair.two),
  ),
);
const count = (/** @type {string} */ name) => pairs.filter((pair) => kind(pair) === name).length;
const table = h(
  "table",
  { class: "compare" },
  h(
    "thead",
    null,
    h(
      "tr",
      null,
      h("td", null),
      h("th", { colspan: 2, scope: "colgroup" }, one),
      h("th", { colspan: 2, scope: "colgroup" }, two),
    ),
    h(
      "tr",
      null,
      h("th", { scope: "col" }, t("rules.col-box")),
      ...[1, 2].flatMap(() => [
        h("th", { class: "number", scope: "col" }, t("rules.col-pays")),
        h("th", { class: "number", scope: "col" }, t("rules.col-edge")),
      ]),
    ),
  ),
  h("tbody", null, ...rows),
);

/** @param {boolean} only */
function show(only) {
  table.classList.toggle("only-differing", only);
}

put(
  $("#main"),
  h(
    "div",
    { class: "wrap rules" },
    subNav("compare", one),
    h("h1", null, t("rules.compare-title")),
    h(
      "div",
      { class: "row" },
      layoutChoice(t("rules.first"), all, one, (chosen) => go(chosen, two)),
      layoutChoice(t("rules.second"), all, two, (chosen) => go(one, chosen)),
      h("button", { onclick: () => go(two, one) }, t("rules.swap")),
    ),
    h(
      "p",
      { class: "row summary", role: "status" },
      ...["differs", "only-one", "only-two", "same"].map((name) =>
        h(
          "span",
          { class: `tag ${name === "same" ? "" : "warn"}`, "data-count": name },
          `${t(`rules.${name}`)}: ${count(name)}`,
        ),
      ),
    ),
    h(
      "div",
      { class: "panel" },
      toggle(t("rules.only-differing"), true, show),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("rules.compare-title") }, table),
    ),
  ),
);
show(true);
