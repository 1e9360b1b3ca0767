"""One evaluation per game, in a file named like the game."""
