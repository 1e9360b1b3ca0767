"""Every piece of the observation shows what its meaning says (MUS-8.1, 8.2)."""

import numpy as np
import pytest

from .positions import BANNERS, CARDS, GAME, pile, play, position, random_play, seen

pytestmark = [pytest.mark.rules, pytest.mark.clause("MUS-8.1")]


def shown(table, seat, piece):
    """The numbers of a piece that are not 0, by what stands between the brackets."""
    labels = GAME.layout.labels()
    numbers = zip(labels, table.observe(seat).tolist(), strict=True)
    return {
        label.removeprefix(piece).strip("[]"): number for label, number in numbers if label.split("[")[0] == piece and number
    }


def close(numbers):
    return pytest.approx(numbers, abs=1e-6)


MIDDLE = {
    "hand": "water 1, water 1, sun 2, wizard/bridge, rainbow castle",
    "other_hand": "water 1, cloud 2, feather 5, leaf 1, leaf 1",
    "known": "sun 2",
    "other_known": "cloud 2, leaf 1",
}


@pytest.mark.parametrize("seat", [0, 1])
def test_own_hand(seat):
    table = position(seat=seat, **MIDDLE)
    own = {"water 1": 2 / 3, "sun 2": 1 / 2, "wizard/bridge": 1 / 5, "rainbow castle": 1 / 2}
    other = {"water 1": 1 / 3, "feather 5": 1, "cloud 2": 1 / 2, "leaf 1": 2 / 3}
    assert shown(table, seat, "own_hand") == close(own)
    assert shown(table, 1 - seat, "own_hand") == close(other)


@pytest.mark.clause("MUS-8.2")
@pytest.mark.parametrize("seat", [0, 1])
def test_known_hand(seat):
    table = position(seat=seat, **MIDDLE)
    assert shown(table, seat, "known_hand") == close({"cloud 2": 1 / 2, "leaf 1": 1 / 3})
    assert shown(table, 1 - seat, "known_hand") == close({"sun 2": 1 / 2})


@pytest.mark.parametrize("seat", [0, 1])
def test_unseen(seat):
    table = position(seat=seat, columns={"feather": "1, wizard"}, castles={"sun": "4"}, **MIDDLE)
    copies = dict(zip(CARDS, [3, 2, 1, 1, 1] * 5 + [5, 2], strict=True))
    gone = {
        "water 1": 2,
        "sun 2": 1,
        "wizard/bridge": 2,
        "rainbow castle": 1,
        "cloud 2": 1,
        "leaf 1": 1,
        "feather 1": 1,
        "sun 4": 1,
    }
    expected = {card: (copies[card] - gone.get(card, 0)) / copies[card] for card in CARDS}
    assert shown(table, seat, "unseen") == close({card: part for card, part in expected.items() if part})


def test_a_card_turned_up_is_not_unseen():
    table = position(turned_up="rainbow castle", castles={"sun": "rainbow castle"})
    assert "rainbow castle" not in shown(table, 0, "unseen") | shown(table, 1, "unseen")


COLUMNS = [
    ("", {"empty under wizards": 1}),
    ("1", {"1 under wizards": 1, "total / 32": 1 / 32, "banners / 8": 1 / 8}),
    ("1, 2, 2", {"2 under wizards": 1, "total / 32": 5 / 32, "banners / 8": 3 / 8}),
    ("cloud 5", {"5 under wizards": 1, "total / 32": 5 / 32, "banners / 8": 1 / 8}),
    ("wizard, wizard", {"empty under wizards": 1, "wizards / 5": 2 / 5, "total / 32": 12 / 32}),
    ("3, wizard", {"3 under wizards": 1, "wizards / 5": 1 / 5, "total / 32": 9 / 32, "banners / 8": 1 / 8}),
    ("bridge, 2", {"2 under wizards": 1, "bridge for 1": 1, "total / 32": 3 / 32, "banners / 8": 1 / 8}),
    (
        "1, bridge, 3, bridge, 5, wizard",
        {
            "5 under wizards": 1,
            "bridge for 2": 1,
            "bridge for 4": 1,
            "wizards / 5": 1 / 5,
            "total / 32": 17 / 32,
            "banners / 8": 3 / 8,
        },
    ),
    ("2, bridge, 4", {"4 under wizards": 1, "bridge for 3": 1, "total / 32": 7 / 32, "banners / 8": 2 / 8}),
]


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("castle", ["water", "leaf"])
@pytest.mark.parametrize(("pieces", "expected"), COLUMNS)
def test_columns(pieces, expected, castle, seat):
    table = position(columns={castle: pieces}, seat=seat)
    own, other = shown(table, seat, "columns"), shown(table, 1 - seat, "columns")
    empty = {f"{side}, {name}, empty under wizards": 1.0 for side in ("own", "other") for name in BANNERS}
    for numbers, side in ((own, "own"), (other, "other")):
        rest = {label: number for label, number in empty.items() if not label.startswith(f"{side}, {castle}, ")}
        assert numbers == close(rest | {f"{side}, {castle}, {label}": number for label, number in expected.items()})


@pytest.mark.parametrize(
    ("row", "stands_for"), [("bridge, bridge, bridge, bridge, 5", [1, 2, 3, 4]), ("1, bridge, bridge, 4", [2, 3])]
)
def test_rows_of_bridges_in_columns(row, stands_for):
    table = position(columns={"sun": row}, over_the_rainbow=True)
    assert [k for k in (1, 2, 3, 4) if seen(table, 0, f"columns[own, sun, bridge for {k}]")] == stands_for


def test_large_columns_are_shown_as_the_limit():
    pieces = "1, 1, 1, cloud 1, cloud 1, sun 1, 2, 2, cloud 2, 3, 4, 5, wizard, wizard"
    table = position(columns={"water": pieces})
    assert seen(table, 0, "columns[own, water, total / 32]") == 1
    assert seen(table, 0, "columns[own, water, banners / 8]") == 1
    assert (seen(table, 0, "lead[water]"), seen(table, 1, "lead[water]")) == (1, 0)


@pytest.mark.parametrize(
    ("own", "other", "holder", "lead"),
    [
        ("5", "4", 0, 1),
        ("1", "4", 1, -3),
        ("1, 1, 1", "3", 0, 0),
        ("wizard", "1, 2, 3", 1, 0),
        ("3", "cloud 3", 2, 0),
        ("", "", 2, 0),
        ("wizard, wizard", "", 0, 12),
    ],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_holder_and_lead(own, other, holder, lead, seat):
    table = position(columns={"water": own}, other_columns={"water": other}, seat=seat)
    nobody = dict.fromkeys([f"{name}, nobody" for name in BANNERS[1:]], 1)
    across = ("other", "own", "nobody")
    assert shown(table, seat, "holder") == nobody | {f"water, {('own', 'other', 'nobody')[holder]}": 1}
    assert shown(table, 1 - seat, "holder") == nobody | {f"water, {across[holder]}": 1}
    level = dict.fromkeys(BANNERS, 0.5)
    assert shown(table, seat, "lead") == close(level | {"water": 0.5 + lead / 64})
    assert shown(table, 1 - seat, "lead") == close(level | {"water": 0.5 - lead / 64})


SPACES = {"water": "1, 2, 2, 5", "cloud": "4, rainbow castle, 1, 1", "sun": "2, wizard/bridge", "leaf": "3, rainbow castle"}


@pytest.mark.parametrize("seat", [0, 1])
def test_castle_top(seat):
    assert set(shown(position(castles=SPACES), seat, "castle_top")) == {
        "1 from the top, water, 5",
        "2 from the top, water, 2",
        "1 from the top, feather, none",
        "2 from the top, feather, none",
        "1 from the top, cloud, 1",
        "2 from the top, cloud, 1",
        "1 from the top, sun, wizard/bridge",
        "2 from the top, sun, 2",
        "1 from the top, leaf, rainbow castle",
        "2 from the top, leaf, 3",
    }


def test_a_single_card_has_none_under_it():
    assert {"1 from the top, sun, 4", "2 from the top, sun, none"} <= set(
        shown(position(castles={"sun": "4"}), 0, "castle_top")
    )


@pytest.mark.parametrize("seat", [0, 1])
def test_castle_size(seat):
    table = position(castles=SPACES | {"feather": "1, 1, 1, 2, 2, 3, 4, 5, wizard/bridge"})
    assert shown(table, seat, "castle_size") == {"water": 4 / 8, "feather": 1, "cloud": 4 / 8, "sun": 2 / 8, "leaf": 2 / 8}


@pytest.mark.parametrize("seat", [0, 1])
def test_reachable(seat):
    expected = {
        "water, 1": 1 / 3,
        "water, 2": 1,
        "water, 5": 1,
        "cloud, 1": 2 / 3,
        "sun, 2": 1 / 2,
        "sun, wizard/bridge": 1 / 5,
    }
    assert shown(position(castles=SPACES), seat, "reachable") == close(expected)


@pytest.mark.parametrize("seat", [0, 1])
def test_laid(seat):
    table = position(hand="cloud 1")
    assert shown(table, seat, "laid") == {}
    assert shown(play(table, "lay cloud 1"), seat, "laid") == {"cloud": 1}
    assert shown(play(table, "draw from pile"), seat, "laid") == {}


@pytest.mark.parametrize(
    ("parts", "phase"),
    [({}, "action"), ({"draws_due": 2}, "draw"), ({"turned_up": "wizard/bridge"}, "place")],
)
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("mover", [0, 1])
def test_phase_and_to_move(parts, phase, seat, mover):
    table = position(seat=mover, **parts)
    assert shown(table, seat, "phase") == {phase: 1}
    assert seen(table, seat, "to_move") == (seat == mover)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("draws_due", [0, 1, 3, 5])
def test_draws_due(draws_due, seat):
    assert seen(position(draws_due=draws_due, over_the_rainbow=True), seat, "draws_due") == close(draws_due / 5)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("card", ["wizard/bridge", "rainbow castle"])
def test_turned_up(card, seat):
    assert shown(position(turned_up=card), seat, "turned_up") == {card: 1}
    assert shown(position(), seat, "turned_up") == {}


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("size", [1, 20, 37])
def test_pile_size(size, seat):
    assert seen(position(pile_size=size), seat, "pile_size") == close(size / 37)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("turn", "max_turns"), [(0, 300), (30, 300), (7, 8)])
def test_turns(turn, max_turns, seat):
    assert seen(position(turn=turn, max_turns=max_turns), seat, "turns") == close(turn / max_turns)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", ["streamlined", "power of unity", "over the rainbow"])
def test_options(name, seat):
    assert shown(position(**{name.replace(" ", "_"): True}), seat, "options") == {name: 1}
    assert shown(position(), seat, "options") == {}


def test_all_copies_of_a_card_are_shown_as_exactly_one():
    bridges = ", ".join(["wizard/bridge"] * 5)
    table = position(hand=bridges, known=bridges, castles=dict.fromkeys(BANNERS, "1, 1, 1, 2, 2"))
    assert (seen(table, 0, "own_hand[wizard/bridge]"), seen(table, 1, "known_hand[wizard/bridge]")) == (1, 1)
    assert [seen(table, 0, f"reachable[{castle}, {strength}]") for castle in BANNERS for strength in (1, 2)] == [1] * 10
    assert seen(position(castles={"sun": bridges}), 0, "reachable[sun, wizard/bridge]") == 1


def test_the_full_state_is_both_observations_and_the_pile_in_order():
    table = position(pile=["sun 5", "wizard/bridge"], pile_size=4)
    state = table.full_state()
    size = GAME.layout.size
    assert np.array_equal(state[: 2 * size], np.concatenate([table.observe(0), table.observe(1)]))
    hidden = [label for label, number in zip(GAME.hidden.labels(), state[2 * size :], strict=True) if number]
    assert hidden == [f"pile[{depth + 1} from the top, {card}]" for depth, card in enumerate(pile(table))]


def test_a_layout_names_every_number_once():
    labels = GAME.layout.labels()
    assert len(set(labels)) == len(labels) == GAME.layout.size
    assert all(GAME.layout[piece.name].stop - GAME.layout[piece.name].start == piece.size for piece in GAME.layout.pieces)


@pytest.mark.parametrize("options", [{}, {"streamlined": True, "over_the_rainbow": True}])
def test_all_numbers_lie_between_zero_and_one(options):
    for table in random_play(5, 120, **options):
        numbers = table.full_state()
        assert ((numbers >= 0) & (numbers <= 1)).all()
