"""Tests of taisai: a folder for each room of `src/taisai`, and one for each way to try the whole."""

from __future__ import annotations

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
"""The folder of the project."""
