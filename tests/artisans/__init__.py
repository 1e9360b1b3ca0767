"""The clauses of artisans_env/RULES.md, one or more tests each."""
