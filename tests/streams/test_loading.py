"""A table is loaded from its journal: durable before told, repeats harmless, restarts from snapshots."""

from __future__ import annotations

from itertools import islice

import pytest
from msgspec.structs import replace

from taisai.books import open_shelf
from taisai.core.faults import InputFault
from taisai.journal import MemoryJournal
from taisai.streams.loading import load
from taisai.table import commands as c
from taisai.table.people import Person, Role
from taisai.table.state import RoundPhase
from tests.audit.bot import Bot, deal
from tests.streams.keeper import TableKeeper

SHELF = open_shelf(environment={})


LEE = Person("lee", Role.SUPERVISOR)


def kept(journal: MemoryJournal, commands: int = 0, *, snapshot_every: int = 1000) -> TableKeeper:
    """A keeper of one table, dealt for a while."""
    keeper = TableKeeper(journal, SHELF.book, "T1", snapshot_every=snapshot_every)
    for _ in islice(deal(keeper, Bot(SHELF.book("rws-tai-sai-v6"), "A", 6)), commands):
        pass
    return keeper


def test_a_repeat_gets_its_first_answer() -> None:
    """A command sent again, at once or after a restart, is not carried out twice."""
    journal = MemoryJournal()
    keeper = kept(journal, 60)
    command = c.Command(id="again", at=1, by=LEE, do=c.ReceiveDice("D9"))
    first = keeper.do(command)
    seq = keeper.state.seq
    for each in (keeper, kept(journal)):
        again = each.do(replace(command, do=c.ReceiveDice("D10")))
        assert (again.events, again.repeated, again.refusal) == (first.events, True, None)
        assert each.state.seq == seq


def test_a_repeat_long_forgotten_is_caught_by_the_journal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids that the keeper no longer holds in memory are still unique in the journal."""
    monkeypatch.setattr("tests.streams.keeper.COMMANDS_KEPT", 2)
    journal = MemoryJournal()
    keeper = kept(journal, 60)
    first = keeper.do(c.Command(id="old", at=1, by=LEE, do=c.ReceiveDice("D9")))
    for number in range(3):
        keeper.do(c.Command(id=f"new{number}", at=1, by=LEE, do=c.ReceiveDice(f"E{number}")))
    again = keeper.do(c.Command(id="old", at=1, by=LEE, do=c.ReceiveDice("D11")))
    assert (again.events, again.repeated) == (first.events, True)
    assert "D11" not in keeper.state.dice_sets


def test_a_refused_command_leaves_no_record() -> None:
    """What is refused is not in the journal, and may be asked again."""
    journal = MemoryJournal()
    keeper = kept(journal, 60)
    before = journal.head("T1")
    command = c.Command(id="no", at=1, by=Person("ann", Role.AUDITOR), do=c.OpenBets())
    for _ in range(2):
        refusal = keeper.do(command).refusal
        assert refusal is not None
        assert refusal.code == "not-yours-to-do"
    assert journal.head("T1") == before
    assert keeper.state.seq == before.seq


def test_a_table_that_is_not_set_up_says_so() -> None:
    """Before the set-up everything is refused; a set-up under a book that is not there too."""
    keeper = kept(MemoryJournal())
    refusal = keeper.do(c.Command(id="1", at=1, by=LEE, do=c.OpenTable())).refusal
    assert refusal is not None
    assert refusal.code == "not-set-up"
    assert keeper.rules() is None
    limits = c.TableLimits(1, c.BoxLimit(1, 10))
    do = c.SetUp("no-such-book", "A", "0" * 64, limits, "SGD", (1,))

    def no_book(book_id: str) -> None:
        raise InputFault("book", f"there is no rule book {book_id}")

    refusal = TableKeeper(MemoryJournal(), no_book, "T1").do(c.Command(id="2", at=1, by=LEE, do=do)).refusal  # type: ignore[arg-type] # it never gives one
    assert refusal is not None
    assert refusal.code == "wrong-book"


def test_a_restart_stands_where_the_journal_says() -> None:
    """From the newest snapshot and what followed, the state is the same; a snapshot of another form is passed over."""
    journal = MemoryJournal()
    keeper = kept(journal, 250, snapshot_every=40)
    state, seq = load(journal, "T1")
    assert state == keeper.state
    assert keeper.state.seq - 40 <= seq
    assert [checkpoint.position for checkpoint in journal.checkpoints()][-1] == seq
    journal.save_snapshot("T1", keeper.state.seq, 999, b"of the future")
    assert load(journal, "T1") == (keeper.state, 0)
    assert load(journal, "T1", 10)[0].seq == 10


def test_a_restart_in_a_round_is_an_interruption() -> None:
    """A table that comes back in mid-round is interrupted until two people say which dice can be read."""
    journal = MemoryJournal()
    keeper = kept(journal, snapshot_every=10)
    bot = Bot(SHELF.book("rws-tai-sai-v6"), "A", 1, trouble=0)
    for _ in deal(keeper, bot):
        if keeper.state.round.phase is RoundPhase.UNCOVERED:
            break
    again = kept(journal, snapshot_every=10)
    assert again.state == keeper.state
    assert again.restart(keeper.state.at) is not None
    assert again.state.round.interrupted
    assert again.restart(keeper.state.at) is None
    refused = again.do(replace(bot.command(keeper.state), id="x")).refusal
    assert refused is not None
    assert refused.code == "round-interrupted"
