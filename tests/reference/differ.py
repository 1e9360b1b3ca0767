"""The differential check: engine and reference play the same games and must agree at every decision.

Compared are the seat to act, the legal actions, the whole readable state, scores, returns and the ending. The first
difference stops the check and is written down as the smallest replay that shows it.
"""

import copy
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from cardtable import loops
from cardtable.audit import clause_names, prepare
from cardtable.errors import CardtableError, StateError
from cardtable.game import Game
from cardtable.record import NOBODY, Record
from cardtable.replay import Replay
from cardtable.table import Table
from reference.artisans import Artisans
from reference.base import Reference, State
from reference.murano import Murano
from reference.muster import Muster

REFERENCES: dict[str, type[Reference]] = {reference.name: reference for reference in (Artisans, Murano, Muster)}
NEARLY = 1e-6
"""Returns are float32 in the engine."""


class Difference(CardtableError):
    """Engine and reference do not agree; carries the replay that shows it."""

    def __init__(self, message: str, replay: Replay) -> None:
        super().__init__(message)
        self.replay = replay


def reference_of(game: Game) -> type[Reference]:
    """The reference of a game."""
    name = game.id.rpartition("_v")[0]
    if name not in REFERENCES:
        raise CardtableError(f"{game.id} has no reference; there are: {', '.join(REFERENCES)}")
    return REFERENCES[name]


# ---- Reading and comparing


class Reader:
    """The readable state of a table, read anew only where bytes have changed: reading it whole is slower than all else."""

    def __init__(self, table: Table) -> None:
        self.fields = [each for each in table.game.state_under(table.options).fields if not each.derived]
        self.records = [Record((each,)) for each in self.fields]
        self.owner = np.full(table.games.itemsize, NOBODY)
        """Which field each byte of the record belongs to."""
        layout: Any = table.game.state.dtype.fields
        for number, each in enumerate(self.fields):
            for name, _, _ in each.columns():
                kind, start = layout[name][:2]
                self.owner[start : start + kind.itemsize] = number
        self.bytes = np.zeros(0, np.uint8)
        self.plain: State = {"game": table.game.id, "rules": table.game.rules_version}

    def read(self, table: Table) -> State:
        """The whole state, as `Table.state_dict` gives it. The dict is the same one from call to call."""
        before, self.bytes = self.bytes, np.frombuffer(table.games.tobytes(), np.uint8)
        changed = self.owner[before != self.bytes] if before.size else self.owner
        for number in set(changed.tolist()) - {NOBODY}:
            name = self.fields[number].name
            self.plain[name] = self.records[number].describe(table.games[0])[name]
        return self.plain


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
    only_engine = [name for name in engine if name not in reference]
    only_reference = [name for name in reference if name not in engine]
    lines = [f"legal actions: only the engine allows {only_engine}"] if only_engine else []
    return [*lines, f"legal actions: only the reference allows {only_reference}"] if only_reference else lines


class Duel:
    """One game, played by the engine and by the reference at once."""

    def __init__(self, game: Game, options: Mapping[str, Any]) -> None:
        self.table = Table(game, game.parse_options(options))
        self.reader = Reader(self.table)
        self.reference_class = reference_of(game)

    def deal(self, seed: int, index: int) -> None:
        """Start a game and look at its set-up."""
        self.table.deal(seed, index)
        self.reference = self.reference_class(self.table.state_dict())
        self.choices = self.reference.choices()
        self._agree(self.reference.faults_of_deal())
        self._agree(self.differences())

    def twist(self, chance: Random) -> None:
        """Turn the game just dealt into one where rare events are near, if the reference can and the engine takes it."""
        twisted = self.reference_class(self.table.state_dict())
        if twisted.twist(chance):
            with suppress(StateError):
                self.load(twisted.state)

    def load(self, state: State) -> None:
        """Start from a state."""
        self.table.load_state_dict(state)
        self.reference = self.reference_class(copy.deepcopy(state))
        self.choices = self.reference.choices()

    def play(self, action: int) -> None:
        """Play an action on both sides and compare; `Difference` if they do not agree."""
        self._agree(self.advance(action))

    def advance(self, action: int) -> list[str]:
        """Play an action on both sides; all in which they do not agree then."""
        name = self.table.game.actions.names[action]
        self.table.play(action)
        try:
            self.reference.carry_out(self.choices[name], self.reader.read(self.table))
        except (AssertionError, LookupError) as error:
            return [f"the reference cannot follow: {error!r}"]
        self.choices = self.reference.choices()
        return self.differences()

    def differences(self) -> list[str]:
        """All in which the two do not agree, one line each."""
        engine, reference = self.reader.read(self.table), self.reference
        lines = [] if engine == reference.state else state_differences(engine, reference.state)
        if self.table.ending.name.lower() != reference.ending():
            lines.append(f"ending: the engine says {self.table.ending.name.lower()}, the reference {reference.ending()}")
        legal = self.table.legal_actions()
        if len(legal) != len(self.choices) or any(name not in self.choices for name in legal):
            lines += legal_differences(legal, self.choices)
        elif not legal and not self.table.ending:
            lines.append("legal actions: there are none, and the game is not over")
        returns, scores = self.table.result()
        if scores != reference.scores():
            lines.append(f"scores: the engine has {scores}, the reference {reference.scores()}")
        if any(abs(mine - other) > NEARLY for mine, other in zip(returns, reference.returns(), strict=True)):
            lines.append(f"returns: the engine has {returns}, the reference {reference.returns()}")
        fault = int(loops.check_one(self.table.games))
        if fault:
            lines.append(f"check: the engine's own check refuses the position: {self.table.game.faults(fault).name.lower()}")
        return lines

    def _agree(self, lines: list[str]) -> None:
        if lines:
            raise Difference(self._message(lines), smallest_replay(self.table, lines))

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

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.generator = np.random.default_rng(seed)

    def begin(self) -> None:
        """A new game begins."""

    def choose(self, table: Table) -> int:
        """A legal action."""
        legal = np.flatnonzero(table.mask)
        return int(legal[int(self.generator.random() * len(legal))])


class Even(Player):
    """Chooses a kind of action first, then one of that kind: what has few ids is played as often as what has many."""

    def __init__(self, game: Game, seed: int) -> None:
        super().__init__(game, seed)
        self.block_of = np.repeat(np.arange(len(game.actions.blocks)), [block.size for block in game.actions.blocks])

    def choose(self, table: Table) -> int:
        """A legal action."""
        legal = np.flatnonzero(table.mask)
        blocks = self.block_of[legal]
        kind = self.generator.choice(np.unique(blocks))
        return int(self.generator.choice(legal[blocks == kind]))


class Greedy(Player):
    """Every other decision takes the action with the best score for its seat right after it."""

    def choose(self, table: Table) -> int:
        """A legal action."""
        if self.generator.random() < 0.5:
            return super().choose(table)
        legal = np.flatnonzero(table.mask)
        values = [self._value(table, int(action)) for action in legal] + self.generator.random(len(legal)) / 2
        return int(legal[np.argmax(values)])

    def _value(self, table: Table, action: int) -> float:
        games, mask, observation = table.games.copy(), table.mask.copy(), np.zeros_like(table.observation)
        loops.step_one(games, action, mask, observation, self.game.new_scratch())
        rewards, points = np.zeros(table.players, np.float32), np.zeros(table.players, np.float32)
        loops.result_of(games, rewards, points)
        return float(points[table.seat])


class Seeker(Player):
    """Looks for rare events: likes some kinds of action much more than others, anew in every game, and rare ones most."""

    def __init__(self, game: Game, seed: int) -> None:
        super().__init__(game, seed)
        self.played = np.ones(game.actions.size)
        self.taste = np.ones(game.actions.size)

    def begin(self) -> None:
        """Find a new taste."""
        for span in self.game.actions.at:
            self.taste[span.start : span.stop] = np.exp(2 * self.generator.standard_normal())

    def choose(self, table: Table) -> int:
        """A legal action."""
        legal = np.flatnonzero(table.mask)
        steps = np.cumsum(self.taste[legal] / self.played[legal])
        action = int(legal[np.searchsorted(steps, self.generator.random() * steps[-1], side="right")])
        self.played[action] += 1
        return action


PLAYERS: tuple[type[Player], ...] = (Player, Even, Greedy, Seeker)


# ---- The check


@dataclass
class Proof:
    """What was checked so far."""

    games: int = 0
    decisions: int = 0
    endings: Counter[str] = field(default_factory=Counter)
    clauses: dict[str, int] = field(default_factory=dict)
    """How often each clause was exercised."""

    def summary(self) -> str:
        """How the games ended: `120 terminated, 3 truncated`."""
        return ", ".join(f"{number:,} {ending}" for ending, number in sorted(self.endings.items()))


def prove(game: Game, decisions: int, seed: int = 1, variants: Sequence[Mapping[str, Any]] | None = None) -> Iterator[Proof]:
    """Play whole games until there were so many decisions; yields the running count after each game.

    The games go round the variants, and for each variant round the kinds of players; every second time round they start
    where rare events are near. `Difference` at the first one.
    """
    prepare(game)
    duels = [Duel(game, options) for options in (variants or game.variants)]
    players = [kind(game, seed) for kind in PLAYERS]
    counts = np.zeros(len(game.clauses), np.int64)
    proof = Proof()
    while proof.decisions < decisions:
        duel = duels[proof.games % len(duels)]
        chooser = players[proof.games // len(duels) % len(players)]
        duel.deal(seed, proof.games)
        if proof.games // (len(duels) * len(players)) % 2:
            duel.twist(Random(f"{seed} {proof.games}"))
        chooser.begin()
        while not duel.table.ending:
            action = chooser.choose(duel.table)
            loops.witness_one(duel.table.games, action, counts)
            duel.play(action)
            proof.decisions += 1
        loops.witness_one(duel.table.games, NOBODY, counts)
        assert duel.reader.plain == duel.table.state_dict()
        proof.games += 1
        proof.endings[duel.table.ending.name.lower()] += 1
        proof.clauses = dict(zip(clause_names(game), counts.tolist(), strict=True))
        yield proof
