"""A flag of `cardtable train` for every setting, made from `Settings`: its name, type, default, heading and reason."""

import argparse
import ast
import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from functools import cache
from itertools import pairwise
from typing import Any, get_type_hints

from cardtable.support.messages import shown
from cardtable_agents.training import settings
from cardtable_agents.training.ranges import Kind, kind_of
from cardtable_agents.training.settings import STANDARD, Settings

NO_FLAGS = ("game", "options", "command")
"""Settings that the command line has in another form."""
ALIASES = {"teacher": ("--imitate",)}
"""Further names of a flag."""
CHOSEN = ("minutes", "threads", "opponents", "evaluation_opponents")
"""Settings whose text says what is chosen if they are left out: it depends on the game, the machine and other settings."""
HEADING = "# ---- "
"""What the headings of the settings begin with."""


def names() -> list[str]:
    """The settings that have a flag, in order."""
    return [each.name for each in fields(Settings) if each.name not in NO_FLAGS]


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add a flag for each setting, under its heading. Those that are left out are None: `settings_for` chooses them."""
    hints, reasons = get_type_hints(Settings, include_extras=True), documentation()
    groups: dict[str, argparse._ArgumentGroup] = {}
    for each in fields(Settings):
        if each.name in NO_FLAGS:
            continue
        heading, reason = reasons[each.name]
        if heading not in groups:
            groups[heading] = parser.add_argument_group(heading)
        flag = f"--{each.name.replace('_', '-')}"
        text = f"{reason} {_default(each)}".rstrip().replace("%", "%%")
        groups[heading].add_argument(
            flag, *ALIASES.get(each.name, ()), dest=each.name, default=None, help=text, **_form(kind_of(hints[each.name]))
        )


def given(args: argparse.Namespace) -> dict[str, Any]:
    """The settings that the flags gave."""
    found = {name: getattr(args, name) for name in names()}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in found.items() if value is not None}


# ---- What a flag takes


def _form(kind: Kind) -> dict[str, Any]:
    """Arguments of `add_argument` for what a setting takes."""
    if kind.base is bool:
        return {"action": argparse.BooleanOptionalAction}
    if kind.choices:
        return {"choices": kind.choices}
    one: dict[str, Any] = {"type": _reader(kind), "metavar": {int: "N", float: "X"}.get(kind.base, "NAME")}
    if not kind.many:
        return one
    if kind.number == 2:
        return {**one, "nargs": 2, "metavar": ("START", "END")}
    return {**one, "nargs": "+" if kind.allowed else "*"}


def _reader(kind: Kind) -> Callable[[str], Any]:
    """Reads one value of a setting, for argparse."""

    def read(text: str) -> Any:
        try:
            value = kind.base(text)
        except ValueError:
            value = None
        if kind.allowed and value not in kind.allowed:
            raise argparse.ArgumentTypeError(f"{shown(text)}: allowed: {kind.allowed}")
        return value

    return read


# ---- What its help says


def _default(each: "Field[Any]") -> str:
    """The default in words, and that of the other learner where it has one."""
    assert each.default is not MISSING, each.name
    found = [] if each.name in CHOSEN else [f"default: {_written(each.default)}"]
    found += [f"with --learner sb3: {_written(STANDARD[each.name])}"] if each.name in STANDARD else []
    return f"({'; '.join(found)})" if found else ""


def _written(value: Any) -> str:
    """A value as it is given to a flag."""
    if isinstance(value, tuple):
        return " ".join(map(_written, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:_}" if value >= 10_000 else str(value)
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


@cache
def documentation() -> dict[str, tuple[str, str]]:
    """The heading that each setting stands under, and the text below it, from the source of `Settings`."""
    source = inspect.getsource(settings)
    lines = source.splitlines()
    (body,) = (
        node.body for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and node.name == Settings.__name__
    )
    found = {}
    for node, after in pairwise(body):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            above = (line.strip() for line in reversed(lines[: node.lineno]))
            heading = next(line.removeprefix(HEADING) for line in above if line.startswith(HEADING))
            text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            found[node.target.id] = (heading, " ".join(str(text).split()))
    return found
