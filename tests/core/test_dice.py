"""Three dice: 216 rolls, their totals, and the ways people write them."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taisai.core.dice import ALL_COMBINATIONS, ALL_ROLLS, FACES, Roll, parse_roll, roll_of
from taisai.core.faults import InputFault
from tests.core.samples import ANYTHING, MANY, hostile_text, value_or_fault


@pytest.mark.clause("rws-tai-sai-v6 §2.2.1")
def test_there_are_216_rolls_of_three_six_faced_dice() -> None:
    """Every way that three six-faced dice can lie is there once, and nothing else is."""
    assert [roll.faces for roll in ALL_ROLLS] == list(product((1, 2, 3, 4, 5, 6), repeat=3))
    assert len(set(ALL_ROLLS)) == 216


@pytest.mark.clause("nz-division-9 §1.0")
@pytest.mark.parametrize(
    ("total", "ways"),
    # Counted by hand in every book on dice: 10 and 11 come 27 times in 216.
    list(zip(range(3, 19), (1, 3, 6, 10, 15, 21, 25, 27, 27, 25, 21, 15, 10, 6, 3, 1), strict=True)),
)
def test_the_total_is_the_sum_of_the_uppermost_faces(total: int, ways: int) -> None:
    """Each total comes up in as many ways as three faces add up to it."""
    assert sum(roll.total == total for roll in ALL_ROLLS) == ways
    assert all(roll.total == roll.faces[0] + roll.faces[1] + roll.faces[2] for roll in ALL_ROLLS)


def test_a_roll_knows_its_place() -> None:
    """The index is the place in the table, with die one counting 36, die two 6 and die three 1."""
    for place, roll in enumerate(ALL_ROLLS):
        one, two, three = roll.faces
        assert roll.index == place == (one - 1) * 36 + (two - 1) * 6 + three - 1


def test_there_are_56_combinations() -> None:
    """With the order of the dice left aside 56 rolls differ, and their turned forms make up all 216."""
    assert len(ALL_COMBINATIONS) == 56
    turned = [faces for roll in ALL_COMBINATIONS for faces in set(permutations(roll.faces))]
    assert sorted(turned) == [roll.faces for roll in ALL_ROLLS]


def test_what_a_roll_says_of_itself() -> None:
    """Triple, double, single and counts agree with counting the faces, on every roll."""
    for roll in ALL_ROLLS:
        counted = Counter(roll.faces)
        by_count = {count: face for face, count in counted.items()}
        assert roll.low_to_high == tuple(sorted(roll.faces))
        assert roll.is_triple == (3 in by_count)
        assert roll.double == by_count.get(2, by_count.get(3))
        assert roll.single == (by_count[1] if 2 in by_count else None)
        assert [roll.count(face) for face in range(8)] == [counted[face] for face in range(8)]


def test_rolls_are_equal_by_their_faces() -> None:
    """The order of the dice is part of a roll, so 1,2,2 and 2,1,2 are two rolls of one combination."""
    assert roll_of([1, 2, 2]) == roll_of([1, 2, 2])
    assert roll_of([1, 2, 2]) != roll_of([2, 1, 2])
    assert roll_of([1, 2, 2]).low_to_high == roll_of([2, 1, 2]).low_to_high


@pytest.mark.parametrize(
    "form", ["{},{},{}", "{}, {}, {}", "{} {} {}", " {}  {}\t{}\n", "{}-{}-{}", "{} - {} - {}", "{}{}{}"]
)
def test_every_way_of_writing_a_roll_is_read(form: str) -> None:
    """Each documented way of writing gives the roll back, for all 216."""
    for roll in ALL_ROLLS:
        assert parse_roll(form.format(*roll.faces)) is roll
        assert parse_roll(str(roll)) is roll


@pytest.mark.parametrize(
    ("text", "field", "words"),
    [
        ("", "dice", "needs three faces, got 0"),
        ("1", "dice", "needs three faces, got 1"),
        ("12", "dice", "needs three faces, got 1"),
        ("1 3", "dice", "needs three faces, got 2"),
        ("1,3,6,6", "dice", "needs three faces, got 4"),
        ("1,3,6,", "dice", "needs three faces, got 4"),
        ("1366", "dice", "needs three faces, got 1"),
        ("0,3,6", "dice[0]", "got '0'"),
        ("1,3,7", "dice[2]", "got '7'"),
        ("1,,6", "dice[1]", "got ''"),
        ("1,-3,6", "dice[1]", "got '-3'"),
        ("1 -3 6", "dice", "needs three faces, got 2"),
        ("1,3 6", "dice", "needs three faces, got 2"),
        ("1.0 3 6", "dice[0]", "got '1.0'"),
        ("1 3 ³", "dice[2]", "got '³'"),
        ("1 3 ٣", "dice[2]", "got '٣'"),
        ("one,3,6", "dice[0]", "got 'one'"),
        ("1 3 6\x00", "dice[2]", r"got '6\x00'"),
    ],
)
def test_what_is_not_three_faces_is_refused(text: str, field: str, words: str) -> None:
    """A fault names the field, the place of the die where it can, and what stood there."""
    with pytest.raises(InputFault) as caught:
        parse_roll(text)
    assert caught.value.field == field
    assert words in caught.value.reason


@pytest.mark.clause("nz-division-9 §4.2", "rws-tai-sai-v6 §2.2.1", "rws-tai-sai-v6 §3.8", "rws-open-cover-v3 §3.5")
@pytest.mark.parametrize("faces", [[], [1], [1, 3], [1, 3, 6, 6], [1, 3, 0], [1, 3, 7], [1, 3, [3, 4]], [1, 3, None]])
def test_each_of_three_dice_has_one_uppermost_face(faces: list[object]) -> None:
    """Fewer or more than three dice, a die without a face or with two of them, make no roll."""
    with pytest.raises(InputFault, match=r"^tumbler"):
        roll_of(faces, "tumbler")


@pytest.mark.parametrize("face", [True, 1.0, "1", b"1", 10**9, -1, float("nan")])
def test_a_face_is_a_whole_number_and_nothing_like_one(face: object) -> None:
    """A truth value, a fraction or a text is no face even if Python finds it equal to one."""
    with pytest.raises(InputFault) as caught:
        roll_of([3, face, 3])
    assert caught.value.field == "dice[1]"


@MANY
@given(st.lists(ANYTHING | st.sampled_from(FACES), max_size=5))
def test_hostile_faces_give_a_roll_or_a_fault(faces: list[object]) -> None:
    """Whatever the values are, three whole faces give their roll and everything else a fault."""
    found = value_or_fault(lambda: roll_of(faces))
    if isinstance(found, Roll):
        assert list(found.faces) == faces
    else:
        assert len(faces) != 3 or any(type(face) is not int or not 1 <= face <= 6 for face in faces)


@MANY
@given(hostile_text(form.format(*roll.faces) for roll in ALL_ROLLS[::7] for form in ("{},{},{}", "{} {} {}", "{}{}{}")))
def test_hostile_text_gives_a_roll_or_a_fault(text: str) -> None:
    """Whatever the text is, it is the roll that it plainly says or a fault in one line."""
    found = value_or_fault(lambda: parse_roll(text))
    if isinstance(found, Roll):
        said = [mark for mark in text if not mark.isspace() and mark not in ",-"]
        assert said == [str(face) for face in found.faces]


def test_a_long_text_is_quoted_short() -> None:
    """A megabyte where a face should be does not become a megabyte of message."""
    for text in ("1 2 " + "x" * 1_000_000, "1 " * 100_000, "1," + "2" * 1_000_000 + ",3"):
        with pytest.raises(InputFault) as caught:
            parse_roll(text)
        assert len(str(caught.value)) < 200
