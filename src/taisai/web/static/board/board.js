// The board above the table, in two languages: last results, roads, frequencies, limits, countdown, the current call.
// Enters: /board?table=T, with &view=near for one that is read from two metres and shows everything; without, what is
// shown is read from five (tests/browser/test_board.py computes both). &second=CODE chooses the second language.
// Leaves: completed rounds only (R11), and that the table prevails (`rws-tai-sai-v6` §5.11).

import { get, getOnce, part } from "../lib/api.js";
import { boxesNamed, boxName, kindName, layoutOf, limitText, raisedWords, signOf } from "../lib/boxes.js";
import { diceRow, faceName, Tumbler } from "../lib/dice.js";
import { $, h, put, query, say } from "../lib/dom.js";
import { language, LANGUAGES, t, textsIn, voidWhy } from "../lib/i18n.js";
import { money, number, percent, setCurrency } from "../lib/money.js";
import { rackOf } from "../lib/rack.js";
import { called, totalOf } from "../lib/rolls.js";
import { countdown, isTumbling } from "../lib/round.js";
import { clauseLinks, startPage, watchConnection } from "../lib/shell.js";
import { Table } from "../lib/table.js";
import { bead, drawRoad } from "./road.js";
import { faceCounts, shares, sidesOf, totalCounts } from "./roads.js";

/** @typedef {import("../lib/types").PublicView} View */

const TICK_MS = 200;
const COLUMNS = 40;
/** How long a part of the sign stands, where all of it at once would be too small for five metres. */
const TURN_MS = 6000;
/** How high a part of the sign is, in em. */
const SIGN_EM = 8.6;

const name = query("table");
const near = query("view") === "near";
const shownResults = near ? 10 : 8;
await startPage({ title: "board.title", quiet: true });
const wished = query("second") || (language() === "en" ? "zh-Hans" : "en");
const second = wished in LANGUAGES && wished !== language() ? wished : "";
const other = second ? await textsIn(second) : null;

/**
 * A text in both languages.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
function both(key, values) {
  return [h("span", null, t(key, values)), other && h("span", { class: "two", lang: second }, other(key, values))];
}

const table = new Table(name);
const ui = {
  book: h("span", { class: "muted", lang: "en" }),
  call: h("p", { class: "b-call", role: "status" }),
  also: h("p", { class: "b-call two", lang: second || null }),
  seconds: h("span", { class: "b-seconds number", role: "timer", "aria-label": t("play.seconds") }),
  dice: h("div", null),
  total: h("p", { class: "b-total number" }),
  last: h("ol", { class: "b-last" }),
  size: h("div", { class: "road" }),
  parity: h("div", { class: "road" }),
  totals: h("div", { class: "bars" }),
  faces: h("div", { class: "bars faces" }),
  shares: h("ul", { class: "shares" }),
  limits: h("ul", { class: "b-limits" }),
  join: h("section", { class: "b-box b-join", hidden: true }),
  rack: h("div", { class: "b-rack" }),
  note: h("p", { class: "b-note" }),
};
document.body.dataset.view = near ? "near" : "far";
put(
  $("#main"),
  h(
    "div",
    { class: "board" },
    h(
      "header",
      { class: "b-top" },
      h("h1", null, name),
      ui.book,
      h("div", { class: "b-say" }, h("div", { class: "b-calls" }, ui.call, ui.also), ui.seconds),
    ),
    h("section", { class: "b-now", "aria-label": t("play.round") }, ui.dice, ui.total),
    h("section", { class: "b-box b-results" }, h("h2", null, both("board.last")), ui.last),
    h(
      "section",
      { class: "b-box b-roads" },
      h("h2", null, both("board.size-road")),
      ui.size,
      near && h("h2", { class: "b-parity" }, both("board.parity-road")),
      near && ui.parity,
      !near && ui.shares,
    ),
    near &&
      h(
        "section",
        { class: "b-box b-counts" },
        h("h2", null, both("board.totals")),
        ui.totals,
        h("h2", null, both("board.faces")),
        ui.faces,
        ui.shares,
      ),
    h("section", { class: "b-box b-sign" }, h("h2", null, both("play.limits")), ui.limits, ui.rack),
    ui.join,
    ui.note,
  ),
);
const tumbler = new Tumbler(ui.dice);

/**
 * Draw bars with their numbers.
 * @param {Element} host
 * @param {[Node | string, number][]} counts
 */
function drawBars(host, counts) {
  const most = Math.max(1, ...counts.map(([, count]) => count));
  put(
    host,
    ...counts.map(([label, count]) =>
      h(
        "div",
        { class: "bar-one" },
        h("span", { class: "bar-count number" }, count || ""),
        h("span", { class: "bar", style: { height: `${(count / most) * 100}%` } }),
        h("span", { class: "bar-label" }, label),
      ),
    ),
  );
}

let shown = "";

/** @param {View} view */
function drawResults(view) {
  const results = view.results;
  const standing = results.filter((each) => !each.void);
  const now = JSON.stringify(view.results.map((each) => [each.number, each.reversed]));
  if (now === shown) return;
  shown = now;
  put(
    ui.last,
    ...results
      .slice(-shownResults)
      .reverse()
      .map((each) => {
        if (!each.dice || each.void)
          return h(
            "li",
            { class: "is-void" },
            h("span", { class: "b-number" }, `#${each.number}`),
            h("b", null, `${t("result.void-short")} ${each.clauses.map((clause) => `§${clause}`).at(-1) ?? ""}`),
          );
        const { total, size, parity } = sidesOf(each.dice);
        return h(
          "li",
          null,
          h("span", { class: "b-number" }, `#${each.number}`),
          diceRow(each.dice),
          h("b", { class: "number" }, total),
          bead(size),
          size === "triple" ? null : bead(parity),
        );
      }),
  );
  const rolls = standing.flatMap((each) => (each.dice ? [each.dice] : []));
  const sides = rolls.map(sidesOf);
  drawRoad(
    ui.size,
    sides.map((each) => each.size),
    { columns: COLUMNS },
  );
  drawRoad(
    ui.parity,
    sides.map((each) => each.parity),
    { columns: COLUMNS },
  );
  drawBars(
    ui.totals,
    totalCounts(rolls).map(([total, count]) => [String(total), count]),
  );
  drawBars(
    ui.faces,
    faceCounts(rolls).map(([face, count]) => [diceRow([face]), count]),
  );
  put(
    ui.shares,
    ...shares(rolls).map(([side, share]) =>
      h(
        "li",
        null,
        bead(side),
        near && t(`board.${side}`),
        h("b", { class: "number" }, share === null ? "–" : percent(share, 0)),
      ),
    ),
    h("li", { class: "muted" }, t("board.of", { n: number(rolls.length) })),
  );
}

/** @param {import("../lib/types").BoxLimit} limit */
function amounts(limit) {
  return limit.per === "player" ? limitText(limit) : `${money(limit.min)} – ${money(limit.max)}`;
}

/**
 * What the book calls the kinds of bets in the second language.
 * @param {string} book
 * @param {string} layout
 * @returns {Promise<Record<string, string>>}
 */
async function otherKinds(book, layout) {
  if (!second) return {};
  const asked = getOnce(`/api/books/${part(book)}/layouts/${part(layout)}?lang=${second}`);
  return asked.then((sheet) => sheet.words.kinds).catch(() => ({}));
}

/**
 * The sign for five metres: what has limits of its own, then everything else.
 * @param {NonNullable<View["set_up"]>} setUp
 * @param {Record<string, string>} said kinds of bets in the second language
 */
function farSign({ limits }, said) {
  const own = Object.entries(limits.kinds).map(([name, limit]) => {
    const words = /[:/]/.test(name)
      ? h("span", null, boxesNamed(name).map(boxName).join(t("list.comma")))
      : [h("span", null, kindName(name)), said[name] && h("span", { class: "two", lang: second }, said[name])];
    return h("li", null, h("span", null, words), h("b", null, amounts(limit)));
  });
  return [
    ...own,
    h(
      "li",
      null,
      own.length ? h("span", null, both("play.limit-default")) : null,
      h("b", null, amounts(limits.default)),
    ),
  ];
}

let turned = 0;

/** Show the next part of a sign that is longer than its place; a screen for hands shows all of it. */
function turn() {
  const all = /** @type {HTMLElement[]} */ ([...ui.limits.children]);
  for (const each of all) each.hidden = false;
  if (near || innerWidth <= 1100) return;
  const most = SIGN_EM * parseFloat(getComputedStyle(ui.limits).fontSize);
  /** @type {HTMLElement[][]} */
  const parts = [];
  let left = 0;
  for (const each of all) {
    left -= each.offsetHeight;
    if (left < 0) {
      parts.push([]);
      left = most - each.offsetHeight;
    }
    parts[parts.length - 1].push(each);
  }
  const now = parts[turned % Math.max(1, parts.length)] ?? [];
  for (const each of all) each.hidden = !now.includes(each);
}

/** @param {View} view */
async function drawSign(view) {
  const setUp = view.set_up;
  if (!setUp || ui.limits.dataset.now === JSON.stringify(setUp.limits)) return;
  ui.limits.dataset.now = JSON.stringify(setUp.limits);
  setCurrency(setUp.currency);
  const { book, layout } = setUp;
  const [words] = await Promise.all([otherKinds(book, layout), aboutBook(book, layout)]);
  if (ui.limits.dataset.now !== JSON.stringify(setUp.limits)) return;
  const lines = near
    ? signOf(setUp, Object.keys(view.room ?? {})).map(({ words, limit }) =>
        h("li", null, h("span", null, words), h("b", null, limitText(limit))),
      )
    : farSign(setUp, words);
  const differentials = Object.entries(setUp.limits.differential).map(([pair, most]) => {
    const words = [h("span", null, t("play.differential", { pair: t(`pair.${pair}`) }))];
    if (other) {
      const said = other("play.differential", { pair: other(`pair.${pair}`) });
      words.push(h("span", { class: "two", lang: second }, said));
    }
    return h("li", { class: "differential" }, h("span", null, words), h("b", null, money(most)));
  });
  put(ui.limits, ...lines, ...differentials);
  turn();
}

/**
 * @param {string} id
 * @param {string} layout
 */
async function aboutBook(id, layout) {
  const [book] = await Promise.all([getOnce(`/api/books/${part(id)}`), layoutOf(id, layout)]).catch(() => [null]);
  if (!book) return;
  say(ui.book, `${book.title} · ${layout}`);
  const asked = new URLSearchParams(location.search);
  if (near) asked.delete("view");
  else asked.set("view", "near");
  put(
    ui.note,
    t("board.prevails"),
    " ",
    other && h("span", { lang: second }, other("board.prevails")),
    " ",
    clauseLinks(id, book.rules["display-is-information"] ?? []),
    " ",
    h("a", { href: `/board?${asked}` }, t(near ? "board.far" : "board.near")),
    " · ",
    h("a", { href: `/rules?book=${part(id)}&layout=${part(layout)}` }, t("nav.rules")),
    " · ",
    h("a", { href: "/" }, t("nav.tables")),
  );
}

/** The colours in use and what they are worth. @param {View} view */
function drawRack(view) {
  const now = JSON.stringify([Object.values(view.seats).map(({ colour, value }) => [colour, value]), language()]);
  if (ui.rack.dataset.now === now) return;
  ui.rack.dataset.now = now;
  put(ui.rack, rackOf(view));
}

/** @param {View} view */
function drawNow(view) {
  const { round } = view;
  const last = view.results[view.results.length - 1];
  const dice = round.dice ?? (round.phase === "between-rounds" ? last?.dice : null);
  const tumbling = isTumbling(table, round);
  if (tumbling) tumbler.tumble();
  else if (dice) tumbler.show(dice);
  else tumbler.cover();
  say(ui.total, dice && !tumbling ? String(totalOf(dice)) : "");
  say(ui.call, words(view, t, language()));
  if (other) say(ui.also, words(view, other, second));
}

/**
 * The current call in a language.
 * @param {View} view
 * @param {typeof t} told
 * @param {string} code
 */
function words(view, told, code) {
  const { round } = view;
  const why = (/** @type {string} */ reason) =>
    told(`void.${reason}`) === `void.${reason}` ? voidWhy(reason) : told(`void.${reason}`);
  if (round.interrupted) return told("stage.interrupted");
  if (view.held.length) return told("stage.held", { why: why(view.held[0]) });
  if (view.suspended) return told("stage.suspended");
  if (view.phase !== "open") return told("stage.not-open");
  if (round.call && round.dice)
    if (round.call && round.dice)
      return code === "en"
        ? round.call
        : told("play.result", { dice: called(round.dice, faceName), total: totalOf(round.dice) });
  const last = view.results[view.results.length - 1];
  if (round.phase === "between-rounds" && last?.void && last.number === round.number)
    return told("result.void", { why: why(last.void) });
  const raised = told === t ? raisedWords(round) : "";
  return raised || (table.until ? told(`stage.${table.until.what}`) : told(`phase.${round.phase}`));
}

table.on("change", () => {
  const view = table.view;
  if (!view) return;
  drawNow(view);
  drawResults(view);
  void drawSign(view);
  drawRack(view);
});
setInterval(() => {
  const { until, view } = table;
  const now = view && table.state === "live" ? countdown(until, view.round, table.now()) : null;
  say(ui.seconds, String(now?.seconds ?? ""));
}, TICK_MS);
setInterval(() => {
  turned += 1;
  turn();
}, TURN_MS);
/** Where guests sit down with their phones, on a floor that has an address for them. */
async function showJoin() {
  const floor = await get("/api/floor").catch(() => null);
  if (!floor?.join) return;
  ui.join.hidden = false;
  ui.join.parentElement?.classList.add("with-join");
  put(
    ui.join,
    h("img", { src: `/api/tables/${part(name)}/join.svg`, alt: t("board.join-code") }),
    h("h2", null, both("board.join")),
    h("p", { class: "b-address" }, floor.join),
  );
}

watchConnection(table);
table.connect();
void showJoin();
