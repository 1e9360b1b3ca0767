"""`sb3:PATH`: saved models play as they would themselves, and a file can neither run anything nor fill the memory."""

import io
import json
import os
import pickle
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from cardtable_agents import tensors
from cardtable_agents.arena.match import Match
from cardtable_agents.tensors import TensorsError, read_tensors
from helpers import SALT, views_along_a_game

from cardtable.errors import AgentError
from cardtable.game.registry import find, game_ids
from cardtable.players.roster import make_agent

torch = pytest.importorskip("torch", reason="models are saved by PyTorch")
sb3 = pytest.importorskip("stable_baselines3", reason="models are saved by it")
contrib = pytest.importorskip("sb3_contrib", reason="models are saved by it")

from cardtable.envs.sb3 import LearnerVecEnv  # noqa: E402

MODELS = {"MaskablePPO": contrib.MaskablePPO, "PPO": sb3.PPO, "A2C": sb3.A2C, "DQN": sb3.DQN}
NETWORKS = [
    {},
    {"net_arch": [32]},
    {"net_arch": [], "activation_fn": torch.nn.ReLU},
    {"net_arch": [24, 16], "activation_fn": torch.nn.ELU},
    {"net_arch": [24, 16], "activation_fn": torch.nn.LeakyReLU},
    {"net_arch": [16], "activation_fn": torch.nn.Tanh},
]


def new_model(kind, game="muster", **network):
    env = LearnerVecEnv(game, 2, seed=1, illegal="raise" if kind == "MaskablePPO" else "lose")
    buffer = {"buffer_size": 10} if kind == "DQN" else {}
    model = MODELS[kind]("MlpPolicy", env, seed=3, device="cpu", policy_kwargs=network, **buffer)
    with torch.no_grad():
        for number, weights in enumerate(model.policy.parameters()):  # as they are made, all choices are nearly alike
            weights += torch.randn(weights.shape, generator=torch.Generator().manual_seed(number)) * 0.2
    return model


def saved(folder, kind="MaskablePPO", game="muster", **network):
    path = folder / f"{kind}.zip"
    new_model(kind, game, **network).save(path)
    return path


@pytest.fixture(scope="module")
def model_path(tmp_path_factory):
    return saved(tmp_path_factory.mktemp("model"))


@pytest.mark.parametrize("network", NETWORKS, ids=str)
def test_choices_are_those_of_the_model_itself(tmp_path, network):
    model = new_model("MaskablePPO", **network)
    model.save(tmp_path / "model.zip")
    agent, chosen = make_agent(f"sb3:{tmp_path / 'model.zip'}", "muster"), set()
    for views in views_along_a_game(find("muster"), steps=60):
        theirs, _ = model.predict(views.observation, action_masks=views.mask == 1, deterministic=True)
        assert agent.act(views).tolist() == theirs.tolist()
        chosen.add(int(theirs[0]))
    assert len(chosen) > 10


@pytest.mark.parametrize("kind", ["PPO", "A2C", "DQN"])
def test_models_without_masks_play_the_best_legal_action(tmp_path, kind):
    model = new_model(kind)
    model.save(tmp_path / "model.zip")
    agent = make_agent(f"sb3:{tmp_path / 'model.zip'}", "muster")
    for views in views_along_a_game(find("muster"), steps=20):
        seen = torch.from_numpy(views.observation)
        with torch.no_grad():
            worth = model.q_net(seen) if kind == "DQN" else model.policy.get_distribution(seen).distribution.logits
        legal = np.flatnonzero(views.mask[0])
        assert agent.act(views)[0] == legal[worth[0, legal].argmax()]


@pytest.mark.parametrize("game_id", game_ids())
def test_a_model_is_an_agent_like_any_other(tmp_path, game_id):
    game = find(game_id)
    options = game.parse_options({})
    name = f"sb3:{saved(tmp_path, game=game_id)}"
    agents = [make_agent(name, game, options), make_agent("random", game, options)]
    assert all(played.ending for played in Match(game, options, agents, seed=3, first=0, number=4, salt=SALT).play())
    env = LearnerVecEnv(game, 2, opponents=[name])
    env.reset()
    env.step(env.action_masks().argmax(axis=1))


def test_the_fingerprint_is_that_of_the_file(tmp_path, model_path):
    other = tmp_path / "other.zip"
    other.write_bytes(model_path.read_bytes() + b"")
    same = make_agent(f"sb3:{other}", "muster").fingerprint()
    assert same == make_agent(f"sb3:{model_path}", "muster").fingerprint()
    assert same != make_agent(f"sb3:{saved(tmp_path, net_arch=[8])}", "muster").fingerprint()


def test_neither_pytorch_nor_stable_baselines_is_needed_to_play(model_path):
    code = f"""
import sys
sys.modules.update(dict.fromkeys(("torch", "stable_baselines3", "sb3_contrib")))
import cardtable
env = cardtable.make("muster")
env.reset(seed=1)
print(cardtable.make_agent({f"sb3:{model_path}"!r}, "muster").choose(env))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().isdecimal()


# ---- Files that are not what they seem


class Evil:
    """A pickle that runs a command."""

    def __reduce__(self):
        return os.system, ("touch RAN",)


def repacked(path, target, changes, compression=zipfile.ZIP_STORED):
    """The zip with other content in some of its files; None leaves a file out."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w", compression) as new:
        for name in {*old.namelist(), *changes}:
            content = changes.get(name, old.read(name) if name in old.namelist() else None)
            if content is not None:
                new.writestr(name, content)
    return target


def with_settings(path, target, **changes):
    with zipfile.ZipFile(path) as archive:
        settings = json.loads(archive.read("data")) | changes
    return repacked(path, target, {"data": json.dumps(settings)})


def weights_of(path):
    with zipfile.ZipFile(path) as archive:
        return torch.load(io.BytesIO(archive.read("policy.pth")), weights_only=True)


def with_weights(path, target, weights):
    written = io.BytesIO()
    torch.save(weights, written)
    return repacked(path, target, {"policy.pth": written.getvalue()})


def refused(path, message):
    with pytest.raises(AgentError, match=message):
        make_agent(f"sb3:{path}", "muster")


def test_nothing_in_a_file_is_run(tmp_path, model_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    listed = io.BytesIO()
    with zipfile.ZipFile(listed, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({"action_net.weight": Evil()}))
    refused(repacked(model_path, tmp_path / "a.zip", {"policy.pth": listed.getvalue()}), "asks for .*system.*nothing was run")
    refused(with_weights(model_path, tmp_path / "b.zip", {"action_net.weight": Evil()}), "asks for .*system.*nothing was run")
    refused(repacked(model_path, tmp_path / "c.zip", {"policy.pth": pickle.dumps(Evil())}), "not a zip file")
    serialized = pickle.dumps(Evil()).hex()
    harmless = with_settings(model_path, tmp_path / "d.zip", lr_schedule={":type:": "function", ":serialized:": serialized})
    make_agent(f"sb3:{harmless}", "muster")
    assert not (tmp_path / "RAN").exists()


def test_what_is_no_model_is_refused(tmp_path, model_path):
    text = tmp_path / "text.zip"
    text.write_text("a model")
    refused(text, "not a model of Stable-Baselines3: not a zip file")
    refused(tmp_path / "none.zip", "cannot be read: No such file")
    refused(tmp_path, "cannot be read")
    refused(repacked(model_path, tmp_path / "a.zip", {"policy.pth": None}), r"no 'policy.pth' in it, found \[")
    refused(repacked(model_path, tmp_path / "b.zip", {"data": b"{"}), "'data' is not JSON")
    refused(repacked(model_path, tmp_path / "c.zip", {"data": b"[" * 100_000}), "'data' is not JSON")
    refused(repacked(model_path, tmp_path / "d.zip", {"data": b"[]"}), "'data' is not an object")
    for name in ("sb3", "sb3:"):
        with pytest.raises(AgentError, match="expected the file of a saved model after a colon"):
            make_agent(name, "muster")


def test_a_damaged_file_is_refused(tmp_path, model_path):
    content = model_path.read_bytes()
    for number, damaged in enumerate((content[:-2000], content[: len(content) // 2], content[:100], b"")):
        path = tmp_path / f"{number}.zip"
        path.write_bytes(damaged)
        refused(path, "not a model of Stable-Baselines3")
    generator = np.random.default_rng(1)
    for place in generator.integers(0, len(content), 60).tolist():
        path = tmp_path / "flipped.zip"
        path.write_bytes(content[:place] + bytes([content[place] ^ 255]) + content[place + 1 :])
        try:
            make_agent(f"sb3:{path}", "muster")
        except AgentError:
            continue


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path, model_path, monkeypatch):
    from cardtable_agents.players import sb3 as player

    monkeypatch.setattr(player, "LARGEST", 1 << 20)
    bomb = repacked(model_path, tmp_path / "a.zip", {"policy.pth": b"\0" * (1 << 21)}, zipfile.ZIP_DEFLATED)
    assert bomb.stat().st_size < 1 << 20
    refused(bomb, "'policy.pth' is too large; allowed: at most 1,048,576 bytes")
    large = tmp_path / "b.zip"
    large.write_bytes(b"\0" * ((1 << 20) + 1))
    refused(large, "too large; allowed: at most 1,048,576 bytes")
    packed = repacked(model_path, tmp_path / "c.zip", {}, zipfile.ZIP_BZIP2)
    refused(packed, "packed or encrypted in a way that is not read")


def test_models_of_other_games_or_kinds_are_refused(tmp_path, model_path):
    refused(saved(tmp_path, game="murano"), "expected layers from the 362 numbers of muster_v0 to its 546 actions")
    quantiles = contrib.QRDQN("MlpPolicy", LearnerVecEnv("muster", 2, illegal="lose"), device="cpu", buffer_size=10)
    quantiles.save(tmp_path / "quantiles.zip")
    refused(tmp_path / "quantiles.zip", "expected the tensors of PPO, A2C, MaskablePPO or DQN")
    refused(saved(tmp_path, activation_fn=torch.nn.GELU), "its activation is .*GELU.*; allowed: Tanh, ReLU, LeakyReLU, ELU")
    extractor = sb3.common.torch_layers.FlattenExtractor
    refused(saved(tmp_path, features_extractor_class=extractor), "its policy was made with 'features_extractor_class'; allowed")
    refused(with_settings(model_path, tmp_path / "a.zip", policy_class={"__module__": "__main__"}), "is from '__main__'")


def test_weights_that_are_no_layers_are_refused(tmp_path, model_path):
    weights = weights_of(model_path)
    target = tmp_path / "a.zip"
    refused(with_weights(model_path, target, weights | {"norm.weight": torch.zeros(3)}), "linear layers and nothing else")
    refused(with_weights(model_path, target, weights | {"action_net.bias": torch.zeros(3)}), "found a layer of shape")
    refused(with_weights(model_path, target, weights | {"action_net.bias": torch.full((546,), torch.nan)}), "not all finite")
    missing = {name: array for name, array in weights.items() if name != "action_net.bias"}
    refused(with_weights(model_path, target, missing), "linear layers and nothing else")
    refused(with_weights(model_path, target, {"action_net.weight": 3}), "expected tensors, found other values")
    refused(with_weights(model_path, target, [torch.zeros(3)]), "expected tensors by name, found 'list'")


# ---- Files of tensors


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_tensors_are_read_as_pytorch_reads_them(dtype):
    given = {"a": torch.randn(3, 4).to(dtype), "b": torch.randn(5)[2:].to(dtype), "c": torch.nn.Parameter(torch.ones(2, 1, 3))}
    written = io.BytesIO()
    torch.save(given, written)
    found = read_tensors(written.getvalue())
    assert list(found) == list(given)
    for name, array in found.items():
        assert np.array_equal(array, given[name].detach().numpy())


def test_tensors_of_other_forms_are_refused():
    for strange in (torch.zeros(3, 4).T, torch.zeros(3, dtype=torch.int64), torch.zeros(2, 2).to_sparse()):
        written = io.BytesIO()
        torch.save({"a": strange}, written)
        with pytest.raises(TensorsError):
            read_tensors(written.getvalue())


def test_a_tensor_beyond_its_numbers_is_refused():
    storage = tensors.Storage(np.dtype("<f4"), b"\0" * 40)
    assert tensors._array(storage, 0, (2, 5), (5, 1)).shape == (2, 5)
    for offset, shape, strides in (
        (1, (2, 5), (5, 1)),
        (0, (10**9, 10**9), (10**9, 1)),
        (-1, (2,), (1,)),
        (0, (-1, -1), (1, 1)),
    ):
        with pytest.raises(TensorsError):
            tensors._array(storage, offset, shape, strides)
