"""Metrics: counts of the server and of the tables, in the text format of Prometheus."""

from __future__ import annotations

import re

import pytest

from taisai.client import Refused
from taisai.table import commands as c
from taisai.web.metrics import WebCounts, metrics_text
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
        text = metrics_text(running.context).decode()
    figures = dict(re.findall(r"^(taisai_\w+(?:\{[^}]*\})?) ([\d.e+]+)$", text, re.MULTILINE))
    assert figures['taisai_refusals_total{code="too-fast"}'] == "1.0"
    assert figures['taisai_refusals_total{code="not-enough-chips"}'] == "1.0"
    assert figures['taisai_table_broken{table="T1"}'] == "0.0"
    assert figures['taisai_commit_seconds_bucket{le="+Inf"}'] == figures["taisai_commits_total"]
    families = set(re.findall(r"^# TYPE (taisai_\w+) ", text, re.MULTILINE))
    assert families >= {"taisai_info", "taisai_bets_total", "taisai_watchers", "taisai_request_seconds_total"}
