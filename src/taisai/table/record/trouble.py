"""Events when something is wrong: facts and what followed from them, corrections, rulings, disputes.

Enters: what `decide` found. Leaves: values as the journal keeps them (`table.events`). Nothing is edited: each of these
is an event of its own that names what it is about.
"""

from __future__ import annotations

from typing import ClassVar, Final

from taisai.core.rulebook import Rule
from taisai.table.commands import Dice
from taisai.table.declared import Audience, Declared, Happened, Meter, Significance
from taisai.table.parts import FixedBet, Handed, ReversedLine

CREW, EVERYONE = Audience.CREW, Audience.EVERYONE
ALWAYS: Final = Significance.ALWAYS
_HANDED: Final = frozenset({"handed"})
_LINES: Final = frozenset({"lines"})
_BETS: Final = frozenset({"bets", "capacity"})


class FactRecorded(Happened, frozen=True, gc=False, tag="fact-recorded"):
    """What happened, and what the book makes of it; the events of that follow."""

    declared: ClassVar = Declared(EVERYONE, Rule.VOID_RETURNS_BETS, significance=ALWAYS)
    fact: str
    round: int
    then: tuple[str, ...]
    clauses: tuple[str, ...]
    note: str = ""
    call: str = ""
    """The dealer's call, where no round is in play that could be void."""
    corrects: str = ""
    """The earlier record that it puts right."""
    attested: bool = True
    """False: the round is held until a second person says whether it is so."""
    late: bool = False
    """Found when the round was over: no money moves by it."""
    dice_set: str = ""
    """Of damaged dice, the set: the one in the tumbler, or one that was taken out."""


class FactAttested(Happened, frozen=True, gc=False, tag="fact-attested"):
    """A second person says whether a fact that held the round is so."""

    declared: ClassVar = Declared(EVERYONE, Rule.VOID_RETURNS_BETS, significance=ALWAYS)
    fact: str
    round: int
    confirmed: bool
    dice_set: str = ""


class SettlementUndone(Happened, frozen=True, gc=False, tag="settlement-undone"):
    """The round is void after collecting began: what was collected and paid goes back."""

    declared: ClassVar = Declared(EVERYONE, Rule.VOID_RETURNS_BETS, _LINES, significance=ALWAYS)
    round: int
    lines: tuple[ReversedLine, ...]


class RollVoided(Happened, frozen=True, gc=False, tag="roll-voided"):
    """The roll does not count: the bets stand, and the dice are tumbled again."""

    declared: ClassVar = Declared(EVERYONE, Rule.VOID_RETURNS_BETS, significance=ALWAYS)
    round: int
    why: str
    call: str
    clauses: tuple[str, ...]


class RoundVoided(Happened, frozen=True, gc=False, tag="round-voided"):
    """No result: every bet went back."""

    declared: ClassVar = Declared(EVERYONE, Rule.VOID_RETURNS_BETS, _HANDED, counted=Meter.VOIDED, significance=ALWAYS)
    round: int
    why: str
    """The book's word for it."""
    announced: bool
    call: str
    handed: tuple[Handed, ...]
    clauses: tuple[str, ...]


class RoundInterrupted(Happened, frozen=True, gc=False, tag="round-interrupted"):
    """The round stopped where it was."""

    declared: ClassVar = Declared(EVERYONE, Rule.INTERRUPTION_VOID, significance=ALWAYS)
    round: int
    cause: str
    phase: str


class InterruptionResolved(Happened, frozen=True, gc=False, tag="interruption-resolved"):
    """The round goes on, with these dice if they were not known before."""

    declared: ClassVar = Declared(EVERYONE, Rule.INTERRUPTION_CONCLUDED, significance=ALWAYS)
    round: int
    readable: tuple[int, ...]
    dice: Dice | None


class BetCorrected(Happened, frozen=True, gc=False, tag="bet-corrected"):
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
    ground: str = ""
    """Who moved or misplaced it; earlier versions did not ask."""


class LineTouched(Happened, frozen=True, gc=False, tag="line-touched"):
    """A bet touches the line of its segment."""

    declared: ClassVar = Declared(EVERYONE, Rule.LINE_TOUCHING_BETS)
    player: str
    box: str
    attested: bool
    """By a second person, or before the dice were known."""


class LineRuled(Happened, frozen=True, gc=False, tag="line-ruled"):
    """A bet on the line was honoured, or went back."""

    declared: ClassVar = Declared(EVERYONE, Rule.LINE_TOUCHING_BETS, _HANDED, significance=ALWAYS)
    player: str
    box: str
    honoured: bool
    handed: Handed | None


class RoundReversed(Happened, frozen=True, gc=False, tag="round-reversed"):
    """A settled round is void after all."""

    declared: ClassVar = Declared(EVERYONE, Rule.DAMAGED_DICE_VOID, _LINES, counted=Meter.REVERSED, significance=ALWAYS)
    round: int
    lines: tuple[ReversedLine, ...]
    clauses: tuple[str, ...]
    why: str = "damaged-dice"
    """The book's word for it."""


class Ruled(Happened, frozen=True, gc=False, tag="ruled"):
    """A decision of the shift manager."""

    declared: ClassVar = Declared(CREW, Rule.SHIFT_MANAGER_DECIDES, significance=ALWAYS)
    matter: str
    decision: str
    clauses: tuple[str, ...]
    ground: str = ""
    considered: tuple[str, ...] = ()
    lines: tuple[ReversedLine, ...] = ()
    """What it moves between the house and named players."""
    about: int = 0
    """The round that the amounts are of."""


class ErrorNoted(Happened, frozen=True, gc=False, tag="error-noted"):
    """An error of an earlier round, which changes no later one."""

    declared: ClassVar = Declared(CREW, Rule.LATER_ROUND_UNTOUCHED, significance=ALWAYS)
    round: int
    what: str


class DisputeOpened(Happened, frozen=True, gc=False, tag="dispute-opened"):
    """A player's claim."""

    declared: ClassVar = Declared(CREW, significance=ALWAYS)
    dispute: str
    player: str
    round: int
    claim: str


class DisputeResolved(Happened, frozen=True, gc=False, tag="dispute-resolved"):
    """How a claim ended."""

    declared: ClassVar = Declared(CREW, significance=ALWAYS)
    dispute: str
    resolution: str
