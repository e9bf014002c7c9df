// Receipts in the browser (verify/receipt.js): the vectors hold, forgeries do not, and an implementation of others agrees.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import * as v from "../../src/taisai/web/static/verify/receipt.js";

const { RFC9162 } = createRequire(import.meta.url)("@transmute/rfc9162");
const vectors = JSON.parse(readFileSync(new URL("../../conformance/proof.json", import.meta.url), "utf8"));
const house = await v.readKey(vectors.key);
const witness = await v.readKey(vectors.witness);
const raw = (text) => Uint8Array.from(Buffer.from(text, "base64"));

test("this runtime can check", async () => assert.equal(await v.canCheck(), true));

test("every receipt of the vectors holds", async () => {
  for (const { receipt, table, record } of vectors.receipts) {
    const found = await v.checkReceipt(receipt, house, [witness]);
    assert.deepEqual([found.table, found.record], [table, record]);
    assert.deepEqual(found.cosigned, { "witness.example": vectors.cosigned_at });
    assert.ok(found.whose ? JSON.stringify(found.says).includes(found.whose) : found.says.what.event === found.event);
  }
});

test("a receipt of a part opens nothing else", async () => {
  const parts = vectors.receipts.filter((each) => each.receipt.part > 0);
  for (const { receipt } of parts) {
    const found = await v.checkReceipt(receipt, house);
    const other = found.whose === "ann" ? "bob" : "ann";
    assert.ok(!JSON.stringify(found).includes(other));
  }
  assert.ok(parts.length > 0);
});

test("every forgery is refused", async () => {
  for (const { why, receipt } of vectors.forged)
    await assert.rejects(v.checkReceipt(receipt, house, [witness]), v.Wrong, why);
});

test("heads extend one another, and not the other way round", async () => {
  for (const shown of vectors.consistency) {
    await v.checkHeads(shown, house, [witness]);
    if (shown.older_size === shown.newer_size) continue;
    await assert.rejects(v.checkHeads({ ...shown, older: shown.newer, newer: shown.older }, house), v.Wrong);
    await assert.rejects(v.checkHeads({ ...shown, proof: "" }, house), v.Wrong);
  }
});

test("an independent implementation agrees with every proof", async () => {
  for (const { receipt } of vectors.receipts) {
    const head = await v.readHead(receipt.head, house);
    const position = v.unpacked(raw(receipt.leaf))[3];
    const proof = {
      log_id: "",
      tree_size: head.size,
      leaf_index: position - 1,
      inclusion_path: v.hashes(receipt.proof),
    };
    const leaf = await RFC9162.leaf(raw(receipt.leaf));
    assert.equal(await RFC9162.verifyInclusionProof(head.root, leaf, proof), true);
    const bent = { ...proof, inclusion_path: proof.inclusion_path.map((each) => each.map((byte) => byte ^ 1)) };
    if (bent.inclusion_path.length) assert.equal(await RFC9162.verifyInclusionProof(head.root, leaf, bent), false);
  }
  for (const shown of vectors.consistency) {
    if (shown.older_size === shown.newer_size) continue;
    const [older, newer] = [await v.readHead(shown.older, house), await v.readHead(shown.newer, house)];
    // RFC 9162 §2.1.4.2 has the verifier put the older root first when its size is a power of 2; this one expects it.
    const first = (older.size & (older.size - 1)) === 0 ? [older.root] : [];
    const proof = {
      log_id: "",
      tree_size_1: older.size,
      tree_size_2: newer.size,
      consistency_path: [...first, ...v.hashes(shown.proof)],
    };
    assert.equal(await RFC9162.verifyConsistencyProof(older.root, newer.root, proof), true);
  }
});

test("trees that others made hold here", async () => {
  const entries = Array.from({ length: 37 }, (_, number) => RFC9162.strToBin(`record ${number}`));
  const root = await RFC9162.treeHead(entries);
  for (const [index, entry] of entries.entries()) {
    const { inclusion_path } = await RFC9162.inclusionProof(entry, entries);
    const found = await v.rootFromInclusion(await RFC9162.leaf(entry), index, entries.length, inclusion_path);
    assert.equal(v.hex(found), v.hex(root));
  }
});

test("dice follow from the commitment and from what the players brought", async () => {
  const { dice, ...shown } = vectors.dice;
  assert.deepEqual(await v.diceOf(shown), dice);
  await assert.rejects(v.diceOf({ ...shown, opening: "0".repeat(64) }), v.Wrong);
});

test("what is not a key is refused", async () => {
  for (const text of ["", "a+b+c", vectors.key.slice(0, -4), vectors.key.replace("casino", "other")])
    await assert.rejects(v.readKey(text), v.Wrong);
});
