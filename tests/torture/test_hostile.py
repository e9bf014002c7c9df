"""The hostile soak in its short form: every kind of attack at once takes no bet from anybody, and no dealer's place."""

from __future__ import annotations

import pytest

from bench.hostile import KINDS, LEAST, soaked


@pytest.mark.slow
def test_players_and_dealers_are_served_while_everybody_attacks() -> None:
    """Slow senders, floods, guessers, junk, watchers: every bet of 64 players is done, and a dealer gets a connection.

    How long it takes is measured by `make bench BENCH=hostile`, not here: other tests run beside this one.
    """
    found = soaked(short=True)
    assert len(found.quiet) == len(found.hostile) == found.bets
    assert min(found.done[kind] for kind in KINDS) >= LEAST
