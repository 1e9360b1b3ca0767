"""What each choice does in Murano, in short, where its name does not say it."""

from collections.abc import Callable, Sequence

from cardtable.game.record import SEATS
from cardtable.game.sight import View
from murano_env.actions import ACTIONS
from murano_env.components import ADVANTAGES
from murano_env.constants import (
    BENCH_LIMIT,
    BUY_PRICE,
    MERCHANT_PAYS,
    NOTCHES,
    RECIPE_SIZE,
    SECOND_WORK_PAYS,
    SELL_PAYS,
    SOLO,
    Advantage,
    Phase,
)
from murano_env.options import MuranoOptions
from murano_env.render import DOES, LETTER, TRANSPARENT, face, market_given, segment_at, shards_text
from murano_env.state import GAP_NAMES, MARKET_NAMES, NOTCH_NAMES, PHASE_NAMES, SEGMENT_NAMES

PLAIN = ("lift", "swap")
"""Blocks of actions whose names say all."""

DONE = {
    Phase.TURN: "pass: nothing can be negotiated",
    Phase.REPLACE: "no shard for the missing one",
    Phase.EXPERT_PICKS: "take no more of them",
    Phase.OPPORTUNIST_AGAIN: "no second exchange",
}
"""What `done` means, by what is decided; a Sell pays (MUR-4.2, 5.4, 8.5, 8.15)."""


def decided(view: View) -> Phase:
    """What is decided."""
    return Phase(PHASE_NAMES.index(view["phase"]))


def mover(view: View) -> str:
    """The player to act."""
    return SEATS[view["seat"]]


def pair_at(view: View, notch: int) -> str:
    """The pair at a notch: `R/T`."""
    return f"{LETTER[view['circle'][NOTCH_NAMES[notch]]]}/{LETTER[segment_at(view, notch)]}"


def over_eight(view: View, more: int) -> str:
    """How many shards would have to be returned if so many came (MUR-4.3)."""
    over = sum(view["bench"][mover(view)].values()) + more - BENCH_LIMIT
    return f", {over} over {BENCH_LIMIT}" if over > 0 else ""


def pair_after(view: View, steps: int) -> str:
    """The pair of the Selector once the Ring was turned so many steps (MUR-1.6)."""
    if view["selector"] is None:
        return "the Selector is on no pair yet"
    offset = (SEGMENT_NAMES.index(view["ring_offset"]) + steps) % NOTCHES
    turned = {**view, "ring_offset": SEGMENT_NAMES[offset]}
    return f"the pair becomes {pair_at(turned, NOTCH_NAMES.index(view['selector']))}"


# ---- Collect and Negotiate, by the block of the action


def explain_turn_selector(view: View, _: Sequence[str]) -> str:
    """MUR-4.1, 11.3, 11.4."""
    now = view["selector"]
    notch = 0 if now is None else (NOTCH_NAMES.index(now) + 1) % NOTCHES
    passes = now is not None and view["gap_lira"].get(GAP_NAMES[NOTCH_NAMES.index(now)], 0)
    return f"to notch {notch}, {pair_at(view, notch)}" + (", passes 1L: for who has the most works" if passes else "")


def explain_take_pair(view: View, _: Sequence[str]) -> str:
    """MUR-4.1, 4.2."""
    notch = NOTCH_NAMES.index(view["selector"])
    wanted = [view["circle"][NOTCH_NAMES[notch]], segment_at(view, notch)]
    missing = sum(max(wanted.count(kind) - view["warehouse"].get(kind, 0), 0) for kind in dict.fromkeys(wanted))
    lacking = f", {missing} missing: another for it" if missing else ""
    return f"{pair_at(view, notch)}{lacking}{over_eight(view, len(wanted))}"


def explain_take(view: View, labels: Sequence[str]) -> str:
    """MUR-4.2, 8.1, 8.2, 8.5."""
    return f"{view['warehouse'][labels[0]]} left{over_eight(view, 1)}"


def explain_give_up(view: View, _: Sequence[str]) -> str:
    """MUR-4.3, 9.5, 9.6."""
    return "to exchange it with another player" if decided(view) == Phase.COLLECTOR else "to the Warehouse"


def explain_done(view: View, _: Sequence[str]) -> str:
    """MUR-4.2, 5.3, 5.4, 8.5, 8.15."""
    return f"gain {view['sale']}L" if view["sale"] else DONE[decided(view)]


def explain_exchange(view: View, labels: Sequence[str]) -> str:
    """MUR-5.1, 8.5."""
    given = market_given(view, int(labels[1]))
    if decided(view) == Phase.EXPERT:
        return f"pick of {shards_text(given)}"
    given.pop(TRANSPARENT)
    return f"get {shards_text(given)}{over_eight(view, sum(given.values()) - 1)}"


def explain_buy(view: View, labels: Sequence[str]) -> str:
    """MUR-5.2, 8.3."""
    bought = view["market"][MARKET_NAMES[int(labels[0])]]
    price = "nothing" if decided(view) == Phase.FREE else f"{BUY_PRICE}L"
    return f"{shards_text(bought)} for {price}{over_eight(view, sum(bought.values()))}"


def explain_sell(view: View, _: Sequence[str]) -> str:
    """MUR-5.3, 8.4: however many are sold, the price is one."""
    if decided(view) == Phase.SELL:
        return f"still {view['sale']}L in all"
    return f"and more, {MERCHANT_PAYS if decided(view) == Phase.MERCHANT else SELL_PAYS}L in all"


# ---- Create


def explain_make(view: View, labels: Sequence[str]) -> str:
    """MUR-6.1 to 6.3, 11.5."""
    side = mover(view)
    transparent = 0 if labels[0] == "none" else len(labels[0])
    empty = BENCH_LIMIT - sum(view["bench"][side].values()) + RECIPE_SIZE
    paid = empty - (transparent if view["grandmaster"] else 0)
    second = SECOND_WORK_PAYS if view["works_made"] == 1 else 0
    used = f" with {transparent} T" if transparent else ""
    return f"{view['hand'][side][0]}{used}, gain {paid + second}L"


# ---- Any time


def explain_reorder(view: View, _: Sequence[str]) -> str:
    """MUR-7.1."""
    return f"1L, {view['hand'][mover(view)][1]} first"


def explain_turn_ring(view: View, _: Sequence[str]) -> str:
    """MUR-7.2."""
    return f"1L, {pair_after(view, 1)}"


def explain_use(view: View, labels: Sequence[str]) -> str:
    """MUR-7.3: among works with the same categories the one made first is set aside."""
    tile, _, kinds = labels[0].split()
    wanted = set(kinds.split("+"))
    ready = (work for work in view["works"][mover(view)] if work not in view["set_aside"])
    work = next(each for each in ready if set(view["category"][each]) == wanted)
    card = view["advantage"][tile]
    return f"{card.capitalize()}, {DOES[Advantage(ADVANTAGES.index(card))]}; sets aside {work}"


def explain_owl(view: View, labels: Sequence[str]) -> str:
    """MUR-11.6."""
    return explain_arrange(view, labels)


# ---- The choices of Advantages


def explain_arrange(view: View, labels: Sequence[str]) -> str:
    """MUR-8.8: the card that a position holds."""
    card: str = view["hand"][mover(view)][int(labels[0]) - 1]
    return f"{card} {shards_text(view['recipe'][card])}"


def explain_market(view: View, labels: Sequence[str]) -> str:
    """MUR-8.13, 10.1."""
    there = shards_text(view["market"][MARKET_NAMES[int(labels[0])]])
    if decided(view) == Phase.CHALLENGE:
        return f"{there} to the Warehouse"
    return f"{view['chosen_shard']} goes there, {'it is empty' if there == '-' else f'to {there}'}"


def explain_turn_by(view: View, labels: Sequence[str]) -> str:
    """MUR-8.16."""
    return pair_after(view, int(labels[0]))


def explain_neighbour(view: View, labels: Sequence[str]) -> str:
    """MUR-9.3, 9.4, 9.6."""
    steps, kind = int(labels[0]), labels[1]
    partner = SEATS[(view["seat"] + steps) % view["num_players"]]
    if decided(view) == Phase.AUTHORITARIAN:
        return f"{kind} of {partner} for 1L"
    if decided(view) == Phase.DEALER:
        return f"{kind} to {partner}, gain 1L"
    return f"{kind} of {partner} for your {view['chosen_shard']}"


def explain_end_turn(view: View, _: Sequence[str]) -> str:
    """MUR-3.3, 10.1, 10.2."""
    if view["num_players"] > SOLO:
        return "without another work"
    return "a Challenge card is revealed" if view["challenge"] and not view["last_round"] else "the game is over"


EXPLAIN: dict[str, Callable[[View, Sequence[str]], str]] = {
    "turn_selector": explain_turn_selector,
    "take_pair": explain_take_pair,
    "take": explain_take,
    "give_up": explain_give_up,
    "done": explain_done,
    "exchange": explain_exchange,
    "buy": explain_buy,
    "sell": explain_sell,
    "make": explain_make,
    "reorder": explain_reorder,
    "turn_ring": explain_turn_ring,
    "use": explain_use,
    "owl": explain_owl,
    "arrange": explain_arrange,
    "market": explain_market,
    "turn_by": explain_turn_by,
    "neighbour": explain_neighbour,
    "end_turn": explain_end_turn,
}
"""Block of actions -> what an action of it does."""


def explain(view: View, options: MuranoOptions, action: int) -> str:
    """What a legal action does, by what its player sees; empty where its name says it."""
    played = ACTIONS.played(view["seat"], action)
    if played.block == "draft":  # cards are named by the edition (MUR-9.1)
        return "  ".join(face(view, options, options.cards.names()[int(played.labels[0])]))
    return EXPLAIN[played.block](view, played.labels) if played.block in EXPLAIN else ""
