"""The crowd: what strangers may take of the event loop, all of them together.

Enters: the address of a request that shows no session. Leaves: whether it is served. A limit for each address does not
add up: a few addresses may together ask for all that the loop can do. So strangers have a budget in common; when it is
used up, each address is still served a little, so that nobody is shut out by others. Whoever has a session is none.
"""

from __future__ import annotations

from typing import Final

from taisai.web.security import Rates

A_SECOND: Final = 400.0
"""Requests of all strangers; each takes about half a millisecond of the loop."""
AT_ONCE: Final = 4_000.0
"""Requests that may come at once after a quiet time: a hundred people open a page of forty files."""
EACH_A_SECOND: Final = 20.0
EACH_AT_ONCE: Final = 200.0
"""What an address is served though the budget is used up: some pages at once, then one in two seconds."""


class Crowd:
    """The budget of strangers."""

    def __init__(
        self,
        a_second: float = A_SECOND,
        at_once: float = AT_ONCE,
        each_a_second: float = EACH_A_SECOND,
        each_at_once: float = EACH_AT_ONCE,
    ) -> None:
        self._all = Rates(a_second, at_once)
        self._each = Rates(each_a_second, each_at_once)
        self.refused = 0
        """How many requests were not served."""

    def takes(self, group: str, cost: float = 1) -> bool:
        """Whether a stranger of this address, or network, is served."""
        has_own = self._each.take(group, cost)
        if self._all.take("", cost) or has_own:
            return True
        self.refused += 1
        return False
