"""Networks that have learned nothing, for tests of what plays by one."""

from itertools import pairwise

import numpy as np
from cardtable_agents.players import policy
from cardtable_agents.players.policy import Policy


def network(game, players, widths=(64,), seed=0):
    """A policy that has learned nothing, with a value for each seat."""
    generator = np.random.default_rng(seed)
    sizes = [game.layout.size, *widths, game.actions.size]
    layers = [(generator.normal(size=(out, into)) / np.sqrt(into), generator.normal(size=out)) for into, out in pairwise(sizes)]
    return Policy(layers, value=(generator.normal(size=(players, sizes[-2])) / 20, generator.normal(size=players) / 5))


def saved(folder, game, found):
    """The file that a policy was saved to."""
    path = folder / "policy.safetensors"
    policy.save(path, game, found, {})
    return path
