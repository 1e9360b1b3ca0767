"""One module for each library that the games can be played from."""
