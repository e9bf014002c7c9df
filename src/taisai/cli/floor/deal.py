"""`taisai deal`: a shift from a file with its calls on screen, or a table dealt in the terminal.

Enters: a `*.shift` file, or lines typed at a prompt. Leaves: what was called, what happened, what was refused, and the
table at the end. Dice of the terminal come from the machine's own source of chance; the rules know nothing of it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from secrets import SystemRandom
from typing import Annotated, Final

from cyclopts import Parameter
from msgspec import Struct
from msgspec.structs import replace

from taisai.books import Shelf
from taisai.cli.show import AsJson, BookDirs, console, grid, print_json, shelf_of
from taisai.core.faults import InputFault
from taisai.core.odds import percent
from taisai.core.rulebook import Rule, RuleBook, Tumble
from taisai.table.decide import may_begin
from taisai.table.notation.fields import VERBS, Unreadable, fields_of, usage, verb_named
from taisai.table.notation.run import Entry, Transcript, blessed, differences, run_shift, step, with_digest
from taisai.table.notation.script import (
    CommandLine,
    Line,
    PeopleLine,
    Remark,
    Script,
    Setting,
    StartLine,
    TableLine,
    format_command,
    format_shift,
    parse_line,
    parse_shift,
    setting_after,
)
from taisai.table.people import Person, Role
from taisai.table.recall import explain_line, exposure, table_result
from taisai.table.refusals import Code, cite
from taisai.table.rules import TableRules
from taisai.table.state import RoundPhase, TablePhase, TableState

EXIT_DIFFERENT: Final = 1
SHIFT_BYTES_MAX: Final = 16 * 2**20

_STYLES: Final = {">": "bold", "-": "dim", "!": "red"}


def deal(
    shift: Annotated[
        str,
        Parameter(
            help="A .shift file; - is standard input; with --interactive a layout, as BOOK/LAYOUT.",
            allow_leading_hyphen=True,
        ),
    ],
    /,
    *,
    interactive: Annotated[
        bool, Parameter(help="Deal a table of that layout in the terminal, with virtual dice.", negative=())
    ] = False,
    check: Annotated[
        bool, Parameter(help="Compare with the output in the file; exit code 1 when it differs.", negative=())
    ] = False,
    notation: Annotated[
        bool, Parameter(help="Print the shift with its output, as a file that --check would pass.", negative=())
    ] = False,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> int:
    """Deal a shift from a file, or a table in the terminal.

    A file holds one command a line: who, verb, arguments (docs/shifts.md). Calls, events and refusals are shown as they
    come; a refused command does not stop the shift. At a terminal, begin with quick; help tells what is possible.

    Examples:
      taisai deal evening.shift
      taisai deal evening.shift --check
      taisai deal evening.shift --json > transcript.json
      taisai deal draft.shift --notation > evening.shift
      taisai deal --interactive rws-tai-sai-v6/A
    """
    if sum((interactive, check, notation, json)) > 1:
        raise InputFault("", "give one of --interactive, --check, --notation and --json")
    shelf = shelf_of(book_dir)
    if interactive:
        return _Session(shelf, shift).run()
    script = parse_shift(_text_of(shift), "standard input" if shift == "-" else shift)
    head = script.head
    shelf.layout(f"{head.book}/{head.layout}", "table")
    transcript = run_shift(shelf.book, script)
    if check:
        return _check(script, transcript)
    if notation:
        sys.stdout.write(format_shift(blessed(script, transcript)))
    elif json:
        print_json(_plain(script, transcript))
    else:
        _show(script, transcript)
    return 0


def _text_of(file: str) -> str:
    if file == "-":
        raw = sys.stdin.buffer.read(SHIFT_BYTES_MAX + 1)
    else:
        path = Path(file)
        if path.is_dir():
            raise InputFault(file, "is a folder, not a file")
        with path.open("rb") as stream:
            raw = stream.read(SHIFT_BYTES_MAX + 1)
    if len(raw) > SHIFT_BYTES_MAX:
        raise InputFault(file, f"a shift is at most {SHIFT_BYTES_MAX} bytes")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputFault(file, f"not text in UTF-8 (byte {error.start})") from None


def _check(script: Script, transcript: Transcript) -> int:
    found = differences(script, transcript)
    for line in found:
        sys.stdout.write(f"{line}\n")
    refused = sum(entry.refusal is not None for entry in transcript.entries)
    count = f"{len(transcript.entries)} commands, {refused} of them refused"
    sys.stdout.write(f"{count}: the output differs\n" if found else f"{count}: all as expected\n")
    return EXIT_DIFFERENT if found else 0


def _plain(script: Script, transcript: Transcript) -> dict[str, object]:
    head, result = script.head, table_result(transcript.state)
    return {
        "table": head.table,
        "layout": f"{head.book}/{head.layout}",
        "entries": transcript.entries,
        "result": {**result._asdict(), "hold": None if result.hold is None else str(result.hold)},
        "state": transcript.state,
    }


# ------------------------------------------------------------------ on screen


def _say(text: str, style: str = "") -> None:
    console().print(text, style=style or None, markup=False, soft_wrap=True)


def _show(script: Script, transcript: Transcript) -> None:
    """The shift as it ran: comments, commands, calls, events, refusals."""
    entries = iter(transcript.entries)
    setting = Setting()
    for line in script.lines:
        if isinstance(line, CommandLine):
            _say(format_command(line.command, setting))
            _show_entry(next(entries))
        elif isinstance(line, Remark) and not line.text.startswith("# holds:"):
            _say(line.text, "dim italic")
        setting = setting_after((line,), setting)
    _show_table(transcript.state)


def _show_entry(entry: Entry) -> None:
    for line in entry.output:
        _say(f"  {line}", _STYLES[line[0]])


def _show_table(state: TableState) -> None:
    """The table in a few lines: accounts, players, the result in the figures of a casino."""
    set_up = state.set_up
    under = f" under {set_up.book}/{set_up.layout}, {set_up.currency}" if set_up is not None else ""
    meters = state.meters
    void = f", {meters.voided} void" if meters.voided else ""
    back = f", {meters.reversed} reversed" if meters.reversed else ""
    _say("")
    _say(f"table {state.table}{under}: {_phase(state)}; {_counted(meters.rounds, 'round')} settled{void}{back}", "bold")
    accounts = grid("account", ("balance", "right"))
    for account, balance in sorted(state.ledger.items()):
        accounts.add_row(account, f"{balance:,}")
    if state.ledger:
        console().print(accounts)
    for name, seat in state.players.items():
        colour = f", {seat.colour} at {seat.value} a chip" if seat.colour is not None else ""
        gone = "" if seat.present else ", gone"
        _say(f"{name}: {state.funds(name):,} in hand{colour}{gone}")
    result = table_result(state)
    hold = f", hold {percent(result.hold)}" if result.hold is not None else ""
    _say(
        f"opener {result.opener:,}, fills {result.fills:,}, credits {result.credits:,}, drop {result.drop:,}, "
        f"closer {result.closer:,}: win {result.win:,}{hold}"
    )


def _phase(state: TableState) -> str:
    words = [str(state.phase)]
    if state.phase is TablePhase.OPEN and state.round.phase is not RoundPhase.BETWEEN:
        words.append(f"round {state.round.number} at {state.round.phase}")
    words += [f"suspended ({state.suspended})"] if state.suspended else []
    words += [f"interrupted ({state.round.interrupted})"] if state.round.interrupted else []
    return ", ".join(words)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


# ------------------------------------------------------------------ in the terminal


_YOU: Final = "ann"


class _Short(Struct, frozen=True):
    """A short verb of the prompt."""

    usage: str
    help: str


_SHORT: Final[dict[str, _Short]] = {
    "quick": _Short("quick", f"set up, float, dice, opening check, open; you are {_YOU}, with chips"),
    "open": _Short("open", "a round: tumble first where the book says so, call for bets"),
    "bet": _Short("bet BOX AMOUNT [BOX AMOUNT …]", "put chips on boxes"),
    "undo": _Short("undo [BOX]", "take back the chips you put down last, or all you have on a box"),
    "close": _Short("close", "no more bets"),
    "roll": _Short("roll", "the rest of the round: close, tumble, uncover, call, collect, pay"),
    "why": _Short("why", "how your bets of the last round came out, and by which clauses"),
    "felt": _Short("felt", "the bets on the felt"),
    "table": _Short("table", "the table: accounts, players, result"),
    "notation": _Short("notation", "all of this as a shift"),
    "help": _Short("help [VERB]", "what is possible now, or how a verb is written"),
    "quit": _Short("quit", "end (so does Ctrl-D)"),
}
_PEOPLE: Final = {
    "dan": Role.DEALER,
    "lee": Role.SUPERVISOR,
    "pat": Role.PIT_MANAGER,
    "kim": Role.SHIFT_MANAGER,
    "ann": Role.PLAYER,
}
_CURRENCIES: Final = {"New Zealand": "NZD", "Singapore": "SGD"}
_PROMPT: Final = "deal> "


class _Session:
    """A table dealt in the terminal."""

    def __init__(self, shelf: Shelf, layout: str) -> None:
        chosen = shelf.layout(layout)
        self.rules = TableRules(shelf.book(chosen.book_id))
        self.state = TableState(table="T1")
        self.dice = SystemRandom()
        self.script = Script(
            (
                TableLine("T1", chosen.book_id, chosen.id),
                StartLine(_now()),
                *(PeopleLine((name,), role) for name, role in _PEOPLE.items()),
            )
        )
        self.setting = setting_after(self.script.lines)

    @property
    def book(self) -> RuleBook:
        """The book that the table stands under."""
        return self.rules.book

    def run(self) -> int:
        """Read lines until the end."""
        name = f"{self.setting.book}/{self.setting.layout}"
        _say(f"{self.book.title}, {name}. You play {_YOU}; quick begins, help helps, quit ends.")
        for line in _typed():
            text = line.strip()
            if text in ("quit", "exit"):
                break
            if not text or text.startswith("#"):
                continue
            before = self.state
            try:
                self._obey(text)
            except InputFault as fault:
                _say(f"  ! {fault}", "red")
            if self.state is not before:
                self._show_felt()
        if self.state.set_up is not None:
            _show_table(self.state)
        return 0

    # -------------------------------------------------------------- a line

    def _obey(self, text: str) -> None:
        verb, *words = text.split()
        short: Callable[[list[str]], object] | None = {
            "quick": self._quick,
            "open": self._open,
            "bet": self._bet,
            "undo": self._undo,
            "close": lambda _: self._all(["dan: close-bets"]),
            "roll": self._roll,
            "why": self._why,
            "felt": lambda _: self._show_felt(),
            "table": lambda _: _show_table(self.state),
            "notation": lambda _: sys.stdout.write(format_shift(self.script)),
            "help": self._help,
        }.get(verb)
        if short is not None:
            short(words)
        elif verb in VERBS:
            self._do(f"{self._actor(verb_named(verb))}: {text}")
        elif len(words) > 0 or verb.endswith(":"):
            self._do(text)
        else:
            known = ", ".join(_SHORT)
            raise InputFault("", f"expected {known}, or a line of the notation such as `dan: open-bets`")

    def _actor(self, action: type[Struct]) -> str:
        """The first of the crew whose business it is; the player's own is his."""
        order = [_YOU, *_PEOPLE] if "player" in {field.name for field in fields_of(action)} else list(_PEOPLE)
        for name in order:
            refused = may_begin(self.rules, self.state, Person(name, _PEOPLE[name]), action)
            if refused is None or refused.code is not Code.NOT_YOURS_TO_DO:
                return name
        return order[0]

    def _do(self, line: str) -> bool:
        """One line of the notation; whether it was allowed."""
        parsed = parse_line(line, self.setting)
        if not isinstance(parsed, CommandLine):
            self._note(parsed)
            return True
        command = replace(parsed.command, at=max(_now(), self.setting.next_at))
        entry, self.state = step(self.rules, self.state, with_digest(command, self.book))
        _say(format_command(replace(command, at=self.setting.next_at), self.setting))
        _show_entry(entry)
        self._note(CommandLine(command, entry.output))
        return entry.refusal is None

    def _note(self, line: Line) -> None:
        """A line joins the shift."""
        self.script = Script((*self.script.lines, line))
        self.setting = setting_after((line,), self.setting)

    def _all(self, lines: Sequence[str]) -> bool:
        """Commands one after another, until one is refused."""
        return all(self._do(line) for line in lines)

    # -------------------------------------------------------------- short verbs

    def _quick(self, _words: list[str]) -> None:
        differential = ", differential big-small 20000" if self.book.has(Rule.DIFFERENTIAL) else ""
        currency = _CURRENCIES.get(self.book.jurisdiction, "XXX")
        lines = [
            f'lee: set-up "100..50000 by 100{differential}" {currency} 100,500,1000,5000 colours=red:500',
            "lee: receive-dice D1",
            "lee: seal-dice D1 S1",
            "lee: count-float 100x1000,500x1000,1000x1000,5000x1000",
        ]
        if self.book.procedure.opening:
            lines.append("lee: test-run 1,3,6 lit-correctly")
        lines += [f"lee: check-item {item.item} passed" for item in self.book.procedure.opening]
        lines += ["lee: open-table", f"{_YOU}: sit-down", f"dan: buy-in {_YOU} 10000"]
        if self._all(lines):
            box = next(iter(self.book.layouts[self.setting.layout].boxes))
            _say(f"  open begins a round; bet {box} 500 puts chips down.")

    def _open(self, _words: list[str]) -> None:
        least, current = self.book.procedure.tumbles_min, self.state.round
        first = self.book.procedure.tumble is Tumble.BEFORE_BETS and current.phase is RoundPhase.BETWEEN
        tumble = [f"dan: tumble {least}"] if first and current.tumbles < least else []
        self._all([*tumble, "dan: open-bets"])

    def _bet(self, words: list[str]) -> None:
        if not words or len(words) % 2:
            raise InputFault("", f"write {_SHORT['bet'].usage}, for example bet small 500 total:9 100")
        self._all([f"{_YOU}: place-bet {box} {amount}" for box, amount in zip(words[::2], words[1::2], strict=True)])

    def _undo(self, words: list[str]) -> None:
        if words:
            self._do(f"{_YOU}: withdraw-bet {words[0]}")
            return
        stack = next((each for each in reversed(self.state.round.stacks) if each.player == _YOU), None)
        if stack is None:
            raise InputFault("", "you have nothing on the felt")
        self._do(f"{_YOU}: withdraw-bet {stack.box} amount={stack.amount}")

    def _roll(self, _words: list[str]) -> None:
        """Whatever is left of the round, in the order of the book."""
        if self.state.round.phase is RoundPhase.BETWEEN:
            raise InputFault("", "no round is in play: open begins one")
        for _ in range(len(RoundPhase) + 1):
            lines = self._next_steps()
            if not lines or not self._all(lines):
                return

    def _next_steps(self) -> list[str]:
        match self.state.round.phase:
            case RoundPhase.BETTING:
                return ["dan: close-bets"]
            case RoundPhase.CLOSED:
                tumbled = self.state.round.tumbles >= self.book.procedure.tumbles_min
                faces = ",".join(str(self.dice.randint(1, 6)) for _ in range(3))
                tumble = [] if tumbled else [f"dan: tumble {self.book.procedure.tumbles_min}"]
                return [*tumble, f"dan: uncover {faces}"]
            case RoundPhase.UNCOVERED:
                return ["dan: announce"]
            case RoundPhase.ANNOUNCED if self.rules.has_terminal:
                return [*(f"dan: press {face}" for face in self.state.round.dice or ()), "dan: enter"]
            case RoundPhase.ANNOUNCED | RoundPhase.ENTERED:
                return ["dan: collect"]
            case RoundPhase.COLLECTED:
                return ["dan: pay-all"]
            case RoundPhase.BETWEEN:
                return []

    def _why(self, _words: list[str]) -> None:
        past = self.state.history[-1] if self.state.history else None
        lines = [line for line in past.lines if line.player == _YOU] if past is not None else []
        if past is None or not lines:
            raise InputFault("", "you had no bets in the last round")
        for line in lines:
            told = explain_line(self.rules, self.state, past, line)
            _say(f"  {line.box} {line.stake}: {told.why} ({cite(told.clauses)})")

    def _help(self, words: list[str]) -> None:
        if words:
            word = words[0]
            if word in _SHORT:
                _say(f"  {_SHORT[word].usage}: {_SHORT[word].help}")
            else:
                try:
                    action = verb_named(word)
                except Unreadable as why:
                    raise InputFault("", str(why)) from None
                _say(f"  {usage(action, {})}: {(action.__doc__ or '').strip()}")
            return
        for short in _SHORT.values():
            _say(f"  {short.usage:32}{short.help}")
        _say(f"  now ({_phase(self.state)}), as `NAME: verb …`; help VERB tells how:", "bold")
        before: list[str] | None = None
        for name, role in _PEOPLE.items():
            person = Person(name, role)
            may = [verb for verb, action in VERBS.items() if may_begin(self.rules, self.state, person, action) is None]
            # Whoever ranks higher may do what the one below may; a player's business is his own.
            below = before if before is not None and role is not Role.PLAYER else None
            more = [verb for verb in may if below is None or verb not in below]
            listed = ", ".join(more) or ("nothing" if below is None else "nothing more")
            _say(f"  {name}, {role}: {'also ' if below is not None and more else ''}{listed}")
            before = may

    # -------------------------------------------------------------- the felt

    def _show_felt(self) -> None:
        """The round, the bets on the felt, what you have."""
        state = self.state
        bets: dict[tuple[str, str], int] = {}
        for stack in state.round.stacks:
            bets[stack.box, stack.player] = bets.get((stack.box, stack.player), 0) + stack.amount
        at_risk = {(bet.box, bet.player): bet.at_risk for bet in state.round.bets}
        if bets:
            table = grid("box", "player", ("stake", "right"), ("at risk", "right"))
            for (box, player), stake in sorted(bets.items()):
                table.add_row(box, player, f"{stake:,}", f"{at_risk.get((box, player), stake):,}")
            console().print(table)
        worst = exposure(self.rules, state) if bets else None
        risk = f"; at worst the house loses {worst.loss:,} on {worst.worst.roll}" if worst is not None else ""
        funds = f"; {_YOU} has {state.funds(_YOU):,}" if _YOU in state.players else ""
        _say(f"  {_phase(state)}{funds}{risk}", "cyan")


def _now() -> int:
    """The time in microseconds, to the second: nobody deals faster."""
    return int(time.time()) * 1_000_000


def _typed() -> Iterator[str]:
    """Lines as they are typed; from a pipe they are echoed, so that what is printed reads like a session."""
    if sys.stdin.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401, PLC0415 - gives the prompt its history, where the system has it
        while True:
            try:
                yield input(_PROMPT)
            except EOFError:
                sys.stdout.write("\n")
                return
            except KeyboardInterrupt:
                sys.stdout.write("\n")
    for line in sys.stdin:
        _say(f"{_PROMPT}{line.rstrip()}")
        yield line
