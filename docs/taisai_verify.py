#!/usr/bin/env python3
"""Checks what a taisai house says, with nothing of the house's: one file, the standard library of Python 3.9 or newer.

    python taisai_verify.py receipt RECEIPT.json --key 'NAME+ID+KEY' [--witness 'NAME+ID+KEY' ...]
    python taisai_verify.py heads CONSISTENCY.json --key 'NAME+ID+KEY' [--witness ...]
    python taisai_verify.py dice --commitment HEX --opening HEX --table NAME --round N --dice 1,3,6

A receipt shows that a record is in the house's log (RFC 9162) under a head that the house signed (C2SP
tlog-checkpoint). Two heads are consistent when the newer one extends the older: nothing was changed or taken away. A
witness's cosignature shows that somebody else saw the same head. The keys come from the house and from the witnesses,
by a way you trust; a key inside a receipt would prove nothing. Exit code: 0 it holds, 1 it does not, 2 unreadable.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

MOST = 1_000_000
"""Characters of a file; a receipt has some thousands."""


class Wrong(Exception):
    """What was shown does not hold; the text says why."""


# ------------------------------------------------------------------ Ed25519 (RFC 8032), verification only

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)


def _x_of(y: int, odd: int) -> int:
    if y >= _P:
        raise Wrong("a point of a signature or key is out of range")
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    if square == 0 and odd:
        raise Wrong("a point of a signature or key is not on the curve")
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT % _P
    if (x * x - square) % _P:
        raise Wrong("a point of a signature or key is not on the curve")
    return _P - x if x & 1 != odd else x


def _point(raw: bytes) -> tuple[int, int, int, int]:
    y = int.from_bytes(raw, "little")
    odd, y = y >> 255, y & (2**255 - 1)
    x = _x_of(y, odd)
    return x, y, 1, x * y % _P


def _add(one: Sequence[int], other: Sequence[int]) -> tuple[int, int, int, int]:
    a = (one[1] - one[0]) * (other[1] - other[0]) % _P
    b = (one[1] + one[0]) * (other[1] + other[0]) % _P
    c = 2 * one[3] * other[3] * _D % _P
    d = 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(number: int, point: Sequence[int]) -> Sequence[int]:
    result: Sequence[int] = (0, 1, 1, 0)
    while number:
        if number & 1:
            result = _add(result, point)
        point = _add(point, point)
        number >>= 1
    return result


_BASE_Y = 4 * pow(5, _P - 2, _P) % _P
_BASE = (_x_of(_BASE_Y, 0), _BASE_Y, 1, _x_of(_BASE_Y, 0) * _BASE_Y % _P)


def ed25519_holds(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether a signature is this key's over this message."""
    if len(key) != 32 or len(signature) != 64:
        return False
    scalar = int.from_bytes(signature[32:], "little")
    if scalar >= _L:
        return False
    try:
        public, first = _point(key), _point(signature[:32])
    except Wrong:
        return False
    digest = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % _L
    left, right = _times(scalar, _BASE), _add(first, _times(digest, public))
    same_x = (left[0] * right[2] - right[0] * left[2]) % _P == 0
    return same_x and (left[1] * right[2] - right[1] * left[2]) % _P == 0


# ------------------------------------------------------------------ Merkle trees (RFC 9162 §2.1)


def sha256(data: bytes) -> bytes:
    """SHA-256."""
    return hashlib.sha256(data).digest()


def leaf_hash(data: bytes) -> bytes:
    """The hash of a leaf."""
    return sha256(b"\x00" + data)


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node."""
    return sha256(b"\x01" + left + right)


def root_from_inclusion(leaf: bytes, index: int, size: int, path: Iterable[bytes]) -> bytes:
    """The root that an inclusion proof leads to."""
    if not 0 <= index < size:
        raise Wrong("the record's place is not in the tree")
    place, last = index, size - 1
    for step in path:
        if last == 0:
            raise Wrong("the inclusion proof is too long")
        if place & 1 or place == last:
            leaf = node_hash(step, leaf)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            leaf = node_hash(leaf, step)
        place, last = place >> 1, last >> 1
    if last:
        raise Wrong("the inclusion proof is too short")
    return leaf


def check_consistency(older: int, older_root: bytes, newer: int, newer_root: bytes, path: Sequence[bytes]) -> None:
    """That the newer tree extends the older one."""
    if not 0 <= older <= newer:
        raise Wrong("the newer head has fewer records: the log was cut back")
    if older in (0, newer):
        if path or older_root != (sha256(b"") if older == 0 else newer_root):
            raise Wrong("two heads of one size have different roots: the house shows two histories")
        return
    steps = ([older_root] if older & (older - 1) == 0 else []) + list(path)
    if not steps:
        raise Wrong("the consistency proof is too short")
    place, last = older - 1, newer - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    old = new = steps[0]
    for step in steps[1:]:
        if last == 0:
            raise Wrong("the consistency proof is too long")
        if place & 1 or place == last:
            old, new = node_hash(step, old), node_hash(step, new)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            new = node_hash(new, step)
        place, last = place >> 1, last >> 1
    if last or old != older_root or new != newer_root:
        raise Wrong("the newer head does not extend the older one: the history was changed")


# ------------------------------------------------------------------ signed notes (C2SP)


def verifier_key(text: str) -> tuple[str, bytes, int, bytes]:
    """Name, id, kind and key of a verifier key, `NAME+ID+KEY`."""
    name, shown, raw = text.strip().split("+", 2)
    kind, key = base64.b64decode(raw, validate=True)[:1], base64.b64decode(raw, validate=True)[1:]
    key_id = sha256(name.encode() + b"\n" + kind + key)[:4]
    if key_id.hex() != shown or kind not in (b"\x01", b"\x04") or len(key) != 32:
        raise ValueError("not a verifier key: " + text[:60])
    return name, key_id, kind[0], key


def signature_of(note: str, key: tuple[str, bytes, int, bytes]) -> int | None:
    """The time of a witness, or 0, when the key has signed the note; None when it has not; `Wrong` when it lies."""
    text, _, lines = note.rpartition("\n\n")
    name, key_id, kind, public = key
    for line in lines.splitlines():
        if not line.startswith("\N{EM DASH} " + name + " "):
            continue
        raw = base64.b64decode(line.rsplit(" ", 1)[1], validate=True)
        if raw[:4] != key_id:
            continue
        message, signed, at = (text + "\n").encode(), raw[4:], 0
        if kind == 4:
            at, signed = int.from_bytes(signed[:8], "big"), signed[8:]
            message = f"cosignature/v1\ntime {at}\n".encode() + message
        if not ed25519_holds(public, message, signed):
            raise Wrong("the signature of " + name + " does not hold")
        return at
    return None


def head_of(
    note: str, house: tuple[str, bytes, int, bytes], witnesses: Iterable[tuple[str, bytes, int, bytes]]
) -> tuple[int, bytes, dict[str, int]]:
    """Size, root and what is known of who signed it."""
    origin, size, root = note.split("\n", 3)[:3]
    if signature_of(note, house) is None:
        raise Wrong("the head is not signed by " + house[0])
    if origin != house[0]:
        raise Wrong("the head is of another log: " + origin)
    seen = {}
    for witness in witnesses:
        at = signature_of(note, witness)
        if at is None:
            raise Wrong("not cosigned by " + witness[0])
        seen[witness[0]] = at
    return int(size), base64.b64decode(root, validate=True), seen


# ------------------------------------------------------------------ receipts


def unpacked(data: bytes) -> list[Any]:
    """A MessagePack array of texts, bytes and whole numbers, as leaves and parts are made of."""
    values: list[Any] = []
    place = 1

    def number(width: int) -> int:
        nonlocal place
        place += width
        return int.from_bytes(data[place - width : place], "big")

    def cut(size: int) -> bytes:
        nonlocal place
        place += size
        if place > len(data):
            raise Wrong("the record is cut short")
        return data[place - size : place]

    if not data or data[0] & 0xF0 != 0x90:
        raise Wrong("the record is not in a form that is known")
    for _ in range(data[0] & 0x0F):
        if place >= len(data):
            raise Wrong("the record is cut short")
        kind = data[place]
        place += 1
        if kind < 0x80:
            values.append(kind)
        elif 0xCC <= kind <= 0xCF:
            values.append(number(1 << (kind - 0xCC)))
        elif 0xA0 <= kind < 0xC0:
            values.append(cut(kind & 0x1F).decode())
        elif 0xD9 <= kind <= 0xDB:
            values.append(cut(number(1 << (kind - 0xD9))).decode())
        elif 0xC4 <= kind <= 0xC6:
            values.append(cut(number(1 << (kind - 0xC4))))
        else:
            raise Wrong("the record is not in a form that is known")
    if place != len(data):
        raise Wrong("there is more behind the record")
    return values


def hashes_in(text: str) -> list[bytes]:
    """The hashes of a proof, which stand one behind the other."""
    raw = base64.b64decode(text, validate=True)
    if len(raw) % 32:
        raise Wrong("a proof is not made of hashes")
    return [raw[at : at + 32] for at in range(0, len(raw), 32)]


def check_receipt(
    receipt: dict[str, Any],
    house: tuple[str, bytes, int, bytes],
    witnesses: Iterable[tuple[str, bytes, int, bytes]] = (),
) -> dict[str, Any]:
    """What a receipt proves, as a dictionary; `Wrong` when it proves nothing."""
    if receipt.get("form") != "taisai receipt 1":
        raise Wrong("this is not a receipt of a form that is known")
    size, root, seen = head_of(receipt["head"], house, witnesses)
    leaf = base64.b64decode(receipt["leaf"], validate=True)
    form, table, seq, position, kind, version, at, count, parts = unpacked(leaf)
    if form != 2:
        raise Wrong("the leaf is not of a form that is known")
    if root_from_inclusion(leaf_hash(leaf), position - 1, size, hashes_in(receipt["proof"])) != root:
        raise Wrong("the record is not in the log under this head")
    content = base64.b64decode(receipt["content"], validate=True)
    opened = leaf_hash(sha256(base64.b64decode(receipt["salt"], validate=True) + content))
    number = receipt["part"]
    if root_from_inclusion(opened, number, count, hashes_in(receipt["part_proof"])) != parts:
        raise Wrong("what the receipt opens is not what the log holds")
    fields = unpacked(content)
    said = json.loads(fields[4] if number == 0 else fields[1])
    return {
        "table": table,
        "record": seq,
        "position": position,
        "event": kind,
        "version": version,
        "at_us": at,
        "log_size": size,
        "whose": "" if number == 0 else fields[0],
        "says": said,
        "cosigned": seen,
    }


# ------------------------------------------------------------------ dice


def check_dice(
    commitment: str,
    opening: str,
    table: str,
    number: int,
    dice: Iterable[int],
    *,
    brought: Iterable[str] = (),
    form: int = 2,
) -> list[int]:
    """That virtual dice follow from what the house was committed to and what players brought (docs/fair-dice.md)."""
    lines = f"taisai dice {form} commitment\n{opening}\n{number}\n{table}"
    if hashlib.sha256(lines.encode()).hexdigest() != commitment:
        raise Wrong("the opening does not fit the commitment")
    mix = hashlib.sha256("\n".join(["taisai dice 2 mix", *sorted(brought)]).encode()).hexdigest() + "\n"
    block = 0
    while True:
        lines = f"taisai dice {form} roll\n{opening}\n{mix if form == 2 else ''}{number}\n{block}\n{table}"
        found = sha256(lines.encode())
        for byte in found:
            if byte < 216:
                faces = [byte // 36 + 1, byte // 6 % 6 + 1, byte % 6 + 1]
                if faces != list(dice):
                    raise Wrong("the opening gives " + ", ".join(map(str, faces)))
                return faces
        block += 1


def _read(name: str) -> str:
    with Path(name).open(encoding="utf-8") as file:
        text = file.read(MOST + 1)
    if len(text) > MOST:
        raise ValueError(f"{name} is larger than {MOST} characters")
    return text


def main(words: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="what", required=True)
    one = commands.add_parser("receipt")
    one.add_argument("file")
    two = commands.add_parser("heads")
    two.add_argument("file")
    for each in (one, two):
        each.add_argument("--key", required=True)
        each.add_argument("--witness", action="append", default=[])
    three = commands.add_parser("dice")
    for name in ("commitment", "opening", "table", "dice"):
        three.add_argument("--" + name, required=True)
    three.add_argument("--round", type=int, required=True)
    three.add_argument("--brought", default="", help="what the players brought, with commas")
    three.add_argument("--form", type=int, choices=(1, 2), default=2)
    given = parser.parse_args(words)
    try:
        if given.what == "dice":
            brought, faces = filter(None, given.brought.split(",")), map(int, given.dice.split(","))
            check_dice(
                given.commitment, given.opening, given.table, given.round, faces, brought=brought, form=given.form
            )
            print("holds: these dice are what the house was committed to and the players brought")
            return 0
        house, witnesses = verifier_key(given.key), [verifier_key(each) for each in given.witness]
        if given.what == "receipt":
            shown = check_receipt(json.loads(_read(given.file)), house, witnesses)
            print(json.dumps(shown, indent=2, ensure_ascii=False))
            return 0
        shown = json.loads(_read(given.file))
        notes = shown["older"], shown["newer"]
        (older, older_root, _), (newer, newer_root, _) = (head_of(note, house, witnesses) for note in notes)
        check_consistency(older, older_root, newer, newer_root, hashes_in(shown["proof"]))
        print(f"holds: the head of {newer} records extends the one of {older}")
    except Wrong as wrong:
        print(f"does not hold: {wrong}", file=sys.stderr)
        return 1
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        print(f"cannot be read: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
