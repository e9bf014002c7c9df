"""A bot of mixed temperament: it sits down as a guest of a demo table and plays a few rounds.

python examples/bot.py http://127.0.0.1:8000 TS-C --rounds 3
"""

from __future__ import annotations

import argparse
import asyncio
import random

from taisai.client import Client, Refused, Table

MOODS = ("cautious", "bold", "stubborn")


def wish(table: Table, mood: str, last: tuple[str, int]) -> tuple[str, int]:
    """The next bet: a little on an even chance, a lot on a long one, or the same as before."""
    least, room = 500, table.view["room"]
    if mood == "stubborn" and last[0] in room:
        return last
    boxes = [box for box in room if box in ("small", "big")] if mood == "cautious" else list(room)
    box = random.choice(boxes or list(room))
    most = table.funds if room[box] is True else min(room[box], table.funds)
    return box, min(least if mood == "cautious" else least * random.randint(1, 4), most // 100 * 100)


async def play(address: str, name: str, rounds: int) -> None:
    """Bet once in every round, and print the result."""
    async with Client(address) as client:
        seat = await client.sit_down(guest_at=name)
        async with seat.table() as table:
            chosen, number = ("", 0), 0
            async for _ in table:
                last = table.seat.get("last")
                if number and last and last["number"] == number:
                    print(f"round {number}: {table.results[-1]['call']}; {table.funds} in hand", flush=True)
                    number, rounds = 0, rounds - 1
                    if not rounds:
                        return
                if table.takes_bets and not number and table.funds:
                    mood = random.choice(MOODS)
                    chosen = wish(table, mood, chosen)
                    try:
                        number = table.round
                        await table.bet(*chosen, of_round=number)
                        print(f"round {number}: {mood}, {chosen[1]} on {chosen[0]}", flush=True)
                    except Refused as refused:
                        print(f"round {number}: {refused}", flush=True)
                        chosen, number = ("", 0), 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address")
    parser.add_argument("table")
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    asyncio.run(play(chosen.address, chosen.table, chosen.rounds))
