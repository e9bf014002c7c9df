"""API: signing in and out, seats, staff. An answer that begins a session also sets its cookie."""

from __future__ import annotations

from enum import StrEnum
from secrets import token_hex
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct

from taisai.floor.answers import Answer, HouseCode
from taisai.house.accounts import OneTimeLink, SignInCode, SignInRefusal
from taisai.house.guesses import trace
from taisai.house.seats import SeatRefusal
from taisai.house.sessions import ADMINISTRATOR, Admission, Session, key_of
from taisai.protocol.answers import Admitted, LinkMade, Me, PersonFound, Said, SeatCard, SeatCodeMade, Visitor
from taisai.streams.house_events import Post, StaffSheet
from taisai.table.commands import HOUSE_IDS, Amount, BuyIn, Command, Name, SitDown, WalkAway
from taisai.table.explanations import currency_of
from taisai.table.people import SHIFT_MANAGERS, Person, Role
from taisai.table.refusals import Refusal
from taisai.table.state import TablePhase
from taisai.view.seat import seat_view
from taisai.web.endpoint import Call, Endpoint, Who
from taisai.web.errors import Stop, no_such_table, sign_in_refused
from taisai.web.security import COOKIE, bearer, seat_cookie

Password = Annotated[str, Meta(min_length=1, max_length=256)]
Login = Annotated[str, Meta(min_length=1, max_length=64)]
Text = Annotated[str, Meta(max_length=200)]
CASHIER: Final = Person("demo-cashier", Role.DEALER)
"""Sells play chips to the guests of the demo."""


def _me(call: Call, session: Session) -> Me:
    return Me(
        session.who,
        session.post,
        session.tables,
        session.csrf,
        session.locked,
        session.expires_at,
        session.who if session.is_player else None,
        0 if session.is_player else call.context.settings.sign_in.idle_minutes * 60,
    )


def _admit(call: Call, admission: Admission) -> Admitted:
    session = admission.session
    cookie = (admission.token, (session.expires_at - session.created_at) // 1_000_000)
    call.cookies[COOKIE] = cookie
    if session.is_player:
        call.cookies[seat_cookie(session.tables[0])] = cookie
    return Admitted(admission.token, _me(call, session))


def _limit_attempts(call: Call) -> None:
    if not call.context.sign_in_rates.take(call.where):
        sentence = "Too many attempts from this address: wait a minute."
        raise Stop(Refusal(HouseCode.TOO_FAST, sentence, ("R37",)), {"retry-after": "60"})


class PostName(StrEnum):
    """The posts that people sign in to."""

    DEALER = Role.DEALER
    SUPERVISOR = Role.SUPERVISOR
    PIT_MANAGER = Role.PIT_MANAGER
    SHIFT_MANAGER = Role.SHIFT_MANAGER
    AUDITOR = Role.AUDITOR
    ADMINISTRATOR = ADMINISTRATOR


class SignInBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A sign-in to a post."""

    login: Login
    password: Password
    post: PostName


async def sign_in(call: Call) -> Admitted:
    """Sign in to a post."""
    _limit_attempts(call)
    body = call.body
    post: Role | Literal["administrator"] = "administrator"
    if body.post is not PostName.ADMINISTRATOR:
        post = Role(body.post)
    found = await call.context.authentication.sign_in(body.login, body.password, post, call.where)
    if isinstance(found, SignInRefusal):
        raise Stop(sign_in_refused(found))
    return _admit(call, found)


async def sign_out(call: Call) -> Said:
    """End the session; a player's chips and bets stay at the table."""
    session = call.mine
    await call.context.sessions.end(session.key)
    if session.is_player:
        await _walk_away(call, session)
        call.cookies[seat_cookie(session.tables[0])] = ("", 0)
    if not session.is_player or key_of(call.request.cookies.get(COOKIE, "")) == session.key:
        call.cookies[COOKIE] = ("", 0)
    return Said("signed out")


async def _walk_away(call: Call, session: Session) -> None:
    name = session.tables[0]
    table = call.context.floor.tables.get(name)
    if table is not None and session.who in table.state.players:
        by = Person("house", Role.SYSTEM)
        command = Command(
            id=f"{HOUSE_IDS}left-{token_hex(8)}", at=call.context.clock.now(), by=by, do=WalkAway(session.who)
        )
        await call.context.floor.do(name, command)


async def who_am_i(call: Call) -> Me:
    """The session of the caller."""
    return _me(call, call.mine)


class VisitorQuery(Struct, frozen=True):
    """Which of several seats is meant."""

    table: Annotated[str, Meta(max_length=64)] = ""


async def who_is_here(call: Call) -> Visitor:
    """The caller's session, if there is one, and every seat of the browser: what a page asks first."""
    me = None if call.session is None else _me(call, call.session)
    if bearer(call.request.headers) is not None:
        return Visitor(me)
    seats = await call.context.seats_in(call.request.cookies, call.where)
    call.cookies |= {seat_cookie(table): ("", 0) for table, seat in seats.items() if seat is None}
    return Visitor(me, [_seat_card(call, seat) for seat in seats.values() if seat is not None])


def _seat_card(call: Call, seat: Session) -> SeatCard:
    state = call.context.floor.tables[seat.tables[0]].state
    now = seat_view(state, seat.who)
    return SeatCard(state.table, seat.who, now.funds, now.on_felt, currency_of(state))


class PasswordBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A password."""

    password: Password


async def unlock_session(call: Call) -> Me:
    """Unlock a session that was locked because it was idle."""
    _limit_attempts(call)
    found = await call.context.authentication.unlock_session(call.mine, call.body.password, call.where)
    if isinstance(found, SignInRefusal):
        raise Stop(sign_in_refused(found))
    return _me(call, found)


async def lock_session(call: Call) -> Said:
    """Lock the session now, because its holder leaves the screen."""
    await call.context.sessions.lock(call.mine.key)
    return Said("locked")


async def stay_awake(call: Call) -> Said:
    """Somebody touches the screen, though it asks for nothing: the session does not lock."""
    return Said(call.mine.who)


class LinkBody(Struct, frozen=True, forbid_unknown_fields=True):
    """The token of a one-time link, which stands in no address that is logged, and the password to choose."""

    token: Annotated[str, Meta(min_length=1, max_length=256)]
    password: Password


async def redeem_link(call: Call) -> Said:
    """Choose a password with a one-time link."""
    _limit_attempts(call)
    found = await call.context.authentication.redeem(call.body.token, call.body.password, call.where)
    if isinstance(found, SignInRefusal):
        raise Stop(sign_in_refused(found))
    return Said(found)


class ChangePasswordBody(Struct, frozen=True, forbid_unknown_fields=True):
    """The old password and a new one."""

    old: Password
    new: Password


async def change_password(call: Call) -> Said:
    """Change the password; other sessions of the same person end."""
    _limit_attempts(call)
    found = await call.context.authentication.change_password(call.mine, call.body.old, call.body.new, call.where)
    if isinstance(found, SignInRefusal):
        raise Stop(sign_in_refused(found))
    return Said("changed")


# ------------------------------------------------------------------ seats


Asked = Annotated[
    str,
    Meta(
        min_length=16,
        max_length=64,
        description="Made by chance by whoever asks: asked again with it after a lost answer, the seat is the same.",
    ),
]


class SeatBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A seat code that the table issued; or, on a demo floor, the table to join as a guest."""

    code: Annotated[str, Meta(max_length=32)] = ""
    player: Name | None = None
    """The player's name, if the code leaves it open; the nickname of a guest."""
    guest_at: Name | None = None
    id: Asked | None = None


async def take_seat(call: Call) -> Admitted:
    """Sit down: with a seat code, or on a demo floor as a guest with play chips."""
    _limit_attempts(call)
    context, body = call.context, call.body
    if body.guest_at is not None:
        return await _seat_guest(call, body.guest_at)
    if not body.code:
        raise Stop(Refusal(HouseCode.BAD_MESSAGE, "Enter a seat code, or the table to join as a guest.", field="code"))
    found = await context.seats.redeem(body.code, call.where, body.player or "", body.id or "")
    if isinstance(found, SeatRefusal):
        headers = {"retry-after": str(found.retry_after_s)} if found.retry_after_s else None
        raise Stop(sign_in_refused(found), headers)
    await _sit(call, found.table, found.player, body.id or token_hex(16))
    return _admit(call, await context.sessions.begin_player(found.table, found.player, call.where))


async def _sit(call: Call, table: str, player: str, asked: str) -> None:
    """Have a player sit down; asked again, they sit there already, or have given the seat up by now."""
    seat = call.context.floor.table(table).state.players.get(player)
    if seat is None or not seat.present:
        answer = await _do_or_stop(call, table, SitDown(player), Person(player, Role.PLAYER), f"sit-{trace(asked)}")
        if answer.repeated and call.context.floor.table(table).state.seq >= answer.seq:
            sentence = "This seat was given up: sit down again."
            raise Stop(Refusal(HouseCode.NOT_HERE, sentence, allowed="another id", field="id"))


async def _do_or_stop(call: Call, table: str, do: Any, by: Person, name: str) -> Answer:
    command = Command(id=f"{HOUSE_IDS}{name}", at=call.context.clock.now(), by=by, do=do)
    answer = await call.context.floor.do(table, command)
    if answer.refusal is not None:
        raise Stop(answer.refusal)
    return answer


async def _seat_guest(call: Call, table: str) -> Admitted:
    context = call.context
    if not context.settings.demo.enabled:
        raise Stop(Refusal(HouseCode.NOT_ALLOWED, "This floor has no guests: ask the dealer for a seat code."))
    if table not in context.floor.tables:
        raise Stop(no_such_table(table, "guest_at"))
    if context.floor.tables[table].state.phase is not TablePhase.OPEN:
        raise Stop(Refusal(HouseCode.NOT_FOUND, "The table is not open.", allowed="another table", field="guest_at"))
    asked = call.body.id or token_hex(16)
    player = await context.seats.guest(table, asked, call.body.player or "")
    if isinstance(player, SeatRefusal):
        raise Stop(sign_in_refused(player))
    await _sit(call, table, player, asked)
    chips = BuyIn(player, context.settings.demo.guest_chips)
    await _do_or_stop(call, table, chips, CASHIER, f"chips-{trace(asked)}")
    return _admit(call, await context.sessions.begin_player(table, player, call.where))


async def buy_again(call: Call) -> Said:
    """Sell a guest of a demo floor another set of play chips, once they hold less than half of one; once a round."""
    context, player = call.context, call.mine.who
    table = call.mine.tables[0]
    live, chips = context.floor.tables.get(table), context.settings.demo.guest_chips
    if not context.settings.demo.enabled:
        raise Stop(Refusal(HouseCode.NOT_FOUND, "This floor has no play chips: buy in with the dealer."))
    if live is None or player not in live.state.players:
        raise Stop(Refusal(HouseCode.NOT_HERE, "You are not at this table: sit down first."))
    now = seat_view(live.state, player)
    if now.funds + now.on_felt >= chips // 2:
        sentence = "You still have chips: more are sold to those who hold less than half of what they came with."
        raise Stop(Refusal(HouseCode.NOT_ALLOWED, sentence, allowed=f"below {chips // 2}"))
    # The round is in the command's id: however often it is asked for, one set is sold in it.
    await _do_or_stop(call, table, BuyIn(player, chips), CASHIER, f"again-{player}-{live.state.round.number}")
    return Said(str(chips))


class SeatCodeBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Who the seat is for."""

    player: Name | None = None
    """None lets whoever uses the code choose a name."""
    buy_in: Amount | None = None
    """What the player intends to buy in for; the dealer confirms it at the table."""


async def make_seat_code(call: Call) -> SeatCodeMade:
    """Issue a code for a seat at this table."""
    body = call.body
    made = await call.context.seats.make_code(call.mine, call.path["table"], body.player or "", body.buy_in or 0)
    if isinstance(made, SeatRefusal):
        raise Stop(Refusal(HouseCode.NOT_ALLOWED, made.sentence, field=made.code))
    return SeatCodeMade(made.code, made.table, made.player, made.expires_at)


# ------------------------------------------------------------------ staff


class StaffBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A new member of staff."""

    login: Name
    name: Text
    posts: Annotated[tuple[Post, ...], Meta(max_length=20)] = ()
    administrator: bool = False


def _link(found: OneTimeLink | SignInRefusal) -> LinkMade:
    if isinstance(found, SignInRefusal):
        raise Stop(_staff_refused(found))
    return LinkMade(found.login, found.token, found.expires_at)


def _sheet(found: StaffSheet | SignInRefusal) -> StaffSheet:
    if isinstance(found, SignInRefusal):
        raise Stop(_staff_refused(found))
    return found


def _staff_refused(refusal: SignInRefusal) -> Refusal:
    missing = refusal.code is SignInCode.UNKNOWN
    return Refusal(HouseCode.NOT_FOUND if missing else HouseCode.NOT_ALLOWED, refusal.sentence, ("R37",))


async def list_staff(call: Call) -> list[StaffSheet]:
    """All staff."""
    return list(await call.context.staff.all())


async def add_staff(call: Call) -> LinkMade:
    """Add an account; its holder chooses a password with the link."""
    body = call.body
    return _link(
        await call.context.staff.add(
            call.mine, body.login, body.name, tuple(body.posts), administrator=body.administrator
        )
    )


class StaffChange(Struct, frozen=True, forbid_unknown_fields=True):
    """What changes; a field that is left out stays as it is."""

    name: Text | None = None
    posts: Annotated[tuple[Post, ...], Meta(max_length=20)] | None = None
    administrator: bool | None = None
    reason: Text = ""


async def change_staff(call: Call) -> StaffSheet:
    """Change the name or the posts of an account."""
    body = call.body
    return _sheet(
        await call.context.staff.change(
            call.mine,
            call.path["login"],
            name=body.name,
            posts=body.posts,
            administrator=body.administrator,
            reason=body.reason,
        )
    )


class ReasonBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Why."""

    reason: Text = ""


async def disable_staff(call: Call) -> StaffSheet:
    """Disable a login at once, in all of its sessions (R35)."""
    return _sheet(await call.context.staff.disable(call.mine, call.path["login"], call.body.reason))


async def enable_staff(call: Call) -> StaffSheet:
    """Enable a login again."""
    return _sheet(await call.context.staff.enable(call.mine, call.path["login"], call.body.reason))


async def unlock_staff(call: Call) -> StaffSheet:
    """Unlock a login that failed attempts have locked."""
    return _sheet(await call.context.staff.unlock(call.mine, call.path["login"]))


async def new_link(call: Call) -> LinkMade:
    """Issue a new one-time link, for a forgotten password."""
    return _link(await call.context.staff.new_link(call.mine, call.path["login"]))


# ------------------------------------------------------------------ the right to be forgotten


class PersonQuery(Struct, frozen=True):
    """Whom to look for."""

    name: Annotated[str, Meta(min_length=1, max_length=64)]


def _check_may_erase(call: Call) -> None:
    if not (call.mine.is_administrator or call.mine.role in SHIFT_MANAGERS):
        raise Stop(Refusal(HouseCode.NOT_ALLOWED, "This is for shift managers and administrators.", ("R37",)))


async def find_persons(call: Call) -> list[PersonFound]:
    """Everybody who goes by a name, a login or an address, with the id that stands for them in records."""
    _check_may_erase(call)
    found = await call.context.erasure.find(call.query.name)
    return [PersonFound(each, row.name, row.at, row.erased_at is not None, row.of) for each, row in found.items()]


class EraseBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Why; it is recorded, so it names nobody."""

    reason: Annotated[str, Meta(min_length=1, max_length=200)]


async def erase_person(call: Call) -> Said:
    """Erase what identifies a person; records, chain and money stay as they are."""
    _check_may_erase(call)
    rows = await call.context.erase(call.path["person"], call.mine.who, call.body.reason)
    return Said(f"{rows} erased")


async def staff_names(call: Call) -> dict[str, str]:
    """The names of the staff by login, to be shown beside it."""
    return {login: each.name for login, each in (await call.context.accounts.all()).items() if each.name}


_TAG: Final = "people"
_STAFF: Final = "/api/staff/{login}"
PEOPLE_ENDPOINTS: Final = (
    Endpoint("POST", "/api/sign-in", sign_in, "Sign in to a post", Admitted, _TAG, body=SignInBody),
    Endpoint("POST", "/api/sign-out", sign_out, "Sign out", Said, _TAG, who=Who.SIGNED_IN, while_locked=True),
    Endpoint(
        "GET", "/api/visitor", who_is_here, "Who is at this browser", Visitor, _TAG, query=VisitorQuery, cost=2
    ),
    Endpoint("GET", "/api/me", who_am_i, "Who is signed in", Me, _TAG, who=Who.SIGNED_IN, while_locked=True),
    Endpoint(
        "POST", "/api/unlock", unlock_session, "Unlock the session", Me, _TAG,
        who=Who.STAFF, body=PasswordBody, while_locked=True,
    ),
    Endpoint("POST", "/api/me/awake", stay_awake, "Keep the session awake", Said, _TAG, who=Who.STAFF),
    Endpoint("POST", "/api/lock", lock_session, "Lock the session", Said, _TAG, who=Who.STAFF, while_locked=True),
    Endpoint(
        "POST", "/api/one-time", redeem_link, "Choose a password with a one-time link", Said, _TAG, body=LinkBody
    ),
    Endpoint(
        "POST", "/api/me/password", change_password, "Change the password", Said, _TAG,
        who=Who.STAFF, body=ChangePasswordBody,
    ),
    Endpoint("POST", "/api/seat", take_seat, "Sit down", Admitted, _TAG, body=SeatBody),
    Endpoint("POST", "/api/me/chips", buy_again, "Buy play chips again", Said, _TAG, who=Who.PLAYER),
    Endpoint(
        "POST", "/api/tables/{table}/seat-codes", make_seat_code, "Issue a seat code", SeatCodeMade, _TAG,
        who=Who.CREW, body=SeatCodeBody,
    ),
    Endpoint(
        "GET", "/api/persons", find_persons, "Who goes by a name", list[PersonFound], _TAG,
        who=Who.STAFF, query=PersonQuery, raw=True, cost=20,
    ),
    Endpoint(
        "POST", "/api/persons/{person}/erase", erase_person, "Erase who somebody is", Said, _TAG,
        who=Who.STAFF, body=EraseBody, raw=True, cost=20,
    ),
    Endpoint("GET", "/api/staff", list_staff, "All staff", list[StaffSheet], _TAG, who=Who.ADMINISTRATOR),
    Endpoint("GET", "/api/staff/names", staff_names, "Names by login", dict[str, str], _TAG, who=Who.STAFF),
    Endpoint("POST", "/api/staff", add_staff, "A new account", LinkMade, _TAG, who=Who.ADMINISTRATOR, body=StaffBody),
    Endpoint(
        "PATCH", _STAFF, change_staff, "Change an account", StaffSheet, _TAG, who=Who.ADMINISTRATOR, body=StaffChange
    ),
    Endpoint(
        "POST", _STAFF + "/disable", disable_staff, "Disable a login", StaffSheet, _TAG,
        who=Who.ADMINISTRATOR, body=ReasonBody,
    ),
    Endpoint(
        "POST", _STAFF + "/enable", enable_staff, "Enable a login", StaffSheet, _TAG,
        who=Who.ADMINISTRATOR, body=ReasonBody,
    ),
    Endpoint("POST", _STAFF + "/unlock", unlock_staff, "Unlock a login", StaffSheet, _TAG, who=Who.STAFF),
    Endpoint("POST", _STAFF + "/link", new_link, "A new one-time link", LinkMade, _TAG, who=Who.ADMINISTRATOR),
)  # fmt: skip
