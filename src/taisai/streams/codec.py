"""A table's events as records, and back.

Enters: events, or records of any age. Leaves: records whose body is JSON, or events in today's format. Kinds and
versions are those of `table.events`; an older version goes through its upcasts first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, get_args

import msgspec

from taisai.journal.contract import JournalDamaged
from taisai.journal.record import NewRecord, Record
from taisai.streams.upcast import UPCASTS
from taisai.table.events import VERSIONS, Event, EventBody

KIND_OF: Final[dict[type[EventBody], str]] = {each: str(each.__struct_config__.tag) for each in get_args(EventBody)}
"""The stable name of every event: the kind of its record."""
VERSION_OF: Final[dict[str, int]] = {kind: VERSIONS.get(kind, 1) for kind in KIND_OF.values()}

for _kind, _version in VERSION_OF.items():
    UPCASTS.declare(_kind, _version)

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Event).decode


def records_of(command_id: str, events: Iterable[Event]) -> list[NewRecord]:
    """The records of a command's events."""
    records = []
    for part, event in enumerate(events):
        kind = KIND_OF[type(event.what)]
        records.append(NewRecord(kind, VERSION_OF[kind], event.at, command_id, part, event.by.id, _encode(event)))
    return records


def event_of(record: Record) -> Event:
    """The event of a record, in today's format; `JournalDamaged` when its body is not an event."""
    try:
        today = VERSION_OF.get(record.kind) == record.version
        event = _decode(record.body) if today else msgspec.convert(upcast_body(record), Event)
    except (msgspec.MsgspecError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise not_an_event(record, f": {error}") from error
    if today and KIND_OF[type(event.what)] != record.kind:
        raise not_an_event(record)
    return event


def not_an_event(record: Record, why: str = "") -> JournalDamaged:
    """The error for a record whose body is not what its kind says."""
    return JournalDamaged(f"table {record.table}, record {record.seq}: the body is not an event {record.kind}{why}")


def upcast_body(record: Record, prefix: str = "") -> dict[str, Any]:
    """The decoded body of an older record, in today's format; `prefix` is the part of the kind that is no tag."""
    raw = msgspec.json.decode(record.body)
    what = dict(raw["what"])
    what.pop("event", None)
    kind, _, body = UPCASTS.upcast(record.kind, record.version, what)
    return {**raw, "what": {"event": kind.removeprefix(prefix), **body}}


def events_of(records: Iterable[Record]) -> Sequence[Event]:
    """The events of records."""
    return [event_of(record) for record in records]
