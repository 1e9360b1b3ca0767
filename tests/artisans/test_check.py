"""Impossible positions are refused: one test for every fault, and for what is derived."""

import pytest

from artisans_env.components import BUILT_IN_EDITION
from artisans_env.constants import Fault
from artisans_env.env import EXAMPLE_EDITION, GAME
from cardtable.audit import audit
from cardtable.engine import loops
from cardtable.errors import StateError

from .positions import fault, legal, open_game, phase, play, put, random_games

pytestmark = pytest.mark.rules


def early():
    """Round 1, the first turn."""
    return open_game(3, ["night_worker", "provident", "opportunist"], seed=2)


def later(artisans=("night_worker", "gold_lover", "opportunist"), months=5):
    """Some rounds on, without crafts: everybody develops what they can."""
    table = open_game(3, list(artisans), seed=2)
    while table.record.round_number < months:
        names = table.legal_actions()
        develop = [name for name in names if name.startswith("develop")]
        rest = [name for name in names if name in ("pass", "take token")]
        play(table, (develop or rest)[0])
    return table


def at_night():
    """The night worker has just crafted."""
    options = {"num_players": 3, "artisans": ["night_worker", "gold_lover", "opportunist"], "edition": EXAMPLE_EDITION}
    return next(
        table for table, _ in zip(random_games(options, games=9), range(9_999), strict=False) if phase(table) == "night"
    )


def over():
    """The end of a game."""
    table = later(months=12)
    while not table.ending:
        play(table, next(name for name in legal(table) if name in ("pass", "take token")))
    return table


def swap(plain, one, other):
    """Two objects change places, wherever they are."""
    for name in ("deck_1", "deck_2", "box"):
        plain[name] = [other if each == one else one if each == other else each for each in plain[name]]
    plain["row"] = {k: other if v == one else one if v == other else v for k, v in plain["row"].items()}


def first_of(plain, name, points):
    return next(each for each in plain[name] if plain["points"][each] == points)


def use_up_hand(plain):
    """Hand cards go to the pile."""
    for material, count in plain["hand"]["player_0"].items():
        plain["pile"] += [material] * count
    plain["hand"]["player_0"], plain["known"]["player_0"] = {}, {}


def overfill_hand(plain):
    card = plain["pile"].pop()
    plain["hand"]["player_0"][card] = plain["hand"]["player_0"].get(card, 0) + 1


def develop_from_pile(plain, material, *levels):
    for level, count in levels:
        for _ in range(count):
            plain["pile"].remove(material)
        plain["developed"]["player_0"][material] = {**plain["developed"]["player_0"][material], f"level {level}": count}


def steal_object(plain, place="place 0"):
    plain["maker"][plain["row"][place]] = "player_0"
    plain["row"][place] = None


def empty_market(plain):
    for slot, material in plain["market"].items():
        plain["discard"][material] = plain["discard"].get(material, 0) + 1
        plain["market"][slot] = None


FIRST_OBJECTS = [
    *("Textile and clay", "Clay and glass", "Stone and gold", "Textile and glass", "Glass and metal"),
    *("Clay and wood", "Wood and metal", "Stone and metal", "Textile and gold", "Stone and glass"),
]
"""A first deck of the example edition."""

SPOILT = [
    (early, lambda p: p.update(first_player="player_3"), Fault.SEAT_DOES_NOT_PLAY),
    (early, lambda p: p.update(seat=3), Fault.SEAT_DOES_NOT_PLAY),
    (
        later,
        lambda p: (steal_object(p), p["maker"].update({next(k for k, v in p["maker"].items() if v): "player_3"})),
        Fault.SEAT_DOES_NOT_PLAY,
    ),
    (early, lambda p: p["required"].update(Mask={"clay": 2}), Fault.EDITION_CANNOT_BE_PLAYED),
    (early, lambda p: p["points"].update(Reliquary=6), Fault.EDITION_CANNOT_BE_PLAYED),
    (early, lambda p: p["pile"].pop(), Fault.MATERIAL_CARDS_ARE_NOT_THE_SET),
    (early, lambda p: p["box"].pop(), Fault.OBJECTS_ARE_NOT_EACH_IN_ONE_PLACE),
    (early, lambda p: p["row"].update({"place 1": p["deck_2"][0]}), Fault.OBJECTS_ARE_NOT_EACH_IN_ONE_PLACE),
    (early, lambda p: swap(p, p["deck_2"][0], first_of(p, "box", 3)), Fault.DECKS_DO_NOT_HAVE_THEIR_POINTS),
    (early, lambda p: swap(p, first_of(p, "deck_2", 7), first_of(p, "deck_1", 3)), Fault.DECKS_DO_NOT_HAVE_THEIR_POINTS),
    (early, lambda p: p.update(round_number=7), Fault.DECKS_ARE_OUT_OF_ORDER),
    (early, lambda p: (p.update(removed=p["deck_1"]), p.update(deck_1=[])), Fault.DECKS_ARE_OUT_OF_ORDER),
    (later, lambda p: p["maker"].update({p["deck_2"].pop(): "player_0"}), Fault.DECKS_ARE_OUT_OF_ORDER),
    (early, lambda p: p["artisan"].update(player_0="provident"), Fault.ARTISANS_ARE_WRONG),
    (early, lambda p: p["artisan"].update(player_0=None), Fault.ARTISANS_ARE_WRONG),
    (early, lambda p: p.update(phase="draft", seat=0), Fault.ARTISANS_ARE_WRONG),
    (early, overfill_hand, Fault.HAND_SIZES_ARE_WRONG),
    (early, use_up_hand, Fault.HAND_SIZES_ARE_WRONG),
    (early, lambda p: p["known"]["player_0"].update(textile=6), Fault.KNOWN_CARDS_ARE_NOT_IN_HAND),
    (early, lambda p: develop_from_pile(p, "metal", (1, 1)), Fault.DEVELOPED_CARDS_CANNOT_ARISE),
    (later, lambda p: develop_from_pile(p, "metal", (3, 1)), Fault.DEVELOPED_CARDS_CANNOT_ARISE),
    (
        later,
        lambda p: (p["developed"]["player_0"].update(metal={}), develop_from_pile(p, "metal", (1, 1), (2, 2))),
        Fault.DEVELOPED_CARDS_CANNOT_ARISE,
    ),
    (early, steal_object, Fault.OBJECTS_COULD_NOT_BE_CRAFTED),
    (later, lambda p: p["crafted"].update(player_0=True), Fault.OBJECTS_COULD_NOT_BE_CRAFTED),
    (later, steal_object, Fault.OBJECTS_COULD_NOT_BE_CRAFTED),  # without its levels
    (later, lambda p: (p.update(reserved=p["row"]["place 0"]), p["row"].update({"place 0": None})), Fault.RESERVE_IS_WRONG),
    (
        early,
        lambda p: (p.update(phase="reserve", reserved=p["row"]["place 0"]), p["row"].update({"place 0": None})),
        Fault.RESERVE_IS_WRONG,
    ),
    (
        lambda: play(open_game(3, "draft"), "choose provident"),
        lambda p: (p.update(reserved=p["row"]["place 0"]), p["row"].update({"place 0": None})),
        Fault.RESERVE_IS_WRONG,
    ),
    (early, empty_market, Fault.MARKET_IS_WRONG),
    (early, lambda p: p.update(phase="develop", token_taken=True), Fault.MARKET_IS_WRONG),
    (early, lambda p: p["visits"].update(player_1=13), Fault.DECISION_CANNOT_ARISE),
    (early, lambda p: p["visits"].update(player_1=1), Fault.DECISION_CANNOT_ARISE),
    (early, lambda p: p.update(token_taken=True), Fault.DECISION_CANNOT_ARISE),
    (early, lambda p: p.update(seat=0), Fault.DECISION_CANNOT_ARISE),
    (later, lambda p: p.update(phase="night", seat=1), Fault.DECISION_CANNOT_ARISE),
    (later, lambda p: p.update(phase="night", seat=0, first_player="player_0", token_taken=True), Fault.DECISION_CANNOT_ARISE),
    (at_night, lambda p: p["visits"].update(player_0=1), Fault.DECISION_CANNOT_ARISE),
    (later, lambda p: p.update(phase="last"), Fault.DECISION_CANNOT_ARISE),
    (over, lambda p: p.update(seat=(p["seat"] + 1) % 3), Fault.DECISION_CANNOT_ARISE),
    (over, lambda p: p.update(first_player=f"player_{(p['seat'] + 2) % 3}"), Fault.DECISION_CANNOT_ARISE),
    (later, lambda p: p.update(phase="second", seat=1, first_player="player_0", token_taken=True), Fault.DECISION_CANNOT_ARISE),
    (later, lambda p: (empty_market(p), p.update(phase="finish", token_taken=True)), Fault.DECISION_CANNOT_ARISE),
    (later, lambda p: (empty_market(p), p.update(phase="develop")), Fault.DECISION_CANNOT_ARISE),
]


@pytest.mark.parametrize(("start", "change", "expected"), SPOILT, ids=[f"{n}-{case[2].name}" for n, case in enumerate(SPOILT)])
def test_impossible_positions_are_refused(start, change, expected):
    table = start()
    assert fault(table) == "NONE"
    plain, before = table.state_dict(), table.state_bytes()
    change(plain)
    assert fault(put(start(), plain)) == expected.name
    with pytest.raises(StateError, match=f"{expected.name.lower().replace('_', ' ')}|this table plays"):
        table.load_state_dict(plain)
    assert table.state_bytes() == before


def test_a_draft_stands_in_round_1_only():
    table = open_game(2, "draft")
    plain = table.state_dict()
    plain["first_player"] = "player_1"
    assert fault(put(table, plain)) == "DECISION_CANNOT_ARISE"


def test_crafts_in_the_first_rounds_are_refused():
    """Even if the levels are there."""
    table = open_game(deal={"deck_1": FIRST_OBJECTS}, edition=EXAMPLE_EDITION)
    play(table, "take token", "pass", "pass", "pass", "take token", "pass", "pass")
    plain = table.state_dict()
    develop_from_pile(plain, "textile", (1, 1))
    develop_from_pile(plain, "clay", (1, 1))
    assert fault(put(table, plain)) == "NONE"
    steal_object(plain)
    plain["crafted"]["player_0"] = True
    assert fault(put(table, plain)) == "DECISION_CANNOT_ARISE"


DERIVED = [
    ("hand_size", (1,), "COUNTS_ARE_NOT_THE_CARDS"),
    ("pile_count", (3,), "COUNTS_ARE_NOT_THE_CARDS"),
    ("deck_points", (1, 2), "COUNTS_ARE_NOT_THE_CARDS"),
    ("level", (0, 4), "COUNTS_ARE_NOT_THE_CARDS"),
    ("uses", (2, 1), "COUNTS_ARE_NOT_THE_CARDS"),
    ("object_count", (1,), "COUNTS_ARE_NOT_THE_CARDS"),
    ("level_points", (0,), "SCORES_ARE_NOT_THE_CARDS"),
    ("object_points", (0,), "SCORES_ARE_NOT_THE_CARDS"),
    ("bonus", (2,), "SCORES_ARE_NOT_THE_CARDS"),
    ("lacking", (0, 5), "LACKS_ARE_NOT_THE_LEVELS"),
]


@pytest.mark.parametrize(("name", "place", "expected"), DERIVED, ids=[case[0] for case in DERIVED])
def test_a_derived_field_that_does_not_follow_is_found(name, place, expected):
    table = later()
    table.record[name][place] += 1
    assert fault(table) == expected
    loops.derive_one(table._games)
    assert fault(table) == "NONE"


def test_every_derived_field_is_tried():
    assert {name for name, *_ in DERIVED} == {field.name for field in GAME.state.fields if field.derived}


@pytest.mark.parametrize("name", [field.name for field in GAME.state.fields if field.axes and field.axes[0][0] == "player_0"])
def test_nothing_is_said_of_seats_that_do_not_play(name):
    table = open_game(3)
    table.record[name][(3, *[0] * (table.record[name].ndim - 1))] = 1
    assert fault(table) == "SEAT_DOES_NOT_PLAY"


def test_derive_fills_in_all_that_play_keeps_up_to_date():
    table = later(months=9)
    before = table.state_bytes()
    for field in GAME.state.fields:
        if field.derived:
            table.record[field.name][...] = 0
    loops.derive_one(table._games)
    assert table.state_bytes() == before


@pytest.mark.parametrize("number", range(len(GAME.variants)))
def test_random_games_reach_possible_positions_only(number):
    *_, total = audit(GAME, GAME.variants[number], games=1, seed=5)
    assert total.games == 1
    assert total.clauses["ART-6.2"] == 1


def test_object_cards_are_conserved_in_play():
    table = later(months=12)
    plain = table.state_dict()
    lists = [plain["deck_1"], plain["deck_2"], plain["box"], plain["removed"], plain["row"].values()]
    names = [name for cards in lists for name in cards if name] + [name for name, maker in plain["maker"].items() if maker]
    assert sorted(names) == sorted(BUILT_IN_EDITION.names())
