"""The register: nobody signs in to an account that the house's log does not have."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from taisai.house.accounts import Account, SignInCode
from taisai.house.log import HouseLog
from taisai.house.register import Register
from taisai.house.sessions import THE_CONSOLE, Admission
from taisai.journal import Journal, MemoryJournal
from taisai.streams.house_events import Post
from taisai.table.people import Role
from tests.house.people import DEALER, GOOD, House, on_a_loop, refused


def logged() -> tuple[House, MemoryJournal]:
    """A house whose log is a journal, and that goes by it."""
    journal = MemoryJournal()

    async def run(work: object) -> object:
        return work(journal)  # type: ignore[operator]  # a Callable[[Journal], T]

    house = House(store=journal)
    house.accounts._log = HouseLog(run, house.clock)  # type: ignore[arg-type]  # as above

    def opened() -> Journal:
        return journal

    house.authentication.register = Register(opened)
    return house, journal


@on_a_loop
async def test_an_account_put_into_the_store_lets_nobody_in() -> None:
    """A shift manager who is in the store and in no event is not let in, nor vouches for anybody."""
    house, journal = logged()
    await house.hire("dan", DEALER)
    await house.enter("dan")
    dan = await house.accounts.one("dan")
    assert dan is not None
    forged = replace(dan, login="eve", posts=(Post(Role.SHIFT_MANAGER),))
    journal.put("account/eve", msgspec.json.encode(forged))
    assert refused(await house.authentication.sign_in("eve", GOOD, Role.SHIFT_MANAGER)) == SignInCode.WRONG
    vouched = await house.authentication.vouch("eve", GOOD, Role.SHIFT_MANAGER, "T1", asker="dan")
    assert refused(vouched) == SignInCode.WRONG


@on_a_loop
async def test_a_post_that_only_the_store_has_is_none() -> None:
    """Who is promoted in the store alone is not let in at all; what an administrator changes is in the log."""
    house, journal = logged()
    await house.hire("dan", DEALER)
    account = msgspec.json.decode(journal.entries("account/dan")["account/dan"], type=Account)
    for change in ({"posts": (Post(Role.SHIFT_MANAGER),)}, {"posts": (), "administrator": True}):
        journal.put("account/dan", msgspec.json.encode(replace(account, **change)))
        assert refused(await house.authentication.sign_in("dan", GOOD, Role.SHIFT_MANAGER)) == SignInCode.WRONG
    journal.put("account/dan", msgspec.json.encode(account))
    await house.staff.change(THE_CONSOLE, "dan", posts=(Post(Role.SUPERVISOR),))
    assert isinstance(await house.authentication.sign_in("dan", GOOD, Role.SUPERVISOR), Admission)
    await house.staff.disable(THE_CONSOLE, "dan")
    enabled = msgspec.json.decode(journal.entries("account/dan")["account/dan"], type=Account)
    journal.put("account/dan", msgspec.json.encode(replace(enabled, disabled=False)))
    assert refused(await house.authentication.sign_in("dan", GOOD, Role.SUPERVISOR)) == SignInCode.WRONG
    journal.put("account/dan", msgspec.json.encode(enabled))
    await house.staff.enable(THE_CONSOLE, "dan")
    assert isinstance(await house.authentication.sign_in("dan", GOOD, Role.SUPERVISOR), Admission)
