"""The command `cardtable rules`: the rules in brief, and chapters and clauses on demand."""

import argparse
import re
import sys
import textwrap
from collections.abc import Iterable

from cardtable.cli.arguments import add_game
from cardtable.cli.command import Command
from cardtable.cli.screen import Screen, as_ascii
from cardtable.errors import OptionError
from cardtable.game.game import Game
from cardtable.game.registry import find
from cardtable.prompt import rules_in_brief
from cardtable.rulebook import Part, contents, look_up, rules_text, search

LONGEST_LINE = 100
"""Characters in a line of text: longer ones are hard to read."""
CLAUSE_INDENT = "    "


def rules_command(args: argparse.Namespace) -> None:
    """Print the rules of a game: in brief, or a chapter or clause of them, or all."""
    game, wanted = find(args.game), " ".join(args.part)
    if sum((args.all, args.find is not None, bool(wanted))) > 1:
        raise OptionError("rules: a CHAPTER or CLAUSE, --find and --all do not go together")
    if args.all:
        print(_showable(rules_text(game)))
    else:
        asked = wanted or args.find is not None
        print(laid_out(parts_asked_for(game, wanted, args.find)) if asked else opening(game, _commands(game)))


def parts_asked_for(game: Game, wanted: str, words: str | None) -> list[Part]:
    """A chapter or clause, or those that hold some words."""
    return look_up(game, wanted) if words is None else search(game, words)


def opening(game: Game, more: str) -> str:
    """What a newcomer begins with: the rules in brief, what there is to read, and how to read `more`."""
    brief = [line for paragraph in rules_in_brief(game).split("\n\n") for line in (*_paragraph(paragraph), "")]
    chapters = [f"{'  ' * (part.level - 2)}{f'{part.id} ' if part.id else ''}{part.text}" for part in contents(game)]
    return _showable("\n".join([game.title, "", *brief, "Chapters:", *chapters, "", *_filled(more)]))


def _commands(game: Game) -> str:
    name = game.id.partition("_")[0]
    return (
        f"`cardtable rules {name} CHAPTER` prints a chapter, by its title or number, or a clause by its id; so do "
        f"--find WORDS and --all. `cardtable play {name}` plays the game."
    )


def _paragraph(text: str) -> list[str]:
    """A paragraph, or the points of a list, as lines."""
    return [line for point in re.split(r"\n(?=- )", text) for line in _filled(point, "  " if point.startswith("- ") else "")]


def laid_out(parts: Iterable[Part]) -> str:
    """Chapters and clauses as text."""
    lines: list[str] = []
    for part in parts:
        if part.level < 4:
            lines += [*([""] if lines else []), f"{part.id} {part.text}".strip()]
        else:
            lines += _filled(f"{part.id} {part.text}" if part.id else part.text, CLAUSE_INDENT if part.id else "")
    return _showable("\n".join(lines))


def _filled(text: str, indent: str = "") -> list[str]:
    width = min(Screen.of(sys.stdout).width, LONGEST_LINE)
    return textwrap.wrap(" ".join(text.split()), width, subsequent_indent=indent, break_on_hyphens=False)


def _showable(text: str) -> str:
    return as_ascii(text) if Screen.of(sys.stdout).ascii else text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Game, and what of its rules."""
    add_game(parser)
    parser.add_argument(
        "part",
        nargs="*",
        metavar="CHAPTER or CLAUSE",
        help="a chapter by its title or number (negotiate, 5), or a clause by its id (MUR-5.1), or the beginning of one "
        "(default: the rules in brief, and the list of chapters)",
    )
    parser.add_argument("--find", metavar="WORDS", help="the clauses that hold these words")
    parser.add_argument("--all", action="store_true", help="the whole RULES.md")


COMMAND = Command("rules", rules_command, add_arguments)
