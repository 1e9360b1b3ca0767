"""What a seat sees of a game of Artisans, and what it sees happen (ART-9.1)."""

from collections.abc import Callable, Iterator, Sequence

from artisans_env.components import MATERIALS
from artisans_env.state import DECK_NAMES, STATE
from cardtable.game.actions import Played
from cardtable.game.events import Events, Happening, Kind, counted, happening
from cardtable.game.record import SEATS
from cardtable.game.sight import HIDDEN, Sight, View, closed, face_down, fixed, own_and_known, public

FIRST_DECK, SECOND_DECK = DECK_NAMES


def top_seen(objects: Sequence[str], _: View, __: int) -> list[str]:
    """Objects of which all have seen the last: deck 1, whose top is turned up, and what was removed of it (ART-2.2, 3.1)."""
    return [HIDDEN] * (len(objects) - 1) + list(objects[-1:])


def second_deck_seen(objects: list[str], view: View, seat: int) -> list[str]:
    """Deck 2: its top is turned up as soon as deck 1 is empty (ART-3.2)."""
    seen: list[str] = closed(objects) if view["deck_1"] else top_seen(objects, view, seat)
    return seen


SIGHT = Sight(
    STATE,
    max_visits=fixed,
    artisan_mode=fixed,
    points=fixed,
    required=fixed,
    phase=public,
    round_number=public,
    first_player=public,
    token_taken=public,
    artisan=public,
    visits=public,
    crafted=public,
    hand=own_and_known,
    known=public,
    developed=public,
    market=public,
    discard=public,
    pile=face_down,
    row=public,
    reserved=public,
    maker=public,
    deck_1=top_seen,
    deck_2=second_deck_seen,
    box=face_down,
    removed=top_seen,
)
"""What a seat sees of each field (ART-9.1). How many unseen objects of each value a deck has follows from ART-2.2 and the
events: every object that leaves a deck is named together with the deck."""

SEAT = "who decided"
CARD = "the material of the card"
SLOT = "of the market: `slot 0` to `slot 4`"
OBJECT = "the object"
PLACE = "of the row: `place 0` to `place 3`"
DECK = f"`{FIRST_DECK}` or `{SECOND_DECK}`"

KINDS = (
    Kind("choose", "{seat} becomes the {artisan}", "an artisan is chosen (ART-2.3)", {"seat": SEAT, "artisan": "which"}),
    Kind("reserve", "{seat} reserves {object} from {place} of the row", "an object goes from the row to the reserve (ART-8.9)",
         {"seat": SEAT, "object": OBJECT, "place": PLACE}),
    Kind("craft", "{seat} crafts {object} from {place} of the row", "an object of the row is crafted and kept (ART-4.6, 6.1)",
         {"seat": SEAT, "object": OBJECT, "place": PLACE}),
    Kind("craft_reserved", "{seat} crafts the reserved {object}", "the own reserved object is crafted and kept (ART-8.9)",
         {"seat": SEAT, "object": OBJECT}),
    Kind("take", "{seat} takes {card} from {slot}", "a card goes from the market to the hand (ART-4.3)",
         {"seat": SEAT, "card": CARD, "slot": SLOT}),
    Kind("exchange", "{seat} takes {card} from {slot} and puts {put_down} there",
         "a card of the market and a card of the hand change places (ART-4.2)",
         {"seat": SEAT, "card": CARD, "slot": SLOT, "put_down": "the material of the card from the hand"}),
    Kind("token", "{seat} takes the token and is first player", "the token leaves the centre (ART-4.7, 3.3)", {"seat": SEAT}),
    Kind("develop", lambda event: f"{{seat}} develops {{card}}: {counted(event['number'], 'card')} to {{level}}",
         "cards of one material go from the hand to its next level (ART-5.1)",
         {"seat": SEAT, "card": "the material of the cards", "number": "of cards", "level": "`level 1` to `level 4`"}),
    Kind("close", "the market closes, discarded: {cards}",
         "after the last action the cards left in the market go to the discard, and phase B begins (ART-4.8, 3.4)",
         {"cards": "the cards left, in the order of the materials"}),
    Kind("round", "round {round} begins, the token goes to the centre",
         "a round begins, and nobody has visited the market or crafted in it (ART-3.1)", {"round": "its number"}),
    Kind("remove", lambda event: f"what is left of {FIRST_DECK} ({event['number']}, the top one {{object}}) leaves the game",
         "what is left of deck 1 leaves the game in round 7, all but its top unseen (ART-3.1 a)",
         {"number": "of objects, the top one included", "object": "the top one, which was turned up"}),
    Kind("fill", "{object} goes from {deck} to {place} of the row", "an empty place of the row is filled (ART-3.1 b, 3.2)",
         {"object": OBJECT, "deck": DECK, "place": PLACE}),
    Kind("turn_up", "{object} is turned up on {deck}", "the top of the current deck is turned up (ART-3.1 c, 3.2)",
         {"object": OBJECT, "deck": DECK}),
    Kind("shuffle", lambda event: f"the discard is shuffled into a new pile of {len(event['pile'])}",
         "a card is needed and the pile is empty: the whole discard becomes the new pile (ART-4.5)",
         {"pile": "the new pile, the top last: hidden from all players"}),
    Kind("reveal", "{card} is revealed in {slot}", "the top card of the pile goes to the market (ART-3.1 d, 4.4, 4.5)",
         {"card": CARD, "slot": SLOT}),
)  # fmt: skip


# ---- What followed from an action


def follow(before: View, played: Played, after: View) -> Iterator[Happening]:
    """What an action moved; then the end of the phase, a new round, or a new market, if one came of it."""
    if played.block in FOLLOW:  # nothing moves with a pass
        yield FOLLOW[played.block](before, played, after)
    if after["round_number"] != before["round_number"]:
        yield from round_begun(before, after)
    elif after["phase"] == "develop" != before["phase"]:
        yield happening("close", cards=discarded(before, after))
    elif played.block == "take" and cards_in_market(before) == 1:  # ART-4.4
        yield from revealed(before, after)


# ---- The actions, in the order of their blocks


def artisan_chosen(_: View, played: Played, __: View) -> Happening:
    """ART-2.3."""
    return happening("choose", seat=played.seat, artisan=played.labels[0])


def object_reserved(before: View, played: Played, _: View) -> Happening:
    """ART-8.9."""
    place = f"place {played.labels[0]}"
    return happening("reserve", seat=played.seat, object=before["row"][place], place=place)


def object_crafted(before: View, played: Played, _: View) -> Happening:
    """ART-4.6, 6.1."""
    place = f"place {played.labels[0]}"
    return happening("craft", seat=played.seat, object=before["row"][place], place=place)


def reserved_crafted(before: View, played: Played, _: View) -> Happening:
    """ART-8.9."""
    return happening("craft_reserved", seat=played.seat, object=before["reserved"])


def card_taken(before: View, played: Played, _: View) -> Happening:
    """ART-4.3."""
    slot = f"slot {played.labels[0]}"
    return happening("take", seat=played.seat, card=before["market"][slot], slot=slot)


def card_exchanged(before: View, played: Played, _: View) -> Happening:
    """ART-4.2."""
    number, material = played.labels
    slot = f"slot {number}"
    return happening("exchange", seat=played.seat, card=before["market"][slot], slot=slot, put_down=material)


def token_taken(_: View, played: Played, __: View) -> Happening:
    """ART-4.7."""
    return happening("token", seat=played.seat)


def cards_developed(_: View, played: Played, after: View) -> Happening:
    """ART-5.1: the level is the last one that has cards."""
    material, number = played.labels
    level = list(after["developed"][SEATS[played.seat]][material])[-1]
    return happening("develop", seat=played.seat, card=material, number=int(number), level=level)


FOLLOW: dict[str, Callable[[View, Played, View], Happening]] = {
    "choose": artisan_chosen,
    "reserve": object_reserved,
    "craft": object_crafted,
    "craft_reserved": reserved_crafted,
    "take": card_taken,
    "exchange": card_exchanged,
    "token": token_taken,
    "develop": cards_developed,
}
"""Block of actions -> what happens."""


# ---- The market


def cards_in_market(view: View) -> int:
    """How many slots hold a card."""
    return sum(card is not None for card in view["market"].values())


def discarded(before: View, after: View) -> list[str]:
    """The cards that went to the discard, in the order of the materials (ART-4.8)."""
    old, new = before["discard"], after["discard"]
    return [material for material in MATERIALS for _ in range(new.get(material, 0) - old.get(material, 0))]


def revealed(before: View, after: View) -> Iterator[Happening]:
    """New cards in an empty market, one by one; the discard becomes the pile when a card is needed (ART-4.5)."""
    cards = [(slot, card) for slot, card in after["market"].items() if card is not None]
    from_old_pile = len(before["pile"])
    for number, (slot, card) in enumerate(cards):
        if number == from_old_pile:
            drawn_since = [later for _, later in cards[number:]]
            yield happening("shuffle", pile=after["pile"] + drawn_since[::-1], secret="pile")
        yield happening("reveal", card=card, slot=slot)


# ---- A new round


def round_begun(before: View, after: View) -> Iterator[Happening]:
    """The start of a round in the order of ART-3.1."""
    yield happening("round", round=after["round_number"])
    if after["removed"] and not before["removed"]:
        yield happening("remove", number=len(after["removed"]), object=after["removed"][-1])
    yield from row_filled(before, after)
    if (top := turned_up(after)) != turned_up(before) and top is not None:
        yield happening("turn_up", object=top[1], deck=top[0])
    yield from revealed(before, after)


def row_filled(before: View, after: View) -> Iterator[Happening]:
    """Empty places of the row, the lowest first, filled from deck 1 as long as it has cards (ART-3.1 b, 3.2)."""
    from_first_deck = len(before["deck_1"]) - len(after["deck_1"]) - len(after["removed"]) + len(before["removed"])
    filled = [place for place, each in after["row"].items() if each != before["row"][place]]
    for number, place in enumerate(filled):
        deck = FIRST_DECK if number < from_first_deck else SECOND_DECK
        yield happening("fill", object=after["row"][place], deck=deck, place=place)


def turned_up(view: View) -> tuple[str, str] | None:
    """The current deck and the object turned up on it, if there is one (ART-3.2)."""
    if view["deck_1"]:
        return FIRST_DECK, view["deck_1"][-1]
    return (SECOND_DECK, view["deck_2"][-1]) if view["deck_2"] else None


EVENTS = Events(KINDS, follow, now=("phase", "visits", "crafted"))
