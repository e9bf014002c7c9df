// Names and odds of boxes, in the reader's language and the words of the book.
//   const layout = await layoutOf("rws-tai-sai-v6", "C");  payText(layout, "single:1") -> "1 to 1 on one die, ..."
//   boxName("total:9") -> "Total 9";  needs("total:9") -> "a total of 9";  kindName("total") -> "Totals"
//   limitOf(setUp, box) -> {min, max} as on the table's sign
// Odds and names come from the layout (API), limits from the table's view. A name is known once its layout is loaded.

import { getOnce, part } from "./api.js";
import { wear } from "./dice.js";
import { language, learnReasons, t } from "./i18n.js";
import { money } from "./money.js";

/** @typedef {import("./types").LayoutOddsSheet} LayoutSheet */
/** @typedef {import("./types").SetUpState} SetUp */

/** What the layouts that were loaded call things; the last one wins. */
const known = {
  /** @type {Record<string, import("./types").BoxWords>} */
  boxes: {},
  /** @type {Record<string, string>} */
  kinds: {},
};

/** @param {string} box */
export function kindOf(box) {
  return box.split(":")[0];
}

/** The name of a box. @param {string} box */
export function boxName(box) {
  return known.boxes[box]?.name ?? box;
}

/** What a box needs to win. @param {string} box */
export function needs(box) {
  return known.boxes[box]?.needs ?? boxName(box);
}

/** All boxes of a kind, as on the sign. @param {string} kind */
export function kindName(kind) {
  return known.kinds[kind] ?? kind;
}

/**
 * What a draw raised in this round, in words, from the close until the dice are uncovered; nothing at other times.
 * @param {import("./types").RoundView} round
 */
export function raisedWords(round) {
  if (round.phase !== "bets-closed" || !round.raised.length) return "";
  const each = round.raised.map(({ box, pays }) => `${boxName(box)} ${t("odds.to-1", { n: pays })}`);
  return t("play.raised", { boxes: each.join(" · ") });
}

/**
 * A layout with its pay table and its names; fetched once.
 * @param {string} book
 * @param {string} layout
 * @returns {Promise<LayoutSheet>}
 */
export async function layoutOf(book, layout) {
  /** @type {LayoutSheet} */
  const sheet = await getOnce(`/api/books/${part(book)}/layouts/${part(layout)}?lang=${language()}`);
  Object.assign(known.boxes, sheet.words.boxes);
  Object.assign(known.kinds, sheet.words.kinds);
  learnReasons(sheet.words.reasons);
  wear(sheet.words.faces);
  return sheet;
}

/**
 * Odds in words; 0 gives the stake back.
 * @param {number | string} pays
 */
export function oddsText(pays) {
  return pays === 0 ? t("odds.push") : t("odds.to-1", { n: pays });
}

/**
 * When a row pays, where its boxes have several; "" where nothing narrows it.
 * @param {import("./types").PayRowSheet} row
 */
export function caseText(row) {
  if (row.on) return row.on;
  if (row.dice !== null) return t(`odds.on-${row.dice}`);
  return row.when ?? (row.totals ? t("odds.on-totals", { totals: row.totals.join(", ") }) : "");
}

/**
 * What a box pays, in words.
 * @param {LayoutSheet} layout
 * @param {string} box
 */
export function payText(layout, box) {
  const rows = layout.pay.filter((row) => row.boxes.includes(box));
  if (new Set(rows.map((row) => row.pays)).size === 1) return oddsText(rows[0].pays);
  return [...new Set(rows.map(payCase))].join(t("list.comma"));
}

/** What a row of a pay table pays, and on what. @param {import("./types").PayRowSheet} row */
export function payCase(row) {
  const when = caseText(row);
  return when ? t("odds.case", { odds: oddsText(row.pays), when }) : oddsText(row.pays);
}

/**
 * Clauses that a box's pay rows cite.
 * @param {LayoutSheet} layout
 * @param {string} box
 */
export function clausesOf(layout, box) {
  return [...new Set(layout.pay.filter((row) => row.boxes.includes(box)).flatMap((row) => row.clauses))];
}

/** The boxes of a group on the sign, `total:4/17`, or the one name. @param {string} name */
export function boxesNamed(name) {
  let kind = "";
  return name.split("/").map((part) => {
    if (part.includes(":")) kind = kindOf(part);
    return kind && /^\d/.test(part) ? `${kind}:${part}` : part;
  });
}

/**
 * Minimum and maximum of a box, as on the sign.
 * @param {SetUp} setUp
 * @param {string} box
 */
export function limitOf(setUp, box) {
  const { kinds } = setUp.limits;
  const name = Object.keys(kinds).find((each) => boxesNamed(each).includes(box));
  return kinds[name ?? kindOf(box)] ?? setUp.limits.default;
}

/** Limits in words. @param {import("./types").BoxLimit} limit @param {string} [currency] */
export function limitText({ min, max, per }, currency) {
  const of = { min: money(min, currency), max: money(max, currency) };
  return t(per === "player" ? "limit.each" : "home.limits", of);
}

/**
 * The table's sign, line by line: kinds of bets with their minimum and maximum. Kinds without limits of their own
 * share a line.
 * @param {SetUp} setUp
 * @param {Iterable<string>} boxes the boxes of the layout
 * @returns {{words: string, limit: import("./types").BoxLimit}[]}
 */
export function signOf(setUp, boxes) {
  const kinds = [...new Set([...boxes].map(kindOf))];
  const { limits } = setUp;
  const single = Object.keys(limits.kinds).filter((name) => /[:/]/.test(name));
  const named = new Set(Object.keys(limits.kinds).flatMap(boxesNamed));
  const shared = kinds.filter((kind) => !named.has(kind)).map((kind) => kindName(kind));
  const own = kinds.filter((kind) => kind in limits.kinds);
  const first = shared.length ? [{ words: shared.join(t("list.comma")), limit: limits.default }] : [];
  return [
    ...first,
    ...own.map((kind) => ({ words: kindName(kind), limit: limits.kinds[kind] })),
    ...single.map((name) => ({
      words: boxesNamed(name).map(boxName).join(t("list.comma")),
      limit: limits.kinds[name],
    })),
  ];
}
