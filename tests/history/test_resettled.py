"""Every bet of an export settled again."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq  # type: ignore[import-untyped] # has no types of its own

from taisai.audit.run import Audit
from taisai.history.engines import Engine, open_engine
from taisai.history.folder import Export
from taisai.history.resettled import resettle_history
from taisai.journal import MemoryJournal
from tests.history.asked import exported, require_wrong_found
from tests.history.dealt import SHELF, content, deal_bots


def test_resettling_finds_what_was_paid_wrongly(export: Export, engine: Engine) -> None:
    """Every bet of every layout is settled again; the wrong payments are found, and nothing else."""
    found = resettle_history(export, SHELF, engine)
    require_wrong_found(found)
    assert found.total.bets == export.rows("bets") > 300
    # The wrong table's rounds were concluded with sums that its bets do not have any more.
    assert [each.table for each in found.unlike_rounds] == ["wrong"]


def test_resettled_sums_are_those_of_the_audit(journal: MemoryJournal, export: Export, engine: Engine) -> None:
    """What was due is what the tables' own meters say was returned, with what voids gave back."""
    audit = Audit(SHELF.book)
    list(audit.findings(journal, None))
    voided = {
        table: sum(
            row["returned"] for row in content(export)["bets"] if row["table_name"] == table and row["roll"] == 216
        )
        for table in export.game_tables
    }
    found = {each.table: each for each in resettle_history(export, SHELF, engine).tables}
    for table, state in audit.states.items():
        if table != "wrong" and table in found:
            assert found[table].due == state.meters.returned + voided[table]
            assert found[table].due_winnings == state.meters.winnings
            assert found[table].staked == state.meters.staked + voided[table]
    assert len(found) > 15


def test_a_lost_bet_is_missed(tmp_path: Path) -> None:
    """Bets that do not add up to their rounds are told, though each of them is right."""
    journal = MemoryJournal()
    deal_bots(journal, 100, trouble=0)
    export = exported(journal, tmp_path)
    path = export.paths("bets")[0]
    rows = pq.read_table(path, partitioning=None)
    pq.write_table(rows.slice(1), path)
    with open_engine("duckdb", export) as engine:
        found = resettle_history(export, SHELF, engine)
    assert found.total.different == 0
    lost = rows.slice(0, 1).to_pylist()[0]
    assert [(each.table, each.bets_of_rounds - each.bets) for each in found.unlike_rounds] == [(lost["table_name"], 1)]
    assert not found.is_right
