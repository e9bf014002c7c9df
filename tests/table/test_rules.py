"""The rules of a table: worked out once for a set-up, found for a command."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from taisai.core.rulebook import Rule
from taisai.table import commands as c
from taisai.table.refusals import Code, Refusal
from taisai.table.rules import RulesCache, TableRules, listed
from taisai.table.state import TableState
from tests.table.driver import LIMITS, NZ, SUPERVISOR, TAI_SAI, Deal, opened, set_up_of, shelf


def test_rules_are_asked_only_of_a_table_that_is_set_up() -> None:
    """A part of the program that asks a new table for its layout is broken, and is told so."""
    with pytest.raises(LookupError, match="t1 is not set up"):
        TableRules(shelf().book("nz-division-9")).at(TableState("t1"))


def test_what_is_worked_out_for_a_set_up_is_kept_with_it() -> None:
    """The same set-up is not worked out twice; new limits are."""
    deal = opened(TAI_SAI)
    layout, limits = deal.rules.at(deal.state)
    assert deal.rules.at(deal.state)[1] is limits
    deal.altered(c.SetLimits(replace(LIMITS, default=c.BoxLimit(50, 300))))
    assert deal.rules.at(deal.state)[0] is layout
    assert deal.rules.at(deal.state)[1] is not limits
    assert deal.rules.box_limits["small"][:2] == (50, 300)


def test_a_set_up_is_decided_by_the_book_that_it_names() -> None:
    """Every other command by the book that the table stands under; an unknown book and no book are refusals."""
    cache, deal = RulesCache(shelf().book), Deal(NZ)
    assert cache.of(deal.state) is None
    unready = cache.for_command(deal.state, deal.command(c.OpenTable(), SUPERVISOR))
    assert isinstance(unready, Refusal)
    assert unready.code is Code.NOT_SET_UP
    unknown = cache.for_command(deal.state, deal.command(replace(set_up_of(NZ), book="no-such-book"), SUPERVISOR))
    assert isinstance(unknown, Refusal)
    assert unknown.code is Code.WRONG_BOOK
    named = cache.for_command(deal.state, deal.command(set_up_of(TAI_SAI), SUPERVISOR))
    assert isinstance(named, TableRules)
    assert named.book.id == "rws-tai-sai-v6"
    deal.set_up()
    assert cache.of(deal.state) is cache.for_command(deal.state, deal.command(c.OpenTable(), SUPERVISOR))


def test_clauses_are_named_once() -> None:
    """Two rules that stand on one clause cite it once; a list of nothing is called so."""
    rules = TableRules(shelf().book("rws-tai-sai-v6"))
    both = rules.clauses(Rule.MAXIMUM, Rule.MAXIMUM, Rule.EXCESS_REJECTED)
    assert len(set(both)) == len(both)
    assert rules.refuse(Code.UNKNOWN, "No.", Rule.MAXIMUM).clauses == rules.clauses(Rule.MAXIMUM)
    assert (listed(["a", "b"]), listed([])) == ("a, b", "none")
