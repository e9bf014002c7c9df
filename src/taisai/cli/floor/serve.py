"""`taisai serve`: run a floor of live tables."""

from __future__ import annotations

import os
import sys
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

from cyclopts import Parameter
from msgspec.structs import replace

from taisai.cli.show import BookDirs, console, print_json, shelf_of
from taisai.core.faults import InputFault
from taisai.floor.floor import MARGIN_S
from taisai.floor.nodes import LEASE_S
from taisai.journal.opening import file_of
from taisai.journal.postgres.address import read_address
from taisai.journal.signing import key_path
from taisai.journal.sqlite.database import readable_by_others
from taisai.web.preparation import dice_key_path

_ON_SERVER = ("postgresql://", "postgres://")
LEAVE_S = 3.0
"""What the clients' sockets have to take the close, and the last commit to return."""

Host = Annotated[str | None, Parameter(help="Address to listen on; 0.0.0.0 is every one of this machine.")]
Port = Annotated[int | None, Parameter(help="Port to listen on; 0 takes a free one.")]

if TYPE_CHECKING:
    from taisai.books import Shelf
    from taisai.settings.forms import Listen, Settings
    from taisai.web.context import Context


def serve(
    *,
    settings: Annotated[Path | None, Parameter(help="The settings, a TOML file (also TAISAI_SETTINGS).")] = None,
    journal: Annotated[str | None, Parameter(help="Where to write: a path, sqlite:///path, postgresql://...")] = None,
    host: Host = None,
    port: Port = None,
    listen: Annotated[str | None, Parameter(help="HOST:PORT in one, instead of --host and --port.")] = None,
    demo: Annotated[bool, Parameter(help="The demo floor: a table for every layout.", negative=())] = False,
    check: Annotated[bool, Parameter(help="Read the settings, print them and end.", negative=())] = False,
    book_dir: BookDirs = (),
) -> int:
    """Run a floor: live tables over HTTP and WebSocket, every answer on disk before it is given.

    The first start prints a one-time link with which the administrator chooses a password. Ctrl-C or SIGTERM ends the
    house in order: automatic tables finish their round, the others are held; a second Ctrl-C does not wait for the
    rounds, which are then concluded after the next start. Settings come from one file and the
    environment (TAISAI_LISTEN__PORT=9000); docs/settings.md describes them.

    Examples:
      taisai serve --demo --port 8001
      taisai serve --settings floor.toml
      taisai serve --journal sqlite:///floor.db --host 0.0.0.0 --port 9000
      TAISAI_JOURNAL__URL=postgresql://user:secret@db/floor taisai serve --settings floor.toml
      taisai serve --settings floor.toml --check
    """
    try:
        from taisai.settings.forms import demo_settings  # noqa: PLC0415 - the server's packages are an extra
        from taisai.settings.reading import (  # noqa: PLC0415 - as above
            JOURNAL_VARIABLES,
            check_settings,
            read_settings,
        )
        from taisai.web.serve import run  # noqa: PLC0415 - as above
    except ImportError as error:
        raise InputFault("serve", f"needs the extra `serve`: pip install 'taisai[serve]' ({error})") from None
    shelf = shelf_of(book_dir)
    if demo and settings is not None:
        raise InputFault("--demo", "has settings of its own: leave out --settings")
    chosen = read_settings(
        settings,
        environment={
            name: text for name, text in os.environ.items() if journal is None or name not in JOURNAL_VARIABLES
        },
        shelf=shelf,
        instead=demo_settings(shelf) if demo else None,
    )
    if journal is not None:
        chosen = replace(chosen, journal=replace(chosen.journal, url=journal))
    if listen is not None and (host is not None or port is not None):
        raise InputFault("--listen", "says host and port in one: leave out --host and --port")
    if listen is not None:
        name, _, number = listen.rpartition(":")
        if not number.isdigit():
            raise InputFault("--listen", f"write HOST:PORT, such as 127.0.0.1:8000, got {listen!r}")
        host, port = name or "127.0.0.1", int(number)
    chosen = replace(chosen, listen=listening(chosen.listen, host, port))
    check_settings(chosen, shelf)
    require_reachable(chosen)
    if check:
        print_json(chosen.shown())
        if not demo:
            print(f"taisai: {stopping(chosen)}", file=sys.stderr)
        for warning in [*warnings_about(chosen), *drafts_of(shelf)]:
            print(f"taisai: warning: {warning}", file=sys.stderr)
        return 0
    for draft in drafts_of(shelf):
        print(f"taisai: warning: {draft}", file=sys.stderr)
    run(chosen, lambda: shelf_of(book_dir), Told(chosen))
    return 0


def listening(place: Listen, host: str | None, port: int | None) -> Listen:
    """Where to listen, with what the command line says in the place of the settings."""
    if port is not None and not 0 <= port <= 65_535:
        raise InputFault("--port", f"from 0 to 65535, got {port}")
    return replace(
        place,
        host=place.host if host is None else host.strip("[]"),
        port=place.port if port is None else port,
    )


def require_reachable(settings: Settings) -> None:
    """Refuse a node that listens on this machine alone and tells the others an address of its network."""
    host, address = settings.listen.host, settings.node.address
    if address and _is_local(host) and not _is_local(urlsplit(address).hostname or ""):
        reason = f"{host} is not reached from other machines, and node.address is {address}"
        raise InputFault("listen.host", f"{reason}: write 0.0.0.0 for every address of this machine, or one of them")


def _is_local(host: str) -> bool:
    return host in ("localhost", "::1", "") or host.startswith("127.")


def longest_stop_s(settings: Settings) -> int:
    """How long a planned stop takes at most: the longest round, the hand-over, the farewell to the clients."""
    rounds_ms = [table.timing.round_ms for table in settings.tables if table.mode == "automatic"]
    return ceil(max(rounds_ms, default=0) / 1_000 + MARGIN_S + 2 * LEASE_S + LEAVE_S)


def stopping(settings: Settings) -> str:
    """What the service manager has to allow for."""
    return (
        f"a planned stop takes up to {longest_stop_s(settings)} s: TimeoutStopSec, stop_grace_period or "
        "terminationGracePeriodSeconds must be longer"
    )


def warnings_about(settings: Settings) -> list[str]:
    """What an operator should mend before the house opens, though it would open."""
    return [*_warnings_about_files(settings), *_warnings_about_nodes(settings)]


def _warnings_about_files(settings: Settings) -> list[str]:
    file, key = file_of(settings.journal.url), key_of(settings.journal.url)
    near = [each for each in (file, key, dice_key_path(settings)) if each is not None]
    found = [f"others may read {each}: chmod 600 {each}" for each in near if readable_by_others(each)]
    for home in sorted({each.absolute().parent for each in near}):
        if not home.is_dir():
            found.append(f"there is no folder {home}: make it, owned by the user of the service")
        elif not os.access(home, os.W_OK):
            found.append(f"this user cannot write to {home}")
    return found


def key_of(url: str) -> Path | None:
    """The file of the key that signs a journal's log; None where its address names none."""
    file = file_of(url)
    if file is not None:
        return key_path(file)
    return read_address(url).key if url.startswith(_ON_SERVER) else None


def _warnings_about_nodes(settings: Settings) -> list[str]:
    node, listen, url = settings.node, settings.listen, settings.journal.url
    automatic = [table for table in settings.tables if table.mode == "automatic"]
    on_server = url.startswith(_ON_SERVER)
    found = []
    if on_server and not node.address:
        found.append("node.address is not set: no second node can serve this journal beside this one")
    if on_server and key_of(url) is None:
        found.append("journal.url names no key (?key=FILE): each node would sign the log with a key of its own")
    if on_server and automatic and not settings.house.dice_key:
        found.append(
            "house.dice_key is not set: when a node dies, its automatic tables void the round whose bets are open"
        )
    waiting = [table.name for table in automatic if not table.unattended]
    if waiting:
        found.append(
            f"unattended is off at {', '.join(waiting)}: a round that is interrupted there waits for the crew, for ever"
        )
    if not listen.public_url and (listen.trusted_proxies or node.address):
        found.append("listen.public_url is not set: behind a proxy links and the check of origins need it")
    return found


def drafts_of(shelf: Shelf) -> list[str]:
    """The books that are installed and cannot be used: no table may stand under them, and nothing else is stopped."""
    return [
        f"rule book {book_id} cannot be used: {error.faults[0]}"
        + (f" (and {len(error.faults) - 1} more: taisai books)" if len(error.faults) > 1 else "")
        for book_id, error in shelf.broken.items()
    ]


class Told:
    """What the console is told of a house: its links when it opens, what is left to do when it stops."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def started(self, context: Context, address: str) -> None:
        """The few links that somebody needs who has just started the house."""
        settings = self.settings
        say(f"[bold]{settings.house.name}[/] is open at [bold]{address}[/]")
        automatic = [table.name for table in settings.tables if table.mode == "automatic"]
        by_hand = [table.name for table in settings.tables if table.mode == "dealer"]
        if settings.demo.enabled and automatic:
            say(f"  sit down and play   {address}/play?table={automatic[0]}")
        for post, token in context.demo_links.items():
            say_post(address, post, token, by_hand)
        shown = automatic or by_hand
        if shown:
            say(f"  display board       {address}/board?table={shown[0]}")
        say(f"  all tables          {address}/")
        if context.first_link:
            say(f"  administrator       {address}/welcome?post=administrator#{context.first_link}")
        if context.first_link or any(context.demo_links.values()):
            console().print(
                "  (a link of staff is single use and expires in 24 h: with it they choose a password)", style="dim"
            )
        say("  Ctrl-C stops it")

    def finishing(self, rounds: int, seconds: int) -> None:
        """It was asked to stop while rounds are in play."""
        say(f"finishing {rounds} round{'' if rounds == 1 else 's'}, {seconds} s; again to stop now")


def say(line: str) -> None:
    """Print a line at once, however long it is."""
    console().print(line, soft_wrap=True)
    sys.stdout.flush()


def say_post(address: str, post: str, token: str, by_hand: list[str]) -> None:
    """The link of a member of the demo's staff: to choose a password, or to sign in with the one they have chosen."""
    table = f"&table={by_hand[0]}" if by_hand else ""
    words = _WORDS.get(post, post)
    if token:
        say(f"  {words:<19} {address}/welcome?post={post}{table}#{token}")
    else:
        say(f"  {words:<19} {address}/sign-in?post={post}{table}   login: {post}")


_WORDS = {"dealer": "deal", "supervisor": "supervise", "shift-manager": "manage the shift"}
