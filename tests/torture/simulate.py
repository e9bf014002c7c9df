"""The deterministic fault simulator: floor, journal and players in one process, on one simulated clock.

    python -m tests.torture.simulate --seed N [--seeds COUNT] [--steps M] [--nodes K] [--faults KIND ...] [--bug NAME]

Enters: a seed. Leaves: nothing when everything held, or the sentence that did not, the seed, and the last steps. The
same seed gives the same history, byte for byte. See docs/torture.md.
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
import time as real_time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import cache, partial
from hashlib import sha256
from random import Random
from typing import Final, NamedTuple
from unittest.mock import patch

from taisai.audit.run import Audit
from taisai.books import Shelf, open_shelf
from taisai.core.boxes import BoxName
from taisai.core.limits import Limits
from taisai.core.money import Odds
from taisai.core.rulebook import Layout, RuleBook
from taisai.core.settlement import is_established
from taisai.floor.dealer import opening_moves
from taisai.house.proof import Prover
from taisai.journal import MemoryJournal, Record
from taisai.streams.codec import event_of
from taisai.table import commands as c
from taisai.table.evolve import evolve
from taisai.table.people import Person, Role
from taisai.table.rules import TableRules, set_up_of
from taisai.table.state import SetUpState, TableState
from tests.streams.keeper import TableKeeper
from tests.torture.bugs import BUGS
from tests.torture.checks import BROKEN, EVENTS, STATES, Broken, Checker, Felt
from tests.torture.disk import Disk, SimulatedJournal
from tests.torture.faults import KINDS, KINDS_OF_SEVERAL, Faults
from tests.torture.loop import EPOCH, SECOND, NodeLoop, Time
from tests.torture.node import SimulatedNode
from tests.torture.players import Player

LAYOUTS: Final = ("rws-mini-dice-v3/A",) * 7 + ("rws-tai-sai-v6/C", "nz-division-9/1", "rws-open-cover-v3/A")
NODES: Final = (1, 1, 1, 1, 1, 2, 2, 2, 3, 3)
TABLES: Final = (1, 2, 3, 5)
PLAYERS: Final = 3
BUY_IN: Final = 100_000
SNAPSHOT_EVERY: Final = 100
SURVEY_US: Final = 250_000
SIGN_EVERY: Final = 8
"""Surveys between two signed heads of the log: two seconds, as in a house."""
TROUBLE_S: Final = 20
"""Simulated seconds with faults."""
BACK_S: Final = 60
"""Simulated seconds in which every table must be back when the faults have ended; clocks may be seconds apart."""
HEARD_S: Final = 3
"""Simulated seconds in which every node must have heard of a record."""
LAST_STEPS: Final = 40


@cache
def shelf() -> Shelf:
    """The package's own books."""
    return open_shelf(environment={})


def make_ready() -> None:
    """Read the books now: processes that are started later have them, and the collector does not look at them."""
    for name in dict.fromkeys(LAYOUTS):
        shelf().book(name.partition("/")[0])
    gc.collect()
    gc.freeze()


class Opened(NamedTuple):
    """Tables that are open with players seated: where every simulation begins."""

    records: list[Record]
    states: dict[str, list[TableState]]
    felts: dict[str, Felt]


@cache
def opened(layout_name: str, tables: int) -> Opened:
    """Made once, since it is the same each time."""
    book_id, _, layout_id = layout_name.partition("/")
    book = shelf().book(book_id)
    limits = c.TableLimits(10, c.BoxLimit(10, 5_000))
    set_up = c.SetUp(book_id, layout_id, book.digest, limits, "SGD", (10, 100, 500))
    journal = MemoryJournal()
    dealer = Person("dan", Role.DEALER)
    for number in range(1, tables + 1):
        name = f"T{number}"
        keeper = TableKeeper(journal, shelf().book, name)
        commands = opening_moves(keeper.state, book, set_up, {500: 100_000}, EPOCH)
        for seat in range(1, PLAYERS + 1):
            player = f"{name}-p{seat}"
            seating: tuple[c.Action, ...] = (c.SitDown(player), c.BuyIn(player, BUY_IN))
            for place, do in enumerate(seating):
                commands.append(c.Command(id=f"{c.HOUSE_IDS}seat-{seat}-{place}", at=EPOCH, by=dealer, do=do))
        for command in commands:
            answer = keeper.do(command)
            assert answer.refusal is None, str(answer.refusal)
    states: dict[str, list[TableState]] = {}
    felts: dict[str, Felt] = {}
    records = list(journal.read_all())
    for record in records:
        event = event_of(record)
        before = states.setdefault(record.table, [TableState(record.table)])
        before.append(evolve(before[-1], event))
        felts.setdefault(record.table, Felt()).see(event.what)
    return Opened(records, states, felts)


class World:
    """One simulation."""

    def __init__(self, seed: int, *, nodes: int | None = None, faults: Sequence[str] = ()) -> None:
        BROKEN.clear()
        self.seed = seed
        self.chance = chance = Random(seed)
        layout_name = chance.choice(LAYOUTS)
        count = chance.choice(NODES)
        count = nodes or count
        tables = chance.choice(TABLES)
        self.mischief = chance.random() < 0.3
        self.hurry = chance.choice((1, 1, 4))
        """How many times as fast players bet."""
        self.several = count > 1
        self.notes: list[tuple[object, ...]] = []
        self.sent = 0
        self.book: RuleBook = shelf().book(layout_name.partition("/")[0])
        self.boxes = list(self.book.layouts[layout_name.partition("/")[2]].boxes)
        self.tables = [f"T{number + 1}" for number in range(tables)]
        self.time = Time(chance)
        self.checker = Checker(self)
        self.disk = Disk(self.time, self._committed)
        self.disk.usual = self.disk.slow = chance.choice((1, 4, 20, 60))
        begin = opened(layout_name, tables)
        self.disk.begin(begin.records)
        self.checker.begin(begin.records, begin.states, begin.felts)
        self._rounds_before = self.checker.rounds
        server = SimulatedJournal(self.disk, NodeLoop(self.time), "the log", lambda: False)
        self._prover = Prover(lambda: server, lambda: self.time.now)
        self._surveys = 0
        self._sign()
        self.nodes = [SimulatedNode(self, number) for number in range(count)]
        self.players = [Player(self, table, f"{table}-p{seat + 1}") for table in self.tables for seat in range(PLAYERS)]
        self.faults = Faults(self, faults)
        self.time.after(SURVEY_US, self._survey)

    @property
    def rounds(self) -> int:
        """Rounds that have ended since the beginning, at all tables."""
        return self.checker.rounds - self._rounds_before

    def book_of(self, name: str) -> RuleBook:
        """A rule book by its id."""
        return shelf().book(name)

    def note(self, words: str, *values: object) -> None:
        """Something to be shown when an invariant breaks."""
        self.notes.append((self.time.now, words, *values))

    def _committed(self, journal: SimulatedJournal, records: list[Record]) -> None:
        self.note("%s wrote %s", journal.holder, records)
        self.checker.committed(journal, records)

    def _sign(self) -> None:
        """Sign the log of what is on disk; a disk that lost or changed what was signed raises `LogBehind`."""
        if self.disk.up:
            while self._prover.follow():
                pass
            self._prover.sign()

    def _survey(self) -> None:
        self.checker.survey()
        self._surveys += 1
        if not self._surveys % SIGN_EVERY:
            self._sign()
        self.time.after(SURVEY_US, self._survey)

    # ------------------------------------------------------------------ from beginning to end

    def run(self, steps: int | None = None) -> None:
        """Faults for a while, then calm: everything must come back, and add up."""
        last = steps or sys.maxsize
        self.time.run(EPOCH + TROUBLE_S * SECOND, last, None)
        self.faults.end()
        felts = self.checker.felts
        goal = {name: felts[name].rounds + 2 for name in self.tables}
        calm = self.time.now + BACK_S * SECOND
        self.time.run(calm, last, lambda: all(felts[name].rounds >= wanted for name, wanted in goal.items()))
        for name, wanted in goal.items():
            if felts[name].rounds < wanted and self.time.steps < last:
                raise Broken(f"{name} does not go on after the faults have ended")
        for player in self.players:
            player.stop()
        calm = self.time.now + 20 * SECOND
        self.time.run(calm, last, lambda: not self.checker.waiting)
        if self.several:
            self._have_all_heard(last)
        if self.time.steps < last:
            self.checker.final()
        self.checker.survey(whole=True)
        self.audit()

    def _have_all_heard(self, last: int) -> None:
        """What is written is known at every node after a while, and told to its watchers."""
        lives = [(node, node.life) for node in self.nodes if node.alive and node.ready]
        ends = {table: len(states) - 1 for table, states in self.checker.states.items()}
        self.time.run(self.time.now + HEARD_S * SECOND, last, None)
        for node, life in lives if self.time.steps < last else ():
            for table, end in ends.items() if node.alive and node.life == life else ():
                if node.floor.tables[table].state.seq < end:
                    raise Broken(f"{node.holder} has not heard of record {end} of {table}")

    def audit(self) -> None:
        """The whole journal, by the auditor."""
        self._sign()
        audit = Audit(shelf().book)
        findings = list(audit.findings(self.disk, self.disk.public_key()))
        if findings:
            raise Broken(f"the audit: {findings[0]}")
        for table, states in self.checker.states.items():
            if audit.states[table] != states[-1]:
                raise Broken(f"the audit comes to another state of {table}")

    def close(self) -> None:
        """Let go of everything."""
        for node in self.nodes:
            node.loop.die()
        self.time.end()
        EVENTS.forget()
        STATES.forget()
        KnownRules.forget()
        self.checker.states.clear()
        self.__dict__.clear()  # all hold the world, and it holds all: the collector need not take them apart

    def digest(self) -> str:
        """One number for the whole history: every record, answer, fault and its time."""
        story = sha256()
        for record in self.disk.all_records():
            story.update(record.hash)
        for line in self.story(self.notes):
            story.update(line.encode())
        return story.hexdigest()

    def story(self, notes: list[tuple[object, ...]]) -> Iterator[str]:
        """What happened, for people."""
        for now, words, *values in notes:
            shown = tuple(_shown(value) for value in values)
            at = (now - EPOCH) / SECOND if isinstance(now, int) else 0.0
            yield f"{at:11.6f} s  {str(words) % shown}"


def _shown(value: object) -> object:
    if isinstance(value, list):
        return ", ".join(f"{each.table}/{each.seq} {each.kind} ({each.command_id})" for each in value)
    return value


class Failure(NamedTuple):
    """What a seed has found."""

    seed: int
    options: str
    sentence: str
    steps: int
    story: str

    def __str__(self) -> str:
        again = f"python -m tests.torture.simulate --seed {self.seed}{self.options}"
        return f"{self.story}\n\nseed {self.seed}, step {self.steps}: {self.sentence}\nagain: {again}"


class Ran(NamedTuple):
    """What came of a seed."""

    rounds: int
    steps: int
    acknowledged: int
    faults: int
    failure: Failure | None
    digest: str
    """One number for the whole history, where it was asked for."""


class KnownRules(TableRules):
    """A table's rules that do not work out the same odds for every process anew."""

    _known: Final[dict[str, dict[tuple[str, str, BoxName], Odds]]] = {}
    _worked_out: Final[dict[int, tuple[SetUpState, dict[str, object]]]] = {}

    def __init__(self, book: RuleBook) -> None:
        super().__init__(book)
        self._returned_216 = self._known.setdefault(book.id, {})

    def at(self, state: TableState) -> tuple[Layout, Limits]:
        """The layout and limits of a table, worked out once for the same set-up, whichever process asks."""
        set_up = set_up_of(state)
        if set_up is not self._set_up:
            known = self._worked_out.get(id(set_up))
            if known is None:
                super().at(state)
                mine = ("_layout", "_limits", "box_limits", "paired", "_set_up")
                self._worked_out[id(set_up)] = (set_up, {name: self.__dict__[name] for name in mine})
            else:
                self.__dict__.update(known[1])
        return super().at(state)

    @classmethod
    def forget(cls) -> None:
        """Set-ups of a simulation that is over are no set-ups any more."""
        cls._worked_out.clear()


_established: Final[dict[tuple[str, str, tuple[int, ...]], bool]] = {}


def known_established(layout: Layout, known: Sequence[int]) -> bool:
    """`is_established`, worked out once."""
    key = (layout.book_id, layout.id, tuple(known))
    if key not in _established:
        _established[key] = is_established(layout, known)
    return _established[key]


def _unseen(_task: object) -> None:
    """Nobody asks for all tasks of a simulation: each loop has its own."""


@contextmanager
def prepared(bug: str | None = None) -> Iterator[None]:
    """The program without chance and noise, with snapshots often; with a planted bug if one is named."""
    numbers = Random(0)
    logger = logging.getLogger("taisai.floor")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    collecting = gc.isenabled()
    gc.disable()  # states are many and live long; each world is let go of at its end
    try:
        with (
            patch("taisai.house.log.token_hex", lambda size: numbers.randbytes(size).hex()),
            patch("taisai.floor.live.SNAPSHOT_EVERY", SNAPSHOT_EVERY),
            patch("taisai.table.rules.TableRules", KnownRules),
            patch("taisai.floor.dealer.TableRules", KnownRules),
            patch("taisai.table.handlers.trouble.is_established", known_established),
            patch("taisai.floor.live.event_of", EVENTS.of),
            patch("taisai.streams.loading.event_of", EVENTS.of),
            patch("taisai.audit.replay.table.event_of", EVENTS.of),
            patch("asyncio.tasks._all_tasks.add", _unseen),
            patch("taisai.floor.live.evolve", STATES.evolve),
            patch("taisai.floor.live.replay", STATES.replay),
            patch("taisai.streams.loading.replay", STATES.replay),
            patch("taisai.streams.loading.state_from", STATES.state_from),
            BUGS[bug]() if bug else nullcontext(),
        ):
            yield
    finally:
        logger.setLevel(level)
        if collecting:
            gc.enable()


def run_seed(
    seed: int,
    *,
    steps: int | None = None,
    nodes: int | None = None,
    faults: Sequence[str] = (),
    bug: str | None = None,
    digest: bool = False,
) -> Ran:
    """One simulation; only some kinds of faults, where they are named."""
    options = (f" --nodes {nodes}" if nodes else "") + (f" --faults {' '.join(faults)}" if faults else "")
    with prepared(bug):
        world = World(seed, nodes=nodes, faults=faults)
        ran = _ran(world, steps, options + (f" --bug {bug}" if bug else ""), digest=digest)
        world.close()
        return ran


def _ran(world: World, steps: int | None, options: str, *, digest: bool) -> Ran:
    failure = None
    try:
        world.run(steps)
    except Exception as error:
        sentence = str(error) if isinstance(error, Broken) else f"{type(error).__name__}: {error}"
        last = "\n".join(world.story(world.notes[-LAST_STEPS:]))
        where = "" if isinstance(error, Broken) else f"\n{_where(error)}"
        failure = Failure(world.seed, options, sentence, world.time.steps, last + where)
    story = world.digest() if digest else ""
    return Ran(world.rounds, world.time.steps, world.checker.acknowledged, world.faults.count, failure, story)


def _where(error: BaseException) -> str:
    """The last places of an exception that nobody expected."""
    import traceback  # noqa: PLC0415 - needed only where the program has failed in a way nobody thought of

    return "".join(traceback.format_exception(error)[-4:])


def main(words: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture.simulate", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--seeds", type=int, default=1, help="how many seeds, one after another")
    parser.add_argument("--steps", type=int, help="end each after so many steps")
    parser.add_argument("--nodes", type=int, choices=(1, 2, 3), help="so many nodes, whatever the seed says")
    parser.add_argument(
        "--faults",
        nargs="+",
        choices=sorted({*KINDS, *KINDS_OF_SEVERAL}),
        default=(),
        metavar="KIND",
        help="only these: %(choices)s",
    )
    parser.add_argument("--bug", choices=sorted(BUGS), help="plant a bug")
    parser.add_argument("--jobs", type=int, help="processes that share the seeds; as many as there are processors")
    given = parser.parse_args(words)
    one = partial(run_seed, steps=given.steps, nodes=given.nodes, faults=given.faults, bug=given.bug)
    seeds = range(given.seed, given.seed + given.seeds)
    jobs = min(given.jobs or os.cpu_count() or 1, given.seeds)
    make_ready()
    began = real_time.perf_counter()
    rounds = steps = acknowledged = faults = 0
    failed = 0
    with ProcessPoolExecutor(jobs) as pool:
        for ran in map(one, seeds) if jobs == 1 else pool.map(one, seeds):
            rounds += ran.rounds
            steps += ran.steps
            acknowledged += ran.acknowledged
            faults += ran.faults
            if ran.failure is not None:
                failed += 1
                print(ran.failure)
                pool.shutdown(wait=False, cancel_futures=True)
                break
    seconds = real_time.perf_counter() - began
    print(
        f"{rounds} rounds, {acknowledged} acknowledged commands, {faults} faults, {steps} steps in {seconds:.1f} s:"
        f" {rounds / seconds:,.0f} rounds a second"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
