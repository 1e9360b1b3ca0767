"""The end of the game, scores, ties, and the limit of rounds (MUR-12)."""

import pytest

from cardtable.engine.ending import Ending
from murano_env.env import GAME

from .positions import end_turn, legal, lira, open_game, play, position, returns, scores, works

pytestmark = pytest.mark.rules


def last_card(turn=0, players=3, **parts):
    """A player is about to make the last card of the hand."""
    parts = {"step": "negotiated", "left": {turn: 1}, "hands": {turn: ["Vase"]}, "benches": {turn: "RRYB"}, **parts}
    return position(players=players, turn=turn, **parts)


# ---- 12.1 The last round


@pytest.mark.clause("MUR-12.1")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_round_is_played_to_its_end_so_that_all_have_equally_many_turns(players):
    for finisher in range(players):
        table = play(last_card(finisher, players), "make replacing none", "end turn")
        turns = []
        while not table.ending:
            turns.append(table.seat)
            end_turn(table)
        assert turns == list(range(finisher + 1, players))
        assert table.ending == Ending.TERMINATED


@pytest.mark.clause("MUR-12.1")
def test_the_turn_of_the_last_card_goes_on_until_its_player_ends_it():
    table = last_card(turn=2, advantages=[14, 16, 8, 1], lira={2: 0})
    play(table, "make replacing none")
    assert not table.ending
    assert {"turn ring", "end turn", "use tableware with tableware"} <= set(legal(table))
    assert legal(table, "make", "reorder") == []
    play(table, "use tableware with tableware", "turn ring")
    assert lira(table, 2) == 8 + 1 - 1
    play(table, "end turn")
    assert table.ending


@pytest.mark.clause("MUR-12.1")
def test_others_may_finish_in_the_last_round_too():
    table = last_card(turn=1, players=2, left={0: 0, 1: 1})
    play(table, "make replacing none", "end turn")
    assert table.ending == Ending.TERMINATED
    assert [len(works(table, seat)) for seat in range(2)] == [6, 6]


@pytest.mark.clause("MUR-12.1")
def test_works_that_were_used_count_as_made():
    table = last_card(players=2, turn=1)
    assert len(table.state_dict()["set_aside"]) == 5
    play(table, "make replacing none", "end turn")
    assert table.ending == Ending.TERMINATED


# ---- 12.2 The winner


def over(money, left, **parts):
    """The end of a game with five (two players: six) cards a hand, so many of them left."""
    players = len(money)
    return position(
        players=players,
        turn=players - 1,
        step="negotiated",
        lira=dict(enumerate(money)),
        left=dict(enumerate(left)),
        state={"phase": "over"},
        **parts,
    )


@pytest.mark.clause("MUR-12.2", "MUR-12.4")
@pytest.mark.parametrize(
    ("money", "left", "expected"),
    [
        ((20, 10), (1, 0), [1, -1]),
        ((20, 20), (1, 0), [1, -1]),  # fewer works made
        ((20, 20), (0, 0), [0, 0]),
        ((9, 20, 10), (0, 3, 3), [-0.5, 1, -0.5]),
        ((20, 20, 10), (0, 0, 3), [0.25, 0.25, -0.5]),
        ((20, 20, 20), (0, 2, 2), [-0.5, 0.25, 0.25]),
        ((20, 20, 20), (0, 0, 0), [0, 0, 0]),
        ((1, 2, 3, 4), (0, 1, 1, 1), [-1 / 3, -1 / 3, -1 / 3, 1]),
        ((4, 4, 3, 4), (1, 1, 1, 0), [1 / 3, 1 / 3, -1 / 3, -1 / 3]),
        ((4, 4, 4, 4), (2, 2, 2, 0), [1 / 9, 1 / 9, 1 / 9, -1 / 3]),
    ],
)
def test_most_lira_win_then_fewer_works_then_the_win_is_shared(money, left, expected):
    table = over(money, left)
    assert table.ending == Ending.TERMINATED
    assert returns(table) == pytest.approx(expected)
    assert sum(returns(table)) == pytest.approx(0, abs=1e-6)
    assert scores(table) == list(money)


# ---- 12.3 The limit of rounds


@pytest.mark.clause("MUR-12.3")
@pytest.mark.parametrize("limit", [1, 3])
@pytest.mark.parametrize("players", [2, 3])
def test_after_the_last_round_the_game_is_cut_off_and_scored(players, limit):
    table = open_game(players, max_rounds=limit)
    turns = 0
    while not table.ending:
        end_turn(table)
        turns += 1
    assert turns == players * limit
    assert table.ending == Ending.TRUNCATED
    assert sum(returns(table)) == pytest.approx(0)
    assert GAME.summary(table.record, table.options)[0]["ended_by"] == "MUR-12.3"


@pytest.mark.clause("MUR-12.3")
def test_the_limit_is_50_rounds_unless_told_otherwise():
    table = position(turn=1, step="negotiated", round_number=50)
    play(table, "end turn")
    assert table.ending == Ending.TRUNCATED
    table = play(position(turn=1, step="negotiated", round_number=49), "end turn")
    assert not table.ending
    assert table.state_dict()["round_number"] == 50


@pytest.mark.clause("MUR-12.3", "MUR-12.1")
@pytest.mark.parametrize("turn", [0, 1])
def test_a_game_that_is_finished_in_that_round_is_not_truncated(turn):
    table = play(last_card(turn, players=2, max_rounds=1), "make replacing none", "end turn")
    if turn == 0:
        end_turn(table)
    assert table.ending == Ending.TERMINATED
    assert GAME.summary(table.record, table.options)[0]["ended_by"] == "MUR-12.1"


@pytest.mark.clause("MUR-12.3", "MUR-10.2", "MUR-11.7")
@pytest.mark.parametrize("options", [{"players": 1}, {"players": 2, "grandmaster": True}], ids=str)
def test_solo_and_grandmaster_have_no_limit_but_seven_turns(options):
    table = open_game(max_rounds=1, **options)
    while not table.ending:
        end_turn(table)
    assert table.ending == Ending.TERMINATED
    assert table.state_dict()["round_number"] == 7
