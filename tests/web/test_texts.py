"""The catalogues of texts: every language has every text, and every text that code asks for is there."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from taisai.core.rulebook import Fact
from taisai.floor.answers import HouseCode
from taisai.floor.dealer import Stage
from taisai.table.refusals import Code
from taisai.table.state import RoundPhase, TablePhase
from tools import texts


def test_every_language_has_every_text() -> None:
    """Nothing is missing, unknown, empty, out of order, or filled differently."""
    assert list(texts.faults()) == []


@pytest.mark.parametrize(
    ("start", "values"),
    [
        ("void", Fact),
        ("stage", Stage),
        ("phase", RoundPhase),
        ("phase", TablePhase),
        ("code", Code),
        ("code", HouseCode),
    ],
)
def test_every_word_of_the_house_has_a_text(start: str, values: Iterable[str]) -> None:
    """What the server may say has words in the catalogues: phases, stages, refusals, void reasons."""
    english = texts.read("en")
    assert [each for each in values if f"{start}.{each}" not in english] == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Small catalogues and a script, all in order."""
    (tmp_path / "texts").mkdir()
    for language in texts.WHOLE:
        (tmp_path / "texts" / f"{language}.json").write_text(
            json.dumps({"a.b": "one {n}", "a.d": "{who}"}), encoding="utf-8"
        )
    (tmp_path / "screen.js").write_text('t("a.b"); t(`a.${x}`);', encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("file", "content", "fault"),
    [
        ("zh-Hans.json", '{"a.b": "one"}', "zh-Hans.json has no a.d"),
        ("zh-Hant.json", '{"a.b": "one", "a.c": "x", "a.d": "{who}"}', "zh-Hant.json has a.c, en.json has not"),
        ("zh-Hans.json", '{"a.b": " ", "a.d": "{who}"}', "zh-Hans.json has nothing at a.b"),
        ("zh-Hans.json", '{"a.b": "x", "a.d": "{whom}"}', "zh-Hans.json fills other places at a.d than en.json"),
        ("zh-Hans.json", '{"a.d": "{who}", "a.b": "x"}', "zh-Hans.json is not in order: python tools/texts.py tidy"),
        ("other.js", 't("a.missing")', "other.js asks for a.missing, which en.json has not"),
        ("other.html", '<p data-t="b.c">', "other.html asks for b.c, which en.json has not"),
        ("other.js", "t(`c.${x}`)", "other.js asks for c.*, which no text begins with"),
        ("screen.js", 't("a.b")', "nobody asks for a.d"),
    ],
)
def test_a_fault_in_a_catalogue_is_found(folder: Path, file: str, content: str, fault: str) -> None:
    """Each kind of fault is named with its file and key."""
    assert list(texts.faults(folder)) == []
    (folder / ("texts" if file.endswith(".json") else "") / file).write_text(content, encoding="utf-8")
    assert list(texts.faults(folder)) == [fault]


def test_texts_are_merged_into_every_language(folder: Path, tmp_path: Path) -> None:
    """A merge adds a text to each catalogue and keeps them in order."""
    news = tmp_path / "news.jsonl"
    news.write_text(json.dumps({"a.c": {"en": "e", "zh-Hans": "s", "zh-Hant": "t"}}), encoding="utf-8")
    assert texts.merge(news, folder) == 1
    assert [list(texts.read(each, folder)) for each in texts.WHOLE] == [["a.b", "a.c", "a.d"]] * 3
    assert texts.read("zh-Hant", folder)["a.c"] == "t"


def test_a_language_is_one_more_file(folder: Path) -> None:
    """Another language may lack texts, which are counted; what it has is held to the places of the English text."""
    other = folder / "texts" / "ko.json"
    other.write_text('{"a.d": "{who}"}', encoding="utf-8")
    assert (list(texts.faults(folder)), texts.lacking("ko", folder)) == ([], ["a.b"])
    other.write_text('{"a.d": "{whom}"}', encoding="utf-8")
    assert list(texts.faults(folder)) == ["ko.json fills other places at a.d than en.json"]
