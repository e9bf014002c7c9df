// Stand-ins for the parts of a browser that the modules under test use: locale, storage, texts, sockets.
// Importing this file installs them; it must be imported before the modules of the screens.

import { readFileSync } from "node:fs";

export const STATIC = new URL("../../src/taisai/web/static/", import.meta.url);

/** Define a global, whether or not this version of Node has one of that name. */
function provide(name, value) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

/** What the page keeps in this browser. */
export const stored = new Map();
provide("localStorage", {
  getItem: (name) => stored.get(name) ?? null,
  setItem: (name, value) => void stored.set(name, value),
  removeItem: (name) => void stored.delete(name),
});
provide("navigator", { languages: ["en-SG"] });
provide("location", { protocol: "http:", host: "house.test" });
provide(
  "document",
  Object.assign(new EventTarget(), {
    hidden: false,
    documentElement: { dataset: { languages: '{"en": "English", "zh-Hans": "x"}' } },
  }),
);
const page = new EventTarget();
provide("addEventListener", page.addEventListener.bind(page));
provide("removeEventListener", page.removeEventListener.bind(page));

/** What the house answers, by path. */
export const answers = new Map();

/** Files of the screens are read from disk; a request without an answer fails as if the house were unreachable. */
provide("fetch", async (path) => {
  const answer = answers.get(path);
  const headers = new Map([["content-type", "application/json"]]);
  if (answer)
    return { ok: true, status: 200, headers, json: async () => answer, text: async () => JSON.stringify(answer) };
  if (!path.startsWith("/static/")) throw new TypeError("offline");
  const text = readFileSync(new URL(path.slice("/static/".length), STATIC), "utf-8");
  return { ok: true, json: async () => JSON.parse(text) };
});

/** A WebSocket in the test's hand: `sent` is what the page sent, `say` is what the house answers. */
export class Socket {
  static CONNECTING = 0;
  static OPEN = 1;
  static CLOSED = 3;
  /** Every socket that was opened, oldest first. */
  static all = [];

  constructor(url) {
    this.url = url;
    this.readyState = Socket.CONNECTING;
    this.sent = [];
    Socket.all.push(this);
  }

  static get latest() {
    return Socket.all[Socket.all.length - 1];
  }

  send(frame) {
    this.sent.push(JSON.parse(frame));
  }

  close() {
    this.readyState = Socket.CLOSED;
    this.onclose?.();
  }

  /** The connection stands. */
  open() {
    this.readyState = Socket.OPEN;
    this.onopen?.();
  }

  /** The house says something. */
  say(message) {
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  /** Commands that were sent over this socket. */
  get commands() {
    return this.sent.filter((each) => each.t === "do");
  }
}
provide("WebSocket", Socket);
