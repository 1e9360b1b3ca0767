"""What a seat cannot know: drawn anew, or forgotten (MUR-15)."""

from cardtable.engine import rng
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from cardtable.types import Integers
from murano_env.constants import CREATION_KINDS, LARGEST_PACK, Phase
from murano_env.rules.set_up import full_hand
from murano_env.types import State

KNOWN = -1
"""The group of cards whose place a seat knows."""

NEVER_SEEN = 0
"""The group of cards that a seat has never seen."""


@kernel
def redeal_hidden(game: State, seat: int) -> None:
    """Cards of which the seat knows the same change places; orders that it cannot know are drawn anew."""
    redeal_creations(game, seat)
    for other in range(game.num_players):
        if other != seat and game.mixed[other]:
            rng.shuffle(game, game.hand[other], game.hand_size[other])
    if game.phase == Phase.MAGICIAN and game.seat != seat:
        redraw_arrangement(game)
    shuffle_stack(game)


# ---- Creations


@kernel
def redeal_creations(game: State, seat: int) -> None:
    """A shuffle within each group of cards that the seat cannot tell apart (MUR-15.1, 15.2)."""
    for card in range(CREATION_KINDS - 1, 0, -1):
        group = group_of(game, seat, card)
        if group != KNOWN:
            number = rng.draw(game, 1 + alike_below(game, seat, card, group))
            exchange_places(game, card, nth_alike(game, seat, group, number))


@kernel
def alike_below(game: State, seat: int, card: int, group: int) -> int:
    """How many cards of smaller ids are in a group."""
    number = 0
    for other in range(card):
        number += group_of(game, seat, other) == group
    return number


@kernel
def nth_alike(game: State, seat: int, group: int, number: int) -> int:
    """The card of a group with so many of smaller ids."""
    card = 0
    while True:
        if group_of(game, seat, card) == group:
            if number == 0:
                return card
            number -= 1
        card += 1


@helper
def place_in(cards: Integers, size: int, card: int) -> int:
    """The place of a card among the first so many, or NOBODY."""
    for place in range(size):
        if cards[place] == card:
            return place
    return NOBODY


@kernel
def group_of(game: State, seat: int, card: int) -> int:
    """What the seat knows of where a card is: KNOWN, NEVER_SEEN, or the number of a sight of a pack (MUR-15)."""
    for holder in range(game.num_players):
        if place_in(game.works[holder], game.works_size[holder], card) >= 0:
            return KNOWN
        if holder == seat:
            if place_in(game.hand[seat], game.hand_size[seat], card) >= 0:
                return KNOWN
            if place_in(game.pack[seat], game.pack_size[seat], card) >= 0:
                return KNOWN
    return group_in_draft(game, seat, card) if game.draft else NEVER_SEEN


@kernel
def group_in_draft(game: State, seat: int, card: int) -> int:
    """The same for a card that another seat has drafted or could have (MUR-15.2)."""
    for holder in range(game.num_players):
        turn = place_in(game.drafted[holder], game.drafted_size[holder], card)
        if turn >= 0:
            return group_of_pick(game, seat, holder, turn)
        if place_in(game.pack[holder], game.pack_size[holder], card) >= 0:
            return group_of_pick(game, seat, holder, game.drafted_size[game.num_players - 1])
    holder = place_in(game.box, game.box_size, card)
    if holder < 0:
        return NEVER_SEEN
    return KNOWN if holder == seat else group_of_pick(game, seat, holder, full_hand(game) - 1)


@kernel
def group_of_pick(game: State, seat: int, holder: int, turn: int) -> int:
    """Cards that were in a pack when the holder chose for the `turn`-th time, by the last time that the seat had seen it."""
    players = game.num_players
    first_seat = (holder - turn) % players
    first_sight = (seat - first_seat) % players
    if turn < first_sight:
        return NEVER_SEEN
    return 1 + first_seat * LARGEST_PACK + (turn - first_sight) // players


@kernel
def exchange_places(game: State, card: int, other: int) -> None:
    """Two cards change places, wherever they lie."""
    if card == other:
        return
    for seat in range(game.num_players):
        exchange_within(game.hand[seat], game.hand_size[seat], card, other)
        exchange_within(game.drafted[seat], game.drafted_size[seat], card, other)
        exchange_within(game.pack[seat], game.pack_size[seat], card, other)
    exchange_within(game.box, game.box_size, card, other)
    exchange_within(game.deck, game.deck_size, card, other)


@kernel
def exchange_within(cards: Integers, size: int, card: int, other: int) -> None:
    """Two cards change names in a list."""
    for place in range(size):
        if cards[place] == card:
            cards[place] = other
        elif cards[place] == other:
            cards[place] = card


# ---- Orders


@kernel
def redraw_arrangement(game: State) -> None:
    """What another player has picked for a new order so far (MUR-15.1)."""
    size, picked = game.hand_size[game.seat], game.arranged_size
    for place in range(size):
        game.arranged[place] = place
    rng.shuffle(game, game.arranged, size)
    for place in range(picked, size):
        game.arranged[place] = 0


@kernel
def shuffle_stack(game: State) -> None:
    """Which Challenge cards are in the stack, and in which order (MUR-15.1)."""
    rng.shuffle(game, game.left_out, pool_stack(game))
    deal_stack(game)


@helper
def pool_stack(game: State) -> int:
    """Put the stack behind the Challenge cards that are left out; how many there are together."""
    for place in range(game.challenge_size):
        game.left_out[game.left_out_size + place] = game.challenge[place]
    return game.left_out_size + game.challenge_size


@helper
def deal_stack(game: State) -> None:
    """Make up the stack of what lies behind the Challenge cards that are left out."""
    for place in range(game.challenge_size):
        game.challenge[place] = game.left_out[game.left_out_size + place]
        game.left_out[game.left_out_size + place] = 0


# ---- Forgetting: what redealing draws, put in an order that tells nothing


@kernel
def forget_hidden(game: State, seat: int) -> None:
    """Creations that the seat cannot tell apart in the order of their ids, orders that it cannot know in that order too."""
    forget_creations(game, seat)
    for other in range(game.num_players):
        if other != seat and game.mixed[other]:
            sort(game.hand[other], game.hand_size[other])
    if game.phase == Phase.MAGICIAN and game.seat != seat:
        for place in range(game.arranged_size):
            game.arranged[place] = place
    forget_stack(game)


@kernel
def sort(cards: Integers, size: int) -> None:
    """Put the first so many cards of a list in the order of their ids."""
    for last in range(1, size):
        card, place = cards[last], last
        while place > 0 and cards[place - 1] > card:
            cards[place] = cards[place - 1]
            place -= 1
        cards[place] = card


@kernel
def place_of(game: State, card: int) -> int:
    """A number for where a card lies; in a draft it is where it was picked, for hands may have been mixed since."""
    for seat in range(game.num_players):
        place = place_in(game.drafted[seat], game.drafted_size[seat], card)
        if place < 0 and not game.draft:
            place = place_in(game.hand[seat], game.hand_size[seat], card)
        if place >= 0:
            return seat * CREATION_KINDS + place
        place = place_in(game.pack[seat], game.pack_size[seat], card)
        if place >= 0:
            return (game.num_players + seat) * CREATION_KINDS + place
    place = place_in(game.box, game.box_size, card)
    if place >= 0:
        return 2 * game.num_players * CREATION_KINDS + place
    return (2 * game.num_players + 1) * CREATION_KINDS + place_in(game.deck, game.deck_size, card)


@kernel
def forget_creations(game: State, seat: int) -> None:
    """Of cards that the seat cannot tell apart the smallest id comes to the first place, and so on (MUR-15)."""
    for card in range(CREATION_KINDS):
        group = group_of(game, seat, card)
        if group == KNOWN:
            continue
        place = place_of(game, card)
        for other in range(card + 1, CREATION_KINDS):
            if group_of(game, seat, other) == group:
                other_place = place_of(game, other)
                if other_place < place:
                    exchange_places(game, card, other)
                    place = other_place


@kernel
def forget_stack(game: State) -> None:
    """Challenge cards not revealed, in the order of their kinds: first those left out, then the stack (MUR-15.1)."""
    sort(game.left_out, pool_stack(game))
    deal_stack(game)
