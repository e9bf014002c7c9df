"""A process that writes to a journal until it is killed: `python -m tests.journal.sqlite.writer PATH SEED`.

It prints a line after each commit: the number of the commit, how many records it had, and where its tables are now.
Each record says in its body to which commit it belongs and how many records that has.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from taisai.journal import Batch, Journal, NewRecord, SqliteJournal
from tests.journal.samples import sign_checkpoint

TABLES = ("a", "b", "c")


def commit(journal: Journal, number: int, chance: random.Random) -> str:
    """Append records of some tables in one commit; what was written."""
    counts = [(table, chance.randrange(1, 40)) for table in chance.sample(TABLES, chance.randrange(1, 4))]
    size = sum(count for _, count in counts)
    body = b"%d %d %s" % (number, size, chance.randbytes(chance.randrange(200)))
    heads = journal.append(
        [
            Batch(
                table,
                journal.head(table).seq,
                [NewRecord("k", 1, number, f"{number}", part, "p", body) for part in range(count)],
            )
            for table, count in counts
        ]
    )
    return " ".join([str(number), str(size), *(f"{table}={head.seq}" for table, head in heads.items())])


def main() -> None:
    """Write for ever."""
    path, chance = Path(sys.argv[1]), random.Random(int(sys.argv[2]))
    with SqliteJournal(path) as journal:
        number = max((int(one.body.split()[0]) for one in journal.read_all()), default=0)
        print("ready", flush=True)
        while True:
            number += 1
            print(commit(journal, number, chance), flush=True)
            match chance.randrange(8):
                case 0:
                    sign_checkpoint(journal, number)
                case 1 if head := journal.head("a").seq:
                    journal.save_snapshot("a", head, 1, chance.randbytes(5000))
                case _:
                    pass


if __name__ == "__main__":
    main()
