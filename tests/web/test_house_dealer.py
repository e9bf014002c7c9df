"""An automatic table is dealt by the house alone: the crew may stop it, and neither choose its dice nor deal it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from taisai.audit.run import Audit
from taisai.core.fair import commitment_of, roll_from
from taisai.floor.answers import Answer
from taisai.floor.dealer import DEALER
from taisai.floor.floor import Floor
from taisai.floor.live import LiveTable
from taisai.journal import Batch
from taisai.settings.forms import Settings, Timing
from taisai.streams.codec import event_of, records_of
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.people import Person, Role
from taisai.table.state import RoundPhase
from tests.web.serving import on_a_loop, shelf
from tests.web.test_preparation import Kept, prepared, settings_with

DAN, SUE = Person("dan", Role.DEALER), Person("sue", Role.SUPERVISOR)
QUICK = Timing(betting_ms=50, after_close_ms=0, tumbling_ms=0, reveal_ms=0, lit_ms=0, paid_ms=0, between_ms=0)


def quick_settings(**changes: object) -> Settings:
    """One automatic table whose rounds take a moment, and which waits after a round that nobody bet on."""
    settings = settings_with(demo=False, mode="automatic", timing=QUICK, **changes)
    return replace(settings, house=replace(settings.house, minimum_betting_ms=QUICK.betting_ms))


@asynccontextmanager
async def waiting(settings: Settings, journal: Kept) -> AsyncIterator[tuple[Floor, LiveTable]]:
    """A floor whose automatic table has dealt a round to nobody and waits for players."""
    async with prepared(settings, journal) as floor:
        table = floor.tables[settings.tables[0].name]
        while not table.state.history:
            await asyncio.sleep(0)
        yield floor, table


def burst(floor: Floor, table: LiveTable, by: Person, actions: Iterable[c.Action], name: str = "x") -> list[Answer]:
    """Send actions at once, before anybody else has a turn; the answers come later."""
    answers: list[Answer] = []
    for place, do in enumerate(actions):
        command = c.Command(id=f"{name}-{place}", at=floor.clock.now(), by=by, do=do)
        floor.submit(table, command, answers.append)
    return answers


def chosen_round(table: LiveTable) -> tuple[c.Action, ...]:
    """A whole round on a secret of the dealer's choice, with a bet on what it gives."""
    secret, number = bytes(32), table.state.round.number + 1
    dice = roll_from(secret, table.name, number).faces
    size = "small" if sum(dice) < 11 else "big"
    return (
        c.CommitDice(commitment_of(secret, table.name, number)), c.Tumble(3), c.OpenBets(0),
        c.PlaceBet("eve", size, 1_000, c.How.CALL), c.CloseBets(secret.hex()), c.Tumble(3), c.Uncover(dice),
        c.Announce(), *map(c.Press, dice), c.Enter(), c.Collect(), c.PayAll(),
    )  # fmt: skip


@pytest.mark.parametrize("by", [DAN, SUE])
@on_a_loop
async def test_the_crew_does_not_choose_the_dice_of_an_automatic_table(by: Person) -> None:
    """A round committed, dealt and paid in one burst, before the house's dealer wakes, is refused step by step."""
    journal = Kept()
    async with waiting(quick_settings(), journal) as (floor, table):
        seated = burst(floor, table, by, (c.SitDown("eve"), c.BringChips("eve", 10_000)), "seat")
        answers = burst(floor, table, by, chosen_round(table))
        while len(seated) + len(answers) < 16:
            await asyncio.sleep(0)
        assert [answer.refusal for answer in seated] == [None, None]
        assert {answer.refusal.code if answer.refusal else None for answer in answers} == {
            "not-yours-to-do", "bets-not-open"
        }  # fmt: skip
        assert table.state.funds("eve") == 10_000
        while len(table.state.history) < 3:
            await asyncio.sleep(0)
    events = [event_of(record) for record in journal.read(table.name)]
    assert {event.by.role for event in events if isinstance(event.what, e.DiceCommitted)} == {Role.SYSTEM}
    assert not list(Audit(shelf().book).findings(journal))


@on_a_loop
async def test_the_crew_stops_a_round_of_an_automatic_table() -> None:
    """Suspending, interrupting and resolving stay with people; a close before the least betting period is refused."""
    settings = quick_settings()
    slow = replace(settings.tables[0], timing=replace(QUICK, betting_ms=60_000))
    settings = replace(settings, tables=(slow,), house=replace(settings.house, minimum_betting_ms=60_000))
    async with prepared(settings, Kept()) as floor:
        table = floor.tables[slow.name]
        while table.state.round.phase is not RoundPhase.BETTING:
            await asyncio.sleep(0)
        early = c.Command(id="early", at=floor.clock.now(), by=DEALER, do=c.CloseBets())
        refusal = (await floor.do(table.name, early)).refusal
        assert refusal is not None
        assert refusal.sentence.startswith("Bets stay open for 60000 ms at least")
        stops = (c.SuspendTable("smoke"), c.Interrupt("smoke"))
        answers = burst(floor, table, DAN, stops)
        while len(answers) < len(stops):
            await asyncio.sleep(0)
        do = c.ResolveInterruption(())
        ended = c.Command(id="end", at=floor.clock.now(), by=DAN, do=do, authorised_by=SUE, reason="smoke")
        answers.append(await floor.do(table.name, ended))
        assert [answer.refusal for answer in answers] == [None] * 3
        assert any(isinstance(event.what, e.RoundVoided) for event in answers[-1].events)


@on_a_loop
async def test_a_table_that_is_automatic_no_more_is_given_back_to_people() -> None:
    """The settings say who deals: people deal a table again once it is not automatic any more."""
    journal, settings = Kept(), quick_settings()
    async with waiting(settings, journal) as (_, table):
        assert (table.state.dealt_by, table.state.betting_min_ms) == (c.DealtBy.HOUSE, QUICK.betting_ms)
    (automatic,) = settings.tables
    async with prepared(replace(settings, tables=(replace(automatic, mode="dealer"),)), journal) as floor:
        table = floor.tables[automatic.name]
        assert (table.state.dealt_by, table.state.betting_min_ms) == (c.DealtBy.PEOPLE, 0)
        opened = c.Command(id="open", at=floor.clock.now(), by=DAN, do=c.OpenBets())
        refused = (await floor.do(table.name, opened)).refusal
        assert refused is not None, "people have no dice there yet"
        assert refused.code == "check-incomplete"
        sealing: tuple[c.Action, ...] = (c.ReceiveDice("d1"), c.SealDice("d1", "s1"))
        for place, do in enumerate(sealing):
            sealed = c.Command(id=f"seal-{place}", at=floor.clock.now(), by=SUE, do=do)
            assert (await floor.do(table.name, sealed)).refusal is None
        assert (await floor.do(table.name, replace(opened, id="open-again"))).refusal is None


@pytest.mark.parametrize(
    ("kind", "change", "code"),
    [
        (e.DiceCommitted, lambda event: replace(event, by=DAN), "not-authorised"),
        (e.BetsOpened, lambda event: replace(event, by=SUE), "not-authorised"),
        (e.RoundConcluded, lambda event: replace(event, by=DAN), "not-authorised"),
        (e.DealingAssigned, lambda event: replace(event, by=SUE), "not-authorised"),
        (e.BetsClosed, lambda event: replace(event, at=event.at - 60_000_000), "betting-too-short"),
    ],
)
@on_a_loop
async def test_the_audit_finds_a_step_that_the_house_did_not_take(
    kind: type, change: Callable[[e.Event], e.Event], code: str
) -> None:
    """Forged into a whole chain: the commitment or another step by the crew, a table reassigned, an early close."""
    journal, forged = Kept(), Kept()
    async with waiting(quick_settings(), journal) as (_, table):
        name = table.name
    events = [event_of(record) for record in journal.read(name)]
    place = next(place for place, event in enumerate(events) if isinstance(event.what, kind))
    for number, event in enumerate(events):
        made = change(event) if number == place else event
        forged.append([Batch(name, number, records_of(f"x{number}", [made]))])
    assert [(each.code, each.seq) for each in Audit(shelf().book).findings(forged)] == [(code, place + 1)]


@on_a_loop
async def test_ids_that_a_player_takes_ahead_do_not_stop_an_automatic_table() -> None:
    """Bets under the ids that the house's dealer would have used next are bets like any other; the round goes on."""
    async with waiting(quick_settings(), Kept()) as (floor, table):
        burst(floor, table, DAN, (c.SitDown("eve"), c.BringChips("eve", 100_000)), "seat")
        while table.state.round.phase is not RoundPhase.BETTING:
            await asyncio.sleep(0)
        eve, seq, answers = Person("eve", Role.PLAYER), table.state.seq, list[Answer]()
        for ahead in range(40):
            command_id = f"auto-{seq + 40 + ahead:012d}-{'tumble' if ahead else 'close-bets'}"
            bet = c.PlaceBet("eve", f"single:{ahead % 6 + 1}", 500)
            floor.submit(table, c.Command(id=command_id, at=floor.clock.now(), by=eve, do=bet), answers.append)
        before = len(table.state.history)
        async with asyncio.timeout(10):
            while len(table.state.history) < before + 2:
                await asyncio.sleep(0)
        assert [answer.refusal for answer in answers] == [None] * 40
