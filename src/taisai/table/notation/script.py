"""A whole shift as text that people read and write (`*.shift`).

Enters: text. Leaves: a `Script` of commands with the output expected of each; or a script as text again. Parsing what
was formatted gives the same script, and canonical text formats to itself. One command a line: who, second person, verb,
arguments, reason; lines that begin with a space are output. The grammar for people is in docs/shifts.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from taisai.core.faults import InputFault, shown
from taisai.table import commands as c
from taisai.table.notation.fields import (
    BECAUSE,
    Unreadable,
    bare_or_quoted,
    converted,
    quoted,
    read_action,
    reason_text,
    split_words,
    unquoted,
    write_action,
)
from taisai.table.people import Person, Role

MARKS: Final = (">", "-", "!")
"""What a line of output begins with: a call, an event, a refusal."""
HOLDS: Final = "# holds:"
BOOKS_DIGEST: Final = "0" * 64
"""Stands in a `set-up` for the digest of the book that the table's line names; the runner puts in the real one."""

_SECOND: Final = 1_000_000
_DAY: Final = 86_400 * _SECOND
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_RESERVED: Final = ("table", "start", "is", "are", "under")

_STRING = r'"(?:[^"\\]|\\.)*"'
_NAME = rf"{_STRING}|[A-Za-z0-9][A-Za-z0-9._@-]*"
_CLOCK = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?"
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = rf"{_DATE}[ T]{_CLOCK}|{_CLOCK}|\+(?:[0-9]{{1,9}}[dhms])+|@[0-9]{{1,30}}"
_HEAD = re.compile(
    rf"(?:(?P<time>{_TIME})[ \t]+)?"
    rf"(?:\[(?P<id>{_STRING}|[^\]\s\"]+)\][ \t]+)?"
    rf"(?P<by>{_NAME})(?:/(?P<role>[A-Za-z-]+))?"
    rf"(?:[ \t]*\+[ \t]*(?P<second>{_NAME})(?:/(?P<second_role>[A-Za-z-]+))?)?"
    r":(?=[ \t]|$)"
)
_TABLE = re.compile(rf"table[ \t]+(?P<table>{_NAME})[ \t]+under[ \t]+(?P<book>{_NAME})/(?P<layout>{_NAME})")
_START = re.compile(rf"start[ \t]+(?P<time>{_DATE}[ T]{_CLOCK}|@[0-9]{{1,30}})")
_PEOPLE = re.compile(rf"(?P<names>(?:{_NAME})(?:[ \t]*,[ \t]*(?:{_NAME}))*)[ \t]+(?:is|are)[ \t]+(?P<role>\S+)")
_OFFSET_UNITS: Final = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}


class Setting(Struct, frozen=True):
    """What is known at a line of the script, and therefore need not be written there."""

    table: str = ""
    book: str = ""
    layout: str = ""
    people: Mapping[str, Role] = {}
    last_at: int = 0
    """The time of the last command; before the first one, the start."""
    dealt: int = 0
    """Commands so far."""

    @property
    def next_at(self) -> int:
        """The time of the next command when none is given: a second after the last."""
        return self.last_at + _SECOND if self.dealt else self.last_at

    @property
    def next_id(self) -> str:
        """The id of the next command when none is given: its number."""
        return str(self.dealt + 1)


NOTHING_KNOWN: Final = Setting()


class Remark(Struct, frozen=True, tag="remark"):
    """A blank line, or a comment on a line of its own."""

    text: str = ""


class TableLine(Struct, frozen=True, tag="table"):
    """Which table, under which book and layout."""

    table: str
    book: str
    layout: str
    comment: str = ""


class StartLine(Struct, frozen=True, tag="start"):
    """When the first command comes, unless it says otherwise."""

    at: int
    comment: str = ""


class PeopleLine(Struct, frozen=True, tag="people"):
    """Who is what from here on."""

    names: tuple[str, ...]
    role: Role
    comment: str = ""


class CommandLine(Struct, frozen=True, tag="command"):
    """A command, and the output that the file expects of it, line by line."""

    command: c.Command
    expected: tuple[str, ...] = ()
    comment: str = ""


Line = Remark | TableLine | StartLine | PeopleLine | CommandLine


class Script(Struct, frozen=True):
    """A shift as written: every line, in order."""

    lines: tuple[Line, ...] = ()

    @property
    def head(self) -> TableLine:
        """The line that names table, book and layout."""
        found = next((line for line in self.lines if isinstance(line, TableLine)), None)
        if found is None:
            raise InputFault("shift", "no table is named: write `table T1 under BOOK/LAYOUT`")
        return found

    @property
    def commands(self) -> tuple[c.Command, ...]:
        """The commands, in order."""
        return tuple(line.command for line in self.lines if isinstance(line, CommandLine))

    @property
    def holds(self) -> tuple[str, ...]:
        """The clauses that the shift is there for: `# holds: BOOK §CLAUSE, BOOK §CLAUSE`."""
        found = [line.text for line in self.lines if isinstance(line, Remark) and line.text.startswith(HOLDS)]
        parts = [part.strip() for text in found for part in text.removeprefix(HOLDS).split(",")]
        return tuple(part for part in parts if part)


# ------------------------------------------------------------------ text in


def parse_shift(text: str, source: str = "line") -> Script:
    """A shift from text; `InputFault` names the place, `source:number`, and what was expected there."""
    lines: list[Line] = []
    setting = NOTHING_KNOWN
    for number, raw in enumerate(text.removesuffix("\n").split("\n") if text else (), start=1):
        try:
            line = _parse_line(raw.removesuffix("\r"), setting, lines)
        except Unreadable as why:
            raise InputFault(f"{source}:{number}", str(why)) from None
        if line is not None:
            lines.append(line)
            setting = _after(setting, line)
    if not setting.table:
        raise InputFault(f"{source}:{len(lines) or 1}", "expected a line `table T1 under BOOK/LAYOUT`")
    return Script(tuple(lines))


def _parse_line(raw: str, setting: Setting, lines: list[Line]) -> Line | None:
    """The line; None for output, which joins the command before it."""
    text = raw.strip(" \t")
    if not text or text.startswith("#"):
        return Remark(text)
    if raw[0] in " \t":
        last = lines[-1] if lines else None
        if not text.startswith(MARKS):
            raise Unreadable(f"a line that begins with a space is output: expected {', '.join(MARKS)} first")
        if not isinstance(last, CommandLine):
            raise Unreadable("expected a command before its output")
        lines[-1] = replace(last, expected=(*last.expected, output_line(text[0], text[1:])))
        return None
    found = _HEAD.match(text)
    if found is not None:
        return _parse_command(found, text[found.end() :], setting)
    return _parse_header(text, setting)


def output_line(mark: str, text: str) -> str:
    """A line of output in its one form, whatever the words in it: printable, single spaces."""
    words = " ".join(text.split())
    printable = "".join(each if each.isprintable() else "�" for each in words)
    return f"{mark} {printable}".rstrip()


def _parse_header(text: str, setting: Setting) -> Line:
    for form, make in ((_PEOPLE, _people_line), (_TABLE, _table_line), (_START, _start_line)):
        found = form.match(text)
        if found is not None:
            comment = text[found.end() :]
            if comment and not (comment[0] in " \t" and comment.lstrip(" \t").startswith("#")):
                break
            return make(found, setting, comment.lstrip(" \t"))
    raise Unreadable(
        "expected `NAME: verb …`, `NAME is ROLE`, `table NAME under BOOK/LAYOUT` or `start DATE TIME`, "
        f"got {shown(text)}"
    )


def _table_line(found: re.Match[str], setting: Setting, comment: str) -> Line:
    if setting.table:
        raise Unreadable(f"a shift has one table, and this one has {setting.table}")
    return TableLine(_name(found["table"]), _name(found["book"]), _name(found["layout"]), comment)


def _start_line(found: re.Match[str], setting: Setting, comment: str) -> Line:
    if setting.dealt:
        raise Unreadable("expected the start before the first command")
    return StartLine(_moment(found["time"], setting), comment)


def _people_line(found: re.Match[str], _setting: Setting, comment: str) -> Line:
    names = tuple(_name(each) for each in re.findall(_NAME, found["names"]))
    word = found["role"]
    return PeopleLine(names, _role(word if word in set(Role) else word.removesuffix("s")), comment)


def _name(text: str) -> str:
    return unquoted(text) if text.startswith('"') else text


def _role(text: str) -> Role:
    if text not in set(Role):
        raise Unreadable(f"unknown role {shown(text)}; roles are {', '.join(Role)}")
    return Role(text)


def parse_line(text: str, setting: Setting) -> Line:
    """One line, read as it would be at this place of a file; a line of output counts as a blank one."""
    try:
        line = _parse_line(text.strip(), setting, [])
    except Unreadable as why:
        raise InputFault("", str(why)) from None
    return line if line is not None else Remark()


def _parse_command(found: re.Match[str], tail: str, setting: Setting) -> CommandLine:
    if not setting.table:
        raise Unreadable("expected `table NAME under BOOK/LAYOUT` before the first command")
    by = _person(found["by"], found["role"], setting)
    second = _person(found["second"], found["second_role"], setting) if found["second"] else None
    words, reason, comment = split_words(tail)
    if not words or words[0].key is not None or words[0].quoted:
        raise Unreadable(f"expected a verb after {by.id}:")
    do = read_action(words[0].text, words[1:], _understood(by, words[0].text, setting))
    command = c.Command(
        id=_name(found["id"]) if found["id"] else setting.next_id,
        at=_moment(found["time"], setting) if found["time"] else setting.next_at,
        by=by,
        do=do,
        authorised_by=second,
        reason=reason or "",
    )
    converted(to_builtins(command), c.Command)
    return CommandLine(command, (), comment)


def _person(word: str, role: str | None, setting: Setting) -> Person:
    name = _name(word)
    if role is not None:
        return Person(name, _role(role))
    if name not in setting.people:
        raise Unreadable(f"nobody has said what {name} is: write `{word} is dealer` above, or {word}/dealer here")
    return Person(name, setting.people[name])


def _understood(by: Person, verb: str, setting: Setting) -> dict[str, object]:
    """Fields that go without saying: players act for themselves, a table is set up as its line says."""
    if verb == "set-up":
        return {"book": setting.book, "layout": setting.layout, "digest": BOOKS_DIGEST}
    return {"player": by.id} if by.role is Role.PLAYER and _has_player(verb) else {}


def _has_player(verb: str) -> bool:
    return verb in _WITH_PLAYER


_WITH_PLAYER: Final = frozenset(
    each.__struct_config__.tag for each in c.Action.__args__ if "player" in each.__struct_fields__
)


# ------------------------------------------------------------------ time


def _moment(text: str, setting: Setting) -> int:
    """A time as written: a clock time is the first such time from the last command on."""
    if text.startswith("@"):
        return int(text[1:])
    if text.startswith("+"):
        parts = re.findall(r"([0-9]+)([dhms])", text)
        return setting.last_at + sum(int(number) * _OFFSET_UNITS[unit] for number, unit in parts) * _SECOND
    try:
        if len(text) > 10 and text[10] in " T":
            return _micros(datetime.fromisoformat(_padded(text[:10] + "T" + text[11:])).replace(tzinfo=UTC))
        today = setting.last_at - setting.last_at % _DAY
        clock = datetime.fromisoformat(_padded("1970-01-01T" + text)).replace(tzinfo=UTC)
    except ValueError:
        raise Unreadable(f"expected a date as YYYY-MM-DD and a time as HH:MM:SS, got {shown(text)}") from None
    at = today + _micros(clock)
    return at if at >= setting.last_at else at + _DAY


def _padded(text: str) -> str:
    """A fraction of a second with six digits: Python reads three or six."""
    whole, point, fraction = text.partition(".")
    return f"{whole}.{fraction:0<6}" if point else whole


def _micros(moment: datetime) -> int:
    since = moment - _EPOCH
    at = (since.days * 86_400 + since.seconds) * _SECOND + since.microseconds
    if at < 0:
        raise Unreadable("expected a date from 1970 on")
    return at


def clock_text(at: int) -> str:
    """The time of day, to the microsecond where there is one."""
    whole, fraction = divmod(at % _DAY, _SECOND)
    text = f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"
    return f"{text}.{fraction:06d}".rstrip("0") if fraction else text


def moment_text(at: int) -> str:
    """Date and time; a time outside the calendar is written in microseconds."""
    try:
        day = _EPOCH + timedelta(days=at // _DAY)
    except OverflowError:
        return f"@{at}"
    return f"{day:%Y-%m-%d} {clock_text(at)}"


def _time_prefix(at: int, setting: Setting) -> str:
    if at == setting.next_at:
        return ""
    same_day = at >= setting.last_at and at // _DAY == setting.last_at // _DAY
    return f"{clock_text(at) if same_day else moment_text(at)} "


# ------------------------------------------------------------------ text out


def _after(setting: Setting, line: Line) -> Setting:
    """What is known after a line."""
    match line:
        case Remark():
            return setting
        case TableLine():
            return replace(setting, table=line.table, book=line.book, layout=line.layout)
        case StartLine():
            return replace(setting, last_at=line.at)
        case PeopleLine():
            return replace(setting, people={**setting.people, **dict.fromkeys(line.names, line.role)})
        case CommandLine():
            return replace(setting, last_at=line.command.at, dealt=setting.dealt + 1)


def setting_after(lines: Iterable[Line], setting: Setting = NOTHING_KNOWN) -> Setting:
    """What is known after lines, where so much was known before."""
    for line in lines:
        setting = _after(setting, line)
    return setting


def format_shift(script: Script) -> str:
    """The script as canonical text."""
    return "".join(f"{line}\n" for line in _formatted(script))


def _formatted(script: Script) -> Iterator[str]:
    setting = NOTHING_KNOWN
    for line in script.lines:
        text = _line_text(line, setting)
        comment = "" if isinstance(line, Remark) else line.comment
        yield f"{text}  {comment}" if comment else text
        if isinstance(line, CommandLine):
            yield from (f"  {each}" for each in line.expected)
        setting = _after(setting, line)


def _line_text(line: Line, setting: Setting) -> str:
    match line:
        case Remark():
            return line.text
        case TableLine():
            return f"table {_word(line.table)} under {_word(line.book)}/{_word(line.layout)}"
        case StartLine():
            return f"start {moment_text(line.at)}"
        case PeopleLine():
            names = ", ".join(map(_word, line.names))
            return f"{names} is {line.role}" if len(line.names) == 1 else f"{names} are {line.role}s"
        case CommandLine():
            return format_command(line.command, setting)


def format_command(command: c.Command, setting: Setting) -> str:
    """One command as it stands in a file at this place."""
    parts = [_time_prefix(command.at, setting)]
    if command.id != setting.next_id:
        parts.append(f"[{bare_or_quoted(command.id)}] ")
    parts.append(_person_text(command.by, setting))
    if command.authorised_by is not None:
        parts.append(f" + {_person_text(command.authorised_by, setting)}")
    verb = str(type(command.do).__struct_config__.tag)
    parts.append(f": {write_action(command.do, _understood(command.by, verb, setting))}")
    if command.reason:
        parts.append(f" {BECAUSE} {reason_text(command.reason)}")
    return "".join(parts)


def _person_text(person: Person, setting: Setting) -> str:
    known = setting.people.get(person.id)
    return _word(person.id) if known is person.role else f"{_word(person.id)}/{person.role}"


def _word(name: str) -> str:
    plain = re.fullmatch(_NAME, name) and not name.startswith('"') and name not in _RESERVED
    return name if plain else quoted(name)
