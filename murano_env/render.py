"""The table of Murano as text, drawn from what a seat sees."""

from collections.abc import Mapping, Sequence

from cardtable.game.events import counted
from cardtable.game.look import Look, Sign, packed
from cardtable.game.record import SEATS
from cardtable.game.sight import View
from murano_env.components import ADVANTAGES, BUILT_IN_EDITION, CATEGORY_NAMES, COLOUR_NAMES, LETTERS, SHARD_NAMES
from murano_env.constants import (
    BENCH_LIMIT,
    CARD_PENALTY,
    MARKET_PLACES,
    MARKETS,
    NOTCHES,
    NOTCHES_PER_MARKET,
    SIX_O_CLOCK,
    SOLO,
    TWELVE_O_CLOCK,
    Advantage,
    Phase,
    Shard,
)
from murano_env.options import MuranoOptions
from murano_env.state import GAP_NAMES, MARKET_NAMES, NOTCH_NAMES, PHASE_NAMES, SEGMENT_NAMES

GAP = 2
CELL = 8  # width of a pair in the drawing of the board
SIDE = 4  # pairs on a side of the board: NOTCHES around it, the corners counted twice
LETTER = dict(zip(SHARD_NAMES, LETTERS, strict=True))
TRANSPARENT = SHARD_NAMES[Shard.TRANSPARENT]

ASKED = {
    Phase.DRAFT: "keeps a card of the pack",
    Phase.REPLACE: "chooses a shard for one that the Warehouse lacks",
    Phase.RETURN: f"returns shards over {BENCH_LIMIT}",
    Phase.SELL: "may sell more shards, or be done",
    Phase.PRESENT: "takes a red or green shard (Present)",
    Phase.GIFT: "takes a yellow or blue shard (Gift)",
    Phase.FREE: "buys a market for nothing (Free)",
    Phase.MERCHANT: "begins a Sell for 4L (Merchant)",
    Phase.EXPERT: "exchanges a shard (Expert)",
    Phase.EXPERT_PICKS: "may pick shards, or be done (Expert)",
    Phase.MAGICIAN: "puts the hand in a new order (Magician)",
    Phase.TRAVELLER: "chooses a shard of a market (Traveller)",
    Phase.TRAVELLER_GOAL: "chooses the market it goes to (Traveller)",
    Phase.OPPORTUNIST: "exchanges a shard with the Warehouse (Opportunist)",
    Phase.OPPORTUNIST_AGAIN: "may exchange a second shard (Opportunist)",
    Phase.VISIONARY: "turns the Ring anywhere (Visionary)",
    Phase.AUTHORITARIAN: "takes a shard of another player for 1L (Authoritarian)",
    Phase.DEALER: "sells a shard to another player for 1L (Dealer)",
    Phase.CLUMSINESS: "returns a shard (Clumsiness)",
    Phase.COLLECTOR: "chooses a shard to exchange (Collector)",
    Phase.COLLECTOR_PARTNER: "chooses another player's shard for it (Collector)",
    Phase.CHALLENGE: "chooses which of the fullest markets is emptied",
}

DOES = {
    Advantage.PRESENT: "any time: take 1 red or green",
    Advantage.GIFT: "any time: take 1 yellow or blue",
    Advantage.FREE: "Negotiate: a Buy that costs nothing",
    Advantage.MERCHANT: "Negotiate: a Sell for 4L",
    Advantage.EXPERT: "Negotiate: an Exchange for any of its three, 1 transparent at most",
    Advantage.GOURMAND: "after a Buy: take 1 transparent",
    Advantage.GAMBLER: "after a Sell: take 1 transparent",
    Advantage.MAGICIAN: "any time: put the hand in any order, gain 1L",
    Advantage.FAVOURITISM: "any time: return 1 transparent for 3L",
    Advantage.PRIVILEGE: "Negotiate: pay 1L for a second action",
    Advantage.PROVIDENT: "before the Selector is turned: leave it where it is, gain 1L",
    Advantage.REPETITION: "Collect: pay 1L for a second take",
    Advantage.TRAVELLER: "any time: move a shard to another market",
    Advantage.QUOTATION: "after a work that paid 8L: gain 2L",
    Advantage.OPPORTUNIST: "any time: pay 1L, exchange one or two shards with the Warehouse",
    Advantage.VISIONARY: "any time: turn the Ring to any position",
    Advantage.AUTHORITARIAN: "any time: give another player 1L for a coloured shard",
    Advantage.DEALER: "any time: give another player a shard for 1L",
    Advantage.CLUMSINESS: "any time: every player returns a shard",
    Advantage.COLLECTOR: "any time: exchange a shard for one of another player",
}


def letter_pattern(kind: str) -> str:
    """Where the letter of a shard stands, among letters of shards alone: `RRG`, `R9`, `R/T`."""
    return rf"(?<![AC-FH-QSU-XZa-z]){LETTER[kind]}+(?=[RGYBT]*(?![A-Za-z]))"


SHARD_COLOURS = {"red": "red", "green": "green", "yellow": "yellow", "blue": "blue", "transparent": "cyan"}
LEGEND = (
    Sign("R G Y B T", "shards: red, green, yellow, blue, transparent; RRG are three shards, R9 are nine red ones",
         {pattern: colour for kind, colour in SHARD_COLOURS.items() for pattern in (rf"\b{kind}\b", letter_pattern(kind))}),
    Sign("3 B/T", "notch 3 with its pair: a blue shard on the circle, a transparent one on the Ring; notches run clockwise"),
    Sign("[3 B/T]", "the Selector points here: this pair is taken", {r"\[\d+ \w/\w\]": "underline"}),
    Sign("market 1: RG· gives YB (T)", "the shards on it and its free places; what an Exchange there brings; in brackets what "
         "only an Expert can have. A Buy takes all shards on it"),
    Sign("2L", "Lira, the money; on the board (Grandmaster) it lies between notches"),
    Sign("art  7 Gambler", "the Advantage of a category: a completed work of that category is set aside to use it "
         "(rules MUR-8.7 for card 7)"),
    Sign("bench RRT (3 of 8)", "the Workbench; a work pays 1L for every empty place after it is made"),
    Sign("hand 1  Vase  RRYB  tableware", "a card of your hand, its recipe and categories; only the first one can be made",
         {r"\bshards at hand\b|\bready\b": "underline"}),
    Sign("works: [Vase (tableware)]", "completed works; in brackets those set aside", {r"\byours\b|\byou\b": "bold"}),
)  # fmt: skip


def shards_text(counts: Mapping[str, int]) -> str:
    """Shards by their letters: `RRGT`."""
    return "".join(LETTER[kind] * counts.get(kind, 0) for kind in SHARD_NAMES) or "-"


def stock_text(counts: Mapping[str, int]) -> str:
    """Shards by letter and number: `R9 G10 T6`."""
    return " ".join(f"{LETTER[kind]}{counts.get(kind, 0)}" for kind in SHARD_NAMES)


def grid(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of cells, columns as wide as they need to be."""
    widths = [max(len(row[column]) for row in rows) + GAP for column in range(len(rows[0]))]
    return ["".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


# ---- The board


def segment_at(view: View, notch: int) -> str:
    """The shard of the segment that a notch faces."""
    offset = SEGMENT_NAMES.index(view["ring_offset"])
    shard: str = view["ring"][SEGMENT_NAMES[(notch + offset) % NOTCHES]]
    return shard


def pair_text(view: View, notch: int) -> str:
    """A notch with its pair, circle shard/ring shard, in brackets where the Selector points: `[3 R/T]`."""
    name = NOTCH_NAMES[notch]
    pair = f"{notch} {LETTER[view['circle'][name]]}/{LETTER[segment_at(view, notch)]}"
    return f"[{pair}]" if view["selector"] == name else f" {pair} "


def gap_text(view: View, gap: int) -> str:
    """The Lira on a gap; in brackets where the Selector is on it (MUR-11.3)."""
    number = view["gap_lira"].get(GAP_NAMES[gap], 0)
    lira = f"{number}L" if number else ""
    return f"[{lira}]" if gap == TWELVE_O_CLOCK and view["selector"] is None else lira


def market_text(view: View, market: int) -> str:
    """A market with its free places and what an Exchange gives now; transparent shards are for an Expert alone."""
    there = shards_text(view["market"][MARKET_NAMES[market]]).strip("-")
    given = market_given(view, market)
    transparent = LETTER[TRANSPARENT] * given.pop(TRANSPARENT)
    return f"market {market}: {there:·<{MARKET_PLACES}} gives {shards_text(given)}{f' ({transparent})' if transparent else ''}"


def board_lines(view: View) -> list[str]:
    """The circle and the Ring, clockwise from the top, with the markets in the corners that they face."""
    pairs = [f"{pair_text(view, notch):<{CELL}}" for notch in range(NOTCHES)]
    top, bottom = (f"{gap_text(view, gap):^{CELL}}" for gap in (TWELVE_O_CLOCK, SIX_O_CLOCK))
    edge, middle = " " * CELL, " " * (SIDE + 1) * CELL
    corners = [market_text(view, market) for market in range(MARKETS)]
    width = (SIDE + 2) * CELL
    return [
        f"{corners[3]:<{width}} {corners[0]}",
        edge + pairs[10] + pairs[11] + top + pairs[0] + pairs[1],
        pairs[9] + middle + pairs[2],
        pairs[8] + middle + pairs[3],
        edge + pairs[7] + pairs[6] + bottom + pairs[5] + pairs[4],
        f"{corners[2]:<{width}} {corners[1]}",
    ]


def market_given(view: View, market: int) -> dict[str, int]:
    """What the segments connected with a market can bring now, transparent shards too (MUR-5.1, 8.5)."""
    first = market * NOTCHES_PER_MARKET
    connected = [segment_at(view, notch) for notch in range(first, first + NOTCHES_PER_MARKET)]
    return {kind: min(connected.count(kind), view["warehouse"].get(kind, 0)) for kind in SHARD_NAMES}


def board_text(view: View, look: Look) -> list[str]:
    """The board as a drawing; as lists where the window is too narrow for that."""
    lines = [line.rstrip() for line in board_lines(view)]
    if look.fits(lines):
        return lines
    pairs = [pair_text(view, notch).strip() for notch in range(NOTCHES)]
    gaps = [f"{gap} {gap_text(view, number)}" for number, gap in enumerate(GAP_NAMES) if gap_text(view, number)]
    return [*(market_text(view, market) for market in range(MARKETS)), f"pairs: {', '.join([*pairs, *gaps])}"]


def advantage_rows(view: View, seat: int) -> list[Sequence[str]]:
    """One line for each tile: its card, what it does, and how often the seat can use it."""
    rows: list[Sequence[str]] = []
    for tile in CATEGORY_NAMES:
        card = Advantage(ADVANTAGES.index(view["advantage"][tile]))
        number = ready_works(view, seat, tile)
        title = f"{card + 1} {ADVANTAGES[card].capitalize()}"
        rows.append((tile, title, DOES[card] + (f" · {counted(number, 'work')} ready" if number else "")))
    return rows


def ready_works(view: View, seat: int, tile: str) -> int:
    """How many works a seat can set aside for the Advantage of a tile."""
    return sum(tile in view["category"][work] for work in view["works"][SEATS[seat]] if work not in view["set_aside"])


# ---- Players


def face(view: View, options: MuranoOptions, card: str) -> Sequence[str]:
    """Name, recipe and categories of a Creation."""
    return card, shards_text(view["recipe"][card]), ", ".join(categories(options, card))


def categories(options: MuranoOptions, card: str) -> Sequence[str]:
    """The categories of a Creation in the order of its card."""
    return next(creation.categories for creation in options.cards.creations if creation.name == card)


def lacking(view: View, side: str, card: str) -> dict[str, int]:
    """How many shards of each colour the Workbench of a player lacks for a card."""
    recipe, bench = view["recipe"][card], view["bench"][side]
    return {colour: max(recipe.get(colour, 0) - bench.get(colour, 0), 0) for colour in COLOUR_NAMES}


def lacks_text(view: View, seat: int, card: str) -> str:
    """What the Workbench lacks for a card."""
    lacked = lacking(view, SEATS[seat], card)
    transparent, number = view["bench"][SEATS[seat]].get(TRANSPARENT, 0), sum(lacked.values())
    if not number:
        return "shards at hand"
    if number <= transparent:
        return f"shards at hand, {number} T for {shards_text(lacked)}"
    return f"lacks {shards_text(lacked)}" + (f", has {transparent} T" if transparent else "")


def score(view: View, side: str) -> int:
    """Lira, less what cards in hand cost a grandmaster (MUR-11.8, 12.2)."""
    cost = CARD_PENALTY * len(view["hand"][side]) if view["grandmaster"] else 0
    return int(view["lira"][side]) - cost


def works_text(view: View, seat: int, options: MuranoOptions) -> str:
    """Completed works with their categories, those set aside in brackets."""
    works = []
    for card in view["works"][SEATS[seat]]:
        shown = f"{card} ({'+'.join(categories(options, card))})"
        works.append(f"[{shown}]" if card in view["set_aside"] else shown)
    return ", ".join(works)


def seat_lines(view: View, seat: int, options: MuranoOptions, look: Look) -> list[str]:
    """What lies before a player."""
    name = SEATS[seat]
    lira, bench, cards = view["lira"][name], view["bench"][name], len(view["hand"][name])
    title = [
        look.title(name),
        f"{lira}L",
        *([f"score {score(view, name)}"] if view["grandmaster"] else []),
        f"bench {shards_text(bench)} ({sum(bench.values())} of {BENCH_LIMIT})",
        f"{counted(cards, 'card')} in hand",
        *(["has the Owl"] if view["owl"] == name else []),
    ]
    works = works_text(view, seat, options)
    return [" · ".join(title), *([f"  works: {works}"] if works else [])]


def own_lines(view: View, seat: int, options: MuranoOptions) -> list[str]:
    """The own hand in order, and the own pack in a draft."""
    rows = [
        (f"hand {position}", *face(view, options, card), lacks_text(view, seat, card))
        for position, card in enumerate(view["hand"][SEATS[seat]], start=1)
    ]
    rows += [(f"pack, card {number}", *face(view, options, card), "") for number, card in pack_of(view, options, seat)]
    return [f"  {line}" for line in grid(rows)] if rows else []


def pack_of(view: View, options: MuranoOptions, seat: int) -> list[tuple[int, str]]:
    """The cards of the own pack in a draft, with their numbers."""
    pack = view["pack"][SEATS[seat]]
    return [(number, creation.name) for number, creation in enumerate(options.cards.creations) if creation.name in pack]


# ---- The step under way


def turn_text(view: View) -> str:
    """What the player on turn is to do next (MUR-3)."""
    if not view["selector_set"]:
        return "is to turn the Selector"
    if view["takes"] == 0:
        return "is to take the pair"
    if view["negotiations"] == 0 and not view["passed"]:
        return "is to negotiate"
    return "may make works, or end the turn"


def choice_text(view: View, seat: int) -> str:
    """How far a choice has come; the picks of a Magician are shown to their player alone (MUR-15.1)."""
    parts = [
        *([f"missing: {view['missing']}"] if view["missing"] else []),
        *([f"the Sell pays {view['sale']}L"] if view["sale"] else []),
        *([f"on offer: {shards_text(view['offered'])}"] if view["phase"] == PHASE_NAMES[Phase.EXPERT_PICKS] else []),
        *([f"from {view['chosen_market']}"] if view["chosen_market"] else []),
        *([f"chosen: {LETTER[view['chosen_shard']]}"] if view["chosen_shard"] else []),
    ]
    if view["turn"] == SEATS[seat] and view["arranged"]:
        parts.append(f"new order so far: {', '.join(pick.split()[1] for pick in view['arranged'])}")
    return f" ({'; '.join(parts)})" if parts else ""


def status(view: View, look: Look) -> str:
    """Whose decision it is, and which."""
    phase, mover = Phase(PHASE_NAMES.index(view["phase"])), SEATS[view["seat"]]
    if phase == Phase.OVER:
        return "game over"
    asked = turn_text(view) if phase == Phase.TURN else ASKED[phase]
    turn = f" in the turn of {look.name(view['turn'])}" if view["turn"] != mover and phase != Phase.DRAFT else ""
    return f"{look.sentence(mover, asked)}{turn}{choice_text(view, look.seat)}"


def done_text(view: View) -> str:
    """What the turn has brought so far."""
    return ", ".join(
        [
            counted(view["takes"], "take"),
            *(["Repetition"] if view["repetition"] else []),
            counted(view["negotiations"], "Negotiate action") if not view["passed"] else "passed",
            *(["Privilege"] if view["privilege"] else []),
            counted(view["works_made"], "work"),
        ]
    )


def title(view: View, options: MuranoOptions, look: Look) -> str:
    """Game, edition, round, and what is decided."""
    edition = "a reconstruction" if options.cards == BUILT_IN_EDITION else f"edition {options.cards.title}"
    last = " (the last)" if view["last_round"] else ""
    return f"Murano ({edition}) · round {view['round_number']}{last} · {status(view, look)}"


def stack_line(view: View) -> str:
    """Solo: the stack of Challenge cards, and what came from it."""
    return f"Challenge: {len(view['challenge'])} in the stack, revealed: {', '.join(view['revealed']) or 'none'}"


def text(view: View, options: MuranoOptions, look: Look) -> str:
    """The table as the player at a seat sees it: board, Advantages, the other players in turn order, the own cards below."""
    lines = full_lines(view, options, look)
    if not look.has_room(lines):
        lines = brief_lines(view, options, look)
    return look.text(lines)


def full_lines(view: View, options: MuranoOptions, look: Look) -> list[str]:
    """All that the seat sees, with what Advantages do and what cards lack."""
    players = view["num_players"]
    lines = [
        title(view, options, look),
        *([] if look.is_person else ["pairs are circle/Ring, [] is the Selector"]),
        *board_text(view, look),
        f"Warehouse {stock_text(view['warehouse'])} · this turn: {done_text(view)}",
        *grid(advantage_rows(view, look.seat)),
        *([stack_line(view)] if players == SOLO else []),
    ]
    for steps in range(1, players + 1):
        lines += seat_lines(view, (look.seat + steps) % players, options, look)
    return [*lines, *own_lines(view, look.seat, options), *look.last_moves()]


# ---- The table in fewer lines


def brief_lines(view: View, options: MuranoOptions, look: Look) -> list[str]:
    """What is needed to decide: Advantages by name, a line for each player, cards side by side; the last moves if they fit."""
    players = view["num_players"]
    lines = [
        title(view, options, look),
        *board_text(view, look),
        f"Warehouse {stock_text(view['warehouse'])} · this turn: {done_text(view)}",
        *packed(advantage_cells(view, look.seat), look.width),
        *([stack_line(view)] if players == SOLO else []),
        *(brief_seat(view, (look.seat + steps) % players, look) for steps in range(1, players + 1)),
        *packed(card_cells(view, options, look.seat), look.width),
    ]
    longer = [*lines, *look.last_moves()]
    return longer if look.has_room(longer) else lines


def advantage_cells(view: View, seat: int) -> list[str]:
    """The Advantages by name: `art 7 Gambler (1 ready)`."""
    cells = []
    for tile, card in view["advantage"].items():
        number = ready_works(view, seat, tile)
        cells.append(f"{tile} {ADVANTAGES.index(card) + 1} {card.capitalize()}{f' ({number} ready)' if number else ''}")
    return cells


def brief_seat(view: View, seat: int, look: Look) -> str:
    """What lies before a player, in a line."""
    name = SEATS[seat]
    works = len(view["works"][name])
    parts = [
        look.title(name),
        f"{view['lira'][name]}L",
        *([f"score {score(view, name)}"] if view["grandmaster"] else []),
        f"bench {shards_text(view['bench'][name])} ({sum(view['bench'][name].values())})",
        counted(len(view["hand"][name]), "card"),
        *([counted(works, "work")] if works else []),
        *(["Owl"] if view["owl"] == name else []),
    ]
    return " · ".join(parts)


def card_cells(view: View, options: MuranoOptions, seat: int) -> list[str]:
    """The own hand in order, what a card needs as far as the Workbench lacks it, and the own pack in a draft."""
    hand = enumerate(view["hand"][SEATS[seat]], start=1)
    cells = [f"{place} {card} {shards_text(view['recipe'][card])}, {needs_text(view, seat, card)}" for place, card in hand]
    pack = [f"card {number} {card} {shards_text(view['recipe'][card])}" for number, card in pack_of(view, options, seat)]
    return cells + pack


def needs_text(view: View, seat: int, card: str) -> str:
    """In a word or two, what the Workbench lacks for a card."""
    lacked = lacking(view, SEATS[seat], card)
    number = sum(lacked.values())
    if number > view["bench"][SEATS[seat]].get(TRANSPARENT, 0):
        return f"lacks {shards_text(lacked)}"
    return f"needs {number} T" if number else "ready"
