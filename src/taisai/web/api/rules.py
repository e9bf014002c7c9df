"""API: rule books, layouts, odds, felts. Anybody may read them without signing in or betting (R4)."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct
from starlette.responses import Response

from taisai.books import BookRefused
from taisai.core.bets import parse_bets
from taisai.core.citations import find_clause
from taisai.core.dice import parse_roll
from taisai.core.faults import InputFault
from taisai.core.odds import bets_odds, compare, layout_odds
from taisai.core.rulebook import Layout, RuleBook
from taisai.felt import PALETTES, draw
from taisai.floor.answers import HouseCode
from taisai.protocol.case import answer_case
from taisai.protocol.rules import exact, plain_bets, plain_book, plain_box, plain_clause, plain_layout
from taisai.table.refusals import Refusal
from taisai.web.endpoint import Call, Endpoint
from taisai.web.errors import Stop

Plain = dict[str, Any]


def _book(call: Call) -> RuleBook:
    try:
        return call.context.shelf.book(call.path["book"])
    except (InputFault, BookRefused) as refusal:
        raise Stop(Refusal(HouseCode.NOT_FOUND, str(refusal), field="book")) from refusal


def _layout(call: Call) -> Layout:
    book = _book(call)
    found = book.layouts.get(call.path["layout"])
    if found is None:
        raise Stop(
            Refusal(HouseCode.NOT_FOUND, f"{book.id} has no layout {call.path['layout'][:64]!r}.", field="layout")
        )
    return found


def _plain(value: object) -> Any:
    return msgspec.to_builtins(value, enc_hook=exact)


async def list_books(call: Call) -> list[Plain]:
    """Every installed rule book."""
    return [
        {
            "id": book.id,
            "title": book.title,
            "version": book.version,
            "operator": book.operator,
            "jurisdiction": book.jurisdiction,
            "digest": book.digest,
            "layouts": list(book.layouts),
        }
        for book in call.context.shelf.books()
    ]


async def get_book(call: Call) -> Plain:
    """A rule book with procedure, pay tables, clauses and interpretations."""
    book = _book(call)
    duties = call.context.shelf.duties(book.id)
    found = plain_book(book)
    found["clauses"] = [plain_clause(book, duties, each) for each in book.clauses.values()]
    found["interpretations"] = [plain_clause(book, duties, each) for each in book.interpretations.values()]
    return _plain(found)  # type: ignore[no-any-return]  # plain values are any


async def get_clause(call: Call) -> list[Plain]:
    """A clause or interpretation, or all whose number begins with this one."""
    book = _book(call)
    duties = call.context.shelf.duties(book.id)
    try:
        return [_plain(plain_clause(book, duties, each)) for each in find_clause(book, call.path["clause"])]
    except InputFault as refusal:
        raise Stop(Refusal(HouseCode.NOT_FOUND, str(refusal), field="clause")) from refusal


async def get_layout(call: Call) -> Plain:
    """A layout: its pay table, and the exact odds of every box."""
    layout = _layout(call)
    boxes = [plain_box(each) for each in layout_odds(layout)]
    return _plain({**plain_layout(layout), "odds": boxes})  # type: ignore[no-any-return]  # plain values are any


class FeltQuery(Struct, frozen=True):
    """How to draw a felt."""

    dice: str = ""
    """Light the winners of this roll: 1-3-6."""
    labels: bool = False
    heat: bool = False
    """Colour every box by its house edge."""
    title: Annotated[str, Meta(max_length=80)] = ""
    palette: Annotated[str, Meta(max_length=16)] = ""


async def get_felt(call: Call) -> Response:
    """A layout drawn as SVG."""
    layout, query = _layout(call), call.query
    if query.palette and query.palette not in PALETTES:
        raise Stop(Refusal(HouseCode.BAD_MESSAGE, f"The palette is one of {', '.join(PALETTES)}.", field="palette"))
    roll = parse_roll(query.dice, "dice") if query.dice else None
    options: Plain = {"palette": PALETTES[query.palette]} if query.palette else {}
    text = draw(layout, roll=roll, labels=query.labels, heat=query.heat, title=query.title, **options)
    return Response(text, media_type="image/svg+xml", headers={"cache-control": "public, max-age=300"})


class BetsQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """Bets whose odds are asked for together."""

    bets: Annotated[str, Meta(max_length=4000, description="As box=amount, separated by commas or spaces.")]


async def ask_odds(call: Call) -> Plain:
    """The outcome of a set of bets on every roll."""
    layout = _layout(call)
    return _plain(plain_bets(layout, bets_odds(layout, parse_bets(layout, call.body.bets, field_name="bets"))))  # type: ignore[no-any-return]  # plain values are any


class CompareQuery(Struct, frozen=True):
    """Two layouts, as BOOK/LAYOUT."""

    one: Annotated[str, Meta(max_length=100)]
    two: Annotated[str, Meta(max_length=100)]


async def compare_layouts(call: Call) -> list[Plain]:
    """Two layouts side by side, box by box."""
    shelf = call.context.shelf
    one, two = shelf.layout(call.query.one, "one"), shelf.layout(call.query.two, "two")
    return [
        {
            "box": each.name,
            "one": None if each.one is None else _plain(plain_box(each.one)),
            "two": None if each.two is None else _plain(plain_box(each.two)),
            "differs": each.differs,
        }
        for each in compare(one, two)
    ]


async def settle_case(call: Call) -> Plain:
    """Settle a round from its layout, bets, dice or void reason, and limits; every bet comes with its clauses."""
    return _plain(answer_case(call.context.shelf, call.body))  # type: ignore[no-any-return]  # plain values are any


_TAG: Final = "rules"
RULES_ENDPOINTS: Final = (
    Endpoint("GET", "/api/books", list_books, "Every installed rule book", list[Plain], _TAG),
    Endpoint("GET", "/api/books/{book}", get_book, "A rule book, whole", Plain, _TAG),
    Endpoint("GET", "/api/books/{book}/clauses/{clause}", get_clause, "A clause, in plain words", list[Plain], _TAG),
    Endpoint("GET", "/api/books/{book}/layouts/{layout}", get_layout, "A layout and its exact odds", Plain, _TAG),
    Endpoint(
        "GET", "/api/books/{book}/layouts/{layout}/felt.svg", get_felt, "A layout drawn", str, _TAG,
        query=FeltQuery, media="image/svg+xml",
    ),
    Endpoint(
        "POST", "/api/books/{book}/layouts/{layout}/odds", ask_odds, "The outcome of bets on every roll", Plain, _TAG,
        body=BetsQuestion,
    ),
    Endpoint("GET", "/api/compare", compare_layouts, "Two layouts side by side", list[Plain], _TAG, query=CompareQuery),
    Endpoint("POST", "/api/settle", settle_case, "Settle a round", Plain, _TAG, body=Plain),
)  # fmt: skip
