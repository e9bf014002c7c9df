"""The journal `examples/floor.db`: a short evening at an automatic table, which the pages of docs/ look into.

Leaves: examples/floor.db, its last signed head and the public half of its key (.head, .pub). The dice are chance, so
every run gives another evening; the pages rely on table T1, player ann and twelve rounds alone.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from taisai.client import Client, Refused

EXAMPLES: Final = Path(__file__).parent.parent / "examples"
ROUNDS: Final = 14
BETS: Final = ("small", "total:9", "double:4", "odd", "single:6", "big")
SETTINGS: Final = """
[demo]
enabled = true
[house]
name = "An example"
minimum_betting_ms = 0
purpose = "demo"
[log]
level = "error"
[[tables]]
name = "T1"
book = "rws-tai-sai-v6"
layout = "C"
mode = "automatic"
currency = "SGD"
denominations = [100, 500, 2500, 10000]
limits = { unit = 100, default = { min = 500, max = 500000 } }
float_count = { 100 = 2000, 500 = 2000, 2500 = 2000, 10000 = 2000 }
[tables.timing]
betting_ms = 500
after_close_ms = 1
tumbling_ms = 1
reveal_ms = 1
lit_ms = 1
paid_ms = 1
between_ms = 1
"""


async def play(address: str, player: str, first: int) -> None:
    """Bet on something else in each round."""
    async with Client(address) as client:
        seat = await client.sit_down(guest_at="T1", player=player)
        async with seat.table() as table:
            played = 0
            async for _ in table:
                if not table.takes_bets or table.view["round"]["number"] == played:
                    continue
                played = table.view["round"]["number"]
                if played > ROUNDS:
                    return
                try:
                    await table.bet(BETS[(played + first) % len(BETS)], 500 * (1 + played % 4))
                except Refused:
                    continue  # too late for this round


async def evening(address: str) -> None:
    """Two people at the table."""
    await asyncio.gather(play(address, "ann", 0), play(address, "bob", 2))


def main() -> None:
    """Play an evening and keep its journal."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "floor.toml").write_text(SETTINGS, encoding="utf-8")
        command = [sys.executable, "-m", "taisai", "serve", "--settings", "floor.toml"]
        command += ["--journal", "sqlite:///floor.db", "--listen", "127.0.0.1:0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
            try:
                assert process.stdout is not None
                found = re.search(r"http://[\d.]+:\d+", process.stdout.readline())
                assert found is not None
                asyncio.run(evening(found[0]))
            finally:
                process.terminate()
                process.communicate(timeout=60)
        for name in ("floor.db", "floor.db.head", "floor.db.pub"):
            shutil.copyfile(folder / name, EXAMPLES / name)


if __name__ == "__main__":
    main()
