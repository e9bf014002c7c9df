"""`taisai export`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from taisai.cli import main
from taisai.history import export as export_module
from taisai.history.folder import open_export
from tests.cli.running import printed


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
