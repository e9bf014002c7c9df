"""The packages that are published: their licence, README, version and metadata."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import venv
import zipfile
from email.message import Message
from email.parser import Parser
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.request import urlopen

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


@pytest.fixture(scope="module")
def elsewhere(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the wheel, the packages of requirements/run.lock and nothing else.

    The packages are copied from this environment, where they were installed from the same hashes: tests use no network.
    """
    folder = tmp_path_factory.mktemp("an empty place") / "environment"
    venv.create(folder, symlinks=True)
    site = folder / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    with zipfile.ZipFile(built / f"taisai-{__version__}-py3-none-any.whl") as wheel:
        wheel.extractall(site)
    lock = (ROOT / "requirements" / "run.lock").read_text(encoding="utf-8")
    for name, marker in re.findall(r"^([a-z0-9-]+)==\S+(.*)$", lock, re.MULTILINE):
        try:
            files = distribution(name).files or []
        except PackageNotFoundError:
            assert ";" in marker, name  # for another system or version of Python
            continue
        for file in files:
            source = Path(str(file.locate()))
            if ".." not in file.parts and source.is_file():
                (site / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, site / file)
    return folder / "bin" / "python"


@pytest.mark.slow
def test_the_wheel_serves_the_demo_from_an_empty_environment(elsewhere: Path) -> None:
    """Outside the repository, with what run.lock names and no more, the demo floor serves its tables and pages."""
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    command = [str(elsewhere), "-m", "taisai", "serve", "--demo", "--port", "0", "--journal", "memory:"]
    with subprocess.Popen(
        command, cwd=elsewhere.parent, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            found = re.search(r"http://[\d.]+:\d+", said)
            assert found is not None, said + process.stdout.read()
            with urlopen(f"{found[0]}/api/floor", timeout=30) as answer:
                assert len(json.load(answer)["tables"]) >= 8
            with urlopen(f"{found[0]}/play?table=TS-C", timeout=30) as page:
                assert b"<!doctype html>" in page.read(200).lower()
        finally:
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "extra"),
    [
        ("taisai.layout('rws-tai-sai-v6/C').session({'small': 100}, rounds=10)", "analysis"),
        ("taisai.layout('rws-tai-sai-v6/C').simulate(rounds=10, seed=1)", "analysis"),
        ("taisai.connect('http://127.0.0.1')", "client"),
        ("import taisai.client", "client"),
        ("taisai.layout('rws-tai-sai-v6/C').felt().save('felt.png')", "png"),
    ],
)
def test_a_library_names_the_extra_that_is_missing(elsewhere: Path, line: str, extra: str) -> None:
    """Where an extra is not installed, Python is told which, as the command is."""
    done = subprocess.run(
        [str(elsewhere), "-c", f"import taisai\n{line}"], cwd=elsewhere.parent, env={}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert f"needs the extra `{extra}`: pip install 'taisai[{extra}]'" in done.stderr.splitlines()[-1]
