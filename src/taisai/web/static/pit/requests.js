// Requests for a second person: what is to happen, approved with one's own password or declined, here and on a phone.
//   const requests = requestsPanel(); host.append(requests.panel); requests.leave()
// Enters: /api/requests. Leaves: answers; who may approve what is the server's word.

import { formDialog } from "../deal/dialogs.js";
import { stopped } from "../deal/lock.js";
import { get, part, post, Refusal } from "../lib/api.js";
import { h, labelled } from "../lib/dom.js";
import { t, tn } from "../lib/i18n.js";
import { time } from "../lib/money.js";
import { redraw, showRefusal, toast } from "../lib/shell.js";
import { sound } from "../lib/sound.js";
import { said } from "./said.js";

/** @typedef {import("../lib/types").RequestCard} RequestCard */

const LOOK_MS = 1500;

/** What is to happen, in the reader's words. @param {RequestCard} card */
function told(card) {
  return [
    h(
      "p",
      null,
      h("strong", null, t(`deal.do.${card.do.do}`)),
      ` · ${t("play.at", { table: card.table })} · ${t("history.round", { n: card.round })}`,
    ),
    h("dl", { class: "said" }, ...said(card.do, card.currency)),
    card.reason && h("p", { class: "by" }, `“${card.reason}”`),
    h(
      "p",
      { class: "muted" },
      t("request.by", { who: card.by, role: t(`post.${card.role}`), time: time(card.asked_at) }),
    ),
  ];
}

/**
 * @param {RequestCard} card
 * @param {boolean} approve
 */
async function answer(card, approve) {
  const password = h("input", {
    name: "password",
    type: "password",
    autocomplete: "current-password",
    required: approve,
    maxlength: 256,
  });
  const note = h("input", { name: "note", autocomplete: "off", maxlength: 500 });
  const words = t(approve ? "request.approve" : "request.decline");
  const done = await formDialog(
    words,
    [...told(card), approve ? labelled(t("people.password"), password) : labelled(t("pit.clear-note"), note)],
    words,
    () => post(`/api/requests/${part(card.id)}`, { approve, password: password.value, note: note.value.trim() }),
    { class: approve ? "main" : "bad" },
  );
  if (!done) return;
  const good = done.fate !== "refused";
  toast(t(`request.you-${done.fate}`, { note: done.sentence }), { kind: good ? "good" : "bad" });
}

/** The requests that wait for the one who looks; nothing while there are none. */
export function requestsPanel() {
  const panel = h("div", { class: "requests", "aria-live": "polite" });
  let gone = false;
  let count = 0;
  /** @type {Map<string, RequestCard>} */
  let known = new Map();

  /** @param {RequestCard} card */
  const row = (card) =>
    h(
      "li",
      { class: "alert request", "data-request": card.id },
      h("span", { class: "alert-mark", "aria-hidden": "true" }, "?"),
      h("div", { class: "grow" }, ...told(card)),
      ...[true, false].map((approve) => {
        const action = approve ? "approve" : "decline";
        const run = async () => {
          const now = known.get(card.id);
          if (now) await answer(now, approve);
          await look();
        };
        const kind = approve ? "main" : "";
        return h(
          "button",
          { class: kind, "data-action": action, "data-for": card.id, onclick: () => void run() },
          t(`request.${action}`),
        );
      }),
    );

  async function look() {
    if (gone) return;
    try {
      /** @type {RequestCard[]} */
      const cards = await get("/api/requests");
      if (gone) return;
      known = new Map(cards.map((each) => [each.id, each]));
      if (cards.length > count) sound("no");
      count = cards.length;
      redraw(
        panel,
        cards.length > 0 &&
          h(
            "section",
            { class: "panel alert-panel" },
            h("h2", null, tn("request.wait", cards.length)),
            h("ul", { class: "alerts" }, ...cards.map(row)),
          ),
      );
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code !== "offline" && !stopped(error)) showRefusal(error);
    }
  }
  void look();
  const timer = setInterval(() => !document.hidden && void look(), LOOK_MS);
  return { panel, leave: () => ((gone = true), clearInterval(timer)) };
}
