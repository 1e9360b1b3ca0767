"""Begin a run in a folder, or resume one."""

from collections.abc import Callable
from pathlib import Path

from cardtable.errors import AgentError
from cardtable_agents.training import checkpoints
from cardtable_agents.training.folder import RunFolder
from cardtable_agents.training.settings import Settings
from cardtable_agents.training.train import Run


def start(settings: Settings, path: Path, *, overwrite: bool = False) -> Run:
    """A new run. `AgentError` if the folder holds one that is not to be overwritten, or other files with the names of ours."""
    folder = RunFolder(path)
    folder.require_room(overwrite=overwrite)
    path.mkdir(parents=True, exist_ok=True)
    with folder.set_aside():
        run = Run(settings, folder)
        run.saver.begin()
    return run


def resume(settings: Settings, path: Path, tell: Callable[[str], None] = print) -> Run:
    """The run of a folder, from its newest intact checkpoint; `tell` is called with a line for each that is damaged.

    `AgentError` if there is no run, none of its checkpoints is intact, or its settings differ.
    """
    folder = RunFolder(path)
    folder.require_run()
    checkpoint = checkpoints.newest(folder.checkpoints, tell)
    if checkpoint is None:
        raise AgentError(
            f"{path}: all checkpoints of the run are damaged; nothing was changed: restore one from a backup, or start "
            "again in another folder, or here with --overwrite"
        )
    if differs := settings.differences(checkpoint.about["agreed"]):
        raise AgentError(f"{path} holds another run (different: {', '.join(differs)}); choose another folder")
    return Run(settings, folder, checkpoint)
