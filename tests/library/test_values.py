"""Values of the library: pictures saved, sessions asked, columns that frames take."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import taisai
from taisai.core.faults import InputFault
from taisai.library.values import table_of

LAYOUT = taisai.layout("rws-mini-dice-v3/A")


def test_a_picture_is_saved_by_its_suffix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SVG and PNG are written, another suffix is refused, and a missing extra is named."""
    felt = LAYOUT.felt(lit="1,2,3", bets={"field": 100})
    assert felt.save(tmp_path / "felt.svg").read_text().startswith("<svg")
    assert felt.save(tmp_path / "felt.png", width=300).read_bytes().startswith(b"\x89PNG")
    assert felt._repr_svg_() == felt.svg
    assert LAYOUT._repr_svg_().startswith("<svg")
    with pytest.raises(InputFault, match=r"\.svg or \.png"):
        felt.save("felt.gif")
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(InputFault, match=r"taisai\[png\]"):
        felt.save(tmp_path / "felt.png")


def test_a_session_answers(tmp_path: Path) -> None:
    """Mean, chance, quantiles and a plot of a session."""
    session = LAYOUT.session({"field": 100}, rounds=20, bankroll=500)
    assert session.mean < 0 < session.ahead < 1
    assert 0 < session.ruin < 1
    assert session.quantile(0.0) <= session.quantile(0.5) <= session.quantile(1.0)
    assert sum(session.columns()["chance"]) == pytest.approx(1)
    assert session.plot(tmp_path / "session.svg").exists()


def test_rows_become_columns() -> None:
    """Rows of one shape turn into columns; no rows are no columns."""
    assert table_of([{"a": 1, "b": 2}, {"a": 3, "b": 4}]) == {"a": [1, 3], "b": [2, 4]}
    assert table_of([]) == {}
