"""Muster: two players muster banners under five castles. `from muster_env import muster_v0`."""
