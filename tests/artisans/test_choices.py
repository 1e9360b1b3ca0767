"""What each choice does in Artisans: what the words promise is what happens."""

import re

import numpy as np
import pytest
from helpers import variant_id, walk

from artisans_env.components import ARTISANS
from artisans_env.env import GAME
from artisans_env.render import DOES, level_of, score

from .positions import position

pytestmark = pytest.mark.rules


def does(table, name):
    return table.explain(GAME.actions.id_of(name))


@pytest.mark.parametrize("options", GAME.variants, ids=variant_id)
def test_points_levels_and_cards_are_as_foretold(options):
    checked = dict.fromkeys(("craft", "craft_reserved", "take", "exchange", "develop"), 0)
    for table in walk(GAME, dict(options), games=3, seed=4):
        seat, before = table.seat, table.view(table.seat)
        side = f"player_{seat}"
        for action in np.flatnonzero(table.mask).tolist():
            block, labels = GAME.actions.played(seat, action)[1:]
            if block not in checked:
                continue
            words, ahead = table.explain(action), table.clone()
            ahead.play(action)
            after = ahead.view(seat)
            gained = score(after, side) - score(before, side)
            if block == "develop":
                level, points = map(int, re.fullmatch(r"to level (\d), (\d+) points?", words).groups())
                assert (level_of(after, side, labels[0]), gained) == (level, points)
            elif block in ("take", "exchange"):
                got = words.removeprefix("get ")
                put = block == "exchange" and labels[1] == got
                assert after["hand"][side].get(got, 0) == before["hand"][side].get(got, 0) + (not put)
            elif block == "craft":
                assert gained == sum(map(int, re.findall(r"\d+", words))), words
            checked[block] += 1
    assert min(checked["take"], checked["exchange"], checked["develop"]) > 5, checked


def test_every_artisan_has_its_words():
    assert tuple(DOES) == ARTISANS


def test_an_object_is_named_with_its_points_and_the_bonus_of_the_artisan():
    table = position(
        artisans=["gold_lover", "provident"],
        row=["Mask", "Mill"],
        developed={0: {"clay": (2, 2), "gold": (2, 2)}},
    )
    assert does(table, "craft row 0") == "Mask, 4 points and 4 by your artisan"


def test_a_reservation_says_what_is_needed():
    table = position(artisans=["provident", "sculptor"], phase="reserve", row=["Mask", "Mill"], developed={0: {"clay": (2,)}})
    assert does(table, "reserve row 0") == "Mask, 4 points; clay 2, gold 2; you lack clay 1, gold 2"
    assert does(table, "reserve row 1") == "Mill, 6 points; wood 3, metal 3; you lack all"
    assert does(table, "pass") == "reserve nothing now"
