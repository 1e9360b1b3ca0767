"""Rebuilds what a seat of Artisans sees, from its first view and its events alone."""

from collections import Counter
from typing import Any

from cardtable.game.sight import HIDDEN

Event = dict[str, Any]


class Tracker:
    """Keeps a view up to date by events; written from RULES.md, it calls nothing of the game."""

    def __init__(self, view: dict[str, Any]) -> None:
        self.view = view

    def hear(self, event: Event) -> None:
        kind = event["event"]
        if kind == "now":
            self.view.update({name: value for name, value in event.items() if name != "event"})
        elif kind == "action":
            self.view["length"] += 1
        elif kind not in ("start", "end"):
            getattr(self, kind)(event)

    # ---- Hands

    def leave_hand(self, seat: int, card: str, number: int) -> None:
        """Known cards leave first (ART-9.1)."""
        side = f"player_{seat}"
        hand, known = Counter(self.view["hand"][side]), Counter(self.view["known"][side])
        seen = min(known[card], number)
        hand[card] -= seen
        hand[card if self.open_hand(seat) else HIDDEN] -= number - seen
        known[card] -= seen
        self.view["hand"][side], self.view["known"][side] = dict(+hand), dict(+known)

    def enter_hand(self, seat: int, card: str) -> None:
        """In the sight of all (ART-9.1)."""
        for name in ("hand", "known"):
            cards = self.view[name][f"player_{seat}"]
            cards[card] = cards.get(card, 0) + 1

    def open_hand(self, seat: int) -> bool:
        return self.view["viewer"] in (None, seat)

    # ---- Actions

    def choose(self, event: Event) -> None:
        self.view["artisan"][f"player_{event['seat']}"] = event["artisan"]

    def reserve(self, event: Event) -> None:
        self.view["row"][event["place"]] = None
        self.view["reserved"] = event["object"]

    def craft(self, event: Event) -> None:
        self.view["row"][event["place"]] = None
        self.view["maker"][event["object"]] = f"player_{event['seat']}"

    def craft_reserved(self, event: Event) -> None:
        self.view["reserved"] = None
        self.view["maker"][event["object"]] = f"player_{event['seat']}"

    def take(self, event: Event) -> None:
        self.view["market"][event["slot"]] = None
        self.enter_hand(event["seat"], event["card"])

    def exchange(self, event: Event) -> None:
        self.leave_hand(event["seat"], event["put_down"], 1)
        self.view["market"][event["slot"]] = event["put_down"]
        self.enter_hand(event["seat"], event["card"])

    def token(self, event: Event) -> None:
        self.view["token_taken"] = True
        self.view["first_player"] = f"player_{event['seat']}"

    def develop(self, event: Event) -> None:
        self.leave_hand(event["seat"], event["card"], event["number"])
        self.view["developed"][f"player_{event['seat']}"][event["card"]][event["level"]] = event["number"]

    # ---- The market

    def close(self, event: Event) -> None:
        self.view["market"] = dict.fromkeys(self.view["market"])
        self.view["discard"] = dict(Counter(self.view["discard"]) + Counter(event["cards"]))

    def shuffle(self, event: Event) -> None:
        self.view["pile"], self.view["discard"] = event["pile"], {}

    def reveal(self, event: Event) -> None:
        self.view["pile"].pop()
        self.view["market"][event["slot"]] = event["card"]

    # ---- A new round

    def round(self, event: Event) -> None:
        self.view["round_number"] = event["round"]
        self.view["token_taken"] = False

    def remove(self, event: Event) -> None:
        self.view["removed"], self.view["deck_1"] = self.view["deck_1"], []

    def fill(self, event: Event) -> None:
        self.deck(event).pop()
        self.view["row"][event["place"]] = event["object"]

    def turn_up(self, event: Event) -> None:
        self.deck(event)[-1] = event["object"]

    def deck(self, event: Event) -> list[str]:
        objects: list[str] = self.view[event["deck"].replace(" ", "_")]
        return objects
