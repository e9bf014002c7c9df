"""Parquet files that cannot be read, and exact sums."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped] # has no types of its own
import pytest

from taisai.analysis.bulk.files import exact_sum
from taisai.analysis.bulk.parquet import resettle
from taisai.core.faults import InputFault
from tests.analysis.bulk.samples import BETS, ROUNDS, SHELF, kept


def test_files_that_are_not_parquet_are_named(tmp_path: Path) -> None:
    """Text, half a file, a missing file and an output over an input are refused by name."""
    bets, rounds, out = kept(tmp_path, "bets", BETS), kept(tmp_path, "rounds", ROUNDS), tmp_path / "out.parquet"
    (text := tmp_path / "text").write_text("layout,round\n", encoding="utf-8")
    (half := tmp_path / "half").write_bytes(bets.read_bytes()[:-20])
    for path in (text, half):
        with pytest.raises(InputFault, match=r"bets: .* is not a Parquet file that can be read"):
            resettle(path, rounds, out, shelf=SHELF)
    with pytest.raises(InputFault, match=r"nowhere: the file is missing"):
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
