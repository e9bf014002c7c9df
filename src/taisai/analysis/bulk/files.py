"""Parquet files and Arrow columns as bulk settlement reads and writes them.

Enters: paths, Arrow tables and batches. Leaves: NumPy columns checked for type and nulls, each fault naming its column
and row; a file that appears under its name only when it is whole. Rows count from 0.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped] # has no types of its own
import pyarrow.parquet as pq  # type: ignore[import-untyped] # as above
from numpy.typing import NDArray

from taisai.core.faults import InputFault
from taisai.outside import open_file, place_for

BATCH: Final = 262_144
"""Rows that are read at a time."""


def open_parquet(path: Path, field: str) -> Any:
    """A Parquet file; `field` names it in messages."""
    open_file(path).close()  # a file that is missing, or none, is named better here than by Arrow
    with _readable(path, field):
        file = pq.ParquetFile(path)
    names = file.schema_arrow.names
    if len(set(names)) != len(names):
        raise InputFault(field, f"{path} has two columns of one name")
    return file


def batches(
    file: Any, path: Path, field: str, *, columns: Sequence[str] | None = None, size: int = BATCH
) -> Iterator[Any]:
    """The rows of a Parquet file, so many at a time."""
    with _readable(path, field):
        yield from file.iter_batches(batch_size=size, columns=None if columns is None else list(columns))


@contextmanager
def _readable(path: Path, field: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        reason = " ".join(str(error).split())
        raise InputFault(field, f"{path} is not a Parquet file that can be read: {reason}") from None


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A name to write to; the file becomes `path` when all went well, and is gone when not."""
    unfinished = place_for(path, "file").with_name(f".{path.name}.{os.getpid()}.part")
    unfinished.touch()  # where nothing can be written, Python's error names the file better than Arrow's
    try:
        yield unfinished
        with unfinished.open("rb") as written:
            os.fsync(written.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def demand(schema: Any, names: Sequence[str], field: str) -> None:
    """Refuse a table without one of these columns."""
    missing = [name for name in names if name not in schema.names]
    if missing:
        has = ", ".join(schema.names) or "none"
        raise InputFault(field, f"no column {', '.join(missing)}; the columns are {has}")


def whole_numbers(rows: Any, name: str, first_row: int) -> NDArray[np.int64]:
    """A column of whole numbers as int64."""
    column = _one_piece(rows.column(name))
    no_nulls(column, name, first_row)
    if not pa.types.is_integer(column.type):
        raise InputFault(name, f"whole numbers needed, got {column.type}")
    try:
        numbers: NDArray[np.int64] = column.cast(pa.int64()).to_numpy()
    except pa.ArrowInvalid:
        raise InputFault(name, "a number is larger than 64 bits with a sign can hold") from None
    return numbers


def texts(rows: Any, name: str, first_row: int) -> tuple[NDArray[np.int64], list[str]]:
    """A column of texts: for each row a code, and the texts by code."""
    column = _one_piece(rows.column(name))
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise InputFault(name, f"text needed, got {column.type}")
    # A dictionary may hold a null of its own, and texts that no row uses; encoded anew it holds neither.
    plain = column.cast(kind)
    no_nulls(plain, name, first_row)
    encoded = plain.dictionary_encode()
    return encoded.indices.cast(pa.int64()).to_numpy(), encoded.dictionary.to_pylist()


def no_nulls(column: Any, name: str, first_row: int) -> None:
    """Refuse a column with a null, naming its row."""
    if column.null_count:
        row = int(column.is_null().to_numpy(zero_copy_only=False).argmax())
        raise InputFault(name, f"row {first_row + row}: null")


def exact_sum(amounts: NDArray[np.int64]) -> int:
    """The sum of amounts that are not negative, however large: the halves are added apart, and neither can wrap."""
    return (int((amounts >> 32).sum()) << 32) + int((amounts & 0xFFFFFFFF).sum())


def _one_piece(column: Any) -> Any:
    """A column of a table comes in pieces, that of a batch does not."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
