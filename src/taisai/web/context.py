"""The context: everything behind the server, started and stopped in order.

Enters: settings and rule books. Leaves: the floor, the people, the feeds of the tables and whatever else endpoints and
sockets need.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Final

from msgspec.structs import replace

from taisai.books import BookRefused, Shelf
from taisai.bounds import SEATS_OF_BROWSER
from taisai.core.faults import InputFault
from taisai.core.rulebook import RuleBook
from taisai.floor.alerts import Alerts
from taisai.floor.answers import HouseCode
from taisai.floor.clock import Clock
from taisai.floor.floor import Floor
from taisai.floor.heads import OVERDUE_S, HeadKeeper
from taisai.floor.live import LiveTable
from taisai.floor.nodes import LEASE_S, Nodes
from taisai.floor.witnesses import WitnessLink
from taisai.house.accounts import Accounts, OneTimeLink, SignInRefusal
from taisai.house.authentication import Authentication
from taisai.house.digests import Manifest, last_start, manifest, note_differences
from taisai.house.erasure import Erasure
from taisai.house.passwords import Passwords
from taisai.house.persons import PLAYER, Persons, is_person
from taisai.house.proof import Prover
from taisai.house.register import Register
from taisai.house.requests import Requests
from taisai.house.seats import Seats
from taisai.house.sessions import THE_CONSOLE, Session, Sessions
from taisai.house.staff import Staff
from taisai.journal import Journal, open_journal
from taisai.journal.log.note import Verifier
from taisai.protocol.messages import Do, Notice
from taisai.settings.editions import not_admitted
from taisai.settings.forms import Settings
from taisai.streams.house_events import HouseStopped, Post
from taisai.table.commands import Command, MakeRuling, OpenDispute, SitDown
from taisai.table.decide import can, may_authorise
from taisai.table.events import Event, PlayerLeft, PlayerSat, PlayerWalkedAway, TableClosed
from taisai.table.people import CREW, Person, Role
from taisai.table.refusals import Refusal
from taisai.web.addresses import Addresses
from taisai.web.auditing import Auditor, Watching
from taisai.web.dice_health import DiceHealth
from taisai.web.errors import TOO_FAST, Stop, sign_in_refused
from taisai.web.guard.crowd import Crowd
from taisai.web.guard.probe import Probe
from taisai.web.guard.work import Work
from taisai.web.metrics import WebCounts
from taisai.web.preparation import Preparation
from taisai.web.security import COOKIE, Rates, seat_cookie, token_in
from taisai.web.socket.feed import Feed
from taisai.web.socket.frames import frame_of
from taisai.web.socket.peers import Peers

LOGGER = logging.getLogger("taisai.web")
DEMO_STAFF: Final = (Role.DEALER, Role.SUPERVISOR, Role.SHIFT_MANAGER)
SWEEP_S: Final = 60.0
EDITIONS_S: Final = 5.0
"""How often idle tables are looked at for an edition that has become due."""
RELOAD_S: Final = 5.0
"""How soon a node sees that another one has ended or locked a session."""
FORGET_S: Final = 3600.0
VERIFY_S: Final = 24 * 3600.0
"""Program, books and settings are verified by digest every day (R36)."""

UNKNOWN_COST: Final = 4
"""What a token takes of its address's allowance that this node does not know: it may be another node's."""
GUESSES: Final = 3
"""Wrong passwords of second persons that one asker may give at once; after them, one a minute."""
TOO_MANY_GUESSES: Final = Refusal(
    HouseCode.TOO_FAST, "Too many wrong passwords of a second person: wait a minute.", ("R37",), allowed="in a minute"
)


class ThreadedStore:
    """The journal's key-value store, for other threads than the writer's: each change goes through the writer."""

    def __init__(self, floor: Floor, loop: asyncio.AbstractEventLoop) -> None:
        self._floor, self._loop = floor, loop

    def put(self, key: str, value: bytes | None) -> None:
        """Store a value, or delete the key; durable when this returns. Must not be called on the event loop."""
        work = self._floor.writer.run(lambda journal: journal.put(key, value))
        asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def entries(self, prefix: str = "") -> dict[str, bytes]:
        """The entries whose keys begin with `prefix`."""
        return self._floor.writer.journal.entries(prefix)


class Context:
    """Everything behind the server."""

    def __init__(
        self,
        settings: Settings,
        shelf: Shelf,
        *,
        clock: Clock | None = None,
        reopen_shelf: Callable[[], Shelf] | None = None,
        gather_s: float | None = None,
        passwords: Passwords | None = None,
    ) -> None:
        self.settings = settings
        self.shelf = shelf
        self._has_opened = False
        self.clock = clock or Clock()
        self.floor = Floor(
            self.book,
            self._open_journal,
            self.clock,
            large_win=settings.house.large_win,
            admits=partial(not_admitted, settings),
        )
        self.peers = Peers(settings.node.secret)
        if settings.node.address:
            self.floor.nodes = Nodes(
                self.floor, settings.node.address, self.peers, self._open_for_leases, greet=self.peers.greet
            )
            self.peers.holder = self.floor.nodes.holder
        self.alerts = Alerts(self.floor, self.clock.now, settings.house.large_win)
        self.prover = Prover(lambda: self.floor.writer.journal, self.clock.now, settings.proof.origin)
        self.heads = HeadKeeper(
            self.floor,
            self.prover,
            self.alerts,
            [WitnessLink(each.url, Verifier.read(each.key)) for each in settings.proof.witnesses],
            every_s=settings.proof.every_s,
            demanded=settings.proof.cosignatures,
            within_s=settings.proof.cosigned_within_s,
        )
        self.dice_health = DiceHealth(self.floor, self.alerts)
        self.auditor = Auditor()
        self.watching = Watching(self.floor, self.alerts, shelf, self.clock.now)
        self.counts = WebCounts()
        self.work = Work()
        self.probe = Probe(self.floor)
        self.crowd = Crowd()
        self.rates = Rates(200, 400)
        self.sign_in_rates = Rates(settings.limits.sign_ins_per_minute / 60, settings.limits.sign_ins_per_minute)
        self.guess_rates = Rates(1 / 60, GUESSES)
        self.addresses = Addresses(settings.listen, settings.limits.connections_per_address)
        self.manifest: Manifest
        self.requests: Requests
        self.accounts: Accounts
        self.persons: Persons
        self.erasure: Erasure
        self.authentication: Authentication
        self.staff: Staff
        self.sessions: Sessions
        self.seats: Seats
        self.first_link = ""
        """The token of the first administrator's one-time link, on the first start."""
        self.demo_links: dict[str, str] = {}
        """Tokens of one-time links for the demo's staff, by post; empty for one who has chosen a password."""
        self.is_ready = False
        self._passwords = passwords
        self._preparation = Preparation(self.floor, settings, shelf)
        self._reopen_shelf = reopen_shelf or (lambda: shelf)
        self._gather = {} if gather_s is None else {"gather_s": gather_s}
        self._feeds: dict[str, Feed] = {}
        self._chores: list[asyncio.Task[None]] = []

    def book(self, book_id: str) -> RuleBook:
        """A book of the shelf; a broken one is refused like one that is not there."""
        try:
            return self.shelf.book(book_id)
        except BookRefused as error:
            raise InputFault("book", f"{book_id} cannot be used: {error.faults[0]}") from None

    def _open_journal(self) -> Journal:
        """Open the journal, or reopen it after a failure: a newer node may have migrated it by then."""
        journal = open_journal(self.settings.journal.url, again=self._has_opened)
        self._has_opened = True
        return journal

    def _open_for_leases(self) -> Journal:
        """Open a second connection for leases, with a timeout that leaves time to open another before they expire."""
        return open_journal(self.settings.journal.url, again=True, patience_s=LEASE_S * 2 / 3)

    @property
    def is_secure(self) -> bool:
        """Whether clients reach the house over TLS."""
        return self.settings.listen.public_url.startswith("https://")

    # ------------------------------------------------------------------ start and stop

    async def start(self) -> None:
        """Start everything, in order; the tables of the settings are prepared, the demo's staff added."""
        loop = asyncio.get_running_loop()
        await self.floor.start()
        if self.floor.nodes is not None:
            await self.floor.nodes.start(table.name for table in self.settings.tables)
        self.alerts.load()
        self.dice_health.load()
        self.floor.listen(self._changed)
        store = ThreadedStore(self.floor, loop)
        policy = self.settings.sign_in
        self.persons = Persons(store, self.clock.now)
        await self.persons.load_staff()
        self.floor.log.opaque = self.persons.opaque
        for table in self.floor.tables.values():
            await self.persons.learn(self._strangers(table))
        self.sessions = Sessions(store, self.floor.log, self.clock.now, policy)
        self.accounts = Accounts(store, self.floor.log, self.clock.now, policy)
        self.accounts.persons = self.persons
        self.authentication = Authentication(self.accounts, self.sessions, self._passwords)
        self.authentication.register = Register(lambda: self.floor.writer.journal)
        self.staff = Staff(self.accounts, self.sessions)
        self.erasure = Erasure(self.persons, self.accounts, self._seated)
        self.seats = Seats(store, self.floor.log, self.clock.now, policy, persons=self.persons, players=self.players_at)
        self.requests = Requests(store, self.clock.now)
        self.manifest = await asyncio.to_thread(manifest, self.settings, self.shelf)
        before = await asyncio.to_thread(last_start, self.floor.writer.journal)
        await note_differences(before, self.manifest, self.floor.log, self.clock.now)
        await self.floor.log.note(self.manifest.started())
        link = await self.staff.first_start()
        self.first_link = "" if link is None else link.token
        if self.settings.demo.enabled:
            await self._demo_staff()
        await self._preparation.prepare_all()
        self._repeat(EDITIONS_S, self._preparation.change_over, "tables could not take up the next edition")
        self._repeat(SWEEP_S, self._sweep, "expired sessions could not be removed")
        self._repeat(VERIFY_S, self.verify, "program, books and settings could not be verified")
        if self.floor.nodes is not None:
            self._repeat(RELOAD_S, self.sessions.reload, "sessions could not be read")
            self._repeat(RELOAD_S, self._reload_persons, "names could not be read")
        if self.settings.house.forget_after_days:
            self._repeat(FORGET_S, self.forget_old, "old names could not be erased")
        await self.heads.start()
        self.is_ready = True

    async def _demo_staff(self) -> None:
        """Add one account for each post of the demo, named after it; its holder chooses a password with the link."""
        for role in DEMO_STAFF:
            sheet = await self.staff.one(role)
            if sheet is None:
                link = await self.staff.add(THE_CONSOLE, role, f"the {role} of the demo", (Post(role),))
            elif not sheet.has_password:
                link = await self.staff.new_link(THE_CONSOLE, role)
            else:
                self.demo_links[role] = ""
                continue
            if isinstance(link, OneTimeLink):
                self.demo_links[role] = link.token

    async def stop(self, why: str = "asked to") -> None:
        """Notify all clients, let rounds finish, and write everything."""
        self.is_ready = False
        sentence = "The house is closing. Your bets are kept: come back to the same table."
        frame = frame_of(Notice("closing", sentence))
        for feed in self._feeds.values():
            feed.broadcast(frame)
        for task in self._chores:
            task.cancel()
        await self.watching.stop()
        await self.sessions.flush()
        await self.floor.log.note(HouseStopped(why))
        await self.floor.stop()
        await self.peers.close()
        self.work.close()

    def degraded(self) -> list[str]:
        """What somebody has to look at, though bets are taken."""
        found = [f"the log is not signed: {self.heads.now.fault}"] if self.heads.now.fault else []
        late = self.heads.unsigned_s
        if late > OVERDUE_S:
            found.append(f"no signed head covers the records of the last {late:.0f} s")
        waiting = [name for name, table in self.floor.tables.items() if table.state.round.interrupted]
        if waiting:
            found.append(f"a round is interrupted and waits for people: {', '.join(sorted(waiting))}")
        return found

    def _repeat(self, every_s: float, work: Callable[[], Awaitable[object]], failure: str) -> None:
        """Do something again and again until the house stops; a failure is logged and tried again."""

        async def repeat() -> None:
            while True:
                await asyncio.sleep(every_s)
                try:
                    await work()
                except Exception:
                    LOGGER.exception(failure)

        self._chores.append(asyncio.get_running_loop().create_task(repeat()))

    async def _sweep(self) -> None:
        await self.sessions.sweep()
        await self.seats.sweep()
        await self.requests.sweep()
        await self.accounts.guesses.sweep()

    async def verify(self) -> list[str]:
        """Compare program, books and settings with those of the start; differences are logged (R36)."""
        now = await asyncio.to_thread(lambda: manifest(self.settings, self._reopen_shelf()))
        return [str(each) for each in await note_differences(self.manifest, now, self.floor.log, self.clock.now)]

    def players_at(self, table: str) -> Iterable[str]:
        """The ids of those who have a seat at a table."""
        live = self.floor.tables.get(table)
        return () if live is None else live.state.players

    def _seated(self) -> Iterable[str]:
        """The ids of everybody who has a seat, at any table."""
        return [player for table in self.floor.tables.values() for player in table.state.players]

    async def erase(self, person: str, by: str, reason: str) -> int:
        """Erase what identifies a person, and show it nowhere any more."""
        rows = await self.erasure.erase(person, by, reason)
        self._show_again()
        return rows

    async def forget_old(self) -> int:
        """Erase what the house keeps no longer."""
        rows = await self.erasure.erase_older(self.settings.house.forget_after_days)
        if rows:
            self._show_again()
        return rows

    async def _reload_persons(self) -> None:
        if await self.persons.reload():
            self._show_again()

    def _show_again(self) -> None:
        for feed in self._feeds.values():
            feed.show_again()

    def _strangers(self, table: LiveTable) -> list[str]:
        """The ids in a table's state whose names this node has not read."""
        state, known = table.state, self.persons.names
        seen = {*state.players, *(each.player for each in state.disputes.values())}
        return [each for each in seen if each not in known and is_person(each)]

    # ------------------------------------------------------------------ tables

    def feed(self, name: str) -> Feed:
        """The feed of a table."""
        found = self._feeds.get(name)
        if found is None:
            table = self.floor.table(name)
            named = self.persons.named
            found = self._feeds[name] = Feed(table, self.clock.now, self.floor.until, named=named, **self._gather)
        return found

    def watchers(self, name: str) -> int:
        """How many clients watch a table."""
        found = self._feeds.get(name)
        return 0 if found is None else found.subscriber_count

    def _changed(self, table: LiveTable, events: tuple[Event, ...]) -> None:
        self._preparation.changed(table, events)
        feed = self._feeds.get(table.name)
        if feed is not None:
            feed.changed(events)
        for event in events:
            what = event.what
            if isinstance(what, (PlayerLeft, PlayerWalkedAway)):
                self.floor.background(self.sessions.end_player(table.name, what.player))
            elif isinstance(what, TableClosed):
                self.floor.background(self.sessions.end_players(table.name))
        if (not events or any(isinstance(event.what, PlayerSat) for event in events)) and self._strangers(table):
            self.floor.background(self._meet(table))

    async def _meet(self, table: LiveTable) -> None:
        """Read the names of players who sat down at another node, and show them."""
        await self.persons.learn(self._strangers(table))
        self.feed(table.name).show_again()

    # ------------------------------------------------------------------ people

    async def session_of(self, token: str | None, where: str) -> Session | None:
        """The session of a token; among several nodes it may have begun at another one, and is looked up."""
        if not token:
            return None
        found = self.sessions.find(token)
        if found is None and self.floor.nodes is not None:
            if not self.rates.take(self.addresses.group_of(where), UNKNOWN_COST):
                raise Stop(TOO_FAST, {"retry-after": "1"})
            await asyncio.to_thread(self.sessions.reload_one, token)
            found = self.sessions.find(token)
        return found

    async def session_in(self, cookies: Mapping[str, str], table: str, where: str) -> Session | None:
        """The session of a browser: of staff, or of the seat at the table that is asked about; else the last seat.

        A seat at one table stands for nothing at another: what is asked there is asked by nobody.
        """
        last = await self.session_of(cookies.get(COOKIE), where)
        if not table or (last is not None and (not last.is_player or last.reaches(table))):
            return last
        seat = await self.session_of(cookies.get(seat_cookie(table)), where)
        return seat if seat is not None and seat.is_player and seat.reaches(table) else None

    async def seats_in(self, cookies: Mapping[str, str], where: str) -> dict[str, Session | None]:
        """The seats that a browser has, by table; None where it holds the cookie of one that is over."""
        named = [name for name in sorted(self.floor.tables) if seat_cookie(name) in cookies][:SEATS_OF_BROWSER]
        found = {name: await self.session_of(cookies[seat_cookie(name)], where) for name in named}
        return {
            name: seat if seat is not None and seat.is_player and seat.reaches(name) else None
            for name, seat in found.items()
        }

    def is_ours(self, headers: Mapping[str, str]) -> bool:
        """Whether a request shows a session of staff, or is another node's: known without asking the journal."""
        token = token_in(headers)
        if token is None:
            return False
        if self.settings.node.secret and hmac.compare_digest(token.encode(), self.settings.node.secret.encode()):
            return True
        session = self.sessions.find(token)
        return session is not None and not session.is_player

    def knows(self, headers: Mapping[str, str]) -> bool:
        """Whether a request shows any session that this node knows, or is another node's."""
        token = token_in(headers)
        return token is not None and (self.sessions.find(token) is not None or self.is_ours(headers))

    async def inward(self, do: Do, by: Person, table: str) -> Do | Refusal:
        """What somebody asks for, with ids in the place of the names that people use.

        A name means the player who is shown by it at the table. Whoever the crew seats under another, or records a
        dispute of, is a new person, whose id follows from the command's own, so that a repeat makes nobody else. No
        name that people write into such a field comes into a record.
        """
        name = getattr(do.do, "player", None)
        players = self.players_at(table)
        if isinstance(do.do, MakeRuling) and do.do.amounts:
            amounts = {self.persons.id_among(players, each): amount for each, amount in do.do.amounts.items()}
            if len(amounts) != len(do.do.amounts):
                return Refusal(HouseCode.BAD_MESSAGE, "amounts: a player stands there twice.", field="do.amounts")
            return replace(do, do=replace(do.do, amounts=amounts))
        if not isinstance(name, str) or name in players:
            return do
        found = self.persons.id_among(players, name)
        if found == name and isinstance(do.do, (SitDown, OpenDispute)) and by.role in CREW:
            if is_person(name):
                return Refusal(HouseCode.BAD_MESSAGE, "player: this is an id, and no name.", field="do.player")
            found = await self.persons.add(PLAYER, name, f"seated {table} {by.id} {do.id}")
        return replace(do, do=replace(do.do, player=found))

    async def command_of(self, do: Do, by: Person, table: str, *, where: str = "") -> Command | Refusal:
        """The command that a person asks for, once the second person, if one is needed, has shown their credentials.

        Rank and moment come first: a password that would decide nothing is not looked at, so that nobody can guess
        passwords or lock logins with commands that are not theirs to give. Such a command goes to the table without
        the second person, and the table refuses it, carries it out, or answers it as a repeat.
        """
        named = await self.inward(do, by, table)
        if isinstance(named, Refusal):
            return named
        do = named
        command = Command(id=do.id, at=self.clock.now(), by=by, do=do.do, reason=do.reason, round=do.round)
        second, live = do.second, self.floor.tables.get(table)
        rules = None if live is None else live.rules()
        if second is None or live is None or rules is None:
            return command
        roles = may_authorise(rules, live.state, by, type(do.do))
        if not roles:
            return command
        if second.role not in roles:
            claimed = replace(command, authorised_by=Person(second.login, second.role))
            return can(rules, live.state, claimed) or command
        # The token is taken before the password is checked, so that guesses sent together are counted one by one.
        if not self.guess_rates.take(by.id):
            return TOO_MANY_GUESSES
        found = await self.authentication.vouch(second.login, second.password, second.role, table, where, asker=by.id)
        if isinstance(found, SignInRefusal):
            return sign_in_refused(found)
        self.guess_rates.give_back(by.id)
        return replace(command, at=self.clock.now(), authorised_by=found)
