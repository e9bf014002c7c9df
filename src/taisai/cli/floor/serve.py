"""`taisai serve`: run a floor of live tables."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from msgspec.structs import replace

from taisai.cli.show import BookDirs, console, print_json, shelf_of
from taisai.core.faults import InputFault
from taisai.journal.opening import file_of
from taisai.journal.signing import key_path
from taisai.journal.sqlite.database import readable_by_others

if TYPE_CHECKING:
    from taisai.settings.forms import Settings
    from taisai.web.context import Context


def serve(
    *,
    settings: Annotated[Path | None, Parameter(help="The settings, a TOML file (also TAISAI_SETTINGS).")] = None,
    journal: Annotated[str | None, Parameter(help="Where to write: a path, sqlite:///path, postgresql://...")] = None,
    listen: Annotated[str | None, Parameter(help="HOST:PORT to listen on; port 0 takes a free one.")] = None,
    demo: Annotated[bool, Parameter(help="The demo floor: a table for every layout.", negative=())] = False,
    check: Annotated[bool, Parameter(help="Read the settings, print them and end.", negative=())] = False,
    book_dir: BookDirs = (),
) -> int:
    """Run a floor: live tables over HTTP and WebSocket, every answer on disk before it is given.

    The first start prints a one-time link with which the administrator chooses a password. Ctrl-C or SIGTERM ends the
    house in order: automatic tables finish their round, the others are held. Settings come from one file and the
    environment (TAISAI_LISTEN__PORT=9000); docs/settings.md describes them.

    Examples:
      taisai serve --demo
      taisai serve --settings floor.toml
      taisai serve --journal sqlite:///floor.db --listen 127.0.0.1:9000
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
    if listen is not None:
        host, _, port = listen.rpartition(":")
        if not port.isdigit() or int(port) > 65_535:
            raise InputFault("--listen", f"write HOST:PORT, such as 127.0.0.1:8000, got {listen!r}")
        chosen = replace(chosen, listen=replace(chosen.listen, host=host.strip("[]") or "127.0.0.1", port=int(port)))
    check_settings(chosen, shelf)
    if check:
        print_json(chosen.shown())
        for warning in warnings_about(chosen):
            print(f"taisai: warning: {warning}", file=sys.stderr)
        return 0
    run(chosen, lambda: shelf_of(book_dir), lambda house, address: _tell(chosen, house, address))
    return 0


def warnings_about(settings: Settings) -> list[str]:
    """What an operator should mend before the house opens, though it would open."""
    file = file_of(settings.journal.url)
    near = [] if file is None else [file, key_path(file)]
    return [f"others may read {each}: chmod 600 {each}" for each in near if readable_by_others(each)]


def _tell(settings: Settings, context: Context, address: str) -> None:
    """The few links that somebody needs who has just started the house."""
    out = console()
    out.print(f"[bold]{settings.house.name}[/] is open at [bold]{address}[/]", soft_wrap=True)
    automatic = [table.name for table in settings.tables if table.mode == "automatic"]
    by_hand = [table.name for table in settings.tables if table.mode == "dealer"]
    if settings.demo.enabled and automatic:
        out.print(f"  sit down and play   {address}/play?table={automatic[0]}", soft_wrap=True)
    for post, token in context.demo_links.items():
        where = f"&table={by_hand[0]}" if by_hand else ""
        out.print(f"  {_WORDS.get(post, post):<19} {address}/welcome?post={post}{where}#{token}", soft_wrap=True)
    shown = automatic or by_hand
    if shown:
        out.print(f"  display board       {address}/board?table={shown[0]}", soft_wrap=True)
    out.print(f"  all tables          {address}/")
    if context.first_link:
        out.print(f"  administrator       {address}/welcome?post=administrator#{context.first_link}", soft_wrap=True)
        out.print("  (links of staff are good once, for a day: each chooses a password)", style="dim")


_WORDS = {"dealer": "deal", "supervisor": "supervise", "shift-manager": "manage the shift"}
