"""Rebuilds what a seat of Muster sees, from its first view and its events alone."""

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

    def leaves_hand(self, seat: int, card: str) -> None:
        """A known card leaves first (MUS-8.2)."""
        side = f"player_{seat}"
        hand, known = Counter(self.view["hand"][side]), Counter(self.view["known"][side])
        hand[card if self.open_hand(seat) or known[card] else HIDDEN] -= 1
        known[card] -= known[card] > 0
        self.view["hand"][side], self.view["known"][side] = dict(+hand), dict(+known)

    def enters_hand(self, seat: int, card: str, *, seen: bool) -> None:
        side = f"player_{seat}"
        hand, known = Counter(self.view["hand"][side]), Counter(self.view["known"][side])
        hand[card] += 1
        known[card] += seen
        self.view["hand"][side], self.view["known"][side] = dict(+hand), dict(+known)

    def open_hand(self, seat: int) -> bool:
        return self.view["viewer"] in (None, seat)

    # ---- Events

    def play(self, event: Event) -> None:
        self.leaves_hand(event["seat"], event["card"])
        self.column(event["seat"], event["castle"]).append(event["card"])

    def wizard(self, event: Event) -> None:
        self.leaves_hand(event["seat"], "wizard/bridge")
        self.add_wizards(event["seat"], event["castle"], 1)

    def move(self, event: Event) -> None:
        self.add_wizards(event["seat"], event["from"], -1)
        self.add_wizards(event["seat"], event["to"], 1)

    def turn_up(self, event: Event) -> None:
        self.view["pile"].pop()
        self.view["turned_up"] = event["card"]

    def place(self, event: Event) -> None:
        self.view["castle"][event["castle"]].append(event["card"])
        self.view["turned_up"] = None

    def lay(self, event: Event) -> None:
        self.leaves_hand(event["seat"], event["card"])
        self.view["castle"][event["castle"]].append(event["card"])

    def bridge(self, event: Event) -> None:
        for _ in range(event["bridges"]):
            self.leaves_hand(event["seat"], "wizard/bridge")
            self.column(event["seat"], event["castle"]).append("bridge")
        self.play(event)

    def swap(self, event: Event) -> None:
        self.leaves_hand(event["seat"], event["card"])
        self.enters_hand(event["seat"], "wizard/bridge", seen=True)
        column = self.column(event["owner"], event["castle"])
        if event["rainbow"] == "wizard":
            self.add_wizards(event["owner"], event["castle"], -1)
            column.insert(event["place"], event["card"])
        else:
            column[event["place"]] = event["card"]

    def draw(self, event: Event) -> None:
        from_pile = event["from"] == "pile"
        (self.view["pile"] if from_pile else self.view["castle"][event["from"]]).pop()
        self.enters_hand(event["seat"], event["card"], seen=not from_pile)

    # ---- Columns

    def column(self, seat: int, castle: str) -> list[str]:
        pieces: list[str] = self.view["column"][f"player_{seat}"][castle]
        return pieces

    def add_wizards(self, seat: int, castle: str, number: int) -> None:
        wizards = Counter(self.view["wizards"][f"player_{seat}"])
        wizards[castle] += number
        self.view["wizards"][f"player_{seat}"] = dict(+wizards)
