"""What the four books ask of a round, read from their clauses a second time.

Enters: a rule book. Leaves: a `Reading`: how the dice are tumbled, what the table has, what follows from each fact, and
which rulings the book knows. The four books are typed in here and not taken from their data; a casino's own book is
taken at its word, since nobody has read its clauses twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

VOID, VOID_SET, AGAIN, BY_DICE, SUSPEND, RECORD = (
    "void-round", "void-rounds-of-set", "re-roll", "dice-decide", "suspend", "record",
)  # fmt: skip
"""What a book makes of a fact."""
ENDS: Final = frozenset({VOID, VOID_SET, AGAIN})
"""After these a result does not stand."""
VOIDING: Final = frozenset({VOID, VOID_SET})
EQUIPMENT: Final = frozenset({"lights-fault", "terminal-dead"})


class Reading(NamedTuple):
    """A book's procedure."""

    tumble: str
    """`before-bets`, `after-close`, or `either`."""
    adds_up: bool
    """Whether spins add up, as of a cage and of a tumbler before the bets; otherwise one start is one tumble."""
    opening: tuple[str, ...] = ()
    """The items of the opening check."""
    facts: Mapping[str, tuple[str, ...]] = {}
    """What follows from each fact that the book names."""
    words: Mapping[str, str] = {}
    """The book's word for a void on the ground of a fact, where it is not the name of the fact."""
    terminal: bool = False
    lights: bool = False
    differential: bool = False
    rejects_excess: bool = False
    advises_minimum: bool = False
    rules_on_lines: bool = False
    corrects_moved: bool = False
    shift_manager: bool = False
    """Whether the shift manager's ruling may void a round and move amounts."""
    bell: bool = False
    tumbles_min: int = 3

    def then(self, fact: str) -> tuple[str, ...]:
        """What follows from a fact; of one that the book does not name there is only the record."""
        return self.facts.get(fact, (RECORD,))

    def word(self, fact: str) -> str:
        """The book's word for a void on the ground of a fact."""
        return self.words.get(fact, fact)


READINGS: Final[Mapping[str, Reading]] = {
    # §6.1 spins before the call; §7.1 voids, §7.3 the dice decide, §7.4 suspends; damaged dice are a malfunction (I27).
    "nz-division-9": Reading(
        tumble="before-bets",
        adds_up=True,
        opening=("power", "test-run", "tumbler", "seal"),  # §5.0(a) to (d)
        facts={
            "not-flat": (VOID,),
            "dice-stacked": (VOID,),
            "tumbler-fault": (VOID, SUSPEND),
            "exposed": (VOID,),
            "not-activated": (VOID,),
            "too-few-tumbles": (VOID,),
            "damaged-dice": (SUSPEND,),
            "lights-fault": (BY_DICE, SUSPEND),
            "terminal-dead": (BY_DICE, SUSPEND),
            "interrupted": (VOID,),
        },
        terminal=True,  # §3.3
        lights=True,  # §3.3(b)
        bell=True,  # §3.4(f), §6.2
        rules_on_lines=True,  # §4.3
        corrects_moved=True,  # §4.9
    ),
    # §3.7 and I4: before the close or after it; §5.5, §5.6, §5.10, §5.4.2; §5.1 and §5.2; §5.14.
    "rws-tai-sai-v6": Reading(
        tumble="either",
        adds_up=False,
        facts={
            "interrupted": (VOID,),
            "too-few-tumbles": (VOID,),
            "not-flat": (VOID,),
            "dice-stacked": (VOID,),
            "exposed": (VOID,),
            "damaged-dice": (VOID_SET,),
            "lights-fault": (BY_DICE,),
        },
        lights=True,  # §5.10
        differential=True,  # §1.3
        rejects_excess=True,  # §5.1
        advises_minimum=True,  # §5.2
        shift_manager=True,  # §5.14
    ),
    # §3.4 after the close; §5.1.1 to §5.1.4; I14.
    "rws-open-cover-v3": Reading(
        tumble="after-close",
        adds_up=False,
        facts={
            "damaged-dice": (VOID,),
            "too-few-tumbles": (VOID,),
            "not-flat": (VOID,),
            "dice-stacked": (VOID,),
            "activated-before-close": (VOID,),
            "interrupted": (VOID,),
        },
    ),
    # §3.4 a cage, spun after the close; §5.1.1 to §5.1.4; I14.
    "rws-mini-dice-v3": Reading(
        tumble="after-close",
        adds_up=True,
        facts={
            "too-few-tumbles": (VOID,),
            "dice-stacked": (VOID,),
            "damaged-dice": (VOID,),
            "not-flat": (VOID,),
            "interrupted": (VOID,),
        },
    ),
}


def reading_of(book: Any) -> Reading:
    """The reading of a book: ours, or for a casino's own what its data says."""
    ours = READINGS.get(book.id)
    return told_by(book) if ours is None else ours


def told_by(book: Any) -> Reading:
    """What the data of a book says."""
    procedure, rules = book.procedure, book.rules
    steps = {str(each.step) for each in procedure.steps}
    tumble = str(procedure.tumble)
    return Reading(
        tumble=tumble,
        adds_up=str(procedure.device) != "tumbler" or tumble == "before-bets",
        opening=tuple(str(each.item) for each in procedure.opening),
        facts={str(fact): tuple(map(str, rule.then)) for fact, rule in procedure.facts.items()},
        words={str(fact): rule.reason for fact, rule in procedure.facts.items() if rule.reason != str(fact)},
        terminal="enter" in steps,
        lights="light" in steps,
        differential="differential" in rules,
        rejects_excess="excess-rejected" in rules,
        advises_minimum="under-minimum-advised" in rules,
        rules_on_lines="line-touching-bets" in rules,
        corrects_moved="moved-wager-corrected" in rules,
        shift_manager="shift-manager-decides" in rules,
        bell=procedure.calls.bell,
        tumbles_min=procedure.tumbles_min,
    )
