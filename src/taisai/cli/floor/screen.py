"""A shift and a table on the screen, in lines.

Enters: a transcript or a state. Leaves: commands with what they led to, and the table in a few lines.
"""

from __future__ import annotations

from typing import Final

from taisai.cli.show import console, grid
from taisai.core.odds import percent
from taisai.table.figures import table_result
from taisai.table.notation.run import Entry, Transcript
from taisai.table.notation.script import (
    CommandLine,
    Remark,
    Script,
    Setting,
    format_command,
    setting_after,
)
from taisai.table.state import RoundPhase, TablePhase, TableState

_STYLES: Final = {">": "bold", "-": "dim", "!": "red"}


def say(text: str, style: str = "") -> None:
    """Print a line as it stands: nothing in it is markup."""
    console().print(text, style=style or None, markup=False, soft_wrap=True)


def show_shift(script: Script, transcript: Transcript) -> None:
    """The shift as it ran: comments, commands, calls, events, refusals."""
    entries = iter(transcript.entries)
    setting = Setting()
    for line in script.lines:
        if isinstance(line, CommandLine):
            say(format_command(line.command, setting))
            show_entry(next(entries))
        elif isinstance(line, Remark) and not line.text.startswith("# holds:"):
            say(line.text, "dim italic")
        setting = setting_after((line,), setting)
    show_table(transcript.state)


def show_entry(entry: Entry) -> None:
    """What a command led to: calls, events, refusals, each in its style."""
    for line in entry.output:
        say(f"  {line}", _STYLES[line[0]])


def show_table(state: TableState) -> None:
    """The table in a few lines: accounts, players, the result in the figures of a casino."""
    set_up = state.set_up
    under = f" under {set_up.book}/{set_up.layout}, {set_up.currency}" if set_up is not None else ""
    meters = state.meters
    void = f", {meters.voided} void" if meters.voided else ""
    back = f", {meters.reversed} reversed" if meters.reversed else ""
    say("")
    say(
        f"table {state.table}{under}: {phase_words(state)}; {_counted(meters.rounds, 'round')} settled{void}{back}",
        "bold",
    )
    accounts = grid("account", ("balance", "right"))
    for account, balance in sorted(state.ledger.items()):
        accounts.add_row(account, f"{balance:,}")
    if state.ledger:
        console().print(accounts)
    for name, seat in state.players.items():
        colour = f", {seat.colour} at {seat.value} a chip" if seat.colour is not None else ""
        gone = "" if seat.present else ", gone"
        say(f"{name}: {state.funds(name):,} in hand{colour}{gone}")
    result = table_result(state)
    hold = f", hold {percent(result.hold)}" if result.hold is not None else ""
    say(
        f"opener {result.opener:,}, fills {result.fills:,}, credits {result.credits:,}, drop {result.drop:,}, "
        f"closer {result.closer:,}: win {result.win:,}{hold}"
    )


def phase_words(state: TableState) -> str:
    """Where the table stands, in words."""
    words = [str(state.phase)]
    if state.phase is TablePhase.OPEN and state.round.phase is not RoundPhase.BETWEEN:
        words.append(f"round {state.round.number} at {state.round.phase}")
    words += [f"suspended ({state.suspended})"] if state.suspended else []
    words += [f"interrupted ({state.round.interrupted})"] if state.round.interrupted else []
    return ", ".join(words)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
