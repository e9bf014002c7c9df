"""The audit finds what is wrong, where it is, and nothing in a good journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from taisai.audit.checks import CHECKS, CHECKS_BY_EVENT
from taisai.audit.findings import AuditFinding
from taisai.audit.run import Audit
from taisai.books import Shelf, open_shelf
from taisai.core.rulebook import Rule, RuleBook, VoidReason
from taisai.journal import Batch, MemoryJournal, NewRecord, SqliteJournal
from taisai.streams.codec import event_of, records_of
from taisai.streams.loading import load
from taisai.table import events as e
from taisai.table.commands import BoxLimit, TableLimits
from taisai.table.parts import Handed
from taisai.table.people import Person, Role
from taisai.table.state import SNAPSHOT_FORMAT, RoundPhase, TableState, snapshot_of
from tests.audit.bot import Bot, deal
from tests.streams.keeper import TableKeeper

LAYOUTS = ("nz-division-9/1", "rws-open-cover-v3/B", "rws-tai-sai-v6/E", "rws-mini-dice-v3/A")


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    """The package's own books."""
    return open_shelf(environment={})


def dealt(shelf: Shelf, layout: str, commands: int = 400, seed: int = 3) -> list[e.Event]:
    """The events of a shift that the bot deals, up to the end of its last round."""
    book_id, _, layout_id = layout.partition("/")
    journal = MemoryJournal()
    keeper = TableKeeper(journal, shelf.book, "T1")
    for _ in islice(deal(keeper, Bot(shelf.book(book_id), layout_id, seed)), commands):
        pass
    events = [event_of(record) for record in journal.read("T1")]
    last = max(place for place, event in enumerate(events) if isinstance(event.what, e.RoundConcluded))
    return events[: last + 1]


def journal_of(events: list[e.Event]) -> MemoryJournal:
    """A journal whose chain is whole, with these events, whatever they say."""
    journal = MemoryJournal()
    for seq, event in enumerate(events):
        journal.append([Batch("T1", seq, records_of(f"c{seq}", [event]))])
    return journal


def found_in(
    shelf: Shelf, events: list[e.Event], book_of: Callable[[str], RuleBook | None] | None = None
) -> list[AuditFinding]:
    """What the audit finds in these events."""
    return list(Audit(book_of or shelf.book).findings(journal_of(events)))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_good_shift_has_no_finding(shelf: Shelf, layout: str) -> None:
    """A shift dealt through the rules, with irregularities, is clean under every book; its replay is its state."""
    book_id, _, layout_id = layout.partition("/")
    journal = MemoryJournal()
    keeper = TableKeeper(journal, shelf.book, "T1", snapshot_every=100)
    for _ in islice(deal(keeper, Bot(shelf.book(book_id), layout_id, 5, trouble=0.2)), 900):
        pass
    audit = Audit(shelf.book)
    assert [str(finding) for finding in audit.findings(journal)] == []
    assert audit.states["T1"] == keeper.state == load(journal, "T1")[0]
    assert audit.records == keeper.state.seq
    assert keeper.state.meters.rounds > 5
    assert keeper.state.meters.voided > 0


Change = Callable[[Any], Any]


def altered(events: list[e.Event], kind: type, change: Change, whole: Change = lambda event: event) -> list[e.Event]:
    """The events with the last one of a kind changed."""
    place = max(place for place, event in enumerate(events) if isinstance(event.what, kind))
    event = events[place]
    return [*events[:place], whole(replace(event, what=change(event.what))), *events[place + 1 :]]


def same(what: Any) -> Any:
    """No change of what happened."""
    return what


ALTERATIONS: list[tuple[str, str, type, Change, Change]] = [
    ("settled-wrong", "nz-division-9/1", e.BetPaid, lambda what: replace(what, pays=(what.pays or 0) + 1), same),
    ("sums-wrong", "nz-division-9/1", e.RoundConcluded, lambda what: replace(what, staked=what.staked + 1), same),
    (
        "dice-differ",
        "rws-tai-sai-v6/E",
        e.RoundConcluded,
        lambda what: replace(what, dice=(what.dice[0] % 6 + 1, 1, 1)),
        same,
    ),
    ("lights-wrong", "nz-division-9/1", e.ResultEntered, lambda what: replace(what, lit=what.lit[1:]), same),
    (
        "lights-wrong",
        "rws-tai-sai-v6/E",
        e.AreasLit,
        lambda what: replace(what, lit=(*what.lit, "total:4", "total:17")),
        same,
    ),
    ("lights-wrong", "nz-division-9/1", e.TestRunMade, lambda what: replace(what, lit=()), same),
    ("call-wrong", "nz-division-9/1", e.ResultAnnounced, lambda what: replace(what, call="triple 1, total 3."), same),
    ("book-differs", "nz-division-9/1", e.TableSetUp, lambda what: replace(what, digest="0" * 64), same),
    ("book-changed", "nz-division-9/1", e.BetsOpened, lambda what: replace(what, digest="0" * 64), same),
    (
        "not-authorised",
        "nz-division-9/1",
        e.TableOpened,
        same,
        lambda event: replace(event, by=Person("dan", Role.DEALER)),
    ),
    (
        "not-authorised",
        "nz-division-9/1",
        e.BetPlaced,
        same,
        lambda event: replace(event, by=Person("eve", Role.PLAYER)),
    ),
    ("settled-wrong", "rws-tai-sai-v6/E", e.BetPlaced, lambda what: replace(what, box="any-triple"), same),
]


@pytest.mark.parametrize("alteration", ALTERATIONS, ids=lambda alteration: f"{alteration[0]}-{alteration[2].__name__}")
def test_a_forged_event_is_found(shelf: Shelf, alteration: tuple[str, str, type, Change, Change]) -> None:
    """An event that was not so, in a chain that is whole, is found with its table and record."""
    code, layout, kind, change, whole = alteration
    findings = found_in(shelf, altered(dealt(shelf, layout), kind, change, whole))
    # Money that was never there breaks the ledger at once; the replay of that table then ends.
    assert {finding.code for finding in findings} & {code, "ledger-broken"}
    assert all(finding.table == "T1" and finding.seq for finding in findings)


def event(what: e.EventBody, by: Person | None = None, **rest: Any) -> e.Event:
    """An event of its own."""
    return e.Event(at=1_800_000_000_000_000, by=by or Person("dan", Role.DEALER), what=what, **rest)


LIMITS = TableLimits(100, BoxLimit(100, 2_000_000))
FORGED: list[tuple[str, str, e.EventBody]] = [
    ("out-of-order", "rws-tai-sai-v6/E", e.BetPlaced("p1", "big", 100)),
    ("out-of-order", "rws-tai-sai-v6/E", e.DiceUncovered((1, 2, 3))),
    ("out-of-order", "nz-division-9/1", e.BetsClosed("No more bets", bell=True, bets=(), flags=(), capacity={})),
    ("one-person", "nz-division-9/1", e.LimitsSet(LIMITS, LIMITS)),
    ("no-reason", "nz-division-9/1", e.LimitsSet(LIMITS, LIMITS)),
    ("one-person", "rws-tai-sai-v6/E", e.RoundReversed(1, (), ())),
    ("not-authorised", "rws-tai-sai-v6/E", e.Ruled("x", "y", ())),
    ("void-reason", "nz-division-9/1", e.RoundVoided(9, VoidReason.DAMAGED_DICE, True, "", (), ())),
    ("ledger-broken", "nz-division-9/1", e.CashedOut("p1", 10**12)),
    ("ledger-broken", "nz-division-9/1", e.BetPlaced("nobody", "big", 100)),
    ("table-not-open", "nz-division-9/1", e.BetsOpened(99, "Place your bets", "0" * 64)),
]


@pytest.mark.parametrize(("code", "layout", "what"), FORGED)
def test_an_inserted_event_is_found(shelf: Shelf, code: str, layout: str, what: e.EventBody) -> None:
    """An event that should not be there is found."""
    events = dealt(shelf, layout, 200)
    if code == "table-not-open":
        events = events[:3]
    findings = found_in(shelf, [*events, event(what)])
    assert code in {finding.code for finding in findings}
    assert findings[0].seq == len(events) + 1
    assert "record" in str(findings[0])


def test_bets_over_the_limits_are_found(shelf: Shelf) -> None:
    """A bet under the minimum, over the maximum or over the differential, and not found on the felt, is a finding."""
    limits = TableLimits(100, BoxLimit(200, 1000), differential={"big-small": 600})
    events = altered(dealt(shelf, "rws-tai-sai-v6/A", 120), e.TableSetUp, lambda what: replace(what, limits=limits))
    place = next(place for place, each in enumerate(events) if isinstance(each.what, e.BetsOpened))
    me = Person("p1", Role.PLAYER)
    bets = [e.BetPlaced("p1", "small", 100), e.BetPlaced("p1", "single:1", 1100), e.BetPlaced("p1", "big", 900)]
    findings = found_in(shelf, [*events[: place + 1], *(event(bet, me) for bet in bets)])
    assert [finding.code for finding in findings] == ["under-minimum", "over-maximum", "over-differential"]
    assert findings[0].clauses == shelf.book("rws-tai-sai-v6").clauses_for(Rule.MINIMUM)
    assert "§3.4" in str(findings[0])
    strange = [*events[: place + 1], event(e.BetPlaced("p1", "nowhere", 200), me)]
    assert found_in(shelf, strange)[0].code == "unknown-box"


def test_an_unsettled_or_twice_settled_bet_is_found(shelf: Shelf) -> None:
    """A payment left out, or made twice, is found at the end of its round."""
    events = dealt(shelf, "rws-tai-sai-v6/A")
    paid = max(place for place, each in enumerate(events) if isinstance(each.what, e.BetPaid))
    left_out = found_in(shelf, events[:paid] + events[paid + 1 :])
    assert {"felt-not-empty", "settled-not-once"} <= {finding.code for finding in left_out}
    twice = found_in(shelf, [*events[: paid + 1], events[paid], *events[paid + 1 :]])
    assert {finding.code for finding in twice} & {"ledger-broken", "settled-not-once"}


def test_a_void_that_keeps_chips_is_found(shelf: Shelf) -> None:
    """A void that does not hand everything back is found; so is one after the reveal without a second person."""
    events = dealt(shelf, "nz-division-9/1")
    place = max(place for place, each in enumerate(events) if isinstance(each.what, e.DiceUncovered))
    void = e.RoundVoided(1, VoidReason.NOT_FLAT, True, "No spin", (), ())
    codes = {finding.code for finding in found_in(shelf, [*events[: place + 1], event(void)])}
    assert {"void-not-whole", "one-person", "no-reason"} <= codes


def test_chips_that_were_not_there_are_found(shelf: Shelf) -> None:
    """More chips handed back than lay in the box is a finding."""
    events = dealt(shelf, "nz-division-9/1")
    place = max(place for place, each in enumerate(events) if isinstance(each.what, e.BetPlaced))
    bet = events[place].what
    assert isinstance(bet, e.BetPlaced)
    back = e.BetWithdrawn(Handed(bet.player, bet.box, 10**9))
    codes = [finding.code for finding in found_in(shelf, [*events[: place + 1], event(back)])]
    assert codes[0] == "chips-not-there"


def test_an_opening_without_its_check_is_found(shelf: Shelf) -> None:
    """A table opened without its items, or without dice, is a finding."""
    events = [
        each for each in dealt(shelf, "nz-division-9/1", 60) if not isinstance(each.what, e.ItemChecked | e.DiceSealed)
    ]
    opened = next(place for place, each in enumerate(events) if isinstance(each.what, e.TableOpened))
    codes = {finding.code for finding in found_in(shelf, events[: opened + 1])}
    assert codes == {"check-incomplete", "no-dice"}


def test_a_book_that_is_not_at_hand_is_said(shelf: Shelf) -> None:
    """Without the rule book, or with another edition, the audit says so."""
    codes = {finding.code for finding in found_in(shelf, dealt(shelf, "nz-division-9/1", 100), lambda _: None)}
    assert codes == {"book-unknown"}


def test_a_body_that_is_no_event_is_found(shelf: Shelf) -> None:
    """A record whose body is something else stops that table's replay and is named."""
    journal = journal_of(dealt(shelf, "nz-division-9/1", 60))
    seq = journal.head("T1").seq
    journal.append([Batch("T1", seq, [NewRecord("bet-placed", 1, 1, "x", 0, "eve", b"{}")])])
    journal.append([Batch("T1", seq + 1, [NewRecord("bet-placed", 1, 1, "y", 0, "eve", b"{}")])])
    findings = list(Audit(shelf.book).findings(journal))
    assert [finding.code for finding in findings] == ["not-an-event"]


def test_a_snapshot_that_lies_is_found(shelf: Shelf) -> None:
    """A snapshot in perfect order that is not what its history leads to is found by replaying."""
    events = dealt(shelf, "nz-division-9/1", 100)
    journal = journal_of(events)
    lie = snapshot_of(TableState("T1", seq=50))
    journal.save_snapshot("T1", 50, SNAPSHOT_FORMAT, lie)
    journal.save_snapshot("T1", 51, SNAPSHOT_FORMAT + 1, b"of another form")
    assert [(finding.code, finding.seq) for finding in Audit(shelf.book).findings(journal)] == [
        ("snapshot-differs", 50)
    ]


def test_a_damaged_file_is_audited_without_a_traceback(shelf: Shelf, tmp_path: Path) -> None:
    """A file with flipped bytes, and one that is nothing like a journal, give findings."""
    file = tmp_path / "floor.db"
    with SqliteJournal(file) as journal:
        keeper = TableKeeper(journal, shelf.book, "T1", snapshot_every=20)
        for _ in islice(deal(keeper, Bot(shelf.book("nz-division-9"), "1", 2)), 150):
            pass
        journal.sign_checkpoint(1)
    assert list(Audit(shelf.book).findings_of_file(file)) == []
    whole = file.read_bytes()
    place = whole.index(b"bet-placed") + 30
    file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    assert list(Audit(shelf.book).findings_of_file(file))
    file.write_bytes(b"not a journal" * 1000)
    assert [finding.code for finding in Audit(shelf.book).findings_of_file(file)] == ["file-damaged"]


def test_every_check_can_be_reached() -> None:
    """Each check looks at some event, and no event is checked twice by one."""
    reached = {check for checks in CHECKS_BY_EVENT.values() for check in checks}
    assert reached == {check for _, check in CHECKS}


def test_progress_is_told(shelf: Shelf) -> None:
    """Long audits tell how far they are."""
    told: list[tuple[int, int]] = []
    journal = journal_of(dealt(shelf, "nz-division-9/1", 60))
    assert list(Audit(shelf.book, lambda done, whole: told.append((done, whole))).findings(journal)) == []
    assert told[-1][0] == told[-1][1] == journal.position()


def keepers(shelf: Shelf) -> Iterator[TableKeeper]:
    """Keepers of one table, one after another, on one journal."""
    journal = MemoryJournal()
    while True:
        yield TableKeeper(journal, shelf.book, "T1", snapshot_every=10)


def test_a_restart_in_a_round_is_an_interruption(shelf: Shelf) -> None:
    """A table that comes back in mid-round is interrupted until two people say which dice can be read."""
    house = keepers(shelf)
    keeper = next(house)
    bot = Bot(shelf.book("rws-tai-sai-v6"), "A", 1, trouble=0)
    for _ in deal(keeper, bot):
        if keeper.state.round.phase is RoundPhase.CLOSED:
            break
    again = next(house)
    assert again.state == keeper.state
    assert again.restart(keeper.state.at) is not None
    assert again.state.round.interrupted
    assert again.restart(keeper.state.at) is None
    refused = again.do(replace(bot.command(keeper.state), id="x")).refusal
    assert refused is not None
    assert refused.code == "round-interrupted"
