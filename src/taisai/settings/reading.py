"""Reading settings from a file and the environment.

Enters: a TOML file, and variables `TAISAI_SECTION__KEY`, which override it. Leaves: `Settings` that agree with the
installed rule books, or `SettingsRefused` with everything that is wrong: where, which key, why, and what is allowed.
Nothing is guessed: an unknown key is refused, with the nearest known one. No message contains a password.
"""

from __future__ import annotations

import difflib
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar, get_args, get_origin
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from msgspec import Struct, inspect

from taisai.books import BookRefused, Shelf, open_shelf
from taisai.core.faults import InputFault, shown
from taisai.core.limits import not_by_book
from taisai.core.rulebook import Device, Rule, RuleBook
from taisai.outside import TOML_BYTES_MAX, Unreadable, read_text, toml_of
from taisai.settings.editions import moment_of, starts_at
from taisai.settings.forms import Settings, TableSettings, redacted
from taisai.table.rules import limits_of

PREFIX: Final = "TAISAI_"
FILE_VARIABLE: Final = "TAISAI_SETTINGS"
"""Names the file when none is given."""
SHORT_VARIABLES: Final = ("TAISAI_LISTEN", "TAISAI_JOURNAL")
"""The two most common settings have short names without a section."""
JOURNAL_VARIABLES: Final = ("TAISAI_JOURNAL", "TAISAI_JOURNAL__URL")
NOT_SETTINGS: Final = frozenset({FILE_VARIABLE, "TAISAI_BOOKS"})
"""Variables that other parts read."""
SECRET_MIN: Final = 16

_ORIGIN: Final = re.compile(r"https?://[^/\s?#@]+")
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,18}")
_BAD: Final = object()
S = TypeVar("S", bound=Struct)


class SettingFault(NamedTuple):
    """One thing that is wrong: the file or variable, the key, and why."""

    where: str
    key: str
    reason: str

    def __str__(self) -> str:
        return ": ".join(part for part in self if part)


class SettingsRefused(InputFault):
    """Settings that cannot be used, with every fault."""

    def __init__(self, faults: Iterable[SettingFault]) -> None:
        self.faults = tuple(faults)
        super().__init__("", "; ".join(map(str, self.faults)))

    def __reduce__(self) -> tuple[type[SettingsRefused], tuple[tuple[SettingFault, ...]]]:  # type: ignore[override]  # made again from its faults, not from field and reason
        return SettingsRefused, (self.faults,)


def read_settings(
    path: Path | str | None = None,
    *,
    environment: Mapping[str, str] = os.environ,
    shelf: Shelf | None = None,
    instead: Settings | None = None,
) -> Settings:
    """The settings of a file (or of `TAISAI_SETTINGS`, or none) and the environment; `SettingsRefused` otherwise.

    `instead` takes the place of a file: generated settings, such as the demo's, with a journal of their own. A variable
    that names a house's journal must not bring the demo's tables into it.
    """
    named = path if path is not None or instead is not None else environment.get(FILE_VARIABLE)
    file = str(named) if named else ""
    raw = _raw(instead) if instead is not None else _read_file(Path(file)) if file else {}
    reading = _Reading(file or "settings")
    reading.take_environment(raw, environment)
    if instead is not None:
        reason = "a demo has a journal of its own: unset it, and use --journal for another"
        reading.refuse_variable("journal", "url", reason)
    # Faults in one section do not hide faults in another.
    settings = Settings(**reading.values(Settings, raw, ())[0])
    try:
        reading.check(settings, shelf or open_shelf(environment=environment))
    except BookRefused as error:
        reading.faults += [SettingFault(f"rule book {error.book_id}", "", str(each)) for each in error.faults]
    if reading.faults:
        raise SettingsRefused(reading.faults)
    return settings


def check_settings(settings: Settings, shelf: Shelf, where: str = "settings") -> None:
    """Check settings that were not read here (a test's, `demo_settings`); `SettingsRefused` with every fault."""
    reading = _Reading(where)
    reading.check(settings, shelf)
    if reading.faults:
        raise SettingsRefused(reading.faults)


def _raw(settings: Settings) -> dict[str, Any]:
    """Settings as a file would contain them."""
    return msgspec.json.decode(msgspec.json.encode(settings), type=dict[str, Any])


def _read_file(file: Path) -> dict[str, Any]:
    try:
        return toml_of(read_text(file, TOML_BYTES_MAX), str(file))
    except Unreadable as error:
        raise SettingsRefused([SettingFault(error.field, "", error.reason)]) from None


class _Reading:
    """One reading of settings, with the faults so far."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._variables: dict[tuple[str, ...], str] = {}
        self.faults: list[SettingFault] = []

    def fault(self, place: tuple[str, ...], reason: str) -> None:
        """Add what is wrong with a key, and the file or variable that it came from."""
        where = self._variables.get(place[:2], self._file)
        self.faults.append(SettingFault(where, _written(place), reason))

    # -------------------------------------------------------------- the environment

    def take_environment(self, raw: dict[str, Any], environment: Mapping[str, str]) -> None:
        """Override the file's values with those of the environment."""
        sections = {each.name: each.type for each in msgspec.structs.fields(Settings)}
        known = {
            f"{PREFIX}{section.upper()}__{key.name.upper()}": (section, key.name, key.type)
            for section, kind in sections.items()
            if _is_struct(kind)
            for key in msgspec.structs.fields(kind)
        }
        for name in sorted(environment):
            if not name.startswith(PREFIX) or name in NOT_SETTINGS:
                continue
            text = environment[name]
            if name == "TAISAI_JOURNAL":
                self._put(raw, name, "journal", "url", text)
            elif name == "TAISAI_LISTEN":
                self._listen(raw, name, text)
            elif name in known:
                section, key, kind = known[name]
                value = _from_text(kind, text)
                self._put(raw, name, section, key, text if value is _BAD else value)
            elif reason := _unknown_variable(name, known):
                self.faults.append(SettingFault(name, "", reason))

    def _listen(self, raw: dict[str, Any], name: str, text: str) -> None:
        host, colon, port = text.rpartition(":")
        if not colon or not port.isascii() or not port.isdigit() or len(port) > 5:
            self.faults.append(SettingFault(name, "", f"write host:port, such as 127.0.0.1:8000, got {_quoted(text)}"))
            return
        self._put(raw, name, "listen", "port", int(port))
        if host:
            self._put(raw, name, "listen", "host", host.removeprefix("[").removesuffix("]"))

    def _put(self, raw: dict[str, Any], name: str, section: str, key: str, value: object) -> None:
        values = raw.setdefault(section, {})
        if isinstance(values, dict):  # otherwise the file's own fault is reported
            values[key] = value
            self._variables[section, key] = name

    def refuse_variable(self, section: str, key: str, reason: str) -> None:
        """Refuse a variable that has set this key."""
        if name := self._variables.get((section, key)):
            self.faults.append(SettingFault(name, "", reason))

    # -------------------------------------------------------------- types

    def struct(self, kind: type[S], raw: object, place: tuple[str, ...]) -> S | None:
        """A section, or None when something in it is wrong."""
        if not isinstance(raw, dict):
            self.fault(place, f"keys and values, got {_quoted(raw)}")
            return None
        values, sound = self.values(kind, raw, place)
        return kind(**values) if sound else None

    def values(
        self, kind: type[Struct], raw: Mapping[str, object], place: tuple[str, ...]
    ) -> tuple[dict[str, Any], bool]:
        """The valid values of a section by key, and whether all of them are valid."""
        fields = {each.name: each for each in msgspec.structs.fields(kind)}
        before = len(self.faults)
        for key in raw:
            if key not in fields:
                self.fault((*place, key), _unknown("key" if place else "section", key, fields))
        values: dict[str, Any] = {}
        for name, field in fields.items():
            if name in raw:
                value = self._value(field.type, raw[name], (*place, name))
                if value is not _BAD:
                    values[name] = value
            elif field.required:
                self.fault((*place, name), f"is needed: {allowed(field.type)}")
        return values, len(self.faults) == before

    def _value(self, kind: Any, raw: object, place: tuple[str, ...]) -> object:
        if _is_struct(kind):
            made = self.struct(kind, raw, place)
            return _BAD if made is None else made
        arguments = get_args(kind)
        if get_origin(kind) is tuple and _is_struct(arguments[0]):
            if not isinstance(raw, list):
                self.fault(place, f"written as [[{_written(place)}]], got {_quoted(raw)}")
                return _BAD
            each = [
                self.struct(arguments[0], one, (*place[:-1], f"{place[-1]}[{number}]"))
                for number, one in enumerate(raw, 1)
            ]
            return _BAD if None in each else tuple(each)
        if get_origin(kind) is dict and _is_struct(arguments[1]) and isinstance(raw, dict):
            inner = {key: self.struct(arguments[1], one, (*place, key)) for key, one in raw.items()}
            return _BAD if None in inner.values() else inner
        try:
            return msgspec.convert(raw, kind, str_keys=True)
        except msgspec.ValidationError:
            self.fault(place, f"{allowed(kind)}, got {_quoted(raw)}")
            return _BAD

    # -------------------------------------------------------------- checks across keys

    def check(self, settings: Settings, shelf: Shelf) -> None:
        """Check everything that concerns more than the type of one key."""
        self._check_listen(settings)
        try:
            ZoneInfo(settings.house.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            self.fault(("house", "zone"), f"a time zone such as Asia/Singapore, got {shown(settings.house.zone)}")
            settings = msgspec.structs.replace(settings, house=msgspec.structs.replace(settings.house, zone="UTC"))
        if settings.demo.enabled and settings.house.purpose != "demo":
            reason = 'guests with play money need house.purpose = "demo"'
            self.fault(("demo", "enabled"), reason)
        for book_id, digest in settings.books.items():
            book = self._book(shelf, book_id, ("books", book_id))
            if book is not None and not book.matches(digest):
                self.fault(("books", book_id), f"approved is {digest[:16]}…, the installed book is {book.digest[:16]}…")
        seen: dict[str, int] = {}
        for number, table in enumerate(settings.tables, 1):
            place = (f"tables[{number}]",)
            if table.name.casefold() in seen:
                self.fault((*place, "name"), f"{shown(table.name)} is also tables[{seen[table.name.casefold()]}]")
            seen.setdefault(table.name.casefold(), number)
            self._check_table(settings, table, shelf, place)

    def _check_listen(self, settings: Settings) -> None:
        listen = settings.listen
        if listen.public_url and not _ORIGIN.fullmatch(listen.public_url):
            self.fault(
                ("listen", "public_url"),
                f"https://host or http://host, without a path, got {_quoted(listen.public_url)}",
            )
        node = settings.node
        if node.address and not _ORIGIN.fullmatch(node.address):
            self.fault(("node", "address"), f"http://host:port, without a path, got {_quoted(node.address)}")
        if node.address and len(node.secret) < SECRET_MIN:
            self.fault(("node", "secret"), f"{SECRET_MIN} characters or more, the same for all nodes")
        if node.address and not settings.journal.url.startswith(("postgresql://", "postgres://")):
            self.fault(("node", "address"), "several nodes need a PostgreSQL journal (journal.url)")
        for origin in listen.allowed_origins:
            if not _ORIGIN.fullmatch(origin):
                reason = f"origins such as https://casino.example, without a path, got {_quoted(origin)}"
                self.fault(("listen", "allowed_origins"), reason)
        kinds: dict[str, tuple[Callable[[str], object], str]] = {
            "trusted_proxies": (ip_address, "the address of each proxy, such as 10.0.0.5, and no network"),
            "metrics_from": (partial(ip_network, strict=False), "addresses or networks such as 10.0.0.0/8"),
        }
        for key, (kind, words) in kinds.items():
            for given in getattr(listen, key):
                try:
                    kind(given)
                except ValueError:
                    self.fault(("listen", key), f"{words}, got {_quoted(given)}")

    def _book(self, shelf: Shelf, book_id: str, place: tuple[str, ...]) -> RuleBook | None:
        try:
            return shelf.book(book_id)
        except InputFault as fault:
            self.fault(place, fault.reason)
            return None

    def _check_edition(
        self, settings: Settings, table: TableSettings, book: RuleBook, layout: str, place: tuple[str, ...]
    ) -> None:
        """A table's layout and limits fit a book; a book that is not in force is told apart."""
        if layout not in book.layouts:
            self.fault((*place, "layout"), _unknown("layout", layout, book.layouts))
        try:
            wrong = not_by_book(book, limits_of(table.limits))
        except InputFault:
            wrong = None  # told once, with the table
        if wrong is not None:
            self.fault((*place, "limits", *wrong[0].split(".", 2)), wrong[1].replace("this book", book.id))
        if settings.books and book.id not in settings.books:
            self.fault((*place, "book"), f"{book.id} is not among the approved books of [books]")

    def _check_editions(self, settings: Settings, table: TableSettings, shelf: Shelf, place: tuple[str, ...]) -> None:
        """Each later edition replaces the one before it, at a date on which it is in force."""
        before, last, layout = table.book, None, table.layout
        for number, each in enumerate(table.editions, 1):
            here = (*place, f"editions[{number}]")
            since = starts_at(settings, each.at)
            if since is None:
                self.fault((*here, "at"), f"a date and time in quotation marks, 2026-12-01 06:00, got {shown(each.at)}")
                continue
            if last is not None and since <= last:
                self.fault((*here, "at"), "editions stand in the order of their dates")
            book = self._book(shelf, each.book, (*here, "book"))
            layout = each.layout or layout
            if book is not None:
                self._check_edition(settings, table, book, layout, here)
                if book.replaces != before:
                    self.fault((*here, "book"), f"{book.id} replaces {book.replaces or 'no book'}, not {before}")
                for reason in shelf.edition_faults(book):
                    self.fault((*here, "book"), reason)
                if not book.in_force(since):
                    self.fault((*here, "at"), f"{book.id} is in force from {book.effective}")
            before, last = each.book, since

    def _check_table(self, settings: Settings, table: TableSettings, shelf: Shelf, place: tuple[str, ...]) -> None:
        book = self._book(shelf, table.book, (*place, "book"))
        if book is not None:
            self._check_edition(settings, table, book, table.layout, place)
            if not book.in_force(moment_of(settings, time.time_ns() // 1_000)):
                self.fault((*place, "book"), f"{book.id} is in force from {book.effective}")
        self._check_editions(settings, table, shelf, place)
        try:
            limits_of(table.limits, None if book is None else book.layouts.get(table.layout))
        except InputFault as fault:
            self.fault((*place, "limits", *fault.field.split(".")), fault.reason)
        chips, unit = table.denominations, table.limits.unit
        if list(chips) != sorted(set(chips)) or chips[0] != unit or any(chip % unit for chip in chips if unit > 0):
            reason = f"ascending, each once, multiples of limits.unit, beginning with it ({unit}), got {list(chips)}"
            self.fault((*place, "denominations"), reason)
        others = sorted(set(table.float_count) - set(chips))
        if others:
            self.fault((*place, "float_count"), f"chips of {list(chips)}, got {others[0]}")
        if table.mode == "automatic":
            if book is not None and settings.house.purpose == "gaming" and not book.admits(Device.VIRTUAL):
                reason = (
                    f"an automatic table has virtual dice, which {book.id} does not admit for gaming "
                    f"({', '.join(book.clauses_for(Rule.DEVICES))}); "
                    'write mode = "dealer", or house.purpose = "training" or "demo"'
                )
                self.fault((*place, "mode"), reason)
            if not sum(table.float_count.values()):
                self.fault((*place, "float_count"), "an automatic table needs chips to open with")
            shortest = settings.house.minimum_betting_ms
            if table.timing.betting_ms < shortest:
                reason = f"at least house.minimum_betting_ms ({shortest}), got {table.timing.betting_ms}"
                self.fault((*place, "timing", "betting_ms"), reason)


# ------------------------------------------------------------------ words


def _written(place: tuple[str, ...]) -> str:
    return ".".join(place)


def _unknown(what: str, name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
    return f"unknown {what} {shown(name)}; {hint}"


def _quoted(value: object) -> str:
    """A value as a message quotes it. Passwords are removed before it is cut: otherwise part of one could be left."""
    text = redacted(shown(value, 10_000))
    return text if len(text) <= 80 else f"{text[:79]}…"


def _unknown_variable(name: str, known: Iterable[str]) -> str:
    """What is wrong with an unknown variable; empty where it is not meant for taisai.

    Container platforms set variables after a service's name (`TAISAI_PORT`), so without a section only a near miss is
    taken for a typing error.
    """
    words = name.removeprefix(PREFIX)
    names = [each.removeprefix(PREFIX) for each in (known if "__" in words else SHORT_VARIABLES)]
    near = difflib.get_close_matches(words, names, n=1, cutoff=0.6 if "__" in words else 0.75)
    if near:
        return f"unknown variable {shown(name)}; did you mean {PREFIX}{near[0]}?"
    return f"unknown variable {shown(name)}; write {PREFIX}SECTION__KEY" if "__" in words else ""


def _is_struct(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)


def allowed(kind: Any) -> str:
    """What a key may hold, in words."""
    return _words(inspect.type_info(kind))


def _words(info: inspect.Type) -> str:
    match info:
        case inspect.IntType(ge=low, le=high):
            bounds = "".join(f" {word} {bound}" for word, bound in (("from", low), ("to", high)) if bound is not None)
            return f"a whole number{bounds}"
        case inspect.BoolType():
            return "true or false"
        case inspect.LiteralType(values=values):
            return f"one of {', '.join(map(str, values))}"
        case inspect.StrType(pattern=pattern) if pattern is not None:
            return _PATTERNS.get(pattern, f"text like {pattern}")
        case inspect.StrType(max_length=most) if most is not None:
            return f"text of 1 to {most} characters"
        case inspect.StrType():
            return "text"
        case inspect.VarTupleType(item_type=item):
            return f"a list, each {_words(item)}"
        case inspect.DictType(key_type=key, value_type=value):
            return f"keys and values, each {_words(key)} = {_words(value)}"
        case _:
            return "keys and values"


_PATTERNS: Final = {
    r"^[A-Za-z0-9][A-Za-z0-9._@-]*$(?!\n)": "a name (letters, digits and . _ @ -)",
    r"^[0-9a-f]{64}$(?!\n)": "a digest of 64 hexadecimal digits",
    r"^[A-Z]{3}$(?!\n)": "three capital letters",
    r"^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?$(?!\n)": "a date and time in quotation marks, 2026-12-01 06:00",
}


def _from_text(kind: Any, text: str) -> object:
    """A variable's text as the value that its key holds; `_BAD` when it cannot be one."""
    match inspect.type_info(kind):
        case inspect.IntType():
            return int(text) if _WHOLE.fullmatch(text) else _BAD
        case inspect.BoolType():
            return {"true": True, "false": False, "1": True, "0": False}.get(text.lower(), _BAD)
        case inspect.VarTupleType():
            return [part.strip() for part in text.split(",") if part.strip()]
        case _:
            return text
