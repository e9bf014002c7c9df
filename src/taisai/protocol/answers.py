"""What the API answers: the server encodes these types, the Python client decodes them, `/openapi.json` publishes them.

A client ignores a field that it does not know, so it works with a newer server. A field that is added here has a
default, so that a client also works with an older one.
"""

from __future__ import annotations

from datetime import datetime
from typing import Generic, Literal

from msgspec import UNSET, Struct, UnsetType

from taisai.protocol.messages import Json, Until, ViewT
from taisai.table.commands import Dice, TableLimits
from taisai.table.events import EventBody
from taisai.table.parts import FlagRaised
from taisai.table.state import RoundPhase, TablePhase
from taisai.view.crew import CrewView

Real = float
"""`float`, for classes in which that is the name of a field: the casino's float."""


class PersonFound(Struct, frozen=True):
    """Somebody who goes by a name, or an address."""

    id: str
    """What stands for them in records."""
    name: str
    """Empty once it is erased."""
    at: int
    erased: bool
    of: str = ""
    """Whose address it is."""


class Me(Struct, frozen=True):
    """Who is signed in."""

    who: str
    post: str
    tables: Literal["*"] | tuple[str, ...]
    csrf: str
    """To be sent as X-CSRF-Token with whatever is not a GET, when the cookie is used."""
    locked: bool
    expires_at: int
    player: str | None
    idle_s: int = 0
    """The screen locks itself after so many idle seconds; 0 is never, as for players."""


class Admitted(Struct, frozen=True):
    """A new session; a program sends the token as `Authorization: Bearer`."""

    token: str
    me: Me

    def __repr__(self) -> str:
        return f"Admitted(…, {self.me.who!r})"


class Said(Struct, frozen=True):
    """A word of confirmation."""

    said: str


class SeatCodeMade(Struct, frozen=True):
    """A code for one seat, to be used once."""

    code: str
    table: str
    player: str
    expires_at: int


class LinkMade(Struct, frozen=True):
    """A one-time link, to be handed to its holder: `/welcome#TOKEN`."""

    login: str
    token: str
    expires_at: int


# ------------------------------------------------------------------ tables


class RoundCard(Struct, frozen=True, kw_only=True):
    """A completed round in a list."""

    number: int
    dice: Dice | None = None
    void: str
    call: str
    ended_at: int
    reversed: bool = False
    """Void after it was settled."""
    clauses: tuple[str, ...] = ()
    """By which it is void."""


class TableCard(Struct, frozen=True, kw_only=True):
    """A table in the list of all."""

    table: str
    mode: str
    """`automatic`, or `dealer`."""
    phase: TablePhase
    suspended: str
    disabled: bool
    book: str | None
    layout: str | None
    currency: str | None
    limits: TableLimits | None
    round: int
    round_phase: RoundPhase
    players: int
    watchers: int
    results: tuple[RoundCard, ...]


class SeatCard(Struct, frozen=True):
    """A seat of the caller's browser."""

    table: str
    player: str
    funds: int
    on_felt: int
    currency: str


class Visitor(Struct, frozen=True):
    """Who is at a browser: the session for a table, or for none, and every seat that the browser has."""

    me: Me | None
    seats: list[SeatCard] = []


class FloorCard(Struct, frozen=True):
    """The floor, as anybody sees it."""

    house: str
    demo: bool
    now: int
    tables: list[TableCard]
    disabled: bool = False
    """No new round begins at any table."""
    guest_chips: int = 0
    """What a guest sits down with; 0 where there are no guests."""
    join: str = ""
    """The address that guests type or scan, where the settings name one."""


class TableNow(Struct, Generic[ViewT], frozen=True):
    """A table as everybody sees it: the same view as over the play socket."""

    seq: int
    view: ViewT
    until: Until | None
    mode: str
    now: int


class CrewNow(Struct, frozen=True):
    """A table as its crew sees it: the same view as over the play socket."""

    seq: int
    crew: CrewView


class OverLimit(Struct, frozen=True):
    """The limit by which a bet was settled pro rata."""

    rule: Literal["maximum", "differential", "player"]
    limit: int
    opposite: str | None = None
    placed_opposite: int = 0


class ExplainedLine(Struct, frozen=True, kw_only=True):
    """A settled bet of a player, with the reason why it came out so."""

    box: str
    stake: int
    at_risk: int
    pays: int | str | None
    winnings: int
    returned: int
    why: str
    clauses: tuple[str, ...]
    over: OverLimit | None = None
    """Why less than the whole stake was at risk, for screens in every language."""


class AfterVoid(Struct, frozen=True):
    """A player's part when a round was void after its bets were settled."""

    got: int
    """Chips handed to the player."""
    gave: int
    """Chips taken from the player."""
    owes: int
    is_owed: int


class RoundReplay(RoundCard, frozen=True, kw_only=True):
    """A player's part in a past round (R26)."""

    replay: bool
    """Always true: this is not a live table."""
    table: str
    lines: tuple[ExplainedLine, ...]
    staked: int
    returned: int
    net: int
    funds_before: int | None
    funds_after: int | None
    """Without what moved when the round was void afterwards."""
    after_void: AfterVoid | None = None
    """What moved then, and what is owed."""
    commitment: str
    """The house's part in virtual dice, as it was published before the bets; empty for dice that people can see."""
    opening: str
    contribution: str
    """What this player brought to virtual dice."""
    contributions: tuple[str, ...]
    """What all players brought, sorted, once the house's part is opened."""


class ProofEntry(Struct, frozen=True):
    """A record that a player can have proven."""

    seq: int
    kind: str
    box: str
    at: int


class Consistency(Struct, frozen=True, kw_only=True):
    """The proof that one head of the log extends another (RFC 9162 §2.1.4)."""

    form: Literal["taisai consistency 1"] = "taisai consistency 1"
    older_size: int
    newer_size: int
    older: str
    """The signed head of that size; empty when none was signed at it."""
    newer: str
    proof: str
    """Hashes of 32 bytes one behind the other, as base64."""


class ExposureCard(Struct, frozen=True):
    """The most that the house can lose on the bets that lie now."""

    staked: int
    loss: int


class ReturnCard(Struct, frozen=True):
    """What came back to players over the table's life, and where that lies with fair dice."""

    actual: float
    """For each unit staked."""
    theoretical: float
    lowest: float
    """In at least 99 of 100 such tables it lies from here ..."""
    highest: float
    """... to here."""
    outside: bool


class DiceHealthCard(Struct, frozen=True):
    """The evidence that a set of dice is not fair (R23)."""

    dice_set: str
    rounds: int
    chance: float
    alarm: bool
    leader: str


class PitCard(TableCard, frozen=True, kw_only=True):
    """A table in the pit's grid."""

    staked: int
    rounds: int
    voided: int
    win: int
    hold: Real | None
    returned: ReturnCard | None = None
    """None where nothing was staked, or a round's spread is not on record."""
    float: int
    drop: int
    opened_at: int
    interrupted: str
    broken: str
    dice_hours: Real | None
    """How long the dice have been sealed into the tumbler."""
    rounds_per_hour: int | None
    disputes: int
    """Those that are open."""
    flags: tuple[FlagRaised, ...]
    dice_health: DiceHealthCard | None
    exposure: ExposureCard | UnsetType = UNSET
    """While the table is open."""


class JournalEntry(Struct, frozen=True, kw_only=True):
    """A record of a table's journal."""

    seq: int
    at: int
    kind: str
    by: str
    role: str
    authorised_by: str | None
    reason: str
    command: str
    told: tuple[str, ...]
    """What happened, in sentences."""
    what: EventBody
    hash: str
    round: int = 0
    """The round in play when it was written, or the last one before it."""


class RequestCard(Struct, frozen=True, kw_only=True):
    """What somebody asks a second person for, and what became of it."""

    id: str
    table: str
    by: str
    """Who asks."""
    role: str
    do: Json
    """The command, exactly as it is carried out when somebody approves it."""
    reason: str
    round: int
    """It is carried out in this round, or not at all."""
    roles: tuple[str, ...]
    """Of which one approves."""
    asked_at: int
    expires_at: int
    now: int
    fate: str
    """Waiting, approved, refused (by the table), declined, withdrawn or expired."""
    answered_by: str
    note: str
    code: str
    """Why the table refused it, though it was approved."""
    sentence: str
    seq: int
    """The record that it led to."""
    currency: str
    book: str
    dice: Dice | None = None


class CarriedOut(Struct, frozen=True):
    """A command was carried out and is on disk."""

    id: str
    seq: int
    repeated: bool
    events: list[Json]
    told: list[str]
    """What happened, in sentences."""


# ------------------------------------------------------------------ the house


class Health(Struct, frozen=True):
    """The state of the program."""

    ok: bool
    version: str
    tables: int
    broken: list[str]
    queue: int
    degraded: list[str] = []
    """What somebody has to look at, though bets are taken: a sentence each."""


class Verified(Struct, frozen=True):
    """The digests of program, books and settings."""

    version: str
    program: str
    settings: str
    books: dict[str, str]
    differences: list[str]
    """What has changed since the house started."""


class Disabled(Struct, frozen=True):
    """The tables at which no new round begins; `*` is all of them."""

    disabled: list[str]


class HouseEntry(Struct, frozen=True, kw_only=True):
    """Something that happened away from the tables."""

    seq: int
    at: int
    by: str
    authorised_by: str
    reason: str
    kind: str
    told: str
    """What happened, in a sentence."""


class ReportLine(Struct, frozen=True, kw_only=True):
    """One table over one span of a report."""

    span: str
    table: str
    rounds: int
    voided: int
    reversed: int
    staked: int
    returned: int
    drop: int
    fills: int
    credits: int
    expected_216: int
    """What the bets would return on average, times 216."""
    win: int
    hold: float | None
    """Win for each unit dropped."""
    actual: float | None
    """What came back to players for each unit staked."""
    theoretical: float | None
    """What should come back on average."""
    variance: int
    """Of what goes back under fair dice."""
    farthest: int
    """How far from its average a round lay at most."""
    measured: int
    """Rounds whose spread is on record."""
    lowest: float | None
    """Where the actual return lies with fair dice in at least 99 of 100 spans like this one: from here ..."""
    highest: float | None
    """... to here."""
    outside: bool
    """Whether the actual return lies outside."""


class SignificantEntry(Struct, frozen=True, kw_only=True):
    """An event that a regulator wants to see (R30)."""

    at: datetime
    table: str
    seq: int
    what: str
    by: str
    authorised_by: str
    detail: str


class ReportAnswer(Struct, frozen=True, kw_only=True):
    """A report (R33)."""

    title: str
    interval: str
    made_at: datetime
    notice: str
    """Which tables were dealt with virtual dice; empty where none was."""
    rows: tuple[ReportLine, ...]
    significant: tuple[SignificantEntry, ...]


class FindingEntry(Struct, frozen=True, kw_only=True):
    """What an audit found."""

    code: str
    sentence: str
    table: str | None
    round: int | None
    seq: int | None
    clauses: tuple[str, ...]
    told: str
    """All of it in a sentence."""


class ProvenCard(Struct, frozen=True, kw_only=True):
    """How far the audit beside the tables has proven the journal."""

    state: str
    """`off`, `starting`, `catching-up`, `running` or `failed`."""
    position: int = 0
    """Everything up to this record was checked."""
    done: int = 0
    total: int = 0
    proven_at: int = 0
    """When a look last came to the end of the journal; 0 before the first."""
    findings: int = 0
    not_checked: dict[str, int] = {}
    """What could not be checked, and how often."""
    fault: str = ""
    now: int = 0


class AuditRun(Struct, frozen=True):
    """The progress of an audit, and its findings."""

    state: str
    """`none`, `running`, `done` or `failed`."""
    by: str = ""
    started_at: int = 0
    ended_at: int | None = None
    records: int = 0
    total: int = 0
    findings: tuple[FindingEntry, ...] = ()
    fault: str = ""
