"""The differential check: engine and reference play the same games and must agree at every decision.

Compared are the seat to act, the legal actions, the whole readable state, scores, returns and the ending. The first
difference stops the check and is written down as the smallest replay that shows it.
"""

import json
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count, islice
from math import exp
from operator import itemgetter
from random import Random
from typing import Any

import numpy as np

from cardtable.audit import clause_names, prepare
from cardtable.engine import loops, random_play
from cardtable.engine.constants import NOBODY
from cardtable.engine.ending import Ending
from cardtable.errors import CardtableError, StateError
from cardtable.game.game import Game
from cardtable.game.record import WORD, Field, Labels, is_seats
from cardtable.game.registry import find
from cardtable.replay import Replay
from cardtable.support.processes import worker_processes
from cardtable.table import Table
from cardtable.types import Array, Counts
from tools.reference.artisans import Artisans
from tools.reference.base import Reference, State
from tools.reference.murano import Murano
from tools.reference.muster import Muster
from tools.variant_names import variant_id

REFERENCES: dict[str, type[Reference]] = {reference.name: reference for reference in (Artisans, Murano, Muster)}
NEARLY = 1e-6
"""Returns are float32 in the engine."""
ENDINGS = {ending: ending.name.lower() for ending in Ending}
FEW = 6
"""Actions among which a greedy player chooses."""
SHARD_GAMES = 64
"""Games that are checked as one piece of work, with players of their own."""


class Difference(CardtableError):
    """Engine and reference do not agree; carries the replay that shows it."""

    def __init__(self, message: str, replay: str) -> None:
        super().__init__(message, replay)
        self.message = message
        self.replay = Replay.from_json(replay)

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[type["Difference"], tuple[Any, ...]]:
        """A game cannot be pickled; the text of its replay can."""
        return type(self), self.args


def reference_of(game: Game) -> type[Reference]:
    """The reference of a game."""
    name = game.id.rpartition("_v")[0]
    if name not in REFERENCES:
        raise CardtableError(f"{game.id} has no reference; there are: {', '.join(REFERENCES)}")
    return REFERENCES[name]


# ---- Reading and comparing


Reading = Callable[..., Any]
"""Makes readable data of what columns of the record hold."""


class Line:
    """A part of the readable state that is read at once: a row of entries, or one alone."""

    def __init__(self, columns: Sequence[Array], start: int, reading: Reading, known: dict[Any, Any]) -> None:
        starts = [column.ctypes.data - start for column in columns]
        spans = [slice(first, first + column.nbytes) for first, column in zip(starts, columns, strict=True)]
        self.words = {word for span in spans for word in range(span.start // WORD, (span.stop - 1) // WORD + 1)}
        self.bytes_in: Callable[[bytes], Any] = itemgetter(*spans)
        self.columns = [column[0].tolist if column.ndim > 1 else column.item for column in columns]
        self.reading = reading
        self.known = known
        """What such bytes were read as before; nobody changes what was read."""

    def read(self, record: bytes) -> Any:
        """The readable form of this part of the record."""
        mine = self.bytes_in(record)
        if mine not in self.known:
            self.known[mine] = self.reading(*[column() for column in self.columns])
        return self.known[mine]


class Reader:
    """The readable state of a table, read anew only where words have changed: reading it whole is slower than all else."""

    def __init__(self, table: Table) -> None:
        self.players = table.players
        self.record = table.game.state.blank()
        self.words = self.record.view(np.uint64)
        self.plain: State = {"game": table.game.id, "rules": table.game.rules_version}
        self.lines_at: list[list[tuple[Line, State, str]]] = [[] for _ in self.words]
        """For each word of the record: the lines that have a part in it, and where they go."""
        for each in table.game.state_under(table.options).fields:
            if not each.derived:
                columns = [self.record[name] for name, _, _ in each.columns()]
                self._lay_out(each, each.axes, columns, {}, self.plain, each.name)

    def _lay_out(self, each: Field, axes: Sequence[Labels], columns: Any, known: Any, into: State, key: str) -> None:
        """Make the lines of what is left of a field: a single column is read row by row, several entry by entry."""
        labels = (axes[0][: self.players] if is_seats(axes[0]) else axes[0]) if axes else None
        if labels is None or (len(axes) == 1 and len(columns) == 1):
            line = Line(columns, self.record.ctypes.data, each.axes_reader([] if labels is None else [labels]), known)
            into[key] = line.read(self.record.tobytes())
            for word in line.words:
                self.lines_at[word].append((line, into, key))
            return
        into[key] = {}
        for number, label in enumerate(labels):
            self._lay_out(each, axes[1:], [column[:, number] for column in columns], known, into[key], label)

    def read(self, table: Table) -> State:
        """The whole state, as `Table.state_dict` gives it. The dict is the same one from call to call."""
        words = table.games.view(np.uint64, np.ndarray)
        changed = (words != self.words).nonzero()[0].tolist()
        self.words[:] = words
        record = words.tobytes()
        for word in changed:
            for line, into, key in self.lines_at[word]:
                into[key] = line.read(record)
        return self.plain


def own_copy(state: State) -> State:
    """A copy that shares nothing with the state, not even among its own parts."""
    copied: State = json.loads(json.dumps(state))
    return copied


def state_differences(engine: Any, reference: Any, where: str = "") -> list[str]:
    """The entries in which two plain states differ, one line each."""
    if isinstance(engine, dict) and isinstance(reference, dict):
        lines = []
        for key in [*engine, *(key for key in reference if key not in engine)]:
            place = f"{where}[{key!r}]" if where else str(key)
            lines += state_differences(engine.get(key, "nothing"), reference.get(key, "nothing"), place)
        return lines
    return [] if engine == reference else [f"{where}: the engine has {engine!r}, the reference {reference!r}"]


def legal_differences(engine: Sequence[str], reference: Mapping[str, Any]) -> list[str]:
    """Actions that only one of the two allows."""
    only_engine, only_reference = sorted(set(engine) - set(reference)), sorted(set(reference) - set(engine))
    lines = [f"legal actions: only the engine allows {only_engine}"] if only_engine else []
    return [*lines, f"legal actions: only the reference allows {only_reference}"] if only_reference else lines


class Duel:
    """One game, played by the engine and by the reference at once."""

    def __init__(self, game: Game, options: Mapping[str, Any]) -> None:
        self.table = Table(game, game.parse_options(options))
        self.reader = Reader(self.table)
        self.reference_class = reference_of(game)
        self.rewards, self.points = np.zeros((2, self.table.players), np.float32)

    def deal(self, seed: int, index: int) -> None:
        """Start a game and look at its set-up."""
        self.table.deal(seed, index)
        self._face(own_copy(self.reader.read(self.table)))
        self._agree(self.reference.faults_of_deal())
        self._agree(self.differences())

    def twist(self, chance: Random) -> None:
        """Turn the game just dealt into one where rare events are near, if the reference can and the engine takes it."""
        twisted = self.reference_class(own_copy(self.engine))
        if twisted.twist(chance):
            with suppress(StateError):
                self.load(twisted.state)

    def load(self, state: State) -> None:
        """Start from a state."""
        self.table.load_state_dict(state)
        self._face(own_copy(state))

    def _face(self, state: State) -> None:
        """Let the reference take its seat before a state, which becomes its own."""
        self.reference = self.reference_class(state)
        self._look(self.reader.read(self.table))

    def _look(self, engine: State) -> None:
        """See what either side has now."""
        self.engine = engine
        self.legal: list[int] = self.table.mask.nonzero()[0].tolist()
        self.choices = self.reference.choices()

    def play(self, action: int) -> None:
        """Play an action on both sides and compare; `Difference` if they do not agree."""
        self._agree(self.advance(action))

    def advance(self, action: int) -> list[str]:
        """Play an action on both sides; all in which they do not agree then."""
        name = self.table.game.actions.names[action]
        self.table.play(action)
        engine = self.reader.read(self.table)
        try:
            self.reference.carry_out(self.choices[name], engine)
        except (AssertionError, LookupError) as error:
            return [f"the reference cannot follow: {error!r}"]
        self._look(engine)
        return self.differences()

    def differences(self) -> list[str]:
        """All in which the two do not agree, one line each."""
        table, reference = self.table, self.reference
        lines = [] if self.engine == reference.state else state_differences(self.engine, reference.state)
        ending = ENDINGS[table.ending]
        if ending != reference.ending():
            lines.append(f"ending: the engine says {ending}, the reference {reference.ending()}")
        names = table.game.actions.names
        if self.choices.keys() != {names[action] for action in self.legal}:
            lines += legal_differences(table.legal_actions(), self.choices)
        elif not self.legal and not table.ending:
            lines.append("legal actions: there are none, and the game is not over")
        lines += self._differences_of_results()
        fault = int(loops.check_one(table.games))
        if fault:
            lines.append(f"check: the engine's own check refuses the position: {table.game.faults(fault).name.lower()}")
        return lines

    def _differences_of_results(self) -> list[str]:
        loops.result_of(self.table.games, self.rewards, self.points)
        returns, scores = self.rewards.tolist(), self.points.tolist()
        expected = self.reference.scores()
        lines = [] if scores == expected else [f"scores: the engine has {scores}, the reference {expected}"]
        expected_returns = self.reference.returns(expected)
        if any(abs(mine - other) > NEARLY for mine, other in zip(returns, expected_returns, strict=True)):
            lines.append(f"returns: the engine has {returns}, the reference {expected_returns}")
        return lines

    def _agree(self, lines: list[str]) -> None:
        if lines:
            raise Difference(self._message(lines), smallest_replay(self.table, lines).to_json())

    def _message(self, lines: list[str]) -> str:
        table = self.table
        last = f"after {table.game.actions.names[table.history[-1]]!r}" if table.history else "at the start"
        start = {key: value for key, value in table.start.items() if key != "state"}
        where = f"{table.game.id} {table.options.to_dict()} {start}, decision {len(table.history)}, {last}"
        return "\n  ".join([f"engine and reference differ: {where}", *lines])


def smallest_replay(table: Table, lines: list[str]) -> Replay:
    """One action from the state before it, if that shows the same difference; otherwise the game from its start."""
    if not table.history:
        return Replay.of(table)
    game, options = table.game, table.options.to_dict()
    names = [game.actions.names[action] for action in table.history]
    before = Replay.play(game, options, table.start, names[:-1]).verify().state_dict()
    duel = Duel(game, options)
    try:
        duel.load(before)
    except CardtableError:
        return Replay.of(table)
    if duel.advance(table.history[-1]) != lines:
        return Replay.of(table)
    return Replay.play(game, options, {"state": before}, names[-1:])


# ---- Players


class Player:
    """Chooses legal actions at random."""

    def __init__(self, game: Game, seed: str) -> None:
        self.game = game
        self.chance = Random(f"{seed} {type(self).__name__}")

    def begin(self) -> None:
        """A new game begins."""

    def choose(self, table: Table, legal: Sequence[int]) -> int:
        """One of the legal actions."""
        return self.chance.choice(legal)


class Even(Player):
    """Chooses a kind of action first, then one of that kind: what has few ids is played as often as what has many."""

    def __init__(self, game: Game, seed: str) -> None:
        super().__init__(game, seed)
        self.block_of = [number for number, block in enumerate(game.actions.blocks) for _ in range(block.size)]

    def choose(self, table: Table, legal: Sequence[int]) -> int:
        """One of the legal actions."""
        kind = self.chance.choice(sorted({self.block_of[action] for action in legal}))
        return self.chance.choice([action for action in legal if self.block_of[action] == kind])


class Greedy(Player):
    """Every other decision takes, of a few actions, the one with the best score for its seat right after it."""

    def choose(self, table: Table, legal: Sequence[int]) -> int:
        """One of the legal actions."""
        if len(legal) == 1 or self.chance.random() < 0.5:
            return super().choose(table, legal)
        few = self.chance.sample(legal, min(FEW, len(legal)))
        return max(zip(self._values(table, few), few, strict=True))[1]

    def _values(self, table: Table, legal: Sequence[int]) -> list[float]:
        """The score of the seat to act after each action."""
        games, mask, observation = table.games.copy(), table.mask.copy(), table.observation.copy()
        scratch, values = self.game.new_scratch(), []
        rewards, points = np.zeros((2, table.players), np.float32)
        for action in legal:
            games[:] = table.games
            loops.step_one(games, action, mask, observation, scratch)
            loops.result_of(games, rewards, points)
            values.append(float(points[table.seat]))
        return values


class Seeker(Player):
    """Looks for rare events: likes some kinds of action much more than others, anew in every game, and rare ones most."""

    def __init__(self, game: Game, seed: str) -> None:
        super().__init__(game, seed)
        self.played = [1] * game.actions.size
        self.taste = [1.0] * game.actions.size

    def begin(self) -> None:
        """Find a new taste."""
        self.taste = [taste for block in self.game.actions.blocks for taste in [self._taste()] * block.size]

    def _taste(self) -> float:
        return exp(2 * self.chance.gauss(0, 1))

    def choose(self, table: Table, legal: Sequence[int]) -> int:
        """One of the legal actions."""
        action = self.chance.choices(legal, [self.taste[action] / self.played[action] for action in legal])[0]
        self.played[action] += 1
        return action


PLAYERS: tuple[type[Player], ...] = (Player, Even, Greedy, Seeker)


# ---- The check


@dataclass
class Proof:
    """What was checked so far."""

    games: int = 0
    decisions: int = 0
    options: Counter[str] = field(default_factory=Counter)
    """Decisions under each set of options."""
    endings: Counter[str] = field(default_factory=Counter)
    clauses: Counter[str] = field(default_factory=Counter)
    """How often each clause was exercised."""

    def add(self, other: "Proof") -> None:
        """Count what another proof has checked."""
        self.games += other.games
        self.decisions += other.decisions
        self.options += other.options
        self.endings += other.endings
        self.clauses.update(other.clauses)

    def summary(self) -> str:
        """How the games ended: `120 terminated, 3 truncated`."""
        return ", ".join(f"{number:,} {ending}" for ending, number in sorted(self.endings.items()))


Variants = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Shard:
    """A piece of a proof that stands alone: some games in a row, and as many decisions at the most as the whole proof."""

    game_id: str
    variants: Variants
    seed: int
    number: int
    decisions: int

    def check(self) -> Proof:
        """Play the games; `Difference` at the first one."""
        game = find(self.game_id)
        duels = [(variant_id(options), Duel(game, options)) for options in self.variants]
        players = [kind(game, f"{self.seed} {self.number}") for kind in PLAYERS]
        counts = np.zeros(len(game.clauses), np.int64)
        proof = Proof()
        for index in range(self.number * SHARD_GAMES, (self.number + 1) * SHARD_GAMES):
            options, duel = duels[index % len(duels)]
            duel.deal(self.seed, index)
            if index // (len(duels) * len(players)) % 2:
                duel.twist(Random(f"{self.seed} {index}"))
            decisions = play_through(duel, players[index // len(duels) % len(players)], counts)
            proof.decisions += decisions
            proof.options[options] += decisions
            proof.games += 1
            proof.endings[ENDINGS[duel.table.ending]] += 1
            if proof.decisions >= self.decisions:
                break
        proof.clauses.update(dict(zip(clause_names(game), counts.tolist(), strict=True)))
        return proof


def play_through(duel: Duel, chooser: Player, counts: Counts) -> int:
    """Play a game to its end and count the clauses that it exercises; the number of decisions."""
    chooser.begin()
    while not duel.table.ending:
        action = chooser.choose(duel.table, duel.legal)
        random_play.witness_one(duel.table.games, action, counts)
        duel.play(action)
    random_play.witness_one(duel.table.games, NOBODY, counts)
    assert duel.engine == duel.table.state_dict(), "the reader reads what the table says"
    return len(duel.table.history)


def prove(game: Game, decisions: int, seed: int = 1, variants: Variants | None = None, workers: int = 1) -> Iterator[Proof]:
    """Play whole games until there were so many decisions; yields the running count, shard by shard.

    The games go round the variants, and for each variant round the kinds of players; every second time round they start
    where rare events are near. `Difference` at the first one. Which games are played does not depend on `workers`.
    """
    prepare(game)
    shards = (Shard(game.id, variants or game.variants, seed, number, decisions) for number in count())
    total = Proof()
    for proof in map(Shard.check, shards) if workers == 1 else checked_by(workers, shards):
        total.add(proof)
        yield total
        if total.decisions >= decisions:
            return


def checked_by(workers: int, shards: Iterator[Shard]) -> Iterator[Proof]:
    """Check shards in several processes; what they found, in order."""
    with worker_processes(workers) as pool:
        under_way = deque(pool.submit(shard.check) for shard in islice(shards, workers + 1))
        while True:
            yield under_way.popleft().result()
            under_way.append(pool.submit(next(shards).check))
