"""Rolls from files: every form that people write, and faults that name their line."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped] # has no types of its own
import pyarrow.parquet as pq  # type: ignore[import-untyped] # as above
import pytest

from taisai.analysis.dice.files import read_rolls
from taisai.core.faults import InputFault
from tests.analysis.dice.samples import told


def written(tmp_path: Path, text: str | bytes) -> Path:
    """A file with this content."""
    file = tmp_path / "rolls.txt"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


TWO = [("", [(1, 2, 3), (6, 5, 4)], [False, True])]


@pytest.mark.parametrize(
    "text",
    [
        "1 2 3\n6 5 4\n",
        "1,2,3\r\n6,5,4\r\n",
        "123\n654",
        "# a night\n\n1-2-3\n6;5;4\n",
        "\ufeff1\t2\t3\n6\t5\t4\n",
        "d1,d2,d3\n1,2,3\n6,5,4\n",
        "Round; D1; D2; D3\n1; 1; 2; 3\n2; 6; 5; 4\n",
        "at\tdie1\tdie2\tdie3\nnoon\t1\t2\t3\nlater\t6\t5\t4\n",
        'round,dice,note\n1,"1,2,3",first\n2,654,\n',
        "roll\n1 2 3\n6 5 4\n",
        "1+2+3\n6+5+4\n",
        "1/2/3\n6|5|4\n",
        "1: 1 2 3\n2: 6,5,4\n",
        "1. 123\n2. 654\n",
        "17) 1 2 3\n18) 6 5 4\n",
        "Round 1: 1 2 3\nRound 2: 6 5 4\n",
        "#1: 1-2-3\n#2: 6-5-4\n",
        "1 1 2 3\n2 6 5 4\n",
        "0,1,2,3\n1,6,5,4\n",
        "123 654",
        "1,2,3 6,5,4\n",
        "1 2 3, 6 5 4",
        "1 2 3; 6 5 4\n",
        "1 2 3 6 5 4",
        "1+2+3 6+5+4",
        "[[1, 2, 3], [6, 5, 4]]",
        '["1 2 3", "6+5+4"]',
        "[1, 2, 3, 6, 5, 4]",
        '[{"dice": [1, 2, 3]}, {"dice": "654"}]',
        '{"rolls": [{"D1": 1, "D2": 2, "D3": 3}, {"d1": "6", "d2": "5", "d3": "4"}]}',
        '{"d1": [1, 6], "d2": [2, 5], "d3": [3, 4]}',
        '{"dice": [[1, 2, 3], [6, 5, 4]]}',
        '{"dice": [1, 2, 3]}\n{"dice": [6, 5, 4]}\n',
        "[1, 2, 3]\n[6, 5, 4]\n",
        '{\n  "results": [\n    [1, 2, 3],\n    [6, 5, 4]\n  ]\n}\n',
    ],
)
def test_every_form_is_read(tmp_path: Path, text: str) -> None:
    """Lines and columns in the forms that people write give the same two rolls."""
    assert told(read_rolls(written(tmp_path, text))) == TWO


def test_sets_and_voids(tmp_path: Path) -> None:
    """Another set starts anew, a set that comes back goes on, and what follows a void does not follow."""
    text = "dice_set,d1,d2,d3,void\nA,1,2,3,\nA,1,2,4,no\nA,,,,yes\nA,1,2,5,0\nB,1,1,1,\nA,2,2,2,false\nA,2,2,3,\n"
    assert told(read_rolls(written(tmp_path, text))) == [
        ("A", [(1, 2, 3), (1, 2, 4), (1, 2, 5), (2, 2, 2), (2, 2, 3)], [False, True, False, False, True]),
        ("B", [(1, 1, 1)], [False]),
    ]


def test_tumblers_and_voids_of_json(tmp_path: Path) -> None:
    """Objects have the keys that columns have."""
    text = (
        '{"tumbler": "A", "dice_set": 7, "dice": [1, 2, 3]}\n{"tumbler": "B", "dice": [4, 4, 4]}\n'
        '{"tumbler": "A", "dice_set": 7, "dice": [1, 2, 4]}\n{"tumbler": "B", "dice": null, "void": true}\n'
        '{"tumbler": "B", "dice": [5, 5, 5], "void": null}\n'
    )
    found = read_rolls(written(tmp_path, text))
    assert [(each.name, each.tumbler, each.follows.tolist()) for each in found] == [
        ("7", "A", [False, True]),
        ("", "B", [False, False]),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2 3\n1 2 7\n", "line 2: roll[2]: a face is a whole number from 1 to 6, got '7'"),
        ("1 2 3\n\n# x\n1 2\n", "line 4: roll: needs three faces, got 2"),
        ("7,1,2,3\n", "line 1: roll: needs three faces, got 4; write a roll a line, as 1 2 3, 1,2,3, 1+2+3 or 123; or"),
        ("1 1 2 3\n3 6 5 4\n", "line 2: roll: needs three faces, got 4"),
        ("1 2 3 4 5\n", "line 1: roll: needs three faces, got 5; write"),
        ("1,-3,6\n1,2,3\n", "line 1: roll[1]: a face is"),
        ("[[1, 2, 3], [1, 2, 7]]", "roll 2: roll[2]: a face is"),
        ("[[1, 2, 3], 7.5]", "roll 2: roll: three faces needed, as [1, 2, 3], got 7.5"),
        ('{"dice": [1, 2, 3]}\n{"dice": [1, 2]}\n', "line 2: roll: needs three faces, got 2"),
        ('{"dice": [1, 2, 3]}\n{"dice"\n', "line 2: "),
        ("1 2 3\nx\n", "line 2: roll: needs three faces, got 1"),
        ("a,b\n1,2\n", "line 1: no columns d1, d2, d3 and no column dice; the columns are a, b"),
        ("d1,d2,d3\n1,2\n", "line 2: 3 columns needed, got 2"),
        ("d1,d2,d3\n1,2,\n", "line 2: roll[2]: a face is"),
        ("d1,d2,d3,void\n1,2,3,perhaps\n", "line 2: void: true or false needed, got 'perhaps'"),
    ],
)
def test_a_fault_names_its_line(tmp_path: Path, text: str, message: str) -> None:
    """What cannot be read is named with file, line and reason."""
    file = written(tmp_path, text)
    with pytest.raises(InputFault) as caught:
        read_rolls(file)
    assert str(caught.value).startswith(f"{file}, {message}")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("# nothing\n", "has no rolls"),
        ("[]", "has no rolls"),
        (b"\xff\xfe\x00", "is neither text"),
        ("[1, 2, 3", "is not JSON that can be read"),
        ("[1, 2, 3, 4]", "4 faces in a row: rolls have three each"),
        ('{"who": 1}', "no list of rolls under rolls, throws, .*; the keys are who"),
        ('{"d1": [1], "d2": [2, 2], "d3": [3]}', "d1, d2, d3 have not as many faces as each other"),
    ],
)
def test_a_file_that_holds_no_rolls_is_refused(tmp_path: Path, text: str | bytes, reason: str) -> None:
    """An empty file and one that is no text are refused."""
    with pytest.raises(InputFault, match=reason):
        read_rolls(written(tmp_path, text))


def test_parquet_is_read(tmp_path: Path) -> None:
    """Columns of faces or lists of them, with void rounds and sets of dice."""
    file = tmp_path / "rolls.parquet"
    pq.write_table(pa.table({"d1": [1, 6], "d2": [2, 5], "d3": [3, 4]}), file)
    assert told(read_rolls(file)) == TWO
    rounds = {
        "dice": [[1, 2, 3], None, [6, 5, 4], [1, 1, 1]],
        "void": [False, True, False, False],
        "dice_set": ["A", "A", "A", "B"],
    }
    pq.write_table(pa.table(rounds), file)
    assert told(read_rolls(file)) == [("A", [(1, 2, 3), (6, 5, 4)], [False, False]), ("B", [(1, 1, 1)], [False])]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"d1": [1], "d2": [2]}, "no column d3"),
        ({"d1": [1, 9], "d2": [2, 2], "d3": [3, 3]}, "d1: row 1: a face is from 1 to 6, got 9"),
        ({"dice": [[1, 2]]}, "dice: row 0: needs three faces, got 2"),
        ({"d1": [1], "d2": [2], "d3": [3], "dice_set": [7]}, "dice_set: text needed"),
    ],
)
def test_a_fault_of_parquet_names_its_row(tmp_path: Path, columns: dict[str, list[object]], message: str) -> None:
    """What is wrong in a Parquet file is named with file, column and row."""
    file = tmp_path / "rolls.parquet"
    pq.write_table(pa.table(columns), file)
    with pytest.raises(InputFault) as caught:
        read_rolls(file)
    assert str(caught.value).startswith(f"{file}: {message}")
