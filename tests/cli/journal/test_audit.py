"""`taisai audit`: a good journal, a tampered one, a missing one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from taisai.journal import Batch
from taisai.journal.postgres.journal import PostgresJournal
from taisai.journal.signing import public_path
from tests.cli.journal.tampering import tamper
from tests.cli.running import printed, refused
from tests.journal.samples import several
from tests.postgres import journal_url


def test_audit_of_a_good_journal(capfd: pytest.CaptureFixture[str], journal: Path) -> None:
    """A good journal has no finding and exit code 0, with its own key or one that is given."""
    assert "no finding" in printed(capfd, "audit", str(journal))
    words = ("audit", str(journal), "--public-key", str(public_path(journal)), "--json")
    found = json.loads(printed(capfd, *words))
    assert found["findings"] == []
    assert found["tables"]["T1"]["rounds"] > 5


def test_audit_lists_every_clause(capfd: pytest.CaptureFixture[str], journal: Path) -> None:
    """With --clauses, each clause says how often it was checked in this journal, and which tests hold it."""
    found = json.loads(printed(capfd, "audit", str(journal), "--clauses", "--json"))
    lines = {line["clause"]: line for line in found["clauses"]}
    assert {line["book"] for line in found["clauses"]} == {"nz-division-9"}
    assert lines["6.5"]["held"] == "checked"
    assert lines["6.5"]["checked"] > 5
    assert lines["7.3"]["tests"]
    assert "nothing" not in {line["held"] for line in found["clauses"]}
    told = printed(capfd, "audit", str(journal), "--clauses")
    assert "nz-division-9" in told
    assert "the audit" in told
    assert "clauses" not in json.loads(printed(capfd, "audit", str(journal), "--json"))


def test_audit_of_a_tampered_journal(capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path) -> None:
    """One flipped byte of a bet is found, named, and gives exit code 1."""
    copy = tmp_path / "copy.db"
    shutil.copy(journal, copy)
    tamper(copy)
    found = json.loads(printed(capfd, "audit", str(copy), "--json", code=1))
    assert any(finding["code"] == "record-altered" and finding["table"] == "T1" for finding in found["findings"])
    assert "findings" in printed(capfd, "audit", str(copy), code=1)


def test_a_missing_journal_is_one_line(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A file that is not there, or is no journal, is one clear line."""
    missing, foreign = tmp_path / "none.db", tmp_path / "foreign.db"
    foreign.write_text("hello", encoding="utf-8")
    for command in (("report",), ("replay", "--table", "T1"), ("explain", "--table", "T1", "--player", "p")):
        for file in (missing, foreign):
            assert str(file) in refused(capfd, command[0], str(file), *command[1:])
    assert str(missing) in refused(capfd, "audit", str(missing))


def test_an_audit_goes_on_from_a_signed_result(
    capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path
) -> None:
    """The first audit saves its result; the next reads what is new, says what it stands on and what it left out."""
    key, first = str(tmp_path / "auditor"), tmp_path / "first.audit"
    whole = printed(capfd, "audit", str(journal), "--save", str(first), "--auditor", key)
    assert "not checked" not in whole
    told = printed(capfd, "audit", str(journal), "--since", str(first), "--auditor", key)
    assert "0 new records of" in told
    assert "it stands on the result given, which had no finding" in told
    assert "not checked: the store's own check of its file" in told
    found = json.loads(printed(capfd, "audit", str(journal), "--since", str(first), "--auditor", key, "--json"))
    assert found["since"]["position"] == found["position"] > 0
    other = str(tmp_path / "other")
    assert "--auditor: there is no key" in refused(
        capfd, "audit", str(journal), "--since", str(first), "--auditor", other
    )
    first.write_bytes(first.read_bytes().replace(b'\\"findings\\":0', b'\\"findings\\":7'))
    assert "--since: this result was altered" in refused(
        capfd, "audit", str(journal), "--since", str(first), "--auditor", key
    )


@pytest.mark.postgres
def test_audit_lists_leases(capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path) -> None:
    """With --leases, the node that wrote each stretch of a shared journal is named; a file has no leases."""
    assert "--leases: a journal in a file has one writer" in refused(capfd, "audit", str(journal), "--leases")
    with PostgresJournal(journal_url(tmp_path)) as shared:
        for number, holder in enumerate(("http://10.0.0.5:8000#a", "http://10.0.0.6:8000#b")):
            fences = shared.leases.take(["T1"], holder, 60)
            shared.leases.append([Batch("T1", number, several(number, 1))], fences)
            shared.leases.release("T1", holder)
    told = printed(capfd, "audit", journal_url(tmp_path), "--leases", code=1)  # the records are of no real table
    assert [line.split()[:6] for line in told.splitlines() if "http://" in line] == [
        ["T1", "1", "to", "1", "1", "http://10.0.0.5:8000"],
        ["T1", "2", "to", "2", "2", "http://10.0.0.6:8000"],
    ]
    plain = json.loads(printed(capfd, "audit", journal_url(tmp_path), "--leases", "--json", code=1))
    assert [each["fence"] for each in plain["leases"]] == [1, 2]
