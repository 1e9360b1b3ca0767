"""Shards, markets, the Ring and the Selector (MUR-1.1, 1.4 to 1.6)."""

from collections import Counter

import pytest

from .positions import CIRCLE, COPIES, RINGS, bench, legal, markets, open_game, play, position, ring, warehouse

pytestmark = pytest.mark.rules


SET_UPS = [{"players": 1}, {"players": 2}, {"players": 3, "draft": True}, {"players": 4, "grandmaster": True}]


@pytest.mark.clause("MUR-1.1")
@pytest.mark.parametrize("options", SET_UPS, ids=str)
def test_there_are_46_shards_for_any_number_of_players(options):
    table = open_game(**options)
    assert Counter("".join([warehouse(table), *markets(table)])) == COPIES
    assert sum(COPIES.values()) == 46
    assert [bench(table, seat) for seat in range(options["players"])] == [""] * options["players"]


@pytest.mark.clause("MUR-1.4", "MUR-1.6")
@pytest.mark.parametrize("face", "AB")
@pytest.mark.parametrize(("notch", "offset"), [(notch, notch * 5 % 12) for notch in range(12)] + [(9, 3), (9, 4), (11, 11)])
def test_the_selector_points_at_a_notch_and_the_segment_that_faces_it(face, notch, offset):
    table = position(ring=face, step="turned", selector=notch, ring_offset=offset)
    play(table, "take pair")
    assert Counter(bench(table)) == Counter(CIRCLE[notch] + RINGS[face][(notch + offset) % 12])


@pytest.mark.clause("MUR-1.5")
@pytest.mark.parametrize("face", "AB")
@pytest.mark.parametrize("market", range(4))
@pytest.mark.parametrize("offset", [0, 1, 5, 10])
def test_a_market_is_connected_with_the_segments_at_its_three_notches(face, market, offset):
    table = position(ring=face, step="taken", ring_offset=offset, benches={0: "T"})
    play(table, f"exchange transparent at market {market}")
    segments = [RINGS[face][(3 * market + place + offset) % 12] for place in range(3)]
    assert Counter(bench(table)) == Counter(shard for shard in segments if shard != "T")


@pytest.mark.clause("MUR-1.5")
@pytest.mark.parametrize(("there", "free"), [("", True), ("R", True), ("RT", True), ("RRT", False)])
def test_a_market_has_three_places(there, free):
    table = position(step="taken", benches={0: "G"}, markets=("R", there, "Y", "B"))
    assert ("exchange green at market 1" in legal(table)) == free


@pytest.mark.clause("MUR-1.6")
@pytest.mark.parametrize(("before", "after"), [(0, 1), (4, 5), (11, 0)])
def test_one_step_counter_clockwise_raises_the_offset(before, after):
    table = play(position(ring_offset=before), "turn ring")
    assert ring(table) == after
