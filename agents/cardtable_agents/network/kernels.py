"""The kernels of a network: from rows to a choice, from a loss back to gradients, and Adam.

Shapes: n rows at once, H units of the last hidden layer, P seats. `which` names the rows; what belongs to the legal actions
of a row lies where the ids of these actions lie in `rows.action`.
"""

from typing import Any, NamedTuple

import numpy as np

from cardtable.engine.jit import float_helper, float_kernel, helper, kernel, unsigned
from cardtable.engine.prefetch import fetch_row
from cardtable.engine.rows import Rows
from cardtable.engine.sums import add_rows
from cardtable.types import Actions, Counts, Floats, Integers

Scalar = float | np.floating[Any]
"""A number; float32 in compiled code."""
ZERO, ONE = np.float32(0), np.float32(1)
LOWEST = np.float32(-1e30)
AHEAD = 3
"""How many rows before it is needed a row is asked for."""

ENTROPY, KL, VALUE_ERROR, CLIPPED, AGREED, LEARNED = range(6)
"""Sums over the rows of an update, in the order of `stats`."""
STATS = 6


class Head(NamedTuple):
    """The last layer."""

    weight: Floats
    """float32 (A, H): of each action, what it shares with others included."""
    bias: Floats
    """float32 (A,)."""
    value_weight: Floats
    """float32 (P, H)."""
    value_bias: Floats
    """float32 (P,)."""
    trust: Floats
    """float32 (1,): what scores of an adviser are multiplied by; (0,) without one."""


class Choices(NamedTuple):
    """What was chosen in each row, and what the network thought of it."""

    pick: Integers
    """int16 (m,): which of the legal actions was played, counted from 0."""
    log_probability: Floats
    """float32, for each legal action of each row."""
    value: Floats
    """float32 (m, P): of the seat to act, then of those after it."""
    advice: Floats
    """float32, for each legal action of each row: the adviser's score; (0,) without one."""


class Targets(NamedTuple):
    """What a row teaches."""

    advantage: Floats
    """float32 (m,): of the action that was played."""
    outcome: Floats
    """float32 (m, P): what the values should have been."""
    probability: Floats
    """float32, for each legal action of each row: what a teacher would play; used by imitation."""


class Loss(NamedTuple):
    """What the parts of the loss weigh."""

    clip: np.float32
    entropy: np.float32
    value: np.float32
    imitation: bool
    """Cross-entropy with `Targets.probability` in place of PPO's loss."""


# ---- Forward


@float_kernel
def input_layer(which: Counts, rows: Rows, weight: Floats, bias: Floats, out: Floats) -> None:
    """The first hidden layer: only inputs that are not zero are looked at."""
    for i in range(which.shape[0]):
        fetch_entries(which, i + AHEAD, rows.first_input, rows.input, rows.value)
        first = rows.first_input[which[i]]
        copy(bias, out[i])
        add_rows(out[i], weight, rows.input, rows.value, first, rows.first_input[which[i] + 1] - first)
        rectify(out[i])


@kernel
def split_inputs(
    which: Counts, rows: Rows, place: Counts, dense: Floats, first: Counts, column: Integers, value: Floats
) -> None:
    """Write the common inputs of some rows into a matrix, and the entries of the others one row after the other.

    `place` says to which column of the matrix an input belongs: those that are not common to the last one, which is not used.
    """
    common = dense.shape[1] - 1
    for i in range(which.shape[0]):
        fetch_entries(which, i + AHEAD, rows.first_input, rows.input, rows.value)
        dense[i] = ZERO
        at = first[i]
        for k in range(rows.first_input[which[i]], rows.first_input[which[i] + 1]):
            to = place[unsigned(rows.input[k])]
            dense[i, unsigned(to)] = rows.value[k]
            column[unsigned(at)] = rows.input[k]
            value[unsigned(at)] = rows.value[k]
            at += 1 if to == common else 0
        first[i + 1] = at


@float_kernel
def add_inputs(first: Counts, column: Integers, value: Floats, weight: Floats, bias: Floats, out: Floats) -> None:
    """Finish the first hidden layer, which holds what common inputs bring: entries of the others, bias, rectified units."""
    for i in range(out.shape[0]):
        add_rows(out[i], weight, column, value, first[i], first[i + 1] - first[i])
        for unit in range(bias.shape[0]):
            out[i, unit] += bias[unit]
        rectify(out[i])


@kernel
def copy_rows(which: Counts, matrix: Floats, out: Floats) -> None:
    """Write row which[i] of a matrix for each i."""
    for i in range(which.shape[0]):
        copy(matrix[which[i]], out[i])


@kernel
def add_to_rows(which: Counts, numbers: Floats, out: Floats) -> None:
    """out[which[i]] += numbers[i], row by row."""
    for i in range(which.shape[0]):
        for each in range(numbers.shape[1]):
            out[which[i], each] += numbers[i, each]


@helper
def fetch_entries(which: Counts, i: int, first: Counts, column: Integers, weight: Floats) -> None:
    """Ask for the entries of row which[i], if there is one: rows of a minibatch lie anywhere in a rollout."""
    if i < which.shape[0]:
        start = first[which[i]]
        number = first[which[i] + 1] - start
        fetch_row(column, start, column.itemsize * number)
        fetch_row(weight, start, weight.itemsize * number)


@helper
def copy(numbers: Floats, out: Floats) -> None:
    """out = numbers, of two flat arrays."""
    for each in range(numbers.shape[0]):
        out[each] = numbers[each]


@helper
def rectify(units: Floats) -> None:
    """Rectified linear units; NaN stays NaN, so that it is noticed."""
    for unit in range(units.shape[0]):
        units[unit] = ZERO if units[unit] < ZERO else units[unit]


@float_kernel
def add_bias(layer: Floats, bias: Floats) -> None:
    """A hidden layer after its matrix product."""
    for i in range(layer.shape[0]):
        for unit in range(bias.shape[0]):
            layer[i, unit] += bias[unit]
        rectify(layer[i])


@float_helper
def dot(one: Floats, two: Floats) -> Scalar:
    """The sum of products."""
    total: Scalar = ZERO
    for unit in range(one.shape[0]):
        total += one[unit] * two[unit]
    return total


@float_helper
def log_probabilities(units: Floats, row: int, head: Head, rows: Rows, advice: Floats, out: Floats) -> None:
    """Write the logarithm of the probability of each legal action of a row."""
    start, stop = rows.first_action[row], rows.first_action[row + 1]
    top = LOWEST
    for k in range(start, stop):
        action = rows.action[k]
        logit = dot(head.weight[action], units) + head.bias[action]
        if head.trust.shape[0] > 0:
            logit += head.trust[0] * advice[k]
        out[k] = logit
        top = max(top, logit)
    total = ZERO
    for k in range(start, stop):
        total += np.exp(out[k] - top)
    norm = top + np.log(total)
    for k in range(start, stop):
        out[k] -= norm


@float_kernel
def choose(first_row: int, units: Floats, head: Head, rows: Rows, choices: Choices, actions: Actions) -> None:
    """Sample an action in row `first_row` + i for each i by the row's own chance; note probabilities and values."""
    for i in range(units.shape[0]):
        row = first_row + i
        log_probabilities(units[i], row, head, rows, choices.advice, choices.log_probability)
        start, stop = rows.first_action[row], rows.first_action[row + 1]
        pick, passed = 0, ZERO
        while pick < stop - start - 1:
            passed += np.exp(choices.log_probability[start + pick])
            if passed > rows.chance[row]:
                break
            pick += 1
        choices.pick[row] = pick
        actions[i] = rows.action[start + pick]
        write_values(units[i], head, choices.value[row])


@float_helper
def write_values(units: Floats, head: Head, values: Floats) -> None:
    """The value for each seat, the one to act first."""
    for seat in range(values.shape[0]):
        values[seat] = dot(head.value_weight[seat], units) + head.value_bias[seat]


@float_kernel
def value_many(first_row: int, units: Floats, head: Head, values: Floats) -> None:
    """Write the values of row `first_row` + i for each i."""
    for i in range(units.shape[0]):
        write_values(units[i], head, values[first_row + i])


# ---- The loss, and its gradient by the logits and values


@float_helper
def ppo_gradient(
    start: int, stop: int, pick: int, advantage: Scalar, loss: Loss, old: Floats, new: Floats, gradient: Floats, stats: Floats
) -> None:
    """PPO's clipped loss minus the entropy bonus, by the logits of one row.

    The loss of the chosen action, -A r while the ratio r of probabilities is not clipped, has the derivative -A r by its log
    probability; entropy E has -p (log p + E) by a logit.
    """
    entropy, kl = ZERO, ZERO
    for k in range(start, stop):
        entropy -= np.exp(new[k]) * new[k]
        kl += np.exp(old[k]) * (old[k] - new[k])
    chosen = start + pick
    ratio = np.exp(new[chosen] - old[chosen])
    clipped = (advantage > ZERO and ratio > ONE + loss.clip) or (advantage < ZERO and ratio < ONE - loss.clip)
    by_chosen = ZERO if clipped else -advantage * ratio
    for k in range(start, stop):
        gradient[k] = np.exp(new[k]) * (loss.entropy * (new[k] + entropy) - by_chosen)
    gradient[chosen] += by_chosen
    stats[ENTROPY] += entropy
    stats[KL] += kl
    stats[CLIPPED] += ONE if clipped else ZERO


@float_helper
def imitation_gradient(start: int, stop: int, new: Floats, target: Floats, gradient: Floats, stats: Floats) -> None:
    """The cross-entropy with a teacher's probabilities, by the logits of one row."""
    entropy = ZERO
    best = preferred = start
    for k in range(start, stop):
        share = np.exp(new[k])
        gradient[k] = share - target[k]
        entropy -= share * new[k]
        best = k if new[k] > new[best] else best
        preferred = k if target[k] > target[preferred] else preferred
    stats[ENTROPY] += entropy
    stats[AGREED] += ONE if best == preferred else ZERO


@float_kernel
def head_gradient(
    which: Counts,
    units: Floats,
    head: Head,
    rows: Rows,
    choices: Choices,
    targets: Targets,
    loss: Loss,
    scale: Scalar,
    new: Floats,
    by_logit: Floats,
    by_value: Floats,
    by_units: Floats,
    by_head: Head,
    stats: Floats,
) -> None:
    """From the last hidden layer to the gradient by its units, logits and values; the loss of each row counts `scale`.

    Adds to the gradients of biases and trust, and leaves those of weights to `add_transposed` and `add_values`: by_logit lies
    where the actions' ids do, by_value[p, i] belongs to seat p and row which[i]. `new` is scratch.
    """
    for i in range(which.shape[0]):
        fetch_entries(which, i + AHEAD, rows.first_action, rows.action, choices.log_probability)
        row = which[i]
        start, stop = rows.first_action[row], rows.first_action[row + 1]
        log_probabilities(units[i], row, head, rows, choices.advice, new)
        if loss.imitation:
            imitation_gradient(start, stop, new, targets.probability, by_logit, stats)
        else:
            old = choices.log_probability
            ppo_gradient(start, stop, choices.pick[row], targets.advantage[row], loss, old, new, by_logit, stats)
        out = by_units[i]
        for unit in range(out.shape[0]):
            out[unit] = ZERO
        for k in range(start, stop):
            by_logit[k] *= scale
            by_head.bias[rows.action[k]] += by_logit[k]
        if head.trust.shape[0] > 0:
            by_head.trust[0] += dot(by_logit[start:stop], choices.advice[start:stop])
        add_rows(out, head.weight, rows.action, by_logit, start, stop - start)
        value_gradient(i, units[i], head, targets.outcome[row], loss.value * scale, by_value, out, by_head, stats)
        for unit in range(out.shape[0]):
            out[unit] = out[unit] if units[i, unit] > ZERO else ZERO
    stats[LEARNED] += which.shape[0]


@float_helper
def value_gradient(
    i: int,
    units: Floats,
    head: Head,
    outcome: Floats,
    scale: Scalar,
    by_value: Floats,
    by_units: Floats,
    by_head: Head,
    stats: Floats,
) -> None:
    """The squared error of the values of one row, the mean of all seats, by the values and, added to it, by the units."""
    seats = outcome.shape[0]
    for seat in range(seats):
        weight = head.value_weight[seat]
        error = dot(weight, units) + head.value_bias[seat] - outcome[seat]
        slope = scale * error / seats
        stats[VALUE_ERROR] += error * error / seats
        by_value[seat, i] = slope
        by_head.value_bias[seat] += slope
        for unit in range(units.shape[0]):
            by_units[unit] += slope * weight[unit]


# ---- Backward


@float_kernel
def add_transposed(
    which: Counts,
    first: Counts,
    column: Integers,
    weight: Floats,
    by_units: Floats,
    gradient: Floats,
    filled: Counts,
    source: Integers,
    weights: Floats,
) -> None:
    """gradient[c] += the sum of weight × by_units[i] over all entries of column c, which are put together first.

    The entries of row which[i] lie from first[which[i]] on, and none of its columns is there twice. `filled`, `source` and
    `weights` are scratch: of each column, how many entries it has, and room for as many as there are rows.
    """
    filled[:] = 0
    for i in range(which.shape[0]):
        fetch_entries(which, i + AHEAD, first, column, weight)
        for k in range(first[which[i]], first[which[i] + 1]):
            each = column[k]
            source[each, filled[each]] = i
            weights[each, filled[each]] = weight[k]
            filled[each] += 1
    for each in range(gradient.shape[0]):
        add_rows(gradient[each], by_units, source[each], weights[each], 0, filled[each])


@float_kernel
def add_values(by_value: Floats, units: Floats, every: Counts, gradient: Floats) -> None:
    """gradient[p] += the sum of by_value[p, i] × units[i] over all rows i; `every` counts them from 0."""
    for seat in range(gradient.shape[0]):
        add_rows(gradient[seat], units, every, by_value[seat], 0, units.shape[0])


@float_kernel
def add_columns(by_units: Floats, gradient: Floats) -> None:
    """The gradient of a bias: the sum over all rows."""
    for i in range(by_units.shape[0]):
        for unit in range(gradient.shape[0]):
            gradient[unit] += by_units[i, unit]


@float_kernel
def rectify_gradient(by_units: Floats, units: Floats) -> None:
    """Nothing flows back through units that are zero."""
    for i in range(units.shape[0]):
        for unit in range(units.shape[1]):
            by_units[i, unit] = by_units[i, unit] if units[i, unit] > ZERO else ZERO


@float_kernel
def add_to(out: Floats, numbers: Floats) -> None:
    """out += numbers, of two flat arrays."""
    for each in range(out.shape[0]):
        out[each] += numbers[each]


@float_kernel
def move_to(out: Floats, numbers: Floats) -> None:
    """out += numbers, which are 0 then, of two flat arrays."""
    for each in range(out.shape[0]):
        out[each] += numbers[each]
        numbers[each] = ZERO


# ---- What actions share


@float_kernel
def add_all(matrix: Floats, start: Counts, index: Counts, ones: Floats, out: Floats) -> None:
    """out[i] += the sum of the rows of a matrix named by index[start[i] : start[i + 1]]. `ones` is as long as `index`."""
    for i in range(out.shape[0]):
        add_rows(out[i], matrix, index, ones, start[i], start[i + 1] - start[i])


# ---- Adam


@float_kernel
def sum_of_squares(numbers: Floats) -> Scalar:
    """The squared norm of a flat array, added up in double precision block by block."""
    total: Scalar = 0.0
    for begin in range(0, numbers.shape[0], 1024):
        part = numbers[begin : begin + 1024]
        total += dot(part, part)
    return total


@float_kernel
def adam(
    parameters: Floats,
    gradient: Floats,
    mean: Floats,
    square: Floats,
    rate: Scalar,
    gain_mean: Scalar,
    gain_square: Scalar,
    tiny: Scalar,
    correct_mean: Scalar,
    correct_square: Scalar,
    scale: Scalar,
) -> None:
    """One step of Adam with a gradient times `scale`, which is 0 afterwards.

    The gains are what a new gradient counts in the means, one minus their decay: in single precision 1 - 0.999 is off by
    1 in 20,000.
    """
    for each in range(parameters.shape[0]):
        slope = gradient[each] * scale
        mean[each] += gain_mean * (slope - mean[each])
        square[each] += gain_square * (slope * slope - square[each])
        parameters[each] -= rate * (mean[each] * correct_mean) / (np.sqrt(square[each] * correct_square) + tiny)
        gradient[each] = ZERO
