"""Forged states: real positions are changed by hand, by splicing and by bytes; what is taken for a position must be one.

A state is taken if `load_state_dict` or `load_state_bytes` takes it. Then others than the engine's own `check` judge it: the
reference of the game (tools/reference), which says what every position keeps and plays some decisions along; the limits of
observations; saving and loading; a redeal; and play to the end.

    python -m tools.attack forged_states --cases 1000 --seed 1
    python -m tools.attack.states SEED CASE          (prints one case and what becomes of it)

With NUMBA_BOUNDSCHECK=1 every array of the engine is watched, too.
"""

import hashlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import numpy as np

from cardtable.engine import loops, random_play
from cardtable.engine.jit import as_games
from cardtable.errors import StateError
from cardtable.game.game import DIGEST_BYTES, Game
from cardtable.game.record import LARGEST_LENGTH, Field, Labels, Stack, is_seats
from cardtable.game.registry import find, game_ids
from cardtable.table import Table
from cardtable.types import Floats
from tools.attack.tally import Tally
from tools.reference import differ
from tools.variants import variant_id

POOL = 80
"""Positions of real games that forged ones of a variant are made from, before there are new ones."""
ROUND = 100
"""Cases that a pool is used for, of each variant."""
LONGEST_STRIDE = 25
"""Decisions between two positions of a pool, at most."""
TRIES = 5
"""How often a position is forged that comes out as it was."""
COMPARED = 5
"""Decisions that engine and reference play from a state that was taken."""
TO_THE_END = 10
"""Every so many states that were taken, the observations are looked at until the end of the game."""

Plain = dict[str, Any]


def forged_states(cases: int, seed: int) -> Tally:
    """Forge so many states, of all games and variants in turn."""
    tally = Tally("state, forged")
    for number in range(cases):
        judge(Case.of(seed, number), tally)
    return tally


# ---- Positions to begin with


class Variant:
    """A game under one set of options, with all that its cases share."""

    def __init__(self, game: Game, options: Plain) -> None:
        self.game = game
        self.options = options
        self.duel = differ.Duel(game, options)
        """Engine and reference at one table."""
        self.record = game.state_under(self.table.options)
        self.pool: list[Plain] = []
        self.drawn_from = ""

    @property
    def table(self) -> Table:
        """The engine's side of the duel."""
        table: Table = self.duel.table
        return table

    def draw_pool(self, source: str) -> list[Plain]:
        """Positions of real games that follow from a text; the last are kept."""
        if source != self.drawn_from:
            self.duel = differ.Duel(self.game, self.options)  # the old one remembers all that it has read
            self.pool, self.drawn_from = list(positions(self.table, Random(source))), source
        return self.pool


@cache
def variants() -> list[Variant]:
    """Every game under every set of options that its tests go through."""
    return [Variant(find(game_id), dict(options)) for game_id in game_ids() for options in find(game_id).variants]


def positions(table: Table, chance: Random) -> Iterator[Plain]:
    """Positions of games of all kinds of players, the first and the last of each game among them."""
    found = 0
    while found < POOL:
        table.deal(chance.randrange(2**32))
        player = chance.choice(differ.PLAYERS)(table.game, str(chance.random()))
        player.begin()
        wait = 0
        while found < POOL:
            if wait == 0 or table.ending:
                yield own_copy(table.state_dict())
                found += 1
                wait = chance.randrange(1, LONGEST_STRIDE)
            if table.ending:
                break
            table.play(player.choose(table, table.mask.nonzero()[0].tolist()))
            wait -= 1


def own_copy(state: Plain) -> Plain:
    """A copy that shares nothing with the state."""
    copied: Plain = differ.own_copy(state)
    return copied


# ---- Cases


@dataclass(frozen=True)
class Case:
    """One forged state."""

    seed: int
    number: int
    variant: Variant
    kind: str
    source: Plain
    """The position that it was made from."""
    state: Plain | bytes

    @classmethod
    def of(cls, seed: int, number: int) -> "Case":
        """Case `number` of a seed: the same whatever was tried before it."""
        turn, which = divmod(number, len(variants()))
        variant, chance = variants()[which], Random(f"{seed} {number}")
        pool = variant.draw_pool(f"{seed} {which} {turn // ROUND}")
        kind, source = chance.choice(list(FORGERIES)), chance.choice(pool)
        forger = Forger(variant, chance)
        for _ in range(TRIES):
            state = FORGERIES[kind](forger, own_copy(source))
            if state != source:
                break
        return cls(seed, number, variant, kind, source, state)

    def __str__(self) -> str:
        options = variant_id(self.variant.options)
        return f"{self.variant.game.id} {options}, {self.kind}: python -m tools.attack.states {self.seed} {self.number}"

    def changes(self) -> list[str]:
        """What is not as it was in the position that the state was made from."""
        if isinstance(self.state, bytes):
            return ["bytes"]
        lines = differ.state_differences(self.state, self.source)
        return [line.replace("the engine has", "now").replace("the reference", "before") for line in lines]


# ---- Forgeries


class Forger:
    """What the forgeries of one case share."""

    def __init__(self, variant: Variant, chance: Random) -> None:
        self.variant = variant
        self.chance = chance
        options = variant.table.options
        self.players = options.num_players
        left_alone = {*options.written(), "seed", "index", "rng"}
        self.fields = [each for each in variant.record.fields if not each.derived and each.name not in left_alone]

    def path(self, each: Field) -> list[str]:
        """The labels that lead to a random entry of a field."""
        place = self.chance.choice(list(each.places(self.players)))
        return [labels[number] for labels, number in zip(each.axes, place, strict=True)]

    def holder(self, state: Plain, each: Field, path: list[str]) -> tuple[Any, str]:
        """The dict in which an entry lies, and its key there."""
        inner, key = state, each.name
        for label in path:
            inner, key = inner[key], label
        return inner, key


def other_value(forger: Forger, each: Field, value: Any) -> Any:
    """Something else for an entry: mostly of the right kind, in its range or just outside, at times far out."""
    chance = forger.chance
    if isinstance(each, Stack):
        return other_pile(forger, each, value)
    if each.values is not None:
        return chance.choice([None, *each.values])
    if each.flag:
        return not value
    near = value + chance.choice((-2, -1, 1, 2))
    inside = chance.randint(each.low, each.high)
    return chance.choice((near, near, inside, each.low, each.high, each.high + 1, each.high - 1, each.low - 1, 0, 1))


def other_pile(forger: Forger, each: Stack, pile: list[str]) -> list[str]:
    """A pile with a card more, less, doubled, in another place or of another kind."""
    chance, pile = forger.chance, list(pile)
    assert each.values is not None
    match chance.randrange(6):
        case 0 if pile:
            pile.pop(chance.randrange(len(pile)))
        case 1 if pile:
            pile[chance.randrange(len(pile))] = chance.choice(each.values)
        case 2 if pile:
            pile.append(chance.choice(pile))
        case 3:
            chance.shuffle(pile)
        case 4:
            pile = []
        case _:
            pile.insert(chance.randint(0, len(pile)), chance.choice(each.values))
    return pile


def change(forger: Forger, state: Plain, each: Field) -> None:
    """Change one entry of a field."""
    inner, key = forger.holder(state, each, forger.path(each))
    if each.count:
        value = other_value(forger, each, inner.get(key, 0))
        inner.pop(key, None)
        if value:
            inner[key] = value
    else:
        inner[key] = other_value(forger, each, inner[key])


def one_field(forger: Forger, state: Plain) -> Plain:
    """One entry is changed."""
    change(forger, state, forger.chance.choice(forger.fields))
    return state


def some_fields(forger: Forger, state: Plain) -> Plain:
    """Two to four entries are changed."""
    for _ in range(forger.chance.randint(2, 4)):
        change(forger, state, forger.chance.choice(forger.fields))
    return state


def small_fields(forger: Forger, state: Plain) -> Plain:
    """One to four of the fields without axes: phase, seat, counters, flags, what is chosen."""
    small = [each for each in forger.fields if not each.axes and not isinstance(each, Stack)]
    for each in forger.chance.sample(small, forger.chance.randint(1, min(4, len(small)))):
        change(forger, state, each)
    return state


def extremes(forger: Forger, state: Plain) -> Plain:
    """One to three counters are as large or as small as their fields allow."""
    numbers = [each for each in forger.fields if each.values is None and not each.flag and not isinstance(each, Stack)]
    for each in forger.chance.sample(numbers, forger.chance.randint(1, min(3, len(numbers)))):
        inner, key = forger.holder(state, each, forger.path(each))
        inner[key] = forger.chance.choice((each.low, each.high))
        if each.count and not inner[key]:
            del inner[key]
    return state


def spliced(forger: Forger, state: Plain) -> Plain:
    """One to three fields are those of another position."""
    other = own_copy(forger.chance.choice(forger.variant.pool))
    for each in forger.chance.sample(forger.fields, forger.chance.randint(1, 3)):
        state[each.name] = other[each.name]
    return state


def half_spliced(forger: Forger, state: Plain) -> Plain:
    """Every field comes from one of two positions."""
    other = own_copy(forger.chance.choice(forger.variant.pool))
    return {name: forger.chance.choice((value, other[name])) for name, value in state.items()}


def other_seats(forger: Forger, state: Plain) -> Plain:
    """Two seats change places in one field or in all."""
    chance = forger.chance
    fields = [each for each in forger.fields if each.axes and is_seats(each.axes[0])]
    seats = [f"player_{seat}" for seat in range(forger.players)]
    one, other = chance.choice(seats), chance.choice(seats)
    for each in fields if chance.random() < 0.3 else [chance.choice(fields)]:
        state[each.name][one], state[each.name][other] = state[each.name][other], state[each.name][one]
    if chance.random() < 0.5:
        state["seat"] = chance.randrange(4)
    return state


def moved(forger: Forger, state: Plain) -> Plain:
    """One to three cards or shards go to another place where their like can lie."""
    for _ in range(forger.chance.randint(1, 3)):
        move(forger, state)
    return state


def moved_and_changed(forger: Forger, state: Plain) -> Plain:
    """A card goes elsewhere, and a small field changes as if that had been a move of the game."""
    move(forger, state)
    return small_fields(forger, state)


def move(forger: Forger, state: Plain) -> None:
    """A card or shard goes from one place to another where its like can lie."""
    chance = forger.chance
    vocabulary = chance.choice(vocabularies(forger.fields))
    places = [each for each in forger.fields if vocabulary_of(each) == vocabulary]
    thing = None
    for _ in range(8):
        thing = take(forger, state, chance.choice(places))
        if thing is not None:
            break
    if thing is not None:
        give(forger, state, chance.choice(places), thing)


def vocabulary_of(each: Field) -> Labels | None:
    """The names of the things that lie in a field, if it holds things: a pile, counts by name, or one by name."""
    if each.values is not None and not is_seats(each.values):
        return tuple(each.values)
    return tuple(each.axes[-1]) if each.count else None


def vocabularies(fields: list[Field]) -> list[Labels]:
    """Those that more than one field has."""
    found = [vocabulary for each in fields if (vocabulary := vocabulary_of(each)) is not None]
    return [vocabulary for vocabulary in dict.fromkeys(found) if found.count(vocabulary) > 1]


def take(forger: Forger, state: Plain, each: Field) -> str | None:
    """Take a thing out of a field; None if the entry looked at has none."""
    inner, key = forger.holder(state, each, forger.path(each))
    thing: str | None = None
    if each.count:
        if inner:
            thing = forger.chance.choice(list(inner))
            inner[thing] -= 1
            if not inner[thing]:
                del inner[thing]
    elif isinstance(each, Stack):
        if inner[key]:
            thing = inner[key].pop(forger.chance.randrange(len(inner[key])))
    else:
        thing, inner[key] = inner[key], None
    return thing


def give(forger: Forger, state: Plain, each: Field, thing: str) -> None:
    """Put a thing into a field."""
    inner, key = forger.holder(state, each, forger.path(each))
    if each.count:
        inner[thing] = inner.get(thing, 0) + 1
    elif isinstance(each, Stack):
        inner[key].insert(forger.chance.randint(0, len(inner[key])), thing)
    else:
        inner[key] = thing


def raw_bytes(forger: Forger, state: Plain) -> bytes:
    """Some bytes or small numbers of the record are others, and the digest is computed anew."""
    chance, table = forger.chance, forger.variant.table
    table.load_state_dict(state)
    packed = bytearray(table.state_bytes())
    first, last = len(table.game.state_header), len(packed) - DIGEST_BYTES
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        place = chance.randrange(first, last)
        if chance.random() < 0.5:
            packed[place] ^= 1 << chance.randrange(8)
        else:
            even = place - (place - first) % 2
            packed[even : even + 2] = chance.choice((0, 1, 2, 3, 4, 5, 6, 7, 8, 0xFFFF)).to_bytes(2, "little")
    body = bytes(packed[:last])
    return body + hashlib.sha256(body).digest()[:DIGEST_BYTES]


FORGERIES: dict[str, Callable[[Forger, Plain], Plain | bytes]] = {
    each.__name__: each
    for each in (
        one_field,
        some_fields,
        small_fields,
        extremes,
        spliced,
        half_spliced,
        other_seats,
        moved,
        moved_and_changed,
        raw_bytes,
    )
}


# ---- Judges


def judge(case: Case, tally: Tally) -> None:
    """Load a state, and if it is taken find out whether it should have been."""
    if case.state == case.source:
        tally.count("unchanged")
        return
    duel = case.variant.duel
    try:
        load(duel.table, case.state)
    except StateError:
        tally.count("refused")
        return
    except Exception as error:
        tally.fail(f"{case}: {type(error).__name__}: {error}")
        return
    try:
        wrong = faults(duel, Random(f"{case}"), case.number % TO_THE_END == 0)
    except Exception as error:
        wrong = [f"{type(error).__name__}: {error}"]
    if wrong:
        tally.fail(f"{case}: {'; '.join(wrong[:4])}")
    else:
        tally.count("positions")


def load(table: Table, state: Plain | bytes) -> None:
    """Load a state of either form."""
    if isinstance(state, bytes):
        table.load_state_bytes(state)
    else:
        table.load_state_dict(state)


def faults(duel: Any, chance: Random, to_the_end: bool) -> list[str]:
    """What is wrong with the state on the table, by any judge."""
    table: Table = duel.table
    duel._face(own_copy(table.state_dict()))
    wrong = [f"reference: {name}" for name in duel.reference.faults_of_position()]
    wrong += [f"at once: {line}" for line in duel.differences()]
    return (
        wrong
        or faults_of_observation(table)
        or faults_of_saving(table)
        or faults_of_redeals(table, chance)
        or faults_of_play(table, chance)
        or faults_of_company(duel, chance)
        or (faults_until_the_end(table, chance) if to_the_end else [])
    )


def faults_of_observation(table: Table) -> list[str]:
    """Observations of all seats, and what no seat sees, are in [0, 1]."""
    return faults_of_numbers(table.full_state())


def faults_of_numbers(numbers: Floats) -> list[str]:
    """Whether all are in [0, 1]."""
    least, most = numbers.min(), numbers.max()
    return [] if least >= 0 and most <= 1 else [f"observation from {least} to {most}"]


def faults_of_saving(table: Table) -> list[str]:
    """Both forms of the state bring back the same bytes."""
    other, packed = Table(table.game, table.options), table.state_bytes()
    for name, state in (("dict", table.state_dict()), ("bytes", packed)):
        try:
            load(other, state)
        except StateError as error:
            return [f"saved as {name}, it is refused: {error}"]
        if other.state_bytes() != packed:
            return [f"saved as {name} and loaded, it has other bytes"]
    return []


def faults_of_redeals(table: Table, chance: Random) -> list[str]:
    """What a seat cannot know can be drawn anew, and the seat sees no difference."""
    seat = chance.randrange(table.players)
    world = table.redeal(seat, chance.randrange(2**32))
    fault = int(loops.check_one(world.games))
    if fault:
        return [f"redealt for seat {seat}: {table.game.faults(fault).name}"]
    return [] if world.observe(seat).tobytes() == table.observe(seat).tobytes() else [f"redealt for seat {seat}: seen"]


def faults_of_play(table: Table, chance: Random) -> list[str]:
    """Two games played from here to their ends at random meet no impossible position and are never stuck."""
    game = table.game
    games = as_games(np.repeat(table.games, 2))
    blocks = game.actions.blocks
    block_of, played = np.repeat(np.arange(len(blocks)), [block.size for block in blocks]), np.zeros(len(blocks), np.int64)
    counts = np.zeros(len(game.clauses), np.int64)
    seed = np.uint64(chance.randrange(2**32))
    decisions, lane, fault = random_play.audit_many(games, seed, game.new_scratch(), block_of, played, counts)
    if lane < 0:
        return []
    return [f"after {decisions} decisions: {game.faults(fault).name if fault else 'no legal action'}"]


def faults_of_company(duel: Any, chance: Random) -> list[str]:
    """Engine and reference agree on some decisions."""
    for number in range(COMPARED):
        if duel.table.ending:
            break
        lines = duel.advance(chance.choice(duel.legal))
        if lines:
            return [f"{number + 1} decisions later: {line}" for line in lines]
        lines = [f"{number + 1} decisions later: {line}" for line in duel.reference.faults_of_position()]
        if lines or (lines := faults_of_observation(duel.table)):
            return lines
    is_too_long = duel.engine["length"] > LARGEST_LENGTH  # it was forged to be as long as a loaded game may be
    return [] if is_too_long else faults_of_saving(duel.table)


def faults_until_the_end(table: Table, chance: Random) -> list[str]:
    """Observations stay in [0, 1] until the game is over."""
    while not table.ending:
        table.play(chance.choice(table.mask.nonzero()[0].tolist()))
        if wrong := faults_of_numbers(table.observation):
            return [f"{len(table.history)} decisions later: {line}" for line in wrong]
    return faults_of_observation(table)


def main() -> None:
    """Show one case."""
    seed, number = map(int, sys.argv[1:3])
    case, tally = Case.of(seed, number), Tally("one state, forged")
    print(case, *case.changes(), sep="\n  ")
    judge(case, tally)
    print(tally.report())


if __name__ == "__main__":
    main()
