"""What an agent cannot do unnoticed: reach into the match that it plays."""

import gc
import sys

import numpy as np
import pytest
from cardtable_agents.arena.match import Games, Match
from helpers import SALT

from cardtable.engine.traces import fold_many, words_of
from cardtable.errors import AgentError
from cardtable.game.registry import find
from cardtable.players.agent import Agent
from cardtable.players.roster import make_agent

OPTIONS = {"max_turns": 20}


class First(Agent):
    """Plays the first legal action."""

    def act(self, views):
        return views.mask.argmax(axis=1)


class Intruder(First):
    """Finds the games of the match through the collector of garbage, and does something to them at every decision."""

    games = None

    def act(self, views):
        if self.games is None:
            [self.games] = [each for each in gc.get_objects() if type(each) is Games]
        self.tamper(self.games)
        return super().act(views)

    def tamper(self, games):
        raise NotImplementedError


class ThroughFrames(First):
    """Finds the match in the frames of its callers, and changes a record."""

    def act(self, views):
        frame = sys._getframe()
        while not isinstance(frame.f_locals.get("self"), Match):
            frame = frame.f_back
        games = frame.f_locals["self"]._games.lanes.records
        games["length"][0] += 1
        return super().act(views)


class DealsItselfAWin(Intruder):
    def tamper(self, games):
        games.lanes.records["turn"] = 0


class ShowsTheOtherAnother(Intruder):
    """What the other is shown is wrong for a moment; afterwards it is as it was."""

    kept = None

    def tamper(self, games):
        if self.kept is not None and len(self.kept) == len(games.lanes.frame.observation):
            games.lanes.frame.observation[:] = self.kept
        self.kept = games.lanes.frame.observation.copy()
        games.lanes.frame.observation[:, 0] += 1


class ForbidsTheOther(Intruder):
    """Takes legal actions away from the other."""

    def tamper(self, games):
        for mask in games.lanes.frame.action_mask:
            mask[np.flatnonzero(mask)[1:]] = 0


class PlaysForTheOther(Intruder):
    def tamper(self, games):
        games.lanes.frame.seat[:] = 0


class WritesTheResult(Intruder):
    def tamper(self, games):
        games.lanes.frame.rewards[:] = [1.0, -1.0]


class WritesHistory(Intruder):
    def tamper(self, games):
        if games.rounds:
            games.rounds[-1] = games.rounds[-1] * 0


INTRUDERS = [
    ThroughFrames,
    DealsItselfAWin,
    ShowsTheOtherAnother,
    ForbidsTheOther,
    PlaysForTheOther,
    WritesTheResult,
    WritesHistory,
]


def play(*kinds, salt=SALT):
    gc.collect()  # matches of earlier tests
    game = find("muster")
    options = game.parse_options(OPTIONS)
    return Match(game, options, [kind(game, options) for kind in kinds], seed=6, first=11, number=3, salt=salt).play()


@pytest.mark.parametrize("intruder", INTRUDERS)
def test_who_reaches_into_the_match_is_found_before_a_game_counts(intruder):
    with pytest.raises(
        AgentError, match=rf"seed 6, deals? 1[123].*: .*\({intruder.__name__}, First\) has tampered with the match"
    ):
        play(intruder, First)


def test_a_match_is_made_of_names_too():
    game = find("muster")
    options = game.parse_options({"max_turns": 20})
    agents = [make_agent("random", game, options)] * 2
    one = Match("muster", {"max_turns": 20}, ["random", "random"], seed=1, first=0, number=3, salt=SALT).play()
    other = Match(game, options, agents, seed=1, first=0, number=3, salt=SALT).play()
    assert [played.actions for played in one] == [played.actions for played in other]


@pytest.mark.parametrize("players", [[], ["random"], ["random"] * 3])
def test_a_match_has_an_agent_for_each_seat(players):
    with pytest.raises(AgentError, match=f"muster_v0: a match of 2 players, found {len(players)} agents"):
        Match("muster", None, players, seed=1, first=0, number=1)


def test_who_plays_by_the_rules_is_left_in_peace():
    games = play(First, First)
    assert [game.deal for game in games] == [11, 12, 13]
    assert all(len(game.actions) == sum(game.decisions) > 0 for game in games)


@pytest.mark.parametrize("word", [np.uint64, np.uint32, np.uint16, np.uint8])
def test_every_bit_of_every_row_shows_in_a_trace(word):
    """Also the highest bits of two words, which a plain multiplication would lose."""
    generator = np.random.default_rng(1)
    rows, places = generator.integers(0, 2**8, (1, 5 * 8), np.uint8).view(word), generator.integers(0, 2**63, 40, np.uint64)

    def trace(changed):
        traces = np.zeros(1, np.uint64)
        fold_many(changed, np.arange(1), places, traces)
        return int(traces[0])

    bits = 8 * np.dtype(word).itemsize
    changes = [[(column, bit)] for column in range(rows.shape[1]) for bit in range(bits)]
    changes += [[(0, bits - 1), (column, bits - 1)] for column in range(1, rows.shape[1])]
    found = {trace(rows)}
    for change in changes:
        other = rows.copy()
        for column, bit in change:
            other[0, column] ^= word(1 << bit)
        found.add(trace(other))
    assert len(found) == len(changes) + 1


def test_words_are_no_copy():
    rows = np.zeros((3, 6), np.float32)
    words = words_of(rows)
    rows[1, 2] = 1
    assert words.shape == (3, 3)
    assert words[1].any()
