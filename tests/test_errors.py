"""Bad input: a documented error that names the value and what is allowed; nothing changes."""

import copy
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cardtable
from cardtable.envs import aec
from cardtable.envs.batch import BatchEnv
from cardtable.errors import CardtableError, DealError, IllegalAction, OptionError, StateError, UnknownGame
from cardtable.game.game import Game
from cardtable.game.record import Stack
from cardtable.game.registry import find, game_ids
from cardtable.table import Table


@pytest.fixture(params=game_ids())
def game(request):
    return find(request.param)


@pytest.fixture
def table(game):
    table = Table(game, game.parse_options({}))
    table.deal(1)
    for _ in range(10):
        table.play(int(np.flatnonzero(table.mask)[-1]))
    return table


@pytest.mark.parametrize(
    "given",
    [{"moves": -1}, {"moves": 1.5}, {"width": 0}, {"width": -5}, {"width": "80"}, {"height": -1}, {"height": True}],
    ids=str,
)
def test_a_table_is_told_in_whole_lines(table, given):
    (name,) = given
    with pytest.raises(OptionError, match=f"{name}="):
        table.text(0, **given)
    assert table.text(0, width=np.int64(40), height=0, moves=np.int8(2))


def test_every_error_is_a_value_error():
    found = {name for name in cardtable.__all__ if issubclass_of(getattr(cardtable, name), Exception)}
    assert found == {name for name, value in vars(cardtable.errors).items() if issubclass_of(value, Exception)}
    assert all(issubclass(getattr(cardtable, name), ValueError) for name in found)


def issubclass_of(value, base):
    return isinstance(value, type) and issubclass(value, base)


def test_an_unknown_game_is_named_with_the_installed_ones():
    with pytest.raises(UnknownGame, match=r"no game is called 'chess'; installed: .*muster_v0"):
        cardtable.make("chess")


@pytest.mark.parametrize("mode", ["depth_array", "", 3])
def test_render_modes(game, mode):
    with pytest.raises(OptionError, match=r"render_mode=.*allowed: None, ansi, human"):
        aec.TableEnv(game, render_mode=mode)


@pytest.mark.parametrize("players", [0, -1, 5, 2.0, "2", None, True])
def test_player_counts(game, players):
    with pytest.raises(OptionError, match="num_players="):
        aec.TableEnv(game, num_players=players)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "1", True])
def test_seeds(game, seed):
    env = aec.TableEnv(game)
    env.reset(seed=1)
    before = env.state_bytes()
    with pytest.raises(OptionError, match="seed="):
        env.reset(seed=seed)
    assert env.state_bytes() == before


def test_the_largest_seed_is_taken(game):
    env = aec.TableEnv(game)
    env.reset(seed=2**64 - 1)
    env.reset(seed=np.int64(3))


@pytest.mark.parametrize("seat", [-1, 9, 0.0, None, "player_0", True])
def test_redeal_wants_a_seat(table, seat):
    with pytest.raises(OptionError, match="seat="):
        table.redeal(seat)


# ---- Deals


def deck_of(game: Game) -> tuple[str, list[str]]:
    """The first injectable deck of a game as dealt in game 0 of seed 1, top first."""
    from cardtable.engine import loops

    blank = game.blank(game.parse_options({}), 1)
    games = blank.copy()
    loops.deal_one(games, blank, np.uint64(0))
    field, deck = next(iter(game.decks.items()))
    stack = next(each for each in game.state.fields if each.name == field)
    assert isinstance(stack, Stack)
    return deck.name, list(reversed(stack.read_entry(games[0], ())))


def test_an_injected_deck_is_dealt_in_its_order(game):
    name, cards = deck_of(game)
    env = aec.TableEnv(game)
    env.reset(seed=1)
    natural = env.state_hash()
    env.reset(seed=1, options={"deal": {name: cards}})
    assert env.state_hash() == natural
    env.reset(seed=1, options={"deal": {name: cards[::-1]}})
    assert env.state_hash() != natural
    assert env.replay().verify().state_hash() == env.state_hash()


def test_impossible_decks_are_refused(game):
    name, cards = deck_of(game)
    env = aec.TableEnv(game)
    env.reset(seed=1)
    before = env.state_bytes()
    wrong = [
        {name: cards[1:]},
        {name: [*cards, cards[0]]},
        {name: [next(card for card in cards if card != cards[0]), *cards[1:]]},
        {name: ["joker", *cards[1:]]},
        {name: [3, *cards[1:]]},
        {name: []},
        {name: "".join(cards)},
        {name: None},
        {"no such deck": cards},
        [cards],
        "deck",
    ]
    for deal in wrong:
        with pytest.raises(DealError, match=game.id):
            env.reset(seed=2, options={"deal": deal})
        assert env.state_bytes() == before
    env.reset()
    assert env.state_bytes() != before


def test_other_reset_options_are_ignored(game):
    env = aec.TableEnv(game)
    env.reset(seed=1, options={"options": 1})


# ---- States


def test_a_state_of_other_options_is_refused(game):
    variants = [game.parse_options(variant) for variant in game.variants]
    for options in variants[1:]:
        other = Table(game, options)
        other.deal(1)
        plain, packed = other.state_dict(), other.state_bytes()
        table = Table(game, variants[0])
        table.deal(2)
        before = table.state_bytes()
        for load in (lambda: table.load_state_dict(plain), lambda: table.load_state_bytes(packed)):  # noqa: B023
            with pytest.raises(StateError, match=r"this table plays|not a position|unknown entries"):
                load()
        assert table.state_bytes() == before


def test_missing_unknown_and_wrong_fields_are_named(table):
    plain, before = table.state_dict(), table.state_bytes()
    for key in plain:
        without = {name: value for name, value in plain.items() if name != key}
        with pytest.raises(StateError, match=key):
            table.load_state_dict(without)
        for wrong in ("nonsense", -99, 10**30, 1.5, [None], {"nonsense": 1}, object()):
            with pytest.raises(StateError):
                table.load_state_dict({**plain, key: wrong})
    with pytest.raises(StateError, match="colour"):
        table.load_state_dict({**plain, "colour": 1})
    for wrong in (None, [], "state", 3, {}):
        with pytest.raises(StateError):
            table.load_state_dict(wrong)
    assert table.state_bytes() == before


def leaves(plain, path=()):
    """The paths of all values in nested data."""
    if isinstance(plain, dict):
        items = plain.items()
    elif isinstance(plain, list):
        items = enumerate(plain)
    else:
        yield path
        return
    for key, value in items:
        yield from leaves(value, (*path, key))


def test_a_wrong_value_deep_in_a_state_is_refused(table):
    plain, before = table.state_dict(), table.state_bytes()
    tried = 0
    for path in leaves(plain):
        for wrong in ("nonsense", 10**30, -99, None, [], 0.5):
            spoilt = copy.deepcopy(plain)
            place = spoilt
            for key in path[:-1]:
                place = place[key]
            if place[path[-1]] == wrong or (wrong is None and path[-1] in ("laid", "turned_up", "reserved")):
                continue
            place[path[-1]] = wrong
            with pytest.raises(StateError):
                table.load_state_dict(spoilt)
            tried += 1
    print(f"{tried} spoilt states refused")
    assert tried > 100
    assert table.state_bytes() == before


def test_every_flipped_byte_of_a_state_is_found(table):
    packed, before = table.state_bytes(), table.state_hash()
    for place in range(len(packed)):
        spoilt = bytearray(packed)
        spoilt[place] ^= 1 << place % 8
        with pytest.raises(StateError):
            table.load_state_bytes(bytes(spoilt))
    for wrong in (b"", packed[:-1], packed + b"\0", None, "state", 3):
        with pytest.raises(StateError):
            table.load_state_bytes(wrong)
    assert table.state_hash() == before


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_arbitrary_options_raise_documented_errors_only(data):
    game = find(data.draw(st.sampled_from(game_ids())))
    names = st.sampled_from([*game.options.names(), "colour"])
    values = st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.lists(st.integers(), max_size=4)
    )
    options = data.draw(st.dictionaries(names, values, max_size=4))
    try:
        parsed = game.parse_options(options)
    except CardtableError:
        return
    assert json.dumps(parsed.to_dict())
    Table(game, parsed).deal(1)


@pytest.mark.parametrize("options", [[1], "x", 3])
def test_options_of_a_reset_that_are_no_dict_are_refused(options):
    env = aec.TableEnv(find("muster"))
    with pytest.raises(OptionError, match="allowed: a dict, or None"):
        env.reset(seed=1, options=options)


def test_more_games_than_any_memory_holds_are_refused():
    with pytest.raises(OptionError, match="allowed: integers from 1 to 1,000,000,000"):
        BatchEnv(find("muster"), 10**30)


def test_an_action_after_the_end_is_refused_in_our_words():
    env = aec.TableEnv(find("muster"), max_turns=1)
    env.reset(seed=1)
    while not env.table.ending:
        env.step(int(env.table.mask.argmax()))
    with pytest.raises(IllegalAction, match="the game is over; allowed: None"):
        env.step(0)
    assert len(env.agents) == 2
    env.step(None)
    assert len(env.agents) == 1
