"""Murano on a large scale: what random games reach, and how they end."""

import json
import re

import numpy as np
import pytest
from helpers import play_checked, variant_id

from cardtable.audit import audit, fresh_games, prepare
from cardtable.cli.main import main
from cardtable.engine.jit import as_games
from murano_env.components import BUILT_IN_EDITION
from murano_env.env import GAME

from .positions import position

GAMES = 1_500
RARE = {"interactive": True, "advantages": [9, 19, 2, 16]}
"""Clumsiness empties Workbenches: a pass comes up sooner than elsewhere."""
NOT_BY_CHANCE = {"MUR-10.3"}
"""Nobody makes six works in seven turns at random; `test_challenge.py` has a game that is won."""


def play_out(games):
    """Play games to their ends, every position checked; how often each clause came up."""
    prepare(GAME)
    return play_checked(GAME, games)[1]


@pytest.mark.clause("MUR-5.4", "MUR-7.3")
def test_every_advantage_and_every_other_clause_comes_up_in_random_play():
    counts = {}
    for options in (*GAME.variants, RARE):
        *_, total = audit(GAME, options, GAMES, seed=3)
        counts = {name: counts.get(name, 0) + count for name, count in total.clauses.items()}
    print(counts)
    assert {name for name, count in counts.items() if count == 0} <= NOT_BY_CHANCE
    assert {f"MUR-8.{card}" for card in range(1, 17)} | {f"MUR-9.{number}" for number in range(3, 7)} < set(counts)


@pytest.mark.clause("MUR-10.3")
def test_a_last_turn_of_solo_is_won_at_random_if_the_shards_are_there():
    table = position(players=1, round_number=7, step="negotiated", left={0: 1}, hands={0: ["Vase"]}, benches={0: "RRYBT"})
    games = as_games(np.repeat(table._games, 100))
    games["index"] = np.arange(100)
    won = play_out(games)[GAME.clauses["MUR_10_3"]]
    assert 0 < won < 100


@pytest.mark.clause("MUR-6.3")
def test_every_creation_is_made_in_random_play():
    games = fresh_games(GAME, {"num_players": 4, "max_rounds": 12}, 1_000, seed=5)
    play_out(games)
    made = np.zeros(len(BUILT_IN_EDITION.names()), int)
    for place in range(games["works"].shape[2]):
        made += np.bincount(games["works"][..., place][games["works_size"] > place], minlength=len(made))
    print(dict(zip(BUILT_IN_EDITION.names(), made.tolist(), strict=True)))
    assert made.min() > 0


@pytest.mark.clause("MUR-12.3")
@pytest.mark.parametrize("options", GAME.variants, ids=variant_id)
def test_the_command_line_tells_the_share_of_games_that_are_cut_off(options, capsys):
    given = [f"{name}={value if name == 'edition' else json.dumps(value)}" for name, value in options.items()]
    arguments = [argument for option in given for argument in ("-o", option)]
    assert main(["random", "murano", "--games", "100", *arguments]) == 0
    said = capsys.readouterr().out
    share = float(re.search(r"cut off: ([\d.]+)%", said)[1])
    print(options, said.splitlines()[1], f"cut off: {share}%", sep="\n")
    if options.get("num_players") == 1 or options.get("grandmaster"):
        assert share == 0
    else:
        assert share > 50
