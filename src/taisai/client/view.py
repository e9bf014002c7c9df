"""The view of a table, kept up to date by patches (RFC 7396)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

View = dict[str, Any]


def merged(view: Mapping[str, Any], patch: Mapping[str, Any]) -> View:
    """A view with a merge patch applied: null takes away, objects are merged, all else is replaced."""
    found = dict(view)
    for name, value in patch.items():
        if value is None:
            found.pop(name, None)
        elif isinstance(value, Mapping):
            inner = found.get(name)
            found[name] = merged(inner if isinstance(inner, Mapping) else {}, value)
        else:
            found[name] = value
    return found
