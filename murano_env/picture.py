"""The table of Murano as a picture, drawn from what a seat sees.

From top to bottom: what is decided, the board, what lies before the seat, the Advantages or at the end the reckoning, the other
players. The height depends on options and viewer alone, so that the pictures of a game make a film.
"""

from collections.abc import Iterator, Sequence

from cardtable.game.events import counted
from cardtable.game.look import Look
from cardtable.game.record import SEATS
from cardtable.game.sight import View, called
from cardtable.support import svg
from cardtable.support.svg import Band, Theme
from murano_env.components import ADVANTAGES, BUILT_IN_EDITION, CATEGORY_NAMES, COLOUR_NAMES
from murano_env.constants import BENCH_LIMIT, CARD_PENALTY, LEAST_RANKED, RANK_STEPS, RANKS, SELL_PAYS, SOLO, Advantage, Phase
from murano_env.options import MuranoOptions
from murano_env.picture_board import (
    CENTRE,
    MARGIN,
    PAINTS,
    SMALL,
    WIDTH,
    board,
    clicked,
    may_negotiate,
    shard,
    shards_in,
    symbol,
)
from murano_env.picture_cards import BACK, CARD_WIDTH, COLUMNS, DRAFT, FACE, cards_of, make_choices, owl_chips, uses
from murano_env.render import DOES, score, status
from murano_env.scoring import RANK_NAMES
from murano_env.state import PHASE_NAMES

INNER = WIDTH - 2 * MARGIN
BENCH = 29
"""From one place of a Workbench to the next."""
OVER, DEALER = PHASE_NAMES[Phase.OVER], PHASE_NAMES[Phase.DEALER]
SOLD = (PHASE_NAMES[Phase.SELL], PHASE_NAMES[Phase.MERCHANT])


def picture(view: View, options: MuranoOptions, seat: int | None, theme: Theme) -> str:
    """The table as the player at `seat` sees it. None is a spectator, who sees all."""
    first, players = seat or 0, view["num_players"]
    clickable = seat == view["seat"] and view["phase"] != OVER
    bands = [
        head(view, options, seat),
        Band(2 * CENTRE[1] + 10, board(view, clickable=clickable)),
        panel(view, options, first, seat, clickable=clickable),
        reckoning(view, seat) if view["phase"] == OVER else advantages(view, first, clickable=clickable),
        *([challenge(view)] if players == SOLO else []),
        *(panel(view, options, (first + steps) % players, seat, clickable=clickable) for steps in range(1, players)),
    ]
    whole = svg.stacked(bands, 0)
    title = f"Murano: Light Masters, round {view['round_number']}: {headline(view, seat)}"
    return svg.document(WIDTH, whole.height + 4, whole.drawn, name="murano", title=title, paints=PAINTS, theme=theme)


# ---- What is decided


def headline(view: View, seat: int | None) -> str:
    """Whose decision it is, and which; at the end, how it ended."""
    if view["phase"] != OVER:
        mover = SEATS[view["seat"]]
        return status(view, Look(seat or 0)).replace(mover, called(mover, seat), 1)
    if view["num_players"] == SOLO:
        unmade = len(view["hand"][SEATS[0]])
        return f"Game over: lost, {counted(unmade, 'work')} not made" if unmade else f"Game over: won as {rank(view)}"
    winners = [called(side, seat) for side in winning(view)]
    ended = "" if view["last_round"] else f" (cut off after {counted(view['round_number'], 'round')})"
    return f"Game over{ended}: {' and '.join(winners)} {'wins' if len(winners) == 1 else 'share the win'}"


def head(view: View, options: MuranoOptions, seat: int | None) -> Band:
    """Game, edition, variants, round; whose decision it is, and which; how far the turn has come."""
    edition = "edition: a reconstruction" if options.cards == BUILT_IN_EDITION else f"edition: {options.cards.title}"
    variants = [name.replace("_", " ") for name in ("grandmaster", "interactive", "draft", "expert_deck") if view[name]]
    kind = " · ".join([edition, f"Ring {view['ring_face']}", *variants])
    number = f"round {view['round_number']}{', the last' if view['last_round'] else ''}"
    asked = svg.wrapped(headline(view, seat), 18, INNER)
    drawn = [
        svg.words(MARGIN, 26, "Murano: Light Masters", size=19, bold=True),
        svg.words(WIDTH - MARGIN, 26, number, size=16, anchor="end"),
        svg.words(MARGIN, 46, kind, size=SMALL, fill="faint", width=INNER),
        *(
            svg.words(MARGIN, 70 + 20 * line, text, size=16, fill="accent", bold=True, width=INNER)
            for line, text in enumerate(asked)
        ),
        svg.at(MARGIN, 100, *steps_of_the_turn(view)),
    ]
    return Band(134, "".join(drawn))


def steps_of_the_turn(view: View) -> Iterator[str]:
    """Collect, Negotiate, Create: what each has brought, the one under way marked (MUR-3.1)."""
    in_turn = view["phase"] not in (DRAFT, OVER)
    collecting = not view["takes"]
    negotiating = not collecting and not view["negotiations"] and not view["passed"]
    pairs = "turn Selector" if not view["selector_set"] else "take the pair" if collecting else counted(view["takes"], "take")
    actions = "passed" if view["passed"] else counted(view["negotiations"], "action")
    steps = (
        ("Collect", f"{pairs}{' of 2' if view['repetition'] else ''}", collecting),
        ("Negotiate", f"{actions}{' of 2' if view['privilege'] else ''}", negotiating),
        ("Create", counted(view["works_made"], "work"), not collecting and not negotiating),
    )
    for number, (name, text, under_way) in enumerate(steps):
        marked = in_turn and under_way
        yield svg.at(
            number * (CARD_WIDTH + 8),
            0,
            svg.box(0, 0, CARD_WIDTH, 24, line="accent" if marked else "line", radius=12),
            svg.words(10, 17, name, size=SMALL, bold=marked),
            svg.words(
                CARD_WIDTH - 10,
                17,
                text if in_turn else "",
                size=SMALL,
                anchor="end",
                fill="ink" if marked else "faint",
                width=CARD_WIDTH - 82,
            ),
        )


# ---- The four Advantages


def kinds_ready(view: View, seat: int, tile: str) -> list[str]:
    """The kinds of works, not set aside, that a seat can use for a tile, as actions name them (MUR-7.3)."""
    found = [names[tile] for work in view["works"][SEATS[seat]] if tile in (names := uses(view, work))]
    return list(dict.fromkeys(found))


def advantages(view: View, seat: int, *, clickable: bool) -> Band:
    """Each tile with its card, what it does, and how many works of the seat can be used for it."""
    width, height, drawn = (INNER - 8) / 2, 84, []
    for number, tile in enumerate(CATEGORY_NAMES):
        card = Advantage(ADVANTAGES.index(view["advantage"][tile]))
        kinds = kinds_ready(view, seat, tile)
        works = sum(tile in uses(view, work) for work in view["works"][SEATS[seat]])
        face = [
            svg.box(0, 0, width, height, line="accent" if works else "line"),
            svg.at(10, 8, symbol(tile)),
            svg.words(32, 21, tile, size=SMALL, fill="faint"),
            svg.words(106, 21, f"{card + 1} {ADVANTAGES[card].capitalize()}", size=15, bold=True),
            *(
                svg.words(10, 42 + 17 * line, text, size=SMALL)
                for line, text in enumerate(svg.wrapped(DOES[card], SMALL, width - 14))
            ),
            svg.words(width - 8, 77, f"{works} ready" if works else "", size=SMALL, anchor="end", fill="accent"),
        ]
        names = [f"use:{kind}" for kind in kinds]
        drawn.append(
            svg.at(
                MARGIN + (number % 2) * (width + 8),
                (number // 2) * (height + 8),
                clicked(names, "".join(face), f"Advantage of {tile}: {card.name.lower()}", clickable=clickable and bool(names)),
            )
        )
    return Band(2 * (height + 8) + 4, "".join(drawn))


def challenge(view: View) -> Band:
    """Solo: how many Challenge cards are in the stack, and those revealed (MUR-10.1)."""
    left, revealed = len(view["challenge"]), view["revealed"]
    drawn = [
        svg.words(0, 18, "Challenge", size=15, bold=True),
        *(svg.box(110 + 5 * number, 0, 60, 40, fill="back") for number in range(left)),
        svg.words(0, 36, f"{left} in the stack", size=SMALL, fill="faint"),
    ]
    for number, card in enumerate(revealed):
        x = 208 + 55 * number
        face = (
            svg.at(26, 20, shard(card, 12))
            if card in COLOUR_NAMES
            else svg.words(26, 24, card, size=SMALL, anchor="middle", width=48)
        )
        drawn.append(svg.at(x, 0, svg.box(0, 0, 52, 40), face))
    return Band(56, svg.at(MARGIN, 4, *drawn))


# ---- Players


def rows_of(view: View) -> int:
    """Rows of cards before each player: those of the hand, and works; in a draft one more."""
    side = SEATS[0]
    cards = (
        len(view["pack"][side]) + len(view["drafted"][side]) if view["phase"] == DRAFT else cards_dealt(view) + view["draft"]
    )
    return -(-cards // COLUMNS)


def cards_dealt(view: View) -> int:
    """How many cards each player has been dealt, works included."""
    return len(view["hand"][SEATS[0]]) + len(view["works"][SEATS[0]])


def panel(view: View, options: MuranoOptions, seat: int, viewer: int | None, *, clickable: bool) -> Band:
    """What lies before a player: Lira, Workbench, hand and works."""
    mine = clickable and seat == viewer
    height = FACE if viewer in (None, seat) else BACK
    bench = bench_of(view, seat, viewer, clickable=clickable)
    cards = cards_of(view, options, seat, viewer, clickable=mine)
    top = 72 + (28 if seat == (viewer or 0) else 0)
    drawn = [
        svg.at(0, 0, purse(view, seat, viewer, clickable=clickable)),
        svg.at(0, 48, bench),
        svg.at(0, 70, *(make_choices(view, SEATS[seat]) if mine else ())),
        *(
            svg.at((place % COLUMNS) * (CARD_WIDTH + 8), top + (place // COLUMNS) * (height + 6), card)
            for place, card in enumerate(cards)
        ),
        svg.at(0, top, *(owl_chips(view, SEATS[seat]) if mine else ())),
    ]
    total = top + rows_of(view) * (height + 6) + 8
    return Band(total + 6, svg.box(4, -2, WIDTH - 8, total, fill="none") + svg.at(MARGIN, 0, *drawn))


def purse(view: View, seat: int, viewer: int | None, *, clickable: bool) -> str:
    """Who it is, with Lira, score and Owl; another player can be chosen (MUR-9.4)."""
    side, phase = SEATS[seat], view["phase"]
    texts = [
        *([f"score {score(view, side)}"] if view["grandmaster"] and phase != DRAFT else []),
        *(["has the Owl"] if view["owl"] == side else []),
        *(["to act"] if view["seat"] == seat and phase != OVER else []),
    ]
    drawn = [
        svg.words(0, 22, called(side, viewer), size=16, bold=True),
        svg.box(142, 5, 56, 24, fill="gold", line="dark", radius=12),
        svg.words(170, 22, f"{view['lira'][side]}L", size=15, anchor="middle", fill="dark", bold=True),
        svg.words(210, 22, " · ".join(texts), size=15, fill="accent"),
    ]
    steps = (seat - (viewer or 0)) % view["num_players"]
    return clicked([f"neighbour:{steps}"], "".join(drawn), side, clickable=clickable and steps > 0)


def bench_of(view: View, seat: int, viewer: int | None, *, clickable: bool) -> str:
    """A Workbench with its places, and those of shards that are to be returned (MUR-1.1, 4.3)."""
    there, steps = shards_in(view["bench"][SEATS[seat]]), (seat - (viewer or 0)) % view["num_players"]
    drawn = [svg.words(0, 5, "Workbench", size=SMALL, fill="faint")]
    for number in range(max(BENCH_LIMIT, len(there))):
        piece = svg.box(-13, -13, 26, 26, fill="card" if number < BENCH_LIMIT else "none", radius=5)
        if number < len(there):
            kind = there[number]
            names = shard_names(view, kind, steps)
            label = f"{kind} of {SEATS[seat]}"
            piece = clicked(names, piece + shard(kind, 11), label, clickable=clickable and bool(names))
        drawn.append(svg.at(98 + BENCH * number, 0, piece))
    if clickable and not steps and there and may_negotiate(view):
        drawn.append(svg.at(334, 0, *sell_chips(there)))
    return "".join(drawn)


def shard_names(view: View, kind: str, steps: int) -> list[str]:
    """What a shard of the Workbench so many seats to the left can be clicked for."""
    dealing = view["phase"] == DEALER
    if steps:
        return [] if dealing else [f"neighbour:{steps}:{kind}"]
    selling = [f"sell:{kind}"] if view["phase"] in SOLD else []
    return [f"give_up:{kind}", f"exchange:{kind}", f"swap:{kind}", *selling, *([f"neighbour:*:{kind}"] if dealing else [])]


def sell_chips(there: Sequence[str]) -> Iterator[str]:
    """What a Sell can begin with (MUR-5.3)."""
    yield svg.words(0, 5, f"sell {SELL_PAYS}L:", size=SMALL, fill="faint")
    for number, kind in enumerate(dict.fromkeys(there)):
        drawn = svg.circle(0, 0, 13, line="accent") + shard(kind, 9)
        yield svg.at(68 + 28 * number, 0, svg.part([f"sell:{kind}"], drawn, label=f"sell {kind}"))


# ---- The end


def winning(view: View) -> list[str]:
    """Who has won, or shares the win (MUR-12.2)."""
    standing = {side: (score(view, side), -len(works)) for side, works in view["works"].items()}
    return [side for side, each in standing.items() if each == max(standing.values())]


def rank(view: View) -> str:
    """The rank that Lira give in solo (MUR-10.3)."""
    steps = (view["lira"][SEATS[0]] - LEAST_RANKED) // RANK_STEPS + 1
    return RANK_NAMES[min(max(steps, 0), RANKS - 1)]


def reckoning(view: View, seat: int | None) -> Band:
    """What each player has at the end, in place of the Advantages."""
    alone = view["num_players"] == SOLO
    winners = [] if alone else winning(view)
    drawn = [svg.box(MARGIN, 0, INNER, 176, line="accent"), svg.words(24, 26, "The reckoning", size=16, bold=True)]
    for line, side in enumerate(view["works"]):
        lira, cards = view["lira"][side], len(view["hand"][side])
        parts = [f"{lira}L"]
        if view["grandmaster"]:
            parts += [f"less {CARD_PENALTY * cards}L for {counted(cards, 'card')}", f"score {score(view, side)}"]
        parts.append(counted(len(view["works"][side]), "work"))
        y = 56 + 30 * line
        drawn += [
            svg.words(24, y, called(side, seat), size=15, bold=side in winners),
            svg.words(156, y, ", ".join(parts), size=15, width=332),
            svg.words(WIDTH - 24, y, "wins" if side in winners else "", size=15, anchor="end", fill="accent", bold=True),
        ]
    if alone:
        ended = "won: all works made" if not view["hand"][SEATS[0]] else "lost: not all works made"
        drawn += [
            svg.words(24, 96, f"The Challenge is {ended}.", size=15),
            svg.words(24, 122, f"Rank by Lira: {rank(view)}.", size=15),
        ]
    elif len(winners) > 1:
        drawn.append(svg.words(WIDTH - 24, 26, "the win is shared", size=SMALL, anchor="end", fill="faint"))
    return Band(188, "".join(drawn))
