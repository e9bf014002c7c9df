// What receipts, heads and dice prove, checked in the browser alone: RFC 9162 trees, C2SP notes, SHA-256, Ed25519.
// Enters: what a house gave out, and keys that came by another way. Leaves: what is proven, or a `Wrong` that says why.

/** What was shown does not hold. */
export class Wrong extends Error {}

/** @typedef {{name: string, id: Uint8Array, kind: number, key: Uint8Array}} Key */
/** @typedef {Record<string, any>} Proven */

const EM_DASH = "\u2014 ";

/** Whether this page can check anything: browsers have WebCrypto on https:// and on localhost only. */
export async function canCheck() {
  if (!globalThis.crypto?.subtle) return false;
  try {
    await crypto.subtle.importKey("raw", new Uint8Array(32), { name: "Ed25519" }, false, ["verify"]);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} text */
const utf8 = (text) => new TextEncoder().encode(text);
/** @param {Uint8Array} raw */
export const hex = (raw) => [...raw].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** @param {unknown} text */
function bytes(text) {
  if (typeof text !== "string" || !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text))
    throw new Wrong("something in it is not base64");
  return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
}

/** @param {...Uint8Array} parts */
function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, each) => sum + each.length, 0));
  let at = 0;
  for (const each of parts) {
    whole.set(each, at);
    at += each.length;
  }
  return whole;
}

/** @param {...Uint8Array} parts */
async function sha256(...parts) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", joined(...parts)));
}

/** @param {Uint8Array} one @param {Uint8Array} other */
const same = (one, other) => one.length === other.length && one.every((byte, at) => byte === other[at]);

// ---------------------------------------------------------------- Merkle trees (RFC 9162 §2.1)

/** @param {Uint8Array} data */
const leafHash = (data) => sha256(Uint8Array.of(0), data);
/** @param {Uint8Array} left @param {Uint8Array} right */
const nodeHash = (left, right) => sha256(Uint8Array.of(1), left, right);

/**
 * The root that an inclusion proof leads to.
 * @param {Uint8Array} leaf
 * @param {number} index
 * @param {number} size
 * @param {Uint8Array[]} path
 */
export async function rootFromInclusion(leaf, index, size, path) {
  if (!(Number.isSafeInteger(index) && index >= 0 && index < size)) throw new Wrong("its place is not in the tree");
  let [place, last, found] = [BigInt(index), BigInt(size - 1), leaf];
  for (const step of path) {
    if (last === 0n) throw new Wrong("the inclusion proof is too long");
    if (place & 1n || place === last) {
      found = await nodeHash(step, found);
      while (!(place & 1n) && place) [place, last] = [place >> 1n, last >> 1n];
    } else found = await nodeHash(found, step);
    [place, last] = [place >> 1n, last >> 1n];
  }
  if (last) throw new Wrong("the inclusion proof is too short");
  return found;
}

/**
 * That the newer tree extends the older one.
 * @param {{size: number, root: Uint8Array}} older
 * @param {{size: number, root: Uint8Array}} newer
 * @param {Uint8Array[]} path
 */
export async function checkConsistency(older, newer, path) {
  if (older.size > newer.size) throw new Wrong("the newer head has fewer records: the log was cut back");
  if (older.size === 0 || older.size === newer.size) {
    const expected = older.size === 0 ? await sha256() : newer.root;
    if (path.length || !same(older.root, expected)) throw new Wrong("the house shows two histories");
    return;
  }
  const isPower = (BigInt(older.size) & BigInt(older.size - 1)) === 0n;
  const steps = isPower ? [older.root, ...path] : [...path];
  if (!steps.length) throw new Wrong("the consistency proof is too short");
  let [place, last] = [BigInt(older.size - 1), BigInt(newer.size - 1)];
  while (place & 1n) [place, last] = [place >> 1n, last >> 1n];
  let [old, now] = [steps[0], steps[0]];
  for (const step of steps.slice(1)) {
    if (last === 0n) throw new Wrong("the consistency proof is too long");
    if (place & 1n || place === last) {
      [old, now] = [await nodeHash(step, old), await nodeHash(step, now)];
      while (!(place & 1n) && place) [place, last] = [place >> 1n, last >> 1n];
    } else now = await nodeHash(now, step);
    [place, last] = [place >> 1n, last >> 1n];
  }
  if (last || !same(old, older.root) || !same(now, newer.root))
    throw new Wrong("the newer head does not extend the older one: the history was changed");
}

// ---------------------------------------------------------------- signed notes (C2SP)

/**
 * A verifier key, NAME+ID+KEY.
 * @param {string} text
 * @returns {Promise<Key>}
 */
export async function readKey(text) {
  const [name, shown, ...rest] = text.trim().split("+");
  const raw = bytes(rest.join("+"));
  if (!name || raw.length !== 33 || (raw[0] !== 1 && raw[0] !== 4)) throw new Wrong("this is not a key: NAME+ID+KEY");
  const id = (await sha256(utf8(`${name}\n`), raw)).slice(0, 4);
  if (hex(id) !== shown) throw new Wrong("the id of the key does not fit: it was copied wrongly");
  return { name, id, kind: raw[0], key: raw.slice(1) };
}

/**
 * When a witness signed (in seconds), or 0, if the key has signed the note; null when it has not.
 * @param {string} note
 * @param {Key} by
 */
async function signatureOf(note, by) {
  const end = note.lastIndexOf("\n\n");
  const text = note.slice(0, end + 1);
  for (const line of note.slice(end + 2).split("\n")) {
    if (!line.startsWith(`${EM_DASH}${by.name} `)) continue;
    const raw = bytes(line.slice(EM_DASH.length + by.name.length + 1));
    if (!same(raw.slice(0, 4), by.id)) continue;
    let [message, signature, at] = [utf8(text), raw.slice(4), 0];
    if (by.kind === 4) {
      at = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0));
      [message, signature] = [utf8(`cosignature/v1\ntime ${at}\n${text}`), signature.slice(8)];
    }
    const key = await crypto.subtle.importKey("raw", by.key, { name: "Ed25519" }, false, ["verify"]);
    if (!(await crypto.subtle.verify({ name: "Ed25519" }, key, signature, message)))
      throw new Wrong(`the signature of ${by.name} does not hold`);
    return at;
  }
  return null;
}

/**
 * Size, root and cosignatures of a signed head.
 * @param {string} note
 * @param {Key} house
 * @param {Key[]} witnesses
 */
export async function readHead(note, house, witnesses = []) {
  const [origin, size, root] = String(note).split("\n");
  if ((await signatureOf(note, house)) === null) throw new Wrong(`the head is not signed by ${house.name}`);
  if (origin !== house.name) throw new Wrong(`the head is of another log: ${origin}`);
  /** @type {Record<string, number>} */
  const cosigned = {};
  for (const each of witnesses) {
    const at = await signatureOf(note, each);
    if (at === null) throw new Wrong(`not cosigned by ${each.name}`);
    cosigned[each.name] = at;
  }
  return { size: Number(size), root: bytes(root), cosigned };
}

// ---------------------------------------------------------------- receipts

/**
 * A MessagePack array of texts, bytes and whole numbers.
 * @param {Uint8Array} data
 */
export function unpacked(data) {
  /** @type {any[]} */
  const values = [];
  let place = 1;
  const cut = (/** @type {number} */ size) => {
    place += size;
    if (place > data.length) throw new Wrong("the record is cut short");
    return data.slice(place - size, place);
  };
  const number = (/** @type {number} */ width) => cut(width).reduce((sum, byte) => sum * 256 + byte, 0);
  const text = (/** @type {number} */ size) => new TextDecoder().decode(cut(size));
  if (!data.length || (data[0] & 0xf0) !== 0x90) throw new Wrong("the record is not in a form that is known");
  for (let left = data[0] & 0x0f; left > 0; left -= 1) {
    const [kind] = cut(1);
    if (kind < 0x80) values.push(kind);
    else if (kind >= 0xcc && kind <= 0xcf) values.push(number(1 << (kind - 0xcc)));
    else if (kind >= 0xa0 && kind < 0xc0) values.push(text(kind & 0x1f));
    else if (kind >= 0xd9 && kind <= 0xdb) values.push(text(number(1 << (kind - 0xd9))));
    else if (kind >= 0xc4 && kind <= 0xc6) values.push(cut(number(1 << (kind - 0xc4))));
    else throw new Wrong("the record is not in a form that is known");
  }
  if (place !== data.length) throw new Wrong("there is more behind the record");
  return values;
}

/** @param {unknown} text */
export function hashes(text) {
  const raw = bytes(text);
  if (raw.length % 32) throw new Wrong("a proof is not made of hashes");
  return Array.from({ length: raw.length / 32 }, (_, at) => raw.slice(32 * at, 32 * at + 32));
}

/**
 * What a receipt proves.
 * @param {any} receipt
 * @param {Key} house
 * @param {Key[]} witnesses
 * @returns {Promise<Proven>}
 */
export async function checkReceipt(receipt, house, witnesses = []) {
  if (receipt?.form !== "taisai receipt 1") throw new Wrong("this is not a receipt of a form that is known");
  const head = await readHead(receipt.head, house, witnesses);
  const leaf = bytes(receipt.leaf);
  const [form, table, record, position, event, version, at_us, count, parts] = unpacked(leaf);
  if (form !== 2) throw new Wrong("the leaf is not of a form that is known");
  const root = await rootFromInclusion(await leafHash(leaf), position - 1, head.size, hashes(receipt.proof));
  if (!same(root, head.root)) throw new Wrong("the record is not in the log under this head");
  const content = bytes(receipt.content);
  const opened = await leafHash(await sha256(bytes(receipt.salt), content));
  const found = await rootFromInclusion(opened, receipt.part, count, hashes(receipt.part_proof));
  if (!same(found, parts)) throw new Wrong("what the receipt opens is not what the log holds");
  const fields = unpacked(content);
  const said = receipt.part === 0 ? new TextDecoder().decode(fields[4]) : new TextDecoder().decode(fields[1]);
  const whose = receipt.part === 0 ? "" : fields[0];
  const log_size = head.size;
  return {
    table,
    record,
    position,
    event,
    version,
    at_us,
    log_size,
    whose,
    says: JSON.parse(said),
    cosigned: head.cosigned,
  };
}

/**
 * That a newer head extends an older one: what /api/log/consistency gives.
 * @param {any} shown
 * @param {Key} house
 * @param {Key[]} witnesses
 */
export async function checkHeads(shown, house, witnesses = []) {
  if (shown?.form !== "taisai consistency 1") throw new Wrong("this is not a proof of a form that is known");
  const older = await readHead(shown.older, house, witnesses);
  const newer = await readHead(shown.newer, house, witnesses);
  await checkConsistency(older, newer, hashes(shown.proof));
  return { older: older.size, newer: newer.size };
}

// ---------------------------------------------------------------- dice

/**
 * That virtual dice follow from what the house was committed to and what the players brought (docs/fair-dice.md).
 * @param {{form: number, commitment: string, opening: string, table: string, round: number, brought: string[]}} shown
 * @returns {Promise<number[]>} the dice
 */
export async function diceOf({ form, commitment, opening, table, round, brought }) {
  const of = async (/** @type {string} */ text) => sha256(utf8(text));
  if (hex(await of(`taisai dice ${form} commitment\n${opening}\n${round}\n${table}`)) !== commitment)
    throw new Wrong("the opening does not fit the commitment");
  const mix = form === 2 ? `${hex(await of(["taisai dice 2 mix", ...[...brought].sort()].join("\n")))}\n` : "";
  for (let block = 0; ; block += 1)
    for (const byte of await of(`taisai dice ${form} roll\n${opening}\n${mix}${round}\n${block}\n${table}`))
      if (byte < 216) return [Math.floor(byte / 36) + 1, (Math.floor(byte / 6) % 6) + 1, (byte % 6) + 1];
}
