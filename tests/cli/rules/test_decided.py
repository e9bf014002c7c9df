"""`taisai decided`."""

from __future__ import annotations

import json

import pytest

from tests.cli.running import printed, refused


@pytest.mark.clause("rws-tai-sai-v6 §5.4.1", "rws-tai-sai-v6 §5.4.2")
def test_decided_tells_whether_a_round_is_concluded(capfd: pytest.CaptureFixture[str]) -> None:
    """With no die read nothing is decided; from the first die on something always is."""
    none = json.loads(printed(capfd, "decided", "rws-tai-sai-v6/A", "--json"))
    one = json.loads(printed(capfd, "decided", "rws-tai-sai-v6/A", "3", "--json"))
    assert (none["established"], one["established"]) == (False, True)
    assert one["boxes"]["single:3"] == "won"
    assert one["boxes"]["triple:1"] == "lost"
    assert "void" in printed(capfd, "decided", "rws-tai-sai-v6/A")
    assert "concluded" in printed(capfd, "decided", "rws-tai-sai-v6/A", "3,5")
    assert "known" in refused(capfd, "decided", "rws-tai-sai-v6/A", "3,7")
    assert "known" in refused(capfd, "decided", "rws-tai-sai-v6/A", "1,2,3,4")
