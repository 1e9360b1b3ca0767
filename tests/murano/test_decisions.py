"""The space of decisions (MUR-16)."""

import pytest

from cardtable.errors import StateError
from murano_env.env import GAME

from .positions import USE, by_block, legal, play, position, random_games, with_card

pytestmark = pytest.mark.rules


@pytest.mark.clause("MUR-16")
def test_the_action_space_has_243_actions_in_its_blocks():
    assert {block.name: block.size for block in GAME.actions.blocks} == {
        "turn_selector": 1,
        "take_pair": 1,
        "take": 5,
        "give_up": 5,
        "done": 1,
        "exchange": 20,
        "buy": 4,
        "sell": 5,
        "make": 70,
        "reorder": 6,
        "turn_ring": 1,
        "use": 16,
        "owl": 6,
        "arrange": 7,
        "lift": 20,
        "market": 4,
        "turn_by": 11,
        "swap": 20,
        "neighbour": 15,
        "draft": 24,
        "end_turn": 1,
    }
    assert GAME.actions.size == 243


@pytest.mark.clause("MUR-16")
@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("turn selector", 0),
        ("take pair", 1),
        ("take red", 2),
        ("give up transparent", 11),
        ("done", 12),
        ("exchange green at market 0", 13 + 4),
        ("buy market 3", 36),
        ("sell red", 37),
        ("make replacing none", 42),
        ("make replacing rrrr", 111),
        ("reorder to 2", 112),
        ("turn ring", 118),
        ("use art with art", 119),
        ("use animals with animals+tableware", 133),
        ("owl brings 7", 140),
        ("arrange 1", 141),
        ("lift from market 0 transparent", 152),
        ("choose market 0", 168),
        ("turn ring by 11", 182),
        ("swap transparent for blue", 202),
        ("neighbour 3 transparent", 217),
        ("draft card 0", 218),
        ("end turn", 242),
    ],
)
def test_an_id_has_one_name(name, number):
    assert GAME.actions.id_of(name) == number
    assert GAME.actions.name_of(number) == name


@pytest.mark.clause("MUR-16")
def test_four_swaps_are_never_legal():
    table = play(with_card(15, benches={0: "RGYBT"}), USE)
    assert len(legal(table)) == 20 - 4
    assert not any(f"swap {colour} for {colour}" in legal(table) for colour in ("red", "green", "yellow", "blue"))


@pytest.mark.clause("MUR-16.1")
@pytest.mark.parametrize(
    ("table", "only"),
    [
        (lambda: position(lira={0: 0}), "turn selector"),
        (lambda: position(step="turned", lira={0: 0}), "take pair"),
        (lambda: position(step="negotiated", lira={0: 0}), "end turn"),
        (lambda: position(step="taken", lira={0: 0}), "done"),
        (lambda: play(position(step="taken", benches={0: "R"}), "sell red"), "done"),
        (lambda: play(with_card(19, benches={1: "T"}), USE), "give up transparent"),
        (lambda: play(with_card(13, markets=("RRR", "GGG", "YYY", "BB")), USE, "lift from market 0 red"), "choose market 3"),
    ],
)
def test_a_decision_with_one_legal_action_is_still_asked(table, only):
    assert legal(table()) == [only]


@pytest.mark.clause("MUR-16")
def test_somebody_can_always_decide_while_the_game_goes_on():
    options = {"num_players": 3, "draft": True, "interactive": True, "max_rounds": 4}
    seen = 0
    for table, action in random_games(options, games=2, policy=by_block):
        assert table.mask[action]
        assert 0 <= table.seat < 3
        seen += 1
    assert seen > 60


@pytest.mark.clause("MUR-16", "MUR-8.8", "MUR-7.3")
def test_the_last_position_of_the_largest_hand_is_never_arranged():
    """Card 8 costs a work, so that six of seven cards are left at most; seven cannot be loaded either."""
    table = play(with_card(8, grandmaster=True), USE)
    assert legal(table) == [f"arrange {place}" for place in range(1, 7)]
    plain = table.state_dict()
    plain["hand"]["player_0"] += plain["works"]["player_0"]
    plain["works"]["player_0"], plain["set_aside"] = [], {}
    with pytest.raises(StateError, match="turn cannot arise"):
        table.load_state_dict(plain)
