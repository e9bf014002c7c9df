"""Proof over the API: whoever gets an answer gets its receipt, and nobody gets another's."""

from __future__ import annotations

import json
from typing import Any

import httpx

from taisai.client import Session, Table
from taisai.journal.log.note import Checkpoint, Note
from taisai.table import commands as c
from taisai.web.static.verify import taisai_verify as verifier
from tests.web.serving import Running, on_a_loop, open_house


async def play_a_round(running: Running, ann: Table, bob: Table) -> None:
    """A round that ann wins with one bet and loses with another, as bob does."""
    dan = running.crew["dan"]
    await dan.do("T1", c.OpenBets())
    for player in (ann, bob):
        await player.bet("small", 1_100)
        await player.bet("total:17", 100)
    for step in (c.CloseBets(), c.Tumble(3), c.Uncover((1, 2, 4)), c.Announce(), c.Collect(), c.PayAll()):
        await dan.do("T1", step)


async def asked(running: Running, who: Session | None, path: str, method: str = "GET") -> httpx.Response:
    """What somebody gets."""
    headers = {} if who is None else {"authorization": f"Bearer {who.token}"}
    async with httpx.AsyncClient(base_url=running.address, headers=headers) as http:
        return await http.request(method, path)


@on_a_loop
async def test_a_player_proves_each_bet_and_its_settlement() -> None:
    """Every bet and how it was settled: proven to whoever has the key, with why and the clauses, below 2 kB."""
    async with open_house() as running:
        await running.ready_table("T1")
        ann, bob = await running.seat("ann"), await running.seat("bob")
        async with ann.table() as table, bob.table() as other:
            await play_a_round(running, table, other)
        proofs = (await asked(running, ann, "/api/me/proofs?round=1")).json()
        kinds = [each["kind"] for each in proofs]
        assert kinds == ["bet-placed", "bet-placed", "bets-closed", "losers-collected", "bet-paid"]
        key = verifier.verifier_key((await asked(running, None, "/api/log")).json()["key"])
        for each in proofs:
            answer = await asked(running, ann, f"/api/tables/T1/receipts/{each['seq']}")
            assert answer.headers["content-disposition"] == f'attachment; filename="taisai-T1-{each["seq"]}.json"'
            assert len(answer.content) < 2048
            shown = answer.json()
            found = verifier.check_receipt(shown, key)
            assert (found["table"], found["record"], found["event"]) == ("T1", each["seq"], each["kind"])
            assert found["whose"] == (
                running.id_of("ann") if each["kind"] in ("bets-closed", "losers-collected") else ""
            )
            assert running.id_of("bob") not in json.dumps(found)
            assert shown["why"]
            assert shown["clauses"]
        assert (await asked(running, ann, "/api/me/proofs?round=7")).json() == []


@on_a_loop
async def test_a_receipt_opens_nothing_of_others() -> None:
    """Another player's bet, and a record that is the crew's alone, are refused; the crew gets them whole."""
    async with open_house() as running:
        await running.ready_table("T1")
        ann, bob = await running.seat("ann"), await running.seat("bob")
        async with ann.table() as table, bob.table() as other:
            await play_a_round(running, table, other)
        mine = (await asked(running, ann, "/api/me/proofs?round=1")).json()[0]["seq"]
        refused = await asked(running, bob, f"/api/tables/T1/receipts/{mine}")
        assert (refused.status_code, refused.json()["error"]["sentence"]) == (403, "This record is not yours to prove.")
        assert (await asked(running, running.crew["dan"], f"/api/tables/T1/receipts/{mine}")).status_code == 200
        assert (await asked(running, ann, "/api/tables/T1/receipts/99999")).status_code == 404
        assert (await asked(running, ann, "/api/tables/T1/receipts/x")).status_code == 400
        journal = running.context.floor.writer.journal
        counted = next(record for record in journal.read("T1") if record.kind == "float-counted")
        assert (await asked(running, ann, f"/api/tables/T1/receipts/{counted.seq}")).status_code == 403


@on_a_loop
async def test_heads_extend_one_another() -> None:
    """The head, one signed on demand, and the proof between them hold for anybody."""
    async with open_house() as running:
        first = (await asked(running, None, "/log/checkpoint")).text
        await running.ready_table("T1")
        dan = running.crew["dan"]
        signed: dict[str, Any] = (await asked(running, dan, "/api/log/sign", "POST")).json()
        older = Checkpoint.read(Note.read(first).text).size
        found = (await asked(running, None, f"/api/log/consistency?older={older}")).json()
        assert (found["older_size"], found["newer_size"], found["older"]) == (older, signed["size"], first)
        key = verifier.verifier_key(signed["key"])
        heads = [verifier.head_of(found[which], key, []) for which in ("older", "newer")]
        proof = verifier.hashes_in(found["proof"])
        verifier.check_consistency(heads[0][0], heads[0][1], heads[1][0], heads[1][1], proof)
        wrong = await asked(running, None, "/api/log/consistency?older=5&newer=999999")
        assert wrong.status_code == 404
        assert (await asked(running, None, "/static/verify/taisai_verify.py")).text.startswith("#!/usr/bin/env python3")
