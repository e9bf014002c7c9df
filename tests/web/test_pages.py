"""Pages and files: served unchanged, not sent twice, and nothing outside their folder."""

from __future__ import annotations

import json
import re
from gzip import decompress
from html import unescape

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from taisai.web.pages import PAGES, page_routes
from tests import ROOT
from tests.web.serving import on_a_loop

STATIC = ROOT / "src" / "taisai" / "web" / "static"


def routes() -> dict[str, Route]:
    """Every page, and the files, by path."""
    return {route.path: route for route in page_routes()}


async def ask(path: str, name: str = "", tag: str = "") -> Response:
    """What a route answers."""
    scope = {
        "type": "http",
        "headers": [(b"if-none-match", tag.encode())] if tag else [],
        "path_params": {"name": name},
    }
    answer: Response = await routes()[path].endpoint(Request(scope))
    return answer


@on_a_loop
async def test_a_file_is_not_sent_twice() -> None:
    """A browser that has the current version gets 304; any other gets the file."""
    first = await ask("/static/{name:path}", "lib/api.js")
    assert (first.status_code, first.media_type) == (200, "text/javascript; charset=utf-8")
    assert first.body == (STATIC / "lib/api.js").read_bytes()
    assert (await ask("/static/{name:path}", "lib/api.js", first.headers["etag"])).status_code == 304
    assert (await ask("/static/{name:path}", "lib/api.js", '"older"')).status_code == 200


@on_a_loop
async def test_a_file_is_packed_for_who_unpacks_it() -> None:
    """A browser that takes gzip gets the same file in fewer bytes."""
    scope = {"type": "http", "headers": [(b"accept-encoding", b"gzip, br")], "path_params": {"name": "lib/api.js"}}
    answer: Response = await routes()["/static/{name:path}"].endpoint(Request(scope))
    assert answer.headers["content-encoding"] == "gzip"
    assert decompress(bytes(answer.body)) == (STATIC / "lib/api.js").read_bytes()


@pytest.mark.parametrize("name", ["nothing.js", "lib/types.d.ts", "../pages.py", ""])
def test_what_is_no_file_of_the_screens_is_not_served(name: str) -> None:
    """Only files that browsers load are served."""

    @on_a_loop
    async def asked() -> None:
        with pytest.raises(HTTPException, match="404"):
            await ask("/static/{name:path}", name)

    asked()


@pytest.mark.parametrize("page", sorted(PAGES.values()))
def test_a_page_loads_only_what_is_there(page: str) -> None:
    """Whatever a page asks for is a file of the folder, and nothing is inline: the security policy forbids it."""
    text = (STATIC / page).read_text(encoding="utf-8")
    asked = re.findall(r'(?:href|src)="([^"]+)"', text)
    assert asked
    assert [each for each in asked if not (each.startswith("/static/") and (STATIC / each[8:]).is_file())] == []
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*src=)", text)


@pytest.mark.parametrize("script", sorted(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.js")))
def test_a_module_imports_only_what_is_there(script: str) -> None:
    """Modules import their neighbours and nothing from elsewhere; no line is too long and no file either."""
    text = (STATIC / script).read_text(encoding="utf-8")
    imports = re.findall(r'^(?:import|\} from|export .* from) ?(?:.* from )?"([^"]+)"', text, re.MULTILINE)
    here = (STATIC / script).parent
    assert [each for each in imports if not (each.startswith(("./", "../")) and (here / each).is_file())] == []
    assert text.startswith("// "), "a module begins with what it is"
    lines = text.splitlines()
    long = [number for number, line in enumerate(lines, start=1) if len(line) > 120]
    assert long == [], "node_modules/.bin/prettier --write mends most long lines"
    assert len(lines) <= 600


def test_the_lock_of_the_checks_names_no_host() -> None:
    """Packages that check the screens are named with version and digest, not with where they came from."""
    text = (ROOT / "package-lock.json").read_text(encoding="utf-8")
    assert "://" not in text
    assert text.count('"integrity": "sha512-') == text.count('"node_modules/')


@on_a_loop
async def test_every_page_says_which_languages_there_are() -> None:
    """Each page names every catalogue as its language calls itself, and each catalogue is served whole."""
    codes = sorted(path.stem for path in (STATIC / "texts").glob("*.json"))
    english = json.loads((STATIC / "texts" / "en.json").read_text(encoding="utf-8"))
    for address in PAGES:
        page = bytes((await ask(address)).body).decode()
        found = re.search(r'<html data-languages="([^"]*)"', page)
        assert found is not None
        assert sorted(json.loads(unescape(found[1]))) == codes
    for code in codes:
        served = json.loads(bytes((await ask("/static/{name:path}", f"texts/{code}.json")).body))
        assert set(english) <= set(served)


@pytest.mark.clause("rws-tai-sai-v6 I23", "rws-open-cover-v3 I23", "rws-mini-dice-v3 I23", "nz-division-9 I23")
@pytest.mark.parametrize("purpose", ["demo", "training"])
def test_every_page_says_what_the_floor_is_for(purpose: str) -> None:
    """Where it is not gaming, the body of each page says so, and the page has a digest of its own."""

    @on_a_loop
    async def asked() -> None:
        marked = {route.path: route for route in page_routes(purpose)}
        for address in PAGES:
            request = Request({"type": "http", "headers": [], "path_params": {}})
            page, plain = await marked[address].endpoint(request), await ask(address)
            assert page.body.count(f'<body data-purpose="{purpose}" data-screen='.encode()) == 1
            assert b"data-purpose" not in plain.body
            assert page.headers["etag"] != plain.headers["etag"]

    asked()
