"""The action space of Artisans (ART-9.2): 102 actions; an id means the same in every state, for whoever moves."""

from artisans_env.components import ARTISANS, MATERIALS
from artisans_env.constants import HAND_LIMIT, MARKET_SLOTS, ROW_PLACES
from cardtable.game.actions import ActionSpace, Block

_PLACES = tuple(str(place) for place in range(ROW_PLACES))
_SLOTS = tuple(str(slot) for slot in range(MARKET_SLOTS))
_COUNTS = tuple(str(count) for count in range(1, HAND_LIMIT + 1))

ACTIONS = ActionSpace(
    Block("choose", "choose {}", (ARTISANS,), "choose an artisan (ART-2.3)"),
    Block("reserve", "reserve row {}", (_PLACES,), "reserve the object at a place of the row (ART-8.9)"),
    Block("craft", "craft row {}", (_PLACES,), "craft the object at a place of the row (ART-4.6, 6.1)"),
    Block("craft_reserved", "craft reserved", (), "craft the own reserved object (ART-8.9)"),
    Block("take", "take slot {}", (_SLOTS,), "take the card of a market slot into a hand of fewer than six (ART-4.3)"),
    Block(
        "exchange",
        "exchange slot {} for {}",
        (_SLOTS, MATERIALS),
        "take the card of a market slot and put down a card of this material (ART-4.2)",
    ),
    Block("token", "take token", (), "take the first-player token (ART-4.7)"),
    Block("develop", "develop {} x{}", (MATERIALS, _COUNTS), "put so many cards at the next level of a material (ART-5.1)"),
    Block("pass_turn", "pass", (), "do nothing, where that is allowed (ART-9.3)"),
)

AT = ACTIONS.at
