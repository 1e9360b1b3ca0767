"""Murano: Light Masters, a game of glass makers around a turning ring."""
