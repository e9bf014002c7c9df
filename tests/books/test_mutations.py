"""Whatever is done to a book's files, the reader either reads them or refuses them in words."""

from __future__ import annotations

import json
import math
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from datetime import date, datetime
from datetime import time as clock
from pathlib import Path
from typing import Any, Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from taisai.books import BookFault, BookRefused, read_book
from tests.books.broken_cases import GOOD
from tests.books.helpers import write_book

TABLES: Final[Mapping[str, dict[str, Any]]] = {name: tomllib.loads(text) for name, text in GOOD.items()}
WORDS: Final = (
    "",
    " ",
    "small",
    "double: 1",
    "single: 7",
    "tumble",
    "pay",
    "rule",
    "people",
    "I1",
    "1",
    "{total}",
    "{",
    "\n",
)
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])

Place = tuple[dict[str, Any] | list[Any], str | int]

scalars = st.one_of(
    st.sampled_from(WORDS),
    st.text(max_size=20),
    st.booleans(),
    st.integers(),
    st.integers(-1, 20),
    st.floats(),
    st.dates(),
    st.datetimes(),
    st.times(),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=9), inner, max_size=4)),
    max_leaves=6,
)


def as_toml(value: object) -> str:
    """A value as TOML writes it, tables in braces."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, date | datetime | clock):
        return value.isoformat()
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else "nan" if math.isnan(value) else f"{value:+}"
    if isinstance(value, list):
        return "[" + ", ".join(map(as_toml, value)) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{as_toml(key)} = {as_toml(each)}" for key, each in value.items()) + " }"
    return str(value)


def places(value: object) -> Iterator[Place]:
    """Every place in a table, however deep: what holds it, and the key or number there."""
    if isinstance(value, dict | list):
        for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
            yield value, key
            yield from places(inner)


@st.composite
def mutants(draw: st.DrawFn) -> dict[str, str]:
    """The good book after a few accidents."""
    tables = deepcopy(dict(TABLES))
    for _ in range(draw(st.integers(1, 3))):
        found = list(places(tables[draw(st.sampled_from(sorted(tables)))]))
        if not found:
            continue
        holder, key = draw(st.sampled_from(found))
        match draw(st.sampled_from(["delete", "change", "swap", "rename", "repeat"])):
            case "delete":
                del holder[key]  # type: ignore[arg-type]
            case "change":
                holder[key] = draw(values)  # type: ignore[index]
            case "swap":
                other, there = draw(st.sampled_from(found))
                one, two = deepcopy(holder[key]), deepcopy(other[there])  # type: ignore[index]
                holder[key], other[there] = two, one  # type: ignore[index]
            case "rename" if isinstance(holder, dict):
                holder[draw(st.text(max_size=9))] = holder.pop(str(key))
            case _:
                if isinstance(holder, list):
                    holder.append(deepcopy(holder[int(key)]))
    return {
        name: "".join(f"{as_toml(key)} = {as_toml(value)}\n" for key, value in table.items())
        for name, table in tables.items()
    }


@st.composite
def scribbled(draw: st.DrawFn) -> dict[str, str]:
    """The good book with pieces of one file's text taken out or written over."""
    name = draw(st.sampled_from(sorted(GOOD)))
    text = GOOD[name]
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 40)))
        junk = draw(st.one_of(st.text(max_size=9), st.text("\"'[]{}=,.#\n\\ 0123-", max_size=9)))
        text = text[:start] + junk + text[end:]
    return {name: text}


def hold(files: Mapping[str, str]) -> bool:
    """Whether a book of these files is read. It must be read or refused properly, and soon."""
    faults: tuple[BookFault, ...] = ()
    with tempfile.TemporaryDirectory() as root:
        folder = write_book(Path(root) / "mini", files)
        started = time.process_time()
        try:
            assert read_book(folder).layouts
        except BookRefused as refused:
            faults = refused.faults
            read = False
        else:
            read = True
        assert time.process_time() - started < 2
    assert read or faults
    for fault in faults:
        assert fault.file
        assert fault.reason
        assert "\n" not in str(fault)
        length = {**GOOD, **files}[fault.file].count("\n") + 1
        assert fault.line is None or 1 <= fault.line <= length
    return read


@QUICK
@given(mutants())
def test_a_book_with_changed_tables_is_read_or_refused(files: dict[str, str]) -> None:
    """Keys deleted or renamed, values swapped or of another type: nothing but a proper refusal comes of it."""
    hold(files)


@QUICK
@given(scribbled())
def test_a_book_with_changed_text_is_read_or_refused(files: dict[str, str]) -> None:
    """Text taken out or written over anywhere: nothing but a proper refusal comes of it."""
    hold(files)


def test_the_tables_are_written_as_they_were_read() -> None:
    """Written out without an accident, the tables are a book that holds: the mutants owe their faults to accidents."""
    files = {
        name: "".join(f"{key} = {as_toml(each)}\n" for key, each in table.items()) for name, table in TABLES.items()
    }
    assert {name: tomllib.loads(text) for name, text in files.items()} == TABLES
    assert hold(files)
