"""Files of weights: readable by everybody, refused unless they are to the byte what was written."""

import hashlib
import json

import numpy as np
import pytest
import safetensors
import safetensors.numpy
from cardtable_agents import weights
from cardtable_agents.players import policy
from cardtable_agents.weights import WeightsError

from cardtable.errors import AgentError

ARRAYS = {
    "layer.weight": np.arange(6, dtype=np.float32).reshape(2, 3).T,
    "layer.bias": np.array([0.5, -0.5], np.float16),
    "step": np.array(7.0),
    "counts": np.array([[1, -2]], np.int64),
    "bytes": np.frombuffer(b"\0\xff", np.uint8),
}
"""One of each dtype; one that does not lie in memory row by row, one without axes, none where its dtype would be aligned."""
ABOUT = {"game": "muster_v0", "größe": [1, 2.5, None], "nested": {"a": True}}
SAVED = "4a9740831123436a94bb93637ace52e480155fad14df565342af913d7fdd60de"
"""The SHA-256 of a file of them, as the first version wrote it: formats of policies and checkpoints stay."""


def same(one, other):
    return list(one) == list(other) and all(
        (one[name].dtype, one[name].shape, one[name].tobytes()) == (other[name].dtype, other[name].shape, other[name].tobytes())
        for name in one
    )


def test_arrays_and_what_they_are_about_come_back_in_their_order(tmp_path):
    weights.save(tmp_path / "file.safetensors", ARRAYS, ABOUT)
    arrays, about = weights.load(tmp_path / "file.safetensors")
    assert same(arrays, ARRAYS)
    assert about == ABOUT
    assert all(array.flags.writeable and array.flags.aligned for array in arrays.values())


def test_the_same_content_gives_the_bytes_that_the_first_version_wrote(tmp_path):
    weights.save(tmp_path / "file.safetensors", ARRAYS, ABOUT)
    assert hashlib.sha256((tmp_path / "file.safetensors").read_bytes()).hexdigest() == SAVED


def test_the_plain_library_reads_our_files(tmp_path):
    path = tmp_path / "file.safetensors"
    weights.save(path, ARRAYS, ABOUT)
    loaded = safetensors.numpy.load_file(path)
    assert same({name: loaded[name] for name in ARRAYS}, ARRAYS)
    with safetensors.safe_open(path, framework="numpy") as file:
        assert json.loads(file.metadata()["about"]) == ABOUT


@pytest.mark.parametrize("shipped", sorted(policy.POLICIES.glob(f"*{policy.SUFFIX}")), ids=lambda path: path.stem)
def test_a_shipped_policy_written_again_is_the_same_file(tmp_path, shipped):
    """They may have been written by earlier versions."""
    weights.save(tmp_path / "again", *weights.load(shipped))
    assert (tmp_path / "again").read_bytes() == shipped.read_bytes()


# ---- Files that are refused


@pytest.mark.parametrize("metadata", [None, {"about": "{}"}, {"about": "{}", "sha256": "0" * 64}], ids=str)
def test_a_file_of_somebody_else_is_refused(tmp_path, metadata):
    path = tmp_path / "foreign.safetensors"
    safetensors.numpy.save_file({"a": np.zeros(16, np.float32)}, path, metadata)
    with pytest.raises(WeightsError, match=r"foreign\.safetensors: (not a weights file|damaged)"):
        weights.load(path)


def test_every_damaged_byte_is_noticed(tmp_path):
    path = tmp_path / "small.safetensors"
    weights.save(path, {"a": np.arange(6, dtype=np.float32).reshape(2, 3)}, {"game": "muster_v0"})
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(WeightsError):
            weights.load(path)
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(WeightsError):
            weights.load(path)


def sealed(path, table, data, about="{}"):
    """Write a file whose hash is right, whatever its header says."""
    head = weights._header(table, about, weights._seal(table, about, data))
    path.write_bytes(len(head).to_bytes(8, "little") + head + data)


def entry(start, end, shape, dtype="F32"):
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}


ZEROS = bytes(64)
DECEITFUL = {
    "one place for two arrays": ({"a": entry(0, 64, [16]), "b": entry(0, 64, [16])}, ZEROS),
    "a gap": ({"a": entry(0, 16, [4]), "b": entry(32, 64, [8])}, ZEROS),
    "bytes at the end": ({"a": entry(0, 32, [8])}, ZEROS),
    "beyond the end": ({"a": entry(0, 128, [32])}, ZEROS),
    "a shape that is too large": ({"a": entry(0, 64, [1 << 60])}, ZEROS),
    "an empty axis": ({"a": entry(0, 0, [0, 1 << 60])}, b""),
    "a negative axis": ({"a": entry(0, 64, [-4, -4])}, ZEROS),
    "a shape of truths": ({"a": entry(0, 4, [True])}, ZEROS[:4]),
    "a shape of fractions": ({"a": entry(0, 64, [16.0])}, ZEROS),
    "many axes": ({"a": entry(0, 4, [1] * 60)}, ZEROS[:4]),
    "an unknown dtype": ({"a": entry(0, 64, [16], "O")}, ZEROS),
    "a list for a dtype": ({"a": entry(0, 64, [16], ["F32"])}, ZEROS),
    "a long name": ({"a" * 100_000: {"b" * 100_000: 1}}, b""),
    "an entry that is none": ({"a": 3}, b""),
    "an entry with more in it": ({"a": {**entry(0, 64, [16]), "more": 1}}, ZEROS),
    "arrays in another order": ({"a": entry(32, 64, [8]), "b": entry(0, 32, [8])}, ZEROS),
    "a truth for an offset": ({"a": entry(False, 64, [16])}, ZEROS),
    "a dtype that we do not write": ({"a": entry(0, 64, [32], "BF16")}, ZEROS),
    "another that we do not write": ({"a": entry(0, 64, [8], "C64")}, ZEROS),
}


@pytest.mark.parametrize("name", DECEITFUL)
def test_a_header_that_lies_is_refused_with_a_short_message(tmp_path, name):
    path = tmp_path / "wrong.safetensors"
    sealed(path, *DECEITFUL[name])
    with pytest.raises(WeightsError, match=r"wrong\.safetensors") as caught:
        weights.load(path)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    "about", ["[]", "3", "null", '"text"', "[[" * 5000, "{", json.dumps(["x" * 100_000])], ids=lambda text: text[:8]
)
def test_a_file_about_no_object_is_refused(tmp_path, about):
    path = tmp_path / "wrong.safetensors"
    sealed(path, {"a": entry(0, 64, [16])}, ZEROS, about)
    for read in (weights.load, policy.about):
        with pytest.raises((WeightsError, AgentError), match="not a weights file") as caught:
            read(path)
        assert len(str(caught.value)) < 1000


def test_a_header_with_a_name_twice_is_refused(tmp_path):
    """Readers take the last of two entries, so that the hash would say nothing about the first."""
    path = tmp_path / "file.safetensors"
    weights.save(path, {"a": np.zeros(16, np.float32)}, {})
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    head = content[8 : 8 + length].replace(b', "a":', b', "a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}, "a":')
    path.write_bytes(len(head).to_bytes(8, "little") + head + content[8 + length :])
    with pytest.raises(WeightsError, match="its header has been changed"):
        weights.load(path)


def test_what_could_not_be_read_again_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(weights, "LARGEST", 1000)
    with pytest.raises(WeightsError, match="allowed: at most"):
        weights.save(tmp_path / "large.safetensors", {"a": np.zeros(1000)}, {})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("shape", [(0,), (3, 0), (1, 1, 1, 1, 1)], ids=str)
def test_shapes_that_would_not_be_read_again_are_not_written(tmp_path, shape):
    with pytest.raises(WeightsError, match=r"array 'a' of shape .*: allowed: at most 4 axes, none empty"):
        weights.save(tmp_path / "odd.safetensors", {"a": np.zeros(shape)}, {})
    assert not list(tmp_path.iterdir())
