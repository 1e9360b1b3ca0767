"""What agents know of each game: run compiled, with array bounds checked, and in plain Python."""

import numpy as np
import pytest
from cardtable_agents.evaluations import evaluation
from cardtable_agents.players.heuristic import choose_many, evaluate_many, new_desk
from cardtable_agents.players.search import new_tree, search_one
from helpers import SALT, VARIANTS, open_table, variant_id
from murano import positions as murano
from muster.positions import position

from cardtable.engine.jit import as_games
from cardtable.game.game import ACTION
from cardtable.game.registry import find
from cardtable.players.roster import make_agent
from cardtable.players.views import view_of
from cardtable.table import Table

pytestmark = pytest.mark.rules

STEPS = 12


def values_of(table: Table) -> np.ndarray:
    """The value of a position for each seat, as the evaluation sees the true record."""
    make_agent("heuristic", table.game, table.options).prepare()
    desk = new_desk(table.game)
    values, seats = np.zeros(table.players, np.float32), np.arange(table.players)
    evaluate_many(as_games(np.repeat(table._games, table.players)), seats, desk, values)
    return values


def name_of_best(table: Table, number: int = 6) -> str:
    """What the heuristic plays."""
    view, desk = view_of(table, SALT), new_desk(table.game)
    actions = np.zeros(1, ACTION)
    choose_many(view.records, view.seat, view.key, number, desk, actions)
    return table.game.actions.names[actions[0]]


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_values_are_zero_sum_and_within_the_range_of_returns(game_id, options):
    table = open_table(find(game_id), options)
    for _ in range(STEPS):
        values = values_of(table)
        assert np.isfinite(values).all()
        assert table.players == 1 or abs(values.sum()) < 1e-6
        assert np.abs(values).max() <= 1
        table.play(int(np.flatnonzero(table.mask)[len(table.history) * 7 % table.mask.sum()]))


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_forgetting_leaves_a_position_of_the_game_that_its_seat_sees_the_same(game_id, options):
    table = open_table(find(game_id), options)
    for _ in range(STEPS):
        view, game = view_of(table, SALT), table.game
        world = Table(game, table.options)
        world.load_state_bytes(game.pack(view.records))  # refuses what is no position
        assert np.array_equal(world.observation, table.observation)
        assert np.array_equal(world.mask, table.mask)
        table.play(int(np.flatnonzero(table.mask)[len(table.history) * 5 % table.mask.sum()]))


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_a_search_plays_a_legal_action_even_with_room_for_little(game_id, options):
    table = open_table(find(game_id), options)
    tree, desk = new_tree(table.game, 3), new_desk(table.game)
    for _ in range(3):
        view = view_of(table, SALT)
        action = search_one(view.records, 0, table.seat, view.key[0], 6, tree, desk)
        table.play(table.checked_action(int(action)))


# ---- The evaluations understand their games


def test_muster_a_lead_counts_more_with_fewer_cards_to_come():
    early = position(columns={"water": "1, 2, 3"}, hand="rainbow castle")
    late = position(columns={"water": "1, 2, 3"}, hand="rainbow castle", pile_size=3)
    assert values_of(late)[0] > values_of(early)[0] > 0


def test_muster_a_wizard_that_the_other_can_swap_is_worth_less():
    safe = position(columns={"water": "1, wizard"}, other_hand="cloud 1, cloud 2, sun 1, sun 2, leaf 1", pile_size=9)
    exposed = position(columns={"water": "1, wizard"}, other_hand="water 1, cloud 2, sun 1, sun 2, leaf 1", pile_size=9)
    assert values_of(safe)[0] > values_of(exposed)[0]


def test_muster_search_takes_the_deciding_castle_with_the_last_card():
    """Two castles each; the Wizard wins the fifth, and the last card of the pile ends the game."""
    table = position(
        hand="wizard/bridge, water 1, water 1, feather 1, feather 1",
        columns={"water": "3, 4", "feather": "3, 4"},
        other_columns={"cloud": "3, 4", "sun": "3, 4", "leaf": "2"},
        pile_size=1,
    )
    view = view_of(table, SALT)
    action = search_one(view.records, 0, 0, view.key[0], 60, new_tree(table.game, 60), new_desk(table.game))
    assert table.game.actions.names[action] == "wizard at leaf"


def test_artisans_more_cards_of_a_material_are_developed_rather_than_fewer():
    table = open_table(find("artisans"), {"artisans": ["specialist", "sculptor"]}, seed=3)
    while "pass" not in table.legal_actions() or not any("develop" in name for name in table.legal_actions()):
        table.play(
            table.game.actions.id_of("take token") if "take token" in table.legal_actions() else int(table.mask.argmax())
        )
    developed = name_of_best(table)
    assert developed.startswith("develop")
    material = developed.split()[1]
    offered = [name for name in table.legal_actions() if name.startswith(f"develop {material} ")]
    assert developed == offered[-1]


def test_murano_a_work_is_made_with_coloured_shards_rather_than_transparent_ones():
    table = murano.position(step="negotiated", benches={0: "RRGYT"}, hands={0: ["Harlequin"]})
    assert name_of_best(table) == "make replacing none"


def test_murano_a_turn_with_nothing_left_to_do_ends_without_paying_for_anything():
    """Were the end of a turn valued otherwise than the moment before, Lira would be spent to put it off."""
    for seat in (0, 1):
        assert name_of_best(murano.position(step="negotiated", turn=seat, lira={seat: 9})) == "end turn"


@pytest.mark.parametrize("winning", [True, False])
def test_murano_the_last_card_is_made_by_who_leads(winning):
    table = murano.position(
        round_number=7,
        step="negotiated",
        turn=1,
        benches={1: "RRGY"},
        hands={1: ["Harlequin"]},
        left={0: 1, 1: 1},
        lira={0: 30, 1: 40 if winning else 10},
    )
    assert (name_of_best(table) == "make replacing none") == winning


def test_murano_what_no_card_needs_goes_back_to_the_warehouse():
    table = murano.position(
        step="taken",
        benches={0: "RRRGYYYRB"},
        hands={0: ["Ruby pendant", "Sun plate", "Reed bowl"]},
        state={"phase": "return"},
    )
    assert name_of_best(table) == "give up blue"


def test_murano_a_hand_whose_first_card_is_nearly_done_is_worth_more_than_one_whose_last_is():
    parts = {"step": "negotiated", "benches": {0: "RRR"}}
    first = murano.position(hands={0: ["Ruby pendant", "Sun plate", "Sea horse", "Canary", "Dolphin", "Fruit dish"]}, **parts)
    last = murano.position(hands={0: ["Sun plate", "Sea horse", "Canary", "Dolphin", "Fruit dish", "Ruby pendant"]}, **parts)
    assert values_of(first)[0] > values_of(last)[0]


def test_murano_lira_are_worth_more_than_nothing():
    values = [values_of(murano.position(lira={0: lira}))[0] for lira in (0, 4, 8, 20)]
    assert values == sorted(values)
    assert values[0] < 0 < values[-1]


def test_murano_favouritism_is_used_for_a_transparent_shard_at_the_end_of_the_game():
    table = murano.with_card(
        9, round_number=7, turn=1, step="negotiated", benches={1: "T"}, left={0: 0, 1: 2}, lira={0: 12, 1: 10}
    )
    assert name_of_best(table) == murano.USE


def test_murano_solo_values_grow_with_works_made_in_the_same_time():
    values = [values_of(murano.position(players=1, round_number=4, left={0: left}))[0] for left in (6, 4, 2)]
    assert values == sorted(values)


def test_every_game_has_an_insight():
    assert evaluation.games_with_evaluation() == ["artisans", "murano", "muster"]
