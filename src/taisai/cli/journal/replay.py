"""`taisai replay`: a round told as a person would tell it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from cyclopts import Parameter

from taisai.cli.show import AsJson, console, print_json
from taisai.core.faults import InputFault, shown
from taisai.journal import Journal, open_journal
from taisai.streams.codec import KIND_OF, event_of
from taisai.streams.house_events import game_tables
from taisai.table import events as e
from taisai.table.notation.narration import output_of
from taisai.table.notation.script import clock_text

_ENDS = (e.RoundConcluded, e.RoundVoided)


def replay(
    journal: Annotated[str, Parameter(help="The journal: a file, or its address.")],
    /,
    *,
    table: Annotated[str, Parameter(help="The table.")],
    round: Annotated[int | None, Parameter(help="The round; the last finished one when left out.")] = None,  # noqa: A002 - the word of the table
    json: AsJson = False,
) -> None:
    """Tell a round from its first call to its last payment: who did what, when, with whom, and what came of it.

    Examples:
      taisai replay floor.db --table T1 --round 12
      taisai replay floor.db --table T1
    """
    with open_journal(journal, read_only=True) as opened:
        tables = game_tables(opened)
        if table not in tables:
            raise InputFault("--table", f"no table {shown(table)}; there are {', '.join(tables) or 'none'}")
        story = _story(opened, table, round)
    if json:
        print_json({"table": table, "events": [_plain(seq, event) for seq, event in story]})
        return
    for _, event in story:
        who = event.by.id + (f" + {event.authorised_by.id}" if event.authorised_by is not None else "")
        because = f" because {event.reason}" if event.reason else ""
        console().print(f"{clock_text(event.at)} {who}{because}", style="bold", markup=False, soft_wrap=True)
        for line in output_of(event.what):
            console().print(f"    {line}", markup=False, soft_wrap=True)


def _story(journal: Journal, table: str, number: int | None) -> list[tuple[int, e.Event]]:
    """The events of a round, and what happened between it and the round before."""
    last: list[tuple[int, e.Event]] = []
    for events in _rounds(journal, table):
        end = events[-1][1].what
        if isinstance(end, _ENDS):
            last = events
            if end.round == number:
                return events
    if number is None and last:
        return last
    wanted = "finished round" if number is None else f"finished round {number}"
    raise InputFault("--round", f"table {shown(table)} has no {wanted}")


def _rounds(journal: Journal, table: str) -> Iterator[list[tuple[int, e.Event]]]:
    events: list[tuple[int, e.Event]] = []
    for record in journal.read(table):
        event = event_of(record)
        events.append((record.seq, event))
        if isinstance(event.what, _ENDS):
            yield events
            events = []


def _plain(seq: int, event: e.Event) -> dict[str, object]:
    return {
        "record": seq,
        "at": event.at,
        "event": KIND_OF[type(event.what)],
        "by": event.by.id,
        "authorised_by": event.authorised_by.id if event.authorised_by is not None else None,
        "reason": event.reason or None,
        "told": output_of(event.what),
        "what": event.what,
    }
