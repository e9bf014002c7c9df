"""Layouts, seeds and right answers for the tests of drills."""

from __future__ import annotations

from typing import Any

import msgspec

from taisai.audit import recount
from taisai.core.rulebook import Layout, RuleBook
from taisai.training.cases import cases_of
from taisai.training.drills import Drill
from taisai.training.marking import Answers, Payment
from tests.table.driver import shelf

SEEDS = [f"s{number}" for number in range(40)]
LAYOUTS = [layout.name for book in shelf().books() for layout in book.layouts.values()]


def book_and_layout(name: str) -> tuple[RuleBook, Layout]:
    """A layout and its book."""
    layout = shelf().layout(name)
    return shelf().book(layout.book_id), layout


def recounted(drill: Drill) -> dict[str, Any]:
    """The round of a drill, by the second settlement."""
    return recount.settle(
        {
            "layout": f"{drill.book}/{drill.layout}",
            "dice": drill.dice,
            "bets": [{"player": bet.player, "box": bet.box, "stake": bet.stake} for bet in drill.bets],
            "limits": None if drill.limits is None else msgspec.to_builtins(drill.limits),
        }
    )


def solved(book: RuleBook, drill: Drill) -> Answers:
    """The right answers, by the second settlement and the book's own cases."""
    again = recounted(drill)
    right = {case.id: str(case.right) for case in cases_of(book)}
    return Answers(
        call=again["call"],
        collected=tuple(dict.fromkeys(bet["box"] for bet in again["bets"] if bet["pays"] is None)),
        payments=tuple(
            Payment(bet["player"], bet["box"], bet["returned"] if bet["pays"] is None else bet["winnings"])
            for bet in again["bets"]
        ),
        situations={each.id: right[each.id] for each in drill.situations},
        seconds=1,
    )
