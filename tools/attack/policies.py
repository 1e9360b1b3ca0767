"""Attacks on policies, checkpoints and training: files damaged by accident or by hand, and runs that are killed."""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from cardtable_agents import weights
from cardtable_agents.players import policy
from cardtable_agents.players.policy import Policy

from cardtable.errors import AgentError
from cardtable.game.game import Game
from cardtable.game.registry import find, game_ids
from cardtable.players.roster import make_agent
from cardtable.types import Array
from tools.attack.damage import ACCIDENTS, LONGEST_MESSAGE, count_attempt, hostile_values
from tools.attack.replays import in_new_process, kill_after
from tools.attack.tally import Tally

Content = tuple[dict[str, Array], dict[str, Any]]
"""Arrays, and what they are about."""


# ---- Damage, with a hash that is right again


def put_nonsense(content: Content, chance: Random) -> Content:
    """Something that is nowhere right in place of what the file must tell of itself."""
    arrays, about = content
    name = chance.choice([name for name in about if name in NEEDED])
    return arrays, {**about, name: chance.choice(hostile_values())}


NEEDED = {
    *("format", "game", "rules", "observation", "actions"),
    *("agreed", "learner", "rounds", "demonstrations", "updates", "steps", "seconds", "imitation_over", "imitation_seconds"),
    *("rates", "lines"),
}
"""What policies and checkpoints cannot do without. Other entries are a record for people."""


def be_advised_badly(content: Content, chance: Random) -> Content:
    """Advice of somebody who gives none, or trusted beyond all measure."""
    advisers = ["ppo", "ppo:policy.safetensors", "random", "nobody", "x" * 50_000, "heuristic:0", "heuristic:" + "9" * 5000]
    trusted = [[adviser, 1.0] for adviser in advisers] + [["heuristic", 1e12], ["heuristic", "much"], ["heuristic"], 3, {}]
    return content[0], {**content[1], "advice": chance.choice(trusted), "agreed": "nothing"}  # the latter for checkpoints


def put_wrong_numbers(content: Content, chance: Random) -> Content:
    """One array, or one number in it, not finite or far too large."""
    arrays = dict(content[0])
    name = chance.choice(list(arrays))
    wrong = chance.choice((np.nan, np.inf, -np.inf, 1e30, -1e30))
    changed = arrays[name].astype(np.float64).copy()
    if chance.random() < 0.5:
        changed[...] = wrong
    else:
        changed.reshape(-1)[chance.randrange(changed.size)] = wrong
    return {**arrays, name: changed}, content[1]


def reshape(content: Content, chance: Random) -> Content:
    """An array without axes, with one more, cut, or of another kind of number."""
    arrays = dict(content[0])
    name = chance.choice([name for name, array in arrays.items() if array.size > 1])
    array = arrays[name]
    ways = (
        np.array(1.0, array.dtype),
        array[None],
        array[: max(len(array) // 2, 1)],
        array.astype(np.int64),
        array.reshape(-1, 1),
    )
    return {**arrays, name: chance.choice(ways)}, content[1]


def rename(content: Content, chance: Random) -> Content:
    """An array gone, one more, or one under another name."""
    arrays = dict(content[0])
    name = chance.choice(list(arrays))
    array = arrays[name]
    if chance.random() < 0.6:
        del arrays[name]
    if chance.random() < 0.6 or name in arrays:
        arrays[chance.choice(("x", "x" * 50_000, "past.x.0.bias", "optimizer.99.step", f"{name}.more", "\0"))] = array
    return arrays, content[1]


RESEALED = (put_nonsense, be_advised_badly, put_wrong_numbers, reshape, rename)


def lie(path: Path, chance: Random) -> None:
    """Another header: arrays on top of each other, beyond the end, of no size, a length that is none; the hash is right."""
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    head, data = json.loads(content[8 : 8 + length]), content[8 + length :]
    mark = head.pop("__metadata__")
    entry = head[chance.choice(list(head))]
    key = chance.choice(("dtype", "shape", "data_offsets"))
    values: list[Any] = [[0, 2**60], [0], [-1, -1], [0, len(data)], [2**31, 2**31], [1] * 50, "F64", "O", *hostile_values()]
    entry[key] = chance.choice(values)
    text = json.dumps({"__metadata__": {**mark, "sha256": _seal(head, mark["about"], data)}, **head}).encode()
    size = chance.choice((len(text), len(text), len(text), 2**63, 0, len(text) + len(data) + 1))
    path.write_bytes(size.to_bytes(8, "little") + text + data)


def _seal(table: Mapping[str, Any], about: str, data: bytes) -> str:
    return weights._seal(table, about, data)


def damage(path: Path, chance: Random) -> str:
    """Damage a file of weights in one way; its name."""
    kind = chance.random()
    if kind < 0.4:
        accident = chance.choice(ACCIDENTS)
        path.write_bytes(accident(path.read_bytes(), chance))
        return accident.__name__
    if kind < 0.6:
        lie(path, chance)
        return lie.__name__
    change: Callable[[Content, Random], Content] = chance.choice(RESEALED)
    weights.save(path, *change(weights.load(path), chance))
    return change.__name__


# ---- Policies


def damaged_policies(cases: int, seed: int) -> Tally:
    """Damage a policy in each case: it must be refused in words, or be the same policy."""
    tally, chance = Tally("policy, damaged"), Random(seed)
    games = [find(game_id) for game_id in game_ids()]
    for game in games:
        make_agent("ppo", game, game.parse_options({}))  # compiles what the policy's adviser needs
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "policy.safetensors"
        for case in range(cases):
            game = chance.choice(games)
            whole = policy.shipped_path(game, game.parse_options({}).num_players)
            path.write_bytes(whole.read_bytes())
            how = damage(path, chance)
            count_attempt(tally, f"case {case} of seed {seed}: {how}", partial(_plays_as, path, whole, game))
    return tally


def _plays_as(path: Path, whole: Path, game: Game) -> bool:
    make_agent(f"ppo:{path}", game, game.parse_options({}))
    return same_policy(policy.load(path, game), policy.load(whole, game))


def same_policy(one: Policy, other: Policy) -> bool:
    """Whether two policies are the same to the bit."""
    pairs = zip(one.layers, other.layers, strict=True)
    return one.advice == other.advice and all(np.array_equal(a, b) for pair in pairs for a, b in zip(*pair, strict=True))


# ---- Checkpoints


LONGEST_LIFE = 1.5
"""Seconds after which a run is killed at the latest."""


SMALL: dict[str, Any] = {
    "threads": 1,
    "precision": "float32",
    "layers": (64, 64),
    "games": 16,
    "opponents": ("random", "self"),
    "teacher": "random",
    "imitation_steps": 0,
    "snapshot_updates": 2,
    "rollout": 32,
    "batch": 32,
    "epochs": 1,
    "evaluation_games": 1,
    "evaluation_interval": 0.0,
    "evaluation_share": 0.01,
    "checkpoint_interval": 0.0,
}
"""Settings of small rollouts and evaluations, with a checkpoint after each update: most of the time goes into files."""


def make_small() -> None:
    """Let `cardtable train` of this process use the small settings."""
    from cardtable_agents.training import command

    settings_of = command.settings_of
    command.settings_of = lambda args: replace(settings_of(args), **SMALL)


def damaged_checkpoints(cases: int, seed: int) -> Tally:
    """Damage a checkpoint in each case, the only one of its run: it must be refused in words, or lead to the same learner."""
    return in_new_process("tools.attack.policies", "damage_checkpoints", cases, seed)


def damage_checkpoints(cases: int, seed: int) -> Tally:
    """The attack itself, in a process of its own."""
    from cardtable_agents.training import checkpoints, runs
    from cardtable_agents.training.folder import CHECKPOINTS
    from cardtable_agents.training.settings import Settings

    tally, chance = Tally("checkpoint, damaged"), Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = Settings("muster_v0", steps=512, **SMALL)
        runs.start(settings, folder).train()
        for old in checkpoints.paths(folder / CHECKPOINTS)[:-1]:
            old.unlink()
        path = checkpoints.paths(folder / CHECKPOINTS)[0]
        whole = path.read_bytes()
        original = _learned(settings, folder)
        for case in range(cases):
            path.write_bytes(whole)
            how = damage(path, chance)
            count_attempt(tally, f"case {case} of seed {seed}: {how}", lambda: _learned(settings, folder) == original)
    return tally


def _learned(settings: Any, folder: Path) -> list[Any]:
    """All that a run goes on from, as plain data and bytes; not the rates of its last evaluation, which are only shown."""
    from cardtable_agents.training import runs

    told: list[str] = []
    try:
        run = runs.resume(settings, folder, told.append)
    finally:
        assert max(map(len, told), default=0) < LONGEST_MESSAGE, "a long message"
    arrays, about = run.learner.state()
    run.learner.close()
    bits = {name: array.tobytes() for name, array in arrays.items()}
    progress = {name: value for name, value in run.progress.to_dict().items() if name != "seconds"}
    return [bits, about, progress, run.learner.steps, run.logbook.lines]


# ---- Killed trainings


def killed_trainings(cases: int, seed: int) -> Tally:
    """Kill a run at random moments, so many times, and let it go on after each."""
    return in_new_process("tools.attack.policies", "kill_trainings", cases, seed)


def kill_trainings(cases: int, seed: int) -> Tally:
    """The attack itself: `cardtable train` in forks of this process."""
    from cardtable_agents.training import checkpoints
    from cardtable_agents.training.folder import CHECKPOINTS, POLICY

    make_small()
    tally, chance, game = Tally("training, killed"), Random(seed), find("muster")
    with tempfile.TemporaryDirectory() as name:
        _train(Path(name) / "first", 32)  # libraries and kernels are loaded once, not in every life
        folder, saved = Path(name) / "run", 0
        for case in range(cases):
            kill_after(chance.random() * LONGEST_LIFE, _train, folder, 10**9)
            told: list[str] = []
            newest = checkpoints.newest(folder / CHECKPOINTS, told.append)
            steps = newest.about["steps"] if newest else 0
            fault = _policy_fault(folder / POLICY, game)
            if told or steps < saved or fault:
                tally.fail(f"case {case} of seed {seed}: {told}, {saved} steps before, {steps} after, policy: {fault}")
            else:
                tally.count("resumed from a whole checkpoint" if newest else "killed before it had begun")
            saved = steps
        if _train(folder, saved + 512) or policy.about(folder / POLICY)["steps"] != saved + 512:
            tally.fail(f"seed {seed}: the run did not end after {cases} kills")
    return tally


def _policy_fault(path: Path, game: Game) -> str | None:
    """What is wrong with the policy of a run, if it has one already."""
    try:
        if path.exists():
            policy.load(path, game)
    except AgentError as error:
        return str(error)
    return None


def _train(folder: Path, steps: int) -> int:
    """`cardtable train`, from its beginning or from where it was killed."""
    from cardtable_agents.training import checkpoints
    from cardtable_agents.training.folder import CHECKPOINTS

    from cardtable.cli.main import main

    before = sys.stdout, sys.stderr
    with open(os.devnull, "w") as nowhere:
        sys.stdout = sys.stderr = nowhere
        try:
            begun = checkpoints.paths(folder / CHECKPOINTS)
            resume = ["--resume"] if begun else []
            return main(["train", "muster", "--out", str(folder), "--steps", str(steps), *resume])
        finally:
            sys.stdout, sys.stderr = before
