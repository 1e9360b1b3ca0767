"""Results of several folders put together: the same file, to the byte, as if one machine had played all of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cardtable.errors import AgentError
from cardtable.support import files
from cardtable_agents.arena import results
from cardtable_agents.arena.plan import Plan, Seating
from cardtable_agents.arena.results import Line
from cardtable_agents.arena.work import Task, left_to_play, number_of_deals

LARGEST_REPLAY = 100_000_000
MOST_TOLD = 5
"""Gaps that a message names."""

Key = tuple[Seating, int]


@dataclass(frozen=True)
class Source:
    """The results in a folder."""

    folder: Path
    salt: str
    games: list[Line]


@dataclass(frozen=True)
class Merged:
    """What has been put together."""

    plan: Plan
    games: int
    doubles: int
    """Games that more than one folder holds, the same in each."""
    gaps: list[Task]


def merge(folders: Sequence[Path], out: Path, games: int | None = None, *, allow_gaps: bool = False) -> Merged:
    """Put the results of folders together in another one, new or with some of these results in it already.

    `AgentError` if they are not of one plan and one salt, if a game differs between two of them, or if games are missing: of
    `games` for each line-up, or if that is not given, of the deals up to the last one there is. Nothing is written then.
    """
    plan = _plan_of(folders[0])
    there = [out] if (out / results.RESULTS).exists() else []
    sources = [_read(folder, plan) for folder in (*folders, *there)]
    _require_one_salt(sources)
    found = _together(sources)
    deals = range(number_of_deals(plan, games) if games else max((deal for _, deal in found), default=-1) + 1)
    gaps = left_to_play(plan, deals, found)
    if gaps and not allow_gaps:
        raise AgentError(f"games are missing: {told(gaps)}; --gaps merges what there is, and the arena can play the rest there")
    with results.open_results(out, plan, sources[0].salt) as writer:
        held_already = {results.key_of(line) for line in writer.games}
        new = [each for key, each in found.items() if key not in held_already]
        _copy_replays(new, out)
        writer.append(line for _, line in new)
        writer.put_in_order()
        held = len(writer.games)
    return Merged(plan, held, sum(len(source.games) for source in sources) - len(found), gaps)


def told(gaps: Sequence[Task]) -> str:
    """Which games are missing, in words."""
    words = [f"{_deals(task)} of {' and '.join('-'.join(seating) for seating in task.seatings)}" for task in gaps[:MOST_TOLD]]
    more = [f"{len(gaps) - MOST_TOLD:,} more ranges"] if len(gaps) > MOST_TOLD else []
    return ", ".join([*words, *more])


def _deals(task: Task) -> str:
    last = task.first + task.number - 1
    return f"deal {last}" if task.number == 1 else f"deals {task.first} to {last}"


def _plan_of(folder: Path) -> Plan:
    path = folder / results.RESULTS
    try:
        return results.read_plan(path)
    except AgentError as error:
        raise AgentError(f"{path}: {error}") from None


def _read(folder: Path, plan: Plan) -> Source:
    found = results.read_results(folder / results.RESULTS, plan)
    return Source(folder, found.salt, found.games)


def _require_one_salt(sources: Sequence[Source]) -> None:
    for source in sources[1:]:
        if source.salt != sources[0].salt:
            raise AgentError(
                f"{source.folder}: its games were played with another salt than those in {sources[0].folder}; give every "
                "shard the same --salt"
            )


def _together(sources: Iterable[Source]) -> dict[Key, tuple[Source, Line]]:
    """Every game with the first folder that holds it."""
    found: dict[Key, tuple[Source, Line]] = {}
    for source in sources:
        _require_same(source, found)
        for line in source.games:
            found.setdefault(results.key_of(line), (source, line))
    return found


def _require_same(source: Source, found: dict[Key, tuple[Source, Line]]) -> None:
    """Refuse a game that differs from the one of the same deal and seating in another folder."""
    for line in source.games:
        key = results.key_of(line)
        if key in found and results.without_seconds(line) != results.without_seconds(found[key][1]):
            raise AgentError(
                f"{source.folder} and {found[key][0].folder} hold deal {key[1]} of {'-'.join(key[0])}, and not the same game: "
                "one of the agents does not play the same way twice; leave out one of the folders"
            )


def _copy_replays(chosen: Iterable[tuple[Source, Line]], out: Path) -> None:
    """Copy the replays that lines name; never over another file."""
    for source, line in chosen:
        if "replay" not in line:
            continue
        name = Path(line["replay"]).name
        text = files.read_text(source.folder / results.REPLAYS / name, LARGEST_REPLAY)
        (out / results.REPLAYS).mkdir(exist_ok=True)
        if results.save_replay(out / results.REPLAYS, name, text).name != name:
            raise AgentError(f"{out / results.REPLAYS / name}: another replay is there; choose another --out folder")
