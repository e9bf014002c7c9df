"""`taisai audit`: a journal replayed and checked, whole."""

from __future__ import annotations

import http.client
import os
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
from cyclopts import Parameter

from taisai.audit.clauses import ClauseChecked, Held, clauses_checked
from taisai.audit.findings import AuditFinding
from taisai.audit.leases import node_of
from taisai.audit.log import Outside
from taisai.audit.replay.apart import Apart
from taisai.audit.results import result_in, signed_result
from taisai.audit.run import Audit, AuditResult
from taisai.books.shelf import Shelf
from taisai.cli.show import AsJson, BookDirs, console, grid, print_json, shelf_of
from taisai.core.faults import InputFault, shown
from taisai.core.rulebook import RuleBook
from taisai.journal.contract import Progress
from taisai.journal.log.headfile import HeadFile
from taisai.journal.log.note import NOTE_MAX, BadNote, Checkpoint, Note
from taisai.journal.opening import file_of, open_journal, shown_address
from taisai.journal.record import Written
from taisai.journal.signing import PEM_BYTES_MAX, Signer, key_path, public_beside, public_from_pem
from taisai.outside import open_file, place_for, read_bytes, read_text
from taisai.streams.receipts import Receipt

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

EXIT_FINDINGS = 1
BEFORE_RESULT = "records up to the earlier result, but for the heads of their tables"
OWN_CHECK = "the store's own check of its file, which only a whole audit makes"

UNSIGNED = "records after the last signed head, which nobody has vouched for yet"


def audit(
    journal: Annotated[str, Parameter(help="The journal: a file, or its address.")],
    /,
    *,
    public_key: Annotated[Path | None, Parameter(help="Public key (PEM) to check signatures by.")] = None,
    receipt: Annotated[
        tuple[Path, ...], Parameter(help="A receipt that the journal must hold; several.", negative=())
    ] = (),
    witness: Annotated[
        tuple[str, ...],
        Parameter(help="What a witness remembers: a file of it, or the witness's address; several.", negative=()),
    ] = (),
    since: Annotated[
        Path | None,
        Parameter(help="Signed result of an earlier audit: only what is new is read; or a head that must be extended."),
    ] = None,
    save: Annotated[Path | None, Parameter(help="Where to save this audit's own signed result.")] = None,
    auditor: Annotated[
        Path | None, Parameter(help="The auditor's key: AUDITOR.key and .pub, made on first use.")
    ] = None,
    clauses: Annotated[
        bool, Parameter(help="List every clause: checked how often in this journal, held by which tests.", negative=())
    ] = False,
    leases: Annotated[
        bool, Parameter(help="List which node wrote which records, under which lease.", negative=())
    ] = False,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> int:
    """Replay and check a whole journal, or what is new since an earlier audit.

    Chain, log and signatures, also against what you bring: receipts, an earlier head, what a witness remembers;
    snapshots against their history; the ledger after each event; procedure, limits and authority; every settlement
    recounted by a second implementation; rule books known by digest. Exit code 1 for any finding. Whatever
    could not be checked is counted and named.

    Examples:
      taisai audit floor.db
      taisai audit floor.db --save monday.audit
      taisai audit floor.db --since monday.audit --save tuesday.audit
      taisai audit floor.db --public-key floor.pub --json
      taisai audit floor.db --clauses
      taisai audit floor.db --receipt mine.json --since last-month.head --witness https://witness.example
      taisai audit postgresql://auditor@db.casino.example/floor --public-key floor.pub --leases
    """
    if leases and file_of(journal) is not None:
        raise InputFault("--leases", "a journal in a file has one writer and no leases: they are those of PostgreSQL")
    shelf = shelf_of(book_dir)

    def book_of(book_id: str) -> RuleBook | None:
        return shelf.book(book_id) if book_id in shelf.ids else None

    key = public_from_pem(read_bytes(public_key, PEM_BYTES_MAX)) if public_key is not None else None
    if save is not None:
        place_for(save, "--save")
    earlier = None if since is None or not _is_result(since) else _earlier(since, auditor or default_auditor())
    brought = _outside(journal, receipt, witness, since if earlier is None else None)
    with progress_bar("auditing") as progress:
        apart = Apart(journal, {name: str(folder) for name, folder in shelf.folders.items()}, os.cpu_count() or 1)
        checked = Audit(book_of, progress, since=earlier, apart=apart)
        findings = list(_findings(checked, journal, key, brought))
    tables = checked.states
    not_checked = dict(checked.not_checked)
    if earlier is not None:
        not_checked[BEFORE_RESULT] = earlier.position
        not_checked[OWN_CHECK] = 1
    if checked.unsigned:
        not_checked[UNSIGNED] = checked.unsigned
    lines = list(_clauses(checked, shelf)) if clauses else []
    saved = save is not None and _save(checked, save, auditor or default_auditor())
    if json:
        print_json(
            {
                "journal": shown_address(journal),
                "records": checked.records,
                "tables": {
                    table: {"records": state.seq, "rounds": state.round.number} for table, state in tables.items()
                },
                "findings": [_plain(finding) for finding in findings],
                "since": None if earlier is None else {"position": earlier.position, "findings": earlier.findings},
                "not_checked": not_checked,
                "position": checked.position,
                **({"clauses": msgspec.to_builtins(lines)} if clauses else {}),
                **({"leases": [each._asdict() for each in checked.leases]} if leases else {}),
            }
        )
    else:
        for finding in findings:
            console().print(str(finding), markup=False, soft_wrap=True)
        verdict = f"[bold red]{len(findings)} findings[/]" if findings else "[bold green]no finding[/]"
        new = "new " if earlier is not None else ""
        console().print(f"{checked.records:,} {new}records of {len(tables)} tables: {verdict}")
        if earlier is not None:
            then = f"{earlier.findings:,} findings" if earlier.findings else "no finding"
            told = f"up to record {earlier.position:,} it stands on the result given, which had {then}"
            console().print(told, soft_wrap=True)
        for what, count in not_checked.items():
            console().print(f"not checked: {what}: {count:,}", markup=False, soft_wrap=True)
        if clauses:
            _print_clauses(lines)
        if leases:
            _print_leases(checked.leases)
    if save is not None and not saved:
        print("taisai: no result was saved: a table could not be replayed to its end", file=sys.stderr)
    return EXIT_FINDINGS if findings else 0


def _clauses(checked: Audit, shelf: Shelf) -> Iterator[ClauseChecked]:
    """Every clause of every book that a table of the journal stood under; of a book that is not at hand, none."""
    for book_id, looked in sorted(checked.looked.items()):
        if book_id in shelf.ids:
            yield from clauses_checked(shelf.book(book_id), shelf.duties(book_id), looked)


def _print_clauses(lines: Sequence[ClauseChecked]) -> None:
    table = grid("clause", "in our words", ("checked", "right"), ("tests", "right"), "held by")
    for line in lines:
        by = "the audit" if line.held is Held.CHECKED else "tests" if line.held is Held.TESTED else str(line.held)
        table.add_row(f"{line.book} §{line.clause}", line.words, f"{line.checked:,}", str(len(line.tests)), by)
    console().print(table)


def _print_leases(stretches: Sequence[Written]) -> None:
    table = grid("table", ("records", "right"), ("lease", "right"), "node", "since")
    for one in stretches:
        lease = "not noted" if one.fence is None else "none" if not one.fence else str(one.fence)
        node = node_of(one) if one.fence else ""
        since = "" if one.since is None else datetime.fromtimestamp(one.since / 1e6, UTC).isoformat(" ", "seconds")
        table.add_row(one.table, f"{one.first:,} to {one.last:,}", lease, node, since)
    console().print(table)


RESULT_BYTES_MAX: Final = 64 * 1024 * 1024
RECEIPT_BYTES_MAX: Final = 1024 * 1024


def default_auditor() -> Path:
    """Where the key of this user as an auditor is, without its ending."""
    home = os.environ.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path.home() / ".config") / "taisai" / "auditor"


def _is_result(file: Path) -> bool:
    """Whether a file is the result of an audit, which is JSON, or a head, which is a note."""
    with open_file(file) as opened:
        return opened.read(1) == b"{"


def _earlier(file: Path, auditor: Path) -> AuditResult:
    public = public_beside(auditor)
    if public is None:
        raise InputFault("--auditor", f"there is no key {auditor}.pub to check the earlier result by")
    return result_in(read_bytes(file, RESULT_BYTES_MAX), public, "--since")


def _save(checked: Audit, file: Path, auditor: Path) -> bool:
    result = checked.result()
    if result is None:
        return False
    auditor.parent.mkdir(parents=True, exist_ok=True)
    signed = signed_result(result, Signer.beside(auditor, make=True))
    draft = file.with_name(f"{file.name}.new")
    draft.write_bytes(signed)
    draft.replace(file)
    return True


def _outside(journal: str, receipts: Sequence[Path], witnesses: Sequence[str], since: Path | None) -> Outside:
    """What is known of the journal from elsewhere; the head in the file beside its key is always asked."""
    heads = [] if since is None else [(since.name, _head_in(read_text(since, NOTE_MAX), "--since"))]
    for each in witnesses:
        text = witness_text(each) if "://" in each else read_text(each, NOTE_MAX)
        heads.append((f"what {each} remembers", _head_in(text, "--witness")))
    file = file_of(journal)
    beside = None if file is None else HeadFile(key_path(file)).read()
    if beside is not None and Checkpoint.read(beside.text).size:
        heads.append(("the head beside the key", beside))
    proofs = []
    for path in receipts:
        try:
            proofs.append((path.name, msgspec.json.decode(read_bytes(path, RECEIPT_BYTES_MAX), type=Receipt)))
        except msgspec.MsgspecError as error:
            raise InputFault("--receipt", f"{path} is not a receipt: {error}") from error
    return Outside(tuple(heads), tuple(proofs))


def _head_in(text: str, option: str) -> Note:
    try:
        note = Note.read(text)
        Checkpoint.read(note.text)
    except BadNote as error:
        raise InputFault(option, f"not a signed head: {error}") from error
    return note


def witness_text(address: str) -> str:
    """What a witness of an address remembers of the one log that it watches."""
    if not address.startswith(("http://", "https://")):
        raise InputFault("--witness", f"an address begins with http:// or https://, got {shown(address)}")
    try:
        with urllib.request.urlopen(f"{address.rstrip('/')}/checkpoint", timeout=10) as answer:
            return str(answer.read(NOTE_MAX).decode("utf-8"))
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise InputFault("--witness", f"{address} does not answer: {error}") from error


def _findings(checked: Audit, journal: str, key: Ed25519PublicKey | None, brought: Outside) -> Iterator[AuditFinding]:
    """What is found in a journal: a file may be damaged in any way, the others can be opened or not."""
    file = file_of(journal)
    if file is not None:
        yield from checked.findings_of_file(file, key, brought)
    else:
        with open_journal(journal, read_only=True) as opened:
            yield from checked.findings(opened, key, brought)


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
