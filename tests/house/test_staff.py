"""Staff: the first start, and what administrators may change."""

from __future__ import annotations

import asyncio

import pytest

from taisai.core.faults import InputFault
from taisai.house.accounts import OneTimeLink, SignInCode
from taisai.house.sessions import THE_CONSOLE
from taisai.streams import house_events as h
from taisai.streams.house_events import Post, StaffSheet
from taisai.table.people import Role
from tests.house.people import DEALER, GOOD, HOUR, SUPERVISOR, House, on_a_loop, refused


@on_a_loop
async def test_the_first_start_gives_a_link_and_no_password() -> None:
    """A new house has the login admin without a password; its link is shown once, stored hashed and never logged."""
    house = House()
    link = await house.staff.first_start()
    assert link is not None
    assert (link.login, link.expires_at) == ("admin", house.clock() + 24 * HOUR)
    assert not any(link.token.encode() in value for value in house.store.entries().values())
    assert not any(link.token in name for name in house.store.entries())
    assert link.token not in repr(house.heard.events)
    assert house.heard.all(h.OneTimeLinkMade) == [h.OneTimeLinkMade("admin", link.expires_at)]
    for guess in ("", "admin", "password", "nobody"):
        assert refused(await house.authentication.sign_in("admin", guess, "administrator")) in (
            SignInCode.WRONG,
            SignInCode.LOCKED,
        )
    assert await house.authentication.redeem(link.token, GOOD) == "admin"
    await house.enter_administrator()
    assert await house.staff.first_start() is None


@on_a_loop
async def test_a_link_that_was_not_used_is_made_anew() -> None:
    """Starting again before anybody chose a password gives another link, and the first one is void."""
    house = House()
    first = await house.staff.first_start()
    second = await house.restarted().staff.first_start()
    assert first is not None
    assert second is not None
    assert refused(await house.authentication.redeem(first.token, GOOD)) == SignInCode.LINK_OVER
    assert await house.authentication.redeem(second.token, GOOD) == "admin"


@on_a_loop
async def test_who_unlocks() -> None:
    """An administrator or a shift manager unlocks a login; nobody else may, and nobody their own."""
    house = House()
    await house.hire("dan", DEALER)
    await house.hire("kim", Post(Role.SHIFT_MANAGER))
    await house.hire("ada", administrator=True)
    dan, kim = await house.enter("dan"), await house.enter("kim", Role.SHIFT_MANAGER)
    ada = await house.enter_administrator("ada")
    for login, by, good in (("dan", kim, True), ("dan", ada, True), ("dan", dan, False), ("kim", dan, False),
                            ("kim", kim, False), ("ada", ada, False), ("ada", kim, True)):  # fmt: skip
        for _ in range(3):
            await house.authentication.sign_in(login, "wrong wrong", Role.DEALER)
        found = await house.staff.unlock(by.session, login)
        if good:
            assert isinstance(found, StaffSheet)
            assert not found.locked
            assert house.heard.events[-1].by == by.session.who
            assert house.heard.last == h.LoginUnlocked(login, "by another person")
        else:
            assert refused(found) == SignInCode.NOT_YOURS_TO_DO
            assert isinstance(await house.staff.unlock(THE_CONSOLE, login), StaffSheet)
    assert refused(await house.staff.unlock(ada.session, "nobody")) == SignInCode.UNKNOWN


@on_a_loop
async def test_unlocking_what_is_open_says_nothing() -> None:
    """A login that is not locked stays as it is, and nothing is logged."""
    house = House()
    await house.hire("dan", DEALER)
    count = len(house.heard.events)
    found = await house.staff.unlock(THE_CONSOLE, "dan")
    assert isinstance(found, StaffSheet)
    assert len(house.heard.events) == count


@on_a_loop
async def test_a_new_link_resets_a_password_and_a_lock() -> None:
    """An administrator's link leads to a new password: the lock is gone, earlier sessions have ended."""
    house = House()
    await house.hire("dan", DEALER)
    admission = await house.enter("dan")
    for _ in range(3):
        await house.authentication.sign_in("dan", "wrong wrong", Role.DEALER)
    assert refused(await house.staff.new_link(admission.session, "dan")) == SignInCode.NOT_YOURS_TO_DO
    assert refused(await house.staff.new_link(THE_CONSOLE, "nobody")) == SignInCode.UNKNOWN
    link = await house.staff.new_link(THE_CONSOLE, "dan")
    assert isinstance(link, OneTimeLink)
    assert await house.authentication.redeem(link.token, "battery staple") == "dan"
    assert house.sessions.find(admission.token) is None
    await house.enter("dan", password="battery staple")


@on_a_loop
async def test_disabling_a_login() -> None:
    """A disabled login loses its sessions at once and everywhere, and may sign in again when enabled (R35)."""
    house = House()
    await house.hire("dan", DEALER)
    admission = await house.enter("dan")
    assert refused(await house.staff.disable(admission.session, "dan")) == SignInCode.NOT_YOURS_TO_DO
    found = await house.staff.disable(THE_CONSOLE, "dan", "left the house")
    assert isinstance(found, StaffSheet)
    assert found.disabled
    assert house.sessions.find(admission.token) is None
    said = next(event for event in house.heard.events if isinstance(event.what, h.StaffDisabled))
    assert (said.by, said.reason) == ("console", "left the house")
    assert refused(await house.authentication.sign_in("dan", GOOD, Role.DEALER)) == SignInCode.DISABLED
    assert refused(await house.authentication.sign_in("dan", "wrong wrong", Role.DEALER)) == SignInCode.WRONG
    link = await house.staff.new_link(THE_CONSOLE, "dan")
    assert isinstance(link, OneTimeLink)
    assert refused(await house.authentication.redeem(link.token, GOOD)) == SignInCode.LINK_OVER
    await house.staff.enable(THE_CONSOLE, "dan")
    assert house.heard.last == h.StaffEnabled("dan")
    await house.enter("dan")


@on_a_loop
async def test_disabling_while_signing_in() -> None:
    """Whichever comes first, no session of a disabled login is left."""
    for _ in range(20):
        house = House()
        await house.hire("dan", DEALER)
        await asyncio.gather(
            *(house.authentication.sign_in("dan", GOOD, Role.DEALER) for _ in range(3)),
            house.staff.disable(THE_CONSOLE, "dan"),
            *(house.authentication.sign_in("dan", "wrong wrong", Role.DEALER) for _ in range(2)),
        )
        assert house.sessions.all() == ()
        assert refused(await house.authentication.sign_in("dan", GOOD, Role.DEALER)) in (
            SignInCode.DISABLED, SignInCode.LOCKED,
        )  # fmt: skip


@on_a_loop
async def test_changing_staff() -> None:
    """A change is logged with before and after, and sessions of the earlier posts end."""
    house = House()
    await house.hire("dan", DEALER)
    admission = await house.enter("dan")
    renamed = await house.staff.change(THE_CONSOLE, "dan", name="Daniel")
    assert isinstance(renamed, StaffSheet)
    assert house.sessions.find(admission.token) is not None
    after = await house.staff.change(THE_CONSOLE, "dan", posts=(SUPERVISOR,), reason="promoted")
    assert isinstance(after, StaffSheet)
    assert (after.name, after.posts) == ("Daniel", (SUPERVISOR,))
    said = house.heard.all(h.StaffChanged)[-1]
    assert (said.before.posts, said.after.posts) == ((DEALER,), (SUPERVISOR,))
    assert house.sessions.find(admission.token) is None
    assert await house.staff.one("Dan") == after
    count = len(house.heard.events)
    assert await house.staff.change(THE_CONSOLE, "dan", name="Daniel") == after
    assert len(house.heard.events) == count, "nothing changed, nothing to say"
    assert refused(await house.staff.change(admission.session, "dan", name="X")) == SignInCode.NOT_YOURS_TO_DO
    assert refused(await house.staff.change(THE_CONSOLE, "nobody", name="X")) == SignInCode.UNKNOWN
    assert refused(await house.staff.enable(THE_CONSOLE, "nobody")) == SignInCode.UNKNOWN


@on_a_loop
async def test_the_last_administrator_stays() -> None:
    """The house keeps an administrator who can sign in, also when two requests come at once."""
    house = House()
    await house.hire("ada", administrator=True)
    ada = (await house.enter_administrator("ada")).session
    last = SignInCode.LAST_ADMINISTRATOR
    assert refused(await house.staff.disable(ada, "ada")) == last
    assert refused(await house.staff.change(ada, "ada", administrator=False)) == last
    await house.staff.add(ada, "eve", "Eve", administrator=True)
    assert refused(await house.staff.disable(ada, "ada")) == last, "eve has no password yet"
    await house.hire("bea", administrator=True)
    found = await asyncio.gather(house.staff.disable(ada, "ada"), house.staff.disable(ada, "bea"))
    assert [type(each) for each in found].count(StaffSheet) == 1


@on_a_loop
async def test_only_administrators_add_staff() -> None:
    """A shift manager may not add staff; a login is added once."""
    house = House()
    await house.hire("kim", Post(Role.SHIFT_MANAGER))
    kim = (await house.enter("kim", Role.SHIFT_MANAGER)).session
    assert refused(await house.staff.add(kim, "eve", "Eve", (DEALER,))) == SignInCode.NOT_YOURS_TO_DO
    with pytest.raises(InputFault, match=r"^login: there is already an account 'kim'$"):
        await house.staff.add(THE_CONSOLE, "kim", "Kim", (DEALER,))


@on_a_loop
async def test_a_change_cannot_join_duties() -> None:
    """A dealer cannot become an administrator while they have a post."""
    house = House()
    await house.hire("dan", DEALER)
    with pytest.raises(InputFault, match="duties are kept apart"):
        await house.staff.change(THE_CONSOLE, "dan", administrator=True)
    after = await house.staff.change(THE_CONSOLE, "dan", administrator=True, posts=())
    assert isinstance(after, StaffSheet)
    assert after.administrator
