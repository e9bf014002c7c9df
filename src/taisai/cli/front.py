"""The first page of the `taisai` command, and the table of its commands.

Enters: the width of the terminal. Leaves: the commands by what they are for. It is written here and not by the parser
of command lines, which takes longer to import than the page takes to read.
"""

from __future__ import annotations

from itertools import chain
from textwrap import wrap
from typing import Final

WIDTH_MIN: Final = 60
WIDTH_MAX: Final = 100

GROUPS: Final = {
    "Rules and odds": {
        "books": ("rules.books", "Installed rule books: layouts, boxes, digests."),
        "clause": ("rules.clause", "A clause in our words: duty, interpretation, the tests that hold it."),
        "conformance": (
            "rules.conformance",
            "The examiner's report on a rule book: what keeps and proves each clause.",
        ),
        "settle": ("rules.settle", "Settle a round, or a file of them: JSON in, JSON out."),
        "odds": ("rules.odds", "Odds of every box of a layout, or of a set of bets."),
        "compare": ("rules.compare", "Layouts side by side: what differs, box by box."),
        "decided": ("rules.decided", "What is certain while only some dice are known."),
        "felt": ("rules.felt", "Draw a layout as SVG or PNG: plain, lit, with chips, as a heat map."),
        "print": ("rules.printing", "A felt in true size on sheets of paper, odds card, dealer's crib, rules: PDF."),
    },
    "Mathematics": {
        "session": ("maths.session", "What a player takes home from so many rounds: every result with its chance."),
        "house": ("maths.house", "What a table wins in a shift, what it risks, which limits hold it."),
        "bank": ("maths.bank", "Ruin in the long run, and the bank for a given risk, for the house and for a player."),
        "par": (
            "maths.par",
            "The PAR sheet of a layout, of a set of bets or of a table's traffic, as PDF, HTML or JSON.",
        ),
        "simulate": ("maths.simulate", "A table played many shifts long: players, plans, limits, voids."),
        "dice": (
            "maths.dice",
            "Whether the dice of a tumbler are fair: evidence round by round, from a file or a journal.",
        ),
        "rng": (
            "maths.rng",
            "Test a source of dice as GLI-19 lists it: raw output and scaled dice, as a report to sign.",
        ),
    },
    "Tables": {
        "night": ("floor.night", "A table at home: phones as players, play chips, a board for the television."),
        "serve": ("floor.serve", "Run a floor: live tables over HTTP and WebSocket."),
        "deal": ("floor.deal", "Deal a shift from a file, or a table in the terminal."),
        "accounts": ("floor.accounts", "Accounts of the staff, on the server's console: list, unlock, a new link."),
        "persons": ("floor.accounts", "Who stands behind an id in the records; erase who somebody is."),
        "witness": ("floor.witness", "Watch somebody else's log: cosign what extends it, shout otherwise."),
    },
    "The record": {
        "replay": ("journal.replay", "Tell a round of a journal as a person would."),
        "explain": ("journal.explain", "A player's bets, each with why it came out so."),
        "audit": ("journal.audit", "Replay and check a whole journal."),
        "verify": ("journal.verify", "Virtual dice against the commitment that was published before the bets."),
        "report": ("journal.report", "What tables did, by day, month, year or life."),
        "key": ("journal.key", "The key of a journal's log: shown, rotated, replaced."),
        "backup": ("journal.backup", "Copy a journal while it runs."),
        "restore": ("journal.backup", "Put a backup in place, after it is proven."),
        "move": ("journal.move", "Copy a journal into one of another kind, and prove the copy."),
    },
    "History for analysts": {
        "export": (
            "history.export",
            "A journal as Parquet: rounds, bets, placements, postings, events; once, or following a running floor.",
        ),
        "views": ("history.views", "Views of an export in a DuckDB file, for analysts."),
        "resettle": (
            "history.resettle",
            "Every bet of a Parquet file or an export settled again; what differs from what was paid.",
        ),
        "fairness": ("history.fairness", "The dice and the returns of all tables of an export."),
    },
    "The shell": {
        "completion": ("rules.completion", "Completion of commands and options for bash, zsh or fish."),
    },
}
"""The commands by what they are for: the module of each, and its line in the list."""

COMMANDS: Final = dict(chain.from_iterable(commands.items() for commands in GROUPS.values()))

WHAT: Final = "Regulated three-dice tables (Tai Sai, Sic Bo, Mini Dice), run by the book."

_EXAMPLES: Final = """Examples:
  taisai books                       the rule books and their digests
  taisai odds rws-tai-sai-v6/C       what every box pays and keeps
  taisai settle round.json           one round settled, with its clauses
  taisai felt rws-tai-sai-v6/E --lit 1,3,6 -o felt.svg

`taisai COMMAND --help` tells more of each. Exit codes: 0 done, 2 bad input (one line says what)."""


def front_page(width: int) -> str:
    """What the command is for, and all that it can do."""
    indent = 4 + max(map(len, COMMANDS))
    lines = ["Usage: taisai COMMAND [--help], or taisai --version", "", WHAT]
    for title, commands in GROUPS.items():
        lines += ["", f"{title}:"]
        for name, (_, words) in commands.items():
            first, *others = wrap(words, min(max(width, WIDTH_MIN), WIDTH_MAX) - indent)
            lines += [f"  {name:<{indent - 2}}{first}", *(" " * indent + other for other in others)]
    return "\n".join([*lines, "", _EXAMPLES]) + "\n"
