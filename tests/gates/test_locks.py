"""The lock files name versions and hashes, and nothing of where the packages come from."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT

LOCKS = sorted((ROOT / "requirements").glob("*.lock"))
PIN = re.compile(r"(?P<name>[a-z0-9][a-z0-9-]*)==(?P<version>[^\s;]+)(?: ; [^/\\]+)? \\")
HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}(?: \\)?")


def strange_lines(text: str) -> list[str]:
    """The lines of a lock file that are neither a pinned package nor a hash."""
    return [line for line in text.splitlines() if not PIN.fullmatch(line) and not HASH.fullmatch(line)]


def pins(name: str) -> set[tuple[str, str]]:
    """The packages of a lock file, each with its version."""
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
    return {(found["name"], found["version"]) for found in map(PIN.fullmatch, text.splitlines()) if found}


def names_of(requirements: list[Any]) -> set[str]:
    """The packages that a list of requirements in pyproject.toml asks for."""
    return {re.split(r"[^\w-]", one)[0] for one in requirements if isinstance(one, str)}


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_a_lock_holds_pins_and_hashes_only(path: Path) -> None:
    """Every line of a lock file is a pinned package or a hash: no host, no path, no option."""
    assert strange_lines(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "line",
    [
        "--index-url https://example.org/simple",
        "--find-links wheels",
        "rich @ file:///wheels/rich.whl \\",
        "rich>=15 \\",
        "rich==15.0.0",
        "    # via -r requirements/dev.in",
    ],
)
def test_a_strange_line_is_found(line: str) -> None:
    """A host, a path, an option, or a package without version or hash would be found."""
    assert strange_lines(f"rich==15.0.0 \\\n    --hash=sha256:{'0' * 64}\n{line}\n") == [line]


def test_the_locks_agree() -> None:
    """What runs is what was tested: each smaller lock is a part of the next, with the same versions."""
    assert pins("run.lock")
    assert pins("run.lock") < pins("full.lock") < pins("dev.lock")


def test_running_needs_little() -> None:
    """`make run` installs the server and nothing that computes, draws or stores elsewhere."""
    large = {"duckdb", "matplotlib", "numpy", "pillow", "pyarrow", "scipy", "asyncpg", "fpdf2"}
    assert not large & {name for name, _ in pins("run.lock")}


def test_every_dependency_is_locked() -> None:
    """Every package that pyproject.toml asks for is locked; compiled kernels and Spark only in the lock for tests."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = {name: names_of(packages) for name, packages in project["project"]["optional-dependencies"].items()}
    left_out, _ = extras.pop("fast") | extras.pop("spark"), extras.pop("full")
    program = names_of(project["project"]["dependencies"])
    everything = program.union(*extras.values())
    groups = set().union(*map(names_of, project["dependency-groups"].values()))
    assert program | extras["serve"] <= {name for name, _ in pins("run.lock")}
    assert everything <= {name for name, _ in pins("full.lock")}
    assert everything | left_out | groups <= {name for name, _ in pins("dev.lock")}
    assert not left_out & {name for name, _ in pins("full.lock")}


def test_the_extra_full_is_every_other() -> None:
    """`taisai[full]` names every extra that `full.lock` holds: all but the compiled kernels and Spark."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    [full] = extras["full"]
    assert full == f"taisai[{','.join(sorted(extras.keys() - {'fast', 'full', 'spark'}))}]"
