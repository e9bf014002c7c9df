"""A process that exports is killed, at whatever it is doing: the folder stays whole, and the next one goes on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from taisai.history.export import Exporter
from taisai.history.folder import open_export
from taisai.journal import open_journal
from tests.history.dealt import content, deal_bots

CHILD = """
import sys
from pathlib import Path
from taisai.history.export import Exporter
from taisai.journal import open_journal
with open_journal(sys.argv[1], read_only=True) as journal, Exporter(journal, Path(sys.argv[2]), step=10) as exporter:
    exporter.run(progress=lambda done, whole: print(done, flush=True))
"""


def test_a_killed_export_is_whole_and_goes_on(tmp_path: Path) -> None:
    """After each kill the folder holds every record up to its last step once; in the end it is that of one go."""
    file, folder = tmp_path / "floor.db", tmp_path / "export"
    with open_journal(file) as journal:
        deal_bots(journal, 60)
        with Exporter(journal, tmp_path / "whole") as exporter:
            exporter.run()
    whole = content(open_export(tmp_path / "whole"))
    positions = [0]
    for steps in (1, 4, 3):
        command = [sys.executable, "-c", CHILD, str(file), str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            for _ in range(steps):
                assert child.stdout.readline()
            child.kill()
        export = open_export(folder)
        positions.append(export.position)
        assert positions[-1] >= positions[-2] + 10 * steps
        assert content(export) == {
            name: [row for row in rows if row["position"] <= export.position] for name, rows in whole.items()
        }
    with open_journal(file, read_only=True) as journal, Exporter(journal, folder) as exporter:
        exporter.run()
    assert content(open_export(folder)) == whole
