"""A table dealt in the terminal.

Enters: lines typed at a prompt: short verbs, or the notation of a shift. Leaves: what was called, what happened, what
was refused; everything so far can be printed as a shift. The dice come from the machine's own source of chance; the
rules know nothing of it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from secrets import SystemRandom
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from taisai.books import Shelf
from taisai.cli.floor.screen import phase_words, say, show_entry, show_table
from taisai.cli.show import console, grid
from taisai.core.faults import InputFault
from taisai.core.money import CURRENCIES, NO_CURRENCY
from taisai.core.rulebook import Rule, RuleBook, Tumble
from taisai.table.decide import may_begin
from taisai.table.explanations import currency_of, explain_line
from taisai.table.figures import exposure
from taisai.table.notation.fields import VERBS, Unreadable, fields_of, usage, verb_named
from taisai.table.notation.run import step, with_digest
from taisai.table.notation.script import (
    CommandLine,
    Line,
    PeopleLine,
    Script,
    StartLine,
    TableLine,
    format_command,
    format_shift,
    parse_line,
    setting_after,
)
from taisai.table.people import Person, Role
from taisai.table.record.coverage import smallest_cover
from taisai.table.refusals import Code, cite
from taisai.table.rules import TableRules
from taisai.table.state import RoundPhase, TableState

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
_PROMPT: Final = "deal> "


class TerminalTable:
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
        say(f"{self.book.title}, {name}. You play {_YOU}; quick begins, help helps, quit ends.")
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
                say(f"  ! {fault}", "red")
            if self.state is not before:
                self._show_felt()
        if self.state.set_up is not None:
            show_table(self.state)
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
            "table": lambda _: show_table(self.state),
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
        """The first of the crew who may do it; what concerns the player is done by the player."""
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
        say(format_command(replace(command, at=self.setting.next_at), self.setting))
        show_entry(entry)
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
        currency = CURRENCIES.get(self.book.jurisdiction, NO_CURRENCY)
        lines = [
            f'lee: set-up "100..50000 by 100{differential}" {currency} 100,500,1000,5000 colours=red:500',
            "lee: receive-dice D1",
            "lee: seal-dice D1 S1",
            "lee: count-float 100x1000,500x1000,1000x1000,5000x1000",
        ]
        if self.book.has(Rule.TEST_RUNS):
            lines[0] += " coverage=kinds"
            runs = smallest_cover(self.book.layouts[self.setting.layout], by_kind=True)
            lines += [f"lee: test-run {','.join(map(str, run.faces))} lit-correctly" for run in runs]
        lines += [f"lee: check-item {item.item} passed" for item in self.book.procedure.opening]
        lines += ["lee: open-table", f"{_YOU}: sit-down", f"dan: buy-in {_YOU} 10000"]
        if self._all(lines):
            box = next(iter(self.book.layouts[self.setting.layout].boxes))
            say(f"  open begins a round; bet {box} 500 puts chips down.")

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
            told = explain_line(self.book, past, line, currency_of(self.state))
            say(f"  {line.box} {line.stake}: {told.why} ({cite(told.clauses)})")

    def _help(self, words: list[str]) -> None:
        if words:
            word = words[0]
            if word in _SHORT:
                say(f"  {_SHORT[word].usage}: {_SHORT[word].help}")
            else:
                try:
                    action = verb_named(word)
                except Unreadable as why:
                    raise InputFault("", str(why)) from None
                say(f"  {usage(action, {})}: {(action.__doc__ or '').strip()}")
            return
        for short in _SHORT.values():
            say(f"  {short.usage:32}{short.help}")
        say(f"  now ({phase_words(self.state)}), as `NAME: verb …`; help VERB tells how:", "bold")
        before: list[str] | None = None
        for name, role in _PEOPLE.items():
            person = Person(name, role)
            may = [verb for verb, action in VERBS.items() if may_begin(self.rules, self.state, person, action) is None]
            # A higher rank may do whatever a lower one may; only players act for themselves.
            below = before if before is not None and role is not Role.PLAYER else None
            more = [verb for verb in may if below is None or verb not in below]
            listed = ", ".join(more) or ("nothing" if below is None else "nothing more")
            say(f"  {name}, {role}: {'also ' if below is not None and more else ''}{listed}")
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
        say(f"  {phase_words(state)}{funds}{risk}", "cyan")


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
        say(f"{_PROMPT}{line.rstrip()}")
        yield line
