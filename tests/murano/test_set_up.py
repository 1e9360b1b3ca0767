"""Components, the board, set-up, and deals that are given (MUR-1, MUR-2)."""

from collections import Counter

import pytest

from cardtable.errors import DealError
from murano_env.components import ADVANTAGES, BUILT_IN_EDITION, CATEGORY_NAMES, CHALLENGE_COPIES, CREATIONS

from .positions import (
    COPIES,
    bench,
    deals,
    hand,
    legal,
    lira,
    markets,
    open_game,
    phase,
    play,
    position,
    ring,
    selector,
    warehouse,
    with_card,
)

pytestmark = pytest.mark.rules

CIRCLE = "RGYBGRBYRBGY"
RINGS = {"A": "TRGTYBTRYTGB", "B": "TTRGTYBGTRYB"}
SET_UPS = [{"players": 1}, {"players": 2}, {"players": 3, "draft": True}, {"players": 4, "grandmaster": True}]


# ---- 1 Components


@pytest.mark.clause("MUR-1.1")
@pytest.mark.parametrize("options", SET_UPS, ids=str)
def test_there_are_46_shards_for_any_number_of_players(options):
    table = open_game(**options)
    assert Counter("".join([warehouse(table), *markets(table)])) == COPIES
    assert sum(COPIES.values()) == 46
    assert [bench(table, seat) for seat in range(options["players"])] == [""] * options["players"]


@pytest.mark.clause("MUR-1.2")
def test_a_creation_has_four_coloured_shards_and_one_or_two_categories():
    assert len(BUILT_IN_EDITION.creations) == 24
    for each in BUILT_IN_EDITION.creations:
        assert len(each.recipe) == 4
        assert "transparent" not in each.recipe
        assert 1 <= len(set(each.categories)) == len(each.categories) <= 2
        assert set(each.categories) <= {"art", "jewels", "tableware", "animals"}


@pytest.mark.clause("MUR-1.3")
def test_there_are_twenty_advantages_and_ten_challenge_cards():
    assert len(set(ADVANTAGES)) == 16 + 4
    assert ADVANTAGES[0] == "present"
    assert ADVANTAGES[15:17] == ("visionary", "authoritarian")
    assert CHALLENGE_COPIES.sum() == 10


@pytest.mark.clause("MUR-1.3")
def test_the_supply_of_lira_never_ends():
    table = position(step="taken", benches={0: "R"}, lira={0: 120, 1: 120})
    play(table, "sell red", "done")
    assert lira(table) == 121


@pytest.mark.clause("MUR-1.4", "MUR-1.6")
@pytest.mark.parametrize("face", "AB")
@pytest.mark.parametrize(("notch", "offset"), [(notch, notch * 5 % 12) for notch in range(12)] + [(9, 3), (9, 4), (11, 11)])
def test_the_selector_points_at_a_notch_and_the_segment_that_faces_it(face, notch, offset):
    table = position(ring=face, step="turned", selector=notch, ring_offset=offset)
    play(table, "take pair")
    assert Counter(bench(table)) == Counter(CIRCLE[notch] + RINGS[face][(notch + offset) % 12])


@pytest.mark.clause("MUR-1.4")
def test_the_circle_shows_colours_only_and_the_ring_transparent_shards_too():
    plain = open_game().state_dict()
    assert "transparent" not in plain["circle"].values()
    assert "transparent" in plain["ring"].values()
    assert len(plain["circle"]) == len(plain["ring"]) == 12


@pytest.mark.clause("MUR-1.5")
@pytest.mark.parametrize("face", "AB")
@pytest.mark.parametrize("market", range(4))
@pytest.mark.parametrize("offset", [0, 1, 5, 10])
def test_a_market_is_connected_with_the_segments_at_its_three_notches(face, market, offset):
    table = position(ring=face, step="taken", ring_offset=offset, benches={0: "T"})
    play(table, f"exchange transparent at market {market}")
    segments = [RINGS[face][(3 * market + place + offset) % 12] for place in range(3)]
    assert Counter(bench(table)) == Counter(shard for shard in segments if shard != "T")


@pytest.mark.clause("MUR-1.5")
@pytest.mark.parametrize(("there", "free"), [("", True), ("R", True), ("RT", True), ("RRT", False)])
def test_a_market_has_three_places(there, free):
    table = position(step="taken", benches={0: "G"}, markets=("R", there, "Y", "B"))
    assert ("exchange green at market 1" in legal(table)) == free


@pytest.mark.clause("MUR-1.6")
@pytest.mark.parametrize(("before", "after"), [(0, 1), (4, 5), (11, 0)])
def test_one_step_counter_clockwise_raises_the_offset(before, after):
    table = play(position(ring_offset=before), "turn ring")
    assert ring(table) == after


@pytest.mark.clause("MUR-1.7")
def test_the_built_in_edition_is_called_a_reconstruction_wherever_it_is_shown():
    table = open_game()
    assert table.options.to_dict()["edition"] == "reconstruction"
    assert "reconstruction" in table.text()


@pytest.mark.clause("MUR-1.7")
def test_the_reconstruction_is_as_the_rules_describe_it():
    board = BUILT_IN_EDITION.board
    assert "".join(name[0].upper() for name in board.circle) == CIRCLE
    assert {face: "".join(name[0].upper() for name in shards) for face, shards in board.faces.items()} == RINGS
    yields = {face: [{(shards * 2)[at + k] for k in range(3)} - {"T"} for at in range(12)] for face, shards in RINGS.items()}
    assert {len(colours) for colours in yields["A"]} == {2}
    assert {len(colours) for colours in yields["B"]} == {1, 2, 3}


@pytest.mark.clause("MUR-1.7", "MUR-1.2")
def test_the_creations_of_the_reconstruction_are_spread_evenly():
    first, second = BUILT_IN_EDITION.creations[:12], BUILT_IN_EDITION.creations[12:]
    by_count = [Counter(each.recipe).most_common() for each in first]
    assert {tuple(count for _, count in shards) for shards in by_count} == {(3, 1)}
    assert len({tuple(colour for colour, _ in shards) for shards in by_count}) == 12
    assert set(Counter(frozenset(each.categories) for each in first).values()) == {2}
    assert all(sorted(Counter(each.recipe).values()) == [1, 1, 2] for each in second)
    assert len({frozenset(Counter(each.recipe).items()) for each in second}) == 12
    assert Counter(each.categories for each in second) == {(name,): 3 for name in CATEGORY_NAMES}


@pytest.mark.clause("MUR-1.8")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_play_goes_to_the_left_and_around_the_table(players):
    for turn in range(players):
        table = play(position(players=players, turn=turn, step="negotiated"), "end turn")
        assert table.seat == (turn + 1) % players


@pytest.mark.clause("MUR-1.8")
@pytest.mark.parametrize(("turn", "steps", "other"), [(0, 1, 1), (0, 3, 3), (2, 1, 3), (2, 2, 0), (3, 1, 0), (3, 3, 2)])
def test_neighbours_are_counted_to_the_left(turn, steps, other):
    table = with_card(18, players=4, turn=turn, benches={turn: "R"})
    play(table, "use art with art", f"neighbour {steps} red")
    assert bench(table, other) == "R"


# ---- 2 Set-up


@pytest.mark.clause("MUR-2.1")
def test_selector_and_ring_stand_anywhere():
    games = deals(200)
    assert set(games["selector"]) == set(games["ring_offset"]) == set(range(12))
    assert len(set(zip(games["selector"], games["ring_offset"], strict=True))) > 80


@pytest.mark.clause("MUR-2.1")
@pytest.mark.parametrize("face", "AB")
def test_the_face_of_the_ring_is_an_option(face):
    shown = "".join(name[0].upper() for name in open_game(ring=face).state_dict()["ring"].values())
    assert shown == RINGS[face]


@pytest.mark.clause("MUR-2.2")
@pytest.mark.parametrize(("players", "size"), [(1, 6), (2, 6), (3, 5), (4, 5)])
def test_each_seat_gets_its_block_of_the_deck_the_first_card_in_position_1(players, size):
    cards = list(CREATIONS[::-1])
    table = open_game(players, deal={"creations": cards})
    for seat in range(players):
        assert hand(table, seat) == cards[seat * size : (seat + 1) * size]
    assert table.state_dict()["deck"][::-1] == cards[players * size :]


@pytest.mark.clause("MUR-2.2")
def test_the_creations_are_shuffled():
    hands = deals(200)["hand"]
    assert set(hands[:, 0, 0]) == set(hands[:, 1, 5]) == set(range(24))
    assert len({tuple(hand) for hand in hands[:, 0]}) == 200


@pytest.mark.clause("MUR-2.2")
def test_only_the_card_in_position_1_can_be_made():
    parts = {"step": "negotiated", "benches": {0: "RRYB"}}
    assert legal(position(hands={0: ["Vase", "Dolphin"]}, **parts), "make") == ["make replacing none"]
    assert legal(position(hands={0: ["Dolphin", "Vase"]}, **parts), "make") == []


@pytest.mark.clause("MUR-2.3")
def test_each_market_gets_one_of_the_four_colours_at_random():
    games = deals(150)
    assert games["warehouse"].tolist() == [[9, 9, 9, 9, 6]] * 150
    assert games["market"].sum(axis=1).tolist() == [[1, 1, 1, 1, 0]] * 150
    assert games["market"].sum(axis=2).tolist() == [[1, 1, 1, 1]] * 150
    assert len({tuple(shards) for shards in games["market"].argmax(axis=2)}) == 24


@pytest.mark.clause("MUR-2.4")
@pytest.mark.parametrize("options", SET_UPS, ids=str)
def test_each_player_has_4_lira_and_player_0_begins(options):
    table = open_game(**options)
    assert [lira(table, seat) for seat in range(options["players"])] == [4] * options["players"]
    assert table.seat == 0
    assert table.state_dict()["turn"] == "player_0"


def tiles(table):
    return list(table.state_dict()["advantage"].values())


@pytest.mark.clause("MUR-2.5")
def test_random_advantages_are_four_different_ones_of_the_first_sixteen():
    drawn = deals(250)["advantage"]
    assert all(len(set(cards)) == 4 for cards in drawn)
    assert all(set(drawn[:, tile]) == set(range(16)) for tile in range(4))


@pytest.mark.clause("MUR-2.5")
def test_a_first_game_has_the_cards_1_to_4_at_random_under_the_tiles():
    drawn = {tuple(cards) for cards in deals(200, advantages="first_game")["advantage"]}
    assert {frozenset(cards) for cards in drawn} == {frozenset(range(4))}
    assert len(drawn) == 24


@pytest.mark.clause("MUR-2.5")
def test_four_ids_are_the_cards_in_the_order_of_the_tiles():
    table = open_game(advantages=[12, 3, 16, 1])
    assert table.state_dict()["advantage"] == {
        "art": "repetition",
        "jewels": "free",
        "tableware": "visionary",
        "animals": "present",
    }


@pytest.mark.clause("MUR-2.5")
@pytest.mark.parametrize("options", [{}, {"grandmaster": True}, {"interactive": True}], ids=str)
def test_an_expert_deck_has_no_cards_1_and_2(options):
    drawn = {ADVANTAGES[card] for card in deals(120, expert_deck=True, **options)["advantage"].ravel()}
    assert not {"present", "gift"} & drawn
    assert "free" in drawn


# ---- Deals that are given


@pytest.mark.clause("MUR-2.1", "MUR-2.3", "MUR-2.5")
def test_every_part_of_the_set_up_can_be_given():
    deal = {
        "creations": list(CREATIONS),
        "advantages": ["free", "merchant", "expert", "gourmand"],
        "markets": ["yellow", "red", "blue", "green"],
        "selector": ["notch 7"],
        "ring": ["segment 11"],
    }
    table = open_game(deal=deal)
    assert tiles(table) == deal["advantages"]
    assert markets(table) == list("YRBG")
    assert (selector(table), ring(table)) == (7, 11)
    assert hand(table, 1) == list(CREATIONS[6:12])
    play(table, "turn selector", "take pair")
    assert Counter(bench(table)) == Counter(CIRCLE[8] + RINGS["A"][7])


@pytest.mark.clause("MUR-10.1")
def test_the_challenge_stack_can_be_given_the_first_card_is_revealed_first():
    cards = ["ring", "selector", "ring", "nothing", "red", "market"]
    table = open_game(1, deal={"challenge": cards})
    plain = table.state_dict()
    assert plain["challenge"][::-1] == cards
    assert sorted(plain["left_out"]) == ["blue", "green", "nothing", "yellow"]


@pytest.mark.clause("MUR-9.2", "MUR-11.1")
def test_advantages_can_be_given_as_the_options_draw_them():
    table = open_game(interactive=True, deal={"advantages": ["free", "dealer", "expert", "present"]})
    assert tiles(table)[1] == "dealer"
    table = open_game(advantages="first_game", deal={"advantages": ["merchant", "free", "gift", "present"]})
    assert tiles(table) == ["merchant", "free", "gift", "present"]


BASE = ["free", "merchant", "expert", "gourmand"]


@pytest.mark.parametrize(
    ("options", "deal", "said"),
    [
        ({}, {"creations": list(CREATIONS[1:])}, "deck 'creations' is not the game's: missing {'Ruby pendant': 1}"),
        ({}, {"creations": ["Vase", *CREATIONS[1:]]}, "too many {'Vase': 1}"),
        ({}, {"creations": "Vase"}, "is a list of cards, top first"),
        ({}, {"advantages": BASE[:3]}, "needed are 4, all different"),
        ({}, {"advantages": [*BASE[:3], "free"]}, "needed are 4, all different"),
        ({}, {"advantages": [*BASE[:3], "thief"]}, r"deck 'advantages'\[3\]: 'thief' is not one of present"),
        ({}, {"advantages": [*BASE[:3], "dealer"]}, "1 interactive cards, needed: 0"),
        ({"interactive": True}, {"advantages": BASE}, "0 interactive cards, needed: 1"),
        ({"interactive": True}, {"advantages": [*BASE[:2], "dealer", "collector"]}, "2 interactive cards, needed: 1"),
        ({"advantages": [3, 4, 5, 6]}, {"advantages": BASE}, "the option `advantages` gives them already"),
        ({"expert_deck": True}, {"advantages": [*BASE[:3], "gift"]}, "gift is not in the draw under these options"),
        ({"grandmaster": True}, {"advantages": [*BASE[:3], "provident"]}, "provident is not in the draw"),
        ({"advantages": "first_game"}, {"advantages": BASE}, "they are present, gift, free, merchant"),
        ({}, {"markets": ["red", "red", "blue", "green"]}, "deck 'markets' is not the game's: missing {'yellow': 1}"),
        ({}, {"markets": ["red", "transparent", "blue", "green"]}, "'markets'.1.: 'transparent' is not one of red"),
        ({}, {"challenge": ["ring"] * 6}, "Challenge cards are for one player"),
        ({"players": 1}, {"challenge": ["ring", "ring", "red", "blue", "green"]}, "5 cards, needed are 6"),
        ({"players": 1}, {"challenge": ["red", "ring", "red", "blue", "green", "market"]}, "there are only 1 cards 'red'"),
        ({"players": 1}, {"challenge": ["ring", "ring", "ring", "blue", "green", "market"]}, "there are only 2 cards 'ring'"),
        ({"players": 1}, {"challenge": ["fire", "ring", "red", "blue", "green", "market"]}, "'fire' is not one of red"),
        ({}, {"selector": []}, "selector: 0 entries, needed is one"),
        ({}, {"selector": ["notch 1", "notch 2"]}, "selector: 2 entries, needed is one"),
        ({}, {"selector": ["notch 12"]}, "'notch 12' is not one of notch 0"),
        ({}, {"selector": [3]}, "3 is not one of notch 0"),
        ({"grandmaster": True}, {"selector": ["notch 1"]}, "with grandmaster=True it starts on gap 11"),
        ({}, {"ring": ["segment 1", "segment 1"]}, "ring: 2 entries, needed is one"),
        ({}, {"ring": ["notch 1"]}, "'notch 1' is not one of segment 0"),
        ({}, {"lira": [5, 5]}, "no deck is called 'lira'; decks: creations, advantages, markets, challenge, selector, ring"),
    ],
)
def test_impossible_deals_are_refused(options, deal, said):
    with pytest.raises(DealError, match=f"murano_v0: .*{said}"):
        open_game(deal=deal, **options)


@pytest.mark.clause("MUR-9.1")
def test_creations_are_given_to_packs_in_a_draft():
    table = open_game(draft=True, deal={"creations": list(CREATIONS)})
    assert phase(table) == "draft"
    assert table.state_dict()["pack"] == {"player_0": list(CREATIONS[:7]), "player_1": list(CREATIONS[7:14])}
