"""Passwords: which are strong enough, and hashes that match nothing."""

from __future__ import annotations

import asyncio

import pytest

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
