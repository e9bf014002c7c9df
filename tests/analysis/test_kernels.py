"""Which kernel works."""

from __future__ import annotations

from typing import Any, cast

import pytest

from taisai.analysis import kernels
from taisai.analysis.kernels import is_compiled
from taisai.core.faults import InputFault


def test_long_work_is_compiled_where_numba_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """`auto` compiles long work where numba is installed; who asks for a kernel gets it, or is told what to install."""
    monkeypatch.setattr(kernels, "find_spec", lambda _: object())
    assert [is_compiled("auto", size, 10) for size in (9, 10)] == [False, True]
    assert is_compiled("numba", 1, 10)
    assert not is_compiled("numpy", 99, 10)
    monkeypatch.setattr(kernels, "find_spec", lambda _: None)
    assert not is_compiled("auto", 10, 10)
    with pytest.raises(InputFault, match=r"kernel: numba needs the extra `fast`: pip install 'taisai\[fast\]'"):
        is_compiled("numba", 10, 10)
    with pytest.raises(InputFault, match="kernel: auto, numpy or numba, got 'gpu'"):
        is_compiled(cast(Any, "gpu"), 10, 10)
