"""Work that is too long for the event loop, and answers that are made once.

Enters: functions that compute an answer. Leaves: their results, computed in a thread of their own, and kept as bytes
with a validator where they follow from the rule books alone. Two threads compute for strangers, one of them what is
long; one for players, one for what staff ask for that is long. Only so many callers may wait for each, so that no crowd
takes more than a share of the machine, and none waits for another. The loop itself does nothing that takes longer than
a millisecond.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from hashlib import sha256
from typing import Final, NamedTuple, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from taisai.floor.answers import HouseCode
from taisai.table.refusals import Refusal
from taisai.web.errors import Stop

WAITING_MAX: Final = 64
"""Callers that may wait for one of the threads; each piece of work takes some milliseconds."""
KEPT_BYTES: Final = 32 * 1024 * 1024
"""Answers kept: all felts of the package in all their forms are about 20 MB."""
BUSY: Final = Refusal(HouseCode.TOO_MANY, "Too many ask for this at once: try again.", allowed="in a second")
T = TypeVar("T")


class Queue(StrEnum):
    """Who waits for whom: each has a thread of its own."""

    SHORT = "short"
    """Strangers, for what takes a few milliseconds."""
    LONG = "long"
    """Strangers, for whatever takes longer; and what is made once for everybody."""
    PLAYERS = "players"
    STAFF = "staff"
    """Staff, for reports and the like, which may take seconds."""


class Made(NamedTuple):
    """An answer that follows from the rule books alone."""

    body: bytes
    media: str
    tag: str
    place: int = 0
    """Where in the body a caller's own words go."""
    written: Callable[[str], str] | None = None
    """How those words are written there; None where there is no room for any."""

    def with_words(self, words: str) -> Made:
        """The answer with a caller's own words in it, which are neither made anew nor kept."""
        if not words or self.written is None:
            return self
        body = b"".join((self.body[: self.place], self.written(words).encode(), self.body[self.place :]))
        return Made(body, self.media, _tag_of(f"{self.tag} {words}".encode()))

    def answer(self, request: Request) -> Response:
        """The answer, or 304 when the caller has it."""
        headers = {"cache-control": "public, max-age=300", "etag": self.tag}
        if self.tag in [each.strip() for each in request.headers.get("if-none-match", "").split(",")]:
            return Response(status_code=304, headers=headers)
        return Response(self.body, media_type=self.media, headers=headers)


def made_of(response: Response) -> Made:
    """An answer as it is kept, with a digest of its bytes as the validator."""
    body = bytes(response.body)
    return Made(body, response.headers["content-type"], _tag_of(body))


def made_with_room(before: str, after: str, media: str, written: Callable[[str], str]) -> Made:
    """An answer that leaves room for a caller's own words, and how they are written there."""
    first, body = before.encode(), (before + after).encode()
    return Made(body, Response(media_type=media).headers["content-type"], _tag_of(body), len(first), written)


def _tag_of(body: bytes) -> str:
    return f'"{sha256(body).hexdigest()[:32]}"'


class Work:
    """The threads, and the answers that they have made."""

    def __init__(self, *, waiting_max: int = WAITING_MAX, kept_bytes: int = KEPT_BYTES) -> None:
        self._threads = {each: ThreadPoolExecutor(1, thread_name_prefix=f"taisai-{each}") for each in Queue}
        self._waiting, self._waiting_max = dict.fromkeys(Queue, 0), waiting_max
        self._kept: OrderedDict[Hashable, Made] = OrderedDict()
        self._left = kept_bytes
        self._making: dict[Hashable, asyncio.Future[Made]] = {}

    async def run(self, work: Callable[[], T], queue: Queue = Queue.LONG) -> T:
        """Compute what a queue asks for, one after the other; refused when too many wait."""
        if self._waiting[queue] >= self._waiting_max:
            raise Stop(BUSY, {"retry-after": "1"})
        self._waiting[queue] += 1
        computing = asyncio.get_running_loop().run_in_executor(self._threads[queue], work)
        computing.add_done_callback(lambda _done: self._computed(queue))
        return await computing

    def _computed(self, queue: Queue) -> None:
        self._waiting[queue] -= 1

    def kept(self, key: Hashable) -> Made | None:
        """An answer that is made already."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    async def make(self, key: Hashable, work: Callable[[], Made]) -> Made:
        """Make an answer and keep it; callers who ask for the same meanwhile wait for the same work."""
        making = self._making.get(key)
        if making is None:
            making = self._making[key] = asyncio.ensure_future(self.run(work))
            making.add_done_callback(lambda done: self._made(key, done))
        return await asyncio.shield(making)

    def _made(self, key: Hashable, done: asyncio.Future[Made]) -> None:
        del self._making[key]
        if done.cancelled() or done.exception() is not None:
            return
        made = self._kept[key] = done.result()
        self._left -= len(made.body)
        while self._left < 0:
            self._left += len(self._kept.popitem(last=False)[1].body)

    def close(self) -> None:
        """Let the threads end."""
        for thread in self._threads.values():
            thread.shutdown(wait=False, cancel_futures=True)
