"""API: requests for a second person, who approves at their own screen instead of typing a password at another's.

Enters: a command that needs a second person. Leaves: a request that says what is to happen; approved with the
approver's own password, exactly that command is carried out in the asker's name, in the round it was meant for. Who may
approve is what the action declares, looked up when it is approved. Serves R15, R37; `nz-division-9` §5.7, §7.4.
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct, to_builtins
from msgspec.structs import replace

from taisai.floor.answers import Answer, HouseCode
from taisai.house.accounts import SignInCode, SignInRefusal
from taisai.house.requests import Fate, Request
from taisai.protocol.answers import RequestCard
from taisai.protocol.messages import Do
from taisai.streams.house_events import HouseEvent, RequestAnswered
from taisai.table.actions import name_of
from taisai.table.commands import Command
from taisai.table.decide import can, decide, may_authorise
from taisai.table.events import EventBody
from taisai.table.people import Person, Role
from taisai.table.refusals import Code, Refusal
from taisai.web.context import TOO_MANY_GUESSES
from taisai.web.endpoint import Call, Endpoint, Who
from taisai.web.errors import Stop, sign_in_refused

NOT_FOUND: Final = Refusal(HouseCode.NOT_FOUND, "There is no such request.", field="request")
SAME_PERSON: Final = SignInRefusal(SignInCode.SAME_PERSON, "The second person must not be the first.")
GONE: Final = Refusal(HouseCode.REQUEST_OVER, "Who asked for this has signed out: it is asked for again.", ("R37",))


async def ask(call: Call) -> RequestCard:
    """Ask for a second person. Rank, moment and the matter itself are looked at first, as the table would."""
    context, session, table = call.context, call.mine, call.path["table"]
    by = session.person
    assert by is not None
    live = context.floor.tables[table]
    rules = live.rules()
    do: Do = call.body
    if do.second is not None or rules is None:
        raise Stop(Refusal(HouseCode.BAD_MESSAGE, "second: the second person answers at their own screen."))
    named = await context.inward(do, by, table)
    if isinstance(named, Refusal):
        raise Stop(named)
    meant = live.state.round.number if do.round is None else do.round
    command = Command(id=do.id, at=context.clock.now(), by=by, do=named.do, reason=do.reason, round=meant)
    roles = may_authorise(rules, live.state, by, type(named.do))
    probe = replace(command, authorised_by=Person("@second", min(roles))) if roles else command
    refused = can(rules, live.state, probe)
    if refused is not None:
        raise Stop(refused)
    if not roles:
        raise Stop(Refusal(HouseCode.NOT_ALLOWED, "This needs no second person now.", allowed="do it"))
    made = await context.requests.ask(table, command, session.key, roles)
    if made is None:
        raise Stop(Refusal(HouseCode.TOO_FAST, "You have asked for enough: wait for the answers, or withdraw one."))
    return _card(call, made)


async def preview(call: Call) -> list[EventBody]:
    """What would be recorded if this were done now, with whoever must authorise it: who gets and owes what.

    Nothing is recorded, and nothing is promised: the table decides when it is done.
    """
    context, by, table = call.context, call.mine.person, call.path["table"]
    assert by is not None
    live = context.floor.tables[table]
    rules = live.rules()
    do: Do = call.body
    named = await context.inward(do, by, table)
    if isinstance(named, Refusal):
        raise Stop(named)
    if rules is None:
        raise Stop(Refusal(Code.NOT_SET_UP, "The table is not set up.", allowed="set-up"))
    roles = may_authorise(rules, live.state, by, type(named.do))
    second = Person("@second", min(roles)) if roles else None
    at, reason = context.clock.now(), do.reason or "-"
    found = decide(
        rules,
        live.state,
        Command(id=do.id, at=at, by=by, do=named.do, authorised_by=second, reason=reason, round=do.round),
    )
    if isinstance(found, Refusal):
        raise Stop(found)
    return [event.what for event in found]


async def look(call: Call) -> RequestCard:
    """What became of a request, for who asked."""
    return _card(call, await _mine(call))


async def withdraw(call: Call) -> RequestCard:
    """Take a request back that nobody has answered."""
    async with call.context.requests.turn:
        found = await _mine(call)
        if found.fate is Fate.WAITING:
            found = replace(found, fate=Fate.WITHDRAWN)
            await call.context.requests.keep(found)
    return _card(call, found)


async def _mine(call: Call) -> Request:
    found = await call.context.requests.one(call.path["request"])
    if found is None or found.table != call.path["table"] or found.command.by.id != call.mine.actor:
        raise Stop(NOT_FOUND)
    return found


async def waiting(call: Call) -> list[RequestCard]:
    """The requests that the caller may approve now, the oldest first."""
    found = await call.context.requests.waiting()
    return [_card(call, each) for each in found if _is_for(call, each)]


def _is_for(call: Call, request: Request) -> bool:
    session = call.mine
    return (
        session.reaches(request.table)
        and request.table in call.context.floor.tables
        and session.role in request.roles
        and session.actor != request.command.by.id
    )


class AnswerBody(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer to a request."""

    approve: bool
    password: Annotated[str, Meta(max_length=256)] = ""
    """The approver's own; a request is declined without it."""
    note: Annotated[str, Meta(max_length=500)] = ""

    def __repr__(self) -> str:
        return f"AnswerBody(approve={self.approve}, …)"


async def answer(call: Call) -> RequestCard:
    """Approve a request, which carries out its command, or decline it. Once: a second answer gets what became of it."""
    requests = call.context.requests
    async with requests.turn:
        found = await requests.one(call.path["request"])
        if found is None or found.table not in call.context.floor.tables or not call.mine.reaches(found.table):
            raise Stop(NOT_FOUND)
        if found.command.by.id == call.mine.actor:
            raise Stop(sign_in_refused(SAME_PERSON))
        if found.fate is not Fate.WAITING:
            if found.by == call.mine.actor:
                return _card(call, found)
            raise Stop(Refusal(HouseCode.REQUEST_OVER, _over(found.fate), ("R37",)))
        if call.body.approve:
            ended = await _approve(call, found)
        else:
            _check_role(call, found, _roles_now(call, found))
            ended = replace(found, fate=Fate.DECLINED, by=call.mine.actor, note=call.body.note)
        await requests.keep(ended)
    action = name_of(type(found.command.do))
    asker, number = found.command.by.id, found.command.round or 0
    what = RequestAnswered(found.table, number, action, asker, str(ended.fate), ended.note)
    await call.context.floor.log(HouseEvent(call.context.clock.now(), call.mine.actor, what))
    return _card(call, ended)


def _over(fate: Fate) -> str:
    return {
        Fate.EXPIRED: "This request has run out: it is asked for again.",
        Fate.WITHDRAWN: "This request was taken back.",
    }.get(fate, "Somebody else has answered this request.")


def _roles_now(call: Call, found: Request) -> frozenset[Role]:
    """Who may approve it at this moment, as the action declares it."""
    live = call.context.floor.tables[found.table]
    rules = live.rules()
    command = found.command
    return frozenset() if rules is None else may_authorise(rules, live.state, command.by, type(command.do))


def _check_role(call: Call, found: Request, roles: frozenset[Role]) -> None:
    if call.mine.role not in (roles or found.roles):
        wanted = " or ".join(sorted(roles or found.roles))
        raise Stop(Refusal(Code.SECOND_PERSON_UNFIT, f"This is approved by a {wanted}.", ("R37",), allowed=wanted))


async def _approve(call: Call, found: Request) -> Request:
    context, session = call.context, call.mine
    role, command = session.role, found.command
    live = context.floor.tables[found.table]
    _check_role(call, found, _roles_now(call, found))
    assert role is not None
    if context.sessions.by_key(found.session) is None:
        raise Stop(GONE)
    if live.state.round.number != command.round:
        sentence = f"This was asked for in round {command.round}; the table has round {live.state.round.number}."
        raise Stop(Refusal(Code.ROUND_OVER, sentence, allowed=f"round {live.state.round.number}"))
    # The token is taken before the password is checked, so that guesses sent together are counted one by one.
    if not context.guess_rates.take(session.actor):
        raise Stop(TOO_MANY_GUESSES, {"retry-after": "60"})
    vouched = await context.authentication.vouch(session.who, call.body.password, role, found.table, call.where)
    if isinstance(vouched, SignInRefusal):
        raise Stop(sign_in_refused(vouched))
    context.guess_rates.give_back(session.actor)
    # Checking a password takes a while: the round may be over since.
    authorised = replace(command, at=context.clock.now(), authorised_by=vouched)
    done: Answer = await context.floor.do(found.table, authorised)
    ended = replace(found, by=session.actor, note=call.body.note)
    if done.refusal is not None:
        return replace(ended, fate=Fate.REFUSED, code=done.refusal.code, sentence=done.refusal.sentence)
    return replace(ended, fate=Fate.APPROVED, seq=done.seq)


def _card(call: Call, request: Request) -> RequestCard:
    live = call.context.floor.tables[request.table]
    set_up = live.state.set_up
    command = request.command
    return RequestCard(
        id=request.id,
        table=request.table,
        by=command.by.id,
        role=command.by.role,
        do=to_builtins(command.do),
        reason=command.reason,
        round=command.round or 0,
        roles=tuple(str(each) for each in request.roles),
        asked_at=request.asked_at,
        expires_at=request.expires_at,
        now=call.context.clock.now(),
        fate=str(request.fate),
        answered_by=request.by,
        note=request.note,
        code=request.code,
        sentence=request.sentence,
        seq=request.seq,
        currency="" if set_up is None else set_up.currency,
        book="" if set_up is None else set_up.book,
        dice=live.state.round.dice,
    )


_TAG: Final = "requests"
REQUEST_ENDPOINTS: Final = (
    Endpoint(
        "POST", "/api/tables/{table}/requests", ask, "Ask for a second person", RequestCard, _TAG,
        who=Who.CREW, body=Do,
    ),
    Endpoint(
        "GET", "/api/tables/{table}/requests/{request}", look, "What became of a request", RequestCard, _TAG,
        who=Who.CREW,
    ),
    Endpoint(
        "POST", "/api/tables/{table}/requests/{request}/withdraw", withdraw, "Take a request back", RequestCard, _TAG,
        who=Who.CREW,
    ),
    Endpoint(
        "POST", "/api/tables/{table}/preview", preview, "What a command would record", list[EventBody], _TAG,
        who=Who.CREW, body=Do,
    ),
    Endpoint("GET", "/api/requests", waiting, "Requests to approve", list[RequestCard], _TAG, who=Who.SUPERVISOR),
    Endpoint(
        "POST", "/api/requests/{request}", answer, "Approve or decline a request", RequestCard, _TAG,
        who=Who.SUPERVISOR, body=AnswerBody,
    ),
)  # fmt: skip
