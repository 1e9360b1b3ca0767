"""Saved states from outside: what is taken, what is refused and how, and that nothing of the caller's is kept."""

import copy
import json
from typing import Any

import numpy as np
import pytest
from helpers import VARIANTS, choice, open_table, variant_id

from cardtable.engine import loops
from cardtable.envs.aec import TableEnv
from cardtable.errors import CardtableError, DealError, EditionError, OptionError, StateError
from cardtable.game.game import Game
from cardtable.game.registry import find, game_ids
from cardtable.replay import Replay
from cardtable.table import Table
from tools.attack import states
from tools.attack.tally import Tally
from tools.reference.artisans import Artisans
from tools.reference.muster import Muster

LONGEST_MESSAGE = 3_000
"""Characters that an error may have, whatever it was given."""


@pytest.fixture(params=game_ids())
def game(request: pytest.FixtureRequest) -> Game:
    return find(request.param)


def half_way(game: Game, options: dict[str, Any], steps: int = 40) -> Table:
    """A table in the middle of a game."""
    table = open_table(game, options, seed=6)
    while not table.ending and len(table.history) < steps:
        table.play(choice(table.mask, 6, len(table.history)))
    return table


# ---- What is taken


def as_numpy(plain: Any) -> Any:
    """The same data with arrays, tuples and numpy numbers in it."""
    if isinstance(plain, dict):
        return {np.str_(key): as_numpy(value) for key, value in plain.items()}
    if isinstance(plain, list):
        return np.array(plain, object) if len(plain) % 2 else np.array(plain, str) if plain else ()
    if isinstance(plain, bool):
        return np.bool_(plain)
    if isinstance(plain, int):
        return np.uint64(plain) if plain >= 0 else np.int64(plain)
    return plain


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_a_state_may_hold_arrays_tuples_and_numpy_numbers(game_id, options):
    table = half_way(find(game_id), options)
    other = Table(table.game, table.options)
    other.load_state_dict(as_numpy(table.state_dict()))
    assert other.state_bytes() == table.state_bytes()
    assert Replay.from_json(Replay.of(other).to_json()).verify().state_bytes() == table.state_bytes()


def test_a_deal_may_hold_arrays_and_tuples(game):
    plain = deal_of(game)
    env, other = TableEnv(game), TableEnv(game)
    env.reset(seed=1, options={"deal": plain})
    for kind in (tuple, np.array, lambda cards: np.array(cards, object)):
        other.reset(seed=1, options={"deal": {np.str_(name): kind(cards) for name, cards in plain.items()}})
        assert other.state_bytes() == env.state_bytes()
        assert json.loads(other.replay().to_json())["start"]["deal"] == plain


def deal_of(game: Game) -> dict[str, list[str]]:
    """A deck in another order than it was dealt in."""
    blank = game.blank(game.parse_options({}), 1)
    games = blank.copy()
    loops.deal_one(games, blank, np.uint64(0))
    field, deck = next((field, deck) for field, deck in game.decks.items() if deck.place is None)
    stack = next(each for each in game.state.fields if each.name == field)
    return {deck.name: stack.read_entry(games[0], ())}


# ---- What is kept


def test_a_state_that_is_changed_after_it_was_loaded_changes_nothing(game):
    given = half_way(game, {}).state_dict()
    table = Table(game, game.parse_options({}))
    table.load_state_dict(given)
    table.play(int(np.flatnonzero(table.mask)[0]))
    before, replay = table.state_bytes(), Replay.of(table).to_json()
    spoil(given)
    assert table.state_bytes() == before
    assert Replay.of(table).to_json() == replay


def test_a_deal_that_is_changed_after_it_was_given_changes_nothing(game):
    env, deal = TableEnv(game), deal_of(game)
    env.reset(seed=1, options={"deal": deal})
    replay = env.replay().to_json()
    spoil(deal)
    assert env.replay().to_json() == replay


def test_an_edition_that_is_changed_after_it_was_given_changes_nothing():
    for game_id in ("artisans", "murano"):
        game = find(game_id)
        edition = game.parse_options({}).cards.plain()
        options = game.parse_options({"edition": edition})
        before = copy.deepcopy(options.cards.plain())
        spoil(edition)
        assert options.cards.plain() == before


def spoil(plain: Any) -> None:
    """Change everything in nested data, in place."""
    for key in list(plain) if isinstance(plain, dict) else range(len(plain)):
        if isinstance(plain[key], dict | list):
            spoil(plain[key])
        plain[key] = "spoilt"
    if isinstance(plain, list):
        plain.clear()


# ---- What is refused


def deep(depth: int = 100_000) -> list[Any]:
    """A list in a list in a list …"""
    nested: list[Any] = []
    for _ in range(depth):
        nested = [nested]
    return nested


def deep_dict(depth: int = 100_000) -> dict[str, Any]:
    """A dict in a dict in a dict …"""
    nested: dict[str, Any] = {}
    for _ in range(depth):
        nested = {"seat": nested}
    return nested


class Unspeakable:
    """Something whose `repr` fails."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")


def itself() -> list[Any]:
    """A list that holds itself."""
    nested: list[Any] = []
    nested.append(nested)
    return nested


HOSTILE = {
    "a deep list": deep(),
    "a deep dict": deep_dict(),
    "a list that holds itself": itself(),
    "a huge int": 10**10_000,
    "a huge negative int": -(10**10_000),
    "a huge text": "x" * 3_000_000,
    "a long list": ["x"] * 1_000_000,
    "a large dict": {str(number): number for number in range(100_000)},
    "a huge key": {"x" * 3_000_000: 1},
    "a strange key": {(1, 2): 1},
    "an array of floats": np.zeros(4),
    "an array with axes": np.zeros((3, 3), int),
    "an array of records": np.zeros(2, [("a", int)]),
    "a large array": np.zeros(3_000_000, np.int8),
    "bytes": b"x" * 3_000_000,
    "something without a repr": Unspeakable(),
    "a list of such": [Unspeakable()],
    "an iterator": iter("abc"),
    "a set": {"water 1"},
    "a float": float("nan"),
    "a class": int,
}


@pytest.mark.parametrize("wrong", HOSTILE.values(), ids=HOSTILE)
def test_states_with_something_strange_are_refused_in_a_few_words(game, wrong):
    table = open_table(game, {})
    plain, before = table.state_dict(), table.state_bytes()
    for name, value in plain.items():
        spoilt = [{**plain, name: wrong}]
        if isinstance(value, dict):
            spoilt.append({**plain, name: {**value, next(iter(value), "x"): wrong}})
        if isinstance(value, list) and value:
            spoilt.append({**plain, name: [wrong, *value[1:]]})
        for each in spoilt:
            refused_in_a_few_words(StateError, lambda each=each: table.load_state_dict(each))
    refused_in_a_few_words(StateError, lambda: table.load_state_dict(wrong))
    refused_in_a_few_words(StateError, lambda: table.load_state_dict({**plain, "x": wrong}))
    refused_in_a_few_words(StateError, lambda: table.load_state_bytes(wrong))
    assert table.state_bytes() == before


@pytest.mark.parametrize("wrong", HOSTILE.values(), ids=HOSTILE)
def test_deals_with_something_strange_are_refused_in_a_few_words(game, wrong):
    table, before = open_table(game, {}), open_table(game, {}).state_bytes()
    for deck in game.decks.values():
        for cards in (wrong, [wrong], [wrong] * 60):
            refused_in_a_few_words(DealError, lambda cards=cards, deck=deck: table.deal(1, deal={deck.name: cards}))
    name, cards = next(iter(deal_of(game).items()))
    refused_in_a_few_words(DealError, lambda: table.deal(1, deal={name: [wrong, *cards[1:]]}))
    refused_in_a_few_words(DealError, lambda: table.deal(1, deal=wrong))
    refused_in_a_few_words(DealError, lambda: table.deal(1, deal={"x": wrong}))
    assert table.state_bytes() == before


@pytest.mark.parametrize("wrong", HOSTILE.values(), ids=HOSTILE)
def test_options_that_are_something_strange_are_refused_in_a_few_words(game, wrong):
    for name in game.options.names():
        refused_in_a_few_words(OptionError, lambda name=name: game.parse_options({name: wrong}))


@pytest.mark.parametrize("wrong", HOSTILE.values(), ids=HOSTILE)
def test_lists_in_options_with_something_strange_are_refused_in_a_few_words(wrong):
    for game_id, name, value in (("artisans", "artisans", "sculptor"), ("murano", "advantages", 1)):
        game = find(game_id)
        for given in (wrong, [wrong, value], [value, wrong, value, value]):
            refused_in_a_few_words(OptionError, lambda given=given, game=game, name=name: game.parse_options({name: given}))


@pytest.mark.parametrize("wrong", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize(("game_id", "entries"), [("artisans", "object"), ("murano", "creations")])
def test_editions_with_something_strange_in_them_are_refused_in_a_few_words(game_id, entries, wrong):
    game = find(game_id)
    edition = game.parse_options({}).cards.plain()
    first, *others = edition[entries]
    spoilt = [{**edition, key: wrong} for key in edition]
    spoilt += [{**edition, entries: [{**first, key: wrong}, *others]} for key in first]
    for each in spoilt:
        refused_in_a_few_words(EditionError, lambda each=each: game.parse_options({"edition": each}))


def refused_in_a_few_words(error: type[CardtableError], load: Any) -> None:
    """Whether something is refused with this error, in a message that a person can read."""
    with pytest.raises(error) as caught:
        load()
    assert type(caught.value) in (error, *error.__subclasses__())
    assert len(str(caught.value)) <= LONGEST_MESSAGE


# ---- Forged states


FORGED = 180


@pytest.fixture
def small_pools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few positions to begin with: a run of a few cases is over soon."""
    monkeypatch.setattr(states, "POOL", 6)


def test_forged_states_are_refused_or_positions(small_pools, sized):
    tally = states.forged_states(sized(FORGED), seed=3)
    print(tally.row())
    assert not tally.failures, tally.report()
    assert tally.tried == sized(FORGED)
    assert tally.outcomes["refused"] > tally.tried // 2
    assert tally.outcomes["positions"] > tally.tried // 40


def test_a_forged_state_can_be_seen_again_by_its_number(small_pools):
    first = [states.Case.of(3, number) for number in (5, 50, 100)]
    assert [states.Case.of(3, case.number).state for case in reversed(first)] == [case.state for case in reversed(first)]
    assert str(first[1]).endswith("python -m tools.attack.states 3 50")


WRONG_JUDGES = {
    "what a position keeps": (Muster, "faults_of_position", lambda game: ["planted"] * (game.state["turn"] > 3)),
    "legal actions": (Muster, "lays", lambda game: {}),
    "play": (Artisans, "next_turn", lambda game: None),
    "observations": (Table, "full_state", lambda table: np.array([0.5, 1.5])),
    "saving": (Table, "state_bytes", lambda table: bytes([len(table.history)])),
    "redeals": (Table, "redeal", lambda table, seat, seed: other_seat_to_act(table)),
}


def other_seat_to_act(table: Table) -> Table:
    """A world in which everything is seen as it is, but by another player."""
    world = copy.deepcopy(table)
    world.observation[:] = 1 - world.observation
    return world


@pytest.mark.parametrize("name", WRONG_JUDGES)
def test_every_judge_of_forged_states_can_fail(name, small_pools, monkeypatch):
    owner, method, wrong = WRONG_JUDGES[name]
    cases = [states.Case.of(4, number) for number in range(12 * len(states.variants()))]
    monkeypatch.setattr(owner, method, wrong)
    tally = Tally("state, forged")
    for case in cases:
        if not isinstance(case.state, bytes):
            states.judge(case, tally)
        if tally.failures:
            break
    assert tally.failures
    assert "python -m tools.attack.states 4 " in tally.failures[0]
