"""Who may do what: the table written out, held against every action and every role."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest
from msgspec.structs import replace

from taisai.core.rulebook import Fact
from taisai.table import commands as c
from taisai.table.actions import ACTIONS
from taisai.table.decide import may_begin
from taisai.table.people import Person, Role
from taisai.table.refusals import Code, Refusal
from taisai.table.state import RoundPhase
from tests.table.driver import (
    DEALER,
    LIMITS,
    NZ,
    PIT_MANAGER,
    SHIFT_MANAGER,
    SUPERVISOR,
    TAI_SAI,
    Deal,
    opened,
    player,
    set_up_of,
)

MAY: Final = {
    # player, dealer, supervisor, pit manager, shift manager, auditor, system
    "set-up": "..SPM.y",
    "assign-dealing": "......y",
    "test-source": "......y",
    "set-clock": "......y",
    "count-float": "..SPM..",
    "receive-dice": "..SPM..",
    "seal-dice": "..SPM..",
    "inspect-dice": "..SPM..",
    "retire-dice": "..SPM..",
    "test-run": "..SPM..",
    "check-item": "..SPM..",
    "open-table": "..SPM..",
    "suspend-table": ".DSPM..",
    "resume-table": "..SPM..",
    "set-limits": "..SPM..",
    "close-table": "..SPM..",
    "sit-down": "pDSPM..",
    "leave-table": "pDSPM..",
    "walk-away": ".DSPM.y",
    "buy-in": ".DSPM..",
    "bring-chips": ".DSPM..",
    "cash-out": ".DSPM..",
    "take-colour": ".DSPM..",
    "turn-in-colour": ".DSPM..",
    "fill": "..SPM..",
    "credit": "..SPM..",
    "settle-debt": ".DSPM..",
    "commit-dice": ".DSPM..",
    "tumble": ".DSPM..",
    "open-bets": ".DSPM..",
    "place-bet": "pDSPM..",
    "withdraw-bet": "pDSPM..",
    "advise-minimum": ".DSPM..",
    "reject-excess": ".DSPM.y",
    "close-bets": ".DSPM..",
    "draw-odds": ".DSPM..",
    "uncover": ".DSPM..",
    "announce": ".DSPM..",
    "press": ".DSPM..",
    "enter": ".DSPM..",
    "amend-entry": ".DSPM..",
    "correct-dice": ".DSPM..",
    "collect": ".DSPM..",
    "pay-next": ".DSPM..",
    "pay-all": ".DSPM..",
    "report": ".DSPM..",
    "attest": ".DSPM..",
    "open-dice": ".DSPM..",
    "interrupt": ".DSPM.y",
    "resolve-interruption": ".DSPM..",
    "correct-bet": ".DSPM..",
    "touch-line": ".DSPM..",
    "rule-on-line": "..SPM..",
    "rule": "....M..",
    "note-error": ".DSPM..",
    "open-dispute": "pDSPM..",
    "resolve-dispute": "..SPM..",
}
"""Every action, and a letter for each role that may ask for it; `p` only for themselves."""

ROLES: Final = (
    Role.PLAYER,
    Role.DEALER,
    Role.SUPERVISOR,
    Role.PIT_MANAGER,
    Role.SHIFT_MANAGER,
    Role.AUDITOR,
    Role.SYSTEM,
)

SAMPLES: Final[tuple[c.Action, ...]] = (
    set_up_of(NZ), c.AssignDealing(c.DealtBy.HOUSE),
    c.TestSource("virtual dice", 1, sound=True), c.SetClock(5), c.CountFloat({5: 1}), c.ReceiveDice("d9"),
    c.SealDice("d1", "s9"), c.InspectDice(sound=True),
    c.RetireDice("d1"), c.TestRun((1, 2, 3), lit_correctly=True), c.CheckItem("power", passed=True), c.OpenTable(),
    c.SuspendTable("x"), c.ResumeTable(c.Mending.MENDED, "x"), c.SetLimits(LIMITS), c.CloseTable({}),
    c.SitDown("ann"), c.LeaveTable("ann"), c.WalkAway("ann"), c.BuyIn("ann", 5), c.BringChips("ann", 5),
    c.CashOut("ann", 5), c.TakeColour("ann", "red", 5, 5), c.TurnInColour("ann"), c.Fill({5: 1}), c.Credit({5: 1}),
    c.SettleDebt("ann", 5), c.CommitDice("0" * 64), c.Tumble(3), c.OpenBets(), c.PlaceBet("ann", "small", 10),
    c.WithdrawBet("ann", "small"), c.AdviseMinimum("ann", "small"), c.RejectExcess("small"), c.CloseBets(),
    c.DrawOdds("plain"), c.Uncover((1, 2, 3)), c.Announce(),
    c.Press(1), c.Enter(), c.AmendEntry((1, 2, 3)), c.CorrectDice((1, 2, 3)), c.Collect(), c.PayNext(), c.PayAll(),
    c.Report(Fact.NOT_FLAT), c.Attest(Fact.NOT_FLAT, confirmed=True), c.OpenDice(1, "0" * 64),
    c.Interrupt("x"), c.ResolveInterruption(()),
    c.CorrectBet("ann", "small", "big", 5, c.MoveGround.MOVED_BY_PATRON), c.TouchLine("ann", "small"),
    c.RuleOnLine("ann", "small", honoured=True), c.MakeRuling("x", "x", c.RulingGround.MEANING, ("1.0",)),
    c.NoteError(1, "x"), c.OpenDispute("q1", "ann", 1, "x"), c.ResolveDispute("q1", "x"),
)  # fmt: skip
"""One of each action."""


def name_of(do: c.Action) -> str:
    """The stable name of an action."""
    tag = type(do).__struct_config__.tag
    assert isinstance(tag, str)
    return tag


def test_the_table_names_every_action_once() -> None:
    """The table, the samples and what `decide` knows are the same set of actions."""
    assert [name_of(do) for do in SAMPLES] == list(MAY)
    assert len(SAMPLES) == len(ACTIONS)
    assert {type(do) for do in SAMPLES} == set(ACTIONS)


@pytest.mark.clause("nz-division-9 §6.6", "rws-tai-sai-v6 §1.5")
@pytest.mark.parametrize("do", SAMPLES, ids=name_of)
def test_every_action_is_for_those_the_table_names_and_nobody_else(do: c.Action) -> None:
    """In a table of any state, whoever is not named is told that it is not theirs to do, before anything else."""
    tables = [Deal(NZ), Deal(NZ).set_up(), opened(NZ, ann=100), opened(TAI_SAI, ann=100).begin()]
    for role, letter in zip(ROLES, MAY[name_of(do)], strict=True):
        person = Person("ann" if role is Role.PLAYER else "x", role)
        for deal in tables:
            found = deal.decide(deal.command(do, person, PIT_MANAGER, "x"))
            begun = may_begin(deal.rules, deal.state, person, type(do))
            is_placed = isinstance(do, c.PlaceBet) and role is not Role.PLAYER
            not_his = isinstance(found, Refusal) and found.code is Code.NOT_YOURS_TO_DO
            assert not_his == (letter == "." or is_placed), role
            assert (begun is not None and begun.code is Code.NOT_YOURS_TO_DO) == (letter == ".")


def test_the_auditor_may_do_nothing() -> None:
    """An auditor reads: every action is refused, by `decide` and by `may_begin`."""
    auditor = Person("amy", Role.AUDITOR)
    deal = opened(TAI_SAI, ann=100).begin()
    for do in SAMPLES:
        deal.refused(do, Code.NOT_YOURS_TO_DO, auditor, PIT_MANAGER, "x")
        assert may_begin(deal.rules, deal.state, auditor, type(do)) is not None


def test_no_action_of_a_player_asks_for_a_second_person() -> None:
    """A player never reaches the check of a second person's password, so they cannot guess one or lock a login."""
    assert [kind for kind, needs in ACTIONS.items() if needs.second and Role.PLAYER in needs.roles] == []


@pytest.mark.clause("nz-division-9 §4.6")
def test_a_player_acts_for_himself_only() -> None:
    """What players may do at all, they may not do in another's name, whatever the state of the table."""
    own = [do for do in SAMPLES if MAY[name_of(do)].startswith("p")]
    assert len(own) == 5
    for deal in (Deal(NZ), opened(NZ, ann=100), opened(NZ, ann=100).begin()):
        for do in own:
            deal.refused(do, Code.NOT_YOURS_TO_DO, player("bob"))
            deal.refused(do, Code.NOT_YOURS_TO_DO, player("Ann"))
            found = deal.decide(deal.command(do, player("ann")))
            assert not isinstance(found, Refusal) or found.code is not Code.NOT_YOURS_TO_DO


def test_a_player_places_and_the_crew_puts_down() -> None:
    """How chips came to lie there is said truly: a player places, the crew calls, serves or finds."""
    deal = opened(TAI_SAI, ann=1000).begin()
    for how in c.How:
        do = c.PlaceBet("ann", "small", 10, how)
        crew, own_hand = (DEALER, SUPERVISOR, PIT_MANAGER, SHIFT_MANAGER), how is c.How.PLACED
        for who in crew:
            if own_hand:
                assert "call, staff or felt" in deal.refused(do, Code.NOT_YOURS_TO_DO, who).allowed
            else:
                deal.do(do, who)
        if own_hand:
            deal.do(do, player("ann"))
        else:
            assert deal.refused(do, Code.NOT_YOURS_TO_DO, player("ann")).allowed == "how = placed"


# ------------------------------------------------------------------ two people and a reason


def _announced() -> Deal:
    return opened(NZ, ann=100).begin().bet("ann", "small", 10).close().show(1, 2, 4)


def _entered_wrong() -> Deal:
    return opened(NZ, ann=100).begin().bet("ann", "small", 10).close().show(1, 2, 4).enter(1, 2, 3)


def _uncovered() -> Deal:
    return opened(NZ, ann=100).begin().bet("ann", "small", 10).up_to(RoundPhase.UNCOVERED, 1, 2, 4)


def _interrupted() -> Deal:
    deal = opened(NZ, ann=100).begin()
    deal.do(c.Interrupt("power"))
    return deal


def _played() -> Deal:
    return opened(TAI_SAI, ann=100).begin().bet("ann", "small", 10).finish(1, 2, 4)


ALTERATIONS: Final[dict[str, tuple[Callable[[], Deal], c.Action, Person]]] = {
    "correct-bet": (
        _uncovered,
        c.CorrectBet("ann", "small", "big", 10, c.MoveGround.MISPLACED_BY_DEALER),
        SUPERVISOR,
    ),
    "correct-dice": (_announced, c.CorrectDice((1, 2, 3)), SUPERVISOR),
    "set-limits": (_played, c.SetLimits(replace(LIMITS, default=c.BoxLimit(5, 500))), PIT_MANAGER),
    "resolve-interruption": (_interrupted, c.ResolveInterruption(()), SUPERVISOR),
}
"""What alters what stood: a table where it is due, the action, and the lowest rank that authorises it."""
RANKS: Final = (Role.PLAYER, Role.DEALER, Role.SUPERVISOR, Role.PIT_MANAGER, Role.SHIFT_MANAGER)


@pytest.mark.parametrize("name", ALTERATIONS)
def test_an_alteration_takes_two_different_people_and_a_reason(name: str) -> None:
    """Alone, in two roles at once, with too low a rank, without a reason: refused. Otherwise both are kept."""
    make, do, lowest = ALTERATIONS[name]
    deal = make()
    by = Person("ben", Role.SUPERVISOR)
    deal.refused(do, Code.SECOND_PERSON_NEEDED, by, None, "seen")
    for role in (*RANKS, Role.AUDITOR, Role.SYSTEM):
        deal.refused(do, Code.SECOND_PERSON_UNFIT, by, Person("ben", role), "seen")
        if role not in RANKS or RANKS.index(role) < RANKS.index(lowest.role):
            deal.refused(do, Code.SECOND_PERSON_UNFIT, by, Person("eve", role), "seen")
    for blank in ("", "  ", "\n\t"):
        deal.refused(do, Code.REASON_NEEDED, by, lowest, blank)
    for role in RANKS[RANKS.index(lowest.role) :]:
        assert not isinstance(deal.decide(deal.command(do, by, Person("eve", role), "seen")), Refusal)
    deal.do(do, by, lowest, "seen on camera")
    event = next(event for event in deal.record if event.reason == "seen on camera")
    assert (event.by, event.authorised_by) == (by, lowest)


def test_a_void_before_the_reveal_needs_nobody_else() -> None:
    """Before faces are known a void alters nothing that stood: the dealer announces it alone."""
    for phase in (RoundPhase.BETTING, RoundPhase.CLOSED):
        deal = opened(NZ, ann=100).begin().bet("ann", "small", 10).up_to(phase)
        deal.do(c.Report(Fact.NOT_FLAT), DEALER)
