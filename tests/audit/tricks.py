"""What forgers do to a journal, its log and its receipts: each trick by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import astuple, replace

from taisai.journal import Batch, SqliteJournal
from taisai.journal.chain import FORMAT, genesis, record_hash
from taisai.journal.log.headfile import HeadFile
from taisai.journal.log.note import Checkpoint, Note, Signer
from taisai.journal.log.tree import Tree, head_name
from taisai.journal.record import Record
from taisai.journal.transfer import copy
from taisai.streams.house_events import (
    HOUSE_KINDS,
    HOUSE_STREAM,
    HouseEvent,
    KeyChanged,
    LogBegan,
    house_records_of,
)
from tests.audit.bot import Bot, deal
from tests.audit.forgers import EYES, NOW_US, ORIGIN, SHELF, STRANGER, Kept
from tests.streams.keeper import TableKeeper


def bet_of(house: Kept, records: list[Record]) -> Record:
    """The record that the player's receipt is of."""
    return records[house.bet.position - 1]


def more(record: Record) -> Record:
    """A bet that was larger."""
    return replace(record, body=record.body.replace(b'"amount":', b'"amount":1'))


def changed(house: Kept, change: Callable[[Record], Record]) -> list[Record]:
    """All records, one of them changed."""
    records = house.records()
    records[house.bet.position - 1] = change(bet_of(house, records))
    return records


def mend_chain(house: Kept) -> None:
    """Hash every record again as it stands now."""
    links: dict[str, bytes] = {}
    statements = []
    blob = "'\\x{}'" if house.on_postgres else "x'{}'"
    for one in house.records():
        prev = links.get(one.table) or genesis(one.table)
        header = (FORMAT, *astuple(one)[:9])
        links[one.table] = record_hash(prev, header, one.body)
        values = f"prev = {blob.format(prev.hex())}, hash = {blob.format(links[one.table].hex())}"
        statements.append(f"UPDATE record SET {values} WHERE position = {one.position}")
    for table, last in links.items():
        statements.append(f"UPDATE head SET hash = {blob.format(last.hex())} WHERE table_name = '{table}'")
    house.run(*statements)


def alter_in_place(house: Kept) -> None:
    """One byte of a body."""
    house.run(f"UPDATE record SET at = at + 1 WHERE position = {house.bet.position}")


def alter_and_mend(house: Kept) -> None:
    """The same, and the chain after it."""
    alter_in_place(house)
    mend_chain(house)


def swap_in_place(house: Kept) -> None:
    """Two records change places."""
    place = house.bet.position
    moved = f"CASE position WHEN {place} THEN {place + 1} ELSE {place} END"
    house.run(
        "UPDATE record SET position = position + 1000000, seq = seq + 1000000"
        f" WHERE position IN ({place}, {place + 1})",
        f"UPDATE record SET position = {moved.replace('position', 'position - 1000000')} WHERE position > 1000000",
        "UPDATE record SET seq = seq - 1000000 WHERE seq > 1000000",
    )


def swapped(house: Kept) -> list[Record]:
    """All records, two of them in each other's place."""
    records = house.records()
    place = house.bet.position - 1
    records[place], records[place + 1] = records[place + 1], records[place]
    return records


def take_one(house: Kept) -> None:
    """A record deleted."""
    house.run("DELETE FROM record WHERE position = 5")


def without_one(house: Kept) -> list[Record]:
    """All records but one, so that nothing seems to be missing."""
    records = house.records()
    del records[house.bet.position - 1]
    return records


def with_one_more(house: Kept) -> list[Record]:
    """All records, and a bet that nobody placed."""
    records = house.records()
    records.insert(house.bet.position, replace(bet_of(house, records), command_id="made-up"))
    return records


def cut(house: Kept) -> None:
    """The end taken off, with the heads of the tables put right."""
    house.run(
        "DELETE FROM snapshot",
        "DELETE FROM record WHERE position > 300",
        "DELETE FROM head",
        "INSERT INTO head SELECT table_name, seq, hash FROM record r"
        " WHERE seq = (SELECT max(seq) FROM record s WHERE s.table_name = r.table_name)",
        *(["UPDATE tail SET position = 300"] if house.on_postgres else []),
    )


def cut_with_log(house: Kept) -> None:
    """The end taken off, and every head and tile of it: an older self of the journal, made by hand."""
    cut(house)
    with house.open() as journal:
        size = max(int(name.rpartition("/")[2], 16) for name in journal.entries("log/head/") if name <= head_name(300))
        keep = journal.get(head_name(size))
        for name in journal.entries("log/head/", after=head_name(size)):
            journal.put(name, None)
        journal.put_all({"log/newest": keep, "log/cosigned": None})
        Tree(journal).clear()
        prover = house.prover(journal)
        while prover.follow():
            pass


def restore_backup(house: Kept) -> None:
    """An older backup in place of the journal."""
    if not house.on_postgres:
        (house.folder / "backup.db").replace(house.path)
        return
    with SqliteJournal(house.folder / "backup.db", read_only=True) as old:
        house.write([])
        with house.open() as journal:
            for name in journal.entries():
                journal.put(name, None)
            copy(old, journal)


def empty(house: Kept) -> None:
    """Everything taken away: records, heads, log."""
    house.run(*(f"DELETE FROM {each}" for each in ("snapshot", "record", "head", "drawer")))
    if house.on_postgres:
        house.run("UPDATE tail SET position = 0")


def drop_heads(where: str) -> Callable[[Kept], None]:
    """Entries of the log taken away."""
    return lambda house: house.run(f"DELETE FROM drawer WHERE {where}")


def drop_one_head(house: Kept) -> None:
    """One signed head in the middle taken away."""
    with house.open() as journal:
        journal.put(list(journal.entries("log/head/"))[40], None)


def drop_last_heads(house: Kept) -> None:
    """The last ten heads taken away, an older one shown as the newest; every record stays."""
    with house.open() as journal:
        names = list(journal.entries("log/head/"))
        journal.put_all(dict.fromkeys(names[-10:]) | {"log/newest": journal.get(names[-11])})


def other_tiles(house: Kept) -> None:
    """A tile with one hash turned round."""
    with house.open() as journal:
        name = "log/tile/0/" + "0" * 16
        tile = journal.get(name)
        assert tile is not None
        journal.put(name, tile[:32][::-1] + tile[32:])


def other_salt(house: Kept) -> None:
    """Another salt: no leaf is what it was."""
    with house.open() as journal:
        journal.put("log/salt", bytes(32))


def strange_head(house: Kept) -> None:
    """The newest head signed by a stranger."""
    with house.open() as journal:
        text = house.head.text
        note = Note(text, (Signer(ORIGIN, STRANGER).sign(text),))
        journal.put_all(dict.fromkeys((head_name(Checkpoint.read(text).size), "log/newest"), str(note).encode()))


def begun_by(record: Record, signer: Signer) -> Record:
    """The record of the log's beginning under another key or name; any other record as it is."""
    if record.kind != HOUSE_KINDS[LogBegan]:
        return record
    what = LogBegan(signer.verifier.name, str(signer.verifier))
    (fresh,) = house_records_of(record.command_id, [HouseEvent(record.at, "house", what)])
    return replace(record, body=fresh.body)


def all_by_a_stranger(house: Kept) -> None:
    """The whole journal written anew under the stranger's own key, with its own beginning."""
    signer = Signer(ORIGIN, STRANGER)
    house.write([begun_by(record, signer) for record in changed(house, more)], signer)


def append_after(house: Kept, what: Any, at: int = NOW_US) -> None:
    """A record of the house at the end."""
    with house.open() as journal:
        records = house_records_of("forged-1", [HouseEvent(at, "house", what)])
        journal.append([Batch(HOUSE_STREAM, journal.head(HOUSE_STREAM).seq, records)])


def signed_on(house: Kept, signer: Signer) -> None:
    """The next head, signed with any key, kept wherever heads are kept."""
    with house.open() as journal:
        prover = house.prover(journal)
        while prover.follow():
            pass
        note = prover._tree.sign(signer)
        prover._tree.keep_head(note)
        HeadFile(house.key_file).write(note)


def swap_key(word: Callable[[Signer, Signer], str]) -> Callable[[Kept], None]:
    """The house goes over to a stranger's key."""

    def act(house: Kept) -> None:
        old, new = house.private(), Signer(ORIGIN, STRANGER)
        append_after(house, KeyChanged(str(old.verifier), str(new.verifier), "rotation", word(old, new)))
        signed_on(house, new)

    return act


def another_name(house: Kept) -> None:
    """A changed history under a log of another name, with the house's own key."""
    origin = "casino.example/again"
    signer = house.private(origin)
    house.write([begun_by(record, signer) for record in changed(house, more)], signer, origin=origin)


def resigned(house: Kept, records: list[Record], **how: Any) -> None:
    """Records written anew and signed with the real key."""
    house.write(records, house.private(), **how)


def fewer_heads(house: Kept) -> None:
    """The same records, signed anew with fewer heads under other numbers."""
    resigned(house, house.records(), every=40)


def second_head(house: Kept) -> None:
    """The newest head signed a second time, under another number."""
    signer = house.private()
    with house.open() as journal:
        head = Checkpoint.read(house.head.text)
        text = str(head._replace(extensions=("head 9999",)))
        note = str(Note(text, (signer.sign(text),))).encode()
        journal.put_all({head_name(head.size): note, "log/newest": note})


def fork(house: Kept, seed: int = 9) -> None:
    """The journal goes on from the backup with other rounds, under the real key; the house shows both."""
    restore_backup(house)
    HeadFile(house.key_file).write(house.first)
    with house.open() as journal:
        dealing = deal(TableKeeper(journal, SHELF.book, "T1"), Bot(SHELF.book("rws-tai-sai-v6"), "C", seed))
        for _ in zip(range(250), dealing, strict=False):
            pass
        prover = house.prover(journal)
        house.sign(prover, witness=False)
        *_, last = (record for record in journal.read("T1") if record.kind == "bet-placed")
        house.receipt = prover.receipt(last)


def shown_older_head(house: Kept) -> None:
    """The first head kept as the newest, and nothing else changed: a replayed head."""
    with house.open() as journal:
        journal.put("log/newest", str(house.first).encode())


def of_another(field: str) -> Callable[[Kept], None]:
    """The receipt with one field of another receipt."""

    def act(house: Kept) -> None:
        with house.open() as journal:
            after = bet_of(house, house.records()).seq
            other = next(record for record in journal.read("T1", after) if record.kind == "bet-placed")
            second = house.prover(journal).receipt(other)
        value = {"part": 1, "head": str(house.first)}.get(field) or getattr(second, field)
        house.receipt = replace(house.receipt, **{field: value})

    return act


def own_cosignature(house: Kept) -> None:
    """A witness's signature made up by the house, under the witness's name."""
    fake = Signer(EYES.verifier.name, STRANGER, EYES.verifier.kind)
    note = Note.read(house.receipt.head)
    house.receipt = replace(
        house.receipt, head=str(Note(note.text, (*note.signatures[:1], fake.sign(note.text, NOW_US // 1_000_000))))
    )


def strange_receipt(house: Kept) -> None:
    """A receipt whose head a stranger signed."""
    note = Note.read(house.receipt.head)
    house.receipt = replace(
        house.receipt, head=str(Note(note.text, (Signer(ORIGIN, STRANGER).sign(note.text), *note.signatures[1:])))
    )


def late_receipt(house: Kept) -> None:
    """A receipt of the last record, and then the end is cut off and all is signed again."""
    records = house.records()
    with house.open() as journal:
        house.receipt = house.prover(journal).receipt(records[-1])
    resigned(house, records[:300])
