"""MUS-7: the variants."""

import numpy as np
import pytest
from helpers import play_checked

from cardtable.engine import loops
from cardtable.engine.jit import as_games
from cardtable.errors import OptionError

from .positions import EIGHT_VARIANTS, GAME, column, fresh, hand, offered, play, position, random_play, total

pytestmark = pytest.mark.rules

LADDER = ("cloud 1", "cloud 2", "cloud 3", "cloud 4", "cloud 5")
SUNS = "sun 1, sun 2, sun 3, sun 4, sun 5"
WILD = {"water": "rainbow castle"}
FOUR_BRIDGES = "wizard/bridge, wizard/bridge, wizard/bridge, wizard/bridge"


def strengths(table, action, ending):
    """The strengths of the sun cards in the actions offered."""
    return [int(name.split("sun ")[1][0]) for name in offered(table, action) if name.endswith(ending)]


@pytest.mark.clause("MUS-7.1")
@pytest.mark.parametrize("top", [0, 1, 2, 3, 4, 5])
def test_streamlined_a_banner_may_be_any_number_above_the_top_card(top):
    table = position(hand=SUNS, columns={"water": ", ".join(LADDER[:top])}, castles=WILD, streamlined=True)
    assert strengths(table, "play", "at water") == list(range(max(top, 1), 6))


@pytest.mark.clause("MUS-7.1")
@pytest.mark.parametrize("side", ["own", "other"])
@pytest.mark.parametrize("top", [0, 1, 2, 3, 4, 5])
def test_streamlined_a_wizard_is_swapped_for_any_strength_from_the_card_under_it_up(top, side):
    columns = {"columns" if side == "own" else "other_columns": {"water": ", ".join([*LADDER[:top], "wizard"])}}
    table = position(hand=SUNS, castles=WILD, streamlined=True, **columns)
    assert strengths(table, "swap", f"into {side} water") == list(range(max(top, 1), 6))


@pytest.mark.clause("MUS-7.1")
def test_streamlined_banners_still_fit_their_castle():
    table = position(hand="sun 3", columns={"water": "1"}, other_columns={"water": "1, wizard"}, streamlined=True)
    assert offered(table, "play sun 3", "swap sun 3") == ["play sun 3 at sun"]


@pytest.mark.clause("MUS-7.1")
@pytest.mark.parametrize("pieces", ["bridge, 2", "1, bridge, 3", "2, bridge, 4", "1, bridge, 3, bridge, 5"])
def test_streamlined_bridges_are_never_swapped(pieces):
    table = position(hand=SUNS, columns={"water": pieces}, other_columns={"sun": "bridge, 2"}, castles=WILD, streamlined=True)
    assert offered(table, "swap") == []


@pytest.mark.clause("MUS-7.1")
def test_streamlined_a_wizard_on_a_bridged_column_takes_no_card_for_the_bridge():
    table = position(hand=SUNS, columns={"water": "1, bridge, 3, wizard"}, castles=WILD, streamlined=True)
    assert strengths(table, "swap", "water") == [3, 4, 5]
    play(table, "swap sun 5 into own water")
    assert column(table, 0, "water") == ["water 1", "bridge", "water 3", "sun 5"]


@pytest.mark.clause("MUS-7.1")
@pytest.mark.parametrize(("top", "banner"), [(0, [2]), (1, [3]), (2, [4]), (3, [5]), (4, []), (5, [])])
def test_streamlined_bridges_are_built_as_usual(top, banner):
    cards = "wizard/bridge, sun 2, sun 3, sun 4, sun 5"
    table = position(hand=cards, columns={"water": ", ".join(LADDER[:top])}, castles=WILD, streamlined=True)
    assert strengths(table, "bridge", "at water") == banner


@pytest.mark.clause("MUS-7.1")
def test_streamlined_columns_with_gaps_can_be_saved_and_loaded():
    table = position(hand="water 5", columns={"water": "1"}, streamlined=True)
    play(table, "play water 5 at water", "draw from pile")
    again = fresh(streamlined=True)
    again.load_state_dict(table.state_dict())
    assert again.state_dict() == table.state_dict()


@pytest.mark.clause("MUS-7.2")
@pytest.mark.parametrize("streamlined", [False, True])
def test_power_of_unity_only_strength_one_opens_a_column(streamlined):
    table = position(hand=SUNS, castles=WILD, power_of_unity=True, streamlined=streamlined)
    assert offered(table, "play") == ["play sun 1 at water", "play sun 1 at sun"]


@pytest.mark.clause("MUS-7.2")
@pytest.mark.parametrize("side", ["own", "other"])
@pytest.mark.parametrize("pieces", ["wizard", "wizard, wizard"])
def test_power_of_unity_only_strength_one_is_swapped_for_a_wizard_on_an_empty_place(side, pieces):
    columns = {"columns" if side == "own" else "other_columns": {"water": pieces}}
    table = position(hand=SUNS, castles=WILD, power_of_unity=True, **columns)
    assert strengths(table, "swap", "water") == [1]


@pytest.mark.clause("MUS-7.2")
def test_power_of_unity_does_not_bear_on_columns_with_cards():
    table = position(
        hand=SUNS, columns={"water": "1, 2"}, other_columns={"water": "1, wizard"}, castles=WILD, power_of_unity=True
    )
    assert strengths(table, "play", "at water") == [2, 3]
    assert strengths(table, "swap", "other water") == [1, 2]


@pytest.mark.clause("MUS-7.2")
def test_power_of_unity_wizards_may_go_on_an_empty_column():
    table = position(hand="wizard/bridge", columns={"sun": "wizard"}, power_of_unity=True)
    assert len(offered(table, "wizard")) == 5
    assert len(offered(table, "move wizard from sun")) == 4


@pytest.mark.clause("MUS-7.2")
def test_power_of_unity_a_bridge_on_an_empty_column_stands_for_one():
    table = position(hand="wizard/bridge, water 2, water 3", other_hand="water 1, water 2", power_of_unity=True)
    assert offered(table, "bridge to water") == ["bridge to water 2 at water"]
    play(table, "bridge to water 2 at water", "draw from pile", "draw from pile")
    assert offered(table, "swap") == ["swap water 1 into other water"]


@pytest.mark.clause("MUS-7.2", "MUS-7.3")
def test_power_of_unity_and_over_the_rainbow_bridges_stand_for_one_and_up():
    table = position(hand=f"{FOUR_BRIDGES}, water 4", other_hand=SUNS, castles=WILD, power_of_unity=True, over_the_rainbow=True)
    play(table, "bridge to water 4 at water", *["draw from pile"] * 4)
    assert column(table, 0, "water") == ["bridge", "bridge", "bridge", "water 4"]
    assert strengths(table, "swap", "other water") == [1, 2, 3]


@pytest.mark.clause("MUS-7.3")
@pytest.mark.parametrize("bridges", [1, 2, 3, 4])
@pytest.mark.parametrize("top", [0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("options", [{}, {"streamlined": True}])
def test_over_the_rainbow_the_row_is_as_long_as_the_cards_in_hand_allow(top, bridges, options):
    for strength in (2, 3, 4, 5):
        cards = ", ".join(["wizard/bridge"] * bridges + [f"sun {strength}"] + ["leaf 1"] * min(3, 4 - bridges))
        parts = {"columns": {"water": ", ".join(LADDER[:top])}, "castles": WILD, "over_the_rainbow": True}
        table = position(hand=cards, **parts, **options)
        row = strength - top - 1
        assert strengths(table, "bridge", "at water") == [strength] * (1 <= row <= bridges)


@pytest.mark.clause("MUS-7.3")
@pytest.mark.parametrize(
    ("under", "strength", "row", "sum_of_all"),
    [("", 2, 1, 3), ("", 5, 4, 9), ("1", 3, 1, 5), ("1", 4, 2, 7), ("1", 5, 3, 9), ("1, 2", 5, 2, 10)],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_over_the_rainbow_the_number_of_bridges_follows_from_the_banner(under, strength, row, sum_of_all, seat):
    table = position(hand=f"{FOUR_BRIDGES}, water {strength}", columns={"water": under}, over_the_rainbow=True, seat=seat)
    before = column(table, seat, "water")
    play(table, f"bridge to water {strength} at water")
    assert column(table, seat, "water") == [*before, *["bridge"] * row, f"water {strength}"]
    assert total(table, seat, "water") == sum_of_all
    assert hand(table, seat)["wizard/bridge"] == 4 - row


@pytest.mark.clause("MUS-7.3")
def test_over_the_rainbow_bridges_still_keep_off_wizards_and_other_banners():
    table = position(hand=f"{FOUR_BRIDGES}, water 4", columns={"water": "1, wizard"}, over_the_rainbow=True)
    assert offered(table, "bridge") == []


@pytest.mark.clause("MUS-7.3")
@pytest.mark.parametrize("strength", [3, 4, 5])
def test_without_the_option_a_row_is_one_bridge(strength):
    table = position(hand=f"{FOUR_BRIDGES}, water {strength}")
    assert offered(table, "bridge") == []


@pytest.mark.clause("MUS-7.4")
@pytest.mark.parametrize("options", EIGHT_VARIANTS, ids=str)
def test_all_options_combine(options):
    parsed = GAME.parse_options(options)
    assert {name: getattr(parsed, name) for name in options} == options
    assert {name: fresh(**options).state_dict()[name] for name in options} == options
    *_, last = random_play(3, 1000, **options)
    assert last.ending


@pytest.mark.clause("MUS-7.1", "MUS-7.2", "MUS-7.3")
def test_options_are_off_by_default():
    state = fresh().state_dict()
    assert [state[name] for name in ("streamlined", "power_of_unity", "over_the_rainbow")] == [False] * 3


@pytest.mark.clause("MUS-7.4")
@pytest.mark.parametrize("name", ["streamlined", "power_of_unity", "over_the_rainbow"])
@pytest.mark.parametrize("value", [1, None, "yes"])
def test_an_option_is_true_or_false(name, value):
    with pytest.raises(OptionError, match=name):
        GAME.parse_options({name: value})


def audit(games, **options):
    """Play games at random, every position checked; how often each clause came up."""
    blank = GAME.blank(GAME.parse_options(options), seed=11)
    lanes, scratch = as_games(np.repeat(blank, games)), GAME.new_scratch()
    loops.begin_many(lanes, blank, np.uint64(0), GAME.new_frame(games, 2, observe=True), scratch)
    decisions, counts = play_checked(GAME, lanes)
    assert decisions > games
    return {clause.name: int(count) for clause, count in zip(GAME.clauses, counts, strict=True)}


@pytest.mark.clause("MUS-7.4")
@pytest.mark.parametrize("options", [{"max_turns": 20}, *EIGHT_VARIANTS], ids=str)
def test_random_games_stay_within_the_rules(options):
    found = audit(1, **options)
    assert all(found[name] for name in ("MUS_4_1", "MUS_4_2", "MUS_4_4", "MUS_5_1"))
    assert (found["MUS_6_1"], found["MUS_6_5"]) == ((0, 1) if "max_turns" in options else (1, 0))
    assert options.get("streamlined") or not found["MUS_7_1"]
    assert options.get("over_the_rainbow") or not found["MUS_7_3"]
