"""When the reports of the tests are made."""

from __future__ import annotations

from datetime import UTC, datetime

MADE_AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
