// The settings of this browser: language, theme, cloth, sound, voice; loaded when somebody opens them.
//   await settings()

import { me } from "./api.js";
import { h, labelled } from "./dom.js";
import { language, LANGUAGES, setLanguage, t } from "./i18n.js";
import { keep } from "./prefs.js";
import { applyTheme, baize, dialog, signOut, THEME, theme, toggle } from "./shell.js";
import { setSound, setVoice, soundOn, voiceOn } from "./sound.js";

/**
 * A choice of one.
 * @param {string} label
 * @param {[string, string][]} choices
 * @param {string} now
 * @param {(value: string) => void} choose
 */
function choice(label, choices, now, choose) {
  const made = h(
    "select",
    { onchange: (/** @type {Event} */ event) => choose(/** @type {HTMLSelectElement} */ (event.target).value) },
    ...choices.map(([value, words]) => h("option", { value, selected: value === now }, words)),
  );
  return labelled(label, made);
}

/** Show the settings. */
export async function settings() {
  const who = await me().catch(() => null);
  await dialog(t("settings.title"), (close) => [
    choice(t("settings.language"), Object.entries(LANGUAGES), language(), setLanguage),
    choice(
      t("settings.theme"),
      [
        ["", t("settings.theme-auto")],
        ["light", t("settings.theme-light")],
        ["dark", t("settings.theme-dark")],
      ],
      theme(),
      (value) => (keep(THEME, value || null), applyTheme()),
    ),
    choice(
      t("settings.baize"),
      [
        ["green", t("settings.baize-green")],
        ["red", t("settings.baize-red")],
      ],
      baize(),
      (value) => (keep("baize", value), applyTheme(), dispatchEvent(new CustomEvent("baize"))),
    ),
    toggle(t("settings.sound"), soundOn(), setSound),
    toggle(t("settings.voice"), voiceOn(), setVoice),
    h(
      "p",
      { class: "row" },
      who && h("button", { onclick: () => void signOut() }, t("nav.sign-out", { who: who.who })),
      !who && h("a", { class: "button", href: "/sign-in" }, t("nav.sign-in")),
      h("a", { class: "button", href: "/docs" }, t("nav.docs")),
      h("button", { class: "main", onclick: () => close(null) }, t("close")),
    ),
  ]);
}
