// A rule book: procedure, pay tables, void reasons and malfunctions, clauses with their interpretations (R4, R9).
// Enters: /rules?book=B, with #clause-5.1.1 or &clause=5.1.1 for one clause. Anyone may read it without placing a bet.
// The book's own words are English in every language; headings and names of steps are the reader's.

import { getOnce, part, Refusal } from "../lib/api.js";
import { boxName, caseText, layoutOf, oddsText } from "../lib/boxes.js";
import { $, h, put, query, say } from "../lib/dom.js";
import { has, language, t, tn } from "../lib/i18n.js";
import { baize, clauseLabel, showRefusal, startPage } from "../lib/shell.js";
import { anchor, books, subNav } from "./parts.js";

/** @typedef {import("../lib/types").LayoutOddsSheet} LayoutSheet */
/** @typedef {{id: string, question: string, reading: string, house_choice: boolean}} Reading */
/**
 * @typedef {{id: string, summary: string, duties: string[], interpretations: Reading[], cited_by: string[],
 *   tests: string[]}} Clause
 */
/** @typedef {Reading & {clauses: string[], cited_by: string[], tests: string[]}} Interpretation */
/** @typedef {{step: string, clauses: string[]}} Step */
/** @typedef {{item: string, clauses: string[], summary: string}} Item */
/** @typedef {{fact: string, then: string[], reason: string, clauses: string[], summary: string}} FactRule */
/**
 * @typedef {object} Book
 * @property {string} id
 * @property {string} title
 * @property {string} version
 * @property {string} operator
 * @property {string} jurisdiction
 * @property {string} document
 * @property {string | null} effective
 * @property {string} digest
 * @property {{device: string, tumble: string, tumbles_min: number, steps: Step[], opening: Item[], facts: FactRule[],
 *   calls: Record<string, string> & {bell: boolean}}} procedure
 * @property {Record<string, string[]>} rules
 * @property {LayoutSheet[]} layouts
 * @property {Clause[]} clauses
 * @property {Interpretation[]} interpretations
 */

/** Rules about what follows when something goes wrong, in reading order. */
const POLICY = [
  "void-returns-bets",
  "void-leaves-earlier-rounds",
  "damaged-dice-void",
  "interruption-concluded",
  "interruption-void",
  "dice-decide-over-lights",
  "entry-amended",
  "suspended-after-malfunction",
  "display-is-information",
  "later-round-untouched",
  "shift-manager-decides",
];

await startPage({ title: "nav.rules", nav: "rules" });
const all = await books();
const chosen =
  all.find((each) => each.id === query("book")) ?? all.find((each) => each.id === "rws-tai-sai-v6") ?? all[0];
/** @type {Book} */
const book = await getOnce(`/api/books/${part(chosen.id)}`);
await Promise.all(book.layouts.map(({ name }) => layoutOf(book.id, name.split("/")[1])));
/** @type {Map<string, string>} */
const words = new Map([
  ...book.clauses.map((each) => /** @type {[string, string]} */ ([each.id, each.summary])),
  ...book.interpretations.map((each) => /** @type {[string, string]} */ ([each.id, each.reading])),
]);

/** Links to clauses on this page. @param {string[]} ids */
function links(ids) {
  return h("span", { class: "clauses" }, ...ids.map((id) => h("a", { href: `#${anchor(id)}` }, clauseLabel(id))));
}

/**
 * The words of clauses, each with its number.
 * @param {string[]} ids
 */
function quoted(ids) {
  return ids.map((id) =>
    h(
      "p",
      { class: "quoted" },
      h("a", { href: `#${anchor(id)}` }, clauseLabel(id)),
      " ",
      h("span", { lang: "en" }, words.get(id) ?? ""),
    ),
  );
}

/**
 * What the dealer says at a step.
 * @param {string} step
 */
function said(step) {
  const { calls } = book.procedure;
  const spoken =
    {
      "open-bets": [calls.open],
      "close-bets": [calls.close],
      announce: [
        calls.plain.replace("{low}", "1").replace("{middle}", "3").replace("{high}", "6").replace("{total}", "10"),
        calls.double_first.replace("{double}", "3").replace("{single}", "4").replace("{total}", "10"),
        calls.triple.replace("{face}", "5").replace("{total}", "15"),
      ],
    }[step] ?? [];
  return [
    ...spoken.map((call) => h("q", { class: "call", lang: "en" }, call)),
    step === "close-bets" && calls.bell && h("span", { class: "tag" }, t("rules.bell")),
  ];
}

/**
 * A part of the page.
 * @param {string} id
 * @param {...import("../lib/dom.js").Child} inside
 */
function section(id, ...inside) {
  return h(
    "section",
    { class: "panel", id, "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title` }, t(`rules.${id}`)),
    ...inside,
  );
}

const procedure = section(
  "procedure",
  h("p", { class: "muted" }, t(`rules.tumble-${book.procedure.tumble}`, { n: book.procedure.tumbles_min })),
  h(
    "ol",
    { class: "steps" },
    ...book.procedure.steps.map((each) =>
      h(
        "li",
        null,
        h("div", { class: "step-top" }, h("strong", null, t(`rules.step-${each.step}`)), ...said(each.step)),
        ...quoted(each.clauses),
      ),
    ),
  ),
  book.procedure.opening.length > 0 && h("h3", null, t("rules.opening")),
  book.procedure.opening.length > 0 &&
    h(
      "ul",
      { class: "plain" },
      ...book.procedure.opening.map((each) =>
        h("li", null, h("span", { lang: "en" }, each.summary), " ", links(each.clauses)),
      ),
    ),
);

const trouble = section(
  "trouble",
  h("p", null, t("rules.trouble-words"), " ", h("q", { class: "call", lang: "en" }, book.procedure.calls.void)),
  h("h3", null, t("rules.voids")),
  h(
    "div",
    { class: "scroll" },
    h(
      "table",
      null,
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          h("th", null, t("rules.reason")),
          h("th", null, t("rules.reach")),
          h("th", null, t("rules.clause")),
        ),
      ),
      h(
        "tbody",
        null,
        ...book.procedure.facts.map((each) =>
          h(
            "tr",
            { "data-fact": each.fact },
            h(
              "td",
              null,
              language() !== "en" && h("div", null, t(`void.${each.fact}`)),
              h("div", { lang: "en" }, each.summary),
            ),
            h("td", null, each.then.map((then) => t(`rules.then-${then}`)).join("; ")),
            h("td", null, links(each.clauses)),
          ),
        ),
      ),
    ),
  ),
  h("h3", null, t("rules.policy")),
  h(
    "dl",
    { class: "policy" },
    ...POLICY.filter((rule) => book.rules[rule]).flatMap((rule) => [
      h("dt", null, t(`rules.rule-${rule}`)),
      h("dd", null, ...quoted(book.rules[rule])),
    ]),
  ),
);

/** @param {LayoutSheet} layout */
function payTable(layout) {
  const short = layout.name.split("/")[1];
  const asked = `labels=true&palette=${baize()}&lang=${language()}`;
  return h(
    "details",
    { class: "layout", open: book.layouts.length === 1 },
    h(
      "summary",
      null,
      h("strong", { lang: "en" }, layout.title),
      " ",
      h("span", { class: "muted" }, tn("rules.boxes", layout.boxes.length)),
    ),
    h(
      "p",
      { class: "row" },
      links(layout.clauses),
      h("a", { class: "button", href: `/odds?layout=${layout.name}` }, t("rules.odds-of", { layout: short })),
    ),
    h("img", {
      class: "felt-picture",
      loading: "lazy",
      alt: t("rules.felt-of", { layout: short }),
      src: `/api/books/${part(book.id)}/layouts/${part(short)}/felt.svg?${asked}`,
    }),
    h(
      "div",
      { class: "scroll" },
      h(
        "table",
        null,
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            h("th", null, t("rules.bet")),
            h("th", null, t("rules.when")),
            h("th", { class: "number" }, t("rules.pays")),
            h("th", null, t("rules.clause")),
          ),
        ),
        h(
          "tbody",
          null,
          ...layout.pay.map((row) =>
            h(
              "tr",
              null,
              h(
                "td",
                null,
                h("span", { lang: "en" }, row.bet),
                h("div", { class: "muted" }, row.boxes.map(boxName).join(t("list.comma"))),
              ),
              h("td", null, caseText(row)),
              h("td", { class: "number" }, oddsText(row.pays)),
              h("td", null, links(row.clauses)),
            ),
          ),
        ),
      ),
    ),
  );
}

const pay = section("pay", ...book.layouts.map(payTable));

/**
 * The rows that cite a clause and the tests that check it.
 * @param {{cited_by: string[], tests: string[]}} each
 */
function behind(each) {
  if (!each.cited_by.length && !each.tests.length) return null;
  return h(
    "details",
    { class: "behind" },
    h("summary", null, t("rules.behind", { rows: each.cited_by.length, tests: each.tests.length })),
    h(
      "ul",
      { lang: "en" },
      ...each.cited_by.map((row) => h("li", null, row)),
      ...each.tests.map((test) => h("li", null, h("code", null, test))),
    ),
  );
}

/** @param {Clause} each */
function clause(each) {
  return h(
    "article",
    { class: "clause", id: anchor(each.id), tabindex: "-1", "data-clause": each.id },
    h(
      "div",
      { class: "clause-words" },
      h("h3", null, clauseLabel(each.id)),
      h("p", { lang: "en" }, each.summary),
      h("p", { class: "row" }, ...each.duties.map((duty) => h("span", { class: "tag" }, t(`rules.duty-${duty}`)))),
      behind(each),
    ),
    each.interpretations.length > 0 &&
      h(
        "aside",
        { class: "readings", "aria-label": t("rules.readings-of", { clause: clauseLabel(each.id) }) },
        ...each.interpretations.map((reading) =>
          h(
            "p",
            { lang: "en" },
            h("a", { href: `#${anchor(reading.id)}` }, reading.id),
            " ",
            reading.question,
            " ",
            h("strong", null, reading.reading),
          ),
        ),
      ),
  );
}

/** @param {Interpretation} each */
function interpretation(each) {
  return h(
    "article",
    { class: "clause", id: anchor(each.id), tabindex: "-1", "data-clause": each.id },
    h(
      "div",
      { class: "clause-words" },
      h("h3", null, each.id, " ", links(each.clauses)),
      h("p", { lang: "en" }, each.question),
      h("p", { lang: "en" }, h("strong", null, each.reading)),
      h(
        "p",
        { class: "row" },
        h("span", { class: "tag" }, t(each.house_choice ? "rules.house-choice" : "rules.follows")),
      ),
      behind(each),
    ),
  );
}

const articles = [
  ...book.clauses.map((each) => ({
    made: clause(each),
    text: [each.id, each.summary, ...each.interpretations.flatMap((one) => [one.id, one.question, one.reading])].join(
      " ",
    ),
  })),
  ...book.interpretations.map((each) => ({
    made: interpretation(each),
    text: `${each.id} ${each.question} ${each.reading}`,
  })),
].map(({ made, text }) => ({ made, text: text.toLowerCase() }));
const found = h("p", { class: "muted", role: "status" });
const search = h("input", {
  type: "search",
  id: "search",
  placeholder: t("rules.search-for"),
  oninput: () => filter(),
});

function filter() {
  const wanted = search.value.replace("§", "").toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const { made, text } of articles) {
    made.hidden = !wanted.every((each) => text.includes(each));
    shown += made.hidden ? 0 : 1;
  }
  say(found, t("rules.found", { n: shown, of: articles.length }));
}

const clauses = section(
  "clauses",
  h("label", { class: "field", for: "search" }, h("span", null, t("rules.search")), search),
  found,
  ...articles.slice(0, book.clauses.length).map(({ made }) => made),
  h("h3", { id: "interpretations" }, t("rules.interpretations")),
  ...articles.slice(book.clauses.length).map(({ made }) => made),
);

const when = book.effective ? t("rules.effective", { date: String(book.effective).slice(0, 10) }) : "";
put(
  $("#main"),
  h(
    "div",
    { class: "wrap rules" },
    subNav("rules", book.layouts[0].name),
    h(
      "nav",
      { class: "shelf", "aria-label": t("rules.books") },
      ...all.map((each) =>
        h(
          "a",
          { class: "book", href: `/rules?book=${part(each.id)}`, "aria-current": each.id === book.id ? "page" : null },
          h("strong", null, each.title),
          h("span", null, `${each.jurisdiction} · ${each.version}`),
        ),
      ),
    ),
    h(
      "header",
      { class: "book-head" },
      h("h1", null, h("span", { lang: "en" }, `${book.title}, ${book.version}`)),
      h(
        "p",
        { class: "muted" },
        h("span", { lang: "en" }, `${book.document} · ${book.operator}`),
        when && ` · ${when}`,
      ),
      h(
        "p",
        { class: "muted" },
        t("rules.own-words"),
        " ",
        t("rules.digest"),
        " ",
        h("code", { class: "digest" }, book.digest),
      ),
      h(
        "p",
        { class: "row jump" },
        ...["procedure", "pay", "trouble", "clauses"].map((id) =>
          h("a", { class: "button", href: `#${id}` }, t(`rules.${id}`)),
        ),
        h("a", { class: "button", href: "#interpretations" }, t("rules.interpretations")),
      ),
    ),
    procedure,
    pay,
    trouble,
    clauses,
  ),
);
filter();

/** Bring the clause named in the address into view. */
function toClause() {
  const asked = decodeURIComponent(location.hash.slice(1)) || (query("clause") && anchor(query("clause")));
  if (!asked) return;
  const place = document.getElementById(asked.replace(/\s+/g, "_"));
  document.querySelectorAll(".clause.asked").forEach((each) => each.classList.remove("asked"));
  if (place?.classList.contains("clause")) {
    if (place.hidden) {
      search.value = "";
      filter();
    }
    place.classList.add("asked");
    place.focus({ preventScroll: true });
  } else if (asked.startsWith("clause-")) {
    const below = articles.find(({ made }) => made.id.startsWith(asked));
    if (below) below.made.scrollIntoView({ block: "center" });
    else
      showRefusal(
        new Refusal({ code: "not-found", sentence: t("clause.none") }),
        "",
        has("clause.none") ? t("clause.none") : "",
      );
    return;
  }
  place?.scrollIntoView({ block: place.classList.contains("clause") ? "center" : "start" });
}

addEventListener("hashchange", toClause);
toClause();
