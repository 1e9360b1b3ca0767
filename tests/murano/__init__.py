"""The rules of Murano, clause by clause."""
