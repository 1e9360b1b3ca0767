"""Positions of Artisans for tests, built from what matters; everything else is filled in."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from artisans_env.components import MATERIALS
from artisans_env.env import GAME
from cardtable.engine import loops
from cardtable.engine.jit import as_games
from cardtable.table import Table

PLAIN_ARTISANS = ("specialist", "gold_lover", "versatile", "compulsive_collector")
"""Artisans that change nothing in play, for tests of the rules that all share."""
SLOTS = 5
PLACES = 4
FULL = "textile clay wood stone glass gold"
"""A hand of six different cards."""
MASK = {"clay": (1, 1), "gold": (1, 1)}
"""Developed cards that the Mask requires: 6 points of levels."""
DECK_1 = ["Lantern", "Icon", "Oven", "Seal", "Mosaic", "Mask", "Well", "Gate", "Mirror", "Mill"]
DECK_2 = ["Sail", "Astrolabe", "Shrine", "Pavilion", "Buddha", "Regalia", "Winter garden", "Throne canopy", "Reliquary"]
DECK_2 += ["Puppet theatre"]
"""Decks of the built-in edition, the top first, that could have been dealt."""


def open_game(players: int = 2, artisans: Any = None, seed: int = 1, deal: Any = None, **options: Any) -> Table:
    """A dealt game."""
    names = list(PLAIN_ARTISANS[:players]) if artisans is None else artisans
    table = Table(GAME, GAME.parse_options({"num_players": players, "artisans": names, **options}))
    table.deal(seed, deal=deal)
    return table


def redeals(table: Table, seat: int, number: int) -> np.ndarray:
    """Records of the game with what the seat cannot know drawn anew, so many times."""
    games = as_games(np.repeat(table.games, number))
    loops.redeal_many(games, seat, np.uint64(1))
    return games


def position(
    *,
    players: int = 2,
    artisans: Any = None,
    month: int = 3,
    phase: str = "turn",
    seat: int = 0,
    first: int = 0,
    token_taken: bool | None = None,
    hands: Mapping[int, str] | None = None,
    known: Mapping[int, str] | None = None,
    market: str = "clay wood stone glass gold",
    developed: Mapping[int, Mapping[str, Sequence[int]]] | None = None,
    row: Sequence[str | None] = (),
    reserved: str | None = None,
    objects: Mapping[int, Iterable[str]] | None = None,
    visits: Mapping[int, int] | None = None,
    crafted: Iterable[int] = (),
    discard: str = "",
    pile: str | None = None,
    deck_1: Sequence[str] | None = None,
    deck_2: Sequence[str] | None = None,
    **options: Any,
) -> Table:
    """A table with this position. Hands, market ("-" is an empty slot), discard and pile (top first) are words.

    Cards not named are in the pile, objects not named in the decks and the box, as dealt.
    """
    table = open_game(players, artisans, **options)
    plain = table.state_dict()
    seats = [f"player_{number}" for number in range(players)]
    plain.update(phase=phase, round_number=month, seat=seat, first_player=seats[first])
    plain["token_taken"] = phase in ("last", "second", "develop", "finish", "over") if token_taken is None else token_taken
    for number, name in enumerate(seats):
        plain["hand"][name] = dict(Counter((hands or {}).get(number, FULL).split()))
        plain["known"][name] = dict(Counter((known or {}).get(number, "").split()))
        plain["developed"][name] = _developed((developed or {}).get(number, {}))
        plain["visits"][name] = (visits or {}).get(number, 0)
        plain["crafted"][name] = number in crafted
    slots = [] if phase in ("develop", "finish", "over") else market.split()
    plain["market"] = dict(
        zip(plain["market"], [None if card == "-" else card for card in slots] + [None] * SLOTS, strict=False)
    )
    plain["discard"] = dict(Counter(discard.split()))
    _lay_objects(plain, row, reserved, objects or {}, deck_1, deck_2)
    plain["pile"] = _rest(plain, players) if pile is None else pile.split()[::-1]
    return put(table, plain)


def put(table: Table, plain: dict[str, Any]) -> Table:
    """The table with this state on it, unchecked: tests leave out what does not matter to them."""
    fields = {name: value for name, value in plain.items() if name not in ("game", "rules")}
    records = GAME.state_under(table.options).restore(fields)
    loops.derive_one(as_games(records))
    table._put(as_games(records), {})
    return table


def _developed(levels: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    return {
        material: {f"level {level}": cards for level, cards in enumerate(levels.get(material, ()), start=1)}
        for material in MATERIALS
    }


def _lay_objects(plain: Any, row: Any, reserved: Any, objects: Any, deck_1: Any, deck_2: Any) -> None:
    places = [*row, *[None] * (PLACES - len(row))]
    plain["row"] = dict(zip(plain["row"], places, strict=True))
    plain["reserved"] = reserved
    plain["maker"] = dict.fromkeys(plain["maker"])
    for number, names in objects.items():
        plain["maker"].update(dict.fromkeys(names, f"player_{number}"))
    laid = {*places, reserved, *(name for name, maker in plain["maker"].items() if maker)}
    for name, given in (("deck_1", deck_1), ("deck_2", deck_2), ("box", None)):
        cards = plain[name] if given is None else list(given)[::-1]
        plain[name] = [card for card in cards if card not in laid]


def _rest(plain: Any, players: int) -> list[str]:
    """The material cards that are nowhere else, in turn."""
    used = Counter(card for card in plain["market"].values() if card) + Counter(plain["discard"])
    for hand in plain["hand"].values():
        used += Counter(hand)
    for levels in plain["developed"].values():
        used += Counter({material: sum(cards.values()) for material, cards in levels.items()})
    left = {material: 6 * players - used[material] for material in MATERIALS}
    return [material for turn in range(6 * players) for material in MATERIALS if left[material] > turn]


def play(table: Table, *actions: str) -> Table:
    """Play actions by name; each must be legal."""
    for name in actions:
        table.play(table.checked_action(GAME.actions.id_of(name)))
    return table


def legal(table: Table, *beginnings: str) -> list[str]:
    """The legal actions that begin with one of these words, or all."""
    return [name for name in table.legal_actions() if not beginnings or name.startswith(beginnings)]


def phase(table: Table) -> str:
    return table.state_dict()["phase"]


def market(table: Table) -> str:
    return " ".join(card or "-" for card in table.state_dict()["market"].values())


def row(table: Table) -> list[str | None]:
    return list(table.state_dict()["row"].values())


def next_object(table: Table) -> str | None:
    """The object turned up on the current deck, as the table shows it."""
    found = re.search(r"^next\s+(\S.*?)\s{2,}", table.text(), flags=re.MULTILINE)
    return found[1] if found else None


def hand(table: Table, seat: int) -> dict[str, int]:
    return table.state_dict()["hand"][f"player_{seat}"]


def known(table: Table, seat: int) -> dict[str, int]:
    return table.state_dict()["known"][f"player_{seat}"]


def scores(table: Table) -> list[float]:
    return table.result()[1]


def returns(table: Table) -> list[float]:
    return table.result()[0]


def fault(table: Table) -> str:
    """What `check` says of the table."""
    return GAME.faults(int(loops.check_one(table._games))).name


def pass_all(table: Table, until: str) -> Table:
    """Pass until another phase comes."""
    while phase(table) != until:
        play(table, "pass")
    return table


def random_games(options: Mapping[str, Any], games: int, seed: int = 1) -> Any:
    """The table before every decision of some random games."""
    generator = np.random.default_rng(seed)
    for index in range(games):
        table = Table(GAME, GAME.parse_options(options))
        table.deal(seed, index)
        while not table.ending:
            yield table
            table.play(int(generator.choice(np.flatnonzero(table.mask))))
