"""Artisans, slowly: one method a clause of `artisans_env/RULES.md`."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from random import Random

from tools.reference.base import Choices, Reference, add, best, player, remove, seat_of, share_the_win

MATERIALS = ("textile", "clay", "wood", "stone", "glass", "gold", "metal")
ARTISANS = (
    *("gold_lover", "sculptor", "versatile", "specialist", "night_worker"),
    *("perfectionist", "compulsive_collector", "opportunist", "provident"),
)
SLOTS = ("slot 0", "slot 1", "slot 2", "slot 3", "slot 4")
PLACES = ("place 0", "place 1", "place 2", "place 3")
FULL_HAND = 6
LAST_ROUND = 12
HIGHEST_LEVEL = 4
LEVELS = {"level 1": 1, "level 2": 2, "level 3": 3, "level 4": 4}
DECK_POINTS = {"deck_1": Counter({3: 4, 4: 3, 5: 2, 6: 1}), "deck_2": Counter({4: 1, 5: 2, 6: 3, 7: 4})}
"""How many objects of each value are in each deck (2.2)."""


class Artisans(Reference):
    """A game of Artisans."""

    name = "artisans"

    # ---- The table

    @property
    def me(self) -> str:
        """Who is to act."""
        return player(self.state["seat"])

    @property
    def hand(self) -> dict[str, int]:
        """The mover's cards."""
        return self.state["hand"][self.me]

    def has(self, artisan: str) -> bool:
        """Whether the mover has this artisan."""
        return self.state["artisan"][self.me] == artisan

    def level(self, owner: str, material: str) -> int:
        """How far a material is developed: levels are filled from the first on (5.1)."""
        return len(self.state["developed"][owner][material])

    def leave_hand(self, material: str, number: int) -> None:
        """Cards leave the hand; known ones go first (9.1)."""
        remove(self.hand, material, number)
        known = self.state["known"][self.me]
        if material in known:
            remove(known, material, min(number, known[material]))

    def enter_hand(self, material: str) -> None:
        """A card comes from the market, seen by all (9.1)."""
        add(self.hand, material)
        add(self.state["known"][self.me], material)

    def next_seat(self) -> int:
        """Who sits to the left of the mover: play goes clockwise."""
        return (self.state["seat"] + 1) % self.players

    # ---- Choices

    def choices(self) -> Choices:
        """What the mover may do."""
        phase = self.state["phase"]
        return {} if phase == "over" else getattr(self, f"{phase}_choices")()

    def draft_choices(self) -> Choices:
        """An artisan that nobody has (2.3)."""
        taken = self.state["artisan"].values()
        return {f"choose {artisan}": partial(self.choose, artisan) for artisan in ARTISANS if artisan not in taken}

    def choose(self, artisan: str) -> None:
        """The first round begins when all have chosen."""
        self.state["artisan"][self.me] = artisan
        self.state["seat"] = self.next_seat()
        if self.state["seat"] == 0:
            self.ask_the_provident()

    # ---- Rounds (3)

    def start_round(self) -> None:
        """What happens at the start of a round, in order (3.1)."""
        state = self.state
        state["round_number"] += 1
        if state["round_number"] == 7:
            state["removed"], state["deck_1"] = state["deck_1"], []
        for place in PLACES:
            if state["row"][place] is None:
                state["row"][place] = self.next_object()
        self.reveal_market()
        state["token_taken"] = False
        for seat in range(self.players):
            state["visits"][player(seat)] = 0
            state["crafted"][player(seat)] = False
        self.ask_the_provident()

    def next_object(self) -> str | None:
        """From deck 1 while it has cards, then from deck 2 (3.2)."""
        deck = self.state["deck_1"] or self.state["deck_2"]
        return deck.pop() if deck else None

    def ask_the_provident(self) -> None:
        """Before the first turn an object may be reserved (3.1f, 8.9)."""
        owners = [seat for seat in range(self.players) if self.state["artisan"][player(seat)] == "provident"]
        if owners and self.state["reserved"] is None and any(self.state["row"].values()):
            self.state["phase"] = "reserve"
            self.state["seat"] = owners[0]
        else:
            self.first_turn()

    def reserve_choices(self) -> Choices:
        """An object of the row, or none (8.9)."""
        places = [place for place in PLACES if self.state["row"][place] is not None]
        found: Choices = {f"reserve row {place[-1]}": partial(self.reserve, place) for place in places}
        found["pass"] = self.first_turn
        return found

    def reserve(self, place: str) -> None:
        """Its place stays empty for now (8.9)."""
        self.state["reserved"] = self.state["row"][place]
        self.state["row"][place] = None
        self.first_turn()

    def first_turn(self) -> None:
        """The first player begins phase A (3.3)."""
        self.state["phase"] = "turn"
        self.state["seat"] = seat_of(self.state["first_player"])

    # ---- The market (4.2 to 4.5)

    def reveal_market(self) -> None:
        """Five cards, one by one; where none is left a slot stays empty (4.5)."""
        for number, slot in enumerate(SLOTS):
            if not self.state["pile"] and self.state["discard"]:
                self.reshuffle(SLOTS[number:])
            self.state["market"][slot] = self.state["pile"].pop() if self.state["pile"] else None

    def reshuffle(self, slots: tuple[str, ...]) -> None:
        """The discard becomes the pile, in the order that nature chose: these slots are filled from it, the rest remains."""
        drawn = [self.after["market"][slot] for slot in slots]
        pile = [*self.after["pile"], *(card for card in reversed(drawn) if card is not None)]
        assert Counter(pile) == Counter(self.state["discard"]), "4.5: the new pile is the discard"
        self.state["pile"] = pile
        self.state["discard"] = {}
        self.state["rng"] = self.after["rng"]

    def visits(self, then: Callable[[], None]) -> Choices:
        """An exchange with six cards in hand (4.2), otherwise a card to take (4.3)."""
        return self.exchanges(then) if sum(self.hand.values()) == FULL_HAND else self.takes(then)

    def exchanges(self, then: Callable[[], None]) -> Choices:
        """The card put down differs from both neighbours of its slot (4.2)."""
        market = self.state["market"]
        found: Choices = {}
        for number, slot in enumerate(SLOTS):
            neighbours = (market[SLOTS[number - 1]], market[SLOTS[(number + 1) % 5]])
            for material in self.hand:
                if market[slot] is not None and material not in neighbours:
                    found[f"exchange slot {number} for {material}"] = partial(self.exchange, slot, material, then)
        return found

    def exchange(self, slot: str, material: str, then: Callable[[], None]) -> None:
        """The card put down is counted first (9.1)."""
        taken = self.state["market"][slot]
        self.leave_hand(material, 1)
        self.enter_hand(taken)
        self.state["market"][slot] = material
        then()

    def takes(self, then: Callable[[], None]) -> Choices:
        """A card of the market (4.3)."""
        market = self.state["market"]
        return {f"take {slot}": partial(self.take, slot, then) for slot in SLOTS if market[slot] is not None}

    def take(self, slot: str, then: Callable[[], None]) -> None:
        """Its slot stays empty (4.3)."""
        self.enter_hand(self.state["market"][slot])
        self.state["market"][slot] = None
        then()

    def market_is_needed(self) -> None:
        """A player may still act: an empty market is filled at once (4.4)."""
        if not any(self.state["market"].values()):
            self.reveal_market()

    def close_market(self) -> None:
        """What is left goes to the discard (4.8)."""
        for slot in SLOTS:
            if self.state["market"][slot] is not None:
                add(self.state["discard"], self.state["market"][slot])
                self.state["market"][slot] = None

    # ---- Crafting (4.6)

    def crafts(self, then: Callable[[], None]) -> Choices:
        """Objects of the row, and the provident's own, whose materials are developed far enough (4.6, 8.9)."""
        found: Choices = {}
        for place in PLACES:
            if self.state["row"][place] is not None and self.is_able(self.state["row"][place]):
                found[f"craft row {place[-1]}"] = partial(self.craft_from_row, place, then)
        reserved = self.state["reserved"]
        if reserved is not None and self.has("provident") and self.is_able(reserved):
            found["craft reserved"] = partial(self.craft_reserved, then)
        return found

    def is_able(self, thing: str) -> bool:
        """Whether the mover has developed every material of an object to its level."""
        return all(self.level(self.me, material) >= level for material, level in self.state["required"][thing].items())

    def craft_from_row(self, place: str, then: Callable[[], None]) -> None:
        """The row is not filled before the next round (4.6)."""
        self.state["maker"][self.state["row"][place]] = self.me
        self.state["row"][place] = None
        then()

    def craft_reserved(self, then: Callable[[], None]) -> None:
        """8.9."""
        self.state["maker"][self.state["reserved"]] = self.me
        self.state["reserved"] = None
        then()

    def may_craft(self) -> bool:
        """From round 3 on, not after a visit, once a round (4.6)."""
        return self.state["round_number"] >= 3 and not self.state["visits"][self.me] and not self.state["crafted"][self.me]

    # ---- Phase A (4)

    def turn_choices(self) -> Choices:
        """A visit, a craft or the token (4.1); only the token after too many visits (4.9)."""
        found: Choices = {"take token": self.take_token}
        if self.state["visits"][self.me] < self.state["max_visits"]:
            found |= self.visits(self.visited)
        if self.may_craft():
            found |= self.crafts(self.crafted)
        return found

    def visited(self) -> None:
        """The visit was the turn; all may act again."""
        self.state["visits"][self.me] += 1
        self.market_is_needed()
        self.next_turn()

    def crafted(self) -> None:
        """The craft was the turn, but for a night worker (8.5)."""
        self.state["crafted"][self.me] = True
        if self.has("night_worker"):
            self.state["phase"] = "night"
        elif self.state["token_taken"]:
            self.next_last_action()
        else:
            self.next_turn()

    def next_turn(self) -> None:
        """To the left."""
        self.state["phase"] = "turn"
        self.state["seat"] = self.next_seat()

    def night_choices(self) -> Choices:
        """A visit, the token if it is in the centre, or a pass (8.5)."""
        if self.state["token_taken"]:
            return {**self.visits(self.last_action_visited), "pass": self.next_last_action}
        return {**self.visits(self.visited), "take token": self.take_token, "pass": self.next_turn}

    def take_token(self) -> None:
        """The taker is first player at once; the others have a last action each (3.3, 4.7)."""
        self.state["token_taken"] = True
        self.state["first_player"] = self.me
        self.next_last_action()

    def next_last_action(self) -> None:
        """Clockwise from the taker's left; when all have acted the market closes (4.7, 4.8)."""
        self.state["seat"] = self.next_seat()
        if self.me != self.state["first_player"]:
            self.state["phase"] = "last"
            self.market_is_needed()
        else:
            self.close_market()
            self.state["phase"] = "develop"

    def last_choices(self) -> Choices:
        """A visit, a craft, or a pass (4.7); the opportunist may visit twice (8.8)."""
        then = self.first_of_two_visits if self.has("opportunist") else self.last_action_visited
        found = self.visits(then)
        if self.may_craft():
            found |= self.crafts(self.crafted)
        found["pass"] = self.next_last_action
        return found

    def last_action_visited(self) -> None:
        """Last actions are not counted as visits (4.9)."""
        self.next_last_action()

    def first_of_two_visits(self) -> None:
        """4.4 holds between the two (8.8)."""
        self.state["phase"] = "second"
        self.market_is_needed()

    def second_choices(self) -> Choices:
        """The second visit, or a pass (8.8)."""
        return {**self.visits(self.last_action_visited), "pass": self.next_last_action}

    # ---- Phase B (5)

    def develop_choices(self) -> Choices:
        """Cards of one material at its next level, or nothing (5.1 to 5.3)."""
        found: Choices = {"pass": self.developed}
        for material, cards in self.hand.items():
            for number in range(1, min(cards, self.room_above(material)) + 1):
                found[f"develop {material} x{number}"] = partial(self.develop, material, number)
        return found

    def room_above(self, material: str) -> int:
        """How many cards the next level can hold (5.2, 8.6)."""
        levels = self.state["developed"][self.me][material]
        if not levels:
            return FULL_HAND
        if len(levels) == HIGHEST_LEVEL:
            return 0
        return levels[f"level {len(levels)}"] + self.has("perfectionist")

    def develop(self, material: str, number: int) -> None:
        """5.1."""
        self.leave_hand(material, number)
        self.state["developed"][self.me][material][f"level {self.level(self.me, material) + 1}"] = number
        self.developed()

    def developed(self) -> None:
        """The next player develops; after all of them the round is over."""
        self.state["seat"] = self.next_seat()
        if self.me != self.state["first_player"]:
            return
        if self.state["round_number"] < LAST_ROUND:
            self.start_round()
        else:
            self.state["phase"] = "finish"

    # ---- End (6)

    def finish_choices(self) -> Choices:
        """One more object, or none (6.1)."""
        return {**self.crafts(self.finished), "pass": self.finished}

    def finished(self) -> None:
        """The next player; after all of them the game is over."""
        self.state["seat"] = self.next_seat()
        if self.me == self.state["first_player"]:
            self.state["phase"] = "over"

    def ending(self) -> str:
        """Every game ends by its rules."""
        return "terminated" if self.state["phase"] == "over" else "goes_on"

    def objects(self) -> dict[str, list[str]]:
        """The objects that each player has crafted."""
        crafted: dict[str, list[str]] = {player(seat): [] for seat in range(self.players)}
        for thing, maker in self.state["maker"].items():
            if maker:
                crafted[maker].append(thing)
        return crafted

    def scores(self) -> list[int]:
        """Levels, objects, the artisan's bonus, less a reserved object (6.2)."""
        return [self.score(owner, objects) for owner, objects in self.objects().items()]

    def score(self, owner: str, objects: list[str]) -> int:
        """6.2."""
        points = self.state["points"]
        levels = sum(
            [
                LEVELS[level] * cards
                for developed in self.state["developed"][owner].values()
                for level, cards in developed.items()
            ]
        )
        reserved = self.state["reserved"] if self.state["artisan"][owner] == "provident" else None
        crafted = sum([points[thing] for thing in objects])
        return levels + crafted + self.bonus(owner, objects) - (points[reserved] if reserved else 0)

    def bonus(self, owner: str, objects: list[str]) -> int:
        """What the artisan adds (8.1 to 8.4, 8.7)."""
        artisan = self.state["artisan"][owner]
        needs = [set(self.state["required"][thing]) for thing in objects]
        if artisan == "gold_lover":
            return 4 * sum("gold" in materials for materials in needs)
        if artisan == "sculptor":
            return 3 * sum(bool(materials & {"wood", "stone"}) for materials in needs)
        if artisan == "versatile":
            return 2 * len(set().union(*needs))
        if artisan == "specialist":
            return 5 * sum(self.level(owner, material) == HIGHEST_LEVEL for material in MATERIALS)
        return 2 * len(needs) if artisan == "compulsive_collector" else 0

    def developed_cards(self, owner: str) -> int:
        """All cards at levels."""
        return sum([sum(levels.values()) for levels in self.state["developed"][owner].values()])

    def returns(self, scores: list[int]) -> list[float]:
        """Highest score, then more objects, then more developed cards (6.3)."""
        made = self.objects().items()
        keys = [(score, len(own), self.developed_cards(seat)) for score, (seat, own) in zip(scores, made, strict=True)]
        return share_the_win(best(keys), self.players)

    # ---- Set-up (2)

    def faults_of_deal(self) -> list[str]:
        """What is wrong with a game just dealt."""
        state = self.state
        seats = [player(seat) for seat in range(self.players)]
        materials = Counter(state["pile"]) + Counter(state["market"].values())
        for seat in seats:
            materials.update(state["hand"][seat])
        row = [state["row"][place] for place in PLACES]
        first, second = ([*state["deck_1"], *row], state["deck_2"])
        artisans = [state["artisan"][seat] for seat in seats]
        drafted = state["artisan_mode"] == "draft"
        asks_provident = "provident" in artisans
        checks = {
            "1.1 cards": materials == Counter(dict.fromkeys(MATERIALS, 6 * self.players)),
            "2.1 hands": all(sum(state["hand"][seat].values()) == FULL_HAND for seat in seats),
            "2.1 market": all(state["market"].values()) and not state["discard"] and not state["token_taken"],
            "2.2 deck 1": Counter(state["points"][thing] for thing in first) == DECK_POINTS["deck_1"],
            "2.2 deck 2": Counter(state["points"][thing] for thing in second) == DECK_POINTS["deck_2"],
            "2.2 objects": sorted([*first, *second, *state["box"]]) == sorted(state["points"]) and not state["removed"],
            "2.3 artisans": artisans == [None] * self.players if drafted else len(set(artisans)) == self.players,
            "2.3 phase": state["phase"] == ("draft" if drafted else "reserve" if asks_provident else "turn"),
            "3.3 first player": state["first_player"] == "player_0" and state["round_number"] == 1,
            "9.1 known": not any(state["known"].values()),
            "nothing done": not any(state["maker"].values()) and not any(self.developed_cards(seat) for seat in seats),
        }
        return [name for name, right in checks.items() if not right]

    # ---- What every position keeps

    def faults_of_position(self) -> list[str]:
        """What of the position breaks the rules."""
        seats = [player(seat) for seat in range(self.players)]
        checks = {
            "1.1 cards": self.all_materials() == Counter(dict.fromkeys(MATERIALS, 6 * self.players)),
            **self.checks_of_objects(),
            **self.checks_of_decision(seats),
        }
        wrong = [name for name, right in checks.items() if not right]
        return [*wrong, *(f"{name} of {seat}" for seat in seats for name in self.faults_of_seat(seat))]

    def all_materials(self) -> Counter[str]:
        """Every material card, wherever it is."""
        state = self.state
        cards = Counter(state["pile"]) + Counter(state["discard"]) + Counter(card for card in state["market"].values() if card)
        for seat in map(player, range(self.players)):
            cards.update(state["hand"][seat])
            cards.update({material: sum(levels.values()) for material, levels in state["developed"][seat].items()})
        return cards

    def checks_of_objects(self) -> dict[str, bool]:
        """Every object is in one place; decks and box are made up by points (1.2, 2.2, 3.1)."""
        state, points = self.state, self.state["points"]
        open_ones = [thing for thing in [*state["row"].values(), state["reserved"]] if thing]
        made = [thing for thing, maker in state["maker"].items() if maker]
        everywhere = [*open_ones, *made, *state["deck_1"], *state["deck_2"], *state["box"], *state["removed"]]
        dealt = DECK_POINTS["deck_1"] + DECK_POINTS["deck_2"]
        first = Counter(points[thing] for thing in [*state["deck_1"], *state["removed"]])
        second = Counter(points[thing] for thing in state["deck_2"])
        late = state["round_number"] >= 7
        return {
            "1.2 objects": sorted(everywhere) == sorted(points),
            "2.2 box": Counter(points.values()) - Counter(points[thing] for thing in state["box"]) == dealt
            and len(state["box"]) == 4,
            "2.2 decks": first <= DECK_POINTS["deck_1"] and second <= DECK_POINTS["deck_2"],
            "2.2 row": len(state["deck_1"]) <= 6,
            "3.1 deck 1": not (late and state["deck_1"]) and (late or not state["removed"]),
            "3.2 deck 2": not state["deck_1"] or len(state["deck_2"]) == 10,
            "8.9 reserve": not state["reserved"] or ("provident" in state["artisan"].values() and state["phase"] != "draft"),
        }

    def checks_of_decision(self, seats: list[str]) -> dict[str, bool]:
        """Market, token and mover belong to what is decided (2.3, 3.3, 4, 5, 6, 8)."""
        state, phase = self.state, self.state["phase"]
        early, late = phase in ("draft", "reserve", "turn"), phase in ("develop", "finish", "over")
        is_taker = self.me == state["first_player"]
        chosen = [state["artisan"][seat] for seat in seats]
        drafted = chosen[: state["seat"]] if phase == "draft" else chosen
        return {
            "2.3 artisans": None not in drafted and len(set(drafted)) == len(drafted) and not any(chosen[len(drafted) :]),
            "2.3 draft": phase != "draft"
            or (state["artisan_mode"] == "draft" and state["round_number"] == 1 and state["first_player"] == "player_0"),
            "4.4 market": not any(state["market"].values()) if late else self.market_is_open(),
            "4.7 token": not state["token_taken"] if early else state["token_taken"] or phase == "night",
            "4.7 last actions": not (is_taker and state["token_taken"] and phase in ("night", "last", "second")),
            "6.1 end": phase not in ("finish", "over") or state["round_number"] == LAST_ROUND,
            "6.1 over": phase != "over" or is_taker,
            "8.5 night": phase != "night"
            or (self.has("night_worker") and state["crafted"][self.me] and not state["visits"][self.me]),
            "8.8 second": phase != "second" or self.has("opportunist"),
            "8.9 reserve": phase != "reserve"
            or (self.has("provident") and not state["reserved"] and any(state["row"].values())),
        }

    def market_is_open(self) -> bool:
        """It holds a card, or there is none for it (4.4, 4.5)."""
        return any(self.state["market"].values()) or not (self.state["pile"] or self.state["discard"])

    def faults_of_seat(self, seat: str) -> list[str]:
        """What is wrong with cards, levels, objects and visits of a seat."""
        state, hand = self.state, self.state["hand"][seat]
        size, objects = sum(hand.values()), self.objects()[seat]
        before = state["phase"] in ("draft", "reserve")
        rounds = state["round_number"] - (not self.has_developed(seat))
        crafts = max(state["round_number"] - 3, 0) + state["crafted"][seat] + (state["phase"] in ("finish", "over"))
        checks = {
            "2.1 hand": size <= FULL_HAND <= size + self.developed_cards(seat),
            "4.6 objects": state["crafted"][seat] <= len(objects) <= crafts,
            "4.6 levels": all(
                self.level(seat, material) >= level for thing in objects for material, level in state["required"][thing].items()
            ),
            "4.6 crafted": not state["crafted"][seat] or (state["round_number"] >= 3 and not before),
            "4.9 visits": state["visits"][seat] <= (0 if before else state["max_visits"]),
            "5.1 levels": sum(map(len, state["developed"][seat].values())) <= rounds,
            "5.2 cards": all(self.is_developed(seat, levels) for levels in state["developed"][seat].values()),
            "9.1 known": all(number <= hand.get(material, 0) for material, number in state["known"][seat].items()),
        }
        return [name for name, right in checks.items() if not right]

    def has_developed(self, seat: str) -> bool:
        """Whether a seat has had its decision of this round's phase B."""
        if self.state["phase"] in ("finish", "over"):
            return True
        first = seat_of(self.state["first_player"])
        order = [player((first + place) % self.players) for place in range(self.players)]
        return self.state["phase"] == "develop" and order.index(seat) < order.index(self.me)

    def is_developed(self, seat: str, levels: dict[str, int]) -> bool:
        """Levels follow one another, each with no more cards than the one before allows (5.2, 8.6)."""
        cards = [levels[level] for level in LEVELS if level in levels]
        more = self.state["artisan"][seat] == "perfectionist"
        return list(LEVELS)[: len(cards)] == sorted(levels) and all(above <= below + more for below, above in pairwise(cards))

    # ---- Rare events

    def twist(self, chance: Random) -> bool:
        """A later round begins, with materials developed as far as the cards go, and a short pile."""
        state, pile = self.state, self.state["pile"]
        if state["phase"] != "draft":
            state["round_number"] = chance.randint(1, LAST_ROUND)
            if state["round_number"] >= 7:
                state["removed"], state["deck_1"] = state["deck_1"], []
            for seat in map(player, range(self.players)):
                for _ in range(chance.randrange(state["round_number"])):
                    self.furnish(state["developed"][seat], chance)
        left = chance.choice((0, 1, 3, 6, len(pile)))
        while len(pile) > left:
            add(state["discard"], pile.pop())
        return True

    def furnish(self, developed: dict[str, dict[str, int]], chance: Random) -> None:
        """Develop a material by one level with cards of the pile, no more than at the level below."""
        material = chance.choice(MATERIALS)
        levels = developed[material]
        number = min(chance.choice((1, 2, 3)), self.state["pile"].count(material), *levels.values())
        if number and len(levels) < HIGHEST_LEVEL:
            levels[f"level {len(levels) + 1}"] = number
            for _ in range(number):
                self.state["pile"].remove(material)
