"""The options of Murano (MUR-14)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from cardtable.errors import OptionError
from cardtable.game.images import Images
from cardtable.game.options import Options, option
from cardtable.game.record import Labels
from cardtable.support.messages import shown
from cardtable.support.plain import plain_data
from murano_env.components import BUILT_IN, BUILT_IN_EDITION, CREATIONS, Edition, edition_of
from murano_env.constants import (
    ADVANTAGE_KINDS,
    BASE_ADVANTAGES,
    DEFAULT_MAX_ROUNDS,
    DEFAULT_PLAYERS,
    LARGEST_MAX_ROUNDS,
    MOST_PLAYERS,
    SOLO,
    TILES,
    Advantage,
    AdvantageMode,
)
from murano_env.state import FACES

MODES = {"random": AdvantageMode.RANDOM, "first_game": AdvantageMode.FIRST_GAME}
"""The values of `advantages` that are words (MUR-2.5)."""

SIMPLE_CARDS = (Advantage.PRESENT + 1, Advantage.GIFT + 1)
"""The cards that `expert_deck` takes out (MUR-2.5)."""

PROVIDENT = Advantage.PROVIDENT + 1


@dataclass(frozen=True)
class MuranoOptions(Options):
    """How many play, which variants, the face of the Ring, the Advantages, the edition, and the limit of rounds."""

    num_players: int = option(DEFAULT_PLAYERS, "1 (The Challenge, solo) to 4 (MUR-1.1, 10)")
    ring: str = option("A", "face of the Ring: `A` or `B` (MUR-2.1)")
    advantages: str | Sequence[int] = option(
        "random", "`random`, `first_game` (cards 1–4), or four ids in tile order: art, jewels, tableware, animals (MUR-2.5)"
    )
    expert_deck: bool = option(False, "cards 1 and 2 are not drawn (MUR-2.5)")
    draft: bool = option(False, "hands are drafted (MUR-9.1)")
    interactive: bool = option(False, "one of the Advantages is an interactive card, 17–20 (MUR-9.2)")
    grandmaster: bool = option(False, "the Grandmaster's Challenge (MUR-11)")
    edition: str | PathLike[str] | Mapping[str, Any] | Edition = option(
        BUILT_IN, "the built-in `reconstruction`, or the path of an edition file (MUR-13)"
    )
    max_rounds: int = option(
        DEFAULT_MAX_ROUNDS, "rounds after which the game is cut off; not in solo or grandmaster (MUR-12.3)"
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "edition", edition_of(self.edition))
        advantages = plain_data(self.advantages, "advantages", OptionError)
        object.__setattr__(self, "advantages", tuple(advantages) if isinstance(advantages, list) else advantages)
        super().__post_init__()

    def validate(self) -> None:
        """Raise `OptionError` for a wrong value or a clash (MUR-14)."""
        self.require_int("num_players", SOLO, MOST_PLAYERS)
        self.require_int("max_rounds", 1, LARGEST_MAX_ROUNDS)
        for name in ("expert_deck", "draft", "interactive", "grandmaster"):
            self.require_bool(name)
        if not isinstance(self.ring, str) or self.ring not in FACES:
            raise OptionError(f"ring={shown(self.ring)}: allowed: {', '.join(FACES)}")
        self._validate_players()
        if isinstance(self.advantages, tuple):
            self._validate_ids(self.advantages)
        elif not isinstance(self.advantages, str) or self.advantages not in MODES:
            raise OptionError(f"advantages={shown(self.advantages)}: allowed: {', '.join(MODES)}, or a list of four ids")
        elif self.advantages == "first_game":
            self._validate_first_game()

    def _validate_players(self) -> None:
        for name in ("draft", "interactive", "grandmaster"):
            if self.num_players == SOLO and getattr(self, name):
                raise OptionError(f"{name}=True with num_players=1: The Challenge is played without it (MUR-14)")
        if self.draft and self.grandmaster and self.num_players == MOST_PLAYERS:
            raise OptionError("draft=True with grandmaster=True and num_players=4: 28 cards are needed, there are 24 (MUR-14)")

    def _validate_first_game(self) -> None:
        for name in ("interactive", "expert_deck"):
            if getattr(self, name):
                raise OptionError(f"{name}=True with advantages='first_game': those are the cards 1 to 4 (MUR-14)")

    def _validate_ids(self, ids: tuple[Any, ...]) -> None:
        given = f"advantages={shown(list(ids))}"
        for number in ids:
            if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= ADVANTAGE_KINDS:
                raise OptionError(f"{given}: {shown(number)} is not an integer from 1 to {ADVANTAGE_KINDS}")
        if len(ids) != TILES:
            raise OptionError(f"{given}: expected {TILES} ids, one for each tile, found {len(ids)}")
        if len(set(ids)) != len(ids):
            raise OptionError(f"{given}: all must be different")
        self._validate_interactive_ids([number for number in ids if number > BASE_ADVANTAGES], given)
        if self.grandmaster and PROVIDENT in ids:
            raise OptionError(f"{given} with grandmaster=True: card {PROVIDENT} is out of the game (MUR-11.1)")
        for number in SIMPLE_CARDS:
            if self.expert_deck and number in ids:
                raise OptionError(f"{given} with expert_deck=True: card {number} is out of the game (MUR-2.5)")

    def _validate_interactive_ids(self, ids: Sequence[int], given: str) -> None:
        if ids and not self.interactive:
            raise OptionError(f"{given}: card {ids[0]} needs interactive=True (MUR-9.2)")
        if self.interactive and len(ids) != 1:
            raise OptionError(f"{given} with interactive=True: expected one card from 17 to 20, found {len(ids)} (MUR-9.2)")

    @property
    def cards(self) -> Edition:
        """Board and Creations played with."""
        assert isinstance(self.edition, Edition)
        return self.edition

    def to_dict(self) -> dict[str, Any]:
        """The options as plain data; an edition other than the built-in one with all it holds."""
        plain = {name: getattr(self, name) for name in self.names()}
        if not isinstance(self.advantages, str):
            plain["advantages"] = list(self.advantages)
        plain["edition"] = BUILT_IN if self.cards == BUILT_IN_EDITION else self.cards.plain()
        return plain

    def write_to(self, record: np.void) -> None:
        """Write options, edition and given Advantages into the record."""
        for name in ("num_players", "max_rounds", "expert_deck", "draft", "interactive", "grandmaster"):
            record[name] = getattr(self, name)
        record["ring_face"] = FACES.index(self.ring)
        record["circle"] = self.cards.circle()
        record["ring"] = self.cards.ring(self.ring)
        record["recipe"] = self.cards.recipes()
        record["category"] = self.cards.categories()
        if isinstance(self.advantages, str):
            record["advantage_mode"] = MODES[self.advantages]
        else:
            record["advantage_mode"] = AdvantageMode.GIVEN
            record["advantage"] = [number - 1 for number in self.advantages]

    def written(self) -> list[str]:
        """The fields of the record that hold options."""
        own = [name for name in self.names() if name not in ("advantages", "edition")]
        fields = [*own, "ring_face", "advantage_mode", "circle", "recipe", "category"]
        return fields if isinstance(self.advantages, str) else [*fields, "advantage"]

    def images(self) -> Images:
        """The images of the edition."""
        return self.cards.images

    def labels(self) -> Mapping[Labels, Labels]:
        """The Creations are called as the edition calls them."""
        return {CREATIONS: self.cards.names()}
