"""The options of Artisans (ART-7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from artisans_env.components import ARTISANS, BUILT_IN, BUILT_IN_EDITION, OBJECTS, Edition, edition_of
from artisans_env.constants import DEFAULT_MAX_VISITS, LARGEST_MAX_VISITS, LEAST_PLAYERS, MOST_PLAYERS, ArtisanMode
from cardtable.errors import OptionError
from cardtable.game.images import Images
from cardtable.game.options import Options, option
from cardtable.support.messages import shown
from cardtable.support.plain import plain_data

MODES = {"draft": ArtisanMode.DRAFT, "random": ArtisanMode.RANDOM}
"""The values of `artisans` that are words (ART-2.3)."""


@dataclass(frozen=True)
class ArtisansOptions(Options):
    """How many play, how they come by their artisans, with which objects, and the limit of market visits."""

    num_players: int = option(LEAST_PLAYERS, "2, 3 or 4 (ART-1.1)")
    artisans: str | Sequence[str] = option("draft", "`draft`, `random`, or one name per seat, all different (ART-2.3)")
    edition: str | PathLike[str] | Mapping[str, Any] | Edition = option(
        BUILT_IN, "the built-in `reconstruction`, or the path of an edition file (ART-11)"
    )
    max_visits: int = option(DEFAULT_MAX_VISITS, "market visits a round, after which a player must take the token (ART-4.9)")

    def __post_init__(self) -> None:
        object.__setattr__(self, "edition", edition_of(self.edition))
        artisans = plain_data(self.artisans, "artisans", OptionError)
        object.__setattr__(self, "artisans", tuple(artisans) if isinstance(artisans, list) else artisans)
        super().__post_init__()

    def validate(self) -> None:
        """Raise `OptionError` for a wrong value or a clash."""
        self.require_int("num_players", LEAST_PLAYERS, MOST_PLAYERS)
        self.require_int("max_visits", 1, LARGEST_MAX_VISITS)
        if isinstance(self.artisans, tuple):
            self._validate_names(self.artisans)
        elif not isinstance(self.artisans, str) or self.artisans not in MODES:
            allowed = f"{', '.join(MODES)}, or a list with one name per seat"
            raise OptionError(f"artisans={shown(self.artisans)}: allowed: {allowed}")

    def _validate_names(self, names: tuple[Any, ...]) -> None:
        given = f"artisans={shown(list(names))}"
        for name in names:
            if name not in ARTISANS:
                raise OptionError(f"{given}: {shown(name)} is not one of {', '.join(ARTISANS)}")
        if len(names) != self.num_players:
            raise OptionError(f"{given}: {len(names)} names for num_players={self.num_players}")
        if len(set(names)) != len(names):
            raise OptionError(f"{given}: all must be different")

    @property
    def cards(self) -> Edition:
        """The objects played with."""
        assert isinstance(self.edition, Edition)
        return self.edition

    def to_dict(self) -> dict[str, Any]:
        """The options as plain data; an edition other than the built-in one with all its objects."""
        return {
            "num_players": self.num_players,
            "artisans": self.artisans if isinstance(self.artisans, str) else list(self.artisans),
            "edition": BUILT_IN if self.cards == BUILT_IN_EDITION else self.cards.plain(),
            "max_visits": self.max_visits,
        }

    def write_to(self, record: np.void) -> None:
        """Write options, edition and assigned artisans into the record."""
        record["num_players"] = self.num_players
        record["max_visits"] = self.max_visits
        record["points"] = self.cards.points()
        record["required"] = self.cards.required()
        if isinstance(self.artisans, str):
            record["artisan_mode"] = MODES[self.artisans]
        else:
            record["artisan_mode"] = ArtisanMode.ASSIGNED
            record["artisan"][: self.num_players] = [ARTISANS.index(name) for name in self.artisans]

    def written(self) -> list[str]:
        """The fields of the record that hold options."""
        fields = ["num_players", "max_visits", "points", "required", "artisan_mode"]
        return fields if isinstance(self.artisans, str) else [*fields, "artisan"]

    def images(self) -> Images:
        """The images of the edition."""
        return self.cards.images

    def labels(self) -> dict[Sequence[str], Sequence[str]]:
        """The objects are called as the edition calls them."""
        return {OBJECTS: self.cards.names()}
