"""The difference between two public views, as a JSON merge patch (RFC 7396).

Enters: two durable states of a table. Leaves: a patch, in which null takes a key away, objects are merged and all else
is replaced. States share whatever did not change, so the difference is found on the states, by identity first; views
are not built for it. This runs once for every change of every table that somebody watches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

import msgspec

from taisai.core.boxes import BoxName
from taisai.core.limits import OPPOSITE_OF
from taisai.core.rulebook import Layout
from taisai.table.commands import Purpose
from taisai.table.rules import TableRules
from taisai.table.state import Round, TableState
from taisai.view.public import RoundView, bet_rows, brought, has_virtual_dice, headroom_view, raised_view, results_view

MergePatch = dict[str, Any]
"""Part of a view, null where something goes away."""

_MADE_ANEW: Final = frozenset({"bets", "contributions", "raised"})
_ROUND_FIELDS: Final = tuple(name for name in RoundView.__struct_fields__ if name not in _MADE_ANEW)
"""Fields that the view of a round takes from the round as they are."""


def public_patch(
    rules: TableRules | None, before: TableState, after: TableState, rules_before: TableRules | None
) -> MergePatch:
    """What changed for everybody. Applied to the public view of `before`, it gives the public view of `after`."""
    patch: MergePatch = {}
    if before.phase is not after.phase:
        patch["phase"] = after.phase
    if before.suspended != after.suspended:
        patch["suspended"] = after.suspended
    if before.procedure != after.procedure:
        patch["procedure"] = after.procedure
    if before.held != after.held:
        patch["held"] = tuple(each.fact for each in after.held)
    if before.purpose is not after.purpose:
        patch["purpose"] = after.purpose or Purpose.GAMING
    if has_virtual_dice(before) is not has_virtual_dice(after):
        patch["virtual_dice"] = has_virtual_dice(after)
    old, new = before.round, after.round
    if old is not new:
        if changed := _round_patch(old, new):
            patch["round"] = changed
        if old.stakes is not new.stakes and (changed := difference(old.stakes, new.stakes)):
            patch["stakes"] = changed
        if old.totals is not new.totals and (changed := difference(old.totals, new.totals)):
            patch["totals"] = changed
        if old.lines is not new.lines:
            patch["lines"] = new.lines
    if before.players is not after.players and (changed := difference(_object(before.players), _object(after.players))):
        patch["seats"] = changed
    if before.history is not after.history:
        patch["results"] = results_view(after.history)
    if rules is None or after.set_up is None:
        return patch
    layout = rules.book.layouts[after.set_up.layout]
    if before.set_up is after.set_up:
        if boxes := _with_opposites(layout, patch.get("totals", ())):
            patch["room"] = headroom_view(rules, after, boxes)
    else:
        if changed := difference(_object(before.set_up), _object(after.set_up)):
            patch["set_up"] = changed
        # Boxes that the layout does not have go away: another layout may have stood there before.
        stood = rules_before.book.layouts[before.set_up.layout].boxes if rules_before and before.set_up else ()
        patch["room"] = dict.fromkeys(stood) | headroom_view(rules, after, layout.boxes)
    return patch


def _round_patch(old: Round, new: Round) -> MergePatch:
    patch: MergePatch = {}
    for name in _ROUND_FIELDS:
        was, now = getattr(old, name), getattr(new, name)
        if was is not now and was != now:
            patch[name] = now
    if old.bets is not new.bets and old.bets != new.bets:
        patch["bets"] = bet_rows(new.bets)
    if old.opening != new.opening and (told := brought(new)) != brought(old):
        patch["contributions"] = told
    if old.raised != new.raised:
        patch["raised"] = raised_view(new)
    return patch


def _with_opposites(layout: Layout, changed: Iterable[str]) -> tuple[BoxName, ...]:
    """Boxes whose headroom changes with these totals: a differential ties a box to its opposite."""
    boxes = {BoxName(box) for box in changed}
    boxes |= {OPPOSITE_OF[box][1] for box in boxes if box in OPPOSITE_OF}
    return tuple(box for box in boxes if box in layout.boxes)


def _object(value: object) -> dict[str, Any]:
    """A value as the JSON object that it is on the wire; empty for none."""
    return {} if value is None else cast(dict[str, Any], msgspec.to_builtins(value))


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> MergePatch:
    """The merge patch from one object to another."""
    patch: MergePatch = {}
    for name, value in after.items():
        old = before.get(name)
        if old is value:
            continue
        if isinstance(value, Mapping):
            inner = difference(old, value) if isinstance(old, Mapping) else value
            if inner or not isinstance(old, Mapping):
                patch[name] = inner
        elif old != value:
            patch[name] = value
    for name in before:
        if name not in after:
            patch[name] = None
    return patch


def merged(view: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """A view with a merge patch applied, as every client does it; both stay as they are."""
    found = dict(view)
    for name, value in patch.items():
        if value is None:
            found.pop(name, None)
        elif isinstance(value, Mapping):
            inner = found.get(name)
            found[name] = merged(inner if isinstance(inner, Mapping) else {}, value)
        else:
            found[name] = value
    return found
