"""Options (ART-7)."""

import pytest

from artisans_env.env import GAME
from cardtable.errors import OptionError

pytestmark = pytest.mark.rules


@pytest.mark.clause("ART-1.1", "ART-2.3", "ART-4.9")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"num_players": 1}, "num_players=1: allowed: integers from 2 to 4"),
        ({"num_players": 5}, "num_players=5"),
        ({"max_visits": 0}, "max_visits=0: allowed: integers from 1"),
        ({"max_visits": 1.5}, r"max_visits=1\.5"),
        ({"artisans": "all"}, "artisans='all': allowed: draft, random, or a list"),
        ({"artisans": 3}, "artisans=3"),
        ({"artisans": ["sculptor"]}, "1 names for num_players=2"),
        ({"artisans": ["sculptor", "sculptor"]}, "all must be different"),
        ({"artisans": ["sculptor", "potter"]}, "'potter' is not one of gold_lover"),
        ({"artisans": ["sculptor", 4]}, "4 is not one of"),
        ({"artisan": "draft"}, "unknown option 'artisan'"),
    ],
)
def test_wrong_options_are_refused_by_name(options, said):
    with pytest.raises(OptionError, match=said):
        GAME.parse_options(options)


def test_options_are_plain_data_that_parse_again():
    for variant in GAME.variants:
        options = GAME.parse_options(variant)
        again = GAME.parse_options(options.to_dict())
        assert again.to_dict() == options.to_dict()
        assert again.cards.objects == options.cards.objects
