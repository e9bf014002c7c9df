"""`taisai settle`: one case, batches, hostile input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import CASE, printed, taisai


def test_settle_answers_a_case(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """JSON in, JSON out, from a file or from standard input."""
    file = tmp_path / "round.json"
    file.write_text(json.dumps(CASE, indent=2), encoding="utf-8")
    answer = json.loads(printed(capfd, "settle", str(file)))
    assert answer["bets"][0]["returned"] == 20000
    done = taisai("settle", "-", given=json.dumps(CASE).encode())
    assert (done.returncode, json.loads(done.stdout)) == (0, answer)


def test_settle_answers_a_batch_line_by_line() -> None:
    """One answer a line, in order; a bad line has its error in its place and the exit code is 2."""
    lines = [json.dumps(CASE), '{"layout": ', json.dumps({**CASE, "dice": [9, 9, 9]}), "", json.dumps(CASE)]
    done = taisai("settle", "-", given="\n".join(lines).encode())
    assert done.returncode == 2
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [("error" in answer) for answer in answers] == [False, True, True, False]
    assert (answers[2]["error"]["field"], answers[2]["error"]["line"]) == ("dice[0]", 3)
    assert done.stderr.count(b"\n") == 1


def test_a_batch_larger_than_a_case_may_be_is_streamed(tmp_path: Path) -> None:
    """Ten megabytes of good lines are answered; one overlong line is one error."""
    line = json.dumps({**CASE, "bets": CASE["bets"] * 300})  # type: ignore[operator] # a list, as written above
    file = tmp_path / "shift.jsonl"
    count = 10_000_000 // len(line) + 1
    long = '{"layout": "' + "x" * 5_000_000 + '"}'
    file.write_text("\n".join([line] * count + [long, line]), encoding="utf-8")
    done = taisai("settle", str(file))
    answers = done.stdout.splitlines()
    assert (done.returncode, len(answers)) == (2, count + 2)
    assert [number for number, answer in enumerate(answers) if b'"error"' in answer[:12]] == [count]


@pytest.mark.parametrize(
    ("given", "part"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[]", "must be an object"),
        (b'{\n "layout": 5,\n "bets": []\n}', "layout"),
        (b'{\n "layout": "rws-tai-sai-v6/A",\n "bets": [\n {"player": "a", "box": "small", "stake": 1}\n]', "not JSON"),
        (b"x" * 10_000_000, "at most"),
        (b"[" * 200_000, "nested too deeply"),
    ],
)
def test_hostile_input_is_one_line_and_code_two(given: bytes, part: str) -> None:
    """Broken, foreign, deep or huge input gives one clear line, never a traceback."""
    done = taisai("settle", "-", given=given)
    assert (done.returncode, done.stdout) == (2, b"")
    assert part in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
