"""The games are siblings: equal modules, equal names for equal things, and one module for each chapter of RULES.md.

Who looks for a clause looks up its chapter in `CHAPTERS`, which is the same for all games. What differs between the games is
listed here, with the reason.
"""

import ast
import importlib
import inspect
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from cardtable.game.registry import find, game_ids

NAMES = [game_id.rpartition("_v")[0] for game_id in game_ids()]
TESTS = Path(__file__).parent

CHAPTERS = {
    # in every game
    "Components": ("components", "constants", "state", "rules.piles"),
    "Set-up": ("rules.set_up",),
    "The turn": ("rules.turn",),
    "Rounds and turns": ("rules.turn",),
    "End": ("scoring",),
    "Options": ("options",),
    "Information": ("information",),
    "Decisions": ("actions", "rules.decisions"),
    "Editions": ("components",),
    # Muster
    "Play a banner": ("rules.banners",),
    "Play a Wizard": ("rules.wizards",),
    "Move a Wizard": ("rules.wizards",),
    "Lay a card on a castle space": ("rules.castle_spaces",),
    "Build a Bridge": ("rules.bridges",),
    "Swap a Rainbow card": ("rules.swaps",),
    "Refill": ("rules.refill",),
    # Artisans
    "Market and objects": ("rules.market",),
    "Development": ("rules.development",),
    "Bonuses of artisans": ("scoring",),
    "Abilities of artisans": ("rules.abilities",),
    # Murano
    "Collect": ("rules.collect",),
    "Negotiate": ("rules.negotiate",),
    "Create": ("rules.create",),
    "Any time": ("rules.any_time",),
    "Advantages": ("rules.advantages",),
    "The draft": ("rules.draft",),
    "Interactive cards": ("rules.interactive",),
    "The Challenge": ("rules.challenge",),
    "The Grandmaster's Challenge": ("rules.grandmaster",),
}
"""The title of a chapter or section of RULES.md that holds clauses -> the modules where they are."""

ELSEWHERE = {
    "MUS-3.2": ("rules.castle_spaces", "there is always something to do because every card can be laid"),
    "ART-4.5": ("rules.piles", "the set-up and the start of a round reveal cards too"),
    "MUR-1.8": ("rules.turn", "who sits where decides whose turn is next"),
    "MUR-9.2": ("rules.set_up", "which Advantages are drawn"),
    "MUR-10.3": ("scoring", "ranks are what a game alone is scored by"),
    "MUR-10.4": ("scoring", "likewise"),
    "MUR-11.1": ("rules.set_up", "which Advantages are drawn, and how many cards are dealt"),
    "MUR-11.3": ("rules.set_up", "where the Selector starts"),
    "MUR-11.8": ("scoring", "what cards in hand cost at the end"),
}
"""Clauses that their chapter's modules do not cite -> the module that does, and why."""

EVERYWHERE = {
    *(
        "__init__",
        "actions",
        "check",
        "clauses",
        "components",
        "constants",
        "env",
        "events",
        "information",
        "observation",
        "options",
    ),
    *(
        "picture",
        "render",
        "rules",
        "rules.decisions",
        "rules.piles",
        "rules.set_up",
        "rules.turn",
        "scoring",
        "state",
        "types",
    ),
}
"""Modules of every game."""

OWN_MODULES = {
    "artisans": {"deals": "object decks and artisans that are given have to be such as could be dealt"},
    "murano": {
        "deals": "Advantages, Challenge cards and positions that are given have to be such as could be drawn",
        "picture_board": "its picture is too much for one file: Ring, circle, Selector, Warehouse, markets",
        "picture_cards": "likewise: hands, works, packs",
        "solo_env": "it can be played alone, as a Gymnasium environment",
    },
    "muster": {},
}
"""Modules of one game, besides those of its chapters, and why the others have none."""

OWN_TESTS = {
    "editions": "what `components` reads from edition files",
    "random_play": "what only many games show",
}
"""Test files that are not named after a module, and what they test."""

OTHER_THINGS = {
    "offer_exchanges": "of cards with the market in Artisans, of shards for those of a market in Murano",
    "FACES": "of cards in Muster, of the Ring in Murano",
}
"""Names that two games have for different things, each in the words of its rules."""

CITATION = re.compile(r"([A-Z]{3})-(\d+(?:\.\d+)?[a-z]?)((?:(?:, | to | and )\d+\.\d+[a-z]?)*)")


# ---- What there is


@cache
def folder(game: str) -> Path:
    """Where a game's package lies."""
    return Path(inspect.getfile(importlib.import_module(f"{game}_env"))).parent


@cache
def modules(game: str) -> dict[str, str]:
    """Every module of a game -> its source; the parts of `check` count as one."""
    found: dict[str, str] = defaultdict(str)
    for path in sorted(folder(game).rglob("*.py")):
        parts = path.relative_to(folder(game)).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)
        found["check" if parts[0] == "check" else name] += path.read_text(encoding="utf-8")
    return dict(found)


@cache
def chapters(game: str) -> dict[str, list[str]]:
    """Every title in RULES.md with clauses under it -> their ids. The title ends at a colon or bracket."""
    found: dict[str, list[str]] = defaultdict(list)
    title = ""
    for line in (folder(game) / "RULES.md").read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"#{2,3} (?:[\d.]+ )?([^:(]+)", line):
            title = heading[1].strip()
        elif clause := re.match(r"- \*\*([A-Z]{3}-[\d.]+[a-z]?)\*\*", line):
            found[title].append(clause[1])
    return dict(found)


def clauses(game: str) -> list[str]:
    """Every clause of a game, in the order of RULES.md."""
    return [clause for found in chapters(game).values() for clause in found]


def chapter_modules(game: str) -> set[str]:
    """The modules that hold the chapters of a game."""
    return {module for title in chapters(game) for module in CHAPTERS[title]}


def citations(text: str) -> list[str]:
    """Every clause that a text cites: `MUS-4.1, 4.1b` are MUS-4.1 and MUS-4.1b, `ART-2.1 to 2.3` the three."""
    found = []
    for prefix, first, more in CITATION.findall(text):
        found.append(f"{prefix}-{first}")
        for link, number in re.findall(r"(, | to | and )(\d+\.\d+[a-z]?)", more):
            if link == " to ":
                chapter, last = number.split(".")
                begin = int(found[-1].rpartition(".")[2])
                found += [f"{prefix}-{chapter}.{each}" for each in range(begin + 1, int(last))]
            found.append(f"{prefix}-{number}")
    return found


def covers(cited: str, clause: str) -> bool:
    """Whether a citation names a clause, or a whole chapter or section in which it is."""
    return clause == cited or bool(re.match(re.escape(cited) + r"(\.|[a-z]$)", clause))


def functions(source: str) -> dict[str, ast.FunctionDef]:
    """The functions of a module."""
    return {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}


def constants(source: str) -> set[str]:
    """The public constants of a module."""
    found = set()
    for node in ast.parse(source).body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        found |= {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    return {name for name in found if name.isupper() and not name.startswith("_")}


def imported(source: str, package: str) -> dict[str, set[str]]:
    """The modules of a package that a source imports -> the names it takes from them."""
    found: dict[str, set[str]] = defaultdict(set)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == package:
            found[node.module.partition(".")[2]] |= {each.name for each in node.names}
    return dict(found)


# ---- Modules


@pytest.mark.parametrize("game", NAMES)
def test_games_have_the_same_modules_besides_their_chapters(game):
    own = {f"{game}_v0", *OWN_MODULES[game]}
    assert set(modules(game)) == EVERYWHERE | own | chapter_modules(game)


@pytest.mark.parametrize("game", NAMES)
def test_every_module_of_the_rules_is_a_chapter(game):
    rules = {name for name in modules(game) if name.startswith("rules.")}
    assert rules <= chapter_modules(game)


@pytest.mark.parametrize("game", NAMES)
def test_piles_lie_under_the_chapters_and_decisions_above(game):
    package = f"{game}_env"
    for name, source in modules(game).items():
        reached = {module for module in imported(source, package) if module.startswith("rules")}
        if name in ("rules.piles", "scoring"):
            assert not reached
        elif name.startswith("rules."):
            assert not reached & {"rules", "rules.decisions"}


@pytest.mark.parametrize("game", NAMES)
def test_piles_hold_what_several_modules_need(game):
    """What puts a card somewhere and what takes it from there are needed together; tops of piles are taken in `piles`."""
    source = modules(game)["rules.piles"]
    called = {node.id for function in functions(source).values() for node in ast.walk(function) if isinstance(node, ast.Name)}
    users: dict[str, set[str]] = defaultdict(set)
    for name, other in modules(game).items():
        for function in imported(other, f"{game}_env").get("rules.piles", ()):
            for thing in function.split("_")[1:]:
                users[thing].add(name)
    for name in functions(source):
        needed_by = set().union(*(users[thing] for thing in name.split("_")[1:]))
        assert len(needed_by) > 1 or name in called or name.startswith("pop_"), f"{name} is needed by {needed_by} alone"


@pytest.mark.parametrize("game", NAMES)
def test_decisions_leave_the_rules_to_the_chapters(game):
    """What is legal and what an action does is called there, and nothing of the game is changed."""
    for name, function in functions(modules(game)["rules.decisions"]).items():
        changed = [
            ast.unparse(node)
            for node in ast.walk(function)
            if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store)
        ]
        assert changed == [], f"{name} changes {changed}"


@pytest.mark.parametrize("game", NAMES)
def test_every_test_file_is_named_after_a_module_and_every_chapter_has_one(game):
    leaves = {name.rpartition(".")[2] for name in modules(game)}
    files = {path.stem.removeprefix("test_") for path in (TESTS / game).glob("test_*.py")}
    assert [name for name in files - set(OWN_TESTS) if not {name, *starts(name)} & leaves] == []
    played = {name.rpartition(".")[2] for name in chapter_modules(game) if name.startswith("rules.")}
    tested = {start for name in files for start in (name, *starts(name))}
    assert played - {"piles"} <= tested


def starts(name: str) -> list[str]:
    """What a test file may be a part of: `advantages` of `advantages_1_to_5`."""
    words = name.split("_")
    return ["_".join(words[:number]) for number in range(1, len(words))]


# ---- Clauses


@pytest.mark.parametrize("game", NAMES)
def test_every_chapter_with_clauses_has_its_modules(game):
    assert set(chapters(game)) <= set(CHAPTERS)
    assert chapter_modules(game) <= set(modules(game))


def test_the_table_of_chapters_is_in_the_documentation():
    page = (TESTS.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    cells = {title: ", ".join(f"`{module}`" for module in found).replace(".", "/") for title, found in CHAPTERS.items()}
    rows = [f"| {title} | {cell} |" for title, cell in cells.items()]
    assert "\n".join(rows) in page


def test_every_chapter_of_the_table_is_in_some_game():
    assert {title for game in NAMES for title in chapters(game)} == set(CHAPTERS)


@pytest.mark.parametrize("game", NAMES)
def test_a_clause_is_found_in_the_module_of_its_chapter(game):
    lost = []
    for title, found in chapters(game).items():
        cited = {each for module in CHAPTERS[title] for each in citations(modules(game)[module])}
        lost += [clause for clause in found if clause not in cited]
    assert lost == [clause for clause in clauses(game) if clause in ELSEWHERE]
    for clause in lost:
        assert clause in citations(modules(game)[ELSEWHERE[clause][0]])


@pytest.mark.parametrize("game", NAMES)
def test_a_function_that_cites_clauses_cites_one_of_its_own_chapter(game):
    """Others are cross-references: an option that changes the rule, a rule that follows. Piles and decisions serve all."""
    strangers = []
    for module in sorted(chapter_modules(game) - {"rules.piles", "rules.decisions"}):
        if module.startswith("rules.") or module in ("scoring", "information"):
            source, own = modules(game)[module], clauses_in(game, module)
            texts = {name: ast.get_docstring(node) or "" for name, node in functions(source).items()}
            texts["its docstring"] = ast.get_docstring(ast.parse(source)) or ""
            assert citations(texts["its docstring"]), f"{module} does not say which chapter it is"
            for name, text in texts.items():
                if citations(text) and not any(covers(cited, clause) for cited in citations(text) for clause in own):
                    strangers.append(f"{module}, {name}: {', '.join(citations(text))}")
    assert strangers == []


def clauses_in(game: str, module: str) -> list[str]:
    """The clauses that a reader finds in a module."""
    found = [clause for title, each in chapters(game).items() if module in CHAPTERS[title] for clause in each]
    return found + [clause for clause in clauses(game) if clause in ELSEWHERE and ELSEWHERE[clause][0] == module]


@pytest.mark.parametrize("game", NAMES)
def test_every_clause_that_the_sources_cite_is_in_the_rules(game):
    own, wrong = clauses(game), []
    for module, source in modules(game).items():
        for cited in citations(source):
            if not any(covers(cited, clause) for clause in own) and not is_heading(game, cited):
                wrong.append(f"{module}: {cited}")
    assert wrong == []


def is_heading(game: str, cited: str) -> bool:
    """Whether a citation names a chapter of RULES.md, which need not hold clauses."""
    number = cited.partition("-")[2]
    return f"\n## {number} " in (folder(game) / "RULES.md").read_text(encoding="utf-8")


# ---- Names


def homes(names_of) -> dict[str, dict[str, str]]:
    """Every public name -> the module that has it in each game."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for game in NAMES:
        for module, source in modules(game).items():
            for name in names_of(source):
                if not name.startswith("_"):
                    found[name][game] = module
    return found


@pytest.mark.parametrize("names_of", [functions, constants])
def test_what_games_call_alike_is_in_the_same_module(names_of):
    apart = {name: where for name, where in homes(names_of).items() if len(set(where.values())) > 1}
    assert {name: where for name, where in apart.items() if name not in OTHER_THINGS} == {}


def test_names_for_different_things_are_still_there():
    found = homes(lambda source: {*functions(source), *constants(source)})
    assert [name for name in OTHER_THINGS if len(set(found[name].values())) < 2] == []


def home(function) -> str:
    """The module of a game in which a kernel is defined; the parts of `check` count as one."""
    module = getattr(function, "py_func", function).__module__.partition(".")[2]
    return "check" if module.startswith("check.") else module


def test_kernels_have_the_same_names_and_modules():
    first, *others = [{name: home(kernel) for name, kernel in vars(find(game).kernels).items()} for game in NAMES]
    assert others == [first] * len(others)
    for game in NAMES:
        assert {kernel.__name__ for kernel in vars(find(game).kernels).values()} == set(first)


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("rules.set_up", {"shuffle_decks", "set_up"}),
        ("rules.turn", {"end_turn"}),
        ("rules.decisions", {"legal", "offer_turn", "apply"}),
        ("scoring", {"is_over", "scores", "returns"}),
        ("information", {"redeal_hidden", "forget_hidden"}),
        ("observation", {"observe", "observe_hidden"}),
        ("check", {"check", "check_fixed", "derive"}),
        ("clauses", {"witness", "witness_end"}),
        ("render", {"text", "status", "grid"}),
        ("picture", {"picture", "headline", "head"}),
        ("env", {"summary", "raw_env", "env", "batch_env"}),
    ],
)
def test_every_game_has_these_functions(module, names):
    for game in NAMES:
        assert names <= set(functions(modules(game)[module]))


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("actions", {"ACTIONS", "AT"}),
        ("state", {"STATE"}),
        ("observation", {"LAYOUT", "HIDDEN", "OBS", "HIDDEN_AT"}),
        ("render", {"ASKED", "GAP"}),
        ("picture", {"PAINTS", "SHAPES"}),
        ("env", {"GAME", "INFOS"}),
    ],
)
def test_every_game_has_these_constants(module, names):
    for game in NAMES:
        assert names <= constants(modules(game)[module])


@pytest.mark.parametrize("game", NAMES)
def test_the_limit_of_an_endless_game_has_a_default_and_a_largest_value(game):
    (option,) = [name for name, *_ in find(game).options.table() if name.startswith("max_")]
    assert {f"DEFAULT_{option.upper()}", f"LARGEST_{option.upper()}"} <= constants(modules(game)["constants"])


@pytest.mark.parametrize("game", NAMES)
def test_observations_are_scaled_in_the_same_words(game):
    """What one counts is a step, a table of numbers as shares a share, a table of rows a row."""
    module = importlib.import_module(f"{game}_env.observation")
    values = {name: getattr(module, name) for name in constants(modules(game)["observation"])}
    tables = {name: value for name, value in values.items() if getattr(value, "dtype", None) == np.float32}
    assert len(tables) > 5
    for name, value in tables.items():
        allowed = ("_ROW",) if np.ndim(value) > 1 else ("_STEP", "_SHARE")
        assert name.endswith(allowed), f"{name}: expected a name that ends with {' or '.join(allowed)}"
