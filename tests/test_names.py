"""Wherever a game is expected its name will do, wherever options are a dict will, wherever opponents are their names will."""

import numpy as np
import pytest

import cardtable
from cardtable.envs.aec import TableEnv
from cardtable.envs.batch import BatchEnv
from cardtable.envs.gymnasium import SoloEnv
from cardtable.errors import AgentError, OptionError, UnknownGame, UnknownOption
from cardtable.game.registry import find
from cardtable.players import roster
from cardtable.players.pool import Pool, RandomOpponents
from cardtable.players.roster import make_agent
from cardtable.table import Table

TAKES_A_GAME = {
    "TableEnv": TableEnv,
    "BatchEnv": lambda game: BatchEnv(game, 2),
    "Table": Table,
    "make_agent": lambda game: make_agent("random", game),
    "SoloEnv": SoloEnv,
    "make": cardtable.make,
}


def game_in(made):
    """The game of whatever was made."""
    environment = getattr(made, "aec", made)
    return getattr(getattr(environment, "unwrapped", environment), "table", environment).game


@pytest.mark.parametrize("name", ["murano", "murano_v0", "cardtable/murano_v0"])
@pytest.mark.parametrize("thing", TAKES_A_GAME)
def test_a_name_will_do_for_a_game(thing, name):
    made = TAKES_A_GAME[thing](name)
    assert game_in(made) is find("murano")
    assert game_in(TAKES_A_GAME[thing](find("murano"))) is find("murano")


@pytest.mark.parametrize("thing", TAKES_A_GAME)
def test_a_name_that_no_game_has_is_refused(thing):
    with pytest.raises(UnknownGame, match="no game is called 'mustard'; installed: artisans_v0"):
        TAKES_A_GAME[thing]("mustard")


@pytest.mark.parametrize("wrong", [None, 3, b"muster", ["muster"], {}, np.arange(3)], ids=str)
@pytest.mark.parametrize("thing", TAKES_A_GAME)
def test_what_is_no_name_of_a_game_is_refused(thing, wrong):
    with pytest.raises(UnknownGame, match="no game is called"):
        TAKES_A_GAME[thing](wrong)


@pytest.mark.parametrize("wrong", [-1, 2**64, None, 1.5, True])
def test_a_wrong_number_of_a_game_is_refused_by_the_name_of_its_argument(wrong):
    allowed = r": allowed: integers from 0 to 2\*\*64 - 1$"
    with pytest.raises(OptionError, match=f"^first=.*{allowed}"):
        BatchEnv("muster", 2, first=wrong)
    with pytest.raises(OptionError, match=f"^index=.*{allowed}"):
        Table("muster").deal(1, index=wrong)


def test_options_may_be_a_dict_or_left_out():
    game = find("muster")
    assert Table("muster").options == game.parse_options({})
    assert Table("muster", {"max_turns": 20}).options.to_dict()["max_turns"] == 20
    assert make_agent("random", "muster", {"max_turns": 20}).options == game.parse_options({"max_turns": 20})
    checked = game.parse_options({"max_turns": 20})
    assert game.parse_options(checked) is checked


@pytest.mark.parametrize("wrong", ["max_turns=20", 3, ["max_turns"], find("murano").parse_options({})])
def test_what_is_no_options_of_the_game_is_refused(wrong):
    with pytest.raises(OptionError, match=r"muster_v0: options .*: allowed: a dict of options of this game, or None"):
        Table("muster", wrong)


def test_an_unknown_option_is_refused_by_name():
    with pytest.raises(UnknownOption, match="streamlind"):
        Table("muster", {"streamlind": True})


@pytest.mark.parametrize("wrong", [None, 3, b"random"])
def test_what_is_no_name_of_an_agent_is_refused(wrong):
    with pytest.raises(AgentError, match="expected a text such as 'search:400'"):
        make_agent(wrong, "muster")


# ---- Opponents


def learner(opponents=None, num_games=4, **options):
    sb3 = pytest.importorskip("cardtable.envs.sb3")
    return sb3.LearnerVecEnv("muster", num_games, opponents, seed=1, **options)


def test_opponents_by_name_are_a_pool_of_those_agents():
    env = learner(["heuristic", "random"])
    assert isinstance(env.opponents, Pool)
    assert [type(member).__name__ for member in env.opponents.members] == ["HeuristicAgent", "RandomAgent"]
    env.reset()
    for _ in range(20):
        env.step(env.action_masks().argmax(axis=1))


def test_one_name_or_one_agent_will_do():
    assert [type(member).__name__ for member in learner("random").opponents.members] == ["RandomAgent"]
    agent = make_agent("random", "muster")
    assert learner(agent).opponents.members == [agent]
    assert isinstance(learner().opponents, RandomOpponents)


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (["randon"], AgentError, "no agent is called 'randon'"),
        ([], OptionError, "expected at least one agent"),
        (3, OptionError, "opponents=3: allowed: names of agents"),
        (RandomOpponents, OptionError, "opponents=<class .*: allowed: names of agents"),
        ([3], OptionError, "opponents=3: allowed: names of agents"),
        ([make_agent("random", "murano")], OptionError, "RandomAgent plays murano_v0"),
    ],
)
def test_opponents_that_are_none_are_refused(wrong, error, words):
    with pytest.raises(error, match=words):
        learner(wrong)


# ---- Asking an agent inside a PettingZoo loop


@pytest.mark.parametrize("name", ["random", "heuristic", "search:20"])
@pytest.mark.parametrize("game_id", cardtable.game_ids())
def test_an_agent_chooses_in_a_pettingzoo_loop(game_id, name):
    env, agent = cardtable.make(game_id), cardtable.make_agent(name, game_id)
    env.reset(seed=3)
    for _ in range(12):
        _, _, termination, truncation, _ = env.last()
        if termination or truncation:
            break
        action = agent.choose(env)
        assert env.observe(env.agent_selection)["action_mask"][action]
        env.step(action)


def test_the_same_seed_chooses_the_same_and_the_environment_stays():
    env, agent = cardtable.make("muster"), make_agent("random", "muster")
    env.reset(seed=3)
    before = env.unwrapped.state_hash()
    assert len({agent.choose(env, seed=7) for _ in range(10)}) == 1
    assert len({agent.choose(env) for _ in range(60)}) > 1
    assert agent.choose(env, seed=7) == agent.choose(env.unwrapped.table, seed=7)
    assert env.unwrapped.state_hash() == before


def test_an_agent_chooses_from_what_its_seat_may_know():
    env, agent = TableEnv("muster"), make_agent("heuristic", "muster")
    env.reset(seed=3)
    chosen = {agent.choose(env.redeal(env.table.seat, seed), seed=1) for seed in range(10)}
    assert len(chosen) == 1


WRONG_ANSWERS = {
    "none": lambda views: None,
    "empty": lambda views: [],
    "too many": lambda views: np.zeros(len(views) + 1, int),
    "floats": lambda views: views.mask.argmax(axis=1).astype(float),
    "out of range": lambda views: np.full(len(views), 10**6),
    "not legal": lambda views: views.mask.argmin(axis=1),
}


@pytest.mark.parametrize("answer", WRONG_ANSWERS)
def test_an_agent_that_does_not_answer_with_a_legal_action_is_refused(answer):
    class Wrong(cardtable.Agent):
        def act(self, views):
            return WRONG_ANSWERS[answer](views)

    agent, env = Wrong(find("muster"), find("muster").parse_options()), cardtable.make("muster")
    env.reset(seed=3)
    with pytest.raises(cardtable.IllegalAction, match="muster_v0: "):
        agent.choose(env)
    with pytest.raises(cardtable.IllegalAction, match=r"muster_v0: .*\(chosen by Wrong\)$"):
        learner(agent).reset()


@pytest.mark.parametrize("name", [3, "", "a b", None])
def test_an_agent_is_registered_under_letters_and_digits(name):
    with pytest.raises(AgentError, match=r"agent name .*: allowed: letters, digits"):
        cardtable.register(name, "wrong")


def test_what_makes_no_agent_is_not_registered():
    with pytest.raises(AgentError, match="agent 'wrong': 3 is neither a subclass of Agent nor a function that makes one"):
        cardtable.register("wrong", "a number")(3)


def test_what_makes_an_agent_has_to_return_one(monkeypatch):
    monkeypatch.setattr(roster, "_REGISTERED", {})
    cardtable.register("wrong", "returns no agent")(lambda *_: 3)
    with pytest.raises(AgentError, match="agent 'wrong': what makes it returns 3, not an Agent"):
        make_agent("wrong", "muster")


def test_choosing_is_refused_where_there_is_nothing_to_choose():
    agent, env = make_agent("random", "muster"), cardtable.make("muster")
    with pytest.raises(cardtable.ResetNeeded):
        agent.choose(env)
    with pytest.raises(AgentError, match="is not a cardtable environment"):
        agent.choose("muster")
    other = cardtable.make("muster", max_turns=20)
    other.reset(seed=1)
    with pytest.raises(AgentError, match=r"RandomAgent was made for muster_v0 with .* the environment plays"):
        agent.choose(other)
    env.reset(seed=1)
    for selected in env.agent_iter():
        _, _, termination, _, _ = env.last()
        if termination:
            with pytest.raises(AgentError, match="the game is over"):
                agent.choose(env)
            break
        env.step(int(np.flatnonzero(env.observe(selected)["action_mask"])[0]))
