"""The packages that are published: their licence, README, version and metadata."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from hashlib import sha256
from pathlib import Path

import pytest

from taisai.version import __version__
from tests import ROOT

APACHE_2 = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
"""SHA-256 of the licence's text as the Apache Software Foundation publishes it."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source distribution of this tree."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def metadata(wheel: zipfile.ZipFile) -> Message:
    """The metadata of a wheel."""
    return Parser().parsestr(wheel.read(f"taisai-{__version__}.dist-info/METADATA").decode())


def test_the_licence_is_the_whole_text() -> None:
    """LICENSE is the text of Apache-2.0, to the last character."""
    assert sha256((ROOT / "LICENSE").read_bytes()).hexdigest() == APACHE_2


def test_the_wheel_says_what_it_is(built: Path) -> None:
    """The wheel carries licence, README and the supported versions of Python, and its data files."""
    with zipfile.ZipFile(built / f"taisai-{__version__}-py3-none-any.whl") as wheel:
        found = metadata(wheel)
        names = set(wheel.namelist())
    assert (found["Version"], found["License-Expression"]) == (__version__, "Apache-2.0")
    assert found["Description-Content-Type"] == "text/markdown"
    assert found.get_payload() == (ROOT / "README.md").read_text(encoding="utf-8")
    pythons = {each.rpartition(" ")[2] for each in found.get_all("Classifier", []) if ":: 3." in each}
    assert pythons == {"3.11", "3.12", "3.13"}
    assert f"taisai-{__version__}.dist-info/licenses/LICENSE" in names
    source = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert source - names == set()


def test_the_source_distribution_is_complete(built: Path) -> None:
    """The source distribution has what a build needs, and what a reader looks for first."""
    with tarfile.open(built / f"taisai-{__version__}.tar.gz") as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= {"CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml", "src/taisai/__init__.py"}


def test_the_changelog_begins_with_this_version() -> None:
    """The newest entry of the changelog is about the version of the program."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)", text, re.MULTILINE)[0] == __version__
