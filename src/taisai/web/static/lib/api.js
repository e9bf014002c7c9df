// The HTTP API.
// Enters: a method, a path, a body. Leaves: the answer as a value, or a `Refusal` with the one shape of every error
// (code, sentence, clauses, allowed, field). Every request but a GET carries the session's CSRF token.
//   await get("/api/floor")
//   await post("/api/seat", {guest_at: "TS-C"})
//   await sit({guest_at: "TS-C"})   sit down; asked again after a lost answer, it is the same seat
//   const who = await me()          null when nobody is signed in; `me(true)` asks again
//   const all = await seats()       the seats of this browser, one at each table
// A page of a table (`?table=T`) asks as the seat that this browser has there.

import { query } from "./dom.js";

/** Why something was not done: refused by the table or the server, or the connection failed (code "offline"). */
export class Refusal extends Error {
  /**
   * @param {Pick<import("./types").Error, "code" | "sentence"> & Partial<import("./types").Error>} error
   * @param {number} [status]
   */
  constructor(error, status = 0) {
    super(error.sentence);
    this.name = "Refusal";
    this.code = error.code;
    this.sentence = error.sentence;
    /** @type {string[]} */
    this.clauses = error.clauses ?? [];
    this.allowed = error.allowed ?? "";
    this.field = error.field ?? "";
    this.request = error.request ?? "";
    /** What the sentence names. @type {Record<string, string | number>} */
    this.values = Object.fromEntries(error.values ?? []);
    this.status = status;
  }
}

/** @typedef {import("./types").Me} Me */
/** @typedef {import("./types").Visitor} Visitor */

/** What is asked as one of several seats; other addresses name their table themselves. */
const OF_A_SEAT = /^\/api\/(me|visitor|seat|sign-out)\b/;
/** What a locked session may still read. */
const WHILE_LOCKED = /^\/api\/(books|compare|floor|log|me|training|visitor)\b|^\/api\/tables\/[^/]+(\/rounds)?$/;

let csrf = "";
/** Whether the session is locked: what it may not read is not asked for. */
let locked = false;
/** @type {Promise<Me | null> | null} */
let asked = null;

/**
 * Who is signed in to this browser; fetched once.
 * @param {boolean} [again]
 * @returns {Promise<Me | null>}
 */
export function me(again = false) {
  if (asked === null || again) {
    asked = get("/api/visitor").then(
      (/** @type {Visitor} */ found) => remember(found.me),
      (refusal) => {
        asked = null;
        throw refusal;
      },
    );
  }
  return asked;
}

/**
 * Remember a session that has just begun or ended.
 * @param {Me | null} found
 * @returns {Me | null}
 */
export function remember(found) {
  csrf = found?.csrf ?? "";
  locked = found?.locked ?? false;
  asked = Promise.resolve(found);
  return found;
}

/** The seats of this browser, as they stand now. @returns {Promise<Visitor["seats"]>} */
export async function seats() {
  return (await get("/api/visitor")).seats;
}

/**
 * @param {string} path
 * @returns {Promise<any>}
 */
export function get(path) {
  return send("GET", path);
}

/**
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
export async function post(path, body) {
  return unsafe("POST", path, body);
}

/**
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
export async function patch(path, body) {
  return unsafe("PATCH", path, body);
}

/**
 * A request that changes something. The CSRF token is fetched first, and again if another tab has signed in since.
 * @param {string} method
 * @param {string} path
 * @param {unknown} body
 */
async function unsafe(method, path, body) {
  await me();
  try {
    return await send(method, path, body);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "bad-token") throw error;
    await me(true);
    return send(method, path, body);
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
async function send(method, path, body) {
  /** @type {Record<string, string>} */
  const headers = {};
  if (method !== "GET") headers["x-csrf-token"] = csrf;
  if (body !== undefined) headers["content-type"] = "application/json";
  if (locked && method === "GET" && !WHILE_LOCKED.test(path))
    throw new Refusal({ code: "locked", sentence: "The session is locked." }, 423);
  const here = OF_A_SEAT.test(path) ? query("table") : "";
  let response;
  let answer;
  try {
    response = await fetch(here ? `${path}${path.includes("?") ? "&" : "?"}table=${part(here)}` : path, {
      method,
      headers,
      credentials: "same-origin",
      body: body === undefined ? null : JSON.stringify(body),
    });
    const kind = response.headers.get("content-type") ?? "";
    answer = kind.includes("json") ? await response.json() : await response.text();
  } catch {
    // No answer, or one that was cut off.
    throw new Refusal({ code: "offline", sentence: "The server cannot be reached." });
  }
  if (response.ok) return answer;
  const error = answer?.error ?? { code: "broken", sentence: `The server answered ${response.status}.` };
  throw new Refusal(error, response.status);
}

/**
 * Sit down: with a seat code, or as a guest. Whoever lost the answer, or reloads the page, asks again with the same id
 * and gets the same seat.
 * @param {Record<string, string>} how
 * @returns {Promise<Me | null>}
 */
export async function sit(how) {
  const key = `taisai.sit ${JSON.stringify(how)}`;
  const id = sessionStorage.getItem(key) ?? crypto.getRandomValues(new Uint32Array(4)).join("-");
  sessionStorage.setItem(key, id);
  try {
    const found = remember((await post("/api/seat", { ...how, id })).me);
    sessionStorage.removeItem(key);
    return found;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "offline") sessionStorage.removeItem(key);
    throw error;
  }
}

/** @type {Map<string, Promise<any>>} */
const kept = new Map();

/**
 * A GET whose answer does not change while the page is open: books, layouts, clauses.
 * @param {string} path
 * @returns {Promise<any>}
 */
export function getOnce(path) {
  let found = kept.get(path);
  if (!found) {
    found = get(path);
    kept.set(path, found);
    found.catch(() => kept.delete(path));
  }
  return found;
}

/** A part of a path. @param {string} text */
export const part = encodeURIComponent;
