"""Positions of Muster by hand: name what matters, the rest of the 47 cards goes where it does no harm."""

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

from cardtable.engine.constants import NOBODY
from cardtable.table import Table
from muster_env.components import BANNER_CARDS, BANNERS, CARDS, COPIES
from muster_env.env import GAME

__all__ = ["BANNERS", "CARDS", "GAME", "NOBODY"]

HAND_SIZE = 5
LARGEST_PILE = 37
FULL_DECK = Counter(dict(zip(CARDS, COPIES.tolist(), strict=True)))
EIGHT_VARIANTS = [
    {"streamlined": bool(k & 1), "power_of_unity": bool(k & 2), "over_the_rainbow": bool(k & 4)} for k in range(8)
]


def cards_of(text: str, castle: str = "") -> list[str]:
    """`"water 1, bridge"` as a list; a bare number is a card of the castle's own banner."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    return [f"{castle} {name}" if name.isdigit() else name for name in names]


def fresh(**options: Any) -> Table:
    """A dealt game."""
    table = Table(GAME, GAME.parse_options(options))
    table.deal(1)
    return table


@cache
def _dealt() -> dict[str, Any]:
    """The state of a dealt game: what positions start from."""
    return fresh().state_dict()


@cache
def _labels() -> dict[str, int]:
    """The place of every number in an observation."""
    return {label: place for place, label in enumerate(GAME.layout.labels())}


class _Cards:
    """The 47 cards, as they are handed out."""

    def __init__(self) -> None:
        self.left = FULL_DECK.copy()

    def take(self, cards: list[str]) -> list[str]:
        for card in cards:
            name = "wizard/bridge" if card in ("bridge", "wizard") else card
            assert self.left[name] > 0, f"no {card!r} is left"
            self.left[name] -= 1
        return cards

    def fill(self, hand: list[str], size: int) -> list[str]:
        """The hand with banner cards added, those of leaf and sun first."""
        spare = [card for card in reversed(BANNER_CARDS) for _ in range(self.left[card])]
        assert len(hand) <= size
        return hand + self.take(spare[: size - len(hand)])

    def rest(self) -> list[str]:
        return self.take([card for card in CARDS for _ in range(self.left[card])])


def _columns(cards: _Cards, columns: dict[str, str]) -> tuple[dict[str, list[str]], dict[str, int]]:
    pieces = {castle: cards.take(cards_of(columns.get(castle, ""), castle)) for castle in BANNERS}
    under = {castle: [piece for piece in pieces[castle] if piece != "wizard"] for castle in BANNERS}
    return under, {castle: len(pieces[castle]) - len(under[castle]) for castle in BANNERS}


def _bury(castle: dict[str, list[str]], cards: list[str]) -> None:
    """Put cards at the bottom of castle spaces: banner cards on their own, Rainbow cards on the last."""
    for card in cards:
        banner = card.split()[0]
        castle[banner if banner in BANNERS else BANNERS[-1]].insert(0, card)


def plain_position(
    hand: str = "",
    other_hand: str = "",
    columns: dict[str, str] | None = None,
    other_columns: dict[str, str] | None = None,
    castles: dict[str, str] | None = None,
    pile: list[str] | None = None,
    pile_size: int | None = None,
    known: str = "",
    other_known: str = "",
    seat: int | None = None,
    turn: int | None = None,
    draws_due: int = 0,
    laid: str | None = None,
    turned_up: str | None = None,
    **options: Any,
) -> dict[str, Any]:
    """A state as plain data, `seat` to move; own and other are seen from there. Seat and turn follow from each other.

    Columns read from the bottom up, Wizards at the end; castle spaces from the bottom up; `pile` gives its first cards,
    the top first. With `pile_size` the pile has just that many cards, otherwise at most those of a game just dealt; the others
    lie at the bottom of castle spaces.
    """
    turn = seat or 0 if turn is None else turn
    seat = turn % 2 if seat is None else seat
    own, other = f"player_{seat}", f"player_{1 - seat}"
    cards = _Cards()
    hands = {own: cards.take(cards_of(hand)), other: cards.take(cards_of(other_hand))}
    own_columns, own_wizards = _columns(cards, columns or {})
    other_columns_, other_wizards = _columns(cards, other_columns or {})
    castle = {name: cards.take(cards_of((castles or {}).get(name, ""), name)) for name in BANNERS}
    top = cards.take(list(pile or []))
    cards.take([turned_up] if turned_up else [])
    hands[own] = cards.fill(hands[own], HAND_SIZE - draws_due)
    hands[other] = cards.fill(hands[other], HAND_SIZE)
    whole_pile = top + cards.rest()
    if pile_size is not None:
        _bury(castle, whole_pile[pile_size:])
        whole_pile = whole_pile[:pile_size]
    while len(whole_pile) > LARGEST_PILE:
        last = max(place for place, card in enumerate(whole_pile) if card in BANNER_CARDS)
        _bury(castle, [whole_pile.pop(last)])
    return {
        **_dealt(),
        **options,
        "seat": seat,
        "turn": turn,
        "draws_due": draws_due,
        "laid": laid,
        "turned_up": turned_up,
        "hand": {side: dict(Counter(hands[side])) for side in hands},
        "known": {own: dict(Counter(cards_of(known))), other: dict(Counter(cards_of(other_known)))},
        "pile": whole_pile[::-1],
        "castle": castle,
        "column": {own: own_columns, other: other_columns_},
        "wizards": {own: own_wizards, other: other_wizards},
    }


OPTION_NAMES = ("streamlined", "power_of_unity", "over_the_rainbow", "max_turns")


def position(**parts: Any) -> Table:
    """A table with this position (see `plain_position`)."""
    options = {name: parts[name] for name in OPTION_NAMES if name in parts}
    table = Table(GAME, GAME.parse_options(options))
    table.load_state_dict(plain_position(**parts))
    return table


def play(table: Table, *names: str) -> Table:
    """Play actions by name, each checked to be legal."""
    for name in names:
        table.play(table.checked_action(GAME.actions.id_of(name)))
    return table


def offered(table: Table, *starts: str) -> list[str]:
    """The legal actions whose names begin so."""
    return [name for name in table.legal_actions() if name.startswith(starts)]


def hand(table: Table, seat: int) -> Counter[str]:
    """The cards in a hand."""
    return Counter(table.state_dict()["hand"][f"player_{seat}"])


def known(table: Table, seat: int) -> Counter[str]:
    """The cards that all know to be in a hand."""
    return Counter(table.state_dict()["known"][f"player_{seat}"])


def column(table: Table, seat: int, castle: str) -> list[str]:
    """A column from the bottom up, Wizards included."""
    state, side = table.state_dict(), f"player_{seat}"
    return state["column"][side][castle] + ["wizard"] * state["wizards"][side].get(castle, 0)


def castle_space(table: Table, castle: str) -> list[str]:
    """The cards on a castle space, the top last."""
    return table.state_dict()["castle"][castle]


def pile(table: Table) -> list[str]:
    """The draw pile, the top first."""
    return table.state_dict()["pile"][::-1]


def seen(table: Table, seat: int, label: str) -> float:
    """One number of a seat's observation, by its label."""
    return float(table.observe(seat)[_labels()[label]])


def total(table: Table, seat: int, castle: str) -> int:
    """The total strength of a seat's column, as that seat sees it."""
    return round(seen(table, seat, f"columns[own, {castle}, total / 32]") * 32)


def all_cards(table: Table) -> Counter[str]:
    """Every card of the game, wherever it is, by what it is in a hand."""
    state = table.state_dict()
    found: Counter[str] = Counter(state["pile"])
    found.update([state["turned_up"]] if state["turned_up"] else [])
    for space in state["castle"].values():
        found.update(space)
    for side in ("player_0", "player_1"):
        found.update(state["hand"][side])
        found["wizard/bridge"] += sum(state["wizards"][side].values())
        for pieces in state["column"][side].values():
            found.update("wizard/bridge" if piece == "bridge" else piece for piece in pieces)
    return found


def random_play(seed: int, decisions: int, **options: Any) -> Iterator[Table]:
    """A game played at random: the table before each decision, and at the end."""
    chooser = random.Random(seed)
    table = Table(GAME, GAME.parse_options(options))
    table.deal(seed)
    yield table
    for _ in range(decisions):
        if table.ending:
            return
        play(table, chooser.choice(table.legal_actions()))
        yield table
