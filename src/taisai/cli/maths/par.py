"""`taisai par`: the PAR sheet of a layout, of a set of bets, or of a table's traffic."""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
from cyclopts import Parameter

from taisai.cli.show import AsJson, BookDirs, console, grid, print_json, shelf_of
from taisai.core.bets import parse_bets
from taisai.core.faults import InputFault
from taisai.core.odds import bets_odds
from taisai.protocol.books import exact
from taisai.version import __version__

if TYPE_CHECKING:
    from taisai.analysis.papers.par import ParLine, ParSheet
    from taisai.core.rulebook import Layout, RuleBook

SUFFIXES = (".html", ".pdf", ".json")


def par(
    layout: Annotated[str, Parameter(help="Layout, as BOOK/LAYOUT.")],
    /,
    *,
    bets: Annotated[str | None, Parameter(help="A set of bets instead of every box, as box=amount.")] = None,
    traffic: Annotated[Path | None, Parameter(help="A table's traffic instead (docs/mathematics.md).")] = None,
    journal: Annotated[
        str | None, Parameter(help="A table's real traffic instead: a journal, file or address.")
    ] = None,
    table: Annotated[str | None, Parameter(help="With --journal: the table.")] = None,
    output: Annotated[
        tuple[Path, ...],
        Parameter(
            name=("--output", "-o"), help="Write to this file (.html, .pdf or .json); may be given several times."
        ),
    ] = (),
    key: Annotated[Path | None, Parameter(help="Sign the sheet with this private key (PEM, Ed25519).")] = None,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> None:
    """The PAR sheet that a laboratory asks for first: pay table, ways, return, edge, volatility, N0, hold intervals.

    Exact over all 216 rolls; the interval of the hold comes from the whole distribution of so many rounds. The sheet
    names the digest of the rule book, the version of the program and its own digest; --key signs that digest.

    Examples:
      taisai par rws-tai-sai-v6/C
      taisai par rws-tai-sai-v6/C -o par.pdf -o par.json
      taisai par rws-mini-dice-v3/A --bets "field=1000 single:6=200" -o par.html
      taisai par rws-tai-sai-v6/C --traffic evening.toml --json
      taisai par rws-tai-sai-v6/C --journal floor.db --table T1 -o par.pdf
    """
    if sum(each is not None for each in (bets, traffic, journal)) > 1:
        raise InputFault("--traffic", "choose one of --bets, --traffic and --journal")
    if table is not None and journal is None:
        raise InputFault("--table", "goes with --journal")
    for file in output:
        if file.suffix.lower() not in SUFFIXES:
            raise InputFault("--output", f"the file's name ends in {', '.join(SUFFIXES)}; got {file.name!r}")
    shelf = shelf_of(book_dir)
    chosen = shelf.layout(layout)
    try:
        from taisai.analysis.papers import paper as papers  # noqa: PLC0415 - NumPy is an extra, and heavy
        from taisai.analysis.papers.par import paper_of  # noqa: PLC0415 - as above
    except ImportError:
        raise InputFault("par", "needs the extra `analysis`: pip install 'taisai[analysis]'") from None
    book = shelf.book(chosen.book_id)
    facts: tuple[tuple[str, str], ...] = ()
    if journal is not None:
        sheet, facts = _seen(book, chosen, journal, table)
    else:
        sheet = _sheet(book, chosen, bets, traffic)
    plain = {**_plain(sheet), **({"played": dict(facts)} if facts else {})}
    signed = _signed(plain, key)
    if json:
        print_json({**plain, **signed})
    made_at = datetime.now(UTC)
    paper = paper_of(
        sheet,
        [
            *facts,
            *((name.replace("_", " "), value) for name, value in signed.items()),
            ("made at", f"{made_at:%Y-%m-%d %H:%M} UTC"),
        ],
    )
    for file in output:
        match file.suffix.lower():
            case ".json":
                file.write_bytes(msgspec.json.format(msgspec.json.encode({**plain, **signed}), indent=2) + b"\n")
            case ".html":
                file.write_text(papers.as_html(paper), encoding="utf-8")
            case _:
                file.write_bytes(papers.as_pdf(paper, made_at))
        print(f"written: {file}", file=sys.stderr)
    if not json and not output:
        _show(sheet, facts)


def _sheet(book: RuleBook, layout: Layout, bets: str | None, traffic: Path | None) -> ParSheet:
    from taisai.analysis.papers import par as sheets  # noqa: PLC0415 - NumPy is an extra, and heavy

    software = f"taisai {__version__}"
    if traffic is not None:
        from taisai.analysis.risk.chain import chain_of, round_nets  # noqa: PLC0415 - as above
        from taisai.analysis.risk.traffic import read_traffic, rules_of  # noqa: PLC0415 - as above
        from taisai.core.dice import ALL_ROLLS  # noqa: PLC0415 - with the others

        people = read_traffic(layout, traffic)
        rules = rules_of(book, people.limits, people.excess)
        nets = round_nets(layout, rules, people)
        net, roll = min(zip(nets, ALL_ROLLS, strict=True), key=lambda pair: pair[0])
        lines = [sheets.traffic_line(f"{people.players} players", chain_of(layout, rules, people))]
        subject, worst = f"the traffic of {traffic.name}", f"{roll}: {net:+,d}"
    elif bets is not None:
        together = bets_odds(layout, parse_bets(layout, bets, field_name="--bets"))
        lines = [sheets.bets_line(together)]
        cost = together.house_worst
        subject, worst = "a set of bets, played together every round", f"{cost.roll}: {-cost.net:+,d}"
    else:
        lines = list(sheets.box_lines(layout))
        dearest = max(max(table.values()) for table in layout.pay_table)
        subject, worst = "every box", f"one box pays at most {dearest} to 1"
    return sheets.sheet_of(book, layout, lines, subject=subject, worst=worst, software=software)


def _seen(
    book: RuleBook, layout: Layout, source: str, table: str | None
) -> tuple[ParSheet, tuple[tuple[str, str], ...]]:
    """The sheet of what really was at risk at a table."""
    from taisai.analysis.papers import par as sheets  # noqa: PLC0415 - NumPy is an extra, and heavy
    from taisai.analysis.papers.seen import Played, Seen, seen_facts, seen_line  # noqa: PLC0415 - as above
    from taisai.cli.maths.rolls import chosen_table  # noqa: PLC0415 - not for books alone
    from taisai.journal import open_journal  # noqa: PLC0415 - as above
    from taisai.streams.codec import event_of  # noqa: PLC0415 - as above
    from taisai.streams.house_events import game_tables  # noqa: PLC0415 - as above

    seen = Seen()
    with open_journal(source, read_only=True) as opened:
        table = chosen_table(table, game_tables(opened))
        for record in opened.read(table):
            seen.see(event_of(record).what)
    played = seen.by_layout.get(layout.name, Played())
    line = seen_line(f"table {table}", played)
    dearest = max(max(each.values()) for each in layout.pay_table)
    sheet = sheets.sheet_of(
        book,
        layout,
        [line],
        subject=f"what was at risk at table {table}",
        worst=f"one box pays at most {dearest} to 1",
        software=f"taisai {__version__}",
    )
    return sheet, seen_facts(played)


def _plain(sheet: ParSheet) -> dict[str, object]:
    return {**asdict(sheet), "lines": [_plain_line(line) for line in sheet.lines]}


def _plain_line(line: ParLine) -> dict[str, object]:
    exacts = {name: exact(getattr(line, name)) for name in ("hit", "returned", "edge", "variance")}
    figures = {"deviation": line.deviation, "volatility": line.volatility, "n0": line.n0 if line.edge else None}
    return {**asdict(line), **exacts, **figures}


def _signed(plain: dict[str, object], key: Path | None) -> dict[str, str]:
    """The digest of the sheet (over its JSON, keys sorted, without spaces), and its signature."""
    digest = sha256(msgspec.json.encode(plain, order="sorted")).hexdigest()
    if key is None:
        return {"sheet_digest": digest}
    from taisai.journal.contract import SigningError  # noqa: PLC0415 - only when signed
    from taisai.journal.signing import sign_text  # noqa: PLC0415 - as above

    try:
        signature, public = sign_text(key, f"taisai par {digest}")
    except SigningError as error:
        raise InputFault("--key", str(error)) from None
    return {"sheet_digest": digest, "signature": signature, "public_key": public}


def _show(sheet: ParSheet, facts: tuple[tuple[str, str], ...]) -> None:
    from taisai.analysis.papers.par import paper_of  # noqa: PLC0415 - as above

    out = console()
    paper = paper_of(sheet, facts)
    out.print(f"[bold]{paper.title}[/]")
    for name, value in paper.facts:
        out.print(f"{name}: {value}", soft_wrap=True)
    for each in paper.sheets:
        table = grid(*((column, "right" if at else "left") for at, column in enumerate(each.columns)), title=each.title)
        for row in each.rows:
            table.add_row(*row)
        out.print(table)
        out.print(each.note, style="dim")
