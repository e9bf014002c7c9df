"""Accounts: what is stored, one-time links, and the rules for logins and posts."""

from __future__ import annotations

import asyncio

import pytest

from taisai.core.faults import InputFault
from taisai.house.accounts import Account
from taisai.house.sessions import THE_CONSOLE
from taisai.streams.house_events import Post
from taisai.table.people import Role
from tests.house.people import DEALER, HOUR, SUPERVISOR, House, on_a_loop


@pytest.mark.parametrize(
    ("login", "name", "posts", "administrator", "fault"),
    [
        ("Dan", "Dan", (DEALER,), False, "login: 1 to 64 lower-case letters, digits and . _ @ -, got 'Dan'"),
        ("d n", "Dan", (DEALER,), False, "login: 1 to 64 lower-case letters, digits and . _ @ -, got 'd n'"),
        ("dan\n", "Dan", (DEALER,), False, "login: 1 to 64 lower-case letters, digits and . _ @ -, got 'dan\\n'"),
        ("house", "Dan", (DEALER,), False, "login: 'house' is a name that the program itself uses"),
        ("auto-supervisor", "Dan", (DEALER,), False, "login: 'auto-supervisor' is a name that the program itself uses"),
        ("guest-7", "Dan", (DEALER,), False, "login: 'guest-7' is a name that the program itself uses"),
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
    """Duties that must be separate, invalid names and invalid posts are refused with the field."""
    house = House()
    with pytest.raises(InputFault) as found:
        asyncio.run(house.staff.add(THE_CONSOLE, login, name, posts, administrator=administrator))
    assert str(found.value) == fault
    assert house.store.entries() == {}
    assert house.heard.events == []


@on_a_loop
async def test_accounts_are_stored_by_login() -> None:
    """An account is found by its login, in whatever order accounts were added; an odd login finds nothing."""
    house = House()
    for login in ("dan", "ada"):
        await house.accounts.put(Account(login=login, name=login.title()))
    assert list(await house.accounts.all()) == ["ada", "dan"]
    assert await house.accounts.one("dan") == Account(login="dan", name="Dan")
    assert await house.accounts.one("da") is None
    assert await house.accounts.one("dan/../ada") is None


@on_a_loop
async def test_a_new_link_replaces_earlier_and_expired_ones() -> None:
    """Making a link deletes the earlier ones of its login and every expired one, and no other."""
    house = House()
    old = await house.accounts.make_link("eve", "ada")
    house.clock.after(24 * HOUR)
    first = await house.accounts.make_link("dan", "ada")
    other = await house.accounts.make_link("kim", "ada")
    second = await house.accounts.make_link("dan", "ada")
    there = [await house.accounts.find_link(each.token) is not None for each in (old, first, other, second)]
    assert there == [False, False, True, True]
    assert len(house.store.entries("one-time-link/")) == 2
    await house.accounts.delete_link(second.token)
    assert await house.accounts.find_link(second.token) is None


def test_the_tables_of_a_post() -> None:
    """A post covers its tables; an administrator has none, and a post that a person does not have is None."""
    account = Account(login="dan", name="Dan", posts=(DEALER, SUPERVISOR))
    assert account.tables_as(Role.DEALER) == "*"
    assert account.tables_as(Role.SUPERVISOR) == ("T1",)
    assert account.tables_as(Role.PIT_MANAGER) is None
    assert account.tables_as(None) is None
    assert Account(login="ada", name="Ada", administrator=True).tables_as(None) == ()


def test_a_sheet_shows_no_password() -> None:
    """What may be shown of an account says whether it has a password, and nothing of the hash."""
    sheet = Account(login="dan", name="Dan", password="$argon2id$secret").sheet
    assert (sheet.locked, sheet.has_password) == (False, True)
    assert "argon2" not in repr(sheet)
