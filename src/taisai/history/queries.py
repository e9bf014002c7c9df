"""The questions to an export, each as one text that DuckDB and Spark both run as it stands.

Enters: the names below, and which events a meter counts. Leaves: SQL. No value from outside ever stands in a text:
tables, spans and kinds that are asked for come as small tables (`wanted`, `quarters`, `kinds`, `pays`, `boxes`) that
are joined.
What the two engines would understand differently (division, time zones, quoting) is not used. A sum that does not fit
64 bits is an error in Spark; variances are added as decimals of 38 digits.
"""

from __future__ import annotations

from typing import Final

from taisai.streams.codec import KIND_OF
from taisai.table.declared import Meter

_DUE: Final = """
WITH settled AS (
    SELECT b.position, b.table_name, b.round, b.line, b.player, b.box, b.rules, b.roll,
           b.stake, b.at_risk, b.winnings, b.returned,
           b.stake - b.at_risk + b.at_risk * p.multiplier AS due,
           CASE WHEN p.multiplier = 0 THEN 0 ELSE b.at_risk * (p.multiplier - 1) END AS due_winnings
    FROM bets b LEFT JOIN pays p ON p.rules = b.rules AND p.box = b.box AND p.roll = b.roll
)
"""

RESETTLED: Final = f"""{_DUE}
SELECT table_name,
       COUNT(*) AS bets,
       COUNT(due) AS known,
       SUM(stake) AS staked,
       SUM(due_winnings) AS due_winnings,
       SUM(due) AS due,
       SUM(returned) AS returned,
       SUM(CASE WHEN due <> returned OR due_winnings <> winnings THEN 1 ELSE 0 END) AS differing,
       SUM(CASE WHEN due > returned THEN due - returned ELSE 0 END) AS underpaid,
       SUM(CASE WHEN due < returned THEN returned - due ELSE 0 END) AS overpaid
FROM settled
GROUP BY table_name
ORDER BY table_name
"""
"""For each table: its bets, what was due and what was returned. A bet under unknown rules has no due."""

DIFFERENCES: Final = f"""{_DUE}
SELECT position, table_name, round, line, player, box, rules, roll, stake, due, returned, due_winnings, winnings
FROM settled
WHERE due IS NULL OR due <> returned OR due_winnings <> winnings
ORDER BY position, line
LIMIT 100
"""
"""The first bets that were not paid what was due, or that cannot be settled."""

ROUND_SUMS: Final = """
SELECT table_name,
       SUM(bets) AS bets,
       SUM(staked) AS staked,
       SUM(returned) AS returned
FROM rounds
WHERE outcome <> 'reversed'
GROUP BY table_name
"""
"""For each table: what its rounds say of their bets."""


def _money(meter: Meter) -> str:
    """The amount of an event where it is declared to be counted by a meter."""
    kinds = ", ".join(f"'{kind}'" for each, kind in KIND_OF.items() if each.declared.counted is meter)
    return f"CASE WHEN e.kind IN ({kinds}) THEN e.amount ELSE 0 END"


METERS: Final = f"""
WITH happened AS (
    SELECT e.table_name, e.at_us, 0 AS rounds, 0 AS voided, 0 AS reversed, 0 AS staked, 0 AS returned, 0 AS expected,
           {_money(Meter.DROP)} AS dropped,
           {_money(Meter.FILLS)} AS fills,
           {_money(Meter.CREDITS)} AS credits,
           0 AS win, CAST(0 AS DECIMAL(38, 0)) AS variance, 0 AS farthest, 0 AS measured
    FROM events e
    UNION ALL
    SELECT r.table_name, r.at_us,
           CASE WHEN r.outcome = 'concluded' THEN 1 ELSE 0 END,
           CASE WHEN r.outcome = 'voided' THEN 1 ELSE 0 END,
           CASE WHEN r.outcome = 'reversed' THEN 1 ELSE 0 END,
           CASE WHEN r.outcome = 'concluded' THEN r.staked ELSE 0 END,
           CASE WHEN r.outcome = 'concluded' THEN r.returned ELSE 0 END,
           CASE WHEN r.outcome = 'concluded' THEN r.expected_216 ELSE 0 END,
           0, 0, 0,
           CASE WHEN r.outcome = 'concluded' THEN r.staked - r.returned
                WHEN r.outcome = 'reversed' THEN r.returned - r.staked
                ELSE 0 END,
           CASE WHEN r.outcome = 'concluded'
                THEN CAST(r.deviation AS DECIMAL(19, 0)) * CAST(r.deviation AS DECIMAL(19, 0)) ELSE 0 END,
           CASE WHEN r.outcome = 'concluded' THEN r.farthest ELSE 0 END,
           CASE WHEN r.outcome = 'concluded' AND (r.deviation > 0 OR r.at_risk = 0) THEN 1 ELSE 0 END
    FROM rounds r
)
SELECT q.span, h.table_name,
       SUM(h.rounds) AS rounds,
       SUM(h.voided) AS voided,
       SUM(h.reversed) AS reversed,
       SUM(h.staked) AS staked,
       SUM(h.returned) AS returned,
       SUM(h.dropped) AS dropped,
       SUM(h.fills) AS fills,
       SUM(h.credits) AS credits,
       SUM(h.expected) AS expected_216,
       SUM(h.win) AS win,
       SUM(h.variance) AS variance,
       MAX(h.farthest) AS farthest,
       SUM(h.measured) AS measured
FROM happened h
JOIN wanted w ON w.table_name = h.table_name
JOIN quarters q ON q.quarter_us = h.at_us - MOD(MOD(h.at_us, 900000000) + 900000000, 900000000)
GROUP BY q.span, h.table_name
ORDER BY q.span, h.table_name
"""
"""The meters of each wanted table over each span."""

BOUNDS: Final = """
SELECT MIN_BY(e.at_us, e.position) AS first_us,
       MIN(e.position) AS first_position,
       MAX_BY(e.at_us, e.position) AS last_us,
       MAX(e.position) AS last_position
FROM events e JOIN wanted w ON w.table_name = e.table_name
"""
"""The first and the last event of the wanted tables."""

SIGNIFICANT: Final = """
SELECT e.position, e.table_name, e.seq, e.kind, e.version, e.at_us, e.command_id, e.part, e.by_whom, e.body
FROM events e
JOIN kinds k ON k.kind = e.kind
WHERE k.least IS NULL OR e.amount >= k.least
ORDER BY e.position
"""
"""Events that may be significant: of some kinds, from an amount on."""

THROWN: Final = """
WITH opened AS (
    SELECT e.table_name, e.round, COUNT(*) AS times
    FROM events e
    WHERE e.kind = 'dice-uncovered' AND POSITION('"opening":"' IN e.body) > 0 AND POSITION('"opening":""' IN e.body) = 0
    GROUP BY e.table_name, e.round
)
SELECT r.dice_set, r.roll, r.follows, COUNT(o.times) AS opened
FROM rounds r
JOIN wanted w ON w.table_name = r.table_name
LEFT JOIN opened o ON o.table_name = r.table_name AND o.round = r.round
WHERE r.outcome = 'concluded'
GROUP BY r.position, r.dice_set, r.roll, r.follows
ORDER BY r.position
"""
"""The rolls of the wanted tables in order; those that opened a commitment are of virtual dice, which are told apart."""

VIRTUAL: Final = """
SELECT DISTINCT e.table_name
FROM events e JOIN wanted w ON w.table_name = e.table_name
WHERE e.kind = 'dice-committed'
"""
"""The wanted tables that were dealt with virtual dice."""

ROLLS: Final = """
SELECT r.table_name, r.dice_set, r.roll, COUNT(*) AS times
FROM rounds r JOIN wanted w ON w.table_name = r.table_name
WHERE r.outcome = 'concluded'
GROUP BY r.table_name, r.dice_set, r.roll
ORDER BY r.table_name, r.dice_set, r.roll
"""
"""How often each set of dice has shown each roll."""

RETURNS: Final = """
SELECT r.table_name,
       COUNT(*) AS rounds,
       SUM(r.staked) AS staked,
       SUM(r.returned) AS returned,
       SUM(r.expected_216) AS expected_216
FROM rounds r JOIN wanted w ON w.table_name = r.table_name
WHERE r.outcome = 'concluded'
GROUP BY r.table_name
ORDER BY r.table_name
"""
"""What the rounds of each table returned, and what they return on average."""

SPREADS: Final = """
WITH risked AS (
    SELECT b.table_name, b.position, b.rules, b.box,
           SUM(b.stake) AS stake,
           SUM(b.at_risk) AS at_risk,
           SUM(b.returned) AS returned
    FROM bets b JOIN wanted w ON w.table_name = b.table_name
    WHERE b.roll < 216
    GROUP BY b.table_name, b.position, b.rules, b.box
), varied AS (
    SELECT x.table_name, x.position,
           COUNT(*) AS pairs,
           COUNT(c.covariance) AS known,
           SUM(CAST(x.at_risk AS DECIMAL(15, 0)) * CAST(y.at_risk AS DECIMAL(15, 0))
               * CAST(c.covariance AS DECIMAL(9, 0))) AS variance
    FROM risked x
    JOIN risked y ON y.table_name = x.table_name AND y.position = x.position
    LEFT JOIN covariances c ON c.rules = x.rules AND c.box = x.box AND c.other = y.box
    GROUP BY x.table_name, x.position
), families AS (
    SELECT r.table_name, r.position,
           LEAST(SUM(r.at_risk * x.most), MAX(r.at_risk * x.most) * x.winners) AS most,
           SUM(r.at_risk * x.returns_216) AS below,
           SUM(216 * (r.returned - r.stake + r.at_risk) - r.at_risk * x.returns_216) AS difference
    FROM risked r JOIN boxes x ON x.rules = r.rules AND x.box = r.box
    GROUP BY r.table_name, r.position, x.family, x.winners
), bounded AS (
    SELECT f.table_name, f.position,
           216 * SUM(f.most) - SUM(f.below) AS above,
           SUM(f.below) AS below,
           SUM(f.difference) AS difference
    FROM families f
    GROUP BY f.table_name, f.position
)
SELECT b.table_name,
       LENGTH(CAST(v.variance AS STRING)) AS digits,
       SUBSTR(CAST(v.variance AS STRING), 1, 1) AS first_digit,
       LENGTH(CAST(b.above AS STRING)) AS above_digits,
       SUBSTR(CAST(b.above AS STRING), 1, 1) AS above_first_digit,
       COUNT(*) AS rounds,
       SUM(b.difference) AS difference,
       SUM(v.variance) AS variance,
       MAX(b.above) AS above,
       MAX(b.below) AS below
FROM bounded b JOIN varied v ON v.table_name = b.table_name AND v.position = b.position
WHERE v.known = v.pairs
GROUP BY b.table_name, digits, first_digit, above_digits, above_first_digit
ORDER BY b.table_name, digits, first_digit, above_digits, above_first_digit
"""
"""The rounds of each table by how far their bets spread under fair dice: variance and bounds are those of the books,
in 216ths. What a round returns at most is bounded family by family of boxes, of which only so many win together."""

EXPECTED: Final = """
SELECT b.table_name,
       COUNT(*) AS bets,
       COUNT(x.returns_216) AS known,
       SUM(216 * (b.stake - b.at_risk) + b.at_risk * x.returns_216) AS expected_216
FROM bets b
JOIN wanted w ON w.table_name = b.table_name
LEFT JOIN boxes x ON x.rules = b.rules AND x.box = b.box
WHERE b.roll < 216
GROUP BY b.table_name
ORDER BY b.table_name
"""
"""What the bets of each table return on average, from the rule books themselves."""
