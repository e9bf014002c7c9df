// Bell and voice, if switched on. Sounds are synthesised in the browser: no file is loaded.
//   sound("bell" | "chip" | "rattle" | "win" | "no")    silent unless switched on
//   speak("No more bets")                               with the browser's own voice; silent unless switched on
//   soundOn(), setSound(true), voiceOn(), setVoice(true)

import { t } from "./i18n.js";
import { keep, pref } from "./prefs.js";

/** @type {AudioContext | null} */
let context = null;
let withSound = pref("sound", false);
let withVoice = pref("voice", false);

/** Whether sounds are on. */
export const soundOn = () => withSound;
/** Whether calls are spoken. */
export const voiceOn = () => withVoice;

/** @param {boolean} on */
export function setSound(on) {
  withSound = on;
  keep("sound", on);
  if (on) sound("chip");
}

/** @param {boolean} on */
export function setVoice(on) {
  withVoice = on;
  keep("voice", on);
  if (!on) speechSynthesis?.cancel();
}

/**
 * A tone that fades.
 * @param {AudioContext} audio
 * @param {number} pitch in hertz
 * @param {number} after seconds from now
 * @param {number} lasts seconds
 * @param {number} loud 0 to 1
 * @param {OscillatorType} [shape]
 */
function tone(audio, pitch, after, lasts, loud, shape = "sine") {
  const begin = audio.currentTime + after;
  const source = audio.createOscillator();
  const volume = audio.createGain();
  source.type = shape;
  source.frequency.value = pitch;
  volume.gain.setValueAtTime(loud, begin);
  volume.gain.exponentialRampToValueAtTime(0.0001, begin + lasts);
  source.connect(volume).connect(audio.destination);
  source.start(begin);
  source.stop(begin + lasts);
}

/** @type {Record<string, (audio: AudioContext) => void>} */
const SOUNDS = {
  bell: (audio) =>
    [1, 2.4, 3.8].forEach((part, place) => tone(audio, 880 * part, 0, 1.6 / (place + 1), 0.2 / (place + 1))),
  chip: (audio) => [0, 0.03].forEach((after) => tone(audio, 2600 - after * 9000, after, 0.06, 0.12, "triangle")),
  rattle: (audio) => {
    for (let each = 0; each < 9; each += 1) tone(audio, 300 + Math.random() * 500, each * 0.09, 0.05, 0.1, "square");
  },
  win: (audio) => [523, 659, 784, 1047].forEach((pitch, place) => tone(audio, pitch, place * 0.11, 0.5, 0.12)),
  no: (audio) => tone(audio, 160, 0, 0.18, 0.15, "triangle"),
};

/** @param {"bell" | "chip" | "rattle" | "win" | "no"} name */
export function sound(name) {
  if (!withSound) return;
  try {
    context ??= new AudioContext();
    if (context.state === "suspended") void context.resume();
    SOUNDS[name](context);
  } catch {
    // A machine without sound: the screen says the same in words.
  }
}

/** @param {string} words */
export function speak(words) {
  if (!withVoice || !("speechSynthesis" in window) || !words) return;
  const said = new SpeechSynthesisUtterance(words);
  said.lang = t("language.voice");
  speechSynthesis.cancel();
  speechSynthesis.speak(said);
}
