"""The leaderboard: every player that comes with the package, at every number of players, with the games that say so."""
