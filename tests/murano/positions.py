"""Positions of Murano for tests, built from what matters; everything else is filled in, and `check` accepts them all."""

import copy
import json
import pickle
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from cardtable.audit import fresh_games
from cardtable.engine import loops
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import as_games
from cardtable.table import Table
from murano_env.components import BUILT_IN_EDITION, CREATIONS, LETTERS
from murano_env.env import GAME
from murano_env.state import PHASE_NAMES

COPIES = {"R": 10, "G": 10, "Y": 10, "B": 10, "T": 6}
CIRCLE = "RGYBGRBYRBGY"
RINGS = {"A": "TRGTYBTRYTGB", "B": "TTRGTYBGTRYB"}
"""The board of the built-in edition (MUR-1.7)."""
FIRST_MARKETS = ("R", "G", "Y", "B")
DULL = (11, 14, 6, 7)
"""Advantages for the tiles that a test does not ask about."""

_TAKEN = {"selector_set": True, "takes": 1}
STEPS: dict[str, dict[str, Any]] = {
    "start": {},
    "turned": {"selector_set": True},
    "taken": _TAKEN,
    "negotiated": {**_TAKEN, "collect_closed": True, "negotiations": 1},
    "bought": {**_TAKEN, "collect_closed": True, "negotiations": 1, "follow_up": "gourmand"},
    "sold": {**_TAKEN, "collect_closed": True, "negotiations": 1, "follow_up": "gambler"},
    "passed": {**_TAKEN, "collect_closed": True, "passed": True},
}
"""How far a turn has come."""


STAGES = [*STEPS, "worked"]
"""The steps of a turn, and after a work."""


def stage(name: str) -> dict[str, Any]:
    """What `position` needs for a stage."""
    if name != "worked":
        return {"step": name}
    return {"step": "negotiated", "state": {"works_made": 1}}


def open_game(players: int = 2, seed: int = 1, deal: Any = None, **options: Any) -> Table:
    """A dealt game."""
    table = Table(GAME, GAME.parse_options({"num_players": players, **options}))
    table.deal(seed, deal=deal)
    return table


def deals(number: int, players: int = 2, **options: Any) -> np.ndarray:
    """The records of so many dealt games."""
    return fresh_games(GAME, {"num_players": players, **options}, number, seed=1)


def position(
    *,
    players: int = 2,
    turn: int = 0,
    round_number: int = 1,
    step: str = "start",
    benches: Mapping[int, str] | None = None,
    lira: Mapping[int, int] | None = None,
    hands: Mapping[int, Sequence[str]] | None = None,
    left: Mapping[int, int] | None = None,
    works: Mapping[int, Sequence[str]] | None = None,
    used: Iterable[str] = (),
    markets: Sequence[str] = FIRST_MARKETS,
    selector: int = 0,
    ring_offset: int = 0,
    challenge: Sequence[str] | None = None,
    state: Mapping[str, Any] | None = None,
    **options: Any,
) -> Table:
    """A table with this position, without a draft. Shards are letters: `RRGT`; those not named are in the Warehouse.

    A hand begins with the cards named; `left` says how many it has. Works missing to that number were used long ago; if the
    mover has none left, the last was made this turn.
    `challenge` is the stack as it was dealt. `state` has more fields, as `state_dict` reads them.
    """
    table = Table(GAME, GAME.parse_options({"num_players": players, **options}))
    plain = pickle.loads(_dealt(json.dumps({"players": players, **options})))
    seats = [f"player_{number}" for number in range(players)]
    plain.update(STEPS[step], turn=seats[turn], seat=turn, round_number=round_number)
    plain["ring_offset"] = f"segment {ring_offset}"
    _lay_shards(plain, seats, benches or {}, markets)
    for number, name in enumerate(seats):
        plain["lira"][name] = (lira or {}).get(number, 4)
    _lay_cards(plain, seats, hands or {}, left or {}, works or {}, used)
    if plain["grandmaster"]:
        _lay_gaps(plain, players, turn)
    else:
        plain["selector"] = f"notch {selector}"
    if players == 1:
        stack = list(challenge or plain["challenge"][::-1])
        _lay_challenge(plain, stack, round_number - 1)
    plain["last_round"] = any(not hand for hand in plain["hand"].values()) or (
        plain["grandmaster"] and not sum(plain["gap_lira"].values())
    )
    plain["works_made"] = int(not plain["hand"][seats[turn]])
    plain.update(state or {})
    table.load_state_dict(plain)
    return table


@cache
def _dealt(options: str) -> bytes:
    """The state of a dealt game under options written as JSON."""
    return pickle.dumps(open_game(**json.loads(options)).state_dict())


def _lay_shards(plain: Any, seats: Sequence[str], benches: Mapping[int, str], markets: Sequence[str]) -> None:
    rest = Counter(COPIES)
    for market, letters in zip(plain["market"], markets, strict=True):
        plain["market"][market] = by_name(letters)
        rest.subtract(letters)
    for number, name in enumerate(seats):
        plain["bench"][name] = by_name(benches.get(number, ""))
        rest.subtract(benches.get(number, ""))
    assert min(rest.values()) >= 0, f"too many shards: {rest}"
    plain["warehouse"] = {LETTERS[letter]: count for letter, count in rest.items()}


def _lay_cards(plain: Any, seats: Sequence[str], hands: Any, left: Any, works: Any, used: Iterable[str]) -> None:
    full = len(plain["hand"]["player_0"])
    named = {card for cards in [*hands.values(), *works.values()] for card in cards}
    free = [card for card in CREATIONS if card not in named]
    plain["set_aside"] = dict.fromkeys(used, 1)
    for number, name in enumerate(seats):
        hand, made = list(hands.get(number, ())), list(works.get(number, ()))
        size = left.get(number, full - len(made))
        while len(hand) < size:
            hand.append(free.pop(0))
        before = [free.pop() for _ in range(full - size - len(made))]
        assert len(hand) == size
        plain["hand"][name], plain["works"][name] = hand, before + made
        plain["set_aside"].update(dict.fromkeys(before, 1))
    plain["deck"] = free


def _lay_gaps(plain: Any, players: int, turn: int) -> None:
    """Selector and Lira as so many turns leave them (MUR-11.2 to 11.4)."""
    moves = (plain["round_number"] - 1) * players + turn + plain["selector_set"]
    plain["selector"] = f"notch {(moves - 1) % 12}" if moves else None
    first = {5: 1 if players == 2 else 2, 11: 2 if players == 4 else 1}
    passed = Counter((move - 2) % 12 for move in range(2, moves + 1))
    plain["gap_lira"] = {f"gap {gap}": max(count - passed[gap], 0) for gap, count in first.items()}


def _lay_challenge(plain: Any, stack: list[str], revealed: int) -> None:
    rest = Counter(["red", "green", "yellow", "blue", "ring", "ring", "selector", "market", "nothing", "nothing"])
    rest.subtract(stack)
    plain["challenge"] = stack[revealed:][::-1]
    plain["revealed"] = stack[:revealed]
    plain["left_out"] = sorted(rest.elements())


def by_name(letters: str) -> dict[str, int]:
    """`RRG` as counts by name."""
    return dict(Counter(LETTERS[letter] for letter in letters))


def workshop(own: str, first: Sequence[str] = ("Vase",), **parts: Any) -> Table:
    """A turn in which works can be made, with this bench; Vase is RRYB."""
    return position(step="negotiated", benches={0: own}, hands={0: list(first)}, **parts)


def lacking_red(own: str = "") -> Table:
    """A turn in which the Warehouse has no red shard and the pair has one."""
    return position(step="turned", selector=0, ring_offset=3, benches={0: own, 1: "RRRRRRRR"}, markets=("RR", "", "", ""))


def tiles(table: Table) -> list[str]:
    """The Advantage under each tile."""
    return list(table.state_dict()["advantage"].values())


def with_card(card: int, uses: int = 1, **parts: Any) -> Table:
    """A position with an Advantage under the tile of art and so many works that can be used for it, all alike."""
    cards = [card, *[other for other in DULL if other != card][:3]]
    if parts.get("grandmaster"):
        cards = [card, *[other for other in (14, 6, 7, 9) if other != card][:3]]
    seat = parts.get("turn", 0)
    works = {**parts.pop("works", {}), seat: ["Harlequin", "Millefiori", "Paperweight"][:uses]}
    return position(advantages=cards, interactive=card > 16, works=works, **parts)


USE = "use art with art"
"""Sets aside a work of `with_card` for the card of the tile."""


def edition(**change: Any) -> dict[str, Any]:
    """The built-in edition as plain data with some of it changed."""
    return {**copy.deepcopy(BUILT_IN_EDITION.plain()), **change}


def edition_with_recipe(name: str, recipe: str) -> dict[str, Any]:
    """The built-in edition with another recipe for a Creation."""
    content = edition()
    next(each for each in content["creations"] if each["name"] == name)["recipe"] = recipe
    return content


def put(table: Table, plain: dict[str, Any]) -> Table:
    """The table with this state on it, unchecked."""
    fields = {name: value for name, value in plain.items() if name not in ("game", "rules")}
    records = GAME.state_under(table.options).restore(fields)
    loops.derive_one(as_games(records))
    table._put(as_games(records), {})
    return table


def play(table: Table, *actions: str) -> Table:
    """Play actions by name; each must be legal, and lead to a possible position."""
    for name in actions:
        table.play(table.checked_action(GAME.actions.id_of(name)))
        assert fault(table) == "NONE", name
    return table


def legal(table: Table, *beginnings: str) -> list[str]:
    """The legal actions that begin with one of these words, or all."""
    return [name for name in table.legal_actions() if not beginnings or name.startswith(beginnings)]


def usable(card: int, **parts: Any) -> bool:
    """Whether a card can be used in a position."""
    return USE in legal(with_card(card, **parts))


def words(table: Table) -> set[str]:
    """The first words of the legal actions."""
    return {name.split()[0] for name in table.legal_actions()}


def phase(table: Table) -> str:
    return PHASE_NAMES[table.record.phase]


def letters(counts: Iterable[int]) -> str:
    """Counts by kind as `RRG`."""
    return "".join(letter * int(count) for letter, count in zip(LETTERS, counts, strict=True))


def bench(table: Table, seat: int = 0) -> str:
    return letters(table.record.bench[seat])


def warehouse(table: Table) -> str:
    return letters(table.record.warehouse)


def markets(table: Table) -> list[str]:
    return [letters(counts) for counts in table.record.market]


def lira(table: Table, seat: int = 0) -> int:
    return int(table.record.lira[seat])


def names(table: Table, cards: Iterable[int]) -> list[str]:
    """Creations by name."""
    return [table.options.cards.names()[card] for card in cards]


def hand(table: Table, seat: int = 0) -> list[str]:
    return names(table, table.record.hand[seat, : table.record.hand_size[seat]])


def works(table: Table, seat: int = 0) -> list[str]:
    return names(table, table.record.works[seat, : table.record.works_size[seat]])


def used(table: Table) -> set[str]:
    """The works that have been set aside."""
    return set(names(table, np.flatnonzero(table.record.set_aside)))


def selector(table: Table) -> int | None:
    notch = int(table.record.selector)
    return None if notch == NOBODY else notch


def ring(table: Table) -> int:
    return int(table.record.ring_offset)


def scores(table: Table) -> list[float]:
    return table.result()[1]


def returns(table: Table) -> list[float]:
    return table.result()[0]


def fault(table: Table) -> str:
    """What `check` says of the table."""
    return GAME.faults(int(loops.check_one(table._games))).name


def end_turn(table: Table) -> Table:
    """Play the rest of a turn with as little as the rules allow: Selector, pair, a Sell, the end."""
    seat, first = table.seat, table.record.round_number
    while not table.ending and (table.seat, table.record.round_number) == (seat, first):
        steps = ("end turn", "turn selector", "take pair", "done", "give up", "sell", "take", "buy", "choose")
        play(table, next(name for step in steps for name in legal(table) if name.startswith(step)))
    return table


def redeals(table: Table, seat: int, number: int) -> list[Table]:
    """Worlds that a seat can think it is in."""
    return [table.redeal(seat, seed) for seed in range(number)]


def drafted_game(players: int = 2, **options: Any) -> Table:
    """A game after a draft at random."""
    table = open_game(players, draft=True, **options)
    generator = np.random.default_rng(4)
    while phase(table) == "draft":
        play(table, str(generator.choice(legal(table))))
    return table


BLOCK_OF = np.repeat(np.arange(len(GAME.actions.blocks)), [block.size for block in GAME.actions.blocks])
DULL_BLOCKS = [number for number, block in enumerate(GAME.actions.blocks) if block.name in ("sell", "reorder", "turn_ring")]
KEEN_BLOCKS = [number for number, block in enumerate(GAME.actions.blocks) if block.name in ("make", "use")]


def uniform(actions: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """All legal actions alike."""
    return actions


def by_block(actions: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """The actions of a block drawn at random: rare kinds of action come up more often."""
    return actions[BLOCK_OF[actions] == generator.choice(np.unique(BLOCK_OF[actions]))]


def eager(actions: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Works and Advantages first, and no shard or Lira wasted if it can be helped: many works are made."""
    keen = actions[np.isin(BLOCK_OF[actions], KEEN_BLOCKS)]
    useful = actions[~np.isin(BLOCK_OF[actions], DULL_BLOCKS)]
    return keen if len(keen) else useful if len(useful) else actions


def random_games(options: Mapping[str, Any], games: int, seed: int = 1, policy: Any = uniform) -> Any:
    """The table and the action about to be played, at every decision of some random games."""
    generator = np.random.default_rng(seed)
    for index in range(games):
        table = Table(GAME, GAME.parse_options(options))
        table.deal(seed, index)
        while not table.ending:
            action = int(generator.choice(policy(np.flatnonzero(table.mask), generator)))
            yield table, action
            table.play(action)
