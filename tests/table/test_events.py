"""Events as the journal keeps them: names and versions are stable, and old versions lead to today's."""

from __future__ import annotations

from typing import get_args

import msgspec

from taisai.streams.upcast import UPCASTS
from taisai.table import events as e
from taisai.table.people import Person, Role

NAMES = [str(kind.__struct_config__.tag) for kind in get_args(e.EventBody)]


def test_names_of_events_are_their_own() -> None:
    """No two events share a name, and only events that exist have a version."""
    assert len(set(NAMES)) == len(NAMES)
    assert set(e.VERSIONS) <= set(NAMES)


def test_a_new_version_has_a_way_from_the_old_ones() -> None:
    """For every version before today's there is a step, so that no journal is left behind."""
    empty: dict[str, list[object]] = {"flags": [], "bets": []}
    for name, version in e.VERSIONS.items():
        for old in range(1, version):
            assert UPCASTS.upcast(name, old, empty)[:2] == (name, version)


def test_an_event_names_who_did_it_and_who_authorised_it() -> None:
    """The envelope is written with the name of the event inside, and what was left out is not."""
    event = e.Event(7, Person("dan", Role.DEALER), e.NumberPressed(3))
    assert msgspec.json.encode(event) == (
        b'{"at":7,"by":{"id":"dan","role":"dealer"},"what":{"event":"number-pressed","number":3},'
        b'"authorised_by":null,"reason":""}'
    )


def test_a_declaration_is_no_field() -> None:
    """What is declared of a kind of event is not written with each of them."""
    assert all("declared" not in kind.__struct_fields__ for kind in get_args(e.EventBody))
