"""Committed dice in an audit: opened as they were committed, or found."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest
from msgspec.structs import replace

from taisai.audit.openings import opened_wrong
from taisai.audit.run import Audit
from taisai.core.fair import commitment_of, roll_from
from taisai.core.rulebook import Fact
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.parts import Handed
from taisai.table.people import Person, Role
from taisai.table.state import SNAPSHOT_FORMAT, snapshot_of
from tests.audit.forged import journal_of
from tests.table.driver import DEALER, SYSTEM, TAI_SAI, Deal, opened, player, shelf

SECRET, OTHER = bytes(32), bytes(31) + b"\x01"
BROUGHT = "0f" * 16
NOT_FLAT, EXPOSED = Fact.NOT_FLAT, Fact.EXPOSED
TABLE = "T1"


class At(Deal):
    """The driver at the table that the audit's journals have."""

    def __init__(self, layout: str) -> None:
        super().__init__(layout)
        self.state = replace(self.state, table=TABLE)


def dealt(rounds: int = 2) -> list[e.Event]:
    """A shift of committed rounds."""
    deal = At(TAI_SAI).open().seat(ann=1000)
    deal.do(c.AssignDealing(c.DealtBy.PEOPLE, purpose=c.Purpose.DEMO), SYSTEM)
    for number in range(1, rounds + 1):
        deal.do(c.CommitDice(commitment_of(SECRET, TABLE, number)))
        deal.begin().do(c.PlaceBet("ann", "small", 10, contribution=BROUGHT), player("ann"))
        deal.close(SECRET.hex())
        deal.do(c.Uncover(roll_from(SECRET, TABLE, number, [BROUGHT]).faces))
        deal.do(c.Announce())
        deal.settle()
    return deal.record


@pytest.mark.clause("rws-tai-sai-v6 I23")
def test_virtual_dice_at_a_gaming_table_are_found() -> None:
    """Dice committed where the record says gaming, or under today's book says nothing, are a finding."""
    events = dealt()
    place = next(place for place, event in enumerate(events) if isinstance(event.what, e.DealingAssigned))
    for purpose, codes in ((c.Purpose.GAMING, ["not-admitted"] * 2), (None, ["not-admitted"] * 2)):
        said = replace(events[place].what, purpose=purpose)
        changed = [*events[:place], replace(events[place], what=said), *events[place + 1 :]]
        assert [code for code, _ in found(changed)] == codes


def found(events: list[e.Event]) -> list[tuple[str, str]]:
    """Code and sentence of what the audit finds."""
    return [(finding.code, finding.sentence) for finding in Audit(shelf().book).findings(journal_of(events))]


def changed(kind: type, **fields: Any) -> list[e.Event]:
    """The shift with the last event of a kind changed."""
    events = dealt()
    place = max(place for place, event in enumerate(events) if isinstance(event.what, kind))
    return [*events[:place], replace(events[place], what=replace(events[place].what, **fields)), *events[place + 1 :]]


def test_committed_rounds_are_clean() -> None:
    """A shift whose dice were committed and opened has no finding."""
    assert found(dealt()) == []


@pytest.mark.parametrize(
    ("kind", "fields", "says"),
    [
        (e.DiceUncovered, {"opening": ""}, "the close fixed"),
        (e.DiceOpened, {"contributions": ("1" * 32,)}, "is not what their bets say"),
        (e.DiceOpened, {"round": 1}, "dice of round 1 were opened, which has none to open"),
        (e.DiceCommitted, {"commitment": commitment_of(SECRET, TABLE, 1)}, "does not fit the commitment"),
        (e.DiceCommitted, {"commitment": commitment_of(SECRET, TABLE, 2, form=1)}, "does not fit the commitment"),
        (e.DiceCommitted, {"commitment": ""}, "had not been committed"),
        (e.BetPlaced, {"contribution": "1" * 32}, "is not what their bets say"),
        (e.DiceCommitted, {"round": 7}, "committed for round 7, the next is 2"),
    ],
)
def test_what_is_not_as_committed_is_found(kind: type, fields: dict[str, Any], says: str) -> None:
    """A missing or strange opening, another commitment, another round: one finding, in words."""
    ((code, sentence),) = found(changed(kind, **fields))
    assert code == "not-as-committed"
    assert says in sentence


def test_a_players_part_by_another_hand_is_found() -> None:
    """A contribution that the crew brought in a player's name: who knew the secret could have chosen the dice."""
    events = dealt()
    place = max(place for place, event in enumerate(events) if isinstance(event.what, e.BetPlaced))
    by_crew = replace(events[place], by=DEALER, what=replace(events[place].what, how=c.How.STAFF))
    ((code, sentence),) = found([*events[:place], by_crew, *events[place + 1 :]])
    assert code == "not-authorised"
    assert sentence.endswith("brought a part of virtual dice in the name of ann")


def test_other_dice_than_the_opening_gives_are_found() -> None:
    """Dice that were changed after the fact are found, beside everything that then does not add up."""
    one, two, three = roll_from(SECRET, TABLE, 2, [BROUGHT]).faces
    for kind, says in ((e.DiceUncovered, "the close fixed"), (e.DiceOpened, "the opening gives")):
        findings = found(changed(kind, dice=(one % 6 + 1, two, three)))
        assert any(code == "not-as-committed" and says in sentence for code, sentence in findings)


def test_a_close_without_its_opening_is_found() -> None:
    """Whether the round is then uncovered or void: from the close the dice are on record."""
    events = [event for event in dealt(1) if not isinstance(event.what, e.DiceOpened)]
    assert "not-as-committed" in [code for code, _ in found(events)]
    closed = next(place for place, event in enumerate(events) if isinstance(event.what, e.BetsClosed))
    handed = (Handed("ann", "small", 10, 0, None),)
    void = e.Event(events[closed].at, Person("dan", Role.DEALER), e.RoundVoided(1, NOT_FLAT, True, "Void", handed, ()))
    assert ("not-as-committed", "round 1 was closed without its opening") in found([*events[: closed + 1], void])


def test_a_void_round_is_opened_as_it_was_committed() -> None:
    """Its opening is looked at like any other, and a void round has no roll."""
    deal = At(TAI_SAI).open().seat(ann=1000)
    deal.do(c.AssignDealing(c.DealtBy.PEOPLE, purpose=c.Purpose.DEMO), SYSTEM)
    deal.do(c.CommitDice(commitment_of(SECRET, TABLE, 1)))
    deal.begin().do(c.PlaceBet("ann", "small", 10, contribution=BROUGHT), player("ann"))
    deal.void(EXPOSED)
    deal.do(c.OpenDice(1, SECRET.hex()))
    assert found(deal.record) == []
    *before, last = deal.record
    for fields, says in (({"opening": OTHER.hex()}, "does not fit"), ({"contributions": ()}, "their bets say")):
        ((code, sentence),) = found([*before, replace(last, what=replace(last.what, **fields))])
        assert (code, says in sentence) == ("not-as-committed", True)


def test_a_bet_after_the_time_of_the_close_is_found() -> None:
    """Whenever the close was called: who knows the secret must not choose which bets are in; nor close early."""
    events = dealt(1)
    late = next(place for place, event in enumerate(events) if isinstance(event.what, e.BetPlaced))
    closes_at = next(event.what.closes_at for event in events if isinstance(event.what, e.BetsOpened))
    events[late] = replace(events[late], at=closes_at)
    assert [code for code, _ in found(events)] == ["bet-too-late"]
    early = [replace(each, at=closes_at - 1) if isinstance(each.what, e.BetsClosed) else each for each in dealt(1)]
    assert [code for code, _ in found(early)] == ["betting-too-short"]


def test_a_commitment_made_twice_or_too_late_is_found() -> None:
    """A second commitment of one round, and one while bets are open, are found."""
    by, record = Person("dan", Role.DEALER), dealt(1)
    again = e.Event(1, by, e.DiceCommitted(1, "0" * 64))
    first = next(place for place, event in enumerate(record) if isinstance(event.what, e.DiceCommitted))
    codes = [code for code, _ in found([*record[: first + 1], again])]
    assert codes == ["not-as-committed"]
    codes = [code for code, _ in found([*record[: first + 2], again])]
    assert "out-of-order" in codes


def test_virtual_dice_that_somebody_read_are_found() -> None:
    """An interrupted round that was concluded with dice nobody could read is a finding."""
    record = dealt(1)
    place = next(place for place, event in enumerate(record) if isinstance(event.what, e.DiceUncovered))
    read = e.InterruptionResolved(1, (1, 2, 3), (1, 2, 3))
    event = e.Event(1, Person("dan", Role.DEALER), read, Person("sue", Role.SUPERVISOR), "seen")
    assert "not-as-committed" in {code for code, _ in found([*record[:place], event])}


def test_the_second_opinion_agrees_with_the_first() -> None:
    """Over many secrets and rounds: what `core.fair` makes, the audit's own reading of the document confirms."""
    for number in range(1, 400):
        secret = number.to_bytes(32, "big")
        brought = [sha256(secret + bytes([each])).hexdigest()[:32] for each in range(number % 5)]
        for form, mixed in ((1, None), (2, brought)):
            commitment = commitment_of(secret, "Tisch ü", number, form)
            dice = roll_from(secret, "Tisch ü", number, brought, form).faces
            assert opened_wrong(commitment, secret.hex(), "Tisch ü", number, dice, contributions=mixed) == ""
            turned = (dice[0] % 6 + 1, dice[1], dice[2])
            says = opened_wrong(commitment, secret.hex(), "Tisch ü", number, turned, contributions=mixed)
            assert f"the opening gives {dice}" in says
            assert "does not fit" in opened_wrong(commitment, secret.hex(), "Tisch", number, dice, contributions=mixed)


def test_a_snapshot_from_before_a_field_was_added_is_no_lie() -> None:
    """An older snapshot lacks the new fields and is held by its values; a changed or unreadable one is found."""
    deal = opened(TAI_SAI, ann=100)
    deal.state = replace(deal.state, table=TABLE)
    kept = snapshot_of(deal.state)
    older = kept.replace(b'"stepped_at":0,"closes_at":0,"commitment":"","form":0,"nonce":"","opening":"",', b"")
    assert older != kept
    for snapshot, codes in ((older, []), (older.replace(b'"ann"', b'"amy"'), ["snapshot-differs"])):
        journal = journal_of(deal.record)
        journal.save_snapshot(TABLE, deal.state.seq, SNAPSHOT_FORMAT, snapshot)
        assert [finding.code for finding in Audit(shelf().book).findings(journal)] == codes
    journal = journal_of(deal.record)
    journal.save_snapshot(TABLE, deal.state.seq, SNAPSHOT_FORMAT, b"{")
    assert [finding.code for finding in Audit(shelf().book).findings(journal)] == ["snapshot-differs"]
