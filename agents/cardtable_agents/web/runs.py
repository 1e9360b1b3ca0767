"""Arenas and trainings in folders, as pages show them: read by the commands' own readers, which change nothing."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cardtable.errors import CardtableError
from cardtable.game.registry import find
from cardtable.support import files
from cardtable.support.messages import cut
from cardtable_agents.arena import results, standings
from cardtable_agents.training import listing, log
from cardtable_agents.training.evaluate import ALONE
from cardtable_agents.training.folder import LOG
from cardtable_agents.web.replays import DEEPEST, file_id

MOST_REPLAYS = 500
"""Games of an arena that are listed, the newest first."""
LONGEST_FAULT = 300


@dataclass(frozen=True)
class Place:
    """A folder that a command wrote, and the name that pages show."""

    path: Path
    name: str


# ---- Arenas


def arenas(folders: list[Path]) -> dict[str, Place]:
    """The folders with results of arenas, by number."""
    found = [Place(path, _name(path, folder)) for folder in folders for path in _holding(folder, results.RESULTS, 0)]
    return {file_id(place.path): place for place in found}


def _name(path: Path, folder: Path) -> str:
    return str(Path(folder.name) / path.relative_to(folder))


def _holding(folder: Path, name: str, depth: int) -> Iterator[Path]:
    """The folders in a folder that hold a file of a name. Links are not followed."""
    if (folder / name).is_file():
        yield folder
    try:
        below = sorted(each for each in folder.iterdir() if each.is_dir() and not each.is_symlink()) if depth < DEEPEST else []
    except OSError:
        return
    for each in below:
        yield from _holding(each, name, depth + 1)


def arena(place: Place) -> dict[str, Any]:
    """The table of an arena, and its replays."""
    path = place.path / results.RESULTS
    plan = results.read_plan(path)
    lines = results.read_results(path, plan).games
    rows = standings.standings(plan.labels, lines) if lines else []
    return {
        "name": place.name,
        "title": plan.checked()[0].title,
        "games": len(lines),
        "running": files.is_locked(place.path / results.LOCK),
        "rows": [_row(row) for row in rows],
        "replays": [_replay(place, line) for line in lines[: -MOST_REPLAYS - 1 : -1] if "replay" in line],
    }


def _row(row: standings.Standing) -> dict[str, Any]:
    low, high = row.interval
    rate = row.rate if row.entries else None
    speed = 1000 * row.seconds / max(row.decisions, 1)
    score = row.score / max(row.entries, 1)
    return {
        "agent": row.agent,
        "games": row.entries,
        "rate": rate,
        "low": low,
        "high": high,
        "score": score,
        "elo": row.elo,
        "elo_error": row.elo_error if math.isfinite(row.elo_error) else None,
        "ms": speed,
    }


def _replay(place: Place, line: dict[str, Any]) -> dict[str, Any]:
    path = place.path / results.REPLAYS / Path(line["replay"]).name
    return {"id": file_id(path), "agents": line["agents"], "deal": line["deal"], "returns": line["returns"]}


def list_arenas(folders: list[Path]) -> list[dict[str, Any]]:
    """All arenas, in a line each."""
    return [_listed_arena(number, place) for number, place in arenas(folders).items()]


def _listed_arena(number: str, place: Place) -> dict[str, Any]:
    about: dict[str, Any] = {"id": number, "name": place.name, "running": files.is_locked(place.path / results.LOCK)}
    try:
        plan = results.read_plan(place.path / results.RESULTS)
        return {**about, "game": plan.checked()[0].title, "agents": list(plan.labels), "fault": ""}
    except CardtableError as error:
        return {**about, "game": "", "agents": [], "fault": cut(error, LONGEST_FAULT)}


# ---- Trainings


def trainings(folders: list[Path]) -> dict[str, tuple[Place, listing.Listed]]:
    """The runs of training, by number."""
    found: dict[str, tuple[Place, listing.Listed]] = {}
    for folder in folders:
        for run in listing.find_runs(folder) if folder.is_dir() else []:
            found[file_id(run.path)] = (Place(run.path, _name(run.path, folder)), run)
    return found


def list_trainings(folders: list[Path]) -> list[dict[str, Any]]:
    """All runs, in a line each."""
    return [{"id": number, **_about(place, run)} for number, (place, run) in trainings(folders).items()]


def _about(place: Place, run: listing.Listed) -> dict[str, Any]:
    rates = {name: rate for name, rate in run.rates.items() if isinstance(rate, int | float)}
    about = {"name": place.name, "game": _title(run.game), "learner": run.learner, "state": run.state}
    return {**about, "steps": run.steps, "minutes": run.seconds / 60, "rates": rates}


def _title(game: str) -> str:
    """What people call a game, with its options; as it was written, if it is not installed here."""
    name, space, options = game.partition(" ")
    try:
        return f"{find(name).title}{space}{options}"
    except CardtableError:
        return game


def training(place: Place, run: listing.Listed) -> dict[str, Any]:
    """The learning curves of a run."""
    curves: dict[str, list[list[float]]] = {}
    for line in log.read(place.path / LOG):
        evaluation, seconds = line.get("evaluation"), line.get("seconds")
        if isinstance(evaluation, dict) and isinstance(seconds, int | float):
            for name, rate in evaluation.items():
                if isinstance(rate, int | float):
                    curves.setdefault(str(name), []).append([seconds / 60, rate])
    alone = ALONE in curves
    return {**_about(place, run), "curves": curves, "even": 0.0 if alone else _even(place), "alone": alone}


def _even(place: Place) -> float:
    """The win rate of equal strength."""
    header = log.header(place.path / LOG) or {}
    settings = header.get("settings")
    try:
        game = find(settings["game"])  # type: ignore[index]  # whatever a log holds
        return 1 / game.parse_options(settings["options"]).num_players  # type: ignore[index]
    except (CardtableError, TypeError, LookupError):
        return 0.5
