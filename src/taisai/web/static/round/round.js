// All that is known of one round: bets by player with reasons and clauses, people, times, disputes, records, proofs.
// Enters: /round?table=T&round=N; /api/tables/T/rounds/N. Leaves: elements, and the round as one file.

import { get, me, part, Refusal } from "../lib/api.js";
import { boxName, layoutOf } from "../lib/boxes.js";
import { diceRow } from "../lib/dice.js";
import { $, h, put, query } from "../lib/dom.js";
import { t, voidWhy } from "../lib/i18n.js";
import { dateTime, money, setCurrency, time } from "../lib/money.js";
import { clauseLinks, refusalWords, roundLink, startPage } from "../lib/shell.js";
import { eventName, eventSaid } from "../pit/events.js";

/** @typedef {import("../lib/types").RoundFile} RoundFile */

const name = query("table");
const number = Number(query("round")) || 0;
await startPage({ title: "round.title", bar: () => [h("strong", { class: "bar-table" }, name)] });
const host = h("div", { class: "round-page" });
put($("#main"), host);

/** @param {RoundFile} round */
function head(round) {
  const facts = [
    [t("round.opened"), dateTime(round.opened_at)],
    [t("round.ended"), dateTime(round.ended_at)],
    [t("round.book"), `${round.book}/${round.layout}`],
    [
      t("play.limits"),
      round.limits
        ? t("home.limits", { min: money(round.limits.default.min), max: money(round.limits.default.max) })
        : "–",
    ],
    [t("round.currency"), round.currency],
    [
      t("round.people"),
      round.people.map((each) => (each.name ? `${each.name} (${each.id})` : each.id)).join(t("list.comma")) || "–",
    ],
  ];
  return h(
    "section",
    { class: "panel round-head" },
    h("h1", null, t("round.at", { table: round.table, n: round.number })),
    h(
      "p",
      { class: "row" },
      round.dice && diceRow(round.dice, 44),
      round.call && h("strong", { lang: "en" }, `“${round.call}”`),
      round.void && h("span", { class: "tag bad" }, t("result.void", { why: voidWhy(round.void) })),
      round.reversed && h("span", { class: "tag bad" }, t("pit.reversed")),
      clauseLinks(round.book, round.clauses),
    ),
    h(
      "dl",
      { class: "round-facts" },
      ...facts.map(([label, value]) => h("div", null, h("dt", null, label), h("dd", null, value))),
    ),
    h(
      "p",
      { class: "row" },
      h(
        "a",
        {
          class: "button main",
          "data-action": "download",
          href: `/api/tables/${part(round.table)}/rounds/${round.number}/file`,
          download: `taisai-${round.table}-round-${round.number}.json`,
        },
        t("round.download"),
      ),
      round.number > 1 && roundLink(round.table, round.number - 1, t("round.before")),
      roundLink(round.table, round.number + 1, t("round.after")),
    ),
  );
}

/** @param {string[]} keys @param {Set<string>} [numbers] */
const headings = (keys, numbers = new Set()) =>
  h(
    "thead",
    null,
    h("tr", null, ...keys.map((key) => h("th", { scope: "col", class: numbers.has(key) ? "number" : null }, t(key)))),
  );

/** @param {RoundFile} round */
function bets(round) {
  if (!round.bets.length)
    return h("section", { class: "panel" }, h("h2", null, t("round.bets")), h("p", null, t("round.no-bets")));
  const numbers = new Set(["round.stake", "round.back"]);
  return h(
    "section",
    { class: "panel" },
    h("h2", null, t("round.bets")),
    ...round.players.map((player) => {
      const net = player.returned - player.staked;
      const undone = /** @type {const} */ (["given_back", "taken", "owed", "owing"]).filter((each) => player[each]);
      return h(
        "div",
        { "data-player": player.player },
        h(
          "h3",
          null,
          `${player.player} · ${t("round.net")} `,
          h("span", { class: `number net ${net < 0 ? "down" : ""}` }, `${net > 0 ? "+" : ""}${money(net)}`),
        ),
        player.funds_before !== null &&
          player.funds_after !== null &&
          h(
            "p",
            { class: "muted" },
            t("round.funds", { before: money(player.funds_before), after: money(player.funds_after) }),
          ),
        undone.length > 0 &&
          h("p", null, undone.map((each) => `${t(`round.${each}`)} ${money(player[each])}`).join("; ")),
        h(
          "div",
          { class: "scroll", tabindex: "0", role: "region", "aria-label": player.player },
          h(
            "table",
            null,
            headings(["round.box", "round.stake", "round.back", "round.why"], numbers),
            h(
              "tbody",
              null,
              ...round.bets
                .filter((bet) => bet.player === player.player)
                .map((bet) =>
                  h(
                    "tr",
                    { "data-box": bet.box },
                    h("th", { scope: "row" }, boxName(bet.box)),
                    h("td", { class: "number" }, money(bet.stake)),
                    h("td", { class: "number" }, money(bet.returned)),
                    h("td", null, h("span", { lang: "en" }, bet.why), clauseLinks(round.book, bet.clauses)),
                  ),
                ),
            ),
          ),
        ),
      );
    }),
  );
}

/** @param {RoundFile} round */
function disputes(round) {
  if (!round.disputes.length) return null;
  return h(
    "section",
    { class: "panel", id: "disputes" },
    h("h2", null, t("pit.disputes-title")),
    h(
      "ul",
      { class: "rows" },
      ...round.disputes.map((each) =>
        h(
          "li",
          { "data-dispute": each.dispute },
          h("p", null, h("strong", null, each.dispute), ` · ${each.player} · ${dateTime(each.opened_at)}`),
          h("p", null, each.claim),
          h(
            "p",
            { class: "by" },
            each.resolution ? `${each.resolution} (${each.resolved_by})` : t("deal.dispute-open"),
          ),
        ),
      ),
    ),
  );
}

/** @param {RoundFile} round */
function records(round) {
  return h(
    "section",
    { class: "panel" },
    h("h2", null, t("round.records")),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": t("round.records") },
      h(
        "table",
        { class: "records" },
        headings(["pit.record", "pit.when", "pit.by", "pit.what", "pit.hash", "round.proof"]),
        h(
          "tbody",
          null,
          ...round.records.map((each) =>
            h(
              "tr",
              { id: `record-${each.seq}`, "data-kind": each.kind },
              h("td", { class: "number" }, each.seq),
              h("td", { class: "when" }, time(each.at)),
              h(
                "td",
                null,
                h("strong", null, each.by),
                each.authorised_by && h("p", { class: "by" }, t("pit.with", { who: each.authorised_by })),
              ),
              h(
                "td",
                null,
                h("strong", null, eventName(each.kind)),
                h("dl", { class: "said" }, ...eventSaid(each.what, round.currency)),
                each.reason && h("p", { class: "by" }, `“${each.reason}”`),
              ),
              h("td", null, h("code", { class: "hash", title: each.hash }, each.hash.slice(0, 16))),
              h(
                "td",
                null,
                h(
                  "a",
                  { href: `/api/tables/${part(round.table)}/receipts/${each.seq}`, download: "" },
                  t("round.receipt"),
                ),
              ),
            ),
          ),
        ),
      ),
    ),
    h("p", { class: "muted" }, t("round.proof-words"), " ", h("a", { href: "/verify" }, t("nav.verify"))),
  );
}

async function draw() {
  const who = await me().catch(() => null);
  if (!who || who.player) {
    const address = `/sign-in?post=auditor&table=${part(name)}&round=${number}`;
    return put(
      host,
      h(
        "section",
        { class: "panel" },
        h("h1", null, t("round.title")),
        h("p", null, h("a", { class: "button main", href: address }, t("nav.sign-in"))),
      ),
    );
  }
  try {
    /** @type {RoundFile} */
    const round = await get(`/api/tables/${part(name)}/rounds/${number}`);
    setCurrency(round.currency);
    await layoutOf(round.book, round.layout).catch(() => null); // its names of the boxes
    put(host, head(round), disputes(round), bets(round), records(round));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    put(
      host,
      h(
        "section",
        { class: "panel" },
        h("h1", null, t("round.at", { table: name, n: number })),
        h("p", { class: "fault" }, refusalWords(error)),
      ),
    );
  }
}
await draw();
