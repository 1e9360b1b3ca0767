"""The action space of Murano (MUR-16): 243 actions; an id means the same in every state, for whoever moves."""

from itertools import product

import numpy as np

from cardtable.game.actions import ActionSpace, Block
from cardtable.types import Integers
from murano_env.components import CATEGORY_NAMES, COLOUR_NAMES, SHARD_NAMES
from murano_env.constants import COLOURS, CREATION_KINDS, LARGEST_HAND, MARKETS, MOST_PLAYERS, NOTCHES, RECIPE_SIZE

REPLACED = tuple(vector for vector in product(range(RECIPE_SIZE + 1), repeat=COLOURS) if sum(vector) <= RECIPE_SIZE)
"""How many shards of each colour transparent ones stand for (MUR-6.1): every choice there can be."""

MAKE: Integers = np.full((RECIPE_SIZE + 1,) * COLOURS, -1, np.int16)
"""How many shards of each colour transparent ones stand for -> the number within the block `make`."""
for _number, _vector in enumerate(REPLACED):
    MAKE[_vector] = _number


def _letters(vector: tuple[int, ...]) -> str:
    """The colours replaced, by their first letters: `rrg`."""
    return "".join(name[0] * times for name, times in zip(COLOUR_NAMES, vector, strict=True)) or "none"


def _works() -> tuple[str, ...]:
    """Tile × kind of work: one with that category alone, or with another one besides."""
    pairs = product(CATEGORY_NAMES, repeat=2)
    return tuple(f"{tile} with {tile}" if tile == other else f"{tile} with {tile}+{other}" for tile, other in pairs)


_MARKETS = tuple(str(market) for market in range(MARKETS))
_POSITIONS = tuple(str(position) for position in range(1, LARGEST_HAND + 1))
_NEIGHBOURS = tuple(str(steps) for steps in range(1, MOST_PLAYERS))
_STEPS = tuple(str(steps) for steps in range(1, NOTCHES))
_CARDS = tuple(str(card) for card in range(CREATION_KINDS))

ACTIONS = ActionSpace(
    Block("turn_selector", "turn selector", (), "turn the Selector one notch clockwise (MUR-4.1)"),
    Block("take_pair", "take pair", (), "take the two shards that the Selector points at (MUR-4.1)"),
    Block("take", "take {}", (SHARD_NAMES,), "take a shard from the Warehouse (MUR-4.2, 8.1, 8.2, 8.5)"),
    Block("give_up", "give up {}", (SHARD_NAMES,), "give up a shard of one's own (MUR-4.3, 9.5), or name it (MUR-9.6)"),
    Block("done", "done", (), "no replacement (MUR-4.2), end of a choice (MUR-5.3, 8.5, 8.15), or the pass of MUR-5.4"),
    Block(
        "exchange",
        "exchange {} at market {}",
        (SHARD_NAMES, _MARKETS),
        "put a shard on a market, take its three (MUR-5.1, 8.5)",
    ),
    Block("buy", "buy market {}", (_MARKETS,), "take all shards of a market (MUR-5.2, 8.3)"),
    Block("sell", "sell {}", (SHARD_NAMES,), "return a shard for money (MUR-5.3, 8.4)"),
    Block(
        "make",
        "make replacing {}",
        (tuple(_letters(vector) for vector in REPLACED),),
        "make the work in position 1; transparent shards stand for these colours (MUR-6.1)",
    ),
    Block("reorder", "reorder to {}", (_POSITIONS[1:],), "put the card in position 1 at another position (MUR-7.1)"),
    Block("turn_ring", "turn ring", (), "turn the Ring one notch counter-clockwise (MUR-7.2)"),
    Block("use", "use {}", (_works(),), "use the Advantage of a tile by setting aside such a work (MUR-7.3)"),
    Block("owl", "owl brings {}", (_POSITIONS[1:],), "give the Owl away, bring this card to the front (MUR-11.6)"),
    Block(
        "arrange", "arrange {}", (_POSITIONS,), "this card of the old order comes next (MUR-8.8); never 7 (MUR-16)", secret=True
    ),
    Block("lift", "lift from market {} {}", (_MARKETS, SHARD_NAMES), "the shard to be moved to another market (MUR-8.13)"),
    Block("market", "choose market {}", (_MARKETS,), "the market it goes to (MUR-8.13); the one to be emptied (MUR-10.1)"),
    Block("turn_by", "turn ring by {}", (_STEPS,), "turn the Ring so many notches counter-clockwise (MUR-8.16)"),
    Block("swap", "swap {} for {}", (SHARD_NAMES, COLOUR_NAMES), "return a shard, take another from the Warehouse (MUR-8.15)"),
    Block(
        "neighbour",
        "neighbour {} {}",
        (_NEIGHBOURS, SHARD_NAMES),
        "a player, so many seats to the left, and a kind of shard (MUR-9.3, 9.4, 9.6)",
    ),
    Block("draft", "draft card {}", (_CARDS,), "keep this card of the pack, by its number (MUR-9.1)", secret=True),
    Block("end_turn", "end turn", (), "end the turn (MUR-3.3)"),
)

AT = ACTIONS.at
