"""A bet at the table, the audit and a restart, each against the least work that it must do.

A bet decided and evolved against its event encoded and hashed; the audit against its records hashed and decoded; a
restart against two seconds. All in one run, on a journal that the bot deals.
"""

from __future__ import annotations

import os
import random
import tempfile
import timeit
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from time import perf_counter_ns

import msgspec

from bench.measure import Line, best_ns
from taisai.audit.replay.apart import Apart
from taisai.audit.run import Audit
from taisai.books import Shelf, open_shelf
from taisai.house.proof import Prover
from taisai.journal import Batch, SqliteJournal
from taisai.streams.codec import records_of
from taisai.table import commands as c
from taisai.table.decide import decide
from taisai.table.events import Event
from taisai.table.evolve import evolve
from taisai.table.people import Person, Role
from taisai.table.refusals import Refusal
from taisai.table.rules import TableRules
from taisai.table.state import SNAPSHOT_FORMAT, RoundPhase, TableState, snapshot_of
from tests.audit.bot import Bot
from tests.journal.samples import sign_checkpoint
from tests.streams.keeper import TableKeeper

EVENTS = 1_000_000
BETS = 80
SECOND_NS = 1_000_000_000


def _played(rules: TableRules, bot: Bot, until: Callable[[TableState], bool]) -> TableState:
    """A table that the bot has dealt until it has the wanted number of events."""
    state = TableState("T1")
    while not until(state):
        found = decide(rules, state, bot.command(state))
        for event in () if isinstance(found, Refusal) else found:
            state = evolve(state, event)
    return state


def _bets(shelf: Shelf) -> Line:
    """Eight players place eighty bets in an open round."""
    book = shelf.book("rws-tai-sai-v6")
    rules = TableRules(book)
    start = _played(rules, Bot(book, "C", 1, trouble=0), lambda state: state.round.phase is RoundPhase.BETTING)
    chance = random.Random(7)
    boxes = list(book.layouts["C"].boxes)
    commands = []
    for number in range(BETS):
        player = chance.choice(list(start.players))
        do = c.PlaceBet(player, chance.choice(boxes), 100 * chance.randint(1, 50))
        commands.append(c.Command(id=f"c{number}", at=start.at + number, by=Person(player, Role.PLAYER), do=do))

    def ours() -> list[Event]:
        state, made = start, []
        for command in commands:
            found = decide(rules, state, command)
            if isinstance(found, Refusal):
                raise TypeError(str(found))
            for event in found:
                state = evolve(state, event)
                made.append(event)
        return made

    events = ours()
    encode = msgspec.json.Encoder().encode

    def bare() -> None:
        for event in events:
            sha256(encode(event)).digest()

    one, two = best_ns(timeit.Timer(ours), BETS), best_ns(timeit.Timer(bare), BETS)
    return Line("decide and evolve a bet", "encode (msgspec) and hash (SHA-256) its event", one, two, 8.0)


def _filled(shelf: Shelf, file: Path) -> tuple[int, TableState]:
    """A journal of so many events of one table, with its last snapshot where a keeper would have made it."""
    book = shelf.book("rws-tai-sai-v6")
    rules, bot = TableRules(book), Bot(book, "C", 5, trouble=0.02, bets_a_round=60)
    state, batch, seq = TableState("T1"), [], 0
    with SqliteJournal(file) as journal:
        while state.seq < EVENTS:
            command = bot.command(state)
            found = decide(rules, state, command)
            if isinstance(found, Refusal):
                continue
            for event in found:
                state = evolve(state, event)
            batch += records_of(command.id, found)
            if len(batch) >= 2000:
                journal.append([Batch("T1", seq, batch)])
                seq, batch = state.seq, []
                if seq // 100_000 != (seq - 2000) // 100_000 or seq + 4000 > EVENTS:
                    journal.save_snapshot("T1", seq, SNAPSHOT_FORMAT, snapshot_of(state))
        journal.append([Batch("T1", seq, batch)])
        sign_checkpoint(journal, state.at)
    return state.seq, state


def _timed(action: Callable[[], object]) -> int:
    begun = perf_counter_ns()
    action()
    return perf_counter_ns() - begun


def _audited_ns(shelf: Shelf, file: Path, state: TableState) -> int:
    """An audit as the command makes it, by as many processes as there are processors."""
    folders = {name: str(folder) for name, folder in shelf.folders.items()}
    audit = Audit(shelf.book, apart=Apart(str(file), folders, os.cpu_count() or 1))
    findings: list[object] = []
    taken = _timed(lambda: findings.extend(audit.findings_of_file(file)))
    if findings or audit.states["T1"] != state:
        raise ValueError(f"the audit of a good journal found {findings[:3]}")
    return taken


def measured() -> list[Line]:
    """A bet, the audit, a restart."""
    shelf = open_shelf(environment={})
    lines = [_bets(shelf)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "floor.db"
        count, state = _filled(shelf, file)
        with SqliteJournal(file, read_only=True) as journal:
            records = list(islice(journal.read("T1"), 200_000))
        decode = msgspec.json.Decoder(Event).decode

        def bare() -> None:
            for record in records:
                sha256(record.body).digest()
                decode(record.body)

        bare_ns = min(_timed(bare) for _ in range(3)) / len(records)
        what = f"audit a record, of {count:,} of one table, on {os.cpu_count()} processors"
        lines.append(Line(what, "hash and decode it", _audited_ns(shelf, file, state) / count, bare_ns, 3.0))
        with SqliteJournal(file) as journal:
            prover = Prover(lambda: journal, lambda: state.at, "bench")
            while prover.follow():
                pass
            prover.sign()
        lines.append(
            Line(f"{what}, with its log", "hash and decode it", _audited_ns(shelf, file, state) / count, bare_ns, None)
        )
        with SqliteJournal(file) as journal:
            restart_ns = _timed(partial(TableKeeper, journal, shelf.book, "T1"))
        lines.append(Line(f"restart after {count:,} events", "two seconds", restart_ns, 2 * SECOND_NS, 1.0))
    return lines
