"""Metrics for Prometheus.

Enters: plain counts that the floor and the server keep. Leaves: the text of `/metrics`, computed when it is requested,
so that counting costs one addition; in another thread than the loop's, so that whatever may grow meanwhile is copied
before it is gone through.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric

from taisai.floor.writer import BUCKETS_S, Counts
from taisai.version import __version__

if TYPE_CHECKING:
    from taisai.floor.alerts import Alert
    from taisai.web.context import Context


class Histogram:
    """Durations by the buckets of the metrics."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.by_time = [0] * (len(BUCKETS_S) + 1)

    def add(self, seconds: float) -> None:
        """Something took so long."""
        self.seconds += seconds
        self.by_time[bisect_left(BUCKETS_S, seconds)] += 1


class WebCounts:
    """Counts what the server does."""

    def __init__(self) -> None:
        self.bet_seconds = Histogram()
        """From the arrival of a bet to its answer, wherever its table is held."""
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
    def __init__(self, context: Context, alerts: Sequence[Alert]) -> None:
        self._context = context
        self._open = alerts

    def collect(self) -> Iterator[Metric]:
        """All metrics as of now."""
        floor, counts, writer = self._context.floor, self._context.counts, self._context.floor.writer
        info = GaugeMetricFamily("taisai_info", "The running version, and this node.", labels=["version", "node"])
        info.add_metric([__version__, self._context.settings.node.address], 1)
        yield info
        yield CounterMetricFamily("taisai_bets", "Bets placed at tables of this node.", value=floor.bets)
        yield CounterMetricFamily("taisai_rounds", "Rounds concluded at tables of this node.", value=floor.rounds)
        yield CounterMetricFamily("taisai_voids", "Rounds voided at tables of this node.", value=floor.voids)
        yield GaugeMetricFamily("taisai_tables", "Tables on the floor, whoever holds them.", value=len(floor.tables))
        yield from self._nodes()
        yield self._times("taisai_bet_seconds", "From a bet's arrival to its answer.", counts.bet_seconds)
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
        yield self._times("taisai_commit_seconds", "Duration of a commit, fsync included.", writer.counts)
        yield from self._log()
        watchers = GaugeMetricFamily("taisai_watchers", "Clients that watch a table.", labels=["table"])
        broken = GaugeMetricFamily("taisai_table_broken", "1 for a table that has stopped.", labels=["table"])
        interrupted = GaugeMetricFamily(
            "taisai_table_interrupted",
            "1 for a round that waits for people.",
            labels=["table"],
        )
        commands = CounterMetricFamily("taisai_commands", "Commands that reached a table.", labels=["table"])
        refusals: dict[str, int] = defaultdict(int, counts.refusals.copy())
        for name, table in list(floor.tables.items()):
            watchers.add_metric([name], self._context.watchers(name))
            broken.add_metric([name], 1 if table.broken else 0)
            if table.owned:
                interrupted.add_metric([name], 1 if table.state.round.interrupted else 0)
            commands.add_metric([name], table.commands)
            for code, number in list(table.refusals.items()):
                refusals[code] += number
        yield watchers
        yield broken
        yield interrupted
        yield self._alerts()
        yield commands
        refused = CounterMetricFamily("taisai_refusals", "Commands and messages refused, by code.", labels=["code"])
        for code, number in sorted(refusals.items()):
            refused.add_metric([code], number)
        yield refused
        told = "Requests of strangers that were not served: strangers had had their share of the loop."
        yield CounterMetricFamily("taisai_strangers_refused", told, value=self._context.crowd.refused)
        requests = CounterMetricFamily("taisai_requests", "HTTP requests.", labels=["path", "status"])
        for (path, status), number in sorted(counts.requests.items()):
            requests.add_metric([path, str(status)], number)
        yield requests
        seconds = CounterMetricFamily("taisai_request_seconds", "Time spent on requests.", labels=["path"])
        for path, spent in sorted(counts.request_seconds.items()):
            seconds.add_metric([path], spent)
        yield seconds

    def _nodes(self) -> Iterator[Metric]:
        """What this node is among the others; a house of one node holds everything."""
        floor = self._context.floor
        nodes = floor.nodes
        held = sum(1 for table in list(floor.tables.values()) if table.owned)
        free = 0 if nodes is None else len(floor.tables.keys() - nodes.router.holders.keys() - set(nodes.mine))
        yield GaugeMetricFamily("taisai_tables_held", "Tables that this node holds.", value=held)
        yield GaugeMetricFamily("taisai_tables_free", "Tables that no node holds, as far as this one sees.", value=free)
        alive = 1 if nodes is None else len(nodes.alive)
        yield GaugeMetricFamily("taisai_nodes_alive", "Nodes that are alive, this one included.", value=alive)
        draining = 1 if floor.closing else 0
        yield GaugeMetricFamily("taisai_draining", "1 while this node finishes its rounds to stop.", value=draining)
        lost, taken, forwarded = (0, 0, 0) if nodes is None else (nodes.lost, nodes.taken, nodes.router.forwarded)
        yield CounterMetricFamily("taisai_leases_lost", "Tables lost because a lease was not renewed.", value=lost)
        yield CounterMetricFamily("taisai_leases_taken", "Tables taken.", value=taken)
        yield CounterMetricFamily("taisai_forwarded", "Commands that another node answered.", value=forwarded)

    def _alerts(self) -> Metric:
        found = GaugeMetricFamily("taisai_alerts_open", "Alerts of the pit that nobody has cleared.", labels=["kind"])
        for kind, number in sorted(Counter(each.kind for each in self._open).items()):
            found.add_metric([kind], number)
        return found

    def _log(self) -> Iterator[Metric]:
        heads = self._context.heads
        now = heads.now
        yield GaugeMetricFamily(
            "taisai_log_unsigned_seconds", "For how long records wait for a signed head.", value=heads.unsigned_s
        )
        if now.signed_at is not None:
            since = (self._context.clock.now() - now.signed_at) / 1e6
            yield GaugeMetricFamily("taisai_log_signed_age_seconds", "Age of the newest signed head.", value=since)
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

    def _times(self, name: str, words: str, counts: Histogram | Counts) -> HistogramMetricFamily:
        buckets, so_far = [], 0
        for bound, number in zip((*map(str, BUCKETS_S), "+Inf"), counts.by_time, strict=True):
            so_far += number
            buckets.append((bound, float(so_far)))
        return HistogramMetricFamily(name, words, buckets=buckets, sum_value=counts.seconds)


def metrics_text(context: Context, alerts: Sequence[Alert]) -> bytes:
    """The metrics in the text format of Prometheus; with them, how many alerts are open."""
    registry = CollectorRegistry()
    registry.register(_Collector(context, alerts))
    ProcessCollector(registry=registry)
    return generate_latest(registry) + f"# taisai {__version__}\n".encode()
