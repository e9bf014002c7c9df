// A set of bets over all 216 rolls: people tap boxes to build it, and the server computes every figure.
// Enters: book, layout, and perhaps ?bets=small=100,total:9=50 (minor units). Leaves: figures, a chart of results, and
// all rolls coloured by result. The bets are kept in the address, so that it can be shared.

import { mountFelt } from "../felt/felt.js";
import { post, Refusal } from "../lib/api.js";
import { boxName } from "../lib/boxes.js";
import { h, put, query, s, say } from "../lib/dom.js";
import { t, tn } from "../lib/i18n.js";
import { chip, money, number, percent, signed } from "../lib/money.js";
import { baize, showRefusal } from "../lib/shell.js";
import { exactly, sections } from "./parts.js";

/** @typedef {import("../lib/types").Exact} Exact */
/**
 * @typedef {object} BetsOdds
 * @property {number} staked
 * @property {Exact} hit_frequency
 * @property {Exact} ahead
 * @property {Exact} return
 * @property {Exact} edge
 * @property {Exact} expected_net
 * @property {Exact} variance
 * @property {boolean} below_75
 * @property {number} exposure
 * @property {{dice: number[], player_net: number}} house_worst
 * @property {{net: number, ways: number}[]} distribution
 * @property {{dice: number[], net: number}[]} rolls
 */

const CHIPS = [100, 500, 2500, 10000];
const FACES = [1, 2, 3, 4, 5, 6];

/** The class of a result; a sign says the same without colour. @param {number} net */
const kind = (net) => (net > 0 ? "up" : net < 0 ? "down" : "even");

/**
 * @param {HTMLElement} host
 * @param {{book: string, layout: string, boxes: Set<string>}} where
 */
export async function betsPanel(host, { book, layout, boxes }) {
  /** @type {Map<string, number>} */
  const bets = new Map();
  for (const each of query("bets").split(/[\s,]+/)) {
    const [, box, amount] = /^([a-z0-9:-]+)=(\d{1,12})$/.exec(each) ?? [];
    if (boxes.has(box) && Number(amount) > 0) bets.set(box, Number(amount));
  }
  let value = CHIPS[1];
  let asked = 0;
  const rail = h("div", { class: "row rail", role: "group", "aria-label": t("play.chips") });
  const list = h("ul", { class: "bet-list" });
  const answer = h("div", { class: "answer", "aria-live": "off" });
  const told = h("p", { class: "visually-hidden", role: "status" });
  const feltHost = h("div", { class: "felt-scroll" });
  const partsHost = h("div");
  put(
    host,
    h("h2", { id: "bets-title" }, t("rules.bets")),
    h("p", { class: "muted" }, t("rules.bets-words")),
    rail,
    partsHost,
    feltHost,
    list,
    told,
    answer,
  );
  const felt = await mountFelt(feltHost, {
    book: decodeURIComponent(book),
    layout: decodeURIComponent(layout),
    palette: baize(),
    label: t("rules.bets"),
    name: (box) =>
      bets.has(box) ? t("rules.box-bet", { box: boxName(box), amount: money(bets.get(box) ?? 0) }) : boxName(box),
    onPick: (box) => change(box, value),
  });
  put(partsHost, sections(felt));

  function drawRail() {
    put(
      rail,
      ...CHIPS.map((each, place) =>
        h(
          "button",
          {
            class: `chip-button rail-${place}`,
            "aria-pressed": String(each === value),
            "aria-label": t("play.place", { amount: money(each) }),
            onclick: () => ((value = each), drawRail()),
          },
          chip(each),
        ),
      ),
      h("button", { onclick: () => (bets.clear(), void draw()) }, t("play.clear")),
    );
  }

  /**
   * @param {string} box
   * @param {number} amount
   */
  function change(box, amount) {
    const now = (bets.get(box) ?? 0) + amount;
    if (now > 0) bets.set(box, now);
    else bets.delete(box);
    void draw();
  }

  async function draw() {
    felt.chips(Object.fromEntries(bets), { own: true, denominations: CHIPS });
    felt.names();
    put(
      list,
      ...[...bets].map(([box, amount]) =>
        h(
          "li",
          { "data-box": box },
          h("span", null, boxName(box)),
          h("strong", { class: "number" }, money(amount)),
          h(
            "button",
            {
              class: "x",
              "aria-label": t("rules.take-off", { box: boxName(box) }),
              onclick: () => change(box, -amount),
            },
            "×",
          ),
        ),
      ),
    );
    const text = [...bets].map(([box, amount]) => `${box}=${amount}`).join(",");
    const address = new URL(location.href);
    if (text) address.searchParams.set("bets", text);
    else address.searchParams.delete("bets");
    history.replaceState(null, "", address);
    asked += 1;
    const mine = asked;
    if (!text) {
      put(answer, h("p", { class: "muted" }, t("rules.no-bets")));
      return;
    }
    try {
      /** @type {BetsOdds} */
      const odds = await post(`/api/books/${book}/layouts/${layout}/odds`, { bets: text });
      if (mine === asked) show(odds);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      showRefusal(error);
    }
  }

  /** @param {BetsOdds} odds */
  function show(odds) {
    say(told, t("rules.bets-told", { staked: money(odds.staked), return: percent(odds.return.value, 2) }));
    put(answer, facts(odds), chart(odds), grid(odds));
  }

  drawRail();
  await draw();
}

/** @param {BetsOdds} odds */
function facts(odds) {
  const worst = odds.house_worst;
  /** @type {[string, import("../lib/dom.js").Child[]][]} */
  const lines = [
    ["staked", [money(odds.staked)]],
    ["hit", exactly(odds.hit_frequency)],
    ["ahead", exactly(odds.ahead)],
    ["return", [...exactly(odds.return), odds.below_75 && h("span", { class: "tag warn" }, t("rules.below-75"))]],
    ["edge", exactly(odds.edge)],
    [
      "expected",
      [
        signed(Math.round(odds.expected_net.value)),
        " ",
        h("span", { class: "exact" }, t("rules.minor", { n: odds.expected_net.exact })),
      ],
    ],
    [
      "deviation",
      [
        money(Math.round(Math.sqrt(odds.variance.value))),
        " ",
        h("span", { class: "exact" }, `√(${odds.variance.exact})`),
      ],
    ],
    [
      "worst",
      odds.exposure
        ? [t("rules.worst-on", { dice: worst.dice.join("-"), amount: money(odds.exposure) })]
        : [t("rules.worst-none")],
    ],
  ];
  return h(
    "dl",
    { class: "facts" },
    ...lines.map(([name, inside]) =>
      h("div", { "data-fact": name }, h("dt", null, t(`rules.fact-${name}`)), h("dd", null, ...inside)),
    ),
  );
}

/**
 * How many rolls give each result, as bars and as a table.
 * @param {BetsOdds} odds
 */
function chart(odds) {
  const all = odds.distribution;
  const [width, height, left, foot] = [720, 240, 34, 46];
  const most = Math.max(...all.map((each) => each.ways));
  const step = (width - left - 8) / all.length;
  const bar = Math.max(2, Math.min(56, step * 0.74));
  const each = Math.ceil(all.length / 12);
  const y = (/** @type {number} */ ways) => 18 + (height - foot - 18) * (1 - ways / most);
  const bars = all.map(({ net, ways }, place) => {
    const x = left + step * (place + 0.5);
    return s(
      "g",
      { class: `bar ${kind(net)}` },
      s("title", null, `${signed(net)}: ${tn("rules.ways", ways)}`),
      s("rect", { x: x - bar / 2, y: y(ways), width: bar, height: Math.max(1, height - foot - y(ways)), rx: 3 }),
      all.length <= 24 && s("text", { x, y: y(ways) - 5 }, ways),
      place % each === 0 &&
        s(
          "text",
          { x, y: height - foot + 18, class: "net" },
          (net > 0 ? "+" : net < 0 ? "−" : "") + chip(Math.abs(net)),
        ),
    );
  });
  return h(
    "figure",
    { class: "chart" },
    h("figcaption", null, h("h3", null, t("rules.chart")), h("p", { class: "muted" }, t("rules.chart-words"))),
    s(
      "svg",
      {
        viewBox: `0 0 ${width} ${height}`,
        role: "img",
        "aria-label": t("rules.chart-label", {
          n: all.length,
          least: signed(all[0].net),
          most: signed(all[all.length - 1].net),
        }),
      },
      s("line", { x1: left, x2: width, y1: height - foot, y2: height - foot, class: "axis" }),
      ...bars,
    ),
    h(
      "details",
      null,
      h("summary", null, t("rules.chart-table")),
      h(
        "table",
        { class: "distribution" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            ...["result", "ways", "chance"].map((name) => h("th", { class: "number" }, t(`rules.col-${name}`))),
          ),
        ),
        h(
          "tbody",
          null,
          ...all.map(({ net, ways }) =>
            h(
              "tr",
              { "data-net": net },
              h("td", { class: "number" }, signed(net)),
              h("td", { class: "number" }, number(ways)),
              h("td", { class: "number" }, percent(ways / 216, 2)),
            ),
          ),
        ),
      ),
    ),
  );
}

/**
 * All 216 rolls: a table for each face of the first die, with the second die in rows and the third in columns.
 * @param {BetsOdds} odds
 */
function grid(odds) {
  const most = Math.max(...odds.rolls.map((each) => Math.abs(each.net)), 1);
  const nets = new Map(odds.rolls.map((each) => [each.dice.join(""), each.net]));
  return h(
    "figure",
    { class: "rolls" },
    h("figcaption", null, h("h3", null, t("rules.rolls")), h("p", { class: "muted" }, t("rules.rolls-words"))),
    h(
      "div",
      { class: most < 100_000 ? "blocks short" : "blocks" },
      ...FACES.map((one) =>
        h(
          "table",
          { class: "block" },
          h("caption", null, t("rules.first-die", { n: one })),
          h("thead", null, h("tr", null, h("td", null), ...FACES.map((three) => h("th", { scope: "col" }, three)))),
          h(
            "tbody",
            null,
            ...FACES.map((two) =>
              h(
                "tr",
                null,
                h("th", { scope: "row" }, two),
                ...FACES.map((three) => {
                  const net = nets.get(`${one}${two}${three}`) ?? 0;
                  const strong = Math.abs(net) * 3 > most ? "strong" : "";
                  return h(
                    "td",
                    {
                      class: `${kind(net)} ${strong}`,
                      "data-roll": `${one}${two}${three}`,
                      "data-net": net,
                      title: `${one}-${two}-${three}: ${signed(net)}`,
                    },
                    (net > 0 ? "+" : net < 0 ? "−" : "") + chip(Math.abs(net)),
                  );
                }),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}
