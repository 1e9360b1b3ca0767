"""Numbers come as Python's, numpy's or any other integers; what is none is refused."""

import json

import numpy as np
import pytest

from cardtable.envs import aec
from cardtable.envs.batch import BatchEnv
from cardtable.errors import IllegalAction, OptionError
from cardtable.game.registry import find, game_ids
from cardtable.support.plain import is_integer


class Index:
    """An integer that can do nothing but be one."""

    def __init__(self, number):
        self.number = number

    def __index__(self):
        return self.number


class Broken:
    """Something that only looks like an integer."""

    def __index__(self):
        raise RuntimeError("no")


class Truth:
    """A truth value of another library, as an array without axes."""

    dtype = "torch.bool"

    def __index__(self):
        return 1


def kind_of(value):
    """How pytest names a parameter."""
    return type(value).__name__


NO_INTEGERS = [True, np.True_, Truth(), Broken(), 2.0, np.float32(2), "2", None, np.array([2])]
INTEGERS = [int, np.int8, np.int64, np.uint16, np.uint64, lambda number: np.array(number), Index]


@pytest.fixture(params=game_ids())
def game(request):
    return find(request.param)


def test_what_an_integer_is():
    assert all(is_integer(kind(3)) for kind in INTEGERS)
    assert not any(map(is_integer, [*NO_INTEGERS, int, np.array(True), np.timedelta64(1)]))


@pytest.mark.parametrize("kind", INTEGERS)
def test_options_take_any_integer_and_keep_pythons(game, kind):
    limit = next(name for name in game.options.names() if name.startswith("max_"))
    options = game.parse_options({"num_players": kind(2), limit: kind(7)})
    assert options == game.parse_options({"num_players": 2, limit: 7})
    assert type(options.num_players) is type(getattr(options, limit)) is int
    assert json.dumps(options.to_dict())


def test_options_take_numpys_truth_values_and_keep_pythons():
    options = find("muster").parse_options({"streamlined": np.True_, "power_of_unity": np.bool_(0)})
    assert options.streamlined is True
    assert options.power_of_unity is False
    for wrong in (1, np.int64(1), "True", None, np.array([True])):
        with pytest.raises(OptionError, match="allowed: True, False"):
            find("muster").parse_options({"streamlined": wrong})


@pytest.mark.parametrize("wrong", NO_INTEGERS, ids=kind_of)
def test_what_is_no_integer_is_refused_as_an_option(game, wrong):
    with pytest.raises(OptionError, match="num_players="):
        game.parse_options({"num_players": wrong})


@pytest.mark.parametrize("kind", INTEGERS)
def test_actions_seeds_seats_and_numbers_of_games_are_any_integers(game, kind):
    env, twin = aec.TableEnv(game), aec.TableEnv(game)
    env.reset(seed=5)
    twin.reset(seed=kind(5))
    assert env.state_bytes() == twin.state_bytes()
    for _ in range(5):
        action = int(np.flatnonzero(env.table.mask)[0])
        if action < 100:
            env.step(action)
            twin.step(kind(action))
    assert env.state_bytes() == twin.state_bytes()
    assert env.redeal(1, 9).state_bytes() == twin.redeal(kind(1), kind(9)).state_bytes()
    assert twin.table.history == env.table.history
    assert all(type(action) is int for action in twin.table.history)
    batch = BatchEnv(game, kind(3), kind(5), first=kind(0))
    assert (batch.num_games, batch.seed) == (3, 5)


@pytest.mark.parametrize("wrong", [Truth(), Broken(), Index(-1), Index(10**6), Index(2**80)], ids=kind_of)
def test_what_is_no_action_is_refused(game, wrong):
    env = aec.TableEnv(game)
    env.reset(seed=5)
    before = env.state_bytes()
    with pytest.raises(IllegalAction):
        env.step(wrong)
    assert env.state_bytes() == before


def test_torch_tensors_without_axes_are_integers(game):
    torch = pytest.importorskip("torch")
    env = aec.TableEnv(game)
    env.reset(seed=5)
    for wrong in (torch.tensor(True), torch.tensor(1.0), torch.tensor([1, 2])):
        with pytest.raises(IllegalAction):
            env.step(wrong)
    env.step(torch.tensor(int(np.flatnonzero(env.table.mask)[0])))
    assert len(env.table.history) == 1
