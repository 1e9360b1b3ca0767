"""What each choice does in Muster, in short, where its name does not say it."""

from collections.abc import Callable, Sequence

from cardtable.game.record import SEATS
from cardtable.game.sight import View
from muster_env.actions import ACTIONS
from muster_env.components import BRIDGE_PIECE
from muster_env.constants import BRIDGE_STRENGTH, WIZARD_STRENGTH
from muster_env.options import MusterOptions
from muster_env.render import STRENGTH, short_card, strength

WILD = "rainbow castle"
PLAIN: tuple[str, ...] = ()
"""Blocks of actions whose names say all."""


def sides(view: View) -> tuple[str, str]:
    """The player to act, and the other one."""
    return SEATS[view["seat"]], SEATS[1 - view["seat"]]


def stronger(view: View, castle: str, more: int) -> str:
    """How strong the own column becomes, and the other one beside it."""
    own, other = sides(view)
    before = strength(view, own, castle)
    return f"{before} to {before + more}, theirs {strength(view, other, castle)}"


def onto_space(view: View, castle: str, card: str) -> str:
    """What a card on a castle space covers, and what it makes of the castle (MUS-4.4b)."""
    cards = view["castle"][castle]
    if card == WILD:
        return f"wild, buries {len(cards)}" if cards else "wild"
    if cards and cards[-1] == WILD:
        return "no longer wild"
    return f"on {short_card(cards[-1], castle)}" if cards else "empty"


# ---- By the block of the action


def explain_play(view: View, labels: Sequence[str]) -> str:
    """MUS-4.1."""
    card, castle = labels
    return stronger(view, castle, STRENGTH[card])


def explain_wizard(view: View, labels: Sequence[str]) -> str:
    """MUS-4.2."""
    return stronger(view, labels[0], WIZARD_STRENGTH)


def explain_move(view: View, labels: Sequence[str]) -> str:
    """MUS-4.3."""
    _, source, _, goal = labels[0].split()
    own, _ = sides(view)
    old, new = strength(view, own, source), strength(view, own, goal)
    return f"{source} {old} to {old - WIZARD_STRENGTH}, {goal} {new} to {new + WIZARD_STRENGTH}; turns up a card"


def explain_lay(view: View, labels: Sequence[str]) -> str:
    """MUS-4.4."""
    return onto_space(view, labels[0].split()[0], labels[0])


def explain_lay_wizard(view: View, labels: Sequence[str]) -> str:
    """MUS-4.4."""
    return onto_space(view, labels[0], "wizard/bridge")


def explain_lay_castle(view: View, labels: Sequence[str]) -> str:
    """MUS-4.4."""
    return onto_space(view, labels[0], WILD)


def explain_bridge(view: View, labels: Sequence[str]) -> str:
    """MUS-4.5, 7.3: Bridges lead from the strength of the top card to one below the new one."""
    card, castle = labels
    pieces = view["column"][sides(view)[0]][castle]
    bridges = STRENGTH[card] - (STRENGTH[pieces[-1]] if pieces else 0) - 1
    cards = f"{bridges} Bridges, " if bridges > 1 else ""
    return cards + stronger(view, castle, STRENGTH[card] + bridges * BRIDGE_STRENGTH)


def explain_swap(view: View, labels: Sequence[str]) -> str:
    """MUS-4.6: what comes to the hand, and how the column changes."""
    card, side, castle = labels
    owner = sides(view)[side == "other"]
    gone = BRIDGE_STRENGTH if takes_bridge(view, owner, castle, STRENGTH[card]) else WIZARD_STRENGTH
    before = strength(view, owner, castle)
    whose = "yours" if side == "own" else "theirs"
    rainbow = "Bridge" if gone == BRIDGE_STRENGTH else "Wizard"
    return f"the {rainbow} to your hand, {whose} {before} to {before - gone + STRENGTH[card]}"


def takes_bridge(view: View, owner: str, castle: str, wanted: int) -> bool:
    """Whether a card of that strength takes the place of a Bridge, not of a Wizard (MUS-4.6b, 4.6d, 7.1)."""
    stands_for = 0
    for piece in view["column"][owner][castle]:
        stands_for = stands_for + 1 if piece == BRIDGE_PIECE else STRENGTH[piece]
        if piece == BRIDGE_PIECE and stands_for == wanted and not view["streamlined"]:
            return True
    return False


def explain_draw_pile(view: View, _: Sequence[str]) -> str:
    """MUS-5.1."""
    return f"unseen, {len(view['pile'])} left"


def explain_draw_castle(view: View, labels: Sequence[str]) -> str:
    """MUS-5.1."""
    card: str = view["castle"][labels[0]][-1]
    return card


def explain_place(view: View, labels: Sequence[str]) -> str:
    """MUS-4.3b."""
    return onto_space(view, labels[0], view["turned_up"])


EXPLAIN: dict[str, Callable[[View, Sequence[str]], str]] = {
    "play": explain_play,
    "wizard": explain_wizard,
    "move": explain_move,
    "lay": explain_lay,
    "lay_wizard": explain_lay_wizard,
    "lay_castle": explain_lay_castle,
    "bridge": explain_bridge,
    "swap": explain_swap,
    "draw_pile": explain_draw_pile,
    "draw_castle": explain_draw_castle,
    "place": explain_place,
}
"""Block of actions -> what an action of it does."""


def explain(view: View, _: MusterOptions, action: int) -> str:
    """What a legal action does, by what its player sees; empty where its name says it."""
    played = ACTIONS.played(view["seat"], action)
    return EXPLAIN[played.block](view, played.labels) if played.block in EXPLAIN else ""
