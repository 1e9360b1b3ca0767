"""A game's state as one numpy record, declared once: layout, meaning, range, and its readable form.

Small numbers are int16: in plain Python, int8 + 200 overflows where compiled code widens it.

`Record` turns a list of fields into the dtype that kernels work on, into plain readable data and back, and says
what is wrong with data that is not a state.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from cardtable.engine.constants import NOBODY, READ_BEYOND
from cardtable.errors import StateError
from cardtable.support.messages import listed, shown
from cardtable.support.plain import is_integer
from cardtable.types import Records

MAX_PLAYERS = 4
SEATS = tuple(f"player_{seat}" for seat in range(MAX_PLAYERS))
"""Labels of an axis over seats. Seats beyond the number of players are left out of readable states."""

WORD = 8
"""Records are made of 64-bit words."""

Labels = Sequence[str]
Path = tuple[int, ...]
Read = Callable[[np.void], Any]
"""What reads a field: a record -> the readable form of what it holds."""


@dataclass(frozen=True)
class Field:
    """One field of a record.

    `axes` name the entries of an array, one list of labels per axis; `values` name what an entry stands for
    (then `NOBODY`, where `low` allows it, reads as None). A `flag` reads as a bool; a `count` array leaves zeros out.
    A `derived` field follows from others: readable states leave it out, the game's `derive` kernel fills it in.
    """

    name: str
    dtype: type[np.generic]
    meaning: str
    low: int = 0
    high: int = 0
    axes: tuple[Labels, ...] = ()
    values: Labels | None = None
    flag: bool = False
    count: bool = False
    derived: bool = False

    def columns(self) -> "list[Column]":
        """The numpy fields that hold this one."""
        return [(self.name, self.dtype, tuple(len(axis) for axis in self.axes))]

    def places(self, players: int) -> Iterator[Path]:
        """Every index into the array, without the seats that do not play."""
        sizes = [min(len(axis), players) if is_seats(axis) else len(axis) for axis in self.axes]
        return product(*(range(size) for size in sizes))

    def read_entry(self, record: np.void, place: Path) -> Any:
        """The readable form of one entry."""
        return self.entry_reader()(*(record[name][place].tolist() for name, _, _ in self.columns()))

    def entry_reader(self) -> Callable[..., Any]:
        """What reads an entry: what its columns hold -> its readable form."""
        if self.values is not None:
            return {NOBODY: None, **dict(enumerate(self.values))}.__getitem__
        return bool if self.flag else int

    def reader(self, players: int) -> Read:
        """What reads the field: its entries under the labels of its axes, without the seats that do not play."""
        names = [name for name, _, _ in self.columns()]
        read = self.axes_reader([labels[:players] if is_seats(labels) else labels for labels in self.axes])
        if len(names) > 1:
            return lambda record: read(*[record[name].tolist() for name in names])
        name = names[0]
        return lambda record: read(record[name].tolist())

    def axes_reader(self, axes: Sequence[Labels]) -> Callable[..., Any]:
        """What reads the entries under some axes; of a count, those that are not 0."""
        if not axes:
            return self.entry_reader()
        labels = axes[0]
        if self.count and len(axes) == 1:
            return lambda numbers: {label: number for label, number in zip(labels, numbers, strict=False) if number}
        read = self.axes_reader(axes[1:])
        return lambda *columns: dict(zip(labels, map(read, *columns), strict=False))

    def write_entry(self, record: np.void, place: Path, plain: object, where: str) -> None:
        """Put the readable form of one entry into the record."""
        put(record, self.name, place, self._number(plain, where))

    def fault_of_entry(self, record: np.void, place: Path) -> str | None:
        """What is wrong with the entry as it lies in the record, if anything."""
        value = int(record[self.name][place])
        return None if self.low <= value <= self.high else f"is {value}, allowed: {self.low} to {self.high}"

    def _number(self, plain: object, where: str) -> int:
        if self.values is not None:
            return label_index(self.values, plain, where, allow_none=self.low == NOBODY)
        if self.flag:
            if not isinstance(plain, bool):
                raise StateError(f"{where}: {shown(plain)} is not True or False")
            return int(plain)
        if not is_integer(plain):
            raise StateError(f"{where}: {shown(plain)} is not an integer")
        if not self.low <= int(plain) <= self.high:
            raise StateError(f"{where}: {shown(plain)} is not in {self.low} to {self.high}")
        return int(plain)


@dataclass(frozen=True)
class Stack(Field):
    """A pile of up to `depth` things, or an array of piles: read as lists, bottom first, the top last.

    In the record: `name` holds the things from the bottom up, zeros above the top; `name_size` how many there are.
    """

    depth: int = 0

    @property
    def size_name(self) -> str:
        """The numpy field with the number of things in the pile."""
        return f"{self.name}_size"

    def columns(self) -> "list[Column]":
        """The things, and how many there are."""
        shape = tuple(len(axis) for axis in self.axes)
        return [(self.name, self.dtype, (*shape, self.depth)), (self.size_name, np.int16, shape)]

    def entry_reader(self) -> Callable[..., Any]:
        """What reads a pile by names, the top last."""
        assert self.values is not None
        values = self.values
        return lambda items, size: [values[item] for item in items[:size]]

    def write_entry(self, record: np.void, place: Path, plain: object, where: str) -> None:
        """Put a pile into the record, zeros above it."""
        assert self.values is not None
        if not isinstance(plain, list | tuple):
            raise StateError(f"{where}: {shown(plain)} is not a list")
        if len(plain) > self.depth:
            raise StateError(f"{where}: {len(plain)} entries, at most {self.depth} fit")
        items = [label_index(self.values, item, f"{where}[{i}]", allow_none=False) for i, item in enumerate(plain)]
        record[self.name][place] = 0
        record[self.name][place][: len(items)] = items
        put(record, self.size_name, place, len(items))

    def fault_of_entry(self, record: np.void, place: Path) -> str | None:
        """What is wrong with a pile, if anything."""
        assert self.values is not None
        size = int(record[self.size_name][place])
        if not 0 <= size <= self.depth:
            return f"has size {size}, allowed: 0 to {self.depth}"
        items = record[self.name][place]
        if items[size:].any():
            return "holds something above its top"
        if size and not 0 <= int(items[:size].min()) <= int(items[:size].max()) < len(self.values):
            return f"holds a number outside 0 to {len(self.values) - 1}"
        return None


def put(record: np.void, name: str, place: Path, value: int) -> None:
    """Write one entry of a field; a field without axes has no array to index."""
    if place:
        record[name][place] = value
    else:
        record[name] = value


def is_seats(axis: Labels) -> bool:
    """Whether an axis goes over seats, of which some may not play."""
    return tuple(axis) == SEATS[: len(axis)]


def flag(name: str, meaning: str) -> Field:
    """A field that is true or false."""
    return Field(name, np.int16, meaning, high=1, flag=True)


def label_index(labels: Labels, label: object, where: str, *, allow_none: bool) -> int:
    """The number that a label stands for; `StateError` naming the allowed ones if there is none."""
    if label is None and allow_none:
        return NOBODY
    if not isinstance(label, str) or label not in labels:
        raise StateError(f"{where}: {shown(label)} is not one of {listed(labels)}{' or None' if allow_none else ''}")
    return list(labels).index(label)


LARGEST_SEED = 2**64 - 1
LARGEST_LENGTH = 2**30
"""Decisions of a game that is loaded. No options allow a game of 10**8; so play on from here stays within an int32."""

HEADER = (
    Field("seed", np.uint64, "seed of the run of games", high=LARGEST_SEED),
    Field("index", np.uint64, "number of this game under its seed", high=LARGEST_SEED),
    Field("rng", np.uint64, "state of the game's random stream", high=LARGEST_SEED),
    Field("length", np.int32, "decisions made so far", high=LARGEST_LENGTH),
    Field("num_players", np.int16, "seats that play", low=1, high=MAX_PLAYERS),
    Field("seat", np.int16, "seat to act", high=MAX_PLAYERS - 1),
)
"""The fields that every game has."""


@dataclass(frozen=True)
class Record:
    """The state of a game: its fields, and the dtype made of them."""

    fields: tuple[Field, ...]
    dtype: np.dtype = field(init=False)
    _readers: dict[int, dict[str, Read]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        columns = [column for each in self.fields for column in each.columns()]
        object.__setattr__(self, "dtype", _aligned_without_gaps(columns))

    @classmethod
    def of(cls, *fields: Field) -> "Record":
        """The shared header followed by the game's own fields."""
        return cls((*HEADER, *fields))

    def relabelled(self, labels: Mapping[Labels, Labels]) -> "Record":
        """The same record with other names for what is in it: axes and values with the labels given read as the new ones."""
        return Record(tuple(_relabelled(each, labels) for each in self.fields)) if labels else self

    def blank(self) -> Records:
        """One record of zeros, as an array of one."""
        return np.zeros(1, self.dtype)

    def describe(self, record: np.void) -> dict[str, Any]:
        """The record as plain readable data: names, lists, dicts, ints."""
        readers = self.readers(int(record["num_players"]))
        return {each.name: readers[each.name](record) for each in self.fields if not each.derived}

    def readers(self, players: int) -> dict[str, Read]:
        """What reads each field in games of so many players."""
        if players not in self._readers:
            self._readers[players] = {each.name: each.reader(players) for each in self.fields}
        return self._readers[players]

    def restore(self, plain: object) -> Records:
        """The record (an array of one) that `plain` describes, derived fields blank; `StateError` where it describes none."""
        if not isinstance(plain, dict):
            raise StateError(f"a state is a dict, not {type(plain).__name__}")
        given = [each for each in self.fields if not each.derived]
        _same_keys(plain, [each.name for each in given], "state")
        records = self.blank()
        players_field = next(each for each in self.fields if each.name == "num_players")
        players_field.write_entry(records[0], (), plain["num_players"], "num_players")
        players = int(records[0]["num_players"])
        for each in given:
            _unnest(each, records[0], players, plain[each.name])
        return records

    def fault(self, record: np.void) -> str | None:
        """The first field whose bytes are out of range, if any: the first guard against foreign bytes."""
        if record["filler"].any():
            return "filler is not zero"
        for each in self.fields:
            for place in each.places(MAX_PLAYERS):
                fault = each.fault_of_entry(record, place)
                if fault:
                    return f"{each.name}{list(place) if place else ''} {fault}"
        return None


Column = tuple[str, type[np.generic], tuple[int, ...]]


def _aligned_without_gaps(columns: list[Column]) -> np.dtype:
    """A dtype in which every number is aligned and every byte belongs to a field: copies and hashes see no stray bytes.

    Small fields come before large ones: those that every step reads share a few cache lines.
    """
    columns = sorted(columns, key=lambda column: (-np.dtype(column[1]).itemsize, np.prod(column[2])))
    size = np.dtype(columns).itemsize
    filler: Column = ("filler", np.int8, (READ_BEYOND + -size % WORD,))
    return np.dtype([*columns, filler], align=True)


def _relabelled(each: Field, labels: Mapping[Labels, Labels]) -> Field:
    values = None if each.values is None else labels.get(each.values, each.values)
    return replace(each, axes=tuple(labels.get(axis, axis) for axis in each.axes), values=values)


def _unnest(each: Field, record: np.void, players: int, plain: object) -> None:
    for place in each.places(players):
        value, where = plain, each.name
        for depth, number in enumerate(place):
            labels = each.axes[depth]
            allowed = labels[:players] if is_seats(labels) else labels
            innermost = depth == len(place) - 1
            if not isinstance(value, dict):
                raise StateError(f"{where}: {shown(value)} is not a dict with keys from {listed(allowed)}")
            _same_keys(value, allowed, where, gaps=each.count and innermost)
            label = labels[number]
            where = f"{where}[{shown(label)}]"
            value = value.get(label, 0)
        each.write_entry(record, place, value, where)


def _same_keys(plain: dict[str, Any], allowed: Labels, where: str, *, gaps: bool = False) -> None:
    unknown = [key for key in plain if key not in allowed]
    missing = [] if gaps else [key for key in allowed if key not in plain]
    if unknown or missing:
        lists = f"unknown entries {shown(unknown)}, missing entries {shown(missing)}"
        raise StateError(f"{where}: {lists}; allowed: {listed(allowed)}")
