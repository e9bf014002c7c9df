// The elements of the player's screen: stage (dice, call, countdown), sign (limits), cloth, hand, side.
// Enters: the table's name. Leaves: the elements that play.js fills.

import { $, h, put } from "../lib/dom.js";
import { t } from "../lib/i18n.js";

/** Build the screen. @param {string} name */
export function buildScreen(name) {
  const ui = {
    call: h("p", { class: "call", role: "status", "aria-live": "polite" }),
    original: h("p", { class: "call-original", lang: "en" }),
    spoken: h("span", { class: "visually-hidden", role: "status" }),
    cited: h("p", { class: "call-clauses" }),
    outcome: h("p", { class: "outcome number", "aria-hidden": "true" }),
    said: h("p", { class: "visually-hidden", role: "status", id: "said" }),
    heard: h("p", { class: "visually-hidden", role: "status", id: "heard" }),
    seconds: h("span", { class: "seconds number", role: "timer", "aria-label": t("play.seconds") }),
    bar: h("div", { class: "bar-fill" }),
    dice: h("div", null),
    last: h("div", { class: "recent", role: "group", "aria-label": t("home.last") }),
    limits: h("ul", { class: "limits" }),
    rack: h("div", { id: "rack" }),
    felt: h("div", { class: "felt-scroll", id: "felt" }),
    sections: h("div", { class: "sections", role: "group", "aria-label": t("play.sections") }),
    info: h("div", { class: "info" }),
    funds: h("dd", { class: "number", id: "funds" }),
    debt: h("dd", { class: "bad", id: "debt" }),
    onFelt: h("dd", { class: "number", id: "on-felt" }),
    lastNet: h("dd", { class: "number", id: "last-net" }),
    seats: h("nav", { class: "seats", "aria-label": t("seats.mine"), hidden: true }),
    rail: h("div", { class: "rail" }),
    beside: h("aside", { class: "panel beside", id: "beside", hidden: true, "aria-label": t("clause.beside") }),
    past: h("details", { class: "panel past-panel", open: true }),
    pastDrawn: h("div", null),
    result: h("details", { class: "panel result", hidden: true }),
    fair: h("details", { class: "panel fair-panel", hidden: true }),
    favourites: h("section", { class: "panel favourites-panel" }),
    guide: h("aside", { class: "guide", "aria-label": t("guide.title"), hidden: true }),
  };
  // Where there is room beside the felt, the first steps take none of its height.
  const beside = matchMedia("(min-width: 1101px)").matches;
  put(ui.past, h("summary", null, h("h2", null, t("play.past"))), ui.pastDrawn);
  put(
    $("#main"),
    h("h1", { class: "visually-hidden" }, t("play.at", { table: name })),
    h(
      "div",
      { class: "play" },
      h(
        "div",
        { class: "left" },
        h("section", { class: "sign", "aria-label": t("play.limits") }, ui.limits, ui.rack, ui.seats),
        h("section", { class: "felt-area", "aria-label": t("play.felt") }, ui.sections, ui.felt),
        h("section", { class: "hand", "aria-label": t("play.hand") }, !beside && ui.guide, ui.info, ui.rail, ui.heard),
      ),
      h(
        "div",
        { class: "right" },
        h(
          "section",
          { class: "stage", "aria-label": t("play.round") },
          ui.dice,
          h(
            "div",
            { class: "stage-words" },
            ui.call,
            ui.original,
            ui.cited,
            ui.outcome,
            ui.said,
            ui.spoken,
            h(
              "div",
              { class: "countdown" },
              ui.seconds,
              h("div", { class: "bar-track", "aria-hidden": "true" }, ui.bar),
            ),
            ui.last,
          ),
        ),
        h(
          "div",
          { class: "side" },
          beside && ui.guide,
          ui.beside,
          h(
            "dl",
            { class: "panel purse" },
            h("div", null, h("dt", null, t("play.funds")), ui.funds, ui.debt),
            h("div", null, h("dt", null, t("play.on-felt")), ui.onFelt),
            h("div", null, h("dt", null, t("play.last-net")), ui.lastNet),
          ),
          ui.result,
          ui.past,
          ui.fair,
          ui.favourites,
        ),
      ),
    ),
  );
  return ui;
}
