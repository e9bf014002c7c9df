"""`taisai verify`: virtual dice against their commitment, for one round or for a whole journal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Annotated, Final

from cyclopts import Parameter
from msgspec import Struct

from taisai.audit.openings import opened_wrong
from taisai.cli.show import AsJson, console, print_json
from taisai.core.dice import parse_roll
from taisai.core.fair import commitment_of, hex_of, roll_from, secret_of
from taisai.core.faults import InputFault, shown
from taisai.table import events as e
from taisai.table.commands import Dice

EXIT_WRONG: Final = 1


class Verdict(StrEnum):
    """What became of a committed round."""

    PROVEN = "proven"
    """Its dice are the ones it was committed to."""
    VOID = "void"
    """It is void, and was not opened."""
    UNFINISHED = "unfinished"
    """It is in play or to come, or the table closed before it began."""
    WRONG = "wrong"


class CommittedRound(Struct):
    """A round whose dice were committed."""

    table: str
    round: int
    commitment: str
    opening: str = ""
    dice: Dice | None = None
    verdict: Verdict = Verdict.UNFINISHED
    wrong: str = ""

    def __str__(self) -> str:
        shows = f", dice {_text(self.dice)}" if self.dice is not None else ""
        return f"table {self.table}, round {self.round}: {self.verdict}{shows}{f': {self.wrong}' if self.wrong else ''}"


def verify(
    journal: Annotated[str | None, Parameter(help="The journal: a file, or its address.")] = None,
    /,
    *,
    table: Annotated[str | None, Parameter(help="The table.")] = None,
    round: Annotated[int | None, Parameter(help="The number of the round.")] = None,  # noqa: A002 - the word of the table
    commitment: Annotated[str | None, Parameter(help="What was published before the bets.")] = None,
    opening: Annotated[str | None, Parameter(help="What was published with the dice.")] = None,
    dice: Annotated[str | None, Parameter(help="The dice that were shown, as 1,3,6.")] = None,
    json: AsJson = False,
) -> int:
    """Check virtual dice against the commitment that was published before the bets.

    Without a journal one round is checked: whether the opening fits, and which dice it gives. With a journal every
    committed round is, or those of one table, or one round. Exit code 1 when anything does not fit. What is hashed, and
    how to do it with other tools, is in docs/fair-dice.md.

    Examples:
      taisai verify --table T1 --round 12 --commitment 8f1c… --opening 03a9… --dice 1,3,6
      taisai verify floor.db
      taisai verify floor.db --table T1 --round 12
    """
    if journal is not None:
        for name, value in (("--commitment", commitment), ("--opening", opening), ("--dice", dice)):
            if value is not None:
                raise InputFault(name, "a journal has its own; give one or the other")
        return _journal(journal, table, round, json=json)
    if table is None or round is None or commitment is None or opening is None:
        raise InputFault("", "give a journal, or --table, --round, --commitment and --opening")
    return _one(table, round, commitment, opening, dice, json=json)


def _text(dice: Dice) -> str:
    return ",".join(map(str, dice))


# ------------------------------------------------------------------ one round


def _one(table: str, number: int, commitment: str, opening: str, dice: str | None, *, json: bool) -> int:
    secret = secret_of(opening.lower(), "--opening")
    expected = hex_of(commitment.lower(), "--commitment")
    said = parse_roll(dice, "--dice") if dice is not None else None
    try:
        fits = commitment_of(secret, table, number) == expected
        roll = roll_from(secret, table, number)
    except InputFault as fault:
        raise InputFault(f"--{fault.field}", fault.reason) from None
    agrees = said is None or said == roll
    if json:
        print_json({"table": table, "round": number, "fits": fits, "dice": roll.faces, "dice_agree": agrees})
    else:
        fitting = "[bold green]fits[/]" if fits else "[bold red]does not fit[/]"
        console().print(f"the opening {fitting} the commitment, and gives the dice {roll}")
        if not agrees:
            console().print(f"the dice said to have been shown are [bold red]others[/]: {said}")
    return 0 if fits and agrees else EXIT_WRONG


# ------------------------------------------------------------------ a journal


def _journal(address: str, table: str | None, number: int | None, *, json: bool) -> int:
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
            if number is None or each.round == number
        ]
    if number is not None and not found:
        raise InputFault("--round", f"no round {number} with committed dice")
    counted = Counter(each.verdict for each in found)
    if json:
        counts = {str(verdict): counted[verdict] for verdict in Verdict}
        print_json({"journal": address, "counts": counts, "rounds": found})
    else:
        _show(found, counted, one=number is not None)
    return EXIT_WRONG if counted[Verdict.WRONG] else 0


def _show(found: list[CommittedRound], counted: Counter[Verdict], *, one: bool) -> None:
    for each in found:
        if one or each.verdict is Verdict.WRONG:
            console().print(str(each), markup=False, soft_wrap=True)
        if one:
            console().print(f"  commitment {each.commitment}", soft_wrap=True)
            console().print(f"  opening    {each.opening or '-'}", soft_wrap=True)
    parts = ", ".join(f"{counted[verdict]:,} {verdict}" for verdict in Verdict if verdict is not Verdict.WRONG)
    colour = "red" if counted[Verdict.WRONG] else "green"
    wrong = f"[bold {colour}]{counted[Verdict.WRONG]:,} wrong[/]"
    console().print(f"{len(found):,} rounds with committed dice: {parts}, {wrong}")


_LOOKED_AT: Final = (e.DiceCommitted, e.BetsOpened, e.DiceUncovered, e.RoundConcluded, e.RoundVoided, e.TableClosed)
"""The few events that tell of committed dice; all bets are passed over."""


def _rounds(table: str, events: Iterable[e.Event]) -> Iterator[CommittedRound]:
    """The committed rounds of a table, each with what became of it."""
    number = 0
    is_open = False
    current: CommittedRound | None = None
    for event in events:
        match event.what:
            case e.DiceCommitted():
                if current is not None:
                    current.verdict, current.wrong = Verdict.WRONG, "it was committed a second time"
                    yield current
                current = CommittedRound(table, event.what.round, event.what.commitment)
                if is_open or event.what.round != number + 1:
                    current.verdict, current.wrong = Verdict.WRONG, "it was not committed right before it began"
            case e.BetsOpened():
                number, is_open = event.what.round, True
            case e.DiceUncovered():
                if current is not None:
                    current.opening, current.dice = event.what.opening, event.what.dice
            case e.RoundConcluded() | e.RoundVoided() | e.TableClosed():
                is_open = False
                if current is not None:
                    yield _judged(current, event.what)
                current = None
            case _:
                pass
    if current is not None:
        yield current


def _judged(current: CommittedRound, end: e.RoundConcluded | e.RoundVoided | e.TableClosed) -> CommittedRound:
    match end:
        case e.RoundConcluded():
            wrong = opened_wrong(current.commitment, current.opening, current.table, current.round, end.dice)
        case e.RoundVoided() if current.dice is not None:
            wrong = opened_wrong(current.commitment, current.opening, current.table, current.round, current.dice)
        case _:
            wrong = ""
    current.wrong = current.wrong or wrong
    if current.wrong:
        current.verdict = Verdict.WRONG
    elif isinstance(end, e.RoundVoided):
        current.verdict = Verdict.VOID
    elif isinstance(end, e.RoundConcluded):
        current.verdict = Verdict.PROVEN
    return current
