"""Shifts of a table played out: everybody flat and always there, or the whole table with all that players do.

Enters: a job and the number of a block. Leaves: the tally of the block's shifts. Shifts of a block are played side by
side, one a lane. Where limits are broken, what is at risk comes from the core, the same for the same stakes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from taisai.analysis.risk.traffic import Excess, Group, TableRules
from taisai.analysis.simulate.draws import Purpose, Words, draw_rolls, happens, stream, threshold
from taisai.analysis.simulate.tally import ENDS, Tally, tally_shifts
from taisai.core.bets import Bet, PlayerId
from taisai.core.boxes import BoxName
from taisai.core.limits import OPPOSITE_BOXES, Per
from taisai.core.money import Chips
from taisai.core.rulebook import Rule

FLAT_BLOCK_ROUNDS: Final = 1 << 21
WHOLE_BLOCK_ROUNDS: Final = 1 << 17
"""Rounds of a block, about: as many whole shifts as fit, at least one; some hundredths of a second's work."""
CHUNK_ROUNDS: Final = 1 << 16
"""Rounds that the flat path works on at once, about: what fits the processor's cache."""
REMEMBERED_MOST: Final = 1 << 16
"""Sets of stakes whose shares are remembered."""
_VOID: Final = 216

_Walk = Callable[[NDArray[np.uint8]], tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]


@dataclass(frozen=True)
class Job:
    """A simulation as it is sent to whoever plays it."""

    rules: TableRules
    groups: tuple[Group, ...]
    boxes: tuple[BoxName, ...]
    """Of each bet of each player, in order of placing."""
    stakes: tuple[int, ...]
    """Of each bet, at the first step of the plan."""
    seats: tuple[int, ...]
    """The player of each bet."""
    owners: tuple[int, ...]
    """The group of each player."""
    pays: NDArray[np.int64]
    """By roll, and for a void round after the last: what one unit on each bet wins; -1 when it is lost."""
    void: int
    """The word under which a round is void."""
    seed: int
    shifts: int
    shift_rounds: int
    compiled: bool = False
    """Whether the kernels of the extra `fast` play it: faster where it is long, and the same to the last bit."""

    @property
    def block_shifts(self) -> int:
        """Shifts of a block."""
        return max(1, (FLAT_BLOCK_ROUNDS if self.is_flat else WHOLE_BLOCK_ROUNDS) // self.shift_rounds)

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return -(-self.shifts // self.block_shifts)

    @property
    def is_flat(self) -> bool:
        """Whether every round has the same bets."""
        return not self.void and all(
            len(group.steps) == 1 and group.attendance == 1 and not group.leaves for group in self.groups
        )

    def groups_seats(self) -> list[list[int]]:
        """The players of each group."""
        return [[seat for seat, owner in enumerate(self.owners) if owner == place] for place in range(len(self.groups))]

    def lanes(self, block: int) -> int:
        """Shifts of one block; the last may have fewer."""
        return min(self.block_shifts, self.shifts - block * self.block_shifts)


def play_block(job: Job, block: int) -> Tally:
    """Play the shifts of a block."""
    lanes = job.lanes(block)
    drawn = draw_rolls(stream(job.seed, Purpose.ROLLS, block, compiled=job.compiled), lanes * job.shift_rounds)
    rolls = drawn.reshape(lanes, job.shift_rounds)
    return play_flat(job, rolls) if job.is_flat else play_whole(job, block, rolls)


def play_flat(job: Job, rolls: NDArray[np.uint8]) -> Tally:
    """Every round has the same bets: count the rolls of each shift, and walk along for the worst moment."""
    at_risk = np.array(_shares(job, job.stakes), dtype=np.int64)
    by_bet = job.pays[:_VOID] * at_risk
    firsts = _firsts(job)
    by_seat = np.add.reduceat(by_bet, firsts, axis=1)
    house = -by_seat.sum(axis=1)
    # Players with the same at risk in the same boxes have the same results: one column for all of them.
    distinct: dict[bytes, int] = {}
    column = [distinct.setdefault(each.tobytes(), len(distinct)) for each in by_seat.T]
    alike = by_seat[:, [column.index(place) for place in range(len(distinct))]]
    seat_risk = np.add.reduceat(at_risk, firsts)
    lanes, rounds = rolls.shape
    # Whole numbers under 2^53 are exact as floats, and floats multiply in the processor's fastest way.
    fits = int(np.abs(by_seat).max(initial=0)) * rounds < 1 << 53
    factors = alike.astype(np.float64) if fits else alike
    step = max(1, CHUNK_ROUNDS // rounds)
    counts = np.zeros(_VOID, dtype=np.int64)
    results = np.empty((lanes, alike.shape[1]), dtype=np.int64)
    worst = np.empty(lanes, dtype=np.int64)
    walk = _walker(job, house, step, apart=alike.shape[1] > 1)
    for start in range(0, lanes, step):
        each, ends, deepest = walk(rolls[start : start + step])
        counts += each.sum(axis=0)
        worst[start : start + step] = np.maximum(-deepest, 0)
        if alike.shape[1] == 1:
            # What the house won is what they lost, each as much.
            results[start : start + step, 0] = ends // -by_seat.shape[1]
        else:
            results[start : start + step] = (each.astype(factors.dtype) @ factors).astype(np.int64)
    nets = results[:, column]
    wins = -nets.sum(axis=1)
    tally = tally_shifts(
        job.groups_seats(),
        wins=wins,
        worst=worst,
        turnover=np.full(lanes, int(seat_risk.sum()) * rounds, dtype=np.int64),
        rolls=counts,
    )
    tally.rounds = lanes * rounds
    tally.cut = lanes * rounds if (at_risk != np.array(job.stakes)).any() else 0
    for group, seats in zip(tally.groups, job.groups_seats(), strict=True):
        own = nets[:, seats]
        visits = np.full(lanes, len(seats), dtype=np.int64)
        nobody = np.zeros(lanes, dtype=np.int64)
        group.add(
            won=own.sum(axis=1),
            risked=np.full(lanes, int(seat_risk[seats].sum()) * rounds, dtype=np.int64),
            played=visits * rounds,
            visits=visits,
            ahead=(own > 0).sum(axis=1),
            ends=[visits if name == "shift" else nobody for name in ENDS],
        )
    return tally


def _walker(job: Job, house: NDArray[np.int64], step: int, *, apart: bool) -> _Walk:
    """Walks along some shifts: how often each roll fell (in all, or `apart` for each shift), the end, the lowest."""
    if job.compiled:
        from taisai.analysis.simulate.compiled import walk  # noqa: PLC0415 - an extra, and heavy

        return lambda rolls: walk(rolls, house, apart)
    rounds = job.shift_rounds
    path, places = np.empty((step, rounds), dtype=np.int64), np.empty((step, rounds), dtype=np.intp)
    offsets = (np.arange(step, dtype=np.intp) * _VOID)[:, None]

    def plainly(rolls: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        size = len(rolls)
        along, place = path[:size], places[:size]
        np.copyto(place, rolls)
        # Every place is in range, so "clip" changes none; it only spares a second check, and a copy of the result.
        np.take(house, place, out=along, mode="clip")
        np.cumsum(along, axis=1, out=along)
        if apart:
            place += offsets[:size]
        rows = size if apart else 1
        each = np.bincount(place.ravel(), minlength=rows * _VOID).reshape(rows, _VOID)
        return each, along[:, -1], along.min(axis=1)

    return plainly


def _firsts(job: Job) -> list[int]:
    """The place of each player's first bet."""
    return [place for place, seat in enumerate(job.seats) if place == 0 or job.seats[place - 1] != seat]


def _shares(job: Job, stakes: tuple[int, ...]) -> tuple[int, ...]:
    """What is at risk of these stakes, by the core; a stake of 0 is no bet."""
    bets = [
        Bet(PlayerId(str(seat)), box, Chips(stake))
        for seat, box, stake in zip(job.seats, job.boxes, stakes, strict=True)
        if stake
    ]
    shares = iter(job.rules.at_risk(bets))
    return tuple(next(shares) if stake else 0 for stake in stakes)


class _Limits:
    """The limits of a table over many lanes: finds where they are broken, and asks the core what is then at risk."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.known: dict[bytes, NDArray[np.int64]] = {}
        limits, book = job.rules.limits, job.rules.book
        refusing = job.rules.excess is Excess.REFUSED
        places: dict[BoxName, list[int]] = {}
        for place, box in enumerate(job.boxes):
            places.setdefault(box, []).append(place)
        self.maximums: list[tuple[list[int], int]] = []
        self.minimums: list[tuple[int, int]] = []
        self.pairs: list[tuple[list[int], list[int], int]] = []
        # Bets are refused in order of placing: one that fits at the close may not have fitted when it was placed.
        self.in_order = refusing
        if limits is None:
            return
        for box, bets in places.items():
            least, most, per = limits.of(box)
            if most is not None:
                self.maximums += [([bet], most) for bet in bets] if per is Per.PLAYER else [(bets, most)]
            if refusing and least:
                self.minimums += [(bet, least) for bet in bets]
        if book.has(Rule.DIFFERENTIAL):
            for pair, differential in limits.differential.items():
                one, two = (places.get(box, []) for box in OPPOSITE_BOXES[pair])
                self.pairs.append((one, two, differential))

    def apply(self, stakes: NDArray[np.int64]) -> NDArray[np.bool_] | None:
        """Put what is at risk in place of the stakes (bets by lanes); where something was taken off, or None."""
        if not (self.maximums or self.minimums or self.pairs):
            return None
        broken = np.zeros(stakes.shape[1], dtype=np.bool_)
        for bets, most in self.maximums:
            broken |= stakes[bets].sum(axis=0) > most
        for bet, least in self.minimums:
            broken |= (stakes[bet] > 0) & (stakes[bet] < least)
        for one, two, differential in self.pairs:
            sides = stakes[one].sum(axis=0), stakes[two].sum(axis=0)
            if self.in_order:
                broken |= np.maximum(*sides) > differential
            else:
                broken |= np.abs(sides[0] - sides[1]) > differential
        if not broken.any():
            return None
        lanes = np.flatnonzero(broken)
        rows = np.ascontiguousarray(stakes[:, lanes].T)
        data, size = rows.tobytes(), rows.itemsize * rows.shape[1]
        shares = [
            self._known(data[at * size : (at + 1) * size], row) for at, row in zip(range(len(rows)), rows, strict=True)
        ]
        stakes[:, lanes] = np.array(shares).T
        cut: NDArray[np.bool_] = np.zeros_like(broken)
        cut[lanes] = (rows != stakes[:, lanes].T).any(axis=1)
        return cut

    def _known(self, key: bytes, row: NDArray[np.int64]) -> NDArray[np.int64]:
        shares = self.known.get(key)
        if shares is None:
            if len(self.known) >= REMEMBERED_MOST:
                self.known.clear()
            shares = self.known[key] = np.array(_shares(self.job, tuple(row.tolist())), dtype=np.int64)
        return shares


class _Seats:
    """The players of every lane: who is there, at which step of the plan, how far ahead, for how long."""

    def __init__(self, job: Job, lanes: int) -> None:
        groups = [job.groups[owner] for owner in job.owners]
        shape = len(groups), lanes
        steps = [group.steps for group in groups]
        widest = max(map(len, steps))
        padded = [[*each, *([each[-1]] * (widest - len(each)))] for each in steps]
        self.factors = np.array([[step.factor for step in row] for row in padded], dtype=np.int64).ravel()
        self.on_win = np.array([[step.on_win for step in row] for row in padded], dtype=np.int64).ravel()
        self.on_loss = np.array([[step.on_loss for step in row] for row in padded], dtype=np.int64).ravel()
        self.row = (np.arange(len(groups), dtype=np.int64) * widest)[:, None]
        self.is_flat = widest == 1
        never = np.iinfo(np.int64).max
        self.staked = _column([group.staked for group in groups])
        self.bankroll = _column([never // 4 if group.bankroll is None else group.bankroll for group in groups])
        self.target = _column([never if group.stop_win is None else group.stop_win for group in groups])
        self.stop = _column([-never if group.stop_loss is None else -group.stop_loss for group in groups])
        self.longest = _column([never if group.visit_rounds is None else group.visit_rounds for group in groups])
        self.refill = _column([never if group.refill is None else group.refill for group in groups])
        self.leaves = any(group.leaves for group in groups)
        self.absent_seats = [seat for seat, group in enumerate(groups) if group.attendance < 1]
        self.absence = _words([1 - groups[seat].attendance for seat in self.absent_seats])
        self.leaving_seats = [seat for seat, group in enumerate(groups) if group.walk_away]
        self.leaving = _words([groups[seat].walk_away for seat in self.leaving_seats])
        self.there = np.ones(shape, dtype=np.bool_)
        self.step = np.zeros(shape, dtype=np.int64)
        self.net = np.zeros(shape, dtype=np.int64)
        self.played = np.zeros(shape, dtype=np.int64)
        self.empty = np.zeros(shape, dtype=np.int64)
        # Over the whole shift, by player and lane.
        self.visits = np.ones(shape, dtype=np.int64)
        self.ahead = np.zeros(shape, dtype=np.int64)
        self.ends = np.zeros((len(ENDS), *shape), dtype=np.int64)
        self.won = np.zeros(shape, dtype=np.int64)
        self.risked = np.zeros(shape, dtype=np.int64)
        self.rounds = np.zeros(shape, dtype=np.int64)

    def seat(self) -> None:
        """New players sit down where seats have been empty for long enough."""
        if not self.leaves:
            return
        fresh = ~self.there & (self.empty <= 0)
        self.empty -= ~self.there
        self.there |= fresh
        self.visits += fresh
        for column in (self.step, self.net, self.played):
            column[fresh] = 0

    def settle(self, nets: NDArray[np.int64], played: NDArray[np.bool_]) -> None:
        """Book the results of those who played, and move their plans on."""
        self.net += nets
        self.won += nets
        self.played += played
        self.rounds += played
        if not self.is_flat:
            place = self.row + self.step
            self.step = np.where(nets > 0, self.on_win[place], np.where(nets < 0, self.on_loss[place], self.step))

    def leave(self, played: NDArray[np.bool_], source: Words) -> None:
        """Those who have had enough leave after a round they played."""
        if not self.leaves:
            return
        target = played & (self.net >= self.target)
        gone = target.copy()
        self.ends[1] += target
        factor = self.factors[self.row + self.step]
        ruined = played & ~gone & (self.bankroll + self.net < self.staked * factor)
        self.ends[0] += ruined
        gone |= ruined
        stopped = played & ~gone & (self.net <= self.stop)
        self.ends[2] += stopped
        gone |= stopped
        enough = self.played >= self.longest
        if self.leaving_seats:
            enough[self.leaving_seats] |= happens(source, self.leaving, self.net.shape[1])
        left = played & ~gone & enough
        self.ends[3] += left
        gone |= left
        if gone.any():
            self.ahead += gone & (self.net > 0)
            self.there &= ~gone
            self.empty = np.where(gone, self.refill, self.empty)

    def finish(self) -> None:
        """The shift is over."""
        self.ends[4] += self.there
        self.ahead += self.there & (self.net > 0)


def _column(values: list[int]) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)[:, None]


def _words(chances: list[Fraction]) -> NDArray[np.uint64]:
    return np.array([threshold(chance) for chance in chances], dtype=np.uint64)


def play_whole(job: Job, block: int, rolls: NDArray[np.uint8]) -> Tally:
    """The whole table: plans, players who come and go, limits and void rounds, round by round over all lanes."""
    lanes, rounds = rolls.shape
    seats, limits = _Seats(job, lanes), _Limits(job)
    voids, absences, leavings = (
        stream(job.seed, purpose, block) for purpose in (Purpose.VOIDS, Purpose.ATTENDANCE, Purpose.LEAVING)
    )
    void = np.array([job.void], dtype=np.uint64)
    firsts, bets_seats = _firsts(job), np.array(job.seats)
    stakes = np.array(job.stakes, dtype=np.int64)[:, None]
    pays = np.ascontiguousarray(job.pays.T)
    by_round = np.ascontiguousarray(rolls.T).astype(np.int64)
    house, worst = np.zeros(lanes, dtype=np.int64), np.zeros(lanes, dtype=np.int64)
    turnover = np.zeros(lanes, dtype=np.int64)
    voided = cut = 0
    counts = np.zeros(_VOID + 1, dtype=np.int64)
    for now in by_round:
        seats.seat()
        plays = seats.there
        if seats.absent_seats:
            plays = plays.copy()
            plays[seats.absent_seats] &= ~happens(absences, seats.absence, lanes)
        factor = plays.astype(np.int64) if seats.is_flat else seats.factors[seats.row + seats.step] * plays
        risk = stakes * factor[bets_seats]
        taken = limits.apply(risk)
        if job.void:
            is_void = happens(voids, void, lanes)[0]
            voided += int(is_void.sum())
            now = np.where(is_void, _VOID, now)  # noqa: PLW2901 - the roll of a void round counts for nothing
            plays = plays & ~is_void
            risk *= ~is_void
        if taken is not None:
            cut += int(taken.sum())
        counts += np.bincount(now, minlength=_VOID + 1)
        nets = np.add.reduceat(risk * pays[:, now], firsts, axis=0)
        by_seat = np.add.reduceat(risk, firsts, axis=0)
        seats.risked += by_seat
        turnover += by_seat.sum(axis=0)
        house -= nets.sum(axis=0)
        np.maximum(worst, -house, out=worst)
        seats.settle(nets, plays)
        seats.leave(plays, leavings)
    seats.finish()
    tally = tally_shifts(job.groups_seats(), wins=house, worst=worst, turnover=turnover, rolls=counts[:_VOID])
    tally.rounds, tally.voids, tally.cut = lanes * rounds, voided, cut
    for group, own in zip(tally.groups, job.groups_seats(), strict=True):
        group.add(
            won=seats.won[own].sum(axis=0),
            risked=seats.risked[own].sum(axis=0),
            played=seats.rounds[own].sum(axis=0),
            visits=seats.visits[own].sum(axis=0),
            ahead=seats.ahead[own].sum(axis=0),
            ends=[ended[own].sum(axis=0) for ended in seats.ends],
        )
    return tally
