"""Events and refusals as people read them: one line each, calls as the dealer says them.

Enters: what happened. Leaves: lines of output, `> ` for a call, `- ` for an event, `! ` for a refusal. An event without
a sentence of its own is told by its name and its fields, so a new one is never silent. Wording only: no amount is
computed here beyond sums and differences of what the event says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import msgspec

from taisai.table import events as e
from taisai.table.commands import Count, DealtBy, Dice, How, Mending
from taisai.table.notation.fields import sign_text
from taisai.table.notation.script import output_line
from taisai.table.parts import FixedBet, Handed, ReversedLine
from taisai.table.refusals import Refusal, cite

CALL, EVENT, REFUSAL = ">", "-", "!"

_BELL = "(bell)"


def output_of(what: e.EventBody) -> tuple[str, ...]:
    """An event in lines of output."""
    return tuple(output_line(mark, text) for mark, text in _lines(what))


def refusal_line(refusal: Refusal) -> str:
    """A refusal in a line of output: code, sentence, clauses, what is allowed."""
    return output_line(REFUSAL, str(refusal))


def _lines(what: e.EventBody) -> Iterator[tuple[str, str]]:
    match what:
        case e.BetsOpened():
            yield EVENT, f"round {what.round} begins"
            yield CALL, what.call
        case e.BetsClosed():
            yield CALL, f"{what.call} {_BELL}" if what.bell else what.call
            yield EVENT, f"bets stand: {_fixed(what.bets)}"
            for flag in what.flags:
                yield EVENT, f"flag {flag.code}: {flag.text}{_by(flag.clauses)}"
        case e.ResultAnnounced():
            yield CALL, what.call
        case e.FactRecorded():
            if what.call:
                yield CALL, what.call
            yield EVENT, _fact(what)
        case e.RollVoided():
            if what.call:
                yield CALL, what.call
            yield EVENT, f"round {what.round}: the roll does not count, {what.why}{_by(what.clauses)}; the bets stand"
        case e.DiceCorrected():
            yield EVENT, f"dice on record as {_dice(what.before)} show {_dice(what.after)}"
            if what.call:
                yield CALL, what.call
            if what.lit:
                yield EVENT, f"lit: {_lit(what.lit)}"
        case e.RoundVoided():
            if what.announced:
                yield CALL, what.call
            unsaid = "" if what.announced else ", not announced"
            yield EVENT, f"round {what.round} void, {what.why}{unsaid}{_by(what.clauses)}: {_handed(what.handed)}"
        case _:
            sentence = _SENTENCES.get(type(what))
            yield EVENT, sentence(what) if sentence is not None else _plainly(what)


def _plainly(what: e.EventBody) -> str:
    """The name of an event and what it holds."""
    held = msgspec.to_builtins(what)
    return " ".join([held.pop("event"), *(f"{key}={value}" for key, value in held.items())])


# ------------------------------------------------------------------ parts of sentences


def _by(clauses: Iterable[str]) -> str:
    cited = cite(clauses)
    return f" ({cited})" if cited else ""


def _dice(dice: Iterable[int]) -> str:
    return ",".join(map(str, dice))


def _count(count: Count) -> str:
    return ", ".join(f"{number} of {chip}" for chip, number in count.items()) or "no chips"


def _times(times: int) -> str:
    return "once" if times == 1 else f"{times} times"


def _note(note: str) -> str:
    return f", {note}" if note else ""


def _in_colour(amount: int, in_colour: int, colour: str | None) -> str:
    if not in_colour:
        return ""
    return f" in {colour}" if in_colour == amount else f" ({in_colour} of it in {colour})"


def _handed(parts: Iterable[Handed]) -> str:
    told_parts = [
        f"{part.player} gets {part.amount}{_in_colour(part.amount, part.in_colour, part.colour)} back from {part.box}"
        for part in parts
    ]
    return "; ".join(told_parts) or "no bets to hand back"


def _fixed(bets: Iterable[FixedBet]) -> str:
    told_bets = []
    for bet in bets:
        part = f"{bet.player} {bet.box} {bet.stake}{_in_colour(bet.stake, bet.in_colour, bet.colour)}"
        told_bets.append(part if bet.at_risk == bet.stake else f"{part}, {bet.at_risk} at risk")
    return "; ".join(told_bets) or "none"


def _lit(boxes: Iterable[str]) -> str:
    return ", ".join(boxes) or "nothing"


def _fact(what: e.FactRecorded) -> str:
    corrected = f", which puts right that {what.corrects}" if what.corrects else ""
    of_set = f" of set {what.dice_set}" if what.dice_set else ""
    told = f"fact of round {what.round}: {what.fact}{of_set}{_note(what.note)}{corrected}{_by(what.clauses)}"
    if not what.attested:
        return f"{told}; the round is held until a second person says whether it is so"
    if what.late:
        return f"{told}; found late, no money moves"
    return told if what.then != ("record",) else f"{told}; recorded"


def _attested(what: e.FactAttested) -> str:
    return f"{what.fact} of round {what.round} is {'attested' if what.confirmed else 'not so: the round goes on'}"


# ------------------------------------------------------------------ the shift


def _set_up(what: e.TableSetUp) -> str:
    chips = ", ".join(map(str, what.denominations))
    colours = "".join(f"; {colour} {each.chips} chips" for colour, each in what.colours.items())
    where = f"table set up under {what.book}/{what.layout}"
    return f"{where}: {what.currency}, chips of {chips}, limits {sign_text(what.limits)}{colours}"


def _dealing_assigned(what: e.DealingAssigned) -> str:
    least = f", bets open for {what.betting_min_ms} ms at least" if what.betting_min_ms else ""
    purpose = f", for {what.purpose}" if what.purpose is not None else ""
    return f"table dealt by {'the house alone' if what.to is DealtBy.HOUSE else 'people'}{least}{purpose}"


def _source_tested(what: e.SourceTested) -> str:
    lights = f"dark: {', '.join(what.dark)}" if what.dark else "every area lights"
    return f"{what.source} tested: {what.drawn} bytes {'sound' if what.sound else 'not sound'}, {lights}"


def _inspected(what: e.DiceInspected) -> str:
    return f"dice {what.dice_set} inspected: {'sound' if what.sound else 'damaged'}{_note(what.note)}"


def _test_run(what: e.TestRunMade) -> str:
    answer = "so they did" if what.lit_correctly else "they did not"
    return f"test run of {_dice(what.dice)}: {_lit(what.lit)} should light, {answer}"


def _checked(what: e.ItemChecked) -> str:
    covered = f", runs for all {what.coverage}" if what.coverage else ""
    return f"check of {what.item} {'passed' if what.passed else 'failed'}{covered}{_note(what.note)}"


def _resumed(what: e.TableResumed) -> str:
    by = "mended" if what.by is Mending.MENDED else "a safe procedure is in force"
    return f"table resumed after {what.cause}: {by}{_note(what.note)}"


def _closed(what: e.TableClosed) -> str:
    difference = what.amount - what.expected
    agrees = "as expected" if not difference else f"{abs(difference)} {'over' if difference > 0 else 'short'}"
    leaving = "".join(f"; {player} takes {amount} along" for player, amount in what.leaving.items())
    return f"table closed: float {what.amount} ({_count(what.count)}), {agrees}; drop {what.drop}{leaving}"


# ------------------------------------------------------------------ chips and bets


_HOW: Final[Mapping[How, str]] = {
    How.PLACED: "",
    How.CALL: ", by call",
    How.STAFF: ", put down by staff",
    How.FELT: ", found on the felt",
}


def _raised(raised: Mapping[str, int | str]) -> str:
    return f"; {', '.join(f'{box} pays {odds} to 1' for box, odds in raised.items()) or 'nothing is raised'}"


def _placed(what: e.BetPlaced) -> str:
    colour = f" in {what.colour}" if what.colour is not None else ""
    return f"{what.player} puts {what.amount}{colour} on {what.box}{_HOW[what.how]}"


def _withdrawn(what: e.BetWithdrawn) -> str:
    part = what.handed
    colour = _in_colour(part.amount, part.in_colour, part.colour)
    return f"{part.player} takes {part.amount}{colour} back from {part.box}"


def _advised(what: e.MinimumAdvised) -> str:
    return f"{what.player} is told: {what.stake} on {what.box} is under the minimum of {what.minimum}"


# ------------------------------------------------------------------ result and payment


def _entered(what: e.ResultEntered) -> str:
    wrong = "" if what.matches else ", which is not what the dice show"
    return f"{_dice(what.dice)} entered{wrong}; lit: {_lit(what.lit)}"


def _amended(what: e.EntryAmended) -> str:
    return f"entry amended from {_dice(what.before)} to {_dice(what.after)}; lit: {_lit(what.lit)}"


def _collected(what: e.LosersCollected) -> str:
    parts = "; ".join(f"{loss.player} {loss.box} {loss.amount}" for loss in what.losses)
    return f"collected {sum(loss.amount for loss in what.losses)}: {parts}" if parts else "nothing to collect"


def _paid(what: e.BetPaid) -> str:
    bet = f"{what.player} {what.box} {what.stake}"
    colour = _in_colour(what.returned, what.in_colour, what.colour)
    if what.pays is None:
        return f"{bet} loses {what.at_risk}, {what.returned}{colour} was not at risk and comes back"
    if what.pays == 0:
        return f"{bet} pushes, {what.returned}{colour} to {what.player}"
    share = "" if what.at_risk == what.stake else f" of which {what.at_risk} at risk"
    return f"{bet}{share} wins {what.winnings} at {what.pays} to 1, {what.returned}{colour} to {what.player}"


def _concluded(what: e.RoundConcluded) -> str:
    house = what.staked - what.returned
    verdict = f"house wins {house}" if house > 0 else f"house loses {-house}" if house else "house even"
    return f"round {what.round} over on {_dice(what.dice)}: staked {what.staked}, returned {what.returned}, {verdict}"


# ------------------------------------------------------------------ when something is wrong


def _resolved(what: e.InterruptionResolved) -> str:
    read = f"{_dice(what.readable)} can be read" if what.readable else "no die can be read"
    lies: Dice | None = what.dice
    return f"interruption of round {what.round} over: {read}" + (f", the dice lie {_dice(lies)}" if lies else "")


def _corrected(what: e.BetCorrected) -> str:
    moved = f"{what.player}'s {what.amount} goes back from {what.lies_on} to {what.belongs_on}"
    ground = f", {what.ground}" if what.ground else ""
    return f"{moved}{ground}; bets stand: {_fixed(what.bets)}"


def _line_ruled(what: e.LineRuled) -> str:
    touching = f"{what.player}'s bet touching the line of {what.box}"
    return f"{touching} is honoured" if what.handed is None else f"{touching} is not taken: {_handed((what.handed,))}"


def _undone(lines: Iterable[ReversedLine]) -> str:
    parts = []
    for line in lines:
        moves = [
            f"{verb} {amount}"
            for verb, amount in (
                ("gets", line.given_back),
                ("gives", line.taken),
                ("owes", line.owed),
                ("is owed", line.owing),
            )
            if amount
        ]
        parts.append(f"{line.player} {' and '.join(moves) or 'is even'}")
    return "; ".join(parts) or "no bets"


def _reversed(what: e.RoundReversed) -> str:
    return f"round {what.round} void after all, {what.why}{_by(what.clauses)}: {_undone(what.lines)}"


def _ruled(what: e.Ruled) -> str:
    on = f", {what.ground}, {cite(what.considered)} considered" if what.ground else ""
    of_round = f" of round {what.about}" if what.about else ""
    moved = f";{of_round} {_undone(what.lines)}" if what.lines else ""
    return f"ruling on {what.matter}{on}{_by(what.clauses)}: {what.decision}{moved}"


_SENTENCES: Final[Mapping[type, Callable[..., str]]] = {
    e.TableSetUp: _set_up,
    e.EditionTaken: lambda what: f"table takes up edition {what.book}/{what.layout}, which replaces {what.replaces}",
    e.DealingAssigned: _dealing_assigned,
    e.SourceTested: _source_tested,
    e.ClockSet: lambda what: f"clock set {'back' if what.by_us < 0 else 'forward'} by {abs(what.by_us) / 1e6:.3f} s",
    e.FloatCounted: lambda what: f"float {what.amount} counted: {_count(what.count)}",
    e.DiceReceived: lambda what: f"dice {what.dice_set} received",
    e.DiceSealed: lambda what: f"dice {what.dice_set} sealed in under {what.seal}",
    e.DiceInspected: _inspected,
    e.DiceRetired: lambda what: f"dice {what.dice_set} retired{_note(what.note)}",
    e.DiceOverdue: lambda what: f"dice {what.dice_set} have been in for {what.hours} hours: a change is due",
    e.TestRunMade: _test_run,
    e.ItemChecked: _checked,
    e.TableOpened: lambda _: "table open",
    e.TableSuspended: lambda what: f"table suspended: {what.cause}",
    e.TableResumed: _resumed,
    e.LimitsSet: lambda what: f"limits were {sign_text(what.before)}; now {sign_text(what.after)}",
    e.TableClosed: _closed,
    e.PlayerSat: lambda what: f"{what.player} sits down",
    e.PlayerLeft: lambda what: f"{what.player} leaves with {what.amount}",
    e.PlayerWalkedAway: lambda what: f"{what.player} walks away, bets stand",
    e.BoughtIn: lambda what: f"{what.player} buys in for {what.amount}, cash into the drop",
    e.ChipsBrought: lambda what: f"{what.player} brings {what.amount} in chips",
    e.CashedOut: lambda what: f"{what.player} takes {what.amount} away",
    e.ColourTaken: lambda what: f"{what.player} turns {what.amount} into {what.colour} at {what.value} a chip",
    e.ColourTurnedIn: lambda what: f"{what.player} turns {what.colour} in for {what.amount}",
    e.Filled: lambda what: f"fill of {what.amount}: {_count(what.count)}",
    e.Credited: lambda what: f"credit of {what.amount}: {_count(what.count)}",
    e.DebtSettled: lambda what: (
        f"{what.player} is paid {what.amount} of what the house owes"
        if what.to_player
        else f"{what.player} pays {what.amount} of the debt"
    ),
    e.DiceCommitted: lambda what: f"the house's part in the dice of round {what.round}: commitment {what.commitment}",
    e.DiceOpened: lambda what: (
        f"the house's part in the dice of round {what.round} opened: {what.opening}"
        + (f"; players brought {', '.join(what.contributions)}" if what.contributions else "")
        + (f"; they are {_dice(what.dice)}" if what.dice is not None else "; there is no roll")
    ),
    e.DiceTumbled: lambda what: f"dice tumbled {_times(what.times)} for round {what.round}",
    e.BetPlaced: _placed,
    e.BetWithdrawn: _withdrawn,
    e.MinimumAdvised: _advised,
    e.ExcessRejected: lambda what: f"over the {what.limit} of {what.box}: {_handed(what.handed)}",
    e.OddsDrawn: lambda what: f"odds drawn for round {what.round}: {what.draw}{_raised(what.raised)}",
    e.DiceUncovered: lambda what: (
        f"dice show {_dice(what.dice)}" + (f", as committed: opening {what.opening}" if what.opening else "")
    ),
    e.NumberPressed: lambda what: f"{what.number} pressed",
    e.ResultEntered: _entered,
    e.AreasLit: lambda what: f"lit: {_lit(what.lit)}",
    e.EntryAmended: _amended,
    e.ExcessLeft: lambda what: f"{what.box} is {what.amount} over its {what.limit}, and that was not rejected",
    e.BetReturned: lambda what: (
        f"under the minimum of {what.minimum}, as {what.player} was told: {_handed((what.handed,))}"
    ),
    e.LosersCollected: _collected,
    e.BetPaid: _paid,
    e.RoundConcluded: _concluded,
    e.FactAttested: _attested,
    e.SettlementUndone: lambda what: f"what was settled of round {what.round} goes back: {_undone(what.lines)}",
    e.RoundInterrupted: lambda what: f"round {what.round} interrupted at {what.phase}: {what.cause}",
    e.InterruptionResolved: _resolved,
    e.BetCorrected: _corrected,
    e.LineTouched: lambda what: (
        f"{what.player}'s bet on {what.box} touches the line" + ("" if what.attested else ", says one person alone")
    ),
    e.LineRuled: _line_ruled,
    e.RoundReversed: _reversed,
    e.Ruled: _ruled,
    e.ErrorNoted: lambda what: f"error in round {what.round} noted: {what.what}; later rounds stand",
    e.DisputeOpened: lambda what: f"dispute {what.dispute} by {what.player} on round {what.round}: {what.claim}",
    e.DisputeResolved: lambda what: f"dispute {what.dispute} resolved: {what.resolution}",
}
"""The sentence of every event that is not a call."""
