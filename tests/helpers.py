"""Ways to walk through games that several test modules use."""

from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np

from cardtable.engine import loops, random_play
from cardtable.engine.jit import as_games
from cardtable.game.game import Game
from cardtable.game.registry import find
from cardtable.players.agent import Agent
from cardtable.players.views import Views, forget_many, view_of
from cardtable.table import Table
from tools.variants import VARIANTS as VARIANTS
from tools.variants import choice as choice
from tools.variants import open_table as open_table
from tools.variants import variant_id as variant_id

SALT = "5a17" * 8
"""Where the random bits of agents come from in tests."""

SVG = "{http://www.w3.org/2000/svg}"
"""What stands before the names of elements in a picture."""


def walk(game: Game, options: dict[str, Any], games: int, seed: int = 1) -> Iterator[Table]:
    """The table before every decision of some random games; the caller may not change it."""
    generator = np.random.default_rng(seed)
    for index in range(games):
        table = open_table(game, options, seed, index)
        while not table.ending:
            yield table
            table.play(int(generator.choice(np.flatnonzero(table.mask))))


def states(game: Game, options: dict[str, Any], number: int, seed: int = 1) -> Iterator[Table]:
    """The table at `number` positions of random games."""
    for count, table in enumerate(walk(game, options, games=number, seed=seed)):
        if count == number:
            return
        yield table


def play_checked(game: Game, games: np.ndarray, seed: int = 5) -> tuple[int, np.ndarray]:
    """Play games to their ends, every position checked: (decisions, how often each clause came up)."""
    blocks = game.actions.blocks
    block_of, played = np.repeat(np.arange(len(blocks)), [block.size for block in blocks]), np.zeros(len(blocks), np.int64)
    counts = np.zeros(len(game.clauses), np.int64)
    decisions, lane, fault = random_play.audit_many(games, np.uint64(seed), game.new_scratch(), block_of, played, counts)
    assert (lane, fault) == (-1, 0)
    return decisions, counts


def views_along_a_game(game: Game, options: dict[str, Any] | None = None, steps: int = 20) -> Iterator[Views]:
    """What the seat to act sees at the first decisions of a game."""
    table = open_table(game, options or {})
    for step in range(steps):
        yield view_of(table, SALT)
        table.play(int(np.flatnonzero(table.mask)[step * 7 % table.mask.sum()]))


def forgotten(table: Table, seat: int) -> np.ndarray:
    """The record of a table with all that a seat cannot know forgotten."""
    games = as_games(np.array(table.games))
    forget_many(games, np.array([seat], np.int8))
    return games


def check_forgetting(game: Game, options: dict[str, Any], games: int, apart: int) -> int:
    """Forgetting leaves a position that a seat sees the same, equal for all that it cannot tell apart; how many were tried."""
    tried = 0
    for number, table in enumerate(walk(game, options, games)):
        if number % apart:
            continue
        for seat in range(table.players):
            kept, seen = forgotten(table, seat), np.zeros_like(table.observation)
            assert loops.check_one(kept) == 0
            loops.observe_one(kept, seat, seen)
            assert np.array_equal(seen, table.observe(seat))
            for seed in (1, 2):
                assert forgotten(table.redeal(seat, seed), seat).tobytes() == kept.tobytes()
            tried += 1
    return tried


def parts_of(picture: str) -> set[str]:
    """What the parts of a picture stand for."""
    return {each.attrib["data-part"] for each in ElementTree.fromstring(picture).iter() if "data-part" in each.attrib}


def words_of(picture: str) -> list[str]:
    """All lines of text in a picture, in the order in which they are drawn."""
    return [each.text or "" for each in ElementTree.fromstring(picture).iter(f"{SVG}text")]


LEARNERS = 1000
"""Tells the varied choices of a learner from those of its opponents."""


class Varied:
    """Opponents whose choices can be made by hand too."""

    def act(self, games, observation, mask):
        decisions = zip(mask, games["index"], games["length"], strict=True)
        return np.array([choice(row, int(index), int(length)) for row, index, length in decisions])


class Held(Agent):
    """Holds something, like the process of a bot, until it is let go."""

    held = False

    @classmethod
    def of(cls, name):
        """For a game with its usual options."""
        return cls(find(name), find(name).parse_options({}))

    def prepare(self):
        self.held = True

    def act(self, views):
        return views.mask.argmax(axis=1)

    def close(self):
        self.held = False


def walk_by_hand(game, options, seed, number, seat):
    """A game in which a seat learns: what it saw at each of its decisions (observation, mask), and the table at the end."""
    table, seen = open_table(game, options, seed=seed, index=number), []
    while not table.ending:
        if table.seat == seat:
            seen.append((table.observation.copy(), table.mask.copy()))
            table.play(choice(table.mask, number, LEARNERS + len(seen) - 1))
        else:
            table.play(choice(table.mask, number, len(table.history)))
    return seen, table
