"""Metrics: counts of the server and of the tables, in the text format of Prometheus."""

from __future__ import annotations

import json
import re
from time import monotonic
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped] # has no types of its own

from taisai.cli.journal.backup import METRICS
from taisai.client import Refused
from taisai.streams.codec import event_of
from taisai.table import commands as c
from taisai.web.metrics import WebCounts, metrics_text
from tests import ROOT
from tests.web.serving import on_a_loop, open_house


def test_sockets_are_counted_while_they_are_open() -> None:
    """The gauge goes down again, the counter does not."""
    counts = WebCounts()
    with counts.connected(), counts.connected():
        assert (counts.sockets, counts.sockets_opened) == (2, 2)
    assert (counts.sockets, counts.sockets_opened) == (0, 2)


@on_a_loop
async def test_the_text_has_every_family_and_the_figures_of_the_house() -> None:
    """Refusals of the table and of the server are one family by code; the buckets of commits add up."""
    async with open_house() as running:
        await running.ready_table("T1")
        ann = await running.seat("ann")
        await running.crew["dan"].do("T1", c.OpenBets())
        async with ann.table() as table:
            await table.bet("small", 100)
            with pytest.raises(Refused):
                await table.bet("small", 1_000_000)
        running.context.counts.refused("too-fast")
        text = metrics_text(running.context, running.context.alerts.shown()).decode()
    figures = dict(re.findall(r"^(taisai_\w+(?:\{[^}]*\})?) ([\d.e+]+)$", text, re.MULTILINE))
    assert figures['taisai_refusals_total{code="too-fast"}'] == "1.0"
    assert figures['taisai_refusals_total{code="not-enough-chips"}'] == "1.0"
    assert figures['taisai_table_broken{table="T1"}'] == "0.0"
    assert figures['taisai_commit_seconds_bucket{le="+Inf"}'] == figures["taisai_commits_total"]
    families = set(re.findall(r"^# TYPE (taisai_\w+) ", text, re.MULTILINE))
    assert families >= {"taisai_info", "taisai_bets_total", "taisai_watchers", "taisai_request_seconds_total"}


@on_a_loop
async def test_a_busy_house_has_metrics_too() -> None:
    """They are written in a thread, and say how long the oldest record waits for a signed head."""
    async with open_house() as running:
        heads = running.context.heads
        heads._unsigned, heads._unsigned_since = 10**9, monotonic() - 7
        text = await running.client.call("GET", "/metrics")
    (waits,) = re.findall(r"^taisai_log_unsigned_seconds ([\d.]+)$", text, re.MULTILINE)
    assert 7 <= float(waits) < 60


def names_in(expression: str) -> set[str]:
    """The metrics that an expression of Prometheus names."""
    return set(re.findall(r"\b((?:taisai|process)_[a-z_]+)\b", expression))


def unknown_in(expressions: list[str], text: str) -> list[str]:
    """The metrics of some expressions that a text of metrics does not have."""
    known = set(re.findall(r"^(\w+)(?:\{[^}]*\})? \S+$", text, re.MULTILINE))
    known |= set(re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE))
    return sorted(set().union(*map(names_in, expressions)) - known)


def expressions_of(panels: list[dict[str, Any]]) -> list[str]:
    """What the panels of a dashboard ask for."""
    return [target["expr"] for panel in panels for target in panel["targets"]]


@on_a_loop
async def test_alert_rules_and_dashboard_ask_for_metrics_that_exist() -> None:
    """Every metric that a rule or a panel names is one that a node or the backup gives; an invented one is found."""
    rules = yaml.safe_load((ROOT / "deploy" / "alerts.yaml").read_text(encoding="utf-8"))["groups"][0]["rules"]
    board = json.loads((ROOT / "deploy" / "dashboard.json").read_text(encoding="utf-8"))
    asked = [rule["expr"] for rule in rules] + expressions_of(board["panels"])
    async with open_house() as running:
        await running.ready_table("T1")
        text = metrics_text(running.context, running.context.alerts.shown()).decode() + METRICS.format(
            seconds=1, records=1
        )
    assert unknown_in(asked, text) == []
    assert unknown_in(["rate(taisai_bats_total[1m])"], text) == ["taisai_bats_total"]


def test_every_alert_has_an_entry_in_the_runbook() -> None:
    """The link of each rule leads to a heading of docs/runbook.md, and every entry is linked."""
    rules = yaml.safe_load((ROOT / "deploy" / "alerts.yaml").read_text(encoding="utf-8"))["groups"][0]["rules"]
    book = (ROOT / "docs" / "runbook.md").read_text(encoding="utf-8")
    headings = {each.lower().replace(" ", "-") for each in re.findall(r"^## (.+)$", book, re.MULTILINE)}
    linked = {rule["annotations"]["runbook"].partition("#")[2] for rule in rules}
    assert linked == headings


@on_a_loop
async def test_a_table_of_another_node_does_not_count_here() -> None:
    """Bets and rounds are counted by the node that holds the table, so that nodes can be added up."""
    async with open_house() as running:
        await running.ready_table("T1")
        ann = await running.seat("ann")
        await running.crew["dan"].do("T1", c.OpenBets())
        async with ann.table() as table:
            await table.bet("small", 100)
        floor = running.context.floor
        assert floor.bets == 1
        live, last = floor.tables["T1"], [*floor.writer.journal.read("T1", 0)][-1]
        live.owned = False
        floor._changed(live, (event_of(last),))
        assert floor.bets == 1
        text = metrics_text(running.context, running.context.alerts.shown()).decode()
        assert "taisai_tables_held 0.0" in text
        assert 'taisai_bet_seconds_bucket{le="+Inf"} 1.0' in text
        live.owned = True
