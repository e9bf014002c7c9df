"""An audit that goes on from an earlier one: the same findings, in proportion to what is new, on a signed word."""

from __future__ import annotations

from itertools import islice

import msgspec
import pytest

from taisai.audit.replay.tables import BEHIND
from taisai.audit.results import result_in, signed_result
from taisai.audit.run import Audit, AuditResult
from taisai.books import Shelf
from taisai.core.faults import InputFault
from taisai.journal import Batch, MemoryJournal
from taisai.journal.signing import Signer
from taisai.streams.codec import records_of
from taisai.table import events as e
from taisai.table.state import SNAPSHOT_FORMAT, snapshot_of
from tests.audit.bot import Bot, deal
from tests.audit.forged import altered, dealt, journal_of
from tests.journal.samples import sign_checkpoint
from tests.streams.keeper import TableKeeper

LAYOUT = "rws-tai-sai-v6/E"


def grown(shelf: Shelf, *commands: int) -> tuple[MemoryJournal, list[AuditResult], list[int], Audit]:
    """A journal that grows, audited each time from the earlier result through its file: results, and records read."""
    book_id, _, layout_id = LAYOUT.partition("/")
    journal, signer = MemoryJournal(), Signer.new()
    keeper = TableKeeper(journal, shelf.book, "T1", snapshot_every=100)
    dealing = deal(keeper, Bot(shelf.book(book_id), layout_id, 5, trouble=0.2))
    results: list[AuditResult] = []
    read: list[int] = []
    audit = Audit(shelf.book)
    for some in commands:
        for _ in islice(dealing, some):
            pass
        sign_checkpoint(journal, 1)
        since = result_in(signed_result(results[-1], signer), signer.public) if results else None
        audit = Audit(shelf.book, since=since)
        assert [str(finding) for finding in audit.findings(journal)] == []
        result = audit.result()
        assert result is not None
        results.append(result)
        read.append(audit.records)
    return journal, results, read, audit


def test_only_what_is_new_is_read_and_the_end_is_the_same(shelf: Shelf) -> None:
    """Cut anywhere, in a round or between: every record is read once, and the states are those of a whole audit."""
    journal, results, read, last = grown(shelf, 97, 1, 30, 211, 3, 158)
    assert sum(read) == journal.position() == results[-1].position
    whole = Audit(shelf.book)
    assert list(whole.findings(journal)) == []
    assert whole.states == last.states
    result = whole.result()
    assert result is not None
    assert result.tables == results[-1].tables


def test_an_audit_goes_on_with_itself(shelf: Shelf) -> None:
    """Called again it reads what came since, and nothing when nothing came."""
    events = dealt(shelf, LAYOUT, 200)
    journal = journal_of(events[:100])
    audit = Audit(shelf.book)
    assert list(audit.findings(journal)) == []
    assert list(audit.findings(journal)) == []
    assert (audit.records, audit.position) == (100, 100)
    for seq, event in enumerate(events[100:], start=100):
        journal.append([Batch("T1", seq, records_of(f"c{seq}", [event]))])
    assert list(audit.findings(journal)) == []
    assert audit.records == len(events)


def test_what_is_wrong_in_the_new_part_is_found(shelf: Shelf) -> None:
    """A settlement that was changed after the earlier result is found as in a whole audit."""
    events = dealt(shelf, LAYOUT, 300)
    forged = altered(events, e.RoundConcluded, lambda what: msgspec.structs.replace(what, returned=what.returned + 5))
    first = Audit(shelf.book)
    list(first.findings(journal_of(events[: len(events) // 2])))
    after = Audit(shelf.book, since=first.result())
    found = [(finding.code, finding.seq) for finding in after.findings(journal_of(forged))]
    assert found
    assert found == [(finding.code, finding.seq) for finding in Audit(shelf.book).findings(journal_of(forged))]


def test_another_history_than_the_one_proven_is_found(shelf: Shelf) -> None:
    """The heads that the earlier result states must still be there: a rewritten or shorter journal is a finding."""
    events = dealt(shelf, LAYOUT, 200)
    first = Audit(shelf.book)
    list(first.findings(journal_of(events)))
    since = first.result()
    other = dealt(shelf, LAYOUT, 300, seed=4)
    for journal in (journal_of(other), journal_of(events[:-3])):
        codes = {finding.code for finding in Audit(shelf.book, since=since).findings(journal)}
        assert "history-rewritten" in codes


def test_a_snapshot_behind_the_audit_is_counted(shelf: Shelf) -> None:
    """It can no longer be compared with its moment; that is said, and not passed over."""
    events = dealt(shelf, LAYOUT, 200)
    journal = journal_of(events)
    audit = Audit(shelf.book)
    list(audit.findings(journal))
    assert dict(audit.not_checked) == {}
    journal.save_snapshot("T1", 50, SNAPSHOT_FORMAT, snapshot_of(audit.states["T1"]))
    list(audit.findings(journal))
    list(audit.findings(journal))
    assert dict(audit.not_checked) == {BEHIND: 1}


def test_a_result_is_taken_on_the_auditors_word_alone(shelf: Shelf) -> None:
    """Another key, a changed figure, a file that is something else: refused, each with its reason."""
    audit = Audit(shelf.book)
    list(audit.findings(journal_of(dealt(shelf, LAYOUT, 100))))
    result, signer = audit.result(), Signer.new()
    assert result is not None
    file = signed_result(result, signer)
    assert result_in(file, signer.public) == result
    for bad, says in (
        (file.replace(b'\\"findings\\":0', b'\\"findings\\":1'), "was altered"),
        (b"{}", "not a signed result"),
        (b"hello", "not a signed result"),
    ):
        with pytest.raises(InputFault, match=says):
            result_in(bad, signer.public)
    with pytest.raises(InputFault, match="another auditor's key"):
        result_in(file, Signer.new().public)
