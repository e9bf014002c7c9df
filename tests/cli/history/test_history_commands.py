"""export, resettle, report, dice and fairness, as people use them on the folder of an export."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from taisai.cli import main
from taisai.history import export as export_module
from taisai.history.folder import open_export
from taisai.journal import open_journal
from tests.history.asked import wrongly_paid
from tests.history.dealt import deal_bots, tell_house


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of three tables and the house."""
    file = tmp_path_factory.mktemp("floor") / "floor.db"
    with open_journal(file) as opened:
        deal_bots(opened, 150)
        tell_house(opened, 1_775_000_000_000_000)
    return file


@pytest.fixture(scope="module")
def folder(journal: Path) -> Path:
    """Its export."""
    assert main(("export", str(journal), str(journal.parent / "export"))) == 0
    return journal.parent / "export"


def printed(capfd: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """What the command prints."""
    capfd.readouterr()
    assert main(words) == code
    return capfd.readouterr().out


def refused(capfd: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line of a refused command."""
    capfd.readouterr()
    assert main(words) == 2
    captured = capfd.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    return captured.err


@pytest.mark.parametrize("command", ["export", "fairness", "resettle", "report", "dice"])
def test_help_has_examples_with_a_folder(capfd: pytest.CaptureFixture[str], command: str) -> None:
    """Each command shows how it is used on an export."""
    examples = printed(capfd, command, "--help").partition("Examples:")[2]
    assert f"taisai {command} " in examples
    assert "history/" in examples


def test_export_in_two_parts(capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path) -> None:
    """An export stops where it is told, goes on from there, has nothing more to do, and can be proven."""
    words = ("export", str(journal), str(tmp_path / "export"))
    assert "100 records exported" in printed(capfd, *words, "--upto", "100")
    second = json.loads(printed(capfd, *words, "--json"))
    assert second["exported"] == second["position"] - 100 > 0
    assert second["tables"] == ["NZ", "SG<1>", "mini 'd'"]
    assert second["rows"]["events"] == second["position"]
    third = json.loads(printed(capfd, *words, "--json", "--check"))
    assert (third["exported"], third["faults"]) == (0, [])
    assert "Every file is as it was written" in printed(capfd, *words, "--check")


def test_a_changed_file_is_a_finding(capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path) -> None:
    """With --check a changed file is named, and the exit code is 1."""
    words = ("export", str(journal), str(tmp_path))
    printed(capfd, *words)
    path = open_export(tmp_path).paths("events")[0]
    whole = bytearray(path.read_bytes())
    whole[100] ^= 1
    path.write_bytes(whole)
    assert f"{path.name} is not what was written" in printed(capfd, *words, "--check", code=1)


def test_following_ends_with_an_interrupt(
    capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A following export is ended by an interrupt, says so, and leaves a whole folder."""

    class Interrupted:
        """Waits for nothing: somebody presses the keys."""

        def wait(self, _seconds: float) -> bool:
            raise KeyboardInterrupt

    monkeypatch.setattr(export_module.threading, "Event", Interrupted)  # type: ignore[attr-defined] # its own import
    assert main(("export", str(journal), str(tmp_path), "--follow", "--every", "0.5")) == 0
    captured = capfd.readouterr()
    assert "the export is whole" in captured.err
    assert f"{open_export(tmp_path).position:,} in all" in captured.out


def test_resettle_of_an_export(capfd: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    """All is right, or the bets that are not are shown and the exit code is 1."""
    assert "Every bet was paid what was due" in printed(capfd, "resettle", str(folder), "--engine", "duckdb")
    assert json.loads(printed(capfd, "resettle", str(folder), "--json"))["right"] is True
    with open_journal(tmp_path / "wrong.db") as opened:
        wrongly_paid(opened)
    printed(capfd, "export", str(tmp_path / "wrong.db"), str(tmp_path / "export"))
    told = printed(capfd, "resettle", str(tmp_path / "export"), code=1)
    assert "3 of " in told
    assert "overpaid 21" in told
    assert "rows are missing or too many" in told
    found = json.loads(printed(capfd, "resettle", str(tmp_path / "export"), "--json", code=1))
    assert [each["paid"] - each["due"] for each in found["first"]] == [7, 7, 7]


@pytest.mark.parametrize("more", [(), ("--by", "month", "--zone", "Asia/Singapore", "--table", "NZ")])
def test_report_of_an_export_is_that_of_the_journal(
    capfd: pytest.CaptureFixture[str], journal: Path, folder: Path, more: tuple[str, ...]
) -> None:
    """Both reports are the same but for when they were made."""
    ours = json.loads(printed(capfd, "report", str(folder), "--json", *more))
    theirs = json.loads(printed(capfd, "report", str(journal), "--json", *more))
    assert ours.pop("made_at") != theirs.pop("made_at")
    assert ours == theirs
    assert ours["rows"]


def test_dice_of_an_export_are_those_of_the_journal(
    capfd: pytest.CaptureFixture[str], journal: Path, folder: Path
) -> None:
    """The evidence, the layout and the battery come out the same."""
    words = ("--table", "NZ", "--json", "--battery")
    ours = json.loads(printed(capfd, "dice", str(folder), *words))
    theirs = json.loads(printed(capfd, "dice", str(journal), *words))
    assert ours.pop("source") != theirs.pop("source")
    assert ours == theirs
    assert ours["sets"][0]["gains"]


def test_fairness_of_all_tables(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """Every table and all together are shown, with what they return and what came of the dice."""
    told = printed(capfd, "fairness", str(folder))
    assert "Returns" in told
    assert "Faces" in told
    assert "SG<1>" in told
    found = json.loads(printed(capfd, "fairness", str(folder), "--json", "--table", "NZ", "--level", "0.01"))
    assert (found["alarm"], found["level"]) == (False, 0.01)
    assert [each["table"] for each in found["returns"]] == ["NZ"]
    assert all(each["recount_agrees"] for each in found["returns"])


def test_what_is_refused(capfd: pytest.CaptureFixture[str], journal: Path, folder: Path, tmp_path: Path) -> None:
    """Words that do not fit, folders that are none and engines that are not known are refused in one line."""
    file, there = str(journal), str(folder)
    assert "--follow" in refused(capfd, "export", file, there, "--follow", "--upto", "5")
    assert "--upto" in refused(capfd, "export", file, there, "--upto", "0")
    assert "--every" in refused(capfd, "export", file, there, "--follow", "--every", "0")
    assert "ROUNDS" in refused(capfd, "resettle", there, str(tmp_path / "rounds.parquet"))
    assert "ROUNDS" in refused(capfd, "resettle", str(tmp_path / "bets.parquet"))
    assert "--output" in refused(capfd, "resettle", str(tmp_path / "bets.parquet"), str(tmp_path / "rounds.parquet"))
    assert "--engine" in refused(capfd, "report", file, "--engine", "duckdb")
    assert "--engine" in refused(capfd, "dice", file, "--engine", "duckdb")
    assert "--engine" in refused(capfd, "report", there, "--engine", "oracle")
    assert "--table" in refused(capfd, "dice", there)
    assert "--table" in refused(capfd, "dice", there, "--table", "none")
    assert "--table" in refused(capfd, "fairness", there, "--table", "none")
    assert "no folder" in refused(capfd, "fairness", str(tmp_path / "nothing"))
    assert "not an export" in refused(capfd, "resettle", str(tmp_path))
