"""What is a seat's goes to that seat: rewards, infos, moves. Compared with the references, which share no code with us."""

from typing import Any

import numpy as np
import pytest
from helpers import VARIANTS, choice, variant_id

from cardtable.envs import aec
from cardtable.envs.batch import BatchEnv
from cardtable.game.registry import find, game_ids
from cardtable.table import Table
from tools.reference.base import player
from tools.reference.differ import reference_of

GAMES = 12
SECRET = {"num_players": 3, "draft": True}
"""Murano's draft is chosen in secret."""


def played(game: Any, options: dict[str, Any], seed: int) -> aec.TableEnv:
    """An environment whose game is over; all agents are still there."""
    env = aec.TableEnv(game, **options)
    env.reset(seed=seed)
    while not env.table.ending:
        env.step(choice(env.table.mask, seed, len(env.table.history)))
    return env


def results(env: aec.TableEnv) -> tuple[list[float], list[int]]:
    """Returns and scores by seat, as the reference finds them in the readable state."""
    reference = reference_of(env.table.game)(env.state_dict())
    scores = reference.scores()
    return reference.returns(scores), scores


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_every_agent_is_paid_its_own_return_and_told_its_own_score(game_id, options):
    told_apart = 0
    for seed in range(GAMES):
        env = played(find(game_id), options, seed)
        returns, scores = results(env)
        told_apart += returns != returns[1:] + returns[:1] and scores != scores[1:] + scores[:1]
        for seat, agent in enumerate(env.possible_agents):
            assert agent == player(seat)
            assert env.rewards[agent] == pytest.approx(returns[seat])
            assert env.infos[agent]["score"] == env.summary(agent)["score"] == scores[seat]
        for agent in env.agent_iter():
            _, reward, _, _, info = env.last()
            seat = env.possible_agents.index(agent)
            assert reward == pytest.approx(returns[seat])
            assert info["score"] == scores[seat]
            env.step(None)
    if env.table.players > 1:
        assert told_apart, "too few games in which the seats fare differently"


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_every_lane_of_a_batch_is_paid_by_seat(game_id, options):
    game, lanes = find(game_id), 4
    batch = BatchEnv(game, lanes, seed=7, **options)
    tables = [Table(game, batch.options) for _ in range(lanes)]
    for lane, table in enumerate(tables):
        table.deal(7, lane)
    ended: set[int] = set()
    for step in range(5_000):
        actions = np.array([choice(mask, lane, step) for lane, mask in enumerate(batch.frame.action_mask)])
        frame = batch.step(actions)
        for lane in set(range(lanes)) - ended:
            tables[lane].play(int(actions[lane]))
            if tables[lane].ending:
                reference = reference_of(game)(tables[lane].state_dict())
                scores = reference.scores()
                assert frame.scores[lane].tolist() == scores
                assert frame.rewards[lane].tolist() == pytest.approx(reference.returns(scores))
                ended.add(lane)
        if len(ended) == lanes:
            return
    raise AssertionError("the games do not end")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_infos_of_artisans_are_of_the_agents_own_cards(players):
    for seed in range(GAMES):
        env = played(find("artisans"), {"num_players": players}, seed)
        state = env.state_dict()
        crafted = [[name for name, maker in state["maker"].items() if maker == agent] for agent in env.possible_agents]
        for seat, agent in enumerate(env.possible_agents):
            developed = sum(number for levels in state["developed"][agent].values() for number in levels.values())
            assert env.infos[agent]["developed_cards"] == developed
            summary = env.summary(agent)
            assert sorted(summary["crafted"]) == sorted(crafted[seat])
            assert summary["artisan"] == state["artisan"][agent]


@pytest.mark.parametrize("options", [{}, {"num_players": 3, "max_rounds": 8}, {"num_players": 4, "grandmaster": True}], ids=str)
def test_infos_of_murano_are_of_the_agents_own_cards(options):
    for seed in range(GAMES):
        env = played(find("murano"), options, seed)
        state = env.state_dict()
        for agent in env.possible_agents:
            assert env.infos[agent]["lira"] == state["lira"][agent]
            assert env.infos[agent]["cards_left"] == len(state["hand"][agent])
            assert env.summary(agent)["works"] == state["works"][agent]


# ---- Who moved


def told(table: Table) -> list[list[str]]:
    """The moves as each seat is told them."""
    return [table.moves_seen_by(seat) for seat in range(table.players)]


def dealt(game: Any, options: dict[str, Any], index: int) -> Table:
    table = Table(game, game.parse_options(options))
    table.deal(3, index)
    return table


@pytest.mark.parametrize("again", ["reset", "load_state_dict", "load_state_bytes"])
@pytest.mark.parametrize("game_id", game_ids())
def test_after_another_reset_the_moves_are_those_of_the_new_game(game_id, again):
    game = find(game_id)
    options = SECRET if game_id == "murano_v0" else {}
    env, fresh = aec.TableEnv(game, render_mode="ansi", **options), dealt(game, options, 1)
    env.reset(seed=3)
    for step in range(11):
        env.step(choice(env.table.mask, 5, step))
    if again == "reset":
        env.reset()
    else:
        getattr(env, again)(fresh.state_dict() if again == "load_state_dict" else fresh.state_bytes())
    assert told(env.table) == [[]] * env.table.players
    for step in range(11):
        action = choice(env.table.mask, 9, step)
        env.step(action)
        fresh.play(action)
        assert told(env.table) == told(fresh)
        assert (env.render(), env.table.movers) == (fresh.text(), fresh.movers)
    if options:
        assert len({tuple(moves) for moves in told(fresh)}) == env.table.players
