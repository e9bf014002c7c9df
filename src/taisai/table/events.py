"""Events: what happened at a table, as the journal keeps it.

Enters: what `decide` found allowed. Leaves: values that say everything needed to replay without a rule and to post
every cent. Each kind of event declares who is told of it, which report counts it and which rule stands behind it.
Names (`tag`) and versions are stable; a change of meaning is a new version with an upcast. Corrections and voids are
events of their own.
"""

from __future__ import annotations

from typing import ClassVar, Final

from msgspec import Struct

from taisai.core.rulebook import Rule
from taisai.table.commands import ColourSet, Count, Coverage, DealtBy, Dice, How, Mending, Purpose, TableLimits
from taisai.table.declared import Audience, Declared, Happened, Meter, Significance
from taisai.table.parts import FixedBet, FlagRaised, Handed, Loss
from taisai.table.people import Person
from taisai.table.record import trouble

CREW, EVERYONE, SHOWN = Audience.CREW, Audience.EVERYONE, Audience.SHOWN
ALWAYS: Final = Significance.ALWAYS
_AMOUNT: Final = frozenset({"amount"})
"""Everybody sees that it happens; how much a player has in hand is between the player and the house."""
_HANDED: Final = frozenset({"handed"})
_LINES: Final = frozenset({"lines"})
_BETS: Final = frozenset({"bets", "capacity"})
"""The public view shows the bets."""


class TableSetUp(Happened, frozen=True, gc=False, tag="table-set-up"):
    """The table stands under a rule book."""

    declared: ClassVar = Declared(EVERYONE, significance=ALWAYS)
    book: str
    layout: str
    digest: str
    limits: TableLimits
    currency: str
    denominations: tuple[int, ...]
    colours: dict[str, ColourSet]
    coverage: Coverage = Coverage.AREAS


class EditionTaken(Happened, frozen=True, gc=False, tag="edition-taken"):
    """Between two rounds the table takes up the edition that `replaces` its rule book; all else stays as it was."""

    declared: ClassVar = Declared(EVERYONE, significance=ALWAYS)
    book: str
    layout: str
    digest: str
    replaces: str


class DealingAssigned(Happened, frozen=True, gc=False, tag="dealing-assigned"):
    """Who deals the table from now on, how long bets stay open at least, and what the table is for."""

    declared: ClassVar = Declared(EVERYONE, significance=ALWAYS)
    to: DealtBy
    betting_min_ms: int
    purpose: Purpose | None = None
    """None in records of version 0.1.0, which do not say."""


class SourceTested(Happened, frozen=True, gc=False, tag="source-tested"):
    """The house's own dealer tested its source of dice and the lights; it has no tumbler and no seal to look at."""

    declared: ClassVar = Declared(EVERYONE, Rule.OPENING_CHECK)
    source: str
    drawn: int
    sound: bool
    dark: tuple[str, ...]


class ClockSet(Happened, frozen=True, gc=False, tag="clock-set"):
    """The house's clock was set by so many microseconds: earlier times of this table are by the clock as it was."""

    declared: ClassVar = Declared(EVERYONE, significance=ALWAYS)
    by_us: int


class FloatCounted(Happened, frozen=True, gc=False, tag="float-counted"):
    """The opening float was counted into the tray."""

    declared: ClassVar = Declared(CREW)
    count: Count
    amount: int


class DiceReceived(Happened, frozen=True, gc=False, tag="dice-received"):
    """A set arrived."""

    declared: ClassVar = Declared(EVERYONE, Rule.DICE_SET)
    dice_set: str


class DiceSealed(Happened, frozen=True, gc=False, tag="dice-sealed"):
    """A set went into the tumbler under a seal."""

    declared: ClassVar = Declared(EVERYONE, Rule.DICE_SET)
    dice_set: str
    seal: str


class DiceInspected(Happened, frozen=True, gc=False, tag="dice-inspected"):
    """The set in the tumbler was looked at."""

    declared: ClassVar = Declared(EVERYONE, Rule.DICE_SET, significance=ALWAYS)
    dice_set: str
    sound: bool
    note: str


class DiceRetired(Happened, frozen=True, gc=False, tag="dice-retired"):
    """A set left for good."""

    declared: ClassVar = Declared(EVERYONE, Rule.DICE_SET)
    dice_set: str
    note: str


class DiceOverdue(Happened, frozen=True, gc=False, tag="dice-overdue"):
    """The set has been in the tumbler for a day: a warning, once a set."""

    declared: ClassVar = Declared(EVERYONE, Rule.DICE_SET, significance=ALWAYS)
    dice_set: str
    hours: int


class TestRunMade(Happened, frozen=True, gc=False, tag="test-run-made"):
    """A known result was entered and its areas looked at."""

    declared: ClassVar = Declared(EVERYONE, Rule.OPENING_CHECK)
    dice: Dice
    lit: tuple[str, ...]
    lit_correctly: bool


class ItemChecked(Happened, frozen=True, gc=False, tag="item-checked"):
    """An item of the opening check."""

    declared: ClassVar = Declared(EVERYONE, Rule.OPENING_CHECK)
    item: str
    passed: bool
    note: str
    coverage: str = ""
    """What the test runs had to light."""


class TableOpened(Happened, frozen=True, gc=False, tag="table-opened"):
    """Open for gaming, under this book."""

    declared: ClassVar = Declared(EVERYONE, Rule.OPENING_CHECK, significance=ALWAYS)
    digest: str


class TableSuspended(Happened, frozen=True, gc=False, tag="table-suspended"):
    """No further round for now."""

    declared: ClassVar = Declared(EVERYONE, Rule.SUSPENDED_AFTER_MALFUNCTION, significance=ALWAYS)
    cause: str


class TableResumed(Happened, frozen=True, gc=False, tag="table-resumed"):
    """The table may go on, and why that is safe."""

    declared: ClassVar = Declared(EVERYONE, Rule.SUSPENDED_AFTER_MALFUNCTION, significance=ALWAYS)
    by: Mending
    note: str
    cause: str


class LimitsSet(Happened, frozen=True, gc=False, tag="limits-set"):
    """Limits changed."""

    declared: ClassVar = Declared(EVERYONE, Rule.LIMITS_SHOWN, significance=ALWAYS)
    before: TableLimits
    after: TableLimits


class TableClosed(Happened, frozen=True, gc=False, tag="table-closed"):
    """The closing float, as counted and as expected, and the chips that players took away."""

    declared: ClassVar = Declared(CREW, significance=ALWAYS)
    count: Count
    amount: int
    expected: int
    drop: int
    """The cash in the drop box, which goes to be counted."""
    leaving: dict[str, int]


class PlayerSat(Happened, frozen=True, gc=False, tag="player-sat"):
    """A player joined."""

    declared: ClassVar = Declared(EVERYONE)
    player: str


class PlayerLeft(Happened, frozen=True, gc=False, tag="player-left"):
    """A player left with their value chips."""

    declared: ClassVar = Declared(EVERYONE, Rule.ROLES, _AMOUNT)
    player: str
    amount: int


class PlayerWalkedAway(Happened, frozen=True, gc=False, tag="player-walked-away"):
    """A player is gone; their bets stand."""

    declared: ClassVar = Declared(EVERYONE, Rule.WALK_AWAY_SETTLED)
    player: str


class BoughtIn(Happened, frozen=True, gc=False, tag="bought-in"):
    """Cash into the drop, chips to the player."""

    declared: ClassVar = Declared(CREW, Rule.CHANGE_BLOCK, counted=Meter.DROP)
    player: str
    amount: int


class ChipsBrought(Happened, frozen=True, gc=False, tag="chips-brought"):
    """Value chips from elsewhere."""

    declared: ClassVar = Declared(CREW, Rule.CHANGE_BLOCK)
    player: str
    amount: int


class CashedOut(Happened, frozen=True, gc=False, tag="cashed-out"):
    """Value chips taken away."""

    declared: ClassVar = Declared(CREW, Rule.CHANGE_BLOCK)
    player: str
    amount: int


class ColourTaken(Happened, frozen=True, gc=False, tag="colour-taken"):
    """A player exchanged value chips for colour chips."""

    declared: ClassVar = Declared(EVERYONE, Rule.COLOUR_CHIPS, _AMOUNT)
    player: str
    colour: str
    value: int
    amount: int


class ColourTurnedIn(Happened, frozen=True, gc=False, tag="colour-turned-in"):
    """A player exchanged colour chips for value chips."""

    declared: ClassVar = Declared(EVERYONE, Rule.COLOUR_CHIPS, _AMOUNT)
    player: str
    colour: str
    amount: int


class Filled(Happened, frozen=True, gc=False, tag="filled"):
    """Chips from the cage."""

    declared: ClassVar = Declared(CREW, counted=Meter.FILLS)
    count: Count
    amount: int


class Credited(Happened, frozen=True, gc=False, tag="credited"):
    """Chips to the cage."""

    declared: ClassVar = Declared(CREW, counted=Meter.CREDITS)
    count: Count
    amount: int


class DebtSettled(Happened, frozen=True, gc=False, tag="debt-settled"):
    """A debt left by a void or a ruling was paid."""

    declared: ClassVar = Declared(CREW, Rule.DAMAGED_DICE_VOID)
    player: str
    amount: int
    to_player: bool = False
    """The house paid what it owed."""


class DiceCommitted(Happened, frozen=True, gc=False, tag="dice-committed"):
    """The house is committed to its part in the virtual dice of a round."""

    declared: ClassVar = Declared(EVERYONE, Rule.BETS_OPEN, frozenset({"nonce"}))
    round: int
    commitment: str
    form: int = 1
    """How (`core.fair`): form 1 fixed the roll by this alone, form 2 by what the players bring as well."""
    nonce: str = ""
    """What the house finds its secret again by, with its key; useless without."""


class DiceTumbled(Happened, frozen=True, gc=False, tag="dice-tumbled"):
    """The covered dice were tumbled."""

    declared: ClassVar = Declared(EVERYONE, Rule.TUMBLE_COUNT)
    round: int
    times: int


class BetsOpened(Happened, frozen=True, gc=False, tag="bets-opened"):
    """The round begins, under the rules with this digest."""

    declared: ClassVar = Declared(EVERYONE, Rule.NO_BET_BEFORE_PAID)
    round: int
    call: str
    digest: str
    closes_at: int = 0
    """When bets close, to the microsecond; 0 where the dealer calls the close."""


class BetPlaced(Happened, frozen=True, gc=False, omit_defaults=True, tag="bet-placed"):
    """Chips into a box."""

    declared: ClassVar = Declared(SHOWN, Rule.NO_CHANGE_AFTER_CLOSE, urgent=False)
    player: str
    box: str
    amount: int
    how: How = How.PLACED
    colour: str | None = None
    contribution: str = ""
    """The player's own part in virtual dice, where it is another than before."""


class BetWithdrawn(Happened, frozen=True, gc=False, tag="bet-withdrawn"):
    """Chips out of a box, while betting was open."""

    declared: ClassVar = Declared(SHOWN, Rule.NO_CHANGE_AFTER_CLOSE, urgent=False)
    handed: Handed


class MinimumAdvised(Happened, frozen=True, gc=False, tag="minimum-advised"):
    """A player was told that a bet is under the minimum."""

    declared: ClassVar = Declared(EVERYONE, Rule.UNDER_MINIMUM_ADVISED)
    player: str
    box: str
    stake: int
    minimum: int


class ExcessRejected(Happened, frozen=True, gc=False, tag="excess-rejected"):
    """What was over the limit went back, newest first."""

    declared: ClassVar = Declared(EVERYONE, Rule.EXCESS_REJECTED, _HANDED)
    box: str
    limit: str
    handed: tuple[Handed, ...]


class ExcessLeft(Happened, frozen=True, gc=False, tag="excess-left"):
    """A box was over a limit at the closing call, and the excess was not rejected."""

    declared: ClassVar = Declared(EVERYONE, Rule.EXCESS_REJECTED, significance=ALWAYS)
    box: str
    limit: str
    amount: int


class BetReturned(Happened, frozen=True, gc=False, tag="bet-returned"):
    """A bet under the minimum, of which the player had been told, went back just before the closing call."""

    declared: ClassVar = Declared(EVERYONE, Rule.UNDER_MINIMUM_ADVISED, _HANDED)
    player: str
    box: str
    minimum: int
    handed: Handed


class BetsClosed(Happened, frozen=True, gc=False, tag="bets-closed"):
    """The bets as they lie, and what of each is at risk."""

    declared: ClassVar = Declared(EVERYONE, Rule.BETS_CLOSE, _BETS | {"flags"})
    call: str
    bell: bool
    bets: tuple[FixedBet, ...]
    flags: tuple[FlagRaised, ...]
    capacity: dict[str, int]
    """Boxes that are settled pro rata, with the capacity that each was over."""


class DiceOpened(Happened, frozen=True, gc=False, tag="dice-opened"):
    """The house's secret and what the players brought; with the close they fix the dice (R14, R22)."""

    declared: ClassVar = Declared(EVERYONE, Rule.BETS_CLOSE)
    round: int
    opening: str
    contributions: tuple[str, ...]
    """Sorted; whose each is, the bets say."""
    dice: Dice | None
    """None for a round that was void before its close, and so has no roll."""


class OddsDrawn(Happened, frozen=True, gc=False, tag="odds-drawn"):
    """What some boxes pay more in this round, by the draw table of the layout; known before the dice."""

    declared: ClassVar = Declared(EVERYONE, Rule.PAY_TABLE)
    round: int
    draw: str
    raised: dict[str, int | str]
    """By box: the odds to 1 of this round."""


class DiceUncovered(Happened, frozen=True, gc=False, tag="dice-uncovered"):
    """The faces as they lie."""

    declared: ClassVar = Declared(EVERYONE, Rule.UPPERMOST_FACES)
    dice: Dice
    opening: str = ""
    """The secret that the round was committed to; empty for physical dice."""


class ResultAnnounced(Happened, frozen=True, gc=False, tag="result-announced"):
    """The dealer's call."""

    declared: ClassVar = Declared(EVERYONE, Rule.UPPERMOST_FACES)
    call: str
    total: int


class NumberPressed(Happened, frozen=True, gc=False, tag="number-pressed"):
    """A button of the terminal."""

    declared: ClassVar = Declared(SHOWN, Rule.ENTRY_TERMINAL)
    number: int


class ResultEntered(Happened, frozen=True, gc=False, tag="result-entered"):
    """The entry button: these numbers, these lights."""

    declared: ClassVar = Declared(EVERYONE, Rule.ENTRY_TERMINAL)
    dice: Dice
    lit: tuple[str, ...]
    matches: bool


class AreasLit(Happened, frozen=True, gc=False, tag="areas-lit"):
    """The winning areas light without a terminal."""

    declared: ClassVar = Declared(EVERYONE, Rule.WINNING_LIGHTS)
    lit: tuple[str, ...]


class EntryAmended(Happened, frozen=True, gc=False, tag="entry-amended"):
    """A wrong entry put right."""

    declared: ClassVar = Declared(EVERYONE, Rule.ENTRY_AMENDED, significance=ALWAYS)
    before: Dice
    after: Dice
    lit: tuple[str, ...]


class DiceCorrected(Happened, frozen=True, gc=False, tag="dice-corrected"):
    """The dice had been written down wrongly; with a new call and new lights where those had come already."""

    declared: ClassVar = Declared(EVERYONE, Rule.UPPERMOST_FACES, significance=ALWAYS)
    before: Dice
    after: Dice
    call: str
    total: int
    lit: tuple[str, ...]


class LosersCollected(Happened, frozen=True, gc=False, tag="losers-collected"):
    """All losing bets into the float."""

    declared: ClassVar = Declared(CREW, Rule.COLLECT_THEN_PAY)
    losses: tuple[Loss, ...]


class BetPaid(Happened, frozen=True, gc=False, tag="bet-paid"):
    """One bet was paid: a winner, or the part of a loser that was not at risk."""

    declared: ClassVar = Declared(SHOWN, Rule.COLLECT_THEN_PAY, significance=Significance.LARGE_WIN)
    player: str
    box: str
    stake: int
    at_risk: int
    pays: int | str | None
    winnings: int
    returned: int
    in_colour: int = 0
    colour: str | None = None


class RoundConcluded(Happened, frozen=True, gc=False, tag="round-concluded"):
    """All paid: the round is over."""

    declared: ClassVar = Declared(EVERYONE, Rule.COLLECT_THEN_PAY, counted=Meter.ROUNDS)
    round: int
    dice: Dice
    staked: int
    at_risk: int
    winnings: int
    returned: int
    expected_216: int
    """What the bets return on average, times 216, so that it is a whole number."""
    deviation: int = 0
    farthest: int = 0
    """What the bets return under fair dice: standard deviation and farthest roll from it, rounded up; 0 in 0.1."""


BetCorrected = trouble.BetCorrected
DisputeOpened = trouble.DisputeOpened
DisputeResolved = trouble.DisputeResolved
ErrorNoted = trouble.ErrorNoted
FactAttested = trouble.FactAttested
FactRecorded = trouble.FactRecorded
InterruptionResolved = trouble.InterruptionResolved
LineRuled = trouble.LineRuled
LineTouched = trouble.LineTouched
RollVoided = trouble.RollVoided
RoundInterrupted = trouble.RoundInterrupted
RoundReversed = trouble.RoundReversed
RoundVoided = trouble.RoundVoided
Ruled = trouble.Ruled
SettlementUndone = trouble.SettlementUndone

EventBody = (
    TableSetUp | DealingAssigned | SourceTested | ClockSet | FloatCounted | DiceReceived | DiceSealed | DiceInspected
    | DiceRetired | DiceOverdue | TestRunMade | ItemChecked | TableOpened | TableSuspended | TableResumed | LimitsSet
    | TableClosed | EditionTaken
    | PlayerSat | PlayerLeft | PlayerWalkedAway | BoughtIn | ChipsBrought | CashedOut | ColourTaken | ColourTurnedIn
    | Filled | Credited | DebtSettled
    | DiceCommitted | DiceTumbled | BetsOpened | BetPlaced | BetWithdrawn | MinimumAdvised | ExcessRejected
    | ExcessLeft | BetReturned | BetsClosed | DiceOpened | OddsDrawn | DiceUncovered | ResultAnnounced | NumberPressed
    | ResultEntered | AreasLit | EntryAmended | DiceCorrected | LosersCollected | BetPaid | RoundConcluded
    | FactRecorded | FactAttested | SettlementUndone | RollVoided | RoundVoided | RoundInterrupted
    | InterruptionResolved | BetCorrected | LineTouched | LineRuled | RoundReversed | Ruled
    | ErrorNoted | DisputeOpened | DisputeResolved
)  # fmt: skip


class Event(Struct, frozen=True, gc=False):
    """What happened, with who did it, who authorised it, why and when."""

    at: int
    by: Person
    what: EventBody
    authorised_by: Person | None = None
    reason: str = ""


VERSIONS: Final[dict[str, int]] = {"bets-closed": 2, "bet-corrected": 2}
"""Versions of events other than the first, by name."""
