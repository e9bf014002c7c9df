"""Table limits: minimum, maximum, differential, and the headroom of a box.

Enters: a table's limits and the stakes in the boxes. Leaves: how much more a box takes, and by which limit. A maximum
applies to a box over all players together (what some leave free, any other may take), or where the limit says so to
each player in it. Serves `rws-tai-sai-v6` §1.3, §3.3-3.5, §5.1; for the other books interpretation I16.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from taisai.core.boxes import BoxName, kind_of
from taisai.core.faults import InputFault, shown
from taisai.core.money import Chips, chips_of
from taisai.core.rulebook import Layout, Rule, RuleBook


class Opposites(StrEnum):
    """Two opposite boxes; a table may limit the difference between what they hold (the differential)."""

    BIG_SMALL = "big-small"
    ODD_EVEN = "odd-even"


OPPOSITE_BOXES: Final[Mapping[Opposites, tuple[BoxName, BoxName]]] = {
    Opposites.BIG_SMALL: (BoxName("big"), BoxName("small")),
    Opposites.ODD_EVEN: (BoxName("odd"), BoxName("even")),
}

OPPOSITE_OF: Final[Mapping[BoxName, tuple[Opposites, BoxName]]] = {
    box: (pair, other) for pair, (one, two) in OPPOSITE_BOXES.items() for box, other in ((one, two), (two, one))
}
"""For each box that has an opposite: the two together, and the box opposite."""


class Per(StrEnum):
    """Whom a maximum limits."""

    BOX = "box"
    """All players in the box together."""
    PLAYER = "player"
    """Each player in the box alone."""


class BoxLimits(NamedTuple):
    """The least that a player may have in a box, and the most that all players, or each of them, may have in it."""

    stake_min: Chips
    stake_max: Chips | None
    per: Per = Per.BOX


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a table, as its sign displays them. Make one with `make_limits`.

    `kinds` are by kind or by box: a group of boxes stands there box by box.
    """

    unit: Chips
    default: BoxLimits
    kinds: Mapping[str, BoxLimits]
    differential: Mapping[Opposites, Chips]

    def of(self, box: BoxName) -> BoxLimits:
        """The limits of a box: its own, those of its kind, or the default."""
        return self.kinds.get(box) or self.kinds.get(kind_of(box), self.default)


def boxes_named(name: str) -> tuple[str, ...]:
    """The boxes of a group, or the one name: `total:4/17` is total:4 and total:17, `big/small` is big and small."""
    kind, found = "", []
    for part in name.split("/"):
        kind = kind_of(part) if ":" in part else kind
        found.append(f"{kind}:{part}" if part[:1].isdigit() and kind else part)
    return tuple(found)


def make_limits(
    *,
    unit: object = 1,
    default: Mapping[str, object] | None = None,
    kinds: Mapping[str, Mapping[str, object]] | None = None,
    differential: Mapping[str, object] | None = None,
    layout: Layout | None = None,
) -> Limits:
    """Limits from plain values; each is a multiple of the unit, and a minimum is not above its maximum.

    `kinds` are limits by kind, `total`, by box, `total:4`, or by group of boxes, `total:4/17`; what a box does not say,
    its kind does. With a layout, limits of what it does not have are refused: they would have no effect.
    """
    unit_chips = chips_of(unit, "unit", at_least=1)
    no_limit = BoxLimits(Chips(0), None)
    by_default = _box_limits(default or {}, "default", unit_chips, no_limit)
    by_kind: dict[str, BoxLimits] = {}
    for name, raw in sorted((kinds or {}).items(), key=lambda each: ":" in each[0]):
        for each in boxes_named(name):
            if layout is not None and each not in layout.boxes and name not in layout.kinds:
                known = f"kinds are {', '.join(layout.kinds)}, or name a box, or several: total:4/17"
                raise InputFault("kinds", f"unknown kind {shown(each)}; {known}")
            if each in by_kind:
                raise InputFault(f"kinds.{name}", f"{each} has limits already")
            by_kind[each] = _box_limits(raw, f"kinds.{name}", unit_chips, by_kind.get(kind_of(each), by_default))
    by_opposites: dict[Opposites, Chips] = {}
    for name, amount in (differential or {}).items():
        if name not in set(Opposites):
            raise InputFault("differential", f"unknown pair {shown(name)}; pairs are {', '.join(Opposites)}")
        by_opposites[Opposites(name)] = _multiple(amount, f"differential.{name}", unit_chips)
    return Limits(unit_chips, by_default, by_kind, by_opposites)


def _box_limits(raw: Mapping[str, object], field_name: str, unit: Chips, fallback: BoxLimits) -> BoxLimits:
    strange = next((key for key in raw if key not in ("min", "max", "per")), None)
    if strange is not None:
        raise InputFault(field_name, f"unknown key {shown(strange)}; write min, max and per")
    stake_min, stake_max, per = fallback
    if "min" in raw:
        stake_min = _multiple(raw["min"], f"{field_name}.min", unit)
    if "max" in raw:
        stake_max = _multiple(raw["max"], f"{field_name}.max", unit)
    if "per" in raw:
        if raw["per"] not in list(Per):
            raise InputFault(f"{field_name}.per", f"{' or '.join(Per)}, got {shown(raw['per'])}")
        per = Per(str(raw["per"]))
    if stake_max is not None and stake_min > stake_max:
        raise InputFault(field_name, f"the minimum {stake_min} is above the maximum {stake_max}")
    return BoxLimits(stake_min, stake_max, per)


def _multiple(amount: object, field_name: str, unit: Chips) -> Chips:
    chips = chips_of(amount, field_name)
    if chips % unit:
        raise InputFault(field_name, f"{chips} is not a multiple of the unit {unit}")
    return chips


class Headroom(NamedTuple):
    """How much more a box takes; `chips` is None when nothing limits it. `limit` is the rule that binds."""

    chips: Chips | None
    limit: Rule
    clauses: tuple[str, ...]


def not_by_book(book: RuleBook, limits: Limits) -> tuple[str, str, Rule] | None:
    """The field of limits that a book does not admit, why not, and the rule behind it; None where all are admitted."""
    own = {"default": limits.default, **{f"kinds.{name}": each for name, each in limits.kinds.items()}}
    for field_name, each in own.items():
        if each.per is Per.PLAYER and book.has(Rule.HEADROOM_OPEN_TO_ALL):
            why = "under this book a maximum is of all players together"
            return f"{field_name}.per", why, Rule.HEADROOM_OPEN_TO_ALL
        if each.stake_min and not book.has(Rule.MINIMUM):
            return f"{field_name}.min", "this book has no minimum: write 0", Rule.MAXIMUM
    if limits.differential and not book.has(Rule.DIFFERENTIAL):
        return "differential", "this book has no differential", Rule.MAXIMUM
    return None


def headroom_of(
    book: RuleBook, limits: Limits, totals: Mapping[BoxName, Chips], box: BoxName, mine: int | None = None
) -> Headroom:
    """How much more a box takes now, from any player (`rws-tai-sai-v6` §3.5).

    A maximum of each player leaves room for who has `mine` in the box, and limits nobody in particular.
    """
    here = totals.get(box, 0)
    _, stake_max, per = limits.of(box)
    held = here if per is Per.BOX else mine
    by_maximum = None if stake_max is None or held is None else Chips(max(stake_max - held, 0))
    headroom = Headroom(by_maximum, Rule.MAXIMUM, book.clauses_for(Rule.MAXIMUM))
    found = OPPOSITE_OF.get(box)
    if found is None or found[0] not in limits.differential or not book.has(Rule.DIFFERENTIAL):
        return headroom
    opposites, other = found
    # Against all that is placed opposite, as at the close (I6).
    by_differential = Chips(max(totals.get(other, 0) + limits.differential[opposites] - here, 0))
    if headroom.chips is not None and headroom.chips <= by_differential:
        return headroom
    return Headroom(by_differential, Rule.DIFFERENTIAL, book.clauses_for(Rule.DIFFERENTIAL))
