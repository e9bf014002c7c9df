// Training: a drill for dealers. A felt with chips and a roll: call, collect, pay, and judge irregularities.
// Enters: /train, perhaps with ?layout=B/L&level=2&seed=monday, which always gives the same drill. The server makes and
// marks drills (/api/training); no payout is computed here. Results stay in this browser.

import { part, post } from "../lib/api.js";
import { layoutOf } from "../lib/boxes.js";
import { $, h, put, query } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { dateTime } from "../lib/money.js";
import { keep, pref } from "../lib/prefs.js";
import { showRefusal, startPage } from "../lib/shell.js";
import { books, knownLayout, layoutChoice } from "../rules/parts.js";
import { clock } from "./answers.js";
import { Exercise } from "./drill.js";

/** @typedef {import("./drill.js").Drill} Drill */
/**
 * @typedef {{at: number, layout: string, level: number, seed: string, percent: number, passed: boolean,
 *   seconds: number, par_s: number}} Kept
 */

const LEVELS = [1, 2, 3, 4];
const KEPT_MOST = 50;
const SHOWN = 8;

await startPage({ title: "train.title", nav: "train" });
const all = await books();
let layout = knownLayout(all, query("layout") || pref("train.layout", ""));
let level = LEVELS.includes(Number(query("level"))) ? Number(query("level")) : pref("train.level", 1);
const main = $("#main");

/** Results in this browser, newest last. @returns {Kept[]} */
const results = () => pref("train.results", /** @type {Kept[]} */ ([]));

// ---------------------------------------------------------------- the start

/** Counts drills requested and returns to the start: an answer to an earlier request is too late. */
let turn = 0;

/** @param {string} seed */
function start(seed) {
  turn += 1;
  const seedInput = h("input", {
    name: "seed",
    maxlength: 40,
    value: seed,
    autocomplete: "off",
    placeholder: t("train.seed-new"),
  });
  const levels = h(
    "fieldset",
    { class: "levels" },
    h("legend", null, t("train.level")),
    ...LEVELS.map((each) =>
      h(
        "label",
        { class: "level" },
        h("input", {
          type: "radio",
          name: "level",
          value: each,
          checked: each === level,
          onchange: () => (level = each),
        }),
        h(
          "span",
          null,
          h("strong", null, t("train.level-n", { n: each })),
          h("span", { class: "muted" }, t(`train.level-${each}`)),
          best(each),
        ),
      ),
    ),
  );
  const form = h(
    "form",
    { class: "panel" },
    h("p", null, t("train.words")),
    layoutChoice(t("rules.layout"), all, layout, (chosen) => {
      layout = chosen;
      start(seedInput.value);
    }),
    levels,
    h(
      "label",
      { class: "field" },
      h("span", null, t("train.seed")),
      seedInput,
      h("span", { class: "muted hint" }, t("train.seed-words")),
    ),
    h("button", { class: "main big", type: "submit" }, t("train.begin")),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void begin(seedInput.value.trim());
  });
  put(
    main,
    h(
      "div",
      { class: "wrap train" },
      h("h1", null, t("train.title")),
      h(
        "div",
        { class: "start" },
        form,
        h("section", { class: "panel" }, h("h2", null, t("train.results")), history()),
      ),
    ),
  );
}

/** The best result of a level on this layout. @param {number} each */
function best(each) {
  const mine = results().filter((one) => one.level === each && one.layout === layout);
  if (!mine.length) return null;
  const top = mine.reduce((one, two) =>
    two.percent > one.percent || (two.percent === one.percent && two.seconds < one.seconds) ? two : one,
  );
  return h(
    "span",
    { class: `tag ${top.passed ? "good" : ""}` },
    t("train.best", { percent: top.percent, time: clock(top.seconds) }),
  );
}

function history() {
  const shown = results().slice(-SHOWN).reverse();
  if (!shown.length) return h("p", { class: "muted" }, t("train.no-results"));
  return h(
    "ul",
    { class: "kept" },
    ...shown.map((each) =>
      h(
        "li",
        null,
        h("span", { class: `tag ${each.passed ? "good" : "bad"}` }, `${each.percent} %`),
        h(
          "span",
          null,
          h("strong", null, `${each.layout} · ${t("train.level-n", { n: each.level })}`),
          h("br"),
          h("span", { class: "muted" }, `${clock(each.seconds)} · ${dateTime(each.at)}`),
        ),
        h(
          "button",
          {
            "aria-label": t("train.repeat-seed", { seed: each.seed }),
            onclick: () => ((layout = each.layout), (level = each.level), start(each.seed)),
          },
          t("train.repeat"),
        ),
      ),
    ),
  );
}

/** @param {string} seed */
async function begin(seed) {
  const mine = ++turn;
  try {
    /** @type {Drill} */
    const drill = await post("/api/training/drill", { layout, level, seed });
    await layoutOf(drill.book, drill.layout);
    if (mine !== turn) return;
    layout = layoutName(drill);
    level = drill.level;
    keep("train.layout", layout);
    keep("train.level", level);
    window.history.replaceState(null, "", `/train?layout=${layout}&level=${level}&seed=${part(drill.seed)}`);
    await new Exercise(drill, { leave: start, again, marked }).run();
  } catch (error) {
    if (mine === turn) showRefusal(error);
  }
}

/** The layout of a drill, as BOOK/LAYOUT. @param {Drill} drill */
function layoutName(drill) {
  return `${drill.book}/${drill.layout}`;
}

/**
 * @param {string} seed
 * @param {number} wanted
 */
function again(seed, wanted) {
  level = wanted;
  void begin(seed);
}

/**
 * Store a result in this browser.
 * @param {import("./marks.js").Marks} marks
 * @param {Drill} drill
 */
function marked({ percent, passed, seconds, par_s }, drill) {
  const { level: reached, seed } = drill;
  const of = layoutName(drill);
  const result = { at: Date.now() * 1000, layout: of, level: reached, seed, percent, passed, seconds, par_s };
  keep("train.results", [...results(), result].slice(-KEPT_MOST));
}

start(query("seed"));
