"""A settle case: the bets of one round as JSON, and the answer.

Enters: bytes or a parsed object (docs/settle.md). Leaves: an answer of plain values, or an `InputFault` that names the
field. Nothing is guessed: an unknown key, a fraction for money or a fourth die is refused. The rules are `core`'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from taisai.books import Shelf
from taisai.core.bets import Bet, PlayerId, box_on, merge_bets
from taisai.core.calls import result_call
from taisai.core.dice import Roll, roll_of
from taisai.core.explain import clauses_behind, clauses_behind_void, why, why_void
from taisai.core.faults import InputFault, decoding_fault, shown
from taisai.core.limits import Limits, make_limits
from taisai.core.money import CHIPS_MAX, chips_of
from taisai.core.prorata import FixedStakes, Flag, fix_stakes
from taisai.core.rulebook import Layout, RuleBook, VoidReason, VoidRule
from taisai.core.settlement import Settlement, settle, settle_void

CASE_BYTES_MAX = 4 * 1024 * 1024
"""A case is the bets of one round: a thousand players with fifty bets each fit."""
TEXT_MAX = 200
"""Characters of a player's name or a case's id."""


class BetForm(Struct, forbid_unknown_fields=True):
    """A bet as it is written. Money is checked by the core, which names the field of what it refuses."""

    player: str
    box: str
    stake: object


class LimitsForm(Struct, forbid_unknown_fields=True):
    """Limits as they are written."""

    unit: object = 1
    default: dict[str, object] = {}
    kinds: dict[str, dict[str, object]] = {}
    differential: dict[str, object] = {}


class CaseForm(Struct, forbid_unknown_fields=True):
    """A case as it is written."""

    layout: str
    bets: list[BetForm]
    dice: list[object] | None = None
    void: str | None = None
    limits: LimitsForm | None = None
    id: str | int | None = None


def decode_json(data: bytes | str, field_name: str = "") -> Any:
    """A JSON value, or a fault in one line."""
    if len(data) > CASE_BYTES_MAX:
        raise InputFault(field_name, f"a case is at most {CASE_BYTES_MAX} bytes, this one is larger")
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        raise InputFault(field_name, f"not JSON: {error}") from None
    except UnicodeDecodeError:
        raise InputFault(field_name, "not JSON: not UTF-8 text") from None
    except RecursionError:
        raise InputFault(field_name, "not a case: nested too deeply") from None


def read_case(raw: object) -> CaseForm:
    """The case in a parsed object."""
    try:
        case = msgspec.convert(raw, CaseForm)
    except msgspec.ValidationError as error:
        raise decoding_fault(str(error)) from None
    for place, bet in enumerate(case.bets):
        _named(bet.player, f"bets[{place}].player")
    if isinstance(case.id, str):
        _named(case.id, "id")
    if case.dice is None and case.void is None:
        raise InputFault("dice", "give three faces, or null with a `void` reason")
    if case.dice is not None and case.void is not None:
        raise InputFault("void", "a round with dice is not void: give `dice` or `void`, not both")
    return case


def _named(text: str, field_name: str) -> None:
    if not text.strip() or len(text) > TEXT_MAX or not text.isprintable():
        raise InputFault(field_name, f"from 1 to {TEXT_MAX} printable characters, got {shown(text)}")


def answer_case(shelf: Shelf, raw: object) -> dict[str, object]:
    """Settle the case in a parsed object; the answer in plain values."""
    case = read_case(raw)
    layout = shelf.layout(case.layout)
    book = shelf.book(layout.book_id)
    bets = _bets(layout, case)
    limits = _limits(case)
    fixed = fix_stakes(book, limits, bets)
    if case.dice is not None:
        roll = roll_of(case.dice)
        settlement = settle(layout, roll, bets, fixed.at_risk if fixed.shared else None)
        answer = _answer(book, layout, roll, settlement, fixed, limits)
    else:
        rule = _void_rule(book, case.void or "")
        answer = _void_answer(book, layout, rule, settle_void(layout, bets), fixed.flags)
    return answer if case.id is None else {"id": case.id, **answer}


def _bets(layout: Layout, case: CaseForm) -> tuple[Bet, ...]:
    bets = []
    for place, form in enumerate(case.bets):
        box = box_on(layout, form.box, f"bets[{place}].box")
        stake = chips_of(form.stake, f"bets[{place}].stake", at_least=1)
        bets.append(Bet(PlayerId(form.player), box, stake))
    if sum(bet.stake for bet in bets) > CHIPS_MAX:
        raise InputFault("bets", f"the stakes together are at most {CHIPS_MAX}")
    return merge_bets(bets)


def _limits(case: CaseForm) -> Limits | None:
    form = case.limits
    if form is None:
        return None
    try:
        return make_limits(unit=form.unit, default=form.default, kinds=form.kinds, differential=form.differential)
    except InputFault as fault:
        raise fault.under("limits") from None


def _void_rule(book: RuleBook, text: str) -> VoidRule:
    """A void rule of the book by its reason, or by the number of its clause."""
    wanted = text.strip().lower().replace("_", "-").replace(" ", "-").removeprefix("§")
    for rule in book.procedure.voids.values():
        if wanted == rule.reason or wanted in rule.clauses:
            return rule
    known = ", ".join(book.procedure.voids)
    if wanted in set(VoidReason):
        raise InputFault("void", f"rule book {book.id} has no void reason {wanted}; it has {known}")
    raise InputFault("void", f"unknown void reason {shown(text)}; rule book {book.id} has {known}")


def _answer(  # noqa: PLR0917 - the parts of one round, each made by the step before
    book: RuleBook, layout: Layout, roll: Roll, settlement: Settlement, fixed: FixedStakes, limits: Limits | None
) -> dict[str, object]:
    bets = []
    for ruling in settlement.rulings:
        bet = ruling.bet
        capacity = fixed.capacity_of(bet.box)
        under_minimum = limits is not None and bet.stake < limits.of(bet.box).stake_min
        bets.append(
            {
                "player": bet.player,
                "box": bet.box,
                "stake": bet.stake,
                "at_risk": ruling.at_risk,
                "pays": ruling.pays,
                "winnings": ruling.winnings,
                "returned": ruling.returned,
                "clauses": clauses_behind(book, layout, roll, ruling, capacity, under_minimum=under_minimum),
                "why": why(layout, roll, ruling, capacity),
            }
        )
    return {
        "layout": layout.name,
        "dice": list(roll.faces),
        "call": result_call(book.procedure.calls, roll),
        "total": roll.total,
        "lit": layout.lit(roll),
        "bets": bets,
        "flags": [flag_answer(flag) for flag in fixed.flags],
        "totals": settlement.totals._asdict(),
    }


def _void_answer(
    book: RuleBook, layout: Layout, rule: VoidRule, settlement: Settlement, flags: tuple[Flag, ...]
) -> dict[str, object]:
    clauses = clauses_behind_void(book, rule)
    return {
        "layout": layout.name,
        "dice": None,
        "void": rule.reason,
        "call": book.procedure.calls.void,
        "total": None,
        "lit": [],
        "bets": [
            {
                "player": ruling.bet.player,
                "box": ruling.bet.box,
                "stake": ruling.bet.stake,
                "at_risk": ruling.at_risk,
                "pays": None,
                "winnings": ruling.winnings,
                "returned": ruling.returned,
                "clauses": clauses,
                "why": why_void(rule, ruling),
            }
            for ruling in settlement.rulings
        ],
        "flags": [flag_answer(flag) for flag in flags],
        "totals": settlement.totals._asdict(),
    }


def flag_answer(flag: Flag) -> dict[str, object]:
    """A flag in plain values."""
    return {
        "code": flag.code,
        "box": flag.box,
        "player": flag.player,
        "amount": flag.amount,
        "clauses": flag.clauses,
        "text": flag.text,
    }


def error_answer(fault: InputFault, line: int | None = None) -> dict[str, Mapping[str, object]]:
    """A fault in the one shape that errors have: code, sentence, field and, in a batch, the line."""
    error: dict[str, object] = {"code": "bad-input", "field": fault.field or None, "message": str(fault)}
    if line is not None:
        error["line"] = line
    return {"error": error}
