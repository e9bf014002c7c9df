"""Which rolls prove the lights of a layout: a smallest set that lights every area, or every kind of bet.

Enters: a layout, and rolls that have been proven already. Leaves: the rolls that are still to be made, as few as can
be. Serves `nz-division-9` §5.0(b), interpretation I28.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from taisai.core.dice import ALL_COMBINATIONS, Roll
from taisai.core.rulebook import Layout

_STEPS_MAX = 20_000
"""Steps of the search; a layout that needs more gets the best set found so far."""


def smallest_cover(layout: Layout, proven: Sequence[Roll] = (), *, by_kind: bool = False) -> tuple[Roll, ...]:
    """The fewest rolls that, with those proven, light every box of a layout, or a box of every kind."""
    areas = _areas(layout, by_kind=by_kind)
    lit = 0
    for roll in proven:
        lit |= areas[roll.low_to_high]
    return _cover(tuple(areas.items()), lit)


def _areas(layout: Layout, *, by_kind: bool) -> dict[tuple[int, ...], int]:
    """What each combination lights, a bit for each box or kind."""
    names = [str(box.kind) if by_kind else str(name) for name, box in layout.boxes.items()]
    bits = {name: 1 << place for place, name in enumerate(dict.fromkeys(names))}
    bit_of = {name: bits[known] for name, known in zip(layout.boxes, names, strict=True)}
    found = {}
    for roll in ALL_COMBINATIONS:
        lit = 0
        for box in layout.lit(roll):
            lit |= bit_of[box]
        found[tuple(roll.low_to_high)] = lit
    return found


@lru_cache(maxsize=256)
def _cover(areas: tuple[tuple[tuple[int, ...], int], ...], lit: int) -> tuple[Roll, ...]:
    """Branch and bound: the area that fewest rolls light decides which rolls are tried next."""
    rolls: dict[tuple[int, ...], Roll] = {roll.low_to_high: roll for roll in ALL_COMBINATIONS}
    whole = 0
    for _, lights in areas:
        whole |= lights
    wanted = [1 << place for place in range(whole.bit_length()) if whole >> place & 1]
    lighting = {bit: [index for index, (_, lights) in enumerate(areas) if lights & bit] for bit in wanted}
    best: list[int] = _greedy(areas, whole & ~lit)
    steps = 0

    def search(chosen: list[int], left: int) -> None:
        nonlocal best, steps
        steps += 1
        if not left:
            best = list(chosen) if len(chosen) < len(best) else best
            return
        most = max((lights & left).bit_count() for _, lights in areas)
        if len(chosen) + -(-left.bit_count() // most) >= len(best) or steps > _STEPS_MAX:
            return
        rarest = min((bit for bit in wanted if left & bit), key=lambda bit: len(lighting[bit]))
        for index in sorted(lighting[rarest], key=lambda each: -(areas[each][1] & left).bit_count()):
            search([*chosen, index], left & ~areas[index][1])

    search([], whole & ~lit)
    return tuple(rolls[areas[index][0]] for index in sorted(best))


def _greedy(areas: tuple[tuple[tuple[int, ...], int], ...], left: int) -> list[int]:
    """A cover, each time by the roll that lights most of what is left."""
    chosen = []
    while left:
        index = max(range(len(areas)), key=lambda each: (areas[each][1] & left).bit_count())
        chosen.append(index)
        left &= ~areas[index][1]
    return chosen
