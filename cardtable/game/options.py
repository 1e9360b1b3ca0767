"""Options: a frozen dataclass per game, checked when it is made, and written to the record, where kernels read them."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np

from cardtable.errors import OptionError, UnknownOption
from cardtable.game.images import Images
from cardtable.game.record import Labels
from cardtable.support.messages import shown
from cardtable.support.plain import is_integer

Value = TypeVar("Value")


def option(default: Value, meaning: str) -> Value:
    """An option with its default and what it means, for documentation tables and help texts."""
    return dataclasses.field(default=default, metadata={"meaning": meaning})


def python_number(value: object) -> object:
    """An integer or bool of numpy, or anything else that is an index, as Python's own; other values as they are."""
    if isinstance(value, np.bool_):
        return bool(value)
    return int(value) if is_integer(value) else value


@dataclass(frozen=True)
class Options:
    """What all games have. A game adds its own fields, each with a default, and extends `validate`."""

    num_players: int = option(2, "seats at the table")

    def __post_init__(self) -> None:
        for name in self.names():
            object.__setattr__(self, name, python_number(getattr(self, name)))
        self.validate()

    @classmethod
    def parse(cls, options: dict[str, Any]) -> Self:
        """The options given by keyword; `UnknownOption` for names that do not exist."""
        allowed = cls.names()
        for name in options:
            if name not in allowed:
                words = f"unknown option {shown(name)}; allowed: {', '.join(allowed)}"
                raise UnknownOption(f"{words} (unexpected keyword argument {shown(name)})")
        return cls(**options)

    @classmethod
    def names(cls) -> list[str]:
        """The names of all options, in order."""
        return [each.name for each in dataclasses.fields(cls)]

    @classmethod
    def table(cls) -> list[tuple[str, Any, str]]:
        """(name, default, meaning) of every option."""
        return [(each.name, each.default, each.metadata.get("meaning", "")) for each in dataclasses.fields(cls)]

    def validate(self) -> None:
        """Raise `OptionError` for a wrong value or a clash."""

    def to_dict(self) -> dict[str, Any]:
        """The options as plain data, as `parse` takes them."""
        return dataclasses.asdict(self)

    def write_to(self, record: np.void) -> None:
        """Write the options into the record's fields of the same names."""
        for each in dataclasses.fields(self):
            record[each.name] = getattr(self, each.name)

    def written(self) -> list[str]:
        """The fields of the record that hold options."""
        return self.names()

    def images(self) -> Images:
        """Images of cards, as far as an option brings any."""
        return {}

    def labels(self) -> Mapping[Labels, Labels]:
        """Names that an option decides: the record's labels -> what they read as under these options."""
        return {}

    def require_bool(self, name: str) -> None:
        """Refuse a value that is not True or False."""
        value = getattr(self, name)
        if not isinstance(value, bool):
            raise OptionError(f"{name}={shown(value)}: allowed: True, False")

    def require_int(self, name: str, low: int, high: int) -> None:
        """Refuse a value that is not an integer from low to high."""
        value = getattr(self, name)
        if not is_integer(value) or not low <= int(value) <= high:
            allowed = f"{low}" if low == high else f"integers from {low} to {high}"
            raise OptionError(f"{name}={shown(value)}: allowed: {allowed}")
