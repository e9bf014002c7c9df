"""Traffic files: three ways of writing, and every fault with its field."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from pathlib import Path

import pytest

from taisai.analysis.risk.traffic import Excess, Group, Traffic, read_traffic, rules_of, traffic_of
from taisai.analysis.session.exact import Plan
from taisai.books import open_shelf
from taisai.core.bets import Bet, PlayerId
from taisai.core.boxes import BoxName
from taisai.core.faults import InputFault
from taisai.core.limits import Opposites, make_limits
from taisai.core.money import Chips
from taisai.core.prorata import fix_stakes

SHELF = open_shelf(environment={})
BOOK = SHELF.book("rws-tai-sai-v6")
LAYOUT = SHELF.layout("rws-tai-sai-v6/C")

TOML = """
rounds_per_hour = 50
void = 0.005
excess = "pro-rata"

[limits]
unit = 10
default = {min = 10, max = 1000}
kinds = {total = {max = 50}}
differential = {big-small = 500}

[[players]]
name = "regulars"
count = 3
bets = "small=100 total:9=20"
rounds_per_hour = 30
buy_in = 5000

[[players]]
bets = {big = 50}
plan = "martingale"
stake_max = 400
bankroll = 2000
stop_win = 1000
stop_loss = 800
visit_rounds = 100
walk_away = "1/200"
refill = "never"
"""


def written(tmp_path: Path, name: str, text: str) -> Path:
    """A file with this text."""
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return file


def test_toml_says_everything(tmp_path: Path) -> None:
    """Every key of a file is read as it is meant."""
    found = read_traffic(LAYOUT, written(tmp_path, "a.toml", TOML))
    regulars, raiser = found.groups
    assert found.rounds_per_hour == 50
    assert found.void == Fraction(1, 200)
    assert found.excess is Excess.PRO_RATA
    assert found.limits is not None
    assert found.limits.differential == {Opposites.BIG_SMALL: 500}
    assert regulars == Group(
        "regulars", ((BoxName("small"), 100), (BoxName("total:9"), 20)), 3, Fraction(3, 5), buy_in=5000
    )
    assert raiser == Group(
        "group 2",
        ((BoxName("big"), 50),),
        plan=Plan.MARTINGALE,
        stake_max=400,
        bankroll=2000,
        stop_win=1000,
        stop_loss=800,
        visit_rounds=100,
        walk_away=Fraction(1, 200),
        refill=None,
    )
    assert raiser.leaves
    assert not regulars.leaves
    assert found.players == 4


def test_json_and_csv_say_the_same(tmp_path: Path) -> None:
    """The same players in JSON and CSV are the same traffic."""
    rows = [
        {"name": "ann", "count": 2, "bets": "small=100", "rounds_per_hour": 30, "refill": 5},
        {"name": "bob", "bets": "big=50 odd=10", "plan": "dalembert", "stake_max": 600, "walk_away": "0.02"},
    ]
    as_json = read_traffic(LAYOUT, written(tmp_path, "a.json", json.dumps({"players": rows})))
    text = (
        "name,count,bets,rounds_per_hour,refill,plan,stake_max,walk_away\n"
        "ann,2,small=100,30,5,,,\nbob,,big=50 odd=10,,,dalembert,600,0.02\n"
    )
    assert read_traffic(LAYOUT, written(tmp_path, "a.csv", text)) == as_json
    assert as_json.groups[0].attendance == Fraction(3, 4)
    assert as_json.groups[1].walk_away == Fraction(1, 50)
    fast = {"players": [{"bets": "small=1", "rounds_per_hour": 60}, {"bets": "big=1", "rounds_per_hour": 45}]}
    assert [group.attendance for group in traffic_of(LAYOUT, fast).groups] == [1, Fraction(3, 4)]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.txt", "", "a.txt: a traffic file is named .toml, .json or .csv"),
        ("a.toml", "x = ", "a.toml: is not TOML"),
        ("a.json", "{", "a.json: is not JSON"),
        ("a.json", "[]", "traffic: names with values are needed"),
        ("a.csv", "bets\nsmall=1,2\n", "a.csv: line 2: not as many values"),
        ("a.csv", "bets,count\nsmall=1\n", "a.csv: line 2: not as many values"),
        ("a.csv", "bets,colour\nsmall=1,red\n", "players[0].colour: unknown key"),
        ("a.toml", "x" * (1 << 20) + "=1", "{}/a.toml: is larger than 1048576 bytes"),
        ("a.toml", "pace = 3", "pace: unknown key; keys are rounds_per_hour"),
        ("a.toml", "players = []", "players: a list of 1 to 100 groups"),
        ("a.toml", "rounds_per_hour = 0", "rounds_per_hour: a whole number from 1"),
        ("a.toml", "players = [{count = 2}]", "players[0].bets: is missing"),
        ("a.toml", "players = [{bets = 3}]", "players[0].bets: write bets as box=amount"),
        ("a.toml", 'players = [{bets = "small"}]', "players[0].bets: write each bet as box=amount"),
        ("a.toml", "players = [{bets = {field = 3}}]", "players[0].bets: layout rws-tai-sai-v6/C has no box 'field'"),
        ("a.toml", "players = [{bets = {small = 1.5}}]", "players[0].bets.small: an amount is a whole number"),
        ("a.toml", 'players = [{bets = "small=1", count = 1001}]', "players[0].count: a whole number from 1 to 1,000"),
        ("a.toml", 'players = [{bets = "small=1", count = true}]', "players[0].count: a whole number"),
        ("a.toml", 'players = [{bets = "small=1", plan = "luck"}]', "players[0].plan: plans are flat, martingale"),
        ("a.toml", 'players = [{bets = "small=1", plan = "martingale"}]', "players[0].stake_max: martingale raises"),
        ("a.toml", 'players = [{bets = "small=9", bankroll = 5}]', "players[0].bankroll: 5 does not pay"),
        ("a.toml", 'players = [{bets = "small=9", walk_away = 1}]', "players[0].walk_away: a chance is from 0"),
        ("a.toml", 'players = [{bets = "small=9", walk_away = "x"}]', "players[0].walk_away: a chance is from 0"),
        ("a.toml", 'players = [{bets = "small=9", name = ""}]', "players[0].name: from 1 to 80"),
        ("a.toml", 'players = [{bets = "small=9", refill = "soon"}]', "players[0].refill: a whole number"),
        ("a.toml", 'players = [{bets = "small=9", buy_in = 0}]', "players[0].buy_in: an amount is at least 1"),
        ("a.toml", 'players = [{bets = "small=9", rounds_per_hour = 1001}]', "players[0].rounds_per_hour: a whole"),
        (
            "a.toml",
            'rounds_per_hour = 30\nplayers = [{bets = "small=9", rounds_per_hour = 31}]',
            "players[0].rounds_per_hour: the table deals only 30",
        ),
        ("a.toml", 'players = [{bets = "small=9", name = "a"}, {bets = "big=9", name = "a"}]', "players: two groups"),
        (
            "a.toml",
            'players = [{bets = "small=9", count = 900}, {bets = "big=9", count = 900}]',
            "players: at most 1000 players",
        ),
        ("a.toml", 'excess = "kept"\nplayers = [{bets = "small=9"}]', "excess: pro-rata or refused"),
        ("a.toml", 'void = 2\nplayers = [{bets = "small=9"}]', "void: a chance is from 0 to less than 1"),
        ("a.toml", 'players = [{bets = "small=9"}]\nlimits = {unit = 0}', "limits.unit: an amount is at least 1"),
        ("a.toml", 'players = [{bets = "small=9"}]\nlimits = {most = 0}', "limits.most: unknown key"),
        ("a.toml", 'players = [{bets = "small=9"}]\nlimits = {default = 3}', "limits.default: names with amounts"),
        ("a.toml", 'players = [{bets = "small=9"}]\nlimits = {kinds = {small = 3}}', "limits.kinds.small: write"),
    ],
)
def test_faults_name_the_field(tmp_path: Path, name: str, text: str, message: str) -> None:
    """What cannot be read is said in one line that names the field."""
    with pytest.raises(InputFault) as caught:
        read_traffic(LAYOUT, written(tmp_path, name, text))
    assert str(caught.value).startswith(message.format(tmp_path))
    assert "\n" not in str(caught.value)


def test_unreadable_files(tmp_path: Path) -> None:
    """A missing file and one that is no text are faults."""
    with pytest.raises(InputFault, match=r"none\.toml: the file is missing"):
        read_traffic(LAYOUT, tmp_path / "none.toml")
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputFault, match="not UTF-8"):
        read_traffic(LAYOUT, tmp_path / "a.toml")


def bet(player: str, box: str, stake: int) -> Bet:
    """A bet."""
    return Bet(PlayerId(player), BoxName(box), Chips(stake))


def test_rules_travel_and_share_as_the_book_does() -> None:
    """Rules that were sent to another process share stakes out as the whole book does."""
    limits = make_limits(unit=5, default={"min": 100, "max": 5000})
    bets = [bet("a", "small", 9000), bet("b", "small", 120), bet("c", "small", 1000)]
    rules = pickle.loads(pickle.dumps(rules_of(BOOK, limits)))
    assert rules.excess is Excess.PRO_RATA
    assert rules.at_risk(bets) == fix_stakes(BOOK, limits, bets).at_risk == (4410, 100, 490)
    assert rules_of(BOOK, None).at_risk(bets) == (9000, 120, 1000)


def test_refused_bets_are_refused_whole_in_order() -> None:
    """A bet over the room that is left, or under the minimum, stakes nothing; a later one may still fit."""
    limits = make_limits(default={"min": 10, "max": 100}, differential={"big-small": 60})
    rules = rules_of(BOOK, limits, Excess.REFUSED)
    bets = [
        bet("a", "small", 60),
        bet("b", "small", 50),
        bet("c", "big", 5),
        bet("d", "big", 40),
        bet("e", "small", 40),
        bet("f", "total:9", 101),
    ]
    # b would make 110 and 110 over big; d brings room, of which e takes the rest up to the maximum.
    assert rules.at_risk(bets) == (60, 0, 0, 40, 40, 0)


def test_a_book_without_pro_rata_refuses() -> None:
    """Where the book shares nothing out, stakes over the limits are refused, and pro rata cannot be asked for."""
    book = SHELF.book("nz-division-9")
    assert rules_of(book, None).excess is Excess.REFUSED
    with pytest.raises(InputFault, match="excess: nz-division-9 has no pro rata"):
        rules_of(book, None, Excess.PRO_RATA)
    assert Traffic(()).players == 0
