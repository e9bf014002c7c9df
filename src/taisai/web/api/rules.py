"""API: rule books, layouts, odds, felts. Anybody may read them without signing in or betting (R4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct, structs
from starlette.responses import Response

from taisai.audit.conformance import Conformance, conformance_of, conformance_page
from taisai.books import BookRefused
from taisai.books.citations import find_clause, spelled
from taisai.core.bets import parse_bets
from taisai.core.dice import parse_roll
from taisai.core.faults import InputFault
from taisai.core.names import OWN_LANGUAGE
from taisai.core.odds import bets_odds, compare
from taisai.core.rulebook import Layout, RuleBook
from taisai.felt import PALETTES, draw_untitled
from taisai.floor.answers import HouseCode
from taisai.protocol.books import (
    BetsSheet,
    BookCard,
    ComparedBox,
    EntrySheet,
    LayoutOddsSheet,
    WholeBook,
    bets_sheet,
    book_card,
    compared_box,
    entry_sheet,
    layout_odds_sheet,
    whole_book,
)
from taisai.protocol.case import CaseAnswer, answer_case
from taisai.protocol.messages import Json
from taisai.table.refusals import Refusal
from taisai.version import __version__
from taisai.web.endpoint import Call, Endpoint
from taisai.web.errors import Stop
from taisai.web.guard.work import Made, made_with_room

Language = Annotated[str, Meta(max_length=12, description="A language; the book's own where it has it not.")]


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


def _lang(call: Call) -> str:
    """The language that is asked for, or the book's own where it does not have that one."""
    lang = call.query.lang
    return lang if lang in _book(call).translations else OWN_LANGUAGE


def list_books(call: Call) -> list[BookCard]:
    """Every installed rule book."""
    return [book_card(book) for book in call.context.shelf.books()]


def get_book(call: Call) -> WholeBook:
    """A rule book with procedure, pay tables, clauses and interpretations."""
    book = _book(call)
    return whole_book(book, call.context.shelf.duties(book.id))


def get_clause(call: Call) -> list[EntrySheet]:
    """A clause or interpretation, or all whose number begins with this one."""
    book = _book(call)
    duties = call.context.shelf.duties(book.id)
    try:
        return [entry_sheet(book, duties, each) for each in find_clause(book, call.path["clause"])]
    except InputFault as refusal:
        raise Stop(Refusal(HouseCode.NOT_FOUND, str(refusal), field="clause")) from refusal


def found_by(call: Call) -> tuple[Call, str]:
    """The call with the number of the clause spelled one way."""
    return replace(call, path=call.path | {"clause": spelled(call.path["clause"])}), ""


class ConformanceQuery(Struct, frozen=True):
    """As what."""

    form: Literal["json", "html"] = "json"


def get_conformance(call: Call) -> Response:
    """The examiner's report of a book, clause by clause, as `taisai conformance` writes it."""
    book = _book(call)
    report = conformance_of(book, call.context.shelf.duties(book.id), __version__)
    if call.query.form == "html":
        return Response(conformance_page(report), media_type="text/html")
    return Response(msgspec.json.encode(report), media_type="application/json")


class LayoutQuery(Struct, frozen=True):
    """In which language."""

    lang: Language = OWN_LANGUAGE


def get_layout(call: Call) -> LayoutOddsSheet:
    """A layout: its pay table, the exact odds of every box, and what it is called in a language."""
    book = _book(call)
    return layout_odds_sheet(book, _layout(call), book.names_in(call.query.lang))


def told_for(call: Call) -> tuple[Call, str]:
    """The call in a language that the book has: nobody has it told in languages that there are not."""
    return replace(call, query=structs.replace(call.query, lang=_lang(call))), ""


class FeltQuery(Struct, frozen=True):
    """How to draw a felt."""

    dice: Annotated[str, Meta(max_length=16)] = ""
    """Light the winners of this roll: 1-3-6."""
    labels: bool = False
    heat: bool = False
    """Colour every box by its house edge."""
    title: Annotated[str, Meta(max_length=80)] = ""
    palette: Annotated[str, Meta(max_length=16)] = ""
    lang: Language = OWN_LANGUAGE
    """The language of sections, and of what is printed, as far as the book translates it."""


def drawn_for(call: Call) -> tuple[Call, str]:
    """The call with dice and language spelled one way and any title in the place of this one; and this title."""
    query = call.query
    dice = "-".join(map(str, parse_roll(query.dice, "dice").faces)) if query.dice else ""
    title = "any" if query.title else ""
    return replace(call, query=structs.replace(query, dice=dice, title=title, lang=_lang(call))), query.title


def get_felt(call: Call) -> Made:
    """A layout drawn as SVG, once for all titles."""
    query = call.query
    layout = _layout(call).in_words(_book(call).names_in(query.lang))
    if query.palette and query.palette not in PALETTES:
        raise Stop(Refusal(HouseCode.BAD_MESSAGE, f"The palette is one of {', '.join(PALETTES)}.", field="palette"))
    roll = parse_roll(query.dice, "dice") if query.dice else None
    options: Json = {"palette": PALETTES[query.palette]} if query.palette else {}
    felt = draw_untitled(layout, roll=roll, labels=query.labels, heat=query.heat, band=bool(query.title), **options)
    return made_with_room(felt.before, felt.after, "image/svg+xml", felt.line.draw)


class BetsQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """Bets whose odds are asked for together."""

    bets: Annotated[str, Meta(max_length=4000, description="As box=amount, separated by commas or spaces.")]


def ask_odds(call: Call) -> BetsSheet:
    """The outcome of a set of bets on every roll."""
    layout = _layout(call)
    return bets_sheet(layout, bets_odds(layout, parse_bets(layout, call.body.bets, field_name="bets")))


class CompareQuery(Struct, frozen=True):
    """Two layouts, as BOOK/LAYOUT."""

    one: Annotated[str, Meta(max_length=100)]
    two: Annotated[str, Meta(max_length=100)]


def compare_layouts(call: Call) -> list[ComparedBox]:
    """Two layouts side by side, box by box."""
    shelf = call.context.shelf
    one, two = shelf.layout(call.query.one, "one"), shelf.layout(call.query.two, "two")
    return [compared_box(each) for each in compare(one, two)]


def settle_case(call: Call) -> CaseAnswer:
    """Settle a round from its layout, bets, dice or void reason, and limits; every bet comes with its clauses."""
    return answer_case(call.context.shelf, call.body)


_TAG: Final = "rules"
RULES_ENDPOINTS: Final = (
    Endpoint("GET", "/api/books", list_books, "Every installed rule book", list[BookCard], _TAG, derived=True),
    Endpoint("GET", "/api/books/{book}", get_book, "A rule book, whole", WholeBook, _TAG, cost=5, derived=True),
    Endpoint(
        "GET", "/api/books/{book}/clauses/{clause}", get_clause, "A clause, in plain words", list[EntrySheet], _TAG,
        cost=5, derived=True, made_for=found_by,
    ),
    Endpoint(
        "GET", "/api/books/{book}/conformance", get_conformance, "The examiner's report", Conformance, _TAG,
        query=ConformanceQuery, also=("text/html",), cost=40, derived=True,
    ),
    Endpoint(
        "GET", "/api/books/{book}/layouts/{layout}", get_layout, "A layout and its exact odds", LayoutOddsSheet, _TAG,
        query=LayoutQuery, cost=5, derived=True, made_for=told_for,
    ),
    Endpoint(
        "GET", "/api/books/{book}/layouts/{layout}/felt.svg", get_felt, "A layout drawn", str, _TAG,
        query=FeltQuery, media="image/svg+xml", cost=40, derived=True, made_for=drawn_for,
    ),
    Endpoint(
        "POST", "/api/books/{book}/layouts/{layout}/odds", ask_odds, "The outcome of bets on every roll", BetsSheet,
        _TAG, body=BetsQuestion, cost=10,
    ),
    Endpoint(
        "GET", "/api/compare", compare_layouts, "Two layouts side by side", list[ComparedBox], _TAG,
        query=CompareQuery, cost=8, derived=True,
    ),
    Endpoint("POST", "/api/settle", settle_case, "Settle a round", CaseAnswer, _TAG, body=Json, cost=30),
)  # fmt: skip
