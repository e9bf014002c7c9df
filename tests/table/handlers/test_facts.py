"""Facts decide: whatever happened can be recorded, at whatever moment, and what follows is the book's word."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from taisai.core.rulebook import Fact
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.people import Person
from taisai.table.refusals import Code
from taisai.table.rules import TableRules
from taisai.table.state import RoundPhase, TablePhase
from taisai.view.steps import procedure_view
from tests.table.driver import (
    COUNT,
    DEALER,
    MINI_DICE,
    NZ,
    ONE_OF_EACH_BOOK,
    OPEN_COVER,
    PIT_MANAGER,
    SHIFT_MANAGER,
    SUPERVISOR,
    SYSTEM,
    TAI_SAI,
    Deal,
    opened,
    player,
    shelf,
)

BOX = "single:1"
IN_ROUND = [phase for phase in RoundPhase if phase is not RoundPhase.BETWEEN]


def at_phase(layout: str, phase: RoundPhase) -> Deal:
    """A round at this phase, with a bet that wins and one that loses."""
    deal = opened(layout, ann=1000, bob=1000).begin()
    if phase is RoundPhase.ENTERED and not deal.rules.has_terminal:
        phase = RoundPhase.ANNOUNCED
    return deal.bet("ann", BOX, 100).bet("bob", "single:6", 100).up_to(phase, 1, 2, 4)


def before_the_first_round(layout: str) -> Deal:
    """An open table where nothing has been played."""
    return opened(layout, ann=1000)


def suspended(layout: str) -> Deal:
    """A table that was suspended after a round."""
    deal = opened(layout, ann=1000, bob=1000).begin().bet("bob", BOX, 100).finish(1, 2, 4)
    deal.do(c.SuspendTable("smoke"))
    return deal


def interrupted(layout: str) -> Deal:
    """A round that stopped after the close."""
    deal = at_phase(layout, RoundPhase.CLOSED)
    deal.do(c.Interrupt("power"), SYSTEM)
    return deal


def with_a_player_gone(layout: str) -> Deal:
    """A closed round of a player who walked away."""
    deal = at_phase(layout, RoundPhase.CLOSED)
    deal.do(c.WalkAway("ann"), SYSTEM)
    return deal


def closed_for_the_day(layout: str) -> Deal:
    """A table that has been closed after a round."""
    deal = opened(layout, ann=1000, bob=1000).begin().bet("bob", BOX, 100).finish(1, 2, 4)
    deal.do(c.CloseTable(COUNT), SUPERVISOR)
    return deal


def dealt_by_the_house(layout: str) -> Deal:
    """A round that the house's own dealer deals: the crew watches."""
    deal = at_phase(layout, RoundPhase.CLOSED)
    deal.do(c.AssignDealing(c.DealtBy.HOUSE, purpose=c.Purpose.DEMO), SYSTEM)
    return deal


MOMENTS: dict[str, Callable[[str], Deal]] = {
    # The phase is bound in each function; mypy cannot infer the type of such a lambda.
    **{str(phase): lambda layout, phase=phase: at_phase(layout, phase) for phase in IN_ROUND},  # type: ignore[misc]
    "before the first round": before_the_first_round,
    "suspended": suspended,
    "interrupted": interrupted,
    "with a player gone": with_a_player_gone,
    "closed for the day": closed_for_the_day,
    "dealt by the house": dealt_by_the_house,
}


@pytest.mark.clause(
    "nz-division-9 §7.1", "nz-division-9 §7.3", "nz-division-9 §7.4", "rws-open-cover-v3 §5.1", "rws-tai-sai-v6 §5.5",
    "rws-tai-sai-v6 §5.6", "rws-tai-sai-v6 §5.10", "rws-mini-dice-v3 §5.1",
)  # fmt: skip
@pytest.mark.parametrize("layout", ONE_OF_EACH_BOOK)
@pytest.mark.parametrize("moment", MOMENTS)
def test_every_fact_is_recorded_at_every_moment(layout: str, moment: str) -> None:
    """Two people record what happened, and no moment is inconvenient; only a fact of no round at all has no place."""
    for option in procedure_view(Deal(layout).rules).facts:
        deal = MOMENTS[moment](layout)
        said = deal.command(c.Report(Fact(option.fact), "seen"), DEALER, SUPERVISOR, "both saw it")
        found = deal.decide(said)
        if moment == "before the first round" and not isinstance(found, list):
            assert (found.code, found.clauses) == (Code.NOTHING_TO_DO, ("I29",))
            continue
        assert isinstance(found, list), f"{option.fact}: {found}"
        deal.take(found)
        assert deal.last(e.FactRecorded).fact == option.fact
        deal.replays()


@pytest.mark.clause("rws-tai-sai-v6 §5.4", "nz-division-9 §7.1")
@pytest.mark.parametrize("layout", ONE_OF_EACH_BOOK)
@pytest.mark.parametrize("moment", [each for each in MOMENTS if each not in ("interrupted", "dealt by the house")])
def test_a_power_cut_is_recorded_at_every_moment(layout: str, moment: str) -> None:
    """In a round it stops the round; between rounds a spin that was made does not count."""
    deal = MOMENTS[moment](layout)
    deal.do(c.Interrupt("power"), SYSTEM)
    if deal.phase is RoundPhase.BETWEEN:
        assert (deal.last(e.FactRecorded).fact, deal.state.round.tumbles) == ("interrupted", 0)
    else:
        assert deal.state.round.interrupted == "power"


@pytest.mark.clause("nz-division-9 §6.6", "rws-open-cover-v3 §5.1.4")
@pytest.mark.parametrize("layout", ONE_OF_EACH_BOOK)
@pytest.mark.parametrize(
    "moment", [each for each in MOMENTS if each not in ("closed for the day", "dealt by the house")]
)
def test_a_tumble_is_recorded_at_every_moment(layout: str, moment: str) -> None:
    """Out of turn, while the table is suspended or the round interrupted: it counts for nothing, and is on record."""
    deal = MOMENTS[moment](layout)
    before = deal.state.round.tumbles
    deal.do(c.Tumble(3))
    if moment in ("suspended", "interrupted"):
        assert deal.last(e.FactRecorded).fact == "tumbled-out-of-turn"
        assert deal.state.round.tumbles == before


@pytest.mark.clause("nz-division-9 §4.3")
def test_a_touched_line_is_recorded_while_the_round_is_stopped() -> None:
    """Neither an interruption nor a fact that waits for a second person keeps it off the record."""
    deal = interrupted(NZ)
    deal.do(c.TouchLine("ann", BOX))
    deal = at_phase(NZ, RoundPhase.ANNOUNCED)
    deal.do(c.Report(Fact.NOT_FLAT))
    deal.do(c.TouchLine("bob", "single:6"))
    assert [each.attested for each in deal.state.round.touching] == [False]


@pytest.mark.clause("rws-tai-sai-v6 §5.2")
def test_an_advice_is_recorded_while_the_round_is_stopped() -> None:
    """What the dealer told a player is so, whatever else stops the round."""
    deal = opened(TAI_SAI, ann=1000).begin().felt("ann", BOX, 5)
    deal.do(c.Interrupt("power"), SYSTEM)
    deal.do(c.AdviseMinimum("ann", BOX))
    assert deal.state.round.noticed == (("ann", BOX),)


@pytest.mark.clause("rws-tai-sai-v6 §5.7", "rws-tai-sai-v6 §5.9", "nz-division-9 §4.7", "nz-division-9 §4.9")
@pytest.mark.parametrize("layout", ONE_OF_EACH_BOOK)
def test_chips_found_and_moved_after_the_close_are_recorded_and_move_no_money(layout: str) -> None:
    """No bet comes of it and none is lost: the record says what was seen, and by which clause it changes nothing."""
    deal = at_phase(layout, RoundPhase.CLOSED)
    before = deal.state.ledger
    for fact in (Fact.BET_FOUND, Fact.BET_MOVED):
        deal.do(c.Report(fact, "100 of ann on single:6"))
        assert deal.last(e.FactRecorded).then == ("record",)
    assert deal.state.ledger == before
    assert deal.phase is RoundPhase.CLOSED


# ------------------------------------------------------------------ dice that were taken out


def changed(layout: str) -> Deal:
    """Two rounds with a set that has since been retired, and a round in play with another."""
    deal = opened(layout, ann=1000, bob=1000)
    for dice in ((1, 2, 4), (6, 6, 5)):
        deal.begin().bet("ann", BOX, 100).bet("bob", "single:6", 100).finish(*dice)
    deal.do(c.ReceiveDice("d2"), SUPERVISOR)
    deal.do(c.RetireDice("d1"), SUPERVISOR)
    deal.do(c.SealDice("d2", "s2"), SUPERVISOR)
    return deal.begin().bet("ann", BOX, 50)


FOUND = c.Report(Fact.DAMAGED_DICE, "a corner is off", dice_set="d1")


@pytest.mark.clause("rws-tai-sai-v6 §5.6")
@pytest.mark.parametrize("phase", IN_ROUND)
def test_5_6_damage_of_a_set_that_was_taken_out_voids_its_rounds_and_no_other(phase: RoundPhase) -> None:
    """Found by one person it holds the table; attested, the rounds of that set are void and the one in play goes on."""
    phase = RoundPhase.ANNOUNCED if phase is RoundPhase.ENTERED else phase
    deal = changed(TAI_SAI).up_to(phase, 1, 2, 4)
    deal.do(FOUND)
    assert [(each.fact, each.dice_set) for each in deal.state.held] == [("damaged-dice", "d1")]
    step = c.CloseBets() if phase is RoundPhase.BETTING else c.Collect()
    deal.refused(step, Code.ROUND_HELD)
    deal.do(c.Attest(Fact.DAMAGED_DICE, confirmed=True), SUPERVISOR)
    assert [each.round for each in deal.happened(e.RoundReversed)] == [1, 2]
    assert (deal.phase, deal.state.round.number, deal.state.suspended) == (phase, 3, "")
    assert not deal.happened(e.RoundVoided)
    assert [deal.state.dice_sets[name].sound for name in ("d1", "d2")] == [False, True]
    deal.refused(FOUND, Code.NOTHING_TO_DO, DEALER, SUPERVISOR, "again")
    deal.up_to(max(phase, RoundPhase.ANNOUNCED, key=list(RoundPhase).index), 1, 2, 4)
    if deal.phase is not RoundPhase.COLLECTED:
        deal.do(c.Collect())
    deal.do(c.PayAll())
    deal.replays()


@pytest.mark.clause("rws-tai-sai-v6 §5.6")
def test_5_6_damage_is_recorded_of_two_sets_at_once() -> None:
    """Each waits for a second person of its own; a set in the tumbler can be found sound while another is in doubt."""
    deal = changed(TAI_SAI).finish(1, 2, 4)
    deal.do(FOUND)
    deal.do(c.InspectDice(sound=True), SUPERVISOR)
    deal.do(c.Attest(Fact.DAMAGED_DICE, confirmed=False), SUPERVISOR, reason="a smear of grease")
    assert not deal.state.held
    deal.begin().finish(1, 2, 4)
    deal.do(FOUND)
    deal.do(c.Report(Fact.DAMAGED_DICE))
    assert [each.dice_set for each in deal.state.held] == ["d1", "d2"]
    deal.do(c.Attest(Fact.DAMAGED_DICE, confirmed=True), SUPERVISOR)
    assert [each.round for each in deal.happened(e.RoundReversed)] == [1, 2]
    deal.do(c.Attest(Fact.DAMAGED_DICE, confirmed=True), SUPERVISOR)
    assert [each.round for each in deal.happened(e.RoundReversed)] == [1, 2, 4]  # round 3 was played before the look


@pytest.mark.clause("rws-tai-sai-v6 §5.6", "rws-tai-sai-v6 §1.9")
def test_5_6_damage_found_at_night_is_owed_to_players_who_have_left() -> None:
    """The table is closed and its float is away: what goes back is owed, by the house and by the players."""
    deal = opened(TAI_SAI, ann=1000, bob=1000).begin().bet("ann", BOX, 100).bet("bob", "single:6", 100).finish(1, 2, 4)
    deal.do(c.CloseTable(COUNT), SUPERVISOR)
    deal.altered(c.Report(Fact.DAMAGED_DICE, "found at night"))
    assert deal.state.phase is TablePhase.CLOSED
    assert (deal.state.balance("debt:ann"), deal.state.balance("debt:bob")) == (-100, 100)
    assert (deal.funds("ann"), deal.funds("bob")) == (0, 0)
    deal.refused(c.OpenTable(), Code.CHECK_INCOMPLETE, SUPERVISOR)


@pytest.mark.clause("rws-tai-sai-v6 §5.6", "rws-open-cover-v3 I26")
def test_5_6_another_book_in_between_makes_no_round_sound() -> None:
    """Rounds of version six stay affected though the table stood under open cover since; those of open cover stand."""
    deal = opened(TAI_SAI, ann=1000).begin().bet("ann", BOX, 100).finish(1, 2, 4)
    for layout in (OPEN_COVER, TAI_SAI):
        deal.do(c.CloseTable(COUNT), SUPERVISOR)
        book_id, _, layout_id = layout.partition("/")
        deal.rules = TableRules(shelf().book(book_id))
        deal.do(c.SetUp(book_id, layout_id, deal.rules.book.digest, deal.limits, "NZD", (5, 100, 500)), SUPERVISOR)
        deal.do(c.CountFloat(COUNT), SUPERVISOR)
        deal.do(c.OpenTable(), SUPERVISOR)
        if layout == OPEN_COVER:
            deal.seat(ann=1000).begin().bet("ann", BOX, 100).finish(1, 2, 4)
    deal.altered(c.Report(Fact.DAMAGED_DICE))
    assert [each.round for each in deal.happened(e.RoundReversed)] == [1]


@pytest.mark.clause("rws-open-cover-v3 §5.1.1", "rws-mini-dice-v3 §5.1.3", "nz-division-9 §7.4")
@pytest.mark.parametrize("layout", [OPEN_COVER, MINI_DICE, NZ])
def test_damage_of_a_set_that_was_taken_out_leaves_this_game_alone(layout: str) -> None:
    """Settled games stand (I26), and equipment that is no longer in use stops no table (I27): it is on record."""
    deal = changed(layout)
    deal.do(FOUND)
    fact = deal.last(e.FactRecorded)
    assert (fact.then, fact.dice_set, fact.attested) == (("record",), "d1", True)
    assert (deal.phase, deal.state.suspended, deal.state.faults) == (RoundPhase.BETTING, "", ())
    deal.finish(1, 2, 4)


def test_dice_that_nobody_knows_are_not_damaged() -> None:
    """A set must be one that the table has had; with none in the tumbler it must be named."""
    deal = changed(TAI_SAI)
    unknown = c.Report(Fact.DAMAGED_DICE, dice_set="d9")
    assert deal.refused(unknown, Code.UNKNOWN).allowed == "d1, d2"
    deal.finish(1, 2, 4)
    deal.do(c.RetireDice("d2"), SUPERVISOR)
    assert deal.refused(c.Report(Fact.DAMAGED_DICE), Code.NOTHING_TO_DO).clauses == ("2.2.1",)


# ------------------------------------------------------------------ the record is the law


@pytest.mark.clause("rws-tai-sai-v6 §5.5.3")
def test_5_5_3_tumbling_again_after_the_close_does_not_hide_that_dice_were_exposed() -> None:
    """A tumble before the close is on record, so an exposure contradicts nothing, however often they tumble later."""
    deal = opened(TAI_SAI, ann=1000).begin().bet("ann", BOX, 100)
    deal.do(c.Tumble(3))
    deal.do(c.CloseBets())
    deal.do(c.Tumble(3))
    deal.do(c.Report(Fact.EXPOSED, "the cover was off during betting"))
    assert deal.past.void == "exposed"


@pytest.mark.clause("nz-division-9 §5.0(c)", "nz-division-9 §7.1(b)")
def test_5_0_c_a_tumbler_that_fails_before_the_opening_is_checked_again() -> None:
    """The fact takes the item of the opening check back: the table does not open on what is no longer so."""
    deal = Deal(NZ).set_up().check()
    deal.do(c.Report(Fact.TUMBLER_FAULT, "it jams"))
    assert "tumbler" in deal.refused(c.OpenTable(), Code.CHECK_INCOMPLETE, SUPERVISOR).sentence
    deal.do(c.CheckItem("tumbler", passed=True), SUPERVISOR)
    deal.do(c.OpenTable(), SUPERVISOR)


@pytest.mark.clause("rws-tai-sai-v6 §5.5.2", "nz-division-9 §7.1(a)")
@pytest.mark.parametrize("layout", [TAI_SAI, NZ])
def test_nobody_talks_a_fact_away_without_a_reason(layout: str) -> None:
    """Whoever says that it is not so says why, and it stands on record."""
    deal = at_phase(layout, RoundPhase.ANNOUNCED)
    deal.do(c.Report(Fact.NOT_FLAT))
    not_so = c.Attest(Fact.NOT_FLAT, confirmed=False)
    assert deal.refused(not_so, Code.REASON_NEEDED, SUPERVISOR).clauses
    deal.do(not_so, SUPERVISOR, reason="all three lie flat")
    assert deal.record[-1].reason == "all three lie flat"


@pytest.mark.parametrize("who", [player("ann"), SHIFT_MANAGER, PIT_MANAGER])
def test_who_records_a_fact(who: Person) -> None:
    """Rank is always checked: the crew records facts, players do not."""
    deal = at_phase(TAI_SAI, RoundPhase.CLOSED)
    if who.id == "ann":
        assert deal.refused(FOUND, Code.NOT_YOURS_TO_DO, who).clauses == ("1.2", "1.5")
    else:
        deal.do(c.Report(Fact.NOT_FLAT), who)
