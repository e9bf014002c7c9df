"""docs/api.md runs, and the example bot plays: each against a house."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from taisai.protocol.messages import ClientMessage, ReceivedMessage
from taisai.settings.forms import Timing
from taisai.web.errors import STATUS
from tests import ROOT
from tests.web.serving import on_a_loop, open_house, settings_for

PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
OPEN = Timing(betting_ms=60_000, after_close_ms=1, tumbling_ms=1, reveal_ms=1, lit_ms=1, paid_ms=1, between_ms=1)
FLOOR = """
[demo]
enabled = true
[house]
minimum_betting_ms = 0
purpose = "demo"
[log]
level = "warning"
[[tables]]
name = "TS-C"
book = "rws-tai-sai-v6"
layout = "C"
mode = "automatic"
currency = "SGD"
denominations = [100, 500, 2500, 10000]
limits = { unit = 100, default = { min = 500, max = 500000 } }
float_count = { 100 = 20000, 500 = 20000, 2500 = 20000, 10000 = 20000 }
unattended = true
[tables.timing]
betting_ms = 1500
after_close_ms = 1
tumbling_ms = 1
reveal_ms = 1
lit_ms = 1
paid_ms = 1
between_ms = 1
"""


def blocks(language: str) -> list[str]:
    """The code of the page in one language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.slow
@on_a_loop
async def test_the_python_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """Every Python block of docs/api.md does what it says, one after the other."""
    base = settings_for(demo=True)
    tables = tuple(replace(table, timing=OPEN) for table in base.tables if table.name in ("TS-A", "TS-C"))
    settings = replace(base, tables=tables, house=replace(base.house, minimum_betting_ms=0))
    async with open_house(settings) as running:
        names: dict[str, Any] = {"link": f"/welcome#{running.context.demo_links['dealer']}"}
        for block in blocks("python"):
            await run(block.replace("http://127.0.0.1:8000", running.address), names)
        state = running.context.floor.tables["TS-C"].state
        assert state.meters.staked or state.round.stakes or state.round.bets
        lines = capsys.readouterr().out.splitlines()
    assert lines == ["dealer dealer *", "between-rounds 262000000", "no-such-table 404 guest_at"]


async def run(source: str, names: dict[str, Any]) -> None:
    """Run source that awaits at the top level."""
    code = compile(source, "docs/api.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    assert isinstance(code, CodeType)
    waiting = eval(code, names)
    if waiting is not None:
        await waiting


def test_the_messages_of_the_page_are_messages() -> None:
    """Every frame shown in docs/api.md is one that a client or a house sends."""
    seen = set()
    for block in blocks("json"):
        for line in block.splitlines():
            frame = msgspec.json.decode(line)
            kind: Any = ClientMessage if frame["t"] in ("do", "watch", "ping") else ReceivedMessage
            assert msgspec.to_builtins(msgspec.json.decode(line, type=kind))["t"] == frame["t"]
            seen.add(frame["t"])
    assert seen == {"hello", "snapshot", "change", "seat", "notice", "do", "watch", "ping", "done", "refused"}


def test_the_codes_of_the_page_have_their_status() -> None:
    """The table of errors names codes with the status that they have."""
    rows = re.findall(r"^\| (\d{3}(?:, \d{3})?) \| (.*) \|$", PAGE, re.MULTILINE)
    assert len(rows) == 8
    for statuses, text in rows:
        codes = [code for code in re.findall(r"`([a-z-]+)`", text) if code in STATUS]
        assert codes
        assert {STATUS[code] for code in codes} <= {int(status) for status in statuses.split(", ")}


def test_the_bounds_of_the_page_are_the_settings() -> None:
    """The limits that the page names are the defaults of the settings."""
    limits = settings_for(limits=type(settings_for().limits)()).limits
    text = PAGE.partition("## Limits")[2]
    for words in (
        f"frames of {limits.frame_bytes // 1024} KiB",
        f"bodies of {limits.body_bytes // 1024} KiB",
        f"{limits.commands_per_second} messages a second",
        f"a burst of {limits.commands_burst}",
        f"{limits.connections_per_address} sockets",
        f"{limits.sign_ins_per_minute} sign-ins a minute",
    ):
        assert words in text, words


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A house as a process, with one quick automatic table; its address."""
    settings = folder / "floor.toml"
    settings.write_text(FLOOR, encoding="utf-8")
    command = [sys.executable, "-m", "taisai", "serve", "--settings", str(settings)]
    command += ["--journal", f"sqlite:///{folder / 'floor.db'}", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            found = re.search(r"http://[\d.]+:\d+", said)
            assert found is not None, said + process.stdout.read()
            yield found[0]
        finally:
            process.terminate()
            process.communicate(timeout=60)
    assert process.returncode == 0


@pytest.mark.slow
def test_the_bot_plays(tmp_path: Path) -> None:
    """The example bot, a process of its own, plays three rounds at a house that is another; the audit is clean."""
    with served(tmp_path) as address:
        command = [sys.executable, str(ROOT / "examples" / "bot.py"), address, "TS-C", "--rounds", "3"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        ended = re.findall(r"^round (\d+): .* in hand$", done.stdout, re.MULTILINE)
        assert len(ended) == len(set(ended)) == 3
        assert len(re.findall(r"^round \d+: (?:cautious|bold|stubborn), \d+ on ", done.stdout, re.MULTILINE)) == 3
    audit = [sys.executable, "-m", "taisai", "audit", str(tmp_path / "floor.db")]
    assert "no finding" in subprocess.run(audit, capture_output=True, text=True, check=True, timeout=60).stdout


def test_the_bot_is_small() -> None:
    """What a bot needs fits on a screen."""
    assert len((ROOT / "examples" / "bot.py").read_text(encoding="utf-8").splitlines()) <= 60
