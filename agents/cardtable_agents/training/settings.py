"""The settings of a training run: every number, with its reason, checked before anything is trained."""

import json
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import Any, get_type_hints

from cardtable.errors import OptionError, UnknownOption
from cardtable.game.game import Game
from cardtable.game.options import Options, python_number
from cardtable.game.registry import find
from cardtable.players.roster import fingerprint_of, make_agent
from cardtable.support.messages import listed, shown
from cardtable_agents.evaluations.evaluation import has_evaluation
from cardtable_agents.players.advice import Adviser
from cardtable_agents.training.ranges import (
    Amount,
    Count,
    Positive,
    PositiveAmount,
    PositiveShare,
    Schedule,
    Seed,
    Several,
    Share,
    require_allowed,
)

AUTOMATIC = "auto"
"""The precision that is faster on this machine."""
SELF = "self"
"""The opponent that is a past self of the learner."""
DEFAULT_MINUTES = 10.0
"""How long a run takes if nothing else ends it."""


@dataclass(frozen=True)
class Settings:
    """What is to be learned, and how. `OptionError` for a wrong value.

    Created directly, missing settings have the defaults below; `settings_for` chooses defaults that suit the game.
    """

    # ---- The game, and how long to train

    game: str
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: Seed = 1
    """Of deals, network, agents and sampling: the same seed learns the same on the same machine."""
    steps: Positive | None = None
    """Decisions of the learner in PPO."""
    minutes: PositiveAmount | None = None
    """How long the run takes. It ends with its steps or its minutes, whichever comes first."""
    threads: Positive | None = None
    """PyTorch threads, at most one per core; None: PyTorch decides. 1 leaves the other cores to other processes."""
    command: str = ""
    """How the run was asked for; kept in the log and in the policy."""

    # ---- The environment

    games: Positive = 256
    """Games side by side: enough that a call of the network costs little per decision, few enough that a rollout holds 64
    decisions of each game."""
    opponents: tuple[str, ...] = ("random", "heuristic", "heuristic", SELF)
    """The pool, a place each: `heuristic` as the strongest that is fast, `random` for positions that good play avoids, a past
    self so that the learner does not only learn to exploit the other two."""
    snapshot_updates: Positive = 20
    """After this many updates the learner joins the pool in place of its oldest past self: often enough to
    keep up with it, seldom enough that past selves differ."""
    shaping: Share = 0.0
    """How much each move is rewarded for what it changes in the value of the position. Off: of two runs at Murano, alike but
    for this, the one without it was stronger."""
    advice: str | None = None
    """The agent whose score of every legal action the policy receives."""

    # ---- Imitation

    teacher: str = "heuristic"
    imitation_steps: Count = 400_000
    """Decisions that the teacher is asked about before PPO begins: ten rounds. 0 leaves imitation out."""
    longest_imitation: Share = 0.5
    """Share of the minutes after which imitation ends, complete or not: PPO must have its time."""
    imitation_round: Positive = 40_960
    """Decisions of one round. After each the student plays as it has learned to, so short rounds show it its own mistakes."""
    demonstrations_kept: Positive = 1 << 19
    """How many of the newest demonstrations are learned from, about twelve rounds: they must fit into memory."""
    demonstration_passes: Positive = 3
    """Demonstrations that a round learns from for each new one, drawn from all that are kept."""
    ranked_actions: Positive = 12
    """How many actions of a decision are kept, the teacher's best; the probability of the others is close to nothing."""
    student_share: Share = 0.5
    """Share of the seats that the student plays after the first round, so that it learns what to do after its own mistakes."""
    random_share: Share = 0.03
    """Share of decisions played at random: positions that neither teacher nor student would reach."""
    imitation_rate: Schedule = (1e-3, 1e-4)
    """Learning rate of imitation: higher than that of PPO, as the targets do not move."""
    imitation_batch: Positive = 256
    """Demonstrations of a gradient step: smaller than a batch of PPO, as targets of a teacher are less noisy than returns."""
    imitation_value_weight: Amount = 0.5
    """How much the error of the value counts relative to that of the policy: as in PPO, which continues with both."""
    imitation_gradient: PositiveAmount = 1.0
    """Norm that gradients are clipped to: the first batches of an untrained network should not throw it far."""
    sharpness: PositiveAmount = 2.0
    """By how much logits are multiplied when imitation ends: the student has learned to hedge as its teacher does, and PPO
    would otherwise spend its first updates on playing more decidedly."""

    # ---- PPO

    layers: tuple[Positive, ...] = (256, 256)
    """Units of the hidden layers, of policy and value each: small enough to train on one core."""
    learning_rate: Schedule = (3e-4, 3e-5)
    """Falls, so that the last updates settle what the first have found."""
    rollout: Several = 16_384
    """Decisions between two updates, over all games: returns are noisy, so many games must end in it."""
    batch: Several = 1024
    """Decisions of a gradient step: 16 steps a pass."""
    epochs: Positive = 4
    """Passes over a rollout: opponents make decisions costly, so each is used more than once."""
    clip: PositiveAmount = 0.2
    """How far an update may move the probability of an action; the usual value."""
    target_kl: PositiveAmount = 0.03
    """Updates stop early where they would lead too far from the policy that played."""
    entropy: Amount = 0.003
    """Small: a policy that has learned from a teacher should not be rewarded for forgetting it."""
    value_weight: Amount = 0.5
    """How much the error of the value counts relative to the policy's loss; the usual value."""
    gradient: PositiveAmount = 0.5
    """Norm that gradients are clipped to; the usual value."""
    gamma: PositiveShare = 1.0
    """A win counts the same however late: games end."""
    gae_lambda: Share = 0.95
    """Between the value's estimate (0) and the return alone (1); the usual value."""
    trust: PositiveAmount = 30.0
    """How much advice counts at first: of two actions, one that is worse by `advice.REACH` is played e ** -trust as often."""
    critic_updates: Count = 4
    """In this many first updates of an advised run only the value learns: guided by an untrained value, the policy would lose
    what its adviser knows."""

    # ---- Evaluation

    evaluation_opponents: tuple[str, ...] = ("random",)
    """Whom the policy is measured against; the last one is also suggested for the arena."""
    evaluation_games: Positive = 200
    """Against each of them: the win rate is then within 7 points in 19 of 20 cases."""
    evaluation_interval: Amount = 60.0
    """Seconds from one evaluation to the next, at least: enough points for a learning curve of a run of minutes."""
    evaluation_share: PositiveShare = 0.1
    """Share of the time that evaluations may take: slow opponents are met less often."""

    # ---- Checkpoints

    checkpoint_interval: Amount = 60.0
    """Seconds between checkpoints: what a killed run loses at most."""
    checkpoints_kept: Positive = 3
    """How many of the newest are kept: if one is damaged, there is another."""

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(Settings, include_extras=True).items():
            require_allowed(name, getattr(self, name), hint)
            object.__setattr__(self, name, _python_numbers(getattr(self, name)))
        game, options = self.parsed()
        object.__setattr__(self, "game", game.id)  # a version that was left out is part of what is learned
        if options.num_players > 1 and not self.opponents:
            raise OptionError(f"{self.game}: opponents=(): expected at least one for {options.num_players} players")
        if self.steps is None and self.minutes is None:
            raise OptionError(f"{self.game}: expected steps or minutes: without either the run would never end")

    def parsed(self) -> tuple[Game, Options]:
        """The game, and its options checked."""
        game = find(self.game)
        return game, game.parse_options(dict(self.options))

    def require_players(self) -> None:
        """`AgentError` if an opponent, teacher or adviser does not exist or cannot play the game."""
        game, options = self.parsed()
        if self.advice is not None:
            Adviser(self.advice, game, options)
        for name in dict.fromkeys([self.teacher, *self.opponents, *self.evaluation_opponents]):
            if name != SELF:
                make_agent(name, game, options)

    # ---- Resuming

    def fixed(self) -> dict[str, Any]:
        """What must be the same when a run is resumed, as plain data; files are identified by their content."""
        game, options = self.parsed()
        plain = json.loads(json.dumps(asdict(self), default=str))
        checked = options.to_dict()  # an edition with its content
        plain["options"] = json.loads(json.dumps({name: checked[name] for name in self.options}))
        plain["opponents"] = [_identified(name, game, options) for name in self.opponents]
        plain["teacher"] = _identified(self.teacher, game, options)
        return {name: value for name, value in plain.items() if name not in MAY_CHANGE}

    def differences(self, recorded: Mapping[str, Any]) -> list[str]:
        """The settings in which a run differs from this one, by what it recorded as `fixed`.

        Settings that it did not record could not be set when it began; they had the values that are now the defaults.
        """
        earlier = {**_plain_defaults(), **{FORMER_NAMES.get(name, name): value for name, value in recorded.items()}}
        return [name for name, value in self.fixed().items() if earlier.get(name) != value]


MAY_CHANGE = {
    *("steps", "minutes", "threads", "command", "imitation_steps", "longest_imitation"),
    *("evaluation_opponents", "evaluation_games", "evaluation_interval", "evaluation_share"),
    *("checkpoint_interval", "checkpoints_kept"),
}
"""Settings that may differ when a run is resumed: when it ends, and what is reported and kept."""
FORMER_NAMES = {"guidance": "shaping"}
"""What checkpoints of earlier versions call a setting."""


def settings_for(game_id: str, options: Mapping[str, Any] | None = None, **given: Any) -> Settings:
    """The settings for a game. Those that are None or left out are chosen to suit the game.

    A game without an evaluation has no `heuristic` to learn from or to play against; a game for one player has no opponents.
    `UnknownOption` for a setting that does not exist.
    """
    names = [each.name for each in fields(Settings)]
    if unknown := [name for name in given if name not in names]:
        raise UnknownOption(f"unknown setting {shown(unknown[0])}; allowed: {listed(names)}")
    game, options = find(game_id), dict(options or {})
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items() if value is not None}
    chosen = {"game": game.id, "options": options, **_chosen(has_evaluation(game), given), **given}
    if game.parse_options(options).num_players == 1:
        chosen["opponents"] = ()
    return Settings(**chosen)


def _chosen(evaluated: bool, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a game with or without an evaluation is best trained with, as far as that is not in the defaults."""
    chosen: dict[str, Any] = {} if "steps" in given else {"minutes": DEFAULT_MINUTES}
    if evaluated:
        chosen["evaluation_opponents"] = ("random", "heuristic")
    else:
        chosen |= {"teacher": "random", "opponents": ("random", SELF, SELF, SELF)}
    if "teacher" not in given and ("advice" in given or not evaluated):
        chosen["imitation_steps"] = 0  # the adviser knows already what the teacher would show
    return chosen


def _python_numbers(value: Any) -> Any:
    """numpy integers as Python integers, which JSON can hold; other values as they are."""
    return tuple(map(python_number, value)) if isinstance(value, tuple) else python_number(value)


def _identified(name: str, game: Game, options: Options) -> str:
    """The name of an agent, and what is behind it: a file that was replaced is another agent."""
    found = fingerprint_of(name, game, options) if name != SELF else ""
    return f"{name} ({found})" if found else name


def _plain_defaults() -> dict[str, Any]:
    defaults = {each.name: each.default for each in fields(Settings) if each.default is not MISSING}
    plain: dict[str, Any] = json.loads(json.dumps(defaults))
    return plain
