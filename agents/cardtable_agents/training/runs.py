"""Train: begin a run in a folder, or resume one, and see it to its end."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from cardtable.errors import AgentError
from cardtable_agents.training import checkpoints
from cardtable_agents.training.display import Display
from cardtable_agents.training.folder import RunFolder, new_folder
from cardtable_agents.training.make import require_learner
from cardtable_agents.training.run import Run
from cardtable_agents.training.settings import Settings


def complete(
    settings: Settings,
    out: Path | str | None,
    *,
    resuming: bool = False,
    overwrite: bool = False,
    progress: bool | None = None,
    begin: Callable[[Settings, Path], None] = lambda settings, path: None,
) -> Run:
    """Start or resume a run and train to its end, while no other process trains in its folder.

    `out` and `progress` as `cardtable_agents.training.train` has them; `begin` is called once it is clear that the run can be.
    """
    if resuming and overwrite:
        raise AgentError("resume a run or overwrite it: expected one of the two")
    if out is None and (resuming or overwrite):
        raise AgentError(f"to {'resume' if resuming else 'overwrite'} a run, name its folder: --out DIR")
    require_learner(settings)
    path = Path(out) if out is not None else new_folder(settings.game)
    folder = RunFolder(path)
    if resuming:
        folder.require_run()
    else:
        folder.require_room(overwrite=overwrite)
    made = [*folder.missing(), *([path] if out is None else [])]
    with checkpoints.alone(folder.checkpoints):
        with folder.removed_if_nothing_begins(made):
            run = resume(settings, path) if resuming else start(settings, path, overwrite=overwrite)
        begin(settings, path)
        display = Display(run) if progress or (progress is None and sys.stderr.isatty()) else None
        try:
            with stopped_by_interrupt(run):
                run.train(display or (lambda phase, done: None))
        finally:
            if display:
                display.close()
    return run


def start(settings: Settings, path: Path, *, overwrite: bool = False) -> Run:
    """A new run. `AgentError` if the folder holds one that is not to be overwritten, or other files with the names of ours."""
    require_learner(settings)
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
    told: list[str] = []
    checkpoint = checkpoints.newest(folder.checkpoints, told.append)
    for line in told:
        tell(line)
    if checkpoint is None:
        raise AgentError(_nothing_to_resume(path, told))
    if differs := settings.differences(checkpoint.about["agreed"]):
        raise AgentError(f"{path} holds another run (different: {', '.join(differs)}); choose another folder")
    return Run(settings, folder, checkpoint)


def _nothing_to_resume(path: Path, told: list[str]) -> str:
    """Why no checkpoint of a run can be resumed."""
    if any(checkpoints.FORMER in line for line in told):
        return (
            f"{path}: the run is of an earlier version ({checkpoints.FORMER}) and cannot be resumed; nothing was changed. Its "
            "policy can still be played; start again in another folder, or here with --overwrite"
        )
    return (
        f"{path}: all checkpoints of the run are damaged; nothing was changed: restore one from a backup, or start again in "
        "another folder, or here with --overwrite"
    )


@contextmanager
def stopped_by_interrupt(run: Run) -> Iterator[None]:
    """Let an interrupt stop the run after the rollout that it is at, with a checkpoint; a second one at once, without.

    `KeyboardInterrupt` either way. Only the main thread is interrupted; in another one nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        if run.stopped:
            raise KeyboardInterrupt
        run.stop()
        print("\nstopping after this rollout; interrupt again to stop at once", file=sys.stderr, flush=True)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if run.stopped:
        raise KeyboardInterrupt
