"""A subscriber: answers wait for a slow client and frames of the feed do not; one that never reads is dropped."""

from __future__ import annotations

import asyncio

import pytest

from taisai.protocol.messages import Pong
from taisai.web.socket import subscriber as subscribers
from taisai.web.socket.frames import frame_of
from taisai.web.socket.subscriber import Subscriber
from tests.web.serving import on_a_loop
from tests.web.socket.clients import Pipe


def pong(number: int) -> bytes:
    """A frame that can be told from others."""
    return frame_of(Pong(number, 0))


def numbers(pipe: Pipe) -> list[int]:
    """Which frames have been sent."""
    return [frame["n"] for frame in pipe.frames]


@on_a_loop
async def test_while_the_buffer_is_full_answers_wait_and_frames_are_left_out() -> None:
    """After the client has read, the answers are sent in order, and the feed is asked for a snapshot once."""
    pipe = Pipe()
    asked: list[Subscriber] = []
    subscriber = Subscriber(pipe, None, None)
    subscriber.on_drained = asked.append
    pipe.takes_one = True
    assert subscriber.push(pong(1))
    assert not subscriber.push(pong(2))
    subscriber.reply(pong(3))
    subscriber.reply(pong(4))
    assert numbers(pipe) == [1]
    pipe.read()
    assert (numbers(pipe), asked) == ([1, 3, 4], [subscriber])
    pipe.read()
    assert asked == [subscriber]
    subscriber.end()


@on_a_loop
async def test_answers_that_fill_the_buffer_again_keep_their_order() -> None:
    """When only some of the waiting answers fit, the rest wait on, before whatever comes later."""
    pipe = Pipe()
    subscriber = Subscriber(pipe, None, None)
    pipe.takes_one = True
    for number in range(4):
        subscriber.reply(pong(number))
    pipe.is_full = False
    subscriber._drained()
    assert numbers(pipe) == [0, 1]
    subscriber.reply(pong(9))
    pipe.read()
    assert numbers(pipe) == [0, 1, 2, 3, 9]
    subscriber.end()


@on_a_loop
async def test_a_client_that_never_reads_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A buffer that stays full for too long ends the connection, without waiting for the client."""
    monkeypatch.setattr(subscribers, "BEHIND_S", 0.01)
    pipe = Pipe()
    subscriber = Subscriber(pipe, None, None)
    pipe.takes_one = True
    assert subscriber.push(pong(1))
    while not pipe.is_aborted:
        await asyncio.sleep(0)
    assert subscriber.closed
    assert not subscriber.push(pong(2))


@on_a_loop
async def test_a_client_that_reads_in_time_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The timer of a slow client is cancelled when it has drained."""
    monkeypatch.setattr(subscribers, "BEHIND_S", 0.01)
    pipe, other = Pipe(), Pipe()
    subscriber, dropped = Subscriber(pipe, None, None), Subscriber(other, None, None)
    pipe.takes_one = other.takes_one = True
    assert subscriber.push(pong(1))
    pipe.read()
    assert dropped.push(pong(1))
    while not other.is_aborted:
        await asyncio.sleep(0)
    assert (pipe.is_aborted, subscriber.closed) == (False, False)


@on_a_loop
async def test_answers_do_not_pile_up_for_a_client_that_never_reads() -> None:
    """Only so many answers wait; one more, and the client is dropped."""
    pipe = Pipe()
    subscriber = Subscriber(pipe, None, None, replies_max=10)
    pipe.takes_one = True
    for number in range(11):
        subscriber.reply(pong(number))
    assert not pipe.is_aborted
    subscriber.reply(pong(11))
    assert (pipe.is_aborted, subscriber.closed) == (True, True)
    pipe.read()
    assert numbers(pipe) == [0]
