"""`taisai felt`."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.cli.running import printed


def test_felt_writes_pictures(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """SVG to the terminal or a file, PNG by its suffix."""
    assert ET.fromstring(printed(capfd, "felt", "rws-mini-dice-v3/A")).tag.endswith("svg")
    svg, png = tmp_path / "felt.svg", tmp_path / "felt.png"
    words = ("felt", "rws-tai-sai-v6/E", "--lit", "1,3,6", "--bets", "small=100")
    printed(capfd, *words, "-o", str(svg))
    printed(capfd, *words, "-o", str(png), "--width", "400")
    assert "lit" in svg.read_text(encoding="utf-8")
    header = png.read_bytes()[:24]
    assert header.startswith(b"\x89PNG")
    assert int.from_bytes(header[16:20], "big") == 400
    assert printed(capfd, "felt", "rws-tai-sai-v6/A", "--labels").startswith("<svg")
    assert printed(capfd, "felt", "rws-tai-sai-v6/A", "--heat").startswith("<svg")
