"""The checks before a commit and on the build machine are those of the Makefile."""

from __future__ import annotations

import re

from tests import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def commands_of(target: str) -> list[str]:
    """The commands of a target, with the variables of the Makefile filled in."""
    found = re.search(rf"^{target}:.*\n((?:\t.*\n)*)", MAKEFILE, re.MULTILINE)
    assert found is not None, target
    return [line.strip().replace("$(BIN)", ".venv/bin") for line in found[1].splitlines()]


def test_pre_commit_runs_what_lint_runs() -> None:
    """Each command of `make lint` is a hook, and there is no other."""
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert re.findall(r"^ +entry: (.+)$", hooks, re.MULTILINE) == commands_of("lint")


def test_the_workflow_runs_targets_that_exist() -> None:
    """The workflow calls make and .ci/run only, for targets of this Makefile."""
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    steps = re.findall(r"^ +- run: (?!apt-get )(.+)$", workflow, re.MULTILINE)
    assert steps == ["make quick", ".ci/run"]
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.findall(r"^exec (.+)$", run, re.MULTILINE) == ["make test"]
    assert commands_of("quick")
    assert commands_of("test")


def test_every_command_of_contributing_exists() -> None:
    """CONTRIBUTING.md and README.md name targets of the Makefile, and the table names all of them."""
    targets = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE))
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    text = contributing + (ROOT / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"(?:`|^ {4})make ([a-z-]+)", text, re.MULTILINE)
    assert set(named) - targets == set()
    assert targets - set(re.findall(r"^\| `make ([a-z-]+)", contributing, re.MULTILINE)) == {"help"}
