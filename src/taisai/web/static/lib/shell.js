// What every screen shares: the top bar, settings, toasts, dialogs, clauses one tap away, the connection banner.
//   await startPage({title: "pit.title", nav: "pit"});   texts, theme, top bar; before anything is drawn
//   toast("Saved"); toast(words, {kind: "bad"})           a short-lived message, read aloud by screen readers
//   const answer = await dialog(title, (close) => [...])  a modal; resolves with what `close` is given, null on Escape
//   redraw(host, ...children)                             like `put`, but unchanged elements stay, with their focus
//   clauseLinks("rws-tai-sai-v6", ["3.4"])                links that open the clause's words
//   refusalWords(refusal)                                 a refusal in the reader's language
//   showRefusal(refusal, book)                            a toast with the reason, its clauses one tap away
//   watchConnection(table)                                the banner while the connection is lost
// A page is <body data-screen="NAME"><header id="top"></header><main id="main"></main></body>.

import { post, Refusal, remember } from "./api.js";
import { $, h, put, say } from "./dom.js";
import { boxName } from "./boxes.js";
import { has, language, loadTexts, t, translate } from "./i18n.js";
import { money } from "./money.js";
import { pref } from "./prefs.js";

/** @typedef {import("./dom.js").Child} Child */

const PAGES = [
  ["home", "/", "nav.tables"],
  ["rules", "/rules", "nav.rules"],
  ["train", "/train", "nav.train"],
  ["verify", "/verify", "nav.verify"],
];

/** The colour of the cloth: green or red. */
export function baize() {
  return pref("baize", "green");
}

/** Where the theme is stored: under its first name, so that a choice made long ago is kept. */
export const THEME = "room";

/** Light or dark, as chosen; "" follows the system. */
export function theme() {
  return pref(THEME, "");
}

export function applyTheme() {
  const root = document.documentElement;
  if (theme()) root.dataset.theme = theme();
  else delete root.dataset.theme;
  root.dataset.baize = baize();
}

applyTheme();

/**
 * Load the texts and draw the top bar.
 * @param {{title: string, nav?: string, bar?: () => Child[], quiet?: boolean}} page  `bar` makes what the screen adds
 *   to the top bar, `quiet` leaves the bar out (boards)
 */
export async function startPage(page) {
  await loadTexts();
  document.title = `${t(page.title)} · Tai Sai`;
  translate();
  const main = document.querySelector("main");
  if (main && !main.id) main.id = "main";
  const top = document.querySelector("#top");
  if (top && !page.quiet) put(top, ...bar(page));
  const { purpose } = document.body.dataset;
  if (purpose) document.body.prepend(h("p", { id: "purpose", role: "note" }, t(`purpose.${purpose}`)));
  document.body.append(
    h("div", { id: "toasts", role: "status", "aria-live": "polite" }),
    h("div", { id: "banner", role: "alert", hidden: true }),
  );
}

/** Skip to the content. The address stays: its fragment is the open part on some pages. @param {Event} event */
function skip(event) {
  event.preventDefault();
  const main = $("#main");
  main.tabIndex = -1;
  main.focus();
}

/** @param {{nav?: string, bar?: () => Child[]}} page */
function bar(page) {
  const links = PAGES.map(([name, path, key]) =>
    h("a", { href: path, "aria-current": name === page.nav ? "page" : null }, t(key)),
  );
  return [
    h("a", { class: "skip", href: "#main", onclick: skip }, t("nav.skip")),
    h("a", { class: "brand", href: "/" }, h("span", { class: "brand-die", "aria-hidden": "true" }), "Tai Sai"),
    h("nav", { "aria-label": t("nav.main") }, ...links),
    h("div", { class: "bar-own" }, ...(page.bar?.() ?? [])),
    h(
      "button",
      {
        class: "quiet",
        "aria-label": t("nav.settings"),
        onclick: () => void import("./settings.js").then((found) => found.settings()),
      },
      h("span", { class: "gear", "aria-hidden": "true" }, "⚙"),
      h("span", { class: "gear-words" }, t("nav.settings")),
    ),
  ];
}

/**
 * A switch.
 * @param {string} label
 * @param {boolean} on
 * @param {(on: boolean) => void} choose
 */
export function toggle(label, on, choose) {
  const box = h("input", {
    type: "checkbox",
    checked: on,
    onchange: (/** @type {Event} */ event) => choose(/** @type {HTMLInputElement} */ (event.target).checked),
  });
  return h("label", { class: "field switch" }, box, h("span", null, label));
}

/** End the session of this browser. */
export async function signOut() {
  await post("/api/sign-out").catch(() => null);
  remember(null);
  location.href = "/";
}

// ---------------------------------------------------------------- words that come and go

/**
 * A message that disappears by itself; a bad one stays longer.
 * @param {Child} words
 * @param {{kind?: "good" | "bad" | "plain", more?: Child[]}} [how]
 */
export function toast(words, { kind = "plain", more = [] } = {}) {
  const made = h("div", { class: `toast ${kind}` }, h("div", null, words), ...more);
  const gone = () => made.remove();
  made.append(h("button", { class: "x", "aria-label": t("close"), onclick: gone }, "×"));
  const host = $("#toasts");
  for (const each of [...host.children])
    if (each.firstElementChild?.textContent === made.firstElementChild?.textContent) each.remove();
  host.prepend(made);
  while (host.children.length > 3) host.lastElementChild?.remove();
  setTimeout(gone, kind === "bad" ? 9000 : 4500);
}

/**
 * The successor of an element that was drawn again: the one with the same `data-action` and `data-for`.
 * @param {Element} old
 * @param {ParentNode} [root]
 * @returns {HTMLElement | null}
 */
function again(old, root = document) {
  const { action, for: whom } = /** @type {HTMLElement} */ (old).dataset;
  if (!action) return null;
  const which = whom === undefined ? ":not([data-for])" : `[data-for="${CSS.escape(whom)}"]`;
  return root.querySelector(`[data-action="${CSS.escape(action)}"]${which}`);
}

/**
 * Update the content of an element. Unchanged nodes stay, so that the focus and a half-finished click are not lost.
 * Only buttons may have listeners inside, and since a button may be older than the data, a listener must look up
 * everything that is not written on the button.
 * @param {HTMLElement} host
 * @param {...Child} children
 */
export function redraw(host, ...children) {
  const had = host.contains(document.activeElement) ? document.activeElement : null;
  renew(host, [...h("div", null, ...children).childNodes]);
  if (had && !had.isConnected) again(had, host)?.focus({ preventScroll: true });
}

/**
 * @param {Node} host
 * @param {ChildNode[]} children
 */
function renew(host, children) {
  const now = [...host.childNodes];
  children.forEach((child, place) => {
    const old = now[place];
    if (!old) host.appendChild(child);
    else if (old.isEqualNode(child)) return;
    else if (old.nodeName !== "BUTTON" && old.hasChildNodes() && old.cloneNode().isEqualNode(child.cloneNode()))
      renew(old, [...child.childNodes]);
    else old.replaceWith(child);
  });
  for (const each of now.slice(children.length)) each.remove();
}

/**
 * A modal dialog. While it is busy (`aria-busy`) only its content can close it.
 * @template T
 * @param {string} title
 * @param {(close: (answer: T | null) => void) => Child[]} content
 * @param {{class?: string}} [how]
 * @returns {Promise<T | null>}
 */
export function dialog(title, content, how = {}) {
  return new Promise((resolve) => {
    const made = h("dialog", { class: how.class ?? "", "aria-label": title });
    const from = document.activeElement;
    const close = (/** @type {T | null} */ answer) => {
      made.close();
      made.remove();
      if (from && !from.isConnected) again(from)?.focus({ preventScroll: true });
      resolve(answer);
    };
    const leave = () => {
      if (made.getAttribute("aria-busy") !== "true") close(null);
      else if (!made.open) made.showModal();
    };
    made.addEventListener("cancel", (event) => (event.preventDefault(), leave()));
    // Browsers do not let a page trap people: a second Escape closes a dialog without a cancel event.
    made.addEventListener("close", () => made.isConnected && leave());
    made.addEventListener("click", (event) => event.target === made && leave());
    put(
      made,
      h(
        "div",
        { class: "sheet" },
        h(
          "div",
          { class: "sheet-top" },
          h("h2", null, title),
          h("button", { class: "x", "aria-label": t("close"), onclick: leave }, "×"),
        ),
        ...content(close),
      ),
    );
    document.body.append(made);
    made.showModal();
  });
}

// ---------------------------------------------------------------- clauses and refusals

/**
 * Links that open the words of clauses.
 * @param {string} book
 * @param {string[]} clauses
 */
export function clauseLinks(book, clauses) {
  return h(
    "span",
    { class: "clauses" },
    ...clauses.map((clause) =>
      h(
        "button",
        // Inside a form it must not submit.
        {
          class: "link",
          type: "button",
          "data-action": "clause",
          "data-for": `${book} ${clause}`,
          onclick: () => void import("./clause.js").then((found) => found.showClause(book, clause)),
        },
        clauseLabel(clause),
      ),
    ),
  );
}

/**
 * The way to all that is known of a round.
 * @param {string} table
 * @param {number} number
 * @param {string} [words]
 */
export function roundLink(table, number, words = t("round.see")) {
  const asked = new URLSearchParams({ table, round: String(number) });
  return h("a", { class: "round-link", href: `/round?${asked}` }, words);
}

/** How a clause is written: §3.4, I6, R37. @param {string} clause */
export function clauseLabel(clause) {
  return /^[IR]\d+$/.test(clause) || clause.startsWith("App") ? clause : `§${clause}`;
}

const AMOUNTS = new Set(["amount", "held", "minimum", "room"]);

/** What a refusal names, as people say it. @param {string} name @param {string | number} value */
function spoken(name, value) {
  if (AMOUNTS.has(name)) return money(Number(value));
  if (name === "box") return boxName(String(value));
  if (name === "phase" || name === "wanted")
    return String(value)
      .split(" ")
      .map((each) => t(`phase.${each}`))
      .join(t("request.or"));
  return value;
}

/**
 * A refusal in the reader's language: with what it names, where it says; else in English the server's own sentence, and
 * a text for its code in other languages.
 * @param {Refusal} refusal
 */
export function refusalWords(refusal) {
  const key = `code.${refusal.code}`;
  const names = Object.entries(refusal.values);
  const whole = `refused.${refusal.code}${refusal.values.room === 0 ? ".full" : refusal.values.box ? ".box" : ""}`;
  if (names.length && has(whole))
    return t(whole, Object.fromEntries(names.map(([name, value]) => [name, spoken(name, value)])));
  return has(key) && (language() !== "en" || !refusal.sentence) ? t(key) : refusal.sentence;
}

/**
 * Show why something was refused, its clauses one tap away.
 * @param {unknown} refusal
 * @param {string} [book]
 * @param {string} [words] better words than the general ones
 */
export function showRefusal(refusal, book = "", words) {
  if (!(refusal instanceof Refusal)) throw refusal;
  const more = [];
  if (refusal.clauses.length && book) more.push(clauseLinks(book, refusal.clauses));
  toast(words ?? refusalWords(refusal), { kind: "bad", more });
}

/**
 * Tell everybody which procedure stands in for equipment that is not mended.
 * @param {{procedure: string}} view
 */
export function announceProcedure({ procedure }) {
  const shown = document.getElementById("procedure");
  if (!procedure) return shown?.remove();
  const bar = shown ?? h("p", { id: "procedure", class: "notice", role: "status" });
  if (!shown) document.querySelector("main")?.prepend(bar);
  const words = t("stage.procedure", { words: procedure });
  if (bar.textContent !== words) bar.textContent = words;
}

/**
 * Show a banner while the connection is lost.
 * @param {import("./table.js").Table} table
 */
export function watchConnection(table) {
  table.on("change", () => table.view && announceProcedure(table.view));
  const banner = $("#banner");
  let wasLost = false;
  const show = () => {
    const lost = table.state === "lost" || table.state === "gone";
    document.body.classList.toggle("lost", lost);
    say(banner, lost ? t(table.state === "gone" ? "connection.gone" : "connection.lost") : "");
    banner.hidden = !lost;
    if (wasLost && table.state === "live") toast(t("connection.back"), { kind: "good" });
    wasLost = lost;
  };
  table.on("state", show);
  table.on("notice", (notice) =>
    toast(has(`notice.${notice.code}`) ? t(`notice.${notice.code}`) : notice.sentence, { kind: "bad" }),
  );
  show();
}
