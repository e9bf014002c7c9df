"""Whole shifts with faults, under each book: whatever people do, in whatever order, the invariants hold.

The machine deals a table by the next natural step, and in between lets things go wrong: voids, interruptions,
restarts, wrong entries, failed lights, chips found on the felt, walk-aways, reversals, and any command at all. What
must hold after every event is in `invariants`.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from taisai.audit import recount
from taisai.core.fair import commitment_of
from taisai.core.rulebook import Fact, Rule
from taisai.table import commands as c
from taisai.table.evolve import evolve
from taisai.table.handlers.betting import breaches
from taisai.table.people import Person
from taisai.table.refusals import Refusal
from taisai.table.state import RoundPhase, TablePhase, snapshot_of, state_from
from tests.core.samples import LAYOUT_NAMES
from tests.table.driver import DEALER, HOUR, PIT_MANAGER, SHIFT_MANAGER, SUPERVISOR, SYSTEM, Deal, player
from tests.table.strategies import NAMES, TORTURE, commands, examples

names: Final = st.sampled_from(NAMES)
chances: Final = st.randoms(use_true_random=True)
"""Details come from a seed: cheap to draw, so that shifts are long and differ."""


def _limits(layout: str, tight: bool) -> c.TableLimits:
    kinds = {"small": c.BoxLimit(10, 400), "big": c.BoxLimit(20, 900)} if tight and "mini-dice" not in layout else {}
    pairs = {"big-small": 150, "odd-even": 50} if "tai-sai" in layout else {}
    return c.TableLimits(5, c.BoxLimit(10, 300 if tight else 5000), kinds, pairs)


def _dice(chance: Random) -> c.Dice:
    return chance.randint(1, 6), chance.randint(1, 6), chance.randint(1, 6)


class WholeShift(RuleBasedStateMachine):
    """One table under one layout; the layout is set by the subclass."""

    layout: str

    def __init__(self) -> None:
        super().__init__()
        self.deal = Deal(self.layout)
        self.boxes = [""]
        self.secret = bytes(32)
        """What the dice were last committed to."""
        self.kept = (0, snapshot_of(self.deal.state))
        """A snapshot, and after how many events it was made."""

    @initialize(tight=st.booleans(), chips=st.sampled_from([20, 300]))
    def open_table(self, tight: bool, chips: int) -> None:
        """Open, with three players and a small set of red chips."""
        self.deal = Deal(self.layout, _limits(self.layout, tight))
        self.deal.open(colours={"red": c.ColourSet(chips), "blue": c.ColourSet(300)})
        self.put(c.AssignDealing(c.DealtBy.PEOPLE, purpose=c.Purpose.DEMO), SYSTEM)
        self.deal.seat(ann=5000, bob=2000, cas=100)
        self.put(c.TakeColour("bob", "red", 25, 500))
        on_layout = list(recount.boxes(self.layout))
        favourites = [
            box for box in ("small", "big", "odd", "even", "single:3", "single:4", "field") if box in on_layout
        ]
        self.boxes = [*favourites, *on_layout]

    # -------------------------------------------------------------- how commands are put

    def put(self, do: c.Action, by: Person = DEALER, *, alter: bool = False) -> bool:
        """Ask for something; whether it was done."""
        second = PIT_MANAGER if alter else None
        return self.put_command(self.deal.command(do, SUPERVISOR if alter else by, second, "seen" if alter else ""))

    def put_command(self, command: c.Command) -> bool:
        """Put a whole command; a refusal leaves nothing behind."""
        found = self.deal.decide(command)
        if isinstance(found, Refusal):
            return False
        self.deal.take(found)
        return True

    @property
    def phase(self) -> RoundPhase:
        """How far the round is."""
        return self.deal.phase

    def is_betting(self) -> bool:
        """Whether bets are open, and the round is not interrupted."""
        return self.phase is RoundPhase.BETTING and not self.deal.state.round.interrupted

    def is_known(self) -> bool:
        """Whether the dice are on record."""
        return self.deal.state.round.dice is not None

    def is_between(self) -> bool:
        """Whether no round is in play."""
        return self.phase is RoundPhase.BETWEEN

    # -------------------------------------------------------------- the round goes on

    @rule(chance=chances)
    def go_on(self, chance: Random) -> None:
        """The next natural step; a round that opens gets its bets."""
        state = self.deal.state
        if state.phase is TablePhase.CLOSED:
            self._reopen()
        elif state.held:
            self.put(c.Attest(Fact(state.held[0].fact), confirmed=chance.random() < 0.5), PIT_MANAGER)
        elif state.round.interrupted:
            self.put(c.ResolveInterruption(state.round.dice or ()), alter=True)
        elif state.suspended and self.is_between():
            if self.deal.rules.book.has(Rule.TEST_RUNS):
                self.deal.test_runs()
            self.put(c.ResumeTable(c.Mending.MENDED, "looked after"), SUPERVISOR)
        else:
            self._next_step(_dice(chance))
        if self.is_betting() and not self.deal.state.round.stacks:
            self.place_all(chance)

    @rule(chance=chances, until=st.sampled_from(RoundPhase))
    def go_on_until(self, chance: Random, until: RoundPhase) -> None:
        """Natural steps up to a phase of the round."""
        for _ in range(20):
            self.go_on(chance)
            if self.phase is until:
                break

    def _next_step(self, faces: c.Dice) -> None:
        current = self.deal.state.round
        match current.phase:
            case RoundPhase.BETWEEN:
                self._fetch_players()
                if self.deal.tumbles_first and current.tumbles < 3:
                    self.put(c.Tumble(3))
                self.put(c.OpenBets(60_000 if current.commitment else None))
            case RoundPhase.BETTING if current.commitment:
                self.deal.clock = max(self.deal.clock, current.closes_at)
                self._open_or_give_up()
            case RoundPhase.BETTING:
                self.put(c.CloseBets())
            case RoundPhase.CLOSED:
                if current.tumbles < 3:
                    self.put(c.Tumble(3))
                self.put(c.Uncover(current.fixed or faces))
            case RoundPhase.UNCOVERED:
                self.put(c.Announce())
            case RoundPhase.ANNOUNCED if self.deal.rules.has_terminal:
                for number in current.dice or ():
                    self.put(c.Press(number))
                self.put(c.Enter())
            case RoundPhase.ANNOUNCED | RoundPhase.ENTERED:
                if not self.put(c.Collect()) and current.dice is not None:
                    self.put(c.AmendEntry(current.dice), alter=True)
            case RoundPhase.COLLECTED:
                self.put(c.PayNext())

    def _open_or_give_up(self) -> None:
        """Virtual dice are opened with the close; a round that was committed to who knows what is void."""
        opening, number = self.secret.hex(), self.deal.state.round.number
        if not self.put(c.CloseBets(opening)) and self.put(c.Interrupt("the secret is lost"), SYSTEM):
            self.put(c.ResolveInterruption(()), alter=True)
            self.put(c.OpenDice(number, opening))

    def _fetch_players(self) -> None:
        """Everybody sits, with chips to play."""
        for name in NAMES:
            if name not in self.deal.state.players:
                self.put(c.SitDown(name), player(name))
            if self.deal.state.balance(f"player:{name}") < 500:
                self.put(c.BuyIn(name, 1000))

    def _reopen(self) -> None:
        if not self.deal.state.balance("float"):
            self.put(c.CountFloat({100: 1000}), SUPERVISOR)
        self.put(c.TestRun((1, 2, 3), lit_correctly=True), SUPERVISOR)
        for item in self.deal.rules.book.procedure.opening:
            self.put(c.CheckItem(item.item, passed=True), SUPERVISOR)
        self.put(c.OpenTable(), SUPERVISOR)

    @precondition(is_betting)
    @rule(chance=chances)
    def place_all(self, chance: Random) -> None:
        """Players bet; the dealer puts down what is called, or finds chips there."""
        for _ in range(chance.randint(1, 8)):
            name, how = chance.choice(NAMES), chance.choice([*c.How, c.How.PLACED, c.How.FELT])
            box = chance.choice(self.boxes[:6] if chance.random() < 0.5 else self.boxes)
            amount = chance.choice([5 * chance.randint(1, 20), 5 * chance.randint(1, 140), chance.randint(1, 700)])
            seat = self.deal.state.players.get(name)
            colour = seat.colour if seat is not None and chance.random() < 0.5 else None
            if seat is not None and colour and chance.random() < 0.8:
                amount = seat.value * chance.randint(1, 20)
            self.put(c.PlaceBet(name, box, amount, how, colour), player(name) if how is c.How.PLACED else DEALER)

    @precondition(is_betting)
    @rule(chance=chances)
    def withdraw(self, chance: Random) -> None:
        """A player takes chips back, all or some of them."""
        for name, mine in list(self.deal.state.round.stakes.items()):
            box = chance.choice(sorted(mine))
            amount = chance.choice([None, mine[box], 5, 25, chance.randint(1, mine[box] + 1)])
            self.put(c.WithdrawBet(name, box, amount), player(name))

    @precondition(is_betting)
    @rule(chance=chances)
    def mend_bets(self, chance: Random) -> None:
        """The dealer rejects what is over, advises who is under, a supervisor rules on a line."""
        for breach in breaches(self.deal.rules, self.deal.state):
            if breach.player is not None:
                assert self.put(c.AdviseMinimum(breach.player, breach.box)), "who is shown as under can be told"
        while over := [breach for breach in breaches(self.deal.rules, self.deal.state) if breach.player is None]:
            assert self.put(c.RejectExcess(over[0].box)), "what is shown as over can be rejected"
        for name, mine in list(self.deal.state.round.stakes.items()):
            box = chance.choice(sorted(mine))
            self.put(c.TouchLine(name, box))
            do = c.RuleOnLine(name, box, honoured=chance.random() < 0.5)
            self.put_command(self.deal.command(do, SUPERVISOR, reason="on the line"))

    # -------------------------------------------------------------- things go wrong

    @rule(why=st.sampled_from(Fact), announced=st.booleans())
    def void(self, why: Fact, announced: bool) -> None:
        """The round is void."""
        self.put(c.Report(why, announced=announced), alter=True)

    @rule(chance=chances, count=st.integers(0, 3), told=st.booleans())
    def interrupt(self, chance: Random, count: int, told: bool) -> None:
        """Power fails; dealer and supervisor say which dice can be read."""
        self.put(c.Interrupt("power"), SYSTEM)
        lie = self.deal.state.round.dice or _dice(chance)
        self.put(c.ResolveInterruption(lie[:count], lie if told else None), alter=True)

    @rule()
    def restart(self) -> None:
        """The house restarts: the last snapshot and what followed give the state, and the round is interrupted."""
        since, snapshot = self.kept
        restored = state_from(snapshot)
        for event in self.deal.record[since:]:
            restored = evolve(restored, event)
        assert restored == self.deal.state
        self.deal.state = restored
        self.kept = (len(self.deal.record), snapshot_of(restored))
        self.put(c.Interrupt("the house was restarted"), SYSTEM)

    @precondition(is_known)
    @rule(chance=chances)
    def enter_wrong(self, chance: Random) -> None:
        """Somebody enters whatever they like."""
        for number in _dice(chance):
            self.put(c.Press(number))
        self.put(c.Enter())

    @precondition(is_known)
    @rule(fault=st.sampled_from(["", "dark"]))
    def lights_fail(self, fault: str) -> None:
        """The lights fail."""
        self.put(c.Report(Fact.LIGHTS_FAULT, fault))

    @precondition(is_known)
    @rule(chance=chances)
    def correct(self, chance: Random) -> None:
        """Moved bets go back where they belong."""
        for bet in self.deal.state.round.bets:
            amount = chance.choice([bet.stake, chance.randint(1, bet.stake + 1)])
            ground = chance.choice(list(c.MoveGround))
            self.put(c.CorrectBet(bet.player, bet.box, chance.choice(self.boxes), amount, ground), alter=True)

    @precondition(is_between)
    @rule(chance=chances)
    def reverse(self, chance: Random) -> None:
        """Damaged dice are found: rounds are reversed; then whoever owes pays what they have."""
        self.put(c.InspectDice(sound=False), SUPERVISOR)
        self.put(c.Attest(Fact.DAMAGED_DICE, confirmed=chance.random() < 0.9), PIT_MANAGER)
        for name in NAMES:
            owed = abs(self.deal.state.balance(f"debt:{name}"))
            if owed:
                self.put(c.SettleDebt(name, owed))

    @rule(chance=chances)
    def commit(self, chance: Random) -> None:
        """The dice of the next round are committed, in time or not."""
        secret, number = chance.randbytes(32), self.deal.state.round.number + 1
        if self.put(c.CommitDice(commitment_of(secret, self.deal.state.table, number))):
            self.secret = secret

    @rule(times=st.integers(0, 4))
    def tumble(self, times: int) -> None:
        """The tumbler is started, in time or not."""
        self.put(c.Tumble(times))

    @rule(sound=st.booleans())
    def look_at_the_dice(self, sound: bool) -> None:
        """The dice are looked at; damaged ones are changed, and somebody says so."""
        self.deal.clock += 9 * HOUR
        if self.put(c.InspectDice(sound), SUPERVISOR) and not sound and self.deal.state.dice_in is not None:
            self.put(c.RetireDice(self.deal.state.dice_in), SUPERVISOR)
        state = self.deal.state
        if state.dice_in is None or not state.dice_sets[state.dice_in].sound:
            fresh = f"d{len(state.dice_sets) + 1}"
            self.put(c.RetireDice(state.dice_in or ""), SUPERVISOR)
            self.put(c.ReceiveDice(fresh), SUPERVISOR)
            self.put(c.SealDice(fresh, "s9"), SUPERVISOR)

    # -------------------------------------------------------------- the house goes on around it

    @rule(name=names, colour=st.sampled_from(["red", "blue"]), value=st.sampled_from([5, 25]))
    def take_colour(self, name: str, colour: str, value: int) -> None:
        """A player takes a colour."""
        self.put(c.TakeColour(name, colour, value, value * 4))

    @rule(name=names)
    def go_and_come(self, name: str) -> None:
        """A player is gone, turns in, leaves, comes back, buys in: as far as each is allowed."""
        self.put(c.WalkAway(name), SYSTEM)
        self.put(c.TurnInColour(name))
        self.put(c.LeaveTable(name), player(name))
        self.put(c.SitDown(name), player(name))
        self.put(c.BuyIn(name, 100))
        self.put(c.CashOut(name, 5))
        self.put(c.BringChips(name, 500))

    @rule(tight=st.booleans())
    def change_the_house(self, tight: bool) -> None:
        """Limits change; chips come from the cage and go there."""
        self.put(c.SetLimits(_limits(self.layout, tight)), alter=True)
        self.put(c.Fill({100: 50}), SUPERVISOR)
        self.put(c.Credit({100: 2}), SUPERVISOR)
        self.put(c.SuspendTable("a fuse"), DEALER)

    @precondition(is_between)
    @rule(counted=st.sampled_from([0, 900, 1100]))
    def close_table(self, counted: int) -> None:
        """The table closes with whatever count."""
        for name in NAMES:
            self.put(c.TurnInColour(name))
        self.put(c.CloseTable({100: counted}), SUPERVISOR)

    @rule(number=st.integers(1, 4))
    def write_down(self, number: int) -> None:
        """Errors, disputes and rulings are recorded and change nothing."""
        before = self.deal.state
        self.put(c.NoteError(number, "paid short"))
        self.put(c.OpenDispute(f"q{number}", "ann", number, "it lay on big"), player("ann"))
        self.put(c.ResolveDispute(f"q{number}", "the record stands"), SUPERVISOR)
        self.put(c.MakeRuling("a die in the cup", "it counts", c.RulingGround.MEANING, ("5.1",)), SHIFT_MANAGER)
        after = self.deal.state
        assert (after.ledger, after.round, after.history) == (before.ledger, before.round, before.history)

    @rule(command=commands())
    def anything(self, command: c.Command) -> None:
        """Any command at all: done or refused, never an exception."""
        self.put_command(command)

    def teardown(self) -> None:
        """The whole record replays to the state."""
        self.deal.replays()


def machine_of(layout: str) -> type[WholeShift]:
    """The machine of one layout."""
    return type("Shift", (WholeShift,), {"layout": layout})


@pytest.mark.parametrize("layout", LAYOUT_NAMES)
def test_a_whole_shift_holds_the_invariants(layout: str) -> None:
    """Under every layout of every book, shifts with faults keep money, bets, lights and records whole."""
    run_state_machine_as_test(machine_of(layout), settings=examples(6, stateful_step_count=30))


def one_move(shift: WholeShift, chance: Random) -> None:
    """Mostly the next step; now and then something else."""
    yes = chance.random() < 0.5
    moves: list[tuple[int, Callable[[], None]]] = [
        (12, lambda: shift.go_on(chance)),
        (4, lambda: shift.go_on_until(chance, chance.choice(list(RoundPhase)))),
        (1, lambda: shift.void(chance.choice(list(Fact)), yes)),
        (2, lambda: shift.interrupt(chance, chance.randint(0, 3), yes)),
        (1, shift.restart),
        (1, lambda: shift.commit(chance)),
        (1, lambda: shift.tumble(chance.randint(0, 4))),
        (1, lambda: shift.look_at_the_dice(yes)),
        (2, lambda: shift.take_colour(chance.choice(NAMES), chance.choice(["red", "blue"]), chance.choice([5, 25]))),
        (1, lambda: shift.go_and_come(chance.choice(NAMES))),
        (1, lambda: shift.change_the_house(yes)),
        (1, lambda: shift.write_down(chance.randint(1, 4))),
    ]
    if shift.is_betting():
        moves += [(6, lambda: shift.place_all(chance)), (3, lambda: shift.withdraw(chance))]
        moves += [(2, lambda: shift.mend_bets(chance))]
    if shift.is_known():
        moves += [(2, lambda: shift.correct(chance)), (2, lambda: shift.lights_fail("dark"))]
        moves += [(2, lambda: shift.enter_wrong(chance))]
    if shift.is_between():
        moves += [
            (4, lambda: shift.commit(chance)),
            (4, lambda: shift.reverse(chance)),
            (1, lambda: shift.close_table(chance.choice([0, 900, 1100]))),
        ]
    chance.choices([move for _, move in moves], [weight for weight, _ in moves])[0]()


@pytest.mark.parametrize("layout", LAYOUT_NAMES)
def test_long_shifts_dealt_by_chance_hold_the_invariants(layout: str) -> None:
    """Long shifts from fixed seeds go deeper than drawn ones: many rounds, colours, debts, reversals."""
    for seed in range(2 * TORTURE):
        chance = Random(f"{layout} {seed}")
        shift = machine_of(layout)()
        shift.open_table(tight=seed % 2 == 0, chips=chance.choice([20, 300]))
        for _ in range(120):
            one_move(shift, chance)
        shift.teardown()
