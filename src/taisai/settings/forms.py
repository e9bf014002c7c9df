"""Settings: everything that an operator may choose.

Enters: values that `reading` made from a file and the environment. Leaves: `Settings`, their digest, and plain values
without passwords to show. `demo_settings` is a floor to try out: a table for every layout. Every key is described in
docs/settings.md. Serves R3, R15, R20, R30, R36, R37.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from taisai.books import Shelf, open_shelf
from taisai.core.limits import OPPOSITE_BOXES
from taisai.core.money import CURRENCIES, NO_CURRENCY
from taisai.core.rulebook import Layout, Rule, RuleBook
from taisai.table.commands import Amount, BoxLimit, ColourSet, Count, Name, SetUp, TableLimits

Port = Annotated[int, Meta(ge=0, le=65_535)]
Some = Annotated[int, Meta(ge=1, le=1_000_000_000)]
Milliseconds = Annotated[int, Meta(ge=0, le=3_600_000)]
Line = Annotated[str, Meta(min_length=1, max_length=200)]
Address = Annotated[str, Meta(min_length=1, max_length=2_000)]
Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$(?!\n)")]
Currency = Annotated[str, Meta(pattern=r"^[A-Z]{3}$(?!\n)")]
Moment = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?$(?!\n)")]
Chips = Annotated[int, Meta(ge=1, le=100_000)]

_PASSWORD: Final = re.compile(r"(://[^:@/]*):.*@", re.DOTALL)
_SECRET_OPTION: Final = re.compile(r"([?&][a-z_]*(?:password|secret)[a-z_]*=)[^&]*", re.IGNORECASE)


def redacted(text: str) -> str:
    """Text without the passwords of any addresses in it."""
    return _SECRET_OPTION.sub(r"\1…", _PASSWORD.sub(r"\1:…@", text))


class _Section(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings that belong together."""


class Listen(_Section, frozen=True, kw_only=True):
    """Where clients reach the house."""

    host: Line = "127.0.0.1"
    port: Port = 8000
    public_url: str = ""
    """The URL that people type; needed behind a proxy, for links and for the check of origins."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses of the proxies whose `X-Forwarded-For` is believed: each by itself, and no networks."""
    forwarded_hops: Annotated[int, Meta(ge=1, le=10)] = 1
    """How many proxies stand before the house: the client is so many entries from the right of the header."""
    metrics_from: tuple[str, ...] = ("127.0.0.0/8", "::1/128")
    """Addresses or networks that may read /metrics, which show the turnover."""
    allowed_origins: tuple[str, ...] = ()
    """Other sites whose pages may call the API."""


class JournalPlace(_Section, frozen=True, kw_only=True):
    """Where the journal is."""

    url: Address = "sqlite:///floor.db"

    def __repr__(self) -> str:
        return f"JournalPlace(url={redacted(self.url)!r})"

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("url", redacted(self.url))]


class Node(_Section, frozen=True, kw_only=True):
    """One node of several that share a PostgreSQL journal."""

    address: str = ""
    """Where the other nodes reach this one (http://10.0.0.5:8000); empty for a house of one node."""
    secret: str = ""
    """What the nodes authenticate with; the same for all."""

    def __repr__(self) -> str:
        return f"Node(address={self.address!r}, secret=…)"

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("address", self.address)]


class SignIn(_Section, frozen=True, kw_only=True):
    """How people sign in, and for how long."""

    failures: Annotated[int, Meta(ge=1, le=10)] = 3
    """Failures that lock a login to the address from which they came."""
    unlock_minutes: Annotated[int, Meta(ge=1, le=1440)] = 5
    """How long such a lock lasts; every further failure doubles it, up to a day."""
    idle_minutes: Annotated[int, Meta(ge=1, le=60)] = 5
    crew_hours: Annotated[int, Meta(ge=1, le=24)] = 12
    player_hours: Annotated[int, Meta(ge=1, le=168)] = 24
    one_time_hours: Annotated[int, Meta(ge=1, le=168)] = 24
    seat_code_minutes: Annotated[int, Meta(ge=1, le=1440)] = 10


class Bounds(_Section, frozen=True, kw_only=True):
    """Limits for one client."""

    frame_bytes: Some = 16_384
    body_bytes: Some = 65_536
    commands_per_second: Some = 50
    commands_burst: Some = 100
    connections: Some = 10_000
    connections_per_address: Some = 200
    sign_ins_per_minute: Some = 20
    queue_per_client: Some = 256
    request_timeout_s: Annotated[int, Meta(ge=1, le=600)] = 30


class Demo(_Section, frozen=True, kw_only=True):
    """Guests with play money."""

    enabled: bool = False
    guest_chips: Amount = 100_000


class LogForm(_Section, frozen=True, kw_only=True):
    """How the program logs."""

    format: Literal["json", "text"] = "json"
    level: Literal["debug", "info", "warning", "error"] = "info"


class House(_Section, frozen=True, kw_only=True):
    """The house."""

    name: Line = "The House"
    large_win: Amount = 10_000_000
    """A player's winnings in a round from which on they are a significant event."""
    minimum_betting_ms: Milliseconds = 36_000
    """The shortest wagering period of an automatic table."""
    forget_after_days: Annotated[int, Meta(ge=0, le=36_500)] = 1_825
    """How long it is kept who a player was, and from which addresses people came; 0 is until somebody asks."""
    zone: str = "UTC"
    """The time zone in which a day begins and ends."""
    dice_key: str = ""
    """The file with the key of the virtual dice, the same on all nodes; empty for a file beside a SQLite journal."""
    purpose: Literal["gaming", "training", "demo"] = "gaming"
    """What the floor is for. A gaming floor has virtual dice only where a book, or a declared reading, admits them."""


class Timing(_Section, frozen=True, kw_only=True):
    """How long each part of a round lasts at an automatic table."""

    betting_ms: Milliseconds = 36_000
    """From the call for bets to the close; 36 s is the minimum for electronic Tai-Sai (R20)."""
    after_close_ms: Milliseconds = 2_000
    """From the close to the tumble, or to the uncovering where the dice were tumbled before."""
    tumbling_ms: Milliseconds = 4_000
    reveal_ms: Milliseconds = 2_000
    """From the uncovering to the call."""
    lit_ms: Milliseconds = 4_000
    """From the lights, or the call, to collecting."""
    paid_ms: Milliseconds = 3_000
    """From collecting to paying."""
    between_ms: Milliseconds = 3_000
    """From the end of a round to the next."""

    @property
    def round_ms(self) -> int:
        """How long a whole round lasts, with the pause before it."""
        return sum(getattr(self, name) for name in self.__struct_fields__)


class EditionSettings(_Section, frozen=True, kw_only=True):
    """The edition of a book that a table takes up at a moment, between two rounds."""

    at: Moment
    """Date and time in the zone of the house: `2026-12-01 06:00`."""
    book: Name
    layout: str = ""
    """Its layout; empty: the one of the same name."""


class TableSettings(_Section, frozen=True, kw_only=True):
    """One table."""

    name: Name
    book: Name
    layout: Name
    editions: tuple[EditionSettings, ...] = ()
    """Later editions of the book, each from its date on."""
    mode: Literal["dealer", "automatic"] = "dealer"
    limits: TableLimits
    currency: Currency
    denominations: Annotated[tuple[Amount, ...], Meta(min_length=1, max_length=20)]
    colours: dict[Name, Chips] = {}
    """How many chips of each colour the table has."""
    float_count: Count = {}
    """How many chips of each denomination an automatic table opens with."""
    timing: Timing = Timing()
    unattended: bool = False
    """Whether an automatic table resolves an interruption without people, by the book."""
    mischief_every: Annotated[int, Meta(ge=0, le=1_000)] = 0
    """For training: every how many rounds something goes wrong with the dice of an automatic table; 0 is never."""
    idle_when_empty: bool = True
    """Whether an automatic table stops dealing while no player is there."""

    def set_up(self, book: RuleBook, layout: str = "") -> SetUp:
        """The command that sets the table up under its book, or under an edition of it."""
        return SetUp(
            book=book.id,
            layout=layout or self.layout,
            digest=book.digest,
            limits=self.limits,
            currency=self.currency,
            denominations=self.denominations,
            colours={name: ColourSet(chips) for name, chips in self.colours.items()},
        )


class WitnessPlace(_Section, frozen=True, kw_only=True):
    """A witness: somebody else who remembers the log's heads."""

    url: Address
    key: Annotated[str, Meta(pattern=r"^[^\s+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]+={0,2}$(?!\n)", max_length=300)]
    """The witness's verifier key, NAME+ID+KEY, received by a way that is trusted."""


class Proof(_Section, frozen=True, kw_only=True):
    """The Merkle log over all records: its name, how often its head is signed, who else sees it."""

    origin: Annotated[str, Meta(pattern=r"^[^\s+]*$(?!\n)", max_length=200)] = ""
    """The log's name when it begins, such as casino.example/floor; empty for one made from the key."""
    every_s: Annotated[int, Meta(ge=1, le=60)] = 2
    witnesses: Annotated[tuple[WitnessPlace, ...], Meta(max_length=20)] = ()
    cosignatures: Annotated[int, Meta(ge=0, le=20)] = 0
    """How many witnesses must cosign; without them no new round begins. 0 is none."""
    cosigned_within_s: Annotated[int, Meta(ge=5, le=86_400)] = 60
    """How long a signed head may wait for that many."""
    audit_every_s: Annotated[int, Meta(ge=0, le=3_600)] = 5
    """How long the audit beside the tables waits between two looks; 0 is no such audit."""


class Settings(_Section, frozen=True, kw_only=True):
    """Everything that an operator may choose."""

    listen: Listen = Listen()
    journal: JournalPlace = JournalPlace()
    node: Node = Node()
    sign_in: SignIn = SignIn()
    limits: Bounds = Bounds()
    demo: Demo = Demo()
    log: LogForm = LogForm()
    house: House = House()
    proof: Proof = Proof()
    books: dict[Name, Digest] = {}
    """Approved rule books by their digests: a book with another digest is refused, and once one is named any other."""
    tables: tuple[TableSettings, ...] = ()

    def shown(self) -> dict[str, Any]:
        """The settings as plain values, without any password."""
        plain: dict[str, Any] = msgspec.to_builtins(self, str_keys=True)
        plain["journal"]["url"] = redacted(self.journal.url)
        plain["node"]["secret"] = "…" if self.node.secret else ""
        return plain

    def digest(self) -> str:
        """SHA-256 over the settings without passwords: a digest in a log must not help to guess one."""
        return sha256(msgspec.json.encode(self.shown(), order="deterministic")).hexdigest()


# ------------------------------------------------------------------ the demo floor

_DEMO_TABLES: Final[Mapping[str, tuple[str, Literal["dealer", "automatic"]]]] = {
    "TS-A": ("rws-tai-sai-v6/A", "dealer"),
    "TS-C": ("rws-tai-sai-v6/C", "automatic"),
    "TS-E": ("rws-tai-sai-v6/E", "automatic"),
    "OC-A": ("rws-open-cover-v3/A", "automatic"),
    "OC-B": ("rws-open-cover-v3/B", "dealer"),
    "MD-A": ("rws-mini-dice-v3/A", "automatic"),
    "NZ-1": ("nz-division-9/1", "automatic"),
    "NZ-2": ("nz-division-9/2", "dealer"),
}
_DEMO_DEFAULT: Final = BoxLimit(500, 500_000)
_DEMO_KINDS: Final = {
    "single": BoxLimit(500, 200_000),
    "double": BoxLimit(100, 50_000),
    "triple": BoxLimit(100, 5_000),
    "any-triple": BoxLimit(100, 20_000),
    "total": BoxLimit(100, 20_000),
    "pair": BoxLimit(100, 100_000),
    "three": BoxLimit(100, 20_000),
    "four": BoxLimit(100, 50_000),
}
"""The higher the odds, the lower the maximum, as on any limit sign."""
_DEMO_DIFFERENTIAL: Final = 200_000
_DEMO_FLOAT: Final = {100: 20_000, 500: 20_000, 2_500: 20_000, 10_000: 20_000}
"""Far more than a table needs, because guests come and go with chips of it."""
_DEMO_COLOURS: Final = {"red": 300, "blue": 300, "yellow": 300, "green": 300}
_DEMO_TIMING: Final = Timing(betting_ms=15_000)


def demo_settings(shelf: Shelf | None = None) -> Settings:
    """A floor to try out: a table for every layout of the package's books, five of them automatic."""
    shelf = shelf or open_shelf(environment={})
    tables = tuple(ready_table(shelf, name, *chosen) for name, chosen in _DEMO_TABLES.items())
    return Settings(
        demo=Demo(enabled=True),
        log=LogForm(format="text", level="warning"),
        journal=JournalPlace(url="memory:"),
        house=House(name="Demo House", minimum_betting_ms=_DEMO_TIMING.betting_ms, purpose="demo"),
        tables=tables,
    )


def ready_table(shelf: Shelf, name: str, layout_name: str, mode: Literal["dealer", "automatic"]) -> TableSettings:
    """A table for play money under any layout: usual limits, a float that never runs dry."""
    layout = shelf.layout(layout_name)
    book = shelf.book(layout.book_id)
    return TableSettings(
        name=name,
        book=book.id,
        layout=layout.id,
        mode=mode,
        limits=_demo_limits(book, layout),
        currency=CURRENCIES.get(book.jurisdiction, NO_CURRENCY),
        denominations=tuple(_DEMO_FLOAT),
        colours=_DEMO_COLOURS if book.has(Rule.COLOUR_CHIPS) else {},
        float_count=_DEMO_FLOAT,
        timing=_DEMO_TIMING,
        unattended=mode == "automatic",
    )


def _demo_limits(book: RuleBook, layout: Layout) -> TableLimits:
    kinds = {kind: limit for kind, limit in _DEMO_KINDS.items() if kind in layout.kinds}
    pairs = (
        [pair for pair, (one, _) in OPPOSITE_BOXES.items() if one in layout.boxes]
        if book.has(Rule.DIFFERENTIAL)
        else []
    )
    differential = {str(pair): _DEMO_DIFFERENTIAL for pair in pairs}
    return TableLimits(unit=100, default=_DEMO_DEFAULT, kinds=kinds, differential=differential)
