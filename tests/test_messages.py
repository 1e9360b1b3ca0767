"""Values in messages are short, whatever they are."""

import numpy as np
import pytest

from cardtable.support.messages import LONGEST, cut, shown


@pytest.mark.parametrize("value", [3, -1.5, None, True, "name", "it's", ["a", "b"], ("a",), {"a": 1}, 2**64])
def test_a_usual_value_is_shown_as_python_writes_it(value):
    assert shown(value) == repr(value)


def deep(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        "x" * 10**6,
        list(range(10**5)),
        dict.fromkeys(range(999), "y" * 99),
        deep(10**4),
        10**6000,
        np.zeros(10**6),
    ],
    ids=["text", "list", "dict", "deep", "integer", "array"],
)
def test_a_long_or_deep_value_is_cut(value):
    assert 0 < len(shown(value)) <= LONGEST


def test_a_cut_text_keeps_its_beginning_and_its_end():
    assert cut("abc") == "abc"
    assert cut("a" * 100 + "z" * 100, 20) == "a" * 10 + "…" + "z" * 9
    assert cut(ValueError("x" * 100), 10) == "xxxxx…xxxx"
