"""Redeals on a larger scale: they keep all that a seat knows and draw the rest from all that it can think (MUR-15)."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from murano_env.components import CREATIONS

from .positions import by_block, drafted_game, fault, hand, names, position, random_games, redeals

HIDDEN = {"hand", "deck", "pack", "drafted", "box", "challenge", "left_out", "arranged", "seed", "index", "rng"}
"""The fields of a state that hold something hidden."""


def everything_else(table):
    return {name: value for name, value in table.state_dict().items() if name not in HIDDEN}


def some_tables():
    """Tables in the middle of random games of several kinds, and which number of players they have."""
    for options in (
        {"num_players": 3, "advantages": [8, 1, 2, 9], "max_rounds": 8},
        {"num_players": 2, "draft": True, "advantages": [8, 3, 4, 16], "max_rounds": 8},
        {"num_players": 4, "grandmaster": True},
        {"num_players": 1},
    ):
        for number, (table, _) in enumerate(random_games(options, games=1, seed=3, policy=by_block)):
            if number % 23 == 0:
                yield table, options["num_players"]


@pytest.mark.clause("MUR-15.1")
def test_a_redeal_keeps_all_that_the_seat_knows_and_is_a_possible_position():
    checked = 0
    for table, players in some_tables():
        before, public = table.state_dict(), everything_else(table)
        for seat in range(players):
            world = table.redeal(seat, seed=7)
            after, name = world.state_dict(), f"player_{seat}"
            assert fault(world) == "NONE"
            assert everything_else(world) == public
            for own in ("hand", "pack", "drafted"):
                assert after[own][name] == before[own][name]
            assert {who: len(cards) for who, cards in after["hand"].items()} == {
                who: len(cards) for who, cards in before["hand"].items()
            }
            assert np.array_equal(world.observe(seat), table.observe(seat))
            checked += 1
    assert checked > 40


@pytest.mark.clause("MUR-15.1")
def test_a_card_in_another_hand_is_any_that_is_not_seen_elsewhere():
    table = position(players=2, hands={0: ["Vase"], 1: ["Dolphin"]}, works={0: ["Parrot"], 1: ["Canary"]})
    seen = {*hand(table), "Parrot", "Canary"}
    firsts, decks = Counter(), Counter()
    for world in redeals(table, 0, 200):
        deck = names(world, world.record.deck[: world.record.deck_size])
        assert not seen & {*hand(world, 1), *deck}
        firsts[hand(world, 1)[0]] += 1
        decks.update(deck)
    unseen = set(CREATIONS) - seen
    assert set(firsts) == set(decks) == unseen
    assert max(firsts.values()) < 4 * 200 / len(unseen)


@pytest.mark.clause("MUR-15.1", "MUR-10.1")
def test_the_challenge_stack_and_the_cards_left_out_are_drawn_anew():
    stack = ["ring", "red", "market", "blue", "selector", "nothing"]
    table = position(players=1, round_number=3, challenge=stack)
    tops, out = Counter(), Counter()
    for world in redeals(table, 0, 200):
        plain = world.state_dict()
        assert plain["revealed"] == ["ring", "red"]
        assert (len(plain["challenge"]), len(plain["left_out"])) == (4, 4)
        assert Counter([*plain["challenge"], *plain["left_out"]]) == Counter(
            ["green", "yellow", "blue", "ring", "selector", "market", "nothing", "nothing"]
        )
        tops[plain["challenge"][-1]] += 1
        out.update(plain["left_out"])
    assert set(tops) == set(out) == {"green", "yellow", "blue", "ring", "selector", "market", "nothing"}
    assert tops["nothing"] == pytest.approx(50, abs=25)
    assert tops["green"] == pytest.approx(25, abs=20)


def history_of_packs(table, players):
    """For each pack, by the seat it started at: who held it at each pick, and its cards before that."""
    plain = table.state_dict()
    drafted = [plain["drafted"][f"player_{seat}"] for seat in range(players)]
    picks = len(drafted[-1]) + (not plain["box"])
    histories = []
    for start in range(players):
        last = (start + picks - 1) % players
        rest = [plain["box"][last]] if plain["box"] else plain["pack"][f"player_{last}"]
        contents = []
        for turn in reversed(range(picks)):
            holder = (start + turn) % players
            rest = [*rest, *drafted[holder][turn : turn + 1]]
            contents.append((holder, frozenset(rest)))
        histories.append(contents[::-1])
    return histories


def sights(table, players, seat):
    """Every pack that the seat has held, at every sight: where it started, the number of the pick, its cards."""
    return [
        (start, turn, cards)
        for start, contents in enumerate(history_of_packs(table, players))
        for turn, (holder, cards) in enumerate(contents)
        if holder == seat
    ]


@pytest.mark.clause("MUR-15.2")
@pytest.mark.parametrize(("players", "grandmaster"), [(2, False), (3, False), (4, False), (2, True), (3, True)])
def test_a_redeal_agrees_with_every_sight_of_every_pack(players, grandmaster):
    options = {"num_players": players, "draft": True, "grandmaster": grandmaster, "max_rounds": 1}
    checked = 0
    for number, (table, _) in enumerate(random_games(options, games=1, seed=2)):
        if number % 3 == 0 or number > 30:
            for seat in range(players):
                before = sights(table, players, seat)
                for world in redeals(table, seat, 2):
                    assert sights(world, players, seat) == before
                    checked += 1
        if number > 40:
            break
    assert checked > 15 * players


def possible_picks(table, players, seat):
    """What the seat can think that each pick of the others was, from its sights alone."""
    seen_at = defaultdict(dict)
    for start, turn, cards in sights(table, players, seat):
        seen_at[start][turn] = cards
    never_seen = set(CREATIONS) - {card for packs in seen_at.values() for cards in packs.values() for card in cards}
    own = set(table.state_dict()["drafted"][f"player_{seat}"])
    possible = {}
    for start, contents in enumerate(history_of_packs(table, players)):
        for turn, (holder, _) in enumerate(contents):
            if holder == seat:
                continue
            earlier = [sight for sight in seen_at[start] if sight < turn]
            later = [sight for sight in seen_at[start] if sight > turn]
            known = seen_at[start][max(earlier)] if earlier else never_seen
            gone = seen_at[start][min(later)] if later else set()
            possible[holder, turn] = set(known) - own - gone
    return possible


@pytest.mark.clause("MUR-15.2")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_pick_of_others_is_drawn_from_what_the_seat_can_think_it_was(players):
    table = drafted_game(players)
    for seat in range(players):
        possible = possible_picks(table, players, seat)
        found = defaultdict(set)
        for world in redeals(table, seat, 120):
            for (holder, turn), choices in possible.items():
                card = CREATIONS[int(world.record.drafted[holder, turn])]
                assert card in choices
                found[holder, turn].add(card)
        assert found == possible
