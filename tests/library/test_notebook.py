"""The notebook for people who use the library in Python."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT


@pytest.mark.slow
def test_the_notebook_for_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cell of examples/python.ipynb runs beside the other examples, and what it shows agrees with itself."""
    for each in (ROOT / "examples").glob("floor.db*"):
        shutil.copy(each, tmp_path)
    monkeypatch.chdir(tmp_path)
    book = json.loads((ROOT / "examples" / "python.ipynb").read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert names["settled"].net == 100 + 300 - 5
    assert "<svg" in names["felt"]._repr_svg_()
    assert len(names["table"]) == len(names["odds"]) == 104
    assert list(names["table"]["box"][:1]) != []
    assert float(names["ahead"]) == pytest.approx(0.365, abs=1e-3)
    assert (tmp_path / "session.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert names["found"] == []
    assert len(names["rounds"]) >= 12
