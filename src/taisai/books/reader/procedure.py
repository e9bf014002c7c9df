"""Reads the terms, the rules and the procedure of a round.

Enters: `book.toml`. Leaves: the clauses behind each term and rule, and a `Procedure` whose steps are a whole round in
an order that can be played, and whose calls name exactly what a result has.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from taisai.books.reader import forms
from taisai.books.reader.files import BookFile, Reading
from taisai.core.faults import shown
from taisai.core.names import CALL_WORDS, DIGITS, Calls, Face
from taisai.core.rulebook import (
    VOIDING,
    Fact,
    FactRule,
    OpeningItem,
    Procedure,
    ProcedureStep,
    Rule,
    Step,
    Then,
    Tumble,
)

_ONCE_EACH = (Step.TUMBLE, Step.OPEN_BETS, Step.CLOSE_BETS, Step.UNCOVER, Step.ANNOUNCE, Step.COLLECT, Step.PAY)


def read_terms(reading: Reading, file: BookFile, raw: list[object]) -> dict[str, tuple[str, ...]]:
    """The clauses that define each term; rows on the same term add up."""
    terms: dict[str, tuple[str, ...]] = {}
    for index, row in file.rows("terms", raw, forms.TermForm):
        terms[row.term] = terms.get(row.term, ()) + reading.cite(file, row.clause, "terms", index)
    return terms


def read_rules(reading: Reading, file: BookFile, raw: list[object]) -> dict[Rule, tuple[str, ...]]:
    """The clauses behind each rule; rows on the same rule add up."""
    rules: dict[Rule, tuple[str, ...]] = {}
    for index, row in file.rows("rules", raw, forms.RuleForm):
        rules[row.rule] = rules.get(row.rule, ()) + reading.cite(file, row.clause, "rules", index)
    if Rule.PRO_RATA in rules and Rule.EXCESS_STANDS in rules:
        reason = "what is over a limit is shared out, or stands whole: `pro-rata` or `excess-stands`, not both"
        file.fault(reason, "rules")
    return rules


def read_procedure(
    reading: Reading, file: BookFile, form: forms.ProcedureForm, faces: tuple[Face, ...] = ()
) -> Procedure:
    """The procedure of a round; faults go to `reading`."""
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
    return Procedure(
        device=form.device,
        tumble=form.tumble,
        tumbles_min=form.tumbles_min,
        steps=steps,
        opening=tuple(opening.values()),
        facts=MappingProxyType(_facts(reading, file, form.facts)),
        calls=_calls(reading, file, form.calls, tuple(face.name for face in faces) or DIGITS),
        admits=frozenset(form.admits),
    )


def _facts(reading: Reading, file: BookFile, raw: list[object]) -> dict[Fact, FactRule]:
    """What follows from each fact that the book names."""
    facts: dict[Fact, FactRule] = {}
    for index, row in file.rows("procedure.facts", raw, forms.FactForm):
        if row.fact in facts:
            file.fault(f"fact {row.fact} stands twice", "procedure.facts", index)
        then = tuple(row.then) if isinstance(row.then, list) else (row.then,)
        for reason in _fact_faults(row.fact, then):
            file.fault(reason, "procedure.facts", index)
        clauses = reading.cite(file, row.clause, "procedure.facts", index)
        facts[row.fact] = FactRule(row.fact, then, clauses, row.summary, row.reason or str(row.fact))
    interrupted = facts.get(Fact.INTERRUPTED)
    # With a row missing, nobody can tell what the book says.
    if len(facts) == len(raw) and (interrupted is None or not interrupted.voids):
        wanted = f'{{ fact = "{Fact.INTERRUPTED}", then = "{Then.VOID_ROUND}", clause = "...", summary = "..." }}'
        reason = "nothing says that an interrupted round is void, and no restart could end it"
        file.fault(f"{reason}; write {wanted}", "procedure.facts")
    return facts


_ONLY_AFTER: Final = {
    Then.VOID_ROUNDS_OF_SET: (Fact.DAMAGED_DICE,),
    Then.DICE_DECIDE: (Fact.LIGHTS_FAULT, Fact.TERMINAL_DEAD),
}
"""Consequences that only some facts have."""


def _fact_faults(fact: Fact, then: tuple[Then, ...]) -> Iterator[str]:
    """Why these cannot all follow from the fact."""
    for each, facts in _ONLY_AFTER.items():
        if each in then and fact not in facts:
            yield f"{each} follows from {' or '.join(facts)} only, not from {fact}"
    ends = [each for each in then if each in (*VOIDING, Then.RE_ROLL, Then.DICE_DECIDE)]
    if len(ends) > 1:
        yield f"of {fact} a round ends one way, not {' and '.join(ends)}"
    if Then.RECORD in then and len(then) > 1:
        yield f"{Then.RECORD} of {fact} goes with nothing else"


def _order_faults(steps: list[Step], tumble: Tumble) -> Iterator[str]:
    """Why the steps are not a round. Missing or repeated steps are reported before their order is checked."""
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
    # A format or conversion, as in {total:x}, would fail later in str.format.
    if {name for name, _, _ in fields} != allowed or any(form or conversion for _, form, conversion in fields):
        return f"must say {wanted} and nothing else in braces, got {shown(template)}"
    return None


def _calls(reading: Reading, file: BookFile, form: forms.CallsForm, faces: tuple[str, ...]) -> Calls:
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
        faces=faces,
    )
