"""Precedence of refusals: of two faults in one command, the one that stands first in `Code` is given.

Each row is a command with two faults; with the first one mended the second is given, so that both are really there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import pytest
from msgspec.structs import replace

from taisai.bounds import DISPUTES_OF_ROUND
from taisai.core.rulebook import Fact
from taisai.table import commands as c
from taisai.table.actions import name_of
from taisai.table.people import Person
from taisai.table.refusals import Code, Refusal, cite, comes_before
from taisai.table.rules import TableRules
from taisai.table.state import RoundPhase
from tests.table.driver import (
    DEALER,
    LIMITS,
    NZ,
    OPEN_COVER,
    PIT_MANAGER,
    SUPERVISOR,
    SYSTEM,
    TAI_SAI,
    Deal,
    opened,
    player,
    set_up_of,
    shelf,
)
from tests.table.notation.dealt_shifts import FILES, dealt

ANN, BOB = player("ann"), player("bob")


class Ask(NamedTuple):
    """A command to put to a table."""

    table: Callable[[], Deal]
    do: c.Action
    by: Person = DEALER
    second: Person | None = None
    reason: str = ""
    of_round: int | None = None

    def answer(self) -> str:
        """The code with which it is refused."""
        deal = self.table()
        command = deal.command(self.do, self.by, self.second, self.reason)
        found = deal.decide(replace(command, round=self.of_round))
        assert isinstance(found, Refusal), f"{self.do} was accepted"
        return found.code


# ------------------------------------------------------------------ tables in a certain state


def new() -> Deal:
    """Not set up."""
    return Deal(NZ)


def closed() -> Deal:
    """Set up, not open."""
    return Deal(NZ).set_up()


def other_book(make: Callable[[], Deal]) -> Callable[[], Deal]:
    """The same table, asked under a book that is not its own."""

    def made() -> Deal:
        deal = make()
        deal.rules = TableRules(shelf().book("rws-tai-sai-v6"))
        return deal

    return made


def between(layout: str = NZ) -> Callable[[], Deal]:
    """Open, two players seated, no round in play."""
    return lambda: opened(layout, ann=1000, bob=1000)


def betting(layout: str = NZ) -> Callable[[], Deal]:
    """Bets open, one on the felt."""
    return lambda: opened(layout, ann=1000, bob=1000).begin().bet("ann", "small", 100)


def at(phase: RoundPhase, layout: str = NZ) -> Callable[[], Deal]:
    """A round at a phase."""
    return lambda: betting(layout)().up_to(phase, 1, 2, 4)


def then(make: Callable[[], Deal], *more: c.Action, by: Person = SUPERVISOR) -> Callable[[], Deal]:
    """A table where something more has been done."""

    def made() -> Deal:
        deal = make()
        for do in more:
            deal.do(do, by, PIT_MANAGER if by is SUPERVISOR else None, "seen" if by is SUPERVISOR else "")
        return deal

    return made


def called() -> Deal:
    """A call bet lies on big, the dice are known."""
    deal = opened(NZ, ann=1000).begin()
    deal.do(c.PlaceBet("ann", "big", 50, c.How.CALL))
    return deal.up_to(RoundPhase.UNCOVERED, 1, 2, 4)


def full(amount: int = 5000) -> Deal:
    """Small is full, by its maximum or, on a tight pair, by its differential."""
    limits = replace(LIMITS, differential={"big-small": amount})
    return opened(TAI_SAI, limits, ann=6000, bob=6000).begin().bet("ann", "small", amount)


def damaged_in_play() -> Deal:
    """The dice were found damaged in a round, which is void; the table is not suspended."""
    deal = betting(OPEN_COVER)()
    deal.void(Fact.DAMAGED_DICE)
    return deal


def entered(*numbers: int) -> Callable[[], Deal]:
    """These numbers were entered; the dice show 1, 2, 4."""
    return lambda: opened(NZ, ann=100).begin().bet("ann", "small", 10).close().show(1, 2, 4).enter(*numbers)


def colours(**taken: str) -> Callable[[], Deal]:
    """Open, with colours given out at 25 a chip."""

    def made() -> Deal:
        deal = opened(NZ, ann=1000, bob=1000)
        for name, colour in taken.items():
            deal.do(c.TakeColour(name, colour, 25, 100))
        return deal

    return made


def committed(purpose: c.Purpose) -> Deal:
    """Committed for a demonstration; then the house says what the table is for."""
    deal = opened(TAI_SAI)
    deal.do(c.AssignDealing(c.DealtBy.PEOPLE, purpose=c.Purpose.DEMO), SYSTEM)
    deal.do(c.CommitDice("0" * 64))
    if purpose is not c.Purpose.DEMO:
        deal.do(c.AssignDealing(c.DealtBy.PEOPLE, purpose=purpose), SYSTEM)
    return deal


def disputed() -> Deal:
    """A round is over, of which ann has disputed as much as a player's own screen does."""
    deal = opened(NZ, ann=1000, bob=1000).begin().finish(1, 2, 4)
    for number in range(DISPUTES_OF_ROUND):
        deal.do(c.OpenDispute(f"A-{number}", "ann", 1, "I won"), ANN)
    return deal


DAMAGED: Final = (c.InspectDice(sound=False),)
RIGHT: Final = c.CorrectDice((1, 2, 3))
"""After the call it alters what stood: a second person and a reason."""
WRONG_SET_UP: Final = replace(set_up_of(NZ), digest="0" * 64)
LINE: Final = c.RuleOnLine("ann", "small", honoured=False)
BY_PATRON: Final = c.MoveGround.MOVED_BY_PATRON
MOVED: Final = c.CorrectBet("ann", "small", "big", 50, BY_PATRON)
RESOLVED: Final = c.ResolveInterruption((1,), (1, 2, 4))
TWO: Final = (SUPERVISOR, PIT_MANAGER, "seen")
CUT: Final = (c.Interrupt("power"),)
STOPPED: Final = (c.SuspendTable("smoke"),)

PAIRS: Final[list[tuple[Code, Code, Ask, Ask]]] = [
    # who asks
    (Code.NOT_YOURS_TO_DO, Code.NOT_SET_UP, Ask(new, c.OpenTable()), Ask(new, c.OpenTable(), SUPERVISOR)),
    (
        Code.NOT_YOURS_TO_DO,
        Code.TABLE_NOT_OPEN,
        Ask(closed, c.SitDown("ann"), BOB),
        Ask(closed, c.SitDown("ann"), ANN),
    ),
    (
        Code.NOT_YOURS_TO_DO,
        Code.BETS_CLOSED,
        Ask(at(RoundPhase.CLOSED), c.PlaceBet("ann", "small", 10), BOB),
        Ask(at(RoundPhase.CLOSED), c.PlaceBet("ann", "small", 10), ANN),
    ),
    (
        Code.NOT_YOURS_TO_DO,
        Code.SECOND_PERSON_NEEDED,
        Ask(at(RoundPhase.ANNOUNCED), RIGHT, ANN),
        Ask(at(RoundPhase.ANNOUNCED), RIGHT),
    ),
    # the round that it is for
    (
        Code.NOT_YOURS_TO_DO,
        Code.ROUND_OVER,
        Ask(betting(), c.PlaceBet("ann", "small", 10), BOB, of_round=7),
        Ask(betting(), c.PlaceBet("ann", "small", 10), ANN, of_round=7),
    ),
    (
        Code.ROUND_OVER,
        Code.BETS_CLOSED,
        Ask(at(RoundPhase.CLOSED), c.PlaceBet("ann", "small", 10), ANN, of_round=0),
        Ask(at(RoundPhase.CLOSED), c.PlaceBet("ann", "small", 10), ANN, of_round=1),
    ),
    # the table
    (
        Code.NOT_SET_UP,
        Code.SECOND_PERSON_NEEDED,
        Ask(new, c.SetLimits(LIMITS), SUPERVISOR),
        Ask(closed, c.SetLimits(LIMITS), SUPERVISOR),
    ),
    (
        Code.ALREADY_SET_UP,
        Code.WRONG_BOOK,
        Ask(betting(), WRONG_SET_UP, SUPERVISOR),
        Ask(new, WRONG_SET_UP, SUPERVISOR),
    ),
    (
        Code.WRONG_BOOK,
        Code.TABLE_NOT_OPEN,
        Ask(other_book(closed), c.SitDown("ann"), ANN),
        Ask(closed, c.SitDown("ann"), ANN),
    ),
    (
        Code.WRONG_BOOK,
        Code.UNKNOWN,
        Ask(new, replace(WRONG_SET_UP, layout="9"), SUPERVISOR),
        Ask(new, replace(set_up_of(NZ), layout="9"), SUPERVISOR),
    ),
    (
        Code.TABLE_NOT_OPEN,
        Code.NOT_INTERRUPTED,
        Ask(closed, RESOLVED),
        Ask(between(), RESOLVED),
    ),
    (
        Code.TABLE_OPEN,
        Code.UNKNOWN,
        Ask(between(), c.CheckItem("lamp", passed=True), SUPERVISOR),
        Ask(closed, c.CheckItem("lamp", passed=True), SUPERVISOR),
    ),
    (
        Code.TABLE_SUSPENDED,
        Code.ROUND_INTERRUPTED,
        Ask(then(betting(), *STOPPED, *CUT), c.PlaceBet("ann", "small", 10), ANN),
        Ask(then(betting(), *CUT), c.PlaceBet("ann", "small", 10), ANN),
    ),
    (
        Code.TABLE_SUSPENDED,
        Code.WRONG_STEP,
        Ask(then(between(), *STOPPED), c.OpenBets()),
        Ask(between(), c.OpenBets()),
    ),
    (
        Code.NOT_SUSPENDED,
        Code.REASON_NEEDED,
        Ask(between(), c.ResumeTable(c.Mending.MENDED, ""), SUPERVISOR),
        Ask(then(between(), *STOPPED), c.ResumeTable(c.Mending.MENDED, ""), SUPERVISOR),
    ),
    # the round
    (
        Code.ROUND_INTERRUPTED,
        Code.BETS_CLOSED,
        Ask(then(at(RoundPhase.CLOSED), *CUT), c.WithdrawBet("ann", "small"), ANN),
        Ask(at(RoundPhase.CLOSED), c.WithdrawBet("ann", "small"), ANN),
    ),
    (
        Code.ROUND_INTERRUPTED,
        Code.SECOND_PERSON_NEEDED,
        Ask(then(at(RoundPhase.ANNOUNCED), *CUT), RIGHT),
        Ask(at(RoundPhase.ANNOUNCED), RIGHT),
    ),
    (
        Code.NOT_INTERRUPTED,
        Code.SECOND_PERSON_NEEDED,
        Ask(at(RoundPhase.CLOSED), RESOLVED),
        Ask(then(at(RoundPhase.CLOSED), *CUT), RESOLVED),
    ),
    (
        Code.ROUND_IN_PLAY,
        Code.SECOND_PERSON_NEEDED,
        Ask(betting(), c.SetLimits(LIMITS), SUPERVISOR),
        Ask(between(), c.SetLimits(LIMITS), SUPERVISOR),
    ),
    (Code.WRONG_STEP, Code.SECOND_PERSON_NEEDED, Ask(betting(), MOVED), Ask(at(RoundPhase.UNCOVERED), MOVED)),
    (
        Code.WRONG_STEP,
        Code.SECOND_PERSON_NEEDED,
        Ask(at(RoundPhase.UNCOVERED, TAI_SAI), MOVED),
        Ask(at(RoundPhase.UNCOVERED), MOVED),
    ),
    (
        Code.WRONG_STEP,
        Code.CHECK_INCOMPLETE,
        Ask(betting(), c.Uncover((1, 2, 3))),
        Ask(damaged_in_play, c.OpenBets()),
    ),
    (
        Code.WRONG_STEP,
        Code.ENTRY_INCOMPLETE,
        Ask(at(RoundPhase.UNCOVERED), c.Enter()),
        Ask(at(RoundPhase.ANNOUNCED), c.Enter()),
    ),
    (
        Code.BETS_NOT_OPEN,
        Code.UNKNOWN,
        Ask(between(), c.PlaceBet("ann", "corner", 10), ANN),
        Ask(betting(), c.PlaceBet("ann", "corner", 10), ANN),
    ),
    (Code.REASON_NEEDED, Code.CONTRADICTED, Ask(betting(), LINE, SUPERVISOR), Ask(betting(), LINE, *TWO)),
    (
        Code.CONTRADICTED,
        Code.NOTHING_TO_DO,
        Ask(at(RoundPhase.CLOSED), c.Report(Fact.NOT_ACTIVATED)),
        Ask(then(at(RoundPhase.ANNOUNCED), c.Report(Fact.LIGHTS_FAULT)), c.Report(Fact.LIGHTS_FAULT)),
    ),
    (
        Code.ROUND_HELD,
        Code.WRONG_STEP,
        Ask(then(at(RoundPhase.UNCOVERED), c.Report(Fact.NOT_FLAT), by=DEALER), c.Collect()),
        Ask(at(RoundPhase.UNCOVERED), c.Collect()),
    ),
    (
        Code.WALKED_AWAY,
        Code.NOTHING_TO_DO,
        Ask(then(betting(), c.WalkAway("ann")), c.WithdrawBet("ann", "big")),
        Ask(betting(), c.WithdrawBet("ann", "big")),
    ),
    (
        Code.CALL_BET,
        Code.NOTHING_TO_DO,
        Ask(called, c.CorrectBet("ann", "big", "small", 50, c.MoveGround.MISPLACED_BY_DEALER), *TWO),
        Ask(called, c.RuleOnLine("ann", "small", honoured=True), *TWO),
    ),
    (
        Code.BETS_CLOSED,
        Code.NOTHING_TO_DO,
        Ask(at(RoundPhase.CLOSED), c.RejectExcess("small")),
        Ask(betting(), c.RejectExcess("small")),
    ),
    # who authorises it, and why
    (
        Code.SECOND_PERSON_NEEDED,
        Code.REASON_NEEDED,
        Ask(at(RoundPhase.ANNOUNCED), RIGHT),
        Ask(at(RoundPhase.ANNOUNCED), RIGHT, DEALER, SUPERVISOR),
    ),
    (
        Code.SECOND_PERSON_UNFIT,
        Code.REASON_NEEDED,
        Ask(at(RoundPhase.ANNOUNCED), RIGHT, DEALER, SYSTEM),
        Ask(at(RoundPhase.ANNOUNCED), RIGHT, DEALER, SUPERVISOR),
    ),
    (
        Code.SECOND_PERSON_NEEDED,
        Code.UNKNOWN,
        Ask(at(RoundPhase.UNCOVERED), c.CorrectBet("ann", "corner", "big", 50, BY_PATRON), DEALER, None, "seen"),
        Ask(at(RoundPhase.UNCOVERED), c.CorrectBet("ann", "corner", "big", 50, BY_PATRON), DEALER, SUPERVISOR, "seen"),
    ),
    (
        Code.REASON_NEEDED,
        Code.CHECK_INCOMPLETE,
        Ask(then(between(), *DAMAGED), c.ResumeTable(c.Mending.MENDED, ""), SUPERVISOR),
        Ask(then(between(), *DAMAGED), c.ResumeTable(c.Mending.MENDED, "new set"), SUPERVISOR),
    ),
    (
        Code.REASON_NEEDED,
        Code.NOTHING_TO_DO,
        Ask(then(between(), *STOPPED), c.SuspendTable("")),
        Ask(then(between(), *STOPPED), c.SuspendTable("smoke")),
    ),
    (
        Code.REASON_NEEDED,
        Code.ENTRY_WRONG,
        Ask(entered(1, 2, 3), c.AmendEntry((6, 6, 6)), DEALER, SUPERVISOR),
        Ask(entered(1, 2, 3), c.AmendEntry((6, 6, 6)), DEALER, SUPERVISOR, "slip"),
    ),
    # the matter itself
    (
        Code.UNKNOWN,
        Code.BAD_VALUE,
        Ask(betting(), c.PlaceBet("ann", "corner", 12), ANN),
        Ask(betting(), c.PlaceBet("ann", "small", 12), ANN),
    ),
    (
        Code.UNKNOWN,
        Code.NOTHING_TO_DO,
        Ask(betting(), c.RejectExcess("corner")),
        Ask(betting(), c.RejectExcess("small")),
    ),
    (
        Code.UNKNOWN,
        Code.NOT_ENOUGH_CHIPS,
        Ask(at(RoundPhase.UNCOVERED), c.CorrectBet("ann", "corner", "big", 50, BY_PATRON), *TWO),
        Ask(at(RoundPhase.UNCOVERED), c.CorrectBet("ann", "total:9", "big", 50, BY_PATRON), *TWO),
    ),
    (Code.BAD_VALUE, Code.NOT_SEATED, Ask(between(), c.BuyIn("eve", 12)), Ask(between(), c.BuyIn("eve", 10))),
    (Code.BAD_VALUE, Code.NOT_SEATED, Ask(between(), c.BringChips("eve", 12)), Ask(between(), c.BringChips("eve", 10))),
    (
        Code.BAD_VALUE,
        Code.NOT_SEATED,
        Ask(betting(), c.PlaceBet("eve", "small", 12), player("eve")),
        Ask(betting(), c.PlaceBet("eve", "small", 10), player("eve")),
    ),
    (
        Code.BAD_VALUE,
        Code.NOT_ENOUGH_CHIPS,
        Ask(between(), c.CashOut("ann", 1003)),
        Ask(between(), c.CashOut("ann", 1005)),
    ),
    (
        Code.BAD_VALUE,
        Code.NOT_ENOUGH_CHIPS,
        Ask(betting(), c.WithdrawBet("ann", "small", 103), ANN),
        Ask(betting(), c.WithdrawBet("ann", "small", 105), ANN),
    ),
    (
        Code.BAD_VALUE,
        Code.COLOUR_NOT_YOURS,
        Ask(colours(bob="red"), c.TakeColour("ann", "red", 25, 30)),
        Ask(colours(bob="red"), c.TakeColour("ann", "red", 25, 50)),
    ),
    (
        Code.BAD_VALUE,
        Code.COLOUR_OUT,
        Ask(colours(bob="red"), c.CloseTable({7: 1}), SUPERVISOR),
        Ask(colours(bob="red"), c.CloseTable({5: 1}), SUPERVISOR),
    ),
    (
        Code.BAD_VALUE,
        Code.UNDER_MINIMUM,
        Ask(betting(), c.PlaceBet("bob", "small", 4), BOB),
        Ask(betting(), c.PlaceBet("bob", "small", 5), BOB),
    ),
    (
        Code.BAD_VALUE,
        Code.UNDER_MINIMUM,
        Ask(betting(), c.WithdrawBet("ann", "small", 93), ANN),
        Ask(betting(), c.WithdrawBet("ann", "small", 95), ANN),
    ),
    (
        Code.BAD_VALUE,
        Code.NOTHING_TO_DO,
        Ask(closed, c.CountFloat({7: 1}), SUPERVISOR),
        Ask(closed, c.CountFloat({5: 1}), SUPERVISOR),
    ),
    (
        Code.NOT_SEATED,
        Code.COLOUR_NOT_YOURS,
        Ask(colours(bob="red"), c.TakeColour("eve", "red", 25, 50)),
        Ask(colours(bob="red"), c.TakeColour("ann", "red", 25, 50)),
    ),
    (
        Code.NOT_SEATED,
        Code.NOT_ENOUGH_CHIPS,
        Ask(between(), c.CashOut("eve", 5)),
        Ask(between(), c.CashOut("ann", 5000)),
    ),
    (
        Code.BAD_VALUE,
        Code.TOO_MUCH,
        Ask(disputed, c.OpenDispute("A-0", "ann", 1, "I won"), ANN),
        Ask(disputed, c.OpenDispute("A-9", "ann", 1, "I won"), ANN),
    ),
    (
        Code.NOT_SEATED,
        Code.FLOAT_SHORT,
        Ask(between(), c.BuyIn("eve", 10**9)),
        Ask(between(), c.BuyIn("ann", 10**9)),
    ),
    (
        Code.COLOUR_NOT_YOURS,
        Code.COLOUR_OUT,
        Ask(colours(ann="blue", bob="red"), c.TakeColour("ann", "red", 25, 50)),
        Ask(colours(ann="blue"), c.TakeColour("ann", "red", 25, 50)),
    ),
    (
        Code.COLOUR_NOT_YOURS,
        Code.NOT_ENOUGH_CHIPS,
        Ask(colours(bob="red"), c.TakeColour("ann", "red", 25, 5000)),
        Ask(colours(), c.TakeColour("ann", "red", 25, 5000)),
    ),
    (
        Code.COLOUR_OUT,
        Code.NOT_ENOUGH_CHIPS,
        Ask(colours(ann="red"), c.TakeColour("ann", "red", 5, 1000)),
        Ask(colours(ann="red"), c.TakeColour("ann", "red", 25, 1000)),
    ),
    (
        Code.NOT_ENOUGH_CHIPS,
        Code.UNDER_MINIMUM,
        Ask(then(betting(), c.CashOut("bob", 1000)), c.PlaceBet("bob", "small", 5), BOB),
        Ask(betting(), c.PlaceBet("bob", "small", 5), BOB),
    ),
    (
        Code.NOT_ENOUGH_CHIPS,
        Code.OVER_MAXIMUM,
        Ask(then(full, c.CashOut("bob", 6000)), c.PlaceBet("bob", "small", 10), BOB),
        Ask(full, c.PlaceBet("bob", "small", 10), BOB),
    ),
    (
        Code.NOT_ENOUGH_CHIPS,
        Code.NOTHING_TO_DO,
        Ask(betting(), c.WithdrawBet("bob", "small", 10), BOB),
        Ask(betting(), c.WithdrawBet("bob", "small"), BOB),
    ),
    (
        Code.NOT_ENOUGH_CHIPS,
        Code.NOTHING_TO_DO,
        Ask(between(), c.SettleDebt("ann", 5000)),
        Ask(between(), c.SettleDebt("ann", 5)),
    ),
    (
        Code.UNDER_MINIMUM,
        Code.OVER_MAXIMUM,
        Ask(full, c.PlaceBet("bob", "small", 5), BOB),
        Ask(full, c.PlaceBet("bob", "small", 10), BOB),
    ),
    (
        Code.OVER_MAXIMUM,
        Code.OVER_DIFFERENTIAL,
        Ask(lambda: full(200), c.PlaceBet("bob", "small", 5005), BOB),
        Ask(lambda: full(200), c.PlaceBet("bob", "small", 10), BOB),
    ),
    (
        Code.ENTRY_WRONG,
        Code.NOTHING_TO_DO,
        Ask(entered(1, 2, 4), c.AmendEntry((6, 6, 6)), *TWO),
        Ask(entered(1, 2, 4), c.AmendEntry((1, 2, 4)), *TWO),
    ),
    (
        Code.NOT_ADMITTED,
        Code.NOTHING_TO_DO,
        Ask(lambda: committed(c.Purpose.GAMING), c.CommitDice("1" * 64)),
        Ask(lambda: committed(c.Purpose.DEMO), c.CommitDice("1" * 64)),
    ),
]


@pytest.mark.parametrize(
    ("first", "second", "both", "mended"), PAIRS, ids=lambda value: value if isinstance(value, Code) else ""
)
def test_of_two_faults_the_first_in_order_is_given(first: Code, second: Code, both: Ask, mended: Ask) -> None:
    """The command with both faults gets the first code; the first mended, it gets the second."""
    assert comes_before(Refusal(first, ""), Refusal(second, ""))
    assert both.answer() is first
    assert mended.answer() is second


def test_every_code_stands_in_the_table() -> None:
    """Each code is given by some command: none is there for nothing."""
    assert {code for first, second, *_ in PAIRS for code in (first, second)} == set(Code)


def test_a_refusal_reads_as_one_line() -> None:
    """Code, sentence, clauses and what is allowed; interpretations without a paragraph sign."""
    refusal = Refusal(Code.OVER_MAXIMUM, "Too much.", ("5.1.1", "I6"), "at most 5")
    assert str(refusal) == "over-maximum: Too much. (§5.1.1, I6) Allowed: at most 5"
    assert str(Refusal(Code.UNKNOWN, "No such box.")) == "unknown: No such box."
    assert cite(("I", "Ix", "I12")) == "§I, §Ix, I12"


OF_THE_TABLE = frozenset(
    ["not-set-up", "already-set-up", "table-open", "table-not-open", "table-suspended", "not-suspended", "too-much"]
)
"""Codes of the house's own order. Of the four books New Zealand alone has clauses on opening and suspending."""
NO_CLAUSE = {
    "nz-division-9": {"reject-excess"},  # limits are the house's
    "rws-open-cover-v3": {"report", "press", "enter", "correct-bet"},  # no terminal, no lights, no moved wagers
    "rws-mini-dice-v3": {"press", "seal-dice"},
    "rws-tai-sai-v6": {  # first colours, cash, the cage
        "take-colour", "turn-in-colour", "place-bet", "leave-table", "sit-down", "buy-in", "bring-chips", "cash-out",
        "settle-debt", "count-float", "fill", "credit", "close-table",
        "press", "enter", "amend-entry", "check-item", "open-table", "rule-on-line", "report", "suspend-table",
        "resume-table",
        "set-up", "assign-dealing", "set-clock", "open-dispute", "resolve-dispute",
    },
}  # fmt: skip
"""Actions of which something is refused that no clause of the book speaks of: the house's, or of what it has not."""


@pytest.mark.parametrize("book", NO_CLAUSE)
def test_a_refusal_cites_the_clause_wherever_the_book_has_one(book: str) -> None:
    """What the golden shifts try in vain is refused by a clause, but for matters of which the book says nothing."""
    refused = [entry for path in FILES if path.parent.name == book for entry in dealt(path)[1].entries if entry.refusal]
    uncited = {
        (str(entry.refusal.code), name_of(type(entry.command.do)))
        for entry in refused
        if entry.refusal is not None and not entry.refusal.clauses
    }
    assert {action for code, action in uncited if code not in OF_THE_TABLE} == NO_CLAUSE[book]
    assert book != "nz-division-9" or not {code for code, _ in uncited} & OF_THE_TABLE
