"""What is declared of events: every event says itself who sees it, and nothing private goes to the public."""

from __future__ import annotations

from typing import get_args

import pytest

from taisai.audit.procedure.people import TWO, WHO
from taisai.audit.procedure.seen import CREW, SUPERVISORS
from taisai.audit.procedure.steps import ORDER
from taisai.audit.reports import ReportRow
from taisai.streams.codec import KIND_OF
from taisai.table import events as e
from taisai.table.declared import Audience, Declared, Meter, Significance
from tests import ROOT

KINDS: tuple[type[e.EventBody], ...] = get_args(e.EventBody)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_event_declares_itself_who_sees_it(kind: type[e.EventBody]) -> None:
    """An event class has a declaration of its own: none is public, or private, because nobody thought of it."""
    assert "declared" in vars(kind), f"{kind.__name__} does not declare who is told of it"


def test_an_event_that_declares_nothing_is_private() -> None:
    """What the base class says goes for an event whose author forgot: the crew alone."""
    assert Declared().seen_by is Audience.CREW
    assert e.BetPlaced.__mro__[1].declared == Declared()  # type: ignore[attr-defined]  # the base class of events


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_what_is_withheld_is_there_and_is_all_that_is_private(kind: type[e.EventBody]) -> None:
    """Withheld fields exist, and no public event shows bets, flags or chips handed back to somebody."""
    fields = set(kind.__struct_fields__)
    assert kind.declared.withheld <= fields
    if kind.declared.seen_by is Audience.EVERYONE:
        assert fields & {"bets", "flags", "handed"} <= kind.declared.withheld


def test_balances_stay_with_the_crew() -> None:
    """Cash, chips in hand and counts of the float are never announced."""
    public = {kind for kind in KINDS if kind.declared.seen_by is Audience.EVERYONE}
    shown = {
        kind.__name__ for kind in public if {"amount", "count"} & set(kind.__struct_fields__) - kind.declared.withheld
    }
    assert shown == {"BetCorrected", "ExcessLeft"}


def test_every_meter_counts_something() -> None:
    """Each meter is a column of the report and counts exactly one kind of event; money has an amount."""
    counted = [kind.declared.counted for kind in KINDS if kind.declared.counted is not None]
    assert sorted(counted) == sorted(Meter)
    assert set(Meter) < set(ReportRow._fields)
    in_money = {kind.declared.counted for kind in KINDS if "amount" in kind.__struct_fields__}
    assert in_money - {None} == {Meter.DROP, Meter.FILLS, Meter.CREDITS}


def test_what_needs_two_people_or_a_rank_is_significant() -> None:
    """Whatever the audit wants authorised by two, or ruled by a rank, is listed for the regulator."""
    ranked = {*TWO, "ruled", "line-ruled", "table-opened", "table-resumed", "limits-set", "fact-recorded"}
    assert all(WHO[kind][0] <= SUPERVISORS for kind in ("ruled", "line-ruled", "table-opened", "table-resumed"))
    quiet = {KIND_OF[kind] for kind in KINDS if kind.declared.significance is not Significance.ALWAYS}
    assert ranked & quiet == set()
    assert not any("player" in WHO[kind][0] for kind in ranked)
    assert CREW > SUPERVISORS


def test_both_readings_name_the_same_rule() -> None:
    """The audit, written from the clauses on its own, stands on the rule that the event declares."""
    declared = {KIND_OF[kind]: str(kind.declared.rule) for kind in KINDS}
    for readings in (ORDER, TWO):
        assert {kind: rule for kind, (_, rule) in readings.items() if declared[kind] != rule} == {}


def test_the_document_names_every_event() -> None:
    """The table in docs/api.md says of each event who is told of it, what is withheld, and which rule it stands on."""
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    rows = []
    for kind, name in KIND_OF.items():
        told = {Audience.EVERYONE: "everybody", Audience.SHOWN: "the view shows it", Audience.CREW: "the crew"}
        without = ", ".join(f"`{field}`" for field in sorted(kind.declared.withheld))
        seen_by = told[kind.declared.seen_by] + (f", without {without}" if without else "")
        rows.append(f"| `{name}` | {seen_by} | `{kind.declared.rule}` |")
    assert [row for row in rows if row not in text] == []
    assert text.count("\n| `") - text.count("\n| `bad-message`") >= len(rows)
