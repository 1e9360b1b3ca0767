"""Which clauses a decision is counted for in audits of random play."""

import numpy as np
import pytest

from cardtable.engine.constants import NOBODY
from murano_env.clauses import witness
from murano_env.components import CREATIONS
from murano_env.env import GAME

from .positions import USE, open_game, play, position, with_card

pytestmark = pytest.mark.rules


def witnessed(table, name=None):
    """The clauses that an action, or the end of the game, is counted for."""
    counts = np.zeros(len(GAME.clauses), np.int64)
    witness(table.record, NOBODY if name is None else GAME.actions.id_of(name), counts)
    return {clause.name[4:].replace("_", "."): int(counts[clause]) for clause in GAME.clauses if counts[clause]}


def making(own, **parts):
    return position(**{"step": "negotiated", "hands": {0: ["Vase"]}, "benches": {0: own}, **parts})


DECISIONS = [
    (lambda: position(), "turn selector", {"4.1"}),
    (lambda: position(step="turned"), "take pair", set()),
    (lambda: position(step="taken", benches={0: "R"}), "exchange red at market 0", {"5.1"}),
    (lambda: position(step="taken"), "buy market 0", {"5.2"}),
    (lambda: position(step="taken", benches={0: "R"}), "sell red", {"5.3"}),
    (lambda: play(position(step="taken", benches={0: "RR"}), "sell red"), "sell red", {"3.4"}),
    (lambda: play(position(step="taken", benches={0: "RR"}), "sell red"), "done", {"3.4"}),
    (lambda: position(step="taken", lira={0: 0}), "done", {"5.4"}),
    (lambda: play(position(step="turned", benches={1: "TTTTTT"}), "take pair"), "take red", {"3.4", "4.2"}),
    (lambda: play(position(step="turned", benches={0: "GGGGGGGG"}), "take pair"), "give up red", {"3.4", "4.3"}),
    (lambda: making("RRYB"), "make replacing none", {"6.2"}),
    (lambda: making("RRYT"), "make replacing b", {"6.1", "6.2"}),
    (lambda: making("RRYT", grandmaster=True), "make replacing b", {"6.1", "6.2", "11.5"}),
    (lambda: making("RRYB", works={0: ["Parrot"]}, state={"works_made": 1}), "make replacing none", {"6.2", "6.3"}),
    (lambda: making("RRYB", left={0: 1}), "make replacing none", {"6.2", "12.1"}),
    (lambda: position(), "reorder to 2", {"7.1"}),
    (lambda: position(), "turn ring", {"7.2"}),
    (lambda: position(step="negotiated"), "end turn", {"3.3"}),
    (lambda: with_card(12), USE, {"7.3", "8.12"}),
    (lambda: with_card(12, step="taken"), USE, {"7.3", "8.12", "3.2"}),
    (lambda: with_card(10, step="taken"), USE, {"7.3", "8.10"}),
    (lambda: with_card(10, step="negotiated"), USE, {"7.3", "8.10", "3.2"}),
    (lambda: with_card(17, benches={1: "R"}), USE, {"7.3", "9.3"}),
    (lambda: with_card(20, benches={0: "G", 1: "R"}), USE, {"7.3", "9.6"}),
    (lambda: open_game(draft=True, deal={"creations": list(CREATIONS)}), "draft card 0", {"9.1"}),
    (lambda: position(players=1, step="negotiated"), "end turn", {"3.3", "10.1"}),
    (lambda: position(players=1, step="negotiated", round_number=7), "end turn", {"3.3", "10.2"}),
    (lambda: position(grandmaster=True), "turn selector", {"4.1", "11.3"}),
    (lambda: position(grandmaster=True, round_number=4), "turn selector", {"4.1"}),
    (lambda: position(grandmaster=True, round_number=4, left={0: 6}), "turn selector", {"4.1", "11.4"}),
    (lambda: position(grandmaster=True, state={"owl": "player_0"}), "owl brings 2", {"11.6"}),
]


@pytest.mark.parametrize(("start", "action", "clauses"), DECISIONS)
def test_what_a_decision_is_counted_for(start, action, clauses):
    table = start()
    assert action in table.legal_actions()
    assert witnessed(table, action) == dict.fromkeys(clauses, 1)


@pytest.mark.parametrize("card", range(1, 21))
def test_each_advantage_is_counted_by_its_own_clause(card):
    steps = {6: "bought", 7: "sold", 10: "taken", 3: "taken", 4: "taken", 5: "taken", 14: "negotiated"}
    state = {"works_made": 1, "quotation": True} if card == 14 else {}
    table = with_card(card, step=steps.get(card, "start"), benches={0: "RT", 1: "G"}, state=state)
    assert witnessed(table, USE) == {"7.3": 1, (f"8.{card}" if card <= 16 else f"9.{card - 14}"): 1}


OVER = {"step": "negotiated", "turn": 1, "state": {"phase": "over"}}


@pytest.mark.parametrize(
    ("parts", "counts"),
    [
        ({"left": {0: 0}, "lira": {0: 5}}, {}),
        ({"left": {0: 0}}, {"12.2": 1}),
        ({"round_number": 50, "lira": {0: 5}}, {"12.3": 1}),
        ({"left": {0: 0, 1: 0}, "lira": {0: 5}, "grandmaster": True}, {}),
        ({"left": {0: 0, 1: 2}, "lira": {0: 5}, "grandmaster": True}, {"11.8": 1}),
        ({"left": {0: 2, 1: 2}, "lira": {0: 5}, "grandmaster": True, "round_number": 7}, {"11.7": 1, "11.8": 2}),
        ({"players": 1, "turn": 0, "round_number": 7}, {}),
        ({"players": 1, "turn": 0, "round_number": 5, "left": {0: 0}}, {"10.3": 1}),
    ],
)
def test_what_the_end_is_counted_for(parts, counts):
    assert witnessed(position(**{**OVER, **parts})) == counts
