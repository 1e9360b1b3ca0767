"""Replays: they verify, or are refused with the step where they diverge. Golden games still verify."""

import json
from pathlib import Path

import numpy as np
import pytest
from helpers import VARIANTS, choice, open_table, variant_id
from make_golden import GOLDEN, golden_games

from cardtable.errors import ReplayError
from cardtable.registry import find, game_ids
from cardtable.replay import Replay


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
    with pytest.raises(ReplayError, match="rules 99; installed are rules"):
        Replay.from_json(json.dumps({**data, "rules": 99}))
    for game in ("chess_v0", None, 3, []):
        with pytest.raises(ReplayError, match="cannot be played here"):
            Replay.from_json(json.dumps({**data, "game": game}))
    for key in ("options", "start", "start_hash", "moves"):
        with pytest.raises(ReplayError, match=key):
            Replay.from_json(json.dumps({**data, key: 3}))


def test_every_flipped_byte_of_a_replay_is_refused_or_harmless(replay):
    """A changed byte is found, except in the library's version, which does not bear on the game."""
    replay = Replay.of(play_out(replay.game, {}, steps=5))
    text = replay.to_json().encode()
    harmless = 0
    for place in range(len(text)):
        spoilt = bytearray(text)
        spoilt[place] ^= 1 << place % 7
        try:
            again = Replay.from_json(spoilt.decode("utf-8", errors="replace")).verify()
        except ReplayError:
            continue
        assert again.state_hash() == replay.moves[-1]["hash"]
        harmless += 1
    assert harmless < len(text) // 20


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ReplayError, match=r"missing\.json: cannot be read"):
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
