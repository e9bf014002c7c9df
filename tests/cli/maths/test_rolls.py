"""Where the rolls of `taisai dice` come from: files, journals."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from taisai.analysis.dice.paths import draw_tumblers
from taisai.books import open_shelf
from taisai.cli import main
from taisai.cli.maths.dice import dice as command
from taisai.core.dice import ALL_ROLLS
from taisai.core.faults import InputFault
from taisai.journal import open_journal
from taisai.streams.codec import event_of
from taisai.table import events as e
from tests.audit.bot import Bot, deal
from tests.cli.maths.samples import LAYOUT
from tests.streams.keeper import TableKeeper


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of two tables, dealt for a while, with voids now and then."""
    file = tmp_path_factory.mktemp("floor") / "floor.db"
    shelf = open_shelf(environment={})
    with open_journal(file) as opened:
        for seed, table in enumerate(("T1", "T2"), start=8):
            keeper = TableKeeper(opened, shelf.book, table)
            for _ in islice(deal(keeper, Bot(shelf.book("nz-division-9"), "1", seed, trouble=0.15)), 400):
                pass
    return file


def test_a_journal_is_judged_by_its_concluded_rounds(capfd: pytest.CaptureFixture[str], journal: Path) -> None:
    """From a journal come the dice of concluded rounds, set by set, and the layout of the table."""
    assert main(["dice", str(journal), "--table", "T1", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    with open_journal(journal, read_only=True) as opened:
        events = [event_of(record).what for record in opened.read("T1")]
    rolls: dict[str, list[tuple[int, ...]]] = {}
    follows: dict[str, int] = {}
    name, after = "", False
    for what in events:
        if isinstance(what, e.DiceSealed):
            name, after = what.dice_set, False
        elif isinstance(what, e.RoundVoided | e.DiceInspected | e.DiceRetired):
            after = False
        elif isinstance(what, e.RoundConcluded):
            rolls.setdefault(name, []).append(what.dice)
            follows[name] = follows.get(name, 0) + after
            after = True
    assert sum(map(len, rolls.values())) > 10
    assert any(isinstance(what, e.RoundVoided) for what in events)
    assert [(each["dice_set"], each["rounds"]) for each in found["sets"]] == [
        (name, len(each)) for name, each in rolls.items()
    ]
    for each in found["sets"]:
        throws = [face for roll in rolls[each["dice_set"]] for face in roll]
        assert each["state"]["counts"]["faces"] == [throws.count(face) for face in range(1, 7)]
        assert sum(each["state"]["counts"]["keeps"]) == follows[each["dice_set"]]
        assert not each["ordered"]
        assert each["gains"][0]["layout"] == "nz-division-9/1"


def test_one_set_can_be_chosen(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Each set of dice is judged by itself; one alone on demand."""
    file = tmp_path / "sets.csv"
    lines = [f"A,{1 + n % 6},{1 + n * 5 % 6},{1 + n * n % 6}" for n in range(50)] + ["B,1,1,1"] * 50
    file.write_text("\n".join(["dice_set,d1,d2,d3", *lines]), encoding="utf-8")
    assert command(str(file), json=True) == 1
    found = json.loads(capsys.readouterr().out)
    assert [(each["dice_set"], each["rounds"]) for each in found["sets"]] == [("A", 50), ("B", 50)]
    assert found["sets"][1]["alarm"]
    assert command(str(file), dice_set="B", layout=LAYOUT) == 1
    text = capsys.readouterr().out
    assert "Dice B: 50 rounds" in text
    assert "Dice A" not in text
    assert "may be chance" not in text


@pytest.mark.parametrize(
    ("table", "message"),
    [(None, "--table: which one: T1, T2"), ("T9", "--table: no table 'T9'; there are T1, T2")],
)
def test_a_journal_needs_its_table(journal: Path, table: str | None, message: str) -> None:
    """Of several tables one is chosen, and it is there."""
    with pytest.raises(InputFault) as caught:
        command(str(journal), table=table)
    assert str(caught.value) == message


def test_the_only_table_need_not_be_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A journal of one table, given by its address, is judged without --table; one without rounds is refused."""
    file = tmp_path / "one.db"
    shelf = open_shelf(environment={})
    with open_journal(file) as opened:
        dealt = deal(TableKeeper(opened, shelf.book, "T7"), Bot(shelf.book("nz-division-9"), "1", 3, trouble=0.0))
        next(dealt)
        with pytest.raises(InputFault, match="--table: table 'T7' has no concluded round"):
            command(str(file))
        for _ in islice(dealt, 150):
            pass
    assert command(f"sqlite:///{file}", json=True) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["table"] == "T7"
    assert found["sets"][0]["rounds"] > 2


def test_tumblers_under_their_names_are_judged_apart(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Two tumblers that take turns, one of which shakes weakly: that one alarms, by its own last roll."""
    weak, fair = draw_tumblers(1, 400, 6, retention=0.2)[0], draw_tumblers(1, 400, 7)[0]
    rows = [
        f"{name},{','.join(map(str, ALL_ROLLS[index].faces))}"
        for pair in zip(weak.tolist(), fair.tolist(), strict=True)
        for name, index in zip("AB", pair, strict=True)
    ]
    file = tmp_path / "turns.csv"
    file.write_text("\n".join(["tumbler,d1,d2,d3", *rows]), encoding="utf-8")
    assert command(str(file), json=True) == 1
    found = json.loads(capsys.readouterr().out)["sets"]
    assert [(each["tumbler"], each["alarm"], each["leader"]) for each in found] == [
        ("A", True, "keeps"),
        ("B", False, found[1]["leader"]),
    ]
    assert command(str(file)) == 1
    assert "Tumbler A: 400 rounds" in capsys.readouterr().out
