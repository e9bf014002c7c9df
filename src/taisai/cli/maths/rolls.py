"""Where the rolls of `taisai dice` come from: a file, a journal, or an export.

Enters: the source as it was given. Leaves: the rolls by set of dice and tumbler, the table, and the layout it has now.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from taisai.cli.history.engine import is_folder, opened_export, require_no_engine
from taisai.core.faults import InputFault, shown
from taisai.outside import open_file

if TYPE_CHECKING:
    from taisai.analysis.dice.gathering import Thrown

_SQLITE_MARK: Final = b"SQLite format 3\0"


class Source(NamedTuple):
    """What was read."""

    table: str | None
    """None for a file of rolls."""
    thrown: tuple[Thrown, ...]
    layout: str | None
    """As BOOK/LAYOUT; None for a file, and for a table before its set-up."""


def read_source(source: str, table: str | None, engine: str | None) -> Source:
    """The rolls of a file, of a table of a journal, or of a table of an export."""
    from taisai.analysis.dice.files import read_rolls  # noqa: PLC0415 - NumPy is an extra

    if is_folder(source):
        return _from_export(source, table, engine)
    require_no_engine(engine, source)
    if _is_journal(source):
        return _from_journal(source, table)
    if table is not None:
        raise InputFault("--table", f"is for journals, and {source} is a file of rolls")
    return Source(None, read_rolls(Path(source)), None)


def _is_journal(source: str) -> bool:
    if "://" in source:
        return True
    with open_file(source) as file:
        return file.read(len(_SQLITE_MARK)) == _SQLITE_MARK


def _from_journal(source: str, table: str | None) -> Source:
    from taisai.analysis.dice.gathering import Gathering  # noqa: PLC0415 - NumPy is an extra
    from taisai.analysis.dice.throws import Throws  # noqa: PLC0415 - not for files of rolls
    from taisai.journal import open_journal  # noqa: PLC0415 - as above
    from taisai.streams.codec import event_of  # noqa: PLC0415 - as above
    from taisai.streams.house_events import game_tables  # noqa: PLC0415 - as above

    gathering, throws = Gathering(), Throws()
    with open_journal(source, read_only=True) as opened:
        table = chosen_table(table, game_tables(opened))
        for record in opened.read(table):
            throw = throws.see(event_of(record).what)
            if throw is not None:
                gathering.put_in(throw.dice_set)
                if not throw.follows:
                    gathering.gap()
                gathering.add(throw.roll, ordered=throw.ordered)
    return Source(table, _some(gathering.sets(), table), throws.layout)


def _from_export(source: str, table: str | None, engine: str | None) -> Source:
    with opened_export(source, engine, "gathering") as (export, asked):
        from taisai.history.fairness import layout_of, thrown  # noqa: PLC0415 - an extra, and heavy

        table = chosen_table(table, export.game_tables)
        return Source(table, _some(thrown(export, asked, table), table), layout_of(export, table))


def chosen_table(table: str | None, tables: list[str]) -> str:
    """The table that was asked for, or the only one."""
    if table is None and len(tables) == 1:
        return tables[0]
    if table is None:
        raise InputFault("--table", f"which one: {', '.join(tables) or 'the journal is empty'}")
    if table not in tables:
        raise InputFault("--table", f"no table {shown(table)}; there are {', '.join(tables) or 'none'}")
    return table


def _some(thrown: tuple[Thrown, ...], table: str) -> tuple[Thrown, ...]:
    if not thrown:
        raise InputFault("--table", f"table {shown(table)} has no concluded round")
    return thrown
