"""What each choice does in Murano: what the words promise is what happens."""

import re
from collections import Counter

import numpy as np
import pytest
from helpers import variant_id, walk

from murano_env.components import LETTERS
from murano_env.env import GAME

from .tables import changed, open_game, play

pytestmark = pytest.mark.rules


def does(table, name):
    return table.explain(GAME.actions.id_of(name))


def shards(letters):
    return Counter(LETTERS[letter] for letter in letters if letter in LETTERS)


def gained(before, after, side):
    """What came to a Workbench, and how many Lira."""
    old, new = Counter(before["bench"][side]), Counter(after["bench"][side])
    return new - old, old - new, after["lira"][side] - before["lira"][side]


@pytest.mark.parametrize("options", GAME.variants, ids=variant_id)
def test_shards_and_lira_are_as_foretold(options):
    checked = Counter()
    for table in walk(GAME, {**options, "max_rounds": 12}, games=2, seed=4):
        seat, before = table.seat, table.view(table.seat)
        side = f"player_{seat}"
        for action in np.flatnonzero(table.mask).tolist()[::2]:
            block, labels = GAME.actions.played(seat, action)[1:]
            words, ahead = table.explain(action), table.clone()
            ahead.play(action)
            got, given, lira = gained(before, ahead.view(seat), side)
            if block == "exchange" and words.startswith("get"):
                assert got - given == shards(words.split(",")[0][4:]) - Counter([labels[0]])
            elif block == "make":
                assert lira == int(re.search(r"gain (-?\d+)L", words)[1])
                assert words.startswith(before["hand"][side][0])
            elif block in ("reorder", "turn_ring"):
                assert lira == -1
                assert words.startswith("1L, ")
            elif block == "turn_selector":
                notch, pair = re.match(r"to notch (\d+), (./.)", words).groups()
                assert ahead.view(seat)["selector"] == f"notch {notch}"
                assert f"[{notch} {pair}]" in ahead.text(seat)
            elif block == "done" and "gain" in words:
                assert lira == int(re.fullmatch(r"gain (\d+)L", words)[1])
            else:
                continue
            checked[block] += 1
    assert min(checked["exchange"], checked["turn_selector"], checked["turn_ring"]) > 3, checked


def test_the_pair_after_a_turn_of_the_ring_is_the_pair_that_is_taken():
    table = play(open_game(), "turn selector")
    foretold = does(table, "turn ring").removeprefix("1L, the pair becomes ")
    assert does(play(table, "turn ring"), "take pair") == foretold


def test_what_a_market_costs_and_holds():
    fields = {"selector_set": True, "takes": 1, "lira": {"player_0": 5}, "market": {"market 1": {"red": 1, "transparent": 2}}}
    table = changed(open_game(), **fields)
    assert does(table, "buy market 1") == "RTT for 2L"
    before = table.view(0)
    got, given, lira = gained(before, play(table, "buy market 1").view(0), "player_0")
    assert (got, given, lira) == (shards("RTT"), Counter(), -2)


def test_missing_and_surplus_shards_are_foretold():
    table = play(open_game(), "turn selector")  # 4 G/Y
    assert does(table, "take pair") == "G/Y"
    assert does(changed(table, warehouse={"yellow": 0, "green": 3}), "take pair") == "G/Y, 1 missing: another for it"
    assert does(changed(table, bench={"player_0": {"red": 7}}), "take pair").endswith(", 1 over 8")


def test_an_advantage_says_what_it_does_and_what_is_set_aside():
    table = changed(open_game(advantages=[1, 3, 4, 5]), works={"player_0": ["Millefiori", "Harlequin"]})
    assert does(table, "use art with art") == "Present, any time: take 1 red or green; sets aside Millefiori"


def test_a_card_of_the_pack_is_shown_with_its_recipe():
    table = open_game(draft=True)
    for name in table.legal_actions():
        words = does(table, name)
        assert words.split("  ")[0] in table.view(0)["pack"]["player_0"]
        assert re.search(r"  [RGYB]{4}  ", words)


@pytest.mark.parametrize(
    ("fields", "name", "words"),
    [
        ({"phase": "sell", "sale": 4}, "done", "gain 4L"),
        ({"phase": "replace", "missing": 1}, "done", "no shard for the missing one"),
        ({"phase": "return", "bench": {"player_0": {"red": 9}}}, "give up red", "to the Warehouse"),
        ({"phase": "free"}, "buy market 0", "R for nothing"),
        ({"phase": "merchant", "bench": {"player_0": {"red": 2}}}, "sell red", "and more, 4L in all"),
    ],
)
def test_the_same_name_means_what_is_decided_now(fields, name, words):
    view = changed(open_game(), **fields).view(0)
    assert GAME.explain(view, GAME.parse_options({}), GAME.actions.id_of(name)) == words
