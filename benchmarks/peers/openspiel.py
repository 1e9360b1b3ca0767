"""OpenSpiel, driven from Python: recorded games played again, from `new_initial_state` to `returns`.

Timed at a decision: observation and mask written into numpy arrays, which is what a batch of ours hands out too; at a
chance node: the list of outcomes that somebody who samples needs. Choosing is left out on both sides.
"""

from collections.abc import Iterator
from functools import partial
from itertools import cycle
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.measure import Contestant, Row, Tally, Unit, if_installed
from benchmarks.turns import RECORDED

LIBRARY = "OpenSpiel"
GAMES = ("connect_four", "leduc_poker", "gin_rummy", "hearts", "backgammon", "hanabi")


def record(game: Any, seed: int) -> list[int]:
    """The actions of a random game, chance included."""
    generator = np.random.default_rng(seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(generator.choice(outcomes, p=chances)))
        else:
            state.apply_action(int(generator.choice(state.legal_actions())))
    return [int(action) for action in state.history()]


def observer(game: Any) -> Any:
    """What writes into an array what a player sees: the observation or, as hearts has none, the information state."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    one_player = pyspiel.PrivateInfoType.SINGLE_PLAYER
    history = pyspiel.IIGObservationType(public_info=True, perfect_recall=True, private_info=one_player)
    return make_observation(game) or make_observation(game, history)


def replays(name: str) -> Unit:
    """A recorded game played again."""
    import pyspiel

    game = pyspiel.load_game(name)
    view = observer(game)
    mask = np.zeros(game.num_distinct_actions(), np.int8)
    games = cycle([record(game, seed) for seed in range(RECORDED)])

    def play() -> Tally:
        actions, decisions = next(games), 0
        start = perf_counter()
        state = game.new_initial_state()
        for action in actions:
            player = state.current_player()
            if player >= 0:
                view.set_from(state, player)
                mask[:] = state.legal_actions_mask(player)
                decisions += 1
            else:
                state.chance_outcomes()
            state.apply_action(action)
        state.returns()
        return Tally(decisions, perf_counter() - start)

    return play


def contestants() -> Iterator[Contestant]:
    """A row for each game."""
    for name in GAMES:
        yield from if_installed(Row(f"{LIBRARY} {name}", LIBRARY, ours=False), partial(replays, name))
