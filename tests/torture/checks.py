"""What must hold after every step of a simulation.

Enters: every commit, every state and answer that a node tells, from the outside of the program. Leaves: `Broken` with a
sentence at the first thing that is not so. The money and the life of a bet are followed here a second time, from the
events on disk alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final

from taisai.floor.answers import Answer, HouseCode
from taisai.floor.live import LiveTable
from taisai.journal import Record
from taisai.streams.codec import event_of
from taisai.streams.house_events import HOUSE_STREAM
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.events import Event
from taisai.table.evolve import evolve, replay
from taisai.table.ledger import LedgerBroken
from taisai.table.parts import Handed
from taisai.table.state import TableState, state_from

if TYPE_CHECKING:
    from tests.torture.disk import SimulatedJournal
    from tests.torture.node import SimulatedNode
    from tests.torture.simulate import World

UNSURE: Final = frozenset({HouseCode.TRY_AGAIN, HouseCode.NOT_HELD, HouseCode.ID_TAKEN, HouseCode.CLOSING})
CLOCK: Final = c.HOUSE_IDS + "clock-"
"""How the ids of commands begin with which a node says that its clock was set."""
OURS: Final = (CLOCK, *(c.HOUSE_IDS + each for each in ("auto-", "restart-", "opening-", "seat-")))
"""How the ids of commands begin that no player has given."""
ENDS: Final = frozenset({e.RoundConcluded, e.RoundVoided})
WHOLE_EVERY: Final = 40
"""Every so often a whole state is compared; money and round are, each time."""


class KnownEvents:
    """`event_of`, worked out once for the same record: nodes, checks and audit read each many times.

    A record is known by its hash, which is that of its content: when it is written, and again in the audit.
    """

    def __init__(self) -> None:
        self._events: dict[bytes, e.Event] = {}

    def of(self, record: Record) -> e.Event:
        """The event of a record."""
        event = self._events.get(record.hash)
        if event is None:
            event = self._events[record.hash] = event_of(record)
        return event

    def read(self, record: Record) -> e.Event:
        """The event of a record that was just written, worked out from its bytes."""
        event = self._events[record.hash] = event_of(record)
        return event

    def forget(self) -> None:
        """Begin anew."""
        self._events.clear()


EVENTS: Final = KnownEvents()


class KnownStates:
    """The states that the checks have computed from the records on disk, for readers of the same records.

    States and events are immutable: evolving an equal state by the same event gives the state that the checks already
    have. The node that decides has events of its own and computes its own states; so do the checks and the audit.
    """

    def __init__(self) -> None:
        self._steps: dict[int, tuple[Event, TableState, TableState]] = {}
        """By the event: what it was, what was before it, and what came of it."""
        self._read: dict[bytes, TableState] = {}

    def forget(self) -> None:
        """Begin anew."""
        self._steps.clear()
        self._read.clear()

    def comes(self, event: Event, before: TableState, state: TableState) -> None:
        """The checks have evolved a state."""
        self._steps[id(event)] = (event, before, state)  # it is kept, so that no other event gets its number

    def evolve(self, state: TableState, event: Event) -> TableState:
        """`evolve`, for who may read what is on disk."""
        known = self._steps.get(id(event))
        if known is not None and (known[1] is state or known[1] == state):
            return known[2]
        return evolve(state, event)

    def replay(self, state: TableState, events: Iterable[Event]) -> TableState:
        """`replay`, as far as what is read is known."""
        steps, rest = self._steps, iter(events)
        for event in rest:
            known = steps.get(id(event))
            if known is None or (known[1] is not state and known[1] != state):
                return replay(state, chain((event,), rest))
            state = known[2]
        return state

    def state_from(self, snapshot: bytes) -> TableState:
        """`state_from`, once for the same bytes."""
        known = self._read.get(snapshot)
        if known is None:
            known = self._read[snapshot] = state_from(snapshot)
        return known


STATES: Final = KnownStates()


class Broken(Exception):
    """Something that must hold does not. It is kept: what looks on is called from inside the program."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        BROKEN.append(self)


BROKEN: Final[list[Broken]] = []
"""What does not hold, in the order in which it was found."""


class Felt:
    """The chips of one table, followed from the events."""

    def __init__(self) -> None:
        self.funds: dict[str, int] = {}
        self.stakes: dict[tuple[str, str], int] = {}
        self.open = False
        self.paid: set[tuple[str, str]] = set()
        self.rounds = 0
        self.moved = True
        """Chips have moved since this was last set to false."""

    def copy(self) -> Felt:
        """The same, to go on with."""
        other = Felt()
        other.funds, other.stakes, other.paid = dict(self.funds), dict(self.stakes), set(self.paid)
        other.open, other.rounds = self.open, self.rounds
        return other

    def see(self, what: e.EventBody) -> None:
        """One event more."""
        seen = _SEEN.get(type(what))
        if seen is not None:
            seen(self, what)

    def placed(self, what: e.BetPlaced) -> None:
        """Chips go into a box, while bets are open."""
        if not self.open:
            raise Broken(f"a bet of {what.player} was placed after the close")
        self.moved = True
        self.funds[what.player] = self.funds.get(what.player, 0) - what.amount
        if self.funds[what.player] < 0:
            raise Broken(f"{what.player} has bet more than there was in hand")
        place = (what.player, what.box)
        self.stakes[place] = self.stakes.get(place, 0) + what.amount

    def withdrawn(self, what: e.BetWithdrawn) -> None:
        """Chips come back, while bets are open."""
        if not self.open:
            raise Broken(f"a bet of {what.handed.player} was withdrawn after the close")
        self._back(what.handed)

    def _back(self, part: Handed) -> None:
        place = (part.player, part.box)
        left = self.stakes.get(place, 0) - part.amount
        if left < 0:
            raise Broken(f"{part.player} got {part.amount} back from {part.box}, where less lay")
        if left:
            self.stakes[place] = left
        else:
            self.stakes.pop(place, None)
        self.moved = True
        self.funds[part.player] = self.funds.get(part.player, 0) + part.amount

    def collected(self, what: e.LosersCollected) -> None:
        """Losing bets are taken."""
        for loss in what.losses:
            if self.stakes.pop((loss.player, loss.box), None) != loss.amount:
                raise Broken(f"the bet of {loss.player} on {loss.box} was not collected as it lay")

    def pay(self, what: e.BetPaid) -> None:
        """A winning bet is paid and goes back, once."""
        place = (what.player, what.box)
        if place in self.paid or self.stakes.pop(place, None) != what.stake:
            raise Broken(f"the bet of {what.player} on {what.box} was settled twice, or never lay there")
        self.paid.add(place)
        if what.returned != what.stake + what.winnings:
            raise Broken(f"{what.player} got {what.returned} for {what.stake} and {what.winnings}")
        self.moved = True
        self.funds[what.player] = self.funds.get(what.player, 0) + what.returned

    def voided(self, what: e.RoundVoided) -> None:
        """Everything goes back."""
        for part in what.handed:
            self._back(part)
        self.ended(what)

    def ended(self, _what: e.EventBody) -> None:
        """The round is over: nothing may lie on the felt."""
        if self.stakes:
            raise Broken(f"a round ended with bets unsettled: {self.stakes}")
        self.open = False
        self.rounds += 1
        self.paid.clear()

    def opened(self, _what: e.EventBody) -> None:
        """Bets are open."""
        self.open = True

    def closed(self, _what: e.EventBody) -> None:
        """No more bets."""
        self.open = False

    def bought(self, what: e.BoughtIn) -> None:
        """Chips for cash."""
        self.moved = True
        self.funds[what.player] = self.funds.get(what.player, 0) + what.amount


_SEEN: Final[dict[type, Callable[..., None]]] = {
    e.BetPlaced: Felt.placed,
    e.BetWithdrawn: Felt.withdrawn,
    e.LosersCollected: Felt.collected,
    e.BetPaid: Felt.pay,
    e.RoundVoided: Felt.voided,
    e.RoundConcluded: Felt.ended,
    e.BetsOpened: Felt.opened,
    e.BetsClosed: Felt.closed,
    e.RoundInterrupted: Felt.closed,
    e.BoughtIn: Felt.bought,
}


class Asked:
    """A player's command, and the answer to it."""

    __slots__ = ("action", "done", "first", "player", "table")

    def __init__(self, table: str, player: str, action: c.Action) -> None:
        self.table = table
        self.player = player
        self.action = action
        self.done = False
        self.first: tuple[int, int] | None = None


class Checker:
    """Looks on, from outside."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.states: dict[str, list[TableState]] = {}
        """Every table's state after each record, replayed from the bytes on disk."""
        self.felts: dict[str, Felt] = {}
        self.asked: dict[str, Asked] = {}
        self.waiting: dict[tuple[str, int], tuple[SimulatedNode, int]] = {}
        """Who was given which command, and has not answered."""
        self._looks = 0
        self._position = 0
        self._ends: dict[str, bytes] = {}
        self._writers: dict[tuple[str, int], str] = {}
        self.acknowledged = 0

    def begin(
        self, records: Sequence[Record], states: Mapping[str, list[TableState]], felts: Mapping[str, Felt]
    ) -> None:
        """What is on disk before anything happens."""
        self.states = {table: list(known) for table, known in states.items()}
        for record in records:
            STATES.comes(EVENTS.of(record), *self.states[record.table][record.seq - 1 : record.seq + 1])
        self.felts = {table: felt.copy() for table, felt in felts.items()}
        self._position = records[-1].position
        self._ends = {record.table: record.hash for record in records}

    @property
    def rounds(self) -> int:
        """Rounds that have ended, at all tables."""
        return sum(felt.rounds for felt in self.felts.values())

    # ------------------------------------------------------------------ the disk

    def committed(self, journal: SimulatedJournal, records: list[Record]) -> None:
        """A commit has taken effect."""
        for record in records:
            table = record.table
            if record.position != self._position + 1:
                raise Broken(f"record {record.position} follows record {self._position}")
            self._position = record.position
            if table == HOUSE_STREAM:
                continue
            states = self.states[table]
            if record.seq != len(states) or self._ends.get(table, record.prev) != record.prev:
                raise Broken(f"{table}: record {record.seq} does not follow record {len(states) - 1}")
            self._ends[table] = record.hash
            if self._world.several:
                self._right_writer(journal.holder, table)
            event = EVENTS.read(record)
            what = event.what
            if not record.command_id.startswith(OURS):
                self._asked_for(record, what)
            if isinstance(what, e.ClockSet) is not record.command_id.startswith(CLOCK):
                raise Broken(f"{table}: {what} was written under {record.command_id}")
            before = states[-1]
            try:
                state = evolve(before, event)
            except LedgerBroken as error:
                raise Broken(f"{table}: {error}") from error
            felt = self.felts[table]
            seen = _SEEN.get(type(what))
            if seen is not None:
                seen(felt, what)
            if felt.moved or state.ledger is not before.ledger:  # where nothing moved it is as it was a record ago
                felt.moved = False
                self._money(table, state)
            if type(what) in ENDS and any(name.startswith("box:") for name in state.ledger):
                raise Broken(f"{table}: chips lie on the felt after the round")
            states.append(state)
            STATES.comes(event, before, state)

    def _right_writer(self, writer: str, table: str) -> None:
        """The writer has the table's lease, and nobody else has written under its fencing number."""
        lease = self._world.disk.lease_of.get(table)
        if lease is None or lease.holder != writer:
            holder = None if lease is None else lease.holder
            raise Broken(f"{writer} wrote to {table}, which {holder or 'nobody'} holds")
        if self._writers.setdefault((table, lease.fence), writer) != writer:
            raise Broken(f"two nodes wrote to {table} under the fencing number {lease.fence}")

    def _asked_for(self, record: Record, what: e.EventBody) -> None:
        asked = self.asked.get(record.command_id)
        match None if asked is None else asked.action, what:
            case c.PlaceBet(player=player, box=box, amount=amount), e.BetPlaced() as bet:
                right = (player, box, amount) == (bet.player, bet.box, bet.amount)
            case c.WithdrawBet(player=player, box=box), e.BetWithdrawn(handed=handed):
                right = (player, box) == (handed.player, handed.box)
            case _:
                right = False
        if not right or record.part or asked is None or asked.table != record.table:
            raise Broken(f"{record.table}: nobody asked for {what} under {record.command_id}")

    def _money(self, table: str, state: TableState) -> None:
        """The ledger sums to zero, and every player has what the events say."""
        ledger = state.ledger
        if sum(ledger.values()):
            raise Broken(f"{table}: the ledger sums to {sum(ledger.values())}")
        for player, chips in self.felts[table].funds.items():
            if ledger.get("player:" + player, 0) != chips:
                raise Broken(f"{table}: {player} has {chips} by the events, {state.funds(player)} by the ledger")

    # ------------------------------------------------------------------ what nodes tell

    def told(self, node: SimulatedNode, table: LiveTable, events: tuple[e.Event, ...]) -> None:
        """A node tells its watchers a state."""
        state, name = table.state, table.name
        states = self.states.get(name)
        if states is None:
            return
        seq = state.seq
        if seq >= len(states):
            raise Broken(f"{node.holder} told of record {seq} of {name}, and {len(states) - 1} is the last on disk")
        before = node.told.get(name, 0)
        if seq < before:
            raise Broken(f"{node.holder} told of record {before} of {name}, and then of record {seq}")
        node.told[name] = seq
        self._looks += 1
        if state is not states[seq]:  # who follows the disk may have read the very same
            self._same(node, state, states[seq], whole=not self._looks % WHOLE_EVERY)
        if events and events[-1].at != state.at:
            raise Broken(f"{node.holder} told of events at {name} that are not the last")

    def _same(self, node: SimulatedNode, state: TableState, real: TableState, *, whole: bool) -> None:
        if whole:
            same = state == real
        else:
            same = state.ledger == real.ledger and state.round == real.round and state.at == real.at
        if not same:
            raise Broken(
                f"{node.holder} has a state of {state.table} at record {state.seq} that the disk does not lead to"
            )

    def survey(self, *, whole: bool = False) -> None:
        """Look at every table of every node that lives."""
        for node in self._world.nodes:
            if not node.alive or not node.ready:
                continue
            if node.loop.errors:
                raise Broken(f"{node.holder}: {node.loop.errors[0]}")
            for name, table in node.floor.tables.items():
                states = self.states.get(name)
                if states is None:
                    continue
                if table.broken:
                    raise Broken(f"{node.holder}: {name} has stopped: {table.broken}")
                state = table.state
                if state.seq >= len(states):
                    raise Broken(f"{node.holder} is ahead of the disk at {name}")
                if state is not states[state.seq]:
                    self._same(node, state, states[state.seq], whole=whole)

    # ------------------------------------------------------------------ answers

    def ask(self, command_id: str, asked: Asked) -> None:
        """A player makes up a command."""
        self.asked[command_id] = asked

    def given(self, node: SimulatedNode, number: int, command_id: str) -> None:
        """A node is given a command."""
        self.waiting[command_id, number] = (node, node.life)

    def died(self, node: SimulatedNode) -> None:
        """What a node had to answer is lost with it."""
        self.waiting = {key: each for key, each in self.waiting.items() if each[0] is not node}

    def answered(self, node: SimulatedNode, number: int, command_id: str, answer: Answer) -> None:
        """A node answers a player; what it says must be so at this moment."""
        self.waiting.pop((command_id, number), None)
        asked = self.asked[command_id]
        said = answer.seq if answer.refusal is None else answer.refusal.code
        self._world.note("%s answers %s: %s", node.holder, command_id, said)
        there = self._world.disk.commands(asked.table, command_id)
        if answer.refusal is not None:
            sure = not self._world.several and answer.refusal.code not in UNSURE
            sure = sure and command_id not in self._world.disk.late
            if sure and there and "not known" not in answer.refusal.sentence:
                raise Broken(f"{command_id} was refused ({answer.refusal.code}) and is on disk")
            return
        if not there:
            raise Broken(f"{node.holder} acknowledged {command_id}, and it is not on disk")
        if answer.seq < there[-1].seq or (not answer.repeated and answer.seq != there[-1].seq):
            raise Broken(f"{command_id} was acknowledged as record {answer.seq}, and it is record {there[-1].seq}")
        if answer.events and answer.events != tuple(map(EVENTS.of, there)):
            raise Broken(f"{command_id} was acknowledged with other events than are on disk")
        if not asked.done:
            asked.done = True
            self.acknowledged += 1

    # ------------------------------------------------------------------ the end

    def final(self) -> None:
        """When all is quiet: each acknowledged command is there once, everybody was answered, the money is right."""
        disk = self._world.disk
        for table, states in self.states.items():
            self._money(table, states[-1])
        for command_id, asked in self.asked.items():
            there = disk.commands(asked.table, command_id)
            if len(there) != 1 and (asked.done or there):
                raise Broken(f"{command_id} of {asked.player} was acknowledged and is on disk {len(there)} times")
        for (command_id, _), (node, life) in self.waiting.items():
            if node.alive and node.life == life and not node.disturbed:
                raise Broken(f"{node.holder} was given {command_id} and has never answered")
