"""What numba calls things, for functions that generate machine code themselves (`numba.extending.intrinsic`)."""

from collections.abc import Callable
from typing import Any, TypeAlias

from llvmlite import ir
from numba.core import types
from numba.core.cpu import CPUContext
from numba.core.typing.context import BaseContext
from numba.core.typing.templates import Signature

Context = CPUContext
"""Knows how values lie in memory; given to what generates code."""
TypingContext = BaseContext
"""Given to an intrinsic that is asked for its types."""
ArrayType: TypeAlias = "types.Array[Any]"
"""The type of an array, of any dtype."""
Intrinsic = tuple[Signature, Callable[..., ir.Value]]
"""What an intrinsic returns: the types that it takes and returns, and what generates its code."""

__all__ = ["ArrayType", "Context", "Intrinsic", "Signature", "TypingContext"]
