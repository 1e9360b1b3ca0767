"""Settings of a training run: what they default to, and what is refused before anything is trained."""

import argparse
import json
import re
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from cardtable_agents.players import policy
from cardtable_agents.training import command, settings
from cardtable_agents.training.learner import Learner
from cardtable_agents.training.settings import MAY_CHANGE, Settings, settings_for
from small_runs import SMALL, small

import artisans_env
from cardtable.envs.sb3 import LearnerVecEnv
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
    ("entropy", -0.1, "numbers from 0"),
    ("entropy", 10**400, "numbers from 0"),
    ("gamma", 1.01, "numbers above 0 to 1"),
    ("batch", 1, "integers from 2"),
    ("rollout", 1, "integers from 2"),
    ("learning_rate", 3e-4, "a tuple of numbers above 0"),
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
    with pytest.raises(OptionError, match="expected at least one for 3 players"):
        small("artisans", {"num_players": 3}, opponents=())
    assert small("murano", {"num_players": 1}, opponents=()).opponents == ()


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
    with pytest.raises(AgentError, match="'random' gives no advice"):
        small(advice="random").require_players()


def test_integers_of_numpy_are_kept_as_plain_ones():
    given = small(games=np.int64(8), layers=(np.int32(64), 32))
    assert json.dumps([given.games, given.layers]) == "[8, [64, 32]]"
    assert given.fixed() == small(games=8, layers=(64, 32)).fixed()


def test_what_is_left_out_is_chosen_by_the_game(monkeypatch):
    chosen = settings_for("muster")
    assert (chosen.game, chosen.minutes, chosen.steps) == ("muster_v0", 10.0, None)
    assert (chosen.teacher, chosen.imitation_steps) == ("heuristic", 400_000)
    assert chosen.evaluation_opponents == ("random", "heuristic")
    assert settings_for("muster", steps=5).minutes is None
    assert settings_for("muster", steps=5, minutes=2).minutes == 2
    assert settings_for("muster", opponents=["random"], seed=None).opponents == ("random",)
    assert settings_for("murano", {"num_players": 1}, opponents=["random"]).opponents == ()
    monkeypatch.setattr(settings, "has_evaluation", lambda game: False)
    without = settings_for("muster")
    assert (without.teacher, without.imitation_steps, without.evaluation_opponents) == ("random", 0, ("random",))
    assert "heuristic" not in without.opponents


def test_an_advised_run_imitates_only_a_teacher_that_is_asked_for():
    assert settings_for("muster", advice="heuristic").imitation_steps == 0
    assert settings_for("muster", advice="heuristic", teacher="search:8").imitation_steps == 400_000
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
    "layers": (64,),
    "imitation_rate": (0.5, 0.5),
    "learning_rate": (0.5, 0.5),
}


@pytest.mark.parametrize("name", [each.name for each in fields(Settings)])
def test_every_setting_that_a_run_learns_by_must_stay(name):
    before, other = small(minutes=3.0), 0.25 if isinstance(getattr(small(minutes=3.0), name), float) else 7
    recorded = json.loads(json.dumps(before.fixed()))
    assert before.differences(recorded) == []
    after = replace(before, **{name: CHANGED.get(name, other)})
    assert getattr(after, name) != getattr(before, name)
    assert after.differences(recorded) == ([] if name in MAY_CHANGE else [name])


def test_runs_from_before_a_number_could_be_set_had_what_is_the_default():
    """As checkpoints recorded it when reward shaping was called guidance."""
    recorded = {
        **{"game": "muster_v0", "options": {}, "seed": 1, "games": 16, "teacher": "random", "opponents": ["random", "self"]},
        **{"guidance": 0.5, "advice": None},
    }
    same = Settings("muster", steps=1, games=16, teacher="random", opponents=("random", "self"), shaping=0.5)
    assert same.differences(recorded) == []
    assert replace(same, shaping=0.0).differences(recorded) == ["shaping"]
    assert replace(same, clip=0.3, layers=(64, 64)).differences(recorded) == ["layers", "clip"]
    assert set(same.differences({})) == {"game", "games", "teacher", "opponents", "shaping", "options"}


def test_what_is_behind_a_name_counts_not_the_name(tmp_path):
    """Opponents and teachers may be files, and so may be an edition."""
    game = find("artisans")
    rival, cards = tmp_path / "rival.safetensors", tmp_path / "cards.toml"
    cards.write_text((Path(artisans_env.__file__).parent / "example_edition.toml").read_text())
    network = Learner(LearnerVecEnv(game, 4, seed=1), small("artisans")).policy
    policy.save(rival, game, network, {})
    run = small("artisans_v0", {"edition": str(cards)}, opponents=(f"ppo:{rival}", "self"))
    recorded = json.loads(json.dumps(run.fixed()))
    policy.save(rival, game, replace(network, layers=[(weight + 1, bias) for weight, bias in network.layers]), {})
    assert run.differences(recorded) == ["opponents"]
    policy.save(rival, game, network, {"about": "the same numbers"})
    assert run.differences(recorded) == []
    cards.write_text(cards.read_text().replace("points = 5", "points = 4", 1))
    assert run.differences(recorded) == ["options"]


# ---- Help


def test_the_defaults_that_the_help_names_are_those_of_the_settings():
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    text, chosen = " ".join(parser.format_help().split()), settings_for("muster")
    for default in (
        f"imitation included (default {chosen.minutes:g})",
        f"network and agents (default {chosen.seed})",
        f"games played at once (default {chosen.games})",
        f"is a past version of the learner (default {' '.join(chosen.opponents)})",
        f"the teacher (default {chosen.teacher})",
        f"decisions to imitate (default {chosen.imitation_steps:,}; at most half of the minutes)",
        f"(default {chosen.shaping:g}: only results count)",
    ):
        assert default in text
    assert chosen.longest_imitation == 0.5
    assert "guidance" not in text


def test_every_number_has_a_reason():
    """A string below each setting but the obvious ones, as readers and editors see it."""
    source = Path(settings.__file__).read_text().split("class Settings")[1].split("def __post_init__")[0]
    undocumented = re.findall(r"^    (\w+): [^\n]+\n(?!    \"\"\")", source, re.MULTILINE)
    assert undocumented == ["game", "options", "teacher"]
    assert set(SMALL) <= {each.name for each in fields(Settings)}
