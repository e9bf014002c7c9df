"""A table dealt at the prompt."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.floor.dealing import deal
from tests.cli.running import printed, refused

LAYOUTS = ("rws-tai-sai-v6/A", "nz-division-9/2", "rws-open-cover-v3/B", "rws-mini-dice-v3/A")


def session(*lines: str, layout: str = "rws-tai-sai-v6/A") -> str:
    """What a session at the terminal prints, its lines from a pipe."""
    done = deal("--interactive", layout, given="".join(f"{line}\n" for line in lines))
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_round_is_dealt_in_a_few_words(layout: str) -> None:
    """Under every book: quick, open, bet, roll, why."""
    shown = session("quick", "open", "bet single:3 500", "roll", "why", layout=layout)
    assert "- ann puts 500 on single:3" in shown
    assert "- round 1 over on " in shown
    name = "Individual Die Face Value 3" if layout.startswith("nz") else "Single Dice Bet 3"
    assert f"  single:3 500: {name} " in shown
    assert f"table T1 under {layout}" in shown
    assert "1 round settled" in shown


def test_a_session_reads_back_as_a_shift(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`notation` prints the session as a shift, and that gives the same output again."""
    lines = [
        "quick",
        "open",
        "bet small 500 big 500",
        "undo",
        "undo small",
        "bet small 300",
        "roll",
        "notation",
        "quit",
    ]
    shown = session(*lines)
    text = shown[shown.index("table T1 under") : shown.index("deal> quit")]
    path = tmp_path / "session.shift"
    path.write_text(text, encoding="utf-8")
    assert "all as expected" in printed(capfd, "deal", str(path), "--check")
    assert "ann: withdraw-bet big amount=500" in text
    assert "ann: withdraw-bet small\n" in text


def test_the_felt_is_shown_between_commands() -> None:
    """After a bet: box, player, stake, what is at risk, what ann has, and the worst for the house."""
    shown = session("quick", "open", "bet small 500", "felt")
    assert shown.count("small   ann        500       500") == 2
    assert "open, round 1 at betting; ann has 9,500; at worst the house loses 500 on 1,1,2" in shown


def test_help_tells_what_is_possible_now() -> None:
    """Help lists short verbs and what each person may do at this moment; with a verb, how it is written."""
    shown = session("help", "quick", "help", "open", "help", "help place-bet", "help bet", "help nonsense")
    assert "now (new)" in shown
    assert "lee, supervisor: also set-up\n" in shown
    assert "dan, dealer: nothing\n" in shown
    between, during = shown.split("now (open), ")[1].split("now (open, round 1 at betting), ")
    assert "open-bets" in between.split("lee, supervisor")[0]
    assert "place-bet" not in between.split("lee, supervisor")[0]
    assert "place-bet" in during.split("lee, supervisor")[0]
    assert "ann, player: sit-down, leave-table, place-bet, withdraw-bet, open-dispute" in during
    assert "place-bet PLAYER BOX AMOUNT [how=…] [colour=…] [contribution=…]: Put chips into a box" in shown
    assert "bet BOX AMOUNT [BOX AMOUNT …]: put chips on boxes" in shown
    assert "! unknown verb 'nonsense'" in shown


def test_every_line_of_the_notation_is_understood() -> None:
    """Full commands, commands without a name, other people and other positions work at the prompt."""
    shown = session(
        "quick",
        "bob is player",
        "dan: sit-down bob",
        "buy-in bob 5000",
        "open",
        "bob: place-bet small 500",
        "dan: report tumbler-fault",
        'suspend-table "all dark"',
        "dan + lee: resolve-interruption none",
        "table",
        "",
        "# a remark",
    )
    assert "- bob buys in for 5000" in shown
    assert "- bob puts 500 on small" in shown
    assert "- fact of round 1: tumbler-fault (§3.7, §5.5.1); recorded" in shown
    assert "- table suspended: all dark" in shown
    assert "! not-interrupted: The round is not interrupted." in shown
    assert "bob: 4,500 in hand" in shown


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["bet small 500"], "! not-set-up: The table is not set up."),
        (["quick", "quick"], "! already-set-up: "),
        (["quick", "roll"], "! no round is in play: open begins one"),
        (["quick", "undo"], "! you have nothing on the felt"),
        (["quick", "why"], "! you had no bets in the last round"),
        (["quick", "open", "bet small"], "! write bet BOX AMOUNT [BOX AMOUNT …]"),
        (["quick", "open", "bet small much"], "! amount: expected a whole number, got 'much'"),
        (["quick", "open", "bet middle 500"], "! unknown: Layout rws-tai-sai-v6/A has no box middle."),
        (["quick", "open", "close", "bet small 500"], "! bets-closed: No more bets"),
        (["xyzzy"], "! expected quick, open, bet"),
        (["open the box"], "! not-set-up"),
        (["table T2 under a/b"], "table T1: new"),
        (["dan: opn-bets"], "! unknown verb 'opn-bets'; did you mean open-bets"),
        (["  - output"], "! expected `NAME: verb …`"),
        (["zoe: enter"], "! nobody has said what zoe is"),
        (["\x00\x1b[2J \u202e x"], "! expected `NAME: verb …`"),
    ],
)
def test_what_is_wrong_is_said_and_the_session_goes_on(lines: list[str], words: str) -> None:
    """Nonsense, refusals and the wrong moment are each one line; the prompt comes back."""
    shown = session(*lines, "help quit")
    assert words in shown
    assert shown.count("  quit: end (so does Ctrl-D)") == 1
    assert "Traceback" not in shown


def test_an_unknown_layout_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    """The terminal needs a layout that exists."""
    assert "unknown layout 'rws-tai-sai-v6/B'" in refused(capfd, "deal", "--interactive", "rws-tai-sai-v6/B")


def test_the_prompt_ends_cleanly(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """At a terminal Ctrl-C drops the line, Ctrl-D ends the session with the table as it stands."""
    keys: Iterator[str | type[BaseException]] = iter(["quick", KeyboardInterrupt, "open", EOFError])

    def typed(prompt: str) -> str:
        assert prompt == "deal> "
        key = next(keys)
        if isinstance(key, str):
            return key
        raise key

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", typed)
    shown = printed(capfd, "deal", "--interactive", "rws-tai-sai-v6/E")
    assert "> Place your Bets, please" in shown
    assert "table T1 under rws-tai-sai-v6/E, SGD: open, round 1 at betting; 0 rounds settled" in shown
