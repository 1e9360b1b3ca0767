"""The rules of Muster as kernels: a module for each chapter of RULES.md that has actions or effects.

`set_up` (2), `turn` (3), `banners` (4.1), `wizards` (4.2, 4.3), `castle_spaces` (4.4), `bridges` (4.5), `swaps` (4.6), `refill`
(5), `decisions` (9); `piles` holds what many chapters do with piles, hands and columns. Scores and the end of the game (6) are
in `muster_env.scoring`, what a seat cannot know (8) in `muster_env.information`.
"""

from muster_env.rules.decisions import apply, legal
from muster_env.rules.set_up import set_up, shuffle_decks

__all__ = ["apply", "legal", "set_up", "shuffle_decks"]
