"""The file of a sweep: which runs it asks for, every one of them checked before the first is trained."""

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from cardtable.errors import CardtableError, OptionError, UnknownOption
from cardtable.game.events import counted
from cardtable.game.registry import find
from cardtable.support import files
from cardtable.support.messages import listed, shown
from cardtable.support.plain import is_integer, plain_data
from cardtable_agents.training.folder import RUNS
from cardtable_agents.training.settings import Settings, settings_for
from cardtable_agents.training.sweep import draws, form
from cardtable_agents.training.sweep.draws import Values

LARGEST_FILE = 1 << 20
"""Bytes; a usual one has 500."""
KEYS = ("game", "out", "seeds", "options", "settings", "grid", "random")
ELSEWHERE = {
    "game": "it is given at the top of the file",
    "options": "they are given in [options]",
    "seed": "seeds = […] at the top of the file trains every combination with each",
    "command": "it is written by the sweep",
}
"""Settings that are given in another place."""
COMPARISON = "evaluation_"
"""What the names of settings begin with that say how runs are compared: they are the same for all."""
LONGEST_LABEL = 80
"""Characters of the values in the name of a folder: with number, seed and the files below it fits everywhere."""


@dataclass(frozen=True)
class PlannedRun:
    """A combination of values, to be trained with one seed."""

    combination: int
    """Its number, from 1."""
    seed: int
    values: Values
    name: str
    """Of its folder: the number, what differs, the seed."""
    settings: Settings


@dataclass(frozen=True)
class Sweep:
    """What a file asks for."""

    file: Path
    out: Path
    game: str
    options: Mapping[str, Any]
    shared: Values
    """Settings that are the same for all runs."""
    seeds: tuple[int, ...]
    combinations: tuple[Values, ...]
    runs: tuple[PlannedRun, ...]
    """Combination by combination, each with every seed."""

    @property
    def size(self) -> str:
        """How many runs there are, in words."""
        return f"{counted(len(self.combinations), 'combination')} × {counted(len(self.seeds), 'seed')}"

    @property
    def varied(self) -> list[str]:
        """The settings that differ."""
        return list(self.combinations[0])

    def with_threads(self, threads: int) -> "Sweep":
        """The same with so many threads for each run, unless the file says how many."""
        if "threads" in self.shared or "threads" in self.varied:
            return self
        runs = (replace(run, settings=replace(run.settings, threads=threads)) for run in self.runs)
        return replace(self, runs=tuple(runs))


# ---- Reading


def read_sweep(file: Path) -> Sweep:
    """The sweep of a file; `OptionError` that names the file and the key if there is anything that cannot be trained."""
    table = _read_toml(file)
    _require_keys(table, KEYS, f"{file}", "key")
    game, out = _text(table, "game", file), _text(table, "out", file) if "out" in table else str(RUNS / file.stem)
    options, shared = _table(table, "options", file), _table(table, "settings", file)
    seeds = _seeds(table.get("seeds", [1]), f"{file}: seeds")
    combinations = _combinations(table, seeds, file)
    _require_settings(shared, f"{file}: [settings]")
    if twice := [name for name in combinations[0] if name in shared]:
        raise OptionError(f"{file}: {twice[0]} is in [settings], and differs between the runs: expected one of the two")
    try:
        game = find(game).id  # the version is part of what is learned
    except CardtableError as error:
        raise OptionError(f"{file}: game: {error}") from None
    sweep = Sweep(file, Path(out), game, options, shared, seeds, tuple(combinations), ())
    return replace(sweep, runs=tuple(_runs(sweep)))


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        table = tomllib.loads(files.read_text(file, LARGEST_FILE))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise OptionError(f"{file}: not a TOML file: {error}") from None
    plain: dict[str, Any] = plain_data(table, str(file), OptionError)
    return plain


def _require_keys(table: Mapping[str, Any], allowed: Sequence[str], where: str, what: str) -> None:
    if unknown := [name for name in table if name not in allowed]:
        raise UnknownOption(f"{where}: unknown {what} {shown(unknown[0])}; allowed: {listed(allowed)}")


def _text(table: Mapping[str, Any], key: str, file: Path) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value:
        raise OptionError(f'{file}: {key}: expected a text such as {key} = "muster", found {shown(value)}')
    return value


def _table(table: Mapping[str, Any], key: str, file: Path) -> dict[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise OptionError(f"{file}: {key}: expected a table [{key}], found {shown(value)}")
    return value


def _seeds(value: object, where: str) -> tuple[int, ...]:
    if not isinstance(value, list) or not value or not all(map(is_integer, value)):
        raise OptionError(f"{where}: expected a list of integers such as [1, 2, 3], found {shown(value)}")
    if twice := [seed for place, seed in enumerate(value) if seed in value[:place]]:
        raise OptionError(f"{where}: {twice[0]} is there twice")
    return tuple(value)


def _combinations(table: Mapping[str, Any], seeds: Sequence[int], file: Path) -> list[Values]:
    """What differs between the runs besides the seed."""
    if "grid" in table and "random" in table:
        raise OptionError(f"{file}: found [grid] and [random]: expected one of the two")
    if "grid" not in table and "random" not in table:
        if len(seeds) == 1:
            raise OptionError(f"{file}: nothing to compare: expected [grid], [random] or several seeds")
        draws.require_number(1, len(seeds), f"{file}: seeds")
        return [{}]
    kind = "grid" if "grid" in table else "random"
    values, where = _table(table, kind, file), f"{file}: [{kind}]"
    _require_settings([name for name in values if kind == "grid" or name not in ("number", "seed")], where)
    for name in values:
        if name.startswith(COMPARISON):
            raise OptionError(f"{where} {name}: it says how runs are compared; expected in [settings], the same for all")
    return (draws.grid if kind == "grid" else draws.random)(values, where, len(seeds))


def _require_settings(names: Mapping[str, Any] | Sequence[str], where: str) -> None:
    """`OptionError` for a name that is no setting, or one that is given in another place."""
    for name in names:
        if name in ELSEWHERE:
            raise OptionError(f"{where} {name}: {ELSEWHERE[name]}")
    known = [each.name for each in fields(Settings) if each.name not in ELSEWHERE]
    _require_keys(dict.fromkeys(names), known, where, "setting")


# ---- The runs


def _runs(sweep: Sweep) -> list[PlannedRun]:
    runs = []
    for number, values in enumerate(sweep.combinations, start=1):
        for seed in sweep.seeds:
            settings = _settings(sweep, values, seed)
            runs.append(PlannedRun(number, seed, values, _name(number, values, seed), settings))
            if seed == sweep.seeds[0]:
                _require_players(sweep, values, settings)
    return runs


def _settings(sweep: Sweep, values: Values, seed: int) -> Settings:
    given = {**sweep.shared, **values, "seed": seed}
    command = form.command_line(sweep.game, sweep.options, given)
    try:
        return settings_for(sweep.game, dict(sweep.options), **given, command=command)
    except CardtableError as error:
        raise OptionError(f"{sweep.file}: {_where(values, seed)}: {error}") from None


def _require_players(sweep: Sweep, values: Values, settings: Settings) -> None:
    try:
        settings.require_players()
    except CardtableError as error:
        raise OptionError(f"{sweep.file}: {_where(values, settings.seed)}: {error}") from None


def _where(values: Values, seed: int) -> str:
    """Which run an error is about."""
    return f"the run with {', '.join([*(f'{name}={shown(value)}' for name, value in values.items()), f'seed={seed}'])}"


def _name(number: int, values: Values, seed: int) -> str:
    """A name for the folder of a run: readable, stable, safe on every file system, of these values alone."""
    full = "-".join(f"{name}={form.short(value)}" for name, value in values.items())
    label = re.sub(r"[^A-Za-z0-9.=_+-]+", "_", full)
    if len(label) > LONGEST_LABEL or label != full:
        label = f"{label[:LONGEST_LABEL]}-{hashlib.sha256(repr(values).encode()).hexdigest()[:8]}"
    return "-".join(part for part in (f"{number:03d}", label, f"seed={seed}") if part)
