"""What the picture of the table shows to a person at a seat (MUR-1.7, 15.1), and what can be clicked on it."""

from xml.etree import ElementTree

import numpy as np
import pytest

from cardtable.support.svg import is_named
from murano_env.components import ADVANTAGES
from murano_env.constants import Advantage, Phase
from murano_env.env import EXAMPLE_EDITION, GAME
from murano_env.render import DOES

from .tables import changed, open_game, play

SVG = "{http://www.w3.org/2000/svg}"
LARGE_BENCH = {"red": 3, "green": 1, "yellow": 1, "transparent": 3}
BUTTONS = {"done", "end_turn"}
"""Blocks that name nothing on the table."""
SAMPLE = 6  # every so many decisions


def root_of(table, seat=None):
    """The picture as a seat, by default the one to act, sees it."""
    return ElementTree.fromstring(table.picture(table.seat if seat is None else seat))


def words(table, seat=None):
    """All lines of text of a picture, joined."""
    return "\n".join(each.text or "" for each in root_of(table, seat).iter(f"{SVG}text"))


def has(table, *lines, seat=None):
    """Whether the picture says all this."""
    shown = words(table, seat)
    for line in lines:
        assert line in shown.splitlines(), f"{line}\n{shown}"
    return True


def parts(table):
    """data-part -> the letters and words on that part, for the seat to act."""
    found = {}
    for each in root_of(table).iter():
        if "data-part" in each.attrib:
            found.setdefault(each.attrib["data-part"], []).append([text.text for text in each.iter(f"{SVG}text")])
    return found


def height(table, seat=None):
    """How high a picture is."""
    return root_of(table, seat).attrib["height"]


# ---- What is shown


def test_the_heading_says_who_decides_what_and_how_far_the_turn_has_come():
    table = play(open_game({}, num_players=3, ring="B", expert_deck=True), "turn selector", "take pair")
    assert has(table, "Murano: Light Masters", "edition: a reconstruction · Ring B · expert deck", "round 1")
    assert has(table, "player_0 (you) is to negotiate", "1 take", "0 actions", "0 works")
    assert has(table, "player_0 is to negotiate", seat=1)


def test_the_pair_of_the_selector_is_a_part_of_its_own():
    table = open_game()
    # circle R G Y B G R B Y R B G Y, Ring A: T R G T Y B T R Y T G B, the Selector at notch 3
    assert parts(table)["take_pair"] == [["B", "T"]]
    assert parts(play(table, "turn selector"))["take_pair"] == [["G", "Y"]]
    assert parts(play(table, "turn ring"))["take_pair"] == [["G", "B"]]


def test_a_market_shows_its_shards_and_what_an_exchange_gives():
    table = changed(open_game(), market={"market 0": {"red": 1, "blue": 1}}, warehouse={"red": 1, "yellow": 2})
    assert parts(table)["exchange:*:0|market:0"] == [["market 0", "gives", "R"]]  # green and transparent have run out
    assert parts(table)["exchange:*:2|market:2"] == [["market 2", "gives", "R", "Y"]]
    assert parts(open_game(ring="B"))["exchange:*:0|market:0"] == [["market 0", "gives", "(", "T", ")", "(", "T", ")", "R"]]


def test_the_warehouse_says_how_many_shards_there_are():
    table = changed(open_game(), warehouse={"red": 7, "green": 0, "yellow": 2, "blue": 1, "transparent": 6})
    shown = parts(table)
    assert shown["take:red|swap:*:red"] == [["R", "7"]]
    assert shown["take:green|swap:*:green"] == [["G", "0"]]
    assert shown["take:transparent"] == [["T", "6"]]


@pytest.mark.parametrize("card", Advantage)
def test_every_advantage_says_what_it_does(card):
    table = open_game(num_players=2)
    table = changed(table, advantage={"art": ADVANTAGES[card]})
    shown = " ".join(words(table).split("\n"))
    assert f"{card + 1} {ADVANTAGES[card].capitalize()} {DOES[card]}" in shown


def test_the_own_hand_is_shown_with_recipes_categories_and_what_is_lacking():
    hand = ["Vase", "Earrings", "Tree frog"]
    bench = {"red": 2, "blue": 1, "transparent": 1}
    table = changed(open_game(), hand={"player_0": hand}, bench={"player_0": bench})
    shown = parts(table)
    assert shown["make:y|arrange:1"] == [["1", "Vase", "R", "R", "Y", "B", "tableware", "at hand, T for Y"]]
    assert shown["reorder:3|arrange:3"] == [["3", "Tree frog", "G", "G", "G", "B", "jewels", "animals", "lacks GGG, less 1 T"]]


def test_other_hands_are_backs_and_works_are_open():
    table = changed(
        open_game(),
        hand={"player_1": ["Vase", "Earrings"]},
        works={"player_1": ["Tree frog", "Harlequin"]},
        set_aside={"Harlequin": 1},
    )
    assert has(table, "position 1", "position 2", "Tree frog", "jewels, animals", "Harlequin", "used: art", seat=0)
    assert "Earrings" not in words(table, 0).split("player_1")[1]
    assert "Earrings" in "".join(ElementTree.fromstring(table.picture(None)).itertext())


def test_benches_over_eight_are_shown_whole():
    table = changed(open_game(), bench={"player_0": {"red": 5, "blue": 6}})
    assert len(parts(table)["give_up:red|exchange:red|swap:red"]) == 5
    assert len(parts(table)["give_up:blue|exchange:blue|swap:blue"]) == 6


def test_the_draft_shows_the_pack_and_the_cards_kept():
    table = open_game(draft=True)
    name = GAME.actions.names[int(np.flatnonzero(table.mask)[0])]
    assert has(table, "player_0 (you) keeps a card of the pack")
    assert sum(part.startswith("draft:") for part in parts(table)) == 7
    play(table, name)
    assert words(table, 0).splitlines().count("of the pack") == 6
    assert words(table, 0).splitlines().count("kept") == 1
    assert words(table, 1).splitlines().count("pack") == 6


def test_gap_lira_the_owl_and_the_score_of_a_grandmaster():
    table = open_game(num_players=3, grandmaster=True)
    assert has(table, "1L", "2L", "score -8 · to act", "score -8 · has the Owl", seat=0)
    owl = changed(table, owl="player_0")
    assert [part for part in parts(owl) if part.startswith("owl:")] == [f"owl:{position}" for position in range(2, 7)]


def test_the_challenge_stack_is_closed_and_what_was_revealed_open():
    table = changed(open_game(num_players=1), revealed=["ring", "blue"], challenge=["nothing"] * 4)
    assert has(table, "Challenge", "4 in the stack", "ring", "B")
    assert "nothing" not in words(table).splitlines()


def test_an_edition_is_named_and_its_cards_are_shown():
    table = open_game(edition=EXAMPLE_EDITION)
    assert "edition: example_edition.toml · Ring A" in words(table)
    assert table.view(0)["hand"]["player_0"][0] in words(table).splitlines()


# ---- The end


def test_the_end_brings_the_reckoning():
    table = changed(
        open_game(num_players=3),
        phase="over",
        last_round=True,
        lira={"player_0": 9, "player_1": 12, "player_2": 12},
        works={"player_1": ["Tree frog", "Harlequin"], "player_2": ["Canary"]},
    )
    assert has(table, "Game over: player_2 wins", "The reckoning", "12L, 2 works", "12L, 1 work", "wins", seat=0)
    assert not parts(table)


def test_a_win_can_be_shared_and_a_game_cut_off():
    table = changed(open_game(max_rounds=1), phase="over", lira={"player_0": 9, "player_1": 9})
    assert has(table, "Game over (cut off after 1 round): player_0 and", "player_1 (you) share the win", seat=1)


@pytest.mark.parametrize(("lira", "rank"), [(39, "Apprentice"), (40, "Artisan"), (45, "Master"), (50, "Grandmaster")])
def test_the_rank_of_the_challenge(lira, rank):
    table = changed(open_game(num_players=1), phase="over", lira={"player_0": lira}, hand={"player_0": []})
    assert has(table, f"Game over: won as {rank}")
    assert has(changed(table, hand={"player_0": ["Vase"]}), "Game over: lost, 1 work not made")


# ---- Clicks


def singled_out(table):
    """The blocks of legal actions that clicks do not single out."""
    legal = [GAME.actions.played(table.seat, int(action))[1:] for action in np.flatnonzero(table.mask)]
    names = list(parts(table))
    open_still = set()
    for action in legal:
        named = [name for name in names if is_named(name, *action)]
        left = [other for other in legal if all(is_named(name, *other) for name in named)]
        if left != [action]:
            open_still.add(action[0])
    return open_still


@pytest.mark.parametrize("options", GAME.variants, ids=str)
def test_clicks_single_out_every_legal_action(options):
    table, generator, tried, phases = open_game({}, **options), np.random.default_rng(1), 0, set()
    while not table.ending:
        legal = np.flatnonzero(table.mask)
        phase = table.view(None)["phase"]
        if len(table.history) % SAMPLE == 0 or phase not in phases:
            assert singled_out(table) <= BUTTONS, table.text()
            tried += 1
            phases.add(phase)
        table.play(int(generator.choice(legal)))
    assert tried > 8


def test_shards_that_stand_for_others_leave_a_choice_of_makes():
    table = play(
        changed(open_game(), hand={"player_0": ["Vase"]}, bench={"player_0": LARGE_BENCH}), "turn selector", "take pair"
    )
    table = changed(table, negotiations=1, collect_closed=True, phase="turn", bench={"player_0": LARGE_BENCH})
    assert table.record.phase == Phase.TURN
    assert singled_out(table) <= BUTTONS
    assert (
        len([part for part in parts(table) if part.startswith("make:")])
        == len([name for name in table.legal_actions() if name.startswith("make")]) + 1
    )  # the card itself is made with the fewest


def test_only_who_decides_can_click():
    table = open_game()
    assert "data-part" in table.picture(0)
    assert "data-part" not in table.picture(1)
    assert "data-part" not in table.picture(None)


# ---- A film


@pytest.mark.parametrize("options", [{"draft": True}, {"num_players": 1}, {"num_players": 3, "grandmaster": True}], ids=str)
def test_all_pictures_of_a_game_have_one_size(options):
    table, generator, heights = open_game({}, **options), np.random.default_rng(2), set()
    while not table.ending:
        heights.add(height(table, 0))
        table.play(int(generator.choice(np.flatnonzero(table.mask))))
    assert len(heights | {height(table, 0)}) == 1
