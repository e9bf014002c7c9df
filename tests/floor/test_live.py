"""Live tables: answers come after the commit, repeats get the first answer, and failures are recovered from."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from taisai.floor.answers import Answer, HouseCode
from taisai.floor.writer import GROUP_MAX
from taisai.journal import Batch, JournalFailed, JournalFull
from taisai.streams.loading import load
from taisai.table import commands as c
from taisai.table.people import Person, Role
from taisai.table.state import RoundPhase
from tests.floor.gated import DAN, LEE, GatedJournal, bet, betting, command, floor_on


def test_an_answer_leaves_only_when_its_event_is_on_disk() -> None:
    """While the commit waits there is no answer and no new state; afterwards both."""

    async def run() -> None:
        journal = GatedJournal()
        floor = await floor_on(journal)
        table = await betting(floor)
        heard: list[int] = []
        floor.listen(lambda live, _events: heard.append(live.state.seq))
        before = table.state
        journal.hold()
        answers: list[Answer] = []
        floor.submit(table, bet(100), answers.append)
        await journal.held()
        await asyncio.sleep(0)
        assert (answers, heard, table.state) == ([], [], before)
        journal.open.set()
        await floor.do("T", bet(101))
        assert answers[0].seq == before.seq + 1
        assert heard == [before.seq + 1, before.seq + 2]
        await floor.stop()

    asyncio.run(run())


def test_events_of_all_tables_that_arrive_together_share_one_commit() -> None:
    """Batches that gather while a commit runs are written in one, whatever their table."""

    async def run() -> None:
        journal = GatedJournal()
        floor = await floor_on(journal)
        tables = [await betting(floor, name) for name in ("A", "B", "C")]
        journal.hold()
        answers: list[Answer] = []
        floor.submit(tables[0], bet(100), answers.append)
        await journal.held()
        for number in range(101, 131):
            floor.submit(tables[number % 3], bet(number), answers.append)
        journal.groups.clear()
        journal.open.set()
        await floor.do("A", bet(200))
        assert journal.groups[:2] == [1, 31]
        assert len(answers) == 31
        assert all(each.refusal is None for each in answers)
        assert GROUP_MAX > 30
        await floor.stop()

    asyncio.run(run())


def test_a_repeated_command_gets_its_first_answer() -> None:
    """In flight, later and after a restart a repeat changes nothing; the same id from another person is another."""

    async def run() -> None:
        journal = GatedJournal()
        floor = await floor_on(journal)
        table = await betting(floor)
        journal.hold()
        answers: dict[str, list[Answer]] = {"p1": [], "p2": []}
        for player in ("p1", "p1", "p2", "p2"):
            floor.submit(table, bet(100, player), answers[player].append)
        journal.open.set()
        for player, seq in (("p1", table.state.seq + 1), ("p2", table.state.seq + 2)):
            later = await floor.do("T", bet(100, player))
            assert (later.seq, later.repeated, len(later.events)) == (seq, True, 1)
            assert [(each.seq, each.repeated, each.refusal) for each in answers[player]] == [
                (seq, False, None),
                (seq, True, None),
            ]
        await floor.stop()
        again = await floor_on(journal)
        assert [(await again.do("T", bet(100, player))).repeated for player in ("p1", "p2")] == [True, True]
        assert again.table("T").state.round.totals == {"small": 200}
        await again.stop()

    asyncio.run(run())


def test_a_repeat_that_only_the_journal_remembers_gets_its_first_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many commands later a repeat is answered as the first time, in whatever phase, and nobody else notices it."""
    monkeypatch.setattr("taisai.floor.live.COMMANDS_KEPT", 4)

    async def run() -> None:
        journal = GatedJournal()
        floor = await floor_on(journal)
        table = await betting(floor)
        first = await floor.do("T", bet(100))
        taken = await floor.do("T", bet(101, "p2"))
        for number in range(110, 130):
            assert (await floor.do("T", bet(number))).refusal is None
        assert bet(100).id not in table._known
        journal.hold()
        answers: dict[str, list[Answer]] = {}
        for name, each in {"before": bet(130), "old": bet(100), "after": bet(131, "p2"), "not mine": bet(101)}.items():
            floor.submit(table, each, answers.setdefault(name, []).append)
        await journal.held()
        journal.open.set()
        last = await floor.do("T", bet(132, "p2"))
        assert {name: [answer.refusal for answer in found] for name, found in answers.items()} == {
            "before": [None], "old": [None], "after": [None], "not mine": [None]
        }  # fmt: skip
        assert answers["old"] == [repeated(first)]
        assert not answers["after"][0].repeated
        assert not answers["not mine"][0].repeated
        assert last.refusal is None
        assert sum(table.state.round.totals.values()) == 100 * (2 + 20 + 4)
        assert (await floor.do("T", command(140, c.CloseBets()))).refusal is None
        assert await floor.do("T", bet(101, "p2")) == repeated(taken)
        late = await floor.do("T", bet(141))
        assert late.refusal is not None
        assert late.refusal.code == "bets-closed"
        assert table.state == load(journal, "T")[0]
        await floor.stop()

    asyncio.run(run())


def repeated(first: Answer) -> Answer:
    """An answer as it is given to a repeat."""
    return Answer(first.seq, first.events, repeated=True)


def test_an_id_of_the_house_is_taken_by_nobody_else() -> None:
    """The name that tells people's ids apart belongs to the house: whoever finds it taken is told."""

    async def run() -> None:
        floor = await floor_on(GatedJournal())
        await betting(floor)
        answers = [await floor.do("T", replace(bet(100, player), id=f"{c.HOUSE_IDS}x")) for player in ("p1", "p2")]
        assert [answer.refusal and answer.refusal.code for answer in answers] == [None, HouseCode.ID_TAKEN]
        await floor.stop()

    asyncio.run(run())


def test_an_id_that_a_player_took_does_not_keep_a_round_from_being_interrupted() -> None:
    """A program that was killed interrupts the round in play, whatever ids the players have used."""

    async def run() -> None:
        journal = GatedJournal()
        floor = await floor_on(journal)
        table = await betting(floor)
        taken = replace(bet(100), id=f"restart-{table.state.seq + 1}")
        assert (await floor.do("T", taken)).refusal is None
        again = await floor_on(journal)
        assert again.table("T").state.round.interrupted == "the house was restarted"
        await again.stop()

    asyncio.run(run())


def test_a_full_disk_refuses_everything_decided_on_top_and_loses_nothing() -> None:
    """Bets in flight are refused, the state is what is on disk, and once there is space again play goes on."""

    async def run() -> None:
        journal = GatedJournal()
        floor = await floor_on(journal)
        table = await betting(floor)
        assert (await floor.do("T", bet(99))).refusal is None
        before = table.state
        journal.hold()
        answers: list[Answer] = []
        floor.submit(table, bet(100), answers.append)
        await journal.held()
        for number in range(101, 105):
            floor.submit(table, bet(number), answers.append)
        journal.refuse = lambda _batches: JournalFull("the disk is full: nothing was written")
        journal.open.set()
        late = await floor.do("T", bet(105))
        assert [each.refusal.code for each in (*answers, late) if each.refusal] == [HouseCode.NOT_RECORDED] * 6
        assert table.state == before == load(journal, "T")[0]
        journal.refuse = lambda _batches: None
        assert (await floor.do("T", bet(100))).seq == before.seq + 1
        assert floor.writer.counts.failures >= 1
        await floor.stop()

    asyncio.run(run())


def test_a_commit_whose_answer_was_lost_is_looked_up() -> None:
    """A commit that took effect counts as done although its answer was lost: the journal is read."""

    async def run() -> None:
        journal = GatedJournal()
        floor = await floor_on(journal)
        table = await betting(floor)
        journal.break_off = JournalFailed("the connection was cut in the commit: the answer is not known")
        answer = await floor.do("T", bet(100))
        assert (answer.refusal, answer.repeated) == (None, True)
        assert table.state.round.totals == {"small": 100}
        assert (await floor.do("T", bet(101))).refusal is None
        assert table.state == load(journal, "T")[0]
        await floor.stop()

    asyncio.run(run())


def test_a_refused_batch_fails_its_own_table_only() -> None:
    """A record number that another writer took fails its own table only; the table continues from the disk."""

    async def run() -> None:
        journal = GatedJournal()
        floor = await floor_on(journal)
        one, two = await betting(floor, "A"), await betting(floor, "B")
        other = await floor_on(journal)
        assert (
            await other.do("A", bet(90))
        ).refusal is not None  # the second floor interrupted the round of A at its start
        journal.hold()
        answers: dict[str, Answer] = {}
        floor.submit(two, bet(100), lambda answer: answers.__setitem__("first", answer))
        await journal.held()
        floor.submit(one, bet(101), lambda answer: answers.__setitem__("A", answer))
        floor.submit(two, bet(102), lambda answer: answers.__setitem__("B", answer))
        journal.open.set()
        await floor.do("A", command(300, c.NoteError(1, "a look")))
        assert answers["A"].refusal is not None
        assert one.state.round.interrupted
        assert one.state == load(journal, "A")[0]
        await floor.stop()
        await other.writer.stop()

    asyncio.run(run())


def test_an_unexpected_error_in_a_commit_is_answered() -> None:
    """An unexpected error refuses the commands in flight, and the writer goes on."""

    async def run() -> None:
        journal = GatedJournal()
        floor = await floor_on(journal)
        table = await betting(floor)
        seen: list[Sequence[Batch]] = []

        def once(batches: Sequence[Batch]) -> Exception | None:
            seen.append(batches)
            return ZeroDivisionError("a fault of the program") if len(seen) == 1 else None

        journal.refuse = once
        answer = await floor.do("T", bet(100))
        assert answer.refusal is not None
        assert answer.refusal.code == HouseCode.NOT_RECORDED
        assert (await floor.do("T", bet(101))).refusal is None
        assert table.state.round.totals == {"small": 100}
        await floor.stop()

    asyncio.run(run())


def test_a_restart_interrupts_the_round_in_play() -> None:
    """After a stop during betting the bets are still there, and people resolve the interruption (R25, R27)."""

    async def run() -> None:
        journal = GatedJournal()
        floor = await floor_on(journal)
        await betting(floor)
        await floor.do("T", bet(100))
        await floor.writer.stop()
        again = await floor_on(journal)
        table = again.table("T")
        assert table.state.round.interrupted == "the house was restarted"
        assert table.state.round.totals == {"small": 100}
        answer = await again.do("T", command(200, c.ResolveInterruption(()), DAN, LEE))
        assert answer.refusal is None
        assert table.state.round.phase is RoundPhase.BETWEEN
        assert table.state.funds("p1") == 1_000_000
        await again.stop()

    asyncio.run(run())


def test_a_table_without_a_set_up_refuses() -> None:
    """A command at a table without a set-up is refused by the table itself."""

    async def run() -> None:
        floor = await floor_on(GatedJournal())
        answer = await floor.do("new", command(1, c.OpenBets(), Person("dan", Role.DEALER)))
        assert answer.refusal is not None
        assert answer.refusal.code == "not-set-up"
        await floor.stop()

    asyncio.run(run())
