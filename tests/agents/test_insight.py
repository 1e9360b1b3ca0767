"""What agents know of each game: run compiled, with array bounds checked, and in plain Python."""

import numpy as np
import pytest
from helpers import VARIANTS, open_table, variant_id
from muster.positions import position

from agents import insight, make_agent
from agents.heuristic import choose_many, evaluate_one, new_desk
from agents.search import new_tree, search_one
from agents.worlds import view_of
from cardtable.game import ACTION
from cardtable.registry import find
from cardtable.table import Table

pytestmark = pytest.mark.rules

STEPS = 12
INSIGHTS = [variant for variant in VARIANTS if insight.has_insight(find(variant[0]))]


def values_of(table: Table) -> np.ndarray:
    """The value of a position for each seat, as the evaluation sees the true record."""
    make_agent("heuristic", table.game, table.options).prepare()
    desk = new_desk(table.game)
    evaluate_one(table._games, desk)
    return desk.seats[: table.players].copy()


def name_of_best(table: Table, number: int = 6) -> str:
    """What the heuristic plays."""
    view, desk = view_of(table, 1), new_desk(table.game)
    actions = np.zeros(1, ACTION)
    choose_many(view.records, view.seat, view.key, number, desk, actions)
    return table.game.actions.names[actions[0]]


@pytest.mark.parametrize(("game_id", "options"), INSIGHTS, ids=variant_id)
def test_values_are_zero_sum_and_within_the_range_of_returns(game_id, options):
    table = open_table(find(game_id), options)
    for _ in range(STEPS):
        values = values_of(table)
        assert np.isfinite(values).all()
        assert abs(values.sum()) < 1e-9
        assert np.abs(values).max() <= 1
        table.play(int(np.flatnonzero(table.mask)[len(table.history) * 7 % table.mask.sum()]))


@pytest.mark.parametrize(("game_id", "options"), INSIGHTS, ids=variant_id)
def test_forgetting_leaves_a_position_of_the_game_that_its_seat_sees_the_same(game_id, options):
    table = open_table(find(game_id), options)
    for _ in range(STEPS):
        view, game = view_of(table, 1), table.game
        world = Table(game, table.options)
        world.load_state_bytes(game.pack(view.records))  # refuses what is no position
        assert np.array_equal(world.observation, table.observation)
        assert np.array_equal(world.mask, table.mask)
        table.play(int(np.flatnonzero(table.mask)[len(table.history) * 5 % table.mask.sum()]))


@pytest.mark.parametrize(("game_id", "options"), INSIGHTS, ids=variant_id)
def test_a_search_plays_a_legal_action_even_with_room_for_little(game_id, options):
    table = open_table(find(game_id), options)
    tree, desk = new_tree(table.game, 3), new_desk(table.game)
    for _ in range(3):
        view = view_of(table, 1)
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
    view = view_of(table, 1)
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


def test_every_game_with_an_insight_is_listed():
    assert {"artisans", "muster"} <= set(insight.games_with_insight())
