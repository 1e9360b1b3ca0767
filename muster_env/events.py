"""What a seat sees of a game of Muster, and what it sees happen (MUS-8)."""

from collections.abc import Iterator

from cardtable.game.actions import Played
from cardtable.game.events import Event, Events, Happening, Kind, counted, happening
from cardtable.game.record import SEATS
from cardtable.game.sight import Sight, View, face_down, fixed, own_and_known, public
from muster_env.state import STATE

SIGHT = Sight(
    STATE,
    streamlined=fixed,
    power_of_unity=fixed,
    over_the_rainbow=fixed,
    max_turns=fixed,
    turn=public,
    draws_due=public,
    laid=public,
    turned_up=public,
    hand=own_and_known,
    known=public,
    pile=face_down,
    castle=public,
    column=public,
    wizards=public,
)
"""What a seat sees of each field (MUS-8.1, 8.2)."""

PILE = "pile"


def draw_in_words(event: Event) -> str:
    """`player_1 draws sun 2 from the pile`, `player_1 draws sun 2 from the castle space of sun`."""
    return "{seat} draws {card} from the " + ("pile" if event["from"] == PILE else "castle space of {from}")


SEAT = "whose turn it is"
CARD = "the card"
CASTLE = "at which castle"

KINDS = (
    Kind("play", "{seat} plays {card} at {castle}", "a banner card goes from the hand onto the own column (MUS-4.1)",
         {"seat": SEAT, "card": CARD, "castle": CASTLE}),
    Kind("wizard", "{seat} plays a Wizard at {castle}", "a Wizard/Bridge card goes from the hand onto the own column (MUS-4.2)",
         {"seat": SEAT, "castle": CASTLE}),
    Kind("move", "{seat} moves a Wizard from {from} to {to}", "a Wizard goes to another own column (MUS-4.3)",
         {"seat": SEAT, "from": "castle it leaves", "to": "castle it goes to"}),
    Kind("turn_up", "{card} is turned up from the pile", "the top card of the pile is turned up (MUS-4.3a)", {"card": CARD}),
    Kind("place", "{card} is placed on the castle space of {castle}", "the card turned up goes to a space (MUS-4.3a, 4.3b)",
         {"card": CARD, "castle": CASTLE}),
    Kind("lay", "{seat} lays {card} on the castle space of {castle}", "a card goes from the hand to a castle space (MUS-4.4)",
         {"seat": SEAT, "card": CARD, "castle": CASTLE}),
    Kind("bridge", lambda event: f"{{seat}} plays {{card}} at {{castle}} over {counted(event['bridges'], 'Bridge')}",
         "Bridges and a banner card go from the hand onto the own column (MUS-4.5, 7.3)",
         {"seat": SEAT, "bridges": "how many Bridges", "card": CARD, "castle": CASTLE}),
    Kind("swap", "{seat} swaps {card} for the {rainbow} in {owner's} column at {castle}",
         "a banner card takes the place of a Wizard or Bridge, which goes to the hand (MUS-4.6)",
         {"seat": SEAT, "card": CARD, "owner": "whose column", "castle": CASTLE, "rainbow": "`wizard` or `bridge`",
          "place": "of the card in the column, from the bottom, the lowest is 0"}),
    Kind("draw", draw_in_words, "a card is drawn: from the pile unseen by the other (MUS-5.1)",
         {"seat": SEAT, "card": CARD, "from": "`pile` or the castle"}),
)  # fmt: skip


# ---- What followed from an action, in the order of the action blocks


def follow(before: View, played: Played, after: View) -> Iterator[Happening]:
    """The cards that an action moved."""
    yield FOLLOW[played.block](before, played, after)
    if played.block == "move":
        yield from turned_up(before, after)


def turned_up(before: View, after: View) -> Iterator[Happening]:
    """The card turned up after a Wizard was moved; a banner card is placed at once (MUS-4.3a)."""
    card = before["pile"][-1]
    yield happening("turn_up", card=card)
    if after["turned_up"] is None:
        yield happening("place", card=card, castle=card.split()[0])


def banner_played(_: View, played: Played, __: View) -> Happening:
    """MUS-4.1."""
    card, castle = played.labels
    return happening("play", seat=played.seat, card=card, castle=castle)


def wizard_played(_: View, played: Played, __: View) -> Happening:
    """MUS-4.2."""
    return happening("wizard", seat=played.seat, castle=played.labels[0])


def wizard_moved(_: View, played: Played, __: View) -> Happening:
    """MUS-4.3."""
    words = played.labels[0].split()  # from sun to leaf
    return happening("move", seat=played.seat, from_=words[1], to=words[3])


def banner_laid(_: View, played: Played, __: View) -> Happening:
    """MUS-4.4, a banner card on its own castle space."""
    card = played.labels[0]
    return happening("lay", seat=played.seat, card=card, castle=card.split()[0])


def wizard_laid(_: View, played: Played, __: View) -> Happening:
    """MUS-4.4, a Wizard/Bridge card."""
    return happening("lay", seat=played.seat, card="wizard/bridge", castle=played.labels[0])


def castle_laid(_: View, played: Played, __: View) -> Happening:
    """MUS-4.4, a Rainbow Castle."""
    return happening("lay", seat=played.seat, card="rainbow castle", castle=played.labels[0])


def bridge_built(before: View, played: Played, after: View) -> Happening:
    """MUS-4.5, 7.3."""
    card, castle = played.labels
    bridges = len(column(after, played.seat, castle)) - len(column(before, played.seat, castle)) - 1
    return happening("bridge", seat=played.seat, bridges=bridges, card=card, castle=castle)


def swapped(before: View, played: Played, after: View) -> Happening:
    """MUS-4.6: for a Wizard the column grows, for a Bridge it does not."""
    card, side, castle = played.labels
    owner = played.seat if side == "own" else 1 - played.seat
    old, new = column(before, owner, castle), column(after, owner, castle)
    place = next((number for number, piece in enumerate(old) if new[number] != piece), len(old))
    rainbow = "wizard" if len(new) > len(old) else "bridge"
    return happening("swap", seat=played.seat, card=card, owner=owner, castle=castle, rainbow=rainbow, place=place)


def drawn_from_pile(before: View, played: Played, _: View) -> Happening:
    """MUS-5.1, unseen by the other."""
    card = before["pile"][-1]
    return happening("draw", seat=played.seat, card=card, from_=PILE, secret="card", seen_by=[played.seat])


def drawn_from_castle(before: View, played: Played, _: View) -> Happening:
    """MUS-5.1, seen by all."""
    castle = played.labels[0]
    return happening("draw", seat=played.seat, card=before["castle"][castle][-1], from_=castle)


def placed(before: View, played: Played, _: View) -> Happening:
    """MUS-4.3b."""
    return happening("place", card=before["turned_up"], castle=played.labels[0])


def column(view: View, side: int, castle: str) -> list[str]:
    """A column, the bottom first."""
    pieces: list[str] = view["column"][SEATS[side]][castle]
    return pieces


FOLLOW = {
    "play": banner_played,
    "wizard": wizard_played,
    "move": wizard_moved,
    "lay": banner_laid,
    "lay_wizard": wizard_laid,
    "lay_castle": castle_laid,
    "bridge": bridge_built,
    "swap": swapped,
    "draw_pile": drawn_from_pile,
    "draw_castle": drawn_from_castle,
    "place": placed,
}
"""Block of actions -> what happens."""

EVENTS = Events(KINDS, follow, now=("turn", "draws_due", "laid"))
