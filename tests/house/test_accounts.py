"""Accounts: the first start, signing in and vouching, locks, passwords, what administrators may do."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from taisai.core.faults import InputFault
from taisai.house.accounts import Account, OneTimeLink, SignInCode
from taisai.house.passwords import HashCost, Passwords, password_fault
from taisai.house.sessions import THE_CONSOLE, Admission
from taisai.settings.forms import SignIn
from taisai.streams import house_events as h
from taisai.streams.house_events import Post, StaffSheet
from taisai.table.people import Person, Role
from tests.house.people import CHEAP, GOOD, HOUR, MINUTE, House, on_a_loop, refused

DEALER = Post(Role.DEALER)
SUPERVISOR = Post(Role.SUPERVISOR, ("T1",))


class Counting(Passwords):
    """Counts how often a password is compared, and with what."""

    def __init__(self) -> None:
        super().__init__(CHEAP)
        self.compared: list[str] = []

    def _verify(self, kept: str, password: str) -> bool:
        self.compared.append(kept)
        return super()._verify(kept, password)


@on_a_loop
async def test_the_first_start_gives_a_link_and_no_password() -> None:
    """A new house has the login admin without a password; its link is shown once, kept hashed and never logged."""
    house = House()
    link = await house.accounts.first_start()
    assert link is not None
    assert (link.login, link.expires_at) == ("admin", house.clock() + 24 * HOUR)
    assert not any(link.token.encode() in value for value in house.store.entries().values())
    assert not any(link.token in name for name in house.store.entries())
    assert link.token not in repr(house.heard.events)
    assert house.heard.all(h.OneTimeLinkMade) == [h.OneTimeLinkMade("admin", link.expires_at)]
    for guess in ("", "admin", "password", "nobody"):
        assert refused(await house.accounts.sign_in("admin", guess, "administrator")) in (
            SignInCode.WRONG,
            SignInCode.LOCKED,
        )
    assert await house.accounts.redeem(link.token, GOOD) == "admin"
    await house.enter_administrator()
    assert await house.accounts.first_start() is None


@on_a_loop
async def test_a_link_that_was_not_used_is_made_anew() -> None:
    """Starting again before anybody chose a password gives another link, and the one before is void."""
    house = House()
    first = await house.accounts.first_start()
    second = await house.restarted().accounts.first_start()
    assert first is not None
    assert second is not None
    assert refused(await house.accounts.redeem(first.token, GOOD)) == SignInCode.LINK_OVER
    assert await house.accounts.redeem(second.token, GOOD) == "admin"


@on_a_loop
async def test_a_link_works_once_and_for_a_day() -> None:
    """A link that was used, is too old, or was never made sets no password; a weak password does not use it up."""
    house = House()
    link = await house.accounts.first_start()
    assert link is not None
    assert refused(await house.accounts.redeem(link.token, "short")) == SignInCode.WEAK_PASSWORD
    assert await house.accounts.redeem(link.token, GOOD, "10.0.0.1") == "admin"
    assert house.heard.all(h.PasswordSet) == [h.PasswordSet("admin", "one-time link", "10.0.0.1")]
    assert refused(await house.accounts.redeem(link.token, GOOD + "!")) == SignInCode.LINK_OVER
    assert refused(await house.accounts.redeem("made-up", GOOD)) == SignInCode.LINK_OVER
    late = await house.accounts.new_link(THE_CONSOLE, "admin")
    assert isinstance(late, OneTimeLink)
    house.clock.after(24 * HOUR)
    assert refused(await house.accounts.redeem(late.token, GOOD + "!")) == SignInCode.LINK_OVER


@on_a_loop
async def test_two_cannot_use_one_link() -> None:
    """Of two who use a link at the same moment one is refused."""
    house = House()
    link = await house.accounts.first_start()
    assert link is not None
    found = await asyncio.gather(*(house.accounts.redeem(link.token, GOOD + each) for each in "ab"))
    assert sorted(map(type, found), key=str) == sorted((str, type(found[1])), key=str)
    assert found.count("admin") == 1


@on_a_loop
async def test_signing_in_to_a_post() -> None:
    """A person gets a session of the post asked for, with its tables; a post that is not his is refused and logged."""
    house = House()
    await house.hire("dan", DEALER, SUPERVISOR)
    admission = await house.enter("dan", Role.SUPERVISOR)
    session = admission.session
    assert (session.person, session.tables) == (Person("dan", Role.SUPERVISOR), ("T1",))
    assert session.reaches("T1")
    assert not session.reaches("T2")
    assert house.sessions.find(admission.token) == session
    assert house.heard.all(h.SignedIn) == [h.SignedIn("dan", "supervisor", "10.0.0.9")]
    assert refused(await house.accounts.sign_in("dan", GOOD, Role.PIT_MANAGER, "x")) == SignInCode.NO_POST
    assert house.heard.last == h.SignInFailed("dan", "no post as pit-manager", "x")
    assert refused(await house.accounts.sign_in("dan", GOOD, "administrator")) == SignInCode.NO_POST
    assert refused(await house.accounts.sign_in("dan", GOOD, Role.PLAYER)) == SignInCode.NO_POST


@pytest.mark.clause("rws-tai-sai-v6 §1.5")
@on_a_loop
async def test_another_position_is_another_sign_in() -> None:
    """Who signs in to another post leaves the one before; the same post may be open on two screens."""
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
    assert isinstance(await house.accounts.sign_in(" Dan ", "Mu\u0308ller straße 1", Role.DEALER), Admission)


@on_a_loop
async def test_three_failures_lock() -> None:
    """The third wrong password locks the login, even for the right one; each failure is logged with its origin."""
    house = House()
    await house.hire("dan", DEALER)
    codes = [refused(await house.accounts.sign_in("dan", "wrong wrong", Role.DEALER, "10.1.1.1")) for _ in range(3)]
    assert codes == [SignInCode.WRONG, SignInCode.WRONG, SignInCode.LOCKED]
    assert refused(await house.accounts.sign_in("dan", GOOD, Role.DEALER)) == SignInCode.LOCKED
    failed = house.heard.all(h.SignInFailed)
    assert [each.failures for each in failed] == [1, 2, 3, 3]
    assert failed[0] == h.SignInFailed("dan", "the password is wrong", "10.1.1.1", 1)
    assert house.heard.all(h.LoginLocked) == [h.LoginLocked("dan", 3, "10.1.1.1")]
    again = house.restarted()
    assert refused(await again.accounts.sign_in("dan", GOOD, Role.DEALER)) == SignInCode.LOCKED


@on_a_loop
async def test_a_success_forgets_failures() -> None:
    """Two failures, a success and two failures do not lock."""
    house = House()
    await house.hire("dan", DEALER)
    for _ in range(2):
        for _ in range(2):
            assert refused(await house.accounts.sign_in("dan", "wrong wrong", Role.DEALER)) == SignInCode.WRONG
        await house.enter("dan")


@on_a_loop
async def test_many_attempts_at_once_are_counted_one_by_one() -> None:
    """A hundred attempts at the same moment have three guesses between them."""
    house = House()
    await house.hire("dan", DEALER)
    guesses = [f"wrong {number:05}" for number in range(99)] + [GOOD]
    found = await asyncio.gather(*(house.accounts.sign_in("dan", each, Role.DEALER) for each in guesses))
    codes = [refused(each) for each in found]
    assert codes.count(SignInCode.WRONG) == 2
    assert codes.count(SignInCode.LOCKED) == 98


@on_a_loop
async def test_a_lock_leaves_those_who_are_at_work() -> None:
    """Wrong passwords from elsewhere do not throw a dealer out of his round."""
    house = House()
    await house.hire("dan", DEALER)
    admission = await house.enter("dan")
    for _ in range(3):
        await house.accounts.sign_in("dan", "wrong wrong", Role.DEALER, "elsewhere")
    assert house.sessions.find(admission.token) is not None


@on_a_loop
async def test_who_unlocks() -> None:
    """An administrator or a shift manager unlocks a login; nobody else does, and nobody unlocks himself."""
    house = House()
    await house.hire("dan", DEALER)
    await house.hire("kim", Post(Role.SHIFT_MANAGER))
    await house.hire("ada", administrator=True)
    dan, kim = await house.enter("dan"), await house.enter("kim", Role.SHIFT_MANAGER)
    ada = await house.enter_administrator("ada")
    for login, by, good in (("dan", kim, True), ("dan", ada, True), ("dan", dan, False), ("kim", dan, False),
                            ("kim", kim, False), ("ada", ada, False), ("ada", kim, True)):  # fmt: skip
        for _ in range(3):
            await house.accounts.sign_in(login, "wrong wrong", Role.DEALER)
        found = await house.accounts.unlock(by.session, login)
        if good:
            assert isinstance(found, StaffSheet)
            assert not found.locked
            assert house.heard.events[-1].by == by.session.who
            assert house.heard.last == h.LoginUnlocked(login, f"by {by.session.who}")
        else:
            assert refused(found) == SignInCode.NOT_YOURS_TO_DO
            assert isinstance(await house.accounts.unlock(THE_CONSOLE, login), StaffSheet)
    assert refused(await house.accounts.unlock(ada.session, "nobody")) == SignInCode.UNKNOWN


@on_a_loop
async def test_unlocking_what_is_open_says_nothing() -> None:
    """A login that is not locked stays as it is, without a word in the log."""
    house = House()
    await house.hire("dan", DEALER)
    count = len(house.heard.events)
    found = await house.accounts.unlock(THE_CONSOLE, "dan")
    assert isinstance(found, StaffSheet)
    assert len(house.heard.events) == count


def test_strangers_are_not_remembered_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many logins somebody makes up, only so many are remembered."""
    monkeypatch.setattr("taisai.house.accounts.STRANGERS_KEPT", 5)
    house = House()

    async def guess() -> None:
        for number in range(20):
            await house.accounts.sign_in(f"stranger{number}", "wrong wrong", Role.DEALER)

    asyncio.run(guess())
    assert list(house.accounts._strangers) == [f"stranger{number}" for number in range(15, 20)]


@on_a_loop
async def test_time_unlocks_where_the_policy_says_so() -> None:
    """With unlock_minutes a lock ends by itself, which is logged; without it never does."""
    for minutes, opens in ((30, True), (0, False)):
        house = House(SignIn(unlock_minutes=minutes))
        await house.hire("dan", DEALER)
        for _ in range(3):
            await house.accounts.sign_in("dan", "wrong wrong", Role.DEALER)
        house.clock.after(30 * MINUTE - 1)
        assert refused(await house.accounts.sign_in("dan", GOOD, Role.DEALER)) == SignInCode.LOCKED
        house.clock.after(1)
        assert isinstance(await house.accounts.sign_in("dan", GOOD, Role.DEALER), Admission) is opens
        assert house.heard.all(h.LoginUnlocked) == ([h.LoginUnlocked("dan", "30 minutes have passed")] if opens else [])


@on_a_loop
async def test_an_unknown_login_looks_like_a_known_one() -> None:
    """A login that nobody has costs one comparison at the same cost, is answered alike, and seems to lock as well."""
    house = House()
    counting = Counting()
    house.accounts._passwords = counting
    await house.hire("dan", DEALER)
    counting.compared.clear()
    answers = {}
    for login in ("dan", "nobody-here", "not a name at all \n"):
        before = len(counting.compared)
        answers[login] = [await house.accounts.sign_in(login, "wrong wrong", Role.DEALER) for _ in range(4)]
        assert len(counting.compared) - before == 4
    assert answers["dan"] == answers["nobody-here"] == answers["not a name at all \n"]
    costs = {each.rsplit("$", 2)[0] for each in counting.compared}
    assert len(costs) == 1, "every comparison has the same parameters"


@on_a_loop
async def test_an_unknown_login_is_not_written_down() -> None:
    """People type their password into the wrong field: what nobody has as a login does not reach the log."""
    house = House()
    await house.accounts.sign_in("my secret password", "dan", Role.DEALER, "10.0.0.7")
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
    assert "argon2" not in repr(await house.accounts.staff())


@on_a_loop
async def test_a_hash_of_another_cost_is_made_anew() -> None:
    """Whoever signs in after the cost of hashing was changed has a hash at today's cost afterwards."""
    house = House()
    await house.hire("dan", DEALER)
    again = house.restarted()
    again.accounts._passwords = Passwords(HashCost(rounds=2, memory_kib=16, lanes=1))
    await again.enter("dan")
    account = msgspec.json.decode(house.store.entries("account/dan")["account/dan"], type=Account)
    assert account.password is not None
    assert "m=16,t=2,p=1" in account.password
    await again.enter("dan")


@on_a_loop
async def test_vouching() -> None:
    """The second person of two gives login and password, for a role and table that are his, and is not the first."""
    house = House()
    await house.hire("lee", SUPERVISOR)
    vouch = house.accounts.vouch
    assert await vouch("lee", GOOD, Role.SUPERVISOR, "T1", asker="dan") == Person("lee", Role.SUPERVISOR)
    assert refused(await vouch("lee", GOOD, Role.SUPERVISOR, "T2", asker="dan")) == SignInCode.NOT_HERE
    assert refused(await vouch("lee", GOOD, Role.PIT_MANAGER, "T1", asker="dan")) == SignInCode.NO_POST
    said = [each.why for each in house.heard.all(h.SignInFailed)]
    assert said == ["no supervisor at table T2", "no post as pit-manager"]
    assert refused(await vouch("Lee", GOOD, Role.SUPERVISOR, "T1", asker="lee")) == SignInCode.SAME_PERSON
    codes = [refused(await vouch("lee", "wrong wrong", Role.SUPERVISOR, "T1", asker="dan")) for _ in range(3)]
    assert codes[-1] == SignInCode.LOCKED
    assert refused(await house.accounts.sign_in("lee", GOOD, Role.SUPERVISOR)) == SignInCode.LOCKED


@on_a_loop
async def test_a_locked_session_opens_by_the_password() -> None:
    """The holder's password opens a session that locked itself; a wrong one counts as a failure."""
    house = House()
    await house.hire("dan", DEALER)
    admission = await house.enter("dan")
    house.clock.after(5 * MINUTE)
    session = house.sessions.find(admission.token)
    assert session is not None
    assert session.locked
    assert refused(await house.accounts.unlock_session(session, "wrong wrong")) == SignInCode.WRONG
    opened = await house.accounts.unlock_session(session, GOOD)
    assert opened == house.sessions.find(admission.token)
    assert not house.sessions.all()[0].locked
    await house.sessions.end(session.key)
    assert refused(await house.accounts.unlock_session(session, GOOD)) == SignInCode.SESSION_OVER


@on_a_loop
async def test_changing_ones_password() -> None:
    """A person changes his password by the one before; his other sessions end, this one stays."""
    house = House()
    await house.hire("dan", DEALER)
    here, there = await house.enter("dan"), await house.enter("dan")
    change = house.accounts.change_password
    assert refused(await change(here.session, "wrong wrong", "battery staple")) == SignInCode.WRONG
    assert refused(await change(here.session, GOOD, "dan12345")) == SignInCode.WEAK_PASSWORD
    assert await change(here.session, GOOD, "battery staple") == "done"
    assert house.sessions.find(here.token) is not None
    assert house.sessions.find(there.token) is None
    assert refused(await house.accounts.sign_in("dan", GOOD, Role.DEALER)) == SignInCode.WRONG
    await house.enter("dan", password="battery staple")


@on_a_loop
async def test_a_new_link_resets_a_password_and_a_lock() -> None:
    """An administrator's link leads to a new password: the lock is gone, the sessions before are over."""
    house = House()
    await house.hire("dan", DEALER)
    admission = await house.enter("dan")
    for _ in range(3):
        await house.accounts.sign_in("dan", "wrong wrong", Role.DEALER)
    assert refused(await house.accounts.new_link(admission.session, "dan")) == SignInCode.NOT_YOURS_TO_DO
    assert refused(await house.accounts.new_link(THE_CONSOLE, "nobody")) == SignInCode.UNKNOWN
    link = await house.accounts.new_link(THE_CONSOLE, "dan")
    assert isinstance(link, OneTimeLink)
    assert await house.accounts.redeem(link.token, "battery staple") == "dan"
    assert house.sessions.find(admission.token) is None
    await house.enter("dan", password="battery staple")


@on_a_loop
async def test_disabling_a_login() -> None:
    """A disabled login is out at once and everywhere, and gets in again when it is enabled (R35)."""
    house = House()
    await house.hire("dan", DEALER)
    admission = await house.enter("dan")
    assert refused(await house.accounts.disable(admission.session, "dan")) == SignInCode.NOT_YOURS_TO_DO
    found = await house.accounts.disable(THE_CONSOLE, "dan", "left the house")
    assert isinstance(found, StaffSheet)
    assert found.disabled
    assert house.sessions.find(admission.token) is None
    said = next(event for event in house.heard.events if isinstance(event.what, h.StaffDisabled))
    assert (said.by, said.reason) == ("console", "left the house")
    assert refused(await house.accounts.sign_in("dan", GOOD, Role.DEALER)) == SignInCode.DISABLED
    assert refused(await house.accounts.sign_in("dan", "wrong wrong", Role.DEALER)) == SignInCode.WRONG
    link = await house.accounts.new_link(THE_CONSOLE, "dan")
    assert isinstance(link, OneTimeLink)
    assert refused(await house.accounts.redeem(link.token, GOOD)) == SignInCode.LINK_OVER
    await house.accounts.enable(THE_CONSOLE, "dan")
    assert house.heard.last == h.StaffEnabled("dan")
    await house.enter("dan")


@on_a_loop
async def test_disabling_while_signing_in() -> None:
    """Whichever comes first, nobody is left with a session of a disabled login."""
    for _ in range(20):
        house = House()
        await house.hire("dan", DEALER)
        await asyncio.gather(
            *(house.accounts.sign_in("dan", GOOD, Role.DEALER) for _ in range(3)),
            house.accounts.disable(THE_CONSOLE, "dan"),
            *(house.accounts.sign_in("dan", "wrong wrong", Role.DEALER) for _ in range(2)),
        )
        assert house.sessions.all() == ()
        assert refused(await house.accounts.sign_in("dan", GOOD, Role.DEALER)) in (
            SignInCode.DISABLED, SignInCode.LOCKED,
        )  # fmt: skip


@on_a_loop
async def test_changing_staff() -> None:
    """What is changed is logged before and after, and a session of the posts before ends."""
    house = House()
    await house.hire("dan", DEALER)
    admission = await house.enter("dan")
    renamed = await house.accounts.change(THE_CONSOLE, "dan", name="Daniel")
    assert isinstance(renamed, StaffSheet)
    assert house.sessions.find(admission.token) is not None
    after = await house.accounts.change(THE_CONSOLE, "dan", posts=(SUPERVISOR,), reason="promoted")
    assert isinstance(after, StaffSheet)
    assert (after.name, after.posts) == ("Daniel", (SUPERVISOR,))
    said = house.heard.all(h.StaffChanged)[-1]
    assert (said.before.posts, said.after.posts) == ((DEALER,), (SUPERVISOR,))
    assert house.sessions.find(admission.token) is None
    assert await house.accounts.one("Dan") == after
    count = len(house.heard.events)
    assert await house.accounts.change(THE_CONSOLE, "dan", name="Daniel") == after
    assert len(house.heard.events) == count, "nothing changed, nothing to say"
    assert refused(await house.accounts.change(admission.session, "dan", name="X")) == SignInCode.NOT_YOURS_TO_DO
    assert refused(await house.accounts.change(THE_CONSOLE, "nobody", name="X")) == SignInCode.UNKNOWN
    assert refused(await house.accounts.enable(THE_CONSOLE, "nobody")) == SignInCode.UNKNOWN


@on_a_loop
async def test_the_last_administrator_stays() -> None:
    """The house keeps an administrator who can sign in, whoever asks, and two asked at once included."""
    house = House()
    await house.hire("ada", administrator=True)
    ada = (await house.enter_administrator("ada")).session
    last = SignInCode.LAST_ADMINISTRATOR
    assert refused(await house.accounts.disable(ada, "ada")) == last
    assert refused(await house.accounts.change(ada, "ada", administrator=False)) == last
    await house.accounts.add(ada, "eve", "Eve", administrator=True)
    assert refused(await house.accounts.disable(ada, "ada")) == last, "eve has no password yet"
    await house.hire("bea", administrator=True)
    found = await asyncio.gather(house.accounts.disable(ada, "ada"), house.accounts.disable(ada, "bea"))
    assert [type(each) for each in found].count(StaffSheet) == 1


@on_a_loop
async def test_only_administrators_add_staff() -> None:
    """A dealer, and a shift manager too, adds nobody; a login is added once."""
    house = House()
    await house.hire("kim", Post(Role.SHIFT_MANAGER))
    kim = (await house.enter("kim", Role.SHIFT_MANAGER)).session
    assert refused(await house.accounts.add(kim, "eve", "Eve", (DEALER,))) == SignInCode.NOT_YOURS_TO_DO
    with pytest.raises(InputFault, match=r"^login: there is an account 'kim' already$"):
        await house.accounts.add(THE_CONSOLE, "kim", "Kim", (DEALER,))


@pytest.mark.parametrize(
    ("login", "name", "posts", "administrator", "fault"),
    [
        ("Dan", "Dan", (DEALER,), False, "login: 1 to 64 small letters, digits and . _ @ -, got 'Dan'"),
        ("d n", "Dan", (DEALER,), False, "login: 1 to 64 small letters, digits and . _ @ -, got 'd n'"),
        ("dan\n", "Dan", (DEALER,), False, "login: 1 to 64 small letters, digits and . _ @ -, got 'dan\\n'"),
        ("house", "Dan", (DEALER,), False, "login: 'house' is a name of the house itself"),
        ("auto-supervisor", "Dan", (DEALER,), False, "login: 'auto-supervisor' is a name of the house itself"),
        ("guest-7", "Dan", (DEALER,), False, "login: 'guest-7' is a name of the house itself"),
        ("dan", " ", (DEALER,), False, "name: 1 to 100 characters, got ' '"),
        ("dan", "Dan", (DEALER,), True, "posts: an administrator has no post at a table: duties are kept apart"),
        ("dan", "Dan", (DEALER, Post(Role.AUDITOR)), False,
         "posts: an auditor has no other post: duties are kept apart"),
        ("dan", "Dan", (Post(Role.PLAYER),), False,
         "posts[0].role: one of auditor, dealer, pit-manager, shift-manager, supervisor, got player"),
        ("dan", "Dan", (DEALER, DEALER), False, "posts[0].role: dealer is named twice: put the tables together"),
        ("dan", "Dan", (Post(Role.DEALER, ()),), False, 'posts[0].tables: "*" or names of tables, got ()'),
        ("dan", "Dan", (Post(Role.DEALER, ("@house",)),), False,
         "posts[0].tables: \"*\" or names of tables, got ('@house',)"),
    ],
)  # fmt: skip
def test_accounts_that_cannot_be(
    login: str, name: str, posts: tuple[Post, ...], administrator: bool, fault: str
) -> None:
    """Separated duties, odd names and odd posts are refused with the field."""
    house = House()
    with pytest.raises(InputFault) as found:
        asyncio.run(house.accounts.add(THE_CONSOLE, login, name, posts, administrator=administrator))
    assert str(found.value) == fault
    assert house.store.entries() == {}
    assert house.heard.events == []


@on_a_loop
async def test_a_change_cannot_join_duties() -> None:
    """A dealer does not become an administrator while he has a post."""
    house = House()
    await house.hire("dan", DEALER)
    with pytest.raises(InputFault, match="duties are kept apart"):
        await house.accounts.change(THE_CONSOLE, "dan", administrator=True)
    after = await house.accounts.change(THE_CONSOLE, "dan", administrator=True, posts=())
    assert isinstance(after, StaffSheet)
    assert after.administrator


@pytest.mark.parametrize(
    ("password", "sentence"),
    [
        ("correct horse", None),
        ("a" * 9, "A password has at least 10 characters."),
        ("correct horse" * 30, "A password has at most 256 characters."),
        ("dandan12345", "A password is not the login with something added."),
        ("Password123", "This password is among the first that anybody would try."),
        ("aaaaaaaaaaab", "This password is among the first that anybody would try."),
    ],
)
def test_passwords_that_are_too_weak(password: str, sentence: str | None) -> None:
    """Short, endless, common passwords and the login itself are refused in a sentence."""
    assert password_fault("dan", password) == sentence


def test_a_damaged_hash_lets_nobody_in() -> None:
    """A hash that is none fits no password, and breaks nothing."""
    assert not asyncio.run(Passwords(CHEAP).fits("$argon2id$nonsense", "password"))
    assert not asyncio.run(Passwords(CHEAP).fits(None, "nobody"))
