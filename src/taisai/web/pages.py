"""Pages and the files that they load, all from this package.

Enters: the files of `static/`, read once at the start. Leaves: a route for each page and one for the files. Browsers
revalidate every file by its digest, so they always have the newest version and never download the same one twice.
"""

from __future__ import annotations

from functools import cache
from gzip import compress
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Final, NamedTuple

from msgspec import json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from taisai.web.errors import NOTHING_HERE

MEDIA: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".py": "text/x-python; charset=utf-8",
    ".webmanifest": "application/manifest+json",
}
PAGES: Final = {
    "/": "home/index.html",
    "/docs": "home/docs.html",
    "/sign-in": "account/sign-in.html",
    "/welcome": "account/welcome.html",
    "/play": "play/play.html",
    "/deal": "deal/deal.html",
    "/pit": "pit/pit.html",
    "/board": "board/board.html",
    "/rules": "rules/rules.html",
    "/odds": "rules/odds.html",
    "/compare": "rules/compare.html",
    "/train": "train/train.html",
    "/round": "round/round.html",
    "/verify": "verify/verify.html",
}
"""The page at each address; everything else that a page needs is under /static/."""


TEXTS: Final = "texts/"
"""Where the catalogues of the screens' texts are, one for each language."""


@cache
def packed(body: bytes) -> bytes:
    """A file as it is sent to whoever unpacks it; packed once."""
    return compress(body, mtime=0)


class _File(NamedTuple):
    """A file with its media type and digest."""

    body: bytes
    media: str
    digest: str

    def answer(self, request: Request) -> Response:
        """The file, or 304 when the browser has this version."""
        headers = {"cache-control": "no-cache", "etag": self.digest, "vary": "accept-encoding"}
        if request.headers.get("if-none-match") == self.digest:
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            # Files hold no secrets, so their length tells nothing.
            return Response(packed(self.body), media_type=self.media, headers=headers | {"content-encoding": "gzip"})
        return Response(self.body, media_type=self.media, headers=headers)


def _files() -> dict[str, _File]:
    found = {}
    for folder in files("taisai.web").joinpath("static").iterdir():
        for one in folder.iterdir():
            ending = "." + one.name.rpartition(".")[2]
            if ending in MEDIA:
                found[f"{folder.name}/{one.name}"] = _file(one.read_bytes(), ending)
    return found


def _file(body: bytes, ending: str) -> _File:
    return _File(body, MEDIA[ending], f'"{sha256(body).hexdigest()[:32]}"')


def _marked(page: _File, purpose: str) -> _File:
    """A page whose body says what the floor is for; `shell.js` puts it into words."""
    return _file(page.body.replace(b"<body ", f'<body data-purpose="{purpose}" '.encode(), 1), ".html")


def _with_texts(known: dict[str, _File]) -> dict[str, _File]:
    """The files, with every catalogue whole and every page told which languages there are.

    What a catalogue lacks is in English, so a language that is being added can be used from its first text on.
    """
    names = [name for name in sorted(known) if name.startswith(TEXTS)]
    catalogues = {name[len(TEXTS) :].removesuffix(".json"): json.decode(known[name].body) for name in names}
    english = catalogues["en"]
    called = {code: texts["language.name"] for code, texts in catalogues.items()}
    told = escape(json.encode(called).decode()).encode()
    whole = {f"{TEXTS}{code}.json": _file(json.encode(english | texts), ".json") for code, texts in catalogues.items()}
    pages = {
        name: _file(known[name].body.replace(b"<html ", b'<html data-languages="' + told + b'" ', 1), ".html")
        for name in PAGES.values()
    }
    return known | whole | pages


def page_routes(purpose: str = "gaming") -> list[Route]:
    """The routes of all pages and files. Where a floor is not for gaming, every page says what it is for (I23)."""
    known = _with_texts(_files())
    if purpose != "gaming":
        known |= {name: _marked(known[name], purpose) for name in PAGES.values()}

    async def static(request: Request) -> Response:
        found = known.get(request.path_params["name"])
        if found is None:
            raise HTTPException(404, NOTHING_HERE.sentence)
        return found.answer(request)

    def page(address: str) -> Route:
        found = known[PAGES[address]]

        async def show(request: Request) -> Response:
            return found.answer(request)

        return Route(address, show, methods=["GET"])

    return [
        Route("/static/{name:path}", static, methods=["GET"]),
        *(page(address) for address in PAGES),
    ]
