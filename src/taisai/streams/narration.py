"""The house's events in words.

Enters: an event of the house. Leaves: a sentence about it for people, and whether a regulator wants to see it. Serves
R30.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final, assert_never

from taisai.streams import house_events as h

EVERYDAY: Final = (h.SignedIn, h.SignedOut, h.SessionExpired, h.SeatCodeMade, h.SeatCodeUsed)
"""Routine events of every day."""


def is_significant(what: h.HouseEventBody) -> bool:
    """Whether a regulator wants to see an event (R30): everything but the routine of the day."""
    return not isinstance(what, EVERYDAY)


def narrate(what: h.HouseEventBody) -> str:  # noqa: C901, PLR0915 - one branch for each kind of event
    """An event of the house in words."""
    match what:
        case h.HouseStarted():
            words = f"taisai {what.version} started, program {what.program[:16]}, settings {what.settings[:16]}"
        case h.HouseStopped():
            words = f"stopped: {what.why}" if what.why else "stopped"
        case h.DigestDiffers():
            words = f"{what.what} differs: was {what.before[:16] or 'none'}, is {what.after[:16] or 'none'}"
        case h.ClockChanged():
            words = f"clock set from {clock_words(what.before)} to {clock_words(what.after)}"
        case h.LogBegan():
            words = f"the log {what.origin} began, signed with {what.key}"
        case h.LogRestarted():
            words = f"the log goes on as {what.after}, signed with {what.key}; {what.before or 'no log'} ended"
        case h.KeyChanged():
            vouched = "the old key vouches for it" if what.word else "no word of the old key"
            words = f"the log is signed with {what.after} instead of {what.before} ({what.why}; {vouched})"
        case h.SigningRefused():
            words = f"no head was signed: {what.why}"
        case h.WitnessRefused():
            words = f"the witness {what.witness} did not cosign: {what.why}"
        case h.JournalRestored():
            words = f"a backup of {what.records} records, {what.source}, was put in place"
        case h.JournalMoved():
            words = f"the journal of {what.records} records came from {what.source}"
        case h.SignInFailed():
            who = what.login or "an unknown login"
            words = f"{who} not let in from {what.where or 'somewhere'}: {what.why}"
        case h.SignedIn():
            words = f"{what.login} signed in as {what.post} from {what.where or 'somewhere'}"
        case h.SignedOut():
            words = f"{what.login} signed out as {what.post}" + (f": {what.why}" if what.why else "")
        case h.SessionExpired():
            words = f"the session of {what.login} as {what.post} expired"
        case h.LoginLocked():
            words = f"{what.login} locked after {what.failures} failures, the last from {what.where or 'somewhere'}"
        case h.LoginUnlocked():
            words = f"{what.login} unlocked: {what.how}"
        case h.StaffAdded():
            words = f"{what.staff.login} added: {what.staff}"
        case h.StaffChanged():
            words = f"{what.after.login} changed: was {what.before}; is {what.after}"
        case h.StaffDisabled():
            words = f"{what.login} disabled"
        case h.StaffEnabled():
            words = f"{what.login} enabled"
        case h.PasswordSet():
            words = f"{what.login} chose a password ({what.how}) from {what.where or 'somewhere'}"
        case h.OneTimeLinkMade():
            words = f"one-time link for {what.login}, good until {clock_words(what.expires_at)}"
        case h.SeatCodeMade():
            words = f"seat code for {what.player or 'any player'} at {what.table}" + (
                f", {what.amount} to buy in" if what.amount else ""
            )
        case h.SeatCodeUsed():
            words = f"{what.player} took a seat at {what.table} from {what.where or 'somewhere'}"
        case h.PersonErased():
            words = f"what identified {what.person or 'players and addresses'} was erased: {what.rows} rows"
        case h.GuessingStopped():
            words = f"too many wrong seat codes from {what.where or 'everywhere together'}"
        case h.TableDisabled():
            words = f"table {what.table} disabled"
        case h.TableEnabled():
            words = f"table {what.table} enabled"
        case h.HouseDisabled():
            words = "the whole house disabled"
        case h.HouseEnabled():
            words = "the whole house enabled"
        case h.LargeWin():
            words = f"{what.player} won {what.amount} in round {what.round} at {what.table}"
        case h.Overridden():
            words = f"{what.what} at {what.table}: was {what.before}, is {what.after}"
        case h.Attempted():
            cited = f" (§{', §'.join(what.clauses)})" if what.clauses else ""
            often = f", {what.times} times in all" if what.times > 1 else ""
            words = f"{what.action} tried in round {what.round} at {what.table}: {what.code}{cited}{often}"
        case h.RequestAnswered():
            words = f"{what.action} in round {what.round} at {what.table}, asked for by {what.asker}: {what.fate}"
            words += f", {what.note}" if what.note else ""
        case h.AlertCleared():
            words = f"alert at {what.table} of {clock_words(what.raised_at)} cleared: {what.what}"
        case _:
            assert_never(what)
    return words


def clock_words(at: int) -> str:
    """A time for people, to the second, in UTC."""
    return f"{datetime.fromtimestamp(at / 1_000_000, tz=UTC):%Y-%m-%d %H:%M:%S}"
