// Set-up of a table: book, layout, chips, limits, dice; and new limits for a table that is set up.
// Enters: the installed books, the limits in force. Leaves: a set-up, a set of dice sealed, or new limits.
// The form checks nothing that a rule book decides: the table refuses it, and the form shows why.

import { refuse } from "../deal/actions.js";
import { ask } from "../deal/ask.js";
import { NAME_PATTERN } from "../deal/forms.js";
import { stopped } from "../deal/lock.js";
import { get, getOnce, part, post, Refusal } from "../lib/api.js";
import { boxesNamed, boxName, kindName, kindOf, layoutOf } from "../lib/boxes.js";
import { h, labelled, put } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { idsFor } from "../lib/messages.js";
import { plainMoney, typedMoney } from "../lib/money.js";
import { refusalWords, showRefusal } from "../lib/shell.js";

/** @typedef {import("../lib/types").TableLimits} Limits */
/** @typedef {import("../lib/types").BoxLimit} BoxLimit */

const CHIPS = "1, 5, 25, 100";
const COLOUR_CHIPS = 300;
/** @type {Record<string, string>} */
const PAIRS = { "big-small": "big", "odd-even": "odd" };

/**
 * A required amount.
 * @param {HTMLInputElement} input
 * @param {string} code its currency
 */
function amountIn(input, code) {
  const found = typedMoney(input.value, code);
  if (found === null)
    throw new Refusal({
      code: "bad-value",
      sentence: t("deal.bad-amount", { field: input.getAttribute("aria-label") ?? input.name }),
    });
  return found;
}

/**
 * The limits of a layout, box kind by box kind.
 * @param {string[]} kinds
 * @param {string[]} pairs
 * @param {Limits | null} now
 * @param {string} currency of `now`: the page's own currency may be another table's
 */
function limitsFields(kinds, pairs, now, currency) {
  const amount = (
    /** @type {string} */ name,
    /** @type {string} */ label,
    /** @type {number | undefined} */ value,
    required = false,
  ) =>
    h("input", {
      name,
      "aria-label": label,
      inputmode: "decimal",
      class: "number",
      required,
      value: value === undefined ? "" : plainMoney(value, currency),
    });
  const range = (
    /** @type {string} */ key,
    /** @type {string} */ words,
    /** @type {BoxLimit | undefined} */ limit,
    required = false,
  ) => ({
    key,
    words,
    min: amount(`${key}-min`, `${words}, ${t("pit.min")}`, limit?.min, required),
    max: amount(`${key}-max`, `${words}, ${t("pit.max")}`, limit?.max, required),
    each: h("input", {
      type: "checkbox",
      name: `${key}-each`,
      "aria-label": `${words}, ${t("pit.each")}`,
      checked: limit?.per === "player",
    }),
  });
  const typed = (/** @type {ReturnType<typeof range>} */ row, /** @type {string} */ code) => ({
    min: amountIn(row.min, code),
    max: amountIn(row.max, code),
    per: /** @type {"player" | "box"} */ (row.each.checked ? "player" : "box"),
  });
  const main = range("default", t("play.limit-default"), now?.default, true);
  const apart = Object.keys(now?.kinds ?? {}).filter(
    (name) => !kinds.includes(name) && boxesNamed(name).every((box) => kinds.includes(kindOf(box))),
  );
  const rows = [
    ...kinds.map((kind) => range(kind, kindName(kind), now?.kinds[kind])),
    ...apart.map((name) => range(name, boxesNamed(name).map(boxName).join(t("list.comma")), now?.kinds[name])),
  ];
  const most = pairs.map((pair) => ({
    pair,
    input: amount(pair, t("play.differential", { pair: t(`pair.${pair}`) }), now?.differential[pair]),
  }));
  const row = h(
    "fieldset",
    { class: "limits-fields" },
    h("legend", null, t("play.limits")),
    h("p", { class: "muted" }, t("pit.limits-words")),
    h(
      "div",
      { class: "scroll" },
      h(
        "table",
        null,
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            h("td", null),
            h("th", { scope: "col" }, t("pit.min")),
            h("th", { scope: "col" }, t("pit.max")),
            h("th", { scope: "col" }, t("pit.each")),
          ),
        ),
        h(
          "tbody",
          null,
          ...[main, ...rows].map((each) =>
            h(
              "tr",
              null,
              h("th", { scope: "row" }, each.words),
              h("td", null, each.min),
              h("td", null, each.max),
              h("td", null, each.each),
            ),
          ),
          ...most.map(({ pair, input }) =>
            h(
              "tr",
              null,
              h("th", { scope: "row" }, t("play.differential", { pair: t(`pair.${pair}`) })),
              h("td", null),
              h("td", null, input),
            ),
          ),
        ),
      ),
    ),
  );
  /** The limits as typed; the currency may have changed meanwhile. @type {(unit: number, code: string) => Limits} */
  const value = (unit, code) => ({
    unit,
    default: typed(main, code),
    kinds: Object.fromEntries(
      rows.filter((each) => each.min.value || each.max.value).map((each) => [each.key, typed(each, code)]),
    ),
    differential: Object.fromEntries(
      most.filter(({ input }) => input.value).map(({ pair, input }) => [pair, amountIn(input, code)]),
    ),
  });
  return { row, value };
}

/**
 * What can be limited under a layout: its kinds of bets, and its pairs with a differential.
 * @param {string} book
 * @param {string} layout
 */
async function limitable(book, layout) {
  const [sheet, whole] = await Promise.all([layoutOf(book, layout), getOnce(`/api/books/${part(book)}`)]);
  const boxes = sheet.boxes;
  return {
    kinds: [...new Set(boxes.map(kindOf))],
    pairs: "differential" in whole.rules ? Object.keys(PAIRS).filter((pair) => boxes.includes(PAIRS[pair])) : [],
    colours: "colour-chips" in whole.rules,
    testRuns: "test-runs" in whole.rules,
  };
}

/**
 * Change the limits between rounds.
 * @param {import("../deal/actions.js").Desk} desk
 */
export async function limitsDialog(desk) {
  const setUp = desk.table.view?.set_up;
  if (!setUp) return;
  const { limits, currency } = setUp;
  let found;
  try {
    found = await limitable(setUp.book, setUp.layout);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (desk.table.state !== "left" && !desk.stopped?.(error)) refuse(desk, error);
    return;
  }
  // Meanwhile the table may have been left, the button pressed again, the screen locked.
  if (desk.table.state === "left" || document.querySelector("dialog[open]")) return;
  const fields = limitsFields(found.kinds, found.pairs, limits, currency);
  const values = () => ({ limits: fields.value(limits.unit, currency) });
  await ask(desk, "set-limits", {}, { words: [fields.row], values });
}

/** @type {import("./pit.js").Open} */
export async function open(host, again) {
  /** @type {any[]} */
  const books = await get("/api/books");
  /** @type {import("../lib/types").FloorCard} */
  const floor = await get("/api/floor");
  const old = floor.tables.find((each) => each.table === again);
  const input = (/** @type {string} */ name, /** @type {Record<string, any>} */ more = {}) =>
    h("input", { name, autocomplete: "off", required: true, ...more });
  const ui = {
    table: input("table", {
      maxlength: 64,
      pattern: NAME_PATTERN,
      value: again,
      readonly: Boolean(old),
    }),
    book: h(
      "select",
      { name: "book" },
      ...books.map((book) =>
        h(
          "option",
          { value: book.id, selected: book.id === old?.book },
          `${book.title}, ${book.version} (${book.jurisdiction})`,
        ),
      ),
    ),
    layout: h("select", { name: "layout" }),
    currency: input("currency", {
      maxlength: 3,
      pattern: "[A-Z]{3}",
      value: old?.currency ?? floor.tables.find((each) => each.currency)?.currency ?? "SGD",
    }),
    chips: input("chips", { value: CHIPS }),
    colours: input("colours", { required: false, placeholder: "red, blue" }),
    coverage: h(
      "select",
      { name: "coverage" },
      ...["areas", "kinds"].map((each) => h("option", { value: each }, t(`pit.coverage-${each}`))),
    ),
    dice: input("dice", { required: false, maxlength: 64, pattern: NAME_PATTERN }),
    seal: input("seal", { required: false, maxlength: 64, pattern: NAME_PATTERN }),
  };
  const limits = h("div", null);
  const colours = labelled(t("pit.colours"), ui.colours);
  const coverage = labelled(t("pit.coverage"), ui.coverage);
  const fault = h("p", { class: "fault", role: "alert", hidden: true });
  const submit = h("button", { class: "main", type: "submit" }, t("deal.do.set-up"));
  let fields = limitsFields([], [], null, "");
  let drawing = 0;
  /** @type {Map<string, string>} What was typed into the limits: a change of layout must not lose it. */
  const typed = new Map();
  limits.addEventListener("input", ({ target }) => {
    if (target instanceof HTMLInputElement) typed.set(target.name, target.value);
  });

  async function drawLimits() {
    const mine = ++drawing;
    submit.disabled = fields.row.disabled = true;
    const [book, layout] = [ui.book.value, ui.layout.value];
    const currency = /^[A-Z]{3}$/.test(ui.currency.value) ? ui.currency.value : "SGD";
    try {
      const found = await limitable(book, layout);
      if (mine !== drawing) return;
      const known =
        old ?? floor.tables.find((each) => each.book === book && each.layout === layout && each.currency === currency);
      fields = limitsFields(found.kinds, found.pairs, known?.limits ?? null, currency);
      for (const each of fields.row.querySelectorAll("input")) each.value = typed.get(each.name) ?? each.value;
      colours.hidden = !found.colours;
      coverage.hidden = !found.testRuns;
      put(limits, fields.row);
      submit.disabled = false;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (mine === drawing && !stopped(error)) showRefusal(error);
    }
  }
  async function drawLayouts() {
    const book = books.find((each) => each.id === ui.book.value);
    put(
      ui.layout,
      ...book.layouts.map((/** @type {string} */ layout) =>
        h("option", { value: layout, selected: layout === old?.layout }, layout),
      ),
    );
    await drawLimits();
  }
  ui.book.addEventListener("change", () => void drawLayouts());
  ui.layout.addEventListener("change", () => void drawLimits());

  const ids = idsFor();
  async function submitted() {
    const currency = ui.currency.value;
    const chips = ui.chips.value
      .split(/[\s,;]+/)
      .filter(Boolean)
      .map((text) => {
        const found = typedMoney(text, currency);
        if (!found)
          throw new Refusal({ code: "bad-value", sentence: t("deal.bad-amount", { field: t("pit.denominations") }) });
        return found;
      })
      .sort((one, two) => one - two);
    const setUp = {
      do: "set-up",
      book: ui.book.value,
      layout: ui.layout.value,
      digest: books.find((each) => each.id === ui.book.value).digest,
      limits: fields.value(chips[0], currency),
      currency,
      denominations: chips,
      colours: colours.hidden
        ? {}
        : Object.fromEntries(
            ui.colours.value
              .split(/[\s,;]+/)
              .filter(Boolean)
              .map((name) => [name, { chips: COLOUR_CHIPS }]),
          ),
      coverage: ui.coverage.value,
    };
    const name = ui.table.value.trim();
    const commands = `/api/tables/${part(name)}/commands`;
    if (old && old.phase !== "new") await post(commands, { id: ids(setUp), do: setUp });
    else await post("/api/tables", { table: name, set_up: setUp, id: ids(setUp) });
    const received = { do: "receive-dice", dice_set: ui.dice.value.trim() };
    const sealed = { do: "seal-dice", dice_set: ui.dice.value.trim(), seal: ui.seal.value.trim() };
    try {
      if (ui.dice.value) await post(commands, { id: ids(received), do: received });
      if (ui.dice.value && ui.seal.value) await post(commands, { id: ids(sealed), do: sealed });
    } catch (error) {
      showRefusal(error);
    }
    if (form.isConnected) location.hash = `#table/${part(name)}`;
  }

  const form = h(
    "form",
    { class: "ask panel setup" },
    h("h2", null, t(old ? "pit.set-up-again" : "pit.put-up")),
    h(
      "div",
      { class: "columns" },
      labelled(t("pit.table-name"), ui.table),
      labelled(t("pit.book"), ui.book),
      labelled(t("pit.layout"), ui.layout),
      labelled(t("pit.currency"), ui.currency),
      labelled(t("pit.denominations"), ui.chips),
      colours,
      coverage,
      labelled(t("deal.field.dice_set"), ui.dice),
      labelled(t("deal.field.seal"), ui.seal),
    ),
    limits,
    fault,
    h(
      "p",
      { class: "row" },
      submit,
      h("a", { class: "button", href: old ? `#table/${part(again)}` : "#floor" }, t("cancel")),
    ),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    fault.hidden = true;
    try {
      await submitted();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (stopped(error)) return;
      if (!form.isConnected) return showRefusal(error);
      fault.textContent = refusalWords(error);
      fault.hidden = false;
    } finally {
      submit.disabled = false;
    }
  });
  put(host, form);
  await drawLayouts();
}
