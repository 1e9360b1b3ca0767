"""What an observation says, piece by piece (MUR-15.1)."""

import numpy as np
import pytest

from murano_env.components import ADVANTAGES, BUILT_IN_EDITION, CATEGORY_NAMES, CHALLENGES, COLOUR_NAMES
from murano_env.env import GAME
from murano_env.observation import HIDDEN
from murano_env.state import PHASE_NAMES

from .tables import changed, labelled, open_game, piece, play, play_until

pytestmark = pytest.mark.rules

NAMES = BUILT_IN_EDITION.names()
CIRCLE = BUILT_IN_EDITION.circle()
RING = BUILT_IN_EDITION.ring("A")
COLOURS, NOTCHES = 4, 12


def lead(table, seat):
    """The pairs as (circle shard, ring shard), in the order seen."""
    seen = piece(table, seat, "pairs")
    return [(int(pair[:COLOURS].argmax()), int(pair[COLOURS : COLOURS + 5].argmax())) for pair in seen]


def pairs_from(notch, offset=0):
    """The pairs of the board from a notch on."""
    return [(CIRCLE[(notch + k) % NOTCHES], RING[(notch + k + offset) % NOTCHES]) for k in range(NOTCHES)]


def test_it_is_compact_and_every_number_has_a_name():
    assert GAME.layout.size <= 750
    assert len(set(GAME.layout.labels())) == GAME.layout.size


# ---- The board


def test_pairs_are_in_the_order_in_which_the_selector_meets_them():
    table = open_game()  # the Selector points at notch 3 from the turn before
    for seat in range(2):
        assert lead(table, seat) == pairs_from(4)
    play(table, "turn selector")
    assert labelled(table, 0, "turn")["Selector set"] == 1
    assert lead(table, 0) == lead(table, 1) == pairs_from(4)  # now it points at the first of them
    play(table, "turn ring")
    assert lead(table, 0) == pairs_from(4, offset=1)
    assert lead(changed(table, selector_set=False, selector="notch 11"), 0) == pairs_from(0, offset=1)
    assert (piece(table, 0, "pairs")[:, :COLOURS].sum(axis=1) == 1).all()


def test_lira_on_the_gap_after_each_pair():
    table = open_game(grandmaster=True, num_players=3)  # the Selector is on gap 11: the first pair is that of notch 0
    assert lead(table, 0) == pairs_from(0)
    assert (labelled(table, 0, "pairs")["Lira on the gap after it / 2"] * 2).tolist() == [0] * 5 + [2] + [0] * 5 + [1]
    play(table, "turn selector")
    changed(table, selector="notch 4")
    assert (labelled(table, 0, "pairs")["Lira on the gap after it / 2"] * 2).tolist() == [0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]
    assert not labelled(open_game(), 0, "pairs")["Lira on the gap after it / 2"].any()


def test_markets_with_what_they_hold_and_give():
    table = changed(
        open_game(),
        market={"market 0": {"red": 2, "transparent": 1}, "market 3": {"blue": 1}},
        warehouse={"red": 7, "green": 0, "yellow": 9, "blue": 9, "transparent": 1},
    )
    seen = labelled(table, 0, "markets")
    assert (seen["red there / 3"] * 3).tolist() == [2, 0, 0, 0]
    assert (seen["transparent there / 3"] * 3).tolist() == [1, 0, 0, 0]
    # Ring A: T R G, T Y B, T R Y, T G B; the Warehouse has no green
    assert (seen["red given / 3"] * 3).tolist() == [1, 0, 1, 0]
    assert (seen["green given / 3"] * 3).tolist() == [0, 0, 0, 0]
    assert (seen["transparent given / 3"] * 3).tolist() == pytest.approx([1, 1, 1, 1])
    assert piece(table, 0, "segments").argmax(axis=2).ravel().tolist() == RING
    play(table, "turn ring")
    assert piece(table, 1, "segments").argmax(axis=2).ravel().tolist() == RING[1:] + RING[:1]


def test_a_market_gives_no_more_than_the_warehouse_has():
    table = changed(open_game(ring="B"), warehouse={"transparent": 1})  # Ring B: T T R at market 0
    assert labelled(table, 0, "markets")["transparent given / 3"][0] == pytest.approx(1 / 3)
    assert labelled(changed(table, warehouse={"transparent": 2}), 0, "markets")["transparent given / 3"][0] == pytest.approx(
        2 / 3
    )


def test_warehouse_and_advantages():
    table = open_game()
    assert (piece(table, 1, "warehouse") * 10).tolist() == pytest.approx([9, 9, 9, 9, 6])
    seen = piece(table, 1, "advantages").argmax(axis=1)
    assert [ADVANTAGES[card] for card in seen] == ["present", "expert", "magician", "visionary"]


# ---- Seats


def test_seats_are_seen_from_the_own_one_to_the_left_and_absent_ones_are_zero():
    table = changed(
        open_game(num_players=3),
        bench={"player_0": {"red": 3}, "player_1": {"green": 2}, "player_2": {"transparent": 1}},
    )
    for seat in range(3):
        seen = piece(table, seat, "bench") * 10
        assert [seen[(owner - seat) % 3].sum() for owner in range(3)] == pytest.approx([3, 2, 1])
        assert not seen[3].any()
        assert not piece(table, seat, "seats")[3].any()
        assert not piece(table, seat, "ready")[3].any()
    assert piece(table, 0, "players").tolist() == [0, 0, 1, 0]


def test_where_each_seat_stands():
    table = changed(
        open_game(num_players=3),
        turn="player_1",
        seat=2,
        phase="return",
        lira={"player_0": 7, "player_1": 25, "player_2": 90},
        hand={"player_1": ["Vase"]},
        works={"player_1": ["Ring", "Parrot"]},
    )
    seen = labelled(table, 1, "seats")
    assert seen["to act"].tolist() == [0, 1, 0, 0]
    assert seen["on turn"].tolist() == [1, 0, 0, 0]
    assert seen["turn to come this round"].tolist() == [0, 1, 0, 0]
    assert seen["has the Owl"].tolist() == [0, 0, 0, 0]
    assert seen["Lira / 10"].tolist() == pytest.approx([1, 1, 0.7, 0])
    assert seen["score / 60"].tolist() == pytest.approx([25 / 60, 1, 7 / 60, 0])
    assert seen["hand / 7"].tolist() == pytest.approx([1 / 7, 5 / 7, 5 / 7, 0])
    assert seen["works / 7"].tolist() == pytest.approx([2 / 7, 0, 0, 0])


def test_owl_and_scores_of_grandmasters():
    table = changed(open_game(grandmaster=True), lira={"player_0": 20, "player_1": 9})  # seven cards in each hand
    seen = labelled(table, 0, "seats")
    assert seen["has the Owl"].tolist() == [0, 1, 0, 0]
    assert seen["score / 60"].tolist() == pytest.approx([6 / 60, 0, 0, 0])  # below 0 is shown as 0
    assert piece(table, 0, "variants").tolist() == [0, 0, 1]


def test_works_by_kind_as_the_actions_name_it():
    table = changed(
        open_game(),
        works={"player_0": ["Harlequin", "Red fish", "Millefiori"], "player_1": ["Reed bowl"]},
        set_aside={"Millefiori": 1},
    )
    own, other = (piece(table, 0, "ready") * 7)[:2]
    art, tableware, animals = (CATEGORY_NAMES.index(name) for name in ("art", "tableware", "animals"))
    assert own[art, art] == own[art, animals] == own[animals, art] == pytest.approx(1)
    assert other[art, tableware] == other[tableware, art] == pytest.approx(1)
    assert (own.sum(), other.sum()) == pytest.approx((3, 2))
    made = labelled(table, 1, "creations")["made"]
    assert {NAMES[card] for card in made.nonzero()[0]} == {"Harlequin", "Red fish", "Millefiori", "Reed bowl"}


# ---- Own cards


def test_own_cards_in_order_with_what_they_lack():
    table = changed(
        open_game(),
        hand={"player_0": ["Vase", "Tree frog", "Sea horse"]},  # RRYB tableware, GGGB jewels animals, BBBR art animals
        bench={"player_0": {"red": 1, "green": 3, "blue": 1, "transparent": 1}},
    )
    seen = labelled(table, 0, "hand")
    recipes = [[float(seen[f"{colour} / 4"][position] * 4) for colour in COLOUR_NAMES] for position in range(4)]
    assert recipes == [[2, 0, 1, 1], [0, 3, 0, 1], [1, 0, 0, 3], [0, 0, 0, 0]]
    assert [seen[name][0] for name in CATEGORY_NAMES] == [0, 0, 1, 0]
    assert [seen[name][2] for name in CATEGORY_NAMES] == [1, 0, 0, 1]
    lacking = [[float(seen[f"{colour} lacking / 4"][position] * 4) for colour in COLOUR_NAMES] for position in range(3)]
    assert lacking == [[1, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 2]]
    assert (seen["lacking besides transparents / 4"][:3] * 4).tolist() == [1, 0, 1]
    assert seen["shards at hand"][:4].tolist() == [0, 1, 0, 0]
    assert not piece(table, 0, "hand")[3:].any()


def test_other_hands_are_not_seen():
    table = open_game(num_players=3)
    for seat in range(3):
        before = table.observe(seat)
        world = table.redeal(seat, seed=5)
        assert world.state_dict()["hand"] != table.state_dict()["hand"]
        assert np.array_equal(world.observe(seat), before)


# ---- The step under way


@pytest.mark.parametrize("phase", [name for name in PHASE_NAMES if name != "over"])
def test_what_is_decided(phase):
    table = changed(open_game(num_players=1 if phase == "challenge" else 2), phase=phase)
    assert piece(table, 0, "phase").argmax() == PHASE_NAMES.index(phase)


def test_nothing_is_decided_when_the_game_is_over():
    assert not piece(changed(open_game(), phase="over"), 0, "phase").any()


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"takes": 1, "repetition": True}, {"takes / 2": 0.5, "Repetition used": 1}),
        ({"collect_closed": True, "negotiations": 2, "privilege": True}, {"Collect closed": 1, "Privilege used": 1}),
        ({"negotiations": 1, "follow_up": "gourmand"}, {"Negotiate actions / 2": 0.5, "Gourmand may follow": 1}),
        ({"negotiations": 1, "follow_up": "gambler"}, {"Gambler may follow": 1, "Gourmand may follow": 0, "Create open": 1}),
        ({"passed": True, "collect_closed": True}, {"Create open": 1, "Negotiate actions / 2": 0}),
        ({"takes": 1}, {"Create open": 0}),
        ({"works_made": 2, "quotation": True}, {"works made / 7": 2 / 7, "Quotation may follow": 1}),
        ({"turn_over": True}, {"Challenge card under way": 1}),
    ],
)
def test_what_the_turn_has_brought(fields, shown):
    table = changed(open_game(), **fields)
    for seat in range(2):
        seen = labelled(table, seat, "turn")
        assert {name: float(seen[name]) for name in shown} == pytest.approx(shown)


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"phase": "replace", "missing": 2}, {"missing / 2": 1}),
        ({"phase": "sell", "sale": 4}, {"Lira of the Sell / 4": 1}),
        ({"phase": "expert_picks", "offered": {"red": 2}}, {"red on offer / 3": 2 / 3, "blue on offer / 3": 0}),
        (
            {"phase": "traveller_goal", "chosen_market": "market 2", "chosen_shard": "blue"},
            {"from market 2": 1, "from market 0": 0, "blue chosen": 1, "red chosen": 0},
        ),
    ],
)
def test_how_far_a_choice_has_come(fields, shown):
    table = changed(open_game(), **fields)
    for seat in range(2):
        seen = labelled(table, seat, "choice")
        assert {name: float(seen[name]) for name in shown} == pytest.approx(shown)


def test_a_new_order_is_seen_by_its_player_alone():
    table = changed(open_game(), phase="magician", arranged=["position 3", "position 1"])
    assert (piece(table, 0, "new_order") * 6).tolist() == pytest.approx([2, 0, 1, 0, 0, 0])
    assert not piece(table, 1, "new_order").any()


def test_round_on_two_scales():
    table = changed(open_game(max_rounds=40), round_number=10, last_round=True)
    assert piece(table, 0, "round").tolist() == pytest.approx([0.5, 0.25])
    assert piece(table, 0, "last_round") == 1
    assert piece(changed(table, round_number=40), 0, "round").tolist() == [1, 1]
    for options in ({"num_players": 1}, {"grandmaster": True}):
        assert piece(changed(open_game(**options), round_number=7), 0, "round")[1] == 1


# ---- The draft


def pack_of(table, seat):
    return set(table.state_dict()["pack"][f"player_{seat}"])


def named(table, seat, mark):
    """The Creations that bear a mark."""
    return {NAMES[card] for card in labelled(table, seat, "creations")[mark].nonzero()[0]}


def draft(table):
    """Every seat keeps the card of the smallest number in its pack."""
    for _ in range(table.players):
        table.play(int(np.flatnonzero(table.mask)[0]))


def test_the_own_pack_by_number_and_content():
    table = open_game(num_players=3, draft=True)
    for seat in range(3):
        assert named(table, seat, "in the own pack") == pack_of(table, seat)
        faces = piece(table, seat, "pack")
        cards = sorted(NAMES.index(name) for name in pack_of(table, seat))
        assert (faces[: len(cards), :COLOURS] * 4).tolist() == [BUILT_IN_EDITION.recipes()[card] for card in cards]
        assert faces[: len(cards), COLOURS:].tolist() == [BUILT_IN_EDITION.categories()[card] for card in cards]
        assert not faces[len(cards) :].any()
        assert not named(table, seat, "seen in a pack, not kept")
    assert piece(table, 0, "variants").tolist() == [1, 0, 0]
    kept = min(NAMES.index(name) for name in pack_of(table, 0))
    play(table, f"draft card {kept}")
    assert (piece(table, 0, "hand")[0, :COLOURS] * 4).tolist() == BUILT_IN_EDITION.recipes()[kept]
    assert not piece(table, 1, "hand").any()


@pytest.mark.parametrize(("players", "picks"), [(2, 6), (3, 5), (4, 5)])
def test_all_that_was_seen_in_packs_is_remembered(players, picks):
    table = open_game(num_players=players, draft=True)
    sights = [set() for _ in range(players)]
    for _ in range(picks):
        for seat in range(players):
            sights[seat] |= pack_of(table, seat)
        for seat in range(players):
            kept = set(table.state_dict()["drafted"][f"player_{seat}"])
            own = pack_of(table, seat)
            assert named(table, seat, "seen in a pack, not kept") == sights[seat] - kept - own
        draft(table)
    for seat in range(players):
        kept = set(table.state_dict()["drafted"][f"player_{seat}"])
        assert named(table, seat, "seen in a pack, not kept") == sights[seat] - kept
        assert not named(table, seat, "in the own pack")


# ---- Solo


def test_challenge_cards_by_kind_and_the_size_of_the_stack():
    table = open_game(num_players=1)
    assert piece(table, 0, "challenge").tolist() == [1] * len(CHALLENGES)
    assert piece(table, 0, "challenge_stack") == 1
    changed(table, revealed=["ring", "red"], challenge=["nothing"])
    seen = labelled(table, 0, "challenge")
    assert (seen["ring"], seen["red"], seen["green"]) == (0.5, 0, 1)
    assert piece(table, 0, "challenge_stack") == pytest.approx(1 / 6)
    assert not piece(open_game(), 0, "challenge").any()


# ---- What nobody sees


def test_the_hidden_part_is_what_is_out_of_the_game_and_the_challenge_stack():
    table = changed(
        open_game(num_players=1),
        challenge=["red", "ring"],
        left_out=["nothing", "nothing", "market", "blue"],
    )
    hidden = table.full_state()[GAME.layout.size :]
    dealt = {NAMES.index(name) for name in table.state_dict()["hand"]["player_0"]}
    assert set(hidden[HIDDEN["out_of_game"]].nonzero()[0]) == set(range(24)) - dealt
    stack = hidden[HIDDEN["challenge"]].reshape(6, -1)
    assert [CHALLENGES[kind] for kind in stack[:2].argmax(axis=1)] == ["ring", "red"]  # the top first
    assert not stack[2:].any()
    left = dict(zip(CHALLENGES, hidden[HIDDEN["left_out"]] * 4, strict=True))
    assert {name: count for name, count in left.items() if count} == {"nothing": 2, "market": 1, "blue": 1}


def test_the_last_cards_of_packs_are_out_of_the_game():
    table = play_until(open_game(draft=True), lambda table: table.state_dict()["phase"] != "draft")
    hidden = table.full_state()[2 * GAME.layout.size :]
    out = {NAMES[card] for card in hidden[HIDDEN["out_of_game"]].nonzero()[0]}
    assert out >= set(table.state_dict()["box"])
    assert len(out) == 24 - 12
