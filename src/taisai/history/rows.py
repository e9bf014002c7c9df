"""Records as rows of an export.

Enters: the records of a journal in the order of their positions. Leaves: rows of the five datasets, each in the order
of its columns. Of a table only what the rows of its round need is remembered: `Sheet`. A sheet can be laid aside as
`Kept` and be taken up again from the few records of the round that was being played.

The chain is checked on the way: a record that does not follow the one before is `JournalDamaged`, not a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from taisai.core.dice import roll_of
from taisai.history.schema import CONCLUDED, REVERSED, VOID_ROLL, VOIDED, rules_key
from taisai.journal.chain import FORMAT as CHAIN_FORM
from taisai.journal.chain import genesis, record_hash
from taisai.journal.contract import JournalDamaged
from taisai.journal.record import Record
from taisai.streams.codec import event_of
from taisai.streams.house_events import HOUSE_STREAM, house_event_of
from taisai.table import events as e
from taisai.table.ledger import postings_of

Row = tuple[Any, ...]
Line = tuple[str, str, int, int, int | None, int, int, int, str | None]
"""A settled bet: player, box, stake, at_risk, pays, winnings, returned, in_colour, colour."""


class Base(Struct, frozen=True):
    """What is known of a table between two rounds."""

    layout: str = ""
    digest: str = ""
    dice_set: str = ""
    follows: bool = False
    round: int = 0
    currency: str = ""


class Kept(Struct, frozen=True):
    """A sheet laid aside: the end of the table's chain, and where to take the round up again."""

    seq: int
    hash: str
    since: int
    """The records after this one are read again: a round was being played."""
    base: Base = Base()
    """What was known at `since`."""


class Rows(Struct):
    """The rows of some records, by dataset."""

    rounds: list[Row]
    bets: list[Row]
    placements: list[Row]
    postings: list[Row]
    events: list[Row]

    @classmethod
    def none(cls) -> Rows:
        """No rows yet."""
        return cls([], [], [], [], [])


class Sheet:
    """One table on its way through an export."""

    def __init__(self, table: str, kept: Kept | None = None) -> None:
        self.table = table
        self.seq = 0 if kept is None else kept.seq
        self.hash = genesis(table) if kept is None else bytes.fromhex(kept.hash)
        base = Base() if kept is None else kept.base
        self._since = 0 if kept is None else kept.since
        self._before = base
        self._in_round = False
        self._layout = base.layout
        self._digest = base.digest
        self._dice_set = base.dice_set
        self._follows = base.follows
        self._round = base.round
        self._currency = base.currency
        self._opened_us: int | None = None
        self._stakes: dict[tuple[str, str], int] = {}
        self._lines: list[Line] = []

    def kept(self) -> Kept:
        """What is laid aside of it."""
        if self._in_round:
            return Kept(self.seq, self.hash.hex(), self._since, self._before)
        return Kept(self.seq, self.hash.hex(), self.seq, self._base())

    def take_up(self, record: Record) -> None:
        """Know again a record whose rows were written before."""
        if self.table != HOUSE_STREAM:
            self._learn(record, event_of(record).what, Rows.none())

    def see(self, record: Record, rows: Rows) -> None:
        """Add the rows of the next record."""
        self._follow(record)
        if self.table == HOUSE_STREAM:
            self._house_row(record, rows)
            return
        event = event_of(record)
        what = event.what
        self._learn(record, what, rows)
        position, table, seq, at, kind = record.position, record.table, record.seq, event.at, record.kind
        amount = what.winnings if type(what) is e.BetPaid else getattr(what, "amount", None)
        second = event.authorised_by.id if event.authorised_by is not None else ""
        rows.events.append(
            (position, table, seq, at, kind, record.version, record.command_id, record.part, event.by.id, second,
             event.reason, self._round, amount, record.body.decode(), record.hash)
        )  # fmt: skip
        for line, (player, box, chips) in enumerate(_moved(what)):
            rows.placements.append(
                (position, table, seq, line, at, self._round, kind, player, box, chips, self._layout, *self._under)
            )
        for line, (account, moved) in enumerate(postings_of(what)):
            rows.postings.append((position, table, seq, line, at, self._round, kind, account, moved))

    def _follow(self, record: Record) -> None:
        """Come one record further along the table's chain."""
        header = (
            CHAIN_FORM, record.table, record.seq, record.position, record.kind, record.version, record.at,
            record.command_id, record.part, record.by,
        )  # fmt: skip
        if (
            record.seq != self.seq + 1
            or record.prev != self.hash
            or record_hash(record.prev, header, record.body) != record.hash
        ):
            raise JournalDamaged(
                f"table {record.table}, record {record.seq}: it is not what was written, or does not follow record "
                f"{self.seq}; `taisai audit` tells more"
            )
        self.seq = record.seq
        self.hash = record.hash

    def _house_row(self, record: Record, rows: Rows) -> None:
        event = house_event_of(record)
        rows.events.append(
            (record.position, record.table, record.seq, event.at, record.kind, record.version, record.command_id,
             record.part, event.by, event.authorised_by, event.reason, 0, getattr(event.what, "amount", None),
             record.body.decode(), record.hash)
        )  # fmt: skip

    def _base(self) -> Base:
        return Base(self._layout, self._digest, self._dice_set, self._follows, self._round, self._currency)

    def _learn(self, record: Record, what: e.EventBody, rows: Rows) -> None:
        learn = _LEARNT.get(type(what))
        if learn is not None:
            learn(self, record, what, rows)

    def _set_up(self, _record: Record, what: e.TableSetUp | e.EditionTaken, _rows: Rows) -> None:
        self._layout = f"{what.book}/{what.layout}"
        self._digest = what.digest
        if isinstance(what, e.TableSetUp):
            self._currency = what.currency

    @property
    def _under(self) -> tuple[str, str]:
        """Book and currency, as rows end with them."""
        return self._layout.partition("/")[0], self._currency

    def _sealed(self, _record: Record, what: e.DiceSealed, _rows: Rows) -> None:
        self._dice_set = what.dice_set
        self._follows = False

    def _touched(self, _record: Record, _what: e.DiceInspected | e.DiceRetired, _rows: Rows) -> None:
        self._follows = False

    def _opened(self, record: Record, what: e.BetsOpened, _rows: Rows) -> None:
        self._before, self._since, self._in_round = self._base(), record.seq - 1, True
        self._round = what.round
        self._digest = what.digest or self._digest
        self._opened_us = record.at
        self._stakes, self._lines = {}, []

    def _fixed(self, _record: Record, what: e.BetsClosed | e.BetCorrected, _rows: Rows) -> None:
        self._stakes = {(bet.player, bet.box): bet.stake for bet in what.bets}

    def _clock_set(self, _record: Record, what: e.ClockSet, _rows: Rows) -> None:
        if self._opened_us is not None:
            self._opened_us += what.by_us

    def _line_ruled(self, _record: Record, what: e.LineRuled, _rows: Rows) -> None:
        if what.handed is not None:
            self._stakes.pop((what.player, what.box), None)

    def _collected(self, _record: Record, what: e.LosersCollected, _rows: Rows) -> None:
        # A lost bet that was not wholly at risk is settled when the rest of its stake is handed back.
        self._lines = [
            (loss.player, loss.box, loss.amount, loss.amount, None, 0, 0, 0, None)
            for loss in what.losses
            if self._stakes.get((loss.player, loss.box)) == loss.amount
        ]

    def _paid(self, _record: Record, what: e.BetPaid, _rows: Rows) -> None:
        pays = what.pays if isinstance(what.pays, int) else None
        self._lines.append(
            (what.player, what.box, what.stake, what.at_risk, pays, what.winnings, what.returned, what.in_colour,
             what.colour)
        )  # fmt: skip

    def _concluded(self, record: Record, what: e.RoundConcluded, rows: Rows) -> None:
        roll = roll_of(what.dice).index
        self._round = what.round
        sums = (
            what.staked,
            what.at_risk,
            what.winnings,
            what.returned,
            what.expected_216,
            what.deviation,
            what.farthest,
        )
        rows.rounds.append(self._round_row(record, CONCLUDED, (*what.dice, roll), sums, bets=len(self._lines)))
        self._bet_rows(record, roll, self._lines, rows)
        self._follows = True
        self._end()

    def _voided(self, record: Record, what: e.RoundVoided, rows: Rows) -> None:
        handed_back = {(part.player, part.box): part for part in what.handed}
        # Once collecting had begun, some bets went back as what was settled of them was undone.
        stakes = self._stakes or {key: part.amount for key, part in handed_back.items()}
        lines: list[Line] = []
        for (player, box), stake in stakes.items():
            part = handed_back.get((player, box))
            in_colour, colour = (0, None) if part is None else (part.in_colour, part.colour)
            lines.append((player, box, stake, 0, None, 0, stake, in_colour, colour))
        self._round = what.round
        handed = sum(stakes.values())
        sums = (handed, 0, 0, handed, 0, 0, 0)
        rows.rounds.append(self._round_row(record, VOIDED, _NO_DICE, sums, bets=len(lines), void=str(what.why)))
        self._bet_rows(record, VOID_ROLL, lines, rows)
        self._follows = False
        self._end()

    def _reversed(self, record: Record, what: e.RoundReversed, rows: Rows) -> None:
        staked = sum(line.staked for line in what.lines)
        returned = sum(line.returned for line in what.lines)
        now, opened = self._round, self._opened_us
        self._round, self._opened_us = what.round, None
        rows.rounds.append(self._round_row(record, REVERSED, _NO_DICE, (staked, 0, 0, returned, 0, 0, 0)))
        self._round, self._opened_us = now, opened

    def _round_row(
        self, record: Record, outcome: str, dice: Row, sums: tuple[int, ...], *, bets: int = 0, void: str = ""
    ) -> Row:
        rules = rules_key(self._layout, self._digest)
        return (
            record.position, record.table, self._round, outcome, record.at, self._opened_us, self._layout, self._digest,
            rules, self._dice_set, *dice, self._follows and outcome == CONCLUDED, bets, *sums, void, *self._under,
        )  # fmt: skip

    def _bet_rows(self, record: Record, roll: int, lines: list[Line], rows: Rows) -> None:
        rules, under = rules_key(self._layout, self._digest), self._under
        rows.bets.extend(
            (record.position, record.table, self._round, place, record.at, rules, roll, *line, self._layout, *under)
            for place, line in enumerate(lines)
        )

    def _end(self) -> None:
        self._in_round = False
        self._opened_us = None
        self._stakes, self._lines = {}, []


def _moved(what: e.EventBody) -> list[tuple[str, str, int]]:
    """Player, box and amount of chips that an event moves into boxes, or out of them before the close."""
    match what:
        case e.BetPlaced(player=player, box=box, amount=amount):
            return [(player, box, amount)]
        case e.BetWithdrawn(handed=handed) | e.BetReturned(handed=handed):
            return [(handed.player, handed.box, -handed.amount)]
        case e.ExcessRejected(handed=several):
            return [(each.player, each.box, -each.amount) for each in several]
        case _:
            return []


_NO_DICE: Final = (None, None, None, None)
_LEARNT: Final[Mapping[type, Callable[..., None]]] = {
    e.TableSetUp: Sheet._set_up,
    e.EditionTaken: Sheet._set_up,
    e.DiceSealed: Sheet._sealed,
    e.DiceInspected: Sheet._touched,
    e.DiceRetired: Sheet._touched,
    e.BetsOpened: Sheet._opened,
    e.BetsClosed: Sheet._fixed,
    e.BetCorrected: Sheet._fixed,
    e.LosersCollected: Sheet._collected,
    e.BetPaid: Sheet._paid,
    e.RoundConcluded: Sheet._concluded,
    e.ClockSet: Sheet._clock_set,
    e.LineRuled: Sheet._line_ruled,
    e.RoundVoided: Sheet._voided,
    e.RoundReversed: Sheet._reversed,
}


def sheets_of(kept: Mapping[str, Kept], read: Callable[[str, int, int], Iterator[Record]]) -> dict[str, Sheet]:
    """The sheets of all tables, taken up again; `read` gives the records of a table after one, up to another."""
    sheets = {}
    for table, each in kept.items():
        sheet = sheets[table] = Sheet(table, each)
        if each.since < each.seq:
            for record in read(table, each.since, each.seq):
                sheet.take_up(record)
    return sheets
