"""Rebuilds what a seat of Murano sees, from its first view and its events alone."""

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
            getattr(self, f"hear_{kind}")(event)

    # ---- Shards and Lira

    def hear_take(self, event: Event) -> None:
        self.move_shards(event["from"], side_of(event["seat"]), event["shards"])

    def hear_put(self, event: Event) -> None:
        self.move_shards(side_of(event["seat"]), event["to"], event["shards"])

    def hear_give(self, event: Event) -> None:
        self.move_shards(side_of(event["from_seat"]), side_of(event["to_seat"]), event["shards"])

    def hear_move(self, event: Event) -> None:
        self.move_shards(event["from"], event["to"], event["shards"])

    def move_shards(self, source: str, goal: str, shards: list[str]) -> None:
        self.change_pile(source, shards, -1)
        self.change_pile(goal, shards, 1)

    def change_pile(self, place: str, shards: list[str], change: int) -> None:
        among = self.view if place == "warehouse" else self.view["market" if "market" in place else "bench"]
        pile = Counter(among[place])
        for shard in shards:
            pile[shard] += change
        if min(pile.values(), default=0) < 0:
            raise ValueError(f"{place} has no such shards: {shards}")
        among[place] = dict(+pile)

    def hear_offer(self, event: Event) -> None:
        self.view["offered"] = dict(Counter(event["shards"]))

    def hear_lira(self, event: Event) -> None:
        self.view["lira"][side_of(event["seat"])] += event["change"]

    # ---- The board

    def hear_selector(self, event: Event) -> None:
        self.view["selector"] = event["notch"]

    def hear_ring(self, event: Event) -> None:
        old = int(self.view["ring_offset"].split()[1])
        assert event["segment"] == f"segment {(old + event['steps']) % 12}"
        self.view["ring_offset"] = event["segment"]

    def hear_gap(self, event: Event) -> None:
        left = Counter(self.view["gap_lira"])
        left[event["gap"]] -= 1
        self.view["gap_lira"] = dict(+left)

    def hear_challenge(self, event: Event) -> None:
        self.view["challenge"].pop()
        self.view["revealed"].append(event["card"])

    # ---- Cards

    def hear_make(self, event: Event) -> None:
        side = side_of(event["seat"])
        assert self.view["hand"][side].pop(0) in (event["card"], HIDDEN)
        self.view["works"][side].append(event["card"])

    def hear_use(self, event: Event) -> None:
        assert event["work"] in self.view["works"][side_of(event["seat"])]
        assert event["advantage"] == self.view["advantage"][event["tile"]]
        self.view["set_aside"][event["work"]] = 1

    def hear_reorder(self, event: Event) -> None:
        hand = self.view["hand"][side_of(event["seat"])]
        hand.insert(event["to"] - 1, hand.pop(event["from"] - 1))

    def hear_owl(self, event: Event) -> None:
        assert self.view["owl"] == side_of(event["from_seat"])
        self.view["owl"] = side_of(event["to_seat"])

    def hear_mix(self, event: Event) -> None:
        self.view["mixed"][side_of(event["seat"])] = True

    def hear_arrange(self, event: Event) -> None:
        position = event["position"]
        self.view["arranged"].append(position if position == HIDDEN else f"position {position}")

    def hear_order(self, event: Event) -> None:
        hands, side = self.view["hand"], side_of(event["seat"])
        if HIDDEN not in event["positions"]:
            hands[side] = [hands[side][position - 1] for position in event["positions"]]
        self.view["arranged"] = []

    # ---- The draft

    def hear_draft(self, event: Event) -> None:
        side = side_of(event["seat"])
        self.view["pack"][side].remove(event["card"])
        self.view["drafted"][side].append(event["card"])
        self.view["hand"][side].append(event["card"])

    def hear_pass(self, event: Event) -> None:
        self.view["pack"][side_of(event["to_seat"])] = event["cards"]

    def hear_box(self, event: Event) -> None:
        self.view["pack"][side_of(event["seat"])].remove(event["card"])
        self.view["box"].append(event["card"])

    # ---- Turns and rounds

    def hear_last_round(self, _: Event) -> None:
        self.view["last_round"] = True

    def hear_round(self, event: Event) -> None:
        self.view["round_number"] = event["number"]

    def hear_turn(self, event: Event) -> None:
        self.view["turn"] = side_of(event["seat"])


def side_of(seat: int) -> str:
    return f"player_{seat}"
