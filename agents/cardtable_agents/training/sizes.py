"""How many bytes a run needs, about: to refuse before it begins what cannot be."""

import os
from collections.abc import Sequence
from itertools import pairwise

from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable_agents.network.parameters import CHUNK

FLOAT = 4
"""Bytes of a number of a network or of a rollout."""
USED = 0.5
"""What a sparse row takes of a dense one: it holds only what is not 0, an index and a value each."""


def memory() -> int:
    """Bytes of memory of this machine; 0 if the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 0


def policy_bytes(layers: Sequence[int], game: Game) -> int:
    """The weights of a policy."""
    sizes = [game.layout.size, *layers, game.actions.size]
    return FLOAT * sum((inputs + 1) * outputs for inputs, outputs in pairwise(sizes))


def rollout_bytes(layers: Sequence[int], games: int, rollout: int, threads: int, game: Game, *, dense: bool) -> int:
    """What is played and learned from, in all threads."""
    inputs, actions = game.layout.size, game.actions.size
    rows = int((rollout + games) * (1.0 if dense else USED) * FLOAT * (inputs + actions))
    shown_at_once = FLOAT * (2 * inputs + 3 * actions + sum(layers)) + 2 * game.state.dtype.itemsize
    gradients = 2 * policy_bytes(layers, game) + CHUNK * 2 * FLOAT * (max(inputs, actions) + sum(layers))
    return rows + games * shown_at_once + threads * gradients


def evaluation_bytes(games: int, game: Game, options: Options) -> int:
    """The games of an evaluation in which the policy has one seat: they are played side by side."""
    each = FLOAT * (game.layout.size + game.actions.size) + 2 * game.state.dtype.itemsize
    return games // options.num_players * each
