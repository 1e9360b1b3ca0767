"""Replays: they verify, or are refused with the step where they diverge. Golden games still verify."""

import errno
import json
import os
import tempfile
from pathlib import Path

import numpy as np
import pytest
from helpers import VARIANTS, choice, open_table, variant_id

from cardtable.errors import ReplayError
from cardtable.game.registry import find, game_ids
from cardtable.replay import FORMAT, KEYS, Replay, save_somewhere
from cardtable.table import Table
from tools.make_golden import GOLDEN, golden_games

FORMAT_1 = Path(__file__).parent / "replays" / "format_1.json"
"""A game as it was saved before hashes made a chain."""


@pytest.fixture(params=game_ids())
def replay(request):
    return Replay.of(play_out(find(request.param), {}))


def play_out(game, options, steps=10_000):
    table = open_table(game, options, seed=2)
    while not table.ending and len(table.history) < steps:
        table.play(choice(table.mask, 3, len(table.history)))
    return table


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_a_replay_survives_the_text_and_verifies(game_id, options, tmp_path):
    table = play_out(find(game_id), options)
    replay = Replay.of(table)
    replay.save(tmp_path / "game.json")
    loaded = Replay.load(tmp_path / "game.json")
    assert loaded == replay
    assert loaded.verify().state_hash() == table.state_hash()
    assert loaded.result is not None
    assert loaded.result["scores"] == table.result()[1]


def test_an_unfinished_game_and_one_from_a_state_replay_too(replay):
    table = play_out(replay.game, {}, steps=20)
    half = Replay.of(table)
    assert half.result is None
    assert half.verify().state_hash() == table.state_hash()
    table.load_state_dict(table.state_dict())
    table.play(int(np.flatnonzero(table.mask)[0]))
    rest = Replay.of(table)
    assert len(rest.moves) == 1
    assert Replay.from_json(rest.to_json()).verify().state_hash() == table.state_hash()


def test_a_replay_is_of_its_own(replay):
    table = play_out(replay.game, {}, steps=3)
    table.load_state_dict(table.state_dict())
    before = Replay.of(table).to_json()
    Replay.of(table).start["state"]["seat"] = 99
    assert Replay.of(table).to_json() == before


def test_a_changed_action_seat_hash_or_result_is_found_at_its_step(replay):
    step = len(replay.moves) // 2
    for key, value in (("hash", "0" * 16), ("seat", 3), ("seat", True), ("action", "fly"), ("action", None), ("hash", None)):
        data = json.loads(replay.to_json())
        data["moves"][step][key] = value
        with pytest.raises(ReplayError, match=f"diverges at step {step}"):
            Replay.from_json(json.dumps(data)).verify()
    data = json.loads(replay.to_json())
    del data["moves"][step]
    with pytest.raises(ReplayError, match=f"diverges at step {step}"):
        Replay.from_json(json.dumps(data)).verify()
    data = json.loads(replay.to_json())
    data["result"]["scores"][0] += 1
    with pytest.raises(ReplayError, match="ends with"):
        Replay.from_json(json.dumps(data)).verify()


def twin_action(table):
    """Another legal action than the first of two that lead to the same position: (played, twin), or None."""
    seen, before = {}, table.state_bytes()
    for action in np.flatnonzero(table.mask).tolist():
        other = Table(table.game, table.options)
        other.load_state_bytes(before)
        other.play(action)
        if other.state_hash() in seen:
            return seen[other.state_hash()], action
        seen[other.state_hash()] = action
    return None


def test_an_action_changed_for_one_that_leads_to_the_same_position_is_found():
    """Of two equal cards in the hand one is exchanged: which one does not show in the position, but it is another move."""
    table = open_table(find("artisans"), {}, seed=1)
    while not (twins := twin_action(table)):
        table.play(int(np.flatnonzero(table.mask)[0]))
    step, (played, twin) = len(table.history), twins
    table.play(played)
    data = json.loads(Replay.of(table).to_json())
    data["moves"][step]["action"] = table.game.actions.names[twin]
    with pytest.raises(ReplayError, match=f"diverges at step {step}"):
        Replay.from_json(json.dumps(data)).verify()


def test_moves_left_out_at_the_end_are_found(replay):
    """Also of a game that was not over, where no result gives it away."""
    for recorded in (replay, Replay.of(play_out(replay.game, {}, steps=20))):
        data = json.loads(recorded.to_json())
        data["moves"], data["result"] = data["moves"][:-1], None
        with pytest.raises(ReplayError, match="are missing"):
            Replay.from_json(json.dumps(data)).verify()


@pytest.mark.parametrize("game_id", ["artisans", "murano"])
def test_options_that_do_not_show_in_a_state_are_covered(game_id):
    game = find(game_id)
    edition = next(variant["edition"] for variant in game.variants if "edition" in variant)
    data = json.loads(Replay.of(play_out(game, {"edition": edition}, steps=5)).to_json())
    cards = "object" if game_id == "artisans" else "creations"
    data["options"]["edition"][cards][3]["name"] = "Another name"
    with pytest.raises(ReplayError, match="diverges at its start"):
        Replay.from_json(json.dumps(data)).verify()


def test_a_result_of_another_kind_of_numbers_is_found(replay):
    data = json.loads(replay.to_json())
    data["result"]["returns"] = [bool(number) if number in (0, 1) else number for number in data["result"]["returns"]]
    with pytest.raises(ReplayError, match="are missing"):
        Replay.from_json(json.dumps(data)).verify()


def test_a_changed_start_is_found(replay):
    for key, value in (("seed", 77), ("index", 5), ("seed", -1), ("seed", None), ("seed", "2"), ("deal", {"nonsense": []})):
        data = json.loads(replay.to_json())
        data["start"][key] = value
        with pytest.raises(ReplayError, match="start"):
            Replay.from_json(json.dumps(data)).verify()
    data = json.loads(replay.to_json())
    data["start"] = {}
    with pytest.raises(ReplayError, match="cannot start"):
        Replay.from_json(json.dumps(data)).verify()


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "3", "{", '{"format": "cardtable replay 1"}', "\0", "[" * 100_000])
def test_a_text_that_is_no_replay_is_refused(text):
    with pytest.raises(ReplayError, match="not a replay"):
        Replay.from_json(text)


def test_other_versions_and_games_are_refused_by_name(replay):
    data = json.loads(replay.to_json())
    with pytest.raises(ReplayError, match="rules 99; installed: rules"):
        Replay.from_json(json.dumps({**data, "rules": 99}))
    for game in ("chess_v0", None, 3, []):
        with pytest.raises(ReplayError, match="cannot be played here"):
            Replay.from_json(json.dumps({**data, "game": game}))
    for key in ("options", "start", "start_hash", "moves", "end_hash"):
        with pytest.raises(ReplayError, match=key):
            Replay.from_json(json.dumps({**data, key: 3}))


def test_every_flipped_byte_of_a_replay_is_refused_or_harmless(replay):
    """A changed byte is found, except in the library's version, which does not bear on the game."""
    table = play_out(replay.game, {}, steps=5)
    replay = Replay.of(table)
    text = replay.to_json().encode()
    harmless = 0
    for place in range(len(text)):
        spoilt = bytearray(text)
        spoilt[place] ^= 1 << place % 7
        try:
            again = Replay.from_json(spoilt.decode("utf-8", errors="replace")).verify()
        except ReplayError:
            continue
        assert again.state_hash() == table.state_hash()
        assert Replay.of(again) == replay
        harmless += 1
    assert harmless < len(text) // 20


# ---- Files


def test_a_file_of_format_1_is_read_verified_and_written_anew(tmp_path):
    """Games that were saved before hashes made a chain are not lost."""
    old = Replay.load(FORMAT_1)
    end = old.verify()
    old.save(tmp_path / "new.json")
    new = Replay.load(tmp_path / "new.json")
    assert (old.format, new.format) == ("cardtable replay 1", "cardtable replay 2")
    assert new.verify().state_hash() == end.state_hash() == old.moves[-1]["hash"] != new.moves[-1]["hash"]
    assert [move["action"] for move in new.moves] == [move["action"] for move in old.moves]
    data = json.loads(FORMAT_1.read_text())
    with pytest.raises(ReplayError, match="not a replay"):
        Replay.from_json(json.dumps({**data, "format": "cardtable replay 2"}))
    with pytest.raises(ReplayError, match="not a replay"):
        Replay.from_json(json.dumps({**data, "end_hash": ""}))
    data["moves"][7]["hash"] = "0" * 16
    with pytest.raises(ReplayError, match="diverges at step 7"):
        Replay.from_json(json.dumps(data)).verify()


def test_a_byte_order_mark_is_read(tmp_path):
    (tmp_path / "game.json").write_bytes(b"\xef\xbb\xbf" + FORMAT_1.read_bytes())
    assert Replay.load(tmp_path / "game.json") == Replay.load(FORMAT_1)


def test_a_full_disk_leaves_the_earlier_replay(replay, tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "game.json"
    replay.save(path)
    shorter = Replay.of(play_out(replay.game, {}, steps=5))
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*game\.json'"):
        shorter.save(path)
    assert Replay.load(path) == replay
    assert [each.name for each in tmp_path.iterdir()] == ["game.json"]


def test_a_replay_that_cannot_be_saved_is_not_lost(replay, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    said = []
    with pytest.raises(
        ReplayError, match=r"could not be written to .*nowhere.*: No such file or directory; it was saved to "
    ) as caught:
        save_somewhere(replay, tmp_path / "nowhere" / "game.json", said.append)
    assert Replay.load(str(caught.value).rpartition("it was saved to ")[2]) == replay
    assert not said
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(ReplayError, match="it is printed above"):
        save_somewhere(replay, tmp_path / "nowhere" / "game.json", said.append)
    assert Replay.from_json("".join(said)) == replay


BIG = {"text": "x" * 10**6, "list": list(range(10**5)), "deep": json.loads("[" * 900 + "]" * 900), "dict": {"a" * 10**5: 1}}


@pytest.mark.parametrize("kind", BIG)
@pytest.mark.parametrize("key", [*KEYS[FORMAT], "seed", "index", "seat", "action", "hash"])
def test_a_value_of_any_size_gets_a_short_message(key, kind):
    data = json.loads(Replay.load(FORMAT_1).to_json())
    place = data["start"] if key in ("seed", "index") else data["moves"][3] if key in ("seat", "action", "hash") else data
    place[key] = BIG[kind]
    if key == "cardtable":
        return
    with pytest.raises(ReplayError) as caught:
        Replay.from_json(json.dumps(data)).verify()
    assert len(str(caught.value)) < 1000


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ReplayError, match=r"missing\.json: cannot be read: No such file or directory$"):
        Replay.load(tmp_path / "missing.json")
    (tmp_path / "latin.json").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(ReplayError, match=r"latin\.json: cannot be read"):
        Replay.load(tmp_path / "latin.json")


@pytest.mark.rules
@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*/*.json")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_golden_game(path: Path):
    """A recorded game of every variant plays just as it did when it was recorded."""
    Replay.load(path).verify()


def test_every_variant_has_a_golden_game():
    wanted = {path for path, *_ in golden_games()}
    assert wanted == set(GOLDEN.glob("*/*.json"))
