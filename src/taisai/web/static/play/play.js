// The player's screen: pick a chip, touch a box, follow the round, see what it brought.
// Enters: /play?table=T; the table's view and the own seat over the play socket. Leaves: commands, through Bets.
// Everything that counts is the house's: room, limits, odds, dice, payouts. This screen shows and asks.

import { get, me, part, Refusal } from "../lib/api.js";
import { boxName, clausesOf, kindOf, layoutOf, limitOf, payText, SECTIONS, signOf } from "../lib/boxes.js";
import { diceRow, Tumbler } from "../lib/dice.js";
import { $, h, put, query, say } from "../lib/dom.js";
import { mountFelt, winnersOf } from "../lib/felt.js";
import { language, t } from "../lib/i18n.js";
import { money, setCurrency, signed } from "../lib/money.js";
import { Bets } from "./bets.js";
import { Guide } from "./guide.js";
import { Rail } from "./rail.js";
import { headline, lines, needs, ownRounds } from "./result.js";
import { buildScreen } from "./screen.js";
import { keep, pref } from "../lib/prefs.js";
import { baize, clauseLinks, refusalWords, showRefusal, startPage, toast, watchConnection } from "../lib/shell.js";
import { sound, speak } from "../lib/sound.js";
import { Table } from "../lib/table.js";

/** @typedef {import("../lib/types").View} View */
/** @typedef {import("../lib/types").SetUp} SetUp */
/** @typedef {import("../lib/types").Told} Told */

const TICK_MS = 100;
const TOUCH_PX = 44;
/** When something that could not be fetched is tried again. */
const AGAIN_MS = 3000;
/** Seconds left that are said aloud to those who do not see the countdown. */
const SAID_S = [10, 5];

/** When the result is known, and lights of the table would be on. @type {string[]} */
const LIT_BY_US = ["announced", "entered", "collected", "between-rounds"];

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
const tumbler = new Tumbler(ui.dice);
const guide = new Guide(ui.guide);
const bets = new Bets(table, { refused, changed: () => drawBets() });
const rail = new Rail(ui, table, bets, { chosen: () => guide.did("chip") });

/** @type {import("../lib/felt.js").Felt | null} */
let felt = null;
/** @type {import("../lib/types").LayoutSheet | null} */
let layout = null;
/** The cloth that is drawn: book, layout and palette. */
let drawn = "";
/** The box that the line above the rail tells about. @type {string | null} */
let shownBox = null;
/**
 * Dice and lights of the round that is over, until the next one opens.
 * @type {{round: number, dice: number[], lit: string[]} | null}
 */
let kept = null;
let toldResult = -1;
let saidSeconds = -1;

// ---------------------------------------------------------------- the felt

/** @param {SetUp} setUp */
async function drawCloth(setUp) {
  const wanted = `${setUp.book}/${setUp.layout}/${baize()}`;
  if (wanted === drawn) return;
  drawn = wanted;
  let sheet;
  let made;
  try {
    [sheet, made] = await Promise.all([
      layoutOf(setUp.book, setUp.layout),
      // Into a place of its own: another cloth may be wanted, and drawn, before this one comes.
      mountFelt(h("div"), {
        book: setUp.book,
        layout: setUp.layout,
        palette: baize(),
        label: t("play.felt"),
        onPick: pick,
        onPoint: (box) => box && point(box),
      }),
    ]);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (drawn !== wanted) return;
    showRefusal(error);
    setTimeout(() => {
      if (drawn === wanted) drawn = "";
      draw();
    }, AGAIN_MS);
    return;
  }
  if (drawn !== wanted) return;
  put(ui.felt, made.svg);
  made.host = ui.felt;
  layout = sheet;
  felt = made;
  felt.svg.addEventListener("keydown", (event) => {
    const box = /** @type {HTMLElement} */ (event.target).dataset.box;
    if (box && (event.key === "Delete" || event.key === "Backspace")) void bets.withdraw(box);
  });
  fit();
  drawSections();
  draw();
}

/** On a small screen the felt is as large as fingers need, and scrolls. */
function fit() {
  if (!felt) return;
  const frame = felt.svg.viewBox.baseVal;
  const places = [...felt.boxes.keys()].map((box) => felt?.place(box) ?? { width: 1, height: 1 });
  const least = Math.min(...places.map((each) => Math.min(each.width, each.height)));
  const needed = (TOUCH_PX / least) * frame.width;
  const zoom = needed > ui.felt.clientWidth && pref("whole-felt", false) === false ? needed : 0;
  felt.svg.style.width = zoom ? `${Math.ceil(zoom)}px` : "100%";
  ui.felt.classList.toggle("zoomed", zoom > 0);
}

function drawSections() {
  if (!felt) return;
  const kinds = new Set([...felt.boxes.keys()].map(kindOf));
  const parts = SECTIONS.filter(([, each]) => each.some((kind) => kinds.has(kind)));
  put(
    ui.sections,
    ...parts.map(([section, each]) => h("button", { onclick: () => felt?.showSection(each) }, t(`section.${section}`))),
    h(
      "button",
      {
        "aria-pressed": String(pref("whole-felt", false)),
        onclick: (/** @type {Event} */ event) => {
          keep("whole-felt", !pref("whole-felt", false));
          /** @type {HTMLElement} */ (event.currentTarget).setAttribute(
            "aria-pressed",
            String(pref("whole-felt", false)),
          );
          fit();
        },
      },
      t("play.whole"),
    ),
  );
}

/** What a box is, to those who hear it. @param {string} box */
function boxWords(box) {
  const view = table.view;
  if (!layout || !view?.set_up) return boxName(box);
  const words = [boxName(box), payText(layout, box)];
  const mine = bets.stakes()[box];
  if (mine) words.push(t("play.your-bet", { amount: money(mine) }));
  words.push(roomWords(box));
  return words.filter(Boolean).join(t("list.comma"));
}

/** @param {string} box */
function roomWords(box) {
  const room = table.view?.room?.[box];
  if (room === undefined || room === true) return "";
  return room > 0 ? t("play.room", { amount: money(room) }) : t("play.full");
}

/**
 * A box was touched.
 * @param {string} box
 */
function pick(box) {
  point(box);
  const view = table.view;
  if (!view?.set_up) return;
  if (!bets.player) {
    toast(t("play.sit-first"));
    return;
  }
  sound("chip");
  void bets.place(box, rail.value(view.set_up)).then((ok) => ok && guide.did("bet"));
}

/** @param {string} box */
function point(box) {
  if (shownBox !== box) {
    shownBox = box;
    drawInfo();
  }
}

/**
 * The table said no: why, which clause, and what would be allowed.
 * @param {Refusal} refusal
 * @param {string} box
 * @param {number} amount
 */
function refused(refusal, box, amount) {
  sound("no");
  const setUp = table.view?.set_up;
  if (!setUp) return showRefusal(refusal);
  const limit = limitOf(setUp, box);
  const room = table.view?.room?.[box];
  const values = {
    box: boxName(box),
    min: money(limit.min),
    max: money(limit.max),
    room: typeof room === "number" ? money(room) : "",
  };
  const more = [];
  let words = refusalWords(refusal);
  if (refusal.code === "under-minimum") {
    words = t("play.under-minimum", values);
    if (amount > 0 && !bets.standing()[box])
      more.push(
        h("button", { onclick: () => void bets.place(box, limit.min) }, t("play.place", { amount: money(limit.min) })),
      );
  } else if (refusal.code === "over-maximum" || refusal.code === "over-differential") {
    words = t(refusal.code === "over-maximum" ? "play.over-maximum" : "play.over-differential", values);
    if (typeof room === "number" && room > 0 && amount > room)
      more.push(h("button", { onclick: () => void bets.place(box, room) }, t("play.place", { amount: money(room) })));
  } else if (refusal.code === "not-enough-chips") {
    words = t("code.not-enough-chips");
  }
  if (refusal.clauses.length) more.push(clauseLinks(setUp.book, refusal.clauses));
  toast(words, { kind: "bad", more });
}

// ---------------------------------------------------------------- drawing

function draw() {
  const view = table.view;
  if (!view) return;
  if (view.set_up) {
    setCurrency(view.set_up.currency);
    void drawCloth(view.set_up);
  }
  drawStage(view);
  drawLimits(view);
  drawBets();
  drawLast(view);
}

/** Dice and lights as they are, or as they were in the round that has just ended. @param {View} view */
function drawStage(view) {
  const { round } = view;
  if (round.dice)
    kept = {
      round: round.number,
      dice: round.dice,
      lit: round.lit.length ? round.lit : kept?.round === round.number ? kept.lit : [],
    };
  else if (round.phase === "betting" || round.phase === "bets-closed") kept = null;
  if (kept && !kept.lit.length && view.set_up && LIT_BY_US.includes(round.phase)) void lightWinners(kept, view.set_up);
  const tumbling =
    table.until?.what === "tumbling" ||
    (table.mode !== "automatic" && round.phase === "bets-closed" && round.tumbles > 0);
  if (kept && !tumbling) tumbler.show(kept.dice);
  else if (tumbling) tumbler.tumble();
  else tumbler.cover();
  felt?.light(kept && kept.lit.length ? kept.lit : null);
  felt?.svg.classList.toggle("closed", round.phase !== "betting");
  document.body.dataset.phase = round.phase;
  if (round.interrupted) call(t("stage.interrupted"), "");
  else if (view.suspended) call(t("stage.suspended"), "");
  else if (view.phase !== "open") call(t("stage.not-open"), "");
  else if (ui.call.textContent === "" || !["betting", "announced"].includes(round.phase)) drawPhase(view);
}

/**
 * A book without lights: the screen lights what wins, as the house draws it.
 * @param {{round: number, dice: number[], lit: string[]}} shown
 * @param {SetUp} setUp
 */
async function lightWinners(shown, setUp) {
  const won = await winnersOf(setUp.book, setUp.layout, shown.dice).catch(() => []);
  if (kept?.round !== shown.round || kept.lit.length || !won.length) return;
  kept.lit = won;
  draw();
}

/** What the table is doing, where no call says it. @param {View} view */
function drawPhase(view) {
  const { round } = view;
  const stage = table.until?.what;
  if (round.phase === "announced" || round.phase === "entered") return result(view);
  if (round.phase === "between-rounds" && kept) return;
  call(stage ? t(`stage.${stage}`) : t(`phase.${round.phase}`), "");
}

/** The dealer's call of the result. @param {View} view */
function result(view) {
  const { round } = view;
  const dice = round.dice ?? [];
  call(
    t("play.result", { dice: [...dice].sort().join("-"), total: dice.reduce((sum, face) => sum + face, 0) }),
    round.call,
  );
}

/**
 * Words of the dealer: in the reader's language, and as spoken at the table.
 * @param {string} words
 * @param {string} original
 */
function call(words, original) {
  say(ui.call, language() === "en" && original ? original : words);
  say(ui.original, language() === "en" ? "" : original);
}

/** @param {View} view */
function drawLimits(view) {
  const setUp = view.set_up;
  if (!setUp || !layout) return;
  const now = JSON.stringify([setUp.limits, setUp.currency, language()]);
  if (ui.limits.dataset.now === now) return;
  ui.limits.dataset.now = now;
  put(
    ui.limits,
    ...signOf(setUp, layout.boxes).map(({ words, limit: { min, max } }) =>
      h("li", null, h("b", null, words), " ", t("home.limits", { min: money(min), max: money(max) })),
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

/** @param {View} view */
function drawLast(view) {
  const results = view.results
    .filter((each) => each.dice)
    .slice(-8)
    .reverse();
  const now = results.map((each) => each.number).join();
  if (ui.last.dataset.now === now) return;
  ui.last.dataset.now = now;
  put(
    ui.last,
    ...results.map((each) => {
      const dice = each.dice ?? [1, 1, 1];
      return h(
        "span",
        { class: "recent-roll" },
        diceRow(dice, 18),
        h(
          "b",
          null,
          dice.reduce((sum, face) => sum + face, 0),
        ),
      );
    }),
  );
}

/** Chips, own and others', the purse, the rail. */
function drawBets() {
  const view = table.view;
  const setUp = view?.set_up;
  if (!view || !setUp) return;
  const own = bets.stakes();
  const { round } = view;
  const over = round.phase === "between-rounds";
  const paid =
    over && table.seat?.last?.number === round.number
      ? Object.fromEntries(
          (table.seat.last.lines ?? []).filter((line) => line.returned > 0).map((line) => [line.box, line.returned]),
        )
      : {};
  if (felt) {
    felt.chips(over ? paid : own, { own: true, denominations: setUp.denominations });
    felt.chips(othersOn(view), { denominations: setUp.denominations });
    const swept = round.phase === "collected";
    const lit = new Set(kept?.lit ?? []);
    felt.markChips("lost", (box) => swept && !lit.has(box));
    felt.markChips(
      "won",
      (box) => (over || swept || round.phase === "announced" || round.phase === "entered") && lit.has(box),
    );
    felt.mark(
      "full",
      Object.entries(view.room ?? {})
        .filter(([, room]) => room === 0)
        .map(([box]) => box),
    );
    felt.names(boxWords);
  }
  say(ui.funds, table.seat ? money(table.seat.funds) : "–");
  say(ui.onFelt, table.seat ? money(table.seat.on_felt) : "–");
  rail.draw(setUp);
  drawInfo();
}

/** What the others have in each box. @param {View} view */
function othersOn(view) {
  /** @type {Record<string, number>} */
  const found = {};
  for (const [player, boxes] of Object.entries(view.stakes)) {
    if (player === bets.player) continue;
    for (const [box, amount] of Object.entries(boxes)) found[box] = (found[box] ?? 0) + amount;
  }
  return found;
}

// ---------------------------------------------------------------- the line about a box

let infoNow = "";

function drawInfo() {
  const setUp = table.view?.set_up;
  if (!layout || !setUp) return;
  const box = shownBox;
  const mine = box ? bets.stakes()[box] : 0;
  const now = JSON.stringify([box, mine, box && table.view?.room?.[box], bets.open, setUp.currency]);
  if (now === infoNow || (infoNow && ui.info.contains(document.activeElement) && !box)) return;
  infoNow = now;
  if (!box) {
    put(ui.info, h("p", { class: "muted" }, t("play.touch")));
    return;
  }
  const limit = limitOf(setUp, box);
  put(
    ui.info,
    h(
      "div",
      { class: "info-words" },
      h("strong", null, boxName(box)),
      h("span", { class: "odds" }, payText(layout, box)),
      h("span", null, t("home.limits", { min: money(limit.min), max: money(limit.max) })),
      h("span", { class: "room" }, roomWords(box)),
      mine ? h("b", null, t("play.your-bet", { amount: money(mine) })) : null,
      h("span", { class: "muted" }, t("play.needs", { needs: needs(box) })),
      clauseLinks(setUp.book, clausesOf(layout, box)),
    ),
    mine && bets.open ? h("button", { onclick: () => void bets.withdraw(box) }, t("play.withdraw")) : null,
  );
}

// ---------------------------------------------------------------- what a round brought

/** What the last own round brought, once the house says so. */
async function drawResult() {
  const last = table.seat?.last;
  const setUp = table.view?.set_up;
  if (!last || !setUp || last.number === toldResult) return;
  const fresh = toldResult !== -1 || last.number === table.view?.round.number;
  toldResult = last.number;
  let round;
  try {
    [round] = await ownRounds(1);
  } catch {
    toldResult = -1;
    return;
  }
  if (!round) return;
  say(ui.lastNet, signed(round.net));
  ui.lastNet.className = `number ${round.net > 0 ? "up" : round.net < 0 ? "down" : ""}`;
  put(ui.result, h("h2", null, t("result.title", { n: round.number })), headline(round), lines(round, setUp.book));
  if (!fresh) return;
  guide.did("result");
  if (round.net > 0) sound("win");
  toast(t(round.void ? "result.toast-void" : "result.toast", { n: round.number, net: signed(round.net) }), {
    kind: round.net > 0 ? "good" : "plain",
  });
}

// ---------------------------------------------------------------- what happens

/** @param {Told[]} told */
function hear(told) {
  for (const each of told) {
    switch (each.event) {
      case "bets-opened":
        kept = null;
        call(t("phase.betting"), each.call);
        speak(language() === "en" ? each.call : t("phase.betting"));
        break;
      case "bets-closed":
        if (each.bell) sound("bell");
        call(t("phase.bets-closed"), each.call);
        speak(language() === "en" ? each.call : t("phase.bets-closed"));
        break;
      case "dice-tumbled":
        sound("rattle");
        break;
      case "dice-uncovered":
        guide.did("dice");
        break;
      case "result-announced":
        if (table.view) result(table.view);
        speak(ui.call.textContent ?? "");
        break;
      case "lights-faulted":
        toast(t("play.lights-fault"), { kind: "bad" });
        break;
      case "round-voided":
        call(t("result.void", { why: t(`void.${each.why}`) }), each.call);
        toast(t("result.void", { why: t(`void.${each.why}`) }), {
          kind: "bad",
          more: [clauseLinks(table.view?.set_up?.book ?? "", each.clauses ?? [])],
        });
        speak(ui.call.textContent ?? "");
        break;
    }
  }
}

function tick() {
  const { until, view } = table;
  if (!until || until.at === null || !view || table.state !== "live") {
    say(ui.seconds, "");
    ui.bar.style.transform = "scaleX(0)";
    return;
  }
  const left = Math.max(0, until.at - table.now()) / 1e6;
  const began = view.round.phase === "betting" ? view.round.opened_at : until.at - 4e6;
  const share = Math.min(1, left / Math.max(1, (until.at - began) / 1e6));
  say(ui.seconds, view.round.phase === "betting" ? String(Math.ceil(left)) : "");
  ui.bar.style.transform = `scaleX(${share.toFixed(3)})`;
  ui.bar.classList.toggle("soon", view.round.phase === "betting" && left < 5);
  const whole = Math.ceil(left);
  if (view.round.phase === "betting" && SAID_S.includes(whole) && saidSeconds !== whole) {
    saidSeconds = whole;
    say(ui.spoken, t("play.seconds-left", { n: whole }));
  } else if (!SAID_S.includes(whole)) {
    saidSeconds = -1;
  }
}

/** Whether guests may sit down, or whoever has a code: asked until it is known. */
function askFloor() {
  get("/api/floor").then(
    (floor) => {
      rail.demo = floor.demo;
      drawBets();
    },
    () => setTimeout(askFloor, AGAIN_MS),
  );
}

table.on("change", ({ told }) => {
  bets.follow();
  hear(told);
  draw();
});
table.on("seat", () => {
  drawBets();
  void drawResult();
});
table.on("hello", () => {
  bets.follow();
  drawBets();
});
addEventListener("baize", () => draw());
addEventListener("resize", fit);
addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLInputElement || document.querySelector("dialog[open]");
  const place = Number(event.key) - 1;
  const count = table.view?.set_up?.denominations.length ?? 0;
  if (!typing && bets.player && Number.isInteger(place) && place >= 0 && place < count) rail.choose(place);
});
$("#top .bar-own").append(
  h("button", { class: "quiet", "aria-label": t("guide.again"), onclick: () => guide.again() }, "?"),
);

watchConnection(table);
setInterval(tick, TICK_MS);
void me().catch(() => null);
askFloor();
table.connect();
