"""What is hidden, what the moves show, what a redeal keeps and draws anew (MUR-15)."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from helpers import check_forgetting, variant_id

from murano_env.components import CREATIONS
from murano_env.env import GAME

from .positions import (
    USE,
    by_block,
    drafted_game,
    fault,
    hand,
    names,
    open_game,
    phase,
    play,
    position,
    random_games,
    redeals,
    with_card,
)

# ---- 15.1 Hands


@pytest.mark.rules
@pytest.mark.clause("MUR-15.1")
def test_redealt_worlds_differ_and_look_the_same_to_the_seat():
    for options in ({"players": 3}, {"players": 2, "draft": True}, {"players": 1}, {"players": 2, "grandmaster": True}):
        table = open_game(**options)
        worlds = redeals(table, 0, 4)
        assert len({world.state_hash() for world in worlds}) == 4
        hidden = [[world.state_dict()[name] for name in ("hand", "deck", "pack", "challenge", "left_out")] for world in worlds]
        assert all(hidden[number] != hidden[0] for number in range(1, 4))
        assert len({world.text(0) for world in worlds}) == 1


@pytest.mark.rules
@pytest.mark.clause("MUR-15.1")
def test_the_other_seat_has_its_own_view():
    table = open_game(2)
    world = table.redeal(1, seed=5)
    assert hand(world, 1) == hand(table, 1)
    assert hand(world, 0) != hand(table, 0)


# ---- 15.1 What the moves show


def shown(table, seat):
    return table.moves_seen_by(seat)


@pytest.mark.rules
@pytest.mark.clause("MUR-15.1", "MUR-9.1")
def test_others_do_not_see_which_card_was_drafted():
    table = open_game(2, draft=True, deal={"creations": list(CREATIONS)})
    play(table, "draft card 3", "draft card 9")
    assert shown(table, 0) == ["draft card 3", "draft card ?"]
    assert shown(table, 1) == ["draft card ?", "draft card 9"]
    assert "draft card 3" not in table.text(1)


@pytest.mark.rules
@pytest.mark.clause("MUR-15.1", "MUR-8.8")
def test_others_do_not_see_how_magician_orders_a_hand():
    table = play(with_card(8, left={0: 3}), USE, "arrange 2", "arrange 3")
    assert shown(table, 0) == [USE, "arrange 2", "arrange 3"]
    assert shown(table, 1) == [USE, "arrange ?", "arrange ?"]


@pytest.mark.rules
@pytest.mark.clause("MUR-15.1", "MUR-7.1", "MUR-11.6")
def test_all_see_where_a_reorder_and_the_owl_move_a_card():
    table = position(grandmaster=True, state={"owl": "player_0"})
    play(table, "reorder to 4", "owl brings 3")
    assert shown(table, 1) == ["reorder to 4", "owl brings 3"]


# ---- 15.1 Magician


def order_of_picks(table, seat):
    """For each card of a hand, the number of the pick that brought it."""
    picks = table.state_dict()["drafted"][f"player_{seat}"]
    return tuple(picks.index(card) for card in hand(table, seat))


@pytest.mark.rules
@pytest.mark.clause("MUR-15.1", "MUR-7.1")
def test_a_hand_that_was_reordered_keeps_its_order_of_picks_in_every_world():
    table = play(drafted_game(), "reorder to 4")
    assert order_of_picks(table, 0) == (1, 2, 3, 0, 4, 5)
    assert {order_of_picks(world, 0) for world in redeals(table, 1, 6)} == {(1, 2, 3, 0, 4, 5)}


def used_magician():
    """A game after a draft in which player_0 has used a work for Magician."""
    table = drafted_game(advantages=[8, 1, 2, 3])
    plain = table.state_dict()
    work = next(card for card in plain["hand"]["player_0"] if "art" in plain["category"][card])
    plain["hand"]["player_0"].remove(work)
    plain["works"]["player_0"].append(work)
    plain["set_aside"][work] = 1
    plain["mixed"]["player_0"] = True
    table.load_state_dict(plain)
    return table


@pytest.mark.rules
@pytest.mark.clause("MUR-15.1", "MUR-8.8")
def test_after_magician_the_order_of_a_hand_is_unknown_to_others_and_known_to_its_owner():
    table = used_magician()
    orders = {order_of_picks(world, 0) for world in redeals(table, 1, 12)}
    assert len(orders) > 8
    assert {tuple(hand(world, 0)) for world in redeals(table, 0, 3)} == {tuple(hand(table, 0))}
    assert {order_of_picks(world, 1) for world in redeals(table, 0, 3)} == {(0, 1, 2, 3, 4, 5)}


def magician_under_way():
    """After a draft of three, player_0 uses Magician for the second time, and player_1 has used it before."""
    table = drafted_game(3, advantages=[8, 1, 2, 3])
    plain = table.state_dict()
    for name, number in (("player_0", 2), ("player_1", 1)):
        works = [card for card in plain["hand"][name] if "art" in plain["category"][card]][:number]
        plain["hand"][name] = [card for card in plain["hand"][name] if card not in works]
        plain["works"][name] = works
        plain["set_aside"][works[0]] = 1
        plain["mixed"][name] = True
    table.load_state_dict(plain)
    return play(table, next(name for name in table.legal_actions() if name.startswith("use art")))


@pytest.mark.rules
@pytest.mark.clause("MUR-15.1", "MUR-8.8")
def test_hands_in_an_order_of_their_own_are_unknown_to_others_while_magician_is_under_way_too():
    table = magician_under_way()
    assert (phase(table), table.state_dict()["mixed"]) == ("magician", {"player_0": True, "player_1": True, "player_2": False})
    for seat, others in ((0, [1]), (1, [0]), (2, [0, 1])):
        worlds = redeals(table, seat, 24)
        for other in others:
            assert len({order_of_picks(world, other) for world in worlds}) >= 5
        assert {tuple(hand(world, seat)) for world in worlds} == {tuple(hand(table, seat))}
        if seat != 2:
            assert {order_of_picks(world, 2) for world in worlds} == {(0, 1, 2, 3, 4)}


@pytest.mark.rules
@pytest.mark.clause("MUR-15.1", "MUR-8.8")
@pytest.mark.parametrize("places", [(4,), (4, 1), (4, 1, 5)])
def test_what_magician_has_picked_so_far_is_drawn_anew_for_others(places):
    table = play(with_card(8), USE, *(f"arrange {place}" for place in places))
    seen = Counter()
    for world in redeals(table, 1, 30):
        picked = world.state_dict()["arranged"]
        assert len(set(picked)) == len(picked) == len(places)
        seen.update(picked)
        assert fault(world) == "NONE"
    assert set(seen) == {f"position {place}" for place in range(1, 6)}
    assert table.redeal(0, seed=1).state_dict()["arranged"] == [f"position {place}" for place in places]


@pytest.mark.rules
@pytest.mark.clause("MUR-15.1", "MUR-8.8")
def test_using_magician_is_remembered_and_a_hand_of_one_card_is_not_mixed():
    table = play(with_card(8), USE)
    assert table.state_dict()["mixed"] == {"player_0": True, "player_1": False}
    table = play(with_card(8, left={0: 1}), USE)
    assert not table.state_dict()["mixed"]["player_0"]


# ---- 15.2 The draft


@pytest.mark.rules
@pytest.mark.clause("MUR-15.2")
def test_between_two_sights_of_two_players_the_pick_is_known():
    table = open_game(2, draft=True, deal={"creations": list(CREATIONS)})
    play(table, "draft card 0", "draft card 7", "draft card 8", "draft card 1")
    worlds = redeals(table, 0, 12)
    assert {hand(world, 1)[1] for world in worlds} == {CREATIONS[1]}
    firsts = {CREATIONS.index(hand(world, 1)[0]) for world in worlds}
    assert len(firsts) > 3
    assert firsts <= {7, *range(14, 24)}  # never seen: of the first pack of player_1 one card, and the deck


@pytest.mark.rules
@pytest.mark.clause("MUR-15.2")
def test_a_work_made_since_is_known_and_no_other_pick_can_be_it():
    table = drafted_game(3)
    plain = table.state_dict()
    for name in ("player_1", "player_2"):
        plain["works"][name] = [plain["hand"][name].pop(2)]
    table.load_state_dict(plain)
    made = {plain["works"]["player_1"][0], plain["works"]["player_2"][0]}
    for world in redeals(table, 0, 12):
        after = world.state_dict()
        assert after["works"] == plain["works"]
        assert after["drafted"]["player_1"][2] == plain["works"]["player_1"][0]
        assert not made & {*after["hand"]["player_1"], *after["hand"]["player_2"], *after["deck"], *after["box"]}
        assert fault(world) == "NONE"


# ---- On a larger scale: a redeal keeps all that a seat knows and draws the rest from all that it can think

HIDDEN = {"hand", "deck", "pack", "drafted", "box", "challenge", "left_out", "arranged", "seed", "index", "rng"}
"""The fields of a state that hold something hidden."""


def everything_else(table):
    return {name: value for name, value in table.state_dict().items() if name not in HIDDEN}


def some_tables():
    """Tables in the middle of random games of several kinds, and which number of players they have."""
    for options in (
        {"num_players": 3, "advantages": [8, 1, 2, 9], "max_rounds": 8},
        {"num_players": 2, "draft": True, "advantages": [8, 3, 4, 16], "max_rounds": 8},
        {"num_players": 4, "grandmaster": True},
        {"num_players": 1},
    ):
        for number, (table, _) in enumerate(random_games(options, games=1, seed=3, policy=by_block)):
            if number % 23 == 0:
                yield table, options["num_players"]


@pytest.mark.clause("MUR-15.1")
def test_a_redeal_keeps_all_that_the_seat_knows_and_is_a_possible_position():
    checked = 0
    for table, players in some_tables():
        before, public = table.state_dict(), everything_else(table)
        for seat in range(players):
            world = table.redeal(seat, seed=7)
            after, name = world.state_dict(), f"player_{seat}"
            assert fault(world) == "NONE"
            assert everything_else(world) == public
            for own in ("hand", "pack", "drafted"):
                assert after[own][name] == before[own][name]
            assert {who: len(cards) for who, cards in after["hand"].items()} == {
                who: len(cards) for who, cards in before["hand"].items()
            }
            assert np.array_equal(world.observe(seat), table.observe(seat))
            checked += 1
    assert checked > 40


@pytest.mark.clause("MUR-15.1")
def test_a_card_in_another_hand_is_any_that_is_not_seen_elsewhere():
    table = position(players=2, hands={0: ["Vase"], 1: ["Dolphin"]}, works={0: ["Parrot"], 1: ["Canary"]})
    seen = {*hand(table), "Parrot", "Canary"}
    firsts, decks = Counter(), Counter()
    for world in redeals(table, 0, 200):
        deck = names(world, world.record.deck[: world.record.deck_size])
        assert not seen & {*hand(world, 1), *deck}
        firsts[hand(world, 1)[0]] += 1
        decks.update(deck)
    unseen = set(CREATIONS) - seen
    assert set(firsts) == set(decks) == unseen
    assert max(firsts.values()) < 4 * 200 / len(unseen)


@pytest.mark.clause("MUR-15.1", "MUR-10.1")
def test_the_challenge_stack_and_the_cards_left_out_are_drawn_anew():
    stack = ["ring", "red", "market", "blue", "selector", "nothing"]
    table = position(players=1, round_number=3, challenge=stack)
    tops, out = Counter(), Counter()
    for world in redeals(table, 0, 200):
        plain = world.state_dict()
        assert plain["revealed"] == ["ring", "red"]
        assert (len(plain["challenge"]), len(plain["left_out"])) == (4, 4)
        assert Counter([*plain["challenge"], *plain["left_out"]]) == Counter(
            ["green", "yellow", "blue", "ring", "selector", "market", "nothing", "nothing"]
        )
        tops[plain["challenge"][-1]] += 1
        out.update(plain["left_out"])
    assert set(tops) == set(out) == {"green", "yellow", "blue", "ring", "selector", "market", "nothing"}
    assert tops["nothing"] == pytest.approx(50, abs=25)
    assert tops["green"] == pytest.approx(25, abs=20)


def history_of_packs(table, players):
    """For each pack, by the seat it started at: who held it at each pick, and its cards before that."""
    plain = table.state_dict()
    drafted = [plain["drafted"][f"player_{seat}"] for seat in range(players)]
    picks = len(drafted[-1]) + (not plain["box"])
    histories = []
    for start in range(players):
        last = (start + picks - 1) % players
        rest = [plain["box"][last]] if plain["box"] else plain["pack"][f"player_{last}"]
        contents = []
        for turn in reversed(range(picks)):
            holder = (start + turn) % players
            rest = [*rest, *drafted[holder][turn : turn + 1]]
            contents.append((holder, frozenset(rest)))
        histories.append(contents[::-1])
    return histories


def sights(table, players, seat):
    """Every pack that the seat has held, at every sight: where it started, the number of the pick, its cards."""
    return [
        (start, turn, cards)
        for start, contents in enumerate(history_of_packs(table, players))
        for turn, (holder, cards) in enumerate(contents)
        if holder == seat
    ]


@pytest.mark.clause("MUR-15.2")
@pytest.mark.parametrize(("players", "grandmaster"), [(2, False), (3, False), (4, False), (2, True), (3, True)])
def test_a_redeal_agrees_with_every_sight_of_every_pack(players, grandmaster):
    options = {"num_players": players, "draft": True, "grandmaster": grandmaster, "max_rounds": 1}
    checked = 0
    for number, (table, _) in enumerate(random_games(options, games=1, seed=2)):
        if number % 3 == 0 or number > 30:
            for seat in range(players):
                before = sights(table, players, seat)
                for world in redeals(table, seat, 2):
                    assert sights(world, players, seat) == before
                    checked += 1
        if number > 40:
            break
    assert checked > 15 * players


def possible_picks(table, players, seat):
    """What the seat can think that each pick of the others was, from its sights alone."""
    seen_at = defaultdict(dict)
    for start, turn, cards in sights(table, players, seat):
        seen_at[start][turn] = cards
    never_seen = set(CREATIONS) - {card for packs in seen_at.values() for cards in packs.values() for card in cards}
    own = set(table.state_dict()["drafted"][f"player_{seat}"])
    possible = {}
    for start, contents in enumerate(history_of_packs(table, players)):
        for turn, (holder, _) in enumerate(contents):
            if holder == seat:
                continue
            earlier = [sight for sight in seen_at[start] if sight < turn]
            later = [sight for sight in seen_at[start] if sight > turn]
            known = seen_at[start][max(earlier)] if earlier else never_seen
            gone = seen_at[start][min(later)] if later else set()
            possible[holder, turn] = set(known) - own - gone
    return possible


@pytest.mark.clause("MUR-15.2")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_pick_of_others_is_drawn_from_what_the_seat_can_think_it_was(players):
    table = drafted_game(players)
    for seat in range(players):
        possible = possible_picks(table, players, seat)
        found = defaultdict(set)
        for world in redeals(table, seat, 120):
            for (holder, turn), choices in possible.items():
                card = CREATIONS[int(world.record.drafted[holder, turn])]
                assert card in choices
                found[holder, turn].add(card)
        assert found == possible


# ---- Forgetting


@pytest.mark.rules
@pytest.mark.clause("MUR-15.1")
@pytest.mark.parametrize("options", GAME.variants, ids=variant_id)
def test_what_a_seat_cannot_know_is_forgotten_and_nothing_else(options):
    """Positions that a seat cannot tell apart become the same record, a position in which it sees what it saw."""
    assert check_forgetting(GAME, dict(options), games=1, apart=41) >= 1
