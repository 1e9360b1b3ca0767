"""Muster, slowly: one method a clause of `muster_env/RULES.md`."""

from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from random import Random

from tools.reference.base import Choices, Reference, add, best, player, remove, share_the_win

BANNERS = ("water", "feather", "cloud", "sun", "leaf")
WIZARD_BRIDGE = "wizard/bridge"
RAINBOW_CASTLE = "rainbow castle"
BRIDGE = "bridge"
FULL_HAND = 5
WORTH = {BRIDGE: 1, **{f"{banner} {strength}": strength for banner in BANNERS for strength in range(1, 6)}}
"""What a card of a column counts (1.3)."""
WIZARD_WORTH = 6
DECK = Counter(
    {
        **{f"{banner} {strength}": copies for banner in BANNERS for strength, copies in enumerate((3, 2, 1, 1, 1), start=1)},
        WIZARD_BRIDGE: 5,
        RAINBOW_CASTLE: 2,
    }
)
"""47 cards (1.2 to 1.5)."""


def is_banner(card: str) -> bool:
    """Whether a card of the deck, or of a column, is a banner card."""
    return card not in (WIZARD_BRIDGE, RAINBOW_CASTLE, BRIDGE)


@cache
def banner_of(card: str) -> str:
    """The banner of a banner card."""
    return card.split()[0]


@cache
def strength_of(card: str) -> int:
    """The strength of a banner card."""
    return int(card.split()[1])


class Muster(Reference):
    """A game of Muster."""

    name = "muster"

    # ---- The table

    @property
    def me(self) -> str:
        """Who is to act; it is always their turn."""
        return player(self.state["seat"])

    @property
    def other(self) -> str:
        """The one across the table."""
        return player(1 - self.state["seat"])

    @property
    def hand(self) -> dict[str, int]:
        """The mover's cards."""
        return self.state["hand"][self.me]

    def banner_cards(self) -> list[str]:
        """The mover's banner cards, by kind."""
        return [card for card in self.hand if is_banner(card)]

    def cards_by_castle(self) -> dict[str, list[str]]:
        """Those that each castle takes: cards of its banner, or any if it is wild (4.1a, 4.4b)."""
        cards = self.banner_cards()
        wild = [castle for castle, space in self.state["castle"].items() if space and space[-1] == RAINBOW_CASTLE]
        return {castle: [card for card in cards if castle in wild or banner_of(card) == castle] for castle in BANNERS}

    def wizards(self, side: str, castle: str) -> int:
        """Wizards on top of a column."""
        return self.state["wizards"][side].get(castle, 0)

    def column(self, side: str, castle: str) -> list[str]:
        """A column, under its Wizards."""
        return self.state["column"][side][castle]

    def top_strength(self, side: str, castle: str) -> int:
        """The strength of the highest card under the Wizards; 0 if there is none. It is a banner card (4.5c)."""
        column = self.column(side, castle)
        return strength_of(column[-1]) if column else 0

    def fits_on(self, top: int, strength: int) -> bool:
        """No weaker than the card under it, and no jump (4.1c, 4.1d, 7.1, 7.2)."""
        if top == 0:
            return strength == 1 or not self.state["power_of_unity"]
        return top <= strength and (strength <= top + 1 or self.state["streamlined"])

    def leave_hand(self, card: str, number: int = 1) -> None:
        """Cards leave the hand; known ones go first (8.2)."""
        remove(self.hand, card, number)
        known = self.state["known"][self.me]
        if card in known:
            remove(known, card, min(number, known[card]))

    def enter_hand_seen(self, card: str) -> None:
        """All have seen that the card came into the hand (8.2)."""
        add(self.hand, card)
        add(self.state["known"][self.me], card)

    # ---- Choices

    def choices(self) -> Choices:
        """What the mover may do."""
        if self.ending() != "ongoing":
            return {}
        if self.state["turned_up"]:
            return {f"place on {castle}": partial(self.place, castle) for castle in BANNERS}
        if self.state["draws_due"]:
            return self.draws()
        taken = self.cards_by_castle()
        return {
            **self.plays(taken),
            **self.wizard_plays(),
            **self.wizard_moves(),
            **self.lays(),
            **self.bridges(taken),
            **self.swaps(taken),
        }

    def plays(self, taken: dict[str, list[str]]) -> Choices:
        """A banner card onto an own column without a Wizard (4.1)."""
        found: Choices = {}
        for castle in self.columns_without_wizard():
            top = self.top_strength(self.me, castle)
            for card in taken[castle]:
                if self.fits_on(top, strength_of(card)):
                    found[f"play {card} at {castle}"] = partial(self.play_banner, card, castle)
        return found

    def columns_without_wizard(self) -> list[str]:
        """Castles where the mover's column has no Wizard."""
        wizards = self.state["wizards"][self.me]
        return [castle for castle in BANNERS if castle not in wizards]

    def play_banner(self, card: str, castle: str) -> None:
        """On top of the column (4.1b)."""
        self.leave_hand(card)
        self.column(self.me, castle).append(card)
        self.refill(1)

    def wizard_plays(self) -> Choices:
        """A Wizard onto any own column (4.2)."""
        if WIZARD_BRIDGE not in self.hand:
            return {}
        return {f"wizard at {castle}": partial(self.play_wizard, castle) for castle in BANNERS}

    def play_wizard(self, castle: str) -> None:
        """4.2."""
        self.leave_hand(WIZARD_BRIDGE)
        add(self.state["wizards"][self.me], castle)
        self.refill(1)

    def wizard_moves(self) -> Choices:
        """The Wizard on top of an own column goes to another (4.3)."""
        return {
            f"move wizard from {source} to {goal}": partial(self.move_wizard, source, goal)
            for source in self.state["wizards"][self.me]
            for goal in BANNERS
            if goal != source
        }

    def move_wizard(self, source: str, goal: str) -> None:
        """Then a card of the pile is turned up: a banner card goes to its castle space, another waits to be placed (4.3)."""
        wizards = self.state["wizards"][self.me]
        remove(wizards, source)
        add(wizards, goal)
        card = self.state["pile"].pop()
        if is_banner(card):
            self.state["castle"][banner_of(card)].append(card)
            self.end_turn()
        else:
            self.state["turned_up"] = card

    def place(self, castle: str) -> None:
        """The turned-up Rainbow card is laid; there is no refill (4.3b, 4.3c)."""
        self.state["castle"][castle].append(self.state["turned_up"])
        self.state["turned_up"] = None
        self.end_turn()

    def lays(self) -> Choices:
        """Any card onto a castle space; a banner card onto its own (4.4)."""
        found: Choices = {f"lay {card}": partial(self.lay, card, banner_of(card)) for card in self.banner_cards()}
        for card in (WIZARD_BRIDGE, RAINBOW_CASTLE):
            if card in self.hand:
                found |= {f"lay {card} on {castle}": partial(self.lay, card, castle) for castle in BANNERS}
        return found

    def lay(self, card: str, castle: str) -> None:
        """The castle space is barred for the draw of this turn (4.4a)."""
        self.leave_hand(card)
        self.state["castle"][castle].append(card)
        self.state["laid"] = castle
        self.refill(1)

    def bridges(self, taken: dict[str, list[str]]) -> Choices:
        """One Bridge, or several under 7.3, that lead up to a banner card (4.5)."""
        found: Choices = {}
        most = self.hand.get(WIZARD_BRIDGE, 0)
        if not most:
            return found
        if not self.state["over_the_rainbow"]:
            most = 1
        for castle in self.columns_without_wizard():
            top = self.top_strength(self.me, castle)
            for card in taken[castle]:
                number = strength_of(card) - top - 1
                if 1 <= number <= most:
                    found[f"bridge to {card} at {castle}"] = partial(self.build, number, card, castle)
        return found

    def build(self, number: int, card: str, castle: str) -> None:
        """Bridges and the banner card on them (4.5, 7.3)."""
        self.leave_hand(WIZARD_BRIDGE, number)
        self.leave_hand(card)
        self.column(self.me, castle).extend([*([BRIDGE] * number), card])
        self.refill(number + 1)

    def swaps(self, taken: dict[str, list[str]]) -> Choices:
        """A banner card for a Wizard or a Bridge of either side (4.6)."""
        found: Choices = {}
        for word, side in (("own", self.me), ("other", self.other)):
            for castle in BANNERS:
                if self.wizards(side, castle) or BRIDGE in self.column(side, castle):
                    for card in taken[castle]:
                        found |= {f"swap {card} into {word} {castle}": effect for effect in self.swaps_into(side, castle, card)}
        return found

    def swaps_into(self, side: str, castle: str, card: str) -> list[Callable[[], None]]:
        """What a card that the castle takes can be swapped for in a column: one thing at the most."""
        found: list[Callable[[], None]] = []
        if self.wizards(side, castle) and self.fits_on(self.top_strength(side, castle), strength_of(card)):
            found.append(partial(self.swap_wizard, side, castle, card))
        if not self.state["streamlined"]:
            for place, stands_for in self.bridges_in(side, castle):
                if stands_for == strength_of(card):
                    found.append(partial(self.swap_bridge, side, castle, card, place))
        assert len(found) <= 1, "4.6d: card, side and castle say what is swapped"
        return found

    def bridges_in(self, side: str, castle: str) -> list[tuple[int, int]]:
        """The places of a column's Bridges, and the strength that each stands for: one more than what is under it (4.5a)."""
        found, below = [], 0
        for place, card in enumerate(self.column(side, castle)):
            below = below + 1 if card == BRIDGE else strength_of(card)
            if card == BRIDGE:
                found.append((place, below))
        return found

    def swap_wizard(self, side: str, castle: str, card: str) -> None:
        """The lowest Wizard leaves; the others stay on top of the card (4.6a)."""
        remove(self.state["wizards"][side], castle)
        self.column(side, castle).append(card)
        self.take_rainbow_card(card)

    def swap_bridge(self, side: str, castle: str, card: str, place: int) -> None:
        """The card lies where the Bridge was (4.6b)."""
        self.column(side, castle)[place] = card
        self.take_rainbow_card(card)

    def take_rainbow_card(self, card: str) -> None:
        """The hand keeps its five cards (4.6, 4.6c)."""
        self.leave_hand(card)
        self.enter_hand_seen(WIZARD_BRIDGE)
        self.end_turn()

    # ---- Refill (5)

    def refill(self, cards: int) -> None:
        """So many cards have left the hand and are drawn now (5.1)."""
        self.state["draws_due"] = cards

    def draws(self) -> Choices:
        """From the pile, or from a castle space whose top can be drawn (5.1 to 5.3)."""
        found: Choices = {"draw from pile": self.draw_from_pile}
        for castle in BANNERS:
            space = self.state["castle"][castle]
            if space and space[-1] != RAINBOW_CASTLE and castle != self.state["laid"]:
                found[f"draw from {castle}"] = partial(self.draw_from_castle, castle)
        return found

    def draw_from_pile(self) -> None:
        """Unseen."""
        add(self.hand, self.state["pile"].pop())
        self.drawn()

    def draw_from_castle(self, castle: str) -> None:
        """Seen by all."""
        self.enter_hand_seen(self.state["castle"][castle].pop())
        self.drawn()

    def drawn(self) -> None:
        """One draw less is due."""
        self.state["draws_due"] -= 1
        if not self.state["draws_due"]:
            self.end_turn()

    def end_turn(self) -> None:
        """The other player has a turn (3.1), unless the pile is empty (6.1)."""
        self.state["turn"] += 1
        self.state["laid"] = None
        self.state["seat"] = 1 - self.state["seat"]

    # ---- End (6)

    def ending(self) -> str:
        """The pile is empty and nothing waits to be placed (6.1), or the last turn allowed has been played (6.5)."""
        if not self.state["pile"] and not self.state["turned_up"]:
            return "terminated"
        return "truncated" if self.state["turn"] >= self.state["max_turns"] else "ongoing"

    def scores(self) -> list[int]:
        """Castles of each side (6.4)."""
        owners = [self.owner(castle) for castle in BANNERS]
        return [owners.count(0), owners.count(1)]

    def owner(self, castle: str) -> int | None:
        """The seat with the higher total, then with more banner cards, else nobody (6.2, 6.3)."""
        first, second = self.worth("player_0", castle), self.worth("player_1", castle)
        if first == second:
            return None
        return 0 if first > second else 1

    def worth(self, side: str, castle: str) -> tuple[int, int]:
        """Total strength and number of banner cards (1.3)."""
        column = self.column(side, castle)
        total = sum([WORTH[card] for card in column]) + WIZARD_WORTH * self.wizards(side, castle)
        return total, len(column) - column.count(BRIDGE)

    def returns(self, scores: list[int]) -> list[float]:
        """More castles win (6.4)."""
        return share_the_win(best([(score,) for score in scores]), 2)

    # ---- Set-up (2.1)

    def faults_of_deal(self) -> list[str]:
        """What is wrong with a game just dealt."""
        state = self.state
        cards: Counter[str] = Counter(state["pile"])
        for hand in state["hand"].values():
            cards.update(hand)
        checks = {
            "1.5 deck": cards == DECK,
            "2.1 hands": [sum(hand.values()) for hand in state["hand"].values()] == [FULL_HAND, FULL_HAND],
            "2.1 first player": state["seat"] == 0 and state["turn"] == 0,
            "2.2 castle spaces": not any(state["castle"].values()),
            "2.2 columns": not any(column for side in state["column"].values() for column in side.values()),
            "2.2 wizards": not any(state["wizards"].values()),
            "8.2 known": not any(state["known"].values()),
            "3.1 turn": state["draws_due"] == 0 and state["laid"] is None and state["turned_up"] is None,
        }
        return [name for name, right in checks.items() if not right]

    # ---- What every position keeps

    def faults_of_position(self) -> list[str]:
        """What of the position breaks the rules."""
        state, sizes = self.state, {side: sum(hand.values()) for side, hand in self.state["hand"].items()}
        under_way = bool(state["draws_due"] or state["turned_up"])
        checks = {
            "1.5 deck": self.all_cards() == DECK,
            "2.1 pile": len(state["pile"]) <= sum(DECK.values()) - 2 * FULL_HAND,
            "3.1 turns": state["seat"] == state["turn"] % 2,
            "3.1 hands": sizes == {self.me: FULL_HAND - state["draws_due"], self.other: FULL_HAND},
            "4.3b turned up": state["turned_up"] in (None, WIZARD_BRIDGE, RAINBOW_CASTLE),
            "4.3c draws": not (state["draws_due"] and state["turned_up"]),
            "4.4 castle spaces": all(
                banner_of(card) == castle for castle, space in state["castle"].items() for card in space if is_banner(card)
            ),
            "4.4a laid": state["laid"] is None or (state["draws_due"] == 1 and bool(state["castle"][state["laid"]])),
            "4.1, 4.5 columns": all(self.is_built(column) for side in state["column"].values() for column in side.values()),
            "5.4 draws": state["draws_due"] <= (FULL_HAND if state["over_the_rainbow"] else 2),
            "6.5 turns": state["turn"] + under_way <= state["max_turns"],
            "8.2 known": all(
                number <= state["hand"][side].get(card, 0) and card != RAINBOW_CASTLE
                for side, known in state["known"].items()
                for card, number in known.items()
            ),
        }
        return [name for name, right in checks.items() if not right]

    def all_cards(self) -> Counter[str]:
        """Every card, wherever it is, by what it is in a hand."""
        state = self.state
        cards = Counter([*state["pile"], *([state["turned_up"]] if state["turned_up"] else [])])
        for space in state["castle"].values():
            cards.update(space)
        for side, hand in state["hand"].items():
            cards.update(hand)
            cards[WIZARD_BRIDGE] += sum(state["wizards"][side].values())
            for column in state["column"][side].values():
                cards.update(WIZARD_BRIDGE if card == BRIDGE else card for card in column)
        return cards

    def is_built(self, column: list[str]) -> bool:
        """Whether a column can be put together from the bottom up; Bridges lead to the card on them (4.1, 4.5, 7)."""
        top = bridges = 0
        for card in column:
            if card == BRIDGE:
                bridges += 1
            elif bridges:
                if strength_of(card) != top + bridges + 1 or (bridges > 1 and not self.state["over_the_rainbow"]):
                    return False
                top, bridges = strength_of(card), 0
            elif self.fits_on(top, strength_of(card)):
                top = strength_of(card)
            else:
                return False
        return not bridges

    # ---- Rare events

    def twist(self, chance: Random) -> bool:
        """Hands are full of Rainbow cards and high strengths, castle spaces are piled up, the pile is short."""
        for hand in self.state["hand"].values():
            self.favour(hand, chance)
        pile = self.state["pile"]
        while len(pile) > chance.randrange(2, 30):
            card = pile.pop()
            castle = banner_of(card) if is_banner(card) else chance.choice(BANNERS)
            self.state["castle"][castle].append(card)
        return True

    def favour(self, hand: dict[str, int], chance: Random) -> None:
        """Exchange some cards of a hand for ones that are rarely together."""
        pile = self.state["pile"]
        for card in chance.sample(sorted(hand), min(len(hand), chance.randrange(5))):
            wanted = [place for place, other in enumerate(pile) if not is_banner(other) or strength_of(other) >= 4]
            if wanted:
                place = chance.choice(wanted)
                remove(hand, card)
                add(hand, pile[place])
                pile[place] = card
