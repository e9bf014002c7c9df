// Names and odds of boxes, in the reader's language.
//   boxName("total:9") -> "Total 9";  kindOf("total:9") -> "total"
//   const layout = await layoutOf("rws-tai-sai-v6", "C");  payText(layout, "single:1") -> "1 to 1 on one die, ..."
//   limitOf(setUp, box) -> {min, max} as on the table's sign;  SECTIONS: kinds that lie together
// Odds come from the layout (API), limits from the table's view.

import { getOnce, part } from "./api.js";
import { t } from "./i18n.js";

/** @typedef {import("./types").LayoutOddsSheet} LayoutSheet */
/** @typedef {import("./types").SetUpState} SetUp */

/** Kinds of bets that belong together on screen, in the order of a felt. @type {[string, string[]][]} */
export const SECTIONS = [
  ["chance", ["small", "big", "odd", "even", "field"]],
  ["double", ["double", "triple", "any-triple"]],
  ["total", ["total"]],
  ["pair", ["pair"]],
  ["three", ["three", "four"]],
  ["single", ["single"]],
];

/** @param {string} box */
export function kindOf(box) {
  return box.split(":")[0];
}

/** The name of a box. @param {string} box */
export function boxName(box) {
  const [kind, what] = box.split(":");
  if (what === undefined) return t(`box.${kind}`);
  return t(`box.${kind}`, { n: kind === "total" || what.length === 1 ? what : [...what].join("-") });
}

/**
 * A layout with its pay table; fetched once.
 * @param {string} book
 * @param {string} layout
 * @returns {Promise<LayoutSheet>}
 */
export function layoutOf(book, layout) {
  return getOnce(`/api/books/${part(book)}/layouts/${part(layout)}`);
}

/**
 * What a box pays, in words.
 * @param {LayoutSheet} layout
 * @param {string} box
 */
export function payText(layout, box) {
  const rows = layout.pay.filter((row) => row.boxes.includes(box));
  if (new Set(rows.map((row) => row.pays)).size === 1) return t("odds.to-1", { n: rows[0].pays });
  const cases = rows.map((row) => {
    const when =
      row.dice !== null ? t(`odds.on-${row.dice}`) : t("odds.on-totals", { totals: (row.totals ?? []).join(", ") });
    return t("odds.case", { odds: t("odds.to-1", { n: row.pays }), when });
  });
  return [...new Set(cases)].join(t("list.comma"));
}

/**
 * Clauses that a box's pay rows cite.
 * @param {LayoutSheet} layout
 * @param {string} box
 */
export function clausesOf(layout, box) {
  return [...new Set(layout.pay.filter((row) => row.boxes.includes(box)).flatMap((row) => row.clauses))];
}

/**
 * Minimum and maximum of a box, as on the sign.
 * @param {SetUp} setUp
 * @param {string} box
 */
export function limitOf(setUp, box) {
  return setUp.limits.kinds[kindOf(box)] ?? setUp.limits.default;
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
  const shared = kinds.filter((kind) => !(kind in limits.kinds)).map((kind) => t(`kind.${kind}`));
  const own = kinds.filter((kind) => kind in limits.kinds);
  const first = shared.length ? [{ words: shared.join(t("list.comma")), limit: limits.default }] : [];
  return [...first, ...own.map((kind) => ({ words: t(`kind.${kind}`), limit: limits.kinds[kind] }))];
}
