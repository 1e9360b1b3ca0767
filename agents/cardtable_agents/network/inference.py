"""A network that looks at one position at a time: what a tree search asks at every new node. Compiled, without PyTorch.

Only inputs and hidden units that are not zero are looked at, and of the last layer only the rows of legal actions. Numbers are
float32 and each position is computed by itself, so the result does not depend on what else is computed.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cardtable.engine.jit import float_kernel, helper
from cardtable.engine.rows import ACTION_ID, INPUT, Rows, write_rows
from cardtable.engine.sums import COLUMNS, add_rows
from cardtable.types import Actions, Counts, Floats, Integers, Observation, Records
from cardtable_agents.network.kernels import Head, copy, input_layer, log_probabilities, rectify, write_values


class Inference(NamedTuple):
    """The weights of a network, laid out to be summed row by row, and scratch for one position.

    Layers are as wide as the widest of them, the first one apart; weights of units that there are not are 0. A network with one
    hidden layer has L = 0.
    """

    input_weight: Floats
    """float32 (D, I)."""
    input_bias: Floats
    """float32 (I,)."""
    hidden_weight: Floats
    """float32 (L, max(I, H), H): of the hidden layers after the first."""
    hidden_bias: Floats
    """float32 (L, H)."""
    head: Head
    """The last layer: (A, H), or (A, I) if L = 0."""
    rows: Rows
    """Scratch: one row."""
    which: Counts
    """int64 (1,): 0, the number of that row."""
    dense: Observation
    """Scratch: float32 (D,)."""
    first: Floats
    """Scratch: float32 (1, I), the units of the first hidden layer."""
    hidden: Floats
    """Scratch: float32 (L, H), those of the others."""
    unit: Integers
    """Scratch: int16, which units of a layer are not zero."""
    strength: Floats
    """Scratch: float32, these units."""
    log_probability: Floats
    """float32 (A,): what was inferred of each legal action, in the order of `legal`."""
    value: Floats
    """float32 (P,): what was inferred of the seat to act, then of those after it."""
    advice: Floats
    """float32 (0,): nobody's."""


def new_inference(layers: Sequence[tuple[Floats, Floats]], value: tuple[Floats, Floats]) -> Inference:
    """A network with at least one hidden layer, and its value head: weights (outputs, inputs) and biases (outputs,) of each."""
    (first, first_bias), *others, (last, last_bias) = layers
    inputs, actions = first.shape[1], len(last_bias)
    width = _padded(len(first_bias))
    most = max((_padded(len(bias)) for _, bias in others), default=width)
    widest = max(width, most)
    return Inference(
        input_weight=_put(first.T, inputs, width),
        input_bias=_put(first_bias, width),
        hidden_weight=np.array([_put(weight.T, widest, most) for weight, _ in others]).reshape(-1, widest, most),
        hidden_bias=np.array([_put(bias, most) for _, bias in others]).reshape(-1, most),
        head=Head(
            _put(last, actions, most),
            _put(last_bias, actions),
            _put(value[0], len(value[1]), most),
            _put(value[1], len(value[1])),
            trust=_floats(0),
        ),
        rows=_one_row(inputs, actions),
        which=np.zeros(1, np.int64),
        dense=_floats(inputs),
        first=_floats(1, width),
        hidden=_floats(len(others), most),
        unit=np.zeros(widest + 1, np.int16),
        strength=_floats(widest + 1),
        log_probability=_floats(actions),
        value=_floats(len(value[1])),
        advice=_floats(0),
    )


def _one_row(inputs: int, actions: int) -> Rows:
    """Room for one row."""
    ends, seat = np.zeros(2, np.int64), np.zeros(1, np.int8)
    return Rows(
        ends, np.zeros(inputs + 1, INPUT), _floats(inputs + 1), ends.copy(), np.zeros(actions, ACTION_ID), seat, _floats(1)
    )


def _padded(width: int) -> int:
    """The width of a matrix that rows are summed of."""
    return -(-width // COLUMNS) * COLUMNS


def _put(numbers: Floats, *shape: int) -> Floats:
    """Numbers as float32 in an array that may be larger, with zeros behind them."""
    found = _floats(*shape)
    found[tuple(map(slice, numbers.shape))] = numbers
    return found


def _floats(*shape: int) -> Floats:
    return np.zeros(shape, np.float32)


@helper
def gather_positive(units: Floats, unit: Integers, strength: Floats) -> int:
    """Write which of some rectified units are not zero, and how strong they are; return how many."""
    count = 0
    for each in range(units.shape[0]):
        unit[count] = each
        strength[count] = units[each]
        count += 1 if units[each] > 0 else 0
    return count


@float_kernel
def infer(games: Records, network: Inference, actions: Actions) -> None:
    """Write the log probability of each legal action of the first game, and the value for each seat; `actions` is scratch.

    Afterwards `actions` holds the legal actions.
    """
    write_rows(games, 0, np.uint64(0), network.rows, network.dense, actions)
    input_layer(network.which, network.rows, network.input_weight, network.input_bias, network.first)
    units = network.first[0]
    for number in range(network.hidden.shape[0]):
        count = gather_positive(units, network.unit, network.strength)
        units = network.hidden[number]
        copy(network.hidden_bias[number], units)
        add_rows(units, network.hidden_weight[number], network.unit, network.strength, 0, count)
        rectify(units)
    log_probabilities(units, 0, network.head, network.rows, network.advice, network.log_probability)
    write_values(units, network.head, network.value)
