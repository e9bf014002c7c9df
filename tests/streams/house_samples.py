"""An event of every kind of the house's stream, with its words."""

from __future__ import annotations

import msgspec

from taisai.streams import house_events as h
from taisai.table.people import Role
from tests.house.people import START

SHEET = h.StaffSheet(login="dan", name="Dan", posts=(h.Post(Role.DEALER, ("T1",)),))
SAMPLES: dict[type, tuple[h.HouseEventBody, str]] = {
    type(what): (what, words)
    for what, words in (
        (h.HouseStarted(version="1.2", program="ab" * 32, settings="cd" * 32, books={"b": "ef" * 32}),
         "taisai 1.2 started, program abababababababab, settings cdcdcdcdcdcdcdcd"),
        (h.HouseStopped("asked to"), "stopped: asked to"),
        (h.DigestDiffers("program", "ab" * 32, ""), "program differs: was abababababababab, is none"),
        (h.ClockChanged(START, START + 60_000_000), "clock set from 2027-01-15 08:00:00 to 2027-01-15 08:01:00"),
        (h.LogBegan("a.example", "a.example+1+2"), "the log a.example began, signed with a.example+1+2"),
        (h.LogRestarted("a.example", "a.example/2", "a.example/2+1+2", "known"),
         "the log goes on as a.example/2, signed with a.example/2+1+2; a.example ended"),
        (h.KeyChanged("old", "new", "rotation", "word"),
         "the log is signed with new instead of old (rotation; the old key vouches for it)"),
        (h.SigningRefused("it was cut back"), "no head was signed: it was cut back"),
        (h.WitnessRefused("w.example", "it was cut back"), "the witness w.example did not cosign: it was cut back"),
        (h.JournalRestored("monday.db", 12), "a backup of 12 records, monday.db, was put in place"),
        (h.JournalMoved("floor.db", 12), "the journal of 12 records came from floor.db"),
        (h.SignInFailed("", "nobody has this login", "10.0.0.1"),
         "an unknown login not let in from 10.0.0.1: nobody has this login"),
        (h.SignedIn("dan", "dealer", "10.0.0.1"), "dan signed in as dealer from 10.0.0.1"),
        (h.SignedOut("dan", "dealer", "disabled"), "dan signed out as dealer: disabled"),
        (h.SessionExpired("dan", "dealer"), "the session of dan as dealer expired"),
        (h.LoginLocked("dan", 3, ""), "dan locked after 3 failures, the last from somewhere"),
        (h.LoginUnlocked("dan", "by kim"), "dan unlocked: by kim"),
        (h.StaffAdded(SHEET), "dan added: Dan, dealer at T1"),
        (h.StaffChanged(SHEET, msgspec.structs.replace(SHEET, posts=(), administrator=True)),
         "dan changed: was Dan, dealer at T1; is Dan, administrator"),
        (h.StaffDisabled("dan"), "dan disabled"),
        (h.StaffEnabled("dan"), "dan enabled"),
        (h.PasswordSet("dan", "one-time link", "10.0.0.1"), "dan chose a password (one-time link) from 10.0.0.1"),
        (h.OneTimeLinkMade("dan", START), "one-time link for dan, good until 2027-01-15 08:00:00"),
        (h.PersonErased("p.abcdefghijkl", 2), "what identified p.abcdefghijkl was erased: 2 rows"),
        (h.SeatCodeMade("T1", "", 5000, START), "seat code for any player at T1, 5000 to buy in"),
        (h.SeatCodeUsed("T1", "ann", ""), "ann took a seat at T1 from somewhere"),
        (h.GuessingStopped(""), "too many wrong seat codes from everywhere together"),
        (h.TableDisabled("T1"), "table T1 disabled"),
        (h.TableEnabled("T1"), "table T1 enabled"),
        (h.HouseDisabled(), "the whole house disabled"),
        (h.HouseEnabled(), "the whole house enabled"),
        (h.LargeWin("T1", 7, "ann", 180_000), "ann won 180000 in round 7 at T1"),
        (h.Overridden("T1", "betting time", "36 s", "60 s"), "betting time at T1: was 36 s, is 60 s"),
        (h.Attempted("T1", 7, "place-bet", "bets-closed", ("5.7",), 12),
         "place-bet tried in round 7 at T1: bets-closed (§5.7), 12 times in all"),
        (h.RequestAnswered("T1", 7, "amend-entry", "dan", "declined", "look again"),
         "amend-entry in round 7 at T1, asked for by dan: declined, look again"),
        (h.AlertCleared("T1", "suspended", "lights", START), "alert at T1 of 2027-01-15 08:00:00 cleared: lights"),
    )
}  # fmt: skip


def event(what: h.HouseEventBody, at: int = START) -> h.HouseEvent:
    """An event of the house."""
    return h.HouseEvent(at, "kim", what, "lee", "because")
