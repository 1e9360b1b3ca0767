"""A training run: a policy first learns from a teacher, then by MaskablePPO against a pool of opponents.

A run is a folder: `policy.safetensors` (the policy so far, ready to play), `log.jsonl` (a header, then a line for each round of
imitation and each update), `tensorboard/`, `checkpoints/`, and at the end `learning_curve.png`.
"""

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import set_random_seed

from cardtable.errors import AgentError
from cardtable.game.game import Game, checked_seed
from cardtable.game.options import Options
from cardtable.game.registry import find
from cardtable.players.pool import Pool
from cardtable.players.roster import fingerprint_of, make_agent
from cardtable_agents.players import policy
from cardtable_agents.players.advice import Adviser
from cardtable_agents.players.policy import Policy, SamplingAgent
from cardtable_agents.training import checkpoints, evaluate, log
from cardtable_agents.training.checkpoints import Checkpoint
from cardtable_agents.training.imitation import Classroom, Lessons, sharpen, study
from cardtable_agents.training.learner import hold_policy, new_learner, policy_of
from cardtable_agents.training.log import Log
from cardtable_agents.training.shaping import Guide, GuidedEnv
from cardtable_agents.weights import WeightsError

SELF = "self"
"""The opponent that is a past self of the learner."""
POLICY_FILE = "policy.safetensors"
LOG_FILE = "log.jsonl"
CURVE_FILE = "learning_curve.png"
FILES = (POLICY_FILE, LOG_FILE, CURVE_FILE)
"""The files that a run writes in its folder."""
CHECKPOINTS, TENSORBOARD = "checkpoints", "tensorboard"
"""The folders in it."""
ROUND = 40_960
"""Decisions that the teacher is asked about in a round of imitation."""
REMEMBERED = 1 << 19
"""Lessons that are kept, the newest."""
STUDIES = 3
"""Lessons that a round studies for each new one, drawn from all that are kept."""
STUDY_RATE = (1e-3, 1e-4)
"""Learning rate of imitation, in the first round and the last."""
LONGEST_IMITATION = 0.5
"""Share of the minutes after which imitation ends, done or not."""
RATE = (3e-4, 3e-5)
"""Learning rate of PPO, at the beginning and the end."""
EXAM_GAMES = 200
INTERVAL = 60.0
"""Seconds between checkpoints: what a killed run loses at most. Exams are not more frequent either."""
EXAM_SHARE = 0.1
"""Share of the time that exams may take."""
CRITIC_FIRST = 4
"""In so many updates of an advised run only the critic learns: led by one that knows nothing, the policy would lose what its
adviser knows."""
SNAPSHOT = 20
"""After so many updates the learner joins the pool, in place of its oldest self."""

Progress = Callable[[str, float, Mapping[str, Any]], None]
"""Hears (the phase, how much of it is done, what is worth showing)."""


@dataclass(frozen=True)
class Settings:
    """What is to be learned, and how."""

    game: str
    options: Mapping[str, Any]
    opponents: tuple[str, ...]
    """Agents, a place in the pool each; `self` is a past self of the learner."""
    teacher: str
    imitation_steps: int
    """Decisions that the teacher is asked about before PPO begins."""
    steps: int | None = None
    """Decisions of the learner in PPO."""
    minutes: float | None = None
    """How long the run takes. It ends with its steps or its minutes, whichever comes first."""
    seed: int = 1
    games: int = 256
    """Games side by side."""
    guidance: float = 0.0
    """How much the learner is paid for what its moves change in the value of its position."""
    advice: str | None = None
    """The agent that tells the policy at every decision how good it finds each action."""
    exams: tuple[str, ...] = ("random",)
    """Whom the policy is measured against."""
    command: str = ""

    def agreed(self) -> dict[str, Any]:
        """What a run that is resumed must agree on, as plain data."""
        plain = json.loads(json.dumps(asdict(self), default=str))
        checked = find(self.game).parse_options(self.options).to_dict()  # an edition with its content
        plain["options"] = json.loads(json.dumps({name: checked[name] for name in self.options}))
        plain["opponents"] = [self._identified(name) for name in self.opponents]
        plain["teacher"] = self._identified(self.teacher)
        names = ("game", "options", "seed", "games", "teacher", "opponents", "guidance", "advice")
        return {name: plain[name] for name in names}

    def _identified(self, name: str) -> str:
        """The name of an agent, and what is behind it: a file that was replaced is another agent."""
        game = find(self.game)
        found = fingerprint_of(name, game, game.parse_options(self.options)) if name != SELF else ""
        return f"{name} ({found})" if found else name


class TimedPool(Pool):
    """The opponents, with a stopwatch."""

    seconds = 0.0

    def act(self, games: np.ndarray, observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """Choose, and take the time."""
        start = time.perf_counter()
        actions = super().act(games, observation, mask)
        self.seconds += time.perf_counter() - start
        return actions


class TimedEnv(GuidedEnv):
    """The learner's environment, with a stopwatch; what its opponents and its adviser take is in it."""

    seconds = 0.0

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Step, and take the time."""
        start = time.perf_counter()
        stepped = super().step_wait()
        self.seconds += time.perf_counter() - start
        return stepped


class Training:
    """A run in a folder, from its beginning or as a checkpoint has it; `start` and `resume` make one."""

    def __init__(self, settings: Settings, folder: Path, checkpoint: Checkpoint | None = None) -> None:
        checked_seed(settings.seed)
        self.settings, self.folder = settings, folder
        self.agreed = settings.agreed()
        self.game: Game = find(settings.game)
        self.options: Options = self.game.parse_options(settings.options)
        self.log = Log(folder / LOG_FILE)
        self.rates: dict[str, float] = {}
        self.past: list[Policy] = []
        self.rounds_done = self.updates = 0
        self.imitation_seconds = self._seconds_before = self._exam_due = self._keep_due = 0.0
        self._start = time.monotonic()
        self._rate = RATE[0]
        self._lessons: Lessons | None = None
        self._build(first=checkpoint.about["next_game"] if checkpoint else 0)
        if checkpoint:
            self._restore(checkpoint)

    def _build(self, first: int) -> None:
        """Make environment, pool and learner; games are numbered from `first`."""
        settings = self.settings
        set_random_seed((settings.seed + first) % 2**32)
        names = ["random" if name == SELF else name for name in settings.opponents]  # past selves come when there are any
        members = [make_agent(name, self.game, self.options) for name in names]
        self.places = [place for place, name in enumerate(settings.opponents) if name == SELF]
        self.pool = TimedPool(self.game, self.options, members, settings.seed)
        self.guide = Guide(self.game, self.options, settings.guidance)
        self.adviser = Adviser(settings.advice, self.game, self.options) if settings.advice else None
        self.env = TimedEnv(
            self.game, settings.games, self.pool, settings.seed, self.guide, self.adviser, first=first, **settings.options
        )
        self.learner = new_learner(self.env, lambda _: self._rate, settings.advice)
        self.learner.set_logger(configure(str(self.folder / TENSORBOARD), ["tensorboard"]))

    def _restore(self, checkpoint: Checkpoint) -> None:
        about = checkpoint.about
        self.past = checkpoints.restore(checkpoint, self.learner)
        if len(self.past) not in (0, len(self.places)):
            raise WeightsError(
                f"the checkpoint does not fit the run: {len(self.past)} past selves for {len(self.places)} places"
            )
        self.learner.num_timesteps = about["steps"]
        self.rounds_done, self.updates, self.rates = about["rounds_done"], about["updates"], about["rates"]
        self._seconds_before, self.imitation_seconds = about["seconds"], about["imitation_seconds"]
        self._exam_due = self._keep_due = self.seconds + INTERVAL
        self.log.cut(about["lines"])
        if not self.log.lines:
            self.log.begin(self._header())

    def begin(self) -> None:
        """Put a first checkpoint into the folder, then a log: a run that is killed can be resumed from its first moment."""
        self._keep_checkpoint(lines=1)
        self.log.begin(self._header())

    def _header(self) -> dict[str, Any]:
        return {"settings": asdict(self.settings), **policy.fits(self.game)}

    # ---- Where the run is

    @property
    def seconds(self) -> float:
        """How long the run has taken, parts before an interruption included."""
        return self._seconds_before + time.monotonic() - self._start

    @property
    def imitated(self) -> float:
        """How much of the imitation is done, from 0 to 1."""
        parts = [self.rounds_done * ROUND / self.settings.imitation_steps if self.settings.imitation_steps else 1.0]
        if self.settings.minutes is not None:
            parts.append(self.seconds / (self.settings.minutes * 60 * LONGEST_IMITATION))
        return 1.0 if self.updates else min(max(parts), 1.0)

    @property
    def done(self) -> float:
        """How much of PPO is done, from 0 to 1."""
        parts = [0.0]
        if self.settings.steps is not None:
            parts.append(self.learner.num_timesteps / max(self.settings.steps, 1))
        if self.settings.minutes is not None:
            left = max(self.settings.minutes * 60 - self.imitation_seconds, 1.0)
            parts.append((self.seconds - self.imitation_seconds) / left)
        return min(max(parts), 1.0)

    # ---- Running

    def run(self, progress: Progress = lambda phase, done, shown: None) -> Path:
        """Train to the end; the path of the policy."""
        if self.imitated < 1:
            self._imitate(progress)
        if not self.past:
            self.past = [policy_of(self.learner.policy)] * len(self.places)
        self._seat_past()
        while self.done < 1:
            self._update()
            progress("ppo", self.done, self._shown())
        self.examine()
        self.keep()
        return self.folder / POLICY_FILE

    def _imitate(self, progress: Progress) -> None:
        """Learn from the teacher, round by round."""
        teacher = make_agent(self.settings.teacher, self.game, self.options)
        first = self.rounds_done << 32  # deals of their own, also after an interruption
        seed = self.settings.seed + 1
        classroom = Classroom(self.game, self.options, teacher, self.guide, self.settings.games, seed, first, self.adviser)
        optimizer = torch.optim.Adam(self.learner.policy.parameters())
        while self.imitated < 1:
            self._round(classroom, optimizer)
            progress("imitation", self.imitated, self._shown())
        sharpen(self.learner.policy)
        self.imitation_seconds = self.seconds
        self._lessons = None
        self.examine()
        self.keep()

    def _round(self, classroom: Classroom, optimizer: torch.optim.Optimizer) -> None:
        for group in optimizer.param_groups:
            group["lr"] = _between(STUDY_RATE, self.imitated)
        taught = policy_of(self.learner.policy) if self.rounds_done else None
        lessons = classroom.lessons(-(-ROUND // self.settings.games), taught)
        self._lessons = lessons.after(self._lessons, REMEMBERED) if self._lessons else lessons
        generator = np.random.default_rng([self.settings.seed, self.rounds_done])
        agreed = study(self.learner.policy, optimizer, self._lessons, STUDIES * len(lessons), generator)
        self.rounds_done += 1
        self._book({"phase": "imitation", "round": self.rounds_done, "agreed": round(agreed, 4)})

    def _update(self) -> None:
        """One rollout of PPO and what is learned from it."""
        start, before = time.perf_counter(), self._clocks()
        self._rate = _between(RATE, self.done)
        hold_policy(self.learner.policy, hold=self.settings.advice is not None and self.updates < CRITIC_FIRST)
        self.learner.learn(1, reset_num_timesteps=False)
        seconds = time.perf_counter() - start
        shares = {f"{name}_share": round((clock - before[name]) / seconds, 3) for name, clock in self._clocks().items()}
        self.updates += 1
        if self.updates % SNAPSHOT == 0 and self.places:
            self.past = [*self.past[1:], policy_of(self.learner.policy)]
            self._seat_past()
        learned = self.learner.logger.name_to_value
        self._book(
            {
                "phase": "ppo",
                "steps": self.learner.num_timesteps,
                "steps_per_second": round(self.learner.n_steps * self.env.num_envs / seconds),
                **shares,
                "return": round(float(np.mean([each["r"] for each in self.learner.ep_info_buffer or [{"r": 0}]])), 4),
                **{name: round(float(learned[f"train/{name}"]), 4) for name in ("approx_kl", "entropy_loss", "value_loss")},
            }
        )

    def _clocks(self) -> dict[str, float]:
        """Seconds that the parts of a rollout other than the learner have taken so far."""
        opponents, advice = self.pool.seconds, self.adviser.seconds if self.adviser else 0.0
        return {"environment": self.env.seconds - opponents - advice, "opponents": opponents, "advice": advice}

    def _seat_past(self) -> None:
        for place, past in zip(self.places, self.past, strict=True):
            self.pool.members[place] = SamplingAgent(self.game, self.options, past)

    def _book(self, line: dict[str, Any]) -> None:
        """Log a line; an exam and a checkpoint if they are due."""
        self.log.add({**line, "seconds": round(self.seconds, 1)})
        if self.seconds > self._exam_due:
            self.examine()
        if self.seconds > self._keep_due:
            self.keep()

    def examine(self) -> None:
        """Measure the policy against fixed opponents."""
        start, played = self.seconds, policy_of(self.learner.policy)
        self.rates = evaluate.examine(self.game, self.options, played, self.settings.exams, EXAM_GAMES)
        for name, rate in self.rates.items():
            self.learner.logger.record(f"exam/{name}", rate)
        phase = "ppo" if self.updates else "imitation"
        steps = self.learner.num_timesteps
        self.log.add({"phase": phase, "steps": steps, "exam": self.rates, "seconds": round(self.seconds, 1)})
        self._exam_due = self.seconds + max((self.seconds - start) / EXAM_SHARE, INTERVAL)

    def _shown(self) -> dict[str, Any]:
        shown: dict[str, Any] = {name: f"{rate:.0%}" for name, rate in self.rates.items()}
        if self.updates:
            shown["steps"] = f"{self.learner.num_timesteps:,}"
        return shown

    # ---- What stays

    def keep(self) -> None:
        """Write a checkpoint, and the policy so far."""
        self._keep_due = self.seconds + INTERVAL
        self._keep_checkpoint(self.log.lines)
        made = {
            "options": self.agreed["options"],
            "seed": self.settings.seed,
            "command": self.settings.command,
            "imitated": [self.settings.teacher, self.rounds_done * ROUND],
            "steps": self.learner.num_timesteps,
            "seconds": round(self.seconds),
            "exam": self.rates,
        }
        policy.save(self.folder / POLICY_FILE, self.game, policy_of(self.learner.policy), made)

    def _keep_checkpoint(self, lines: int) -> None:
        """Write a checkpoint that knows of so many lines of the log."""
        position = {
            "agreed": self.agreed,
            "rounds_done": self.rounds_done,
            "updates": self.updates,
            "steps": self.learner.num_timesteps,
            "seconds": self.seconds,
            "imitation_seconds": self.imitation_seconds,
            "next_game": self.env.next_game,
            "rates": self.rates,
            "lines": lines,
        }
        checkpoints.write(self.folder / CHECKPOINTS, checkpoints.checkpoint_of(self.learner, self.past, position))


# ---- Beginning, and going on


def start(settings: Settings, folder: Path, *, overwrite: bool = False) -> Training:
    """A new run. `AgentError` if the folder holds one already, unless that is to be overwritten, or anything else of ours."""
    require_room(folder, overwrite=overwrite)
    folder.mkdir(parents=True, exist_ok=True)
    with _set_aside(folder):
        training = Training(settings, folder)
        training.begin()
    return training


def resume(settings: Settings, folder: Path, tell: Callable[[str], None] = print) -> Training:
    """The run of a folder as its newest whole checkpoint has it.

    `AgentError` if there is no run, none of its checkpoints is whole, or it learns something else.
    """
    require_run(folder)
    checkpoint = checkpoints.newest(folder / CHECKPOINTS, tell)
    if checkpoint is None:
        raise AgentError(
            f"{folder}: all checkpoints of the run are damaged; nothing was changed: bring one back from elsewhere, or begin "
            "anew in another folder, or here with --overwrite"
        )
    differs = [name for name, value in settings.agreed().items() if checkpoint.about["agreed"].get(name) != value]
    if differs:
        raise AgentError(f"{folder} holds another run (different: {', '.join(differs)}); choose another folder")
    return Training(settings, folder, checkpoint)


def require_run(folder: Path) -> None:
    """`AgentError` if a folder holds no run that could go on."""
    if not checkpoints.paths(folder / CHECKPOINTS):
        raise AgentError(f"{folder} holds no training run to resume: begin one without --resume")


def require_room(folder: Path, *, overwrite: bool = False) -> None:
    """`AgentError` if a run in this folder would overwrite what is there; a run of ours may be, if that is wanted."""
    found = [name for name in FILES if os.path.lexists(folder / name)]
    found += [f"{CHECKPOINTS}/{path.name}" for path in checkpoints.paths(folder / CHECKPOINTS)]
    if not found:
        return
    if not _is_run(folder):
        raise AgentError(f"{folder} holds {', '.join(found)}, of no training run: move it away, or choose another folder")
    if not overwrite:
        raise AgentError(f"{folder} holds a training run: resume it, overwrite it (--overwrite), or choose another folder")


def _is_run(folder: Path) -> bool:
    """Whether a run of ours wrote what is in a folder: its log or a checkpoint says so."""
    return log.is_log(folder / LOG_FILE) or checkpoints.newest(folder / CHECKPOINTS, lambda _: None) is not None


@contextmanager
def _set_aside(folder: Path) -> Iterator[None]:
    """Put what an earlier run wrote into a folder beside it, delete it when another has begun, or bring it back."""
    earlier = _written_by_run(folder)
    if not earlier:
        yield
        return
    aside = Path(tempfile.mkdtemp(prefix="earlier-", dir=folder))
    for path in earlier:
        _move(path, aside / path.relative_to(folder))
    try:
        yield
    except BaseException:
        for path in _written_by_run(folder):
            path.unlink()
        for path in earlier:
            _move(aside / path.relative_to(folder), path)
        shutil.rmtree(aside)
        raise
    shutil.rmtree(aside)


def _move(path: Path, target: Path) -> None:
    target.parent.mkdir(exist_ok=True)
    path.rename(target)


def _written_by_run(folder: Path) -> list[Path]:
    """The files of a run that are there."""
    found = [*(folder / name for name in FILES), *(folder / TENSORBOARD).glob("events.out.tfevents.*")]
    return [path for path in [*found, *checkpoints.paths(folder / CHECKPOINTS)] if os.path.lexists(path)]


def _between(ends: tuple[float, float], done: float) -> float:
    return ends[0] + (ends[1] - ends[0]) * done
