"""One learning seat against opponents in Gymnasium: the streams of decisions are those of a walk by hand, in both modes."""

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from helpers import LEARNERS, Held, Varied, choice, walk_by_hand

from cardtable.envs.gymnasium import LearnerEnv, LearnerVectorEnv
from cardtable.envs.learner import Learner
from cardtable.errors import IllegalAction, OptionError, ResetNeeded, UnknownOption
from cardtable.game.registry import find
from cardtable.players.pool import RandomOpponents

SEED, LANES, TURNS = 5, 3, 3
GAMES = [
    ("muster", {}),
    ("muster", {"max_turns": 20}),
    ("artisans", {"num_players": 3}),
    ("murano", {"num_players": 1}),
    ("murano", {"max_rounds": 4}),
]
IDS = ["cardtable/Muster-v0", "cardtable/Artisans-v0", "cardtable/Murano-v0"]


def streams_of(env, same_step):
    """For each lane its first games: the (observation, mask) of each decision, then reward, flags, end and info."""
    observation, info = env.reset(seed=SEED)
    games, ends = [[[]] for _ in range(LANES)], [[] for _ in range(LANES)]
    resting = np.zeros(LANES, np.bool_)
    while min(map(len, ends)) < TURNS:
        actions = np.zeros(LANES, np.int64)
        for lane in np.flatnonzero(~resting):
            number = lane + len(ends[lane]) * LANES
            actions[lane] = choice(info["action_mask"][lane], number, LEARNERS + len(games[lane][-1]))
            games[lane][-1].append((observation[lane], info["action_mask"][lane]))
        rested = resting
        observation, rewards, terminated, truncated, info = env.step(actions)
        done = terminated | truncated
        assert not (done & rested).any()
        assert not rewards[~done].any()
        resting = np.zeros(LANES, np.bool_) if same_step else done
        for lane in np.flatnonzero(done):
            told = info["final_info"] if same_step else info
            assert told["_returns"][lane]
            final = info["final_obs"][lane] if same_step else observation[lane]
            ends[lane].append((rewards[lane], truncated[lane], final, told, lane))
            games[lane].append([])
    return games, ends


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP], ids=lambda mode: mode.name)
@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
def test_streams_are_those_of_a_walk_by_hand(name, options, mode):
    game = find(name)
    players = game.parse_options(options).num_players
    env = LearnerVectorEnv(game, LANES, opponents=Varied(), autoreset_mode=mode, **options)
    games, ends = streams_of(env, mode == AutoresetMode.SAME_STEP)
    for lane in range(LANES):
        for turn in range(TURNS):
            seat = (lane + turn) % players
            seen, table = walk_by_hand(game, options, SEED, lane + turn * LANES, seat)
            reward, cut_off, final, told, where = ends[lane][turn]
            returns, scores = table.result()
            assert len(games[lane][turn]) == len(seen) == told["decisions"][where]
            for (shown, allowed), (sees, may) in zip(games[lane][turn], seen, strict=True):
                assert np.array_equal(shown, sees)
                assert np.array_equal(allowed, may)
            assert reward == pytest.approx(returns[seat])
            assert told["returns"][where].tolist() == pytest.approx(returns)
            assert told["scores"][where].tolist() == scores
            assert cut_off == (table.ending.name == "TRUNCATED")
            assert np.array_equal(final, table.observe(seat))


def played(env, steps, seed):
    """Everything that random play of the learner shows."""
    env.action_space.seed(seed)
    shown = [env.reset(seed=seed)[0]]
    for _ in range(steps):
        shown += env.step(env.action_space.sample())[:4]
    return shown


def same(one, two):
    return all(np.array_equal(first, second) for first, second in zip(one, two, strict=True))


@pytest.mark.parametrize("opponents", [None, "heuristic:1", ["random", "heuristic:1"]], ids=str)
def test_the_same_seed_gives_the_same_games_whoever_the_opponents_are(opponents):
    make = lambda: gymnasium.make_vec("cardtable/Muster-v0", 8, opponents=opponents)  # noqa: E731
    assert same(played(make(), 60, 3), played(make(), 60, 3))
    assert not same(played(make(), 60, 3), played(make(), 60, 4))


@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
def test_random_opponents_inside_a_call_play_as_they_do_when_asked(name, options):
    class Asked(RandomOpponents):
        """The same choices, one at a time."""

    game = find(name)
    inside = LearnerVectorEnv(game, 6, opponents=RandomOpponents(SEED), **options)
    asked = LearnerVectorEnv(game, 6, opponents=Asked(SEED), **options)
    assert same(played(inside, 80, SEED), played(asked, 80, SEED))


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("mask", ["info", "observation"])
def test_gymnasiums_checker_is_content(name, mask, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # The checker plays an action of one position in another: with illegal="raise" that is refused, as it should be.
        check_env(gymnasium.make(name, illegal="lose", mask=mask, opponents="random").unwrapped)


@pytest.mark.parametrize("name", IDS)
def test_single_games_go_through_gymnasiums_own_wrappers(name):
    env = gymnasium.make(name, opponents="heuristic:1", mask="observation", max_episode_steps=100_000)
    env.action_space.seed(1)
    ends = 0
    seats = []
    for number in range(4):
        seen, info = env.reset(seed=7 if number == 0 else None)
        seats.append(info["seat"])
        over = False
        while not over:
            assert seen["action_mask"].any()
            seen, reward, terminated, truncated, info = env.step(env.action_space.sample())
            over = terminated or truncated
            assert over or reward == 0
        assert reward == info["returns"][info["seat"]]
        ends += 1
        with pytest.raises(ResetNeeded, match="the game is over"):
            env.unwrapped.step(0)
    assert ends == 4
    assert seats == [0, 1, 0, 1]


def test_the_learner_may_always_sit_at_one_seat():
    env = gymnasium.make("cardtable/Artisans-v0", num_players=3, seat=2)
    assert [env.reset(seed=None)[1]["seat"] for _ in range(3)] == [2, 2, 2]
    many = gymnasium.make_vec("cardtable/Artisans-v0", 5, num_players=3, seat=1)
    assert many.reset(seed=1)[1]["seat"].tolist() == [1] * 5


@pytest.mark.parametrize("mode", ["SAME_STEP", "NEXT_STEP"])
def test_an_illegal_action_may_lose(mode):
    env = LearnerVectorEnv("muster", 4, illegal="lose", autoreset_mode=mode)
    _, info = env.reset(seed=3)
    actions = info["action_mask"].argmax(axis=1)
    actions[2] = info["action_mask"][2].argmin()
    _, rewards, terminated, truncated, info = env.step(actions)
    assert terminated.tolist() == [False, False, True, False]
    assert not truncated.any()
    assert rewards.tolist() == [0, 0, -1, 0]
    told = info["final_info"] if mode == "SAME_STEP" else info
    assert told["illegal"].tolist() == [False, False, True, False]
    for _ in range(30):
        env.step(env.action_space.sample())


def test_illegal_actions_are_refused_otherwise_and_no_game_moves():
    env = LearnerVectorEnv("muster", 4)
    seen, info = env.reset(seed=3)
    wrong = info["action_mask"].argmax(axis=1)
    wrong[2] = info["action_mask"][2].argmin()
    for bad in (wrong, wrong[:3], wrong.astype(float), None):
        with pytest.raises(IllegalAction):
            env.step(bad)
    again = LearnerVectorEnv("muster", 4)
    assert np.array_equal(again.reset(seed=3)[0], seen)
    right = info["action_mask"].argmax(axis=1)
    assert np.array_equal(env.step(right)[0], again.step(right)[0])


def test_where_a_game_is_over_any_action_will_do_and_is_ignored():
    env = LearnerVectorEnv("muster", 8, max_turns=6)
    _, info = env.reset(seed=1)
    checked = 0
    for _ in range(60):
        actions = env.action_space.sample()
        _, _, terminated, truncated, info = env.step(actions)
        for lane in np.flatnonzero(terminated | truncated):
            assert info["action_mask"][lane].all()
            checked += 1
    assert checked > 20


def test_statistics_of_gymnasium_count_the_learners_games():
    env = RecordEpisodeStatistics(gymnasium.make_vec("cardtable/Muster-v0", 16))
    env.reset(seed=1)
    for _ in range(200):
        env.step(env.action_space.sample())
    assert len(env.return_queue) > 20
    assert {float(value) for value in env.return_queue} <= {-1.0, 0.0, 1.0}
    assert len({float(value) for value in env.return_queue}) > 1


@pytest.mark.parametrize("make_copy", [copy.copy, copy.deepcopy], ids=["copy", "deepcopy"])
def test_copies_go_on_with_games_of_their_own(make_copy):
    env = LearnerVectorEnv("muster", 4, autoreset_mode="SAME_STEP")
    played(env, 10, 3)
    twin = make_copy(env)
    actions = env.mask().argmax(axis=1)
    first = [env.step(env.mask().argmax(axis=1))[0] for _ in range(30)]
    assert np.array_equal(twin.mask().argmax(axis=1), actions)
    assert same(first, [twin.step(twin.mask().argmax(axis=1))[0] for _ in range(30)])


@pytest.mark.parametrize("make", [LearnerEnv, LearnerVectorEnv])
def test_closing_lets_go_of_what_the_opponents_hold(make):
    agent = Held.of("muster")
    env = make("muster", opponents=[agent, "random"])
    assert agent.held
    env.close()
    assert not agent.held
    make("muster").close()


def test_a_vector_whose_arguments_are_refused_can_be_closed():
    """Some versions of Gymnasium close it when it is forgotten."""
    LearnerVectorEnv.__new__(LearnerVectorEnv).close()


def test_a_learner_can_be_pickled():
    game = find("muster")
    learner = Learner(game, game.parse_options({}), 4, None, 3)
    learner.deal()
    twin = pickle.loads(pickle.dumps(learner))
    for each in (learner, twin):
        for _ in range(20):
            each.step(each.checked(each.mask.argmax(axis=1)))
    assert np.array_equal(learner.observation, twin.observation)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"opponents": "nobody"}, "no agent is called"),
        ({"opponents": []}, "at least one agent"),
        ({"mask": "both"}, "mask='both': allowed: observation, info"),
        ({"illegal": "win"}, "illegal='win': allowed: raise, lose"),
        ({"seat": 2}, "seat=2: allowed: 0 to 1, or None"),
        ({"seat": True}, "seat=True"),
        ({"num_players": 9}, "num_players"),
        ({"frameskip": 4}, "unknown option 'frameskip'"),
    ],
    ids=str,
)
def test_wrong_settings_are_refused(wrong, message):
    for make in (LearnerEnv, LearnerVectorEnv):
        with pytest.raises(ValueError, match=message):
            make("muster", **wrong)


@pytest.mark.parametrize("number", [0, -1, 2.0, "many", None])
def test_a_number_of_games_that_is_none_is_named_as_it_was_given(number):
    with pytest.raises(OptionError, match=rf"muster_v0: num_envs={number!r}: allowed: integers from 1"):
        gymnasium.make_vec("cardtable/Muster-v0", number)


@pytest.mark.parametrize("mode", ["Disabled", "sometimes", None])
def test_other_modes_are_refused(mode):
    with pytest.raises(OptionError, match=r"autoreset_mode=.*: allowed: NEXT_STEP, SAME_STEP"):
        LearnerVectorEnv("muster", 2, autoreset_mode=mode)


@pytest.mark.parametrize("options", [{"deal": {"deck": []}}, {"reset_mask": np.array([True, False])}], ids=list)
def test_what_a_reset_would_ignore_is_refused(options):
    """Others take these; unknown options are ignored, as Gymnasium's own environments do."""
    one, many = gymnasium.make("cardtable/Muster-v0").unwrapped, gymnasium.make_vec("cardtable/Muster-v0", 2)
    for env in (one, many):
        seen, _ = env.reset(seed=1, options={"unknown": 1})
        with pytest.raises(OptionError, match=f"{next(iter(options))!r}: "):
            env.reset(seed=2, options=options)
        assert np.array_equal(env.reset(seed=1)[0], seen)


def test_a_reset_without_a_seed_deals_the_next_games():
    """As Gymnasium has it for all environments: only a seed starts again."""
    one, many = gymnasium.make("cardtable/Muster-v0").unwrapped, gymnasium.make_vec("cardtable/Muster-v0", 2)
    for env, games in ((one, 1), (many, 2)):
        first, info = env.reset(seed=1)
        seats = np.atleast_1d(info["seat"])
        second, info = env.reset()
        assert not np.array_equal(first, second)
        assert (np.atleast_1d(info["seat"]) == 1 - seats).all()
        assert env._learner.lanes.records["index"].tolist() == list(range(games, 2 * games))
        assert np.array_equal(env.reset(seed=1)[0], first)


@pytest.mark.parametrize("options", [3, [1], "deal"])
def test_options_of_a_reset_are_a_dict(options):
    for env in (gymnasium.make("cardtable/Muster-v0").unwrapped, gymnasium.make_vec("cardtable/Muster-v0", 2)):
        with pytest.raises(OptionError, match=r"muster_v0: reset\(options=.*\): allowed: a dict, or None"):
            env.reset(options=options)


def test_vectors_are_not_rendered():
    assert gymnasium.make_vec("cardtable/Muster-v0", 2, render_mode=None).render_mode is None
    with pytest.raises(UnknownOption, match=r"render_mode='ansi': allowed: None \(unexpected keyword argument 'render_mode'"):
        gymnasium.make_vec("cardtable/Muster-v0", 2, render_mode="ansi")


def test_a_reset_comes_first():
    for env in (LearnerEnv("muster"), LearnerVectorEnv("muster", 2)):
        with pytest.raises(ResetNeeded):
            env.step(0)


def test_it_shows_the_table_as_the_learner_sees_it():
    env = gymnasium.make("cardtable/Muster-v0", render_mode="ansi")
    env.reset(seed=1)
    text = env.render()
    env.reset()
    assert "player_0" in text
    assert env.render() != text


@pytest.mark.parametrize("opponents", [None, "heuristic:1"], ids=str)
def test_a_learner_can_go_back(opponents):
    game = find("muster")
    options = game.parse_options({"max_turns": 20})
    one, two = (Learner(game, options, 5, opponents, seed) for seed in (SEED, SEED + 1))

    def played_on(learner, steps):
        shown = []
        for step in range(steps):
            mask = learner.course().mask
            chosen = learner.checked(np.array([choice(row, lane, step) for lane, row in enumerate(mask)]))
            learner.step(chosen)
            shown += [learner.observation, learner.mask, learner.rewards.copy(), learner.terminated, learner.seats.copy()]
        return shown

    one.deal()
    played_on(one, 15)
    course = one.course()
    first = played_on(one, 25)
    two.go_on_from(course)
    assert same(played_on(two, 25), first)
    one.go_on_from(course)
    assert same(played_on(one, 25), first)


def test_a_learner_whose_lanes_rest_cannot_go_back():
    resting = Learner(find("muster"), find("muster").parse_options({}), 2, None, SEED, rests=True)
    resting.deal()
    with pytest.raises(OptionError, match="rests=True"):
        resting.course()
