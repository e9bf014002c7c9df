"""Preparing tables: set up once, opened and dealt when automatic, and finished by the next node if one died."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from taisai.books import Shelf, open_shelf
from taisai.floor.floor import Floor
from taisai.journal import MemoryJournal
from taisai.journal.postgres.journal import PostgresJournal
from taisai.settings.editions import not_admitted
from taisai.settings.forms import EditionSettings, Settings, TableSettings
from taisai.table import commands as c
from taisai.table.people import Person, Role
from taisai.table.state import TablePhase
from taisai.web.context import Context
from taisai.web.preparation import Preparation, _dice_of
from tests.books.editions import FIRST, SECOND, two_editions
from tests.postgres import journal_url
from tests.torture.floor_process import settings_for as automatic_tables
from tests.web.serving import on_a_loop, settings_for, shelf


class Kept(MemoryJournal):
    """A journal that a second start finds again."""

    def close(self) -> None:
        """Stay open."""


def tables(mode: str) -> tuple[TableSettings, ...]:
    """The first table of the demo of this mode."""
    return tuple(table for table in settings_for(demo=True).tables if table.mode == mode)[:1]


def settings_with(*, demo: bool, mode: str = "dealer", **changes: object) -> Settings:
    """Settings with one table."""
    base = settings_for(demo=True)
    (table,) = tables(mode)
    return replace(base, demo=replace(base.demo, enabled=demo), tables=(replace(table, **changes),))


@asynccontextmanager
async def prepared(settings: Settings, journal: MemoryJournal) -> AsyncIterator[Floor]:
    """A floor whose tables are prepared."""
    floor = Floor(shelf().book, lambda: journal)
    await floor.start()
    try:
        await Preparation(floor, settings, shelf()).prepare_all()
        yield floor
    finally:
        await floor.stop()


@pytest.mark.parametrize(
    ("mode", "demo", "phase"),
    [
        ("dealer", False, TablePhase.CLOSED),
        ("dealer", True, TablePhase.OPEN),
        ("automatic", False, TablePhase.OPEN),
    ],
)
@on_a_loop
async def test_a_table_is_prepared_once(mode: str, demo: bool, phase: TablePhase) -> None:
    """A dealer's table is set up and left closed, except in the demo; an automatic one is opened and dealt."""
    settings, journal = settings_with(demo=demo, mode=mode), Kept()
    (name,) = [table.name for table in settings.tables]
    for _ in range(2):
        async with prepared(settings, journal) as floor:
            assert (floor.tables[name].state.phase, floor.mode(name)) == (phase, mode)
        assert [record.kind for record in journal.read(name)].count("table-set-up") == 1


@on_a_loop
async def test_a_set_up_that_is_refused_is_logged_and_not_dealt(caplog: pytest.LogCaptureFixture) -> None:
    """The table stays as it is, and the log names it with the reason."""
    settings = settings_with(demo=False, mode="automatic", denominations=(7,))
    (name,) = [table.name for table in settings.tables]
    async with prepared(settings, Kept()) as floor:
        assert (floor.tables[name].state.phase, floor.mode(name)) == (TablePhase.NEW, "dealer")
    assert [getattr(record, "table", "") for record in caplog.records] == [name]


@on_a_loop
async def test_a_table_taken_over_before_it_was_set_up_is_set_up() -> None:
    """Whoever comes to hold a table that another node left unfinished finishes it; one that stands is left alone."""
    settings = settings_with(demo=False)
    (name,) = [table.name for table in settings.tables]
    floor = Floor(shelf().book, Kept)
    await floor.start()
    preparation = Preparation(floor, settings, shelf())
    for _ in range(2):
        preparation._taken_over(name)
        while floor.table(name).state.phase is TablePhase.NEW:
            await asyncio.sleep(0)
        assert floor.table(name).state.seq == 1
    floor.table("elsewhere")
    preparation._taken_over("elsewhere")
    assert floor.table("elsewhere").state.seq == 0
    await floor.stop()


@on_a_loop
async def test_a_table_that_the_crew_closed_stays_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that was set up and then closed is not opened again by the node that takes it over."""
    settings = settings_with(demo=True)
    (table,) = settings.tables
    floor = Floor(shelf().book, Kept)
    await floor.start()
    preparation = Preparation(floor, settings, shelf())
    await preparation.prepare_all()
    close = c.CloseTable(table.float_count)
    by = Person("sue", Role.SUPERVISOR)
    answer = await floor.do(table.name, c.Command(id="c1", at=floor.clock.now(), by=by, do=close))
    assert answer.refusal is None
    monkeypatch.setattr(preparation, "_set_up", None)
    preparation._taken_over(table.name)
    assert floor.table(table.name).state.phase is TablePhase.CLOSED
    await floor.stop()


def harbour(folder: Path) -> tuple[Shelf, TableSettings]:
    """Two editions of a book, and an automatic table under the first; nobody need be there to be dealt to."""
    editions = open_shelf([two_editions(folder)], environment={})
    (table,) = tables("automatic")
    limits = replace(table.limits, differential={}, kinds={})
    return editions, replace(table, book=FIRST, layout="club", limits=limits, idle_when_empty=False)


@asynccontextmanager
async def dealt(books: Shelf, table: TableSettings, journal: MemoryJournal) -> AsyncIterator[Floor]:
    """A floor with one table that is prepared, and that changes over when an edition is due."""
    base = settings_for(demo=True)
    settings = replace(base, demo=replace(base.demo, enabled=False), tables=(table,))
    floor = Floor(books.book, lambda: journal, admits=partial(not_admitted, settings))
    await floor.start()
    preparation = Preparation(floor, settings, books)
    floor.listen(preparation.changed)
    try:
        await preparation.prepare_all()
        await preparation.change_over()
        yield floor
    finally:
        await floor.stop()


@on_a_loop
async def test_a_table_changes_over_to_the_edition_that_is_due(tmp_path: Path) -> None:
    """At the date of its settings an automatic table takes up the next edition between rounds and deals by it."""
    books, table = harbour(tmp_path)
    journal = Kept()
    async with dealt(books, table, journal) as floor:
        assert (set_up := floor.table(table.name).state.set_up) is not None
        assert set_up.book == FIRST
    later = replace(table, editions=(EditionSettings(at="2025-07-01 06:00", book=SECOND),))
    async with dealt(books, later, journal) as floor:
        assert (set_up := floor.table(table.name).state.set_up) is not None
        assert (set_up.book, set_up.digest) == (SECOND, books.book(SECOND).digest)
        assert floor.drivers[table.name].dealer._rules.book.id == SECOND
    kinds = [record.kind for record in journal.read(table.name)]
    assert (kinds.count("table-set-up"), kinds.count("edition-taken")) == (1, 1)


@on_a_loop
async def test_a_book_that_the_settings_changed_is_told_and_the_table_plays_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A table in use keeps its book, its dealer deals by that book, and the log says what to do."""
    books, table = harbour(tmp_path)
    journal = Kept()
    async with dealt(books, table, journal):
        pass
    other = replace(table, book="nz-division-9", layout="1")
    async with dealt(books, other, journal) as floor:
        assert floor.drivers[table.name].dealer._rules.book.id == FIRST
    (told,) = [record.getMessage() for record in caplog.records if "settings say" in record.getMessage()]
    assert told.startswith(f"the table stands under {FIRST}/club and the settings say nz-division-9/1")


@on_a_loop
async def test_a_book_that_is_not_in_force_is_refused_at_the_table(tmp_path: Path) -> None:
    """Whoever sends the set-up, a book of a later year is refused today."""
    books = open_shelf([two_editions(tmp_path, effective="2999-01-01")], environment={})
    _, table = harbour(tmp_path / "now")
    async with dealt(books, table, Kept()) as floor:
        book = books.book(SECOND)
        by = Person("sue", Role.SUPERVISOR)
        do = table.set_up(book, "club")
        answer = await floor.do("new", c.Command(id="c1", at=floor.clock.now(), by=by, do=do))
        assert answer.refusal is not None
        assert answer.refusal.sentence == f"{SECOND} is in force from 2999-01-01."


def test_dice_for_training_misbehave() -> None:
    """A table whose settings ask for it gets dice that now and then do not lie flat."""
    (table,) = tables("automatic")
    for every, expected in ((0, 0), (3, 4)):
        dice = _dice_of(replace(table, mischief_every=every), None)
        found = [dice.mischief(number) for number in range(1, 13)]
        assert len([each for each in found if each is not None]) == expected


@pytest.mark.postgres
@on_a_loop
async def test_a_table_whose_node_died_before_it_was_set_up_is_set_up_by_the_next(tmp_path: Path) -> None:
    """On PostgreSQL: the node that takes over a table which never had a round sets it up and deals it."""
    url = journal_url(tmp_path)
    context = Context(automatic_tables(url, 1, 1), shelf())
    with PostgresJournal(url) as other:
        other.leases.take(["T1"], "http://died#1", 60)
        await context.start()
        assert context.floor.tables["T1"].state.phase is TablePhase.NEW
        other.leases.release("T1", "http://died#1")
        while not context.floor.tables["T1"].state.round.number:
            await asyncio.sleep(0.01)
    await context.stop()
