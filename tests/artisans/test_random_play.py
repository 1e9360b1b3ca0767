"""Artisans on a large scale: what random games reach."""

import numpy as np
import pytest
from helpers import play_checked

from artisans_env.components import ARTISANS, BUILT_IN_EDITION
from artisans_env.env import GAME
from cardtable.audit import fresh_games, prepare

GAMES = 102_000


@pytest.mark.clause("ART-2.3", "ART-4.6")
def test_every_artisan_is_chosen_and_every_object_crafted():
    chosen, crafted = np.zeros(len(ARTISANS), int), np.zeros(len(BUILT_IN_EDITION.names()), int)
    prepare(GAME)
    for players in (2, 3, 4):
        for first in range(0, GAMES // 3, 2_000):
            games = fresh_games(GAME, {"num_players": players}, 2_000, seed=5, first=first)
            play_checked(GAME, games)
            chosen += np.bincount(games["artisan"][:, :players].ravel(), minlength=len(chosen))
            crafted += (games["maker"] >= 0).sum(axis=0)
    print(dict(zip(ARTISANS, chosen.tolist(), strict=True)))
    print(dict(zip(BUILT_IN_EDITION.names(), crafted.tolist(), strict=True)))
    assert chosen.min() > 0
    assert crafted.min() > 0
