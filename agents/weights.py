"""Files of numbers that are safe to load: arrays and plain data in the safetensors format, written whole, sealed by a hash.

Nothing in such a file can run: a JSON header tells the dtype, shape and place of each array in the bytes that follow it.
What the arrays are about (game, settings, seeds …) stands in the header too, as plain data.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from cardtable.errors import CardtableError

DTYPES: dict[str, np.dtype[Any]] = {
    "F16": np.dtype("<f2"),
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
    "I64": np.dtype("<i8"),
    "U8": np.dtype("u1"),
}
CODES = {dtype: code for code, dtype in DTYPES.items()}
LENGTH_BYTES = 8
"""What a file begins with: the length of its header."""
LARGEST = 1 << 30
"""Bytes of the largest file that is read."""


class WeightsError(CardtableError):
    """A file of weights is damaged, or not one at all."""


def save(path: Path, arrays: Mapping[str, np.ndarray], about: Mapping[str, Any]) -> None:
    """Write arrays, and plain data about them, to a file that is either there whole or not at all."""
    table: dict[str, Any] = {}
    body, end = [], 0
    for name, array in arrays.items():
        plain = np.ascontiguousarray(array)
        start, end = end, end + plain.nbytes
        table[name] = {"dtype": CODES[plain.dtype], "shape": list(array.shape), "data_offsets": [start, end]}
        body.append(plain.tobytes())
    data, text = b"".join(body), json.dumps(about)
    header = {"__metadata__": {"about": text, "sha256": _seal(table, text, data)}, **table}
    head = json.dumps(header).encode()
    write_whole(path, len(head).to_bytes(LENGTH_BYTES, "little") + head + data)


def load(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The arrays of a file and what they are about; `WeightsError` if it is not exactly what `save` wrote."""
    try:
        if path.stat().st_size > LARGEST:
            raise WeightsError(f"{path}: too large ({path.stat().st_size:,} bytes; allowed: {LARGEST:,})")
        content = path.read_bytes()
    except OSError as error:
        raise WeightsError(f"{path}: cannot be read: {error.strerror}") from None
    length = int.from_bytes(content[:LENGTH_BYTES], "little")
    data = content[LENGTH_BYTES + length :]
    try:
        header = json.loads(content[LENGTH_BYTES : LENGTH_BYTES + length])
        seal = header.pop("__metadata__")
        if _seal(header, seal["about"], data) != seal["sha256"]:
            raise WeightsError(f"{path}: damaged: its content does not give its hash")
        return {name: _array(data, **entry) for name, entry in header.items()}, json.loads(seal["about"])
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, WeightsError):
            raise
        raise WeightsError(f"{path}: not a file of weights: {error}") from None


def _array(data: bytes, dtype: str, shape: list[int], data_offsets: list[int]) -> np.ndarray:
    """The array of an entry of the header; `ValueError` if it does not lie within the data."""
    start, end = data_offsets
    if not 0 <= start <= end <= len(data) or prod(shape) * DTYPES[dtype].itemsize != end - start or min(shape, default=0) < 0:
        raise ValueError(f"an array of shape {shape} does not lie at {data_offsets}")
    return np.frombuffer(data[start:end], DTYPES[dtype]).reshape(shape)


def _seal(table: Mapping[str, Any], about: str, data: bytes) -> str:
    digest = hashlib.sha256(json.dumps(table, sort_keys=True).encode())
    digest.update(about.encode())
    digest.update(data)
    return digest.hexdigest()


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that, whatever happens, there is the old one or the new one and never a part of either."""
    part = path.with_name(f"{path.name}.part")
    with part.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
