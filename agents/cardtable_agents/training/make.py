"""The learner of a run, by the name that its settings give it."""

import importlib.util

from cardtable.errors import AgentError
from cardtable_agents.training.beginnings import require_precision
from cardtable_agents.training.learners import Learner
from cardtable_agents.training.ppo import PPO
from cardtable_agents.training.settings import SB3, Settings

PACKAGES = ("torch", "stable_baselines3", "sb3_contrib")
"""What MaskablePPO needs."""


def require_learner(settings: Settings) -> None:
    """`AgentError` if the learner, or its precision, needs packages that are not installed."""
    require_precision(settings.precision)
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None] if settings.learner == SB3 else []
    if missing:
        raise AgentError(
            f"learner={SB3!r} needs packages that are not installed ({', '.join(missing)}): pip install 'cardtable[sb3]'"
        )


def make_learner(settings: Settings) -> Learner:
    """A learner that has learned nothing yet, or what the policy to start with knows; `AgentError` if packages are missing."""
    require_learner(settings)
    if settings.learner == SB3:
        from cardtable_agents.training.sb3.learner import StableBaselines

        return StableBaselines(settings, *settings.parsed())
    return PPO(settings, *settings.parsed())
