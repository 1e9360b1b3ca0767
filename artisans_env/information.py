"""What a seat cannot know: drawn anew, or forgotten (ART-9.1)."""

from artisans_env.constants import MATERIAL_KINDS
from artisans_env.rules.piles import pop_pile, push_pile
from artisans_env.types import State
from cardtable.engine import rng
from cardtable.engine.jit import kernel
from cardtable.types import Integers


@kernel
def redeal_hidden(game: State, seat: int) -> None:
    """Unknown cards of the other hands, the order of pile and decks, and which objects of a value lie unseen where."""
    redeal_materials(game, seat)
    shuffle_unseen(game)
    redeal_objects(game)


@kernel
def redeal_materials(game: State, seat: int) -> None:
    """Pile and unknown hand cards change places; hands keep their sizes and known cards."""
    for other in range(game.num_players):
        if other != seat:
            for material in range(MATERIAL_KINDS):
                while game.hand[other, material] > game.known[other, material]:
                    game.hand[other, material] -= 1
                    push_pile(game, material)
    rng.shuffle(game, game.pile, game.pile_size)
    for other in range(game.num_players):
        if other != seat:
            for _ in range(unknown_cards(game, other)):
                game.hand[other, pop_pile(game)] += 1


@kernel
def unknown_cards(game: State, seat: int) -> int:
    """How many cards of a hand the other players do not know."""
    unknown = game.hand_size[seat]
    for material in range(MATERIAL_KINDS):
        unknown -= game.known[seat, material]
    return unknown


# ---- Objects: box, deck 1 or what was removed of it, deck 2, each without the card that all have seen


@kernel
def unseen_in_first_deck(game: State) -> int:
    """Unseen cards in deck 1: all but the one turned up."""
    return max(game.deck_1_size - 1, 0)


@kernel
def unseen_in_second_deck(game: State) -> int:
    """Unseen cards in deck 2: all, or all but the one turned up if it is current (ART-9.1, 3.2)."""
    return game.deck_2_size if game.deck_1_size > 0 else max(game.deck_2_size - 1, 0)


@kernel
def unseen_removed(game: State) -> int:
    """Unseen cards among those removed in round 7: all but the one that was turned up (ART-9.1, 3.1 a)."""
    return max(game.removed_size - 1, 0)


@kernel
def shuffle_unseen(game: State) -> None:
    """The unseen cards of each deck in random order: nothing is known but how many of each value there are."""
    rng.shuffle(game, game.deck_1, unseen_in_first_deck(game))
    rng.shuffle(game, game.deck_2, unseen_in_second_deck(game))
    rng.shuffle(game, game.removed, unseen_removed(game))
    rng.shuffle(game, game.box, game.box_size)


@kernel
def unseen_objects(game: State) -> int:
    """How many objects nobody has seen."""
    return game.box_size + unseen_removed(game) + unseen_in_first_deck(game) + unseen_in_second_deck(game)


@kernel
def unseen_object(game: State, number: int) -> int:
    """The unseen object of a number: box, removed, deck 1, deck 2 in turn."""
    if number < game.box_size:
        return game.box[number]
    number -= game.box_size
    if number < unseen_removed(game):
        return game.removed[number]
    number -= unseen_removed(game)
    if number < unseen_in_first_deck(game):
        return game.deck_1[number]
    return game.deck_2[number - unseen_in_first_deck(game)]


@kernel
def put_unseen_object(game: State, number: int, each: int) -> None:
    """Put an object in the place of the unseen one of a number."""
    if number < game.box_size:
        game.box[number] = each
        return
    number -= game.box_size
    if number < unseen_removed(game):
        game.removed[number] = each
        return
    number -= unseen_removed(game)
    if number < unseen_in_first_deck(game):
        game.deck_1[number] = each
    else:
        game.deck_2[number - unseen_in_first_deck(game)] = each


@kernel
def redeal_objects(game: State) -> None:
    """Objects of the same value change places at random, wherever they lie unseen (a shuffle within each value)."""
    for number in range(unseen_objects(game) - 1, 0, -1):
        each = unseen_object(game, number)
        other = nth_of_value(game, game.points[each], rng.draw(game, unseen_of_value(game, game.points[each], number)))
        put_unseen_object(game, number, unseen_object(game, other))
        put_unseen_object(game, other, each)


@kernel
def unseen_of_value(game: State, points: int, last: int) -> int:
    """How many of the unseen objects up to number `last` have these points."""
    found = 0
    for number in range(last + 1):
        found += game.points[unseen_object(game, number)] == points
    return found


@kernel
def nth_of_value(game: State, points: int, nth: int) -> int:
    """The number of the nth unseen object with these points."""
    number = 0
    while game.points[unseen_object(game, number)] != points or nth > 0:
        nth -= game.points[unseen_object(game, number)] == points
        number += 1
    return number


# ---- Forgetting: what redealing draws, put in an order that tells nothing


@kernel
def forget_hidden(game: State, seat: int) -> None:
    """Material cards and objects that the seat cannot know, in the order of their kinds."""
    forget_materials(game, seat)
    forget_objects(game)


@kernel
def forget_materials(game: State, seat: int) -> None:
    """Unknown cards of other hands and the pile, sorted; hands keep their sizes and known cards."""
    for other in range(game.num_players):
        if other != seat:
            for material in range(MATERIAL_KINDS):
                hidden = game.hand[other, material] - game.known[other, material]
                game.hand[other, material] -= hidden
                game.pile_count[material] += hidden
    game.pile_size = 0
    for material in range(MATERIAL_KINDS):
        count = game.pile_count[material]
        game.pile_count[material] = 0
        for _ in range(count):
            push_pile(game, material)
    for other in range(game.num_players):
        if other != seat:
            for _ in range(unknown_cards(game, other)):
                game.hand[other, pop_pile(game)] += 1


@kernel
def sort_by_points(game: State, objects: Integers, size: int) -> None:
    """Put objects in the order of their points."""
    for last in range(1, size):
        each, place = objects[last], last
        while place > 0 and game.points[objects[place - 1]] > game.points[each]:
            objects[place] = objects[place - 1]
            place -= 1
        objects[place] = each


@kernel
def forget_objects(game: State) -> None:
    """Unseen objects in the order of their points within each deck, those of equal points in the order of their ids."""
    sort_by_points(game, game.deck_1, unseen_in_first_deck(game))
    sort_by_points(game, game.deck_2, unseen_in_second_deck(game))
    sort_by_points(game, game.removed, unseen_removed(game))
    sort_by_points(game, game.box, game.box_size)
    number = unseen_objects(game)
    for first in range(number):
        for second in range(first + 1, number):
            one, other = unseen_object(game, first), unseen_object(game, second)
            if game.points[one] == game.points[other] and one > other:
                put_unseen_object(game, first, other)
                put_unseen_object(game, second, one)
