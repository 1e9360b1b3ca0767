"""The cards of Artisans, by name: materials, artisans, the objects of the built-in edition, and edition files (ART-11)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from artisans_env.constants import (
    DECKS,
    LEAST_POINTS,
    LEAST_REQUIRED,
    LEVELS,
    MATERIAL_KINDS,
    MOST_POINTS,
    OBJECT_KINDS,
    POINT_VALUES,
    Artisan,
    Material,
)
from cardtable.errors import EditionError
from cardtable.game import editions
from cardtable.support.messages import shown
from cardtable.types import Integers

MATERIALS = tuple(material.name.lower() for material in Material)  # ART-1.1
ARTISANS = tuple(artisan.name.lower() for artisan in Artisan)  # ART-1.3


class ArtObject(NamedTuple):
    """An object of art (ART-1.2)."""

    name: str
    points: int
    requires: Mapping[str, int]
    """Material -> level."""


def _object(name: str, points: int, **requires: int) -> ArtObject:
    return ArtObject(name, points, requires)


RECONSTRUCTION = (  # ART-1.4: the printed cards are lost; the names are ours but for the Buddha, the mill and the mask
    _object("Lantern", 3, textile=1, metal=1),
    _object("Beaded veil", 3, textile=1, glass=1),
    _object("Icon", 3, gold=1, wood=2),
    _object("Oven", 3, metal=1, clay=2),
    _object("Seal", 3, stone=1, gold=2),
    _object("Mosaic", 4, glass=2, clay=2),
    _object("Mask", 4, gold=2, clay=2),
    _object("Well", 4, wood=1, stone=3),
    _object("Sail", 4, wood=1, metal=1, textile=2),
    _object("Window", 4, metal=1, stone=1, glass=2),
    _object("Gate", 5, stone=2, metal=3),
    _object("Tapestry loom", 5, wood=2, textile=3),
    _object("Mirror", 5, gold=1, glass=2, wood=2),
    _object("Astrolabe", 5, gold=1, metal=2, clay=2),
    _object("Shrine", 5, textile=1, clay=1, stone=3),
    _object("Mill", 6, metal=3, wood=3),
    _object("Pavilion", 6, textile=2, stone=4),
    _object("Regalia", 6, gold=2, textile=2, glass=2),
    _object("Buddha", 6, wood=1, gold=2, clay=3),
    _object("Fountain", 6, stone=1, glass=2, clay=3),
    _object("Winter garden", 7, wood=3, glass=4),
    _object("Throne canopy", 7, metal=2, gold=2, textile=3),
    _object("Reliquary", 7, stone=1, metal=3, gold=3),
    _object("Puppet theatre", 7, wood=1, clay=2, textile=2, glass=2),
)
OBJECTS = tuple(each.name for each in RECONSTRUCTION)
"""The names of the objects of the built-in edition; other editions bring their own."""

DECK_POINTS: Integers = np.array([[4, 3, 2, 1, 0], [0, 1, 2, 3, 4]], np.int16)
"""How many objects of 3, 4, 5, 6, 7 points make up deck 1 and deck 2 (ART-2.2)."""
assert DECK_POINTS.shape == (DECKS, POINT_VALUES)

# ---- Editions (ART-11.1)

BUILT_IN = "reconstruction"
"""The name of the built-in edition, as an option and wherever it is shown."""


@dataclass(frozen=True)
class Edition(editions.CardList):
    """A set of 24 objects."""

    objects: tuple[ArtObject, ...]

    def names(self) -> tuple[str, ...]:
        """The names of the objects, by id."""
        return tuple(each.name for each in self.objects)

    def points(self) -> list[int]:
        """The points of the objects, by id."""
        return [each.points for each in self.objects]

    def required(self) -> list[list[int]]:
        """The level that each object requires of each material; 0 where it requires none."""
        return [[each.requires.get(material, 0) for material in MATERIALS] for each in self.objects]

    def plain(self) -> dict[str, Any]:
        """The edition as an edition file holds it. Replays are sealed with this text, so its keys stay."""
        return {
            "object": [{"name": each.name, "points": each.points, "requires": dict(each.requires)} for each in self.objects]
        }


BUILT_IN_EDITION = Edition(BUILT_IN, RECONSTRUCTION)


def edition_of(option: str | PathLike[str] | Mapping[str, Any] | Edition) -> Edition:
    """The edition that an option names: the built-in one, a TOML file, or what such a file holds as plain data."""
    return editions.edition_of(option, BUILT_IN, BUILT_IN_EDITION, _parse)


def _parse(content: Mapping[str, Any], where: str, title: str) -> Edition:
    editions.same_keys(content, ("object",), where)
    entries = editions.entries_of(content, "object", OBJECT_KINDS, where)
    objects = tuple(_parse_object(entry, f"{where}: object {number}") for number, entry in enumerate(entries, start=1))
    editions.different_names([each.name for each in objects], "object", where)
    _check_point_values(objects, where)
    return Edition(title, objects)


def _parse_object(entry: object, where: str) -> ArtObject:
    where = editions.place_of(entry, where)
    table = editions.same_keys(entry, ArtObject._fields, where)
    name, points = editions.name_of(table, where), table["points"]
    if not editions.is_within(points, LEAST_POINTS, MOST_POINTS):
        raise EditionError(f"{where}: points = {shown(points)}, allowed: integers from {LEAST_POINTS} to {MOST_POINTS}")
    return ArtObject(name, points, _parse_requires(table["requires"], where))


def _parse_requires(requires: object, where: str) -> dict[str, int]:
    if not isinstance(requires, Mapping):
        raise EditionError(f"{where}: requires = {shown(requires)} is not a table of materials with levels")
    for material, level in requires.items():
        if material not in MATERIALS:
            raise EditionError(f"{where}: requires {shown(material)}, which is not one of {', '.join(MATERIALS)}")
        if not editions.is_within(level, 1, LEVELS):
            raise EditionError(f"{where}: requires {material} = {shown(level)}, allowed: integers from 1 to {LEVELS}")
    if len(requires) < LEAST_REQUIRED:
        raise EditionError(f"{where}: requires: expected {LEAST_REQUIRED} materials or more, found {len(requires)}")
    return dict(requires)


def _check_point_values(objects: Sequence[ArtObject], where: str) -> None:
    found = Counter(each.points for each in objects)
    for value, least in enumerate(DECK_POINTS.sum(axis=0).tolist(), start=LEAST_POINTS):
        if found[value] < least:
            raise EditionError(f"{where}: expected {least} objects of {value} points or more (ART-2.2), found {found[value]}")


assert len(MATERIALS) == MATERIAL_KINDS
