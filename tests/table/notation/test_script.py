"""The notation of a shift: what is written reads back, what is wrong is said in one line, golden shifts hold."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from taisai.books.duties import Duty
from taisai.core.faults import InputFault
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.notation.run import differences, run_shift
from taisai.table.notation.script import (
    BOOKS_DIGEST,
    CommandLine,
    PeopleLine,
    Remark,
    Script,
    Setting,
    StartLine,
    TableLine,
    format_command,
    format_shift,
    output_line,
    parse_line,
    parse_shift,
)
from taisai.table.people import Person, Role
from taisai.table.refusals import Code
from tests.golden import require_same
from tests.table.notation.dealt_shifts import DOCUMENT, FILES, HEAD, SHIFTS, dealt, run, shelf
from tests.table.strategies import ACTION_TYPES, EVENT_TYPES, actions, examples
from tools import bless_shifts

SETTING = Setting(
    table="T1",
    book="rws-tai-sai-v6",
    layout="A",
    people={"dan": Role.DEALER, "lee": Role.SUPERVISOR, "ann": Role.PLAYER},
    last_at=1_772_913_600_000_000,
    dealt=3,
)


# ------------------------------------------------------------------ golden shifts


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_shift_is_written_canonically(path: Path) -> None:
    """Formatting a golden shift gives its file back, to the last character."""
    text = path.read_text(encoding="utf-8")
    require_same(path.name, bless_shifts.GOLDEN.command, text, format_shift(parse_shift(text)))


@pytest.mark.parametrize("path", [path for path in FILES if path.stem == "refused"], ids=lambda path: path.parent.name)
def test_a_bad_shift_is_refused_line_by_line(path: Path) -> None:
    """In a bad shift every command is refused, but for those marked as needed to get there."""
    script, transcript = dealt(path)
    lines = [line for line in script.lines if isinstance(line, CommandLine)]
    for line, entry in zip(lines, transcript.entries, strict=True):
        assert (entry.refusal is None) == line.comment.startswith("# goes"), line


def test_each_book_has_good_and_bad_shifts() -> None:
    """Each of the four books has a normal shift, one of its voids and one in which everything is refused."""
    for book in shelf().ids:
        assert {"evening", "voids", "refused"} <= {path.stem for path in (SHIFTS / book).glob("*.shift")}


def test_the_shifts_use_every_action_and_show_every_event() -> None:
    """No action is without a shift that does it, no event without a line that tells it, no refusal without a case."""
    entries = [entry for path in FILES for entry in dealt(path)[1].entries]
    done = Counter(type(entry.command.do) for entry in entries if entry.refusal is None)
    seen = {type(event.what) for entry in entries for event in entry.events}
    codes = {entry.refusal.code for entry in entries if entry.refusal is not None}
    assert [each.__name__ for each in ACTION_TYPES if each not in done] == []
    # A shift has one book: tests of the handler and of the preparation of tables hold the change of editions.
    assert [each for each in EVENT_TYPES if each not in seen] == [e.EditionTaken]
    # The digest of a book would be in the sentence, and change with every word of the book; a round too old to be
    # reversed takes more than a hundred rounds; a shift does not say for which round something is meant. Each is held
    # by a test of its own.
    assert set(Code) - codes == {Code.WRONG_BOOK, Code.ROUND_OVER}


def test_the_shifts_void_by_every_reason() -> None:
    """Each void reason of each book occurs in one of its shifts."""
    voided = {
        (path.parent.name, event.what.why)
        for path in FILES
        for entry in dealt(path)[1].entries
        for event in entry.events
        if isinstance(event.what, e.RoundVoided) and path.parent.name in shelf().ids
    }
    ruled = {("rws-tai-sai-v6", "ruling")}
    assert {(book.id, why) for book in shelf().books() for why in book.procedure.voids} | ruled == voided


def test_the_shifts_hold_every_rule_of_the_table() -> None:
    """Each clause with duty rule or record that the table keeps is named by at least one shift."""
    held = {clause for path in FILES for clause in dealt(path)[0].holds}
    owed = {
        f"{book_id} §{clause}"
        for book_id in shelf().ids
        for clause, each in shelf().duties(book_id).items()
        if each.room == "table" and {Duty.RULE, Duty.RECORD} & set(each.duties)
    }
    assert sorted(owed - held) == []


# ------------------------------------------------------------------ reading back what was written


NAMES = st.one_of(st.sampled_from(["dan", "lee", "ann", "bob", "table", "is", "a b", "+", "because", ""]), st.text())
PERSONS = st.builds(Person, id=NAMES, role=st.sampled_from(Role))
WORDS = st.one_of(
    st.sampled_from(["", "plain words", "a # b", ' "', "because of", "two  spaces"]), st.text(max_size=500)
)


@pytest.mark.parametrize("kind", ACTION_TYPES, ids=lambda kind: str(kind.__struct_config__.tag))
@examples(25)
@given(data=st.data())
def test_every_command_reads_back_as_it_was(kind: type[c.Action], data: st.DataObject) -> None:
    """Formatting a command of any kind, with any people, ids, times and words, and parsing it gives the command."""
    command = c.Command(
        id=data.draw(st.one_of(st.just("4"), st.text(min_size=1, max_size=64))),
        at=data.draw(
            st.one_of(st.integers(SETTING.last_at - 10**12, SETTING.last_at + 10**12), st.integers(0, 10**19))
        ),
        by=data.draw(PERSONS),
        do=data.draw(actions(kind)),
        authorised_by=data.draw(st.one_of(st.none(), PERSONS)),
        reason=data.draw(WORDS),
    )
    text = format_command(command, SETTING)
    assert "\n" not in text
    assert parse_line(text, SETTING) == CommandLine(command)


LINES = st.one_of(
    st.builds(Remark, st.sampled_from(["", "# a remark", "#"])),
    st.builds(PeopleLine, st.lists(NAMES, min_size=1, max_size=3).map(tuple), st.sampled_from(Role)),
    st.builds(
        CommandLine,
        st.builds(
            c.Command,
            id=st.sampled_from(["1", "2", "x y"]),
            at=st.integers(0, 10**17),
            by=PERSONS,
            do=st.sampled_from(ACTION_TYPES).flatmap(actions),
            authorised_by=st.one_of(st.none(), PERSONS),
            reason=WORDS,
        ),
        st.lists(st.builds(output_line, st.sampled_from([">", "-", "!"]), st.text()), max_size=2).map(tuple),
        st.sampled_from(["", "# goes"]),
    ),
)


@examples(80)
@given(st.builds(TableLine, NAMES, NAMES, NAMES).filter(lambda line: bool(line.table)), st.lists(LINES, max_size=6))
def test_every_script_reads_back_as_it_was(head: TableLine, lines: list[Any]) -> None:
    """A whole script, with remarks, people, expectations and comments, is the same after formatting and parsing."""
    script = Script((head, StartLine(10**15, "# begins"), *lines))
    text = format_shift(script)
    assert parse_shift(text) == script
    assert format_shift(parse_shift(text)) == text


@examples(150)
@given(st.one_of(st.text(), st.text().map(lambda text: HEAD + text), st.text().map(lambda text: f"{HEAD}dan: {text}")))
@example(HEAD + 'dan: rule "\\ud800" x')
@example(HEAD + "dan: tumble " + "9" * 5000)
@example(HEAD + "@" + "9" * 31 + " dan: tumble 3")
@example(HEAD + "9999-12-31 23:59:59 dan: tumble 3\n00:00 dan: tumble 3\n00:00 dan: tumble 3")
@example("\ufeff" + HEAD)
def test_strange_text_is_a_fault_in_one_line(text: str) -> None:
    """Whatever the text, it is a script that reads back, or one line that names the place."""
    found: Script | str
    try:
        found = parse_shift(text, "x.shift")
    except InputFault as fault:
        found = str(fault)
    if isinstance(found, str):
        assert found.startswith("x.shift:")
        assert "\n" not in found
    else:
        assert parse_shift(format_shift(found)) == found


# ------------------------------------------------------------------ how people may write


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("ann:place-bet small 5", None),
        ("ann:  place-bet   small\t5  ", "ann: place-bet small 5"),
        ("ann: place-bet amount=5 box=small", "ann: place-bet small 5"),
        ("ann: place-bet small 5 call", "ann: place-bet small 5 how=call"),
        ("dan: place-bet ann small 5 call red", "dan: place-bet ann small 5 how=call colour=red"),
        ("ann: withdraw-bet small 5", "ann: withdraw-bet small amount=5"),
        ("dan: uncover 136", "dan: uncover 1,3,6"),
        ("lee: inspect-dice sound=no", "lee: inspect-dice not-sound"),
        ("lee: inspect-dice note=worn not-sound", "lee: inspect-dice not-sound note=worn"),
        ('lee: suspend-table "dark"', "lee: suspend-table dark"),
        ("dan+lee: amend-entry 3,3,4 because pressed 5  for 4  # hm", None),
        ('dan + lee: amend-entry 3,3,4 because "pressed 5"', "dan + lee: amend-entry 3,3,4 because pressed 5"),
        ('lee: set-limits "5..9 by 1,small 5..6"', 'lee: set-limits "5..9 by 1, small 5..6"'),
        ('lee: set-limits {"unit":1,"default":{"min":5,"max":9}}', None),
        ("dan: resolve-interruption none", "dan: resolve-interruption none"),
        ("dan/dealer: enter", "dan: enter"),
        ("dan/supervisor: enter", "dan/supervisor: enter"),
        ('"dan": enter', "dan: enter"),
        ("+1s dan: enter", "dan: enter"),
        ("+90s dan: enter", "20:01:30 dan: enter"),
        ("+1d1h1m1s dan: enter", "2026-03-08 21:01:01 dan: enter"),
        ("20:00 dan: enter", "20:00:00 dan: enter"),
        ("20:00:00.5 dan: enter", "20:00:00.5 dan: enter"),
        ("19:00 dan: enter", "2026-03-08 19:00:00 dan: enter"),
        ("2026-03-07T20:00:01 dan: enter", "dan: enter"),
        ("@0 dan: enter", "1970-01-01 00:00:00 dan: enter"),
        ("[4] dan: enter", "dan: enter"),
        ("[retry-7] dan: enter", "[retry-7] dan: enter"),
    ],
)
def test_people_write_freely_and_the_formatter_puts_it_right(written: str, canonical: str | None) -> None:
    """Spaces, order of keys, short dice, quotes, clock and offset: read as meant, written in one way."""
    try:
        line = parse_line(written, SETTING)
    except InputFault:
        assert canonical is None
        return
    assert isinstance(line, CommandLine)
    text = format_command(line.command, SETTING)
    if canonical is not None:
        assert text == canonical
    assert parse_line(text, SETTING) == CommandLine(line.command)


def test_a_time_is_a_second_after_the_last_unless_it_is_said() -> None:
    """The first command comes at the start, each further one a second later, and a clock time holds from there on."""
    text = (
        "table T under b/l\nstart 2026-03-07 23:59:58\ndan is dealer\ndan: enter\ndan: enter\ndan: enter\n"
        "00:05 dan: enter\n+1h dan: enter\ndan: enter\n"
    )
    first, *_ = times = [command.at // 1_000_000 for command in parse_shift(text).commands]
    assert [at - first for at in times] == [0, 1, 2, 302, 3902, 3903]


def test_remarks_blank_lines_and_comments_stay() -> None:
    """What people write for people is kept where it stands."""
    text = f"# top\n\n{HEAD}# before\n\ndan: open-bets  # beside\n  - expected\n\n# last\n"
    assert format_shift(parse_shift(text)) == text
    assert format_shift(parse_shift(text.replace("\n", "\r\n"))) == text


def test_a_person_takes_another_position_from_a_line_on() -> None:
    """Who is what holds from its line on, and can be said anew."""
    commands = parse_shift(HEAD + "dan: enter\ndan is supervisor\ndan: enter\n").commands
    assert [command.by.role for command in commands] == [Role.DEALER, Role.SUPERVISOR]


def test_the_digest_of_the_book_need_not_be_written() -> None:
    """A set-up without a digest means the book at hand; one with a digest means that one."""
    written = 'lee: set-up "5..9 by 1" SGD 1,5\n'
    (command,) = parse_shift(HEAD + written).commands
    assert isinstance(command.do, c.SetUp)
    assert command.do.digest == BOOKS_DIGEST
    assert run(written)[0].startswith("- table set up under rws-tai-sai-v6/A")
    assert run(f'lee: set-up digest={"f" * 64} "5..9 by 1" SGD 1,5\n')[0].startswith("! wrong-book: ")
    assert run('lee: set-up book=nz-division-9 "5..9 by 1" SGD 1,5\n')[0].startswith("! wrong-book: ")


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("", 1, "table T1 under BOOK/LAYOUT"),
        ("# nothing\n", 1, "table T1 under BOOK/LAYOUT"),
        ("dan: enter\n", 1, "before the first command"),
        ("table T1 under rws-tai-sai-v6\n", 1, "`table NAME under BOOK/LAYOUT`"),
        (HEAD + "table T2 under a/b\n", 5, "one table, and this one has T1"),
        (HEAD + "start tomorrow\n", 5, "`start DATE TIME`"),
        (HEAD + "start 2026-13-01 20:00\n", 5, "YYYY-MM-DD"),
        (HEAD + "start 1969-01-01 20:00\n", 5, "from 1970 on"),
        (HEAD + "dan: enter\nstart 2026-03-07 20:00\n", 6, "before the first command"),
        (HEAD + "bob is croupier\n", 5, "roles are player, dealer"),
        (HEAD + "bob is dealer too\n", 5, "`NAME is ROLE`"),
        (HEAD + "bob: enter\n", 5, "`bob is dealer` above, or bob/dealer"),
        (HEAD + "bob/croupier: enter\n", 5, "unknown role 'croupier'"),
        (HEAD + "dan\n", 5, "`NAME: verb …`"),
        (HEAD + "dan:\n", 5, "expected a verb after dan:"),
        (HEAD + "dan: amount=5\n", 5, "expected a verb after dan:"),
        (HEAD + "dan: opn-bets\n", 5, "did you mean open-bets"),
        (HEAD + "dan: xyzzy\n", 5, "there are set-up, assign-dealing, test-source"),
        (HEAD + "ann: place-bet small\n", 5, "place-bet needs amount; write place-bet BOX AMOUNT [how=…] [colour=…]"),
        (HEAD + "dan: place-bet small 500\n", 5, "place-bet needs amount; write place-bet PLAYER BOX AMOUNT"),
        (HEAD + "ann: place-bet small much\n", 5, "amount: expected a whole number, got 'much'"),
        (HEAD + "ann: place-bet small 0\n", 5, "amount: must be a whole number >= 1"),
        (HEAD + "ann: place-bet small 500 how=loudly\n", 5, "how: unknown value 'loudly'"),
        (HEAD + "ann: place-bet small 500 chips=3\n", 5, "place-bet has no chips; write place-bet"),
        (HEAD + f"ann: place-bet small 500 placed red {0:032} blue\n", 5, "'blue' is one word too many"),
        (HEAD + "ann: place-bet small 500 box=big\n", 5, "box is said twice"),
        (HEAD + "lee: inspect-dice\n", 5, "inspect-dice needs sound; write inspect-dice sound|not-sound"),
        (HEAD + "lee: inspect-dice sound not-sound\n", 5, "sound is said twice"),
        (HEAD + "lee: inspect-dice sound=maybe\n", 5, "sound: expected yes or no"),
        (HEAD + "dan: uncover 1,3\n", 5, "dice: must be a list of length 3, got 2"),
        (HEAD + "dan: uncover 1,3,7\n", 5, "must be a whole number <= 6"),
        (HEAD + "dan: uncover 1,3,x\n", 5, "dice: expected a whole number, got 'x'"),
        (HEAD + "lee: count-float 100\n", 5, "count: expected VALUExNUMBER,… or none"),
        (HEAD + "lee: count-float 100x1,100x2\n", 5, "count: 100 is said twice"),
        (HEAD + "lee: set-limits 5..9\n", 5, 'limits: expected "MIN..MAX by UNIT'),
        (HEAD + 'lee: set-limits "small 5..9"\n', 5, "got no MIN..MAX by UNIT"),
        (HEAD + "lee: set-limits {oops\n", 5, "limits: expected JSON"),
        (HEAD + 'lee: set-up "5..9 by 1" SGD 1 colours=red\n', 5, "colours: expected NAME:NUMBER,… or none"),
        (HEAD + 'lee: set-up "5..9 by 1" dollars 1\n', 5, "currency: must be a text of the form [A-Z]{3}"),
        (HEAD + 'lee: receive-dice "D1\\n"\n', 5, "dice-set: must be a text of the form"),
        (HEAD + "lee: receive-dice D#1\n", 5, "dice-set: must be a text of the form [A-Za-z0-9][A-Za-z0-9._@-]*"),
        (HEAD + 'lee: suspend-table "dark\n', 5, "a text in quotes"),
        (HEAD + 'lee: suspend-table "da\\rk\\q"\n', 5, "escapes as in JSON"),
        (HEAD + "dan: enter because\n", 5, "expected a reason after because"),
        (HEAD + 'dan: enter because "so\n', 5, "closing quote"),
        (HEAD + 'dan: enter because "so" and so\n', 5, "nothing after the reason"),
        (HEAD + "25:00 dan: enter\n", 5, "HH:MM:SS"),
        (HEAD + f"[{'x' * 65}] dan: enter\n", 5, "id: must be a text of length <= 64"),
        (HEAD + f"dan: enter because {'x' * 501}\n", 5, "reason: must be a text of length <= 500"),
        (HEAD + "  - output of nothing\n", 5, "expected a command before its output"),
        (HEAD + "dan: enter\n\n  - late\n", 7, "expected a command before its output"),
        (HEAD + "dan: enter\n  dan: enter\n", 6, "a line that begins with a space is output"),
    ],
)
def test_a_fault_names_the_line_and_what_was_expected(text: str, place: int, words: str) -> None:
    """What cannot be read is said in one line: where, and what was expected there."""
    with pytest.raises(InputFault) as fault:
        parse_shift(text, "bad.shift")
    assert str(fault.value).startswith(f"bad.shift:{place}: ")
    assert words in str(fault.value)
    assert "\n" not in str(fault.value)


# ------------------------------------------------------------------ running


def _documented() -> list[str]:
    """The shifts that the document shows whole."""
    parts = DOCUMENT.read_text(encoding="utf-8").split("```shift\n")[1:]
    return [part.partition("```")[0] for part in parts]


def test_the_documents_example_runs_as_printed() -> None:
    """The example of docs/shifts.md is canonical and gives the output that stands there."""
    examples_shown = _documented()
    assert examples_shown
    for text in examples_shown:
        script = parse_shift(text, DOCUMENT.name)
        assert format_shift(script) == text
        assert differences(script, run_shift(shelf().book, script)) == ()
