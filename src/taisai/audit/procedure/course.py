"""The course of a table: what its records say happened, kept a second time for the checks.

Enters: events in order, read by their names and fields. Leaves: a `Course`, plain data that goes into the result of an
audit and comes back out of it. It asks no rule and knows no money but that on the felt: the ledger is replayed
elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct, field

from taisai.audit.procedure.reading import EQUIPMENT, RECORD, SUSPEND

Dice = tuple[int, int, int]
Move = tuple[str, str, int, str]
"""Chips of a player into a box, or with a minus out of it, and how they came there."""
Line = tuple[str, str, int, int, int | str | None, int, int]
"""A settled bet: player, box, stake, at risk, odds, winnings, returned."""

BETWEEN, BETTING, CLOSED, UNCOVERED, ANNOUNCED, ENTERED, COLLECTED = (
    "between-rounds", "betting", "bets-closed", "uncovered", "announced", "entered", "collected",
)  # fmt: skip
KNOWN: Final = frozenset({UNCOVERED, ANNOUNCED, ENTERED, COLLECTED})
"""The steps at which the dice are known."""
DAMAGE: Final = "damaged-dice"
UNOPENED_MAX: Final = 100
"""Void rounds of committed dice that wait for their opening; the table keeps no more either."""


class Turn(Struct):
    """The round in play, or between rounds what is known of the next."""

    number: int = 0
    step: str = BETWEEN
    opened_at: int = 0
    closes_at: int = 0
    commitment: str = ""
    form: int = 0
    opening: str = ""
    fixed: Dice | None = None
    brought: dict[str, str] = field(default_factory=dict)
    draw: str = ""
    """The odds that were drawn."""
    tumbles: int = 0
    tumbled_after_close: bool = False
    again: bool = False
    """The roll did not count: the dice are tumbled again."""
    moves: list[Move] = field(default_factory=list)
    stakes: dict[str, dict[str, int]] = field(default_factory=dict)
    """By box and player, in the order of first placing."""
    totals: dict[str, int] = field(default_factory=dict)
    noticed: list[tuple[str, str]] = field(default_factory=list)
    left_over: dict[str, int] = field(default_factory=dict)
    """Boxes of which the record says that they were over a limit at the close, and by how much."""
    dice: Dice | None = None
    pressed: list[int] = field(default_factory=list)
    entered: Dice | None = None
    by_dice: bool = False
    facts: list[str] = field(default_factory=list)
    touching: list[tuple[str, str, bool]] = field(default_factory=list)
    honoured: list[tuple[str, str]] = field(default_factory=list)
    """Bets on a line that a ruling has honoured."""
    losses: list[tuple[str, str, int]] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    interrupted: bool = False

    def bets(self) -> dict[tuple[str, str], int]:
        """The stakes by player and box."""
        return {(player, box): stake for box, theirs in self.stakes.items() for player, stake in theirs.items()}

    def stake(self, player: str, box: str) -> int:
        """What a player has in a box."""
        return self.stakes.get(box, {}).get(player, 0)

    def most_on(self, player: str, box: str) -> int:
        """The most that a player had in a box at a time in this round, as it was placed."""
        most = now = 0
        for who, where, amount, _ in self.moves:
            if (who, where) == (player, box):
                now += amount
                most = max(most, now)
        return most

    def settled(self) -> Iterator[tuple[str, str, int, int]]:
        """What has been settled of the bets: player, box, how much of the stake, what was returned."""
        done = {(line[0], line[1]) for line in self.lines}
        for player, box, stake, _, _, _, returned in self.lines:
            yield player, box, stake, returned
        for player, box, amount in self.losses:
            if (player, box) not in done:
                yield player, box, amount, 0

    def on_felt(self) -> dict[tuple[str, str], int]:
        """What lies on the felt, by player and box."""
        lies = self.bets()
        for player, box, stake, _ in self.settled():
            if (player, box) in lies:
                lies[player, box] -= stake
        return {key: amount for key, amount in lies.items() if amount}

    def put(self, player: str, box: str, amount: int, how: str) -> None:
        """Chips into a box, or with a minus out of it."""
        self.moves.append((player, box, amount, how))
        theirs = self.stakes.setdefault(box, {})
        theirs[player] = theirs.get(player, 0) + amount
        self.totals[box] = self.totals.get(box, 0) + amount
        if theirs[player] <= 0:
            del theirs[player]
        if not theirs:
            del self.stakes[box], self.totals[box]


class Course(Struct):
    """One table, as its records have it."""

    phase: str = "new"
    book: str = ""
    layout: str = ""
    digest: str = ""
    sign: dict[str, Any] = field(default_factory=dict)
    """The limits, as the record of them has them."""
    coverage: str = "areas"
    dealt_by: str = "people"
    betting_min_ms: int = 0
    purpose: str = ""
    source_sound: bool = False
    suspended: bool = False
    faults: list[str] = field(default_factory=list)
    """Facts that suspend, of equipment that is not mended."""
    procedure: str = ""
    held: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Facts that wait for a second person: who recorded them, and in which role."""
    attested: str = ""
    """The fact that two people have attested just now."""
    seated: dict[str, bool] = field(default_factory=dict)
    """Players at the table, and whether they are there."""
    colours: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Colours that are out: whose they are, and what a chip is worth."""
    dice_in: str = ""
    sets: dict[str, bool] = field(default_factory=dict)
    """Sets of dice at the table, and whether they are sound."""
    played: dict[str, dict[str, dict[str, tuple[int, int]]]] = field(default_factory=dict)
    """By set of dice the rounds settled since it was last found sound: what each player staked and got back."""
    played_under: dict[str, str] = field(default_factory=dict)
    """The book of each of those rounds."""
    items: dict[str, bool] = field(default_factory=dict)
    tests: dict[str, bool] = field(default_factory=dict)
    """Test runs since the lights were last in doubt, by the dice from low to high: whether the right areas lit."""
    unopened: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    """Void rounds of committed dice that are not opened yet: the commitment, and what players brought."""
    void_by_fact: dict[str, str] = field(default_factory=dict)
    """The newest rounds that are void by a fact, and why."""
    due: list[tuple[str, str]] = field(default_factory=list)
    """What must follow now: the kind of the event, and which."""
    due_of: str = ""
    """What it must follow from."""
    ruling: bool = False
    """The shift manager has ruled just now."""
    turn: Turn = field(default_factory=Turn)
    looked: dict[str, dict[str, int]] = field(default_factory=dict)
    """By book: how often each check looked."""
    unseen: dict[str, int] = field(default_factory=dict)
    """What could not be checked, and how often."""

    def affected(self, dice_set: str) -> list[str]:
        """The rounds settled with a set since it was last found sound, under the book at hand."""
        return [number for number in self.played.get(dice_set, ()) if self.played_under.get(number) == self.book]

    def could_not(self, what: str, count: int = 1) -> None:
        """Count what could not be checked."""
        self.unseen[what] = self.unseen.get(what, 0) + count

    def look(self, what: str, count: int = 1) -> None:
        """Count a check."""
        of_book = self.looked.setdefault(self.book, {})
        of_book[what] = of_book.get(what, 0) + count

    def look_at(self, boxes: Mapping[str, int]) -> None:
        """Count bets that were recounted, by their boxes."""
        of_book = self.looked.setdefault(self.book, {})
        for box, count in boxes.items():
            key = f"box:{self.layout}:{box}"
            of_book[key] = of_book.get(key, 0) + count


Follow = Callable[[Course, Any, Any], None]
"""What an event (the second argument) that says something (the third) makes of a course."""


# ------------------------------------------------------------------ the shift


def _set_up(course: Course, _event: Any, what: Any) -> None:
    course.phase, course.book, course.layout, course.digest = "closed", what.book, what.layout, what.digest
    course.sign, course.coverage = plain_limits(what.limits), str(what.coverage)
    course.items, course.tests, course.source_sound = {}, {}, False


def plain_limits(limits: Any) -> dict[str, Any]:
    """Limits as plain values."""
    return {
        "unit": limits.unit,
        "default": _plain_limit(limits.default),
        "kinds": {kind: _plain_limit(each) for kind, each in limits.kinds.items()},
        "differential": dict(limits.differential),
    }


def _plain_limit(limit: Any) -> dict[str, Any]:
    return {"min": limit.min, "max": limit.max, "per": str(limit.per)}


def _edition(course: Course, _event: Any, what: Any) -> None:
    under = course.played_under
    course.played_under = {number: what.book if book == what.replaces else book for number, book in under.items()}
    course.book, course.layout, course.digest = what.book, what.layout, what.digest


def _assigned(course: Course, _event: Any, what: Any) -> None:
    course.dealt_by, course.betting_min_ms = str(what.to), what.betting_min_ms
    course.purpose = "" if what.purpose is None else str(what.purpose)


def _source(course: Course, _event: Any, what: Any) -> None:
    course.source_sound = what.sound and not what.dark


def _clock(course: Course, _event: Any, what: Any) -> None:
    turn = course.turn
    turn.opened_at += what.by_us if turn.opened_at else 0
    turn.closes_at += what.by_us if turn.closes_at else 0


def _received(course: Course, _event: Any, what: Any) -> None:
    course.sets[what.dice_set] = True


def _sealed(course: Course, _event: Any, what: Any) -> None:
    course.dice_in, course.turn.tumbles = what.dice_set, 0
    course.items.pop("seal", None)


def _inspected(course: Course, _event: Any, what: Any) -> None:
    course.sets[what.dice_set], course.turn.tumbles = what.sound, 0
    if what.sound:
        for number in course.played.pop(what.dice_set, {}):
            course.played_under.pop(number, None)


def _retired(course: Course, _event: Any, what: Any) -> None:
    course.sets.pop(what.dice_set, None)
    if course.dice_in == what.dice_set:
        course.dice_in, course.turn.tumbles = "", 0


def _tested(course: Course, _event: Any, what: Any) -> None:
    course.tests[",".join(map(str, sorted(what.dice)))] = what.lit_correctly
    if not what.lit_correctly:
        course.items.pop("test-run", None)


def _item(course: Course, _event: Any, what: Any) -> None:
    course.items[what.item] = what.passed


def _opened(course: Course, _event: Any, _what: Any) -> None:
    course.phase = "open"


def _suspended(course: Course, _event: Any, _what: Any) -> None:
    course.suspended = True


def _resumed(course: Course, _event: Any, what: Any) -> None:
    course.suspended = False
    mended = str(what.by) == "mended"
    course.procedure = "" if mended else what.note
    if mended:
        course.faults = []


def _limits(course: Course, _event: Any, what: Any) -> None:
    course.sign = plain_limits(what.after)


def _closed_down(course: Course, _event: Any, _what: Any) -> None:
    course.phase, course.seated, course.items, course.tests = "closed", {}, {}, {}
    course.source_sound = course.suspended = False
    course.faults, course.procedure, course.held, course.colours = [], "", {}, {}
    course.turn = Turn(number=course.turn.number)


def _sat(course: Course, _event: Any, what: Any) -> None:
    course.seated[what.player] = True


def _gone(course: Course, _event: Any, what: Any) -> None:
    course.seated.pop(what.player, None)


def _away(course: Course, _event: Any, what: Any) -> None:
    course.seated[what.player] = False


def _colour(course: Course, _event: Any, what: Any) -> None:
    course.colours[what.colour] = (what.player, what.value)


def _colour_back(course: Course, _event: Any, what: Any) -> None:
    course.colours.pop(what.colour, None)


# ------------------------------------------------------------------ the round


def _committed(course: Course, _event: Any, what: Any) -> None:
    course.turn.commitment, course.turn.form = what.commitment, what.form


def _tumbled(course: Course, _event: Any, what: Any) -> None:
    turn = course.turn
    before_it = turn.tumbles > 0 and not turn.tumbled_after_close
    turn.tumbles, turn.tumbled_after_close, turn.again = what.times, turn.step == CLOSED and not before_it, False


def _bets_opened(course: Course, event: Any, what: Any) -> None:
    before = course.turn
    course.turn = Turn(
        number=what.round,
        step=BETTING,
        opened_at=event.at,
        closes_at=what.closes_at,
        commitment=before.commitment,
        form=before.form,
        tumbles=before.tumbles,
        by_dice=not EQUIPMENT.isdisjoint(course.faults),
    )


def _withdrawn(course: Course, _event: Any, what: Any) -> None:
    course.turn.put(what.handed.player, what.handed.box, -what.handed.amount, "")


def _advised(course: Course, _event: Any, what: Any) -> None:
    course.turn.noticed.append((what.player, what.box))


def _rejected(course: Course, _event: Any, what: Any) -> None:
    for part in what.handed:
        course.turn.put(part.player, part.box, -part.amount, "")
        course.turn.noticed.append((part.player, part.box))


def _left_over(course: Course, _event: Any, what: Any) -> None:
    course.turn.left_over[what.box] = what.amount


def _bets_closed(course: Course, _event: Any, _what: Any) -> None:
    course.turn.step = CLOSED


def _dice_opened(course: Course, _event: Any, what: Any) -> None:
    if what.dice is None:
        course.unopened.pop(str(what.round), None)
    else:
        course.turn.opening, course.turn.fixed = what.opening, what.dice


def _odds_drawn(course: Course, _event: Any, what: Any) -> None:
    course.turn.draw = what.draw


def _uncovered(course: Course, _event: Any, what: Any) -> None:
    course.turn.step, course.turn.dice = UNCOVERED, what.dice


def _announced(course: Course, _event: Any, _what: Any) -> None:
    course.turn.step = ANNOUNCED


def _pressed(course: Course, _event: Any, what: Any) -> None:
    course.turn.pressed = [*course.turn.pressed, what.number][-3:]


def _entered(course: Course, _event: Any, what: Any) -> None:
    course.turn.step, course.turn.entered, course.turn.pressed = ENTERED, what.dice, []


def _amended(course: Course, _event: Any, what: Any) -> None:
    course.turn.entered = what.after


def _dice_corrected(course: Course, _event: Any, what: Any) -> None:
    course.turn.dice = what.after


def _collected(course: Course, _event: Any, what: Any) -> None:
    turn = course.turn
    turn.step = COLLECTED
    turn.losses = [(loss.player, loss.box, loss.amount) for loss in what.losses]
    # A loser that was not wholly at risk is settled when the rest of its stake is handed back.
    turn.lines = [
        (player, box, amount, amount, None, 0, 0)
        for player, box, amount in turn.losses
        if turn.stake(player, box) == amount
    ]


def _ended(course: Course) -> None:
    course.turn = Turn(number=course.turn.number)
    course.held = {fact: who for fact, who in course.held.items() if fact.startswith(DAMAGE)}


def _concluded(course: Course, _event: Any, what: Any) -> None:
    turn = course.turn
    if course.dice_in and not turn.commitment:  # virtual dice cannot be damaged
        players: dict[str, tuple[int, int]] = {}
        for player, _, stake, _, _, _, returned in turn.lines:
            before = players.get(player, (0, 0))
            players[player] = (before[0] + stake, before[1] + returned)
        course.played.setdefault(course.dice_in, {})[str(what.round)] = players
        course.played_under[str(what.round)] = course.book
    _ended(course)


# ------------------------------------------------------------------ when something is wrong


def waits_as(what: Any) -> str:
    """The name under which a fact waits for a second person: of damaged dice with the set, where the record has it."""
    return f"{what.fact} {what.dice_set}".rstrip()


def _fact(course: Course, event: Any, what: Any) -> None:
    turn = course.turn
    if not what.attested:
        course.held[waits_as(what)] = (event.by.id, str(event.by.role))
        return
    if what.fact == DAMAGE and what.dice_set:
        course.sets[what.dice_set] = False
        if what.dice_set != course.dice_in:
            return
    if what.late or tuple(what.then) == (RECORD,):
        return
    if SUSPEND in what.then and course.phase == "open" and what.fact not in course.faults:
        course.faults.append(what.fact)
    if what.fact in EQUIPMENT:
        course.tests = {}
        course.items.pop("test-run", None)
    if what.fact == "tumbler-fault":
        course.items.pop("tumbler", None)
    if turn.step == BETWEEN:
        turn.tumbles = 0
        return
    turn.facts.append(what.fact)
    turn.by_dice = turn.by_dice or "dice-decide" in what.then


def _attested(course: Course, _event: Any, what: Any) -> None:
    course.held.pop(waits_as(what), None)


def _roll_void(course: Course, _event: Any, _what: Any) -> None:
    turn = course.turn
    turn.step = BETTING if turn.step == BETTING else CLOSED
    turn.tumbles, turn.tumbled_after_close, turn.again = 0, False, True
    turn.dice, turn.entered, turn.pressed = None, None, []


def _void(course: Course, _event: Any, what: Any) -> None:
    turn = course.turn
    if turn.commitment and not turn.opening:
        course.unopened[str(what.round)] = (turn.commitment, sorted(turn.brought.values()))
        for number in list(course.unopened)[:-UNOPENED_MAX]:
            del course.unopened[number]
    if what.why == "damaged-dice" and course.dice_in:
        course.sets[course.dice_in] = False
    turn.number = what.round
    _void_by(course, what)
    _ended(course)


def _void_by(course: Course, what: Any) -> None:
    if what.why != "ruling":
        course.void_by_fact[str(what.round)] = what.why
        for number in list(course.void_by_fact)[:-UNOPENED_MAX]:
            del course.void_by_fact[number]


def _interrupted(course: Course, _event: Any, _what: Any) -> None:
    course.turn.interrupted = True


def _resolved(course: Course, _event: Any, what: Any) -> None:
    course.turn.interrupted = False
    if what.dice is not None:
        course.turn.dice, course.turn.step = what.dice, UNCOVERED


def _bet_corrected(course: Course, _event: Any, what: Any) -> None:
    turn = course.turn
    moves = turn.moves
    turn.put(what.player, what.lies_on, -what.amount, "")
    turn.put(what.player, what.belongs_on, what.amount, "")
    turn.moves = moves[:-2]  # where it was placed is what was placed before the close


def _touched(course: Course, _event: Any, what: Any) -> None:
    touching = course.turn.touching
    course.turn.touching = [each for each in touching if each[:2] != (what.player, what.box)]
    course.turn.touching.append((what.player, what.box, what.attested))


def _line_ruled(course: Course, _event: Any, what: Any) -> None:
    if what.handed is not None:
        course.turn.put(what.player, what.box, -what.handed.amount, "")
    else:
        course.turn.honoured.append((what.player, what.box))


def _reversed(course: Course, _event: Any, what: Any) -> None:
    for rounds in course.played.values():
        rounds.pop(str(what.round), None)
    course.played_under.pop(str(what.round), None)
    _void_by(course, what)


FOLLOWS: Final[Mapping[str, Follow]] = {
    "table-set-up": _set_up,
    "edition-taken": _edition,
    "dealing-assigned": _assigned,
    "source-tested": _source,
    "clock-set": _clock,
    "dice-received": _received,
    "dice-sealed": _sealed,
    "dice-inspected": _inspected,
    "dice-retired": _retired,
    "test-run-made": _tested,
    "item-checked": _item,
    "table-opened": _opened,
    "table-suspended": _suspended,
    "table-resumed": _resumed,
    "limits-set": _limits,
    "table-closed": _closed_down,
    "player-sat": _sat,
    "player-left": _gone,
    "player-walked-away": _away,
    "colour-taken": _colour,
    "colour-turned-in": _colour_back,
    "dice-committed": _committed,
    "dice-tumbled": _tumbled,
    "bets-opened": _bets_opened,
    "bet-withdrawn": _withdrawn,
    "bet-returned": _withdrawn,
    "minimum-advised": _advised,
    "excess-rejected": _rejected,
    "excess-left": _left_over,
    "bets-closed": _bets_closed,
    "dice-opened": _dice_opened,
    "odds-drawn": _odds_drawn,
    "dice-uncovered": _uncovered,
    "result-announced": _announced,
    "number-pressed": _pressed,
    "result-entered": _entered,
    "entry-amended": _amended,
    "dice-corrected": _dice_corrected,
    "losers-collected": _collected,
    "round-concluded": _concluded,
    "fact-recorded": _fact,
    "fact-attested": _attested,
    "roll-voided": _roll_void,
    "round-voided": _void,
    "round-interrupted": _interrupted,
    "interruption-resolved": _resolved,
    "bet-corrected": _bet_corrected,
    "line-touched": _touched,
    "line-ruled": _line_ruled,
    "round-reversed": _reversed,
}
"""What each event makes of a course, by its name; the others move money alone, or nothing."""


def boxes_of(lines: list[Line]) -> Counter[str]:
    """How many settled bets there are in each box."""
    return Counter([line[1] for line in lines])
