"""The layout that the commands are tried on."""

from __future__ import annotations

LAYOUT = "rws-tai-sai-v6/C"
