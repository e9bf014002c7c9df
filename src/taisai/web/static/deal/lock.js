// The lock of an unattended screen: it locks when idle or when asked to, and a password unlocks it (R15).
//   watchIdle(who)     lock after who.idle_s without a touch; shows the lock at once when the session is locked already
//   lockNow()          lock at once
//   askToSignIn(title, address)   fills the page of somebody who is not signed in
//   stopped(refusal)   shows the lock, or the way to sign in, when that is why something was refused

import { me, post, Refusal, remember } from "../lib/api.js";
import { $, h, labelled, put } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { refusalWords, showRefusal, signOut, toast } from "../lib/shell.js";

/** @typedef {import("../lib/types").Me} Me */

const TOUCHES = ["pointerdown", "keydown", "wheel", "touchstart"];
const LOOK_MS = 1000;
/** How often the server is told that somebody is at the screen, who may only be reading: what a page asks for by itself
 * does not keep a session awake. */
const AWAKE_MS = 60_000;
let touched = Date.now();
/** Whether the toast about the end of the session has been shown. */
let told = false;
/** @type {HTMLDialogElement | null} */
let shown = null;
/** @type {Set<() => void>} */
const afterwards = new Set();

/** Call something whenever the lock opens; returns a function that stops it. @param {() => void} what */
export function onUnlock(what) {
  afterwards.add(what);
  return () => afterwards.delete(what);
}

/** @param {Me} who */
export function watchIdle(who) {
  for (const each of TOUCHES) addEventListener(each, () => (touched = Date.now()), { capture: true, passive: true });
  if (who.locked) showLock(who.who);
  if (!who.idle_s) return;
  let heard = Date.now();
  setInterval(() => {
    if (shown) return;
    if (Date.now() - touched > who.idle_s * 1000) void lockNow();
    else if (touched > heard && Date.now() - heard > AWAKE_MS) {
      heard = Date.now();
      post("/api/me/awake").catch((error) => error instanceof Refusal && stopped(error));
    }
  }, LOOK_MS);
}

/** Lock the session; the screen is covered whatever the server answers. */
export async function lockNow() {
  const who = await me().catch(() => null);
  showLock(who?.who ?? "");
  await post("/api/lock").catch(() => null);
  if (who) remember({ ...who, locked: true });
}

/**
 * @param {Refusal} refusal
 * @returns {boolean} whether it was dealt with
 */
export function stopped(refusal) {
  if (refusal.code === "locked") {
    void me().then((who) => showLock(who?.who ?? ""));
    return true;
  }
  if (refusal.code === "not-signed-in") {
    if (!told)
      toast(refusalWords(refusal), {
        kind: "bad",
        more: [h("a", { href: `/sign-in${location.search}` }, t("nav.sign-in"))],
      });
    told = true;
    return true;
  }
  return false;
}

/**
 * Fill the page with the way to sign in.
 * @param {string} title
 * @param {string} address of the sign-in page
 */
export function askToSignIn(title, address) {
  const panel = h(
    "section",
    { class: "panel" },
    h("h1", null, title),
    h("p", null, t("home.crew-words")),
    h("p", { class: "row" }, h("a", { class: "button main", href: address }, t("nav.sign-in"))),
  );
  put($("#main"), h("div", { class: "wrap" }, panel));
}

/** Show the lock if that is why something failed, else the refusal. @param {unknown} error */
export function refused(error) {
  if (!(error instanceof Refusal)) throw error;
  if (!stopped(error)) showRefusal(error);
}

/** @param {string} login */
function showLock(login) {
  if (shown) return;
  const password = h("input", {
    name: "unlock-password",
    type: "password",
    autocomplete: "current-password",
    required: true,
  });
  const fault = h("p", { class: "fault", role: "alert", hidden: true });
  const submit = h("button", { class: "main", type: "submit" }, t("deal.unlock"));
  const form = h(
    "form",
    { class: "sheet" },
    h("h2", null, t("deal.locked")),
    h("p", null, t("deal.locked-words", { who: login })),
    labelled(t("people.password"), password),
    fault,
    h(
      "p",
      { class: "row" },
      submit,
      h("button", { type: "button", onclick: () => void signOut() }, t("nav.sign-out", { who: login })),
    ),
  );
  const made = h("dialog", { class: "lock", "aria-label": t("deal.locked") }, form);
  made.addEventListener("cancel", (event) => event.preventDefault());
  // Browsers do not let a page trap people: a repeated Escape closes a dialog without a cancel event.
  made.addEventListener("close", () => shown === made && made.showModal());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    // One attempt at a time: a few wrong passwords lock the login.
    submit.disabled = password.readOnly = true;
    try {
      remember(await post("/api/unlock", { password: password.value }));
      touched = Date.now();
      shown = null;
      made.close();
      made.remove();
      afterwards.forEach((what) => what());
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      password.value = "";
      fault.textContent = refusalWords(error);
      fault.hidden = false;
    } finally {
      submit.disabled = password.readOnly = false;
    }
  });
  shown = made;
  document.body.append(made);
  made.showModal();
  password.focus();
}
