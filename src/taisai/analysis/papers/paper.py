"""A paper: facts, tables and lines to sign, as one page of HTML or as PDF.

Enters: what is to be said, as text. Leaves: HTML that needs nothing else and prints well, or the bytes of a PDF. The
same paper gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Any, Final

from taisai.core.faults import InputFault

_STYLE: Final = """
body { font: 14px/1.45 system-ui, sans-serif; color: #111; background: #fff }
body { margin: 2rem auto; max-width: 72rem; padding: 0 1rem }
h1 { font-size: 1.5rem; margin: 0 } h2 { font-size: 1.05rem; margin: 1.6rem 0 .4rem }
p { margin: .3rem 0 } .note { color: #444; font-size: .86rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: right; padding: .2rem .5rem; border-bottom: 1px solid #ccc; vertical-align: top }
th { border-bottom: 2px solid #111; font-weight: 600 } th:first-child, td:first-child { text-align: left }
table.facts { width: auto } table.facts td { text-align: left; overflow-wrap: anywhere }
table.facts td:first-child { color: #444 }
.sign { display: flex; gap: 2rem; margin-top: 3.5rem; flex-wrap: wrap }
.sign div { border-top: 1px solid #111; flex: 1 14rem; padding-top: .2rem; font-size: .86rem }
@media print { body { margin: 0; max-width: none; font-size: 11px } }
@media print { tr { break-inside: avoid } h2 { break-after: avoid } }
"""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: headings, rows of text, and what is said below it. The first column has names, the others figures."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Paper:
    """What a paper says."""

    title: str
    facts: tuple[tuple[str, str], ...]
    sheets: tuple[Sheet, ...]
    notes: tuple[str, ...] = ()
    signed_by: tuple[str, ...] = ()
    """Who signs by hand: a line for each."""


def as_html(paper: Paper) -> str:
    """One page, complete in itself."""
    facts = "".join(f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>" for name, value in paper.facts)
    lines = "".join(f"<div>{escape(who)}, date</div>" for who in paper.signed_by)
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(paper.title)}</title>',
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head><body>',
        f'<h1>{escape(paper.title)}</h1><table class="facts">{facts}</table>',
        *map(_html_of, paper.sheets),
        *(f'<p class="note">{escape(note)}</p>' for note in paper.notes),
        f'<div class="sign">{lines}</div>' if lines else "",
        "</body></html>\n",
    ]
    return "\n".join(part for part in parts if part)


def _html_of(sheet: Sheet) -> str:
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in sheet.columns)
    rows = "\n".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in sheet.rows)
    note = f'<p class="note">{escape(sheet.note)}</p>' if sheet.note else ""
    table = f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table></div>'
    return f"<h2>{escape(sheet.title)}</h2>\n{table}\n{note}"


def as_pdf(paper: Paper, made_at: datetime) -> bytes:
    """The same as PDF, on A4 across."""
    try:
        from fpdf import FPDF  # noqa: PLC0415 - an extra
    except ImportError:
        raise InputFault("--output", "PDF needs the extra `pdf`: pip install 'taisai[pdf]'") from None
    pdf: Any = FPDF(orientation="landscape", format="A4")
    pdf.set_creation_date(made_at.astimezone(UTC))
    pdf.set_title(_plain(paper.title))
    pdf.set_margin(14)
    pdf.set_auto_page_break(auto=True, margin=14)
    pdf.add_page()
    _write(pdf, paper.title, size=16, style="B")
    pdf.ln(2)
    _table(pdf, paper.facts, size=9, widths=(1, 3), head=False)
    for sheet in paper.sheets:
        pdf.ln(4)
        _write(pdf, sheet.title, size=11, style="B")
        widths = _widths(sheet)
        _table(pdf, [sheet.columns, *sheet.rows], size=8, widths=widths, head=True)
        if sheet.note:
            _write(pdf, sheet.note, size=8)
    pdf.ln(3)
    for note in paper.notes:
        _write(pdf, note, size=8)
    for who in paper.signed_by:
        pdf.ln(14)
        pdf.line(pdf.l_margin, pdf.get_y(), pdf.l_margin + 90, pdf.get_y())
        _write(pdf, f"{who}, date", size=8)
    return bytes(pdf.output())


def _write(pdf: Any, words: str, *, size: float, style: str = "") -> None:
    pdf.set_font("helvetica", style=style, size=size)
    pdf.multi_cell(0, 1.35 * size * 0.3528, _plain(words), new_x="LMARGIN", new_y="NEXT")


def _table(pdf: Any, rows: Sequence[Sequence[str]], *, size: float, widths: Sequence[float], head: bool) -> None:
    pdf.set_font("helvetica", size=size)
    with pdf.table(
        rows=[[_plain(cell) for cell in row] for row in rows],
        col_widths=tuple(widths),
        first_row_as_headings=head,
        text_align=("LEFT", *("RIGHT" if head else "LEFT" for _ in widths[1:])),
        borders_layout="HORIZONTAL_LINES",
        line_height=1.5 * size * 0.3528,
    ):
        pass


def _widths(sheet: Sheet) -> tuple[float, ...]:
    """Widths of the columns, by the longest word of each."""
    rows = [sheet.columns, *sheet.rows]
    return tuple(float(max(6, *(min(len(row[column]), 40) for row in rows))) for column in range(len(sheet.columns)))


def _plain(words: str) -> str:
    """Text with what the standard fonts of PDF have; the rest is written out or marked."""
    for sign, written in (("≤", "<="), ("≥", ">="), ("–", "-"), ("−", "-"), ("σ", "sd"), ("√", "sqrt "), ("’", "'")):
        words = words.replace(sign, written)
    return words.encode("latin-1", "replace").decode("latin-1")
