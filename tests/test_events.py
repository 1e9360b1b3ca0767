"""Views and events: complete, without leaks, consistent; over random play of every variant of every game.

A tracker of each game (tests/<game>/tracker.py) rebuilds a seat's view from its first view and its events alone.
"""

import copy
import importlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count, product
from typing import Any

import numpy as np
import pytest
from helpers import VARIANTS, open_table, variant_id

from cardtable.engine import loops
from cardtable.envs import aec
from cardtable.errors import OptionError, ResetNeeded
from cardtable.game.events import ACTION, END, START, Events, Happening
from cardtable.game.game import Game
from cardtable.game.registry import find, game_ids
from cardtable.game.sight import HIDDEN, Sight, public
from cardtable.replay import rewound
from cardtable.story import Sights
from cardtable.table import Table

DECISIONS = 100_000
"""Decisions of each game at which every view is rebuilt."""
PAIRS = 20_000
"""(position, seat) pairs of each game in which what is hidden is drawn anew."""

OTHER_WORLDS = 10
"""Redeals in which another event is looked for of which a seat hears the same."""

MOST_GAMES = 60
"""Games of each variant in which the rarest kind of event is looked for."""


@pytest.fixture(params=VARIANTS, ids=lambda variant: "-".join(map(variant_id, variant)))
def variant(request: pytest.FixtureRequest) -> tuple[Game, dict[str, Any]]:
    game_id, options = request.param
    return find(game_id), dict(options)


@pytest.fixture(params=game_ids())
def game(request: pytest.FixtureRequest) -> Game:
    return find(request.param)


def tracker_of(game: Game, view: dict[str, Any]) -> Any:
    return importlib.import_module(f"{game.id.rpartition('_v')[0]}.tracker").Tracker(view)


def viewers(table: Table) -> list[int | None]:
    """All seats, and a spectator."""
    return [*range(table.players), None]


def share_of(game: Game, sized: Any, number: int) -> int:
    """What one variant of a game contributes to a number."""
    return sized(number) // len(game.variants) + 1


Choose = Callable[[Table], int]


LIKED = {"artisans_v0": ("take slot", "develop")}
"""Actions that players like in every other game: they empty Artisans' pile, which random play hardly ever does."""


def chooser(game: Game, index: int) -> Choose:
    """Random choices; in every other game, of actions that players like the last that is legal."""
    generator, liked = np.random.default_rng(index), LIKED.get(game.id, ()) if index % 2 else ()

    def choose(table: Table) -> int:
        legal = np.flatnonzero(table.mask).tolist()
        for beginning in liked:
            if found := [action for action in legal if game.actions.names[action].startswith(beginning)]:
                return found[-1]
        return int(generator.choice(legal))

    return choose


SHORT_PILES = ("artisans_v0",)
"""Games whose pile becomes short in half of the games: their discard is hardly ever shuffled otherwise."""
LONGEST = 8
"""Cards of a short pile are fewer."""


def random_games(game: Game, options: dict[str, Any], seed: int) -> Iterator[tuple[Table, Choose]]:
    """Dealt games, one after another, each with how its actions are chosen."""
    for index in count():
        table = open_table(game, options, seed, index)
        if game.id in SHORT_PILES and index % 4 >= 2:
            shorten_pile(table, index // 4 % LONGEST)
        yield table, chooser(game, index)


def shorten_pile(table: Table, number: int) -> None:
    """Put all cards of the pile but so many of the top into the discard."""
    state = table.state_dict()
    discarded = state["pile"][: len(state["pile"]) - number]
    state["pile"] = state["pile"][len(discarded) :]
    state["discard"] = dict(Counter(state["discard"]) + Counter(discarded))
    table.load_state_dict(state)


# ---- Complete


def test_first_view_and_events_rebuild_every_view(variant, sized):
    game, options = variant
    decisions, wanted = 0, share_of(game, sized, DECISIONS)
    for table, choose in random_games(game, options, seed=11):
        trackers = {viewer: tracker_of(game, table.view(viewer)) for viewer in viewers(table)}
        heard = dict.fromkeys(trackers, 0)
        while True:
            for viewer, tracker in trackers.items():
                for event in (new := table.events(viewer, heard[viewer])):
                    tracker.hear(event)
                heard[viewer] += len(new)
                assert tracker.view == table.view(viewer), (viewer, new)
            if table.ending or decisions >= wanted:
                break
            table.play(choose(table))
            decisions += 1
        if decisions >= wanted:
            break
    print(f"{game.id} {options}: {decisions:,} decisions, every view rebuilt")


def test_a_planted_omission_is_found(game):
    """A kind of event that is not told leaves a tracker behind: every kind but those that only announce."""
    announcing = {kind.name for kind in (START, ACTION, END)} | ANNOUNCEMENTS.get(game.id, set())
    telling, missed = set(game.events.kinds) - announcing, set()
    games = [random_games(game, dict(options), seed=5) for options in game.variants]
    for _, dealt in product(range(MOST_GAMES), games):
        (table, choose), told = next(dealt), 1
        while not table.ending:
            table.play(choose(table))
            new = table.events(None, told)
            told += len(new)
            missed |= {name for name in {event["event"] for event in new} & telling - missed if is_missed(name, table, new)}
        if missed == telling:
            break
    assert missed == telling


def is_missed(name: str, table: Table, events: list[dict[str, Any]]) -> bool:
    """Whether a tracker does not follow the last decision without the events of a kind."""
    tracker = tracker_of(table.game, rewound(table, table.length - 1).view(None))
    try:
        for event in events:
            if event["event"] != name:
                tracker.hear(event)
    except (LookupError, ValueError, TypeError):
        return True
    return tracker.view != table.view(None)


ANNOUNCEMENTS: dict[str, set[str]] = {"artisans_v0": {"turn_up"}}
"""Kinds of events that move nothing: what they say follows from others."""


# ---- No leak


def test_redeals_change_neither_view_nor_events(variant, sized):
    """Two worlds that a seat cannot tell apart: as long as it sees the same after an action, it saw the same happen."""
    game, options = variant
    pairs, compared, wanted = 0, 0, share_of(game, sized, PAIRS)
    generator = np.random.default_rng(12)
    for table, choose in random_games(game, options, seed=12):
        while not table.ending and pairs < wanted:
            action = choose(table)
            seat = int(generator.integers(table.players))
            world = table.redeal(seat, int(generator.integers(2**32)))
            assert world.view(seat) == table.view(seat)
            told = len(table.events(seat))
            other = alike_for(game, world, seat, action, generator)
            table.play(action)
            pairs += 1
            if other is not None:
                world.play(other)
                if world.view(seat) == table.view(seat):
                    compared += 1
                    assert world.events(seat)[1:] == table.events(seat)[told:]
        if pairs >= wanted:
            break
    print(f"{game.id} {options}: {pairs:,} redeals, the events of {compared:,} compared")
    assert compared > pairs // 3


def alike_for(game: Game, world: Table, seat: int, action: int, generator: np.random.Generator) -> int | None:
    """A legal action of the world that looks the same to the seat; the action itself if it is the seat's own."""
    if world.seat == seat or game.actions.name_for_others(action) == game.actions.names[action]:
        return action if world.mask[action] else None
    name = game.actions.name_for_others(action)
    alike = [each for each in np.flatnonzero(world.mask).tolist() if game.actions.name_for_others(each) == name]
    return int(generator.choice(alike)) if alike else None


def test_a_planted_leak_of_a_view_is_found(game):
    """Whatever field is shown as it is though it is not public: some redeal changes what a seat sees of it."""
    secret = [name for name, rule in game.sight.rules.items() if rule.__name__ not in ("public", "fixed", "left_out")]
    assert secret
    leaks = set()
    for options in game.variants:
        for index in range(6):
            table, generator = open_table(game, dict(options), 6, index), np.random.default_rng(index)
            for _ in range(120):
                if table.ending:
                    break
                seat = int(generator.integers(table.players))
                truth, world = table.view(None), table.redeal(seat, 1).view(None)
                leaks |= {name for name in secret if truth[name] != world[name]}
                table.play(int(generator.choice(np.flatnonzero(table.mask))))
        if leaks == set(secret):
            break
    assert leaks == set(secret)


SECRET_EVENTS = {
    "artisans_v0": {"shuffle"},
    "murano_v0": {"action", "arrange", "box", "draft", "order", "pass"},
    "muster_v0": {"draw"},
}
"""Kinds of events of which some seats see only a part."""


def test_a_planted_leak_of_an_event_is_found(game):
    """Whatever an event hides from a seat, some redeal changes: told openly, it would not be the same in both worlds."""
    generator, leaks, secret = np.random.default_rng(13), set(), set()
    games = [random_games(game, dict(options), seed=13) for options in game.variants]
    for _, dealt in product(range(MOST_GAMES), games):
        (table, choose), told = next(dealt), 1
        while not table.ending:
            table.play(choose(table))
            seat = int(generator.integers(table.players))
            told, happened = len(table.events(None)), told_and_heard(table, seat, told)
            closed = {everything["event"] for everything, heard in happened if everything != heard}
            secret |= closed
            if not closed <= leaks:
                leaks |= kinds_that_would_tell(table, seat, happened, generator)
        if leaks == SECRET_EVENTS[game.id]:
            break
    assert leaks == secret == SECRET_EVENTS[game.id]


def told_and_heard(table: Table, seat: int, since: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Each event with nothing closed, and as a seat hears it."""
    return list(zip(table.events(None, since), table.events(seat, since), strict=True))


def kinds_that_would_tell(table: Table, seat: int, happened: list[Any], generator: np.random.Generator) -> set[str]:
    """Kinds of events of the last decision that a seat hears the same in other worlds although they are not."""
    before, action, found = rewound(table, table.length - 1), table.history[-1], set()
    for _ in range(OTHER_WORLDS):
        world = before.redeal(seat, int(generator.integers(2**32)))
        other = alike_for(table.game, world, seat, action, generator)
        if other is not None:
            world.play(other)
            pairs = zip(happened, told_and_heard(world, seat, 1), strict=False)
            found |= {here[0]["event"] for here, there in pairs if here[1] == there[1] and here[0] != there[0]}
    return found


def test_what_is_public_does_not_depend_on_what_is_hidden(variant):
    """A rule `public` for a secret field fails here: every field that has this rule is compared."""
    game, options = variant
    table, generator = open_table(game, options, 3), np.random.default_rng(3)
    for number in range(200):
        if table.ending:
            break
        seat = number % table.players
        world = table.redeal(seat, number)
        shown, redealt = table.view(None), world.view(None)
        for name, rule in game.sight.rules.items():
            if rule.__name__ in ("public", "fixed"):
                assert shown[name] == redealt[name], name
        table.play(int(generator.choice(np.flatnonzero(table.mask))))


# ---- Consistent


def test_views_are_states_with_secrets_closed(variant):
    """The spectator's view is the whole state but for where randomness comes from; a seat's has the same shape."""
    game, options = variant
    table, generator = open_table(game, options, 4), np.random.default_rng(4)
    for _ in range(60):
        if table.ending:
            break
        state = {name: value for name, value in table.state_dict().items() if name not in ("seed", "index", "rng")}
        assert {name: value for name, value in table.view(None).items() if name != "viewer"} == state
        for seat in range(table.players):
            view = table.view(seat)
            assert view["viewer"] == seat
            assert set(view) == {*state, "viewer"}
            assert json.loads(json.dumps(view)) == view
        table.play(int(generator.choice(np.flatnonzero(table.mask))))


def test_a_seat_hears_what_spectators_hear_with_secrets_closed(variant):
    game, options = variant
    table, generator = open_table(game, options, 8), np.random.default_rng(8)
    while not table.ending:
        table.play(int(generator.choice(np.flatnonzero(table.mask))))
    everything = table.events(None)
    assert everything[0] == {"event": "start"}
    assert everything[-1]["event"] == "end"
    for seat in range(table.players):
        heard = table.events(seat)
        assert json.loads(json.dumps(heard)) == heard
        assert len(heard) == len(everything)
        for own, full in zip(heard, everything, strict=True):
            assert set(own) == set(full)
            assert all(own[name] == value or HIDDEN in str(own[name]) for name, value in full.items())
            assert game.events.sentence(own, seat)


def test_every_kind_of_event_happens(game):
    missing = set(game.events.kinds)
    for index, options in product(range(MOST_GAMES), game.variants):
        table, choose = open_table(game, dict(options), 9, index), chooser(game, index)
        while not table.ending:
            table.play(choose(table))
        missing -= {event["event"] for event in table.events(None)}
        if not missing:
            break
    assert missing == set()


# ---- Asking


def test_events_since_a_number(game):
    table = open_table(game, dict(game.variants[0]), 2)
    table.play(int(np.flatnonzero(table.mask)[0]))
    everything = table.events(0)
    assert table.events(0, 1) == everything[1:]
    assert table.events(0, len(everything)) == []
    assert table.events(0, 10**9) == []


def test_what_is_given_is_the_callers(game):
    table, choose = open_table(game, dict(game.variants[0]), 2), chooser(game, 0)
    for _ in range(30):
        table.play(choose(table))
    view, events = table.view(None), table.events(None)
    spoil(table.view(None))
    spoil(table.events(None))
    assert (table.view(None), table.events(None)) == (view, events)


def spoil(plain: Any) -> None:
    """Empty all lists and dicts in plain data."""
    for each in plain.values() if isinstance(plain, dict) else plain:
        if isinstance(each, dict | list):
            spoil(each)
    plain.clear()


@pytest.mark.parametrize("seat", [-1, 4, True, 0.0, "0", "player_0", [0]])
def test_unknown_seats_are_refused(game, seat):
    table = open_table(game, dict(game.variants[0]))
    for ask in (table.view, table.events):
        with pytest.raises(OptionError, match="seat="):
            ask(seat)


@pytest.mark.parametrize("since", [-1, True, 0.0, "0", None])
def test_since_is_an_integer_from_0(game, since):
    table = open_table(game, dict(game.variants[0]))
    with pytest.raises(OptionError, match="since="):
        table.events(0, since)


def test_a_game_must_be_dealt_first(game):
    table = Table(game)
    with pytest.raises(ResetNeeded):
        table.view(0)
    with pytest.raises(ResetNeeded):
        table.events(0)


def test_environments_show_them_by_agent(game):
    env = aec.TableEnv(game)
    env.reset(seed=1)
    assert env.view("player_0") == env.table.view(0)
    assert env.events(None) == env.table.events(None)
    with pytest.raises(OptionError, match="agent="):
        env.view("player_9")
    with pytest.raises(OptionError, match="agent="):
        env.events("nobody")


def test_copies_and_loaded_states_tell_their_own_story(game):
    table = open_table(game, dict(game.variants[0]), 7)
    table.play(int(np.flatnonzero(table.mask)[0]))
    told = table.events(0)
    for twin in (table.clone(), copy.copy(table), copy.deepcopy(table)):
        assert twin.events(0) == told
        twin.play(int(np.flatnonzero(twin.mask)[0]))
        assert len(twin.events(0)) > len(told)
    assert table.events(0) == told
    loaded = Table(game)
    loaded.load_state_dict(table.state_dict())
    assert loaded.events(0) == [{"event": "start"}]
    assert loaded.view(0) == table.view(0)


def test_telling_changes_nothing(game):
    asked, silent = (open_table(game, dict(game.variants[0]), 7) for _ in range(2))
    while not silent.ending:
        action = int(np.flatnonzero(silent.mask)[0])
        asked.events(0)
        asked.view(None)
        asked.play(action)
        silent.play(action)
    assert asked.state_bytes() == silent.state_bytes()
    assert asked.events(0) == silent.events(0)


# ---- Declaring


def test_a_field_without_a_rule_is_an_error(game):
    rules = {name: rule for name, rule in game.sight.rules.items() if name not in ("seed", "index", "rng")}
    own = {name: rule for name, rule in rules.items() if name not in ("length", "num_players", "seat")}
    forgotten = next(iter(own))
    with pytest.raises(TypeError, match=f"fields without a rule: \\['{forgotten}'\\]"):
        Sight(game.state, **{name: rule for name, rule in own.items() if name != forgotten})
    with pytest.raises(TypeError, match="rules without a field: \\['treasure'\\]"):
        Sight(game.state, **own, treasure=public)


def test_an_event_with_other_fields_than_declared_is_an_error(game):
    table = open_table(game, dict(game.variants[0]))
    view = Sights(game, table.options).open(table.games)
    wrong = Events((), lambda *_: [Happening({"event": "start", "more": 1})])
    with pytest.raises(AssertionError):
        list(wrong.after(view, game.actions.played(0, 0), view))
    assert loops.check_one(table.games) == 0
