// The dealer's screen: the next legal step is the large button; everything else is greyed with the table's reason.
// Enters: /deal?table=T; the table's view and the crew's over the play socket. Leaves: commands.
// What comes next, what to say, what to collect and to pay is the house's word (floor/steps.py, floor/view.py).
// One hand: Enter or Space for the next step, 1-6 for faces, a letter for the rest; the letters stand on the buttons.

import { me, part, Refusal } from "../lib/api.js";
import { boxName, layoutOf } from "../lib/boxes.js";
import { dieFace, Tumbler } from "../lib/dice.js";
import { $, h, put, query, say } from "../lib/dom.js";
import { mountFelt } from "../lib/felt.js";
import { t } from "../lib/i18n.js";
import { money, setCurrency } from "../lib/money.js";
import { baize, dialog, redraw, refusalWords, startPage, watchConnection } from "../lib/shell.js";
import { sound, speak } from "../lib/sound.js";
import { Table } from "../lib/table.js";
import { act, actionButton, actionName, ask, refuse, whyNot } from "./ask.js";
import { lockNow, onUnlock, stopped, watchIdle } from "./lock.js";
import { breachesPanel, losersPanel, payoutsPanel } from "./pay.js";
import { playersPanel, seatCode } from "./people.js";

/** @typedef {import("../lib/types").View} View */
/** @typedef {import("../lib/types").Crew} Crew */

const name = query("table");
await startPage({
  title: "deal.title",
  bar: () => [
    h("strong", { class: "bar-table" }, name),
    h("a", { class: "button quiet", href: `/board?table=${part(name)}` }, t("home.board")),
    h("button", { class: "quiet", onclick: () => void lockNow() }, t("deal.lock")),
  ],
});

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
  players: h("div", null),
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
      { class: "deal-stage", "aria-label": t("play.round") },
      ui.state,
      ui.call,
      ui.dice,
      ui.entry,
      ui.next,
      ui.why,
      ui.steps,
    ),
    ui.work,
    h("section", { class: "deal-cloth", "aria-label": t("play.felt") }, ui.felt, ui.facts),
    h(
      "div",
      { class: "deal-side" },
      ui.players,
      h("section", { class: "panel" }, h("h2", null, t("deal.trouble")), ui.trouble),
      h("details", { class: "panel keys" }, h("summary", null, t("deal.keys")), keysList()),
    ),
  ),
);

const table = new Table(name);
const tumbler = new Tumbler(ui.dice);
/** @type {import("../lib/felt.js").Felt | null} */
let felt = null;
/** @type {string[]} */
let boxes = [];
let drawn = "";
/** Faces typed before the dice are uncovered. @type {number[]} */
let faces = [];
/** The round they were typed in. */
let facesOf = 0;
/** The record that the last step made: until the crew's view has it, the next step is not known. */
let awaited = 0;
let busy = false;

/** @type {import("./ask.js").Desk} */
const desk = {
  table,
  crew: () => table.crew,
  // Before the layout's sheet has come, the table itself knows its boxes.
  boxes: () => (boxes.length ? boxes : Object.keys(table.view?.room ?? {})),
  stopped,
  acted: (seq) => {
    awaited = Math.max(awaited, seq);
    draw();
  },
};

const TROUBLE = [
  ["void-round", "v"],
  ["report-lights", "l"],
  ["amend-entry", "e"],
  ["interrupt", "i"],
  ["resolve-interruption", "o"],
  ["place-bet", "b"],
  ["correct-bet", "m"],
  ["rule-on-line", ""],
  ["inspect-dice", "d"],
  ["suspend-table", ""],
  ["resume-table", ""],
  ["note-error", ""],
  ["open-dispute", ""],
];

function keysList() {
  const rows = [
    ["Enter", "deal.key.next"],
    ["1–6", "deal.key.faces"],
    ["⌫", "deal.key.back"],
    ["A", "deal.do.pay-all"],
    ["X", "deal.do.reject-excess"],
    ["N", "deal.do.sit-down"],
    ["K", "deal.seat-code"],
    ["V", "deal.do.void-round"],
    ["L", "deal.do.report-lights"],
    ["E", "deal.do.amend-entry"],
    ["I", "deal.do.interrupt"],
    ["O", "deal.do.resolve-interruption"],
    ["B", "deal.do.place-bet"],
    ["M", "deal.do.correct-bet"],
    ["D", "deal.do.inspect-dice"],
  ];
  return h(
    "dl",
    { class: "key-list" },
    ...rows.map(([key, words]) => h("div", null, h("dt", null, h("kbd", null, key)), h("dd", null, t(words)))),
  );
}

// ---------------------------------------------------------------- the next step

/** @returns {{do: string, say?: string, bell?: boolean, times?: number} | null} */
function upcoming() {
  return table.crew?.next ?? null;
}

/** Whether the crew's view has not caught up with what was just done. */
function waiting() {
  return busy || awaited > (table.crew?.seq ?? -1);
}

async function step() {
  const next = upcoming();
  if (!next || waiting() || table.mode === "automatic") return;
  const why = whyNot(desk, next.do);
  if (why) return refuse(desk, why);
  if (next.do === "amend-entry") return void ask(desk, next.do, { dice: table.view?.round.dice });
  if (next.do === "resolve-interruption")
    return void ask(desk, next.do, { readable: table.view?.round.dice ?? [], dice: table.view?.round.dice });
  if (next.do === "uncover" && faces.length < 3) return;
  busy = true;
  drawNext();
  /** @type {{do: string, [key: string]: any}} */
  const action = { do: next.do };
  if (next.do === "tumble") action.times = next.times;
  if (next.do === "uncover") action.dice = faces;
  if (next.bell) sound("bell");
  const done = await act(desk, action);
  busy = false;
  if (done) {
    if (next.do === "uncover") faces = [];
    if (next.do === "tumble") sound("rattle");
    if (next.say) speak(next.say);
  }
  draw();
  if (document.activeElement === document.body) ui.next.focus({ preventScroll: true });
}

/** A face was typed or touched. @param {number} face */
function typed(face) {
  const next = upcoming();
  const phase = table.view?.round.phase;
  const terminal = table.crew?.procedure?.terminal && (phase === "announced" || phase === "uncovered");
  if (terminal) void act({ ...desk, acted: undefined }, { do: "press", number: face });
  else if (next?.do === "uncover") {
    faces = [...faces, face].slice(-3);
    facesOf = table.view?.round.number ?? 0;
    drawEntry();
    drawNext();
  }
}

function untyped() {
  faces = faces.slice(0, -1);
  drawEntry();
  drawNext();
}

// ---------------------------------------------------------------- drawing

function draw() {
  const { view, crew } = table;
  if (!view) return;
  if (view.set_up) {
    setCurrency(view.set_up.currency);
    void drawCloth(view.set_up);
  }
  // What was typed is for these dice: a void or another round takes it away, unless it is on its way to the table.
  if (!busy && (upcoming()?.do !== "uncover" || view.round.number !== facesOf)) faces = [];
  drawState(view, crew);
  drawEntry();
  drawNext();
  drawSteps(crew);
  redraw(ui.work, breachesPanel(desk), losersPanel(desk), payoutsPanel(desk));
  redraw(ui.players, playersPanel(desk));
  const buttons = TROUBLE.map(([action, key]) =>
    actionButton(desk, action, { ...(key ? { key } : {}), run: () => void ask(desk, action, presets(action)) }),
  );
  redraw(ui.trouble, ...buttons);
  drawFacts(view, crew);
  drawChips(view);
}

/** What is known already when an action is asked for. @param {string} action */
function presets(action) {
  const dice = table.view?.round.dice;
  if (action === "amend-entry") return { dice };
  if (action === "resolve-interruption") return { readable: dice ?? [], dice };
  return {};
}

/**
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
  else if (round.phase === "bets-closed" && round.tumbles > 0 && next?.do === "uncover" && !faces.length)
    tumbler.tumble();
  else tumbler.cover();
  document.body.dataset.phase = round.phase;
}

/** The entry terminal, or the faces of the dice that are uncovered. */
function drawEntry() {
  const { view, crew } = table;
  const phase = view?.round.phase;
  const terminal = crew?.procedure?.terminal && (phase === "announced" || phase === "uncovered" || phase === "entered");
  const uncovering = crew?.next?.do === "uncover" && table.mode !== "automatic";
  const now = JSON.stringify([
    terminal,
    uncovering,
    phase,
    terminal ? [view?.round.pressed, view?.round.entered] : faces,
  ]);
  if (ui.entry.dataset.now === now) return;
  const had = ui.entry.contains(document.activeElement)
    ? /** @type {HTMLElement} */ (document.activeElement).dataset.face
    : undefined;
  ui.entry.dataset.now = now;
  ui.entry.hidden = !terminal && !uncovering;
  if (ui.entry.hidden) return put(ui.entry);
  const shown = terminal ? (view?.round.entered ?? view?.round.pressed ?? []) : faces;
  const open = uncovering || phase !== "entered";
  put(
    ui.entry,
    h("h2", null, t(terminal ? "deal.terminal" : "deal.faces")),
    h(
      "div",
      { class: "slots", role: "status", "aria-label": shown.length ? shown.join("-") : t("deal.nothing") },
      ...[0, 1, 2].map((place) =>
        h(
          "span",
          { class: "slot", "aria-hidden": "true" },
          shown[place] ? (terminal ? String(shown[place]) : dieFace(shown[place])) : "",
        ),
      ),
    ),
    open &&
      h(
        "div",
        { class: "keypad" },
        ...[1, 2, 3, 4, 5, 6].map((face) =>
          h(
            "button",
            { "data-face": face, "aria-label": t("deal.face", { n: face }), onclick: () => typed(face) },
            String(face),
          ),
        ),
        uncovering && h("button", { "data-face": "back", "aria-label": t("deal.key.back"), onclick: untyped }, "⌫"),
      ),
  );
  if (had) /** @type {HTMLElement | null} */ (ui.entry.querySelector(`[data-face="${had}"]`))?.focus();
}

function drawNext() {
  const next = upcoming();
  const automatic = table.mode === "automatic" && next?.do !== "resolve-interruption";
  const why = next ? whyNot(desk, next.do) : null;
  const short = next?.do === "uncover" && faces.length < 3;
  let words = t("deal.nothing-next");
  if (next)
    words =
      next.do === "tumble"
        ? t("deal.tumble", { n: next.times ?? 0 })
        : next.do === "uncover" && !short
          ? t("deal.uncover", { dice: faces.join("-") })
          : actionName(next.do);
  const key = next && !automatic ? "Enter" : "";
  // Left alone while it says the same: a click whose first half was on words that are gone is none.
  if (ui.next.textContent !== words + key)
    put(ui.next, h("span", null, words), key && h("kbd", { "aria-hidden": "true" }, key));
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

// ---------------------------------------------------------------- the felt

/** @param {import("../lib/types").SetUp} setUp */
async function drawCloth(setUp) {
  const wanted = `${setUp.book}/${setUp.layout}/${baize()}`;
  if (wanted === drawn) return;
  drawn = wanted;
  try {
    const [sheet, made] = await Promise.all([
      layoutOf(setUp.book, setUp.layout),
      mountFelt(ui.felt, {
        book: setUp.book,
        layout: setUp.layout,
        palette: baize(),
        label: t("play.felt"),
        name: boxWords,
        onPick: (box) => void oneBox(box),
      }),
    ]);
    if (drawn === wanted) [boxes, felt] = [sheet.boxes, made];
    // One that came too late lies on the table all the same: lay the right one over it.
    else drawn = "";
    draw();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (drawn === wanted) drawn = ""; // asked for again at the next change
  }
}

/** Everybody's bets on a box. @param {string} box @returns {[string, number][]} */
function betsOn(box) {
  const view = table.view;
  if (!view) return [];
  if (view.round.phase === "betting")
    return Object.entries(view.stakes)
      .filter(([, each]) => each[box])
      .map(([player, each]) => [player, each[box]]);
  return view.round.bets.filter((bet) => bet[1] === box).map((bet) => [bet[0], bet[2]]);
}

/** @param {string} box */
function boxWords(box) {
  const total = table.view?.totals[box];
  return total ? `${boxName(box)}${t("list.comma")}${money(total)}` : boxName(box);
}

/** What lies in a box, and what a dealer may do about it. @param {string} box */
async function oneBox(box) {
  const bets = betsOn(box);
  const round = table.view?.round.number;
  const room = table.view?.room?.[box];
  const chosen = await dialog(boxName(box), (/** @type {(answer: string | null) => void} */ close) => [
    bets.length
      ? h(
          "table",
          null,
          h(
            "tbody",
            null,
            ...bets.map(([player, amount]) =>
              h("tr", null, h("th", { scope: "row" }, player), h("td", { class: "number" }, money(amount))),
            ),
          ),
        )
      : h("p", { class: "muted" }, t("deal.empty-box")),
    typeof room === "number" &&
      h("p", { class: "muted" }, room > 0 ? t("play.room", { amount: money(room) }) : t("play.full")),
    h(
      "div",
      { class: "row" },
      ...["place-bet", "withdraw-bet", "reject-excess", "advise-minimum", "correct-bet", "rule-on-line"].map((action) =>
        actionButton(desk, action, { run: () => close(action) }),
      ),
    ),
  ]);
  if (chosen) await ask(desk, chosen, { box, lies_on: box, player: bets[0]?.[0] }, { round });
}

/** @param {View} view */
function drawChips(view) {
  if (!felt || !view.set_up) return;
  const { round } = view;
  felt.chips(round.phase === "between-rounds" ? {} : view.totals, { denominations: view.set_up.denominations });
  felt.light(round.lit.length && round.phase !== "between-rounds" ? round.lit : null);
  const lit = new Set(round.lit);
  /** @type {Crew | null} */
  const crew = table.crew;
  const known = crew?.losers?.map((each) => each.box) ?? [];
  felt.mark("picked", known);
  felt.markChips(
    "lost",
    (box) =>
      round.phase === "collected" && !(crew?.payouts ?? []).some((each) => each.box === box && each.returned > 0),
  );
  felt.markChips("won", (box) => round.phase === "collected" && lit.has(box));
  felt.mark(
    "over",
    (crew?.breaches ?? []).map((each) => each.box),
  );
  felt.names(boxWords);
}

// ---------------------------------------------------------------- keys

/** What had the focus last, unless somebody has pointed elsewhere since. @type {EventTarget | null} */
let focused = null;
addEventListener("focusin", (event) => (focused = event.target));
addEventListener("pointerdown", () => (focused = null));

addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector("dialog[open]") || target.closest("input, select, textarea")) return;
  const key = event.key.toLowerCase();
  if (key === "enter" || key === " ") {
    if (target !== ui.next && target !== document.body && !target.closest(".keypad")) return;
    event.preventDefault();
    // What had the focus may be gone since: the key was meant for that, and not for the next step.
    if (target === document.body && focused instanceof Node && !focused.isConnected) ui.next.focus();
    else void step();
  } else if (/^[1-6]$/.test(key)) {
    typed(Number(key));
  } else if (key === "backspace") {
    untyped();
  } else if (key === "a" && whyNot(desk, "pay-all") === null) {
    void act(desk, { do: "pay-all" });
  } else if (key === "x") {
    const over = table.crew?.breaches?.find(
      (/** @type {import("../lib/types").Breach} */ each) => each.player === null,
    );
    if (over) void act(desk, { do: "reject-excess", box: over.box });
  } else if (key === "n" && whyNot(desk, "sit-down") !== undefined) {
    event.preventDefault();
    void ask(desk, "sit-down");
  } else if (key === "k" && table.crew) {
    event.preventDefault();
    void seatCode(desk);
  } else {
    const found = TROUBLE.find((each) => each[1] === key);
    if (!found || whyNot(desk, found[0]) === undefined) return;
    event.preventDefault();
    void ask(desk, found[0], presets(found[0])).then(() => ui.next.focus({ preventScroll: true }));
  }
});
ui.next.addEventListener("click", () => void step());
addEventListener("baize", () => draw());

// ---------------------------------------------------------------- begin

const who = await me().catch(() => null);
if (!who || who.player) {
  put(
    $("#main"),
    h(
      "div",
      { class: "wrap" },
      h(
        "section",
        { class: "panel" },
        h("h1", null, t("deal.sign-in")),
        h("p", null, t("home.crew-words")),
        h(
          "p",
          { class: "row" },
          h("a", { class: "button main", href: `/sign-in?post=dealer&table=${part(name)}` }, t("nav.sign-in")),
        ),
      ),
    ),
  );
} else {
  watchIdle(who);
  onUnlock(() => {
    // While it was locked, nothing of the crew's came.
    table.watch();
    ui.next.focus({ preventScroll: true });
  });
  table.on("change", draw);
  table.on("crew", draw);
  table.on("hello", () => {
    draw();
    if (!table.you) say(ui.why, t("deal.not-here"));
  });
  watchConnection(table);
  table.connect();
  ui.next.focus({ preventScroll: true });
}
