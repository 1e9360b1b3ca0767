"""Independent references: every game once more, in plain Python, written from its RULES.md and not from its engine.

They share no code with the engine: nothing here but `differ` imports `cardtable`, and nothing imports a game package.
"""
