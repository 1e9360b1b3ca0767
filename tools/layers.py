"""`python -m tools.layers`: the import graph of all our packages, and a picture of its layers, docs/layers.svg.

The graph is read from the sources: imports inside functions and for type checkers count like all others. `LAYERS` says which
group a module belongs to, and which groups may import which; tests/test_imports.py holds it true.
"""

import argparse
import ast
import io
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "layers.svg"

Groups = Mapping[str, tuple[str, ...]]
"""Group -> the modules and packages in it."""

LAYERS: Sequence[Groups] = (
    {"support": ("cardtable.support", "cardtable.errors", "cardtable.types", "cardtable.version")},
    {"engine": ("cardtable.engine",)},
    {"game": ("cardtable.game",)},
    {
        "one game, or many": (
            "cardtable.prompt",
            "cardtable.rulebook",
            "cardtable.story",
            "cardtable.table",
            "cardtable.lanes",
            "cardtable.replay",
            "cardtable.audit",
            "cardtable.pictures",
        )
    },
    {"players": ("cardtable.players",)},
    {"bots": ("cardtable.bots",), "envs": ("cardtable.envs",)},
    {"cli": ("cardtable.cli", "cardtable.__main__")},
    {"mcp": ("cardtable.mcp",)},
    {"cardtable": ("cardtable",)},  # the public surface: no module of the package imports it
    {"artisans_env": ("artisans_env",), "murano_env": ("murano_env",), "muster_env": ("muster_env",)},
    {"agents: common": ("cardtable_agents",), "agents: evaluations": ("cardtable_agents.evaluations",)},
    {"agents: players": ("cardtable_agents.players",)},
    {"agents: arena": ("cardtable_agents.arena",)},
    {"agents: data": ("cardtable_agents.data",), "agents: training": ("cardtable_agents.training",)},
    {
        "agents: exploit": ("cardtable_agents.exploit",),
        "agents: leaderboard": ("cardtable_agents.leaderboard",),
        "agents: web": ("cardtable_agents.web",),
    },
    {"examples": ("examples",)},
    {"benchmarks": ("benchmarks",), "tools": ("tools",)},
    {"tests": ("tests",)},
)
"""From the bottom up. A module imports modules of its own group and of layers below, never of another group of its layer."""

FOLDERS = {"cardtable_agents": "agents/cardtable_agents", "examples": "agents/examples"}
"""Packages that do not lie at the top of the repository."""


# ---- The graph


@dataclass(frozen=True, order=True)
class Import:
    """A module imports another."""

    importer: str
    imported: str
    lazy: bool
    """It does so in a function, when that is called."""


@cache
def modules() -> dict[str, Path]:
    """Every module and package of ours, by its name; its file."""
    found = {}
    for package in sorted({prefix.partition(".")[0] for groups in LAYERS for place in groups.values() for prefix in place}):
        folder = ROOT / FOLDERS.get(package, package)
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder.parent).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(module: str) -> Iterator[Import]:
    """All imports of a module, those of libraries too."""
    tree = ast.parse(modules()[module].read_bytes())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    lazy = {id(node) for function in functions for node in ast.walk(function)}
    for node in ast.walk(tree):
        for name in _imported_names(node, module):
            yield Import(module, name, id(node) in lazy)


def _imported_names(node: ast.AST, module: str) -> Iterator[str]:
    """The modules that a statement imports."""
    if isinstance(node, ast.Import):
        yield from (_module(each.name) for each in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = node.level - (modules()[module].name == "__init__.py")
        parts = module.split(".")[: -above or None] if node.level else []
        base = ".".join([*parts, *filter(None, [node.module])])
        for each in node.names:
            whole = _module(f"{base}.{each.name}")
            yield whole if whole in modules() else _module(base)


def _module(name: str) -> str:
    """The whole name of a module; those of tests are imported by the part after `tests.`."""
    return f"tests.{name}" if name not in modules() and f"tests.{name}" in modules() else name


@cache
def graph() -> tuple[Import, ...]:
    """Every import of a module of ours by another."""
    return tuple(sorted({each for module in modules() for each in imports(module) if each.imported in modules()}))


# ---- Groups


def group_of(module: str) -> str:
    """The group that a module belongs to: that of the longest name in `LAYERS` that it begins with."""
    places = {prefix: group for groups in LAYERS for group, prefixes in groups.items() for prefix in prefixes}
    parts = module.split(".")
    for size in range(len(parts), 0, -1):
        prefix = ".".join(parts[:size])
        if prefix in places and (prefix != "cardtable" or module == "cardtable"):
            return places[prefix]
    raise LookupError(f"{module} belongs to no group: put it into LAYERS of tools/layers.py")


def layer_of(group: str) -> int:
    """The number of a group's layer, from the bottom."""
    return next(number for number, groups in enumerate(LAYERS) if group in groups)


def group_edges() -> set[tuple[str, str]]:
    """(group, a group that it imports from)."""
    pairs = {(group_of(each.importer), group_of(each.imported)) for each in graph()}
    return {(upper, lower) for upper, lower in pairs if upper != lower}


def without_shortcuts(edges: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The edges that do not follow from others."""
    below: dict[str, set[str]] = {}
    for groups in LAYERS:
        for group in groups:
            direct = {lower for upper, lower in edges if upper == group}
            below[group] = direct.union(*(below.get(each, set()) for each in direct))
    return {
        (upper, lower)
        for upper, lower in edges
        if not any((upper, middle) in edges and lower in below[middle] for middle in below if middle != lower)
    }


def description() -> str:
    """The whole graph of groups as text: what a picture of it holds, and is compared by."""
    return "; ".join(f"{upper} > {lower}" for upper, lower in sorted(group_edges()))


# ---- The picture

PLACES = {
    "support": (0.0, 0, 12.0),
    "engine": (2.1, 1, 7.8),
    "game": (2.1, 2, 7.8),
    "one game, or many": (2.1, 3, 7.8),
    "players": (2.1, 4, 7.8),
    "bots": (2.1, 5, 2.4),
    "envs": (4.7, 5, 5.2),
    "cardtable": (0.0, 6, 2.4),
    "artisans_env": (2.7, 6, 1.8),
    "murano_env": (4.7, 6, 1.8),
    "muster_env": (6.7, 6, 1.8),
    "cli": (8.8, 6, 2.1),
    "mcp": (11.1, 7, 0.9),
    "agents: evaluations": (3.7, 7, 3.8),
    "agents: common": (9.6, 7, 1.4),
    "agents: players": (4.7, 8, 3.8),
    "agents: arena": (8.8, 8, 3.2),
    "agents: training": (4.7, 9, 4.2),
    "agents: data": (9.1, 9, 2.9),
    "agents: exploit": (2.1, 10, 2.4),
    "agents: web": (4.7, 10, 3.2),
    "agents: leaderboard": (8.3, 10, 3.2),
    "tools": (0.0, 11, 4.0),
    "examples": (7.75, 7, 1.6),
    "benchmarks": (8.3, 11, 3.7),
    "tests": (0.0, 12, 12.0),
}
"""Group -> left edge, row and width of its box."""

COLOURS = {"cardtable": "#dbe9f8", "games": "#dff0d8", "cardtable_agents": "#fdebd0", "repository": "#ececec"}
"""What a group is part of -> the colour of its box."""

ROW, HEIGHT = 1.05, 0.68
LETTERS = 11.5
"""Small letters to a unit of width."""
SETTINGS: Any = {"svg.hashsalt": "layers", "svg.fonttype": "path", "font.family": "DejaVu Sans"}
"""The same picture on every machine."""


def part_of(group: str) -> str:
    """What a group is part of."""
    package = next(prefixes for groups in LAYERS for name, prefixes in groups.items() if name == group)[0].partition(".")[0]
    return "games" if package.endswith("_env") else package if package in COLOURS else "repository"


def contents(group: str) -> list[str]:
    """The modules in a group, by their last names; those of packages that are groups whole, by their folders."""
    names = sorted(module for module in modules() if group_of(module) == group)
    if part_of(group) == "repository":
        return sorted({name.split(".")[1] for name in names if "." in name and "test_" not in name})
    if group == "cardtable":
        return ["what users import"]
    below = {each.rpartition(".")[0] for each in names}
    return [name.rpartition(".")[2] for name in names if name not in below and not name.startswith("cardtable.__")]


def draw() -> bytes:
    """The groups as boxes in layers, an arrow from each to those that it imports from, as SVG."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(12, 13.4))
        axes = figure.add_axes((0.01, 0.01, 0.98, 0.98))
        axes.set_xlim(-0.1, 12.1)
        axes.set_ylim(-0.75, 12 * ROW + HEIGHT + 0.05)
        axes.axis("off")
        for group in PLACES:
            _draw_group(axes, group)
        for upper, lower in sorted(without_shortcuts(group_edges())):
            _draw_arrow(axes, upper, lower)
        _draw_key(axes)
        content = io.BytesIO()
        figure.savefig(content, format="svg", metadata={"Date": None, "Description": description()})
    return content.getvalue()


def _draw_group(axes: Any, group: str) -> None:
    from matplotlib.patches import FancyBboxPatch

    left, row, width = PLACES[group]
    bottom, style = row * ROW, "round,pad=0,rounding_size=0.08"
    axes.add_patch(FancyBboxPatch((left, bottom), width, HEIGHT, boxstyle=style, fc=COLOURS[part_of(group)], ec="#777", lw=0.8))
    lines = textwrap.wrap(", ".join(contents(group)), int(width * LETTERS), max_lines=2, placeholder=" …")
    axes.text(left + width / 2, bottom + HEIGHT - 0.08, group, ha="center", va="top", fontsize=11, fontweight="bold")
    axes.text(left + width / 2, bottom + 0.2, "\n".join(lines), ha="center", va="center", fontsize=7, color="#444")


def _draw_arrow(axes: Any, upper: str, lower: str) -> None:
    """Straight down where one box is above the other, else from the near edge."""
    (left, row, width), (other, below, reach) = PLACES[upper], PLACES[lower]
    first, last = max(left, other), min(left + width, other + reach)
    start = end = (first + last) / 2
    if first > last:
        start, end = (left + 0.3, other + reach - 0.3) if left > other else (left + width - 0.3, other + 0.3)
    axes.annotate(
        "",
        xy=(end, below * ROW + HEIGHT),
        xytext=(start, row * ROW),
        arrowprops={"arrowstyle": "-|>", "color": "#333", "lw": 1.2, "shrinkA": 0, "shrinkB": 0},
        zorder=0,
    )


def _draw_key(axes: Any) -> None:
    from matplotlib.patches import Rectangle

    for number, (part, colour) in enumerate(COLOURS.items()):
        axes.add_patch(Rectangle((number * 1.75, -0.5), 0.25, 0.25, fc=colour, ec="#777", lw=0.8))
        axes.text(number * 1.75 + 0.33, -0.38, part, va="center", fontsize=8)
    axes.text(7.1, -0.38, "An arrow means: imports. Those that follow from others are left out.", va="center", fontsize=8)


def main() -> None:
    """Draw the picture."""
    parser = argparse.ArgumentParser(prog="python -m tools.layers", description="Draw the layers of imports.")
    parser.add_argument("--out", type=Path, default=PICTURE, help=f"where to (default {PICTURE.relative_to(ROOT)})")
    args = parser.parse_args()
    args.out.write_bytes(draw())
    print(f"{args.out}: {len(modules())} modules, {len(graph())} imports, {len(group_edges())} between groups")


if __name__ == "__main__":
    main()
