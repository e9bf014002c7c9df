"""The automatic dealer: every book's procedure in order and in time, whatever stops it."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from taisai.core.dice import parse_roll
from taisai.core.fair import commitment_of, secret_of
from taisai.core.faults import InputFault
from taisai.core.rulebook import Fact, Tumble
from taisai.floor.dealer import DEALER, AutomaticDealer, Countdown, Stage, house_opening_moves, opening_moves
from taisai.floor.dice import TEST_BYTES, Mischief, VirtualTumbler
from taisai.settings.forms import Timing
from taisai.streams.codec import event_of
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.state import RoundPhase, TablePhase, TableState
from tests.core.samples import LAYOUT_NAMES
from tests.floor.scripted import ScriptedDice
from tests.floor.simulated import BETTING_US, DAN, DEALING, FLOAT, LEE, TABLE, House, house_opening
from tests.table.driver import (
    MINI_DICE,
    NZ,
    NZ_2,
    ONE_OF_EACH_BOOK,
    OPEN_COVER,
    TAI_SAI,
    TAI_SAI_C,
    set_up_of,
    shelf,
)

BOOKS = pytest.mark.parametrize("layout", ONE_OF_EACH_BOOK)

NZ_ROUND = [
    e.DiceCommitted, e.DiceTumbled, e.BetsOpened, e.BetsClosed, e.DiceOpened, e.DiceUncovered, e.ResultAnnounced,
    e.NumberPressed, e.NumberPressed, e.NumberPressed, e.ResultEntered, e.LosersCollected, e.RoundConcluded,
]  # fmt: skip
LIT_ROUND = [
    e.DiceCommitted, e.BetsOpened, e.BetsClosed, e.DiceOpened, e.DiceTumbled, e.DiceUncovered, e.ResultAnnounced,
    e.AreasLit, e.LosersCollected, e.RoundConcluded,
]  # fmt: skip
PLAIN_ROUND = [each for each in LIT_ROUND if each is not e.AreasLit]
ORDERS = [
    pytest.param(layout, order, marks=pytest.mark.clause(*clauses))
    for layout, order, clauses in (
        (NZ, NZ_ROUND, ["nz-division-9 §6.1", "nz-division-9 §6.2", "nz-division-9 §6.3", "nz-division-9 §6.4"]),
        (NZ_2, NZ_ROUND, ["nz-division-9 §6.5"]),
        (OPEN_COVER, PLAIN_ROUND, ["rws-open-cover-v3 §3.1", "rws-open-cover-v3 §3.2", "rws-open-cover-v3 §3.4"]),
        (TAI_SAI, LIT_ROUND, ["rws-tai-sai-v6 §3.2", "rws-tai-sai-v6 §3.6", "rws-tai-sai-v6 §3.7"]),
        (TAI_SAI_C, LIT_ROUND, ["rws-tai-sai-v6 §3.8", "rws-tai-sai-v6 §3.9"]),
        (MINI_DICE, PLAIN_ROUND, ["rws-mini-dice-v3 §3.1", "rws-mini-dice-v3 §3.2", "rws-mini-dice-v3 §3.4"]),
    )
]


@pytest.mark.parametrize("layout", LAYOUT_NAMES)
def test_twenty_rounds_of_every_layout_are_dealt_by_the_book(layout: str) -> None:
    """With players who bet, every round is committed, opened as committed and settled, and the audit finds nothing."""
    house = House(layout).rounds(20).clean()
    history = house.state.history
    assert [past.number for past in history] == list(range(1, 21))
    assert all(past.dice is not None and past.lines for past in history)
    commitments = house.happened(e.DiceCommitted)
    openings = house.happened(e.DiceOpened)
    for number, (committed, opened) in enumerate(zip(commitments, openings, strict=True), start=1):
        assert committed.round == number
        assert commitment_of(secret_of(opened.opening), TABLE, number) == committed.commitment
    assert len({opened.opening for opened in openings}) == 20


@pytest.mark.parametrize("layout", LAYOUT_NAMES)
def test_the_wagering_period_is_honoured_exactly(layout: str) -> None:
    """Bets are open for the 36 seconds of R20, to the microsecond, in every round."""
    house = House(layout).rounds(5)
    opened = [event.at for event in house.events() if isinstance(event.what, e.BetsOpened)]
    closed = [event.at for event in house.events() if isinstance(event.what, e.BetsClosed)]
    assert [late - early for early, late in zip(opened, closed, strict=True)] == [BETTING_US] * 5


@pytest.mark.parametrize(("layout", "order"), ORDERS)
def test_the_steps_come_in_the_order_of_the_book(layout: str, order: list[type]) -> None:
    """A round without bets, from the commitment to its end, is exactly the procedure of the book."""
    house = House(layout, players=0).rounds(2, bets=False)
    kinds = [type(event.what) for event in house.events()]
    first = kinds.index(e.DiceCommitted)
    assert kinds[first:] == order + order


def test_each_step_takes_its_time() -> None:
    """Every stage after the close lasts as long as the timing says."""
    house = House(TAI_SAI, lambda: ScriptedDice([parse_roll("1,2,3")] * 3))
    house.until(lambda: house.state.round.phase is RoundPhase.BETTING, bets=False)
    house.bet("p1", "small", 100)
    house.rounds(1).until(lambda: house.state.round.phase is RoundPhase.BETTING, bets=False)
    times: dict[type, int] = {type(event.what): event.at for event in house.events()}
    timing = Timing()
    steps: list[type] = [
        e.BetsClosed,
        e.DiceTumbled,
        e.DiceUncovered,
        e.ResultAnnounced,
        e.LosersCollected,
        e.RoundConcluded,
    ]
    at = [times[each] for each in (*steps, e.BetsOpened)]
    lasted = [timing.after_close_ms, timing.tumbling_ms, timing.reveal_ms, timing.lit_ms, timing.paid_ms]
    assert [late - early for early, late in pairwise(at)] == [each * 1000 for each in [*lasted, timing.between_ms]]


def test_ids_are_those_of_the_step_and_in_the_order_of_time() -> None:
    """Asked again, also by another dealer, the id is the same; ids sort in the order of the commands."""
    house = House(NZ).rounds(3)
    commands = [record.command_id for record in house.journal.read(TABLE) if record.by == DEALER.id]
    given = list(dict.fromkeys(command for command in commands if "opening" not in command))
    assert given == sorted(given)
    assert given[-1].startswith("house:auto-0000")
    move = house.at(Stage.BETTING).at(Stage.REVEAL).move()
    house.now = move.at or 0
    other = AutomaticDealer(house.book, VirtualTumbler(), idle_when_empty=False, purpose=c.Purpose.DEMO)
    assert house.move() == other.next_move(house.state, house.now)


@BOOKS
def test_every_command_given_twice_is_done_once(layout: str) -> None:
    """A repeat after a crash gets its first answer, and the table does not change."""
    house = House(layout)
    given = 0
    while len(house.state.history) < 2:
        move = house.step()
        if move.command is not None:
            given += 1
            before = house.state
            assert house.keeper.do(move.command).repeated
            assert house.state == before
    assert given > 12
    house.clean()


# ------------------------------------------------------------------ restarts


class Sources:
    """Tumblers whose rolls are the same each time, so that a round has the same steps; their key is kept, or lost."""

    def __init__(self, *, kept: bool) -> None:
        self._kept, self._made = kept, 0

    def __call__(self) -> VirtualTumbler:
        """The source of a house that starts."""
        self._made += 1
        return VirtualTumbler(Random(12).randbytes, key=bytes(31) + bytes([1 if self._kept else self._made]))


def steps_of_a_round(layout: str) -> int:
    """How many moves the third round of a table takes, counted from the end of the second."""
    house = House(layout, Sources(kept=True)).rounds(2)
    count = 0
    while len(house.state.history) < 3:
        house.step()
        count += 1
    return count


@pytest.mark.clause("rws-tai-sai-v6 §5.4", "rws-tai-sai-v6 §5.4.1", "rws-tai-sai-v6 §5.4.2")
@BOOKS
@pytest.mark.parametrize("kept", [True, False], ids=["key kept", "key lost"])
def test_a_restart_at_any_step_is_resolved_by_the_book_and_the_game_goes_on(layout: str, *, kept: bool) -> None:
    """A round that had closed is concluded as it was fixed; one with open bets is void, and opened if the key is kept.

    A round that was committed and had not begun is dealt if the key is kept, and otherwise void on record.
    """
    steps = steps_of_a_round(layout)
    outcomes = set()
    for stop in range(steps):
        house = House(layout, Sources(kept=kept)).rounds(2)
        for _ in range(stop):
            house.step()
        current = house.state.round
        in_betting = current.phase is RoundPhase.BETTING
        is_lost = bool(current.commitment) and current.fixed is None and (in_betting or not kept)
        house.restart().rounds(3).clean()
        third = house.state.history[2]
        assert third.number == 3
        assert third.void == ("interrupted" if is_lost else "")
        assert third.dice == current.fixed or current.fixed is None
        assert bool(third.opening) == (kept or not is_lost)
        assert not third.void or all(line.returned == line.stake for line in third.lines)
        outcomes.add((current.phase is not RoundPhase.BETWEEN, is_lost))
    # Before the commitment, between it and the call, in the round before the close, and after.
    assert outcomes == {(False, False), (True, True), (True, False)} | (set() if kept else {(False, True)})


@BOOKS
def test_at_an_attended_table_an_interruption_waits_for_people(layout: str) -> None:
    """At an attended table the dealer resolves nothing by itself, and goes on once two people have."""
    house = House(layout, unattended=False).rounds(1).at(Stage.BETTING)
    house.restart()
    move = house.step()
    assert (move.command, move.at, move.stage) == (None, None, Stage.INTERRUPTED)
    house.hand(c.ResolveInterruption(()), DAN, LEE, "nothing to be read")
    house.rounds(1).clean()
    assert [past.void for past in house.state.history] == ["", "interrupted", ""]


@BOOKS
def test_at_an_attended_table_a_closed_round_goes_on_by_itself(layout: str) -> None:
    """Its dice are on record with the close: nobody has to say what they show."""
    house = House(layout, unattended=False).rounds(1).at(Stage.CLOSING)
    fixed = house.state.round.fixed
    assert fixed is not None
    house.restart().rounds(1).clean()
    assert (house.state.history[1].void, house.state.history[1].dice) == ("", fixed)


def test_a_round_that_the_crew_voids_is_opened_by_the_house() -> None:
    """As its next step, before another round is committed: nobody voids rounds and hides what they would have been."""
    house = House(TAI_SAI).rounds(1).at(Stage.BETTING)
    house.hand(c.Report(Fact.EXPOSED), DAN)
    assert house.state.history[-1].opening == ""
    house.rounds(1).clean()
    opened = [what for what in house.happened(e.DiceOpened) if what.dice is None]
    assert [(what.round, bool(what.opening)) for what in opened] == [(2, True)]
    assert house.state.history[1].opening == opened[0].opening


def test_a_secret_lost_before_the_round_began_makes_it_void_on_record() -> None:
    """The round begins and is interrupted at once; bets placed in between are returned."""
    house = House(NZ, unattended=False).rounds(1).at(Stage.TUMBLING)
    assert house.state.round.phase is RoundPhase.BETWEEN
    house.restart().until(lambda: bool(house.state.round.interrupted))
    assert house.state.round.stacks
    assert house.move()[:3] == (None, None, Stage.INTERRUPTED)
    house.hand(c.ResolveInterruption(()), DAN, LEE, "virtual dice")
    house.rounds(1).clean()
    past = house.state.history[1]
    assert (past.number, past.void, past.opening) == (2, "interrupted", "")
    assert past.lines
    assert all(line.returned == line.stake for line in past.lines)


def test_unattended_resolutions_are_on_record_as_two_of_the_house() -> None:
    """The automatic dealer gives the command, the automatic supervisor authorises it, with the reason."""
    house = House(NZ).rounds(1).at(Stage.BETTING)
    house.restart().rounds(1)
    resolved = next(event for event in house.events() if isinstance(event.what, e.InterruptionResolved))
    assert (resolved.by, resolved.authorised_by) == (DEALER, None)
    assert resolved.reason


def test_a_secret_lost_without_an_interruption_interrupts_the_round() -> None:
    """A dealer that takes over a round in play and cannot open its dice interrupts it at once."""
    house = House(TAI_SAI).rounds(1).at(Stage.BETTING)
    house.dealer = AutomaticDealer(house.book, VirtualTumbler(), unattended=True, purpose=c.Purpose.DEMO)
    command = house.step().command
    assert command is not None
    assert isinstance(command.do, c.Interrupt)
    house.rounds(1).clean()
    assert house.state.history[1].void == "interrupted"


# ------------------------------------------------------------------ mischief


@pytest.mark.clause("nz-division-9 §7.1(a)", "rws-tai-sai-v6 §5.5.2", "rws-open-cover-v3 §5.1.3")
@BOOKS
def test_dice_that_do_not_lie_flat_void_the_round(layout: str) -> None:
    """Instead of uncovering, the dealer voids the round for the book's reason; the next round is dealt."""
    house = House(layout, lambda: ScriptedDice([Mischief.NOT_FLAT, parse_roll("1,2,3")])).rounds(2).clean()
    assert [past.void for past in house.state.history] == ["not-flat", ""]
    assert len(house.happened(e.DiceUncovered)) == 1


@pytest.mark.clause("rws-tai-sai-v6 §5.5.1", "rws-open-cover-v3 §5.1.2", "rws-mini-dice-v3 §5.1.1")
@BOOKS
def test_too_few_tumbles_void_the_round_or_are_made_again_before_it(layout: str) -> None:
    """After the close the round is void; a tumble before the first bet is simply made again."""
    house = House(layout, lambda: ScriptedDice([Mischief.TOO_FEW, parse_roll("1,2,3")])).rounds(2).clean()
    first = house.book.procedure.tumble is Tumble.BEFORE_BETS
    assert [past.void for past in house.state.history] == ["" if first else "too-few-tumbles", ""]
    assert [each.times for each in house.happened(e.DiceTumbled)] == ([2, 4, 3] if first else [2, 3])


@pytest.mark.clause("nz-division-9 §7.1(c)", "rws-tai-sai-v6 §5.5.3")
@BOOKS
def test_dice_exposed_before_the_close_void_the_round_where_the_book_says_so(layout: str) -> None:
    """A cover that lifts during the betting voids the round; a book that tumbles after the close does not mind."""
    house = House(layout, lambda: ScriptedDice([Mischief.EXPOSED, parse_roll("1,2,3")])).rounds(2).clean()
    minds = layout in (NZ, TAI_SAI)
    past = house.state.history[0]
    assert past.void == ("exposed" if minds else "")
    if minds:
        assert past.ended_at - past.opened_at == BETTING_US // 2
        assert all(line.returned == line.stake for line in past.lines)


# ------------------------------------------------------------------ waiting


def test_the_dealer_waits_for_a_table_that_is_not_open() -> None:
    """At a table that is new, closed, or suspended between rounds there is nothing to do until people change it."""
    house = House(TAI_SAI).rounds(1)
    dealer = house.dealer
    new = dealer.next_move(TableState(TABLE), house.now)
    assert (new.command, new.at, new.stage) == (None, None, Stage.NOT_OPEN)
    house.hand(c.SuspendTable("smoke"))
    assert house.move()[:3] == (None, None, Stage.SUSPENDED)
    house.hand(c.ResumeTable(c.Mending.MENDED, "aired"), LEE)
    assert house.move().at is not None
    house.hand(c.CloseTable({}), LEE)
    assert house.move()[:3] == (None, None, Stage.NOT_OPEN)


def test_a_table_suspended_in_a_round_deals_it_to_its_end() -> None:
    """The round in play is settled; then the dealer waits."""
    house = House(TAI_SAI).at(Stage.BETTING)
    house.hand(c.SuspendTable("smoke"))
    house.rounds(1)
    assert house.state.history[0].dice is not None
    assert house.move().stage is Stage.SUSPENDED


def test_an_empty_table_is_dealt_once_and_then_waits_for_a_player() -> None:
    """After a round without bets the table idles, until somebody sits down; walking away does not wake it."""
    house = House(TAI_SAI, idle_when_empty=True, players=0).rounds(1)
    assert house.move()[:3] == (None, None, Stage.EMPTY)
    house.hand(c.SitDown("ann"))
    assert len(house.rounds(2).state.history) == 3
    house.hand(c.WalkAway("ann"))
    assert house.move()[:3] == (None, None, Stage.EMPTY)


def test_a_float_too_small_to_pay_waits_for_a_fill() -> None:
    """The dealer gives no command that would be refused; it says why, and pays after the fill."""
    house = House(TAI_SAI, lambda: ScriptedDice([parse_roll("1,1,1")]), players=0, float_count={500: 200})
    house.hand(c.SitDown("ann"))
    house.hand(c.BringChips("ann", 10_000))
    house.at(Stage.BETTING).bet("ann", "triple:1", 5_000)
    house.at(Stage.PAYING)
    house.now = house.move().at or 0
    move = house.move()
    assert (move.command, move.at) == (None, None)
    assert "float-short" in move.why
    house.hand(c.Fill({500: 100_000}), LEE)
    house.rounds(1).clean()
    assert house.state.funds("ann") > 500_000


def test_a_round_that_the_crew_began_is_stopped_by_the_crew() -> None:
    """A round begun before the automatic dealer took over has no committed dice: it closes the bets, the crew voids."""
    house = House(TAI_SAI, opened=False)
    for command in opening_moves(house.state, house.book, set_up_of(TAI_SAI), FLOAT, house.now):
        house.given(command)
    house.hand(c.OpenBets())
    house.until(lambda: house.state.round.phase is RoundPhase.CLOSED)
    assert house.move()[:3] == (None, None, Stage.CREW)
    house.hand(c.Interrupt("people began it"))
    house.hand(c.ResolveInterruption(()), DAN, LEE, "there are no dice")
    house.rounds(1).clean()


def test_a_source_without_dice_is_reported() -> None:
    """When the source has no more dice, the dealer waits and says why."""
    house = House(TAI_SAI, lambda: ScriptedDice([parse_roll("1,2,3")])).rounds(1)
    house.now = house.move().at or 0
    move = house.move()
    assert (move.command, move.at) == (None, None)
    assert "the script ends after 1 rounds" in move.why


def test_people_who_come_and_go_do_not_hold_up_the_round() -> None:
    """Steps are timed from the last step, not from the last event."""
    house = House(TAI_SAI).at(Stage.CLOSING)
    due = house.move().at
    assert due is not None
    house.now = due - 1
    for name in ("eve", "fay"):
        house.hand(c.SitDown(name))
    house.now = due
    assert house.move().command is not None


def test_a_tumble_while_bets_are_open_does_not_make_the_period_longer() -> None:
    """When the dice are tumbled early the close still comes on time, and nobody tumbles again."""
    house = House(TAI_SAI).at(Stage.BETTING)
    due = house.state.round.opened_at + BETTING_US
    house.now = due - 1_000
    house.hand(c.Tumble(3), DEALER)
    assert house.move().at == due
    house.rounds(1).clean()
    assert len(house.happened(e.DiceTumbled)) == 1


# ------------------------------------------------------------------ the terminal


@pytest.mark.clause("nz-division-9 §6.4")
def test_the_terminal_is_entered_whatever_was_pressed_before() -> None:
    """Whatever was pressed before, the last three numbers are the dice when the entry button is pressed."""
    house = House(NZ, lambda: ScriptedDice([parse_roll("2,2,3")])).at(Stage.REVEAL)
    for number in (6, 2, 2):
        house.hand(c.Press(number), DEALER)
    house.rounds(1).clean()
    (entered,) = house.happened(e.ResultEntered)
    assert (entered.dice, entered.matches) == ((2, 2, 3), True)
    assert len(house.happened(e.NumberPressed)) == 4


@pytest.mark.clause("nz-division-9 §7.2")
def test_a_wrong_entry_is_amended_by_two_or_waits_for_people() -> None:
    """At an unattended table the automatic dealer and supervisor amend it; otherwise people do."""
    for unattended in (True, False):
        house = House(NZ, lambda: ScriptedDice([parse_roll("1,2,3")]), unattended=unattended).at(Stage.ENTERING)
        for number in (6, 6, 6):
            house.hand(c.Press(number), DEALER)
        house.hand(c.Enter(), DEALER)
        house.now = house.move().at or 0
        if not unattended:
            assert "entry-wrong" in house.move().why
            house.hand(c.AmendEntry((1, 2, 3)), DAN, LEE, "pressed wrongly")
        house.rounds(1).clean()
        amended = [event for event in house.events() if isinstance(event.what, e.EntryAmended)]
        assert [event.authorised_by for event in amended] == [None if unattended else LEE]


# ------------------------------------------------------------------ displays and settings


def test_the_countdown_shows_the_stage_and_its_end() -> None:
    """Every stage of a round under the New Zealand book is shown with its end, which is never in the past."""
    house = House(NZ, lambda: ScriptedDice([parse_roll("1,2,3")] * 2))
    seen: dict[Stage, int | None] = {}
    while not house.state.history or house.state.round.phase is not RoundPhase.BETTING:
        what, until = house.dealer.countdown(house.state, house.now)
        assert until is None or until >= house.now
        if what is Stage.BETTING and what not in seen:
            house.bet("p1", "small", 100)
        seen.setdefault(what, until)
        house.step()
    assert list(seen) == [
        Stage.BETWEEN, Stage.TUMBLING, Stage.BETTING, Stage.CLOSING, Stage.REVEAL, Stage.ENTERING, Stage.LIT,
        Stage.PAYING,
    ]  # fmt: skip
    shown = house.dealer.countdown(house.state, house.now)
    assert shown == Countdown(Stage.BETTING, house.state.round.opened_at + BETTING_US)


def test_the_display_does_not_show_a_coming_exposure() -> None:
    """A device about to misbehave shows the countdown of any other round."""
    house = House(TAI_SAI, lambda: ScriptedDice([Mischief.EXPOSED])).at(Stage.BETTING)
    assert house.dealer.countdown(house.state, house.now).until == house.state.round.opened_at + BETTING_US


def test_a_wagering_period_under_the_minimum_is_refused() -> None:
    """R20: electronic Tai-Sai keeps betting open for 36 seconds at least; the default is just that."""
    book = shelf().book("nz-division-9")
    AutomaticDealer(book, VirtualTumbler(), minimum_betting_ms=36_000, purpose=c.Purpose.DEMO)
    with pytest.raises(InputFault, match=r"^timing\.betting_ms: needs 36000 or more, got 15000"):
        AutomaticDealer(
            book, VirtualTumbler(), Timing(betting_ms=15_000), minimum_betting_ms=36_000, purpose=c.Purpose.DEMO
        )


# ------------------------------------------------------------------ opening


@pytest.mark.clause("nz-division-9 §5.0")
@BOOKS
def test_a_demonstration_is_opened_by_the_books_check_from_any_state(layout: str) -> None:
    """After any of the commands the remaining ones are asked for again and open the table; an open one needs none."""
    book = shelf().book(layout.partition("/")[0])
    whole = opening_moves(TableState(TABLE), book, set_up_of(layout), FLOAT, 1)
    for stop in range(len(whole)):
        fresh = House(layout, opened=False)
        for command in whole[:stop]:
            fresh.given(command)
        for command in opening_moves(fresh.state, book, set_up_of(layout), FLOAT, 2):
            fresh.given(command)
        assert fresh.state.phase is TablePhase.OPEN
        assert opening_moves(fresh.state, book, set_up_of(layout), FLOAT, 3) == []
        fresh.clean()


@pytest.mark.clause("nz-division-9 §5.0", *(f"{layout.partition('/')[0]} I23" for layout in ONE_OF_EACH_BOOK))
@BOOKS
def test_the_house_opens_its_table_in_its_own_name(layout: str) -> None:
    """It records its source of dice and every light, from any state; nobody is made up to have looked at a seal."""
    book = shelf().book(layout.partition("/")[0])
    whole = house_opening(TableState(TABLE), book, layout, FLOAT, 1)
    for stop in range(len(whole)):
        fresh = House(layout, opened=False)
        for command in whole[:stop]:
            fresh.given(command)
        for command in house_opening(fresh.state, book, layout, FLOAT, 2):
            fresh.given(command)
        assert fresh.state.phase is TablePhase.OPEN
        assert house_opening(fresh.state, book, layout, FLOAT, 3) == []
        events = [event_of(record) for record in fresh.journal.read(TABLE)]
        assert {event.by for event in events} == {DEALER}
        looked_at = (e.ItemChecked, e.TestRunMade, e.DiceReceived, e.DiceSealed, e.DiceInspected)
        assert not [event for event in events if isinstance(event.what, looked_at)]
        tested = fresh.happened(e.SourceTested)[-1]
        assert (tested.source, tested.drawn, tested.sound, tested.dark) == ("virtual dice", TEST_BYTES, True, ())
        fresh.clean()


@pytest.mark.clause("nz-division-9 §5.0")
@pytest.mark.parametrize("wrong", [{"sound": False}, {"dark": ("small",)}])
def test_a_source_that_is_not_sound_opens_nothing(wrong: dict[str, Any]) -> None:
    """A source that failed its test, or a light that stays dark, keeps the table closed until a test passes."""
    house = House(NZ, opened=False)
    *before, tested, opening = house_opening(house.state, house.book, NZ, FLOAT, 1)
    for command in before:
        house.given(command)
    house.given(replace(tested, do=replace(tested.do, **wrong)))
    assert house.keeper.do(opening).refusal is not None
    *_, tested, opening = house_opening(house.state, house.book, NZ, FLOAT, 2)
    house.given(tested)
    house.given(opening)
    house.rounds(1).clean()


def test_a_dealers_table_is_set_up_and_left_to_its_crew() -> None:
    """Without opening only the set-up is given, by the house, and only once."""
    book = shelf().book("nz-division-9")
    moves = opening_moves(TableState(TABLE), book, set_up_of(NZ), FLOAT, 1, opening=False)
    assert [(move.do, move.by) for move in moves] == [(set_up_of(NZ), DEALER)]
    house = House(NZ, players=0)
    house.hand(c.CloseTable({}), LEE)
    assert opening_moves(house.state, book, set_up_of(NZ), FLOAT, 1, opening=False) == []


def test_a_closed_table_is_opened_again_with_other_limits() -> None:
    """New limits are a new set-up, and the house tests its source and the lights again."""
    house = House(NZ).rounds(1)
    count = {500: house.state.balance("float") // 500}
    house.hand(c.CloseTable(count), LEE)
    wanted = set_up_of(NZ, c.TableLimits(5, c.BoxLimit(10, 1000)))
    tested = VirtualTumbler().test()
    moves = house_opening_moves(house.state, house.book, wanted, FLOAT, house.now, dealing=DEALING, tested=tested)
    assert [type(move.do) for move in moves] == [c.SetUp, c.CountFloat, c.TestSource, c.OpenTable]
    for command in moves:
        house.given(command)
    assert house.state.phase is TablePhase.OPEN
    house.rounds(1).clean()


def test_damaged_dice_are_changed_at_the_opening() -> None:
    """Where people deal, a damaged set is retired, and one that was already received takes its place."""
    house = House(NZ, opened=False)
    for command in opening_moves(house.state, house.book, set_up_of(NZ), FLOAT, house.now):
        house.given(command)
    house.hand(c.CloseTable({}), LEE)
    house.hand(c.CheckItem("seal", passed=True), LEE)  # of the old seal: another one is looked at anew
    house.hand(c.InspectDice(sound=False), LEE)
    house.hand(c.ReceiveDice("spare"), LEE)
    for command in opening_moves(house.state, house.book, set_up_of(NZ), FLOAT, house.now):
        house.given(command)
    assert (house.state.dice_in, house.state.phase) == ("spare", TablePhase.OPEN)
    assert house.state.dice_sets["dice-1"].retired_at is not None
