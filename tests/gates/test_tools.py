"""The tools complain: with the settings of this project, each finds a planted fault."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT

GOOD_TEST = '"""Tests."""\n\n\ndef test_good() -> None:\n    """Good is good."""\n    assert True\n'
GOOD_MODULE = (
    '"""A module."""\n\n\ndef double(number: int) -> int:\n    """Twice the number."""\n    return 2 * number\n'
)


def run(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run a tool of this environment in the project, so that it reads the project's own settings."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("COV", "PYTEST"))}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # a planted test needs none of them
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=ROOT,
        env=environment,
        input=text,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def ruff_check(name: str, code: str) -> subprocess.CompletedProcess[str]:
    """Check code with ruff as if it stood in the file of that name."""
    return run("ruff", "check", "--no-cache", "--output-format=concise", "--stdin-filename", name, "-", text=code)


def mypy_check(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Check code with mypy in a file of its own."""
    path = folder / "planted.py"
    path.write_text(code, encoding="utf-8")
    return run("mypy", "--cache-dir", str(folder / "cache"), str(path))


@pytest.mark.parametrize(
    ("name", "code"), [("tests/core/test_planted.py", GOOD_TEST), ("src/taisai/core/planted.py", GOOD_MODULE)]
)
def test_ruff_passes_good_code(name: str, code: str) -> None:
    """Ruff has nothing against good code, in source and tests alike."""
    done = ruff_check(name, code)
    assert (done.returncode, done.stdout) == (0, "All checks passed!\n")


@pytest.mark.parametrize(
    ("name", "code", "rule"),
    [
        ("src/taisai/core/planted.py", GOOD_MODULE.replace("\n\n\n", "\n\nimport json\n\n\n", 1), "F401"),
        ("src/taisai/core/planted.py", GOOD_MODULE.replace('"""A module."""\n', ""), "D100"),
        ("src/taisai/core/planted.py", GOOD_MODULE.replace('    """Twice the number."""\n', ""), "D103"),
        ("src/taisai/core/planted.py", GOOD_MODULE.replace("2 * number", "2 * nummer"), "F821"),
        ("src/taisai/core/planted.py", GOOD_MODULE.replace("double", "Double"), "N802"),
        ("src/taisai/core/planted.py", GOOD_MODULE + f"# {'x' * 120}\n", "E501"),
        ("tests/core/test_planted.py", GOOD_TEST.replace('    """Good is good."""\n', ""), "D103"),
        ("tests/core/test_planted.py", GOOD_TEST.replace("\n\n\n", "\n\nimport pytest\n\n\n", 1), "F401"),
    ],
)
def test_ruff_finds_a_planted_fault(name: str, code: str, rule: str) -> None:
    """Ruff finds an unused import, a missing docstring and the like."""
    done = ruff_check(name, code)
    assert done.returncode == 1
    assert f": {rule} " in done.stdout


def test_ruff_finds_wrong_format() -> None:
    """The format check passes well laid out code and fails on other code."""
    arguments = ("ruff", "format", "--no-cache", "--check", "--stdin-filename", "src/taisai/core/planted.py", "-")
    assert run(*arguments, text=GOOD_MODULE).returncode == 0
    assert run(*arguments, text=GOOD_MODULE.replace("2 * number", "2*number")).returncode == 1


def test_mypy_passes_good_code(tmp_path: Path) -> None:
    """Mypy has nothing against typed code."""
    done = mypy_check(tmp_path, GOOD_MODULE)
    assert (done.returncode, done.stderr) == (0, "")


def test_mypy_finds_planted_faults(tmp_path: Path) -> None:
    """Mypy finds untyped functions, wrong types, bare generics and needless or vague silencing."""
    faults = {
        "no-untyped-def": "def untyped(number):\n    return number",
        "return-value": "def wrong() -> int:\n    return 'one'",
        "type-arg": "numbers: list = []",
        "unused-ignore": "one = 1  # type: ignore[assignment]",
        "ignore-without-code": "two: int = 'two'  # type: ignore",
        "unreachable": "def after(number: int) -> None:\n    if isinstance(number, str):\n        print(number)",
    }
    done = mypy_check(tmp_path, "\n".join(faults.values()) + "\n")
    assert done.returncode == 1
    assert [code for code in faults if f"[{code}]" not in done.stdout] == []


def pytest_run(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run a file of tests of its own."""
    path = folder / "test_planted.py"
    path.write_text(f"import warnings\nimport pytest\n{code}", encoding="utf-8")
    return run("pytest", "-c", "pyproject.toml", "-p", "no:cacheprovider", str(path))


def test_pytest_passes_a_good_test(tmp_path: Path) -> None:
    """A test with the marker `clause` passes."""
    done = pytest_run(tmp_path, "@pytest.mark.clause('§1')\ndef test_a() -> None: ...\n")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("code", "message"),
    [
        pytest.param("def test_a() -> None: warnings.warn('careful')\n", "UserWarning: careful", id="warning"),
        pytest.param("@pytest.mark.claus('§1')\ndef test_a() -> None: ...\n", "'claus' not found", id="marker"),
        pytest.param("@pytest.mark.xfail\ndef test_a() -> None: ...\n", "[XPASS(strict)]", id="unexpected-pass"),
    ],
)
def test_pytest_finds_a_planted_fault(tmp_path: Path, code: str, message: str) -> None:
    """A warning, a misspelt marker and an unexpected pass each fail a test run."""
    done = pytest_run(tmp_path, code)
    assert done.returncode != 0
    assert message in done.stdout + done.stderr


@pytest.mark.parametrize(("calls", "status"), [("both(1)\nboth(0)\n", 0), ("both(1)\n", 2)])
def test_coverage_finds_a_branch_not_taken(tmp_path: Path, calls: str, status: int) -> None:
    """Full coverage means every branch: a condition that is never false is found, though every line has run."""
    path = tmp_path / "planted.py"
    path.write_text(f"def both(number):\n    if number:\n        number += 1\n    return number\n\n\n{calls}")
    data = f"--data-file={tmp_path / 'data'}"
    assert run("coverage", "run", data, f"--source={tmp_path}", str(path)).returncode == 0
    done = run("coverage", "report", data, "--fail-under=100")
    assert done.returncode == status, done.stdout + done.stderr
