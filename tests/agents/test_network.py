"""The network over rows: what it computes, and its gradients, compared with plain references in double precision."""

from dataclasses import dataclass

import numpy as np
import pytest
from cardtable_agents.network import kernels, matrices
from cardtable_agents.network.features import Features, Groups, action_features
from cardtable_agents.network.inputs import Inputs
from cardtable_agents.network.kernels import Choices, Loss, Targets
from cardtable_agents.network.network import CHUNK, Network, Pass
from cardtable_agents.network.optimizer import DECAY_MEAN, DECAY_SQUARE, TINY, Adam, Diverged
from cardtable_agents.network.parameters import Shape, Vector, first_parameters
from cardtable_agents.network.products import BFloat16Product, RegisterProduct

from cardtable.engine.rows import Rows
from cardtable.game.actions import ActionSpace, Block
from cardtable.game.registry import find, game_ids

INPUTS, ACTIONS, FEATURES = 37, 29, 11
ACCURACY = 1e-5
"""Of gradients in single precision: the largest error of a part, by its largest entry."""

SHAPES = [
    Shape(INPUTS, (64,), ACTIONS, 1),
    Shape(INPUTS, (64,), ACTIONS, 2, FEATURES, advised=True),
    Shape(INPUTS, (128, 64), ACTIONS, 3, FEATURES),
    Shape(INPUTS, (128, 64), ACTIONS, 2, advised=True),
    Shape(INPUTS, (64, 64, 128), ACTIONS, 4, FEATURES, advised=True),
]


def loss_of(clip=0.2, entropy=0.0, value=0.0, imitation=False):
    return Loss(np.float32(clip), np.float32(entropy), np.float32(value), imitation)


LOSSES = {
    "clip": (loss_of(), 1.0),
    "entropy": (loss_of(entropy=0.7), 0.0),
    "value": (loss_of(value=0.9), 0.0),
    "ppo": (loss_of(clip=0.1, entropy=0.3, value=0.5), 1.0),
    "imitation": (loss_of(imitation=True), 1.0),
    "imitation and value": (loss_of(value=0.5, imitation=True), 1.0),
}
"""What is learned, and what advantages are multiplied by."""


def shape_id(shape):
    return f"{shape.layers}-{shape.seats}-{shape.features}-{'advised' if shape.advised else 'alone'}"


# ---- Rows that could come from a game


@dataclass
class Case:
    """A network with rows, and what its reference needs: the same rows as dense matrices."""

    network: Network
    rows: Rows
    choices: Choices
    targets: Targets
    dense: np.ndarray
    """(m, inputs)."""
    legal: np.ndarray
    """bool (m, actions)."""
    having: np.ndarray
    """(actions, features): how often an action has a feature."""

    def spread(self, numbers):
        """What belongs to each legal action as a matrix (m, actions), 0 elsewhere."""
        out = np.zeros(self.legal.shape)
        out[self.legal] = numbers
        return out

    @property
    def chosen(self):
        """The id of the action that was played in each row."""
        return self.rows.action[self.rows.first_action[:-1] + self.choices.pick]


def make_case(shape, number=40, seed=0):
    """Rows, choices of an older policy (so that ratios are clipped), advantages and outcomes, all at random."""
    random = np.random.default_rng(seed)
    parameters = Vector(shape)
    parameters.flat[:] = random.standard_normal(shape.size) * 0.1
    parameters["input.weight"][:] *= 4
    parameters["trust"][:] = 0.8
    lists = [list(random.integers(0, shape.features, 3)) if shape.features else [] for _ in range(shape.actions)]
    dense = (random.random((number, shape.inputs)) * (random.random((number, shape.inputs)) < 0.2)).astype(np.float32)
    legal = random.random((number, shape.actions)) < 0.25
    legal[:, :2] = True  # two actions or more, and some that all rows share
    count = legal.sum(1)
    total = int(count.sum())
    rows = Rows(
        np.append(0, np.count_nonzero(dense, axis=1).cumsum()),
        np.nonzero(dense)[1].astype(np.int16),
        dense[np.nonzero(dense)],
        np.append(0, count.cumsum()),
        np.nonzero(legal)[1].astype(np.int16),
        np.zeros(number, np.int8),
        random.random(number).astype(np.float32),
    )
    advice = random.standard_normal(total if shape.advised else 0).astype(np.float32)
    case = Case(
        Network(shape, parameters, features_of(lists, shape.features)),
        rows,
        Choices(random.integers(0, count).astype(np.int16), zeros(total), zeros(number, shape.seats), advice),
        Targets(zeros(number), zeros(number, shape.seats), zeros(total)),
        dense.astype(float),
        legal,
        having_of(lists, shape.features),
    )
    log_probability, _ = forward(case, in_double(parameters))
    older = np.where(legal, log_probability + random.standard_normal(legal.shape) * 0.3, -np.inf)
    case.choices.log_probability[:] = normalised(older)[legal]
    case.targets.advantage[:] = random.standard_normal(number)
    case.targets.outcome[:] = random.standard_normal((number, shape.seats))
    taught = np.where(legal, random.standard_normal(legal.shape), -np.inf)
    case.targets.probability[:] = np.exp(normalised(taught))[legal]
    return case


def zeros(*shape):
    return np.zeros(shape, np.float32)


def features_of(lists, number):
    having = [[action for action, row in enumerate(lists) for each in row if each == feature] for feature in range(number)]
    return Features(number, Groups.of(lists), Groups.of(having))


def having_of(lists, number):
    having = np.zeros((len(lists), number))
    for action, row in enumerate(lists):
        np.add.at(having[action], row, 1)
    return having


def in_double(vector):
    """The parts of a vector in double precision, by name."""
    return {name: part.astype(float) for name, part in vector._parts.items()}


# ---- The reference: dense, in double precision, from the definitions


def normalised(logits):
    top = logits.max(1, keepdims=True)
    return logits - top - np.log(np.exp(logits - top).sum(1, keepdims=True))


def forward(case, given):
    """(log probabilities (m, actions), -inf where not legal; values (m, seats))."""
    units = np.maximum(case.dense @ given["input.weight"] + given["input.bias"], 0)
    for number in range(len(case.network.shape.layers) - 1):
        units = np.maximum(units @ given[f"hidden.{number}.weight"] + given[f"hidden.{number}.bias"], 0)
    weight = given["action.weight"] + case.having @ given["feature.weight"]
    logits = units @ weight.T + given["action.bias"]
    if len(given["trust"]):
        logits = logits + given["trust"][0] * case.spread(case.choices.advice)
    return normalised(np.where(case.legal, logits, -np.inf)), units @ given["value.weight"].T + given["value.bias"]


def reference_loss(case, which, given, loss):
    """The loss of some rows, added up, and its parts."""
    log_probability, value = forward(case, given)
    log_probability = np.where(case.legal, log_probability, 0)
    probability = np.where(case.legal, np.exp(log_probability), 0)
    old = case.spread(case.choices.log_probability)
    every = np.arange(len(old))
    entropy = -(probability * log_probability).sum(1)
    ratio = np.exp((log_probability - old)[every, case.chosen])
    advantage = case.targets.advantage.astype(float)
    kept = np.clip(ratio, 1 - float(loss.clip), 1 + float(loss.clip))
    surrogate = np.minimum(advantage * ratio, advantage * kept)
    error = ((value - case.targets.outcome) ** 2).mean(1)
    target = case.spread(case.targets.probability)
    taught = -(target * log_probability).sum(1)
    policy = taught if loss.imitation else -surrogate - float(loss.entropy) * entropy
    parts = {
        kernels.ENTROPY: entropy,
        kernels.KL: np.where(case.legal, np.exp(old) * (old - log_probability), 0).sum(1),
        kernels.VALUE_ERROR: error,
        kernels.CLIPPED: advantage * kept < advantage * ratio,
        kernels.AGREED: np.where(case.legal, log_probability, -np.inf).argmax(1) == target.argmax(1),
    }
    total = (policy + float(loss.value) * error / 2)[which].sum()
    return total, {name: part[which].sum() for name, part in parts.items()}


def learned(case, which, loss, scale, product=None):
    """A pass that has learned from some rows."""
    made = Pass(case.network, 8, product)
    made.learn(which, case.rows, case.choices, case.targets, loss, scale)
    return made


def case_of(shape, name):
    """A case, some rows of it in any order, and the loss."""
    case, (loss, size) = make_case(shape, seed=len(shape.layers)), LOSSES[name]
    case.targets.advantage[:] *= size
    return case, np.random.default_rng(1).permutation(40)[:31], loss


def assert_close(found, expected, name, accuracy=ACCURACY):
    """By the largest entry; what should be nothing is nothing."""
    error, size = np.abs(found - expected).max(initial=0), np.abs(expected).max(initial=0)
    assert error <= accuracy * size, f"{name}: {error} of {size}"


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("shape", SHAPES, ids=shape_id)
def test_gradients_equal_finite_differences(shape, name):
    """Of each part the entries with the largest gradients, some others, and all at once in random directions."""
    case, which, loss = case_of(shape, name)
    gradient, given = learned(case, which, loss, 1.0).gradient, in_double(case.network.parameters)
    random = np.random.default_rng(2)
    for part, values in given.items():
        slope, flat = gradient[part].reshape(-1).astype(float), values.reshape(-1)
        if not len(flat):
            continue
        largest = np.abs(slope).argsort()[-5:]
        directions = [*np.eye(len(flat))[np.append(largest, random.integers(0, len(flat), 5))]]
        directions += [*random.choice([-1.0, 1.0], (3, len(flat)))]
        before = flat.copy()
        for direction in directions:
            step, sides = 1e-6, []
            for sign in (1, -1):
                flat[:] = before + sign * step * direction
                sides.append(reference_loss(case, which, given, loss)[0])
            flat[:] = before
            expected = (sides[0] - sides[1]) / (2 * step)
            size = np.abs(slope).max() * np.linalg.norm(direction)
            assert abs(slope @ direction - expected) <= ACCURACY * size + 1e-8, part


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("shape", SHAPES, ids=shape_id)
def test_gradients_equal_those_of_torch(shape, name):
    torch = pytest.importorskip("torch")
    case, which, loss = case_of(shape, name)
    given = {part: torch.tensor(values, requires_grad=True) for part, values in in_double(case.network.parameters).items()}
    (torch_loss(torch, case, which, given, loss) * 0.125).backward()
    gradient = learned(case, which, loss, 0.125).gradient
    for part, values in given.items():
        expected = np.zeros(values.shape) if values.grad is None else values.grad.numpy()
        assert_close(gradient[part], expected, part)


def torch_loss(torch, case, which, given, loss):
    """The loss in torch's own words."""
    tensor = torch.from_numpy
    units = torch.relu(tensor(case.dense[which]) @ given["input.weight"] + given["input.bias"])
    for number in range(len(case.network.shape.layers) - 1):
        units = torch.relu(units @ given[f"hidden.{number}.weight"] + given[f"hidden.{number}.bias"])
    weight = given["action.weight"] + tensor(case.having) @ given["feature.weight"]
    logits = units @ weight.T + given["action.bias"]
    if len(given["trust"]):
        logits = logits + given["trust"] * tensor(case.spread(case.choices.advice)[which])
    logits = logits.masked_fill(~tensor(case.legal[which]), -1e30)
    policy = torch.distributions.Categorical(logits=logits)
    value = units @ given["value.weight"].T + given["value.bias"]
    error = torch.nn.functional.mse_loss(value, tensor(case.targets.outcome[which].astype(float)), reduction="none").mean(1)
    if loss.imitation:
        target = tensor(case.spread(case.targets.probability)[which])
        teaching = torch.nn.functional.cross_entropy(logits, target, reduction="none")
    else:
        chosen = tensor(case.chosen[which].astype(np.int64))
        old = tensor(case.spread(case.choices.log_probability)[which]).gather(1, chosen[:, None])[:, 0]
        ratio, advantage = torch.exp(policy.log_prob(chosen) - old), tensor(case.targets.advantage[which].astype(float))
        kept = ratio.clamp(1 - float(loss.clip), 1 + float(loss.clip))
        teaching = -torch.min(advantage * ratio, advantage * kept) - float(loss.entropy) * policy.entropy()
    return (teaching + float(loss.value) * error / 2).sum()


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("shape", SHAPES, ids=shape_id)
def test_sums_over_the_rows_equal_the_reference(shape, name):
    case, which, loss = case_of(shape, name)
    stats = learned(case, which, loss, 1.0).stats
    _, expected = reference_loss(case, which, in_double(case.network.parameters), loss)
    used = [kernels.ENTROPY, kernels.VALUE_ERROR, *([kernels.AGREED] if loss.imitation else [kernels.KL, kernels.CLIPPED])]
    np.testing.assert_allclose([stats[each] for each in used], [expected[each] for each in used], rtol=1e-5)
    assert stats[kernels.LEARNED] == len(which)
    if name in ("clip", "ppo"):
        assert 0 < stats[kernels.CLIPPED] < len(which), "some rows are clipped, some are not"


def test_ratios_are_clipped_on_the_side_that_the_advantage_leads_to():
    """A ratio above 1 + clip stops a good action, one below 1 - clip a bad one; on the other sides both are still learned."""
    case = make_case(SHAPES[0], number=4)
    log_probability = forward(case, in_double(case.network.parameters))[0][case.legal]
    first = case.rows.first_action[:-1] + case.choices.pick
    case.choices.log_probability[:] = log_probability
    case.choices.log_probability[first] -= np.array([0.5, 0.5, -0.5, -0.5])
    case.targets.advantage[:] = [1, -1, 1, -1]
    moved = [bool(learned(case, np.array([row]), loss_of(), 1.0).gradient.flat.any()) for row in range(4)]
    assert moved == [False, True, True, False]


def test_learning_adds_to_the_gradient_and_scale_multiplies_it():
    case, which, loss = case_of(SHAPES[2], "ppo")
    once = learned(case, which, loss, 1.0)
    twice = learned(case, which, loss, 0.25)
    twice.learn(which, case.rows, case.choices, case.targets, loss, 0.25)
    assert_close(twice.gradient.flat, once.gradient.flat / 2, "two quarters", 1e-6)


@pytest.mark.parametrize("extra", [-1, 0, 1, CHUNK + 37])
def test_many_rows_are_learned_as_the_sum_of_their_chunks(extra):
    case, loss = make_case(SHAPES[4], number=CHUNK + extra), LOSSES["ppo"][0]
    which = np.arange(CHUNK + extra)
    whole, parts = learned(case, which, loss, 0.01), Pass(case.network, 8)
    for some in np.array_split(which, 7):
        parts.learn(some, case.rows, case.choices, case.targets, loss, 0.01)
    for name in case.network.shape.parts():
        assert_close(whole.gradient[name], parts.gradient[name], name, 5e-6)
    np.testing.assert_allclose(whole.stats, parts.stats, rtol=1e-5)


@pytest.mark.parametrize("shape", SHAPES, ids=shape_id)
@pytest.mark.parametrize("number", [0, 1, 10])
def test_common_inputs_change_nothing_but_the_order_of_sums(shape, number):
    """Inputs that most rows have are looked at as a matrix: no input is lost or counted twice, whichever are chosen."""
    case, which, loss = case_of(shape, "ppo")
    plain, chosen = learned(case, which, loss, 1.0), Pass(case.network, 8)
    rows = case.rows._replace(first_input=case.rows.first_input.copy(), input=case.rows.input.copy())
    rows.input[: rows.first_input[1]] = np.arange(rows.first_input[1])  # of the first row: other inputs than it has
    chosen.inputs.choose_common(rows, number)
    chosen.learn(which, case.rows, case.choices, case.targets, loss, 1.0)
    for name in case.network.shape.parts():
        assert_close(chosen.gradient[name], plain.gradient[name], name, 5e-6)


def test_inputs_of_a_quarter_of_the_rows_are_common():
    """Of four rows, input 2 is in two, input 0 in one, and input 1 in none; without any, one is taken all the same."""
    first = np.array([0, 2, 3, 3, 3])
    rows = Rows(first, np.array([0, 2, 2], np.int16), *make_case(SHAPES[0]).rows[2:])
    inputs = Inputs(4, 64, 8)
    inputs.choose_common(rows, 4)
    assert inputs.common.tolist() == [0, 2]
    inputs.choose_common(rows._replace(first_input=np.array([0, 2, 3, 3, 3, 3])), 5)
    assert inputs.common.tolist() == [2]
    inputs.choose_common(rows._replace(first_input=np.zeros(5, np.int64)), 4)
    assert inputs.common.tolist() == [0]


def test_nothing_is_learned_from_no_rows():
    case = make_case(SHAPES[1])
    assert not learned(case, np.zeros(0, np.int64), LOSSES["ppo"][0], 1.0).gradient.flat.any()


# ---- Choosing


@pytest.mark.parametrize("shape", SHAPES, ids=shape_id)
def test_choices_equal_those_of_a_dense_network(shape):
    """Probabilities, values, and the action at the row's chance; rows before and after those asked for stay as they are."""
    case, some = make_case(shape, number=60), np.arange(13, 47)
    log_probability, value = forward(case, in_double(case.network.parameters))
    case.choices.log_probability[:], case.choices.value[:], case.choices.pick[:] = 9, 9, 0
    actions = np.zeros(len(some), np.int64)
    Pass(case.network, len(some)).choose(some, case.rows, case.choices, actions)
    found = case.spread(case.choices.log_probability)
    np.testing.assert_allclose(found[some][case.legal[some]], log_probability[some][case.legal[some]], atol=2e-6)
    np.testing.assert_allclose(case.choices.value[some], value[some], atol=2e-6)
    for row in (*range(13), *range(47, 60)):
        assert (found[row][case.legal[row]] == 9).all()
        assert (case.choices.value[row] == 9).all()
        assert case.choices.pick[row] == 0
    np.testing.assert_array_equal(actions, case.chosen[some])
    for row in some:
        passed = np.exp(log_probability[row][case.legal[row]]).cumsum()
        assert np.abs(passed - case.rows.chance[row]).min() > 1e-5, "no chance lies where rounding decides"
        assert case.choices.pick[row] == (passed <= case.rows.chance[row]).sum()


def test_values_alone_equal_those_of_a_choice():
    case, some = make_case(SHAPES[4]), np.arange(5, 25)
    made = Pass(case.network, 20)
    made.choose(some, case.rows, case.choices, np.zeros(20, np.int64))
    values = np.full_like(case.choices.value, 9)
    made.value(some, case.rows, values)
    np.testing.assert_array_equal(values[5:25], case.choices.value[5:25])
    assert (values[:5] == 9).all()
    assert (values[25:] == 9).all()


def test_choices_are_as_frequent_as_they_are_probable():
    """The same decision with chances spread evenly over [0, 1): each action is chosen in its share of the rows."""
    number, case = 4000, make_case(SHAPES[1], number=1)
    rows, total = case.rows, len(case.rows.action)
    many = Rows(
        np.arange(number + 1) * len(rows.input),
        np.tile(rows.input, number),
        np.tile(rows.value, number),
        np.arange(number + 1) * total,
        np.tile(rows.action, number),
        np.zeros(number, np.int8),
        ((np.arange(number) + 0.5) / number).astype(np.float32),
    )
    advice = np.tile(case.choices.advice, number)
    choices = Choices(np.zeros(number, np.int16), zeros(number * total), zeros(number, 2), advice)
    actions = np.zeros(number, np.int64)
    Pass(case.network, number).choose(np.arange(number), many, choices, actions)
    probability = np.exp(forward(case, in_double(case.network.parameters))[0][0])
    found = np.bincount(actions, minlength=ACTIONS) / number
    assert (found[~case.legal[0]] == 0).all()
    np.testing.assert_allclose(found, probability, atol=1.5 / number)


@pytest.mark.parametrize("chance", [0.0, 1 - 2**-24, 1.0])
def test_the_last_legal_action_is_chosen_when_rounding_leaves_a_rest(chance):
    case = make_case(SHAPES[0], number=20)
    case.rows.chance[:] = chance
    actions = np.zeros(20, np.int64)
    Pass(case.network, 20).choose(np.arange(20), case.rows, case.choices, actions)
    assert case.legal[np.arange(20), actions].all()
    if chance in (0.0, 1.0):
        expected = np.zeros(20) if chance == 0.0 else case.legal.sum(1) - 1
        np.testing.assert_array_equal(case.choices.pick, expected)


def test_logits_may_be_large():
    """Differences of hundreds neither overflow nor become NaN."""
    case = make_case(SHAPES[0])
    case.network.parameters["action.bias"][:] = np.linspace(-500, 500, ACTIONS)
    Pass(case.network, 40).choose(np.arange(40), case.rows, case.choices, np.zeros(40, np.int64))
    expected = forward(case, in_double(case.network.parameters))[0][case.legal]
    np.testing.assert_allclose(case.choices.log_probability, expected, atol=1e-3)
    assert np.isfinite(learned(case, np.arange(40), loss_of(entropy=0.1, imitation=True), 1.0).gradient.flat).all()


# ---- Products in registers, and in bfloat16


@pytest.mark.skipif(not matrices.AVAILABLE, reason="needs a processor with AVX-512, and compiled kernels")
@pytest.mark.parametrize("width", [64, 256, 320])
@pytest.mark.parametrize("number", [1, 2, 4, 11, 12, 13, 31, 97])
def test_products_in_registers_equal_those_of_numpy(number, width):
    """As hidden layers ask for them: forward, by weights, by units. Nothing but the result is written."""
    random, product = np.random.default_rng(number), RegisterProduct()
    units, slopes = (random.standard_normal((number, each)).astype(np.float32) for each in (128, width))
    weight = random.standard_normal((128, width)).astype(np.float32)
    for one, two in ((units, weight), (units.T, slopes), (slopes, weight.T)):
        kept, outs = (one.copy(), two.copy()), np.full((len(one) + 2, two.shape[1]), 9, np.float32)
        product(one, two, outs[1:-1])
        np.testing.assert_allclose(outs[1:-1], one.astype(float) @ two.astype(float), atol=1e-4)
        assert (outs[[0, -1]] == 9).all()
        assert all(np.array_equal(each, before) for each, before in zip((one, two), kept, strict=True))


@pytest.mark.skipif(not matrices.AVAILABLE, reason="needs a processor with AVX-512, and compiled kernels")
def test_what_is_not_finite_stays_so_in_registers():
    one, two, out = np.zeros((13, 64), np.float32), np.ones((64, 64), np.float32), np.zeros((13, 64), np.float32)
    one[5, 3], one[12, 0] = np.nan, np.inf
    RegisterProduct()(one, two, out)
    assert np.flatnonzero(np.isnan(out).all(axis=1)).tolist() == [5]
    assert np.flatnonzero(np.isinf(out).all(axis=1)).tolist() == [12]


@pytest.mark.parametrize(("turn_one", "turn_two"), [(False, False), (True, False), (False, True), (True, True)])
def test_products_in_bfloat16_are_close(turn_one, turn_two):
    """Also of transposed matrices, also again with others of the same shape."""
    pytest.importorskip("torch")
    random, product = np.random.default_rng(0), BFloat16Product()
    for rows, between, columns in ((64, 64, 64), (37, 128, 64), (64, 64, 64), (1, 64, 128)):
        one, two = random.standard_normal((rows, between)), random.standard_normal((between, columns))
        given = [
            each.astype(np.float32) if not turn else np.ascontiguousarray(each.T).astype(np.float32).T
            for each, turn in ((one, turn_one), (two, turn_two))
        ]
        out = np.full((rows, columns), 9, np.float32)
        product(*given, out)
        assert_close(out, one @ two, (rows, between, columns), 0.01)


def test_learning_in_bfloat16_points_where_float32_does():
    pytest.importorskip("torch")
    case, which, loss = case_of(SHAPES[4], "ppo")
    one = learned(case, which, loss, 1.0).gradient
    other = learned(case, which, loss, 1.0, BFloat16Product()).gradient
    for part in case.network.shape.parts():
        first, second = one[part].reshape(-1).astype(float), other[part].reshape(-1).astype(float)
        assert first @ second > 0.99 * np.linalg.norm(first) * np.linalg.norm(second), part


# ---- Adam


def gradients(size, steps):
    """Gradients of very different sizes, some of them often zero."""
    random = np.random.default_rng(5)
    sizes = 10.0 ** random.uniform(-6, 1, size)
    for _ in range(steps):
        yield (random.standard_normal(size) * sizes * (random.random(size) < 0.7)).astype(np.float32)


def step_by(adam, parameters, gradient, rate=1e-3, scale=1.0, parts=(slice(None),)):
    adam.begin_step()
    for part in parts:
        adam.step(part, parameters, gradient, rate, scale)


@pytest.mark.parametrize("scale", [1.0, 0.3])
def test_adam_equals_a_plain_reference(scale):
    shape = SHAPES[0]
    parameters, gradient, adam = first_parameters(shape, 1), Vector(shape), Adam(shape)
    begun = parameters.flat.astype(float)
    expected, mean, square = begun.copy(), np.zeros(shape.size), np.zeros(shape.size)
    for number, slope in enumerate(gradients(shape.size, 200), start=1):
        rate = 1e-3 * (1 - number / 400)
        gradient.flat[:] = slope
        step_by(adam, parameters, gradient, rate, scale)
        assert not gradient.flat.any(), "it is added to anew"
        mean = DECAY_MEAN * mean + (1 - DECAY_MEAN) * slope.astype(float) * scale
        square = DECAY_SQUARE * square + (1 - DECAY_SQUARE) * (slope.astype(float) * scale) ** 2
        fair_mean, fair_square = mean / (1 - DECAY_MEAN**number), square / (1 - DECAY_SQUARE**number)
        expected -= rate * fair_mean / (np.sqrt(fair_square) + TINY)
    moved = np.abs(expected - begun).max()
    assert moved > 0.01
    assert np.abs(parameters.flat - expected).max() < 2e-6, "rounding of parameters, 200 times"
    assert (np.abs(adam.mean.flat - mean) / np.sqrt(square)).max() < 1e-5
    np.testing.assert_allclose(adam.square.flat, square, rtol=5e-6)
    assert adam.steps == 200


def test_adam_equals_that_of_torch():
    torch = pytest.importorskip("torch")
    shape = SHAPES[0]
    parameters, gradient, adam = first_parameters(shape, 1), Vector(shape), Adam(shape)
    tensor = torch.tensor(parameters.flat.astype(float), requires_grad=True)
    other = torch.optim.Adam([tensor], lr=1e-3, betas=(DECAY_MEAN, DECAY_SQUARE), eps=TINY)
    for slope in gradients(shape.size, 200):
        gradient.flat[:] = slope
        step_by(adam, parameters, gradient)
        tensor.grad = torch.tensor(slope.astype(float))
        other.step()
    assert np.abs(parameters.flat - tensor.detach().numpy()).max() < 2e-6


def test_slices_are_stepped_as_the_whole():
    shape = SHAPES[2]
    cuts = [0, 1, 700, 4096, shape.size - 3, shape.size]
    one, other = first_parameters(shape, 1), first_parameters(shape, 1)
    whole, sliced, gradient = Adam(shape), Adam(shape), Vector(shape)
    for slope in gradients(shape.size, 20):
        gradient.flat[:] = slope
        step_by(whole, one, gradient, 1e-2, 0.5)
        gradient.flat[:] = slope
        step_by(sliced, other, gradient, 1e-2, 0.5, list(map(slice, cuts, cuts[1:])))
        assert not gradient.flat.any()
    np.testing.assert_array_equal(one.flat, other.flat)
    np.testing.assert_array_equal(whole.mean.flat, sliced.mean.flat)
    np.testing.assert_array_equal(whole.square.flat, sliced.square.flat)


def test_a_reset_forgets_all_moments():
    shape = SHAPES[0]
    parameters, other, gradient, adam = first_parameters(shape, 1), first_parameters(shape, 1), Vector(shape), Adam(shape)
    first, second = gradients(shape.size, 2)
    gradient.flat[:] = first
    step_by(adam, parameters, gradient)
    adam.reset()
    parameters.flat[:] = other.flat
    gradient.flat[:] = second
    step_by(adam, parameters, gradient)
    gradient.flat[:] = second
    step_by(Adam(shape), other, gradient)
    np.testing.assert_array_equal(parameters.flat, other.flat)


@pytest.mark.parametrize(("norm", "max_norm", "expected"), [(0.0, 0.5, 1.0), (0.25, 0.5, 1.0), (2.0, 0.5, 0.25)])
def test_a_gradient_is_made_as_short_as_allowed(norm, max_norm, expected):
    assert Adam(SHAPES[0]).scale(norm**2, max_norm) == pytest.approx(expected)


@pytest.mark.parametrize("size", [0, 1, 1023, 1024, 1025, 5000])
def test_the_squared_norm_of_a_vector(size):
    numbers = np.random.default_rng(size).standard_normal(size).astype(np.float32)
    assert kernels.sum_of_squares(numbers) == pytest.approx((numbers.astype(float) ** 2).sum(), rel=1e-6)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 1500, -1])
def test_a_gradient_that_is_not_finite_is_noticed(wrong, place):
    gradient, adam = Vector(SHAPES[0]), Adam(SHAPES[0])
    adam.begin_step()
    gradient.flat[place] = wrong
    with pytest.raises(Diverged, match="the gradient of step 2 is not finite"):
        adam.scale(kernels.sum_of_squares(gradient.flat), 0.5)


@pytest.mark.parametrize("name", SHAPES[4].parts())
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
@pytest.mark.parametrize("loss", ["ppo", "imitation and value"])
def test_parameters_that_are_not_finite_are_noticed_by_the_next_gradient(name, wrong, loss):
    """No rectified unit and no skipped input hides them."""
    case, which, weights = case_of(SHAPES[4], loss)
    case.network.parameters[name][:] = wrong
    case.network.refresh()
    made = learned(case, which, weights, 1.0)
    with pytest.raises(Diverged):
        Adam(SHAPES[4]).scale(kernels.sum_of_squares(made.gradient.flat), 0.5)


# ---- Parameters


def test_parts_are_views_that_fill_the_vector():
    shape = SHAPES[4]
    vector, start = Vector(shape), 0
    vector.flat[:] = np.arange(shape.size)
    for name, expected in shape.parts().items():
        assert vector[name].shape == expected
        np.testing.assert_array_equal(vector[name].reshape(-1), np.arange(start, start + vector[name].size))
        start += vector[name].size
    assert start == shape.size == len(vector.flat)


@pytest.mark.parametrize("shape", SHAPES, ids=shape_id)
def test_untrained_networks_play_nearly_at_random_and_depend_on_the_seed_alone(shape):
    one, again, other = (first_parameters(shape, seed, trust=0.5) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.flat, again.flat)
    assert not np.array_equal(one.flat, other.flat)
    assert (one["trust"] == 0.5).all()
    for number in range(len(shape.layers) - 1):
        weight = one[f"hidden.{number}.weight"].astype(float)
        small = weight @ weight.T if weight.shape[0] < weight.shape[1] else weight.T @ weight
        np.testing.assert_allclose(small, 2 * np.eye(len(small)), atol=1e-5)
    one["trust"][:] = 0
    case = make_case(shape)
    log_probability, _ = forward(case, in_double(one))
    uniform = -np.log(case.legal.sum(1, keepdims=True))
    assert np.abs(log_probability - uniform)[case.legal].max() < 0.3


# ---- What actions share

SMALL = ActionSpace(
    Block("play", "play {} at {}", (("ant", "bee", "cat"), ("left", "right")), "a card to a side"),
    Block("discard", "discard {}", (("ant", "bee", "cat"),), "a card"),
    Block("give", "give {} for {}", (("ant", "bee", "cat"), ("ant", "bee", "cat")), "a card for another"),
    Block("keep", "keep {}", (("ant", "bee"),), "one of other labels"),
    Block("end", "pass", (), "nothing"),
)


def rows_of(groups):
    return [list(groups.member[start:stop]) for start, stop in zip(groups.start, groups.start[1:], strict=False)]


def shared(space, one, other):
    """How many features two actions have in common, by name; each counted as often as the first has it."""
    rows = rows_of(action_features(space).of_action)
    first, second = rows[space.id_of(one)], rows[space.id_of(other)]
    return sum(feature in second for feature in first)


def test_actions_share_their_block_and_labels():
    assert shared(SMALL, "play ant at left", "play bee at right") == 1, "the block"
    assert shared(SMALL, "play ant at left", "play ant at right") == 3, "the block, the card in it, the card anywhere"
    assert shared(SMALL, "play ant at left", "discard ant") == 1, "the card anywhere"
    assert shared(SMALL, "play ant at left", "discard bee") == 0
    assert shared(SMALL, "discard ant", "keep ant") == 0, "axes of other labels are other things"
    assert shared(SMALL, "give ant for bee", "give bee for ant") == 3, "the block and both cards anywhere, not their places"
    assert shared(SMALL, "pass", "pass") == 1
    rows = rows_of(action_features(SMALL).of_action)
    assert [len(rows[SMALL.id_of(name)]) for name in ("pass", "discard ant", "play ant at left")] == [1, 3, 5]


def test_a_label_at_two_axes_counts_twice():
    row = rows_of(action_features(SMALL).of_action)[SMALL.id_of("give cat for cat")]
    assert sorted(map(row.count, set(row))) == [1, 1, 1, 2]


def test_no_features_at_all():
    features = Features.none(4)
    assert features.number == 0
    assert rows_of(features.of_action) == [[], [], [], []]
    assert rows_of(features.of_feature) == []


@pytest.mark.parametrize("space", [SMALL, *(find(each).actions for each in game_ids())], ids=["small", *game_ids()])
def test_features_of_actions_and_actions_of_features_are_the_same_pairs(space):
    features = action_features(space)
    of_action, of_feature = rows_of(features.of_action), rows_of(features.of_feature)
    assert len(of_action) == space.size
    assert len(of_feature) == features.number
    by_action = sorted((action, feature) for action, row in enumerate(of_action) for feature in row)
    by_feature = sorted((action, feature) for feature, row in enumerate(of_feature) for action in row)
    assert by_action == by_feature
    assert all(of_feature), "every feature is one of some action"
    for block, span in zip(space.blocks, space.at, strict=True):
        kinds = {tuple(row[:1]) for row in of_action[span.start : span.stop]}
        assert len(kinds) == 1, block.name
        assert set(of_feature[kinds.pop()[0]]) == set(range(span.start, span.stop)), "a block's feature is its own alone"


@pytest.mark.parametrize("game_id", game_ids())
def test_the_head_is_what_actions_have_of_their_own_and_what_they_share(game_id):
    space = find(game_id).actions
    features = action_features(space)
    shape = Shape(4, (64,), space.size, 2, features.number)
    vector = first_parameters(shape, 1)
    assert not vector["feature.weight"].any(), "at first actions share nothing"
    network = Network(shape, vector, features)
    np.testing.assert_array_equal(network.head.weight, vector["action.weight"])
    vector.flat[:] = np.random.default_rng(0).standard_normal(shape.size)
    network.refresh()
    having = having_of(rows_of(features.of_action), features.number)
    expected = vector["action.weight"] + having @ vector["feature.weight"].astype(float)
    np.testing.assert_allclose(network.head.weight, expected, atol=1e-5)
    np.testing.assert_array_equal(network.head.bias, vector["action.bias"])
    np.testing.assert_array_equal(network.head.value_weight, vector["value.weight"])
