// The dealer's desk: the next step is the large button; everything else is greyed with the table's reason.
// Enters: /deal?table=T; the table's view and the crew's over the play socket. Leaves: commands.
// What comes next, what to call, collect and pay is the server's word (the crew's view). It can be worked with one
// hand: see keys.js.

import { me, part } from "../lib/api.js";
import { GROUPS } from "../lib/commands.js";
import { Tumbler } from "../lib/dice.js";
import { $, h, put, query, say } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { money, setCurrency } from "../lib/money.js";
import { redraw, refusalWords, startPage, toast, watchConnection } from "../lib/shell.js";
import { sound, speak } from "../lib/sound.js";
import { Table } from "../lib/table.js";
import { act, actionButton, actionName, refuse, whyNot } from "./actions.js";
import { ask } from "./ask.js";
import { DeskFelt } from "./cloth.js";
import { Entry } from "./entry.js";
import { presetsOf } from "./forms.js";
import { Hand } from "./hand.js";
import { keysList, listenToKeys } from "./keys.js";
import { askToSignIn, lockNow, onUnlock, stopped, watchIdle } from "./lock.js";
import { breachesPanel, losersPanel, payoutsPanel } from "./pay.js";
import { disputesPanel, lastRound, playersPanel, seatCode } from "./people.js";
import { SeatMarks } from "./seats.js";

/** @typedef {import("../lib/types").PublicView} View */
/** @typedef {import("../lib/types").CrewView} Crew */

const name = query("table");
await startPage({
  title: "deal.title",
  bar: () => [
    h("strong", { class: "bar-table" }, name),
    h("a", { class: "button quiet", href: `/board?table=${part(name)}` }, t("home.board")),
    h("button", { class: "quiet", onclick: () => void lockNow() }, t("deal.lock")),
  ],
});

/** The parts of the screen, which the functions below fill. */
const ui = {
  state: h("p", { class: "deal-state", role: "status" }),
  call: h("p", { class: "deal-call", lang: "en", role: "status", "aria-live": "assertive" }),
  dice: h("div", null),
  entry: h("div", { class: "entry" }),
  next: h("button", { class: "next", id: "next", "aria-keyshortcuts": "Enter" }),
  why: h("p", { class: "why-not", role: "note" }),
  steps: h("ol", { class: "steps", "aria-label": t("deal.steps") }),
  work: h("div", { class: "work" }),
  felt: h("div", { class: "felt-scroll", id: "felt" }),
  hand: h("div", { class: "hand-body" }),
  players: h("div", { class: "deal-people" }),
  last: h("div", { class: "deal-last" }),
  disputes: h("div", { class: "deal-disputes" }),
  trouble: h("div", { class: "row trouble-row" }),
  facts: h("dl", { class: "facts" }),
};

put(
  $("#main"),
  h("h1", { class: "visually-hidden" }, t("deal.at", { table: name })),
  h(
    "div",
    { class: "deal" },
    h(
      "section",
      { class: "deal-top", "aria-label": t("play.round") },
      h("div", { class: "deal-said" }, ui.state, ui.call),
      ui.dice,
    ),
    ui.steps,
    h(
      "div",
      { class: "deal-left" },
      h("section", { class: "deal-cloth", "aria-label": t("play.felt") }, ui.felt),
      h("section", { class: "panel hand", "aria-label": t("deal.do.place-bet") }, ui.hand),
      ui.players,
      ui.last,
    ),
    h(
      "div",
      { class: "deal-right" },
      h("section", { class: "deal-go", "aria-label": t("deal.key.next") }, ui.next, ui.why, ui.entry),
      ui.work,
      ui.disputes,
      h("section", { class: "panel trouble" }, h("h2", null, t("deal.trouble")), ui.trouble),
      h("section", { class: "panel" }, ui.facts),
      h("details", { class: "panel keys" }, h("summary", null, t("deal.keys")), keysList()),
    ),
  ),
);

const table = new Table(name);
const tumbler = new Tumbler(ui.dice);
/** The record of the last step: until the crew's view includes it, the next step is not known. */
let awaited = 0;
/** Whether a step has been sent and not answered. */
let busy = false;

/** @type {import("./actions.js").Desk} */
const desk = {
  table,
  keyed: true,
  crew: () => table.crew,
  boxes: () => felt.boxes(),
  stopped,
  acted: (seq) => {
    awaited = Math.max(awaited, seq);
    draw();
  },
};
const marks = new SeatMarks();
const hand = new Hand(ui.hand, desk, marks);
const felt = new DeskFelt(ui.felt, desk, marks, { drawn: () => draw(), touched: (box) => hand.touched(box) });
const entry = new Entry(ui.entry, desk, () => drawNext());

// ---------------------------------------------------------------- the next step

/** @returns {Crew["next"] | null} */
function upcoming() {
  return table.crew?.next ?? null;
}

/** Whether the crew's view has not caught up with what was just done. */
function waiting() {
  return busy || awaited > (table.crew?.seq ?? -1);
}

/** Take the next step. */
async function step() {
  const next = upcoming();
  if (!next || waiting() || table.mode === "automatic") return;
  const why = whyNot(desk, next.do);
  if (why) return refuse(desk, why);
  if (["amend-entry", "resolve-interruption", "draw-odds"].includes(next.do)) return askFor(next.do);
  if (next.do === "uncover" && !entry.complete) return;
  busy = true;
  drawNext();
  /** @type {{do: string, [key: string]: any}} */
  const action = { do: next.do };
  if (next.do === "tumble") action.times = next.times;
  if (next.do === "uncover") action.dice = entry.faces;
  if (next.bell) sound("bell");
  const done = await act(desk, action);
  busy = false;
  if (done) {
    if (next.do === "uncover") entry.faces = [];
    if (next.do === "tumble") sound("rattle");
    if (next.say) speak(next.say);
  }
  draw();
  if (document.activeElement === document.body) ui.next.focus({ preventScroll: true });
}

/** Open the form of a command, with what the round says filled in. @param {string} action */
function askFor(action) {
  return void ask(desk, action, presetsOf(action, table.view?.round));
}

/** What the key of a command does; false when the command does not belong to this post. @param {string} action */
function runByKey(action) {
  const why = whyNot(desk, action);
  if (why === undefined) return false;
  if (action === "pay-all") {
    if (why === null) void act(desk, { do: action });
  } else if (action === "reject-excess") {
    const breaches = table.crew?.breaches ?? [];
    const over = breaches.find((each) => each.player === null);
    if (over) void act(desk, { do: action, box: over.box });
  } else {
    void ask(desk, action, presetsOf(action, table.view?.round)).then(() => ui.next.focus({ preventScroll: true }));
  }
  return true;
}

// ---------------------------------------------------------------- drawing

function draw() {
  const { view, crew } = table;
  if (!view) return;
  if (view.set_up) setCurrency(view.set_up.currency);
  if (!busy) entry.follow();
  drawState(view, crew);
  entry.draw();
  drawNext();
  drawSteps(crew);
  redraw(ui.work, breachesPanel(desk), losersPanel(desk), payoutsPanel(desk));
  marks.follow(Object.keys(view.seats));
  hand.draw();
  redraw(ui.players, playersPanel(desk, marks));
  redraw(ui.last, lastRound(view));
  redraw(ui.disputes, disputesPanel(desk));
  redraw(
    ui.trouble,
    ...GROUPS["deal.trouble"].map((action) => actionButton(desk, action, { keyed: true, run: () => askFor(action) })),
  );
  drawFacts(view, crew);
  felt.draw(view, crew);
}

/**
 * Round and phase, the call, the dice.
 * @param {View} view
 * @param {Crew | null} crew
 */
function drawState(view, crew) {
  const { round } = view;
  let words = t(`phase.${view.phase === "open" ? round.phase : view.phase}`);
  if (view.suspended) words = `${t("stage.suspended")}: ${view.suspended}`;
  if (round.interrupted) words = `${t("stage.interrupted")}: ${round.interrupted}`;
  say(ui.state, round.number ? `${t("history.round", { n: round.number })} · ${words}` : words);
  const next = crew?.next;
  const spoken = next?.say ?? (round.call && round.phase !== "between-rounds" ? round.call : "");
  say(ui.call, spoken ? `“${spoken}”` : "");
  if (round.dice) tumbler.show(round.dice);
  else if (round.phase === "bets-closed" && round.tumbles > 0 && next?.do === "uncover" && !entry.faces.length)
    tumbler.tumble();
  else tumbler.cover();
  document.body.dataset.phase = round.phase;
}

/** The words of the large button. */
function nextWords() {
  const next = upcoming();
  if (!next) return t("deal.nothing-next");
  if (next.do === "tumble") return t("deal.tumble", { n: next.times ?? 0 });
  if (next.do === "uncover" && entry.complete) return t("deal.uncover", { dice: entry.faces.join("-") });
  return actionName(next.do);
}

function drawNext() {
  const next = upcoming();
  const automatic = table.mode === "automatic" && next?.do !== "resolve-interruption";
  const why = next ? whyNot(desk, next.do) : null;
  const short = next?.do === "uncover" && !entry.complete;
  const words = nextWords();
  const key = next && !automatic ? "Enter" : "";
  // Left alone while it says the same: if its words are replaced between press and release, the click is lost.
  if (ui.next.textContent !== words + key)
    put(ui.next, h("span", null, words), key ? h("kbd", { "aria-hidden": "true" }, key) : null);
  ui.next.dataset.next = next?.do ?? "";
  ui.next.setAttribute("aria-disabled", String(!next || automatic || waiting() || short || Boolean(why)));
  let reason = "";
  if (automatic) reason = t("deal.automatic");
  else if (!next) reason = table.view?.suspended ? t("deal.suspended-words") : t("deal.not-open-words");
  else if (why) reason = refusalWords(why);
  else if (short) reason = t("deal.type-faces");
  say(ui.why, reason);
}

/** The steps of the book, the next one marked. @param {Crew | null} crew */
function drawSteps(crew) {
  const steps = crew?.procedure?.steps ?? [];
  redraw(
    ui.steps,
    ...steps.map((action) => {
      const why = whyNot(desk, action);
      const now = crew?.next?.do === action;
      return h(
        "li",
        {
          "data-action": "step",
          "data-for": action,
          "aria-current": now ? "step" : null,
          "data-why": why && !now ? refusalWords(why) : null,
          tabindex: why && !now ? "0" : null,
          class: now ? "now" : "",
        },
        actionName(action),
        why && !now && h("span", { class: "visually-hidden" }, `: ${refusalWords(why)}`),
      );
    }),
  );
}

/**
 * @param {View} view
 * @param {Crew | null} crew
 */
function drawFacts(view, crew) {
  if (!crew || !view.set_up) return;
  const rows = [
    [t("deal.float"), money(crew.float)],
    [t("deal.drop"), money(crew.drop)],
  ];
  if (crew.exposure)
    rows.push(
      [t("deal.staked"), money(crew.exposure.staked)],
      [t("deal.worst"), `${money(crew.exposure.loss)} (${crew.exposure.dice.join("-")})`],
    );
  rows.push([t("deal.dice-set"), crew.dice_in ?? "–"]);
  put(
    ui.facts,
    ...rows.map(([label, value]) => h("div", null, h("dt", null, label), h("dd", { class: "number" }, value))),
  );
}

/** Disputes that this screen has shown, with their answers. @type {Crew["disputes"] | null} */
let disputes = null;

/** Say that a dispute was opened or answered. */
function followDisputes() {
  const now = table.crew?.disputes ?? {};
  for (const [id, each] of Object.entries(now)) {
    if (!disputes) break;
    if (!disputes[id]) toast(t("deal.dispute-made", { id, player: each.player }), { kind: "good" });
    else if (each.resolution && !disputes[id].resolution)
      toast(t("deal.dispute-answered", { id, answer: each.resolution }), { kind: "good" });
  }
  disputes = now;
}

// ---------------------------------------------------------------- begin

ui.next.addEventListener("click", () => void step());
addEventListener("baize", () => draw());
listenToKeys({
  next: ui.next,
  step: () => void step(),
  type: (face) => entry.type(face),
  back: () => entry.back(),
  seatCode: () => table.crew && void seatCode(desk),
  run: runByKey,
});

const who = await me().catch(() => null);
if (!who || who.player) {
  askToSignIn(t("deal.sign-in"), `/sign-in?post=dealer&table=${part(name)}`);
} else {
  watchIdle(who);
  onUnlock(() => {
    // The crew's view is not sent to a locked session.
    table.watch();
    ui.next.focus({ preventScroll: true });
  });
  table.on("change", draw);
  table.on("crew", draw);
  table.on("crew", followDisputes);
  table.on("hello", () => {
    draw();
    if (!table.you) say(ui.why, t("deal.not-here"));
  });
  watchConnection(table);
  table.connect();
  ui.next.focus({ preventScroll: true });
}
