"""Names of option sets. Apart from `variants`, which imports the games: mutants are put into these after the reference."""

from pathlib import Path
from typing import Any


def variant_id(value: Any) -> str:
    """How pytest names a parameter."""
    if isinstance(value, dict):
        return ",".join(f"{name}={variant_id(setting)}" for name, setting in value.items()) or "default"
    if isinstance(value, list):
        return "-".join(map(str, value))
    return value.stem if isinstance(value, Path) else str(value)
