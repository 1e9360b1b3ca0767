"""A Minari dataset: what the first agent of a dataset saw and did, as episodes of a single-agent environment.

The actions of the tables are played again, up to the end that the seat saw.
"""

import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import minari
import numpy as np
import pyarrow.parquet as pq
from minari.data_collector.episode_buffer import EpisodeBuffer
from minari.dataset.minari_dataset import parse_dataset_id
from minari.storage import get_dataset_path

from cardtable.envs.registration import learner_id, register_all
from cardtable.errors import AgentError
from cardtable.lanes import Lanes
from cardtable.support.messages import shown
from cardtable_agents.arena.match import FORFEIT
from cardtable_agents.arena.plan import Plan, Seating
from cardtable_agents.data.dataset import Dataset
from cardtable_agents.data.tables import Moments, moments


def require_new(name: str) -> Path:
    """Where a dataset of this name goes; `AgentError` if there is one, or if it is not a name."""
    try:
        parse_dataset_id(name)
    except (ValueError, TypeError):  # a TypeError where the version is missing
        raise AgentError(f"--minari {shown(name)}: allowed: NAME-v0 or GROUP/NAME-v0, such as muster/heuristic-v0") from None
    path = Path(get_dataset_path(name))
    if path.exists():
        raise AgentError(f"--minari {name!r}: {path} exists already, and is left as it is; choose another name or version")
    return path


def write(dataset: Dataset, folder: Path, name: str) -> str:
    """Write the games in a folder as a Minari dataset; what to tell about it."""
    path, plan = require_new(name), dataset.plan
    game = plan.checked()[0]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that nobody is named as author, and similar
            made = minari.create_dataset_from_buffers(
                name,
                _episodes(dataset, folder),  # any iterable will do, and takes less memory
                env=_environment(plan),
                algorithm_name=plan.agents[0],
                description=f"{game.title}: {plan.agents[0]} against {_others(plan) or 'itself'}, seed {plan.seed}",
                requirements=["cardtable"],
            )
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)  # it was not there before
        raise
    return f"Minari dataset: {name}, {made.total_episodes:,} episodes, {made.total_steps:,} steps, {path}"


def _others(plan: Plan) -> list[str]:
    return list(plan.agents[1:])


def _environment(plan: Plan) -> gymnasium.Env[Any, Any]:
    """The environment that the episodes are of; its spec goes into the dataset."""
    register_all()
    game, options = plan.checked()
    usual = game.parse_options({}).to_dict()
    changed: dict[str, Any] = {name: value for name, value in options.to_dict().items() if value != usual[name]}
    if options.num_players > 1:
        changed["opponents"] = _others(plan) or [plan.agents[0]]
    return gymnasium.make(learner_id(game.id), mask="observation", **changed)


def _episodes(dataset: Dataset, folder: Path) -> Iterator[EpisodeBuffer]:
    """Every game from each seat of the first agent, part by part."""
    games, decisions = (pq.ParquetFile(folder / f"{kind}.parquet") for kind in ("games", "decisions"))
    for place, task in enumerate(dataset.parts().values()):
        about = games.read_row_group(place, ["game", "seat", "agent", "ending"]).to_pylist()
        actions: dict[int, list[int]] = {row["game"]: [] for row in about}
        table = decisions.read_row_group(place, ["game", "action"])
        for number, action in zip(table["game"].to_pylist(), table["action"].to_pylist(), strict=True):
            actions[number].append(action)
        endings = {row["game"]: row["ending"] for row in about}
        seatings: dict[Seating, list[int]] = {}
        for number in actions:
            seating = tuple(row["agent"] for row in about if row["game"] == number)
            seatings.setdefault(seating, []).append(number)
        for seating, numbers in seatings.items():
            played = [actions[number] for number in numbers]
            yield from _of_seating(dataset.plan, seating, task.first, played, [endings[number] for number in numbers])


def _of_seating(
    plan: Plan, seating: Seating, first: int, actions: list[list[int]], endings: list[str]
) -> Iterator[EpisodeBuffer]:
    """The episodes of the first agent in games of one seating."""
    game, options = plan.checked()
    lanes = Lanes(game, options, len(actions), plan.seed, first=first)
    found = moments(lanes, actions)
    for lane, ending in enumerate(endings):
        for seat, agent in enumerate(seating):
            rows = np.flatnonzero((found.lane == lane) & (found.seat == seat))
            if agent == plan.labels[0] and len(rows) and ending != FORFEIT:
                yield _episode(found, rows, lanes, lane, seat)


def _episode(found: Moments, rows: Any, lanes: Lanes, lane: int, seat: int) -> EpisodeBuffer:  # noqa: ANN401  # an array
    """One game from one seat; as in the environment, every action is allowed, and ignored, at the end."""
    nothing = np.ones((1, found.mask.shape[1]), np.int8)
    last, end = np.arange(len(rows)) == len(rows) - 1, lanes.observe(lane, seat)
    truncated = bool(lanes.frame.truncated[lane])
    return EpisodeBuffer(
        observations={
            "observation": np.concatenate([found.observation[rows], end[None]]),
            "action_mask": np.concatenate([found.mask[rows], nothing]),
        },
        actions=found.action[rows].astype(np.int64),
        rewards=np.where(last, lanes.frame.rewards[lane, seat], 0.0).tolist(),
        terminations=(last & (not truncated)).tolist(),
        truncations=(last & truncated).tolist(),
    )
