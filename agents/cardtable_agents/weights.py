"""Files of numbers that are safe to load: arrays and plain data in the safetensors format, written whole, sealed by a hash.

Nothing in such a file can run: a JSON header gives the dtype, shape and place of each array in the bytes that follow it.
What the arrays are for (game, settings, seeds …) is in the header too, as plain data.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
from safetensors import SafetensorError

from cardtable.errors import CardtableError
from cardtable.support import files
from cardtable.support.messages import cut, shown
from cardtable.types import Array

CODES = {np.dtype("<f2"): "F16", np.dtype("<f4"): "F32", np.dtype("<f8"): "F64", np.dtype("<i8"): "I64", np.dtype("u1"): "U8"}
"""What the format calls the dtypes that we write."""
LENGTH_BYTES = 8
"""What a file begins with: the length of its header."""
LARGEST = 1 << 28
"""Bytes of the largest file that is written or read. A checkpoint has about 10 million; each past self adds one."""
LARGEST_HEADER = 1 << 20
"""Bytes of the largest header. Ours have a few thousand; the settings of a run may hold an edition."""
MOST_AXES = 4
LONGEST_FAULT, LONGEST_PATH = 200, 300
"""Characters of a message that say what is wrong with a file, and which one it is."""


class WeightsError(CardtableError):
    """A file of weights is damaged, or not one at all."""


def save(path: Path, arrays: Mapping[str, Array], about: Mapping[str, Any]) -> None:
    """Write arrays, and plain data about them, to a file that is either there whole or not at all.

    The same content gives the same bytes. `safetensors.numpy.save` does not promise that: it writes the entries of the
    metadata in an order that changes from call to call.
    """
    data = b"".join(array.tobytes() for array in arrays.values())
    table, text = _table(arrays), json.dumps(about)
    head = _header(table, text, _seal(table, text, data))
    content = len(head).to_bytes(LENGTH_BYTES, "little") + head + data
    if len(head) > LARGEST_HEADER or len(content) > LARGEST:
        raise WeightsError(
            f"{path}: {len(content):,} bytes with a header of {len(head):,}; allowed: at most {LARGEST:,} with a header of "
            f"{LARGEST_HEADER:,}"
        )
    files.write_whole(path, content)


def load(path: Path, largest: int = LARGEST) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays of a file and what they are about; `WeightsError` if it is not exactly what `save` wrote."""
    where = cut(path, LONGEST_PATH)
    try:
        content = files.read_bytes(path, largest)
    except files.FileTooLarge:
        raise WeightsError(f"{where}: too large; allowed: at most {largest:,} bytes") from None
    except (OSError, ValueError) as error:  # a path may hold a null byte
        raise WeightsError(f"{where}: cannot be read: {getattr(error, 'strerror', None) or cut(error)}") from None
    try:
        return _parse(content)
    except WeightsError as error:
        raise WeightsError(f"{where}: {error}") from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, SafetensorError) as error:
        raise WeightsError(f"{where}: not a weights file: {cut(error, LONGEST_FAULT)}") from None


def _parse(content: bytes) -> tuple[dict[str, Array], dict[str, Any]]:
    length = int.from_bytes(content[:LENGTH_BYTES], "little")
    if not 0 < length <= min(LARGEST_HEADER, len(content) - LENGTH_BYTES):
        raise ValueError(f"a header of {length:,} bytes in a file of {len(content):,}")
    head = content[LENGTH_BYTES : LENGTH_BYTES + length]
    entries = json.loads(head)  # the library does not tell the metadata of bytes in memory
    mark = entries.pop("__metadata__")
    found = safetensors.numpy.load(content)
    arrays = {name: found[name] for name in entries}
    _require_seal(head, memoryview(content)[LENGTH_BYTES + length :], arrays, **mark)
    about = json.loads(mark["about"])
    if not isinstance(about, dict):
        raise ValueError(f"its metadata is {shown(about)}, expected an object")
    return arrays, about


def _require_seal(head: bytes, data: memoryview, arrays: Mapping[str, Array], about: str, sha256: str) -> None:
    """Refuse what is not to the byte what `save` would write."""
    table = _table(arrays)
    if _seal(table, about, data) != sha256:
        raise WeightsError("damaged: its hash does not match its content")
    if head != _header(table, about, sha256):
        raise WeightsError("damaged: its header has been changed")


def _table(arrays: Mapping[str, Array]) -> dict[str, Any]:
    """The header's entry of each array: they lie one after another, without gaps."""
    table, end = {}, 0
    for name, array in arrays.items():
        if not array.size or array.ndim > MOST_AXES:
            raise WeightsError(
                f"array {shown(name)} of shape {shown(array.shape)}: allowed: at most {MOST_AXES} axes, none empty"
            )
        start, end = end, end + array.nbytes
        table[name] = {"dtype": CODES[array.dtype], "shape": list(array.shape), "data_offsets": [start, end]}
    return table


def _header(table: Mapping[str, Any], about: str, seal: str) -> bytes:
    return json.dumps({"__metadata__": {"about": about, "sha256": seal}, **table}).encode()


def _seal(table: Mapping[str, Any], about: str, data: bytes | memoryview) -> str:
    digest = hashlib.sha256(json.dumps(table, sort_keys=True).encode())
    digest.update(about.encode())
    digest.update(data)
    return digest.hexdigest()
