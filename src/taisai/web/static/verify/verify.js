// Receipts checked in the browser: drop files, see what they prove. After the page is loaded, no server is asked.

import { $, h, labelled, put } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { dateTime } from "../lib/money.js";
import { keep, pref } from "../lib/prefs.js";
import { startPage } from "../lib/shell.js";
import { canCheck, checkHeads, checkReceipt, diceOf, readKey, Wrong } from "./receipt.js";

await startPage({ title: "verify.title" });

const FILE_MAX = 1_000_000;
const key = h("input", { name: "key", autocomplete: "off", spellcheck: "false", value: pref("verify-key", "") });
const witnesses = h("textarea", { name: "witnesses", rows: 2, spellcheck: "false" }, pref("verify-witnesses", ""));
const files = h("input", { type: "file", multiple: true, accept: ".json,application/json", name: "files" });
const results = h("ul", { class: "events", role: "status", id: "proven" });
const drop = h(
  "section",
  { class: "panel", id: "drop" },
  h("p", null, t("verify.drop")),
  labelled(t("verify.files"), files),
);

/** Everything proven since the page was opened: dice need two receipts. @type {Record<string, any>[]} */
const proven = [];

/**
 * @param {string} name
 * @param {boolean} holds
 * @param {...any} words
 */
function show(name, holds, ...words) {
  results.append(
    h(
      "li",
      { class: holds ? "fine" : "fault", "data-holds": String(holds) },
      h("strong", null, `${holds ? "✓" : "✕"} ${name}`),
      ...words,
    ),
  );
}

/** @param {Record<string, any>} found @param {any} receipt */
function told(found, receipt) {
  const cosigned = Object.entries(found.cosigned).map(([name, at]) =>
    h("p", null, t("verify.cosigned", { name, time: dateTime(at * 1e6) })),
  );
  return [
    h("p", null, t("verify.record", { ...found, time: dateTime(found.at_us) })),
    found.whose && h("p", null, t("verify.part", { whose: found.whose })),
    ...cosigned,
    receipt.why &&
      h(
        "p",
        { class: "muted", lang: "en" },
        t("verify.says"),
        " ",
        receipt.why,
        " ",
        (receipt.clauses ?? []).join(", "),
      ),
    h("details", null, h("summary", null, t("verify.content")), h("pre", null, JSON.stringify(found.says, null, 2))),
  ];
}

/** Dice of rounds whose commitment and opening are both proven. */
async function dice() {
  for (const opened of proven.filter((each) => each.event === "dice-opened" && each.says.what.dice)) {
    const what = opened.says.what;
    const committed = proven.find(
      (each) => each.event === "dice-committed" && each.table === opened.table && each.says.what.round === what.round,
    );
    if (!committed || opened.told) continue;
    opened.told = true;
    const { commitment, form = 1 } = committed.says.what;
    const { opening, round, contributions: brought = [] } = what;
    const faces = await diceOf({ form, commitment, opening, table: opened.table, round, brought });
    const holds = faces.join() === what.dice.join() && committed.position < opened.position;
    show(t("verify.dice", { table: opened.table, n: round }), holds, h("p", null, faces.join("-")));
  }
}

/** @param {string} name @param {string} text */
async function check(name, text) {
  try {
    const shown = JSON.parse(text);
    const house = await readKey(key.value);
    const eyes = await Promise.all(witnesses.value.split(/\s+/).filter(Boolean).map(readKey));
    if (shown?.form === "taisai consistency 1") {
      show(name, true, h("p", null, t("verify.extends", await checkHeads(shown, house, eyes))));
      return;
    }
    const found = await checkReceipt(shown, house, eyes);
    proven.push(found);
    show(name, true, ...told(found, shown));
    await dice();
  } catch (error) {
    if (!(error instanceof Wrong || error instanceof SyntaxError || error instanceof TypeError)) throw error;
    show(name, false, h("p", { lang: "en" }, error instanceof Wrong ? error.message : t("verify.unreadable")));
  }
}

/** @param {FileList | null | undefined} chosen */
async function take(chosen) {
  keep("verify-key", key.value.trim());
  keep("verify-witnesses", witnesses.value.trim());
  for (const file of chosen ?? []) await check(file.name, file.size > FILE_MAX ? "too large" : await file.text());
}

files.addEventListener("change", () => void take(files.files).then(() => (files.value = "")));
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  void take(event.dataTransfer?.files);
});

const program = h("a", { href: "/static/verify/taisai_verify.py", download: "taisai_verify.py" }, "taisai_verify.py");
put(
  $("#main"),
  h("h1", null, t("verify.title")),
  h("p", null, t("verify.words")),
  (await canCheck())
    ? [
        labelled(t("verify.key"), key),
        h("p", { class: "muted" }, t("verify.key-words")),
        labelled(t("verify.witnesses"), witnesses),
        drop,
        results,
      ]
    : h("p", { class: "fault", id: "no-crypto" }, t("verify.no-crypto")),
  h("p", { class: "muted" }, t("verify.program"), " ", program),
);
