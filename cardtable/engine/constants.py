"""Numbers that kernels and records agree on."""

NOBODY = -1
"""No seat, no card, no place: the value of a field that points at nothing."""

READ_BEYOND = 32
"""Bytes behind the last field of a record, at least: vectors read on behind a field (`cardtable.engine.vectors`)."""
