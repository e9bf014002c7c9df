"""What must hold of every step of every path, each with the clauses that say so.

Enters: a step: the state before, the command, its events, the state after. Leaves: whether it breaks the property. They
are written from the clauses, and look at what is on record, not at what `decide` thought.
"""

from __future__ import annotations

from typing import Final

from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.people import Role
from taisai.table.rules import TableRules
from taisai.table.state import RoundPhase
from tests.exploration.explorer import LIMITS, MONEY, Property, Step

SETTLING: Final = (e.LosersCollected, e.BetPaid, e.RoundConcluded)
CHIPS: Final = (e.BetPlaced, e.BetWithdrawn)


def money_is_not_conserved(_rules: TableRules, step: Step) -> bool:
    """What is in all accounts together is the same before and after, and no box or hand holds less than nothing."""
    before, after = sum(step.before.ledger.values()), sum(step.after.ledger.values())
    negative = any(
        amount < 0 for account, amount in step.after.ledger.items() if account.startswith(("box:", "player:"))
    )
    return before != after or negative


def pays_what_was_not_tumbled(rules: TableRules, step: Step) -> bool:
    """No round is settled whose record shows fewer tumbles than the book asks for, unless people read the dice."""
    least = rules.book.procedure.tumbles_min
    settles = any(isinstance(event.what, SETTLING) for event in step.events)
    return settles and step.before.round.tumbles < least


def settles_without_dice(_rules: TableRules, step: Step) -> bool:
    """No round is settled on dice that are not on record."""
    return step.before.round.dice is None and any(isinstance(event.what, SETTLING) for event in step.events)


def moves_chips_after_the_close(_rules: TableRules, step: Step) -> bool:
    """Nothing is placed, raised or withdrawn but while bets are open."""
    moved = any(isinstance(event.what, CHIPS) for event in step.events)
    return moved and step.before.round.phase is not RoundPhase.BETTING


def acts_for_another(_rules: TableRules, step: Step) -> bool:
    """A player moves their own chips and nobody else's."""
    by = step.command.by
    moved = [event.what for event in step.events if isinstance(event.what, CHIPS)]
    names = {what.player if isinstance(what, e.BetPlaced) else what.handed.player for what in moved}
    return by.role is Role.PLAYER and bool(names - {by.id})


def settles_a_bet_twice(_rules: TableRules, step: Step) -> bool:
    """When a round is over, each bet of the close has been settled exactly once."""
    if not any(isinstance(event.what, e.RoundConcluded) for event in step.events):
        return False
    lines = [(line.player, line.box) for line in step.after.history[-1].lines]
    bets = [(bet.player, bet.box) for bet in step.before.round.bets]
    return sorted(lines) != sorted(bets)


def void_keeps_a_chip(_rules: TableRules, step: Step) -> bool:
    """After a void no chip of the round is left on the felt, and nobody has won or lost by it."""
    if not any(isinstance(event.what, e.RoundVoided) for event in step.events):
        return False
    return any(account.startswith("box:") and amount for account, amount in step.after.ledger.items())


def collects_late(_rules: TableRules, step: Step) -> bool:
    """Losers are collected before any winner is paid."""
    kinds = [type(event.what) for event in step.events]
    paid = e.BetPaid in kinds
    return paid and step.before.round.phase is not RoundPhase.COLLECTED and e.LosersCollected not in kinds


def begins_while_suspended(_rules: TableRules, step: Step) -> bool:
    """A suspended table begins no round."""
    return bool(step.before.suspended) and any(isinstance(event.what, e.BetsOpened) for event in step.events)


def decides_by_other_dice(_rules: TableRules, step: Step) -> bool:
    """A round is concluded on the dice that are on record, whatever the lights or the entry show."""
    return any(isinstance(event.what, e.RoundConcluded) and event.what.dice != step.before.round.dice
               for event in step.events)  # fmt: skip


def moves_chips_of_the_absent(_rules: TableRules, step: Step) -> bool:
    """Nobody places, raises or withdraws for a player who walked away."""
    moved = [event.what for event in step.events if isinstance(event.what, CHIPS)]
    names = {what.player if isinstance(what, e.BetPlaced) else what.handed.player for what in moved}
    return any(not step.before.players[name].present for name in names)


def reverses_without_damage(rules: TableRules, step: Step) -> bool:
    """Damage of a set voids every settled round played with it since it was sound, and nothing else does (I11, I26)."""
    reversed_now = {event.what.round for event in step.events if isinstance(event.what, e.RoundReversed)}
    damage = next((fact for fact in facts_of(step) if fact.fact == "damaged-dice" and fact.attested), None)
    if damage is None or rules.book.id != "rws-tai-sai-v6":
        return bool(reversed_now)
    return reversed_now != {each.number for each in step.before.unproven.get(damage.dice_set, ())}


def facts_of(step: Step) -> list[e.FactRecorded]:
    """The facts that a step puts on record."""
    return [event.what for event in step.events if isinstance(event.what, e.FactRecorded)]


def late_fact_moves_money(_rules: TableRules, step: Step) -> bool:
    """A fact found after its round was concluded is recorded, and no money moves by it (I29)."""
    return any(fact.late for fact in facts_of(step)) and step.before.ledger != step.after.ledger


def void_fact_without_void(_rules: TableRules, step: Step) -> bool:
    """A fact of which the book says that it voids the round voids it, at whatever step the round is."""
    if step.before.round.phase is RoundPhase.BETWEEN:
        return False
    voids = any(fact.attested and not fact.late and not {"void-round", "void-rounds-of-set"}.isdisjoint(fact.then)
                and fact.dice_set in ("", step.before.dice_in)  # damage of other dice is of the rounds played with them
                for fact in facts_of(step))  # fmt: skip
    return voids and not any(isinstance(event.what, e.RoundVoided) for event in step.events)


def void_without_ground(_rules: TableRules, step: Step) -> bool:
    """A round is void by a fact on record or by a ruling, and by nobody's word."""
    voided = any(isinstance(event.what, e.RoundVoided) for event in step.events)
    return voided and not any(isinstance(event.what, e.FactRecorded | e.Ruled) for event in step.events)


def void_against_the_record(rules: TableRules, step: Step) -> bool:
    """Too few tumbles, or none, against a record of enough: only as a correction by two people with a reason."""
    tumbles, least = step.before.round.tumbles, rules.book.procedure.tumbles_min
    two = step.command.authorised_by is not None and bool(step.command.reason)
    if isinstance(step.command.do, c.Tumble):  # that is the tumble itself
        return False
    against = {"too-few-tumbles": tumbles >= least, "not-activated": tumbles > 0}
    return any(against.get(fact.fact, False) and not fact.late and not two for fact in facts_of(step))


def one_person_undoes_a_result(_rules: TableRules, step: Step) -> bool:
    """A known result is undone by two people: the second authorises the fact, or attests it."""
    known = step.before.round.dice is not None
    undone = any(isinstance(event.what, e.RoundVoided | e.RoundReversed) for event in step.events)
    by_two = step.command.authorised_by is not None or isinstance(step.command.do, c.Attest | c.MakeRuling)
    reversed_now = any(isinstance(event.what, e.RoundReversed) for event in step.events)
    return (known or reversed_now) and undone and not by_two


def plays_on_while_held(_rules: TableRules, step: Step) -> bool:
    """While a fact waits for a second person nothing is settled, opened or bet."""
    kinds = (*SETTLING, *CHIPS, e.BetsOpened, e.BetsClosed, e.DiceUncovered, e.ResultAnnounced)
    return bool(step.before.held) and any(isinstance(event.what, kinds) for event in step.events)


def advised_bet_stands(rules: TableRules, step: Step) -> bool:
    """A bet under the minimum of which the player was told does not stand at the close (I21)."""
    closed = next((event.what for event in step.events if isinstance(event.what, e.BetsClosed)), None)
    if closed is None or rules.book.id != "rws-tai-sai-v6":
        return False
    told = set(step.before.round.noticed)
    return any((bet.player, bet.box) in told and bet.stake < LIMITS.default.min for bet in closed.bets)


def excess_unsaid(rules: TableRules, step: Step) -> bool:
    """Closing over a maximum is on record as not rejected."""
    closed = next((event.what for event in step.events if isinstance(event.what, e.BetsClosed)), None)
    if closed is None or rules.book.id != "rws-tai-sai-v6":
        return False
    said = {event.what.box for event in step.events if isinstance(event.what, e.ExcessLeft)}
    totals: dict[str, int] = {}
    for bet in closed.bets:
        totals[bet.box] = totals.get(bet.box, 0) + bet.stake
    return {box for box, total in totals.items() if total > LIMITS.default.max} != said


def rules_below_rank(rules: TableRules, step: Step) -> bool:
    """The shift manager rules and nobody below; a void or named amounts come of it under version six alone."""
    ruling = next((event.what for event in step.events if isinstance(event.what, e.Ruled)), None)
    if ruling is None:
        return False
    voided = any(isinstance(event.what, e.RoundVoided) for event in step.events)
    strange = (voided or ruling.lines) and rules.book.id != "rws-tai-sai-v6"
    return step.command.by.role is not Role.SHIFT_MANAGER or bool(strange)


def rules_on_an_untouched_line(_rules: TableRules, step: Step) -> bool:
    """A bet goes back from a line only when it is on record, and attested, that it touches it (I22)."""
    ruled = next((event.what for event in step.events if isinstance(event.what, e.LineRuled)), None)
    if ruled is None or ruled.honoured:
        return False
    touching = {(each.player, each.box) for each in step.before.round.touching if each.attested}
    return (ruled.player, ruled.box) not in touching


def moves_to_where_it_never_lay(_rules: TableRules, step: Step) -> bool:
    """After the close a bet moves to a box where the player had as much, or two supervisors say it was misplaced."""
    moved = next((event.what for event in step.events if isinstance(event.what, e.BetCorrected)), None)
    if moved is None or moved.ground == "misplaced-by-dealer":
        return False
    lay = {(each.player, each.box) for each in step.before.round.stacks}
    lay |= {(player, box) for player, box, _ in step.before.round.left}
    return (moved.player, moved.belongs_on) not in lay


def dice_rewritten_by_one(_rules: TableRules, step: Step) -> bool:
    """Dice that were called are put right by two people, and never once losers are collected."""
    if not any(isinstance(event.what, e.DiceCorrected) for event in step.events):
        return False
    phase = step.before.round.phase
    alone = step.command.authorised_by is None
    return phase is RoundPhase.COLLECTED or (phase is not RoundPhase.UNCOVERED and alone)


def interruption_against_the_record(_rules: TableRules, step: Step) -> bool:
    """Dice on record before an interruption are the dice after it, and the round is not void for want of them."""
    if not any(isinstance(event.what, e.InterruptionResolved) for event in step.events):
        return False
    before, after = step.before.round.dice, step.after.round.dice
    voided = any(isinstance(event.what, e.RoundVoided) for event in step.events)
    return before is not None and (voided or before != after)


PROPERTIES: Final = (
    Property("nobody bets for the absent", ("rws-tai-sai-v6 §5.3",), moves_chips_of_the_absent),
    Property(
        "damage alone reverses, and all of it",
        ("rws-tai-sai-v6 §5.6", "rws-open-cover-v3 §5.1.1", "rws-mini-dice-v3 §5.1.3"),
        reverses_without_damage,
    ),
    Property("what is found late moves no money", ("rws-tai-sai-v6 §5.8", "nz-division-9 §7.1"), late_fact_moves_money),
    Property(
        "a fact that voids does so until the end",
        ("rws-tai-sai-v6 §5.5.2", "rws-open-cover-v3 §5.1.4", "rws-mini-dice-v3 §5.1.2", "nz-division-9 §7.1"),
        void_fact_without_void,
    ),
    Property("no void without a fact or a ruling", ("rws-tai-sai-v6 §1.9", "nz-division-9 §7.1"), void_without_ground),
    Property(
        "no void against the record",
        ("rws-tai-sai-v6 §5.5.1", "rws-open-cover-v3 §5.1.2", "nz-division-9 §7.1(d)"),
        void_against_the_record,
    ),
    Property("two people undo a result", ("rws-tai-sai-v6 §5.5", "nz-division-9 §7.1"), one_person_undoes_a_result),
    Property("a held round is not played on", ("rws-tai-sai-v6 §5.5", "nz-division-9 §7.1"), plays_on_while_held),
    Property("an advised bet does not stand", ("rws-tai-sai-v6 §5.2",), advised_bet_stands),
    Property("an excess that is left is said", ("rws-tai-sai-v6 §5.1",), excess_unsaid),
    Property("the shift manager rules", ("rws-tai-sai-v6 §5.14",), rules_below_rank),
    Property("a line is ruled on when it was touched", ("nz-division-9 §4.3",), rules_on_an_untouched_line),
    Property("no bet moves to where it never lay", ("nz-division-9 §4.9",), moves_to_where_it_never_lay),
    Property("called dice are put right by two", ("rws-tai-sai-v6 §3.8", "nz-division-9 §6.3"), dice_rewritten_by_one),
    Property(
        "an interruption changes no dice",
        ("rws-tai-sai-v6 §5.4.1", "rws-tai-sai-v6 §5.4.2"),
        interruption_against_the_record,
    ),
    Property(MONEY, ("rws-tai-sai-v6 §3.9", "nz-division-9 §6.5"), money_is_not_conserved),
    Property(
        "no path pays a round whose record shows too few tumbles",
        ("rws-tai-sai-v6 §5.5.1", "rws-open-cover-v3 §5.1.2", "rws-mini-dice-v3 §5.1.1", "nz-division-9 §6.1"),
        pays_what_was_not_tumbled,
    ),
    Property("no path pays without dice", ("rws-tai-sai-v6 §3.8", "nz-division-9 §4.2"), settles_without_dice),
    Property(
        "nothing moves after the close",
        ("rws-tai-sai-v6 §5.7", "rws-open-cover-v3 §5.2", "rws-mini-dice-v3 §5.2", "nz-division-9 §4.7"),
        moves_chips_after_the_close,
    ),
    Property("players move their own chips", ("rws-tai-sai-v6 §5.13", "nz-division-9 §4.6"), acts_for_another),
    Property("each bet is settled once", ("rws-tai-sai-v6 §3.9", "nz-division-9 §6.5"), settles_a_bet_twice),
    Property("a void returns everything", ("rws-tai-sai-v6 §5.12", "nz-division-9 §7.1"), void_keeps_a_chip),
    Property("collected, then paid", ("rws-tai-sai-v6 §3.9", "nz-division-9 §6.5"), collects_late),
    Property("a suspended table begins nothing", ("nz-division-9 §7.4",), begins_while_suspended),
    Property("the dice decide", ("rws-tai-sai-v6 §5.10", "nz-division-9 §7.3"), decides_by_other_dice),
)
