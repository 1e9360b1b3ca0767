"""RLlib with the real library: masks honoured, the same games as ours, policies that play in the arena, runners that die."""

import math
import os
import re
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from helpers import SALT, VARIANTS, choice, open_table, states, variant_id

REASON = "RLlib is not installed: it needs an environment of its own, see docs/libraries/rllib.md"
ray = pytest.importorskip("ray", reason=REASON)
torch = pytest.importorskip("torch", reason=REASON)
pytest.importorskip("ray.rllib", reason=REASON, exc_type=ImportError)

from cardtable_agents.arena.match import Match  # noqa: E402
from cardtable_agents.players.policy import NetworkAgent, load  # noqa: E402
from cardtable_agents.training.rllib import export, network_of, policy_of  # noqa: E402
from examples.libraries.rllib_ppo import learn, local_ray  # noqa: E402
from ray.rllib.core.columns import Columns  # noqa: E402
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner  # noqa: E402

from cardtable.envs.gymnasium import LearnerVectorEnv  # noqa: E402
from cardtable.envs.rllib import SHARED, MultiAgentTable, VectorGames, config, self_play  # noqa: E402
from cardtable.errors import AgentError, CardtableError, IllegalAction, ResetNeeded  # noqa: E402
from cardtable.game.registry import find  # noqa: E402
from cardtable.players.roster import make_agent  # noqa: E402
from cardtable.players.views import view_of  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # RLlib calls what it has deprecated itself
    pytest.mark.filterwarnings("ignore::FutureWarning:ray"),
    pytest.mark.filterwarnings("ignore::UserWarning:gymnasium"),  # about the mask, which is not of floats
]

ROOT = Path(__file__).resolve().parents[2]
SMALL = {"train_batch_size_per_learner": 256, "minibatch_size": 128, "num_epochs": 1}
PLAYERS = [
    ("muster", {}),
    ("artisans", {"num_players": 3}),
    ("murano", {"num_players": 4, "max_rounds": 4}),
    ("murano", {"num_players": 1}),
]
OPTIONS = [
    ("muster", {"max_turns": 20}),
    ("muster", {"streamlined": True, "power_of_unity": True, "over_the_rainbow": True}),
    ("artisans", {"num_players": 4, "edition": ROOT / "artisans_env" / "example_edition.toml"}),
    ("murano", {"num_players": 3, "draft": True, "interactive": True, "advantages": [3, 8, 18, 16], "max_rounds": 12}),
]


def children():
    """The processes that this one has started, and that have not ended."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if words[0] != "Z" and int(words[1]) == os.getpid():
            found.add(int(folder.name))
    return found


def until(done, seconds=60):
    """Wait for something to be so."""
    end = time.monotonic() + seconds
    while not done() and time.monotonic() < end:
        time.sleep(0.05)
    return done()


@pytest.fixture(autouse=True)
def one_thread():
    """Networks this small are learned by one thread: several are slower on a busy machine."""
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def cluster():
    """Ray on this machine, for all tests that need it; nothing of it is left behind."""
    before = children()
    with local_ray(2):
        yield
    assert until(lambda: children() <= before)


def small(settings, **training):
    """Settings for little games and little learning."""
    return settings.training(**{**SMALL, **training}).debugging(seed=3)


# ---- What is played


@pytest.mark.parametrize(("name", "options"), [*PLAYERS, *OPTIONS], ids=str)
def test_runners_play_legal_actions_only_and_returns_come_at_the_end(name, options):
    settings = small(config(name, opponents=["random", "heuristic:1"], games=6, layers=[16], **options))
    runner = SingleAgentEnvRunner(config=settings, worker_index=0, num_workers=0)
    episodes = runner.sample(num_timesteps=240)
    ended = 0
    for episode in episodes:
        masks, rewards = episode.get_observations()["action_mask"], episode.get_rewards()
        assert len(masks) == len(rewards) + 1
        assert all(mask[action] == 1 for mask, action in zip(masks[:-1], episode.get_actions(), strict=True))
        assert not rewards[:-1].any()
        assert not episode.is_truncated
        if episode.is_done:
            info = episode.get_infos(-1)
            assert rewards[-1] == pytest.approx(info["returns"][info["seat"]])
            ended += 1
        else:
            assert rewards[-1] == 0
    assert ended or "max_turns" not in options
    runner.stop()


@pytest.mark.parametrize(("name", "options"), [*PLAYERS, *OPTIONS], ids=str)
def test_games_are_those_of_gymnasiums_vector_and_those_cut_off_are_terminated(name, options):
    """A return that has been paid leaves nothing for RLlib to estimate."""
    ours = LearnerVectorEnv(name, 5, opponents="heuristic:1", **options)
    theirs = VectorGames({"game": name, "num_envs": 5, "opponents": "heuristic:1", **options})
    first, info = ours.reset(seed=9)
    second, _ = theirs.reset(seed=9)
    cut_off = 0
    for step in range(120):
        assert np.array_equal(first, second["observation"])
        assert np.array_equal(info["action_mask"], second["action_mask"])
        actions = [choice(mask, lane, step) for lane, mask in enumerate(info["action_mask"])]
        first, rewards, terminated, truncated, info = ours.step(actions)
        second, paid, over, never, told = theirs.step(actions)
        assert np.array_equal(rewards, paid)
        assert np.array_equal(terminated | truncated, over)
        assert not never.any()
        assert np.array_equal(told["seat"], info["seat"])
        cut_off += truncated.sum()
    assert cut_off or "max_turns" not in options


def test_the_next_reset_of_the_same_seed_goes_on_to_other_games():
    """RLlib gives the same seed before every sample of whole episodes."""
    env, other = (VectorGames({"game": "muster", "num_envs": 4}) for _ in range(2))
    one = env.reset(seed=1)[0]["observation"]
    assert np.array_equal(one, other.reset(seed=1)[0]["observation"])
    two = env.reset(seed=1)[0]["observation"]
    three = env.reset()[0]["observation"]
    assert len({seen.tobytes() for seen in (one, two, three)}) == 3
    assert np.array_equal(env.reset(seed=2)[0]["observation"], other.reset(seed=2)[0]["observation"])


def test_an_illegal_action_is_refused_and_changes_nothing():
    env = VectorGames({"game": "muster", "num_envs": 2})
    seen, _ = env.reset(seed=1)
    wrong = seen["action_mask"].argmin(axis=1)
    with pytest.raises(IllegalAction, match="chosen by the learner"):
        env.step(wrong)
    env.step(seen["action_mask"].argmax(axis=1))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"game": "chess"}, "chess"),
        ({"max_turns": -1}, "max_turns"),
        ({"streamlind": True}, "streamlind"),
        ({"mask": "info"}, "mask"),
        ({"num_envs": 3}, "num_envs"),
        ({"opponents": "nobody"}, "nobody"),
        ({"opponents": []}, "opponents"),
        ({"seat": 2}, "seat"),
        ({"games": 0}, ": games=0: allowed"),
        ({"layers": [0]}, "layers"),
        ({"layers": "64"}, "layers"),
        ({"layers": 64}, "layers"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_at_once(given, words):
    with pytest.raises(CardtableError, match=re.escape(words)):
        config(**{"game": "muster", **given})
    if not given.keys() & {"opponents", "seat"}:
        with pytest.raises(CardtableError, match=re.escape(words)):
            self_play(**{"game": "muster", **given})


# ---- Learning


@pytest.mark.parametrize(("name", "options"), PLAYERS, ids=str)
def test_an_iteration_learns_something_in_every_game(cluster, name, options):
    algorithm = small(config(name, opponents="heuristic:1", games=16, layers=[32], **options)).build_algo()
    before = policy_of(network_of(algorithm)).fingerprint()
    learned = algorithm.train()["learners"]["default_policy"]
    assert all(math.isfinite(learned[name]) for name in ("total_loss", "entropy", "vf_loss", "policy_loss"))
    assert policy_of(network_of(algorithm)).fingerprint() != before
    algorithm.stop()


def test_the_same_seed_learns_the_same(cluster):
    prints = set()
    for _ in range(2):
        algorithm = small(config("muster", games=16, layers=[32])).build_algo()
        algorithm.train()
        prints.add(policy_of(network_of(algorithm)).fingerprint())
        algorithm.stop()
    assert len(prints) == 1


@pytest.mark.learns
@pytest.mark.usefixtures("cluster")
def test_the_example_learns(tmp_path):
    """From 8 % to 97 % against random play when this was written, in 30 seconds of processor time; the policy plays as well."""
    path = tmp_path / "policy.safetensors"
    before, after, _ = learn("muster", ["random"], runners=0, seconds=60, games=200, out=path)
    assert before < 0.6
    assert after > 0.7
    game = find("muster")
    options = game.parse_options({})
    agents = [make_agent(f"ppo:{path}", game, options), make_agent("random", game, options)]
    won = [played.returns[0] > 0 for played in Match(game, options, agents, 1, 0, 100).play()]
    assert sum(won) > 60


# ---- Policies


def positions(name, options, number=60):
    """What agents see along random games, one view each."""
    game = find(name)
    return [view_of(table, SALT) for table in states(game, options, number, seed=2)]


@pytest.mark.parametrize(("name", "options"), PLAYERS, ids=str)
def test_an_exported_policy_makes_the_choices_of_the_network(cluster, tmp_path, name, options):
    game = find(name)
    algorithm = small(config(name, games=16, layers=[32, 24], **options), lr=0.01).build_algo()
    algorithm.train()
    export(algorithm, tmp_path / "live.safetensors")
    folder = algorithm.save_to_path(str(tmp_path / "checkpoint"))
    export(folder, tmp_path / "saved.safetensors")
    assert (tmp_path / "live.safetensors").read_bytes() == (tmp_path / "saved.safetensors").read_bytes()
    agent = make_agent(f"ppo:{tmp_path / 'live.safetensors'}", game, game.parse_options(options))
    network = network_of(algorithm)
    for view in positions(name, options):
        seen = {"observation": torch.from_numpy(view.observation), "action_mask": torch.from_numpy(view.mask)}
        logits = network.forward_inference({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS].numpy()
        expected = load(tmp_path / "live.safetensors", game).logits(view.observation, view.mask)
        assert np.allclose(logits, expected, atol=1e-4)
        assert agent.act(view)[0] == logits.argmax()
    algorithm.stop()


def test_an_algorithm_goes_on_from_its_checkpoint(cluster, tmp_path):
    settings = small(config("muster", opponents="heuristic:1", games=16, layers=[32], streamlined=True))
    algorithm = settings.build_algo()
    algorithm.train()
    folder = algorithm.save_to_path(str(tmp_path / "checkpoint"))
    restored = type(algorithm).from_checkpoint(folder)
    assert policy_of(network_of(restored)).fingerprint() == policy_of(network_of(algorithm)).fingerprint()
    assert restored.config.env_config["streamlined"] is True
    restored.train()
    for each in (algorithm, restored):
        each.stop()


def test_what_holds_no_network_of_ours_is_refused(tmp_path):
    for given in (None, 7, str(tmp_path), tmp_path / "nothing", torch.nn.Linear(2, 2)):
        with pytest.raises(AgentError, match="expected an algorithm, a MaskedNetwork or the folder of a checkpoint"):
            export(given, tmp_path / "policy.safetensors")
    assert list(tmp_path.iterdir()) == []


# ---- Every seat an agent of RLlib


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=variant_id)
def test_agents_take_turns_and_all_who_acted_see_the_end(name, options):
    env = MultiAgentTable({"game": name, **options})
    seen, infos = env.reset(seed=4)
    table = open_table(find(name), options, seed=4)
    rewards, over, acted = {}, {"__all__": False}, set()
    assert infos == {}
    while not over["__all__"]:
        (agent,) = seen
        assert agent == f"player_{table.seat}"
        assert not any(rewards.values())
        assert np.array_equal(seen[agent]["observation"], table.observation)
        assert np.array_equal(seen[agent]["action_mask"], table.mask)
        assert seen[agent]["observation"] in env.observation_spaces[agent]["observation"]
        action = choice(table.mask, 0, len(table.history))
        seen, rewards, over, truncated, infos = env.step({agent: action})
        assert truncated == {"__all__": False}
        assert seen.keys() == rewards.keys() == infos.keys()
        acted.add(agent)
        table.play(action)
    returns, _ = table.result()
    assert seen.keys() == acted
    assert rewards == {f"player_{seat}": value for seat, value in enumerate(returns) if f"player_{seat}" in acted}
    for agent in seen:
        assert np.array_equal(seen[agent]["observation"], table.observe(int(agent[-1])))
    with pytest.raises(ResetNeeded, match="the game is over"):
        env.step({"player_0": 0})


def test_actions_out_of_turn_and_illegal_ones_are_refused():
    env = MultiAgentTable({"game": "muster"})
    with pytest.raises(ResetNeeded):
        env.step({"player_0": 0})
    seen, _ = env.reset(seed=1)
    (agent,) = seen
    mask = seen[agent]["action_mask"]
    other = "player_1" if agent == "player_0" else "player_0"
    for wrong in ({}, {other: int(mask.argmax())}, {agent: int(mask.argmax()), other: 0}, {agent: int(mask.argmin())}):
        with pytest.raises(IllegalAction):
            env.step(wrong)
    assert env.aec.table.history == []
    env.step({agent: int(mask.argmax())})


def test_all_seats_learn_by_one_network(cluster, tmp_path):
    algorithm = small(self_play("artisans", games=4, layers=[32], num_players=3)).build_algo()
    before = policy_of(network_of(algorithm)).fingerprint()
    result = algorithm.train()
    assert set(result["env_runners"]["num_agent_steps_sampled"]) == {"player_0", "player_1", "player_2"}
    assert math.isfinite(result["learners"][SHARED]["total_loss"])
    export(algorithm, tmp_path / "live.safetensors")
    export(algorithm.save_to_path(str(tmp_path / "checkpoint")), tmp_path / "saved.safetensors")
    assert (tmp_path / "live.safetensors").read_bytes() == (tmp_path / "saved.safetensors").read_bytes()
    game = find("artisans")
    agent = NetworkAgent(game, game.parse_options({"num_players": 3}), load(tmp_path / "live.safetensors", game))
    assert agent.policy.fingerprint() != before
    algorithm.stop()


# ---- Runners


def process_ids(algorithm):
    return algorithm.env_runner_group.foreach_env_runner(lambda _: os.getpid(), local_env_runner=False)


def test_a_runner_that_is_killed_is_replaced_and_training_goes_on(cluster):
    settings = small(config("muster", opponents=["heuristic:1", "random"], games=16, layers=[32]))
    algorithm = settings.env_runners(num_env_runners=2).build_algo()
    algorithm.train()
    first = process_ids(algorithm)
    assert len(set(first)) == 2
    assert os.getpid() not in first
    victim = first[0]
    killer = threading.Timer(0.1, os.kill, (victim, signal.SIGKILL))
    killer.start()
    prints = set()

    def replaced():
        algorithm.train()
        prints.add(policy_of(network_of(algorithm)).fingerprint())
        now = process_ids(algorithm)
        return len(now) == 2 and victim not in now

    assert until(replaced, seconds=120)
    killer.join()
    steps = algorithm.train()["env_runners"]["num_env_steps_sampled"]
    assert steps >= SMALL["train_batch_size_per_learner"]
    assert len(prints) > 1
    last = process_ids(algorithm)
    algorithm.stop()
    assert until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in last))


# ---- The page and the versions


def versions(name):
    """What a file of constraints says of each package."""
    return dict(re.findall(r"^([\w-]+)==(\S+)$", (ROOT / name).read_text(encoding="utf-8"), flags=re.MULTILINE))


def test_versions_are_those_that_everything_else_is_tested_with_but_for_gymnasium():
    ours, all_others = versions("constraints-rllib.txt"), versions("constraints.txt")
    assert len(ours) > 10
    assert [name for name in ours if all_others.get(name, ours[name]) != ours[name]] == ["gymnasium"]
