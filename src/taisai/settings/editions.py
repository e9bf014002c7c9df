"""Which edition of a rule book a table plays by at a moment, and which books the house admits.

Enters: settings, a rule book, a moment. Leaves: the edition that is due, or why a book may not be taken now: it is not
approved (`[books]`), or not in force yet. Dates are in the time zone of the house. Serves R3, R36.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from taisai.core.rulebook import RuleBook
from taisai.settings.forms import Settings, TableSettings


class Edition(NamedTuple):
    """A book and its layout."""

    book: str
    layout: str


def moment_of(settings: Settings, at: int) -> datetime:
    """A time in microseconds, as the clock of the house shows it."""
    return datetime.fromtimestamp(at / 1_000_000, UTC).astimezone(ZoneInfo(settings.house.zone))


def starts_at(settings: Settings, text: str) -> datetime | None:
    """When an edition of a table begins, from the text of its `at`; None when that is no date and time."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=ZoneInfo(settings.house.zone))


def edition_due(settings: Settings, table: TableSettings, at: int) -> Edition:
    """The edition by which a table plays its next round."""
    now = moment_of(settings, at)
    due = Edition(table.book, table.layout)
    for each in table.editions:
        since = starts_at(settings, each.at)
        if since is not None and since <= now:
            due = Edition(each.book, each.layout or due.layout)
    return due


def not_admitted(settings: Settings, book: RuleBook, at: int) -> str:
    """Why the house does not take a book now, in a sentence; empty when it does."""
    if settings.books and book.id not in settings.books:
        return f"{book.id} is not among the approved books ([books] in the settings)"
    if settings.books and not book.matches(settings.books[book.id]):
        return f"{book.id} is not the approved one: its digest is {book.digest[:16]}…"
    if not book.in_force(moment_of(settings, at)):
        return f"{book.id} is in force from {book.effective}"
    return ""
