"""Rectangles: the one shape that a felt is made of. Enters and leaves: `Rect`, in any unit."""

from __future__ import annotations

from typing import NamedTuple


class Rect(NamedTuple):
    """A rectangle; y grows downwards, as on a screen."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.height

    @property
    def middle_x(self) -> float:
        """Half way from left to right."""
        return self.x + self.width / 2

    @property
    def middle_y(self) -> float:
        """Half way from top to bottom."""
        return self.y + self.height / 2

    def inset(self, by_x: float, by_y: float | None = None) -> Rect:
        """The rectangle without a rim; negative grows it."""
        down = by_x if by_y is None else by_y
        return Rect(self.x + by_x, self.y + down, max(self.width - 2 * by_x, 0), max(self.height - 2 * down, 0))

    def part(self, x: float, y: float, width: float, height: float) -> Rect:
        """The part that these fractions name."""
        return Rect(self.x + x * self.width, self.y + y * self.height, width * self.width, height * self.height)

    def overlaps(self, other: Rect, slack: float = 1e-6) -> bool:
        """Whether the two share more than an edge."""
        return (
            self.x < other.right - slack
            and other.x < self.right - slack
            and self.y < other.bottom - slack
            and other.y < self.bottom - slack
        )

    def shared(self, other: Rect) -> float:
        """How much the two have in common."""
        across = min(self.right, other.right) - max(self.x, other.x)
        down = min(self.bottom, other.bottom) - max(self.y, other.y)
        return max(across, 0.0) * max(down, 0.0)

    def holds(self, other: Rect, slack: float = 1e-6) -> bool:
        """Whether the other lies within."""
        return (
            self.x <= other.x + slack
            and self.y <= other.y + slack
            and other.right <= self.right + slack
            and other.bottom <= self.bottom + slack
        )
