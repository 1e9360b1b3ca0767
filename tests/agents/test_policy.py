"""Policies: what a network plays, and files that hold numbers and nothing else."""

import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from cardtable_agents import weights
from cardtable_agents.arena.match import Match
from cardtable_agents.players import policy
from cardtable_agents.players.policy import Advice, NetworkAgent, Policy
from cardtable_agents.weights import WeightsError
from helpers import SALT, VARIANTS, open_table, variant_id, views_along_a_game

from cardtable.errors import AgentError
from cardtable.game.registry import find, game_ids
from cardtable.players.roster import make_agent
from cardtable.players.views import view_of

SHIPPED = sorted(policy.POLICIES.glob(f"*{policy.SUFFIX}"))
"""The policies that come with the package."""


def new_policy(game, seed=0, width=16):
    """A network that has learned nothing."""
    generator = np.random.default_rng(seed)
    sizes = [game.layout.size, width, width, game.actions.size]
    return Policy([(generator.normal(size=(out, into)), generator.normal(size=out)) for into, out in pairwise(sizes)])


def saved(folder, game, seed=0, **about):
    path = folder / f"{game.id}.safetensors"
    policy.save(path, game, new_policy(game, seed), {"seed": seed, **about})
    return path


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_a_policy_plays_whole_games_under_all_options(tmp_path, game_id, options):
    """Illegal actions would raise."""
    game = find(game_id)
    checked = game.parse_options(options)
    agent = make_agent(f"ppo:{saved(tmp_path, game)}", game, checked)
    players = [agent, *(make_agent("random", game, checked) for _ in range(checked.num_players - 1))]
    assert all(played.ending for played in Match(game, checked, players, seed=3, first=0, number=3, salt=SALT).play())


def test_a_policy_plays_the_same_alone_and_beside_other_games(tmp_path):
    game = find("muster")
    options = game.parse_options({})
    players = [make_agent(f"ppo:{saved(tmp_path, game)}", game, options)] * 2
    together = Match(game, options, players, seed=9, first=4, number=40, salt=SALT).play()
    alone = [
        played
        for deal in (4, 20, 43)
        for played in Match(game, options, players, seed=9, first=deal, number=1, salt=SALT).play()
    ]
    assert [together[deal - 4].actions for deal in (4, 20, 43)] == [played.actions for played in alone]


def test_the_best_action_is_the_legal_one_with_the_largest_logit():
    game = find("muster")
    table = open_table(game, {})
    network = new_policy(game)
    latent = table.observation.astype(np.float64)
    for number, (weight, bias) in enumerate(network.layers):
        latent = weight @ (latent if number == 0 else latent.clip(min=0)) + bias
    legal = np.flatnonzero(table.mask)
    assert network.best(table.observation[None], table.mask[None])[0] == legal[latent[legal].argmax()]


def test_sampled_actions_follow_the_distribution_of_the_policy():
    game = find("muster")
    table, number = open_table(game, {}), 40_000
    network = new_policy(game, width=4)
    logits = network.logits(table.observation[None], table.mask[None])[0]
    shares = np.exp(logits - logits.max())
    keys = np.random.default_rng(0).integers(0, 2**64, number, np.uint64)
    many = [np.repeat(array[None], number, axis=0) for array in (table.observation, table.mask)]
    counts = np.bincount(network.sample(*many, keys), minlength=game.actions.size)
    assert abs(counts / number - shares / shares.sum()).max() < 0.01


def test_a_file_gives_back_the_policy_and_what_it_is_about(tmp_path):
    game = find("artisans")
    path = saved(tmp_path, game, seed=4, command="cardtable train artisans")
    loaded, made = policy.load(path, game), policy.about(path)
    assert (made["seed"], made["command"], made["game"]) == (4, "cardtable train artisans", "artisans_v0")
    exact = new_policy(game, 4).cast(np.float32).cast(np.float64)
    for (weight, bias), (own, shift) in zip(loaded.layers, exact.layers, strict=True):
        assert np.array_equal(weight, own)
        assert np.array_equal(bias, shift)


def test_a_file_in_half_precision_is_half_as_large(tmp_path):
    game, given = find("artisans"), new_policy(find("artisans"), width=64)
    whole, half = tmp_path / "whole.safetensors", tmp_path / "half.safetensors"
    policy.save(whole, game, given, {})
    policy.save(half, game, given, {}, np.float16)
    assert half.stat().st_size < 0.52 * whole.stat().st_size
    for (weight, _), (own, _) in zip(policy.load(half, game).layers, given.layers, strict=True):
        assert np.allclose(weight, own, atol=2e-3, rtol=1e-3)


# ---- Values


def with_values(game, seats=2, width=16):
    generator = np.random.default_rng(1)
    return replace(new_policy(game, width=width), value=(generator.normal(size=(seats, width)), generator.normal(size=seats)))


@pytest.mark.parametrize("seats", [1, 2, 4])
def test_values_follow_from_the_units_before_the_last_layer(tmp_path, seats):
    game, path = find("muster"), tmp_path / "policy.safetensors"
    given = with_values(game, seats)
    seen = np.random.default_rng(2).random((5, game.layout.size)).astype(np.float32)
    latent = seen.astype(np.float64)
    for weight, bias in given.layers[:-1]:
        latent = np.maximum(latent @ weight.T + bias, 0)
    assert given.values(seen) == pytest.approx(latent @ given.value[0].T + given.value[1])
    policy.save(path, game, given, {})
    loaded = policy.load(path, game)
    assert loaded.values(seen).shape == (5, seats)
    assert loaded.values(seen) == pytest.approx(given.values(seen), rel=1e-4, abs=1e-3)
    assert np.array_equal(
        loaded.logits(seen, np.ones((5, game.actions.size))),
        replace(loaded, value=None).logits(seen, np.ones((5, game.actions.size))),
    )


def test_a_policy_without_values_says_so_and_is_known_as_before(tmp_path):
    game = find("muster")
    with pytest.raises(AgentError, match="has no value head"):
        new_policy(game).values(np.zeros((1, game.layout.size)))
    plain = with_values(game)
    assert replace(plain, value=None).fingerprint() == new_policy(game).fingerprint()
    assert plain.fingerprint() != new_policy(game).fingerprint()
    assert new_policy(game).fingerprint() == "9d83f517673dca3b"  # as the first version computed it


WRONG_VALUES = {
    "no biases": lambda arrays: {name: array for name, array in arrays.items() if name != "value.bias"},
    "no weights": lambda arrays: {name: array for name, array in arrays.items() if name != "value.weight"},
    "of other units": lambda arrays: {**arrays, "value.weight": arrays["value.weight"][:, :5]},
    "turned": lambda arrays: {**arrays, "value.weight": arrays["value.weight"].T},
    "of too many seats": lambda arrays: (
        arrays | {"value.weight": np.zeros((5, 16), np.float32), "value.bias": np.zeros(5, np.float32)}
    ),
    "without axes": lambda arrays: {**arrays, "value.bias": np.array(1.0, np.float32)},
    "integers": lambda arrays: {**arrays, "value.bias": arrays["value.bias"].astype(np.int64)},
    "not a number": lambda arrays: {**arrays, "value.bias": np.array([np.nan, 0], np.float32)},
}


@pytest.mark.parametrize("change", WRONG_VALUES)
def test_a_value_head_that_is_none_is_refused(tmp_path, change):
    game, path = find("muster"), tmp_path / "policy.safetensors"
    policy.save(path, game, with_values(game), {})
    arrays, about = weights.load(path)
    weights.save(path, WRONG_VALUES[change](arrays), about)
    with pytest.raises(AgentError, match=r"expected value\.weight and value\.bias|value head|finite") as caught:
        policy.load(path, game)
    assert len(str(caught.value)) < 1000


def test_playing_a_policy_imports_no_torch(tmp_path):
    game = find("muster")
    code = (
        "import sys; from cardtable import find, make_agent; game = find('muster');"
        f"make_agent({f'ppo:{saved(tmp_path, game)}'!r}, game, game.parse_options({{}}));"
        "print([name for name in ('torch', 'stable_baselines3', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# ---- Files that are refused


@pytest.mark.parametrize(
    ("field", "value"),
    [("game", "artisans_v0"), ("rules", 99), ("observation", "0" * 16), ("actions", "0" * 16), ("format", "another")],
)
def test_a_policy_of_something_else_is_refused_by_what_differs(tmp_path, field, value):
    game = find("muster")
    path = saved(tmp_path, game)
    arrays, about = weights.load(path)
    weights.save(path, arrays, {**about, field: value})
    with pytest.raises(AgentError, match=f"its {field} is {value!r}, expected"):
        make_agent(f"ppo:{path}", game, game.parse_options({}))


@pytest.mark.parametrize("change", ["missing", "turned", "narrow", "none"])
def test_arrays_that_are_no_network_are_refused(tmp_path, change):
    game = find("muster")
    path = saved(tmp_path, game)
    arrays, about = weights.load(path)
    if change == "missing":
        arrays["more"] = arrays.pop("1.bias")
    elif change == "turned":
        arrays["0.weight"] = arrays["0.weight"].T
    elif change == "narrow":
        arrays["2.weight"], arrays["2.bias"] = arrays["2.weight"][:5], arrays["2.bias"][:5]
    else:
        arrays = {}
    weights.save(path, arrays, about)
    with pytest.raises(AgentError, match="layers"):
        make_agent(f"ppo:{path}", game, game.parse_options({}))


def hostile_files(folder):
    """Files that would do harm, or hang, if they were believed."""

    class Harm:
        def __reduce__(self):
            return os.mkdir, (str(folder / "harm"),)

    np.savez(folder / "objects.npz", harm=np.array([Harm()], dtype=object))
    huge = json.dumps(
        {"__metadata__": {"about": "{}", "sha256": ""}, "a": {"dtype": "F32", "shape": [1 << 60], "data_offsets": [0, 1 << 62]}}
    )
    nested = b"[" * 100_000
    return {
        "pickle": pickle.dumps(Harm()),
        "npz": (folder / "objects.npz").read_bytes(),
        "huge": len(huge).to_bytes(8, "little") + huge.encode(),
        "nested": len(nested).to_bytes(8, "little") + nested,
        "long header": (1 << 63).to_bytes(8, "little") + b"{}",
        "list": (2).to_bytes(8, "little") + b"[]",
        "empty": b"",
    }


def test_hostile_files_run_nothing_and_are_refused(tmp_path):
    game = find("muster")
    for name, content in hostile_files(tmp_path).items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(AgentError, match=f"policy .*{name}"):
            make_agent(f"ppo:{path}", game, game.parse_options({}))
    assert not (tmp_path / "harm").exists()


def test_a_file_larger_than_any_policy_is_not_read(tmp_path):
    path = tmp_path / "zeros.safetensors"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(AgentError, match="too large"):
        policy.load(path, find("muster"))
    with pytest.raises(WeightsError, match="too large"):
        weights.load(path)


NOT_A_NETWORK = {
    "one array without axes": lambda arrays: {**arrays, "0.bias": np.array(1.0, np.float16)},
    "all arrays without axes": lambda arrays: dict.fromkeys(arrays, np.array(1.0, np.float16)),
    "one array more": lambda arrays: {**arrays, "more": arrays["0.bias"]},
    "integers": lambda arrays: {name: array.astype(np.int64) for name, array in arrays.items()},
    "three axes": lambda arrays: {name: array[None] for name, array in arrays.items()},
    "not a number": lambda arrays: {**arrays, "1.bias": np.full_like(arrays["1.bias"], np.nan)},
    "infinite": lambda arrays: {**arrays, "1.weight": np.full_like(arrays["1.weight"], -np.inf)},
    "beyond the forbidden": lambda arrays: {**arrays, "2.bias": np.full(arrays["2.bias"].shape, -2e9)},
    "beyond all numbers": lambda arrays: {name: np.full(array.shape, 1e200) for name, array in arrays.items()},
}


@pytest.mark.parametrize("name", NOT_A_NETWORK)
def test_numbers_that_are_no_policy_are_refused(tmp_path, name):
    game = find("muster")
    path = saved(tmp_path, game)
    arrays, about = weights.load(path)
    weights.save(path, NOT_A_NETWORK[name](arrays), about)
    with pytest.raises(AgentError, match=r"layers|finite|add up to") as caught:
        policy.load(path, game)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    ("wrong", "dtype"), [(np.nan, np.float32), (np.inf, np.float32), (1e40, np.float32), (1e6, np.float16)], ids=str
)
def test_numbers_that_are_no_policy_are_not_written(tmp_path, wrong, dtype):
    game = find("muster")
    path = saved(tmp_path, game)
    before, broken = path.read_bytes(), new_policy(game)
    broken.layers[1][0][2, 3] = wrong  # 1e6 is infinite in half precision, 1e40 in single precision
    with pytest.raises(AgentError, match="not written"):
        policy.save(path, game, broken, {}, dtype)
    assert path.read_bytes() == before


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_logits_stay_within_their_bound(path):
    game = find(policy.about(path)["game"])
    network = policy.load(path, game)
    inputs = np.random.default_rng(1).random((50, game.layout.size + game.actions.size)).round()
    seen = inputs if network.advice else inputs[:, : game.layout.size]
    everything = np.ones((50, game.actions.size))
    assert abs(network.logits(seen, everything)).max() < network.largest_logit() < -policy.FORBIDDEN / 1000


def test_files_that_are_not_there_are_named(tmp_path, monkeypatch):
    game = find("muster")
    with pytest.raises(AgentError, match=r"nowhere.*cannot be read"):
        make_agent(f"ppo:{tmp_path / 'nowhere'}", game, game.parse_options({}))
    monkeypatch.setattr(policy, "POLICIES", tmp_path)
    expected = r"no policy for muster_v0 with 2 players comes with the package; train one: cardtable train muster_v0 -o num_pl"
    with pytest.raises(AgentError, match=expected):
        make_agent("ppo", game, game.parse_options({}))


def test_the_shipped_policy_for_the_number_of_players_comes_before_the_one_for_any_other(tmp_path, monkeypatch):
    game, made = find("murano"), {}
    monkeypatch.setattr(policy, "POLICIES", tmp_path)
    for seed, name in enumerate(["murano_v0-1", "murano_v0-3", "murano_v0"]):
        path = tmp_path / f"{name}.safetensors"
        policy.save(path, game, new_policy(game, seed), {})
        made[name] = policy.load(path, game).fingerprint()
    found = [make_agent("ppo", game, {"num_players": players}).fingerprint() for players in (1, 2, 3, 4)]
    assert found == [made["murano_v0-1"], made["murano_v0"], made["murano_v0-3"], made["murano_v0"]]
    path.unlink()
    with pytest.raises(AgentError, match=r"no policy for murano_v0 with 4 players .* \(there is one for 1, 3\); train one"):
        make_agent("ppo", game, {"num_players": 4})


# ---- Advice


@pytest.mark.parametrize("game_id", game_ids())
def test_an_advised_policy_that_has_learned_nothing_plays_like_its_adviser(game_id):
    game = find(game_id)
    options, size = game.parse_options({}), game.actions.size
    nothing = [(np.zeros((size, game.layout.size)), np.zeros(size))]
    agent, heuristic = (
        NetworkAgent(game, options, Policy(nothing, Advice("heuristic", 3.0))),
        make_agent("heuristic", game, options),
    )
    assert agent.wants_records
    for views in views_along_a_game(game):
        assert agent.act(views).tolist() == heuristic.act(views).tolist()
    assert not NetworkAgent(game, options, Policy(nothing)).wants_records


def test_trust_weighs_scores_against_the_own_logits():
    own = [(np.zeros((3, 2)), np.array([0.0, 1.0, 5.0]))]
    seen, mask = np.array([[0.3, 0.4, 1.0, 0.6, 0.0]]), np.array([[1, 1, 0]])
    assert Policy(own, Advice("heuristic", 2.0)).best(seen, mask).tolist() == [1]
    assert Policy(own, Advice("heuristic", 4.0)).best(seen, mask).tolist() == [0]


def test_a_file_keeps_the_adviser_and_the_trust_in_it(tmp_path):
    game, path, advice = find("muster"), tmp_path / "policy.safetensors", Advice("heuristic:3", 12.5)
    policy.save(path, game, Policy(new_policy(game).layers, advice), {})
    assert policy.load(path, game).advice == advice
    assert make_agent(f"ppo:{path}", game, game.parse_options({})).adviser.agent.worlds == 3
    assert policy.load(saved(tmp_path, game), game).advice is None


@pytest.mark.parametrize(
    "wrong", ["heuristic", ["heuristic"], ["heuristic", float("nan")], ["heuristic", "much"], [1, 1.0], {}]
)
def test_a_file_with_malformed_advice_is_refused(tmp_path, wrong):
    game, path = find("muster"), tmp_path / "policy.safetensors"
    policy.save(path, game, new_policy(game), {"advice": wrong})
    with pytest.raises(AgentError, match="its advice is"):
        policy.load(path, game)


@pytest.mark.parametrize("adviser", ["itself", "heuristic:" + "9" * 5000, "heuristic:0", "heuristic:x", "x" * 100_000], ids=len)
def test_a_policy_with_an_impossible_adviser_is_refused(tmp_path, adviser):
    game, path = find("muster"), tmp_path / "policy.safetensors"
    adviser = f"ppo:{path}" if adviser == "itself" else adviser
    policy.save(path, game, new_policy(game), {"advice": [adviser, 1.0]})
    with pytest.raises(AgentError) as caught:
        make_agent(f"ppo:{path}", game, game.parse_options({}))
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    "name", ["x" * 10**6, "ppo:" + "x" * 10**6, "ppo:\0", "random:" + "x" * 10**6, "search:" + "9" * 10**5], ids=len
)
def test_a_name_of_any_length_gets_a_short_message(name):
    game = find("muster")
    with pytest.raises(AgentError) as caught:
        make_agent(name, game, game.parse_options({}))
    assert len(str(caught.value)) < 1000


# ---- The policies that come with the package


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_policies_say_how_they_were_made_and_beat_random(path):
    made = policy.about(path)
    assert made["command"].startswith("cardtable train")
    game = find(made["game"])
    options = game.parse_options(made["options"])
    agent, other, returns = make_agent(f"ppo:{path}", game, options), make_agent("random", game, options), []
    for seat in range(options.num_players):
        players = [agent if each == seat else other for each in range(options.num_players)]
        match = Match(game, options, players, seed=2, first=0, number=40, salt=SALT)
        returns += [played.returns[seat] for played in match.play()]
    assert np.mean(returns) > (0.7 if options.num_players > 1 else -0.5)  # alone, `random` always loses: -1


@pytest.mark.parametrize("game_id", game_ids())
def test_a_shipped_policy_chooses_by_what_its_seat_sees(game_id):
    """All hidden cards are drawn anew: the choice is the same."""
    game = find(game_id)
    table = open_table(game, {})
    agent = make_agent("ppo", game, table.options)
    for _ in range(20):
        chosen = agent.act(view_of(table, SALT)).tolist()
        assert agent.act(view_of(table.redeal(table.seat, 3), SALT)).tolist() == chosen
        table.play(chosen[0])
        if table.ending:
            table = open_table(game, {}, seed=2)


def test_a_policy_agent_is_known_by_what_it_plays_by(tmp_path):
    """By the numbers that it has loaded and by its adviser, whatever the file is called or says about itself."""
    game = find("muster")
    options = game.parse_options({})
    plain = new_policy(game)
    policies = [plain, new_policy(game, seed=1), replace(plain, advice=Advice("heuristic", 1.0))]
    policies += [replace(plain, advice=Advice("heuristic", 2.0)), replace(plain, advice=Advice("heuristic:2", 2.0))]
    found = []
    for number, each in enumerate(policies):
        for name in ("a", "b"):
            policy.save(tmp_path / f"{name}{number}.safetensors", game, each, {"command": name})
            found.append(make_agent(f"ppo:{tmp_path / name}{number}.safetensors", game, options).fingerprint())
    assert found[::2] == found[1::2]
    assert len(set(found)) == len(policies)
    assert make_agent("heuristic", game, options).fingerprint() == ""
