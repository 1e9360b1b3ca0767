"""Files of numbers that are safe to load: arrays and plain data in the safetensors format, written whole, sealed by a hash.

Nothing in such a file can run: a JSON header tells the dtype, shape and place of each array in the bytes that follow it.
What the arrays are about (game, settings, seeds …) stands in the header too, as plain data.
"""

import hashlib
import json
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from cardtable.errors import CardtableError
from cardtable.support import files
from cardtable.support.messages import cut, shown

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
LARGEST = 1 << 28
"""Bytes of the largest file that is written or read. A checkpoint has about 10 million; each past self adds one."""
LARGEST_HEADER = 1 << 20
"""Bytes of the largest header. Ours have a few thousand; the settings of a run may hold an edition."""
MOST_AXES = 4
LONGEST_FAULT, LONGEST_PATH = 200, 300
"""Characters of a message that tell what is wrong with a file, and which one it is."""


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
    head = _header(table, text, _seal(table, text, data))
    content = len(head).to_bytes(LENGTH_BYTES, "little") + head + data
    if len(head) > LARGEST_HEADER or len(content) > LARGEST:
        raise WeightsError(
            f"{path}: {len(content):,} bytes with a header of {len(head):,}: at most {LARGEST:,} with a header of "
            f"{LARGEST_HEADER:,} could be read again"
        )
    files.write_whole(path, content)


def load(path: Path, largest: int = LARGEST) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The arrays of a file and what they are about; `WeightsError` if it is not exactly what `save` wrote."""
    where = cut(path, LONGEST_PATH)
    try:
        content = files.read_bytes(path, largest)
    except files.FileTooLarge:
        raise WeightsError(f"{where}: too large: allowed: {largest:,} bytes") from None
    except (OSError, ValueError) as error:  # a path may hold a null byte
        raise WeightsError(f"{where}: cannot be read: {getattr(error, 'strerror', None) or cut(error)}") from None
    try:
        return _parse(content)
    except WeightsError as error:
        raise WeightsError(f"{where}: {error}") from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise WeightsError(f"{where}: not a file of weights: {cut(error, LONGEST_FAULT)}") from None


def _parse(content: bytes) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    length = int.from_bytes(content[:LENGTH_BYTES], "little")
    if not 0 < length <= min(LARGEST_HEADER, len(content) - LENGTH_BYTES):
        raise ValueError(f"a header of {length:,} bytes in a file of {len(content):,}")
    head = content[LENGTH_BYTES : LENGTH_BYTES + length]
    data = memoryview(content)[LENGTH_BYTES + length :]
    table = json.loads(head)
    mark = table.pop("__metadata__")
    if head != _header(table, mark["about"], mark["sha256"]):
        raise WeightsError("damaged: its header is not as it was written")
    if _seal(table, mark["about"], data) != mark["sha256"]:
        raise WeightsError("damaged: its content does not give its hash")
    about = json.loads(mark["about"])
    if not isinstance(about, dict):
        raise ValueError(f"it is about {shown(about)}, not about an object with names")
    return _arrays(table, data), about


def _arrays(table: Mapping[str, Any], data: memoryview) -> dict[str, np.ndarray]:
    """The arrays that the header tells of: one after another, without gaps, over all of the data."""
    arrays, end = {}, 0
    for name, entry in table.items():
        arrays[name] = _array(data, end, **entry)
        end += arrays[name].nbytes
    if end != len(data):
        raise ValueError(f"{len(data) - end:,} bytes belong to no array")
    return arrays


def _array(data: memoryview, begin: int, dtype: str, shape: list[int], data_offsets: list[int]) -> np.ndarray:
    """The array of an entry of the header; `ValueError` if it does not begin where the one before ends."""
    kind = DTYPES[dtype]
    if not _is_shape(shape) or data_offsets != [begin, begin + prod(shape) * kind.itemsize] or data_offsets[1] > len(data):
        raise ValueError(f"an array of shape {shown(shape)} does not lie at {shown(data_offsets)}")
    return np.frombuffer(data, kind, prod(shape), begin).reshape(shape).copy()  # in a place of its own, where it is aligned


def _is_shape(shape: Any) -> bool:
    """Whether these are the sizes of an array; no axis is empty."""
    return isinstance(shape, list) and len(shape) <= MOST_AXES and all(type(size) is int and size > 0 for size in shape)


def _header(table: Mapping[str, Any], about: str, seal: str) -> bytes:
    return json.dumps({"__metadata__": {"about": about, "sha256": seal}, **table}).encode()


def _seal(table: Mapping[str, Any], about: str, data: bytes | memoryview) -> str:
    digest = hashlib.sha256(json.dumps(table, sort_keys=True).encode())
    digest.update(about.encode())
    digest.update(data)
    return digest.hexdigest()
