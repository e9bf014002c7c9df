"""The catalogues of the screens' texts, one per language.

python tools/texts.py check         list missing, unknown, unused and unsorted texts; exit code 1 if there are any
python tools/texts.py merge FILE    add or change texts in all catalogues, and sort them; FILE is JSON:
                                    {"play.undo": {"en": "Undo", "zh-Hans": "撤销", "zh-Hant": "復原"}}
python tools/texts.py tidy          sort the catalogues

Enters: the catalogues in src/taisai/web/static/texts, en.json and one more file for each language. A key that code uses
must be in every catalogue of `WHOLE`; what another one lacks is shown in English, and counted here. `x.one` is needed
only in languages with a singular. A lock allows several merges at once.
"""

from __future__ import annotations

import fcntl
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

STATIC: Final = Path(__file__).parent.parent / "src" / "taisai" / "web" / "static"
WHOLE: Final = ("en", "zh-Hans", "zh-Hant")
"""The languages that may lack nothing."""
_USED: Final = re.compile(r"""\btn?\(\s*["'`]([^"'`]+)["'`]|data-t(?:-label)?="([^"]+)"|\btitle: "([a-z0-9.-]+)\"""")
_STARTS: Final = re.compile(r"`((?:[a-z0-9-]+\.)+)\$\{")
_COMMENT: Final = re.compile(r"^\s*(?://|\*|/\*).*$", re.MULTILINE)
_QUOTED: Final = re.compile(r"""["'`]([a-z0-9-]+(?:\.[a-z0-9-]+)+)["'`]""")
_FILLED: Final = re.compile(r"\{([a-z_]+)\}")

Catalogue = dict[str, str]


def languages(folder: Path = STATIC) -> list[str]:
    """Every language that has a catalogue."""
    return sorted(path.stem for path in (folder / "texts").glob("*.json"))


def lacking(language: str, folder: Path = STATIC) -> list[str]:
    """What a language has no text for."""
    texts = read(language, folder)
    return [key for key in read("en", folder) if key not in texts and not key.endswith(".one")]


def read(language: str, folder: Path = STATIC) -> Catalogue:
    """A language's texts."""
    found: Catalogue = json.loads((folder / "texts" / f"{language}.json").read_text(encoding="utf-8"))
    return found


def write(language: str, texts: Catalogue, folder: Path = STATIC) -> None:
    """Write a language's texts, sorted."""
    text = json.dumps(dict(sorted(texts.items())), ensure_ascii=False, indent=1) + "\n"
    (folder / "texts" / f"{language}.json").write_text(text, encoding="utf-8")


def _sources(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and text, without comments, of every file that may use a key."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".js", ".html"):
            yield path.relative_to(folder).as_posix(), _COMMENT.sub("", path.read_text(encoding="utf-8"))


def used(folder: Path = STATIC) -> Iterator[tuple[str, str]]:
    """Every key that code or markup uses, with its file; `x.${y}` is given as `x.`."""
    for name, text in _sources(folder):
        for found in _USED.finditer(text):
            key = next(group for group in found.groups() if group)
            yield name, key.partition("${")[0]


def mentioned(folder: Path = STATIC) -> set[str]:
    """Everything in code or markup that could be a key, such as keys kept in a variable."""
    return {key for _, text in _sources(folder) for key in _QUOTED.findall(text)}


def beginnings(folder: Path = STATIC) -> set[str]:
    """Prefixes of keys whose end is only known at run time."""
    return {start for _, text in _sources(folder) for start in _STARTS.findall(text)}


def faults(folder: Path = STATIC) -> Iterator[str]:
    """What is wrong with the catalogues."""
    all_texts = {language: read(language, folder) for language in languages(folder)}
    english = all_texts["en"]
    for language, texts in all_texts.items():
        if list(texts) != sorted(texts):
            yield f"{language}.json is not in order: python tools/texts.py tidy"
        if language in WHOLE:
            yield from (f"{language}.json has no {key}" for key in lacking(language, folder))
        for key, text in texts.items():
            if key not in english:
                yield f"{language}.json has {key}, en.json has not"
            elif not text.strip():
                yield f"{language}.json has nothing at {key}"
            elif set(_FILLED.findall(text)) - {"n"} != set(_FILLED.findall(english[key])) - {"n"}:
                yield f"{language}.json fills other places at {key} than en.json"
    yield from _asked(english, folder)


def _asked(english: Catalogue, folder: Path) -> Iterator[str]:
    """Keys that are used and missing, and texts that nothing uses."""
    starts = beginnings(folder)
    asked = mentioned(folder) | {"language.name"}  # the server asks for it
    for name, key in used(folder):
        if key.endswith((".", "-")):
            starts.add(key)
            if not any(text.startswith(key) for text in english):
                yield f"{name} asks for {key}*, which no text begins with"
        elif key not in english and f"{key}.other" not in english:
            yield f"{name} asks for {key}, which en.json has not"
        asked.add(key)
    for key in english:
        plain = key.removesuffix(".one").removesuffix(".other")
        if key not in asked and plain not in asked and not any(key.startswith(start) for start in starts):
            yield f"nobody asks for {key}"


def merge(path: Path, folder: Path = STATIC) -> int:
    """Add or change texts; returns the number of keys in the file."""
    news: dict[str, Catalogue] = json.loads(path.read_text(encoding="utf-8"))
    with (folder / "texts" / "en.json").open("r", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for language in languages(folder):
            texts = read(language, folder)
            texts.update({key: each[language] for key, each in news.items() if language in each})
            write(language, texts, folder)
    return len(news)


def main() -> int:
    """Run a command; returns the exit code."""
    match sys.argv[1:]:
        case ["check"]:
            found = list(faults())
            for language in languages():
                if language not in WHOLE and (missing := lacking(language)):
                    print(f"{language}.json lacks {len(missing)} texts, which are shown in English")
            print("\n".join(found) or "texts: all there")
            return 1 if found else 0
        case ["merge", name]:
            print(f"{merge(Path(name))} texts merged")
        case ["tidy"]:
            for language in languages():
                write(language, read(language))
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
