"""What other libraries try out before they use an environment: unknown keywords, render modes, infos of fixed shape."""

import gymnasium
import numpy as np
import pytest
from helpers import VARIANTS, choice, variant_id

import cardtable
from cardtable.envs import aec, wrappers
from cardtable.envs.batch import BatchEnv
from cardtable.envs.gymnasium import SoloEnv
from cardtable.errors import OptionError
from cardtable.game.registry import find, game_ids

SOLO = "cardtable/MuranoSolo-v0"


@pytest.fixture(params=game_ids())
def game(request):
    return find(request.param)


# ---- Keywords


@pytest.mark.parametrize(
    "make",
    [
        lambda game, **options: aec.TableEnv(game, **options),
        lambda game, **options: wrappers.env(game, **options),
        lambda game, **options: cardtable.make(game.id, **options),
        lambda game, **options: BatchEnv(game, 2, **options),
    ],
    ids=["raw", "wrapped", "make", "batch"],
)
def test_an_unknown_option_is_an_unexpected_keyword_argument(game, make):
    words = r"unknown option 'frameskip'; allowed: num_players.*unexpected keyword argument 'frameskip'"
    for kind in (TypeError, OptionError):
        with pytest.raises(kind, match=words):
            make(game, frameskip=4)


@pytest.mark.parametrize("make", [aec.TableEnv, wrappers.env])
def test_so_is_an_unknown_render_mode(game, make):
    for kind in (TypeError, OptionError):
        with pytest.raises(
            kind, match=r"'depth': allowed: None, ansi, human, rgb_array \(unexpected keyword argument 'render_mode'"
        ):
            make(game, render_mode="depth")


def test_a_wrong_value_of_an_option_is_no_type_error(game):
    with pytest.raises(OptionError) as caught:
        aec.TableEnv(game, num_players=9)
    assert not isinstance(caught.value, TypeError)


@pytest.mark.filterwarnings("ignore:.*render_mode='depth':UserWarning")  # Gymnasium's own
@pytest.mark.parametrize("unknown", [{"frameskip": 4}, {"render_mode": "depth"}], ids=str)
def test_gymnasium_passes_both_on(unknown):
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{next(iter(unknown))}'"):
        gymnasium.make(SOLO, **unknown)


# ---- Stable-Baselines3


@pytest.mark.parametrize("kwargs", [{}, {"ring": "B"}, {"render_mode": "ansi"}, {"render_mode": None}], ids=str)
def test_make_vec_env_makes_it_and_plays_it(kwargs):
    env_util = pytest.importorskip("stable_baselines3.common.env_util")
    env = env_util.make_vec_env(SOLO, n_envs=2, seed=1, env_kwargs=kwargs)
    env.reset()
    ended = 0
    while ended < 3:
        masks = np.stack(env.env_method("action_masks"))
        _, _, dones, infos = env.step(masks.argmax(axis=1))
        for lane in np.flatnonzero(dones):
            assert infos[lane]["terminal_observation"].shape == env.observation_space.shape
            assert infos[lane]["episode"]["l"] == infos[lane]["decisions"]
            ended += 1


# ---- Infos


def shape_of(info):
    """Names, types and shapes: all that has to stay the same."""
    return {name: (type(value), np.asarray(value).dtype, np.shape(value)) for name, value in info.items()}


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_infos_hold_the_same_numbers_from_reset_to_the_end(game_id, options):
    game = find(game_id)
    env = aec.TableEnv(game, **options)
    env.reset(seed=2)
    shapes = {agent: shape_of(env.infos[agent]) for agent in env.agents}
    assert all(list(shape) == list(game.infos) for shape in shapes.values())
    assert all(kind is int for shape in shapes.values() for kind, *_ in shape.values())
    while not env.table.ending:
        assert not any(value for info in env.infos.values() for value in info.values())
        assert all(env.summary(agent) == {} for agent in env.agents)
        env.step(choice(env.table.mask, 1, len(env.table.history)))
        assert {agent: shape_of(env.infos[agent]) for agent in env.agents} == shapes
    for agent in env.possible_agents:
        summary = env.summary(agent)
        assert env.infos[agent] == {name: summary[name] for name in game.infos}
        assert env.infos[agent]["decisions"] == len(env.table.history)
        assert summary["ended_by"]
    for _ in env.possible_agents:
        *_, info = env.last()
        assert shape_of(info) == shapes[env.agent_selection]
        env.step(None)
    assert env.summary("player_0")["decisions"] == len(env.table.history)
    env.reset()
    assert not any(value for info in env.infos.values() for value in info.values())


def test_infos_of_a_solo_game_hold_the_same_numbers_too():
    env = SoloEnv(find("murano"))
    _, info = env.reset(seed=2)
    shape, over = shape_of(info), False
    assert list(shape) == ["action_mask", *find("murano").infos]
    while not over:
        *_, terminated, truncated, info = env.step(choice(info["action_mask"], 1, len(env.aec.table.history)))
        over = terminated or truncated
        assert shape_of(info) == shape
    assert info["decisions"] == len(env.aec.table.history)
    assert {"works", "rank", "ended_by"} <= set(env.summary())


def test_a_summary_is_of_an_agent(game):
    env = aec.TableEnv(game)
    env.reset(seed=1)
    for ask in (env.summary, env.observe):
        with pytest.raises(OptionError, match=r"agent='player_9': allowed: player_0, player_1"):
            ask("player_9")
