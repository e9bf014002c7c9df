"""Growth with history: the millionth round of a table against its first, on SQLite, with every commit on disk.

    python -m bench.growth [ROUNDS]

The long history is made of two rounds, one lost and one won, that leave the chips where they were: their records are
repeated with new ids, times and round numbers, through the journal's own `append`, so that all of it passes an audit (a
short one is audited in every run). Then a floor deals rounds alternately on a new journal and after the long history,
while each player has one unanswered bet at a time. A ratio is the median over such pairs.

A million rounds are nine and a half million records: 3.6 GB of temporary files, and a minute and a half.
"""

from __future__ import annotations

import asyncio
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count as count_from
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec
import uvloop

from bench.measure import Line, paired
from taisai.audit.run import Audit
from taisai.floor.answers import Answer
from taisai.floor.floor import Floor
from taisai.floor.live import LiveTable
from taisai.journal import Batch, Journal, NewRecord, SqliteJournal, open_journal
from taisai.streams.codec import records_of
from taisai.table import commands as c
from taisai.table.decide import decide
from taisai.table.events import Event
from taisai.table.evolve import evolve, replay
from taisai.table.people import Person, Role
from taisai.table.refusals import Refusal
from taisai.table.rules import TableRules
from taisai.table.state import HISTORY_ROUNDS, SNAPSHOT_FORMAT, RoundPhase, TableState, snapshot_of
from tests.floor.gated import BOOK, DAN, SHELF, opening
from tests.journal.samples import sign_checkpoint
from tests.postgres import Server

ROUNDS, POSTGRES_ROUNDS = 1_000_000, 20_000
SHORT = 2_000
"""Rounds of the history that a restart is compared with: enough for a full list of known commands."""
TABLE = "T1"
PLAYERS = tuple(f"p{number}" for number in range(20))
BETS = 10
"""Bets of each player in a round."""
DEALT, REPEATS, RESTARTS = 10, 24, 11
"""Rounds dealt at a stretch, stretches on either side, and restarts."""
WITHIN = 1.2
APART_US = 1_000
"""Microseconds between two records of the made history."""
_decode = msgspec.json.Decoder(Event).decode
LOST, WON = (6, 6, 5), (1, 1, 2)
"""Dice on which `small` loses, and wins."""


class _Form(NamedTuple):
    """A record as a template: its time, and the number of its round if it has one, are filled in."""

    kind: str
    version: int
    command: int
    """Place of its command among those of the two rounds."""
    part: int
    by: str
    body: bytes
    later: int | None
    """By how much its round is later than the first of the two; None when its body names no round."""


def _decided(rules: TableRules, state: TableState, command: c.Command) -> tuple[TableState, Sequence[Event]]:
    found = decide(rules, state, command)
    if isinstance(found, Refusal):
        raise TypeError(str(found))
    for event in found:
        state = evolve(state, event)
    return state, found


def _actions(dice: c.Dice) -> Iterator[tuple[c.Action, Person]]:
    """A round with one bet."""
    yield c.OpenBets(), DAN
    yield c.PlaceBet("p0", "small", 100), Person("p0", Role.PLAYER)
    yield from _after_bets(dice)


def _after_bets(dice: c.Dice) -> Iterator[tuple[c.Action, Person]]:
    for do in (c.CloseBets(), c.Tumble(3), c.Uncover(dice), c.Announce(), c.Collect(), c.PayAll()):
        yield do, DAN


def _forms(rules: TableRules, state: TableState) -> tuple[list[_Form], TableState]:
    """The records of a lost round and a won one as templates, and the state that they lead to."""
    forms: list[_Form] = []
    command = 0
    first = state.round.number + 1
    for place, dice in enumerate((LOST, WON)):
        for do, by in _actions(dice):
            if isinstance(do, c.PayAll) and state.round.phase is RoundPhase.BETWEEN:
                continue  # nobody has won: the round ended when the losers were collected
            state, events = _decided(rules, state, c.Command(id="made", at=state.at + APART_US, by=by, do=do))
            for one in records_of("made", events):
                body = one.body.replace(f'"at":{one.at},'.encode(), b'"at":%d,')
                named = f'"round":{first + place},'.encode()
                later = place if named in body else None
                forms.append(
                    _Form(one.kind, one.version, command, one.part, one.by, body.replace(named, b'"round":%d,'), later)
                )
            command += 1
    return forms, state


def _pair(forms: Sequence[_Form], at: int, number: int, command_of: Callable[[int], str]) -> list[NewRecord]:
    """The records of two rounds, of which the first has this number."""
    found = []
    for kind, version, command, part, by, body, later in forms:
        at += APART_US
        told = body % at if later is None else body % (at, number + later)
        found.append(NewRecord(kind, version, at, command_of(command), part, by, told))
    return found


def filled(journal: Journal, rounds: int) -> int:
    """Fill an empty journal with so many rounds of one table, and its last snapshot; how many records it has then."""
    rules, state, records = TableRules(BOOK), TableState(TABLE), []
    for command in opening(PLAYERS)[:-1]:
        state, events = _decided(rules, state, command)
        records += records_of(command.id, events)
    journal.append([Batch(TABLE, 0, records)])
    forms, after = _forms(rules, state)
    pairs, size, number, at = rounds // 2, len(forms), state.round.number + 1, state.at
    for start in range(0, pairs, 500):
        records = []
        for pair in range(start, min(start + 500, pairs)):
            records += _pair(forms, at + pair * size * APART_US, number + 2 * pair, f"{pair:09x}-%02d".__mod__)
        journal.append([Batch(TABLE, state.seq + start * size, records)])
    # The last rounds are replayed on what the ones before them lead to: the same but for numbers, times and meters.
    kept = min(HISTORY_ROUNDS // 2 + 1, pairs)
    gone = pairs - kept
    was, grown = msgspec.structs.asdict(state.meters), msgspec.structs.asdict(after.meters)
    state = msgspec.structs.replace(
        state,
        seq=state.seq + gone * size,
        round=msgspec.structs.replace(state.round, number=state.round.number + 2 * gone),
        meters=type(state.meters)(**{name: was[name] + gone * (grown[name] - was[name]) for name in was}),
    )
    state = replay(state, (_decode(record.body) for record in journal.read(TABLE, state.seq)))
    journal.save_snapshot(TABLE, state.seq, SNAPSHOT_FORMAT, snapshot_of(state))
    sign_checkpoint(journal, state.at)
    return state.seq


class _Dealt(NamedTuple):
    """What some rounds cost, in seconds, and how many records a commit of bets had."""

    bet: float
    round: float
    commit: float


async def _bets(floor: Floor, table: LiveTable, ids: Iterator[str]) -> None:
    """Every player places their bets, one after the other."""
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    left = len(PLAYERS)

    def play(place: int, number: int) -> None:
        player = PLAYERS[place]

        def answered(answer: Answer) -> None:
            nonlocal left
            if answer.refusal is not None:
                done.set_exception(RuntimeError(answer.refusal.sentence))
            elif number + 1 < BETS:
                play(place, number + 1)
            else:
                left -= 1
                if not left:
                    done.set_result(None)

        box = f"single:{1 + (place + number) % 6}"
        by = Person(player, Role.PLAYER)
        command = c.Command(id=next(ids), at=floor.clock.now(), by=by, do=c.PlaceBet(player, box, 100))
        floor.submit(table, command, answered)

    for place in range(len(PLAYERS)):
        play(place, 0)
    await done


async def _do(floor: Floor, command: c.Command) -> None:
    answer = await floor.do(TABLE, command)
    if answer.refusal is not None:
        raise RuntimeError(answer.refusal.sentence)


async def _deal(floor: Floor, rounds: int, ids: Iterator[str]) -> _Dealt:
    """Whole rounds on a floor."""
    table, counts = floor.table(TABLE), floor.writer.counts
    bets_s = commits = 0.0
    begun = time.perf_counter()
    for number in range(rounds):
        await _do(floor, c.Command(id=next(ids), at=floor.clock.now(), by=DAN, do=c.OpenBets()))
        before, bets_begun = counts.commits, time.perf_counter()
        await _bets(floor, table, ids)
        bets_s += time.perf_counter() - bets_begun
        commits += counts.commits - before
        for do, by in _after_bets((LOST, WON)[number % 2]):
            if table.state.round.phase is not RoundPhase.BETWEEN:
                await _do(floor, c.Command(id=next(ids), at=floor.clock.now(), by=by, do=do))
    bets = rounds * len(PLAYERS) * BETS
    return _Dealt(bets_s / bets, (time.perf_counter() - begun) / rounds, bets / commits)


def _by_time() -> Iterator[str]:
    """Ids as the screens make them: they sort by time."""
    while True:
        yield f"{time.time_ns():x}-{random.getrandbits(64):x}"


def _by_chance(rounds: int) -> Iterator[str]:
    """Random ids, spread over those of the history."""
    while True:
        yield f"{random.randrange(rounds // 2):09x}-{random.getrandbits(64):x}"


async def _on(open_it: Callable[[], Journal], *, new: bool) -> Floor:
    floor = Floor(SHELF.book, open_it)
    await floor.start()
    if new:
        for command in opening(PLAYERS)[:-1]:
            await _do(floor, command)
    return floor


Pairs: TypeAlias = list[tuple[_Dealt, _Dealt]]
"""Rounds dealt after the history and on a new journal, one right after the other."""


async def _in_turn(new: Callable[[], Journal], old: Callable[[], Journal], ids: Iterator[str]) -> Pairs:
    found = []
    long = await _on(old, new=False)
    await _deal(long, HISTORY_ROUNDS, ids)  # so that the rounds in its history are as full as those to come
    for repeat in range(REPEATS):
        fresh = await _on(new, new=True)
        if repeat % 2:
            found.append((await _deal(long, DEALT, ids), await _deal(fresh, DEALT, ids)))
        else:
            first = await _deal(fresh, DEALT, ids)
            found.append((await _deal(long, DEALT, ids), first))
        await fresh.writer.stop()
    await long.writer.stop()
    return found


def _lines(pairs: Pairs, where: str, wholes: bool = True) -> Iterator[Line]:
    size = sum(one.commit for pair in pairs for one in pair) / len(pairs) / 2
    ours, bare = paired([(one.bet, two.bet) for one, two in pairs])
    against = f"one of the first {DEALT} rounds of a new journal"
    yield Line(f"a bet {where}, {size:.0f} a commit", against, ours * 1e9, bare * 1e9, WITHIN if wholes else None)
    if wholes:
        ours, bare = paired([(one.round, two.round) for one, two in pairs])
        what = f"a round {where}, of {len(PLAYERS) * BETS} bets"
        yield Line(what, f"one of the first {DEALT} of a new journal", ours * 1e9, bare * 1e9, WITHIN)


def _restart_lines(old: Path, short: Path, rounds: int) -> Iterator[Line]:
    """A node that restarts, in a process of its own: how long its tables take to load, and its memory afterwards."""
    found = [(_restarted(old), _restarted(short)) for _ in range(RESTARTS)]
    ours, bare = paired([(one[0], two[0]) for one, two in found])
    against = f"after {SHORT:,} rounds"
    yield Line(f"a restart after {rounds:,} rounds", against, ours * 1e9, bare * 1e9, WITHIN)
    ours, bare = paired([(one[1], two[1]) for one, two in found])
    yield Line(f"bytes of memory of a node after {rounds:,} rounds", against, ours, bare, WITHIN)


def _restarted(file: Path) -> tuple[float, float]:
    command = [sys.executable, "-m", "bench.growth", "--restart", str(file)]
    seconds, size = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return float(seconds), float(size)


async def _restart(file: Path) -> None:
    begun = time.perf_counter()
    floor = await _on(lambda: SqliteJournal(file), new=False)
    seconds = time.perf_counter() - begun
    if not floor.table(TABLE).state.seq:
        raise ValueError(f"{file} has no history")
    print(seconds, _memory())
    await floor.writer.stop()


def _memory() -> int:
    """The peak memory of this process, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # elsewhere ru_maxrss may include the parent process
        return int(status.read_text(encoding="ascii").split("VmHWM:")[1].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _audited(file: Path, rounds: int) -> None:
    """Check that the made history passes an audit."""
    audit = Audit(SHELF.book)
    findings = list(audit.findings_of_file(file))
    state = audit.states[TABLE]
    if findings or state.meters.rounds != rounds:
        raise ValueError(f"the made history is not sound: {findings[:3]}, {state.meters.rounds} rounds")


def measured(rounds: int = ROUNDS) -> list[Line]:
    """A bet, a round, a restart and a node's memory after a long history, against the beginning."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        old, short = folder / "old.db", folder / "short.db"
        for file, count in ((old, rounds), (short, SHORT)):
            with SqliteJournal(file) as journal:
                filled(journal, count)
        _audited(short, SHORT)
        lines = list(_restart_lines(old, short, rounds))
        numbers = count_from()

        def new() -> Journal:
            return SqliteJournal(folder / f"new-{next(numbers)}.db")

        where = f"after {rounds:,} rounds"
        lines += _lines(uvloop.run(_in_turn(new, lambda: SqliteJournal(old), _by_time())), where)
        by_chance = uvloop.run(_in_turn(new, lambda: SqliteJournal(old), _by_chance(rounds)))
        lines += _lines(by_chance, f"{where}, ids by chance", wholes=False)
    return [*lines, *_postgres_lines()]


def _postgres_lines(rounds: int = POSTGRES_ROUNDS) -> list[Line]:
    server = Server()
    try:
        with tempfile.TemporaryDirectory() as place:
            numbers = count_from()

            def new() -> Journal:
                folder = Path(place) / f"{next(numbers)}"
                folder.mkdir()
                return open_journal(server.journal_url(folder))

            url = server.journal_url(Path(place))
            with open_journal(url) as journal:
                filled(journal, rounds)
            pairs = uvloop.run(_in_turn(new, lambda: open_journal(url), _by_time()))
            return list(_lines(pairs, f"on PostgreSQL after {rounds:,} rounds"))
    finally:
        server.stop("end")


def main() -> None:
    """Measure, or run as the node that restarts."""
    if "--restart" in sys.argv:
        uvloop.run(_restart(Path(sys.argv[-1])))
        return
    for line in measured(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS):
        print(f"{line.what}: {line.ours_ns:,.0f}, {line.against} {line.bare_ns:,.0f}, ratio {line.ratio:.2f}")


if __name__ == "__main__":
    main()
