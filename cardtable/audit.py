"""Random play on a large scale: signatures, audits with every position checked, clause counts."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from cardtable.engine import loops, random_play
from cardtable.engine.constants import NOBODY
from cardtable.engine.ending import Ending
from cardtable.engine.jit import as_games, compile_once
from cardtable.errors import CardtableError
from cardtable.game.game import Game
from cardtable.lanes import Lanes
from cardtable.types import Bits, Counts, Records

CHUNK = 1000
"""Games per compiled call: often enough to show progress."""


class AuditError(CardtableError):
    """Random play reached a position that the rules do not allow, or one without a legal action."""


@dataclass
class Audit:
    """What random play counted."""

    games: int
    decisions: int
    truncated: int
    """Games that were cut off."""
    clauses: dict[str, int]
    """How often each clause was exercised."""


def fresh_games(game: Game, options: Mapping[str, Any], number: int, seed: int, first: int = 0) -> Records:
    """Records of games number `first`, `first` + 1, … of a seed, dealt."""
    return Lanes(game, game.parse_options(options), number, seed, first=first, observe=False).records


def prepare(game: Game) -> None:
    """Compile what plays and what audits a game, if no cache has it yet."""
    game.prepare()
    compile_once(f"{game.id}-audits", partial(_compile, game), record=game.state.dtype)


def _compile(game: Game) -> None:
    games = fresh_games(game, game.variants[0], 1, seed=0)
    _trace(game, as_games(games.copy()), 0)
    counts = np.zeros(len(game.clauses), np.int64)
    _audit(game, games, 0, counts)
    random_play.witness_one(games, NOBODY, counts)


def _audit(game: Game, games: Records, seed: int, counts: Counts) -> tuple[int, int, int]:
    """Play the games to their ends, see `random_play.audit_many`."""
    blocks = game.actions.blocks
    block_of = np.repeat(np.arange(len(blocks)), [block.size for block in blocks])
    played = np.zeros(len(blocks), np.int64)
    return random_play.audit_many(games, np.uint64(seed), game.new_scratch(), block_of, played, counts)


def _trace(game: Game, games: Records, seed: int) -> Bits:
    """Play the games to their ends at random; one hash for each of all it showed."""
    frame, traces = game.new_frame(1, 1), np.zeros(len(games), np.uint64)
    random_play.trace_many(games, np.uint64(seed), frame, frame.observation[0].view(np.uint32), game.new_scratch(), traces)
    return traces


def signature(game: Game, games: int, seed: int = 1) -> str:
    """One hash of everything that random games of all variants show and do.

    Equal on every machine, in every process, compiled or not, for as long as rules and observations are the same.
    """
    prepare(game)
    digest = hashlib.sha256(f"{game.id} rules {game.rules_version}".encode())
    for variant in game.variants:
        records = fresh_games(game, variant, games, seed)
        digest.update(_trace(game, records, seed).tobytes())
        digest.update("".join(game.hash(records[lane : lane + 1]) for lane in range(games)).encode())
    return digest.hexdigest()[:16]


def audit(game: Game, options: Mapping[str, Any], games: int, seed: int = 1) -> Iterator[Audit]:
    """Play random games with every position checked; yields the running count, chunk by chunk.

    Half of the games are played uniformly at random, half by the kinds of action played least so far: rare rules come up.

    `AuditError` names the first game that reaches an impossible position.
    """
    prepare(game)
    counts, decisions, truncated = np.zeros(len(game.clauses), np.int64), 0, 0
    for first in range(0, games, CHUNK):
        number = min(CHUNK, games - first)
        records = fresh_games(game, options, number, seed, first)
        played, lane, fault = _audit(game, records, seed, counts)
        if lane >= 0:
            reason = game.faults(fault).name.lower().replace("_", " ") if fault else "no legal action"
            raise AuditError(f"{game.id} {dict(options)}: seed {seed}, game {first + lane}: {reason}")
        decisions += int(played)
        truncated += sum(loops.ending_of(records[lane : lane + 1]) == Ending.TRUNCATED for lane in range(number))
        yield Audit(first + number, decisions, truncated, dict(zip(clause_names(game), counts.tolist(), strict=True)))


def clause_names(game: Game) -> list[str]:
    """The ids of the clauses that random play counts: `MUS-4.1a`."""
    return [clause.name.replace("_", "-", 1).replace("_", ".") for clause in game.clauses]
