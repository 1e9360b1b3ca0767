"""Files of PyTorch's tensors (`.pth`), read without PyTorch and without running anything that is in them.

Such a file is a zip: `data.pkl` names the tensors, and their numbers lie beside it. A pickle can ask for anything to be
called; this reader knows four names, of which none does more than put arrays together, and refuses all others.
"""

import io
import pickle
import zipfile
import zlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cardtable.errors import CardtableError
from cardtable.support.messages import cut, shown
from cardtable.types import Array

LARGEST_PICKLE = 1 << 20
"""Bytes of the largest list of tensors; those of networks have a few thousand."""
PERSISTENT = "storage"
"""What numbers beside the pickle are called in it."""
DTYPES = {"FloatStorage": np.dtype("<f4"), "DoubleStorage": np.dtype("<f8"), "HalfStorage": np.dtype("<f2")}
"""What PyTorch calls the numbers that we read."""
READ = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    pickle.UnpicklingError,
    EOFError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    NotImplementedError,
    RuntimeError,
    MemoryError,
    OverflowError,
    UnicodeError,
)
"""What Python's modules raise for zips and pickles that are none, or not whole."""


class TensorsError(CardtableError):
    """A zip or a file of tensors is damaged, too large, not one at all, or asks for more than tensors."""


class Storage(NamedTuple):
    """Numbers beside the pickle."""

    dtype: np.dtype[Any]
    data: bytes


def open_zip(content: bytes) -> zipfile.ZipFile:
    """A zip in memory; `TensorsError` if it is none."""
    try:
        return zipfile.ZipFile(io.BytesIO(content))
    except FAULTS as error:
        raise TensorsError(f"not a zip file: {cut(error)}") from None


def read_entry(archive: zipfile.ZipFile, name: str, largest: int) -> bytes:
    """A file in a zip, of at most so many bytes when unpacked, whatever the zip says of itself."""
    try:
        entry = archive.getinfo(name)
        if entry.compress_type not in READ or entry.flag_bits & 1:
            raise TensorsError(f"{shown(name)} is packed or encrypted in a way that is not read")
        with archive.open(entry) as file:
            content = file.read(largest + 1)
    except KeyError:
        raise TensorsError(f"no {shown(name)} in it, found {shown(archive.namelist())}") from None
    except TensorsError:
        raise
    except FAULTS as error:
        raise TensorsError(f"{shown(name)} cannot be read: {cut(error)}") from None
    if len(content) > largest:
        raise TensorsError(f"{shown(name)} is too large; allowed: at most {largest:,} bytes")
    return content


def read_tensors(content: bytes) -> dict[str, Array]:
    """The tensors of a state dict by name, as arrays of their own; `TensorsError` if the file holds anything else."""
    archive = open_zip(content)
    folder = next((name.removesuffix("data.pkl") for name in archive.namelist() if name.endswith("/data.pkl")), "")
    order = f"{folder}byteorder"
    if order in archive.namelist() and read_entry(archive, order, len(content)) != b"little":
        raise TensorsError("its numbers are not little-endian")
    listed = read_entry(archive, f"{folder}data.pkl", LARGEST_PICKLE)

    def storage(key: str) -> bytes:
        return read_entry(archive, f"{folder}data/{key}", len(content))

    try:
        found = _Reader(io.BytesIO(listed), storage).load()
    except FAULTS as error:
        raise error if isinstance(error, TensorsError) else TensorsError(f"not tensors of PyTorch: {cut(error)}") from None
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found):
        raise TensorsError(f"expected tensors by name, found {shown(type(found).__name__)}")
    if not all(isinstance(array, np.ndarray) for array in found.values()):
        raise TensorsError("expected tensors, found other values")
    return dict(found)


class _Reader(pickle.Unpickler):
    """Reads the pickle of a state dict; `TensorsError` for any name but those of tensors."""

    def __init__(self, file: io.BytesIO, storage: Callable[[str], bytes]) -> None:
        super().__init__(file)
        self._storage = storage

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401  # as pickle declares it
        """One of the four kinds of names that state dicts have."""
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _array
        if (module, name) == ("torch._utils", "_rebuild_parameter"):
            return _data
        if module == "torch" and name in DTYPES:
            return DTYPES[name]
        raise TensorsError(f"it asks for {shown(f'{module}.{name}')}, which is not part of a tensor; nothing was run")

    def persistent_load(self, given: Any) -> Storage:  # noqa: ANN401  # as pickle declares it
        """The numbers beside the pickle that an entry stands for."""
        match given:
            case (str(kind), np.dtype() as dtype, str(key), str(), int()) if kind == PERSISTENT:
                return Storage(dtype, self._storage(key))
        raise TensorsError(f"it refers to {shown(given)}, expected numbers")


def _array(storage: object, offset: object, shape: object, strides: object, *_: object) -> Array:
    """A tensor, if it lies in its numbers one after another."""
    match storage, offset, shape, strides:
        case Storage(dtype, data), int(start), tuple(sizes), tuple(steps):
            if start < 0 or not all(type(size) is int and size >= 0 for size in sizes):
                raise TensorsError(f"a tensor of shape {shown(sizes)} from {shown(start)} on")
            number = int(np.prod(sizes, dtype=object))
            if steps != _contiguous(sizes) or (start + number) * dtype.itemsize > len(data):
                raise TensorsError(f"a tensor of shape {shown(sizes)} does not lie in its {len(data):,} bytes")
            return np.frombuffer(data, dtype, number, start * dtype.itemsize).reshape(sizes)
    raise TensorsError("not a tensor where one is expected")


def _contiguous(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """How far apart the entries of each axis are, if those of the last lie side by side."""
    steps = [1] * len(sizes)
    for axis in range(len(sizes) - 2, -1, -1):
        steps[axis] = steps[axis + 1] * max(sizes[axis + 1], 1)
    return tuple(steps)


def _data(data: object, *_: object) -> object:
    """The tensor in a parameter."""
    return data
