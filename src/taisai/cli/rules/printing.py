"""`taisai print`: what lies on a table and beside it, as PDF."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from taisai.cli.show import BookDirs, shelf_of
from taisai.core.faults import InputFault
from taisai.felt import GREEN, RED
from taisai.felt.palette import PAPER
from taisai.printing import PAPERS, WHOLE, crib_card, length_of, odds_card, print_card, print_felt, rules_card

_CARDS = {"odds": odds_card, "crib": crib_card, "rules": rules_card}
_CLOTHS = {"green": GREEN, "red": RED, "paper": PAPER}


def print_(
    what: Annotated[Literal["felt", "odds", "crib", "rules"], Parameter(help="What is printed.")],
    layout: Annotated[str, Parameter(help="Layout, as BOOK/LAYOUT.")] = "rws-tai-sai-v6/C",
    /,
    *,
    output: Annotated[
        Path | None, Parameter(name=("--output", "-o"), help="PDF to write; felt.pdf, odds.pdf and so on if left out.")
    ] = None,
    width: Annotated[str, Parameter(help="Of the cloth: 1200mm, 120cm, 1.2m or 48in.")] = "1200mm",
    paper: Annotated[str, Parameter(help="A0 to A4, letter, legal, tabloid; for a felt also whole.")] = "A4",
    cloth: Annotated[
        Literal["green", "red", "paper"], Parameter(help="Colours of the felt; paper is light and saves ink.")
    ] = "green",
    font: Annotated[Path | None, Parameter(help="Font for letters beyond Latin; found by itself if left out.")] = None,
    book_dir: BookDirs = (),
) -> None:
    """Print a felt in true size over sheets of paper, an odds card, the dealer's crib or the rules on one page.

    A felt begins with a plan of its sheets and a ruler to measure the print by; every sheet has marks for cutting and
    for laying the next one on it. With --paper whole it is one page as large as the cloth, for a print shop. The cards
    are one page each.

    Examples:
      taisai print felt --width 1200mm --paper A3
      taisai print felt rws-mini-dice-v3/A --width 36in --paper letter --cloth paper -o mini.pdf
      taisai print felt rws-tai-sai-v6/E --width 1.8m --paper whole -o shop.pdf
      taisai print odds rws-tai-sai-v6/C
      taisai print crib rws-tai-sai-v6/C
      taisai print rules rws-tai-sai-v6/C --paper letter
    """
    sizes = {name.lower(): name for name in (*PAPERS, *((WHOLE,) if what == "felt" else ()))}
    if paper.lower() not in sizes:
        raise InputFault("--paper", f"one of {', '.join(sizes.values())}, got {paper!r}")
    file = output or Path(f"{what}.pdf")
    if file.suffix.lower() != ".pdf":
        raise InputFault("--output", f"the file's name ends in .pdf, got {file.name!r}")
    shelf = shelf_of(book_dir)
    chosen = shelf.layout(layout)
    size, made_at = sizes[paper.lower()], datetime.now(UTC)
    if what == "felt":
        wide = length_of(width, "--width")
        document, tiling = print_felt(chosen, made_at, width=wide, paper=size, palette=_CLOTHS[cloth], font=font)
        cut = f"{float(tiling.width):g} x {round(tiling.height)} mm"
        if tiling.sheets > 1:
            cut += f" on {tiling.sheets} sheets of {size} and a plan of them"
        print(f"{chosen.name}: {cut}; print at 100 %")
    else:
        document = print_card(_CARDS[what](shelf.book(chosen.book_id), chosen), made_at, paper=size, font=font)
    file.write_bytes(document)
    print(f"written: {file}", file=sys.stderr)
