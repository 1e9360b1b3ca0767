"""The Challenge, for one player (MUR-10)."""

from collections import Counter

import pytest

from murano_env.components import CREATIONS
from murano_env.env import GAME

from .positions import (
    bench,
    deals,
    end_turn,
    legal,
    lira,
    markets,
    open_game,
    phase,
    play,
    position,
    returns,
    ring,
    scores,
    selector,
    warehouse,
    works,
)

pytestmark = pytest.mark.rules

REST = ["nothing", "nothing", "ring", "ring", "selector", "red"]


def turn_end(card, round_number=1, **parts):
    """A solo turn that can be ended; this Challenge card comes next."""
    stack = list(REST)
    if card in stack:
        stack.remove(card)
    stack = stack[:5]
    stack.insert(round_number - 1, card)
    return position(**{"players": 1, "step": "negotiated", "challenge": stack, "round_number": round_number, **parts})


# ---- 10.1 Challenge cards


@pytest.mark.clause("MUR-10.1")
def test_six_of_ten_challenge_cards_are_in_the_hidden_stack():
    games = deals(60, players=1)
    assert set(games["challenge_size"]) == {6}
    for stack, left_out in zip(games["challenge"], games["left_out"], strict=True):
        assert Counter([*stack, *left_out[:4]]) == {0: 1, 1: 1, 2: 1, 3: 1, 4: 2, 5: 1, 6: 1, 7: 2}
    assert len({tuple(stack) for stack in games["challenge"]}) > 50
    assert set(games["hand_size"][:, 0]) == {6}


@pytest.mark.clause("MUR-10.1")
def test_at_the_end_of_each_turn_the_top_card_is_revealed():
    table = turn_end("nothing")
    before = table.state_dict()
    play(table, "end turn")
    after = table.state_dict()
    assert after["revealed"] == ["nothing"]
    assert after["challenge"] == before["challenge"][:-1]
    assert (after["phase"], after["round_number"]) == ("turn", 2)
    kept = ("selector", "ring_offset", "market", "warehouse", "bench", "lira", "hand")
    assert all(after[name] == before[name] for name in kept)
    assert "turn selector" in legal(table)


@pytest.mark.clause("MUR-10.1")
@pytest.mark.parametrize(("card", "offset", "notch"), [("ring", 0, 3), ("selector", 11, 4), ("nothing", 11, 3)])
def test_challenge_cards_turn_the_ring_or_the_selector(card, offset, notch):
    table = play(turn_end(card, selector=3, ring_offset=11), "end turn")
    assert (ring(table), selector(table)) == (offset, notch)
    assert lira(table) == 4
    table = play(turn_end("selector", selector=11), "end turn")
    assert selector(table) == 0


@pytest.mark.clause("MUR-10.1")
@pytest.mark.parametrize("colour", ["red", "green", "yellow", "blue"])
def test_a_colour_brings_a_shard_from_the_warehouse(colour):
    table = turn_end(colour)
    stock = Counter(warehouse(table))
    play(table, "end turn")
    assert bench(table) == colour[0].upper()
    assert Counter(warehouse(table)) == stock - Counter(bench(table))


@pytest.mark.clause("MUR-10.1", "MUR-4.3")
def test_a_ninth_shard_from_a_challenge_card_has_to_be_returned_before_the_next_turn():
    table = play(turn_end("blue", benches={0: "RRRRRRRR"}), "end turn")
    assert (phase(table), table.state_dict()["round_number"]) == ("return", 1)
    assert legal(table) == ["give up red", "give up blue"]
    play(table, "give up red")
    assert (phase(table), table.state_dict()["round_number"]) == ("turn", 2)
    assert bench(table) == "RRRRRRRB"
    assert "turn selector" in legal(table)


@pytest.mark.clause("MUR-10.1")
def test_a_colour_that_the_warehouse_lacks_brings_nothing():
    table = play(turn_end("green", benches={0: "GGGGGGGG"}, markets=("GG", "", "", "")), "end turn")
    assert (phase(table), bench(table)) == ("turn", "GGGGGGGG")


@pytest.mark.clause("MUR-10.1")
@pytest.mark.parametrize("there", [("R", "GG", "Y", ""), ("RRR", "GG", "YY", "BB")])
def test_the_fullest_market_is_emptied_into_the_warehouse(there):
    table = turn_end("market", markets=there)
    fullest = max(there, key=len)
    stock = Counter(warehouse(table))
    play(table, "end turn")
    assert markets(table) == ["" if shards == fullest else shards for shards in there]
    assert Counter(warehouse(table)) == stock + Counter(fullest)
    assert bench(table) == ""


@pytest.mark.clause("MUR-10.1")
@pytest.mark.parametrize(
    ("there", "equal"),
    [(("R", "GT", "Y", "BB"), [1, 3]), (("R", "G", "Y", "B"), [0, 1, 2, 3]), (("", "RRR", "GGG", "T"), [1, 2])],
)
def test_among_equally_full_markets_the_player_chooses_one(there, equal):
    table = play(turn_end("market", markets=there), "end turn")
    assert phase(table) == "challenge"
    assert legal(table) == [f"choose market {market}" for market in equal]
    play(table, f"choose market {equal[1]}")
    assert markets(table) == ["" if market == equal[1] else shards for market, shards in enumerate(there)]
    assert (phase(table), table.state_dict()["round_number"]) == ("turn", 2)


@pytest.mark.clause("MUR-10.1")
def test_if_all_markets_are_empty_nothing_happens():
    table = play(turn_end("market", markets=("", "", "", "")), "end turn")
    assert (phase(table), table.state_dict()["round_number"]) == ("turn", 2)


# ---- 10.2 The end


@pytest.mark.clause("MUR-10.2")
def test_a_game_without_six_works_has_seven_turns():
    table = open_game(1, deal={"challenge": ["nothing", "ring", "ring", "selector", "nothing", "red"]})
    rounds = []
    while not table.ending:
        rounds.append(table.state_dict()["round_number"])
        end_turn(table)
    assert rounds == [1, 2, 3, 4, 5, 6, 7]
    assert table.ending.name == "TERMINATED"
    assert len(table.state_dict()["revealed"]) == 6


@pytest.mark.clause("MUR-10.2")
def test_after_the_sixth_card_comes_one_more_turn():
    table = turn_end("nothing", round_number=6)
    play(table, "end turn")
    assert not table.ending
    assert table.state_dict()["challenge"] == []
    end_turn(table)
    assert table.ending


@pytest.mark.clause("MUR-10.2", "MUR-12.1")
def test_the_game_is_over_after_the_turn_of_the_sixth_work_and_no_card_is_revealed():
    table = turn_end("ring", round_number=3, left={0: 1}, hands={0: ["Vase"]}, benches={0: "RRYB"})
    play(table, "make replacing none")
    assert not table.ending
    assert "end turn" in legal(table)
    before = table.state_dict()
    play(table, "end turn")
    after = table.state_dict()
    assert table.ending.name == "TERMINATED"
    assert (after["revealed"], after["ring_offset"]) == (before["revealed"], before["ring_offset"])


# ---- 10.3, 10.4 Ranks

RANKS = [
    (0, "Apprentice", 0.25),
    (39, "Apprentice", 0.25),
    (40, "Artisan", 0.5),
    (44, "Artisan", 0.5),
    (45, "Master", 0.75),
    (49, "Master", 0.75),
    (50, "Grandmaster", 1.0),
    (77, "Grandmaster", 1.0),
]


def over(money, left=0):
    parts = {"round_number": 7, "left": {0: left}, "lira": {0: money}, "state": {"phase": "over"}}
    return turn_end("nothing", **parts)


@pytest.mark.clause("MUR-10.3", "MUR-10.4")
@pytest.mark.parametrize(("money", "rank", "reward"), RANKS)
def test_with_all_six_works_the_lira_give_the_rank_and_the_return(money, rank, reward):
    table = over(money)
    info = GAME.summary(table.record, table.options)[0]
    assert (info["score"], info["rank"]) == (money, rank)
    assert returns(table) == [reward]
    assert scores(table) == [money]


@pytest.mark.clause("MUR-10.3", "MUR-10.4")
@pytest.mark.parametrize("left", [1, 6])
def test_a_game_with_a_work_unmade_is_lost(left):
    table = over(60, left)
    info = GAME.summary(table.record, table.options)[0]
    assert returns(table) == [-1.0]
    assert (info["score"], info["rank"]) == (60, None)


@pytest.mark.clause("MUR-10.3", "MUR-7.3")
def test_works_that_were_used_count():
    table = over(41)
    assert len(table.state_dict()["set_aside"]) == 6
    assert returns(table) == [0.5]


DEAL = {
    "creations": ["Tumbler", "Parrot", "Scarab brooch", "Millefiori", "Fruit dish", "Red fish"],
    "advantages": ["free", "merchant", "gift", "present"],
    "markets": ["green", "yellow", "red", "blue"],
    "challenge": ["selector", "ring", "yellow", "blue", "green", "ring"],
    "selector": ["notch 11"],
    "ring": ["segment 11"],
}
TURNS = (
    ["turn selector", "turn ring", "take pair", "exchange red at market 1", *["turn ring"] * 3],
    [
        *["turn selector", "take pair", "exchange yellow at market 3", "make replacing none"],
        *["use tableware with tableware", "take yellow", "reorder to 2", "reorder to 4"],
    ],
    [
        *["turn selector", "take pair", "exchange blue at market 3", "make replacing none"],
        *["use animals with animals", "take green", "reorder to 4", "turn ring"],
    ],
    [
        *["turn selector", "take pair", "exchange green at market 1", "make replacing none"],
        *["use tableware with tableware", "take yellow", "make replacing yy"],
    ],
    [
        *["turn selector", "take pair", "exchange blue at market 0"],
        *["use animals with animals+jewels", "take red", "make replacing none"],
    ],
    ["turn selector", "take pair", "exchange blue at market 0", "make replacing none"],
)


@pytest.mark.clause("MUR-10.2", "MUR-10.3", "MUR-10.4")
def test_a_game_that_is_won_in_six_turns():
    rest = [card for card in CREATIONS if card not in DEAL["creations"]]
    table = open_game(1, deal={**DEAL, "creations": [*DEAL["creations"], *rest]})
    made, money = [], []
    for turn in TURNS:
        play(table, *turn, "end turn")
        made.append(len(works(table)))
        money.append(lira(table))
    assert made == [0, 1, 2, 4, 5, 6]
    assert money == [0, 4, 8, 23, 30, 37]
    assert table.ending.name == "TERMINATED"
    assert table.state_dict()["revealed"] == DEAL["challenge"][:5]
    assert GAME.summary(table.record, table.options)[0]["rank"] == "Apprentice"
    assert returns(table) == [0.25]
