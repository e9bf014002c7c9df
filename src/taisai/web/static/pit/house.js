// The house: the journal audit, digests, disabled tables, house events.
// Enters: /api/house/... Leaves: audits, and rounds disabled and enabled with a reason.

import { formDialog } from "../deal/dialogs.js";
import { refused } from "../deal/lock.js";
import { get, post, Refusal } from "../lib/api.js";
import { h, labelled, put } from "../lib/dom.js";
import { t, tn } from "../lib/i18n.js";
import { dateTime, number } from "../lib/money.js";
import { provenLine } from "./proven.js";

const LOOK_MS = 300;
const AGAIN_MS = 3000;

/**
 * A button that disables or enables new rounds at a table, or in the whole house (`*`), with a reason.
 * @param {string} what
 * @param {boolean} disabled
 * @param {() => void} again
 */
export function enabling(what, disabled, again) {
  const words = t(disabled ? "pit.enable" : "pit.disable");
  const run = async () => {
    const reason = h("input", { name: "reason", autocomplete: "off", required: true, maxlength: 500 });
    await formDialog(
      `${words}: ${what === "*" ? t("pit.whole-house") : what}`,
      [!disabled && h("p", { class: "muted" }, t("pit.disable-words")), labelled(t("deal.reason"), reason)],
      words,
      () => post(`/api/house/${disabled ? "enable" : "disable"}`, { what, reason: reason.value.trim() }),
      { class: disabled ? "main" : "bad" },
    );
    again();
  };
  return h(
    "button",
    { class: disabled ? "main" : "", "data-action": disabled ? "enable" : "disable", onclick: () => void run() },
    words,
  );
}

/** The audit: starts it, shows its progress, then its findings. */
function auditPanel() {
  const words = h("p", { role: "status" });
  const bar = h("progress", { max: 1, value: 0, "aria-label": t("pit.audit"), hidden: true });
  const list = h("ul", { class: "events", tabindex: "0", "aria-label": t("pit.audit") });
  const button = h(
    "button",
    { class: "main", "data-action": "audit", onclick: () => void begin() },
    t("pit.audit-begin"),
  );
  let gone = false;
  let asked = 0;

  /** @param {import("../lib/types").AuditRun} run */
  function draw(run) {
    bar.hidden = run.state !== "running";
    bar.max = run.total || 1;
    bar.value = run.records;
    button.disabled = run.state === "running";
    const values = {
      n: number(run.records),
      total: number(run.total),
      who: run.by,
      time: run.ended_at ? dateTime(run.ended_at) : "",
      fault: run.fault,
    };
    words.textContent =
      run.state === "none"
        ? t("pit.audit-words")
        : run.state === "done"
          ? `${t("pit.audit-done", values)} ${tn("pit.findings", run.findings.length)}`
          : t(`pit.audit-${run.state}`, values);
    words.className = run.state === "done" ? (run.findings.length ? "fault" : "fine") : "";
    put(list, ...run.findings.map((each) => h("li", { lang: "en" }, each.told)));
  }
  /** Poll until it is done; a failed request is tried again later. */
  async function look() {
    if (gone) return;
    const mine = (asked += 1);
    let wait = LOOK_MS;
    try {
      const run = await get("/api/house/audit");
      if (gone || mine !== asked) return;
      draw(run);
      if (run.state !== "running") return;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (gone || mine !== asked) return;
      wait = AGAIN_MS;
      if (error.code !== "offline") refused(error);
      if (error.code !== "offline" && error.code !== "locked") {
        bar.hidden = true;
        button.disabled = false;
        return;
      }
    }
    setTimeout(() => mine === asked && void look(), wait);
  }
  async function begin() {
    try {
      draw(await post("/api/house/audit"));
      await look();
    } catch (error) {
      refused(error);
    }
  }
  return {
    panel: h("section", { class: "panel", id: "audit" }, h("h2", null, t("pit.audit")), words, bar, list, button),
    look,
    leave: () => (gone = true),
  };
}

/** How far the log is signed and cosigned, and how long ago. */
async function drawLog(/** @type {HTMLElement} */ host) {
  /** @type {import("../lib/types").HeadsNow} */
  const log = await get("/api/log");
  const age = !log.cosigned_at ? 0 : Math.max(0, Math.round((Date.now() * 1000 - log.cosigned_at) / 1e6));
  put(
    host,
    h("p", null, t("pit.log-signed", { n: number(log.size) })),
    h(
      "p",
      { id: "cosigned", class: log.demanded && !log.cosigned_size ? "fault" : "" },
      log.cosigned_size
        ? t("pit.log-cosigned", { n: number(log.cosigned_size), who: log.cosigned_by.join(t("list.comma")), age })
        : t("pit.log-alone", { n: log.witnesses, k: log.demanded }),
    ),
    log.fault && h("p", { class: "fault", lang: "en" }, log.fault),
    h("p", null, h("code", null, log.key)),
  );
}

function digestPanel() {
  const result = h("div", { role: "status" });
  const run = async () => {
    try {
      const found = await post("/api/house/verify");
      put(
        result,
        found.differences.length
          ? h("p", { class: "fault" }, tn("pit.differences", found.differences.length))
          : h("p", { class: "fine" }, t("pit.no-differences")),
        h(
          "ul",
          { class: "events" },
          ...found.differences.map((/** @type {string} */ each) => h("li", { lang: "en" }, each)),
        ),
        h(
          "dl",
          { class: "digests" },
          ...[
            [t("pit.program", { version: found.version }), found.program],
            [t("nav.settings"), found.settings],
            ...Object.entries(found.books),
          ].map(([name, digest]) => h("div", null, h("dt", null, name), h("dd", null, h("code", null, digest)))),
        ),
      );
    } catch (error) {
      refused(error);
    }
  };
  return h(
    "section",
    { class: "panel", id: "digests" },
    h("h2", null, t("pit.digests")),
    h("p", { class: "muted" }, t("pit.digests-words")),
    result,
    h("button", { onclick: () => void run() }, t("pit.verify")),
  );
}

/** @type {import("./pit.js").Open} */
export async function open(host, _argument, who) {
  const tables = h("ul", { class: "rows" });
  const events = h("ul", { class: "events", tabindex: "0", "aria-label": t("pit.events") });
  const may = who.post !== "auditor";

  async function draw() {
    /** @type {[import("../lib/types").FloorCard, import("../lib/types").HouseEntry[]]} */
    const [floor, happened] = await Promise.all([get("/api/floor"), get("/api/house/events?count=100")]);
    const house = await get("/readyz").then(
      () => true,
      () => false,
    );
    put(
      tables,
      (who.post === "administrator" || who.tables === "*") &&
        h(
          "li",
          null,
          h("strong", { class: "grow" }, t("pit.whole-house")),
          floor.disabled && h("span", { class: "tag warn" }, t("home.disabled")),
          !house && h("span", { class: "tag bad" }, t("code.closing")),
          may && enabling("*", floor.disabled, again),
        ),
      ...floor.tables.map((each) =>
        h(
          "li",
          null,
          h("span", { class: "grow" }, each.table),
          each.disabled && h("span", { class: "tag warn" }, t("home.disabled")),
          may &&
            (who.post === "administrator" || who.tables === "*" || who.tables.includes(each.table)) &&
            enabling(each.table, each.disabled, again),
        ),
      ),
    );
    put(
      events,
      ...happened
        .reverse()
        .map((each) =>
          h(
            "li",
            { lang: "en" },
            h("span", { class: "when" }, dateTime(each.at)),
            h("strong", null, each.by),
            " ",
            each.told,
            each.reason && ` “${each.reason}”`,
          ),
        ),
    );
  }
  const again = () => void draw().catch(refused);
  const audit = auditPanel();
  const proven = provenLine();
  audit.panel.append(proven.line);
  void proven.look();
  const log = h("div", { role: "status" });
  put(
    host,
    h(
      "div",
      { class: "columns" },
      audit.panel,
      h("section", { class: "panel", id: "log" }, h("h2", null, t("pit.log")), log),
      digestPanel(),
      h("section", { class: "panel", id: "disabled" }, h("h2", null, t("pit.disabled")), tables),
    ),
    h("section", { class: "panel" }, h("h2", null, t("pit.events")), events),
  );
  await draw();
  await drawLog(log);
  void audit.look();
  return () => {
    audit.leave();
    proven.leave();
  };
}
