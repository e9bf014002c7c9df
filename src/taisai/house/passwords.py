"""Passwords: which are strong enough, and how they are hashed.

Enters: a password as it is typed. Leaves: an argon2id hash to store, whether a password matches one, or a sentence
about what is wrong with it. The work is the same whether an account exists or not. Serves R37.
"""

from __future__ import annotations

import asyncio
import unicodedata
from os import cpu_count
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError
from msgspec import Struct

LENGTH_MIN: Final = 10
LENGTH_MAX: Final = 256
"""Longer than anybody types, so that the cost of hashing is bounded."""
BESIDE_LOGIN_MIN: Final = 6
"""Characters that a password must have apart from the login."""
AT_ONCE: Final = 2
"""Hashes that are made at a time, at most; each takes 64 MiB."""
_WORST: Final = frozenset(
    {
        "0123456789", "0987654321", "1111111111", "1234567890", "12345678910", "1q2w3e4r5t", "1qaz2wsx3edc",
        "abcdefghij", "administrator", "changeme123", "iloveyou123", "letmein123", "password01", "password1!",
        "password12", "password123", "password1234", "passw0rd123", "q1w2e3r4t5", "qwerty1234", "qwerty12345",
        "qwertyuiop", "welcome123", "welcome1234", "taisai1234", "casino1234",
    }
)  # fmt: skip


class HashCost(Struct, frozen=True):
    """The cost of one hash."""

    rounds: int = 3
    memory_kib: int = 64 * 1024
    lanes: int = 1


def password_problem(login: str, password: str) -> str | None:
    """What is wrong with a new password, as a sentence; None when it is strong enough."""
    typed = _typed(password)
    if len(typed) < LENGTH_MIN:
        return f"A password needs at least {LENGTH_MIN} characters."
    if len(typed) > LENGTH_MAX:
        return f"A password may have at most {LENGTH_MAX} characters."
    plain = typed.casefold()
    if len(plain.replace(login.casefold(), "")) < BESIDE_LOGIN_MIN:
        return "A password must be more than the login with something added."
    if plain in _WORST or len(set(plain)) < 4:
        return "This password is too easy to guess."
    return None


def _typed(password: str) -> str:
    """The same characters, whichever keyboard they come from."""
    return unicodedata.normalize("NFKC", password)


class Passwords:
    """Hashes and compares passwords, away from the event loop, a few at a time.

    Anybody can make the house hash, so one processor is left for everything else wherever there are two.
    """

    def __init__(self, cost: HashCost | None = None, at_once: int | None = None) -> None:
        at_once = at_once or max(1, min(AT_ONCE, (cpu_count() or 1) - 1))
        cost = cost or HashCost()
        self._hasher = PasswordHasher(time_cost=cost.rounds, memory_cost=cost.memory_kib, parallelism=cost.lanes)
        self._slots = asyncio.Semaphore(at_once)
        self._nobody: str | None = None

    async def hashed(self, password: str) -> str:
        """The hash to store of a password."""
        async with self._slots:
            return await asyncio.to_thread(self._hasher.hash, _typed(password))

    async def matches(self, stored: str | None, password: str) -> bool:
        """Whether a password matches a stored hash. Without one, the same work is done and the answer is no."""
        async with self._slots:
            if self._nobody is None:
                self._nobody = await asyncio.to_thread(self._hasher.hash, "nobody")
            # A password longer than any valid one is cut, so that it costs no more than others.
            right = await asyncio.to_thread(self._verify, stored or self._nobody, _typed(password[: 2 * LENGTH_MAX]))
        return right and stored is not None

    def outdated(self, stored: str) -> bool:
        """Whether a hash was made at another cost than today's."""
        return self._hasher.check_needs_rehash(stored)

    def _verify(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (Argon2Error, InvalidHashError):
            return False
