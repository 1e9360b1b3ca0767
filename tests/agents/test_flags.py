"""Flags of `cardtable train`: one for every setting, with its reason as help."""

import argparse
from dataclasses import fields

import pytest
from cardtable_agents.training import flags
from cardtable_agents.training.command import add_arguments, settings_of
from cardtable_agents.training.settings import STANDARD, Settings, settings_for

from cardtable.errors import OptionError

OTHER = {
    "seed": 9,
    "steps": 99_999,
    "minutes": 2.5,
    "start": "policy.safetensors",
    "learner": "sb3",
    "threads": 3,
    "precision": "bfloat16",
    "games": 128,
    "opponents": ("random", "self"),
    "opponent_share": 0.5,
    "snapshot_updates": 7,
    "cut_off_loses": False,
    "score_weight": 0.125,
    "shaping": 0.25,
    "advice": "heuristic:2",
    "trust": 12.5,
    "critic_updates": 0,
    "teacher": "search:8",
    "imitation_steps": 0,
    "longest_imitation": 0.125,
    "imitation_epochs": 3,
    "imitation_batch": 64,
    "imitation_rate": (0.01, 0.001),
    "imitation_value_weight": 0.0,
    "imitation_gradient": 3.0,
    "student_share": 0.75,
    "random_share": 0.0,
    "sharpness": 1.5,
    "expert": 48,
    "expert_interval": 3,
    "expert_sharpness": 5.0,
    "layers": (128, 64, 64),
    "shared_actions": False,
    "learning_rate": (0.002, 0.0001),
    "rollout": 4096,
    "batch": 128,
    "epochs": 5,
    "clip": 0.1,
    "entropy": (0.0, 0.5),
    "value_weight": 1.0,
    "gradient": 2.0,
    "gamma": 0.99,
    "gae_lambda": 0.8,
    "largest_kl": 4.0,
    "evaluation_opponents": ("random", "search:2"),
    "evaluation_games": 10,
    "evaluation_interval": 0.0,
    "evaluation_share": 0.5,
    "checkpoint_interval": 5.0,
    "checkpoints_kept": 9,
}
"""A value of every setting that is not its default."""


def parser():
    made = argparse.ArgumentParser(prog="cardtable train")
    add_arguments(made)
    return made


def parsed(*given):
    return settings_of(parser().parse_args(["muster", *given]))


def written(name, value):
    """A setting as it is given on the command line."""
    flag = name.replace("_", "-")
    if isinstance(value, bool):
        return [f"--{flag}" if value else f"--no-{flag}"]
    return [f"--{flag}", *map(str, value if isinstance(value, tuple) else (value,))]


def test_every_setting_has_a_flag():
    assert {*flags.names(), *flags.NO_FLAGS} == {each.name for each in fields(Settings)}
    assert set(OTHER) == set(flags.names())


@pytest.mark.parametrize("name", OTHER)
def test_the_value_of_a_flag_arrives(name):
    args = parser().parse_args(["muster", *written(name, OTHER[name])])
    assert flags.given(args) == {name: OTHER[name]}
    assert type(flags.given(args)[name]) is type(OTHER[name])
    assert getattr(Settings, name, None) != OTHER[name]


def test_all_flags_together_become_settings():
    apart = {"learner", "start", "advice", "precision", "score_weight"}  # with them others are refused
    given = {name: value for name, value in OTHER.items() if name not in apart}
    found = parsed(*(text for name, value in given.items() for text in written(name, value)))
    assert found == settings_for("muster", **given, command=found.command)
    assert found.command.startswith("cardtable")


def test_flags_that_are_left_out_are_as_the_settings_have_them():
    found = parsed()
    assert found == settings_for("muster", command=found.command)


def test_the_teacher_has_a_second_name_and_opponents_may_be_none():
    assert parsed("--imitate", "random").teacher == parsed("--teacher", "random").teacher == "random"
    assert parsed("--opponents").opponents == ()
    assert parsed("--advice", "heuristic").imitation_steps == 0
    assert parsed("--advice", "heuristic", "--imitate", "random").imitation_steps > 0


def test_each_flag_says_what_it_is_for_and_what_it_is_by_default():
    found = {action.dest: action for action in parser()._actions if action.dest in OTHER}
    for name, action in found.items():
        reason = flags.documentation()[name][1]
        assert len(reason) > 20, name
        assert action.help.replace("%%", "%").startswith(reason)
        if name in flags.CHOSEN:  # the text says it
            assert "left out" in reason or "if neither" in reason
            assert "default: none" not in action.help
        else:
            assert "(default: " in action.help
    assert set(found) == set(OTHER)
    text = " ".join(parser().format_help().split())  # also: no stray % in a text
    assert f"(default: {Settings.games}; with --learner sb3: {STANDARD['games']})" in text
    assert "(default: 1_500_000" in text.replace(f"{Settings.imitation_steps:_}", "1_500_000")
    assert "guidance" not in text


def test_flags_stand_under_the_headings_of_the_settings():
    headings = [group.title for group in parser()._action_groups][2:]
    assert headings == list(dict.fromkeys(heading for heading, _ in flags.documentation().values()))
    assert {"PPO", "Imitation", "Checkpoints"} <= set(headings)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--games", "0"], "argument --games: '0': allowed: integers from 1 to 1,000,000,000"),
        (["--games", "2.5"], "'2.5': allowed: integers from 1"),
        (["--games", "9" * 5000], "allowed: integers from 1"),
        (["--shaping", "2"], "'2': allowed: numbers from 0 to 1"),
        (["--shaping", "nan"], "'nan': allowed: numbers from 0 to 1"),
        (["--minutes", "inf"], "'inf': allowed: numbers above 0"),
        (["--learning-rate", "0.1"], "expected 2 arguments"),
        (["--learning-rate", "0.1", "-1"], "'-1': allowed: numbers above 0"),
        (["--learning-rate", "0.1", "two"], "'two': allowed: numbers above 0"),
        (["--layers"], "expected at least one argument"),
        (["--precision", "float16"], "invalid choice"),
        (["--guidance", "0.5"], "unrecognized arguments"),
        (["--imitate"], "expected one argument"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_wrong_values_are_refused_with_the_flag_and_what_is_allowed(given, message, capsys):
    with pytest.raises(SystemExit):
        parser().parse_args(["muster", *given])
    error = capsys.readouterr().err
    assert message in error
    assert len(error) < 600


def test_what_does_not_go_together_is_refused():
    with pytest.raises(OptionError, match=r"shaping=0\.5: learner='sb3' does not do this"):
        parsed("--learner", "sb3", "--shaping", "0.5")
    with pytest.raises(OptionError, match="batch=4096: allowed: at most rollout=2048"):
        parsed("--batch", "4096", "--rollout", "2048")
