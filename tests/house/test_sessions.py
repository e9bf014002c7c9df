"""Sessions: tokens, reach, idle locks, expiry, restarts, and how little is written."""

from __future__ import annotations

import asyncio
import threading

from taisai.house.sessions import THE_CONSOLE, Admission, Session, Sessions, key_of
from taisai.journal import MemoryJournal
from taisai.settings.forms import SignIn
from taisai.streams import house_events as h
from taisai.table.people import Person, Role
from tests.house.people import HOUR, MINUTE, SECOND, HandClock, Heard, on_a_loop


class CountingStore(MemoryJournal):
    """A key-value store that counts writes."""

    def __init__(self) -> None:
        super().__init__()
        self.writes = 0

    def put(self, key: str, value: bytes | None) -> None:
        """Count, and store."""
        self.writes += 1
        super().put(key, value)


class Desk:
    """Sessions with a clock, a log and a store of their own."""

    def __init__(self, store: CountingStore | None = None, clock: HandClock | None = None) -> None:
        self.store = store or CountingStore()
        self.clock = clock or HandClock()
        self.heard = Heard()
        self.sessions = Sessions(self.store, self.heard, self.clock, SignIn())

    def restarted(self) -> Desk:
        """The same after a restart."""
        return Desk(self.store, self.clock)

    async def dealer(self, who: str = "dan") -> Admission:
        """A dealer signs in."""
        return await self.sessions.begin(who, Role.DEALER, ("T1", "T2"), "10.0.0.1")

    def found(self, admission: Admission) -> Session:
        """The session of a token, which must be there."""
        session = self.sessions.find(admission.token)
        assert session is not None
        return session


@on_a_loop
async def test_a_token_is_shown_once_and_kept_hashed() -> None:
    """The token has 32 bytes, differs each time, and is not stored; a made-up one finds nothing."""
    desk = Desk()
    first, second = await desk.dealer(), await desk.dealer()
    assert len({first.token, second.token, first.session.csrf, second.session.csrf}) == 4
    assert len(first.token) == 43
    assert not any(first.token.encode() in value or first.token in key for key, value in desk.store.entries().items())
    assert set(desk.store.entries()) == {f"session/{each.session.key}" for each in (first, second)}
    assert desk.found(first) == first.session
    for made_up in ("", "x", first.token[:-1], first.session.key, "\ud800"):
        assert desk.sessions.find(made_up) is None


@on_a_loop
async def test_what_a_session_reaches() -> None:
    """Crew reach their tables, players one seat, administrators no table at all."""
    desk = Desk()
    dealer = (await desk.dealer()).session
    assert dealer.person == Person("dan", Role.DEALER)
    assert [dealer.reaches(table) for table in ("T1", "T2", "T3")] == [True, True, False]
    manager = (await desk.sessions.begin("kim", Role.SHIFT_MANAGER, "*")).session
    assert manager.reaches("T3")
    player = (await desk.sessions.begin_player("T1", "ann")).session
    assert (player.person, player.is_player, player.is_crew) == (Person("ann", Role.PLAYER), True, False)
    assert [player.reaches(table) for table in ("T1", "T2")] == [True, False]
    administrator = (await desk.sessions.begin("ada", None, ())).session
    assert (administrator.person, administrator.is_administrator) == (None, True)
    assert not administrator.reaches("T1")
    assert THE_CONSOLE.is_administrator
    assert not THE_CONSOLE.reaches("T1")


@on_a_loop
async def test_idle_crew_are_locked_after_five_minutes() -> None:
    """Five minutes without activity lock a crew session; activity puts it off, and does not open it again (R15)."""
    desk = Desk()
    dealer = await desk.dealer()
    administrator = await desk.sessions.begin("ada", None, ())
    player = await desk.sessions.begin_player("T1", "ann")
    desk.clock.after(4 * MINUTE)
    desk.sessions.touch(dealer.session.key)
    desk.clock.after(5 * MINUTE - 1)
    assert not desk.found(dealer).locked
    assert desk.found(administrator).locked
    desk.clock.after(1)
    assert desk.found(dealer).locked
    assert not desk.found(player).locked, "players do not lock"
    desk.sessions.touch(dealer.session.key)
    assert desk.found(dealer).locked
    await desk.sessions.unlock(dealer.session.key)
    assert not desk.found(dealer).locked
    desk.clock.after(5 * MINUTE)
    assert desk.found(dealer).locked


@on_a_loop
async def test_looking_is_not_activity() -> None:
    """Finding a session, as a display does again and again, does not keep it open."""
    desk = Desk()
    dealer = await desk.dealer()
    for _ in range(10):
        desk.clock.after(30 * SECOND)
        desk.found(dealer)
    assert desk.found(dealer).locked


@on_a_loop
async def test_locking_by_hand_outlives_a_restart() -> None:
    """A screen that a dealer locks stays locked, after a restart too."""
    desk = Desk()
    dealer = await desk.dealer()
    await desk.sessions.lock(dealer.session.key)
    assert desk.found(dealer).locked
    assert desk.restarted().found(dealer).locked
    player = await desk.sessions.begin_player("T1", "ann")
    await desk.sessions.lock(player.session.key)
    assert not desk.found(player).locked


@on_a_loop
async def test_sessions_expire() -> None:
    """Crew are signed out after 12 hours however busy they are, players after 24; the log hears of the crew."""
    desk = Desk()
    dealer, player = await desk.dealer(), await desk.sessions.begin_player("T1", "ann")
    for _ in range(12 * 60 // 4):
        assert desk.sessions.find(dealer.token) is not None
        desk.clock.after(4 * MINUTE)
        desk.sessions.touch(dealer.session.key)
    assert desk.sessions.find(dealer.token) is None
    assert desk.sessions.by_key(dealer.session.key) is None
    assert await desk.sessions.sweep() == 1
    assert desk.heard.events[-1].what == h.SessionExpired("dan", "dealer")
    assert desk.sessions.find(player.token) is not None
    desk.clock.after(12 * HOUR)
    assert desk.sessions.find(player.token) is None
    assert await desk.sessions.sweep() == 1
    assert desk.store.entries() == {}
    assert len(desk.heard.events) == 1, "of players' comings and goings the log says nothing"


@on_a_loop
async def test_a_restart_keeps_people_signed_in() -> None:
    """After a restart every token still stands for its session; expiry and reach are as before."""
    desk = Desk()
    dealer, player = await desk.dealer(), await desk.sessions.begin_player("T1", "ann")
    again = desk.restarted()
    assert again.found(dealer) == dealer.session
    assert again.found(player) == player.session
    again.clock.after(12 * HOUR)
    assert again.sessions.find(dealer.token) is None


@on_a_loop
async def test_activity_is_written_now_and_then() -> None:
    """A thousand requests in ten minutes cost about ten writes; a restart then locks nobody who was busy."""
    desk = Desk()
    dealer = await desk.dealer()
    desk.store.writes = 0
    for _ in range(1000):
        desk.clock.after(600_000)
        desk.sessions.touch(dealer.session.key)
        await desk.sessions.sweep()
    assert 8 <= desk.store.writes <= 10
    assert not desk.restarted().found(dealer).locked
    desk.store.writes = 0
    desk.clock.after(SECOND)
    desk.sessions.touch(dealer.session.key)
    await desk.sessions.flush()
    await desk.sessions.flush()
    assert desk.store.writes == 1, "a planned end writes what is new, once"
    assert desk.restarted().found(dealer).seen_at == desk.clock()


@on_a_loop
async def test_signing_out() -> None:
    """A session that was ended is gone, from the drawer too, and stays gone after a restart."""
    desk = Desk()
    dealer = await desk.dealer()
    await desk.sessions.end(dealer.session.key)
    await desk.sessions.end(dealer.session.key)
    assert desk.sessions.find(dealer.token) is None
    assert desk.restarted().sessions.find(dealer.token) is None
    assert [event.what for event in desk.heard.events] == [h.SignedOut("dan", "dealer")]
    assert await desk.sessions.unlock(dealer.session.key) is None


@on_a_loop
async def test_writing_does_not_bring_a_session_back() -> None:
    """Of a session that ends while its activity is written nothing is left."""
    desk = Desk()
    for _ in range(20):
        dealer = await desk.dealer()
        desk.clock.after(2 * MINUTE)
        desk.sessions.touch(dealer.session.key)
        await asyncio.gather(desk.sessions.sweep(), desk.sessions.end(dealer.session.key), desk.sessions.flush())
        assert desk.store.entries() == {}


@on_a_loop
async def test_ending_all_of_one_person() -> None:
    """Every session of a login ends, save the one that is kept; a player of the same name stays."""
    desk = Desk()
    mine = [await desk.dealer() for _ in range(3)]
    other = await desk.dealer("eve")
    player = await desk.sessions.begin_player("T1", "dan")
    assert await desk.sessions.end_all_of("dan", "disabled", "ada", keep=mine[0].session.key) == 2
    assert [desk.sessions.find(each.token) is not None for each in mine] == [True, False, False]
    assert desk.found(other).who == "eve"
    assert desk.found(player).is_player
    assert {event.by for event in desk.heard.events} == {"ada"}
    assert await desk.sessions.end_player("T2", "dan") == 0
    assert await desk.sessions.end_player("T1", "dan") == 1
    assert desk.sessions.find(player.token) is None


@on_a_loop
async def test_another_node_ends_a_session() -> None:
    """Reading the drawer anew finds what another node began and ended, and keeps activity that is not written yet."""
    here = Desk()
    there = here.restarted()
    dealer, eve = await here.dealer(), await here.dealer("eve")
    assert there.sessions.find(dealer.token) is None
    await there.sessions.reload()
    there.clock.after(SECOND)
    there.sessions.touch(dealer.session.key)
    await here.sessions.end(eve.session.key)
    await there.sessions.reload()
    assert there.found(dealer).seen_at == there.clock()
    assert there.sessions.find(eve.token) is None


@on_a_loop
async def test_changes_during_a_reload_are_kept() -> None:
    """A person who signs in during a reload stays signed in, and one who signs out stays signed out."""

    class Slow(MemoryJournal):
        """Reads at once, and answers when it is allowed to."""

        go_on = threading.Event()
        was_read = threading.Event()

        def entries(self, prefix: str = "", *, after: str = "", count: int | None = None) -> dict[str, bytes]:
            entries = super().entries(prefix, after=after, count=count)
            self.was_read.set()
            assert self.go_on.wait(10)
            return entries

    store = Slow()
    store.go_on.set()
    sessions = Sessions(store, Heard(), HandClock(), SignIn())
    leaving = await sessions.begin("eve", Role.DEALER, "*")
    store.go_on.clear()
    store.was_read.clear()
    reading = asyncio.ensure_future(sessions.reload())
    assert await asyncio.to_thread(store.was_read.wait, 10)
    coming = await sessions.begin("dan", Role.DEALER, "*")
    await sessions.end(leaving.session.key)
    store.go_on.set()
    await reading
    assert sessions.find(coming.token) is not None
    assert sessions.find(leaving.token) is None
    await sessions.reload()
    assert [each.who for each in sessions.all()] == ["dan"]


@on_a_loop
async def test_a_session_that_cannot_be_written_is_none() -> None:
    """When the store fails nobody is signed in."""

    class Broken(MemoryJournal):
        def put(self, key: str, value: bytes | None) -> None:
            raise OSError(f"{key} cannot be stored: {value is not None}")

    sessions = Sessions(Broken(), Heard(), HandClock(), SignIn())
    try:
        await sessions.begin("dan", Role.DEALER, "*")
    except OSError:
        assert sessions.all() == ()
    else:
        raise AssertionError("signed in without a record of it")


@on_a_loop
async def test_unreadable_entries_are_skipped() -> None:
    """What another taisai kept in a form of its own, or under another name, is no session."""
    desk = Desk()
    dealer = await desk.dealer()
    value = desk.store.entries()[f"session/{dealer.session.key}"]
    desk.store.put("session/" + key_of("guessed"), value)
    desk.store.put("session/other", b'{"form": 2}')
    again = desk.restarted()
    assert again.sessions.find("guessed") is None
    assert [each.key for each in again.sessions.all()] == [dealer.session.key]


@on_a_loop
async def test_the_drawer_of_a_journal() -> None:
    """Sessions are stored in any journal."""
    journal = MemoryJournal()
    admission = await Sessions(journal, Heard(), HandClock(), SignIn()).begin("dan", Role.DEALER, "*")
    again = Sessions(journal, Heard(), HandClock(), SignIn())
    assert again.find(admission.token) == admission.session
    assert journal.position() == 0
