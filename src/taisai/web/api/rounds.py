"""API: one round, with all that is known of it: bets with reasons and clauses, people, times, records, disputes.

Enters: a table and the number of a round that is over. Leaves: a `RoundFile`; as one file also the receipt of every
record, which proves it to somebody who trusts nobody here (`docs/proof.md`). For the crew of the table, auditors and
administrators. Serves R26, R29, R30.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import islice
from typing import Final

import msgspec
from starlette.responses import Response

from taisai.core.faults import InputFault
from taisai.floor.answers import HouseCode
from taisai.journal.contract import Journal
from taisai.journal.record import Record
from taisai.protocol.answers import (
    JournalEntry,
)
from taisai.protocol.rounds import RoundBet, RoundDispute, RoundFile, RoundPerson, RoundPlayer, RoundProof
from taisai.streams.codec import event_of
from taisai.streams.loading import load
from taisai.streams.receipts import as_json
from taisai.table import events as e
from taisai.table.explanations import currency_of, explain_line
from taisai.table.people import HOUSE, Role
from taisai.table.refusals import Refusal
from taisai.table.state import PastRound, TableState
from taisai.web.api.proof import NOT_SIGNED, ROUND_MAX, records_of_round
from taisai.web.api.tables import book_of, entry_of
from taisai.web.endpoint import Call, Endpoint, Who
from taisai.web.errors import Stop, not_at_table

FOLLOWS: Final = frozenset({"round-reversed", "dispute-opened", "dispute-resolved", "error-noted"})
"""What concerns a round after it is over."""
TEMPLATE: Final = b'{"round":%b,"receipts":[%b]}\n'


async def get_round(call: Call) -> Response:
    """One round that is over."""
    staff = await _staff(call)

    def told() -> bytes:
        return call.context.persons.named(msgspec.json.encode(_made(call, staff)[0]), look_up=True)

    return Response(await asyncio.to_thread(told), media_type="application/json", headers={"cache-control": "no-store"})


async def _staff(call: Call) -> dict[str, str]:
    """The names of the staff, by login."""
    return {login: each.name for login, each in (await call.context.accounts.all()).items()}


async def get_round_file(call: Call) -> Response:
    """The same as one file, with the receipt of every record."""
    found, records = await asyncio.to_thread(_made, call, await _staff(call))
    try:
        await call.context.heads.reach(max(each.position for each in records))
    except TimeoutError:
        raise Stop(NOT_SIGNED) from None
    prover = call.context.prover
    receipts = await asyncio.to_thread(lambda: [as_json(prover.receipt(each, 0)) for each in records])
    # Names stand in the account of the round; a receipt proves its record as it was written, ids and all.
    written = msgspec.json.encode(found)
    told = await asyncio.to_thread(lambda: call.context.persons.named(written, look_up=True))
    return Response(
        TEMPLATE % (told, b",".join(receipts)),
        media_type="application/json",
        headers={
            "cache-control": "no-store",
            "content-disposition": f'attachment; filename="taisai-{found.table}-round-{found.number}.json"',
        },
    )


def _made(call: Call, staff: dict[str, str]) -> tuple[RoundFile, Sequence[Record]]:
    table = call.context.floor.tables[call.path["table"]]
    session, number = call.mine, call.path["number"]
    if not (session.reaches(table.name) or session.is_administrator):
        raise Stop(not_at_table(table.name))
    if not (number.isascii() and number.isdigit() and 0 < len(number) < 16):
        raise Stop(Refusal(HouseCode.BAD_MESSAGE, "number: a round has a whole number.", field="number"))
    journal, rules, state = call.context.floor.writer.journal, table.rules(), table.state
    records = records_of_round(journal, table.name, int(number), state.seq)
    if not records or rules is None:
        sentence = f"Table {table.name} has no round {int(number)} that is over."
        raise Stop(Refusal(HouseCode.NOT_FOUND, sentence, allowed=f"1 to {state.round.number}", field="number"))
    events = [event_of(each) for each in records]
    ended = next(each.seq for each in reversed(records) if each.kind in ("round-concluded", "round-voided"))
    past = _past(journal, state, int(number), max(ended, records[-1].seq))
    follows = _follows(journal, table.name, int(number), ended, state.seq)
    seen = {each.seq for each in records}
    records = [*records, *(each for each in follows if each.seq not in seen)]
    events += [event_of(each) for each in records[len(events) :]]
    entries = tuple(entry_of(record, event) for record, event in zip(records, events, strict=True))
    try:
        book = book_of(call, rules, past)
    except InputFault:
        book = rules.book
    bets = []
    for line in past.lines:
        why = explain_line(book, past, line, currency_of(state))
        bets.append(
            RoundBet(
                player=line.player, box=line.box, stake=line.stake, at_risk=line.at_risk, pays=line.pays,
                winnings=line.winnings, returned=line.returned, why=why.why, clauses=why.clauses,
            )
        )  # fmt: skip
    made = RoundFile(
        table=table.name,
        house=call.context.settings.house.name,
        number=past.number,
        book=past.book,
        layout=past.layout,
        digest=past.digest,
        currency=currency_of(state),
        opened_at=past.opened_at,
        ended_at=past.ended_at,
        call=past.call,
        void=past.void,
        reversed=past.reversed,
        clauses=past.clauses,
        draw=past.draw,
        commitment=past.commitment,
        opening=past.opening,
        dice=past.dice,
        limits=past.limits,
        bets=tuple(bets),
        players=_players(past),
        people=_people(call, staff, entries),
        disputes=_disputes(events, entries),
        records=entries,
    )
    return made, records


def _past(journal: Journal, state: TableState, number: int, upto: int) -> PastRound:
    """The round as it was; an older one than the table remembers is replayed from the journal."""
    found = next((each for each in reversed(state.history) if each.number == number), None)
    if found is None:
        then, _ = load(journal, state.table, upto)
        found = next(each for each in reversed(then.history) if each.number == number)
    return found


def _follows(journal: Journal, table: str, number: int, after: int, end: int) -> list[Record]:
    """Records after a round that concern it: disputes with their answers, errors found later, its reversal."""
    found: list[Record] = []
    mine: set[str] = set()
    for record in islice(journal.read(table, after, end), ROUND_MAX):
        if record.kind not in FOLLOWS:
            continue
        what = event_of(record).what
        if isinstance(what, e.DisputeOpened) and what.round == number:
            mine.add(what.dispute)
        if getattr(what, "round", None) == number or (isinstance(what, e.DisputeResolved) and what.dispute in mine):
            found.append(record)
    return found


def _players(past: PastRound) -> tuple[RoundPlayer, ...]:
    undone = {each.player: each for each in past.undone}
    found = []
    for player in dict.fromkeys(line.player for line in past.lines):
        lines = [line for line in past.lines if line.player == player]
        back = undone.get(player)
        found.append(
            RoundPlayer(
                player=player,
                staked=sum(line.stake for line in lines),
                returned=sum(line.returned for line in lines),
                funds_before=past.funds_before.get(player),
                funds_after=past.funds_after.get(player),
                given_back=0 if back is None else back.given_back,
                taken=0 if back is None else back.taken,
                owed=0 if back is None else back.owed,
                owing=0 if back is None else back.owing,
            )
        )
    return tuple(found)


def _people(call: Call, staff: dict[str, str], entries: Sequence[JournalEntry]) -> tuple[RoundPerson, ...]:
    """Who had a part in it, with the names of the staff list."""
    names = call.context.persons.names
    roles = {each.by: each.role for each in entries if each.role != Role.PLAYER and each.role not in HOUSE}
    roles |= {each.authorised_by: "" for each in entries if each.authorised_by and each.authorised_by not in roles}
    return tuple(
        RoundPerson(person, staff.get(names.get(person, person), ""), str(role)) for person, role in roles.items()
    )


def _disputes(events: Sequence[e.Event], entries: Sequence[JournalEntry]) -> tuple[RoundDispute, ...]:
    found: dict[str, RoundDispute] = {}
    for event, entry in zip(events, entries, strict=True):
        match event.what:
            case e.DisputeOpened() as opened:
                found[opened.dispute] = RoundDispute(
                    dispute=opened.dispute, player=opened.player, claim=opened.claim, opened_at=event.at
                )
            case e.DisputeResolved() as ended if ended.dispute in found:
                found[ended.dispute] = msgspec.structs.replace(
                    found[ended.dispute], resolution=ended.resolution, resolved_by=entry.by
                )
            case _:
                pass
    return tuple(found.values())


_TAG: Final = "rounds"
ROUND_ENDPOINTS: Final = (
    Endpoint(
        "GET", "/api/tables/{table}/rounds/{number}", get_round, "All that is known of a round", RoundFile, _TAG,
        who=Who.STAFF, cost=20, raw=True,
    ),
    Endpoint(
        "GET", "/api/tables/{table}/rounds/{number}/file", get_round_file, "The same, with a receipt of every record",
        RoundProof, _TAG, who=Who.STAFF, cost=40, raw=True,
    ),
)  # fmt: skip
