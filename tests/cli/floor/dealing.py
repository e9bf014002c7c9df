"""`taisai deal` as a process, and the shifts that are dealt."""

from __future__ import annotations

import subprocess
import sys

from tests import ROOT

EVENING = ROOT / "tests" / "shifts" / "rws-tai-sai-v6" / "evening.shift"


REFUSED = ROOT / "tests" / "shifts" / "nz-division-9" / "refused.shift"


def deal(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """The command as a process, its input from a pipe."""
    command = [sys.executable, "-m", "taisai", "deal", *words]
    return subprocess.run(command, input=given, capture_output=True, text=True, encoding="utf-8", check=False)
