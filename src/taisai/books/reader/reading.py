"""Reads a rule book's folder and proves it.

Enters: a folder of TOML (docs/rule-books.md). Leaves: a `RuleBook`, or `BookRefused` with every fault, each with file,
line, row and reason. What is proved: every key and name is known; every citation exists; every clause is cited or
people's work; over all 216 rolls each box pays exactly one way where it wins; the procedure is a whole round; the felt
holds every box.
"""

from __future__ import annotations

import hashlib
import json
import re
import stat
import string
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from msgspec import Struct

from taisai.books.reader import forms
from taisai.books.reader.felt_plan import read_felt
from taisai.books.reader.forms import quoted
from taisai.core.boxes import ONE_FACE_KINDS, BoxName, parse_boxes
from taisai.core.calls import CALL_WORDS
from taisai.core.faults import InputFault, shown
from taisai.core.rulebook import (
    Calls,
    Clause,
    Duty,
    FeltPlan,
    Interpretation,
    Layout,
    OpeningItem,
    PayRow,
    Procedure,
    ProcedureStep,
    Rule,
    RuleBook,
    Step,
    Tumble,
    VoidReason,
    VoidRule,
    make_layout,
    pay_row_faults,
)

FILE_BYTES_MAX = 250_000
LINE_MAX = 5_000  # A key of very many dots, which only a very long line can hold, takes tomllib minutes.
DEPTH_MAX = 20
PAYS_MAX = 1_000_000
_WHOLE_NUMBERS = range(-(2**63), 2**63)
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_ID_WORDS = "begins with a letter or digit and goes on with letters, digits, dots, hyphens and underscores"
_NAMES = ("book.toml", "clauses.toml", "interpretations.toml")
_ONCE_EACH = (Step.TUMBLE, Step.OPEN_BETS, Step.CLOSE_BETS, Step.UNCOVER, Step.ANNOUNCE, Step.COLLECT, Step.PAY)

Form = TypeVar("Form", bound=Struct)


class BookFault(NamedTuple):
    """One fault of a book: where it stands and what is wrong."""

    file: str
    line: int | None
    row: str
    reason: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return ": ".join(part for part in (place, self.row, self.reason) if part)


class BookRefused(Exception):
    """A book that does not hold; `faults` says why, all of it."""

    def __init__(self, book_id: str, faults: Sequence[BookFault]) -> None:
        self.book_id = book_id
        self.faults = tuple(faults)
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        super().__init__(f"rule book {book_id} refused: {faults[0]}{more}")


class _Unreadable(Exception):
    """Why a file has no table."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


def _text_of(path: Path) -> str:
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise _Unreadable("is not a file")
        if found.st_size > FILE_BYTES_MAX:
            raise _Unreadable(f"is larger than {FILE_BYTES_MAX} bytes")
        content = path.read_bytes()
    except FileNotFoundError:
        raise _Unreadable("the file is missing") from None
    except OSError as error:
        raise _Unreadable(f"cannot be read: {error.strerror}") from None
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _Unreadable(f"is not UTF-8 text (byte 0x{content[error.start]:02x}); save it as UTF-8", line) from None


def _table_of(text: str) -> dict[str, object]:
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > LINE_MAX:
            raise _Unreadable(f"has a line of more than {LINE_MAX} characters", number)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", str(error), re.DOTALL)
        if place is None:
            raise _Unreadable(f"is not TOML: {error}") from None
        reason = place[1].replace("Cannot overwrite a value", "a key is written twice")
        raise _Unreadable(f"is not TOML: {reason} (at column {place[3]})", int(place[2])) from None
    except RecursionError:
        raise _Unreadable(f"nests lists and tables more than {DEPTH_MAX} deep") from None
    except ValueError:  # Python reads no number of thousands of digits.
        raise _Unreadable("holds a whole number beyond 64 bits") from None
    level: list[object] = [table]
    for _ in range(DEPTH_MAX):
        if any(isinstance(each, int) and each not in _WHOLE_NUMBERS for each in level):
            raise _Unreadable("holds a whole number beyond 64 bits")
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    if level:
        raise _Unreadable(f"nests lists and tables more than {DEPTH_MAX} deep")
    return table


_QUOTED = re.compile(r'''"""(?:\\.|[^\\])*?"{3,5}|\'{3}.*?\'{3,5}|"(?:\\.|[^"\\])*"|\'[^\']*\'|#[^\n]*''', re.DOTALL)
_DOTTED = r"[\w-]+(?:\s*\.\s*[\w-]+)*"
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_DOTTED})\s*\]")
_ENTRY = re.compile(rf"\s*({_DOTTED})\s*=")
_MARK = re.compile(r"[\[\]{},]|[^\s\[\]{},]+")


def _places(text: str) -> dict[str, int]:
    """The lines of a TOML text on which its keys (`procedure.steps`) and rows (`procedure.steps[0]`) stand.

    For text that tomllib has read. A key in quotation marks has no place; a fault there names its file only.
    """
    places: dict[str, int] = {}
    tables: Counter[str] = Counter()
    # A text or comment is no more than a mark here, and as many line ends as it had.
    plain = _QUOTED.sub(lambda found: ('"' if found[0][0] != "#" else "") + "\n" * found[0].count("\n"), text)
    table: str | None = ""
    key: str | None = None
    depth = row = 0
    fresh = False
    for number, line in enumerate(plain.split("\n"), start=1):
        rest = line
        if depth == 0:
            key = None
            if header := _HEADER.match(line):
                table = re.sub(r"\s", "", header[2])
                if header[1] == "[[":
                    tables[table] += 1
                    table = f"{table}[{tables[table] - 1}]"
                _note(places, table, number)
                continue
            if line.lstrip().startswith("["):
                table = None
                continue
            if (entry := _ENTRY.match(line)) and table is not None:
                name = re.sub(r"\s", "", entry[1])
                key = f"{table}.{name}" if table else name
                _note(places, key, number)
                rest = line[entry.end() :]
        for mark in _MARK.findall(rest):
            if depth == 0:
                row, fresh = 0, mark == "["
            elif depth == 1 and mark == ",":
                row, fresh = row + 1, True
            elif depth == 1 and fresh and mark != "]" and key is not None:
                places[f"{key}[{row}]"] = number
                fresh = False
            depth += (mark in ("[", "{")) - (mark in ("]", "}"))
    return places


def _note(places: dict[str, int], path: str, number: int) -> None:
    """A key, and the tables it stands in if they have no line of their own yet."""
    places[path] = number
    while "." in path:
        path = path.rpartition(".")[0]
        places.setdefault(path, number)


class _File:
    """One TOML file of the book: its table, and the faults found in it."""

    def __init__(self, path: Path, reading: _Reading) -> None:
        self.name = path.name
        self.table: dict[str, object] = {}
        self._reading = reading
        self._text = ""
        self._readable = False
        try:
            self._text = _text_of(path)
            self.table = _table_of(self._text)
            self._readable = True
        except _Unreadable as error:
            reading.faults.append(BookFault(self.name, error.line, "", error.reason))

    def fault(self, reason: str, key: str = "", index: int | None = None) -> None:
        """Note a fault of the file, of a key, or of a key's row (counted from 0)."""
        row = key if index is None else f"{key} row {index + 1}"
        line = self._line(key if index is None else f"{key}[{index}]")
        self._reading.faults.append(BookFault(self.name, line, row, reason))

    @cached_property
    def _places(self) -> dict[str, int]:
        return _places(self._text)

    def _line(self, path: str) -> int | None:
        """The line of a key or row or, where it is not written or has no place, of the nearest around it."""
        while path and path not in self._places:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self._places.get(path)

    def form(self, form: type[Form]) -> Form | None:
        """The file's whole table as a form."""
        found = forms.read_form(self.table, form) if self._readable else []
        if not isinstance(found, list):
            return found
        self._reading.citations_known = False
        for flaw in found:
            path = ".".join(part for part in (flaw.table, flaw.key) if part)
            line = self._places.get(path) or self._line(flaw.table)
            self._reading.faults.append(BookFault(self.name, line, flaw.table, flaw.reason))
        return None

    def rows(self, key: str, raw: Iterable[object], form: type[Form]) -> Iterator[tuple[int, Form]]:
        """The rows under a key that are well formed, with their places; the others become faults."""
        for index, each in enumerate(raw):
            found = forms.read_form(each, form)
            if isinstance(found, list):
                for flaw in found:
                    self.fault(flaw.reason, key, index)
                self._reading.note_unreadable(each, form)
            else:
                yield index, found


class _Reading:
    """What is known while a folder is read."""

    def __init__(self, folder: Path) -> None:
        self.book_id = folder.name
        self.faults: list[BookFault] = []
        self.files: list[_File] = []
        self.folder = folder
        self.citable: set[str] = set()
        self.cited: set[str] = set()
        self.clause_rows: dict[str, int] = {}
        # Whether all ids and all citations could be read: if not, their lack is no fault of its own.
        self.ids_known = True
        self.citations_known = True

    def open(self, name: str) -> _File:
        file = _File(self.folder / name, self)
        self.files.append(file)
        return file

    def note_unreadable(self, raw: object, form: type[Struct]) -> None:
        """Take the id and the citations out of a row that is refused, so that one fault does not look like many."""
        row = raw if isinstance(raw, dict) else {}
        if "id" in form.__struct_fields__:
            if isinstance(row.get("id"), str):
                self.citable.add(row["id"])
            else:
                self.ids_known = False
            return
        citations = [row.get("clause"), row.get("triple_clause", [])]
        if not all(isinstance(each, str | list) for each in citations):
            self.citations_known = False
        for each in citations:
            self.cited.update(map(str, each if isinstance(each, list) else [each]))

    def cite(
        self, file: _File, citation: str | list[str] | None, key: str, index: int | None = None
    ) -> tuple[str, ...]:
        """The clauses of a row, each of which must exist."""
        clauses = (citation,) if isinstance(citation, str) else tuple(citation or ())
        for clause in clauses:
            if clause not in self.citable and self.ids_known:
                reason = f"unknown clause {shown(clause)}: neither clauses.toml nor interpretations.toml has it"
                file.fault(reason, key, index)
        self.cited.update(clauses)
        return clauses


def read_book(folder: Path) -> RuleBook:
    """Read and prove the book in a folder."""
    reading = _Reading(folder)
    if not _ID.fullmatch(reading.book_id):
        reason = f"the name of a book's folder {_ID_WORDS}"
        raise BookRefused(reading.book_id, [BookFault(reading.book_id, None, "", reason)])
    book_file = reading.open("book.toml")
    clauses_file = reading.open("clauses.toml")
    book_form = book_file.form(forms.BookForm)
    effective = _effective(book_file, book_form.effective, "effective") if book_form else None
    clauses = _clauses(reading, clauses_file, effective)
    interpretations = _interpretations(reading, clauses)
    reading.citable |= clauses.keys() | interpretations.keys()
    layouts = {layout.id: layout for layout in _layouts(reading)}
    if book_form is None:
        raise BookRefused(reading.book_id, reading.faults)
    terms, rules, procedure = _of_book(reading, book_file, book_form)
    if reading.citations_known:
        _every_clause_is_held(reading, clauses_file, clauses)
    if reading.faults:
        raise BookRefused(reading.book_id, reading.faults)
    return RuleBook(
        id=reading.book_id,
        title=book_form.title,
        version=book_form.version,
        operator=book_form.operator,
        jurisdiction=book_form.jurisdiction,
        document=book_form.document,
        effective=effective,
        terms=MappingProxyType(terms),
        rules=MappingProxyType(rules),
        procedure=procedure,
        clauses=MappingProxyType(clauses),
        interpretations=MappingProxyType(interpretations),
        layouts=MappingProxyType(layouts),
        digest=digest_of(reading.book_id, {file.name: file.table for file in reading.files}),
    )


def digest_of(book_id: str, tables: dict[str, dict[str, object]]) -> str:
    """SHA-256 of a book's canonical content: what its files say, not how they are spaced or commented."""
    content = {"id": book_id, "files": tables}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_moment)
    return hashlib.sha256(text.encode()).hexdigest()


def _moment(value: date) -> str:
    """A date, and the time of day where there is one (`date.isoformat` itself would drop it)."""
    return value.isoformat()


def _effective(file: _File, raw: object, key: str, index: int | None = None) -> date | None:
    """From when something is in force: a date, a date-time (which is a date to Python too), or unknown."""
    if raw is None or isinstance(raw, date):
        return raw
    reason = f"must be a date or a date and time, got {quoted(raw)}"
    file.fault(reason if index is None else f"`effective` {reason}", key, index)
    return None


def _clauses(reading: _Reading, file: _File, effective: date | None) -> dict[str, Clause]:
    form = file.form(forms.ClausesForm)
    reading.ids_known = form is not None
    clauses: dict[str, Clause] = {}
    for index, row in file.rows("clauses", form.clauses if form else (), forms.ClauseForm):
        if row.id in clauses:
            file.fault(f"clause {row.id} stands twice (also row {reading.clause_rows[row.id] + 1})", "clauses", index)
        if Duty.PEOPLE in row.duty and len(row.duty) > 1:
            file.fault(f"the duty people goes with no other, got {', '.join(row.duty)}", "clauses", index)
        reading.clause_rows[row.id] = index
        own = _effective(file, row.effective, "clauses", index)
        clauses[row.id] = Clause(row.id, row.summary, tuple(row.duty), row.room, own or effective)
    return clauses


def _interpretations(reading: _Reading, known: dict[str, Clause]) -> dict[str, Interpretation]:
    if not (reading.folder / "interpretations.toml").exists():
        return {}
    file = reading.open("interpretations.toml")
    form = file.form(forms.InterpretationsForm)
    if form is None:
        reading.ids_known = False
    entries: dict[str, Interpretation] = {}
    for index, row in file.rows("interpretations", form.interpretations if form else (), forms.InterpretationForm):
        clauses = (row.clause,) if isinstance(row.clause, str) else tuple(row.clause)
        for clause in clauses:
            if clause not in known and clause not in reading.citable and reading.ids_known:
                file.fault(f"unknown clause {shown(clause)}: clauses.toml does not have it", "interpretations", index)
        if row.id in entries:
            file.fault(f"interpretation {row.id} stands twice", "interpretations", index)
        if row.id in known:
            file.fault(f"the id {row.id} is that of a clause", "interpretations", index)
        entries[row.id] = Interpretation(row.id, clauses, row.question, row.reading, row.house_choice)
    return entries


def _every_clause_is_held(reading: _Reading, file: _File, clauses: dict[str, Clause]) -> None:
    for clause in clauses.values():
        if clause.id not in reading.cited and Duty.PEOPLE not in clause.duties:
            reason = f"no row of the book cites clause {clause.id}; cite it, or give it the duty people alone"
            file.fault(reason, "clauses", reading.clause_rows[clause.id])


def _of_book(
    reading: _Reading, file: _File, form: forms.BookForm
) -> tuple[dict[str, tuple[str, ...]], dict[Rule, tuple[str, ...]], Procedure]:
    terms: dict[str, tuple[str, ...]] = {}
    for index, term_row in file.rows("terms", form.terms, forms.TermForm):
        terms[term_row.term] = terms.get(term_row.term, ()) + reading.cite(file, term_row.clause, "terms", index)
    rules: dict[Rule, tuple[str, ...]] = {}
    for index, rule_row in file.rows("rules", form.rules, forms.RuleForm):
        rules[rule_row.rule] = rules.get(rule_row.rule, ()) + reading.cite(file, rule_row.clause, "rules", index)
    return terms, rules, _procedure(reading, file, form.procedure)


def _procedure(reading: _Reading, file: _File, form: forms.ProcedureForm) -> Procedure:
    steps = tuple(
        ProcedureStep(row.step, reading.cite(file, row.clause, "procedure.steps", index))
        for index, row in file.rows("procedure.steps", form.steps, forms.StepForm)
    )
    if len(steps) == len(form.steps):
        for reason in _order_faults([each.step for each in steps], form.tumble):
            file.fault(reason, "procedure.steps")
    opening: dict[str, OpeningItem] = {}
    for index, item in file.rows("procedure.opening", form.opening, forms.OpeningForm):
        if item.item in opening:
            file.fault(f"opening item {item.item} stands twice", "procedure.opening", index)
        clauses = reading.cite(file, item.clause, "procedure.opening", index)
        opening[item.item] = OpeningItem(item.item, clauses, item.summary)
    voids: dict[VoidReason, VoidRule] = {}
    for index, void in file.rows("procedure.voids", form.voids, forms.VoidForm):
        if void.reason in voids:
            file.fault(f"void reason {void.reason} stands twice", "procedure.voids", index)
        clauses = reading.cite(file, void.clause, "procedure.voids", index)
        voids[void.reason] = VoidRule(void.reason, void.scope, clauses, void.summary)
    return Procedure(
        device=form.device,
        tumble=form.tumble,
        tumbles_min=form.tumbles_min,
        steps=steps,
        opening=tuple(opening.values()),
        voids=MappingProxyType(voids),
        calls=_calls(reading, file, form.calls),
    )


def _order_faults(steps: list[Step], tumble: Tumble) -> Iterator[str]:
    """What keeps the steps from being a round; a fault that hides the ones after it is the last."""
    wrong = [f"step {step} stands twice" for step in Step if steps.count(step) > 1]
    wrong += [f"step {step} is missing" for step in _ONCE_EACH if step not in steps]
    if wrong:
        yield from wrong
        return
    others = [step for step in steps if step is not Step.TUMBLE]
    in_order = [step for step in Step if step in others]
    if others != in_order:
        yield f"steps are out of order: {', '.join(others)}; their order is {', '.join(in_order)}"
        return
    at = steps.index(Step.TUMBLE)
    before_bets = at < steps.index(Step.OPEN_BETS)
    after_close = steps.index(Step.CLOSE_BETS) < at < steps.index(Step.UNCOVER)
    fits, where = {
        Tumble.BEFORE_BETS: (before_bets, "before open-bets"),
        Tumble.AFTER_CLOSE: (after_close, "between close-bets and uncover"),
        Tumble.EITHER: (before_bets or after_close, "before open-bets or between close-bets and uncover"),
    }[tumble]
    if not fits:
        yield f"step tumble is in the wrong place: as `tumble` is {tumble}, it must stand {where}"


def _call_fault(template: str, allowed: frozenset[str]) -> str | None:
    wanted = " ".join(f"{{{name}}}" for name in sorted(allowed))
    try:
        fields = [field[1:] for field in string.Formatter().parse(template) if field[1] is not None]
    except ValueError:
        return f"its braces do not match in {shown(template)}; write {wanted}"
    # A format after the name, as in {total:x}, would reach str.format when the dealer calls the result.
    if {name for name, _, _ in fields} != allowed or any(form or conversion for _, form, conversion in fields):
        return f"must say {wanted} and nothing else in braces, got {shown(template)}"
    return None


def _calls(reading: _Reading, file: _File, form: forms.CallsForm) -> Calls:
    for key, allowed in CALL_WORDS.items():
        reason = _call_fault(str(getattr(form, key)), allowed)
        if reason is not None:
            file.fault(reason, f"procedure.calls.{key}")
    return Calls(
        clauses=reading.cite(file, form.clause, "procedure.calls.clause"),
        open=form.open,
        close=form.close,
        void=form.void,
        plain=form.plain,
        double_first=form.double_first,
        double_last=form.double_last,
        triple=form.triple,
        bell=form.bell,
    )


def _layouts(reading: _Reading) -> Iterator[Layout]:
    # A misspelt name would leave a layout or the interpretations out without a word, so no other TOML may stand here.
    found = {path.name for path in reading.folder.glob("*") if path.suffix.lower() == ".toml"}
    names = {name for name in found if name.startswith("layout-") and name.endswith(".toml")}
    for name in sorted(found - names - set(_NAMES)):
        if not name.startswith("."):
            reason = f"no file of a rule book; these are {', '.join(_NAMES)} and layout-ID.toml"
            reading.faults.append(BookFault(name, None, "", reason))
    if not names:
        reading.citations_known = False
        reading.faults.append(BookFault("layout-*.toml", None, "", "a book has at least one layout"))
    for name in sorted(names):
        file = reading.open(name)
        layout_id = name.removeprefix("layout-").removesuffix(".toml")
        if not _ID.fullmatch(layout_id):
            file.fault(f"the id of a layout, after layout-, {_ID_WORDS}")
        form = file.form(forms.LayoutForm)
        if form is None:
            continue
        layout = _layout(reading, file, layout_id, form)
        if layout is not None:
            yield layout


def _layout(reading: _Reading, file: _File, layout_id: str, form: forms.LayoutForm) -> Layout | None:
    faults_before = len(reading.faults)
    rows = tuple(_pay_rows(reading, file, form.pay))
    names: set[BoxName] | None = None
    if len(rows) == len(form.pay):  # Without the rows that are refused, nothing can be proved of the others.
        names = {box.name for row in rows for box in row.boxes}
        for fault in pay_row_faults(rows):
            file.fault(fault.reason, "pay", fault.row)
    felt: FeltPlan | None = None
    if form.felt is not None:
        felt = read_felt(form.felt, names, lambda reason, index: file.fault(reason, "felt.blocks", index))
    clauses = reading.cite(file, form.clause, "clause")
    triple_clauses = reading.cite(file, form.triple_clause, "triple_clause")
    if len(reading.faults) > faults_before:
        return None
    return make_layout(
        book_id=reading.book_id,
        layout_id=layout_id,
        title=form.title,
        clauses=clauses,
        triple_clauses=triple_clauses,
        rows=rows,
        felt=felt,
    )


def _pay_rows(reading: _Reading, file: _File, raw: list[object]) -> Iterator[PayRow]:
    for index, row in file.rows("pay", raw, forms.PayForm):
        clauses = reading.cite(file, row.clause, "pay", index)
        triple_clauses = reading.cite(file, row.triple_clause, "pay", index)
        if type(row.pays) is not int or not 1 <= row.pays <= PAYS_MAX:
            reason = f"`pays` is the odds to 1, a whole number from 1 to {PAYS_MAX}; got {quoted(row.pays)}"
            file.fault(reason, "pay", index)
            continue
        try:
            boxes = parse_boxes(row.boxes)
        except InputFault as fault:
            file.fault(fault.reason, "pay", index)
            continue
        if row.dice is not None and boxes[0].kind not in ONE_FACE_KINDS:
            reason = f"`dice` goes with {', '.join(sorted(ONE_FACE_KINDS))} only, not with {boxes[0].kind}"
            file.fault(reason, "pay", index)
            continue
        totals = None if row.totals is None else frozenset(row.totals)
        yield PayRow(row.bet, boxes, row.pays, clauses, row.dice, totals, triple_clauses)
