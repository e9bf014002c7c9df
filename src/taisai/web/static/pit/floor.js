// The floor as supervisors see it: alerts that stay until they are cleared, and the figures of every table.
// Enters: /api/pit, /api/alerts; a socket per table says when to fetch them again. Leaves: cleared alerts.

import { formDialog } from "../deal/dialogs.js";
import { stopped } from "../deal/lock.js";
import { get, part, post, Refusal } from "../lib/api.js";
import { diceRow } from "../lib/dice.js";
import { h, labelled, put } from "../lib/dom.js";
import { t, tn } from "../lib/i18n.js";
import { dateTime, money, namedMoney, number, percent, time } from "../lib/money.js";
import { totalOf } from "../lib/rolls.js";
import { roundLink, showRefusal } from "../lib/shell.js";
import { sound } from "../lib/sound.js";
import { Table } from "../lib/table.js";
import { byNeed, GRAVE, needOf, nightOf } from "./need.js";
import { provenLine } from "./proven.js";

/** @typedef {import("../lib/types").PitCard} PitCard */
/** @typedef {import("../lib/types").Alert} Alert */

const AGAIN_MS = 3000;
const SOON_MS = 400;
/** Hours after which a set of dice should be changed. */
const DICE_HOURS = 24;

/**
 * What came back to players over the table's life, and where that lies with fair dice.
 * @param {PitCard} card
 */
function returned(card) {
  const known = card.returned;
  if (!known) return "–";
  const words = `${percent(known.actual)} (${percent(known.lowest)} – ${percent(known.highest)})`;
  return known.outside ? `${words} · ${t("pit.outside")}` : words;
}

/**
 * What a table is doing, as a tag.
 * @param {PitCard} card
 */
function stateTag(card) {
  if (card.broken) return h("span", { class: "tag bad" }, t("pit.alert.broken"));
  if (card.disabled) return h("span", { class: "tag warn" }, t("home.disabled"));
  if (card.interrupted) return h("span", { class: "tag bad" }, t("stage.interrupted"));
  if (card.suspended) return h("span", { class: "tag bad" }, t("stage.suspended"));
  return h(
    "span",
    { class: card.phase === "open" ? "tag good" : "tag" },
    t(`phase.${card.phase === "open" ? card.round_phase : card.phase}`),
  );
}

/**
 * @param {string} label
 * @param {any} value
 * @param {string} [kind]
 */
const fact = (label, value, kind = "") =>
  h("div", { class: kind }, h("dt", null, label), h("dd", { class: "number" }, value));

/**
 * The night in one line: sums for each currency, tables open, alerts by how grave they are.
 * @param {PitCard[]} cards
 * @param {number} grave
 * @param {number} alerts
 */
function stripOf(cards, grave, alerts) {
  const open = cards.filter((each) => each.phase === "open").length;
  const sums = nightOf(cards).flatMap(({ currency, win, drop, hold, exposure }) => [
    fact(t("pit.night-win"), namedMoney(win, currency), win < 0 ? "down" : ""),
    fact(t("deal.drop"), namedMoney(drop, currency)),
    fact(t("pit.hold"), hold === null ? "–" : percent(hold)),
    fact(t("pit.exposure"), namedMoney(exposure, currency)),
  ]);
  return [
    ...sums,
    fact(t("pit.tables-open"), t("pit.n-of-m", { n: open, m: cards.length })),
    fact(t("pit.grave"), number(grave), grave ? "grave" : ""),
    fact(t("pit.other-alerts"), number(Math.max(0, alerts - grave)), alerts > grave ? "warn" : ""),
  ];
}

/** @param {PitCard} card */
function tableCard(card) {
  const cash = (/** @type {number} */ amount) => namedMoney(amount, card.currency ?? "");
  const overdue = card.dice_hours !== null && card.dice_hours >= DICE_HOURS;
  const last = card.results
    .filter((each) => each.dice)
    .slice(-4)
    .reverse();
  return h(
    "li",
    { class: `pit-card needs-${needOf(card)}`, "data-table": card.table },
    h(
      "div",
      { class: "sheet-top" },
      h("h2", null, h("a", { href: `#table/${part(card.table)}` }, card.table)),
      stateTag(card),
    ),
    h(
      "p",
      { class: "muted" },
      card.book
        ? `${card.book} · ${t("home.layout", { layout: card.layout ?? "" })} · ${t(`mode.${card.mode}`)}`
        : t("phase.new"),
    ),
    card.limits &&
      h("p", null, t("home.limits", { min: cash(card.limits.default.min), max: cash(card.limits.default.max) })),
    card.currency &&
      h(
        "dl",
        { class: "figures" },
        fact(t("pit.players"), number(card.players)),
        fact(t("pit.turnover"), cash(card.staked)),
        fact(
          t("pit.rounds"),
          `${number(card.rounds)}${card.voided ? ` (${t("pit.voided", { n: card.voided })})` : ""}`,
        ),
        fact(t("pit.per-hour"), card.rounds_per_hour === null ? "–" : number(card.rounds_per_hour)),
        fact(t("pit.exposure"), card.exposure ? cash(card.exposure.loss) : "–"),
        fact(t("pit.win"), cash(card.win), card.win < 0 ? "down" : ""),
        fact(t("pit.hold"), card.hold === null ? "–" : percent(card.hold)),
        fact(t("pit.sum.actual"), returned(card), card.returned?.outside ? "down" : ""),
        fact(t("deal.float"), cash(card.float)),
        fact(
          t("pit.dice-age"),
          card.dice_hours === null ? "–" : t("pit.hours", { n: number(card.dice_hours) }),
          overdue ? "down" : "",
        ),
      ),
    last.length > 0 &&
      h(
        "div",
        { class: "last" },
        ...last.map((each) => h("span", { class: "roll" }, diceRow(each.dice ?? [1, 1, 1]), totalOf(each.dice ?? []))),
      ),
    h(
      "p",
      { class: "row tags" },
      card.disputes > 0 && h("span", { class: "tag warn" }, tn("pit.disputes", card.disputes)),
      card.flags.length > 0 && h("span", { class: "tag warn" }, tn("pit.flags", card.flags.length)),
      overdue && h("span", { class: "tag warn" }, t("pit.alert.dice-overdue")),
    ),
    h(
      "p",
      { class: "row" },
      h("a", { class: "button", href: `#table/${part(card.table)}` }, t("pit.manage")),
      h("a", { class: "button", href: `/deal?table=${part(card.table)}` }, t("home.deal")),
      h("a", { class: "button", href: `#journal/${part(card.table)}` }, t("pit.part.journal")),
    ),
  );
}

/** Currencies of the tables, by name. @type {Map<string, string>} */
const currencies = new Map();

/** What an alert is about: the server's words, and the amount of a win. @param {Alert} alert */
function about(alert) {
  if (alert.kind === "count-differs")
    return t(alert.amount < 0 ? "pit.short-by" : "pit.over-by", {
      amount: money(Math.abs(alert.amount), currencies.get(alert.table) ?? ""),
    });
  return alert.amount ? `${alert.what}: ${money(alert.amount, currencies.get(alert.table) ?? "")}` : alert.what;
}

/**
 * @param {Alert} alert
 * @param {() => void} again
 */
function alertRow(alert, again) {
  const cleared = alert.cleared_at !== null;
  return h(
    "li",
    {
      class: `alert ${cleared ? "cleared" : GRAVE.has(alert.kind) ? "grave" : ""}`,
      "data-alert": alert.id,
      "data-kind": alert.kind,
    },
    h("span", { class: "alert-mark", "aria-hidden": "true" }, cleared ? "✓" : "!"),
    h(
      "div",
      { class: "grow" },
      h(
        "p",
        null,
        h("strong", null, t(`pit.alert.${alert.kind}`)),
        " · ",
        alert.table ? h("a", { href: `#table/${part(alert.table)}` }, alert.table) : t("pit.whole-house"),
        alert.round > 0 && " · ",
        alert.round > 0 && roundLink(alert.table, alert.round, t("history.round", { n: alert.round })),
        alert.times > 1 && ` · ${t("pit.times", { n: alert.times })}`,
        " · ",
        time(alert.at),
      ),
      h("p", { class: "muted", lang: "en" }, about(alert)),
      cleared &&
        h(
          "p",
          { class: "by" },
          t("pit.cleared-by", { who: alert.cleared_by, time: dateTime(alert.cleared_at ?? 0) }),
          alert.note && ` “${alert.note}”`,
        ),
    ),
    !cleared &&
      h(
        "button",
        {
          onclick: () => void clear(alert, again),
          "aria-label": t("pit.clear-what", {
            what: t(`pit.alert.${alert.kind}`),
            table: alert.table || t("pit.whole-house"),
          }),
        },
        t("pit.clear"),
      ),
  );
}

/**
 * @param {Alert} alert
 * @param {() => void} again
 */
async function clear(alert, again) {
  const note = h("input", { name: "note", autocomplete: "off", maxlength: 500 });
  await formDialog(
    t("pit.clear"),
    [
      h("p", null, h("strong", null, t(`pit.alert.${alert.kind}`)), ` · ${alert.table || t("pit.whole-house")}`),
      h("p", { class: "muted", lang: "en" }, about(alert)),
      labelled(t("pit.clear-note"), note),
    ],
    t("pit.clear"),
    () => post(`/api/alerts/${part(alert.id)}`, { note: note.value.trim() }),
  );
  again();
}

/** @type {import("./pit.js").Open} */
export async function open(host) {
  const waiting = h("ul", { class: "alerts" });
  const seen = h("ul", { class: "alerts" });
  const older = h("details", null, h("summary", null, t("pit.cleared")), seen);
  const title = h("h2", null);
  const cards = h("ul", { class: "pit-cards" });
  const strip = h("dl", { class: "strip", "aria-label": t("pit.night") });
  const proven = provenLine();
  void proven.look();
  put(
    host,
    strip,
    h("section", { class: "panel alert-panel", "aria-live": "polite" }, title, waiting, older),
    h(
      "div",
      { class: "row part-top" },
      h("h2", { class: "grow" }, t("pit.tables")),
      h("a", { class: "button main", href: "#setup" }, t("pit.put-up")),
    ),
    cards,
    proven.line,
  );
  let before = "";
  let alertsBefore = "";
  let count = -1;
  let graveOnes = 0;
  let gone = false;
  let asked = 0;
  /** The request whose answer is on screen: an older answer that arrives later is not shown. */
  let shown = 0;
  /** @type {number | undefined} */
  let soon;
  /** @type {Map<string, Table>} */
  const sockets = new Map();

  async function again() {
    clearTimeout(soon);
    soon = undefined;
    if (gone || document.hidden) return;
    const mine = (asked += 1);
    try {
      /** @type {[PitCard[], Alert[]]} */
      const [tables, alerts] = await Promise.all([get("/api/pit"), get("/api/alerts?cleared=true")]);
      if (gone || mine < shown) return;
      shown = mine;
      for (const card of tables) if (card.currency) currencies.set(card.table, card.currency);
      drawAlerts(alerts);
      drawCards(tables);
      for (const card of tables) watch(card.table);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!gone && error.code !== "offline" && !stopped(error)) showRefusal(error);
    }
  }

  /** @param {string} name */
  function watch(name) {
    if (sockets.has(name) || gone) return;
    const table = new Table(name);
    sockets.set(name, table);
    table.on("change", ({ told }) => {
      if (told.length && soon === undefined) soon = setTimeout(() => void again(), SOON_MS);
    });
    table.connect();
  }

  /** @param {Alert[]} alerts */
  function drawAlerts(alerts) {
    const now = JSON.stringify(alerts);
    if (now === alertsBefore) return;
    alertsBefore = now;
    const open = alerts.filter((each) => each.cleared_at === null);
    if (count >= 0 && open.length > count) sound("no");
    count = open.length;
    graveOnes = open.filter((each) => GRAVE.has(each.kind)).length;
    before = ""; // the strip counts them
    title.textContent = open.length ? tn("pit.alerts", open.length) : t("pit.no-alerts");
    put(waiting, ...open.map((each) => alertRow(each, () => void again())));
    const done = alerts.filter((each) => each.cleared_at !== null);
    put(seen, ...done.map((each) => alertRow(each, () => void again())));
    older.hidden = !done.length;
  }

  /** @param {PitCard[]} tables */
  function drawCards(tables) {
    const now = JSON.stringify(tables);
    if (now === before) return;
    before = now;
    const focused = /** @type {HTMLAnchorElement | null} */ (
      cards.contains(document.activeElement) ? document.activeElement : null
    )?.getAttribute("href");
    put(cards, ...byNeed(tables).map(tableCard));
    put(strip, ...stripOf(tables, graveOnes, count));
    if (focused)
      /** @type {HTMLElement | null} */ (
        [...cards.querySelectorAll("a")].find((each) => each.getAttribute("href") === focused)
      )?.focus();
  }

  await again();
  const timer = setInterval(() => void again(), AGAIN_MS);
  return () => {
    gone = true;
    proven.leave();
    clearInterval(timer);
    clearTimeout(soon);
    for (const each of sockets.values()) each.close();
  };
}
