"""What a seat sees of a game of Murano, and what it sees happen (MUR-15)."""

from collections.abc import Callable, Iterator
from typing import Any

from cardtable.game.actions import Played
from cardtable.game.events import Event, Events, Happening, Kind, happening
from cardtable.game.record import SEATS
from cardtable.game.sight import HIDDEN, Sight, View, closed, face_down, fixed, own, public
from murano_env.components import SHARD_NAMES
from murano_env.constants import NOTCHES
from murano_env.state import STATE

# ---- What a seat sees


def arranged_seen(picks: list[str], view: View, seat: int) -> list[str]:
    """Only who arranges a hand knows how (MUR-15.1)."""
    return picks if view["seat"] == seat else [HIDDEN] * len(picks)


def box_seen(cards: list[str], _: View, seat: int) -> list[str]:
    """Each seat knows the card of the pack that it held last (MUR-9.1)."""
    return [card if holder == seat else HIDDEN for holder, card in enumerate(cards)]


SIGHT = Sight(
    STATE,
    max_rounds=fixed,
    ring_face=fixed,
    advantage_mode=fixed,
    expert_deck=fixed,
    draft=fixed,
    interactive=fixed,
    grandmaster=fixed,
    circle=fixed,
    ring=fixed,
    recipe=fixed,
    category=fixed,
    phase=public,
    turn=public,
    round_number=public,
    last_round=public,
    selector_set=public,
    takes=public,
    repetition=public,
    collect_closed=public,
    negotiations=public,
    privilege=public,
    passed=public,
    follow_up=public,
    works_made=public,
    quotation=public,
    turn_over=public,
    missing=public,
    sale=public,
    offered=public,
    arranged=arranged_seen,
    chosen_market=public,
    chosen_shard=public,
    selector=public,
    ring_offset=public,
    gap_lira=public,
    advantage=public,
    warehouse=public,
    market=public,
    first_shards=fixed,  # none are left after the set-up (MUR-2.3)
    lira=public,
    bench=public,
    owl=public,
    hand=own,
    works=public,
    set_aside=public,
    deck=face_down,
    pack=own,
    drafted=own,
    box=box_seen,
    mixed=public,
    challenge=face_down,
    revealed=public,
    left_out=face_down,
)
"""What a seat sees of each field (MUR-15.1)."""

# ---- What happens, in words

WAREHOUSE = "warehouse"


def place_in_words(place: str) -> str:
    """A market, or the Warehouse."""
    return "the Warehouse" if place == WAREHOUSE else place


def take_in_words(event: Event) -> str:
    """`player_1 takes red, blue from the Warehouse`."""
    return "{seat} takes {shards} from " + place_in_words(event["from"])


def put_in_words(event: Event) -> str:
    """`player_1 returns red to the Warehouse`, `player_1 puts red on market 2`."""
    return "{seat} returns {shards} to the Warehouse" if event["to"] == WAREHOUSE else "{seat} puts {shards} on {to}"


def move_in_words(event: Event) -> str:
    """`from market 1 to the Warehouse: red`."""
    return "from {from} to " + place_in_words(event["to"]) + ": {shards}"


def lira_in_words(event: Event) -> str:
    """`player_1 receives 4L`, `player_1 pays 1L`."""
    change = event["change"]
    return f"{{seat}} receives {change}L" if change > 0 else f"{{seat}} pays {-change}L"


def gap_in_words(event: Event) -> str:
    """`1L of gap 5 goes to player_1`."""
    return "1L of {gap} goes to " + ("the supply" if event["to_seat"] is None else "{to_seat}")


def unless_hidden(field: str, shown: str, hidden: str) -> Callable[[Event], str]:
    """Other words for those who do not see a field."""
    return lambda event: hidden if event[field] == closed(event[field]) else shown


SEAT = "who did it"
SHARDS = "a list of their kinds"

KINDS = (
    # Shards and Lira
    Kind("take", take_in_words,
         "shards come to a Workbench: of a market (MUR-5.2) or the Warehouse (MUR-4, 5.1, 8.1, 8.2, 8.5 to 8.7, 8.15, 10.1)",
         {"seat": "whose Workbench", "from": "`warehouse` or the market", "shards": SHARDS}),
    Kind("put", put_in_words,
         "shards leave a Workbench: for a market (MUR-5.1) or the Warehouse (MUR-4.3, 5.3, 6.1, 8.9, 8.15, 9.5)",
         {"seat": "whose Workbench", "to": "`warehouse` or the market", "shards": SHARDS}),
    Kind("give", "{from_seat} gives {shards} to {to_seat}", "shards go from a Workbench to another one (MUR-9.3, 9.4, 9.6)",
         {"from_seat": "who had them", "to_seat": "who has them now", "shards": SHARDS}),
    Kind("move", move_in_words, "shards leave a market for another one (MUR-8.13) or the Warehouse (MUR-10.1)",
         {"from": "the market they leave", "to": "`warehouse` or a market", "shards": SHARDS}),
    Kind("offer", "on offer for the Expert: {shards}", "connected segments not picked yet under card 5 (MUR-8.5)",
         {"shards": SHARDS}),
    Kind("lira", lira_in_words, "Lira are paid or received, whatever for (MUR-1.3)",
         {"seat": "whose Lira", "change": "how many more there are now; below 0, fewer"}),
    # The board
    Kind("selector", "the Selector turns to {notch}", "the Selector is turned one notch clockwise (MUR-4.1, 10.1, 11.3)",
         {"notch": "where it points now"}),
    Kind("ring", "the Ring turns by {steps}; notch 0 faces {segment}",
         "the Ring is turned counter-clockwise (MUR-7.2, 8.16, 10.1)",
         {"steps": "how many steps", "segment": "the one that notch 0 faces now (MUR-1.6)"}),
    Kind("gap", gap_in_words, "a Lira leaves the board (MUR-11.4)",
         {"gap": "where it lay", "to_seat": "who receives it, which an event `lira` tells too; null: the supply"}),
    Kind("challenge", "Challenge card revealed: {card}", "the top card of the stack is revealed (MUR-10.1)",
         {"card": "the card"}),
    # Cards
    Kind("make", "{seat} makes {card}", "the card in position 1 becomes a work (MUR-6.1 to 6.3)",
         {"seat": SEAT, "card": "the Creation, from now on open"}),
    Kind("use", "{seat} sets aside {work} for {advantage}, the Advantage of {tile}",
         "a work is set aside for an Advantage (MUR-7.3)",
         {"seat": SEAT, "work": "the Creation set aside", "tile": "the category", "advantage": "the card of that tile"}),
    Kind("reorder", "{seat} moves the card in position {from} to position {to}",
         "a card changes its position, for all to see (MUR-7.1, 11.6)",
         {"seat": SEAT, "from": "position it leaves, from 1", "to": "position it goes to"}),
    Kind("owl", "{from_seat} gives the Owl to {to_seat}", "the Owl goes to the right (MUR-11.6)",
         {"from_seat": "who had it", "to_seat": "who has it now"}),
    Kind("mix", "{seat} begins to put the hand in a new order, in secret",
         "the Magician begins: the others lose sight (MUR-8.8, 15.1)",
         {"seat": SEAT}),
    Kind("arrange",
         unless_hidden("position", "{seat} picks position {position} as the next card", "{seat} picks the next card"),
         "a card gets its place in the new order (MUR-8.8)",
         {"seat": SEAT, "position": "its old position, from 1; secret"}),
    Kind("order",
         unless_hidden("positions", "{seat} has a new order of the hand: {positions}", "{seat} has a new order of the hand"),
         "the Magician's new order is complete (MUR-8.8)",
         {"seat": SEAT, "positions": "the old positions in the new order, from 1; secret"}),
    # The draft
    Kind("draft", "{seat} keeps {card}", "a card of the pack comes to the hand (MUR-9.1)",
         {"seat": SEAT, "card": "the Creation; secret"}),
    Kind("pass",
         unless_hidden("cards", "{from_seat} passes to {to_seat}: {cards}", "{from_seat} passes the pack to {to_seat}"),
         "a pack goes to the left (MUR-9.1)",
         {"from_seat": "who had it", "to_seat": "who has it now", "cards": "its Creations; only who has it now sees them"}),
    Kind("box", "{seat} puts {card} into the box", "the last card of a pack is out of the game (MUR-9.1)",
         {"seat": SEAT, "card": "the Creation; secret"}),
    # Turns and rounds
    Kind("last_round", "this round is the last", "the game ends with this round (MUR-11.7, 12.1)", {}),
    Kind("round", "round {number} begins", "a round begins (MUR-12.1)", {"number": "of the round, from 1"}),
    Kind("turn", "the turn goes to {seat}", "another player's turn begins (MUR-3.1)", {"seat": "whose turn it is"}),
)  # fmt: skip

NOW = (
    "phase",
    "selector_set",
    "takes",
    "repetition",
    "collect_closed",
    "negotiations",
    "privilege",
    "passed",
    "follow_up",
    "works_made",
    "quotation",
    "turn_over",
    "missing",
    "sale",
    "chosen_market",
    "chosen_shard",
)
"""Where the turn and the choice under way stand."""


def follow(before: View, played: Played, after: View) -> Iterator[Happening]:
    """The cards that an action moved, by its block; then all else, by what is different."""
    if played.block in MOVED_CARDS:
        yield from MOVED_CARDS[played.block](before, played, after)
    yield from board(before, after)
    if played.block == "exchange":
        yield from shards_exchanged(before, played, after)
    else:
        yield from shards(before, after)
    yield from lira(before, after)
    yield from course(before, after)


# ---- Cards, by the block of the action


def work_made(before: View, played: Played, _: View) -> Iterator[Happening]:
    """MUR-6.1."""
    yield happening("make", seat=played.seat, card=before["hand"][SEATS[played.seat]][0])


def hand_reordered(_: View, played: Played, __: View) -> Iterator[Happening]:
    """MUR-7.1."""
    yield happening("reorder", seat=played.seat, from_=1, to=int(played.labels[0]))


def owl_given(_: View, played: Played, after: View) -> Iterator[Happening]:
    """MUR-11.6."""
    yield happening("owl", from_seat=played.seat, to_seat=SEATS.index(after["owl"]))
    yield happening("reorder", seat=played.seat, from_=int(played.labels[0]), to=1)


def work_used(before: View, played: Played, after: View) -> Iterator[Happening]:
    """MUR-7.3; the Magician's picks begin (MUR-8.8)."""
    work = next(work for work in after["set_aside"] if work not in before["set_aside"])
    tile = played.labels[0].split()[0]
    yield happening("use", seat=played.seat, work=work, tile=tile, advantage=after["advantage"][tile])
    if before["mixed"] != after["mixed"]:
        yield happening("mix", seat=played.seat)


def card_arranged(before: View, played: Played, after: View) -> Iterator[Happening]:
    """MUR-8.8; after the last pick the hand has its new order."""
    seat, mine = played.seat, [played.seat]
    yield happening("arrange", seat=seat, position=int(played.labels[0]), secret="position", seen_by=mine)
    if not after["arranged"]:
        old, new = before["hand"][SEATS[seat]], after["hand"][SEATS[seat]]
        positions = [old.index(card) + 1 for card in new]
        yield happening("order", seat=seat, positions=positions, secret="positions", seen_by=mine)


def card_drafted(before: View, played: Played, after: View) -> Iterator[Happening]:
    """A card is kept; after the last seat's pick the packs move on, or the draft is over (MUR-9.1)."""
    seat = played.seat
    yield happening("draft", seat=seat, card=after["drafted"][SEATS[seat]][-1], secret="card", seen_by=[seat])
    if after["box"] != before["box"]:
        for holder, card in enumerate(after["box"]):
            yield happening("box", seat=holder, card=card, secret="card", seen_by=[holder])
    elif after["seat"] == 0:
        yield from passed_packs(after["pack"])


def passed_packs(packs: dict[str, list[str]]) -> Iterator[Happening]:
    """Every pack has gone to the left (MUR-9.1)."""
    for seat, cards in enumerate(packs.values()):
        giver = (seat - 1) % len(packs)
        yield happening("pass", from_seat=giver, to_seat=seat, cards=cards, secret="cards", seen_by=[seat])


MOVED_CARDS: dict[str, Callable[[View, Played, View], Iterator[Happening]]] = {
    "make": work_made,
    "reorder": hand_reordered,
    "use": work_used,
    "owl": owl_given,
    "arrange": card_arranged,
    "draft": card_drafted,
}
"""Blocks of actions that move cards -> what happens to these."""


# ---- The board


def board(before: View, after: View) -> Iterator[Happening]:
    """A Challenge card, the Selector with the gap that it passes, the Ring."""
    if len(after["revealed"]) > len(before["revealed"]):
        yield happening("challenge", card=after["revealed"][-1])
    if after["selector"] != before["selector"]:
        yield happening("selector", notch=after["selector"])
    if after["gap_lira"] != before["gap_lira"]:
        yield passed_gap(before, after)
    if after["ring_offset"] != before["ring_offset"]:
        old, new = (int(view["ring_offset"].split()[1]) for view in (before, after))
        yield happening("ring", steps=(new - old) % NOTCHES, segment=after["ring_offset"])


def passed_gap(before: View, after: View) -> Happening:
    """MUR-11.4."""
    gap = next(gap for gap, number in before["gap_lira"].items() if after["gap_lira"].get(gap, 0) < number)
    gainers = [seat for seat, change in lira_changes(before, after) if change > 0]
    return happening("gap", gap=gap, to_seat=gainers[0] if gainers else None)


# ---- Shards and Lira

Piles = dict[str, dict[str, int]]
"""Place -> kind of shard -> how many."""


def shards_exchanged(before: View, played: Played, after: View) -> Iterator[Happening]:
    """A shard goes to a market, others come from the Warehouse: they may be of the same kind (MUR-5.1, 8.5)."""
    kind, market = played.labels
    yield happening("put", seat=played.seat, to=f"market {market}", shards=[kind])
    taken = [kind for kind, number in before["warehouse"].items() for _ in range(number - after["warehouse"].get(kind, 0))]
    if taken:
        yield happening("take", seat=played.seat, from_=WAREHOUSE, shards=taken)
    yield from offer(before, after)


def shards(before: View, after: View) -> Iterator[Happening]:
    """Shards that any other action moved; what was returned comes first."""
    found = routes(piles(before), piles(after))
    for source, goal in sorted(found, key=lambda route: route[0] == WAREHOUSE):
        yield moved(source, goal, found[source, goal])
    yield from offer(before, after)


def piles(view: View) -> Piles:
    """Where shards lie."""
    return {WAREHOUSE: view["warehouse"], **view["market"], **view["bench"]}


def routes(before: Piles, after: Piles) -> dict[tuple[str, str], list[str]]:
    """(where from, where to) -> kinds of shards that went that way, if no kind both came to a place and left it."""
    found: dict[tuple[str, str], list[str]] = {}
    places = [place for place, pile in before.items() if pile != after[place]]
    for kind in SHARD_NAMES if places else ():
        changes = {place: after[place].get(kind, 0) - before[place].get(kind, 0) for place in places}
        sources = [place for place, change in changes.items() for _ in range(-change)]
        goals = [place for place, change in changes.items() for _ in range(change)]
        for route in zip(sources, goals, strict=True):
            found.setdefault(route, []).append(kind)
    return found


def moved(source: str, goal: str, kinds: list[str]) -> Happening:
    """Shards went from a place to another one."""
    if source in SEATS and goal in SEATS:
        return happening("give", from_seat=SEATS.index(source), to_seat=SEATS.index(goal), shards=kinds)
    if goal in SEATS:
        return happening("take", seat=SEATS.index(goal), from_=source, shards=kinds)
    if source in SEATS:
        return happening("put", seat=SEATS.index(source), to=goal, shards=kinds)
    return happening("move", from_=source, to=goal, shards=kinds)


def offer(before: View, after: View) -> Iterator[Happening]:
    """MUR-8.5."""
    if after["offered"] != before["offered"]:
        yield happening("offer", shards=[kind for kind, number in after["offered"].items() for _ in range(number)])


def lira(before: View, after: View) -> Iterator[Happening]:
    """Who has more Lira than before, or fewer."""
    for seat, change in lira_changes(before, after):
        yield happening("lira", seat=seat, change=change)


def lira_changes(before: View, after: View) -> list[tuple[int, int]]:
    """(seat, change) of those whose Lira are not what they were."""
    changes: Any = enumerate(after["lira"][side] - lira for side, lira in before["lira"].items())
    return [(seat, change) for seat, change in changes if change]


# ---- Turns and rounds


def course(before: View, after: View) -> Iterator[Happening]:
    """MUR-3.1, 12.1."""
    if after["last_round"] and not before["last_round"]:
        yield happening("last_round")
    if after["round_number"] != before["round_number"]:
        yield happening("round", number=after["round_number"])
    if after["turn"] != before["turn"]:
        yield happening("turn", seat=SEATS.index(after["turn"]))


EVENTS = Events(KINDS, follow, now=NOW)
