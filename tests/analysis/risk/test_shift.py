"""The house's side against brute force, against players' sessions, and against itself."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from taisai.analysis.risk import chain as house_chain
from taisai.analysis.risk import walk as house_walk
from taisai.analysis.risk.chain import chain_of, round_nets
from taisai.analysis.risk.shift import HouseResult, coarsened, house, quantile, rounds_of, value_at_risk
from taisai.analysis.risk.traffic import Excess, Group, Traffic, rules_of
from taisai.analysis.session.exact import Manner, Number, Plan, game_of, session
from taisai.analysis.session.free import Weights
from taisai.books import open_shelf
from taisai.core.bets import parse_bets
from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_ROLLS
from taisai.core.faults import InputFault
from taisai.core.limits import make_limits
from taisai.core.odds import bets_odds
from tests.analysis.risk.brute import Shift, shifts

SHELF = open_shelf(environment={})
BOOK = SHELF.book("rws-tai-sai-v6")
LAYOUT = SHELF.layout("rws-tai-sai-v6/C")


def group(bets: str, name: str = "", **habits: object) -> Group:
    """A group by its bets and habits."""
    pairs = tuple((bet.box, int(bet.stake)) for bet in parse_bets(LAYOUT, bets))
    return replace(Group(name or bets, pairs), **habits)  # type: ignore[arg-type] # habits by name


def computed(traffic: Traffic, hours: Fraction, **options: object) -> HouseResult:
    """A shift on layout C."""
    rules = rules_of(BOOK, traffic.limits, traffic.excess)
    return house(LAYOUT, rules, traffic, hours, **options)  # type: ignore[arg-type] # options by name


SMALL, BIG = group("small=200"), group("big=100 total:9=10")
LIMITS = make_limits(
    unit=10, default={"min": 10, "max": 1000}, kinds={"total": {"max": 20}}, differential={"big-small": 150}
)
TRAFFICS = {
    "flat": Traffic((replace(SMALL, count=2), BIG), 2),
    "comes and goes": Traffic((replace(SMALL, count=2, attendance=Fraction(1, 3)), BIG), 2),
    "void": Traffic((SMALL, BIG), 2, void=Fraction(1, 7)),
    "pro rata": Traffic((replace(SMALL, count=3), replace(BIG, count=3)), 2, limits=LIMITS),
    "pro rata, comes and goes": Traffic((replace(SMALL, count=2, attendance=Fraction(1, 2)), BIG), 2, limits=LIMITS),
    "refused": Traffic((BIG, replace(SMALL, count=2)), 2, limits=LIMITS, excess=Excess.REFUSED),
    "martingale": Traffic((BIG, group("odd=10", plan=Plan.MARTINGALE, stake_max=40)), 3, void=Fraction(1, 9)),
    "two plans": Traffic(
        (
            group("small=10", plan=Plan.MARTINGALE, stake_max=30, count=2),
            group("small=20 total:4=10", plan=Plan.DALEMBERT, stake_max=60),
        ),
        2,
    ),
    "plan that comes and goes": Traffic(
        (group("small=10", plan=Plan.DALEMBERT, stake_max=20, attendance=Fraction(3, 4)),), 3
    ),
    "plan under limits": Traffic((group("small=100", plan=Plan.MARTINGALE, stake_max=400),), 3, limits=LIMITS),
}


def is_near(one: Number, two: Number, within: float) -> bool:
    """Whether two numbers differ by no more; without rounding, so that 0 means the same."""
    return abs(Fraction(one) - Fraction(two)) <= within


def agree(result: HouseResult, every: list[Shift], within: float) -> None:
    """Every figure of a shift is that of brute force."""
    for values, chances, truth in (
        (result.nets, result.chances, [(each.win, each.chance) for each in every]),
        (result.worst, result.worst_chances, [(each.behind, each.chance) for each in every]),
    ):
        wanted: dict[int, Fraction] = {}
        for value, chance in truth:
            wanted[value] = wanted.get(value, Fraction(0)) + chance
        found = dict(zip(values, chances, strict=True))
        for value in wanted.keys() | found.keys():
            assert is_near(found.get(value, 0.0), wanted.get(value, 0.0), within)
    mean = sum((each.win * each.chance for each in every), Fraction(0))
    size = max(abs(each.win) for each in every)
    assert is_near(result.mean, mean, 10 * within * size)
    assert is_near(result.variance, sum(each.win**2 * each.chance for each in every) - mean**2, 99 * within * size**2)
    assert is_near(result.turnover, sum(each.turnover * each.chance for each in every), 10 * within * size)
    assert is_near(result.loss, sum(each.chance for each in every if each.win < 0), within)


@pytest.mark.parametrize("name", TRAFFICS)
def test_shift_is_that_of_brute_force(name: str) -> None:
    """Fractions equal those of every way a shift may go, and floats are as near as they claim."""
    traffic = TRAFFICS[name]
    every = list(shifts(BOOK, LAYOUT, traffic, traffic.rounds_per_hour))
    assert sum(each.chance for each in every) == 1
    exact = computed(traffic, Fraction(1), exact=True)
    agree(exact, every, 0)
    assert exact.error_bound == 0
    floats = computed(traffic, Fraction(1))
    agree(floats, every, floats.error_bound)
    assert 0 < floats.error_bound < 1e-12


@pytest.mark.parametrize("name", TRAFFICS)
def test_risk_is_that_of_the_definition(name: str) -> None:
    """Value at risk, shortfall and float are those of the ordered ways of a shift."""
    traffic = TRAFFICS[name]
    every = sorted(shifts(BOOK, LAYOUT, traffic, traffic.rounds_per_hour), key=lambda each: each.win)
    level, float_level = Fraction(937, 1000), Fraction(977, 1000)
    result = computed(traffic, Fraction(1), exact=True, level=level, float_level=float_level)
    losses = [-each.win for each in every]
    at_risk = min(loss for loss in losses if sum(each.chance for each in every if -each.win <= loss) >= level)
    assert result.value_at_risk == at_risk
    needed = min(
        each.behind for each in every if sum(one.chance for one in every if one.behind <= each.behind) >= float_level
    )
    assert result.float_needed == needed
    left, lost = 1 - level, Fraction(0)
    for each in every:  # the worst shifts, until their weight is used up
        taken = min(left, each.chance)
        lost, left = lost - each.win * taken, left - taken
    assert result.shortfall == lost / (1 - level)
    floats = computed(traffic, Fraction(1), level=level, float_level=float_level)
    assert (floats.value_at_risk, floats.float_needed) == (at_risk, needed)
    assert floats.shortfall == pytest.approx(float(result.shortfall), abs=1e-8)


def test_players_of_a_table_are_not_independent() -> None:
    """Two on opposite sides leave the house hardly any risk; two on one side have four times the variance of one."""
    one = computed(Traffic((SMALL,)), Fraction(1))
    same = computed(Traffic((replace(SMALL, count=2),)), Fraction(1))
    opposite = computed(Traffic((SMALL, group("big=200"))), Fraction(1))
    assert same.variance == pytest.approx(4 * float(one.variance), rel=1e-12)
    assert float(opposite.variance) < 0.2 * float(one.variance)
    assert opposite.loss == 0
    assert opposite.float_needed == 0


def test_house_wins_what_the_player_loses() -> None:
    """With one player the house's shift is the player's session with its sign turned, to the last digit."""
    odds = bets_odds(LAYOUT, parse_bets(LAYOUT, "small=200 total:9=10"))
    player = session(game_of(odds), Manner(80), exact=True)
    result = computed(Traffic((group("small=200 total:9=10"),)), Fraction(2), exact=True)
    assert result.rounds == 80
    assert result.nets == tuple(-net for net in reversed(player.nets))
    assert result.chances == player.chances[::-1]
    assert result.mean == -player.mean
    assert result.loss == player.ahead
    assert result.hold == odds.edge
    assert result.nets_by_roll == tuple(-each.net for each in odds.results)


@pytest.mark.parametrize("money", [1000, 3000, 6600])
def test_float_runs_out_when_the_player_reaches_his_target(money: int) -> None:
    """The chance that a float does not suffice is the player's chance to be so far ahead at some time."""
    odds = bets_odds(LAYOUT, parse_bets(LAYOUT, "small=200"))
    target = session(game_of(odds), Manner(320, stop_win=money + 200)).target
    result = computed(Traffic((SMALL,)), Fraction(8))
    out = sum(chance for value, chance in zip(result.worst, result.worst_chances, strict=True) if value > money)
    assert out == pytest.approx(float(target), abs=1e-12)


def test_float_covers_the_way_and_not_only_the_end() -> None:
    """What the house is behind at the worst moment is more than what it loses in the end."""
    result = computed(TRAFFICS["flat"], Fraction(160), level=Fraction(999, 1000))
    assert result.rounds == 320
    assert result.float_needed > result.value_at_risk
    assert quantile(
        Weights(list(result.worst), [float(each) for each in result.worst_chances], 1, 1e-12), Fraction(1, 2)
    )


def test_hundred_rounds_in_fractions() -> None:
    """A hundred rounds of a table are computed in fractions, and floats agree."""
    traffic = Traffic((replace(SMALL, count=2), group("big=300"), group("odd=100")), 50)
    exact, floats = computed(traffic, Fraction(2), exact=True), computed(traffic, Fraction(2))
    assert sum(exact.chances) == sum(exact.worst_chances) == 1
    assert is_near(exact.loss, floats.loss, floats.error_bound)
    assert exact.quantiles == floats.quantiles
    assert exact.float_needed == floats.float_needed
    with pytest.raises(InputFault, match="in fractions a shift has 1 to 100 rounds, these are 150"):
        computed(traffic, Fraction(3), exact=True)


def test_hours_are_given_one_by_one() -> None:
    """Each hour has its own figures, which are those of a shift of so many hours; long shifts have some of them."""
    result = computed(TRAFFICS["two plans"], Fraction(5))
    assert [mark.hours for mark in result.marks] == [1, 2, 3, 4, 5]
    two = computed(TRAFFICS["two plans"], Fraction(2))
    assert result.marks[1].quantiles == two.quantiles
    assert result.marks[1].turnover == pytest.approx(float(two.turnover), rel=1e-12)
    assert result.marks[1].loss == pytest.approx(float(two.loss), abs=1e-12)
    many = computed(TRAFFICS["flat"], Fraction(200))
    assert len(many.marks) < 30
    assert many.marks[0].hours == 1
    assert many.marks[-1].rounds == 400


def test_drop_and_hold() -> None:
    """Hold is of the turnover, and of the drop where every group says what it buys."""
    buying = Traffic((replace(SMALL, count=2, buy_in=5000), replace(BIG, buy_in=1000)))
    result = computed(buying, Fraction(1))
    assert result.drop == 11_000
    assert result.hold_of_drop == pytest.approx(float(result.mean) / 11_000)
    assert dict(result.hold_quantiles())[Fraction(1, 2)] == dict(result.quantiles)[Fraction(1, 2)] / (40 * 510)
    assert computed(Traffic((SMALL, replace(BIG, buy_in=1))), Fraction(1)).hold_of_drop is None


def test_everybody_there_by_roll() -> None:
    """The house's result on each roll is that of settling everybody's bets together, after the limits."""
    traffic = TRAFFICS["pro rata, comes and goes"]
    nets = round_nets(LAYOUT, rules_of(BOOK, traffic.limits), traffic)
    # Small 400 against big 100: the differential leaves 250 of small at risk.
    odds = bets_odds(LAYOUT, parse_bets(LAYOUT, "small=250 big=100 total:9=10"))
    assert nets == tuple(-each.net for each in odds.results)
    assert len(nets) == len(ALL_ROLLS)


def test_coarse_results_are_against_the_house() -> None:
    """Rounded results never make the house look better, and no worse than a step a round."""
    traffic = TRAFFICS["flat"]
    fine, coarse = computed(traffic, Fraction(20)), computed(traffic, Fraction(20), coarse=70)
    for (_, one), (_, two) in zip(fine.quantiles, coarse.quantiles, strict=True):
        assert one - 70 * fine.rounds <= two <= one
    assert coarse.float_needed >= fine.float_needed
    assert coarse.value_at_risk > fine.value_at_risk
    with pytest.raises(InputFault, match="coarse: an amount is at least 1"):
        coarsened(chain_of(LAYOUT, rules_of(BOOK, None), traffic), 0)


def test_levels_at_the_ends() -> None:
    """A quantile is the least result whose chance to be reached suffices, also on a step."""
    weights = Weights([-5, 0, 7], [1, 2, 1], 4, 0.0)
    assert [quantile(weights, Fraction(each, 4)) for each in (1, 2, 3, 4)] == [-5, 0, 0, 7]
    assert value_at_risk(weights, Fraction(3, 4)) == 0
    floats = Weights([-5, 0, 7], [0.25, 0.5, 0.25], 1, 1e-16)
    assert [quantile(floats, Fraction(each, 4)) for each in (1, 2, 3)] == [-5, 0, 0]


@pytest.mark.parametrize(
    ("habits", "said"),
    [
        ({"bankroll": 1000}, "players who leave"),
        ({"walk_away": Fraction(1, 10)}, "players who leave"),
        (
            {"plan": Plan.DALEMBERT, "stake_max": 20_000, "attendance": Fraction(1, 2), "count": 3},
            "states of the plans",
        ),
    ],
)
def test_what_is_not_computed_is_said(habits: dict[str, object], said: str) -> None:
    """Traffic that no formula reaches is sent to the simulation."""
    with pytest.raises(InputFault, match=said) as caught:
        computed(Traffic((group("small=200", **habits),)), Fraction(1))  # type: ignore[arg-type] # habits by name
    assert "taisai simulate" in str(caught.value)


def test_limits_that_divide_a_group_are_said() -> None:
    """Of two who double together one is refused: they are no longer alike, and that is for the simulation."""
    pair = group("small=600", count=2, plan=Plan.MARTINGALE, stake_max=1200)
    limits = make_limits(default={"max": 1000})
    with pytest.raises(InputFault, match="limits that divide players of one group"):
        computed(Traffic((pair,), limits=limits, excess=Excess.REFUSED), Fraction(1))


def test_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work and size have bounds, and whoever meets one is told what to do."""
    many = Traffic(
        (replace(SMALL, count=90, attendance=Fraction(1, 3)), replace(BIG, count=90, attendance=Fraction(1, 3)))
    )
    with pytest.raises(InputFault, match="ways to be there or not"):
        computed(replace(many, limits=LIMITS), Fraction(1))
    with pytest.raises(InputFault, match="64 bits"):
        computed(Traffic((Group("rich", ((BoxName("triple:1"), 10**15),), count=900),)), Fraction(1))
    with pytest.raises(InputFault, match="hours: more than 0"):
        rounds_of(many, Fraction(0))
    with pytest.raises(InputFault, match="level: a chance is between 0 and 1"):
        computed(many, Fraction(1), level=Fraction(1))
    with pytest.raises(InputFault, match="told apart"):
        computed(Traffic((group("small=100000007 triple:1=1"),)), Fraction(8))
    plans = TRAFFICS["two plans"]
    monkeypatch.setattr(house_walk, "WORK_MOST", 1000)
    with pytest.raises(InputFault, match="too much work with this traffic"):
        computed(plans, Fraction(8))
    monkeypatch.setattr(house_walk, "EXACT_BITS_MOST", 1000)
    with pytest.raises(InputFault, match="too much work in fractions"):
        computed(plans, Fraction(8), exact=True)
    monkeypatch.setattr(house_chain, "RESULTS_MOST", 3)
    with pytest.raises(InputFault, match="results of one round"):
        computed(many, Fraction(1))
