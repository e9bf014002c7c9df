"""What every box pays, as small tables that are joined.

Enters: the rules that bets of an export stood under, and the rule books at hand. Leaves: `pays` (rules, box, roll:
chips returned for a chip at risk), `boxes` (rules, box: the same added up over all rolls, the most of it, and how many
boxes of its kind win together) and `covariances` (rules, two boxes), and which rules are not at hand. Rules are a
layout of one version of its book: a book that has changed since settles nothing of before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from operator import mul
from typing import Any, NamedTuple

import pyarrow as pa  # type: ignore[import-untyped] # has no types of its own

from taisai.books import Shelf
from taisai.core.dice import ALL_ROLLS
from taisai.core.rulebook import Layout
from taisai.history.schema import VOID_ROLL, rules_key


class Payouts(NamedTuple):
    """The tables that are joined, and the rules that are missing in them."""

    pays: Any
    boxes: Any
    covariances: Any
    missing: tuple[str, ...]
    """Rules that no book at hand has: an older version, or another house's book."""


def payouts(rules: Iterable[str], shelf: Shelf) -> Payouts:
    """The pays of these rules, as far as their books are at hand."""
    pays: list[tuple[str, str, int, int]] = []
    boxes: list[tuple[str, str, int, int, str, int]] = []
    covariances: list[tuple[str, str, str, int]] = []
    missing = []
    for key in sorted(rules):
        layout = _layout_of(key, shelf)
        if layout is None:
            missing.append(key)
            continue
        returned = {
            box: [odds + 1 if (odds := layout.pay_table[roll.index][box]) else 0 for roll in ALL_ROLLS]
            for box in layout.boxes
        }
        winners = _winners(layout)
        for box, backs in returned.items():
            kind = layout.boxes[box].kind
            pays.extend((key, str(box), roll, each) for roll, each in enumerate(backs))
            pays.append((key, str(box), VOID_ROLL, 1))
            boxes.append((key, str(box), sum(backs), max(backs), str(kind), winners[kind]))
            covariances.extend(
                (key, str(box), str(other), 216 * sum(map(mul, backs, others)) - sum(backs) * sum(others))
                for other, others in returned.items()
            )
    text, number = pa.string(), pa.int64()
    return Payouts(
        small_table({"rules": text, "box": text, "roll": pa.int16(), "multiplier": number}, pays),
        small_table(
            {"rules": text, "box": text, "returns_216": number, "most": number, "family": text, "winners": number},
            boxes,
        ),
        small_table({"rules": text, "box": text, "other": text, "covariance": number}, covariances),
        tuple(missing),
    )


def _winners(layout: Layout) -> dict[str, int]:
    """How many boxes of each kind win together, at most."""
    most = dict.fromkeys(layout.kinds, 0)
    for roll in ALL_ROLLS:
        won = Counter(layout.boxes[box].kind for box, pays in layout.pay_table[roll.index].items() if pays)
        most = {kind: max(count, won[kind]) for kind, count in most.items()}
    return most


def _layout_of(key: str, shelf: Shelf) -> Layout | None:
    name = key.rpartition("@")[0]
    book_id, _, layout = name.partition("/")
    if book_id not in shelf.ids:
        return None
    book = shelf.book(book_id)
    keys = {rules_key(name, digest) for digest in (book.digest, *(former.digest for former in book.formerly))}
    return book.layouts.get(layout) if key in keys else None


def small_table(columns: dict[str, Any], rows: Iterable[tuple[object, ...]]) -> Any:
    """An Arrow table of some rows."""
    schema = pa.schema(list(columns.items()))
    return pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows], schema=schema)
