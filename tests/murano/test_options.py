"""The options (MUR-14)."""

from itertools import product

import pytest

from cardtable.errors import OptionError
from cardtable.table import Table
from murano_env.env import GAME

pytestmark = pytest.mark.rules


REFUSED = [
    ({"num_players": 0}, "num_players=0: allowed: integers from 1 to 4"),
    ({"num_players": 5}, "num_players=5: allowed: integers from 1 to 4"),
    ({"num_players": 2.0}, r"num_players=2\.0"),
    ({"num_players": True}, "num_players=True"),
    ({"ring": "C"}, "ring='C': allowed: A, B"),
    ({"ring": "a"}, "ring='a'"),
    ({"ring": 1}, "ring=1"),
    ({"max_rounds": 0}, "max_rounds=0: allowed: integers from 1"),
    ({"max_rounds": 1.5}, r"max_rounds=1\.5"),
    ({"num_players": 1, "draft": True}, "draft=True with num_players=1"),
    ({"num_players": 1, "interactive": True}, "interactive=True with num_players=1"),
    ({"num_players": 1, "grandmaster": True}, "grandmaster=True with num_players=1"),
    ({"num_players": 4, "draft": True, "grandmaster": True}, "28 cards are needed, there are 24"),
    ({"advantages": [1, 2, 3]}, "expected 4 ids, one for each tile, found 3"),
    ({"advantages": [1, 2, 3, 4, 5]}, "expected 4 ids, one for each tile, found 5"),
    ({"advantages": []}, "expected 4 ids, one for each tile, found 0"),
    ({"advantages": [1, 2, 3, 3]}, "all must be different"),
    ({"advantages": [0, 1, 2, 3]}, "0 is not an integer from 1 to 20"),
    ({"advantages": [1, 2, 3, 21]}, "21 is not an integer from 1 to 20"),
    ({"advantages": [1, 2, 3, "4"]}, "'4' is not an integer"),
    ({"advantages": [True, 2, 3, 4]}, "True is not an integer"),
    ({"advantages": "all"}, "advantages='all': allowed: random, first_game, or a list of four ids"),
    ({"advantages": 4}, "advantages=4"),
    ({"advantages": None}, "advantages=None"),
    ({"advantages": [1, 2, 3, 17]}, "card 17 needs interactive=True"),
    ({"advantages": [20, 2, 3, 4]}, "card 20 needs interactive=True"),
    ({"interactive": True, "advantages": [1, 2, 3, 4]}, "expected one card from 17 to 20, found 0"),
    ({"interactive": True, "advantages": [1, 2, 18, 19]}, "expected one card from 17 to 20, found 2"),
    ({"interactive": True, "advantages": "first_game"}, "interactive=True with advantages='first_game'"),
    ({"grandmaster": True, "advantages": [1, 2, 3, 11]}, "with grandmaster=True: card 11 is out"),
    ({"expert_deck": True, "advantages": "first_game"}, "expert_deck=True with advantages='first_game'"),
    ({"expert_deck": True, "advantages": [1, 5, 6, 7]}, "with expert_deck=True: card 1 is out"),
    ({"expert_deck": True, "advantages": [5, 6, 7, 2]}, "with expert_deck=True: card 2 is out"),
    ({"draft": 1}, "draft=1: allowed: True, False"),
    ({"interactive": "yes"}, "interactive='yes'"),
    ({"grandmaster": None}, "grandmaster=None"),
    ({"expert_deck": 0}, "expert_deck=0"),
    ({"ring_face": "A"}, "unknown option 'ring_face'; allowed: num_players, ring"),
]


@pytest.mark.clause("MUR-14")
@pytest.mark.parametrize(("options", "said"), REFUSED, ids=[str(options) for options, _ in REFUSED])
def test_wrong_options_are_refused_with_the_reason(options, said):
    with pytest.raises(OptionError, match=f"murano_v0: .*{said}"):
        GAME.parse_options(options)


FOUR_IDS = {
    "base": [3, 4, 8, 16],
    "with 11": [3, 4, 8, 11],
    "with 1": [1, 4, 8, 16],
    "interactive": [3, 4, 8, 18],
}


def contradicts(players, advantages, expert_deck, draft, interactive, grandmaster):
    """Whether chapter 14 refuses a combination."""
    ids = FOUR_IDS.get(advantages)
    refused = players == 1 and (draft or interactive or grandmaster)
    refused |= players == 4 and draft and grandmaster
    refused |= advantages == "first_game" and (interactive or expert_deck)
    if ids:
        refused |= (advantages == "interactive") != interactive
        refused |= grandmaster and 11 in ids
        refused |= expert_deck and 1 in ids
    return refused


@pytest.mark.clause("MUR-14")
def test_all_else_combines():
    accepted = 0
    bools = (False, True)
    for face, *combination in product("AB", range(1, 5), ["random", "first_game", *FOUR_IDS], bools, bools, bools, bools):
        players, advantages, expert_deck, draft, interactive, grandmaster = combination
        options = {
            "num_players": players,
            "ring": face,
            "advantages": FOUR_IDS.get(advantages, advantages),
            "expert_deck": expert_deck,
            "draft": draft,
            "interactive": interactive,
            "grandmaster": grandmaster,
        }
        if contradicts(*combination):
            with pytest.raises(OptionError):
                GAME.parse_options(options)
        else:
            table = Table(GAME, GAME.parse_options(options))
            table.deal(seed=accepted)
            assert table.mask.any()
            accepted += 1
    assert accepted == 2 * (8 + 44 + 44 + 34)  # ring faces × what is left for one, two, three and four players


def test_options_are_plain_data_that_parse_again():
    for variant in GAME.variants:
        options = GAME.parse_options(variant)
        again = GAME.parse_options(options.to_dict())
        assert again.to_dict() == options.to_dict()
        assert again.cards.creations == options.cards.creations
