"""The README runs: what it shows is what the program says."""

from __future__ import annotations

import json
import re
import subprocess
import sys

from taisai.cli import make_app
from tests import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_round_of_the_first_screen_is_answered_so() -> None:
    """The settled round in the README is the answer of the command in it, to the last word."""
    found = re.search(r"```console\n\$ (echo '.*?' \| taisai settle -)\n(.*?)```", README, re.DOTALL)
    assert found is not None
    command = found[1].replace("taisai settle", f"{sys.executable} -m taisai settle")
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert json.loads(found[2]) == json.loads(done.stdout)


def test_the_first_screen_says_what_it_is() -> None:
    """Before the first heading: one sentence, a picture, for whom, two commands, and lines of Python, in this order."""
    first = README.partition("\n## ")[0]
    places = [
        first.index(each) for each in ("An engine and live table server", "![", "**For whom.**", "make run", ">>>")
    ]
    assert places == sorted(places)


def test_every_command_named_exists() -> None:
    """The README names no subcommand of `taisai` that does not exist."""
    app = make_app(None)
    assert [command for command in re.findall(r"`taisai ([a-z]+)", README) if command not in list(app)] == []


def test_every_file_linked_exists() -> None:
    """No link of README, docs and the rest points at a file that is not there."""
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "conformance" / "README.md"]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
