"""Preparing tables: each table of the settings is set up, and an automatic one is opened and dealt.

Enters: the tables that the settings name, when the house starts and whenever this node comes to hold one. Leaves: the
tables as the settings say, by commands like everybody's. What was done before a restart is not done again.
"""

from __future__ import annotations

import logging
from pathlib import Path

from taisai.books import Shelf
from taisai.floor.dealer import DEALER, AutomaticDealer, back_to_people, house_opening_moves, opening_moves
from taisai.floor.dice import DiceSource, VirtualTumbler, dice_key, mischief_every
from taisai.floor.driver import Driver
from taisai.floor.floor import Floor
from taisai.floor.live import LiveTable
from taisai.journal.opening import file_of
from taisai.settings.editions import Edition, edition_due
from taisai.settings.forms import Settings, TableSettings
from taisai.table.commands import HOUSE_IDS, AssignDealing, Command, DealtBy, Purpose, SetUp
from taisai.table.events import EditionTaken, Event
from taisai.table.refusals import Code
from taisai.table.state import RoundPhase, TablePhase, TableState

LOGGER = logging.getLogger("taisai.web")


class Preparation:
    """Prepares the tables of the settings."""

    def __init__(self, floor: Floor, settings: Settings, shelf: Shelf) -> None:
        self._floor, self._settings, self._shelf = floor, settings, shelf
        self._key: bytes | None = None
        """The key of the house's dice, where it outlives the process."""
        self._purpose = Purpose(settings.house.purpose)
        self._dice: dict[str, DiceSource] = {}
        self._waiting = {table.name: table for table in settings.tables if table.editions}
        """Tables whose settings name later editions."""

    async def prepare_all(self) -> None:
        """Prepare every table, and from now on whatever this node takes over from another one."""
        path = dice_key_path(self._settings)
        if path is not None and any(table.mode == "automatic" for table in self._settings.tables):
            self._key = dice_key(path)
        for table in self._settings.tables:
            await self._prepare(table)
        nodes = self._floor.nodes
        if nodes is not None:
            nodes.on_taken = self._taken_over
            for name in nodes.mine:  # what was taken over while the tables were prepared
                self._taken_over(name)

    async def _prepare(self, table: TableSettings) -> None:
        live = self._floor.table(table.name)
        is_due = live.owned and (live.state.phase is TablePhase.NEW or table.mode == "automatic")
        if is_due and not await self._set_up(table):
            return
        if live.owned:
            await self._give_back(table)
        self._tell_apart(table)
        if table.mode == "automatic":
            self._floor.automate(table.name, Driver(self._dealer(table)))

    def _dealer(self, table: TableSettings) -> AutomaticDealer:
        """A dealer by the book that the table stands under, which is not always the one that the settings name."""
        set_up = self._floor.table(table.name).state.set_up
        due = edition_due(self._settings, table, self._floor.clock.now())
        return AutomaticDealer(
            self._shelf.book(due.book if set_up is None else set_up.book),
            self._dice.setdefault(table.name, _dice_of(table, self._key)),
            table.timing,
            unattended=table.unattended,
            idle_when_empty=table.idle_when_empty,
            minimum_betting_ms=self._settings.house.minimum_betting_ms,
            purpose=self._purpose,
        )

    def _tell_apart(self, table: TableSettings) -> None:
        """Say that a table in use stands under another book than its settings name, and what to do about it."""
        set_up = self._floor.table(table.name).state.set_up
        due = edition_due(self._settings, table, self._floor.clock.now())
        if set_up is None or (set_up.book, set_up.layout) == due:
            return
        if self._shelf.book(due.book).replaces == set_up.book:
            return  # it changes over between two rounds
        LOGGER.error(
            "the table stands under %s/%s and the settings say %s/%s: it plays on by its own book until it is closed "
            "and set up anew",
            set_up.book,
            set_up.layout,
            *due,
            extra={"table": table.name},
        )

    # ------------------------------------------------------------------ editions

    async def change_over(self) -> None:
        """Have every table that waits between two rounds take up the edition that is due."""
        for table in list(self._waiting.values()):
            await self._change_over(table)

    def changed(self, live: LiveTable, events: tuple[Event, ...]) -> None:
        """A round has ended: a table whose next edition is due takes it up before the next one."""
        table = self._waiting.get(live.name)
        if table is None:
            return
        if any(isinstance(event.what, EditionTaken) for event in events) and live.name in self._floor.drivers:
            driver = self._floor.drivers[live.name]
            driver.dealer = self._dealer(table)
            driver.wake()
        if live.owned and live.state.round.phase is RoundPhase.BETWEEN and self._due(table, live.state) is not None:
            self._floor.background(self._change_over(table))

    def _due(self, table: TableSettings, state: TableState) -> Edition | None:
        """The edition that a table should take up now; None when it plays by the right one, or by another book."""
        due, set_up = edition_due(self._settings, table, self._floor.clock.now()), state.set_up
        if set_up is None or set_up.book == due.book:
            return None
        return due if self._shelf.book(due.book).replaces == set_up.book else None

    async def _change_over(self, table: TableSettings) -> None:
        live = self._floor.table(table.name)
        state = live.state
        due, now = self._due(table, state), state.set_up
        if due is None or now is None or not live.owned or state.round.phase is not RoundPhase.BETWEEN:
            return
        book = self._shelf.book(due.book)
        do = SetUp(
            book=book.id,
            layout=due.layout,
            digest=book.digest,
            limits=now.limits,
            currency=now.currency,
            denominations=now.denominations,
            colours=now.colours,
        )
        at = max(self._floor.clock.now(), state.at)
        command = Command(id=f"{HOUSE_IDS}edition-{state.seq:012d}", at=at, by=DEALER, do=do)
        answer = await self._floor.do(table.name, command)
        if answer.refusal is None:
            LOGGER.info("edition %s/%s taken up", book.id, due.layout, extra={"table": table.name})
        elif answer.refusal.code is not Code.ROUND_IN_PLAY:
            LOGGER.error("%s", answer.refusal.sentence, extra={"table": table.name})

    async def _set_up(self, table: TableSettings) -> bool:
        """Set a table up, and open it if it is automatic or of the demo; false when a step was refused."""
        for command in self._opening(table):
            answer = await self._floor.do(table.name, command)
            if answer.refusal is not None:
                LOGGER.error("%s", answer.refusal.sentence, extra={"table": table.name})
                return False
        return True

    def _opening(self, table: TableSettings) -> list[Command]:
        """What is left to do until the table stands as the settings say."""
        state, now = self._floor.table(table.name).state, self._floor.clock.now()
        due = edition_due(self._settings, table, now)
        book = self._shelf.book(due.book)
        set_up = table.set_up(book, due.layout)
        if table.mode == "automatic":
            dealing = AssignDealing(DealtBy.HOUSE, self._settings.house.minimum_betting_ms, self._purpose)
            tested = _dice_of(table, self._key).test()
            return house_opening_moves(state, book, set_up, table.float_count, now, dealing=dealing, tested=tested)
        is_demo = self._settings.demo.enabled
        return opening_moves(state, book, set_up, table.float_count, now, opening=is_demo)

    async def _give_back(self, table: TableSettings) -> None:
        """Let people deal a table that was automatic before, and say what it is for."""
        live, now = self._floor.table(table.name), self._floor.clock.now()
        command = None if table.mode == "automatic" else back_to_people(live.state, now, self._purpose)
        if command is not None:
            await self._floor.do(table.name, command)

    def _taken_over(self, name: str) -> None:
        """Finish the set-up of a table if the node that held it died before it had."""
        state = self._floor.table(name).state
        table = next((each for each in self._settings.tables if each.name == name), None)
        if table is None:
            return
        is_half_open = table.mode == "automatic" and not state.round.number and state.phase is not TablePhase.OPEN
        if state.phase is TablePhase.NEW or is_half_open:
            self._floor.background(self._set_up(table))
        else:
            self._floor.background(self._give_back(table))


def dice_key_path(settings: Settings) -> Path | None:
    """Where the key of the dice is: as the settings say, or beside the journal's file; None for memory alone."""
    if settings.house.dice_key:
        return Path(settings.house.dice_key)
    file = file_of(settings.journal.url)
    return None if file is None else file.with_name(file.name + ".dice-key")


def _dice_of(table: TableSettings, key: bytes | None) -> DiceSource:
    """Virtual dice; at a table for training they misbehave now and then."""
    if table.mischief_every:
        return VirtualTumbler(mischief=mischief_every(table.mischief_every), key=key)
    return VirtualTumbler(key=key)
