"""Settings as text: for a folder's name, for a cell of a table, as TOML, as flags of `cardtable train`."""

import json
import shlex
from collections.abc import Mapping
from typing import Any


def short(value: object) -> str:
    """A value without spaces or quotes: `0.0005_5e-05` for a list of two."""
    if isinstance(value, list | tuple):
        return "_".join(map(short, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def cell(value: object) -> str:
    """A value in a table: `0.0005 → 5e-05` for a schedule."""
    if isinstance(value, list | tuple):
        numbers = len(value) == 2 and all(isinstance(each, float) for each in value)
        return (" → " if numbers else " ").join(map(short, value))
    return short(value)


# ---- TOML


def toml(game: str, options: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """Game, options and settings as a TOML document."""
    lines = [f"game = {_toml_value(game)}"]
    for title, table in (("options", options), ("settings", settings)):
        if table:
            lines += ["", f"[{title}]", *(f"{_toml_key(name)} = {_toml_value(value)}" for name, value in table.items())]
    return "\n".join(lines) + "\n"


def _toml_key(name: str) -> str:
    return name if name.replace("_", "").isalnum() and name.isascii() else _toml_value(name)


def _toml_value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_toml_key(name)} = {_toml_value(each)}' for name, each in value.items())}}}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


# ---- Flags


def command_line(game: str, options: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """The command that trains with these settings."""
    words = ["cardtable", "train", game]
    for name, value in settings.items():
        words += _flag(name.replace("_", "-"), value)
    return shlex.join([*words, *option_words(options)])


def _flag(name: str, value: object) -> list[str]:
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--no-{name}"]
    return [f"--{name}", *map(short, value if isinstance(value, list | tuple) else [value])]


def option_words(options: Mapping[str, Any]) -> list[str]:
    """Options of the game as every command takes them."""
    told = (f"{name}={value if isinstance(value, str) else json.dumps(value)}" for name, value in options.items())
    return [word for each in told for word in ("-o", each)]
