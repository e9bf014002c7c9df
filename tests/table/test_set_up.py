"""Setting a table up, opening and closing it; what cannot be asked of a table without rules."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.evolve import evolve
from taisai.table.people import Person, Role
from taisai.table.refusals import Code
from taisai.table.rules import TableRules
from taisai.table.state import TablePhase, TableState
from tests.table.driver import (
    LIMITS,
    NZ,
    NZ_2,
    SHIFT_MANAGER,
    SUPERVISOR,
    TAI_SAI,
    Deal,
    opened,
    player,
    set_up_of,
    shelf,
)


def test_a_table_stands_under_an_approved_book_by_its_digest() -> None:
    """Another book, or the same one with another digest, is refused; the right one is recorded."""
    deal = Deal(NZ)
    assert deal.rules.book.digest[:16] in deal.refused(set_up_of(TAI_SAI), Code.WRONG_BOOK, SUPERVISOR).sentence
    deal.refused(replace(set_up_of(NZ), digest="f" * 64), Code.WRONG_BOOK, SUPERVISOR)
    deal.do(set_up_of(NZ), SUPERVISOR)
    assert deal.state.phase is TablePhase.CLOSED
    assert deal.state.set_up is not None
    assert deal.state.set_up.digest == deal.rules.book.digest


@pytest.mark.clause("rws-tai-sai-v6 §2.1.1")
def test_only_the_books_own_layouts_are_played() -> None:
    """A layout that the book does not have is refused, with those it has."""
    deal = Deal(TAI_SAI)
    refusal = deal.refused(replace(set_up_of(TAI_SAI), layout="B"), Code.UNKNOWN, SUPERVISOR)
    assert refusal.allowed == "A, C, E"
    assert "2.1.1" in refusal.clauses


@pytest.mark.parametrize(
    "wrong",
    [
        {"limits": replace(LIMITS, unit=0)},
        {"limits": replace(LIMITS, default=c.BoxLimit(12, 100))},
        {"limits": replace(LIMITS, default=c.BoxLimit(200, 100))},
        {"limits": replace(LIMITS, default=c.BoxLimit(-5, 100))},
        {"limits": replace(LIMITS, kinds={"corner": c.BoxLimit(5, 10)})},
        {"limits": replace(LIMITS, differential={"red-black": 5})},
        {"limits": replace(LIMITS, differential={"big-small": 10**16})},
        {"denominations": (100, 5)},
        {"denominations": (5, 5, 100)},
        {"denominations": (10, 100)},
        {"denominations": (5, 7)},
    ],
    ids=str,
)
def test_limits_and_chips_that_do_not_hold_are_refused(wrong: dict[str, Any]) -> None:
    """Limits in whole units, a minimum not above its maximum; chips ascending from the unit, each a multiple of it."""
    refusal = Deal(TAI_SAI).refused(replace(set_up_of(TAI_SAI), **wrong), Code.BAD_VALUE, SUPERVISOR)
    assert next(iter(wrong)) in refusal.sentence


def test_a_table_in_use_is_not_set_up_anew() -> None:
    """Not while it is open, in a round, or while its float is on the table; afterwards yes, with another layout."""
    deal = Deal(NZ)
    deal.do(set_up_of(NZ), SUPERVISOR)
    deal.do(set_up_of(NZ_2), SUPERVISOR)
    deal.do(set_up_of(NZ), SUPERVISOR)
    deal.set_up()
    assert deal.refused(set_up_of(NZ_2), Code.ALREADY_SET_UP, SUPERVISOR).allowed == "close-table"
    deal.check().do(c.OpenTable(), SUPERVISOR)
    deal.refused(set_up_of(NZ_2), Code.ALREADY_SET_UP, SUPERVISOR)
    deal.begin()
    deal.refused(set_up_of(NZ_2), Code.ALREADY_SET_UP, SUPERVISOR)
    deal.refused(c.CloseTable({}), Code.ROUND_IN_PLAY, SUPERVISOR)
    deal.finish(1, 2, 4).do(c.CloseTable({100: 1}), SUPERVISOR)
    deal.do(set_up_of(NZ_2), SUPERVISOR)
    assert deal.state.set_up is not None
    assert deal.state.set_up.layout == "2"


def test_the_float_is_counted_once_a_shift_and_before_the_opening() -> None:
    """Without a float the table stays closed; counted twice it is refused; a new shift counts anew."""
    deal = Deal(TAI_SAI)
    deal.do(set_up_of(TAI_SAI), SUPERVISOR)
    deal.do(c.ReceiveDice("d1"), SUPERVISOR)
    deal.refused(c.OpenTable(), Code.CHECK_INCOMPLETE, SUPERVISOR)
    deal.do(c.SealDice("d1", "s1"), SUPERVISOR)
    assert deal.refused(c.OpenTable(), Code.CHECK_INCOMPLETE, SUPERVISOR).allowed == "count-float"
    deal.do(c.CountFloat({100: 10, 5: 2}), SUPERVISOR)
    assert deal.last(e.FloatCounted).amount == 1010
    deal.refused(c.CountFloat({100: 10}), Code.NOTHING_TO_DO, SUPERVISOR)
    deal.do(c.OpenTable(), SUPERVISOR)
    deal.refused(c.CountFloat({100: 10}), Code.TABLE_OPEN, SUPERVISOR)
    deal.do(c.CloseTable({100: 10, 5: 2}), SUPERVISOR)
    deal.do(c.CountFloat({100: 20}), SUPERVISOR)
    assert (deal.state.shift.opener, deal.state.shift.drop, deal.state.shift.closer) == (2000, 0, None)


def test_players_and_their_chips_leave_with_the_close() -> None:
    """Players who are still there take their value chips along; chips given to a player who had gone wait for them."""
    deal = opened(TAI_SAI, ann=500, bob=500).begin().bet("bob", "big", 100).finish(1, 2, 4)
    deal.do(c.LeaveTable("bob"), player("bob"))
    deal.altered(c.ReverseRounds((1,)))
    assert deal.state.balance("player:bob") == 100
    deal.do(c.CloseTable({100: 999}), SUPERVISOR)
    assert deal.last(e.TableClosed).leaving == {"ann": 500, "bob": 100}
    assert deal.state.players == {}
    for do in (c.SitDown("ann"), c.BuyIn("ann", 5), c.OpenBets(), c.SuspendTable("x")):
        deal.refused(do, Code.TABLE_NOT_OPEN, SHIFT_MANAGER)


def test_rounds_are_numbered_through_the_life_of_a_table() -> None:
    """A close does not begin the count anew, and the record of rounds goes on."""
    deal = opened(TAI_SAI).begin().finish(1, 2, 4)
    deal.do(c.CloseTable({100: 1}), SUPERVISOR)
    deal.do(c.CountFloat({100: 1}), SUPERVISOR)
    deal.do(c.OpenTable(), SUPERVISOR)
    deal.begin()
    assert (deal.state.round.number, [past.number for past in deal.state.history]) == (2, [1])


def test_rounds_of_another_book_are_not_reversed_by_this_ones_clause() -> None:
    """A round belongs to the book that it was played under."""
    deal = opened(NZ, ann=100).begin().bet("ann", "small", 10).finish(1, 2, 4)
    deal.do(c.CloseTable({}), SUPERVISOR)
    deal.layout, deal.rules = TAI_SAI, TableRules(shelf().book("rws-tai-sai-v6"))
    deal.do(set_up_of(TAI_SAI), SUPERVISOR)
    deal.do(c.CountFloat({100: 1}), SUPERVISOR)
    deal.do(c.OpenTable(), SUPERVISOR)
    deal.refused(c.ReverseRounds((1,)), Code.WRONG_BOOK, SUPERVISOR, SHIFT_MANAGER, "chipped")


def test_rules_are_asked_only_of_a_table_that_is_set_up() -> None:
    """A part of the program that asks a new table for its layout is broken, and is told so."""
    with pytest.raises(LookupError, match="t1 is not set up"):
        TableRules(shelf().book("nz-division-9")).at(TableState("t1"))


def test_limits_of_a_table_without_set_up_replay_to_nothing() -> None:
    """`evolve` refuses nothing: an event that finds no set-up leaves the state as it was."""
    event = e.Event(1, Person("sue", Role.SUPERVISOR), e.LimitsSet(LIMITS, LIMITS))
    assert evolve(TableState("t1"), event) == TableState("t1", seq=1, at=1)
