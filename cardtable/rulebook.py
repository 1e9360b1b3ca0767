"""The rules of a game as its RULES.md has them: chapters, and clauses by their ids."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple

from cardtable.errors import OptionError
from cardtable.game.game import Game
from cardtable.support.messages import listed, shown

HEADING = re.compile(r"(#{2,3}) (?:([\d.]+) )?(.+)")
CLAUSE = re.compile(r"- \*\*([A-Z]+-[\d.]+[a-z]?)\*\* ?(.*)")


class Part(NamedTuple):
    """A chapter, a section, a clause or a paragraph of the rules."""

    level: int
    """2 is a chapter, 3 a section, 4 a clause or a paragraph."""
    id: str
    """`5` of a chapter, `MUR-5.1` of a clause; a section or a paragraph may have none."""
    text: str
    """Its title, or what it says."""


def rules_text(game: Game) -> str:
    """The whole RULES.md of a game."""
    return resources.files(game.package).joinpath("RULES.md").read_text(encoding="utf-8")


@cache
def rulebook(game: Game) -> tuple[Part, ...]:
    """The rules of a game from its first chapter on, in order."""
    text = re.sub(r"\n(?=- \*\*|#)", "\n\n", rules_text(game))  # clauses and headings apart, as paragraphs are
    parts = [_part(" ".join(paragraph.split())) for paragraph in re.split(r"\n\n+", text)]
    first = next(number for number, part in enumerate(parts) if part.level == 2)
    return tuple(parts[first:])


def _part(paragraph: str) -> Part:
    heading, clause = HEADING.fullmatch(paragraph), CLAUSE.fullmatch(paragraph)
    if heading:
        return Part(len(heading[1]), heading[2] or "", heading[3])
    words = paragraph.replace("**", "")
    return Part(4, clause[1], words.removeprefix(f"- {clause[1]} ")) if clause else Part(4, "", words)


def contents(game: Game) -> list[Part]:
    """The chapters and sections."""
    return [part for part in rulebook(game) if part.level < 4]


def look_up(game: Game, wanted: str) -> list[Part]:
    """The chapters or clauses that somebody asks for, by title, number or id, in part and in any case.

    `OptionError` that lists what there is if there is none.
    """
    parts = rulebook(game)
    asked = " ".join(wanted.casefold().split())
    for matches in (_is_clause, _is_number, _is_title, _has_word):
        found = [number for number, part in enumerate(parts) if asked and matches(part, asked)]
        if found:
            return _with_contents(parts, found)
    chapters = [part.text for part in contents(game)]
    clauses = [part.id for part in parts if part.level == 4 and part.id]
    raise OptionError(
        f"{game.id}: rules: no chapter and no clause is called {shown(wanted)}; chapters: {listed(chapters)}; "
        f"clauses: {clauses[0]} to {clauses[-1]}"
    )


def search(game: Game, words: str) -> list[Part]:
    """The clauses and paragraphs that hold some words, in any case; `OptionError` if none does."""
    asked = words.casefold().strip()
    found = [part for part in rulebook(game) if part.level == 4 and asked and asked in part.text.casefold()]
    if not found:
        raise OptionError(f"{game.id}: rules: no clause speaks of {shown(words)}")
    return found


def _is_clause(part: Part, asked: str) -> bool:
    """`mus-4.6`, `4.6`: that clause, and 4.6a, 4.6b."""
    own = part.id.casefold() if "-" in asked else part.id.partition("-")[2]
    return "." in asked and own.startswith(asked) and not re.match(r"[\d.]", own[len(asked) :])


def _is_number(part: Part, asked: str) -> bool:
    """`5`, `mur-5`, `chapter 5`."""
    return part.level < 4 and bool(part.id) and part.id == re.sub(r"^(?:chapter |[a-z]+-)", "", asked)


def _is_title(part: Part, asked: str) -> bool:
    """The beginning of a title, with or without its article."""
    title = part.text.casefold()
    return part.level < 4 and (title.startswith(asked) or title.removeprefix("the ").startswith(asked))


def _has_word(part: Part, asked: str) -> bool:
    """A word of a title, or its beginning."""
    return part.level < 4 and re.search(rf"\b{re.escape(asked)}", part.text.casefold()) is not None


def _with_contents(parts: Sequence[Part], found: Iterable[int]) -> list[Part]:
    """Those parts, each with all that is in it, once."""
    numbers: dict[int, None] = {}
    for number in found:
        end = number + 1
        while end < len(parts) and parts[end].level > parts[number].level:
            end += 1
        numbers.update(dict.fromkeys(range(number, end)))
    return [parts[number] for number in sorted(numbers)]
