"""What learns in a run: `Learner`. Ours is `ppo.PPO`; `sb3.learner.StableBaselines` is MaskablePPO of sb3-contrib."""

from collections.abc import Mapping
from typing import Any, Protocol

from cardtable.types import Array
from cardtable_agents.players.policy import Policy

State = tuple[dict[str, Array], dict[str, Any]]
"""Arrays, and plain data about them."""


class Learner(Protocol):
    """A network that learns from games, one rollout at a time."""

    @property
    def steps(self) -> int:
        """Decisions that reinforcement learning has learned from."""

    @property
    def policy(self) -> Policy:
        """The policy so far; a copy."""

    def imitate(self, rate: float) -> dict[str, float]:
        """One rollout in which a teacher is asked at every decision, and what is learned from it; numbers for the log.

        Numbers are `demonstrations` (how many decisions there were), `agreed` (the share of them in which the network already
        preferred what the teacher would play), `value_error` and such.
        """

    def finish_imitation(self) -> None:
        """Called once when imitation ends."""

    def update(self, done: float) -> dict[str, float]:
        """One rollout, and what is learned from it; numbers for the log.

        `done` says how much of reinforcement learning is done, from 0 to 1: rates follow it. Numbers are `steps_per_second`,
        `entropy`, `value_error`, `kl`, the share of time of each part (`environment_share`) and such. `Diverged` if something
        is not finite: the learner must not be saved then.
        """

    def improve(self, done: float) -> dict[str, float]:
        """One rollout in which a search by the network itself is asked at every decision, and what is learned from it.

        `done` and numbers as those of `update`, and `agreed`: the share of decisions in which the network already preferred
        what its search would play.
        """

    def state(self) -> State:
        """All that the learner needs to go on exactly where it is."""

    def restore(self, arrays: Mapping[str, Array], about: Mapping[str, Any]) -> None:
        """Go on where `state` was called; `WeightsError` if that was another learner's state, and nothing has changed then."""

    def close(self) -> None:
        """Let threads, opponents and teacher go."""
