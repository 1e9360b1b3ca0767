"""One module for each library that the games can be played from."""


def not_installed(extra: str, error: ModuleNotFoundError) -> ModuleNotFoundError:
    """What a module raises whose library is missing: what is, and the extra that brings it."""
    words = f"{error}: the environments of cardtable.envs.{extra} need pip install 'cardtable[{extra}]'"
    return ModuleNotFoundError(words, name=error.name)
