// The pit: one page with parts, chosen by the fragment of the address.
//   #floor            every table, and the alerts            supervisors and above
//   #table/T1         one table: opening check, actions, disputes, figures
//   #setup, #setup/T1 open a new table, or set a closed one up again
//   #journal/T1       the records of a table                 and auditors, administrators
//   #reports          meters, win and hold                   and auditors, administrators
//   #house            audit, digests, disabled tables, house events
//   #staff            accounts                               administrators
//   #persons          who stands behind an id; erasing       shift managers and administrators
// A part is a module with `open(host, argument, who)`, loaded on demand; it returns a function that leaves it.

import { askToSignIn, lockNow, onUnlock, stopped, watchIdle } from "../deal/lock.js";
import { me, Refusal } from "../lib/api.js";
import { $, h, put } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { showRefusal, startPage } from "../lib/shell.js";
import { requestsPanel } from "./requests.js";

/** @typedef {import("../lib/types").Me} Me */
/** @typedef {(host: HTMLElement, argument: string, who: Me) => Promise<(() => void) | void>} Open */

const SUPERVISORS = ["supervisor", "pit-manager", "shift-manager"];
const OVERSEERS = [...SUPERVISORS, "auditor", "administrator"];
/** Part, who may see it, its module. @type {[string, string[], () => Promise<{open: Open}>][]} */
const PARTS = [
  ["floor", SUPERVISORS, () => import("./floor.js")],
  ["table", SUPERVISORS, () => import("./table.js")],
  ["setup", SUPERVISORS, () => import("./setup.js")],
  ["journal", OVERSEERS, () => import("./journal.js")],
  ["reports", OVERSEERS, () => import("./reports.js")],
  ["house", OVERSEERS, () => import("./house.js")],
  ["staff", ["administrator"], () => import("./staff.js")],
  ["persons", ["shift-manager", "administrator"], () => import("./persons.js")],
];
const HIDDEN = ["table", "setup"];

await startPage({
  title: "pit.title",
  bar: () => [h("button", { class: "quiet", onclick: () => void lockNow() }, t("deal.lock"))],
});
const who = await me().catch(() => null);
const supervises = who && SUPERVISORS.includes(who.post);
const requests = supervises ? requestsPanel() : null;
const tabs = h("nav", { class: "tabs", "aria-label": t("pit.parts") });
const host = h("div", { class: "part" });
/** @type {(() => void) | void} */
let leave;
let asked = 0;

/** @param {Me} who */
async function show(who) {
  const [wished, ...rest] = location.hash.slice(1).split("/");
  const mine = PARTS.filter(([, posts]) => posts.includes(who.post));
  const found = mine.find(([part]) => part === wished) ?? mine[0];
  if (!found) return put(host, h("p", { class: "panel" }, t("code.not-allowed")));
  const [name, , load] = found;
  put(
    tabs,
    ...mine
      .filter(([part]) => !HIDDEN.includes(part))
      .map(([part]) =>
        h(
          "a",
          {
            href: `#${part}`,
            "aria-current": part === name || (part === "floor" && HIDDEN.includes(name)) ? "page" : null,
          },
          t(`pit.part.${part}`),
        ),
      ),
  );
  const turn = (asked += 1);
  // Dialogs close with their part; the lock belongs to no part.
  for (const each of document.querySelectorAll("dialog[open]:not(.lock)"))
    each.dispatchEvent(new Event("cancel", { cancelable: true }));
  leave?.();
  leave = undefined;
  put(host, h("p", { class: "muted" }, t("pit.loading")));
  host.dataset.part = name;
  try {
    const inside = h("div", null);
    const left = await (await load()).open(inside, decodeURIComponent(rest.join("/")), who);
    if (turn !== asked) return left?.();
    leave = left;
    put(host, inside);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (turn !== asked) return;
    if (!stopped(error)) showRefusal(error);
    put(host, h("p", { class: "panel" }, error.sentence));
  }
}

if (!who || who.player || who.post === "dealer") {
  askToSignIn(t("pit.title"), "/sign-in?post=supervisor");
} else {
  put($("#main"), h("h1", { class: "visually-hidden" }, t("pit.title")), tabs, requests?.panel, host);
  watchIdle(who);
  // The part may have missed changes while it was locked. Draw it again, unless that would lose what was typed.
  onUnlock(() => {
    if (!host.querySelector("form") && !document.querySelector("dialog[open]")) void show(who);
  });
  addEventListener("hashchange", () => void show(who));
  await show(who);
}
