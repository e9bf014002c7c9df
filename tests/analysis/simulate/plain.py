"""A block of a simulation played in plain Python, bet by bet, by the core's own settlement.

Of the package only the words of chance and the description of the job are used.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from taisai.analysis.risk.traffic import Group, Traffic
from taisai.analysis.session.exact import Plan
from taisai.analysis.simulate.draws import Purpose, draw_rolls, happens, stream, threshold
from taisai.analysis.simulate.table import Job
from taisai.core.bets import Bet, PlayerId
from taisai.core.dice import ALL_ROLLS
from taisai.core.money import Chips
from taisai.core.rulebook import Layout, RuleBook
from taisai.core.settlement import settle, settle_void
from tests.analysis.risk.brute import at_risk


@dataclass
class Seat:
    """One seat of one shift."""

    group: Group
    there: bool = True
    factor: int = 1
    net: int = 0
    played: int = 0
    wait: int = 0
    visits: int = 1
    won: int = 0
    risked: int = 0
    rounds: int = 0
    ahead: int = 0

    def __post_init__(self) -> None:
        self.ends = dict.fromkeys(("ruin", "target", "stop", "left", "shift"), 0)

    def sit_down(self) -> None:
        """The next player, if the seat was empty for long enough."""
        if self.there:
            return
        if self.wait > 0:
            self.wait -= 1
            return
        self.there, self.factor, self.net, self.played = True, 1, 0, 0
        self.visits += 1

    def book(self, net: int) -> None:
        """The result of a round played."""
        self.net += net
        self.won += net
        self.played += 1
        self.rounds += 1
        most = (self.group.stake_max or self.group.staked) // self.group.staked
        if self.group.plan is Plan.MARTINGALE and net:
            self.factor = 1 if net > 0 else min(2 * self.factor, most)
        if self.group.plan is Plan.DALEMBERT and net:
            self.factor = max(self.factor - 1, 1) if net > 0 else min(self.factor + 1, most)

    def go(self, *, walks: bool) -> None:
        """Leave, if there is a reason."""
        group = self.group
        end = None
        if group.stop_win is not None and self.net >= group.stop_win:
            end = "target"
        elif group.bankroll is not None and group.bankroll + self.net < group.staked * self.factor:
            end = "ruin"
        elif group.stop_loss is not None and self.net <= -group.stop_loss:
            end = "stop"
        elif walks or (group.visit_rounds is not None and self.played >= group.visit_rounds):
            end = "left"
        if end is not None:
            self.ends[end] += 1
            self.ahead += self.net > 0
            self.there = False
            self.wait = 10**9 if group.refill is None else group.refill


@dataclass
class Played:
    """One shift as it was played."""

    seats: list[Seat]
    win: int = 0
    behind: int = 0
    voids: int = 0
    cut: int = 0


def played(book: RuleBook, layout: Layout, traffic: Traffic, job: Job, block: int) -> list[Played]:
    """The shifts of a block."""
    lanes = job.lanes(block)
    rolls = draw_rolls(stream(job.seed, Purpose.ROLLS, block), lanes * job.shift_rounds).reshape(lanes, -1)
    voids, absences, leavings = (
        stream(job.seed, purpose, block) for purpose in (Purpose.VOIDS, Purpose.ATTENDANCE, Purpose.LEAVING)
    )
    players = [group for group in traffic.groups for _ in range(group.count)]
    absent = [seat for seat, group in enumerate(players) if group.attendance < 1]
    walking = [seat for seat, group in enumerate(players) if group.walk_away]
    found = [Played([Seat(group) for group in players]) for _ in range(lanes)]
    for number in range(job.shift_rounds):
        away = np.zeros((len(players), lanes), dtype=np.bool_)
        if absent:
            away[absent] = happens(absences, words([1 - players[seat].attendance for seat in absent]), lanes)
        is_void = happens(voids, words([traffic.void]), lanes)[0] if traffic.void else np.zeros(lanes, dtype=np.bool_)
        walks = np.zeros((len(players), lanes), dtype=np.bool_)
        if walking:
            walks[walking] = happens(leavings, words([players[seat].walk_away for seat in walking]), lanes)
        for lane, shift in enumerate(found):
            for seat in shift.seats:
                seat.sit_down()
            here = [place for place, seat in enumerate(shift.seats) if seat.there and not away[place, lane]]
            bets = [
                Bet(PlayerId(str(place)), box, Chips(stake * shift.seats[place].factor))
                for place in here
                for box, stake in shift.seats[place].group.bets
            ]
            risk = at_risk(book, traffic, bets)
            shift.cut += risk != [bet.stake for bet in bets]
            if is_void[lane]:
                shift.voids += 1
                assert settle_void(layout, bets).totals.returned == sum(bet.stake for bet in bets)
                continue
            nets = dict.fromkeys(here, 0)
            for ruling in settle(layout, ALL_ROLLS[int(rolls[lane, number])], bets, risk).rulings:
                place = int(ruling.bet.player)
                nets[place] += ruling.returned - ruling.bet.stake
                shift.seats[place].risked += ruling.at_risk
            for place, net in nets.items():
                shift.win -= net
                shift.seats[place].book(net)
                shift.seats[place].go(walks=bool(walks[place, lane]))
            shift.behind = max(shift.behind, -shift.win)
    for shift in found:
        for seat in shift.seats:
            seat.ends["shift"] += seat.there
            seat.ahead += seat.there and seat.net > 0
    return found


def words(chances: list[Fraction]) -> NDArray[np.uint64]:
    """Chances as words."""
    return np.array([threshold(chance) for chance in chances], dtype=np.uint64)
