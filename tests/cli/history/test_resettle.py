"""Files of bets settled again: what comes out, what differs from what was paid, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped] # has no types of its own
import pyarrow.parquet as pq  # type: ignore[import-untyped] # has no types of its own
import pytest

from taisai.analysis.bulk.compare import FIRST, Difference
from taisai.analysis.bulk.files import exact_sum
from taisai.analysis.bulk.parquet import resettle, settle_tables
from taisai.books import open_shelf
from taisai.cli.history import resettle as command
from taisai.core.bets import Bet, PlayerId
from taisai.core.boxes import BoxName
from taisai.core.dice import roll_of
from taisai.core.faults import InputFault
from taisai.core.money import Chips
from taisai.core.settlement import settle, settle_void
from tests import ROOT

SHELF = open_shelf(environment={})
C = "rws-tai-sai-v6/C"
MINI = next(iter(SHELF.book("rws-mini-dice-v3").layouts.values())).name

ROUNDS: dict[str, Any] = {
    "layout": [C, MINI, C, C],
    "round": [3, 1, 1, 2],
    "d1": [1, 2, 1, None],
    "d2": [2, 2, 1, None],
    "d3": [3, 5, 1, None],
    "void": [False, None, False, True],
}
BETS: dict[str, Any] = {
    "layout": [C, C, C, C, MINI, C],
    "round": [1, 1, 2, 3, 1, 3],
    "player": ["ann", "bob", "ann", "ann", "bob", "ann"],
    "box": ["triple:1", "small", "small", "small", next(iter(SHELF.layout(MINI).boxes)), "small"],
    "stake": [100, 200, 300, 400, 500, 600],
}


def kept(tmp_path: Path, name: str, columns: dict[str, Any] | Any, **options: Any) -> Path:
    """A Parquet file of these columns."""
    path = tmp_path / f"{name}.parquet"
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), path, **options)
    return path


def without(columns: dict[str, Any], *names: str) -> dict[str, Any]:
    """The columns without some."""
    return {name: values for name, values in columns.items() if name not in names}


def by_core() -> list[tuple[int, int]]:
    """Winnings and returned of `BETS`, by the core."""
    expected = []
    for row in pa.table(BETS).to_pylist():
        at = next(
            each
            for each in pa.table(ROUNDS).to_pylist()
            if (each["layout"], each["round"]) == (row["layout"], row["round"])
        )
        layout = SHELF.layout(row["layout"])
        bets = [Bet(PlayerId(row["player"]), BoxName(row["box"]), Chips(row["stake"]))]
        dice = [at["d1"], at["d2"], at["d3"]]
        done = settle_void(layout, bets) if at["void"] else settle(layout, roll_of(dice), bets)
        expected.append(done.outcomes[0][1:])
    return expected


def results(table: Any) -> list[tuple[int, int]]:
    """The two columns of results."""
    return list(zip(table["winnings"].to_pylist(), table["returned"].to_pylist(), strict=True))


@pytest.fixture
def again(tmp_path: Path) -> Callable[..., Any]:
    """Settles columns of bets and rounds through files; gives what `resettle` gives."""

    def run(bets: Any = BETS, rounds: Any = ROUNDS, paid: Any = None, **options: Any) -> Any:
        against = None if paid is None else kept(tmp_path, "paid", paid)
        files = kept(tmp_path, "bets", bets), kept(tmp_path, "rounds", rounds), tmp_path / "out.parquet"
        return resettle(*files, against, shelf=SHELF, **options)

    return run


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


DUE = [back for _, back in by_core()]
KEYS = without(BETS, "stake")


def test_what_was_paid_rightly_does_not_differ(again: Callable[..., Any]) -> None:
    """The same amounts in the same order agree, with keys and without, however the files are cut."""
    for paid in ({"returned": DUE}, {**KEYS, "returned": DUE}):
        for batch in (1, 4, 1000):
            found = again(paid=paid, batch=batch).comparison
            assert (found.by_key, found.compared, found.different, found.first) == (False, 6, 0, ())


def test_differences_are_told_row_by_row(again: Callable[..., Any]) -> None:
    """A bet paid too much and one paid too little are told with what was due."""
    wrong = [*DUE]
    wrong[1] += 25
    wrong[3] -= 5
    for paid in ({"returned": wrong}, {**KEYS, "returned": wrong}):
        found = again(paid=paid, batch=4).comparison
        assert (found.different, found.underpaid, found.overpaid) == (2, 5, 25)
        assert found.first == (
            Difference(1, C, 1, "bob", "small", DUE[1], wrong[1]),
            Difference(3, C, 3, "ann", "small", DUE[3], wrong[3]),
        )


def test_only_the_first_differences_are_listed(again: Callable[..., Any]) -> None:
    """However many differ, all are counted and a few listed, also over several batches."""
    count = 40
    bets = {name: [values[0]] * count for name, values in BETS.items()}
    found = again(bets, paid={"returned": [0] * count}, batch=7).comparison
    assert (found.different, [each.row for each in found.first]) == (count, list(range(FIRST)))


def test_another_order_is_matched_by_key(again: Callable[..., Any]) -> None:
    """Turned round, the same payments agree; two bets of a player in one box count together."""
    turned = {name: values[::-1] for name, values in {**KEYS, "returned": DUE}.items()}
    found = again(paid=turned).comparison
    assert (found.by_key, found.compared, found.different) == (True, 5, 0)


def test_bets_that_one_side_lacks_are_differences(again: Callable[..., Any]) -> None:
    """A bet never paid, one paid without being made, and one paid wrongly are told, in order of their keys."""
    keyed = pa.table({**KEYS, "returned": DUE}).slice(1).to_pylist()
    keyed[0]["returned"] += 7
    keyed.append({"layout": C, "round": 2, "player": "eve", "box": "big", "returned": 9})
    found = again(paid=pa.Table.from_pylist(keyed)).comparison
    assert (found.by_key, found.compared, found.different) == (True, 6, 3)
    assert (found.underpaid, found.overpaid) == (DUE[0], 16)
    assert found.first == (
        Difference(None, C, 1, "ann", "triple:1", DUE[0], None),
        Difference(None, C, 1, "bob", "small", DUE[1], DUE[1] + 7),
        Difference(None, C, 2, "eve", "big", None, 9),
    )


def test_no_payments_at_all_are_all_missing(again: Callable[..., Any]) -> None:
    """An empty paid file with keys leaves every key unpaid."""
    found = again(paid=pa.table({**KEYS, "returned": DUE}).slice(0, 0)).comparison
    assert (found.compared, found.different, found.underpaid) == (5, 5, sum(DUE))


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


def test_files_that_are_not_parquet_are_named(tmp_path: Path) -> None:
    """Text, half a file, a missing file and an output over an input are refused by name."""
    bets, rounds, out = kept(tmp_path, "bets", BETS), kept(tmp_path, "rounds", ROUNDS), tmp_path / "out.parquet"
    (text := tmp_path / "text").write_text("layout,round\n", encoding="utf-8")
    (half := tmp_path / "half").write_bytes(bets.read_bytes()[:-20])
    for path in (text, half):
        with pytest.raises(InputFault, match=r"bets: .* is not a Parquet file that can be read"):
            resettle(path, rounds, out, shelf=SHELF)
    with pytest.raises(FileNotFoundError, match=r"nowhere"):
        resettle(bets, tmp_path / "nowhere", out, shelf=SHELF)
    with pytest.raises(InputFault, match=r"output: .* is one of the files to be read"):
        resettle(bets, rounds, bets, shelf=SHELF)
    with pytest.raises(InputFault, match=r"output: no folder"):
        resettle(bets, rounds, tmp_path / "no" / "out.parquet", shelf=SHELF)
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["stake", "stake"])
    with pytest.raises(InputFault, match=r"bets: .* has two columns of one name"):
        resettle(kept(tmp_path, "twice", twice), rounds, out, shelf=SHELF)


def test_bytes_damaged_inside_are_a_fault_and_leave_no_file(tmp_path: Path) -> None:
    """Damage that shows only while the rows are read ends with one fault, not with half a result."""
    bets = kept(tmp_path, "bets", {**BETS, "stake": list(range(6))}, compression="zstd", use_dictionary=False)
    whole = bets.read_bytes()
    (damaged := tmp_path / "damaged").write_bytes(whole[:4] + b"\xff" * 300 + whole[304:])
    with pytest.raises(InputFault, match=r"^bets: .* is not a Parquet file that can be read"):
        resettle(damaged, kept(tmp_path, "rounds", ROUNDS), tmp_path / "out.parquet", shelf=SHELF)
    assert [path.name for path in tmp_path.iterdir() if "out" in path.name] == []


def test_sums_are_exact_beyond_64_bits() -> None:
    """Sums of large amounts do not wrap."""
    amounts = np.array([2**63 - 1, 2**63 - 1, 5, 2**32, 2**32 - 1])
    assert exact_sum(amounts) == sum(amounts.tolist())


def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Bets, rounds and the place for the output."""
    return kept(tmp_path, "bets", BETS), kept(tmp_path, "rounds", ROUNDS), tmp_path / "out.parquet"


def test_the_command_tells_sums_and_differences(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The summary counts and adds; differences are listed, and the exit code says that there are some."""
    bets, rounds, out = files(tmp_path)
    assert command.resettle(bets, rounds, output=out) == 0
    told = capfd.readouterr()
    assert (
        told.out == f"6 bets settled: staked 2,100, won {sum(won for won, _ in by_core()):,}, returned {sum(DUE):,}\n"
    )
    assert told.err == f"written: {out}\n"
    assert command.resettle(bets, rounds, output=out, against=kept(tmp_path, "paid", {"returned": DUE})) == 0
    assert "All 6 bets were paid what was due." in capfd.readouterr().out
    paid = kept(tmp_path, "paid", {**KEYS, "player": ["[red]ann"] * 6, "returned": [0] * 6})
    assert command.resettle(bets, rounds, output=out, against=paid) == 1
    told = capfd.readouterr()
    assert "10 of 10 keys differ" in told.out
    assert "[red]ann" in told.out
    assert "no bet" in told.out


def test_the_command_counts_what_it_does_not_list(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Of many differences a few are listed and the rest counted."""
    _, rounds, out = files(tmp_path)
    bets = kept(tmp_path, "bets", {name: [values[0]] * 25 for name, values in BETS.items()})
    paid = kept(tmp_path, "paid", {"returned": [0] * 25})
    assert command.resettle(bets, rounds, output=out, against=paid) == 1
    told = capfd.readouterr().out
    assert "25 of 25 bets differ" in told
    assert told.endswith("and 15 more\n")


def test_the_command_prints_json(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Everything that is told can be had as JSON."""
    bets, rounds, out = files(tmp_path)
    paid = kept(tmp_path, "paid", {"returned": [DUE[0] + 1, *DUE[1:]]})
    assert command.resettle(bets, rounds, output=out, against=paid, json=True) == 1
    told = json.loads(capfd.readouterr().out)
    assert (told["bets"], told["staked"], told["returned"], told["output"]) == (6, 2100, sum(DUE), str(out))
    assert (told["against"]["different"], told["against"]["overpaid"]) == (1, 1)
    assert told["against"]["first"][0]["player"] == "ann"


def test_the_command_shows_progress_on_a_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal the bets done are counted, and the line is cleared at the end."""
    bets, rounds, out = files(tmp_path)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    command.resettle(bets, rounds, output=out)
    assert capfd.readouterr().err.startswith("\r6 of 6 bets\r\x1b[K")


def test_the_command_says_which_extra_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Arrow the fault says what to install."""
    bets, rounds, out = files(tmp_path)
    monkeypatch.setitem(sys.modules, "taisai.analysis.bulk.parquet", None)
    with pytest.raises(InputFault, match=r"^resettle needs the extra `analysis`: pip install 'taisai\[analysis\]'$"):
        command.resettle(bets, rounds, output=out)


def test_the_command_takes_books_from_a_folder(tmp_path: Path) -> None:
    """A house's own book settles its bets."""
    house = open_shelf([ROOT / "tests" / "books" / "sample"], environment={})
    layout = next(iter(house.book("harbour-sic-bo").layouts.values()))
    row = {"layout": [layout.name], "round": [1], "player": ["ann"], "box": [next(iter(layout.boxes))], "stake": [10]}
    rounds = {"layout": [layout.name], "round": [1], "d1": [1], "d2": [2], "d3": [4]}
    paths = kept(tmp_path, "bets", row), kept(tmp_path, "rounds", rounds)
    assert command.resettle(*paths, output=tmp_path / "o", book_dir=(ROOT / "tests" / "books" / "sample",)) == 0
    assert pq.read_table(tmp_path / "o").num_rows == 1


def test_the_command_runs_as_a_process(tmp_path: Path) -> None:
    """In a process of its own it settles quietly, and importing it loads neither NumPy nor Arrow."""
    bets, rounds, out = files(tmp_path)
    program = (
        "import sys; from pathlib import Path; from taisai.cli.history.resettle import resettle;"
        "assert not {'numpy', 'pyarrow'} & set(sys.modules);"
        "sys.exit(resettle(*map(Path, sys.argv[1:3]), output=Path(sys.argv[3])))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, bets, rounds, out], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr.decode()) == (0, f"written: {out}\n")
    assert results(pq.read_table(out)) == by_core()
