"""`taisai verify`: one round from the command line, and every committed round of a journal."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from taisai.audit.openings import opened_wrong
from taisai.core.dice import Roll, parse_roll
from taisai.core.fair import commitment_of, roll_from
from taisai.core.rulebook import Fact
from taisai.floor.dealer import Stage
from taisai.floor.dice import Mischief
from taisai.journal import Batch, open_journal
from taisai.streams.codec import records_of
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.state import RoundPhase
from tests import ROOT
from tests.cli.running import printed, refused
from tests.floor.scripted import ScriptedDice
from tests.floor.simulated import DAN, House
from tests.table.driver import TAI_SAI

DOCUMENT = ROOT / "docs" / "fair-dice.md"
SECRET = bytes(range(32))
COMMITMENT, OPENING = commitment_of(SECRET, "T1", 12), SECRET.hex()
ROLL = roll_from(SECRET, "T1", 12)


def words(**changed: str) -> list[str]:
    """The words for one round, some of them changed."""
    given = {"table": "T1", "round": "12", "commitment": COMMITMENT, "opening": OPENING} | changed
    return [word for name, value in given.items() for word in (f"--{name}", value)]


def test_an_opening_that_fits_gives_its_dice(capfd: pytest.CaptureFixture[str]) -> None:
    """Exit code 0, with and without the dice that were shown, in any letters."""
    assert f"fits the commitment, and gives the dice {ROLL}" in printed(capfd, "verify", *words())
    assert str(ROLL) in printed(capfd, "verify", *words(dice=str(ROLL), commitment=COMMITMENT.upper()))
    found = json.loads(printed(capfd, "verify", *words(), "--json"))
    assert found == {"table": "T1", "round": 12, "fits": True, "dice": list(ROLL.faces), "dice_agree": True}


@pytest.mark.parametrize(
    "changed", [{"table": "T2"}, {"round": "13"}, {"opening": "0" * 64}, {"commitment": "0" * 64}], ids=str
)
def test_an_opening_that_does_not_fit_is_said(capfd: pytest.CaptureFixture[str], changed: dict[str, str]) -> None:
    """Another table, round, opening or commitment: exit code 1."""
    assert "does not fit" in printed(capfd, "verify", *words(**changed), code=1)
    assert json.loads(printed(capfd, "verify", *words(**changed), "--json", code=1))["fits"] is False


def test_other_dice_than_those_shown_are_said(capfd: pytest.CaptureFixture[str]) -> None:
    """The opening fits, and gives other dice than those that were shown: exit code 1."""
    other = "1,1,1" if str(ROLL) != "1,1,1" else "2,2,2"
    told = printed(capfd, "verify", *words(dice=other), code=1)
    assert "fits the commitment" in told
    assert f"others: {other}" in told


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"opening": "12"}, "--opening: needs 64 hexadecimal digits"),
        ({"commitment": "zz"}, "--commitment: needs 64 hexadecimal digits"),
        ({"dice": "1,7,1"}, "--dice[1]: a face is a whole number"),
        ({"round": "0"}, "--round: rounds are numbered from 1"),
    ],
    ids=str,
)
def test_what_cannot_be_read_is_named(capfd: pytest.CaptureFixture[str], changed: dict[str, str], says: str) -> None:
    """One line with the option that is wrong, exit code 2."""
    assert says in refused(capfd, "verify", *words(**changed))


def test_the_two_forms_are_not_mixed(capfd: pytest.CaptureFixture[str]) -> None:
    """Neither form, half of one, or both: one line says what to give."""
    assert "give a journal, or --table" in refused(capfd, "verify")
    assert "give a journal, or --table" in refused(capfd, "verify", "--table", "T1", "--round", "1")
    assert "--opening: a journal has its own" in refused(capfd, "verify", "floor.db", "--opening", OPENING)


# ------------------------------------------------------------------ a journal


def kept(tmp_path: Path, events: list[e.Event], name: str = "floor.db") -> str:
    """A journal file with these events."""
    file = tmp_path / name
    with open_journal(file) as journal:
        for seq, event in enumerate(events):
            journal.append([Batch("T1", seq, records_of(f"c{seq}", [event]))])
    return str(file)


@pytest.fixture(scope="module")
def shift() -> list[e.Event]:
    """Three rounds that were opened, one void before, one in play."""
    script: list[Roll | Mischief]
    script = [parse_roll("1,2,3"), Mischief.NOT_FLAT, parse_roll("6,6,6"), parse_roll("2,4,4"), parse_roll("1,1,5")]
    house = House(TAI_SAI, lambda: ScriptedDice(script)).rounds(4)
    return house.until(lambda: bool(house.state.round.stacks)).events()


def last(events: list[e.Event], kind: type, **fields: Any) -> list[e.Event]:
    """The events with the last one of a kind changed."""
    place = max(place for place, event in enumerate(events) if isinstance(event.what, kind))
    return [*events[:place], replace(events[place], what=replace(events[place].what, **fields)), *events[place + 1 :]]


def test_a_journal_whose_dice_are_all_proven(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, shift: list[e.Event]
) -> None:
    """Proven, void and unfinished rounds are counted; nothing is wrong, exit code 0."""
    file = kept(tmp_path, shift)
    told = printed(capfd, "verify", file)
    counts = "3 proven, 1 void, 0 void before the close, 0 withheld, 1 unfinished, 0 wrong"
    assert told.splitlines()[0] == f"5 rounds with committed dice: {counts}"
    assert "1 of 4 rounds with bets are void, their dice known: nothing shows that they favour the house" in told
    found = json.loads(printed(capfd, "verify", file, "--table", "T1", "--json"))
    assert [each["verdict"] for each in found["rounds"]] == ["proven", "void", "proven", "proven", "unfinished"]
    nothing = {"void before the close": 0, "withheld": 0, "wrong": 0}
    assert found["counts"] == {"proven": 3, "void": 1, "unfinished": 1, **nothing}
    assert (found["voids"]["rounds"], found["voids"]["void_rounds"], found["voids"]["favour_house"]) == (4, 1, False)
    assert found["rounds"][2]["dice"] == [6, 6, 6]


def test_one_round_of_a_journal_is_shown_in_full(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, shift: list[e.Event]
) -> None:
    """Commitment and opening are printed, and are what the other form takes."""
    file = kept(tmp_path, shift)
    told = printed(capfd, "verify", file, "--table", "T1", "--round", "3")
    assert "table T1, round 3: proven, dice 6,6,6" in told
    shown = dict(line.split() for line in told.splitlines() if line.startswith("  "))
    given = words(round="3", commitment=shown["commitment"], opening=shown["opening"], dice="6,6,6")
    assert "fits" in printed(capfd, "verify", *given)
    assert "opening       -" in printed(capfd, "verify", file, "--round", "5")


WRONG: list[tuple[type, dict[str, Any], str]] = [
    (e.DiceUncovered, {"opening": ""}, "round 4: wrong, dice 2,4,4: committed dice were uncovered without"),
    (e.DiceUncovered, {"opening": OPENING}, "does not fit the commitment"),
    (e.DiceOpened, {"contributions": ("0" * 32,)}, "the opening gives"),
    (e.RoundConcluded, {"dice": (2, 4, 5)}, "the opening gives (2, 4, 4)"),
    (e.DiceCommitted, {"round": 9}, "round 9: wrong: it was not committed right before it began"),
]


def test_a_round_that_is_not_as_committed_is_listed(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, shift: list[e.Event]
) -> None:
    """A mismatch is named with its round and its reason, exit code 1."""
    for place, (kind, fields, says) in enumerate(WRONG):
        file = kept(tmp_path, last(shift, kind, **fields), f"{place}.db")
        told = printed(capfd, "verify", file, code=1)
        assert says in told
        assert "1 wrong" in told


def test_commitments_made_twice_or_too_late_are_listed(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, shift: list[e.Event]
) -> None:
    """A second commitment of one round proves nothing, nor does one while bets are open."""
    place = next(place for place, event in enumerate(shift) if isinstance(event.what, e.DiceCommitted))
    twice = [*shift[: place + 1], *shift[place:]]
    assert "round 1: wrong: it was committed a second time" in printed(capfd, "verify", kept(tmp_path, twice), code=1)
    late = [*shift[:place], shift[place + 1], shift[place], *shift[place + 2 :]]
    assert "not committed right before" in printed(capfd, "verify", kept(tmp_path, late, "late.db"), code=1)


def test_a_round_or_table_that_is_not_there_is_said(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, shift: list[e.Event]
) -> None:
    """One line, exit code 2."""
    file = kept(tmp_path, shift)
    assert "--table: no table 'T9'; there are T1" in refused(capfd, "verify", file, "--table", "T9")
    assert "--round: no round 99 with committed dice" in refused(capfd, "verify", file, "--round", "99")
    assert str(tmp_path / "none.db") in refused(capfd, "verify", str(tmp_path / "none.db"))


def test_a_void_round_is_opened_or_it_is_withheld(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Void before its close and opened: shown with what it would have been. Never opened: named, exit code 1."""
    house = House(TAI_SAI).rounds(1).at(Stage.BETTING)
    house.hand(c.Report(Fact.EXPOSED), DAN)
    hidden = house.events()
    opened = house.rounds(1).events()
    told = printed(capfd, "verify", kept(tmp_path, opened))
    assert "1 void before the close, 0 withheld" in told
    one = printed(capfd, "verify", kept(tmp_path, opened, "one.db"), "--round", "2")
    assert "round 2: void before the close, dice would have been " in one
    told = printed(capfd, "verify", kept(tmp_path, hidden, "hidden.db"), code=1)
    assert "table T1, round 2: withheld" in told
    wrong = last(opened[: len(hidden) + 1], e.DiceOpened, opening=OPENING)
    assert "does not fit the commitment" in printed(capfd, "verify", kept(tmp_path, wrong, "wrong.db"), code=1)


def test_a_house_that_voids_what_it_would_lose_is_found(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """It opens every round, and voids each that any-triple would win just before the close."""
    triple, other = parse_roll("5,5,5"), parse_roll("1,2,4")
    house = House(TAI_SAI, lambda: ScriptedDice([triple, other] * 6), players=1)
    for _ in range(12):
        house.until(lambda: house.state.round.phase is RoundPhase.BETTING, bets=False)
        house.bet("p1", "any-triple", 100)
        if house.state.round.number % 2:
            house.hand(c.Report(Fact.EXPOSED), DAN)
        else:
            house.rounds(1, bets=False)
    told = printed(capfd, "verify", kept(tmp_path, house.rounds(0).events()), code=1)
    assert "the voids favour the house" in told


def test_a_round_without_its_book_is_counted(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """What cannot be tested for want of its rule book is said, not passed over."""
    events = [
        replace(each, what=replace(each.what, book="harbour-sic-bo")) if isinstance(each.what, e.TableSetUp) else each
        for each in House(TAI_SAI).rounds(3).events()
    ]
    told = printed(capfd, "verify", kept(tmp_path, events))
    assert "3 rounds could not be tested: their rule book is not at hand" in told


# ------------------------------------------------------------------ the document


def test_the_commands_of_the_document_print_what_it_shows() -> None:
    """Every `$` line of docs/fair-dice.md, run in a shell, gives the lines under it."""
    text = DOCUMENT.read_text(encoding="utf-8")
    ran = 0
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for command, expected in re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            here = command.replace("taisai verify", f"{sys.executable} -m taisai verify")
            done = subprocess.run(["bash", "-c", here], capture_output=True, text=True, check=True)
            assert done.stdout == expected
            ran += 1
    assert ran == 4


def test_the_vectors_of_the_document_are_right() -> None:
    """Table, round, opening, commitment and contributions of each row give its dice, by both implementations."""
    rows = re.findall(
        r"^\| `(.+?)` \| (\d+) \| `(\w+)` \| `(\w+)` \| (.*?)\| (\d,\d,\d) \|$",
        DOCUMENT.read_text("utf-8"),
        re.MULTILINE,
    )
    assert len(rows) == 4
    for table, number, opening, commitment, brought, dice in rows:
        contributions = re.findall(r"\w+", brought)
        faces = parse_roll(dice).faces
        assert roll_from(bytes.fromhex(opening), table, int(number), contributions).faces == faces
        assert opened_wrong(commitment, opening, table, int(number), faces, contributions=contributions) == ""


def test_the_lines_of_the_document_are_right() -> None:
    """The function of the document agrees with the core over many rounds, and refuses what does not fit."""
    (code,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    for number in range(1, 200):
        commitment = commitment_of(SECRET, "Tisch ü", number)
        brought = [f"{number:032x}", "f" * 32]
        faces = roll_from(SECRET, "Tisch ü", number, brought).faces
        assert names["fair"](commitment, OPENING, "Tisch ü", number, brought) == faces
    with pytest.raises(AssertionError, match="not what was committed to"):
        names["fair"](COMMITMENT, OPENING, "T1", 13, [])
