"""What seats see of a game: a rule for every field of its record, declared beside its state.

A view is the readable state with everything closed that a seat cannot know. A field without a rule is an error when the game
is declared, so that a forgotten field cannot leak.
"""

from collections.abc import Callable, Mapping
from typing import Any

from cardtable.game.record import HEADER, SEATS, Field, Record

HIDDEN = "?"
"""What stands for a thing that a seat cannot know."""

View = dict[str, Any]
"""Plain readable data: names, lists, dicts, integers."""

Rule = Callable[[Any, View, int], Any]
"""(readable value of the field, the view with all open, seat) -> what the seat sees of the value, in objects of its own."""


def public(value: Any, _: View, __: int) -> Any:  # noqa: ANN401  # a readable value
    """All see it."""
    return value


def fixed(value: Any, _: View, __: int) -> Any:  # noqa: ANN401  # a readable value
    """All see it, and it stays as it is all game long: options and what comes from an edition."""
    return value


def left_out(_: Any, __: View, ___: int) -> Any:  # noqa: ANN401  # a readable value
    """Nobody sees it, not even spectators: where the game's randomness comes from."""
    raise AssertionError("fields that are left out are not in a view")


def face_down(value: Any, _: View, __: int) -> Any:  # noqa: ANN401  # a readable value
    """All see how many there are, nobody which."""
    return closed(value)


def own(value: Any, _: View, seat: int) -> dict[str, Any]:  # noqa: ANN401  # a readable value
    """By seat: each sees its own; of the others, how many there are."""
    return {name: entry if name == SEATS[seat] else closed(entry) for name, entry in value.items()}


def own_and_known(hands: dict[str, dict[str, int]], view: View, seat: int) -> dict[str, dict[str, int]]:
    """The own hand; of the others, the cards that all know of (the field `known`), and how many more there are."""
    return {side: cards if side == SEATS[seat] else known_part(cards, view["known"][side]) for side, cards in hands.items()}


def known_part(cards: dict[str, int], known: dict[str, int]) -> dict[str, int]:
    """The cards that all know of, and the number of all others."""
    unknown = sum(cards.values()) - sum(known.values())
    return {**known, HIDDEN: unknown} if unknown else dict(known)


def closed(value: Any) -> Any:  # noqa: ANN401  # a readable value
    """A value of which only the size is seen: a pile as a list of "?", counts as the number of "?", all else as "?"."""
    if isinstance(value, list):
        return [HIDDEN] * len(value)
    if isinstance(value, dict):
        total = sum(value.values())
        return {HIDDEN: total} if total else {}
    return HIDDEN


def called(side: str, viewer: int | None) -> str:
    """A player as a viewer calls it: `player_0 (you)` for itself. None is a spectator."""
    return f"{side} (you)" if viewer is not None and side == SEATS[viewer] else side


class Sight:
    """The rules of a game's record: `Sight(STATE, hand=own, pile=face_down, …)`. Fields of the header have theirs already."""

    def __init__(self, state: Record, **rules: Rule) -> None:
        given = {"seed": left_out, "index": left_out, "rng": left_out, "length": public, "num_players": fixed, "seat": public}
        assert set(given) == {each.name for each in HEADER}
        self.rules: Mapping[str, Rule] = {**given, **rules}
        shown = {each.name for each in state.fields if not each.derived}
        missing, unknown = sorted(shown - set(self.rules)), sorted(set(self.rules) - shown)
        if missing or unknown:
            raise TypeError(f"sight: fields without a rule: {missing}; rules without a field: {unknown}")
        self._closing = {name: rule for name, rule in self.rules.items() if rule not in (public, fixed, left_out)}

    def fields(self, state: Record, *, fixed_ones: bool) -> tuple[Field, ...]:
        """The fields that views show: those that stay as they are, or those that change."""
        return tuple(
            each
            for each in state.fields
            if each.name in self.rules
            and self.rules[each.name] is not left_out
            and (self.rules[each.name] is fixed) == fixed_ones
        )

    def close(self, view: View, seat: int) -> View:
        """A view with all open as a seat sees it."""
        return {**view, **{name: rule(view[name], view, seat) for name, rule in self._closing.items()}}
