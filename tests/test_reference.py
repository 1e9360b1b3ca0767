"""Engine and references side by side: they agree, the check finds planted errors, and the references stand alone."""

import ast
import pickle
import re
import sys
from pathlib import Path
from random import Random

import pytest
from helpers import VARIANTS, variant_id

from cardtable.game.registry import find, game_ids
from cardtable.replay import Replay
from tools.prove import main
from tools.reference.artisans import Artisans
from tools.reference.differ import SHARD_GAMES, Difference, Duel, Seeker, prove
from tools.reference.murano import Murano
from tools.reference.muster import Muster

DECISIONS = 3_000
"""Compared for each game; `make proof` compares many more."""
SEED = 20
FOLDER = Path(__file__).parent / "reference"
NAMES = [game_id.rpartition("_v")[0] for game_id in game_ids()]


@pytest.mark.proof
@pytest.mark.parametrize("name", NAMES)
def test_engine_and_reference_agree_at_every_decision(name, sized):
    *_, proof = prove(find(name), sized(DECISIONS), SEED)
    print(f"{name}: {proof.games:,} games, {proof.decisions:,} decisions compared, no difference")
    assert proof.decisions >= sized(DECISIONS)
    assert proof.games == sum(proof.endings.values())


def test_what_is_compared_does_not_depend_on_the_number_of_workers():
    """Two processes play the games that one plays."""
    game = find("muster")
    *_, alone = prove(game, 9_000, SEED, workers=1)
    *_, together = prove(game, 9_000, SEED, workers=2)
    assert alone == together
    assert alone.games > SHARD_GAMES


def test_a_difference_found_by_a_worker_comes_home():
    """With its replay, through a pickle."""
    game = find("muster")
    table = Duel(game, {}).table
    table.deal(1)
    found = pickle.loads(pickle.dumps(Difference("they differ", Replay.of(table).to_json())))
    assert str(found) == "they differ"
    assert found.replay.verify().state_hash() == table.state_hash()


@pytest.mark.parametrize("name", NAMES)
def test_twisted_games_are_positions_that_the_engine_takes(name):
    """Otherwise the search for rare events would quietly search nothing."""
    game, taken = find(name), 0
    for options in game.variants:
        duel = Duel(game, options)
        duel.deal(SEED, 0)
        before = duel.table.state_hash()
        duel.twist(Random(SEED))
        taken += duel.table.state_hash() != before
    assert taken >= len(game.variants) // 2


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_positions_of_real_games_keep_what_the_reference_says_that_they_keep(game_id, options, sized):
    """Forged states are judged by that."""
    duel, player = Duel(find(game_id), options), Seeker(find(game_id), f"{SEED}")
    for index in range(sized(1)):
        duel.deal(SEED, index)
        player.begin()
        while not duel.table.ending:
            duel.play(player.choose(duel.table, duel.legal))
            assert duel.reference.faults_of_position() == []


@pytest.mark.parametrize("name", [path.stem for path in FOLDER.glob("*.py") if path.stem != "differ"])
def test_references_import_nothing_of_the_engine(name):
    for node in ast.walk(ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))):
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert all(module == "reference.base" or module.partition(".")[0] in sys.stdlib_module_names for module in modules)


PLANTED = [
    (Muster, "fits_on", lambda game, top, strength: top <= strength),  # 4.1d and 7.2 forgotten
    (Muster, "bridges_in", lambda game, side, castle: []),  # Bridges cannot be swapped
    (Muster, "enter_hand_seen", lambda game, card: game.hand.update({card: game.hand.get(card, 0) + 1})),  # not remembered
    (Muster, "worth", lambda game, side, castle: (len(game.column(side, castle)), 0)),  # cards, not strength, win
    (Muster, "faults_of_deal", lambda game: ["planted"]),
    (Artisans, "room_above", lambda game, material: 6),  # a level takes any number
    (Artisans, "close_market", lambda game: None),  # the market stays open
    (Artisans, "bonus", lambda game, owner, objects: 0),  # artisans are worth nothing
    (Artisans, "finished", lambda game: game.state.update(phase="over")),  # only one player finishes
    (Murano, "take_is_complete", lambda game, owner: game.back_to_the_turn()),  # a Workbench without limit
    (Murano, "connected", lambda game, market: [game.segment_at(3 * market + at) for at in (1, 2, 3)]),  # segments shifted
    (Murano, "can_use_magician", lambda game: False),
    (Murano, "solo_return", lambda game: 1.0),
    (Murano, "unlimited", lambda game: True),  # never cut off
]


@pytest.mark.parametrize(("reference", "method", "wrong"), [row for row in PLANTED if row[0].name in NAMES])
def test_a_planted_error_is_found_and_written_down_as_a_replay(reference, method, wrong, monkeypatch):
    monkeypatch.setattr(reference, method, wrong)
    with pytest.raises(Difference) as caught:
        for _ in prove(find(reference.name), 60_000, SEED):
            pass
    replay = Replay.from_json(caught.value.replay.to_json())
    replay.verify()
    assert len(replay.moves) <= 1
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("engine and reference differ: ")
    assert len(lines) > 1


def test_the_smallest_replay_shows_the_difference_again(monkeypatch):
    monkeypatch.setattr(Muster, "bridges_in", lambda game, side, castle: [])
    with pytest.raises(Difference) as caught:
        for _ in prove(find("muster"), 60_000, SEED):
            pass
    replay = caught.value.replay
    duel = Duel(replay.game, replay.options)
    duel.load(replay.start["state"])
    with pytest.raises(Difference, match="only the engine allows"):
        duel.play(replay.game.actions.id_of(replay.moves[0]["action"]))


def test_prove_counts_decisions_and_clauses(capsys):
    assert main(["muster", "--decisions", "300", "--seed", "2", "-o", "streamlined=true"]) == 0
    out = capsys.readouterr().out
    assert "no difference" in out
    assert re.search(r"\b3\d\d  streamlined=True\n", out)
    assert re.search(r"MUS-7.1 +[1-9]", out)


def test_prove_says_which_clauses_never_came_up(capsys):
    """Of games without its option, a clause of that option."""
    assert main(["muster", "--decisions", "300", "--every-clause", "-o", "streamlined=false"]) == 2
    assert re.search(r"clauses that never came up: .*MUS-7\.2", capsys.readouterr().err)


def test_prove_writes_the_replay_of_a_difference(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(Muster, "scores", lambda game: [9, 9])
    file = tmp_path / "difference.json"
    assert main(["muster", "--decisions", "10", "--replay", str(file)]) == 2
    assert "scores: the engine has" in capsys.readouterr().err
    Replay.load(file).verify()
