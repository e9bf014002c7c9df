"""Files of rolls, fair and not."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.analysis.dice.paths import draw_tumblers
from taisai.core.dice import ALL_ROLLS


@pytest.fixture(scope="module")
def weak(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rolls of a weak shake."""
    file = tmp_path_factory.mktemp("rolls") / "weak.txt"
    rolls = draw_tumblers(1, 700, 6, retention=0.12)[0]
    file.write_text("".join(f"{ALL_ROLLS[index]}\n" for index in rolls.tolist()), encoding="utf-8")
    return file
