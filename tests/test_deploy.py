"""The files of deploy/ name settings and commands that exist."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped] # has no types of its own

from taisai.cli import make_app
from taisai.cli.floor.serve import longest_stop_s
from taisai.client.table import CLOSE_S, FIRST_WAIT_S, OPEN_S, PONG_S
from taisai.client.table import PING_S as PING_OF_CLIENTS_S
from taisai.settings.reading import read_settings
from taisai.web.serve import PING_S
from tests import ROOT
from tests.torture.front import certificate_in, file_for, program

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
    copied = {name for line in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE) for name in line.split()}
    assert copied >= {"LICENSE", "README.md", "pyproject.toml", "src"}
    assert [name for name in sorted(copied) if not (ROOT / name).exists()] == []
    assert "hatchling build -t wheel" in text  # what is installed is the wheel
    assert re.search(r"^hatchling==", (ROOT / "requirements" / "full.lock").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_variables_named_are_settings() -> None:
    """compose.yaml sets variables that the settings know."""
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    named = set(re.findall(r"^  (TAISAI_\w+):|\{ <<: \*environment, (TAISAI_\w+):", text, re.MULTILINE))
    environment = {one or two: "" for one, two in named}
    once = {"TAISAI_LISTEN", "TAISAI_JOURNAL", "TAISAI_NODE__SECRET", "TAISAI_HOUSE__DICE_KEY"}
    assert set(environment) == {*once, "TAISAI_NODE__ADDRESS"}
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


def test_the_proxys_file_is_accepted_by_nginx(tmp_path: Path) -> None:
    """Nginx reads the file without a fault, with a certificate in place and the names of the nodes known."""
    certificate_in(tmp_path, "floor.casino.example")
    file = file_for(tmp_path, [8001, 8002, 8003], 8443)
    told = subprocess.run(
        [program("nginx"), "-t", "-p", str(tmp_path), "-e", str(tmp_path / "error.log"), "-c", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    assert "test is successful" in told.stderr


def test_nobody_waits_for_a_frozen_node_behind_the_proxy() -> None:
    """A client's silence, its next handshake with the same node and the one after it fit into 5 s, in the screens too.

    `tests/torture/test_front.py` tries it.
    """
    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    play = re.search(r"location /play/ \{(.+?)\n        \}", text, re.DOTALL)
    assert play is not None
    [read] = [int(number) for number in re.findall(r"proxy_read_timeout (\d+)s", play[1])]
    assert read >= 2 * PING_S  # an open socket is never silent for so long
    assert PING_OF_CLIENTS_S + PONG_S + CLOSE_S + FIRST_WAIT_S + read < 5
    assert read + 1 < OPEN_S  # the proxy finds another node before the client gives the handshake up
    screens = (ROOT / "src/taisai/web/static/lib/table.js").read_text(encoding="utf-8")
    ms = {name: int(number) for name, number in re.findall(r"^const (\w+)_MS = (\d+);", screens, re.MULTILINE)}
    assert ms["SILENCE"] + ms["LOOK"] + 1.25 * ms["WAIT_FIRST"] + 1_000 * read < 5_000
    assert ms["CONNECTING"] > 1_000 * (read + 1)


@pytest.mark.parametrize("name", ["taisai.service", "taisai-backup.service", "taisai-backup.timer"])
def test_the_unit_files_are_accepted_by_systemd(tmp_path: Path, name: str) -> None:
    """Systemd knows every key and value; the program itself stands in for the one of the machine."""
    for each in DEPLOY.glob("taisai*.*"):
        text = each.read_text(encoding="utf-8").replace("/opt/taisai/.venv/bin/taisai", "/bin/true")
        (tmp_path / each.name).write_text(text, encoding="utf-8")
    told = subprocess.run(
        [program("systemd-analyze"), "verify", "--man=no", str(tmp_path / name)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SYSTEMD_LOG_LEVEL": "warning"},
    )
    said = [line for line in told.stderr.splitlines() if name.partition(".")[0] in line]
    assert (told.returncode, said) == (0, [])


def test_a_planned_stop_is_given_the_time_that_it_takes() -> None:
    """The unit and the containers wait for longer than the example's longest round, hand-over and farewell."""
    needed = longest_stop_s(read_settings(DEPLOY / "floor.example.toml", environment={}))
    unit = re.search(r"^TimeoutStopSec=(\d+)$", (DEPLOY / "taisai.service").read_text(encoding="utf-8"), re.MULTILINE)
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    graces = [compose["services"][node]["stop_grace_period"] for node in ("node1", "node2", "node3")]
    assert unit is not None
    assert needed < int(unit[1])
    assert [needed < int(grace.removesuffix("s")) for grace in graces] == [True] * 3


def test_no_password_is_in_the_list_of_processes() -> None:
    """Commands of the units name no address with a password, and no variable that holds one."""
    for name in ("taisai.service", "taisai-backup.service"):
        commands = re.findall(r"^Exec\w+=(.+)$", (DEPLOY / name).read_text(encoding="utf-8"), re.MULTILINE)
        assert [each for each in commands if "$" in each or "://" in each] == []


def test_the_volume_of_keys_belongs_to_the_programs_user() -> None:
    """The image makes the folder that compose.yaml mounts, for its user alone, before it becomes that user."""
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    volume = next(each for each in compose["services"]["node1"]["volumes"] if each.startswith("keys:"))
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    made = f"install -d -o taisai -g taisai -m 0700 {volume.partition(':')[2]}"
    assert made in text.partition("USER taisai")[0]


def test_the_commands_of_the_docs_make_what_the_units_need() -> None:
    """docs/operations.md makes the user, the folder of the settings and the file of the secrets that the units name."""
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    unit = (DEPLOY / "taisai.service").read_text(encoding="utf-8")
    assert "useradd --system" in text
    for needed in re.findall(r"^EnvironmentFile=(\S+)$|--settings (\S+) --check", unit, re.MULTILINE):
        assert "".join(needed) in text
