"""The server over HTTP: signing in, sitting down, staff, set-up, history.

Enters: an address, credentials, seat codes. Leaves: a `Session`, from which tables are joined. A session is a bearer
token; nothing of it is kept on disk here.
"""

from __future__ import annotations

from collections.abc import Mapping
from http.cookiejar import DefaultCookiePolicy
from secrets import token_hex
from types import TracebackType
from typing import Any, Self, TypeVar, overload
from urllib.parse import quote

import httpx
import msgspec

from taisai.client.errors import Lost, refused_by
from taisai.client.ids import CommandIds
from taisai.client.table import Table
from taisai.protocol.answers import Admitted, CarriedOut, FloorCard, LinkMade, Me, Said, SeatCodeMade, TableNow
from taisai.protocol.messages import Do, Json, SecondPerson
from taisai.table.commands import Action, SetUp
from taisai.table.people import Role

T = TypeVar("T")
TIMEOUT_S = 30.0


class _Caller:
    """Calls the API, with a session or without one."""

    def __init__(self, http: httpx.AsyncClient, address: str, token: str = "") -> None:
        self._http = http
        self.address = address
        self._token = token

    @overload
    async def call(
        self, method: str, path: str, body: Any = None, *, query: Mapping[str, Any] | None = None, kind: type[T]
    ) -> T: ...

    @overload
    async def call(
        self, method: str, path: str, body: Any = None, *, query: Mapping[str, Any] | None = None, kind: None = None
    ) -> Any: ...

    async def call(
        self, method: str, path: str, body: Any = None, *, query: Mapping[str, Any] | None = None, kind: Any = None
    ) -> Any:
        """Call any endpoint of `/openapi.json`; raises `Refused`, or `Lost` when the server cannot be reached."""
        headers = {"authorization": f"Bearer {self._token}"} if self._token else {}
        content = None
        if body is not None:
            content = msgspec.json.encode(body)
            headers["content-type"] = "application/json"
        params = {name: _said(value) for name, value in (query or {}).items() if value is not None}
        try:
            answer = await self._http.request(
                method, self.address + path, content=content, headers=headers, params=params
            )
        except httpx.HTTPError as error:
            raise Lost(f"{method} {path}: {str(error) or type(error).__name__}") from error
        if not answer.is_success:
            raise refused_by(answer.status_code, answer.content, answer.headers.get("retry-after"))
        if not answer.headers.get("content-type", "").startswith("application/json"):
            return answer.text
        return msgspec.json.decode(answer.content, type=Any if kind is None else kind)

    async def floor(self) -> FloorCard:
        """All tables, as anybody sees them."""
        return await self.call("GET", "/api/floor", kind=FloorCard)

    async def look_at(self, table: str) -> TableNow[Json]:
        """One table, as anybody sees it."""
        return await self.call("GET", f"/api/tables/{quote(table)}", kind=TableNow[Json])


class Client(_Caller):
    """A server, before anybody signs in. Use it as `async with Client(address) as client`."""

    def __init__(self, address: str, *, timeout_s: float = TIMEOUT_S) -> None:
        http = httpx.AsyncClient(timeout=timeout_s)
        # Sessions are bearer tokens here: a cookie kept from one of them would be sent for all the others.
        http.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=()))
        super().__init__(http, address.rstrip("/"))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def sign_in(self, login: str, password: str, post: str) -> Session:
        """Sign in to a post: `dealer`, `supervisor`, `pit-manager`, `shift-manager`, `auditor`, `administrator`."""
        body = {"login": login, "password": password, "post": post}
        return self._session(await self.call("POST", "/api/sign-in", body, kind=Admitted))

    async def sit_down(
        self, *, code: str = "", player: str | None = None, guest_at: str | None = None, request_id: str = ""
    ) -> Session:
        """Sit down with a seat code, or as a guest at a demo table. The token of the session is for this sitting alone.

        `player` is the name that is shown at the table, where the code leaves it open, or a guest's nickname. After
        `Lost`, repeat it with its `request_id`: the seat is the same.
        """
        chosen = request_id or token_hex(16)
        body: Json = {"code": code} if guest_at is None else {"guest_at": guest_at}
        body["id"] = chosen
        if player is not None:
            body["player"] = player
        try:
            return self._session(await self.call("POST", "/api/seat", body, kind=Admitted))
        except Lost as lost:
            raise Lost(str(lost), chosen) from lost

    async def resume(self, token: str) -> Session:
        """Resume a session from its token."""
        me = await _Caller(self._http, self.address, token).call("GET", "/api/me", kind=Me)
        return Session(self._http, self.address, token, me)

    async def choose_password(self, link: str, password: str) -> str:
        """Choose a password with a one-time link, or with its token alone; returns the login."""
        token = link.rpartition("#")[2]
        said = await self.call("POST", "/api/one-time", {"token": token, "password": password}, kind=Said)
        return said.said

    def watch(self, table: str) -> Table:
        """Watch a table without a session."""
        return Table(self.address, table)

    def _session(self, admitted: Admitted) -> Session:
        return Session(self._http, self.address, admitted.token, admitted.me)


class Session(_Caller):
    """A session of a player at a table, or of staff at a post."""

    def __init__(self, http: httpx.AsyncClient, address: str, token: str, me: Me) -> None:
        super().__init__(http, address, token)
        self.me = me
        self.ids = CommandIds()

    def __repr__(self) -> str:
        return f"Session({self.me.who!r}, {self.me.post!r})"

    @property
    def token(self) -> str:
        """The bearer token of the session; keep it as you would a password."""
        return self._token

    def table(self, name: str | None = None) -> Table:
        """Join a table over the play socket; a player's session has one table and need not name it."""
        if name is None:
            if len(self.me.tables) != 1 or self.me.tables == "*":
                raise ValueError("name the table: this session reaches more than one")
            name = self.me.tables[0]
        return Table(self.address, name, token=self._token, ids=self.ids, player=self.me.player)

    async def do(
        self,
        table: str,
        action: Action,
        *,
        reason: str = "",
        second: SecondPerson | None = None,
        command_id: str = "",
        of_round: int | None = None,
    ) -> CarriedOut:
        """Carry out one command over HTTP. After `Lost`, repeat it with the same id: it is carried out once.

        A command with `of_round` is refused (`round-over`) in any other round.
        """
        chosen = command_id or self.ids()
        asked = Do(chosen, action, reason, second, of_round)
        try:
            return await self.call("POST", f"/api/tables/{quote(table)}/commands", asked, kind=CarriedOut)
        except Lost as lost:
            raise Lost(str(lost), chosen) from lost

    async def put_up(self, table: str, set_up: SetUp, *, command_id: str = "") -> CarriedOut:
        """Open a new table under a rule book. After `Lost`, repeat it with the same id: it is carried out once."""
        chosen = command_id or self.ids()
        body = {"table": table, "set_up": set_up, "id": chosen}
        try:
            return await self.call("POST", "/api/tables", body, kind=CarriedOut)
        except Lost as lost:
            raise Lost(str(lost), chosen) from lost

    async def seat_code(self, table: str, player: str | None = None, buy_in: int | None = None) -> SeatCodeMade:
        """Make a code with which a player sits down."""
        body = {"player": player, "buy_in": buy_in}
        return await self.call("POST", f"/api/tables/{quote(table)}/seat-codes", body, kind=SeatCodeMade)

    async def add_staff(
        self,
        login: str,
        name: str,
        posts: Mapping[Role, str | tuple[str, ...]] | None = None,
        *,
        administrator: bool = False,
    ) -> LinkMade:
        """Add an account: for each post the tables it reaches, `*` for all."""
        body = {
            "login": login,
            "name": name,
            "posts": [{"role": role, "tables": tables} for role, tables in (posts or {}).items()],
            "administrator": administrator,
        }
        return await self.call("POST", "/api/staff", body, kind=LinkMade)

    async def my_rounds(self, count: int = 50) -> list[Json]:
        """A player's own last rounds, every bet explained."""
        return await self.call("GET", "/api/me/rounds", query={"count": count}, kind=list[Json])

    async def buy_again(self) -> int:
        """Buy another set of play chips, as a guest who holds less than half of one; how much it was."""
        return int((await self.call("POST", "/api/me/chips", kind=Said)).said)

    async def crew(self, table: str) -> Json:
        """What the crew sees of a table."""
        return await self.call("GET", f"/api/tables/{quote(table)}/crew", kind=Json)

    async def journal(self, table: str, **query: Any) -> list[Json]:
        """Records of a table: `after`, `count`, `last`, `kind`, `by`."""
        return await self.call("GET", f"/api/tables/{quote(table)}/journal", query=query, kind=list[Json])

    async def refresh(self) -> Me:
        """Ask the server again who is signed in."""
        self.me = await self.call("GET", "/api/me", kind=Me)
        return self.me

    async def lock(self) -> None:
        """Lock the session, as somebody does who leaves the screen."""
        await self.call("POST", "/api/lock")

    async def unlock(self, password: str) -> Me:
        """Unlock the session."""
        self.me = await self.call("POST", "/api/unlock", {"password": password}, kind=Me)
        return self.me

    async def sign_out(self) -> None:
        """End the session; a player's bets stand."""
        await self.call("POST", "/api/sign-out")


def _said(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
