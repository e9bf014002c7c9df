"""Files of bets settled again: what comes out, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped] # has no types of its own
import pyarrow.parquet as pq  # type: ignore[import-untyped] # has no types of its own
import pytest

from taisai.analysis.bulk.parquet import settle_tables
from taisai.core.faults import InputFault
from tests.analysis.bulk.samples import BETS, DUE, KEYS, MINI, ROUNDS, SHELF, by_core, results, without


@pytest.mark.parametrize("batch", [1, 4, 1000])
def test_a_file_is_settled_as_the_core_does(tmp_path: Path, again: Callable[..., Any], batch: int) -> None:
    """Two layouts and a void round: every column stays as it was, and two more say what the core says."""
    seen: list[tuple[int, int]] = []
    done = again(batch=batch, progress=lambda *told: seen.append(told))
    table = pq.read_table(tmp_path / "out.parquet")
    assert table.select(list(BETS)) == pa.table(BETS)
    assert table.schema.names == [*BETS, "winnings", "returned"]
    assert results(table) == by_core()
    won, back = (sum(each) for each in zip(*by_core(), strict=True))
    assert done.sums._asdict() == {"bets": 6, "staked": 2100, "winnings": won, "returned": back}
    assert done.comparison is None
    assert seen[-1] == (6, 6)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_dictionaries_lists_and_narrow_types_do_as_well(tmp_path: Path, again: Callable[..., Any]) -> None:
    """Names as dictionaries, small numbers in small types and the dice as a list come out the same."""
    bets = pa.table(BETS)
    for name in ("layout", "box", "player"):
        bets = bets.set_column(bets.schema.get_field_index(name), name, bets[name].dictionary_encode())
    dice = pa.array([[1, 2, 3], [2, 2, 5], [1, 1, 1], None], type=pa.list_(pa.int8()))
    rounds = {**without(ROUNDS, "d1", "d2", "d3"), "dice": dice, "round": pa.array(ROUNDS["round"], type=pa.uint16())}
    again(bets, rounds)
    table = pq.read_table(tmp_path / "out.parquet")
    assert results(table) == by_core()
    assert table.select(list(BETS)).schema.types == bets.schema.types
    again(BETS, {**rounds, "dice": dice.fill_null([]).cast(pa.large_list(pa.int64()))})
    assert results(pq.read_table(tmp_path / "out.parquet")) == by_core()


def test_arrow_tables_go_in_and_out() -> None:
    """Tables in memory, in several pieces, are settled like files."""
    bets = pa.concat_tables([pa.table(BETS).slice(0, 2), pa.table(BETS).slice(2)])
    assert results(settle_tables(bets, pa.table(ROUNDS), SHELF)) == by_core()


def test_a_null_within_a_dictionary_is_a_null() -> None:
    """A dictionary may name nothing under one of its codes; that is found as any other null is."""
    box = pa.DictionaryArray.from_arrays([0, 1], pa.array(["small", None]))
    bets = pa.table({**{name: values[:2] for name, values in BETS.items()}, "box": box})
    with pytest.raises(InputFault, match=r"bets\.box: row 1: null"):
        settle_tables(bets, pa.table(ROUNDS), SHELF)


def test_what_was_not_at_risk_goes_back(tmp_path: Path, again: Callable[..., Any]) -> None:
    """Where pro rata left part of a stake at risk, the rest is returned, lost or won."""
    again({**BETS, "at_risk": [40, 50, 60, 70, 0, 600]})
    table = pq.read_table(tmp_path / "out.parquet")
    assert results(table)[1] == (0, 150)
    assert results(table)[3] == (70, 470)


def test_a_void_round_is_void_whatever_its_dice(tmp_path: Path, again: Callable[..., Any]) -> None:
    """Dice that were entered before the round was declared void do not count, strange ones neither."""
    again(rounds={**ROUNDS, "d1": [1, 2, 1, 9]})
    assert results(pq.read_table(tmp_path / "out.parquet"))[2] == (0, 300)


def test_rounds_that_are_all_void_need_no_dice(tmp_path: Path, again: Callable[..., Any]) -> None:
    """Where every round is void the columns of dice may be empty, and every bet goes back."""
    nothing = dict.fromkeys(("d1", "d2", "d3"), [None] * 4)
    again(rounds={**ROUNDS, **nothing, "void": [True] * 4})
    assert results(pq.read_table(tmp_path / "out.parquet")) == [(0, stake) for stake in BETS["stake"]]


def test_no_bets_are_settled_too(tmp_path: Path, again: Callable[..., Any]) -> None:
    """A file without bets gives a file without bets, with its columns, even where there were no rounds."""
    for rounds in (pa.table(ROUNDS), pa.table(ROUNDS).slice(0, 0)):
        assert again(pa.table(BETS).slice(0, 0), rounds).sums == (0, 0, 0, 0)
        assert pq.read_table(tmp_path / "out.parquet").schema.names == [*BETS, "winnings", "returned"]


ROW = {name: values[:1] for name, values in BETS.items()}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bets": without(BETS, "stake", "box")}, r"bets: no column box, stake; the columns are layout, round, player"),
        ({"bets": {**BETS, "returned": DUE}}, r"bets\.returned: bets come without their results"),
        ({"bets": {**BETS, "stake": [1, 2, 3, None, 5, 6]}}, r"bets\.stake: row 3: null"),
        ({"bets": {**BETS, "stake": [1, 2, 3, 4, 5, -6]}}, r"bets\.stake: row 5: a stake is not negative, got -6"),
        ({"bets": {**BETS, "stake": [1.0] * 6}}, r"bets\.stake: whole numbers needed, got double"),
        ({"bets": {**BETS, "stake": pa.array([2**63] * 6, pa.uint64())}}, r"bets\.stake: a number is larger"),
        ({"bets": {**BETS, "stake": [2**62] * 6}}, r"bets\.stake: row 0: .* returns more than 64 bits"),
        ({"bets": {**BETS, "at_risk": [101] * 6}}, r"bets\.at_risk: row 0: from 0 to the stake of 100, got 101"),
        ({"bets": {**BETS, "round": [1, 1, 2, 4, 1, 3]}}, r"bets\.round: row 3: rws-tai-sai-v6/C has no round 4"),
        ({"bets": {**BETS, "round": [1, 1, 2, 3, 1, None]}}, r"bets\.round: row 5: null"),
        ({"bets": {**ROW, "layout": ["rws-tai-sai-v6/A"]}}, r"bets\.round: row 0: rws-tai-sai-v6/A has no round 1"),
        ({"bets": {**ROW, "layout": ["rws-tai-sai-v6/Z"]}}, r"bets\.layout: unknown layout 'rws-tai-sai-v6/Z'; did"),
        ({"bets": {**ROW, "box": ["tall"]}}, r"bets\.box: row 0: layout rws-tai-sai-v6/C has no box 'tall'"),
        ({"bets": {**BETS, "box": ["small"] * 4 + ["triple:1"] * 2}}, rf"bets\.box: row 4: layout {MINI} has no box"),
        ({"bets": {**ROW, "box": [None]}}, r"bets\.box: text needed, got null"),
        ({"bets": {**ROW, "box": [7]}}, r"bets\.box: text needed, got int64"),
        ({"rounds": pa.table(ROUNDS).slice(0, 0)}, r"bets\.round: row 0: rws-tai-sai-v6/C has no round 1"),
        ({"rounds": without(ROUNDS, "d2")}, r"rounds: no column d2"),
        ({"rounds": without(ROUNDS, "void")}, r"rounds\.d1: row 3: no dice, and the round is not void"),
        ({"rounds": {**ROUNDS, "d3": [3, 5, 7, None]}}, r"rounds\.d3: row 2: a face is from 1 to 6, got 7"),
        ({"rounds": {**ROUNDS, "d3": ["3", "5", "7", "1"]}}, r"rounds\.d3: whole numbers needed, got string"),
        ({"rounds": {**ROUNDS, "void": [0, 0, 0, 1]}}, r"rounds\.void: true or false needed, got int64"),
        ({"rounds": {**ROUNDS, "round": [1, 1, 1, 2]}}, r"rounds\.round: rws-tai-sai-v6/C has round 1 twice"),
        ({"rounds": {**ROUNDS, "layout": ["x"] * 4, "round": [1, 2, 3, 4]}}, r"rounds\.layout: unknown layout 'x'"),
        ({"rounds": {**ROUNDS, "dice": [[1, 2, 3], [1, 2], None, None]}}, r"rounds\.dice: row 2: no dice, and"),
        ({"rounds": {**ROUNDS, "dice": [[1, 2, 3], [1, 2], [1], None]}}, r"dice: row 1: needs three faces, got 2"),
        ({"rounds": {**ROUNDS, "dice": [[1, 2, 3], [1, 2, 3], [1, 2, None], None]}}, r"dice: row 2: no dice"),
        ({"rounds": {**ROUNDS, "dice": ["123"] * 4}}, r"rounds\.dice: a list of three faces needed, got string"),
        ({"paid": KEYS}, "against: no column returned"),
        ({"paid": {**without(KEYS, "player"), "returned": DUE}}, "against: no column player"),
        ({"paid": {"returned": DUE[1:]}}, "against: 5 rows for 6 bets, and no layout, round, player, box to match"),
        ({"paid": {"returned": [*DUE[:5], None]}}, r"against\.returned: row 5: null"),
        ({"paid": {"returned": [*DUE[:5], -1]}}, r"against\.returned: row 5: not negative, got -1"),
        ({"paid": {**KEYS, "player": [None] * 6, "returned": DUE}}, r"against\.player: row 0: null"),
        ({"paid": {**KEYS, "round": ["a"] * 6, "returned": DUE}}, r"against\.round: cannot be matched: string given"),
        ({"paid": {**KEYS, "box": ["big"] * 6, "returned": [2**62] * 6}}, r"against\.returned: 6 amounts of up to"),
    ],
)
def test_what_cannot_be_settled_is_refused_and_nothing_written(
    tmp_path: Path, again: Callable[..., Any], change: dict[str, Any], words: str
) -> None:
    """The fault names file, column and row, and no file is left, finished or not."""
    with pytest.raises(InputFault, match=words):
        again(**change, batch=4)
    assert [path.name for path in tmp_path.iterdir() if "out" in path.name] == []


def test_a_refusal_leaves_an_earlier_result_alone(tmp_path: Path, again: Callable[..., Any]) -> None:
    """What stood under the name of the output stays until there is something whole to replace it."""
    (tmp_path / "out.parquet").write_bytes(b"earlier")
    with pytest.raises(InputFault):
        again({**BETS, "stake": [1, 2, 3, 4, 5, -6]}, batch=2)
    assert (tmp_path / "out.parquet").read_bytes() == b"earlier"
