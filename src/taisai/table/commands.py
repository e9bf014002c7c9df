"""Commands: what people ask of a table.

Enters: JSON or values. Leaves: a `Command`, which names what to do, who asks, who authorises it, why and when. An id
made by the asker makes a repeat harmless. Names (`tag`) are stable: files, notation and API use them. The type of a
field also says with which widget a form asks for it (`table.forms`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct

from taisai.core.limits import Per
from taisai.core.rulebook import Fact
from taisai.table.forms import Widget, asked_by
from taisai.table.people import Person

Name = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9._@-]*$(?!\n)")]
"""The name of a player, dice set, seal, colour or table. No newline at its end, which `$` alone would let through."""
PlayerName = Annotated[Name, asked_by(Widget.PLAYER)]
Colour = Annotated[Name, asked_by(Widget.COLOUR)]
KnownDiceSet = Annotated[Name, asked_by(Widget.DICE_SET)]
AnyDiceSet = Annotated[Name, asked_by(Widget.ANY_DICE_SET)]
Box = Annotated[str, asked_by(Widget.BOX)]
Words = Annotated[str, Meta(max_length=500)]
ShortText = Annotated[str, Meta(min_length=1, max_length=500)]
LongText = Annotated[str, Meta(min_length=1, max_length=2000), asked_by(Widget.LONG_TEXT)]
Amount = Annotated[int, Meta(ge=1, le=10**15), asked_by(Widget.MONEY)]
RoundNumber = Annotated[int, Meta(ge=1), asked_by(Widget.ROUND)]
Face = Annotated[int, Meta(ge=1, le=6)]
Dice = Annotated[tuple[Face, Face, Face], asked_by(Widget.DICE)]
Count = Annotated[
    dict[Annotated[int, Meta(ge=1)], Annotated[int, Meta(ge=0, le=10**9)]],
    asked_by(Widget.COUNT),
]
"""A count of value chips: how many of each denomination."""
Hex = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$(?!\n)"), asked_by(Widget.NOBODY)]
"""32 bytes: a digest, a commitment, an opening."""
Contribution = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}$(?!\n)"), asked_by(Widget.NOBODY)]
"""16 bytes that a player's own device drew: its part in the virtual dice."""
BettingTime = Annotated[int, Meta(ge=0, le=86_400_000), asked_by(Widget.NOBODY)]
"""Milliseconds."""


class How(StrEnum):
    """How chips came to lie in a box."""

    PLACED = "placed"
    CALL = "call"
    """Spoken, with chips, put down by the dealer in time."""
    STAFF = "staff"
    """Put down by pit staff at the player's request."""
    FELT = "felt"
    """Found as they lie; accepted whatever their size, and flagged."""


BY_CREW: Final = (How.CALL, How.FELT, How.STAFF)
"""The ways in which the crew puts down chips; a player's own way is `placed`."""


class RulingGround(StrEnum):
    """What the shift manager's ruling is about (`rws-tai-sai-v6` §5.14)."""

    NOT_COVERED = "not-covered"
    """(a) A case that the rules do not cover."""
    MEANING = "meaning"
    """(b) A question of what the rules mean."""


class MoveGround(StrEnum):
    """Why a bet is put back (`nz-division-9` §4.9)."""

    MOVED_BY_DEALER = "moved-by-dealer"
    MOVED_BY_PATRON = "moved-by-patron"
    MISPLACED_BY_DEALER = "misplaced-by-dealer"


class Mending(StrEnum):
    """What ends a suspension (`nz-division-9` §7.4)."""

    MENDED = "mended"
    PROCEDURE = "procedure"


class Coverage(StrEnum):
    """What the test runs of an opening check must light: a choice of the house (`nz-division-9` §5.0(b), I28)."""

    AREAS = "areas"
    """Every area of the layout."""
    KINDS = "kinds"
    """Every kind of bet."""


class DealtBy(StrEnum):
    """Who deals a table."""

    PEOPLE = "people"
    HOUSE = "house"
    """The house's own dealer, a program, and nobody else."""


class Purpose(StrEnum):
    """What a table is for, as the settings of its floor say."""

    GAMING = "gaming"
    TRAINING = "training"
    DEMO = "demo"


class _Action(Struct, frozen=True, forbid_unknown_fields=True, tag_field="do"):
    """Something to do."""


class BoxLimit(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Minimum and maximum of a box."""

    min: int
    max: int
    per: Per = Per.BOX
    """Whether the maximum is of all players in the box together, or of each."""


class TableLimits(Struct, frozen=True, forbid_unknown_fields=True):
    """A table's limits as its sign displays them; the same form as in a settle case.

    `kinds` names kinds, boxes, or groups of boxes: `total`, `total:4`, `total:4/17`.
    """

    unit: int
    default: BoxLimit
    kinds: dict[str, BoxLimit] = {}
    differential: dict[str, int] = {}


class ColourSet(Struct, frozen=True, forbid_unknown_fields=True):
    """A set of non-value chips of this table: how many there are."""

    chips: Annotated[int, Meta(ge=1, le=100_000)]


# ------------------------------------------------------------------ the shift


class SetUp(_Action, frozen=True, tag="set-up"):
    """Put a table under a rule book."""

    book: Name
    layout: Name
    digest: Hex
    limits: TableLimits
    currency: Annotated[str, Meta(pattern=r"^[A-Z]{3}$(?!\n)")]
    denominations: Annotated[tuple[Amount, ...], Meta(min_length=1, max_length=20)]
    colours: dict[Name, ColourSet] = {}
    coverage: Annotated[Coverage, asked_by(Widget.SET_UP)] = Coverage.AREAS


class AssignDealing(_Action, frozen=True, tag="assign-dealing"):
    """The house says who deals a table, how long bets stay open at least, and what the table is for."""

    to: DealtBy
    betting_min_ms: Annotated[int, Meta(ge=0, le=86_400_000)] = 0
    purpose: Purpose = Purpose.GAMING


class TestSource(_Action, frozen=True, tag="test-source"):
    """The house's own dealer tests what it deals with: its source of dice, and the light of every area."""

    source: Words
    """What the dice come from."""
    drawn: Annotated[int, Meta(ge=0, le=1_000_000_000)]
    """How many bytes of it were looked at."""
    sound: bool
    dark: tuple[str, ...] = ()
    """Areas that no result lit."""


class SetClock(_Action, frozen=True, tag="set-clock"):
    """The house's clock was set, by so many microseconds: periods go on as if it had not been."""

    by_us: Annotated[int, Meta(ge=-(10**16), le=10**16), asked_by(Widget.NOBODY)]


class CountFloat(_Action, frozen=True, tag="count-float"):
    """Count the opening float into the tray."""

    count: Count


class ReceiveDice(_Action, frozen=True, tag="receive-dice"):
    """A set of three dice arrives."""

    dice_set: Name


class SealDice(_Action, frozen=True, tag="seal-dice"):
    """A received set is sealed into the tumbler."""

    dice_set: KnownDiceSet
    seal: Name


class InspectDice(_Action, frozen=True, tag="inspect-dice"):
    """The set in the tumbler is looked at."""

    sound: bool
    note: Words = ""


class RetireDice(_Action, frozen=True, tag="retire-dice"):
    """A set leaves the table for good."""

    dice_set: KnownDiceSet
    note: Words = ""


class TestRun(_Action, frozen=True, tag="test-run"):
    """Enter a known result before opening, and say whether exactly the right areas lit."""

    dice: Dice
    lit_correctly: bool


class CheckItem(_Action, frozen=True, tag="check-item"):
    """Record an item of the opening check."""

    item: Annotated[Name, asked_by(Widget.CHECK_ITEM)]
    passed: bool
    note: Words = ""


class OpenTable(_Action, frozen=True, tag="open-table"):
    """Open for gaming."""


class SuspendTable(_Action, frozen=True, tag="suspend-table"):
    """No further round until somebody says why it is safe."""

    cause: Words


class ResumeTable(_Action, frozen=True, tag="resume-table"):
    """The malfunction is mended, or a safe procedure is in force."""

    by: Mending
    note: Words


class SetLimits(_Action, frozen=True, tag="set-limits"):
    """Change the limits between rounds."""

    limits: TableLimits


class CloseTable(_Action, frozen=True, tag="close-table"):
    """Close for the day with a count of the float."""

    count: Count


# ------------------------------------------------------------------ people and chips


class SitDown(_Action, frozen=True, tag="sit-down"):
    """A player joins the table."""

    player: Name


class LeaveTable(_Action, frozen=True, tag="leave-table"):
    """A player leaves, with all value chips."""

    player: PlayerName


class WalkAway(_Action, frozen=True, tag="walk-away"):
    """A player is gone; the bets stay."""

    player: PlayerName


class BuyIn(_Action, frozen=True, tag="buy-in"):
    """Cash for chips; the cash goes into the drop box."""

    player: PlayerName
    amount: Amount


class BringChips(_Action, frozen=True, tag="bring-chips"):
    """A player puts value chips from elsewhere into play."""

    player: PlayerName
    amount: Amount


class CashOut(_Action, frozen=True, tag="cash-out"):
    """A player takes value chips away."""

    player: PlayerName
    amount: Amount


class TakeColour(_Action, frozen=True, tag="take-colour"):
    """A player exchanges value chips for chips of their own colour, at a declared value a chip."""

    player: PlayerName
    colour: Colour
    value: Amount
    amount: Amount


class TurnInColour(_Action, frozen=True, tag="turn-in-colour"):
    """A player exchanges all their colour chips back into value chips."""

    player: PlayerName


class Fill(_Action, frozen=True, tag="fill"):
    """Chips from the cage into the float."""

    count: Count


class Credit(_Action, frozen=True, tag="credit"):
    """Chips from the float to the cage."""

    count: Count


class SettleDebt(_Action, frozen=True, tag="settle-debt"):
    """A player pays what they owe after a void, or the house what it owes them."""

    player: PlayerName
    amount: Amount


# ------------------------------------------------------------------ the round


class CommitDice(_Action, frozen=True, tag="commit-dice"):
    """Commit the house to its part in the virtual dice of the next round, before the first bet (`core.fair`, R22)."""

    commitment: Hex
    nonce: Hex | None = None
    """What the house finds its secret again by, with its key; useless without."""


class Tumble(_Action, frozen=True, tag="tumble"):
    """Tumble the covered dice so many times."""

    times: Annotated[int, Meta(ge=0, le=1000), asked_by(Widget.TIMES)]


class OpenBets(_Action, frozen=True, tag="open-bets"):
    """Call for bets; where the dice are committed, the time of the close is fixed now."""

    betting_ms: BettingTime | None = None


class PlaceBet(_Action, frozen=True, tag="place-bet"):
    """Put chips into a box, or more of them."""

    player: PlayerName
    box: Box
    amount: Amount
    how: Annotated[How, asked_by(Widget.CHOICE, BY_CREW)] = How.PLACED
    colour: Colour | None = None
    contribution: Contribution | None = None
    """The player's own part in virtual dice; the last one before the close counts."""


class WithdrawBet(_Action, frozen=True, tag="withdraw-bet"):
    """Take chips back while betting is open; all of them when no amount is given."""

    player: PlayerName
    box: Box
    amount: Amount | None = None


class AdviseMinimum(_Action, frozen=True, tag="advise-minimum"):
    """Tell a player that a bet is under the minimum."""

    player: PlayerName
    box: Box


class RejectExcess(_Action, frozen=True, tag="reject-excess"):
    """Hand back what is over a box's maximum or differential, newest first."""

    box: Box


class CloseBets(_Action, frozen=True, tag="close-bets"):
    """Call the close; the bell rings where the book has one. Virtual dice are opened with it, and so fixed."""

    opening: Hex | None = None


class DrawOdds(_Action, frozen=True, tag="draw-odds"):
    """Record which odds were drawn after the close, where the layout draws them."""

    draw: Name


class Uncover(_Action, frozen=True, tag="uncover"):
    """Uncover the dice and record the faces as they lie; virtual dice as the close fixed them."""

    dice: Dice


class Announce(_Action, frozen=True, tag="announce"):
    """Call the result."""


class Press(_Action, frozen=True, tag="press"):
    """Press a numbered button of the entry terminal."""

    number: Face


class Enter(_Action, frozen=True, tag="enter"):
    """Press the entry button."""


class AmendEntry(_Action, frozen=True, tag="amend-entry"):
    """Put a wrong entry right, under a supervisor, before settlement."""

    dice: Dice


class CorrectDice(_Action, frozen=True, tag="correct-dice"):
    """The dice were written down wrongly: the faces as they lie."""

    dice: Dice


class Collect(_Action, frozen=True, tag="collect"):
    """Collect all losing bets."""


class PayNext(_Action, frozen=True, tag="pay-next"):
    """Pay the next winner in the fixed order."""


class PayAll(_Action, frozen=True, tag="pay-all"):
    """Pay all winners that are left, in the fixed order."""


# ------------------------------------------------------------------ when something is wrong


class Report(_Action, frozen=True, tag="report"):
    """Record what happened. What follows from it is the book's word."""

    fact: Annotated[Fact, asked_by(Widget.FACT)]
    note: Words = ""
    about: RoundNumber | None = None
    """An earlier round; the one in play when none is named."""
    announced: bool = True
    """Whether the dealer made the call that goes with it, if one does."""
    dice_set: AnyDiceSet | None = None
    """The damaged set, also one that was taken out; the one in the tumbler when none is named."""


class Attest(_Action, frozen=True, tag="attest"):
    """A second person says whether a fact that holds the round is so."""

    fact: Annotated[Fact, asked_by(Widget.HELD_FACT)]
    confirmed: bool


class TouchLine(_Action, frozen=True, tag="touch-line"):
    """A bet touches the line of its segment."""

    player: PlayerName
    box: Box


class OpenDice(_Action, frozen=True, tag="open-dice"):
    """Publish the house's secret of a round that was void before its close."""

    round: RoundNumber
    opening: Hex


class Interrupt(_Action, frozen=True, tag="interrupt"):
    """Something stopped the round: power, a restart, an alarm."""

    cause: Words


class ResolveInterruption(_Action, frozen=True, tag="resolve-interruption"):
    """Say which dice could be read: with any, the round is concluded as the dice lie; with none it is void."""

    readable: Annotated[tuple[Face, ...], Meta(max_length=3), asked_by(Widget.FACES)]
    dice: Dice | None = None


class CorrectBet(_Action, frozen=True, tag="correct-bet"):
    """Put back a bet that the dealer or another patron moved, or that the dealer misplaced."""

    player: PlayerName
    lies_on: Box
    belongs_on: Box
    amount: Amount
    ground: MoveGround


class RuleOnLine(_Action, frozen=True, tag="rule-on-line"):
    """A bet that touches the line: honour it where it lies, or hand it back."""

    player: PlayerName
    box: Box
    honoured: bool


class MakeRuling(_Action, frozen=True, tag="rule"):
    """The shift manager decides what the book leaves open."""

    matter: ShortText
    decision: LongText
    ground: RulingGround
    considered: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=64)], ...],
        Meta(min_length=1, max_length=20),
        asked_by(Widget.CLAUSES),
    ]
    """The clauses that were considered."""
    void_round: bool = False
    """The round in play is void by it."""
    amounts: Annotated[
        dict[Name, Annotated[int, Meta(ge=-(10**15), le=10**15)]], Meta(max_length=100), asked_by(Widget.AMOUNTS)
    ] = {}
    """What the house pays each player by it; below zero, what the player pays the house."""
    about: RoundNumber | None = None
    """The round that the amounts are of; the newest when none is named."""


class NoteError(_Action, frozen=True, tag="note-error"):
    """An error of an earlier round, found now; later rounds stay as they are."""

    round: RoundNumber
    what: ShortText


class OpenDispute(_Action, frozen=True, tag="open-dispute"):
    """A player disputes a round."""

    dispute: Annotated[
        str, Meta(max_length=64, pattern=r"^([A-Za-z0-9][A-Za-z0-9._@-]*)?$(?!\n)"), asked_by(Widget.NOBODY)
    ]
    """What it is called; where this is empty, the table numbers it by the record in which it stands."""
    player: PlayerName
    round: RoundNumber
    claim: ShortText


class ResolveDispute(_Action, frozen=True, tag="resolve-dispute"):
    """A supervisor ends a dispute."""

    dispute: Annotated[Name, asked_by(Widget.DISPUTE)]
    resolution: LongText


Action = (
    SetUp | AssignDealing | TestSource | SetClock | CountFloat | ReceiveDice | SealDice | InspectDice | RetireDice
    | TestRun | CheckItem | OpenTable | SuspendTable | ResumeTable | SetLimits | CloseTable
    | SitDown | LeaveTable | WalkAway | BuyIn | BringChips | CashOut | TakeColour | TurnInColour | Fill | Credit
    | SettleDebt
    | CommitDice | Tumble | OpenBets | PlaceBet | WithdrawBet | AdviseMinimum | RejectExcess | CloseBets | DrawOdds
    | Uncover | Announce | Press | Enter | AmendEntry | CorrectDice | Collect | PayNext | PayAll
    | Report | Attest | OpenDice | Interrupt | ResolveInterruption | CorrectBet | TouchLine | RuleOnLine | MakeRuling
    | NoteError | OpenDispute | ResolveDispute
)  # fmt: skip


HOUSE_IDS: Final = "house:"
"""How the ids of the house's own commands begin; nobody else may send such an id."""


class Command(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something to do, with who asks, who authorises it, why and when."""

    id: Annotated[str, Meta(min_length=1, max_length=64)]
    at: Annotated[int, Meta(ge=0)]
    """Microseconds since the epoch, UTC."""
    by: Person
    do: Action
    authorised_by: Person | None = None
    reason: Words = ""
    round: Annotated[int, Meta(ge=0)] | None = None
    """The round it is meant for; in any other round it is refused. None for whichever round the table is in."""
