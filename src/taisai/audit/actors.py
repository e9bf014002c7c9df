"""Actors: whoever acted at a table, against what the house's own log says of its staff.

Enters: the house's events about staff and sign-ins, and every act at a table with its person and role. Leaves: a
finding for everybody whom the house never gave that post at that table, who did not have it at that moment, or who had
not signed in to it. An account that somebody put into the store is in no event, so what it does is found here.
A journal without a house's log (a shift dealt from a file) has no staff to compare with, and what version 0.1 wrote is
left as it is. Serves R31, R37.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from taisai.audit.findings import AuditFinding
from taisai.streams import house_events as h
from taisai.streams.house_events import HouseEvent, StaffSheet
from taisai.table.commands import HOUSE_IDS
from taisai.table.events import Event
from taisai.table.people import CREW, Person, Role

PROGRAM: Final = {
    "house": Role.SYSTEM,
    "auto-dealer": Role.SYSTEM,
    "auto-supervisor": Role.SUPERVISOR,
    "demo-cashier": Role.DEALER,
    "demonstration": Role.SUPERVISOR,
}
"""The names under which the program itself acts, each with its role; nobody else can send the ids of its commands."""
EARLIER: Final = "0.1."
_Act = tuple[int, int]
"""Position and seq of a record."""
ActorKey = tuple[str, Person, bool]
"""A table, a person in a role, and whether they acted themselves."""


class Actors:
    """Who acted, and who was allowed to."""

    def __init__(self) -> None:
        self._begin: int | None = None
        """The position of the first start of a version that keeps its staff in the log as this one does."""
        self._staff: dict[str, list[tuple[int, StaffSheet]]] = {}
        """By person: from which position on the house's log says what of them."""
        self._signed_in: dict[tuple[str, str], int] = {}
        """The position of the first sign-in of a person to a post."""
        self._acts: dict[ActorKey, list[_Act]] = {}
        """The acts of a person in a role at a table, as themselves or authorising another's, not looked at yet."""
        self.told: set[ActorKey] = set()
        """Those of whom something was found: one finding is enough."""

    @property
    def knows_house(self) -> bool:
        """Whether anything of the house's log was seen."""
        return self._begin is not None or bool(self._staff)

    def see_house(self, position: int, event: HouseEvent) -> None:
        """An event of the house."""
        match event.what:
            case h.HouseStarted(version=version):
                if self._begin is None and not version.startswith(EARLIER):
                    self._begin = position
            case h.StaffAdded(staff) | h.StaffChanged(_, staff):
                self._staff.setdefault(staff.login, []).append((position, staff))
            case h.StaffDisabled(login) | h.StaffEnabled(login):
                before = self._staff.get(login, [(0, StaffSheet(login=login, name=""))])[-1][1]
                disabled = isinstance(event.what, h.StaffDisabled)
                sheet = StaffSheet(
                    login=login, name="", posts=before.posts, administrator=before.administrator, disabled=disabled
                )
                self._staff.setdefault(login, []).append((position, sheet))
            case h.SignedIn(login, post):
                self._signed_in.setdefault((login, post), position)
            case _:
                pass

    def see(self, table: str, seq: int, position: int, command_id: str, event: Event) -> None:
        """An event of a table."""
        by, second = event.by, event.authorised_by
        if by.role is not Role.PLAYER and not _is_program(by, command_id):
            self._act((table, by, True), (position, seq))
        if second is not None and not _is_program(second, command_id):
            self._act((table, second, False), (position, seq))

    def _act(self, key: ActorKey, act: _Act) -> None:
        self._acts.setdefault(key, []).append(act)

    def findings(self) -> Iterator[AuditFinding]:
        """Everybody who acted without the house's leave since this was asked last.

        All events of the house up to the last act must have been seen by then.
        """
        seen, self._acts = self._acts, {}
        if self._begin is None:
            return
        for key, acts in seen.items():
            if key in self.told:
                continue
            table, person, acted = key
            for position, seq in self._telling(person, acts):
                why = self._why_not(table, person, position, acted=acted)
                if why:
                    self.told.add(key)
                    sentence = f"{person.id} acted as {person.role}, and {why}"
                    yield AuditFinding("actor-unknown", sentence, table, None, seq)
                    break

    def _telling(self, person: Person, acts: list[_Act]) -> list[_Act]:
        """The acts that have to be looked at: all, or the first of many between which the log says nothing new."""
        acts = sorted(act for act in acts if act[0] >= (self._begin or 0))
        sheets = self._staff.get(person.id, ())
        is_settled = bool(acts) and (not sheets or sheets[-1][0] < acts[0][0])
        return acts[:1] if is_settled else acts

    def _why_not(self, table: str, person: Person, position: int, *, acted: bool) -> str:
        """Why a person may not act in a role at a table, by what the log says before a position; empty if they may."""
        sheets = [sheet for since, sheet in self._staff.get(person.id, ()) if since < position]
        if person.role not in CREW or not sheets:
            return "the house's log has nobody of that name in that role"
        post = next((each for each in sheets[-1].posts if each.role is person.role), None)
        if post is None or (post.tables != "*" and table not in post.tables):
            return "had no such post at this table by the house's log"
        if sheets[-1].disabled:
            return "was disabled by the house's log"
        if acted and self._signed_in.get((person.id, person.role), position) >= position:
            return "had not signed in to that post by the house's log"
        return ""


def _is_program(person: Person, command_id: str) -> bool:
    """Whether the program itself acted; an id that somebody else had used before has its person's name in it."""
    own = command_id.startswith(HOUSE_IDS) and not command_id.startswith(f"{HOUSE_IDS}{person.id}:")
    return own and PROGRAM.get(person.id) is person.role
