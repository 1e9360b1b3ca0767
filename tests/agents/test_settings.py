"""Settings of a training run: what they default to, and what is refused before anything is trained."""

import json
import re
from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from cardtable_agents.players import policy
from cardtable_agents.players.policy import Advice, Policy
from cardtable_agents.training import settings
from cardtable_agents.training.settings import MAY_CHANGE, OURS_ONLY, STANDARD, Settings, settings_for
from small_runs import SMALL, Counter, small

import artisans_env
from cardtable.errors import AgentError, OptionError, UnknownGame, UnknownOption
from cardtable.game.registry import find

WRONG = [
    ("games", 0, "integers from 1 to 1,000,000,000"),
    ("games", True, "integers from 1"),
    ("games", 2.5, "integers from 1"),
    ("games", 10**400, "integers from 1"),
    ("seed", -1, "integers from 0"),
    ("seed", None, "integers from 0"),
    ("seed", 2**64 - 1, "integers from 0"),  # imitation needs the next one
    ("steps", 0, "integers from 1"),
    ("minutes", 0, "numbers above 0"),
    ("minutes", float("inf"), "numbers above 0"),
    ("minutes", "ten", "numbers above 0"),
    ("shaping", 1.5, "numbers from 0 to 1"),
    ("shaping", float("nan"), "numbers from 0 to 1"),
    ("clip", -0.2, "numbers above 0"),
    ("entropy", 0.1, "a tuple of 2 numbers from 0"),
    ("entropy", (-0.1, 0.0), "a tuple of 2 numbers from 0"),
    ("entropy", (10**400, 0.0), "a tuple of 2 numbers from 0"),
    ("learner", "torch", "cardtable, sb3"),
    ("learner", None, "cardtable, sb3"),
    ("precision", "float16", "auto, float32, bfloat16"),
    ("precision", ["auto"], "auto, float32, bfloat16"),
    ("cut_off_loses", 1, "True, False"),
    ("shared_actions", "yes", "True, False"),
    ("teacher", 3, "text"),
    ("teacher", None, "text"),
    ("start", 3, "text"),
    ("threads", 0, "integers from 1"),
    ("gamma", 1.01, "numbers above 0 to 1"),
    ("batch", 1, "integers from 2"),
    ("rollout", 1, "integers from 2"),
    ("learning_rate", 3e-4, "a tuple of 2 numbers above 0"),
    ("learning_rate", (3e-4,), "a tuple of 2 numbers above 0"),
    ("learning_rate", (3e-4, -1e-4), "a tuple of 2 numbers above 0"),
    ("layers", (), "a tuple of integers from 1"),
    ("layers", (256, 0), "a tuple of integers from 1"),
    ("opponents", "random", "a tuple of names"),
    ("opponents", ("random", 3), "a tuple of names"),
    ("checkpoints_kept", 0, "integers from 1"),
    ("evaluation_games", None, "integers from 1"),
]


@pytest.mark.parametrize(("name", "value", "allowed"), WRONG, ids=lambda value: str(value)[:20])
def test_wrong_values_are_refused_with_what_is_allowed(name, value, allowed):
    with pytest.raises(OptionError, match=f"^{name}=.*: allowed: {re.escape(allowed)}") as caught:
        small(**{name: value})
    assert len(str(caught.value)) < 200


def test_a_run_that_would_never_end_or_has_nobody_to_play_against_is_refused():
    with pytest.raises(OptionError, match="expected steps or minutes"):
        small(steps=None)
    assert small("artisans", {"num_players": 3}, opponents=()).opponents == ()  # self-play needs nobody else
    with pytest.raises(OptionError, match="expected at least one for 3 players"):
        small("artisans", {"num_players": 3}, learner="sb3", opponents=())
    assert small("murano", {"num_players": 1}, learner="sb3", opponents=()).opponents == ()
    with pytest.raises(OptionError, match=r"evaluation_opponents=\(\): expected at least one for 2 players"):
        small(evaluation_opponents=())


@pytest.mark.parametrize("learner", ["cardtable", "sb3"])
def test_opponents_in_a_game_for_one_player_are_refused_not_dropped(learner):
    alone = {"num_players": 1}
    with pytest.raises(OptionError, match=r"murano_v0: opponents=\('random',\): a game for one player has none"):
        settings_for("murano", alone, learner=learner, opponents=["random"])
    assert settings_for("murano", alone, learner=learner).opponents == ()
    assert settings_for("murano", alone, learner=learner, opponents=[]).opponents == ()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"batch": 513}, "batch=513: allowed: at most rollout=512"),
        ({"imitation_steps": 9, "imitation_batch": 513}, "imitation_batch=513: allowed: at most rollout=512"),
        ({"games": 257}, "rollout=512: with games=257 expected at least 514, two decisions each"),
        ({"threads": 17}, "threads=17: allowed: at most games=16"),
        ({"layers": (256, 100)}, r"layers=(256, 100): allowed: multiples of 64"),
        ({"layers": (64,) * 16}, "allowed: at most 15 layers"),
        ({"layers": (64_000,)}, "a policy of about"),
        ({"batch": 511, "games": 15}, "batch=511: allowed: at most 510, the decisions that all games make together with"),
        ({"batch": 512, "games": 17, "threads": 2}, "batch=512: allowed: at most 480, the decisions"),
        (
            {"imitation_steps": 9, "imitation_batch": 511, "games": 15},
            "imitation_batch=511: allowed: at most 510, the decisions",
        ),
        ({"rollout": 10**9, "games": 10**6}, "GiB for a rollout; this machine has"),
        ({"rollout": 4 * 10**6, "games": 10**6, "threads": 10**6}, "threads=1000000: about"),
        ({"evaluation_games": 10**9}, "evaluation_games=1000000000: about"),
        ({"rollout": 10**6, "games": 3 * 10**5}, "games=300000, layers=(64, 64), past selves: 1: a checkpoint of about"),
        ({"opponents": ("self",) * 30, "layers": (2048, 512)}, "past selves: 30: a checkpoint of about"),
    ],
    ids=str,
)
def test_settings_that_do_not_go_together_are_refused(changes, message):
    with pytest.raises(OptionError, match=re.escape(message)) as caught:
        small(**changes)
    assert len(str(caught.value)) < 300


def test_machines_that_do_not_tell_their_memory_are_trusted(monkeypatch):
    def unknown(name):
        raise ValueError(name)

    monkeypatch.setattr(settings.os, "sysconf", unknown)
    assert small(rollout=10**9, games=10**5).rollout == 10**9


def test_a_run_has_no_more_threads_than_games(monkeypatch):
    monkeypatch.setattr(settings, "cores", lambda: 64)
    assert small(threads=None).thread_number == 16
    assert small(threads=3).thread_number == 3
    assert small(threads=None, games=128).thread_number == 64


# ---- The standard algorithm


@pytest.mark.parametrize(
    "changes",
    [
        *({"imitation_steps": 5}, {"advice": "heuristic"}, {"score_weight": 0.5}, {"shaping": 0.5}, {"expert": 8}),
        {"start": "policy.safetensors"},
    ],
    ids=str,
)
def test_what_only_our_learner_does_is_refused_of_the_other(changes):
    (name,) = changes
    for make in (lambda: small(learner="sb3", **changes), lambda: settings_for("muster", learner="sb3", **changes)):
        with pytest.raises(OptionError, match=f"^{name}=.*: learner='sb3' does not do this; leave it out, or use"):
            make()


@pytest.mark.parametrize("name", OURS_ONLY)
def test_settings_that_would_be_ignored_are_refused(name):
    value = {"teacher": "heuristic", "advice": "heuristic", "start": "x", "precision": "float32", "imitation_rate": (0.1, 0.1)}
    wrong = value.get(name, False if isinstance(getattr(Settings, name), bool) else 0.123)
    with pytest.raises(OptionError, match=f"^{name}=.*: learner='sb3' does not do this"):
        settings_for("muster", learner="sb3", **{name: wrong})


def test_the_standard_algorithm_has_defaults_of_its_own():
    chosen = settings_for("muster", learner="sb3", epochs=9)
    assert {name: getattr(chosen, name) for name in STANDARD} == {**STANDARD, "epochs": 9}
    assert settings_for("murano", {"num_players": 1}, learner="sb3").opponents == ()


# ---- A policy to start with


def start_file(folder, game="muster", layers=(64, 128), advice=None):
    found, path = find(game), folder / "start.safetensors"
    sizes = [found.layout.size, *layers, found.actions.size]
    network = [(np.zeros((after, before)), np.zeros(after)) for before, after in pairwise(sizes)]
    policy.save(path, found, Policy(network, advice), {})
    return str(path)


def test_a_run_that_starts_with_a_policy_has_its_layers_and_imitates_nobody(tmp_path):
    path = start_file(tmp_path)
    chosen = settings_for("muster", start=path)
    chosen.require_players()
    assert (chosen.layers, chosen.imitation_steps) == ((64, 128), 0)
    assert settings_for("muster", start=path, teacher="random").imitation_steps > 0


def test_a_policy_that_does_not_fit_the_run_is_refused(tmp_path):
    path = start_file(tmp_path)
    with pytest.raises(OptionError, match=r"a policy with layers=\(64, 128\), expected \(128,\)"):
        settings_for("muster", start=path, layers=[128]).require_players()
    with pytest.raises(OptionError, match=r"a policy with advice=None, expected 'heuristic'"):
        settings_for("muster", start=path, advice="heuristic").require_players()
    advised = start_file(tmp_path, advice=Advice("heuristic", 2.0))
    with pytest.raises(OptionError, match=r"a policy with advice='heuristic', expected None"):
        settings_for("muster", start=advised).require_players()
    with pytest.raises(AgentError, match="its game is 'muster_v0', expected 'artisans_v0'"):
        settings_for("artisans", start=path)
    with pytest.raises(AgentError, match="cannot be read"):
        settings_for("muster", start=str(tmp_path / "nowhere"))
    with pytest.raises(AgentError, match="cannot be read"):
        small(start=str(tmp_path / "nowhere")).require_players()


def test_unknown_games_options_settings_and_agents_are_named():
    with pytest.raises(UnknownGame, match="chess"):
        small("chess")
    with pytest.raises(OptionError, match="num_players=7"):
        small(options={"num_players": 7})
    with pytest.raises(UnknownOption, match=r"unknown setting 'rate'; allowed: .*learning_rate"):
        settings_for("muster", rate=0.1)
    for changes in ({"teacher": "nobody"}, {"opponents": ("random", "nobody")}, {"evaluation_opponents": ("nobody",)}):
        with pytest.raises(AgentError, match="no agent is called 'nobody'"):
            small(**changes).require_players()
    for changes in ({"teacher": "self"}, {"evaluation_opponents": ("self",)}):  # which only an opponent can be
        with pytest.raises(AgentError, match="no agent is called 'self'"):
            small(**changes).require_players()
    with pytest.raises(AgentError, match="'random' gives no advice"):
        small(advice="random").require_players()


def test_integers_of_numpy_are_kept_as_plain_ones():
    given = small(games=np.int64(8), layers=(np.int32(64), 128))
    assert json.dumps([given.games, given.layers]) == "[8, [64, 128]]"
    assert given.fixed() == small(games=8, layers=(64, 128)).fixed()


def test_what_is_left_out_is_chosen_by_the_game(monkeypatch):
    chosen = settings_for("muster")
    assert (chosen.game, chosen.minutes, chosen.steps) == ("muster_v0", 10.0, None)
    assert (chosen.teacher, chosen.imitation_steps) == ("heuristic:1", Settings.imitation_steps)
    assert chosen.opponents == ("heuristic:1",)
    assert settings_for("muster", imitation_steps=0).opponents == ()
    assert chosen.evaluation_opponents == ("random", "heuristic")
    assert settings_for("muster", steps=5).minutes is None
    assert settings_for("muster", steps=5, minutes=2).minutes == 2
    assert settings_for("muster", opponents=["random"], seed=None).opponents == ("random",)
    monkeypatch.setattr(settings, "has_evaluation", lambda game: False)
    without = settings_for("muster")
    assert (without.teacher, without.imitation_steps, without.evaluation_opponents) == ("random", 0, ("random",))
    assert "heuristic" not in settings_for("muster", learner="sb3").opponents


def test_an_advised_run_imitates_only_a_teacher_that_is_asked_for():
    assert settings_for("muster", advice="heuristic").imitation_steps == 0
    assert settings_for("muster", advice="heuristic", teacher="search:8").imitation_steps == Settings.imitation_steps
    assert settings_for("muster", advice="heuristic", imitation_steps=9).imitation_steps == 9


# ---- What must stay the same when a run is resumed


CHANGED = {
    "game": "artisans_v0",
    "options": {"max_turns": 50},
    "opponents": ("self", "random"),
    "teacher": "heuristic",
    "advice": "heuristic",
    "command": "cardtable train",
    "evaluation_opponents": ("heuristic",),
    "layers": (128,),
    "imitation_rate": (0.5, 0.5),
    "learning_rate": (0.5, 0.5),
    "entropy": (0.5, 0.5),
    "precision": "auto",
    "opponent_share": 0.5,
    "learner": "sb3",
    "cut_off_loses": False,
    "shared_actions": False,
    "rollout": 1024,
    "imitation_steps": 9,
}


@pytest.mark.parametrize("name", [each.name for each in fields(Settings)])
def test_every_setting_that_a_run_learns_by_must_stay(name, tmp_path):
    before, other = small(minutes=3.0), 0.25 if isinstance(getattr(small(minutes=3.0), name), float) else 7
    recorded = json.loads(json.dumps(before.fixed()))
    assert before.differences(recorded) == []
    changed = {**CHANGED, "start": start_file(tmp_path, layers=(64, 64))}
    after = replace(before, **{name: changed.get(name, other)})
    assert getattr(after, name) != getattr(before, name)
    assert after.differences(recorded) == ([] if name in MAY_CHANGE else [name])


def test_a_setting_that_came_after_a_run_began_differs_only_if_it_is_given():
    """As in the folder of a sweep: a run of an earlier version can be resumed."""
    recorded = small().fixed()
    del recorded["score_weight"], recorded["layers"]
    assert small(layers=(256, 256)).differences(recorded) == []
    assert small(score_weight=0.05).differences(recorded) == ["score_weight", "layers"]
    assert "game" in small().differences({})


def test_what_is_behind_a_name_counts_not_the_name(tmp_path):
    """Opponents and teachers may be files, and so may be an edition."""
    game = find("artisans")
    rival, cards = tmp_path / "rival.safetensors", tmp_path / "cards.toml"
    cards.write_text((Path(artisans_env.__file__).parent / "example_edition.toml").read_text())
    network = Counter(small("artisans")).policy
    policy.save(rival, game, network, {})
    run = small("artisans_v0", {"edition": str(cards)}, opponents=(f"ppo:{rival}", "self"))
    recorded = json.loads(json.dumps(run.fixed()))
    policy.save(rival, game, replace(network, layers=[(weight + 1, bias) for weight, bias in network.layers]), {})
    assert run.differences(recorded) == ["opponents"]
    policy.save(rival, game, network, {"about": "the same numbers"})
    assert run.differences(recorded) == []
    cards.write_text(cards.read_text().replace("points = 5", "points = 4", 1))
    assert run.differences(recorded) == ["options"]


def test_a_policy_to_start_with_may_be_a_path_and_options_are_a_mapping(tmp_path):
    with pytest.raises(AgentError, match="cannot be read"):
        settings_for("muster", start=tmp_path / "missing.safetensors")
    with pytest.raises(OptionError, match="options=5: allowed: Mapping"):
        settings_for("muster", 5)


def test_another_policy_to_start_with_is_another_run(tmp_path):
    path = start_file(tmp_path, layers=(64, 64))
    run = small(start=path)
    recorded = json.loads(json.dumps(run.fixed()))
    assert run.differences(recorded) == []
    game = find("muster")
    policy.save(Path(path), game, Counter(small()).policy, {})
    assert run.differences(recorded) == ["start"]


def test_every_setting_of_small_runs_exists():
    assert set(SMALL) <= {each.name for each in fields(Settings)}
