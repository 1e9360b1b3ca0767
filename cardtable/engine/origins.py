"""Origins: what an overload of a kernel is made from, told from its module and its argument types.

That is `cardtable`, the package that it is in, and those that its module imports. If it takes records, it may call the kernels
of their games (`cardtable.engine.dispatch`): then it is made from their packages too, and depends on which kernels they are.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import types as _types
from numba.np.numpy_support import from_dtype as _from_dtype

from cardtable.engine import dispatch, sources

types: Any = _types  # numba has few types of its own
from_dtype: Any = _from_dtype

PLAIN = (types.Number, types.Boolean, types.Literal, types.NoneType, types.Omitted, types.UnicodeType, types.CharSeq)
"""Argument types that hold no record."""


@dataclass(frozen=True)
class Origin:
    """What some compiled code depends on besides `cardtable`, libraries and machine."""

    packages: frozenset[str]
    kernels: tuple[str, ...] = ()
    """The kernels of the games whose records it takes."""

    @property
    def declared(self) -> list[str]:
        """The packages in the name of the store."""
        return sorted(self.packages & sources.declared_packages())

    def details(self) -> str:
        """A hash of what the name of the store does not tell: packages that nobody declared, such as scripts, and kernels."""
        others = sorted(self.packages - sources.declared_packages())
        parts = [*(f"{each} {sources.imported(each)}" for each in others), *self.kernels]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def origin_of(module: str, arguments: Iterable[Any]) -> Origin:
    """The origin of what is compiled from a kernel in a module for these argument types."""
    packages, kernels = set(packages_of(module)), set()
    for kind in _parts(list(arguments)):
        if isinstance(kind, types.Record):
            for name, kernel in dispatch.kernels_of(tuple(kind.fields)).items():
                packages |= packages_of(kernel.__module__)
                kernels.add(f"{name} {kernel.__module__}.{kernel.__qualname__}")
        elif isinstance(kind, types.EnumMember):
            packages |= packages_of(kind.instance_class.__module__)
        elif sources.package_of(type(kind).__module__) in sources.declared_packages():  # a type of our own
            packages |= packages_of(type(kind).__module__)
        elif not isinstance(kind, PLAIN):  # a type that we cannot look into
            packages |= sources.declared_packages() - {sources.SHARED}
    return Origin(frozenset(packages), tuple(sorted(kernels)))


def origin_of_group(module: str, record: np.dtype | None) -> Origin:
    """The origin of what is compiled from the kernels of a module for games of a record."""
    return origin_of(module, [] if record is None else [from_dtype(record)])


def packages_of(module: str) -> frozenset[str]:
    """The packages behind a module of any package; none behind those of `cardtable`, which never import another."""
    return frozenset() if sources.package_of(module) == sources.SHARED else sources.packages_behind(module)


def _parts(waiting: list[Any]) -> Iterator[Any]:
    """Argument types, those of what arrays, tuples and records hold in place of arrays and tuples, and besides records."""
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, types.Array):
            waiting.append(kind.dtype)
        elif isinstance(kind, types.BaseTuple):
            waiting += kind.types
        else:
            yield kind
            waiting += [field.type for field in kind.fields.values()] if isinstance(kind, types.Record) else []
