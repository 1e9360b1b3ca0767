"""What the evaluations make of positions: run compiled, with array bounds checked, and in plain Python."""

from enum import IntEnum
from typing import Annotated

import numpy as np
import pytest
from cardtable_agents.evaluations import evaluation
from cardtable_agents.evaluations.evaluation import Doubles, Longs, new_record, record_type, table_of
from cardtable_agents.players.heuristic import Scratch, choose_many, evaluate_many, new_scratch
from helpers import SALT, VARIANTS, open_table, variant_id
from murano import positions as murano
from muster.positions import position

from cardtable.engine.jit import COMPILED, as_games
from cardtable.game.game import ACTION
from cardtable.game.registry import find, game_ids
from cardtable.players.roster import make_agent
from cardtable.players.views import view_of
from cardtable.table import Table

pytestmark = pytest.mark.rules

STEPS = 12


def values_of(table: Table, scratch: Scratch | None = None) -> np.ndarray:
    """The value of a position for each seat, as the evaluation sees the true record."""
    make_agent("heuristic", table.game, table.options).prepare()
    scratch = scratch or new_scratch(table.game)
    evaluate_many(as_games(table._games), np.zeros(1, np.int64), scratch, np.zeros(1, np.float32))
    return scratch.seat_values[: table.players].copy()


def name_of_best(table: Table, number: int = 6) -> str:
    """What the heuristic plays."""
    view, actions = view_of(table, SALT), np.zeros(1, ACTION)
    choose_many(view.records, view.seat, view.key, number, new_scratch(table.game), actions)
    return table.game.actions.names[actions[0]]


def test_every_game_has_an_evaluation():
    assert evaluation.games_with_evaluation() == ["artisans", "murano", "muster"]
    assert all(evaluation.has_evaluation(find(game_id)) for game_id in game_ids())


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
def test_values_do_not_depend_on_what_was_evaluated_before(game_id, options):
    table = open_table(find(game_id), options)
    used = new_scratch(table.game)
    for _ in range(STEPS):
        assert values_of(table, used).tolist() == values_of(table).tolist()
        table.play(int(np.flatnonzero(table.mask)[len(table.history) * 3 % table.mask.sum()]))


# ---- Weights and scratch


@pytest.mark.parametrize("game_id", game_ids())
def test_weights_of_an_agent_are_its_own_and_can_be_changed_without_compiling(game_id):
    table = open_table(find(game_id), {})
    for step in range(20):
        table.play(int(np.flatnonzero(table.mask)[step * 7 % table.mask.sum()]))
    before, changed = values_of(table), new_scratch(table.game)
    compiled = len(evaluate_many.signatures) if COMPILED else 0
    for name in changed.weights.dtype.names:
        changed.weights[name] *= 0.5
    assert values_of(table, changed).tolist() != before.tolist()
    assert values_of(table).tolist() == before.tolist()
    assert not COMPILED or len(evaluate_many.signatures) == compiled


class Inner:
    total: float


class Outer:
    counts: Annotated[Longs, 3]
    inner: Inner
    rows: Annotated[Doubles, 2, 4]


class Kind(IntEnum):
    FIRST = 0
    SECOND = 1


def test_a_class_declares_the_fields_of_a_record():
    found = record_type(Outer)
    assert found.names == ("counts", "inner", "rows")
    assert [found[name].base for name in found.names] == [np.int64, record_type(Inner), np.float64]
    assert [found[name].shape for name in found.names] == [(3,), (), (2, 4)]
    record = new_record(Outer, counts=(1, 2, 3), inner=(0.5,), rows=(1.0, 2.0, 3.0, 4.0))
    assert record["counts"].tolist() == [[1, 2, 3]]
    assert record["inner"]["total"].tolist() == [0.5]
    assert record["rows"].tolist() == [[[1, 2, 3, 4]] * 2]


def test_a_record_or_a_table_that_lacks_something_is_refused():
    with pytest.raises(AssertionError, match="every field"):
        new_record(Inner)
    with pytest.raises(AssertionError, match="every kind"):
        table_of({Kind.FIRST: (1.0,)}, Kind)
    assert table_of({Kind.SECOND: (2.0, 3.0), Kind.FIRST: (0.0, 1.0)}, Kind).tolist() == [[0, 1], [2, 3]]


# ---- The evaluations understand their games


def test_muster_a_lead_counts_more_with_fewer_cards_to_come():
    early = position(columns={"water": "1, 2, 3"}, hand="rainbow castle")
    late = position(columns={"water": "1, 2, 3"}, hand="rainbow castle", pile_size=3)
    assert values_of(late)[0] > values_of(early)[0] > 0


def test_muster_a_wizard_that_the_other_can_swap_is_worth_less():
    safe = position(columns={"water": "1, wizard"}, other_hand="cloud 1, cloud 2, sun 1, sun 2, leaf 1", pile_size=9)
    exposed = position(columns={"water": "1, wizard"}, other_hand="water 1, cloud 2, sun 1, sun 2, leaf 1", pile_size=9)
    assert values_of(safe)[0] > values_of(exposed)[0]


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
