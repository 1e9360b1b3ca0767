"""Which clauses a decision is counted for in audits of random play."""

import numpy as np
import pytest

from muster_env.clauses import witness

from .positions import GAME, NOBODY, position

pytestmark = pytest.mark.rules


def witnessed(table, name=None):
    """The clauses that an action, or the end of the game, is counted for."""
    counts = np.zeros(len(GAME.clauses), np.int64)
    witness(table.record, NOBODY if name is None else GAME.actions.id_of(name), counts)
    return {clause.name[4:].replace("_", "."): int(counts[clause]) for clause in GAME.clauses if counts[clause]}


WILD = {"water": "rainbow castle"}
ONE_BRIDGE = {"hand": "wizard/bridge, water 3"}


@pytest.mark.parametrize(
    ("parts", "action", "clauses"),
    [
        ({"hand": "water 2"}, "play water 2 at water", {"4.1"}),
        ({"hand": "water 2", "known": "water 2"}, "play water 2 at water", {"4.1", "8.2"}),
        ({"hand": "cloud 2", "castles": WILD}, "play cloud 2 at water", {"4.1", "4.1a"}),
        ({"hand": "water 1", "columns": {"water": "1"}}, "play water 1 at water", {"4.1", "4.1b", "4.1c"}),
        ({"hand": "water 2", "columns": {"water": "1"}}, "play water 2 at water", {"4.1", "4.1b", "4.1d"}),
        ({"hand": "water 3", "columns": {"water": "1"}, "streamlined": True}, "play water 3 at water", {"4.1", "4.1b", "7.1"}),
        ({"hand": "water 1", "power_of_unity": True}, "play water 1 at water", {"4.1", "7.2"}),
        ({"hand": "wizard/bridge", "known": "wizard/bridge"}, "wizard at sun", {"4.2", "8.2"}),
        ({"columns": {"sun": "wizard"}, "pile": ["water 1"]}, "move wizard from sun to leaf", {"4.3", "4.3a"}),
        ({"columns": {"sun": "wizard"}, "pile": ["rainbow castle"]}, "move wizard from sun to leaf", {"4.3"}),
        ({"turned_up": "rainbow castle"}, "place on sun", {"4.3b"}),
        ({"hand": "water 1"}, "lay water 1", {"4.4"}),
        ({"hand": "water 1", "castles": WILD}, "lay water 1", {"4.4", "4.4b"}),
        ({"hand": "wizard/bridge", "castles": WILD}, "lay wizard/bridge on water", {"4.4", "4.4b"}),
        ({"hand": "wizard/bridge", "castles": WILD}, "lay wizard/bridge on sun", {"4.4"}),
        ({"hand": "wizard/bridge", "known": "wizard/bridge"}, "lay wizard/bridge on sun", {"4.4", "8.2"}),
        ({"hand": "wizard/bridge, water 2"}, "bridge to water 2 at water", {"4.5", "4.5b"}),
        ({**ONE_BRIDGE, "columns": {"water": "1"}}, "bridge to water 3 at water", {"4.5", "4.5a"}),
        (
            {"hand": "wizard/bridge, wizard/bridge, water 3", "over_the_rainbow": True},
            "bridge to water 3 at water",
            {"4.5", "4.5b", "7.3"},
        ),
        ({"hand": "water 2", "columns": {"water": "1, wizard"}}, "swap water 2 into own water", {"4.6", "4.6a"}),
        ({"hand": "water 2", "other_columns": {"water": "1, bridge, 3"}}, "swap water 2 into other water", {"4.6", "4.6b"}),
        ({"draws_due": 1}, "draw from pile", {"5.1"}),
        ({"draws_due": 2}, "draw from pile", {"5.1", "5.4"}),
        ({"draws_due": 1, "castles": WILD}, "draw from pile", {"5.1", "5.2"}),
        ({"draws_due": 1, "castles": {"sun": "1"}, "laid": "sun"}, "draw from pile", {"5.1", "5.3"}),
        ({"draws_due": 1, "castles": {"sun": "rainbow castle, 1"}}, "draw from sun", {"5.1", "4.4b"}),
    ],
)
def test_what_a_decision_is_counted_for(parts, action, clauses):
    table = position(**parts)
    assert action in table.legal_actions()
    assert witnessed(table, action) == dict.fromkeys(clauses, 1)


@pytest.mark.parametrize(
    ("parts", "counts"),
    [
        ({"pile_size": 0}, {"6.1": 1, "6.3": 5, "6.4": 1}),
        ({"turn": 1, "max_turns": 1}, {"6.5": 1, "6.3": 5, "6.4": 1}),
        ({"pile_size": 0, "columns": {"sun": "1"}}, {"6.1": 1, "6.2": 1, "6.3": 4}),
        ({"pile_size": 0, "columns": {"sun": "1"}, "other_columns": {"leaf": "2"}}, {"6.1": 1, "6.2": 2, "6.3": 3, "6.4": 1}),
        ({"pile_size": 0, "columns": {"sun": "3"}, "other_columns": {"sun": "1, 2"}}, {"6.1": 1, "6.3": 5}),
    ],
)
def test_what_the_end_is_counted_for(parts, counts):
    assert witnessed(position(**parts)) == counts
