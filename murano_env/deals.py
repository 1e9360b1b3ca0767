"""Injected deals: Advantages, Challenge cards and positions put in place of the drawn ones (MUR-2, 10.1)."""

from collections.abc import Collection

from cardtable.errors import DealError
from murano_env.components import ADVANTAGES, CHALLENGE_COPIES, CHALLENGES
from murano_env.constants import BASE_ADVANTAGES, CHALLENGE_KINDS, CHALLENGE_STACK, FIRST_GAME_CARDS, SOLO, TILES, AdvantageMode
from murano_env.rules.set_up import is_out
from murano_env.types import State


def place_advantages(game: State, cards: list[int], _: Collection[str]) -> None:
    """Four Advantages in the order of the tiles, such as could have been drawn (MUR-2.5, 9.2, 11.1)."""
    where = f"murano_v0: advantages {[ADVANTAGES[card] for card in cards]}"
    if game.advantage_mode == AdvantageMode.GIVEN:
        raise DealError(f"{where}: the option `advantages` gives them already")
    if len(cards) != TILES or len(set(cards)) != TILES:
        raise DealError(f"{where}: expected {TILES}, all different, in the order of the tiles")
    for card in cards:
        if is_out(game, card):
            raise DealError(f"{where}: {ADVANTAGES[card]} is not in the draw under these options")
    if game.advantage_mode == AdvantageMode.FIRST_GAME and max(cards) >= FIRST_GAME_CARDS:
        raise DealError(f"{where}: with advantages='first_game' they are {', '.join(ADVANTAGES[:FIRST_GAME_CARDS])}")
    interactive = sum(card >= BASE_ADVANTAGES for card in cards)
    if interactive != game.interactive:
        raise DealError(f"{where}: expected {int(game.interactive)} interactive cards, found {interactive} (MUR-9.2)")
    game.advantage[:] = cards


def place_challenge(game: State, cards: list[int], _: Collection[str]) -> None:
    """The stack of six Challenge cards, the first to be revealed first; the other four are left out (MUR-10.1)."""
    where = f"murano_v0: challenge {[CHALLENGES[card] for card in cards]}"
    if game.num_players != SOLO:
        raise DealError(f"{where}: Challenge cards are for one player")
    if len(cards) != CHALLENGE_STACK:
        raise DealError(f"{where}: expected {CHALLENGE_STACK} cards, found {len(cards)}")
    rest = []
    for kind in range(CHALLENGE_KINDS):
        left = int(CHALLENGE_COPIES[kind]) - cards.count(kind)
        if left < 0:
            raise DealError(f"{where}: there are only {CHALLENGE_COPIES[kind]} cards {CHALLENGES[kind]!r}")
        rest += [kind] * left
    game.challenge[:] = cards[::-1]
    game.left_out[: len(rest)] = rest


def place_selector(game: State, notches: list[int], _: Collection[str]) -> None:
    """The notch that the Selector points at before the first turn (MUR-2.1)."""
    if game.grandmaster:
        raise DealError("murano_v0: selector: with grandmaster=True it starts on gap 11 (MUR-11.3)")
    game.selector = _single(notches, "selector")


def place_ring(game: State, segments: list[int], _: Collection[str]) -> None:
    """The ring segment that notch 0 faces (MUR-2.1)."""
    game.ring_offset = _single(segments, "ring")


def _single(given: list[int], name: str) -> int:
    if len(given) != 1:
        raise DealError(f"murano_v0: {name}: expected one entry, found {len(given)}")
    return given[0]
