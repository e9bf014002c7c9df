"""What a compliance officer needs to write a book: a skeleton that loads, and the sheet that two people sign.

Enters: a name, or a rule book. Leaves: a folder of commented TOML; one HTML file with pay table, ways, edges and the
printed felt, which prints on paper as it is.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Final

from taisai.books.reader.files import ID, ID_WORDS
from taisai.cli.show import dated
from taisai.core.faults import InputFault, shown
from taisai.core.money import odds_number
from taisai.core.odds import layout_odds, percent
from taisai.core.rulebook import Layout, RuleBook
from taisai.felt import draw

SKELETON: Final = Path(__file__).parents[2] / "books" / "skeleton"

_STYLE: Final = """
body { font: 11pt/1.4 sans-serif; margin: 2em auto; max-width: 60em; color: #000; background: #fff }
table { border-collapse: collapse; width: 100%; margin: 0.5em 0 1.5em }
th, td { border-bottom: 1px solid #999; padding: 0.2em 0.5em; text-align: left; vertical-align: top }
td.n, th.n { text-align: right; white-space: nowrap }
code { font-size: 9pt; overflow-wrap: anywhere }
svg { width: 100%; height: auto }
section { break-inside: avoid }
.sign { display: flex; gap: 4em; margin-top: 4em }
.sign p { flex: 1; border-top: 1px solid #000; padding-top: 0.3em }
@page { margin: 15mm }
"""


def new_book(name: str, where: Path = Path()) -> Path:
    """A folder with a skeleton of a book; `InputFault` when the name is none, or the folder is there already."""
    if not ID.fullmatch(name):
        raise InputFault("--new", f"the name of a book {ID_WORDS}, got {shown(name)}")
    folder = where / name
    if folder.exists():
        raise InputFault("--new", f"{shown(str(folder))} is there already: choose another name, or edit that book")
    try:
        shutil.copytree(SKELETON, folder)
    except OSError as error:
        raise InputFault("--new", f"{shown(str(folder))} cannot be written: {error.strerror}") from None
    return folder


def sheet_of(book: RuleBook) -> str:
    """The sheet of a book: what two people sign, as one HTML file that refers to nothing else."""
    parts = [
        f"<h1>{escape(book.title)}, {escape(book.version)}</h1>",
        f"<p>{escape(book.document)}. {escape(book.operator)}, {escape(book.jurisdiction)}.</p>",
        (
            f"<p>In force from: {escape(dated(book.effective))}. "
            f"{f'Replaces {escape(book.replaces)}. ' if book.replaces else ''}"
            f"Book <code>{escape(book.id)}</code>, digest <code>{book.digest}</code></p>"
        ),
    ]
    for number, layout in enumerate(book.layouts.values(), 1):
        parts += [
            f"<section><h2>{escape(layout.title)} ({escape(layout.name)}), {len(layout.boxes)} boxes</h2>",
            draw(layout, prefix=f"felt-{number}"),
            "</section>",
            (
                "<table><tr><th>bet</th><th>boxes</th><th class=n>pays to 1, on so many of 216 rolls</th>"
                "<th class=n>house edge</th><th>clauses</th></tr>"
            ),
            *_rows(layout),
            "</table>",
        ]
    parts += ["<h2>Clauses</h2><table>"]
    parts += [f"<tr><td>{escape(each.id)}</td><td>{escape(each.summary)}</td></tr>" for each in book.clauses.values()]
    parts.append("</table>")
    if book.interpretations:
        parts += ["<h2>What the document leaves open</h2><table>"]
        parts += [
            f"<tr><td>{escape(each.id)}</td><td>{escape(each.question)}</td><td>{escape(each.reading)}</td></tr>"
            for each in book.interpretations.values()
        ]
        parts.append("</table>")
    parts.append(
        "<p>We have compared this sheet with the document, line by line.</p>"
        '<div class="sign"><p>Name, date, signature</p><p>Name, date, signature</p></div>'
    )
    title = f"<title>{escape(book.id)}</title>"
    head = f'<!doctype html><html lang="en"><meta charset="utf-8">{title}<style>{_STYLE}</style>'
    return head + "\n".join(parts) + "</html>\n"


def _rows(layout: Layout) -> Iterator[str]:
    """A row for all boxes of a bet that pay and cost the same."""
    alike: dict[tuple[str, str, str, str], list[str]] = {}
    for odds in layout_odds(layout):
        pays = "<br>".join(f"{odds_number(each.pays) or 'push'}: {each.ways}" for each in odds.pay_ways)
        edge = percent(odds.edge) + (" (below 75 % returned)" if odds.is_below_floor else "")
        alike.setdefault((odds.bet, pays, edge, ", ".join(odds.clauses)), []).append(odds.box.name)
    for (bet, pays, edge, clauses), boxes in alike.items():
        yield (
            f"<tr><td>{escape(bet)}</td><td>{escape(' '.join(boxes))}</td><td class=n>{pays}</td>"
            f"<td class=n>{edge}</td><td>{escape(clauses)}</td></tr>"
        )
