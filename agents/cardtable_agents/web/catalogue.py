"""What can be played and by whom: games with the fields of their option forms, agents of a list that is fixed at start."""

import dataclasses
import functools
import re
import typing
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from cardtable.cli.arguments import parse_option
from cardtable.errors import AgentError, CardtableError, EditionError, OptionError
from cardtable.game.editions import EDITION, CardList
from cardtable.game.game import Game
from cardtable.game.images import CardImage
from cardtable.game.options import Options
from cardtable.game.registry import find, game_ids
from cardtable.players import roster
from cardtable.prompt import rules_in_brief
from cardtable.support.messages import shown

AGENTS = ("random", "heuristic", "search:100", "search:400", "search:1600", "ppo", "best")
"""Agents that every page may name; others are named at start."""
QUOTED = re.compile(r"`([^`]+)`")
CLAUSE = re.compile(r" \([A-Z]{3}-[\d.]+\)")
"""Where the rules say it, which says nothing to players."""
KINDS: dict[object, str] = {bool: "bool", int: "int", str: "choice"}
"""Fields by the types of options; all others are texts."""
SEVERAL = " (several are separated by commas)"
"""How a text says more than one thing."""
LONGEST_VALUE = 1000
"""Characters of an option's value."""

Editions = Mapping[str, Mapping[str, CardList]]
"""Edition files named at start: game -> name of the file -> edition."""
NO_EDITIONS: Editions = {}


# ---- Options


def may_name_files(game: Game) -> set[str]:
    """The options whose values may be paths: pages cannot give them."""
    hints = typing.get_type_hints(game.options)
    return {name for name, hint in hints.items() if any(typing.get_origin(each) is PathLike for each in typing.get_args(hint))}


def options_from_page(game: Game, given: object, editions: Editions = NO_EDITIONS) -> Options:
    """The options that a page asks for; `OptionError` saying what is wrong, clashes included."""
    if not isinstance(given, Mapping):
        raise OptionError(f"options {shown(given)}: expected an object")
    edition = _named(editions.get(game.id, {}), given.get(EDITION))
    refused = may_name_files(game) & set(given) - ({EDITION} if edition is not None else set())
    if refused:
        raise OptionError(f"{game.id}: {', '.join(sorted(refused))}: options that may name a file are not taken from pages")
    read = {name: _value(name, value) for name, value in given.items()}
    return game.parse_options(read if edition is None else {**read, EDITION: edition})


def _named(editions: Mapping[str, CardList], title: object) -> CardList | None:
    return editions.get(title) if isinstance(title, str) else None


def _value(name: str, value: object) -> Any:  # noqa: ANN401  # what the option takes
    """Texts are read as on the command line, and what is separated by commas is a list, with or without brackets."""
    if not isinstance(value, str):
        return value
    if len(value) > LONGEST_VALUE:
        raise OptionError(f"{name}={shown(value)}: it has {len(value):,} characters, allowed: {LONGEST_VALUE:,}")
    read = parse_option(f"{name or '?'}={value}")[1]
    if isinstance(read, str) and "," in read:
        return [parse_option(f"{name or '?'}={each.strip()}")[1] for each in read.split(",")]
    return read


def form(game: Game, editions: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The fields of a game's option form, the number of players apart; editions by the names of files given at start."""
    left_out, hints = may_name_files(game) | {"num_players"}, typing.get_type_hints(game.options)
    fields = [_field(hints[row[0]], *row) for row in game.options.table() if row[0] not in left_out]
    return [*fields, *(_edition_field(row[1], editions) for row in game.options.table() if row[0] == EDITION and editions)]


def _edition_field(built_in: str, editions: Sequence[str]) -> dict[str, Any]:
    meaning = "the cards to play with"
    return {"name": EDITION, "meaning": meaning, "kind": "choice", "default": built_in, "choices": [built_in, *editions]}


def _field(hint: object, name: str, default: object, meaning: str) -> dict[str, Any]:
    """A field. Words in quotes in its meaning are what a text may be: one of them, if the option takes texts alone."""
    kind = KINDS.get(hint, "text")
    choices = QUOTED.findall(meaning) if kind in ("choice", "text") else []
    words = CLAUSE.sub("", meaning).replace("`", "") + (SEVERAL if kind == "text" else "")
    return {"name": name, "meaning": words, "kind": kind, "default": default, "choices": choices}


def games(editions: Editions = NO_EDITIONS) -> list[dict[str, Any]]:
    """Every game with its form, as a page is sent it."""
    return [{**_about(game_id), "options": form(find(game_id), list(editions.get(game_id, {})))} for game_id in game_ids()]


@functools.cache
def _about(game_id: str) -> dict[str, Any]:
    game = find(game_id)
    return {"id": game.id, "title": game.title, "brief": rules_in_brief(game), "players": list(game.player_counts)}


# ---- Editions


def read_editions(files: Sequence[Path]) -> Editions:
    """Edition files by game and name; `EditionError` for one that no game can be played with, or a name that is there twice."""
    found: dict[str, dict[str, CardList]] = {}
    for file in files:
        game_id, edition = _read_edition(file)
        editions = found.setdefault(game_id, {})
        if edition.title in editions:
            raise EditionError(f"serve: --edition {shown(str(file))}: {game_id} has another edition {edition.title!r} already")
        editions[edition.title] = edition
    return found


def _read_edition(file: Path) -> tuple[str, CardList]:
    faults = []
    for game_id in game_ids():
        game = find(game_id)
        if EDITION in game.options.names():
            try:
                return game_id, getattr(game.parse_options({EDITION: file}), EDITION)
            except EditionError as error:
                faults.append(f"{game_id}: {error}")
    raise EditionError(f"serve: --edition: no game can be played with it: {'; '.join(faults)}")


def illustrated(options: Options, editions: Mapping[str, CardList]) -> Options:
    """The same options, with the images of the edition that has the same cards, if there is one."""
    same = [each for each in editions.values() if each.plain() == getattr(options, EDITION).plain()]
    changed: dict[str, Any] = {EDITION: same[0]} if same else {}
    return dataclasses.replace(options, **changed)


def images_of(editions: Editions) -> dict[str, CardImage]:
    """All images by digest."""
    lists = [edition for each in editions.values() for edition in each.values()]
    return {image.digest: image for edition in lists for image in edition.images.values()}


# ---- Agents


def agent_list(named: Sequence[str]) -> list[str]:
    """The agents that pages may name: the usual ones that are installed, and those named at start, which must exist."""
    for name in named:
        roster.known(name)
    return list(dict.fromkeys([*(name for name in AGENTS if name.partition(":")[0] in roster.names()), *named]))


def require_players(named: Sequence[str]) -> None:
    """`AgentError` for an agent named at start that can play no game at all: its file is missing or damaged, say."""
    for name in named:
        faults = [_why_not(name, find(game_id), number) for game_id in game_ids() for number in find(game_id).player_counts]
        if all(faults):
            raise AgentError(f"serve: --player {shown(name)}: it can play no game: {faults[0]}")


def _why_not(name: str, game: Game, number: int) -> str:
    """Why an agent cannot play a game of so many; empty if it can."""
    try:
        roster.make_agent(name, game, {"num_players": number}).close()
    except CardtableError as error:
        return str(error)
    return ""
