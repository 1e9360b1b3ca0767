"""Self-play: agents at the other seats of some lanes, and runs that are the same when they are repeated or restored."""

import numpy as np
import pytest
from cardtable_agents.network.features import action_features
from cardtable_agents.network.network import Network, Pass
from cardtable_agents.network.parameters import Shape, first_parameters
from cardtable_agents.training.rollout import Rollout
from cardtable_agents.training.selfplay import SelfPlay, gather_legal
from helpers import choice, variant_id

from cardtable.engine.rng import chances
from cardtable.game.registry import find
from cardtable.players.agent import Agent
from cardtable.players.pool import Pool
from cardtable.players.roster import make_agent

LANES, STEPS, SEED = 8, 120, 4

GAMES = [
    ("muster_v0", {"max_turns": 20}),
    ("artisans_v0", {"num_players": 3, "max_visits": 1}),
    ("murano_v0", {"num_players": 4, "max_rounds": 2}),
]
POOLS = {"muster_v0": ("random", "heuristic"), "artisans_v0": ("random", "first"), "murano_v0": ("random", "first")}
"""Who sits at the other seats."""


class First(Agent):
    """Plays the first legal action, and notes for which seats it was asked what."""

    def __init__(self, game, options):
        super().__init__(game, options)
        self.seats, self.masks = [], []

    def act(self, views):
        self.seats += views.seat.tolist()
        self.masks += [*views.mask.copy()]
        return views.mask.argmax(axis=1)


def new_games(game_id, options, members=("random", "first"), lanes=LANES, **arguments):
    """Games with a pool of these agents, if there are any."""
    game = find(game_id)
    parsed = game.parse_options(options)
    agents = [First(game, parsed) if name == "first" else make_agent(name, game, parsed) for name in members]
    pool = Pool(game, parsed, agents, SEED) if members else None
    return SelfPlay(game, parsed, lanes, SEED, pool=pool, **arguments)


def new_rollout(games, steps=STEPS):
    size = (games.game.layout.size, games.game.actions.size, games.options.num_players)
    return Rollout(games.lanes, steps, *size, advised=False, demonstrated=False)


def play(games, steps=STEPS, opponents=0):
    """Play a rollout by choices that depend on the game alone: (rollout, number of each row's game)."""
    rollout = new_rollout(games, steps)
    games.set_opponent_lanes(opponents)
    rollout.begin()
    numbers = []
    for step in range(steps):
        games.show(rollout, step)
        rows, records = rollout.rows, games.records
        numbers.append(records["index"].copy())
        actions = []
        for lane, row in enumerate(rollout.which(step)):
            legal = np.zeros(games.game.actions.size, np.int8)
            legal[rows.action[rows.first_action[row] : rows.first_action[row + 1]]] = 1
            actions.append(choice(legal, int(records["index"][lane]), int(records["length"][lane])))
        games.play(np.array(actions), rollout, step)
    games.show(rollout, steps)
    return rollout, np.array(numbers)


def assert_same(one, other):
    """Two rollouts hold the same rows and ends."""
    last_input, last_action = one.rows.first_input[-1], one.rows.first_action[-1]
    for name in ("first_input", "first_action", "seat", "chance"):
        np.testing.assert_array_equal(getattr(one.rows, name), getattr(other.rows, name))
    for name, used in (("input", last_input), ("value", last_input), ("action", last_action)):
        np.testing.assert_array_equal(getattr(one.rows, name)[:used], getattr(other.rows, name)[:used])
    for first, second in zip(one.ends, other.ends, strict=True):
        np.testing.assert_array_equal(first, second)


def seats_of_games(rollout, numbers, lanes):
    """The seats whose decisions appear in each game of some lanes."""
    found = {}
    for step, row in enumerate(numbers):
        for lane in lanes:
            found.setdefault(int(row[lane]), set()).add(int(rollout.rows.seat[step * rollout.lanes + lane]))
    return found


# ---- Guests


@pytest.mark.parametrize(("game_id", "options"), GAMES, ids=variant_id)
def test_in_lanes_of_opponents_one_seat_of_each_game_decides(game_id, options):
    """Which one is drawn by the number of the game; in the other lanes all seats do."""
    opponents, games = 5, new_games(game_id, options, POOLS[game_id])
    rollout, numbers = play(games, opponents=opponents)
    players = games.options.num_players
    own = seats_of_games(rollout, numbers, range(opponents))
    for number, seats in own.items():
        assert seats == {int(chances(SEED, np.array([number]))[0] * players)}
    assert {seat for seats in own.values() for seat in seats} == set(range(players)), "every seat learns in some game"
    others = seats_of_games(rollout, numbers, range(opponents, LANES))
    assert set(range(players)) in others.values()
    assert rollout.ends.done[: rollout.number].reshape(STEPS, LANES)[:, :opponents].any(), "also over the ends of games"


def test_every_seat_learns_equally_often():
    drawn = (chances(SEED, np.arange(9000)) * 3).astype(int)
    assert np.abs(np.bincount(drawn) - 3000).max() < 150


def test_a_game_of_opponents_pays_the_row_of_the_last_decision_that_learns():
    """Whoever ends the game: its returns belong to the row before, once."""
    games = new_games("muster_v0", {"max_turns": 20}, members=("random",))
    rollout, numbers = play(games, opponents=LANES)
    done = rollout.ends.done[: rollout.number].reshape(STEPS, LANES)
    changes = numbers[1:] != numbers[:-1]
    np.testing.assert_array_equal(done[:-1], changes)
    assert done.any()
    assert rollout.ends.counts[0] == done.sum()
    np.testing.assert_array_equal(numbers[-1] + done[-1] * LANES, games.records["index"])


def test_agents_of_the_pool_are_asked_only_for_the_other_seats_of_their_lanes():
    games = new_games("muster_v0", {}, members=("first",))
    (asked,) = games.pool.members
    play(games, steps=10, opponents=0)
    assert not asked.seats
    _, numbers = play(games, steps=10, opponents=1)
    assert (numbers[:, 0] == 0).all(), "one game all along"
    assert set(asked.seats) == {1 - int(chances(SEED, np.array([0]))[0] * 2)}
    assert min(mask.sum() for mask in asked.masks) > 1, "nobody is asked what is forced"


def test_opponents_come_and_go_between_rollouts():
    """Games in progress go on: with opponents at the other seats, then again without."""
    games = new_games("muster_v0", {}, members=("random",))
    before, _ = play(games, steps=5)
    number = games.records["index"].copy()
    with_opponents, numbers = play(games, steps=5, opponents=LANES)
    np.testing.assert_array_equal(numbers[0], number)
    drawn = (chances(SEED, numbers.reshape(-1)) * 2).astype(int)
    np.testing.assert_array_equal(with_opponents.rows.seat[: with_opponents.number], drawn)
    after, _ = play(games, steps=30)
    assert set(after.rows.seat.tolist()) == {0, 1}
    assert before.rows.seat.shape != after.rows.seat.shape


def test_without_a_pool_there_are_no_opponents():
    one, other = (new_games("muster_v0", {}, members=()) for _ in range(2))
    assert_same(play(one, opponents=LANES)[0], play(other)[0])


def test_opponents_change_nothing_in_the_lanes_of_others():
    opponents = 3
    one, other = new_games("muster_v0", {"max_turns": 20}), new_games("muster_v0", {"max_turns": 20}, members=())
    (first, _), (second, _) = play(one, opponents=opponents), play(other)
    for row in range(first.number):
        if row % LANES >= opponents:
            assert first.rows.chance[row] == second.rows.chance[row]
            assert first.ends.done[row] == second.ends.done[row]
            np.testing.assert_array_equal(first.ends.reward[row], second.ends.reward[row])


# ---- The same again


@pytest.mark.parametrize("opponents", [0, 3])
@pytest.mark.parametrize(("game_id", "options"), GAMES, ids=variant_id)
def test_the_same_seed_gives_the_same_rows(game_id, options, opponents):
    one, other = (new_games(game_id, options, POOLS[game_id]) for _ in range(2))
    assert_same(play(one, opponents=opponents)[0], play(other, opponents=opponents)[0])
    assert np.array_equal(one.records, other.records)


@pytest.mark.parametrize("opponents", [0, 3])
@pytest.mark.parametrize(("game_id", "options"), GAMES, ids=variant_id)
def test_restored_records_play_on_exactly_the_same(game_id, options, opponents):
    """What is kept are the bytes of the records; the games go on in other objects, as after a crash."""
    games = new_games(game_id, options, POOLS[game_id])
    play(games, steps=17, opponents=opponents)
    kept = games.records.tobytes()
    expected, _ = play(games, opponents=opponents)
    restored = new_games(game_id, options, POOLS[game_id])
    restored.records[:] = np.frombuffer(kept, restored.records.dtype)
    assert_same(play(restored, opponents=opponents)[0], expected)
    assert restored.records.tobytes() == games.records.tobytes()


def test_another_seed_deals_other_games():
    game = find("muster_v0")
    one, other = (SelfPlay(game, game.parse_options({}), LANES, seed) for seed in (1, 2))
    first, second = play(one)[0], play(other)[0]
    assert (first.rows.chance != second.rows.chance).all()
    assert not np.array_equal(first.rows.value[:500], second.rows.value[:500])


@pytest.mark.parametrize(("game_id", "options"), GAMES, ids=variant_id)
def test_a_network_plays_the_same_games_in_any_number_of_lanes(game_id, options):
    """Choices are sampled by number and length of the game, not by lane or step."""
    found = []
    for lanes in (4, 2):
        games = new_games(game_id, options, members=(), lanes=lanes, step=4)
        rollout = new_rollout(games, 30)
        space, players = games.game.actions, games.options.num_players
        features = action_features(space)
        shape = Shape(games.game.layout.size, (64, 64), space.size, players, features.number)
        made = Pass(Network(shape, first_parameters(shape, 1), features), lanes)
        for step in range(30):
            actions = np.zeros(lanes, np.int64)
            games.show(rollout, step)
            made.choose(rollout.which(step), rollout.rows, rollout.choices, actions)
            games.play(actions, rollout, step)
        found.append((rollout.choices.pick[: rollout.number].reshape(30, lanes)[:, :2], games.records[:2].tobytes()))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    assert found[0][1] == found[1][1]


# ---- What agents are shown


@pytest.mark.parametrize(("game_id", "options"), GAMES, ids=variant_id)
def test_views_show_what_rows_show(game_id, options):
    games = new_games(game_id, options, members=())
    rollout, _ = play(games, steps=10)
    first, rows = 10 * LANES, rollout.rows
    for lanes in (None, np.array([6, 1, 3])):
        views = games.views(lanes)
        for place, lane in enumerate(range(LANES) if lanes is None else lanes):
            row = first + lane
            legal = np.sort(rows.action[rows.first_action[row] : rows.first_action[row + 1]])
            np.testing.assert_array_equal(np.flatnonzero(views.mask[place]), legal)
            some = slice(rows.first_input[row], rows.first_input[row + 1])
            np.testing.assert_array_equal(views.observation[place][rows.input[some]], rows.value[some])
            assert np.count_nonzero(views.observation[place]) == some.stop - some.start
            assert views.seat[place] == rows.seat[row]


def test_what_belongs_to_legal_actions_is_gathered():
    games = new_games("muster_v0", {}, members=())
    rollout, _ = play(games, steps=3)
    rows, first = rollout.rows, 2 * LANES
    dense = np.random.default_rng(0).random((LANES, games.game.actions.size)).astype(np.float32)
    out = np.full(len(rows.action), 9, np.float32)
    gather_legal(first, rows, dense, out)
    start, stop = rows.first_action[first], rows.first_action[first + LANES]
    lane = np.repeat(np.arange(LANES), np.diff(rows.first_action[first : first + LANES + 1]))
    np.testing.assert_array_equal(out[start:stop], dense[lane, rows.action[start:stop]])
    assert (out[:start] == 9).all()
    assert (out[stop:] == 9).all()
