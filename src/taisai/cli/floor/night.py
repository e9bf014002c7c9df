"""`taisai night`: a table at home, with phones as players."""

from __future__ import annotations

import io
import socket
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from msgspec.structs import replace

from taisai.cli.floor.serve import Host, Port, Told, listening, say, say_post
from taisai.cli.show import BookDirs, console, shelf_of
from taisai.core.faults import InputFault

if TYPE_CHECKING:
    from taisai.web.context import Context


def night(
    layout: Annotated[str, Parameter(help="The layout, BOOK/LAYOUT (see `taisai books`).")] = "rws-tai-sai-v6/C",
    /,
    *,
    dealer: Annotated[Literal["automatic", "human"], Parameter(help="Who deals.")] = "automatic",
    seconds: Annotated[int, Parameter(help="How long bets are open, where the house deals.")] = 20,
    chips: Annotated[int, Parameter(help="Play chips of each guest, in cents.")] = 100_000,
    journal: Annotated[str, Parameter(help="A file that keeps the evening; without one it is forgotten.")] = "memory:",
    host: Host = None,
    port: Port = 8000,
    book_dir: BookDirs = (),
) -> int:
    """A table at home: everybody scans a code with their phone, chooses a nickname and plays with play chips.

    The console shows the address of this machine in the local network, as text and as a QR code; the board for the
    television shows the code too. Whoever has lost their chips buys again. With a human dealer the console prints links
    for whoever deals, with real dice, and for who helps them out. Nothing here is for money. Ctrl-C ends it.

    Examples:
      taisai night
      taisai night rws-mini-dice-v3/A --seconds 30
      taisai night rws-tai-sai-v6/A --dealer human --journal evening.db
      taisai night --port 9000 --host 192.168.1.20
    """
    try:
        from taisai.settings.forms import Listen  # noqa: PLC0415 - the server's packages are an extra
        from taisai.settings.night import night_settings  # noqa: PLC0415 - as above
        from taisai.settings.reading import check_settings  # noqa: PLC0415 - as above
        from taisai.web.serve import run  # noqa: PLC0415 - as above
    except ImportError as error:
        raise InputFault("night", f"needs the extra `serve`: pip install 'taisai[serve]' ({error})") from None
    shelf = shelf_of(book_dir)
    place = listening(Listen(host="0.0.0.0"), host, port)
    if not place.port:
        raise InputFault("--port", "phones need a port that is known before: write one from 1 to 65535")
    here = lan_address() if place.host in ("0.0.0.0", "::", "") else place.host
    place = replace(place, public_url=f"http://{f'[{here}]' if ':' in here else here}:{place.port}")
    chosen = night_settings(shelf, layout, dealer=dealer, seconds=seconds, chips=chips, journal=journal, listen=place)
    check_settings(chosen, shelf)
    run(chosen, lambda: shelf_of(book_dir), TheNight(chosen))
    return 0


class TheNight(Told):
    """What the console is told of a table at home."""

    def started(self, context: Context, address: str) -> None:
        """The code to scan, and the links of the television and of whoever deals."""
        table = self.settings.tables[0].name
        join = f"{address}/play?table={table}"
        # Dark on light for every camera, whatever colours the terminal has.
        console().print(code_of(join), style="#ffffff on #000000", soft_wrap=True)
        say(f"[bold]Casino night[/]: scan the code, or type [bold]{address}[/] into any phone in this network")
        if address.startswith(("http://127.", "http://[::1]")):
            why = (
                "that is this machine alone" if self.settings.listen.host != "0.0.0.0" else "no local network was found"
            )
            say(f"  {why}: no phone reaches it (connect it, or say --host ADDRESS)")
        say(f"  television          {address}/board?table={table}")
        if self.settings.tables[0].mode == "dealer":
            for post in ("dealer", "supervisor"):
                say_post(address, post, context.demo_links[post], [table])
        say(f"  rules and odds      {address}/rules")
        say("  Ctrl-C ends it")


def code_of(text: str) -> str:
    """A text as a QR code, drawn with half blocks, which are its light parts."""
    import segno  # noqa: PLC0415 - of the extra `serve`

    out = io.StringIO()
    segno.make(text, error="m", micro=False).terminal(out, border=2, compact=True)
    return out.getvalue().rstrip("\n")


def lan_address() -> str:
    """The address of this machine in its network, as far as the system knows a way out; 127.0.0.1 otherwise."""
    for family, elsewhere in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect((elsewhere, 9))  # of documentation: a datagram socket sends nothing when it connects
            except OSError:
                continue
            return str(probe.getsockname()[0])
    return "127.0.0.1"
