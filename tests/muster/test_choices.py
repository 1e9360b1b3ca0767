"""What each choice does in Muster: what the words promise is what happens."""

import re

import numpy as np
import pytest
from helpers import variant_id, walk

from muster_env.choices import explain
from muster_env.env import GAME
from muster_env.render import strength

from .positions import position

pytestmark = pytest.mark.rules

SIDES = ("player_0", "player_1")


def does(table, name):
    return table.explain(GAME.actions.id_of(name))


@pytest.mark.parametrize("options", GAME.variants, ids=variant_id)
def test_strengths_and_drawn_cards_are_as_foretold(options):
    checked = dict.fromkeys(("play", "wizard", "move", "bridge", "swap", "draw_castle"), 0)
    for table in walk(GAME, dict(options), games=3, seed=4):
        before, seat = table.view(table.seat), table.seat
        for action in np.flatnonzero(table.mask).tolist()[::2]:
            block, labels = GAME.actions.played(seat, action)[1:]
            if block not in checked:
                continue
            words, ahead = explain(before, table.options, action), table.clone()
            ahead.play(action)
            after = ahead.view(seat)
            if block == "draw_castle":
                assert after["hand"][SIDES[seat]][words] == before["hand"][SIDES[seat]].get(words, 0) + 1
            elif block == "move":
                found = re.fullmatch(r"(\w+) (\d+) to (\d+), (\w+) (\d+) to (\d+); turns up a card", words)
                for castle, old, new in (found.group(1, 2, 3), found.group(4, 5, 6)):
                    assert (strength(before, SIDES[seat], castle), strength(after, SIDES[seat], castle)) == (int(old), int(new))
            else:
                owner = 1 - seat if block == "swap" and labels[1] == "other" else seat
                old, new = map(int, re.search(r"(\d+) to (\d+)", words).groups())
                castle = labels[-1]
                assert (strength(before, SIDES[owner], castle), strength(after, SIDES[owner], castle)) == (old, new), words
            checked[block] += 1
    assert min(checked["play"], checked["wizard"], checked["draw_castle"]) > 5, checked


def test_a_swap_names_what_comes_to_the_hand():
    table = position(hand="sun 1, sun 2, leaf 1", columns={"sun": "1, bridge, 3"}, other_columns={"leaf": "wizard"})
    assert does(table, "swap sun 2 into own sun") == "the Bridge to your hand, yours 5 to 6"
    assert does(table, "swap leaf 1 into other leaf") == "the Wizard to your hand, theirs 6 to 1"


def test_what_a_card_on_a_castle_space_covers_or_opens():
    table = position(
        hand="sun 1, leaf 1, water 2, rainbow castle, wizard/bridge",
        castles={"sun": "3", "water": "1, rainbow castle"},
    )
    assert does(table, "lay sun 1") == "on 3"
    assert does(table, "lay leaf 1") == "empty"
    assert does(table, "lay water 2") == "no longer wild"
    assert does(table, "lay rainbow castle on sun") == "wild, buries 1"
    assert does(table, "lay rainbow castle on leaf") == "wild"
    assert does(table, "lay wizard/bridge on sun") == "on 3"


@pytest.mark.clause("MUS-7.3")
def test_several_bridges_are_counted():
    table = position(hand="wizard/bridge, wizard/bridge, sun 3", over_the_rainbow=True)
    assert does(table, "bridge to sun 3 at sun") == "2 Bridges, 0 to 5, theirs 0"
