"""A settle case: the bets of one round as JSON, and the answer.

Enters: bytes or a parsed object (docs/settle.md). Leaves: a `CaseAnswer`, or an `InputFault` that names the field.
Nothing is guessed: an unknown key, a fraction for money or a fourth die is refused. The rules are `core`'s.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from taisai.books import Shelf
from taisai.core.bets import Bet, PlayerId, box_on, merge_bets
from taisai.core.dice import Roll, roll_of
from taisai.core.explain import clauses_behind, clauses_behind_void, over_limit, why, why_void
from taisai.core.faults import InputFault, decoding_fault, shown
from taisai.core.limits import Limits, make_limits, not_by_book
from taisai.core.money import CHIPS_MAX, chips_of
from taisai.core.names import result_call
from taisai.core.prorata import FixedStakes, Flag, fix_stakes
from taisai.core.rulebook import Fact, FactRule, Layout, RuleBook
from taisai.core.settlement import Ruling, Settlement, drawn_layout, settle, settle_void
from taisai.table.commands import Dice

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
    draw: str | None = None
    """Which odds were drawn, where the layout draws them."""
    id: str | int | None = None


class AnsweredBet(Struct, frozen=True, kw_only=True):
    """A bet of the answer."""

    player: str
    box: str
    stake: int
    at_risk: int
    """Less than the stake where the box was pro-rated."""
    pays: int | str | None
    """To 1; null when the bet lost, or the round is void."""
    winnings: int
    returned: int
    """All that goes back to the player."""
    clauses: tuple[str, ...]
    why: str


class CaseTotals(Struct, frozen=True):
    """Sums over the bets."""

    staked: int
    at_risk: int
    winnings: int
    returned: int


class CaseAnswer(Struct, frozen=True, kw_only=True):
    """A settled case."""

    id: str | int | UnsetType = UNSET
    """As the case gave it."""
    layout: str
    dice: Dice | None
    void: str | UnsetType = UNSET
    """Why, when the round is void."""
    call: str
    """What the dealer announces."""
    total: int | None
    lit: tuple[str, ...]
    """The winning boxes."""
    bets: tuple[AnsweredBet, ...]
    flags: tuple[Flag, ...]
    totals: CaseTotals


class CaseError(Struct, frozen=True):
    """Why a case cannot be read."""

    code: str
    field: str | None
    message: str
    line: int | UnsetType = UNSET
    """Of a batch."""


class CaseErrors(Struct, frozen=True):
    """The answer to a case that cannot be read."""

    error: CaseError


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


def answer_case(shelf: Shelf, raw: object) -> CaseAnswer:
    """Settle the case in a parsed object."""
    case = read_case(raw)
    layout = shelf.layout(case.layout)
    book = shelf.book(layout.book_id)
    bets = _bets(layout, case)
    limits = _limits(case, book, layout)
    fixed = fix_stakes(book, limits, bets)
    if case.dice is None:
        answer = _void_answer(book, _void_rule(book, case.void or ""), settle_void(layout, bets), fixed.flags)
    else:
        roll = roll_of(case.dice)
        settlement = settle(drawn_layout(layout, case.draw), roll, bets, fixed.at_risk if fixed.shared else None)
        answer = _answer(book, roll, settlement, fixed, limits)
    return answer if case.id is None else replace(answer, id=case.id)


def _bets(layout: Layout, case: CaseForm) -> tuple[Bet, ...]:
    bets = []
    for place, form in enumerate(case.bets):
        box = box_on(layout, form.box, f"bets[{place}].box")
        stake = chips_of(form.stake, f"bets[{place}].stake", at_least=1)
        if layout.rounding is None and stake % layout.unit:
            reason = f"multiples of {layout.unit}, so that all odds of {layout.name} win whole amounts, got {stake}"
            raise InputFault(f"bets[{place}].stake", reason)
        bets.append(Bet(PlayerId(form.player), box, stake))
    if sum(bet.stake for bet in bets) > CHIPS_MAX:
        raise InputFault("bets", f"the stakes together are at most {CHIPS_MAX}")
    return merge_bets(bets)


def _limits(case: CaseForm, book: RuleBook, layout: Layout) -> Limits | None:
    form = case.limits
    if form is None:
        return None
    try:
        limits = make_limits(
            unit=form.unit,
            default=form.default,
            kinds=form.kinds,
            differential=form.differential,
            layout=layout,
        )
        wrong = not_by_book(book, limits)
        if wrong is not None and wrong[0] != "differential":  # which is flagged
            raise InputFault(wrong[0], wrong[1])
    except InputFault as fault:
        raise fault.under("limits") from None
    return limits


def _void_rule(book: RuleBook, text: str) -> FactRule:
    """A void rule of the book by its reason, or by the number of its clause."""
    wanted = text.strip().lower().replace("_", "-").replace(" ", "-").removeprefix("§")
    for rule in book.procedure.voids.values():
        if wanted in (rule.reason, rule.fact) or wanted in rule.clauses:
            return rule
    known = ", ".join(book.procedure.voids)
    if wanted in set(Fact):
        raise InputFault("void", f"rule book {book.id} has no void reason {wanted}; it has {known}")
    raise InputFault("void", f"unknown void reason {shown(text)}; rule book {book.id} has {known}")


def _answer(
    book: RuleBook, roll: Roll, settlement: Settlement, fixed: FixedStakes, limits: Limits | None
) -> CaseAnswer:
    layout = settlement.layout
    bets = []
    for ruling in settlement.rulings:
        box, stake = ruling.bet.box, ruling.bet.stake
        over = None if limits is None else over_limit(limits, box, fixed.capacity_of(box))
        under_minimum = limits is not None and stake < limits.of(box).stake_min
        clauses = clauses_behind(book, layout, roll, ruling, over, under_minimum=under_minimum)
        bets.append(_answered(ruling, clauses, why(layout, roll, ruling, over)))
    return CaseAnswer(
        layout=layout.name,
        dice=roll.faces,
        call=result_call(book.procedure.calls, roll),
        total=roll.total,
        lit=layout.lit(roll),
        bets=tuple(bets),
        flags=fixed.flags,
        totals=CaseTotals(*settlement.totals),
    )


def _void_answer(book: RuleBook, rule: FactRule, settlement: Settlement, flags: tuple[Flag, ...]) -> CaseAnswer:
    clauses = clauses_behind_void(book, rule)
    return CaseAnswer(
        layout=settlement.layout.name,
        dice=None,
        void=rule.reason,
        call=book.procedure.calls.void,
        total=None,
        lit=(),
        bets=tuple(_answered(ruling, clauses, why_void(rule, ruling)) for ruling in settlement.rulings),
        flags=flags,
        totals=CaseTotals(*settlement.totals),
    )


def _answered(ruling: Ruling, clauses: tuple[str, ...], words: str) -> AnsweredBet:
    bet = ruling.bet
    return AnsweredBet(
        player=bet.player,
        box=bet.box,
        stake=bet.stake,
        at_risk=ruling.at_risk,
        pays=ruling.pays,
        winnings=ruling.winnings,
        returned=ruling.returned,
        clauses=clauses,
        why=words,
    )


def error_answer(fault: InputFault, line: int | None = None) -> CaseErrors:
    """A case that cannot be read, answered in its place of a batch."""
    return CaseErrors(CaseError("bad-input", fault.field or None, str(fault), UNSET if line is None else line))
