// Reports: meters, win and hold by day, month, year or lifetime, on screen, as CSV or for print.
// Enters: /api/report. Leaves: a table; every figure is the server's.

import { stopped } from "../deal/lock.js";
import { get, part, Refusal } from "../lib/api.js";
import { h, labelled, put, s } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { dateTime, namedMoney, number, percent } from "../lib/money.js";
import { refusalWords } from "../lib/shell.js";
import { totalsOf, winsOf } from "./need.js";

const SPANS = ["day", "month", "year", "life"];
const CASH = ["staked", "returned", "win", "drop", "fills", "credits"];
const SHARES = ["hold", "actual", "theoretical"];

/**
 * Where the actual return should lie, and whether it does not.
 * @param {any} row
 */
function interval(row) {
  if (row.lowest === null) return "–";
  const words = `${percent(row.lowest, 2)} – ${percent(row.highest, 2)}`;
  return row.outside ? `${words} · ${t("pit.outside")}` : words;
}

/** Bars of a chart: the newest that fit. */
const BARS = 31;

/**
 * Wins by period as bars, above the line what the house won, below what it lost; each bar says its figure.
 * @param {string} currency
 * @param {[span: string, win: number][]} all
 */
function chart(currency, all) {
  const bars = all.slice(-BARS);
  const most = Math.max(1, ...bars.map(([, win]) => Math.abs(win)));
  const step = 600 / Math.max(bars.length, 6);
  const title = t("pit.chart", { currency });
  return h(
    "figure",
    { class: "chart" },
    h("figcaption", null, title),
    s(
      "svg",
      { viewBox: "0 0 600 160", role: "img", "aria-label": title },
      s("line", { x1: 0, x2: 600, y1: 80, y2: 80, class: "chart-zero" }),
      ...bars.map(([span, win], place) => {
        const height = (Math.abs(win) / most) * 70;
        const words = `${span}: ${namedMoney(win, currency)}`;
        return s(
          "g",
          null,
          s("title", null, words),
          s("rect", {
            class: win < 0 ? "chart-loss" : "chart-win",
            x: (place * step + step * 0.15).toFixed(1),
            y: (win < 0 ? 80 : 80 - height).toFixed(1),
            width: (step * 0.7).toFixed(1),
            height: Math.max(height, 1).toFixed(1),
          }),
          bars.length <= 12 &&
            s("text", { class: "chart-span", x: (place * step + step / 2).toFixed(1), y: 156 }, span),
        );
      }),
    ),
  );
}

/** @type {import("./pit.js").Open} */
export async function open(host) {
  /** @type {import("../lib/types").FloorCard} */
  const floor = await get("/api/floor");
  const span = h("select", { name: "by" }, ...SPANS.map((each) => h("option", { value: each }, t(`pit.span.${each}`))));
  const table = h(
    "select",
    { name: "table" },
    h("option", { value: "" }, t("pit.every-table")),
    ...floor.tables.map((each) => h("option", { value: each.table }, each.table)),
  );
  const body = h("div", { "aria-live": "polite" });
  const files = h("span", { class: "row" });

  let turn = 0;

  async function read() {
    const mine = (turn += 1);
    const asked = new URLSearchParams({ by: span.value, ...(table.value ? { table: table.value } : {}) });
    const report = await get(`/api/report?${asked}`).catch((error) => {
      if (mine === turn) throw error;
    });
    if (mine !== turn) return; // something else has been chosen since
    const currencyOf = (/** @type {string} */ name) => floor.tables.find((each) => each.table === name)?.currency ?? "";
    const cash = (/** @type {any} */ row, /** @type {string} */ key) =>
      namedMoney(row[key], row.currency ?? currencyOf(row.table));
    const counted = (/** @type {any} */ row) => [
      ...["rounds", "voided", "reversed"].map((key) => h("td", { class: "number" }, number(row[key]))),
      ...CASH.map((key) => h("td", { class: "number" }, cash(row, key))),
    ];
    put(
      files,
      ...["csv", "events", "html"].map((form) =>
        h(
          "a",
          {
            class: "button",
            href: `/api/report?${asked}&form=${form}`,
            target: form === "html" ? "_blank" : null,
            download: form === "html" ? null : form === "csv" ? "report.csv" : "events.csv",
          },
          t(`pit.as-${form}`),
        ),
      ),
    );
    put(
      body,
      h("p", { class: "muted", lang: "en" }, `${report.title} · ${report.interval}`),
      report.notice && h("p", { lang: "en" }, h("strong", null, report.notice)),
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": t("pit.part.reports") },
        h(
          "table",
          null,
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              ...["pit.span", "pit.table-name"].map((key) => h("th", { scope: "col" }, t(key))),
              ...["pit.rounds", "pit.void", "pit.reversed"].map((key) =>
                h("th", { scope: "col", class: "number" }, t(key)),
              ),
              ...[...CASH, ...SHARES, "interval"].map((key) =>
                h("th", { scope: "col", class: "number" }, t(`pit.sum.${key}`)),
              ),
            ),
          ),
          h(
            "tbody",
            null,
            ...report.rows.map((/** @type {any} */ row) =>
              h(
                "tr",
                null,
                h("td", null, row.span),
                h("td", null, row.table),
                ...counted(row),
                ...SHARES.map((key) => h("td", { class: "number" }, row[key] === null ? "–" : percent(row[key], 2))),
                h("td", { class: row.outside ? "number fault" : "number" }, interval(row)),
              ),
            ),
          ),
          h(
            "tfoot",
            null,
            ...totalsOf(report.rows, currencyOf).map((sum) =>
              h(
                "tr",
                { "data-total": sum.currency },
                h("th", { scope: "row", colspan: 2 }, t("pit.total", { currency: sum.currency })),
                ...counted(sum),
                h("td", { class: "number" }, sum.hold === null ? "–" : percent(sum.hold, 2)),
                h("td", { colspan: 3 }),
              ),
            ),
          ),
        ),
      ),
      report.rows.length === 0 && h("p", null, t("pit.no-activity")),
      ...winsOf(report.rows, currencyOf).map(([currency, bars]) => chart(currency, bars)),
      h("h3", null, t("pit.significant")),
      h(
        "ul",
        { class: "events", tabindex: "0", "aria-label": t("pit.significant") },
        ...report.significant
          .slice(-100)
          .reverse()
          .map((/** @type {any} */ each) =>
            h(
              "li",
              { lang: "en" },
              h("span", { class: "when" }, dateTime(new Date(each.at).getTime() * 1000)),
              h("strong", null, each.table),
              " ",
              each.detail || each.what,
            ),
          ),
      ),
    );
  }
  /** Show what was chosen, or why it cannot be shown; never an older choice. */
  async function load() {
    try {
      await read();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      stopped(error);
      put(files);
      put(body, h("p", { class: "fault" }, refusalWords(error)));
    }
  }
  span.addEventListener("change", () => void load());
  table.addEventListener("change", () => void load());
  const books = [...new Set(floor.tables.flatMap((each) => (each.book ? [each.book] : [])))].sort();
  put(
    host,
    h(
      "section",
      { class: "panel" },
      h("h2", null, t("pit.conformance")),
      h("p", { class: "muted" }, t("pit.conformance-words")),
      ...books.map((book) =>
        h(
          "p",
          { class: "row" },
          h("span", { lang: "en" }, book),
          ...["html", "json"].map((form) => {
            const href = `/api/books/${part(book)}/conformance?form=${form}`;
            return h(
              "a",
              { class: "button", "data-conformance": form, href, download: `conformance-${book}.${form}` },
              form.toUpperCase(),
            );
          }),
        ),
      ),
    ),
    h(
      "section",
      { class: "panel" },
      h("h2", null, t("pit.part.reports")),
      h("div", { class: "filters" }, labelled(t("pit.span"), span), labelled(t("pit.table-name"), table), files),
      body,
    ),
  );
  await read();
}
