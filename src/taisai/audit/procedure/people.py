"""Who did it: rank, the second person, the reason, and what nobody may do for somebody else.

Serves `nz-division-9` §4.9, §5.0, §6.6, §7.2; `rws-tai-sai-v6` §1.2, §1.5, §5.3, §5.13, §5.14; R31.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from taisai.audit.findings import AuditFinding
from taisai.audit.procedure.course import UNCOVERED
from taisai.audit.procedure.seen import CREW, MANAGERS, PLAYER, SHIFT_MANAGER, SUPERVISORS, SYSTEM, Seen

_HOUSE: Final = frozenset({SYSTEM})
_ANY: Final = CREW | {PLAYER}
_STEP: Final = (CREW, "roles")
_BY_SUPERVISOR: Final = (SUPERVISORS, "dice-set")
_FOR_HOUSE: Final = (SUPERVISORS | _HOUSE, "roles")
_OF_CREW: Final = (CREW | _HOUSE, "roles")

WHO: Final[Mapping[str, tuple[frozenset[str], str]]] = {
    "table-set-up": _FOR_HOUSE,
    "edition-taken": _FOR_HOUSE,
    "dealing-assigned": (_HOUSE, "roles"),
    "source-tested": (_HOUSE, "opening-check"),
    "clock-set": (_HOUSE, "roles"),
    "float-counted": (SUPERVISORS, "roles"),
    "dice-received": _BY_SUPERVISOR,
    "dice-sealed": _BY_SUPERVISOR,
    "dice-inspected": _BY_SUPERVISOR,
    "dice-retired": _BY_SUPERVISOR,
    "dice-overdue": _OF_CREW,
    "test-run-made": (SUPERVISORS, "test-runs"),
    "item-checked": (SUPERVISORS, "opening-check"),
    "table-opened": (SUPERVISORS, "opening-check"),
    "table-suspended": _OF_CREW,
    "table-resumed": (SUPERVISORS, "suspended-after-malfunction"),
    "limits-set": (SUPERVISORS, "limits-shown"),
    "table-closed": (SUPERVISORS, "roles"),
    "player-sat": (_ANY, "player-answers"),
    "player-left": (_ANY, "player-answers"),
    "player-walked-away": _OF_CREW,
    "bought-in": _STEP,
    "chips-brought": _STEP,
    "cashed-out": _STEP,
    "colour-taken": _STEP,
    "colour-turned-in": _STEP,
    "filled": (SUPERVISORS, "roles"),
    "credited": (SUPERVISORS, "roles"),
    "debt-settled": _STEP,
    "dice-committed": _STEP,
    "dice-tumbled": _STEP,
    "bets-opened": _STEP,
    "bet-withdrawn": (_ANY, "staff-bets"),
    "minimum-advised": _STEP,
    "excess-rejected": _OF_CREW,
    "excess-left": _STEP,
    "bet-returned": _STEP,
    "bets-closed": _STEP,
    "dice-opened": _STEP,
    "odds-drawn": _STEP,
    "dice-uncovered": _STEP,
    "result-announced": _STEP,
    "number-pressed": _STEP,
    "result-entered": _STEP,
    "areas-lit": _STEP,
    "entry-amended": _OF_CREW,
    "dice-corrected": _STEP,
    "losers-collected": _STEP,
    "round-concluded": _STEP,
    "fact-recorded": _OF_CREW,
    "fact-attested": _STEP,
    "settlement-undone": _OF_CREW,
    "roll-voided": _OF_CREW,
    "round-voided": _OF_CREW,
    "round-interrupted": _OF_CREW,
    "interruption-resolved": _OF_CREW,
    "bet-corrected": (CREW, "moved-wager-corrected"),
    "line-touched": (CREW, "line-touching-bets"),
    "line-ruled": (SUPERVISORS, "line-touching-bets"),
    "round-reversed": _OF_CREW,
    "ruled": (frozenset({SHIFT_MANAGER}), "shift-manager-decides"),
    "error-noted": _STEP,
    "dispute-opened": (_ANY, "roles"),
    "dispute-resolved": (SUPERVISORS, "roles"),
}
"""Who may do it, and the rule behind that. Bets and payments, which come in runs, are looked at elsewhere."""

DEALT: Final = frozenset({
    "dice-committed", "dice-tumbled", "bets-opened", "bets-closed", "odds-drawn", "dice-uncovered", "result-announced",
    "number-pressed", "result-entered", "losers-collected", "bet-paid", "round-concluded",
})  # fmt: skip
"""The steps of a round."""

ATTESTED: Final = frozenset({"item-checked", "test-run-made", "dice-received", "dice-sealed", "dice-inspected"})
"""What somebody has looked at, or handled."""
PROGRAMS: Final = frozenset({"house", "auto-dealer", "auto-supervisor", "demo-cashier"})
DEMONSTRATION: Final = "demonstration"
"""Opens the tables of a demonstration, and of nothing else."""


def of_rank(seen: Seen, what: Any) -> Iterable[AuditFinding]:
    """Everything is done by those whom the book names; players act for themselves."""
    role = seen.event.by.role
    if role in WHO[seen.kind][0] and role != PLAYER and seen.course.dealt_by != "house":
        return ()
    return _not_of_rank(seen, what)


def _not_of_rank(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    ranks, rule = WHO[seen.kind]
    by = seen.event.by
    of_house = seen.course.dealt_by == "house"
    if of_house and by.role == SYSTEM:
        return  # its own dealer acts in its own name; `by_the_house` and `looked_at_by_people` say what it may not
    if by.role not in ranks:
        yield seen.finding("not-authorised", f"{seen.kind} by {by.id} ({by.role})", rule)
    elif of_house and seen.kind in DEALT:
        sentence = f"{seen.kind} by {by.id} ({by.role}), at a table that the house deals"
        yield seen.finding("not-authorised", sentence, "roles")
    if by.role == PLAYER:
        whose = what.handed.player if seen.kind == "bet-withdrawn" else what.player
        if by.id != whose:
            sentence = f"{seen.kind} of {whose} by {by.id}: players act for themselves only"
            yield seen.finding("not-authorised", sentence, "player-answers")


def looked_at_by_people(seen: Seen, _what: Any) -> Iterator[AuditFinding]:
    """No program says that it has looked at a seal, a tumbler or lights that only people can look at."""
    by = seen.event.by
    if not seen.ruled.current:
        return
    if by.role == SYSTEM or by.id in PROGRAMS or (by.id == DEMONSTRATION and seen.course.purpose == "gaming"):
        sentence = f"{seen.kind} under the name of {by.id}, a program that has looked at nothing"
        yield seen.finding("attested-by-nobody", sentence, "opening-check", "dice-set")


# ------------------------------------------------------------------ two people

TWO: Final[Mapping[str, tuple[frozenset[str], str]]] = {
    "entry-amended": (SUPERVISORS, "entry-amended"),
    "bet-corrected": (SUPERVISORS, "moved-wager-corrected"),
    "interruption-resolved": (SUPERVISORS, "interruption-concluded"),
    "limits-set": (MANAGERS, "limits-shown"),
    "dice-corrected": (SUPERVISORS, "uppermost-faces"),
}
"""What takes a second person, of which rank, and the rule behind that."""


def two_people(seen: Seen, _what: Any) -> Iterator[AuditFinding]:
    """An alteration has a second person of rank, and a reason; dice are put right freely until they are called."""
    if seen.kind == "dice-corrected" and seen.turn.step == UNCOVERED:
        return
    ranks, rule = TWO[seen.kind]
    yield from second_of_rank(seen, ranks, rule)


def second_of_rank(seen: Seen, ranks: frozenset[str], rule: str) -> Iterator[AuditFinding]:
    """Somebody else of a rank, and a reason."""
    event = seen.event
    other = event.authorised_by
    alone = event.by.role == SYSTEM and seen.course.dealt_by == "house"
    alone = alone or (seen.kind == "entry-amended" and event.by.role in ranks)  # the supervisor is the one of rank
    if not alone and (other is None or other.id == event.by.id or other.role not in ranks):
        yield seen.finding("one-person", f"{seen.kind} was not authorised by a second person of rank", rule)
    if not event.reason.strip():
        yield seen.finding("no-reason", f"{seen.kind} has no reason", rule)
