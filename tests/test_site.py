"""The documentation as a site: it builds without a network, and has no dead link."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mkdocs.exceptions import Abort

from tests import ROOT
from tools.site import gather, make


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_site_is_whole(tmp_path: Path) -> None:
    """Every page is there, the reference has the library's docstrings, and no page loads anything from elsewhere."""
    make(tmp_path)
    pages = {path.relative_to(ROOT).with_suffix(".html").as_posix() for path in (ROOT / "docs").glob("*.md")}
    built = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.html")}
    assert pages <= built
    reference = (tmp_path / "docs" / "reference.html").read_text(encoding="utf-8")
    for name in ("game.layout", "game.Layout.settle", "records.open_journal", "live.connect", "values.Session.plot"):
        assert f'id="taisai.library.{name}"' in reference
    assert "Settle bets on a roll" in reference
    for page in built:
        text = (tmp_path / page).read_text(encoding="utf-8")
        assert re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=\"?https?://", text) == [], page


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("link", ["[gone](nowhere.md)", "[gone](audit.md#no-such-heading)"])
def test_a_dead_link_is_found(tmp_path: Path, link: str) -> None:
    """A link to a page or a heading that is not there stops the build."""
    copy = tmp_path / "copy"
    gather(copy)
    with (copy / "docs" / "glossary.md").open("a", encoding="utf-8") as page:
        page.write(f"\n{link}\n")
    with pytest.raises(Abort, match="warning"):
        make(tmp_path / "site", copy)
