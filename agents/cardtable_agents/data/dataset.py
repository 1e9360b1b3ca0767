"""A folder with the tables of games: made part by part, so that it can be continued, then joined into two files.

`dataset.json` says what the folder is about, `parts/` holds what has been made so far. When all parts are there they become
`games.parquet` and `decisions.parquet`, and are removed. A shard stays in parts, for `cardtable data merge`.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from cardtable.errors import AgentError
from cardtable.players import keys
from cardtable.support import files
from cardtable_agents.arena import results
from cardtable_agents.arena.plan import Plan
from cardtable_agents.arena.work import Players, Task, number_of_deals
from cardtable_agents.data import tables
from cardtable_agents.data.tables import DataWork, Part

FORMAT = "cardtable data 1"
HEADER, LOCK, PARTS = "dataset.json", "dataset.lock", "parts"
KINDS = ("games", "decisions")
"""The tables. Decisions come last: a part, or a folder, that has them is whole."""
LARGEST_HEADER = 1_000_000
LARGEST_PART = 2_000_000_000

Executor = Callable[[DataWork, list[Task]], Iterator[list[Part]]]


@dataclass(frozen=True)
class Dataset:
    """What the tables are about. Folders of other games, agents, sources or numbers of games are not mixed."""

    plan: Plan
    salt: str
    games: int
    observations: bool

    def header(self) -> dict[str, Any]:
        """As plain data."""
        about = {"salt": self.salt, "games": self.games, "observations": self.observations}
        return {"format": FORMAT, **self.plan.header(), **about}

    @property
    def deals(self) -> int:
        """How many deals each line-up plays."""
        return number_of_deals(self.plan, self.games)

    def parts(self, deals: range | None = None) -> dict[int, Task]:
        """All parts, or those of some deals."""
        return tables.part_numbers(self.plan, range(self.deals) if deals is None else deals)


# ---- Making it


def make(
    plan: Plan,
    games: int,
    folder: Path,
    executor: Executor,
    *,
    observations: bool = False,
    salt: str | None = None,
    shard: Callable[[int, int], range] | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Dataset:
    """Play `games` games of each line-up, or the shard of them, and write their tables into a folder, new or continued.

    Whatever interrupts this, finished parts stay.
    """
    with _locked(folder):
        dataset = _begin(folder, Dataset(plan, salt or "", games, observations), salt)
        wanted = dataset.parts(shard(dataset.deals, tables.grain_of(plan)) if shard else None)
        if is_whole(folder):
            progress(games_in(wanted.values()), games_in(wanted.values()))
            return dataset
        done = games_in(task for number, task in wanted.items() if has_part(folder, number))
        progress(done, games_in(wanted.values()))
        left = [task for number, task in wanted.items() if not has_part(folder, number)]
        for parts in executor(DataWork(Players(plan, dataset.salt), observations), left):
            for part in parts:
                write_part(folder, part)
                done += wanted[part.number].games
            progress(done, games_in(wanted.values()))
        if shard is None:
            join(dataset, [folder], folder)
        return dataset


def games_in(tasks: Iterable[Task]) -> int:
    """How many games some tasks are of."""
    return sum(task.games for task in tasks)


def is_whole(folder: Path) -> bool:
    """Whether the tables are complete."""
    return all(os.path.lexists(folder / f"{kind}.parquet") for kind in KINDS)


def part_path(folder: Path, number: int, kind: str) -> Path:
    """Where a table of a part is."""
    return folder / PARTS / f"{number:08d}.{kind}.parquet"


def has_part(folder: Path, number: int) -> bool:
    """Whether a part has been made."""
    return part_path(folder, number, KINDS[-1]).exists()


def write_part(folder: Path, part: Part) -> None:
    """Write a part; it counts when its last table is on the disk."""
    (folder / PARTS).mkdir(exist_ok=True)
    for kind in KINDS:
        files.write_whole(part_path(folder, part.number, kind), getattr(part, kind))


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with files.lock(folder / LOCK):
            yield
    except files.Locked:
        raise AgentError(f"{folder}: somebody else is writing there; wait until that ends, or choose another --out") from None


def _begin(folder: Path, wanted: Dataset, salt: str | None) -> Dataset:
    """The dataset of a folder, new or continued; refuse a folder of another one, or with files that are not ours."""
    path = folder / HEADER
    if path.exists():
        found = read_dataset(folder, wanted.plan)
        require_same(folder, found, replace(wanted, salt=found.salt if salt is None else salt))
        return found
    for kind in KINDS:
        if os.path.lexists(folder / f"{kind}.parquet"):
            raise AgentError(f"{folder}: holds a {kind}.parquet but no {HEADER}; choose another --out folder")
    dataset = replace(wanted, salt=keys.new_salt() if salt is None else keys.checked_salt(salt))
    files.write_whole(path, json.dumps(dataset.header(), indent=1) + "\n")
    return dataset


def read_dataset(folder: Path, plan: Plan | None = None) -> Dataset:
    """What a folder is about, by its header; `AgentError` if that does not tell, or tells of another plan."""
    path = folder / HEADER
    try:
        header = json.loads(files.read_text(path, LARGEST_HEADER))
        found = results.plan_from(header)
        dataset = Dataset(found, keys.checked_salt(header["salt"]), int(header["games"]), bool(header["observations"]))
        if header["format"] != FORMAT or header != dataset.header():
            raise ValueError(f"its format is not {FORMAT!r}")
    except (OSError, ValueError, RecursionError, LookupError, TypeError, AgentError) as error:
        raise AgentError(f"{path}: cannot be read: {error}") from None
    if plan is not None and found != plan:
        names = [name for name, value in plan.header().items() if found.header().get(name) != value]
        raise AgentError(f"{folder}: holds games of another plan (different: {', '.join(names)}); choose another --out folder")
    return dataset


def require_same(folder: Path, found: Dataset, wanted: Dataset) -> None:
    """Refuse a folder with another number of games, other tables or another salt."""
    other = wanted.header()
    if differs := [name for name, value in found.header().items() if other.get(name) != value]:
        told = ", ".join(f"{name}: {found.header()[name]}, not {other.get(name)}" for name in differs)
        raise AgentError(f"{folder}: holds another dataset ({told}); choose another --out folder")


# ---- Joining parts


def join(dataset: Dataset, folders: Sequence[Path], out: Path) -> None:
    """Put the parts of folders together, one at a time; those in `out` itself are removed afterwards."""
    where = _found_parts(dataset, folders)
    for kind in KINDS:
        _join_kind(dataset, [part_path(folder, number, kind) for number, folder in where.items()], out / f"{kind}.parquet")
    for path in sorted((out / PARTS).glob("*.parquet")) if (out / PARTS).exists() else []:
        path.unlink()
    if (out / PARTS).exists():
        (out / PARTS).rmdir()


def _found_parts(dataset: Dataset, folders: Sequence[Path]) -> dict[int, Path]:
    """Which folder holds each part; `AgentError` for parts that are missing or differ."""
    where: dict[int, Path] = {}
    missing = []
    for number, task in dataset.parts().items():
        holding = [folder for folder in folders if has_part(folder, number)]
        if not holding:
            missing.append(f"deals {task.first} to {task.first + task.number - 1}")
            continue
        where[number] = holding[0]
        for other in holding[1:]:
            if any(_content(other, number, kind) != _content(holding[0], number, kind) for kind in KINDS):
                raise AgentError(f"{other} and {holding[0]}: part {number} is not the same in both; leave out one of them")
    if missing:
        raise AgentError(f"games are missing: {', '.join(dict.fromkeys(missing[:5]))}{' and more' if missing[5:] else ''}")
    return where


def _content(folder: Path, number: int, kind: str) -> bytes:
    return files.read_bytes(part_path(folder, number, kind), LARGEST_PART)


def _join_kind(dataset: Dataset, paths: Sequence[Path], out: Path) -> None:
    """Write one table from its parts, a row group each."""
    size = dataset.plan.checked()[0].layout.size if dataset.observations else 0
    schema = tables.GAMES if out.stem == KINDS[0] else tables.decisions_schema(size)
    about = {b"cardtable": json.dumps(dataset.header()).encode()}
    unfinished = out.with_name(f".{out.name}{files.PART}")
    with unfinished.open("wb") as file:
        with pq.ParquetWriter(file, schema.with_metadata(about), compression="zstd") as writer:
            for path in paths:
                table = _read_part(path)
                writer.write_table(table, row_group_size=max(table.num_rows, 1))
        file.flush()
        os.fsync(file.fileno())  # the parts are removed afterwards
    os.replace(unfinished, out)
    files.sync_folder(out.parent)


def _read_part(path: Path) -> pa.Table:
    try:
        return pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise AgentError(f"{path}: damaged ({error}); delete it, and the same command makes it again") from None


def merge(folders: Sequence[Path], out: Path) -> Dataset:
    """Put the shards of a dataset together in a new folder."""
    dataset = read_dataset(folders[0])
    for folder in folders[1:]:
        require_same(folder, read_dataset(folder, dataset.plan), dataset)
    _found_parts(dataset, folders)
    with _locked(out):
        if not is_whole(out):
            join(_begin(out, dataset, dataset.salt), [*folders, out], out)
        require_same(out, read_dataset(out, dataset.plan), dataset)
    return dataset
