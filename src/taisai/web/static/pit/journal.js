// The journal of a table as a readable list: who did what, when, on whose authority and why.
// Enters: /api/tables/T/journal. Leaves: a list, filtered by kind, person and words.

import { stopped } from "../deal/lock.js";
import { get, part, Refusal } from "../lib/api.js";
import { h, labelled, put } from "../lib/dom.js";
import { t, tn } from "../lib/i18n.js";
import { dateTime } from "../lib/money.js";
import { refusalWords } from "../lib/shell.js";

const LAST = 200;

/** @param {string} name */
const role = (name) => (name === "player" || name === "system" ? t(`pit.role.${name}`) : t(`post.${name}`));

/** @type {import("./pit.js").Open} */
export async function open(host, name) {
  /** @type {import("../lib/types").FloorCard} */
  const floor = await get("/api/floor");
  const chosen = name || floor.tables[0]?.table || "";
  const table = h(
    "select",
    { name: "table" },
    ...floor.tables.map((each) => h("option", { value: each.table, selected: each.table === chosen }, each.table)),
  );
  const kind = h("select", { name: "kind" });
  const by = h("input", { name: "by", autocomplete: "off" });
  const words = h("input", { name: "words", type: "search", autocomplete: "off" });
  const from = h("input", { name: "from", type: "number", min: 1, placeholder: t("pit.newest") });
  const found = h("p", { class: "muted", role: "status" });
  const list = h("tbody", null);
  /** @type {any[]} */
  let records = [];

  function draw() {
    const sought = words.value.trim().toLowerCase();
    const shown = records.filter(
      (each) => !sought || JSON.stringify([each.told, each.reason, each.by]).toLowerCase().includes(sought),
    );
    found.textContent = tn("pit.records", shown.length);
    put(
      list,
      ...shown.map((each) =>
        h(
          "tr",
          { "data-kind": each.kind },
          h("td", { class: "number" }, each.seq),
          h("td", { class: "when" }, dateTime(each.at)),
          h(
            "td",
            null,
            h("strong", null, each.by),
            " ",
            h("br"),
            h("span", { class: "muted" }, role(each.role)),
            each.authorised_by && h("p", { class: "by" }, t("pit.with", { who: each.authorised_by })),
          ),
          h(
            "td",
            { lang: "en" },
            each.told.length ? each.told.map((/** @type {string} */ line) => h("div", null, line)) : each.kind,
            each.reason && h("p", { class: "by" }, `“${each.reason}”`),
          ),
          h("td", null, h("code", { title: each.hash }, each.hash.slice(0, 8))),
        ),
      ),
    );
  }
  let turn = 0;

  async function read() {
    const mine = (turn += 1);
    const newestFirst = !from.value;
    const asked = new URLSearchParams({
      count: "500",
      ...(from.value
        ? { after: String(Number(from.value) - 1) }
        : kind.value || by.value
          ? { after: "0" }
          : { last: String(LAST) }),
    });
    if (kind.value) asked.set("kind", kind.value);
    if (by.value.trim()) asked.set("by", by.value.trim());
    const got = await get(`/api/tables/${part(table.value)}/journal?${asked}`).catch((error) => {
      if (mine === turn) throw error;
    });
    if (mine !== turn) return; // something else has been chosen since
    records = newestFirst ? got.reverse() : got;
    if (!kind.value)
      put(
        kind,
        h("option", { value: "" }, t("pit.every-kind")),
        ...[...new Set(records.map((each) => each.kind))].sort().map((each) => h("option", { value: each }, each)),
      );
    draw();
  }
  /** Show what was chosen, or why it cannot be shown; never an older choice. */
  async function load() {
    try {
      await read();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      stopped(error);
      records = [];
      draw();
      found.textContent = refusalWords(error);
    }
  }
  put(
    host,
    h(
      "section",
      { class: "panel" },
      h("h2", null, t("pit.part.journal")),
      h(
        "form",
        { class: "filters", onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), void load()) },
        labelled(t("pit.table-name"), table),
        labelled(t("pit.kind"), kind),
        labelled(t("pit.by"), by),
        labelled(t("pit.from-record"), from),
        labelled(t("pit.words"), words),
        h("button", { type: "submit" }, t("pit.read-again")),
      ),
      found,
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": t("pit.part.journal") },
        h(
          "table",
          { class: "journal" },
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              ...["pit.record", "pit.when", "pit.by", "pit.what", "pit.hash"].map((key) =>
                h("th", { scope: "col" }, t(key)),
              ),
            ),
          ),
          list,
        ),
      ),
    ),
  );
  table.addEventListener("change", () => (location.hash = `#journal/${part(table.value)}`));
  kind.addEventListener("change", () => void load());
  from.addEventListener("change", () => void load());
  by.addEventListener("change", () => void load());
  words.addEventListener("input", draw);
  if (chosen) await read();
}
