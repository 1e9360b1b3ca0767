"""Room for a rollout of one thread: rows of decisions, what was chosen, how games ended, what is to be learned."""

import numpy as np

from cardtable.engine.rows import ACTION_ID, INPUT, Ends, Rows
from cardtable.types import Array, Counts, Floats
from cardtable_agents.network.kernels import Choices, Targets

USED = 0.25
"""The share of an observation that is not zero, about, and the share of actions that are legal at most: room for so much is
made at first."""
GROWTH = 1.5


class Rollout:
    """`steps` decisions in each of `lanes` games, and the ones after the last, whose values are needed."""

    def __init__(
        self, lanes: int, steps: int, inputs: int, actions: int, seats: int, *, advised: bool, demonstrated: bool
    ) -> None:
        self.lanes, self.steps = lanes, steps
        self._inputs, self._actions = lanes * inputs, lanes * actions  # the most that the rows of one step can have
        number = (steps + 1) * lanes
        self.number = steps * lanes
        """Rows that are learned from."""
        entries, legal = int(number * inputs * USED) + self._inputs, int(number * actions * USED / 4) + self._actions
        self.rows = Rows(
            np.zeros(number + 1, np.int64),
            np.zeros(entries, INPUT),
            np.zeros(entries, np.float32),
            np.zeros(number + 1, np.int64),
            np.zeros(legal, ACTION_ID),
            np.zeros(number, np.int8),
            np.zeros(number, np.float32),
        )
        self.choices = Choices(
            np.zeros(number, np.int16), _floats(legal), _floats(number, seats), _floats(legal if advised else 0)
        )
        self.targets = Targets(_floats(number), _floats(number, seats), _floats(legal if demonstrated else 0))
        self.ends = Ends(np.zeros(number, np.bool_), _floats(number, seats), np.zeros(3, np.int64), _floats(seats))
        self.potential: Floats = _floats(number, seats)
        """The value of each position by the game's evaluation, for each seat, if rewards are shaped."""

    def which(self, step: int) -> Counts:
        """The rows of a step."""
        return np.arange(step * self.lanes, (step + 1) * self.lanes)

    def begin(self) -> None:
        """Forget how games ended."""
        self.ends.done[:] = False
        self.ends.counts[:] = 0

    def make_room(self, step: int) -> None:
        """Room for the rows of a step, however full they are."""
        rows, first = self.rows, step * self.lanes
        wanted = int(rows.first_input[first]) + self._inputs
        if wanted > len(rows.input):
            self.rows = rows = rows._replace(input=_longer(rows.input, wanted), value=_longer(rows.value, wanted))
        wanted = int(rows.first_action[first]) + self._actions
        if wanted > len(rows.action):
            self.rows = rows._replace(action=_longer(rows.action, wanted))
            choices, targets = self.choices, self.targets
            self.choices = choices._replace(
                log_probability=_longer(choices.log_probability, wanted), advice=_longer(choices.advice, wanted)
            )
            self.targets = targets._replace(probability=_longer(targets.probability, wanted))


def _floats(*shape: int) -> Floats:
    return np.zeros(shape, np.float32)


def _longer(array: Array, wanted: int) -> Array:
    """A longer array that begins as this one; one that is not used stays empty."""
    if not len(array):
        return array
    longer = np.zeros(int(wanted * GROWTH), array.dtype)
    longer[: len(array)] = array
    return longer
