"""`taisai night` as a process: four phones sit down by nickname and play, and the television shows it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.felt import ROUND_MS, box, sit, stack
from tests.browser.visits import WAIT_MS
from tests.torture.fleet import free_port

NAMES = ("Ann", "Bob", "Cy", "Di")
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True, "device_scale_factor": 2}
TELEVISION = {"viewport": {"width": 1920, "height": 1080}}
SECONDS = "15"
"""How long bets are open: four phones bet one after the other in it, on a busy machine too."""


@contextmanager
def casino_night() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command as somebody types it at home, and what its console says before the first guest comes."""
    words = ["night", "--port", str(free_port()), "--host", "127.0.0.1", "--seconds", SECONDS]
    with subprocess.Popen(
        [sys.executable, "-m", "taisai", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            assert process.stdout is not None
            said = ""
            while "Ctrl-C ends it" not in said:
                line = process.stdout.readline()
                assert line, said
                said += line
            yield process, said
        finally:
            process.kill()


def visited(chromium: Browser, address: str, **options: object) -> Page:
    """A page on a device of its own."""
    page = chromium.new_context(**options).new_page()  # type: ignore[arg-type] # what Playwright takes, by name
    page.set_default_timeout(WAIT_MS)
    page.goto(address)
    return page


@pytest.mark.slow
def test_four_phones_play_a_round_at_home(chromium: Browser) -> None:
    """Guests are who they say, bet by touch, are paid, and the board shows the round; Ctrl-C ends the evening."""
    with casino_night() as (process, said):
        found = re.search(r"type (http://\S+) into any phone", said)
        assert found is not None, said
        address = f"{found[1]}/play?table=Night-C"
        television = visited(chromium, f"{found[1]}/board?table=Night-C", **TELEVISION)
        expect(television.get_by_text("Scan and play")).to_be_visible()
        phones = [visited(chromium, address, **PHONE) for _ in NAMES]
        for phone, name in zip(phones, NAMES, strict=True):
            phone.locator("input[autocomplete=nickname]").fill(name)
            assert sit(phone) == name
        expect(phones[0].locator("body:not([data-phase=betting])")).to_be_attached(timeout=ROUND_MS)
        expect(phones[0].locator("body[data-phase=betting]")).to_be_attached(timeout=ROUND_MS)
        for phone in phones:
            box(phone, "small").tap()
            expect(stack(phone, "small")).to_be_attached()
        for phone in phones:
            expect(phone.locator("#last-net")).to_have_text(re.compile(r"\$5"), timeout=ROUND_MS)
        # With the code to scan there is no room for the shares across a room; the results are there.
        expect(television.locator(".b-last li")).to_have_count(2, timeout=ROUND_MS)
        expect(television.locator(".b-last li").first).to_be_visible()
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        assert process.wait(ROUND_MS / 1_000) == 0
