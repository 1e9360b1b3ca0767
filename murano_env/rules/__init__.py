"""The rules of Murano as kernels: a module for each chapter of RULES.md that has actions or effects.

`set_up` (2), `turn` (3), `collect` (4), `negotiate` (5), `create` (6), `any_time` (7), `advantages` (8), `draft` and
`interactive` (9), `challenge` (10), `grandmaster` (11), `decisions` (16); `piles` holds what many chapters do with shards,
Ring and cards.
Scores and the end of the game (12) are in `murano_env.scoring`, what a seat cannot know (15) in `murano_env.information`.
"""

from murano_env.rules.decisions import apply, legal
from murano_env.rules.set_up import set_up, shuffle_decks

__all__ = ["apply", "legal", "set_up", "shuffle_decks"]
