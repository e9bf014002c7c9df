"""What one node sends another: a command for a table that the other holds, and what became of it.

Nodes of different versions stand side by side during an upgrade, so a field that the receiver does not know is ignored,
except inside `do`: there an unknown field could change what the command means, and the receiver refuses it.
"""

from __future__ import annotations

from msgspec import Struct, field

from taisai.table.commands import Action, Command
from taisai.table.people import Person, Role
from taisai.table.refusals import Refusal


class PeerPerson(Struct, frozen=True):
    """A `Person` that may come with fields of a newer version."""

    id: str
    role: Role

    @property
    def person(self) -> Person:
        """The person, as this version knows them."""
        return Person(self.id, self.role)


class PeerCommand(Struct, frozen=True, kw_only=True):
    """A `Command` that may come with fields of a newer version."""

    id: str
    at: int
    by: PeerPerson
    do: Action
    authorised_by: PeerPerson | None = None
    reason: str = ""
    round: int | None = None


class Forwarded(Struct, frozen=True):
    """A command for a table of the node that is asked."""

    n: int
    table: str
    command: PeerCommand


class ForwardNumber(Struct, frozen=True):
    """The number of a forwarded command that cannot be read, so that it can be answered."""

    n: int


class ForwardAnswer(Struct, frozen=True):
    """What became of a forwarded command."""

    n: int
    seq: int
    refusal: Refusal | None = field(name="fault", default=None)
    repeated: bool = False


def peer_command(command: Command) -> PeerCommand:
    """A command as it is forwarded."""
    second = command.authorised_by
    return PeerCommand(
        id=command.id,
        at=command.at,
        by=PeerPerson(command.by.id, command.by.role),
        do=command.do,
        authorised_by=None if second is None else PeerPerson(second.id, second.role),
        reason=command.reason,
        round=command.round,
    )
