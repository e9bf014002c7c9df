"""Bulk settlement agrees with the core, cell by cell and chip by chip, and refuses what it cannot settle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from taisai.analysis import kernels
from taisai.analysis.bulk import settle as bulk
from taisai.analysis.bulk.settle import VOID, BulkTable, bulk_table, roll_codes, settle_bulk
from taisai.analysis.kernels import Kernel
from taisai.books import open_shelf
from taisai.core.bets import Bet, PlayerId
from taisai.core.dice import ALL_ROLLS
from taisai.core.faults import InputFault
from taisai.core.money import Chips
from taisai.core.rulebook import Layout
from taisai.core.settlement import settle, settle_void

LAYOUTS = [layout for book in open_shelf(environment={}).books() for layout in book.layouts.values()]
LAYOUT = next(layout for layout in LAYOUTS if layout.name == "rws-tai-sai-v6/C")
TABLE = bulk_table(LAYOUT)
MOST = 2**63 - 1
KERNELS: list[Kernel] = ["numpy", "numba"]


def column(*values: int, kind: Any = np.int64) -> NDArray[Any]:
    """A column of these values."""
    return np.array(values, dtype=kind)


@pytest.fixture(params=KERNELS)
def kernel(request: pytest.FixtureRequest) -> Kernel:
    """Each kernel in turn; the compiled one where numba is installed."""
    if request.param == "numba":
        pytest.importorskip("numba")
    chosen: Kernel = request.param
    return chosen


def every_cell(table: BulkTable, layout: Layout) -> tuple[NDArray[Any], NDArray[Any]]:
    """Box and roll codes of every cell of a layout, roll by roll."""
    codes = table.box_codes(layout.boxes, layout.name)
    rolls = np.arange(len(ALL_ROLLS), dtype=np.uint8)
    return np.tile(codes, len(rolls)), rolls.repeat(len(codes))


def settled_by_core(layout: Layout, stake: int, risk: int) -> list[tuple[int, int]]:
    """Winnings and returned of every cell of a layout, by the core."""
    bets = [Bet(PlayerId("p"), box, Chips(stake)) for box in layout.boxes]
    at_risk = [Chips(risk)] * len(bets)
    return [(won, back) for roll in ALL_ROLLS for _, won, back in settle(layout, roll, bets, at_risk).outcomes]


def test_there_are_eight_layouts() -> None:
    """The shelf has eight layouts, so that "every layout" below means what it says."""
    assert len(LAYOUTS) == 8


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_every_cell_agrees_with_the_core(layout: Layout, kernel: Kernel) -> None:
    """Every box on every roll wins and returns what the core says, wholly and partly at risk."""
    table = bulk_table(layout)
    box, roll = every_cell(table, layout)
    stake = np.full(len(box), 700)
    wholly = settle_bulk(table, box, stake, roll, kernel=kernel)
    assert list(zip(*(each.tolist() for each in wholly), strict=True)) == settled_by_core(layout, 700, 700)
    partly = settle_bulk(table, box, stake, roll, at_risk=np.full(len(box), 300), kernel=kernel)
    assert list(zip(*(each.tolist() for each in partly), strict=True)) == settled_by_core(layout, 700, 300)


def test_layouts_side_by_side_agree_with_each_alone(kernel: Kernel) -> None:
    """A table of all layouts gives each layout's boxes what the core gives them."""
    table = bulk_table(*LAYOUTS)
    assert table.width == sum(len(layout.boxes) for layout in LAYOUTS)
    assert table.code_type == np.uint16
    for layout in LAYOUTS:
        box, roll = every_cell(table, layout)
        results = settle_bulk(table, box, np.full(len(box), 5), roll, kernel=kernel)
        assert list(zip(*(each.tolist() for each in results), strict=True)) == settled_by_core(layout, 5, 5)


bets_and_rolls = st.lists(
    st.tuples(
        st.integers(0, TABLE.width - 1),
        st.integers(0, 10**15).flatmap(lambda stake: st.tuples(st.just(stake), st.integers(0, stake))),
        st.integers(0, VOID),
    ),
    max_size=30,
)


@given(rows=bets_and_rolls, chunk=st.integers(1, 40), kernel=st.sampled_from(KERNELS))
@settings(max_examples=80, deadline=None)
def test_random_columns_agree_with_the_core(
    rows: list[tuple[int, tuple[int, int], int]], chunk: int, kernel: Kernel
) -> None:
    """Whatever the columns and however they are cut, each bet comes out as the core settles it, void or not."""
    if kernel == "numba":
        pytest.importorskip("numba")
    boxes = list(LAYOUT.boxes)
    expected = []
    for code, (stake, risk), roll in rows:
        bet = [Bet(PlayerId("p"), boxes[code], Chips(stake))]
        outcome = settle_void(LAYOUT, bet) if roll == VOID else settle(LAYOUT, ALL_ROLLS[roll], bet, [Chips(risk)])
        expected.append(outcome.outcomes[0][1:])
    winnings, returned = settle_bulk(
        TABLE,
        column(*(row[0] for row in rows), kind=np.uint8),
        column(*(row[1][0] for row in rows)),
        column(*(row[2] for row in rows), kind=np.uint8),
        at_risk=column(*(row[1][1] for row in rows)),
        chunk=chunk,
        kernel=kernel,
    )
    assert list(zip(winnings.tolist(), returned.tolist(), strict=True)) == expected


@pytest.mark.parametrize("count", [0, 1, 99, 100, 101, 200, 250])
def test_chunk_boundaries_change_nothing(count: int) -> None:
    """Columns of no bets, of a chunk and of one more or less come out as in a single chunk."""
    chance = np.random.default_rng(count)
    box, roll = chance.integers(0, TABLE.width, count), chance.integers(0, VOID + 1, count)
    stake = chance.integers(0, 10**9, count)
    at_once = settle_bulk(TABLE, box, stake, roll, kernel="numpy")
    in_chunks = settle_bulk(TABLE, box, stake, roll, chunk=100, kernel="numpy")
    assert all((one == other).all() and len(one) == count for one, other in zip(at_once, in_chunks, strict=True))


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int64, np.uint64])
def test_codes_of_any_whole_type_do(kind: Any, kernel: Kernel) -> None:
    """Codes may come in any type of whole number, and from a column with gaps between its values."""
    small = TABLE.box_codes(["small"]).astype(kind)
    roll = column(0, 9, 2, 9, kind=kind)[::2]
    winnings, returned = settle_bulk(TABLE, small.repeat(2), column(10, 20), roll, kernel=kernel)
    assert (winnings.tolist(), returned.tolist()) == ([0, 20], [0, 40])


def test_results_go_where_they_are_told(kernel: Kernel) -> None:
    """With `out`, the results are written into the columns given, and these are handed back."""
    out = np.full(2, -1), np.full(2, -1)
    given_back = settle_bulk(
        TABLE, TABLE.box_codes(["small", "big"]), column(5, 5), column(2, 2), out=out, kernel=kernel
    )
    assert given_back[0] is out[0]
    assert given_back[1] is out[1]
    assert (out[0].tolist(), out[1].tolist()) == ([5, 0], [10, 0])


def test_the_largest_stake_that_fits_is_exact(kernel: Kernel) -> None:
    """A stake is refused only where what it returns does not fit: one chip less is settled to the last chip."""
    triple, small = TABLE.box_codes(["triple:1", "small"])
    pays = LAYOUT.pay_table[0][next(box for box in LAYOUT.boxes if box == "triple:1")]
    most = MOST // (pays + 1)
    box, roll = column(triple, small, small), column(0, 0, 2)
    winnings, returned = settle_bulk(TABLE, box, column(most, MOST, MOST // 2), roll, kernel=kernel)
    assert winnings.tolist() == [most * pays, 0, MOST // 2]
    assert returned.tolist() == [most * (pays + 1), 0, MOST // 2 * 2]
    with pytest.raises(InputFault, match=rf"stake: row 0: .* at {pays} to 1 returns more than 64 bits"):
        settle_bulk(TABLE, box, column(most + 1, 0, 0), roll, kernel=kernel)
    with pytest.raises(InputFault, match=r"stake: row 2: .* at 1 to 1 returns more"):
        settle_bulk(TABLE, box, column(0, 0, MOST // 2 + 1), roll, kernel=kernel)


def test_what_is_not_at_risk_counts_towards_the_limit(kernel: Kernel) -> None:
    """With part of a stake at risk the sum of the rest and the winnings is what must fit."""
    small, roll = TABLE.box_codes(["small"]), column(2)
    winnings, returned = settle_bulk(TABLE, small, column(MOST - 1), roll, at_risk=column(1), kernel=kernel)
    assert (winnings.tolist(), returned.tolist()) == ([1], [MOST])
    with pytest.raises(InputFault, match="returns more than 64 bits"):
        settle_bulk(TABLE, small, column(MOST - 1), roll, at_risk=column(2), kernel=kernel)


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("box", column(0, 0, TABLE.width), rf"box: row 12: a code is from 0 to {TABLE.width - 1}, got {TABLE.width}"),
        ("box", column(0, -1, 0), "box: row 11: .* got -1"),
        ("box", column(0, 0, 2**64 - 1, kind=np.uint64), "box: row 12: .* got 18446744073709551615"),
        ("roll", column(217, 0, 0), "roll: row 10: a code is from 0 to 215, or 216 for void, got 217"),
        ("roll", column(0, 0, -5, kind=np.int8), "roll: row 12: .* got -5"),
        ("stake", column(1, -1, 1), "stake: row 11: a stake is not negative, got -1"),
        ("stake", column(1, -(2**63), 1), "stake: row 11: a stake is not negative"),
        ("at_risk", column(0, 0, 8), "at_risk: row 12: from 0 to the stake of 7, got 8"),
        ("at_risk", column(0, -1, 0), "at_risk: row 11: from 0 to the stake of 7, got -1"),
    ],
)
def test_a_value_out_of_range_is_refused_by_row(kernel: Kernel, name: str, values: NDArray[Any], words: str) -> None:
    """The fault names the column, the row as its file counts it, and the value."""
    columns: dict[str, Any] = {"box": column(0, 0, 0), "stake": column(7, 7, 7), "roll": column(0, 0, 0), name: values}
    with pytest.raises(InputFault, match=words):
        settle_bulk(TABLE, **columns, chunk=2, kernel=kernel, first_row=10)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("box", [0, 0], "box: a NumPy array is needed, got list"),
        ("box", np.array([0.0, 1.0]), "box: whole numbers needed, got float64"),
        ("box", np.array([True, False]), "box: whole numbers needed, got bool"),
        ("roll", np.zeros((2, 1), dtype=np.uint8), "roll: a column has one dimension, this has 2"),
        ("roll", column(0, 0, 0), "roll: 3 rows, but box has 2"),
        ("stake", column(1, 1, kind=np.int32), "stake: int64 needed, got int32"),
        ("stake", column(1, 1, kind=np.uint64), "stake: int64 needed, got uint64"),
        ("stake", column(1, 1, kind=">i8"), "stake: int64 needed, got >i8"),
        ("stake", np.array([1, None]), "stake: int64 needed, got object"),
        ("at_risk", column(1), "at_risk: 1 rows, but box has 2"),
        ("chunk", 0, "chunk: a whole number from 1 on, got 0"),
        ("chunk", True, "chunk: a whole number from 1 on, got True"),
        ("kernel", "fortran", "kernel: auto, numpy or numba, got 'fortran'"),
        ("out", (column(0), column(0, 0)), "out.winnings: 1 rows, but stake has 2"),
        ("out", (column(0, 0), np.zeros(2)), "out.returned: int64 needed, got float64"),
        ("out", (np.broadcast_to(column(0), 2), column(0, 0)), "out.winnings: cannot be written to"),
    ],
)
def test_columns_of_the_wrong_kind_are_refused(name: str, value: object, words: str) -> None:
    """What is no column, or of the wrong type, length or shape, is refused by name before anything is settled."""
    arguments: dict[str, Any] = {"box": column(0, 0), "stake": column(7, 7), "roll": column(0, 0), name: value}
    with pytest.raises(InputFault, match=words):
        settle_bulk(TABLE, **arguments)


def test_results_may_not_overlap_the_bets() -> None:
    """Results written over the stakes, or over each other, would come out wrong and are refused."""
    stake, other = column(1, 1), column(0, 0)
    with pytest.raises(InputFault, match=r"out\.returned: shares memory with a column of the bets"):
        settle_bulk(TABLE, column(0, 0), stake, column(0, 0), out=(other, stake))
    with pytest.raises(InputFault, match="out: winnings and returned share memory"):
        settle_bulk(TABLE, column(0, 0), stake, column(0, 0), out=(other, other))


def test_the_kernel_is_chosen_by_size_and_presence(monkeypatch: pytest.MonkeyPatch) -> None:
    """`auto` compiles for many bets if numba is there; asking for numba without it says what to install."""
    arguments = TABLE, column(0), column(1), column(0)
    used: list[str] = []
    monkeypatch.setattr(bulk, "_settle_compiled", lambda *_: used.append("numba"))
    settle_bulk(*arguments)
    assert used == []
    monkeypatch.setattr(bulk, "COMPILE_FROM", 1)
    monkeypatch.setattr(kernels, "find_spec", lambda _: None)
    settle_bulk(*arguments)
    assert used == []
    monkeypatch.setattr(kernels, "find_spec", lambda _: object())
    settle_bulk(*arguments)
    assert used == ["numba"]
    monkeypatch.setattr(kernels, "find_spec", lambda _: None)
    with pytest.raises(InputFault, match=r"kernel: numba needs the extra `fast`: pip install 'taisai\[fast\]'"):
        settle_bulk(*arguments, kernel="numba")


def test_box_codes_are_those_of_the_layout() -> None:
    """Codes follow the layout's own order; a box or layout that is not there is named."""
    assert TABLE.box_codes(LAYOUT.boxes).tolist() == list(range(len(LAYOUT.boxes)))
    assert TABLE.box_codes([]).dtype == np.uint8
    with pytest.raises(InputFault, match="box: layout rws-tai-sai-v6/C has no box 'pair:99'"):
        TABLE.box_codes(["small", "pair:99"])
    with pytest.raises(InputFault, match="layout: this table has rws-tai-sai-v6/C, not 'x/y'"):
        TABLE.box_codes(["small"], "x/y")
    with pytest.raises(InputFault, match="layout: say which"):
        bulk_table(*LAYOUTS).box_codes(["small"])


def test_a_table_needs_layouts_once_each() -> None:
    """No layout, or one twice, is no table."""
    with pytest.raises(InputFault, match="at least one layout"):
        bulk_table()
    with pytest.raises(InputFault, match="rws-tai-sai-v6/C is given twice"):
        bulk_table(LAYOUT, LAYOUT)


def test_the_table_cannot_be_written_to() -> None:
    """Nobody changes the odds by accident."""
    with pytest.raises(ValueError, match="read-only"):
        TABLE.multipliers[0] = 1


def test_roll_codes_are_the_places_of_the_rolls() -> None:
    """Three columns of faces give each roll's place among the 216, and a strange face is named."""
    faces = np.array([roll.faces for roll in ALL_ROLLS], dtype=np.int8).T
    assert roll_codes(faces).tolist() == [roll.index for roll in ALL_ROLLS]
    with pytest.raises(InputFault, match="d2: row 6: a face is from 1 to 6, got 7"):
        roll_codes([column(1, 1), column(1, 7), column(1, 1)], first_row=5)
    with pytest.raises(InputFault, match="dice: needs three columns of faces, got 2"):
        roll_codes([column(1), column(1)])
    with pytest.raises(InputFault, match="d3: 2 rows, but d1 has 1"):
        roll_codes([column(1), column(1), column(1, 1)])
