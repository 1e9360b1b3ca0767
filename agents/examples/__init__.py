"""Scripts to read and to run: learning in plain Stable-Baselines3, and in a plain PettingZoo loop."""
