"""A table's state, as replaying its events gives it.

Frozen values all through; the whole of it encodes as JSON for snapshots. What is here is what `decide` and the
screens need: the current round in full, the last rounds for recall and reversal, running meters for the rest.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec
from msgspec import Struct

from taisai.table.commands import ColourSet, Coverage, DealtBy, Dice, How, Purpose, TableLimits
from taisai.table.parts import FixedBet, FlagRaised, Loss, ReversedLine
from taisai.table.people import Person

HISTORY_ROUNDS: Final = 100
"""Rounds kept for recall and reversal; older ones are in the journal."""
SNAPSHOT_FORMAT: Final = 6
TEST_RUN_ITEM: Final = "test-run"
"""The item of an opening check that stands on test runs."""
SEAL_ITEM: Final = "seal"
"""The item of an opening check that stands on the seal in place."""
TUMBLER_ITEM: Final = "tumbler"
"""The item of an opening check that stands on the tumbler that works."""


class TablePhase(StrEnum):
    """What the table as a whole is doing."""

    NEW = "new"
    CLOSED = "closed"
    OPEN = "open"


class RoundPhase(StrEnum):
    """How far the round has come."""

    BETWEEN = "between-rounds"
    BETTING = "betting"
    CLOSED = "bets-closed"
    UNCOVERED = "uncovered"
    ANNOUNCED = "announced"
    ENTERED = "entered"
    COLLECTED = "collected"


class SetUpState(Struct, frozen=True):
    """What the table was set up with."""

    book: str
    layout: str
    digest: str
    limits: TableLimits
    currency: str
    denominations: tuple[int, ...]
    colours: dict[str, ColourSet]
    coverage: Coverage = Coverage.AREAS


class DiceSet(Struct, frozen=True):
    """The life of a set of dice."""

    received_at: int
    seal: str | None = None
    sealed_at: int | None = None
    inspected_at: int | None = None
    sound: bool = True
    warned: bool = False
    retired_at: int | None = None


class Check(Struct, frozen=True):
    """An item of the opening check: who recorded what."""

    passed: bool
    by: str
    at: int
    note: str


class Player(Struct, frozen=True):
    """A player at the table."""

    present: bool = True
    colour: str | None = None
    value: int = 0
    """Declared value of a chip of the colour."""


class Stack(Struct, frozen=True, gc=False, array_like=True):
    """Chips put into a box at one time."""

    player: str
    box: str
    amount: int
    how: How
    colour: str | None


class PaidLine(Struct, frozen=True, gc=False, array_like=True):
    """One bet's outcome."""

    player: str
    box: str
    stake: int
    at_risk: int
    pays: int | str | None
    winnings: int
    returned: int


class Touch(Struct, frozen=True, gc=False, array_like=True):
    """A bet that touches the line of its segment; attested, or recorded before the dice were known."""

    player: str
    box: str
    attested: bool
    honoured: bool = False
    """By a ruling."""


class HeldFact(Struct, frozen=True):
    """A fact that would undo a known result, until a second person says whether it is so."""

    fact: str
    round: int
    by: Person
    note: str
    dice_set: str = ""
    """Of damaged dice, the set."""


class Played(Struct, frozen=True, gc=False, array_like=True):
    """A settled round in short: what each player staked and got back."""

    number: int
    players: dict[str, tuple[int, int]]
    book: str = ""
    """Under which book it was played; earlier versions kept the rounds of the book at hand alone."""


class Round(Struct, frozen=True):
    """The round in play, or between rounds what is known of the next."""

    number: int = 0
    phase: RoundPhase = RoundPhase.BETWEEN
    opened_at: int = 0
    stepped_at: int = 0
    """When the round last moved to its next step; bets, and what happens beside the round, are no steps."""
    closes_at: int = 0
    """When bets close, as the opening call fixed it; 0 where the dealer calls the close."""
    commitment: str = ""
    """What commits the house to its part in virtual dice, from before the round; empty for physical dice."""
    form: int = 0
    """How the dice are committed (`core.fair`)."""
    nonce: str = ""
    opening: str = ""
    """The house's secret, from the close."""
    contributions: dict[str, str] = {}
    """What each player brought to the virtual dice."""
    fixed: Dice | None = None
    """The virtual dice as the close fixed them: an outcome is established, covered or not (I5)."""
    draw: str = ""
    """The odds that were drawn after the close, where the layout draws them."""
    raised: dict[str, int | str] = {}
    """What the draw raised, by box."""
    tumbles: int = 0
    stacks: tuple[Stack, ...] = ()
    """In the order of placing."""
    stakes: dict[str, dict[str, int]] = {}
    """By player and box, while betting is open."""
    totals: dict[str, int] = {}
    """By box, over all players."""
    bets: tuple[FixedBet, ...] = ()
    """As fixed at the close."""
    flags: tuple[FlagRaised, ...] = ()
    capacity: dict[str, int] = {}
    """Boxes that are settled pro rata, with the capacity that each was over at the close."""
    dice: Dice | None = None
    call: str = ""
    pressed: tuple[int, ...] = ()
    """The last three buttons of the terminal."""
    entered: Dice | None = None
    lit: tuple[str, ...] = ()
    lights_fault: str = ""
    by_dice: bool = False
    """Settled by the dice without entry or lights."""
    facts: tuple[str, ...] = ()
    """What went wrong in this round, as far as the book makes something of it."""
    re_roll: bool = False
    """The dice are tumbled again, and the bets stand."""
    tumbled_after_close: bool = False
    noticed: tuple[tuple[str, str], ...] = ()
    """Bets, by player and box, of which an advice or a rejection is on record."""
    touching: tuple[Touch, ...] = ()
    losses: tuple[Loss, ...] = ()
    """What was collected."""
    undone: tuple[ReversedLine, ...] = ()
    """What went back of bets that were settled already, when the round is being made void."""
    left: tuple[tuple[str, str, int], ...] = ()
    """Where players' chips lay in this round and lie no more: the most that they had in the box."""
    lines: tuple[PaidLine, ...] = ()
    """Bets settled so far."""
    funds_before: dict[str, int] = {}
    interrupted: str = ""
    """Why the round is interrupted; empty when it is not."""


class PastRound(Struct, frozen=True):
    """A round that is over."""

    number: int
    opened_at: int
    ended_at: int
    dice: Dice | None
    call: str
    void: str
    """The book's word for why it is void; empty for a round with a result."""
    lines: tuple[PaidLine, ...]
    funds_before: dict[str, int]
    funds_after: dict[str, int]
    book: str
    """What ruled the round, whatever the table stands under now: book, layout, digest, limits, capacity of boxes."""
    layout: str
    digest: str
    limits: TableLimits | None
    capacity: dict[str, int]
    reversed: bool = False
    """Void after it was settled."""
    clauses: tuple[str, ...] = ()
    """By which it is void."""
    undone: tuple[ReversedLine, ...] = ()
    """What went back, and what is owed, when it was void after its bets were settled."""
    commitment: str = ""
    opening: str = ""
    nonce: str = ""
    contributions: dict[str, str] = {}
    """What each player brought to the virtual dice."""
    draw: str = ""
    """The odds that were drawn after its close."""


class Meters(Struct, frozen=True):
    """Running meters of the table's layout, over its life."""

    rounds: int = 0
    voided: int = 0
    reversed: int = 0
    staked: int = 0
    at_risk: int = 0
    winnings: int = 0
    returned: int = 0
    expected_216: int = 0
    variance: int = 0
    """Of what goes back to players under fair dice."""
    farthest: int = 0
    """How far from its average a round lay at most that fair dice can give."""
    measured: int = 0
    """Rounds whose spread is on record: those of 0.1 have none."""


class Shift(Struct, frozen=True):
    """The figures of the current shift."""

    opened_at: int = 0
    opener: int = 0
    fills: int = 0
    credits: int = 0
    drop: int = 0
    closer: int | None = None


class Dispute(Struct, frozen=True):
    """A claim and how it ended."""

    player: str
    round: int
    claim: str
    opened_at: int
    resolution: str = ""


class TableState(Struct, frozen=True):
    """Everything about one table."""

    table: str
    seq: int = 0
    at: int = 0
    phase: TablePhase = TablePhase.NEW
    set_up: SetUpState | None = None
    suspended: str = ""
    """Why the table is suspended; empty when it is not."""
    faults: tuple[str, ...] = ()
    """Facts about equipment that has not been mended."""
    procedure: str = ""
    """The procedure that is in force until the equipment is mended, as players are told."""
    held: tuple[HeldFact, ...] = ()
    ledger: dict[str, int] = {}
    players: dict[str, Player] = {}
    round: Round = Round()
    history: tuple[PastRound, ...] = ()
    dice_sets: dict[str, DiceSet] = {}
    dice_in: str | None = None
    checks: dict[str, Check] = {}
    tested: dict[str, bool] = {}
    """Test runs since the lights were last in doubt, by the dice from low to high: whether the right areas lit."""
    unproven: dict[str, tuple[Played, ...]] = {}
    """By set of dice: the rounds settled with it since it was last found sound."""
    meters: Meters = Meters()
    shift: Shift = Shift()
    disputes: dict[str, Dispute] = {}
    dealt_by: DealtBy = DealtBy.PEOPLE
    betting_min_ms: int = 0
    """How long bets stay open at least."""
    purpose: Purpose | None = None
    """What the table is for; None where nobody has said."""
    source_sound: bool = False
    """Whether the house's own dealer has found its source of dice sound and every light working, this shift."""

    def balance(self, account: str) -> int:
        """What stands in an account."""
        return self.ledger.get(account, 0)

    def funds(self, player: str) -> int:
        """A player's chips in hand, colour included."""
        seat = self.players.get(player)
        colour = self.ledger.get(f"colour:{seat.colour}", 0) if seat is not None and seat.colour else 0
        return self.ledger.get(f"player:{player}", 0) + colour


_encoder = msgspec.json.Encoder(order="deterministic")
_decoder = msgspec.json.Decoder(TableState)


def snapshot_of(state: TableState) -> bytes:
    """A state as bytes, the same for equal states."""
    return _encoder.encode(state)


def state_from(snapshot: bytes) -> TableState:
    """The state that `snapshot_of` wrote."""
    return _decoder.decode(snapshot)
