"""A state that was saved in one process is played on in another, just as it would have been: next deals included."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers import VARIANTS, choice, variant_id

from cardtable.envs.aec import TableEnv
from cardtable.game.registry import find, game_ids

STATES = 2
"""Saved of a game, for each variant."""


def course(env: TableEnv, games: int = 2) -> list[str]:
    """The hashes at the end of this game and of those dealt after it."""
    hashes = []
    for _ in range(games):
        while not env.table.ending:
            env.step(choice(env.table.mask, 5, int(env.table.record["length"])))
        hashes.append(env.state_hash())
        env.reset()
    return [*hashes, env.state_hash()]


def saved_states(game_id: str, options: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """States of a game, each in both forms, with what comes after it."""
    found: list[dict[str, Any]] = []
    game = find(game_id)
    for step in range(0, number * 17, 17):
        env = TableEnv(game, **options)
        env.reset(seed=8 + step)
        for _ in range(step):
            if not env.table.ending:
                env.step(choice(env.table.mask, 5, int(env.table.record["length"])))
        plain, packed = env.state_dict(), env.state_bytes().hex()
        found.append({"options": env.table.options.to_dict(), "plain": plain, "packed": packed, "course": course(env)})
    return found


def check(path: Path) -> None:
    """Run by the new process: play every state on, from either form, and compare."""
    data = json.loads(path.read_text(encoding="utf-8"))
    for state in data["states"]:
        env = TableEnv(find(data["game"]), **state["options"])
        env.load_state_dict(state["plain"])
        assert course(env) == state["course"]
        env.load_state_bytes(bytes.fromhex(state["packed"]))
        assert course(env) == state["course"]
    print(len(data["states"]))


@pytest.mark.parametrize("game_id", game_ids())
def test_a_saved_state_plays_on_in_a_new_process(game_id, tmp_path, sized):
    variants = [options for name, options in VARIANTS if name == game_id]
    states = [state for options in variants for state in saved_states(game_id, dict(options), sized(STATES))]
    file = tmp_path / "states.json"
    file.write_text(json.dumps({"game": game_id, "states": states}), encoding="utf-8")
    code = f"from pathlib import Path; from {Path(__file__).stem} import check; check(Path({str(file)!r}))"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), "PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    print(f"{game_id}: {done.stdout.strip()} states of {len(variants)} variants ({variant_id(variants[-1])} the last)")
    assert int(done.stdout) == len(states) == sized(STATES) * len(variants)
