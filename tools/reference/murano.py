"""Murano: Light Masters, slowly: one method a clause of `murano_env/RULES.md`."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import product
from random import Random
from typing import Any

from tools.reference.base import Choices, Reference, add, best, player, remove, seat_of, share_the_win

COLOURS = ("red", "green", "yellow", "blue")
SHARDS = (*COLOURS, "transparent")
CATEGORIES = ("art", "jewels", "tableware", "animals")
MARKETS = ("market 0", "market 1", "market 2", "market 3")
COPIES = {"red": 10, "green": 10, "yellow": 10, "blue": 10, "transparent": 6}
CHALLENGE_CARDS = Counter(red=1, green=1, yellow=1, blue=1, ring=2, selector=1, market=1, nothing=2)
BASE_CARDS = (
    *("present", "gift", "free", "merchant", "expert", "gourmand", "gambler", "magician"),
    *("favouritism", "privilege", "provident", "repetition", "traveller", "quotation", "opportunist", "visionary"),
)
INTERACTIVE_CARDS = ("authoritarian", "dealer", "clumsiness", "collector")
FIRST_GAME_CARDS = ("present", "gift", "free", "merchant")
ROOM = 8
"""Places of a Workbench (1.1)."""
PLACES = 3
"""Places of a market (1.5)."""
NOTCHES = 12
FRESH_TURN = {
    "selector_set": False,
    "takes": 0,
    "repetition": False,
    "collect_closed": False,
    "negotiations": 0,
    "privilege": False,
    "passed": False,
    "follow_up": None,
    "works_made": 0,
    "quotation": False,
    "turn_over": False,
}
"""What is known of a turn when it starts."""
TAKEN = {"selector_set": True, "takes": 1}
TWISTED_TURNS: tuple[dict[str, Any], ...] = ({}, TAKEN, TAKEN, {**TAKEN, "collect_closed": True, "negotiations": 1})
"""Where the first turn may stand in a game that starts near rare events."""


class Murano(Reference):
    """A game of Murano."""

    name = "murano"

    # ---- The table

    @property
    def me(self) -> str:
        """Whose turn it is."""
        return self.state["turn"]

    @property
    def actor(self) -> str:
        """Who decides now."""
        return player(self.state["seat"])

    @property
    def bench(self) -> dict[str, int]:
        """The Workbench of the player whose turn it is."""
        return self.state["bench"][self.me]

    @property
    def hand(self) -> list[str]:
        """The hand of the player whose turn it is."""
        return self.state["hand"][self.me]

    @property
    def warehouse(self) -> dict[str, int]:
        """The common stock."""
        return self.state["warehouse"]

    @property
    def lira(self) -> int:
        """What the player has whose turn it is."""
        return self.state["lira"][self.me]

    def earn(self, lira: int) -> None:
        """Pay the player whose turn it is; a negative number is a cost."""
        self.state["lira"][self.me] += lira

    def market(self, number: int) -> dict[str, int]:
        """The shards of a market."""
        return self.state["market"][MARKETS[number]]

    def markets_with_a_shard(self) -> list[int]:
        """Markets that are not empty."""
        return [number for number in range(len(MARKETS)) if self.market(number)]

    def markets_with_a_place(self) -> list[int]:
        """Markets that are not full."""
        return [number for number in range(len(MARKETS)) if sum(self.market(number).values()) < PLACES]

    def neighbour(self, steps: int) -> str:
        """The player so many seats to the left (1.8) of the one whose turn it is."""
        return player((seat_of(self.me) + steps) % self.players)

    def segment_at(self, notch: int) -> str:
        """The shard of the Ring that a notch faces (1.6)."""
        offset = int(self.state["ring_offset"].removeprefix("segment "))
        return self.state["ring"][f"segment {(notch + offset) % NOTCHES}"]

    def connected(self, market: int) -> list[str]:
        """The shards on the three segments connected with a market (1.5)."""
        return [self.segment_at(3 * market + place) for place in range(3)]

    def turn_the_ring(self, steps: int) -> None:
        """Counter-clockwise (1.6)."""
        offset = int(self.state["ring_offset"].removeprefix("segment "))
        self.state["ring_offset"] = f"segment {(offset + steps) % NOTCHES}"

    @property
    def solo(self) -> bool:
        """Whether The Challenge is played (10)."""
        return self.players == 1

    # ---- Choices (3.4: while one is under way, nothing else is open)

    def choices(self) -> Choices:
        """What the seat to act may do."""
        phase = self.state["phase"]
        return {} if phase == "over" else getattr(self, f"{phase}_choices")()

    def back_to_the_turn(self) -> None:
        """The choice is over: the player whose turn it is goes on."""
        self.state["phase"] = "turn"
        self.state["seat"] = seat_of(self.me)

    def ask(self, phase: str) -> None:
        """Let the player whose turn it is make a choice."""
        self.state["phase"] = phase

    def turn_choices(self) -> Choices:
        """Everything that is open in a turn (3.1 to 3.3)."""
        return {
            **self.collect_choices(),
            **self.negotiate_choices(),
            **self.create_choices(),
            **self.any_time_choices(),
            **self.advantage_choices(),
        }

    # ---- Drafting (9.1)

    def draft_choices(self) -> Choices:
        """Keep a card of the pack."""
        cards = list(self.state["recipe"])
        pack = self.state["pack"][self.actor]
        return {f"draft card {cards.index(card)}": partial(self.keep, card) for card in pack}

    def keep(self, card: str) -> None:
        """The card goes to the end of the hand; the next seat picks, and the packs move when all have."""
        self.state["pack"][self.actor].remove(card)
        self.state["hand"][self.actor].append(card)
        self.state["drafted"][self.actor].append(card)
        self.state["seat"] = (self.state["seat"] + 1) % self.players
        if self.state["seat"] == 0:
            self.pass_packs_on()

    def pass_packs_on(self) -> None:
        """To the left; packs of one card go to the box, and play begins."""
        packs = [self.state["pack"][player(seat)] for seat in range(self.players)]
        if len(packs[0]) > 1:
            for seat, pack in enumerate(packs):
                self.state["pack"][player((seat + 1) % self.players)] = pack
            return
        self.state["box"] = [pack.pop() for pack in packs]
        self.state["phase"] = "turn"

    # ---- Collect (4)

    def collect_choices(self) -> Choices:
        """Turn the Selector, then take the pair: once, or twice with card 12 (4.1, 8.12)."""
        found: Choices = {}
        if self.state["collect_closed"]:
            return found
        if not self.state["selector_set"]:
            found["turn selector"] = self.turn_selector
        elif self.state["takes"] < (2 if self.state["repetition"] else 1):
            found["take pair"] = self.take_pair
        return found

    def turn_selector(self) -> None:
        """One notch clockwise (4.1)."""
        self.state["selector_set"] = True
        self.move_selector()

    def move_selector(self) -> None:
        """One notch, or the half step from gap 11 to notch 0 (11.3)."""
        if self.state["selector"] is None:
            self.state["selector"] = "notch 0"
            return
        notch = int(self.state["selector"].removeprefix("notch "))
        self.state["selector"] = f"notch {(notch + 1) % NOTCHES}"
        if self.state["grandmaster"] and f"gap {notch}" in self.state["gap_lira"]:
            self.pass_lira(f"gap {notch}")

    def pass_lira(self, gap: str) -> None:
        """One Lira of the gap goes to who has completed most works (11.4); the last one makes this round the last (11.7)."""
        remove(self.state["gap_lira"], gap)
        leaders = best([(len(self.state["works"][player(seat)]),) for seat in range(self.players)])
        if len(leaders) == 1:
            self.state["lira"][player(leaders[0])] += 1
        if not self.state["gap_lira"]:
            self.state["last_round"] = True

    def take_pair(self) -> None:
        """The shard of the notch and the shard of the segment that faces it, as far as they are there (4.1, 4.2)."""
        self.state["takes"] += 1
        notch = int(self.state["selector"].removeprefix("notch "))
        pair = (self.state["circle"][f"notch {notch}"], self.segment_at(notch))
        self.state["missing"] = sum(not self.take_if_there(shard) for shard in pair)
        self.ask_for_missing()

    def take_if_there(self, shard: str) -> bool:
        """Take a shard from the Warehouse, if it has one; whether it had."""
        if shard not in self.warehouse:
            return False
        remove(self.warehouse, shard)
        add(self.bench, shard)
        return True

    def ask_for_missing(self) -> None:
        """Ask for each missing shard; then the take is complete."""
        if self.state["missing"]:
            self.ask("replace")
        else:
            self.take_is_complete(self.me)

    def replace_choices(self) -> Choices:
        """Any kind that the Warehouse has, or none (4.2)."""
        found: Choices = {f"take {shard}": partial(self.replace, shard) for shard in self.warehouse}
        found["done"] = partial(self.replace, None)
        return found

    def replace(self, shard: str | None) -> None:
        """Take a shard for a missing one, or leave it."""
        if shard:
            self.take_if_there(shard)
        self.state["missing"] -= 1
        self.ask_for_missing()

    def take_is_complete(self, owner: str) -> None:
        """Who has more than eight shards returns some (4.3)."""
        if sum(self.state["bench"][owner].values()) > ROOM:
            self.state["phase"] = "return"
            self.state["seat"] = seat_of(owner)
        elif self.state["turn_over"]:
            self.next_turn()
        else:
            self.back_to_the_turn()

    def return_choices(self) -> Choices:
        """Any shard of one's own (4.3)."""
        return {f"give up {shard}": partial(self.return_shard, shard) for shard in self.state["bench"][self.actor]}

    def return_shard(self, shard: str) -> None:
        """Return one, and go on until there are eight."""
        owner = self.actor
        remove(self.state["bench"][owner], shard)
        add(self.warehouse, shard)
        self.take_is_complete(owner)

    # ---- Negotiate (5)

    def negotiate_is_open(self) -> bool:
        """From the first take to the first work or the pass (3.2)."""
        return self.state["takes"] > 0 and self.state["works_made"] == 0 and not self.state["passed"]

    def action_is_left(self) -> bool:
        """Whether there can be a Negotiate action: one a turn, two with card 10 (8.10)."""
        return self.negotiate_is_open() and self.state["negotiations"] < (2 if self.state["privilege"] else 1)

    def negotiate_choices(self) -> Choices:
        """Exchange, Buy, Sell; a pass if none of them is possible (5.4)."""
        if not self.action_is_left():
            return {}
        found = {**self.exchanges(self.exchange), **self.sales(1)}
        if self.lira >= 2:
            found |= self.purchases(2)
        if not found and self.state["negotiations"] == 0:
            found["done"] = self.pass_negotiate
        return found

    def begin_action(self) -> None:
        """A Negotiate action closes Collect (3.2), and the time for the card that follows the action before (8.6, 8.7)."""
        self.state["negotiations"] += 1
        self.state["collect_closed"] = True
        self.state["follow_up"] = None

    def pass_negotiate(self) -> None:
        """Collect and Negotiate are over (5.4)."""
        self.state["passed"] = True
        self.state["collect_closed"] = True

    def exchanges(self, effect: Callable[..., None]) -> Choices:
        """A shard of one's own, on a market with a free place (5.1)."""
        return {
            f"exchange {shard} at market {market}": partial(effect, shard, market)
            for shard in self.bench
            for market in self.markets_with_a_place()
        }

    def put_on_market(self, shard: str, market: int) -> None:
        """The first half of an Exchange."""
        self.begin_action()
        remove(self.bench, shard)
        add(self.market(market), shard)

    def exchange(self, shard: str, market: int) -> None:
        """Put a shard on a market, take the coloured ones connected with it (5.1)."""
        self.put_on_market(shard, market)
        for connected in self.connected(market):
            if connected != "transparent":
                self.take_if_there(connected)
        self.take_is_complete(self.me)

    def purchases(self, price: int) -> Choices:
        """A market that is not empty (5.2)."""
        return {f"buy market {market}": partial(self.buy, market, price) for market in self.markets_with_a_shard()}

    def buy(self, market: int, price: int) -> None:
        """Take all shards of a market (5.2)."""
        self.begin_action()
        self.earn(-price)
        for shard, number in self.market(market).items():
            add(self.bench, shard, number)
        self.market(market).clear()
        self.state["follow_up"] = "gourmand"
        self.take_is_complete(self.me)

    def sales(self, pays: int) -> Choices:
        """The first shard of a Sell (5.3)."""
        return {f"sell {shard}": partial(self.begin_sale, shard, pays) for shard in self.bench}

    def begin_sale(self, shard: str, pays: int) -> None:
        """A Sell pays when it is done (5.3)."""
        self.begin_action()
        self.state["sale"] = pays
        self.sell(shard)
        self.ask("sell")

    def sell(self, shard: str) -> None:
        """A shard goes back to the Warehouse."""
        remove(self.bench, shard)
        add(self.warehouse, shard)

    def sell_choices(self) -> Choices:
        """One more shard, or done (5.3)."""
        found: Choices = {f"sell {shard}": partial(self.sell, shard) for shard in self.bench}
        found["done"] = self.end_sale
        return found

    def end_sale(self) -> None:
        """Now the money comes."""
        self.earn(self.state["sale"])
        self.state["sale"] = 0
        self.state["follow_up"] = "gambler"
        self.back_to_the_turn()

    # ---- Create (6)

    def create_choices(self) -> Choices:
        """Make a work, or end the turn, once there was an action or the pass (3.3)."""
        if not self.state["negotiations"] and not self.state["passed"]:
            return {}
        found: Choices = {"end turn": self.end_turn}
        for replaced in self.ways_to_make():
            letters = "".join(colour[0] * number for colour, number in zip(COLOURS, replaced, strict=True))
            found[f"make replacing {letters or 'none'}"] = partial(self.make, replaced)
        return found

    def ways_to_make(self) -> list[tuple[int, ...]]:
        """For how many shards of each colour transparent ones can stand in the recipe of the first card (6.1)."""
        if not self.hand:
            return []
        recipe = [self.state["recipe"][self.hand[0]].get(colour, 0) for colour in COLOURS]
        own = [self.bench.get(colour, 0) for colour in COLOURS]
        return [
            replaced
            for replaced in product(*(range(number + 1) for number in recipe))
            if sum(replaced) <= self.bench.get("transparent", 0)
            and all(has >= needs - instead for has, needs, instead in zip(own, recipe, replaced, strict=True))
        ]

    def make(self, replaced: tuple[int, ...]) -> None:
        """Pay the shards, earn the Lira, lay down the card (6.1 to 6.3)."""
        card = self.hand.pop(0)
        for colour, instead in zip(COLOURS, replaced, strict=True):
            self.spend(colour, self.state["recipe"][card].get(colour, 0) - instead)
        self.spend("transparent", sum(replaced))
        pays = ROOM - sum(self.bench.values())
        if self.state["grandmaster"]:
            pays -= sum(replaced)  # 11.5
        self.earn(pays)
        self.state["works"][self.me].append(card)
        self.state["works_made"] += 1
        if self.state["works_made"] == 2:
            self.earn(2)
        self.state["quotation"] = pays == 8  # 8.14
        self.state["follow_up"] = None  # 8.6, 8.7
        if not self.hand:
            self.state["last_round"] = True  # 12.1

    def spend(self, shard: str, number: int) -> None:
        """Shards of a recipe go to the Warehouse."""
        if number:
            remove(self.bench, shard, number)
            add(self.warehouse, shard, number)

    # ---- At any time (7, 11.6)

    def any_time_choices(self) -> Choices:
        """Reorder, turn the Ring, give the Owl away."""
        found: Choices = {}
        positions = range(2, len(self.hand) + 1)
        if self.lira >= 1:
            found["turn ring"] = self.pay_to_turn_ring
            found |= {f"reorder to {position}": partial(self.reorder, position) for position in positions}
        if self.state["owl"] == self.me:
            found |= {f"owl brings {position}": partial(self.give_owl, position) for position in positions}
        return found

    def pay_to_turn_ring(self) -> None:
        """One step for 1L (7.2)."""
        self.earn(-1)
        self.turn_the_ring(1)

    def reorder(self, position: int) -> None:
        """The first card moves back, for 1L (7.1)."""
        self.earn(-1)
        self.hand.insert(position - 1, self.hand.pop(0))

    def give_owl(self, position: int) -> None:
        """The Owl goes to the right, a card to the front (11.6)."""
        self.hand.insert(0, self.hand.pop(position - 1))
        self.state["owl"] = self.neighbour(-1)

    # ---- Advantages (7.3, 7.4, 8, 9)

    def advantage_choices(self) -> Choices:
        """Tiles whose card can be used, by each kind of work that can be set aside for it."""
        found: Choices = {}
        works = self.works_by_categories()
        for tile in CATEGORIES if works else ():
            card = self.state["advantage"][tile]
            if not getattr(self, f"can_use_{card}")():
                continue
            for other in CATEGORIES:
                work = works.get(frozenset((tile, other)))
                kind = tile if tile == other else f"{tile}+{other}"
                if work:
                    found[f"use {tile} with {kind}"] = partial(self.use, work, card)
        return found

    def works_by_categories(self) -> dict[frozenset[str], str]:
        """The first work made with each set of categories, of those that are not set aside."""
        found: dict[frozenset[str], str] = {}
        for work in self.state["works"][self.me]:
            if work not in self.state["set_aside"]:
                found.setdefault(frozenset(self.state["category"][work]), work)
        return found

    def use(self, work: str, card: str) -> None:
        """Set the work aside, then do what the card says."""
        self.state["set_aside"][work] = 1
        getattr(self, f"use_{card}")()

    def can_use_present(self) -> bool:
        """8.1."""
        return "red" in self.warehouse or "green" in self.warehouse

    def use_present(self) -> None:
        """8.1."""
        self.ask("present")

    def present_choices(self) -> Choices:
        """A red or a green shard (8.1)."""
        return self.one_of("red", "green")

    def can_use_gift(self) -> bool:
        """8.2."""
        return "yellow" in self.warehouse or "blue" in self.warehouse

    def use_gift(self) -> None:
        """8.2."""
        self.ask("gift")

    def gift_choices(self) -> Choices:
        """A yellow or a blue shard (8.2)."""
        return self.one_of("yellow", "blue")

    def one_of(self, *colours: str) -> Choices:
        """Take a shard of one of these colours."""
        return {f"take {colour}": partial(self.take_one, colour) for colour in colours if colour in self.warehouse}

    def take_one(self, shard: str) -> None:
        """Take a shard that is there; that is the whole take."""
        self.take_if_there(shard)
        self.take_is_complete(self.me)

    def bind(self, phase: str) -> None:
        """Card 3, 4 or 5 closes Collect (3.2), and its action follows at once."""
        self.state["collect_closed"] = True
        self.ask(phase)

    def can_use_free(self) -> bool:
        """8.3."""
        return self.action_is_left() and bool(self.markets_with_a_shard())

    def use_free(self) -> None:
        """8.3."""
        self.bind("free")

    def free_choices(self) -> Choices:
        """A Buy for nothing (8.3)."""
        return self.purchases(0)

    def can_use_merchant(self) -> bool:
        """8.4."""
        return self.action_is_left() and bool(self.bench)

    def use_merchant(self) -> None:
        """8.4."""
        self.bind("merchant")

    def merchant_choices(self) -> Choices:
        """A Sell for 4L (8.4)."""
        return self.sales(4)

    def can_use_expert(self) -> bool:
        """8.5."""
        return self.action_is_left() and bool(self.bench) and bool(self.markets_with_a_place())

    def use_expert(self) -> None:
        """8.5."""
        self.bind("expert")

    def expert_choices(self) -> Choices:
        """An Exchange (8.5)."""
        return self.exchanges(self.expert_exchange)

    def expert_exchange(self, shard: str, market: int) -> None:
        """Put the shard on the market; the connected shards are on offer (8.5)."""
        self.put_on_market(shard, market)
        self.state["offered"] = dict(Counter(self.connected(market)))
        self.ask("expert_picks")

    def expert_picks_choices(self) -> Choices:
        """One of the shards on offer that the Warehouse has, or done (8.5)."""
        there = [shard for shard in self.state["offered"] if shard in self.warehouse]
        found: Choices = {f"take {shard}": partial(self.pick, shard) for shard in there}
        found["done"] = self.end_picks
        return found

    def pick(self, shard: str) -> None:
        """Take a shard on offer; after a transparent one there is no other (8.5)."""
        remove(self.state["offered"], shard)
        self.take_if_there(shard)
        if shard == "transparent":
            self.state["offered"].pop("transparent", None)

    def end_picks(self) -> None:
        """The Exchange is complete."""
        self.state["offered"] = {}
        self.take_is_complete(self.me)

    def can_follow(self, card: str) -> bool:
        """Card 6 or 7: its action was the last one, and there is a transparent shard (8.6, 8.7)."""
        return self.negotiate_is_open() and self.state["follow_up"] == card and "transparent" in self.warehouse

    def follow(self) -> None:
        """Take a transparent shard, once for this action (8.6, 8.7)."""
        self.state["follow_up"] = None
        self.take_one("transparent")

    def can_use_gourmand(self) -> bool:
        """8.6."""
        return self.can_follow("gourmand")

    def use_gourmand(self) -> None:
        """8.6."""
        self.follow()

    def can_use_gambler(self) -> bool:
        """8.7."""
        return self.can_follow("gambler")

    def use_gambler(self) -> None:
        """8.7."""
        self.follow()

    def can_use_magician(self) -> bool:
        """Any hand will do (8.8)."""
        return True

    def use_magician(self) -> None:
        """Gain 1L; order a hand of two or more (8.8). From then on others do not know the order (15.1)."""
        self.earn(1)
        if len(self.hand) >= 2:
            self.state["mixed"][self.me] = True
            self.ask("magician")

    def magician_choices(self) -> Choices:
        """A position of the old order that has not been picked (8.8)."""
        picked = self.state["arranged"]
        positions = range(1, len(self.hand) + 1)
        return {f"arrange {at}": partial(self.arrange, at) for at in positions if f"position {at}" not in picked}

    def arrange(self, position: int) -> None:
        """The card comes next; the last one follows of itself (8.8)."""
        picked = [*self.state["arranged"], f"position {position}"]
        self.state["arranged"] = picked
        if len(picked) < len(self.hand) - 1:
            return
        order = [int(name.removeprefix("position ")) - 1 for name in picked]
        order += [place for place in range(len(self.hand)) if place not in order]
        self.hand[:] = [self.hand[place] for place in order]
        self.state["arranged"] = []
        self.back_to_the_turn()

    def can_use_favouritism(self) -> bool:
        """8.9."""
        return "transparent" in self.bench

    def use_favouritism(self) -> None:
        """A transparent shard for 3L (8.9)."""
        self.sell("transparent")
        self.earn(3)

    def can_use_privilege(self) -> bool:
        """8.10."""
        return self.negotiate_is_open() and not self.state["privilege"] and self.lira >= 1

    def use_privilege(self) -> None:
        """Two actions; it closes Collect (3.2, 8.10)."""
        self.earn(-1)
        self.state["privilege"] = True
        self.state["collect_closed"] = True

    def can_use_provident(self) -> bool:
        """Before the Selector is turned (8.11)."""
        return not self.state["selector_set"]

    def use_provident(self) -> None:
        """The Selector stays, for 1L more (8.11)."""
        self.state["selector_set"] = True
        self.earn(1)

    def can_use_repetition(self) -> bool:
        """8.12."""
        return not self.state["collect_closed"] and not self.state["repetition"] and self.lira >= 1

    def use_repetition(self) -> None:
        """Two takes (8.12)."""
        self.earn(-1)
        self.state["repetition"] = True

    def journeys(self) -> list[tuple[int, str]]:
        """Markets and shards that can go to another market (8.13)."""
        return [
            (market, shard)
            for market in self.markets_with_a_shard()
            if any(goal != market for goal in self.markets_with_a_place())
            for shard in self.market(market)
        ]

    def can_use_traveller(self) -> bool:
        """8.13."""
        return bool(self.journeys())

    def use_traveller(self) -> None:
        """8.13."""
        self.ask("traveller")

    def traveller_choices(self) -> Choices:
        """The shard (8.13)."""
        return {f"lift from market {market} {shard}": partial(self.lift, market, shard) for market, shard in self.journeys()}

    def lift(self, market: int, shard: str) -> None:
        """It stays where it is until the goal is known (8.13)."""
        self.state["chosen_market"] = MARKETS[market]
        self.state["chosen_shard"] = shard
        self.ask("traveller_goal")

    def traveller_goal_choices(self) -> Choices:
        """The market it goes to (8.13)."""
        goals = [market for market in self.markets_with_a_place() if MARKETS[market] != self.state["chosen_market"]]
        return {f"choose market {market}": partial(self.travel, market) for market in goals}

    def travel(self, goal: int) -> None:
        """Move the shard."""
        remove(self.state["market"][self.state["chosen_market"]], self.state["chosen_shard"])
        add(self.market(goal), self.state["chosen_shard"])
        self.state["chosen_market"] = self.state["chosen_shard"] = None
        self.back_to_the_turn()

    def can_use_quotation(self) -> bool:
        """8.14."""
        return self.state["quotation"]

    def use_quotation(self) -> None:
        """Once for the work, 2L (8.14)."""
        self.state["quotation"] = False
        self.earn(2)

    def swaps(self, effect: Callable[..., None]) -> Choices:
        """A shard of one's own for a coloured one of another kind (8.15)."""
        return {
            f"swap {shard} for {colour}": partial(effect, shard, colour)
            for shard in self.bench
            for colour in COLOURS
            if colour in self.warehouse and colour != shard
        }

    def can_use_opportunist(self) -> bool:
        """8.15."""
        return self.lira >= 1 and bool(self.swaps(self.swap))

    def use_opportunist(self) -> None:
        """1L for both exchanges (8.15)."""
        self.earn(-1)
        self.ask("opportunist")

    def opportunist_choices(self) -> Choices:
        """The first exchange (8.15)."""
        return self.swaps(self.first_swap)

    def opportunist_again_choices(self) -> Choices:
        """A second one, or done (8.15)."""
        found = self.swaps(self.second_swap)
        found["done"] = self.back_to_the_turn
        return found

    def swap(self, shard: str, colour: str) -> None:
        """Return the one, take the other."""
        self.sell(shard)
        self.take_if_there(colour)

    def first_swap(self, shard: str, colour: str) -> None:
        """There may be a second one."""
        self.swap(shard, colour)
        self.ask("opportunist_again")

    def second_swap(self, shard: str, colour: str) -> None:
        """That was the last."""
        self.swap(shard, colour)
        self.back_to_the_turn()

    def can_use_visionary(self) -> bool:
        """8.16."""
        return True

    def use_visionary(self) -> None:
        """8.16."""
        self.ask("visionary")

    def visionary_choices(self) -> Choices:
        """Any other position (8.16)."""
        return {f"turn ring by {steps}": partial(self.turn_ring_by, steps) for steps in range(1, NOTCHES)}

    def turn_ring_by(self, steps: int) -> None:
        """For nothing."""
        self.turn_the_ring(steps)
        self.back_to_the_turn()

    # ---- The interactive cards (9.3 to 9.6)

    def others(self) -> list[tuple[int, str]]:
        """The other players, with how many seats to the left they sit."""
        return [(steps, self.neighbour(steps)) for steps in range(1, self.players)]

    def can_use_authoritarian(self) -> bool:
        """9.3."""
        return self.lira >= 1 and bool(self.authoritarian_choices())

    def use_authoritarian(self) -> None:
        """9.3."""
        self.ask("authoritarian")

    def authoritarian_choices(self) -> Choices:
        """Another player's coloured shard (9.3)."""
        return {
            f"neighbour {steps} {shard}": partial(self.demand, other, shard)
            for steps, other in self.others()
            for shard in self.state["bench"][other]
            if shard != "transparent"
        }

    def demand(self, other: str, shard: str) -> None:
        """1L for the shard (9.3)."""
        self.earn(-1)
        self.state["lira"][other] += 1
        remove(self.state["bench"][other], shard)
        add(self.bench, shard)
        self.take_is_complete(self.me)

    def can_use_dealer(self) -> bool:
        """9.4."""
        return bool(self.dealer_choices())

    def use_dealer(self) -> None:
        """9.4."""
        self.ask("dealer")

    def dealer_choices(self) -> Choices:
        """A player who has Lira, and a shard of one's own (9.4)."""
        return {
            f"neighbour {steps} {shard}": partial(self.deal_out, other, shard)
            for steps, other in self.others()
            if self.state["lira"][other] >= 1
            for shard in self.bench
        }

    def deal_out(self, other: str, shard: str) -> None:
        """The shard for 1L; the other may have to return some (9.4)."""
        self.state["lira"][other] -= 1
        self.earn(1)
        remove(self.bench, shard)
        add(self.state["bench"][other], shard)
        self.take_is_complete(other)

    def can_use_clumsiness(self) -> bool:
        """If anyone has a shard (9.5)."""
        return any(self.state["bench"].values())

    def use_clumsiness(self) -> None:
        """The user first, then in turn order (9.5)."""
        self.ask("clumsiness")
        self.next_clumsy(0)

    def next_clumsy(self, steps: int) -> None:
        """The next player with a shard, from so many seats to the left of the user on."""
        for further in range(steps, self.players):
            if self.state["bench"][self.neighbour(further)]:
                self.state["seat"] = seat_of(self.neighbour(further))
                return
        self.back_to_the_turn()

    def clumsiness_choices(self) -> Choices:
        """Any shard of one's own (9.5)."""
        return {f"give up {shard}": partial(self.drop, shard) for shard in self.state["bench"][self.actor]}

    def drop(self, shard: str) -> None:
        """Return it; the next one follows."""
        remove(self.state["bench"][self.actor], shard)
        add(self.warehouse, shard)
        steps = (self.state["seat"] - seat_of(self.me)) % self.players
        self.next_clumsy(steps + 1)

    def partners(self, own: str) -> list[tuple[int, str]]:
        """Other players' shards of another kind, by seats to the left (9.6)."""
        return [(steps, shard) for steps, other in self.others() for shard in self.state["bench"][other] if shard != own]

    def can_use_collector(self) -> bool:
        """9.6."""
        return bool(self.collector_choices())

    def use_collector(self) -> None:
        """9.6."""
        self.ask("collector")

    def collector_choices(self) -> Choices:
        """A shard of one's own for which there is a partner (9.6)."""
        return {f"give up {shard}": partial(self.offer, shard) for shard in self.bench if self.partners(shard)}

    def offer(self, shard: str) -> None:
        """It stays where it is until the partner is known (9.6)."""
        self.state["chosen_shard"] = shard
        self.ask("collector_partner")

    def collector_partner_choices(self) -> Choices:
        """Player and shard (9.6)."""
        partners = self.partners(self.state["chosen_shard"])
        return {f"neighbour {steps} {shard}": partial(self.trade, self.neighbour(steps), shard) for steps, shard in partners}

    def trade(self, other: str, shard: str) -> None:
        """The two shards change places (9.6)."""
        own = self.state["chosen_shard"]
        remove(self.bench, own)
        add(self.bench, shard)
        remove(self.state["bench"][other], shard)
        add(self.state["bench"][other], own)
        self.state["chosen_shard"] = None
        self.back_to_the_turn()

    # ---- The end of a turn, and The Challenge (10)

    def end_turn(self) -> None:
        """In solo a Challenge card comes first (10.1)."""
        if not self.solo:
            self.next_turn()
        elif not self.hand or not self.state["challenge"]:
            self.state["phase"] = "over"  # 10.2
        else:
            self.reveal()

    def reveal(self) -> None:
        """Apply the top Challenge card (10.1)."""
        card = self.state["challenge"].pop()
        self.state["revealed"].append(card)
        self.state["turn_over"] = True
        if card == "market":
            self.empty_fullest_market()
            return
        if card == "ring":
            self.turn_the_ring(1)
        elif card == "selector":
            self.move_selector()
        elif card in COLOURS:
            self.take_if_there(card)
        self.take_is_complete(self.me)

    def empty_fullest_market(self) -> None:
        """The player chooses among equals (10.1)."""
        fullest = self.fullest_markets()
        if len(fullest) > 1:
            self.ask("challenge")
        elif fullest:
            self.empty(fullest[0])
        else:
            self.next_turn()

    def fullest_markets(self) -> list[int]:
        """The markets with the most shards; none if all are empty."""
        return [] if not self.markets_with_a_shard() else best([(sum(self.market(at).values()),) for at in range(len(MARKETS))])

    def challenge_choices(self) -> Choices:
        """One of the fullest markets (10.1)."""
        return {f"choose market {market}": partial(self.empty, market) for market in self.fullest_markets()}

    def empty(self, market: int) -> None:
        """Its shards go to the Warehouse (10.1)."""
        self.empty_into_warehouse(market)
        self.next_turn()

    def empty_into_warehouse(self, market: int) -> None:
        """Return all shards of a market."""
        for shard, number in self.market(market).items():
            add(self.warehouse, shard, number)
        self.market(market).clear()

    def next_turn(self) -> None:
        """The player on the left begins a turn, unless the game is over with this round (11.7, 12.1, 12.3)."""
        following = (seat_of(self.me) + 1) % self.players
        if following == 0:
            cut_off = not self.unlimited() and self.state["round_number"] == self.state["max_rounds"]
            if self.state["last_round"] or cut_off:
                self.state["phase"] = "over"
                return
            self.state["round_number"] += 1
        self.state |= FRESH_TURN
        self.state["turn"] = player(following)
        self.back_to_the_turn()

    def unlimited(self) -> bool:
        """Whether `max_rounds` does not matter (12.3)."""
        return self.solo or self.state["grandmaster"]

    # ---- Results

    def ending(self) -> str:
        """A game that is over without a last round was cut off, but for solo (12.3)."""
        if self.state["phase"] != "over":
            return "goes_on"
        return "terminated" if self.solo or self.state["last_round"] else "truncated"

    def scores(self) -> list[int]:
        """Lira; under `grandmaster` less 2L for each card in hand (11.8)."""
        seats = [player(seat) for seat in range(self.players)]
        penalty = 2 if self.state["grandmaster"] else 0
        return [self.state["lira"][seat] - penalty * len(self.state["hand"][seat]) for seat in seats]

    def returns(self, scores: list[int]) -> list[float]:
        """The rank of a solo player (10.4), or the win shared (12.2, 12.4)."""
        if self.solo:
            return [self.solo_return()]
        works = [len(self.state["works"][player(seat)]) for seat in range(self.players)]
        return share_the_win(best([(score, -made) for score, made in zip(scores, works, strict=True)]), self.players)

    def solo_return(self) -> float:
        """-1, or a quarter for each rank reached (10.3, 10.4)."""
        if len(self.state["works"]["player_0"]) < 6:
            return -1.0
        return 0.25 + 0.25 * sum(self.lira >= least for least in (40, 45, 50))

    # ---- Set-up (2, 9.1, 9.2, 10.1, 11.1 to 11.6)

    def hand_size(self) -> int:
        """Five, six for up to two players, one more under `grandmaster` (2.2, 11.1)."""
        return 5 + (self.players <= 2) + self.state["grandmaster"]

    def faults_of_deal(self) -> list[str]:
        """What is wrong with a game just dealt."""
        state = self.state
        seats = [player(seat) for seat in range(self.players)]
        dealt, packs = (0, self.hand_size() + 1) if state["draft"] else (self.hand_size(), 0)
        shown = Counter(shard for market in MARKETS for shard in state["market"][market])
        cards = [card for place in ("hand", "pack") for seat in seats for card in state[place][seat]] + state["deck"]
        checks = {
            "2.1 selector": (state["selector"] is None) == state["grandmaster"],
            "2.1 warehouse": state["warehouse"] == {shard: n - (shard in COLOURS) for shard, n in COPIES.items()},
            "2.2 hands": all(len(state["hand"][seat]) == dealt for seat in seats),
            "2.2 cards": sorted(cards) == sorted(state["recipe"]),
            "2.3 markets": shown == Counter(COLOURS) and all(sum(state["market"][at].values()) == 1 for at in MARKETS),
            "2.4 Lira": state["lira"] == dict.fromkeys(seats, 4),
            "2.4 first player": state["seat"] == 0 and state["turn"] == "player_0" and state["round_number"] == 1,
            "2.5 Advantages": self.advantages_are_right(),
            "3 turn": all(state[field] == value for field, value in FRESH_TURN.items()) and not state["last_round"],
            "9.1 packs": all(len(state["pack"][seat]) == packs for seat in seats),
            "9.1 phase": state["phase"] == ("draft" if state["draft"] else "turn"),
            "10.1 Challenge": self.challenge_is_right(),
            "11.2 Lira": state["gap_lira"] == (self.gap_lira() if state["grandmaster"] else {}),
            "11.6 Owl": state["owl"] == (seats[-1] if state["grandmaster"] else None),
            "nothing done": not any(state["works"].values()) and not any(state["bench"].values()) and not state["set_aside"],
        }
        return [name for name, right in checks.items() if not right]

    def advantages_are_right(self) -> bool:
        """Four different cards, of those that can be drawn (2.5, 9.2, 11.1)."""
        cards = [self.state["advantage"][tile] for tile in CATEGORIES]
        out = (["provident"] if self.state["grandmaster"] else []) + (["present", "gift"] if self.state["expert_deck"] else [])
        interactive = sum(card in INTERACTIVE_CARDS for card in cards)
        if self.state["advantage_mode"] == "first_game" and set(cards) != set(FIRST_GAME_CARDS):
            return False
        return len(set(cards)) == 4 and interactive == self.state["interactive"] and not set(cards) & set(out)

    def challenge_is_right(self) -> bool:
        """Six of the ten cards in solo (10.1)."""
        if not self.solo:
            return not self.state["challenge"] and not self.state["left_out"]
        cards = self.state["challenge"] + self.state["left_out"]
        return len(self.state["challenge"]) == 6 and Counter(cards) == CHALLENGE_CARDS and not self.state["revealed"]

    def gap_lira(self) -> dict[str, int]:
        """Lira on the gaps (11.2)."""
        six, twelve = {2: (1, 1), 3: (2, 1), 4: (2, 2)}[self.players]
        return {"gap 5": six, "gap 11": twelve}

    # ---- What every position keeps

    def faults_of_position(self) -> list[str]:
        """What of the position breaks the rules."""
        checks = {
            **self.checks_of_shards(),
            **self.checks_of_cards(),
            **self.checks_of_board(),
            **self.checks_of_turn(),
            **self.checks_of_choice(),
        }
        return [name for name, right in checks.items() if not right]

    def seats(self) -> list[str]:
        """The players in their order."""
        return [player(seat) for seat in range(self.players)]

    def checks_of_shards(self) -> dict[str, bool]:
        """Every shard is in one place, and no more of them than fit there (1.1, 1.5, 4.3)."""
        state = self.state
        shards: Counter[str] = Counter(state["warehouse"])
        for heap in [*state["market"].values(), *state["bench"].values()]:
            shards.update(heap)
        sizes = {seat: sum(bench.values()) for seat, bench in state["bench"].items()}
        over = max(sizes[self.actor] - ROOM, 0)
        limits = {"replace": 2 - state["missing"], "expert_picks": 2 - sum(state["offered"].values()), "return": 3}
        return {
            "1.1 shards": shards == Counter(COPIES) and not state["first_shards"],
            "1.5 markets": all(sum(market.values()) <= PLACES for market in state["market"].values()),
            "4.3 other Workbenches": all(size <= ROOM for seat, size in sizes.items() if seat != self.actor),
            "4.3 Workbench": over <= max(limits.get(state["phase"], 0), 0) and (over > 0 or state["phase"] != "return"),
        }

    def checks_of_cards(self) -> dict[str, bool]:
        """Every Creation is in one place; hands, draft and works belong together (1.2, 2.2, 7.3, 9.1)."""
        state, drafting = self.state, self.state["phase"] == "draft"
        piles = [*state["hand"].values(), *state["works"].values(), *state["pack"].values(), state["deck"], state["box"]]
        full = 5 + (self.players <= 2) + state["grandmaster"]
        made = {work for works in state["works"].values() for work in works}
        held = {seat: [*state["hand"][seat], *state["works"][seat]] for seat in self.seats()}
        kept = {seat: held[seat] if state["draft"] else [] for seat in held}
        return {
            "1.2 Creations": sorted(card for pile in piles for card in pile) == sorted(state["recipe"]),
            "2.2 hands": drafting or all(len(cards) == full for cards in held.values()),
            "7.3 set aside": set(state["set_aside"]) <= made,
            "9.1 drafted": all(sorted(state["drafted"][seat]) == sorted(kept[seat]) for seat in held),
            "9.1 order": not drafting or (not made and state["drafted"] == state["hand"]),
            "9.1 packs": all(
                len(pack) == (full + 1 - len(held[seat]) if drafting else 0) for seat, pack in state["pack"].items()
            ),
            "9.1 picks": not drafting
            or [len(cards) for cards in held.values()]
            == [len(held[self.seats()[-1]]) + (seat < state["seat"]) for seat in range(self.players)],
            "9.1 box": len(state["box"]) == (self.players if state["draft"] and not drafting else 0),
        }

    def checks_of_board(self) -> dict[str, bool]:
        """Advantages, Challenge cards, Lira, rounds (2.5, 10, 11, 12)."""
        state, cards = self.state, list(self.state["advantage"].values())
        out = {"present", "gift"} if state["expert_deck"] else set()
        out |= {"provident"} if state["grandmaster"] else set()
        solo = self.players == 1
        challenge = Counter([*state["challenge"], *state["revealed"], *state["left_out"]])
        revealed = state["round_number"] - 1 + state["turn_over"] if solo else 0
        return {
            "2.5 Advantages": len(set(cards)) == 4
            and not out & set(cards)
            and (state["advantage_mode"] != "first_game" or set(cards) <= set(FIRST_GAME_CARDS)),
            "9.2 interactive": sum(card in INTERACTIVE_CARDS for card in cards) == state["interactive"],
            "10.1 Challenge": challenge == (CHALLENGE_CARDS if solo else Counter()) and len(state["revealed"]) == revealed,
            "10.1 stack": len(state["challenge"]) == (6 - revealed if solo else 0),
            "11.2 gaps": state["gap_lira"] == self.lira_left_on_gaps(),
            "11.3 Selector": self.selector_is_right(),
            "11.6 Owl": bool(state["owl"]) == state["grandmaster"],
            "12.1 last round": state["last_round"] == self.is_last_round(),
            "12.3 rounds": state["round_number"] <= (7 if solo or state["grandmaster"] else state["max_rounds"]),
            "Lira": all(lira <= self.most_lira(seat) for seat, lira in state["lira"].items()),
        }

    def selector_moves(self) -> int:
        """How often a grandmaster's Selector has been turned (11.3)."""
        state = self.state
        return (state["round_number"] - 1) * self.players + seat_of(state["turn"]) + state["selector_set"]

    def selector_is_right(self) -> bool:
        """On a notch; a grandmaster's where its turns have brought it (11.3)."""
        moves = self.selector_moves()
        if not self.state["grandmaster"]:
            return self.state["selector"] is not None
        return self.state["selector"] == (f"notch {(moves - 1) % NOTCHES}" if moves else None)

    def lira_left_on_gaps(self) -> dict[str, int]:
        """What lies on the gaps that the Selector has passed so often (11.2, 11.4)."""
        if not self.state["grandmaster"]:
            return {}
        at_first = {"gap 5": 1 + (self.players > 2), "gap 11": 1 + (self.players > 3)}
        passed = Counter(f"gap {(move - 2) % NOTCHES}" for move in range(2, self.selector_moves() + 1))
        return {gap: lira - passed[gap] for gap, lira in at_first.items() if lira > passed[gap]}

    def is_last_round(self) -> bool:
        """Whether somebody has made all works, or the gaps are empty (11.7, 12.1)."""
        finished = self.state["phase"] != "draft" and not all(self.state["hand"].values())
        return finished or (self.state["grandmaster"] and not self.state["gap_lira"])

    def most_lira(self, seat: str) -> int:
        """What turns, works and cards can have paid, and once more all that a game can pay without Sells."""
        state = self.state
        used = {name: len(set(works) & set(state["set_aside"])) for name, works in state["works"].items()}
        turn = seat_of(state["turn"])
        sold = seat_of(seat) < turn or (seat == state["turn"] and state["negotiations"] > 0)
        from_gaps = self.players * state["grandmaster"] - sum(state["gap_lira"].values())
        others = sum(used.values()) - used[seat]
        paid = state["round_number"] - 1 + sold + 10 * len(state["works"][seat]) + 3 * used[seat] + others + from_gaps
        return 4 + 7 * (10 + 3) + 3 * 7 + 4 + paid

    def checks_of_turn(self) -> dict[str, bool]:
        """What has been done in the turn follows from what came before (3, 5.4, 8.10, 8.12, 8.14, 12.1)."""
        state, drafting = self.state, self.state["phase"] == "draft"
        may_end = state["negotiations"] > 0 or state["passed"]
        turn, over = seat_of(state["turn"]), state["phase"] == "over"
        done = [seat for seat in self.seats() if not drafting and not state["hand"][seat]]
        fresh = {**FRESH_TURN, "turn": "player_0", "round_number": 1}
        return {
            "4.1 takes": state["takes"] <= (1 + state["repetition"] if state["selector_set"] else 0),
            "3.2 Collect": not state["collect_closed"] or state["takes"] > 0,
            "5 actions": state["negotiations"] <= (1 + state["privilege"] if state["collect_closed"] else 0),
            "5.4 pass": not state["passed"] or (state["collect_closed"] and not state["negotiations"]),
            "6.3 works": state["works_made"] <= (len(state["works"][state["turn"]]) if may_end else 0),
            "8.6 follow-up": not state["follow_up"] or (state["negotiations"] > 0 and not state["works_made"]),
            "8.8 mixed": all(self.used_by(seat, "magician") for seat, mixed in state["mixed"].items() if mixed),
            "8.10 Privilege": not state["privilege"] or (state["collect_closed"] and self.used_by(self.me, "privilege")),
            "8.12 Repetition": not state["repetition"] or self.used_by(self.me, "repetition"),
            "8.14 Quotation": not state["quotation"] or state["works_made"] > 0,
            "9.1 draft": not drafting or (all(state[name] == value for name, value in fresh.items()) and self.is_set_up()),
            "12.1 finished": all(seat_of(seat) < turn or (seat_of(seat) == turn and state["works_made"] > 0) for seat in done),
            "12 over": not over or (turn == self.players - 1 and may_end and self.is_end_of_game()),
        }

    def is_set_up(self) -> bool:
        """Whether shards, Lira and Owl are where the set-up puts them (2.3, 2.4, 11.6)."""
        state = self.state
        markets = sorted(kind for market in state["market"].values() for kind in market)
        return (
            markets == sorted(COLOURS)
            and [sum(market.values()) for market in state["market"].values()] == [1] * len(MARKETS)
            and not any(state["bench"].values())
            and set(state["lira"].values()) == {4}
            and state["owl"] == (self.seats()[-1] if state["grandmaster"] else None)
            and not any(state["mixed"].values())
        )

    def is_end_of_game(self) -> bool:
        """Whether the game may end with this round (10.2, 12.1, 12.3)."""
        if self.state["last_round"]:
            return True
        if self.players == 1:
            return not self.state["challenge"]
        return not self.state["grandmaster"] and self.state["round_number"] == self.state["max_rounds"]

    def used_by(self, seat: str, card: str) -> bool:
        """Whether a player has set aside a work that names the tile of a card (7.3)."""
        tiles = [tile for tile, there in self.state["advantage"].items() if there == card]
        used = set(self.state["works"][seat]) & set(self.state["set_aside"])
        return any(tile in self.state["category"][work] for tile in tiles for work in used)

    def checks_of_choice(self) -> dict[str, bool]:
        """What is asked can be asked, of this seat (3.4, 4.2, 5.3, 8, 9, 10.1)."""
        state, phase = self.state, self.state["phase"]
        picked = state["arranged"]
        hand = [f"position {place}" for place in range(1, len(state["hand"][self.actor]) + 1)]
        card = {"traveller_goal": "traveller", "opportunist_again": "opportunist", "expert_picks": "expert"}.get(phase, phase)
        card = "collector" if phase == "collector_partner" else card
        paid = {0, 1, 4} if self.used_by(self.me, "merchant") else {0, 1}
        elsewhere = ("draft", "return", "clumsiness")
        solo_asks = {"return": set(COLOURS), "challenge": {"market"}}
        return {
            "3.4 who": self.actor == self.me or phase in elsewhere,
            "4.2 missing": (state["missing"] > 0) == (phase == "replace"),
            "5.3 Sell": (state["sale"] > 0) == (phase == "sell") and state["sale"] in paid,
            "7.3 card": card not in (*BASE_CARDS, *INTERACTIVE_CARDS) or self.used_by(self.me, card),
            "8.5 offer": phase == "expert_picks" or not state["offered"],
            "8.8 order": phase == "magician" or not picked,
            "8.8 picks": len(set(picked)) == len(picked) and set(picked) <= set(hand),
            "8.8 last": phase != "magician" or len(picked) < len(hand) - 1,
            "8.13 goal": (state["chosen_market"] is not None) == (phase == "traveller_goal"),
            "9.6 partner": (state["chosen_shard"] is not None) == (phase in ("traveller_goal", "collector_partner")),
            "9.4 Dealer": not (phase == "return" and self.actor != self.me) or self.used_by(self.me, "dealer"),
            "10.1 under way": not state["turn_over"]
            or (self.players == 1 and state["revealed"][-1] in solo_asks.get(phase, ()) and not state["last_round"]),
            "10.1 asked": state["turn_over"] or phase != "challenge",
        }

    # ---- Rare events

    def twist(self, chance: Random) -> bool:
        """Works have been made, money is short or plenty, markets are full or empty, the Warehouse has gaps."""
        if self.state["phase"] == "draft":
            return False
        for market in range(len(MARKETS)):
            self.empty_into_warehouse(market)
        for seat in map(player, range(self.players)):
            hand = self.state["hand"][seat]
            made = chance.randrange(len(hand))
            self.state["works"][seat], self.state["hand"][seat] = hand[:made], hand[made:]
            self.state["lira"][seat] = chance.choice((0, 1, 2, 4, 30, 40, 45))
            self.furnish(seat, chance)
        for market in range(len(MARKETS)):
            self.scatter(self.market(market), chance.choice((0, 0, 1, 2, PLACES)), chance)
        if self.state["selector"] is not None:
            self.state |= chance.choice(TWISTED_TURNS)
        return True

    def furnish(self, seat: str, chance: Random) -> None:
        """Put on a Workbench all that the first card needs, or anything."""
        recipe = self.state["recipe"][self.state["hand"][seat][0]]
        bench = self.state["bench"][seat]
        if chance.random() < 0.4 and all(self.warehouse.get(shard, 0) >= number for shard, number in recipe.items()):
            for shard, number in recipe.items():
                remove(self.warehouse, shard, number)
                add(bench, shard, number)
        else:
            self.scatter(bench, chance.choice((0, 0, 1, 4, ROOM)), chance)

    def scatter(self, heap: dict[str, int], number: int, chance: Random) -> None:
        """Move shards from the Warehouse, rather of a kind of which few are left."""
        for _ in range(number):
            kinds = sorted(self.warehouse, key=lambda kind: self.warehouse[kind])
            shard = chance.choice(kinds[:3])
            remove(self.warehouse, shard)
            add(heap, shard)
