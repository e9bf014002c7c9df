"""API: drills for dealers, made from a seed and marked by the engine. Nothing is stored; nobody needs to sign in."""

from __future__ import annotations

from secrets import token_hex
from typing import Annotated, Final

from msgspec import Meta, Struct

from taisai.books import BookRefused
from taisai.core.faults import InputFault
from taisai.core.rulebook import Layout, RuleBook
from taisai.floor.answers import HouseCode
from taisai.table.refusals import Refusal
from taisai.training.drills import SEED_MAX, Drill, make_drill
from taisai.training.marking import Answers, Marks, mark_drill
from taisai.web.endpoint import Call, Endpoint
from taisai.web.errors import Stop

_Name = Annotated[str, Meta(max_length=100, description="As BOOK/LAYOUT.")]
_Level = Annotated[int, Meta(ge=1, le=4)]
_Seed = Annotated[str, Meta(max_length=SEED_MAX, description="The same seed gives the same drill.")]


class DrillQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """Which drill; without a seed, a random one."""

    layout: _Name
    level: _Level
    seed: _Seed = ""


class MarkQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """Answers to the drill of a seed."""

    layout: _Name
    level: _Level
    seed: _Seed
    answers: Answers
    digest: Annotated[str, Meta(max_length=100)] = ""
    """The book's digest, as the drill states it: under another book the same seed gives another drill."""


def _found(call: Call) -> tuple[RuleBook, Layout]:
    shelf = call.context.shelf
    try:
        layout = shelf.layout(call.body.layout)
        return shelf.book(layout.book_id), layout
    except (InputFault, BookRefused) as refusal:
        raise Stop(Refusal(HouseCode.NOT_FOUND, str(refusal), field="layout")) from refusal


def drill(call: Call) -> Drill:
    """Make a drill; its answers are not in it."""
    book, layout = _found(call)
    return make_drill(book, layout, call.body.level, call.body.seed or token_hex(4))


def mark(call: Call) -> Marks:
    """Mark the answers to a drill, each with its clauses."""
    book, layout = _found(call)
    if call.body.digest not in ("", book.digest):
        sentence = "The rule book has changed since this drill was made: start a new one."
        raise Stop(Refusal(HouseCode.BAD_MESSAGE, sentence, field="digest"))
    return mark_drill(book, layout, call.body.level, call.body.seed, call.body.answers)


_TAG: Final = "training"
TRAINING_ENDPOINTS: Final = (
    Endpoint("POST", "/api/training/drill", drill, "A drill for dealers", Drill, _TAG, body=DrillQuestion, cost=5),
    Endpoint("POST", "/api/training/mark", mark, "Answers to a drill, marked", Marks, _TAG, body=MarkQuestion, cost=5),
)
