"""The turn: its order, what is open when, and choices under way (MUR-3); seats around the table (MUR-1.8)."""

import pytest

from .positions import STAGES, STEPS, USE, bench, lacking_red, legal, lira, phase, play, position, stage, with_card, words

pytestmark = pytest.mark.rules


ANY_TIME_CARDS = [1, 2, 8, 9, 13, 15, 16, 17, 18, 19, 20]
# ---- 3.1 The order of the steps


@pytest.mark.clause("MUR-3.1", "MUR-4.1")
def test_collect_negotiate_and_create_come_in_this_order():
    table = position(hands={0: ["Vase"]}, benches={0: "RRYB"}, selector=11, advantages=[9, 14, 6, 7])
    assert words(table) == {"turn", "reorder"}
    assert legal(table, "turn") == ["turn selector", "turn ring"]
    play(table, "turn selector")
    assert words(table) == {"take", "turn", "reorder"}
    assert legal(table, "turn") == ["turn ring"]
    play(table, "take pair")
    assert words(table) == {"exchange", "buy", "sell", "turn", "reorder"}
    play(table, "exchange transparent at market 0")
    assert words(table) == {"make", "end", "turn", "reorder"}
    play(table, "make replacing none")
    assert words(table) == {"end", "turn", "reorder"}


@pytest.mark.clause("MUR-3.1", "MUR-7.1", "MUR-7.2")
@pytest.mark.parametrize("name", STAGES)
def test_ring_and_order_can_be_paid_for_at_any_stage(name):
    table = with_card(16, benches={0: "R"}, **stage(name))
    before = legal(table)
    assert {"turn ring", "reorder to 2", "reorder to 5", USE} <= set(before)
    play(table, "turn ring", "reorder to 3", "turn ring", "reorder to 2")
    assert lira(table) == 0
    assert legal(table) == [action for action in before if not action.startswith(("turn ring", "reorder", "buy"))]


@pytest.mark.clause("MUR-3.1", "MUR-7.3", "MUR-9.0")
@pytest.mark.parametrize("name", STAGES)
@pytest.mark.parametrize("card", ANY_TIME_CARDS)
def test_cards_for_any_time_can_be_used_at_any_stage(card, name):
    assert USE in legal(with_card(card, benches={0: "RT", 1: "G"}, **stage(name)))


@pytest.mark.clause("MUR-3.1")
@pytest.mark.parametrize("name", STAGES)
def test_after_an_advantage_the_turn_goes_on_where_it_was(name):
    table = with_card(16, benches={0: "RG"}, **stage(name))
    before = legal(table)
    play(table, USE, "turn ring by 7")
    assert legal(table) == [action for action in before if action != USE]
    assert phase(table) == "turn"


@pytest.mark.clause("MUR-3.1")
def test_any_time_actions_are_for_the_player_whose_turn_it_is():
    table = with_card(16, works={1: ["Fruit dish"]}, step="negotiated")
    play(table, "end turn")
    assert table.seat == 1
    assert legal(table, "use") == []
    assert "turn ring" in legal(table)


# ---- 3.2 What is open


@pytest.mark.clause("MUR-3.2", "MUR-8.12")
@pytest.mark.parametrize(
    ("name", "is_open"),
    [("start", True), ("turned", True), ("taken", True), ("negotiated", False), ("passed", False), ("worked", False)],
)
def test_collect_is_open_until_the_first_action_or_the_pass(name, is_open):
    assert (USE in legal(with_card(12, **stage(name)))) == is_open


@pytest.mark.clause("MUR-3.2", "MUR-8.12")
@pytest.mark.parametrize("card", [3, 4, 5, 10])
def test_collect_is_closed_by_the_use_of_a_card_of_negotiate(card):
    table = position(
        advantages=[12, card, 14, 6], works={0: ["Harlequin", "Earrings"]}, step="taken", benches={0: "RR"}, lira={0: 3}
    )
    assert USE in legal(table)
    play(table, "use jewels with jewels")
    assert table.state_dict()["collect_closed"]
    assert USE not in legal(table)


@pytest.mark.clause("MUR-3.2", "MUR-8.12")
def test_the_second_take_lapses_when_collect_closes():
    for closing in ("sell red", "exchange red at market 0", "buy market 0"):
        table = with_card(12, step="taken", benches={0: "RR"})
        play(table, USE)
        assert "take pair" in legal(table)
        play(table, closing)
        if phase(table) == "sell":
            play(table, "done")
        assert "take pair" not in legal(table)


@pytest.mark.clause("MUR-3.2")
@pytest.mark.parametrize("card", [3, 4, 5, 10])
@pytest.mark.parametrize(
    ("name", "is_open"), [("start", False), ("turned", False), ("taken", True), ("passed", False), ("worked", False)]
)
def test_negotiate_is_open_from_the_first_take_until_the_first_work_or_the_pass(card, name, is_open):
    assert (USE in legal(with_card(card, benches={0: "RR"}, **stage(name)))) == is_open


@pytest.mark.clause("MUR-3.2", "MUR-8.10")
def test_negotiate_stays_open_after_the_action_for_privilege():
    table = with_card(10, step="negotiated", benches={0: "RR"})
    assert legal(table, "exchange", "buy", "sell") == []
    play(table, USE)
    assert words(table) >= {"exchange", "buy", "sell", "end"}


@pytest.mark.clause("MUR-3.2", "MUR-8.6", "MUR-8.7")
@pytest.mark.parametrize(("card", "name"), [(6, "bought"), (7, "sold")])
def test_gourmand_and_gambler_follow_the_action_until_the_first_work(card, name):
    table = with_card(card, step=name, hands={0: ["Vase"]}, benches={0: "RRYBG"})
    assert USE in legal(table)
    play(table, "make replacing none")
    assert USE not in legal(table)


# ---- 3.3 Works and the end of the turn


@pytest.mark.clause("MUR-3.3")
@pytest.mark.parametrize("name", STEPS)
def test_works_and_the_end_of_the_turn_are_open_from_the_first_action_or_the_pass(name):
    table = position(step=name, hands={0: ["Vase"]}, benches={0: "RRYB"})
    is_open = name in ("negotiated", "bought", "sold", "passed")
    assert bool(legal(table, "make")) == is_open
    assert bool(legal(table, "end turn")) == is_open


@pytest.mark.clause("MUR-3.3")
def test_nobody_has_to_make_a_work():
    table = position(step="negotiated", hands={0: ["Vase"]}, benches={0: "RRYB"})
    play(table, "end turn")
    assert (table.seat, bench(table), lira(table)) == (1, "RRYB", 4)


@pytest.mark.clause("MUR-3.3", "MUR-8.10")
def test_works_are_open_before_the_second_action_of_privilege_which_then_lapses():
    table = with_card(10, step="negotiated", hands={0: ["Vase"]}, benches={0: "RRYBG"})
    play(table, USE, "make replacing none")
    assert legal(table, "exchange", "buy", "sell") == []


# ---- 3.4 A choice under way


FULL_BENCH = {0: "RRRGGGYY"}
CHOICES = {
    "replace": (lambda: play(lacking_red(), "take pair"), {"take", "done"}),
    "return": (lambda: play(position(step="turned", benches=FULL_BENCH), "take pair"), {"give"}),
    "sell": (lambda: play(position(step="taken", benches={0: "RRG"}), "sell red"), {"sell", "done"}),
    "present": (lambda: play(with_card(1, step="taken"), USE), {"take"}),
    "gift": (lambda: play(with_card(2, step="negotiated"), USE), {"take"}),
    "free": (lambda: play(with_card(3, step="taken"), USE), {"buy"}),
    "merchant": (lambda: play(with_card(4, step="taken", benches={0: "R"}), USE), {"sell"}),
    "expert": (lambda: play(with_card(5, step="taken", benches={0: "R"}), USE), {"exchange"}),
    "expert_picks": (
        lambda: play(with_card(5, step="taken", benches={0: "R"}), USE, "exchange red at market 0"),
        {"take", "done"},
    ),
    "magician": (lambda: play(with_card(8), USE), {"arrange"}),
    "traveller": (lambda: play(with_card(13), USE), {"lift"}),
    "traveller_goal": (lambda: play(with_card(13), USE, "lift from market 0 red"), {"choose"}),
    "opportunist": (lambda: play(with_card(15, benches={0: "R"}), USE), {"swap"}),
    "opportunist_again": (lambda: play(with_card(15, benches={0: "R"}), USE, "swap red for blue"), {"swap", "done"}),
    "visionary": (lambda: play(with_card(16), USE), {"turn"}),
    "authoritarian": (lambda: play(with_card(17, benches={1: "R"}), USE), {"neighbour"}),
    "dealer": (lambda: play(with_card(18, benches={0: "R"}), USE), {"neighbour"}),
    "clumsiness": (lambda: play(with_card(19, benches={0: "R"}), USE), {"give"}),
    "collector": (lambda: play(with_card(20, benches={0: "R", 1: "G"}), USE), {"give"}),
    "collector_partner": (lambda: play(with_card(20, benches={0: "R", 1: "G"}), USE, "give up red"), {"neighbour"}),
    "challenge": (
        lambda: play(
            position(players=1, step="negotiated", challenge=["market", "ring", *["nothing"] * 2, "red", "blue"]), "end turn"
        ),
        {"choose"},
    ),
}


@pytest.mark.clause("MUR-3.4")
@pytest.mark.parametrize("name", CHOICES)
def test_while_a_choice_is_under_way_nothing_else_is_open(name):
    start, expected = CHOICES[name]
    table = start()
    assert phase(table) == name
    assert words(table) == expected
    assert {"turn ring", "turn selector", "take pair"}.isdisjoint(legal(table))


# ---- 1.8 Seats


@pytest.mark.clause("MUR-1.8")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_play_goes_to_the_left_and_around_the_table(players):
    for turn in range(players):
        table = play(position(players=players, turn=turn, step="negotiated"), "end turn")
        assert table.seat == (turn + 1) % players


@pytest.mark.clause("MUR-1.8")
@pytest.mark.parametrize(("turn", "steps", "other"), [(0, 1, 1), (0, 3, 3), (2, 1, 3), (2, 2, 0), (3, 1, 0), (3, 3, 2)])
def test_neighbours_are_counted_to_the_left(turn, steps, other):
    table = with_card(18, players=4, turn=turn, benches={turn: "R"})
    play(table, "use art with art", f"neighbour {steps} red")
    assert bench(table, other) == "R"
