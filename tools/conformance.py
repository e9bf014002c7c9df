"""Writes the conformance vectors: what any implementation of these rule books must answer (`make conformance`)."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from taisai.books import Shelf, open_shelf
from taisai.core.dice import ALL_COMBINATIONS, ALL_ROLLS, parse_roll
from taisai.core.faults import InputFault
from taisai.core.names import result_call
from taisai.core.rulebook import Layout
from taisai.protocol.case import CaseAnswer, answer_case
from tools.golden import ROOT, Golden
from tools.proof_vectors import proof_text

FOLDER = ROOT / "conformance"
V6 = "rws-tai-sai-v6"
SHOWN = ("1,3,6", "3,3,4", "2,6,6")
"""Beside the triples, the rolls on which every box of every layout is settled: plain, double low, double high."""

Case = dict[str, object]


def matrix(shelf: Shelf, layout: Layout) -> Iterator[str]:
    """A layout's whole matrix, one roll a line: the winning boxes with their odds to 1; every other box loses."""
    calls = shelf.book(layout.book_id).procedure.calls
    head = {"layout": layout.name, "digest": shelf.book(layout.book_id).digest, "boxes": list(layout.boxes)}
    yield json.dumps(head)[:-1] + ', "rolls": [\n'
    for roll in ALL_ROLLS:
        row = {
            "dice": roll.faces,
            "total": roll.total,
            "call": result_call(calls, roll),
            "pays": {box: row.pays for box, row in layout.winners[roll.index].items()},
        }
        yield json.dumps(row) + (",\n" if roll is not ALL_ROLLS[-1] else "\n")
    yield "]}\n"


def bet(player: str, box: str, stake: int) -> Case:
    """A bet of a case."""
    return {"player": player, "box": box, "stake": stake}


def case(layout: str, dice: str | None, *bets: Case, limits: Case | None = None, void: str | None = None) -> Case:
    """A case; `dice` as text."""
    made: Case = {"layout": layout, "dice": list(parse_roll(dice).faces) if dice else None, "limits": limits}
    if void:
        made["void"] = void
    return {**made, "bets": list(bets)}


def box_limits(stake_min: int, stake_max: int, unit: int = 1, **differential: int) -> Case:
    """Limits with one minimum and maximum for all boxes."""
    pairs = {name.replace("_", "-"): amount for name, amount in differential.items()}
    return {"unit": unit, "default": {"min": stake_min, "max": stake_max}, "kinds": {}, "differential": pairs}


def settle_cases(shelf: Shelf) -> Iterator[tuple[str, Case]]:
    """Named cases: pro rata, differential, triples, voids, merging, and every combination on every layout."""
    shares = {
        "two players": ([8000, 4000], 10000, 1),
        "two players, unit 25": ([8000, 4000], 10000, 25),
        "three equal players": ([5000, 5000, 5000], 10000, 1),
        "three equal players, unit 100": ([500, 500, 500], 1000, 100),
        "different stakes, equal remainders": ([900, 700, 400], 1000, 100),
        "a player at the minimum and one below": ([9900, 150, 100, 50], 10000, 1),
        "one set to the minimum, unit 5": ([9000, 120, 1000], 5000, 5),
        "one set to the minimum, room for it": ([9000, 120, 1000], 5200, 5),
        "stakes off the unit": ([130, 1000], 1100, 25),
    }
    for name, (stakes, stake_max, unit) in shares.items():
        stake_min = 100
        bets = [bet(f"p{place}", "small", stake) for place, stake in enumerate(stakes, start=1)]
        for dice in ("1,3,6", "4,5,6"):
            yield (
                f"pro rata: {name}, {dice}",
                case(f"{V6}/A", dice, *bets, limits=box_limits(stake_min, stake_max, unit)),
            )
    crowd = [bet("p1", "total:9", 100), bet("p2", "total:9", 100), bet("p3", "total:9", 100)]
    yield "pro rata: the minimums do not fit", case(f"{V6}/C", "2,3,4", *crowd, limits=box_limits(100, 200))
    heavy = [bet("p1", "big", 9000), bet("p2", "big", 3000), bet("p3", "small", 1000)]
    yield (
        "differential: the heavier side",
        case(f"{V6}/C", "5,5,6", *heavy, limits=box_limits(100, 50000, big_small=5000)),
    )
    both = {
        "unit": 1,
        "default": {"min": 100, "max": 10000},
        "kinds": {"small": {"min": 100, "max": 5000}},
        "differential": {"big-small": 2000},
    }
    sides = [bet("p1", "small", 20000), bet("p2", "big", 6000), bet("p3", "big", 4000)]
    yield "differential: heavier as placed, cut to its maximum", case(f"{V6}/A", "1,2,3", *sides, limits=both)
    apart = {
        "unit": 1,
        "default": {"min": 100, "max": 100000},
        "kinds": {"big": {"min": 100, "max": 30000}},
        "differential": {"big-small": 20000},
    }
    overfilled = [bet("p1", "small", 60000), bet("p2", "big", 50000), bet("p3", "big", 40000)]
    yield "differential: the lighter side is not cut", case(f"{V6}/A", "1,2,3", *overfilled, limits=apart)
    equal = [bet("p1", "small", 50000), bet("p2", "big", 50000)]
    yield "differential: equal sides break none", case(f"{V6}/A", "1,2,3", *equal, limits=apart)
    even = [bet("p1", "odd", 700), bet("p1", "even", 100)]
    yield "differential: odd and even", case(f"{V6}/C", "1,2,4", *even, limits=box_limits(100, 5000, odd_even=300))
    stacks = [bet("p1", "small", 100), bet("p2", "small", 50), bet("p1", "big", 70), bet("p1", "small", 25)]
    yield "one bet of a player in a box", case("nz-division-9/1", "1,2,2", *stacks)
    excess = [bet("p1", "small", 3000)]
    yield (
        "no pro rata in this book: flagged only",
        case("nz-division-9/2", "1,2,2", *excess, limits=box_limits(100, 1000)),
    )
    for book in shelf.books():
        first = next(iter(book.layouts.values()))
        some = [bet("p1", box, 100) for box in list(first.boxes)[:4]]
        for reason in book.procedure.voids:
            yield f"void: {book.id}, {reason}", case(first.name, None, *some, void=reason)
        for layout in book.layouts.values():
            for roll in ALL_COMBINATIONS:
                if roll.is_triple or str(roll) in SHOWN:
                    every = [bet("p1", box, 10) for box in layout.boxes]
                    yield f"every box: {layout.name}, {roll}", case(layout.name, str(roll), *every)


def normative(answer: CaseAnswer) -> dict[str, Any]:
    """What every implementation must agree on: all but the wording."""
    kept: dict[str, Any] = msgspec.to_builtins(answer)
    flags = kept.pop("flags")
    kept["bets"] = [{key: value for key, value in each.items() if key != "why"} for each in kept["bets"]]
    return {**kept, "flags": [{key: value for key, value in each.items() if key != "text"} for each in flags]}


def bad_cases() -> Iterator[tuple[str, object, str]]:
    """Cases that must be refused, and the field that the refusal names."""
    good = case(f"{V6}/A", "1,3,6", bet("p1", "small", 100))
    yield "unknown layout", {**good, "layout": "rws-tai-sai-v6/B"}, "layout"
    yield "layout of the wrong type", {**good, "layout": 6}, "layout"
    yield "two dice", {**good, "dice": [1, 3]}, "dice"
    yield "a face of seven", {**good, "dice": [1, 3, 7]}, "dice[2]"
    yield "a face that is true", {**good, "dice": [True, 3, 6]}, "dice[0]"
    yield "no dice and no void reason", {**good, "dice": None}, "dice"
    yield "a void reason the book does not have", {**good, "dice": None, "void": "not-activated"}, "void"
    yield "dice and void", {**good, "void": "not-flat"}, "void"
    yield "unknown box", {**good, "bets": [bet("p1", "total:3", 100)]}, "bets[0].box"
    yield "a box of another layout", {**good, "bets": [bet("p1", "odd", 100)]}, "bets[0].box"
    for name, stake in (("negative", -1), ("zero", 0), ("fractional", 0.5), ("whole but a fraction's type", 100.0)):
        yield f"{name} stake", {**good, "bets": [{**bet("p1", "small", 1), "stake": stake}]}, "bets[0].stake"
    yield "absurd stake", {**good, "bets": [bet("p1", "small", 10**16)]}, "bets[0].stake"
    yield "unknown key", {**good, "dize": [1, 3, 6]}, "dize"
    yield "limit off the unit", {**good, "limits": {"unit": 25, "default": {"min": 105}}}, "limits.default.min"
    yield "minimum above maximum", {**good, "limits": {"default": {"min": 200, "max": 100}}}, "limits.default"


def vectors(shelf: Shelf) -> Iterator[tuple[str, str]]:
    """Every file of the folder but its README: name and content."""
    for book in shelf.books():
        for layout in book.layouts.values():
            yield f"matrix-{book.id}-{layout.id}.json", "".join(matrix(shelf, layout))
    lines = [
        json.dumps({"name": name, "case": each, "answer": normative(answer_case(shelf, each))})
        for name, each in settle_cases(shelf)
    ]
    yield "settle-cases.jsonl", "\n".join(lines) + "\n"
    refused = []
    for name, each, field in bad_cases():
        try:
            answer_case(shelf, each)
        except InputFault as fault:
            if fault.field != field:
                raise ValueError(f"{name}: the fault names {fault.field}, not {field}") from fault
            refused.append(json.dumps({"name": name, "case": each, "field": field}))
        else:
            raise ValueError(f"{name}: was not refused")
    yield "bad-cases.jsonl", "\n".join(refused) + "\n"
    yield "proof.json", proof_text()


def made() -> Iterator[tuple[Path, str]]:
    """Every file, with its content."""
    for name, text in vectors(open_shelf(environment={})):
        yield FOLDER / name, text


GOLDEN = Golden("make conformance", made, kept=lambda: FOLDER.glob("*.json*"))

if __name__ == "__main__":
    sys.exit(GOLDEN.main())
