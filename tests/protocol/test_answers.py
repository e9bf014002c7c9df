"""Answers of the API: a client and a server of different versions understand each other."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from taisai.protocol.answers import (
    Admitted,
    AuditRun,
    CrewNow,
    FindingEntry,
    FloorCard,
    JournalEntry,
    Me,
    PitCard,
    TableCard,
    TableNow,
)
from taisai.protocol.messages import Json
from taisai.table import events as e
from taisai.table.state import RoundPhase, TablePhase
from taisai.view.crew import crew_view
from taisai.view.public import PublicView, public_view
from tests.table.driver import NZ, SUPERVISOR, Deal

DEAL = Deal(NZ).open().seat(ann=1000)
ME = Me("ann", "player", ("T1",), "csrf", False, 9, "ann")
CARD: dict[str, Any] = {
    "table": "T1", "mode": "dealer", "phase": TablePhase.OPEN, "suspended": "", "disabled": False, "book": None,
    "layout": None, "currency": None, "limits": None, "round": 0, "round_phase": RoundPhase.BETWEEN, "players": 0,
    "watchers": 0, "results": (),
}  # fmt: skip
ANSWERS = (
    Admitted("token", ME),
    FloorCard("House", False, 1, [TableCard(**CARD)]),
    CrewNow(7, crew_view(DEAL.rules, DEAL.state, SUPERVISOR)),
    PitCard(
        **CARD, staked=0, rounds=0, voided=0, win=0, hold=None, float=0, drop=0, opened_at=0, interrupted="", broken="",
        dice_hours=1.5, rounds_per_hour=None, disputes=0, flags=(), dice_health=None,
    ),
    JournalEntry(
        seq=1, at=2, kind="player-sat", by="ann", role="player", authorised_by=None, reason="", command="a",
        told=("ann sits down",), what=e.PlayerSat("ann"), hash="00",
    ),
    AuditRun("done", findings=(FindingEntry(
        code="x", sentence="y", table=None, round=None, seq=None, clauses=(), told="journal: x: y"
    ),)),
)  # fmt: skip


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: type(answer).__name__)
def test_an_answer_survives_the_wire(answer: msgspec.Struct) -> None:
    """What the server encodes decodes to the same answer."""
    assert msgspec.json.decode(msgspec.json.encode(answer), type=type(answer)) == answer


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: type(answer).__name__)
def test_a_field_of_a_newer_server_is_ignored(answer: msgspec.Struct) -> None:
    """An older client goes on with a newer server."""
    raw: Any = msgspec.json.decode(msgspec.json.encode(answer))
    assert msgspec.convert({**raw, "of_the_future": 1}, type(answer), str_keys=True) == answer


def test_a_table_is_typed_for_the_server_and_json_for_the_client() -> None:
    """The same bytes are a `PublicView` at one end and an object at the other."""
    now = TableNow(7, public_view(DEAL.rules, DEAL.state), None, "dealer", 1)
    raw = msgspec.json.encode(now)
    assert msgspec.json.decode(raw, type=TableNow[PublicView]) == now
    assert msgspec.json.decode(raw, type=TableNow[Json]).view["seats"]["ann"]["present"]


def test_exposure_is_absent_while_the_table_is_closed() -> None:
    """A key that does not apply is left out; a figure that is not known is null."""
    card = next(answer for answer in ANSWERS if isinstance(answer, PitCard))
    assert card.exposure is UNSET
    raw = msgspec.to_builtins(card)
    assert "exposure" not in raw
    assert raw["hold"] is None


def test_a_token_is_not_shown() -> None:
    """The token of a session does not get into a log by way of `repr`."""
    assert "token" not in repr(Admitted("token", ME))
