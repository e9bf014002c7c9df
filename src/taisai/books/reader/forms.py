"""The rows of a rule book's TOML files as they are written (docs/rule-books.md).

Enters: tables that `tomllib` has parsed. Leaves: typed forms, or everything that keeps a table from being one, in words
for people who never saw this code. Each row is checked alone here; how rows fit together is checked by the reader.
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterable, Iterator
from datetime import date, time
from enum import StrEnum
from typing import Annotated, Any, NamedTuple, TypeVar, get_args

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import FieldInfo

from taisai.books.duties import Duty
from taisai.core.cloth import Side, Tone
from taisai.core.faults import shown
from taisai.core.money import Rounding
from taisai.core.names import Colour
from taisai.core.rulebook import Device, Fact, Rule, Step, Then, Tumble

# The description of each type completes the sentence "`key` must be ..." (`_not_wanted`).
_ONE_LINE = r"\A(?=.*\S)[^\x00-\x1f\x7f-\x9f\u2028\u2029]+\Z"
_NOT_BLANK = r"\S"

OTHER_GROUP = "other"
"""The group of boxes whose book names none."""

Text = Annotated[str, Meta(pattern=_ONE_LINE, description="a line of text")]
Share = Annotated[str, Meta(pattern=_ONE_LINE, description='a share in quotation marks, such as "2.78 %" or "1/36"')]
Prose = Annotated[str, Meta(pattern=_NOT_BLANK, description="text")]
# No pattern here: in a union with a list, msgspec 0.22 would corrupt memory. A strange id is refused as unknown anyway.
_Id = Annotated[str, Meta(min_length=1)]
Citation = Annotated[
    _Id | Annotated[list[_Id], Meta(min_length=1)], Meta(description="a clause id or a list of clause ids")
]
Consequence = Annotated[
    Then | Annotated[list[Then], Meta(min_length=1)], Meta(description=f"one or a list of {', '.join(Then)}")
]
Word = Annotated[
    str, Meta(pattern=r"\A[a-z0-9]+(-[a-z0-9]+)*\Z", description="a word of small letters, digits and dashes")
]
Rows = Annotated[list[object], Meta(description="a list of rows")]
Truth = Annotated[bool, Meta(description="true or false")]
Size = Annotated[int, Meta(ge=1, le=200)]
Digest = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z", description="a digest of 64 hexadecimal digits")]
NameTable = Annotated[dict[str, Text], Meta(description="a table of the book's words and these, both text")]
Outlines = Annotated[
    list[Annotated[str, Meta(pattern=r"\A[MmLlHhVvCcSsQqTtAaZz0-9 .,-]{1,4000}\Z")]],
    Meta(min_length=1, max_length=40, description="a list of outlines, each as SVG path data in a square of 100"),
]
DutyList = Annotated[list[Duty], Meta(min_length=1, description=f"a list of one or more of {', '.join(Duty)}")]


class BookForm(Struct, forbid_unknown_fields=True):
    """`book.toml`; its rows are read one by one. `effective` may be a date or a date-time, which the reader checks."""

    title: Text
    version: Text
    operator: Text
    jurisdiction: Text
    document: Text
    procedure: ProcedureForm
    rules: Rows
    terms: Rows = []
    effective: object = None
    replaces: Text | None = None
    faces: Rows = []


class FaceForm(Struct, forbid_unknown_fields=True):
    """A row of `faces`."""

    face: Annotated[int, Meta(ge=1, le=6, description="a face, 1 to 6")]
    name: Text
    colour: Colour | None = None
    picture: Word | None = None


class PicturesForm(Struct, forbid_unknown_fields=True):
    """`pictures.toml`."""

    pictures: Annotated[dict[str, Outlines], Meta(description="a table of lists of outlines")]


class NamesForm(Struct, forbid_unknown_fields=True):
    """`names.LANG.toml`: for each part of the book, its own words and those of this language."""

    book: NameTable = {}
    bets: NameTable = {}
    boxes: NameTable = {}
    needs: NameTable = {}
    kinds: NameTable = {}
    layouts: NameTable = {}
    sections: NameTable = {}
    labels: NameTable = {}
    faces: NameTable = {}
    calls: NameTable = {}
    facts: NameTable = {}
    opening: NameTable = {}
    clauses: NameTable = {}


class ProcedureForm(Struct, forbid_unknown_fields=True):
    """`[procedure]` of `book.toml`."""

    device: Device
    tumble: Tumble
    tumbles_min: Annotated[int, Meta(ge=1, description="a whole number of at least 1")]
    steps: Rows
    facts: Rows
    calls: CallsForm
    opening: Rows = []
    admits: list[Device] = []


class CallsForm(Struct, forbid_unknown_fields=True):
    """`[procedure.calls]` of `book.toml`."""

    clause: Citation
    open: Text
    close: Text
    void: Text
    plain: Text
    double_first: Text
    double_last: Text
    triple: Text
    bell: Truth


class TermForm(Struct, forbid_unknown_fields=True):
    """A row of `terms`."""

    term: Text
    clause: Citation


class RuleForm(Struct, forbid_unknown_fields=True):
    """A row of `rules`."""

    rule: Rule
    clause: Citation


class StepForm(Struct, forbid_unknown_fields=True):
    """A row of `procedure.steps`."""

    step: Step
    clause: Citation


class OpeningForm(Struct, forbid_unknown_fields=True):
    """A row of `procedure.opening`."""

    item: Text
    clause: Citation
    summary: Prose


class FactForm(Struct, forbid_unknown_fields=True):
    """A row of `procedure.facts`."""

    fact: Fact
    then: Consequence
    clause: Citation
    summary: Prose
    reason: Word | None = None


class ClausesForm(Struct, forbid_unknown_fields=True):
    """`clauses.toml`."""

    clauses: Rows


class ClauseForm(Struct, forbid_unknown_fields=True):
    """A row of `clauses`. Books written for version 0.1.0 have `duty` and `room` here; the digest leaves them out."""

    id: Text
    summary: Prose
    effective: object = None
    duty: DutyList | None = None
    room: Text | None = None


class SoftwareForm(Struct, forbid_unknown_fields=True):
    """`software.toml`."""

    duties: Rows = []
    formerly: Rows = []


class DutyForm(Struct, forbid_unknown_fields=True):
    """A row of `duties`."""

    clause: Text
    duty: DutyList
    room: Text


class FormerlyForm(Struct, forbid_unknown_fields=True):
    """A row of `formerly`."""

    digest: Digest
    now: Digest
    version: Text
    reason: Prose


class InterpretationsForm(Struct, forbid_unknown_fields=True):
    """`interpretations.toml`."""

    interpretations: Rows


class InterpretationForm(Struct, forbid_unknown_fields=True):
    """A row of `interpretations`."""

    id: Text
    clause: Citation
    question: Prose
    reading: Prose
    house_choice: Truth
    admits: list[Device] = []


class LayoutForm(Struct, forbid_unknown_fields=True):
    """`layout-ID.toml`."""

    title: Text
    clause: Citation
    pay: Annotated[list[object], Meta(min_length=1, description="a list of at least one row")]
    triple_clause: Citation | None = None
    felt: FeltForm | None = None
    player_edge: Truth = False
    draws: Rows = []
    rounding: RoundingForm | None = None


class RoundingForm(Struct, forbid_unknown_fields=True):
    """`rounding` of a layout: what becomes of winnings that are no whole minor units."""

    way: Rounding
    clause: Citation


class DrawForm(Struct, forbid_unknown_fields=True):
    """A row of `draws`: after the close it comes with its weight, and raises what some boxes pay."""

    draw: Word
    weight: Annotated[int, Meta(ge=1, le=1_000_000, description="a weight, 1 to 1000000")]
    clause: Citation
    raised: Rows = []


class RaisedForm(Struct, forbid_unknown_fields=True):
    """A row of `raised`. `pays` is checked by the reader."""

    boxes: Text
    pays: object


class BoxesForm(Struct, forbid_unknown_fields=True):
    """`boxes.toml`."""

    boxes: Rows


class BoxForm(Struct, forbid_unknown_fields=True):
    """A row of `boxes`."""

    box: Text
    title: Text
    needs: Text | None = None
    when: Text | None = None
    group: Text = OTHER_GROUP
    plural: Text | None = None


class PayForm(Struct, forbid_unknown_fields=True):
    """A row of `pay`. `pays` is checked by the reader, which can say what is wrong with a fraction."""

    bet: Text
    boxes: Text
    pays: object
    clause: Citation
    when: Text | None = None
    ways: Annotated[int, Meta(ge=1, le=216, description="on how many of the 216 rolls, 1 to 216")] | None = None
    edge: Share | None = None
    dice: Annotated[int, Meta(ge=1, le=3, description="1, 2 or 3")] | None = None
    totals: (
        Annotated[
            list[Annotated[int, Meta(ge=3, le=18)]],
            Meta(min_length=1, description="a list of totals, whole numbers from 3 to 18"),
        ]
        | None
    ) = None
    triple_clause: Citation | None = None
    on: Annotated[str, Meta(pattern=_ONE_LINE, description="a line of text")] = ""


Language = Annotated[
    str, Meta(pattern=r"\A[a-z]{2,3}(-[A-Za-z]{2,4})?\Z", description="a language such as zh-Hant or zh-Hans")
]
Labels = Annotated[
    list[Annotated[str, Meta(min_length=1)]],
    Meta(min_length=1, description='a list of labels such as "name: BIG" or "odds: 1 WINS {pays}"'),
]


class FeltForm(Struct, forbid_unknown_fields=True):
    """`[felt]` of a layout. `print` has labels by the part of a box's name before the colon."""

    size: Annotated[tuple[Size, Size], Meta(description="[width, height], whole numbers from 1 to 200")]
    blocks: Rows
    print: Annotated[dict[str, Labels], Meta(description="a table of lists of labels")] = {}
    reconstructed: Prose | None = None
    lang: Language | None = None


class BlockForm(Struct, forbid_unknown_fields=True):
    """A row of `felt.blocks`."""

    at: Annotated[
        tuple[Annotated[int, Meta(ge=0)], Annotated[int, Meta(ge=0)], Size, Size],
        Meta(description="[x, y, width, height], whole numbers, width and height from 1 to 200"),
    ]
    boxes: Text
    columns: Annotated[Size, Meta(description="a whole number from 1 to 200")] | None = None
    section: Text | None = None
    print: Labels | None = None
    heading: Text | None = None
    side: Side | None = None
    tone: Tone | None = None


Form = TypeVar("Form", bound=Struct)


class Flaw(NamedTuple):
    """Why a table is not a form: the path of a table within it ("" for itself), its key if any, and the reason."""

    table: str
    key: str
    reason: str


def read_form(raw: object, form: type[Form]) -> Form | list[Flaw]:
    """The form, or everything that is wrong with the table."""
    return list(_flaws(raw, form, "")) or msgspec.convert(raw, form)


def quoted(value: object) -> str:
    """A value of a TOML file as a message quotes it: near to how the file writes it, and short."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, dict):
        return "a table"
    return shown(value)


def _flaws(raw: object, form: type[Struct], table: str) -> Iterator[Flaw]:
    if not isinstance(raw, dict):
        yield Flaw(table, "", f"must be a table of keys and values, got {quoted(raw)}")
        return
    fields = _fields(form)
    for key in raw:
        if key not in fields:
            yield Flaw(table, key, f"unknown key {shown(key)}; {_known(key, fields)}")
    for name, field in fields.items():
        if name not in raw:
            if field.required:
                yield Flaw(table, "", f"missing key `{name}`")
            continue
        wanted = _type_of(field)
        if isinstance(wanted, type) and issubclass(wanted, Struct):
            yield from _flaws(raw[name], wanted, f"{table}.{name}" if table else name)
            continue
        try:
            msgspec.convert(raw[name], wanted)
        except msgspec.ValidationError:
            yield Flaw(table, name, _not_wanted(name, wanted, raw[name]))


@functools.cache
def _fields(form: type[Struct]) -> dict[str, FieldInfo]:
    return {field.name: field for field in msgspec.structs.fields(form)}


def _type_of(field: FieldInfo) -> Any:
    """The type that a written value must have: a key that may be left out is of type `wanted | None`."""
    arguments = get_args(field.type)
    return arguments[0] if type(None) in arguments else field.type


def _not_wanted(name: str, wanted: Any, value: object) -> str:
    if isinstance(wanted, type) and issubclass(wanted, StrEnum):
        what = re.sub(r"\B([A-Z])", r" \1", wanted.__name__).lower()
        return f"unknown {what} {quoted(value)}; {_known(str(value), list(wanted))}"
    description = next(meta.description for meta in reversed(wanted.__metadata__) if meta.description)
    return f"`{name}` must be {description}, got {quoted(value)}"


def _known(name: str, names: Iterable[str]) -> str:
    """The allowed names, or of a long list the nearest one."""
    known = list(names)
    near = difflib.get_close_matches(name, known, n=1) if len(known) > 20 else []
    return f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
