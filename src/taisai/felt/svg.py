"""Markup: the few lines by which text becomes SVG.

Enters: names, attributes and words from anywhere, rule books of strangers included. Leaves: `Markup`, in which every
word is escaped, no character is one that XML forbids, and every number is written one way, so that equal drawings are
equal bytes.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import NewType

Markup = NewType("Markup", str)
"""Text that is SVG already. Only this module makes it from words."""

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
_NOT_DRAWN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Unicode categories without a picture: controls, which XML forbids, and marks that turn the direction of words."""


def words(text: str) -> Markup:
    """Any text as the content of an element or an attribute."""
    visible = text if text.isprintable() else "".join(map(_visible, text))
    return Markup(visible.translate(_ENTITIES))


def _visible(mark: str) -> str:
    if mark in "\t\n\r":
        return " "
    return "\ufffd" if unicodedata.category(mark) in _NOT_DRAWN else mark


def number(value: float) -> str:
    """A coordinate with at most two decimals."""
    written = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if written in {"-0", ""} else written


@lru_cache(maxsize=256)
def _attribute(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def element(tag: str, *children: Markup, **attributes: str | float | None) -> Markup:
    """An element; `class_` and `font_size` write `class` and `font-size`, and None leaves an attribute away."""
    parts = [f"<{tag}"]
    for name, value in attributes.items():
        if value is not None:
            parts.append(f' {_attribute(name)}="{words(value) if isinstance(value, str) else number(value)}"')
    parts.append(f">{''.join(children)}</{tag}>" if children else "/>")
    return Markup("".join(parts))


def together(*parts: Markup) -> Markup:
    """Several pieces one after the other."""
    return Markup("".join(parts))
