"""API: proof. The log's heads, proofs between them, and receipts for whoever gets an answer."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import replace
from starlette.responses import Response

from taisai.floor.answers import HouseCode
from taisai.floor.heads import HeadsNow
from taisai.house.sessions import Session
from taisai.journal.contract import Journal
from taisai.journal.log.note import Checkpoint, Note
from taisai.journal.record import Record
from taisai.protocol.answers import Consistency, ProofEntry
from taisai.streams.codec import event_of
from taisai.streams.leaves import SHARED
from taisai.streams.receipts import Receipt, as_json
from taisai.table import events as e
from taisai.table.declared import Audience
from taisai.table.events import Event
from taisai.table.explanations import currency_of, explain_line
from taisai.table.refusals import Refusal
from taisai.web.endpoint import Call, Endpoint, Who
from taisai.web.errors import Stop, not_at_table

CHUNK: Final = 500
ROUND_MAX: Final = 50_000
"""How many records back a round is looked for."""
WHY_MAX: Final = 300
OF_DICE: Final = frozenset({"dice-committed", "dice-opened"})
"""What proves virtual dice together. The nonce in the first is of no use without the house's key."""
NOT_YOURS: Final = Refusal(HouseCode.NOT_ALLOWED, "This record is not yours to prove.", ("R37",))
NOT_SIGNED: Final = Refusal(
    HouseCode.TRY_AGAIN, "The log is not signed that far yet.", allowed="try again in a few seconds"
)


async def get_log(call: Call) -> HeadsNow:
    """How far the log is signed and cosigned."""
    return call.context.heads.now


def get_checkpoint(call: Call) -> Response:
    """The newest signed head, as C2SP tlog-checkpoint has it: cosigned if any is."""
    prover = call.context.prover
    note = prover.head(cosigned=True) or prover.head()
    if note is None:
        raise Stop(NOT_SIGNED)
    return Response(str(note), media_type="text/plain; charset=utf-8", headers={"cache-control": "no-store"})


async def sign_now(call: Call) -> HeadsNow:
    """Sign a head over everything that is written, now."""
    await call.context.heads.tick()
    return call.context.heads.now


class ConsistencyQuery(Struct, frozen=True):
    """From which head to which."""

    older: Annotated[int, Meta(ge=0, le=2**53)] = 0
    newer: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    """The newest signed head when left out."""


def get_consistency(call: Call) -> Consistency:
    """The proof that one head of the log extends another (RFC 9162 §2.1.4)."""
    prover, query = call.context.prover, call.query
    newest = prover.head()
    size = 0 if newest is None else Checkpoint.read(newest.text).size
    newer = size if query.newer is None else query.newer
    if not query.older <= newer <= size:
        raise Stop(Refusal(HouseCode.NOT_FOUND, f"The signed log has {size} records.", field="newer"))
    return Consistency(
        older_size=query.older,
        newer_size=newer,
        older=_written(prover.head_of(query.older)),
        newer=_written(prover.head_of(newer)),
        proof=b64encode(b"".join(prover.consistency(query.older, newer))).decode(),
    )


def _written(note: Note | None) -> str:
    return "" if note is None else str(note)


# ------------------------------------------------------------------ receipts


async def get_receipt(call: Call) -> Response:
    """The proof of one record: whole for whom it concerns alone and for the crew, a player's own part otherwise."""
    context, table, session = call.context, call.path["table"], call.mine
    if not (session.reaches(table) or session.is_administrator):
        raise Stop(not_at_table(table))
    seq = call.path["seq"]
    if not (seq.isascii() and seq.isdigit() and len(seq) < 16):
        raise Stop(Refusal(HouseCode.BAD_MESSAGE, "A record has a whole number.", field="seq"))
    journal = context.floor.writer.journal
    queue, work = call.queue(is_long=True), context.work
    assert queue is not None
    found = await work.run(lambda: list(journal.read(table, int(seq) - 1, int(seq))), queue)
    if not found:
        raise Stop(Refusal(HouseCode.NOT_FOUND, f"Table {table} has no record {seq}.", field="seq"))
    record = found[0]
    try:
        await context.heads.reach(record.position)
    except TimeoutError:
        raise Stop(NOT_SIGNED) from None
    receipt = await work.run(lambda: _receipt(call, session, record), queue)
    return Response(
        receipt,
        media_type="application/json",
        headers={
            "cache-control": "no-store",
            "content-disposition": f'attachment; filename="taisai-{table}-{record.seq}.json"',
        },
    )


def _receipt(call: Call, session: Session, record: Record) -> bytes:
    prover, event = call.context.prover, event_of(record)
    part = _part_for(call, session, record, event)
    receipt = prover.receipt(record, part)
    if session.is_player:
        why, clauses = _explanation(call, session.who, record, event)
        receipt = replace(receipt, why=why, clauses=clauses)
    return as_json(receipt)


def _part_for(call: Call, session: Session, record: Record, event: Event) -> int:
    """Which part a person may open: everything that is not withheld from them, and no more."""
    if not session.is_player:
        return 0
    who = session.who
    if who in (event.by.id, getattr(event.what, "player", None)):
        return 0
    if record.kind in SHARED:
        part = call.context.prover.part_of(record, who)
        if part is not None:
            return part
    declared = type(event.what).declared
    if record.kind in OF_DICE or (declared.seen_by is Audience.EVERYONE and not declared.withheld and not event.reason):
        return 0
    raise Stop(NOT_YOURS)


def _explanation(call: Call, who: str, record: Record, event: Event) -> tuple[str, tuple[str, ...]]:
    """What the house says of a player's bets in the round of a record, once it is over."""
    table = call.context.floor.tables[record.table]
    rules, what = table.rules(), event.what
    # A reversal is recorded when the round is over.
    number = (
        what.round if isinstance(what, e.RoundReversed) else _round_after(call.context.floor.writer.journal, record)
    )
    past = next((each for each in reversed(table.state.history) if each.number == number), None)
    if rules is None or past is None:
        return "", ()
    box = getattr(event.what, "box", None)
    lines = [line for line in past.lines if line.player == who and box in (None, line.box)]
    told = [explain_line(rules.book, past, line, currency_of(table.state)) for line in lines]
    why = " ".join(dict.fromkeys(each.why for each in told))
    return why if len(why) <= WHY_MAX else "", tuple(dict.fromkeys(clause for each in told for clause in each.clauses))


def _round_after(journal: Journal, record: Record) -> int | None:
    """The number of the round that a record belongs to, if it is over."""
    for count, each in enumerate(journal.read(record.table, record.seq - 1)):
        if each.kind in ("round-concluded", "round-voided"):
            what = event_of(each).what
            return what.round if isinstance(what, e.RoundConcluded | e.RoundVoided) else None
        if count > ROUND_MAX or (each.kind == "bets-opened" and each.seq != record.seq):
            break
    return None


class ProofsQuery(Struct, frozen=True):
    """Of which round."""

    round: Annotated[int, Meta(ge=1, le=2**53)] | None = None
    """The last one that is over when left out."""


def my_proofs(call: Call) -> list[ProofEntry]:
    """What a player can prove of a round: each bet, and how it was settled. `/receipts` has the proof of each."""
    session = call.mine
    table = call.context.floor.tables.get(session.tables[0])
    if table is None:
        return []
    journal, found = call.context.floor.writer.journal, []
    for record in records_of_round(journal, table.name, call.query.round, table.state.seq):
        event = event_of(record)
        mine = getattr(event.what, "player", None) == session.who
        if (
            mine
            or record.kind in OF_DICE
            or (record.kind in SHARED and call.context.prover.part_of(record, session.who) is not None)
        ):
            box = str(getattr(event.what, "box", ""))
            found.append(ProofEntry(record.seq, record.kind, box, record.at))
    return found


def records_of_round(journal: Journal, table: str, number: int | None, end: int) -> Sequence[Record]:
    """The records of a round, from the call for bets to its end, and that it was void afterwards, if it was.

    They are looked for from the table's end backwards.
    """
    collected: list[Record] = []
    later: list[tuple[int, Record]] = []
    inside = False
    for record in _backwards(journal, table, end):
        if record.kind == "round-reversed" and not collected:
            what = event_of(record).what
            later += [(what.round, record)] if isinstance(what, e.RoundReversed) else []
        elif record.kind in ("round-concluded", "round-voided"):
            what = event_of(record).what
            if collected:
                break
            inside = isinstance(what, e.RoundConcluded | e.RoundVoided) and number in (None, what.round)
            if inside and isinstance(what, e.RoundConcluded | e.RoundVoided):
                later = [each for each in later if each[0] == what.round]
        if inside:
            collected.append(record)
            if record.kind == "bets-opened":
                break
    return [*collected[::-1], *(record for _, record in reversed(later) if inside)]


def _backwards(journal: Journal, table: str, end: int) -> Iterator[Record]:
    for upto in range(end, max(end - ROUND_MAX, 0), -CHUNK):
        yield from reversed(list(journal.read(table, max(upto - CHUNK, 0), upto)))


_TAG: Final = "proof"
PROOF_ENDPOINTS: Final = (
    Endpoint("GET", "/api/log", get_log, "How far the log is signed", HeadsNow, _TAG),
    Endpoint("GET", "/log/checkpoint", get_checkpoint, "The newest signed head", str, _TAG, media="text/plain", cost=2),
    Endpoint(
        "GET", "/api/log/consistency", get_consistency, "That one head extends another", Consistency, _TAG,
        query=ConsistencyQuery, cost=3,
    ),
    Endpoint("POST", "/api/log/sign", sign_now, "Sign a head now", HeadsNow, _TAG, who=Who.STAFF, cost=5),
    Endpoint(
        "GET", "/api/tables/{table}/receipts/{seq}", get_receipt, "The proof of a record", Receipt, _TAG,
        who=Who.SIGNED_IN, cost=5, raw=True,
    ),
    Endpoint(
        "GET", "/api/me/proofs", my_proofs, "What a player can prove of a round", list[ProofEntry], _TAG,
        who=Who.PLAYER, query=ProofsQuery, cost=20,
    ),
)  # fmt: skip
