"""Hypothesis drives a table through anything a user may do, in any order."""

import numpy as np
import pytest
from helpers import VARIANTS
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from cardtable.errors import IllegalAction, StateError
from cardtable.game.registry import find
from cardtable.replay import Replay
from cardtable.table import Table


class TableMachine(RuleBasedStateMachine):
    """Play, refuse, save, restore, redeal, replay: the table is always a position of its game."""

    @initialize(variant=st.sampled_from(VARIANTS), seed=st.integers(0, 2**64 - 1))
    def deal(self, variant, seed):
        game_id, options = variant
        self.game = find(game_id)
        self.table = Table(self.game, self.game.parse_options(options))
        self.table.deal(seed)
        self.saved = self.table.state_bytes()

    @precondition(lambda self: not self.table.ending)
    @rule(number=st.integers(0, 10_000), times=st.integers(1, 12))
    def play(self, number, times):
        for _ in range(times):
            if not self.table.ending:
                legal = np.flatnonzero(self.table.mask)
                self.table.play(self.table.checked_action(legal[number % len(legal)]))

    @rule(action=st.one_of(st.integers(), st.floats(), st.text(), st.none(), st.booleans()))
    def try_anything(self, action):
        before = self.table.state_bytes()
        try:
            number = self.table.checked_action(action)
        except IllegalAction:
            pass
        else:
            assert self.table.mask[number] == 1
        assert self.table.state_bytes() == before

    @rule()
    def save(self):
        self.saved = self.table.state_bytes()

    @rule()
    def load(self):
        self.table.load_state_bytes(self.saved)
        assert self.table.state_bytes() == self.saved

    @rule()
    def load_by_words(self):
        before = self.table.state_bytes()
        self.table.load_state_dict(self.table.state_dict())
        assert self.table.state_bytes() == before

    @rule(place=st.integers(0, 10_000), bit=st.integers(0, 7))
    def load_damaged(self, place, bit):
        before, spoilt = self.table.state_bytes(), bytearray(self.saved)
        spoilt[place % len(spoilt)] ^= 1 << bit
        with pytest.raises(StateError):
            self.table.load_state_bytes(bytes(spoilt))
        assert self.table.state_bytes() == before

    @rule(seed=st.integers(0, 2**64 - 1), adopt=st.booleans())
    def redeal(self, seed, adopt):
        seat = seed % self.table.players
        world = self.table.redeal(seat, seed)
        assert np.array_equal(world.observe(seat), self.table.observe(seat))
        if adopt:
            self.table = world

    @rule()
    def replay(self):
        assert Replay.of(self.table).verify().state_hash() == self.table.state_hash()

    @invariant()
    def is_a_position(self):
        if hasattr(self, "table"):
            self.game.raise_fault(self.table._games, AssertionError)
            assert bool(self.table.mask.any()) == (not self.table.ending)


TestTable = TableMachine.TestCase
TestTable.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
