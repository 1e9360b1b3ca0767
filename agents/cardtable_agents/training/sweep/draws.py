"""Which values the settings of a sweep take: every combination of a grid, or combinations drawn at random."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from cardtable.errors import OptionError
from cardtable.support.messages import shown
from cardtable.support.plain import is_integer

MOST_RUNS = 1000
"""Of a sweep: beyond what anybody looks at, and more likely a slip in the file."""
DIGITS = 3
"""Significant digits of a number that is drawn: enough to find it again, few enough for the name of a folder."""
MOST_TRIES = 100
"""Draws for each new combination; after that many that were there already there are hardly any others."""
RANGE_KEYS = {"low", "high", "log"}
LARGEST_DRAW_SEED = 2**63 - 1

Values = dict[str, Any]
"""Setting -> value: what distinguishes a combination."""


# ---- A grid


def grid(table: Mapping[str, Any], where: str, seeds: int) -> list[Values]:
    """Every combination of the values of each setting, the last setting changing fastest."""
    if not table:
        raise OptionError(f"{where} is empty: expected settings with lists of values, such as entropy = [0.01, 0.02]")
    for name, values in table.items():
        _require_values(values, f"{where} {name}")
    require_number(math.prod(len(values) for values in table.values()), seeds, where)
    return [dict(zip(table, values, strict=True)) for values in product(*table.values())]


def _require_values(values: object, where: str) -> None:
    """`OptionError` if this is not a list of different values."""
    if not isinstance(values, list) or not values:
        raise OptionError(f"{where}: expected a list of values, found {shown(values)}; a single value belongs in [settings]")
    for place, value in enumerate(values):
        if value in values[:place]:
            raise OptionError(f"{where}: {shown(value)} is there twice")


def require_number(combinations: int, seeds: int, where: str) -> None:
    """`OptionError` if these are too many runs."""
    if combinations * seeds > MOST_RUNS:
        told = f"{combinations:,} combinations × {seeds:,} seeds are {combinations * seeds:,} runs"
        raise OptionError(f"{where}: {told}, at most {MOST_RUNS:,} are allowed")


# ---- At random


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`; with lists, points on the straight way from one list to the other."""

    low: tuple[float, ...]
    high: tuple[float, ...]
    log: bool
    """Whether factors are equally likely, not differences."""
    integers: bool
    listed: bool

    def draw(self, generator: np.random.Generator) -> Any:
        """A value: rounded, so that it can be written down and used again."""
        place = generator.random()
        drawn = [self._number(low, high, place) for low, high in zip(self.low, self.high, strict=True)]
        return drawn if self.listed else drawn[0]

    def _number(self, low: float, high: float, place: float) -> float:
        if self.integers:
            return min(int(self._between(low, high + 1, place)), int(high))
        return float(f"{self._between(low, high, place):.{DIGITS}g}")

    def _between(self, low: float, high: float, place: float) -> float:
        return low * (high / low) ** place if self.log else low + (high - low) * place


@dataclass(frozen=True)
class Choices:
    """One of several values, each equally likely."""

    values: Sequence[Any]

    def draw(self, generator: np.random.Generator) -> Any:
        """A value."""
        return self.values[int(generator.integers(len(self.values)))]


def random(table: Mapping[str, Any], where: str, seeds: int) -> list[Values]:
    """Different combinations, drawn one after the other: with a larger `number` the first ones stay the same."""
    rest = dict(table)
    number, seed = rest.pop("number", None), rest.pop("seed", 1)
    if not is_integer(number) or int(number) < 1:
        raise OptionError(f"{where} number: expected how many combinations to draw, an integer from 1, found {shown(number)}")
    if not is_integer(seed) or not 0 <= int(seed) <= LARGEST_DRAW_SEED:
        raise OptionError(f"{where} seed: expected an integer from 0 to 2 ** 63 - 1, found {shown(seed)}")
    require_number(int(number), seeds, where)
    if not rest:
        raise OptionError(f"{where} names no settings: expected ranges such as clip = {{low = 0.05, high = 0.3}}, or lists")
    sources = {name: _source(value, f"{where} {name}") for name, value in rest.items()}
    return _different(sources, int(number), np.random.default_rng(int(seed)), where)


def _different(sources: Mapping[str, Range | Choices], number: int, generator: np.random.Generator, where: str) -> list[Values]:
    found: list[Values] = []
    for _ in range(number * MOST_TRIES):
        drawn = {name: source.draw(generator) for name, source in sources.items()}
        if drawn not in found:
            found.append(drawn)
        if len(found) == number:
            return found
    raise OptionError(f"{where} number={number}: only {len(found)} different combinations were found; widen the ranges")


def _source(value: object, where: str) -> Range | Choices:
    """What a setting is drawn from."""
    if isinstance(value, list):
        _require_values(value, where)
        return Choices(value)
    if not isinstance(value, dict) or not {"low", "high"} <= set(value) or set(value) - RANGE_KEYS:
        expected = "a list of choices, or {low = …, high = …}, with log = true if factors are to be equally likely"
        raise OptionError(f"{where}: expected {expected}; found {shown(value)}")
    return _range(value, where)


def _range(value: Mapping[str, Any], where: str) -> Range:
    listed, log = isinstance(value["low"], list), value.get("log", False)
    low, high = (_numbers(value[end], f"{where} {end}") for end in ("low", "high"))
    if len(low) != len(high) or listed is not isinstance(value["high"], list):
        raise OptionError(f"{where}: low={shown(value['low'])}, high={shown(value['high'])}: expected lists of equal length")
    if not isinstance(log, bool):
        raise OptionError(f"{where} log: expected true or false, found {shown(log)}")
    for one, other in zip(low, high, strict=True):
        if one >= other and not (listed and one == other):
            raise OptionError(f"{where}: low={one} is not below high={other}")
        if log and one <= 0:
            raise OptionError(f"{where}: low={one}: with log = true only numbers above 0 are allowed")
    return Range(low, high, log, all(map(is_integer, (*low, *high))), listed)


def _numbers(value: object, where: str) -> tuple[float, ...]:
    numbers = value if isinstance(value, list) else [value]
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int | float) or not abs(number) <= 1e15:
            raise OptionError(f"{where}: {shown(number)} is not a number from -1e15 to 1e15")
    if not numbers:
        raise OptionError(f"{where}: the list is empty")
    return tuple(numbers)
