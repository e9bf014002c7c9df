"""`taisai completion`: what makes a shell complete commands and options."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

from cyclopts import Parameter


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="The shell.")],
    /,
) -> None:
    """Print what makes a shell complete the commands and options of `taisai`.

    Examples:
      taisai completion bash > taisai.bash       then: source taisai.bash, in ~/.bashrc
      taisai completion zsh > _taisai            in a folder of fpath
      taisai completion fish > taisai.fish       in ~/.config/fish/completions
    """
    from taisai.cli import make_app  # noqa: PLC0415 - the table of commands imports this module

    sys.stdout.write(make_app(None).generate_completion(prog_name="taisai", shell=shell).rstrip("\n") + "\n")
