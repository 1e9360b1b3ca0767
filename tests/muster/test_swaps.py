"""MUS-4.6: swap a Rainbow card."""

import pytest

from .positions import EIGHT_VARIANTS, column, hand, offered, pile, play, position, total

pytestmark = pytest.mark.rules

SUNS = "sun 1, sun 2, sun 3, sun 4, sun 5"
WILD = {"water": "rainbow castle"}


def strengths_offered(table, side="other"):
    """The strengths of the sun cards that can be swapped into the water column."""
    return [int(name.split()[2]) for name in offered(table, "swap") if name.endswith(f"into {side} water")]


@pytest.mark.clause("MUS-4.6")
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("pieces", "card", "after"), [("1, wizard", "2", "1, 2"), ("1, bridge, 3", "2", "1, 2, 3")])
@pytest.mark.parametrize("side", ["own", "other"])
def test_a_banner_takes_the_place_of_a_wizard_or_bridge_on_either_side(side, pieces, card, after, seat):
    columns = {"columns" if side == "own" else "other_columns": {"water": pieces}}
    table = play(position(hand=f"water {card}", seat=seat, **columns), f"swap water {card} into {side} water")
    owner = seat if side == "own" else 1 - seat
    assert column(table, owner, "water") == [f"water {strength}" for strength in after.split(", ")]
    assert column(table, 1 - owner, "water") == []
    assert (hand(table, seat)["wizard/bridge"], hand(table, seat)[f"water {card}"]) == (1, 0)
    assert hand(table, 1 - seat)["wizard/bridge"] == 0


@pytest.mark.clause("MUS-4.6")
def test_the_card_counts_for_the_owner_of_the_column():
    table = position(hand="water 2", other_columns={"water": "1, wizard"})
    play(table, "swap water 2 into other water")
    assert [total(table, seat, "water") for seat in (0, 1)] == [0, 3]


@pytest.mark.clause("MUS-4.6")
def test_swaps_into_both_sides_are_told_apart():
    table = position(hand="water 2", columns={"water": "1, wizard"}, other_columns={"water": "cloud 1, cloud 2, wizard"})
    assert offered(table, "swap") == ["swap water 2 into own water", "swap water 2 into other water"]


@pytest.mark.clause("MUS-4.6")
def test_without_wizards_and_bridges_there_is_nothing_to_swap():
    table = position(hand="water 2, wizard/bridge, rainbow castle", columns={"water": "1"}, castles={"sun": "wizard/bridge"})
    assert offered(table, "swap") == []


@pytest.mark.clause("MUS-4.6")
def test_only_a_card_in_hand_can_be_swapped_in():
    table = position(hand="sun 1, sun 2, sun 3, sun 4, sun 5", other_hand="water 1", columns={"water": "wizard"})
    assert offered(table, "swap") == []


@pytest.mark.clause("MUS-4.6a")
@pytest.mark.parametrize(
    ("under", "fitting"),
    [
        ("", [1, 2, 3, 4, 5]),
        ("1", [1, 2]),
        ("cloud 2", [2, 3]),
        ("cloud 3", [3, 4]),
        ("cloud 4", [4, 5]),
        ("cloud 5", [5]),
    ],
)
@pytest.mark.parametrize("side", ["own", "other"])
def test_the_card_fits_on_what_lies_under_the_wizard(side, under, fitting):
    columns = {"columns" if side == "own" else "other_columns": {"water": f"{under}, wizard"}}
    table = position(hand=SUNS, castles=WILD, **columns)
    assert strengths_offered(table, side) == fitting


@pytest.mark.clause("MUS-4.6a")
@pytest.mark.parametrize(("space", "fits"), [("", False), ("rainbow castle", True), ("rainbow castle, 1", False)])
def test_the_card_for_a_wizard_fits_the_castle(space, fits):
    table = position(hand="cloud 2", other_columns={"water": "1, wizard"}, castles={"water": space})
    assert offered(table, "swap cloud") == ["swap cloud 2 into other water"] * fits


@pytest.mark.clause("MUS-4.6a")
@pytest.mark.parametrize("seat", [0, 1])
def test_the_lowest_wizard_alone_can_be_swapped_and_the_others_stay_on_top(seat):
    table = position(hand="water 2", other_columns={"water": "1, wizard, wizard, wizard"}, seat=seat)
    play(table, "swap water 2 into other water")
    assert column(table, 1 - seat, "water") == ["water 1", "water 2", "wizard", "wizard"]
    assert hand(table, seat)["wizard/bridge"] == 1


@pytest.mark.clause("MUS-4.6a")
def test_no_card_fits_on_a_wizard_instead_of_the_card_under_it():
    table = position(hand=SUNS, castles=WILD, other_columns={"water": "cloud 1, wizard, wizard"})
    assert strengths_offered(table) == [1, 2]


@pytest.mark.clause("MUS-4.6a")
def test_a_wizard_on_a_bridged_column_is_swapped_against_the_banner_above_the_bridge():
    table = position(hand=SUNS, castles=WILD, other_columns={"water": "1, bridge, 3, wizard"})
    assert strengths_offered(table) == [2, 3, 4]
    play(table, "swap sun 4 into other water")
    assert column(table, 1, "water") == ["water 1", "bridge", "water 3", "sun 4"]


@pytest.mark.clause("MUS-4.4b", "MUS-4.6a")
def test_rulebook_example_a_rainbow_castle_first_then_the_swap():
    table = position(
        hand="rainbow castle, cloud 2, cloud 3",
        other_hand="sun 1, sun 2",
        other_columns={"feather": "1, 2, wizard, wizard"},
    )
    assert total(table, 1, "feather") == 15
    assert offered(table, "swap") == []
    play(table, "lay rainbow castle on feather", "draw from pile", "play sun 1 at sun", "draw from pile")
    play(table, "swap cloud 2 into other feather")
    assert column(table, 1, "feather") == ["feather 1", "feather 2", "cloud 2", "wizard"]
    assert (total(table, 1, "feather"), hand(table, 0)["wizard/bridge"]) == (11, 1)
    play(table, "play sun 2 at sun", "draw from pile", "swap cloud 3 into other feather")
    assert column(table, 1, "feather") == ["feather 1", "feather 2", "cloud 2", "cloud 3"]
    assert hand(table, 0)["wizard/bridge"] == 2


@pytest.mark.clause("MUS-4.6a")
@pytest.mark.parametrize(("space", "swaps"), [("", []), ("rainbow castle", ["swap cloud 5 into other water"])])
def test_rulebook_example_a_wizard_on_a_five_takes_another_five_under_a_rainbow_castle(space, swaps):
    cards = "cloud 1, cloud 2, cloud 3, cloud 4, cloud 5"
    table = position(hand=cards, other_columns={"water": "4, 5, wizard"}, castles={"water": space})
    assert offered(table, "swap") == swaps


@pytest.mark.clause("MUS-4.6b")
@pytest.mark.parametrize(
    ("pieces", "fitting"), [("bridge, 2", 1), ("1, bridge, 3", 2), ("2, bridge, 4", 3), ("3, bridge, 5", 4)]
)
@pytest.mark.parametrize("side", ["own", "other"])
def test_the_card_for_a_bridge_has_the_strength_it_stands_for(side, pieces, fitting):
    columns = {"columns" if side == "own" else "other_columns": {"water": pieces}}
    table = position(hand=SUNS, castles=WILD, **columns)
    assert strengths_offered(table, side) == [fitting]


@pytest.mark.clause("MUS-4.6b")
@pytest.mark.parametrize(("space", "fits"), [("", False), ("rainbow castle", True), ("rainbow castle, 1", False)])
def test_the_card_for_a_bridge_fits_the_castle(space, fits):
    table = position(hand="cloud 2", other_columns={"water": "1, bridge, 3"}, castles={"water": space})
    assert offered(table, "swap cloud") == ["swap cloud 2 into other water"] * fits


@pytest.mark.clause("MUS-4.6b")
def test_rulebook_example_the_opponent_swaps_a_two_for_the_bridge():
    table = position(hand="water 3, wizard/bridge", other_hand="water 2", columns={"water": "1"})
    play(table, "bridge to water 3 at water", "draw from pile", "draw from pile")
    assert total(table, 0, "water") == 5
    play(table, "swap water 2 into other water")
    assert column(table, 0, "water") == ["water 1", "water 2", "water 3"]
    assert (total(table, 0, "water"), total(table, 1, "water"), hand(table, 1)["wizard/bridge"]) == (6, 0, 1)


@pytest.mark.clause("MUS-4.6b")
def test_a_bridge_swapped_out_cannot_be_swapped_again():
    table = position(hand="water 2", other_hand="water 2", columns={"water": "1, bridge, 3"})
    play(table, "swap water 2 into own water")
    assert offered(table, "swap") == []


@pytest.mark.clause("MUS-4.6b")
def test_a_bridge_under_wizards_is_swapped_in_its_place():
    table = position(hand="water 2", other_columns={"water": "1, bridge, 3, cloud 4, wizard"})
    play(table, "swap water 2 into other water")
    assert column(table, 1, "water") == ["water 1", "water 2", "water 3", "cloud 4", "wizard"]


@pytest.mark.clause("MUS-4.6b")
def test_each_of_two_bridges_is_swapped_by_its_own_strength():
    pieces = {"water": "1, bridge, 3, bridge, 5"}
    table = position(hand=SUNS, castles=WILD, other_columns=pieces)
    assert strengths_offered(table) == [2, 4]
    play(table, "swap sun 4 into other water")
    assert column(table, 1, "water") == ["water 1", "bridge", "water 3", "sun 4", "water 5"]


@pytest.mark.clause("MUS-4.6b", "MUS-7.3")
@pytest.mark.parametrize("order", [(2, 3, 4), (2, 4, 3), (3, 2, 4), (3, 4, 2), (4, 2, 3), (4, 3, 2)])
def test_the_bridges_of_a_row_are_swapped_one_by_one_in_any_order(order):
    table = position(
        hand=SUNS,
        other_hand="cloud 1, cloud 2, cloud 3",
        castles=WILD,
        columns={"water": "1, bridge, bridge, bridge, 5"},
        over_the_rainbow=True,
    )
    pieces = ["water 1", "bridge", "bridge", "bridge", "water 5"]
    for number, strength in enumerate(order):
        assert strengths_offered(table, "own") == sorted(order[number:])
        play(table, f"swap sun {strength} into own water", f"lay cloud {number + 1}", "draw from pile")
        pieces[strength - 1] = f"sun {strength}"
        assert column(table, 0, "water") == pieces
    assert hand(table, 0)["wizard/bridge"] == 3


@pytest.mark.clause("MUS-4.6c")
@pytest.mark.parametrize("pieces", ["1, wizard", "1, bridge, 3"])
@pytest.mark.parametrize("seat", [0, 1])
def test_after_a_swap_nothing_is_drawn(pieces, seat):
    table = position(hand="water 2", columns={"water": pieces}, seat=seat)
    cards = len(pile(table))
    play(table, "swap water 2 into own water")
    assert (hand(table, seat).total(), len(pile(table)), table.seat, offered(table, "draw")) == (5, cards, 1 - seat, [])


def shapes(options, repeats, column=(), below=0):
    """All columns that can be built from here on, by strengths and `bridge`; a strength comes at most `repeats` times."""
    yield column
    lowest, highest = max(below, 1), 5 if options["streamlined"] or below == 0 else min(below + 1, 5)
    if below == 0 and options["power_of_unity"]:
        highest = 1
    for strength in range(lowest, highest + 1):
        if column.count(strength) < repeats:
            yield from shapes(options, repeats, (*column, strength), strength)
    longest_row = min(5 - below - 1, 4 - column.count("bridge")) if options["over_the_rainbow"] else min(1, 4 - below)
    for row in range(1, longest_row + 1):
        yield from shapes(options, repeats, (*column, *["bridge"] * row, below + row + 1), below + row + 1)


def fits_for_wizard(options, column):
    """The strengths that can take the place of a Wizard on this column (MUS-4.6a)."""
    top = column[-1] if column else 0
    if top == 0:
        return {1} if options["power_of_unity"] else {1, 2, 3, 4, 5}
    return set(range(top, 6)) if options["streamlined"] else {top, top + 1} & {1, 2, 3, 4, 5}


def fits_for_bridges(options, column):
    """Strength and place of each Bridge that can be swapped (MUS-4.6b)."""
    stands_for, found = 0, []
    for place, piece in enumerate(column):
        stands_for = stands_for + 1 if piece == "bridge" else piece
        if piece == "bridge" and not options["streamlined"]:
            found.append((stands_for, place))
    return found


@pytest.mark.clause("MUS-4.6d")
@pytest.mark.parametrize("options", EIGHT_VARIANTS, ids=str)
def test_no_strength_fits_two_rainbow_cards_of_one_column(options):
    count = 0
    for shape in shapes(options, repeats=2):
        bridged = [strength for strength, _ in fits_for_bridges(options, shape)]
        assert len(set(bridged)) == len(bridged)
        assert fits_for_wizard(options, shape).isdisjoint(bridged)
        count += 1
    assert count > 30


def telling_shapes(options):
    """Of the columns that offer the same swaps, the first."""
    told = {(shape[-1:], *fits_for_bridges(options, shape)): shape for shape in reversed(list(shapes(options, repeats=1)))}
    return list(told.values())


@pytest.mark.clause("MUS-4.6a", "MUS-4.6b", "MUS-4.6d", "MUS-7.4")
@pytest.mark.parametrize("options", EIGHT_VARIANTS, ids=str)
def test_in_every_column_the_fitting_strengths_are_offered_and_no_others(options):
    for shape in telling_shapes(options):
        pieces = ", ".join(str(piece) for piece in shape) + ", wizard"
        table = position(hand=SUNS, castles=WILD, other_columns={"water": pieces}, **options)
        bridges = {strength for strength, _ in fits_for_bridges(options, shape)}
        assert strengths_offered(table) == sorted(fits_for_wizard(options, shape) | bridges)


@pytest.mark.clause("MUS-4.6b", "MUS-4.6d")
@pytest.mark.parametrize("options", [{}, {"over_the_rainbow": True}], ids=str)
def test_a_card_takes_the_place_of_the_bridge_that_it_fits(options):
    options = EIGHT_VARIANTS[0] | options
    for shape in telling_shapes(options):
        for strength, place in fits_for_bridges(options, shape):
            pieces = [str(piece) for piece in shape]
            table = position(hand=SUNS, castles=WILD, columns={"water": ", ".join(pieces)}, **options)
            play(table, f"swap sun {strength} into own water")
            expected = [piece if piece == "bridge" else f"water {piece}" for piece in pieces]
            assert column(table, 0, "water") == [*expected[:place], f"sun {strength}", *expected[place + 1 :]]
