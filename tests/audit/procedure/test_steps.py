"""The steps of a round as the audit sees them: odds that are drawn after the close."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from taisai.audit.openings import draw_of
from taisai.audit.run import Audit
from taisai.core.fair import commitment_of, draw_from, roll_from
from taisai.journal import Batch, MemoryJournal
from taisai.streams.codec import records_of
from taisai.table import events as e
from taisai.table.notation.run import run_shift
from taisai.table.notation.script import parse_shift
from tests.table.notation.dealt_shifts import SHIFTS, book_of, dealt

SECRET, BROUGHT = bytes(range(32)), "0f" * 16
TABLE = "MX-1"
SHIFT = SHIFTS / "multiplier-sic-bo" / "drawn-odds.shift"
HEAD = SHIFT.read_text(encoding="utf-8").partition("# Round 1")[0]


def by_hand() -> list[e.Event]:
    """Two rounds with physical dice and odds that the dealer records: doubles at 18, then none raised."""
    return [event for entry in dealt(SHIFT)[1].entries for event in entry.events]


def committed(rounds: int = 3) -> list[e.Event]:
    """Rounds with virtual dice, whose odds are drawn with the close."""
    lines = [line for line in HEAD.splitlines() if not line.startswith("  ")]
    for number in range(1, rounds + 1):
        faces = ",".join(map(str, roll_from(SECRET, TABLE, number, [BROUGHT]).faces))
        lines += [
            f"dan: commit-dice {commitment_of(SECRET, TABLE, number)}",
            "dan: open-bets betting-ms=2000",
            f"ann: place-bet double:2 500 contribution={BROUGHT}",
            f"dan: close-bets opening={SECRET.hex()}",
            "dan: tumble 3",
            f"dan: uncover {faces}",
            "dan: announce",
            "dan: collect",
            "dan: pay-all",
        ]
    found = run_shift(book_of, parse_shift("\n".join(lines)))
    return [event for entry in found.entries for event in entry.events]


def found_in(events: list[e.Event]) -> set[str]:
    """The codes of what the audit finds."""
    journal = MemoryJournal()
    for seq, event in enumerate(events):
        journal.append([Batch(TABLE, seq, records_of(f"c{seq}", [event]))])
    return {finding.code for finding in Audit(book_of).findings(journal)}


def first(events: list[e.Event], kind: type) -> int:
    """The place of the first event of a kind."""
    return next(place for place, event in enumerate(events) if isinstance(event.what, kind))


def changed(events: list[e.Event], kind: type, **fields: Any) -> list[e.Event]:
    """The events with the first of a kind changed."""
    place = first(events, kind)
    what = replace(events[place].what, **fields)
    return [*events[:place], replace(events[place], what=what), *events[place + 1 :]]


def test_drawn_odds_are_settled_and_audited() -> None:
    """A double pays 18 after its draw and 8 without; with virtual dice the secret gives the draw; nothing is found."""
    events = by_hand()
    paid = [(each.what.box, each.what.pays) for each in events if isinstance(each.what, e.BetPaid)]
    assert paid == [("double:2", 18), ("total:5", 18), ("double:2", 8)]
    assert found_in(events) == set()
    virtual = committed()
    draws = book_of("multiplier-sic-bo").layouts["1"].draws
    weights = [draw.weight for draw in draws]
    drawn = [each.what.draw for each in virtual if isinstance(each.what, e.OddsDrawn)]
    assert drawn == [draws[draw_from(SECRET, TABLE, number, [BROUGHT], weights)].name for number in (1, 2, 3)]
    assert found_in(virtual) == set()


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"draw": "jackpot"}, "wrong-draw"),
        ({"raised": {"double:2": 180}}, "wrong-draw"),
        ({"round": 2}, "wrong-draw"),
        ({"draw": "plain", "raised": {}}, "settled-wrong"),
    ],
)
def test_a_draw_that_was_not_so_is_found(fields: dict[str, Any], code: str) -> None:
    """A draw that the table does not have, other odds, another round; and bets paid by another draw."""
    assert code in found_in(changed(by_hand(), e.OddsDrawn, **fields))


def test_a_draw_that_is_missing_or_doubled_is_found() -> None:
    """Dice uncovered before the odds are drawn, and odds drawn twice."""
    events = by_hand()
    place = first(events, e.OddsDrawn)
    assert "wrong-draw" in found_in([*events[:place], *events[place + 1 :]])
    assert "wrong-draw" in found_in([*events[: place + 1], *events[place:]])


def test_a_virtual_draw_that_somebody_chose_is_found() -> None:
    """With virtual dice the draw follows from the opening, and any other one is a finding."""
    events = committed(1)
    (was,) = [each.what for each in events if isinstance(each.what, e.OddsDrawn)]
    other = next(draw for draw in book_of("multiplier-sic-bo").layouts["1"].draws if draw.name != was.draw)
    raised = {str(box): odds for box, (odds, _) in other.raised.items()}
    assert "not-as-committed" in found_in(changed(events, e.OddsDrawn, draw=other.name, raised=raised))


def test_two_ways_of_drawing_agree() -> None:
    """The audit's own reading of an opening gives the row that the table takes, for weights of any size."""
    for weights in ([1], [1, 1], [20, 15, 15, 15, 15, 20], [999_999, 1], [7] * 100):
        for number in range(1, 60):
            place = draw_from(SECRET, TABLE, number, [BROUGHT], weights)
            assert place == draw_of(SECRET.hex(), TABLE, number, [BROUGHT], weights)
