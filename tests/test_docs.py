"""Every command of README and docs runs, in a copy of `examples/`, as somebody would run it who reads the page."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from taisai.cli import main
from tests import ROOT
from tests.web.serving import on_a_loop, open_house, settings_for

PAGES = [ROOT / "README.md", ROOT / "examples" / "README.md", ROOT / "conformance" / "README.md"]
PAGES += sorted((ROOT / "docs").rglob("*.md"))

ELSEWHERE = {
    "--follow": "runs until it is stopped; tests/cli/history/test_export.py",
    "postgresql://": "needs a PostgreSQL server; tests/cli/journal/test_move.py",
    "--engine spark": "needs Java; tests/history/test_engines.py",
    "--interactive": "needs a terminal; tests/cli/floor/test_terminal.py",
    "taisai witness": "serves, or asks a house; tests/cli/floor/test_witness.py",
    "--witness ": "asks a witness; tests/cli/journal/test_audit.py",
    "taisai_verify.py": "needs a receipt; tests/streams/test_receipts.py",
    "--raw device.bin": "the bytes are a laboratory's own; tests/cli/maths/test_rng.py",
    "tests.torture": "takes minutes, or a running floor; tests/torture",
    "bench.": "takes minutes; bench/",
    "tools/texts.py merge": "changes the catalogues; tests/web/test_texts.py",
    "examples/bot.py": "needs a running floor; tests/client/test_docs.py",
    "taisai serve": "serves; `--check` is tried instead, below, and tests/test_package.py serves the demo",
    "taisai night": "serves; tests/browser/test_night.py runs it with four phones",
    "taisai accounts": "needs staff; tests/cli/floor/test_accounts.py",
    "taisai persons erase": "the id is somebody's own; tests/cli/floor/test_accounts.py",
    "make ": "runs this; CONTRIBUTING.md says how long each takes",
    "pip install": "needs the network; tests/test_package.py installs the wheel",
    "taisai verify --table": "compared with what it prints by tests/cli/journal/test_verify.py",
    "printf": "as above",
    "my-casino": "its folder is written on the page; tests/cli/rules/test_drafting.py",
    "--key floor.db.key": "the private key of a floor is no example; tests/cli/maths/test_par.py",
    "resettle BETS": "any files of bets; tests/cli/history/test_resettle.py",
}
"""Commands that cannot run here by themselves: the words that show it, and what runs them instead."""

SMALLER = {"--rounds 1000000": "--rounds 10000", "--rounds 10000000": "--rounds 20000"}
"""What takes long, made shorter for the test."""

ONE_AFTER_A_FINDING = ("taisai dice", "taisai fairness", "taisai resettle")
"""Commands whose exit code 1 is an answer: evidence, or a difference."""


def commands_of(page: Path) -> Iterator[str]:
    """The command lines of a page: in console blocks, in indented blocks, and in the first column of a table."""
    text = page.read_text(encoding="utf-8")
    begin = r"(?:\$ )?(?:\.venv/bin/)?(?:taisai|python|make|pip install|printf)\b"
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        yield from (line[2:] for line in re.sub(r"\\\n\s*", "", block).splitlines() if re.match(r"\$ (?!echo)", line))
    outside = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    for line in re.findall(rf"^    ({begin} .*)$", outside, re.MULTILINE):
        yield re.split(r"\s{2,}|\s+# ", line)[0]
    for cell in re.findall(r"^\| (`taisai .*?) \|", outside, re.MULTILINE):
        yield from (each for each in re.findall(r"`(taisai [^`]*)`", cell) if len(each.split()) > 2 or "." in each)


def runs_elsewhere(command: str) -> bool:
    """Whether other tests run a command like this."""
    return any(words in command for words in ELSEWHERE)


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of `examples/`, where the reader of a page stands."""
    place = tmp_path / "examples"
    shutil.copytree(ROOT / "examples", place)
    monkeypatch.chdir(place)
    return place


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
@pytest.mark.usefixtures("reader")
def test_the_commands_of_a_page_run(page: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Each command of the page, one after the other, is understood and done."""
    for written in commands_of(page):
        if runs_elsewhere(written):
            continue
        command = written
        for large, small in SMALLER.items():
            command = re.sub(rf"{large}\b", small, command)
        words = shlex.split(command.removeprefix(".venv/bin/"))
        assert words[0] in ("taisai", "python"), f"{page.name}: what is {written!r}?"
        if words[0] == "python":
            done = subprocess.run([sys.executable, *words[1:]], cwd=ROOT, capture_output=True, check=False)
            assert done.returncode == 0, written
            continue
        if ">" in words:
            words = words[: words.index(">")]
        code = main(words[1:])
        said = capfd.readouterr().err
        allowed = (0, 1) if command.startswith(ONE_AFTER_A_FINDING) else (0,)
        assert code in allowed, f"{page.name}: {written}: {said}"


@pytest.mark.slow
@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("name", ["README.md", "docs/library.md"])
def test_the_python_of_a_page_gives_what_it_shows(name: str) -> None:
    """Every line at a prompt of the page gives the line under it."""
    found = doctest.testfile(str(ROOT / name), module_relative=False)
    assert found.attempted > 3
    assert found.failed == 0


@pytest.mark.slow
@on_a_loop
async def test_the_client_of_the_library_page_bets() -> None:
    """The coroutine of docs/library.md sits down as Ann at an automatic table, and bets."""
    page = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    [source] = re.findall(r"```python\n(import taisai\n.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {}
    exec(source, names)
    base = settings_for(demo=True)
    tables = tuple(table for table in base.tables if table.name == "TS-C")
    async with open_house(replace(base, tables=tables)) as running:
        done = await names["play"](running.address)
        assert done.funds == base.demo.guest_chips - 1_000
        assert (await running.client.look_at("TS-C")).view["seats"].keys() == {"Ann"}


def test_what_is_left_out_is_named() -> None:
    """No reason for leaving a command out stands there without a command; every test that it names exists."""
    written = [command for page in PAGES for command in commands_of(page)]
    assert len(written) > 80
    for words, reason in ELSEWHERE.items():
        assert any(words in command for command in written), words
        for place in re.findall(r"tests/[\w/]+(?:\.py)?", reason):
            assert (ROOT / place).exists(), place


def test_the_settings_of_the_page_are_checked(reader: Path) -> None:
    """The file that docs/settings.md shows is examples/floor.toml, but for where the journal is; it holds."""
    assert main(["serve", "--settings", "floor.toml", "--check"]) == 0
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    for line in (reader / "floor.toml").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith(("#", "url =")):
            assert f"    {line}\n" in page, line


@pytest.mark.parametrize(
    ("name", "page", "language"),
    [
        ("evening.toml", "mathematics.md", "toml"),
        ("evening.shift", "shifts.md", "shift"),
        ("round.json", "settle.md", "json"),
    ],
)
def test_a_file_that_a_page_shows_is_the_example(name: str, page: str, language: str) -> None:
    """What a page shows of a file is what the file holds."""
    shown = re.findall(rf"```{language}\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.DOTALL)
    held = (ROOT / "examples" / name).read_text(encoding="utf-8")
    assert any(held.endswith(each) for each in shown)


def test_every_file_that_a_page_names_is_an_example() -> None:
    """README and docs read no file that is neither an example nor written by a command before it."""
    at_hand = {path.name for path in (ROOT / "examples").iterdir()} | {"history/"}
    for page in PAGES:
        for command in commands_of(page):
            if runs_elsewhere(command):
                continue
            words = shlex.split(command)
            for place, word in enumerate(words):
                if re.fullmatch(r"[\w-]+\.(db|toml|txt|csv|shift|json|jsonl|pub)", word):
                    written = words[place - 1] in ("-o", "--out", "--output", "--plot", "--plot-data", ">", "--save")
                    written |= words[1] == "backup" and place == 3
                    assert word in at_hand or written, f"{page.name}: {command}"
                    at_hand.add(word)
