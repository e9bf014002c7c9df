"""Files from outside, at every command that takes one: no traceback, no endless read, no full memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from taisai.cli.front import COMMANDS

FILE: Final = "{}"
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


@pytest.mark.slow
@pytest.mark.parametrize("command", TAKES)
def test_a_hostile_file_is_refused_in_one_line(command: str, hostile: Path, tmp_path: Path) -> None:
    """Each file at each command, as a process with bounded memory: a code, one line, no traceback."""
    names = sorted(path.name for path in hostile.iterdir())
    endings = tuple(f".{each}" for each in ENDINGS.get(command, ()))
    files = [name for name in names if not endings or name.endswith(endings) or name in SPECIAL] + ["missing"]
    done = subprocess.run(
        [sys.executable, "-c", EVERY_ONE, command, *TAKES[command]],
        input="\n".join(str(hostile / name) for name in files),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr[-3_000:]
    parts = done.stderr.split("@@ ")[1:]
    assert len(parts) == len(files), done.stderr[-1_000:]
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
