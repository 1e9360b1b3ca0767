"""MUS-6: the end, and who wins."""

import pytest

from cardtable.engine.ending import Ending
from cardtable.errors import OptionError
from muster_env.env import raw_env

from .positions import BANNERS, GAME, castle_space, hand, offered, pile, plain_position, play, position

pytestmark = pytest.mark.rules


@pytest.mark.clause("MUS-6.1")
@pytest.mark.parametrize("seat", [0, 1])
def test_the_game_ends_when_the_last_card_of_the_pile_is_drawn(seat):
    table = play(position(hand="water 1", pile_size=1, seat=seat), "play water 1 at water")
    assert table.ending == Ending.ONGOING
    play(table, "draw from pile")
    assert (table.ending, table.legal_actions(), pile(table)) == (Ending.TERMINATED, [], [])


@pytest.mark.clause("MUS-6.1")
def test_with_two_cards_in_the_pile_the_game_goes_on():
    table = play(position(hand="water 1", pile_size=2), "play water 1 at water", "draw from pile")
    assert (table.ending, table.seat) == (Ending.ONGOING, 1)


@pytest.mark.clause("MUS-6.1")
def test_a_draw_from_a_castle_space_does_not_end_the_game():
    table = play(position(hand="water 1", pile_size=1), "play water 1 at water", "draw from sun")
    assert (table.ending, table.seat, len(pile(table))) == (Ending.ONGOING, 1, 1)


@pytest.mark.clause("MUS-6.1")
@pytest.mark.parametrize(("draws", "cards"), [(["pile"], 4), (["sun", "pile"], 5)])
def test_the_game_ends_even_in_mid_refill(draws, cards):
    table = position(hand="wizard/bridge, water 2", pile_size=1)
    play(table, "bridge to water 2 at water", *(f"draw from {place}" for place in draws))
    assert (table.ending, table.legal_actions()) == (Ending.TERMINATED, [])
    assert hand(table, 0).total() == cards


@pytest.mark.clause("MUS-6.1")
def test_a_banner_card_turned_up_last_is_laid_and_ends_the_game():
    table = position(columns={"sun": "wizard"}, pile=["water 1"], pile_size=1)
    play(table, "move wizard from sun to leaf")
    assert (table.ending, castle_space(table, "water")[-1]) == (Ending.TERMINATED, "water 1")


@pytest.mark.clause("MUS-6.1")
@pytest.mark.parametrize("card", ["wizard/bridge", "rainbow castle"])
@pytest.mark.parametrize("castle", BANNERS)
def test_a_rainbow_card_turned_up_last_is_placed_before_the_game_ends(castle, card):
    table = position(columns={"sun": "wizard"}, pile=[card], pile_size=1)
    play(table, "move wizard from sun to leaf")
    assert (table.ending, len(table.legal_actions())) == (Ending.ONGOING, 5)
    result = table.result()
    play(table, f"place on {castle}")
    assert (table.ending, castle_space(table, castle)[-1]) == (Ending.TERMINATED, card)
    assert table.result() == result


@pytest.mark.clause("MUS-6.1")
def test_a_finished_game_can_be_saved_and_loaded():
    table = play(position(hand="wizard/bridge, water 2", pile_size=1), "bridge to water 2 at water", "draw from pile")
    again = position()
    again.load_state_dict(table.state_dict())
    assert (again.ending, again.result()) == (Ending.TERMINATED, table.result())


WINS = [
    pytest.param("5", "4", 0, "strength", id="five beats four"),
    pytest.param("4", "5", 1, "strength", id="four loses to five"),
    pytest.param("1", "", 0, "strength", id="one card beats none"),
    pytest.param("wizard", "5", 0, "strength", id="a Wizard counts six"),
    pytest.param("1, 1", "cloud 2, cloud 3", 1, "strength", id="totals count"),
    pytest.param("3", "1, bridge, cloud 3", 1, "strength", id="a Bridge counts one"),
    pytest.param("wizard", "1, 2, 2, wizard", 1, "strength", id="strength before banner cards"),
    pytest.param("1, 1, 1", "3", 0, "banner cards", id="three banner cards beat one"),
    pytest.param("4", "1, 1, 2", 1, "banner cards", id="one banner card loses to three"),
    pytest.param("wizard", "1, 1, 2, 2", 1, "banner cards", id="Wizards are no banner cards"),
    pytest.param("1, bridge, 3", "1, 2, 2", 1, "banner cards", id="Bridges are no banner cards"),
    pytest.param("3", "cloud 3", None, "nobody", id="level"),
    pytest.param("1, wizard", "1, wizard", None, "nobody", id="level with Wizards"),
    pytest.param("", "", None, "nobody", id="both empty"),
]


def finished(**parts):
    """The environment after a last turn that changes no column."""
    env = raw_env(**{name: parts[name] for name in ("max_turns",) if name in parts})
    env.reset(seed=0)
    env.load_state_dict(plain_position(pile_size=1, hand="leaf 4", **parts))
    env.step(env.action_id("lay leaf 4"))
    env.step(env.action_id("draw from pile"))
    return env


@pytest.mark.clause("MUS-6.2", "MUS-6.3")
@pytest.mark.parametrize(("own", "other", "winner", "why"), WINS)
@pytest.mark.parametrize("castle", ["water", "sun"])
def test_who_gets_a_castle(castle, own, other, winner, why):
    env = finished(columns={castle: own}, other_columns={castle: other})
    summaries = [env.summary(agent) for agent in ("player_0", "player_1")]
    assert [summary["castles"] for summary in summaries] == [[castle] * (winner == seat) for seat in (0, 1)]
    assert [env.infos[agent]["score"] for agent in env.agents] == [winner == 0, winner == 1]
    assert summaries[0]["decided_by"] == dict.fromkeys(BANNERS, "nobody") | {castle: why}
    assert [env.rewards[agent] for agent in env.agents] == {0: [1, -1], 1: [-1, 1], None: [0, 0]}[winner]


@pytest.mark.clause("MUS-6.2")
def test_cards_on_castle_spaces_count_for_nobody():
    env = finished(castles={"water": "5"})
    assert [env.infos[agent]["score"] for agent in env.agents] == [0, 0]


@pytest.mark.clause("MUS-6.4")
@pytest.mark.parametrize(
    ("own", "other", "scores", "returns"),
    [
        (3, 2, [3, 2], [1, -1]),
        (2, 3, [2, 3], [-1, 1]),
        (1, 0, [1, 0], [1, -1]),
        (0, 1, [0, 1], [-1, 1]),
        (2, 2, [2, 2], [0, 0]),
        (0, 0, [0, 0], [0, 0]),
        (5, 0, [5, 0], [1, -1]),
    ],
)
def test_more_castles_wins_and_equal_castles_is_a_draw(own, other, scores, returns):
    columns = dict.fromkeys(BANNERS[:own], "1")
    other_columns = dict.fromkeys(BANNERS[own : own + other], "5")
    table = position(hand="leaf 4", columns=columns, other_columns=other_columns, pile_size=1)
    play(table, "lay leaf 4", "draw from pile")
    assert (table.ending, table.result()) == (Ending.TERMINATED, (returns, scores))


@pytest.mark.clause("MUS-6.4")
def test_castles_count_not_the_margin():
    columns, other_columns = {"water": "1, wizard, wizard"}, {"feather": "1", "cloud": "1"}
    table = position(columns=columns, other_columns=other_columns)
    assert table.result() == ([-1, 1], [1, 2])


@pytest.mark.clause("MUS-6.4")
@pytest.mark.parametrize("seat", [0, 1])
def test_the_result_does_not_depend_on_who_moved_last(seat):
    table = play(position(hand="water 1", seat=seat, pile_size=1), "play water 1 at water", "draw from pile")
    assert table.result()[0][seat] == 1


@pytest.mark.clause("MUS-6.1", "MUS-6.5")
def test_rewards_and_infos_come_at_the_end_alone():
    env = raw_env()
    env.reset(seed=0)
    env.load_state_dict(plain_position(hand="water 1", pile_size=1))
    env.step(env.action_id("play water 1 at water"))
    nothing = {"score": 0, "turns": 0, "decisions": 0}
    assert (env.rewards, env.infos) == ({"player_0": 0, "player_1": 0}, {"player_0": nothing, "player_1": nothing})
    assert env.summary("player_0") == {}
    env.step(env.action_id("draw from pile"))
    assert env.rewards == {"player_0": 1, "player_1": -1}
    assert (set(env.terminations.values()), set(env.truncations.values())) == ({True}, {False})
    assert env.infos["player_0"] == {"score": 1, "turns": 1, "decisions": 2}
    assert env.summary("player_1")["ended_by"] == "MUS-6.1"


@pytest.mark.clause("MUS-6.5")
def test_a_game_is_cut_off_after_three_hundred_turns_by_default():
    assert GAME.parse_options({}).max_turns == 300
    turn = {"hand": "water 1", "other_hand": "water 1"}
    table = play(position(turn=298, **turn), "lay water 1", "draw from pile")
    assert table.ending == Ending.ONGOING
    play(table, "lay water 1", "draw from pile")
    assert (table.ending, table.legal_actions()) == (Ending.TRUNCATED, [])


@pytest.mark.clause("MUS-6.5")
@pytest.mark.parametrize("max_turns", [1, 2, 3])
def test_the_turns_of_both_players_count(max_turns):
    table = position(hand="leaf 4, leaf 3", other_hand="leaf 1, leaf 2", max_turns=max_turns)
    for turn, card in enumerate(("leaf 4", "leaf 1", "leaf 3")[:max_turns]):
        assert (table.ending, table.seat) == (Ending.ONGOING, turn % 2)
        play(table, f"lay {card}")
        assert table.ending == Ending.ONGOING
        play(table, "draw from pile")
    assert table.ending == Ending.TRUNCATED


@pytest.mark.clause("MUS-6.5")
@pytest.mark.parametrize(
    ("acts", "ending"),
    [
        (["swap water 1 into own water"], Ending.TRUNCATED),
        (["move wizard from water to sun"], Ending.ONGOING),
        (["move wizard from water to sun", "place on sun"], Ending.TRUNCATED),
        (["wizard at sun"], Ending.ONGOING),
        (["wizard at sun", "draw from pile"], Ending.TRUNCATED),
        (["bridge to leaf 2 at leaf", "draw from pile"], Ending.ONGOING),
        (["bridge to leaf 2 at leaf", "draw from pile", "draw from pile"], Ending.TRUNCATED),
    ],
)
def test_a_turn_is_over_with_its_last_decision(acts, ending):
    table = position(hand="water 1, wizard/bridge, leaf 2", columns={"water": "wizard"}, pile=["rainbow castle"], max_turns=1)
    assert play(table, *acts).ending == ending


@pytest.mark.clause("MUS-6.5")
def test_a_game_cut_off_is_scored_as_it_stands_and_reported_as_truncated():
    env = raw_env(max_turns=1)
    env.reset(seed=0)
    env.load_state_dict(plain_position(hand="water 1", max_turns=1))
    env.step(env.action_id("play water 1 at water"))
    env.step(env.action_id("draw from pile"))
    assert (set(env.terminations.values()), set(env.truncations.values())) == ({False}, {True})
    assert env.rewards == {"player_0": 1, "player_1": -1}
    summary = env.summary("player_0")
    assert (summary["ended_by"], summary["castles"], summary["score"]) == ("MUS-6.5", ["water"], 1)
    assert (env.infos["player_0"]["turns"], env.infos["player_0"]["decisions"]) == (1, 2)


@pytest.mark.clause("MUS-6.5")
@pytest.mark.parametrize(
    "acts",
    [
        ["lay leaf 4", "draw from pile"],
        ["bridge to water 2 at water", "draw from pile"],
        ["bridge to water 2 at water", "draw from cloud", "draw from pile"],
        ["move wizard from feather to sun", "place on sun"],
    ],
)
def test_if_the_pile_ends_in_the_last_turn_the_game_is_terminated(acts):
    table = position(
        hand="leaf 4, water 2, wizard/bridge",
        columns={"feather": "wizard"},
        castles={"cloud": "5"},
        pile=["rainbow castle"],
        pile_size=1,
        max_turns=1,
    )
    assert play(table, *acts).ending == Ending.TERMINATED


@pytest.mark.clause("MUS-6.5")
def test_play_can_circle_while_the_pile_does_not_shrink():
    table = position(hand="water 1, sun 1", other_hand="water 1, sun 1", castles={"water": "2", "sun": "2"}, max_turns=8)
    cards = len(pile(table))
    for laid, drawn in [("water", "sun"), ("sun", "water"), ("sun", "water"), ("water", "sun")] * 2:
        play(table, offered(table, f"lay {laid}")[0], f"draw from {drawn}")
    assert (table.ending, len(pile(table))) == (Ending.TRUNCATED, cards)


@pytest.mark.clause("MUS-6.5")
@pytest.mark.parametrize("max_turns", [0, -1, 1.5, True, "300", None])
def test_max_turns_is_an_integer_of_at_least_one(max_turns):
    with pytest.raises(OptionError, match="max_turns"):
        GAME.parse_options({"max_turns": max_turns})
