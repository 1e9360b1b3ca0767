"""The settings of a training run: every number, with its reason, checked before anything is trained.

The text below each setting is also the help of its flag (`flags`), and the headings are those of `cardtable train --help`.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_type_hints

from cardtable.engine.jit import cores
from cardtable.errors import OptionError, UnknownOption
from cardtable.game.game import Game
from cardtable.game.options import Options, python_number
from cardtable.game.registry import find
from cardtable.players.roster import fingerprint_of, make_agent
from cardtable.support.messages import listed, shown
from cardtable_agents import weights
from cardtable_agents.evaluations.evaluation import has_evaluation
from cardtable_agents.players import policy
from cardtable_agents.players.advice import ADVISER, Adviser
from cardtable_agents.players.policy import Policy
from cardtable_agents.players.search import MOST_SIMULATIONS
from cardtable_agents.training import sizes
from cardtable_agents.training.ranges import (
    Amount,
    Count,
    Positive,
    PositiveAmount,
    PositiveShare,
    Rates,
    Schedule,
    Seed,
    Several,
    Share,
    require_allowed,
)

OURS, SB3 = "cardtable", "sb3"
"""The learners: our own PPO, and MaskablePPO of sb3-contrib."""
AUTOMATIC = "auto"
"""The precision that is faster on this machine."""
SELF = "self"
"""The opponent that is a past self of the learner."""
TEACHER = "heuristic:1"
"""The teacher and opponent of games that have an evaluation."""
DEFAULT_MINUTES = 10.0
"""How long a run takes if nothing else ends it."""
UNIT = 64
"""Units of a layer are multiples of this: our learner adds up rows of weights in blocks of so many."""
LARGEST_SHARE = 0.8
"""Of a machine's memory, that rollouts may fill."""


@dataclass(frozen=True)
class Settings:
    """What is to be learned, and how. `OptionError` for a wrong value.

    Created directly, missing settings have the defaults below; `settings_for` chooses defaults that suit game and learner.
    """

    # ---- The game, and how long to train

    game: str
    """The game, by its name; the version is optional."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the game."""
    seed: Seed = 1
    """Of deals, network, agents and sampling: the same seed learns the same on the same machine with as many threads."""
    steps: Positive | None = None
    """Decisions that reinforcement learning learns from; the run ends with its steps or its minutes, whichever comes first."""
    minutes: PositiveAmount | None = None
    """How long the run takes, imitation included: 10 if neither steps nor minutes are given."""
    start: str | None = None
    """A policy file to begin with, in place of a network that knows nothing; imitation is then left out unless a teacher is
    asked for."""
    command: str = ""
    """How the run was asked for; kept in the log and in the policy."""

    # ---- The learner

    learner: Literal["cardtable", "sb3"] = "cardtable"
    """`cardtable` learns by self-play at the engine's speed; `sb3` is MaskablePPO of sb3-contrib, for those who want the
    standard algorithm: it needs PyTorch, and plays one seat against a pool of opponents."""
    threads: Positive | None = None
    """Threads, each with its share of the games: one per core if left out. 1 leaves the other cores to other processes."""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """Of the matrix products in hidden layers. `auto` measures at the start: bfloat16, by PyTorch, where that is installed and
    clearly faster, else float32."""

    # ---- Games and opponents

    games: Positive = 1024
    """Games side by side: enough that a call of the network costs little per decision, few enough that a rollout holds 64
    decisions of each game."""
    opponents: tuple[str, ...] = ()
    """Agents that play some of the games, drawn for each game and seat; `self` is a past self of the learner. Without any,
    the learner plays all seats of all games. If left out: `heuristic:1` where there is one, unless imitation is set to
    0 steps."""
    opponent_share: Share = 0.25
    """Share of the games in which opponents play all seats but one: enough to be learned from, while the games in which every
    seat learns still bring most of the decisions."""
    snapshot_updates: Positive = 20
    """After this many updates the learner takes the place of its oldest past self: often enough to keep up with it, seldom
    enough that past selves differ."""
    cut_off_loses: bool = True
    """A game that reaches its limit of turns is a loss for all who learn from it. Otherwise it pays by its scores, and
    self-play may learn to stall."""
    score_weight: Share = 0.0
    """What a game also pays for each point of a seat's score above the mean of the others' (alone: for each point). Off, as it
    is not what is played for; but it helps where results rise in steps, as the ranks of Murano's solo game do."""
    shaping: Share = 0.0
    """Reward shaping: how much each move is rewarded for what it changes in the value of the position, by the game's
    evaluation. Off: of two runs at Murano, alike but for this, the one without it was stronger."""
    advice: str | None = None
    """An agent (heuristic or heuristic:N) whose score of every legal action the policy receives: it starts by following the
    adviser, and learns where to deviate."""
    trust: PositiveAmount = 30.0
    """How much advice counts at first: of two actions, one that is worse by 0.2 is played e ** -trust as often."""
    critic_updates: Count = 4
    """In this many first updates of an advised run only the value learns: guided by an untrained value, the policy would lose
    what its adviser knows."""

    # ---- Imitation

    teacher: str = TEACHER
    """The agent that is imitated before reinforcement learning begins. One world is enough: over many decisions it teaches what
    six do, in a quarter of the time; search:N is stronger and slower."""
    imitation_steps: Count = 1_000_000
    """Decisions that the teacher is asked about: without it, self-play may settle in an equilibrium of poor play. 0 leaves
    imitation out."""
    longest_imitation: Share = 0.5
    """Share of the minutes after which imitation ends, complete or not: reinforcement learning must have its time."""
    imitation_epochs: Positive = 2
    """Passes over a rollout: what a teacher says costs more than a pass, and the next rollout brings new positions."""
    imitation_batch: Several = 512
    """Decisions of a gradient step: fewer than in PPO, as targets of a teacher are less noisy than returns."""
    imitation_rate: Rates = (1e-3, 1e-4)
    """Learning rate of imitation at its beginning and end: higher than that of PPO, as the targets do not move."""
    imitation_value_weight: Amount = 0.5
    """How much the error of the value counts relative to that of the policy: as in PPO, which continues with both."""
    imitation_gradient: PositiveAmount = 1.0
    """Norm that gradients are clipped to: the first batches of an untrained network should not throw it far."""
    student_share: Share = 0.5
    """Share of the seats that the student plays after the first rollout: it learns what to do after its own mistakes."""
    random_share: Share = 0.03
    """Share of decisions played at random: positions that neither teacher nor student would reach."""
    sharpness: PositiveAmount = 2.0
    """By how much logits are multiplied when imitation ends: the student has learned to hedge as its teacher does, and PPO
    would otherwise spend its first updates on playing more decidedly."""

    # ---- Expert iteration

    expert: Count = 0
    """Simulations of a search by the network itself; the network learns to decide as the search does, which looks ahead and so
    knows better. 0 leaves this out; 64 are enough, as what is learned is not how often they played an action."""
    expert_interval: Positive = 2
    """One update in this many learns from search, the others by PPO: results of games correct what search believes. 1: all
    updates learn from search."""
    expert_sharpness: PositiveAmount = 8.0
    """How much values of search count: an action that is better by 1 / sharpness becomes e times as likely. Values of a few
    dozen simulations are rough; higher, and the network learns their errors."""

    # ---- The network

    layers: tuple[Positive, ...] = (256, 256)
    """Units of the hidden layers, multiples of 64: small enough to train on one core."""
    shared_actions: bool = True
    """Actions of one kind share a part of their weights: what is learned of one helps with the others."""

    # ---- PPO

    learning_rate: Rates = (6e-4, 6e-5)
    """Learning rate at the beginning and end: it falls, so that the last updates settle what the first have found."""
    rollout: Several = 65_536
    """Decisions between two updates, over all games, of PPO and of imitation: returns are noisy, so many games must end in
    it."""
    batch: Several = 1024
    """Decisions of a gradient step: 64 steps a pass."""
    epochs: Positive = 1
    """Passes over a rollout: new decisions cost less than another pass over old ones, and teach more."""
    clip: PositiveAmount = 0.2
    """How far an update may move the probability of an action; the usual value."""
    entropy: Schedule = (0.02, 0.005)
    """How much the policy is rewarded for not being sure, at the beginning and end: exploration first, then strength."""
    value_weight: Amount = 0.5
    """How much the error of the value counts relative to the policy's loss; the usual value."""
    gradient: PositiveAmount = 0.5
    """Norm that gradients are clipped to; the usual value."""
    gamma: PositiveShare = 1.0
    """Discount of rewards from one decision of a seat to its next. 1 is no discount: a win counts the same however late it
    comes, as games end."""
    gae_lambda: Share = 0.9
    """Between the value's estimate (0) and the return alone (1): a little lower than the usual 0.95, as cards bring much chance
    into returns."""
    largest_kl: PositiveAmount = 1.0
    """An update that moves the policy further than this (Kullback-Leibler divergence) has diverged, and ends the run."""

    # ---- Evaluation

    evaluation_opponents: tuple[str, ...] = ("random",)
    """Whom the policy is measured against; the last one is also suggested for the arena. If left out: `random`, and `heuristic`
    where there is one."""
    evaluation_games: Positive = 200
    """Games against each of them: the win rate is then within 7 points in 19 of 20 cases."""
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
        if self.steps is None and self.minutes is None:
            raise OptionError(f"{self.game}: expected steps or minutes: without either the run would never end")
        self._require_sizes()
        self._require_network(game)
        self._require_expert()
        self._require_memory(game, options)
        self._require_checkpoints(game)
        if options.num_players > 1 and not self.evaluation_opponents:
            raise OptionError(f"{self.game}: evaluation_opponents=(): expected at least one for {options.num_players} players")
        if options.num_players == 1 and self.opponents:
            raise OptionError(f"{self.game}: opponents={shown(self.opponents)}: a game for one player has none; leave them out")
        if self.learner == SB3:
            self._require_standard(options)

    def parsed(self) -> tuple[Game, Options]:
        """The game, and its options checked."""
        game = find(self.game)
        return game, game.parse_options(dict(self.options))

    @property
    def demonstrated(self) -> bool:
        """Whether decisions are ever told what should be played: by a teacher, or by search."""
        return self.imitation_steps > 0 or self.expert > 0

    def searches_in(self, update: int) -> bool:
        """Whether this update, counted from 0, learns from search."""
        return self.expert > 0 and update % self.expert_interval == 0

    @property
    def thread_number(self) -> int:
        """How many threads the run has: never more than games."""
        return self.threads or min(cores(), self.games)

    # ---- What does not go together

    def _require_sizes(self) -> None:
        """Batches fit into rollouts, every game makes decisions in each, every thread has a game."""
        _require_at_most("batch", self.batch, "rollout", self.rollout)
        if self.demonstrated:
            _require_at_most("imitation_batch", self.imitation_batch, "rollout", self.rollout)
        _require_at_most("threads", self.thread_number, "games", self.games)
        if self.rollout < 2 * self.games:
            raise OptionError(
                f"rollout={self.rollout}: with games={self.games} expected at least {2 * self.games}, two decisions each"
            )
        if self.learner == OURS:
            self._require_minibatches()

    def _require_minibatches(self) -> None:
        """A rollout fills a minibatch: every thread has as many games as the others, every game makes as many decisions."""
        threads = self.thread_number
        rows = self.games // threads * threads * (self.rollout // self.games)
        batches = {"batch": self.batch, **({"imitation_batch": self.imitation_batch} if self.demonstrated else {})}
        for name, batch in batches.items():
            if batch > rows:
                raise OptionError(
                    f"{name}={batch}: allowed: at most {rows}, the decisions that all games make together with "
                    f"rollout={self.rollout}, games={self.games} and threads={threads}"
                )

    def _require_network(self, game: Game) -> None:
        """The network suits the learner, and its file can be read again."""
        if self.learner == OURS and any(width % UNIT for width in self.layers):
            raise OptionError(f"layers={shown(self.layers)}: allowed: multiples of {UNIT}, with learner={OURS!r}")
        if len(self.layers) >= policy.MOST_LAYERS:
            raise OptionError(f"layers={shown(self.layers)}: allowed: at most {policy.MOST_LAYERS - 1} layers")
        needed = sizes.policy_bytes(self.layers, game)
        if needed > policy.LARGEST * 0.95:  # a value head and a header come on top
            raise OptionError(
                f"layers={shown(self.layers)}: a policy of about {needed:,} bytes; allowed: at most {policy.LARGEST:,}"
            )

    def _require_expert(self) -> None:
        """Search has room, and can be done by the network alone."""
        if self.expert > MOST_SIMULATIONS:
            raise OptionError(f"expert={self.expert}: allowed: at most {MOST_SIMULATIONS} simulations")
        if self.expert and self.advice is not None:
            raise OptionError(f"expert={self.expert}: a search asks the network alone; leave out advice={shown(self.advice)}")
        if self.expert and self.score_weight:
            raise OptionError(
                f"expert={self.expert}: a search counts results alone; leave out score_weight={self.score_weight:g}"
            )

    def _require_memory(self, game: Game, options: Options) -> None:
        """Rollouts and evaluations fit into the memory of this machine, as far as that is known."""
        memory = sizes.memory()
        for names, needed, what in (
            (("games", "rollout", "threads"), self._rollout_bytes(game), "a rollout"),
            (("evaluation_games",), sizes.evaluation_bytes(self.evaluation_games, game, options), "an evaluation"),
        ):
            if memory and needed > memory * LARGEST_SHARE:
                given = ", ".join(f"{name}={getattr(self, name)}" for name in names)
                raise OptionError(
                    f"{given}: about {needed / 2**30:,.1f} GiB for {what}; this machine has {memory / 2**30:,.1f}: "
                    f"choose {'smaller ones' if len(names) > 1 else 'fewer'}"
                )

    def _rollout_bytes(self, game: Game) -> int:
        dense = self.learner == SB3
        return sizes.rollout_bytes(self.layers, self.games, self.rollout, self.thread_number, game, dense=dense)

    def _require_checkpoints(self, game: Game) -> None:
        """A checkpoint can be written: parameters with two moments each, games in progress, past selves."""
        past = self.opponents.count(SELF)
        needed = self.games * game.state.dtype.itemsize + (3 + past) * sizes.policy_bytes(self.layers, game)
        if needed > weights.LARGEST * 0.95:
            selves = f", past selves: {past}" if past else ""
            raise OptionError(
                f"games={self.games}, layers={shown(self.layers)}{selves}: a checkpoint of about {needed:,} bytes; allowed: "
                f"at most {weights.LARGEST:,}"
            )

    def _require_standard(self, options: Options) -> None:
        """Nothing is asked for that only our own learner does."""
        absences = {"imitation_steps": 0, "advice": None, "score_weight": 0, "shaping": 0, "start": None, "expert": 0}
        for name, absent in absences.items():
            if getattr(self, name) != absent:
                raise OptionError(
                    f"{name}={shown(getattr(self, name))}: learner={SB3!r} does not do this; leave it out, or use "
                    f"learner={OURS!r}"
                )
        if options.num_players > 1 and not self.opponents:
            raise OptionError(
                f"{self.game}: opponents=(): expected at least one for {options.num_players} players, with learner={SB3!r}"
            )

    def require_players(self) -> None:
        """`AgentError` if an opponent, teacher or adviser does not exist or cannot play the game; nor the policy to start with.

        Reads files, unlike the checks of numbers.
        """
        game, options = self.parsed()
        if self.advice is not None:
            Adviser(self.advice, game, options)
        others = [name for name in self.opponents if name != SELF]
        evaluator = [ADVISER] if self.shaping else []
        for name in dict.fromkeys([self.teacher, *others, *self.evaluation_opponents, *evaluator]):
            make_agent(name, game, options)
        if self.start is not None:
            self.start_policy()

    def start_policy(self) -> Policy:
        """The policy that the run starts with; errors if the file is damaged, or not of this game or of this network."""
        assert self.start is not None
        found = policy.load(Path(self.start), self.parsed()[0])
        if (widths := hidden_layers(found)) != self.layers:
            raise OptionError(f"start={shown(self.start)}: a policy with layers={widths}, expected {self.layers}")
        if (adviser := found.advice.agent if found.advice else None) != self.advice:
            raise OptionError(f"start={shown(self.start)}: a policy with advice={adviser!r}, expected {self.advice!r}")
        return found

    # ---- Resuming

    def fixed(self) -> dict[str, Any]:
        """What must be the same when a run is resumed, as plain data; files are identified by their content."""
        game, options = self.parsed()
        plain = json.loads(json.dumps(asdict(self), default=str))
        checked = options.to_dict()  # an edition with its content
        plain["options"] = json.loads(json.dumps({name: checked[name] for name in self.options}))
        plain["opponents"] = [_identified(name, game, options) for name in self.opponents]
        plain["teacher"] = _identified(self.teacher, game, options)
        plain["threads"] = self.thread_number  # as many as there are cores, if left out: another machine may have others
        if self.start is not None:
            plain["start"] = policy.load(Path(self.start), game).fingerprint()
        return {name: value for name, value in plain.items() if name not in MAY_CHANGE}

    def differences(self, recorded: Mapping[str, Any]) -> list[str]:
        """The settings in which a run differs from this one, by what it recorded as `fixed`.

        One that there was not yet matters only if it is not as it is when it is left out.
        """
        known = {**_left_out(), **recorded}
        return [name for name, value in self.fixed().items() if name not in known or known[name] != value]


MAY_CHANGE = {
    *("steps", "minutes", "command", "imitation_steps", "longest_imitation"),
    *("learning_rate", "entropy", "gradient", "largest_kl", "imitation_rate", "imitation_gradient"),
    *("evaluation_opponents", "evaluation_games", "evaluation_interval", "evaluation_share"),
    *("checkpoint_interval", "checkpoints_kept"),
}
"""Settings that may differ when a run is resumed: when it ends, what is reported and kept, and what may help a run that has
diverged."""


# ---- Defaults that suit game and learner

STANDARD: Mapping[str, Any] = {
    "games": 256,
    "opponents": ("random", "heuristic", "heuristic", SELF),
    "imitation_steps": 0,
    "rollout": 16_384,
    "epochs": 4,
    "learning_rate": (3e-4, 3e-5),
    "entropy": (0.003, 0.003),
    "gae_lambda": 0.95,
}
"""What suits MaskablePPO: each decision costs it much, so fewer are used more often. `heuristic` is the strongest opponent
that is fast, `random` leads to positions that good play avoids, and a past self keeps the learner from only learning
to exploit the other two."""
OURS_ONLY = (
    *("start", "precision", "opponent_share", "cut_off_loses", "score_weight", "shaping", "advice", "trust", "critic_updates"),
    *("teacher", "imitation_steps", "longest_imitation", "imitation_epochs", "imitation_batch"),
    *("imitation_rate", "imitation_value_weight", "imitation_gradient", "student_share", "random_share", "sharpness"),
    *("expert", "expert_interval", "expert_sharpness", "shared_actions", "largest_kl"),
)
"""Settings that mean nothing to MaskablePPO."""


def settings_for(game_id: str, options: Mapping[str, Any] | None = None, **given: Any) -> Settings:
    """The settings for a game. Those that are None or left out are chosen to suit the game and the learner.

    A game without an evaluation has no `heuristic` to learn from or to play against; a game for one player has no opponents.
    `UnknownOption` for a setting that does not exist.
    """
    names = [each.name for each in fields(Settings)]
    if unknown := [name for name in given if name not in names]:
        raise UnknownOption(f"unknown setting {shown(unknown[0])}; allowed: {listed(names)}")
    require_allowed("options", options or {}, Mapping[str, Any])
    game, options = find(game_id), dict(options or {})
    if isinstance(given.get("start"), os.PathLike):
        given["start"] = os.fspath(given["start"])
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items() if value is not None}
    alone = game.parse_options(options).num_players == 1
    _require_meaning(given)
    chosen = _chosen(game, given)
    return Settings(**{"game": game.id, "options": options, **chosen, **({"opponents": ()} if alone else {}), **given})


def _chosen(game: Game, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a game and a learner are best trained with, as far as that is not in the defaults."""
    chosen: dict[str, Any] = {} if "steps" in given else {"minutes": DEFAULT_MINUTES}
    if given.get("learner") == SB3:
        chosen |= STANDARD
    elif has_evaluation(game) and given.get("imitation_steps") != 0:
        chosen["opponents"] = (TEACHER,)
    if has_evaluation(game):
        chosen["evaluation_opponents"] = ("random", "heuristic")
    else:
        chosen["teacher"] = "random"
        chosen |= {"opponents": ("random", SELF, SELF, SELF)} if "opponents" in chosen else {}
    known = "advice" in given or "start" in given  # what the teacher would show
    if "teacher" not in given and (known or not has_evaluation(game)):
        chosen["imitation_steps"] = 0
    if isinstance(given.get("start"), str) and "layers" not in given:
        chosen["layers"] = hidden_layers(policy.load(Path(given["start"]), game))
    return chosen


def _require_meaning(given: Mapping[str, Any]) -> None:
    """`OptionError` if something is asked of MaskablePPO that only our own learner does."""
    defaults = {each.name: each.default for each in fields(Settings)} | dict(STANDARD)
    asked = [name for name in OURS_ONLY if name in given and (name == "teacher" or given[name] != defaults[name])]
    if given.get("learner") == SB3 and asked:
        raise OptionError(
            f"{asked[0]}={shown(given[asked[0]])}: learner={SB3!r} does not do this; leave it out, or use learner={OURS!r}"
        )


def hidden_layers(network: Policy) -> tuple[int, ...]:
    """Units of the hidden layers of a policy."""
    return tuple(int(bias.size) for _, bias in network.layers[:-1])


# ---- Helpers


def _python_numbers(value: Any) -> Any:
    """numpy integers as Python integers, which JSON can hold; other values as they are."""
    return tuple(map(python_number, value)) if isinstance(value, tuple) else python_number(value)


def _left_out() -> dict[str, Any]:
    """What settings are if they are left out, as plain data."""
    defaults = {each.name: each.default for each in fields(Settings) if each.default is not MISSING}
    plain: dict[str, Any] = json.loads(json.dumps(defaults))
    return plain


def _require_at_most(name: str, value: int, other: str, most: int) -> None:
    if value > most:
        raise OptionError(f"{name}={value}: allowed: at most {other}={most}")


def _identified(name: str, game: Game, options: Options) -> str:
    """The name of an agent, and what is behind it: a file that was replaced is another agent."""
    found = fingerprint_of(name, game, options) if name != SELF else ""
    return f"{name} ({found})" if found else name
