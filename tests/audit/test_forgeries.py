"""Forgers against the holders of receipts and one honest witness: which check finds which forgery, and as what.

Each row is a forgery: who makes it (an outsider who can write to the database, or whoever holds the key), what they do,
and what each of those who look finds. An empty set says that somebody is blind to it by themselves, which is why there
are the others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import pytest
from msgspec.structs import replace

from taisai.audit.log import Outside
from taisai.audit.run import Audit
from taisai.cli import main
from taisai.cli.journal.audit import UNSIGNED
from taisai.core.dice import parse_roll
from taisai.core.rulebook import Fact
from taisai.floor.dealer import Stage
from taisai.journal import Batch, open_journal
from taisai.journal.contract import JournalError
from taisai.journal.log.headfile import HeadFile
from taisai.journal.log.keys import word_for
from taisai.streams.codec import records_of
from taisai.streams.house_events import (
    LogRestarted,
)
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.state import RoundPhase
from taisai.web.static.verify import taisai_verify as verifier
from tests.audit.forgers import EYES, ORIGIN, SHELF, Kept
from tests.audit.tricks import (
    all_by_a_stranger,
    alter_and_mend,
    alter_in_place,
    another_name,
    append_after,
    changed,
    cut,
    cut_with_log,
    drop_heads,
    drop_last_heads,
    drop_one_head,
    empty,
    fewer_heads,
    fork,
    late_receipt,
    more,
    of_another,
    other_salt,
    other_tiles,
    own_cosignature,
    resigned,
    restore_backup,
    second_head,
    shown_older_head,
    strange_head,
    strange_receipt,
    swap_in_place,
    swap_key,
    swapped,
    take_one,
    with_one_more,
    without_one,
)
from tests.cli.running import taisai
from tests.floor.scripted import ScriptedDice
from tests.floor.simulated import DAN, House
from tests.journal.log.test_witness import Remembered
from tests.table.driver import TAI_SAI

OUTSIDER, KEY_HOLDER = "outsider", "key holder"


# ------------------------------------------------------------------ those who look


def file_alone(house: Kept) -> set[str]:
    """An auditor with the journal and the public key."""
    return house.found(Outside())


def beside_key(house: Kept) -> set[str]:
    """The same, with the head in the file beside the key, which `taisai audit` always asks."""
    note = HeadFile(house.key_file).read()
    return house.found(Outside() if note is None else Outside((("the head beside the key", note),)))


def witness(house: Kept) -> set[str]:
    """The same, with what the witness remembers."""
    return house.found(Outside((("the witness", house.seen),)))


def receipt(house: Kept) -> set[str]:
    """The same, with a player's receipt."""
    return house.found(Outside((), (("the receipt", house.receipt),)))


def signing(house: Kept) -> set[str]:
    """The house itself, asked to sign the next head."""
    try:
        with house.open() as journal:
            house.sign(house.prover(journal), witness=False)
    except JournalError as error:
        return {type(error).__name__}
    return set()


def cosigning(house: Kept) -> set[str]:
    """The witness, shown the newest head with the best proof that the house can make."""
    with house.open() as journal:
        prover = house.prover(journal)
        note = prover.head()
        assert note is not None
        prover._signer = house.private()
        status = house.asked(prover, note).status
    return set() if status == 200 else {f"witness answers {status}"}


def player(house: Kept) -> set[str]:
    """A player with the verifier that needs nothing of ours, the house's key and the witness's."""
    try:
        keys = [verifier.verifier_key(str(EYES.verifier))]
        verifier.check_receipt(msgspec.to_builtins(house.receipt), verifier.verifier_key(house.key), keys)
    except verifier.Wrong as error:
        return {str(error)}
    return set()


def player_alone(house: Kept) -> set[str]:
    """The same, without a witness."""
    try:
        verifier.check_receipt(msgspec.to_builtins(house.receipt), verifier.verifier_key(house.key))
    except verifier.Wrong as error:
        return {str(error)}
    return set()


class Forgery(NamedTuple):
    """A forgery, and who finds what."""

    by: str
    act: Callable[[Kept], None]
    found: Mapping[Callable[[Kept], set[str]], set[str]]
    """At least these; an empty set: nothing at all."""


FORGERIES: Final[dict[str, Forgery]] = {
    # By whoever can write to the database.
    "a record altered in place": Forgery(OUTSIDER, alter_in_place, {file_alone: {"record-altered", "log-rewritten"}}),
    "a record altered, the chain mended": Forgery(OUTSIDER, alter_and_mend, {file_alone: {"log-rewritten"}}),
    "two records swapped in place": Forgery(OUTSIDER, swap_in_place, {file_alone: {"record-altered", "log-rewritten"}}),
    "two records swapped, all chained anew": Forgery(
        OUTSIDER, lambda house: house.write(swapped(house)), {file_alone: {"log-rewritten"}}
    ),
    "a record deleted": Forgery(OUTSIDER, take_one, {file_alone: {"record-missing"}}),
    "a record deleted, all chained anew": Forgery(
        OUTSIDER, lambda house: house.write(without_one(house)), {file_alone: {"log-rewritten", "log-cut"}}
    ),
    "a record made up in the middle": Forgery(
        OUTSIDER, lambda house: house.write(with_one_more(house)), {file_alone: {"log-rewritten"}}
    ),
    "a record ascribed to somebody else": Forgery(
        OUTSIDER,
        lambda house: house.write(changed(house, lambda record: replace(record, by="p7"))),
        {file_alone: {"log-rewritten"}},
    ),
    "the end cut off": Forgery(OUTSIDER, cut, {file_alone: {"log-cut"}}),
    "the end cut off with its heads and tiles": Forgery(
        OUTSIDER,
        cut_with_log,
        {file_alone: set(), beside_key: {"log-cut"}, witness: {"log-cut"}, signing: {"LogBehind"}},
    ),
    "an older backup put in place": Forgery(
        OUTSIDER,
        restore_backup,
        {file_alone: set(), beside_key: {"log-cut"}, witness: {"log-cut"}, signing: {"LogBehind"}},
    ),
    "everything taken away": Forgery(
        OUTSIDER,
        empty,
        {beside_key: {"log-cut"}, witness: {"log-cut"}, receipt: {"receipt-not-in-journal"}, signing: {"LogBehind"}},
    ),
    "one head dropped": Forgery(OUTSIDER, drop_one_head, {file_alone: {"log-head-missing"}}),
    "the last heads dropped": Forgery(
        OUTSIDER, drop_last_heads, {beside_key: {"log-head-missing"}, witness: {"log-head-missing"}}
    ),
    "all heads dropped": Forgery(
        OUTSIDER,
        drop_heads("name LIKE 'log/head/%' OR name IN ('log/newest', 'log/cosigned')"),
        {file_alone: {"log-missing"}},
    ),
    "the log dropped": Forgery(
        OUTSIDER, drop_heads("name LIKE 'log/%'"), {file_alone: {"log-missing"}, signing: {"LogBehind"}}
    ),
    "tiles dropped": Forgery(
        OUTSIDER,
        drop_heads("name LIKE 'log/tile/%'"),
        {file_alone: {"log-unreadable"}, signing: {"LogDamaged"}},
    ),
    "a tile altered": Forgery(OUTSIDER, other_tiles, {file_alone: {"log-tiles-altered"}}),
    "the salt altered": Forgery(OUTSIDER, other_salt, {file_alone: {"log-rewritten"}}),
    "a head signed by a stranger": Forgery(OUTSIDER, strange_head, {file_alone: {"log-head-altered"}}),
    "an older head replayed as the newest": Forgery(OUTSIDER, shown_older_head, {file_alone: {"log-head-altered"}}),
    "all written anew under a stranger's key": Forgery(
        OUTSIDER, all_by_a_stranger, {file_alone: {"log-key-unknown"}, witness: {"log-rewritten"}}
    ),
    "a new key without the old one's word": Forgery(
        OUTSIDER, swap_key(lambda _old, _new: ""), {file_alone: {"log-key-unknown"}}
    ),
    "a new key by a word that is none": Forgery(
        OUTSIDER, swap_key(lambda _old, _new: "nonsense"), {file_alone: {"log-key-unknown"}}
    ),
    "a new key by its own word": Forgery(
        OUTSIDER, swap_key(lambda _old, new: str(word_for(new, new.verifier))), {file_alone: {"log-key-unknown"}}
    ),
    # By whoever holds the key: the journal's own word is theirs, so others must know better.
    "the end cut off, all signed again": Forgery(
        KEY_HOLDER,
        lambda house: resigned(house, house.records()[:300]),
        {file_alone: set(), beside_key: set(), witness: {"log-cut"}, cosigning: {"witness answers 400"}},
    ),
    "a bet changed, all signed again": Forgery(
        KEY_HOLDER,
        lambda house: resigned(house, changed(house, more)),
        {witness: {"log-rewritten"}, receipt: {"log-rewritten"}, cosigning: {"witness answers 409"}},
    ),
    "a time changed, all signed again": Forgery(
        KEY_HOLDER,
        lambda house: resigned(house, changed(house, lambda record: replace(record, at=record.at + 1))),
        {witness: {"log-rewritten"}, receipt: {"log-rewritten"}, cosigning: {"witness answers 409"}},
    ),
    "two records swapped, all signed again": Forgery(
        KEY_HOLDER,
        lambda house: resigned(house, swapped(house)),
        {witness: {"log-rewritten"}, receipt: {"log-rewritten"}, cosigning: {"witness answers 409"}},
    ),
    "a bet made up, all signed again": Forgery(
        KEY_HOLDER,
        lambda house: resigned(house, with_one_more(house)),
        {witness: {"log-rewritten"}, cosigning: {"witness answers 422"}},
    ),
    "another salt, all signed again": Forgery(
        KEY_HOLDER,
        lambda house: resigned(house, house.records(), salt=bytes(range(32))),
        {file_alone: set(), witness: {"log-rewritten"}, receipt: {"log-rewritten"}},
    ),
    "a changed history under another name": Forgery(
        KEY_HOLDER, another_name, {witness: {"log-rewritten"}, receipt: {"log-rewritten"}}
    ),
    "the same records signed again with fewer heads": Forgery(
        KEY_HOLDER, fewer_heads, {file_alone: set(), witness: {"log-head-altered"}, receipt: {"log-head-altered"}}
    ),
    "a head signed a second time under another number": Forgery(
        KEY_HOLDER, second_head, {file_alone: {"log-head-missing"}, witness: {"log-head-missing"}}
    ),
    "heads signed too rarely": Forgery(
        KEY_HOLDER,
        lambda house: resigned(house, house.records(), every=1_000),
        {file_alone: {"log-head-overdue"}},
    ),
    "one history for the player, another for the witness": Forgery(
        KEY_HOLDER,
        fork,
        {
            player_alone: set(),
            player: {"not cosigned by witness.example"},
            cosigning: {"witness answers 422"},
            witness: {"log-rewritten"},
        },
    ),
    "a receipt of a record that is cut off": Forgery(
        KEY_HOLDER, late_receipt, {receipt: {"receipt-not-in-journal", "log-cut"}, player_alone: set()}
    ),
    # With receipts.
    **{
        f"a receipt with the {field} of another": Forgery(
            OUTSIDER, of_another(field), {player_alone: {says}, receipt: {"receipt-does-not-hold"}}
        )
        for field, says in (
            ("leaf", "the record is not in the log under this head"),
            ("proof", "the record is not in the log under this head"),
            ("content", "what the receipt opens is not what the log holds"),
            ("salt", "what the receipt opens is not what the log holds"),
            ("part", "the record's place is not in the tree"),
            ("head", "the inclusion proof is too long"),
        )
    },
    "a receipt under a stranger's signature": Forgery(
        OUTSIDER, strange_receipt, {player_alone: {f"the head is not signed by {ORIGIN}"}, receipt: {"head-not-ours"}}
    ),
    "a receipt with a made-up cosignature": Forgery(
        KEY_HOLDER, own_cosignature, {player: {"not cosigned by witness.example"}}
    ),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """The house, once."""
    return Kept(tmp_path_factory.mktemp("made"))


ON_POSTGRES: Final = (
    "a record altered, the chain mended",
    "two records swapped in place",
    "a record deleted, all chained anew",
    "the end cut off",
    "the end cut off with its heads and tiles",
    "an older backup put in place",
    "everything taken away",
    "the last heads dropped",
    "a tile altered",
    "all written anew under a stranger's key",
    "the end cut off, all signed again",
    "a bet changed, all signed again",
    "the same records signed again with fewer heads",
    "one history for the player, another for the witness",
)
"""The forgeries that are made there as well: the rest do not depend on the store."""
CASES: Final = [*((name, "sqlite") for name in FORGERIES), *((name, "postgresql") for name in ON_POSTGRES)]


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_an_honest_house_has_no_finding(made: Kept, tmp_path: Path, store: str) -> None:
    """Nobody who looks finds anything where nothing was forged."""
    house = made.copied(tmp_path / "house", on_postgres=store == "postgresql")
    for each in (file_alone, beside_key, witness, receipt, player, player_alone, signing, cosigning):
        assert each(house) == set(), each.__name__


@pytest.mark.parametrize(("name", "store"), CASES)
def test_each_forgery_is_found(made: Kept, tmp_path: Path, name: str, store: str) -> None:
    """By those who can find it, as what it is; and whoever is blind to it finds nothing."""
    forgery, house = FORGERIES[name], made.copied(tmp_path / "house", on_postgres=store == "postgresql")
    forgery.act(house)
    found = {each: each(house) for each in forgery.found}
    for each, codes in forgery.found.items():
        assert codes <= found[each], each.__name__
        assert codes or not found[each], each.__name__
    assert any(found.values())


def test_there_are_forgeries_of_every_kind() -> None:
    """More than twenty, by outsiders and by holders of the key; each is found by somebody."""
    for by in (OUTSIDER, KEY_HOLDER):
        assert sum(forgery.by == by for forgery in FORGERIES.values()) >= 10
    assert all(any(forgery.found.values()) for forgery in FORGERIES.values())


# ------------------------------------------------------------------ two views


def test_two_witnesses_who_saw_two_logs_hold_the_proof_of_it(made: Kept, tmp_path: Path) -> None:
    """Each cosigned what it was shown; whoever asks both, about either journal, finds the fork."""
    first, second = made.copied(tmp_path / "first"), made.copied(tmp_path / "second")
    fork(second)
    other = Remembered()
    with second.open() as journal:
        prover = second.prover(journal)
        note = second.sign(prover, witness=False)
        assert second.asked(prover, note, other).status == 200  # it knew nothing of this house before
    shown = other.seen(ORIGIN)
    assert shown is not None
    assert second.found(Outside((("the second witness", shown),))) <= {"log-head-overdue"}
    both = Outside((("the first witness", first.seen), ("the second witness", shown)))
    assert "log-rewritten" in second.found(both)
    assert first.found(both) & {"log-rewritten", "log-cut"}


def test_a_backup_that_is_played_on_with_the_heads_file_gone_is_found_by_the_witness(
    made: Kept, tmp_path: Path
) -> None:
    """Nothing in the house knows better any more: whoever keeps a head outside does."""
    house = made.copied(tmp_path / "house")
    restore_backup(house)
    HeadFile(house.key_file).path.unlink()
    assert signing(house) == set()
    assert file_alone(house) == set()
    assert witness(house) == {"log-cut"}
    assert cosigning(house) == {"witness answers 400"}


def test_a_record_added_behind_the_last_head_is_covered_by_nothing(made: Kept, tmp_path: Path) -> None:
    """Whoever writes to the database of a house that stands adds a record that no signature covers: it is counted."""
    house = made.copied(tmp_path / "house")
    told = json.loads(taisai("audit", str(house.path), "--json").stdout)
    assert told["not_checked"] == {}
    append_after(house, LogRestarted(ORIGIN, "casino.example/again", house.key, ""))
    told = json.loads(taisai("audit", str(house.path), "--json").stdout)
    assert told["not_checked"] == {UNSIGNED: 1}


def test_a_result_of_an_earlier_audit_holds_against_another_history(made: Kept, tmp_path: Path) -> None:
    """Signed again or cut back: an auditor who kept their own result finds it without any witness."""
    house = made.copied(tmp_path / "house")
    with house.open(read_only=True) as journal:
        before = Audit(SHELF.book)
        assert list(before.findings(journal, house.public)) == []
    for records, code in ((changed(house, more), "history-rewritten"), (house.records()[:300], "history-rewritten")):
        resigned(house, records)
        with house.open(read_only=True) as journal:
            found = {each.code for each in Audit(SHELF.book, since=before.result()).findings(journal, house.public)}
        assert code in found


# ------------------------------------------------------------------ the dice


ROLLS: Final = ("1,2,3", "6,6,6", "2,4,4", "1,1,5", "3,3,4", "1,5,6")


def played() -> list[e.Event]:
    """Rounds of an automatic table, one of them void before its close and opened."""
    house = House(TAI_SAI, lambda: ScriptedDice([parse_roll(each) for each in ROLLS]))
    house.rounds(2).at(Stage.BETTING)
    house.hand(c.Report(Fact.EXPOSED), DAN)
    return house.rounds(2).events()


def place_of(events: list[e.Event], kind: type, which: int = -1) -> int:
    """Where an event of a kind stands."""
    return [place for place, event in enumerate(events) if isinstance(event.what, kind)][which]


def with_fields(kind: type, **fields: Any) -> Callable[[], list[e.Event]]:
    """The last event of a kind, changed."""

    def change() -> list[e.Event]:
        events = played()
        place = place_of(events, kind)
        what: Any = events[place].what
        return [*events[:place], replace(events[place], what=replace(what, **fields)), *events[place + 1 :]]

    return change


def withheld() -> list[e.Event]:
    """The opening of the void round left out, and whatever came after it."""
    events = played()
    void = place_of(events, e.RoundVoided)
    return events[: void + 1]


def committed_again() -> list[e.Event]:
    """A second commitment for the same round, when the first is not liked."""
    events = played()
    place = place_of(events, e.DiceCommitted, 0)
    return [*events[: place + 1], *events[place:]]


def committed_late() -> list[e.Event]:
    """A commitment made when bets are open already."""
    events = played()
    place = place_of(events, e.DiceCommitted, 0)
    return [*events[:place], events[place + 1], events[place], *events[place + 2 :]]


def aborted() -> list[e.Event]:
    """A house that opens every round, and voids each that any-triple would win just before the close."""
    triple, other = parse_roll("5,5,5"), parse_roll("1,2,4")
    house = House(TAI_SAI, lambda: ScriptedDice([triple, other] * 6), players=1)
    for _ in range(12):
        house.until(lambda: house.state.round.phase is RoundPhase.BETTING, bets=False)
        house.bet("p1", "any-triple", 100)
        if house.state.round.number % 2:
            house.hand(c.Report(Fact.EXPOSED), DAN)
        else:
            house.rounds(1, bets=False)
    return house.events()


DICE: Final[dict[str, tuple[Callable[[], list[e.Event]], set[str]]]] = {
    "other dice than the opening gives": (with_fields(e.RoundConcluded, dice=(2, 4, 5)), {"wrong"}),
    "another secret": (with_fields(e.DiceUncovered, opening="00" * 32), {"wrong"}),
    "another contribution": (with_fields(e.DiceOpened, contributions=("0" * 32,)), {"wrong"}),
    "no opening": (with_fields(e.DiceUncovered, opening=""), {"wrong"}),
    "a round void and never opened": (withheld, {"withheld"}),
    "a round committed twice": (committed_again, {"wrong"}),
    "a round committed too late": (committed_late, {"wrong"}),
    "rounds voided that would be lost": (aborted, {"voids favour the house"}),
}


def dice(capfd: pytest.CaptureFixture[str], path: Path, events: list[e.Event]) -> set[str]:
    """What `taisai verify` finds in a journal of these events."""
    with open_journal(path) as journal:
        for seq, event in enumerate(events):
            journal.append([Batch("T1", seq, records_of(f"c{seq}", [event]))])
    capfd.readouterr()
    code = main(["verify", str(path), "--json"])
    told = json.loads(capfd.readouterr().out)
    found = {verdict for verdict in ("wrong", "withheld") if told["counts"][verdict]}
    found |= {"voids favour the house"} if told["voids"]["favour_house"] else set()
    assert code == bool(found)
    return found


def test_honest_dice_are_proven(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A void round that was opened is no fault."""
    assert dice(capfd, tmp_path / "floor.db", played()) == set()


@pytest.mark.parametrize("name", DICE)
def test_each_trick_with_dice_is_found(capfd: pytest.CaptureFixture[str], tmp_path: Path, name: str) -> None:
    """By `taisai verify`, which needs the journal alone."""
    forged, found = DICE[name]
    assert dice(capfd, tmp_path / "floor.db", forged()) == found
