"""Components, set-up and rounds (ART-1 to ART-3)."""

from collections import Counter

import pytest

from artisans_env.components import ARTISANS, BUILT_IN_EDITION, MATERIALS
from artisans_env.env import GAME
from cardtable.errors import DealError

from .positions import FULL, legal, market, next_object, open_game, phase, play, position, row

pytestmark = pytest.mark.rules


def all_materials(plain):
    cards = Counter(plain["pile"]) + Counter(plain["discard"]) + Counter(card for card in plain["market"].values() if card)
    for hand in plain["hand"].values():
        cards += Counter(hand)
    for levels in plain["developed"].values():
        cards += Counter({material: sum(counts.values()) for material, counts in levels.items()})
    return cards


# ---- 1 Components


@pytest.mark.clause("ART-1.1")
@pytest.mark.parametrize(("players", "copies"), [(2, 12), (3, 18), (4, 24)])
def test_each_material_has_as_many_cards_as_the_players_need(players, copies):
    assert MATERIALS == ("textile", "clay", "wood", "stone", "glass", "gold", "metal")
    assert all_materials(open_game(players).state_dict()) == dict.fromkeys(MATERIALS, copies)


@pytest.mark.clause("ART-1.2")
def test_objects_have_points_and_two_materials_or_more():
    assert len(BUILT_IN_EDITION.objects) == 24
    for each in BUILT_IN_EDITION.objects:
        assert 3 <= each.points <= 7
        assert len(each.requires) >= 2
        assert all(1 <= level <= 4 for level in each.requires.values())


@pytest.mark.clause("ART-1.3")
def test_nine_artisans_and_twelve_rounds():
    assert len(ARTISANS) == 9
    table = open_game(2)
    months = set()
    while not table.ending:
        months.add(table.state_dict()["round_number"])
        play(table, legal(table, "take token", "pass")[0])
    assert months == set(range(1, 13))


@pytest.mark.clause("ART-1.4")
def test_the_built_in_edition_is_called_a_reconstruction_wherever_it_is_shown():
    assert open_game().options.to_dict()["edition"] == "reconstruction"
    assert "reconstruction" in open_game().text()
    assert {"Buddha", "Mill", "Mask"} <= {each.name for each in BUILT_IN_EDITION.objects}
    for material in MATERIALS:
        assert sum(material in each.requires for each in BUILT_IN_EDITION.objects) in (8, 9)
    for each in BUILT_IN_EDITION.objects:
        assert each.points == sum(each.requires.values()) + (each.name in ("Lantern", "Beaded veil"))


# ---- 2 Set-up


@pytest.mark.clause("ART-2.1")
def test_six_cards_each_one_at_a_time_then_five_to_the_market():
    cards = [MATERIALS[number % 7] for number in range(18 * 7)]
    plain = open_game(3, deal={"materials": cards}).state_dict()
    for seat in range(3):
        assert Counter(plain["hand"][f"player_{seat}"]) == Counter(cards[seat:18:3])
    assert list(plain["market"].values()) == cards[18:23]
    assert plain["pile"] == cards[23:][::-1]
    assert plain["token_taken"] is False


@pytest.mark.clause("ART-2.2")
def test_decks_are_made_up_by_points_and_four_go_to_the_box():
    points = {each.name: each.points for each in BUILT_IN_EDITION.objects}
    for seed in range(20):
        plain = open_game(seed=seed).state_dict()
        first = [*plain["deck_1"], *plain["row"].values()]
        assert Counter(points[name] for name in first) == {3: 4, 4: 3, 5: 2, 6: 1}
        assert Counter(points[name] for name in plain["deck_2"]) == {4: 1, 5: 2, 6: 3, 7: 4}
        assert Counter(points[name] for name in plain["box"]) == {3: 1, 4: 1, 5: 1, 6: 1}
        assert sorted([*first, *plain["deck_2"], *plain["box"]]) == sorted(points)


DECK_1 = ["Lantern", "Icon", "Oven", "Seal", "Mosaic", "Mask", "Well", "Gate", "Mirror", "Mill"]
DECK_2 = ["Sail", "Astrolabe", "Shrine", "Pavilion", "Buddha", "Regalia", "Winter garden", "Throne canopy", "Reliquary"]
DECK_2 += ["Puppet theatre"]


@pytest.mark.clause("ART-2.2")
def test_the_row_is_the_top_of_deck_1_and_the_next_card_is_turned_up():
    table = open_game(deal={"deck_1": DECK_1, "deck_2": DECK_2})
    assert row(table) == DECK_1[:4]
    assert table.state_dict()["deck_1"] == DECK_1[4:][::-1]
    assert table.state_dict()["deck_2"] == DECK_2[::-1]
    assert next_object(table) == "Mosaic"


@pytest.mark.parametrize("decks", [("deck_1",), ("deck_2",), ("deck_1", "deck_2"), ("deck_2", "deck_1")])
def test_either_deck_or_both_can_be_given(decks):
    given = {"deck_1": DECK_1, "deck_2": DECK_2}
    for seed in range(10):
        plain = open_game(seed=seed, deal={name: given[name] for name in decks}).state_dict()
        dealt = {"deck_1": [*plain["row"].values(), *plain["deck_1"][::-1]], "deck_2": plain["deck_2"][::-1]}
        assert all(dealt[name] == given[name] for name in decks)


@pytest.mark.parametrize(("first", "replaced"), [("Mask", "Sail"), ("Mirror", "Astrolabe"), ("Mill", "Pavilion")])
def test_a_deck_may_hold_the_first_object_of_the_edition_wherever_that_was_dealt(first, replaced):
    """It has the number 0, which also stands in the unused places of the box."""
    objects = sorted(BUILT_IN_EDITION.plain()["object"], key=lambda each: each["name"] != first)
    decks = {"deck_1": DECK_1, "deck_2": [first if each == replaced else each for each in DECK_2]}
    for seed in range(40):
        for name, deck in decks.items():
            plain = open_game(seed=seed, edition={"object": objects}, deal={name: deck}).state_dict()
            dealt = {"deck_1": [*plain["row"].values(), *plain["deck_1"][::-1]], "deck_2": plain["deck_2"][::-1]}
            assert dealt[name] == deck


@pytest.mark.parametrize(
    ("deal", "said"),
    [
        ({"deck_1": DECK_1[1:]}, "by points: 4 of 3, 3 of 4, 2 of 5, 1 of 6"),
        ({"deck_1": ["Icon", *DECK_1[1:]]}, "holds different objects"),
        ({"deck_1": ["Spoon", *DECK_1[1:]]}, r"deck 'deck_1'\[0\]: 'Spoon' is not one of Lantern"),
        ({"deck_1": DECK_2}, "holds different objects"),
        ({"deck_1": DECK_1, "deck_2": ["Mask", *DECK_2[1:]]}, "is in deck 'deck_1' already"),
        ({"artisans": ["sculptor", "provident"]}, "only with the option artisans='random'"),
    ],
)
def test_impossible_decks_are_refused(deal, said):
    with pytest.raises(DealError, match=f"artisans_v0: .*{said}"):
        open_game(deal=deal)


@pytest.mark.clause("ART-2.3")
def test_artisans_are_drafted_from_player_0_clockwise():
    table = open_game(3, "draft")
    assert legal(table) == [f"choose {name}" for name in ARTISANS]
    play(table, "choose sculptor")
    assert table.seat == 1
    assert legal(table) == [f"choose {name}" for name in ARTISANS if name != "sculptor"]
    play(table, "choose gold_lover", "choose specialist")
    assert table.state_dict()["artisan"] == {"player_0": "sculptor", "player_1": "gold_lover", "player_2": "specialist"}
    assert (phase(table), table.seat) == ("turn", 0)


@pytest.mark.clause("ART-2.3")
def test_random_artisans_are_all_different_and_nothing_is_asked():
    seen = Counter()
    for seed in range(60):
        table = open_game(4, "random", seed=seed)
        names = list(table.state_dict()["artisan"].values())
        assert len(set(names)) == 4
        assert phase(table) in ("turn", "reserve")
        seen.update(names)
    assert set(seen) == set(ARTISANS)


@pytest.mark.clause("ART-2.3")
def test_random_artisans_can_be_injected():
    names = ["provident", "opportunist", "sculptor"]
    table = open_game(3, "random", deal={"artisans": names})
    assert list(table.state_dict()["artisan"].values()) == names
    for wrong in (names[:2], ["sculptor", "sculptor", "versatile"]):
        with pytest.raises(DealError, match="needed are 3, all different"):
            open_game(3, "random", deal={"artisans": wrong})


@pytest.mark.clause("ART-2.3")
def test_assigned_artisans_sit_where_they_are_told():
    table = open_game(2, ["opportunist", "night_worker"])
    assert table.state_dict()["artisan"] == {"player_0": "opportunist", "player_1": "night_worker"}
    assert phase(table) == "turn"


@pytest.mark.clause("ART-2.4")
def test_hands_market_and_row_are_dealt_before_artisans_are_chosen():
    plain = open_game(2, "draft").state_dict()
    assert plain["phase"] == "draft"
    assert all(sum(hand.values()) == 6 for hand in plain["hand"].values())
    assert all(plain["market"].values())
    assert all(plain["row"].values())


# ---- 3 Rounds


def end_round(table):
    """Both players pass in phase B."""
    return play(table, "pass", "pass")


@pytest.mark.clause("ART-3.1")
def test_a_round_starts_with_row_market_and_token():
    table = position(
        month=3,
        phase="develop",
        row=["Mask", None, "Mill", None],
        deck_1=["Icon", "Oven", "Seal"],
        pile="metal metal gold gold clay wood",
        visits={0: 2, 1: 1},
        crafted=[1],
    )
    end_round(table)
    plain = table.state_dict()
    assert plain["round_number"] == 4
    assert row(table) == ["Mask", "Icon", "Mill", "Oven"]  # (b): the lowest place first
    assert plain["deck_1"][-1] == "Seal"  # (c)
    assert market(table) == "metal metal gold gold clay"  # (d)
    assert plain["token_taken"] is False  # (e)
    assert plain["visits"] == {"player_0": 0, "player_1": 0}
    assert plain["crafted"] == {"player_0": False, "player_1": False}
    assert phase(table) == "turn"


@pytest.mark.clause("ART-3.1")
def test_in_round_7_the_rest_of_deck_1_leaves_the_game():
    table = position(
        month=6, phase="develop", row=["Mask", None], deck_1=["Icon", "Oven", "Seal"], deck_2=["Sail", "Shrine", "Regalia"]
    )
    end_round(table)
    plain = table.state_dict()
    assert plain["removed"] == ["Seal", "Oven", "Icon"]
    assert plain["deck_1"] == []
    assert row(table) == ["Mask", "Sail", "Shrine", "Regalia"]
    assert plain["deck_2"] == []


@pytest.mark.clause("ART-3.1")
def test_deck_1_stays_before_round_7():
    table = position(month=5, phase="develop", row=["Mask", "Mill", "Well", "Gate"], deck_1=["Icon", "Oven"])
    end_round(table)
    assert table.state_dict()["removed"] == []
    assert table.state_dict()["deck_1"] == ["Oven", "Icon"]


@pytest.mark.clause("ART-3.2")
def test_the_row_stays_when_decks_change():
    table = position(month=6, phase="develop", row=["Mask", "Mill", "Well", "Gate"], deck_2=["Sail"])
    end_round(table)
    assert row(table) == ["Mask", "Mill", "Well", "Gate"]
    assert table.state_dict()["deck_2"] == ["Sail"]


@pytest.mark.clause("ART-3.2")
def test_deck_2_goes_on_in_the_middle_of_filling_the_row_when_deck_1_runs_out():
    table = position(
        month=4, phase="develop", row=["Mask", None, None, None], deck_1=["Icon"], deck_2=["Sail", "Shrine", "Regalia"]
    )
    end_round(table)
    assert row(table) == ["Mask", "Icon", "Sail", "Shrine"]
    assert next_object(table) == "Regalia"


@pytest.mark.clause("ART-3.2")
def test_the_last_card_of_deck_1_lets_deck_2_show_its_top():
    table = position(month=4, phase="develop", row=["Mask", "Mill", "Well", None], deck_1=["Icon"], deck_2=["Sail", "Shrine"])
    end_round(table)
    assert row(table)[3] == "Icon"
    assert next_object(table) == "Sail"


@pytest.mark.clause("ART-3.2")
def test_without_cards_places_stay_empty_and_nothing_is_turned_up():
    table = position(month=8, phase="develop", row=["Mask", None, None, None], deck_1=[], deck_2=["Sail"])
    end_round(table)
    assert row(table) == ["Mask", "Sail", None, None]
    assert next_object(table) is None


@pytest.mark.clause("ART-3.3")
def test_player_0_is_first_in_round_1_and_the_taker_of_the_token_from_then_on():
    table = open_game(3)
    assert table.state_dict()["first_player"] == "player_0"
    assert table.seat == 0
    play(table, legal(table, "exchange")[0], "take token")
    assert table.state_dict()["first_player"] == "player_1"
    play(table, "pass", "pass")
    assert (phase(table), table.seat) == ("develop", 1)
    play(table, "pass", "pass", "pass")
    assert (phase(table), table.seat) == ("turn", 1)
    assert table.state_dict()["token_taken"] is False
    assert table.state_dict()["first_player"] == "player_1"


@pytest.mark.clause("ART-3.3")
def test_the_taker_of_the_last_token_begins_the_crafting_at_the_end():
    table = position(players=3, month=12, seat=2, first=0, hands=dict.fromkeys(range(3), FULL))
    play(table, "take token", "pass", "pass", "pass", "pass", "pass")
    assert (phase(table), table.seat) == ("finish", 2)


@pytest.mark.clause("ART-3.4")
def test_phase_b_follows_phase_a():
    table = position(seat=1)
    play(table, "take token", "pass")
    assert phase(table) == "develop"
    play(table, "pass", "pass")
    assert phase(table) == "turn"


def test_absent_seats_stay_blank():
    plain = open_game(2).state_dict()
    assert set(plain["hand"]) == {"player_0", "player_1"}
    assert GAME.state.fault(open_game(2).record) is None
