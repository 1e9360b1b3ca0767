"""The cards and the board of Murano, by name: shards, Creations, Advantages, Challenge cards, and edition files (MUR-13)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from cardtable.errors import EditionError
from cardtable.game import editions
from cardtable.support.messages import shown
from cardtable.types import Integers
from murano_env.constants import (
    ADVANTAGE_KINDS,
    CHALLENGE_CARDS,
    COLOURS,
    COPIES_OF_A_COLOUR,
    COPIES_OF_TRANSPARENT,
    CREATION_KINDS,
    MOST_CATEGORIES,
    NOTCHES,
    RECIPE_SIZE,
    Advantage,
    Category,
    Challenge,
    Shard,
)

SHARD_NAMES = tuple(shard.name.lower() for shard in Shard)  # MUR-1.1
COLOUR_NAMES = SHARD_NAMES[: Shard.TRANSPARENT]
CATEGORY_NAMES = tuple(category.name.lower() for category in Category)  # MUR-1.2
ADVANTAGES = tuple(advantage.name.lower() for advantage in Advantage)  # MUR-8, 9
CHALLENGES = tuple(challenge.name.lower() for challenge in Challenge)  # MUR-10.1

COPIES: Integers = np.array([COPIES_OF_A_COLOUR] * COLOURS + [COPIES_OF_TRANSPARENT], np.int16)
"""How many shards of each kind there are (MUR-1.1)."""

CHALLENGE_COPIES: Integers = np.array([1, 1, 1, 1, 2, 1, 1, 2], np.int16)
"""How many Challenge cards of each kind there are (MUR-10.1)."""


class Creation(NamedTuple):
    """A work that can be made (MUR-1.2)."""

    name: str
    recipe: tuple[str, ...]
    """Four colours."""
    categories: tuple[str, ...]
    """One or two."""


class Board(NamedTuple):
    """The shards of the fixed circle and of the two faces of the Ring, clockwise (MUR-1.4)."""

    circle: tuple[str, ...]
    faces: Mapping[str, tuple[str, ...]]


LETTERS = {name[0].upper(): name for name in SHARD_NAMES}
"""R, G, Y, B, T."""


def shards(letters: str) -> tuple[str, ...]:
    """Shards written as letters: `RRRG`."""
    return tuple(LETTERS[letter] for letter in letters)


def _creation(name: str, recipe: str, *categories: str) -> Creation:
    return Creation(name, shards(recipe), categories)


RECONSTRUCTION = (  # MUR-1.7: the printed cards are lost; the names are ours but for the Vase
    _creation("Ruby pendant", "RRRG", "art", "jewels"),
    _creation("Rooster jug", "RRRY", "tableware", "animals"),
    _creation("Red fish", "RRRB", "art", "animals"),
    _creation("Emerald goblet", "GGGR", "jewels", "tableware"),
    _creation("Reed bowl", "GGGY", "art", "tableware"),
    _creation("Tree frog", "GGGB", "jewels", "animals"),
    _creation("Sun plate", "YYYR", "art", "tableware"),
    _creation("Scarab brooch", "YYYG", "jewels", "animals"),
    _creation("Amber chandelier", "YYYB", "art", "jewels"),
    _creation("Sea horse", "BBBR", "art", "animals"),
    _creation("Sapphire carafe", "BBBG", "jewels", "tableware"),
    _creation("Peacock bowl", "BBBY", "tableware", "animals"),
    _creation("Harlequin", "RRGY", "art"),
    _creation("Earrings", "RRGB", "jewels"),
    _creation("Vase", "RRYB", "tableware"),
    _creation("Parrot", "GGRY", "animals"),
    _creation("Millefiori", "GGRB", "art"),
    _creation("Ring", "GGYB", "jewels"),
    _creation("Fruit dish", "YYRG", "tableware"),
    _creation("Canary", "YYRB", "animals"),
    _creation("Paperweight", "YYGB", "art"),
    _creation("Bead necklace", "BBRG", "jewels"),
    _creation("Tumbler", "BBRY", "tableware"),
    _creation("Dolphin", "BBGY", "animals"),
)
CREATIONS = tuple(each.name for each in RECONSTRUCTION)
"""The names of the Creations of the built-in edition; other editions bring their own."""

RECONSTRUCTED_BOARD = Board(shards("RGYBGRBYRBGY"), {"A": shards("TRGTYBTRYTGB"), "B": shards("TTRGTYBGTRYB")})

# ---- Editions (MUR-13)

BUILT_IN = "reconstruction"
"""The name of the built-in edition, as an option and wherever it is shown."""


@dataclass(frozen=True)
class Edition(editions.CardList):
    """A board and a set of 24 Creations."""

    board: Board
    creations: tuple[Creation, ...]

    def names(self) -> tuple[str, ...]:
        """The names of the Creations, by id."""
        return tuple(each.name for each in self.creations)

    def circle(self) -> list[int]:
        """The shard at each notch."""
        return [SHARD_NAMES.index(shard) for shard in self.board.circle]

    def ring(self, face: str) -> list[int]:
        """The shard on each segment of a face of the Ring."""
        return [SHARD_NAMES.index(shard) for shard in self.board.faces[face]]

    def recipes(self) -> list[list[int]]:
        """How many shards of each colour each Creation needs."""
        return [[each.recipe.count(colour) for colour in COLOUR_NAMES] for each in self.creations]

    def categories(self) -> list[list[bool]]:
        """Which categories each Creation has."""
        return [[category in each.categories for category in CATEGORY_NAMES] for each in self.creations]

    def plain(self) -> dict[str, Any]:
        """The edition as an edition file holds it."""
        return {
            "circle": list(self.board.circle),
            "rings": {face: list(ring) for face, ring in self.board.faces.items()},
            "creations": [
                {"name": each.name, "recipe": list(each.recipe), "categories": list(each.categories)} for each in self.creations
            ],
        }


BUILT_IN_EDITION = Edition(BUILT_IN, RECONSTRUCTED_BOARD, RECONSTRUCTION)


def edition_of(option: str | PathLike[str] | Mapping[str, Any] | Edition) -> Edition:
    """The edition that an option names: the built-in one, a TOML file, or what such a file holds as plain data."""
    return editions.edition_of(option, BUILT_IN, BUILT_IN_EDITION, _parse)


def _parse(content: Mapping[str, Any], where: str, title: str) -> Edition:
    editions.same_keys(content, ("circle", "rings", "creations"), where)
    circle = _parse_shards(content["circle"], NOTCHES, COLOUR_NAMES, f"{where}: circle")
    editions.same_keys(content["rings"], tuple(RECONSTRUCTED_BOARD.faces), f"{where}: rings")
    faces = {
        face: _parse_shards(content["rings"][face], NOTCHES, SHARD_NAMES, f"{where}: rings.{face}")
        for face in RECONSTRUCTED_BOARD.faces
    }
    entries = editions.entries_of(content, "creations", CREATION_KINDS, where)
    creations = tuple(_parse_creation(entry, f"{where}: creation {number}") for number, entry in enumerate(entries, start=1))
    editions.different_names([each.name for each in creations], "creation", where)
    return Edition(title, Board(circle, faces), creations)


def _parse_creation(entry: object, where: str) -> Creation:
    where = editions.place_of(entry, where)
    table = editions.same_keys(entry, Creation._fields, where)
    name = editions.name_of(table, where)
    recipe = _parse_shards(table["recipe"], RECIPE_SIZE, COLOUR_NAMES, f"{where}: recipe")
    return Creation(name, recipe, _parse_categories(table["categories"], where))


def _parse_shards(given: object, number: int, allowed: Sequence[str], where: str) -> tuple[str, ...]:
    """So many shards, by name or by first letter."""
    if not isinstance(given, list | tuple | str) or len(given) != number:
        found = len(given) if isinstance(given, list | tuple | str) else shown(given)
        raise EditionError(f"{where}: expected {number} shards, found {found}")
    names = [LETTERS.get(shard, shard) if isinstance(shard, str) else shard for shard in given]
    for place, name in enumerate(names, start=1):
        if name not in allowed:
            raise EditionError(
                f"{where}: shard {place} is {shown(name)}, allowed: {', '.join(allowed)}, or their first letters"
            )
    return tuple(names)


def _parse_categories(given: object, where: str) -> tuple[str, ...]:
    if not isinstance(given, list | tuple) or not 1 <= len(given) <= MOST_CATEGORIES:
        raise EditionError(f"{where}: categories = {shown(given)}: expected a list of one or two")
    for category in given:
        if category not in CATEGORY_NAMES:
            raise EditionError(f"{where}: category {shown(category)} is not one of {', '.join(CATEGORY_NAMES)}")
    if len(set(given)) != len(given):
        raise EditionError(f"{where}: categories = {shown(given)}: the two must differ")
    return tuple(given)


assert len(ADVANTAGES) == ADVANTAGE_KINDS
assert int(CHALLENGE_COPIES.sum()) == CHALLENGE_CARDS
