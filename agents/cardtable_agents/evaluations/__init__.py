"""What a position is worth: a module or package for each game, named after it; `evaluation` says what it provides."""
