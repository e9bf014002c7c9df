"""`taisai par`: the sheet in each of its forms, signed."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from taisai.cli import main
from taisai.journal.signing import Signer, key_path


def test_files_by_their_suffix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """PDF, HTML and JSON are written in one go, and say where."""
    files = [tmp_path / f"par{suffix}" for suffix in (".pdf", ".html", ".json")]
    assert main(["par", "rws-mini-dice-v3/A", *(part for file in files for part in ("-o", str(file)))]) == 0
    assert files[0].read_bytes().startswith(b"%PDF")
    assert "PAR sheet: rws-mini-dice-v3/A" in files[1].read_text()
    assert json.loads(files[2].read_text())["lines"][0]["holds"][0]["rounds"] == 100
    assert capsys.readouterr().err.count("written: ") == 3


def test_signature_is_of_the_digest(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Anyone can compute the digest from the JSON, and check the signature over it."""
    Signer.beside(tmp_path / "floor.db", make=True)
    key = key_path(tmp_path / "floor.db")
    assert main(["par", "rws-mini-dice-v3/A", "--bets", "field=100", "--key", str(key), "--json"]) == 0
    sheet = json.loads(capfd.readouterr().out)
    signature, public, digest = (sheet.pop(name) for name in ("signature", "public_key", "sheet_digest"))
    assert digest == sha256(msgspec.json.encode(sheet, order="sorted")).hexdigest()
    key_of = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
    key_of.verify(bytes.fromhex(signature), f"taisai par {digest}".encode())


def test_table_and_traffic(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a file the sheet is shown; a traffic has its own."""
    file = tmp_path / "evening.toml"
    file.write_text('[[players]]\nbets = "small=100"\nname = "one"\n')
    assert main(["par", "rws-tai-sai-v6/C", "--traffic", str(file)]) == 0
    text = capsys.readouterr().out
    for words in ("the traffic of evening.toml", "2.7778 %", "N0", "Hold after so many rounds"):
        assert words in text


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["-o", "par.doc"], "--output: the file's name ends in .html, .pdf, .json"),
        (["--bets", "field=1", "--traffic", "x.toml"], "--traffic: choose one of"),
        (["--key", "missing.key"], "--key: there is no key missing.key"),
    ],
)
def test_faults_name_the_option(words: list[str], fault: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be done is said with the option's name."""
    assert main(["par", "rws-mini-dice-v3/A", *words]) == 2
    assert fault in capsys.readouterr().err
