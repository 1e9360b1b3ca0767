"""Clicks to actions, by the page's own script in node: every legal action of many positions is reached, none is ambiguous."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import cardtable_agents.web
import numpy as np
import pytest
from helpers import VARIANTS, variant_id, walk

from cardtable.game.registry import find
from cardtable.support.svg import is_named
from cardtable.table import Table

NODE = shutil.which("node")
STATIC = Path(cardtable_agents.web.__file__).parent / "static"
POSITIONS = 40
"""Of each variant."""

UNNAMED = {"artisans_v0": {"pass_turn"}, "murano_v0": {"done", "end_turn"}, "muster_v0": set[str]()}
"""Blocks of actions that name nothing on the table: they are in the list of moves."""

pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed: the page's script is not tested")


def nested_parts(picture: str) -> list[list[str]]:
    """For every part of a picture, the parts that a click on it meets, the innermost first."""
    found: list[list[str]] = []

    def visit(element: ElementTree.Element, around: list[str]) -> None:
        part = element.get("data-part")
        if part is not None:
            around = [part, *around]
            found.append(around)
        for child in element:
            visit(child, around)

    visit(ElementTree.fromstring(picture), [])
    return found


def actions_of(table: Table) -> list[dict[str, Any]]:
    numbers = np.flatnonzero(table.mask).tolist()
    parts = [(number, *table.game.actions.played(0, number)[1:]) for number in numbers]
    return [
        {"id": number, "name": table.game.actions.names[number], "block": block, "labels": labels}
        for number, block, labels in parts
    ]


def positions_of(game_id: str, options: dict[str, Any], number: int) -> list[dict[str, Any]]:
    tables = [table.clone() for table in walk(find(game_id), options, games=1)]
    places = sorted(set(np.linspace(0, len(tables) - 1, number).astype(int).tolist()))
    return [
        {"actions": actions_of(tables[place]), "elements": nested_parts(tables[place].picture(tables[place].seat))}
        for place in places
    ]


def run_node(script: Path, given: object) -> dict[str, Any]:
    command = [str(NODE), str(script), str(STATIC / "mapping.js")]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_every_legal_action_is_reached_by_clicks_and_none_is_ambiguous(game_id, options, sized):
    told = run_node(Path(__file__).parent / "mapping_check.mjs", positions_of(game_id, dict(options), sized(POSITIONS)))
    print(game_id, options, told)
    assert told["positions"] >= min(sized(POSITIONS), 10)
    assert told["played"] + told["listed"] == told["actions"]
    assert set(told["unnamed"]) <= UNNAMED[game_id]
    assert told["played"] > told["actions"] / 4


def test_the_script_and_the_pictures_agree_on_what_a_part_names(tmp_path):
    """`matches` of the page and `is_named` of the library, on every pair of part and action of some positions."""
    script = tmp_path / "matches.mjs"
    script.write_text(
        'import { readFileSync } from "node:fs"; import { pathToFileURL } from "node:url";'
        "const { matches } = await import(pathToFileURL(process.argv[2]));"
        'const cases = JSON.parse(readFileSync(0, "utf8"));'
        "console.log(JSON.stringify({ found: cases.map(([part, action]) => matches(part, action)) }));"
    )
    pairs, expected = [], []
    for game_id in ("muster_v0", "artisans_v0", "murano_v0"):
        for position in positions_of(game_id, {}, 6):
            for part in {part for nested in position["elements"] for part in nested}:
                for action in position["actions"]:
                    pairs.append((part, action))
                    expected.append(is_named(part, action["block"], action["labels"]))
    assert run_node(script, pairs)["found"] == expected
    assert len(pairs) > 1000
    assert 0 < sum(expected) < len(expected)
