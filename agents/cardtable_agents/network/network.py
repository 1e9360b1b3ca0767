"""`Network`: parameters and the last layer that follows from them. `Pass`: what one thread needs to run it and to learn."""

import numpy as np

from cardtable.engine.jit import compile_once
from cardtable.engine.rows import ACTION_ID, INPUT, Rows
from cardtable.engine.sums import COLUMNS
from cardtable.types import Actions, Counts, Floats
from cardtable_agents.network import kernels
from cardtable_agents.network.features import Features
from cardtable_agents.network.inputs import Inputs
from cardtable_agents.network.kernels import Choices, Head, Loss, Targets
from cardtable_agents.network.optimizer import Adam
from cardtable_agents.network.parameters import CHUNK, Shape, Vector
from cardtable_agents.network.products import FLOAT32, Product, make_product

APART = 16
"""Numbers by which a column's room is longer than a power of two: columns would otherwise compete for the same lines of the
cache."""


class Network:
    """The parameters, shared by all threads that use them."""

    def __init__(self, shape: Shape, parameters: Vector, features: Features) -> None:
        """`features`: as many as the shape has."""
        self.shape, self.parameters, self.features = shape, parameters, features
        self._weight: Floats = np.zeros((shape.actions, shape.layers[-1]), np.float32)
        self.refresh()

    @property
    def head(self) -> Head:
        """The last layer, with what actions share."""
        given = self.parameters
        return Head(self._weight, given["action.bias"], given["value.weight"], given["value.bias"], given["trust"])

    def refresh(self, actions: slice = slice(None)) -> None:
        """Bring the last layer up to date after the parameters have changed: all of it, or that of some actions."""
        groups, weight = self.features.of_action, self._weight[actions]
        weight[:] = self.parameters["action.weight"][actions]
        start = groups.start[actions.start or 0 :]
        kernels.add_all(self.parameters["feature.weight"], start, groups.member, groups.ones, weight)


class Pass:
    """Room for one thread's way through a network, forward and backward."""

    def __init__(self, network: Network, lanes: int, product: Product | None = None) -> None:
        """For `lanes` rows at once when playing, `CHUNK` when learning; products are in float32 unless one is given."""
        self.network, self.product = network, product or make_product(FLOAT32)
        shape, most = network.shape, max(lanes, CHUNK)
        self.gradient = Vector(shape)
        self.inputs = Inputs(shape.inputs, shape.layers[0], most)
        self.by_head: Floats = np.zeros((shape.actions, shape.layers[-1]), np.float32)
        """The gradient by the weights of each action, before it is shared among their features."""
        self.stats: Floats = np.zeros(kernels.STATS)
        self._units = [_floats(most, width) for width in shape.layers]
        self._slopes = [_floats(CHUNK, width) for width in shape.layers]
        self._product = [_floats(before, after) for before, after in zip(shape.layers, shape.layers[1:], strict=False)]
        self._by_value = _floats(shape.seats, CHUNK)
        self._every: Counts = np.arange(CHUNK)
        columns = max(shape.inputs, shape.actions)
        self._columns = (
            np.zeros(columns, np.int64),
            np.zeros((columns, CHUNK + APART), np.int16),
            _floats(columns, CHUNK + APART),
        )
        """Room for `add_transposed`."""
        self._new, self._by_logit = _floats(0), _floats(0)

    # ---- Forward

    def units(self, which: Counts, rows: Rows) -> list[Floats]:
        """All hidden layers for some rows."""
        given = self.network.parameters
        layers = [each[: len(which)] for each in self._units]
        self.inputs.forward(which, rows, given["input.weight"], given["input.bias"], layers[0])
        for number, layer in enumerate(layers[1:]):
            self.product(layers[number], given[f"hidden.{number}.weight"], layer)
            kernels.add_bias(layer, given[f"hidden.{number}.bias"])
        return layers

    def choose(self, which: Counts, rows: Rows, choices: Choices, actions: Actions) -> None:
        """Sample an action for rows that follow each other."""
        kernels.choose(int(which[0]), self.units(which, rows)[-1], self.network.head, rows, choices, actions)

    def value(self, which: Counts, rows: Rows, values: Floats) -> None:
        """Write the values of rows that follow each other."""
        kernels.value_many(int(which[0]), self.units(which, rows)[-1], self.network.head, values)

    # ---- Backward

    def learn(self, which: Counts, rows: Rows, choices: Choices, targets: Targets, loss: Loss, scale: float) -> None:
        """Add the gradient of the loss of some rows, times `scale`, to `gradient`."""
        for start in range(0, len(which), CHUNK):
            self._learn_chunk(which[start : start + CHUNK], rows, choices, targets, loss, scale)
        gradient, groups = self.gradient, self.network.features.of_feature
        kernels.add_to(gradient["action.weight"].reshape(-1), self.by_head.reshape(-1))
        kernels.add_all(self.by_head, groups.start, groups.member, groups.ones, gradient["feature.weight"])
        self.by_head[:] = 0

    def _learn_chunk(self, which: Counts, rows: Rows, choices: Choices, targets: Targets, loss: Loss, scale: float) -> None:
        network, gradient, given = self.network, self.gradient, self.network.parameters
        self._make_room(rows)
        layers = self.units(which, rows)
        slopes = [each[: len(which)] for each in self._slopes]
        by_head = Head(
            self.by_head, gradient["action.bias"], gradient["value.weight"], gradient["value.bias"], gradient["trust"]
        )
        kernels.head_gradient(
            which,
            layers[-1],
            network.head,
            rows,
            choices,
            targets,
            loss,
            np.float32(scale),
            self._new,
            self._by_logit,
            self._by_value,
            slopes[-1],
            by_head,
            self.stats,
        )
        kernels.add_values(self._by_value, layers[-1], self._every, gradient["value.weight"])
        kernels.add_transposed(which, rows.first_action, rows.action, self._by_logit, layers[-1], self.by_head, *self._columns)
        for number in reversed(range(len(layers) - 1)):
            name, out = f"hidden.{number}", self._product[number]
            kernels.add_columns(slopes[number + 1], gradient[f"{name}.bias"])
            self.product(layers[number].T, slopes[number + 1], out)
            kernels.add_to(gradient[f"{name}.weight"].reshape(-1), out.reshape(-1))
            self.product(slopes[number + 1], given[f"{name}.weight"].T, slopes[number])
            kernels.rectify_gradient(slopes[number], layers[number])
        kernels.add_columns(slopes[0], gradient["input.bias"])
        self.inputs.backward(slopes[0], gradient["input.weight"], self._columns)

    def _make_room(self, rows: Rows) -> None:
        """Room for what belongs to each legal action."""
        if len(self._new) < len(rows.action):
            self._new, self._by_logit = _floats(len(rows.action)), _floats(len(rows.action))


# ---- Compiling


def prepare() -> None:
    """Compile what networks are made of, if no cache has it yet."""
    compile_once("network", _compile, __name__)


def _compile() -> None:
    """Take a network of the smallest size once through everything."""
    shape = Shape(inputs=1, layers=(COLUMNS, COLUMNS), actions=2, seats=1)
    network = Network(shape, Vector(shape), Features.none(2))
    rows = Rows(
        np.array([0, 1]),
        np.zeros(1, INPUT),
        _floats(1),
        np.array([0, 2]),
        np.array([0, 1], ACTION_ID),
        np.zeros(1, np.int8),
        _floats(1),
    )
    choices = Choices(np.zeros(1, np.int16), _floats(2), _floats(1, 1), _floats(0))
    one, passes, adam = np.zeros(1, np.int64), Pass(network, 1), Adam(shape)
    twice = np.repeat(one, 2)  # of a single row, a matrix and its transpose lie in memory alike
    passes.choose(one, rows, choices, np.zeros(1, np.int64))
    passes.value(one, rows, choices.value)
    loss = Loss(np.float32(0), np.float32(0), np.float32(0), imitation=False)
    passes.learn(twice, rows, choices, Targets(_floats(1), _floats(1, 1), _floats(2)), loss, 1.0)
    kernels.move_to(passes.gradient.flat, passes.gradient.flat.copy())
    kernels.sum_of_squares(passes.gradient.flat)
    adam.begin_step()
    adam.step(slice(None), network.parameters, passes.gradient, 0.0, 1.0)


def _floats(*shape: int) -> Floats:
    return np.zeros(shape, np.float32)
