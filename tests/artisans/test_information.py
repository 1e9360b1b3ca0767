"""What is hidden and what is remembered (ART-9.1)."""

from collections import Counter

import numpy as np
import pytest
from helpers import check_forgetting, variant_id

from artisans_env.components import BUILT_IN_EDITION, MATERIALS
from artisans_env.env import GAME

from .positions import fault, known, open_game, play, position, random_games, redeals

pytestmark = pytest.mark.rules

POINTS = {each.name: each.points for each in BUILT_IN_EDITION.objects}


@pytest.mark.clause("ART-9.1")
def test_a_card_taken_from_the_market_is_known():
    table = position(hands={0: "metal"})
    play(table, "take slot 1")
    assert known(table, 0) == {"wood": 1}


@pytest.mark.clause("ART-9.1")
def test_in_an_exchange_the_card_put_down_counts_first():
    table = position(hands={0: "clay clay clay clay clay clay"}, known={0: "clay"})
    play(table, "exchange slot 0 for clay")
    assert known(table, 0) == {"clay": 1}
    table = position(hands={0: "clay clay clay clay clay clay"})
    play(table, "exchange slot 0 for clay")
    assert known(table, 0) == {"clay": 1}


@pytest.mark.clause("ART-9.1")
def test_a_known_card_that_leaves_is_no_longer_known():
    table = position(hands={0: "metal metal clay clay clay clay"}, known={0: "metal clay"})
    play(table, "exchange slot 2 for metal")
    assert known(table, 0) == {"clay": 1, "stone": 1}


@pytest.mark.clause("ART-9.1")
@pytest.mark.parametrize(("count", "left"), [(1, {"clay": 1}), (2, {}), (3, {})])
def test_development_lowers_the_known_count_but_not_below_0(count, left):
    table = position(phase="develop", hands={0: "clay clay clay clay"}, known={0: "clay clay"})
    play(table, f"develop clay x{count}")
    assert known(table, 0) == left


@pytest.mark.clause("ART-9.1")
def test_public_memory_is_observed_by_all():
    table = play(position(hands={0: "metal"}), "take slot 1")
    spot = GAME.layout["known_hand"]
    assert table.observe(1)[spot].reshape(4, 7)[1, MATERIALS.index("wood")] == pytest.approx(1 / 6)
    assert table.observe(0)[spot].reshape(4, 7)[0, MATERIALS.index("wood")] == pytest.approx(1 / 6)


# ---- Redeals


def late_tables():
    """Tables in the middle of random games, deck 1 current or gone."""
    for number, table in enumerate(random_games({"num_players": 3, "artisans": "random"}, games=2)):
        if number % 20 == 0:
            yield table


@pytest.mark.clause("ART-9.1")
def test_a_redeal_keeps_all_that_the_seat_knows():
    kept = ("market", "discard", "developed", "row", "reserved", "maker", "known", "artisan", "phase", "first_player", "visits")
    for table in late_tables():
        before = table.state_dict()
        for seat in range(3):
            world = table.redeal(seat, seed=7)
            after = world.state_dict()
            assert fault(world) == "NONE"
            assert all(after[name] == before[name] for name in kept)
            assert after["hand"][f"player_{seat}"] == before["hand"][f"player_{seat}"]
            assert np.array_equal(world.observe(seat), table.observe(seat))
            for name in ("deck_1", "deck_2", "removed", "box"):
                assert Counter(POINTS[each] for each in after[name]) == Counter(POINTS[each] for each in before[name])
            assert after["deck_1"][-1:] == before["deck_1"][-1:]
            assert after["removed"][-1:] == before["removed"][-1:]
            if not before["deck_1"]:
                assert after["deck_2"][-1:] == before["deck_2"][-1:]


@pytest.mark.clause("ART-9.1")
def test_unknown_hand_cards_and_the_pile_are_drawn_evenly():
    table = position(
        hands={0: "clay clay clay clay clay clay", 1: "metal gold"},
        known={1: "gold"},
        pile="wood wood stone",
        market="- - - - clay",
    )
    drawn = redeals(table, 0, 160)["hand"][:, 1]
    seen = dict(zip(MATERIALS, (drawn > 0).sum(axis=0).tolist(), strict=True))
    assert (drawn[:, MATERIALS.index("gold")] == 1).all()
    assert {name for name, times in seen.items() if times} == {"gold", "metal", "wood", "stone"}
    assert seen["wood"] == pytest.approx(80, abs=30)
    assert seen["metal"] == pytest.approx(40, abs=25)


@pytest.mark.clause("ART-9.1")
def test_unseen_objects_of_a_value_may_lie_anywhere_unseen():
    table = open_game(2)
    before = table.state_dict()
    shown = {*before["row"].values(), before["deck_1"][-1]}
    unseen = [name for name in POINTS if name not in shown]
    boxed = Counter()
    worlds = redeals(table, 0, 120)
    for number in range(120):
        after = GAME.describe(worlds[number : number + 1], table.options)
        boxed.update(after["box"])
        assert not shown & {*after["box"], *after["deck_2"], *after["deck_1"][:-1]}
    of_value = Counter(POINTS[name] for name in unseen)
    for name in unseen:
        if POINTS[name] < 7:
            assert boxed[name] == pytest.approx(120 / of_value[POINTS[name]], abs=30)


@pytest.mark.clause("ART-9.1")
def test_the_order_of_pile_and_decks_is_drawn_anew():
    table = open_game(2)
    worlds = [table.redeal(0, seed).state_dict() for seed in range(5)]
    for name in ("pile", "deck_1", "deck_2"):
        assert len({tuple(world[name]) for world in worlds}) == 5


@pytest.mark.clause("ART-9.1")
def test_values_of_objects_may_lie_in_any_unseen_place_of_their_stack():
    """Above all on top of deck 2 while deck 1 is current; what was turned up stays."""
    early, late = open_game(2), next(table for table in random_games({}, games=1) if table.record.round_number == 8)
    assert (early.record.deck_1_size, late.record.removed_size > 2) == (6, True)
    for table, name, seen in ((early, "deck_2", 0), (early, "box", 0), (late, "removed", 1), (late, "deck_2", 1)):
        stack = table.state_dict()[name]
        worlds = [[POINTS[each] for each in table.redeal(0, seed).state_dict()[name]] for seed in range(60)]
        for place in range(len(stack) - seen):
            assert {world[place] for world in worlds} == {POINTS[each] for each in stack[: len(stack) - seen]}
        assert {tuple(world[len(stack) - seen :]) for world in worlds} == {
            tuple(POINTS[each] for each in stack[len(stack) - seen :])
        }


# ---- Forgetting


@pytest.mark.rules
@pytest.mark.clause("ART-9.1")
@pytest.mark.parametrize("options", GAME.variants, ids=variant_id)
def test_what_a_seat_cannot_know_is_forgotten_and_nothing_else(options):
    """Positions that a seat cannot tell apart become the same record, a position in which it sees what it saw."""
    assert check_forgetting(GAME, dict(options), games=1, apart=29) >= 4
