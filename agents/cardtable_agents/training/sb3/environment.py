"""What MaskablePPO plays in: games whose time is counted."""

from typing import Any

from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from cardtable.types import Floats, Observation
from cardtable_agents.training.clocks import Clocks


class Timed(VecEnvWrapper):
    """Counts the time of steps, but for what opponents take, as that of the environment."""

    def __init__(self, venv: VecEnv, clocks: Clocks) -> None:
        super().__init__(venv)
        self._clocks = clocks

    def reset(self) -> Any:
        """Start the first games."""
        return self.venv.reset()

    def step_wait(self) -> tuple[Any, Observation, Floats, list[dict[str, Any]]]:
        """Step, and count the time."""
        with self._clocks.time("environment"):
            return self.venv.step_wait()
