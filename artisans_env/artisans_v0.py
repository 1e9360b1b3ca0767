"""Version 0 of the Artisans environment: `artisans_v0.env()`, `.raw_env()`, `.parallel_env()`, `.batch_env(num_games)`.

The spec page is the docstring of `artisans_env.env`.
"""

from artisans_env.env import GAME, batch_env, env, parallel_env, raw_env

__all__ = ["GAME", "batch_env", "env", "parallel_env", "raw_env"]
