"""`taisai audit`: a journal replayed and checked, whole."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from taisai.audit.findings import AuditFinding
from taisai.audit.run import Audit
from taisai.cli.show import AsJson, BookDirs, console, print_json, shelf_of
from taisai.core.rulebook import RuleBook
from taisai.journal.contract import Progress
from taisai.journal.opening import file_of, open_journal, shown_address
from taisai.journal.signing import public_from_pem

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

EXIT_FINDINGS = 1


def audit(
    journal: Annotated[str, Parameter(help="The journal: a file, or its address.")],
    /,
    *,
    public_key: Annotated[Path | None, Parameter(help="Public key (PEM) to check signatures by.")] = None,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> int:
    """Replay and check a whole journal.

    Chain and signatures; snapshots against their history; the ledger after each event; procedure, limits and authority;
    every settlement recounted by a second implementation; rule books known by digest. Exit code 1 for any finding.

    Examples:
      taisai audit floor.db
      taisai audit floor.db --public-key floor.pub --json
      taisai audit postgresql://auditor@db.casino.example/floor --public-key floor.pub
    """
    shelf = shelf_of(book_dir)

    def book_of(book_id: str) -> RuleBook | None:
        return shelf.book(book_id) if book_id in shelf.ids else None

    key = public_from_pem(public_key.read_bytes()) if public_key is not None else None
    with progress_bar("auditing") as progress:
        checked = Audit(book_of, progress)
        findings = list(_findings(checked, journal, key))
    tables = checked.states
    if json:
        print_json(
            {
                "journal": shown_address(journal),
                "records": checked.records,
                "tables": {
                    table: {"records": state.seq, "rounds": state.round.number} for table, state in tables.items()
                },
                "findings": [_plain(finding) for finding in findings],
            }
        )
    else:
        for finding in findings:
            console().print(str(finding), markup=False, soft_wrap=True)
        verdict = f"[bold red]{len(findings)} findings[/]" if findings else "[bold green]no finding[/]"
        console().print(f"{checked.records:,} records of {len(tables)} tables: {verdict}")
    return EXIT_FINDINGS if findings else 0


def _findings(checked: Audit, journal: str, key: Ed25519PublicKey | None) -> Iterator[AuditFinding]:
    """What is found in a journal: a file may be damaged in any way, the others can be opened or not."""
    file = file_of(journal)
    if file is not None:
        yield from checked.findings_of_file(file, key)
    else:
        with open_journal(journal, read_only=True) as opened:
            yield from checked.findings(opened, key)


def _plain(finding: AuditFinding) -> dict[str, object]:
    return {**finding._asdict(), "text": str(finding)}


@contextmanager
def progress_bar(what: str) -> Iterator[Progress | None]:
    """A bar on standard error while somebody watches; nothing otherwise."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - lazily, as in `show`
    from rich.progress import Progress as Bar  # noqa: PLC0415 - as above

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, whole: bar.update(task, completed=done, total=whole)
