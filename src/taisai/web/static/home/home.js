// The start page: every table as a card with its last results, to sit down at, watch, or see its board; and the way to
// the crew's screens. Enters: /api/floor, fetched every few seconds while the page is visible.

import { get, getOnce, me, part, seats, sit as sitDown } from "../lib/api.js";
import { diceRow } from "../lib/dice.js";
import { $, h, put } from "../lib/dom.js";
import { t, tn } from "../lib/i18n.js";
import { money } from "../lib/money.js";
import { totalOf } from "../lib/rolls.js";
import { alsoAt } from "../lib/seats.js";
import { dialog, showRefusal, startPage } from "../lib/shell.js";

/** @typedef {import("../lib/types").TableCard} TableCard */
/** @typedef {import("../lib/types").FloorCard} FloorCard */

const AGAIN_MS = 4000;
const RESULTS = 6;

await startPage({ title: "nav.tables", nav: "home" });
const who = await me().catch(() => null);
/** Titles of rule books by their id. @type {Map<string, string>} */
const titles = new Map(
  (await getOnce("/api/books").catch(() => [])).map((/** @type {import("../lib/types").BookCard} */ book) => [
    book.id,
    book.title,
  ]),
);
const list = h("ul", { class: "tables" });
const title = h("h1", null, "");
put(
  $("#main"),
  h(
    "div",
    { class: "wrap" },
    h("div", { class: "hero" }, h("div", null, title, h("p", { class: "muted" }, t("home.words"))), diceRow([1, 3, 6])),
    list,
    h(
      "section",
      { class: "panel" },
      h("h2", null, t("home.crew")),
      h("p", { class: "muted" }, t("home.crew-words")),
      h(
        "div",
        { class: "row" },
        h("a", { class: "button", href: "/sign-in" }, t("nav.sign-in")),
        h("a", { class: "button", href: "/pit" }, t("home.pit")),
        h("a", { class: "button", href: "/train" }, t("nav.train")),
        h("a", { class: "button", href: "/docs" }, t("nav.docs")),
      ),
    ),
  ),
);

/** The seats of this browser. @type {import("../lib/types").SeatCard[]} */
let mine = [];
/** Whether a seat was asked for: two taps must seat one guest. */
let sitting = false;
// A page from the browser's back/forward cache does not know who is seated where.
addEventListener("pageshow", (event) => event.persisted && location.reload());

/**
 * Sit down at a table and play. Where guests have an address of their own they choose a nickname at the table.
 * @param {string} table
 * @param {FloorCard} floor
 */
async function sit(table, floor) {
  const play = `/play?table=${part(table)}`;
  if (mine.some((each) => each.table === table)) {
    location.href = play;
    return;
  }
  if (who && !who.player) {
    const sure = await dialog(t("home.leave-post"), (close) => [
      h("p", null, t("home.leave-post-words", { who: who?.who ?? "" })),
      h(
        "p",
        { class: "row" },
        h("button", { class: "main", onclick: () => close(true) }, t("home.sit")),
        h("button", { onclick: () => close(null) }, t("cancel")),
      ),
    ]);
    if (!sure) return;
  }
  if (!(await alsoAt(table))) return;
  if (!floor.demo || floor.join) {
    location.href = play;
    return;
  }
  if (sitting) return;
  sitting = true;
  try {
    await sitDown({ guest_at: table });
    location.href = play; // `sitting` stays set until the page is gone
  } catch (refusal) {
    sitting = false;
    showRefusal(refusal);
  }
}

/** @param {TableCard} card */
function lastResults(card) {
  const shown = card.results
    .filter((each) => each.dice)
    .slice(-RESULTS)
    .reverse();
  if (!shown.length) return h("p", { class: "muted" }, t("home.no-results"));
  return h(
    "div",
    { class: "last", role: "group", "aria-label": t("home.last") },
    ...shown.map((each) => {
      const dice = each.dice ?? [1, 1, 1];
      return h("span", { class: "roll" }, diceRow(dice), totalOf(dice));
    }),
  );
}

/**
 * @param {TableCard} card
 * @param {FloorCard} floor
 */
function tableCard(card, floor) {
  const open = card.phase === "open";
  const state = card.disabled
    ? t("home.disabled")
    : card.suspended
      ? t("stage.suspended")
      : t(`phase.${open ? card.round_phase : card.phase}`);
  const limits =
    card.limits && card.currency
      ? t("home.limits", {
          min: money(card.limits.default.min, card.currency),
          max: money(card.limits.default.max, card.currency),
        })
      : "";
  const at = part(card.table);
  const seat = mine.find((each) => each.table === card.table);
  const purse = seat && money(seat.funds + seat.on_felt, seat.currency);
  return h(
    "li",
    { class: "table-card", "data-table": card.table },
    h(
      "div",
      { class: "cloth" },
      h("h2", null, card.table, h("span", { class: "tag" }, state)),
      h(
        "p",
        null,
        card.book ? h("span", { lang: "en", title: card.book }, titles.get(card.book) ?? card.book) : t("phase.new"),
        card.book ? ` · ${t("home.layout", { layout: card.layout ?? "" })}` : "",
      ),
      h("p", null, limits),
    ),
    h(
      "div",
      { class: "inside" },
      lastResults(card),
      h("p", { class: "muted" }, `${t(`mode.${card.mode}`)} · ${tn("home.players", card.players)}`),
      h(
        "div",
        { class: "row" },
        h(
          "button",
          {
            class: "main",
            disabled: !open,
            onclick: () => void sit(card.table, floor),
            "aria-label": purse
              ? t("seats.to", { table: card.table, amount: purse })
              : t("home.sit-at", { table: card.table }),
          },
          purse ? [t("home.play"), " ", h("span", { class: "number" }, purse)] : t("home.sit"),
        ),
        h(
          "a",
          {
            class: "button",
            href: `/play?table=${at}&watch=1`,
            "aria-label": t("home.watch-at", { table: card.table }),
          },
          t("home.watch"),
        ),
        h(
          "a",
          { class: "button", href: `/board?table=${at}`, "aria-label": t("home.board-at", { table: card.table }) },
          t("home.board"),
        ),
        who &&
          !who.player &&
          h(
            "a",
            { class: "button", href: `/deal?table=${at}`, "aria-label": t("home.deal-at", { table: card.table }) },
            t("home.deal"),
          ),
      ),
    ),
  );
}

let before = "";

async function draw() {
  /** @type {FloorCard} */
  let floor;
  try {
    [floor, mine] = await Promise.all([get("/api/floor"), seats()]);
  } catch {
    return;
  }
  const now = JSON.stringify([floor.tables, floor.demo, mine]);
  if (now === before || list.contains(document.activeElement)) return;
  before = now;
  title.textContent = floor.house;
  const tables = [...floor.tables].sort((one, two) => Number(two.phase === "open") - Number(one.phase === "open"));
  put(list, ...tables.map((card) => tableCard(card, floor)));
}

await draw();
setInterval(() => document.hidden || void draw(), AGAIN_MS);
