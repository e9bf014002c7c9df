"""The folders are the architecture."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import ROOT
from tests.gates.folders import MOST_FILES, MOST_MODULES, count_files, crowded, families, needless, unmirrored

SOURCE = ROOT / "src" / "taisai"


def plant(root: Path, *names: str) -> Path:
    """A tree with these empty files."""
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return root


def test_no_folder_is_crowded() -> None:
    """A folder of the source can be taken in at a glance."""
    assert crowded(SOURCE) == []


def test_no_family_of_modules_is_flat() -> None:
    """Modules that share a prefix are a folder of that name."""
    assert families(SOURCE) == []


def test_the_project_keeps_no_more_files_than_it_needs() -> None:
    """What can be generated is not kept file by file."""
    assert count_files(ROOT) <= MOST_FILES


@pytest.mark.parametrize(("suffix", "most"), MOST_MODULES.items())
def test_a_crowded_folder_is_found(tmp_path: Path, suffix: str, most: int) -> None:
    """One module too many is found; `__init__` and other kinds of files do not count."""
    names = [f"room/{chr(ord('a') + number)}{suffix}" for number in range(most)]
    assert crowded(plant(tmp_path, *names, "room/__init__.py", "room/style.css")) == []
    plant(tmp_path, f"room/one-more{suffix}")
    assert crowded(tmp_path) == [f"room: {most + 1} modules, at most {most}"]


def test_a_family_is_found(tmp_path: Path) -> None:
    """Three siblings with a prefix are a family, also when one is the prefix alone; two are not, nor are cousins."""
    plant(tmp_path, "room/bulk_files.py", "room/bulk_settle.py", "room/deal.js", "room/deal-ask.js", "other/bulk_x.py")
    assert families(tmp_path) == []
    plant(tmp_path, "room/bulk.py", "room/deal_late.js")
    assert families(tmp_path) == [
        "room: bulk.py, bulk_files.py, bulk_settle.py are a family: make them a folder",
        "room: deal-ask.js, deal.js, deal_late.js are a family: make them a folder",
    ]


def test_a_module_without_its_test_is_found(tmp_path: Path) -> None:
    """A test file counts in the mirrored place only; an exception that is not needed is found too."""
    source = plant(tmp_path / "src", "__init__.py", "core/dice.py", "core/bets.py", "web/app.js")
    tests = plant(tmp_path / "tests", "core/test_dice.py", "test_bets.py")
    assert unmirrored(source, tests) == ["core/bets.py: no core/test_bets.py"]
    assert unmirrored(source, tests, ["core/bets.py"]) == []
    assert needless(source, tests, ["core/bets.py"]) == []
    assert needless(source, tests, ["core/dice.py", "core/gone.py"]) == ["core/dice.py", "core/gone.py"]


def test_files_are_counted(tmp_path: Path) -> None:
    """Every file of the project counts, and none that tools leave behind."""
    plant(tmp_path, "README.md", "src/a.py", ".github/workflows/ci.yml", ".venv/lib/a.py", "src/__pycache__/a.pyc")
    assert count_files(tmp_path) == 3
