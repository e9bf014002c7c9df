"""Who acts at a table.

Enters: a person with a role. Leaves: whether the role reaches a rank. Serves `nz-division-9` §5.0, §6.6, §7.2;
`rws-tai-sai-v6` §1.2, §1.5, §5.13, §5.14.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from msgspec import Struct


class Role(StrEnum):
    """What a person is at this table. One person may act in another position only by signing in to it (§1.5)."""

    PLAYER = "player"
    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    PIT_MANAGER = "pit-manager"
    SHIFT_MANAGER = "shift-manager"
    AUDITOR = "auditor"
    SYSTEM = "system"
    """The house's own program: it deals automatic tables, and reports a restart or that a player is gone."""


class Person(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A person and the role in which they act."""

    id: str
    role: Role


HOUSE: Final = frozenset({Role.SYSTEM})
PLAYERS: Final = frozenset({Role.PLAYER})
SHIFT_MANAGERS: Final = frozenset({Role.SHIFT_MANAGER})
PIT_MANAGERS: Final = SHIFT_MANAGERS | {Role.PIT_MANAGER}
SUPERVISORS: Final = PIT_MANAGERS | {Role.SUPERVISOR}
CREW: Final = SUPERVISORS | {Role.DEALER}
PLAYERS_AND_CREW: Final = CREW | PLAYERS
CREW_AND_SYSTEM: Final = CREW | HOUSE
