"""API: tables. The public view, a player's own rounds, the crew's view, the pit's figures, commands, the journal."""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, to_builtins
from msgspec.structs import asdict
from starlette.responses import Response

from taisai.core.dice import roll_of
from taisai.felt import draw
from taisai.floor.answers import Answer, HouseCode
from taisai.floor.live import LiveTable
from taisai.house.sessions import Session
from taisai.protocol.answers import (
    CarriedOut,
    CrewNow,
    ExplainedLine,
    ExposureCard,
    FloorCard,
    JournalEntry,
    PitCard,
    RoundCard,
    RoundReplay,
    TableCard,
    TableNow,
)
from taisai.protocol.messages import CommandId, Do
from taisai.streams.codec import event_of
from taisai.table.commands import Command, Name, SetUp
from taisai.table.explanations import RecalledRound, explain_line, recall
from taisai.table.figures import exposure, table_result
from taisai.table.notation.narration import output_of
from taisai.table.refusals import Refusal
from taisai.table.rules import TableRules
from taisai.table.state import PastRound, TablePhase, TableState
from taisai.view.crew import crew_view
from taisai.view.public import PublicView, public_view
from taisai.web.endpoint import Call, Endpoint, Who
from taisai.web.errors import Stop, not_at_table
from taisai.web.socket.feed import until_of

_HOUR_US: Final = 3_600_000_000
RECALLED: Final = 50
"""The most rounds that a player is sent at once."""


def _table(call: Call) -> LiveTable:
    return call.context.floor.tables[call.path["table"]]


def _card(call: Call, table: LiveTable) -> TableCard:
    state, floor = table.state, call.context.floor
    set_up = state.set_up
    return TableCard(
        table=table.name,
        mode=floor.mode(table.name),
        phase=state.phase,
        suspended=state.suspended,
        disabled=not floor.disabled.isdisjoint(("*", table.name)),
        book=None if set_up is None else set_up.book,
        layout=None if set_up is None else set_up.layout,
        currency=None if set_up is None else set_up.currency,
        limits=None if set_up is None else set_up.limits,
        round=state.round.number,
        round_phase=state.round.phase,
        players=sum(seat.present for seat in state.players.values()),
        watchers=call.context.feed(table.name).subscriber_count,
        results=tuple(_result(past) for past in state.history[-10:]),
    )


def _result(past: PastRound) -> RoundCard:
    return RoundCard(number=past.number, dice=past.dice, void=past.void, call=past.call, ended_at=past.ended_at)


async def get_floor(call: Call) -> FloorCard:
    """All tables, as anybody may see them."""
    context = call.context
    cards = [_card(call, table) for _, table in sorted(context.floor.tables.items())]
    disabled = "*" in context.floor.disabled
    return FloorCard(context.settings.house.name, context.settings.demo.enabled, context.clock.now(), cards, disabled)


async def get_table(call: Call) -> TableNow[PublicView]:
    """One table, as anybody may see it."""
    table, floor = _table(call), call.context.floor
    view = public_view(table.rules(), table.state)
    until = until_of(floor.until(table.state))
    return TableNow(table.state.seq, view, until, floor.mode(table.name), call.context.clock.now())


async def get_table_felt(call: Call) -> Response:
    """The felt of a table, with the winners lit once the result is known."""
    table = _table(call)
    rules, state = table.rules(), table.state
    if rules is None or state.set_up is None:
        raise Stop(Refusal(HouseCode.NOT_FOUND, "The table is not set up."))
    dice = state.round.dice
    text = draw(rules.book.layouts[state.set_up.layout], roll=None if dice is None else roll_of(dice))
    return Response(text, media_type="image/svg+xml", headers={"cache-control": "no-store"})


class RoundsQuery(Struct, frozen=True):
    """Which rounds."""

    before: Annotated[int, Meta(ge=1)] | None = None
    count: Annotated[int, Meta(ge=1, le=100)] = 50


async def list_rounds(call: Call) -> list[RoundCard]:
    """Completed rounds, newest first (the last hundred; older ones are in the journal)."""
    before = call.query.before
    history = [past for past in _table(call).state.history if before is None or past.number < before]
    return [_result(past) for past in islice(reversed(history), call.query.count)]


async def my_rounds(call: Call) -> list[RoundReplay]:
    """A player's own last rounds: a replay, with funds before and after and why each bet came out so (R26)."""
    session = call.mine
    table = call.context.floor.tables.get(session.tables[0])
    rules = None if table is None else table.rules()
    if table is None or rules is None:
        return []
    rounds = recall(table.state, session.who, min(call.query.count, RECALLED))
    return [_replay(rules, table.state, each) for each in rounds]


def _replay(rules: TableRules, state: TableState, found: RecalledRound) -> RoundReplay:
    past, lines = found.past, []
    for line in found.lines:
        why = explain_line(rules.book, past, line)
        lines.append(
            ExplainedLine(
                box=line.box,
                stake=line.stake,
                at_risk=line.at_risk,
                pays=line.pays,
                winnings=line.winnings,
                returned=line.returned,
                why=why.why,
                clauses=why.clauses,
            )
        )
    return RoundReplay(
        **asdict(_result(past)),
        replay=True,
        table=state.table,
        lines=tuple(lines),
        staked=sum(line.stake for line in lines),
        returned=sum(line.returned for line in lines),
        net=sum(line.returned - line.stake for line in lines),
        funds_before=found.funds_before,
        funds_after=found.funds_after,
    )


# ------------------------------------------------------------------ commands


async def _command(call: Call, do: Do, session: Session, table: str) -> Command:
    if session.person is None:
        raise Stop(Refusal(HouseCode.NOT_ALLOWED, "Administrators give no commands at a table.", ("R37",)))
    command = await call.context.command_of(do, session.person, table, where=call.where)
    if isinstance(command, Refusal):
        raise Stop(command, {"retry-after": "60"} if command.code == HouseCode.TOO_FAST else None)
    return command


def _done(command_id: str, answer: Answer) -> CarriedOut:
    if answer.refusal is not None:
        raise Stop(answer.refusal)
    events = [to_builtins(event.what) for event in answer.events]
    sentences = [line for event in answer.events for line in output_of(event.what)]
    return CarriedOut(command_id, answer.seq, answer.repeated, events, sentences)


async def do_command(call: Call) -> CarriedOut:
    """Carry out a command, as over the play socket; it is on disk when this answers."""
    table = _table(call)
    session = call.mine
    if not session.reaches(table.name):
        raise Stop(not_at_table(table.name))
    command = await _command(call, call.body, session, table.name)
    return _done(command.id, await call.context.floor.do(table.name, command))


class NewTable(Struct, frozen=True, forbid_unknown_fields=True):
    """A table to open under a rule book."""

    table: Name
    set_up: SetUp
    id: CommandId = "first-set-up"


async def put_up_table(call: Call) -> CarriedOut:
    """Set up a new table under a rule book."""
    floor, body, session = call.context.floor, call.body, call.mine
    if body.table in floor.tables and floor.tables[body.table].state.phase is not TablePhase.NEW:
        raise Stop(Refusal(HouseCode.NOT_ALLOWED, f"There already is a table {body.table}.", field="table"))
    if not session.reaches(body.table):
        raise Stop(not_at_table(body.table))
    command = await _command(call, Do(body.id, body.set_up), session, body.table)
    answer = await floor.do(body.table, command)
    if answer.refusal is not None and floor.tables[body.table].state.seq == 0:
        floor.forget(body.table)
    return _done(command.id, answer)


# ------------------------------------------------------------------ the crew


async def get_crew_view(call: Call) -> CrewNow:
    """The crew's view of a table: balances, float, exposure, breaches, and the next steps or why they are refused."""
    table, person = _table(call), call.mine.person
    assert person is not None
    return CrewNow(table.state.seq, crew_view(table.rules(), table.state, person))


async def get_pit(call: Call) -> list[PitCard]:
    """Every table that the session reaches: state, exposure, win and hold, dice age."""
    tables = sorted(call.context.floor.tables.items())
    return [_pit_card(call, table) for name, table in tables if call.mine.reaches(name)]


def _pit_card(call: Call, table: LiveTable) -> PitCard:
    state, rules, now = table.state, table.rules(), call.context.clock.now()
    result = table_result(state)
    dice = state.dice_sets.get(state.dice_in or "")
    sealed_at = None if dice is None else dice.sealed_at
    worst = exposure(rules, state) if rules is not None and state.phase is TablePhase.OPEN else None
    return PitCard(
        **asdict(_card(call, table)),
        staked=state.meters.staked,
        rounds=state.meters.rounds,
        voided=state.meters.voided,
        win=result.win,
        hold=None if result.hold is None else float(result.hold),
        float=result.closer,
        drop=result.drop,
        opened_at=state.shift.opened_at,
        interrupted=state.round.interrupted,
        broken=table.broken,
        dice_hours=None if sealed_at is None else round((now - sealed_at) / _HOUR_US, 2),
        rounds_per_hour=rounds_per_hour(state, now),
        disputes=sum(not each.resolution for each in state.disputes.values()),
        flags=state.round.flags,
        dice_health=call.context.dice_health.of(table.name),
        exposure=UNSET if worst is None else ExposureCard(worst.staked, worst.loss),
    )


def rounds_per_hour(state: TableState, now: int) -> int | None:
    """How many rounds a table deals in an hour: over the last hour, or since the first round in it."""
    ended = [past.ended_at for past in state.history if past.ended_at > now - _HOUR_US]
    if len(ended) < 2:
        return None
    return round((len(ended) - 1) * _HOUR_US / max(ended[-1] - ended[0], 1))


class JournalQuery(Struct, frozen=True):
    """Which records."""

    after: Annotated[int, Meta(ge=0)] = 0
    count: Annotated[int, Meta(ge=1, le=500)] = 100
    last: Annotated[int, Meta(ge=1, le=500)] | None = None
    """Only the last so many; replaces `after`."""
    kind: Annotated[str, Meta(max_length=64)] = ""
    by: Annotated[str, Meta(max_length=64)] = ""


async def read_journal(call: Call) -> list[JournalEntry]:
    """The records of a table, filtered, each with its sentences."""
    session = call.mine
    table = _table(call)
    if not session.reaches(table.name) and not session.is_administrator:
        raise Stop(not_at_table(table.name))
    query = call.query
    journal = call.context.floor.writer.journal
    after = query.after if query.last is None else max(table.state.seq - query.last, 0)

    def read() -> list[JournalEntry]:
        found: list[JournalEntry] = []
        for record in journal.read(table.name, after):
            if (query.kind and record.kind != query.kind) or (query.by and record.by != query.by):
                continue
            event = event_of(record)
            found.append(
                JournalEntry(
                    seq=record.seq,
                    at=record.at,
                    kind=record.kind,
                    by=record.by,
                    role=event.by.role,
                    authorised_by=None if event.authorised_by is None else event.authorised_by.id,
                    reason=event.reason,
                    command=record.command_id,
                    told=tuple(output_of(event.what)),
                    what=event.what,
                    hash=record.hash.hex(),
                )
            )
            if len(found) >= query.count:
                break
        return found

    return await asyncio.to_thread(read)


_TAG: Final = "tables"
TABLE_ENDPOINTS: Final = (
    Endpoint("GET", "/api/floor", get_floor, "All tables", FloorCard, _TAG),
    Endpoint("GET", "/api/tables/{table}", get_table, "One table", TableNow[PublicView], _TAG),
    Endpoint(
        "GET", "/api/tables/{table}/felt.svg", get_table_felt, "The felt, winners lit", str, _TAG, media="image/svg+xml"
    ),
    Endpoint("GET", "/api/tables/{table}/rounds", list_rounds, "Past rounds", list[RoundCard], _TAG, query=RoundsQuery),
    Endpoint(
        "GET", "/api/me/rounds", my_rounds, "A player's own rounds, explained", list[RoundReplay], _TAG,
        who=Who.PLAYER, query=RoundsQuery,
    ),
    Endpoint(
        "POST", "/api/tables/{table}/commands", do_command, "Carry out a command", CarriedOut, _TAG,
        who=Who.SIGNED_IN, body=Do,
    ),
    Endpoint("POST", "/api/tables", put_up_table, "A new table", CarriedOut, _TAG, who=Who.SUPERVISOR, body=NewTable),
    Endpoint("GET", "/api/tables/{table}/crew", get_crew_view, "What the crew sees", CrewNow, _TAG, who=Who.CREW),
    Endpoint("GET", "/api/pit", get_pit, "Every table in figures", list[PitCard], _TAG, who=Who.SUPERVISOR),
    Endpoint(
        "GET", "/api/tables/{table}/journal", read_journal, "The journal of a table", list[JournalEntry], _TAG,
        who=Who.STAFF, query=JournalQuery,
    ),
)  # fmt: skip
