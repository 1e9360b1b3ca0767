"""Searches that know more than they may: what they are told, and what stays unknown to them."""

import json

import numpy as np
import pytest
from cardtable_agents.players.search import SearchAgent

from benchmarks import limits
from benchmarks.belief import WeighingSearch, learn, pairs, picked
from benchmarks.knowing import ALL, HANDS, REORDER, KnowingSearch, OpenMatch
from cardtable.audit import fresh_games
from cardtable.engine.jit import as_games
from cardtable.game.registry import find, game_ids
from cardtable.table import Table

PILE = {"artisans_v0": "pile", "murano_v0": "deck", "muster_v0": "pile"}


@pytest.mark.parametrize("game_id", game_ids())
def test_what_no_seat_knows_is_drawn_anew_and_nothing_else(game_id):
    game = find(game_id)
    before = fresh_games(game, game.variants[0], 1, seed=3)
    after = as_games(np.repeat(np.asarray(before), 20))
    REORDER[game_id](after, np.uint64(5))
    table = Table(game, game.variants[0])
    orders = set()
    for number in range(len(after)):
        table.load_state_bytes(game.pack(after[number : number + 1]))  # refuses what is no position
        assert after["hand"][number].tolist() == before["hand"][0].tolist()
        size = int(after[f"{PILE[game_id]}_size"][number])
        pile = after[PILE[game_id]][number][:size].tolist()
        assert sorted(pile) == sorted(before[PILE[game_id]][0][:size].tolist())
        orders.add(tuple(pile))
    assert len(orders) > 10


@pytest.mark.parametrize("knows", [HANDS, ALL])
@pytest.mark.parametrize("game_id", game_ids())
def test_a_knowing_search_is_told_the_true_records(game_id, knows, monkeypatch):
    game = find(game_id)
    options = game.parse_options({})
    agent = KnowingSearch(game, options, "8", knows)
    match, told, true = OpenMatch(game, options, [agent] * options.num_players, 1, 0, 1), [], []
    act = agent.act

    def remember(views):
        told.append(np.asarray(agent.truth).tobytes())
        true.append(np.asarray(match._games.lanes.records).tobytes())
        return act(views)

    monkeypatch.setattr(agent, "act", remember)
    (played,) = match.play()
    assert told == true
    assert len(told) == sum(played.decisions)


def test_a_fair_search_at_the_same_table_is_told_nothing():
    game = find("muster")
    options = game.parse_options({})
    fair, knowing = SearchAgent(game, options, "8"), KnowingSearch(game, options, "8", HANDS)
    OpenMatch(game, options, [fair, knowing], seed=1, first=0, number=1).play()
    assert not hasattr(fair, "truth")


def test_answers_that_a_folder_holds_are_not_asked_again(tmp_path, capsys, monkeypatch):
    arguments = ["--games", "muster", "--quick", "--out", str(tmp_path)]
    limits.main(arguments)
    found = json.loads((tmp_path / "limits.json").read_text())
    assert {row["knows"] for row in found["rows"]} == {HANDS, ALL, limits.LIKELY, limits.KEPT, None}
    assert all(row["games"] == limits.QUICK_GAMES and 0 <= row["value"] <= 1 for row in found["rows"])
    monkeypatch.setattr(limits, "answer", lambda *_: pytest.fail("asked again"))
    limits.main([*arguments, "--parts", "weights"])  # the others stay
    limits.main(arguments)
    assert limits.THAT[HANDS] in capsys.readouterr().out
    assert json.loads((tmp_path / "limits.json").read_text())["rows"] == found["rows"]


def test_a_number_of_players_that_no_game_has_is_an_error(capsys):
    with pytest.raises(SystemExit):
        limits.main(["--games", "muster", "--players", "3"])
    assert "--players 3" in capsys.readouterr().err


def test_a_judge_learns_what_sets_true_from_redealt():
    draw = np.random.default_rng(1)
    redealt = draw.random((4000, 6), np.float32)
    true = redealt[draw.permutation(4000)].copy()
    true[:, 2] = np.sqrt(true[:, 2])  # twice as likely at 1 as it would be by chance: its density is 2x
    judge, right = learn(true, redealt, epochs=40)
    assert 0.6 < right < 0.72  # two thirds at best
    low, high = np.full((1, 6), 0.5, np.float32), np.full((1, 6), 0.5, np.float32)
    low[0, 2], high[0, 2] = 0.25, 0.9
    assert judge.log_ratios(high)[0] - judge.log_ratios(low)[0] == pytest.approx(np.log(0.9 / 0.25), abs=0.5)


def test_likely_worlds_are_picked_more_often():
    chosen = picked(np.log(np.array([1.0, 3.0, 0.0001, 4.0])), 80, 0.5)
    assert np.bincount(chosen, minlength=4).tolist() == [10, 30, 0, 40]


def test_redeals_are_all_that_a_weighing_search_needs_of_the_truth():
    game = find("muster")
    options = game.parse_options({})
    true, redealt = pairs(game, options, SearchAgent(game, options, "2"), 300, seed=1)
    assert true.shape == redealt.shape
    assert (true != redealt).any(axis=1).mean() > 0.9
    judge, _ = learn(true, redealt, epochs=1)
    agent = WeighingSearch(game, options, "8", judge)
    (played,) = OpenMatch(game, options, [agent, agent], seed=1, first=0, number=1).play()
    assert played.returns
