"""The rules of Artisans as kernels: one module for each chapter of RULES.md that is played, and `piles` under them."""

from artisans_env.rules.decisions import apply, legal
from artisans_env.rules.set_up import set_up, shuffle_decks

__all__ = ["apply", "legal", "set_up", "shuffle_decks"]
