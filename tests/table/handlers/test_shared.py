"""What handlers share: each question asked by itself, with its refusal or its sum."""

from __future__ import annotations

import pytest

from taisai.core.rulebook import Fact
from taisai.table import commands as c
from taisai.table.handlers.shared import (
    colour_out,
    float_short,
    no_sound_dice,
    not_for_themselves,
    not_seated,
    worth,
)
from taisai.table.people import Person
from taisai.table.refusals import Code, Refusal
from taisai.table.rules import set_up_of
from taisai.table.state import RoundPhase
from tests.table.driver import DEALER, NZ, OPEN_COVER, Deal, opened, player


def refusal_code(found: object) -> Code | None:
    """The code of a refusal."""
    return Code(found.code) if isinstance(found, Refusal) else None


@pytest.mark.parametrize(
    ("by", "code"), [(player("ann"), None), (DEALER, None), (player("bob"), Code.NOT_YOURS_TO_DO)], ids=str
)
def test_players_act_for_themselves(by: Person, code: Code | None) -> None:
    """A player for that player, and the crew for anybody."""
    deal = opened(NZ)
    do = c.SitDown("ann")
    assert refusal_code(not_for_themselves(deal.rules, deal.command(do, by), do)) is code


def test_who_is_not_at_the_table_has_no_seat() -> None:
    """A player who walked away still has one."""
    deal = opened(NZ, ann=100)
    deal.do(c.WalkAway("ann"))
    assert not_seated(deal.state, "ann") is None
    assert refusal_code(not_seated(deal.state, "eve")) is Code.NOT_SEATED


def test_the_float_is_short_of_what_it_does_not_hold() -> None:
    """To the last chip it is enough."""
    deal = opened(NZ)
    held = deal.state.balance("float")
    assert float_short(deal.state, held) is None
    assert refusal_code(float_short(deal.state, held + 1)) is Code.FLOAT_SHORT


@pytest.mark.parametrize("phase", [RoundPhase.BETTING, RoundPhase.CLOSED])
def test_colour_that_is_out_lies_in_a_hand_or_on_the_felt(phase: RoundPhase) -> None:
    """Before and after the close."""
    deal = opened(NZ, ann=1000)
    deal.do(c.TakeColour("ann", "red", 25, 500))
    deal.begin().bet("ann", "small", 100, "red").up_to(phase)
    assert (deal.state.balance("colour:red"), colour_out(deal.state, "red")) == (400, 500)


def test_a_count_is_worth_its_chips() -> None:
    """A denomination that the table does not have, or more than any table holds, is refused."""
    set_up = set_up_of(opened(NZ).state)
    assert worth(set_up, {100: 3, 5: 1}) == 305
    assert refusal_code(worth(set_up, {7: 1})) is Code.BAD_VALUE
    assert refusal_code(worth(set_up, {500: 10**15})) is Code.BAD_VALUE


def test_a_sound_set_must_be_in_the_tumbler() -> None:
    """None is refused, and so is one that was found damaged; each names what would mend it."""
    empty = no_sound_dice(Deal(NZ).rules, Deal(NZ).state)
    assert isinstance(empty, Refusal)
    assert empty.allowed == "receive-dice, seal-dice"
    deal = opened(OPEN_COVER, ann=100)
    assert no_sound_dice(deal.rules, deal.state) is None
    deal.begin().void(Fact.DAMAGED_DICE)
    damaged = no_sound_dice(deal.rules, deal.state)
    assert isinstance(damaged, Refusal)
    assert damaged.allowed == "retire-dice, then seal-dice of another set"
