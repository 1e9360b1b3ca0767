"""The clauses of muster_env/RULES.md, one or more tests each."""
