"""The house as the server sees it: floor, people, settings, the feeds of its tables.

Enters: settings. Leaves: everything that endpoints and sockets need, started and stopped in order. On the first start
the tables of the settings are set up; automatic ones are opened and dealt.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from starlette.datastructures import Headers

from taisai.books import Shelf
from taisai.floor.alerts import Alerts
from taisai.floor.clock import Clock
from taisai.floor.dealer import AutomaticDealer, opening_moves
from taisai.floor.dice import DiceSource, VirtualTumbler, mischief_every
from taisai.floor.driver import Driver
from taisai.floor.floor import Floor
from taisai.floor.live import LiveTable
from taisai.floor.nodes import LEASE_S, Nodes
from taisai.house.accounts import Accounts, OneTimeLink, SignInRefusal
from taisai.house.digests import Manifest, last_start, manifest, note_differences
from taisai.house.passwords import Passwords
from taisai.house.seats import Seats
from taisai.house.sessions import THE_CONSOLE, Session, Sessions
from taisai.journal import Journal, open_journal
from taisai.protocol.messages import Notice
from taisai.settings.forms import Settings, TableSettings
from taisai.streams.house_events import HouseStopped, Post
from taisai.table.events import Event
from taisai.table.people import Person, Role
from taisai.table.refusals import Refusal
from taisai.table.state import TablePhase
from taisai.web.auditing import Auditor
from taisai.web.dice_health import DiceHealth
from taisai.web.errors import sign_in_refused
from taisai.web.metrics import WebCounts
from taisai.web.security import Rates
from taisai.web.socket.feed import Feed
from taisai.web.socket.frames import frame_of
from taisai.web.socket.peers import Peers

LOGGER = logging.getLogger("taisai.web")
DEMO_STAFF: Final = (Role.DEALER, Role.SUPERVISOR, Role.SHIFT_MANAGER)
SWEEP_S: Final = 60.0
LOOK_S: Final = 5.0
VERIFY_S: Final = 24 * 3600.0
"""Program, books and settings are verified by digest every day (R36)."""


class ThreadedDrawer:
    """The journal's drawer, used from other threads than the writer's: each change waits for its turn there."""

    def __init__(self, floor: Floor, loop: asyncio.AbstractEventLoop) -> None:
        self._floor, self._loop = floor, loop

    def keep(self, name: str, value: bytes | None) -> None:
        """Keep a thing; durable when this returns. Not to be called on the event loop."""
        work = self._floor.writer.run(lambda journal: journal.keep(name, value))
        asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def kept(self, prefix: str = "") -> dict[str, bytes]:
        """The things whose name begins so."""
        return self._floor.writer.journal.kept(prefix)


class Context:
    """Everything behind the server."""

    def __init__(
        self,
        settings: Settings,
        shelf: Shelf,
        *,
        clock: Clock | None = None,
        dice: Callable[[TableSettings], DiceSource] | None = None,
        reopen_shelf: Callable[[], Shelf] | None = None,
        gather_s: float | None = None,
        passwords: Passwords | None = None,
    ) -> None:
        self.settings = settings
        self.shelf = shelf
        self._has_opened = False
        self.clock = clock or Clock()
        self.floor = Floor(shelf.book, self._open_journal, self.clock, large_win=settings.house.large_win)
        self.peers = Peers(settings.node.secret)
        if settings.node.address:
            self.floor.nodes = Nodes(self.floor, settings.node.address, self.peers, self._open_for_leases)
        self.alerts = Alerts(self.floor, self.clock.now, settings.house.large_win)
        self.dice_health = DiceHealth(self.floor, self.alerts)
        self.auditor = Auditor()
        self.counts = WebCounts()
        self.rates = Rates(200, 400)
        self.sign_in_rates = Rates(settings.limits.sign_ins_per_minute / 60, settings.limits.sign_ins_per_minute)
        self.connections_of: dict[str, int] = {}
        self.manifest: Manifest
        self.accounts: Accounts
        self.sessions: Sessions
        self.seats: Seats
        self.first_link = ""
        """The token of the first administrator's one-time link, on the first start."""
        self.demo_links: dict[str, str] = {}
        """Tokens of one-time links for the demo's staff, by post, until they have chosen a password."""
        self.is_ready = False
        self._passwords = passwords
        self._dice = dice or _tumbler
        self._reopen_shelf = reopen_shelf or (lambda: shelf)
        self._gather = {} if gather_s is None else {"gather_s": gather_s}
        self._feeds: dict[str, Feed] = {}
        self._trusted = _networks(settings.listen.trusted_proxies)
        self._measurers = _networks(settings.listen.metrics_from)
        self._chores: list[asyncio.Task[None]] = []

    def _open_journal(self) -> Journal:
        """Open the journal, or open it again after a failure: a newer node may have added to its form by then."""
        journal = open_journal(self.settings.journal.url, again=self._has_opened)
        self._has_opened = True
        return journal

    def _open_for_leases(self) -> Journal:
        """The journal once more: a connection that hangs is given up while there is time to make another."""
        return open_journal(self.settings.journal.url, again=True, patience_s=LEASE_S * 2 / 3)

    @property
    def is_secure(self) -> bool:
        """Whether people reach the house over TLS."""
        return self.settings.listen.public_url.startswith("https://")

    # ------------------------------------------------------------------ start and stop

    async def start(self) -> None:
        """Open everything, in order."""
        loop = asyncio.get_running_loop()
        await self.floor.start()
        if self.floor.nodes is not None:
            await self.floor.nodes.start(table.name for table in self.settings.tables)
        self.alerts.load()
        self.dice_health.load()
        self.floor.listen(self._changed)
        drawer = ThreadedDrawer(self.floor, loop)
        policy = self.settings.sign_in
        self.sessions = Sessions(drawer, self.floor.log, self.clock.now, policy)
        self.accounts = Accounts(
            drawer, self.floor.log, self.clock.now, policy, sessions=self.sessions, passwords=self._passwords
        )
        self.seats = Seats(drawer, self.floor.log, self.clock.now, policy, self._is_taken)
        self.manifest = await asyncio.to_thread(manifest, self.settings, self.shelf)
        before = await asyncio.to_thread(last_start, self.floor.writer.journal)
        await note_differences(before, self.manifest, self.floor.log, self.clock.now)
        await self.floor.log.note(self.manifest.started())
        link = await self.accounts.first_start()
        self.first_link = "" if link is None else link.token
        if self.settings.demo.enabled:
            await self._demo_staff()
        for table in self.settings.tables:
            await self._prepare(table)
        self._chores = [loop.create_task(self._sweep()), loop.create_task(self._verify_daily())]
        if self.floor.nodes is not None:
            self._chores.append(loop.create_task(self._look_around()))
            self.floor.nodes.on_held = self._held
            for name in self.floor.nodes.mine:  # what came or went while the tables were prepared
                self._held(name)
        self.is_ready = True

    async def _demo_staff(self) -> None:
        """One account for each post of the demo, named as its post; each chooses a password by its link."""
        for role in DEMO_STAFF:
            sheet = await self.accounts.one(role)
            if sheet is None:
                link = await self.accounts.add(THE_CONSOLE, role, f"the {role} of the demo", (Post(role),))
            elif not sheet.has_password:
                link = await self.accounts.new_link(THE_CONSOLE, role)
            else:
                continue
            if isinstance(link, OneTimeLink):
                self.demo_links[role] = link.token

    async def _prepare(self, table: TableSettings) -> None:
        """Set a new table up; open and deal it when it is automatic. In the demo every table is open at first."""
        live = self.floor.table(table.name)
        is_due = live.owned and (live.state.phase is TablePhase.NEW or table.mode == "automatic")
        if is_due and not await self._set_up(table):
            return
        if table.mode == "automatic":
            dealer = AutomaticDealer(
                self.shelf.book(table.book),
                self._dice(table),
                table.timing,
                unattended=table.unattended,
                idle_when_empty=table.idle_when_empty,
                minimum_betting_ms=self.settings.house.minimum_betting_ms,
            )
            self.floor.automate(table.name, Driver(dealer))

    async def _set_up(self, table: TableSettings) -> bool:
        """Do what is left to do until a table stands as the settings say; false when something was refused."""
        live, book = self.floor.table(table.name), self.shelf.book(table.book)
        commands = opening_moves(
            live.state,
            book,
            table.set_up(book),
            table.float_count,
            self.clock.now(),
            opening=table.mode == "automatic" or self.settings.demo.enabled,
            dice_set="virtual" if table.mode == "automatic" else "dice-1",
            seal="virtual" if table.mode == "automatic" else "seal-1",
        )
        for command in commands:
            answer = await self.floor.do(table.name, command)
            if answer.refusal is not None:
                LOGGER.error("%s", answer.refusal.sentence, extra={"table": table.name})
                return False
        return True

    def _held(self, name: str) -> None:
        """A table has come from another node, which may have died before it had set it up."""
        state = self.floor.table(name).state
        table = next((each for each in self.settings.tables if each.name == name), None)
        half_way = table is not None and table.mode == "automatic" and not state.round.number
        if table is not None and (state.phase is TablePhase.NEW or (half_way and state.phase is not TablePhase.OPEN)):
            self.floor.background(self._set_up(table))

    async def stop(self, why: str = "asked to") -> None:
        """Tell everybody, finish rounds, write everything."""
        self.is_ready = False
        sentence = "The house is closing. Bets that stand are kept; come back to the same table."
        frame = frame_of(Notice("closing", sentence))
        for feed in self._feeds.values():
            feed.broadcast(frame)
        for task in self._chores:
            task.cancel()
        await self.sessions.flush()
        await self.floor.log.note(HouseStopped(why))
        await self.floor.stop()
        await self.peers.close()

    async def _look_around(self) -> None:
        """Where there are other nodes: know what they did to sessions and alerts."""
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                await self.sessions.reload()
            except Exception:
                LOGGER.exception("sessions could not be read")

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_S)
            try:
                await self.sessions.sweep()
                await self.seats.sweep()
            except Exception:
                LOGGER.exception("sessions could not be written")

    async def _verify_daily(self) -> None:
        while True:
            await asyncio.sleep(VERIFY_S)
            try:
                await self.verify()
            except Exception:
                LOGGER.exception("program, books and settings could not be verified")

    async def verify(self) -> list[str]:
        """Program, books and settings against what was there at the start; what differs is logged (R36)."""
        now = await asyncio.to_thread(lambda: manifest(self.settings, self._reopen_shelf()))
        return [str(each) for each in await note_differences(self.manifest, now, self.floor.log, self.clock.now)]

    def _is_taken(self, table: str, name: str) -> bool:
        """Whether a name is a player's at a table."""
        live = self.floor.tables.get(table)
        return live is not None and name in live.state.players

    # ------------------------------------------------------------------ tables

    def feed(self, name: str) -> Feed:
        """The feed of a table."""
        found = self._feeds.get(name)
        if found is None:
            table = self.floor.table(name)
            found = self._feeds[name] = Feed(table, self.clock.now, self.floor.until, **self._gather)
        return found

    def _changed(self, table: LiveTable, events: tuple[Event, ...]) -> None:
        feed = self._feeds.get(table.name)
        if feed is not None:
            feed.changed(events)

    # ------------------------------------------------------------------ people

    async def session_of(self, token: str | None) -> Session | None:
        """The session that a token stands for; where there are other nodes it may have begun at one of them."""
        if not token:
            return None
        found = self.sessions.find(token)
        if found is None and self.floor.nodes is not None:
            await asyncio.to_thread(self.sessions.reload_one, token)
            found = self.sessions.find(token)
        return found

    async def vouch(
        self, login: str, password: str, role: Role, table: str, *, where: str = "", asker: str = ""
    ) -> Person | Refusal:
        """The second person of an authorisation, by his own credentials."""
        found = await self.accounts.vouch(login, password, role, table, where, asker=asker)
        return sign_in_refused(found) if isinstance(found, SignInRefusal) else found

    def address_of(self, peer: str, headers: Headers | Mapping[str, str]) -> str:
        """Whose request it is: the peer's, or what a trusted proxy says."""
        forwarded = headers.get("x-forwarded-for", "")
        if not forwarded or not self._trusts(peer):
            return peer
        for hop in reversed([part.strip() for part in forwarded.split(",")]):
            if not self._trusts(hop):
                return hop[:64]
        return peer

    def _trusts(self, address: str) -> bool:
        return _is_in(address, self._trusted)

    def may_measure(self, address: str) -> bool:
        """Whether an address may read the metrics."""
        return _is_in(address, self._measurers)


_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _networks(texts: Sequence[str]) -> list[_Network]:
    return [ipaddress.ip_network(each, strict=False) for each in texts]


def _is_in(address: str, networks: Sequence[_Network]) -> bool:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in networks)


def _tumbler(table: TableSettings) -> DiceSource:
    """The dice of an automatic table; for training they misbehave now and then."""
    if table.mischief_every:
        return VirtualTumbler(mischief=mischief_every(table.mischief_every))
    return VirtualTumbler()
