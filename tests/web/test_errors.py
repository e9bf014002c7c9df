"""Errors: one shape and a status for every code, and a field for whatever cannot be decoded."""

from __future__ import annotations

import msgspec
import pytest

from taisai.core.faults import InputFault
from taisai.floor.answers import HouseCode
from taisai.house.accounts import SignInCode, SignInRefusal
from taisai.protocol.messages import Refused, ServerMessage
from taisai.table.refusals import Code, Refusal
from taisai.web.errors import STATUS, UNREADABLE, bad_message, error_response, refused_frame, sign_in_refused
from taisai.web.socket.frames import decode_client, text_in

REFUSAL = Refusal(Code.BETS_CLOSED, "Bets are closed.", ("§4.7",), "the next round", "box")


def test_a_refusal_is_the_same_over_http_and_the_socket() -> None:
    """Every field of a refusal is in both; only the ids beside it differ."""
    answer = error_response(REFUSAL, "r-1", {"retry-after": "1"})
    assert (answer.status_code, answer.headers["retry-after"]) == (409, "1")
    refusal = msgspec.json.decode(msgspec.json.encode(REFUSAL))
    assert msgspec.json.decode(answer.body) == {"error": {**refusal, "request": "r-1"}}
    frame = text_in(refused_frame("c-1", REFUSAL))
    assert msgspec.json.decode(frame) == {"t": "refused", "id": "c-1", **refusal}
    assert msgspec.json.decode(frame, type=ServerMessage) == Refused("c-1", *msgspec.structs.astuple(REFUSAL))


def test_every_code_has_a_status() -> None:
    """A refusal of the rules is a conflict; those of the house have their own, or 400."""
    assert {STATUS[code] for code in Code} == {409}
    assert {code for code in HouseCode if code not in STATUS} == {HouseCode.ID_TAKEN, HouseCode.NOT_HELD}
    assert error_response(Refusal(HouseCode.ID_TAKEN, "Taken.")).status_code == 400


@pytest.mark.parametrize(
    ("raw", "sentence", "field"),
    [
        (b"{", "This is not JSON.", ""),
        (b"[1, 2]", "the message: must be an object, got a list", ""),
        (b'{"t":"ping","n":"1"}', "n: must be a whole number, got a text", "n"),
        (b'{"t":"ping","m":1}', "m: unknown key", "m"),
        (b'{"t":"do","id":"1","do":{"do":"place-bet","player":"a","box":"b"}}', "do.amount: is missing", "do.amount"),
    ],
)
def test_what_cannot_be_decoded_names_its_field(raw: bytes, sentence: str, field: str) -> None:
    """The decoder's message is put into words, with the path of the field."""
    with pytest.raises(UNREADABLE) as caught:
        decode_client(raw)
    assert bad_message(caught.value) == Refusal(HouseCode.BAD_MESSAGE, sentence, field=field)


def test_faults_of_input_and_refused_sign_ins_have_the_same_shape() -> None:
    """A fault keeps its field; a refused sign-in has its own code there."""
    fault = bad_message(InputFault("dice", "three numbers"))
    assert (fault.code, fault.sentence, fault.field) == ("bad-message", "dice: three numbers", "dice")
    refused = sign_in_refused(SignInRefusal(SignInCode.LOCKED, "The login is locked."))
    assert (refused.code, refused.sentence, refused.field) == (
        "sign-in-refused",
        "The login is locked.",
        "login-locked",
    )
