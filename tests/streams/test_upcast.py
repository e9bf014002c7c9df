"""Old events read as today's, through sample steps."""

from __future__ import annotations

import pytest

from taisai.streams.upcast import UPCASTS, Body, UnknownEvent, Upcasts


@pytest.fixture
def upcasts() -> Upcasts:
    """A bet that once had no currency, then got one, then another name, and a field renamed."""
    steps = Upcasts({"bet-placed": 2, "round-opened": 1})

    @steps.step("wager", 1)
    def add_currency(body: Body) -> Body:
        body["currency"] = "SGD"
        return body

    @steps.step("wager", 2, becomes="bet-placed")
    def take_the_new_name(body: Body) -> Body:
        return body

    @steps.step("bet-placed", 1)
    def rename_the_stake(body: Body) -> Body:
        return {"stake" if name == "amount" else name: value for name, value in body.items()}

    return steps


@pytest.mark.parametrize(
    ("kind", "version", "body"),
    [
        ("wager", 1, {"amount": 5}),
        ("wager", 2, {"amount": 5, "currency": "SGD"}),
        ("bet-placed", 1, {"amount": 5, "currency": "SGD"}),
        ("bet-placed", 2, {"stake": 5, "currency": "SGD"}),
    ],
)
def test_steps_follow_each_other(upcasts: Upcasts, kind: str, version: int, body: Body) -> None:
    """An event of any age comes out in today's form, and what went in is unchanged."""
    before = dict(body)
    assert upcasts.upcast(kind, version, body) == ("bet-placed", 2, {"stake": 5, "currency": "SGD"})
    assert body == before


@pytest.mark.parametrize(
    ("kind", "version", "words"),
    [
        ("bet-placed", 3, "has version 3, and this taisai knows up to 2: a newer one wrote it"),
        ("bet-placed", 0, "no step leads from 'bet-placed' version 0 to today's version 2"),
        ("jackpot", 1, r"does not know the event 'jackpot' \(version 1\)"),
        ("wager", 3, "does not know the event"),
    ],
)
def test_what_cannot_be_read_says_so(upcasts: Upcasts, kind: str, version: int, words: str) -> None:
    """A version from the future, a gap between steps and an unknown name are errors in words."""
    with pytest.raises(UnknownEvent, match=words):
        upcasts.upcast(kind, version, {})


def test_steps_do_not_clash(upcasts: Upcasts) -> None:
    """Two steps from one version, and steps in a circle, are refused when they are declared."""
    with pytest.raises(ValueError, match="already a step from 'wager' version 1"):
        upcasts.step("wager", 1)
    with pytest.raises(ValueError, match="a cycle"):
        upcasts.step("bet-placed", 2, becomes="wager")
    upcasts.step("bet-placed", 2)


def test_today_can_be_declared_later() -> None:
    """The version of today is declared where the event is defined."""
    steps = Upcasts()
    steps.declare("round-opened", 1)
    assert steps.upcast("round-opened", 1, {"a": 1}) == ("round-opened", 1, {"a": 1})


def test_the_steps_of_taisai_itself() -> None:
    """Taisai's own steps refuse an unknown kind."""
    with pytest.raises(UnknownEvent):
        UPCASTS.upcast("no-such-event", 1, {})


def test_the_capacity_of_a_box_is_read_out_of_an_old_closes_flags() -> None:
    """Version 1 of the close named a capacity in its flag alone; other flags are about something else."""
    flags = [
        {"code": "under-minimum", "box": "big", "player": "cas", "amount": 300},
        {"code": "pro-rata", "box": "total:7", "player": None, "amount": 1000},
        {"code": "over-capacity", "box": "total:7", "player": None, "amount": 500},
    ]
    kind, version, body = UPCASTS.upcast("bets-closed", 1, {"call": "No more Bets", "flags": flags})
    assert (kind, version, body["capacity"]) == ("bets-closed", 2, {"total:7": 1000})


def test_an_old_correction_has_what_was_at_risk_for_a_capacity() -> None:
    """Version 1 of a correction did not say it; boxes that were wholly at risk were not over anything."""
    bets = [
        {"player": "ann", "box": "total:7", "stake": 900, "at_risk": 600},
        {"player": "bob", "box": "total:7", "stake": 400, "at_risk": 400},
        {"player": "bob", "box": "small", "stake": 400, "at_risk": 400},
    ]
    assert UPCASTS.upcast("bet-corrected", 1, {"bets": bets})[2]["capacity"] == {"total:7": 1000}
