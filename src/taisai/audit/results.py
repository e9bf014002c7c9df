"""The signed result of an audit: what a later audit goes on from.

Enters: an `AuditResult` and the auditor's key, or the bytes of a file. Leaves: the file, or the result in it, once its
signature holds. The file is JSON: `signed` is the result as text, over which, after the words "taisai audit result" and
a zero byte, the Ed25519 `signature` is; `key` is the public key. The states in it are what the audit replayed, so that
the next one need not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from cryptography.exceptions import InvalidSignature
from msgspec import Struct

from taisai.audit.run import RESULT_FORM, AuditResult
from taisai.core.faults import InputFault
from taisai.journal.signing import Signer, raw

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

PREFIX: Final = b"taisai audit result\0"
_json = msgspec.json.Encoder(order="deterministic").encode


class SignedResult(Struct, frozen=True, forbid_unknown_fields=True):
    """A result as it is kept."""

    signed: str
    key: str
    signature: str


def signed_result(result: AuditResult, signer: Signer) -> bytes:
    """The file of a result."""
    signed = _json(result)
    return _json(SignedResult(signed.decode(), raw(signer.public).hex(), signer.private.sign(PREFIX + signed).hex()))


def result_in(file: bytes, public: Ed25519PublicKey, field_name: str = "since") -> AuditResult:
    """The result in a file, once it is the auditor's word; `InputFault` for anything else."""
    try:
        kept = msgspec.json.decode(file, type=SignedResult)
        signature = bytes.fromhex(kept.signature)
        signed = kept.signed.encode()
    except (msgspec.MsgspecError, ValueError) as error:
        raise InputFault(field_name, f"this is not a signed result of an audit ({error})") from error
    if kept.key != raw(public).hex():
        raise InputFault(field_name, "this result was signed with another auditor's key")
    try:
        public.verify(signature, PREFIX + signed)
    except InvalidSignature:
        raise InputFault(field_name, "this result was altered: its signature does not match") from None
    try:
        result = msgspec.json.decode(signed, type=AuditResult)
    except msgspec.MsgspecError as error:
        raise InputFault(field_name, f"this result cannot be read by this version ({error})") from error
    if result.form != RESULT_FORM:
        raise InputFault(field_name, f"this result has another form: {result.form!r}")
    return result
