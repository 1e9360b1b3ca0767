"""A decision as text, and the answer to it."""

import numpy as np
import pytest
from helpers import VARIANTS, open_table, variant_id

from cardtable.errors import IllegalAction, OptionError, ResetNeeded
from cardtable.game.registry import find, game_ids
from cardtable.prompt import LONGEST_ANSWER, rules_in_brief
from cardtable.table import Table


@pytest.fixture(params=VARIANTS, ids=lambda variant: "-".join(map(variant_id, variant)))
def table(request):
    game_id, options = request.param
    return open_table(find(game_id), dict(options), 3)


@pytest.mark.parametrize("game_id", game_ids())
def test_the_rules_in_brief_are_those_of_the_spec_page(game_id):
    brief = rules_in_brief(find(game_id))
    assert 400 < len(brief) < 3000
    assert "RULES.md" in brief
    assert "|" not in brief


def test_a_prompt_has_all_that_is_needed_to_decide(table):
    generator = np.random.default_rng(3)
    for _ in range(25):
        if table.ending:
            break
        prompt = table.prompt()
        assert prompt == table.prompt(table.seat)
        assert prompt.startswith(f"You play {table.game.title} as player_{table.seat}.")
        assert rules_in_brief(table.game) in prompt
        assert table.text(table.seat, moves=0) in prompt
        for name in table.legal_actions():
            assert f"\n- {name}\n" in prompt
        table.play(int(generator.choice(np.flatnonzero(table.mask))))


def test_a_prompt_tells_what_happened_since_the_last_decision_as_the_seat_saw_it():
    table = open_table(find("muster"), {}, 3)
    table.play(table.parse_action(next(name for name in table.legal_actions() if name.startswith("lay"))))
    table.play(table.parse_action("draw from pile"))
    assert "player_0 draws a hidden card from the pile" in table.prompt(1)
    table.play(table.parse_action(next(name for name in table.legal_actions() if name.startswith("lay"))))
    table.play(table.parse_action("draw from pile"))
    prompt = table.prompt(0)
    assert "player_1 draws a hidden card from the pile" in prompt
    assert "you lay" not in prompt.split("Your legal actions")[0].split("since your last decision")[0]


def test_every_legal_action_is_understood_alone_and_in_brackets(table):
    for number in np.flatnonzero(table.mask).tolist():
        name = table.game.actions.names[number]
        for answer in (
            name,
            f"[{name}]",
            f"  {name.upper()}\n",
            f"I think that [{name}] is best.",
            f"[pass]? No: [ {name} ]",
        ):
            assert table.parse_action(answer) == number


@pytest.mark.parametrize("answer", ["", "[]", "pass", "[pass]", "[", "?", "0", "lay", "🂡", "x" * (LONGEST_ANSWER + 1)])
def test_anything_else_is_refused_with_a_reason_and_nothing_changes(answer):
    table = open_table(find("muster"), {}, 3)
    before = table.state_bytes()
    with pytest.raises(IllegalAction, match=r"is not the name of an action; allowed: |characters, allowed: "):
        table.parse_action(answer)
    assert table.state_bytes() == before


@pytest.mark.parametrize("answer", [None, 0, b"pass", ["draw from pile"]])
def test_an_answer_is_a_text(answer):
    with pytest.raises(IllegalAction, match="an answer is a text"):
        open_table(find("muster"), {}, 3).parse_action(answer)


def test_an_action_that_is_not_legal_now_is_named_so():
    with pytest.raises(IllegalAction, match="'draw from pile' is not legal now; allowed: "):
        open_table(find("muster"), {}, 3).parse_action("[draw from pile]")


def test_only_the_seat_to_act_has_a_prompt():
    table = open_table(find("muster"), {}, 3)
    with pytest.raises(OptionError, match="who decides now: seat 0"):
        table.prompt(1)
    with pytest.raises(OptionError, match="seat="):
        table.prompt(7)
    with pytest.raises(ResetNeeded):
        Table("muster").prompt()


def test_a_game_that_is_over_has_no_prompt():
    table = open_table(find("muster"), {"max_turns": 1}, 3)
    while not table.ending:
        table.play(int(np.flatnonzero(table.mask)[0]))
    with pytest.raises(OptionError, match="the game is over"):
        table.prompt()
