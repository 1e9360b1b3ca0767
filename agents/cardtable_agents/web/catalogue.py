"""What can be played and by whom: games with the fields of their option forms, agents of a list that is fixed at start."""

import functools
import re
import typing
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from cardtable.cli.arguments import parse_option
from cardtable.errors import AgentError, OptionError
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.game.record import MAX_PLAYERS
from cardtable.game.registry import find, game_ids
from cardtable.players import roster
from cardtable.prompt import rules_in_brief
from cardtable.support.messages import shown

AGENTS = ("random", "heuristic", "search:100", "search:400", "search:1600", "ppo")
"""Agents that every page may name; others are named at start."""
QUOTED = re.compile(r"`([^`]+)`")
CLAUSE = re.compile(r" \([A-Z]{3}-[\d.]+\)")
"""Where the rules say it, which says nothing to players."""
KINDS: dict[object, str] = {bool: "bool", int: "int", str: "choice"}
"""Fields by the types of options; all others are texts."""
LONGEST_VALUE = 1000
"""Characters of an option's value."""


# ---- Options


def may_name_files(game: Game) -> set[str]:
    """The options whose values may be paths: pages cannot give them."""
    hints = typing.get_type_hints(game.options)
    return {name for name, hint in hints.items() if any(typing.get_origin(each) is PathLike for each in typing.get_args(hint))}


def options_from_page(game: Game, given: object) -> Options:
    """The options that a page asks for; `OptionError` saying what is wrong, clashes included."""
    if not isinstance(given, Mapping):
        raise OptionError(f"options {shown(given)}: expected an object")
    refused = may_name_files(game) & set(given)
    if refused:
        raise OptionError(f"{game.id}: {', '.join(sorted(refused))}: options that may name a file are not taken from pages")
    return game.parse_options({name: _value(name, value) for name, value in given.items()})


def _value(name: str, value: object) -> Any:  # noqa: ANN401  # what the option takes
    """Texts are read as on the command line: `[1, 2]` is a list."""
    if not isinstance(value, str):
        return value
    if len(value) > LONGEST_VALUE:
        raise OptionError(f"{name}={shown(value)}: it has {len(value):,} characters, allowed: {LONGEST_VALUE:,}")
    return parse_option(f"{name or '?'}={value}")[1]


def form(game: Game) -> list[dict[str, Any]]:
    """The fields of a game's option form, the number of players apart."""
    left_out, hints = may_name_files(game) | {"num_players"}, typing.get_type_hints(game.options)
    return [_field(hints[row[0]], *row) for row in game.options.table() if row[0] not in left_out]


def _field(hint: object, name: str, default: object, meaning: str) -> dict[str, Any]:
    """A field. Words in quotes in its meaning are what a text may be: one of them, if the option takes texts alone."""
    kind = KINDS.get(hint, "text")
    choices = QUOTED.findall(meaning) if kind in ("choice", "text") else []
    words = CLAUSE.sub("", meaning).replace("`", "")
    return {"name": name, "meaning": words, "kind": kind, "default": default, "choices": choices}


def players(game: Game) -> list[int]:
    """How many can play."""
    return [number for number in range(1, MAX_PLAYERS + 1) if _is_playable(game, number)]


def _is_playable(game: Game, number: int) -> bool:
    try:
        game.parse_options({"num_players": number})
    except OptionError:
        return False
    return True


@functools.cache
def games() -> list[dict[str, Any]]:
    """Every game with its form, as a page is sent it."""
    found = [find(game_id) for game_id in game_ids()]
    return [
        {"id": game.id, "title": game.title, "brief": rules_in_brief(game), "players": players(game), "options": form(game)}
        for game in found
    ]


# ---- Agents


def agent_list(named: Sequence[str]) -> list[str]:
    """The agents that pages may name: the usual ones that are installed, and those named at start, which must exist."""
    for name in named:
        if name.partition(":")[0] not in roster.names():
            raise AgentError(f"--player {shown(name)}: no such agent; agents: {', '.join(roster.names())}")
    return list(dict.fromkeys([*(name for name in AGENTS if name.partition(":")[0] in roster.names()), *named]))
