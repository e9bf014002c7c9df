"""Dice health: every result of every table is tested, and the pit is alerted when dice are not fair (R23).

Enters: results as they are recorded. Leaves: evidence by table for the pit's screen, and an alert when it passes the
threshold. The test may be evaluated after every round without raising its rate of false alarms (`analysis.dice.watch`).
A new set of dice begins a new test. Virtual dice are told apart; the dice that a dealer reads are not, as in
`taisai dice`. The state of a test is stored beside the journal, so a restart continues it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from taisai.analysis.dice.throws import Throw, Throws
from taisai.analysis.dice.watch import DiceWatch
from taisai.core.faults import InputFault
from taisai.floor.live import LiveTable
from taisai.protocol.answers import DiceHealthCard
from taisai.table.events import Event

if TYPE_CHECKING:
    from taisai.floor.alerts import Alerts
    from taisai.floor.floor import Floor

PREFIX: Final = "dice/"
KEPT_EVERY: Final = 25
"""Rounds between two saves of a test: as many may be missing from it after a crash."""


class DiceHealth:
    """The running tests of all tables."""

    def __init__(self, floor: Floor, alerts: Alerts) -> None:
        self._floor, self._alerts = floor, alerts
        self._watches: dict[str, tuple[str, DiceWatch]] = {}
        self._throws: dict[str, Throws] = {}
        floor.listen(self._changed, bets=False)

    def load(self) -> None:
        """Continue the stored tests; the floor must be started."""
        for name, value in self._floor.writer.journal.entries(PREFIX).items():
            try:
                kept: dict[str, Any] = msgspec.json.decode(value)
                self._watches[name.removeprefix(PREFIX)] = (kept["set"], DiceWatch.from_state(kept["watch"]))
            except (msgspec.MsgspecError, InputFault, KeyError, TypeError):
                continue  # stored by another version: the test begins again

    def of(self, table: str) -> DiceHealthCard | None:
        """The evidence about a table's dice, once they have been thrown."""
        found = self._watches.get(table)
        if found is None or not found[1].rounds:
            return None
        evidence = found[1].evidence()
        return DiceHealthCard(found[0], evidence.rounds, evidence.chance, evidence.alarm, evidence.leader.name)

    def _changed(self, table: LiveTable, events: tuple[Event, ...]) -> None:
        throws = self._throws.setdefault(table.name, Throws())
        for event in events:
            throw = throws.see(event.what)
            if throw is not None and table.owned:
                self._see(table, throw)

    def _see(self, table: LiveTable, throw: Throw) -> None:
        # A restart reads no events again: what it does not know, the table's state does.
        dice_set = throw.dice_set or table.state.dice_in or ""
        known = self._watches.get(table.name)
        if known is None or known[0] != dice_set or known[1].ordered != throw.ordered:
            known = self._watches[table.name] = (dice_set, DiceWatch(ordered=throw.ordered))
        watch = known[1]
        if not throw.follows:
            watch.pause()
        evidence = watch.see(throw.roll)
        if evidence.alarm and evidence.alarm_round == evidence.rounds:
            sentence = f"dice set {dice_set}: not fair by {evidence.leader.name}, after {evidence.rounds} rounds"
            self._alerts.raise_alert("dice-health", table, sentence)
        if watch.rounds % KEPT_EVERY == 0 or evidence.alarm:
            value = msgspec.json.encode({"set": dice_set, "watch": watch.state()})
            self._floor.writer.chore(lambda journal: journal.put(PREFIX + table.name, value))
