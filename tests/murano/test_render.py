"""How the table is shown to a person at a seat (MUR-1.7, 15.1)."""

import numpy as np
import pytest

from cardtable.envs import aec
from murano_env.components import ADVANTAGES
from murano_env.constants import Advantage, Phase
from murano_env.env import EXAMPLE_EDITION, GAME
from murano_env.render import ASKED, DOES

from .tables import changed, open_game, play, play_until

LEAKS = 60


def has(table, *lines, seat=None):
    """Whether the text holds all these pieces."""
    text = table.text(seat)
    for line in lines:
        assert line in text, f"{line}\n{text}"
    return True


def test_the_board_is_drawn_with_pairs_markets_and_the_selector():
    table = changed(open_game(), market={"market 0": {"red": 1, "transparent": 2}}, warehouse={"red": 1, "yellow": 2})
    lines = [line.rstrip() for line in table.text().splitlines()]
    # circle R G Y B G R B Y R B G Y, Ring A: T R G T Y B T R Y T G B; green, blue, transparent have run out
    assert lines[2] == "market 3: B·· gives -                            market 0: RTT gives R"
    assert lines[3] == "         10 G/G  11 Y/B          0 R/T   1 G/R"
    assert lines[4] == " 9 B/T                                           2 Y/G"
    assert lines[5] == " 8 R/Y                                          [3 B/T]"
    assert lines[6] == "         7 Y/R   6 B/T           5 R/B   4 G/Y"
    assert lines[7] == "market 2: Y·· gives RY                           market 1: G·· gives Y"
    assert has(play(table, "turn selector", "turn ring"), "[4 G/B]")


def test_transparent_shards_that_a_market_could_give_are_in_brackets():
    assert has(open_game(ring="B"), "market 0: R·· gives R (TT)")


def test_the_table_as_a_seat_sees_it():
    table = changed(
        open_game(num_players=3),
        turn="player_1",
        seat=1,
        selector_set=True,
        takes=1,
        lira={"player_1": 11},
        bench={"player_1": {"red": 2, "transparent": 1}, "player_2": {"blue": 9}},
        hand={"player_1": ["Vase", "Earrings"]},
        works={"player_1": ["Tree frog", "Harlequin"]},
        set_aside={"Harlequin": 1},
    )
    assert has(
        table,
        "Murano (a reconstruction) · round 1 · player_1 is to negotiate",
        "this turn: 1 take, 0 Negotiate actions, 0 works",
        "Warehouse R9 G9 Y9 B9 T6",
        "animals    16 Visionary  any time: turn the Ring to any position",
        "an Exchange for any of its three, 1 transparent at most · 1 work ready",
        "player_1 · 11L · bench RRT (3 of 8) · 2 cards in hand",
        "  works: Tree frog (jewels+animals), [Harlequin (art)]",
        "  hand 1  Vase      RRYB  tableware  lacks YB, has 1 T",
        "  hand 2  Earrings  RRGB  jewels     lacks GB, has 1 T",
        "player_2 · 4L · bench BBBBBBBBB (9 of 8) · 5 cards in hand",
    )
    others = [line for line in table.text(1).splitlines() if line.startswith("player_")]
    assert [line.split()[0] for line in others] == ["player_2", "player_0", "player_1"]
    changed(table, bench={"player_1": {"red": 2, "yellow": 1, "transparent": 1}})
    assert has(table, "shards at hand, 1 T for B")
    assert has(changed(table, bench={"player_1": {"red": 2, "yellow": 1, "blue": 1}}), "tableware  shards at hand")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "player_0 is to turn the Selector"),
        ({"selector_set": True}, "player_0 is to take the pair"),
        ({"selector_set": True, "takes": 1, "passed": True}, "player_0 may make works, or end the turn"),
        ({"phase": "replace", "missing": 2}, "chooses a shard for one that the Warehouse lacks (missing: 2)"),
        ({"phase": "return", "seat": 1}, "player_1 returns shards over 8 in the turn of player_0"),
        ({"phase": "sell", "sale": 4}, "may sell more shards, or be done (the Sell pays 4L)"),
        ({"phase": "expert_picks", "offered": {"red": 1, "blue": 1}}, "may pick shards, or be done (Expert) (on offer: RB)"),
        ({"phase": "traveller_goal", "chosen_market": "market 2", "chosen_shard": "blue"}, "(from market 2; chosen: B)"),
        ({"phase": "over"}, "game over"),
        ({"last_round": True}, "round 1 (the last)"),
    ],
)
def test_the_step_under_way(fields, said):
    assert has(changed(open_game(), **fields), said)


def test_every_phase_and_every_advantage_has_its_words():
    assert {*ASKED, Phase.TURN, Phase.OVER} == set(Phase)
    assert set(DOES) == set(Advantage)
    for card, name in enumerate(ADVANTAGES):
        cards = [card + 1, *[number for number in (3, 4, 5, 6) if number != card + 1][:3]]
        table = open_game(advantages=cards, interactive=card >= 16)
        assert has(table, f"art        {card + 1} {name.capitalize()}", DOES[Advantage(card)])


def test_a_new_order_is_shown_to_its_player_alone():
    table = changed(open_game(), phase="magician", arranged=["position 3", "position 1"])
    assert "(new order so far: 3, 1)" in table.text(0)
    assert "so far" not in table.text(1)


def test_grandmasters_see_lira_on_gaps_scores_and_the_owl():
    table = open_game(grandmaster=True, num_players=3)
    assert has(table, "11 Y/B   [1L]   0 R/T", "6 B/T     2L    5 R/B", "player_2 · 4L · score -8 · bench - (0 of 8)")
    assert next(line for line in table.text().splitlines() if "has the Owl" in line).startswith("player_2")
    assert has(play(table, "turn selector"), "11 Y/B    1L   [0 R/T]")


def test_the_own_pack_of_a_draft_with_the_numbers_of_its_actions():
    table = open_game(draft=True, num_players=3)
    assert has(table, "player_0 keeps a card of the pack")
    for name in table.legal_actions():
        assert f"pack, card {name.split()[-1]}  " in table.text(0)
    assert table.text(1).count("pack, card ") == 6
    play(table, table.legal_actions()[0])
    assert "hand 1" in table.text(0)
    assert "hand 1" not in table.text(1)


def test_a_person_is_called_you_and_the_others_by_their_agents():
    table = open_game(num_players=3)
    play(table, "turn selector")
    text = table.text(0, agents={1: "heuristic", 2: "search:100"})
    for words in ("you are to take the pair", "you (player_0) · 4L", "heuristic (player_1) · 4L", "search:100 (player_2) · 4L"):
        assert words in text
    assert "last moves: you: turn selector" in text
    assert "pairs are" not in text  # the legend says it
    assert "player_0 is to take the pair" in table.text(1, agents={0: "heuristic"})


def test_a_narrow_window_has_lists_in_place_of_the_drawing():
    table = open_game(grandmaster=True, num_players=3)
    text = table.text(0, width=40)
    assert "market 0: R·· gives RG (T)" in text.splitlines()
    assert "gap 5 2L" in " ".join(text.split())
    assert "[3 B/T]" in " ".join(open_game().text(0, width=40).split())


def test_the_challenge_stack():
    table = changed(open_game(num_players=1), challenge=["red"], revealed=["ring", "nothing"])
    assert has(table, "Challenge: 1 in the stack, revealed: ring, nothing")
    assert has(open_game(num_players=1), "Challenge: 6 in the stack, revealed: none")


def test_last_moves_and_other_editions():
    table = open_game(edition=EXAMPLE_EDITION)
    assert has(play(table, "turn selector"), "(edition example_edition.toml)", "last moves: player_0: turn selector")
    assert "reconstruction" not in table.text()


@pytest.mark.parametrize("options", GAME.variants, ids=lambda options: "-".join(map(str, options)) or "default")
def test_nothing_hidden_is_shown(options):
    generator = np.random.default_rng(3)
    table = open_game({}, **options)
    for _ in range(LEAKS):
        if table.ending:
            break
        for seat in range(table.players):
            other = table.redeal(seat, seed=int(generator.integers(1 << 30)))
            assert table.text(seat, moves=0) == other.text(seat, moves=0)
        table.play(int(generator.choice(np.flatnonzero(table.mask))))


# ---- The end


def test_infos_at_the_end_name_what_made_the_score():
    env = aec.TableEnv(GAME, grandmaster=True)
    env.table = changed(
        open_game(grandmaster=True),
        turn="player_1",
        seat=1,
        last_round=True,
        round_number=7,
        selector_set=True,
        takes=1,
        negotiations=1,
        gap_lira={},
        lira={"player_0": 20},
        works={"player_0": ["Vase"]},
        hand={"player_0": ["Ring", "Parrot"], "player_1": ["Canary"]},
    )
    env._sit_down()
    env.step(env.action_id("end turn"))
    assert env.summary("player_0") == {
        "score": 16,
        "lira": 20,
        "penalty": 4,
        "works": ["Vase"],
        "cards_left": 2,
        "rounds": 7,
        "ended_by": "MUR-11.7",
        "decisions": 1,
    }
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}


def end_of(table):
    """The clause that a game played at random ends by."""
    play_until(table, lambda _: False)
    return GAME.summary(table.record, table.options)[0]["ended_by"]


def test_infos_name_the_clause_that_ended_the_game():
    assert end_of(open_game(max_rounds=1)) == "MUR-12.3"
    assert end_of(open_game(num_players=1)) == "MUR-10.2"
    assert end_of(changed(open_game(), last_round=True, hand={"player_0": []})) == "MUR-12.1"
    assert end_of(changed(open_game(num_players=1), last_round=True, hand={"player_0": []})) == "MUR-12.1"


@pytest.mark.parametrize(("lira", "rank"), [(39, "Apprentice"), (40, "Artisan"), (45, "Master"), (50, "Grandmaster")])
def test_infos_of_the_solo_game_name_the_rank(lira, rank):
    table = changed(open_game(num_players=1), phase="over", lira={"player_0": lira}, hand={"player_0": []})
    assert GAME.summary(table.record, table.options)[0]["rank"] == rank
    table = changed(open_game(num_players=1), phase="over", lira={"player_0": lira})
    assert GAME.summary(table.record, table.options)[0]["rank"] is None
