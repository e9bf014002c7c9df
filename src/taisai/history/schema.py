"""The columns of an export.

Enters: nothing. Leaves: for each of the five datasets its columns, each with its type and a sentence, and the same as
an Arrow schema. docs/history.md shows them; a test holds the two together.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import pyarrow as pa  # type: ignore[import-untyped] # has no types of its own

FORM: Final = 2
"""The number of this form of the columns; an export of another form is refused."""
VOID_ROLL: Final = 216
"""In place of a roll's number: the round was void, and every bet went back."""

CONCLUDED: Final = "concluded"
VOIDED: Final = "voided"
REVERSED: Final = "reversed"


class Column(NamedTuple):
    """One column of a dataset."""

    name: str
    type: str
    """One of `TYPES`."""
    words: str
    may_be_null: bool = False


TYPES: Final[dict[str, Any]] = {
    "text": pa.string(),
    "whole": pa.int64(),
    "small": pa.int16(),
    "yes or no": pa.bool_(),
    "bytes": pa.binary(),
    "moment": pa.timestamp("us", tz="UTC"),
    "date": pa.date32(),
}
"""The types of columns by the words of the documentation."""
SQL_TYPES: Final = {
    "text": "STRING",
    "whole": "BIGINT",
    "small": "SMALLINT",
    "yes or no": "BOOLEAN",
    "bytes": "BINARY",
    "moment": "TIMESTAMP",
    "date": "DATE",
}
"""The same as SQL calls them."""

_PLACE: Final = (
    Column("position", "whole", "the record's place in the whole journal"),
    Column("table_name", "text", "the table; `@house` for the house's own events"),
)
_AT: Final = Column("at_us", "whole", "when, in microseconds since 1970 in UTC")
_UNDER: Final = (
    Column("book", "text", "the rule book, as `rws-tai-sai-v6`"),
    Column("currency", "text", "the currency of every amount, as `SGD`: sum amounts of one currency alone"),
)
TIMES: Final = (
    Column("happened_at", "moment", "when, as a timestamp"),
    Column("house_day", "date", "the day in the export's time zone; `day` of the folder is the same"),
    Column("house_hour", "small", "the hour of that day, 0 to 23"),
)
"""The last columns of every dataset, made from `at_us` and the zone of the export."""

ROUNDS: Final = (
    *_PLACE,
    Column("round", "whole", "the round's number at its table"),
    Column("outcome", "text", "`concluded`, `voided`, or `reversed`: a later row about a round that was concluded"),
    _AT,
    Column("opened_us", "whole", "when bets were opened", may_be_null=True),
    Column("layout", "text", "rule book and layout, as `rws-tai-sai-v6/C`"),
    Column("digest", "text", "the digest of the rule book in force"),
    Column("rules", "text", "both in short, as `rws-tai-sai-v6/C@` and 16 digits of the digest: the key of the pays"),
    Column("dice_set", "text", "the set of dice in the tumbler; empty when none was named"),
    Column("d1", "small", "the first die; null unless concluded, as are the next three", may_be_null=True),
    Column("d2", "small", "the second die", may_be_null=True),
    Column("d3", "small", "the third die", may_be_null=True),
    Column("roll", "small", "the roll's number, 0 to 215: 36 * (d1 - 1) + 6 * (d2 - 1) + d3 - 1", may_be_null=True),
    Column("follows", "yes or no", "the dice lay untouched since the table's roll before"),
    Column("bets", "whole", "how many rows of `bets` belong to it"),
    Column("staked", "whole", "all stakes; of a reversal what is taken back of them"),
    Column("at_risk", "whole", "what of the stakes was at risk"),
    Column("winnings", "whole", "what was won beside the stakes"),
    Column("returned", "whole", "what went back to players; of a reversal what is taken back of it"),
    Column("expected_216", "whole", "what the bets return on average, times 216"),
    Column("deviation", "whole", "standard deviation of what they return under fair dice, rounded up; 0 if not known"),
    Column("farthest", "whole", "how far from that average the farthest roll lies, rounded up"),
    Column("void", "text", "why it was void; empty unless `voided`"),
    *_UNDER,
    *TIMES,
)
BETS: Final = (
    *_PLACE,
    Column("round", "whole", "the round's number at its table"),
    Column("line", "whole", "place among the bets of the round, from 0"),
    _AT,
    Column("rules", "text", "as in `rounds`"),
    Column("roll", "small", "the roll's number, 0 to 215; 216 when the round was void"),
    Column("player", "text", "whose bet"),
    Column("box", "text", "where it lay"),
    Column("stake", "whole", "what was staked"),
    Column("at_risk", "whole", "what of it was at risk; the rest goes back whatever the dice show"),
    Column(
        "pays",
        "whole",
        "the odds to 1 it was paid at; null when it won nothing, or at a fraction",
        may_be_null=True,
    ),
    Column("winnings", "whole", "what was won beside the stake"),
    Column("returned", "whole", "what went back to the player, winnings included"),
    Column("in_colour", "whole", "how much of that went back in the player's colour"),
    Column("colour", "text", "the player's colour", may_be_null=True),
    Column("layout", "text", "as in `rounds`"),
    *_UNDER,
    *TIMES,
)
PLACEMENTS: Final = (
    *_PLACE,
    Column("seq", "whole", "the record's place at its table"),
    Column("line", "whole", "place among the movements of the record, from 0"),
    _AT,
    Column("round", "whole", "the table's round"),
    Column("kind", "text", "`bet-placed`, `bet-withdrawn`, `excess-rejected` or `bet-returned`"),
    Column("player", "text", "whose chips"),
    Column("box", "text", "which box"),
    Column("amount", "whole", "what was put in; negative is what went back before the close"),
    Column("layout", "text", "as in `rounds`"),
    *_UNDER,
    *TIMES,
)
POSTINGS: Final = (
    *_PLACE,
    Column("seq", "whole", "the record's place at its table"),
    Column("line", "whole", "place among the postings of the record, from 0"),
    _AT,
    Column("round", "whole", "the table's round at that time"),
    Column("kind", "text", "the event that moved the money"),
    Column("account", "text", "`player:ann`, `box:small`, `float`, `drop`, `cage`, ..."),
    Column("amount", "whole", "what went in; negative is out. The postings of a record add up to nothing"),
    *TIMES,
)
EVENTS: Final = (
    *_PLACE,
    Column("seq", "whole", "the record's place at its table"),
    _AT,
    Column("kind", "text", "the event's stable name"),
    Column("version", "whole", "the version of its form"),
    Column("command_id", "text", "the command that brought it about"),
    Column("part", "whole", "place among the events of that command, from 0"),
    Column("by_whom", "text", "who acted"),
    Column("authorised_by", "text", "the second person; empty when there was none"),
    Column("reason", "text", "why; empty when nobody said"),
    Column("round", "whole", "the table's round at that time; 0 before the first"),
    Column(
        "amount", "whole", "the amount it is about (winnings of a `bet-paid`), if it is about one", may_be_null=True
    ),
    Column("body", "text", "the event as the journal keeps it, JSON"),
    Column("hash", "bytes", "the record's hash in its table's chain"),
    *TIMES,
)

DATASETS: Final[dict[str, tuple[Column, ...]]] = {
    "rounds": ROUNDS,
    "bets": BETS,
    "placements": PLACEMENTS,
    "postings": POSTINGS,
    "events": EVENTS,
}

MEANING: Final = {
    "rounds": "One row for each round that ended, and one more for each that was reversed later.",
    "bets": "One row for each player and box of a round, as settled: everything a player put there, merged.",
    "placements": "One row for each time that chips went into a box, or out of it before the close.",
    "postings": "One row for each account that an event moves money on.",
    "events": "One row for each record of the journal.",
}
"""What a row is."""


def arrow_schema(dataset: str) -> Any:
    """The Arrow schema of a dataset; each column's description goes into the files with it."""
    return pa.schema(
        [
            pa.field(each.name, TYPES[each.type], each.may_be_null, metadata={"description": each.words})
            for each in DATASETS[dataset]
        ],
        metadata={"description": MEANING[dataset], "taisai.form": str(FORM)},
    )


def sql_schema(dataset: str) -> str:
    """The columns of a dataset as SQL declares them."""
    return ", ".join(f"{each.name} {SQL_TYPES[each.type]}" for each in DATASETS[dataset])


def rules_key(layout: str, digest: str) -> str:
    """The key of the pays: which layout of which version of its book."""
    return f"{layout}@{digest[:16]}"
