"""What an observation says, piece by piece (ART-9.1)."""

import numpy as np
import pytest

from artisans_env.components import ARTISANS, MATERIALS
from artisans_env.env import GAME
from artisans_env.observation import HIDDEN
from artisans_env.state import PHASE_NAMES

from .positions import open_game, pass_all, play, position

pytestmark = pytest.mark.rules

CLAY, WOOD, GOLD, METAL = (MATERIALS.index(name) for name in ("clay", "wood", "gold", "metal"))


def piece(table, seat, name):
    """A piece of what a seat sees, in its shape."""
    shape = next(each.shape for each in GAME.layout.pieces if each.name == name)
    return table.observe(seat)[GAME.layout[name]].reshape(shape)


def labelled(table, seat, name):
    """A piece of what a seat sees, by label."""
    each = next(each for each in GAME.layout.pieces if each.name == name)
    return dict(zip(each.axes[-1], piece(table, seat, name).T, strict=True))


def test_it_is_compact_and_every_number_has_a_name():
    assert GAME.layout.size <= 450
    assert len(set(GAME.layout.labels())) == GAME.layout.size


def test_own_hand_and_what_is_unseen():
    table = position(
        hands={0: "clay clay gold", 1: "wood wood metal"}, known={1: "wood"}, pile="clay metal metal", market="- - - - -"
    )
    assert piece(table, 0, "own_hand")[CLAY] == pytest.approx(2 / 6)
    assert piece(table, 0, "unseen")[[CLAY, WOOD, METAL]] * 12 == pytest.approx([1, 1, 3])
    assert piece(table, 1, "unseen")[[CLAY, WOOD, GOLD]] * 12 == pytest.approx([3, 0, 1])
    assert piece(table, 0, "pile_size") == pytest.approx(3 / 84)


def test_seats_are_seen_from_the_own_one_clockwise_and_absent_ones_are_zero():
    table = position(players=3, developed={0: {"clay": (3, 1)}, 1: {"wood": (2,)}, 2: {"gold": (1,)}})
    for seat, order in ((0, (CLAY, WOOD, GOLD)), (1, (WOOD, GOLD, CLAY)), (2, (GOLD, CLAY, WOOD))):
        seen = piece(table, seat, "developed")
        assert [int(np.flatnonzero(seen[relative].sum(axis=1))[0]) for relative in range(3)] == list(order)
        assert not seen[3].any()
        assert not piece(table, seat, "artisan")[3].any()
        assert not piece(table, seat, "seats")[3].any()
        assert not piece(table, seat, "known_hand")[3].any()
    assert piece(table, 0, "developed")[0, CLAY].tolist() == pytest.approx([3 / 6, 1 / 6, 0, 0])
    assert piece(table, 0, "players").tolist() == [0, 1, 0]


def test_artisans_of_all_seats():
    table = position(players=3, artisans=["sculptor", "provident", "versatile"])
    seen = piece(table, 1, "artisan")
    assert [ARTISANS[int(number)] for number in seen[:3].argmax(axis=1)] == ["provident", "versatile", "sculptor"]
    assert not piece(open_game(2, "draft"), 0, "artisan").any()


def test_where_each_seat_stands():
    table = position(
        artisans=["gold_lover", "provident"],
        seat=1,
        first=0,
        hands={0: "clay clay", 1: "wood"},
        visits={0: 3, 1: 0},
        crafted=[1],
        developed={0: {"clay": (4,)}},
        objects={0: ["Mask"]},
        reserved="Mill",
    )
    seen = labelled(table, 0, "seats")
    assert seen["to act"].tolist() == [0, 1, 0, 0]
    assert seen["first player"].tolist() == [1, 0, 0, 0]
    assert seen["crafted this round"].tolist() == [0, 1, 0, 0]
    assert seen["visited this round"].tolist() == [1, 0, 0, 0]
    assert seen["visits left / max_visits"].tolist() == pytest.approx([9 / 12, 1, 0, 0])
    assert seen["hand size / 6"].tolist() == pytest.approx([2 / 6, 1 / 6, 0, 0])
    assert seen["score / 100"].tolist() == pytest.approx([0.12, 0, 0, 0])  # below 0 is shown as 0
    assert seen["object points / 100"].tolist() == pytest.approx([0.04, 0, 0, 0])
    assert seen["bonus / 100"].tolist() == pytest.approx([0.04, 0, 0, 0])
    assert seen["objects / 8"].tolist() == pytest.approx([1 / 8, 0, 0, 0])
    assert seen["holds a reserved object"].tolist() == [0, 1, 0, 0]
    assert piece(table, 0, "used").nonzero()[0].tolist() == [CLAY, GOLD]
    assert not piece(table, 1, "used").any()


def test_objects_with_what_they_require_and_who_has_the_levels():
    table = position(
        artisans=["provident", "gold_lover"],
        developed={0: {"clay": (1, 1), "gold": (1,)}, 1: {"clay": (1, 1), "gold": (1, 1, 1)}},
        row=["Mill", None, "Mask"],
        reserved="Icon",
        deck_1=["Oven", "Seal"],
    )
    seen = labelled(table, 0, "objects")
    assert (seen["points / 7"] * 7).tolist() == pytest.approx([6, 0, 4, 0, 3, 3])  # row, next, reserved
    assert (seen["clay required / 4"] * 4).tolist() == [0, 0, 2, 0, 2, 0]
    assert (seen["gold lacking / 4"] * 4).tolist() == [0, 0, 1, 0, 0, 0]
    assert (seen["levels lacking, own / 8"] * 8).tolist() == [6, 0, 1, 0, 1, 2]
    assert (seen["levels lacking, 1 clockwise / 8"] * 8).tolist() == [6, 0, 0, 0, 1, 2]
    assert seen["levels reached, own"].tolist() == [0, 0, 0, 0, 0, 0]
    assert seen["levels reached, 1 clockwise"].tolist() == [0, 0, 1, 0, 0, 0]
    assert seen["levels reached, 2 clockwise"].tolist() == [0] * 6


def test_market_and_discard():
    table = position(market="clay - gold gold metal", discard="wood wood")
    seen = piece(table, 0, "market")
    assert [MATERIALS[int(slot.argmax())] if slot.any() else "-" for slot in seen] == ["clay", "-", "gold", "gold", "metal"]
    assert piece(table, 0, "discard")[WOOD] == pytest.approx(2 / 12)


def test_decks_by_value_and_size():
    table = open_game(2)
    seen, row = piece(table, 0, "deck_points"), table.state_dict()["row"].values()
    points = table.state_dict()["points"]
    for value, began in ((3, 4), (4, 3), (5, 2), (6, 1)):
        left = began - sum(points[name] == value for name in row)
        assert seen[value - 3] == pytest.approx(left / began)
    assert seen[4:].tolist() == [1, 1, 1, 1]
    assert piece(table, 0, "deck_size").tolist() == pytest.approx([0.6, 1])


@pytest.mark.parametrize("phase", [name for name in PHASE_NAMES if name not in ("draft", "over")])
def test_round_phase_and_token(phase):
    table = position(month=12, phase=phase, row=["Mask"])
    assert piece(table, 0, "round") == 1
    assert piece(table, 0, "phase").argmax() == PHASE_NAMES.index(phase)
    assert piece(table, 0, "token_taken") == table.state_dict()["token_taken"]


def test_nothing_is_decided_when_the_game_is_over():
    table = pass_all(position(month=12, phase="finish"), "over")
    assert not piece(table, 0, "phase").any()


def test_the_hidden_part_is_pile_decks_box_and_what_was_removed():
    table = position(month=6, phase="develop", deck_1=["Mask", "Icon"], deck_2=["Mill"], row=["Well"], pile="gold clay")
    hidden = table.full_state()[2 * GAME.layout.size :]
    pile = hidden[HIDDEN["pile"]].reshape(-1, 7)
    assert (pile[0].argmax(), pile[1].argmax(), pile[2:].any()) == (GOLD, CLAY, False)
    faces = {name: hidden[HIDDEN[name]].reshape(-1, 8) for name in ("deck_1", "deck_2", "box", "removed")}
    assert (faces["deck_1"][:, 0] * 7).tolist() == pytest.approx([4, 3, *[0] * 8])
    assert faces["deck_2"][0].tolist() == pytest.approx([6 / 7, 0, 0, 3 / 4, 0, 0, 0, 3 / 4])
    assert faces["box"].any()
    assert not faces["removed"].any()
    play(table, "pass", "pass")
    hidden = table.full_state()[2 * GAME.layout.size :]
    assert (hidden[HIDDEN["removed"]].reshape(-1, 8)[:, 0] * 7).tolist() == pytest.approx([4, 3, 0, 0, 0, 0])
