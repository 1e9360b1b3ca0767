"""OpenSpiel: random play by its states, driven from Python; and its PPO on its environments."""

import random
import time

import numpy as np
import pyspiel
import torch
from examples.libraries.openspiel_ppo import Tables, new_learner, share_of_wins, train

import cardtable.envs.openspiel  # noqa: F401  # registers the games
from benchmarks.libraries import Learned, Library

GAME = "cardtable_muster"
TABLES = 16
"""Games that are learned from side by side."""
EVALUATED = 400


def rate(seconds: float) -> float:
    """Decisions in random play: legal actions asked for, one of them played, whole games, deals included."""
    game, generator, decisions = pyspiel.load_game(GAME), random.Random(0), 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(generator.choice(state.chance_outcomes())[0])
            else:
                state.apply_action(generator.choice(state.legal_actions()))
                decisions += 1
    return decisions / (time.perf_counter() - start)


def learned(seconds: float) -> Learned:
    """PPO for Muster, against random play."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    np.random.seed(0)  # PPO shuffles with it
    game = pyspiel.load_game(GAME)
    learner, tables = new_learner(game, TABLES), Tables(game, TABLES, 1)
    before = share_of_wins(learner, Tables(game, TABLES, 2), EVALUATED)
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        train(learner, tables, 1)
    taken = time.perf_counter() - start
    return Learned(before, share_of_wins(learner, Tables(game, TABLES, 2), EVALUATED), EVALUATED, taken)


LIBRARY = Library("OpenSpiel", "open_spiel", 'pyspiel.load_game("cardtable_muster")', rate, learned)
