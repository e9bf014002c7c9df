"""API: tables. The public view, a player's own rounds, the crew's view, the pit's figures, commands, the journal."""

from __future__ import annotations

from io import BytesIO
from itertools import islice
from typing import Annotated, Final
from urllib.parse import quote

import segno
from msgspec import UNSET, Meta, Struct, to_builtins
from msgspec.structs import asdict, replace
from starlette.responses import Response

from taisai.audit.reports import ReportRow
from taisai.core.dice import roll_of
from taisai.core.explain import Over
from taisai.core.faults import InputFault
from taisai.core.limits import Per
from taisai.core.rulebook import RuleBook
from taisai.felt import draw
from taisai.floor.answers import Answer, HouseCode
from taisai.floor.live import LiveTable
from taisai.house.sessions import Session
from taisai.journal.record import Record
from taisai.protocol.answers import (
    AfterVoid,
    CarriedOut,
    CrewNow,
    ExplainedLine,
    ExposureCard,
    FloorCard,
    JournalEntry,
    OverLimit,
    PitCard,
    ReturnCard,
    RoundCard,
    RoundReplay,
    TableCard,
    TableNow,
)
from taisai.protocol.messages import CommandId, Do
from taisai.streams.codec import event_of
from taisai.streams.loading import load
from taisai.table.commands import Command, Name, SetUp
from taisai.table.events import BetsOpened, Event
from taisai.table.explanations import RecalledRound, currency_of, explain_line, recall
from taisai.table.figures import exposure, table_result
from taisai.table.notation.narration import output_of
from taisai.table.refusals import Refusal
from taisai.table.rules import TableRules
from taisai.table.state import PastRound, TablePhase, TableState
from taisai.view.crew import crew_view
from taisai.view.public import PublicView, public_view
from taisai.web.endpoint import Call, Endpoint, Who
from taisai.web.errors import Stop, not_at_table
from taisai.web.guard.work import Made, made_of
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
        disabled=floor.is_disabled(table.name),
        book=None if set_up is None else set_up.book,
        layout=None if set_up is None else set_up.layout,
        currency=None if set_up is None else set_up.currency,
        limits=None if set_up is None else set_up.limits,
        round=state.round.number,
        round_phase=state.round.phase,
        players=sum(seat.present for seat in state.players.values()),
        watchers=call.context.watchers(table.name),
        results=tuple(_result(past) for past in state.history[-10:]),
    )


def _result(past: PastRound) -> RoundCard:
    return RoundCard(
        number=past.number,
        dice=past.dice,
        void=past.void,
        call=past.call,
        ended_at=past.ended_at,
        reversed=past.reversed,
        clauses=past.clauses,
    )


def get_floor(call: Call) -> FloorCard:
    """All tables, as anybody may see them."""
    context = call.context
    cards = [_card(call, table) for _, table in sorted(context.floor.tables.items())]
    disabled, demo = "*" in context.floor.disabled, context.settings.demo
    join = context.settings.listen.public_url if demo.enabled else ""
    chips = demo.guest_chips if demo.enabled else 0
    return FloorCard(context.settings.house.name, demo.enabled, context.clock.now(), cards, disabled, chips, join)


def get_join_code(call: Call) -> Response:
    """The address of a table as a QR code, for the phones of guests."""
    settings, table = call.context.settings, _table(call)
    if not (settings.demo.enabled and settings.listen.public_url):
        sentence = "This floor has no guests, or no address for them."
        raise Stop(Refusal(HouseCode.NOT_FOUND, sentence, allowed="demo.enabled and listen.public_url"))
    made = BytesIO()
    code = segno.make(f"{settings.listen.public_url}/play?table={quote(table.name)}", error="m", micro=False)
    code.save(made, kind="svg", xmldecl=False, light="#fff", omitsize=True)
    return Response(made.getvalue(), media_type="image/svg+xml")


def get_table(call: Call) -> TableNow[PublicView]:
    """One table, as anybody may see it."""
    table, floor = _table(call), call.context.floor
    state = table.state
    view = public_view(table.rules(), state)
    return TableNow(state.seq, view, until_of(floor.until(state)), floor.mode(table.name), call.context.clock.now())


async def get_table_felt(call: Call) -> Response:
    """The felt of a table, with the winners lit once the result is known."""
    table = _table(call)
    rules, state = table.rules(), table.state
    if rules is None or state.set_up is None:
        raise Stop(Refusal(HouseCode.NOT_FOUND, "The table is not set up."))
    layout, dice, work = rules.book.layouts[state.set_up.layout], state.round.dice, call.context.work

    def drawn() -> Made:
        text = draw(layout, roll=None if dice is None else roll_of(dice))
        return made_of(Response(text, media_type="image/svg+xml"))

    key = ("felt", rules.book.digest, layout.id, dice)
    made = work.kept(key) or await work.make(key, drawn)
    response = made.answer(call.request)
    response.headers["cache-control"] = "no-cache"
    return response


class RoundsQuery(Struct, frozen=True):
    """Which rounds."""

    before: Annotated[int, Meta(ge=1)] | None = None
    count: Annotated[int, Meta(ge=1, le=100)] = 50


def list_rounds(call: Call) -> list[RoundCard]:
    """Completed rounds, newest first (the last hundred; older ones are in the journal)."""
    before = call.query.before
    history = [past for past in _table(call).state.history if before is None or past.number < before]
    return [_result(past) for past in islice(reversed(history), call.query.count)]


def my_rounds(call: Call) -> list[RoundReplay]:
    """A player's own last rounds: a replay, with funds before and after and why each bet came out so (R26)."""
    session = call.mine
    table = call.context.floor.tables.get(session.tables[0])
    rules = None if table is None else table.rules()
    if table is None or rules is None:
        return []
    state = table.state
    rounds = recall(state, session.who, min(call.query.count, RECALLED))
    return [_replay(book_of(call, rules, each.past), state, session.who, each) for each in rounds]


def book_of(call: Call, rules: TableRules, past: PastRound) -> RuleBook:
    """The edition by which a round was played, or the table's book where that one is no longer installed."""
    try:
        return rules.book if past.book == rules.book.id else call.context.book(past.book)
    except InputFault:
        return rules.book


def _replay(book: RuleBook, state: TableState, player: str, found: RecalledRound) -> RoundReplay:
    past, lines = found.past, []
    for line in found.lines:
        why = explain_line(book, past, line, currency_of(state))
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
                over=None if why.over is None else _over(why.over),
            )
        )
    return RoundReplay(
        **asdict(_result(past)),
        replay=True,
        table=state.table,
        lines=tuple(lines),
        staked=sum(line.stake for line in lines),
        returned=sum(line.returned for line in lines),
        net=0 if past.void else sum(line.returned - line.stake for line in lines),
        funds_before=found.funds_before,
        funds_after=found.funds_after,
        commitment=past.commitment,
        opening=past.opening,
        contribution=past.contributions.get(player, ""),
        contributions=tuple(sorted(past.contributions.values())) if past.opening else (),
        after_void=next(
            (
                AfterVoid(line.given_back, line.taken, line.owed, line.owing)
                for line in past.undone
                if found.lines and line.player == found.lines[0].player
            ),
            None,
        ),
    )


def _over(found: Over) -> OverLimit:
    if found.per is Per.PLAYER:
        return OverLimit("player", found.limit)
    if found.opposite is None:
        return OverLimit("maximum", found.limit)
    return OverLimit("differential", found.limit, found.opposite, found.placed_opposite)


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
    is_there = body.table in floor.tables and floor.tables[body.table].state.phase is not TablePhase.NEW
    if is_there and not await _is_mine(call, body.table, body.id):
        raise Stop(Refusal(HouseCode.NOT_ALLOWED, f"There already is a table {body.table}.", field="table"))
    if not session.reaches(body.table):
        raise Stop(not_at_table(body.table))
    command = await _command(call, Do(body.id, body.set_up), session, body.table)
    answer = await floor.do(body.table, command)
    if answer.refusal is not None and floor.tables[body.table].state.seq == 0:
        floor.forget(body.table)
    return _done(command.id, answer)


async def _is_mine(call: Call, table: str, command_id: str) -> bool:
    """Whether the caller has carried out this command at the table: a repeat gets its first answer."""
    found = await call.context.floor.writer.run(lambda journal: journal.find_command(table, command_id))
    person = call.mine.person
    return bool(found) and person is not None and found[0].by == person.id


# ------------------------------------------------------------------ the crew


def get_crew_view(call: Call) -> CrewNow:
    """The crew's view of a table: balances, float, exposure, breaches, and the next steps or why they are refused."""
    table, person = _table(call), call.mine.person
    assert person is not None
    state = table.state
    return CrewNow(state.seq, crew_view(table.rules(), state, person))


def get_pit(call: Call) -> list[PitCard]:
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
        returned=_returned(table),
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


def _returned(table: LiveTable) -> ReturnCard | None:
    """The return against its interval, by the same reckoning as a report's."""
    meters = table.state.meters
    row = ReportRow(
        "",
        table.name,
        rounds=meters.rounds,
        staked=meters.staked,
        returned=meters.returned,
        expected_216=meters.expected_216,
        variance=meters.variance,
        farthest=meters.farthest,
        measured=meters.measured,
    )
    actual, theoretical, interval = row.actual_return, row.theoretical_return, row.return_interval
    if actual is None or theoretical is None or interval is None:
        return None
    return ReturnCard(float(actual), float(theoretical), *interval, outside=row.is_outside)


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
    round: Annotated[int, Meta(ge=1, le=2**53)] | None = None
    """Only from the call for bets of this round to the next one's."""
    since: Annotated[int, Meta(ge=0)] | None = None
    """Not before this time, in microseconds since 1970."""
    until: Annotated[int, Meta(ge=0)] | None = None
    """Before this time."""


def entry_of(record: Record, event: Event) -> JournalEntry:
    """A record as people read it."""
    return JournalEntry(
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


def read_journal(call: Call) -> list[JournalEntry]:
    """The records of a table, filtered, each with its sentences."""
    session = call.mine
    table = _table(call)
    if not session.reaches(table.name) and not session.is_administrator:
        raise Stop(not_at_table(table.name))
    query = call.query
    journal = call.context.floor.writer.journal
    after = query.after if query.last is None else max(table.state.seq - query.last, 0)
    by = {query.by, *call.context.persons.find(query.by)} if query.by else ()
    found: list[JournalEntry] = []
    number = load(journal, table.name, after)[0].round.number
    for record in journal.read(table.name, after):
        if query.until is not None and record.at >= query.until:
            break
        event = event_of(record)
        if isinstance(event.what, BetsOpened):
            number = event.what.round
        if query.round is not None and number > query.round:
            break
        if (
            (query.kind and record.kind != query.kind)
            or (query.by and record.by not in by)
            or (query.round is not None and number != query.round)
            or (query.since is not None and record.at < query.since)
        ):
            continue
        found.append(replace(entry_of(record, event), round=number))
        if len(found) >= query.count:
            break
    return found


_TAG: Final = "tables"
TABLE_ENDPOINTS: Final = (
    Endpoint("GET", "/api/floor", get_floor, "All tables", FloorCard, _TAG),
    Endpoint("GET", "/api/tables/{table}", get_table, "One table", TableNow[PublicView], _TAG, cost=2),
    Endpoint(
        "GET", "/api/tables/{table}/join.svg", get_join_code, "Where guests sit down, as a QR code", str, _TAG,
        media="image/svg+xml", cost=10,
    ),
    Endpoint(
        "GET", "/api/tables/{table}/felt.svg", get_table_felt, "The felt, winners lit", str, _TAG, media="image/svg+xml"
    ),
    Endpoint("GET", "/api/tables/{table}/rounds", list_rounds, "Past rounds", list[RoundCard], _TAG, query=RoundsQuery),
    Endpoint(
        "GET", "/api/me/rounds", my_rounds, "A player's own rounds, explained", list[RoundReplay], _TAG,
        who=Who.PLAYER, query=RoundsQuery, cost=3,
    ),
    Endpoint(
        "POST", "/api/tables/{table}/commands", do_command, "Carry out a command", CarriedOut, _TAG,
        who=Who.SIGNED_IN, body=Do,
    ),
    Endpoint("POST", "/api/tables", put_up_table, "A new table", CarriedOut, _TAG, who=Who.SUPERVISOR, body=NewTable),
    Endpoint("GET", "/api/tables/{table}/crew", get_crew_view, "What the crew sees", CrewNow, _TAG, who=Who.CREW),
    Endpoint("GET", "/api/pit", get_pit, "Every table in figures", list[PitCard], _TAG, who=Who.SUPERVISOR, cost=3),
    Endpoint(
        "GET", "/api/tables/{table}/journal", read_journal, "The journal of a table", list[JournalEntry], _TAG,
        who=Who.STAFF, query=JournalQuery, cost=10,
    ),
)  # fmt: skip
