"""The fields of an action as words, and words as fields.

Enters: any action, or the words of a line. Leaves: the words, or the action. Everything is read off the definitions in
`table.commands`: a new action needs nothing here. A required field is written by its place, an optional one as
`key=value`, a yes-or-no as the word itself (`sound`, `not-sound`). Whatever has no form of its own is written as JSON
in quotes.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple, get_args

import msgspec
from msgspec import NODEFAULT, Struct, inspect

from taisai.core.faults import InputFault, decoding_fault, shown
from taisai.core.limits import Per
from taisai.table import commands as c
from taisai.table.forms import bare_type

BECAUSE: Final = "because"
NONE: Final = "none"
"""An empty list or count."""

_STRING = r'"(?:[^"\\]|\\.)*"'
_WORD = re.compile(rf'(?:(?P<key>[a-z][a-z0-9-]*)=)?(?:(?P<quoted>{_STRING})|(?P<bare>[^\s"]+))(?=\s|$)')
_BARE = re.compile(r"[A-Za-z0-9._@:,+*/-]+")
_NUMBER = re.compile(r"-?[0-9]{1,30}")
_PLAIN_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]*")
_CLAUSE = re.compile(r"[0-9A-Za-z][0-9A-Za-z.() ]*")
_LIMIT = re.compile(
    r"(?:(?P<kind>[a-z][a-z0-9:/-]*) )?"
    r"(?P<min>-?[0-9]{1,30})\.\.(?P<max>-?[0-9]{1,30})(?P<per> each)?(?: by (?P<unit>.+))?"
)
_DIFFERENTIAL = re.compile(r"differential (?P<pair>[a-z][a-z-]*) (?P<amount>-?[0-9]{1,30})")
_SIGN = "MIN..MAX by UNIT, KIND MIN..MAX, differential PAIR AMOUNT"


class Unreadable(Exception):
    """Text that cannot be read where it stands; `str()` says what was expected there."""


class Word(NamedTuple):
    """A word of a line: its text, its key where it is `key=value`, and whether it was in quotes."""

    text: str
    key: str | None = None
    quoted: bool = False


class Field(NamedTuple):
    """A field of an action as the notation sees it."""

    name: str
    key: str
    """The name with dashes."""
    type: inspect.Type
    required: bool
    default: object


# ------------------------------------------------------------------ words


def split_words(text: str) -> tuple[list[Word], str | None, str]:
    """The words of a line's tail, the reason after `because` if there is one, and the comment."""
    words: list[Word] = []
    rest = text.strip(" \t")
    while rest and not rest.startswith("#"):
        if rest == BECAUSE or rest.startswith((f"{BECAUSE} ", f"{BECAUSE}\t")):
            reason, comment = _reason(rest.removeprefix(BECAUSE).lstrip(" \t"))
            return words, reason, comment
        found = _WORD.match(rest)
        if found is None:
            raise Unreadable(f"expected a word or a text in quotes, got {shown(rest)}")
        quoted = found["quoted"] is not None
        words.append(Word(unquoted(found["quoted"]) if quoted else found["bare"], found["key"], quoted))
        rest = rest[found.end() :].lstrip(" \t")
    return words, None, rest


def _reason(text: str) -> tuple[str, str]:
    """What follows `because`: a text in quotes, or everything up to a comment."""
    if text.startswith('"'):
        found = re.match(_STRING, text)
        if found is None:
            raise Unreadable("expected a closing quote after because")
        rest = text[found.end() :].lstrip(" \t")
        if rest and not rest.startswith("#"):
            raise Unreadable(f"expected nothing after the reason, got {shown(rest)}")
        return unquoted(found.group()), rest
    found = re.search(r"(?:^|[ \t])#", text)
    reason = (text[: found.start()] if found else text).rstrip(" \t")
    if not reason:
        raise Unreadable("expected a reason after because")
    return reason, text[found.start() :].lstrip(" \t") if found else ""


def unquoted(text: str) -> str:
    """The text inside quotes, escapes as in JSON."""
    try:
        return msgspec.json.decode(text, type=str)
    except (msgspec.DecodeError, UnicodeError):
        raise Unreadable(f"expected a text in quotes with escapes as in JSON, got {shown(text)}") from None


def quoted(text: str) -> str:
    """A text in quotes."""
    return msgspec.json.encode(text).decode()


def bare_or_quoted(text: str, reserved: Sequence[str] = ()) -> str:
    """A word as it is where it cannot be misread, else in quotes."""
    return text if _BARE.fullmatch(text) and text not in reserved else quoted(text)


def reason_text(reason: str) -> str:
    """A reason as it stands after `because`: plain words where they read back the same."""
    plain = reason == " ".join(reason.split()) and reason.isprintable() and not set('"#') & set(reason)
    return reason if plain and reason else quoted(reason)


# ------------------------------------------------------------------ actions


VERBS: Final[Mapping[str, type[Struct]]] = {each.__struct_config__.tag: each for each in get_args(c.Action)}
"""Every action by its name."""


@cache
def fields_of(action: type[Struct]) -> tuple[Field, ...]:
    """The fields of an action, in order."""
    made = []
    for field in getattr(inspect.type_info(action), "fields", ()):
        default = field.default if field.default_factory is NODEFAULT else field.default_factory()
        made.append(Field(field.name, field.name.replace("_", "-"), bare_type(field.type), field.required, default))
    return tuple(made)


def usage(action: type[Struct], understood: Mapping[str, object]) -> str:
    """How an action is written."""
    parts = [str(action.__struct_config__.tag)]
    for field in fields_of(action):
        if isinstance(field.type, inspect.BoolType):
            unusual = f"[not-{field.key}]" if field.default else f"[{field.key}]"
            parts.append(f"{field.key}|not-{field.key}" if field.required else unusual)
        elif field.name not in understood:
            parts.append(field.key.upper() if field.required else f"[{field.key}=…]")
    return " ".join(parts)


def verb_named(name: str) -> type[Struct]:
    """The action of that name."""
    action = VERBS.get(name)
    if action is None:
        near = difflib.get_close_matches(name, VERBS, n=2)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(VERBS)}"
        raise Unreadable(f"unknown verb {shown(name)}; {hint}")
    return action


def read_action(verb: str, words: Sequence[Word], understood: Mapping[str, object]) -> c.Action:
    """The action that words describe; `understood` are fields that need not be said."""
    action = verb_named(verb)
    how = f"write {usage(action, understood)}"
    fields = fields_of(action)
    by_key = {field.key: field for field in fields}
    flags = {
        f"{prefix}{field.key}": (field, not prefix)
        for field in fields
        if isinstance(field.type, inspect.BoolType)
        for prefix in ("", "not-")
    }
    places = [each for each in fields if each.name not in understood and not isinstance(each.type, inspect.BoolType)]
    values: dict[str, object] = {}
    for word in words:
        if word.key is not None:
            field = by_key.get(word.key)
            if field is None:
                raise Unreadable(f"{verb} has no {word.key}; {how}")
            value: object = _read(field, word.text)
        elif not word.quoted and word.text in flags:
            field, value = flags[word.text]
        else:
            field = next((each for each in places if each.name not in values), None)
            if field is None:
                raise Unreadable(f"{shown(word.text)} is one word too many; {how}")
            value = _read(field, word.text)
        if field.name in values:
            raise Unreadable(f"{field.key} is said twice; {how}")
        values[field.name] = value
    missing = [each.key for each in fields if each.required and each.name not in values and each.name not in understood]
    if missing:
        raise Unreadable(f"{verb} needs {', '.join(missing)}; {how}")
    return converted({**understood, **values}, action)  # type: ignore[return-value] # `VERBS` holds actions only


def converted(values: object, kind: type[Struct]) -> Struct:
    """Plain values as a struct, its bounds checked."""
    try:
        return msgspec.convert(values, type=kind)
    except msgspec.ValidationError as error:
        fault = decoding_fault(str(error))
        raise Unreadable(str(InputFault(fault.field.replace("_", "-"), fault.reason))) from None


def write_action(do: c.Action, understood: Mapping[str, object]) -> str:
    """An action in words, its verb first."""
    action = type(do)
    fields = fields_of(action)
    reserved = [BECAUSE]
    for field in fields:
        if isinstance(field.type, inspect.BoolType):
            reserved += [field.key, f"not-{field.key}"]
    parts = [str(action.__struct_config__.tag)]
    for field in fields:
        value = getattr(do, field.name)
        if isinstance(field.type, inspect.BoolType):
            if field.required or value != field.default:
                parts.append(field.key if value else f"not-{field.key}")
        elif field.name in understood:
            if value != understood[field.name]:
                parts.append(f"{field.key}={bare_or_quoted(write_value(field.type, value))}")
        elif field.required:
            parts.append(bare_or_quoted(write_value(field.type, value), reserved))
        elif value != field.default:
            parts.append(f"{field.key}={bare_or_quoted(write_value(field.type, value))}")
    return " ".join(parts)


# ------------------------------------------------------------------ values


def _read(field: Field, text: str) -> object:
    try:
        return read_value(field.type, text)
    except Unreadable as why:
        raise Unreadable(f"{field.key}: {why}") from None


def read_value(kind: inspect.Type, text: str) -> object:
    """A value of a field's type, plain; bounds are checked when the whole is converted."""
    kind = bare_type(kind)
    match kind:
        case inspect.UnionType():
            return read_value(_but_none(kind), text)
        case inspect.BoolType():
            if text not in ("yes", "no"):
                raise Unreadable(f"expected yes or no, got {shown(text)}")
            return text == "yes"
        case inspect.IntType():
            return _number(text)
        case inspect.StrType() | inspect.EnumType():
            return text
        case _ if text.startswith(("{", "[")):
            return _from_json(text)
        case inspect.TupleType() | inspect.VarTupleType() if _is_of_numbers(kind):
            if isinstance(kind, inspect.TupleType) and text.isdigit() and len(text) == len(kind.item_types):
                return list(map(_number, text))
            return [] if text == NONE else [_number(part) for part in text.split(",")]
        case inspect.VarTupleType() if _is_of_words(kind):
            return [] if text == NONE else text.split(",")
        case inspect.DictType() if _is_count(kind):
            return _pairs(text, "x", "VALUExNUMBER", keys_are_numbers=True)
        case inspect.DictType() if _is_by_name(kind):
            inner = kind.value_type
            pairs = _pairs(text, ":", "NAME:NUMBER", keys_are_numbers=False)
            if isinstance(inner, inspect.StructType):
                return {key: {inner.fields[0].name: number} for key, number in pairs.items()}
            return pairs
        case inspect.StructType() if kind.cls is c.TableLimits:
            return _read_sign(text)
        case _:
            return _from_json(text)


def write_value(kind: inspect.Type, value: object) -> str:
    """A value of a field's type as text."""
    kind = bare_type(kind)
    match kind:
        case inspect.UnionType():
            return write_value(_but_none(kind), value)
        case inspect.IntType() | inspect.StrType() | inspect.EnumType():
            return str(value)
        case inspect.TupleType() | inspect.VarTupleType() if isinstance(value, tuple) and _is_of_numbers(kind):
            return ",".join(map(str, value)) or NONE
        case inspect.VarTupleType() if isinstance(value, tuple) and _is_of_words(kind) and _plain_words(value):
            return ",".join(value) or NONE
        case inspect.DictType() if isinstance(value, dict) and _is_count(kind):
            return ",".join(f"{key}x{number}" for key, number in value.items()) or NONE
        case inspect.DictType() if isinstance(value, dict) and _is_by_name(kind) and _plain_keys(value):
            numbers = {key: each if isinstance(each, int) else _only_field(each) for key, each in value.items()}
            return ",".join(f"{key}:{number}" for key, number in numbers.items()) or NONE
        case inspect.StructType() if isinstance(value, c.TableLimits) and _plain_sign(value):
            return sign_text(value)
        case _:
            return msgspec.json.encode(value).decode()


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise Unreadable(f"expected a whole number, got {shown(text)}")
    return int(text)


def _from_json(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise Unreadable(f"expected JSON, got {shown(text)}") from None


def _but_none(kind: inspect.UnionType) -> inspect.Type:
    """The type of an optional field; a field of several types has none, and is written as JSON."""
    kinds = [each for each in kind.types if not isinstance(each, inspect.NoneType)]
    return kinds[0] if len(kinds) == 1 else inspect.AnyType()


def _is_of_numbers(kind: inspect.TupleType | inspect.VarTupleType) -> bool:
    kinds = kind.item_types if isinstance(kind, inspect.TupleType) else (kind.item_type,)
    return all(isinstance(bare_type(each), inspect.IntType) for each in kinds)


def _is_of_words(kind: inspect.VarTupleType) -> bool:
    return isinstance(bare_type(kind.item_type), inspect.StrType)


def _plain_words(value: tuple[str, ...]) -> bool:
    """Whether words joined by commas read back the same."""
    return all(_PLAIN_KEY.fullmatch(each) or _CLAUSE.fullmatch(each) for each in value) and value != (NONE,)


def _is_count(kind: inspect.DictType) -> bool:
    return isinstance(kind.key_type, inspect.IntType) and isinstance(kind.value_type, inspect.IntType)


def _is_by_name(kind: inspect.DictType) -> bool:
    inner = kind.value_type
    if isinstance(inner, inspect.StructType) and len(inner.fields) == 1:
        inner = inner.fields[0].type
    return isinstance(kind.key_type, inspect.StrType) and isinstance(inner, inspect.IntType)


def _only_field(value: Struct) -> int:
    (name,) = value.__struct_fields__
    number: int = getattr(value, name)
    return number


def _plain_keys(value: Mapping[str, object]) -> bool:
    return all(_PLAIN_KEY.fullmatch(key) for key in value)


def _pairs(text: str, mark: str, form: str, *, keys_are_numbers: bool) -> dict[object, int]:
    pairs: dict[object, int] = {}
    for part in () if text == NONE else text.split(","):
        key, found, number = part.partition(mark)
        if not found or not key:
            raise Unreadable(f"expected {form},… or none, got {shown(text)}")
        known: object = _number(key) if keys_are_numbers else key
        if known in pairs:
            raise Unreadable(f"{key} is said twice in {shown(text)}")
        pairs[known] = _number(number)
    return pairs


# ------------------------------------------------------------------ limits, as on the sign of a table


def sign_text(limits: c.TableLimits) -> str:
    """Limits as people read them: `100..50000 by 100, single 100..10000, differential big-small 20000`."""
    parts = [f"{_range(limits.default)} by {limits.unit}"]
    parts += [f"{kind} {_range(each)}" for kind, each in limits.kinds.items()]
    parts += [f"differential {pair} {amount}" for pair, amount in limits.differential.items()]
    return ", ".join(parts)


def _range(limit: c.BoxLimit) -> str:
    """Minimum and maximum; `100..2000 each` where the maximum is of each player."""
    return f"{limit.min}..{limit.max}" + (" each" if limit.per is Per.PLAYER else "")


def _read_range(limit: re.Match[str]) -> dict[str, object]:
    found: dict[str, object] = {"min": int(limit["min"]), "max": int(limit["max"])}
    return found | {"per": "player"} if limit["per"] else found


def _plain_sign(limits: c.TableLimits) -> bool:
    names = [*limits.kinds, *limits.differential]
    return all(re.fullmatch(r"[a-z][a-z0-9:/-]*", name) and name not in ("differential", "by") for name in names)


def _read_sign(text: str) -> dict[str, object]:
    unit: int | None = None
    default: object = None
    kinds: dict[str, object] = {}
    differential: dict[str, object] = {}
    for part in text.split(","):
        entry = " ".join(part.split())
        pair, limit = _DIFFERENTIAL.fullmatch(entry), _LIMIT.fullmatch(entry)
        if pair is not None and pair["pair"] not in differential:
            differential[pair["pair"]] = int(pair["amount"])
        elif limit is not None and limit["kind"] and limit["unit"] is None and limit["kind"] not in kinds:
            kinds[limit["kind"]] = _read_range(limit)
        elif limit is not None and not limit["kind"] and limit["unit"] is not None and unit is None:
            unit = _number(limit["unit"])
            default = _read_range(limit)
        else:
            raise Unreadable(f'expected "{_SIGN}", each once; got {shown(entry)}')
    if unit is None:
        raise Unreadable(f'expected "{_SIGN}"; got no MIN..MAX by UNIT')
    return {"unit": unit, "default": default, "kinds": kinds, "differential": differential}
