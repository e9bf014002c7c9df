"""Drills over the API: made from a seed and marked, with nothing stored in between."""

from __future__ import annotations

from typing import Any

import httpx
import msgspec

from taisai.training.drills import Drill, make_drill
from taisai.training.marking import Answers, Marks, mark_drill
from tests.web.serving import on_a_loop, open_house, shelf

NAME = "nz-division-9/2"
ASKED: dict[str, Any] = {"layout": NAME, "level": 3, "seed": "monday"}


def found() -> tuple[Any, Any]:
    """The book and layout of these drills."""
    layout = shelf().layout(NAME)
    return shelf().book(layout.book_id), layout


@on_a_loop
async def test_a_drill_and_its_marks_are_those_of_the_floor() -> None:
    """The API answers what the functions of the training room return, without a sign-in."""
    book, layout = found()
    async with open_house() as running, httpx.AsyncClient(base_url=running.address) as http:
        drill = await http.post("/api/training/drill", json=ASKED)
        assert msgspec.json.decode(drill.content, type=Drill) == make_drill(book, layout, 3, "monday")
        asked = {**ASKED, "digest": drill.json()["digest"], "answers": {"call": "1, 2, 3, total 6", "seconds": 5}}
        marks = await http.post("/api/training/mark", json=asked)
        expected = mark_drill(book, layout, 3, "monday", Answers(call="1, 2, 3, total 6", seconds=5))
        assert msgspec.json.decode(marks.content, type=Marks, strict=False) == expected


@on_a_loop
async def test_without_a_seed_each_drill_is_new() -> None:
    """The house chooses a seed and returns it."""
    async with open_house() as running, httpx.AsyncClient(base_url=running.address) as http:
        seeds = {
            (await http.post("/api/training/drill", json={"layout": NAME, "level": 1})).json()["seed"] for _ in range(5)
        }
        assert len(seeds) == 5


@on_a_loop
async def test_what_cannot_be_drilled_names_its_field() -> None:
    """An unknown layout, a level out of bounds, an unknown box, a changed book: each error names its field."""
    async with open_house() as running, httpx.AsyncClient(base_url=running.address) as http:
        for path, change, status, field in (
            ("drill", {"layout": "nz-division-9/7"}, 404, "layout"),
            ("drill", {"layout": "nowhere"}, 404, "layout"),
            ("drill", {"level": 5}, 400, "level"),
            ("drill", {"seed": "x" * 41}, 400, "seed"),
            ("drill", {"seed": "a\u0007"}, 400, "seed"),
            ("mark", {"answers": {"collected": ["moon"]}}, 400, "collected[0]"),
            ("mark", {"answers": {"payments": [{"player": "Zoe", "box": "big", "amount": 1}]}}, 400, "payments[0]"),
            ("mark", {"answers": {}, "digest": "0" * 64}, 400, "digest"),
        ):
            answer = await http.post(f"/api/training/{path}", json={**ASKED, **change})
            assert answer.status_code == status, answer.text
            assert answer.json()["error"]["field"] == field
