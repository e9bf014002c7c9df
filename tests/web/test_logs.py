"""Logs: what a line holds, in both forms, and what never reaches one."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr

import msgspec
import pytest

from taisai.client import Refused, Session
from taisai.core.rulebook import Fact
from taisai.table import commands as c
from taisai.web.logs import JsonLines, TextLines, set_up_logs
from tests.web.serving import PASSWORD, by_sue, on_a_loop, open_house


@contextmanager
def listening() -> Iterator[io.StringIO]:
    """Collect what the house logs in this block at its most verbose, as lines of JSON."""
    heard = io.StringIO()
    loggers = [logging.getLogger(name) for name in ("taisai", "uvicorn", "uvicorn.access")]
    before = [(each.handlers[:], each.level, each.propagate, each.disabled) for each in loggers]
    with redirect_stderr(heard):
        set_up_logs("json", "debug")
    try:
        yield heard
    finally:
        for logger, (handlers, level, propagate, disabled) in zip(loggers, before, strict=True):
            logger.handlers[:], logger.propagate, logger.disabled = handlers, propagate, disabled
            logger.setLevel(level)


def record(**fields: object) -> logging.LogRecord:
    """A record of the log, with fields of its own."""
    made = logging.LogRecord("taisai.web", logging.WARNING, __file__, 1, "%s of %d", ("one", 2), None)
    made.created = 1_700_000_000.5
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def test_a_line_of_json_has_its_fields() -> None:
    """Time, level and message, and the fields that are set; an error has its traceback."""
    line = msgspec.json.decode(JsonLines().format(record(table="T1", round=3, who="", other="x")))
    assert line == {
        "at": "2023-11-14T22:13:20.500+00:00", "level": "warning", "logger": "taisai.web", "message": "one of 2",
        "table": "T1", "round": 3,
    }  # fmt: skip
    failed = record()
    try:
        raise ZeroDivisionError("by nothing")
    except ZeroDivisionError:
        failed.exc_info = sys.exc_info()
    assert "ZeroDivisionError: by nothing" in msgspec.json.decode(JsonLines().format(failed))["error"]


def test_a_line_of_text_ends_with_its_fields() -> None:
    """The same fields, for people."""
    assert TextLines().format(record(table="T1", ms=1.5)).endswith("WARNING one of 2  table=T1 ms=1.5")
    assert TextLines().format(record()).endswith("WARNING one of 2")


def test_uvicorn_neither_shows_headers_nor_complains_of_refused_sockets() -> None:
    """Its debug lines hold tokens, and a socket that is refused with an answer is no error."""
    with listening() as heard:
        logging.getLogger("uvicorn.error").debug("< Authorization: Bearer secret")
        logging.getLogger("uvicorn.error").error("ASGI callable returned without completing handshake.")
        logging.getLogger("uvicorn.error").error("something else")
    assert [msgspec.json.decode(line)["message"] for line in heard.getvalue().splitlines()] == ["something else"]


@on_a_loop
async def test_logs_name_requests_and_tables_and_no_secret() -> None:
    """A session's log has the id of each request and its table; no password, token or code is in it."""
    secrets = {PASSWORD, "wrong horse 9", "weak"}
    with listening() as heard:
        async with open_house() as running:
            secrets.add(running.context.first_link)
            await running.ready_table("T1")
            await running.hire("kim")
            ann = await running.seat("ann")
            code = await running.crew["dan"].seat_code("T1", "bob")
            bob = await running.client.sit_down(code=code.code)
            link = await running.crew["admin"].call("POST", "/api/staff/kim/link")
            with pytest.raises(Refused):
                await running.client.choose_password(link["token"], "weak")
            with pytest.raises(Refused):
                await running.client.sign_in("kim", "wrong horse 9", "shift-manager")
            await running.crew["dan"].do("T1", c.OpenBets())
            async with ann.table() as table:
                await table.bet("small", 100)
            void = c.Report(Fact.NOT_FLAT)
            await running.crew["dan"].do("T1", void, second=by_sue(), reason="a die leans")
            people: list[Session] = [*running.crew.values(), ann, bob]
            secrets |= {each.token for each in people} | {each.me.csrf for each in people}
            secrets |= {code.code, code.code.replace("-", ""), link["token"]}
    text = heard.getvalue()
    lines = [msgspec.json.decode(line) for line in text.splitlines()]
    assert [line for line in text.splitlines() if any(secret in line for secret in secrets)] == []
    requests = [line for line in lines if line.get("request")]
    assert len({line["request"] for line in requests}) == len(requests) > 20
    assert {"T1"} == {line["table"] for line in requests if line.get("table")}
    assert any(line.get("who") == "dan" and line["message"].endswith("/api/tables/T1/commands 200") for line in lines)


@on_a_loop
async def test_an_address_of_any_length_is_one_short_line() -> None:
    """A stranger fills no disk with what a request asks for: the path is logged up to a bound."""
    with listening() as heard:
        async with open_house() as running:
            with pytest.raises(Refused):
                await running.client.call("GET", f"/api/books/{'x' * 30_000}")
    assert max(map(len, heard.getvalue().splitlines())) < 1_000


def test_a_line_of_text_cannot_be_forged() -> None:
    """Line breaks and escape bytes of a path, a name or a message are written out: one event is one line."""
    forged = record(path="/x\n12:00:00 INFO    signed in  who=admin\x1b[2J", who="a\rb\u2028c\x9b")
    forged.args = ("one\ntwo", 2)
    line = TextLines().format(forged)
    assert line.splitlines() == [line]
    assert "\x1b" not in line
    assert r"one\ntwo of 2" in line
