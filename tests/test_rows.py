"""Decisions as rows: what a table shows of the same games, forced decisions left out, ends recorded."""

import numpy as np
import pytest
from cardtable_agents.training.rollout import Rollout
from cardtable_agents.training.selfplay import SelfPlay
from helpers import VARIANTS, choice, open_table, variant_id

from cardtable.engine import rows as engine
from cardtable.engine.ending import Ending
from cardtable.engine.jit import COMPILED
from cardtable.engine.rows import CUT_OFF, FORCED, GAMES, Deals
from cardtable.game.registry import find

pytestmark = pytest.mark.rules

LANES, SEED, FIRST = 3, 3, 5
STEPS, SHORT_STEPS = (150, 150) if COMPILED else (8, 50)
"""Decisions in each lane; of games that are over soon, as many as see some of them end."""

SHORT = [
    ("murano_v0", {"max_rounds": 1}),
    ("murano_v0", {"num_players": 3, "max_rounds": 1}),
    ("murano_v0", {"num_players": 4, "max_rounds": 1, "draft": True}),
    ("muster_v0", {"max_turns": 2}),
]
"""Games that are cut off soon."""


class Follower:
    """A table that plays what a lane plays, and notes what a lane should note."""

    def __init__(self, game, options, index, step):
        self.game, self.options, self.index, self.step = game, options, index, step
        self.forced, self.ends = 0, []
        self.deal()

    def deal(self):
        self.table = open_table(self.game, self.options, SEED, self.index)
        self.go_on()

    def play(self, action):
        """Play to the next choice; how games ended on the way."""
        self.ends = []
        self.table.play(action)
        self.go_on()
        return self.ends

    def go_on(self):
        while not self.table.ending and self.table.mask.sum() == 1:
            self.table.play(int(self.table.mask.argmax()))
            self.forced += 1
        if self.table.ending:
            self.ends.append((self.table.ending, self.table.result()[0]))
            self.index += self.step
            self.deal()


def new_rollout(game, options, lanes=LANES, steps=STEPS):
    players = game.parse_options(options).num_players
    return Rollout(lanes, steps, game.layout.size, game.actions.size, players, advised=False, demonstrated=False)


def new_lanes(game, options, lanes=LANES, **arguments):
    return SelfPlay(game, game.parse_options(options), lanes, SEED, **{"first": FIRST, **arguments})


def observation_of(rows, row, size):
    """A row's observation with all its zeros."""
    dense, some = np.zeros(size, np.float32), slice(rows.first_input[row], rows.first_input[row + 1])
    assert (rows.value[some] != 0).all()
    assert (np.diff(rows.input[some]) > 0).all(), "each number once, in order"
    dense[rows.input[some]] = rows.value[some]
    return dense


def legal_of(rows, row):
    return rows.action[rows.first_action[row] : rows.first_action[row + 1]]


def chosen(rows, row, record):
    """A legal action that depends on the game alone."""
    legal = legal_of(rows, row)
    return choice(np.isin(np.arange(legal.max() + 1), legal), int(record["index"]), int(record["length"]))


def play_step(lanes, rollout, step):
    """Show a step and play it; the actions."""
    lanes.show(rollout, step)
    actions = np.array([chosen(rollout.rows, row, lanes.records[row % lanes.lanes]) for row in rollout.which(step)])
    lanes.play(actions, rollout, step)
    return actions


def played(game_id, options, steps=STEPS, **arguments):
    """(lanes, rollout) after some steps and the row behind them."""
    game = find(game_id)
    lanes, rollout = new_lanes(game, options, **arguments), new_rollout(game, options, arguments.get("lanes", LANES), steps)
    for step in range(steps):
        play_step(lanes, rollout, step)
    lanes.show(rollout, steps)
    return lanes, rollout


# ---- What rows show


@pytest.mark.parametrize(("game_id", "options"), [*VARIANTS, *SHORT], ids=variant_id)
def test_rows_equal_what_tables_show(game_id, options):
    """Observation, legal actions, seat; forced decisions, ends and next games as at tables that play the same."""
    game, step_of_numbers = find(game_id), 11
    steps = SHORT_STEPS if (game_id, options) in SHORT else STEPS
    lanes = new_lanes(game, options, step=step_of_numbers, cut_off_loses=False)
    rollout = new_rollout(game, options, steps=steps)
    followers = [Follower(game, options, FIRST + lane, step_of_numbers) for lane in range(LANES)]
    skipped, ended, cut_off = sum(each.forced for each in followers), 0, 0
    for step in range(steps):
        lanes.show(rollout, step)
        actions = []
        for lane, follower in enumerate(followers):
            row, table, rows = step * LANES + lane, follower.table, rollout.rows
            np.testing.assert_array_equal(observation_of(rows, row, game.layout.size), table.observation)
            np.testing.assert_array_equal(np.sort(legal_of(rows, row)), np.flatnonzero(table.mask))
            assert len(legal_of(rows, row)) > 1
            assert rows.seat[row] == table.seat
            assert lanes.records["index"][lane] == follower.index
            assert lanes.records["length"][lane] == len(table.history)
            actions.append(choice(table.mask, follower.index, len(table.history)))
        lanes.play(np.array(actions), rollout, step)
        for lane, follower in enumerate(followers):
            row, ends = step * LANES + lane, follower.play(actions[lane])
            assert rollout.ends.done[row] == bool(ends)
            if ends:
                np.testing.assert_allclose(rollout.ends.reward[row], ends[0][1], rtol=1e-6)
            ended += len(ends)
            cut_off += sum(ending == Ending.TRUNCATED for ending, _ in ends)
    counts = rollout.ends.counts
    assert (counts[GAMES], counts[CUT_OFF]) == (ended, cut_off)
    assert counts[FORCED] + skipped == sum(each.forced for each in followers), "those before the first rows are not counted"
    if (game_id, options) in SHORT:
        assert ended > 0


@pytest.mark.parametrize(("game_id", "options"), SHORT, ids=variant_id)
def test_a_game_that_is_cut_off_is_a_loss_for_all_if_that_is_asked(game_id, options):
    (_, own), (lanes, rollout) = (played(game_id, options, SHORT_STEPS, cut_off_loses=each) for each in (False, True))
    np.testing.assert_array_equal(own.ends.done, rollout.ends.done)
    np.testing.assert_array_equal(own.ends.counts, rollout.ends.counts)
    counts, rewards = rollout.ends.counts, rollout.ends.reward[rollout.ends.done]
    assert counts[GAMES] == counts[CUT_OFF] == len(rewards) > 0
    np.testing.assert_allclose(rewards, -1 / (lanes.options.num_players - 1))
    np.testing.assert_allclose(own.ends.reward[own.ends.done].sum(axis=1), 0, atol=1e-6)


def test_a_game_that_ends_by_its_rules_pays_its_returns_whatever_a_cut_off_pays():
    own, other = (played("artisans_v0", {"max_visits": 1}, 120, cut_off_loses=each)[1].ends for each in (False, True))
    assert other.counts[GAMES] > other.counts[CUT_OFF] == 0
    np.testing.assert_array_equal(own.reward, other.reward)


def test_a_solo_game_that_is_cut_off_loses_too():
    """No game of ours is: Murano's solo game ends by its rules."""
    game = find("murano_v0")
    lanes, rollout = new_lanes(game, {"num_players": 1}, lanes=1), new_rollout(game, {"num_players": 1}, 1, 1)
    engine.record_end(lanes.records[0], int(Ending.TRUNCATED), lanes.deals, 0, rollout.ends)
    assert rollout.ends.reward[0] == -1


@pytest.mark.parametrize(
    ("players", "lira", "paid"),
    [(1, [36], [-1 + 0.36]), (2, [30, 50], [-1 - 0.2, 1 + 0.2]), (3, [10, 40, 25], [-0.725, 1.225, -0.5])],
)
def test_scores_are_paid_by_how_far_they_are_above_those_of_the_others(players, lira, paid):
    """A game for one is lost with works unmade; the Lira count all the same."""
    options = {"num_players": players}
    lanes = new_lanes(find("murano_v0"), options, lanes=1, score_weight=0.01)
    rollout = new_rollout(lanes.game, options, 1, 1)
    lanes.records["lira"][0, :players] = lira
    engine.record_end(lanes.records[0], int(Ending.TERMINATED), lanes.deals, 0, rollout.ends)
    np.testing.assert_allclose(rollout.ends.reward[0], paid, rtol=1e-6)


@pytest.mark.parametrize("loses", [False, True])
def test_only_the_first_game_that_ends_after_a_row_pays_it(loses):
    """A later one was over before anybody had a choice; it is counted all the same."""
    game = find("muster_v0")
    lanes, rollout = new_lanes(game, {}, lanes=1, cut_off_loses=loses), new_rollout(game, {}, 1, 1)
    record = lanes.records[0]
    engine.record_end(record, int(Ending.TERMINATED), lanes.deals, 0, rollout.ends)
    kept = rollout.ends.reward.copy()
    rollout.ends.reward[0, :] += 7
    engine.record_end(record, int(Ending.TRUNCATED), lanes.deals, 0, rollout.ends)
    np.testing.assert_array_equal(rollout.ends.reward[0], kept[0] + 7)
    assert rollout.ends.counts.tolist() == [2, 1, 0]


# ---- Numbers of games


@pytest.mark.parametrize("step", [None, 100])
def test_a_lane_goes_on_with_games_of_higher_numbers(step):
    lanes, rollout = played("muster_v0", {"max_turns": 2}, SHORT_STEPS, step=step)
    ended = rollout.ends.done[: rollout.number].reshape(-1, LANES).sum(axis=0)
    assert ended.min() > 0
    assert rollout.ends.counts[GAMES] == ended.sum(), "no game of Muster is over before there is a choice"
    np.testing.assert_array_equal(lanes.records["index"], FIRST + np.arange(LANES) + ended * (step or LANES))


@pytest.mark.parametrize(("game_id", "options"), [("artisans_v0", {}), *SHORT[:2], ("muster_v0", {})], ids=variant_id)
def test_games_do_not_depend_on_the_lane_they_are_played_in(game_id, options):
    """Lanes of two workers, together, play what the lanes of one play."""
    steps = STEPS // 4
    _, whole = played(game_id, options, steps, lanes=4, step=4)
    for part in (0, 1):
        _, half = played(game_id, options, steps, lanes=2, first=FIRST + 2 * part, step=4)
        for step in range(steps):
            for lane in (0, 1):
                row, other = step * 2 + lane, step * 4 + 2 * part + lane
                np.testing.assert_array_equal(legal_of(half.rows, row), legal_of(whole.rows, other))
                assert half.rows.chance[row] == whole.rows.chance[other]
                assert half.ends.done[row] == whole.ends.done[other]


# ---- Chances


@pytest.mark.parametrize("game_id", ["artisans_v0", "murano_v0", "muster_v0"])
def test_chances_depend_on_seed_number_and_length_alone(game_id):
    game = find(game_id)
    lanes, rollout = new_lanes(game, {}), new_rollout(game, {}, steps=4)
    found = {}
    for step in range(4):
        lanes.show(rollout, step)
        for lane in range(LANES):
            record = lanes.records[lane]
            found[int(record["index"]), int(record["length"])] = rollout.rows.chance[step * LANES + lane]
        play_step(lanes, rollout, step)
    assert len(set(found.values())) == 4 * LANES, "each decision has its own"
    for number, length in found:
        lanes.records["index"], lanes.records["length"] = number, length
        lanes.show(rollout, 0)
        assert (rollout.rows.chance[:LANES] == found[number, length]).all()
    other = SelfPlay(game, game.parse_options({}), LANES, SEED + 1, first=FIRST)
    other.records["index"], other.records["length"] = number, length
    other.show(rollout, 0)
    assert (rollout.rows.chance[:LANES] != found[number, length]).all()


def chances_of(numbers, lengths):
    """The chances of Muster's decisions of these numbers and lengths of games."""
    game, count = find("muster_v0"), len(numbers)
    lanes, rollout = new_lanes(game, {}, lanes=count), new_rollout(game, {}, count, 0)
    lanes.records["index"], lanes.records["length"] = numbers, lengths
    lanes.show(rollout, 0)
    return rollout.rows.chance.astype(float)


def test_chances_are_spread_evenly():
    """By number and by length, and from one decision to the next."""
    count = 4000 if COMPILED else 100
    for numbers, lengths in (
        (np.arange(count), 0),
        (7, np.arange(count) % 500),
        (np.arange(count) // 10, np.arange(count) % 10),
    ):
        numbers, lengths = np.broadcast_to(numbers, count), np.broadcast_to(lengths, count)
        _, first = np.unique(np.stack([numbers, lengths]), axis=1, return_index=True)
        found = chances_of(numbers[first], lengths[first])
        assert found.min() >= 0
        assert found.max() < 1
        away = np.abs(np.sort(found) - (np.arange(len(found)) + 0.5) / len(found)).max()
        assert away < 2 / np.sqrt(len(found)), "Kolmogorov and Smirnov: once in 1,500 samples"
        assert abs(np.corrcoef(found[:-1], found[1:])[0, 1]) < 4 / np.sqrt(len(found))


def test_a_chance_is_never_rounded_up_to_one():
    """The bits of this decision stand for a number so close to 1 that no float32 lies between."""
    assert chances_of([5589092], [0]) == 1 - 2**-24


# ---- Room


@pytest.mark.parametrize(("game_id", "options"), [("artisans_v0", {}), ("murano_v0", {}), ("muster_v0", {})], ids=variant_id)
def test_room_grows_without_losing_rows(game_id, options):
    """A rollout that has room for nothing at first holds the same as one that has plenty."""
    steps, game = STEPS // 3, find(game_id)
    size = (LANES, steps, game.layout.size, game.actions.size, 2)
    ample, tight = (Rollout(*size, advised=True, demonstrated=True) for _ in range(2))
    tight.rows = tight.rows._replace(**{name: getattr(tight.rows, name)[:1].copy() for name in ("input", "value", "action")})
    tight.choices = tight.choices._replace(log_probability=np.zeros(1, np.float32), advice=np.zeros(1, np.float32))
    tight.targets = tight.targets._replace(probability=np.zeros(1, np.float32))
    grown = 0
    for rollout in (ample, tight):
        lanes = new_lanes(game, options)
        for step in range(steps):
            room = len(rollout.rows.action)
            play_step(lanes, rollout, step)
            grown += rollout is tight and len(rollout.rows.action) > room
            some = slice(*rollout.rows.first_action[[step * LANES, (step + 1) * LANES]])
            for array in (rollout.choices.log_probability, rollout.choices.advice, rollout.targets.probability):
                array[some] = step + 1
    assert grown > 0
    used_inputs, used_actions = (int(each[steps * LANES]) for each in (ample.rows.first_input, ample.rows.first_action))
    for name, used in (("input", used_inputs), ("value", used_inputs), ("action", used_actions)):
        np.testing.assert_array_equal(getattr(tight.rows, name)[:used], getattr(ample.rows, name)[:used])
    np.testing.assert_array_equal(tight.rows.first_input, ample.rows.first_input)
    np.testing.assert_array_equal(tight.rows.first_action, ample.rows.first_action)
    for one, other in (
        (tight.choices.log_probability, ample.choices.log_probability),
        (tight.choices.advice, ample.choices.advice),
        (tight.targets.probability, ample.targets.probability),
    ):
        assert len(one) >= len(tight.rows.action) - 1
        np.testing.assert_array_equal(one[:used_actions], other[:used_actions])


def test_what_is_not_used_stays_empty_when_room_grows():
    game = find("muster_v0")
    rollout = new_rollout(game, {}, 1, 2)
    rollout.rows.first_input[1] = rollout.rows.first_action[1] = 10**5
    rollout.make_room(1)
    assert len(rollout.rows.input) >= 10**5 + game.layout.size
    assert len(rollout.rows.value) == len(rollout.rows.input)
    assert len(rollout.rows.action) >= 10**5 + game.actions.size
    assert len(rollout.choices.log_probability) == len(rollout.rows.action)
    assert len(rollout.choices.advice) == len(rollout.targets.probability) == 0


def test_a_rollout_that_begins_anew_has_seen_no_end():
    _, rollout = played("muster_v0", {"max_turns": 2}, SHORT_STEPS)
    assert rollout.ends.done.any()
    rollout.begin()
    assert not rollout.ends.done.any()
    assert not rollout.ends.counts.any()


# ---- Looking at lanes


@pytest.mark.parametrize(("game_id", "options"), [("artisans_v0", {"num_players": 3}), ("murano_v0", {}), ("muster_v0", {})])
def test_looking_at_some_lanes_shows_what_their_rows_show(game_id, options):
    lanes, rollout = played(game_id, options, steps=5)
    game, some = lanes.game, np.array([2, 0])
    observation, mask = np.zeros((2, game.layout.size), np.float32), np.zeros((2, game.actions.size), np.int8)
    engine.look_at(lanes.records, some, observation, mask, game.new_scratch())
    seats = np.zeros(LANES, np.int8)
    engine.seats_to_act(lanes.records, seats)
    for place, lane in enumerate(some):
        row = 5 * LANES + lane
        np.testing.assert_array_equal(observation[place], observation_of(rollout.rows, row, game.layout.size))
        np.testing.assert_array_equal(np.flatnonzero(mask[place]), np.sort(legal_of(rollout.rows, row)))
        assert seats[lane] == rollout.rows.seat[row]


def test_actions_of_some_lanes_leave_the_others_alone():
    lanes, rollout = played("muster_v0", {}, steps=3)
    before, some = lanes.records.copy(), np.array([1])
    deals = Deals(lanes.deals.blank, np.uint64(LANES), True, 0.0)
    actions = np.array([legal_of(rollout.rows, 3 * LANES + 1)[0]], np.int64)
    engine.play_rows(lanes.records, some, actions, deals, 0, lanes.game.new_scratch(), rollout.ends)
    assert (lanes.records == before).tolist() == [True, False, True]
