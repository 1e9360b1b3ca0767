"""Artisans: two to four players develop materials and craft objects of art. `from artisans_env import artisans_v0`."""
