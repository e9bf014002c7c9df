"""Every state that a round can reach at a small table, under each book; and that a broken rule is found.

`make torture` goes on until no new state appears and prints how many there are; otherwise the search is cut short.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

import pytest
from msgspec.structs import replace

from taisai.core.rulebook import Fact
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.actions import ACTIONS
from taisai.table.decide import decide
from taisai.table.people import Role
from taisai.table.refusals import Code, Refusal
from taisai.table.rules import TableRules
from taisai.table.state import RoundPhase, TableState, Touch
from tests.exploration.explorer import DEALER, LEFT_OUT, SHIFT_MANAGER, SUPERVISOR, Decide, Explored, Size, explore
from tests.exploration.properties import PROPERTIES
from tests.table.driver import MINI_DICE, NZ, ONE_OF_EACH_BOOK, TAI_SAI, shelf

SHORT = Size(rolls=((1, 2, 4),), stacks=1, states_max=400)
"""What every run of the tests looks at."""
ROUNDS = Size(rolls=((1, 2, 4),), stacks=0)
"""Every state of a round without bets: 19,764 under Mini Dice, 19,320 under open cover, 123,576 under version six,
in one to five minutes each. In New Zealand there are too many: `FACTS` and `EQUIPMENT` part them."""
DICE: Final = frozenset({"InspectDice", "SealDice", "RetireDice", "ReceiveDice"})
VISITORS: Final = frozenset({"WalkAway", "LeaveTable", "SitDown"})
STOPS: Final = frozenset({"Interrupt", "ResolveInterruption", "SuspendTable"})
OF_EQUIPMENT: Final = frozenset({Fact.LIGHTS_FAULT, Fact.TERMINAL_DEAD, Fact.TUMBLER_FAULT})
BETS = Size(
    rolls=((1, 2, 4),), stacks=1, without=DICE | VISITORS | STOPS, facts=frozenset({Fact.NOT_FLAT, Fact.EXPOSED})
)  # fmt: skip
"""Every state of a round with a bet of any kind in any of the three boxes, and with facts that void it."""
ABSENT = Size(rolls=((1, 2, 4),), stacks=1, without=DICE | STOPS | {"MakeRuling"}, facts=frozenset())
"""Every state of a round with a bet of a player who comes and goes."""
DAMAGE = Size(
    rolls=((1, 2, 4),), stacks=1, without=VISITORS | STOPS | {"MakeRuling"}, facts=frozenset({Fact.DAMAGED_DICE})
)
"""Every state of a round with a bet while sets of dice are changed and found damaged."""
POWER = Size(rolls=((1, 2, 4),), stacks=1, without=DICE | VISITORS | {"MakeRuling"}, facts=frozenset())
"""Every state of a round with a bet that is interrupted and suspended."""
EQUIPMENT = Size(
    rolls=((1, 2, 4),), stacks=1, without=DICE | VISITORS | {"MakeRuling", "Interrupt"}, facts=OF_EQUIPMENT
)
"""Every state of a round with a bet while equipment fails and is mended."""
FACTS = Size(rolls=((1, 2, 4),), stacks=0, facts=frozenset(Fact) - OF_EQUIPMENT)
"""Every state of a round without bets, whatever happens to the dice, to people and to the power."""
COURSE = Size(
    rolls=((1, 2, 4),), stacks=1, states_max=900,
    without=frozenset({"InspectDice", "SealDice", "RetireDice", "LeaveTable", "SitDown", "MakeRuling", "SuspendTable",
                       "Interrupt"}),
)  # fmt: skip
"""And a round from its beginning to its end, with every fact."""
SHORTENED = [SHORT, pytest.param(COURSE, marks=pytest.mark.slow)]
IN_PARTS: Final = {"bets": BETS, "absent": ABSENT, "power": POWER, "damage": DAMAGE, "equipment": EQUIPMENT}
"""With a bet, in parts, which have not been run to their end."""
WHOLE = [
    *(pytest.param(layout, ROUNDS, id=f"{layout}-rounds") for layout in ONE_OF_EACH_BOOK if layout != NZ),
    pytest.param(NZ, FACTS, id=f"{NZ}-facts"),
    *(
        pytest.param(layout, size, id=f"{layout}-{name}")
        for layout in ONE_OF_EACH_BOOK
        for name, size in IN_PARTS.items()
    ),
]
TORTURE = bool(os.environ.get("TAISAI_TORTURE"))
CLAUSES = sorted({clause for each in PROPERTIES for clause in each.clauses})


@pytest.mark.clause("rws-tai-sai-v6 §1.7", *CLAUSES)
@pytest.mark.parametrize("size", SHORTENED)
@pytest.mark.parametrize("layout", ONE_OF_EACH_BOOK)
def test_no_path_breaks_a_rule(layout: str, size: Size, capsys: pytest.CaptureFixture[str]) -> None:
    """Every command of every role in the first states: each property holds."""
    found = explore(shelf().book(layout.partition("/")[0]), layout, PROPERTIES, size)
    tell(layout, found, capsys)
    assert [str(each) for each in found.broken.values()] == []
    assert found.states == size.states_max


if TORTURE:

    @pytest.mark.slow
    @pytest.mark.parametrize(("layout", "size"), WHOLE)
    def test_no_path_at_all_breaks_a_rule(layout: str, size: Size, capsys: pytest.CaptureFixture[str]) -> None:
        """Until no new state appears: each property holds, and from each state the round can be brought to its end."""
        found = explore(shelf().book(layout.partition("/")[0]), layout, PROPERTIES, size)
        tell(layout, found, capsys)
        assert [str(each) for each in found.broken.values()] == []
        assert found.whole


def tell(layout: str, found: Explored, capsys: pytest.CaptureFixture[str]) -> None:
    """How large it was."""
    with capsys.disabled():
        print(f"\n{layout}: {found.states} states, {found.steps} steps, {found.refusals} refusals")


def test_what_is_left_out_is_left_out_on_purpose() -> None:
    """Every action is tried, or named as no part of a round; a new action is tried without anybody's doing."""
    known = {action.__name__ for action in ACTIONS}
    assert {"SetUp", "OpenTable", "BuyIn"} <= LEFT_OUT & known
    assert {"PlaceBet", "CloseBets", "Tumble", "PayAll", "WalkAway", "Interrupt"} <= known - LEFT_OUT


# ------------------------------------------------------------------ a broken rule is found


def in_phase(phase: RoundPhase, *kinds: type) -> Decide:
    """A table that takes these actions as if the round were in another phase."""

    def broken(rules: TableRules, state: TableState, command: c.Command) -> list[e.Event] | Refusal:
        if isinstance(command.do, kinds) and (state.round.dice is not None or phase is RoundPhase.BETTING):
            state = replace(state, round=replace(state.round, phase=phase))
        return decide(rules, state, command)

    return broken


def with_state(change: Callable[[TableState], TableState], *kinds: type) -> Decide:
    """A table that takes these actions by another state than the one that is on record."""

    def broken(rules: TableRules, state: TableState, command: c.Command) -> list[e.Event] | Refusal:
        return decide(rules, change(state) if isinstance(command.do, kinds) else state, command)

    return broken


def with_events(change: Callable[[e.EventBody], e.EventBody | None]) -> Decide:
    """A table that records something else than what it decided."""

    def broken(rules: TableRules, state: TableState, command: c.Command) -> list[e.Event] | Refusal:
        found = decide(rules, state, command)
        if isinstance(found, Refusal):
            return found
        made = ((event, change(event.what)) for event in found)
        return [replace(event, what=what) for event, what in made if what is not None]

    return broken


def by_anybody(rules: TableRules, state: TableState, command: c.Command) -> list[e.Event] | Refusal:
    """A table that lets players act for each other."""
    if command.by.role is Role.PLAYER and isinstance(command.do, c.PlaceBet):
        return decide(rules, state, replace(command, by=DEALER, do=replace(command.do, how=c.How.CALL)))
    return decide(rules, state, command)


def pays_nobody(rules: TableRules, state: TableState, command: c.Command) -> list[e.Event] | Refusal:
    """A table that refuses to pay and to void: the round has no end."""
    found = decide(rules, state, command)
    ends = not isinstance(found, Refusal) and any(
        isinstance(event.what, e.RoundConcluded | e.RoundVoided) for event in found
    )
    return Refusal(Code.WRONG_STEP, "No.") if ends else found


def doubled(what: e.EventBody) -> e.EventBody:
    """A withdrawal of twice what lies there."""
    if isinstance(what, e.BetWithdrawn):
        return replace(what, handed=replace(what.handed, amount=2 * what.handed.amount))
    return what


def kept(what: e.EventBody) -> e.EventBody:
    """A void that hands nothing back."""
    return replace(what, handed=()) if isinstance(what, e.RoundVoided) else what


def other_dice(what: e.EventBody) -> e.EventBody:
    """A conclusion on dice that nobody saw."""
    return replace(what, dice=(6, 6, 6)) if isinstance(what, e.RoundConcluded) else what


def enough_tumbles(state: TableState) -> TableState:
    """As if the dice had been tumbled."""
    return replace(state, round=replace(state.round, tumbles=3))


def known_dice(state: TableState) -> TableState:
    """As if the dice were known and entered."""
    dice = (1, 2, 4)
    if state.round.phase is not RoundPhase.CLOSED:
        return state
    return replace(state, round=replace(state.round, phase=RoundPhase.ENTERED, dice=dice, entered=dice))


def not_suspended(state: TableState) -> TableState:
    """As if nothing had happened."""
    return replace(state, suspended="")


def all_present(state: TableState) -> TableState:
    """As if nobody had walked away."""
    return replace(state, players={name: replace(seat, present=True) for name, seat in state.players.items()})


def not_held(state: TableState) -> TableState:
    """As if every fact were attested."""
    return replace(state, held=())


def never_tumbled(state: TableState) -> TableState:
    """As if the dice had not been tumbled."""
    return replace(state, round=replace(state.round, tumbles=0))


def not_advised(state: TableState) -> TableState:
    """As if no player had been told."""
    return replace(state, round=replace(state.round, noticed=()))


def not_uncovered(state: TableState) -> TableState:
    """As if no die had been seen."""
    return replace(state, round=replace(state.round, dice=None))


def touched(state: TableState) -> TableState:
    """As if every bet touched its line."""
    lies = [(stack.player, stack.box) for stack in state.round.stacks]
    return replace(state, round=replace(state.round, touching=tuple(Touch(*each, attested=True) for each in lies)))


def lay_everywhere(state: TableState) -> TableState:
    """As if the players' chips had lain on every box."""
    left = tuple((name, box, 100) for name in ("ann", "bob") for box in ("small", "big", "single:1"))
    return replace(state, round=replace(state.round, left=left))


def just_uncovered(state: TableState) -> TableState:
    """As if the result had not been called."""
    if state.round.phase is not RoundPhase.ANNOUNCED:
        return state
    return replace(state, round=replace(state.round, phase=RoundPhase.UNCOVERED))


def by_one(rules: TableRules, state: TableState, command: c.Command) -> list[e.Event] | Refusal:
    """A table that takes one person's word for two, where a fact would undo a result."""
    if isinstance(command.do, c.Report) and command.authorised_by is None:
        found = decide(rules, state, replace(command, authorised_by=SUPERVISOR, reason="x"))
        return found if isinstance(found, Refusal) else [replace(event, authorised_by=None) for event in found]
    return decide(rules, state, command)


def for_the_crew(rules: TableRules, state: TableState, command: c.Command) -> list[e.Event] | Refusal:
    """A table where anybody of the crew voids a round by a ruling."""
    if isinstance(command.do, c.SuspendTable):
        ruling = c.MakeRuling("x", "x", c.RulingGround.MEANING, ("5.14",))
        return decide(rules, state, replace(command, by=SHIFT_MANAGER, do=ruling))
    return decide(rules, state, command)


def without_kind(*kinds: type) -> Decide:
    """A table that leaves these out of its record."""
    return with_events(lambda what: None if isinstance(what, kinds) else what)


def late_with_money(rules: TableRules, state: TableState, command: c.Command) -> list[e.Event] | Refusal:
    """A table where a fact that is found late moves money."""
    found = decide(rules, state, command)
    if isinstance(found, Refusal):
        return found
    if not any(isinstance(each.what, e.FactRecorded) and each.what.late for each in found):
        return found
    return [*found, replace(found[-1], what=e.Filled({5: 1}, 5))]


PLANTED = [
    ("nobody bets for the absent", TAI_SAI, with_state(all_present, c.PlaceBet, c.WithdrawBet)),
    ("damage alone reverses, and all of it", TAI_SAI, without_kind(e.RoundReversed)),
    ("what is found late moves no money", TAI_SAI, late_with_money),
    ("a fact that voids does so until the end", MINI_DICE, without_kind(e.RoundVoided)),
    ("no void without a fact or a ruling", TAI_SAI, without_kind(e.FactRecorded)),
    ("no void against the record", TAI_SAI, with_state(never_tumbled, c.Report)),
    ("two people undo a result", TAI_SAI, by_one),
    ("a held round is not played on", TAI_SAI, with_state(not_held, c.OpenBets)),
    ("an advised bet does not stand", TAI_SAI, with_state(not_advised, c.CloseBets)),
    ("an excess that is left is said", TAI_SAI, without_kind(e.ExcessLeft)),
    ("the shift manager rules", TAI_SAI, for_the_crew),
    ("a line is ruled on when it was touched", NZ, with_state(touched, c.RuleOnLine)),
    ("no bet moves to where it never lay", NZ, with_state(lay_everywhere, c.CorrectBet)),
    ("called dice are put right by two", TAI_SAI, with_state(just_uncovered, c.CorrectDice)),
    ("an interruption changes no dice", TAI_SAI, with_state(not_uncovered, c.ResolveInterruption)),
    ("nothing moves after the close", TAI_SAI, in_phase(RoundPhase.BETTING, c.PlaceBet, c.WithdrawBet)),
    ("collected, then paid", TAI_SAI, in_phase(RoundPhase.COLLECTED, c.PayAll)),
    ("no path pays a round whose record shows too few tumbles", TAI_SAI, with_state(enough_tumbles, c.Uncover)),
    ("no path pays without dice", TAI_SAI, with_state(known_dice, c.Collect)),
    ("a suspended table begins nothing", NZ, with_state(not_suspended, c.OpenBets, c.Tumble)),
    ("players move their own chips", TAI_SAI, by_anybody),
    ("money is conserved", TAI_SAI, with_events(doubled)),
    ("a void returns everything", TAI_SAI, with_events(kept)),
    ("the dice decide", TAI_SAI, with_events(other_dice)),
    ("each bet is settled once", MINI_DICE, with_events(lambda what: None if isinstance(what, e.BetPaid) else what)),
    ("no dead end", MINI_DICE, pays_nobody),
]


TROUBLE = frozenset({
    "Interrupt", "ResolveInterruption", "InspectDice", "SealDice", "RetireDice", "WalkAway", "LeaveTable", "SitDown",
    "MakeRuling", "Report", "Attest", "TouchLine", "CorrectDice",
})  # fmt: skip
"""What most broken rules are found without."""
NEEDED = {
    "nobody bets for the absent": {"WalkAway"},
    "damage alone reverses, and all of it": {"Report"},
    "what is found late moves no money": {"Report"},
    "a fact that voids does so until the end": {"Report"},
    "no void without a fact or a ruling": {"Report"},
    "no void against the record": {"Report"},
    "two people undo a result": {"Report"},
    "a held round is not played on": {"Report", "Attest"},
    "the shift manager rules": {"MakeRuling"},
    "called dice are put right by two": {"CorrectDice"},
    "an interruption changes no dice": {"Interrupt", "ResolveInterruption"},
}
"""What else must be tried for some."""
TWO_ROLLS = {"called dice are put right by two"}
WITHOUT_BETS = TWO_ROLLS | {
    "what is found late moves no money", "a fact that voids does so until the end", "no void against the record",
    "two people undo a result", "a held round is not played on", "the shift manager rules", "the dice decide",
    "an interruption changes no dice", "damage alone reverses, and all of it", "no void without a fact or a ruling",
}  # fmt: skip
"""Found at a table where nobody bets, and so sooner."""


@pytest.mark.parametrize(("name", "layout", "broken"), PLANTED, ids=[name for name, _, _ in PLANTED])
def test_a_broken_rule_is_found(name: str, layout: str, broken: Decide) -> None:
    """A rule that is broken on purpose is found, by the property that is about it, with the path that shows it."""
    beside = TROUBLE - NEEDED.get(name, set())
    dead_end = name == "no dead end"
    rolls = ((1, 2, 4), (4, 5, 6)) if name in TWO_ROLLS else ((1, 2, 4),)
    size = Size(rolls, 0 if dead_end or name in WITHOUT_BETS else 1, None if dead_end else 3_000, beside)
    found = explore(shelf().book(layout.partition("/")[0]), layout, PROPERTIES, size, decided=broken, until=name)
    assert name in found.broken
    assert found.broken[name].path or dead_end


def test_every_property_is_planted() -> None:
    """No property is there that nobody has seen fail."""
    assert {name for name, _, _ in PLANTED} == {each.name for each in PROPERTIES} | {"no dead end"}
