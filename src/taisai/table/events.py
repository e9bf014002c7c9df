"""Events: what happened at a table, as the journal keeps it.

Enters: what `decide` found allowed. Leaves: values that say everything needed to replay without a rule and to post
every cent. Each kind of event declares who is told of it, which report counts it and which rule stands behind it.
Names (`tag`) and versions are stable; a change of meaning is a new version with an upcast. Corrections and voids are
events of their own.
"""

from __future__ import annotations

from typing import ClassVar, Final

from msgspec import Struct

from taisai.core.rulebook import Rule, VoidReason
from taisai.table.commands import ColourSet, Count, DealtBy, Dice, How, Mending, TableLimits
from taisai.table.declared import Audience, Declared, Meter, Significance
from taisai.table.parts import FixedBet, FlagRaised, Handed, Loss, ReversedLine
from taisai.table.people import Person

CREW, EVERYONE, SHOWN = Audience.CREW, Audience.EVERYONE, Audience.SHOWN
ALWAYS: Final = Significance.ALWAYS
_AMOUNT: Final = frozenset({"amount"})
"""Everybody sees that it happens; how much a player has in hand is between the player and the house."""
_HANDED: Final = frozenset({"handed"})
_BETS: Final = frozenset({"bets", "capacity"})
"""The public view shows the bets."""


class _EventBody(Struct, frozen=True, gc=False, tag_field="event"):
    """Something that happened. No event can refer to itself, so the garbage collector tracks none (`gc=False`)."""

    declared: ClassVar[Declared] = Declared()
    """Private until an event declares otherwise."""


# ------------------------------------------------------------------ the shift


class TableSetUp(_EventBody, frozen=True, gc=False, tag="table-set-up"):
    """The table stands under a rule book."""

    declared: ClassVar = Declared(EVERYONE, significance=ALWAYS)
    book: str
    layout: str
    digest: str
    limits: TableLimits
    currency: str
    denominations: tuple[int, ...]
    colours: dict[str, ColourSet]


class DealingAssigned(_EventBody, frozen=True, gc=False, tag="dealing-assigned"):
    """Who deals the table from now on, and how long bets stay open at least."""

    declared: ClassVar = Declared(EVERYONE, significance=ALWAYS)
    to: DealtBy
    betting_min_ms: int


class FloatCounted(_EventBody, frozen=True, gc=False, tag="float-counted"):
    """The opening float was counted into the tray."""

    declared: ClassVar = Declared(CREW)
    count: Count
    amount: int


class DiceReceived(_EventBody, frozen=True, gc=False, tag="dice-received"):
    """A set arrived."""

    declared: ClassVar = Declared(EVERYONE, Rule.DICE_SET)
    dice_set: str


class DiceSealed(_EventBody, frozen=True, gc=False, tag="dice-sealed"):
    """A set went into the tumbler under a seal."""

    declared: ClassVar = Declared(EVERYONE, Rule.DICE_SET)
    dice_set: str
    seal: str


class DiceInspected(_EventBody, frozen=True, gc=False, tag="dice-inspected"):
    """The set in the tumbler was looked at."""

    declared: ClassVar = Declared(EVERYONE, Rule.DICE_SET, significance=ALWAYS)
    dice_set: str
    sound: bool
    note: str


class DiceRetired(_EventBody, frozen=True, gc=False, tag="dice-retired"):
    """A set left for good."""

    declared: ClassVar = Declared(EVERYONE, Rule.DICE_SET)
    dice_set: str
    note: str


class DiceOverdue(_EventBody, frozen=True, gc=False, tag="dice-overdue"):
    """The set has been in the tumbler for a day: a warning, once a set."""

    declared: ClassVar = Declared(EVERYONE, Rule.DICE_SET, significance=ALWAYS)
    dice_set: str
    hours: int


class TestRunMade(_EventBody, frozen=True, gc=False, tag="test-run-made"):
    """A known result was entered and its areas looked at."""

    declared: ClassVar = Declared(EVERYONE, Rule.OPENING_CHECK)
    dice: Dice
    lit: tuple[str, ...]
    lit_correctly: bool


class ItemChecked(_EventBody, frozen=True, gc=False, tag="item-checked"):
    """An item of the opening check."""

    declared: ClassVar = Declared(EVERYONE, Rule.OPENING_CHECK)
    item: str
    passed: bool
    note: str


class TableOpened(_EventBody, frozen=True, gc=False, tag="table-opened"):
    """Open for gaming, under this book."""

    declared: ClassVar = Declared(EVERYONE, Rule.OPENING_CHECK, significance=ALWAYS)
    digest: str


class TableSuspended(_EventBody, frozen=True, gc=False, tag="table-suspended"):
    """No further round for now."""

    declared: ClassVar = Declared(EVERYONE, Rule.SUSPENDED_AFTER_MALFUNCTION, significance=ALWAYS)
    cause: str


class TableResumed(_EventBody, frozen=True, gc=False, tag="table-resumed"):
    """The table may go on, and why that is safe."""

    declared: ClassVar = Declared(EVERYONE, Rule.SUSPENDED_AFTER_MALFUNCTION, significance=ALWAYS)
    by: Mending
    note: str
    cause: str


class LimitsSet(_EventBody, frozen=True, gc=False, tag="limits-set"):
    """Limits changed."""

    declared: ClassVar = Declared(EVERYONE, Rule.LIMITS_SHOWN, significance=ALWAYS)
    before: TableLimits
    after: TableLimits


class TableClosed(_EventBody, frozen=True, gc=False, tag="table-closed"):
    """The closing float, as counted and as expected, and the chips that players took away."""

    declared: ClassVar = Declared(CREW, significance=ALWAYS)
    count: Count
    amount: int
    expected: int
    drop: int
    """The cash in the drop box, which goes to be counted."""
    leaving: dict[str, int]


# ------------------------------------------------------------------ people and chips


class PlayerSat(_EventBody, frozen=True, gc=False, tag="player-sat"):
    """A player joined."""

    declared: ClassVar = Declared(EVERYONE)
    player: str


class PlayerLeft(_EventBody, frozen=True, gc=False, tag="player-left"):
    """A player left with their value chips."""

    declared: ClassVar = Declared(EVERYONE, Rule.ROLES, _AMOUNT)
    player: str
    amount: int


class PlayerWalkedAway(_EventBody, frozen=True, gc=False, tag="player-walked-away"):
    """A player is gone; their bets stand."""

    declared: ClassVar = Declared(EVERYONE, Rule.WALK_AWAY_SETTLED)
    player: str


class BoughtIn(_EventBody, frozen=True, gc=False, tag="bought-in"):
    """Cash into the drop, chips to the player."""

    declared: ClassVar = Declared(CREW, Rule.CHANGE_BLOCK, counted=Meter.DROP)
    player: str
    amount: int


class ChipsBrought(_EventBody, frozen=True, gc=False, tag="chips-brought"):
    """Value chips from elsewhere."""

    declared: ClassVar = Declared(CREW, Rule.CHANGE_BLOCK)
    player: str
    amount: int


class CashedOut(_EventBody, frozen=True, gc=False, tag="cashed-out"):
    """Value chips taken away."""

    declared: ClassVar = Declared(CREW, Rule.CHANGE_BLOCK)
    player: str
    amount: int


class ColourTaken(_EventBody, frozen=True, gc=False, tag="colour-taken"):
    """A player exchanged value chips for colour chips."""

    declared: ClassVar = Declared(EVERYONE, Rule.COLOUR_CHIPS, _AMOUNT)
    player: str
    colour: str
    value: int
    amount: int


class ColourTurnedIn(_EventBody, frozen=True, gc=False, tag="colour-turned-in"):
    """A player exchanged colour chips for value chips."""

    declared: ClassVar = Declared(EVERYONE, Rule.COLOUR_CHIPS, _AMOUNT)
    player: str
    colour: str
    amount: int


class Filled(_EventBody, frozen=True, gc=False, tag="filled"):
    """Chips from the cage."""

    declared: ClassVar = Declared(CREW, counted=Meter.FILLS)
    count: Count
    amount: int


class Credited(_EventBody, frozen=True, gc=False, tag="credited"):
    """Chips to the cage."""

    declared: ClassVar = Declared(CREW, counted=Meter.CREDITS)
    count: Count
    amount: int


class DebtSettled(_EventBody, frozen=True, gc=False, tag="debt-settled"):
    """A player paid what they owed."""

    declared: ClassVar = Declared(CREW, Rule.DAMAGED_DICE_VOID)
    player: str
    amount: int


# ------------------------------------------------------------------ the round


class DiceCommitted(_EventBody, frozen=True, gc=False, tag="dice-committed"):
    """The virtual dice of a round are fixed; what they show is told when they are uncovered."""

    declared: ClassVar = Declared(EVERYONE, Rule.BETS_OPEN)
    round: int
    commitment: str


class DiceTumbled(_EventBody, frozen=True, gc=False, tag="dice-tumbled"):
    """The covered dice were tumbled."""

    declared: ClassVar = Declared(EVERYONE, Rule.TUMBLE_COUNT)
    round: int
    times: int


class BetsOpened(_EventBody, frozen=True, gc=False, tag="bets-opened"):
    """The round begins, under the rules with this digest."""

    declared: ClassVar = Declared(EVERYONE, Rule.NO_BET_BEFORE_PAID)
    round: int
    call: str
    digest: str


class BetPlaced(_EventBody, frozen=True, gc=False, tag="bet-placed"):
    """Chips into a box."""

    declared: ClassVar = Declared(SHOWN, Rule.NO_CHANGE_AFTER_CLOSE, urgent=False)
    player: str
    box: str
    amount: int
    how: How = How.PLACED
    colour: str | None = None


class BetWithdrawn(_EventBody, frozen=True, gc=False, tag="bet-withdrawn"):
    """Chips out of a box, while betting was open."""

    declared: ClassVar = Declared(SHOWN, Rule.NO_CHANGE_AFTER_CLOSE, urgent=False)
    handed: Handed


class MinimumAdvised(_EventBody, frozen=True, gc=False, tag="minimum-advised"):
    """A player was told that a bet is under the minimum."""

    declared: ClassVar = Declared(EVERYONE, Rule.UNDER_MINIMUM_ADVISED)
    player: str
    box: str
    stake: int
    minimum: int


class ExcessRejected(_EventBody, frozen=True, gc=False, tag="excess-rejected"):
    """What was over the limit went back, newest first."""

    declared: ClassVar = Declared(EVERYONE, Rule.EXCESS_REJECTED, _HANDED)
    box: str
    limit: str
    handed: tuple[Handed, ...]


class BetsClosed(_EventBody, frozen=True, gc=False, tag="bets-closed"):
    """The bets as they lie, and what of each is at risk."""

    declared: ClassVar = Declared(EVERYONE, Rule.BETS_CLOSE, _BETS | {"flags"})
    call: str
    bell: bool
    bets: tuple[FixedBet, ...]
    flags: tuple[FlagRaised, ...]
    capacity: dict[str, int]
    """Boxes that are settled pro rata, with the capacity that each was over."""


class DiceUncovered(_EventBody, frozen=True, gc=False, tag="dice-uncovered"):
    """The faces as they lie."""

    declared: ClassVar = Declared(EVERYONE, Rule.UPPERMOST_FACES)
    dice: Dice
    opening: str = ""
    """The secret that the round was committed to; empty for physical dice."""


class ResultAnnounced(_EventBody, frozen=True, gc=False, tag="result-announced"):
    """The dealer's call."""

    declared: ClassVar = Declared(EVERYONE, Rule.UPPERMOST_FACES)
    call: str
    total: int


class NumberPressed(_EventBody, frozen=True, gc=False, tag="number-pressed"):
    """A button of the terminal."""

    declared: ClassVar = Declared(SHOWN, Rule.ENTRY_TERMINAL)
    number: int


class ResultEntered(_EventBody, frozen=True, gc=False, tag="result-entered"):
    """The entry button: these numbers, these lights."""

    declared: ClassVar = Declared(EVERYONE, Rule.ENTRY_TERMINAL)
    dice: Dice
    lit: tuple[str, ...]
    matches: bool


class AreasLit(_EventBody, frozen=True, gc=False, tag="areas-lit"):
    """The winning areas light without a terminal."""

    declared: ClassVar = Declared(EVERYONE, Rule.WINNING_LIGHTS)
    lit: tuple[str, ...]


class EntryAmended(_EventBody, frozen=True, gc=False, tag="entry-amended"):
    """A wrong entry put right."""

    declared: ClassVar = Declared(EVERYONE, Rule.ENTRY_AMENDED, significance=ALWAYS)
    before: Dice
    after: Dice
    lit: tuple[str, ...]


class LightsFaulted(_EventBody, frozen=True, gc=False, tag="lights-faulted"):
    """The lights failed or were wrong: the dice decide, and the table is suspended after the round."""

    declared: ClassVar = Declared(EVERYONE, Rule.DICE_DECIDE_OVER_LIGHTS, significance=ALWAYS)
    fault: str


class LosersCollected(_EventBody, frozen=True, gc=False, tag="losers-collected"):
    """All losing bets into the float."""

    declared: ClassVar = Declared(CREW, Rule.COLLECT_THEN_PAY)
    losses: tuple[Loss, ...]


class BetPaid(_EventBody, frozen=True, gc=False, tag="bet-paid"):
    """One bet was paid: a winner, or the part of a loser that was not at risk."""

    declared: ClassVar = Declared(SHOWN, Rule.COLLECT_THEN_PAY, significance=Significance.LARGE_WIN)
    player: str
    box: str
    stake: int
    at_risk: int
    pays: int | None
    winnings: int
    returned: int
    in_colour: int = 0
    colour: str | None = None


class RoundConcluded(_EventBody, frozen=True, gc=False, tag="round-concluded"):
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


# ------------------------------------------------------------------ when something is wrong


class RoundVoided(_EventBody, frozen=True, gc=False, tag="round-voided"):
    """No result: every bet went back."""

    declared: ClassVar = Declared(EVERYONE, Rule.VOID_RETURNS_BETS, _HANDED, counted=Meter.VOIDED, significance=ALWAYS)
    round: int
    why: VoidReason
    announced: bool
    call: str
    handed: tuple[Handed, ...]
    clauses: tuple[str, ...]


class RoundInterrupted(_EventBody, frozen=True, gc=False, tag="round-interrupted"):
    """The round stopped where it was."""

    declared: ClassVar = Declared(EVERYONE, Rule.INTERRUPTION_VOID, significance=ALWAYS)
    round: int
    cause: str
    phase: str


class InterruptionResolved(_EventBody, frozen=True, gc=False, tag="interruption-resolved"):
    """The round goes on, with these dice if they were not known before."""

    declared: ClassVar = Declared(EVERYONE, Rule.INTERRUPTION_CONCLUDED, significance=ALWAYS)
    round: int
    readable: tuple[int, ...]
    dice: Dice | None


class BetCorrected(_EventBody, frozen=True, gc=False, tag="bet-corrected"):
    """A moved bet was put back."""

    declared: ClassVar = Declared(EVERYONE, Rule.MOVED_WAGER_CORRECTED, _BETS, significance=ALWAYS)
    player: str
    lies_on: str
    belongs_on: str
    amount: int
    bets: tuple[FixedBet, ...]
    """All bets of the round after the correction."""
    capacity: dict[str, int]
    """As in `BetsClosed`, after the correction."""


class LineRuled(_EventBody, frozen=True, gc=False, tag="line-ruled"):
    """A bet on the line was honoured, or went back."""

    declared: ClassVar = Declared(EVERYONE, Rule.LINE_TOUCHING_BETS, _HANDED, significance=ALWAYS)
    player: str
    box: str
    honoured: bool
    handed: Handed | None


class RoundReversed(_EventBody, frozen=True, gc=False, tag="round-reversed"):
    """A settled round is void after all."""

    declared: ClassVar = Declared(CREW, Rule.DAMAGED_DICE_VOID, counted=Meter.REVERSED, significance=ALWAYS)
    round: int
    lines: tuple[ReversedLine, ...]
    clauses: tuple[str, ...]


class Ruled(_EventBody, frozen=True, gc=False, tag="ruled"):
    """A decision of the shift manager."""

    declared: ClassVar = Declared(CREW, Rule.SHIFT_MANAGER_DECIDES, significance=ALWAYS)
    matter: str
    decision: str
    clauses: tuple[str, ...]


class ErrorNoted(_EventBody, frozen=True, gc=False, tag="error-noted"):
    """An error of an earlier round, which changes no later one."""

    declared: ClassVar = Declared(CREW, Rule.LATER_ROUND_UNTOUCHED, significance=ALWAYS)
    round: int
    what: str


class DisputeOpened(_EventBody, frozen=True, gc=False, tag="dispute-opened"):
    """A player's claim."""

    declared: ClassVar = Declared(CREW, significance=ALWAYS)
    dispute: str
    player: str
    round: int
    claim: str


class DisputeResolved(_EventBody, frozen=True, gc=False, tag="dispute-resolved"):
    """How a claim ended."""

    declared: ClassVar = Declared(CREW, significance=ALWAYS)
    dispute: str
    resolution: str


EventBody = (
    TableSetUp | DealingAssigned | FloatCounted | DiceReceived | DiceSealed | DiceInspected | DiceRetired | DiceOverdue
    | TestRunMade | ItemChecked | TableOpened | TableSuspended | TableResumed | LimitsSet | TableClosed
    | PlayerSat | PlayerLeft | PlayerWalkedAway | BoughtIn | ChipsBrought | CashedOut | ColourTaken | ColourTurnedIn
    | Filled | Credited | DebtSettled
    | DiceCommitted | DiceTumbled | BetsOpened | BetPlaced | BetWithdrawn | MinimumAdvised | ExcessRejected
    | BetsClosed | DiceUncovered | ResultAnnounced | NumberPressed | ResultEntered | AreasLit | EntryAmended
    | LightsFaulted | LosersCollected | BetPaid | RoundConcluded
    | RoundVoided | RoundInterrupted | InterruptionResolved | BetCorrected | LineRuled | RoundReversed | Ruled
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
