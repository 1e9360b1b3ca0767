"""Players against each other on the same deals: plan, matches, results, standings."""
