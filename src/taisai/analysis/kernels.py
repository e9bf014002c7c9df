"""Which kernel works: NumPy's ways, or compiled ones of the extra `fast`. Both give the same to the last bit.

Enters: what the caller wishes, and how long the work is. Leaves: whether it is compiled.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal

from taisai.core.faults import InputFault, shown

Kernel = Literal["auto", "numpy", "numba"]


def is_compiled(kernel: Kernel, size: int, compile_from: int) -> bool:
    """Whether the compiled kernel works. `auto` takes it from a size on: below, compiling costs more than it saves."""
    match kernel:
        case "auto":
            return size >= compile_from and find_spec("numba") is not None
        case "numba":
            if find_spec("numba") is None:
                raise InputFault("kernel", "numba needs the extra `fast`: pip install 'taisai[fast]'")
            return True
        case "numpy":
            return False
        case _:
            raise InputFault("kernel", f"auto, numpy or numba, got {shown(kernel)}")
