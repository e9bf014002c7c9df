"""Draws the pictures of README and docs anew.

python tools/pictures.py            write docs/pictures/*.svg
python tools/pictures.py --check    say which are not fresh; exit code 1 if any
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from taisai.books import open_shelf
from taisai.core.bets import parse_bets
from taisai.core.dice import parse_roll
from taisai.felt import draw

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"


def pictures() -> Iterator[tuple[str, str]]:
    """Name and content of each picture."""
    shelf = open_shelf(environment={})
    lit = shelf.layout("rws-tai-sai-v6/C")
    bets = parse_bets(lit, "small=10000 total:10=2500 three:136=500 triple:4=500 pair:13=1000")
    yield "rws-tai-sai-v6-C-lit.svg", draw(lit, roll=parse_roll("1,3,6"), bets=bets)
    yield "rws-tai-sai-v6-E.svg", draw(shelf.layout("rws-tai-sai-v6/E"))
    yield "rws-tai-sai-v6-A-labels.svg", draw(shelf.layout("rws-tai-sai-v6/A"), labels=True)
    yield "nz-division-9-2-heat.svg", draw(shelf.layout("nz-division-9/2"), heat=True)


def stale() -> list[str]:
    """The names of pictures that are missing or not fresh."""
    return [
        name
        for name, svg in pictures()
        if not (FOLDER / name).is_file() or (FOLDER / name).read_text(encoding="utf-8") != svg + "\n"
    ]


def main() -> int:
    """Write or check; the exit code."""
    if sys.argv[1:] == ["--check"]:
        names = stale()
        for name in names:
            print(f"docs/pictures/{name} is not fresh: make pictures")
        return 1 if names else 0
    FOLDER.mkdir(exist_ok=True)
    for name, svg in pictures():
        (FOLDER / name).write_text(svg + "\n", encoding="utf-8")
        print(f"docs/pictures/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
