"""Draws the pictures of README and docs: docs/pictures/*.svg (`make pictures`)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from taisai.books import open_shelf
from taisai.core.bets import parse_bets
from taisai.core.dice import parse_roll
from taisai.felt import draw
from tools.golden import ROOT, Golden


def drawn() -> Iterator[tuple[str, str]]:
    """Name and content of each picture."""
    shelf = open_shelf(environment={})
    lit = shelf.layout("rws-tai-sai-v6/C")
    bets = parse_bets(lit, "small=10000 total:10=2500 three:136=500 triple:4=500 pair:13=1000")
    yield "rws-tai-sai-v6-C-lit.svg", draw(lit, roll=parse_roll("1,3,6"), bets=bets)
    yield "rws-tai-sai-v6-E.svg", draw(shelf.layout("rws-tai-sai-v6/E"))
    yield "rws-tai-sai-v6-A-labels.svg", draw(shelf.layout("rws-tai-sai-v6/A"), labels=True)
    yield "nz-division-9-2-heat.svg", draw(shelf.layout("nz-division-9/2"), heat=True)


def made() -> Iterator[tuple[Path, str]]:
    """Every picture as a file."""
    for name, svg in drawn():
        yield ROOT / "docs" / "pictures" / name, svg + "\n"


GOLDEN = Golden("make pictures", made)

if __name__ == "__main__":
    sys.exit(GOLDEN.main())
