// The journal of a table as a readable list: who did what, when, in which round, on whose authority and why.
// Enters: /api/tables/T/journal. Leaves: a list in the reader's words, filtered by round, kind, person, time and words,
// and the same as a file.

import { stopped } from "../deal/lock.js";
import { get, getOnce, part, Refusal } from "../lib/api.js";
import { layoutOf } from "../lib/boxes.js";
import { h, labelled, put } from "../lib/dom.js";
import { t, tn } from "../lib/i18n.js";
import { dateTime } from "../lib/money.js";
import { refusalWords, roundLink } from "../lib/shell.js";
import { eventName, eventSaid, eventText } from "./events.js";
import { saveCsv, saveJson } from "./files.js";

const LAST = 200;
const MOST = 500;

/** @param {string} name */
const role = (name) => (name === "player" || name === "system" ? t(`pit.role.${name}`) : t(`post.${name}`));

/** Microseconds of what a date field says; "" is no limit. @param {string} text */
const micros = (text) => (text ? String(new Date(text).getTime() * 1000) : "");

/** @type {import("./pit.js").Open} */
export async function open(host, argument) {
  const [name, wanted] = argument.split("/");
  /** @type {[import("../lib/types").FloorCard, Record<string, string>]} */
  const [floor, names] = await Promise.all([get("/api/floor"), getOnce("/api/staff/names")]);
  const chosen = name || floor.tables[0]?.table || "";
  const currency = () => floor.tables.find((each) => each.table === table.value)?.currency ?? "";
  const table = h(
    "select",
    { name: "table" },
    ...floor.tables.map((each) => h("option", { value: each.table, selected: each.table === chosen }, each.table)),
  );
  const kind = h("select", { name: "kind" });
  const by = h("input", { name: "by", autocomplete: "off" });
  const words = h("input", { name: "words", type: "search", autocomplete: "off" });
  const round = h("input", { name: "round", type: "number", min: 1, value: wanted ?? "" });
  const since = h("input", { name: "since", type: "datetime-local" });
  const until = h("input", { name: "until", type: "datetime-local" });
  const found = h("p", { class: "muted", role: "status" });
  const list = h("tbody", null);
  /** @type {any[]} */
  let records = [];

  /** Login and name of somebody, as far as the staff list has them. @param {string} login */
  const named = (login) => (names[login] ? `${names[login]} (${login})` : login);
  const shown = () => {
    const sought = words.value.trim().toLowerCase();
    const text = (/** @type {any} */ each) =>
      [eventName(each.kind), eventText(each.what, currency()), each.reason, named(each.by)].join(" ").toLowerCase();
    return records.filter((each) => !sought || text(each).includes(sought));
  };

  function draw() {
    const rows = shown();
    found.textContent = tn("pit.records", rows.length);
    put(
      list,
      ...rows.map((each) =>
        h(
          "tr",
          { "data-kind": each.kind },
          h("td", { class: "number" }, each.seq),
          h("td", { class: "number" }, each.round > 0 && roundLink(table.value, each.round, String(each.round))),
          h("td", { class: "when" }, dateTime(each.at)),
          h(
            "td",
            { class: "whose" },
            h("strong", null, named(each.by)),
            h("br"),
            h("span", { class: "muted" }, role(each.role)),
            each.authorised_by && h("p", { class: "by" }, t("pit.with", { who: named(each.authorised_by) })),
          ),
          h(
            "td",
            null,
            h("strong", null, eventName(each.kind)),
            h("dl", { class: "said" }, ...eventSaid(each.what, currency())),
            each.reason && h("p", { class: "by" }, `“${each.reason}”`),
          ),
          h("td", null, h("code", { title: each.hash }, each.hash.slice(0, 8))),
        ),
      ),
    );
  }

  /** The rows on screen, for a program of tables. */
  function csv() {
    const head = ["pit.record", "pit.round", "pit.when", "pit.by", "people.post", "pit.second", "pit.what", "pit.said"];
    const rows = shown().map((each) => [
      each.seq,
      each.round || "",
      new Date(each.at / 1000).toISOString(),
      each.by,
      each.role,
      each.authorised_by ?? "",
      each.kind,
      [eventText(each.what, currency()), each.reason].filter(Boolean).join(" · "),
    ]);
    saveCsv(`journal-${table.value}.csv`, [head.map((key) => t(key)), ...rows]);
  }
  let turn = 0;

  async function read() {
    const mine = (turn += 1);
    const filters = {
      kind: kind.value,
      round: round.value,
      since: micros(since.value),
      until: micros(until.value),
      by: by.value.trim(),
    };
    const given = Object.entries(filters).filter(([, value]) => value);
    const asked = new URLSearchParams([
      ["count", String(MOST)],
      given.length ? ["after", "0"] : ["last", String(LAST)],
      ...given,
    ]);
    const got = await get(`/api/tables/${part(table.value)}/journal?${asked}`).catch((error) => {
      if (mine === turn) throw error;
    });
    const card = floor.tables.find((each) => each.table === table.value);
    if (card?.book && card.layout) await layoutOf(card.book, card.layout).catch(() => null); // its names of the boxes
    if (mine !== turn) return; // something else has been chosen since
    records = got.reverse();
    if (!kind.value)
      put(
        kind,
        h("option", { value: "" }, t("pit.every-kind")),
        ...[...new Set(records.map((each) => each.kind))]
          .map((each) => /** @type {const} */ ([eventName(each), each]))
          .sort(([one], [other]) => one.localeCompare(other))
          .map(([said, each]) => h("option", { value: each }, said)),
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
        labelled(t("pit.round"), round),
        labelled(t("pit.kind"), kind),
        labelled(t("pit.by"), by),
        labelled(t("pit.since"), since),
        labelled(t("pit.until"), until),
        labelled(t("pit.words"), words),
        h("button", { type: "submit" }, t("pit.read-again")),
        h("button", { type: "button", "data-action": "csv", onclick: csv }, t("pit.as-csv")),
        h(
          "button",
          {
            type: "button",
            "data-action": "json",
            onclick: () => saveJson(`journal-${table.value}.json`, shown()),
          },
          t("pit.as-json"),
        ),
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
              ...["pit.record", "pit.round", "pit.when", "pit.by", "pit.what", "pit.hash"].map((key) =>
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
  for (const each of [kind, round, by, since, until]) each.addEventListener("change", () => void load());
  words.addEventListener("input", draw);
  if (chosen) await read();
}
