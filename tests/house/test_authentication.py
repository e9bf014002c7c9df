"""Authentication: signing in and vouching, locks, choosing passwords."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from taisai.house.accounts import Account, OneTimeLink, SignInCode
from taisai.house.passwords import HashCost, Passwords
from taisai.house.sessions import THE_CONSOLE, Admission
from taisai.streams import house_events as h
from taisai.table.people import Person, Role
from tests.house.people import CHEAP, DEALER, GOOD, HOUR, MINUTE, SUPERVISOR, House, on_a_loop, refused


class Counting(Passwords):
    """Counts how often a password is compared, and with which hash."""

    def __init__(self) -> None:
        super().__init__(CHEAP)
        self.compared: list[str] = []

    def _verify(self, stored: str, password: str) -> bool:
        self.compared.append(stored)
        return super()._verify(stored, password)


@on_a_loop
async def test_a_link_works_once_and_for_a_day() -> None:
    """A link that was used, has expired or never existed sets no password; a weak password does not use it up."""
    house = House()
    link = await house.staff.first_start()
    assert link is not None
    assert refused(await house.authentication.redeem(link.token, "short")) == SignInCode.WEAK_PASSWORD
    assert await house.authentication.redeem(link.token, GOOD, "10.0.0.1") == "admin"
    assert house.heard.all(h.PasswordSet) == [h.PasswordSet("admin", "one-time link", "10.0.0.1")]
    assert refused(await house.authentication.redeem(link.token, GOOD + "!")) == SignInCode.LINK_OVER
    assert refused(await house.authentication.redeem("made-up", GOOD)) == SignInCode.LINK_OVER
    late = await house.staff.new_link(THE_CONSOLE, "admin")
    assert isinstance(late, OneTimeLink)
    house.clock.after(24 * HOUR)
    assert refused(await house.authentication.redeem(late.token, GOOD + "!")) == SignInCode.LINK_OVER


@on_a_loop
async def test_two_cannot_use_one_link() -> None:
    """When two people use a link at the same moment, one is refused."""
    house = House()
    link = await house.staff.first_start()
    assert link is not None
    found = await asyncio.gather(*(house.authentication.redeem(link.token, GOOD + each) for each in "ab"))
    assert sorted(map(type, found), key=str) == sorted((str, type(found[1])), key=str)
    assert found.count("admin") == 1


@on_a_loop
async def test_signing_in_to_a_post() -> None:
    """A person gets a session of the requested post, with its tables; a post of others is refused and logged."""
    house = House()
    await house.hire("dan", DEALER, SUPERVISOR)
    admission = await house.enter("dan", Role.SUPERVISOR)
    session = admission.session
    assert (session.person, session.tables) == (Person("dan", Role.SUPERVISOR), ("T1",))
    assert session.reaches("T1")
    assert not session.reaches("T2")
    assert house.sessions.find(admission.token) == session
    assert house.heard.all(h.SignedIn) == [h.SignedIn("dan", "supervisor", "10.0.0.9")]
    assert refused(await house.authentication.sign_in("dan", GOOD, Role.PIT_MANAGER, "x")) == SignInCode.NO_POST
    assert house.heard.last == h.SignInFailed("dan", "no post as pit-manager", "x")
    assert refused(await house.authentication.sign_in("dan", GOOD, "administrator")) == SignInCode.NO_POST
    assert refused(await house.authentication.sign_in("dan", GOOD, Role.PLAYER)) == SignInCode.NO_POST


@pytest.mark.clause("rws-tai-sai-v6 §1.5")
@on_a_loop
async def test_another_position_is_another_sign_in() -> None:
    """Signing in to another post ends the earlier session; the same post may be open on two screens."""
    house = House()
    await house.hire("dan", DEALER, SUPERVISOR)
    first, second = await house.enter("dan"), await house.enter("dan")
    assert house.sessions.find(first.token) is not None
    third = await house.enter("dan", Role.SUPERVISOR)
    assert [house.sessions.find(each.token) for each in (first, second)] == [None, None]
    assert house.sessions.find(third.token) is not None
    assert h.SignedOut("dan", "dealer", "signed in as supervisor") in house.heard.all(h.SignedOut)


@on_a_loop
async def test_a_login_is_typed_as_people_type() -> None:
    """Capitals and spaces around a login do not matter; a password is the same from every keyboard."""
    house = House()
    await house.hire("dan", DEALER, password="Müller straße 1")
    assert isinstance(await house.authentication.sign_in(" Dan ", "Mu\u0308ller straße 1", Role.DEALER), Admission)


@on_a_loop
async def test_three_failures_lock() -> None:
    """The third wrong password locks the login to whoever gave it, even for the right one, and after a restart."""
    house = House()
    await house.hire("dan", DEALER)
    codes = [
        refused(await house.authentication.sign_in("dan", "wrong wrong", Role.DEALER, "10.1.1.1")) for _ in range(3)
    ]
    assert codes == [SignInCode.WRONG, SignInCode.WRONG, SignInCode.LOCKED]
    assert refused(await house.authentication.sign_in("dan", GOOD, Role.DEALER, "10.1.1.1")) == SignInCode.LOCKED
    failed = house.heard.all(h.SignInFailed)
    assert [each.failures for each in failed] == [1, 2, 3, 0]
    assert failed[0] == h.SignInFailed("dan", "the password is wrong", "10.1.1.1", 1)
    assert house.heard.all(h.LoginLocked) == [h.LoginLocked("dan", 3, "10.1.1.1")]
    again = house.restarted()
    assert refused(await again.authentication.sign_in("dan", GOOD, Role.DEALER, "10.1.1.1")) == SignInCode.LOCKED


@on_a_loop
async def test_a_success_forgets_failures() -> None:
    """Two failures, a success and two failures do not lock."""
    house = House()
    await house.hire("dan", DEALER)
    for _ in range(2):
        for _ in range(2):
            wrong = await house.authentication.sign_in("dan", "wrong wrong", Role.DEALER, "10.0.0.9")
            assert refused(wrong) == SignInCode.WRONG
        await house.enter("dan")


@on_a_loop
async def test_many_attempts_at_once_are_counted_one_by_one() -> None:
    """A hundred attempts at the same moment get three guesses together."""
    house = House()
    await house.hire("dan", DEALER)
    guesses = [f"wrong {number:05}" for number in range(99)] + [GOOD]
    found = await asyncio.gather(*(house.authentication.sign_in("dan", each, Role.DEALER) for each in guesses))
    codes = [refused(each) for each in found]
    assert codes.count(SignInCode.WRONG) == 2
    assert codes.count(SignInCode.LOCKED) == 98


@on_a_loop
async def test_a_lock_leaves_those_who_are_at_work() -> None:
    """Wrong passwords from elsewhere do not end a dealer's session."""
    house = House()
    await house.hire("dan", DEALER)
    admission = await house.enter("dan")
    for _ in range(3):
        await house.authentication.sign_in("dan", "wrong wrong", Role.DEALER, "elsewhere")
    assert house.sessions.find(admission.token) is not None


@on_a_loop
async def test_an_unknown_login_looks_like_a_known_one() -> None:
    """An unknown login costs one comparison at the same cost, gets the same answers, also after a restart."""
    house = House()
    counting = Counting()
    house.authentication._passwords = counting
    await house.hire("dan", DEALER)
    counting.compared.clear()
    answers = {}
    for login in ("dan", "nobody-here", "not a name at all \n"):
        before = len(counting.compared)
        answers[login] = [await house.authentication.sign_in(login, "wrong wrong", Role.DEALER) for _ in range(4)]
        assert len(counting.compared) - before == 3
        again = house.restarted()
        answers[login] += [await again.authentication.sign_in(login, "wrong wrong", Role.DEALER)]
    assert answers["dan"] == answers["nobody-here"] == answers["not a name at all \n"]
    costs = {each.rsplit("$", 2)[0] for each in counting.compared}
    assert len(costs) == 1, "every comparison has the same parameters"


@on_a_loop
async def test_an_unknown_login_is_not_written_down() -> None:
    """People type their password into the wrong field: an unknown login is not logged."""
    house = House()
    await house.authentication.sign_in("my secret password", "dan", Role.DEALER, "10.0.0.7")
    assert house.heard.last == h.SignInFailed("", "nobody has this login", "10.0.0.7")


@on_a_loop
async def test_no_password_is_anywhere() -> None:
    """Neither the store nor the log contains a password; the store contains an argon2id hash."""
    house = House()
    await house.hire("dan", DEALER)
    await house.enter("dan")
    kept = b" ".join(house.store.entries().values())
    assert GOOD.encode() not in kept
    assert b"$argon2id$" in kept
    assert "argon2" not in repr(house.heard.events)
    assert GOOD not in repr(house.heard.events)
    assert "argon2" not in repr(await house.staff.all())


@on_a_loop
async def test_a_hash_of_another_cost_is_made_anew() -> None:
    """A sign-in after a change of the hashing cost stores a hash at today's cost."""
    house = House()
    await house.hire("dan", DEALER)
    again = house.restarted()
    again.authentication._passwords = Passwords(HashCost(rounds=2, memory_kib=16, lanes=1))
    await again.enter("dan")
    account = msgspec.json.decode(house.store.entries("account/dan")["account/dan"], type=Account)
    assert account.password is not None
    assert "m=16,t=2,p=1" in account.password
    await again.enter("dan")


@on_a_loop
async def test_vouching() -> None:
    """The second person gives login and password, for a role and table of their own, and is not the first."""
    house = House()
    await house.hire("lee", SUPERVISOR)
    vouch = house.authentication.vouch
    assert await vouch("lee", GOOD, Role.SUPERVISOR, "T1", asker="dan") == Person("lee", Role.SUPERVISOR)
    assert refused(await vouch("lee", GOOD, Role.SUPERVISOR, "T2", asker="dan")) == SignInCode.NOT_HERE
    assert refused(await vouch("lee", GOOD, Role.PIT_MANAGER, "T1", asker="dan")) == SignInCode.NO_POST
    said = [each.why for each in house.heard.all(h.SignInFailed)]
    assert said == ["no supervisor at table T2", "no post as pit-manager"]
    assert refused(await vouch("Lee", GOOD, Role.SUPERVISOR, "T1", asker="lee")) == SignInCode.SAME_PERSON
    codes = [refused(await vouch("lee", "wrong wrong", Role.SUPERVISOR, "T1", asker="dan")) for _ in range(3)]
    assert codes[-1] == SignInCode.LOCKED
    assert refused(await vouch("lee", GOOD, Role.SUPERVISOR, "T1", asker="dan")) == SignInCode.LOCKED
    assert await vouch("lee", GOOD, Role.SUPERVISOR, "T1", asker="dot") == Person("lee", Role.SUPERVISOR)
    assert isinstance(await house.authentication.sign_in("lee", GOOD, Role.SUPERVISOR), Admission)


@on_a_loop
async def test_a_locked_session_opens_by_the_password() -> None:
    """The holder's password unlocks an idle session; a wrong one counts as a failure."""
    house = House()
    await house.hire("dan", DEALER)
    admission = await house.enter("dan")
    house.clock.after(5 * MINUTE)
    session = house.sessions.find(admission.token)
    assert session is not None
    assert session.locked
    assert refused(await house.authentication.unlock_session(session, "wrong wrong")) == SignInCode.WRONG
    opened = await house.authentication.unlock_session(session, GOOD)
    assert opened == house.sessions.find(admission.token)
    assert not house.sessions.all()[0].locked
    await house.sessions.end(session.key)
    assert refused(await house.authentication.unlock_session(session, GOOD)) == SignInCode.SESSION_OVER


@on_a_loop
async def test_changing_ones_password() -> None:
    """A person changes their password after giving the present one; their other sessions end, this one stays."""
    house = House()
    await house.hire("dan", DEALER)
    here, there = await house.enter("dan"), await house.enter("dan")
    change = house.authentication.change_password
    assert refused(await change(here.session, "wrong wrong", "battery staple")) == SignInCode.WRONG
    assert refused(await change(here.session, GOOD, "dan12345")) == SignInCode.WEAK_PASSWORD
    assert await change(here.session, GOOD, "battery staple") == "done"
    assert house.sessions.find(here.token) is not None
    assert house.sessions.find(there.token) is None
    assert refused(await house.authentication.sign_in("dan", GOOD, Role.DEALER)) == SignInCode.WRONG
    await house.enter("dan", password="battery staple")
