"""Rule books, layouts, odds and felts over the API, without signing in (R4)."""

from __future__ import annotations

from fractions import Fraction

import httpx
import pytest

from taisai.core.odds import layout_odds
from tests.web.asking import one_shape
from tests.web.serving import on_a_loop, open_house, shelf

BOOK = "/api/books/rws-tai-sai-v6"


@on_a_loop
async def test_books_layouts_and_clauses_are_those_of_the_shelf() -> None:
    """Every book with its digest; a layout with the exact odds; a clause with those under its number."""
    async with open_house() as running, httpx.AsyncClient(base_url=running.address) as http:
        books = {each["id"]: each["digest"] for each in (await http.get("/api/books")).json()}
        assert books == {book.id: book.digest for book in shelf().books()}
        whole = (await http.get(BOOK)).json()
        assert {clause["id"] for clause in whole["clauses"]} == set(shelf().book("rws-tai-sai-v6").clauses)
        odds = (await http.get(f"{BOOK}/layouts/A")).json()["odds"]
        expected = layout_odds(shelf().layout("rws-tai-sai-v6/A"))
        assert [(each["box"], Fraction(each["edge"]["exact"])) for each in odds] == [
            (each.box.name, each.edge) for each in expected
        ]
        clauses = (await http.get(f"{BOOK}/clauses/5.1")).json()
        assert all(clause["id"].startswith("5.1") for clause in clauses)


@on_a_loop
async def test_a_felt_is_drawn_as_asked() -> None:
    """With the winners of a roll lit, in a palette; an unknown palette or roll names its field."""
    async with open_house() as running, httpx.AsyncClient(base_url=running.address) as http:
        felt = f"{BOOK}/layouts/A/felt.svg"
        plain, lit = await http.get(felt), await http.get(felt, params={"dice": "1-3-6"})
        assert plain.headers["content-type"] == "image/svg+xml"
        assert plain.text.startswith("<svg")
        assert plain.text != lit.text
        for query, field in (({"palette": "pink"}, "palette"), ({"dice": "1-3-7"}, "dice[2]")):
            error = one_shape(await http.get(felt, params=query))
            assert (error["code"], error["field"]) == ("bad-message", field)


@on_a_loop
async def test_a_layout_and_its_felt_are_told_in_a_language_of_the_book() -> None:
    """Names, needs and kinds in Chinese; one that the book does not have is the book's own."""
    async with open_house() as running, httpx.AsyncClient(base_url=running.address) as http:
        layout, felt = f"{BOOK}/layouts/C", f"{BOOK}/layouts/C/felt.svg"
        english, chinese = [
            (await http.get(layout, params={"lang": lang})).json()["words"] for lang in ("en", "zh-Hant")
        ]
        assert english["boxes"]["total:9"] == {"name": "Total 9", "needs": "a total of 9"}
        assert chinese["boxes"]["total:9"] == {"name": "總和 9", "needs": "總和為 9"}
        assert (english["kinds"]["double"], chinese["kinds"]["double"], chinese["faces"]) == ("Doubles", "對子", [])
        assert english["reasons"]["not-flat"]
        assert "總和 9" in (await http.get(felt, params={"lang": "zh-Hant"})).text
        assert 'data-section="' in (await http.get(felt)).text
        for path in (layout, felt):
            assert (await http.get(path, params={"lang": "xx"})).text == (await http.get(path)).text


@on_a_loop
async def test_the_examiners_report_can_be_saved() -> None:
    """Every clause of a book with its status, as a page or as plain values."""
    async with open_house() as running, httpx.AsyncClient(base_url=running.address) as http:
        page, plain = [await http.get(f"{BOOK}/conformance", params={"form": form}) for form in ("html", "json")]
        assert page.headers["content-type"].startswith("text/html")
        assert "5.11" in page.text
        told = plain.json()
        assert told["digest"] == shelf().book("rws-tai-sai-v6").digest
        assert {each["id"] for each in told["clauses"]} >= set(shelf().book("rws-tai-sai-v6").clauses)
        assert one_shape(await http.get("/api/books/no-such/conformance"))["field"] == "book"


@on_a_loop
async def test_odds_and_settlements_are_answered() -> None:
    """Bets on every roll, two layouts side by side, a round settled with its clauses."""
    async with open_house() as running, httpx.AsyncClient(base_url=running.address) as http:
        odds = (await http.post(f"{BOOK}/layouts/A/odds", json={"bets": "small=100"})).json()
        assert odds["staked"] == 100
        sides = (await http.get("/api/compare", params={"one": "rws-tai-sai-v6/A", "two": "nz-division-9/1"})).json()
        assert {each["box"] for each in sides} >= {"small", "big"}
        case = {
            "layout": "rws-tai-sai-v6/A", "dice": [1, 2, 4], "limits": None,
            "bets": [{"player": "ann", "box": "small", "stake": 100}],
        }  # fmt: skip
        (line,) = (await http.post("/api/settle", json=case)).json()["bets"]
        assert (line["winnings"], bool(line["clauses"])) == (100, True)


@pytest.mark.parametrize(
    ("path", "field"),
    [("/api/books/none", "book"), (f"{BOOK}/layouts/Z", "layout"), (f"{BOOK}/clauses/99.9", "clause")],
)
@on_a_loop
async def test_what_is_not_on_the_shelf_names_its_field(path: str, field: str) -> None:
    """An unknown book, layout or clause is not found, and the error says which it was."""
    async with open_house() as running, httpx.AsyncClient(base_url=running.address) as http:
        answer = await http.get(path)
        assert (answer.status_code, one_shape(answer)["field"]) == (404, field)
