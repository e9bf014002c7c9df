"""One table's records in stretches, which several processes replay at the same time.

Enters: a table, the snapshots that the journal keeps of it, its records. Leaves: where each stretch began; whether it
began as the one before it ended.

A stretch begins at a snapshot that nothing vouches for yet. From there the records are replayed unchecked as far as the
next round that is concluded, the *seam*; the audit's own record of the table is made from the state there, and the
checks begin. The stretch before it goes on, with every check, beyond the snapshot to the same seam. Only when it comes
to the same state and the same record of its own does the one prove the other: nothing is different then from a replay
in one go. Otherwise, and when anything was found, the whole table is replayed in one go.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from taisai.audit.procedure.course import UNOPENED_MAX, Course, Turn, plain_limits
from taisai.audit.replay.tables import TableFar, Tables
from taisai.journal.contract import Journal
from taisai.journal.record import Record, Row
from taisai.journal.verify import readable
from taisai.streams.codec import KIND_OF, event_of
from taisai.streams.house_events import HOUSE_STREAM
from taisai.table import events as e
from taisai.table.evolve import evolve
from taisai.table.state import TableState, state_from

SEAM: Final = KIND_OF[e.RoundConcluded]
"""After such a record nothing is in play."""


class Stretch(Struct, frozen=True):
    """Some of a table's records."""

    table: str
    begin: int = 0
    """The number of the record whose snapshot it begins at; 0: with the first record, or where an audit went on."""
    end: int = 0
    """From the snapshot of this record on it ends at the first seam; 0: it ends with the records."""


def cuts(snapshots: Iterable[int], first: int, last: int, pieces: int) -> list[int]:
    """The snapshots that part the records after `first` up to `last` into so many about equal pieces, or fewer."""
    within, found = sorted(seq for seq in snapshots if first < seq < last), list[int]()
    for piece in range(1, pieces):
        wanted = first + (last - first) * piece // pieces
        nearest = min(within, key=lambda seq: abs(seq - wanted), default=None)
        if nearest is not None and nearest not in found:
            found.append(nearest)
    return sorted(found)


def stretches_of(table: str, at: Sequence[int]) -> list[Stretch]:
    """The stretches between these snapshots."""
    return [Stretch(table, begin, end) for begin, end in zip((0, *at), (*at, 0), strict=True)]


def replay_stretch(tables: Tables, journal: Journal, stretch: Stretch, after: int, upto: int) -> TableFar | None:
    """Replay a stretch; where it began: None when that was not at a snapshot, or no round is concluded after it.

    `tables` knows the house's log up to the position `after`, and the table there when the stretch does not begin at a
    snapshot.
    """
    table, begun = stretch.table, None
    state: TableState | None = None
    if stretch.begin:
        state = state_from(tables.snapshots(table)[stretch.begin])
    for rows in readable(journal, after, upto):
        rest = [row for row in rows if row[0] in (table, HOUSE_STREAM)]
        if state is not None:
            seam = next((place for place, row in enumerate(rest) if _is_seam(row, table, stretch.begin)), None)
            before, rest = (rest, []) if seam is None else (rest[: seam + 1], rest[seam + 1 :])
            state = _carried(state, [row for row in before if row[0] == table])
            tables.see([row for row in before if row[0] == HOUSE_STREAM])
            if seam is not None:
                begun = TableFar(state, course_of(state))
                tables.resume({table: begun})
                if 0 < stretch.end < state.seq:
                    break  # no round was concluded between the two snapshots: it ends where it begins
                state = None
        if state is None and rest:
            ends = next((place for place, row in enumerate(rest) if _is_seam(row, table, stretch.end)), None)
            if stretch.end and ends is not None:
                tables.see(rest[: ends + 1])
                break
            tables.see(rest)
    return begun


def position_of(journal: Journal, stretch: Stretch) -> int:
    """The position of the record at whose snapshot a stretch begins."""
    return next(iter(journal.read(stretch.table, stretch.begin - 1, stretch.begin))).position


def _is_seam(row: Row, table: str, after: int) -> bool:
    return row[3] == SEAM and row[0] == table and row[1] > after


def _carried(state: TableState, rows: Sequence[Row]) -> TableState:
    """The state after records that are not checked here: the stretch before this one checks them."""
    for row in rows:
        if row[1] > state.seq:
            state = evolve(state, event_of(Record(*row)))
    return state


def course_of(state: TableState) -> Course:
    """The audit's own record of a table between two rounds, as it would be if the state is right."""
    sign = state.set_up
    unopened = {
        str(past.number): (past.commitment, sorted(past.contributions.values()))
        for past in state.history
        if past.void and past.commitment and not past.opening
    }
    between = state.round
    return Course(
        phase=str(state.phase),
        book=sign.book if sign else "",
        layout=sign.layout if sign else "",
        digest=sign.digest if sign else "",
        sign=plain_limits(sign.limits) if sign else {},
        coverage=str(sign.coverage) if sign else "areas",
        dealt_by=str(state.dealt_by),
        betting_min_ms=state.betting_min_ms,
        purpose="" if state.purpose is None else str(state.purpose),
        source_sound=state.source_sound,
        suspended=bool(state.suspended),
        faults=list(state.faults),
        procedure=state.procedure,
        held={each.fact: (each.by.id, str(each.by.role)) for each in state.held},
        seated={player: seat.present for player, seat in state.players.items()},
        colours={seat.colour: (player, seat.value) for player, seat in state.players.items() if seat.colour},
        dice_in=state.dice_in or "",
        sets={name: each.sound for name, each in state.dice_sets.items() if each.retired_at is None},
        played={
            name: {str(each.number): each.players for each in rounds}
            for name, rounds in state.unproven.items()
            if rounds
        },
        played_under={str(each.number): each.book for rounds in state.unproven.values() for each in rounds},
        void_by_fact={str(past.number): past.void for past in state.history if past.void and past.void != "ruling"},
        items={item: check.passed for item, check in state.checks.items()},
        tests=dict(state.tested),
        unopened=dict(list(unopened.items())[-UNOPENED_MAX:]),
        turn=Turn(number=between.number, commitment=between.commitment, form=between.form, tumbles=between.tumbles),
    )


def are_one(before: TableFar, begun: TableFar, after: TableFar) -> bool:
    """Whether what came before led to where a stretch began: the state, and the audit's own record.

    Of rounds void by a fact the state tells those of the last rounds alone: no ruling may have asked for others since.
    """
    ended = replace(before.course, looked={}, unseen={}, void_by_fact=begun.course.void_by_fact)
    void, told = before.course.void_by_fact, begun.course.void_by_fact
    ruled = any("ruled" in counts for counts in after.course.looked.values())
    are_void = told.items() <= void.items() and (told == void or not ruled)
    return not before.broken and before.state == begun.state and ended == begun.course and are_void


def together(before: Course, after: Course) -> Course:
    """The later record, with what was counted in the earlier one."""
    looked = {book: dict(counts) for book, counts in before.looked.items()}
    for book, counts in after.looked.items():
        so_far = looked.setdefault(book, {})
        for what, count in counts.items():
            so_far[what] = so_far.get(what, 0) + count
    unseen = dict(before.unseen)
    for what, count in after.unseen.items():
        unseen[what] = unseen.get(what, 0) + count
    void = list({**before.void_by_fact, **after.void_by_fact}.items())[-UNOPENED_MAX:]
    return replace(after, looked=looked, unseen=unseen, void_by_fact=dict(void))
