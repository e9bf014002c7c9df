"""Alerts of the pit: what somebody must look at, until a person clears it.

Enters: what happens at the tables. Leaves: alerts that stay, also over a restart, until a person clears them; who did,
when and with which note is in the alert and in the house's stream. Clearing an alert changes nothing at the table: it
only records that somebody has dealt with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from taisai.bounds import ALERTS_CLEARED, ALERTS_OF_KIND
from taisai.core.rulebook import Fact
from taisai.streams.house_events import AlertCleared
from taisai.table import events as e
from taisai.table.events import Event

if TYPE_CHECKING:
    from taisai.floor.floor import Floor
    from taisai.floor.live import LiveTable

PREFIX: Final = "pit/alert/"
_EACH: Final = frozenset({"large-win", "dispute", "fact", "count-differs"})
"""Kinds of which each occurrence is an alert of its own, up to a bound; a table has one open alert of every other."""

_FIRST: Final = frozenset({"interrupted", "broken", "suspended"})
"""Kinds that mean that a table stands still until people act."""


class Alert(Struct, frozen=True, kw_only=True):
    """Something that a person must look at."""

    id: str
    kind: str
    table: str
    """Empty for an alert of the whole house."""
    round: int
    at: int
    """When it was raised, or raised again."""
    what: str
    amount: int = 0
    """Of a large win, or by how much a count differs, in minor units."""
    times: int = 1
    cleared_at: int | None = None
    cleared_by: str = ""
    note: str = ""


class Alerts:
    """All alerts of the floor."""

    def __init__(self, floor: Floor, now: Callable[[], int], large_win: int) -> None:
        self._floor, self._now, self._large_win = floor, now, large_win
        self._all: dict[str, Alert] = {}
        floor.listen(self._on_events, bets=False)

    def load(self) -> None:
        """Read the stored alerts, once the floor has started."""
        self._merge(self._floor.writer.journal.entries(PREFIX))

    async def refresh(self) -> None:
        """Read what other nodes have raised and cleared meanwhile."""
        self._merge(await self._floor.writer.run(lambda journal: journal.entries(PREFIX)))

    def _merge(self, entries: Mapping[str, bytes]) -> None:
        for key, value in entries.items():
            try:
                alert = msgspec.json.decode(value, type=Alert)
            except msgspec.MsgspecError:
                continue  # written by another version; its cause is in the journal
            mine = self._all.get(alert.id)
            newer = mine is None or (mine.cleared_at is None and (alert.cleared_at or 0, alert.times) > (0, mine.times))
            if newer and key == PREFIX + alert.id:
                self._all[alert.id] = alert

    def shown(self, *, cleared: bool = False) -> list[Alert]:
        """The open alerts, those of tables that stand still first, then the newest; with `cleared`, those too."""
        for table in self._floor.tables.values():
            if table.broken:
                self.raise_alert("broken", table, table.broken)
        alerts = [each for each in self._all.values() if cleared or each.cleared_at is None]
        return sorted(alerts, key=lambda each: (each.cleared_at is None and each.kind in _FIRST, each.at), reverse=True)

    def find(self, alert_id: str) -> Alert | None:
        """An alert by its id."""
        return self._all.get(alert_id)

    async def clear(self, alert: Alert, *, by: str, note: str) -> Alert:
        """Clear an alert; it is on disk when this returns. Clearing it again changes nothing."""
        if alert.cleared_at is not None:
            return alert
        cleared = replace(alert, cleared_at=self._now(), cleared_by=by, note=note)
        self._all[alert.id] = cleared
        value = msgspec.json.encode(cleared)
        await self._floor.writer.run(lambda journal: journal.put(PREFIX + alert.id, value))
        await self._floor.log.note(AlertCleared(alert.table, alert.kind, alert.what, alert.at), by=by, reason=note)
        self._delete_old()
        return cleared

    # ------------------------------------------------------------------ raising

    def _on_events(self, table: LiveTable, events: tuple[Event, ...]) -> None:
        if not table.owned:
            return  # the node that holds it raises the alerts
        for event in events:
            if type(event.what) is e.BetPlaced:  # by far the most frequent event, and never an alert
                continue
            match event.what:
                case e.RoundInterrupted(cause=cause):
                    self.raise_alert("interrupted", table, cause)
                case e.TableSuspended(cause=cause):
                    self.raise_alert("suspended", table, cause)
                case e.DiceOverdue(dice_set=dice_set, hours=hours):
                    self.raise_alert("dice-overdue", table, f"{dice_set}, {hours} h")
                case e.FactRecorded(fact=fact, round=number, note=note) if fact != Fact.INTERRUPTED:
                    self.raise_alert("fact", table, ", ".join(filter(None, (fact, f"round {number}", note))))
                case e.ExcessLeft(box=box, limit=limit, amount=amount):
                    self.raise_alert("not-rejected", table, f"{box}, over its {limit}", amount)
                case e.BetsClosed(flags=flags) if flags:
                    self.raise_alert("breach", table, "; ".join(flag.text for flag in flags[:3]))
                case e.DisputeOpened(dispute=dispute, player=player, claim=claim):
                    self.raise_alert("dispute", table, f"{dispute}, {player}: {claim}")
                case e.BetPaid(player=player, box=box, winnings=winnings) if winnings >= self._large_win:
                    self.raise_alert("large-win", table, f"{player} on {box}", winnings)
                case e.TableClosed(amount=amount, expected=expected) if amount != expected:
                    self.raise_alert(
                        "count-differs", table, "short" if amount < expected else "over", amount - expected
                    )
                case _:
                    pass

    def raise_alert(self, kind: str, table: LiveTable, what: str, amount: int = 0) -> None:
        """Raise an alert, or raise it again."""
        state = table.state
        alike = [
            each
            for each in self._all.values()
            if each.cleared_at is None and (each.kind, each.table) == (kind, table.name)
        ]
        same = max(alike, key=lambda each: each.at, default=None)
        if same is not None and (kind not in _EACH or len(alike) >= ALERTS_OF_KIND):
            if same.what == what and same.round == state.round.number:
                return
            alert = replace(same, what=what, at=self._now(), round=state.round.number, times=same.times + 1)
        else:
            ids = (f"{table.name}.{state.seq}.{number}" for number in count(len(self._all)))
            unused = next(each for each in ids if each not in self._all)
            at, number = self._now(), state.round.number
            alert = Alert(id=unused, kind=kind, table=table.name, round=number, at=at, what=what, amount=amount)
        self._all[alert.id] = alert
        self._store(alert.id, msgspec.json.encode(alert))

    def raise_house_alert(self, kind: str, what: str) -> None:
        """Raise an alert of the whole house, or raise it again."""
        open_ones = (each for each in self._all.values() if each.cleared_at is None)
        same = next((each for each in open_ones if (each.kind, each.table, each.what) == (kind, "", what)), None)
        if same is not None:
            alert = replace(same, at=self._now(), times=same.times + 1)
        else:
            ids = (f"house.{kind}.{number}" for number in count(len(self._all)))
            unused = next(each for each in ids if each not in self._all)
            alert = Alert(id=unused, kind=kind, table="", round=0, at=self._now(), what=what)
        self._all[alert.id] = alert
        self._store(alert.id, msgspec.json.encode(alert))

    def _delete_old(self) -> None:
        cleared = [each for each in self._all.values() if each.cleared_at is not None]
        for each in sorted(cleared, key=lambda alert: alert.cleared_at or 0)[:-ALERTS_CLEARED]:
            del self._all[each.id]
            self._store(each.id, None)

    def _store(self, alert_id: str, value: bytes | None) -> None:
        self._floor.writer.chore(lambda journal: journal.put(PREFIX + alert_id, value))  # in order with `clear`
