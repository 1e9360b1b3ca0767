"""States that no game could reach are refused, saying why."""

from pathlib import Path

import numpy as np
import pytest

from cardtable.errors import StateError
from muster_env.constants import Fault

from .positions import GAME, fresh, plain_position, play, position

pytestmark = pytest.mark.rules


def refused(state, **options):
    """Why a state is refused."""
    table = fresh(**options)
    before = table.state_dict()
    with pytest.raises(StateError) as error:
        table.load_state_dict(state)
    assert table.state_dict() == before
    return str(error.value)


def with_more(path, card):
    """A dealt state with one card more somewhere."""
    state = plain_position()
    place = state
    for step in path:
        place = place[step]
    if isinstance(place, list):
        place.append(card)
    else:
        place[card] = place.get(card, 0) + 1
    return state


@pytest.mark.clause("MUS-1.5")
@pytest.mark.parametrize(
    ("path", "card"),
    [
        (["pile"], "water 1"),
        (["castle", "water"], "water 1"),
        (["castle", "sun"], "rainbow castle"),
        (["column", "player_0", "sun"], "water 1"),
        (["column", "player_1", "leaf"], "bridge"),
        (["hand", "player_1"], "wizard/bridge"),
        (["wizards", "player_1"], "sun"),
    ],
)
def test_a_card_too_many(path, card):
    assert "cards are not the deck" in refused(with_more(path, card))


@pytest.mark.clause("MUS-1.5")
def test_a_card_too_few():
    state = plain_position()
    state["pile"].pop()
    assert "cards are not the deck" in refused(state)


@pytest.mark.clause("MUS-1.5")
def test_a_turned_up_card_too_many():
    assert "cards are not the deck" in refused({**plain_position(), "turned_up": "rainbow castle"})


@pytest.mark.clause("MUS-1.1")
@pytest.mark.parametrize("seat", [2, 3])
def test_a_seat_that_does_not_play(seat):
    assert "seat does not play" in refused({**plain_position(), "seat": seat})


@pytest.mark.clause("MUS-6.5")
@pytest.mark.parametrize(
    "parts",
    [
        {"turn": 301},
        {"turn": 300_000},
        {"turn": 9, "max_turns": 8},
        {"turn": 8, "max_turns": 8, "draws_due": 1},
        {"turn": 8, "max_turns": 8, "turned_up": "wizard/bridge"},
    ],
)
def test_turns_beyond_the_last(parts):
    options = {name: value for name, value in parts.items() if name == "max_turns"}
    assert "turn is beyond the last" in refused(plain_position(pile_size=9, **parts), **options)


@pytest.mark.clause("MUS-6.5")
def test_the_last_turn_completed_is_a_position():
    assert position(turn=8, max_turns=8).ending.name == "TRUNCATED"


@pytest.mark.clause("MUS-2.1", "MUS-3.1")
@pytest.mark.parametrize(("seat", "turn"), [(0, 1), (1, 0), (1, 298)])
def test_a_seat_whose_turn_it_is_not(seat, turn):
    assert "seat is not whose turn it is" in refused(plain_position(seat=seat, turn=turn))


@pytest.mark.clause("MUS-2.1")
@pytest.mark.parametrize(("draws", "options"), [(1, {}), (5, {"over_the_rainbow": True})])
def test_a_pile_that_has_more_cards_than_after_the_deal(draws, options):
    """The hand is short of cards that lie nowhere else."""
    state = plain_position(draws_due=draws, **options)
    state["pile"] += [card for space in state["castle"].values() for card in space]
    state["castle"] = {castle: [] for castle in state["castle"]}
    assert "pile is larger than at the start" in refused(state, **options)


@pytest.mark.clause("MUS-5.4", "MUS-7.3")
def test_more_draws_than_follow_one_bridge():
    parts = {"draws_due": 3, "pile_size": 20}
    assert "more draws are due than a bridge demands" in refused(plain_position(**parts))
    assert position(over_the_rainbow=True, **parts).legal_actions()


@pytest.mark.clause("MUS-5.2")
@pytest.mark.parametrize("parts", [{"known": "rainbow castle"}, {"other_known": "rainbow castle"}])
def test_a_rainbow_castle_that_all_have_seen_on_its_way_to_a_hand(parts):
    hands = {"hand": "rainbow castle", "other_hand": "rainbow castle"}
    assert "known rainbow castle was never drawn" in refused(plain_position(**hands, **parts))


def test_a_length_from_which_play_could_not_be_counted():
    assert "length" in refused({**plain_position(), "length": 2**31 - 1})


@pytest.mark.clause("MUS-3.1")
@pytest.mark.parametrize("change", [{"draws_due": 1}, {"draws_due": 2}])
def test_hands_without_the_draws_that_are_due(change):
    assert "hand sizes are wrong" in refused({**plain_position(), **change})


@pytest.mark.clause("MUS-3.1")
def test_a_hand_that_is_short_without_draws_due():
    assert "hand sizes are wrong" in refused({**plain_position(draws_due=2), "draws_due": 0})


@pytest.mark.clause("MUS-3.1")
def test_the_hand_of_who_does_not_move_is_never_short():
    assert "hand sizes are wrong" in refused({**plain_position(draws_due=2), "seat": 1, "turn": 1})


@pytest.mark.clause("MUS-4.3c")
def test_draws_due_while_a_card_is_turned_up():
    assert "hand sizes are wrong" in refused(plain_position(draws_due=1, turned_up="wizard/bridge"))


@pytest.mark.clause("MUS-8.2")
@pytest.mark.parametrize("side", ["player_0", "player_1"])
def test_known_cards_that_are_not_in_hand(side):
    state = plain_position(hand="water 1, water 1", other_hand="water 1")
    state["known"][side] = {"water 1": 3}
    assert "known cards are not in hand" in refused(state)


@pytest.mark.clause("MUS-4.3b")
def test_a_banner_card_does_not_wait_to_be_placed():
    assert "turned up card is no rainbow card" in refused(plain_position(turned_up="water 1"))


@pytest.mark.clause("MUS-4.4")
def test_a_castle_space_with_another_banner():
    assert "castle space holds another banner" in refused(plain_position(castles={"sun": "water 1"}))


@pytest.mark.clause("MUS-4.4a")
@pytest.mark.parametrize(
    "parts",
    [
        {"laid": "sun"},
        {"laid": "sun", "draws_due": 1, "castles": {"water": "1"}},
        {"laid": "sun", "castles": {"sun": "1"}},
        {"laid": "sun", "draws_due": 2, "castles": {"sun": "1"}},
        {"laid": "sun", "turned_up": "wizard/bridge", "castles": {"sun": "1"}},
    ],
)
def test_a_laid_card_that_is_not_there_or_not_of_this_turn(parts):
    assert "laid card is not there" in refused(plain_position(**parts))


@pytest.mark.clause("MUS-4.4a")
def test_a_laid_card_that_is_there():
    assert position(laid="sun", draws_due=1, castles={"sun": "1"}).legal_actions() == ["draw from pile"]


@pytest.mark.clause("MUS-4.1c", "MUS-4.1d", "MUS-4.5a", "MUS-4.5b", "MUS-4.5c", "MUS-7.2", "MUS-7.3")
@pytest.mark.parametrize("side", ["columns", "other_columns"])
@pytest.mark.parametrize(
    ("pieces", "options"),
    [
        ("2, 1", {}),
        ("1, 3", {}),
        ("2, 4", {}),
        ("bridge", {}),
        ("1, bridge", {}),
        ("bridge, 1", {}),
        ("bridge, 3", {}),
        ("1, bridge, 2", {}),
        ("1, bridge, 4", {}),
        ("5, bridge", {}),
        ("2", {"power_of_unity": True}),
        ("bridge, 3", {"power_of_unity": True}),
        ("3, 2", {"streamlined": True}),
        ("1, bridge, 4", {"streamlined": True}),
        ("1, bridge, bridge, 4", {}),
        ("bridge, bridge, 4", {"over_the_rainbow": True}),
        ("4, 5, bridge, bridge, bridge", {"over_the_rainbow": True}),
    ],
)
def test_a_column_that_cannot_arise(pieces, options, side):
    assert "column cannot arise" in refused(plain_position(**{side: {"water": pieces}}, **options), **options)


@pytest.mark.clause("MUS-4.1", "MUS-7.1", "MUS-7.2", "MUS-7.3")
@pytest.mark.parametrize(
    ("pieces", "options"),
    [
        ("1, 1, 2, 3, 4, 5", {}),
        ("5, wizard", {}),
        ("bridge, 2, bridge, 4", {}),
        ("1, 3, 5", {"streamlined": True}),
        ("1, 2", {"power_of_unity": True}),
        ("bridge, 2", {"power_of_unity": True}),
        ("bridge, bridge, bridge, bridge, 5", {"over_the_rainbow": True, "power_of_unity": True}),
    ],
)
def test_a_column_that_can_arise(pieces, options):
    assert position(columns={"water": pieces}, **options).legal_actions()


@pytest.mark.clause("MUS-7.4")
def test_a_state_of_other_options():
    assert "streamlined" in refused(plain_position(), streamlined=True)


@pytest.mark.parametrize(
    ("field", "fault"),
    [
        ("pile_count", Fault.PILE_COUNT_IS_NOT_THE_PILE),
        ("top", Fault.TOP_IS_NOT_THE_COLUMN),
        ("castle_top", Fault.TOP_IS_NOT_THE_CASTLE_SPACE),
        ("castle_second", Fault.TOP_IS_NOT_THE_CASTLE_SPACE),
        ("reachable", Fault.REACHABLE_IS_NOT_THE_CASTLE_SPACE),
        ("standing", Fault.STANDING_IS_NOT_THE_COLUMN),
        ("bridges", Fault.BRIDGES_ARE_NOT_THE_COLUMN),
    ],
)
def test_bytes_whose_derived_fields_do_not_follow(field, fault):
    table = position(columns={"water": "1, bridge, 3"})
    data = table.state_bytes()
    start = len(GAME.state_header)
    records = np.frombuffer(data[start : start + GAME.state.dtype.itemsize], GAME.state.dtype).copy()
    table.load_state_bytes(GAME.pack(records))
    records[0][field].flat[0] += 1
    with pytest.raises(StateError, match=fault.name.lower().replace("_", " ")):
        table.load_state_bytes(GAME.pack(records))


@pytest.mark.parametrize(
    "acts",
    [
        ["bridge to water 2 at water", "draw from pile", "draw from sun"],
        ["swap cloud 1 into own cloud"],
        ["move wizard from cloud to leaf", "place on sun"],
        ["lay cloud 1", "draw from sun"],
    ],
)
def test_bytes_after_play_are_those_of_the_same_state_loaded(acts):
    parts = {"hand": "wizard/bridge, water 2, cloud 1", "columns": {"cloud": "wizard"}, "castles": {"sun": "1, 2"}}
    table = play(position(pile=["rainbow castle"], **parts), *acts)
    again = position(**parts)
    again.load_state_dict(table.state_dict())
    assert again.state_bytes() == table.state_bytes()


def test_every_fault_has_a_test():
    source = Path(__file__).read_text(encoding="utf-8")
    named = [fault for fault in Fault if fault.name in source or fault.name.lower().replace("_", " ") in source]
    assert set(Fault) - set(named) <= {Fault.NONE}
