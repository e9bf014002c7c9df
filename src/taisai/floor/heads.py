"""Heads of the log, signed while the tables run.

Enters: whatever is written to the journal. Leaves: within seconds a signed head that covers it, cosigned by the
witnesses of the settings; a failure is logged, counted, raised as an alert, and tried again. Where several nodes share
a journal, the one that holds the lease `@log` signs; each signs when it stops. A house that demands cosignatures begins
no new round while they are overdue.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from taisai.floor.answers import HouseCode
from taisai.floor.witnesses import Ahead, Refused, WitnessLink, WitnessSilent
from taisai.house.proof import Prover
from taisai.journal.contract import JournalError
from taisai.journal.log.note import BadNote, Checkpoint, Note, Signature
from taisai.journal.log.tree import LogBehind
from taisai.streams.house_events import SigningRefused, WitnessRefused
from taisai.table.refusals import Refusal

if TYPE_CHECKING:
    from taisai.floor.alerts import Alerts
    from taisai.floor.floor import Floor

LOGGER = logging.getLogger("taisai.floor")
LEASE: Final = "@log"
LEASE_S: Final = 10.0
FRESH_S: Final = 60.0
"""How often an idle house has its last head cosigned again: the time in a cosignature shows that all is well."""
OVERDUE_S: Final = 30.0
"""A record that no head covers after this long is an alert."""
REACH_S: Final = 10.0
LAST_TRIES: Final = 5


class HeadsNow(Struct, frozen=True, kw_only=True):
    """How far the log is signed and cosigned."""

    origin: str = ""
    key: str = ""
    size: int = 0
    """Records under the newest signed head."""
    signed_at: int | None = None
    """When this node last signed or saw it, microseconds since 1970."""
    cosigned_size: int = 0
    cosigned_at: int | None = None
    """When the last witness of the newest sufficiently cosigned head signed it."""
    cosigned_by: tuple[str, ...] = ()
    witnesses: int = 0
    demanded: int = 0
    fault: str = ""
    """Why no head is signed, or none is cosigned."""


class HeadKeeper:
    """Signs the heads of a floor's log, and has them cosigned."""

    def __init__(
        self,
        floor: Floor,
        prover: Prover,
        alerts: Alerts,
        links: Sequence[WitnessLink] = (),
        *,
        every_s: float = 2.0,
        demanded: int = 0,
        within_s: float = 60.0,
    ) -> None:
        self._floor, self._prover, self._alerts, self._links = floor, prover, alerts, tuple(links)
        self._every_s, self._demanded, self._within_s = every_s, demanded, within_s
        self.now = HeadsNow(witnesses=len(self._links), demanded=demanded)
        self.signed = 0
        self.failures = 0
        self.witness_failures = 0
        self._told: dict[str, str] = {}
        """The last fault of each kind that was logged, alerted and recorded."""
        self._wake = asyncio.Event()
        self._reached = asyncio.Condition()
        self._task: asyncio.Task[None] | None = None
        self._cosigning: asyncio.Task[None] | None = None
        self._cosigned_at = 0.0
        self._waiting_since: float | None = None
        """Since when a signed head waits for the cosignatures that are demanded."""
        self._asked_witnesses = False
        self._unsigned_since: float | None = None
        """Since when there has been a record that no head covers; None when all are covered."""
        self._unsigned = 0
        """The position of that record."""

    @property
    def unsigned_s(self) -> float:
        """For how long there has been a record that no signed head covers; 0 when all are. Asked from any thread."""
        since = self._unsigned_since
        return 0.0 if since is None else monotonic() - since

    # ------------------------------------------------------------------ start and stop

    async def start(self) -> None:
        """Sign what is there, then go on by itself."""
        self._floor.before_close = self._last
        await self.tick()
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        while True:
            try:
                async with asyncio.timeout(self._every_s):
                    await self._wake.wait()
            except TimeoutError:
                pass
            self._wake.clear()
            await self.tick()

    async def _last(self) -> None:
        """The house stops in order: everything is signed, whoever holds the lease."""
        if self._task is not None:
            self._task.cancel()
        for _ in range(LAST_TRIES):
            if await self._sign(alone=False):
                break
        if self._cosigning is not None:
            await asyncio.wait({self._cosigning})
        leases, nodes = self._floor.writer.journal.leases, self._floor.nodes
        if leases is not None and nodes is not None:  # the next node signs at once
            with suppress(JournalError):
                await asyncio.to_thread(leases.release, LEASE, f"{nodes.holder}{LEASE}")

    # ------------------------------------------------------------------ signing

    async def tick(self) -> None:
        """Sign if there is something new; a failure leads to an alert and never to an exception."""
        await self._sign(alone=True)
        await self._check_unsigned()
        self._check_overdue()

    async def reach(self, position: int) -> None:
        """Wait until a signed head covers a record, and hurry; `TimeoutError` when none does in time."""
        async with asyncio.timeout(REACH_S):
            while self.now.size < position:
                self._wake.set()
                async with self._reached:
                    await asyncio.wait_for(self._reached.wait(), REACH_S)

    async def _sign(self, *, alone: bool) -> bool:
        """Follow the journal and sign; `alone` only when this node is the one that signs. Whether it is done."""
        try:
            if not self._asked_witnesses:
                await self._ask_witnesses()
            is_mine = not alone or await asyncio.to_thread(self._take_lease)
            note = await asyncio.to_thread(self._work if is_mine else self._prover.head)
        except LogBehind as error:
            self._failed("log-behind", str(error))
            return True
        except (JournalError, BadNote) as error:
            self._failed("log-failed", str(error))
            return False
        if note is not None:
            await self._saw(note)
        if is_mine and note is not None:
            self._recovered("log-behind", "log-failed")
            self._cosign(note)
        return True

    def _take_lease(self) -> bool:
        """Whether this node signs: the only one, or the one that holds the log's lease."""
        leases, nodes = self._floor.writer.journal.leases, self._floor.nodes
        if leases is None or nodes is None:
            return True
        return LEASE in leases.take((LEASE,), f"{nodes.holder}{LEASE}", LEASE_S)

    def _work(self) -> Note:
        """On a thread: follow the journal, and sign. While a house writes faster, sign what there is."""
        until = monotonic() + self._every_s
        while self._prover.follow() and monotonic() < until:
            pass
        return self._prover.sign()

    async def _saw(self, note: Note) -> None:
        head, key = Checkpoint.read(note.text), self._prover.verifier()
        if head.size == self.now.size and self.now.signed_at is not None:
            return
        self.signed += 1
        self.now = replace(
            self.now,
            origin=head.origin,
            key="" if key is None else str(key),
            size=head.size,
            signed_at=self._floor.clock.now(),
        )
        async with self._reached:
            self._reached.notify_all()

    # ------------------------------------------------------------------ witnesses

    async def _ask_witnesses(self) -> None:
        """Before the first signature: what each witness remembers of this house."""
        while await asyncio.to_thread(self._prover.follow):
            pass
        key = await asyncio.to_thread(self._prover.known_verifier)
        for link in self._links:
            if key is None:
                break  # nothing was signed yet
            try:
                known = await asyncio.to_thread(link.known, key)
            except WitnessSilent as error:
                self._silent(link, str(error))
                continue
            if known is not None:
                self._prover.seen[link.key.name] = known
        self._asked_witnesses = True

    def _cosign(self, note: Note) -> None:
        """Have a head cosigned, beside everything else; one at a time."""
        loop = asyncio.get_running_loop()
        is_new = Checkpoint.read(note.text).size > self.now.cosigned_size
        if not self._links or (self._cosigning is not None and not self._cosigning.done()):
            return
        if is_new or loop.time() - self._cosigned_at > FRESH_S:
            self._cosigned_at = loop.time()
            if is_new and self._waiting_since is None:
                self._waiting_since = loop.time()
            self._cosigning = loop.create_task(self._ask_all(note))

    async def _ask_all(self, note: Note) -> None:
        found = await asyncio.gather(*(asyncio.to_thread(self._ask_one, link, note) for link in self._links))
        signatures: list[Signature] = []
        for link, answer in zip(self._links, found, strict=True):
            match answer:
                case Signature():
                    signatures.append(answer)
                    self._recovered(f"witness-silent {link.key.name}", f"witness-refused {link.key.name}")
                case WitnessSilent():
                    self._silent(link, str(answer))
                case _:
                    await self._contradicted(link, answer)
        enough = len(signatures) >= max(self._demanded, 1)
        if not signatures:
            return
        try:
            await asyncio.to_thread(self._prover.cosigned, Note(note.text, tuple(signatures)), enough=enough)
        except JournalError as error:
            self._failed("log-failed", str(error))
            return
        if enough:
            self._waiting_since = None
            self.now = replace(
                self.now,
                cosigned_size=Checkpoint.read(note.text).size,
                cosigned_at=max(each.at_s or 0 for each in signatures) * 1_000_000,
                cosigned_by=tuple(each.name for each in signatures),
            )
            self._check_overdue()

    def _ask_one(self, link: WitnessLink, note: Note) -> Signature | WitnessSilent | Ahead | Refused:
        try:
            return link.cosign(note, self._prover.consistency)
        except (WitnessSilent, Ahead, Refused) as error:
            return error
        except (JournalError, IndexError) as error:
            return WitnessSilent(f"the proof for it cannot be made: {error}")

    def _silent(self, link: WitnessLink, why: str) -> None:
        self.witness_failures += 1
        self._tell(f"witness-silent {link.key.name}", f"{link.key.name}: {why}")

    async def _contradicted(self, link: WitnessLink, error: Ahead | Refused) -> None:
        """A witness knows another history: an alarm, a record, and nothing more is signed."""
        self.witness_failures += 1
        if self._tell(f"witness-refused {link.key.name}", f"{link.key.name}: {error}"):
            self._floor.background(self._floor.log.note(WitnessRefused(link.key.name, str(error))))
        self._asked_witnesses = False  # the next signature asks what it knows, and is refused if that does not fit

    # ------------------------------------------------------------------ faults

    def _failed(self, kind: str, why: str) -> None:
        self.failures += 1
        self.now = replace(self.now, fault=why)
        if self._tell(kind, why) and kind == "log-behind":
            self._floor.background(self._floor.log.note(SigningRefused(why)))

    def _tell(self, kind: str, why: str) -> bool:
        """Log a fault and raise an alert, unless it is known already; whether it was news."""
        if self._told.get(kind) == why:
            return False
        self._told[kind] = why
        LOGGER.error("the log: %s: %s", kind.partition(" ")[0], why)
        self._alerts.raise_house_alert(kind.partition(" ")[0], why)
        return True

    def _recovered(self, *kinds: str) -> None:
        for kind in kinds:
            if self._told.pop(kind, None) is not None:
                LOGGER.warning("the log: %s is over", kind)
        if self.now.fault and not {"log-behind", "log-failed", "cosignatures-overdue"} & self._told.keys():
            self.now = replace(self.now, fault="")

    async def _check_unsigned(self) -> None:
        """Records that no head covers for too long, whichever node should have signed."""
        try:
            position = await asyncio.to_thread(self._floor.writer.journal.position)
        except JournalError as error:
            self._failed("log-failed", str(error))
            return
        if self._unsigned <= self.now.size:  # in a busy house there always is a newer one
            self._unsigned_since = None
            self._recovered("log-overdue")
        if position <= self.now.size:
            return
        if self._unsigned_since is None:
            self._unsigned, self._unsigned_since = position, monotonic()
        elif monotonic() - self._unsigned_since > OVERDUE_S:
            self._tell("log-overdue", f"no signed head covers the records after {self.now.size}")

    def _check_overdue(self) -> None:
        """Cosignatures that are demanded and late: an alert, and no new round begins until they are there."""
        since, late = self._waiting_since, False
        if self._demanded and since is not None:
            late = asyncio.get_running_loop().time() - since > self._within_s
        if late:
            why = f"fewer than {self._demanded} witnesses have cosigned within {self._within_s:.0f} s"
            self.now = replace(self.now, fault=why)
            self._tell("cosignatures-overdue", why)
            self._floor.hold = Refusal(
                HouseCode.DISABLED, "No new round begins: the house's witnesses have not cosigned its records in time."
            )
        elif self._floor.hold is not None:
            self._floor.hold = None
            self._recovered("cosignatures-overdue")
