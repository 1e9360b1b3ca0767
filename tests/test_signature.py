"""The signatures of the rules, pinned: whatever changes what any game shows or does changes them, on purpose or not."""

import pytest

from cardtable.audit import signature
from cardtable.engine.jit import COMPILED
from cardtable.game.registry import find, game_ids

SIGNATURES = {
    "artisans_v0": "c3786c88a66dfaf6",
    "murano_v0": "5033ebcd137a2c35",
    "muster_v0": "3a158ffde87a301e",
}
"""What `cardtable signature` prints. They change with `rules_version`, and with nothing else."""


def test_every_game_has_a_pinned_signature():
    assert sorted(SIGNATURES) == game_ids()


@pytest.mark.skipif(not COMPILED, reason="3,400 games take too long in plain Python; tests/test_jit.py compares a few")
@pytest.mark.parametrize("game_id", SIGNATURES)
def test_the_signature_is_the_one_that_was_published(game_id):
    assert signature(find(game_id), games=100) == SIGNATURES[game_id]
