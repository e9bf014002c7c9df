"""Traffic: who plays at a table, and how.

Enters: a file (TOML, JSON or CSV, docs/mathematics.md) or plain values. Leaves: groups of players with their bets,
plans and habits, and the table's pace, limits and voids; or a fault that names the field. Nothing is guessed: an
unknown key is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from taisai.analysis.session.exact import Game, Manner, Plan, steps_of
from taisai.analysis.session.walk import Step
from taisai.core.bets import Bet, PlayerId, box_on, merge_bets, parse_bets
from taisai.core.boxes import BoxName
from taisai.core.faults import InputFault, shown
from taisai.core.limits import Limits, headroom_of, make_limits
from taisai.core.money import CHIPS_MAX, Chips, chips_of, parse_chips
from taisai.core.prorata import fix_stakes
from taisai.core.rulebook import Layout, Rule, RuleBook
from taisai.outside import csv_rows, json_of, read_bytes, text_of, toml_of

ROUNDS_PER_HOUR: Final = 40
"""Rounds that a table deals in an hour when the file does not say."""
GROUPS_MOST: Final = 100
PLAYERS_MOST: Final = 1000
FILE_MOST: Final = 1 << 20
"""Bytes of a traffic file, at most."""
PACE_MOST: Final = 1000


class Excess(StrEnum):
    """What becomes of stakes over the limits."""

    PRO_RATA = "pro-rata"
    """They lie on the felt at the close, and the book shares them out."""
    REFUSED = "refused"
    """A bet over the room that is left is refused whole when it is placed, and so is one under the minimum."""


@dataclass(frozen=True, slots=True)
class Group:
    """Players who do the same."""

    name: str
    bets: tuple[tuple[BoxName, int], ...]
    """What each of them stakes on a round, at the first step of the plan."""
    count: int = 1
    attendance: Fraction = Fraction(1)
    """The chance that one of them bets on a round."""
    plan: Plan = Plan.FLAT
    stake_max: int | None = None
    bankroll: int | None = None
    stop_win: int | None = None
    stop_loss: int | None = None
    visit_rounds: int | None = None
    """Leaves after so many rounds played."""
    walk_away: Fraction = Fraction(0)
    """The chance to leave after any round played."""
    refill: int | None = 0
    """For how many rounds the seat of one who left stays empty; None for the rest of the shift."""
    buy_in: int | None = None
    """What one of them buys in a shift, for the drop."""

    @property
    def staked(self) -> int:
        """What one of them stakes on a round, at the first step of the plan."""
        return sum(stake for _, stake in self.bets)

    @property
    def leaves(self) -> bool:
        """Whether anything makes a player leave before the end of the shift."""
        ends = (self.bankroll, self.stop_win, self.stop_loss, self.visit_rounds)
        return bool(self.walk_away) or any(end is not None for end in ends)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the plan."""
        return steps_of(Game(self.staked, ()), Manner(1, plan=self.plan, stake_max=self.stake_max))


@dataclass(frozen=True, slots=True)
class Traffic:
    """The players of a table, and how it is run."""

    groups: tuple[Group, ...]
    rounds_per_hour: int = ROUNDS_PER_HOUR
    limits: Limits | None = None
    excess: Excess | None = None
    """None for what the book provides: pro rata where it has it, refusal elsewhere."""
    void: Fraction = Fraction(0)
    """The chance that a round is void: every stake goes back."""

    @property
    def players(self) -> int:
        """How many players there are."""
        return sum(group.count for group in self.groups)


@dataclass(frozen=True, slots=True)
class TableRules:
    """What a table does with stakes; small enough to be sent to another process."""

    book: RuleBook
    limits: Limits | None
    excess: Excess

    def at_risk(self, bets: Sequence[Bet]) -> tuple[int, ...]:
        """What is at risk of each bet after the close. Bets are one for each player and box, in order of placing."""
        if self.limits is None:
            return tuple(bet.stake for bet in bets)
        if self.excess is Excess.PRO_RATA:
            return fix_stakes(self.book, self.limits, bets).at_risk
        totals: dict[BoxName, Chips] = {}
        found = []
        for bet in bets:
            headroom = headroom_of(self.book, self.limits, totals, bet.box, mine=0).chips
            fits = bet.stake >= self.limits.of(bet.box).stake_min and (headroom is None or bet.stake <= headroom)
            if fits:
                totals[bet.box] = Chips(totals.get(bet.box, 0) + bet.stake)
            found.append(bet.stake if fits else 0)
        return tuple(found)


def rules_of(book: RuleBook, limits: Limits | None, excess: Excess | None = None) -> TableRules:
    """The rules of a table under a book; of the book only what settling stakes needs, so that it travels."""
    if excess is Excess.PRO_RATA and not book.has(Rule.PRO_RATA):
        raise InputFault("excess", f"{book.id} has no pro rata: write refused")
    procedure = replace(book.procedure, steps=(), opening=(), facts={})
    light = replace(
        book,
        terms={},
        rules=dict(book.rules),
        procedure=procedure,
        clauses={},
        interpretations={},
        layouts={},
        translations={},
    )
    by_book = Excess.PRO_RATA if book.has(Rule.PRO_RATA) else Excess.REFUSED
    return TableRules(light, limits, by_book if excess is None else excess)


def read_traffic(layout: Layout, file: Path) -> Traffic:
    """The traffic of a file; the suffix says how it is written."""
    field = file.name
    text = text_of(read_bytes(file, FILE_MOST), field)
    raw: Any
    match file.suffix.lower():
        case ".toml":
            raw = toml_of(text, field)
        case ".json":
            raw = json_of(text.encode(), field)
        case ".csv":
            raw = _csv_rows(text, field)
        case _:
            raise InputFault(field, "a traffic file is named .toml, .json or .csv")
    return traffic_of(layout, raw)


def _csv_rows(text: str, field: str) -> dict[str, object]:
    heading, *rows = [row for row in csv_rows(text.splitlines(keepends=True), field) if row] or [[]]
    players: list[dict[str, str]] = []
    for row in rows:
        if len(row) != len(heading):
            raise InputFault(field, f"line {len(players) + 2}: not as many values as the heading has names")
        pairs = zip(heading, row, strict=True)
        players.append({name.strip(): value.strip() for name, value in pairs if value.strip()})
    return {"players": players}


TABLE_KEYS: Final = ("rounds_per_hour", "void", "excess", "limits", "players")
"""Keys of a traffic file."""
GROUP_KEYS: Final = (
    "name",
    "count",
    "bets",
    "rounds_per_hour",
    "plan",
    "stake_max",
    "bankroll",
    "stop_win",
    "stop_loss",
    "visit_rounds",
    "walk_away",
    "refill",
    "buy_in",
)
"""Keys of a group of players."""
_LIMIT_KEYS: Final = ("unit", "default", "kinds", "differential")


def traffic_of(layout: Layout, raw: object) -> Traffic:
    """Traffic from plain values."""
    table = _keys(raw, "", TABLE_KEYS)
    pace = _whole(table.get("rounds_per_hour", ROUNDS_PER_HOUR), "rounds_per_hour", 1, PACE_MOST)
    players = table.get("players")
    if not isinstance(players, list) or not 1 <= len(players) <= GROUPS_MOST:
        raise InputFault("players", f"a list of 1 to {GROUPS_MOST} groups of players is needed")
    if "rounds_per_hour" not in table:
        # A file that only says how often each plays: the table is as fast as the fastest, or as usual.
        paces = [each.get("rounds_per_hour", 0) for each in players if isinstance(each, dict)]
        pace = max(
            pace,
            *(
                _whole(each, f"players[{at}].rounds_per_hour", 1, PACE_MOST)
                for at, each in enumerate(paces)
                if each != 0
            ),
            0,
        )
    groups = tuple(_group(layout, each, f"players[{at}]", pace, at) for at, each in enumerate(players))
    names = [group.name for group in groups]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputFault("players", f"two groups are named {shown(twice)}")
    if sum(group.count for group in groups) > PLAYERS_MOST:
        raise InputFault("players", f"at most {PLAYERS_MOST} players together")
    excess = table.get("excess")
    if excess is not None and excess not in set(Excess):
        raise InputFault("excess", f"{' or '.join(Excess)}, got {shown(excess)}")
    return Traffic(
        groups,
        pace,
        _limits(table["limits"]) if "limits" in table else None,
        None if excess is None else Excess(excess),
        _chance(table.get("void", 0), "void"),
    )


def _limits(raw: object) -> Limits:
    limits = _keys(raw, "limits", _LIMIT_KEYS)
    for key in _LIMIT_KEYS[1:]:
        if not isinstance(limits.get(key, {}), dict):
            raise InputFault(f"limits.{key}", "names with amounts are needed")
    kinds: dict[str, object] = limits.get("kinds", {})
    wrong = next((name for name, each in kinds.items() if not isinstance(each, dict)), None)
    if wrong is not None:
        raise InputFault(f"limits.kinds.{wrong}", "write {min = N, max = N}")
    try:
        return make_limits(**limits)
    except InputFault as fault:
        raise fault.under("limits") from None


def _group(layout: Layout, raw: object, field: str, pace: int, place: int) -> Group:
    row = _keys(raw, field, GROUP_KEYS)
    if "bets" not in row:
        raise InputFault(f"{field}.bets", "is missing")
    bets = _bets(layout, row["bets"], f"{field}.bets")

    def amount(name: str, at_least: int = 1) -> int | None:
        return None if name not in row else _amount(row[name], f"{field}.{name}", at_least)

    plan = row.get("plan", Plan.FLAT)
    if plan not in set(Plan):
        raise InputFault(f"{field}.plan", f"plans are {', '.join(Plan)}, got {shown(plan)}")
    played = _whole(row.get("rounds_per_hour", pace), f"{field}.rounds_per_hour", 1, PACE_MOST)
    if played > pace:
        raise InputFault(f"{field}.rounds_per_hour", f"the table deals only {pace} rounds an hour, got {played}")
    name = row.get("name", f"group {place + 1}")
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > 80:
        raise InputFault(f"{field}.name", f"from 1 to 80 printable characters, got {shown(name)}")
    never = row.get("refill") == "never"
    group = Group(
        name=name,
        bets=bets,
        count=_whole(row.get("count", 1), f"{field}.count", 1, PLAYERS_MOST),
        attendance=Fraction(played, pace),
        plan=Plan(plan),
        stake_max=amount("stake_max"),
        bankroll=amount("bankroll"),
        stop_win=amount("stop_win"),
        stop_loss=amount("stop_loss"),
        visit_rounds=None if "visit_rounds" not in row else _whole(row["visit_rounds"], f"{field}.visit_rounds", 1),
        walk_away=_chance(row.get("walk_away", 0), f"{field}.walk_away"),
        refill=None if never else _whole(row.get("refill", 0), f"{field}.refill", 0),
        buy_in=amount("buy_in"),
    )
    for key in ("bankroll", "stake_max"):
        given = getattr(group, key)
        if given is not None and given < group.staked:
            raise InputFault(f"{field}.{key}", f"{given} does not pay for one round, which stakes {group.staked}")
    try:
        _ = group.steps
    except InputFault as fault:
        raise InputFault(f"{field}.stake_max", fault.reason) from None
    return group


def _bets(layout: Layout, raw: object, field: str) -> tuple[tuple[BoxName, int], ...]:
    """Bets as people write them, or as names with amounts."""
    if isinstance(raw, str):
        found = parse_bets(layout, raw, field_name=field)
    elif isinstance(raw, dict) and raw:
        found = merge_bets(
            Bet(
                PlayerId("you"),
                box_on(layout, str(name), field),
                chips_of(stake, f"{field}.{name}", at_least=1),
            )
            for name, stake in raw.items()
        )
    else:
        raise InputFault(field, "write bets as box=amount, for example small=100 total:9=50")
    return tuple((bet.box, int(bet.stake)) for bet in found)


def _keys(raw: object, field: str, known: Sequence[str]) -> Mapping[str, Any]:
    if not isinstance(raw, dict):
        raise InputFault(field or "traffic", f"names with values are needed, got {shown(raw)}")
    strange = next((key for key in raw if key not in known), None)
    if strange is not None:
        name = f"{field}.{strange}" if field else str(strange)
        raise InputFault(name, f"unknown key; keys are {', '.join(known)}")
    return raw


def _whole(raw: object, field: str, at_least: int, at_most: int = CHIPS_MAX) -> int:
    if isinstance(raw, str) and raw.isascii() and raw.isdigit() and len(raw) < 20:
        raw = int(raw)
    if type(raw) is not int or not at_least <= raw <= at_most:
        raise InputFault(field, f"a whole number from {at_least:,} to {at_most:,}, got {shown(raw)}")
    return raw


def _amount(raw: object, field: str, at_least: int) -> int:
    return (
        parse_chips(raw, field, at_least=at_least) if isinstance(raw, str) else chips_of(raw, field, at_least=at_least)
    )


def _chance(raw: object, field: str) -> Fraction:
    """A chance as it is written: 0.005, or "1/200"; a decimal number is taken as it reads."""
    try:
        chance = Fraction(str(raw)) if type(raw) in (int, float, str) else None
    except (ValueError, ZeroDivisionError):
        chance = None
    if chance is None or not 0 <= chance < 1 or chance.denominator > 10**9:
        raise InputFault(field, f'a chance is from 0 to less than 1, as 0.005 or "1/200"; got {shown(raw)}')
    return chance
