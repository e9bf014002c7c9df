"""Views of an export for analysts: what they show is what the journal says, and the notebook runs on them."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pandas  # type: ignore[import-untyped] # has no types of its own
import polars
import pytest

from taisai.core.faults import InputFault
from taisai.history.export import Exporter
from taisai.history.folder import Export, open_export
from taisai.history.schema import DATASETS
from taisai.history.views import write_views
from taisai.journal import MemoryJournal
from taisai.streams.codec import event_of
from taisai.streams.house_events import HOUSE_STREAM
from taisai.table import events as e
from taisai.table.ledger import DROP, postings_of
from tests import ROOT
from tests.history.asked import SINGAPORE


@pytest.fixture(name="viewed", scope="module")
def viewed_fixture(house: MemoryJournal, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The house exported with the days of Singapore, and its views."""
    folder = tmp_path_factory.mktemp("viewed")
    with Exporter(house, folder / "history", zone="Asia/Singapore") as exporter:
        exporter.run()
    assert write_views(open_export(folder / "history"), folder / "floor.duckdb") == [*DATASETS, "hours"]
    return folder / "floor.duckdb"


def by_journal(house: MemoryJournal) -> dict[tuple[str, str, int], tuple[int, int, int]]:
    """Stakes, win and drop by book, currency and hour in Singapore, from the events themselves."""
    under: dict[str, tuple[str, str]] = {}
    sums: dict[tuple[str, str, int], list[int]] = defaultdict(lambda: [0, 0, 0])
    for record in house.read_all():
        if record.table == HOUSE_STREAM:
            continue
        what = event_of(record).what
        hour = datetime.fromtimestamp(record.at / 1e6, UTC).astimezone(SINGAPORE).hour
        match what:
            case e.TableSetUp(book=book, currency=currency):
                under[record.table] = (book, currency)
            case e.EditionTaken(book=book):
                under[record.table] = (book, under[record.table][1])
            case e.RoundConcluded():
                found = sums[*under[record.table], hour]
                found[0] += what.staked
                found[1] += what.staked - what.returned
            case e.RoundReversed():
                staked, returned = (sum(getattr(line, name) for line in what.lines) for name in ("staked", "returned"))
                found = sums[*under[record.table], hour]
                found[0] -= staked
                found[1] -= staked - returned
        for account, amount in postings_of(what):
            if account == DROP and amount > 0:
                sums[*under[record.table], hour][2] += amount
    return {key: (staked, win, drop) for key, (staked, win, drop) in sums.items() if staked or drop}


def test_hold_by_book_currency_and_hour_is_one_query(house: MemoryJournal, viewed: Path) -> None:
    """No sum mixes currencies, hours are the house's own, and every figure is that of the journal."""
    text = """
        SELECT book, currency, house_hour, SUM(staked), SUM(win), SUM(drop), SUM(win) / NULLIF(SUM(drop), 0) AS hold
        FROM hours GROUP BY ALL HAVING SUM(staked) <> 0 OR SUM(drop) <> 0
    """
    with duckdb.connect(str(viewed), read_only=True) as base:
        rows = base.execute(text).fetchall()
        assert base.execute("SELECT DISTINCT currency FROM bets ORDER BY 1").fetchall() == [("NZD",), ("SGD",)]
    assert {tuple(row[:3]): tuple(map(int, row[3:6])) for row in rows} == by_journal(house)
    assert any(row[5] for row in rows)
    assert all(row[6] == (pytest.approx(row[4] / row[5]) if row[5] else None) for row in rows)


def test_pandas_and_polars_read_the_export(viewed: Path) -> None:
    """Both read the folder `current` as it is, with the day as a column, and come to DuckDB's sums."""
    current = viewed.parent / "history" / "current"
    with duckdb.connect(str(viewed), read_only=True) as base:
        wanted = base.execute("SELECT currency, SUM(stake), COUNT(*) FROM bets GROUP BY 1 ORDER BY 1").fetchall()
    by_pandas = pandas.read_parquet(current / "bets", dtype_backend="pyarrow").groupby("currency")["stake"]
    assert list(zip(by_pandas.sum().index, by_pandas.sum(), by_pandas.count(), strict=True)) == wanted
    lazy = polars.scan_parquet(current / "bets" / "*" / "*.parquet", hive_partitioning=True)
    sums = lazy.group_by("currency").agg(polars.col("stake").sum(), polars.len()).sort("currency")
    assert sums.collect().rows() == wanted
    rounds = polars.read_parquet(current / "rounds" / "*" / "*.parquet", hive_partitioning=True)
    assert rounds.schema["happened_at"] == polars.Datetime("us", "UTC")
    assert (rounds["house_day"] == rounds["day"].cast(polars.Date)).all()


def test_times_are_timestamps_and_days_those_of_the_house(viewed: Path) -> None:
    """`happened_at` is the moment itself; day and hour are Singapore's, in the rows and in the names of the folders."""
    with duckdb.connect(str(viewed), read_only=True) as base:
        rows = base.execute("SELECT at_us, epoch_us(happened_at), house_day, house_hour FROM events").fetchall()
    assert len({row[2] for row in rows}) > 1
    for at_us, moment, day, hour in rows:
        there = datetime.fromtimestamp(at_us / 1e6, UTC).astimezone(SINGAPORE)
        assert (moment, day, hour) == (at_us, there.date(), there.hour)
    export = open_export(viewed.parent / "history")
    assert {str(row[2]) for row in rows} == set(export.days)


def test_placements_add_up_to_the_bets(viewed: Path) -> None:
    """What was put into a box less what went back before the close is the stake, unless the crew corrected the bet."""
    text = """
        SELECT COUNT(*), COUNT(*) FILTER (p.amount = b.stake) FROM
            (SELECT table_name, round, player, box, SUM(amount) AS amount FROM placements GROUP BY ALL) p
            JOIN bets b USING (table_name, round, player, box)
        WHERE NOT EXISTS (FROM events x WHERE x.table_name = b.table_name AND x.round = b.round AND x.kind IN
            ('bet-corrected', 'late-bet-found', 'line-ruled', 'bets-restored', 'bet-moved'))
    """
    with duckdb.connect(str(viewed), read_only=True) as base:
        together = base.execute(text).fetchone()
        assert together is not None
        assert together[0] > 100
        assert together[0] == together[1]


def test_columns_carry_their_descriptions(viewed: Path) -> None:
    """The database tells of every column what docs/history.md tells."""
    with duckdb.connect(str(viewed), read_only=True) as base:
        found = base.execute(
            "SELECT table_name, column_name, comment FROM duckdb_columns() WHERE NOT internal"
        ).fetchall()
    told = {(view, column): words for view, column, words in found if view in DATASETS}
    assert told == {(name, each.name): each.words for name, columns in DATASETS.items() for each in columns}


def test_an_export_without_bets_has_empty_views(tmp_path: Path, house: MemoryJournal) -> None:
    """A view of a dataset without a file is there, with its columns; a file that is no database is refused."""
    with Exporter(house, tmp_path / "few") as exporter:
        exporter.run(upto=1)
    export = open_export(tmp_path / "few")
    write_views(export, tmp_path / "few.duckdb")
    with duckdb.connect(str(tmp_path / "few.duckdb")) as base:
        assert base.execute("SELECT COUNT(*), COUNT(stake) FROM bets").fetchone() == (0, 0)
        assert base.execute("FROM hours").fetchall() == []
    (tmp_path / "text").write_text("no database at all, but long enough to be taken for one" * 99, encoding="utf-8")
    with pytest.raises(InputFault, match="DuckDB cannot write"):
        write_views(export, tmp_path / "text")


def test_a_disk_without_links_has_no_views(
    tmp_path: Path, house: MemoryJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The views read `current`, and say so where there is none."""

    def refuse(*_words: object, **_more: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    with Exporter(house, tmp_path / "few") as exporter:
        exporter.run(upto=1)
    with pytest.raises(InputFault, match="a disk without links"):
        write_views(Export(tmp_path / "few", open_export(tmp_path / "few").manifests), tmp_path / "few.duckdb")


def test_the_notebook_runs(viewed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cell of examples/history.ipynb runs on the views, and its answers have rows."""
    monkeypatch.setenv("FLOOR", str(viewed))
    book = json.loads((ROOT / "examples" / "history.ipynb").read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    try:
        assert {"NZD", "SGD"} <= {row[1] for row in names["by_hour"].fetchall()}
        assert all(placements >= bets > 0 for _, placements, bets in names["per_bet"].fetchall())
        assert len(names["words"].fetchall()) == len(DATASETS["bets"])
    finally:
        names["floor"].close()
