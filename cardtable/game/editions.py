"""Edition files: what the card lists of all games share. A game says what an entry must look like."""

import os
import tomllib
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from cardtable.errors import EditionError
from cardtable.game.images import Images, read_images
from cardtable.game.options import Options
from cardtable.support import files
from cardtable.support.messages import cut, shown
from cardtable.support.plain import is_integer, plain_data

LARGEST_FILE = 1 << 16
"""Bytes of an edition file; a real one has about 2,500."""
MOST_DOTS = 100
"""Dots in a line of an edition file: what `tomllib` does with a dotted key grows with the square of their number."""
LONGEST_NAME = 80
"""Characters of the name of a card."""

EDITION, IMAGES = "edition", "images"
"""The option that names an edition, and the table of an edition file that names images."""


@dataclass(frozen=True)
class CardList:
    """What the editions of all games have."""

    title: str
    images: Images = field(default_factory=dict, compare=False, repr=False, kw_only=True)
    """Of its cards, as far as there are any: shown, but no part of the rules."""

    def names(self) -> tuple[str, ...]:
        """The names of the cards, by id."""
        raise NotImplementedError

    def plain(self) -> dict[str, Any]:
        """What it is played with, as an edition file holds it."""
        raise NotImplementedError


Edition = TypeVar("Edition", bound=CardList)
Parse = Callable[[Mapping[str, Any], str, str], Edition]
"""(content, where it is from, for messages, title) -> the edition."""


def read_edition(path: str | os.PathLike[str], built_in: str, parse: Parse[Edition]) -> Edition:
    """The edition in a TOML file; `EditionError` naming the entry and the fault if it holds none."""
    where = f"edition file {shown(os.fspath(path))}"
    if not os.path.isfile(path):
        raise EditionError(f"{where}: no such file; allowed: {built_in!r} or the path of an edition file")
    try:
        text = files.read_text(path, LARGEST_FILE)
        _check_dots(text, where)
        content = tomllib.loads(text)
        named = content.pop(IMAGES, {})
        edition = parse(content, where, Path(path).name)
        return replace(edition, images=read_images(named, Path(path).parent, edition.names(), where))
    except files.FileTooLarge:
        raise EditionError(f"{where}: larger than {LARGEST_FILE:,} bytes") from None
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, EditionError):
            raise
        raise EditionError(f"{where}: cannot be read: {cut(error)}") from None


def _check_dots(text: str, where: str) -> None:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > MOST_DOTS:
            raise EditionError(f"{where}: line {number} has {line.count('.')} dots, allowed: {MOST_DOTS}")


def edition_of(option: object, built_in: str, edition: Edition, parse: Parse[Edition]) -> Edition:
    """The edition that an option names: the built-in one, a TOML file, or what such a file holds as plain data."""
    if isinstance(option, type(edition)):
        return option
    if isinstance(option, Mapping):
        if IMAGES in option:
            raise EditionError("edition: images: only an edition file has images, for they lie in its folder")
        return parse(plain_data(option, "edition", EditionError), "edition", "given edition")
    if not isinstance(option, str | os.PathLike):
        raise EditionError(
            f"edition={shown(option)}: allowed: {built_in!r}, the path of an edition file, or its content as a dict"
        )
    return edition if option == built_in else read_edition(option, built_in, parse)


def with_images(options: Options, file: str | os.PathLike[str]) -> Options:
    """The same options with the images of an edition file, which must have the same cards; `EditionError` if it has others."""
    if EDITION not in options.names():
        raise EditionError(f"images of {shown(os.fspath(file))}: this game has no editions")
    given = getattr(options.parse({EDITION: file}), EDITION)
    if given.plain() != getattr(options, EDITION).plain():
        raise EditionError(f"images of {shown(os.fspath(file))}: this game is played with other cards")
    return replace(options, **{EDITION: given})


def entries_of(content: Mapping[str, Any], key: str, number: int, where: str) -> Sequence[Any]:
    """The list of tables under a key, if it has the expected number of entries."""
    entries = content[key]
    if not isinstance(entries, list | tuple) or len(entries) != number:
        found = len(entries) if isinstance(entries, list | tuple) else shown(entries)
        raise EditionError(f"{where}: expected {number} [[{key}]] tables, found {found}")
    return entries


def same_keys(table: object, wanted: Sequence[str], where: str) -> Mapping[str, Any]:
    """The table, if it is one with exactly these keys."""
    if not isinstance(table, Mapping):
        raise EditionError(f"{where}: {shown(table)} is not a table")
    unknown = [key for key in table if key not in wanted]
    missing = [key for key in wanted if key not in table]
    if unknown or missing:
        raise EditionError(f"{where}: unknown keys {shown(unknown)}, missing keys {missing}; allowed: {', '.join(wanted)}")
    return table


def name_of(entry: Mapping[str, object], where: str) -> str:
    """The name of an entry: a short, non-empty text that any terminal can show."""
    name = entry["name"]
    if not isinstance(name, str) or not name.strip():
        raise EditionError(f"{where}: name = {shown(name)} is not a non-empty text")
    if len(name) > LONGEST_NAME:
        raise EditionError(f"{where}: name = {shown(name)} has {len(name):,} characters, allowed: {LONGEST_NAME}")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
        raise EditionError(f"{where}: name = {shown(name)} holds control characters")
    return name


def place_of(entry: object, where: str) -> str:
    """`where` with the name of the entry, if it has one: what messages begin with."""
    name = entry.get("name") if isinstance(entry, Mapping) else None
    return f"{where} ({shown(name)})" if isinstance(name, str) else where


def different_names(names: Sequence[str], what: str, where: str) -> None:
    """Refuse two entries with the same name."""
    first: dict[str, int] = {}
    for number, name in enumerate(names, start=1):
        if name in first:
            raise EditionError(f"{where}: {what} {number} ({name!r}): {what} {first[name]} has the same name")
        first[name] = number


def is_within(number: object, low: int, high: int) -> bool:
    """Whether this is an integer in a range."""
    return is_integer(number) and low <= int(number) <= high
