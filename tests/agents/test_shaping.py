"""Reward shaping: moves are rewarded early, and what is best stays the same."""

import numpy as np
import pytest
from cardtable_agents.training.shaping import Potential, ShapedRewards

from cardtable.envs.sb3 import LearnerVecEnv
from cardtable.game.registry import find
from cardtable.players.pool import RandomOpponents

TABLES = [("muster", {}), ("artisans", {"num_players": 3}), ("murano", {"num_players": 1})]


@pytest.mark.parametrize(("game_id", "options"), TABLES, ids=str)
@pytest.mark.parametrize("weight", [0.0, 0.5])
def test_the_rewards_of_a_game_add_up_to_its_return_less_the_value_of_its_first_position(game_id, options, weight):
    game = find(game_id)
    games = LearnerVecEnv(game, 6, RandomOpponents(1), 1, **options)
    env = ShapedRewards(games, games, Potential(game, game.parse_options(options), weight))
    env.reset()
    first, paid, ended, moves_paid = env.potential, np.zeros(6), 0, 0
    while ended < 12:
        _, rewards, dones, infos = env.step(games.action_masks().argmax(axis=1))
        paid += rewards
        moves_paid += np.count_nonzero(rewards[~dones])
        for lane in np.flatnonzero(dones):
            assert paid[lane] == pytest.approx(infos[lane]["episode"]["r"] - first[lane], abs=1e-5)
            first[lane], paid[lane], ended = env.potential[lane], 0, ended + 1
    assert (moves_paid > 50) == (weight > 0)


def test_the_potential_is_the_value_of_the_seat_times_the_weight():
    game = find("muster")
    games = LearnerVecEnv(game, 8, RandomOpponents(1), 1)
    games.reset()
    half, whole = (Potential(game, game.parse_options({}), weight) for weight in (0.5, 1.0))
    values = whole.of(games.records(), games.seats)
    assert np.ptp(values) > 0
    assert half.of(games.records(), games.seats) == pytest.approx(values / 2)
    assert whole.of(games.records(), 1 - games.seats) == pytest.approx(-values)  # two players: what one gains the other loses
