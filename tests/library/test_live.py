"""A running floor in one line."""

from __future__ import annotations

import sys

import pytest

import taisai
from taisai.client import Client
from taisai.core.faults import InputFault


def test_connect_gives_a_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client of an address; without its extra the extra is named."""
    assert isinstance(taisai.connect("http://127.0.0.1:1"), Client)
    monkeypatch.setitem(sys.modules, "taisai.client", None)
    with pytest.raises(InputFault, match=r"taisai\[client\]"):
        taisai.connect("http://127.0.0.1:1")
