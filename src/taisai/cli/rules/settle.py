"""`taisai settle`: rounds in, rulings out.

Enters: a file or standard input with one case, or JSON Lines with one case a line. Leaves: the answer, or one answer a
line in order. A batch is read line by line and never held whole.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, BinaryIO

import msgspec
from cyclopts import Parameter

from taisai.books import Shelf
from taisai.cli.show import BookDirs, print_json, shelf_of
from taisai.core.faults import InputFault
from taisai.outside import open_file
from taisai.protocol.case import CASE_BYTES_MAX, answer_case, decode_json, error_answer

_BATCH_SUFFIXES = (".jsonl", ".ndjson")
_NOTE_EVERY = 20_000


def settle(
    file: Annotated[str, Parameter(help="A JSON or JSON Lines file; - is standard input.", allow_leading_hyphen=True)],
    /,
    *,
    book_dir: BookDirs = (),
) -> int:
    """Settle a round, or a file of them: JSON in, JSON out.

    A case names the layout, the dice (or null and a void reason), the table's limits or null, and the bets; amounts are
    whole numbers of the minor unit. A file of JSON Lines is a batch: one answer a line, in order; a bad line is
    answered by an error in its place, and the exit code is then 2.

    Examples:
      taisai settle round.json
      taisai settle shift.jsonl > answers.jsonl
      echo '{"layout": "nz-division-9/1", "dice": [1, 3, 6], "limits": null,
             "bets": [{"player": "p1", "box": "small", "stake": 10000}]}' | taisai settle -
    """
    shelf = shelf_of(book_dir)
    with _opened(file) as stream:
        head = stream.read(CASE_BYTES_MAX + 1)
        if _is_batch(head, file):
            return _settle_batch(shelf, head, stream)
        if len(head) > CASE_BYTES_MAX:
            raise InputFault(file, f"a case is at most {CASE_BYTES_MAX} bytes; for many rounds write one case a line")
        print_json(answer_case(shelf, decode_json(head, file if file != "-" else "standard input")))
    return 0


def _opened(file: str) -> AbstractContextManager[BinaryIO]:
    if file == "-":
        return nullcontext(sys.stdin.buffer)
    return open_file(file)


def _is_batch(head: bytes, file: str) -> bool:
    """Whether this is one case a line: by the file's name, or because a line of several is whole by itself."""
    if Path(file).suffix.lower() in _BATCH_SUFFIXES:
        return True
    lines = [line for line in head.split(b"\n") if line.strip()]
    return len(lines) > 1 and not _is_json(head) and (_is_json(lines[0]) or any(map(_is_case, lines)))


def _is_json(data: bytes) -> bool:
    try:
        msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _is_case(line: bytes) -> bool:
    return line.lstrip().startswith(b"{") and b'"layout"' in line and _is_json(line)


def _settle_batch(shelf: Shelf, head: bytes, stream: BinaryIO) -> int:
    out = sys.stdout.buffer
    encode = msgspec.json.Encoder().encode
    watched = sys.stderr.isatty()
    bad = done = 0
    for number, line in enumerate(_lines(head, stream), start=1):
        if not line.strip():
            continue
        try:
            answer: object = answer_case(shelf, decode_json(line))
        except InputFault as fault:
            bad += 1
            answer = error_answer(fault, number)
        out.write(encode(answer) + b"\n")
        done += 1
        if watched and done % _NOTE_EVERY == 0:
            print(f"\r{done:,} rounds settled, {bad:,} refused", end="", file=sys.stderr, flush=True)
    if bad:
        newline = "\n" if watched and done >= _NOTE_EVERY else ""
        print(f"{newline}taisai: {bad} of {done} lines refused; each has its error in its place", file=sys.stderr)
    return 2 if bad else 0


def _lines(head: bytes, stream: BinaryIO) -> Iterator[bytes]:
    """The lines of what was read already and of what follows, none longer than a case may be (and one byte)."""
    rest = head
    while True:
        first, newline, after = rest.partition(b"\n")
        if newline:
            yield first
            rest = after
            continue
        break
    limit = CASE_BYTES_MAX + 1
    line = rest + stream.readline(max(limit - len(rest), 0))
    while line:
        whole = line.endswith(b"\n")
        yield line.removesuffix(b"\n")
        if not whole:
            # The rest of an overlong line belongs to its one error, not to the next answer.
            while (more := stream.readline(limit)) and not more.endswith(b"\n"):
                pass
        line = stream.readline(limit)
