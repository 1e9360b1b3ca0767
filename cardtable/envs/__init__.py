"""One module for each library that the games can be played from."""


def not_installed(extra: str, error: ImportError) -> ModuleNotFoundError:
    """What a module raises whose library is missing: what is, and the extra that brings it."""
    words = f"No module named {error.name!r}: the environments of cardtable.envs.{extra} need pip install 'cardtable[{extra}]'"
    return ModuleNotFoundError(words, name=error.name)
