"""What examiners tried, row by row: in a golden shift it is refused, and what is right is done."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.table.notation.dealt_shifts import SHIFTS

V6, OC, MD, NZ = "rws-tai-sai-v6", "rws-open-cover-v3", "rws-mini-dice-v3", "nz-division-9"


class Row(NamedTuple):
    """One row: where it is tried, what is refused, and what is done instead; commands with the output below them."""

    shift: str
    refused: str
    allowed: str


ROWS = {
    "a settled round is void by damage of its dice alone": (
        (f"{V6} §5.6", f"{V6} §1.9", f"{V6} §5.8"),
        Row(
            f"{V6}/damaged-dice",
            'kim: rule "round 7" "void, the dealer was new" meaning 5.6 void-round\n  ! wrong-step',
            "lee: attest damaged-dice confirmed\n  - damaged-dice of round 7 is attested\n"
            "  - fact of round 7: damaged-dice of set D2, a corner of D2 is off (§5.6, I11)\n"
            "  - round 4 void after all, damaged-dice (§1.9, §5.12, §5.6, I11)",
        ),
    ),
    "damage voids the game in play and leaves settled ones": (
        (f"{OC} §5.1.1", f"{OC} I26"),
        Row(f"{OC}/voids", "dan: open-bets\n  ! check-incomplete", "  - round 5 void, damaged-dice (§5.1, I19, §5.1.1"),
    ),
    "damage of a cage's dice voids the game in play": (
        (f"{MD} §5.1.3", f"{MD} I26"),
        Row(f"{MD}/voids", "dan: report damaged-dice dice-set=C2\n  ! nothing-to-do", "  - round 4 void, damaged-dice"),
    ),
    "damage is a malfunction": (
        (f"{NZ} §7.4", f"{NZ} I27"),
        Row(
            f"{NZ}/facts", "dan: open-bets\n  ! table-suspended", "  - table suspended: the winning areas did not light"
        ),
    ),
    "a fact voids until the round is concluded, by two people (version six)": (
        (f"{V6} §5.5", f"{V6} §5.5.2", f"{V6} §1.9"),
        Row(f"{V6}/facts", "dan: pay-all\n  ! round-held", "  - what was settled of round 1 goes back: ann gets 500"),
    ),
    "a fact voids until the game is concluded, by two people (New Zealand)": (
        (f"{NZ} §7.1", f"{NZ} §7.1(a)"),
        Row(f"{NZ}/facts", "dan: pay-all\n  ! round-held", "  - what was settled of round 4 goes back: bob gets 500"),
    ),
    "a fact voids until the game is concluded, by two people (open cover)": (
        (f"{OC} §5.1", f"{OC} §5.1.3"),
        Row(f"{OC}/voids", "dan: pay-all\n  ! round-held", "  - what was settled of round 9 goes back: bob gets 500"),
    ),
    "a fact voids until the game is concluded, by two people (Mini Dice)": (
        (f"{MD} §5.1", f"{MD} §5.1.4"),
        Row(f"{MD}/voids", "dan: pay-all\n  ! round-held", "  - round 7 void, not-flat (§5.1, I19, §5.1.4)"),
    ),
    "a dead terminal: the dice settle, and no further game without a procedure": (
        (f"{NZ} §7.3", f"{NZ} §7.4"),
        Row(
            f"{NZ}/facts",
            "dan: collect\n  ! wrong-step: The result is not entered.",
            "  - table resumed after the entry terminal does not work: a safe procedure is in force",
        ),
    ),
    "a failed test run is run again": (
        (f"{NZ} §5.0(b)", f"{NZ} I28"),
        Row(
            f"{NZ}/facts",
            "sue: check-item test-run passed\n  ! check-incomplete",
            "sue: check-item test-run passed\n  - check of test-run passed, runs for all kinds",
        ),
    ),
    "nobody bets for the absent": (
        (f"{V6} §5.3",),
        Row(
            f"{V6}/facts",
            "dan: place-bet ann big 500 how=staff\n  ! walked-away",
            "  - ann small 500 wins 500 at 1 to 1, 1000 to ann",
        ),
    ),
    "a tumble during betting is a fact": (
        (f"{OC} §5.1.4",),
        Row(
            f"{OC}/voids",
            "dan: report activated-before-close\n  ! contradicted",
            "  - round 4 void, activated-before-close (§5.1, I19, §5.1.4)",
        ),
    ),
    "a tumbler that fails, and one that nobody started": (
        (f"{NZ} §7.1(b)", f"{NZ} §7.1(d)"),
        Row(
            f"{NZ}/facts",
            "dan: report not-activated\n  ! contradicted",
            'dan: report tumbler-fault note="it jams"\n  > No spin',
        ),
    ),
    "too few tumbles against a record of three": (
        (f"{V6} §5.5.1",),
        Row(
            f"{V6}/facts",
            "dan: report too-few-tumbles\n  ! contradicted",
            "dan + lee: report too-few-tumbles because the counter shows two\n  - fact of round 2: too-few-tumbles",
        ),
    ),
    "exposed before a tumble that came after the close": (
        (f"{V6} §5.5.3",),
        Row(f"{V6}/facts", "dan: report exposed\n  ! contradicted", ""),
    ),
    "exposed while bets are open": (
        (f"{V6} §5.5.3",),
        Row(f"{V6}/voids", "", "  - round 5 void, exposed, not announced (§1.9, §5.12, §5.5.3)"),
    ),
    "an interruption does not undo the dice on record": (
        (f"{V6} §5.4", f"{V6} §5.4.1"),
        Row(
            f"{V6}/voids",
            "because all clear, the dice were on record\n  ! contradicted",
            "  - interruption of round 9 over: 1,1,2 can be read",
        ),
    ),
    "an excess is rejected, or on record as not rejected": (
        (f"{V6} §5.1",),
        Row(
            f"{V6}/facts",
            "  - over the differential of small: ann gets 3000 back from small",
            "  - small is 3000 over its differential, and that was not rejected",
        ),
    ),
    "an advised bet goes back, one that nobody noticed stands": (
        (f"{V6} §5.2", f"{V6} §5.2.1", f"{V6} I21"),
        Row(
            f"{V6}/facts",
            "  - under the minimum of 200, as ann was told: ann gets 100 back from total:9",
            "it stands as it lies. (§5.2.1)",
        ),
    ),
    "the shift manager rules where no fact has its consequence": (
        (f"{V6} §5.14",),
        Row(
            f"{V6}/facts",
            'kim: rule "the lights" void meaning 5.10 void-round\n  ! contradicted',
            "  - round 6 void, ruling (§1.9, §5.12, §5.14)",
        ),
    ),
    "no ruling pays what a void round would have won": (
        (f"{V6} §5.14", f"{V6} §5.5.1"),
        Row(
            f"{V6}/facts",
            'kim: rule "round 2" "ann would have won" not-covered 5.8 amounts=ann:500 about=2\n  ! contradicted',
            "  - round 2 void, too-few-tumbles (§1.9, §5.12, §5.5.1): ann gets 500 back from small",
        ),
    ),
    "nobody below the shift manager rules": (
        (f"{V6} §5.14",),
        Row(
            f"{V6}/facts",
            'lee: rule "round 3" "ann was paid 100 too much" not-covered 5.8 amounts=ann:-100 about=3\n  ! not-yours',
            "ann was paid 100 too much; of round 3 ann gives 100",
        ),
    ),
    "a wager on the line goes back when the line is on record": (
        (f"{NZ} §4.3", f"{NZ} I22"),
        Row(
            f"{NZ}/facts",
            "sue: rule-on-line bob big not-honoured because half of it lies in the next box\n  ! contradicted",
            "  - bob's bet touching the line of big is not taken: bob gets 500 back from big",
        ),
    ),
    "a moved wager goes back only to where it lay": (
        (f"{NZ} §4.9", f"{NZ} I12"),
        Row(
            f"{NZ}/irregular",
            "because ann never had chips there\n  ! contradicted",
            "  - ann's 300 goes back from big to small, moved-by-patron",
        ),
    ),
    "a called bet that the dealer misplaced stays": (
        (f"{NZ} §4.9",),
        Row(f"{NZ}/irregular", "because bob says the call was two\n  ! call-bet", ""),
    ),
    "under the supervisor's supervision includes by the supervisor": (
        (f"{NZ} §7.2",),
        Row(
            f"{NZ}/facts",
            "",
            "sue: amend-entry 1,2,4 because five for four\n  - entry amended from 1,2,5 to 1,2,4",
        ),
    ),
    "nobody else amends an entry alone": (
        (f"{NZ} §7.2",),
        Row(f"{NZ}/terminal", "dan: amend-entry 3,3,4\n  ! second-person-needed", ""),
    ),
    "dice typed wrongly (version six)": (
        (f"{V6} §3.8",),
        Row(
            f"{V6}/facts", "dan: correct-dice 6,5,4\n  ! second-person-needed", "  - dice on record as 1,2,4 show 6,5,4"
        ),
    ),
    "dice typed wrongly (open cover)": (
        (f"{OC} §3.5",),
        Row(
            f"{OC}/voids", "dan: correct-dice 1,2,4\n  ! second-person-needed", "  - dice on record as 1,2,3 show 1,2,4"
        ),
    ),
    "dice typed wrongly (Mini Dice)": (
        (f"{MD} §3.5",),
        Row(
            f"{MD}/voids", "dan: correct-dice 1,2,4\n  ! second-person-needed", "  - dice on record as 1,2,3 show 1,2,4"
        ),
    ),
    "dice typed wrongly (New Zealand)": (
        (f"{NZ} §6.3",),
        Row(
            f"{NZ}/facts", "dan: correct-dice 1,2,4\n  ! second-person-needed", "  - dice on record as 1,2,5 show 1,2,4"
        ),
    ),
    "virtual dice are for training and demonstration": (
        (f"{V6} I23",),
        Row(f"{V6}/virtual-dice", "  ! not-admitted", "  - the house's part in the dice of round 2"),
    ),
    "colours are one player's": (
        (f"{NZ} §3.4(a)", f"{NZ} §3.4(b)"),
        Row(f"{NZ}/refused", "  ! colour-not-yours", "dan: take-colour ann red 100 1000"),
    ),
    "equal stakes are treated alike": (
        (f"{V6} §5.1.1", f"{V6} I6"),
        Row(
            f"{V6}/limits",
            "cho: place-bet single:2 200\n  ! over-maximum",
            "bob single:2 200, 125 at risk; cho single:2 200, 125 at risk",
        ),
    ),
    "a fact found after its round moves no money": (
        (f"{V6} I29", f"{NZ} I29", f"{NZ} §7.1"),
        Row(
            f"{NZ}/facts",
            "dan: report exposed about=4\n  ! unknown",
            "  - fact of round 3: exposed (I29); found late, no money moves",
        ),
    ),
}
"""By what was tried: its clauses, and where it stands. A row of two shifts stands here twice."""


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=name, marks=pytest.mark.clause(*clauses)) for name, (clauses, row) in ROWS.items()]
)
def test_what_examiners_tried_stands_in_a_shift(row: Row) -> None:
    """The golden shift tries it, and the output below is the refusal, or what was done by the book."""
    text = (SHIFTS / f"{row.shift}.shift").read_text(encoding="utf-8")
    assert row.refused or row.allowed
    assert row.refused in text
    assert row.allowed in text
