"""The examiner's report on a rule book: clause by clause, what keeps it and what proves that it is kept.

Enters: a rule book with its duties. Leaves: a `Conformance`: for each clause and each reading where it stands, the rows
of data that cite it, the functions that apply it, the tests that hold it, the events that record it, the checks of the
audit that look at it, and a status; and one page that needs nothing else. What no test holds is red.
"""

from __future__ import annotations

import html
from base64 import b64encode
from collections.abc import Callable, Iterable
from enum import StrEnum
from hashlib import sha256
from typing import Final

import msgspec
from msgspec import Struct

from taisai.audit.clauses import OF_STEP, looks_at
from taisai.audit.procedure.facts import fact_recorded
from taisai.audit.procedure.shift import item_is_proven
from taisai.audit.procedure.watch import BY_KIND, RUNS
from taisai.books.citations import citations_of
from taisai.books.clause_tests import tests_holding
from taisai.books.duties import NOT_STATED, Duties, Duty
from taisai.core.limits import headroom_of
from taisai.core.names import result_call
from taisai.core.prorata import fix_stakes
from taisai.core.rulebook import Clause, Interpretation, Layout, Rule, RuleBook
from taisai.core.settlement import is_established, settle
from taisai.streams.codec import KIND_OF
from taisai.table.actions import ACTIONS
from taisai.table.handlers import betting, dealing, facts, shift


class Status(StrEnum):
    """How a clause stands."""

    HELD = "held"
    """Tests hold it."""
    PEOPLE = "people"
    """It is people's work alone; the procedure tells it."""
    RED = "red"
    """No test holds it."""


class ClauseLine(Struct, frozen=True, kw_only=True):
    """What stands behind one clause, or one reading."""

    id: str
    words: str
    """In our own words; of a reading its question."""
    where: str
    """The document, and the place in it."""
    duty: tuple[str, ...]
    room: str
    data: tuple[str, ...]
    """The rows of the book that cite it."""
    functions: tuple[str, ...]
    tests: tuple[str, ...]
    events: tuple[str, ...]
    checks: tuple[str, ...]
    """What the audit looks at in every journal."""
    readings: tuple[str, ...]
    status: Status


class Conformance(Struct, frozen=True, kw_only=True):
    """The report."""

    book: str
    title: str
    document: str
    software: str
    digest: str
    formerly: tuple[str, ...]
    counts: dict[str, int]
    """How many clauses have each status."""
    reading_counts: dict[str, int]
    """How many readings have each status."""
    clauses: tuple[ClauseLine, ...]
    readings: tuple[ClauseLine, ...]
    content: str
    """SHA-256 over the two lists: equal reports have equal ones."""


def conformance_of(book: RuleBook, duties: Duties, software: str) -> Conformance:
    """The report on a book; `software` is the version that keeps it."""
    clauses = tuple(_line(book, duties, each) for each in book.clauses.values())
    readings = tuple(_line(book, duties, each) for each in book.interpretations.values())
    return Conformance(
        book=book.id,
        title=f"{book.title} ({book.version})",
        document=book.document,
        software=software,
        digest=book.digest,
        formerly=tuple(former.digest for former in book.formerly),
        counts=_counted(clauses),
        reading_counts=_counted(readings),
        clauses=clauses,
        readings=readings,
        content=sha256(msgspec.json.encode((clauses, readings), order="deterministic")).hexdigest(),
    )


def _counted(lines: Iterable[ClauseLine]) -> dict[str, int]:
    found = [line.status for line in lines]
    return {str(status): found.count(status) for status in Status}


def _line(book: RuleBook, duties: Duties, entry: Clause | Interpretation) -> ClauseLine:
    owed = duties.get(entry.id, NOT_STATED)
    rules = {rule for rule, clauses in book.rules.items() if entry.id in clauses}
    steps = {str(each.step) for each in book.procedure.steps if entry.id in each.clauses}
    kinds = _kinds_of(book, entry.id, rules, steps)
    doing = _functions_of(book, entry.id, rules, steps)
    checks = [check for name in looks_at(book, entry.id) for check in _checks_of(name)]
    tests = tests_holding(book.id, entry.id)
    return ClauseLine(
        id=entry.id,
        words=entry.summary if isinstance(entry, Clause) else entry.question,
        where=f"{book.document}, {entry.id}" if isinstance(entry, Clause) else "the register of interpretations",
        duty=tuple(map(str, owed.duties)),
        room=owed.room,
        data=citations_of(book, entry.id),
        functions=tuple(dict.fromkeys(f"{each.__module__}:{each.__qualname__}" for each in doing)),
        tests=tests,
        events=tuple(KIND_OF[kind] for kind in kinds),
        checks=tuple(dict.fromkeys(f"{each.__module__}:{each.__qualname__}" for each in checks)),
        readings=_readings(book, entry),
        status=Status.HELD if tests else Status.PEOPLE if Duty.PEOPLE in owed.duties else Status.RED,
    )


_APPLIED: Final[dict[Rule, tuple[Callable[..., object], ...]]] = {
    Rule.BETS_BY_CHIPS: (betting.place_bet,),
    Rule.CALL_BET_NEEDS_CHIPS: (betting.place_bet,),
    Rule.PLAYER_ANSWERS: (betting.place_bet,),
    Rule.SETTLED_BY_POSITION: (dealing.close_bets,),
    Rule.MAXIMUM: (headroom_of, betting.place_bet),
    Rule.DIFFERENTIAL: (headroom_of, betting.place_bet),
    Rule.PLAYERS_KEEP_LIMITS: (betting.place_bet,),
    Rule.HEADROOM_OPEN_TO_ALL: (headroom_of,),
    Rule.PRO_RATA: (fix_stakes,),
    Rule.EXCESS_STANDS: (fix_stakes,),
    Rule.UNDER_MINIMUM_EXEMPT: (fix_stakes,),
    Rule.UNDER_MINIMUM_STANDS: (dealing.close_bets, fix_stakes),
    Rule.NO_TOUCHING_LOSERS: (betting.withdraw_bet,),
    Rule.UPPERMOST_FACES: (dealing.uncover, settle),
    Rule.DICE_FLAT: (facts.report,),
    Rule.TRIPLE_WINS: (settle,),
    Rule.PAY_TABLE: (settle,),
    Rule.COLLECT_THEN_PAY: (dealing.collect, dealing.pay_all),
    Rule.WINNING_LIGHTS: (Layout.lit,),
    Rule.BELL: (dealing.close_bets,),
    Rule.VOID_LEAVES_EARLIER_ROUNDS: (facts.consequences,),
    Rule.DICE_DECIDE_OVER_LIGHTS: (facts.consequences, dealing.collect),
    Rule.INTERRUPTION_CONCLUDED: (is_established,),
    Rule.DAMAGED_DICE_VOID: (facts.consequences,),
    Rule.FOUND_LATE: (facts.report,),
    Rule.DEVICES: (dealing.commit_dice,),
    Rule.LAYOUT_MARKED: (shift.set_up,),
}
"""Functions behind rules that no action is declared by, or not by it alone."""


def _functions_of(book: RuleBook, clause: str, rules: set[Rule], steps: set[str]) -> list[Callable[..., object]]:
    actions = [each for each in ACTIONS.values() if each.rule in rules or each.rank in rules or str(each.step) in steps]
    found: list[Callable[..., object]] = [each.handle for each in actions]
    found += [each for rule in rules for each in _APPLIED.get(rule, ())]
    if any(clause in fact.clauses for fact in book.procedure.facts.values()):
        found.append(facts.consequences)
    if any(clause in item.clauses for item in book.procedure.opening):
        found.append(shift.check_item)
    if clause in book.procedure.calls.clauses:
        found.append(result_call)
    if any(clause in (*row.clauses, *row.triple_clauses) for layout in book.layouts.values() for row in layout.rows):
        found.append(settle)
    return found


def _kinds_of(book: RuleBook, clause: str, rules: set[Rule], steps: set[str]) -> list[type]:
    """The events that record what a clause is about."""
    named = {kind for step in steps for kind in OF_STEP[step]}
    named |= {"fact-recorded"} if any(clause in fact.clauses for fact in book.procedure.facts.values()) else set()
    named |= {"item-checked"} if any(clause in item.clauses for item in book.procedure.opening) else set()
    return [kind for kind, name in KIND_OF.items() if kind.declared.rule in rules or name in named]


def _checks_of(name: str) -> tuple[Callable[..., object], ...]:
    """The checks behind a name under which an audit counts what it looks at."""
    kind, _, which = name.partition(":")
    if which:
        return {"fact": (fact_recorded,), "item": (item_is_proven,), "box": (RUNS["bet-paid"][0],)}[kind]
    return (RUNS[name][0],) if name in RUNS else BY_KIND.get(name, ())


def _readings(book: RuleBook, entry: Clause | Interpretation) -> tuple[str, ...]:
    """The readings of a clause; of a reading, the clauses that it reads."""
    if isinstance(entry, Clause):
        return tuple(each.id for each in book.interpretations_of(entry.id))
    return tuple(f"§{clause}" for clause in entry.clauses)


_STYLE: Final = """
body { font: 14px/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem; color: #1d1d1d; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 2rem; }
th, td { border-bottom: 1px solid #d0d0d0; padding: .3rem .5rem; text-align: left; vertical-align: top; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
code { font-size: 12px; overflow-wrap: anywhere; }
.red { background: #b3261e; color: #fff; font-weight: 700; }
.held { color: #1b5e20; } .people { color: #5a5a5a; }
"""
STYLE_HASH: Final = "sha256-" + b64encode(sha256(_STYLE.encode()).digest()).decode()
"""What a server's security policy names so that the page may bring its own style."""
_HEADS: Final = ("clause", "in our words", "status", "data", "functions", "tests", "events", "audit", "readings")


def conformance_page(report: Conformance) -> str:
    """The report as one page that needs nothing else."""
    title = html.escape(f"Conformance: {report.title}")
    counts = f"Clauses: {_told(report.counts)}. Readings: {_told(report.reading_counts)}."
    digests = html.escape(f"book {report.digest}; report {report.content}; taisai {report.software}")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{title}</h1>"
        f"<p>{html.escape(report.document)}. {counts}</p><p><code>{digests}</code></p>"
        f"{_table('Clauses', report.clauses)}{_table('Readings', report.readings)}</body></html>\n"
    )


def _told(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {status}" for status, count in counts.items())


def _table(caption: str, lines: Iterable[ClauseLine]) -> str:
    heads = "".join(f"<th>{head}</th>" for head in _HEADS)
    return (
        f"<table><caption>{caption}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{''.join(map(_row, lines))}</tbody></table>"
    )


def _row(line: ClauseLine) -> str:
    owed = f"<br>{html.escape(', '.join(line.duty))}: {html.escape(line.room)}" if line.duty else ""
    cells = (
        f"<td title='{html.escape(line.where, quote=True)}'>{html.escape(line.id)}</td>",
        f"<td>{html.escape(line.words)}{owed}</td>",
        f'<td class="{line.status}">{line.status}</td>',
        *(_list(each) for each in (line.data, line.functions, line.tests, line.events, line.checks, line.readings)),
    )
    return f"<tr>{''.join(cells)}</tr>"


def _list(each: tuple[str, ...]) -> str:
    return f"<td>{'<br>'.join(f'<code>{html.escape(one)}</code>' for one in each)}</td>"
