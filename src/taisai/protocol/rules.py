"""Rule books, odds and clauses as plain values, for JSON: the same from the command and from the API."""

from __future__ import annotations

from fractions import Fraction

from taisai.books.clause_tests import tests_holding
from taisai.books.duties import NOT_STATED, Duties
from taisai.core.citations import citations_of
from taisai.core.odds import BetsOdds, BoxOdds
from taisai.core.rulebook import Clause, Interpretation, Layout, RuleBook


def exact(value: Fraction) -> dict[str, object]:
    """A fraction for JSON: exactly, and as the nearest floating-point number."""
    return {"exact": str(value), "value": float(value)}


def plain_book(book: RuleBook) -> dict[str, object]:
    """A rule book in plain values."""
    procedure = book.procedure
    return {
        "id": book.id,
        "title": book.title,
        "version": book.version,
        "operator": book.operator,
        "jurisdiction": book.jurisdiction,
        "document": book.document,
        "effective": book.effective,
        "digest": book.digest,
        "formerly": [former._asdict() for former in book.formerly],
        "clauses": len(book.clauses),
        "interpretations": list(book.interpretations),
        "procedure": {
            "device": procedure.device,
            "tumble": procedure.tumble,
            "tumbles_min": procedure.tumbles_min,
            "steps": procedure.steps,
            "opening": procedure.opening,
            "voids": list(procedure.voids.values()),
            "calls": procedure.calls,
        },
        "rules": dict(book.rules),
        "layouts": [plain_layout(layout) for layout in book.layouts.values()],
    }


def plain_layout(layout: Layout) -> dict[str, object]:
    """A layout with its pay table in plain values."""
    return {
        "name": layout.name,
        "title": layout.title,
        "clauses": layout.clauses,
        "boxes": list(layout.boxes),
        "pay": [
            {
                "bet": row.bet,
                "boxes": [box.name for box in row.boxes],
                "pays": row.pays,
                "dice": row.dice,
                "totals": sorted(row.totals) if row.totals is not None else None,
                "clauses": row.clauses,
            }
            for row in layout.rows
        ],
    }


def plain_box(box: BoxOdds) -> dict[str, object]:
    """A box's odds in plain values."""
    return {
        "box": box.box.name,
        "kind": box.box.kind,
        "bet": box.bet,
        "pays": [{"pays": each.pays, "ways": each.ways} for each in box.pay_ways],
        "ways": box.ways,
        "probability": exact(box.probability),
        "return": exact(box.returned),
        "edge": exact(box.edge),
        "variance": exact(box.variance),
        "below_75": box.is_below_floor,
        "clauses": box.clauses,
    }


def plain_bets(layout: Layout, odds: BetsOdds) -> dict[str, object]:
    """Bets played together, over all rolls, in plain values."""
    return {
        "layout": layout.name,
        "bets": [{"box": bet.box, "stake": bet.stake} for bet in odds.bets],
        "staked": odds.staked,
        "hit_frequency": exact(odds.hit_frequency),
        "ahead": exact(odds.ahead),
        "return": exact(odds.returned),
        "edge": exact(odds.edge),
        "expected_net": exact(odds.expected_net),
        "variance": exact(odds.variance),
        "below_75": odds.is_below_floor,
        "exposure": odds.exposure,
        "house_worst": {"dice": odds.house_worst.roll.faces, "player_net": odds.house_worst.net},
        "house_best": {"dice": odds.house_best.roll.faces, "player_net": odds.house_best.net},
        "distribution": [{"net": net, "ways": ways} for net, ways in odds.distribution],
        "rolls": [{"dice": result.roll.faces, "net": result.net} for result in odds.results],
    }


def plain_clause(book: RuleBook, duties: Duties, each: Clause | Interpretation) -> dict[str, object]:
    """A clause or an interpretation in plain values, with what cites it and the tests that hold it."""
    common = {"cited_by": citations_of(book, each.id), "tests": tests_holding(book.id, each.id)}
    if isinstance(each, Interpretation):
        return {
            "book": book.id,
            "id": each.id,
            "clauses": each.clauses,
            "question": each.question,
            "reading": each.reading,
            "house_choice": each.house_choice,
            **common,
        }
    owed = duties.get(each.id, NOT_STATED)
    return {
        "book": book.id,
        "id": each.id,
        "document": book.document,
        "summary": each.summary,
        "duties": owed.duties,
        "room": owed.room,
        "effective": each.effective,
        "interpretations": [
            {"id": entry.id, "question": entry.question, "reading": entry.reading, "house_choice": entry.house_choice}
            for entry in book.interpretations_of(each.id)
        ],
        **common,
    }
