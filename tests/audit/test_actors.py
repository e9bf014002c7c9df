"""Actors: whoever acted at a table is of the house's staff by its log, in that post, and signed in."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.audit.actors import Actors
from taisai.audit.findings import AuditFinding
from taisai.audit.run import Audit
from taisai.journal import open_journal
from taisai.streams import house_events as h
from taisai.streams.house_events import HouseEvent, HouseEventBody, Post, StaffSheet
from taisai.table import events as e
from taisai.table.people import Person, Role
from tests.web.serving import on_a_loop, open_house, settings_for, shelf, sqlite_url

DAN, KIM = Person("s.dan", Role.DEALER), Person("s.kim", Role.SHIFT_MANAGER)
STARTED = h.HouseStarted(version="0.2.0", program="", settings="", books={})


def sheet(login: str, *posts: Post) -> StaffSheet:
    """A member of staff."""
    return StaffSheet(login=login, name="", posts=posts)


def found(*seen: HouseEventBody | tuple[Person, Person | None] | tuple[Person, Person | None, str]) -> list[str]:
    """The findings for events of the house and acts at T1, in this order."""
    actors = Actors()
    for position, each in enumerate(seen, 1):
        if isinstance(each, tuple):
            by, second = each[:2]
            command_id = each[2] if len(each) > 2 else "c1"
            event = e.Event(position, by, e.RoundInterrupted(1, "dark", "betting"), second)
            actors.see("T1", position, position, command_id, event)
        else:
            actors.see_house(position, HouseEvent(position, "house", each))
    return [finding.sentence for finding in actors.findings()]


GOOD = (
    STARTED,
    h.StaffAdded(sheet("s.dan", Post(Role.DEALER))),
    h.StaffAdded(sheet("s.kim", Post(Role.SHIFT_MANAGER, ("T1",)))),
    h.SignedIn("s.dan", "dealer", ""),
)


def test_staff_of_the_log_are_no_finding() -> None:
    """A dealer who is signed in, a manager who authorises without, the program itself and players."""
    program = (Person("auto-supervisor", Role.SUPERVISOR), None, "house:opening-000000000001")
    player = (Person("p.abcdefghijkl", Role.PLAYER), None)
    assert found(*GOOD, (DAN, KIM), program, player, (Person("house", Role.SYSTEM), None, "house:restart-7")) == []
    assert found((DAN, None)) == [], "a journal without a house's log has no staff to compare with"
    assert found(h.HouseStarted(version="0.1.0", program="", settings="", books={}), (DAN, None)) == []


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (((Person("s.eve", Role.SHIFT_MANAGER), None),), "nobody of that name"),
        (((KIM, None),), "not signed in"),
        (((DAN, Person("s.eve", Role.SHIFT_MANAGER)),), "nobody of that name"),
        (((Person("s.dan", Role.SUPERVISOR), None),), "no such post"),
        ((h.StaffDisabled("s.dan"), (DAN, None)), "was disabled"),
        (((DAN, None), h.StaffDisabled("s.dan"), (DAN, None)), "was disabled"),
        ((h.StaffDisabled("s.dan"), (DAN, None), h.StaffEnabled("s.dan"), (DAN, None)), "was disabled"),
        (((DAN, None), h.StaffDisabled("s.dan"), (DAN, None), h.StaffEnabled("s.dan"), (DAN, None)), "was disabled"),
        ((h.StaffChanged(sheet("s.dan"), sheet("s.dan", Post(Role.DEALER, ("T2",)))), (DAN, None)), "no such post"),
        (((Person("auto-supervisor", Role.SUPERVISOR), None, "c1"),), "nobody of that name"),
        (((Person("auto-supervisor", Role.SUPERVISOR), None, "house:auto-supervisor:c1"),), "nobody of that name"),
        (((Person("auto-supervisor", Role.SHIFT_MANAGER), None, "house:opening-1"),), "nobody of that name"),
        (((Person("eve", Role.SYSTEM), None, "house:x"),), "nobody of that name"),
    ],
)
def test_everybody_else_is_found(seen: tuple[HouseEventBody | tuple[Person, Person | None], ...], words: str) -> None:
    """Whom the log does not have, who had another post or none any more, and who had not signed in."""
    (sentence,) = found(*GOOD, *seen)
    assert words in sentence


def test_a_person_is_found_once_however_often_they_are_asked_about() -> None:
    """An audit asks after every stretch of the journal; a person who goes on is one finding."""
    actors, eve = Actors(), Person("s.eve", Role.SHIFT_MANAGER)
    actors.see_house(1, HouseEvent(1, "house", STARTED))
    told: list[AuditFinding] = []
    for position in (2, 3):
        actors.see("T1", position, position, "c1", e.Event(position, eve, e.RoundInterrupted(1, "dark", "betting")))
        told += actors.findings()
    assert [(finding.table, finding.seq) for finding in told] == [("T1", 2)]


def test_who_is_enabled_again_may_act() -> None:
    """A login that was disabled for a while is no finding afterwards."""
    assert found(*GOOD, h.StaffDisabled("s.dan"), h.StaffEnabled("s.dan"), (DAN, None)) == []


def test_a_floor_of_the_demo_has_no_finding(tmp_path: Path) -> None:
    """Whatever the program itself does, when it opens the tables and seats a guest, is known as its own."""
    url = sqlite_url(tmp_path)

    @on_a_loop
    async def run() -> None:
        async with open_house(settings_for(url, demo=True)) as running:
            table = next(each.table for each in (await running.client.floor()).tables if each.phase == "open")
            await (await running.client.sit_down(guest_at=table)).sign_out()

    run()
    with open_journal(url, read_only=True) as journal:
        assert [str(each) for each in Audit(shelf().book).findings(journal) if each.code == "actor-unknown"] == []
