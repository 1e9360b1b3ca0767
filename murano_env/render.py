"""The table of Murano as text."""

from collections.abc import Iterable, Sequence

from cardtable.engine.constants import NOBODY
from murano_env.components import ADVANTAGES, BUILT_IN_EDITION, CATEGORY_NAMES, CHALLENGES, LETTERS
from murano_env.constants import (
    BENCH_LIMIT,
    COLOURS,
    MARKET_PLACES,
    MARKETS,
    NOTCHES,
    NOTCHES_PER_MARKET,
    SHARD_KINDS,
    SIX_O_CLOCK,
    SOLO,
    TILES,
    TWELVE_O_CLOCK,
    Advantage,
    Phase,
    Shard,
)
from murano_env.options import MuranoOptions
from murano_env.scoring import score_of
from murano_env.types import State

GAP = 2
CELL = 9  # width of a pair in the drawing of the board
SIDE = 4  # pairs on a side of the board: NOTCHES around it, the corners counted twice
SHARD_LETTERS = "".join(LETTERS)

ASKED = {
    Phase.DRAFT: "keeps a card of the pack",
    Phase.REPLACE: "chooses a shard for one that the Warehouse lacks",
    Phase.RETURN: f"returns shards over {BENCH_LIMIT}",
    Phase.SELL: "sells more shards, or is done",
    Phase.PRESENT: "takes a red or green shard (Present)",
    Phase.GIFT: "takes a yellow or blue shard (Gift)",
    Phase.FREE: "buys a market for nothing (Free)",
    Phase.MERCHANT: "begins a Sell for 4L (Merchant)",
    Phase.EXPERT: "exchanges a shard (Expert)",
    Phase.EXPERT_PICKS: "picks shards, or is done (Expert)",
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
    Advantage.EXPERT: "Negotiate: an Exchange for any of the three shards, at most one transparent",
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


def shards_text(counts: Iterable[int]) -> str:
    """Shards by their letters: `RRGT`."""
    return "".join(letter * int(count) for letter, count in zip(SHARD_LETTERS, counts, strict=False)) or "-"


def plural(number: int, word: str) -> str:
    """`1 card`, `2 cards`."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def grid(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of cells, columns as wide as they need to be."""
    widths = [max(len(row[column]) for row in rows) + GAP for column in range(len(rows[0]))]
    return ["".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


# ---- The board


def segment_at(game: State, notch: int) -> int:
    """The shard of the segment that a notch faces."""
    return int(game.ring[(notch + int(game.ring_offset)) % NOTCHES])


def pair_text(game: State, notch: int) -> str:
    """A notch with its pair, circle shard/ring shard, in brackets where the Selector points: `[3 R/T]`."""
    pair = f"{notch} {SHARD_LETTERS[game.circle[notch]]}/{SHARD_LETTERS[segment_at(game, notch)]}"
    return f"[{pair}]" if game.selector == notch else f" {pair} "


def gap_text(game: State, gap: int) -> str:
    """The Lira on a gap; in brackets where the Selector is on it (MUR-11.3)."""
    lira = f"{int(game.gap_lira[gap])}L" if game.gap_lira[gap] else ""
    return f"[{lira}]" if gap == TWELVE_O_CLOCK and game.selector == NOBODY else lira


def market_text(game: State, market: int) -> str:
    """A market with its free places and what an Exchange gives now; transparent shards are for an Expert alone."""
    there = shards_text(game.market[market]).strip("-")
    first = market * NOTCHES_PER_MARKET
    connected = [segment_at(game, notch) for notch in range(first, first + NOTCHES_PER_MARKET)]
    given = [min(connected.count(kind), int(game.warehouse[kind])) for kind in range(SHARD_KINDS)]
    transparent = f" ({SHARD_LETTERS[Shard.TRANSPARENT] * given[Shard.TRANSPARENT]})" if given[Shard.TRANSPARENT] else ""
    return f"market {market}: {there:·<{MARKET_PLACES}} gives {shards_text(given[:COLOURS])}{transparent}"


def board_lines(game: State) -> list[str]:
    """The circle and the Ring, clockwise from the top, with the markets in the corners that they face."""
    pairs = [f"{pair_text(game, notch):<{CELL}}" for notch in range(NOTCHES)]
    top, bottom = (f"{gap_text(game, gap):^{CELL}}" for gap in (TWELVE_O_CLOCK, SIX_O_CLOCK))
    edge, middle = " " * CELL, " " * (SIDE + 1) * CELL
    corners = [market_text(game, market) for market in range(MARKETS)]
    width = (SIDE + 2) * CELL
    return [
        f"{corners[3]:<{width}} {corners[0]}",
        edge + pairs[10] + pairs[11] + top + pairs[0] + pairs[1],
        pairs[9] + middle + pairs[2],
        pairs[8] + middle + pairs[3],
        edge + pairs[7] + pairs[6] + bottom + pairs[5] + pairs[4],
        f"{corners[2]:<{width}} {corners[1]}",
    ]


def advantage_rows(game: State, seat: int) -> list[Sequence[str]]:
    """One line for each tile: its card, what it does, and how often the seat can use it."""
    rows: list[Sequence[str]] = []
    for tile in range(TILES):
        card, ready = Advantage(int(game.advantage[tile])), int(game.ready[seat, tile].sum())
        title = f"{card + 1} {ADVANTAGES[card].capitalize()}"
        rows.append((CATEGORY_NAMES[tile], title, DOES[card], f"{plural(ready, 'work')} of yours ready" if ready else ""))
    return rows


# ---- Players


def face(options: MuranoOptions, card: int) -> Sequence[str]:
    """Name, recipe and categories of a Creation."""
    creation = options.cards.creations[card]
    return creation.name, shards_text(options.cards.recipes()[card]), ", ".join(creation.categories)


def lacks_text(game: State, seat: int, card: int) -> str:
    """What the Workbench lacks for a card."""
    lacking = [max(int(game.recipe[card, colour]) - int(game.bench[seat, colour]), 0) for colour in range(COLOURS)]
    transparent = int(game.bench[seat, Shard.TRANSPARENT])
    if not any(lacking):
        return "shards at hand"
    if sum(lacking) <= transparent:
        return f"shards at hand with {sum(lacking)} transparent for {shards_text(lacking)}"
    return f"lacks {shards_text(lacking)}" + (f", less {transparent} transparent" if transparent else "")


def works_text(game: State, seat: int, options: MuranoOptions) -> str:
    """Completed works with their categories, those set aside in brackets."""
    works = []
    for card in game.works[seat, : game.works_size[seat]].tolist():
        creation = options.cards.creations[card]
        shown = f"{creation.name} ({'+'.join(creation.categories)})"
        works.append(f"[{shown}]" if game.set_aside[card] else shown)
    return ", ".join(works) or "none"


def seat_lines(game: State, seat: int, options: MuranoOptions) -> list[str]:
    """What lies before a player."""
    title = [
        f"player_{seat}",
        f"{int(game.lira[seat])}L",
        *([f"score {int(score_of(game, seat))}"] if game.grandmaster else []),
        f"bench {shards_text(game.bench[seat])} ({int(game.bench_size[seat])} of {BENCH_LIMIT})",
        f"{plural(int(game.hand_size[seat]), 'card')} in hand",
        *(["has the Owl"] if game.owl == seat else []),
    ]
    return [" · ".join(title), f"  works: {works_text(game, seat, options)}"]


def own_lines(game: State, seat: int, options: MuranoOptions) -> list[str]:
    """The own hand in order, and the own pack in a draft."""
    rows = [
        (f"position {position}", *face(options, card), lacks_text(game, seat, card))
        for position, card in enumerate(game.hand[seat, : game.hand_size[seat]].tolist(), start=1)
    ]
    rows += [
        (f"card {card} of the pack", *face(options, card), "")
        for card in sorted(game.pack[seat, : game.pack_size[seat]].tolist())
    ]
    return [f"  {line}" for line in grid(rows)] if rows else []


# ---- The step under way


def turn_text(game: State) -> str:
    """What the player on turn is to do next (MUR-3)."""
    if not game.selector_set:
        return "is to turn the Selector"
    if game.takes == 0:
        return "is to take the pair"
    if game.negotiations == 0 and not game.passed:
        return "is to negotiate"
    return "may make works, or end the turn"


def choice_text(game: State, seat: int) -> str:
    """How far a choice has come; the picks of a Magician are shown to their player alone (MUR-15.1)."""
    parts = [
        *([f"missing: {int(game.missing)}"] if game.missing else []),
        *([f"the Sell pays {int(game.sale)}L"] if game.sale else []),
        *([f"on offer: {shards_text(game.offered)}"] if game.phase == Phase.EXPERT_PICKS else []),
        *([f"from market {int(game.chosen_market)}"] if game.chosen_market != NOBODY else []),
        *([f"chosen: {SHARD_LETTERS[game.chosen_shard]}"] if game.chosen_shard != NOBODY else []),
    ]
    if game.turn == seat and game.arranged_size:
        picked = ", ".join(str(position + 1) for position in game.arranged[: game.arranged_size].tolist())
        parts.append(f"new order so far: {picked}")
    return f" ({'; '.join(parts)})" if parts else ""


def status(game: State, seat: int) -> str:
    """Whose decision it is, and which."""
    phase = Phase(int(game.phase))
    if phase == Phase.OVER:
        return "game over"
    asked = turn_text(game) if phase == Phase.TURN else ASKED[phase]
    turn = f" in the turn of player_{int(game.turn)}" if game.seat != game.turn and phase != Phase.DRAFT else ""
    return f"player_{int(game.seat)} {asked}{turn}{choice_text(game, seat)}"


def done_text(game: State) -> str:
    """What the turn has brought so far."""
    return ", ".join(
        [
            plural(int(game.takes), "take"),
            *(["Repetition"] if game.repetition else []),
            plural(int(game.negotiations), "Negotiate action") if not game.passed else "passed",
            *(["Privilege"] if game.privilege else []),
            plural(int(game.works_made), "work"),
        ]
    )


def title(game: State, options: MuranoOptions, seat: int) -> str:
    """Game, edition, round, and what is decided."""
    edition = "built-in edition: a reconstruction" if options.cards == BUILT_IN_EDITION else f"edition {options.cards.title}"
    last = " (the last)" if game.last_round else ""
    return f"Murano: Light Masters ({edition}) · round {int(game.round_number)}{last} · {status(game, seat)}"


def stack_line(game: State) -> str:
    """Solo: the stack of Challenge cards, and what came from it."""
    revealed = [CHALLENGES[card] for card in game.revealed[: game.revealed_size].tolist()]
    return f"Challenge: {int(game.challenge_size)} in the stack, revealed: {', '.join(revealed) or 'none'}"


def text(game: State, options: MuranoOptions, seat: int, moves: Sequence[str]) -> str:
    """The table as the player at `seat` sees it: board, Advantages, the other players in turn order, the own cards below."""
    board, advantages = board_lines(game), grid(advantage_rows(game, seat))
    rule = "-" * max(len(line.rstrip()) for line in (*board, *advantages))
    lines = [
        title(game, options, seat),
        *(rule, *(line.rstrip() for line in board), rule),
        f"pairs: circle/Ring, [] is the Selector · Warehouse {shards_text(game.warehouse)} · this turn: {done_text(game)}",
        *advantages,
        *([stack_line(game)] if game.num_players == SOLO else []),
        rule,
    ]
    for steps in range(1, int(game.num_players)):
        lines += seat_lines(game, (seat + steps) % int(game.num_players), options)
    lines += [*seat_lines(game, seat, options), *own_lines(game, seat, options)]
    if moves:
        lines.append("last moves: " + "; ".join(moves))
    return "\n".join(lines)
