// The board above the table: last results, roads, frequencies, limits, countdown, the current call.
// Enters: /board?table=T; the public view. Leaves: a display to be read from five metres, of completed rounds only
// (R11), which says that the table prevails (`rws-tai-sai-v6` §5.11).

import { get, getOnce, part } from "../lib/api.js";
import { layoutOf, limitText, raisedWords, signOf } from "../lib/boxes.js";
import { diceRow, faceName, Tumbler } from "../lib/dice.js";
import { $, h, put, query, say } from "../lib/dom.js";
import { language, t, voidWhy } from "../lib/i18n.js";
import { money, number, percent, setCurrency } from "../lib/money.js";
import { rackOf } from "../lib/rack.js";
import { called, totalOf } from "../lib/rolls.js";
import { countdown, isTumbling } from "../lib/round.js";
import { clauseLinks, startPage, watchConnection } from "../lib/shell.js";
import { Table } from "../lib/table.js";
import { drawRoad } from "./road.js";
import { faceCounts, shares, sidesOf, totalCounts } from "./roads.js";

/** @typedef {import("../lib/types").PublicView} View */

const TICK_MS = 200;
const COLUMNS = 40;
const SHOWN = 10;

const name = query("table");
await startPage({ title: "board.title", quiet: true });
const table = new Table(name);
const ui = {
  book: h("span", { class: "muted", lang: "en" }),
  call: h("p", { class: "b-call", role: "status" }),
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
put(
  $("#main"),
  h(
    "div",
    { class: "board" },
    h("header", { class: "b-top" }, h("h1", null, name), ui.book, h("div", { class: "b-say" }, ui.call, ui.seconds)),
    h("section", { class: "b-now", "aria-label": t("play.round") }, ui.dice, ui.total),
    h("section", { class: "b-box b-results" }, h("h2", null, t("board.last")), ui.last),
    h(
      "section",
      { class: "b-box b-roads" },
      h("h2", null, t("board.size-road")),
      ui.size,
      h("h2", { class: "b-parity" }, t("board.parity-road")),
      ui.parity,
    ),
    h(
      "section",
      { class: "b-box b-counts" },
      h("h2", null, t("board.totals")),
      ui.totals,
      h("h2", null, t("board.faces")),
      ui.faces,
      ui.shares,
    ),
    h("section", { class: "b-box b-sign" }, h("h2", null, t("play.limits")), ui.limits, ui.rack),
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
      .slice(-SHOWN)
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
          h("span", { class: `bead ${size}` }, t(`board.${size}-short`)),
          size === "triple" ? null : h("span", { class: `bead ${parity}` }, t(`board.${parity}-short`)),
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
        h("span", { class: `bead ${side}` }, t(`board.${side}-short`)),
        t(`board.${side}`),
        h("b", { class: "number" }, share === null ? "–" : percent(share, 0)),
      ),
    ),
    h("li", { class: "muted" }, t("board.of", { n: number(rolls.length) })),
  );
}

/** @param {View} view */
async function drawSign(view) {
  const setUp = view.set_up;
  if (!setUp || ui.limits.dataset.now === JSON.stringify(setUp.limits)) return;
  ui.limits.dataset.now = JSON.stringify(setUp.limits);
  setCurrency(setUp.currency);
  await aboutBook(setUp.book, setUp.layout);
  if (ui.limits.dataset.now !== JSON.stringify(setUp.limits)) return;
  put(
    ui.limits,
    ...signOf(setUp, Object.keys(view.room ?? {})).map(({ words, limit }) =>
      h("li", null, h("span", null, words), h("b", null, limitText(limit))),
    ),
    ...Object.entries(setUp.limits.differential).map(([pair, most]) =>
      h(
        "li",
        { class: "differential" },
        h("span", null, t("play.differential", { pair: t(`pair.${pair}`) })),
        h("b", null, money(most)),
      ),
    ),
  );
}

/**
 * @param {string} id
 * @param {string} layout
 */
async function aboutBook(id, layout) {
  const [book] = await Promise.all([getOnce(`/api/books/${part(id)}`), layoutOf(id, layout)]).catch(() => [null]);
  if (!book) return;
  say(ui.book, `${book.title} · ${layout}`);
  put(
    ui.note,
    t("board.prevails"),
    " ",
    clauseLinks(id, book.rules["display-is-information"] ?? []),
    " ",
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
  say(ui.call, words(view));
}

/** The current call. @param {View} view */
function words(view) {
  const { round } = view;
  if (round.interrupted) return t("stage.interrupted");
  if (view.held.length) return t("stage.held", { why: voidWhy(view.held[0]) });
  if (view.suspended) return t("stage.suspended");
  if (view.phase !== "open") return t("stage.not-open");
  if (round.call && round.dice)
    return language() === "en"
      ? round.call
      : t("play.result", { dice: called(round.dice, faceName), total: totalOf(round.dice) });
  const last = view.results[view.results.length - 1];
  if (round.phase === "between-rounds" && last?.void && last.number === round.number)
    return t("result.void", { why: voidWhy(last.void) });
  return raisedWords(round) || (table.until ? t(`stage.${table.until.what}`) : t(`phase.${round.phase}`));
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
/** Where guests sit down with their phones, on a floor that has an address for them. */
async function showJoin() {
  const floor = await get("/api/floor").catch(() => null);
  if (!floor?.join) return;
  ui.join.hidden = false;
  ui.join.parentElement?.classList.add("with-join");
  put(
    ui.join,
    h("img", { src: `/api/tables/${part(name)}/join.svg`, alt: t("board.join-code") }),
    h("h2", null, t("board.join")),
    h("p", { class: "b-address" }, floor.join),
  );
}

watchConnection(table);
table.connect();
void showJoin();
