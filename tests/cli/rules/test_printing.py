"""`taisai print`: a PDF of the felt or of a card, or one line that says what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.cli import main


@pytest.mark.slow
def test_the_felt_is_cut_as_it_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command says how large the cloth is, how many sheets it takes, and where the file is."""
    file = tmp_path / "felt.pdf"
    assert main(["print", "felt", "--width", "120cm", "--paper", "a3", "-o", str(file)]) == 0
    out = capsys.readouterr()
    assert out.out == "rws-tai-sai-v6/C: 1200 x 617 mm on 10 sheets of A3 and a plan of them; print at 100 %\n"
    assert out.err == f"written: {file}\n"
    assert file.read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("card", ["odds", "crib", "rules"])
def test_a_card_goes_where_the_reader_stands(card: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --output the file has the card's name."""
    monkeypatch.chdir(tmp_path)
    assert main(["print", card, "rws-mini-dice-v3/A", "--paper", "letter"]) == 0
    assert (tmp_path / f"{card}.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["felt", "--paper", "B5"], "--paper: one of A0"),
        (["odds", "--paper", "whole"], "--paper: one of A0"),
        (["felt", "--width", "wide"], "--width: write a length"),
        (["felt", "--width", "1mm"], "--width: from 200"),
        (["felt", "-o", "felt.png"], "--output: the file's name ends in .pdf"),
        (["menu"], "menu"),
    ],
)
def test_bad_input_is_one_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, and the line names the option."""
    assert main(["print", *words]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
