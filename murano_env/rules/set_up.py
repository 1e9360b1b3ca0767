"""Set-up (MUR-2): what is drawn at random, and how shards, Lira and cards are dealt."""

from cardtable.engine import rng
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from murano_env.components import COPIES
from murano_env.constants import (
    BASE_ADVANTAGES,
    COLOURS,
    CREATION_KINDS,
    FIRST_GAME_CARDS,
    FIRST_LIRA,
    INTERACTIVE_ADVANTAGES,
    LONG_HAND_PLAYERS,
    MARKETS,
    NOTCHES,
    SHARD_KINDS,
    SHORT_HAND,
    SOLO,
    TILES,
    Advantage,
    AdvantageMode,
    Phase,
)
from murano_env.rules.challenge import shuffle_challenge
from murano_env.rules.grandmaster import set_up_grandmaster
from murano_env.rules.piles import add_to_hand, pop_deck, put_on_market
from murano_env.rules.turn import begin_turn
from murano_env.types import State

# ---- What is drawn


@kernel
def shuffle_decks(game: State) -> None:
    """Creations, first shards, Advantages, Challenge cards, positions of Selector and Ring (MUR-2.1 to 2.5, 10.1, 11.3)."""
    for card in range(CREATION_KINDS):
        game.deck[card] = card
    game.deck_size = CREATION_KINDS
    rng.shuffle(game, game.deck, CREATION_KINDS)
    for colour in range(COLOURS):
        game.first_shards[colour] = colour
    game.first_shards_size = COLOURS
    rng.shuffle(game, game.first_shards, COLOURS)
    game.ring_offset = rng.draw(game, NOTCHES)
    game.selector = NOBODY if game.grandmaster else rng.draw(game, NOTCHES)
    if game.advantage_mode == AdvantageMode.RANDOM:
        draw_advantages(game)
    elif game.advantage_mode == AdvantageMode.FIRST_GAME:
        shuffle_first_cards(game)
    if game.num_players == SOLO:
        shuffle_challenge(game)


@helper
def shuffle_first_cards(game: State) -> None:
    """The cards 1 to 4 at random under the tiles (MUR-2.5)."""
    for card in range(FIRST_GAME_CARDS):
        game.advantage[card] = card
    rng.shuffle(game, game.advantage, FIRST_GAME_CARDS)


@kernel
def draw_advantages(game: State) -> None:
    """Four different cards, one of them interactive if that is played (MUR-2.5, 9.2)."""
    interactive_tile = rng.draw(game, TILES) if game.interactive else NOBODY
    for tile in range(TILES):
        if tile == interactive_tile:
            game.advantage[tile] = BASE_ADVANTAGES + rng.draw(game, INTERACTIVE_ADVANTAGES)
        else:
            game.advantage[tile] = rng.draw(game, BASE_ADVANTAGES)
            while is_out(game, game.advantage[tile]) or is_drawn(game, game.advantage[tile], tile):
                game.advantage[tile] = rng.draw(game, BASE_ADVANTAGES)


@helper
def is_out(game: State, card: int) -> bool:
    """Whether an option takes an Advantage out of the draw (MUR-2.5, 11.1)."""
    if card == Advantage.PRESENT or card == Advantage.GIFT:
        return game.expert_deck == 1
    return game.grandmaster == 1 and card == Advantage.PROVIDENT


@helper
def is_drawn(game: State, card: int, tiles: int) -> bool:
    """Whether an Advantage lies under one of the first tiles."""
    for tile in range(tiles):
        if game.advantage[tile] == card:
            return True
    return False


# ---- What is dealt


@kernel
def set_up(game: State) -> None:
    """Shards, Lira and cards are dealt; then comes the draft or the first turn (MUR-2.1 to 2.4, 9.1)."""
    for kind in range(SHARD_KINDS):
        game.warehouse[kind] = COPIES[kind]
    for market in range(MARKETS):
        open_market(game, market)
    game.owl = NOBODY
    if game.grandmaster:
        set_up_grandmaster(game)
    for seat in range(game.num_players):
        game.lira[seat] = FIRST_LIRA
        deal_creations(game, seat)
    game.chosen_market = NOBODY
    game.chosen_shard = NOBODY
    game.round_number = 1
    begin_turn(game, 0)
    if game.draft:
        game.phase = Phase.DRAFT


@helper
def open_market(game: State, market: int) -> None:
    """A market gets the next of the first shards (MUR-2.3)."""
    game.first_shards_size -= 1
    colour = game.first_shards[game.first_shards_size]
    game.first_shards[game.first_shards_size] = 0
    game.warehouse[colour] -= 1
    put_on_market(game, market, colour)


@helper
def full_hand(game: State) -> int:
    """Cards of a full hand (MUR-2.2, 11.1)."""
    return SHORT_HAND + (game.num_players <= LONG_HAND_PLAYERS) + game.grandmaster


@kernel
def deal_creations(game: State, seat: int) -> None:
    """The next cards of the deck: a hand, or a pack of one card more (MUR-2.2, 9.1)."""
    for place in range(full_hand(game) + game.draft):
        card = pop_deck(game)
        if game.draft:
            game.pack[seat, place] = card
            game.pack_size[seat] = place + 1
        else:
            add_to_hand(game, seat, card)
