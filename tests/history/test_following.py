"""An export that follows a running floor: told by PostgreSQL, by looking at SQLite, and exactly once in both."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from queue import Queue

import pytest

from taisai.history.export import Exporter, word_of
from taisai.history.folder import Export, open_export
from taisai.journal import Journal, MemoryJournal, open_journal
from tests.history.dealt import content, deal_bots, tell_house
from tests.postgres import journal_url

PATIENCE_S = 60


def file_url(folder: Path) -> str:
    """A journal in a file."""
    return str(folder / "floor.db")


@pytest.mark.parametrize("url_of", [file_url, pytest.param(journal_url, marks=pytest.mark.postgres)])
def test_a_running_floor_is_followed(tmp_path: Path, url_of: Callable[[Path], str]) -> None:
    """What is appended while the export follows is in the folder soon, by another connection, and once."""
    url, folder = url_of(tmp_path), tmp_path / "export"
    made: Queue[Export] = Queue()
    ended = threading.Event()
    with open_journal(url) as floor:
        deal_bots(floor, 20)
        follower = threading.Thread(target=_follow, args=(url, folder, made, ended))
        follower.start()
        try:
            for turn in range(3):
                _await_position(made, floor.position())
                tell_house(floor, 1_775_000_000_000_000 + turn)
            _await_position(made, floor.position())
        finally:
            ended.set()
            tell_house(floor, 1_775_000_000_000_009)
            follower.join(PATIENCE_S)
        whole = _whole(floor, tmp_path / "whole")
    export = open_export(folder)
    assert export.position == 3 * 20 + (export.position - 60)
    assert content(export) == content(whole)


def _follow(url: str, folder: Path, made: Queue[Export], ended: threading.Event) -> None:
    """Follow until it is said to end; the waiting ends with the next word."""
    with open_journal(url, read_only=True) as journal, Exporter(journal, folder) as exporter:
        exporter.run()
        made.put(exporter.export)
        with word_of(journal, poll_s=0.02) as wait:

            def go_on(seconds: float) -> bool:
                return wait(seconds) and not ended.is_set()

            exporter.follow(go_on, every_s=0.01, told=made.put)


def _await_position(made: Queue[Export], position: int) -> None:
    while made.get(timeout=PATIENCE_S).position < position:
        pass


def _whole(journal: Journal, folder: Path) -> Export:
    with Exporter(journal, folder) as exporter:
        exporter.run()
    return open_export(folder)


def test_steps_come_when_the_time_is_up_or_a_whole_one_waits(tmp_path: Path) -> None:
    """A few records wait for their time; a whole step does not."""
    journal, now, positions = MemoryJournal(), [0.0], []
    deal_bots(journal, 4)
    waits: list[float] = []

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        match len(waits):
            case 1:  # nothing is waiting; now a little is
                tell_house(journal, 1_775_000_000_000_000)
                now[0] += 3.0
            case 2:  # a little was waiting; now a whole step is
                deal_bots_further(journal)
            case 3:  # the rest waits for its time, which comes
                tell_house(journal, 1_775_000_000_000_001)
            case 4:
                now[0] += seconds
            case _:
                return False
        return True

    with Exporter(journal, tmp_path, step=30) as exporter:
        exporter.run()
        exporter.follow(wait, every_s=10.0, told=lambda export: positions.append(export.position), clock=lambda: now[0])
    assert positions == sorted(set(positions))
    assert positions[-1] == journal.position() == open_export(tmp_path).position
    assert len(positions) >= 2


def deal_bots_further(journal: MemoryJournal) -> None:
    """More than a whole step at once."""
    for turn in range(10):
        tell_house(journal, 1_775_000_000_100_000 + turn)
