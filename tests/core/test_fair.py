"""Fair virtual dice: every roll equally likely, fixed by the commitment, worked out again by anybody."""

from __future__ import annotations

import subprocess
from collections import Counter
from hashlib import sha256
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taisai.core.dice import ALL_ROLLS
from taisai.core.fair import commitment_of, draw_from, hex_of, mix_of, opening_of, roll_among, roll_from, secret_of
from taisai.core.faults import InputFault

SECRET = bytes(range(32))
OPENING = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"


def test_a_commitment_is_the_hash_of_the_lines_that_are_documented() -> None:
    """Domain, opening, round and table, one under the other without a last newline, as any tool hashes them."""
    for form in (1, 2):
        text = f"taisai dice {form} commitment\n{OPENING}\n12\nT1"
        hashed = subprocess.run(["sha256sum"], input=text.encode(), capture_output=True, check=True).stdout
        assert commitment_of(SECRET, "T1", 12, form) == hashed.split()[0].decode()
    assert commitment_of(SECRET, "T1", 12) == commitment_of(SECRET, "T1", 12, 2)


def test_the_mix_is_the_hash_of_what_players_brought_in_sorted_order() -> None:
    """One line each under the domain; who brings it first makes no difference, and what is no contribution a fault."""
    one, two = "1" * 32, "0f" * 16
    text = f"taisai dice 2 mix\n{two}\n{one}"
    hashed = subprocess.run(["sha256sum"], input=text.encode(), capture_output=True, check=True).stdout
    assert mix_of([one, two]) == mix_of([two, one]) == hashed.split()[0].decode()
    assert mix_of([]) == sha256(b"taisai dice 2 mix").hexdigest()
    assert len({mix_of([]), mix_of([one]), mix_of([one, one]), mix_of([two])}) == 4
    for bad in ("", "1" * 31, "1" * 33, "A" * 32, f"{one}\n"):
        with pytest.raises(InputFault, match=r"^contribution: needs 32 hexadecimal digits"):
            mix_of([bad])


def test_each_contribution_moves_the_roll() -> None:
    """With one secret, every player's part gives another roll: over many, all 216 are seen about equally often."""
    counted = Counter(roll_from(SECRET, "T1", 1, [f"{each:032x}", "a" * 32]).index for each in range(21_600))
    assert 165.344 < sum(each * each for each in counted.values()) / 100 - 21_600 < 272.162


def test_another_form_is_refused() -> None:
    """Only the forms that are documented are known."""
    with pytest.raises(InputFault, match=r"^form: 1 and 2 are known"):
        roll_from(SECRET, "T1", 1, form=3)


def test_a_roll_is_the_first_byte_below_216_of_the_blocks_that_are_documented() -> None:
    """For many rounds: the byte's place counts 36 for die one, 6 for die two, 1 for die three."""
    passed_over = 0
    for number in range(1, 500):
        for form, mixed in ((1, ""), (2, mix_of(["b" * 32]) + "\n")):
            block = sha256(f"taisai dice {form} roll\n{OPENING}\n{mixed}{number}\n0\nT1".encode()).digest()
            byte = next(byte for byte in block if byte < 216)
            passed_over += block[0] != byte
            faces = (byte // 36 + 1, byte // 6 % 6 + 1, byte % 6 + 1)
            assert roll_from(SECRET, "T1", number, ["b" * 32], form).faces == faces
    assert passed_over > 0


def test_over_one_byte_each_roll_has_exactly_one_value() -> None:
    """Of the 256 values of a byte 216 give each roll once, and 40 give none: no roll is likelier than another."""
    given_by = Counter(roll_among([bytes([byte, 255]), b"\x00"]) for byte in range(216))
    assert given_by == dict.fromkeys(ALL_ROLLS, 1)
    for byte in range(216, 256):
        for next_byte in (0, 77, 215):
            assert roll_among([bytes([byte]), bytes([next_byte])]) is ALL_ROLLS[next_byte]


def test_over_two_bytes_the_rolls_stay_equally_likely() -> None:
    """All 65,536 pairs of bytes: the pairs that decide give every roll the same number of times."""
    decided = [pair for pair in product(range(256), repeat=2) if min(pair) < 216]
    counted = Counter(roll_among([bytes(pair)]).index for pair in decided)
    assert set(counted.values()) == {256 + 40}
    assert len(counted) == 216


def test_a_block_without_a_deciding_byte_is_followed_by_the_next() -> None:
    """Bytes of 216 and more are passed over, however many there are."""
    assert roll_among([b"\xff" * 32, b"\xd8" * 32, b"\xd8\xd7\x00"]) is ALL_ROLLS[215]


@given(
    secret=st.binary(min_size=32, max_size=32),
    other=st.binary(min_size=32, max_size=32),
    table=st.text(max_size=12),
    number=st.integers(1, 10**9),
)
def test_a_commitment_fits_one_secret_one_table_and_one_round(
    secret: bytes, other: bytes, table: str, number: int
) -> None:
    """Whatever of the three is another, the commitment is another; the same three give the same, always."""
    commitment = commitment_of(secret, table, number)
    assert commitment == commitment_of(secret_of(opening_of(secret)), table, number)
    assert commitment != commitment_of(secret, table, number + 1)
    assert commitment != commitment_of(secret, table + "x", number)
    assert commitment != commitment_of(secret, f"{number}\n{table}", number)
    assert (commitment == commitment_of(other, table, number)) == (secret == other)
    assert roll_from(secret, table, number) is roll_from(secret, table, number)


def test_one_secret_gives_other_rolls_at_other_tables_and_rounds() -> None:
    """The roll follows from table and round too, so that no secret can serve twice."""
    assert len({roll_from(SECRET, "T1", number) for number in range(1, 200)}) > 100
    assert len({roll_from(SECRET, f"T{number}", 1) for number in range(1, 200)}) > 100


def test_a_name_that_is_no_proper_text_is_hashed_all_the_same() -> None:
    """A table's name from a broken terminal gives a commitment, not an error."""
    assert commitment_of(SECRET, "\udcff", 1) != commitment_of(SECRET, "?", 1)


@pytest.mark.parametrize("text", ["", "00", "0" * 63, "0" * 65, "G" * 64, "A" * 64, f"{'0' * 64}\n", "٠" * 64])
def test_what_is_not_64_hexadecimal_digits_is_refused_by_its_field(text: str) -> None:
    """A fault names the field: too short, too long, capitals, other digits, a newline at the end."""
    with pytest.raises(InputFault, match=r"^opening: needs 64 hexadecimal digits"):
        secret_of(text)
    with pytest.raises(InputFault, match=r"^--commitment: needs 64"):
        hex_of(text, "--commitment")


@pytest.mark.parametrize("secret", [b"", bytes(31), bytes(33)])
def test_a_secret_has_32_bytes(secret: bytes) -> None:
    """No other length is taken, for a commitment or for a roll."""
    for make in (commitment_of, roll_from):
        with pytest.raises(InputFault, match=r"^secret: needs 32 bytes"):
            make(secret, "T1", 1)


@pytest.mark.parametrize("number", [0, -1])
def test_rounds_are_numbered_from_one(number: int) -> None:
    """There is no round 0, so nothing is committed for one."""
    for make in (commitment_of, roll_from):
        with pytest.raises(InputFault, match=r"^round: rounds are numbered from 1"):
            make(SECRET, "T1", number)


def test_a_draw_is_the_first_number_of_the_documented_hash() -> None:
    """Eight bytes of the hash of the documented lines, less all whole rounds of the weights, fall to a row."""
    mix = mix_of(["0f" * 16])
    for number in range(1, 40):
        text = f"taisai dice 2 draw\n{OPENING}\n{mix}\n{number}\n0\nT1"
        left = int.from_bytes(sha256(text.encode()).digest()[:8], "big") % 10
        assert draw_from(SECRET, "T1", number, ["0f" * 16], [3, 2, 5]) == (0 if left < 3 else 1 if left < 5 else 2)


def test_draws_come_as_often_as_their_weights_say() -> None:
    """Over many rounds each row comes about as often as its weight; a draw tells nothing of the roll."""
    drawn = Counter(draw_from(SECRET, "T1", number, (), [1, 3]) for number in range(1, 4001))
    assert 900 < drawn[0] < 1100
    both = Counter(
        (draw_from(SECRET, "T1", number, (), [1, 1]), roll_from(SECRET, "T1", number).total > 10)
        for number in range(1, 4001)
    )
    assert min(both.values()) > 900
