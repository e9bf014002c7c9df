"""A layout of a rule book, for one line of Python.

Enters: the name of a layout, dice and bets as people write them. Leaves: settlements with their clauses, odds, felts,
sessions, simulations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from taisai.books import Shelf, open_shelf
from taisai.core.bets import Bet, PlayerId, box_on, parse_bets
from taisai.core.dice import Roll, parse_roll, roll_of
from taisai.core.explain import clauses_behind, why
from taisai.core.faults import InputFault
from taisai.core.money import chips_of
from taisai.core.odds import bets_odds, layout_odds
from taisai.core.rulebook import Layout as Rules
from taisai.core.settlement import drawn_layout, settle
from taisai.felt import draw
from taisai.library.values import Line, Odds, Picture, Session, Settled, Together, needs

if TYPE_CHECKING:
    from taisai.analysis.simulate.report import Report

Dice: TypeAlias = str | Iterable[int] | Roll
"""Three dice: "1,3,6", "136", (1, 3, 6)."""
Bets: TypeAlias = str | Mapping[str, int]
"""Bets in minor units: {"small": 100} or "small=100 total:9=50"."""


@cache
def _shelf(book_dirs: tuple[str, ...]) -> Shelf:
    return open_shelf(book_dirs)


def layout(name: str, *, book_dirs: Iterable[str | Path] = ()) -> Layout:
    """A layout as BOOK/LAYOUT; `book_dirs` are folders with further rule books.

    >>> layout("rws-tai-sai-v6/C")
    <Layout rws-tai-sai-v6/C: 104 boxes>
    """
    shelf = _shelf(tuple(str(each) for each in book_dirs))
    return Layout(shelf, shelf.layout(name, "name"))


def layouts(*, book_dirs: Iterable[str | Path] = ()) -> tuple[str, ...]:
    """The names of all layouts at hand.

    >>> len(layouts())
    8
    """
    shelf = _shelf(tuple(str(each) for each in book_dirs))
    return tuple(each.name for book in shelf.ids for each in shelf.book(book).layouts.values())


class Layout:
    """A layout: its boxes, what they pay, and what can be asked of them."""

    def __init__(self, shelf: Shelf, rules: Rules) -> None:
        self._shelf = shelf
        self.rules = rules
        """The layout of `taisai.core`, for everything that is not here."""

    @property
    def name(self) -> str:
        """The full name, BOOK/LAYOUT."""
        return self.rules.name

    @property
    def boxes(self) -> tuple[str, ...]:
        """The names of its boxes."""
        return tuple(str(box) for box in self.rules.boxes)

    def settle(self, dice: Dice, bets: Bets, draw: str | None = None) -> Settled:
        """Settle bets on a roll: what each wins, why, and by which clauses; after a draw, where the layout draws odds.

        >>> layout("rws-tai-sai-v6/C").settle("1,3,6", {"small": 100, "total:10": 50})
        <Settled 1,3,6: staked 150, returned 550, net +400>
        """
        roll = _roll(dice)
        book = self._shelf.book(self.rules.book_id)
        rules = drawn_layout(self.rules, draw)
        rulings = settle(rules, roll, self._bets(bets)).rulings
        return Settled(
            roll,
            tuple(
                Line(
                    box=str(each.bet.box),
                    stake=int(each.bet.stake),
                    pays=rules.pays(each.bet.box, roll),
                    winnings=int(each.winnings),
                    returned=int(each.returned),
                    why=why(rules, roll, each),
                    clauses=clauses_behind(book, rules, roll, each, None, under_minimum=False),
                )
                for each in rulings
            ),
        )

    def odds(self) -> Odds:
        """The odds of every box: ways, probability, return, edge and variance as exact fractions.

        >>> layout("rws-tai-sai-v6/C").odds()["small"].edge
        Fraction(1, 36)
        """
        return Odds(self.name, layout_odds(self.rules))

    def together(self, bets: Bets) -> Together:
        """The odds of a set of bets played together.

        >>> layout("rws-tai-sai-v6/C").together("small=100 big=100").edge
        Fraction(1, 36)
        """
        return Together(bets_odds(self.rules, self._bets(bets)))

    def felt(
        self, *, lit: Dice | None = None, bets: Bets | None = None, labels: bool = False, heat: bool = False
    ) -> Picture:
        """The felt as a picture: lit for a roll, with chips, with names, or coloured by edge.

        >>> layout("rws-mini-dice-v3/A").felt(lit="1,3,6").svg[:4]
        '<svg'
        """
        roll = None if lit is None else _roll(lit)
        chips = () if bets is None else self._bets(bets)
        return Picture(draw(self.rules, roll=roll, bets=chips, labels=labels, heat=heat), self.name)

    def session(self, bets: Bets, rounds: int, *, bankroll: int | None = None, stop_win: int | None = None,
                stop_loss: int | None = None, plan: str = "flat", stake_max: int | None = None) -> Session:  # fmt: skip
        """What a player takes home from so many rounds: every result with its chance. Needs the extra `analysis`.

        >>> layout("rws-tai-sai-v6/C").session({"small": 100}, rounds=10)
        <Session rws-tai-sai-v6/C, 10 rounds: expected -27.78, ahead 34.33 %>
        """
        try:
            from taisai.analysis.session import exact  # noqa: PLC0415 - NumPy is an extra, and heavy
        except ImportError:
            raise needs("analysis", "session") from None
        if plan not in list(exact.Plan):
            raise InputFault("plan", f"one of {', '.join(exact.Plan)}, got {plan!r}")
        manner = exact.Manner(rounds, bankroll, stop_win, stop_loss, exact.Plan(plan), stake_max)
        game = exact.game_of(bets_odds(self.rules, self._bets(bets)))
        return Session(f"{self.name}, {rounds:,} rounds", exact.session(game, manner))

    def simulate(self, *, rounds: int, seed: int, players: int = 8, traffic: Mapping[str, Any] | None = None) -> Report:
        """A table played many shifts long, the same to the last bit for the same seed. Needs the extra `analysis`."""
        try:
            from taisai.analysis.risk import traffic as tables  # noqa: PLC0415 - NumPy is an extra, and heavy
            from taisai.analysis.simulate import report, run  # noqa: PLC0415 - as above
        except ImportError:
            raise needs("analysis", "simulate") from None
        people = (
            run.usual_traffic(self.rules, players) if traffic is None else tables.traffic_of(self.rules, dict(traffic))
        )
        rules = tables.rules_of(self._shelf.book(self.rules.book_id), people.limits, people.excess)
        job = run.job_of(self.rules, rules, people, rounds=rounds, seed=seed)
        return report.report_of(job, run.simulate(job))

    def _bets(self, bets: Bets) -> tuple[Bet, ...]:
        if isinstance(bets, str):
            return parse_bets(self.rules, bets)
        if not isinstance(bets, Mapping):
            raise InputFault("bets", f'write {{"small": 100}} or "small=100", got {type(bets).__name__}')
        return tuple(
            Bet(PlayerId("you"), box_on(self.rules, str(box), "bets"), chips_of(stake, f"bets {box}", at_least=1))
            for box, stake in bets.items()
        )

    def _repr_svg_(self) -> str:
        return self.felt().svg

    def __repr__(self) -> str:
        return f"<Layout {self.name}: {len(self.rules.boxes)} boxes>"


def _roll(dice: Dice) -> Roll:
    if isinstance(dice, Roll):
        return dice
    return parse_roll(dice) if isinstance(dice, str) else roll_of(tuple(dice))
