"""What an overload of a kernel is made from, told from its module and argument types."""

from dataclasses import replace

import numba
import numpy as np
import pytest
from numba.core import types

from cardtable.engine import dispatch, sources
from cardtable.engine.origins import origin_of, origin_of_group
from cardtable.engine.vectors import Vector
from cardtable.game.registry import find
from murano_env.constants import Shard

MUSTER, MURANO = (find(name).state.dtype for name in ("muster", "murano"))
ALL = sources.declared_packages() - {"cardtable"}


def packages(module: str, *arguments: object) -> list[str]:
    return origin_of(module, arguments).declared


def test_a_shared_kernel_is_made_from_the_games_of_its_records():
    muster, murano = numba.from_dtype(MUSTER), numba.from_dtype(MURANO)
    assert packages("cardtable.engine.loops", types.int64, types.float32[:], types.none) == []
    assert packages("cardtable.engine.loops", muster) == ["muster_env"]
    assert packages("cardtable.engine.loops", types.Array(muster, 1, "C"), types.int64) == ["muster_env"]
    assert packages("cardtable.engine.loops", types.Tuple((types.int64, types.Array(muster, 1, "A")))) == ["muster_env"]
    assert packages("cardtable.engine.loops", muster, murano) == ["murano_env", "muster_env"]


def test_a_record_of_no_game_counts_for_nothing():
    assert packages("cardtable.engine.loops", numba.from_dtype(np.dtype([("nobody", np.int64)]))) == []


def test_a_record_in_a_record_counts():
    inner = numba.from_dtype(np.dtype([("number", np.int64), ("game", MUSTER)]))
    assert packages("cardtable.engine.loops", inner) == ["muster_env"]


def test_a_kernel_is_made_from_its_package_and_what_its_module_imports():
    assert packages("muster_env.rules") == ["muster_env"]
    assert packages("cardtable_agents.players.heuristic") == ["cardtable_agents"]
    assert packages("cardtable_agents.players.heuristic", numba.from_dtype(MURANO)) == ["cardtable_agents", "murano_env"]
    assert packages("cardtable_agents.evaluations.muster") == ["cardtable_agents", "muster_env"]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (types.literal(6), []),
        (types.IntEnumMember(Shard, types.int64), ["murano_env"]),
        (Vector(7), []),
        (types.ListType(types.int64), sorted(ALL)),
    ],
    ids=["literal", "enum", "of our own", "that holds we do not know what"],
)
def test_other_types_count_by_what_they_are_made_from(kind, expected):
    assert packages("cardtable.engine.loops", kind) == expected


def test_the_kernels_of_a_game_are_told_apart_from_others_of_its_package(monkeypatch):
    game = find("muster")
    before = origin_of_group("cardtable", MUSTER)
    monkeypatch.setitem(dispatch._REGISTERED, MUSTER.names, replace(game.kernels, scores=game.kernels.returns))
    after = origin_of_group("cardtable", MUSTER)
    assert before.packages == after.packages
    assert before.details() != after.details()
