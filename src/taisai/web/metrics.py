"""Metrics for Prometheus.

Enters: plain counts that the floor and the server keep. Leaves: the text of `/metrics`, computed when it is requested,
so that counting costs one addition.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric

from taisai.floor.writer import BUCKETS_S
from taisai.version import __version__

if TYPE_CHECKING:
    from taisai.web.context import Context


class WebCounts:
    """Counts what the server does."""

    def __init__(self) -> None:
        self.refusals: dict[str, int] = defaultdict(int)
        self.requests: dict[tuple[str, int], int] = defaultdict(int)
        self.request_seconds: dict[str, float] = defaultdict(float)
        self.sockets = 0
        self.sockets_opened = 0

    def refused(self, code: str) -> None:
        """A message was refused before it reached a table."""
        self.refusals[code] += 1

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Count a play socket while it is open."""
        self.sockets += 1
        self.sockets_opened += 1
        try:
            yield
        finally:
            self.sockets -= 1

    def request(self, path: str, status: int, seconds: float) -> None:
        """A request was answered."""
        self.requests[path, status] += 1
        self.request_seconds[path] += seconds


class _Collector:
    def __init__(self, context: Context) -> None:
        self._context = context

    def collect(self) -> Iterator[Metric]:
        """All metrics as of now."""
        floor, counts, writer = self._context.floor, self._context.counts, self._context.floor.writer
        yield GaugeMetricFamily("taisai_info", "The running version.", value=1)
        yield CounterMetricFamily("taisai_bets", "Bets placed.", value=floor.bets)
        yield CounterMetricFamily("taisai_rounds", "Rounds concluded.", value=floor.rounds)
        yield CounterMetricFamily("taisai_voids", "Rounds voided.", value=floor.voids)
        yield GaugeMetricFamily("taisai_tables", "Tables on the floor.", value=len(floor.tables))
        yield GaugeMetricFamily("taisai_queue_depth", "Batches waiting to be written.", value=writer.depth)
        yield GaugeMetricFamily(
            "taisai_in_flight",
            "Commands decided and not yet on disk.",
            value=sum(t.in_flight for t in list(floor.tables.values())),
        )
        yield GaugeMetricFamily("taisai_connections", "Open play sockets.", value=counts.sockets)
        yield CounterMetricFamily("taisai_connections_opened", "Play sockets opened.", value=counts.sockets_opened)
        yield CounterMetricFamily("taisai_commits", "Journal commits.", value=writer.counts.commits)
        yield CounterMetricFamily("taisai_commit_failures", "Failed journal commits.", value=writer.counts.failures)
        yield CounterMetricFamily("taisai_records", "Records written.", value=writer.counts.records)
        yield self._commit_times()
        yield from self._log()
        watchers = GaugeMetricFamily("taisai_watchers", "Clients that watch a table.", labels=["table"])
        broken = GaugeMetricFamily("taisai_table_broken", "1 for a table that has stopped.", labels=["table"])
        commands = CounterMetricFamily("taisai_commands", "Commands that reached a table.", labels=["table"])
        refusals: dict[str, int] = defaultdict(int, counts.refusals.copy())
        for name, table in list(floor.tables.items()):
            watchers.add_metric([name], self._context.watchers(name))
            broken.add_metric([name], 1 if table.broken else 0)
            commands.add_metric([name], table.commands)
            for code, number in list(table.refusals.items()):
                refusals[code] += number
        yield watchers
        yield broken
        yield commands
        refused = CounterMetricFamily("taisai_refusals", "Commands and messages refused, by code.", labels=["code"])
        for code, number in sorted(refusals.items()):
            refused.add_metric([code], number)
        yield refused
        requests = CounterMetricFamily("taisai_requests", "HTTP requests.", labels=["path", "status"])
        for (path, status), number in sorted(counts.requests.items()):
            requests.add_metric([path, str(status)], number)
        yield requests
        seconds = CounterMetricFamily("taisai_request_seconds", "Time spent on requests.", labels=["path"])
        for path, spent in sorted(counts.request_seconds.items()):
            seconds.add_metric([path], spent)
        yield seconds

    def _log(self) -> Iterator[Metric]:
        heads = self._context.heads
        now = heads.now
        yield GaugeMetricFamily("taisai_log_signed", "Records under the newest signed head.", value=now.size)
        yield GaugeMetricFamily(
            "taisai_log_cosigned", "Records under the newest cosigned head.", value=now.cosigned_size
        )
        age = 0.0 if now.cosigned_at is None else (self._context.clock.now() - now.cosigned_at) / 1e6
        yield GaugeMetricFamily("taisai_log_cosigned_age_seconds", "Age of the newest cosigned head.", value=age)
        yield CounterMetricFamily("taisai_log_heads", "Heads of the log signed.", value=heads.signed)
        yield CounterMetricFamily("taisai_log_sign_failures", "Heads that could not be signed.", value=heads.failures)
        yield CounterMetricFamily(
            "taisai_log_witness_failures", "Cosignatures that witnesses did not give.", value=heads.witness_failures
        )

    def _commit_times(self) -> HistogramMetricFamily:
        counts = self._context.floor.writer.counts
        buckets, so_far = [], 0
        for bound, number in zip((*map(str, BUCKETS_S), "+Inf"), counts.by_time, strict=True):
            so_far += number
            buckets.append((bound, float(so_far)))
        return HistogramMetricFamily(
            "taisai_commit_seconds", "Duration of a commit, fsync included.", buckets=buckets, sum_value=counts.seconds
        )


def metrics_text(context: Context) -> bytes:
    """The metrics in the text format of Prometheus."""
    registry = CollectorRegistry()
    registry.register(_Collector(context))
    return generate_latest(registry) + f"# taisai {__version__}\n".encode()
