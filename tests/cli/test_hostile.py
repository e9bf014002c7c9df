"""Files from outside, at every command that takes one: no traceback, no endless read, no full memory."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest

from taisai.cli import main
from taisai.cli.front import COMMANDS
from tests import ROOT

FILE: Final = "{}"
FLOOR: Final = "floor.db"
LAYOUT: Final = "rws-tai-sai-v6/A"
TAKES: Final[dict[str, tuple[str, ...]]] = {
    "settle": (FILE,),
    "house": (LAYOUT, "--traffic", FILE),
    "simulate": (LAYOUT, "--traffic", FILE, "--rounds", "1", "--seed", "1"),
    "par": (LAYOUT, "--traffic", FILE),
    "dice": (FILE,),
    "rng": ("--dice", FILE),
    "serve": ("--settings", FILE, "--check"),
    "deal": (FILE,),
    "replay": (FILE, "--table", "T1"),
    "explain": (FILE, "--table", "T1", "--player", "ann"),
    "audit": (FILE,),
    "verify": (FILE,),
    "report": (FILE,),
    "resettle": (FILE, "out.parquet"),
    "export": (FILE, "folder"),
    "fairness": (FILE,),
    "backup": (FILE, "copy.db"),
    "restore": (FILE, "restored.db"),
    "move": (FILE, "moved.db"),
    "accounts": ("--journal", FILE, "list"),
    "persons": ("--journal", FILE, "find", "p.0"),
    "key": (FILE,),
    "books": ("--book-dir", FILE),
}
"""The words of each command, with a place for the file."""
BESIDE: Final[dict[str, tuple[str, ...]]] = {
    "audit --since": ("audit", FLOOR, "--since", FILE),
    "audit --witness": ("audit", FLOOR, "--witness", FILE),
    "audit --receipt": ("audit", FLOOR, "--receipt", FILE),
    "audit --public-key": ("audit", FLOOR, "--public-key", FILE),
    "par --key": ("par", LAYOUT, "--key", FILE),
}
"""The other files that a command is given."""
WITHOUT: Final = frozenset(COMMANDS) - TAKES.keys()
"""Commands that read no file but those of rule books (`--book-dir`), as `books` does."""
ENDINGS: Final = {"house": ("toml", "json", "csv"), "simulate": ("toml", "json", "csv"), "par": ("toml", "json", "csv")}
SPECIAL: Final = ("loop", "pipe", "zero", "folder", "missing")
MEMORY: Final = 4 * 1024**3
"""Bytes of addresses that a process may take: NumPy and Arrow reserve two gigabytes and touch a tenth of them."""
EVERY_ONE: Final = f"""
import os, resource, sys
from taisai.cli import main
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
bad = 0
for file in sys.stdin.read().split():
    print("@@", file, file=sys.stderr, flush=True)
    code = main([word.replace("{{}}", file) for word in sys.argv[1:]])
    print("@=", code, file=sys.stderr, flush=True)
"""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files that nobody who means well has written."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "pipe")
    (folder / "zero").symlink_to("/dev/zero")
    (folder / "folder").mkdir()
    deep, digits = 100_000, "9" * 4_400
    texts = {
        "empty": "",
        "deep": "a = " + "[" * deep + "]" * deep,
        "deep-json": "[" * deep,
        "digits": f"a = {digits}\nb = [{digits}]",
        "digits-json": f'{{"layout": {digits}, "dice": [{digits}]}}',
        "dotted": ".".join("a" * 50_000) + " = 1",
        "dotted-lines": "\n".join(f"k{n}." + ".".join("a" * 2_000) + " = 1" for n in range(25)),
        "field": "name,bets\n" + "x" * 200_000 + ",1\n",
        "quote": 'name,bets\n"' + "x" * 200_000,
        "nul": "a\0b = 1\n",
        "escape": "\x1b[2J\x1b]0;owned\x07 = 1\n",
    }
    for name, text in texts.items():
        for ending in ("", ".toml", ".json", ".csv"):
            (folder / (name + ending)).write_text(text, encoding="utf-8")
    (folder / "bytes").write_bytes(bytes(range(256)) * 40)
    (folder / "sqlite").write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 40)
    (folder / "parquet").write_bytes(b"PAR1" + bytes(range(256)) * 40 + b"PAR1")
    with (folder / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    return folder


def test_every_command_is_known_here() -> None:
    """A new command fails here until somebody has said which file it takes."""
    assert set(TAKES) | WITHOUT == set(COMMANDS)
    assert not set(TAKES) & WITHOUT


@pytest.fixture
def at_floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to be in, with a copy of a journal."""
    shutil.copy(ROOT / "examples" / FLOOR, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said_of(words: Iterable[str], files: list[str], folder: Path) -> list[str]:
    """What a command says of each file, in one process with bounded memory; no traceback."""
    done = subprocess.run(
        [sys.executable, "-c", EVERY_ONE, *words],
        input="\n".join(files),
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr[-3_000:]
    parts = done.stderr.split("@@ ")[1:]
    assert len(parts) == len(files), done.stderr[-1_000:]
    return parts


@pytest.mark.slow
@pytest.mark.parametrize("what", BESIDE)
def test_another_file_of_a_command_is_read_within_bounds_too(what: str, hostile: Path, at_floor: Path) -> None:
    """A head, a receipt, a key: nothing is waited for, nothing fills the memory, one line says why."""
    for part in said_of(BESIDE[what], [str(hostile / name) for name in SPECIAL], at_floor):
        said = part.partition("\n")[2].split("@= ")[0]
        assert "@= 2" in part, part
        assert said.startswith("taisai: "), part
        assert said.count("\n") == 1, part


@pytest.mark.parametrize(
    "words",
    [
        ("audit", FILE), ("audit", FLOOR, "--save", FILE),
        ("backup", FLOOR, FILE), ("backup", FLOOR, "copy.db", "--metrics", FILE),
        ("restore", FLOOR, FILE, "--force"), ("move", FLOOR, FILE),
    ],
)  # fmt: skip
def test_what_names_no_file_is_refused_in_one_line(
    words: tuple[str, ...], at_floor: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder, the root, nothing at all, and bytes that are no text, in the place of a journal or of a copy."""
    for name in ("", ".", str(at_floor), "a\udcff"):
        code, told = main([name if word == FILE else word for word in words]), capsys.readouterr().err
        assert told.startswith("taisai: "), told
        assert (code, told.count("\n")) == (2, 1), (name, told)


@pytest.mark.parametrize(
    "words",
    [
        ("restore", FLOOR, FILE, "--force"), ("audit", FLOOR, "--save", FILE),
        ("backup", FLOOR, "copy.db", "--metrics", FILE),
    ],
)  # fmt: skip
def test_nothing_is_put_in_the_place_of_a_device(
    words: tuple[str, ...], at_floor: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pipe, as any device, stays what it is, whoever runs the command and however it is forced."""
    pipe = at_floor / "pipe"
    os.mkfifo(pipe)
    assert main([str(pipe) if word == FILE else word for word in words]) == 2
    assert "is not a file: nothing is put in its place" in capsys.readouterr().err
    assert pipe.is_fifo()
    assert sorted(path.name for path in at_floor.iterdir() if path.suffix == "") == ["pipe"]


@pytest.mark.slow
@pytest.mark.parametrize("command", TAKES)
def test_a_hostile_file_is_refused_in_one_line(command: str, hostile: Path, tmp_path: Path) -> None:
    """Each file at each command, as a process with bounded memory: a code, one line, no traceback."""
    names = sorted(path.name for path in hostile.iterdir())
    endings = tuple(f".{each}" for each in ENDINGS.get(command, ()))
    files = [name for name in names if not endings or name.endswith(endings) or name in SPECIAL] + ["missing"]
    parts = said_of((command, *TAKES[command]), [str(hostile / name) for name in files], tmp_path)
    for part, name in zip(parts, files, strict=True):
        said = part.partition("\n")[2].split("@= ")[0]
        assert "@= 0" in part or "@= 1" in part or "@= 2" in part, part
        assert "\x1b" not in said, part
        if name in SPECIAL and not (command in ("books", "fairness", "resettle", "dice") and name == "folder"):
            assert "@= 2" in part, part
            assert said.startswith("taisai: "), part
            assert said.count("\n") == 1, part


@pytest.mark.parametrize("name", ["loop", "dotted.toml", "zero"])
def test_the_command_itself(name: str, hostile: Path) -> None:
    """Started as people start it, it ends with code 2 and one line."""
    words = [sys.executable, "-m", "taisai", "serve", "--check", "--settings", str(hostile / name)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
