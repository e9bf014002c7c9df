"""How a golden test fails: with the difference, and the command that regenerates the file."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tools.golden import Golden, complaint, difference


def require_fresh(golden: Golden) -> None:
    """Fail unless every file is what its command would write."""
    if found := golden.complaint():
        pytest.fail(found, pytrace=False)


def require_same(name: str, command: str, kept: str, made: str) -> None:
    """Fail unless a text that is kept is the one that is made now."""
    require_none(name, command, difference(kept, made))


def require_none(name: str, command: str, differences: Iterable[str]) -> None:
    """Fail if there is any difference between what is kept and what is made now."""
    if lines := list(differences):
        pytest.fail(complaint(name, command, lines), pytrace=False)
