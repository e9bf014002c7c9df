// One table as its supervisor sees it: the opening check, supervisors' commands, disputes, figures, past rounds.
// Enters: the crew's view over the play socket. Leaves: commands, with a reason and a second person where needed.

import { act, actionButton } from "../deal/actions.js";
import { ask, askButton } from "../deal/ask.js";
import { presetsOf } from "../deal/forms.js";
import { onUnlock, stopped } from "../deal/lock.js";
import { playersPanel } from "../deal/people.js";
import { get, part, Refusal } from "../lib/api.js";
import { boxName, layoutOf } from "../lib/boxes.js";
import { GROUPS } from "../lib/commands.js";
import { diceRow } from "../lib/dice.js";
import { h, put } from "../lib/dom.js";
import { t, voidWhy } from "../lib/i18n.js";
import { dateTime, money, percent, setCurrency, time } from "../lib/money.js";
import { clauseLinks, redraw, roundLink, toast, watchConnection } from "../lib/shell.js";
import { Table } from "../lib/table.js";
import { enabling } from "./house.js";
import { limitsDialog } from "./setup.js";

/** @typedef {import("../deal/actions.js").Desk} Desk */
/** @typedef {import("../lib/types").CrewView} Crew */
/** @typedef {import("../lib/types").PublicView} View */

/** Groups of commands on this screen. @type {import("../lib/commands.js").Group[]} */
const SHOWN = ["pit.round", "pit.table", "pit.dice", "pit.rulings"];
const ROUNDS = 12;

/**
 * Dice, float, opening check and opening, while the table is closed.
 * @param {Desk} desk
 * @param {View} view
 * @param {Crew} crew
 */
function openingPanel(desk, view, crew) {
  if (view.phase !== "closed") return null;
  const set = crew.dice_in ? crew.dice_sets[crew.dice_in] : null;
  const waiting = () =>
    Object.entries(desk.crew()?.dice_sets ?? {})
      .filter(([, each]) => !each.retired_at && !each.seal)
      .map(([name]) => name);
  /** @type {(done: boolean, words: string, ...more: any[]) => HTMLElement} */
  const row = (done, words, ...more) =>
    h(
      "li",
      { class: done ? "done" : "" },
      h("span", { class: "alert-mark", "aria-hidden": "true" }, done ? "✓" : "·"),
      h("div", { class: "grow" }, words),
      ...more,
    );
  const items = (crew.opening ?? []).map((item) => {
    const check = crew.checks[item.item];
    const say = (/** @type {boolean} */ passed) => void act(desk, { do: "check-item", item: item.item, passed });
    const state =
      check &&
      h(
        "span",
        { class: check.passed ? "tag good" : "tag bad" },
        t(check.passed ? "pit.passed-by" : "pit.failed-by", { who: check.by, time: time(check.at) }),
      );
    const test = item.item === "test-run" && testRuns(desk, crew);
    const made = row(
      check?.passed === true,
      item.summary,
      clauseLinks(view.set_up?.book ?? "", item.clauses),
      state,
      test,
      actionButton(desk, "check-item", { for: `${item.item} pass`, words: t("pit.pass"), run: () => say(true) }),
      actionButton(desk, "check-item", { for: `${item.item} fail`, words: t("pit.fail"), run: () => say(false) }),
    );
    made.dataset.item = item.item;
    made.children[1].setAttribute("lang", "en");
    return made;
  });
  return h(
    "section",
    { class: "panel opening" },
    h("h2", null, t("pit.opening")),
    h(
      "ol",
      { class: "checks" },
      row(
        Boolean(set?.sound),
        set ? t("pit.dice-sealed", { set: crew.dice_in ?? "", seal: set.seal ?? "" }) : t("pit.dice-none"),
        askButton(desk, "receive-dice"),
        actionButton(desk, "seal-dice", { run: () => void ask(desk, "seal-dice", { dice_set: waiting().at(-1) }) }),
      ),
      row(
        crew.float > 0,
        crew.float ? t("pit.float-is", { amount: money(crew.float) }) : t("pit.float-none"),
        askButton(desk, "count-float"),
      ),
      ...items,
    ),
    h(
      "p",
      { class: "row" },
      actionButton(desk, "open-table", { class: "main", run: () => void act(desk, { do: "open-table" }) }),
      h("a", { class: "button", href: `#setup/${part(view.table)}` }, t("pit.set-up-again")),
    ),
  );
}

/**
 * The next test run, with the areas that must light, and how many are left.
 * @param {Desk} desk
 * @param {Crew} crew
 */
function testRuns(desk, crew) {
  const runs = crew.test_runs;
  if (!runs) return askButton(desk, "test-run");
  const { next } = runs;
  return h(
    "span",
    { class: "test-runs" },
    next
      ? t("pit.test-next", { dice: next.dice.join("-"), n: runs.left, lit: next.lit.map(boxName).join(", ") })
      : t("pit.tests-done", { n: runs.done }),
    " ",
    actionButton(desk, "test-run", { run: () => void makeTestRun(desk) }),
  );
}

/**
 * The run that is next when the button is pressed: the button outlives the view it was drawn from.
 * @param {Desk} desk
 */
function makeTestRun(desk) {
  const next = desk.crew()?.test_runs?.next;
  const words = next ? [h("p", null, t("pit.test-lit", { lit: next.lit.map(boxName).join(", ") }))] : [];
  return ask(desk, "test-run", { dice: next?.dice }, { words });
}

/**
 * @param {Desk} desk
 * @param {Crew} crew
 */
function disputesPanel(desk, crew) {
  const all = Object.entries(crew.disputes).reverse();
  if (!all.length) return null;
  return h(
    "section",
    { class: "panel" },
    h("h2", null, t("pit.disputes-title")),
    h(
      "ul",
      { class: "alerts" },
      ...all.map(([id, each]) =>
        h(
          "li",
          { class: `alert ${each.resolution ? "cleared" : ""}`, "data-dispute": id },
          h("span", { class: "alert-mark", "aria-hidden": "true" }, each.resolution ? "✓" : "?"),
          h(
            "div",
            { class: "grow" },
            h(
              "p",
              null,
              h("strong", null, id),
              ` · ${each.player} · `,
              roundLink(desk.table.name, each.round, t("history.round", { n: each.round })),
              ` · ${dateTime(each.opened_at)}`,
            ),
            h("p", null, each.claim),
            each.resolution && h("p", { class: "by" }, each.resolution),
          ),
          !each.resolution && askButton(desk, "resolve-dispute", { for: id }, { dispute: id }),
        ),
      ),
    ),
  );
}

/** @param {Crew} crew */
function figuresPanel(crew) {
  const { result, meters } = crew;
  const rows = [
    [t("deal.float"), money(crew.float)],
    [t("deal.drop"), money(crew.drop)],
    [t("pit.opener"), money(result.opener)],
    [t("pit.fills"), money(result.fills)],
    [t("pit.credits"), money(result.credits)],
    [t("pit.turnover"), money(meters.staked)],
    [t("pit.rounds"), meters.rounds],
    [t("pit.win"), money(result.win)],
    [t("pit.hold"), result.hold === null ? "–" : percent(result.hold)],
    [t("pit.exposure"), crew.exposure ? `${money(crew.exposure.loss)} (${crew.exposure.dice.join("-")})` : "–"],
  ];
  return h(
    "section",
    { class: "panel" },
    h("h2", null, t("pit.figures")),
    h(
      "dl",
      { class: "figures" },
      ...rows.map(([label, value]) => h("div", null, h("dt", null, label), h("dd", { class: "number" }, value))),
    ),
  );
}

/** @param {View} view */
function roundsPanel(view) {
  const last = view.results.slice(-ROUNDS).reverse();
  if (!last.length) return null;
  return h(
    "section",
    { class: "panel" },
    h("h2", null, t("pit.last-rounds")),
    h(
      "div",
      { class: "scroll", tabindex: "0" },
      h(
        "table",
        null,
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            h("th", { scope: "col" }, t("pit.round")),
            h("th", { scope: "col" }, t("pit.dice")),
            h("th", { scope: "col" }, t("pit.call")),
            h("th", { scope: "col" }, t("pit.ended")),
          ),
        ),
        h(
          "tbody",
          null,
          ...last.map((each) =>
            h(
              "tr",
              { "data-round": each.number },
              h("td", { class: "number" }, roundLink(view.table, each.number, String(each.number))),
              h("td", null, each.dice ? diceRow(each.dice, 20) : "–"),
              h(
                "td",
                null,
                each.void
                  ? h("span", { class: "tag bad" }, t("result.void", { why: voidWhy(each.void) }))
                  : h("span", { lang: "en" }, each.call),
                each.reversed && h("span", { class: "tag bad" }, t("pit.reversed")),
              ),
              h("td", null, time(each.ended_at)),
            ),
          ),
        ),
      ),
    ),
  );
}

/** The round as it stands: dice, entry, call. @param {View} view */
function roundFacts(view) {
  const { round } = view;
  if (view.phase !== "open" || !round.number) return null;
  const entered = round.entered ?? (round.pressed.length ? round.pressed : null);
  return h(
    "p",
    { class: "row round-facts" },
    h("span", { class: "tag" }, t("history.round", { n: round.number })),
    round.dice && diceRow(round.dice, 26),
    round.call && h("span", { lang: "en" }, round.call),
    entered && h("span", { class: "tag" }, t("pit.entered", { dice: entered.join("-") })),
  );
}

/** @type {import("./pit.js").Open} */
export async function open(host, name) {
  const state = h("span", { class: "tag" });
  const trouble = h("p", { class: "fault", role: "alert", hidden: true });
  const body = h("div", { class: "table-part" });
  const disabling = h("span", { class: "row" });
  put(
    host,
    h(
      "div",
      { class: "row part-top" },
      h("a", { class: "button", href: "#floor" }, t("pit.back")),
      h("h2", null, t("play.at", { table: name })),
      state,
      h("span", { class: "grow" }),
      h("a", { class: "button", href: `/deal?table=${part(name)}` }, t("home.deal")),
      h("a", { class: "button", href: `#journal/${part(name)}` }, t("pit.part.journal")),
      disabling,
    ),
    trouble,
    body,
  );
  await get(`/api/tables/${part(name)}`);
  const table = new Table(name);
  /** @type {string[]} */
  let boxes = [];
  let drawn = "";
  /** @type {Desk} */
  const desk = {
    table,
    crew: () => table.crew,
    // Until the layout's sheet has been loaded, the boxes that the table knows.
    boxes: () => (boxes.length ? boxes : Object.keys(table.view?.room ?? {})),
    stopped,
    acted: () => toast(t("pit.done"), { kind: "good" }),
  };

  async function drawDisabling() {
    const floor = await get("/api/floor").catch(() => null);
    const card = floor?.tables.find((/** @type {import("../lib/types").TableCard} */ each) => each.table === name);
    if (card)
      put(
        disabling,
        enabling(name, card.disabled, () => void drawDisabling()),
      );
  }

  /** The boxes of the layout. @param {import("../lib/types").SetUpState} setUp */
  async function learnBoxes(setUp) {
    const wanted = `${setUp.book}/${setUp.layout}`;
    if (wanted === drawn) return;
    drawn = wanted;
    try {
      const sheet = await layoutOf(setUp.book, setUp.layout);
      if (drawn === wanted) boxes = sheet.boxes;
    } catch (error) {
      // Requested again at the next change.
      if (drawn === wanted) drawn = "";
      if (!(error instanceof Refusal)) throw error;
    }
  }

  function draw() {
    const { view, crew } = table;
    if (!view || !crew) return;
    const setUp = view.set_up;
    if (setUp) {
      setCurrency(setUp.currency);
      void learnBoxes(setUp);
    }
    const { round } = view;
    const stopped = round.interrupted ? "stage.interrupted" : view.suspended ? "stage.suspended" : "";
    state.textContent = t(stopped || `phase.${view.phase === "open" ? round.phase : view.phase}`);
    state.className = stopped ? "tag bad" : "tag";
    const bad = round.interrupted
      ? `${t("stage.interrupted")}: ${round.interrupted}`
      : view.suspended
        ? `${t("stage.suspended")}: ${view.suspended}`
        : "";
    trouble.hidden = !bad;
    if (trouble.textContent !== bad) trouble.textContent = bad;
    const run = /** @type {Record<string, () => void>} */ ({ "set-limits": () => void limitsDialog(desk) });
    redraw(
      body,
      view.phase === "new" &&
        h(
          "section",
          { class: "panel" },
          h("p", null, t("phase.new")),
          h("a", { class: "button main", href: `#setup/${part(name)}` }, t("pit.put-up")),
        ),
      openingPanel(desk, view, crew),
      disputesPanel(desk, crew),
      ...SHOWN.map((group) =>
        h(
          "section",
          { class: "panel" },
          h("h2", null, t(`pit.group.${group.slice("pit.".length)}`)),
          group === "pit.round" && roundFacts(view),
          h(
            "div",
            { class: "row" },
            ...GROUPS[group].map((action) =>
              actionButton(desk, action, {
                run: run[action] ?? (() => void ask(desk, action, presetsOf(action, table.view?.round))),
              }),
            ),
          ),
        ),
      ),
      setUp && figuresPanel(crew),
      view.phase === "open" && playersPanel(desk),
      roundsPanel(view),
    );
  }

  table.on("change", draw);
  table.on("crew", draw);
  watchConnection(table);
  table.connect();
  drawDisabling().catch((error) => {
    if (!(error instanceof Refusal)) throw error;
  });
  const stop = onUnlock(() => table.watch()); // the crew's view is not sent to a locked session
  return () => (stop(), table.close());
}
