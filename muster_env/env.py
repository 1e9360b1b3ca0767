"""spec"""

from typing import Any

from pettingzoo import AECEnv

from cardtable import aec
from cardtable.batch import BatchEnv
from cardtable.game import Deck, Game
from cardtable.record import NOBODY
from cardtable.scoring import Ending
from muster_env.actions import ACTIONS
from muster_env.check import check, derive
from muster_env.clauses import Clause, witness
from muster_env.components import BANNERS
from muster_env.constants import CASTLES, PLAYERS, STRENGTH_WORTH, Fault
from muster_env.observation import HIDDEN, LAYOUT, observe, observe_hidden
from muster_env.options import MusterOptions
from muster_env.render import text
from muster_env.rules import apply, legal, redeal_hidden, set_up, shuffle_decks
from muster_env.scoring import holder, is_over, returns, scores
from muster_env.state import STATE


def decided_by(game: Any, castle: int) -> str:
    """What gave a castle to its holder: strength (MUS-6.2), banner cards or nothing (MUS-6.3)."""
    if game.standing[0, castle] // STRENGTH_WORTH != game.standing[1, castle] // STRENGTH_WORTH:
        return "strength"
    return "nobody" if holder(game, castle) == NOBODY else "banner cards"


def infos(game: Any) -> list[dict[str, Any]]:
    """What `infos` say when the game is over: each seat's score and castles, how they were decided, how the game ended."""
    holders = [int(holder(game, castle)) for castle in range(CASTLES)]
    common = {
        "ended_by": "MUS-6.1" if is_over(game) == Ending.TERMINATED else "MUS-6.5",
        "decided_by": {name: decided_by(game, castle) for castle, name in enumerate(BANNERS)},
        "turns": int(game.turn),
        "decisions": int(game.length),
    }
    held = [[name for name, side in zip(BANNERS, holders, strict=True) if side == seat] for seat in range(PLAYERS)]
    return [{"score": len(castles), "castles": castles, **common} for castles in held]


GAME = Game(
    id="muster_v0",
    title="Muster",
    rules_version=1,
    options=MusterOptions,
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
    decks={"pile": Deck("deck", "all 47 cards; 1-5 go to player_0, 6-10 to player_1 (MUS-2.1)")},
    infos=infos,
    text=text,
    variants=(
        {},
        {"streamlined": True},
        {"power_of_unity": True},
        {"over_the_rainbow": True},
        {"streamlined": True, "power_of_unity": True},
        {"streamlined": True, "over_the_rainbow": True},
        {"power_of_unity": True, "over_the_rainbow": True},
        {"streamlined": True, "power_of_unity": True, "over_the_rainbow": True},
        {"max_turns": 20},
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
