"""The cards of Artisans (ART-1)."""

from collections import Counter

import pytest

from artisans_env.components import ARTISANS, BUILT_IN_EDITION, MATERIALS

from .positions import legal, open_game, play

pytestmark = pytest.mark.rules


def all_materials(plain):
    cards = Counter(plain["pile"]) + Counter(plain["discard"]) + Counter(card for card in plain["market"].values() if card)
    for hand in plain["hand"].values():
        cards += Counter(hand)
    for levels in plain["developed"].values():
        cards += Counter({material: sum(counts.values()) for material, counts in levels.items()})
    return cards


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
