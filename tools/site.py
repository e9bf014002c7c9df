"""The documentation as a site of plain pages, built without a network: `make docs`.

Enters: README and its neighbours, docs/, and what they link to; the docstrings of src/taisai. Leaves: the folder given
as an argument, `site/` if none. A dead link, a missing heading or a page that the navigation leaves out fails it.
"""

from __future__ import annotations

import logging
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

ROOT: Final = Path(__file__).parent.parent
PARTS: Final = ("*.md", "LICENSE", "docs/**/*", "examples/**/*", "conformance/*.md", "deploy/*", "bench/RESULTS.md")
"""What pages link to; the site has the same folders, so that links hold in both."""


def gather(source: Path, root: Path = ROOT) -> None:
    """Copy the pages and what they link to, as they lie in the repository."""
    for part in PARTS:
        for path in root.glob(part):
            target = source / path.relative_to(root)
            if path.is_file() and not path.name.endswith(("-shm", "-wal")) and "__pycache__" not in path.parts:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)


def make(site: Path, root: Path = ROOT) -> None:
    """Build the site; raises `Abort` when a link is dead."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder)
        gather(source, root)
        build(load_config(str(ROOT / "mkdocs.yml"), docs_dir=str(source), site_dir=str(site)))


def main() -> int:
    """Build the site; the exit code."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    site = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site"
    try:
        make(site.absolute())
    except Abort as error:
        print(error, file=sys.stderr)
        return 1
    print(f"open {site / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
