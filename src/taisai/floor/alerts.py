"""Alerts of the pit: what somebody must look at, until he says that he did.

Enters: what happens at the tables. Leaves: alerts that stay, in the drawer and over a restart, until a person clears
them; who did, when and with which words is in the alert and in the house's stream. Clearing an alert changes nothing
at the table: it says that it was seen to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from taisai.streams.house_events import AlertCleared
from taisai.table import events as e
from taisai.table.events import Event

if TYPE_CHECKING:
    from taisai.floor.floor import Floor
    from taisai.floor.live import LiveTable

PREFIX: Final = "pit/alert/"
CLEARED_KEPT: Final = 100
"""Cleared alerts that are still shown; all of them are in the house's stream."""
_EACH: Final = frozenset({"large-win", "dispute"})
"""Kinds of which each is an alert of its own; of the others, one stands for all until it is cleared."""


class Alert(Struct, frozen=True, kw_only=True):
    """Something to look at."""

    id: str
    kind: str
    table: str
    round: int
    at: int
    """When it was raised, or raised again."""
    what: str
    amount: int = 0
    """Of a large win, in minor units."""
    times: int = 1
    cleared_at: int | None = None
    cleared_by: str = ""
    note: str = ""


class Alerts:
    """All alerts of the floor."""

    def __init__(self, floor: Floor, now: Callable[[], int], large_win: int) -> None:
        self._floor, self._now, self._large_win = floor, now, large_win
        self._all: dict[str, Alert] = {}
        floor.listen(self._heard, bets=False)

    def load(self) -> None:
        """Know what the drawer holds; the floor is started."""
        self._know(self._floor.writer.journal.entries(PREFIX))

    async def refresh(self) -> None:
        """Know what other nodes raised and cleared meanwhile."""
        self._know(await self._floor.writer.run(lambda journal: journal.entries(PREFIX)))

    def _know(self, kept: Mapping[str, bytes]) -> None:
        for name, value in kept.items():
            try:
                alert = msgspec.json.decode(value, type=Alert)
            except msgspec.MsgspecError:
                continue  # of another taisai; what it told is in the journal
            mine = self._all.get(alert.id)
            newer = mine is None or (mine.cleared_at is None and (alert.cleared_at or 0, alert.times) > (0, mine.times))
            if newer and name == PREFIX + alert.id:
                self._all[alert.id] = alert

    def shown(self, *, cleared: bool = False) -> list[Alert]:
        """Alerts that wait, newest first; with `cleared` also those that somebody saw to."""
        for table in self._floor.tables.values():
            if table.broken:
                self._raise("broken", table, table.broken)
        found = [each for each in self._all.values() if cleared or each.cleared_at is None]
        return sorted(found, key=lambda each: each.at, reverse=True)

    def find(self, alert_id: str) -> Alert | None:
        """An alert by its id."""
        return self._all.get(alert_id)

    async def clear(self, alert: Alert, *, by: str, note: str) -> Alert:
        """Say that it was seen to; it is on disk when this returns. A second time changes nothing."""
        if alert.cleared_at is not None:
            return alert
        cleared = replace(alert, cleared_at=self._now(), cleared_by=by, note=note)
        self._all[alert.id] = cleared
        value = msgspec.json.encode(cleared)
        await self._floor.writer.run(lambda journal: journal.put(PREFIX + alert.id, value))
        await self._floor.log.note(AlertCleared(alert.table, alert.kind, alert.what, alert.at), by=by, reason=note)
        self._forget_old()
        return cleared

    # ------------------------------------------------------------------ raising

    def raise_alert(self, kind: str, table: LiveTable, what: str) -> None:
        """Raise an alert that is not an event of the table itself."""
        self._raise(kind, table, what)

    def _heard(self, table: LiveTable, events: tuple[Event, ...]) -> None:
        if not table.owned:
            return  # the node that holds it raises them
        for event in events:
            if type(event.what) is e.BetPlaced:  # by far the most frequent, and nothing to worry about
                continue
            match event.what:
                case e.RoundInterrupted(cause=cause):
                    self._raise("interrupted", table, cause)
                case e.TableSuspended(cause=cause):
                    self._raise("suspended", table, cause)
                case e.DiceOverdue(dice_set=dice_set, hours=hours):
                    self._raise("dice-overdue", table, f"{dice_set}, {hours} h")
                case e.LightsFaulted(fault=fault):
                    self._raise("lights", table, fault)
                case e.BetsClosed(flags=flags) if flags:
                    self._raise("breach", table, "; ".join(flag.text for flag in flags[:3]))
                case e.DisputeOpened(dispute=dispute, player=player, claim=claim):
                    self._raise("dispute", table, f"{dispute}, {player}: {claim}")
                case e.BetPaid(player=player, box=box, winnings=winnings) if winnings >= self._large_win:
                    self._raise("large-win", table, f"{player} on {box}", winnings)
                case _:
                    pass

    def _raise(self, kind: str, table: LiveTable, what: str, amount: int = 0) -> None:
        state = table.state
        standing = next(
            (
                each
                for each in self._all.values()
                if kind not in _EACH and each.cleared_at is None and (each.kind, each.table) == (kind, table.name)
            ),
            None,
        )
        if standing is not None:
            if standing.what == what and standing.round == state.round.number:
                return
            alert = replace(standing, what=what, at=self._now(), round=state.round.number, times=standing.times + 1)
        else:
            name = f"{table.name}.{state.seq}.{len(self._all)}"
            at, number = self._now(), state.round.number
            alert = Alert(id=name, kind=kind, table=table.name, round=number, at=at, what=what, amount=amount)
        self._all[alert.id] = alert
        self._keep(alert.id, msgspec.json.encode(alert))

    def _forget_old(self) -> None:
        cleared = [each for each in self._all.values() if each.cleared_at is not None]
        for each in sorted(cleared, key=lambda alert: alert.cleared_at or 0)[:-CLEARED_KEPT]:
            del self._all[each.id]
            self._keep(each.id, None)

    def _keep(self, alert_id: str, value: bytes | None) -> None:
        self._floor.background(self._floor.writer.run(lambda journal: journal.put(PREFIX + alert_id, value)))
