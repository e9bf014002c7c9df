"""Settings: read from file and environment, refused with every fault named, shown without passwords; the demo floor."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import msgspec
import pytest

from taisai.books import open_shelf
from taisai.core.faults import InputFault
from taisai.settings.forms import JournalPlace, Settings, Timing, demo_settings, redacted
from taisai.settings.reading import SettingsRefused, check_settings, read_settings
from taisai.table.people import Person, Role
from tests import ROOT

DOC = ROOT / "docs" / "settings.md"
SHELF = open_shelf(environment={})
LEE = Person("lee", Role.SUPERVISOR)

TABLE = """
[[tables]]
name = "T1"
book = "rws-tai-sai-v6"
layout = "A"
currency = "SGD"
denominations = [100, 500]
limits = { unit = 100, default = { min = 100, max = 1000 } }
"""
TRAINING = f'[house]\npurpose = "training"\n{TABLE}'


def read(tmp_path: Path, text: str, **environment: str) -> Settings:
    """The settings of a file with this text."""
    file = tmp_path / "floor.toml"
    file.write_text(text, encoding="utf-8")
    return read_settings(file, environment=environment, shelf=SHELF)


def faults(tmp_path: Path, text: str, **environment: str) -> list[str]:
    """The faults, without the folder of the file."""
    with pytest.raises(SettingsRefused) as refused:
        read(tmp_path, text, **environment)
    return [str(fault).replace(f"{tmp_path}/", "") for fault in refused.value.faults]


def test_nothing_given_is_the_defaults(tmp_path: Path) -> None:
    """Without a file, and with an empty one, every key has its default."""
    assert read_settings(environment={}) == Settings() == read(tmp_path, "")
    assert Settings().sign_in.failures == 3
    assert Settings().listen.host == "127.0.0.1"


def test_a_file_is_read(tmp_path: Path) -> None:
    """Keys of the file override the defaults, a table among them."""
    settings = read(tmp_path, '[listen]\nport = 9000\n[house]\nzone = "Asia/Singapore"\n' + TABLE)
    assert (settings.listen.port, settings.house.zone) == (9000, "Asia/Singapore")
    assert [table.name for table in settings.tables] == ["T1"]
    assert settings.tables[0].timing == Timing()


def test_the_environment_comes_first(tmp_path: Path) -> None:
    """Variables override the file; numbers, booleans and lists are read as such; short names work."""
    settings = read(
        tmp_path,
        '[listen]\nport = 9000\nhost = "10.0.0.1"\n',
        TAISAI_LISTEN__PORT="9001",
        TAISAI_DEMO__ENABLED="True",
        TAISAI_HOUSE__PURPOSE="demo",
        TAISAI_LISTEN__TRUSTED_PROXIES="10.0.0.5, ::1",
        TAISAI_LOG__FORMAT="text",
        TAISAI_JOURNAL="sqlite:///other.db",
        TAISAI_BOOKS="",
        PATH="untouched",
        TAISAI_PORT="tcp://10.0.0.1:8000",
        TAISAI_SERVICE_HOST="10.0.0.1",
    )
    assert (settings.listen.host, settings.listen.port) == ("10.0.0.1", 9001)
    assert settings.demo.enabled is True
    assert settings.listen.trusted_proxies == ("10.0.0.5", "::1")
    assert (settings.log.format, settings.journal.url) == ("text", "sqlite:///other.db")
    both = read(tmp_path, "", TAISAI_LISTEN="[::1]:7000")
    assert (both.listen.host, both.listen.port) == ("::1", 7000)
    assert read(tmp_path, "", TAISAI_LISTEN=":7000").listen.host == "127.0.0.1"


def test_a_variable_names_the_file(tmp_path: Path) -> None:
    """TAISAI_SETTINGS names the file when the command does not."""
    (tmp_path / "a.toml").write_text("[listen]\nport = 1\n", encoding="utf-8")
    assert read_settings(environment={"TAISAI_SETTINGS": str(tmp_path / "a.toml")}).listen.port == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[listen]\nprot = 1\n", "floor.toml: listen.prot: unknown key 'prot'; did you mean port?"),
        ("[sign-in]\n", "floor.toml: sign-in: unknown section 'sign-in'; did you mean sign_in?"),
        ("[zzz]\n", ("floor.toml: zzz: unknown section 'zzz'; there are listen, journal, node, sign_in, limits, demo, "
         "log, house, proof, books, tables")),
        ("listen = 3\n", "floor.toml: listen: keys and values, got 3"),
        ('[journal]\nurl = "postgresql://db/floor"\n[node]\naddress = "http://10.0.0.5:8000"\nsecret = "short"\n',
         "floor.toml: node.secret: 16 characters or more, the same for all nodes"),
        ('[node]\naddress = "http://10.0.0.5:8000"\nsecret = "0123456789abcdef"\n',
         "floor.toml: node.address: several nodes need a PostgreSQL journal (journal.url)"),
        ('[listen]\nport = "8000"\n', "floor.toml: listen.port: a whole number from 0 to 65535, got '8000'"),
        ("[listen]\nport = 65536\n", "floor.toml: listen.port: a whole number from 0 to 65535, got 65536"),
        ("[listen]\nport = true\n", "floor.toml: listen.port: a whole number from 0 to 65535, got True"),
        ("[demo]\nenabled = 1\n", "floor.toml: demo.enabled: true or false, got 1"),
        ('[log]\nlevel = "loud"\n', "floor.toml: log.level: one of debug, error, info, warning, got 'loud'"),
        ('[house]\nname = ""\n', "floor.toml: house.name: text of 1 to 200 characters, got ''"),
        ('[house]\nzone = "Mars/Base"\n',
         "floor.toml: house.zone: a time zone such as Asia/Singapore, got 'Mars/Base'"),
        ('[listen]\ntrusted_proxies = "10.0.0.0/8"\n',
         "floor.toml: listen.trusted_proxies: a list, each text, got '10.0.0.0/8'"),
        ('[listen]\ntrusted_proxies = ["proxy.example"]\n',
         ("floor.toml: listen.trusted_proxies: the address of each proxy, such as 10.0.0.5, and no network, "
          "got 'proxy.example'")),
        ('[listen]\npublic_url = "floor.example"\n',
         "floor.toml: listen.public_url: https://host or http://host, without a path, got 'floor.example'"),
        ('[listen]\nallowed_origins = ["https://a.example/x"]\n',
         ("floor.toml: listen.allowed_origins: origins such as https://casino.example, without a path, "
         "got 'https://a.example/x'")),
        ('[books]\nrws-tai-sai-v6 = "ab"\n',
         ("floor.toml: books: keys and values, each a name (letters, digits and . _ @ -) = a digest of 64 hexadecimal "
         "digits, got {'rws-tai-sai-v6': 'ab'}")),
        (f'[books]\nrws-tai-sai-v6 = "{"0" * 64}"\n',
         ("floor.toml: books.rws-tai-sai-v6: approved is 0000000000000000…, the installed book is "
         f"{SHELF.book('rws-tai-sai-v6').digest[:16]}…")),
        ("tables = 3\n", "floor.toml: tables: written as [[tables]], got 3"),
        ("[[tables]]\n" + TABLE.replace("[[tables]]", "").replace('name = "T1"\n', ""),
         "floor.toml: tables[1].name: is needed: a name (letters, digits and . _ @ -)"),
        (TABLE + TABLE.replace("T1", "t1"), "floor.toml: tables[2].name: 't1' is also tables[1]"),
        (TABLE.replace("v6", "v7"), ("floor.toml: tables[1].book: unknown rule book 'rws-tai-sai-v7'; did you mean "
         "rws-tai-sai-v6 or rws-mini-dice-v3?")),
        (TABLE.replace('"A"', '"B"'), "floor.toml: tables[1].layout: unknown layout 'B'; there are A, C, E"),
        (TABLE.replace("min = 100", "min = 2000"),
         "floor.toml: tables[1].limits.default: the minimum 2000 is above the maximum 1000"),
        (TABLE.replace("min = 100", "min = 150"),
         "floor.toml: tables[1].limits.default.min: 150 is not a multiple of the unit 100"),
        (TABLE.replace("min = 100", "mini = 100, min = 100"),
         "floor.toml: tables[1].limits.default.mini: unknown key 'mini'; did you mean min?"),
        (TABLE.replace("} }", "}, kinds = { tripel = { min = 100, max = 200 } } }"),
         ("floor.toml: tables[1].limits.kinds: unknown kind 'tripel'; kinds are small, big, single, total, pair, "
         "double, any-triple, triple, or name a box, or several: total:4/17")),
        (TABLE.replace("} }", "}, kinds = { triple = { min = 100, max = 200, mix = 1 } } }"),
         "floor.toml: tables[1].limits.kinds.triple.mix: unknown key 'mix'; did you mean min?"),
        (TABLE.replace("} }", ', per = "player" } }', 1),
         "floor.toml: tables[1].limits.default.per: under rws-tai-sai-v6 a maximum is of all players together"),
        (TABLE.replace("} }", "}, differential = { big-small = 500 } }").replace("rws-tai-sai-v6", "nz-division-9")
         .replace('"A"', '"1"'), "floor.toml: tables[1].limits.differential: nz-division-9 has no differential"),
        (TABLE.replace("[100, 500]", "[500, 100]"), ("floor.toml: tables[1].denominations: ascending, each once, "
         "multiples of limits.unit, beginning with it (100), got [500, 100]")),
        (TABLE + "float_count = { 300 = 5 }\n", "floor.toml: tables[1].float_count: chips of [100, 500], got 300"),
        (TABLE + 'mode = "automatic"\nfloat_count = { 100 = 5 }\n',
         ("floor.toml: tables[1].mode: an automatic table has virtual dice, which rws-tai-sai-v6 does not admit for "
          'gaming (3.7, I23); write mode = "dealer", or house.purpose = "training" or "demo"')),
        ("[demo]\nenabled = true\n", 'floor.toml: demo.enabled: guests with play money need house.purpose = "demo"'),
        (TRAINING + 'mode = "automatic"\n',
         "floor.toml: tables[1].float_count: an automatic table needs chips to open with"),
        (TRAINING + 'mode = "automatic"\nfloat_count = { 100 = 5 }\ntiming = { betting_ms = 15000 }\n',
         "floor.toml: tables[1].timing.betting_ms: at least house.minimum_betting_ms (36000), got 15000"),
        (TABLE + "timing = { beting_ms = 1 }\n",
         "floor.toml: tables[1].timing.beting_ms: unknown key 'beting_ms'; did you mean betting_ms?"),
        (TABLE.replace("limits =", "colours = {} #"), "floor.toml: tables[1].limits: is needed: keys and values"),
        (TABLE.replace('"SGD"', '"sgd"'), "floor.toml: tables[1].currency: three capital letters, got 'sgd'"),
        ("[listen\n", "floor.toml, line 1: is not TOML: Expected ']' at the end of a table declaration (at column 8)"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(tmp_path: Path, text: str, fault: str) -> None:
    """Each fault names the file, the key, the reason and what is allowed."""
    assert faults(tmp_path, text) == [fault]


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("TAISAI_LISTEN__PROT", "1", ("TAISAI_LISTEN__PROT: unknown variable 'TAISAI_LISTEN__PROT'; did you mean "
         "TAISAI_LISTEN__PORT?")),
        ("TAISAI_LISTEN__PORT", "http", "TAISAI_LISTEN__PORT: listen.port: a whole number from 0 to 65535, got 'http'"),
        ("TAISAI_LISTEN__PORT", "9" * 30, ("TAISAI_LISTEN__PORT: listen.port: a whole number from 0 to 65535, got "
         f"'{'9' * 30}'")),
        ("TAISAI_JOURNALS", "x", "TAISAI_JOURNALS: unknown variable 'TAISAI_JOURNALS'; did you mean TAISAI_JOURNAL?"),
        ("TAISAI_DEMO__ENABLED", "yes", "TAISAI_DEMO__ENABLED: demo.enabled: true or false, got 'yes'"),
        ("TAISAI_LISTEN", "8000", "TAISAI_LISTEN: write host:port, such as 127.0.0.1:8000, got '8000'"),
        ("TAISAI_LISTEN", "a:99999", "TAISAI_LISTEN: listen.port: a whole number from 0 to 65535, got 99999"),
        ("TAISAI_JOURNAL", "", "TAISAI_JOURNAL: journal.url: text of 1 to 2000 characters, got ''"),
        ("TAISAI_LISTEN__TRUSTED_PROXIES", "a,10.0.0.1", ("TAISAI_LISTEN__TRUSTED_PROXIES: listen.trusted_proxies: "
         "the address of each proxy, such as 10.0.0.5, and no network, got 'a'")),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_variable_is_named(tmp_path: Path, name: str, value: str, fault: str) -> None:
    """A fault of the environment names the variable."""
    assert faults(tmp_path, "", **{name: value}) == [fault]


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    """Faults in one section do not hide faults in the others; the command prints one line."""
    text = '[listen]\nprot = 1\nport = -1\n[house]\nzone = "Mars"\n[sign_in]\nfailures = 0\n' + TABLE.replace(
        "v6", "v7"
    )
    found = faults(tmp_path, text, TAISAI_LOG__LEVEL="loud", TAISAI_NOPE__X="1")
    assert [fault.split(": ")[1] for fault in found] == [
        "unknown variable 'TAISAI_NOPE__X'; write TAISAI_SECTION__KEY", "listen.prot", "listen.port",
        "sign_in.failures", "log.level", "house.zone", "tables[1].book",
    ]  # fmt: skip
    with pytest.raises(InputFault) as refused:
        read(tmp_path, text)
    assert "\n" not in str(refused.value)
    assert str(refused.value).count("; ") >= 4


def test_a_book_may_be_approved_by_an_earlier_digest(tmp_path: Path) -> None:
    """An approval from an earlier version of the software is valid while the rules are the same."""
    (former,) = SHELF.book("rws-tai-sai-v6").formerly
    assert read(tmp_path, f'[books]\nrws-tai-sai-v6 = "{former.digest}"\n').books == {"rws-tai-sai-v6": former.digest}


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing file, a folder, and bytes that are not text are refused with their name."""
    for file, reason in (("none.toml", "the file is missing"), ("", "is a folder")):
        with pytest.raises(SettingsRefused, match=reason):
            read_settings(tmp_path / file, environment={})
    (tmp_path / "latin.toml").write_bytes(b'[house]\nname = "\xff"\n')
    with pytest.raises(SettingsRefused, match="is not UTF-8 text"):
        read_settings(tmp_path / "latin.toml", environment={})
    (tmp_path / "huge.toml").write_bytes(b"#" * (4 * 1024 * 1024 + 1))
    with pytest.raises(SettingsRefused, match="larger than 1048576 bytes"):
        read_settings(tmp_path / "huge.toml", environment={})


def test_a_book_that_does_not_hold_is_named(tmp_path: Path) -> None:
    """A table under a broken rule book is refused with what is wrong with the book."""
    folder = tmp_path / "broken-book"
    folder.mkdir()
    (folder / "book.toml").write_text("", encoding="utf-8")
    (tmp_path / "a.toml").write_text(TABLE.replace("rws-tai-sai-v6", "broken-book"), encoding="utf-8")
    with pytest.raises(SettingsRefused, match=r"^rule book broken-book: "):
        read_settings(tmp_path / "a.toml", environment={"TAISAI_BOOKS": str(folder)})


def test_a_refusal_travels_between_processes(tmp_path: Path) -> None:
    """The exception can be pickled, with its faults."""
    with pytest.raises(SettingsRefused) as refused:
        read(tmp_path, "[zzz]\n")
    assert pickle.loads(pickle.dumps(refused.value)).faults == refused.value.faults


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://joe:s3cret@db/floor", "postgresql://joe:…@db/floor"),
        ("postgresql://joe:s3@c:r/et@db/floor", "postgresql://joe:…@db/floor"),
        ("postgresql://joe@db/floor?password=s3cret&ssl=1", "postgresql://joe@db/floor?password=…&ssl=1"),
        ("postgresql://db/floor?sslpassword=s3cret", "postgresql://db/floor?sslpassword=…"),
        ("sqlite:///floor.db", "sqlite:///floor.db"),
    ],
)
def test_passwords_are_never_shown(tmp_path: Path, url: str, shown: str) -> None:
    """No text of the settings contains the password, nor does a message about them."""
    settings = Settings(journal=JournalPlace(url=url))
    assert redacted(url) == shown
    for text in (repr(settings), str(settings), repr(settings.shown()), repr(list(settings.journal.__rich_repr__()))):
        assert "s3" not in text
    assert settings.shown()["journal"]["url"] == shown
    assert settings.journal.url == url
    said = " ".join(faults(tmp_path, "", TAISAI_JOURNAL=url + "x" * 2000, TAISAI_LISTEN__PUBLIC_URL=url))
    assert "s3" not in said


def test_a_long_password_is_not_shown_in_part(tmp_path: Path) -> None:
    """A message is cut after the password was removed from it, not in the middle of it."""
    url = f"postgresql://joe:{'s3cret' * 400}@db/floor"
    said = faults(tmp_path, "", TAISAI_JOURNAL=url)
    assert said == ["TAISAI_JOURNAL: journal.url: text of 1 to 2000 characters, got 'postgresql://joe:…@db/floor'"]


def test_variables_stand_over_the_demo_but_do_not_lend_it_a_journal() -> None:
    """The demo listens where a variable says; one that names a house's journal is refused."""
    demo = demo_settings()
    assert read_settings(environment={"TAISAI_SETTINGS": "of-a-house.toml"}, shelf=SHELF, instead=demo) == demo
    moved = read_settings(environment={"TAISAI_LISTEN": "127.0.0.1:7000"}, shelf=SHELF, instead=demo)
    assert (moved.listen.port, moved.tables) == (7000, demo.tables)
    for name in ("TAISAI_JOURNAL", "TAISAI_JOURNAL__URL"):
        with pytest.raises(SettingsRefused, match=f"^{name}: a demo has a journal of its own"):
            read_settings(environment={name: "sqlite:///house.db"}, shelf=SHELF, instead=demo)


def test_settings_that_were_made_are_checked_too() -> None:
    """Settings that do not come from a file get the same checks."""
    demo = demo_settings()
    wrong = msgspec.structs.replace(demo, tables=(*demo.tables, demo.tables[0]))
    with pytest.raises(SettingsRefused, match=r"^demo: tables\[9\].name: 'TS-A' is also tables\[1\]$"):
        check_settings(wrong, SHELF, "demo")


def test_the_example_of_the_documentation_is_good(tmp_path: Path) -> None:
    """The file that docs/settings.md shows can be read."""
    text = DOC.read_text(encoding="utf-8")
    example = re.search(r"\n\n((?:    .*\n|\n)+)", text)
    assert example is not None
    settings = read(tmp_path, re.sub(r"^    ", "", example[1], flags=re.MULTILINE))
    assert settings.tables[0].limits.differential == {"big-small": 50_000}
    assert settings.tables[0].timing.betting_ms == 40_000
