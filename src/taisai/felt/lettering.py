"""Lettering: how wide a line of words is before any font has drawn it.

Enters: text. Leaves: its width and height in em, and the lines it wraps into. The felt must fit with whatever
sans-serif font a screen has, so the widths are those of the broadest common one (DejaVu Sans Bold), rounded up.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

FONTS: Final = (
    "'Helvetica Neue', Arial, 'Noto Sans', 'DejaVu Sans', "
    "'Noto Sans CJK SC', 'WenQuanYi Micro Hei', 'PingFang SC', 'Microsoft YaHei', sans-serif"
)

_WIDTHS: Final = {
    mark: width
    for width, marks in {
        0.35: " \u00a0",
        0.40: "'.,·:;|/\\Iijl",
        0.53: '!"()[]*-_`frt–',
        0.60: "csz?J",
        0.70: "0123456789EFTL$",
        0.73: "abdeghknopquvxy{}S",
        0.78: "ABCKPRVXYZ",
        0.88: "DGHNOQU&#+<=>^~×",
        1.05: "Mmw@%…—−",
        1.11: "W",
    }.items()
    for mark in marks
}
_HAN_FROM: Final = 0x2E80
"""From here on letters are square (Chinese, Japanese, Korean)."""
_PICTURES_FROM: Final = 0x1F000
"""From here on they may be pictures, which are broader still."""
_DESCENDERS: Final = frozenset("gjpqy,;()[]{}@_|$/\\")


@lru_cache(maxsize=4096)
def width_of(text: str) -> float:
    """The width of a line, in em; rather too wide than too narrow."""
    return sum(_WIDTHS.get(mark) or (1.4 if ord(mark) >= _PICTURES_FROM else 1.05) for mark in text)


def is_han(text: str) -> bool:
    """Whether a line holds a letter that fills its square."""
    return any(ord(mark) >= _HAN_FROM for mark in text)


@lru_cache(maxsize=4096)
def rise_of(text: str) -> float:
    """How far a line reaches above its baseline, in em."""
    return 0.88 if is_han(text) else 0.78 if any(mark.islower() for mark in text) else 0.74


@lru_cache(maxsize=4096)
def drop_of(text: str) -> float:
    """How far a line reaches below its baseline, in em."""
    if is_han(text):
        return 0.14
    return 0.24 if _DESCENDERS.intersection(text) else 0.02


def shortened(text: str, width: float) -> str:
    """The text, or as much of it as the width in em allows, with an ellipsis."""
    left = width - width_of("…")
    kept = 0
    for place, mark in enumerate(text, start=1):
        left -= width_of(mark)
        if left >= 0:
            kept = place
        elif left < -width_of("…"):
            return f"{text[:kept].rstrip()}…"
    return text


def wrapped(text: str, width: float, lines_max: int) -> tuple[str, ...]:
    """The text in lines no wider than so many em, broken at plain spaces; what is too long ends in an ellipsis."""
    lines = _broken(text, width)
    if len(lines) > lines_max:
        lines = [*lines[: lines_max - 1], " ".join(lines[lines_max - 1 :])]
    return tuple(shortened(line, width) for line in lines)


@lru_cache(maxsize=4096)
def balanced(text: str, count: int) -> tuple[str, ...]:
    """The text in at most so many lines, the longest of them as short as can be."""
    words = text.split(" ")
    widths = sorted(
        {
            width_of(" ".join(words[start:end]))
            for start in range(len(words))
            for end in range(start + 1, len(words) + 1)
        }
    )
    return next((tuple(lines) for width in widths if len(lines := _broken(text, width)) <= count), (text,))


def _broken(text: str, width: float) -> list[str]:
    lines: list[str] = []
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(joined) <= width:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines
