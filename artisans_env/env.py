"""spec"""

from pathlib import Path
from typing import Any

from pettingzoo import AECEnv

from artisans_env.actions import ACTIONS
from artisans_env.check import check, derive
from artisans_env.clauses import Clause, witness
from artisans_env.components import ARTISANS
from artisans_env.constants import Fault
from artisans_env.deals import place_artisans, place_first_deck, place_second_deck
from artisans_env.information import redeal_hidden
from artisans_env.observation import HIDDEN, LAYOUT, observe, observe_hidden
from artisans_env.options import ArtisansOptions
from artisans_env.render import text
from artisans_env.rounds import set_up, shuffle_decks
from artisans_env.rules import apply, legal
from artisans_env.scoring import developed_cards, is_over, penalty, returns, score_of, scores
from artisans_env.state import STATE
from cardtable import aec
from cardtable.batch import BatchEnv
from cardtable.game import Deck, Game
from cardtable.record import NOBODY

EXAMPLE_EDITION = Path(__file__).with_name("example_edition.toml")
"""An edition file to look at, and to play with objects that are easy to craft."""


def infos(game: Any, options: ArtisansOptions) -> list[dict[str, Any]]:
    """What `infos` say when the game is over: each seat's score and its parts, objects, artisan, how the game ended."""
    names = options.cards.names()
    return [
        {
            "score": int(score_of(game, seat)),
            "levels": int(game.level_points[seat]),
            "objects": int(game.object_points[seat]),
            "bonus": int(game.bonus[seat]),
            "penalty": int(penalty(game, seat)),
            "crafted": [names[each] for each, maker in enumerate(game.maker) if maker == seat],
            "developed_cards": int(developed_cards(game, seat)),
            "artisan": ARTISANS[game.artisan[seat]] if game.artisan[seat] != NOBODY else None,
            "ended_by": "ART-6.1",
            "decisions": int(game.length),
        }
        for seat in range(game.num_players)
    ]


GAME = Game(
    id="artisans_v0",
    title="Artisans",
    rules_version=1,
    options=ArtisansOptions,
    state=STATE,
    actions=ACTIONS,
    layout=LAYOUT,
    hidden=HIDDEN,
    clauses=Clause,
    faults=Fault,
    kernels={
        "shuffle_decks": shuffle_decks,
        "set_up": set_up,
        "legal": legal,
        "apply": apply,
        "is_over": is_over,
        "scores": scores,
        "returns": returns,
        "observe": observe,
        "observe_hidden": observe_hidden,
        "redeal_hidden": redeal_hidden,
        "derive": derive,
        "check": check,
        "witness": witness,
    },
    decks={
        "pile": Deck(
            "materials", "all material cards; one each to player_0, player_1, … six times, then five to the market (ART-2.1)"
        ),
        "deck_1": Deck("deck_1", "ten objects: 4 of 3 points, 3 of 4, 2 of 5, 1 of 6 (ART-2.2)", place_first_deck),
        "deck_2": Deck("deck_2", "ten objects: 1 of 4 points, 2 of 5, 3 of 6, 4 of 7 (ART-2.2)", place_second_deck),
        "artisan": Deck("artisans", "one artisan per seat, with `artisans='random'` only (ART-2.3)", place_artisans),
    },
    infos=infos,
    text=text,
    variants=(
        {},
        {"num_players": 3},
        {"num_players": 4},
        {"num_players": 3, "artisans": "random"},
        {"artisans": ["night_worker", "opportunist"]},
        {"num_players": 3, "artisans": ["gold_lover", "sculptor", "versatile"]},
        {"num_players": 4, "artisans": ["provident", "perfectionist", "specialist", "compulsive_collector"]},
        {"num_players": 3, "max_visits": 1},
        {"num_players": 4, "edition": EXAMPLE_EDITION},
    ),
)


def raw_env(**options: Any) -> aec.TableEnv:
    """The environment without PettingZoo's wrapper: faster, and safe on its own."""
    return aec.TableEnv(GAME, **options)


def env(**options: Any) -> AECEnv:
    """The environment in PettingZoo's order-enforcing wrapper."""
    return aec.env(GAME, **options)


def batch_env(num_games: int, seed: int | None = None, **options: Any) -> BatchEnv:
    """Many games stepped in one compiled call."""
    return BatchEnv(GAME, num_games, seed, **options)
