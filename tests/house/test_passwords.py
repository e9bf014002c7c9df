"""Passwords: which are strong enough, and hashes that match nothing."""

from __future__ import annotations

import asyncio
from unittest.mock import patch

import pytest

from taisai.house import passwords
from taisai.house.passwords import Passwords, password_problem
from tests.house.people import CHEAP


@pytest.mark.parametrize(
    ("password", "sentence"),
    [
        ("correct horse", None),
        ("a" * 9, "A password needs at least 10 characters."),
        ("correct horse" * 30, "A password may have at most 256 characters."),
        ("dandan12345", "A password must be more than the login with something added."),
        ("Password123", "This password is too easy to guess."),
        ("aaaaaaaaaaab", "This password is too easy to guess."),
    ],
)
def test_passwords_that_are_too_weak(password: str, sentence: str | None) -> None:
    """Passwords that are too short, too long, common or like the login are refused in a sentence."""
    assert password_problem("dan", password) == sentence


def test_a_damaged_hash_lets_nobody_in() -> None:
    """An invalid hash matches no password, and raises nothing."""
    assert not asyncio.run(Passwords(CHEAP).matches("$argon2id$nonsense", "password"))
    assert not asyncio.run(Passwords(CHEAP).matches(None, "nobody"))


@pytest.mark.parametrize(("processors", "at_once"), [(None, 1), (1, 1), (2, 1), (3, 2), (64, 2)])
def test_hashing_leaves_a_processor_for_the_tables(processors: int | None, at_once: int) -> None:
    """However many guess, so many hashes are made at a time that one processor is left."""

    async def run() -> int:
        made, most = 0, 0

        async def one() -> None:
            nonlocal made, most
            async with hashing._slots:
                made += 1
                most = max(most, made)
                await asyncio.sleep(0)
                made -= 1

        hashing = Passwords(CHEAP)
        await asyncio.gather(*(one() for _ in range(9)))
        return most

    with patch.object(passwords, "cpu_count", lambda: processors):
        assert asyncio.run(run()) == at_once
