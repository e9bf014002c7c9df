"""A second count of every round, written from the rule books alone and sharing no code with the first.

What enters: the name of a layout, three dice, the chips in the boxes and the table's limits, as plain values.
What leaves: which boxes win and at what odds, the dealer's call, what each player has at risk, wins and gets back.

Clauses served:
- nz-division-9 §1.0, §3.3(b), §4.1(a)-(l), §4.2, §4.10, §6.3, §7.1
- rws-open-cover-v3 §3.5, §4.1.1, §4.1.2, §5.1, App. A and B
- rws-tai-sai-v6 §1.3, §1.8, §1.9, §3.8-§3.10, §4.1.1-§4.1.3, §5.1.1, §5.1.2, §5.2.1, §5.12
- rws-mini-dice-v3 §1, §3.5, §4.1, §5.1

It is slow and plain on purpose: an auditor lays it beside the book and ticks it off line by line. So every pay table
is typed out in full, in the order its clause prints it, even where two books agree. Money is a whole number of minor
units; there is no float. A case given to `settle` must already be valid: nothing here refuses a bet.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

Dice = tuple[int, int, int]


class _Row(NamedTuple):
    """One line of a pay table: the kind, the boxes it covers as the book prints them, and the odds to 1."""

    kind: str
    printed: str  # empty when the kind is a box by itself, such as Small
    odds: tuple[int, ...]  # one figure; for a single three: on one, two and three dice


class _Box(NamedTuple):
    """One betting area: its kind, its faces (or its one total) and its odds to 1."""

    kind: str
    figures: tuple[int, ...]
    odds: tuple[int, ...]


# --- The pay tables ---------------------------------------------------------------------------------------------

# nz-division-9 §4.10, the wagers of §4.1(a)-(h), App. 1
_NZ_1: tuple[_Row, ...] = (
    _Row("small", "", (1,)),  # §4.1(a)
    _Row("big", "", (1,)),  # §4.1(b)
    _Row("triple", "1 2 3 4 5 6", (180,)),  # §4.1(c)
    _Row("double", "1 2 3 4 5 6", (11,)),  # §4.1(d)
    _Row("any-triple", "", (31,)),  # §4.1(e)
    _Row("total", "4 17", (62,)),  # §4.1(f), as all the totals
    _Row("total", "5 16", (31,)),
    _Row("total", "6 15", (18,)),
    _Row("total", "7 14", (12,)),
    _Row("total", "8 13", (8,)),
    _Row("total", "9 12", (7,)),
    _Row("total", "10 11", (6,)),
    _Row("pair", "12 13 14 15 16", (6,)),  # §4.1(g), as all the pairs
    _Row("pair", "23 24 25 26", (6,)),
    _Row("pair", "34 35 36", (6,)),
    _Row("pair", "45 46", (6,)),
    _Row("pair", "56", (6,)),
    _Row("single", "1 2 3 4 5 6", (1, 2, 12)),  # §4.1(h)
)

# nz-division-9 §4.10, the wagers of §4.1(a)-(l), App. 2
_NZ_2: tuple[_Row, ...] = (
    _Row("small", "", (1,)),  # §4.1(a)
    _Row("big", "", (1,)),  # §4.1(b)
    _Row("triple", "1 2 3 4 5 6", (180,)),  # §4.1(c)
    _Row("double", "1 2 3 4 5 6", (11,)),  # §4.1(d)
    _Row("any-triple", "", (31,)),  # §4.1(e)
    _Row("total", "4 17", (62,)),  # §4.1(f), as all the totals
    _Row("total", "5 16", (31,)),
    _Row("total", "6 15", (18,)),
    _Row("total", "7 14", (12,)),
    _Row("total", "8 13", (8,)),
    _Row("total", "9 12", (7,)),
    _Row("total", "10 11", (6,)),
    _Row("pair", "12 13 14 15 16", (6,)),  # §4.1(g), as all the pairs
    _Row("pair", "23 24 25 26", (6,)),
    _Row("pair", "34 35 36", (6,)),
    _Row("pair", "45 46", (6,)),
    _Row("pair", "56", (6,)),
    _Row("single", "1 2 3 4 5 6", (1, 2, 12)),  # §4.1(h)
    _Row("three", "112 113 114 115 116", (60,)),  # §4.1(i), as all the threes
    _Row("three", "221 223 224 225 226", (60,)),
    _Row("three", "331 332 334 335 336", (60,)),
    _Row("three", "441 442 443 445 446", (60,)),
    _Row("three", "551 552 553 554 556", (60,)),
    _Row("three", "661 662 663 664 665", (60,)),
    _Row("three", "123 124 125 126", (30,)),
    _Row("three", "134 135 136", (30,)),
    _Row("three", "145 146", (30,)),
    _Row("three", "156", (30,)),
    _Row("three", "234 235 236", (30,)),
    _Row("three", "245 246", (30,)),
    _Row("three", "256", (30,)),  # as §4.10 prints it; §4.1(i) is unclear here (interpretation I1)
    _Row("three", "345 346", (30,)),
    _Row("three", "356", (30,)),
    _Row("three", "456", (30,)),
    _Row("four", "6543", (7,)),  # §4.1(j), as all the fours
    _Row("four", "6532", (7,)),
    _Row("four", "5432", (7,)),
    _Row("four", "4321", (7,)),
    _Row("odd", "", (1,)),  # §4.1(k)
    _Row("even", "", (1,)),  # §4.1(l)
)

# rws-open-cover-v3 §4.1.1, table 1; the boxes are those of App. A
_OPEN_COVER_A: tuple[_Row, ...] = (
    _Row("small", "", (1,)),
    _Row("big", "", (1,)),
    _Row("single", "6 5 4 3 2 1", (1, 2, 12)),
    _Row("total", "4 17", (62,)),
    _Row("total", "5 16", (31,)),
    _Row("total", "6 15", (18,)),
    _Row("total", "7 14", (12,)),
    _Row("total", "8 13", (8,)),
    _Row("total", "9 12", (7,)),
    _Row("total", "10 11", (6,)),
    # App. A's scan prints 4 for the next line; the pay table says 6 and governs (interpretation I2).
    _Row("pair", "56 46 45 36 35 34 26 25 24 23 16 15 14 13 12", (6,)),
    _Row("double", "6 5 4 3 2 1", (11,)),
    _Row("any-triple", "", (31,)),
    _Row("triple", "4 5 6 1 2 3", (180,)),
)

# rws-open-cover-v3 §4.1.2, table 2; the boxes are those of App. B
_OPEN_COVER_B: tuple[_Row, ...] = (
    _Row("small", "", (1,)),
    _Row("big", "", (1,)),
    _Row("odd", "", (1,)),
    _Row("even", "", (1,)),
    _Row("single", "6 5 4 3 2 1", (1, 2, 12)),
    _Row("total", "4 17", (62,)),
    _Row("total", "5 16", (31,)),
    _Row("total", "6 15", (18,)),
    _Row("total", "7 14", (12,)),
    _Row("total", "8 13", (8,)),
    _Row("total", "9 12", (7,)),
    _Row("total", "10 11", (6,)),
    _Row("pair", "56 46 45 36 35 34 26 25 24 23 16 15 14 13 12", (6,)),
    _Row("double", "6 5 4 3 2 1", (11,)),
    _Row("any-triple", "", (31,)),
    _Row("triple", "6 5 4 3 2 1", (180,)),
    _Row("four", "6543 6532 5432 4321", (7,)),
    _Row("three", "126 135 234 256 346", (30,)),
    _Row("three", "123 136 145 235 356", (30,)),
    _Row("three", "124 146 236 245 456", (30,)),
    _Row("three", "125 134 156 246 345", (30,)),
    _Row("three", "113 114 115 116", (50,)),  # no 112 (interpretation I3)
    _Row("three", "221 223 224 225 226", (50,)),
    _Row("three", "331 332 334 335 336", (50,)),
    _Row("three", "441 442 443 445 446", (50,)),
    _Row("three", "551 552 553 554 556", (50,)),
    _Row("three", "661 662 663 664", (50,)),  # no 665 (interpretation I3)
)

# rws-tai-sai-v6 §4.1.1, pay table 1, App. A
_TAI_SAI_A: tuple[_Row, ...] = (
    _Row("small", "", (1,)),
    _Row("big", "", (1,)),
    _Row("single", "1 2 3 4 5 6", (1, 2, 12)),
    _Row("total", "4 17", (62,)),
    _Row("total", "5 16", (31,)),
    _Row("total", "6 15", (18,)),
    _Row("total", "7 14", (12,)),
    _Row("total", "8 13", (8,)),
    _Row("total", "9 12", (7,)),
    _Row("total", "10 11", (6,)),
    _Row("pair", "14 12 24 13 23 34 25 26 35 45 36 15 16 46 56", (6,)),
    _Row("double", "1 2 3 4 5 6", (11,)),
    _Row("any-triple", "", (31,)),
    _Row("triple", "1 2 3 4 5 6", (180,)),
)

# rws-tai-sai-v6 §4.1.2, pay table 2, App. C
_TAI_SAI_C: tuple[_Row, ...] = (
    _Row("small", "", (1,)),
    _Row("big", "", (1,)),
    _Row("odd", "", (1,)),
    _Row("even", "", (1,)),
    _Row("single", "1 2 3 4 5 6", (1, 2, 12)),
    _Row("total", "4 17", (62,)),
    _Row("total", "5 16", (31,)),
    _Row("total", "6 15", (18,)),
    _Row("total", "7 14", (12,)),
    _Row("total", "8 13", (8,)),
    _Row("total", "9 12", (7,)),
    _Row("total", "10 11", (6,)),
    _Row("pair", "14 12 24 13 23 34 25 26 35 45 36 15 16 46 56", (6,)),
    _Row("double", "1 2 3 4 5 6", (11,)),
    _Row("any-triple", "", (31,)),
    _Row("triple", "1 2 3 4 5 6", (180,)),
    _Row("four", "6543 6532 5432 4321", (7,)),
    _Row("three", "126 135 234 256 346", (30,)),
    _Row("three", "123 136 145 235 356", (30,)),
    _Row("three", "124 146 236 245 456", (30,)),
    _Row("three", "125 134 156 246 345", (30,)),
    _Row("three", "113 114 115 116", (50,)),  # no 112 (interpretation I3)
    _Row("three", "221 223 224 225 226", (50,)),
    _Row("three", "331 332 334 335 336", (50,)),
    _Row("three", "441 442 443 445 446", (50,)),
    _Row("three", "551 552 553 554 556", (50,)),
    _Row("three", "661 662 663 664", (50,)),  # no 665 (interpretation I3)
)

# rws-tai-sai-v6 §4.1.3, pay table 3, App. E: no doubles, no odd, no even
_TAI_SAI_E: tuple[_Row, ...] = (
    _Row("small", "", (1,)),
    _Row("big", "", (1,)),
    _Row("single", "1 2 3 4 5 6", (1, 2, 12)),
    _Row("total", "4 17", (62,)),
    _Row("total", "5 16", (31,)),
    _Row("total", "6 15", (18,)),
    _Row("total", "7 14", (12,)),
    _Row("total", "8 13", (8,)),
    _Row("total", "9 12", (7,)),
    _Row("total", "10 11", (6,)),
    _Row("pair", "14 12 24 13 23 34 25 26 35 45 36 15 16 46 56", (6,)),
    _Row("any-triple", "", (31,)),
    _Row("triple", "1 2 3 4 5 6", (180,)),
    _Row("four", "6543 6542 6532 6432 5432", (7,)),
    _Row("four", "6541 6531 6431 5431", (7,)),
    _Row("four", "6521 6421 5421 6321 5321 4321", (7,)),
    _Row("three", "126 135 234 256 346", (30,)),
    _Row("three", "123 136 145 235 356", (30,)),
    _Row("three", "124 146 236 245 456", (30,)),
    _Row("three", "125 134 156 246 345", (30,)),
    _Row("three", "113 114 115 116", (50,)),  # no 112 (interpretation I3)
    _Row("three", "221 223 224 225 226", (50,)),
    _Row("three", "331 332 334 335 336", (50,)),
    _Row("three", "441 442 443 445 446", (50,)),
    _Row("three", "551 552 553 554 556", (50,)),
    _Row("three", "661 662 663 664", (50,)),  # no 665 (interpretation I3)
)

# rws-mini-dice-v3 §4.1, App. A
_MINI_DICE_A: tuple[_Row, ...] = (
    _Row("single", "1 2 3 4 5 6", (1, 2, 12)),
    _Row("field", "", (1,)),
)

_PAY_TABLES: dict[str, tuple[_Row, ...]] = {
    "nz-division-9/1": _NZ_1,
    "nz-division-9/2": _NZ_2,
    "rws-open-cover-v3/A": _OPEN_COVER_A,
    "rws-open-cover-v3/B": _OPEN_COVER_B,
    "rws-tai-sai-v6/A": _TAI_SAI_A,
    "rws-tai-sai-v6/C": _TAI_SAI_C,
    "rws-tai-sai-v6/E": _TAI_SAI_E,
    "rws-mini-dice-v3/A": _MINI_DICE_A,
}

LAYOUTS: tuple[str, ...] = tuple(_PAY_TABLES)


def _read(rows: tuple[_Row, ...]) -> dict[str, _Box]:
    """Spell out a pay table box by box, each under its name."""
    table: dict[str, _Box] = {}
    for row in rows:
        for printed in row.printed.split() or [""]:
            if row.kind == "total":
                figures: tuple[int, ...] = (int(printed),)
            elif row.kind == "four":
                # the books print the four falling; a name has its faces rising
                figures = tuple(sorted(int(digit) for digit in printed))
            else:
                # a pair and three singles are printed rising, a double with its single behind it: both as the name
                figures = tuple(int(digit) for digit in printed)
            name = row.kind if printed == "" else row.kind + ":" + "".join(str(figure) for figure in figures)
            if name in table:
                raise ValueError(f"box {name} is typed twice in one pay table")
            table[name] = _Box(row.kind, figures, row.odds)
    return table


_TABLES: dict[str, dict[str, _Box]] = {layout: _read(rows) for layout, rows in _PAY_TABLES.items()}


def _table(layout: str) -> dict[str, _Box]:
    """The boxes of a layout, by name."""
    if layout not in _TABLES:
        raise LookupError(f"unknown layout {layout!r}; known are {', '.join(LAYOUTS)}")
    return _TABLES[layout]


def _book(layout: str) -> str:
    """The book a layout belongs to."""
    return layout.partition("/")[0]


def boxes(layout: str) -> tuple[str, ...]:
    """The name of every box of the layout, in the order of its pay table."""
    return tuple(_table(layout))


# --- Which boxes win --------------------------------------------------------------------------------------------


def _checked(dice: Sequence[int]) -> Dice:
    """Three faces of 1 to 6; anything else is no roll."""
    if len(dice) != 3 or any(face not in (1, 2, 3, 4, 5, 6) for face in dice):
        raise ValueError(f"not three dice of 1 to 6: {dice!r}")
    first, second, third = dice
    return (first, second, third)


def _wins(box: _Box, dice: Dice) -> bool:
    """Whether the box wins on these dice: one line for each kind, all of them worked out, the box's own read off."""
    # nz-division-9 §4.2, rws-open-cover-v3 §3.5, rws-tai-sai-v6 §3.8, rws-mini-dice-v3 §3.5:
    # the three uppermost faces decide, in whatever order the dice lie.
    faces = sorted(dice)
    # nz-division-9 §1.0, rws-tai-sai-v6 §1.8: the total is the sum of the three.
    total = sum(faces)
    triple = faces[0] == faces[1] == faces[2]
    # On how many dice each figure of the box shows, figure by figure.
    shown = [faces.count(figure) for figure in box.figures]

    rules: dict[str, bool] = {
        # nz-division-9 §4.1(a): totals 4 to 10, but not by triple 2 or 3 (triple 1 makes 3, no such total).
        # rws-open-cover-v3 §4.1.1, §4.1.2; rws-tai-sai-v6 §4.1.1-§4.1.3: totals 4 to 10 except a triple.
        "small": total in (4, 5, 6, 7, 8, 9, 10) and not triple,
        # nz-division-9 §4.1(b): totals 11 to 17, but not by triple 4 or 5 (triple 6 makes 18, no such total).
        # rws-open-cover-v3 §4.1.1, §4.1.2; rws-tai-sai-v6 §4.1.1-§4.1.3: totals 11 to 17 except a triple.
        "big": total in (11, 12, 13, 14, 15, 16, 17) and not triple,
        # nz-division-9 §4.1(k): these totals, but not by triple 3 or 5 (triple 1 makes 3, no such total).
        # rws-open-cover-v3 §4.1.2, rws-tai-sai-v6 §4.1.2: an odd total except a triple.
        "odd": total in (5, 7, 9, 11, 13, 15, 17) and not triple,
        # nz-division-9 §4.1(l): these totals, but not by triple 2 or 4 (triple 6 makes 18, no such total).
        # rws-open-cover-v3 §4.1.2, rws-tai-sai-v6 §4.1.2: an even total except a triple.
        "even": total in (4, 6, 8, 10, 12, 14, 16) and not triple,
        # nz-division-9 §4.1(c); rws-open-cover-v3 §4.1.1, §4.1.2; rws-tai-sai-v6 §3.10.1, §4.1.1-§4.1.3:
        # that face on all three dice.
        "triple": shown == [3],
        # nz-division-9 §4.1(e); rws-open-cover-v3 §4.1.1, §4.1.2; rws-tai-sai-v6 §3.10.2, §4.1.1-§4.1.3.
        "any-triple": triple,
        # nz-division-9 §4.1(d)(i), (ii): on its double, and once only on its triple.
        # rws-tai-sai-v6 §3.10.3, §4.1.1, §4.1.2: likewise. rws-open-cover-v3 §4.1.1, §4.1.2 gives the odds only.
        "double": shown in ([2], [3]),
        # nz-division-9 §4.1(f); rws-open-cover-v3 §4.1.1, §4.1.2; rws-tai-sai-v6 §3.10.5, §4.1.1-§4.1.3:
        # that total, by whatever faces, triples included.
        "total": box.figures == (total,),
        # nz-division-9 §4.1(g); rws-open-cover-v3 §4.1.1, §4.1.2; rws-tai-sai-v6 §4.1.1-§4.1.3: both faces show.
        "pair": shown in ([1, 1], [1, 2], [2, 1]),
        # nz-division-9 §4.1(h); rws-open-cover-v3 §4.1.1, §4.1.2; rws-tai-sai-v6 §3.10.4, §4.1.1-§4.1.3;
        # rws-mini-dice-v3 §4.1: that face on any die; the odds depend on how many.
        "single": shown in ([1], [2], [3]),
        # nz-division-9 §4.1(i); rws-open-cover-v3 §4.1.2; rws-tai-sai-v6 §4.1.2, §4.1.3: exactly those three faces.
        "three": faces == sorted(box.figures),
        # nz-division-9 §4.1(j); rws-open-cover-v3 §4.1.2; rws-tai-sai-v6 §4.1.2, §4.1.3:
        # the dice show three of the four numbers, so three different faces, the fourth number on none.
        "four": sorted(shown) == [0, 1, 1, 1],
        # rws-mini-dice-v3 §1, §4.1: these totals; only the total counts, so triples 2 and 5 win (interpretation I9).
        "field": total in (5, 6, 7, 8, 13, 14, 15, 16),
    }
    return rules[box.kind]


def _may_win_on_a_triple(box: _Box) -> bool:
    """Whether rws-tai-sai-v6 §3.10.1-§3.10.5 lets the box win at all when the three dice agree."""
    if box.kind == "total":
        return box.figures[0] in (6, 9, 12, 15)  # §3.10.5
    return box.kind in ("triple", "any-triple", "double", "single")  # §3.10.1-§3.10.4


def pays(layout: str, box: str, dice: Dice) -> int | None:
    """The odds to 1 at which the box wins on these dice, or None when it loses."""
    table = _table(layout)
    if box not in table:
        raise LookupError(f"layout {layout} has no box {box!r}")
    place = table[box]
    first, second, third = _checked(dice)

    if not _wins(place, dice):
        return None
    if _book(layout) == "rws-tai-sai-v6" and first == second == third and not _may_win_on_a_triple(place):
        return None
    if place.kind == "single":
        # nz-division-9 §4.10; rws-open-cover-v3 §4.1.1, §4.1.2; rws-tai-sai-v6 §4.1.1-§4.1.3; rws-mini-dice-v3 §4.1:
        # a single has three odds, for its face on one, on two and on three dice.
        on_one, on_two, on_three = place.odds
        return {1: on_one, 2: on_two, 3: on_three}[dice.count(place.figures[0])]
    return place.odds[0]


def call(dice: Dice) -> str:
    """The dealer's call of the faces, low to high, and the total (nz-division-9 §6.3)."""
    low, middle, high = sorted(_checked(dice))
    if low == middle == high:
        faces = f"triple {low}"
    elif low == middle:
        faces = f"double {low}, {high}"
    elif middle == high:
        faces = f"{low}, double {high}"
    else:
        faces = f"{low}, {middle}, {high}"
    return f"{faces}, total {low + middle + high}"


# --- What is at risk --------------------------------------------------------------------------------------------


def _round_to_units(shares: Mapping[int, Fraction], stakes: Sequence[int], room: int, unit: int) -> dict[int, int]:
    """Step 4 of prorata.md: exact shares, by player, made whole units that together fit the room."""
    # Each share down to the unit ...
    rounded = {player: share // unit * unit for player, share in shares.items()}
    left_over = room - sum(rounded.values())
    # ... and the units left over one each, largest remainder first, nobody above their stake. Equal remainders are
    # treated alike: when the units left do not reach all who have one, nobody of them gets one and it ends there.
    takers = [player for player in shares if rounded[player] + unit <= stakes[player]]
    for remainder in sorted({shares[player] - rounded[player] for player in takers}, reverse=True):
        alike = [player for player in takers if shares[player] - rounded[player] == remainder]
        if left_over < unit * len(alike):
            break
        left_over -= unit * len(alike)
        takers = [player for player in takers if player not in alike]
        rounded |= {player: rounded[player] + unit for player in alike}
    return rounded


def share_out(stakes: Sequence[int], capacity: int, minimum: int, unit: int) -> list[int]:
    """What each player of one box has at risk when the box may hold no more than `capacity`.

    Serves rws-tai-sai-v6 §5.1.1 and §5.1.2, with the rounding of interpretation I6; the steps are those of prorata.md.
    `stakes` has one entry per player, in order of first bet. `minimum` is a multiple of `unit`.
    """
    if capacity < 0 or minimum < 0 or unit < 1 or any(stake < 0 for stake in stakes):
        raise ValueError("stakes, capacity and minimum are not below 0, the unit not below 1")

    # Step 1: the box holds no more than it may (§5.1.1 does not apply).
    if sum(stakes) <= capacity:
        return list(stakes)

    at_risk = [0 for _ in stakes]
    room = capacity
    sharing: list[int] = []  # the players, by place in `stakes`, who share the room that is left

    # Step 2 (§5.1.2, and interpretation I7 for the differential): a bet under the minimum is not pro-rated.
    for player, stake in enumerate(stakes):
        if stake < minimum:
            at_risk[player] = stake
            room -= stake
        else:
            sharing.append(player)

    # Step 3 (§5.1.1): the others share in proportion; whoever would fall below the minimum stands at the minimum,
    # and the rest share again. Step 5 is the case in which in the end nobody is left to share.
    shares: dict[int, Fraction] = {}
    while sharing:
        pool = sum(stakes[player] for player in sharing)
        shares = {player: Fraction(stakes[player] * room, pool) for player in sharing}
        below = [player for player in sharing if shares[player] < minimum]
        if not below:
            break
        for player in below:
            at_risk[player] = minimum
            room -= minimum
        sharing = [player for player in sharing if player not in below]

    # Step 4 (interpretation I6): what is shared is rounded to whole units.
    rounded = _round_to_units({player: shares[player] for player in sharing}, stakes, room, unit)
    return [rounded.get(player, at_risk[player]) for player in range(len(stakes))]


def _in_group(name: str, box: str) -> bool:
    """Whether a group such as `total:4/17` or `big/small` has a box in it."""
    before, slash, part = name.rpartition("/")
    kind = before.rpartition(":")[0].rpartition("/")[2]
    return bool(slash) and (box in (part, before, f"{kind}:{part}") or _in_group(before, box))


def _limit(limits: Mapping[str, Any], box: str, end: str) -> Any:
    """The "min", "max" or "per" of a box: its own, its group's, its kind's, the default's, or else None."""
    kinds: Mapping[str, Any] = limits.get("kinds") or {}
    figure: Any = None
    group = next((limit for name, limit in kinds.items() if _in_group(name, box)), None)
    for stated in (kinds.get(box), group, kinds.get(box.partition(":")[0]), limits.get("default")):
        if figure is None and stated:
            figure = stated.get(end)
    return figure


def _share_box(stakes: Sequence[int], capacity: int | None, limits: Mapping[str, Any], box: str) -> list[int]:
    """`share_out` with the limits of the box; without a capacity all of it is at risk."""
    if capacity is None:
        return list(stakes)
    unit: int | None = limits.get("unit")
    return share_out(stakes, capacity, _limit(limits, box, "min") or 0, 1 if unit is None else unit)


def _risk(
    stakes: Mapping[str, Sequence[int]], limits: Mapping[str, Any]
) -> tuple[dict[str, list[int]], dict[str, int]]:
    """What is at risk in each box (rws-tai-sai-v6 §5.1.1, §5.1.2), and by how much a box stays over its capacity."""
    # Every box may hold its own maximum; where it is a maximum for each player, each may have that much and no more.
    of_each = {box for box in stakes if _limit(limits, box, "per") == "player"}
    capacity: dict[str, int | None] = {box: None if box in of_each else _limit(limits, box, "max") for box in stakes}
    each = {box: most for box in of_each if (most := _limit(limits, box, "max")) is not None}
    standing = {box: [min(stake, each.get(box, stake)) for stake in laid] for box, laid in stakes.items()}

    # The differential (§1.3) is between what is placed on Big and on Small, or on Odd and on Even. Where it is broken,
    # the side that is heavier as placed may hold no more than what is placed opposite and the differential; the other
    # side is not touched by it (interpretation I6).
    differential: Mapping[str, Any] = limits.get("differential") or {}
    for pair, one, other in (("big-small", "big", "small"), ("odd-even", "odd", "even")):
        allowed: int | None = differential.get(pair)
        placed = {one: sum(stakes.get(one, [])), other: sum(stakes.get(other, []))}
        if allowed is None or abs(placed[one] - placed[other]) <= allowed:
            continue
        heavier = max(placed, key=lambda side: placed[side])
        reach = min(placed.values()) + allowed
        maximum = capacity[heavier]
        capacity[heavier] = reach if maximum is None else min(maximum, reach)

    risk = {box: _share_box(standing[box], capacity[box], limits, box) for box in stakes}
    held = {box: most for box, most in capacity.items() if most is not None}
    return risk, {box: sum(risk[box]) - most for box, most in held.items() if sum(risk[box]) > most}


_Stakes = Mapping[tuple[str, str], int]

# --- The round --------------------------------------------------------------------------------------------------


def _at_risk(
    layout: str, stakes: _Stakes, limits: Mapping[str, Any] | None, shares: bool | None = None
) -> tuple[dict[tuple[str, str], int], dict[str, int]]:
    """What is at risk of each bet, and by how much a box stays over its capacity.

    Of the books here only rws-tai-sai-v6 shares out (§5.1.1, §5.1.2); of another book `shares` says whether it does.
    A bet under the minimum stands (§5.2.1).
    """
    at_risk_of: dict[tuple[str, str], int] = dict(stakes)
    if not (_book(layout) == "rws-tai-sai-v6" if shares is None else shares) or limits is None:
        return at_risk_of, {}
    players_in: dict[str, list[str]] = {}
    for player, box in stakes:
        players_in.setdefault(box, []).append(player)
    box_stakes = {box: [stakes[player, box] for player in players] for box, players in players_in.items()}
    risk, over = _risk(box_stakes, limits)
    for box, players in players_in.items():
        for player, amount in zip(players, risk[box], strict=True):
            at_risk_of[player, box] = amount
    return at_risk_of, over


def at_risk(
    layout: str, stakes: _Stakes, limits: Mapping[str, Any] | None, *, shares: bool | None = None
) -> dict[tuple[str, str], int]:
    """What is at risk of each bet: `stakes` by player and box, in order of first placing."""
    return _at_risk(layout, stakes, limits, shares)[0]


def settle(case: Mapping[str, Any]) -> dict[str, Any]:
    """Settle one round: what wins, what each bet has at risk, wins and returns, and the sums over all bets.

    A round without dice is void: every stake goes back (nz-division-9 §7.1, rws-open-cover-v3 §5.1,
    rws-tai-sai-v6 §1.9 and §5.12, rws-mini-dice-v3 §5.1).
    """
    layout: str = case["layout"]
    table = _table(layout)
    dice: Dice | None = None if case["dice"] is None else _checked(case["dice"])

    # Chips of one player in one box are one bet (interpretation I13), in order of first placing.
    stakes: dict[tuple[str, str], int] = {}
    for bet in case["bets"]:
        if bet["box"] not in table:
            raise LookupError(f"layout {layout} has no box {bet['box']!r}")
        key = (bet["player"], bet["box"])
        stakes[key] = stakes.get(key, 0) + bet["stake"]

    risked_of, over = (dict.fromkeys(stakes, 0), {}) if dice is None else _at_risk(layout, stakes, case.get("limits"))

    # rws-tai-sai-v6 §3.9: losers collected, winners paid by the pay table; nz-division-9 §4.10 and the others likewise.
    settled: list[dict[str, Any]] = []
    totals = {"staked": 0, "at_risk": 0, "winnings": 0, "returned": 0}
    for (player, box), stake in stakes.items():
        risked = risked_of[player, box]
        odds = None if dice is None else pays(layout, box, dice)
        winnings = 0 if odds is None else risked * odds
        returned = stake - risked
        if odds is not None:
            returned += risked + winnings
        line = {"player": player, "box": box, "stake": stake, "at_risk": risked}
        settled.append(line | {"pays": odds, "winnings": winnings, "returned": returned})
        totals["staked"] += stake
        totals["at_risk"] += risked
        totals["winnings"] += winnings
        totals["returned"] += returned

    # nz-division-9 §3.3(b): every winning box lights, whether or not there is a bet in it.
    lit = [] if dice is None else sorted(box for box in table if pays(layout, box, dice) is not None)
    return {
        "total": None if dice is None else sum(dice),
        "call": None if dice is None else call(dice),
        "lit": lit,
        "bets": settled,
        "over": over,
        "totals": totals,
    }
