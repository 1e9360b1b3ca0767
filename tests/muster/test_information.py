"""MUS-8: what is hidden, what is public, what all remember."""

from collections import Counter

import numpy as np
import pytest
from helpers import check_forgetting, variant_id

from .positions import BANNERS, GAME, all_cards, castle_space, hand, known, offered, pile, plain_position, play, position, seen

pytestmark = pytest.mark.rules


def changed(**parts):
    """The same position twice: as it is, and with the other's unknown cards and the pile exchanged and turned round."""
    table, twin = position(**parts), position(**parts)
    state = twin.state_dict()
    seat = state["seat"]
    unknown = hand(table, 1 - seat) - known(table, 1 - seat)
    drawn = state["pile"][: unknown.total()]
    state["hand"][f"player_{1 - seat}"] = dict(known(table, 1 - seat) + Counter(drawn))
    state["pile"] = (list(unknown.elements()) + state["pile"][len(drawn) :])[::-1]
    twin.load_state_dict(state)
    return table, twin


MIDDLE = {
    "hand": "water 1, sun 2, wizard/bridge, rainbow castle, leaf 1",
    "other_hand": "water 1, cloud 2, wizard/bridge",
    "other_known": "cloud 2, wizard/bridge",
    "columns": {"water": "1, 2, wizard"},
    "other_columns": {"sun": "1, bridge, 3"},
    "castles": {"cloud": "1, rainbow castle, 1", "leaf": "3"},
}


@pytest.mark.clause("MUS-8.1")
@pytest.mark.parametrize("seat", [0, 1])
def test_the_other_hand_and_the_pile_are_hidden(seat):
    table, twin = changed(seat=seat, **MIDDLE)
    assert table.state_dict() != twin.state_dict()
    assert hand(table, 1 - seat) != hand(twin, 1 - seat)
    assert np.array_equal(table.observe(seat), twin.observe(seat))
    assert table.legal_actions() == twin.legal_actions()
    assert table.text(seat) == twin.text(seat)


@pytest.mark.clause("MUS-8.1")
@pytest.mark.parametrize("seat", [0, 1])
def test_the_order_of_the_pile_is_hidden_from_both(seat):
    table, twin = position(**MIDDLE), position(**MIDDLE)
    state = twin.state_dict()
    twin.load_state_dict({**state, "pile": state["pile"][::-1]})
    assert np.array_equal(table.observe(seat), twin.observe(seat))
    assert not np.array_equal(table.full_state(), twin.full_state())


@pytest.mark.clause("MUS-8.1")
def test_a_card_drawn_from_the_pile_is_unseen_by_the_other():
    tables = [position(hand="sun 1", pile=[card]) for card in ("water 5", "cloud 5")]
    for table in tables:
        play(table, "play sun 1 at sun", "draw from pile")
    assert np.array_equal(tables[0].observe(1), tables[1].observe(1))
    assert not np.array_equal(tables[0].observe(0), tables[1].observe(0))
    assert known(tables[0], 0) == Counter()


@pytest.mark.clause("MUS-8.1")
@pytest.mark.parametrize("seat", [0, 1])
def test_columns_castle_spaces_and_the_size_of_the_pile_are_public(seat):
    table = position(**MIDDLE)
    side, across = ("own", "other") if seat == 0 else ("other", "own")
    assert seen(table, seat, f"columns[{side}, water, total / 32]") == 9 / 32
    assert seen(table, seat, f"columns[{across}, sun, bridge for 2]") == 1
    assert seen(table, seat, "castle_top[1 from the top, cloud, 1]") == 1
    assert seen(table, seat, "castle_top[2 from the top, cloud, rainbow castle]") == 1
    assert seen(table, seat, "castle_top[1 from the top, leaf, 3]") == 1
    assert seen(table, seat, "pile_size") == pytest.approx(len(pile(table)) / 37)


@pytest.mark.clause("MUS-8.1")
@pytest.mark.parametrize("seat", [0, 1])
def test_the_draws_still_due_are_public_and_tell_the_sizes_of_hands(seat):
    table = play(position(hand="wizard/bridge, water 2"), "bridge to water 2 at water")
    assert seen(table, seat, "draws_due") == pytest.approx(2 / 5)
    assert seen(table, seat, "to_move") == (seat == 0)


@pytest.mark.clause("MUS-8.2")
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("card", ["2", "wizard/bridge"])
def test_a_card_drawn_from_a_castle_space_becomes_known(card, seat):
    table = position(hand="sun 1", castles={"water": card}, seat=seat)
    play(table, "play sun 1 at sun", "draw from water")
    name = "water 2" if card == "2" else card
    assert (known(table, seat), known(table, 1 - seat)) == (Counter([name]), Counter())


@pytest.mark.clause("MUS-8.2")
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("side", "pieces"), [("own", "1, wizard"), ("other", "1, wizard"), ("other", "1, bridge, 3")])
def test_a_card_swapped_in_becomes_known(side, pieces, seat):
    columns = {"columns" if side == "own" else "other_columns": {"water": pieces}}
    table = position(hand="water 2, wizard/bridge", seat=seat, **columns)
    play(table, f"swap water 2 into {side} water")
    assert (known(table, seat), known(table, 1 - seat)) == (Counter(["wizard/bridge"]), Counter())


LEAVING = [
    ("play water 2 at water", ["water 2"]),
    ("wizard at sun", ["wizard/bridge"]),
    ("lay water 2", ["water 2"]),
    ("lay wizard/bridge on sun", ["wizard/bridge"]),
    ("bridge to water 2 at water", ["water 2", "wizard/bridge"]),
]


@pytest.mark.clause("MUS-8.2")
@pytest.mark.parametrize(("action", "gone"), LEAVING)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_known_card_that_leaves_is_no_longer_known(action, gone, seat):
    held = "water 2, water 2, wizard/bridge, wizard/bridge, cloud 1"
    table = play(position(hand=held, known=held, other_known="leaf 5", other_hand="leaf 5", seat=seat), action)
    assert known(table, seat) == Counter(held.split(", ")) - Counter(gone)
    assert known(table, 1 - seat) == Counter(["leaf 5"])


@pytest.mark.clause("MUS-8.2")
@pytest.mark.parametrize(("action", "gone"), LEAVING)
def test_a_card_that_leaves_counts_as_the_known_one(action, gone):
    held = "water 2, water 2, wizard/bridge, wizard/bridge, cloud 1"
    table = play(position(hand=held, known="water 2, wizard/bridge, cloud 1"), action)
    assert known(table, 0) == Counter(["water 2", "wizard/bridge", "cloud 1"]) - Counter(gone)


@pytest.mark.clause("MUS-8.2")
@pytest.mark.parametrize(("action", "gone"), LEAVING)
def test_a_known_count_does_not_fall_below_zero(action, gone):
    table = play(position(hand="water 2, wizard/bridge, cloud 1", known="cloud 1"), action)
    assert known(table, 0) == Counter(["cloud 1"])
    assert [seen(table, 1, f"known_hand[{card}]") for card in gone] == [0] * len(gone)


@pytest.mark.clause("MUS-8.2")
def test_a_rainbow_castle_that_leaves_does_not_fall_below_zero():
    table = play(position(hand="rainbow castle, rainbow castle, sun 1", known="sun 1"), "lay rainbow castle on water")
    assert known(table, 0) == Counter(["sun 1"])


@pytest.mark.clause("MUS-8.2")
@pytest.mark.parametrize("known_before", ["water 2", ""])
def test_a_known_card_swapped_out_is_no_longer_known(known_before):
    table = position(hand="water 2, sun 1", known=known_before, columns={"water": "1, wizard"})
    play(table, "swap water 2 into own water")
    assert known(table, 0) == Counter(["wizard/bridge"])


@pytest.mark.clause("MUS-8.2", "MUS-7.3")
@pytest.mark.parametrize(("held", "known_before", "known_after"), [(4, 4, 1), (4, 3, 0), (4, 2, 0), (3, 1, 0)])
def test_each_bridge_of_a_row_leaves_on_its_own(held, known_before, known_after):
    bridges = ["wizard/bridge"] * held
    cards = ", ".join([*bridges, "water 4"])
    table = position(hand=cards, known=", ".join(bridges[:known_before]), over_the_rainbow=True)
    play(table, "bridge to water 4 at water")
    assert known(table, 0)["wizard/bridge"] == known_after


@pytest.mark.clause("MUS-8.2")
def test_moving_a_wizard_changes_nothing_known():
    table = position(hand="wizard/bridge", known="wizard/bridge", columns={"sun": "wizard"})
    play(table, "move wizard from sun to leaf")
    assert (known(table, 0), known(table, 1)) == (Counter(["wizard/bridge"]), Counter())


@pytest.mark.clause("MUS-8.2")
@pytest.mark.parametrize("seat", [0, 1])
def test_the_observation_carries_the_known_cards_of_the_other_hand(seat):
    own_cards, other_cards = "water 1, water 1, cloud 5", "wizard/bridge, sun 2"
    table = position(hand=own_cards, known=own_cards, other_hand=other_cards, other_known=other_cards, seat=seat)
    shown = dict(zip(GAME.layout.labels(), table.observe(1 - seat), strict=True))
    numbers = {label: float(number) for label, number in shown.items() if label.startswith("known_hand") and number}
    assert numbers == {"known_hand[water 1]": pytest.approx(2 / 3), "known_hand[cloud 5]": 1}
    shown = dict(zip(GAME.layout.labels(), table.observe(seat), strict=True))
    numbers = {label: float(number) for label, number in shown.items() if label.startswith("known_hand") and number}
    assert numbers == {"known_hand[sun 2]": 0.5, "known_hand[wizard/bridge]": pytest.approx(1 / 5)}


# ---- Redealing what a seat cannot know

HIDDEN_FIELDS = ("seed", "index", "rng", "hand", "pile")


def public(table):
    """All of a state but what a redeal may change."""
    return {name: value for name, value in table.state_dict().items() if name not in HIDDEN_FIELDS}


REDEALT = [
    pytest.param(MIDDLE, [], id="action"),
    pytest.param({"hand": "wizard/bridge, water 2, sun 1"}, ["bridge to water 2 at water", "draw from pile"], id="mid-refill"),
    pytest.param({"columns": {"sun": "wizard"}, "pile": ["rainbow castle"]}, ["move wizard from sun to leaf"], id="turned up"),
    pytest.param({"hand": "water 1", "castles": {"sun": "1"}}, ["lay water 1"], id="laid"),
]


@pytest.mark.clause("MUS-8.1", "MUS-8.2")
@pytest.mark.parametrize("mover", [0, 1])
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("parts", "acts"), REDEALT)
def test_a_redeal_keeps_all_that_the_seat_knows(parts, acts, seat, mover):
    table = play(position(seat=mover, **parts), *acts)
    before, deck = table.state_dict(), all_cards(table)
    for seed in range(5):
        copy = table.redeal(seat, seed)
        assert public(copy) == public(table)
        assert hand(copy, seat) == hand(table, seat)
        assert hand(copy, 1 - seat).total() == hand(table, 1 - seat).total()
        assert known(table, 1 - seat) <= hand(copy, 1 - seat)
        assert all_cards(copy) == deck
        assert np.array_equal(copy.observe(seat), table.observe(seat))
        position(seat=mover, **parts).load_state_dict(copy.state_dict())
    assert table.state_dict() == before


@pytest.mark.clause("MUS-8.1")
@pytest.mark.parametrize(
    "phase", [{}, {"draws_due": 1, "hand": "water 1, sun 1"}, {"turned_up": "wizard/bridge"}], ids=["action", "draw", "place"]
)
@pytest.mark.parametrize("mover", [0, 1])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_redeal_gives_every_unseen_card_a_chance_in_every_hidden_place(seat, mover, phase):
    table = position(**(MIDDLE | {"seat": mover} | phase))
    unseen = set((hand(table, 1 - seat) - known(table, 1 - seat)) + Counter(pile(table)))
    copies = [table.redeal(seat, seed) for seed in range(80)]
    assert {card for copy in copies for card in hand(copy, 1 - seat) - known(copy, 1 - seat)} == unseen
    assert {card for copy in copies for card in pile(copy)[:8]} == unseen
    assert {card for copy in copies for card in pile(copy)[-8:]} == unseen


@pytest.mark.clause("MUS-8.2")
def test_a_hand_known_in_full_is_not_redealt():
    cards = "water 1, water 2, cloud 2, wizard/bridge, wizard/bridge"
    table = position(other_hand=cards, other_known=cards)
    copies = [table.redeal(0, seed) for seed in range(20)]
    assert all(hand(copy, 1) == hand(table, 1) for copy in copies)
    assert len({tuple(pile(copy)) for copy in copies}) == 20


@pytest.mark.clause("MUS-8.1")
def test_a_redeal_follows_its_seed():
    table = position(**MIDDLE)
    states = [table.redeal(0, seed).state_dict() for seed in (4, 4, 5)]
    assert states[0] == states[1] != states[2]


@pytest.mark.clause("MUS-8.1")
def test_a_redealt_game_plays_on():
    table = play(position(hand="water 1", castles={"sun": "1"}), "lay water 1").redeal(1, 3)
    assert table.legal_actions() == ["draw from pile", "draw from sun"]
    top = pile(table)[0]
    play(table, "draw from pile")
    assert hand(table, 0)[top] >= 1


@pytest.mark.clause("MUS-8.1")
def test_castle_spaces_are_kept_in_full_and_in_order():
    spaces = dict.fromkeys(BANNERS, "1, 2, 3, 1")
    table = position(castles=spaces)
    assert all(castle_space(table.redeal(0, 1), castle) == [f"{castle} {k}" for k in (1, 2, 3, 1)] for castle in BANNERS)
    assert plain_position(castles=spaces)["castle"] == table.state_dict()["castle"]
    assert offered(table, "draw") == []


# ---- Forgetting


@pytest.mark.rules
@pytest.mark.clause("MUS-8.1")
@pytest.mark.parametrize("options", GAME.variants, ids=variant_id)
def test_what_a_seat_cannot_know_is_forgotten_and_nothing_else(options):
    """Positions that a seat cannot tell apart become the same record, a position in which it sees what it saw."""
    assert check_forgetting(GAME, dict(options), games=2, apart=9) >= 10
