"""Write `types.py` of every game: the fields of its record and its options, as types that editors and mypy know.

`python -m tools.make_types`
"""

import dataclasses
import importlib
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from cardtable.game.options import Options
from cardtable.game.record import HEADER, Field, Record
from cardtable.game.registry import game_ids
from cardtable.support import files

PAGE = '''"""The types of {title}'s record and options, written by `python -m tools.make_types` from `state` and `options`."""

{imports}


class State(Header, Protocol):
    """The record of a game of {title}."""

{fields}


class OptionArguments(TypedDict, total=False):
    """The options of {title} as keyword arguments."""

{options}
'''


def package_of(game_id: str) -> str:
    """The package that a game is in."""
    return f"{game_id.rpartition('_v')[0]}_env"


def types_file(game_id: str) -> Path:
    """The file that is written for a game."""
    package = importlib.import_module(package_of(game_id))
    return Path(package.__path__[0]) / "types.py"


def types_text(game_id: str) -> str:
    """What the file of a game holds. Only `state` and `options` of the game are imported: they need no `types` themselves."""
    package = package_of(game_id)
    state: Record = importlib.import_module(f"{package}.state").STATE
    options = options_class(importlib.import_module(f"{package}.options"))
    hints = {name: hint for name, hint in get_type_hints(options).items() if name in options.names()}
    return PAGE.format(
        title=package.removesuffix("_env").title(),
        imports=import_lines(hints.values(), package),
        fields="\n".join(state_lines(state)),
        options="\n".join(option_lines(options, hints)),
    )


def options_class(module: types.ModuleType) -> type[Options]:
    """The options that a module defines."""
    found = [each for each in vars(module).values() if isinstance(each, type) and each.__module__ == module.__name__]
    (options,) = (each for each in found if issubclass(each, Options))
    return options


# ---- The record


def state_lines(state: Record) -> Iterator[str]:
    """The fields that a game adds to the header, with what they mean."""
    header = {each.name for each in HEADER}
    for each in state.fields:
        if each.name not in header:
            yield from field_lines(each)


def field_lines(each: Field) -> Iterator[str]:
    """One field of a record: the columns that hold it."""
    for name, dtype, shape in each.columns():
        yield f"    {name}: {annotation(dtype, shape)}"
        yield f'    """{each.meaning if name == each.name else f"number of things in `{each.name}`"}{shape_text(shape)}"""'


def annotation(dtype: type[np.generic], shape: tuple[int, ...]) -> str:
    """The type of a column. Kernels compute with small numbers as with any `int`; the 64 bits of a stream stay unsigned."""
    if shape:
        return f"npt.NDArray[np.{dtype.__name__}]"
    return "np.uint64" if dtype is np.uint64 else "int"


def shape_text(shape: tuple[int, ...]) -> str:
    """The shape of an array, to follow its meaning."""
    return f"; {' × '.join(map(str, shape))}" if shape else ""


# ---- The options


def option_lines(options: type[Options], hints: dict[str, Any]) -> Iterator[str]:
    """The options, with what they mean."""
    for each in dataclasses.fields(options):
        yield f"    {each.name}: {source_of(hints[each.name])}"
        yield f'    """{each.metadata["meaning"]}"""'


def source_of(hint: Any) -> str:
    """A type as it is written."""
    if hint is Any:
        return "Any"
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return " | ".join(map(source_of, arguments))
    name = "None" if hint is types.NoneType else (origin or hint).__name__
    return f"{name}[{', '.join(map(source_of, arguments))}]" if arguments else str(name)


def classes_in(hint: Any) -> Iterator[Any]:
    """All classes that a type is written with, `Any` among them."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any or (origin or hint).__module__ not in ("builtins", "types", "typing"):
        yield origin or hint
    for argument in arguments:
        yield from classes_in(argument)


def import_lines(hints: Iterable[Any], package: str) -> str:
    """What the file imports, in the order that ruff wants: the standard library, others, our own."""
    own: dict[str, set[str]] = {"cardtable.types": {"Header"}}
    standard: dict[str, set[str]] = {"typing": {"Protocol", "TypedDict"}}
    for each in (each for hint in hints for each in classes_in(hint)):
        module = "typing" if each is Any else each.__module__
        blocks = own if module.partition(".")[0] in (package, "cardtable") else standard
        blocks.setdefault(module, set()).add(each.__name__)
    return "\n\n".join((_from(standard), "import numpy as np\nimport numpy.typing as npt", _from(own)))


def _from(modules: dict[str, set[str]]) -> str:
    return "\n".join(f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(modules.items()))


def main() -> None:
    """Write the types of all games."""
    for game_id in game_ids():
        files.write_whole(types_file(game_id), types_text(game_id))
        print(types_file(game_id).parent.name, game_id)


if __name__ == "__main__":
    main()
