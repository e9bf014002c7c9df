"""The house's own stream: what happens beside the tables.

Enters: sign-ins, locks, changes of staff, starts and stops, what is switched off, large wins. Leaves: records of the
stream `@house`, whose kinds begin with `house.`, and the same events back from them, with a sentence for each. No
table can have that name. Serves R30, R31, R35, R36, R37.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Final, Literal, assert_never, get_args

import msgspec
from msgspec import Struct

from taisai.journal.contract import Journal, JournalDamaged
from taisai.journal.record import NewRecord, Record
from taisai.streams.upcast import UPCASTS, UnknownEvent
from taisai.table.people import Role

HOUSE: Final = "@house"
"""The name of the stream; a table's name begins with a letter or a digit."""
THE_HOUSE: Final = "house"
"""Who acts when the program does, not a person."""
KIND_PREFIX: Final = "house."


class Post(Struct, frozen=True, forbid_unknown_fields=True):
    """A position that a person may sign in to, and the tables it reaches."""

    role: Role
    tables: Literal["*"] | tuple[str, ...] = "*"

    def __str__(self) -> str:
        return f"{self.role} at {'every table' if self.tables == '*' else ', '.join(self.tables)}"


class StaffSheet(Struct, frozen=True, kw_only=True):
    """A member of staff, as lists and the log show him: everything but the password."""

    login: str
    name: str
    posts: tuple[Post, ...] = ()
    administrator: bool = False
    disabled: bool = False
    locked: bool = False
    has_password: bool = False

    def __str__(self) -> str:
        posts = "; ".join(map(str, self.posts)) or "no post"
        return f"{self.name}, {'administrator' if self.administrator else posts}"


class _Notice(Struct, frozen=True, tag_field="event"):
    """Something that happened in the house."""


# ------------------------------------------------------------------ the program


class HouseStarted(_Notice, frozen=True, kw_only=True, tag="house-started"):
    """The program began to serve, in this form."""

    version: str
    program: str
    """Digest of the program's files."""
    settings: str
    """Digest of the settings."""
    books: dict[str, str]
    """Digests of the rule books, by id."""
    python: str = ""
    dependencies: dict[str, str] = {}
    """Versions of the packages that it stands on."""


class HouseStopped(_Notice, frozen=True, tag="house-stopped"):
    """The program ended in order."""

    why: str = ""


class DigestDiffers(_Notice, frozen=True, tag="digest-differs"):
    """A program, rule book or setting is not what it was."""

    what: str
    before: str
    after: str


class ClockChanged(_Notice, frozen=True, tag="clock-changed"):
    """The machine's clock was set: microseconds before and after."""

    before: int
    after: int


# ------------------------------------------------------------------ sign-in


class SignInFailed(_Notice, frozen=True, tag="sign-in-failed"):
    """Somebody was not let in. The login is left out when nobody has it: people type passwords there."""

    login: str
    why: str
    where: str
    failures: int = 0


class SignedIn(_Notice, frozen=True, tag="signed-in"):
    """A person took up a post."""

    login: str
    post: str
    where: str


class SignedOut(_Notice, frozen=True, tag="signed-out"):
    """A person left a post."""

    login: str
    post: str
    why: str = ""


class SessionExpired(_Notice, frozen=True, tag="session-expired"):
    """A session came to the end of its time."""

    login: str
    post: str


class LoginLocked(_Notice, frozen=True, tag="login-locked"):
    """Too many failures."""

    login: str
    failures: int
    where: str


class LoginUnlocked(_Notice, frozen=True, tag="login-unlocked"):
    """A locked login may be tried again: `how` says whether a person, the time or a new password did it."""

    login: str
    how: str


# ------------------------------------------------------------------ staff


class StaffAdded(_Notice, frozen=True, tag="staff-added"):
    """A new account."""

    staff: StaffSheet


class StaffChanged(_Notice, frozen=True, tag="staff-changed"):
    """An account before and after."""

    before: StaffSheet
    after: StaffSheet


class StaffDisabled(_Notice, frozen=True, tag="staff-disabled"):
    """A login was switched off."""

    login: str


class StaffEnabled(_Notice, frozen=True, tag="staff-enabled"):
    """A login was switched on again."""

    login: str


class PasswordSet(_Notice, frozen=True, tag="password-set"):
    """A person chose a password."""

    login: str
    how: str
    where: str


class OneTimeLinkMade(_Notice, frozen=True, tag="one-time-link-made"):
    """A link to choose a password with; the link itself is written nowhere."""

    login: str
    expires_at: int


# ------------------------------------------------------------------ seats


class SeatCodeMade(_Notice, frozen=True, tag="seat-code-made"):
    """The crew gave out a code for a seat."""

    table: str
    player: str
    amount: int
    expires_at: int


class SeatCodeUsed(_Notice, frozen=True, tag="seat-code-used"):
    """A player took a seat with a code."""

    table: str
    player: str
    where: str


class GuessingStopped(_Notice, frozen=True, tag="guessing-stopped"):
    """Too many wrong seat codes came from one place, or altogether."""

    where: str


# ------------------------------------------------------------------ the floor


class TableDisabled(_Notice, frozen=True, tag="table-disabled"):
    """No new round at this table."""

    table: str


class TableEnabled(_Notice, frozen=True, tag="table-enabled"):
    """The table may go on."""

    table: str


class HouseDisabled(_Notice, frozen=True, tag="house-disabled"):
    """No new round anywhere."""


class HouseEnabled(_Notice, frozen=True, tag="house-enabled"):
    """The house may go on."""


class LargeWin(_Notice, frozen=True, tag="large-win"):
    """A player won at least what the house calls large, in one round."""

    table: str
    round: int
    player: str
    amount: int


class Overridden(_Notice, frozen=True, tag="overridden"):
    """Something was done against what the program would have done."""

    table: str
    what: str
    before: str
    after: str


class AlertCleared(_Notice, frozen=True, tag="alert-cleared"):
    """Somebody saw to an alert of the pit."""

    table: str
    alert: str
    what: str
    raised_at: int


Notice = (
    HouseStarted | HouseStopped | DigestDiffers | ClockChanged
    | SignInFailed | SignedIn | SignedOut | SessionExpired | LoginLocked | LoginUnlocked
    | StaffAdded | StaffChanged | StaffDisabled | StaffEnabled | PasswordSet | OneTimeLinkMade
    | SeatCodeMade | SeatCodeUsed | GuessingStopped
    | TableDisabled | TableEnabled | HouseDisabled | HouseEnabled | LargeWin | Overridden
    | AlertCleared
)  # fmt: skip


class HouseEvent(Struct, frozen=True):
    """What happened, when, by whom, on whose authority and why."""

    at: int
    """Microseconds since 1970 in UTC."""
    by: str
    """A login, or `house`."""
    what: Notice
    authorised_by: str = ""
    reason: str = ""


HOUSE_KINDS: Final[dict[type, str]] = {each: f"{KIND_PREFIX}{each.__struct_config__.tag}" for each in get_args(Notice)}
"""The stable name of every event of the house."""
_VERSIONS: Final[dict[str, int]] = dict.fromkeys(HOUSE_KINDS.values(), 1)

for _kind, _version in _VERSIONS.items():
    UPCASTS.declare(_kind, _version)

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(HouseEvent).decode


def house_records_of(command_id: str, events: Iterable[HouseEvent]) -> list[NewRecord]:
    """The records of events that happened together."""
    records = []
    for part, event in enumerate(events):
        kind = HOUSE_KINDS[type(event.what)]
        records.append(NewRecord(kind, _VERSIONS[kind], event.at, command_id, part, event.by, _encode(event)))
    return records


def house_event_of(record: Record) -> HouseEvent:
    """The event of a record of the house; `JournalDamaged` when its body is none, or the record is a table's."""
    if record.table != HOUSE:
        raise _not_an_event(record, ": it is not a record of the house")
    try:
        today = _VERSIONS.get(record.kind) == record.version
        event = _decode(record.body) if today else _of_old(record)
    except (msgspec.MsgspecError, UnicodeDecodeError, UnknownEvent, KeyError, TypeError) as error:
        raise _not_an_event(record, f": {error}") from error
    if today and HOUSE_KINDS[type(event.what)] != record.kind:
        raise _not_an_event(record)
    return event


def _not_an_event(record: Record, why: str = "") -> JournalDamaged:
    return JournalDamaged(f"table {record.table}, record {record.seq}: the body is not an event {record.kind}{why}")


def _of_old(record: Record) -> HouseEvent:
    raw = msgspec.json.decode(record.body)
    what = dict(raw["what"])
    what.pop("event", None)
    kind, _, body = UPCASTS.upcast(record.kind, record.version, what)
    return msgspec.convert({**raw, "what": {"event": kind.removeprefix(KIND_PREFIX), **body}}, HouseEvent)


def read_house(journal: Journal, after: int = 0) -> Iterator[tuple[int, HouseEvent]]:
    """The events of the house after a record, each with its record's number."""
    for record in journal.read(HOUSE, after):
        yield record.seq, house_event_of(record)


def game_tables(journal: Journal) -> list[str]:
    """The tables of a journal, without the house's own stream."""
    return [table for table in journal.tables() if table != HOUSE]


# ------------------------------------------------------------------ in words

EVERYDAY: Final = (SignedIn, SignedOut, SessionExpired, SeatCodeMade, SeatCodeUsed)
"""The comings and goings of a day."""


def is_significant(what: Notice) -> bool:
    """Whether a regulator wants to see it (R30): everything but the comings and goings of a day."""
    return not isinstance(what, EVERYDAY)


def house_told(what: Notice) -> str:  # noqa: C901, PLR0915 - one branch for each kind of event
    """An event of the house as a sentence would tell it."""
    match what:
        case HouseStarted():
            told = f"taisai {what.version} started, program {what.program[:16]}, settings {what.settings[:16]}"
        case HouseStopped():
            told = f"stopped: {what.why}" if what.why else "stopped"
        case DigestDiffers():
            told = f"{what.what} differs: was {what.before[:16] or 'none'}, is {what.after[:16] or 'none'}"
        case ClockChanged():
            told = f"clock set from {clock_words(what.before)} to {clock_words(what.after)}"
        case SignInFailed():
            who = what.login or "an unknown login"
            told = f"{who} not let in from {what.where or 'somewhere'}: {what.why}"
        case SignedIn():
            told = f"{what.login} signed in as {what.post} from {what.where or 'somewhere'}"
        case SignedOut():
            told = f"{what.login} signed out as {what.post}" + (f": {what.why}" if what.why else "")
        case SessionExpired():
            told = f"the session of {what.login} as {what.post} expired"
        case LoginLocked():
            told = f"{what.login} locked after {what.failures} failures, the last from {what.where or 'somewhere'}"
        case LoginUnlocked():
            told = f"{what.login} unlocked: {what.how}"
        case StaffAdded():
            told = f"{what.staff.login} added: {what.staff}"
        case StaffChanged():
            told = f"{what.after.login} changed: was {what.before}; is {what.after}"
        case StaffDisabled():
            told = f"{what.login} disabled"
        case StaffEnabled():
            told = f"{what.login} enabled"
        case PasswordSet():
            told = f"{what.login} chose a password ({what.how}) from {what.where or 'somewhere'}"
        case OneTimeLinkMade():
            told = f"one-time link for {what.login}, good until {clock_words(what.expires_at)}"
        case SeatCodeMade():
            told = f"seat code for {what.player or 'any player'} at {what.table}" + (
                f", {what.amount} to buy in" if what.amount else ""
            )
        case SeatCodeUsed():
            told = f"{what.player} took a seat at {what.table} from {what.where or 'somewhere'}"
        case GuessingStopped():
            told = f"too many wrong seat codes from {what.where or 'everywhere together'}"
        case TableDisabled():
            told = f"table {what.table} disabled"
        case TableEnabled():
            told = f"table {what.table} enabled"
        case HouseDisabled():
            told = "the whole house disabled"
        case HouseEnabled():
            told = "the whole house enabled"
        case LargeWin():
            told = f"{what.player} won {what.amount} in round {what.round} at {what.table}"
        case Overridden():
            told = f"{what.what} at {what.table}: was {what.before}, is {what.after}"
        case AlertCleared():
            told = f"alert at {what.table} of {clock_words(what.raised_at)} cleared: {what.what}"
        case _:
            assert_never(what)
    return told


def clock_words(at: int) -> str:
    """A time for people, to the second, in UTC."""
    return f"{datetime.fromtimestamp(at / 1_000_000, tz=UTC):%Y-%m-%d %H:%M:%S}"
