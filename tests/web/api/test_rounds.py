"""One round, with all that is known of it, for the crew and inspectors; and as one file that proves itself."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from taisai.client import Refused
from taisai.table import commands as c
from taisai.web.static.verify import taisai_verify as verifier
from tests.web.serving import Running, on_a_loop, open_house


async def played(house: Running) -> None:
    """Two rounds, of which the first is disputed and the dispute answered."""
    await house.hire("dan", "sue", "kim", "ada")
    await house.ready_table("T1")
    dan, ann = house.crew["dan"], await house.seat("ann")
    for _ in range(2):
        await dan.do("T1", c.OpenBets())
        await ann.do("T1", c.PlaceBet("ann", "small", 1_000))
        await ann.do("T1", c.PlaceBet("ann", "big", 500))
        for step in (c.CloseBets(), c.Tumble(3), c.Uncover((1, 2, 4)), c.Announce(), c.Collect(), c.PayAll()):
            await dan.do("T1", step)
    await dan.do("T1", c.OpenDispute("q1", "ann", 1, "I had more on small"))
    await house.crew["sue"].do("T1", c.ResolveDispute("q1", "The camera shows ten."))


@on_a_loop
async def test_a_round_is_told_whole() -> None:
    """Bets with reasons and clauses, sums by player, people by name, the dispute with its answer, every record."""
    async with open_house() as house:
        await played(house)
        found = await house.crew["ada"].call("GET", "/api/tables/T1/rounds/1")
        assert (found["dice"], found["call"], found["currency"]) == ([1, 2, 4], "1, 2, 4, total 7", "SGD")
        won = next(each for each in found["bets"] if each["box"] == "small")
        assert (won["player"], won["stake"], won["returned"]) == ("ann", 1_000, 2_000)
        assert won["clauses"]
        assert "SGD 10" in won["why"]
        (player,) = found["players"]
        assert (player["staked"], player["returned"]) == (1_500, 2_000)
        assert player["funds_after"] - player["funds_before"] == 500
        assert {each["id"]: each["name"] for each in found["people"]} == {"dan": "Dan", "sue": "Sue"}
        (dispute,) = found["disputes"]
        assert (dispute["claim"], dispute["resolution"], dispute["resolved_by"]) == (
            "I had more on small", "The camera shows ten.", "sue",
        )  # fmt: skip
        kinds = [each["kind"] for each in found["records"]]
        assert (kinds[0], kinds[-2:]) == ("bets-opened", ["dispute-opened", "dispute-resolved"])
        assert kinds.count("bets-opened") == 1
        second = await house.crew["dan"].call("GET", "/api/tables/T1/rounds/2")
        assert second["disputes"] == []


@on_a_loop
async def test_a_round_that_the_table_no_longer_remembers() -> None:
    """A round older than the table's own memory is replayed from the journal, and told the same."""
    async with open_house() as house:
        await played(house)
        table = house.context.floor.tables["T1"]
        before = await house.crew["kim"].call("GET", "/api/tables/T1/rounds/1")
        table.state = replace(table.state, history=table.state.history[1:])
        assert await house.crew["kim"].call("GET", "/api/tables/T1/rounds/1") == before


@on_a_loop
async def test_a_round_as_one_file() -> None:
    """The file has the account of the round, and a receipt that proves each of its records."""
    async with open_house() as house:
        await played(house)
        made = await house.crew["ada"].call("GET", "/api/tables/T1/rounds/1/file")
        key = verifier.verifier_key((await house.crew["ada"].call("GET", "/api/log"))["key"])
        proven = [verifier.check_receipt(each, key) for each in made["receipts"]]
        told = [(each["seq"], each["kind"]) for each in made["round"]["records"]]
        assert [(each["record"], each["event"]) for each in proven] == told
        assert made["round"]["bets"][0]["player"] == "ann"


@on_a_loop
async def test_who_may_see_a_round() -> None:
    """Players and strangers see no round of others; a round in play, or none, is not told."""
    async with open_house() as house:
        await played(house)
        for number in ("3", "0", "x", "99999999999999999999"):
            with pytest.raises(Refused, match=r"not-found|bad-message"):
                await house.crew["ada"].call("GET", f"/api/tables/T1/rounds/{number}")
        ann = await house.seat("bob")
        with pytest.raises(Refused, match="not-allowed"):
            await ann.call("GET", "/api/tables/T1/rounds/1")
        with pytest.raises(Refused, match="not-signed-in"):
            await house.client.call("GET", "/api/tables/T1/rounds/1")


@on_a_loop
async def test_the_journal_is_filtered_by_round_and_time() -> None:
    """Each record says in which round it stands; a round's records, and those of a time, are found by it."""
    async with open_house() as house:
        await played(house)
        ada = house.crew["ada"]
        path = "/api/tables/T1/journal"
        everything = await ada.call("GET", path)
        second = await ada.call("GET", path, query={"round": 2})
        assert {each["round"] for each in second} == {2}
        assert second == [each for each in everything if each["round"] == 2]
        assert (second[0]["kind"], second[-1]["kind"]) == ("bets-opened", "dispute-resolved")
        late = await ada.call("GET", path, query={"since": second[3]["at"], "until": second[-1]["at"], "round": 2})
        assert [each["seq"] for each in late] == [
            each["seq"] for each in second if second[3]["at"] <= each["at"] < second[-1]["at"]
        ]
        assert (await ada.call("GET", "/api/staff/names"))["dan"] == "Dan"
