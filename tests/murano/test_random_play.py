"""Murano on a large scale: what random games reach, how they end, and that nothing is lost or gained on the way."""

import json
import re
from collections import Counter

import numpy as np
import pytest
from helpers import play_checked, variant_id

from cardtable.audit import audit, fresh_games, prepare
from cardtable.cli.main import main
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import as_games
from murano_env.components import ADVANTAGES, BUILT_IN_EDITION
from murano_env.constants import Phase
from murano_env.env import GAME

from .positions import by_block, eager, position, random_games, scores, uniform

GAMES = 1_500
RARE = {"interactive": True, "advantages": [9, 19, 2, 16]}
"""Clumsiness empties Workbenches: a pass comes up sooner than elsewhere."""
NOT_BY_CHANCE = {"MUR-10.3"}
"""Nobody makes six works in seven turns at random; `test_challenge.py` has a game that is won."""


def play_out(games):
    """Play games to their ends, every position checked; how often each clause came up."""
    prepare(GAME)
    return play_checked(GAME, games)[1]


@pytest.mark.clause("MUR-5.4", "MUR-7.3")
def test_every_advantage_and_every_other_clause_comes_up_in_random_play():
    counts = {}
    for options in (*GAME.variants, RARE):
        *_, total = audit(GAME, options, GAMES, seed=3)
        counts = {name: counts.get(name, 0) + count for name, count in total.clauses.items()}
    print(counts)
    assert {name for name, count in counts.items() if count == 0} <= NOT_BY_CHANCE
    assert {f"MUR-8.{card}" for card in range(1, 17)} | {f"MUR-9.{number}" for number in range(3, 7)} < set(counts)


@pytest.mark.clause("MUR-10.3")
def test_a_last_turn_of_solo_is_won_at_random_if_the_shards_are_there():
    table = position(players=1, round_number=7, step="negotiated", left={0: 1}, hands={0: ["Vase"]}, benches={0: "RRYBT"})
    games = as_games(np.repeat(table._games, 100))
    games["index"] = np.arange(100)
    won = play_out(games)[GAME.clauses["MUR_10_3"]]
    assert 0 < won < 100


@pytest.mark.clause("MUR-6.3")
def test_every_creation_is_made_in_random_play():
    games = fresh_games(GAME, {"num_players": 4, "max_rounds": 12}, 1_000, seed=5)
    play_out(games)
    made = np.zeros(len(BUILT_IN_EDITION.names()), int)
    for place in range(games["works"].shape[2]):
        made += np.bincount(games["works"][..., place][games["works_size"] > place], minlength=len(made))
    print(dict(zip(BUILT_IN_EDITION.names(), made.tolist(), strict=True)))
    assert made.min() > 0


@pytest.mark.clause("MUR-12.3")
@pytest.mark.parametrize("options", GAME.variants, ids=variant_id)
def test_the_command_line_tells_the_share_of_games_that_are_cut_off(options, capsys):
    given = [f"{name}={value if name == 'edition' else json.dumps(value)}" for name, value in options.items()]
    arguments = [argument for option in given for argument in ("-o", option)]
    assert main(["random", "murano", "--games", "100", *arguments]) == 0
    said = capsys.readouterr().out
    share = float(re.search(r"cut off: ([\d.]+)%", said)[1])
    print(options, said.splitlines()[1], f"cut off: {share}%", sep="\n")
    if options.get("num_players") == 1 or options.get("grandmaster"):
        assert share == 0
    else:
        assert share > 50


# ---- Conservation: every shard and Creation is in one place, every Lira gained or lost has its clause

SHARDS = [10, 10, 10, 10, 6]

CARD_PAYS = {
    "magician": (1, "MUR-8.8"),
    "favouritism": (3, "MUR-8.9"),
    "privilege": (-1, "MUR-8.10"),
    "provident": (1, "MUR-8.11"),
    "repetition": (-1, "MUR-8.12"),
    "quotation": (2, "MUR-8.14"),
    "opportunist": (-1, "MUR-8.15"),
}
"""What a card pays or costs as soon as it is used."""


class Ledger:
    """Explains every change of every seat's Lira: by the state before, the action, and the turn as the ledger recalls it."""

    def __init__(self, game):
        self.players = int(game.num_players)
        self.lira = [4] * self.players
        self.card = None
        self.works_of_turn = 0

    def record(self, game, name):
        """Record what an action changes; returns the clause, or None if no money moves."""
        seat, word = int(game.seat), name.split()[0]
        changes, clause = {}, None
        if name == "turn selector":
            changes, clause = self.gap(game)
        elif word == "buy":
            changes, clause = ({}, "MUR-8.3") if self.card == "free" else ({seat: -2}, "MUR-5.2")
        elif name == "done" and game.phase == Phase.SELL:
            changes, clause = ({seat: 4}, "MUR-8.4") if self.card == "merchant" else ({seat: 1}, "MUR-5.3")
        elif word == "make":
            changes, clause = self.work(game, seat, name)
        elif word == "reorder":
            changes, clause = {seat: -1}, "MUR-7.1"
        elif name == "turn ring":
            changes, clause = {seat: -1}, "MUR-7.2"
        elif word == "use":
            changes, clause = self.use(game, seat, name)
        elif word == "neighbour":
            changes, clause = self.neighbour(seat, name)
        elif name == "end turn":
            self.works_of_turn = 0
        if word not in ("use", "sell"):
            self.card = None
        for who, change in changes.items():
            self.lira[who] += change
        return clause if changes else None

    def gap(self, game):
        """The Lira of a gap that the Selector passes (MUR-11.4)."""
        if game.selector == NOBODY or not game.gap_lira[game.selector]:
            return {}, None
        made = [int(number) for number in game.works_size[: self.players]]
        leaders = [seat for seat in range(self.players) if made[seat] == max(made)]
        return ({leaders[0]: 1}, "MUR-11.4") if len(leaders) == 1 else ({}, None)

    def work(self, game, seat, name):
        """What a work pays: empty places, less transparent shards for a grandmaster, more for the second of the turn."""
        empty = 8 - (int(game.bench[seat].sum()) - 4)
        transparent = 0 if name.endswith("none") else len(name.split()[-1])
        self.works_of_turn += 1
        second = 2 if self.works_of_turn == 2 else 0
        clause = "MUR-6.3" if second else "MUR-11.5" if game.grandmaster and transparent else "MUR-6.2"
        return {seat: empty - (transparent if game.grandmaster else 0) + second}, clause

    def use(self, game, seat, name):
        """What the card of a tile pays at once; the ledger recalls the card for what follows."""
        tile = ("art", "jewels", "tableware", "animals").index(name.split()[1])
        self.card = ADVANTAGES[game.advantage[tile]]
        pays, clause = CARD_PAYS.get(self.card, (0, None))
        return ({seat: pays}, clause) if pays else ({}, None)

    def neighbour(self, seat, name):
        """A Lira between two players (MUR-9.3, 9.4)."""
        other = (seat + int(name.split()[1])) % self.players
        if self.card == "authoritarian":
            return {seat: -1, other: 1}, "MUR-9.3"
        return ({seat: 1, other: -1}, "MUR-9.4") if self.card == "dealer" else ({}, None)


def shards(game):
    """How many shards of each kind there are in all places."""
    return (game.warehouse + game.market.sum(axis=0) + game.bench.sum(axis=0)).tolist()


def creations(game):
    """All Creations, wherever they are."""
    cards = [*game.deck[: game.deck_size], *game.box[: game.box_size]]
    for seat in range(game.num_players):
        for pile, size in ((game.hand, game.hand_size), (game.works, game.works_size), (game.pack, game.pack_size)):
            cards += list(pile[seat, : size[seat]])
    return sorted(cards)


VARIANTS = [
    {"num_players": 2, "advantages": [1, 2, 3, 4], "max_rounds": 12},
    {"num_players": 3, "advantages": [5, 6, 7, 8], "max_rounds": 10},
    {"num_players": 2, "advantages": [9, 10, 11, 12], "max_rounds": 12},
    {"num_players": 4, "advantages": [13, 14, 15, 16], "max_rounds": 8, "ring": "B"},
    {"num_players": 3, "advantages": [17, 9, 8, 15], "interactive": True, "draft": True, "max_rounds": 10},
    {"num_players": 3, "advantages": [4, 18, 3, 12], "interactive": True, "max_rounds": 10},
    {"num_players": 4, "advantages": [16, 2, 19, 8], "interactive": True, "grandmaster": True},
    {"num_players": 2, "advantages": [10, 3, 4, 20], "interactive": True, "grandmaster": True, "draft": True},
    {"num_players": 3, "advantages": [14, 9, 5, 10], "grandmaster": True},
    {"num_players": 1, "advantages": [8, 9, 11, 14]},
    {"num_players": 1, "advantages": [10, 4, 12, 15]},
]
CLAUSES = {
    *("MUR-5.2", "MUR-5.3", "MUR-6.2", "MUR-6.3", "MUR-7.1", "MUR-7.2", "MUR-8.4", "MUR-8.8", "MUR-8.9", "MUR-8.10"),
    *("MUR-8.11", "MUR-8.12", "MUR-8.14", "MUR-8.15", "MUR-9.3", "MUR-9.4", "MUR-11.4", "MUR-11.5"),
}
"""Every clause by which money moves in play."""


def follow(options, games, policy):
    """Play games, record every decision, check every position; how often money moved by each clause."""
    recorded, game, ledger = Counter(), None, None
    for table, action in random_games(options, games, seed=8, policy=policy):
        if not table.history:
            if game is not None:
                close(game, ledger)
            game, ledger = table, Ledger(table.record)
        record = table.record
        assert ledger.lira == record.lira[: ledger.players].tolist(), (options, table.moves_seen_by(0)[-5:])
        assert shards(record) == SHARDS
        if len(table.history) % 7 == 0:
            assert creations(record) == list(range(24))
        recorded[ledger.record(record, GAME.actions.names[action])] += 1
    close(game, ledger)
    return recorded


def close(table, ledger):
    """At the end of a game the scores are the Lira recorded, less 2L a card in hand for grandmasters."""
    assert table.ending
    record = table.record
    cards_left = record.hand_size[: ledger.players] if record.grandmaster else [0] * ledger.players
    assert record.lira[: ledger.players].tolist() == ledger.lira
    assert scores(table) == [money - 2 * int(left) for money, left in zip(ledger.lira, cards_left, strict=True)]


@pytest.mark.clause("MUR-1.1", "MUR-1.2", "MUR-1.3")
def test_shards_and_creations_are_conserved_and_every_lira_has_its_clause():
    total = Counter()
    for policy in (uniform, by_block, eager):
        recorded = sum((follow(options, games=5, policy=policy) for options in VARIANTS), Counter())
        print(f"{policy.__name__}: {recorded.total():,} decisions; Lira moved by {dict(recorded)}")
        total += recorded
    assert total.total() > 20_000
    assert set(total) == {*CLAUSES, None}
