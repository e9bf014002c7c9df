"""`taisai rng`: a source of dice tested as GLI-19 lists it, raw output and scaled dice, as a report to sign."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
from cyclopts import Parameter

from taisai.cli.maths.par import SUFFIXES
from taisai.cli.maths.rolls import read_source
from taisai.cli.show import AsJson, console, grid, print_json
from taisai.core.fair import SECRET_BYTES, blocks_of, roll_among
from taisai.core.faults import InputFault
from taisai.outside import open_file
from taisai.version import __version__

if TYPE_CHECKING:
    from taisai.analysis.dice.battery import Battery
    from taisai.analysis.dice.gathering import Indices
    from taisai.analysis.papers.paper import Paper

ROLLS: Final = 300_000
ROLLS_MOST: Final = 20_000_000
RAW_MOST: Final = 1 << 28
EXIT_FAILED: Final = 1


def rng(
    *,
    rolls: Annotated[int, Parameter(help="Rounds of the program's own virtual dice to draw and test.")] = ROLLS,
    raw: Annotated[Path | None, Parameter(help="Raw output of another source: a file of bytes.")] = None,
    dice: Annotated[str | None, Parameter(help="Rolls of another source: a file, a journal or an export.")] = None,
    table: Annotated[str | None, Parameter(help="With --dice: the table of a journal.")] = None,
    output: Annotated[
        tuple[Path, ...],
        Parameter(
            name=("--output", "-o"), help="Write to this file (.html, .pdf or .json); may be given several times."
        ),
    ] = (),
    json: AsJson = False,
) -> int:
    """Test a source of dice as GLI-19 lists it: raw output and scaled dice, with larger lags, overlaps, duplicates.

    Without --raw and --dice the program's own virtual dice are drawn, each round with a fresh secret, and both the
    hashes and the rolls that follow from them are tested. The report says in words how the tests share one level.
    Exit code 1 when a part fails.

    Examples:
      taisai rng -o rng.pdf -o rng.json
      taisai rng --rolls 1000000 --json
      taisai rng --raw device.bin --dice device-rolls.csv -o device.html
    """
    for file in output:
        if file.suffix.lower() not in SUFFIXES:
            raise InputFault("--output", f"the file's name ends in {', '.join(SUFFIXES)}; got {file.name!r}")
    try:
        from taisai.analysis.dice import source as tests  # noqa: PLC0415 - NumPy is an extra, and heavy
        from taisai.analysis.papers import paper as papers  # noqa: PLC0415 - as above
        from taisai.analysis.papers.randomness import paper_of  # noqa: PLC0415 - as above
    except ImportError:
        raise InputFault("rng", "needs the extra `analysis`: pip install 'taisai[analysis]'") from None
    bytes_of: bytes | None
    drawn: Indices | None
    if raw is None and dice is None:
        bytes_of, drawn = _own(rolls)
        about = "the program's own virtual dice (SHA-256 over a secret of 32 bytes for each round)"
    else:
        bytes_of = _read(raw) if raw is not None else None
        drawn = _rolls_of(dice, table) if dice is not None else None
        about = ", ".join(str(each) for each in (raw, dice) if each is not None)
    parts: list[tuple[str, Battery]] = []
    facts = [("source", about)]
    if bytes_of is not None:
        parts.append(("Raw output", tests.raw_tests(bytes_of)))
        facts.append(("raw output", f"{len(bytes_of):,} bytes, SHA-256 {sha256(bytes_of).hexdigest()}"))
    if drawn is not None:
        parts.append(("Scaled dice", tests.scaled_tests(drawn)))
        facts.append(("scaled dice", f"{drawn.size:,} rolls, SHA-256 {sha256(drawn.tobytes()).hexdigest()}"))
    made_at = datetime.now(UTC)
    facts += [("software", f"taisai {__version__}"), ("made at", f"{made_at:%Y-%m-%d %H:%M} UTC")]
    paper = paper_of("Test report of a random source", tuple(facts), tuple(parts))
    plain = {"facts": dict(paper.facts), "parts": {name: _plain(battery) for name, battery in parts}}
    for file in output:
        match file.suffix.lower():
            case ".json":
                file.write_bytes(msgspec.json.format(msgspec.json.encode(plain), indent=2) + b"\n")
            case ".html":
                file.write_text(papers.as_html(paper), encoding="utf-8")
            case _:
                file.write_bytes(papers.as_pdf(paper, made_at))
        print(f"written: {file}", file=sys.stderr)
    if json:
        print_json(plain)
    elif not output:
        _show(paper)
    return EXIT_FAILED if any(battery.passed is False for _, battery in parts) else 0


def _own(rolls: int) -> tuple[bytes, Indices]:
    """The program's own dice: the hashes behind the rolls, and the rolls."""
    import numpy as np  # noqa: PLC0415 - an extra

    if not 1 <= rolls <= ROLLS_MOST:
        raise InputFault("--rolls", f"1 to {ROLLS_MOST:,}, got {rolls:,}")
    hashes, found = bytearray(), np.empty(rolls, dtype=np.uint8)
    for number in range(1, rolls + 1):
        blocks = blocks_of(os.urandom(SECRET_BYTES), "rng", number)
        first = next(blocks)
        hashes += first
        found[number - 1] = roll_among(chain((first,), blocks)).index
    return bytes(hashes[:RAW_MOST]), found


def _read(file: Path) -> bytes:
    with open_file(file) as stream:
        data = stream.read(RAW_MOST + 1)
    if len(data) > RAW_MOST:
        raise InputFault("--raw", f"{file} has more than {RAW_MOST:,} bytes: test a part of it")
    return data


def _rolls_of(source: str, table: str | None) -> Indices:
    import numpy as np  # noqa: PLC0415 - an extra

    found: Indices = np.concatenate([each.rolls for each in read_source(source, table, None).thrown])
    return found


def _plain(battery: Battery) -> dict[str, object]:
    tests = [test._asdict() for test in battery.tests]
    return {"tested": battery.rounds, "bound": battery.bound, "passed": battery.passed, "tests": tests}


def _show(paper: Paper) -> None:
    out = console()
    out.print(f"[bold]{paper.title}[/]")
    for name, value in paper.facts:
        out.print(f"{name}: {value}", soft_wrap=True)
    for each in paper.sheets:
        table = grid(*((column, "right" if at else "left") for at, column in enumerate(each.columns)), title=each.title)
        for row in each.rows:
            table.add_row(*row)
        out.print(table)
        out.print(each.note, style="dim")
    for note in paper.notes:
        out.print(note, style="dim")
