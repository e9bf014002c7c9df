"""What the library gives back: values with short names, that print shortly and give their figures as columns.

Enters: results of the rooms below. Leaves: the same for a person at a prompt or in a notebook: `columns()` is a
dictionary of lists, which `pandas.DataFrame` and `polars.DataFrame` take as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taisai.core.dice import Roll
from taisai.core.faults import InputFault
from taisai.core.odds import BetsOdds, BoxOdds, percent

if TYPE_CHECKING:
    from taisai.analysis.session.exact import SessionResult

Columns = dict[str, list[Any]]


def needs(extra: str, what: str) -> InputFault:
    """The fault of a part whose extra is not installed."""
    return InputFault(what, f"needs the extra `{extra}`: pip install 'taisai[{extra}]'")


class _Shown:
    """Shown as a table in a notebook."""

    def columns(self) -> Columns:
        """The figures, column by column."""
        raise NotImplementedError  # pragma: no cover - each value has its own

    def _repr_html_(self) -> str:
        columns = self.columns()
        head = "".join(f"<th>{escape(name)}</th>" for name in columns)
        rows = "".join(
            f"<tr>{''.join(f'<td>{escape(_cell(value))}</td>' for value in row)}</tr>"
            for row in zip(*columns.values(), strict=True)
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _cell(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else "" if value is None else str(value)


@dataclass(frozen=True, slots=True)
class Line:
    """One bet settled."""

    box: str
    stake: int
    pays: int | Fraction | None
    """Odds to 1; None when lost."""
    winnings: int
    returned: int
    """What goes back to the player, the stake included."""
    why: str
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Settled(_Shown):
    """A round settled: each bet with why and by which clauses."""

    roll: Roll
    lines: tuple[Line, ...]

    @property
    def staked(self) -> int:
        """All stakes."""
        return sum(line.stake for line in self.lines)

    @property
    def winnings(self) -> int:
        """What was won beside the stakes."""
        return sum(line.winnings for line in self.lines)

    @property
    def returned(self) -> int:
        """All that goes back."""
        return sum(line.returned for line in self.lines)

    @property
    def net(self) -> int:
        """The player's result."""
        return self.returned - self.staked

    def __iter__(self) -> Iterator[Line]:
        return iter(self.lines)

    def columns(self) -> Columns:
        """One row for each bet."""
        return {
            "box": [line.box for line in self.lines],
            "stake": [line.stake for line in self.lines],
            "pays": [None if line.pays is None else float(line.pays) for line in self.lines],
            "winnings": [line.winnings for line in self.lines],
            "returned": [line.returned for line in self.lines],
            "why": [line.why for line in self.lines],
            "clauses": [" ".join(line.clauses) for line in self.lines],
        }

    def __repr__(self) -> str:
        return f"<Settled {self.roll}: staked {self.staked:,}, returned {self.returned:,}, net {self.net:+,}>"


@dataclass(frozen=True, slots=True, repr=False)
class Odds(_Shown):
    """The odds of every box of a layout, exact."""

    layout: str
    boxes: tuple[BoxOdds, ...]

    def __getitem__(self, box: str) -> BoxOdds:
        for each in self.boxes:
            if each.box.name == box:
                return each
        raise KeyError(box)

    def __iter__(self) -> Iterator[BoxOdds]:
        return iter(self.boxes)

    def __len__(self) -> int:
        return len(self.boxes)

    def columns(self) -> Columns:
        """One row for each box; chances as floats."""
        return {
            "box": [str(each.box.name) for each in self.boxes],
            "bet": [each.bet for each in self.boxes],
            "ways": [each.ways for each in self.boxes],
            "probability": [float(each.probability) for each in self.boxes],
            "returned": [float(each.returned) for each in self.boxes],
            "edge": [float(each.edge) for each in self.boxes],
            "variance": [float(each.variance) for each in self.boxes],
        }

    def __repr__(self) -> str:
        edges = sorted(each.edge for each in self.boxes)
        return f"<Odds {self.layout}: {len(self.boxes)} boxes, edge {percent(edges[0])} to {percent(edges[-1])}>"


@dataclass(frozen=True, slots=True, repr=False)
class Together(_Shown):
    """The odds of a set of bets played together."""

    odds: BetsOdds

    @property
    def edge(self) -> Fraction:
        """What the house keeps of each unit staked, on average."""
        return self.odds.edge

    def columns(self) -> Columns:
        """One row for each result, with its ways of 216."""
        return {
            "net": [int(net) for net, _ in self.odds.distribution],
            "ways": [ways for _, ways in self.odds.distribution],
        }

    def __repr__(self) -> str:
        return f"<Odds of {len(self.odds.bets)} bets: edge {percent(self.odds.edge)}, ahead {percent(self.odds.ahead)}>"


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """A picture as SVG: shown in a notebook, saved as .svg or .png."""

    svg: str
    title: str

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, file: str | Path, *, width: int = 1920) -> Path:
        """Write the picture; PNG needs the extra `png`."""
        path = Path(file)
        match path.suffix.lower():
            case ".svg":
                path.write_text(self.svg + "\n", encoding="utf-8")
            case ".png":
                try:
                    import resvg_py  # noqa: PLC0415 - an extra, and heavy
                except ImportError:
                    raise needs("png", "file") from None
                path.write_bytes(bytes(resvg_py.svg_to_bytes(svg_string=self.svg, width=width)))
            case _:
                raise InputFault("file", f"the name ends in .svg or .png, got {path.name!r}")
        return path

    def __repr__(self) -> str:
        return f"<Picture {self.title}: {len(self.svg):,} characters of SVG>"


@dataclass(frozen=True, slots=True, repr=False)
class Session(_Shown):
    """What a player takes home from so many rounds, computed and not sampled."""

    title: str
    result: SessionResult

    @property
    def mean(self) -> float:
        """The expected result."""
        return float(self.result.mean)

    @property
    def ahead(self) -> float:
        """The chance to come out ahead."""
        return float(self.result.ahead)

    @property
    def ruin(self) -> float:
        """The chance that the bankroll does not pay for another round."""
        return float(self.result.ruin)

    def quantile(self, level: float) -> int:
        """The least result that is reached or stayed under with this chance."""
        reached = 0.0
        for net, chance in zip(self.result.nets, self.result.chances, strict=True):
            reached += float(chance)
            if reached >= level - self.result.error_bound - 1e-12:
                return net
        return self.result.nets[-1]

    def columns(self) -> Columns:
        """Every result with its chance."""
        return {"net": list(self.result.nets), "chance": [float(each) for each in self.result.chances]}

    def plot(self, file: str | Path) -> Path:
        """Draw the distribution into a file (.svg, .png or .pdf); needs the extra `plot`."""
        from taisai.analysis.session.plots import plot_distribution  # noqa: PLC0415 - heavy

        path = Path(file)
        plot_distribution(self.title, self.result, path)
        return path

    def __repr__(self) -> str:
        return f"<Session {self.title}: expected {self.mean:+,.2f}, ahead {self.ahead * 100:.2f} %>"


def table_of(rows: Sequence[dict[str, Any]]) -> Columns:
    """Rows as columns."""
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}
