"""Imports point down: groups stand on groups below them, no module imports itself in the end, and docs/layers.svg shows it."""

import html
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter

import pytest

from tools import layers
from tools.layers import Import, graph, group_of, imports, layer_of, modules

LIBRARIES = {
    "hypothesis",
    "matplotlib",
    "minari",
    "openskill",
    "pyarrow",
    "ray",
    "sb3_contrib",
    "stable_baselines3",
    "tensorboard",
    "torch",
    "tqdm",
}
"""Libraries that are optional, or take long to import: what needs them may be imported where it is called."""

SHIPPED = ("cardtable", "artisans_env", "murano_env", "muster_env", "cardtable_agents")


def shown(found: list[Import]) -> list[str]:
    return [f"{each.importer} imports {each.imported}" for each in found]


def points_up(each: Import) -> bool:
    """Whether an import leads to a layer above, or to another group of the same layer."""
    upper, lower = group_of(each.importer), group_of(each.imported)
    return upper != lower and layer_of(upper) <= layer_of(lower)


def cycle_in(edges: list[Import]) -> list[str]:
    """Modules that import each other in a circle; empty if there are none."""
    below = defaultdict(set)
    for each in edges:
        below[each.importer].add(each.imported)
    try:
        TopologicalSorter(below).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_every_module_belongs_to_a_group():
    assert len(modules()) > 200
    assert {group_of(module) for module in modules()} == {group for groups in layers.LAYERS for group in groups}


def test_imports_lead_to_the_same_group_or_to_a_layer_below():
    assert len(graph()) > 1000
    assert shown([each for each in graph() if points_up(each)]) == []


def test_no_modules_import_each_other_in_a_circle():
    assert cycle_in(list(graph())) == []


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("cardtable.engine.loops", "cardtable.game.record"),
        ("cardtable.players.pool", "cardtable.envs.sb3"),
        ("cardtable.table", "cardtable"),
        ("cardtable.cli.commands", "cardtable"),
        ("cardtable.game.registry", "muster_env.env"),
        ("cardtable.cli.play", "cardtable_agents.arena.match"),
        ("muster_env.rules", "murano_env.constants"),
        ("muster_env.env", "cardtable_agents.players.random"),
        ("cardtable_agents.players.search", "cardtable_agents.training.ppo"),
        ("cardtable_agents.arena.match", "tools.prove"),
        ("tools.prove", "tests.helpers"),
    ],
)
def test_what_must_not_be_would_be_found(importer, imported):
    assert points_up(Import(importer, imported, lazy=True))


def test_a_circle_would_be_found():
    down = next(each for each in graph() if each.importer == "cardtable.table" and each.imported == "cardtable.game.game")
    assert cycle_in([*graph(), Import(down.imported, down.importer, lazy=True)])


def test_imports_are_read_wherever_they_are():
    """At the top, in functions, for type checkers; a module by its package, and a name by its module."""
    assert Import("cardtable.engine.loops", "cardtable.engine.rng", lazy=False) in graph()
    assert Import("cardtable.cli.commands", "cardtable.replay", lazy=True) in graph()
    assert Import("cardtable.cli.commands", "cardtable.audit", lazy=False) in graph()  # under TYPE_CHECKING
    assert any(each.importer.startswith("tests.muster.") and each.imported == "tests.muster.positions" for each in graph())
    assert Import("tests.test_contract", "tests.helpers", lazy=False) in graph()


# ---- Imports in functions


def library(module: str) -> str:
    return module.partition(".")[0]


def needs_libraries(module: str, seen: frozenset[str] = frozenset()) -> bool:
    """Whether importing a module imports one of the libraries."""
    now = [each.imported for each in imports(module) if not each.lazy]
    further = [each for each in now if each in modules() and each not in seen]
    return any(library(each) in LIBRARIES for each in now) or any(
        needs_libraries(each, seen | {module, *further}) for each in further
    )


def is_command(module: str) -> bool:
    """Whether a module defines commands, which import what they need when they run: the others start without it.

    A package that holds such a module is imported with it.
    """
    package = f"{module}.command" in modules()
    return module.startswith("cardtable.cli.") or module.endswith(".command") or package


def test_functions_import_only_what_is_heavy_or_optional():
    found = [each for module in modules() if module.startswith(SHIPPED) for each in imports(module) if each.lazy]
    assert any(each.imported.startswith("matplotlib") for each in found)
    needless = [
        each
        for each in found
        if not is_command(each.importer)
        and library(each.imported) not in LIBRARIES
        and not (each.imported in modules() and needs_libraries(each.imported))
    ]
    assert shown(needless) == []


# ---- The picture


def test_the_picture_of_the_layers_is_current():
    assert layers.description() in html.unescape(layers.PICTURE.read_text(encoding="utf-8")), "run: python -m tools.layers"


def test_a_picture_is_drawn_the_same_twice():
    pytest.importorskip("matplotlib")
    picture = layers.draw()
    assert picture.startswith(b"<?xml")
    assert picture == layers.draw()
    assert layers.description() in html.unescape(picture.decode())
    assert set(layers.PLACES) == {group for groups in layers.LAYERS for group in groups}


def test_edges_that_follow_from_others_are_left_out():
    edges = {("game", "engine"), ("engine", "support"), ("game", "support")}
    assert layers.without_shortcuts(edges) == {("game", "engine"), ("engine", "support")}
