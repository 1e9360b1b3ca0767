"""Attacks on what we promise: damaged files, kills, forged states, threads. `python -m tools.attack --help`."""
