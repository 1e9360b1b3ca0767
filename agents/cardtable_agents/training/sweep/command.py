"""The command `cardtable train sweep`: its flags, its progress, and what it prints at the end."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cardtable.cli.arguments import add_load, positive_integer

if TYPE_CHECKING:
    from cardtable_agents.training.sweep.folders import Place
    from cardtable_agents.training.sweep.forecast import Forecast
    from cardtable_agents.training.sweep.plan import Sweep
    from cardtable_agents.training.sweep.results import Row
    from cardtable_agents.training.sweep.running import Ended, Show

BAR = "{desc} {percentage:3.0f} %|{bar:20}| {elapsed}<{remaining}"


def add_sweep_arguments(parser: argparse.ArgumentParser) -> None:
    """The file, in how many processes, and what to do in place of training."""
    parser.add_argument("file", type=Path, metavar="FILE.toml", help="the game, the settings, and which of them differ")
    parser.add_argument(
        "--jobs",
        type=positive_integer,
        default=1,
        metavar="N",
        help="runs side by side, each in a process with one thread unless the file sets threads (default 1, with all threads)",
    )
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--dry-run", action="store_true", help="list the runs and how long they take; train nothing")
    instead.add_argument("--table", action="store_true", help="compare what has been trained so far; train nothing")
    add_load(parser)


def sweep_command(args: argparse.Namespace) -> None:
    """Train with many combinations of settings, and compare them; the same command continues where it was stopped."""
    from cardtable.errors import AgentError
    from cardtable.players.roster import load_module

    try:
        from cardtable_agents.training.sweep import folders
        from cardtable_agents.training.sweep.plan import read_sweep
    except ImportError as error:
        raise AgentError(f"training needs packages that are not installed ({error}): pip install 'cardtable[train]'") from None
    for module in args.load:
        load_module(module)
    sweep = read_sweep(args.file)
    if args.jobs > 1:
        sweep = sweep.with_threads(1)
    if args.dry_run:
        print(_listing(sweep, args.jobs))
    elif args.table:
        _report(sweep)
    else:
        with folders.alone(sweep):
            _train(sweep, args.jobs, args.load)
        _report(sweep)


# ---- Before


def _listing(sweep: "Sweep", jobs: int) -> str:
    """Every run with its state, and how long the rest takes."""
    from cardtable_agents.training.sweep import folders, forecast

    places = folders.places(sweep)
    lines = [f"{place.path}{'' if place.state == folders.NEW else f'  ({place.state})'}" for place in places]
    left, expected = _left(places), _forecast(places, jobs)
    rest = forecast.told(expected.rest([(place.run.settings, _trained(place)) for place in left]))
    total = f"{sweep.size} = {len(places):,} runs, {len(left):,} left to train; time: {rest}"
    return "\n".join([*lines, total, *_notices(sweep, places)])


def _notices(sweep: "Sweep", places: "list[Place]") -> list[str]:
    """What the user should know before anything is trained."""
    from cardtable.game.events import counted
    from cardtable_agents.training.sweep import folders

    notices = []
    if others := folders.strangers(sweep, places):
        told = f"{counted(len(others), 'run')} that {sweep.file} does not ask for ({others[0]}{', …' if others[1:] else ''})"
        notices.append(f"{sweep.out} also holds {told}, which are left out")
    if failed := [place for place in places if place.state == folders.FAILED]:
        told = f"{counted(len(failed), 'run')} failed earlier"
        notices.append(f"{told}; to try one again delete its folder, such as {failed[0].path}")
    return notices


def _left(places: "Sequence[Place]") -> "list[Place]":
    """The runs that are not at their end."""
    from cardtable_agents.training.sweep import folders

    return [place for place in places if place.state in (folders.NEW, folders.BEGUN)]


def _trained(place: "Place") -> float:
    """How many seconds a run has been trained."""
    from cardtable_agents.training.sweep import results

    return results.outcome_of(place).minutes * 60


def _forecast(places: "Sequence[Place]", jobs: int) -> "Forecast":
    """A forecast that knows how long the runs took that are done."""
    from cardtable_agents.training.sweep import folders
    from cardtable_agents.training.sweep.forecast import Forecast

    return Forecast(jobs, [_trained(place) for place in places if place.state == folders.DONE])


# ---- Training


def _train(sweep: "Sweep", jobs: int, modules: Sequence[str]) -> None:
    """Train what is left, and say after each run how it did and how long the rest takes."""
    from cardtable_agents.training.sweep import folders, running

    places = folders.places(sweep)
    left, expected = _left(places), _forecast(places, jobs)
    ended_before = len(places) - len(left)
    print(
        f"sweep of {sweep.game} into {sweep.out}: {sweep.size} = {len(places):,} runs, {ended_before:,} of them ended earlier"
    )
    for notice in _notices(sweep, places):
        print(notice)
    if not left:
        return
    rest = _Rest(left, expected)
    print(f"time: {rest}; Ctrl-C stops, the same command continues")
    if jobs > 1:
        ends = running.train_side_by_side(left, jobs, modules)
    else:
        ends = running.train_in_turn(left, lambda place: _bar(f"{place.path.name}, all: {rest}"))
    for number, ended in enumerate(ends, start=ended_before + 1):
        rest.end(ended)
        left_over = f"; time left: {rest}" if number < len(places) else ""
        print(f"run {number} of {len(places)}: {_told(ended)}{left_over}", flush=True)


class _Rest:
    """How long the runs take that have not ended, in words; it learns from those that end."""

    def __init__(self, left: "Sequence[Place]", expected: "Forecast") -> None:
        self._expected = expected
        self._left = {place.path: (place.run.settings, _trained(place)) for place in left}

    def end(self, ended: "Ended") -> None:
        """A run has ended."""
        del self._left[ended.place.path]
        if not ended.error:
            self._expected.taken.append(_trained(ended.place))

    def __str__(self) -> str:
        from cardtable_agents.training.sweep import forecast

        return forecast.told(self._expected.rest(list(self._left.values())))


@contextmanager
def _bar(title: str) -> "Iterator[Show]":
    """A progress bar for a run; it is gone when the run has ended."""
    from tqdm import tqdm

    with tqdm(total=1.0, bar_format=BAR, desc=title, leave=False) as bar:

        def show(phase: str, done: float) -> None:
            bar.set_description_str(f"{title}, {phase}", refresh=False)
            bar.update(done - bar.n)

        yield show


def _told(ended: "Ended") -> str:
    """A run that has ended, in one line."""
    from cardtable_agents.training.evaluate import ALONE
    from cardtable_agents.training.sweep import results

    if ended.error:
        return f"{ended.place.path.name} failed: {ended.error}"
    outcome = results.outcome_of(ended.place)
    reached = results.rate_text(outcome.rate, outcome.opponent)
    against = "mean return" if outcome.opponent == ALONE else f"against {outcome.opponent}"
    return f"{ended.place.path.name}: {against} {reached} after {outcome.minutes:.1f} min"


# ---- Afterwards


def _report(sweep: "Sweep") -> None:
    """Print the table and what to do with the best settings; write the files of results and the picture."""
    from cardtable.support.columns import terminal_width
    from cardtable_agents.training.sweep import folders, results

    places = folders.places(sweep)
    if not sweep.out.exists():
        print(f"{sweep.out} does not exist: nothing has been trained yet")
        return
    rows = results.rows_of(sweep, places)
    print(results.table(sweep, rows, terminal_width()))
    if advice := results.advice(sweep, rows):
        print(advice)
    results.write_files(sweep, rows)
    print(f"results: {sweep.out / results.CSV}, {sweep.out / results.JSON}, {_draw(sweep, rows)}")


def _draw(sweep: "Sweep", rows: "Sequence[Row]") -> str:
    """Draw the picture; say where it is, or why there is none."""
    from cardtable.game.registry import find
    from cardtable_agents.training.sweep import picture, results

    if not results.opponent_of(rows):
        return "no picture: nothing has been evaluated yet"
    game, path = find(sweep.game), sweep.out / results.PICTURE
    players = game.parse_options(dict(sweep.options)).num_players
    by_steps = all(run.settings.minutes is None for run in sweep.runs)
    title = f"{game.title}: {sweep.size} (line: mean, band: lowest to highest seed)"
    try:
        picture.draw(rows, title, 1 / players if players > 1 else None, by_steps, path)
    except ImportError:
        return "no picture: pip install 'cardtable[arena]'"
    return f"picture: {path}"
