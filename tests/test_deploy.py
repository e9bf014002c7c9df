"""The files of deploy/ name settings and commands that exist."""

from __future__ import annotations

import re

import pytest

from taisai.cli import make_app
from taisai.settings.reading import read_settings
from tests import ROOT

DEPLOY = ROOT / "deploy"


def test_the_example_settings_are_good() -> None:
    """What an operator copies is read without a fault, and stands on the books of this package."""
    settings = read_settings(DEPLOY / "floor.example.toml", environment={})
    assert [table.mode for table in settings.tables] == ["automatic", "dealer"]


@pytest.mark.parametrize("name", ["taisai.service", "taisai-backup.service", "Containerfile"])
def test_every_command_named_exists(name: str) -> None:
    """A unit or an image calls no command that taisai does not have."""
    text = (DEPLOY / name).read_text(encoding="utf-8")
    called = re.findall(r'bin/taisai (\w+)|"taisai", "(\w+)"', text)
    assert called
    app = make_app(None)
    assert [one or two for one, two in called if (one or two) not in list(app)] == []


def test_the_image_copies_files_that_exist() -> None:
    """What the Containerfile copies is there, with all that the package's metadata names."""
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    copied = {name for line in re.findall(r"^COPY (.+) \S+$", text, re.MULTILINE) for name in line.split()}
    assert copied >= {"LICENSE", "README.md", "pyproject.toml", "src"}
    assert [name for name in sorted(copied) if not (ROOT / name).exists()] == []


def test_the_variables_named_are_settings() -> None:
    """compose.yaml sets variables that the settings know."""
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    named = set(re.findall(r"^  (TAISAI_\w+):|\{ <<: \*environment, (TAISAI_\w+):", text, re.MULTILINE))
    environment = {one or two: "" for one, two in named}
    assert set(environment) == {"TAISAI_LISTEN", "TAISAI_JOURNAL", "TAISAI_NODE__SECRET", "TAISAI_NODE__ADDRESS"}
    settings = read_settings(
        environment={
            "TAISAI_LISTEN": "0.0.0.0:8000",
            "TAISAI_JOURNAL": "postgresql://taisai:secret@db/floor?key=/var/lib/taisai/keys/house.key",
            "TAISAI_NODE__SECRET": "0123456789abcdef",
            "TAISAI_NODE__ADDRESS": "http://node1:8000",
        }
    )
    assert (settings.listen.port, settings.node.address) == (8000, "http://node1:8000")
    assert "0123456789abcdef" not in str(settings.shown())
    assert "0123456789abcdef" not in repr(settings)
