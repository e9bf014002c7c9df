"""Alerts of the pit: raised by events, kept until a person clears them, shared between nodes."""

from __future__ import annotations

import msgspec

from taisai.bounds import ALERTS_CLEARED, ALERTS_OF_KIND
from taisai.floor.alerts import PREFIX, Alert, Alerts
from taisai.floor.floor import Floor
from taisai.floor.live import LiveTable
from taisai.journal import MemoryJournal
from taisai.streams.house_events import AlertCleared, read_house
from taisai.table import commands as c
from tests.floor.gated import DAN, LEE, GatedJournal, bet, betting, command, floor_on
from tests.house.people import HandClock, on_a_loop


async def pit(journal: MemoryJournal | None = None, large_win: int = 10_000) -> tuple[Floor, Alerts, HandClock]:
    """A floor with alerts, and their clock."""
    floor = await floor_on(journal or GatedJournal())
    clock = HandClock()
    alerts = Alerts(floor, clock, large_win)
    alerts.load()
    return floor, alerts, clock


async def do(floor: Floor, number: int, do: c.Action) -> None:
    """Something that must be accepted."""
    answer = await floor.do("T", command(number, do, LEE if isinstance(do, c.SuspendTable) else DAN))
    assert answer.refusal is None, answer.refusal


async def settled(floor: Floor, table: LiveTable, amount: int) -> None:
    """A round that the first player wins with a stake."""
    first = 1_000 * (table.state.round.number + 1)
    assert (await floor.do("T", bet(first, "p1", "small", amount))).refusal is None
    steps: tuple[c.Action, ...] = (
        c.CloseBets(),
        c.Tumble(3),
        c.Uncover((1, 2, 3)),
        c.Announce(),
        c.Collect(),
        c.PayAll(),
        c.OpenBets(),
    )
    for number, step in enumerate(steps, first + 1):
        await do(floor, number, step)


@on_a_loop
async def test_an_interruption_is_an_alert_until_it_is_cleared() -> None:
    """An alert names its table, round and cause; clearing it keeps who, when and why, on disk and in the log."""
    journal = GatedJournal()
    floor, alerts, clock = await pit(journal)
    table = await betting(floor)
    await do(floor, 500, c.Interrupt("the power failed"))
    (alert,) = alerts.shown()
    assert (alert.kind, alert.table, alert.round, alert.what) == ("interrupted", "T", 1, "the power failed")
    clock.after(1_000)
    cleared = await alerts.clear(alert, by="lee", note="a fuse")
    assert (cleared.cleared_by, cleared.note, cleared.cleared_at) == ("lee", "a fuse", clock())
    assert await alerts.clear(cleared, by="kim", note="again") == cleared
    assert (alerts.shown(), alerts.shown(cleared=True)) == ([], [cleared])
    assert alerts.find(alert.id) == cleared
    await floor.stop()
    logged = [(event.by, event.reason) for _, event in read_house(journal) if isinstance(event.what, AlertCleared)]
    assert logged == [("lee", "a fuse")]
    assert table.state.round.interrupted


@on_a_loop
async def test_large_wins_are_an_alert_each() -> None:
    """Every win that reaches the house's amount is an alert of its own, smaller ones are not."""
    floor, alerts, _ = await pit(large_win=5_000)
    table = await betting(floor)
    for amount in (5_000, 4_900, 6_000):
        await settled(floor, table, amount)
    assert sorted((each.kind, each.what, each.amount) for each in alerts.shown()) == [
        ("large-win", "p1 on small", 5_000),
        ("large-win", "p1 on small", 6_000),
    ]
    await floor.stop()


@on_a_loop
async def test_other_kinds_are_one_alert_that_counts() -> None:
    """A table has one open alert of a kind; the same cause again changes nothing, another one counts up."""
    floor, alerts, clock = await pit()
    table = await betting(floor)
    alerts.raise_alert("dice-health", table, "too many sixes")
    alerts.raise_alert("dice-health", table, "too many sixes")
    clock.after(5)
    alerts.raise_alert("dice-health", table, "too few ones")
    (alert,) = alerts.shown()
    assert (alert.what, alert.times, alert.at) == ("too few ones", 2, clock())
    await alerts.clear(alert, by="lee", note="changed the dice")
    alerts.raise_alert("dice-health", table, "too few ones")
    assert [each.times for each in alerts.shown()] == [1]
    await floor.stop()


@on_a_loop
async def test_a_table_that_has_stopped_is_an_alert() -> None:
    """A table that an invariant has stopped is listed, without any event of it."""
    floor, alerts, _ = await pit()
    table = await betting(floor)
    table.broken = "money was lost"
    assert [(each.kind, each.what) for each in alerts.shown()] == [("broken", "money was lost")]
    await floor.stop()


@on_a_loop
async def test_the_node_that_holds_a_table_raises_its_alerts() -> None:
    """A node that only follows a table raises nothing, and reads what the other node has raised and cleared."""
    journal = GatedJournal()
    floor, alerts, _ = await pit(journal)
    table = await betting(floor)
    table.owned = False
    alerts._on_events(table, ())
    theirs = Alert(id="T.9.0", kind="lights", table="T", round=1, at=5, what="dark")
    journal.put(PREFIX + theirs.id, msgspec.json.encode(theirs))
    journal.put(PREFIX + "strange", b'{"of": "another version"}')
    await alerts.refresh()
    assert alerts.shown() == [theirs]
    cleared = msgspec.structs.replace(theirs, cleared_at=6, cleared_by="kim")
    journal.put(PREFIX + theirs.id, msgspec.json.encode(cleared))
    await alerts.refresh()
    assert (alerts.shown(), alerts.find(theirs.id)) == ([], cleared)
    journal.put(PREFIX + theirs.id, msgspec.json.encode(theirs))
    await alerts.refresh()
    assert alerts.find(theirs.id) == cleared, "an old copy does not reopen a cleared alert"
    await floor.stop()


@on_a_loop
async def test_alerts_outlast_a_restart_and_old_cleared_ones_do_not() -> None:
    """Open alerts are there after a restart; of the cleared ones the last hundred are kept."""
    journal = GatedJournal()
    floor, alerts, clock = await pit(journal)
    table = await betting(floor)
    for number in range(ALERTS_CLEARED + 3):
        clock.after(1)
        alerts.raise_alert("dispute", table, f"D{number}")
        await alerts.clear(alerts.shown()[0], by="lee", note="seen")
    alerts.raise_alert("lights", table, "dark")
    await floor.stop()
    again, after, _ = await pit(journal)
    assert [each.what for each in after.shown()] == ["dark"]
    assert len(after.shown(cleared=True)) == ALERTS_CLEARED + 1
    assert "D2" not in {each.what for each in after.shown(cleared=True)}
    await again.stop()


@on_a_loop
async def test_open_alerts_of_a_kind_are_bounded_and_the_newest_counts_on() -> None:
    """A flood of one kind leaves so many alerts at most; the last of them says how often it was raised."""
    floor, alerts, clock = await pit()
    table = await betting(floor)
    for number in range(ALERTS_OF_KIND + 20):
        clock.after(1)
        alerts.raise_alert("large-win", table, f"w{number}", number)
    newest, *others = alerts.shown()
    assert len(others) == ALERTS_OF_KIND - 1
    assert (newest.what, newest.times) == (f"w{ALERTS_OF_KIND + 19}", 21)
    assert {each.times for each in others} == {1}
    alerts.raise_alert("dispute", table, "another kind")
    assert len(alerts.shown()) == ALERTS_OF_KIND + 1
    await floor.stop()


@on_a_loop
async def test_tables_that_stand_still_come_first() -> None:
    """A round that waits for people is the first alert of the pit, however many came after it."""
    floor, alerts, clock = await pit(large_win=1)
    table = await betting(floor)
    await do(floor, 500, c.Interrupt("the node died"))
    clock.after(1_000)
    alerts.raise_alert("dice-overdue", table, "D1, 25 h")
    clock.after(1_000)
    alerts.raise_house_alert("witness-silent", "north")
    assert [each.kind for each in alerts.shown()] == ["interrupted", "witness-silent", "dice-overdue"]
    await floor.stop()
