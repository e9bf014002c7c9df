"""Bets: stacks made one, sums by box, and bets as people write them."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taisai.books import Shelf
from taisai.core.bets import Bet, box_on, merge_bets, parse_bets, totals_by_box
from taisai.core.faults import InputFault
from taisai.core.money import CHIPS_MAX
from tests.core.samples import ALL_BOXES, MANY, bet, hostile_text, value_or_fault

stacks = st.lists(
    st.builds(
        bet,
        st.sampled_from(["small", "big", "total:9"]),
        st.integers(1, 10**15),
        st.sampled_from(["ann", "bob", "cyd"]),
    )
)


@pytest.mark.clause("nz-division-9 I13", "rws-open-cover-v3 I13", "rws-tai-sai-v6 I13", "rws-mini-dice-v3 I13")
def test_stacks_of_a_player_in_a_box_are_one_bet() -> None:
    """Stacks are added up where the first of them was placed, and nobody else's are touched (I13)."""
    placed = [bet("small", 100), bet("small", 5, "bob"), bet("big", 7), bet("small", 20), bet("small", 1, "bob")]
    assert merge_bets(placed) == (bet("small", 120), bet("small", 6, "bob"), bet("big", 7))
    assert merge_bets([]) == ()


@MANY
@given(stacks)
def test_merging_loses_no_chip(placed: list[Bet]) -> None:
    """Each player has in each box what they put there, once, in the order of first placing; merging again is idle."""
    merged = merge_bets(placed)
    assert [(each.player, each.box) for each in merged] == list(
        dict.fromkeys((each.player, each.box) for each in placed)
    )
    sums: Counter[tuple[str, str]] = Counter()
    for each in placed:
        sums[each.player, each.box] += each.stake
    assert {(each.player, each.box): each.stake for each in merged} == sums
    assert merge_bets(merged) == merged
    assert totals_by_box(merged) == totals_by_box(placed)


def test_what_lies_in_each_box() -> None:
    """Sums are over all players, for boxes with a bet only."""
    assert totals_by_box([bet("small", 100), bet("big", 1), bet("small", 50, "bob")]) == {"small": 150, "big": 1}
    assert totals_by_box([]) == {}


def test_a_box_is_of_its_layout(shelf: Shelf) -> None:
    """A box that exists elsewhere only is refused with the name of the layout."""
    layout = shelf.layout("rws-tai-sai-v6/E")
    assert box_on(layout, "four:1256") == "four:1256"
    for name in ("odd", "even", "double:4", "three:112", "three:665", "field"):
        with pytest.raises(InputFault, match=rf"^bet: layout rws-tai-sai-v6/E has no box '{name}'; "):
            box_on(layout, name, "bet")


def test_a_box_is_found_as_the_felt_prints_it(shelf: Shelf) -> None:
    """Faces in the order of the felt name the same box, wherever a bet is typed."""
    layout = shelf.layout("rws-tai-sai-v6/E")
    assert [box_on(layout, name) for name in ("pair:52", "four:6543", "three:122")] == [
        "pair:25", "four:3456", "three:221",
    ]  # fmt: skip
    assert [bet.box for bet in parse_bets(layout, "four:6543=5")] == ["four:3456"]


def test_bets_are_read_as_people_write_them(shelf: Shelf) -> None:
    """Spaces, commas and line ends divide bets; stacks are made one."""
    layout = shelf.layout("rws-tai-sai-v6/A")
    assert parse_bets(layout, " small=100, total:9=050\nsmall=5,") == (
        bet("small", 105, "you"),
        bet("total:9", 50, "you"),
    )
    assert parse_bets(layout, "big=1", "ann") == (bet("big", 1),)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "bets: no bet given; write for example small=100 total:9=50"),
        (" , ,", "bets: no bet given; write for example small=100 total:9=50"),
        ("small", "bets: write each bet as box=amount, not 'small'"),
        ("small 100", "bets: write each bet as box=amount, not 'small'"),
        ("small=", "bets small: an amount is a whole number of minor units, got ''"),
        ("small=0", "bets small: an amount is at least 1, got 0"),
        ("small=-5", "bets small: an amount is a whole number of minor units, got '-5'"),
        ("small=1.5", "bets small: an amount is a whole number of minor units, got '1.5'"),
        ("small=5=5", "bets small: an amount is a whole number of minor units, got '5=5'"),
        ("small=1 big=٣", "bets big: an amount is a whole number of minor units, got '٣'"),
        ("small=1000000000000001", "bets small: an amount is at most 1000000000000000, got 1000000000000001"),
        ("=5", "bets: layout rws-tai-sai-v6/A has no box ''; "),
        ("odd=5", "bets: layout rws-tai-sai-v6/A has no box 'odd'; kinds are "),
        ("pair:22=5", "bets: layout rws-tai-sai-v6/A has no box 'pair:22'; names run from pair:14 to pair:56"),
    ],
)
def test_what_is_no_bet_is_refused(shelf: Shelf, text: str, line: str) -> None:
    """The fault says which bet is wrong and how."""
    with pytest.raises(InputFault) as caught:
        parse_bets(shelf.layout("rws-tai-sai-v6/A"), text)
    assert str(caught.value).startswith(line)


def test_endless_text_gives_a_short_fault(shelf: Shelf) -> None:
    """A number of more digits than Python reads is a fault like any other, and none repeats the whole text."""
    for text in ("small=" + "9" * 5000, "small=" + "x" * 1_000_000, "x" * 1_000_000, "=" * 1_000_000):
        with pytest.raises(InputFault) as caught:
            parse_bets(shelf.layout("rws-tai-sai-v6/A"), text)
        assert len(str(caught.value)) < 250


def test_many_small_bets_do_not_pass_for_a_large_one(shelf: Shelf) -> None:
    """Stakes each within the largest amount are refused when together they are over it."""
    layout = shelf.layout("rws-tai-sai-v6/A")
    assert len(parse_bets(layout, f"small={CHIPS_MAX - 1} big=1")) == 2
    for text in (f"small={CHIPS_MAX} small=1", f"small={CHIPS_MAX} big=1"):
        with pytest.raises(InputFault, match=r"^bets: the stakes together are at most 1000000000000000$"):
            parse_bets(layout, text)


@MANY
@given(hostile_text([f"{box}=100" for box in ALL_BOXES] + ["small=100 total:9=50", "small=" + "9" * 4301]))
def test_hostile_text_gives_bets_or_a_fault(shelf: Shelf, text: str) -> None:
    """Whatever the text is, it is bets in boxes of the layout or a fault in one line."""
    layout = shelf.layout("nz-division-9/2")
    found = value_or_fault(lambda: parse_bets(layout, text))
    if not isinstance(found, InputFault):
        assert found
        assert all(each.box in layout.boxes and 1 <= each.stake <= CHIPS_MAX for each in found)
