"""Injected deals: object decks and artisans put in place of the shuffled ones (ART-2.2, 2.3)."""

from collections.abc import Collection

from artisans_env.components import ARTISANS, DECK_POINTS
from artisans_env.constants import LEAST_POINTS, POINT_VALUES, ArtisanMode
from artisans_env.types import State
from cardtable.errors import DealError
from cardtable.types import Integers

DECK_NAMES = ("deck_1", "deck_2")


def place_artisans(game: State, artisans: list[int], _: Collection[str]) -> None:
    """One artisan per seat, where they are dealt at random (ART-2.3)."""
    if game.artisan_mode != ArtisanMode.RANDOM:
        raise DealError("artisans_v0: artisans are dealt only with the option artisans='random'")
    names = [ARTISANS[artisan] for artisan in artisans]
    if len(artisans) != game.num_players or len(set(artisans)) != len(artisans):
        raise DealError(f"artisans_v0: artisans {names}: expected {int(game.num_players)}, all different, from player_0 on")
    game.artisan[: len(artisans)] = artisans


def place_first_deck(game: State, cards: list[int], placed: Collection[str]) -> None:
    """Deck 1, from the objects of deck 2 and the box besides its own."""
    _place_deck(game, 0, cards, placed)


def place_second_deck(game: State, cards: list[int], placed: Collection[str]) -> None:
    """Deck 2, from the objects of deck 1 and the box besides its own."""
    _place_deck(game, 1, cards, placed)


def _place_deck(game: State, deck: int, cards: list[int], placed: Collection[str]) -> None:
    """The cards given take their places; those that lay there go where the given ones come from, value by value."""
    name, other = DECK_NAMES[deck], DECK_NAMES[1 - deck]
    _check_values(game, deck, cards)
    own = _objects_in(game, name)
    sources = [_objects_in(game, source) for source in ("box", other) if source not in placed]
    for card in set(cards).difference(own.tolist()):
        leaving = next(each for each in own.tolist() if each not in cards and game.points[each] == game.points[card])
        source = next((stack for stack in sources if card in stack.tolist()), None)
        if source is None:
            raise DealError(f"artisans_v0: deck {name!r}: object {card} of the edition is in deck {other!r} already")
        source[source.tolist().index(card)] = leaving
        own[own.tolist().index(leaving)] = card
    own[:] = cards[::-1]


def _objects_in(game: State, stack: str) -> Integers:
    """The objects of a stack, to be changed in place; above its top there are zeros, which are none."""
    cards: Integers = getattr(game, stack)
    return cards[: getattr(game, f"{stack}_size")]


def _check_values(game: State, deck: int, cards: list[int]) -> None:
    found = [sum(int(game.points[card]) == value + LEAST_POINTS for card in cards) for value in range(POINT_VALUES)]
    expected = DECK_POINTS[deck].tolist()
    if found != expected or len(set(cards)) != len(cards):
        values = ", ".join(f"{number} of {LEAST_POINTS + value}" for value, number in enumerate(expected) if number)
        raise DealError(
            f"artisans_v0: deck {DECK_NAMES[deck]!r}: expected different objects, by points: {values} (ART-2.2); "
            f"found, from {LEAST_POINTS} points up, {found}"
        )
