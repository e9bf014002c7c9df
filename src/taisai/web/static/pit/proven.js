// How far the journal is proven while the tables run: one line, read again every few seconds.
//   const proven = provenLine(); host.append(proven.line); void proven.look(); proven.leave();

import { get, Refusal } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { t, tn } from "../lib/i18n.js";
import { number } from "../lib/money.js";

const LOOK_MS = 3000;

/**
 * The words of a card.
 * @param {import("../lib/types").ProvenCard} card
 * @param {number} now in microseconds
 */
export function provenWords(card, now) {
  const seconds = Math.max(0, Math.round((now - card.proven_at) / 1e6));
  const known = card.proven_at ? t("pit.proven", { n: number(card.position), s: number(seconds) }) : "";
  const state =
    card.state === "running"
      ? ""
      : t(`pit.proven-${card.state}`, { n: number(card.done), total: number(card.total), fault: card.fault });
  const left = Object.values(card.not_checked).reduce((sum, each) => sum + each, 0);
  return [
    known,
    state,
    card.findings > 0 || card.proven_at ? tn("pit.findings", card.findings) : "",
    left > 0 ? t("pit.proven-left", { n: number(left) }) : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** The line, which looks by itself until it is left. */
export function provenLine() {
  const line = h("p", { class: "proven", role: "status", id: "proven" });
  let gone = false;
  async function look() {
    if (gone) return;
    try {
      const card = await get("/api/house/proven");
      line.textContent = provenWords(card, card.now);
      line.className = `proven ${card.findings || card.state === "failed" ? "fault" : "muted"}`;
      line.title = Object.entries(card.not_checked)
        .map(([what, count]) => `${what}: ${count}`)
        .join("\n");
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
    setTimeout(() => void look(), LOOK_MS);
  }
  return { line, look, leave: () => (gone = true) };
}
