"""Takes screenshots for README and docs, in a real Chromium.

python tools/screens.py             those that README and docs show, into docs/pictures/screens
python tools/screens.py --all DIR   every screen in every size, in the light and the dark theme, into a folder

Enters: a demo floor of its own, with short rounds. Leaves: PNG files, SCREEN-SIZE-THEME.png. A screen is an entry of
`SCREENS`: its address, a selector that matches once it is drawn, and what to do before the screenshot. It takes a
minute or two.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.request import Request, urlopen

from msgspec.structs import replace
from playwright.sync_api import Browser, Page, sync_playwright

from taisai.books import open_shelf
from taisai.settings.forms import Settings, Timing, demo_settings

if TYPE_CHECKING:
    from taisai.web.context import Context

FOLDER: Final = Path(__file__).parent.parent / "docs" / "pictures" / "screens"
SIZES: Final = {"phone": (390, 844), "tablet": (820, 1180), "table": (1920, 1080)}
THEMES: Final = ("light", "dark")
QUICK: Final = Timing(
    betting_ms=1_200, after_close_ms=100, tumbling_ms=200, reveal_ms=200, lit_ms=300, paid_ms=200, between_ms=200
)
CALM: Final = Timing(
    betting_ms=6_000, after_close_ms=300, tumbling_ms=900, reveal_ms=400, lit_ms=1_500, paid_ms=600, between_ms=6_000
)
OPEN: Final = Timing(betting_ms=600_000)
TIMINGS: Final = {"TS-C": QUICK, "TS-E": OPEN}
"""TS-C plays quickly, to fill the board; TS-E keeps bets open; the others play a round at a calm pace."""
RESULTS: Final = 14
WAIT_MS: Final = 90_000
PASSWORD: Final = "pictures of the demo"


class Screen(NamedTuple):
    """A screen to photograph."""

    address: str
    sign: str
    """A selector that matches once the screen is drawn."""
    act: Callable[[Page], None] | None = None
    post: str = ""
    """Who is signed in, for screens of the crew."""


def _bet(page: Page) -> None:
    """Sit down and bet on a few boxes."""
    page.locator("[data-action=sit]").click()
    page.locator(".rail-chip").first.wait_for()
    page.locator("body[data-phase=betting]").wait_for(state="attached")
    for name in ("small", "total:9", "single:6", "pair:13"):
        page.locator(f'g.box[data-box="{name}"]').first.click()
    page.locator('g.chips.own g.stack[data-box="pair:13"]').first.wait_for(state="attached")


def _won(page: Page) -> None:
    """Bet on both sides of a fresh round and wait for its result."""
    page.locator("[data-action=sit]").click()
    page.locator(".rail-chip").first.wait_for()
    page.locator("body[data-phase=between-rounds]").wait_for(state="attached")
    page.locator("body[data-phase=betting]").wait_for(state="attached")
    for name in ("small", "big", "total:9", "any-triple"):
        page.locator(f'g.box[data-box="{name}"]').first.click()
    page.locator(".result .headline").wait_for()


def _rolled(page: Page) -> None:
    """Wait until the board shows a roll and the book's name."""
    page.locator(".b-note a").first.wait_for()
    page.locator(".tumbler[data-dice=shown]").wait_for()


def _dealt(page: Page) -> None:
    """Wait until the dealer's desk is drawn."""
    page.locator("g.box").first.wait_for()
    page.wait_for_timeout(500)  # fonts and the first change


SCREENS: Final[dict[str, Screen]] = {
    "home": Screen("/", ".table-card"),
    "play": Screen("/play?table=TS-E", "g.box", _bet),
    "result": Screen("/play?table=OC-A", "g.box", _won),
    "board": Screen("/board?table=TS-C", f".b-last li:nth-child({min(RESULTS, 8)})", _rolled),
    "board-near": Screen("/board?table=TS-C&view=near", f".b-last li:nth-child({min(RESULTS, 10)})", _rolled),
    "sign-in": Screen("/sign-in", "form"),
    "docs": Screen("/docs", "details"),
    "deal": Screen("/deal?table=NZ-2", "g.box", _dealt, "dealer"),
    "pit": Screen("/pit", ".pit-card", None, "supervisor"),
    "odds": Screen("/odds?layout=rws-tai-sai-v6/C", "table tbody tr"),
    "rules": Screen("/rules?book=rws-tai-sai-v6&layout=C", "main *"),
    "train": Screen("/train", "main *"),
}
CHOSEN: Final = (
    ("home", "tablet", "light"),
    ("play", "table", "dark"),
    ("play", "phone", "light"),
    ("result", "table", "light"),
    ("board", "table", "dark"),
    ("board-near", "table", "light"),
    ("deal", "table", "light"),
    ("pit", "table", "dark"),
    ("odds", "table", "light"),
    ("rules", "tablet", "light"),
    ("train", "tablet", "light"),
)
"""What README and docs show."""


def settings() -> Settings:
    """The demo floor with short rounds."""
    base = demo_settings(open_shelf(environment={}))
    tables = tuple(
        replace(table, timing=TIMINGS.get(table.name, CALM), idle_when_empty=table.name != "TS-C")
        for table in base.tables
    )
    return replace(
        base,
        tables=tables,
        house=replace(base.house, minimum_betting_ms=0),
        listen=replace(base.listen, port=0),
        log=replace(base.log, level="error"),
    )


def serve() -> None:
    """Run the floor, in a process of its own."""
    from taisai.web.serve import run  # noqa: PLC0415 - only the server process needs it

    class Told:
        def started(self, context: Context, address: str) -> None:
            print(address, json.dumps(context.demo_links), flush=True)

        def finishing(self, rounds: int, seconds: int) -> None:
            pass

    run(settings(), lambda: open_shelf(environment={}), Told())


def _choose_passwords(address: str, links: dict[str, str]) -> None:
    for token in links.values():
        body = json.dumps({"token": token, "password": PASSWORD}).encode()
        headers = {"content-type": "application/json"}
        with urlopen(Request(f"{address}/api/one-time", data=body, headers=headers, method="POST")):
            pass


@contextmanager
def floor() -> Iterator[str]:
    """The address of a temporary floor whose crew have chosen their passwords."""
    command = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        try:
            assert process.stdout is not None
            line = next(line for line in process.stdout if line.startswith("http://"))
            address, _, links = line.partition(" ")
            _choose_passwords(address, json.loads(links))
            yield address
        finally:
            process.kill()


def take(browser: Browser, address: str, picture: tuple[str, str, str], folder: Path) -> Path:
    """Take one screenshot: a screen, a size, a theme."""
    name, size, theme = picture
    screen = SCREENS[name]
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if theme == "dark" else "light",
        locale="en-SG",
        has_touch=size != "table",
        is_mobile=size == "phone",
        reduced_motion="reduce",
    )
    context.set_default_timeout(WAIT_MS)
    context.add_init_script("localStorage.setItem('taisai.guided', 'true')")
    if screen.post:
        who = {"login": screen.post, "password": PASSWORD, "post": screen.post}
        context.request.post(f"{address}/api/sign-in", data=who)
    page = context.new_page()
    page.goto(address + screen.address)
    page.locator(screen.sign).first.wait_for(state="attached")
    if screen.act is not None:
        screen.act(page)
    path = folder / f"{name}-{size}-{theme}.png"
    page.screenshot(path=path)
    context.close()
    return path


def main() -> int:
    """Take the screenshots; returns the exit code."""
    if sys.argv[1:] == ["--serve"]:
        serve()
        return 0
    wanted, folder = list(CHOSEN), FOLDER
    if len(sys.argv) == 3 and sys.argv[1] == "--all":
        wanted, folder = (
            [(name, size, theme) for name in SCREENS for size in SIZES for theme in THEMES],
            Path(sys.argv[2]),
        )
    elif sys.argv[1:]:
        print(__doc__)
        return 2
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        print("no Chromium found: tools/setup dev installs it", file=sys.stderr)
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    with floor() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for picture in wanted:
            print(take(browser, address, picture, folder))
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
