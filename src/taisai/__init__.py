"""taisai: regulated three-dice tables (Tai Sai, Sic Bo, Mini Dice), run by the book.

    >>> import taisai
    >>> layout = taisai.layout("rws-tai-sai-v6/C")
    >>> layout.settle("1,3,6", {"small": 100, "total:10": 50}).net
    400

What stands here is stable; each part is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from taisai.version import __version__

if TYPE_CHECKING:
    from taisai.library import Journal, Layout, Odds, Picture, Session, Settled, connect, layout, layouts, open_journal

__all__ = [
    "Journal",
    "Layout",
    "Odds",
    "Picture",
    "Session",
    "Settled",
    "__version__",
    "connect",
    "layout",
    "layouts",
    "open_journal",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("taisai.library"), name)
    raise AttributeError(f"module 'taisai' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
