"""Runs benchmarks and writes bench/RESULTS.md.

    make bench                              all of them
    make bench BENCH='floor postgresql'     those whose titles have these words; the others stay as they were

Figures are ratios of two things measured side by side in one run: they carry over to another machine, seconds do not.
"""

from __future__ import annotations

import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

from bench import bulk, floor, journal, peers, postgres, single_settle
from bench import dice as dice_bench
from bench import growth as growth_bench
from bench import history as history_bench
from bench import hostile as hostile_bench
from bench import proof as proof_bench
from bench import session as session_bench
from bench import simulate as simulate_bench
from bench import start as start_bench
from bench import table as table_bench
from bench import torture as torture_bench
from bench.measure import Line
from taisai import __version__

RESULTS = Path(__file__).parent / "RESULTS.md"
BENCHMARKS = (
    ("Start", start_bench.measured),
    ("Single settlement", single_settle.measured),
    ("The table, the audit, a restart", table_bench.measured),
    ("The journal", journal.measured),
    ("The proof", proof_bench.measured),
    ("The floor", floor.measured),
    ("The hostile soak", hostile_bench.measured),
    ("PostgreSQL", postgres.measured),
    ("Growth with history", growth_bench.measured),
    ("Bulk settlement", bulk.measured),
    ("History", history_bench.measured),
    ("Exact sessions", session_bench.measured),
    ("Simulation", simulate_bench.measured),
    ("Other people's games", peers.measured),
    ("Dice health", dice_bench.measured),
    ("The fault simulator", torture_bench.measured),
)


def table(lines: list[Line]) -> list[str]:
    """The lines of one benchmark in Markdown."""
    rows = ["| what | ns each | against | ns each | ratio | target |", "|---|---:|---|---:|---:|---:|"]
    for line in lines:
        target = "" if line.target is None else f"≤ {line.target:g}" + (" ✗" if line.ratio > line.target else " ✓")
        rows.append(
            f"| {line.what} | {line.ours_ns:.1f} | {line.against} | {line.bare_ns:.1f} | {line.ratio:.3g} | {target} |"
        )
    return rows


def sections() -> dict[str, str]:
    """What RESULTS.md has under each title."""
    if not RESULTS.exists():
        return {}
    parts = (part.partition("\n") for part in RESULTS.read_text(encoding="utf-8").split("\n## ")[1:])
    return {title: text.strip() for title, _, text in parts}


def chosen(words: list[str]) -> list[str]:
    """The titles that contain one of the words; all when no word is given."""
    titles = [title for title, _ in BENCHMARKS]
    for word in words:
        if not any(word.lower() in title.lower() for title in titles):
            raise SystemExit(f"{word!r} is in no title; there are: {', '.join(titles)}")
    return [title for title in titles if not words or any(word.lower() in title.lower() for word in words)]


def main(words: list[str]) -> None:
    """Measure, print, write."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    made_by = f"taisai {__version__}, {python}, {platform.system()} {platform.machine()}, {datetime.now(UTC):%Y-%m-%d}"
    wanted, found = chosen(words), sections()
    for title, measured in BENCHMARKS:
        if title in wanted:
            print(f"{title} ...", file=sys.stderr)
            found[title] = "\n".join([made_by, "", *table(measured())])
            print(f"\n## {title}\n\n{found[title]}")
    text = ["# Benchmarks", "Made by `make bench`. Each ratio compares two things measured in the same run."]
    text += [f"## {title}\n\n{found[title]}" for title, _ in BENCHMARKS if title in found]
    RESULTS.write_text("\n\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
