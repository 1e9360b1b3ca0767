"""The Grandmaster's Challenge (MUR-11)."""

import pytest

from murano_env.env import GAME

from .positions import (
    USE,
    bench,
    deals,
    end_turn,
    hand,
    legal,
    lira,
    open_game,
    phase,
    play,
    position,
    returns,
    scores,
    selector,
    with_card,
)

pytestmark = pytest.mark.rules


def grandmaster(**parts):
    return position(grandmaster=True, **parts)


def gaps(table):
    """The Lira on the gaps that have some."""
    return {int(gap.split()[1]): count for gap, count in table.state_dict()["gap_lira"].items()}


# ---- 11.1 Set-up


@pytest.mark.clause("MUR-11.1")
@pytest.mark.parametrize(("players", "size"), [(2, 7), (3, 6), (4, 6)])
def test_hands_have_one_card_more(players, size):
    table = open_game(players, grandmaster=True)
    assert [len(hand(table, seat)) for seat in range(players)] == [size] * players


@pytest.mark.clause("MUR-11.1")
def test_card_11_is_not_drawn():
    drawn = deals(150, grandmaster=True)["advantage"]
    assert set(drawn.ravel()) == set(range(16)) - {10}


@pytest.mark.clause("MUR-11.2")
@pytest.mark.parametrize(("players", "expected"), [(2, {5: 1, 11: 1}), (3, {5: 2, 11: 1}), (4, {5: 2, 11: 2})])
def test_lira_lie_at_six_and_at_twelve_o_clock(players, expected):
    assert gaps(open_game(players, grandmaster=True)) == expected
    assert gaps(open_game(players)) == {}


# ---- 11.3, 11.4 The Selector


@pytest.mark.clause("MUR-11.3")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_first_turn_moves_the_selector_half_a_step_to_notch_0_and_passes_no_gap(players):
    table = open_game(players, grandmaster=True, deal={"ring": ["segment 1"]})
    before = gaps(table)
    assert selector(table) is None
    assert legal(table, "take") == []
    play(table, "turn selector")
    assert selector(table) == 0
    assert gaps(table) == before
    play(table, "take pair")
    assert bench(table) == "RR"


@pytest.mark.clause("MUR-11.3")
def test_from_then_on_the_selector_moves_as_usual():
    table = play(grandmaster(turn=1), "turn selector")
    assert selector(table) == 1


def at_gap(gap, works, players=2, **parts):
    """The Selector is about to pass a gap for the first time; seats have made so many works."""
    moves = 6 if gap == 5 else 12
    full = 7 if players == 2 else 6
    left = {seat: full - number for seat, number in enumerate(works)}
    parts = {"round_number": moves // players + 1, "turn": moves % players, "left": left, **parts}
    return grandmaster(players=players, **parts)


@pytest.mark.clause("MUR-11.4")
@pytest.mark.parametrize("gap", [5, 11])
@pytest.mark.parametrize(
    ("works", "winner"),
    [((2, 1), 0), ((0, 1), 1), ((0, 0), None), ((3, 3), None), ((1, 2, 0), 1), ((2, 2, 1), None), ((1, 2, 2), None)],
)
def test_one_lira_of_a_gap_goes_to_who_has_made_most_works_or_to_the_supply(gap, works, winner):
    players = len(works)
    table = at_gap(gap, works, players)
    before = gaps(table)
    play(table, "turn selector")
    assert selector(table) == (gap + 1) % 12
    assert gaps(table).get(gap, 0) == before[gap] - 1
    assert [lira(table, seat) - 4 for seat in range(players)] == [int(seat == winner) for seat in range(players)]
    assert phase(table) == "turn"  # the take comes after
    assert "take pair" in legal(table)


@pytest.mark.clause("MUR-11.4", "MUR-7.3")
def test_works_that_were_used_count_for_the_lira_of_a_gap():
    table = at_gap(5, (1, 0))
    assert len(table.state_dict()["set_aside"]) == 1
    play(table, "turn selector")
    assert lira(table) == 5


@pytest.mark.clause("MUR-11.4")
def test_a_gap_without_lira_brings_nothing():
    table = grandmaster(round_number=2, left={0: 5, 1: 7})
    play(table, "turn selector")
    assert lira(table) == 4


@pytest.mark.clause("MUR-11.4")
def test_a_gap_with_two_lira_gives_one_each_time():
    table = grandmaster(players=4, round_number=2, turn=2, left={0: 4, 1: 6, 2: 6, 3: 6})
    assert gaps(table)[5] == 2
    play(table, "turn selector")
    assert gaps(table)[5] == 1
    assert lira(table) == 5


# ---- 11.5 Transparent shards


@pytest.mark.clause("MUR-11.5")
@pytest.mark.parametrize(
    ("own", "choice", "paid"),
    [
        ("RRYB", "none", 8),
        ("RRYT", "b", 7),
        ("RRTT", "yb", 6),
        ("TTTT", "rryb", 4),
        ("TTTTGGGG", "rryb", 0),
        ("RRYTGGGG", "b", 3),
    ],
)
def test_a_work_pays_1_lira_less_for_each_transparent_shard(own, choice, paid):
    table = grandmaster(step="negotiated", hands={0: ["Vase"]}, benches={0: own})
    play(table, f"make replacing {choice}")
    assert lira(table) == 4 + paid


@pytest.mark.clause("MUR-11.5", "MUR-6.3")
def test_the_second_work_pays_2_lira_more_all_the_same():
    table = grandmaster(step="negotiated", hands={0: ["Vase"]}, left={0: 6}, benches={0: "RRYT"}, state={"works_made": 1})
    play(table, "make replacing b")
    assert lira(table) == 4 + 7 + 2


# ---- 11.6 The Owl


@pytest.mark.clause("MUR-11.6")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_owl_lies_with_the_last_player_at_first(players):
    table = open_game(players, grandmaster=True)
    assert table.state_dict()["owl"] == f"player_{players - 1}"
    assert legal(table, "owl") == []


@pytest.mark.clause("MUR-11.6")
@pytest.mark.parametrize("place", [2, 4, 7])
@pytest.mark.parametrize("turn", [0, 1])
def test_the_owl_goes_to_the_right_and_brings_a_card_to_position_1(turn, place):
    table = grandmaster(turn=turn, lira={turn: 0}, state={"owl": f"player_{turn}"})
    before = hand(table, turn)
    assert legal(table, "owl") == [f"owl brings {position}" for position in range(2, 8)]
    play(table, f"owl brings {place}")
    assert hand(table, turn) == [before[place - 1], *before[: place - 1], *before[place:]]
    assert table.state_dict()["owl"] == f"player_{1 - turn}"
    assert lira(table, turn) == 0
    assert legal(table, "owl") == []  # gone for the turn


@pytest.mark.clause("MUR-11.6", "MUR-1.8")
def test_the_right_of_the_first_seat_is_the_last_one():
    table = play(grandmaster(players=4, state={"owl": "player_0"}), "owl brings 2")
    assert table.state_dict()["owl"] == "player_3"


@pytest.mark.clause("MUR-11.6")
@pytest.mark.parametrize("step", ["start", "turned", "taken", "negotiated", "passed"])
def test_the_owl_can_be_sent_at_any_time_in_ones_own_turn_only(step):
    table = grandmaster(step=step, state={"owl": "player_0"})
    assert len(legal(table, "owl")) == 6
    assert legal(grandmaster(step=step, state={"owl": "player_1"}), "owl") == []


@pytest.mark.clause("MUR-11.6")
def test_with_one_card_in_hand_the_owl_has_nothing_to_bring():
    assert legal(grandmaster(left={0: 1}, state={"owl": "player_0"}), "owl") == []
    assert legal(grandmaster(left={0: 2}, state={"owl": "player_0"}), "owl") == ["owl brings 2"]


@pytest.mark.clause("MUR-11.6", "MUR-6.1")
def test_the_card_that_the_owl_brings_can_be_made():
    table = grandmaster(step="negotiated", hands={0: ["Dolphin", "Vase"]}, benches={0: "RRYB"}, state={"owl": "player_0"})
    play(table, "owl brings 2", "make replacing none")
    assert hand(table)[0] == "Dolphin"


@pytest.mark.clause("MUR-11.6")
def test_there_is_no_owl_without_the_grandmasters_challenge():
    table = position(turn=1)
    assert table.state_dict()["owl"] is None
    assert legal(table, "owl") == []


# ---- 11.7 The last Lira


@pytest.mark.clause("MUR-11.7", "MUR-11.2")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_last_lira_leaves_in_the_seventh_turn_of_player_0_and_ends_the_game_with_that_round(players):
    table = open_game(players, grandmaster=True)
    turns = dict.fromkeys(range(players), 0)
    while not table.ending:
        turns[table.seat] += 1
        seen = table.record.last_round
        play(table, "turn selector")
        if table.record.last_round and not seen:
            assert (turns[0], table.seat, gaps(table)) == (7, 0, {})
        end_turn(table)
    assert table.ending.name == "TERMINATED"
    assert turns == dict.fromkeys(range(players), 7)


@pytest.mark.clause("MUR-11.7")
@pytest.mark.parametrize("works", [(2, 1), (1, 1)])
def test_it_does_not_matter_where_the_last_lira_goes(works):
    table = at_gap(11, works)
    play(table, "turn selector")
    assert table.state_dict()["last_round"]
    end_turn(table)
    assert not table.ending
    end_turn(table)
    assert table.ending


# ---- 11.8 Cards in hand


def over(left, money, **parts):
    """The end of a game in the seventh round."""
    parts = {"step": "negotiated", "round_number": 7, "turn": len(left) - 1, "players": len(left), **parts}
    return grandmaster(left=dict(enumerate(left)), lira=dict(enumerate(money)), state={"phase": "over"}, **parts)


@pytest.mark.clause("MUR-11.8")
def test_each_card_in_hand_costs_2_lira_and_a_score_may_fall_below_0():
    table = over((0, 3), (10, 5))
    assert scores(table) == [10, -1]
    info = GAME.summary(table.record, table.options)
    assert [each["penalty"] for each in info] == [0, 6]
    assert [each["score"] for each in info] == [10, -1]


@pytest.mark.clause("MUR-11.8", "MUR-12.2")
def test_the_winner_goes_by_the_score():
    assert returns(over((0, 3), (10, 15))) == [1, -1]
    assert returns(over((1, 3), (10, 15))) == [-1, 1]


@pytest.mark.clause("MUR-11.8", "MUR-12.1")
def test_the_cost_is_due_whatever_ended_the_game():
    table = grandmaster(turn=1, step="negotiated", left={0: 2, 1: 1}, hands={1: ["Vase"]}, benches={1: "RRYB"}, round_number=3)
    play(table, "make replacing none", "end turn")
    assert table.ending.name == "TERMINATED"
    assert scores(table) == [4 - 4, 4 + 8]


@pytest.mark.clause("MUR-11.8")
def test_cards_in_hand_cost_nothing_otherwise():
    assert scores(position(step="negotiated")) == [4, 4]


@pytest.mark.clause("MUR-11.1", "MUR-8.8")
def test_magician_arranges_seven_cards():
    table = with_card(8, grandmaster=True, left={0: 6})
    assert len(legal(play(table, USE))) == 6
