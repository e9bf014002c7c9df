// The player's screen: pick a chip, touch a box, follow the round, see the result.
// Enters: /play?table=T; the table's view and the player's seat over the play socket. Leaves: commands, through Bets.
// Limits, headroom, odds, dice and payouts are the server's: this screen shows and asks.

import { Cloth } from "../felt/cloth.js";
import { sectionButtons } from "../felt/sections.js";
import { get, me, part, seats } from "../lib/api.js";
import { boxName, layoutOf, limitText, signOf } from "../lib/boxes.js";
import { diceRow } from "../lib/dice.js";
import { $, h, put, query, say } from "../lib/dom.js";
import { language, t, voidWhy } from "../lib/i18n.js";
import { money, setCurrency, signed } from "../lib/money.js";
import { keep, pref } from "../lib/prefs.js";
import { rackOf } from "../lib/rack.js";
import { totalOf } from "../lib/rolls.js";
import { clauseLinks, redraw, showRefusal, startPage, toast, watchConnection } from "../lib/shell.js";
import { sound } from "../lib/sound.js";
import { Table } from "../lib/table.js";
import { Bets, othersOn, paidBack } from "./bets.js";
import { boxWords, BoxLine, headroomOf, showBetRefusal } from "./box.js";
import { countTo, show } from "./count.js";
import { fairPanel } from "./fair.js";
import { Guide } from "./guide.js";
import { Rail } from "./rail.js";
import { afterVoid, figures, headline, lines, ownRounds } from "./result.js";
import { buildScreen } from "./screen.js";
import { Stage } from "./stage.js";

/** @typedef {import("../lib/types").PublicView} View */

const TICK_MS = 100;
/** The least size of a box on screen, so that a finger hits it. */
const TOUCH_PX = 44;
/** The margin of a felt that is shown section by section. */
const SPLIT_PX = 6;
/** How long to wait before something that could not be fetched is asked for again. */
const AGAIN_MS = 3000;
const RECENT = 8;
const SEATS_MS = 5000;

const name = query("table");
await startPage({
  title: "play.title",
  bar: () => [
    h("strong", { class: "bar-table" }, name),
    h("a", { class: "button quiet", href: `/board?table=${part(name)}` }, t("home.board")),
  ],
});

const ui = buildScreen(name);
const table = new Table(name);
const guide = new Guide(ui.guide);
const bets = new Bets(table, {
  refused: (refusal, box, amount) => {
    sound("no");
    showBetRefusal(seen, refusal, box, amount);
  },
  changed: () => drawBets(),
});
const cloth = new Cloth(
  ui.felt,
  { label: t("play.felt"), onPick: pick, onPoint: (box) => box && line.point(box) },
  { drawn: feltDrawn, failed: showRefusal },
);
const seen = { table, bets, cloth };
const line = new BoxLine(ui.info, seen);
const stage = new Stage(ui, table, () => draw());
const rail = new Rail(ui, table, bets, { chosen: () => guide.did("chip") });
/** The last round whose result was shown, and whether it was void; empty when there was none. */
let resultOf = "";
/** Whether the seat was known before: what it knew when the page was opened is no news. */
let seated = false;

// ---------------------------------------------------------------- the felt

function feltDrawn() {
  cloth.felt?.svg.addEventListener("keydown", (event) => {
    const box = /** @type {HTMLElement} */ (event.target).dataset.box;
    if (box && (event.key === "Delete" || event.key === "Backspace")) void bets.withdraw(box);
  });
  drawSections();
  draw();
  void fit();
}

/**
 * The felt is always whole. Where fingers touch it and it is too small for them, it is shown section by section, Big
 * and Small first.
 */
async function fit() {
  const { felt } = cloth;
  if (!felt) return;
  const fingers = matchMedia("(pointer: coarse)").matches;
  if (!fingers && !felt.svg.dataset.printed) {
    ui.sections.hidden = true;
    return drawBets();
  }
  const { asSections, asPrinted } = await import("../felt/portrait.js");
  if (felt !== cloth.felt) return;
  asPrinted(felt);
  const places = [...felt.boxes.keys()].map((box) => felt.place(box));
  const least = Math.min(...places.map((each) => Math.min(each.width, each.height)));
  ui.felt.classList.remove("split");
  const width = ui.felt.clientWidth;
  const small = (TOUCH_PX / least) * felt.svg.viewBox.baseVal.width > width;
  const split = fingers && small && !pref("whole-felt", false);
  if (split) asSections(felt, width - 2 * SPLIT_PX, TOUCH_PX);
  ui.felt.classList.toggle("split", split);
  ui.sections.hidden = !fingers || !small;
  drawBets();
}

function drawSections() {
  const whole = h(
    "button",
    {
      "aria-pressed": String(pref("whole-felt", false)),
      onclick: () => {
        keep("whole-felt", !pref("whole-felt", false));
        whole.setAttribute("aria-pressed", String(pref("whole-felt", false)));
        void fit();
      },
    },
    t("play.whole"),
  );
  put(ui.sections, ...(cloth.felt ? sectionButtons(cloth.felt) : []), whole);
}

/** A box was touched. @param {string} box */
function pick(box) {
  line.point(box);
  const setUp = table.view?.set_up;
  if (!setUp) return;
  if (!bets.player) return toast(t("play.sit-first"));
  sound("chip");
  void bets.place(box, rail.value(setUp), rail.colour(setUp)).then((ok) => {
    if (!ok) return;
    guide.did("bet");
    say(ui.heard, boxWords(seen, box));
  });
}

// ---------------------------------------------------------------- drawing

function draw() {
  const view = table.view;
  if (!view) return;
  if (view.set_up) {
    setCurrency(view.set_up.currency);
    ui.beside.dataset.layout = view.set_up.layout;
    void cloth.follow(view.set_up);
  }
  stage.draw(view, cloth.felt);
  drawLimits(view);
  drawRack(view);
  drawBets();
  drawRecent(view);
  void drawPast(view);
}

/** Roads and shares beside the felt; loaded once the table is there. @param {View} view */
async function drawPast(view) {
  const now = JSON.stringify(view.results.map((each) => [each.number, each.reversed]));
  if (ui.past.dataset.now === now || !ui.past.open) return;
  ui.past.dataset.now = now;
  const past = await import("./past.js");
  if (ui.past.dataset.now === now) past.drawPast(ui.pastDrawn, view.results);
}

/** The other seats of this browser, each with its purse. */
async function drawSeats() {
  const others = (await seats().catch(() => [])).filter((each) => each.table !== name);
  ui.seats.hidden = !others.length;
  if (!others.length) return;
  const { seatLink } = await import("../lib/seats.js");
  redraw(ui.seats, h("span", { class: "muted" }, t("seats.mine")), ...others.map(seatLink));
}

/** @param {View} view */
function drawLimits(view) {
  const setUp = view.set_up;
  if (!setUp || !cloth.layout) return;
  const now = JSON.stringify([setUp.limits, setUp.currency, language()]);
  if (ui.limits.dataset.now === now) return;
  ui.limits.dataset.now = now;
  put(
    ui.limits,
    ...signOf(setUp, cloth.layout.boxes).map(({ words, limit }) =>
      h("li", null, h("b", null, words), " ", limitText(limit)),
    ),
    ...Object.entries(setUp.limits.differential).map(([pair, most]) =>
      h(
        "li",
        { class: "differential" },
        h("b", null, t("play.differential", { pair: t(`pair.${pair}`) })),
        " ",
        money(most),
      ),
    ),
    h("li", null, h("a", { href: `/rules?book=${part(setUp.book)}&layout=${part(setUp.layout)}` }, t("nav.rules"))),
  );
}

/** The rack, and the player's own colour on the rail. @param {View} view */
function drawRack(view) {
  const now = JSON.stringify([Object.values(view.seats).map(({ colour, value }) => [colour, value]), language()]);
  if (ui.rack.dataset.now === now) return;
  ui.rack.dataset.now = now;
  put(ui.rack, rackOf(view));
}

/** @param {View} view */
function drawRecent(view) {
  const results = view.results
    .filter((each) => each.dice)
    .slice(-RECENT)
    .reverse();
  const now = results.map((each) => each.number).join();
  if (ui.last.dataset.now === now) return;
  ui.last.dataset.now = now;
  put(
    ui.last,
    ...results.map((each) => {
      const dice = each.dice ?? [1, 1, 1];
      return h("span", { class: "recent-roll" }, diceRow(dice, 18), h("b", null, totalOf(dice)));
    }),
  );
}

/** Chips, the purse, the rail and the line about a box. */
function drawBets() {
  const view = table.view;
  const setUp = view?.set_up;
  if (!view || !setUp) return;
  const { phase } = view.round;
  const over = phase === "between-rounds";
  const { felt } = cloth;
  if (felt) {
    const { denominations } = setUp;
    felt.chips(over ? paidBack(table.seat, view.round.number) : bets.stakes(), { own: true, denominations });
    felt.chips(othersOn(view.stakes, bets.player), { denominations });
    const lit = new Set(stage.lit);
    felt.markChips("lost", (box) => phase === "collected" && !lit.has(box));
    felt.markChips(
      "won",
      (box) => ["announced", "entered", "collected", "between-rounds"].includes(phase) && lit.has(box),
    );
    felt.markChips("coming", (box) => bets.unsure.has(box));
    felt.mark(
      "full",
      Object.keys(view.room ?? {}).filter((box) => headroomOf(seen, box) === 0),
    );
    felt.names((box) => boxWords(seen, box));
  }
  const { funds, onFelt } = bets.purse();
  if (table.seat) show(ui.funds, funds, money);
  else say(ui.funds, "–");
  say(ui.onFelt, table.seat ? money(onFelt) : "–");
  ui.onFelt.setAttribute("aria-busy", String(bets.unsure.size > 0));
  const debt = table.seat?.debt ?? 0;
  say(ui.debt, debt < 0 ? t("result.you-owe", { amount: money(-debt) }) : "");
  drawAdvice();
  drawReversed();
  rail.draw(setUp);
  line.draw();
  drawFair(view);
}

/** The virtual dice of the round, as the player can check them. @param {View} view */
function drawFair(view) {
  const { commitment, opening, contributions } = view.round;
  ui.fair.hidden = !commitment;
  const known = { mine: table.seat?.contribution ?? "", commitment, opening, all: contributions };
  const now = JSON.stringify(known);
  if (!commitment || ui.fair.dataset.now === now) return;
  ui.fair.dataset.now = now;
  put(ui.fair, h("summary", null, t("fair.title")), fairPanel(known), h("p", { class: "muted" }, t("fair.words")));
}

/** Bets of which the dealer told the player that they are under the minimum: raise or withdraw them. */
function drawAdvice() {
  const advice = table.seat?.advice ?? [];
  const place = /** @type {HTMLElement} */ (ui.info.parentElement);
  let list = document.getElementById("advice");
  if (!advice.length) return list?.remove();
  if (!list) place.prepend((list = h("ul", { id: "advice", class: "notice", role: "alert" })));
  put(
    list,
    ...advice.map(({ box, stake, minimum }) =>
      h(
        "li",
        null,
        t("play.advice", { box: boxName(box), stake: money(stake), minimum: money(minimum) }),
        " ",
        h("button", { "data-action": "raise", onclick: () => void bets.place(box, minimum - stake) }, t("play.raise")),
        " ",
        h("button", { "data-action": "withdraw", onclick: () => void bets.withdraw(box) }, t("play.withdraw")),
      ),
    ),
  );
}

/** Settled rounds that were void afterwards: what went back and why, until the player has read it. */
function drawReversed() {
  const known = `reversed.${name}.${bets.player}`;
  const read = /** @type {number[]} */ (pref(known, []));
  const unread = (table.seat?.void_later ?? []).filter(({ number }) => !read.includes(number));
  const place = /** @type {HTMLElement} */ (ui.info.parentElement);
  let list = document.getElementById("reversed");
  if (!unread.length) return list?.remove();
  const now = JSON.stringify(unread);
  if (list?.dataset.now === now) return;
  if (!list) place.prepend((list = h("ul", { id: "reversed", class: "notice", role: "alert" })));
  list.dataset.now = now;
  const book = table.view?.set_up?.book ?? "";
  const done = () => {
    keep(
      known,
      (table.seat?.void_later ?? []).map(({ number }) => number),
    );
    drawReversed();
  };
  put(
    list,
    ...unread.map((each) => {
      const words = t("result.void-later", { n: each.number, why: voidWhy(each.why) });
      return h("li", null, `${words}. ${afterVoid(each)} `, clauseLinks(book, each.clauses));
    }),
    h("li", null, h("button", { "data-action": "read", onclick: done }, t("close"))),
  );
}

// ---------------------------------------------------------------- the result of a round

/** Show the result of the player's last round, once the server has it; a fresh one is also said. */
async function drawResult(/** @type {boolean} */ fresh) {
  const last = table.seat?.last;
  const setUp = table.view?.set_up;
  if (!last || !setUp || resultOf === `${last.number} ${last.void}`) return;
  resultOf = `${last.number} ${last.void}`;
  let round;
  try {
    [[round]] = await Promise.all([ownRounds(1), layoutOf(setUp.book, setUp.layout)]);
  } catch {
    resultOf = "";
    return;
  }
  if (!round) return;
  say(ui.lastNet, signed(round.net));
  ui.lastNet.className = `number ${round.net > 0 ? "up" : round.net < 0 ? "down" : ""}`;
  put(
    ui.result,
    h("summary", null, h("h2", null, t("result.title", { n: round.number })), headline(round)),
    lines(round, setUp.book),
  );
  ui.result.hidden = false;
  ui.result.open = table.view?.round.phase !== "betting";
  if (!fresh) return;
  guide.did("result");
  if (round.net > 0) {
    sound("win");
    const { funds } = bets.purse();
    countTo(ui.funds, funds, money, funds - round.returned);
  }
  const words = (/** @type {string} */ net) =>
    t(round.void ? "result.toast-void" : "result.toast", { n: round.number, net });
  const each = round.void ? [] : round.lines.map((line) => `${boxName(line.box)} ${figures(round, line)}`);
  stage.outcome(words, round.net, [words(signed(round.net)), ...each].join(t("list.semicolon")));
}

// ---------------------------------------------------------------- keys

/** Keys that press a button of the rail. @type {Record<string, string>} */
const KEYS = { u: "undo", c: "clear", r: "rebet", d: "double", h: "history" };

async function showKeys() {
  const keys = await import("./keys.js");
  await keys.showKeys(() => guide.again());
}

/** Say where the round and the purse stand, for those who play by ear. */
function sayWhere() {
  const { funds, onFelt } = bets.purse();
  const placed = Object.entries(bets.stakes()).map(([box, amount]) => `${boxName(box)} ${money(amount)}`);
  const parts = [
    ui.call.textContent,
    ui.seconds.textContent && t("play.seconds-left", { n: ui.seconds.textContent }),
    ui.said.textContent || ui.outcome.textContent,
    table.seat && `${t("play.funds")} ${money(funds)}`,
    table.seat && `${t("play.on-felt")} ${money(onFelt)}`,
    ...placed,
  ];
  ui.heard.textContent = "";
  say(ui.heard, parts.filter(Boolean).join(t("list.comma")));
}

// ---------------------------------------------------------------- events

/** Find out whether guests may sit down or a seat code is needed; asked again until it is known. */
function askFloor() {
  get("/api/floor").then(
    (floor) => {
      rail.demo = floor.demo;
      rail.guestChips = floor.guest_chips;
      drawBets();
    },
    () => setTimeout(askFloor, AGAIN_MS),
  );
}

table.on("change", ({ told }) => {
  bets.follow();
  stage.hear(told);
  const happened = (/** @type {string} */ what) =>
    told.some((/** @type {import("../lib/types").Announcement} */ each) => each.event === what);
  if (happened("dice-uncovered")) guide.did("dice");
  if (happened("bets-opened")) ui.result.open = false;
  draw();
});
table.on("seat", () => {
  drawBets();
  void drawResult(seated);
  seated = true;
});
table.on("hello", () => {
  bets.follow();
  drawBets();
});
addEventListener("baize", () => draw());
addEventListener("resize", () => void fit());
ui.past.addEventListener("toggle", () => table.view && void drawPast(table.view));
document.addEventListener("visibilitychange", () => document.hidden || void drawSeats());
setInterval(() => document.hidden || ui.seats.hidden || void drawSeats(), SEATS_MS);
addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLInputElement || document.querySelector("dialog[open]");
  if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "?") return void showKeys();
  const key = event.key.toLowerCase();
  if (key === "s") return sayWhere();
  if (key in KEYS) return rail.press(KEYS[key]);
  const place = Number(event.key) - 1;
  const setUp = table.view?.set_up;
  const count = setUp ? rail.count(setUp) : 0;
  if (bets.player && Number.isInteger(place) && place >= 0 && place < count) rail.choose(place);
});
$("#top .bar-own").append(
  h("button", { class: "quiet", "aria-label": t("keys.title"), onclick: () => void showKeys() }, "?"),
);

watchConnection(table);
setInterval(() => stage.tick(), TICK_MS);
void me().catch(() => null);
askFloor();
void drawSeats();
table.connect();
