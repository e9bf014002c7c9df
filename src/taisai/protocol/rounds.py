"""A round that is over, as a page and as one file.

Enters: nothing; these are forms. Leaves: what `/api/tables/{table}/rounds/{number}` answers.
"""

from __future__ import annotations

from msgspec import Struct

from taisai.protocol.answers import JournalEntry
from taisai.protocol.messages import Json
from taisai.table.commands import Dice, TableLimits


class RoundBet(Struct, frozen=True, kw_only=True):
    """A bet of a round that is over, and why it came out as it did."""

    player: str
    box: str
    stake: int
    at_risk: int
    pays: int | str | None
    winnings: int
    returned: int
    why: str
    clauses: tuple[str, ...]


class RoundPlayer(Struct, frozen=True, kw_only=True):
    """A player's round in sums."""

    player: str
    staked: int
    returned: int
    funds_before: int | None
    funds_after: int | None
    given_back: int = 0
    """When the round was void after it was settled: what went back, what was taken back, and what is owed."""
    taken: int = 0
    owed: int = 0
    owing: int = 0


class RoundPerson(Struct, frozen=True):
    """Somebody who had a part in a round."""

    id: str
    name: str
    """As the staff list has it; empty for players."""
    role: str


class RoundDispute(Struct, frozen=True, kw_only=True):
    """A dispute about a round."""

    dispute: str
    player: str
    claim: str
    opened_at: int
    resolution: str = ""
    resolved_by: str = ""


class RoundFile(Struct, frozen=True, kw_only=True):
    """All that is known of one round."""

    table: str
    house: str
    number: int
    book: str
    layout: str
    digest: str
    currency: str
    opened_at: int
    ended_at: int
    call: str
    void: str
    reversed: bool
    clauses: tuple[str, ...]
    """By which it is void."""
    draw: str
    commitment: str
    opening: str
    dice: Dice | None = None
    limits: TableLimits | None = None
    bets: tuple[RoundBet, ...]
    players: tuple[RoundPlayer, ...]
    people: tuple[RoundPerson, ...]
    disputes: tuple[RoundDispute, ...]
    records: tuple[JournalEntry, ...]
    """From the call for bets to the end, and whatever concerns the round afterwards."""


class RoundProof(Struct, frozen=True):
    """A round as one file."""

    round: RoundFile
    receipts: list[Json]
    """One of each record, in their order (`docs/proof.md`)."""
