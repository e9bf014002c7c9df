"""Heads of the log while tables run: signed in time, on a stop and on demand; every failure is told."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from taisai.floor.alerts import Alerts
from taisai.floor.floor import Floor
from taisai.floor.heads import HeadKeeper
from taisai.floor.witnesses import WitnessLink
from taisai.house.proof import Prover
from taisai.journal import JournalFailed, MemoryJournal, SqliteJournal
from taisai.journal.log.headfile import HeadFile
from taisai.journal.log.note import Checkpoint, Note
from taisai.streams.house_events import HouseStopped, SigningRefused, WitnessRefused, read_house
from taisai.table import commands as c
from tests.floor.gated import DAN, GatedJournal, bet, betting, command, floor_on
from tests.floor.test_witnesses import WITNESS, Served
from tests.house.people import HandClock, on_a_loop


async def house(
    journal: MemoryJournal | SqliteJournal, *links: WitnessLink, demanded: int = 0, within_s: float = 60.0
) -> tuple[Floor, HeadKeeper, Alerts]:
    """A floor whose heads are signed when a test says so."""
    floor = await floor_on(journal)
    alerts = Alerts(floor, HandClock(), 10_000)
    prover = Prover(lambda: floor.writer.journal, floor.clock.now, "casino.example/floor")
    keeper = HeadKeeper(floor, prover, alerts, links, every_s=3_600, demanded=demanded, within_s=within_s)
    floor.before_close = keeper._last
    return floor, keeper, alerts


def link_to(served: Served) -> WitnessLink:
    """A link to a witness in memory, which trusts whatever key the house has."""
    return WitnessLink("http://witness.example", WITNESS.verifier, served)


async def cosigned(keeper: HeadKeeper) -> None:
    """Wait for the witnesses that are being asked."""
    if keeper._cosigning is not None:
        await keeper._cosigning


@on_a_loop
async def test_what_is_written_is_signed() -> None:
    """A tick signs everything that was written before it; nothing new is no new head."""
    journal = GatedJournal()
    floor, keeper, alerts = await house(journal)
    await betting(floor)
    await keeper.tick()
    assert keeper.now.size == journal.position()
    assert (keeper.now.origin, keeper.signed, keeper.failures) == ("casino.example/floor", 1, 0)
    await keeper.tick()
    assert keeper.signed == 1
    assert alerts.shown() == []
    await floor.stop()


@on_a_loop
async def test_a_stop_signs_the_rest() -> None:
    """The last head covers the last record of a planned stop."""
    journal = GatedJournal()
    floor, keeper, _ = await house(journal)
    await keeper.start()
    await betting(floor)
    await floor.log.note(HouseStopped("asked to"))
    await floor.stop()
    head = keeper._prover.head()
    assert head is not None
    assert Checkpoint.read(head.text).size == journal.position()


@on_a_loop
async def test_a_receipt_hurries_the_next_head() -> None:
    """Who waits for a record to be signed does not wait for the clock."""
    journal = GatedJournal()
    floor, keeper, _ = await house(journal)
    await keeper.start()
    await betting(floor)
    await keeper.reach(journal.position())
    assert keeper.now.size >= journal.position()
    await floor.stop()


@on_a_loop
async def test_failing_to_sign_is_counted_and_told_once() -> None:
    """A failure is an alert until it is cleared, a count, and tried again."""
    journal = GatedJournal()
    floor, keeper, alerts = await house(journal)
    await betting(floor)

    def fail(*_: object) -> bool:
        raise JournalFailed("the disk has failed")

    kept = journal.put_all
    journal.put_all = fail  # type: ignore[assignment]
    await keeper.tick()
    await keeper.tick()
    assert (keeper.failures, keeper.now.fault) == (2, "the disk has failed")
    assert [(each.kind, each.table, each.what) for each in alerts.shown()] == [
        ("log-failed", "", "the disk has failed")
    ]
    journal.put_all = kept  # type: ignore[method-assign]
    await keeper.tick()
    assert (keeper.now.size, keeper.now.fault) == (journal.position(), "")
    await floor.stop()


def test_a_cut_journal_is_an_alarm_and_a_record(tmp_path: Path) -> None:
    """The house signs nothing over a restored backup; the pit and the house's stream say why."""
    path = tmp_path / "floor.db"

    @on_a_loop
    async def before() -> None:
        """Sign some records."""
        floor, keeper, _ = await house(SqliteJournal(path))
        await betting(floor)
        await keeper.tick()
        floor.writer.journal.backup(tmp_path / "backup.db")
        await floor.do("T", bet(1_000))
        await floor.stop()

    @on_a_loop
    async def after() -> None:
        """Go on with less."""
        floor, keeper, alerts = await house(SqliteJournal(path))
        await keeper.tick()
        await keeper.tick()
        assert "the head that is known" in keeper.now.fault
        assert [each.kind for each in alerts.shown()] == ["log-behind"]
        await floor.stop()

    before()
    known = HeadFile(tmp_path / "floor.db.key").read()
    (tmp_path / "backup.db").replace(path)
    after()
    with SqliteJournal(path) as journal:
        assert [type(event.what) for _, event in read_house(journal)][-1] is SigningRefused
    assert HeadFile(tmp_path / "floor.db.key").read() == known


def trusting(served: Served, keeper: HeadKeeper) -> None:
    """Let a witness know the house's key, which is made with the first head."""
    key = keeper._prover.verifier()
    assert key is not None
    served.witness._logs = {key.name: (key,)}


@on_a_loop
async def test_heads_are_cosigned() -> None:
    """The newest head with enough cosignatures is known, with its age and its witnesses."""
    served, journal = Served(), GatedJournal()
    floor, keeper, alerts = await house(journal, link_to(served), demanded=1)
    await betting(floor)
    await keeper.tick()
    await cosigned(keeper)  # the witness does not know this log yet
    assert (keeper.now.cosigned_size, keeper.witness_failures) == (0, 1)
    assert [each.kind for each in alerts.shown()] == ["witness-silent"]
    trusting(served, keeper)
    await floor.do("T", bet(1_000))
    await keeper.tick()
    await cosigned(keeper)
    assert (keeper.now.cosigned_size, keeper.now.cosigned_by) == (journal.position(), ("witness.example",))
    assert keeper.now.cosigned_at == 1_800_000_000 * 1_000_000
    head = keeper._prover.head(cosigned=True)
    assert head is not None
    assert len(head.signatures) == 2
    await floor.stop()


@on_a_loop
async def test_late_cosignatures_hold_the_house() -> None:
    """While fewer witnesses than demanded have cosigned, no round begins; the round in play goes on, then all does."""
    served, journal = Served(), GatedJournal()
    floor, keeper, alerts = await house(journal, link_to(served), demanded=1, within_s=-1.0)
    await betting(floor)
    await keeper.tick()
    await cosigned(keeper)
    await keeper.tick()
    await cosigned(keeper)
    assert (await floor.do("T", bet(1_000))).refusal is None
    steps: tuple[c.Action, ...] = (
        c.CloseBets(), c.Tumble(3), c.Uncover((1, 2, 3)), c.Announce(), c.Collect(), c.PayAll(),
    )  # fmt: skip
    for number, step in enumerate(steps, 2_000):
        assert (await floor.do("T", command(number, step, DAN))).refusal is None
    refusal = (await floor.do("T", command(3_000, c.OpenBets(), DAN))).refusal
    assert refusal is not None
    assert "witnesses have not cosigned" in refusal.sentence
    assert "cosignatures-overdue" in {each.kind for each in alerts.shown()}
    trusting(served, keeper)
    await keeper.tick()
    await cosigned(keeper)
    assert (await floor.do("T", command(3_001, c.OpenBets(), DAN))).refusal is None
    await floor.stop()


@on_a_loop
async def test_a_witness_that_saw_more_stops_the_signing() -> None:
    """A house that was cut back learns it from its witness, before it signs anything."""
    served = Served()
    floor, keeper, _ = await house(GatedJournal(), link_to(served))
    await betting(floor)
    await keeper.tick()
    trusting(served, keeper)
    await floor.do("T", bet(1_000))
    await keeper.tick()
    await cosigned(keeper)
    floor_2, keeper_2, alerts = await house(GatedJournal(), link_to(served))
    floor_2.writer.journal._signer = floor.writer.journal.signer(make=False)  # type: ignore[attr-defined]
    floor_2.writer.journal.put("log/origin", b"casino.example/floor")
    await keeper_2.tick()
    assert keeper_2.now.fault.endswith("it was cut back")
    assert keeper_2.now.size == 0
    assert [each.kind for each in alerts.shown()] == ["log-behind"]
    await floor.stop()
    await floor_2.stop()


@on_a_loop
async def test_a_witness_that_refuses_is_an_alarm_and_a_record() -> None:
    """A witness that saw another history: told in the pit, recorded, and nothing more is signed."""
    served = Served()
    floor, keeper, alerts = await house(GatedJournal(), link_to(served))
    await betting(floor)
    await keeper.tick()
    trusting(served, keeper)
    served.memory.remember(_other_head(keeper))
    await floor.do("T", bet(1_000))
    await keeper.tick()
    await cosigned(keeper)
    assert "witness-refused" in {each.kind for each in alerts.shown()}
    await asyncio.gather(*floor._tasks)
    assert [type(event.what) for _, event in read_house(floor.writer.journal)][-1] is WitnessRefused
    await floor.stop()


def _other_head(keeper: HeadKeeper) -> Note:
    """A head of the same house over another history."""
    signer = keeper._prover._signer
    assert signer is not None
    text = str(Checkpoint(signer.verifier.name, 2, b"x" * 32))
    return Note(text, (signer.sign(text),))


@on_a_loop
async def test_records_that_nobody_signs_are_overdue() -> None:
    """A node that does not sign itself still sees that nobody does."""
    journal = GatedJournal()
    floor, keeper, alerts = await house(journal)
    keeper._take_lease = lambda: False  # type: ignore[method-assign]
    await betting(floor)
    await keeper.tick()
    assert keeper._unsigned_since is not None
    keeper._unsigned_since -= 60
    await keeper.tick()
    assert [(each.kind, each.what) for each in alerts.shown()] == [
        ("log-overdue", "no signed head covers the records after 0")
    ]
    await floor.stop()


@on_a_loop
async def test_a_house_that_is_never_idle_is_not_overdue(monkeypatch: pytest.MonkeyPatch) -> None:
    """While bets never stop there always is a record that the newest head does not cover, and each is covered soon."""
    journal = GatedJournal()
    floor, keeper, alerts = await house(journal)
    await betting(floor)
    await keeper.tick()
    monkeypatch.setattr(floor.writer.journal, "position", lambda: keeper.now.size + 1)
    for _ in range(5):
        await keeper._check_unsigned()
        assert keeper._unsigned_since is not None
        keeper._unsigned_since -= 20  # so much later ...
        keeper.now = replace(keeper.now, size=keeper.now.size + 1)  # ... and what was there then is signed
    assert list(alerts.shown()) == []
    await floor.stop()


@on_a_loop
async def test_a_house_that_writes_faster_than_the_log_follows_is_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the tree never reaches the end of the journal, what it holds is signed all the same."""
    floor, keeper, _ = await house(GatedJournal())
    await betting(floor)
    await keeper.tick()
    await floor.do("T", bet(1_000))
    follow, asked = keeper._prover.follow, 0

    def never_done(most: int = 1) -> bool:
        nonlocal asked
        asked += 1
        assert asked < 1_000
        return follow(most) or True

    monkeypatch.setattr(keeper._prover, "follow", never_done)
    monkeypatch.setattr(keeper, "_every_s", 0.0)
    signed = keeper.now.size
    await keeper.tick()
    assert keeper.now.size > signed
    await floor.stop()
