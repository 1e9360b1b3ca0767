"""What a position is worth, a module for each game."""
