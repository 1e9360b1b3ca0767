"""Finished training runs of one game under the same options: what may be published, and what is refused."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cardtable_agents.players import policy
from cardtable_agents.players.policy import Policy
from cardtable_agents.training import log
from cardtable_agents.training.folder import RunFolder

from cardtable.errors import AgentError
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.game.registry import find
from cardtable.support.messages import shown


@dataclass(frozen=True)
class FinishedRun:
    """A run that has ended, as its folder tells it."""

    path: Path
    game: Game
    options: Options
    policy: Policy
    about: dict[str, Any]
    """What the policy's file says of itself."""
    header: dict[str, Any]
    """What the log says at its beginning."""
    lines: list[dict[str, Any]]
    """The log."""

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the run, as plain data."""
        return dict(self.header.get("settings", {}))


def read_run(path: Path) -> FinishedRun:
    """The run in a folder; `AgentError` if there is none, or if it has not ended."""
    folder = RunFolder(path)
    header = log.header(folder.log)
    if header is None:
        raise AgentError(f"{path}: no training run: expected a log of one, {folder.log.name}")
    lines = log.read(folder.log)
    if not lines or not lines[-1].get("done"):
        raise AgentError(f"{path}: the run has not ended: let `cardtable train … --out {path} --resume` finish it")
    about = policy.about(folder.policy)
    if about.get("game") != header.get("game"):
        raise AgentError(
            f"{path}: its log is of {shown(header.get('game'))}, its policy of {shown(about.get('game'))}: not one run"
        )
    game = find(about["game"])
    options = game.parse_options(about.get("options", {}))
    return FinishedRun(path, game, options, policy.load(folder.policy, game), about, header, lines)


def read_runs(paths: Sequence[Path]) -> list[FinishedRun]:
    """The runs in some folders; `AgentError` unless they are different runs of one game under the same options."""
    runs = [read_run(path) for path in paths]
    first, seen = runs[0], dict[str, Path]()
    for run in runs:
        if run.game.id != first.game.id:
            raise AgentError(f"{run.path} is a run of {run.game.id}, {first.path} of {first.game.id}: publish them apart")
        if differing := differences(first.options, run.options):
            raise AgentError(f"{run.path} was trained with {differing}, unlike {first.path}: publish them apart")
        fingerprint = run.policy.fingerprint()
        if fingerprint in seen:
            raise AgentError(f"{run.path} and {seen[fingerprint]} hold the same policy: name each run once")
        seen[fingerprint] = run.path
    return runs


def differences(usual: Options, options: Options) -> str:
    """The options that differ from others, in words; nothing if none does."""
    return ", ".join(f"{name}={shown(value)}" for name, value in changed_options(usual, options).items())


def changed_options(usual: Options, options: Options) -> dict[str, Any]:
    """The options that differ from others, as plain data."""
    before = usual.to_dict()
    return {name: value for name, value in options.to_dict().items() if value != before[name]}
