"""A process that appends to a journal: `python -m tests.journal.postgres.appender URL NAME COUNT`.

It appends COUNT commits, each of two records to a table of its own and one to a table that others append to as well,
and tries again when somebody else was quicker.
"""

from __future__ import annotations

import sys

from taisai.journal import Batch, Journal, SequenceConflict, open_journal
from tests.journal.samples import new


def append_all(journal: Journal, name: str, count: int) -> None:
    """Append `count` commits, each once."""
    for number in range(count):
        while True:
            own, shared = Batch(name, 2 * number, [new(number, 0), new(number, 1)]), journal.head("shared").seq
            try:
                journal.append([own, Batch("shared", shared, [new(f"{name}-{number}")])])
                break
            except SequenceConflict as conflict:
                if conflict.table != "shared":
                    raise


def main() -> None:
    """Append, and report the beginning and the end."""
    with open_journal(sys.argv[1]) as journal:
        print("ready", flush=True)
        sys.stdin.readline()
        append_all(journal, sys.argv[2], int(sys.argv[3]))
        print("done", flush=True)


if __name__ == "__main__":
    main()
