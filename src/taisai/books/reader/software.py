"""Reads the software's notes on a rule book, which are outside its digest.

Enters: `software.toml` (optional), and the keys `duty` and `room` that clauses of books written for version 0.1.0 have
in `clauses.toml`. Leaves: duties by clause, and the digests by which earlier versions knew the same rules.
"""

from __future__ import annotations

from typing import Final

from taisai.books.duties import ClauseDuty, Duties, Duty
from taisai.books.reader import forms
from taisai.books.reader.files import BookFile, Reading
from taisai.core.faults import shown
from taisai.core.rulebook import FormerDigest

SOFTWARE: Final = "software.toml"


def read_software(reading: Reading, duties: Duties) -> tuple[Duties, list[forms.FormerlyForm]]:
    """The duties of all clauses, given those that stand in `clauses.toml`, and the rows of former digests."""
    if not (reading.folder / SOFTWARE).exists():
        return duties, []
    file = reading.open(SOFTWARE)
    form = file.form(forms.SoftwareForm)
    if form is None:
        return duties, []
    found = dict(duties)
    rows: dict[str, int] = {}
    for index, row in file.rows("duties", form.duties, forms.DutyForm):
        if row.clause not in reading.clause_rows and row.clause not in reading.citable and reading.ids_known:
            file.fault(f"unknown clause {shown(row.clause)}: clauses.toml does not have it", "duties", index)
        elif row.clause in rows:
            file.fault(f"clause {row.clause} stands twice (also row {rows[row.clause] + 1})", "duties", index)
        elif row.clause in duties:
            file.fault(f"clause {row.clause} has its duty in clauses.toml already", "duties", index)
        rows[row.clause] = index
        found[row.clause] = clause_duty(file, row.duty, row.room, "duties", index)
    return found, [row for _, row in file.rows("formerly", form.formerly, forms.FormerlyForm)]


def clause_duty(file: BookFile, duties: list[Duty], room: str, key: str, index: int) -> ClauseDuty:
    """The duty that a row states."""
    if Duty.PEOPLE in duties and len(duties) > 1:
        file.fault(f"the duty people goes with no other, got {', '.join(duties)}", key, index)
    return ClauseDuty(tuple(duties), room)


def former_digests(digest: str, first: str, rows: list[forms.FormerlyForm]) -> tuple[FormerDigest, ...]:
    """The earlier digests of the rules that now have this digest.

    `first` is the digest that version 0.1.0 would compute. A row applies only while the book has the digest that it
    names as `now`: once the rules change, an earlier digest no longer stands for them.
    """
    found = [FormerDigest(row.digest, row.version, row.reason) for row in rows if row.now == digest]
    if first not in {digest, *(each.digest for each in found)}:
        found.append(FormerDigest(first, "0.1.0", "The digest covered the duty and room of each clause."))
    return tuple(found)
