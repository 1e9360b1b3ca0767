"""The rules of Muster as kernels: one module for each chapter of RULES.md that is played, and `piles` under them."""

from muster_env.rules.decisions import apply, legal
from muster_env.rules.set_up import set_up, shuffle_decks

__all__ = ["apply", "legal", "set_up", "shuffle_decks"]
