"""Conservation in random play: every shard and Creation is in one place, every Lira gained or lost has its clause."""

from collections import Counter

import pytest

from cardtable.game.record import NOBODY
from murano_env.components import ADVANTAGES
from murano_env.constants import Phase
from murano_env.env import GAME

from .positions import by_block, eager, random_games, scores, uniform

COPIES = [10, 10, 10, 10, 6]

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

    def book(self, game, name):
        """Book what an action changes; returns the clause, or None if no money moves."""
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
    """Play games, book every decision, check every position; how often money moved by each clause."""
    booked, game, ledger = Counter(), None, None
    for table, action in random_games(options, games, seed=8, policy=policy):
        if not table.history:
            if game is not None:
                close(game, ledger)
            game, ledger = table, Ledger(table.record)
        record = table.record
        assert ledger.lira == record.lira[: ledger.players].tolist(), (options, table.moves_seen_by(0)[-5:])
        assert shards(record) == COPIES
        if len(table.history) % 7 == 0:
            assert creations(record) == list(range(24))
        booked[ledger.book(record, GAME.actions.names[action])] += 1
    close(game, ledger)
    return booked


def close(table, ledger):
    """At the end of a game the scores are the Lira booked, less 2L a card in hand for grandmasters."""
    assert table.ending
    record = table.record
    cards_left = record.hand_size[: ledger.players] if record.grandmaster else [0] * ledger.players
    assert record.lira[: ledger.players].tolist() == ledger.lira
    assert scores(table) == [money - 2 * int(left) for money, left in zip(ledger.lira, cards_left, strict=True)]


@pytest.mark.clause("MUR-1.1", "MUR-1.2", "MUR-1.3")
def test_shards_and_creations_are_conserved_and_every_lira_has_its_clause():
    total = Counter()
    for policy in (uniform, by_block, eager):
        booked = sum((follow(options, games=5, policy=policy) for options in VARIANTS), Counter())
        print(f"{policy.__name__}: {booked.total():,} decisions; Lira moved by {dict(booked)}")
        total += booked
    assert total.total() > 20_000
    assert set(total) == {*CLAUSES, None}
