"""`taisai verify`: virtual dice against their commitment, for one round or for a whole journal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from operator import attrgetter
from typing import Annotated, Final, NamedTuple

import msgspec
from cyclopts import Parameter
from msgspec import Struct

from taisai.audit.openings import dice_of, opened_wrong
from taisai.audit.voids import ENOUGH, Evidence, VoidTest
from taisai.cli.show import AsJson, BookDirs, console, print_json, shelf_of
from taisai.core.bets import Bet, PlayerId
from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_ROLLS, parse_roll, roll_of
from taisai.core.fair import FORM, commitment_of, hex_of, roll_from, secret_of
from taisai.core.faults import InputFault, shown
from taisai.core.money import Chips
from taisai.core.rulebook import Layout
from taisai.core.settlement import settle
from taisai.table import events as e
from taisai.table.commands import Dice

EXIT_WRONG: Final = 1


class Verdict(StrEnum):
    """What became of a committed round."""

    PROVEN = "proven"
    """Its dice are the ones that the house's secret and the players' contributions give."""
    VOID = "void"
    """It was void after its dice were fixed, and they are known; or, of version 0.1, void and not opened."""
    VOID_UNROLLED = "void before the close"
    """It had no roll, and its secret was published afterwards."""
    WITHHELD = "withheld"
    """It was void before its close, and its secret was never published."""
    UNFINISHED = "unfinished"
    """It is in play or to come, or the table closed before it began."""
    WRONG = "wrong"


BAD: Final = (Verdict.WITHHELD, Verdict.WRONG)


class CommittedRound(Struct):
    """A round whose dice were committed."""

    table: str
    round: int
    commitment: str
    form: int = 1
    opening: str = ""
    contributions: tuple[str, ...] = ()
    dice: Dice | None = None
    """As they were fixed, or uncovered; for a round that was void before its close, what they would have been."""
    verdict: Verdict = Verdict.UNFINISHED
    wrong: str = ""

    @property
    def brought(self) -> tuple[str, ...] | None:
        """What players brought; None in form 1, which asked them for nothing."""
        return self.contributions if self.form > 1 else None

    def __str__(self) -> str:
        would = "would have been " if self.verdict is Verdict.VOID_UNROLLED else ""
        shows = f", dice {would}{_text(self.dice)}" if self.dice is not None else ""
        return f"table {self.table}, round {self.round}: {self.verdict}{shows}{f': {self.wrong}' if self.wrong else ''}"


class _Seen(NamedTuple):
    """A committed round, and what the test of voids needs of it."""

    what: CommittedRound
    at: int = 0
    layout: str = ""
    bets: tuple[tuple[str, int, int], ...] = ()
    """Box, stake, at risk."""


def verify(
    journal: Annotated[str | None, Parameter(help="The journal: a file, or its address.")] = None,
    /,
    *,
    table: Annotated[str | None, Parameter(help="The table.")] = None,
    round: Annotated[int | None, Parameter(help="The number of the round.")] = None,  # noqa: A002 - the word of the table
    commitment: Annotated[str | None, Parameter(help="What was published before the bets.")] = None,
    opening: Annotated[str | None, Parameter(help="What was published with the dice.")] = None,
    contributions: Annotated[str, Parameter(help="What players brought, with commas between.")] = "",
    dice: Annotated[str | None, Parameter(help="The dice that were shown, as 1,3,6.")] = None,
    form: Annotated[int, Parameter(help="1 for a round of version 0.1, whose dice were fixed before the bets.")] = FORM,
    book_dir: BookDirs = (),
    json: AsJson = False,
) -> int:
    """Check virtual dice against the commitment that was published before the bets.

    Without a journal one round is checked: whether the opening fits, and which dice it gives with what players brought.
    With a journal every committed round is, or those of one table, or one round. Void rounds are counted apart, with a
    test whether they favour the house. Exit code 1 when anything does not fit, when a void round was never opened, or
    when the voids favour the house. What is hashed, and how to do it with other tools, is in docs/fair-dice.md.

    Examples:
      taisai verify --table T1 --round 12 --commitment 8f1c… --opening 03a9… --contributions 5c1e… --dice 1,3,6
      taisai verify floor.db
      taisai verify floor.db --table T1 --round 12
    """
    if journal is not None:
        for name, value in (("--commitment", commitment), ("--opening", opening), ("--dice", dice)):
            if value is not None:
                raise InputFault(name, "a journal has its own; give one or the other")
        return _journal(journal, table, round, book_dir, json=json)
    if table is None or round is None or commitment is None or opening is None:
        raise InputFault("", "give a journal, or --table, --round, --commitment and --opening")
    given = CommittedRound(table, round, commitment, form, opening, tuple(filter(None, contributions.split(","))))
    return _one(given, dice, json=json)


def _text(dice: Dice) -> str:
    return ",".join(map(str, dice))


# ------------------------------------------------------------------ one round


def _one(given: CommittedRound, dice: str | None, *, json: bool) -> int:
    secret = secret_of(given.opening.lower(), "--opening")
    expected = hex_of(given.commitment.lower(), "--commitment")
    said = parse_roll(dice, "--dice") if dice is not None else None
    try:
        fits = commitment_of(secret, given.table, given.round, given.form) == expected
        roll = roll_from(secret, given.table, given.round, given.contributions, given.form)
    except InputFault as fault:
        raise InputFault(f"--{fault.field}", fault.reason) from None
    agrees = said is None or said == roll
    if json:
        told = {"table": given.table, "round": given.round, "fits": fits, "dice": roll.faces, "dice_agree": agrees}
        print_json(told)
    else:
        fitting = "[bold green]fits[/]" if fits else "[bold red]does not fit[/]"
        console().print(f"the opening {fitting} the commitment, and gives the dice {roll}")
        if not agrees:
            console().print(f"the dice said to have been shown are [bold red]others[/]: {said}")
    return 0 if fits and agrees else EXIT_WRONG


# ------------------------------------------------------------------ a journal


def _journal(address: str, table: str | None, number: int | None, book_dir: BookDirs, *, json: bool) -> int:
    from taisai.journal import open_journal  # noqa: PLC0415 - lazily: one round is checked without a store
    from taisai.streams.codec import KIND_OF, event_of  # noqa: PLC0415 - as above
    from taisai.streams.house_events import game_tables  # noqa: PLC0415 - as above

    looked_at = {KIND_OF[each] for each in _LOOKED_AT}
    with open_journal(address, read_only=True) as journal:
        tables = game_tables(journal)
        if table is not None and table not in tables:
            raise InputFault("--table", f"no table {shown(table)}; there are {', '.join(tables) or 'none'}")
        found = [
            each
            for name in (tables if table is None else [table])
            for each in _rounds(name, (event_of(record) for record in journal.read(name) if record.kind in looked_at))
            if number is None or each.what.round == number
        ]
    if number is not None and not found:
        raise InputFault("--round", f"no round {number} with committed dice")
    rounds = [each.what for each in found]
    counted = Counter(each.verdict for each in rounds)
    evidence, passed_over = _tested(found, book_dir)
    if json:
        counts = {str(verdict): counted[verdict] for verdict in Verdict}
        test = {**msgspec.to_builtins(evidence), "favour_house": evidence.favours_house, "not_looked_at": passed_over}
        print_json({"journal": address, "counts": counts, "voids": test, "rounds": rounds})
    else:
        _show(rounds, counted, one=number is not None)
        if number is None:
            _show_voids(evidence, passed_over)
    is_bad = any(counted[verdict] for verdict in BAD) or evidence.favours_house
    return EXIT_WRONG if is_bad else 0


def _show(found: list[CommittedRound], counted: Counter[Verdict], *, one: bool) -> None:
    for each in found:
        if one or each.verdict in BAD:
            console().print(str(each), markup=False, soft_wrap=True)
        if one:
            console().print(f"  commitment    {each.commitment}", soft_wrap=True)
            console().print(f"  opening       {each.opening or '-'}", soft_wrap=True)
            console().print(f"  contributions {','.join(each.contributions) or '-'}", soft_wrap=True)
    parts = [
        f"[bold {'red' if counted[verdict] else 'green'}]{counted[verdict]:,} {verdict}[/]"
        if verdict in BAD
        else f"{counted[verdict]:,} {verdict}"
        for verdict in Verdict
    ]
    console().print(f"{len(found):,} rounds with committed dice: {', '.join(parts)}")


def _show_voids(evidence: Evidence, passed_over: int) -> None:
    if evidence.void_rounds or evidence.favours_house:
        verdict = (
            f"[bold red]the voids favour the house[/], as was plain after {evidence.found_at:,} rounds"
            if evidence.favours_house
            else "nothing shows that they favour the house"
        )
        figures = f"{evidence.void_rounds:,} of {evidence.rounds:,} rounds with bets are void, their dice known"
        console().print(f"{figures}: {verdict} (evidence {evidence.peak:,.1f}, {ENOUGH:,} is proof)", soft_wrap=True)
    if passed_over:
        console().print(f"{passed_over:,} rounds could not be tested: their rule book is not at hand", soft_wrap=True)


def _tested(found: list[_Seen], book_dir: BookDirs) -> tuple[Evidence, int]:
    """Whether voids favour the house, and how many rounds could not be looked at for want of their book."""
    shelf, test, passed_over = shelf_of(book_dir), VoidTest(), 0
    layouts: dict[str, Layout | None] = {}
    for what, _, name, bets in sorted(found, key=attrgetter("at")):
        if what.dice is None or not bets or what.verdict not in _TESTED:
            continue
        if name not in layouts:
            try:
                layouts[name] = shelf.layout(name)
            except (InputFault, LookupError):
                layouts[name] = None
        layout = layouts[name]
        try:
            # What a round with drawn odds was worth is not in its bets alone.
            wins = None if layout is None or layout.draws else _wins(layout, bets)
        except InputFault:  # a box that the layout at hand does not have
            wins = None
        if wins is None:
            passed_over += 1
        else:
            test.see(wins, roll_of(what.dice).index, void=what.verdict is not Verdict.PROVEN)
    return test.evidence, passed_over


_TESTED: Final = (Verdict.PROVEN, Verdict.VOID, Verdict.VOID_UNROLLED)


def _wins(layout: Layout, bets: tuple[tuple[str, int, int], ...]) -> list[int]:
    """What the house wins on each of the 216 rolls."""
    placed = [Bet(PlayerId("p"), BoxName(box), Chips(stake)) for box, stake, _ in bets]
    at_risk = [Chips(risk) for _, _, risk in bets]
    staked = sum(stake for _, stake, _ in bets)
    return [staked - settle(layout, roll, placed, at_risk).totals.returned for roll in ALL_ROLLS]


_LOOKED_AT: Final = (
    e.TableSetUp, e.DiceCommitted, e.BetsOpened, e.BetsClosed, e.DiceOpened, e.DiceUncovered, e.RoundConcluded,
    e.RoundVoided, e.TableClosed,
)  # fmt: skip
"""The few events that tell of committed dice; single bets are passed over."""


class _Reading:
    """The committed rounds of a table, as its events go by."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.number = 0
        self.is_open = False
        self.layout = ""
        self.current: CommittedRound | None = None
        self.bets: tuple[tuple[str, int, int], ...] = ()
        self.unopened: dict[int, _Seen] = {}
        """Rounds that were void before their close, until their secret is published."""

    def see(self, event: e.Event) -> Iterator[_Seen]:
        """What is complete after an event."""
        what, current = event.what, self.current
        match what:
            case e.TableSetUp():
                self.layout = f"{what.book}/{what.layout}"
            case e.DiceCommitted():
                if current is not None:
                    current.verdict, current.wrong = Verdict.WRONG, "it was committed a second time"
                    yield _Seen(current)
                self.current = current = CommittedRound(self.table, what.round, what.commitment, what.form)
                if self.is_open or what.round != self.number + 1:
                    current.verdict, current.wrong = Verdict.WRONG, "it was not committed right before it began"
            case e.BetsOpened():
                self.number, self.is_open, self.bets = what.round, True, ()
            case e.BetsClosed():
                self.bets = tuple((bet.box, bet.stake, bet.at_risk) for bet in what.bets)
            case e.DiceOpened() if what.dice is None:
                if (late := self.unopened.pop(what.round, None)) is not None:
                    yield _opened_late(late, what)
            case e.DiceOpened():
                if current is not None:
                    current.opening, current.dice = what.opening, what.dice
                    current.contributions = what.contributions
            case e.DiceUncovered():
                if current is not None:
                    current.opening, current.dice = what.opening, what.dice
            case e.RoundConcluded() | e.RoundVoided() | e.TableClosed():
                self.is_open, self.current = False, None
                if current is not None:
                    yield from self._ended(current, event, what)
            case _:
                pass

    def _ended(
        self, current: CommittedRound, event: e.Event, what: e.RoundConcluded | e.RoundVoided | e.TableClosed
    ) -> Iterator[_Seen]:
        bets = self.bets
        if isinstance(what, e.RoundVoided) and not bets:
            bets = tuple((part.box, part.amount, part.amount) for part in what.handed)
        ended = _Seen(_judged(current, what), event.at, self.layout, bets)
        if current.verdict is Verdict.WITHHELD:
            self.unopened[current.round] = ended
        else:
            yield ended


def _rounds(table: str, events: Iterable[e.Event]) -> Iterator[_Seen]:
    """The committed rounds of a table, each with what became of it."""
    reading = _Reading(table)
    for event in events:
        yield from reading.see(event)
    if reading.current is not None:
        yield _Seen(reading.current)
    yield from reading.unopened.values()


def _opened_late(late: _Seen, what: e.DiceOpened) -> _Seen:
    """A round that was void before its close, once its secret is known."""
    of = late.what
    of.opening, of.contributions = what.opening, what.contributions
    of.wrong = opened_wrong(of.commitment, of.opening, of.table, of.round, None, contributions=of.brought)
    of.verdict = Verdict.WRONG if of.wrong else Verdict.VOID_UNROLLED
    of.dice = None if of.wrong else dice_of(of.opening, of.table, of.round, of.brought)
    return late


def _judged(current: CommittedRound, end: e.RoundConcluded | e.RoundVoided | e.TableClosed) -> CommittedRound:
    told = (current.commitment, current.opening, current.table, current.round)
    match end:
        case e.RoundConcluded():
            wrong = opened_wrong(*told, end.dice, contributions=current.brought)
        case e.RoundVoided() if current.dice is not None:
            wrong = opened_wrong(*told, current.dice, contributions=current.brought)
        case _:
            wrong = ""
    current.wrong = current.wrong or wrong
    if current.wrong:
        current.verdict = Verdict.WRONG
    elif isinstance(end, e.RoundVoided):
        is_withheld = current.form > 1 and not current.opening
        current.verdict = Verdict.WITHHELD if is_withheld else Verdict.VOID
    elif isinstance(end, e.RoundConcluded):
        current.verdict = Verdict.PROVEN
    return current
