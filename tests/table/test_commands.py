"""Commands as they are decoded: bounds, names and unknown fields are checked before any rule is asked."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest

from taisai.table import commands as c


def decoded(**do: Any) -> c.Action:
    """The action of a command that came as JSON."""
    raw = {"id": "1", "at": 0, "by": {"id": "dan", "role": "dealer"}, "do": do}
    return msgspec.json.decode(msgspec.json.encode(raw), type=c.Command).do


def test_names_of_actions_are_their_own() -> None:
    """No two actions share a name: files, notation and the API tell them apart by it."""
    names = [action.__struct_config__.tag for action in get_args(c.Action)]
    assert len(set(names)) == len(names)
    assert decoded(
        do="rule", matter="a die in the cup", decision="void", ground="meaning", considered=["5.9"]
    ) == c.MakeRuling("a die in the cup", "void", c.RulingGround.MEANING, ("5.9",))


@pytest.mark.parametrize("name", ["", "-ann", "ann bob", "ann\n", "a" * 65, "änn"])
def test_a_name_is_plain(name: str) -> None:
    """Letters, digits and a few signs, not too many, and no newline at the end."""
    with pytest.raises(msgspec.ValidationError, match=r"\$\.do\.player"):
        decoded(do="sit-down", player=name)


@pytest.mark.parametrize(
    ("do", "field"),
    [
        ({"do": "buy-in", "player": "ann", "amount": 0}, "amount"),
        ({"do": "buy-in", "player": "ann", "amount": 1.5}, "amount"),
        ({"do": "uncover", "dice": [1, 2, 7]}, "dice"),
        ({"do": "uncover", "dice": [1, 2]}, "dice"),
        ({"do": "rule", "matter": "x", "decision": "x", "ground": "meaning", "considered": []}, "considered"),
        ({"do": "note-error", "round": 1, "what": ""}, "what"),
        ({"do": "commit-dice", "commitment": "0" * 63}, "commitment"),
    ],
)
def test_a_value_out_of_bounds_names_its_field(do: dict[str, Any], field: str) -> None:
    """Nothing of it reaches the table."""
    with pytest.raises(msgspec.ValidationError, match=rf"\$\.do\.{field}"):
        decoded(**do)


def test_a_field_that_is_not_known_is_refused() -> None:
    """A misspelt field is not silently left out."""
    with pytest.raises(msgspec.ValidationError, match="unknown field `boxx`"):
        decoded(do="reject-excess", box="small", boxx="big")
