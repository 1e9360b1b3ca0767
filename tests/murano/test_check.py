"""Impossible positions are refused: tests for every fault, and for what is derived."""

import pytest

from cardtable.audit import audit
from cardtable.engine import loops
from cardtable.errors import StateError
from murano_env.constants import Fault
from murano_env.env import GAME

from .positions import STEPS, USE, by_block, fault, open_game, phase, play, position, put, random_games, with_card

pytestmark = pytest.mark.rules


# ---- Tables to begin with


def fresh():
    return open_game(3, advantages=[10, 12, 8, 4])


def taken():
    return position(players=3, step="taken", benches={0: "RRG", 1: "B"}, advantages=[10, 12, 8, 4])


def negotiated():
    return position(players=3, step="negotiated", benches={0: "RRG"}, works={0: ["Vase"]}, advantages=[10, 12, 8, 4])


def drafting():
    table = open_game(3, draft=True)
    for _ in range(4):
        play(table, table.legal_actions()[0])
    return table


def drafted():
    table = drafting()
    while phase(table) == "draft":
        play(table, table.legal_actions()[0])
    return table


def solo():
    return position(players=1, round_number=3, step="taken", benches={0: "R"})


def grandmaster():
    return position(players=2, grandmaster=True, round_number=4, turn=1)


def over():
    return position(step="negotiated", turn=1, left={0: 0}, state={"phase": "over"})


def returning():
    return play(position(step="turned", benches={0: "RRRRGGGG"}), "take pair")


def replacing():
    table = position(step="turned", benches={1: "RRRRRRRR"}, markets=("RR", "", "", ""))
    return play(table, "take pair")


def picking():
    return using(5, "exchange red at market 0")()


def late_grandmaster():
    return position(players=2, grandmaster=True, round_number=7, turn=1)


def finished():
    return position(players=2, step="negotiated", turn=0, left={0: 0})


def challenged():
    """A Challenge card asks which of the fullest markets is emptied."""
    stack = ["ring", "market", "red", "blue", "selector", "nothing"]
    return play(position(players=1, round_number=2, step="negotiated", challenge=stack), "end turn")


def selling():
    return play(position(step="taken", benches={0: "RRG"}, advantages=[10, 12, 8, 5]), "sell red")


def using(card, *actions, **parts):
    """A card has just been used."""

    def start():
        return play(with_card(card, **{"benches": {0: "RT", 1: "G"}, "step": "taken", **parts}), USE, *actions)

    return start


# ---- Ways to spoil them


def move(plain, place, kind, number=1):
    """Shards go from the Warehouse to another place."""
    plain["warehouse"][kind] -= number
    place[kind] = place.get(kind, 0) + number


def make_transparent(plain, market):
    """A transparent shard takes the place of the only one of a market."""
    (kind,) = market
    move(plain, market, kind, -1)
    del market[kind]
    move(plain, market, "transparent")


def swap_revealed(plain):
    """Another Challenge card was the last to be revealed."""
    plain["revealed"][-1], plain["challenge"][-1] = plain["challenge"][-1], plain["revealed"][-1]


def swap_cards(plain, one, other):
    """Two lists of cards exchange their last cards."""
    one.append(other.pop())
    other.append(one.pop(-2))


SPOILT = [
    (fresh, lambda p: p.update(seat=3), Fault.SEAT_DOES_NOT_PLAY),
    (fresh, lambda p: p.update(turn="player_3"), Fault.SEAT_DOES_NOT_PLAY),
    (grandmaster, lambda p: p.update(owl="player_2"), Fault.SEAT_DOES_NOT_PLAY),
    (fresh, lambda p: p["recipe"].update(Vase={"red": 3}), Fault.EDITION_CANNOT_BE_PLAYED),
    (fresh, lambda p: p["category"].update(Vase={}), Fault.EDITION_CANNOT_BE_PLAYED),
    (fresh, lambda p: p["category"].update(Vase={"art": 1, "jewels": 1, "animals": 1}), Fault.EDITION_CANNOT_BE_PLAYED),
    (fresh, lambda p: p["warehouse"].update(red=3), Fault.SHARDS_ARE_NOT_THE_SET),
    (fresh, lambda p: p["warehouse"].update(transparent=7), Fault.SHARDS_ARE_NOT_THE_SET),
    (taken, lambda p: p["bench"]["player_2"].update(red=1), Fault.SHARDS_ARE_NOT_THE_SET),
    (fresh, lambda p: p.update(first_shards=["red"]), Fault.SHARDS_ARE_NOT_THE_SET),
    (taken, lambda p: move(p, p["market"]["market 0"], "transparent", 3), Fault.COUNTS_ARE_NOT_THE_SHARDS),  # four in a market
    (taken, lambda p: move(p, p["bench"]["player_0"], "transparent", 6), Fault.WORKBENCH_IS_TOO_FULL),
    (taken, lambda p: move(p, p["bench"]["player_2"], "yellow", 9), Fault.WORKBENCH_IS_TOO_FULL),
    (returning, lambda p: move(p, p["bench"]["player_1"], "blue", 9), Fault.WORKBENCH_IS_TOO_FULL),
    (returning, lambda p: move(p, p["bench"]["player_0"], "red", -2), Fault.WORKBENCH_IS_TOO_FULL),  # nothing to return
    (fresh, lambda p: p["deck"].pop(), Fault.CREATIONS_ARE_NOT_EACH_IN_ONE_PLACE),
    (fresh, lambda p: p["deck"].__setitem__(0, p["deck"][1]), Fault.CREATIONS_ARE_NOT_EACH_IN_ONE_PLACE),
    (fresh, lambda p: p["hand"]["player_0"].__setitem__(0, p["deck"][1]), Fault.CREATIONS_ARE_NOT_EACH_IN_ONE_PLACE),
    (fresh, lambda p: p["deck"].append(p["hand"]["player_0"].pop()), Fault.HANDS_ARE_WRONG),
    (fresh, lambda p: p["hand"]["player_0"].append(p["hand"]["player_1"].pop()), Fault.HANDS_ARE_WRONG),
    (negotiated, lambda p: p["hand"]["player_1"].append(p["works"]["player_0"].pop()), Fault.HANDS_ARE_WRONG),
    (negotiated, lambda p: p["set_aside"].update({p["deck"][0]: 1}), Fault.WORK_WAS_NOT_MADE),
    (negotiated, lambda p: p["set_aside"].update({p["hand"]["player_0"][0]: 1}), Fault.WORK_WAS_NOT_MADE),
    (fresh, lambda p: p.update(phase="draft"), Fault.DRAFT_IS_WRONG),
    (fresh, lambda p: p["drafted"]["player_0"].append("Vase"), Fault.DRAFT_IS_WRONG),
    (drafting, lambda p: p["box"].append(p["pack"]["player_0"].pop()), Fault.DRAFT_IS_WRONG),
    (drafting, lambda p: p["drafted"]["player_0"].reverse(), Fault.DRAFT_IS_WRONG),
    (drafting, lambda p: p["drafted"]["player_1"].pop(), Fault.DRAFT_IS_WRONG),
    (drafting, lambda p: p["pack"]["player_0"].append(p["pack"]["player_1"].pop()), Fault.DRAFT_IS_WRONG),
    (drafting, lambda p: p.update(seat=0), Fault.DRAFT_IS_WRONG),
    (drafting, lambda p: p.update(phase="turn", turn="player_0", seat=0), Fault.DRAFT_IS_WRONG),
    (drafted, lambda p: p["drafted"]["player_0"].pop(), Fault.DRAFT_IS_WRONG),
    (drafted, lambda p: swap_cards(p, p["hand"]["player_0"], p["hand"]["player_1"]), Fault.DRAFT_IS_WRONG),
    (fresh, lambda p: p["advantage"].update(art="expert", jewels="expert"), Fault.ADVANTAGES_ARE_WRONG),
    (fresh, lambda p: p["advantage"].update(art="dealer"), Fault.ADVANTAGES_ARE_WRONG),
    (lambda: open_game(interactive=True), lambda p: p["advantage"].update(_base()), Fault.ADVANTAGES_ARE_WRONG),
    (grandmaster, lambda p: p["advantage"].update(_base("provident")), Fault.ADVANTAGES_ARE_WRONG),
    (lambda: open_game(expert_deck=True), lambda p: p["advantage"].update(_base("gift")), Fault.ADVANTAGES_ARE_WRONG),
    (lambda: open_game(advantages="first_game"), lambda p: p["advantage"].update(_base()), Fault.ADVANTAGES_ARE_WRONG),
    (fresh, lambda p: p.update(challenge=["red"]), Fault.CHALLENGE_CARDS_ARE_WRONG),
    (fresh, lambda p: p.update(revealed=["red"]), Fault.CHALLENGE_CARDS_ARE_WRONG),
    (fresh, lambda p: p.update(left_out=["red"]), Fault.CHALLENGE_CARDS_ARE_WRONG),
    (fresh, lambda p: p.update(turn_over=True), Fault.CHALLENGE_CARDS_ARE_WRONG),
    (solo, lambda p: p["revealed"].append(p["challenge"].pop()), Fault.CHALLENGE_CARDS_ARE_WRONG),
    (solo, lambda p: p["challenge"].pop(), Fault.CHALLENGE_CARDS_ARE_WRONG),
    (solo, lambda p: p["left_out"].pop(), Fault.CHALLENGE_CARDS_ARE_WRONG),
    (solo, lambda p: p.update(round_number=4), Fault.CHALLENGE_CARDS_ARE_WRONG),
    (solo, lambda p: p.update(left_out=["red"] * 4), Fault.CHALLENGE_CARDS_ARE_WRONG),
    (fresh, lambda p: p.update(selector=None), Fault.GRANDMASTER_BOARD_IS_WRONG),
    (fresh, lambda p: p.update(owl="player_0"), Fault.GRANDMASTER_BOARD_IS_WRONG),
    (fresh, lambda p: p["gap_lira"].update({"gap 5": 1}), Fault.GRANDMASTER_BOARD_IS_WRONG),
    (grandmaster, lambda p: p.update(owl=None), Fault.GRANDMASTER_BOARD_IS_WRONG),
    (grandmaster, lambda p: p.update(selector="notch 9"), Fault.GRANDMASTER_BOARD_IS_WRONG),
    (grandmaster, lambda p: p["gap_lira"].update({"gap 5": 1}), Fault.GRANDMASTER_BOARD_IS_WRONG),
    (grandmaster, lambda p: p.update(gap_lira={}), Fault.GRANDMASTER_BOARD_IS_WRONG),
    (grandmaster, lambda p: p["gap_lira"].update({"gap 3": 1}), Fault.GRANDMASTER_BOARD_IS_WRONG),
    (fresh, lambda p: p.update(last_round=True), Fault.LAST_ROUND_IS_WRONG),
    (over, lambda p: p.update(last_round=False), Fault.LAST_ROUND_IS_WRONG),
    (grandmaster, lambda p: p.update(last_round=True), Fault.LAST_ROUND_IS_WRONG),
    (negotiated, lambda p: p.update(phase="over", turn="player_2", seat=2), Fault.LAST_ROUND_IS_WRONG),
    (solo, lambda p: p.update(phase="over", collect_closed=True, negotiations=1), Fault.LAST_ROUND_IS_WRONG),
    (
        lambda: position(grandmaster=True, turn=1, step="negotiated"),
        lambda p: p.update(phase="over"),
        Fault.LAST_ROUND_IS_WRONG,
    ),
    (fresh, lambda p: p.update(round_number=51), Fault.LAST_ROUND_IS_WRONG),
    (drafting, lambda p: p.update(round_number=2), Fault.TURN_CANNOT_ARISE),
    (drafting, lambda p: p.update(turn="player_1"), Fault.TURN_CANNOT_ARISE),
    (drafting, lambda p: p.update(selector_set=True), Fault.TURN_CANNOT_ARISE),
    (over, lambda p: p.update(turn="player_0", seat=0, works_made=1), Fault.TURN_CANNOT_ARISE),
    (over, lambda p: p.update(negotiations=0), Fault.TURN_CANNOT_ARISE),
    (fresh, lambda p: p.update(takes=1), Fault.TURN_CANNOT_ARISE),
    (taken, lambda p: p.update(takes=2), Fault.TURN_CANNOT_ARISE),
    (fresh, lambda p: p.update(collect_closed=True), Fault.TURN_CANNOT_ARISE),
    (taken, lambda p: p.update(negotiations=1), Fault.TURN_CANNOT_ARISE),
    (negotiated, lambda p: p.update(negotiations=2), Fault.TURN_CANNOT_ARISE),
    (taken, lambda p: p.update(passed=True), Fault.TURN_CANNOT_ARISE),
    (negotiated, lambda p: p.update(passed=True), Fault.TURN_CANNOT_ARISE),
    (lambda: open_game(advantages=[1, 2, 3, 4]), lambda p: p.update(repetition=True), Fault.TURN_CANNOT_ARISE),
    (taken, lambda p: p.update(privilege=True), Fault.TURN_CANNOT_ARISE),
    (
        lambda: position(step="negotiated", advantages=[1, 2, 3, 4]),
        lambda p: p.update(privilege=True),
        Fault.TURN_CANNOT_ARISE,
    ),
    (negotiated, lambda p: p.update(works_made=2), Fault.TURN_CANNOT_ARISE),
    (lambda: position(step="taken", works={0: ["Vase"]}), lambda p: p.update(works_made=1), Fault.TURN_CANNOT_ARISE),
    (taken, lambda p: p.update(follow_up="gourmand"), Fault.TURN_CANNOT_ARISE),
    (negotiated, lambda p: p.update(follow_up="gambler", works_made=1), Fault.TURN_CANNOT_ARISE),
    (negotiated, lambda p: p.update(quotation=True), Fault.TURN_CANNOT_ARISE),
    (
        lambda: open_game(advantages=[1, 2, 3, 4]),
        lambda p: p["mixed"].update(player_1=True),
        Fault.TURN_CANNOT_ARISE,
    ),
    (fresh, lambda p: p["lira"].update(player_1=1_000), Fault.LIRA_CANNOT_HAVE_BEEN_PAID),
    (fresh, lambda p: p["lira"].update(player_1=121), Fault.LIRA_CANNOT_HAVE_BEEN_PAID),
    (negotiated, lambda p: p["lira"].update(player_0=121 + 10 + 1), Fault.LIRA_CANNOT_HAVE_BEEN_PAID),
    (grandmaster, lambda p: p["lira"].update(player_0=121 + 4 + 1), Fault.LIRA_CANNOT_HAVE_BEEN_PAID),
    (drafting, lambda p: p["lira"].update(player_1=5), Fault.TURN_CANNOT_ARISE),
    (drafting, lambda p: p["mixed"].update(player_1=True), Fault.TURN_CANNOT_ARISE),
    (drafting, lambda p: p.update(collect_closed=True), Fault.TURN_CANNOT_ARISE),
    (drafting, lambda p: p.update(follow_up="gambler"), Fault.TURN_CANNOT_ARISE),
    (drafting, lambda p: p.update(quotation=True), Fault.TURN_CANNOT_ARISE),
    (drafting, lambda p: move(p, p["bench"]["player_0"], "red"), Fault.TURN_CANNOT_ARISE),
    (drafting, lambda p: move(p, p["market"]["market 0"], "blue"), Fault.TURN_CANNOT_ARISE),
    (drafting, lambda p: make_transparent(p, p["market"]["market 0"]), Fault.TURN_CANNOT_ARISE),
    (lambda: open_game(2, draft=True, grandmaster=True), lambda p: p.update(owl="player_0"), Fault.TURN_CANNOT_ARISE),
    (negotiated, lambda p: p["mixed"].update(player_0=True), Fault.TURN_CANNOT_ARISE),  # no work was used
    (fresh, lambda p: p.update(repetition=True), Fault.TURN_CANNOT_ARISE),
    (negotiated, lambda p: p.update(privilege=True), Fault.TURN_CANNOT_ARISE),
    (late_grandmaster, lambda p: p.update(round_number=8, selector="notch 2"), Fault.LAST_ROUND_IS_WRONG),
    (finished, lambda p: p.update(works_made=0), Fault.LAST_ROUND_IS_WRONG),
    (finished, lambda p: p.update(turn="player_0", seat=0, works_made=0), Fault.LAST_ROUND_IS_WRONG),
    (taken, lambda p: p.update(missing=1), Fault.CHOICE_CANNOT_ARISE),
    (replacing, lambda p: p.update(missing=2), Fault.CHOICE_CANNOT_ARISE),
    (replacing, lambda p: (p["bench"]["player_1"].update(red=7), p["warehouse"].update(red=1)), Fault.CHOICE_CANNOT_ARISE),
    (replacing, lambda p: move(p, p["bench"]["player_0"], "green", 9), Fault.WORKBENCH_IS_TOO_FULL),
    (picking, lambda p: move(p, p["bench"]["player_0"], "yellow", 8), Fault.WORKBENCH_IS_TOO_FULL),
    (picking, lambda p: p.update(offered={"blue": 3}), Fault.CHOICE_CANNOT_ARISE),
    (returning, lambda p: move(p, p["bench"]["player_0"], "blue"), Fault.WORKBENCH_IS_TOO_FULL),  # eleven by a take
    (returning, lambda p: p.update(takes=0), Fault.CHOICE_CANNOT_ARISE),
    (challenged, lambda p: p.update(phase="return"), Fault.WORKBENCH_IS_TOO_FULL),
    (challenged, lambda p: swap_revealed(p), Fault.CHOICE_CANNOT_ARISE),
    (challenged, lambda p: move(p, p["market"]["market 0"], "transparent"), Fault.CHOICE_CANNOT_ARISE),  # one is the fullest
    (challenged, lambda p: p.update(negotiations=0), Fault.CHOICE_CANNOT_ARISE),
    (taken, lambda p: p.update(phase="replace"), Fault.CHOICE_CANNOT_ARISE),
    (replacing, lambda p: p.update(collect_closed=True), Fault.CHOICE_CANNOT_ARISE),
    (taken, lambda p: p.update(sale=1), Fault.CHOICE_CANNOT_ARISE),
    (selling, lambda p: p.update(sale=0), Fault.CHOICE_CANNOT_ARISE),
    (selling, lambda p: p.update(sale=2), Fault.CHOICE_CANNOT_ARISE),
    (selling, lambda p: p.update(sale=4), Fault.CHOICE_CANNOT_ARISE),
    (selling, lambda p: p.update(follow_up="gambler"), Fault.CHOICE_CANNOT_ARISE),
    (selling, lambda p: p.update(negotiations=0, collect_closed=False), Fault.CHOICE_CANNOT_ARISE),
    (taken, lambda p: p.update(chosen_market="market 0"), Fault.CHOICE_CANNOT_ARISE),
    (taken, lambda p: p.update(chosen_shard="red"), Fault.CHOICE_CANNOT_ARISE),
    (taken, lambda p: p.update(arranged=["position 2"]), Fault.CHOICE_CANNOT_ARISE),
    (using(8), lambda p: p.update(arranged=[f"position {place}" for place in range(1, 5)]), Fault.CHOICE_CANNOT_ARISE),
    (using(8), lambda p: p.update(arranged=["position 6"]), Fault.CHOICE_CANNOT_ARISE),
    (taken, lambda p: p["offered"].update(red=1), Fault.CHOICE_CANNOT_ARISE),
    (taken, lambda p: p.update(seat=1), Fault.CHOICE_CANNOT_ARISE),
    (solo, lambda p: p.update(phase="challenge"), Fault.CHOICE_CANNOT_ARISE),
    (
        lambda: position(players=1, step="negotiated"),
        lambda p: (p.update(turn_over=True), p["revealed"].append(p["challenge"].pop())),
        Fault.CHOICE_CANNOT_ARISE,
    ),
    (
        returning,
        lambda p: (
            p.update(seat=1, bench={"player_0": {"red": 1}, "player_1": p["bench"]["player_0"]}),
            move(p, p["bench"]["player_1"], "red", -1),
            p["warehouse"].update(red=p["warehouse"]["red"] - 1),
        ),
        Fault.CHOICE_CANNOT_ARISE,
    ),
]
"""Tables, what is changed, and the fault that is found."""

ASKED = {
    "present": (using(1), "advantage"),
    "gift": (using(2), "advantage"),
    "free": (using(3), "markets"),
    "merchant": (using(4), "bench"),
    "expert": (using(5), "bench"),
    "expert_picks": (using(5, "exchange red at market 0"), "offered"),
    "magician": (using(8), "arranged"),
    "traveller": (using(13), "markets"),
    "traveller_goal": (using(13, "lift from market 0 red"), "markets"),
    "opportunist": (using(15), "bench"),
    "opportunist_again": (using(15, "swap red for blue"), "advantage"),
    "visionary": (using(16), "advantage"),
    "authoritarian": (using(17), "bench"),
    "dealer": (using(18), "bench"),
    "clumsiness": (using(19), "bench"),
    "collector": (using(20), "bench"),
    "collector_partner": (using(20, "give up red"), "bench"),
}
"""Choices under way by a card, and what they need besides the card."""


def _base(card="expert"):
    return {"art": "gourmand", "jewels": "gambler", "tableware": "merchant", "animals": card}


def take_away(plain, what):
    """What a choice needs is gone."""
    if what == "markets":
        for market in plain["market"].values():
            for kind in list(market):
                plain["warehouse"][kind] += market.pop(kind)
    elif what == "bench":
        for bench in plain["bench"].values():
            for kind in list(bench):
                plain["warehouse"][kind] += bench.pop(kind)
    elif what == "offered":
        plain["offered"] = {"red": 2, "green": 2}
    elif what == "arranged":
        plain["arranged"] = ["position 1", "position 1"]


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


@pytest.mark.clause("MUR-3.4")
@pytest.mark.parametrize("name", ASKED)
def test_a_choice_that_its_card_cannot_have_asked_is_refused(name):
    start, what = ASKED[name]
    table = start()
    assert (phase(table), fault(table)) == (name, "NONE")
    plain = table.state_dict()
    if what != "advantage":
        take_away(plain, what)
        assert fault(put(start(), plain)) == "CHOICE_CANNOT_ARISE"
    plain = start().state_dict()
    gone, other = plain["advantage"]["art"], "collector" if plain["interactive"] else "favouritism"
    plain["advantage"]["art"] = "dealer" if gone == "collector" else other
    plain["mixed"]["player_0"] = False
    assert fault(put(start(), plain)) == "CHOICE_CANNOT_ARISE"


def test_every_fault_is_tried():
    tried = {expected for *_, expected in SPOILT} | {Fault.NONE, Fault.COUNTS_ARE_NOT_THE_WORKS}
    assert tried == set(Fault)


# ---- Positions that arise are accepted


@pytest.mark.parametrize("name", [*STEPS, *ASKED])
def test_possible_positions_can_be_saved_and_loaded(name):
    table = ASKED[name][0]() if name in ASKED else position(step=name, benches={0: "RG"})
    other = open_game(seed=9, **{k: v for k, v in table.options.to_dict().items() if k != "num_players"})
    other.load_state_dict(table.state_dict())
    assert other.state_bytes() == table.state_bytes()
    assert other.legal_actions() == table.legal_actions()
    other.load_state_bytes(table.state_bytes())
    assert other.state_hash() == table.state_hash()


@pytest.mark.parametrize("number", [0, 4, 8, 13])
def test_positions_of_random_games_are_accepted_when_they_are_loaded(number):
    options = {**GAME.variants[number], "max_rounds": 2}
    loaded = 0
    for count, (table, _) in enumerate(random_games(options, games=1, seed=number, policy=by_block)):
        if count % 6 == 0:
            twin = type(table)(GAME, table.options)
            twin.load_state_dict(table.state_dict())
            assert twin.state_bytes() == table.state_bytes()
            loaded += 1
    assert loaded >= 4


@pytest.mark.parametrize("number", range(len(GAME.variants)))
def test_random_games_reach_possible_positions_only(number):
    *_, total = audit(GAME, {**GAME.variants[number], "max_rounds": 2}, games=1, seed=5)
    assert total.games == 1
    assert total.clauses["MUR-4.1"] >= 2


# ---- Derived fields

DERIVED = [
    ("bench_size", (1,), "COUNTS_ARE_NOT_THE_SHARDS"),
    ("market_size", (2,), "COUNTS_ARE_NOT_THE_SHARDS"),
    ("ready", (0, 2, 2), "COUNTS_ARE_NOT_THE_WORKS"),
    ("ready", (1, 0, 3), "COUNTS_ARE_NOT_THE_WORKS"),
]


@pytest.mark.parametrize(("name", "place", "expected"), DERIVED, ids=[f"{case[0]}{case[1]}" for case in DERIVED])
def test_a_derived_field_that_does_not_follow_is_found(name, place, expected):
    table = negotiated()
    table.record[name][place] += 1
    assert fault(table) == expected
    loops.derive_one(table._games)
    assert fault(table) == "NONE"


def test_every_derived_field_is_tried():
    assert {name for name, *_ in DERIVED} == {field.name for field in GAME.state.fields if field.derived}


@pytest.mark.parametrize("name", [field.name for field in GAME.state.fields if field.axes and field.axes[0][0] == "player_0"])
def test_nothing_is_said_of_seats_that_do_not_play(name):
    table = open_game(3)
    field = next(field for field in GAME.state.fields if field.name == name)
    column = getattr(field, "size_name", name)
    table.record[column][(3, *[0] * (table.record[column].ndim - 1))] = 1
    assert fault(table) == "SEAT_DOES_NOT_PLAY"


def test_derive_fills_in_all_that_play_keeps_up_to_date():
    table = position(
        step="negotiated", benches={0: "RRT", 1: "B"}, works={0: ["Vase", "Red fish"], 1: ["Canary"]}, used=["Vase"]
    )
    before = table.state_bytes()
    for field in GAME.state.fields:
        if field.derived:
            table.record[field.name][...] = 0
    loops.derive_one(table._games)
    assert table.state_bytes() == before
