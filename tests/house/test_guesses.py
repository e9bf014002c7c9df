"""Guesses: wrong passwords are slowed for each pair of asker and login, and lock nobody else."""

from __future__ import annotations

from taisai.house.accounts import SignInCode
from taisai.house.guesses import IN_ALL_AN_HOUR
from taisai.house.sessions import Admission
from taisai.settings.forms import SignIn
from taisai.table.people import Role
from tests.house.people import DEALER, GOOD, HOUR, MINUTE, House, on_a_loop, refused


@on_a_loop
async def test_a_stranger_locks_nobody_else() -> None:
    """Whatever is posted from elsewhere, the holder signs in from where they did before, and from a new place."""
    house = House()
    link = await house.staff.first_start()
    assert link is not None
    await house.authentication.redeem(link.token, GOOD)
    await house.enter_administrator()
    for number in range(9):
        await house.authentication.sign_in("admin", "wrong wrong", "administrator", f"203.0.113.{number % 3}")
    await house.enter_administrator()
    assert isinstance(await house.authentication.sign_in("admin", GOOD, "administrator", "10.2.2.2"), Admission)


@on_a_loop
async def test_a_lock_ends_and_doubles() -> None:
    """A lock lasts minutes, twice as many with every further failure, never more than a day; nothing prolongs it."""
    house = House(SignIn(unlock_minutes=5))
    await house.hire("dan", DEALER)
    here = "203.0.113.9"
    for _ in range(2):
        await house.authentication.sign_in("dan", "wrong wrong", Role.DEALER, here)
    for minutes in (5, 10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440):
        assert refused(await house.authentication.sign_in("dan", "wrong wrong", Role.DEALER, here)) == SignInCode.LOCKED
        house.clock.after(minutes * MINUTE - 1)
        assert refused(await house.authentication.sign_in("dan", GOOD, Role.DEALER, here)) == SignInCode.LOCKED
        house.clock.after(1)
    assert isinstance(await house.authentication.sign_in("dan", GOOD, Role.DEALER, here), Admission)
    assert refused(await house.authentication.sign_in("dan", "wrong wrong", Role.DEALER, here)) == SignInCode.WRONG


@on_a_loop
async def test_guesses_from_everywhere_are_slowed_together() -> None:
    """A hundred an hour for one login from new places; who has signed in from a place before is not slowed there."""
    house = House()
    await house.hire("dan", DEALER)
    await house.enter("dan")
    found = [
        refused(await house.authentication.sign_in("dan", "wrong wrong", Role.DEALER, f"place {number}"))
        for number in range(IN_ALL_AN_HOUR + 50)
    ]
    assert found.count(SignInCode.WRONG) == IN_ALL_AN_HOUR - 1
    assert refused(await house.authentication.sign_in("dan", GOOD, Role.DEALER, "new place")) == SignInCode.LOCKED
    await house.enter("dan")
    house.clock.after(MINUTE)
    assert isinstance(await house.authentication.sign_in("dan", GOOD, Role.DEALER, "new place"), Admission)


@on_a_loop
async def test_one_network_is_one_asker() -> None:
    """An IPv6 network of 64 bits is one household: its addresses have three guesses together."""
    house = House()
    await house.hire("dan", DEALER)
    codes = [
        refused(await house.authentication.sign_in("dan", "wrong wrong", Role.DEALER, f"2001:db8:0:1::{number}"))
        for number in range(3)
    ]
    assert codes[-1] == SignInCode.LOCKED
    assert refused(await house.authentication.sign_in("dan", "no", Role.DEALER, "2001:db8:0:2::1")) == SignInCode.WRONG


@on_a_loop
async def test_guesses_are_not_remembered_for_ever() -> None:
    """However many logins somebody makes up, a day later nothing of them is stored, nor ever their text."""
    house = House()
    for number in range(20):
        await house.authentication.sign_in(f"stranger{number}", "wrong wrong", Role.DEALER)
    stored = house.store.entries("guess/")
    assert len(stored) == 40
    assert b"stranger" not in b"".join(key.encode() + value for key, value in stored.items())
    house.clock.after(24 * HOUR)
    await house.accounts.guesses.sweep()
    assert house.store.entries("guess/") == {}
