"""The rules of Artisans as kernels: a module for each chapter of RULES.md that has actions or effects.

`set_up` (2), `turn` (3), `market` (4), `development` (5), `abilities` (8.5, 8.6, 8.8, 8.9), `decisions` (9.2, 9.3); `piles`
holds what many chapters do with piles, hands and the row. Scores, bonuses and the end of the game (6, 8.1 to 8.4, 8.7) are in
`artisans_env.scoring`, what a seat cannot know (9.1) in `artisans_env.information`.
"""

from artisans_env.rules.decisions import apply, legal
from artisans_env.rules.set_up import set_up, shuffle_decks

__all__ = ["apply", "legal", "set_up", "shuffle_decks"]
