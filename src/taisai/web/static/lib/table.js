// A live table over the play socket.
//   const table = new Table("TS-C");
//   table.on("change", ({patch, told}) => draw(table.view));   after every snapshot (told = []) and change
//   table.on("seat" | "crew" | "state" | "notice" | "hello", fn)
//   table.connect();
//   await table.do({do: "place-bet", player, box, amount});    a Done, or throws a Refusal
//   await table.do(action, {reason, second}, {id, round});     under a given id; for another round than on screen
//   table.now()                                                the server's time in microseconds
// A lost connection is opened again with growing delays, and resumes after the last record seen. Command ids are made
// here: a command that was sent but not answered is in doubt and is sent again under the same id, which the table
// answers as it did the first time. A command of a round names its round; the table refuses it in any other.

import { get, part, Refusal } from "./api.js";
import { OF_A_ROUND } from "./of-a-round.js";
import { lineOf, merge, newId } from "./messages.js";

/** @typedef {import("./types").PublicView} View */
/** @typedef {import("./types").Announcement} Told */
/** @typedef {import("./types").Until} Until */
/** @typedef {import("./types").You} You */
/** @typedef {import("./types").CrewView} CrewView */
/** @typedef {import("./messages.js").SeatView} SeatView */
/** @typedef {import("./types").Done} Done */
/** @typedef {import("./types").SecondPerson} Second */
/** @typedef {"connecting" | "live" | "lost" | "gone" | "left"} State */
/** @typedef {{frame: string, resolve: (done: Done) => void, reject: (why: Refusal) => void}} Pending */

const PING_MS = 1000;
// A frozen node is left after this silence; the proxy then needs up to 2 s to find another, all within five seconds.
const SILENCE_MS = 2200;
const CONNECTING_MS = 3500;
const LOOK_MS = 200;
const WAIT_FIRST_MS = 150;
const WAIT_MOST_MS = 8000;
const OFFLINE = { code: "offline", sentence: "The table cannot be reached." };

/** One table, as this browser sees it. */
export class Table {
  /** @param {string} name */
  constructor(name) {
    this.name = name;
    /** @type {View | null} */
    this.view = null;
    this.seq = -1;
    /** @type {Until | null} */
    this.until = null;
    /** Who we are at this table; null when only watching. @type {You | null} */
    this.you = null;
    /** @type {SeatView | null} */
    this.seat = null;
    /** @type {CrewView | null} */
    this.crew = null;
    this.mode = "";
    /** @type {State} */
    this.state = "connecting";
    /** @type {Map<string, Pending>} */
    this._pending = new Map();
    /** @type {Map<string, Set<(what: any) => void>>} */
    this._listeners = new Map();
    /** @type {WebSocket | null} */
    this._socket = null;
    this._tries = 0;
    this._offsetMs = 0;
    this._best = Infinity;
    this._pingAt = 0;
    this._heard = 0;
    /** When the oldest question without an answer was asked. */
    this._asked = 0;
    /** @type {number | undefined} */
    this._timer = undefined;
    /** @type {number | undefined} */
    this._beat = undefined;
    this._wake = () => this._again();
    this._off = () => this._lose();
  }

  // ---------------------------------------------------------------- listening

  /**
   * Listen; returns a function that stops it.
   * @param {"change" | "seat" | "crew" | "state" | "notice" | "hello"} kind
   * @param {(what: any) => void} listener
   */
  on(kind, listener) {
    const all = this._listeners.get(kind) ?? new Set();
    this._listeners.set(kind, all.add(listener));
    return () => all.delete(listener);
  }

  /**
   * @param {string} kind
   * @param {unknown} what
   */
  _tell(kind, what) {
    for (const each of this._listeners.get(kind) ?? []) each(what);
  }

  /** The server's time in microseconds since 1970. */
  now() {
    return Math.round((Date.now() + this._offsetMs) * 1000);
  }

  /** How many commands have not been answered. */
  get waiting() {
    return this._pending.size;
  }

  // ---------------------------------------------------------------- asking

  /**
   * Send a command; when the answer comes, its record is on disk.
   * @param {{do: string, [key: string]: any}} action
   * @param {{reason?: string, second?: Second}} [more]
   * @param {{id?: string, round?: number}} [how] the id of a command sent again; the round it is meant for, if it
   *   is not the one on screen
   * @returns {Promise<Done>}
   */
  do(action, more = {}, { id = newId(), round = this.view?.round.number } = {}) {
    if (this.state === "left" || this.state === "gone") return Promise.reject(new Refusal(OFFLINE));
    const frame = JSON.stringify({ t: "do", id, do: action, ...(OF_A_ROUND.has(action.do) ? { round } : {}), ...more });
    if (!this._pingAt && !this._pending.size) this._asked = performance.now();
    return new Promise((resolve, reject) => {
      this._pending.set(id, { frame, resolve, reject });
      if (this.state === "live") this._send(frame);
    });
  }

  /** Ask for a full snapshot. */
  watch() {
    this._send('{"t":"watch"}');
  }

  /** @param {string} frame */
  _send(frame) {
    if (this._socket?.readyState === WebSocket.OPEN) this._socket.send(frame);
  }

  /** After reconnecting, send commands in doubt again under their own ids. */
  _repeat() {
    for (const { frame } of this._pending.values()) this._send(frame);
  }

  /** Reject every command without an answer: none will come. */
  _giveUp() {
    for (const { reject } of this._pending.values()) reject(new Refusal(OFFLINE));
    this._pending.clear();
  }

  // ---------------------------------------------------------------- the connection

  /** Connect, and stay connected. */
  connect() {
    addEventListener("online", this._wake);
    addEventListener("offline", this._off);
    document.addEventListener("visibilitychange", this._wake);
    this._open();
  }

  /** Disconnect for good. */
  close() {
    removeEventListener("online", this._wake);
    removeEventListener("offline", this._off);
    document.removeEventListener("visibilitychange", this._wake);
    this._become("left");
    this._drop();
    this._giveUp();
  }

  /** Reconnect as another person, after sitting down or signing in. */
  rejoin() {
    this.seq = -1;
    this.seat = null;
    this.crew = null;
    this._drop();
    this._open();
  }

  _open() {
    clearTimeout(this._timer);
    const after = this.view && this.seq >= 0 ? `?after=${this.seq}` : "";
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/play/${part(this.name)}${after}`);
    this._socket = socket;
    this._heard = performance.now();
    const mine = (/** @type {(event: any) => void} */ act) => (/** @type {any} */ event) => {
      if (this._socket === socket) act(event);
    };
    socket.onopen = mine(() => this._ping());
    socket.onmessage = mine((event) => this._hear(JSON.parse(event.data)));
    socket.onclose = mine(() => this._lose());
    clearInterval(this._beat);
    this._beat = setInterval(() => this._watch(), LOOK_MS);
  }

  _drop() {
    const socket = this._socket;
    this._socket = null;
    clearTimeout(this._timer);
    clearInterval(this._beat);
    if (socket) {
      socket.onclose = socket.onmessage = socket.onopen = null;
      socket.close();
    }
  }

  /** Again and again: ping the server; give up the connection when it is silent. */
  _watch() {
    const now = performance.now();
    const isNew = this._socket?.readyState === WebSocket.CONNECTING;
    const asked = isNew || this._pingAt > 0 || this._pending.size > 0;
    const patience = isNew ? CONNECTING_MS : SILENCE_MS;
    if (asked && now - Math.max(this._heard, this._asked) > patience) this._lose();
    else if (!this._pingAt && now - this._heard > PING_MS) this._ping();
  }

  _ping() {
    this._pingAt = performance.now();
    if (!this._pending.size) this._asked = this._pingAt;
    this._send('{"t":"ping"}');
  }

  _lose() {
    if (this.state === "left" || this.state === "gone") return;
    this._drop();
    this._pingAt = 0;
    this._become("lost");
    const wait = Math.min(WAIT_MOST_MS, WAIT_FIRST_MS * 2 ** this._tries) * (0.75 + Math.random() / 2);
    this._tries += 1;
    this._timer = setTimeout(() => this._open(), wait);
    if (this._tries === 3) this._ask();
  }

  /** Find out whether the table still exists; if not, stop reconnecting. */
  async _ask() {
    try {
      await get(`/api/tables/${part(this.name)}`);
    } catch (error) {
      if (error instanceof Refusal && error.code === "no-such-table" && this.state === "lost") {
        this._become("gone");
        this._drop();
        this._giveUp();
      }
    }
  }

  /** Try at once: the network is back, or the page is visible again. */
  _again() {
    if (this.state !== "lost" || document.hidden) return;
    this._tries = 0;
    this._drop();
    this._open();
  }

  /** @param {State} state */
  _become(state) {
    if (this.state === state) return;
    this.state = state;
    this._tell("state", state);
  }

  // ---------------------------------------------------------------- hearing

  /** @param {any} message */
  _hear(message) {
    this._heard = performance.now();
    switch (message.t) {
      case "hello":
        this.you = message.you;
        this.mode = message.mode;
        if (this._best === Infinity) this._offsetMs = message.now / 1000 - Date.now();
        this._tell("hello", message);
        break;
      case "snapshot":
        this.view = message.view;
        this._moved(message, {}, []);
        break;
      case "change":
        if (message.after !== this.seq) {
          if (message.seq > this.seq) this.watch();
          break;
        }
        this.view = merge(this.view, message.patch);
        this._moved(message, message.patch, message.told);
        break;
      case "seat":
        if (message.seat.last) message.seat.last.lines = message.seat.last.lines.map(lineOf);
        this.seat = message.seat;
        this._tell("seat", message.seat);
        break;
      case "crew":
        this.crew = message.crew;
        this._tell("crew", message.crew);
        break;
      case "done":
      case "refused":
        this._answer(message);
        break;
      case "notice":
        this._tell("notice", message);
        break;
      case "pong":
        this._pong(message);
        break;
    }
  }

  /**
   * @param {{seq: number, until: Until | null}} message
   * @param {any} patch
   * @param {Told[]} told
   */
  _moved(message, patch, told) {
    this.seq = message.seq;
    this.until = message.until;
    this._tell("change", { patch, told });
  }

  /** @param {any} message */
  _answer(message) {
    const found = this._pending.get(message.id);
    if (!found) return;
    this._pending.delete(message.id);
    if (message.t === "done") found.resolve(message);
    else found.reject(new Refusal(message));
  }

  /**
   * The answer to a ping sets the clock; after a reconnect it comes after everything that was missed.
   * @param {{now: number}} message
   */
  _pong(message) {
    const took = performance.now() - this._pingAt;
    this._pingAt = 0;
    if (took <= this._best * 1.5) {
      this._best = Math.min(this._best, took);
      this._offsetMs = message.now / 1000 + took / 2 - Date.now();
    }
    if (this.state !== "live") {
      this._tries = 0;
      this._become("live");
      this._repeat();
    }
  }
}
