"""Upcasting: events of older versions in today's format.

Enters: the kind, version and body of an event as it was written. Leaves: the same event in today's format, converted
one version at a time; what is on disk is never changed. A newer version than today's, or a missing step, is a
`JournalError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from taisai.journal.contract import JournalError

Body: TypeAlias = dict[str, Any]
Step: TypeAlias = Callable[[Body], Body]


class UnknownEvent(JournalError):
    """An event of a kind or version that this taisai cannot read."""


class Upcasts:
    """Today's kinds and versions, and the steps that lead to them."""

    def __init__(self, current: Mapping[str, int] | None = None) -> None:
        self._current: dict[str, int] = dict(current or {})
        self._steps: dict[tuple[str, int], tuple[str, int, Step]] = {}

    def declare(self, kind: str, version: int) -> None:
        """Declare which version of a kind is today's."""
        self._current[kind] = version

    def step(self, kind: str, version: int, *, becomes: str | None = None) -> Callable[[Step], Step]:
        """A decorator for the function that converts a body to the next version.

        With `becomes` the event also takes another kind; its version there is 1, unless the kind stays the same.
        """
        if (kind, version) in self._steps:
            raise ValueError(f"there is already a step from {kind!r} version {version}")
        target = (kind, version + 1) if becomes is None or becomes == kind else (becomes, 1)
        if self._leads_to(target, (kind, version)):
            raise ValueError(f"the step from {kind!r} version {version} would make a cycle")

        def register(function: Step) -> Step:
            self._steps[kind, version] = (*target, function)
            return function

        return register

    def _leads_to(self, start: tuple[str, int], goal: tuple[str, int]) -> bool:
        at: tuple[str, int] | None = start
        while at is not None and at != goal:
            step = self._steps.get(at)
            at = None if step is None else step[:2]
        return at is not None

    def upcast(self, kind: str, version: int, body: Body) -> tuple[str, int, Body]:
        """An event in today's format; the given body is not modified."""
        while (step := self._steps.get((kind, version))) is not None:
            kind, version, function = step
            body = function(dict(body))
        today = self._current.get(kind)
        if today is None:
            raise UnknownEvent(f"this taisai does not know the event {kind!r} (version {version})")
        if version > today:
            raise UnknownEvent(
                f"the event {kind!r} has version {version}, and this taisai knows up to {today}: a newer one wrote it"
            )
        if version < today:
            raise UnknownEvent(f"no step leads from {kind!r} version {version} to today's version {today}")
        return kind, version, body


UPCASTS = Upcasts()
"""The steps of taisai's own events."""


@UPCASTS.step("bets-closed", 1)
def _capacity_from_flags(body: Body) -> Body:
    """Version 1 named the capacity of a box that is settled pro rata in its flag alone."""
    capacity = {flag["box"]: flag["amount"] for flag in body["flags"] if flag["code"] == "pro-rata"}
    return {**body, "capacity": capacity}


@UPCASTS.step("lights-faulted", 1, becomes="fact-recorded")
def _fault_as_fact(body: Body) -> Body:
    """A fault of the lights had an event of its own; the suspension that followed is on record by itself."""
    return {"fact": "lights-fault", "round": 0, "then": ["dice-decide"], "clauses": [], "note": body["fault"]}


@UPCASTS.step("bet-corrected", 1)
def _capacity_from_stakes(body: Body) -> Body:
    """Version 1 did not say what a box was over; what is at risk in it is as near as the record comes."""
    at_risk: dict[str, int] = {}
    for bet in body["bets"]:
        at_risk[bet["box"]] = at_risk.get(bet["box"], 0) + bet["at_risk"]
    shared = {bet["box"] for bet in body["bets"] if bet["at_risk"] < bet["stake"]}
    return {**body, "capacity": {box: at_risk[box] for box in at_risk if box in shared}}
