"""The log of the journal: appending with it against appending without, and a proof among ten million records.

Both sides append the same records through the journal. One has the log follow on a thread, as a floor has it, with a
head signed every two seconds, and is done when the last record is under a head. The ten million leaves are hashes of
their numbers, in tiles of an SQLite file; each proof is made with no tile at hand but what it reads itself.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

from bench.journal import NOON, batches_of, records_of
from bench.measure import Line, paired
from taisai.house.proof import Prover
from taisai.journal import SqliteJournal
from taisai.journal.log.merkle import leaf_hash
from taisai.journal.log.tree import Tree

HEAD_EVERY_S = 2.0
REPEATS = 5
LEAVES = 10_000_000
AT_ONCE = 1 << 16
PROOFS = 300
PROOF_TARGET_NS = 5_000_000


def measured() -> list[Line]:
    """Appending one by one and by the hundred, and a proof."""
    return [_append_line(1, 2_000), _append_line(100, 100_000), _proof_line()]


def _append_line(size: int, count: int) -> Line:
    records = records_of(count)
    batches = batches_of([records[place : place + size] for place in range(0, count, size)])

    def taken(*, with_log: bool) -> float:
        with tempfile.TemporaryDirectory() as folder, SqliteJournal(Path(folder) / "floor.db") as journal:
            prover = Prover(lambda: journal, lambda: NOON, "bench")
            over = Event()

            def follow() -> None:
                while not over.wait(HEAD_EVERY_S):
                    _signed(prover)
                _signed(prover)

            log = Thread(target=follow)
            begun = time.perf_counter()
            if with_log:
                log.start()
            for batch in batches:
                journal.append(batch)
            if with_log:
                over.set()
                log.join()
            return time.perf_counter() - begun

    ours, bare = paired([(taken(with_log=True), taken(with_log=False)) for _ in range(REPEATS)])
    what = f"append, {size:,} a commit, with the log and its heads"
    return Line(what, "without", ours / count * 1e9, bare / count * 1e9, 1.1)


def _signed(prover: Prover) -> None:
    while prover.follow():
        pass
    prover.sign()


def _proof_line() -> Line:
    chance = random.Random(7)
    with tempfile.TemporaryDirectory() as folder, SqliteJournal(Path(folder) / "floor.db") as journal:
        tree = Tree(journal)
        for start in range(0, LEAVES, AT_ONCE):
            some = range(start, min(start + AT_ONCE, LEAVES))
            tree.extend([leaf_hash(number.to_bytes(8, "big")) for number in some])
        trees = [Tree(journal) for _ in range(PROOFS)]
        places = [chance.randrange(LEAVES) for _ in range(PROOFS)]

        def prove() -> None:
            for each, place in zip(trees, places, strict=True):
                each.inclusion(place, LEAVES)

        taken = _seconds(prove) / PROOFS
    return Line(f"an inclusion proof among {LEAVES:,} records", "5 ms", taken * 1e9, PROOF_TARGET_NS, 1.0)


def _seconds(action: Callable[[], object]) -> float:
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun
