"""`taisai felt`: a layout as a picture."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from taisai.cli.show import BookDirs, shelf_of
from taisai.core.bets import parse_bets
from taisai.core.dice import parse_roll
from taisai.core.faults import InputFault
from taisai.felt import draw

WIDTH_MAX = 20_000


def felt(
    layout: Annotated[str, Parameter(help="Layout, as BOOK/LAYOUT.")],
    /,
    *,
    output: Annotated[
        Path | None,
        Parameter(name=("--output", "-o"), help="File to write (.svg or .png); SVG to the terminal when left out."),
    ] = None,
    lit: Annotated[str | None, Parameter(help="A roll, such as 1,3,6: the winning boxes light.")] = None,
    bets: Annotated[
        str | None, Parameter(name=("--bets", "--chips"), help='Chips on the felt, such as "small=100 total:9=50".')
    ] = None,
    labels: Annotated[bool, Parameter(help="Name the bets, as the books' examples do.", negative=())] = False,
    heat: Annotated[bool, Parameter(help="Colour the boxes by house edge.", negative=())] = False,
    width: Annotated[int, Parameter(help="Width of a PNG in pixels.")] = 1920,
    book_dir: BookDirs = (),
) -> None:
    """Draw a layout as SVG or PNG: plain, lit, with chips, as a heat map.

    Examples:
      taisai felt rws-tai-sai-v6/E -o felt.svg
      taisai felt rws-tai-sai-v6/E --lit 1,3,6 -o lit.png --width 2560
      taisai felt nz-division-9/2 --labels -o names.svg
      taisai felt rws-tai-sai-v6/C --heat -o edges.svg
      taisai felt rws-mini-dice-v3/A --bets "field=500 single:3=100" -o chips.svg
    """
    if output is not None and output.suffix.lower() not in (".svg", ".png"):
        raise InputFault("--output", f"the file's name ends in .svg or .png, got {output.name!r}")
    if not 1 <= width <= WIDTH_MAX:
        raise InputFault("--width", f"from 1 to {WIDTH_MAX} pixels, got {width}")
    chosen = shelf_of(book_dir).layout(layout)
    roll = parse_roll(lit, "--lit") if lit is not None else None
    chips = parse_bets(chosen, bets, field_name="--bets") if bets is not None else ()
    svg = draw(chosen, roll=roll, bets=chips, labels=labels, heat=heat)
    if output is None:
        sys.stdout.buffer.write(svg.encode() + b"\n")
    elif output.suffix.lower() == ".svg":
        output.write_text(svg + "\n", encoding="utf-8")
    else:
        output.write_bytes(to_png(svg, width))


def to_png(svg: str, width: int) -> bytes:
    """The picture in pixels; text is set in the machine's fonts."""
    try:
        import resvg_py  # noqa: PLC0415 - an extra, and heavy
    except ImportError:
        raise InputFault("--output", "PNG needs the extra `png`: pip install 'taisai[png]'") from None
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, width=width))
