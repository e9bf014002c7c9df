"""Single bytes of the file flipped at random: each is found, or changes nothing that can be read."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from taisai.journal import JournalError, SqliteJournal
from taisai.journal.verify import verify_file
from tests.journal.samples import closed_journal, content, copy_of

FLIPS = 100


def read_back(path: Path) -> tuple[object, ...]:
    """Everything that a journal vouches for, read from a file."""
    with SqliteJournal(path, read_only=True) as journal:
        return content(journal)[:5]  # nothing vouches for the key-value entries


@pytest.mark.parametrize("seed", range(6))
def test_a_flipped_byte_is_found_or_harmless(tmp_path: Path, seed: int) -> None:
    """A byte flipped anywhere is found, or every record, head, snapshot and checkpoint reads back the same."""
    chance = random.Random(seed)
    sound = closed_journal(tmp_path / "sound.db")
    original, wanted = sound.read_bytes(), read_back(sound)
    path = copy_of(sound, tmp_path / "flipped.db")
    found = 0
    for _ in range(FLIPS):
        # Every fourth flip is in the header or the schema, the rest anywhere.
        place = chance.randrange(len(original) if chance.random() < 0.75 else 4096)
        flipped = bytearray(original)
        flipped[place] ^= chance.randrange(1, 256)
        path.write_bytes(flipped)
        if list(verify_file(path)):
            found += 1
        else:
            assert read_back(path) == wanted, f"byte {place} became {flipped[place]}, and nothing was found"
    assert found > FLIPS // 10


@pytest.mark.parametrize("seed", range(3))
def test_a_damaged_page_is_found(tmp_path: Path, seed: int) -> None:
    """Pages overwritten with noise, zeros or each other, and files cut short, are found without a traceback."""
    chance = random.Random(seed)
    sound = closed_journal(tmp_path / "sound.db", 60)
    original = sound.read_bytes()
    path = copy_of(sound, tmp_path / "damaged.db")
    pages = len(original) // 4096
    assert pages > 20
    for page in range(pages):
        damaged = bytearray(original)
        place = slice(page * 4096, (page + 1) * 4096)
        match chance.randrange(4):
            case 0:
                damaged[place] = chance.randbytes(4096)
            case 1:
                damaged[place] = bytes(4096)
            case 2:
                other = (page + chance.randrange(1, pages)) % pages
                damaged[place] = original[other * 4096 : (other + 1) * 4096]
            case _:
                del damaged[page * 4096 + chance.randrange(4096) :]
        path.write_bytes(damaged)
        if not list(verify_file(path)):
            # A page of no use any more: older snapshots have been let go of.
            try:
                assert read_back(path) == read_back(sound)
            except JournalError as error:
                raise AssertionError(f"page {page} is damaged, and nothing was found") from error
