"""`best`: the strongest player that comes with the package, so that nobody need choose; at most 100 ms a move on one core."""

import hashlib

from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable_agents.players.search import SearchAgent

CHOSEN = {
    ("artisans_v0", 2): "2000:net",
    ("artisans_v0", 3): "2000:net",
    ("artisans_v0", 4): "2000:net",
    ("murano_v0", 1): "5000:net",
    ("murano_v0", 2): "2000:net",
    ("murano_v0", 3): "2000:net",
    ("murano_v0", 4): "3000",
    ("muster_v0", 2): "3000:net",
}
"""Game and number of players -> what follows `search:`. Docs: leaderboard.md has the games that say so.

Murano with four players has no network yet that sees more than the evaluation does."""
USUAL = "400"
"""Of games that come from elsewhere: the search by their own evaluation."""


class BestAgent(SearchAgent):
    """The search that is strongest for this game and number of players."""

    about = "the strongest player that comes with the package, for every game and number of players"
    takes = ""

    def __init__(self, game: Game, options: Options, argument: str | None = None) -> None:
        self.chosen = CHOSEN.get((game.id, options.num_players), USUAL)
        super().__init__(game, options, self.chosen)
        self.argument = argument

    def fingerprint(self) -> str:
        """A hash of what was chosen and of the policy that guides it: another choice is another player."""
        return hashlib.sha256(f"{self.chosen} {super().fingerprint()}".encode()).hexdigest()[:16]
