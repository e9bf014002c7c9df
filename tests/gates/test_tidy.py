"""The source tree is tidy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import ROOT
from tests.gates.tidy import LONGEST_FILE, find_untidy

DOCSTRING = '"""A module."""\n'


def plant(root: Path, name: str, text: str) -> list[str]:
    """Write one file into a tree at `root` and give what is untidy there."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))
    return find_untidy(root)


def test_the_tree_is_tidy() -> None:
    """No file of the tree is untidy."""
    assert find_untidy(ROOT) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("src/a.py", DOCSTRING * LONGEST_FILE),
        ("src/empty.toml", ""),
        ("docs/long.md", "line\n" * (LONGEST_FILE + 1)),
        ("docs/link.md", "See example.com/home/rules.\n"),
        ("Makefile", "all:\n\techo\n"),
        ("tests/a.py", "def helper() -> None: ...\n"),
        (".venv/lib/a.py", "\t \n"),
        ("src/__pycache__/a.py", "\t \n"),
    ],
)
def test_a_tidy_file_passes(tmp_path: Path, name: str, text: str) -> None:
    """What is tidy, or not ours, is not complained of."""
    assert plant(tmp_path, name, text) == []


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("src/a.py", DOCSTRING * (LONGEST_FILE + 1), f"src/a.py:{LONGEST_FILE + 1}: more than {LONGEST_FILE} lines"),
        ("tests/a.py", "#\n" * (LONGEST_FILE + 1), f"tests/a.py:{LONGEST_FILE + 1}: more than {LONGEST_FILE} lines"),
        ("src/a.py", DOCSTRING + "if True:\n\tpass\n", "src/a.py:3: a tab"),
        ("a.toml", "a = 1\nb = 2 \n", "a.toml:2: space at the end of the line"),
        ("docs/a.md", "Words\r\n", "docs/a.md:1: space at the end of the line"),
        ("docs/a.md", "Words", "docs/a.md:1: no line end at the end of the file"),
        ("a.lock", "--index-url https://" + "pypi" + ".org/simple\n", "a.lock:1: " + "pypi" + ".org"),
        ("Makefile", "# in " + "/ho" + "me/someone\n", "Makefile:1: " + "/ho" + "me/"),
        (".ci/run", "cd " + "/ro" + "ot/project\n", ".ci/run:1: " + "/ro" + "ot/"),
        (".github/workflows/a.yml", "a: 1 \n", ".github/workflows/a.yml:1: space at the end of the line"),
        ("src/a.py", "A = 1\n", "src/a.py:1: a module without a docstring"),
        ("src/b/__init__.py", "", "src/b/__init__.py:1: a module without a docstring"),
        ("tests/a.py", "def test_a() -> None: ...\n", "tests/a.py:1: test test_a without a docstring"),
        (
            "tests/a.py",
            "class TestA:\n    async def test_b(self) -> None: ...\n",
            "tests/a.py:2: test test_b without a docstring",
        ),
    ],
)
def test_an_untidy_file_is_found(tmp_path: Path, name: str, text: str, found: str) -> None:
    """Each kind of untidiness is found, with its file and line."""
    assert plant(tmp_path, name, text) == [found]


def test_a_picture_is_left_alone(tmp_path: Path) -> None:
    """A file that is not text is not read as text."""
    (tmp_path / "picture.png").write_bytes(b"\x89PNG \xff\xfe \t")
    assert find_untidy(tmp_path) == []
