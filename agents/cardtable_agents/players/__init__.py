"""The players: random, heuristic, search, and trained policies."""
