"""The house's own events: what happens beside the tables.

Enters: sign-ins, locks, changes of staff, starts and stops, tables switched off, large wins. Leaves: records of the
stream `@house`, whose kinds begin with `house.`, and the same events decoded from them. Serves R30, R31, R35, R36, R37.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal, get_args

import msgspec
from msgspec import Struct

from taisai.journal.contract import Journal
from taisai.journal.record import NewRecord, Record
from taisai.streams.codec import not_an_event, upcast_body
from taisai.streams.upcast import UPCASTS, UnknownEvent
from taisai.table.people import Role

HOUSE_STREAM: Final = "@house"
"""The stream's name in the journal; no table can have it, since a table's name begins with a letter or a digit."""
HOUSE_ACTOR: Final = "house"
"""The actor of what the program does by itself, without a person."""
KIND_PREFIX: Final = "house."


class Post(Struct, frozen=True, forbid_unknown_fields=True):
    """A role that a person may sign in with, and the tables it covers."""

    role: Role
    tables: Literal["*"] | tuple[str, ...] = "*"

    def __str__(self) -> str:
        return f"{self.role} at {'every table' if self.tables == '*' else ', '.join(self.tables)}"


class StaffSheet(Struct, frozen=True, kw_only=True):
    """A member of staff as lists and the log show them: everything but the password."""

    login: str
    name: str
    posts: tuple[Post, ...] = ()
    administrator: bool = False
    disabled: bool = False
    locked: bool = False
    has_password: bool = False

    def __str__(self) -> str:
        posts = "; ".join(map(str, self.posts)) or "no post"
        duties = "administrator" if self.administrator else posts
        return f"{self.name}, {duties}" if self.name else duties


class _Body(Struct, frozen=True, tag_field="event"):
    """What happened, in a `HouseEvent`."""


# ------------------------------------------------------------------ the program


class HouseStarted(_Body, frozen=True, kw_only=True, tag="house-started"):
    """The program began to serve, with these digests and versions."""

    version: str
    program: str
    """Digest of the program's files."""
    settings: str
    """Digest of the settings."""
    books: dict[str, str]
    """Digests of the rule books, by id."""
    python: str = ""
    dependencies: dict[str, str] = {}
    """Versions of the packages that it depends on."""


class HouseStopped(_Body, frozen=True, tag="house-stopped"):
    """The program stopped in order."""

    why: str = ""


class DigestDiffers(_Body, frozen=True, tag="digest-differs"):
    """The program, a rule book or the settings are not what they were."""

    what: str
    before: str
    after: str


class ClockChanged(_Body, frozen=True, tag="clock-changed"):
    """The machine's clock was set: microseconds before and after."""

    before: int
    after: int


# ------------------------------------------------------------------ the log and its key


class LogBegan(_Body, frozen=True, tag="log-began"):
    """The Merkle log over all records began, under a name and a key; from here on the journal has signed heads."""

    origin: str
    key: str
    """The verifier key, as C2SP writes it: NAME+ID+KEY."""


class LogRestarted(_Body, frozen=True, tag="log-restarted"):
    """People let the log go on under a new name: what was signed under the old one is lost, or is not to be trusted."""

    before: str
    after: str
    key: str
    known: str = ""
    """The last head that is known under the old name."""


class KeyChanged(_Body, frozen=True, tag="key-changed"):
    """The log is signed with another key from here on."""

    before: str
    after: str
    why: str
    """`rotation`, `loss` or `compromise`."""
    word: str = ""
    """The old key's word for the new one: a signed note; empty when people must vouch for it."""


class SigningRefused(_Body, frozen=True, tag="signing-refused"):
    """The house did not sign a head, because the journal does not extend what is known to be signed."""

    why: str


class WitnessRefused(_Body, frozen=True, tag="witness-refused"):
    """A witness did not cosign a head: it knows another history."""

    witness: str
    why: str


class JournalRestored(_Body, frozen=True, tag="journal-restored"):
    """A backup was put in place: what came after it is not in this journal."""

    source: str
    records: int


class JournalMoved(_Body, frozen=True, tag="journal-moved"):
    """The journal was copied here from another place, every record with its hash."""

    source: str
    records: int


# ------------------------------------------------------------------ sign-in


class SignInFailed(_Body, frozen=True, tag="sign-in-failed"):
    """A sign-in was refused. An unknown login is left out: people type passwords there."""

    login: str
    why: str
    where: str
    failures: int = 0


class SignedIn(_Body, frozen=True, tag="signed-in"):
    """A person signed in to a post."""

    login: str
    post: str
    where: str


class SignedOut(_Body, frozen=True, tag="signed-out"):
    """A person signed out of a post."""

    login: str
    post: str
    why: str = ""


class SessionExpired(_Body, frozen=True, tag="session-expired"):
    """A session reached its time limit."""

    login: str
    post: str


class LoginLocked(_Body, frozen=True, tag="login-locked"):
    """A login was locked after too many failures."""

    login: str
    failures: int
    where: str


class LoginUnlocked(_Body, frozen=True, tag="login-unlocked"):
    """A locked login was unlocked: `how` says whether by a person, by time or by a new password."""

    login: str
    how: str


# ------------------------------------------------------------------ staff


class StaffAdded(_Body, frozen=True, tag="staff-added"):
    """An account was added."""

    staff: StaffSheet


class StaffChanged(_Body, frozen=True, tag="staff-changed"):
    """An account was changed."""

    before: StaffSheet
    after: StaffSheet


class StaffDisabled(_Body, frozen=True, tag="staff-disabled"):
    """A login was disabled."""

    login: str


class StaffEnabled(_Body, frozen=True, tag="staff-enabled"):
    """A login was enabled again."""

    login: str


class PasswordSet(_Body, frozen=True, tag="password-set"):
    """A person chose a password."""

    login: str
    how: str
    where: str


class OneTimeLinkMade(_Body, frozen=True, tag="one-time-link-made"):
    """A link to choose a password with was made; the link itself is stored nowhere."""

    login: str
    expires_at: int


class PersonErased(_Body, frozen=True, tag="person-erased"):
    """What identified a person was erased, or all that was older than the house keeps it (no person)."""

    person: str
    rows: int


# ------------------------------------------------------------------ seats


class SeatCodeMade(_Body, frozen=True, tag="seat-code-made"):
    """The crew gave out a code for a seat."""

    table: str
    player: str
    amount: int
    expires_at: int


class SeatCodeUsed(_Body, frozen=True, tag="seat-code-used"):
    """A player took a seat with a code."""

    table: str
    player: str
    where: str


class GuessingStopped(_Body, frozen=True, tag="guessing-stopped"):
    """Too many wrong seat codes came from one address, or in total."""

    where: str


# ------------------------------------------------------------------ the floor


class TableDisabled(_Body, frozen=True, tag="table-disabled"):
    """A table was disabled: no new round begins there."""

    table: str


class TableEnabled(_Body, frozen=True, tag="table-enabled"):
    """A table was enabled again."""

    table: str


class HouseDisabled(_Body, frozen=True, tag="house-disabled"):
    """The whole house was disabled: no new round begins anywhere."""


class HouseEnabled(_Body, frozen=True, tag="house-enabled"):
    """The whole house was enabled again."""


class LargeWin(_Body, frozen=True, tag="large-win"):
    """A player won at least the house's large-win amount in one round."""

    table: str
    round: int
    player: str
    amount: int


class Overridden(_Body, frozen=True, tag="overridden"):
    """A person decided against what the program would have done."""

    table: str
    what: str
    before: str
    after: str


class Attempted(_Body, frozen=True, tag="attempted"):
    """Somebody tried what the book does not allow them, and it was refused."""

    table: str
    round: int
    action: str
    code: str
    """Why it was refused."""
    clauses: tuple[str, ...]
    times: int = 1
    """How often up to the end of the round; the first is on record by itself, at once."""


class RequestAnswered(_Body, frozen=True, tag="request-answered"):
    """A second person approved or declined what somebody had asked for, at their own screen."""

    table: str
    round: int
    action: str
    asker: str
    fate: str
    """Approved and carried out, approved and refused by the table, or declined."""
    note: str


class AlertCleared(_Body, frozen=True, tag="alert-cleared"):
    """A person cleared an alert of the pit."""

    table: str
    alert: str
    what: str
    raised_at: int


HouseEventBody = (
    HouseStarted | HouseStopped | DigestDiffers | ClockChanged
    | LogBegan | LogRestarted | KeyChanged | SigningRefused | WitnessRefused | JournalRestored | JournalMoved
    | SignInFailed | SignedIn | SignedOut | SessionExpired | LoginLocked | LoginUnlocked
    | StaffAdded | StaffChanged | StaffDisabled | StaffEnabled | PasswordSet | OneTimeLinkMade | PersonErased
    | SeatCodeMade | SeatCodeUsed | GuessingStopped
    | TableDisabled | TableEnabled | HouseDisabled | HouseEnabled | LargeWin | Overridden
    | AlertCleared | Attempted | RequestAnswered
)  # fmt: skip
"""Every event of the house."""


class HouseEvent(Struct, frozen=True):
    """What happened, when, by whom, on whose authority and why."""

    at: int
    """Microseconds since 1970 in UTC."""
    by: str
    """A login, or `house`."""
    what: HouseEventBody
    authorised_by: str = ""
    reason: str = ""


HOUSE_KINDS: Final[dict[type, str]] = {
    each: f"{KIND_PREFIX}{each.__struct_config__.tag}" for each in get_args(HouseEventBody)
}
"""The stable name of every event of the house."""
_VERSIONS: Final[dict[str, int]] = dict.fromkeys(HOUSE_KINDS.values(), 1)

for _kind, _version in _VERSIONS.items():
    UPCASTS.declare(_kind, _version)

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(HouseEvent).decode


def house_records_of(command_id: str, events: Iterable[HouseEvent]) -> list[NewRecord]:
    """The records of events that share one commit."""
    records = []
    for part, event in enumerate(events):
        kind = HOUSE_KINDS[type(event.what)]
        records.append(NewRecord(kind, _VERSIONS[kind], event.at, command_id, part, event.by, _encode(event)))
    return records


def house_event_of(record: Record) -> HouseEvent:
    """The event of a record; `JournalDamaged` when its body is not one, or the record is not the house's."""
    if record.table != HOUSE_STREAM:
        raise not_an_event(record, ": it is not a record of the house")
    try:
        today = _VERSIONS.get(record.kind) == record.version
        event = _decode(record.body) if today else msgspec.convert(upcast_body(record, KIND_PREFIX), HouseEvent)
    except (msgspec.MsgspecError, UnicodeDecodeError, UnknownEvent, KeyError, TypeError) as error:
        raise not_an_event(record, f": {error}") from error
    if today and HOUSE_KINDS[type(event.what)] != record.kind:
        raise not_an_event(record)
    return event


def read_house(journal: Journal, after: int = 0) -> Iterator[tuple[int, HouseEvent]]:
    """The house's events after a record, each with its record's number."""
    for record in journal.read(HOUSE_STREAM, after):
        yield record.seq, house_event_of(record)


def game_tables(journal: Journal) -> list[str]:
    """The tables of a journal, without the house's stream."""
    return [table for table in journal.tables() if table != HOUSE_STREAM]
