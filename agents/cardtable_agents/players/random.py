"""`random`: uniformly at random among the legal actions."""

import numpy as np

from cardtable.engine import random_play
from cardtable.game.game import ACTION
from cardtable.players.agent import Agent
from cardtable.players.views import Views
from cardtable.types import Actions


class RandomAgent(Agent):
    """Plays uniformly at random among the legal actions."""

    about = "uniformly at random among the legal actions"
    wants_records = False

    def act(self, views: Views) -> Actions:
        """One legal action for each view, drawn by its key."""
        actions = np.zeros(len(views), ACTION)
        random_play.choose_many(views.mask, (views.key >> np.uint64(11)) * 2.0**-53, actions)
        return actions
